/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scans.hpp
 * @brief Scans, totals, scans along an axis of an array, differences, and reductions by key in the C++ interface.
 * Included by scan.hpp.
 */
#ifndef SCANRT_CXX_SCANS_HPP
#define SCANRT_CXX_SCANS_HPP

#include <scanrt/cxx/call.hpp>
#include <scanrt/cxx/op.hpp>
#include <scanrt/scan_array.h>
#include <scanrt/scan_difference.h>
#include <scanrt/scan_runs.h>

namespace scanrt {

namespace detail {

/* Every request with a scan_spec has an operator, an initial value and flags. */
template <typename Args> struct scan_spec_request : request<scan_spec, Args> {
  alignas(16) unsigned char first[SCAN_OP_MOST_BYTES] = {}; /* the initial value */

  void backward() noexcept { this->spec.flags |= SCAN_BACKWARD; }
  void check_overflow() noexcept { this->spec.flags |= SCAN_CHECK_OVERFLOW; }
  void strategy(scan_strategy which) noexcept { this->spec.strategy = which; }
  void seal() noexcept {
    if (this->spec.has_init) this->spec.init_bytes = first;
  }
  template <typename Value> void start(const Value &value) noexcept {
    static_assert(std::is_trivially_copyable<Value>::value && sizeof(Value) <= sizeof first, "a value has 64 bytes");
    this->spec.has_init = 1;
    std::memcpy(first, &value, sizeof value);
  }
};

template <typename Request> bool is_same_scan(const Request &a, const Request &b) noexcept {
  return equal(a.spec, b.spec, &scan_spec::type, &scan_spec::input_type, &scan_spec::op, &scan_spec::kind,
               &scan_spec::custom_op, &scan_spec::flags, &scan_spec::has_init, &scan_spec::segments,
               &scan_spec::key_type, &scan_spec::strategy) &&
         std::memcmp(a.first, b.first, sizeof a.first) == 0;
}

struct scan_request : scan_spec_request<scan_args> {
  using base = scan_spec_request<scan_args>;
  void marks(scan_segments kind, scan_mem mem, uint64_t count, scan_type type = SCAN_TYPE_DEFAULT) noexcept {
    spec.segments = kind;
    spec.key_type = type;
    args.marks = mem;
    args.mark_count = count;
  }
  template <typename T> void flags(const mem_span<T> &from) noexcept {
    marks(SCAN_SEGMENTS_FLAGS, from.mem(), from.size() == unsized ? n : from.size());
  }
  template <typename T> void bit_words(const mem_span<T> &from) noexcept { marks(SCAN_SEGMENTS_BITS, bits(from), n); }
  template <typename T> void keys(const mem_span<T> &from, scan_type type) noexcept {
    marks(SCAN_SEGMENTS_KEYS, from.mem(), from.size() == unsized ? n : from.size(), type);
  }
  template <typename T> void offsets(const mem_span<T> &from, scan_type type) noexcept {
    need(from.size() > 0, "offsets are one more than segments");
    marks(SCAN_SEGMENTS_OFFSETS, from.mem(), from.size() - 1, type);
  }
  void carry_in(scan_mem mem) noexcept { args.carry_in = mem; }
  void carry_out(scan_mem mem) noexcept { args.carry_out = mem; }
  void n_from(scan_mem mem, bool clamps) noexcept {
    base::n_from(mem, clamps);
    spec.flags |= SCAN_N_FROM;
  }
};

/* A request whose operator combines values of a type. */
template <typename Request, typename Value> struct of_value : Request {
  template <typename T> void init(const T &value) noexcept { this->start(static_cast<Value>(value)); }
};

/* The value that an operator combines, where elements of the output are Out; and its fields of the spec. */
template <typename In, typename Out, scan_op_id Id> void set_op(scan_spec &spec, const builtin<Id> &) noexcept {
  spec.op = Id;
  spec.type = type_of<Out>();
  spec.input_type = std::is_same<In, Out>::value ? SCAN_TYPE_DEFAULT : type_of<In>();
}
template <typename In, typename Out, typename Value, typename OpIn, typename OpOut>
void set_op(scan_spec &spec, const op<Value, OpIn, OpOut> &custom) noexcept {
  static_assert(std::is_same<In, OpIn>::value, "the input has other elements than the operator reads");
  static_assert(std::is_same<Out, OpOut>::value, "the output has other elements than the operator writes");
  spec.custom_op = custom.get();
}
template <typename Out, typename Op> struct value_of { using type = Out; };
template <typename Out, typename Value, typename I, typename O> struct value_of<Out, op<Value, I, O>> {
  using type = Value;
};

template <scan_kind Kind> struct scan_operation
    : c_calls<scan_request, scan_run_args, scan_plan_run_args, scan_plan_create> {
  template <typename In, typename Out, typename Op, typename... Options>
  static auto make(In &&in, Out &&out, const Op &op, const Options &...options) {
    of_value<request, typename value_of<element_of<Out>, Op>::type> r;
    const auto from = input(in);
    r.n = from.size();
    r.spec.kind = Kind;
    set_op<element_of<In>, element_of<Out>>(r.spec, op);
    r.args.in = from.mem();
    r.args.out = r.room(output(out), Kind == SCAN_TOTAL ? 1 : r.n);
    apply(r, options...);
    return r;
  }
  static bool same(const request &a, const request &b) noexcept { return is_same_scan(a, b); }
};

struct reduce_call {
  template <typename In, typename Op, typename... Options>
  static auto call(scan_ctx *ctx, In &&in, const Op &op, const Options &...options) {
    using value = typename value_of<element_of<In>, Op>::type;
    value sum;
    const result<> done = run_call<scan_operation<SCAN_TOTAL>>::call(ctx, in, &sum, op, options...);
    return done ? result<value>(sum) : result<value>(done);
  }
};

}

/** inclusive_scan(ctx, in, out, op, options...): out[i] combines in[0] to in[i]. `op` is add, mul, min, max, and_, or_,
 *  xor_ or an scanrt::op. Where out has a wider type than in, the sum widens. out may be in. @see scan_run_args */
inline constexpr detail::planned<detail::scan_operation<SCAN_INCLUSIVE>> inclusive_scan{};

/** exclusive_scan(ctx, in, out, op, options...): out[i] combines in[0] to in[i - 1]; out[0] is init or the identity. */
inline constexpr detail::planned<detail::scan_operation<SCAN_EXCLUSIVE>> exclusive_scan{};

/** total(ctx, in, out, op, options...): out, one element, combines all of in. */
inline constexpr detail::planned<detail::scan_operation<SCAN_TOTAL>> total{};

/** reduce(ctx, in, op, options...): returns what combines all of in. Waits for it. */
inline constexpr detail::function<detail::reduce_call> reduce{};

using inclusive_scan_plan = plan<detail::scan_operation<SCAN_INCLUSIVE>>; /**< A plan of inclusive_scan. */
using exclusive_scan_plan = plan<detail::scan_operation<SCAN_EXCLUSIVE>>; /**< A plan of exclusive_scan. */
using total_plan = plan<detail::scan_operation<SCAN_TOTAL>>;              /**< A plan of total. */

/* ---- arrays -------------------------------------------------------------------------------------------------- */

/** A view of an array: the element whose indices are all 0, extents, and strides in elements. Not owned. */
template <typename T> class array_span {
public:
  using element = T; /**< The element. */

  /** @param mem the element whose indices are all 0 @param rank axes, 1 to SCAN_ARRAY_MAX_AXES; more are refused by the
   *  call @param extents elements along each axis @param strides elements from one to the next; nullptr: C order */
  template <typename Extent, typename Stride = std::ptrdiff_t>
  array_span(scan_mem mem, size_t rank, const Extent *extents, const Stride *strides = nullptr) noexcept
      : mem_(mem), rank_(rank) {
    int64_t packed = 1;
    for (size_t axis = rank < SCAN_ARRAY_MAX_AXES ? rank : SCAN_ARRAY_MAX_AXES; axis-- > 0;) {
      extents_[axis] = static_cast<uint64_t>(extents[axis]);
      strides_[axis] = strides != nullptr ? static_cast<int64_t>(strides[axis]) : packed;
      packed *= static_cast<int64_t>(extents[axis]);
    }
  }

  scan_mem mem() const noexcept { return mem_; }                         /**< The memory. */
  size_t rank() const noexcept { return rank_; }                         /**< Axes. */
  uint64_t extent(size_t axis) const noexcept { return extents_[axis]; } /**< Elements along an axis. */
  int64_t stride(size_t axis) const noexcept { return strides_[axis]; }  /**< In elements. */

private:
  scan_mem mem_;
  size_t rank_;
  uint64_t extents_[SCAN_ARRAY_MAX_AXES] = {};
  int64_t strides_[SCAN_ARRAY_MAX_AXES] = {};
};

/** An array in C order of what a view, a range or a pointer names. @param extents elements along each axis */
template <typename Memory, size_t Rank> auto make_array(Memory &&memory, const uint64_t (&extents)[Rank]) {
  const auto from = detail::view(memory);
  return array_span<typename decltype(from)::element>(from.mem(), Rank, extents);
}

/** An array with gaps. @param strides elements from one to the next, along each axis */
template <typename Memory, size_t Rank>
auto make_array(Memory &&memory, const uint64_t (&extents)[Rank], const int64_t (&strides)[Rank]) {
  const auto from = detail::view(memory);
  return array_span<typename decltype(from)::element>(from.mem(), Rank, extents, strides);
}

namespace detail {

template <typename X, typename = void> struct is_mdspan : std::false_type {};
template <typename X>
struct is_mdspan<X, std::void_t<decltype(X::rank(), std::declval<X &>().data_handle(), std::declval<X &>().extent(0),
                                         std::declval<X &>().stride(0))>> : std::true_type {};
template <typename X, typename = void> struct has_array_adapter : std::false_type {};
template <typename X> struct has_array_adapter<X, std::void_t<decltype(adapter<bare<X>>::array(std::declval<X &>()))>>
    : std::true_type {};

/* An array_span of what a call was given: that, an adapter's, or an mdspan, whose data handle is viewed as memory. */
template <typename X> auto array_view(X &&x) {
  using type = bare<X>;
  if constexpr (has_array_adapter<std::remove_reference_t<X>>::value) {
    return adapter<type>::array(x);
  } else if constexpr (is_mdspan<type>::value) {
    const auto memory = view(x.data_handle());
    uint64_t extents[SCAN_ARRAY_MAX_AXES] = {};
    int64_t strides[SCAN_ARRAY_MAX_AXES] = {};
    for (size_t axis = 0; axis < type::rank() && axis < SCAN_ARRAY_MAX_AXES; axis++) {
      extents[axis] = static_cast<uint64_t>(x.extent(axis));
      strides[axis] = static_cast<int64_t>(x.stride(axis));
    }
    return array_span<typename decltype(memory)::element>(memory.mem(), type::rank(), extents, strides);
  } else {
    return array_span<typename type::element>(x);
  }
}

struct array_request : scan_request {
  scan_array array = SCAN_ARRAY_INIT;
};

template <scan_kind Kind> struct array_operation {
  using request = array_request;
  template <typename In, typename Out, typename Axis, typename Op, typename... Options>
  static auto make(In &&in, Out &&out, Axis axis, const Op &op, const Options &...options) {
    static_assert(std::is_integral<Axis>::value, "the axis is an integer");
    const auto from = array_view(in);
    const auto to = array_view(out);
    using to_element = typename decltype(to)::element;
    static_assert(!std::is_const<to_element>::value, "an output is const");
    of_value<request, typename value_of<to_element, Op>::type> r;
    r.spec.kind = Kind;
    set_op<std::remove_const_t<typename decltype(from)::element>, to_element>(r.spec, op);
    r.args.in = from.mem();
    r.args.out = to.mem();
    shape(r, from, to, static_cast<size_t>(axis));
    apply(r, options...);
    return r;
  }
  static bool same(const request &a, const request &b) noexcept {
    return is_same_scan(a, b) && equal(a.array, b.array, &scan_array::ndim, &scan_array::axis, &scan_array::shape,
                                       &scan_array::in_strides, &scan_array::out_strides);
  }
  static scan_status run(scan_ctx *ctx, const request &r) noexcept {
    return scan_run_array_args(ctx, &r.spec, &r.array, &r.args);
  }
  static scan_status run(scan_plan *plan, const request &r) noexcept { return scan_plan_run_args(plan, r.n, &r.args); }
  static scan_status create(scan_ctx *ctx, const request &r, scan_plan **made) noexcept {
    return scan_plan_create_array(ctx, &r.spec, &r.array, made);
  }

private:
  template <typename From, typename To>
  static void shape(request &r, const From &from, const To &to, size_t axis) noexcept {
    r.need(from.rank() >= 1 && from.rank() <= SCAN_ARRAY_MAX_AXES, "an array has 1 to 8 axes");
    const bool lacks_axis = Kind == SCAN_TOTAL && to.rank() + 1 == from.rank();
    r.need(from.rank() == to.rank() || lacks_axis, "the input and the output have different numbers of axes");
    r.need(axis < from.rank(), "the array has no such axis");
    if (r.fault != nullptr) return;
    r.array.ndim = static_cast<uint32_t>(from.rank());
    r.array.axis = static_cast<uint32_t>(axis);
    r.n = 1;
    for (size_t i = 0; i < from.rank(); i++) {
      const size_t out = i - (lacks_axis && i > axis ? 1 : 0);
      r.array.shape[i] = from.extent(i);
      r.array.in_strides[i] = from.stride(i) * static_cast<int64_t>(sizeof(typename From::element));
      r.n *= from.extent(i);
      if (lacks_axis && i == axis) continue;
      const uint64_t expected = Kind == SCAN_TOTAL && i == axis ? 1 : from.extent(i);
      r.need(expected == to.extent(out), "the input and the output have different extents");
      r.array.out_strides[i] = to.stride(out) * static_cast<int64_t>(sizeof(typename To::element));
    }
  }
};

}

/** inclusive_scan_array(ctx, in, out, axis, op, options...): scans every line along the axis. Arrays are array_span,
 *  make_array(...), std::mdspan and what is like it (data_handle, extent, stride). @see scan_run_array_args */
inline constexpr detail::planned<detail::array_operation<SCAN_INCLUSIVE>> inclusive_scan_array{};

/** exclusive_scan_array(ctx, in, out, axis, op, options...): as inclusive_scan_array. */
inline constexpr detail::planned<detail::array_operation<SCAN_EXCLUSIVE>> exclusive_scan_array{};

/** total_array(ctx, in, out, axis, op, options...): out has one element for each line along the axis, which combines
 * all of it. Its extent along the axis is 1, or it lacks the axis. It is apart from in. */
inline constexpr detail::planned<detail::array_operation<SCAN_TOTAL>> total_array{};

using inclusive_scan_array_plan = plan<detail::array_operation<SCAN_INCLUSIVE>>; /**< Its plan. */
using exclusive_scan_array_plan = plan<detail::array_operation<SCAN_EXCLUSIVE>>; /**< Its plan. */
using total_array_plan = plan<detail::array_operation<SCAN_TOTAL>>;              /**< Its plan. */

/* ---- differences --------------------------------------------------------------------------------------------- */

namespace detail {

struct difference_request : scan_spec_request<scan_args> {
  void opencl(const scan_opencl_events *) = delete; /* scan_adjacent_difference has none */
  void n_from(scan_mem, bool) = delete;
};

struct difference_operation {
  using request = difference_request;
  template <typename In, typename Out, typename... Options>
  static auto make(In &&in, Out &&out, const Options &...options) {
    static_assert(std::is_same<element_of<In>, element_of<Out>>::value, "elements of different types");
    request r;
    const auto from = input(in);
    r.n = from.size();
    r.spec.type = type_of<element_of<In>>();
    r.spec.op = SCAN_ADD;
    r.args.in = from.mem();
    r.args.out = r.room(output(out), r.n);
    apply(r, options...);
    return r;
  }
  static bool same(const request &a, const request &b) noexcept { return is_same_scan(a, b); }
  static scan_status run(scan_ctx *ctx, const request &r) noexcept {
    return scan_adjacent_difference(ctx, &r.spec, r.n, r.args.in, r.args.out);
  }
  static scan_status run(scan_plan *plan, const request &r) noexcept { return scan_plan_run_args(plan, r.n, &r.args); }
  static scan_status create(scan_ctx *ctx, const request &r, scan_plan **made) noexcept {
    return scan_plan_create_adjacent_difference(ctx, &r.spec, r.n, made);
  }
};

}

/** adjacent_difference(ctx, in, out, options...): out[0] = in[0], out[i] = in[i] - in[i - 1]; with backward from the
 *  other end. Undoes inclusive_scan by add. @see scan_adjacent_difference */
inline constexpr detail::planned<detail::difference_operation> adjacent_difference{};

using adjacent_difference_plan = plan<detail::difference_operation>; /**< A plan of adjacent_difference. */

/* ---- reduction by key ---------------------------------------------------------------------------------------- */

namespace detail {

struct reduce_by_key_operation : c_calls<scan_spec_request<scan_reduce_by_key_args>, scan_reduce_by_key,
                                         scan_plan_run_reduce_by_key, scan_plan_create_reduce_by_key> {
  template <typename Keys, typename Values, typename KeysOut, typename ValuesOut, typename Count, typename Op,
            typename... Options>
  static auto make(Keys &&keys, Values &&values, KeysOut &&keys_out, ValuesOut &&values_out, Count &&runs, const Op &op,
                   const Options &...options) {
    using key_type = element_of<Keys>;
    static_assert(is_none<KeysOut>() || std::is_same<element_of<KeysOut>, key_type>::value, "keys of different types");
    of_value<request, typename value_of<element_of<ValuesOut>, Op>::type> r;
    const auto from = input(keys);
    const auto to = output(keys_out);
    const auto sums = output(values_out);
    r.n = from.size();
    r.spec.segments = SCAN_SEGMENTS_KEYS;
    r.spec.key_type = type_of<key_type>();
    set_op<element_of<Values>, element_of<ValuesOut>>(r.spec, op);
    r.args.keys = from.mem();
    r.args.values = r.more(view(values));
    r.args.keys_out = to.mem();
    r.args.values_out = sums.mem();
    r.args.capacity = capacity(to.size() < sums.size() ? to.size() : sums.size());
    r.args.count = count(r, runs);
    apply(r, options...);
    return r;
  }
  static bool same(const request &a, const request &b) noexcept { return is_same_scan(a, b); }
};

}

/** reduce_by_key(ctx, keys, values, keys_out, values_out, count, op, options...): the last key of each run of equal
 *  keys, and its values combined. keys_out and count may be scanrt::none. Where outputs are smaller than the number of
 *  runs, the first ones are written, and count is that of all. @see scan_reduce_by_key */
inline constexpr detail::planned<detail::reduce_by_key_operation> reduce_by_key{};

using reduce_by_key_plan = plan<detail::reduce_by_key_operation>; /**< A plan of reduce_by_key. */

}

#endif
