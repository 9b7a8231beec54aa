/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file nccl_scan.cu
 * @brief A scan over several GPUs as a program would write it with CUB and NCCL, for comparison with
 * `scanrt bench --mpi --exclusive` on the same elements, with as many on each GPU as on a rank. One process uses all
 * GPUs.
 *
 * 1. Each GPU adds up its elements: DeviceReduce::Sum.
 * 2. Each GPU gets the totals of all: ncclAllGather.
 * 3. A kernel adds up the totals before its own; DeviceScan::ExclusiveScan begins there, by a FutureValue.
 *
 * No step waits for the host. The median is over batches of ten calls, as is that of scans alone
 * (DeviceScan::ExclusiveScan of each GPU's own elements, on all GPUs at once). "waited" times calls for whose results
 * the host waits, as scans over ranks do. Integers are compared exactly. Floating-point sums, whose order CUB chooses
 * and which changes from run to run, must lie within the error bound of tiles of at least 1,024 elements that are added
 * up one after the other.
 */
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>

#include "bench_mpi_elements.h"
#include "figures.h"
#include "nccl_must.h"

namespace {

struct options {
  uint64_t n = UINT64_C(1) << 24, gpus = 0, rounds = 20; // 0: all
  const char *type = "f32";
};

template <typename T> struct names;
template <> struct names<uint32_t> { // sums of i32, which wrap around
  static constexpr scan_type type = SCAN_I32;
  static constexpr ncclDataType_t nccl = ncclUint32;
};
template <> struct names<float> {
  static constexpr scan_type type = SCAN_F32;
  static constexpr ncclDataType_t nccl = ncclFloat32;
};

template <typename T> __global__ void add_before(const T *totals, int rank, T *before) {
  T sum = 0;
  for (int i = 0; i < rank; i++) sum += totals[i];
  *before = sum;
}

/* A GPU and its buffers. */
template <typename T> struct part {
  cudaStream_t stream;
  ncclComm_t comm;
  T *in, *out, *total, *totals, *before;
  void *workspace;
  size_t workspace_bytes;
};

template <typename T> struct machine {
  std::vector<part<T>> parts;
  uint64_t n; // elements of one GPU
};

template <typename T> cudaError_t add_up(const part<T> &p, uint64_t n, void *workspace, size_t &bytes) {
  return cub::DeviceReduce::Sum(workspace, bytes, p.in, p.total, n, p.stream);
}

template <typename T> cudaError_t scan(const part<T> &p, uint64_t n, void *workspace, size_t &bytes) {
  return cub::DeviceScan::ExclusiveScan(workspace, bytes, p.in, p.out, cuda::std::plus<T>{},
                                        cub::FutureValue<T>(p.before), n, p.stream);
}

template <typename T> cudaError_t scan_own(const part<T> &p, uint64_t n, void *workspace, size_t &bytes) {
  return cub::DeviceScan::ExclusiveScan(workspace, bytes, p.in, p.out, cuda::std::plus<T>{}, T(0), n, p.stream);
}

/* ---- timed steps ---- */

template <typename T> int scan_over_gpus(void *state) {
  machine<T> *m = static_cast<machine<T> *>(state);
  const int count = static_cast<int>(m->parts.size());
  for (int i = 0; i < count; i++) {
    part<T> &p = m->parts[i];
    must(cudaSetDevice(i), "cudaSetDevice");
    must(add_up(p, m->n, p.workspace, p.workspace_bytes), "DeviceReduce::Sum");
  }
  must(ncclGroupStart(), "ncclGroupStart");
  for (const part<T> &p : m->parts)
    must(ncclAllGather(p.total, p.totals, 1, names<T>::nccl, p.comm, p.stream), "ncclAllGather");
  must(ncclGroupEnd(), "ncclGroupEnd");
  for (int i = 0; i < count; i++) {
    part<T> &p = m->parts[i];
    must(cudaSetDevice(i), "cudaSetDevice");
    add_before<<<1, 1, 0, p.stream>>>(p.totals, i, p.before);
    must(cudaGetLastError(), "add_before");
    must(scan(p, m->n, p.workspace, p.workspace_bytes), "DeviceScan::ExclusiveScan");
  }
  return 0;
}

template <typename T> int scan_alone(void *state) {
  machine<T> *m = static_cast<machine<T> *>(state);
  on_each_gpu(m->parts, [=](part<T> &p, size_t) {
    must(scan_own(p, m->n, p.workspace, p.workspace_bytes), "DeviceScan::ExclusiveScan");
  });
  return 0;
}

template <typename T> int wait(void *state) {
  wait_for(static_cast<machine<T> *>(state)->parts);
  return 0;
}

/* ---- elements ---- */

template <typename T> void make_part(part<T> &p, uint64_t first, uint64_t n, int count, std::vector<T> &host) {
  size_t bytes[3] = {};
  must(cudaStreamCreateWithFlags(&p.stream, cudaStreamNonBlocking), "cudaStreamCreate");
  must(cudaMalloc(&p.in, n * sizeof(T)), "cudaMalloc");
  must(cudaMalloc(&p.out, n * sizeof(T)), "cudaMalloc");
  must(cudaMalloc(&p.totals, (count + 2) * sizeof(T)), "cudaMalloc");
  p.total = p.totals + count;
  p.before = p.total + 1;
  must(add_up(p, n, nullptr, bytes[0]), "DeviceReduce::Sum");
  must(scan(p, n, nullptr, bytes[1]), "DeviceScan::ExclusiveScan");
  must(scan_own(p, n, nullptr, bytes[2]), "DeviceScan::ExclusiveScan");
  p.workspace_bytes = *std::max_element(bytes, bytes + 3);
  must(cudaMalloc(&p.workspace, p.workspace_bytes), "cudaMalloc");
  bench_mpi_fill(names<T>::type, sizeof(T), first, n, host.data());
  must(cudaMemcpy(p.in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
}

/* Poisons the outputs, so that missing writes are found. */
template <typename T> void poison(const machine<T> &m) {
  for (size_t i = 0; i < m.parts.size(); i++) {
    must(cudaSetDevice(static_cast<int>(i)), "cudaSetDevice");
    must(cudaMemset(m.parts[i].out, 0xA5, m.n * sizeof(T)), "cudaMemset");
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
}

template <typename T> void free_part(part<T> &p) {
  void *const memory[] = { p.in, p.out, p.totals, p.workspace };
  for (void *m : memory) (void)cudaFree(m);
  (void)cudaStreamDestroy(p.stream);
  (void)ncclCommDestroy(p.comm);
}

bool is_right(uint32_t got, uint32_t due, long double, uint64_t) { return got == due; }

/* 1 if the error is within the bound (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 4.2). */
bool is_right(float got, long double due, long double magnitudes, uint64_t i) {
  const long double chain = 1024 + static_cast<long double>(i) / 1024;
  return std::fabs(got - due) <= 0x1p-23L * (chain + 1) * magnitudes;
}

/* Checks the results of all GPUs in order; the host recomputes each element and each sum. */
template <typename T, typename sum_type> bool check(const machine<T> &m, std::vector<T> &host) {
  T chunk[4096];
  sum_type sum = 0;
  long double magnitudes = 0;
  uint64_t place = 0;
  for (const part<T> &p : m.parts) {
    must(cudaMemcpy(host.data(), p.out, m.n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (uint64_t i = 0; i < m.n; i++, place++) {
      const uint64_t at = i % (sizeof chunk / sizeof *chunk);
      if (at == 0)
        bench_mpi_fill(names<T>::type, sizeof(T), place, std::min<uint64_t>(m.n - i, sizeof chunk / sizeof *chunk),
                       chunk);
      if (!is_right(host[i], sum, magnitudes, place)) {
        fprintf(stderr, "nccl_scan: WRONG: element %" PRIu64 "\n", place);
        return false;
      }
      sum += chunk[at];
      magnitudes += std::fabs(static_cast<long double>(chunk[at]));
    }
  }
  return true;
}

/* ---- all ---- */

template <typename T, typename sum_type> int run(const options &o) {
  const int count = static_cast<int>(o.gpus);
  machine<T> m = { std::vector<part<T>>(count), o.n };
  std::vector<ncclComm_t> comms(count);
  std::vector<T> host(o.n);
  cudaDeviceProp device;
  int version = 0;
  must(ncclCommInitAll(comms.data(), count, nullptr), "ncclCommInitAll");
  must(ncclGetVersion(&version), "ncclGetVersion");
  must(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  for (int i = 0; i < count; i++) {
    must(cudaSetDevice(i), "cudaSetDevice");
    m.parts[i].comm = comms[i];
    make_part(m.parts[i], i * o.n, o.n, count, host);
  }
  double alone = 0, over_gpus = 0, waited = 0;
  const figures_subject subjects[] = { { scan_alone<T>, wait<T>, &m, FIGURES_REPEATS },
                                       { scan_over_gpus<T>, wait<T>, &m, FIGURES_REPEATS },
                                       { scan_over_gpus<T>, wait<T>, &m, 1 } };
  (void)figures_time(&subjects[0], static_cast<int>(o.rounds), &alone);
  poison(m);
  (void)figures_time(&subjects[1], static_cast<int>(o.rounds), &over_gpus);
  (void)figures_time(&subjects[2], static_cast<int>(o.rounds), &waited);
  const bool right = check<T, sum_type>(m, host);
  printf("exclusive sums of %s; %d of %s; NCCL %d.%d.%d, CUB %d.%d.%d; medians of %" PRIu64 "\n", o.type, count,
         device.name, version / 10000, version / 100 % 100, version % 100, CUB_VERSION / 100000,
         CUB_VERSION / 100 % 1000, CUB_VERSION % 100, o.rounds);
  printf("%5s %12s %12s %12s %12s %12s %8s\n", "GPUs", "n a GPU", "alone us", "median us", "waited us", "GB/s a GPU",
         "% alone");
  if (right)
    printf("%5d %12" PRIu64 " %12.2f %12.2f %12.2f %12.1f %8.1f\n", count, o.n, 1e6 * alone, 1e6 * over_gpus,
           1e6 * waited, 2e-9 * static_cast<double>(o.n * sizeof(T)) / over_gpus, 100 * alone / over_gpus);
  for (part<T> &p : m.parts) free_part(p);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

int refuse(const char *option) {
  fprintf(stderr,
          "nccl_scan: %s: usage: nccl_scan [--n N] [--gpus G] [--rounds R] [--type i32|f32]\n"
          "N elements a GPU (default 16777216), all GPUs, 20 rounds, f32\n",
          option);
  return EXIT_FAILURE;
}

}

int main(int argc, char **argv) {
  options o;
  int found = 0;
  must(cudaGetDeviceCount(&found), "cudaGetDeviceCount");
  for (int i = 1; i < argc; i += 2) {
    int rc = 0;
    if (i + 1 == argc) return refuse(argv[i]);
    if (!strcmp(argv[i], "--n"))
      rc = figures_number("--n", argv[i + 1], 1, UINT64_C(1) << 36, &o.n);
    else if (!strcmp(argv[i], "--gpus"))
      rc = figures_number("--gpus", argv[i + 1], 1, static_cast<uint64_t>(found), &o.gpus);
    else if (!strcmp(argv[i], "--rounds"))
      rc = figures_number("--rounds", argv[i + 1], 1, FIGURES_MOST_ROUNDS, &o.rounds);
    else if (!strcmp(argv[i], "--type"))
      o.type = argv[i + 1];
    else
      return refuse(argv[i]);
    if (rc != 0) return EXIT_FAILURE;
  }
  if (o.gpus == 0) o.gpus = static_cast<uint64_t>(found);
  if (!strcmp(o.type, "i32")) return run<uint32_t, uint32_t>(o);
  if (!strcmp(o.type, "f32")) return run<float, long double>(o);
  return refuse("--type");
}
