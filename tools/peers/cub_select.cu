/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's compaction as a peer of `scanrt bench --select`: DeviceSelect's If, Flagged and Unique and DevicePartition's
 * If, into two and three parts, and Flagged, with CUB's tuning. Where CUB has no call, iterators are used, as its users
 * do: for bits, indices and two arrays of 4 bytes. */
#include "cub_select.h"

#include <cstdio>
#include <new>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

namespace {

struct alignas(16) wide {
  uint64_t low, high;
};

__host__ __device__ inline uint32_t lowest(const wide &x) { return static_cast<uint32_t>(x.low); }
__host__ __device__ inline uint32_t lowest(const thrust::tuple<uint32_t, uint32_t> &x) { return thrust::get<0>(x); }
template <class T> __host__ __device__ uint32_t lowest(const T &x) { return static_cast<uint32_t>(x); }

struct below {
  uint32_t threshold;
  template <class T> __host__ __device__ bool operator()(const T &x) const { return lowest(x) < threshold; }
};

struct bit_at {
  const uint32_t *words;
  __host__ __device__ bool operator()(int64_t i) const { return words[i >> 5] >> (i & 31) & 1; }
};

struct begins_run {
  const uint32_t *keys;
  __host__ __device__ bool operator()(uint32_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
};

const uint8_t *flags_of(const bench_select_memory &memory) { return static_cast<const uint8_t *>(memory.marks); }

thrust::transform_iterator<bit_at, thrust::counting_iterator<int64_t>> bits_of(const bench_select_memory &memory) {
  return thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                         bit_at{ static_cast<const uint32_t *>(memory.marks) });
}

int64_t items(const bench_select_case &what) { return static_cast<int64_t>(what.n); }

/* 1 if variant 1, an int as n, is asked for. Only partitions and sums by key have it. */
bool takes_int(const bench_select_case &what) { return what.variant == 1; }

/* ---- payloads ---- */

template <class T> struct elements {
  static const T *in(const bench_select_memory &memory) { return static_cast<const T *>(memory.in[0]); }
  static T *out(const bench_select_memory &memory) { return static_cast<T *>(memory.out[0]); }
};

struct two_arrays {
  static auto in(const bench_select_memory &memory) {
    return thrust::make_zip_iterator(
        thrust::make_tuple(static_cast<const uint32_t *>(memory.in[0]), static_cast<const uint32_t *>(memory.in[1])));
  }
  static auto out(const bench_select_memory &memory) {
    return thrust::make_zip_iterator(
        thrust::make_tuple(static_cast<uint32_t *>(memory.out[0]), static_cast<uint32_t *>(memory.out[1])));
  }
};

struct indices {
  static thrust::counting_iterator<uint32_t> in(const bench_select_memory &) {
    return thrust::counting_iterator<uint32_t>(0);
  }
  static uint32_t *out(const bench_select_memory &memory) { return static_cast<uint32_t *>(memory.out[0]); }
};

/* ---- the calls ---- */

#define COMPACTION(name) COMPACTION_OF(class moved, name)
#define COMPACTION_OF(parameters, name)                                                                                \
  template <parameters> cudaError_t name(void *workspace, size_t &workspace_bytes, const bench_select_case &what,      \
                                         const bench_select_memory &memory, cudaStream_t stream)

COMPACTION(select_if) {
  return cub::DeviceSelect::If(workspace, workspace_bytes, moved::in(memory), moved::out(memory), memory.count,
                               items(what), below{ what.threshold }, stream);
}

COMPACTION(select_flagged) {
  return cub::DeviceSelect::Flagged(workspace, workspace_bytes, moved::in(memory), flags_of(memory), moved::out(memory),
                                    memory.count, items(what), stream);
}

COMPACTION(select_bits) {
  return cub::DeviceSelect::Flagged(workspace, workspace_bytes, moved::in(memory), bits_of(memory), moved::out(memory),
                                    memory.count, items(what), stream);
}

COMPACTION(select_unique) {
  return cub::DeviceSelect::Unique(workspace, workspace_bytes, moved::in(memory), moved::out(memory), memory.count,
                                   items(what), stream);
}

#define WITH_N class moved, class N
COMPACTION_OF(WITH_N, partition_if) {
  return cub::DevicePartition::If(workspace, workspace_bytes, moved::in(memory), moved::out(memory), memory.count,
                                  static_cast<N>(what.n), below{ what.threshold }, stream);
}

COMPACTION_OF(WITH_N, partition_flagged) {
  return cub::DevicePartition::Flagged(workspace, workspace_bytes, moved::in(memory), flags_of(memory),
                                       moved::out(memory), memory.count, static_cast<N>(what.n), stream);
}

template <class T, class N> cudaError_t partition_three(void *workspace, size_t &workspace_bytes,
                                                        const bench_select_case &what,
                                                        const bench_select_memory &memory, cudaStream_t stream) {
  return cub::DevicePartition::If(workspace, workspace_bytes, static_cast<const T *>(memory.in[0]),
                                  static_cast<T *>(memory.out[0]), static_cast<T *>(memory.second[0]),
                                  static_cast<T *>(memory.rest[0]), memory.count, static_cast<N>(what.n),
                                  below{ what.threshold }, below{ what.second_threshold }, stream);
}

COMPACTION(select_run_begins) {
  return cub::DeviceSelect::If(workspace, workspace_bytes, moved::in(memory), moved::out(memory), memory.count,
                               items(what), begins_run{ static_cast<const uint32_t *>(memory.marks) }, stream);
}

#if CUB_VERSION >= 200600
COMPACTION(select_by_keys) {
  return cub::DeviceSelect::FlaggedIf(workspace, workspace_bytes, moved::in(memory),
                                      static_cast<const uint32_t *>(memory.marks), moved::out(memory), memory.count,
                                      items(what), below{ what.threshold }, stream);
}
#endif

cudaError_t unique_by_key(void *workspace, size_t &workspace_bytes, const bench_select_case &what,
                          const bench_select_memory &memory, cudaStream_t stream) {
  return cub::DeviceSelect::UniqueByKey(workspace, workspace_bytes, static_cast<const uint32_t *>(memory.in[0]),
                                        static_cast<const uint32_t *>(memory.in[1]),
                                        static_cast<uint32_t *>(memory.out[0]), static_cast<uint32_t *>(memory.out[1]),
                                        memory.count, items(what), stream);
}

/* ---- choosing a call ---- */

template <class moved> cub_compaction *find_partition(const bench_select_case &what) {
  if (what.by == SCAN_SELECT_FLAGS)
    return takes_int(what) ? partition_flagged<moved, int> : partition_flagged<moved, int64_t>;
  if (what.by == SCAN_SELECT_BITS) return nullptr;
  return takes_int(what) ? partition_if<moved, int> : partition_if<moved, int64_t>;
}

template <class moved> cub_compaction *find_marked(const bench_select_case &what) {
  if (what.rest == SCAN_REST_BEHIND) return find_partition<moved>(what);
  return what.by == SCAN_SELECT_FLAGS ? select_flagged<moved> : select_bits<moved>;
}

template <class T> cub_compaction *find_elements(const bench_select_case &what) {
  if (what.by == BENCH_SELECT_PARTITION3)
    return takes_int(what) ? partition_three<T, int> : partition_three<T, int64_t>;
  if (what.by == SCAN_SELECT_FLAGS || what.by == SCAN_SELECT_BITS) return find_marked<elements<T>>(what);
  if (what.looked_bytes != sizeof(T)) return nullptr;
  if (what.by == SCAN_SELECT_PREDICATE)
    return what.rest == SCAN_REST_BEHIND ? find_partition<elements<T>>(what) : select_if<elements<T>>;
  if constexpr (sizeof(T) <= 8)
    if (what.by == SCAN_SELECT_FIRST && what.rest == SCAN_REST_DROPPED) return select_unique<elements<T>>;
  return nullptr;
}

cub_compaction *find_indices(const bench_select_case &what) {
  if (what.rest != SCAN_REST_DROPPED || what.n > UINT32_MAX) return nullptr;
  if (what.by == SCAN_SELECT_FLAGS || what.by == SCAN_SELECT_BITS) return find_marked<indices>(what);
  if (what.looked_bytes != 4) return nullptr;
  if (what.by == SCAN_SELECT_FIRST) return select_run_begins<indices>;
#if CUB_VERSION >= 200600
  if (what.by == SCAN_SELECT_PREDICATE) return select_by_keys<indices>;
#endif
  return nullptr;
}

cub_compaction *find_two(const bench_select_case &what) {
  if (what.element_bytes[0] != 4 || what.element_bytes[1] != 4 || what.rest != SCAN_REST_DROPPED) return nullptr;
  switch (what.by) {
  case SCAN_SELECT_FLAGS: return select_flagged<two_arrays>;
  case SCAN_SELECT_PREDICATE: return select_if<two_arrays>;
  case SCAN_SELECT_FIRST: return unique_by_key;
  default: return nullptr;
  }
}

cub_compaction *find(const bench_select_case &what) {
  const bool is_three = what.by == BENCH_SELECT_PARTITION3;
  const bool has_variant = is_three || what.rest == SCAN_REST_BEHIND || what.by == BENCH_SELECT_REDUCE;
  if (what.variant > 1 || (takes_int(what) && (!has_variant || what.n > INT32_MAX))) return nullptr;
  if (what.rest == SCAN_REST_APART && !is_three) return nullptr;
  if (what.by > SCAN_SELECT_PREDICATE && !is_three) return cub_find_runs(what);
  if (what.arrays == 0) return find_indices(what);
  if (what.arrays == 2) return find_two(what);
  if (what.arrays != 1) return nullptr;
  switch (what.element_bytes[0]) {
  case 1: return find_elements<uint8_t>(what);
  case 2: return find_elements<uint16_t>(what);
  case 4: return find_elements<uint32_t>(what);
  case 8: return find_elements<uint64_t>(what);
  case 16: return find_elements<wide>(what);
  default: return nullptr;
  }
}

/* ---- the peer ---- */

/* A prepared compaction with its temporary storage. */
struct prepared {
  cub_compaction *run;
  bench_select_case what;
  void *workspace;
  size_t workspace_bytes;
};

int supports(const bench_select_case *what) { return find(*what) != nullptr; }

void destroy(void *state) {
  prepared *p = static_cast<prepared *>(state);
  if (!p) return;
  (void)cudaFree(p->workspace);
  delete p;
}

int prepare(const bench_select_case *what, void **state) {
  const bench_select_memory none = {};
  prepared *p = new (std::nothrow) prepared{ find(*what), *what, nullptr, 0 };
  if (!p) return cub_check(cudaErrorMemoryAllocation, "new");
  int rc = cub_check(p->run(nullptr, p->workspace_bytes, p->what, none, nullptr), "a size of temporary storage");
  if (rc == 0) rc = cub_check(cudaMalloc(&p->workspace, p->workspace_bytes), "cudaMalloc");
  if (rc != 0) {
    destroy(p);
    return rc;
  }
  *state = p;
  return 0;
}

int start(void *state, const bench_select_memory *memory, void *stream) {
  prepared *p = static_cast<prepared *>(state);
  return cub_check(p->run(p->workspace, p->workspace_bytes, p->what, *memory, static_cast<cudaStream_t>(stream)),
                   "CUB's compaction");
}

}

/* 1: CUB writes the rest from the end. */
const bench_peer_select cub_select_peer = { supports, prepare, start, destroy, 1 };
