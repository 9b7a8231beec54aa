/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans and differences with any spec and any memory. */
#include <scanrt/scan_difference.h>

#include "wild.h"

#include <string.h>

static scan_type decode_key_type(fuzz_input *in, scan_segments segments) {
  if (segments == SCAN_SEGMENTS_KEYS) return (scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16);
  if (segments == SCAN_SEGMENTS_OFFSETS) return fuzz_rarely(in, 2) ? SCAN_U32 : SCAN_U64;
  return fuzz_rarely(in, 16) ? (scan_type)fuzz_choice(in, 0, SCAN_BF16) : SCAN_TYPE_DEFAULT;
}

static void decode_spec(fuzz_input *in, scan_spec *spec) {
  scan_spec_init(spec, sizeof *spec);
  spec->type = (scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16);
  spec->input_type = (scan_type)(fuzz_rarely(in, 4) ? fuzz_choice(in, SCAN_I8, SCAN_BF16) : 0);
  spec->op = (scan_op_id)fuzz_choice(in, SCAN_ADD, SCAN_XOR);
  spec->kind = (scan_kind)fuzz_choice(in, SCAN_INCLUSIVE, SCAN_TOTAL);
  spec->flags = (uint32_t)(fuzz_rarely(in, 2) ? fuzz_choice(in, 0, SCAN_BACKWARD | SCAN_CHECK_OVERFLOW) : 0);
  spec->has_init = (uint32_t)(fuzz_rarely(in, 2) ? fuzz_choice(in, 0, 1) : 0);
  spec->init.u64 = fuzz_number(in, 8);
  spec->segments = (scan_segments)(fuzz_rarely(in, 2) ? fuzz_choice(in, SCAN_SEGMENTS_NONE, SCAN_SEGMENTS_OFFSETS) : 0);
  spec->key_type = decode_key_type(in, spec->segments);
  spec->strategy = (scan_strategy)(fuzz_rarely(in, 4) ? fuzz_choice(in, 0, SCAN_STRATEGY_RAKING) : 0);
}

static scan_args decode_args(fuzz_input *in, const scan_spec *spec, uint64_t n) {
  scan_args args = SCAN_ARGS_INIT(wild_memory(in), wild_memory(in));
  if (fuzz_rarely(in, 4)) args.out = args.in;
  if (spec->segments || fuzz_rarely(in, 16)) {
    args.marks = wild_memory(in);
    args.mark_count = fuzz_rarely(in, 4) ? wild_items(in) : n;
  }
  if (fuzz_rarely(in, 4)) args.carry_in = wild_memory(in);
  if (fuzz_rarely(in, 4)) args.carry_out = wild_memory(in);
  if (fuzz_rarely(in, 32)) args.struct_bytes = fuzz_byte(in) % sizeof args;
  return args;
}

/* Returns the arguments as the library reads them: struct_bytes bytes, even if that ends within a member. */
static scan_args known_of(const scan_args *args) {
  scan_args known = { 0 };
  memcpy(&known, args, args->struct_bytes);
  return known;
}

/* Returns the n of a plan: below 2^28, or more tiles than a scan has, which is refused. The memory of plans between
 * them is right, but more than a fuzzer may take. */
static uint64_t plan_items(fuzz_input *in) {
  const uint64_t n = wild_items(in);
  return n >> 48 != 0 ? n : n % (1u << 28);
}

/* Makes one call, with or without a plan. The caller destroys *plan after it has checked the error text. */
static scan_status run(fuzz_input *in, scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_args *args,
                       scan_plan **plan) {
  if (fuzz_rarely(in, 2)) return scan_run_args(ctx, spec, n, args);
  const int is_difference = fuzz_rarely(in, 4);
  scan_status status = is_difference ? scan_plan_create_adjacent_difference(ctx, spec, plan_items(in), plan)
                                     : scan_plan_create(ctx, spec, plan_items(in), plan);
  if (status == SCAN_SUCCESS) status = scan_plan_run_args(*plan, n, args);
  return status;
}

void wild_scan(fuzz_input *in) {
  scan_ctx *ctx = fuzz_one_of_contexts(in);
  scan_plan *plan = NULL;
  scan_spec spec;
  wild_begin(ctx, in);
  decode_spec(in, &spec);
  const uint64_t n = wild_items(in);
  const scan_args args = decode_args(in, &spec, n), known = known_of(&args);
  const uint64_t bytes = scan_type_bytes(spec.type);
  wild_may_write(known.out, spec.kind == SCAN_TOTAL ? 1 : n, bytes);
  wild_may_write(known.carry_out, 1, bytes == 2 && spec.type >= SCAN_F16 ? 4 : bytes);
  wild_check(run(in, ctx, &spec, n, &args, &plan), "a scan");
  scan_plan_destroy(plan);
}
