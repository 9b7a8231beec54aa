/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file sort.hpp
 * @brief Sorts, splits into buckets and histograms in the C++ interface. Included by scan.hpp.
 */
#ifndef SCANRT_CXX_SORT_HPP
#define SCANRT_CXX_SORT_HPP

#include <scanrt/cxx/select.hpp>
#include <scanrt/scan_sort.h>

namespace scanrt {

namespace detail {

/* Requests of sorts and splits have keys, and arrays that go with them. */
template <typename Spec, typename Args> struct keyed_request : request<Spec, Args> {
  template <typename Keys, typename KeysOut> void move_keys(Keys &&keys, KeysOut &&keys_out) {
    static_assert(is_none<KeysOut>() || std::is_same<element_of<KeysOut>, element_of<Keys>>::value,
                  "keys of different types");
    const auto from = input(keys);
    this->n = from.size();
    this->args.keys_in = from.mem();
    this->args.keys_out = this->room(output(keys_out), this->n);
    if (is_none<KeysOut>()) this->spec.drops_keys = 1;
    if (is_same(this->args.keys_in, this->args.keys_out)) this->spec.in_place = 1;
  }
  template <typename F, typename T> void with(const mem_span<F> &from, const mem_span<T> &to) noexcept {
    const uint32_t i = add_array<T>(*this);
    this->args.in[i] = this->more(from);
    this->args.out[i] = this->room(to, this->n);
    if (is_same(this->args.in[i], this->args.out[i])) this->spec.in_place = 1;
  }
  template <typename T> void indices(const mem_span<T> &to) noexcept {
    this->spec.index_type = index_type<T>();
    this->args.out[0] = this->room(to, this->n);
  }
  void descending() noexcept { this->spec.descending = 1; }
  void bits(uint32_t first, uint32_t end) noexcept {
    this->spec.first_bit = first;
    this->spec.end_bit = end;
  }
};

struct sort_request : keyed_request<scan_sort_spec, scan_sort_args> {
  void numeric_order() noexcept { spec.order = SCAN_SORT_NUMERIC_ORDER; }
  void low_word_first() noexcept { spec.low_word_first = 1; }
  template <typename T> void offsets(const mem_span<T> &from, scan_type type) noexcept {
    need(from.size() > 0, "offsets are one more than segments");
    spec.offset_type = type;
    args.offsets = from.mem();
    args.segments = from.size() - 1;
  }
  void most_segment_items(uint32_t items) noexcept { spec.most_segment_items = items; }
  void scratch(scan_mem mem) noexcept {
    spec.gives_scratch = 1;
    args.scratch = mem;
  }
};

struct sort_base : c_calls<sort_request, scan_sort, scan_plan_run_sort, scan_plan_create_sort> {
  static bool same(const request &a, const request &b) noexcept {
    using spec = scan_sort_spec;
    return equal(a.spec, b.spec, &spec::key_type, &spec::descending, &spec::first_bit, &spec::end_bit,
                 &spec::index_type, &spec::arrays, &spec::element_bytes, &spec::element_align, &spec::drops_keys,
                 &spec::in_place, &spec::key_words, &spec::low_word_first, &spec::offset_type,
                 &spec::most_segment_items, &spec::gives_scratch, &spec::flags, &spec::order);
  }
  template <typename Keys, typename KeysOut> static request begin(Keys &&keys, KeysOut &&keys_out) {
    request r;
    r.spec.key_type = key<element_of<Keys>>::type;
    r.spec.key_words = key<element_of<Keys>>::words;
    r.move_keys(keys, keys_out);
    return r;
  }
};

struct sort_operation : sort_base {
  template <typename Keys, typename KeysOut, typename... Options>
  static auto make(Keys &&keys, KeysOut &&keys_out, const Options &...options) {
    request r = begin(keys, keys_out);
    apply(r, options...);
    return r;
  }
};

struct sort_pairs_operation : sort_base {
  template <typename Keys, typename KeysOut, typename Values, typename ValuesOut, typename... Options> static auto
  make(Keys &&keys, KeysOut &&keys_out, Values &&values, ValuesOut &&values_out, const Options &...options) {
    static_assert(std::is_same<element_of<Values>, element_of<ValuesOut>>::value, "values of different types");
    request r = begin(keys, keys_out);
    r.with(view(values), output(values_out));
    apply(r, options...);
    return r;
  }
};

struct sort_scratch_call {
  template <typename... Arguments> static result<uint64_t> call(scan_ctx *ctx, Arguments &&...arguments) {
    sort_request r = sort_operation::make(std::forward<Arguments>(arguments)...);
    if (r.fault != nullptr) return refusal(r.fault);
    r.spec.gives_scratch = 1;
    uint64_t bytes = 0;
    const scan_status status = scan_sort_scratch_bytes(ctx, &r.spec, r.n, &bytes);
    if (status != SCAN_SUCCESS) return result_of(status, ctx);
    return bytes;
  }
};

struct argsort_operation : sort_base {
  template <typename Keys, typename Indices, typename... Options>
  static auto make(Keys &&keys, Indices &&indices, const Options &...options) {
    request r = begin(keys, none);
    r.indices(output(indices));
    apply(r, options...);
    return r;
  }
};

}

/** sort(ctx, keys, keys_out, options...): sorts keys of any element type, stably; of std::array<K, 2> by the first
 *  word, then the second. keys_out may be keys. with(in, out) moves more arrays; by_offsets sorts segments.
 *  @see scan_sort */
inline constexpr detail::planned<detail::sort_operation> sort{};

/** sort_pairs(ctx, keys, keys_out, values, values_out, options...): sorts keys, and values with them. keys_out may be
 *  scanrt::none. */
inline constexpr detail::planned<detail::sort_pairs_operation> sort_pairs{};

/** argsort(ctx, keys, indices, options...): the keys' indices, u32 or u64, in the order of the keys. */
inline constexpr detail::planned<detail::argsort_operation> argsort{};

/** sort_scratch_bytes(ctx, keys, keys_out, options...): the bytes that such a sort needs in the memory of scratch. */
inline constexpr detail::function<detail::sort_scratch_call> sort_scratch_bytes{};

using sort_plan = plan<detail::sort_operation>;             /**< A plan of sort. */
using sort_pairs_plan = plan<detail::sort_pairs_operation>; /**< A plan of sort_pairs. */
using argsort_plan = plan<detail::argsort_operation>;       /**< A plan of argsort. */

/** Sorts, splits, histograms: from the largest key to the smallest. */
inline auto descending() {
  return detail::option{ [](auto &r) { r.descending(); } };
}

/** Sorts: floating-point keys as NumPy, zeros equal, NaNs equal and last (SCAN_SORT_NUMERIC_ORDER). */
inline auto numeric_order() {
  return detail::option{ [](auto &r) { r.numeric_order(); } };
}

/** Sorts, splits, histograms: the bits of the key from `first` on below `end`. */
inline auto bits(uint32_t first, uint32_t end) {
  return detail::option{ [first, end](auto &r) { r.bits(first, end); } };
}

/** Sorts of keys of two words: the first word is the less significant one. */
inline auto low_word_first() {
  return detail::option{ [](auto &r) { r.low_word_first(); } };
}

/** Sorts in segments: a promise that no segment has more keys. */
inline auto most_segment_items(uint32_t items) {
  return detail::option{ [items](auto &r) { r.most_segment_items(items); } };
}

/** Sorts: memory of the caller's for copies of keys and arrays. @see scan_sort_spec.gives_scratch */
template <typename Memory> auto scratch(Memory &&memory) {
  const scan_mem mem = detail::output(memory).mem();
  return detail::option{ [mem](auto &r) { r.scratch(mem); } };
}

/* ---- buckets ------------------------------------------------------------------------------------------------- */

namespace detail {

/* The bucket function of a split or a histogram, in place of the bits of keys. */
template <typename Element, typename Params> struct buckets_of {
  using element = Element;
  scan_op *op;
  uint32_t count;
};

/* Compares the types of a bucket function with the elements and the parameters that it is given. */
template <typename Element, typename How, typename... Options> struct bucket_check {};
template <typename Element, typename E, typename P, typename... Options>
struct bucket_check<Element, buckets_of<E, P>, Options...> {
  static_assert(std::is_same<Element, E>::value, "the bucket function looks at elements of another type");
  static_assert((fits<set_params, P, Options>::value && ...), "the bucket function has parameters of another type");
};

template <typename Element, typename Request, typename Set> void divide(Request &r, const option<Set> &by_bits) {
  r.spec.key_type = type_of<Element>();
  by_bits.set(r);
}
template <typename Element, typename Request, typename E, typename P>
void divide(Request &r, const buckets_of<E, P> &by) {
  r.spec.bucket = by.op;
  r.spec.buckets = by.count;
}

/* Numbers of the buckets of `bits` bits, at most 8 at a time. */
constexpr uint64_t buckets_of_bits(uint32_t bits) noexcept {
  return (bits / 8) * uint64_t(256) + (bits % 8 ? uint64_t(1) << bits % 8 : 0);
}
template <typename Element, typename Request> uint64_t bucket_count(const Request &r, bool has_digits) noexcept {
  const uint32_t all = 8 * static_cast<uint32_t>(sizeof(Element)), first = r.spec.first_bit;
  if (r.spec.buckets != 0 || first >= all) return r.spec.buckets;
  uint32_t end = r.spec.end_bit;
  if (end == 0) end = first + 8 < all ? first + 8 : all;
  if (end <= first || end > all || (end - first > 8 && !has_digits)) return 0; /* refused by the call */
  return buckets_of_bits(end - first);
}

struct split_request : keyed_request<scan_split_spec, scan_split_args> {
  template <typename P> void params(const P *value) noexcept { args.params = value; }
};

struct split_operation : c_calls<split_request, scan_split, scan_plan_run_split, scan_plan_create_split> {
  template <typename Keys, typename KeysOut, typename Offsets, typename How, typename... Options>
  static auto make(Keys &&keys, KeysOut &&keys_out, Offsets &&offsets, const How &how, const Options &...options) {
    (void)bucket_check<element_of<Keys>, How, Options...>();
    static_assert(sizeof(element_of<Offsets>) == 8, "offsets of buckets are unsigned integers of 64 bits");
    request r;
    r.move_keys(keys, keys_out);
    divide<element_of<Keys>>(r, how);
    apply(r, options...);
    r.args.offsets = r.room(output(offsets), bucket_count<element_of<Keys>>(r, false) + 1);
    return r;
  }
  static bool same(const request &a, const request &b) noexcept {
    using spec = scan_split_spec;
    return equal(a.spec, b.spec, &spec::key_type, &spec::descending, &spec::first_bit, &spec::end_bit,
                 &spec::index_type, &spec::arrays, &spec::element_bytes, &spec::element_align, &spec::drops_keys,
                 &spec::in_place, &spec::bucket, &spec::buckets, &spec::flags);
  }
};

struct histogram_request : request<scan_histogram_spec, scan_histogram_args> {
  void descending() noexcept { spec.descending = 1; }
  void bits(uint32_t first, uint32_t end) noexcept {
    spec.first_bit = first;
    spec.end_bit = end;
  }
  template <typename P> void params(const P *value) noexcept { args.params = value; }
};

struct histogram_operation
    : c_calls<histogram_request, scan_histogram, scan_plan_run_histogram, scan_plan_create_histogram> {
  template <typename Keys, typename Counts, typename How, typename... Options>
  static auto make(Keys &&keys, Counts &&counts, const How &how, const Options &...options) {
    (void)bucket_check<element_of<Keys>, How, Options...>();
    static_assert(sizeof(element_of<Counts>) == 8, "counts of buckets are unsigned integers of 64 bits");
    request r;
    const auto from = input(keys);
    r.n = from.size();
    r.args.keys = from.mem();
    divide<element_of<Keys>>(r, how);
    apply(r, options...);
    r.args.counts = r.room(output(counts), bucket_count<element_of<Keys>>(r, true));
    return r;
  }
  static bool same(const request &a, const request &b) noexcept {
    using spec = scan_histogram_spec;
    return equal(a.spec, b.spec, &spec::key_type, &spec::descending, &spec::first_bit, &spec::end_bit, &spec::bucket,
                 &spec::buckets, &spec::flags);
  }
};

}

/** split(ctx, keys, keys_out, offsets, how, options...): moves keys stably into buckets, and writes where each begins
 *  (u64, one more than buckets). `how` is bits(first, end), up to 8 of them, or into(function, buckets). keys_out may
 *  be keys or scanrt::none. @see scan_split */
inline constexpr detail::planned<detail::split_operation> split{};

/** histogram(ctx, keys, counts, how, options...): how many keys (u64) each bucket has; of more than 8 bits each digit
 *  of 8. @see scan_histogram */
inline constexpr detail::planned<detail::histogram_operation> histogram{};

using split_plan = plan<detail::split_operation>;         /**< A plan of split. */
using histogram_plan = plan<detail::histogram_operation>; /**< A plan of histogram. */

/** split, histogram: the buckets that a function numbers. @param function outlives the call @param buckets how many */
template <typename E, typename P> auto into(const bucket_function<E, P> &function, uint32_t buckets) {
  return detail::buckets_of<E, P>{ function.get(), buckets };
}

/** sort and split, whose keys_out is scanrt::none: the indices of the keys, u32 or u64, go to `out`. */
template <typename Out> auto indices(Out &&out) {
  const auto to = detail::output(out);
  return detail::option{ [to](auto &r) { r.indices(to); } };
}

}

#endif
