/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file context.hpp
 * @brief Contexts, memory of their devices, and copies in the C++ interface. Included by scan.hpp.
 */
#ifndef SCANRT_CXX_CONTEXT_HPP
#define SCANRT_CXX_CONTEXT_HPP

#include <memory>

#include <scanrt/cxx/memory.hpp>
#include <scanrt/cxx/result.hpp>

namespace scanrt {

/** Options of a context: the fields of scan_ctx_options, with their defaults. */
struct context_options : scan_ctx_options {
  /** @param selector the device, such as "cuda:0", "opencl:pocl", "host"; nullptr: $SCANRT_DEVICE, else the best one */
  explicit context_options(const char *selector = nullptr) noexcept : scan_ctx_options(SCAN_CTX_OPTIONS_INIT) {
    device = selector;
  }
};

/** Owns a context: a device, its queue, its compiled kernels. One thread at a time uses it. It outlives its plans,
 *  operators and buffers. */
class context {
public:
#ifdef __cpp_exceptions
  /** Opens the best device. */
  context() : context(context_options()) {}
  /** Opens the device of that selector. */
  explicit context(const char *selector) : context(context_options(selector)) {}
  /** Opens a device. */
  explicit context(const scan_ctx_options &options) : context(open(std::nothrow, options).value()) {}

  /** Makes a context on the application's CUDA context and stream. @see scan_cuda_ctx_create */
  static context on_cuda(CUctx_st *cuda, CUstream_st *stream, const scan_ctx_options &options = context_options()) {
    return on_cuda(std::nothrow, cuda, stream, options).value();
  }
  /** Makes a context on the application's OpenCL context and queue. @see scan_opencl_ctx_create */
  static context on_opencl(_cl_context *opencl, _cl_command_queue *queue,
                           const scan_ctx_options &options = context_options()) {
    return on_opencl(std::nothrow, opencl, queue, options).value();
  }
#endif

  /** Opens a device. */
  static result<context> open(std::nothrow_t, const scan_ctx_options &options = context_options()) {
    scan_ctx *ctx = nullptr;
    const scan_status status = scan_ctx_create(&options, &ctx);
    return made(status, ctx);
  }
  /** Makes a context on the application's CUDA context and stream. @see scan_cuda_ctx_create */
  static result<context> on_cuda(std::nothrow_t, CUctx_st *cuda, CUstream_st *stream,
                                 const scan_ctx_options &options = context_options()) {
    scan_ctx *ctx = nullptr;
    const scan_status status = scan_cuda_ctx_create(&options, cuda, stream, &ctx);
    return made(status, ctx);
  }
  /** Makes a context on the application's OpenCL context and queue. @see scan_opencl_ctx_create */
  static result<context> on_opencl(std::nothrow_t, _cl_context *opencl, _cl_command_queue *queue,
                                   const scan_ctx_options &options = context_options()) {
    scan_ctx *ctx = nullptr;
    const scan_status status = scan_opencl_ctx_create(&options, opencl, queue, &ctx);
    return made(status, ctx);
  }

  /** Owns a context of the C interface from now on. @param owned destroyed with this object */
  static context adopt(scan_ctx *owned) noexcept { return context(owned, 0); }

  /** Returns the context, for the C interface. */
  scan_ctx *get() const noexcept { return ctx_.get(); }

  /** Waits for all work of the context. @return SCAN_OVERFLOW, SCAN_NO_PROGRESS, ...: see scan_sync */
  result<> sync(std::nothrow_t) const noexcept { return detail::result_of(scan_sync(get()), get()); }

  /** Returns the index that the last SCAN_OVERFLOW named. @see scan_overflow_index */
  result<uint64_t> overflow_index(std::nothrow_t) const {
    uint64_t index = 0;
    const scan_status status = scan_overflow_index(get(), &index);
    if (status != SCAN_SUCCESS) return detail::result_of(status, get());
    return index;
  }

  /** Describes the device that the context uses. */
  result<scan_device_info> device(std::nothrow_t) const {
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    const scan_status status = scan_ctx_device(get(), &info);
    if (status != SCAN_SUCCESS) return detail::result_of(status, get());
    return info;
  }

#ifdef __cpp_exceptions
  /** Waits for all work of the context, and throws what it reports: SCAN_OVERFLOW, SCAN_NO_PROGRESS, ... */
  void sync() const { sync(std::nothrow).value(); }
  /** Returns the index that the last SCAN_OVERFLOW named. */
  uint64_t overflow_index() const { return overflow_index(std::nothrow).value(); }
  /** Describes the device that the context uses. */
  scan_device_info device() const { return device(std::nothrow).value(); }
#endif

private:
  struct destroy {
    void operator()(scan_ctx *ctx) const noexcept { scan_ctx_destroy(ctx); }
  };
  context(scan_ctx *owned, int) noexcept : ctx_(owned) {}
  static result<context> made(scan_status status, scan_ctx *ctx) {
    if (status != SCAN_SUCCESS) return detail::result_of(status, nullptr);
    return context(ctx, 0);
  }

  std::unique_ptr<scan_ctx, destroy> ctx_;
};

/** Names the context of a call: a scanrt::context, or one of the C interface. */
class context_ref {
public:
  context_ref(const context &ctx) noexcept : ctx_(ctx.get()) {} /**< A context. */
  context_ref(scan_ctx *ctx) noexcept : ctx_(ctx) {}            /**< A context of the C interface. */
  scan_ctx *get() const noexcept { return ctx_; }               /**< Returns it. */

private:
  scan_ctx *ctx_;
};

namespace detail {

/* A call in two forms: f(ctx, ...) throws, f(std::nothrow, ctx, ...) returns a result. */
template <typename Call> struct function {
  template <typename... Arguments> auto operator()(std::nothrow_t, context_ref ctx, Arguments &&...arguments) const {
    return Call::call(ctx.get(), std::forward<Arguments>(arguments)...);
  }
#ifdef __cpp_exceptions
  template <typename... Arguments> auto operator()(context_ref ctx, Arguments &&...arguments) const {
    return Call::call(ctx.get(), std::forward<Arguments>(arguments)...).value();
  }
#endif
};

struct copy_call {
  template <typename From, typename To> static result<> call(scan_ctx *ctx, From &&from, To &&to) {
    static_assert(std::is_same<element_of<From>, element_of<To>>::value, "copy: elements of different types");
    const auto source = input(from);
    const auto target = output(to);
    const scan_mem in = source.mem(), out = target.mem();
    const uint64_t bytes = source.size() * sizeof(element_of<From>);
    if (target.size() < source.size()) return refusal("copy: the output has fewer elements than the input");
    if (bytes == 0) return {};
    if (in.kind == SCAN_MEM_HOST && out.kind != SCAN_MEM_HOST)
      return result_of(scan_write(ctx, out, scan_host_ptr(in), bytes), ctx);
    if (out.kind == SCAN_MEM_HOST && in.kind != SCAN_MEM_HOST)
      return result_of(scan_read(ctx, in, scan_host_ptr(out), bytes), ctx);
    return result_of(scan_copy(ctx, out, in, bytes), ctx);
  }
};

}

/** copy(ctx, from, to): copies all elements of `from`. Between host and device it blocks (scan_write, scan_read); on
 *  the device it is asynchronous (scan_copy). */
inline constexpr detail::function<detail::copy_call> copy{};

/** Owns memory of the context's device for `size` elements, which are only read where the buffer is const. Freed after
 *  the work that uses it, before the context. */
template <typename T> class buffer {
  static_assert(std::is_trivially_copyable<T>::value, "buffers hold trivially copyable elements");

public:
  using element = T; /**< The element. */

  /** Allocates the memory, whose content is unspecified. */
  static result<buffer> make(std::nothrow_t, context_ref ctx, uint64_t size) {
    scan_mem mem = SCAN_NO_MEM;
    if (size > UINT64_MAX / sizeof(T)) return detail::refusal("buffer: more bytes than an address has");
    const scan_status status = size ? scan_alloc(ctx.get(), size * sizeof(T), &mem) : SCAN_SUCCESS;
    if (status != SCAN_SUCCESS) return detail::result_of(status, ctx.get());
    return buffer(ctx.get(), mem, size);
  }
#ifdef __cpp_exceptions
  /** Allocates the memory, whose content is unspecified. */
  buffer(context_ref ctx, uint64_t size) : buffer(make(std::nothrow, ctx, size).value()) {}
#endif
  buffer(buffer &&other) noexcept
      : ctx_(other.ctx_), mem_(std::exchange(other.mem_, scan_mem())), size_(std::exchange(other.size_, 0)) {}
  buffer &operator=(buffer &&other) noexcept {
    std::swap(ctx_, other.ctx_);
    std::swap(mem_, other.mem_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~buffer() { (void)scan_free(ctx_, mem_); }

  scan_mem mem() const noexcept { return mem_; }   /**< Returns the memory, for the C interface. */
  uint64_t size() const noexcept { return size_; } /**< Returns the number of elements. */

  /** Returns a view of some elements. @see mem_span::subspan */
  mem_span<T> subspan(uint64_t offset, uint64_t count = unsized) noexcept {
    return mem_span<T>(mem_, size_).subspan(offset, count);
  }
  /** Returns a view of some elements, to be read. @see mem_span::subspan */
  mem_span<const T> subspan(uint64_t offset, uint64_t count = unsized) const noexcept {
    return mem_span<const T>(mem_, size_).subspan(offset, count);
  }

private:
  buffer(scan_ctx *ctx, scan_mem mem, uint64_t size) noexcept : ctx_(ctx), mem_(mem), size_(size) {}

  scan_ctx *ctx_;
  scan_mem mem_;
  uint64_t size_;
};

}

#endif
