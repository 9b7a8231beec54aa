/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's run-length encoding and reduction by key, with CUB's tuning: keys of u32 and u64, lengths of u32, sums of
 * integers and of floating point. A file of its own, since it takes as long to compile as the others. */
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/version.cuh>

#include "cub_select.h"

namespace {

template <class T> const T *input(const bench_select_memory &memory, int a) {
  return static_cast<const T *>(memory.in[a]);
}
template <class T> T *output(const bench_select_memory &memory, int a) { return static_cast<T *>(memory.out[a]); }

template <class K> cudaError_t encode(void *workspace, size_t &workspace_bytes, const bench_select_case &what,
                                      const bench_select_memory &memory, cudaStream_t stream) {
  return cub::DeviceRunLengthEncode::Encode(workspace, workspace_bytes, input<K>(memory, 0), output<K>(memory, 0),
                                            output<uint32_t>(memory, 1), memory.count, static_cast<int>(what.n),
                                            stream);
}

struct plus {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};

template <class K, class T, class N> cudaError_t sum_of(void *workspace, size_t &workspace_bytes,
                                                        const bench_select_case &what,
                                                        const bench_select_memory &memory, cudaStream_t stream) {
  return cub::DeviceReduce::ReduceByKey(workspace, workspace_bytes, input<K>(memory, 0), output<K>(memory, 0),
                                        input<T>(memory, 1), output<T>(memory, 1), memory.count, plus{},
                                        static_cast<N>(what.n), stream);
}

template <class K, class T> cudaError_t sum(void *workspace, size_t &workspace_bytes, const bench_select_case &what,
                                            const bench_select_memory &memory, cudaStream_t stream) {
  if (what.variant == 1) return sum_of<K, T, int>(workspace, workspace_bytes, what, memory, stream);
  return sum_of<K, T, int64_t>(workspace, workspace_bytes, what, memory, stream);
}

/* Returns the sum for a case. Integers are added in the unsigned type, which has the same bits and wraps around. */
template <class K> cub_compaction *find_sum(const bench_select_case &what) {
  switch (what.type) {
  case SCAN_I32:
  case SCAN_U32: return sum<K, uint32_t>;
  case SCAN_I64:
  case SCAN_U64: return sum<K, uint64_t>;
  case SCAN_F32: return sum<K, float>;
  case SCAN_F64: return sum<K, double>;
  default: return nullptr;
  }
}

template <class K> cub_compaction *find_of(const bench_select_case &what) {
  if (what.by == BENCH_SELECT_REDUCE) return what.op == SCAN_ADD ? find_sum<K>(what) : nullptr;
  return what.n <= INT32_MAX ? encode<K> : nullptr;
}

}

cub_compaction *cub_find_runs(const bench_select_case &what) {
  if (what.by != BENCH_SELECT_RUN_LENGTHS && what.by != BENCH_SELECT_REDUCE) return nullptr;
  return what.looked_bytes == 4 ? find_of<uint32_t>(what) : what.looked_bytes == 8 ? find_of<uint64_t>(what) : nullptr;
}
