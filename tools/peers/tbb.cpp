/* SPDX-License-Identifier: BSD-2-Clause */
/* std::inclusive_scan and std::exclusive_scan with std::execution::par, which runs on TBB, as a peer of `scanrt bench`
 * (tools/cli/peer.h). */
#include <execution>
#include <functional>
#include <numeric>
#include <vector>

#include <tbb/version.h>

#include "cpu_peer.h"

namespace {

struct scans {
  template <class T> static void inclusive(const void *in, void *out, uint64_t n) {
    const T *from = static_cast<const T *>(in);
    std::inclusive_scan(std::execution::par, from, from + n, static_cast<T *>(out), std::plus<T>{});
  }

  /* In place, libstdc++ overwrites elements that it has yet to read: there it gets a copy. */
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

char release_text[32];

}

extern "C" __attribute__((visibility("default"))) const bench_peer *scanrt_bench_peer() {
  static const bench_peer peer = cpu_peer::table<scans>("std par TBB", release_text);
  std::snprintf(release_text, sizeof release_text, "%d.%d", TBB_VERSION_MAJOR, TBB_VERSION_MINOR);
  return &peer;
}
