/* SPDX-License-Identifier: BSD-2-Clause */
/* Highway's vqsort, of keys alone and by one thread, as a peer of `scanrt bench --sort` (tools/cli/peer.h). The build
 * defines HWY_RELEASE, since hwy/highway.h cannot be compiled for some processors with -march=native. */
#include <cstring>

#include <hwy/contrib/sort/vqsort.h>

#include "cpu_peer.h"

namespace {

typedef void sort_function(const bench_sort_case &what, const bench_sort_memory &memory);

template <class T> void sort(const bench_sort_case &what, const bench_sort_memory &memory) {
  T *out = static_cast<T *>(memory.keys_out);
  std::memcpy(out, memory.keys_in, what.n * sizeof(T));
  if (what.descending)
    hwy::Sorter()(out, what.n, hwy::SortDescending());
  else
    hwy::Sorter()(out, what.n, hwy::SortAscending());
}

sort_function *find(const bench_sort_case &what) {
  const bool sorts_by_all = what.first_bit == 0 && what.end_bit == 8 * scan_type_bytes(what.key_type);
  if (what.what != BENCH_SORT_KEYS || what.segment_items || !sorts_by_all) return nullptr;
  switch (what.key_type) {
  case SCAN_I16: return sort<int16_t>;
  case SCAN_U16: return sort<uint16_t>;
  case SCAN_I32: return sort<int32_t>;
  case SCAN_U32: return sort<uint32_t>;
  case SCAN_I64: return sort<int64_t>;
  case SCAN_U64: return sort<uint64_t>;
  case SCAN_F32: return sort<float>;
  case SCAN_F64: return sort<double>;
  default: return nullptr;
  }
}

int sort_supports(const bench_sort_case *what, int) { return find(*what) != nullptr; }

int sort_prepare(const bench_sort_case *what, int, void **state) {
  *state = new (std::nothrow) bench_sort_case(*what);
  if (*state) return 0;
  std::snprintf(cpu_peer::error_text, sizeof cpu_peer::error_text, "no memory");
  return -1;
}

int sort_start(void *state, const bench_sort_memory *memory, void *) {
  const bench_sort_case *what = static_cast<const bench_sort_case *>(state);
  find (*what)(*what, *memory);
  return 0;
}

void sort_destroy(void *state) { delete static_cast<bench_sort_case *>(state); }

int supports(const bench_peer_case *) { return 0; }
int prepare(const bench_peer_case *, void **) { return -1; }

const char *const variants[] = { "", nullptr };
const bench_peer_sort sorts = { variants, sort_supports, sort_prepare, sort_start, sort_destroy };
const bench_peer peer = { BENCH_PEER_VERSION,
                          "vqsort",
                          HWY_RELEASE,
                          SCAN_BACKEND_HOST,
                          cpu_peer::open_device,
                          supports,
                          prepare,
                          cpu_peer::start,
                          cpu_peer::destroy,
                          cpu_peer::last_error,
                          nullptr,
                          &sorts,
                          nullptr };

}

extern "C" __attribute__((visibility("default"))) const bench_peer *scanrt_bench_peer() { return &peer; }
