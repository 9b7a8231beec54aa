/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations between lanes: warp exchanges, barriers, mbarriers, and asynchronous copies, which are performed
 * later. */
#include <stdlib.h>
#include <string.h>

#include "executor.h"

enum { POISON = 0xa5, COPY_BYTES = 16 };

static const emulated_place *place(void) { return &emulated_block->current->place; }
static unsigned char *dynamic_shared(void) { return emulated_block->ring; }

/* ---- a warp ---- */

static unsigned all_of(const uint32_t values[EMULATED_LANES]) {
  unsigned all = 1;
  for (int i = 0; i < EMULATED_LANES; i++) all &= values[i];
  return all;
}

static unsigned ballot_of(const uint32_t values[EMULATED_LANES]) {
  unsigned ballot = 0;
  for (int i = 0; i < EMULATED_LANES; i++) ballot |= values[i] << i;
  return ballot;
}

static unsigned answer(enum emulated_exchange kind, const uint32_t values[EMULATED_LANES], unsigned index,
                       unsigned which) {
  switch (kind) {
  case EMULATED_UP: return values[index >= which ? index - which : index];
  case EMULATED_DOWN: return values[index + which < EMULATED_LANES ? index + which : index];
  case EMULATED_XOR: return values[(index ^ which) % EMULATED_LANES];
  case EMULATED_FROM: return values[which % EMULATED_LANES];
  case EMULATED_ALL: return all_of(values);
  case EMULATED_BALLOT: return ballot_of(values);
  case EMULATED_SYNC: break;
  }
  return 0;
}

/* Performs a warp exchange. Two rows of values alternate, so that no lane overwrites a row before all have read it. */
static unsigned exchange(enum emulated_exchange kind, unsigned mask, unsigned value, unsigned which) {
  block *b = emulated_block;
  lane *self = b->current;
  const unsigned index = self->place.item % EMULATED_LANES;
  warp *w = &b->warps[self->place.item / EMULATED_LANES];
  uint32_t *values = w->values[w->turn % 2];
  if (mask != ~0u) emulated_die("a part of a warp, mask 0x%08x, is not emulated", mask);
  if (w->arrived != 0 && w->kind != kind)
    emulated_die("block %u, item %u: the lanes of a warp exchange in different ways", b->group, self->place.item);
  w->kind = kind;
  values[index] = value;
  w->arrived |= UINT32_C(1) << index;
  if (w->arrived != ~UINT32_C(0)) {
    block_wait(LANE_EXCHANGES, w);
  } else {
    w->arrived = 0;
    w->turn++;
    block_ready_others(w);
  }
  return answer(kind, values, index, which);
}

/* ---- a block ---- */

static void wake(lane_state state, const void *object, unsigned parity) {
  block *b = emulated_block;
  for (unsigned i = 0; i < b->grid->items; i++) {
    lane *l = &b->lanes[i];
    if (l->state == state && l->object == object && (state != LANE_WAITS || l->parity == parity)) block_ready(l);
  }
}

static void barrier(unsigned id, unsigned items) {
  block *b = emulated_block;
  const unsigned wanted = items != 0 ? items : b->grid->items;
  if (id >= EMULATED_NAMED || wanted % EMULATED_LANES != 0 || wanted > b->grid->items)
    emulated_die("barrier %u of %u items", id, wanted);
  if (++b->named[id] < wanted) {
    block_wait(LANE_AT_BARRIER, &b->named[id]);
    return;
  }
  b->named[id] = 0;
  block_progress();
  wake(LANE_AT_BARRIER, &b->named[id], 0);
}

static unsigned barrier_any(unsigned x) {
  block *b = emulated_block;
  if (x) b->any = 1;
  barrier(0, 0);
  const unsigned any = b->any;
  barrier(0, 0);
  b->any = 0; /* each lane clears it before the last barrier lets any of them return */
  barrier(0, 0);
  return any;
}

/* ---- mbarriers ---- */

enum { MARK = 0x0b4, MOST_ARRIVALS = 2047 };

typedef struct phase {
  int32_t bytes; /* expected minus arrived; below 0 if more has arrived than was expected */
  uint32_t pending : 11, arrivals : 11, parity : 1, mark : 9;
} phase;
_Static_assert(sizeof(phase) == sizeof(emulated_word), "an mbarrier has 64 bits");

static phase phase_get(const emulated_word *b) {
  phase p;
  memcpy(&p, b, sizeof p);
  if (p.mark != MARK)
    emulated_die("block %u, item %u: what is no mbarrier, or not yet, is used as one", emulated_block->group,
                 place()->item);
  return p;
}

/* Stores the state. A phase without pending arrivals and bytes ends, and the next one begins. */
static void phase_put(emulated_word *b, phase p) {
  const unsigned parity = p.parity;
  const int ends = p.pending == 0 && p.bytes == 0;
  if (ends) {
    p.pending = p.arrivals;
    p.parity ^= 1u;
  }
  memcpy(b, &p, sizeof p);
  if (!ends) return;
  block_progress();
  wake(LANE_WAITS, b, parity);
}

static void phase_init(emulated_word *b, unsigned arrivals) {
  if (arrivals == 0 || arrivals > MOST_ARRIVALS) emulated_die("an mbarrier of %u arrivals", arrivals);
  const phase p = { .pending = arrivals & MOST_ARRIVALS, .arrivals = arrivals & MOST_ARRIVALS, .mark = MARK };
  memcpy(b, &p, sizeof p);
}

/* Arrives at an mbarrier. The expected bytes are added before the arrival, so that the phase cannot end in between. */
static void phase_arrive(emulated_word *b, unsigned arrivals, unsigned expected_bytes) {
  phase p = phase_get(b);
  if (arrivals > p.pending)
    emulated_die("block %u, item %u: more arrivals in a phase than the mbarrier was made for", emulated_block->group,
                 place()->item);
  p.bytes += (int32_t)expected_bytes;
  p.pending -= arrivals & MOST_ARRIVALS;
  phase_put(b, p);
}

static unsigned is_over(const emulated_word *b, unsigned parity) { return phase_get(b).parity != (parity & 1); }

/* 1 if the phase is over. Otherwise other lanes run before the second look, so that a polling loop cannot hang. */
static unsigned phase_is_over(emulated_word *b, unsigned parity) {
  if (!is_over(b, parity)) block_wait(LANE_POLLS, b);
  return is_over(b, parity);
}

static void phase_wait(emulated_word *b, unsigned parity, const char *what) {
  lane *self = emulated_block->current;
  self->parity = parity & 1;
  self->what = what;
  while (!is_over(b, parity)) block_wait(LANE_WAITS, b);
}

/* ---- copies ---- */

static int is_shared(const void *at, unsigned bytes) {
  const unsigned char *ring = emulated_block->ring, *to = at;
  return to >= ring && to + bytes <= ring + emulated_block->grid->dynamic_bytes;
}

static void check_copy(const void *to, const void *from, unsigned bytes) {
  if (((uintptr_t)to | (uintptr_t)from | bytes) % COPY_BYTES != 0 || bytes == 0)
    emulated_die("a copy of %u bytes from %p to %p: not by multiples of 16", bytes, from, to);
  if (!is_shared(to, bytes)) emulated_die("a copy leaves the ring by %u bytes at %p", bytes, to);
}

static void push_pending(const pending *one) {
  block *b = emulated_block;
  if (b->pending_count == b->pending_room) {
    b->pending_room = b->pending_room * 2 + 64;
    b->pendings = realloc(b->pendings, b->pending_room * sizeof *b->pendings);
    if (b->pendings == NULL) emulated_die("no memory for copies");
  }
  b->pendings[b->pending_count++] = *one;
}

static void push_copy(copy **copies, unsigned *count, unsigned *room, copy one) {
  if (*count == *room) {
    *room = *room * 2 + 8;
    *copies = realloc(*copies, *room * sizeof **copies);
    if (*copies == NULL) emulated_die("no memory for copies");
  }
  (*copies)[(*count)++] = one;
}

/* Starts a bulk copy. The target holds poison until the copy is performed, so that early reads show. */
static void copy_bulk(void *to, const void *from, unsigned bytes, emulated_word *b) {
  pending one = { .count = 1, .on = b };
  unsigned count = 0, room = 0;
  check_copy(to, from, bytes);
  memset(to, POISON, bytes);
  push_copy(&one.copies, &count, &room, (copy){ to, from, bytes });
  push_pending(&one);
}

static void copy_16(void *to, const void *from) {
  lane *self = emulated_block->current;
  check_copy(to, from, COPY_BYTES);
  memset(to, POISON, COPY_BYTES);
  push_copy(&self->copies, &self->copy_count, &self->copy_room, (copy){ to, from, COPY_BYTES });
}

static void copy_perform(const copy *one) { memcpy(one->to, one->from, one->bytes); }

static void copies_wait(void) {
  lane *self = emulated_block->current;
  for (unsigned i = 0; i < self->copy_count; i++) copy_perform(&self->copies[i]);
  self->copy_count = 0;
}

static void copies_arrive(emulated_word *b) {
  lane *self = emulated_block->current;
  const pending one = { self->copies, self->copy_count, 1, b };
  self->copies = NULL;
  self->copy_count = self->copy_room = 0;
  push_pending(&one);
}

static unsigned which_pending(block *b) {
  if (emulated_order == ORDER_RANDOM) return block_random(b, b->pending_count);
  return emulated_order == ORDER_FORWARD ? 0 : b->pending_count - 1;
}

int copies_perform(block *b) {
  if (b->pending_count == 0) return 0;
  const unsigned index = which_pending(b);
  const pending one = b->pendings[index];
  memmove(&b->pendings[index], &b->pendings[index + 1], (--b->pending_count - index) * sizeof one);
  phase p = phase_get(one.on);
  if (one.is_arrival && p.pending == 0) emulated_die("copies arrive where nobody is expected");
  if (one.is_arrival) p.pending--;
  for (unsigned i = 0; i < one.count; i++) {
    copy_perform(&one.copies[i]);
    if (!one.is_arrival) p.bytes -= (int32_t)one.copies[i].bytes;
  }
  free(one.copies);
  phase_put(one.on, p);
  return 1;
}

/* ---- global memory ---- */

/* 1 if the lane's last load from p gave w too. Other lanes run first in that case. */
static int has_seen(const volatile void *p, emulated_word w) {
  lane *self = emulated_block->current;
  const unsigned index = (unsigned)(((uintptr_t)p >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 60) % EMULATED_SEEN;
  const int is_same = self->seen[index].at == p && self->seen[index].word == w;
  if (is_same) block_wait(LANE_POLLS, (const void *)p);
  self->seen[index].at = p;
  self->seen[index].word = w;
  return is_same;
}

static emulated_word word_load(volatile emulated_word *p) {
  const emulated_word w = __atomic_load_n(p, __ATOMIC_RELAXED);
  if (!has_seen(p, w)) return w;
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void word_store(volatile emulated_word *p, emulated_word w) {
  __atomic_store_n(p, w, __ATOMIC_RELAXED);
  block_progress();
}

static void read_halves(const unsigned *p, unsigned *halves, int count, emulated_word *sum) {
  *sum = 0;
  for (int i = 0; i < count; i++) {
    halves[i] = __atomic_load_n(p + i, __ATOMIC_RELAXED);
    *sum = *sum * UINT64_C(0x9e3779b97f4a7c15) + halves[i];
  }
}

static void halves_load(const unsigned *p, unsigned *halves, int count) {
  emulated_word sum;
  read_halves(p, halves, count, &sum);
  if (has_seen(p, sum)) read_halves(p, halves, count, &sum);
}

static void halves_store(unsigned *p, const unsigned *halves, int count) {
  for (int i = 0; i < count; i++) __atomic_store_n(p + i, halves[i], __ATOMIC_RELAXED);
  block_progress();
}

const emulated_calls emulated_calls_table = { .place = place,
                                              .dynamic_shared = dynamic_shared,
                                              .exchange = exchange,
                                              .barrier = barrier,
                                              .barrier_any = barrier_any,
                                              .phase_init = phase_init,
                                              .phase_arrive = phase_arrive,
                                              .phase_is_over = phase_is_over,
                                              .phase_wait = phase_wait,
                                              .copy_bulk = copy_bulk,
                                              .copy_16 = copy_16,
                                              .copies_wait = copies_wait,
                                              .copies_arrive = copies_arrive,
                                              .word_load = word_load,
                                              .word_store = word_store,
                                              .halves_load = halves_load,
                                              .halves_store = halves_store };
