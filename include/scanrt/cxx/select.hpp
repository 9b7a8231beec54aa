/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file select.hpp
 * @brief Compaction, partitions and run-length encoding in the C++ interface. Included by scan.hpp.
 *
 * Elements are of any trivially copyable type of 1 to 64 bytes, aligned as alignof says: 8-byte structs that are
 * declared alignas(8) move faster than such of two aligned words. Where an output is smaller than what is kept, the
 * first elements are written, and the count is that of all: compare the two.
 */
#ifndef SCANRT_CXX_SELECT_HPP
#define SCANRT_CXX_SELECT_HPP

#include <scanrt/cxx/call.hpp>
#include <scanrt/cxx/op.hpp>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>

namespace scanrt {

namespace detail {

/* Size and alignment of the elements of one more array. */
template <typename T, typename Request> uint32_t add_array(Request &r) noexcept {
  static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 64, "elements are trivially copyable, of 1 to 64 "
                                                                         "bytes");
  constexpr uint32_t most = sizeof(r.spec.element_bytes) / sizeof(r.spec.element_bytes[0]);
  r.need(r.spec.arrays < most, "a call moves at most eight arrays");
  if (r.spec.arrays == most) return most - 1;
  const uint32_t i = r.spec.arrays++;
  r.spec.element_bytes[i] = sizeof(T);
  r.spec.element_align[i] = alignof(T) < 16 ? alignof(T) : 16;
  return i;
}

struct select_request : request<scan_select_spec, scan_select_args> {
  uint64_t room_items = unsized, rest_items = unsized; /* of the smallest output */

  template <typename T> void flags(const mem_span<T> &from) noexcept {
    spec.by = SCAN_SELECT_FLAGS;
    args.marks = more(from);
  }
  template <typename T> void bit_words(const mem_span<T> &from) noexcept {
    spec.by = SCAN_SELECT_BITS;
    args.marks = bits(from);
  }
  template <typename T> void keys(const mem_span<T> &from, scan_type type) noexcept {
    spec.key_type = type;
    args.marks = more(from);
  }
  template <typename T> void looking_at(const mem_span<T> &from) noexcept { args.marks = more(from); }
  void last() noexcept { spec.by = SCAN_SELECT_LAST; }
  void same_by(scan_op *predicate) noexcept {
    spec.predicate = predicate;
    spec.key_type = SCAN_TYPE_DEFAULT;
  }
  template <typename P> void params(const P *value) noexcept { args.params = value; }
  template <typename T> uint32_t array(const mem_span<const T> &from, const mem_span<T> &to) noexcept {
    const uint32_t i = add_array<T>(*this);
    args.in[i] = more(from);
    args.out[i] = to.mem();
    if (is_same(args.in[i], args.out[i])) spec.in_place = 1;
    if (to.size() < room_items) room_items = to.size();
    return i;
  }
  template <typename F, typename T> void with(const mem_span<F> &from, const mem_span<T> &to) noexcept {
    array<T>(from, to);
  }
  template <typename T> void rest(const mem_span<T> &to) noexcept {
    const uint32_t i = spec.arrays == 0 ? 0 : spec.arrays - 1; /* of the array that was named last */
    need(spec.arrays == 0 ? spec.index_type == type_of_rest<T>() : spec.element_bytes[i] == sizeof(T),
         "rest_apart: its elements have another size than those of the array before it");
    spec.rest = SCAN_REST_APART;
    args.rest[i] = to.mem();
    if (to.size() < rest_items) rest_items = to.size();
  }
  void seal() noexcept {
    args.capacity = capacity(room_items);
    if (spec.rest == SCAN_REST_APART) args.rest_capacity = capacity(rest_items);
  }

private:
  template <typename T> static constexpr scan_type type_of_rest() noexcept {
    if constexpr (is_element<T>::value)
      return element_type<T>::value;
    else
      return SCAN_TYPE_DEFAULT;
  }
};

/* Which elements are kept: by_flags, by_bits, or a predicate. */
template <typename Set> void choose(select_request &r, const option<Set> &marks) { marks.set(r); }
template <typename E, typename P> void choose(select_request &r, const predicate<E, P> &keep) {
  r.spec.by = SCAN_SELECT_PREDICATE;
  r.spec.predicate = keep.get();
}

/* Compares the types of a predicate with what it is given: elements of the input or of looking_at, and parameters. */
template <typename Element, typename Which, typename... Options> struct predicate_check {};
template <typename Element, typename E, typename P, typename... Options>
struct predicate_check<Element, predicate<E, P>, Options...> {
  static_assert((is_option<set_looking_at, Options>::value || ...) || std::is_same<Element, E>::value,
                "the predicate looks at elements of another type: name them by looking_at");
  static_assert((fits<set_looking_at, E, Options>::value && ...), "the predicate looks at elements of another type");
  static_assert((fits<set_params, P, Options>::value && ...), "the predicate has parameters of another type");
};

/* A predicate of two neighbours, and its parameters. */
template <typename E, typename P> struct set_same_by {
  scan_op *same;
  template <typename Request> void operator()(Request &r) const noexcept { r.same_by(same); }
};
template <typename Option, typename... Options> struct same_by_check {};
template <typename E, typename P, typename... Options> struct same_by_check<option<set_same_by<E, P>>, Options...> {
  static_assert((fits<set_params, P, Options>::value && ...), "the predicate has parameters of another type");
  static_assert((fits<set_looking_at, E, Options>::value && ...), "the predicate looks at elements of another type");
};

struct select_base : c_calls<select_request, scan_select, scan_plan_run_select, scan_plan_create_select> {
  static bool same(const request &a, const request &b) noexcept {
    using spec = scan_select_spec;
    return equal(a.spec, b.spec, &spec::by, &spec::key_type, &spec::rest, &spec::index_type, &spec::arrays,
                 &spec::element_bytes, &spec::element_align, &spec::predicate, &spec::in_place, &spec::flags);
  }
  template <typename In, typename Out, typename Count> static request begin(In &&in, Out &&out, Count &&kept) {
    static_assert(std::is_same<element_of<In>, element_of<Out>>::value, "elements of different types");
    request r;
    const auto from = input(in);
    r.n = from.size();
    r.template array<element_of<In>>(from, output(out));
    r.args.count = count(r, kept);
    return r;
  }
};

template <scan_select_rest Rest> struct copy_if_operation : select_base {
  template <typename In, typename Out, typename Count, typename Which, typename... Options>
  static auto make(In &&in, Out &&out, Count &&kept, const Which &which, const Options &...options) {
    (void)predicate_check<element_of<In>, Which, Options...>();
    request r = begin(in, out, kept);
    r.spec.rest = Rest;
    choose(r, which);
    apply(r, options...);
    return r;
  }
};

struct unique_operation : select_base {
  template <typename In, typename Out, typename Count, typename... Options>
  static auto make(In &&in, Out &&out, Count &&kept, const Options &...options) {
    ((void)same_by_check<Options, Options...>(), ...);
    request r = begin(in, out, kept);
    r.spec.by = SCAN_SELECT_FIRST;
    if constexpr (is_element<element_of<In>>::value) r.spec.key_type = element_type<element_of<In>>::value;
    apply(r, options...);
    return r;
  }
};

struct indices_if_operation : select_base {
  template <typename N, typename Out, typename Count, typename Which, typename... Options>
  static auto make(N n, Out &&out, Count &&kept, const Which &which, const Options &...options) {
    static_assert(std::is_integral<N>::value, "n is an integer");
    (void)predicate_check<none_t, Which, Options...>();
    request r;
    const auto to = output(out);
    r.n = static_cast<uint64_t>(n);
    r.spec.index_type = index_type<element_of<Out>>();
    r.args.out[0] = to.mem();
    r.room_items = to.size();
    r.args.count = count(r, kept);
    choose(r, which);
    apply(r, options...);
    return r;
  }
};

}

/** copy_if(ctx, in, out, count, which, options...): writes the kept elements side by side, in their order, and their
 *  number. `which` is by_flags, by_bits or a predicate, of the elements or of what looking_at names. count may be
 *  scanrt::none. out may be in. @see scan_select */
inline constexpr detail::planned<detail::copy_if_operation<SCAN_REST_DROPPED>> copy_if{};

/** partition(ctx, in, out, count, which, options...): as copy_if, and the other elements behind, in their order. */
inline constexpr detail::planned<detail::copy_if_operation<SCAN_REST_BEHIND>> partition{};

/** unique(ctx, in, out, count, options...): the first element of each run of equal ones; by_keys names other keys,
 *  same_by a predicate of two neighbours. */
inline constexpr detail::planned<detail::unique_operation> unique{};

/** indices_if(ctx, n, out, count, which, options...): the indices of the kept ones of n elements. A predicate needs
 *  looking_at. */
inline constexpr detail::planned<detail::indices_if_operation> indices_if{};

using copy_if_plan = plan<detail::copy_if_operation<SCAN_REST_DROPPED>>;  /**< A plan of copy_if. */
using partition_plan = plan<detail::copy_if_operation<SCAN_REST_BEHIND>>; /**< A plan of partition. */
using unique_plan = plan<detail::unique_operation>;                       /**< A plan of unique. */
using indices_if_plan = plan<detail::indices_if_operation>;               /**< A plan of indices_if. */

/** Compaction: elements that a predicate looks at, in the place of those that are moved. */
template <typename In> auto looking_at(In &&in) {
  return detail::option{ detail::set_looking_at<detail::element_of<In>>{ detail::view(in) } };
}

/** copy_if, unique, indices_if: the elements that are not kept go to `out`. For the array named last: after with(in,
 *  out) it is that one's. */
template <typename Out> auto rest_apart(Out &&out) {
  const auto to = detail::output(out);
  return detail::option{ [to](auto &r) { r.rest(to); } };
}

/** unique: a predicate of two neighbours says which are equal. It outlives the call. */
template <typename E, typename P> auto same_by(const predicate<E, P, 2> &same) {
  return detail::option{ detail::set_same_by<E, P>{ same.get() } };
}

/** unique: of each run the last element. */
inline auto last_of_each() {
  return detail::option{ [](auto &r) { r.last(); } };
}

/* ---- three parts --------------------------------------------------------------------------------------------- */

namespace detail {

template <typename T> struct set_first_params {
  const T *value;
  template <typename Request> void operator()(Request &r) const noexcept { r.first_params(value); }
};
template <typename T> struct set_second_params {
  const T *value;
  template <typename Request> void operator()(Request &r) const noexcept { r.second_params(value); }
};

struct partition3_request : request<scan_partition3_spec, scan_partition3_args> {
  template <typename F, typename T> void with_parts(const mem_span<F> &from, const mem_span<T> &first,
                                                    const mem_span<T> &second, const mem_span<T> &rest) noexcept {
    const uint32_t i = add_array<T>(*this);
    args.in[i] = more(from);
    args.first[i] = room(first, n);
    args.second[i] = room(second, n);
    args.rest[i] = room(rest, n);
  }
  template <typename P> void first_params(const P *value) noexcept { args.first_params = value; }
  template <typename P> void second_params(const P *value) noexcept { args.second_params = value; }
};

struct partition3_operation
    : c_calls<partition3_request, scan_partition3, scan_plan_run_partition3, scan_plan_create_partition3> {
  template <typename In, typename First, typename Second, typename Rest, typename Counts, typename P, typename Q,
            typename... Options>
  static auto make(In &&in, First &&first, Second &&second, Rest &&rest, Counts &&counts,
                   const predicate<element_of<In>, P> &is_first, const predicate<element_of<In>, Q> &is_second,
                   const Options &...options) {
    static_assert((fits<set_first_params, P, Options>::value && ...), "the first predicate has other parameters");
    static_assert((fits<set_second_params, Q, Options>::value && ...), "the second predicate has other parameters");
    request r;
    const auto from = input(in);
    r.n = from.size();
    r.spec.first = is_first.get();
    r.spec.second = is_second.get();
    add_array<element_of<In>>(r);
    r.args.in[0] = from.mem();
    r.args.first[0] = r.room(output(first), r.n);
    r.args.second[0] = r.room(output(second), r.n);
    r.args.rest[0] = r.room(output(rest), r.n);
    r.args.counts = r.room(output(counts), SCAN_PARTITION3_PARTS);
    apply(r, options...);
    return r;
  }
  static bool same(const request &a, const request &b) noexcept {
    using spec = scan_partition3_spec;
    return equal(a.spec, b.spec, &spec::first, &spec::second, &spec::arrays, &spec::element_bytes, &spec::element_align,
                 &spec::flags);
  }
};

}

/** partition3(ctx, in, first, second, rest, counts, is_first, is_second, options...): three parts, by two predicates,
 *  each output with room for all elements; counts has three numbers. @see scan_partition3 */
inline constexpr detail::planned<detail::partition3_operation> partition3{};

using partition3_plan = plan<detail::partition3_operation>; /**< A plan of partition3. */

/** partition3: one more array, which goes with the elements, up to eight. Each output has room for all elements. */
template <typename In, typename Out> auto with_parts(In &&in, Out &&first, Out &&second, Out &&rest) {
  static_assert(std::is_same<detail::element_of<In>, detail::element_of<Out>>::value,
                "with_parts: elements of two types");
  const auto from = detail::view(in);
  const auto a = detail::output(first), b = detail::output(second), c = detail::output(rest);
  return detail::option{ [from, a, b, c](auto &r) { r.with_parts(from, a, b, c); } };
}

/** partition3: parameters of the first predicate, of its type. @param value outlives the call */
template <typename T> auto first_params(const T &value) {
  return detail::option{ detail::set_first_params<T>{ &value } };
}

/** partition3: parameters of the second predicate, of its type. @param value outlives the call */
template <typename T> auto second_params(const T &value) {
  return detail::option{ detail::set_second_params<T>{ &value } };
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

namespace detail {

struct run_length_request : request<scan_run_length_spec, scan_run_length_args> {
  uint64_t room_items = unsized; /* of the smallest output */

  template <typename T> scan_mem next(const mem_span<T> &to) noexcept {
    if (to.size() < room_items) room_items = to.size();
    return to.mem();
  }
  template <typename T> void starts(const mem_span<T> &to) noexcept {
    spec.start_type = index_type<T>();
    args.starts = next(to);
  }
  void seal() noexcept { args.capacity = capacity(room_items); }
};

struct run_length_operation
    : c_calls<run_length_request, scan_run_length_encode, scan_plan_run_run_length, scan_plan_create_run_length> {
  template <typename Keys, typename KeysOut, typename Lengths, typename Count, typename... Options>
  static auto make(Keys &&keys, KeysOut &&keys_out, Lengths &&lengths, Count &&runs, const Options &...options) {
    using key_type = element_of<Keys>;
    static_assert(is_none<KeysOut>() || std::is_same<element_of<KeysOut>, key_type>::value, "keys of different types");
    request r;
    const auto from = input(keys);
    r.n = from.size();
    r.spec.key_type = type_of<key_type>();
    r.args.keys = from.mem();
    r.args.keys_out = r.next(output(keys_out));
    if constexpr (!is_none<Lengths>()) {
      r.spec.length_type = index_type<element_of<Lengths>>();
      r.args.lengths = r.next(output(lengths));
    }
    r.args.count = count(r, runs);
    apply(r, options...);
    return r;
  }
  static bool same(const request &a, const request &b) noexcept {
    using spec = scan_run_length_spec;
    return equal(a.spec, b.spec, &spec::key_type, &spec::length_type, &spec::start_type, &spec::flags);
  }
};

}

/** run_length_encode(ctx, keys, keys_out, lengths, count, options...): the first key of each run of equal keys, its
 *  length (u32 or u64), and the number of runs. Each output may be scanrt::none. @see scan_run_length_encode */
inline constexpr detail::planned<detail::run_length_operation> run_length_encode{};

using run_length_plan = plan<detail::run_length_operation>; /**< A plan of run_length_encode. */

/** run_length_encode: the index of each run's first key, u32 or u64. */
template <typename Out> auto starts(Out &&out) {
  const auto to = detail::output(out);
  return detail::option{ [to](auto &r) { r.starts(to); } };
}

}

#endif
