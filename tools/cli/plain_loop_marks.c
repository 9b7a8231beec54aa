/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file plain_loop_marks.c
 * @brief The plain loop of a sum in segments, for each kind of marks. Compiled as plain_loop.c is.
 */
#include "plain_loop.h"

#include <string.h>

/** HEAD is 1 if a segment begins with element i. */
#define SEGMENTS(T, HEAD)                                                                                              \
  if (kind == SCAN_EXCLUSIVE)                                                                                          \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const T before = i == 0 || (HEAD) ? seed : sum;                                                                  \
      out[i] = before;                                                                                                 \
      sum = before + in[i];                                                                                            \
    }                                                                                                                  \
  else                                                                                                                 \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const T x = in[i];                                                                                               \
      sum = i == 0 || (HEAD) ? x : sum + x;                                                                            \
      out[i] = sum;                                                                                                    \
    }                                                                                                                  \
  break

#define SEGMENTED(T)                                                                                                   \
  static void segmented_##T(scan_kind kind, uint64_t n, const scan_value *first, const bench_marks *marks,             \
                            const void *in_, void *out_) {                                                             \
    const T *restrict in = (const T *)in_;                                                                             \
    T *restrict out = (T *)out_;                                                                                       \
    const uint8_t *flags = marks->encoded;                                                                             \
    const uint16_t *halves = marks->encoded;                                                                           \
    const uint32_t *words = marks->encoded;                                                                            \
    const uint64_t *longs = marks->encoded;                                                                            \
    T seed, sum = 0;                                                                                                   \
    memcpy(&seed, first, sizeof seed);                                                                                 \
    switch (marks->kind) {                                                                                             \
    case SCAN_SEGMENTS_FLAGS: SEGMENTS(T, flags[i]);                                                                   \
    case SCAN_SEGMENTS_BITS: SEGMENTS(T, words[i / 32] >> (i % 32) & 1);                                               \
    case SCAN_SEGMENTS_KEYS:                                                                                           \
      switch (scan_type_bytes(marks->key_type)) {                                                                      \
      case 1: SEGMENTS(T, flags[i] != flags[i - 1]);                                                                   \
      case 2: SEGMENTS(T, halves[i] != halves[i - 1]);                                                                 \
      case 4: SEGMENTS(T, words[i] != words[i - 1]);                                                                   \
      default: SEGMENTS(T, longs[i] != longs[i - 1]);                                                                  \
      }                                                                                                                \
      break;                                                                                                           \
    default:                                                                                                           \
      for (uint64_t s = 0; s < marks->segments; s++) {                                                                 \
        const uint64_t end = marks->key_type == SCAN_U32 ? words[s + 1] : longs[s + 1];                                \
        sum = seed;                                                                                                    \
        for (uint64_t i = marks->key_type == SCAN_U32 ? words[s] : longs[s]; i < end; i++) {                           \
          if (kind == SCAN_EXCLUSIVE) out[i] = sum;                                                                    \
          sum += in[i];                                                                                                \
          if (kind != SCAN_EXCLUSIVE) out[i] = sum;                                                                    \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }
SEGMENTED(uint32_t)
SEGMENTED(uint64_t)
SEGMENTED(float)
SEGMENTED(double)

int plain_loop_segmented(scan_type type, scan_op_id op, scan_kind kind, uint64_t n, const scan_value *seed,
                         const bench_marks *marks, const void *in, void *out) {
  if (op != SCAN_ADD || scan_type_bytes(type) < 4) return 0;
  if (out == NULL) return 1;
  if (type == SCAN_F32)
    segmented_float(kind, n, seed, marks, in, out);
  else if (type == SCAN_F64)
    segmented_double(kind, n, seed, marks, in, out);
  else if (scan_type_bytes(type) == 4)
    segmented_uint32_t(kind, n, seed, marks, in, out);
  else
    segmented_uint64_t(kind, n, seed, marks, in, out);
  return 1;
}
