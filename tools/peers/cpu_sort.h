/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cpu_sort.h
 * @brief Shared code of the peers that sort host memory. Keys alone are copied to the output and sorted there. Keys
 * with values or indices become an array of structs, which is sorted by key and split again.
 *
 * `ways` has members sort(first, last) for keys alone; stable(first, last, less); each(n, function of an index); and
 * each_segment(n, function of an index), on all threads. One thread sorts a segment.
 * In descending order keys alone are sorted through reversed iterators.
 */
#ifndef SCANRT_PEERS_CPU_SORT_H
#define SCANRT_PEERS_CPU_SORT_H

#include <algorithm>
#include <iterator>
#include <memory>

#include "cpu_peer.h"

namespace cpu_sort {

template <class K, class V> struct item {
  K key;
  V value;
};

struct prepared;
typedef void sort_function(const prepared &p, const bench_sort_memory &memory);

/** A prepared sort. */
struct prepared {
  bench_sort_case what;
  sort_function *sort;
  std::unique_ptr<unsigned char[]> items; /**< Structs of keys and values. */
};

template <class variants, class K> void sort_keys(const prepared &p, const bench_sort_memory &memory) {
  const K *in = static_cast<const K *>(memory.keys_in);
  K *out = static_cast<K *>(memory.keys_out);
  variants::each(p.what.n, [=](uint64_t i) { out[i] = in[i]; });
  if (p.what.descending)
    variants::sort(std::make_reverse_iterator(out + p.what.n), std::make_reverse_iterator(out));
  else
    variants::sort(out, out + p.what.n);
}

template <class variants, class K, class V> void sort_items(const prepared &p, const bench_sort_memory &memory) {
  typedef item<K, V> item_type;
  const K *keys = static_cast<const K *>(memory.keys_in);
  const V *values = static_cast<const V *>(memory.values_in);
  K *keys_out = static_cast<K *>(memory.keys_out);
  V *values_out = static_cast<V *>(memory.values_out);
  item_type *items = reinterpret_cast<item_type *>(p.items.get());
  variants::each(p.what.n, [=](uint64_t i) { items[i] = { keys[i], values ? values[i] : static_cast<V>(i) }; });
  if (p.what.descending)
    variants::stable(items, items + p.what.n, [](const item_type &a, const item_type &b) { return a.key > b.key; });
  else
    variants::stable(items, items + p.what.n, [](const item_type &a, const item_type &b) { return a.key < b.key; });
  variants::each(p.what.n, [=](uint64_t i) {
    if (keys_out) keys_out[i] = items[i].key;
    values_out[i] = items[i].value;
  });
}

/** Calls the function with the begin and the end of a segment. */
template <class F> void with_segment(const prepared &p, uint64_t s, F function) {
  const uint64_t begin = s * p.what.segment_items, left = p.what.n - begin;
  function(begin, left < p.what.segment_items ? p.what.n : begin + p.what.segment_items);
}

template <class variants, class K> void sort_segments(const prepared &p, const bench_sort_memory &memory) {
  const K *in = static_cast<const K *>(memory.keys_in);
  K *out = static_cast<K *>(memory.keys_out);
  variants::each_segment(bench_sort_segments(&p.what), [=, &p](uint64_t s) {
    with_segment(p, s, [=](uint64_t begin, uint64_t end) {
      std::copy(in + begin, in + end, out + begin);
      std::sort(out + begin, out + end);
    });
  });
}

template <class variants, class K, class V>
void sort_segments_items(const prepared &p, const bench_sort_memory &memory) {
  typedef item<K, V> item_type;
  const K *keys = static_cast<const K *>(memory.keys_in);
  const V *values = static_cast<const V *>(memory.values_in);
  K *keys_out = static_cast<K *>(memory.keys_out);
  V *values_out = static_cast<V *>(memory.values_out);
  item_type *items = reinterpret_cast<item_type *>(p.items.get());
  variants::each_segment(bench_sort_segments(&p.what), [=, &p](uint64_t s) {
    with_segment(p, s, [=](uint64_t begin, uint64_t end) {
      for (uint64_t i = begin; i < end; i++) items[i] = { keys[i], values ? values[i] : static_cast<V>(i) };
      std::stable_sort(items + begin, items + end,
                       [](const item_type &a, const item_type &b) { return a.key < b.key; });
      for (uint64_t i = begin; i < end; i++) {
        if (keys_out) keys_out[i] = items[i].key;
        values_out[i] = items[i].value;
      }
    });
  });
}

/** The function that sorts a case, and the size of its structs. */
struct found {
  sort_function *sort;
  size_t item_bytes;
};

template <class variants, class K> found find_segments(const bench_sort_case &what) {
  if (what.value_bytes == 0) return { sort_segments<variants, K>, 0 };
  if (what.value_bytes == 4) return { sort_segments_items<variants, K, uint32_t>, sizeof(item<K, uint32_t>) };
  return { sort_segments_items<variants, K, uint64_t>, sizeof(item<K, uint64_t>) };
}

template <class variants, class K> found find_of(const bench_sort_case &what) {
  if (what.what == BENCH_SORT_HISTOGRAM) return { nullptr, 0 };
  if (what.end_bit - what.first_bit < 8 * sizeof(K)) return { nullptr, 0 }; /* only sorts by all bits */
  if (what.segment_items) return find_segments<variants, K>(what);
  if (what.value_bytes == 0) return { sort_keys<variants, K>, 0 };
  if (what.value_bytes == 4) return { sort_items<variants, K, uint32_t>, sizeof(item<K, uint32_t>) };
  return { sort_items<variants, K, uint64_t>, sizeof(item<K, uint64_t>) };
}

template <class variants> found find(const bench_sort_case &what) {
  switch (what.key_type) {
  case SCAN_I8: return find_of<variants, int8_t>(what);
  case SCAN_U8: return find_of<variants, uint8_t>(what);
  case SCAN_I16: return find_of<variants, int16_t>(what);
  case SCAN_U16: return find_of<variants, uint16_t>(what);
  case SCAN_I32: return find_of<variants, int32_t>(what);
  case SCAN_U32: return find_of<variants, uint32_t>(what);
  case SCAN_I64: return find_of<variants, int64_t>(what);
  case SCAN_U64: return find_of<variants, uint64_t>(what);
  case SCAN_F32: return find_of<variants, float>(what);
  case SCAN_F64: return find_of<variants, double>(what);
  default: return { nullptr, 0 };
  }
}

template <class variants> int supports(const bench_sort_case *what, int) {
  return find<variants>(*what).sort != nullptr;
}

template <class variants> int prepare(const bench_sort_case *what, int, void **state) {
  const found found_sort = find<variants>(*what);
  const size_t bytes = found_sort.item_bytes * what->n;
  std::unique_ptr<prepared> p(new (std::nothrow) prepared{ *what, found_sort.sort, nullptr });
  if (p && bytes) p->items.reset(new (std::nothrow) unsigned char[bytes]);
  if (!p || (bytes && !p->items)) {
    std::snprintf(cpu_peer::error_text, sizeof cpu_peer::error_text, "no memory");
    return -1;
  }
  *state = p.release();
  return 0;
}

/** Starts a sort. Catches exceptions, which must not reach the tool, since that is C. */
inline int start(void *state, const bench_sort_memory *memory, void *) {
  const prepared *p = static_cast<const prepared *>(state);
  try {
    p->sort(*p, *memory);
    return 0;
  } catch (const std::exception &e) {
    std::snprintf(cpu_peer::error_text, sizeof cpu_peer::error_text, "%s", e.what());
    return -1;
  }
}

inline void destroy(void *state) { delete static_cast<prepared *>(state); }

inline const char *const one_way[] = { "", nullptr };

/** Makes the table of a peer's sorts. */
template <class variants> constexpr bench_peer_sort table() {
  return { one_way, supports<variants>, prepare<variants>, start, destroy };
}

}

#endif
