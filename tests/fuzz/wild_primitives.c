/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction, runs, sorts, splits and histograms with any memory. */
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

#include "wild.h"

static uint64_t room(uint64_t capacity, uint64_t n) { return capacity == 0 || capacity > n ? n : capacity; }

static void wild_select(scan_ctx *ctx, fuzz_input *in) {
  scan_select_spec spec =
      SCAN_SELECT_SPEC_INIT((scan_select_by)fuzz_choice(in, SCAN_SELECT_FLAGS, SCAN_SELECT_LAST), 4);
  const uint64_t n = wild_items(in);
  if (spec.by == SCAN_SELECT_FIRST || spec.by == SCAN_SELECT_LAST) spec.key_type = SCAN_U32;
  spec.rest = (scan_select_rest)fuzz_choice(in, SCAN_REST_DROPPED, SCAN_REST_APART);
  spec.arrays = (uint32_t)fuzz_choice(in, 1, 2);
  spec.element_bytes[1] = (uint32_t)fuzz_below(in, 9);
  spec.in_place = (uint32_t)fuzz_below(in, 2);
  scan_select_args args = SCAN_SELECT_ARGS_INIT(wild_memory(in), wild_memory(in), wild_memory(in), wild_optional(in));
  if (spec.arrays != 1) args.in[1] = wild_memory(in), args.out[1] = wild_memory(in);
  if (spec.in_place && fuzz_rarely(in, 2)) args.out[0] = args.in[0];
  if (spec.rest == SCAN_REST_APART) args.rest[0] = wild_memory(in), args.rest[1] = wild_memory(in);
  if (fuzz_rarely(in, 4)) args.n_from = wild_memory(in);
  args.capacity = fuzz_rarely(in, 2) ? wild_items(in) : 0;
  args.rest_capacity = fuzz_rarely(in, 2) ? wild_items(in) : 0;
  for (uint32_t a = 0; a < 2; a++) {
    wild_may_write(args.out[a], room(args.capacity, n), spec.element_bytes[a]);
    wild_may_write(args.rest[a], room(args.rest_capacity, n), spec.element_bytes[a]);
  }
  wild_may_write(args.count, 1, 8);
  wild_check(scan_select(ctx, &spec, n, &args), "scan_select");
}

static void wild_runs(scan_ctx *ctx, fuzz_input *in) {
  const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT((scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16), SCAN_U32);
  const uint64_t n = wild_items(in);
  scan_run_length_args args =
      SCAN_RUN_LENGTH_ARGS_INIT(wild_memory(in), wild_optional(in), wild_memory(in), wild_optional(in));
  args.capacity = fuzz_rarely(in, 2) ? wild_items(in) : 0;
  if (fuzz_rarely(in, 4)) args.n_from = wild_memory(in);
  wild_may_write(args.keys_out, room(args.capacity, n), scan_type_bytes(spec.key_type));
  wild_may_write(args.lengths, room(args.capacity, n), 4);
  wild_may_write(args.count, 1, 8);
  wild_check(scan_run_length_encode(ctx, &spec, n, &args), "scan_run_length_encode");
}

static void wild_reduce(scan_ctx *ctx, fuzz_input *in) {
  const scan_spec spec = SCAN_REDUCE_BY_KEY_INIT((scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16),
                                                 (scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16), SCAN_ADD);
  const uint64_t n = wild_items(in);
  scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(wild_memory(in), wild_memory(in), wild_optional(in),
                                                              wild_memory(in), wild_optional(in));
  args.capacity = fuzz_rarely(in, 2) ? wild_items(in) : 0;
  if (fuzz_rarely(in, 4)) args.n_from = wild_memory(in);
  wild_may_write(args.keys_out, room(args.capacity, n), scan_type_bytes(spec.key_type));
  wild_may_write(args.values_out, room(args.capacity, n), scan_type_bytes(spec.type));
  wild_may_write(args.count, 1, 8);
  wild_check(scan_reduce_by_key(ctx, &spec, n, &args), "scan_reduce_by_key");
}

/* Sorts. The segment offsets are the arena's bytes, in any order. */
static void wild_sort(scan_ctx *ctx, fuzz_input *in) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT((scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16));
  const uint64_t n = wild_items(in);
  spec.arrays = (uint32_t)fuzz_below(in, 3);
  spec.element_bytes[0] = spec.element_bytes[1] = 1 + (uint32_t)fuzz_below(in, 16);
  spec.in_place = (uint32_t)fuzz_below(in, 2);
  spec.gives_scratch = (uint32_t)fuzz_rarely(in, 8);
  if (fuzz_rarely(in, 4)) spec.offset_type = fuzz_rarely(in, 2) ? SCAN_U32 : SCAN_U64;
  if (fuzz_rarely(in, 4)) spec.order = SCAN_SORT_NUMERIC_ORDER;
  scan_sort_args args = SCAN_SORT_ARGS_INIT(wild_memory(in), wild_memory(in));
  for (uint32_t a = 0; a < spec.arrays; a++) {
    args.in[a] = wild_memory(in);
    args.out[a] = spec.in_place && fuzz_rarely(in, 2) ? args.in[a] : wild_memory(in);
    wild_may_write(args.out[a], n, spec.element_bytes[a]);
  }
  if (spec.in_place && fuzz_rarely(in, 2)) args.keys_out = args.keys_in;
  if (spec.offset_type) args.offsets = wild_memory(in), args.segments = wild_items(in);
  if (fuzz_rarely(in, 4)) args.n_from = wild_memory(in);
  if (spec.gives_scratch) args.scratch = wild_memory(in);
  wild_may_write(args.keys_out, n, scan_type_bytes(spec.key_type));
  if (spec.gives_scratch) wild_may_write(args.scratch, WILD_BYTES, 1);
  wild_check(scan_sort(ctx, &spec, n, &args), "scan_sort");
}

static void wild_split(scan_ctx *ctx, fuzz_input *in) {
  const uint32_t bits = 1 + (uint32_t)fuzz_below(in, 8);
  const scan_split_spec spec = SCAN_SPLIT_SPEC_INIT((scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16), 0, bits);
  const scan_histogram_spec histogram = SCAN_HISTOGRAM_SPEC_INIT(spec.key_type, 0, bits);
  const uint64_t n = wild_items(in);
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(wild_memory(in), wild_memory(in), wild_memory(in));
  if (fuzz_rarely(in, 4)) args.n_from = wild_memory(in);
  if (fuzz_rarely(in, 2)) {
    scan_histogram_args counts = SCAN_HISTOGRAM_ARGS_INIT(args.keys_in, args.offsets);
    counts.n_from = args.n_from;
    wild_may_write(counts.counts, 1u << bits, 8);
    wild_check(scan_histogram(ctx, &histogram, n, &counts), "scan_histogram");
    return;
  }
  wild_may_write(args.keys_out, n, scan_type_bytes(spec.key_type));
  wild_may_write(args.offsets, (1u << bits) + 1, 8);
  wild_check(scan_split(ctx, &spec, n, &args), "scan_split");
}

void wild_primitive(fuzz_input *in) {
  scan_ctx *ctx = fuzz_one_of_contexts(in);
  wild_begin(ctx, in);
  switch (fuzz_below(in, 5)) {
  case 0: wild_select(ctx, in); break;
  case 1: wild_runs(ctx, in); break;
  case 2: wild_reduce(ctx, in); break;
  case 3: wild_sort(ctx, in); break;
  default: wild_split(ctx, in); break;
  }
}
