/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cub_groups.cu
 * @brief Times scanrt/device/group.h beside cub::BlockScan, cub::BlockReduce, cub::WarpScan and cub::WarpReduce.
 *
 * A kernel calls one of them again and again with values in registers, each call on results of the one before. One
 * launch fills all multiprocessors, and one has a single work-group on each: the first gives the throughput and the
 * second the latency. Results of group.h are compared with the documented order of operations bit for bit, and those of
 * CUB with the same within rounding.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cub/version.cuh>

#include "cub_groups.h"

namespace {

enum { ROUNDS = 5, CHECKED_CALLS = 40, TIMED_CALLS = 1000 };

const char *const call_names[GROUP_CALLS] = { "scan", "reduce", "reduce, all", "row scan", "row reduce" };
const char *const type_names[GROUP_TYPES] = { "i32", "f32", "f64" };

void check(cudaError_t result, const char *call) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s failed: %s\n", call, cudaGetErrorString(result));
  std::exit(EXIT_FAILURE);
}

/* ---- the expected values ---- */

/* An inclusive scan of each row of 32 values, in the order that group.h documents. */
template <class T> void scan_rows(std::vector<T> &x) {
  for (size_t row = 0; row < x.size(); row += 32)
    for (size_t d = 1; d < 32; d *= 2)
      for (size_t i = 31; i >= d; i--) x[row + i] = x[row + i - d] + x[row + i];
}

/* The sums of each work-item and all before it, in the order that group.h documents. */
template <class T> void scan_group(std::vector<T> &x) {
  const size_t run = x.size() / 32;
  std::vector<T> runs;
  for (size_t i = 0; i < x.size(); i++) runs.push_back(i % run == 0 ? x[i] : runs[i - 1] + x[i]);
  for (size_t j = 0; j < 32; j++) runs[j] = runs[j * run + run - 1];
  runs.resize(32);
  scan_rows(runs);
  for (size_t i = 0; i < x.size(); i++) x[i] = i % run == run - 1 ? runs[i / run] : i > 0 ? x[i - 1] + x[i] : x[i];
}

/* One call. x has `values` values of each work-item. */
template <class T> void repeat_call(T *x, const group_case &what, int repetition) {
  const size_t values = static_cast<size_t>(what.values), items = static_cast<size_t>(what.items);
  std::vector<T> own(x, x + items * values), group(items);
  for (size_t i = 0; i < items; i++) {
    T *first = &own[i * values];
    for (size_t k = 1; k < values; k++) first[k] = first[k - 1] + first[k];
    group[i] = first[values - 1];
  }
  std::vector<T> rows = group;
  scan_rows(rows);
  scan_group(group);
  for (size_t i = 0; i < items; i++) {
    const bool has_total = what.call == GROUP_REDUCE_ALL || (what.call == ROW_REDUCE ? i % 32 : i) == 0;
    const T total = what.call == ROW_REDUCE ? rows[i | 31] : group.back(),
            feed = group_feed(has_total ? total : T(repetition));
    for (size_t k = 0; k < values; k++) {
      T &next = x[i * values + k];
      if (what.call == ROW_SCAN)
        next = group_next(rows[i]);
      else if (what.call == GROUP_SCAN)
        next = group_next(values == 1 ? group[i] : i > 0 ? group[i - 1] + own[i * values + k] : own[k]);
      else
        next = group_mix(next, feed);
    }
  }
}

template <class T> struct samples { std::vector<T> in, expected; };

template <class T> samples<T> make_samples(const group_case &what) {
  const size_t count = static_cast<size_t>(what.items) * static_cast<size_t>(what.values);
  samples<T> s;
  for (size_t i = 0; i < GROUP_SAMPLES * count; i++) s.in.push_back(group_next(T(i * 2654435761u % 60013)));
  s.expected = s.in;
  for (size_t sample = 0; sample < GROUP_SAMPLES; sample++)
    for (int r = 0; r < CHECKED_CALLS; r++) repeat_call(&s.expected[sample * count], what, r);
  return s;
}

/* Returns whether a result is right: group.h must give the same bits, CUB the same within rounding. */
template <class T> bool is_right(T got, T expected, int peer) {
  if (peer == 0 || T(0.5) == T(0)) return std::memcmp(&got, &expected, sizeof got) == 0;
  const double error = std::fabs(static_cast<double>(got) - static_cast<double>(expected));
  return error <= (sizeof(T) == 4 ? 1e-4 : 1e-12) * std::fabs(static_cast<double>(expected));
}

/* ---- the device ---- */

struct machine {
  int multiprocessors;
  void *in, *out;
  cudaEvent_t begin, end;
};

int groups_of(const machine &m, const group_case &what, int peer) {
  int groups = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&groups, what.kernel[peer], what.items, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return groups * m.multiprocessors;
}

template <class T> bool check_case(const machine &m, const group_case &what) {
  const samples<T> s = make_samples<T>(what);
  const size_t count = s.in.size() / GROUP_SAMPLES;
  bool right = true;
  check(cudaMemcpy(m.in, s.in.data(), s.in.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  for (int peer = 0; peer < GROUP_PEERS; peer++) {
    if (!what.kernel[peer]) continue;
    const int groups = groups_of(m, what, peer);
    std::vector<T> got(static_cast<size_t>(groups) * count);
    check(cudaMemset(m.out, 0xff, got.size() * sizeof(T)), "cudaMemset");
    what.kernel[peer]<<<groups, what.items>>>(m.in, m.out, CHECKED_CALLS);
    check(cudaMemcpy(got.data(), m.out, got.size() * sizeof(T), cudaMemcpyDeviceToHost), group_peer_names[peer]);
    for (size_t i = 0; i < got.size(); i++) {
      const T expected = s.expected[i / count % GROUP_SAMPLES * count + i % count];
      if (is_right(got[i], expected, peer)) continue;
      std::fprintf(stderr,
                   "%s of %s, %d work-items with %d values, by %s: value %zu of group %zu is %.17g, not %.17g\n",
                   call_names[what.call], type_names[what.type], what.items, what.values, group_peer_names[peer],
                   i % count, i / count, static_cast<double>(got[i]), static_cast<double>(expected));
      right = false;
      break;
    }
  }
  return right;
}

/* Returns the nanoseconds between the ends of two calls on one multiprocessor. */
double time_once(const machine &m, const group_case &what, int peer, int groups) {
  float milliseconds = 0;
  check(cudaEventRecord(m.begin), "cudaEventRecord");
  what.kernel[peer]<<<groups, what.items>>>(m.in, m.out, TIMED_CALLS);
  check(cudaEventRecord(m.end), "cudaEventRecord");
  check(cudaEventSynchronize(m.end), call_names[what.call]);
  check(cudaEventElapsedTime(&milliseconds, m.begin, m.end), "cudaEventElapsedTime");
  return milliseconds * 1e6 / TIMED_CALLS * m.multiprocessors / groups;
}

/* Times the peers in turn. nanoseconds: medians, 0 without a kernel. */
void time_case(const machine &m, const group_case &what, bool is_full, double nanoseconds[GROUP_PEERS]) {
  std::vector<double> times[GROUP_PEERS];
  for (int round = -1; round < ROUNDS; round++) /* the first one warms up */
    for (int peer = 0; peer < GROUP_PEERS; peer++) {
      if (!what.kernel[peer]) continue;
      const double t = time_once(m, what, peer, is_full ? groups_of(m, what, peer) : m.multiprocessors);
      if (round >= 0) times[peer].push_back(t);
    }
  for (int peer = 0; peer < GROUP_PEERS; peer++) {
    std::sort(times[peer].begin(), times[peer].end());
    nanoseconds[peer] = times[peer].empty() ? 0 : times[peer][ROUNDS / 2];
  }
}

/* Prints a row. Returns how many of its two comparisons group.h loses by more than 1 %. */
int print_case(const machine &m, const group_case &what) {
  int lost = 0;
  std::printf("%-11s %s %4d %3d", call_names[what.call], type_names[what.type], what.items, what.values);
  for (const bool is_full : { true, false }) {
    double t[GROUP_PEERS];
    time_case(m, what, is_full, t);
    const double best = t[2] > 0 ? std::min(t[1], t[2]) : t[1];
    std::printf(" | %7.1f %7.1f %7.1f %5.2f%c", t[0], t[1], t[2], best / t[0], best < 0.99 * t[0] ? '<' : ' ');
    lost += best < 0.99 * t[0];
  }
  std::printf("\n");
  return lost;
}

bool check_any(const machine &m, const group_case &what) {
  return what.type == GROUP_I32   ? check_case<int>(m, what)
         : what.type == GROUP_F32 ? check_case<float>(m, what)
                                  : check_case<double>(m, what);
}

}

int main() {
  cudaDeviceProp device;
  machine m = {};
  int rows = 0, lost = 0;
  bool right = true;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  m.multiprocessors = device.multiProcessorCount;
  const size_t bytes = static_cast<size_t>(m.multiprocessors) *
                       static_cast<size_t>(device.maxThreadsPerMultiProcessor) * GROUP_MOST_VALUES * sizeof(double);
  check(cudaMalloc(&m.in, bytes), "cudaMalloc");
  check(cudaMalloc(&m.out, bytes), "cudaMalloc");
  check(cudaEventCreate(&m.begin), "cudaEventCreate");
  check(cudaEventCreate(&m.end), "cudaEventCreate");
  std::printf(
      "%s, CUB %d.%d.%d: ns a call on a multiprocessor, full and with one work-group, and how many times as fast\n"
      "as the faster of CUB's algorithms group.h is\n"
      "call        type items values | group.h     CUB   other ratio  | one: ...\n",
      device.name, CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
  for (const group_table &table : { cub_groups_128(), cub_groups_256(), cub_groups_512() })
    for (int i = 0; i < table.count; i++) {
      right &= check_any(m, table.cases[i]);
      lost += print_case(m, table.cases[i]);
      rows += 2;
    }
  std::printf("group.h is slower in %d of %d comparisons\n%s\n", lost, rows,
              right ? "all results are right" : "WRONG RESULTS");
  check(cudaFree(m.in), "cudaFree");
  check(cudaFree(m.out), "cudaFree");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
