/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file kokkos_adapter.hpp
 * @brief Lets the calls of scan.hpp take Kokkos::View, without a copy: of rank 1 as elements, of any rank as arrays.
 *
 * Views that the host can read are host memory; others are CUDA memory, and the context is one on Kokkos' stream:
 * scanrt::context::on_cuda(nullptr, Kokkos::Cuda().cuda_stream()). Fence Kokkos' other streams before a call.
 */
#ifndef SCANRT_EXAMPLES_KOKKOS_ADAPTER_HPP
#define SCANRT_EXAMPLES_KOKKOS_ADAPTER_HPP

#include <Kokkos_Core.hpp>
#include <scanrt/scan.hpp>

template <typename T, typename... Properties> struct scanrt::adapter<Kokkos::View<T, Properties...>> {
  using view_type = Kokkos::View<T, Properties...>; /**< The view. */
  using element = typename view_type::value_type;   /**< Its elements. */

  /** The elements of a view of rank 1 without gaps. */
  static mem_span<element> view(const view_type &x) {
    static_assert(view_type::rank == 1, "views of more axes are arrays: scanrt::inclusive_scan_array");
    static_assert(!std::is_same<typename view_type::array_layout, Kokkos::LayoutStride>::value,
                  "views with gaps are arrays: scanrt::inclusive_scan_array(ctx, in, out, 0, op)");
    return { memory(x), x.extent(0) };
  }

  /** The elements of a view as an array, with its strides. */
  static array_span<element> array(const view_type &x) {
    constexpr std::size_t rank = view_type::rank;
    std::uint64_t extents[rank];
    std::int64_t strides[rank];
    for (std::size_t axis = 0; axis < rank; axis++) {
      extents[axis] = x.extent(axis);
      strides[axis] = static_cast<std::int64_t>(x.stride(axis));
    }
    return { memory(x), rank, extents, strides };
  }

private:
  static scan_mem memory(const view_type &x) {
    using space = typename view_type::memory_space;
    if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, space>::accessible)
      return scan_host(x.data());
    else
      return scan_cuda_mem(reinterpret_cast<std::uintptr_t>(x.data()), x.span() * sizeof(element));
  }
};

#endif
