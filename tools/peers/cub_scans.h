/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cub_scans.h @brief Shared declarations of cub.cu and the objects of cub_scans.cu. */
#ifndef SCANRT_PEERS_CUB_SCANS_H
#define SCANRT_PEERS_CUB_SCANS_H

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>
#include <scanrt/scan_composite.h>

/** A scan of CUB. With `workspace` NULL it only sets `workspace_bytes`. */
typedef cudaError_t cub_scan(void *workspace, size_t &workspace_bytes, const void *in, void *out,
                             const scan_value &seed, int64_t n, cudaStream_t stream);

/** A scan by key of CUB, from zero. */
typedef cudaError_t cub_scan_by_key(void *workspace, size_t &workspace_bytes, const void *keys, const void *in,
                                    void *out, int64_t n, cudaStream_t stream);

/** The scans of a pair of types; NULL: there is none. */
struct cub_pair {
  cub_scan *scan[SCAN_XOR + 1][SCAN_EXCLUSIVE + 1];
  cub_scan *sum32[SCAN_EXCLUSIVE + 1]; /**< Sums with an int as n. */
};

/* Every pair of types that the library supports. */
#define CUB_PAIRS_BYTES(PAIR)                                                                                          \
  PAIR(i8, SCAN_I8, i8, SCAN_I8)                                                                                       \
  PAIR(u8, SCAN_U8, u8, SCAN_U8)                                                                                       \
  PAIR(i8, SCAN_I8, u32, SCAN_U32)                                                                                     \
  PAIR(i8, SCAN_I8, u64, SCAN_U64)                                                                                     \
  PAIR(u8, SCAN_U8, u32, SCAN_U32)                                                                                     \
  PAIR(u8, SCAN_U8, u64, SCAN_U64)

#define CUB_PAIRS_WORDS(PAIR)                                                                                          \
  PAIR(i16, SCAN_I16, i16, SCAN_I16)                                                                                   \
  PAIR(u16, SCAN_U16, u16, SCAN_U16)                                                                                   \
  PAIR(i32, SCAN_I32, i32, SCAN_I32)                                                                                   \
  PAIR(u32, SCAN_U32, u32, SCAN_U32)

#define CUB_PAIRS_LONGS(PAIR)                                                                                          \
  PAIR(i64, SCAN_I64, i64, SCAN_I64)                                                                                   \
  PAIR(u64, SCAN_U64, u64, SCAN_U64)                                                                                   \
  PAIR(i32, SCAN_I32, u64, SCAN_U64)                                                                                   \
  PAIR(u32, SCAN_U32, u64, SCAN_U64)

#define CUB_PAIRS_FLOATS(PAIR)                                                                                         \
  PAIR(f32, SCAN_F32, f32, SCAN_F32)                                                                                   \
  PAIR(f64, SCAN_F64, f64, SCAN_F64)                                                                                   \
  PAIR(f32, SCAN_F32, f64, SCAN_F64)

/* Two compilations of about equal length: CUB's headers alone take 7 s. */
#define CUB_PAIRS_SMALL(PAIR) CUB_PAIRS_BYTES(PAIR) CUB_PAIRS_WORDS(PAIR)
#define CUB_PAIRS_LARGE(PAIR) CUB_PAIRS_LONGS(PAIR) CUB_PAIRS_FLOATS(PAIR)
#define CUB_PAIRS(PAIR) CUB_PAIRS_SMALL(PAIR) CUB_PAIRS_LARGE(PAIR)

/** Returns the sum by keys of an unsigned type, which begins anew where a key differs from the one before. `type`: u32,
 * u64, f32 or f64; `variant`: 0 for an int64_t as n, 1 for an int. NULL: there is none. */
cub_scan_by_key *cub_find_sum_by_key(scan_type key_type, scan_type type, uint32_t variant, scan_kind kind);

/** The composite affine_f32. */
extern cub_scan *const cub_affine_f32[SCAN_EXCLUSIVE + 1];

#define CUB_DECLARE_PAIR(input, INPUT, type, TYPE) extern const cub_pair cub_pair_##input##_##type;
CUB_PAIRS(CUB_DECLARE_PAIR)
#undef CUB_DECLARE_PAIR

#endif
