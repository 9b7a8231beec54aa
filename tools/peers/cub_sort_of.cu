/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's DeviceRadixSort of one key type, CUB_SORT_NAME (u32), which is CUB_SORT_KEY (uint32_t), as CUB tunes it: with
 * an int and a size_t for the number of keys. */
#include <cub/device/device_radix_sort.cuh>

#include "cub_sort.h"

namespace {

typedef CUB_SORT_KEY key;

template <class N> cudaError_t sort_keys(void *workspace, size_t &workspace_bytes, const bench_sort_memory &memory,
                                         uint64_t n, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortKeys(workspace, workspace_bytes, static_cast<const key *>(memory.keys_in),
                                        static_cast<key *>(memory.keys_out), static_cast<N>(n), 0,
                                        static_cast<int>(8 * sizeof(key)), stream);
}

template <class N, class V> cudaError_t sort_pairs(void *workspace, size_t &workspace_bytes,
                                                   const bench_sort_memory &memory, uint64_t n, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(workspace, workspace_bytes, static_cast<const key *>(memory.keys_in),
                                         static_cast<key *>(memory.keys_out), static_cast<const V *>(memory.values_in),
                                         static_cast<V *>(memory.values_out), static_cast<N>(n), 0,
                                         static_cast<int>(8 * sizeof(key)), stream);
}

}

#define CUB_SORT_JOIN(a, b) a##b
#define CUB_SORT_TABLE(name) CUB_SORT_JOIN(cub_sorts_, name)
const cub_sorts CUB_SORT_TABLE(CUB_SORT_NAME) = { sizeof(key),
                                                  { sort_keys<int>, sort_keys<size_t> },
                                                  { sort_pairs<int, uint32_t>, sort_pairs<size_t, uint32_t> },
                                                  { sort_pairs<int, uint64_t>, sort_pairs<size_t, uint64_t> } };
