/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cub_sort.h @brief Shared declarations of cub_sort.cu and cub_sort_of.cu, which is compiled once for each
 * key type. */
#ifndef SCANRT_PEERS_CUB_SORT_H
#define SCANRT_PEERS_CUB_SORT_H

#include <cstddef>

#include <cuda_runtime_api.h>

#include "../cli/peer.h"

/** A sort of CUB. With `workspace` NULL it only sets `workspace_bytes`. */
typedef cudaError_t cub_sort(void *workspace, size_t &workspace_bytes, const bench_sort_case &what,
                             const bench_sort_memory &memory, cudaStream_t stream);

/** Variants of a sort, by the type of n: int or size_t. */
enum { CUB_SORT_INT, CUB_SORT_SIZE, CUB_SORT_VARIANTS };

/** Variants of a segmented sort: DeviceSegmentedSort or DeviceSegmentedRadixSort. */
enum { CUB_SEGMENTED_SORT, CUB_SEGMENTED_RADIX_SORT, CUB_SEGMENTED_VARIANTS };

/** A segmented sort of CUB. The numbers of keys and of segments fit in an int. */
typedef cudaError_t cub_segmented_sort(void *workspace, size_t &workspace_bytes, const bench_sort_memory &memory, int n,
                                       int segments, cudaStream_t stream);

/** The segmented sorts of one key type, by the size of values. */
struct cub_segmented_sorts {
  cub_segmented_sort *keys[CUB_SEGMENTED_VARIANTS], *pairs4[CUB_SEGMENTED_VARIANTS], *pairs8[CUB_SEGMENTED_VARIANTS];
};

/** Key types with segmented sorts: CMakeLists.txt has the same list. */
#define CUB_SEGMENTED_TYPES(X) X(u32, uint32_t, SCAN_U32) X(u64, uint64_t, SCAN_U64) X(f32, float, SCAN_F32)
#define CUB_SEGMENTED_DECLARE(name, type, number) extern const cub_segmented_sorts cub_segmented_sorts_##name;
CUB_SEGMENTED_TYPES(CUB_SEGMENTED_DECLARE)
#undef CUB_SEGMENTED_DECLARE

/** The sorts of one key type: keys alone, with values of 4 bytes, and with values of 8 bytes. */
struct cub_sorts {
  size_t key_bytes;
  cub_sort *keys[CUB_SORT_VARIANTS], *pairs4[CUB_SORT_VARIANTS], *pairs8[CUB_SORT_VARIANTS];
};

/** One line for each key type: its name, the type, the library's number. CMakeLists.txt has the same list. */
#define CUB_SORT_TYPES(X)                                                                                              \
  X(u8, uint8_t, SCAN_U8)                                                                                              \
  X(u32, uint32_t, SCAN_U32)                                                                                           \
  X(i32, int32_t, SCAN_I32)                                                                                            \
  X(u64, uint64_t, SCAN_U64)                                                                                           \
  X(f32, float, SCAN_F32)                                                                                              \
  X(f64, double, SCAN_F64)

#define CUB_SORT_DECLARE(name, type, number) extern const cub_sorts cub_sorts_##name;
CUB_SORT_TYPES(CUB_SORT_DECLARE)
#undef CUB_SORT_DECLARE

/** CUB's sorts. */
extern const bench_peer_sort cub_sort_peer;

#endif
