/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file thrust_adapter.hpp
 * @brief Lets the calls of scan.hpp take thrust::device_vector: its memory, without a copy.
 */
#ifndef SCANRT_EXAMPLES_THRUST_ADAPTER_HPP
#define SCANRT_EXAMPLES_THRUST_ADAPTER_HPP

#include <scanrt/scan.hpp>
#include <thrust/device_vector.h>

template <typename T, typename Allocator> struct scanrt::adapter<thrust::device_vector<T, Allocator>> {
  /** The elements, to be written. */
  static device_span<T> view(thrust::device_vector<T, Allocator> &x) {
    return { thrust::raw_pointer_cast(x.data()), x.size() };
  }
  /** The elements, to be read. */
  static device_span<const T> view(const thrust::device_vector<T, Allocator> &x) {
    return { thrust::raw_pointer_cast(x.data()), x.size() };
  }
};

#endif
