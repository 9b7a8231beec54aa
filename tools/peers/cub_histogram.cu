/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's DeviceHistogram as a peer of `scanrt bench --split histogram`: HistogramEven of a byte that an iterator
 * extracts from the bits of each unsigned key, with one level for each value. It counts in 32 bits, the fastest type
 * for CUB, and a kernel widens the counts. */
#include "cub_histogram.h"

#include <climits>

#include <cub/device/device_histogram.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace {

enum { MOST_BUCKETS = 256 };

template <class K> struct number_of {
  uint32_t first, mask, flipped;
  __host__ __device__ uint8_t operator()(K key) const {
    return static_cast<uint8_t>((static_cast<uint32_t>(key >> first) & mask) ^ flipped);
  }
};

__global__ void widen(const uint32_t *counts, uint64_t *wide, uint32_t buckets) {
  if (threadIdx.x < buckets) wide[threadIdx.x] = counts[threadIdx.x];
}

/* Counts. The workspace begins with the 32-bit counts. */
template <class K, class N> cudaError_t count(void *workspace, size_t &workspace_bytes, const bench_sort_case &what,
                                              const bench_sort_memory &memory, cudaStream_t stream) {
  const size_t counts_bytes = MOST_BUCKETS * sizeof(uint32_t);
  const uint32_t buckets = 1u << (what.end_bit - what.first_bit), mask = buckets - 1;
  const number_of<K> number = { what.first_bit, mask, what.descending ? mask : 0 };
  const auto samples = thrust::make_transform_iterator(static_cast<const K *>(memory.keys_in), number);
  uint32_t *counts = static_cast<uint32_t *>(workspace);
  size_t bytes = workspace ? workspace_bytes - counts_bytes : 0;
  void *own = workspace ? static_cast<char *>(workspace) + counts_bytes : nullptr;
  const cudaError_t rc =
      cub::DeviceHistogram::HistogramEven(own, bytes, samples, counts, static_cast<int>(buckets) + 1, 0,
                                          static_cast<int>(buckets), static_cast<N>(what.n), stream);
  if (!workspace) workspace_bytes = bytes + counts_bytes;
  if (!workspace || rc != cudaSuccess) return rc;
  widen<<<1, MOST_BUCKETS, 0, stream>>>(counts, memory.counts, buckets);
  return cudaGetLastError();
}

template <class K> cub_sort *count_of(int variant) {
  return variant == CUB_SORT_INT ? count<K, int> : count<K, long long>;
}

}

cub_sort *cub_find_histogram(const bench_sort_case &what, int variant) {
  if ((variant == CUB_SORT_INT && what.n > INT_MAX) || what.n > UINT32_MAX) return nullptr;
  switch (what.key_type) {
  case SCAN_U8: return count_of<uint8_t>(variant);
  case SCAN_U32: return count_of<uint32_t>(variant);
  case SCAN_U64: return count_of<uint64_t>(variant);
  default: return nullptr;
  }
}
