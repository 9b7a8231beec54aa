/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cub_coo_to_csr.cu
 * @brief tools/examples/apps/coo_to_csr.c with CUB: the same input, options, check and figures.
 *
 * 0. With --shuffle, DeviceRadixSort::SortPairs, with n as an int or a size_t, whichever is faster.
 * 1. DeviceReduce::ReduceByKey, whose keys are written through an iterator that splits them into rows and columns.
 * 2. The number of entries is copied to the host, which waits for it: the next call takes it by value.
 * 3. A kernel finds the begin of each row, as in the example.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include "figures.h"
#include "triplets.h"

namespace {

struct plus {
  __device__ double operator()(double a, double b) const { return a + b; }
};

/* Output iterator that writes places as rows to one array and columns to another. */
struct split_places {
  struct target {
    uint32_t *row, *column;
    __device__ void operator=(uint64_t place) const {
      *row = static_cast<uint32_t>(place >> 32);
      *column = static_cast<uint32_t>(place);
    }
  };
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void; // makes CUB take the keys' type from the input
  using difference_type = ptrdiff_t;
  using pointer = void;
  using reference = target;
  uint32_t *row, *column;
  __device__ target operator[](ptrdiff_t i) const { return { row + i, column + i }; }
  __device__ target operator*() const { return { row, column }; }
};

__global__ void find(const uint32_t *row, uint32_t entries, uint32_t *offset, uint32_t rows) {
  const uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i > entries) return;
  const uint32_t end = i < entries ? row[i] : rows;
  for (uint32_t r = i > 0 ? row[i - 1] + 1 : 0; r <= end; r++) offset[r] = static_cast<uint32_t>(i);
}

struct conversion {
  const triplets *from;
  bool sorts, has_wide_n;
  uint64_t *place, *sorted_place;
  double *value, *sorted_value, *entry_value;
  uint32_t *row, *column, *offset;
  uint32_t *counts; // number of entries, on the device
  uint32_t entries; // number of entries, on the host
  void *workspace;
  size_t workspace_bytes;
  cudaStream_t stream;
};

cudaError_t sum_by_key(conversion *c, void *workspace, size_t &bytes) {
  const split_places keys_out = { c->row, c->column };
  return cub::DeviceReduce::ReduceByKey(workspace, bytes, c->sorts ? c->sorted_place : c->place, keys_out,
                                        c->sorts ? c->sorted_value : c->value, c->entry_value, c->counts, plus(),
                                        static_cast<int>(c->from->count), c->stream);
}

template <typename N> cudaError_t sort_by_place(conversion *c, N n, void *workspace, size_t &bytes) {
  int end_bit = 33;
  while (end_bit < 64 && c->from->rows >> (end_bit - 32) != 0) end_bit++;
  return cub::DeviceRadixSort::SortPairs(workspace, bytes, c->place, c->sorted_place, c->value, c->sorted_value, n, 0,
                                         end_bit, c->stream);
}

cudaError_t sort_triplets(conversion *c) {
  size_t bytes = c->workspace_bytes;
  if (!c->sorts) return cudaSuccess;
  if (c->has_wide_n) return sort_by_place(c, static_cast<size_t>(c->from->count), c->workspace, bytes);
  return sort_by_place(c, static_cast<int>(c->from->count), c->workspace, bytes);
}

cudaError_t sum_duplicates(conversion *c) { return sum_by_key(c, c->workspace, c->workspace_bytes); }

cudaError_t read_entries(conversion *c) {
  const cudaError_t rc = cudaMemcpyAsync(&c->entries, c->counts, sizeof c->entries, cudaMemcpyDeviceToHost, c->stream);
  return rc == cudaSuccess ? cudaStreamSynchronize(c->stream) : rc;
}

cudaError_t find_rows(conversion *c) {
  const uint32_t rows = c->from->rows, items = 256;
  find<<<c->entries / items + 1, items, 0, c->stream>>>(c->row, c->entries, c->offset, rows);
  return cudaGetLastError();
}

cudaError_t convert(conversion *c) {
  cudaError_t rc = sort_triplets(c);
  if (rc == cudaSuccess) rc = sum_duplicates(c);
  if (rc == cudaSuccess) rc = read_entries(c);
  return rc == cudaSuccess ? find_rows(c) : rc;
}

cudaError_t copy_input(conversion *c) {
  return cudaMemcpyAsync(c->value, c->place, c->from->count * sizeof(uint64_t), cudaMemcpyDeviceToDevice, c->stream);
}

template <typename T> cudaError_t alloc(T **memory, uint64_t items) {
  return cudaMalloc(reinterpret_cast<void **>(memory), items * sizeof(T));
}

cudaError_t make_workspace(conversion *c) {
  size_t narrow = 0, wide = 0;
  cudaError_t rc = sum_by_key(c, nullptr, c->workspace_bytes);
  if (rc == cudaSuccess) rc = sort_by_place(c, static_cast<int>(c->from->count), nullptr, narrow);
  if (rc == cudaSuccess) rc = sort_by_place(c, static_cast<size_t>(c->from->count), nullptr, wide);
  if (c->sorts && narrow > c->workspace_bytes) c->workspace_bytes = narrow;
  if (c->sorts && wide > c->workspace_bytes) c->workspace_bytes = wide;
  return rc == cudaSuccess ? cudaMalloc(&c->workspace, c->workspace_bytes) : rc;
}

cudaError_t make_memory(conversion *c) {
  const triplets *t = c->from;
  cudaError_t rc = alloc(&c->place, t->count);
  if (rc == cudaSuccess) rc = alloc(&c->value, t->count);
  if (rc == cudaSuccess) rc = alloc(&c->sorted_place, c->sorts ? t->count : 1);
  if (rc == cudaSuccess) rc = alloc(&c->sorted_value, c->sorts ? t->count : 1);
  if (rc == cudaSuccess) rc = alloc(&c->entry_value, t->most_entries);
  if (rc == cudaSuccess) rc = alloc(&c->row, t->most_entries);
  if (rc == cudaSuccess) rc = alloc(&c->column, t->most_entries);
  if (rc == cudaSuccess) rc = alloc(&c->offset, t->rows + UINT64_C(1));
  if (rc == cudaSuccess) rc = alloc(&c->counts, 1);
  if (rc == cudaSuccess) rc = make_workspace(c);
  if (rc == cudaSuccess) rc = cudaMemcpy(c->place, t->place, t->count * sizeof *t->place, cudaMemcpyHostToDevice);
  if (rc == cudaSuccess) rc = cudaMemcpy(c->value, t->value, t->count * sizeof *t->value, cudaMemcpyHostToDevice);
  return rc;
}

void free_memory(conversion *c) {
  void *const memory[] = { c->place, c->value,  c->sorted_place, c->sorted_value, c->entry_value,
                           c->row,   c->column, c->offset,       c->counts,       c->workspace };
  for (void *m : memory) (void)cudaFree(m);
}

cudaError_t read_result(const conversion *c, csr *got) {
  uint32_t count = 0;
  cudaError_t rc = cudaMemcpy(&count, c->counts, sizeof count, cudaMemcpyDeviceToHost);
  if (rc != cudaSuccess) return rc;
  const uint32_t entries = count < got->entries ? count : static_cast<uint32_t>(got->entries);
  got->entries = count;
  got->rows = c->from->rows;
  rc = cudaMemcpy(got->offset, c->offset, (c->from->rows + UINT64_C(1)) * sizeof *got->offset, cudaMemcpyDeviceToHost);
  if (rc == cudaSuccess) rc = cudaMemcpy(got->column, c->column, entries * sizeof *got->column, cudaMemcpyDeviceToHost);
  if (rc == cudaSuccess)
    rc = cudaMemcpy(got->value, c->entry_value, entries * sizeof *got->value, cudaMemcpyDeviceToHost);
  return rc;
}

struct timed {
  conversion *c;
  cudaError_t (*step)(conversion *c);
};

int run_timed(void *state) {
  const timed *t = static_cast<timed *>(state);
  return t->step(t->c);
}

int wait_timed(void *state) { return cudaStreamSynchronize(static_cast<timed *>(state)->c->stream); }

cudaError_t print_figures(conversion *c, uint64_t entries, int rounds) {
  enum { STEPS = 5 };
  const double n = static_cast<double>(c->from->count), e = static_cast<double>(entries), rows = c->from->rows + 1.0;
  const struct {
    const char *what;
    cudaError_t (*step)(conversion *c);
    double bytes;
  } steps[STEPS] = {
    { "sort", sort_triplets, 32 * n },
    { "add up duplicates, split places", sum_duplicates, 16 * (n + e) },
    { "find rows", find_rows, 4 * rows },
    { "all, the host waiting once", convert, csr_bytes(c->from, entries) + (c->sorts ? 32 * n : 0) },
    { "copy of 8 bytes a triplet", copy_input, 16 * n },
  };
  double seconds[STEPS];
  const int first = c->sorts ? 0 : 1;
  for (int i = first; i < STEPS; i++) {
    timed t = { c, steps[i].step };
    const figures_subject subject = { run_timed, wait_timed, &t, FIGURES_REPEATS };
    int rc = figures_time(&subject, rounds, &seconds[i]);
    if (i == 0 && rc == cudaSuccess) { /* try the other type of n */
      double other = 0;
      c->has_wide_n = true;
      rc = figures_time(&subject, rounds, &other);
      c->has_wide_n = other < seconds[i];
      if (c->has_wide_n) seconds[i] = other;
    }
    if (rc != cudaSuccess) return static_cast<cudaError_t>(rc);
  }
  const double copy_rate = steps[STEPS - 1].bytes / seconds[STEPS - 1];
  for (int i = first; i < STEPS; i++) figures_print(steps[i].what, seconds[i], steps[i].bytes, copy_rate);
  return cudaSuccess;
}

int run(triplets *input, bool sorts, int rounds, csr *got, csr *want) {
  conversion c = {};
  cudaDeviceProp device;
  c.from = input;
  c.sorts = sorts;
  csr_of_triplets(input, want);
  if (sorts) triplets_shuffle(input);
  cudaError_t rc = cudaGetDeviceProperties(&device, 0);
  if (rc == cudaSuccess) rc = cudaStreamCreate(&c.stream);
  if (rc == cudaSuccess) rc = make_memory(&c);
  if (rc == cudaSuccess) rc = convert(&c);
  if (rc == cudaSuccess) rc = read_result(&c, got);
  int result = rc == cudaSuccess ? csr_compare(got, want) : -1;
  if (result == 0) {
    printf("%" PRIu64 " entries by CUB %d.%d.%d on %s, as the plain loop makes them\n", got->entries,
           CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100, device.name);
    rc = print_figures(&c, got->entries, rounds);
  }
  if (rc != cudaSuccess) fprintf(stderr, "%s: %s\n", cudaGetErrorName(rc), cudaGetErrorString(rc));
  free_memory(&c);
  if (c.stream) (void)cudaStreamDestroy(c.stream);
  return rc == cudaSuccess ? result : -1;
}

}

int main(int argc, char **argv) {
  triplets_options options;
  triplets input = {};
  csr got = {}, want = {};
  int rc = triplets_parse(argc, argv, &options);
  if (rc == 0) rc = triplets_make(&options, &input);
  if (rc == 0) rc = csr_alloc(input.rows, input.most_entries, &got);
  if (rc == 0) rc = csr_alloc(input.rows, input.most_entries, &want);
  if (rc == 0) rc = run(&input, options.shuffle != 0, static_cast<int>(options.rounds), &got, &want);
  csr_free(&want);
  csr_free(&got);
  triplets_free(&input);
  return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
