/* SPDX-License-Identifier: BSD-2-Clause */
/* Boost.Compute as a peer of `scanrt bench` on OpenCL devices (tools/cli/peer.h): scans, sums, copy_if, unique_copy,
 * reduce_by_key, sort and stable_sort_by_key. Its sorts work in place, on a copy of the input. */
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/copy_if.hpp>
#include <boost/compute/algorithm/exclusive_scan.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/reduce_by_key.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/stable_sort_by_key.hpp>
#include <boost/compute/algorithm/unique_copy.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/lambda.hpp>
#include <boost/version.hpp>

#include <scanrt/scan_opencl.h>

#include "../cli/peer.h"

namespace {

namespace compute = boost::compute;

char error_text[256] = "";

int fail(const char *why) {
  std::snprintf(error_text, sizeof error_text, "%s", why);
  return -1;
}

/* Calls a function, and turns its exception into -1, since the tool is C. */
template <class F> int guarded(F function) {
  try {
    function();
    return 0;
  } catch (const std::exception &e) { return fail(e.what()); }
}

compute::command_queue queue_of(void *stream) {
  return compute::command_queue(static_cast<cl_command_queue>(stream), true);
}

/* The tool's memory as an iterator. */
template <class T> compute::buffer_iterator<T> at(const void *memory) {
  const scan_mem &mem = *static_cast<const scan_mem *>(memory);
  return compute::make_buffer_iterator<T>(compute::buffer(scan_opencl_buffer(mem), true),
                                          static_cast<size_t>(mem.offset_bytes / sizeof(T)));
}

/* Keeps a copy of a case as the state of a peer. */
template <class T> int keep(const T *what, void **state) {
  *state = new (std::nothrow) T(*what);
  return *state ? 0 : fail("no memory");
}
template <class T> void drop(void *state) { delete static_cast<T *>(state); }

/* ---- scans ---- */

typedef void scan_function(const bench_peer_case &what, const void *in, void *out, compute::command_queue &queue);

template <class T> void scan(const bench_peer_case &what, const void *in, void *out, compute::command_queue &queue) {
  const auto first = at<T>(in), last = first + static_cast<ptrdiff_t>(what.n);
  if (what.kind == SCAN_INCLUSIVE)
    compute::inclusive_scan(first, last, at<T>(out), queue);
  else
    compute::exclusive_scan(first, last, at<T>(out), queue);
}

/* Sums of signed integers have the bits of those of the unsigned type. */
scan_function *find(const bench_peer_case &what) {
  const bool is_sum = what.op == SCAN_ADD && what.input_type == what.type && what.composite == SCAN_COMPOSITE_NONE;
  if (what.variant || what.segments != SCAN_SEGMENTS_NONE || !is_sum) return nullptr;
  switch (what.type) {
  case SCAN_I32:
  case SCAN_U32: return scan<compute::uint_>;
  case SCAN_I64:
  case SCAN_U64: return scan<compute::ulong_>;
  case SCAN_F32: return scan<compute::float_>;
  case SCAN_F64: return scan<compute::double_>;
  default: return nullptr;
  }
}

int open_device(int) { return 0; }
int supports(const bench_peer_case *what) { return find(*what) != nullptr; }
int start(void *state, const void *in, void *out, void *stream) {
  const bench_peer_case *what = static_cast<const bench_peer_case *>(state);
  return guarded([=] {
    compute::command_queue queue = queue_of(stream);
    find (*what)(*what, in, out, queue);
  });
}
const char *last_error() { return error_text; }

/* ---- compaction and runs ---- */

typedef size_t compaction(const bench_select_case &what, const bench_select_memory &memory,
                          compute::command_queue &queue);

template <class T>
size_t copy_if(const bench_select_case &what, const bench_select_memory &memory, compute::command_queue &queue) {
  const auto first = at<T>(memory.in[0]);
  const auto out = at<T>(memory.out[0]);
  const auto end = compute::copy_if(first, first + static_cast<ptrdiff_t>(what.n), out,
                                    compute::lambda::_1 < static_cast<T>(what.threshold), queue);
  return static_cast<size_t>(end - out);
}

template <class T>
size_t unique_copy(const bench_select_case &what, const bench_select_memory &memory, compute::command_queue &queue) {
  const auto first = at<T>(memory.in[0]);
  const auto out = at<T>(memory.out[0]);
  return static_cast<size_t>(compute::unique_copy(first, first + static_cast<ptrdiff_t>(what.n), out, queue) - out);
}

template <class T>
size_t sum_by_key(const bench_select_case &what, const bench_select_memory &memory, compute::command_queue &queue) {
  const auto keys = at<compute::uint_>(memory.in[0]), keys_out = at<compute::uint_>(memory.out[0]);
  const auto ends =
      compute::reduce_by_key(keys, keys + static_cast<ptrdiff_t>(what.n), at<T>(memory.in[1]), keys_out,
                             at<T>(memory.out[1]), compute::plus<T>(), compute::equal_to<compute::uint_>(), queue);
  return static_cast<size_t>(ends.first - keys_out);
}

compaction *find_sum(const bench_select_case &what) {
  if (what.op != SCAN_ADD || what.element_bytes[0] != 4) return nullptr;
  switch (what.type) {
  case SCAN_I32:
  case SCAN_U32: return sum_by_key<compute::uint_>;
  case SCAN_I64:
  case SCAN_U64: return sum_by_key<compute::ulong_>;
  case SCAN_F32: return sum_by_key<compute::float_>;
  default: return nullptr;
  }
}

template <class T> compaction *find_of(const bench_select_case &what) {
  if (what.by == SCAN_SELECT_FIRST) return unique_copy<T>;
  return what.by == SCAN_SELECT_PREDICATE && sizeof(T) == 4 ? copy_if<T> : nullptr;
}

compaction *find(const bench_select_case &what) {
  if (what.variant || what.rest != SCAN_REST_DROPPED || what.arrays != 1) return nullptr;
  if (what.by == BENCH_SELECT_REDUCE) return find_sum(what);
  if (what.looked_bytes != what.element_bytes[0]) return nullptr;
  return what.looked_bytes == 4   ? find_of<compute::uint_>(what)
         : what.looked_bytes == 8 ? find_of<compute::ulong_>(what)
                                  : nullptr;
}

/* A prepared compaction, and its count on the way to the device. */
struct selection {
  bench_select_case what;
  cl_ulong count;
};

int select_supports(const bench_select_case *what) { return find(*what) != nullptr; }
int select_prepare(const bench_select_case *what, void **state) {
  const selection s = { *what, 0 };
  return keep(&s, state);
}
int select_start(void *state, const bench_select_memory *memory, void *stream) {
  selection *s = static_cast<selection *>(state);
  return guarded([=] {
    compute::command_queue queue = queue_of(stream);
    const auto count = at<compute::ulong_>(memory->count);
    s->count = find(s->what)(s->what, *memory, queue);
    queue.enqueue_write_buffer_async(count.get_buffer(), count.get_index() * sizeof s->count, sizeof s->count,
                                     &s->count);
  });
}

const bench_peer_select selections = { select_supports, select_prepare, select_start, drop<selection>, 0 };

/* ---- sorts ---- */

typedef void sort_function(const bench_sort_case &what, const bench_sort_memory &memory, compute::command_queue &queue);

template <class K>
void sort_keys(const bench_sort_case &what, const bench_sort_memory &memory, compute::command_queue &queue) {
  const ptrdiff_t n = static_cast<ptrdiff_t>(what.n);
  const auto in = at<K>(memory.keys_in), out = at<K>(memory.keys_out);
  compute::copy(in, in + n, out, queue);
  compute::sort(out, out + n, queue);
}

/* On processors its sort by key writes beside its memory (1.74 on PoCL 3.1: "corrupted size vs. prev_size"). */
template <class K>
void sort_pairs(const bench_sort_case &what, const bench_sort_memory &memory, compute::command_queue &queue) {
  if (!(queue.get_device().type() & compute::device::gpu))
    throw std::runtime_error("sort_by_key is not run on a processor, where it writes beside its memory");
  const ptrdiff_t n = static_cast<ptrdiff_t>(what.n);
  const auto in = at<K>(memory.keys_in), out = at<K>(memory.keys_out);
  const auto values = at<compute::uint_>(memory.values_in), values_out = at<compute::uint_>(memory.values_out);
  compute::copy(in, in + n, out, queue);
  compute::copy(values, values + n, values_out, queue);
  compute::stable_sort_by_key(out, out + n, values_out, queue);
}

template <class K> sort_function *find_of(const bench_sort_case &what) {
  if (what.what == BENCH_SORT_KEYS) return sort_keys<K>;
  return what.what == BENCH_SORT_PAIRS && what.value_bytes == 4 ? sort_pairs<K> : nullptr;
}

sort_function *find(const bench_sort_case &what) {
  const bool sorts_by_all = what.first_bit == 0 && what.end_bit == 8 * scan_type_bytes(what.key_type);
  if (what.segment_items || what.descending || !sorts_by_all) return nullptr;
  switch (what.key_type) {
  case SCAN_U8: return find_of<compute::uchar_>(what);
  case SCAN_I32: return find_of<compute::int_>(what);
  case SCAN_U32: return find_of<compute::uint_>(what);
  case SCAN_U64: return find_of<compute::ulong_>(what);
  case SCAN_F32: return find_of<compute::float_>(what);
  case SCAN_F64: return find_of<compute::double_>(what);
  default: return nullptr;
  }
}

int sort_supports(const bench_sort_case *what, int) { return find(*what) != nullptr; }
int sort_prepare(const bench_sort_case *what, int, void **state) { return keep(what, state); }
int sort_start(void *state, const bench_sort_memory *memory, void *stream) {
  const bench_sort_case *what = static_cast<const bench_sort_case *>(state);
  return guarded([=] {
    compute::command_queue queue = queue_of(stream);
    find (*what)(*what, *memory, queue);
  });
}

const char *const variants[] = { "", nullptr };
const bench_peer_sort sorts = { variants, sort_supports, sort_prepare, sort_start, drop<bench_sort_case> };

/* ---- sums ---- */

typedef void reduction(const bench_reduce_case &what, const bench_reduce_memory &memory, compute::command_queue &queue);

template <class T>
void total(const bench_reduce_case &what, const bench_reduce_memory &memory, compute::command_queue &queue) {
  const auto in = at<T>(memory.in);
  compute::reduce(in, in + static_cast<ptrdiff_t>(what.n), at<T>(memory.out), compute::plus<T>(), queue);
}

reduction *find(const bench_reduce_case &what) {
  if (what.variant || what.segments) return nullptr;
  switch (what.type) {
  case SCAN_I32:
  case SCAN_U32: return total<compute::uint_>;
  case SCAN_I64:
  case SCAN_U64: return total<compute::ulong_>;
  case SCAN_F32: return total<compute::float_>;
  case SCAN_F64: return total<compute::double_>;
  default: return nullptr;
  }
}

int reduce_supports(const bench_reduce_case *what) { return find(*what) != nullptr; }
int reduce_prepare(const bench_reduce_case *what, void **state) { return keep(what, state); }
int reduce_start(void *state, const bench_reduce_memory *memory, void *stream) {
  const bench_reduce_case *what = static_cast<const bench_reduce_case *>(state);
  return guarded([=] {
    compute::command_queue queue = queue_of(stream);
    find (*what)(*what, *memory, queue);
  });
}

const bench_peer_reduce reductions = { reduce_supports, reduce_prepare, reduce_start, drop<bench_reduce_case> };

char release_text[32];
const bench_peer peer = { BENCH_PEER_VERSION,
                          "Boost.Compute",
                          release_text,
                          SCAN_BACKEND_OPENCL,
                          open_device,
                          supports,
                          keep<bench_peer_case>,
                          start,
                          drop<bench_peer_case>,
                          last_error,
                          &selections,
                          &sorts,
                          &reductions };

}

extern "C" __attribute__((visibility("default"))) const bench_peer *scanrt_bench_peer() {
  std::snprintf(release_text, sizeof release_text, "%d.%d", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000);
  return &peer;
}
