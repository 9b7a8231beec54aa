/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file op.hpp
 * @brief Operators, predicates and bucket functions from C source, and composites, as objects of the C++ interface.
 * Included by scan.hpp.
 *
 * SCAN_OP_TEXT defines functions and keeps their text. The functions, as template arguments, give the types and the
 * code for the host; the text, with their names in it, is what devices compile:
 *
 *     SCAN_OP_TEXT(text, typedef struct affine { float a; float b; } affine;
 *                  static inline affine then(affine f, affine g) { ... });
 *
 *     scanrt::op<affine> solve(ctx, scanrt::source<then>(text, "affine", "then"));
 *     scanrt::inclusive_scan(ctx, steps, composed, solve);
 */
#ifndef SCANRT_CXX_OP_HPP
#define SCANRT_CXX_OP_HPP

#include <complex>
#include <tuple>

#include <scanrt/cxx/context.hpp>
#include <scanrt/scan_composite.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_split.h>

namespace scanrt {

namespace detail {

struct destroy_op {
  void operator()(scan_op *owned) const noexcept { scan_op_destroy(owned); }
};
using owned_op = std::unique_ptr<scan_op, destroy_op>;

/* Types of functions: what they return, and their parameters. */
template <typename F> struct signature;
template <typename R, typename... P> struct signature<R (*)(P...)> {
  using result = R;
  template <size_t I> using parameter = std::remove_cv_t<std::tuple_element_t<I, std::tuple<P..., void, void>>>;
  static constexpr size_t count = sizeof...(P);
};
template <typename R, typename... P> struct signature<R (*)(P...) noexcept> : signature<R (*)(P...)> {};

/* The host's functions of an operator: the loops of scan_op_loops.h, of a function known at compile time. */
template <auto Combine> struct host_operator {
  using value = typename signature<decltype(Combine)>::result;
  SCAN_OP_BLOCKS(host, value, Combine)
  SCAN_OP_LOOPS(host, value, Combine, SCAN_LOOP_BLOCK(value, host_block_lanes),
                SCAN_LOOP_BLOCK(value, host_block_chain));
  static void host(const void *a, const void *b, void *combined, void *) {
    *static_cast<value *>(combined) = Combine(*static_cast<const value *>(a), *static_cast<const value *>(b));
  }
};

template <auto Map> struct host_map {
  using value = typename signature<decltype(Map)>::result;
  using input = typename signature<decltype(Map)>::template parameter<0>;
  static void host(const void *x, uint64_t index, void *mapped, void *) {
    *static_cast<value *>(mapped) = Map(*static_cast<const input *>(x), index);
  }
  static void loop(void *values, const scan_loop_elements *e, void *) {
    SCAN_LOOP_STEPS(input, e->x_step,
                    for (size_t i = 0; i < e->n; i++) static_cast<value *>(values)[i] =
                        Map(SCAN_LOOP_READ(input, e->x, i, step_), SCAN_LOOP_INDEX(e, i));)
  }
};

template <auto Emit> struct host_emit {
  using output = typename signature<decltype(Emit)>::result;
  using value = typename signature<decltype(Emit)>::template parameter<0>;
  using input = typename signature<decltype(Emit)>::template parameter<2>;
  static void host(const void *inclusive, const void *exclusive, const void *x, uint64_t index, void *out, void *) {
    *static_cast<output *>(out) = Emit(*static_cast<const value *>(inclusive), *static_cast<const value *>(exclusive),
                                       *static_cast<const input *>(x), index);
  }
  static void loop(void *out, ptrdiff_t out_step, const void *inclusive, const void *exclusive,
                   const scan_loop_elements *e, void *) {
    SCAN_LOOP_STEPS(output, out_step,
                    for (size_t i = 0; i < e->n; i++) SCAN_LOOP_WRITTEN(output, out, i, step_) =
                        Emit(static_cast<const value *>(inclusive)[i], static_cast<const value *>(exclusive)[i],
                             SCAN_LOOP_READ(input, e->x, i, e->x_step), SCAN_LOOP_INDEX(e, i));)
  }
};

}

/** The source of an operator. Made by source(); map, emit and identity return it with more. @tparam Value what is
 *  combined @tparam In elements of the input @tparam Out elements of the output */
template <typename Value, typename In = Value, typename Out = Value> class operator_source {
public:
  /** @param c what the C interface has of it */
  explicit operator_source(const scan_op_source &c) noexcept : c_(c) {}

  /** Adds the identity, which exclusive scans without init start from. */
  operator_source identity(const Value &value) const noexcept {
    operator_source more(*this);
    more.identity_ = value;
    more.has_identity_ = true;
    return more;
  }

  /** Adds `value Map(input x, uint64_t index)`, which makes a value of an element of the input.
   *  @param type the input's type in the text @param name the function's name there */
  template <auto Map> auto map(const char *type, const char *name) const noexcept {
    using host = detail::host_map<Map>;
    static_assert(std::is_same<typename host::value, Value>::value, "the map returns another type than is combined");
    operator_source<Value, typename host::input, Out> more(*this, c_);
    more.c_.map = name;
    more.c_.input_type = type;
    more.c_.input_bytes = sizeof(typename host::input);
    more.c_.input_align = alignof(typename host::input);
    more.c_.map_host = host::host;
    more.c_.map_loop = host::loop;
    return more;
  }

  /** Adds `output Emit(value inclusive, value exclusive, input x, uint64_t index)`, which makes what is stored.
   *  @param type the output's type in the text @param name the function's name there */
  template <auto Emit> auto emit(const char *type, const char *name) const noexcept {
    using host = detail::host_emit<Emit>;
    static_assert(std::is_same<typename host::value, Value>::value && std::is_same<typename host::input, In>::value,
                  "the emit takes other types than are combined and read");
    operator_source<Value, In, typename host::output> more(*this, c_);
    more.c_.emit = name;
    more.c_.output_type = type;
    more.c_.output_bytes = sizeof(typename host::output);
    more.c_.output_align = alignof(typename host::output);
    more.c_.emit_host = host::host;
    more.c_.emit_loop = host::loop;
    return more;
  }

  /** Returns the source, for the C interface; valid as long as this object. */
  scan_op_source c() const noexcept {
    scan_op_source source = c_;
    if (has_identity_) source.identity = &identity_;
    return source;
  }

private:
  template <typename V, typename I, typename O> friend class operator_source;
  template <typename I, typename O>
  operator_source(const operator_source<Value, I, O> &other, const scan_op_source &c) noexcept
      : c_(c), identity_(other.identity_), has_identity_(other.has_identity_) {}

  scan_op_source c_;
  Value identity_{};
  bool has_identity_ = false;
};

/** Names an operator's source. @tparam Combine the function, of two values @param text the C source; not copied
 *  @param type the element type's name in the text @param name the function's name there */
template <auto Combine> auto source(const char *text, const char *type, const char *name) noexcept {
  using host = detail::host_operator<Combine>;
  using value = typename host::value;
  static_assert(std::is_trivially_copyable<value>::value && sizeof(value) <= SCAN_OP_MOST_BYTES,
                "elements are trivially copyable, and have at most 64 bytes");
  scan_op_source c = scan_make_<scan_op_source>();
  c.text = text;
  c.type = type;
  c.combine = name;
  c.value_bytes = sizeof(value);
  c.value_align = alignof(value);
  c.host = host::host;
  c.loops = &host::host_loops;
  return operator_source<value>(c);
}

/** Owns an operator of one context: from source, or a composite. Plans keep what they need of it. Destroyed before its
 *  context. @tparam Value what is combined @tparam In elements of the input @tparam Out elements of the output */
template <typename Value, typename In = Value, typename Out = Value> class op {
public:
  /** Compiles an operator. @see scan_op_create */
  static result<op> make(std::nothrow_t, context_ref ctx, const operator_source<Value, In, Out> &source) {
    const scan_op_source c = source.c();
    scan_op *made = nullptr;
    const scan_status status = scan_op_create(ctx.get(), &c, &made);
    if (status != SCAN_SUCCESS) return detail::result_of(status, ctx.get());
    return op(made);
  }
#ifdef __cpp_exceptions
  /** Compiles an operator. @see scan_op_create */
  op(context_ref ctx, const operator_source<Value, In, Out> &source) : op(make(std::nothrow, ctx, source).value()) {}
#endif
  /** Owns an operator of the C interface from now on, whose elements have these types. */
  explicit op(scan_op *owned) noexcept : op_(owned) {}

  /** Returns the operator, for the C interface. */
  scan_op *get() const noexcept { return op_.get(); }

private:
  detail::owned_op op_;
};
#ifdef __cpp_exceptions
template <typename Value, typename In, typename Out> op(context_ref, const operator_source<Value, In, Out> &)
    -> op<Value, In, Out>;
#endif

/* ---- predicates ---------------------------------------------------------------------------------------------- */

/** Owns a predicate of one context. @tparam Element what it looks at @tparam Params its parameters; none_t: none
 *  @tparam Elements 1: of an element, or 2: of two neighbours */
template <typename Element, typename Params = none_t, int Elements = 1> class predicate {
public:
  /** Owns a predicate of the C interface from now on. */
  explicit predicate(scan_op *owned) noexcept : op_(owned) {}
  /** Returns the predicate, for the C interface. */
  scan_op *get() const noexcept { return op_.get(); }

private:
  detail::owned_op op_;
};

/** Names of types in the text of a predicate or a bucket function. */
struct type_names {
  const char *element;          /**< The element's. */
  const char *params = nullptr; /**< That of the parameters, where there are any. */
};

namespace detail {

/* keep(x, index) or keep(x, index, params): elements, parameters, and the host's function. */
template <auto Keep> struct one_element {
  using types = signature<decltype(Keep)>;
  using element = typename types::template parameter<0>;
  static constexpr bool has_params = types::count == 3;
  using params = std::conditional_t<has_params, typename types::template parameter<2>, none_t>;
  static auto at(const element *x, uint64_t index, [[maybe_unused]] const void *p) {
    if constexpr (has_params)
      return Keep(*x, index, *static_cast<const params *>(p));
    else
      return Keep(*x, index);
  }
  static uint32_t keep_host(const void *from, uint64_t index, uint32_t n, const void *p, void *) {
    const element *const x = static_cast<const element *>(from);
    uint32_t word = 0;
    if (n == 32) SCAN_KEEP_32(word, at(x + k_, index + k_, p))
    for (uint32_t k = 0; k < n; k++) word |= static_cast<uint32_t>(at(x + k, index + k, p) != 0) << k;
    return word;
  }
  static void bucket_host(const void *from, uint64_t index, uint32_t n, uint32_t *buckets, const void *p, void *) {
    const element *const x = static_cast<const element *>(from);
    for (uint32_t k = 0; k < n; k++) buckets[k] = at(x + k, index + k, p);
  }
};

/* same(before, x) or same(before, x, params). */
template <auto Same> struct two_elements {
  using types = signature<decltype(Same)>;
  using element = typename types::template parameter<0>;
  static constexpr bool has_params = types::count == 3;
  using params = std::conditional_t<has_params, typename types::template parameter<2>, none_t>;
  static bool differs(const element *x, [[maybe_unused]] const void *p) {
    if constexpr (has_params)
      return !Same(x[0], x[1], *static_cast<const params *>(p));
    else
      return !Same(x[0], x[1]);
  }
  static uint32_t keep_host(const void *from, uint64_t, uint32_t n, const void *p, void *) {
    const element *const x = static_cast<const element *>(from);
    uint32_t word = 0;
    if (n == 32) SCAN_KEEP_32(word, differs(x + k_, p))
    for (uint32_t k = 0; k < n; k++) word |= static_cast<uint32_t>(differs(x + k, p)) << k;
    return word;
  }
};

template <typename Host, typename Source>
void fill_types(Source &source, const char *text, const type_names &names) noexcept {
  source.text = text;
  source.type = names.element;
  source.element_bytes = sizeof(typename Host::element);
  source.element_align = alignof(typename Host::element);
  if (!Host::has_params) return;
  source.params_type = names.params;
  source.params_bytes = sizeof(typename Host::params);
  source.params_align = alignof(typename Host::params);
}

template <typename Predicate, typename Host> result<Predicate>
make_predicate(scan_ctx *ctx, const char *text, const char *name, const type_names &names, int is_pair) {
  scan_predicate_source source = scan_make_<scan_predicate_source>();
  fill_types<Host>(source, text, names);
  source.keep = name;
  source.host = Host::keep_host;
  source.is_pair = static_cast<uint32_t>(is_pair);
  scan_op *made = nullptr;
  const scan_status status = scan_predicate_create(ctx, &source, &made);
  if (status != SCAN_SUCCESS) return result_of(status, ctx);
  return Predicate(made);
}

}

/** Compiles `int Keep(element x, uint64_t index)`, or with a third parameter. @param text the C source @param name the
 *  function's name in it @param names names of its types there @see scan_predicate_create */
template <auto Keep>
auto make_predicate(std::nothrow_t, context_ref ctx, const char *text, const char *name, const type_names &names) {
  using host = detail::one_element<Keep>;
  using made = predicate<typename host::element, typename host::params>;
  return detail::make_predicate<made, host>(ctx.get(), text, name, names, 0);
}

/** Compiles `int Same(element before, element x)`, or with a third parameter: a predicate of two neighbours. */
template <auto Same>
auto make_pair_predicate(std::nothrow_t, context_ref ctx, const char *text, const char *name, const type_names &names) {
  using host = detail::two_elements<Same>;
  using made = predicate<typename host::element, typename host::params, 2>;
  return detail::make_predicate<made, host>(ctx.get(), text, name, names, 1);
}

/** Owns a bucket function of one context. @tparam Element what it looks at @tparam Params as of predicate */
template <typename Element, typename Params = none_t> class bucket_function {
public:
  /** Owns a bucket function of the C interface from now on. */
  explicit bucket_function(scan_op *owned) noexcept : op_(owned) {}
  /** Returns the function, for the C interface. */
  scan_op *get() const noexcept { return op_.get(); }

private:
  detail::owned_op op_;
};

/** Compiles `uint32_t Bucket(element x, uint64_t index)`, or with a third parameter. @see make_predicate */
template <auto Bucket> auto make_bucket_function(std::nothrow_t, context_ref ctx, const char *text, const char *name,
                                                 const type_names &names) {
  using host = detail::one_element<Bucket>;
  using made = bucket_function<typename host::element, typename host::params>;
  scan_bucket_source source = scan_make_<scan_bucket_source>();
  detail::fill_types<host>(source, text, names);
  source.bucket = name;
  source.host = host::bucket_host;
  scan_op *owned = nullptr;
  const scan_status status = scan_bucket_create(ctx.get(), &source, &owned);
  if (status != SCAN_SUCCESS) return result<made>(detail::result_of(status, ctx.get()));
  return result<made>(made(owned));
}

#ifdef __cpp_exceptions
/** make_predicate that throws. */
template <auto Keep> auto make_predicate(context_ref ctx, const char *text, const char *name, const type_names &names) {
  return make_predicate<Keep>(std::nothrow, ctx, text, name, names).value();
}
/** make_pair_predicate that throws. */
template <auto Same>
auto make_pair_predicate(context_ref ctx, const char *text, const char *name, const type_names &names) {
  return make_pair_predicate<Same>(std::nothrow, ctx, text, name, names).value();
}
/** make_bucket_function that throws. */
template <auto Bucket>
auto make_bucket_function(context_ref ctx, const char *text, const char *name, const type_names &names) {
  return make_bucket_function<Bucket>(std::nothrow, ctx, text, name, names).value();
}
#endif

/* ---- composites ---------------------------------------------------------------------------------------------- */

namespace detail {
#ifdef __SIZEOF_INT128__
__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;
#else
using int128 = scan_i128;
using uint128 = scan_u128;
#endif
}

/** An integer of 128 bits: the compiler's __int128, or scan_i128 where it has none. */
using int128 = detail::int128;
/** An integer of 128 bits without a sign, likewise. */
using uint128 = detail::uint128;

/** The element of a composite, and T itself where it has the layout of one: std::complex, int128. */
template <scan_composite Which> struct composite_element;
/** @cond */
template <> struct composite_element<SCAN_AFFINE_F32> { using type = scan_affine_f32; };
template <> struct composite_element<SCAN_AFFINE_F64> { using type = scan_affine_f64; };
template <> struct composite_element<SCAN_AFFINE_U32> { using type = scan_affine_u32; };
template <> struct composite_element<SCAN_MATRIX2_F32> { using type = scan_matrix2_f32; };
template <> struct composite_element<SCAN_MATRIX2_F64> { using type = scan_matrix2_f64; };
template <> struct composite_element<SCAN_MATRIX3_F32> { using type = scan_matrix3_f32; };
template <> struct composite_element<SCAN_COMPLEX_F32> { using type = std::complex<float>; };
template <> struct composite_element<SCAN_COMPLEX_F64> { using type = std::complex<double>; };
template <> struct composite_element<SCAN_LOGSUMEXP_F32> { using type = scan_logsumexp_f32; };
template <> struct composite_element<SCAN_LOGSUMEXP_F64> { using type = scan_logsumexp_f64; };
template <> struct composite_element<SCAN_ARGMIN_F32> { using type = scan_arg_f32; };
template <> struct composite_element<SCAN_ARGMIN_F64> { using type = scan_arg_f64; };
template <> struct composite_element<SCAN_ARGMIN_I32> { using type = scan_arg_i32; };
template <> struct composite_element<SCAN_ARGMIN_I64> { using type = scan_arg_i64; };
template <> struct composite_element<SCAN_ARGMAX_F32> { using type = scan_arg_f32; };
template <> struct composite_element<SCAN_ARGMAX_F64> { using type = scan_arg_f64; };
template <> struct composite_element<SCAN_ARGMAX_I32> { using type = scan_arg_i32; };
template <> struct composite_element<SCAN_ARGMAX_I64> { using type = scan_arg_i64; };
template <> struct composite_element<SCAN_COMPENSATED_F32> { using type = scan_compensated_f32; };
template <> struct composite_element<SCAN_COMPENSATED_F64> { using type = scan_compensated_f64; };
template <> struct composite_element<SCAN_COMPLEX_SUM_F32> { using type = std::complex<float>; };
template <> struct composite_element<SCAN_COMPLEX_SUM_F64> { using type = std::complex<double>; };
template <> struct composite_element<SCAN_SUM_I128> { using type = int128; };
template <> struct composite_element<SCAN_SUM_U128> { using type = uint128; };
template <> struct composite_element<SCAN_MINIMUM_I128> { using type = int128; };
template <> struct composite_element<SCAN_MINIMUM_U128> { using type = uint128; };
template <> struct composite_element<SCAN_MAXIMUM_I128> { using type = int128; };
template <> struct composite_element<SCAN_MAXIMUM_U128> { using type = uint128; };
template <> struct composite_element<SCAN_WIDE_SUM_I64> { using type = int128; };
template <> struct composite_element<SCAN_WIDE_SUM_U64> { using type = uint128; };

/* The input of a composite: elements of its own, but of sums that widen. */
template <scan_composite Which> struct composite_input : composite_element<Which> {};
template <> struct composite_input<SCAN_WIDE_SUM_I64> { using type = int64_t; };
template <> struct composite_input<SCAN_WIDE_SUM_U64> { using type = uint64_t; };
/** @endcond */

/** The operator type of a composite. Complex numbers are std::complex, in memory aligned to all of its bytes; integers
 * of 128 bits are int128 and uint128. */
template <scan_composite Which> using composite_op =
    op<typename composite_element<Which>::type, typename composite_input<Which>::type,
       typename composite_element<Which>::type>;

/** Makes an operator of a composite. @see scan_composite_create */
template <scan_composite Which> result<composite_op<Which>> composite(std::nothrow_t, context_ref ctx) {
  scan_op *made = nullptr;
  const scan_status status = scan_composite_create(ctx.get(), Which, &made);
  if (status != SCAN_SUCCESS) return detail::result_of(status, ctx.get());
  return composite_op<Which>(made);
}
#ifdef __cpp_exceptions
/** Makes an operator of a composite. */
template <scan_composite Which> composite_op<Which> composite(context_ref ctx) {
  return composite<Which>(std::nothrow, ctx).value();
}
#endif

}

#endif
