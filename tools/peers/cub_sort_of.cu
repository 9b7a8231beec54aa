/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's DeviceRadixSort of one key type, CUB_SORT_NAME (such as u32) with the C type CUB_SORT_KEY (uint32_t), with
 * CUB's tuning: with an int and a size_t as the number of keys. */
#include <cub/device/device_radix_sort.cuh>

#include "cub_sort.h"

namespace {

typedef CUB_SORT_KEY key;

template <class N> cudaError_t sort_keys(void *workspace, size_t &workspace_bytes, const bench_sort_case &what,
                                         const bench_sort_memory &memory, cudaStream_t stream) {
  const key *in = static_cast<const key *>(memory.keys_in);
  key *out = static_cast<key *>(memory.keys_out);
  const N n = static_cast<N>(what.n);
  const int first = static_cast<int>(what.first_bit), end = static_cast<int>(what.end_bit);
  if (what.descending)
    return cub::DeviceRadixSort::SortKeysDescending(workspace, workspace_bytes, in, out, n, first, end, stream);
  return cub::DeviceRadixSort::SortKeys(workspace, workspace_bytes, in, out, n, first, end, stream);
}

template <class N, class V> cudaError_t sort_pairs(void *workspace, size_t &workspace_bytes,
                                                   const bench_sort_case &what, const bench_sort_memory &memory,
                                                   cudaStream_t stream) {
  const key *in = static_cast<const key *>(memory.keys_in);
  const V *values = static_cast<const V *>(memory.values_in);
  key *out = static_cast<key *>(memory.keys_out);
  V *values_out = static_cast<V *>(memory.values_out);
  const N n = static_cast<N>(what.n);
  const int first = static_cast<int>(what.first_bit), end = static_cast<int>(what.end_bit);
  if (what.descending)
    return cub::DeviceRadixSort::SortPairsDescending(workspace, workspace_bytes, in, out, values, values_out, n, first,
                                                     end, stream);
  return cub::DeviceRadixSort::SortPairs(workspace, workspace_bytes, in, out, values, values_out, n, first, end,
                                         stream);
}

}

#define CUB_SORT_JOIN(a, b) a##b
#define CUB_SORT_TABLE(name) CUB_SORT_JOIN(cub_sorts_, name)
const cub_sorts CUB_SORT_TABLE(CUB_SORT_NAME) = { sizeof(key),
                                                  { sort_keys<int>, sort_keys<size_t> },
                                                  { sort_pairs<int, uint32_t>, sort_pairs<size_t, uint32_t> },
                                                  { sort_pairs<int, uint64_t>, sort_pairs<size_t, uint64_t> } };
