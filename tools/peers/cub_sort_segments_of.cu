/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's DeviceSegmentedSort, in its stable variant, and DeviceSegmentedRadixSort of one key type, CUB_SORT_NAME
 * (such as u32) with the C type CUB_SORT_KEY (uint32_t). Offsets have 4 bytes. */
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "cub_sort.h"

namespace {

typedef CUB_SORT_KEY key;

const int bits = static_cast<int>(8 * sizeof(key));

cudaError_t sort_keys(void *workspace, size_t &workspace_bytes, const bench_sort_memory &m, int n, int segments,
                      cudaStream_t stream) {
  const uint32_t *offsets = static_cast<const uint32_t *>(m.offsets);
  return cub::DeviceSegmentedSort::SortKeys(workspace, workspace_bytes, static_cast<const key *>(m.keys_in),
                                            static_cast<key *>(m.keys_out), n, segments, offsets, offsets + 1, stream);
}

cudaError_t radix_sort_keys(void *workspace, size_t &workspace_bytes, const bench_sort_memory &m, int n, int segments,
                            cudaStream_t stream) {
  const uint32_t *offsets = static_cast<const uint32_t *>(m.offsets);
  return cub::DeviceSegmentedRadixSort::SortKeys(workspace, workspace_bytes, static_cast<const key *>(m.keys_in),
                                                 static_cast<key *>(m.keys_out), n, segments, offsets, offsets + 1, 0,
                                                 bits, stream);
}

template <class V> cudaError_t sort_pairs(void *workspace, size_t &workspace_bytes, const bench_sort_memory &m, int n,
                                          int segments, cudaStream_t stream) {
  const uint32_t *offsets = static_cast<const uint32_t *>(m.offsets);
  return cub::DeviceSegmentedSort::StableSortPairs(
      workspace, workspace_bytes, static_cast<const key *>(m.keys_in), static_cast<key *>(m.keys_out),
      static_cast<const V *>(m.values_in), static_cast<V *>(m.values_out), n, segments, offsets, offsets + 1, stream);
}

template <class V> cudaError_t radix_sort_pairs(void *workspace, size_t &workspace_bytes, const bench_sort_memory &m,
                                                int n, int segments, cudaStream_t stream) {
  const uint32_t *offsets = static_cast<const uint32_t *>(m.offsets);
  return cub::DeviceSegmentedRadixSort::SortPairs(workspace, workspace_bytes, static_cast<const key *>(m.keys_in),
                                                  static_cast<key *>(m.keys_out), static_cast<const V *>(m.values_in),
                                                  static_cast<V *>(m.values_out), n, segments, offsets, offsets + 1, 0,
                                                  bits, stream);
}

}

#define CUB_SORT_JOIN(a, b) a##b
#define CUB_SORT_TABLE(name) CUB_SORT_JOIN(cub_segmented_sorts_, name)
const cub_segmented_sorts CUB_SORT_TABLE(CUB_SORT_NAME) = { { sort_keys, radix_sort_keys },
                                                            { sort_pairs<uint32_t>, radix_sort_pairs<uint32_t> },
                                                            { sort_pairs<uint64_t>, radix_sort_pairs<uint64_t> } };
