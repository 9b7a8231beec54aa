/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file nccl_sort.cu
 * @brief A sort over several GPUs as a program would write it with CUB and NCCL, for comparison with
 * `scanrt bench --mpi --sort keys,pairs` with as many random keys on each GPU as on a rank. One process uses all GPUs.
 *
 * 1. Each GPU sorts its own keys: DeviceRadixSort.
 * 2. Each GPU takes 1,024 keys at regular distances; all get all of them (ncclAllGather), sort them and choose the
 *    keys that part the GPUs.
 * 3. The host reads where these lie in each GPU's keys.
 * 4. Each GPU sends each other one its part: ncclSend, ncclRecv.
 * 5. Each GPU merges the parts that it got, two at a time: DeviceMerge.
 *
 * Results are as even as the samples make them. Equal keys go to one GPU, so that input with few different keys does
 * not fit. Values are the indices of their keys.
 */
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/device/device_merge.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include "figures.h"
#include "nccl_must.h"

namespace {

constexpr int samples = 1024;

template <typename K> __host__ __device__ K key_of(uint64_t index) {
  uint64_t bits = index * UINT64_C(0x9E3779B97F4A7C15) + UINT64_C(0x632BE59BD9B4E019);
  bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
  return static_cast<K>((bits ^ bits >> 31) >> (64 - 8 * sizeof(K)));
}

template <typename K> struct columns {
  K *keys;
  uint32_t *values; // nullptr: keys alone
};

/* A GPU and its buffers. */
template <typename K> struct part {
  cudaStream_t stream;
  ncclComm_t comm;
  columns<K> in, a, b;
  K *chosen, *all, *all_sorted; // samples
  uint64_t *cuts;               // of the GPU's sorted keys: one before each other GPU's part
  void *workspace;
  size_t workspace_bytes;
  columns<K> result;
  uint64_t count; // of results
};

template <typename K> struct machine {
  std::vector<part<K>> parts;
  uint64_t n, capacity; // keys of one GPU
  bool has_values;
  std::vector<uint64_t> cuts; // of GPU r: places r * (GPUs + 1) to r * (GPUs + 1) + GPUs
};

/* ---- kernels ---- */

template <typename K> __global__ void fill(columns<K> to, uint64_t first, uint64_t n) {
  for (uint64_t i = blockIdx.x * uint64_t{ blockDim.x } + threadIdx.x; i < n; i += gridDim.x * uint64_t{ blockDim.x }) {
    to.keys[i] = key_of<K>(first + i);
    if (to.values) to.values[i] = static_cast<uint32_t>(first + i);
  }
}

template <typename K> __global__ void choose(const K *sorted, uint64_t n, K *chosen) {
  chosen[threadIdx.x] = sorted[n * threadIdx.x / samples];
}

template <typename K> __global__ void find_cuts(const K *sorted, uint64_t n, const K *all, uint64_t *cuts) {
  const K key = all[(threadIdx.x + 1) * samples];
  uint64_t low = 0, high = n;
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  cuts[threadIdx.x] = low;
}

/* ---- steps of one GPU ---- */

template <typename K> cudaError_t sort_own(const part<K> &p, uint64_t n, void *workspace, size_t &bytes) {
  if (!p.in.values)
    return cub::DeviceRadixSort::SortKeys(workspace, bytes, p.in.keys, p.a.keys, n, 0, 8 * sizeof(K), p.stream);
  return cub::DeviceRadixSort::SortPairs(workspace, bytes, p.in.keys, p.a.keys, p.in.values, p.a.values, n, 0,
                                         8 * sizeof(K), p.stream);
}

template <typename K> cudaError_t sort_samples(const part<K> &p, uint64_t n, void *workspace, size_t &bytes) {
  return cub::DeviceRadixSort::SortKeys(workspace, bytes, p.all, p.all_sorted, n, 0, 8 * sizeof(K), p.stream);
}

/* Merges [begin, middle) and [middle, end). */
template <typename K> cudaError_t merge(const part<K> &p, columns<K> from, columns<K> to, const uint64_t ends[3],
                                        void *workspace, size_t &bytes) {
  const int64_t first = static_cast<int64_t>(ends[1] - ends[0]), second = static_cast<int64_t>(ends[2] - ends[1]);
  const cuda::std::less<> less{};
  K *const keys[2] = { from.keys + ends[0], from.keys + ends[1] };
  if (!from.values)
    return cub::DeviceMerge::MergeKeys(workspace, bytes, keys[0], first, keys[1], second, to.keys + ends[0], less,
                                       p.stream);
  return cub::DeviceMerge::MergePairs(workspace, bytes, keys[0], from.values + ends[0], first, keys[1],
                                      from.values + ends[1], second, to.keys + ends[0], to.values + ends[0], less,
                                      p.stream);
}

template <typename K> void merge_parts(part<K> &p, std::vector<uint64_t> ends) {
  columns<K> from = p.b, to = p.a;
  while (ends.size() > 2) {
    std::vector<uint64_t> merged = { 0 };
    for (size_t i = 0; i + 1 < ends.size(); i += 2) {
      const uint64_t last = ends[std::min(i + 2, ends.size() - 1)], three[3] = { ends[i], ends[i + 1], last };
      must(merge(p, from, to, three, p.workspace, p.workspace_bytes), "DeviceMerge");
      merged.push_back(last);
    }
    std::swap(from, to);
    ends = merged;
  }
  p.result = from;
  p.count = ends.back();
}

/* ---- timed steps ---- */

template <typename K> int sort_alone(void *state) {
  machine<K> *m = static_cast<machine<K> *>(state);
  on_each_gpu(m->parts,
              [=](part<K> &p, size_t) { must(sort_own(p, m->n, p.workspace, p.workspace_bytes), "DeviceRadixSort"); });
  return 0;
}

template <typename K> int wait(void *state) {
  wait_for(static_cast<machine<K> *>(state)->parts);
  return 0;
}

/* Reads the places at which each GPU's keys part. */
template <typename K> void cut(machine<K> *m) {
  const size_t count = m->parts.size();
  on_each_gpu(m->parts, [=](part<K> &p, size_t) {
    choose<<<1, samples, 0, p.stream>>>(p.a.keys, m->n, p.chosen);
    must(cudaGetLastError(), "choose");
  });
  must(ncclGroupStart(), "ncclGroupStart");
  for (part<K> &p : m->parts)
    must(ncclAllGather(p.chosen, p.all, samples * sizeof(K), ncclUint8, p.comm, p.stream), "ncclAllGather");
  must(ncclGroupEnd(), "ncclGroupEnd");
  on_each_gpu(m->parts, [=](part<K> &p, size_t i) {
    uint64_t *cuts = &m->cuts[i * (count + 1)];
    must(sort_samples(p, count * samples, p.workspace, p.workspace_bytes), "DeviceRadixSort");
    cuts[0] = 0;
    cuts[count] = m->n;
    if (count == 1) return;
    find_cuts<<<1, static_cast<unsigned>(count - 1), 0, p.stream>>>(p.a.keys, m->n, p.all_sorted, p.cuts);
    must(cudaMemcpyAsync(cuts + 1, p.cuts, (count - 1) * sizeof *cuts, cudaMemcpyDeviceToHost, p.stream), "cuts");
  });
  wait_for(m->parts);
}

/* Sends each part of each GPU's keys to its GPU. @return where the parts end that each GPU gets */
template <typename K> std::vector<std::vector<uint64_t>> exchange(machine<K> *m) {
  const size_t count = m->parts.size();
  std::vector<std::vector<uint64_t>> ends(count, std::vector<uint64_t>(1, 0));
  must(ncclGroupStart(), "ncclGroupStart");
  for (size_t to = 0; to < count; to++) {
    for (size_t from = 0; from < count; from++) {
      const uint64_t *cuts = &m->cuts[from * (count + 1) + to], n = cuts[1] - cuts[0], at = ends[to].back();
      const part<K> &source = m->parts[from], &target = m->parts[to];
      const int sender = static_cast<int>(from), receiver = static_cast<int>(to);
      if (at + n > m->capacity) must(cudaErrorMemoryAllocation, "a GPU gets more keys than it has room for");
      must(ncclSend(source.a.keys + cuts[0], n * sizeof(K), ncclUint8, receiver, source.comm, source.stream), "send");
      must(ncclRecv(target.b.keys + at, n * sizeof(K), ncclUint8, sender, target.comm, target.stream), "receive");
      if (m->has_values) {
        must(ncclSend(source.a.values + cuts[0], n, ncclUint32, receiver, source.comm, source.stream), "send");
        must(ncclRecv(target.b.values + at, n, ncclUint32, sender, target.comm, target.stream), "receive");
      }
      ends[to].push_back(at + n);
    }
  }
  must(ncclGroupEnd(), "ncclGroupEnd");
  return ends;
}

template <typename K> int sort_over_gpus(void *state) {
  machine<K> *m = static_cast<machine<K> *>(state);
  (void)sort_alone<K>(m);
  cut(m);
  const std::vector<std::vector<uint64_t>> ends = exchange(m);
  on_each_gpu(m->parts, [&](part<K> &p, size_t i) { merge_parts(p, ends[i]); });
  return 0;
}

/* ---- elements ---- */

template <typename K> columns<K> make_columns(uint64_t n, bool has_values) {
  columns<K> made = { nullptr, nullptr };
  must(cudaMalloc(&made.keys, n * sizeof(K)), "cudaMalloc");
  if (has_values) must(cudaMalloc(&made.values, n * sizeof(uint32_t)), "cudaMalloc");
  return made;
}

template <typename K> void make_part(const machine<K> &m, part<K> &p, uint64_t first) {
  const size_t count = m.parts.size();
  const uint64_t thirds[3] = { 0, m.n, m.capacity };
  size_t bytes[3] = {};
  must(cudaStreamCreateWithFlags(&p.stream, cudaStreamNonBlocking), "cudaStreamCreate");
  p.in = make_columns<K>(m.n, m.has_values);
  p.a = make_columns<K>(m.capacity, m.has_values);
  p.b = make_columns<K>(m.capacity, m.has_values);
  must(cudaMalloc(&p.chosen, (2 * count + 1) * samples * sizeof(K)), "cudaMalloc");
  p.all = p.chosen + samples;
  p.all_sorted = p.all + count * samples;
  must(cudaMalloc(&p.cuts, count * sizeof *p.cuts), "cudaMalloc");
  must(sort_own(p, m.n, nullptr, bytes[0]), "DeviceRadixSort");
  must(sort_samples(p, count * samples, nullptr, bytes[1]), "DeviceRadixSort");
  must(merge(p, p.a, p.b, thirds, nullptr, bytes[2]), "DeviceMerge");
  p.workspace_bytes = *std::max_element(bytes, bytes + 3);
  must(cudaMalloc(&p.workspace, p.workspace_bytes), "cudaMalloc");
  fill<<<1024, 256, 0, p.stream>>>(p.in, first, m.n);
  must(cudaGetLastError(), "fill");
}

/* The key of result i, and 1 if the result is wrong. */
template <typename K> struct tally {
  columns<K> results;
  __device__ ulonglong2 operator()(uint64_t i) const {
    const K key = results.keys[i];
    bool is_right = i == 0 || results.keys[i - 1] <= key;
    if (results.values) is_right &= key_of<K>(results.values[i]) == key;
    return { static_cast<unsigned long long>(key), is_right ? 0ull : 1ull };
  }
};

struct add {
  __host__ __device__ ulonglong2 operator()(ulonglong2 a, ulonglong2 b) const { return { a.x + b.x, a.y + b.y }; }
};

/* 1 if results ascend, values belong to their keys, and the keys add up to those of the input. */
template <typename K> bool check(const machine<K> &m) {
  const thrust::counting_iterator<uint64_t> first(0);
  unsigned long long results = 0, inputs = 0, faults = 0, total = 0;
  K last = 0;
  for (size_t i = 0; i < m.parts.size(); i++) {
    const part<K> &p = m.parts[i];
    K ends[2] = { last, last };
    must(cudaSetDevice(static_cast<int>(i)), "cudaSetDevice");
    const ulonglong2 none = { 0, 0 };
    const ulonglong2 got =
        thrust::transform_reduce(thrust::device, first, first + p.count, tally<K>{ p.result }, none, add{});
    const ulonglong2 due =
        thrust::transform_reduce(thrust::device, first, first + m.n, tally<K>{ { p.in.keys, nullptr } }, none, add{});
    results += got.x;
    inputs += due.x;
    faults += got.y;
    total += p.count;
    if (p.count == 0) continue;
    must(cudaMemcpy(&ends[0], p.result.keys, sizeof(K), cudaMemcpyDeviceToHost), "cudaMemcpy");
    must(cudaMemcpy(&ends[1], p.result.keys + p.count - 1, sizeof(K), cudaMemcpyDeviceToHost), "cudaMemcpy");
    faults += ends[0] < last;
    last = ends[1];
  }
  return faults == 0 && results == inputs && total == m.n * m.parts.size();
}

template <typename K> void free_part(part<K> &p) {
  void *const memory[] = { p.in.keys,  p.in.values, p.a.keys, p.a.values, p.b.keys,
                           p.b.values, p.chosen,    p.cuts,   p.workspace };
  for (void *m : memory) (void)cudaFree(m);
  (void)cudaStreamDestroy(p.stream);
  (void)ncclCommDestroy(p.comm);
}

/* ---- all ---- */

template <typename K> int run(uint64_t n, uint64_t gpus, uint64_t rounds, bool has_values) {
  const int count = static_cast<int>(gpus);
  machine<K> m = { std::vector<part<K>>(gpus), n, n + n / 8 + samples, has_values,
                   std::vector<uint64_t>(gpus * (gpus + 1)) };
  std::vector<ncclComm_t> comms(gpus);
  cudaDeviceProp device;
  int version = 0;
  must(ncclCommInitAll(comms.data(), count, nullptr), "ncclCommInitAll");
  must(ncclGetVersion(&version), "ncclGetVersion");
  must(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  for (int i = 0; i < count; i++) {
    must(cudaSetDevice(i), "cudaSetDevice");
    m.parts[i].comm = comms[i];
    make_part(m, m.parts[i], i * n);
  }
  wait_for(m.parts);
  double alone = 0, over_gpus = 0;
  const figures_subject subjects[] = { { sort_alone<K>, wait<K>, &m, 1 }, { sort_over_gpus<K>, wait<K>, &m, 1 } };
  (void)figures_time(&subjects[0], static_cast<int>(rounds), &alone);
  (void)figures_time(&subjects[1], static_cast<int>(rounds), &over_gpus);
  const bool right = check(m);
  if (!right) fprintf(stderr, "nccl_sort: WRONG\n");
  printf("sorts of %d-bit keys%s; %d of %s; NCCL %d.%d.%d, CUB %d.%d.%d; medians of %" PRIu64 "\n",
         static_cast<int>(8 * sizeof(K)), has_values ? " with 4 bytes each" : "", count, device.name, version / 10000,
         version / 100 % 100, version % 100, CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100, rounds);
  printf("%5s %12s %12s %12s %8s\n", "GPUs", "n a GPU", "alone us", "median us", "% alone");
  if (right)
    printf("%5d %12" PRIu64 " %12.2f %12.2f %8.1f\n", count, n, 1e6 * alone, 1e6 * over_gpus, 100 * alone / over_gpus);
  for (part<K> &p : m.parts) free_part(p);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

}

int main(int argc, char **argv) {
  uint64_t n = UINT64_C(1) << 24, gpus = 0, rounds = 20, bits = 32, pairs = 0;
  int found = 0;
  must(cudaGetDeviceCount(&found), "cudaGetDeviceCount");
  gpus = static_cast<uint64_t>(found);
  const figures_option options[] = {
    { "--n", &n, samples, UINT64_C(1) << 34 },
    { "--gpus", &gpus, 1, static_cast<uint64_t>(found) },
    { "--rounds", &rounds, 1, FIGURES_MOST_ROUNDS },
    { "--bits", &bits, 32, 64 },
    { "--pairs", &pairs, 0, 0 },
    {},
  };
  if (figures_parse(argc, argv, "[--n N] [--gpus G] [--rounds R] [--bits 32|64] [--pairs]", options, nullptr))
    return EXIT_FAILURE;
  return bits == 64 ? run<uint64_t>(n, gpus, rounds, pairs != 0) : run<uint32_t>(n, gpus, rounds, pairs != 0);
}
