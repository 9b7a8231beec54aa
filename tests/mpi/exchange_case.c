/* SPDX-License-Identifier: BSD-2-Clause */
#include "exchange_case.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MPI's function, which the library finds at run time. SCANRT_TEST_CUDA_AWARE=1: this MPI takes device memory; the fake
 * CUDA driver's is host memory. */
int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) {
  const char *text = getenv("SCANRT_TEST_CUDA_AWARE");
  return text != NULL && text[0] == '1';
}

static int contexts_of(int rank) {
  const char *text = getenv("SCANRT_TEST_CONTEXTS");
  return 1 + (text != NULL && text[0] == '1' && rank % 2 == 1);
}

/* ---- objects of the fake CUDA driver ---- */

static int (*live_allocations)(void), (*live_streams)(void), (*live_host_memory)(void);
static unsigned (*allocations)(void); /* all that have been made */

static int live_objects(void) { return live_allocations() + live_streams() + live_host_memory(); }

/* Counts allocations, also those of memory that takes the place of freed memory. */
static int made_objects(const exchange_set *s) {
  return s->live != NULL ? (int)allocations() + live_streams() + live_host_memory() : 0;
}

void *exchange_look_up(const char *variable, const char *name) {
  const char *path = getenv(variable);
  void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
  return library != NULL ? dlsym(library, name) : NULL;
}

static void find_live(exchange_set *s) {
  void *const found[] = { exchange_look_up("SCANRT_LIBCUDA", "fake_cuda_live_allocations"),
                          exchange_look_up("SCANRT_LIBCUDA", "fake_cuda_live_streams"),
                          exchange_look_up("SCANRT_LIBCUDA", "fake_cuda_live_host_memory"),
                          exchange_look_up("SCANRT_LIBCUDA", "fake_cuda_allocations") };
  memcpy(&live_allocations, &found[0], sizeof found[0]);
  memcpy(&live_streams, &found[1], sizeof found[1]);
  memcpy(&live_host_memory, &found[2], sizeof found[2]);
  memcpy(&allocations, &found[3], sizeof found[3]);
  if (found[0] != NULL && found[1] != NULL && found[2] != NULL && found[3] != NULL) s->live = live_objects;
}

void exchange_set_open(exchange_set *s, group *g) {
  *s = (exchange_set){ .g = g, .count = contexts_of(g->rank) };
  find_live(s);
  for (int r = 0; r < g->ranks; r++) s->all += contexts_of(r);
  for (int r = 0; r < g->rank; r++) s->first += contexts_of(r);
  for (int i = 0; i < s->count; i++)
    s->ctxs[i] = group_context(g, i % 2 == 1 ? getenv("SCANRT_TEST_OTHER_DEVICE") : NULL);
  const scan_status status = scan_mpi_create_contexts(s->ctxs, s->count, MPI_COMM_WORLD, &s->mpi);
  group_check(g, status == SCAN_SUCCESS, "a handle: %s", scan_mpi_last_error(NULL));
  if (status != SCAN_SUCCESS || s->all > EXCHANGE_MOST) MPI_Abort(MPI_COMM_WORLD, 1);
}

void exchange_set_close(exchange_set *s) {
  scan_mpi_destroy(s->mpi);
  for (int i = 0; i < s->count; i++) scan_ctx_destroy(s->ctxs[i]);
}

/* ---- a case ---- */

typedef uint64_t table[EXCHANGE_MOST][EXCHANGE_MOST]; /* of two contexts: this one's, the other one's */

typedef struct exchange_case {
  uint64_t item_bytes, most_items;
  table items, send_places, receive_items, receive_places;
  uint64_t sent[EXCHANGE_MOST], received[EXCHANGE_MOST]; /* items that each context's memory holds */
  int on_device[EXCHANGE_MOST];
  int is_by_ranks;      /* 1: scan_mpi_exchange_ranks, where each rank has one context */
  int is_reserved;      /* 1: scan_mpi_exchange_reserve comes before it */
  int is_mapped;        /* 1: received in the memory of scan_mpi_exchange_map, where there is any */
  uint64_t piece_bytes; /* the handle's most_piece_bytes */
} exchange_case;

/* Lays out the elements for or from all others in a random order with gaps; returns their end. */
static uint64_t draw_places(struct rng *rng, int all, const uint64_t *items, uint64_t *places) {
  const int first = (int)rng_below(rng, (uint64_t)all), is_up = (int)rng_below(rng, 2);
  uint64_t at = 0;
  for (int i = 0; i < all; i++) {
    const int other = (first + (is_up ? i : all - i)) % all;
    at += rng_below(rng, 3);
    places[other] = at;
    at += items[other];
  }
  return at + rng_below(rng, 3);
}

static uint64_t draw_items(struct rng *rng, exchange_size size, uint64_t item_bytes) {
  switch (rng_below(rng, size == EXCHANGE_SMALL ? 4 : 6)) {
  case 0: return 0;
  case 4: return ((UINT64_C(5) << 20) + rng_below(rng, UINT64_C(6) << 20)) / item_bytes;
  case 5: return rng_below(rng, 300000) / item_bytes;
  default: return rng_below(rng, 4000) / item_bytes;
  }
}

static void draw(exchange_case *c, struct rng *rng, int all, int is_one_each, exchange_size size) {
  static const uint64_t sizes[] = { 1, 2, 4, 8, 12, 16 };
  memset(c, 0, sizeof *c);
  c->item_bytes = sizes[rng_below(rng, sizeof sizes / sizeof sizes[0])];
  for (int from = 0; from < all; from++)
    for (int to = 0; to < all; to++) {
      const uint64_t items = draw_items(rng, size, c->item_bytes);
      c->items[from][to] = c->receive_items[to][from] = items;
      if (items > c->most_items) c->most_items = items;
    }
  for (int i = 0; i < all; i++) {
    c->sent[i] = draw_places(rng, all, c->items[i], c->send_places[i]);
    c->received[i] = draw_places(rng, all, c->receive_items[i], c->receive_places[i]);
    c->on_device[i] = rng_below(rng, 8) > 0;
  }
  const int reserves = size == EXCHANGE_RESERVED;
  /* 0, 1: mixed; 2: device memory alone; 3: host memory alone */
  const uint64_t kinds = reserves ? 2 : rng_below(rng, 4);
  for (int i = 0; kinds > 1 && i < all; i++) c->on_device[i] = kinds == 2;
  c->is_by_ranks = is_one_each && (reserves || rng_below(rng, 2) == 0);
  c->is_reserved = c->is_by_ranks && (reserves || rng_below(rng, 2) == 0);
  c->is_mapped = c->is_by_ranks && !c->is_reserved && kinds == 2 && rng_below(rng, 2) == 0;
  c->piece_bytes = size == EXCHANGE_SMALL && rng_below(rng, 3) == 0 ? 300 + rng_below(rng, 1000) : UINT64_MAX;
}

static unsigned char byte_of(int from, int to, uint64_t i) {
  return (unsigned char)((uint64_t)from * 31 + (uint64_t)to * 17 + i * 7 + (i >> 8) * 3 + (i >> 16));
}

/* Fills the ranges that a context sends or should have received; poison elsewhere. */
static unsigned char *fill(const exchange_case *c, int all, int context, int is_send) {
  const uint64_t bytes = (is_send ? c->sent : c->received)[context] * c->item_bytes;
  unsigned char *memory = group_allocate(bytes);
  memset(memory, 0xa5, bytes);
  for (int other = 0; other < all; other++) {
    const uint64_t place = (is_send ? c->send_places : c->receive_places)[context][other] * c->item_bytes;
    const uint64_t count = (is_send ? c->items : c->receive_items)[context][other] * c->item_bytes;
    for (uint64_t i = 0; i < count; i++)
      memory[place + i] = is_send ? byte_of(context, other, i) : byte_of(other, context, i);
  }
  return memory;
}

static void check(exchange_set *s, const exchange_case *c, int context, const unsigned char *got) {
  unsigned char *due = fill(c, s->all, context, 0);
  const uint64_t bytes = c->received[context] * c->item_bytes;
  uint64_t at = 0;
  while (at < bytes && due[at] == got[at]) at++;
  group_check(s->g, at == bytes, "context %d: byte %llu of %llu is %d, not %d", context, (unsigned long long)at,
              (unsigned long long)bytes, at < bytes ? got[at] : 0, at < bytes ? due[at] : 0);
  free(due);
}

/* Returns the bytes that a context sends to others, or receives from them. */
static uint64_t bytes_of_others(const exchange_case *c, int all, int context, int is_send) {
  const uint64_t *items = is_send ? c->items[context] : c->receive_items[context];
  uint64_t sum = 0;
  for (int other = 0; other < all; other++)
    if (other != context) sum += items[other];
  return sum * c->item_bytes;
}

/* 1 if contexts have memory of one kind, so that the exchange needs no transport besides the handle's. */
static int is_of_one_kind(const exchange_case *c, int all) {
  int on_device = 0;
  for (int i = 0; i < all; i++) on_device += c->on_device[i];
  return on_device == 0 || on_device == all;
}

/* Exchanges by memory to which other ranks send directly, if there is any. Copies what `receive` has to it before, and
 * back. */
static scan_status exchange_mapped(const exchange_set *s, const exchange_case *c, const mpi_parcel *parcel) {
  const uint64_t bytes = c->received[s->first] * c->item_bytes;
  mpi_parcel mapped = *parcel;
  int is_mapped = 0;
  scan_status status = scan_mpi_exchange_map(s->mpi, bytes, &is_mapped);
  if (status != SCAN_SUCCESS || !is_mapped)
    return status != SCAN_SUCCESS ? status : scan_mpi_exchange_ranks(s->mpi, parcel, c->item_bytes, 0);
  mapped.receive = scan_mpi_mapped_memory(s->mpi);
  status = scan_mpi_agree(s->mpi, scan_mpi_copy(s->mpi, mapped.receive, parcel->receive, bytes));
  if (status == SCAN_SUCCESS) status = scan_mpi_exchange_ranks(s->mpi, &mapped, c->item_bytes, EXCHANGE_MAPPED);
  if (status == SCAN_SUCCESS)
    status = scan_mpi_agree(s->mpi, scan_mpi_copy(s->mpi, parcel->receive, mapped.receive, bytes));
  return status;
}

/* Exchanges between the first contexts. After scan_mpi_exchange_reserve that must allocate nothing. */
static scan_status exchange_ranks(exchange_set *s, const exchange_case *c, const mpi_parcel *parcel) {
  if (c->is_mapped) return exchange_mapped(s, c, parcel);
  if (!c->is_reserved) return scan_mpi_exchange_ranks(s->mpi, parcel, c->item_bytes, 0);
  const uint64_t sent = bytes_of_others(c, s->all, s->first, 1), received = bytes_of_others(c, s->all, s->first, 0);
  scan_status status = scan_mpi_exchange_reserve(s->mpi, sent, received);
  const int before = made_objects(s);
  if (status == SCAN_SUCCESS) status = scan_mpi_exchange_ranks(s->mpi, parcel, c->item_bytes, 0);
  if (status == SCAN_SUCCESS && is_of_one_kind(c, s->all))
    group_check(s->g, made_objects(s) == before, "an exchange allocates %d objects", made_objects(s) - before);
  return status;
}

static scan_status exchange(exchange_set *s, const exchange_case *c, const mpi_parcel *parcels) {
  scan_status status = SCAN_SUCCESS;
  const int is_apart = s->mpi == NULL;
  if (s->arm != NULL) s->arm();
  if (is_apart) status = scan_mpi_create_contexts(s->ctxs, s->count, MPI_COMM_WORLD, &s->mpi);
  if (status == SCAN_SUCCESS) s->mpi->most_piece_bytes = c->piece_bytes;
  if (status == SCAN_SUCCESS && c->is_by_ranks)
    status = exchange_ranks(s, c, parcels);
  else if (status == SCAN_SUCCESS)
    status = scan_mpi_exchange(s->mpi, parcels, c->item_bytes, c->most_items);
  snprintf(s->words, sizeof s->words, "%s", status != SCAN_SUCCESS ? scan_mpi_last_error(s->mpi) : "");
  s->has_strays = s->mpi != NULL && s->mpi->has_strays;
  if (is_apart) {
    scan_mpi_destroy(s->mpi);
    s->mpi = NULL;
  }
  if (s->disarm != NULL) s->disarm();
  return status;
}

scan_status exchange_run(exchange_set *s, struct rng *rng, exchange_size size, int may_fail) {
  static exchange_case c;
  unsigned char *sent[EXCHANGE_MOST_OWN], *received[EXCHANGE_MOST_OWN];
  mpi_parcel parcels[EXCHANGE_MOST_OWN];
  draw(&c, rng, s->all, s->all == s->g->ranks, size);
  for (int i = 0; i < s->count; i++) {
    const int own = s->first + i;
    const uint64_t bytes = c.received[own] * c.item_bytes;
    sent[i] = fill(&c, s->all, own, 1);
    received[i] = group_allocate(bytes);
    memset(received[i], 0xa5, bytes);
    parcels[i] = (mpi_parcel){ group_give_to(s->g, s->ctxs[i], sent[i], c.sent[own] * c.item_bytes, c.on_device[own]),
                               group_give_to(s->g, s->ctxs[i], received[i], bytes, c.on_device[own]),
                               c.items[own],
                               c.send_places[own],
                               c.receive_items[own],
                               c.receive_places[own] };
  }
  const scan_status status = exchange(s, &c, parcels);
  group_check(s->g, may_fail || status == SCAN_SUCCESS, "an exchange: %s", s->words);
  for (int i = 0; i < s->count; i++) {
    const int own = s->first + i;
    group_read_back_from(s->g, s->ctxs[i], parcels[i].send, sent[i], c.sent[own] * c.item_bytes);
    group_read_back_from(s->g, s->ctxs[i], parcels[i].receive, received[i], c.received[own] * c.item_bytes);
    if (status == SCAN_SUCCESS) check(s, &c, own, received[i]);
    free(sent[i]);
    free(received[i]);
  }
  return status;
}
