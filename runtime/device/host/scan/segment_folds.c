/* SPDX-License-Identifier: BSD-2-Clause */
/* The segment_fold of each built-in operator, for vector registers of REG_BYTES (host_simd.h). */
#include "device/host/scan/segment_folds.h"

#include <string.h>

/* LONG_ITEMS: average length of segments from which a sub-tile's vectors are folded, and its lines prefetched, at once.
 */
enum { FOLD_VECTORS = 32, FOLD_ROWS = 8, SHORT_VECTORS = 8, LONG_ITEMS = 32 };
enum { FOLD_BYTES = 16 * FOLD_ROWS * FOLD_VECTORS }; /* of a whole sub-tile */
/* No lines are prefetched of values of up to CACHED_BYTES, which a core's cache holds. Floating-point segments of more
 * than one and a half sub-tiles have none up to NEAR_BYTES: the processor's own prefetches suffice. FOLD_AHEAD_BYTES:
 * how far ahead folds of integers and of segment_direct.inc prefetch. */
enum { CACHED_BYTES = 1 << 20, NEAR_BYTES = 16 << 20, FOLD_AHEAD_BYTES = 4 << 10 };
_Static_assert(FOLD_BYTES + sizeof(uint64_t) <= SEGMENT_VECTORS_BYTES, "the folds before elements do not fit");
#define FOLD_INLINE static inline __attribute__((always_inline))
#define FOLD_JOIN(a, b, c) a##_##b##_##c
#define FOLD_JOIN_OF(a, b, c) FOLD_JOIN(a, b, c)
#define NAMED(word) FOLD_JOIN_OF(FOLD_OP, FOLD_NAME, word)

typedef float fold_f32 __attribute__((vector_size(16)));
typedef double fold_f64 __attribute__((vector_size(16)));
typedef int32_t fold_mask4 __attribute__((vector_size(16)));
typedef int64_t fold_mask8 __attribute__((vector_size(16)));

/* -1 for elements that count, in windows of SHORT_VECTORS vectors, and of a vector. */
#define TIMES4(x) x, x, x, x
#define TIMES16(x) TIMES4(x), TIMES4(x), TIMES4(x), TIMES4(x)
static const int32_t masks4[64] = { TIMES16(0), TIMES16(0), TIMES16(-1), TIMES16(-1) };
static const int64_t masks8[32] = { TIMES16(0), TIMES16(-1) };
static const int32_t masks4_behind[8] = { TIMES4(-1), TIMES4(0) };
static const int64_t masks8_behind[4] = { -1, -1, 0, 0 };
#if REG_BYTES == 64
/* FOLD_PLACES: segments whose places are found before they are folded, so that no load waits for its address. */
enum { FOLD_PLACES = 64 };

/* The places of segments, for segment_direct.inc. */
typedef struct fold_places {
  _Alignas(64) int32_t missing[FOLD_PLACES];    /* elements of the first window that the segment, or its row, lacks */
  int32_t begin[FOLD_PLACES], end[FOLD_PLACES]; /* first and last element, counted from that of the last vector */
  uint32_t last[FOLD_PLACES];                   /* first element of the last vector */
  uint64_t end_here, are_short, have_second;    /* a bit for each segment */
} fold_places;
typedef int64_t __attribute__((may_alias)) fold_pair;
#endif

#define FOLD_T float
#define FOLD_NAME f32
#define FOLD_IS_FLOAT 1
#define FOLD_REGISTER fold_f32
#define FOLD_MASK fold_mask4
#define FOLD_INT int32_t
#define FOLD_MASKS masks4
#define FOLD_MASKS_BEHIND masks4_behind
#include "device/host/scan/segment_folds_type.inc"
#define FOLD_T double
#define FOLD_NAME f64
#define FOLD_IS_WIDE 1
#define FOLD_IS_FLOAT 1
#define FOLD_REGISTER fold_f64
#define FOLD_MASK fold_mask8
#define FOLD_INT int64_t
#define FOLD_MASKS masks8
#define FOLD_MASKS_BEHIND masks8_behind
#include "device/host/scan/segment_folds_type.inc"
#define FOLD_T uint32_t
#define FOLD_NAME u32
#include "device/host/scan/segment_folds_type.inc"
#define FOLD_T uint64_t
#define FOLD_NAME u64
#define FOLD_IS_WIDE 1
#include "device/host/scan/segment_folds_type.inc"
#define FOLD_T int32_t
#define FOLD_NAME i32
#define FOLD_IS_SIGNED 1
#include "device/host/scan/segment_folds_type.inc"
#define FOLD_T int64_t
#define FOLD_NAME i64
#define FOLD_IS_SIGNED 1
#include "device/host/scan/segment_folds_type.inc"

#define ROW(name) { #name, name##_fold, NULL },
#if REG_BYTES == 64
#define FLOAT_ROW(name) { #name, name##_fold, name##_direct },
#else
#define FLOAT_ROW(name) ROW(name)
#endif
#define FLOATS(type) FLOAT_ROW(add_##type) FLOAT_ROW(mul_##type) FLOAT_ROW(min_##type) FLOAT_ROW(max_##type)
#define ORDER(type) ROW(min_##type) ROW(max_##type)
#define SUMS(type) ROW(add_##type) ROW(mul_##type)
#define BITS(type) ROW(and_##type) ROW(or_##type) ROW(xor_##type)
static const segment_fold_row folds[] = {
  /* clang-format off */
  FLOATS(f32) FLOATS(f64)
  SUMS(u32) ORDER(u32) BITS(u32) SUMS(u64) ORDER(u64) BITS(u64)
  ORDER(i32) ORDER(i64)
  { NULL, NULL, NULL }
  /* clang-format on */
};
const segment_fold_table HOST_SIMD_NAME(scan_segment_folds) = { folds };
