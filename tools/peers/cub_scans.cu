/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's scans of one group of types, with CUB's tuning. Every operator but minimum and maximum wraps around or works
 * on bits, so signed integers are computed in the unsigned type (cub.cu), which has the same bits and halves the build.
 * */
#ifndef CUB_GROUP
#error CUB_GROUP: which pairs to compile, CUB_PAIRS_SMALL or CUB_PAIRS_LARGE of cub_scans.h
#endif

#include "cub_scans.h"

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <cuda/std/type_traits>
#if CUB_VERSION >= 300000
#include <cuda/functional>
#endif

namespace {

using i8 = int8_t;
using u8 = uint8_t;
using i16 = int16_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using f32 = float;
using f64 = double;

#if CUB_VERSION >= 300000
template <class T> using minimum = cuda::minimum<T>;
template <class T> using maximum = cuda::maximum<T>;
#else
template <class T> using minimum = cub::Min;
template <class T> using maximum = cub::Max;
#endif

/* Returns a member of the union; all members share their first byte. */
template <class T> T value_of(const scan_value &seed) { return reinterpret_cast<const T &>(seed); }

template <class op, class input, class output, class N>
cudaError_t inclusive(void *workspace, size_t &workspace_bytes, const void *in, void *out, const scan_value &seed,
                      int64_t n, cudaStream_t stream) {
  (void)seed;
  return cub::DeviceScan::InclusiveScan(workspace, workspace_bytes, static_cast<const input *>(in),
                                        static_cast<output *>(out), op{}, static_cast<N>(n), stream);
}

/* Scans with an initial value, which makes the accumulator as wide as the output. */
#if CUB_VERSION >= 200600
template <class op, class input, class output, class N>
cudaError_t inclusive_widened(void *workspace, size_t &workspace_bytes, const void *in, void *out,
                              const scan_value &seed, int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScanInit(workspace, workspace_bytes, static_cast<const input *>(in),
                                            static_cast<output *>(out), op{}, value_of<output>(seed), static_cast<N>(n),
                                            stream);
}
#endif

template <class op, class input, class output, class N>
cudaError_t exclusive(void *workspace, size_t &workspace_bytes, const void *in, void *out, const scan_value &seed,
                      int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveScan(workspace, workspace_bytes, static_cast<const input *>(in),
                                        static_cast<output *>(out), op{}, value_of<output>(seed), static_cast<N>(n),
                                        stream);
}

template <class op, class T> void fill(cub_pair &pair, scan_op_id id) {
  pair.scan[id][SCAN_INCLUSIVE] = inclusive<op, T, T, int64_t>;
  pair.scan[id][SCAN_EXCLUSIVE] = exclusive<op, T, T, int64_t>;
}

/* Uses typed functors: with plus<> a sum of bytes would accumulate in int. */
template <class T> cub_pair same_type() {
  cub_pair pair = {};
  fill<minimum<T>, T>(pair, SCAN_MIN);
  fill<maximum<T>, T>(pair, SCAN_MAX);
  if constexpr (!cuda::std::is_integral<T>::value || cuda::std::is_unsigned<T>::value) {
    fill<cuda::std::plus<T>, T>(pair, SCAN_ADD);
    pair.sum32[SCAN_INCLUSIVE] = inclusive<cuda::std::plus<T>, T, T, int>;
    pair.sum32[SCAN_EXCLUSIVE] = exclusive<cuda::std::plus<T>, T, T, int>;
    fill<cuda::std::multiplies<T>, T>(pair, SCAN_MUL);
  }
  if constexpr (cuda::std::is_unsigned<T>::value) {
    fill<cuda::std::bit_and<T>, T>(pair, SCAN_AND);
    fill<cuda::std::bit_or<T>, T>(pair, SCAN_OR);
    fill<cuda::std::bit_xor<T>, T>(pair, SCAN_XOR);
  }
  return pair;
}

template <class input, class output> cub_pair widening() {
  using op = cuda::std::plus<output>;
  cub_pair pair = {};
#if CUB_VERSION >= 200600
  pair.scan[SCAN_ADD][SCAN_INCLUSIVE] = inclusive_widened<op, input, output, int64_t>;
  pair.sum32[SCAN_INCLUSIVE] = inclusive_widened<op, input, output, int>;
#endif
  pair.scan[SCAN_ADD][SCAN_EXCLUSIVE] = exclusive<op, input, output, int64_t>;
  pair.sum32[SCAN_EXCLUSIVE] = exclusive<op, input, output, int>;
  return pair;
}

template <class input, class output> cub_pair make() {
  if constexpr (cuda::std::is_same<input, output>::value)
    return same_type<output>();
  else
    return widening<input, output>();
}

}

#define CUB_DEFINE_PAIR(input, INPUT, type, TYPE) const cub_pair cub_pair_##input##_##type = make<input, type>();
CUB_GROUP(CUB_DEFINE_PAIR)
