/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file call.hpp
 * @brief Calls, plans and options of the C++ interface. Included by scan.hpp.
 *
 * Every operation is a function object with these forms, which take the same arguments:
 *
 *     f(ctx, arguments...);                                    // runs; throws scanrt::error
 *     scanrt::result<> r = f(std::nothrow, ctx, arguments...); // runs; never throws
 *     auto plan = f.plan(ctx, arguments...);                   // compiles and allocates; no memory is read or written
 *     plan(arguments...);                                      // runs; allocates nothing, does not wait
 *
 * The arguments of f.plan give the types, the operator, the options and the largest n. Runs of the plan may be given
 * other memory and fewer elements. Options are the last arguments, in any order.
 */
#ifndef SCANRT_CXX_CALL_HPP
#define SCANRT_CXX_CALL_HPP

#include <cstring>

#include <scanrt/cxx/context.hpp>

namespace scanrt {

namespace detail {

/* The arguments of a call as the C interface has them. `fault` is why the call is refused before it gets there. */
template <typename Spec, typename Args> struct request {
  Spec spec = scan_make_<Spec>();
  Args args = scan_make_<Args>();
  uint64_t n = 0;
  const char *fault = nullptr;

  void need(bool is_right, const char *message) noexcept {
    if (!is_right && fault == nullptr) fault = message;
  }
  /* Memory of an output that gets `items` elements. */
  template <typename T> scan_mem room(const mem_span<T> &to, uint64_t items) noexcept {
    need(to.size() >= items, "an output has fewer elements than the call writes");
    return to.mem();
  }
  /* Memory of further input of n elements. */
  template <typename T> scan_mem more(const mem_span<T> &from) noexcept {
    need(from.size() >= n, "an input has fewer elements than the first one");
    return from.mem();
  }
  /* Memory of words with a bit for each of n elements. */
  template <typename T> scan_mem bits(const mem_span<T> &from) noexcept {
    need(from.size() >= n / 32 + (n % 32 != 0), "there are fewer bits than elements");
    return from.mem();
  }
  void opencl(const scan_opencl_events *events) noexcept { args.opencl = events; }
  void n_from(scan_mem mem, bool clamps) noexcept {
    args.n_from = mem;
    if (clamps) spec.flags |= SCAN_N_FROM_CLAMP;
  }
  void seal() noexcept {}
};

/* The C functions of an operation: to run it, to run a plan, and to create a plan. */
template <typename Request, auto Run, auto RunPlan, auto Create> struct c_calls {
  using request = Request;
  static scan_status run(scan_ctx *ctx, const request &r) noexcept { return Run(ctx, &r.spec, r.n, &r.args); }
  static scan_status run(scan_plan *plan, const request &r) noexcept { return RunPlan(plan, r.n, &r.args); }
  static scan_status create(scan_ctx *ctx, const request &r, scan_plan **made) noexcept {
    return Create(ctx, &r.spec, r.n, made);
  }
};

/* true where all these fields of two specs are equal. */
template <typename Spec> bool equal(const Spec &, const Spec &) noexcept { return true; }
template <typename Spec, typename Field, typename... More>
bool equal(const Spec &a, const Spec &b, Field Spec::*field, More... more) noexcept {
  return std::memcmp(&(a.*field), &(b.*field), sizeof(Field)) == 0 && equal(a, b, more...);
}

/* Memory of a count: one unsigned integer of 64 bits, or none. */
template <typename Request, typename X> scan_mem count(Request &r, X &&x) {
  const auto to = output(x);
  static_assert(is_none<X>() || (std::is_unsigned<element_of<X>>::value && sizeof(element_of<X>) == 8),
                "a count is an unsigned integer of 64 bits, or scanrt::none");
  return r.room(to, 1);
}

/* The room of outputs of so many elements as the C interface counts it. */
inline uint64_t capacity(uint64_t size) noexcept { return size == 0 ? SCAN_NO_CAPACITY : size == unsized ? 0 : size; }

/* Options change the request of a call; those that it cannot have do not compile. */
template <typename Set> struct option { Set set; };
template <typename Set> option(Set) -> option<Set>;
struct set_backward {
  template <typename Request> void operator()(Request &r) const noexcept { r.backward(); }
};
struct set_check_overflow {
  template <typename Request> void operator()(Request &r) const noexcept { r.check_overflow(); }
};

/* Options whose type the call compares with that of its predicate or bucket function. */
template <typename T> struct set_params {
  const T *value;
  template <typename Request> void operator()(Request &r) const noexcept { r.params(value); }
};
template <typename T> struct set_looking_at {
  mem_span<const T> from;
  template <typename Request> void operator()(Request &r) const noexcept { r.looking_at(from); }
};

/* true unless the option is Set of a type other than T. */
template <template <typename> class Set, typename T, typename Option> struct fits : std::true_type {};
template <template <typename> class Set, typename T, typename Other> struct fits<Set, T, option<Set<Other>>>
    : std::is_same<T, Other> {};

/* true where the option is Set of some type. */
template <template <typename> class Set, typename Option> struct is_option : std::false_type {};
template <template <typename> class Set, typename T> struct is_option<Set, option<Set<T>>> : std::true_type {};

template <typename Request, typename... Options> void apply(Request &r, const Options &...options) {
  (options.set(r), ...);
}

template <typename Operation> struct run_call {
  template <typename... Arguments> static result<> call(scan_ctx *ctx, Arguments &&...arguments) {
    auto r = Operation::make(std::forward<Arguments>(arguments)...);
    if (r.fault != nullptr) return refusal(r.fault);
    r.seal();
    return result_of(Operation::run(ctx, r), ctx);
  }
};

}

/** Owns a plan: one call, compiled and with its workspace allocated. Destroyed before its context.
 *  @tparam Operation names the call; scan_plan, sort_plan, ... are short for it. */
template <typename Operation> class plan {
public:
  /** Compiles and allocates. @see the plan() of each call */
  template <typename... Arguments> static result<plan> make(std::nothrow_t, context_ref ctx, Arguments &&...arguments) {
    auto r = Operation::make(std::forward<Arguments>(arguments)...);
    if (r.fault != nullptr) return detail::refusal(r.fault);
    r.seal();
    scan_plan *made = nullptr;
    const scan_status status = Operation::create(ctx.get(), r, &made);
    if (status != SCAN_SUCCESS) return detail::result_of(status, ctx.get());
    return plan(ctx.get(), made, r);
  }

  /** Enqueues a run: the call's arguments without the context. Their types, operator and options must be those that the
   *  plan was made with; memory must be the device's, and n at most that of the plan. Does not wait. */
  template <typename... Arguments> result<> operator()(std::nothrow_t, Arguments &&...arguments) const {
    auto r = Operation::make(std::forward<Arguments>(arguments)...);
    if (r.fault != nullptr) return detail::refusal(r.fault);
    if (!Operation::same(made_, r))
      return detail::refusal("the plan was made for other types, another operator or other options");
    r.seal();
    return detail::result_of(Operation::run(plan_.get(), r), ctx_);
  }

  /** Says what the plan does. */
  result<scan_plan_facts> info(std::nothrow_t) const {
    scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
    const scan_status status = scan_plan_info(get(), &facts);
    if (status != SCAN_SUCCESS) return detail::result_of(status, ctx_);
    return facts;
  }

  /** Says how many bytes use_memory needs. */
  result<uint64_t> memory_bytes(std::nothrow_t) const {
    uint64_t bytes = 0;
    const scan_status status = scan_plan_memory_bytes(get(), &bytes);
    if (status != SCAN_SUCCESS) return detail::result_of(status, ctx_);
    return bytes;
  }

  /** Puts memory of the caller's in the place of what the plan has allocated. @see scan_plan_use_memory */
  template <typename Memory> result<> use_memory(std::nothrow_t, Memory &&memory) const {
    return detail::result_of(scan_plan_use_memory(get(), detail::output(memory).mem()), ctx_);
  }

#ifdef __cpp_exceptions
  /** Enqueues a run, as the form with std::nothrow. */
  template <typename First, typename... Arguments,
            typename = std::enable_if_t<!std::is_same<detail::bare<First>, std::nothrow_t>::value>>
  void operator()(First &&first, Arguments &&...arguments) const {
    (*this)(std::nothrow, std::forward<First>(first), std::forward<Arguments>(arguments)...).value();
  }
  /** Says what the plan does. */
  scan_plan_facts info() const { return info(std::nothrow).value(); }
  /** Says how many bytes use_memory needs. */
  uint64_t memory_bytes() const { return memory_bytes(std::nothrow).value(); }
  /** Puts memory of the caller's in the place of what the plan has allocated. */
  template <typename Memory> void use_memory(Memory &&memory) const { use_memory(std::nothrow, memory).value(); }
#endif

  /** Returns the plan, for the C interface. */
  scan_plan *get() const noexcept { return plan_.get(); }

private:
  struct destroy {
    void operator()(scan_plan *owned) const noexcept { scan_plan_destroy(owned); }
  };
  plan(scan_ctx *ctx, scan_plan *owned, const typename Operation::request &made) noexcept
      : ctx_(ctx), plan_(owned), made_(made) {}

  scan_ctx *ctx_;
  std::unique_ptr<scan_plan, destroy> plan_;
  typename Operation::request made_; /* its spec, to compare with; its memory is not looked at */
};

namespace detail {

/* A call that plans can be made for. */
template <typename Operation> struct planned : function<run_call<Operation>> {
  template <typename... Arguments>
  result<scanrt::plan<Operation>> plan(std::nothrow_t, context_ref ctx, Arguments &&...arguments) const {
    return scanrt::plan<Operation>::make(std::nothrow, ctx, std::forward<Arguments>(arguments)...);
  }
#ifdef __cpp_exceptions
  template <typename... Arguments> scanrt::plan<Operation> plan(context_ref ctx, Arguments &&...arguments) const {
    return scanrt::plan<Operation>::make(std::nothrow, ctx, std::forward<Arguments>(arguments)...).value();
  }
#endif
};

}

/* ---- options ------------------------------------------------------------------------------------------------- */

/** Scans: from the last element to the first (SCAN_BACKWARD). */
inline constexpr detail::option<detail::set_backward> backward{};

/** Scans, reductions by key: notes the first result that its integer type does not hold (SCAN_CHECK_OVERFLOW). */
inline constexpr detail::option<detail::set_check_overflow> check_overflow{};

/** Scans, reductions by key: the initial value, combined before the first element. It becomes a value of the
 *  operator's type. */
template <typename T> auto init(const T &value) {
  return detail::option{ [value](auto &r) { r.init(value); } };
}

/** Scans, reductions by key: forces a strategy. */
inline auto strategy(scan_strategy which) {
  return detail::option{ [which](auto &r) { r.strategy(which); } };
}

/** Scans in segments, compaction: a byte an element, not 0 where a segment begins, or the element is kept. */
template <typename Flags> auto by_flags(Flags &&flags) {
  static_assert(sizeof(detail::element_of<Flags>) == 1, "flags are bytes");
  const auto from = detail::view(flags);
  return detail::option{ [from](auto &r) { r.flags(from); } };
}

/** As by_flags, but a bit an element: bit i % 32 of 32-bit word i / 32. */
template <typename Words> auto by_bits(Words &&words) {
  static_assert(sizeof(detail::element_of<Words>) == 4, "bits are in words of 32");
  const auto from = detail::view(words);
  return detail::option{ [from](auto &r) { r.bit_words(from); } };
}

/** Scans in segments: a key an element, a segment begins where it changes. unique: keys in the place of elements. */
template <typename Keys> auto by_keys(Keys &&keys) {
  const auto from = detail::view(keys);
  return detail::option{ [from](auto &r) { r.keys(from, detail::type_of<detail::element_of<Keys>>()); } };
}

/** Scans and sorts in segments: the index of each segment's first element, and the number of elements behind the last:
 *  one offset more than segments. */
template <typename Offsets> auto by_offsets(Offsets &&offsets) {
  const auto from = detail::input(offsets);
  return detail::option{ [from](auto &r) { r.offsets(from, detail::index_type<detail::element_of<Offsets>>()); } };
}

/** Scans: one value that the scan begins from. f32 of 16-bit floating point. */
template <typename Value> auto carry_in(Value &&value) {
  const scan_mem mem = detail::view(value).mem();
  return detail::option{ [mem](auto &r) { r.carry_in(mem); } };
}

/** Scans: one value that gets the scan's last result, for the next scan's carry_in. */
template <typename Value> auto carry_out(Value &&value) {
  const scan_mem mem = detail::output(value).mem();
  return detail::option{ [mem](auto &r) { r.carry_out(mem); } };
}

/** Every call but arrays, streams and differences: reads the number of elements from device memory, one unsigned
 *  integer of 64 bits, at most n. */
template <typename Count> auto n_from(Count &&items) {
  static_assert(sizeof(detail::element_of<Count>) == 8, "n_from is an unsigned integer of 64 bits");
  const scan_mem mem = detail::view(items).mem();
  return detail::option{ [mem](auto &r) { r.n_from(mem, false); } };
}

/** n_from that takes the lesser of that number and n, and reports no number above n. */
template <typename Count> auto n_from_clamped(Count &&items) {
  static_assert(sizeof(detail::element_of<Count>) == 8, "n_from is an unsigned integer of 64 bits");
  const scan_mem mem = detail::view(items).mem();
  return detail::option{ [mem](auto &r) { r.n_from(mem, true); } };
}

/** On OpenCL: events to wait for and to leave. @param around outlives the call */
inline auto events(const scan_opencl_events &around) {
  const scan_opencl_events *const list = &around;
  return detail::option{ [list](auto &r) { r.opencl(list); } };
}

/** Compaction, sorts, splits: one more array that goes with the elements, up to eight. */
template <typename In, typename Out> auto with(In &&in, Out &&out) {
  static_assert(std::is_same<detail::element_of<In>, detail::element_of<Out>>::value, "with: elements of two types");
  const auto from = detail::view(in);
  const auto to = detail::output(out);
  return detail::option{ [from, to](auto &r) { r.with(from, to); } };
}

/** Predicates and bucket functions: their parameters, which may change from run to run. @param value outlives the call;
 *  of the predicate's type */
template <typename T> auto params(const T &value) { return detail::option{ detail::set_params<T>{ &value } }; }

}

#endif
