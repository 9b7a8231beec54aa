/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cpu_peer.h
 * @brief Shared code of the peers that scan host memory: sums of one type, chosen once, called on pointers.
 *
 * Sums of signed integers are computed in the unsigned type of the same size, which has the same bits and wraps around.
 */
#ifndef SCANRT_PEERS_CPU_PEER_H
#define SCANRT_PEERS_CPU_PEER_H

#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>

#include "../cli/peer.h"

namespace cpu_peer {

/** A sum of n elements from zero. */
typedef void scan_function(const void *in, void *out, uint64_t n);

/** A prepared scan. */
struct prepared {
  scan_function *scan;
  uint64_t n;
};

inline char error_text[160] = "";

/** Returns the function for a case; nullptr if the peer has none. `scans` has members inclusive<T> and exclusive<T>. */
template <class scans> scan_function *find(const bench_peer_case &what) {
  const bool inclusive = what.kind == SCAN_INCLUSIVE;
  if (what.variant || what.segments != SCAN_SEGMENTS_NONE || what.op != SCAN_ADD || what.input_type != what.type)
    return nullptr;
  switch (what.type) {
  case SCAN_I8:
  case SCAN_U8: return inclusive ? scans::template inclusive<uint8_t> : scans::template exclusive<uint8_t>;
  case SCAN_I16:
  case SCAN_U16: return inclusive ? scans::template inclusive<uint16_t> : scans::template exclusive<uint16_t>;
  case SCAN_I32:
  case SCAN_U32: return inclusive ? scans::template inclusive<uint32_t> : scans::template exclusive<uint32_t>;
  case SCAN_I64:
  case SCAN_U64: return inclusive ? scans::template inclusive<uint64_t> : scans::template exclusive<uint64_t>;
  case SCAN_F32: return inclusive ? scans::template inclusive<float> : scans::template exclusive<float>;
  case SCAN_F64: return inclusive ? scans::template inclusive<double> : scans::template exclusive<double>;
  default: return nullptr;
  }
}

template <class scans> int supports(const bench_peer_case *what) { return find<scans>(*what) != nullptr; }

template <class scans> int prepare(const bench_peer_case *what, void **state) {
  *state = new (std::nothrow) prepared{ find<scans>(*what), what->n };
  if (*state) return 0;
  std::snprintf(error_text, sizeof error_text, "no memory");
  return -1;
}

inline int open_device(int) { return 0; }

/** Starts a scan. Catches exceptions, which must not reach the tool, since that is C. */
inline int start(void *state, const void *in, void *out, void *) {
  const prepared *p = static_cast<const prepared *>(state);
  try {
    p->scan(in, out, p->n);
    return 0;
  } catch (const std::exception &e) {
    std::snprintf(error_text, sizeof error_text, "%s", e.what());
    return -1;
  }
}

inline void destroy(void *state) { delete static_cast<prepared *>(state); }

inline const char *last_error() { return error_text; }

/** Makes the table of a peer. */
template <class scans>
bench_peer table(const char *name, const char *release, const bench_peer_select *select = nullptr,
                 const bench_peer_sort *sort = nullptr, const bench_peer_reduce *reduce = nullptr) {
  return { BENCH_PEER_VERSION,
           name,
           release,
           SCAN_BACKEND_HOST,
           open_device,
           supports<scans>,
           prepare<scans>,
           start,
           destroy,
           last_error,
           select,
           sort,
           reduce };
}

}

#endif
