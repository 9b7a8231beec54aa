/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file memory.hpp
 * @brief Memory of the C++ interface: typed views of host memory, CUDA memory, OpenCL buffers and shared pointers.
 * Included by scan.hpp.
 *
 * Calls take, for inputs and outputs:
 * - contiguous ranges with data() and size(), and C arrays: host memory. std::vector, std::array, std::span;
 * - a mem_span of any memory, a device_span, a buffer;
 * - for outputs also a host pointer or a device_ptr, whose size is not known and not checked.
 *
 * The first input says how many elements a call has. An output whose size is known and too small is refused
 * (SCAN_INVALID_ARGUMENT) before anything is launched. Nothing is copied or allocated to pass memory.
 */
#ifndef SCANRT_CXX_MEMORY_HPP
#define SCANRT_CXX_MEMORY_HPP

#include <iterator>
#include <type_traits>

#include <scanrt/cxx/types.hpp>
#include <scanrt/scan_cuda.h>
#include <scanrt/scan_opencl.h>

namespace scanrt {

/** The size of memory whose size is not known. */
inline constexpr uint64_t unsized = UINT64_MAX;

/** No memory, where a call can do without: for a count, keys or lengths that are not wanted. */
struct none_t {};
inline constexpr none_t none{}; /**< No memory. */

/** A view of elements in memory of any kind. Not owned. @tparam T the element; const T: memory that is only read. */
template <typename T> class mem_span {
public:
  using element = T; /**< The element. */

  /** No elements. */
  constexpr mem_span() noexcept = default;

  /** @param mem the first element's memory @param size elements; unsized: not known, not checked */
  constexpr mem_span(scan_mem mem, uint64_t size) noexcept : mem_(mem), size_(size) {}

  /** A view of memory that is only read, of one that may be written. */
  template <typename U, typename = std::enable_if_t<std::is_convertible<U (*)[], T (*)[]>::value>>
  constexpr mem_span(const mem_span<U> &other) noexcept : mem_(other.mem()), size_(other.size()) {}

  /** Returns the memory, for the C interface. */
  constexpr scan_mem mem() const noexcept { return mem_; }

  /** Returns the number of elements, or unsized. */
  constexpr uint64_t size() const noexcept { return size_; }

  /** Returns the view that begins `offset` elements further on. @param count its elements; unsized: all that follow */
  mem_span subspan(uint64_t offset, uint64_t count = unsized) const noexcept {
    if (count == unsized && size_ != unsized) count = offset < size_ ? size_ - offset : 0;
    return { scan_offset(mem_, offset * sizeof(T)), count };
  }

private:
  scan_mem mem_ = scan_mem();
  uint64_t size_ = 0;
};

/** A pointer to CUDA memory of the application's, such as cudaMalloc gives. Not to be dereferenced on the host. */
template <typename T> class device_ptr {
public:
  using element = T; /**< The element. */

  /** @param pointer to memory of the context's device */
  constexpr explicit device_ptr(T *pointer) noexcept : pointer_(pointer) {}

  constexpr T *get() const noexcept { return pointer_; } /**< Returns the pointer. */

  /** Returns the pointer to the element `items` further on. */
  constexpr device_ptr operator+(std::ptrdiff_t items) const noexcept { return device_ptr(pointer_ + items); }

  /** Returns the memory, for the C interface. */
  scan_mem mem() const noexcept { return scan_cuda_mem(reinterpret_cast<std::uintptr_t>(pointer_), 0); }

  static constexpr uint64_t size() noexcept { return unsized; } /**< Not known. */

private:
  T *pointer_;
};

/** A view of CUDA memory of the application's. */
template <typename T> class device_span : public mem_span<T> {
public:
  /** @param pointer to memory of the context's device @param size elements */
  device_span(T *pointer, uint64_t size) noexcept
      : mem_span<T>(scan_cuda_mem(reinterpret_cast<std::uintptr_t>(pointer), size * sizeof(T)), size) {}
  /** @param pointer to memory of the context's device @param size elements */
  device_span(device_ptr<T> pointer, uint64_t size) noexcept : device_span(pointer.get(), size) {}
};

/** A view of host memory, for pointers. @param pointer the first of `size` elements */
template <typename T> mem_span<T> host_span(T *pointer, uint64_t size) noexcept { return { scan_host(pointer), size }; }

/** A view of a cl_mem. @param buffer not retained @param size elements @param offset of the first one, in elements */
template <typename T> mem_span<T> buffer_span(_cl_mem *buffer, uint64_t size, uint64_t offset = 0) noexcept {
  return { scan_opencl_mem(buffer, offset * sizeof(T)), size };
}

/** A view of OpenCL's shared virtual memory. @see scan_opencl_svm */
template <typename T> mem_span<T> svm_span(T *pointer, uint64_t size) noexcept {
  return { scan_opencl_svm(const_cast<std::remove_const_t<T> *>(pointer), size * sizeof(T)), size };
}

/** A view of OpenCL's unified shared memory. @see scan_opencl_usm */
template <typename T> mem_span<T> usm_span(T *pointer, uint64_t size) noexcept {
  return { scan_opencl_usm(const_cast<std::remove_const_t<T> *>(pointer), size * sizeof(T)), size };
}

/**
 * Lets calls take containers of other libraries. Specialise it with
 *
 *     static scanrt::mem_span<T> view(X &x);     // and of const X, where it may be read only
 *
 * tools/examples/cxx/ has it for thrust::device_vector, Kokkos::View and cl::Buffer.
 */
template <typename X> struct adapter;

template <typename T> class buffer;

namespace detail {

template <typename X, typename = void> struct has_adapter : std::false_type {};
template <typename X> struct has_adapter<X, std::void_t<decltype(adapter<bare<X>>::view(std::declval<X &>()))>>
    : std::true_type {};

template <typename X, typename = void> struct has_mem : std::false_type {};
template <typename X>
struct has_mem<X, std::void_t<typename X::element, decltype(std::declval<X &>().mem(), std::declval<X &>().size())>>
    : std::true_type {};

/* The element of a view: const where the object owns its memory, as a buffer, and is const. */
template <typename X> struct mem_element { using type = typename std::remove_const_t<X>::element; };
template <typename T> struct mem_element<const buffer<T>> { using type = const T; };

/* The view of what a call was given. */
template <typename X> auto view(X &&x) {
  using type = bare<X>;
  if constexpr (has_adapter<std::remove_reference_t<X>>::value) {
    return adapter<type>::view(x);
  } else if constexpr (has_mem<type>::value) {
    return mem_span<typename mem_element<std::remove_reference_t<X>>::type>(x.mem(), x.size());
  } else if constexpr (std::is_same<type, none_t>::value) {
    return mem_span<none_t>(scan_mem(), unsized);
  } else if constexpr (std::is_pointer<type>::value) {
    return mem_span<std::remove_pointer_t<type>>(scan_host(x), unsized);
  } else {
    auto *data = std::data(x);
    return mem_span<std::remove_pointer_t<decltype(data)>>(scan_host(data), std::size(x));
  }
}

template <typename X> using view_of = decltype(view(std::declval<X>()));
template <typename X> using element_of = std::remove_const_t<typename view_of<X>::element>;

template <typename X> constexpr bool is_none() { return std::is_same<bare<X>, none_t>::value; }
template <typename X> constexpr bool knows_size() {
  using type = bare<X>;
  return !std::is_pointer<type>::value && !is_none<X>() && !std::is_same<type, device_ptr<element_of<X>>>::value &&
         !std::is_same<type, device_ptr<const element_of<X>>>::value;
}

/* The view of an input, which says how many elements there are. */
template <typename X> auto input(X &&x) {
  static_assert(knows_size<X>(), "a pointer does not say how many elements the call has: give a range, std::span, "
                                 "scanrt::host_span(pointer, n) or scanrt::device_span(pointer, n)");
  return view(std::forward<X>(x));
}

/* The view of an output. */
template <typename X> auto output(X &&x) {
  static_assert(!std::is_const<typename view_of<X>::element>::value, "an output is const");
  return view(std::forward<X>(x));
}

/* true where both are the same memory, from the same byte on. */
inline bool is_same(const scan_mem &a, const scan_mem &b) noexcept {
  return a.kind != SCAN_MEM_NONE && a.kind == b.kind && a.handle == b.handle && a.offset_bytes == b.offset_bytes;
}

}
}

#endif
