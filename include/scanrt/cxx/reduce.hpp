/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reduce.hpp
 * @brief Segmented reductions in the C++ interface. Included by scan.hpp.
 */
#ifndef SCANRT_CXX_REDUCE_HPP
#define SCANRT_CXX_REDUCE_HPP

#include <scanrt/cxx/scans.hpp>
#include <scanrt/scan_reduce.h>

namespace scanrt {

namespace detail {

template <typename Request> using segmented_reduce_calls =
    c_calls<Request, scan_segmented_reduce, scan_plan_run_segmented_reduce, scan_plan_create_segmented_reduce>;

struct segmented_reduce_operation : segmented_reduce_calls<scan_spec_request<scan_segmented_reduce_args>> {
  template <typename Values, typename Offsets, typename Out, typename Op, typename... Options>
  static auto make(Values &&values, Offsets &&offsets, Out &&out, const Op &op, const Options &...options) {
    of_value<request, typename value_of<element_of<Out>, Op>::type> r;
    const auto from = input(values);
    const auto begins = input(offsets);
    r.n = from.size();
    r.spec.kind = SCAN_TOTAL;
    r.spec.segments = SCAN_SEGMENTS_OFFSETS;
    r.spec.key_type = type_of<element_of<Offsets>>();
    set_op<element_of<Values>, element_of<Out>>(r.spec, op);
    r.args.values = from.mem();
    r.args.begins = begins.mem();
    r.args.segments = begins.size() > 0 ? begins.size() - 1 : 0;
    r.args.out = r.room(output(out), r.args.segments);
    apply(r, options...);
    return r;
  }
  static bool same(const request &a, const request &b) noexcept { return is_same_scan(a, b); }
};

}

/** segmented_reduce(ctx, values, offsets, out, op, options...): one result for each segment. offsets has where each
 *  segment begins and the end of the last one, out one element less. @see scan_segmented_reduce */
inline constexpr detail::planned<detail::segmented_reduce_operation> segmented_reduce{};

using segmented_reduce_plan = plan<detail::segmented_reduce_operation>; /**< A plan of segmented_reduce. */

namespace detail {

struct marked_reduce_request : scan_spec_request<scan_segmented_reduce_args> {
  template <typename T> void flags(const mem_span<T> &from) noexcept {
    spec.segments = SCAN_SEGMENTS_FLAGS;
    args.begins = more(from);
  }
  template <typename T> void bit_words(const mem_span<T> &from) noexcept {
    spec.segments = SCAN_SEGMENTS_BITS;
    args.begins = bits(from);
  }
};

struct marked_reduce_operation : segmented_reduce_calls<marked_reduce_request> {
  template <typename Values, typename Which, typename Out, typename Count, typename Op, typename... Options> static auto
  make(Values &&values, const Which &which, Out &&out, Count &&found, const Op &op, const Options &...options) {
    of_value<request, typename value_of<element_of<Out>, Op>::type> r;
    const auto from = input(values);
    const auto to = output(out);
    r.n = from.size();
    r.spec.kind = SCAN_TOTAL;
    set_op<element_of<Values>, element_of<Out>>(r.spec, op);
    r.args.values = from.mem();
    r.args.out = to.mem();
    r.args.segments = capacity(to.size());
    r.args.count = count(r, found);
    apply(r, which, options...);
    return r;
  }
  static bool same(const request &a, const request &b) noexcept { return is_same_scan(a, b); }
};

}

/** marked_reduce(ctx, values, which, out, count, op, options...): one result for each segment that `which`, by_flags or
 *  by_bits, begins. count may be scanrt::none. If out is smaller than their number, the first ones are written, and
 *  count is that of all. @see scan_segmented_reduce */
inline constexpr detail::planned<detail::marked_reduce_operation> marked_reduce{};

using marked_reduce_plan = plan<detail::marked_reduce_operation>; /**< A plan of marked_reduce. */

}

#endif
