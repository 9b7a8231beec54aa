/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's radix sort as a peer of `scanrt bench --sort` and `--split`: DeviceRadixSort's SortKeys and SortPairs and
 * their descending variants (cub_sort_of.cu); for segments DeviceSegmentedSort and DeviceSegmentedRadixSort
 * (cub_sort_segments_of.cu). An argsort is a sort of pairs whose values are an array of indices made in advance, and
 * whose sorted keys are unused. */
#include "cub_sort.h"
#include "cub_histogram.h"
#include "cub_select.h"

#include <climits>
#include <new>

namespace {

const cub_sorts *find_type(scan_type type) {
#define CUB_SORT_FIND(name, key, number)                                                                               \
  if (type == number) return &cub_sorts_##name;
  CUB_SORT_TYPES(CUB_SORT_FIND)
#undef CUB_SORT_FIND
  return nullptr;
}

const cub_segmented_sorts *find_segmented_type(scan_type type) {
#define CUB_SEGMENTED_FIND(name, key, number)                                                                          \
  if (type == number) return &cub_segmented_sorts_##name;
  CUB_SEGMENTED_TYPES(CUB_SEGMENTED_FIND)
#undef CUB_SEGMENTED_FIND
  return nullptr;
}

/* Returns the sort of a key type that moves values of `value_bytes` bytes. */
template <class sorts> auto of_values(const sorts &of, uint32_t value_bytes, int variant) {
  return value_bytes == 0 ? of.keys[variant] : value_bytes == 4 ? of.pairs4[variant] : of.pairs8[variant];
}

cub_sort *find(const bench_sort_case &what, int variant) {
  if (what.segment_items || variant >= CUB_SORT_VARIANTS) return nullptr;
  if (what.what == BENCH_SORT_HISTOGRAM) return cub_find_histogram(what, variant);
  const cub_sorts *sorts = find_type(what.key_type);
  if (!sorts || (variant == CUB_SORT_INT && what.n > INT_MAX)) return nullptr;
  return of_values(*sorts, what.value_bytes, variant);
}

/* Returns the segmented sort for a case. The variants for segments are numbered behind the others. */
cub_segmented_sort *find_segmented(const bench_sort_case &what, int variant) {
  const cub_segmented_sorts *sorts = find_segmented_type(what.key_type);
  if (!sorts || !what.segment_items || variant < CUB_SORT_VARIANTS || what.n > INT_MAX) return nullptr;
  return of_values(*sorts, what.value_bytes, variant - CUB_SORT_VARIANTS);
}

/* A prepared sort with its temporary storage, and the extra memory of an argsort. */
struct prepared {
  cub_sort *sort; /* NULL for a segmented sort */
  cub_segmented_sort *segmented;
  bench_sort_case what;
  void *workspace;
  size_t workspace_bytes;
  void *indices, *keys;
};

template <class T> __global__ void fill_indices(T *indices, uint64_t n) {
  const uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) indices[i] = static_cast<T>(i);
}

cudaError_t make_indices(const prepared &p) {
  const unsigned threads = 256, blocks = static_cast<unsigned>((p.what.n + threads - 1) / threads);
  if (p.what.value_bytes == 4)
    fill_indices<<<blocks, threads>>>(static_cast<uint32_t *>(p.indices), p.what.n);
  else
    fill_indices<<<blocks, threads>>>(static_cast<uint64_t *>(p.indices), p.what.n);
  const cudaError_t launched = cudaGetLastError();
  return launched == cudaSuccess ? cudaDeviceSynchronize() : launched;
}

int prepare_argsort(prepared &p) {
  int rc = cub_check(cudaMalloc(&p.keys, p.what.n * find_type(p.what.key_type)->key_bytes), "cudaMalloc");
  if (rc == 0) rc = cub_check(cudaMalloc(&p.indices, p.what.n * p.what.value_bytes), "cudaMalloc");
  return rc == 0 ? cub_check(make_indices(p), "a kernel that writes indices") : rc;
}

int supports(const bench_sort_case *what, int variant) {
  return find(*what, variant) != nullptr || find_segmented(*what, variant) != nullptr;
}

cudaError_t call(prepared &p, void *workspace, const bench_sort_memory &memory, cudaStream_t stream) {
  const int segments = static_cast<int>(bench_sort_segments(&p.what));
  if (p.sort) return p.sort(workspace, p.workspace_bytes, p.what, memory, stream);
  return p.segmented(workspace, p.workspace_bytes, memory, static_cast<int>(p.what.n), segments, stream);
}

void destroy(void *state) {
  prepared *p = static_cast<prepared *>(state);
  if (!p) return;
  (void)cudaFree(p->workspace);
  (void)cudaFree(p->indices);
  (void)cudaFree(p->keys);
  delete p;
}

int prepare(const bench_sort_case *what, int variant, void **state) {
  const bench_sort_memory none = {};
  prepared *p = new (std::nothrow)
      prepared{ find(*what, variant), find_segmented(*what, variant), *what, nullptr, 0, nullptr, nullptr };
  if (!p) return cub_check(cudaErrorMemoryAllocation, "new");
  int rc = cub_check(call(*p, nullptr, none, nullptr), "a size of temporary storage");
  if (rc == 0) rc = cub_check(cudaMalloc(&p->workspace, p->workspace_bytes), "cudaMalloc");
  if (rc == 0 && what->what == BENCH_SORT_ARGSORT) rc = prepare_argsort(*p);
  if (rc != 0) {
    destroy(p);
    return rc;
  }
  *state = p;
  return 0;
}

int start(void *state, const bench_sort_memory *memory, void *stream) {
  prepared *p = static_cast<prepared *>(state);
  bench_sort_memory given = *memory;
  if (p->what.what == BENCH_SORT_ARGSORT) {
    given.keys_out = p->keys;
    given.values_in = p->indices;
  }
  return cub_check(call(*p, p->workspace, given, static_cast<cudaStream_t>(stream)), "CUB's radix sort");
}

const char *const variants[] = { "int", "size_t", "segmented", "segmented radix", nullptr };

}

const bench_peer_sort cub_sort_peer = { variants, supports, prepare, start, destroy };
