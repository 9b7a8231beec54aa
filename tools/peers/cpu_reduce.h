/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cpu_reduce.h
 * @brief Shared code of the peers that sum host memory: one total, or one of each segment.
 *
 * `sums` has members total(in, n), on all threads, and each(n, function of an index), which calls the function on all
 * threads. One thread sums a segment. Signed integers are summed in the unsigned type of the same size.
 */
#ifndef SCANRT_PEERS_CPU_REDUCE_H
#define SCANRT_PEERS_CPU_REDUCE_H

#include <numeric>

#include "cpu_peer.h"

namespace cpu_reduce {

typedef void reduce_function(const bench_reduce_case &what, const bench_reduce_memory &memory);

template <class sums, class T> void reduce(const bench_reduce_case &what, const bench_reduce_memory &memory) {
  const T *in = static_cast<const T *>(memory.in);
  T *out = static_cast<T *>(memory.out);
  const uint32_t *offsets = static_cast<const uint32_t *>(memory.offsets);
  if (!what.segments)
    *out = sums::total(in, what.n);
  else
    sums::each(what.segments, [=](uint64_t s) {
      out[s] =
          std::accumulate(in + offsets[s], in + offsets[s + 1], T{ 0 }, [](T a, T b) { return static_cast<T>(a + b); });
    });
}

template <class sums> reduce_function *find(const bench_reduce_case &what) {
  if (what.variant) return nullptr;
  switch (what.type) {
  case SCAN_I8:
  case SCAN_U8: return reduce<sums, uint8_t>;
  case SCAN_I16:
  case SCAN_U16: return reduce<sums, uint16_t>;
  case SCAN_I32:
  case SCAN_U32: return reduce<sums, uint32_t>;
  case SCAN_I64:
  case SCAN_U64: return reduce<sums, uint64_t>;
  case SCAN_F32: return reduce<sums, float>;
  case SCAN_F64: return reduce<sums, double>;
  default: return nullptr;
  }
}

template <class sums> int supports(const bench_reduce_case *what) { return find<sums>(*what) != nullptr; }

inline int prepare(const bench_reduce_case *what, void **state) {
  *state = new (std::nothrow) bench_reduce_case(*what);
  if (*state) return 0;
  std::snprintf(cpu_peer::error_text, sizeof cpu_peer::error_text, "no memory");
  return -1;
}

/** Starts a reduction. Catches exceptions, which must not reach the tool, since that is C. */
template <class sums> int start(void *state, const bench_reduce_memory *memory, void *) {
  const bench_reduce_case *what = static_cast<const bench_reduce_case *>(state);
  try {
    find<sums> (*what)(*what, *memory);
    return 0;
  } catch (const std::exception &e) {
    std::snprintf(cpu_peer::error_text, sizeof cpu_peer::error_text, "%s", e.what());
    return -1;
  }
}

inline void destroy(void *state) { delete static_cast<bench_reduce_case *>(state); }

/** Makes the table of a peer's reductions. */
template <class sums> constexpr bench_peer_reduce table() { return { supports<sums>, prepare, start<sums>, destroy }; }

}

#endif
