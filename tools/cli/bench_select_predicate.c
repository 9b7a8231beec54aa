/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_predicate.c @brief The predicates of `scanrt bench --select`, and the partition by two
 * predicates. */
#define _POSIX_C_SOURCE 200809L
#include "bench_select.h"

/* ---- predicates ---- */

/* Predicates as a user would write them for elements of that size: of one element, and of two neighbours. */
#define PREDICATE(name, type, lowest)                                                                                  \
  SCAN_OP_TEXT(                                                                                                        \
      name##_text, static inline int name(type x, uint64_t index, uint32_t threshold) {                                \
        (void)index;                                                                                                   \
        return (uint32_t)(lowest) < threshold;                                                                         \
      });                                                                                                              \
  SCAN_KEEP_PARAMS_HOST(name##_on_host, type, uint32_t, name)
#define PAIR(name, type)                                                                                               \
  SCAN_OP_TEXT(                                                                                                        \
      name##_text, static inline int name(type before, type x) { return before >> 1 == x >> 1; });                     \
  SCAN_SAME_HOST(name##_on_host, type, name)

PREDICATE(is_kept_1, uint8_t, x);
PREDICATE(is_kept_2, uint16_t, x);
PREDICATE(is_kept_4, uint32_t, x);
PREDICATE(is_kept_8, uint64_t, x);
PAIR(is_same_1, uint8_t);
PAIR(is_same_2, uint16_t);
PAIR(is_same_4, uint32_t);
PAIR(is_same_8, uint64_t);

SCAN_OP_TEXT(
    wide_text,
    typedef struct __attribute__((aligned(16))) wide {
      uint64_t low;
      uint64_t high;
    } wide;

    static inline int is_kept_16(wide x, uint64_t index, uint32_t threshold) {
      (void)index;
      return (uint32_t)x.low < threshold;
    }

    static inline int is_same_16(wide before, wide x) { return before.low >> 1 == x.low >> 1; });
SCAN_KEEP_PARAMS_HOST(is_kept_16_on_host, wide, uint32_t, is_kept_16);
SCAN_SAME_HOST(is_same_16_on_host, wide, is_same_16);

#define KEPT(type, name, text)                                                                                         \
  (source = (scan_predicate_source)SCAN_PREDICATE_PARAMS_INIT(text, type, name, uint32_t), source.host = name##_on_host)
#define SAME(type, name, text)                                                                                         \
  (source = (scan_predicate_source)SCAN_PREDICATE_PAIR_INIT(text, type, name), source.host = name##_on_host)

static scan_predicate_source source_of_one(uint32_t bytes) {
  scan_predicate_source source;
  switch (bytes) {
  case 1: KEPT(uint8_t, is_kept_1, is_kept_1_text); break;
  case 2: KEPT(uint16_t, is_kept_2, is_kept_2_text); break;
  case 8: KEPT(uint64_t, is_kept_8, is_kept_8_text); break;
  case 16: KEPT(wide, is_kept_16, wide_text); break;
  default: KEPT(uint32_t, is_kept_4, is_kept_4_text); break;
  }
  return source;
}

static scan_predicate_source source_of_two(uint32_t bytes) {
  scan_predicate_source source;
  switch (bytes) {
  case 1: SAME(uint8_t, is_same_1, is_same_1_text); break;
  case 2: SAME(uint16_t, is_same_2, is_same_2_text); break;
  case 8: SAME(uint64_t, is_same_8, is_same_8_text); break;
  case 16: SAME(wide, is_same_16, wide_text); break;
  default: SAME(uint32_t, is_same_4, is_same_4_text); break;
  }
  return source;
}

scan_status select_predicate_make(select_state *bench, uint32_t bytes) {
  const scan_predicate_source source = bench->by == BENCH_SELECT_PAIR ? source_of_two(bytes) : source_of_one(bytes);
  return scan_predicate_create(bench->base.ctx, &source, &bench->predicate);
}

/* ---- the partition into three ---- */

/** Creates the plan. Both predicates are the same operator with thresholds of their own. */
scan_status select_partition_plan(select_state *bench) {
  scan_partition3_spec spec = { .struct_bytes = sizeof spec, .first = bench->predicate, .second = bench->predicate };
  spec.arrays = bench->payload->arrays;
  for (uint32_t a = 0; a < spec.arrays; a++) spec.element_bytes[a] = bench->payload->bytes[a];
  return scan_plan_create_partition3(bench->base.ctx, &spec, bench->n, &bench->plan);
}

scan_status select_partition_start(const select_state *bench, scan_plan *plan) {
  scan_partition3_args args = { .struct_bytes = sizeof args, .counts = bench->count.mem };
  for (uint32_t a = 0; a < bench->outputs; a++) {
    args.in[a] = bench->args.in[a];
    args.first[a] = bench->args.out[a];
    args.second[a] = scan_offset(bench->middle.mem, bench->at[a]);
    args.rest[a] = bench->args.rest[a];
  }
  args.first_params = &bench->threshold;
  args.second_params = &bench->second_threshold;
  return scan_plan_run_partition3(plan, bench->n, &args);
}
