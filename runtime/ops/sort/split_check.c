/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/sort/split_check.h"

#include <string.h>

#include "base/structs.h"
#include "base/types.h"
#include "ops/select/select_run.h"
#include "core/op.h"

enum { BYTE_BITS = 8 };
_Static_assert((int)SCAN_SPLIT_MOST_ARRAYS == (int)SCAN_SORT_MOST_ARRAYS, "a split moves what a sort moves");
_Static_assert((int)SCAN_SPLIT_MOST_BITS == (int)SORT_DIGIT_BITS, "a split is by one digit");

/* ---- specs ---- */

/* Resolves an end_bit of 0: to the end of the key, but at most SCAN_SPLIT_MOST_BITS bits from first_bit. */
static uint32_t end_bit_of(scan_type key_type, uint32_t first_bit, uint32_t end_bit) {
  const uint32_t bits = (uint32_t)scan_type_bytes(key_type) * BYTE_BITS;
  if (end_bit != 0 || first_bit >= bits) return end_bit;
  return bits - first_bit < SCAN_SPLIT_MOST_BITS ? bits : first_bit + SCAN_SPLIT_MOST_BITS;
}

/* Checks a spec's bucket function and finds its source; *source is NULL if there is none. */
static scan_status check_bucket(scan_ctx *ctx, const scan_op *bucket, uint32_t buckets, const scan_sort_spec *sort,
                                const scan_source **source) {
  if (bucket == NULL && buckets != 0)
    FAIL_INVALID("spec->buckets is %u, and there is no spec->bucket that numbers them: set one or the other", buckets);
  *source = NULL;
  if (bucket == NULL) return SCAN_SUCCESS;
  if (sort->key_type != SCAN_TYPE_DEFAULT || sort->first_bit != 0 || sort->end_bit != 0 || sort->descending != 0)
    FAIL_INVALID("spec->bucket says where elements go: spec->key_type, first_bit, end_bit and descending must be 0");
  if (buckets == 0 || buckets > SCAN_SPLIT_MOST_BUCKETS)
    FAIL_INVALID("spec->buckets is %u: a bucket function numbers 1 to %d", buckets, SCAN_SPLIT_MOST_BUCKETS);
  *source = scan_op_enter(ctx, bucket, SCAN_OP_BUCKET);
  return *source != NULL ? SCAN_SUCCESS : SCAN_INVALID_ARGUMENT;
}

static uint32_t bits_for(uint32_t buckets) {
  uint32_t bits = 1;
  while (1u << bits < buckets) bits++;
  return bits;
}

/* Makes the spec a sort of one-byte buckets, with the elements as array 0 unless they are dropped. */
static scan_status use_bucket(scan_ctx *ctx, const scan_source *source, uint32_t buckets, scan_sort_spec *sort) {
  enum { MOST = SCAN_SPLIT_MOST_ARRAYS - 1 };
  sort->key_type = SCAN_U8;
  sort->end_bit = bits_for(buckets);
  if (sort->drops_keys) return SCAN_SUCCESS;
  if (sort->index_type != SCAN_TYPE_DEFAULT)
    FAIL_INVALID("spec->index_type, and elements that are written: set spec->drops_keys to 1, or move them alone");
  if (sort->arrays > MOST) FAIL_INVALID("spec->arrays is %u: up to %d arrays go with elements", sort->arrays, MOST);
  for (uint32_t a = 0; a < sort->arrays; a++)
    SCAN_TRY(scan_select_element_check(ctx, a, sort->element_bytes[a], &sort->element_align[a]));
  memmove(sort->element_bytes + 1, sort->element_bytes, MOST * sizeof sort->element_bytes[0]);
  memmove(sort->element_align + 1, sort->element_align, MOST * sizeof sort->element_align[0]);
  sort->element_bytes[0] = source->input_bytes;
  sort->element_align[0] = source->input_align;
  sort->arrays++;
  sort->drops_keys = 1;
  return SCAN_SUCCESS;
}

scan_status scan_split_spec_check(scan_ctx *ctx, const scan_split_spec *given, scan_sort_form *form) {
  scan_split_spec spec = { 0 };
  const scan_source *source;
  if (given == NULL) FAIL_INVALID("spec is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_split_spec, &spec, given, "spec", &ctx->error));
  scan_sort_spec sort = { .struct_bytes = sizeof sort,
                          .key_type = spec.key_type,
                          .descending = spec.descending,
                          .first_bit = spec.first_bit,
                          .end_bit = spec.end_bit,
                          .index_type = spec.index_type,
                          .arrays = spec.arrays,
                          .drops_keys = spec.drops_keys,
                          .in_place = spec.in_place,
                          .flags = spec.flags };
  memcpy(sort.element_bytes, spec.element_bytes, sizeof sort.element_bytes);
  memcpy(sort.element_align, spec.element_align, sizeof sort.element_align);
  SCAN_TRY(check_bucket(ctx, spec.bucket, spec.buckets, &sort, &source));
  if (source != NULL) SCAN_TRY(use_bucket(ctx, source, spec.buckets, &sort));
  sort.end_bit = end_bit_of(sort.key_type, sort.first_bit, sort.end_bit);
  SCAN_TRY(scan_sort_spec_check(ctx, &sort, form));
  const uint32_t bits = form->end_bit - form->first_bit;
  if (bits > SCAN_SPLIT_MOST_BITS)
    FAIL_INVALID(
        "spec->first_bit is %u, and spec->end_bit %u: keys are split by up to %d bits; sort them, or split each "
        "bucket again",
        form->first_bit, form->end_bit, SCAN_SPLIT_MOST_BITS);
  form->what = SCAN_SORT_SPLIT;
  form->bins = (source != NULL ? spec.buckets : 1u << bits) + 1;
  form->bucket = source;
  form->buckets = spec.buckets;
  form->moves_elements = source != NULL && !spec.drops_keys;
  return SCAN_SUCCESS;
}

scan_status scan_histogram_spec_check(scan_ctx *ctx, const scan_histogram_spec *given, scan_sort_form *form) {
  scan_histogram_spec spec = { 0 };
  const scan_source *source;
  if (given == NULL) FAIL_INVALID("spec is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_histogram_spec, &spec, given, "spec", &ctx->error));
  scan_sort_spec sort = { .struct_bytes = sizeof sort,
                          .key_type = spec.key_type,
                          .descending = spec.descending,
                          .first_bit = spec.first_bit,
                          .end_bit = spec.end_bit,
                          .flags = spec.flags };
  SCAN_TRY(check_bucket(ctx, spec.bucket, spec.buckets, &sort, &source));
  if (source != NULL) sort.key_type = SCAN_U8, sort.end_bit = bits_for(spec.buckets);
  sort.end_bit = end_bit_of(sort.key_type, sort.first_bit, sort.end_bit);
  SCAN_TRY(scan_sort_spec_check(ctx, &sort, form));
  const uint32_t bits = form->end_bit - form->first_bit, rest = (bits - 1) % SORT_DIGIT_BITS + 1;
  form->what = SCAN_SORT_HISTOGRAM;
  form->drops_keys = 1;
  form->bins = source != NULL ? spec.buckets : (bits - rest) / SORT_DIGIT_BITS * SORT_DIGITS + (1u << rest);
  form->bucket = source;
  form->buckets = spec.buckets;
  return SCAN_SUCCESS;
}

/* ---- the memory of a run ---- */

static const char no_params[] = "there is no bucket function with parameters";

/* Makes the elements array 0; the caller's arrays follow. */
static void shift_arrays(const scan_split_args *args, scan_sort_args *m) {
  enum { MOST = SCAN_SPLIT_MOST_ARRAYS - 1 };
  m->keys_in = m->keys_out = SCAN_NO_MEM;
  m->in[0] = args->keys_in;
  m->out[0] = args->keys_out;
  memcpy(m->in + 1, args->in, MOST * sizeof m->in[0]);
  memcpy(m->out + 1, args->out, MOST * sizeof m->out[0]);
}

scan_status scan_split_args_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, const scan_split_args *given,
                                  int stageable, scan_sort_run *run) {
  scan_split_args args = { 0 };
  if (given == NULL) FAIL_INVALID("args is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_split_args, &args, given, "args", &ctx->error));
  SCAN_TRY(scan_sort_unused_check(ctx, form, args.in, args.out));
  *run = (scan_sort_run){ .n = n,
                          .memory = { .struct_bytes = sizeof run->memory,
                                      .keys_in = args.keys_in,
                                      .keys_out = args.keys_out,
                                      .n_from = args.n_from,
                                      .opencl = args.opencl },
                          .bins = args.offsets,
                          .bins_bytes = form->bins * (uint64_t)sizeof(uint64_t) };
  memcpy(run->memory.in, args.in, sizeof run->memory.in);
  memcpy(run->memory.out, args.out, sizeof run->memory.out);
  if (form->moves_elements) shift_arrays(&args, &run->memory);
  SCAN_TRY(scan_select_params_check(ctx, form->bucket, args.params, no_params, run->params));
  return scan_sort_run_check(ctx, form, stageable, run);
}

scan_status scan_histogram_args_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n,
                                      const scan_histogram_args *given, int stageable, scan_sort_run *run) {
  scan_histogram_args args = { 0 };
  if (given == NULL) FAIL_INVALID("args is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_histogram_args, &args, given, "args", &ctx->error));
  *run = (scan_sort_run){ .n = n,
                          .memory = { .struct_bytes = sizeof run->memory,
                                      .keys_in = args.keys,
                                      .n_from = args.n_from,
                                      .opencl = args.opencl },
                          .bins = args.counts,
                          .bins_bytes = form->bins * (uint64_t)sizeof(uint64_t) };
  SCAN_TRY(scan_select_params_check(ctx, form->bucket, args.params, no_params, run->params));
  return scan_sort_run_check(ctx, form, stageable, run);
}
