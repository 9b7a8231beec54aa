/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's DeviceReduce::Sum, with a 64-bit number and an int as n, and DeviceSegmentedReduce::Sum as a peer of
 * `scanrt bench --reduce`. Signed integers are added in the unsigned type, which has the same bits. */
#include "cub_reduce.h"
#include "cub_select.h"

#include <new>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

namespace {

typedef cudaError_t reduction(void *workspace, size_t &workspace_bytes, const bench_reduce_case &what,
                              const bench_reduce_memory &memory, cudaStream_t stream);

template <class T> cudaError_t segments(void *workspace, size_t &workspace_bytes, const bench_reduce_case &what,
                                        const bench_reduce_memory &memory, cudaStream_t stream) {
  const uint32_t *offsets = static_cast<const uint32_t *>(memory.offsets);
  return cub::DeviceSegmentedReduce::Sum(workspace, workspace_bytes, static_cast<const T *>(memory.in),
                                         static_cast<T *>(memory.out), static_cast<int>(what.segments), offsets,
                                         offsets + 1, stream);
}

template <class T, class N> cudaError_t total(void *workspace, size_t &workspace_bytes, const bench_reduce_case &what,
                                              const bench_reduce_memory &memory, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(workspace, workspace_bytes, static_cast<const T *>(memory.in),
                                static_cast<T *>(memory.out), static_cast<N>(what.n), stream);
}

template <class T> reduction *find_of(const bench_reduce_case &what) {
  if (what.segments) return what.variant == 0 && what.segments <= INT32_MAX ? segments<T> : nullptr;
  if (what.variant == 0) return total<T, int64_t>;
  return what.variant == 1 && what.n <= INT32_MAX ? total<T, int> : nullptr;
}

reduction *find(const bench_reduce_case &what) {
  switch (what.type) {
  case SCAN_I8:
  case SCAN_U8: return find_of<uint8_t>(what);
  case SCAN_I32:
  case SCAN_U32: return find_of<uint32_t>(what);
  case SCAN_I64:
  case SCAN_U64: return find_of<uint64_t>(what);
  case SCAN_F32: return find_of<float>(what);
  case SCAN_F64: return find_of<double>(what);
  default: return nullptr;
  }
}

/* A prepared reduction with its temporary storage. */
struct prepared {
  reduction *run;
  bench_reduce_case what;
  void *workspace;
  size_t workspace_bytes;
};

int supports(const bench_reduce_case *what) { return find(*what) != nullptr; }

void destroy(void *state) {
  prepared *p = static_cast<prepared *>(state);
  if (!p) return;
  (void)cudaFree(p->workspace);
  delete p;
}

int prepare(const bench_reduce_case *what, void **state) {
  const bench_reduce_memory none = {};
  prepared *p = new (std::nothrow) prepared{ find(*what), *what, nullptr, 0 };
  if (!p) return cub_check(cudaErrorMemoryAllocation, "new");
  int rc = cub_check(p->run(nullptr, p->workspace_bytes, p->what, none, nullptr), "a size of temporary storage");
  /* With 0 bytes and no workspace the call would only ask for the size again. */
  if (rc == 0) rc = cub_check(cudaMalloc(&p->workspace, p->workspace_bytes + 1), "cudaMalloc");
  if (rc != 0) {
    destroy(p);
    return rc;
  }
  *state = p;
  return 0;
}

int start(void *state, const bench_reduce_memory *memory, void *stream) {
  prepared *p = static_cast<prepared *>(state);
  return cub_check(p->run(p->workspace, p->workspace_bytes, p->what, *memory, static_cast<cudaStream_t>(stream)),
                   "CUB's sum");
}

}

const bench_peer_reduce cub_reduce_peer = { supports, prepare, start, destroy };
