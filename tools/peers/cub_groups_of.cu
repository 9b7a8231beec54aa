/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of cub_groups.cu for one size of work-groups, SCANRT_GROUP_ITEMS. */
#include "cub_groups.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "scanrt/device/group.h"

SCANRT_DEFINE_GROUP_SUM(i32, int)
SCANRT_DEFINE_GROUP_SUM(f32, float)
SCANRT_DEFINE_GROUP_SUM(f64, double)

namespace {

constexpr int items = SCANRT_GROUP_ITEMS, row_values = 1;

/* The calls of group.h and of CUB under the same names. They include what a next call with the same memory needs. */
template <class T> struct ours;
#define GROUP_DEFINE_OURS(name, type)                                                                                  \
  template <> struct ours<type> {                                                                                      \
    typedef scanrt_scratch_##name scratch;                                                                             \
    template <int values> static __device__ void scan(type (&x)[values], scratch *s) {                                 \
      if constexpr (values == 1)                                                                                       \
        x[0] = scanrt_inclusive_##name(x[0], s);                                                                       \
      else                                                                                                             \
        scanrt_inclusive_items_##name(x, values, s);                                                                   \
    }                                                                                                                  \
    template <int values> static __device__ type reduce(const type (&x)[values], scratch *s) {                         \
      return scanrt_reduce_root_items_##name(x, values, s);                                                            \
    }                                                                                                                  \
    template <int values> static __device__ type reduce_all(const type (&x)[values], scratch *s) {                     \
      return scanrt_reduce_items_##name(x, values, s);                                                                 \
    }                                                                                                                  \
    static __device__ type row_scan(type x, scratch *s) { return scanrt_row_inclusive_##name(x, s); }                  \
    static __device__ type row_reduce(type x, scratch *s) { return scanrt_row_reduce_##name(x, s); }                   \
  };
GROUP_DEFINE_OURS(i32, int)
GROUP_DEFINE_OURS(f32, float)
GROUP_DEFINE_OURS(f64, double)

template <class T, cub::BlockScanAlgorithm by_scan, cub::BlockReduceAlgorithm by_reduce> struct peer {
  typedef cub::BlockScan<T, items, by_scan> block_scan;
  typedef cub::BlockReduce<T, items, by_reduce> block_reduce;
  typedef cub::WarpScan<T> warp_scan;
  typedef cub::WarpReduce<T> warp_reduce;
  struct scratch {
    union {
      typename block_scan::TempStorage scan;
      typename block_reduce::TempStorage reduce;
      typename warp_scan::TempStorage row_scan[items / 32];
      typename warp_reduce::TempStorage row_reduce[items / 32];
    };
    T all;
  };
  template <int values> static __device__ void scan(T (&x)[values], scratch *s) {
    block_scan(s->scan).InclusiveSum(x, x);
    __syncthreads();
  }
  template <int values> static __device__ T reduce(T (&x)[values], scratch *s) {
    const T total = block_reduce(s->reduce).Sum(x);
    __syncthreads();
    return total;
  }
  template <int values> static __device__ T reduce_all(T (&x)[values], scratch *s) {
    const T total = block_reduce(s->reduce).Sum(x);
    if (threadIdx.x == 0) s->all = total;
    __syncthreads();
    return s->all;
  }
  static __device__ T row_scan(T x, scratch *s) {
    warp_scan(s->row_scan[threadIdx.x / 32]).InclusiveSum(x, x);
    return x;
  }
  static __device__ T row_reduce(T x, scratch *s) { return warp_reduce(s->row_reduce[threadIdx.x / 32]).Sum(x); }
};

/* Repeats a call. A work-item that gets no total takes the number of the repetition in its place, so that nothing can
 * be computed once for all repetitions. */
template <class T, class library, group_call call, int values> __global__ void __launch_bounds__(items)
    repeat(const void *in, void *out, int repeats) {
  __shared__ typename library::scratch scratch;
  const size_t at = threadIdx.x * values;
  const T *from = static_cast<const T *>(in) + static_cast<size_t>(blockIdx.x % GROUP_SAMPLES) * items * values + at;
  T *to = static_cast<T *>(out) + static_cast<size_t>(blockIdx.x) * items * values + at;
  T x[values];
  for (int k = 0; k < values; k++) x[k] = from[k];
#pragma unroll 1
  for (int r = 0; r < repeats; r++) {
    T total = T(r);
    if constexpr (call == GROUP_SCAN) library::scan(x, &scratch);
    if constexpr (call == ROW_SCAN) x[0] = library::row_scan(x[0], &scratch);
    if constexpr (call == GROUP_REDUCE_ALL) total = library::reduce_all(x, &scratch);
    if constexpr (call == GROUP_REDUCE) {
      const T own = library::reduce(x, &scratch);
      if (threadIdx.x == 0) total = own;
    }
    if constexpr (call == ROW_REDUCE) {
      const T own = library::row_reduce(x[0], &scratch);
      if (threadIdx.x % 32 == 0) total = own;
    }
    const T feed = group_feed(total);
    for (int k = 0; k < values; k++)
      x[k] = call == GROUP_SCAN || call == ROW_SCAN ? group_next(x[k]) : group_mix(x[k], feed);
  }
  for (int k = 0; k < values; k++) to[k] = x[k];
}

/* CUB's default algorithms, and the others that may be faster. */
template <class T> using first_peer = peer<T, cub::BLOCK_SCAN_RAKING, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
template <class T> using other_peer = peer<T, cub::BLOCK_SCAN_WARP_SCANS, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;

template <class T, group_call call, int values> constexpr group_case case_of(group_type type) {
  constexpr bool is_row = call == ROW_SCAN || call == ROW_REDUCE;
  return { call,
           type,
           items,
           values,
           { repeat<T, ours<T>, call, values>, repeat<T, first_peer<T>, call, values>,
             is_row ? nullptr : repeat<T, other_peer<T>, call, values> } };
}

#define GROUP_CASES_OF_VALUES(type, TYPE, values)                                                                      \
  case_of<type, GROUP_SCAN, values>(TYPE), case_of<type, GROUP_REDUCE, values>(TYPE),                                  \
      case_of<type, GROUP_REDUCE_ALL, values>(TYPE)
#define GROUP_CASES(type, TYPE)                                                                                        \
  GROUP_CASES_OF_VALUES(type, TYPE, 1), GROUP_CASES_OF_VALUES(type, TYPE, 4), GROUP_CASES_OF_VALUES(type, TYPE, 8),    \
      GROUP_CASES_OF_VALUES(type, TYPE, GROUP_MOST_VALUES), case_of<type, ROW_SCAN, row_values>(TYPE),                 \
      case_of<type, ROW_REDUCE, row_values>(TYPE)

const group_case cases[] = { GROUP_CASES(int, GROUP_I32), GROUP_CASES(float, GROUP_F32),
                             GROUP_CASES(double, GROUP_F64) };

}

#define GROUP_TABLE_OF(items) cub_groups_##items
#define GROUP_TABLE(items) GROUP_TABLE_OF(items)

group_table GROUP_TABLE(SCANRT_GROUP_ITEMS)() { return { cases, static_cast<int>(sizeof cases / sizeof cases[0]) }; }
