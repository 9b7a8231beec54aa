/* SPDX-License-Identifier: BSD-2-Clause */
/* std::inclusive_scan, std::exclusive_scan, std::copy_if, std::unique_copy and std::stable_sort with
 * std::execution::par, which runs on TBB, std::reduce, and TBB's parallel_sort of keys alone, as a peer of `scanrt
 * bench` (tools/cli/peer.h). */
#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>
#include <vector>

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/version.h>

#include "cpu_peer.h"
#include "cpu_reduce.h"
#include "cpu_sort.h"

namespace {

struct scans {
  template <class T> static void inclusive(const void *in, void *out, uint64_t n) {
    const T *from = static_cast<const T *>(in);
    std::inclusive_scan(std::execution::par, from, from + n, static_cast<T *>(out), std::plus<T>{});
  }

  /* In place libstdc++ overwrites elements before it reads them, so this scans a copy. */
  template <class T> static void exclusive(const void *in, void *out, uint64_t n) {
    const T *from = static_cast<const T *>(in);
    std::vector<T> copy;
    if (in == out) {
      copy.assign(from, from + n);
      from = copy.data();
    }
    std::exclusive_scan(std::execution::par, from, from + n, static_cast<T *>(out), T{ 0 }, std::plus<T>{});
  }
};

/* ---- compaction ---- */

/* A compaction. @return the number of elements kept */
typedef uint64_t compaction(const bench_select_case &what, const void *in, void *out);

template <class T> uint64_t copy_if(const bench_select_case &what, const void *in, void *out) {
  const T *from = static_cast<const T *>(in);
  T *to = static_cast<T *>(out);
  const uint32_t threshold = what.threshold;
  const auto keep = [threshold](T x) { return static_cast<uint32_t>(x) < threshold; };
  return static_cast<uint64_t>(std::copy_if(std::execution::par, from, from + what.n, to, keep) - to);
}

template <class T> uint64_t unique_copy(const bench_select_case &what, const void *in, void *out) {
  const T *from = static_cast<const T *>(in);
  T *to = static_cast<T *>(out);
  return static_cast<uint64_t>(std::unique_copy(std::execution::par, from, from + what.n, to) - to);
}

template <class T> compaction *find_of(const bench_select_case &what) {
  if (what.looked_bytes != sizeof(T)) return nullptr;
  return what.by == SCAN_SELECT_PREDICATE ? copy_if<T> : what.by == SCAN_SELECT_FIRST ? unique_copy<T> : nullptr;
}

compaction *find(const bench_select_case &what) {
  if (what.variant || what.arrays != 1 || what.rest != SCAN_REST_DROPPED) return nullptr;
  switch (what.element_bytes[0]) {
  case 1: return find_of<uint8_t>(what);
  case 2: return find_of<uint16_t>(what);
  case 4: return find_of<uint32_t>(what);
  case 8: return find_of<uint64_t>(what);
  default: return nullptr;
  }
}

int select_supports(const bench_select_case *what) { return find(*what) != nullptr; }

int select_prepare(const bench_select_case *what, void **state) {
  *state = new (std::nothrow) bench_select_case(*what);
  if (*state) return 0;
  std::snprintf(cpu_peer::error_text, sizeof cpu_peer::error_text, "no memory");
  return -1;
}

/* Starts a compaction. Catches exceptions, which must not reach the tool, since that is C. */
int select_start(void *state, const bench_select_memory *memory, void *) {
  const bench_select_case *what = static_cast<const bench_select_case *>(state);
  try {
    *memory->count = find(*what)(*what, memory->in[0], memory->out[0]);
    return 0;
  } catch (const std::exception &e) {
    std::snprintf(cpu_peer::error_text, sizeof cpu_peer::error_text, "%s", e.what());
    return -1;
  }
}

void select_destroy(void *state) { delete static_cast<bench_select_case *>(state); }

const bench_peer_select selections = { select_supports, select_prepare, select_start, select_destroy, 0 };

/* ---- sums ---- */

struct sums {
  template <class T> static T total(const T *in, uint64_t n) {
    return std::reduce(std::execution::par, in, in + n, T{ 0 }, std::plus<T>{});
  }
  template <class F> static void each(uint64_t n, F function) { tbb::parallel_for(uint64_t{ 0 }, n, function); }
};

const bench_peer_reduce reductions = cpu_reduce::table<sums>();

/* ---- sorts ---- */

struct sort_variants {
  template <class I> static void sort(I first, I last) { tbb::parallel_sort(first, last); }
  template <class T, class L> static void stable(T *first, T *last, L less) {
    std::stable_sort(std::execution::par, first, last, less);
  }
  template <class F> static void each(uint64_t n, F function) { tbb::parallel_for(uint64_t{ 0 }, n, function); }
  template <class F> static void each_segment(uint64_t n, F function) { each(n, function); }
};

const bench_peer_sort sorts = cpu_sort::table<sort_variants>();

char release_text[32];

}

extern "C" __attribute__((visibility("default"))) const bench_peer *scanrt_bench_peer() {
  static const bench_peer peer = cpu_peer::table<scans>("std par TBB", release_text, &selections, &sorts, &reductions);
  std::snprintf(release_text, sizeof release_text, "%d.%d", TBB_VERSION_MAJOR, TBB_VERSION_MINOR);
  return &peer;
}
