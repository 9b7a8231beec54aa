/* SPDX-License-Identifier: BSD-2-Clause */
/* The lanes of a block as fibers: chooses the lane that runs next, and reports a deadlock. A lane is started by
 * setcontext; later switches use _setjmp and _longjmp, which make no system call. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* its longjmp refuses to jump down a stack */
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "executor.h"

enum { STACK_BYTES = 64 << 10, GUARD_BYTES = 4 << 10, YIELDS = 64, SLEEP_US = 50, PATIENCE_S = 60, MOST_S = 120 };

_Thread_local block *emulated_block;
lane_order emulated_order;
uint64_t emulated_seed;
unsigned emulated_resident;
static _Atomic uint64_t progress; /* events in all blocks */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

unsigned block_random(block *b, unsigned below) {
  b->random = b->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)((b->random >> 33) % below);
}

void block_progress(void) { atomic_fetch_add_explicit(&progress, 1, memory_order_relaxed); }

/* ---- the report of a deadlock ---- */

static const char *wait_of(const lane *l, char text[160]) {
  static const char *const exchanges[] = { "shuffle_up", "shuffle_down", "shuffle_xor",
                                           "shuffle",    "__all_sync",   "__syncwarp" };
  const warp *w = &emulated_block->warps[l->place.item / EMULATED_LANES];
  if (w->ready >> l->place.item % EMULATED_LANES & 1) return "can go on";
  switch (l->state) {
  case LANE_READY: return "can go on";
  case LANE_EXCHANGES: return exchanges[w->kind];
  case LANE_AT_BARRIER:
    snprintf(text, 160, "barrier %d", (int)((const unsigned *)l->object - emulated_block->named));
    return text;
  case LANE_WAITS: snprintf(text, 160, "mbarrier %s, phase of parity %u", l->what, l->parity); return text;
  case LANE_POLLS: return "polls global memory";
  case LANE_DONE: return "has ended";
  }
  return "";
}

/* Prints a line for each run of lanes of a warp in the same wait. */
static void report_waits(const block *b) {
  for (unsigned i = 0; i < b->grid->items;) {
    const lane *l = &b->lanes[i];
    char text[160];
    unsigned end = i + 1;
    while (end % EMULATED_LANES != 0 && end < b->grid->items && b->lanes[end].state == l->state &&
           b->lanes[end].object == l->object)
      end++;
    fprintf(stderr, "  block %u, warp %u, lanes %u to %u: %s\n", b->group, i / EMULATED_LANES, i % EMULATED_LANES,
            (end - 1) % EMULATED_LANES, wait_of(l, text));
    i = end;
  }
}

void emulated_die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("emulated CUDA: ", stderr);
  vfprintf(stderr, format, arguments);
  const char *order = getenv("EMULATED_CUDA_ORDER"), *residents = getenv("EMULATED_CUDA_RESIDENT");
  fprintf(stderr, "\n  EMULATED_CUDA_ORDER=%s EMULATED_CUDA_RESIDENT=%s\n", order ? order : "",
          residents ? residents : "");
  va_end(arguments);
  if (emulated_block != NULL) report_waits(emulated_block);
  fflush(NULL);
  _exit(3); /* not a signal: cmocka catches those and runs the next test */
}

/* ---- the choice of the next lane ---- */

static unsigned first_bit(uint32_t bits) { return (unsigned)__builtin_ctz(bits); }
static unsigned last_bit(uint32_t bits) { return 31u - (unsigned)__builtin_clz(bits); }

static unsigned some_bit(block *b, uint32_t bits) {
  for (unsigned skip = block_random(b, (unsigned)__builtin_popcount(bits)); skip > 0; skip--) bits &= bits - 1;
  return first_bit(bits);
}

static unsigned ordered_bit(block *b, uint32_t bits) {
  if (emulated_order == ORDER_RANDOM) return some_bit(b, bits);
  return emulated_order == ORDER_FORWARD ? first_bit(bits) : last_bit(bits);
}

/* Returns the lane that runs next. A warp keeps running while it has ready lanes; in random order it may be changed
 * before that. */
static lane *next_ready(block *b) {
  const int stays =
      b->ready_warps >> b->current_warp & 1 && (emulated_order != ORDER_RANDOM || block_random(b, 16) != 0);
  if (!stays) b->current_warp = ordered_bit(b, b->ready_warps);
  warp *w = &b->warps[b->current_warp];
  const unsigned index = ordered_bit(b, w->ready);
  w->ready &= ~(UINT32_C(1) << index);
  if (w->ready == 0) b->ready_warps &= ~(UINT32_C(1) << b->current_warp);
  lane *l = &b->lanes[b->current_warp * EMULATED_LANES + index];
  l->state = LANE_READY;
  return l;
}

void block_ready(lane *l) {
  block *b = emulated_block;
  const unsigned at = l->place.item / EMULATED_LANES;
  if (l->state == LANE_POLLS) b->polling--;
  l->state = LANE_READY;
  b->warps[at].ready |= UINT32_C(1) << l->place.item % EMULATED_LANES;
  b->ready_warps |= UINT32_C(1) << at;
}

void block_ready_others(warp *w) {
  block *b = emulated_block;
  w->ready = ~(UINT32_C(1) << b->current->place.item % EMULATED_LANES);
  b->ready_warps |= UINT32_C(1) << (w - b->warps);
}

/* Makes the polling lanes ready again after yielding to other blocks, as no other lane of this block can run. Ends the
 * program if no block has made progress for PATIENCE_S. */
static void poll_again(block *b) {
  const uint64_t seen = atomic_load_explicit(&progress, memory_order_relaxed);
  if (seen != b->progress_seen || b->idle_polls == 0) {
    b->progress_seen = seen;
    b->idle_polls = 0;
    b->idle_since = now();
  }
  if (++b->idle_polls < YIELDS || emulated_resident == 1)
    sched_yield();
  else
    usleep(SLEEP_US);
  if (b->idle_polls % 1024 == 0 && now() - b->idle_since > PATIENCE_S)
    emulated_die("no block went on for %d seconds; block %u:", PATIENCE_S, b->group);
  if (b->idle_polls == 1 && b->idle_since - b->began > MOST_S)
    emulated_die("block %u goes on, and comes to no end in %d seconds:", b->group, MOST_S);
  for (unsigned i = 0; i < b->grid->items; i++)
    if (b->lanes[i].state == LANE_POLLS) block_ready(&b->lanes[i]);
}

static void lane_main(void) {
  block *b = emulated_block;
  const uint64_t *a = b->grid->arguments;
  b->grid->kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15],
                  a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26]);
  b->done++;
  block_progress();
  block_wait(LANE_DONE, NULL);
}

static unsigned char *stack_of(const block *b, unsigned item) {
  return b->stacks + (size_t)item * (STACK_BYTES + GUARD_BYTES) + GUARD_BYTES;
}

_Noreturn static void lane_start(lane *l) {
  ucontext_t begin;
  l->started = 1;
  if (getcontext(&begin) != 0) emulated_die("no context for a lane");
  begin.uc_stack.ss_sp = stack_of(emulated_block, l->place.item);
  begin.uc_stack.ss_size = STACK_BYTES;
  begin.uc_link = NULL;
  makecontext(&begin, lane_main, 0);
  setcontext(&begin);
  emulated_die("a lane does not begin");
}

/* Switches to the next ready lane. Returns to block_run when all lanes have ended. */
_Noreturn static void run_next(block *b) {
  while (b->ready_warps == 0) {
    if (copies_perform(b)) continue;
    if (b->polling > 0)
      poll_again(b);
    else if (b->done == b->grid->items)
      _longjmp(b->back, 1);
    else
      emulated_die("block %u waits for what cannot happen any more:", b->group);
  }
  if (emulated_order == ORDER_RANDOM && b->pending_count > 0 && block_random(b, 64) == 0) (void)copies_perform(b);
  b->current = next_ready(b);
  if (!b->current->started) lane_start(b->current);
  _longjmp(b->current->at, 1);
}

void block_wait(lane_state state, const void *object) {
  block *b = emulated_block;
  lane *l = b->current;
  l->state = state;
  l->object = object;
  if (state == LANE_POLLS) b->polling++;
  if (state == LANE_READY) block_ready(l);
  if (_setjmp(l->at) == 0) run_next(b);
}

/* ---- a block ---- */

block *block_new(void) {
  const size_t bytes = (size_t)EMULATED_ITEMS * (STACK_BYTES + GUARD_BYTES);
  block *b = calloc(1, sizeof *b);
  if (b == NULL) emulated_die("no memory for a block");
  b->stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (b->stacks == MAP_FAILED) emulated_die("no memory for the stacks of a block");
  for (unsigned i = 0; i < EMULATED_ITEMS; i++) mprotect(stack_of(b, i) - GUARD_BYTES, GUARD_BYTES, PROT_NONE);
  return b;
}

static void lane_reset(lane *l, const block *b, unsigned item) {
  copy *copies = l->copies;
  const unsigned room = l->copy_room;
  memset(l, 0, sizeof *l);
  l->copies = copies;
  l->copy_room = room;
  l->place = (emulated_place){ item, b->group, b->grid->groups, b->grid->dynamic_bytes };
}

void block_run(block *b) {
  emulated_block = b;
  b->done = b->current_warp = b->polling = b->pending_count = b->idle_polls = 0;
  b->ready_warps = 0;
  b->began = now();
  b->random = emulated_seed + b->group * UINT64_C(0x9e3779b97f4a7c15);
  memset(b->warps, 0, sizeof b->warps);
  memset(b->named, 0, sizeof b->named);
  for (unsigned i = 0; i < b->grid->items; i++) {
    lane_reset(&b->lanes[i], b, i);
    block_ready(&b->lanes[i]);
  }
  if (_setjmp(b->back) == 0) run_next(b);
  if (b->pending_count > 0) emulated_die("block %u ends before its copies do", b->group);
  emulated_block = NULL;
}
