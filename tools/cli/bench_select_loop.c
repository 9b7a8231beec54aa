/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_loop.c @brief The plain loops that a program would write instead of a compaction. A file of
 * its own, compiled with -O3 -march=native. */
#include "bench_select.h"

typedef struct wide {
  uint64_t low, high;
} wide;

typedef uint64_t loop_function(const select_loop *l);

/* Stores each element; the next store overwrites it if it is not kept, so that no branch is mispredicted. A second
 * pass writes the rest behind the kept elements. */
#define LOOP(NAME, T, ELEMENT, K, KEPT)                                                                                \
  static uint64_t NAME(const select_loop *l) {                                                                         \
    const T *restrict in = (const T *)l->in;                                                                           \
    const K *restrict looked = (const K *)(l->marks ? l->marks : l->in);                                               \
    T *restrict out = (T *)l->out, *restrict others = (T *)l->rest_out;                                                \
    const uint32_t threshold = l->threshold;                                                                           \
    const uint64_t n = l->n;                                                                                           \
    uint64_t k = 0;                                                                                                    \
    (void)in, (void)threshold;                                                                                         \
    if (l->rest == SCAN_REST_APART) {                                                                                  \
      for (uint64_t i = 0; i < n; i++) {                                                                               \
        out[k] = (ELEMENT);                                                                                            \
        others[i - k] = (ELEMENT);                                                                                     \
        k += (uint64_t)(KEPT);                                                                                         \
      }                                                                                                                \
      return k;                                                                                                        \
    }                                                                                                                  \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      out[k] = (ELEMENT);                                                                                              \
      k += (uint64_t)(KEPT);                                                                                           \
    }                                                                                                                  \
    uint64_t m = k;                                                                                                    \
    for (uint64_t i = 0; l->rest == SCAN_REST_BEHIND && i < n; i++)                                                    \
      if (!(KEPT)) out[m++] = (ELEMENT);                                                                               \
    return k;                                                                                                          \
  }

/* Stores each element to all three parts; later stores overwrite two of them. */
#define PARTITION3(NAME, T, LOWEST)                                                                                    \
  static uint64_t NAME(const select_loop *l) {                                                                         \
    const T *restrict in = (const T *)l->in;                                                                           \
    T *restrict out = (T *)l->out, *restrict second = (T *)l->second_out, *restrict others = (T *)l->rest_out;         \
    const uint32_t threshold = l->threshold, second_threshold = l->second_threshold;                                   \
    const uint64_t n = l->n;                                                                                           \
    uint64_t k = 0, m = 0;                                                                                             \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const uint32_t lowest = (uint32_t)(LOWEST);                                                                      \
      const uint64_t is_first = lowest < threshold;                                                                    \
      out[k] = second[m] = others[i - k - m] = in[i];                                                                  \
      k += is_first;                                                                                                   \
      m += !is_first & (lowest < second_threshold);                                                                    \
    }                                                                                                                  \
    l->counts[1] = m;                                                                                                  \
    l->counts[2] = n - k - m;                                                                                          \
    return k;                                                                                                          \
  }

PARTITION3(u8_partition3, uint8_t, in[i])
PARTITION3(u16_partition3, uint16_t, in[i])
PARTITION3(u32_partition3, uint32_t, in[i])
PARTITION3(u64_partition3, uint64_t, in[i])
PARTITION3(wide_partition3, wide, in[i].low)

#define LOOPS(T, NAME, ELEMENT, K, LOWEST, P)                                                                          \
  LOOP(NAME##_flags, T, ELEMENT, uint8_t, looked[i] != 0)                                                              \
  LOOP(NAME##_bits, T, ELEMENT, uint32_t, looked[i / 32] >> i % 32 & 1)                                                \
  LOOP(NAME##_first, T, ELEMENT, K, i == 0 || looked[i] != looked[i - 1])                                              \
  LOOP(NAME##_last, T, ELEMENT, K, i + 1 == n || looked[i] != looked[i + 1])                                           \
  LOOP(NAME##_predicate, T, ELEMENT, P, (uint32_t)(LOWEST(i)) < threshold)                                             \
  LOOP(NAME##_pair, T, ELEMENT, P, i == 0 || LOWEST(i) >> 1 != LOWEST(i - 1) >> 1)

#define WHOLE(i) looked[i]
#define LOW(i) looked[i].low
LOOPS(uint8_t, u8, in[i], uint8_t, WHOLE, uint8_t)
LOOPS(uint16_t, u16, in[i], uint16_t, WHOLE, uint16_t)
LOOPS(uint32_t, u32, in[i], uint32_t, WHOLE, uint32_t)
LOOPS(uint64_t, u64, in[i], uint64_t, WHOLE, uint64_t)
LOOPS(wide, wide, in[i], uint32_t, LOW, wide)
LOOPS(uint32_t, index, (uint32_t)i, uint32_t, WHOLE, uint32_t)

/* Stores a run's key and its length or sum so far, which the next element of the run overwrites. */
#define RUN_LOOP(NAME, K, V, NEXT)                                                                                     \
  static uint64_t NAME(const select_loop *l) {                                                                         \
    const K *restrict keys = (const K *)l->in;                                                                         \
    const V *restrict values = (const V *)l->values;                                                                   \
    K *restrict out = (K *)l->out;                                                                                     \
    V *restrict computed = (V *)l->computed;                                                                           \
    const uint64_t n = l->n;                                                                                           \
    uint64_t k = 0;                                                                                                    \
    V so_far = 0;                                                                                                      \
    (void)values;                                                                                                      \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      const int ends = i + 1 == n || keys[i] != keys[i + 1];                                                           \
      so_far += (NEXT);                                                                                                \
      out[k] = keys[i];                                                                                                \
      computed[k] = so_far;                                                                                            \
      k += (uint64_t)ends;                                                                                             \
      so_far = ends ? 0 : so_far;                                                                                      \
    }                                                                                                                  \
    return k;                                                                                                          \
  }

#define RUN_LOOPS(K, NAME)                                                                                             \
  RUN_LOOP(NAME##_lengths, K, uint32_t, 1)                                                                             \
  RUN_LOOP(NAME##_sums_u32, K, uint32_t, values[i])                                                                    \
  RUN_LOOP(NAME##_sums_u64, K, uint64_t, values[i])                                                                    \
  RUN_LOOP(NAME##_sums_f32, K, float, values[i])                                                                       \
  RUN_LOOP(NAME##_sums_f64, K, double, values[i])                                                                      \
  static loop_function *NAME##_sums(scan_type type) {                                                                  \
    switch (type) {                                                                                                    \
    case SCAN_I32:                                                                                                     \
    case SCAN_U32: return NAME##_sums_u32;                                                                             \
    case SCAN_I64:                                                                                                     \
    case SCAN_U64: return NAME##_sums_u64;                                                                             \
    case SCAN_F32: return NAME##_sums_f32;                                                                             \
    case SCAN_F64: return NAME##_sums_f64;                                                                             \
    default: return NULL;                                                                                              \
    }                                                                                                                  \
  }

RUN_LOOPS(uint8_t, k8)
RUN_LOOPS(uint16_t, k16)
RUN_LOOPS(uint32_t, k32)
RUN_LOOPS(uint64_t, k64)

static loop_function *find_sums(const select_loop *l) {
  switch (l->item_bytes) {
  case 1: return k8_sums(l->type);
  case 2: return k16_sums(l->type);
  case 8: return k64_sums(l->type);
  default: return k32_sums(l->type);
  }
}

#define ROW(NAME)                                                                                                      \
  {                                                                                                                    \
    [SCAN_SELECT_FLAGS] = NAME##_flags, [SCAN_SELECT_BITS] = NAME##_bits, [SCAN_SELECT_FIRST] = NAME##_first,          \
    [SCAN_SELECT_LAST] = NAME##_last, [SCAN_SELECT_PREDICATE] = NAME##_predicate, [BENCH_SELECT_PAIR] = NAME##_pair    \
  }

/** Returns the loop for these arguments. @return NULL: none */
static loop_function *loop_find(const select_loop *l) {
  static loop_function *const by_bytes[17][BENCH_SELECT_END] = {
    [0] = ROW(index), [1] = ROW(u8), [2] = ROW(u16), [4] = ROW(u32), [8] = ROW(u64), [16] = ROW(wide)
  };
  static loop_function *const lengths[9] = {
    [1] = k8_lengths, [2] = k16_lengths, [4] = k32_lengths, [8] = k64_lengths
  };
  static loop_function *const partitions[17] = {
    [1] = u8_partition3, [2] = u16_partition3, [4] = u32_partition3, [8] = u64_partition3, [16] = wide_partition3
  };
  if (l->by == BENCH_SELECT_RUN_LENGTHS) return lengths[l->item_bytes];
  if (l->by == BENCH_SELECT_REDUCE) return find_sums(l);
  if (l->by == BENCH_SELECT_PARTITION3) return partitions[l->item_bytes];
  return by_bytes[l->item_bytes][l->by];
}

int select_loop_is_there(const select_loop *loop) { return loop->item_bytes <= 16 && loop_find(loop) != NULL; }
uint64_t select_loop_run(const select_loop *loop) { return loop_find(loop)(loop); }
