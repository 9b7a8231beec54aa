/* SPDX-License-Identifier: BSD-2-Clause */
/* std::sort of keys, and std::stable_sort of keys with values, on one thread; for segments on all threads. A peer of
 * `scanrt bench --sort` (tools/cli/peer.h) without scans. */
#include <atomic>
#include <thread>
#include <vector>

#include "cpu_sort.h"

namespace {

struct variants {
  template <class I> static void sort(I first, I last) { std::sort(first, last); }
  template <class T, class L> static void stable(T *first, T *last, L less) { std::stable_sort(first, last, less); }
  template <class F> static void each(uint64_t n, F function) {
    for (uint64_t i = 0; i < n; i++) function(i);
  }
  /* Calls the function for each segment. A thread takes several at a time. */
  template <class F> static void each_segment(uint64_t n, F function) {
    const unsigned count = std::max(1u, std::thread::hardware_concurrency());
    const uint64_t share = std::max<uint64_t>(1, n / count / 64);
    std::atomic<uint64_t> next{ 0 };
    const auto work = [&] {
      for (uint64_t first; (first = next.fetch_add(share)) < n;)
        for (uint64_t i = first; i < std::min(n, first + share); i++) function(i);
    };
    std::vector<std::thread> threads;
    for (unsigned t = 1; t < count; t++) threads.emplace_back(work);
    work();
    for (std::thread &thread : threads) thread.join();
  }
};

int supports(const bench_peer_case *) { return 0; }
int prepare(const bench_peer_case *, void **) { return -1; }
int start(void *, const void *, void *, void *) { return -1; }
void destroy(void *) {}

char release_text[32];
const bench_peer_sort sorts = cpu_sort::table<variants>();
const bench_peer peer = { BENCH_PEER_VERSION,
                          "std",
                          release_text,
                          SCAN_BACKEND_HOST,
                          cpu_peer::open_device,
                          supports,
                          prepare,
                          start,
                          destroy,
                          cpu_peer::last_error,
                          nullptr,
                          &sorts,
                          nullptr };

}

extern "C" __attribute__((visibility("default"))) const bench_peer *scanrt_bench_peer() {
#ifdef __GLIBCXX__
  std::snprintf(release_text, sizeof release_text, "libstdc++ %d", static_cast<int>(_GLIBCXX_RELEASE));
#else
  std::snprintf(release_text, sizeof release_text, "C++ %ld", static_cast<long>(__cplusplus));
#endif
  return &peer;
}
