/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort_check.c @brief Poisons what a sort writes, and checks it. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"
#include "reference_sort.h"

#include <inttypes.h>
#include <stdatomic.h>

static int forward(const sorting_lab *lab, scan_status status) {
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, lab->base.info.selector);
}

int sorting_poison(bench_subject *s) {
  const sorting_lab *lab = (const sorting_lab *)s->lab;
  if (s->expect == BENCH_EXPECT_NOTHING) return CLI_OK;
  scan_status status = sorting_spoil(lab, &lab->out);
  if (status == SCAN_SUCCESS) status = scan_sync(lab->base.ctx);
  return forward(lab, status);
}

/** What is checked, and what was found. */
typedef struct inspection {
  const sorting_lab *lab;
  atomic_uint_fast64_t bad; /**< The lowest place that is wrong, or UINT64_MAX. */
  atomic_uint_fast64_t sum; /**< Of the keys' hashes. */
} inspection;

static void note_bad(inspection *v, uint64_t place) {
  uint_fast64_t lowest = atomic_load(&v->bad);
  while (place < lowest && !atomic_compare_exchange_weak(&v->bad, &lowest, place)) continue;
}

/** Keys ascend. */
static void inspect_keys(void *state, uint64_t chunk) {
  inspection *v = (inspection *)state;
  const sorting_lab *lab = v->lab;
  const scan_type type = lab->sort.key_type;
  const uint64_t begin = chunk * SORTING_CHUNK, end = sorting_chunk_end(lab, chunk);
  uint64_t sum = 0, before = begin ? reference_rank(type, sorting_number(lab->got, lab->key_bytes, begin - 1)) : 0;
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t key = sorting_number(lab->got, lab->key_bytes, i), order = reference_rank(type, key);
    if (order < before && (i == 0 || sorting_segment(lab, i) == sorting_segment(lab, i - 1))) {
      note_bad(v, i);
      return;
    }
    sum += sorting_hash_in(lab, key, i);
    before = order;
  }
  atomic_fetch_add(&v->sum, sum);
}

/** Keys ascend, and so do indices where keys are equal: then no index is there twice. The keys that were written are
 * those of the indices. */
static void inspect_indices(void *state, uint64_t chunk) {
  inspection *v = (inspection *)state;
  const sorting_lab *lab = v->lab;
  const unsigned char *values = lab->got + lab->values_at;
  const uint32_t bytes = lab->sort.value_bytes, key_bytes = lab->key_bytes;
  const uint64_t begin = chunk * SORTING_CHUNK, end = sorting_chunk_end(lab, chunk);
  uint64_t index_before = begin ? sorting_number(values, bytes, begin - 1) : 0, before = 0;
  /* a wrong one is found where it lies */
  if (begin && index_before < lab->n)
    before = reference_rank(lab->sort.key_type, sorting_number(lab->input, key_bytes, index_before));
  for (uint64_t i = begin; i < end; i++) {
    const uint64_t index = sorting_number(values, bytes, i);
    const uint64_t key = index < lab->n ? sorting_number(lab->input, key_bytes, index) : 0;
    const uint64_t order = reference_rank(lab->sort.key_type, key);
    const uint64_t segment = sorting_segment(lab, i);
    const int begins = i == 0 || segment != sorting_segment(lab, i - 1);
    const int ascends = begins || order > before || (order == before && index > index_before);
    const int has_key = lab->sort.what == BENCH_SORT_ARGSORT || sorting_number(lab->got, key_bytes, i) == key;
    if (index >= lab->n || sorting_segment(lab, index) != segment || !ascends || !has_key) {
      note_bad(v, i);
      return;
    }
    before = order;
    index_before = index;
  }
}

static scan_status read_outputs(const sorting_lab *lab) {
  scan_status status = SCAN_SUCCESS;
  if (lab->sort.what != BENCH_SORT_ARGSORT)
    status = scan_read(lab->base.ctx, lab->out.mem, lab->got, lab->n * lab->key_bytes);
  if (status == SCAN_SUCCESS && lab->sort.value_bytes)
    status = scan_read(lab->base.ctx, scan_offset(lab->out.mem, lab->values_at), lab->got + lab->values_at,
                       lab->n * lab->sort.value_bytes);
  return status;
}

int sorting_check(bench_subject *s) {
  sorting_lab *lab = (sorting_lab *)s->lab;
  inspection v = { .lab = lab };
  const int has_keys_alone = lab->sort.what == BENCH_SORT_KEYS;
  if (s->expect == BENCH_EXPECT_NOTHING) return CLI_OK;
  const int rc = forward(lab, read_outputs(lab));
  if (rc != CLI_OK) return rc;
  atomic_init(&v.bad, UINT64_MAX);
  atomic_init(&v.sum, 0);
  sorting_each_chunk(lab, has_keys_alone ? inspect_keys : inspect_indices, &v);
  const uint64_t bad = atomic_load(&v.bad);
  char what[64] = "the keys are not those of the input";
  if (bad != UINT64_MAX) snprintf(what, sizeof what, "item %" PRIu64 " is not as expected", bad);
  if (bad == UINT64_MAX && (!has_keys_alone || atomic_load(&v.sum) == lab->sum)) return CLI_OK;
  cli_say_failure("%s: %s, %s: %s, n = %" PRIu64 ", %s: %s", lab->base.info.selector, s->label,
                  bench_mode_name(lab->base.mode), sorting_name(lab->sort.what), lab->n, sorting_shape_name(lab->shape),
                  what);
  s->wrong = 1;
  return CLI_OK;
}
