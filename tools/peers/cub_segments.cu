/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cub_segments.cu
 * @brief Times scan_plan_run_segmented_reduce beside cub::DeviceSegmentedReduce and a total of all elements.
 *
 *     cub_segments [DEVICE [LOG2_N [ours]]]
 *
 * Sums of f32 in segments by 32-bit offsets: of equal lengths, of geometric lengths and of a power law. The values are
 * -1 and 1, so that all sums are exact in any order, and every result is compared with the host's. CUB runs on the CUDA
 * device 0, unless `ours` is given or DEVICE is not CUDA's. A time is the least of several batches of calls.
 */
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include <cub/device/device_segmented_reduce.cuh>

#include <scanrt/scan_cuda.h>
#include <scanrt/scan_reduce.h>

namespace {

enum { CALLS = 20, BATCHES = 5, CUB_BATCHES = 3 };

void check(bool holds, const char *what, const char *why) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, why);
  std::exit(EXIT_FAILURE);
}
void check(cudaError_t result, const char *call) { check(result == cudaSuccess, call, cudaGetErrorString(result)); }

/* ---- lengths of segments ---- */

/* A generator of uniform numbers in (0, 1]. */
struct generator {
  uint64_t state = 88172645463325252u;
  double next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)((state >> 11) + 1) / 9007199254740992.0;
  }
};

struct lengths {
  const char *name;
  std::function<uint64_t(generator &)> draw;
};

lengths equal(const char *name, uint64_t items) {
  return { name, [=](generator &) { return items; } };
}

std::vector<lengths> all_lengths(uint64_t n) {
  return { equal("1", 1),
           equal("3", 3),
           equal("10", 10),
           equal("32", 32),
           equal("100", 100),
           equal("1,000", 1000),
           equal("10,000", 10000),
           equal("10^6", 1000000),
           equal("one", n),
           { "geometric", [](generator &g) { return (uint64_t)std::ceil(std::log(g.next()) / std::log(31.0 / 32)); } },
           { "power law", [](generator &g) { return (uint64_t)std::fmin(1 / g.next(), 1e7); } } };
}

std::vector<uint32_t> make_offsets(const lengths &of, uint64_t n) {
  generator g;
  std::vector<uint32_t> offsets{ 0 };
  for (uint64_t at = 0; at < n;) {
    at += of.draw(g);
    if (at > n) at = n;
    offsets.push_back((uint32_t)at);
  }
  return offsets;
}

/* ---- times ---- */

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/* The scan context, its memory, and what the results are compared with. */
struct measurement {
  scan_ctx *ctx = nullptr;
  scan_mem values{}, offsets{}, sums{};
  std::vector<int32_t> before; /* sums of the values before each element */
  uint64_t n = 0;
  bool has_cub = false;

  void must(scan_status status, const char *call) const { check(status == SCAN_SUCCESS, call, scan_last_error(ctx)); }
  double time(int batches, const std::function<void()> &call) const {
    double least = 1e9;
    call();
    must(scan_sync(ctx), "scan_sync");
    for (int b = 0; b < batches; b++) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < CALLS; i++) call();
      must(scan_sync(ctx), "scan_sync");
      least = std::fmin(least, seconds_since(begin) / CALLS);
    }
    return least * 1e6;
  }
};

void compare(const measurement &m, const std::vector<uint32_t> &offsets, const char *whose) {
  const size_t segments = offsets.size() - 1;
  std::vector<float> found(segments);
  m.must(scan_read(m.ctx, m.sums, found.data(), segments * sizeof(float)), "scan_read");
  for (size_t s = 0; s < segments; s++)
    if (found[s] != (float)(m.before[offsets[s + 1]] - m.before[offsets[s]])) {
      std::fprintf(stderr, "%s: the sum of segment %zu of %zu is %g, not %d\n", whose, s, segments, (double)found[s],
                   m.before[offsets[s + 1]] - m.before[offsets[s]]);
      std::exit(EXIT_FAILURE);
    }
}

void clear(const measurement &m, size_t segments) {
  const std::vector<float> poison(segments, -12345.5f);
  m.must(scan_write(m.ctx, m.sums, poison.data(), segments * sizeof(float)), "scan_write");
}

double time_ours(const measurement &m, const std::vector<uint32_t> &offsets) {
  scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  scan_segmented_reduce_args args = SCAN_SEGMENTED_REDUCE_ARGS_INIT(m.values, m.offsets, offsets.size() - 1, m.sums);
  scan_plan *plan = nullptr;
  m.must(scan_plan_create_segmented_reduce(m.ctx, &spec, m.n, &plan), "scan_plan_create_segmented_reduce");
  clear(m, offsets.size() - 1);
  const double us = m.time(BATCHES, [&] { m.must(scan_plan_run_segmented_reduce(plan, m.n, &args), "the reduction"); });
  compare(m, offsets, "scanrt");
  scan_plan_destroy(plan);
  return us;
}

double time_cub(const measurement &m, const std::vector<uint32_t> &offsets) {
  const float *in = reinterpret_cast<const float *>(scan_cuda_ptr(m.values));
  const uint32_t *begins = reinterpret_cast<const uint32_t *>(scan_cuda_ptr(m.offsets));
  float *out = reinterpret_cast<float *>(scan_cuda_ptr(m.sums));
  const int64_t segments = (int64_t)offsets.size() - 1;
  CUstream_st *stream = nullptr;
  void *workspace = nullptr;
  size_t bytes = 0;
  m.must(scan_cuda_stream(m.ctx, &stream), "scan_cuda_stream");
  const auto call = [&] {
    check(cub::DeviceSegmentedReduce::Sum(workspace, bytes, in, out, segments, begins, begins + 1, stream), "CUB");
  };
  call();
  check(cudaMalloc(&workspace, bytes + 1), "cudaMalloc");
  clear(m, offsets.size() - 1);
  const double us = m.time(CUB_BATCHES, call);
  compare(m, offsets, "CUB");
  check(cudaFree(workspace), "cudaFree");
  return us;
}

double time_total(const measurement &m) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_TOTAL);
  scan_plan *plan = nullptr;
  m.must(scan_plan_create(m.ctx, &spec, m.n, &plan), "scan_plan_create");
  const double us = m.time(BATCHES, [&] { m.must(scan_plan_run(plan, m.n, m.values, m.sums), "the total"); });
  scan_plan_destroy(plan);
  return us;
}

void make_values(measurement *m) {
  std::vector<float> values(m->n);
  generator g;
  m->before.resize(m->n + 1);
  for (uint64_t i = 0; i < m->n; i++) {
    const int value = g.next() < 0.5 ? -1 : 1;
    values[i] = (float)value;
    m->before[i + 1] = m->before[i] + value;
  }
  m->must(scan_alloc(m->ctx, m->n * sizeof(float), &m->values), "scan_alloc");
  m->must(scan_alloc(m->ctx, (m->n + 1) * sizeof(uint32_t), &m->offsets), "scan_alloc");
  m->must(scan_alloc(m->ctx, m->n * sizeof(float), &m->sums), "scan_alloc");
  m->must(scan_write(m->ctx, m->values, values.data(), m->n * sizeof(float)), "scan_write");
}

} // namespace

int main(int argc, char **argv) {
  const char *device = argc > 1 ? argv[1] : "cuda:0";
  measurement m;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  options.device = device;
  m.n = (uint64_t)1 << (argc > 2 ? std::atoi(argv[2]) : 28);
  m.has_cub = std::strncmp(device, "cuda", 4) == 0 && !(argc > 3 && std::strcmp(argv[3], "ours") == 0);
  check(scan_ctx_create(&options, &m.ctx) == SCAN_SUCCESS, device, scan_last_error(nullptr));
  make_values(&m);
  const double total = time_total(m);
  std::printf("%llu f32 on %s; a total takes %.1f us\n", (unsigned long long)m.n, device, total);
  std::printf("%-10s %12s %10s %8s%s\n", "elements", "segments", "us", "reading",
              m.has_cub ? "        CUB    ratio" : "");
  for (const lengths &of : all_lengths(m.n)) {
    const std::vector<uint32_t> offsets = make_offsets(of, m.n);
    const double segments = (double)offsets.size() - 1;
    m.must(scan_write(m.ctx, m.offsets, offsets.data(), offsets.size() * sizeof(uint32_t)), "scan_write");
    const double ours = time_ours(m, offsets);
    /* The bytes of values, offsets and results, at the rate of the total. */
    const double limit = total * ((double)m.n + 2 * segments) / (double)m.n;
    std::printf("%-10s %12.0f %10.1f %7.1f%%", of.name, segments, ours, 100 * limit / ours);
    if (m.has_cub) {
      const double cub = time_cub(m, offsets);
      std::printf(" %10.1f %8.2f", cub, cub / ours);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  m.must(scan_free(m.ctx, m.values), "scan_free");
  m.must(scan_free(m.ctx, m.offsets), "scan_free");
  m.must(scan_free(m.ctx, m.sums), "scan_free");
  scan_ctx_destroy(m.ctx);
  return EXIT_SUCCESS;
}
