/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests sorts over the ranks against the oracle's merge sort of all keys. Every rank has all keys of a case, and checks
 * its own results. $SCANRT_TEST_CASES is the number of cases, $SCANRT_TEST_SEED and $SCANRT_TEST_FIRST choose them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "mpi/mpi.h"
#include "reference_sort.h"
#include "sorted_parts.h"

enum { POISON = 0xa5, ROOM_ITEMS = 3, MOST_N = 6000, MOST_BYTES = 24, COLUMNS = 1 + SCAN_SORT_MOST_ARRAYS };

typedef struct sort_case {
  scan_sort_spec spec;
  scan_mpi_distribution distribution;
  reference_keys keys;
  uint64_t n;
  uint64_t counts[GROUP_MOST_RANKS];     /* keys of each rank */
  uint64_t starts[GROUP_MOST_RANKS + 1]; /* sorted elements before each rank's */
  uint64_t bytes[COLUMNS];               /* of the keys, and of each array or the indices */
  uint32_t columns;
  uint64_t spare; /* room behind a rank's results */
  int on_device, by_plan;
  int in_parts;               /* 1: results are exchanged and sorted in parts */
  int splits, counts_on_host; /* without splits keys are sorted before the exchange */
} sort_case;

/* ---- cases ---- */

static uint64_t or_default(const char *variable, uint64_t number) {
  const char *text = getenv(variable);
  return text != NULL ? strtoull(text, NULL, 0) : number;
}

static void draw_keys(struct rng *rng, sort_case *c) {
  static const scan_type words[] = { SCAN_I32, SCAN_U32, SCAN_I64, SCAN_U64 };
  const int has_words = rng_below(rng, 4) == 0;
  c->spec = (scan_sort_spec)SCAN_SORT_SPEC_INIT((scan_type)(SCAN_I8 + rng_below(rng, 12)));
  if (has_words) {
    c->spec.key_type = words[rng_below(rng, 4)];
    c->spec.key_words = 2;
    c->spec.low_word_first = (uint32_t)rng_below(rng, 2);
  }
  c->bytes[0] = reference_key_bytes(&c->spec);
  c->spec.descending = (uint32_t)rng_below(rng, 2);
  c->keys = (reference_keys){ c->spec.key_type, (sort_shape)rng_below(rng, SORT_SHAPES),
                              (uint32_t)rng_below(rng, c->bytes[0]), rng_next(rng) };
  if (rng_below(rng, 3) == 0) {
    const uint32_t unit = has_words ? 8 : 1, bits = 8 * (uint32_t)c->bytes[0];
    c->spec.first_bit = (uint32_t)rng_below(rng, bits / unit) * unit;
    c->spec.end_bit = c->spec.first_bit + (1 + (uint32_t)rng_below(rng, (bits - c->spec.first_bit) / unit)) * unit;
  } else {
    c->spec.order = rng_below(rng, 2);
  }
}

static void draw_columns(struct rng *rng, sort_case *c) {
  static const uint32_t sizes[] = { 1, 2, 3, 4, 8, 12, 16, MOST_BYTES };
  const uint64_t kind = rng_below(rng, 3);
  c->columns = 1;
  if (kind == 1) {
    c->spec.index_type = rng_below(rng, 2) ? SCAN_U32 : SCAN_U64;
    c->bytes[1] = scan_type_bytes(c->spec.index_type);
    c->columns = 2;
  }
  if (kind == 2) {
    c->spec.arrays = 1 + (uint32_t)rng_below(rng, rng_below(rng, 3) ? 2 : SCAN_SORT_MOST_ARRAYS);
    for (uint32_t a = 0; a < c->spec.arrays; a++) c->bytes[1 + a] = sizes[rng_below(rng, 8)];
    for (uint32_t a = 0; a < c->spec.arrays; a++) c->spec.element_bytes[a] = (uint32_t)c->bytes[1 + a];
    c->columns = 1 + c->spec.arrays;
  }
  c->spec.drops_keys = kind > 0 && rng_below(rng, 2);
}

static void draw(const group *g, struct rng *rng, sort_case *c) {
  *c = (sort_case){ .distribution = (scan_mpi_distribution)rng_below(rng, 3) };
  draw_keys(rng, c);
  draw_columns(rng, c);
  c->n = rng_below(rng, 5) == 0 ? rng_below(rng, 20) : rng_below(rng, MOST_N);
  c->spare = rng_below(rng, 2) ? 0 : rng_below(rng, 100);
  c->on_device = (int)rng_below(rng, 2);
  c->by_plan = (int)rng_below(rng, 2);
  c->in_parts = (int)rng_below(rng, 2);
  g->mpi->least_part_items = c->in_parts ? 1 : UINT64_MAX;
  c->splits = (int)rng_below(rng, 2);
  c->counts_on_host = (int)rng_below(rng, 2);
  g->mpi->most_split_ranks = c->splits ? g->ranks : 1;
  g->mpi->launch_bytes = c->counts_on_host ? UINT64_MAX : 1;
  group_split(g->ranks, rng, c->n, 0, c->counts);
}

static const char *text_of(const sort_case *c) {
  static char text[256];
  snprintf(text, sizeof text,
           "%s x%u%s, shape %d, n %llu, bits %u to %u%s%s, %u arrays, index %d, drops %u, distribution %d, device %d, "
           "plan %d, parts %d, splits %d, host counts %d",
           scan_type_name(c->spec.key_type), c->spec.key_words, c->spec.low_word_first ? " low first" : "",
           (int)c->keys.shape, (unsigned long long)c->n, c->spec.first_bit, c->spec.end_bit,
           c->spec.order ? " numeric" : "", c->spec.descending ? " descending" : "", c->spec.arrays,
           (int)c->spec.index_type, c->spec.drops_keys, (int)c->distribution, c->on_device, c->by_plan, c->in_parts,
           c->splits, c->counts_on_host);
  return text;
}

/* ---- a case ---- */

/* The columns of all ranks, and this rank's results with room behind them. */
typedef struct sort_memory {
  unsigned char *all[COLUMNS], *out[COLUMNS];
  uint64_t room[COLUMNS]; /* bytes of `out` */
} sort_memory;

static void open_memory(const group *g, const sort_case *c, sort_memory *m) {
  const uint64_t count = c->starts[g->rank + 1] - c->starts[g->rank];
  for (uint32_t k = 0; k < c->columns; k++) {
    m->room[k] = (count + ROOM_ITEMS) * c->bytes[k];
    m->out[k] = group_allocate(m->room[k]);
    memset(m->out[k], POISON, m->room[k]);
    if (k == 0) continue;
    struct rng rng = { c->keys.seed + k };
    m->all[k] = group_allocate(c->n * c->bytes[k]);
    for (uint64_t i = 0; i < c->n * c->bytes[k]; i++) m->all[k][i] = (unsigned char)rng_next(&rng);
    for (uint64_t i = 0; c->spec.index_type && i < c->n; i++)
      memcpy(m->all[k] + i * c->bytes[k], &i, c->bytes[k]); /* little-endian */
  }
}

static void close_memory(const sort_case *c, sort_memory *m) {
  for (uint32_t k = 0; k < c->columns; k++) {
    free(m->all[k]);
    free(m->out[k]);
  }
}

static void check_column(group *g, const sort_case *c, const sort_memory *m, const reference_item *items, uint32_t k) {
  const uint64_t start = c->starts[g->rank], count = c->starts[g->rank + 1] - start, bytes = c->bytes[k];
  const int is_due = k > 0 || !c->spec.drops_keys;
  uint64_t i = 0, at = is_due ? count * bytes : 0;
  while (is_due && i < count && memcmp(m->out[k] + i * bytes, m->all[k] + items[start + i].index * bytes, bytes) == 0)
    i++;
  group_check(g, !is_due || i == count, "%s: column %u, element %llu of %llu differs", text_of(c), k,
              (unsigned long long)i, (unsigned long long)count);
  while (at < m->room[k] && m->out[k][at] == POISON) at++;
  group_check(g, at == m->room[k], "%s: column %u is written past its end", text_of(c), k);
}

/* Checks the number of bytes that this rank has sent: those of its elements that are sorted into others' results, with
 * indices of 4 bytes. */
static void check_sent(group *g, const sort_case *c, const reference_item *items, uint64_t first) {
  const uint64_t sent = scan_mpi_sent_bytes(g->mpi), end = first + c->counts[g->rank];
  uint64_t bytes = 0, due = 0;
  for (uint32_t k = 0; k < c->columns; k++)
    bytes += k == 1 && c->spec.index_type != SCAN_TYPE_DEFAULT ? sizeof(uint32_t) : c->bytes[k];
  for (uint64_t i = 0; i < c->n; i++)
    if (items[i].index >= first && items[i].index < end && (i < c->starts[g->rank] || i >= c->starts[g->rank + 1]))
      due += bytes;
  group_check(g, sent == due, "%s: %llu bytes were sent, not %llu", text_of(c), (unsigned long long)sent,
              (unsigned long long)due);
}

static scan_status sort_by_plan(group *g, const sort_case *c, uint64_t capacity, const scan_sort_args *args,
                                scan_mpi_part *part) {
  scan_mpi_plan *plan = NULL;
  const uint64_t n = c->counts[g->rank];
  scan_status status = scan_mpi_plan_create_sort(g->mpi, &c->spec, c->distribution, n + c->spare, capacity, &plan);
  for (int i = 0; status == SCAN_SUCCESS && i < 2; i++) status = scan_mpi_plan_run_sort(plan, n, args, part);
  scan_mpi_plan_destroy(plan);
  return status;
}

static void run_case(group *g, const sort_case *c, sort_memory *m, const reference_item *items) {
  const uint64_t n = c->counts[g->rank], start = c->starts[g->rank], count = c->starts[g->rank + 1] - start;
  const uint64_t room = count + c->spare > 0 ? count + c->spare : SCAN_NO_CAPACITY;
  const uint64_t capacity = c->distribution == SCAN_MPI_AS_GIVEN && c->spare == 0 ? 0 : room;
  uint64_t first = 0;
  scan_sort_args args = { .struct_bytes = sizeof args };
  scan_mem in[COLUMNS], out[COLUMNS];
  scan_mpi_part part = { 0 };
  for (int r = 0; r < g->rank; r++) first += c->counts[r];
  for (uint32_t k = 0; k < c->columns; k++) {
    in[k] = group_give(g, m->all[k] + first * c->bytes[k], n * c->bytes[k], c->on_device);
    out[k] = group_give(g, m->out[k], m->room[k], c->on_device);
    if (k > 0 && c->spec.arrays) args.in[k - 1] = in[k];
    if (k > 0) args.out[k - 1] = out[k];
  }
  args.keys_in = in[0];
  if (!c->spec.drops_keys) args.keys_out = out[0];
  const scan_status status = c->by_plan ? sort_by_plan(g, c, capacity, &args, &part)
                                        : scan_mpi_sort(g->mpi, &c->spec, c->distribution, n, capacity, &args, &part);
  for (uint32_t k = 0; k < c->columns; k++) {
    group_read_back(g, in[k], m->all[k] + first * c->bytes[k], n * c->bytes[k]);
    group_read_back(g, out[k], m->out[k], m->room[k]);
  }
  if (!group_check(g, status == SCAN_SUCCESS, "%s: %s", text_of(c), scan_mpi_last_error(g->mpi))) return;
  group_check(g, part.count == count && part.offset == start && part.total == c->n,
              "%s: %llu at %llu of %llu; due are %llu at %llu", text_of(c), (unsigned long long)part.count,
              (unsigned long long)part.offset, (unsigned long long)part.total, (unsigned long long)count,
              (unsigned long long)start);
  for (uint32_t k = 0; k < c->columns; k++) check_column(g, c, m, items, k);
  check_sent(g, c, items, first);
}

static void test_case(group *g, uint64_t number) {
  static reference_item items[MOST_N], spare[MOST_N];
  sort_case c;
  sort_memory m = { .all = { NULL } };
  struct rng rng = { number };
  draw(g, &rng, &c);
  m.all[0] = group_allocate(c.n * c.bytes[0]);
  reference_fill_sort_keys(&c.keys, &c.spec, c.n, m.all[0]);
  const reference_item *sorted = reference_sort(&c.spec, c.n, m.all[0], items, spare);
  sorted_starts(sorted, c.n, c.distribution, g->ranks, c.counts, c.starts);
  open_memory(g, &c, &m);
  run_case(g, &c, &m, sorted);
  close_memory(&c, &m);
}

int main(int argc, char **argv) {
  group g;
  group_open(&g, &argc, &argv);
  const uint64_t cases = or_default("SCANRT_TEST_CASES", 50), seed = or_default("SCANRT_TEST_SEED", 1);
  const uint64_t first = or_default("SCANRT_TEST_FIRST", 0);
  for (uint64_t i = first; i < first + cases; i++) test_case(&g, seed * 1000003 + i);
  return group_close(&g, "mpi sort");
}
