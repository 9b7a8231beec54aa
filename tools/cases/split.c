/* SPDX-License-Identifier: BSD-2-Clause */
/** @file split.c @brief Cases of splits and histograms, by bits of keys or by a bucket function: expected output and
 * calls. */
#include "parts.h"

#include <string.h>

uint64_t case_sort_item_bytes(const scan_case *c) {
  return c->buckets ? case_looked_bytes(c) : reference_key_bytes(&c->sort);
}

uint32_t case_split_end(const scan_case *c) {
  const uint32_t bits = 8 * (uint32_t)scan_type_bytes(c->key_type), end = c->sort.first_bit + 8;
  if (c->sort.end_bit) return c->sort.end_bit;
  return end < bits ? end : bits;
}

static uint64_t bucket_count(const scan_case *c) {
  return c->buckets ? c->buckets : UINT64_C(1) << (case_split_end(c) - c->sort.first_bit);
}

uint64_t case_split_offsets(const scan_case *c) { return bucket_count(c) + 1; }

/* ---- expected output ---- */

void case_split_order(const scan_case *c, reference_item *order) {
  uint64_t at[SCAN_SPLIT_MOST_BUCKETS + 1] = { 0 };
  for (uint64_t i = 0; i < c->items; i++) at[case_bucket_of(c, i) + 1]++;
  for (uint32_t b = 1; b <= c->buckets; b++) at[b] += at[b - 1];
  for (uint64_t i = 0; i < c->items; i++) {
    const uint32_t bucket = case_bucket_of(c, i);
    order[at[bucket]++] = (reference_item){ .rank = bucket, .index = i };
  }
}

/** Writes the offset at which each bucket begins, and the number of items as the last offset. */
void case_split_put_offsets(const scan_case *c, const reference_item *order) {
  uint64_t at = 0;
  for (uint64_t b = 0; b < case_split_offsets(c); b++) {
    while (at < c->items && order[at].rank >> c->sort.first_bit < b) at++;
    memcpy(c->want + c->offsets.at + 8 * b, &at, sizeof at);
  }
}

uint64_t case_histogram_counters(const scan_case *c) {
  const uint32_t bits = case_split_end(c) - c->sort.first_bit, digits = (bits + 7) / 8;
  return c->buckets ? c->buckets : 256 * (digits - UINT64_C(1)) + (UINT64_C(1) << (bits - 8 * (digits - 1)));
}

/** Counts element i in the histogram of each digit. */
static void count_digits(const scan_case *c, uint64_t i, uint64_t *counts) {
  const scan_sort_spec *s = &c->sort;
  const uint64_t bytes = scan_type_bytes(c->key_type);
  const uint32_t end = case_split_end(c);
  uint64_t bits = 0;
  memcpy(&bits, c->in_image + c->marks.at + i * bytes, (size_t)bytes);
  const uint64_t rank = reference_rank(c->key_type, bits);
  for (uint32_t from = s->first_bit; from < end; from += 8) {
    const uint32_t width = end - from < 8 ? end - from : 8, last = (1u << width) - 1;
    const uint64_t bucket = rank >> from & last;
    counts[(from - s->first_bit) / 8 * 256 + (s->descending ? last - bucket : bucket)]++;
  }
}

void case_histogram_expect(const scan_case *c) {
  uint64_t *counts = (uint64_t *)(void *)(c->want + c->offsets.at);
  memset(counts, 0, (size_t)c->offsets.bytes);
  for (uint64_t i = 0; i < c->items; i++)
    if (c->buckets)
      counts[case_bucket_of(c, i)]++;
    else
      count_digits(c, i, counts);
}

/* ---- the calls ---- */

scan_status case_histogram_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m) {
  const uint32_t modulus = case_bucket_modulus(c);
  scan_histogram_spec spec = SCAN_HISTOGRAM_SPEC_INIT(c->key_type, c->sort.first_bit, c->sort.end_bit);
  scan_histogram_args args =
      SCAN_HISTOGRAM_ARGS_INIT(scan_offset(m->in, c->marks.at), scan_offset(m->out, c->offsets.at));
  scan_plan *plan = NULL;
  scan_status status = SCAN_SUCCESS;
  spec.descending = c->sort.descending;
  spec.buckets = c->buckets;
  spec.flags = c->sort.flags;
  args.n_from = case_n_from(c, m);
  if (c->buckets) {
    status = case_bucket_function(ctx, functions, c, &spec.bucket);
    args.params = &modulus;
  }
  if (status != SCAN_SUCCESS) return status;
  if (!c->by_plan) return case_wait(ctx, c, m, scan_histogram(ctx, &spec, c->n, &args));
  status = scan_plan_create_histogram(ctx, &spec, case_plan_n(c), &plan);
  status = case_give_memory(ctx, c, m, plan, status);
  for (int k = 0; k <= c->runs_again && status == SCAN_SUCCESS; k++)
    status = scan_plan_run_histogram(plan, c->n, &args);
  return case_finish_plan(ctx, c, m, plan, status);
}

static scan_split_spec spec_of(const scan_case *c) {
  const scan_sort_spec *s = &c->sort;
  scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(s->key_type, s->first_bit, s->end_bit);
  spec.descending = s->descending;
  spec.index_type = s->index_type;
  spec.arrays = s->arrays;
  memcpy(spec.element_bytes, s->element_bytes, sizeof spec.element_bytes);
  memcpy(spec.element_align, s->element_align, sizeof spec.element_align);
  spec.drops_keys = s->drops_keys;
  spec.in_place = s->in_place;
  spec.buckets = c->buckets;
  spec.flags = s->flags;
  return spec;
}

scan_status case_split_args(scan_ctx *ctx, case_functions *functions, const scan_case *c, const case_memory *m,
                            const scan_sort_args *sort, case_split_calls *calls) {
  scan_split_args *args = &calls->args;
  calls->spec = spec_of(c);
  calls->modulus = case_bucket_modulus(c);
  *args = (scan_split_args)SCAN_SPLIT_ARGS_INIT(sort->keys_in, sort->keys_out, scan_offset(m->out, c->offsets.at));
  memcpy(args->in, sort->in, sizeof args->in);
  memcpy(args->out, sort->out, sizeof args->out);
  args->n_from = sort->n_from;
  if (!c->buckets) return SCAN_SUCCESS;
  args->params = &calls->modulus;
  return case_bucket_function(ctx, functions, c, &calls->spec.bucket);
}

scan_status case_split_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m,
                            const scan_sort_args *sort) {
  case_split_calls calls;
  scan_plan *plan = NULL;
  scan_status status = case_split_args(ctx, functions, c, m, sort, &calls);
  if (status != SCAN_SUCCESS) return status;
  if (!c->by_plan) return case_wait(ctx, c, m, scan_split(ctx, &calls.spec, c->n, &calls.args));
  status = scan_plan_create_split(ctx, &calls.spec, case_plan_n(c), &plan);
  status = case_give_memory(ctx, c, m, plan, status);
  for (int k = 0; k <= c->runs_again && status == SCAN_SUCCESS; k++)
    status = scan_plan_run_split(plan, c->n, &calls.args);
  return case_finish_plan(ctx, c, m, plan, status);
}
