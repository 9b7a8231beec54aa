/* SPDX-License-Identifier: BSD-2-Clause */
/* `#pragma omp scan` of OpenMP 5.0 and sums by `reduction` as a peer of `scanrt bench` (tools/cli/peer.h). */

#include "cpu_peer.h"
#include "cpu_reduce.h"

namespace {

struct scans {
  template <class T> static void inclusive(const void *in_, void *out_, uint64_t n) {
    const T *in = static_cast<const T *>(in_);
    T *out = static_cast<T *>(out_), sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (uint64_t i = 0; i < n; i++) {
      sum = static_cast<T>(sum + in[i]);
#pragma omp scan inclusive(sum)
      out[i] = sum;
    }
  }

  template <class T> static void exclusive(const void *in_, void *out_, uint64_t n) {
    const T *in = static_cast<const T *>(in_);
    T *out = static_cast<T *>(out_), sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (uint64_t i = 0; i < n; i++) {
      out[i] = sum;
#pragma omp scan exclusive(sum)
      sum = static_cast<T>(sum + in[i]);
    }
  }
};

struct sums {
  template <class T> static T total(const T *in, uint64_t n) {
    T sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (uint64_t i = 0; i < n; i++) sum = static_cast<T>(sum + in[i]);
    return sum;
  }
  template <class F> static void each(uint64_t n, F function) {
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) function(i);
  }
};

const bench_peer_reduce reductions = cpu_reduce::table<sums>();

char release_text[32];

}

extern "C" __attribute__((visibility("default"))) const bench_peer *scanrt_bench_peer() {
  static const bench_peer peer = cpu_peer::table<scans>("OpenMP", release_text, nullptr, nullptr, &reductions);
#if defined(__clang__)
  std::snprintf(release_text, sizeof release_text, "clang %d", __clang_major__);
#else
  std::snprintf(release_text, sizeof release_text, "gcc %d", __GNUC__);
#endif
  return &peer;
}
