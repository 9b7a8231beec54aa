/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file stream.hpp
 * @brief Scans of host data larger than the device in the C++ interface. Included by scan.hpp.
 */
#ifndef SCANRT_CXX_STREAM_HPP
#define SCANRT_CXX_STREAM_HPP

#include <scanrt/cxx/scans.hpp>

namespace scanrt {

namespace detail {

/* The caller's functions, as the C interface calls them. They return true to go on. */
struct callbacks {
  void *read = nullptr, *write = nullptr, *progress = nullptr;
  template <typename T, typename F>
  static int call_read(void *user, uint64_t first, uint64_t items, void *to) noexcept {
    return !(*static_cast<F *>(static_cast<callbacks *>(user)->read))(first, items, static_cast<T *>(to));
  }
  template <typename T, typename F>
  static int call_write(void *user, uint64_t first, uint64_t items, const void *from) noexcept {
    return !(*static_cast<F *>(static_cast<callbacks *>(user)->write))(first, items, static_cast<const T *>(from));
  }
  template <typename F> static int call_progress(void *user, uint64_t done, uint64_t n) noexcept {
    return !(*static_cast<F *>(static_cast<callbacks *>(user)->progress))(done, n);
  }
};

/* A function of the caller's that gives the input, and one that takes the results. */
template <typename T> struct reader {
  using element = T;
  void *function;
  scan_stream_read *call;
  uint64_t n;
};
template <typename T> struct writer {
  using element = T;
  void *function;
  scan_stream_write *call;
};
template <typename X> struct is_reader : std::false_type {};
template <typename T> struct is_reader<reader<T>> : std::true_type {};
template <typename X> struct is_writer : std::false_type {};
template <typename T> struct is_writer<writer<T>> : std::true_type {};

/* The element of one side of a stream: of a function's, or of host memory. */
template <typename X, bool IsFunction> struct stream_element { using type = element_of<X>; };
template <typename X> struct stream_element<X, true> { using type = typename bare<X>::element; };

struct stream_request : scan_spec_request<scan_stream_options> {
  const void *in = nullptr;
  void *out = nullptr;
  callbacks functions;

  void marks(scan_segments kind, scan_mem mem, uint64_t count, scan_type type = SCAN_TYPE_DEFAULT) noexcept {
    spec.segments = kind;
    spec.key_type = type;
    args.marks = mem;
    args.mark_count = count;
  }
  template <typename T> void flags(const mem_span<T> &from) noexcept { marks(SCAN_SEGMENTS_FLAGS, more(from), n); }
  template <typename T> void bit_words(const mem_span<T> &from) noexcept { marks(SCAN_SEGMENTS_BITS, bits(from), n); }
  template <typename T> void keys(const mem_span<T> &from, scan_type type) noexcept {
    marks(SCAN_SEGMENTS_KEYS, more(from), n, type);
  }
  template <typename T> void offsets(const mem_span<T> &from, scan_type type) noexcept {
    need(from.size() > 0, "offsets are one more than segments");
    marks(SCAN_SEGMENTS_OFFSETS, from.mem(), from.size() - 1, type);
  }
  void carry_in(scan_mem mem) noexcept { args.carry_in = mem; }
  void carry_out(scan_mem mem) noexcept { args.carry_out = mem; }
  void n_from(scan_mem, bool) = delete;
  void opencl(const scan_opencl_events *) = delete;
  void chunk_items(uint64_t items) noexcept { args.chunk_items = items; }
  void device_bytes(uint64_t bytes) noexcept { args.device_bytes = bytes; }
  template <typename F> void progress(F *function) noexcept {
    functions.progress = function;
    args.progress = callbacks::call_progress<F>;
  }
  void seal() noexcept {
    scan_spec_request<scan_stream_options>::seal();
    args.user = &functions;
  }
};

template <scan_kind Kind> struct stream_operation {
  using request = stream_request;
  template <typename In, typename Out, typename Op, typename... Options>
  static auto make(In &&in, Out &&out, const Op &op, const Options &...options) {
    using from = typename stream_element<In, is_reader<bare<In>>::value>::type;
    using to = typename stream_element<Out, is_writer<bare<Out>>::value>::type;
    of_value<request, typename value_of<to, Op>::type> r;
    r.spec.kind = Kind;
    set_op<from, to>(r.spec, op);
    read_from(r, in);
    write_to(r, out);
    apply(r, options...);
    return r;
  }
  static scan_status run(scan_ctx *ctx, const request &r) noexcept {
    return scan_stream(ctx, &r.spec, r.n, r.in, r.out, &r.args);
  }

private:
  template <typename X> static void read_from(request &r, X &&in) {
    if constexpr (is_reader<bare<X>>::value) {
      r.n = in.n;
      r.functions.read = in.function;
      r.args.read = in.call;
    } else {
      const auto from = input(in);
      r.n = from.size();
      r.in = scan_host_ptr(from.mem());
      r.need(r.n == 0 || r.in != nullptr, "a stream reads host memory");
    }
  }
  template <typename X> static void write_to(request &r, X &&out) {
    if constexpr (is_writer<bare<X>>::value) {
      r.functions.write = out.function;
      r.args.write = out.call;
    } else {
      r.out = scan_host_ptr(r.room(output(out), r.n));
      r.need(r.n == 0 || r.out != nullptr, "a stream writes host memory");
    }
  }
};

struct stream_chunk_call {
  template <typename... Arguments> static result<uint64_t> call(scan_ctx *ctx, Arguments &&...arguments) {
    const auto r = stream_operation<SCAN_INCLUSIVE>::make(std::forward<Arguments>(arguments)...);
    if (r.fault != nullptr) return refusal(r.fault);
    uint64_t items = 0;
    const scan_status status = scan_stream_chunk(ctx, &r.spec, r.n, &r.args, &items);
    if (status != SCAN_SUCCESS) return result_of(status, ctx);
    return items;
  }
};

}

/** inclusive_scan_stream(ctx, in, out, op, options...): scans host memory of any size through the device in chunks.
 *  in may be from<T>(n, function), out to<T>(function). Returns when it is done. @see scan_stream */
inline constexpr detail::function<detail::run_call<detail::stream_operation<SCAN_INCLUSIVE>>> inclusive_scan_stream{};

/** exclusive_scan_stream(ctx, in, out, op, options...): as inclusive_scan_stream. */
inline constexpr detail::function<detail::run_call<detail::stream_operation<SCAN_EXCLUSIVE>>> exclusive_scan_stream{};

/** stream_chunk(ctx, in, out, op, options...): the elements of a chunk of such a scan. @see scan_stream_chunk */
inline constexpr detail::function<detail::stream_chunk_call> stream_chunk{};

/** Streams: function(first, items, T *to) gives elements, n in all, and returns true to go on. It must not throw. It
 *  outlives the call. */
template <typename T, typename F> detail::reader<T> from(uint64_t n, F &function) noexcept {
  return { &function, detail::callbacks::call_read<T, F>, n };
}

/** Streams: function(first, items, const T *results) takes results, and returns true to go on. As from. */
template <typename T, typename F> detail::writer<T> to(F &function) noexcept {
  return { &function, detail::callbacks::call_write<T, F> };
}

/** Streams: function(done, n) is called after each chunk, and returns true to go on. As from. */
template <typename F> auto progress(F &function) {
  F *const address = &function;
  return detail::option{ [address](auto &r) { r.progress(address); } };
}

/** Streams: elements of a chunk. @see scan_stream_options */
inline auto chunk_items(uint64_t items) {
  return detail::option{ [items](auto &r) { r.chunk_items(items); } };
}

/** Streams: most device memory for the data. @see scan_stream_options */
inline auto device_bytes(uint64_t bytes) {
  return detail::option{ [bytes](auto &r) { r.device_bytes(bytes); } };
}

/** Page-locks host memory for streams as long as it lives; before the memory and the context are gone.
 *  @see scan_stream_pin */
class pinned {
public:
  /** Page-locks the memory. */
  template <typename Memory> static result<pinned> make(std::nothrow_t, context_ref ctx, Memory &&memory) {
    const auto range = detail::input(memory);
    void *const begin = scan_host_ptr(range.mem());
    const uint64_t bytes = range.size() * sizeof(detail::element_of<Memory>);
    if (begin == nullptr) return detail::refusal("pinned: this is no host memory");
    const scan_status status = scan_stream_pin(ctx.get(), begin, bytes);
    if (status != SCAN_SUCCESS) return detail::result_of(status, ctx.get());
    return pinned(ctx.get(), begin);
  }
#ifdef __cpp_exceptions
  /** Page-locks the memory. */
  template <typename Memory> pinned(context_ref ctx, Memory &&memory)
      : pinned(make(std::nothrow, ctx, memory).value()) {}
#endif
  pinned(pinned &&other) noexcept : ctx_(other.ctx_), memory_(std::exchange(other.memory_, nullptr)) {}
  pinned &operator=(pinned &&other) noexcept {
    std::swap(ctx_, other.ctx_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~pinned() {
    if (memory_ != nullptr) (void)scan_stream_unpin(ctx_, memory_);
  }

private:
  pinned(scan_ctx *ctx, void *memory, int = 0) noexcept : ctx_(ctx), memory_(memory) {}

  scan_ctx *ctx_;
  void *memory_;
};

}

#endif
