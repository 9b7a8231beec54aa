/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort_check.c @brief Poisons the output of a sort, and checks it. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

int sorting_poison(bench_entry *s) {
  const sorting_state *bench = (const sorting_state *)s->bench;
  scan_status status = bench_memory_poison(&bench->base, &bench->poison, &bench->out);
  if (status == SCAN_SUCCESS) status = bench_memory_poison(&bench->base, &bench->poison, &bench->counts);
  if (status == SCAN_SUCCESS) status = scan_sync(bench->base.ctx);
  return bench_forward(&bench->base, status);
}

/* ---- keys by some of their bits ---- */

enum { EXPECTED_BITS = 16, EXPECTED_DIGITS = 1 << EXPECTED_BITS };

/** Sorts by 16 bits of the number that keys are sorted by, beginning with bit `shift`. */
static void expect_digit(const sorting_state *bench, uint32_t shift, const unsigned char *from, unsigned char *to,
                         uint64_t *begin) {
  const scan_type type = bench->sort.key_type;
  const uint32_t bytes = bench->key_bytes;
  uint64_t sum = 0;
  memset(begin, 0, EXPECTED_DIGITS * sizeof *begin);
  for (int is_last = 0; is_last < 2; is_last++) {
    for (uint64_t i = 0; i < bench->n; i++) {
      const uint64_t key = sorting_number(from, bytes, i);
      const uint64_t digit = sorting_order(&bench->sort, reference_rank(type, key)) >> shift & (EXPECTED_DIGITS - 1);
      const uint64_t at = begin[digit]++;
      if (is_last) memcpy(to + at * bytes, &key, bytes);
    }
    for (uint32_t d = 0; d < EXPECTED_DIGITS && !is_last; d++) {
      const uint64_t count = begin[d];
      begin[d] = sum;
      sum += count;
    }
  }
}

int sorting_expect(sorting_state *bench) {
  const size_t bytes = (size_t)bench->values_at;
  const uint32_t bits = bench->sort.end_bit - bench->sort.first_bit;
  if (sorting_is_split(bench->request)) sorting_split_expect(bench);
  if (bench->sort.what != BENCH_SORT_KEYS || !sorting_is_by_some(bench)) return CLI_OK;
  if (!bench->want) bench->want = malloc(bytes);
  unsigned char *spare = malloc(bytes);
  uint64_t *begin = malloc(EXPECTED_DIGITS * sizeof *begin);
  const int has_memory = bench->want && spare && begin;
  for (uint32_t shift = 0; shift < bits && has_memory; shift += EXPECTED_BITS) {
    unsigned char *to = spare;
    expect_digit(bench, shift, shift ? bench->want : bench->input, to, begin);
    spare = bench->want;
    bench->want = to;
  }
  free(begin);
  free(spare);
  return has_memory ? CLI_OK : cli_fail("no memory for n = %" PRIu64, bench->n);
}

/* ---- results ---- */

/** A check of one output, and its results. */
typedef struct inspection {
  const sorting_state *bench;
  atomic_uint_fast64_t bad; /**< Lowest wrong index, or UINT64_MAX. */
  atomic_uint_fast64_t sum; /**< Sum of the keys' hashes. */
} inspection;

/** Checks that keys are the expected ones. */
static void inspect_expected(void *state, uint64_t chunk) {
  inspection *v = (inspection *)state;
  const sorting_state *bench = v->bench;
  const uint32_t bytes = bench->key_bytes;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(bench->n, chunk); i++)
    if (memcmp(bench->got + i * bytes, bench->want + i * bytes, bytes) != 0) {
      bench_note_lowest(&v->bad, i);
      return;
    }
}

/** Checks that keys ascend in each segment. */
static void inspect_keys(void *state, uint64_t chunk) {
  inspection *v = (inspection *)state;
  const sorting_state *bench = v->bench;
  const uint64_t begin = chunk * BENCH_CHUNK, end = bench_chunk_end(bench->n, chunk);
  uint64_t sum = 0;
  sorting_rank before = sorting_rank_of(bench, bench->got, begin ? begin - 1 : 0);
  for (uint64_t i = begin; i < end; i++) {
    const sorting_rank rank = sorting_rank_of(bench, bench->got, i);
    if (sorting_is_before(rank, before) && !sorting_starts_segment(bench, i)) {
      bench_note_lowest(&v->bad, i);
      return;
    }
    sum += sorting_key_hash(bench, bench->got, i);
    before = rank;
  }
  atomic_fetch_add(&v->sum, sum);
}

/** Checks that in each segment keys ascend, and indices of equal keys, so that no index occurs twice. Checks that
 * each output key is the one at its index. */
static void inspect_indices(void *state, uint64_t chunk) {
  inspection *v = (inspection *)state;
  const sorting_state *bench = v->bench;
  const unsigned char *values = bench->got + bench->values_at;
  const uint32_t bytes = bench->sort.value_bytes, key_bytes = bench->key_bytes;
  const uint64_t begin = chunk * BENCH_CHUNK, end = bench_chunk_end(bench->n, chunk);
  uint64_t index_before = begin ? sorting_number(values, bytes, begin - 1) : 0;
  /* an index out of range is reported at its own position */
  sorting_rank before = sorting_rank_of(bench, bench->input, index_before < bench->n ? index_before : 0);
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t index = sorting_number(values, bytes, i), at = index < bench->n ? index : 0;
    const sorting_rank rank = sorting_rank_of(bench, bench->input, at);
    const int is_same = !sorting_is_before(before, rank) && !sorting_is_before(rank, before);
    const int ascends =
        sorting_starts_segment(bench, i) || sorting_is_before(before, rank) || (is_same && index > index_before);
    const int is_inside = index < bench->n && sorting_segment(bench, index) == sorting_segment(bench, i);
    const int has_key = bench->sort.what == BENCH_SORT_ARGSORT ||
                        memcmp(bench->got + i * key_bytes, bench->input + at * key_bytes, key_bytes) == 0;
    if (!is_inside || !ascends || !has_key) {
      bench_note_lowest(&v->bad, i);
      return;
    }
    before = rank;
    index_before = index;
  }
}

static scan_status read_outputs(const sorting_state *bench) {
  scan_status status = SCAN_SUCCESS;
  if (bench->sort.what != BENCH_SORT_ARGSORT)
    status = scan_read(bench->base.ctx, bench->out.mem, bench->got, bench->n * bench->key_bytes);
  if (status == SCAN_SUCCESS && bench->sort.value_bytes)
    status = scan_read(bench->base.ctx, scan_offset(bench->out.mem, bench->values_at), bench->got + bench->values_at,
                       bench->n * bench->sort.value_bytes);
  return status;
}

int sorting_check(bench_entry *s) {
  sorting_state *bench = (sorting_state *)s->bench;
  inspection v = { .bench = bench };
  const int has_sum = bench->sort.what == BENCH_SORT_KEYS && !bench->want;
  int rc = sorting_is_split(bench->request) ? sorting_split_check(bench, s) : CLI_OK;
  if (rc != CLI_OK || s->wrong || bench->sort.what == BENCH_SORT_HISTOGRAM) return rc;
  rc = bench_forward(&bench->base, read_outputs(bench));
  if (rc != CLI_OK) return rc;
  atomic_init(&v.bad, UINT64_MAX);
  atomic_init(&v.sum, 0);
  bench_each_chunk(bench->n, has_sum ? inspect_keys : bench->want ? inspect_expected : inspect_indices, &v);
  const uint64_t bad = atomic_load(&v.bad);
  char what[64] = "the keys are not those of the input";
  if (bad != UINT64_MAX) snprintf(what, sizeof what, "item %" PRIu64 " is not as expected", bad);
  if (bad == UINT64_MAX && (!has_sum || atomic_load(&v.sum) == bench->sum)) return CLI_OK;
  return bench_wrong(s, "%s, n = %" PRIu64 ", %s: %s", sorting_name(bench->sort.what), bench->n,
                     sorting_shape_name(bench->shape), what);
}
