/* SPDX-License-Identifier: BSD-2-Clause */
/** @file mapped.c @brief Operators from source that map and emit, as a stream compaction by scan needs. */
#include "source.h"

#include <string.h>

/* 4-byte elements and results: the compaction's predicate and positions as one scan. */
SCAN_OP_TEXT(
    text, static inline uint32_t count(uint32_t a, uint32_t b) { return a + b; }

    static inline uint32_t is_kept(float x, uint64_t index) {
      (void)index;
      return x > 0.0f;
    }

    static inline uint32_t place(uint32_t inclusive, uint32_t exclusive, float x, uint64_t index) {
      (void)inclusive;
      return is_kept(x, index) ? exclusive : 0xffffffffu;
    });
SCAN_OP_HOST(count_on_host, uint32_t, count);
SCAN_MAP_HOST(is_kept_on_host, float, uint32_t, is_kept);
SCAN_EMIT_HOST(place_on_host, uint32_t, float, uint32_t, place);

static const uint32_t zero = 0;

#define COUNTS                                                                                                         \
  .struct_bytes = sizeof(scan_op_source), .text = text, .type = "uint32_t", .combine = "count", .value_bytes = 4,      \
  .value_align = 4, .identity = &zero, .host = count_on_host, .map = "is_kept", .input_type = "float",                 \
  .input_bytes = 4, .input_align = 4, .map_host = is_kept_on_host, .loops = &count_on_host_loops,                      \
  .map_loop = is_kept_on_host_loop

static const scan_op_source predicate = { COUNTS };
static const scan_op_source positions = { COUNTS,
                                          .emit = "place",
                                          .output_type = "uint32_t",
                                          .output_bytes = 4,
                                          .output_align = 4,
                                          .emit_host = place_on_host,
                                          .emit_loop = place_on_host_loop };

/* Sums of 64-bit integers in 128 bits. */
static scan_i128 widened_i64(int64_t x, uint64_t index) {
  (void)index;
  return (scan_i128){ .low = (uint64_t)x, .high = x >> 63 };
}
static scan_u128 widened_u64(uint64_t x, uint64_t index) {
  (void)index;
  return (scan_u128){ .low = x };
}
SCAN_MAP_HOST(widened_i64_on_host, int64_t, scan_i128, widened_i64);
SCAN_MAP_HOST(widened_u64_on_host, uint64_t, scan_u128, widened_u64);

#define WIDENED(numbers)                                                                                               \
  {                                                                                                                    \
    .map = "", .value_bytes = 16, .value_align = 8, .input_bytes = 8, .input_align = 8,                                \
    .map_host = widened_##numbers##_on_host, .map_loop = widened_##numbers##_on_host_loop                              \
  }

const scan_op_source *source_composite_map(scan_composite which) {
  static const scan_op_source maps[] = { WIDENED(i64), WIDENED(u64) };
  return which == SCAN_WIDE_SUM_I64 ? &maps[0] : which == SCAN_WIDE_SUM_U64 ? &maps[1] : NULL;
}

static const source_operator sources[] = {
  { .name = "predicate", .built_in_op = SCAN_ADD, .map = &predicate, .input_type = SCAN_F32, .type = SCAN_U32 },
  { .name = "positions", .built_in_op = SCAN_ADD, .map = &positions, .input_type = SCAN_F32, .type = SCAN_U32 }
};

const source_operator *source_operator_mapped(size_t i) {
  return i < sizeof sources / sizeof sources[0] ? &sources[i] : NULL;
}
