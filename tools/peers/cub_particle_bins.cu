/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cub_particle_bins.cu
 * @brief tools/examples/apps/particle_bins.c without scanrt, in two variants: the same input, options, check and
 * figures.
 *
 * By CUB: DeviceRadixSort::SortPairs of cells and indices, with n as an int or a size_t, whichever is faster; a kernel
 * that finds the begin of each cell; and one that gathers all arrays. The order is that of the example.
 *
 * By atomics: atomicAdd counts the particles of each cell, DeviceScan::ExclusiveSum turns counts into offsets, each
 * particle takes the next place of its cell by atomicAdd, and the same kernel gathers. Within a cell the order of
 * particles changes from run to run.
 */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include "figures.h"
#include "particles.h"

namespace {

enum { GROUP_ITEMS = 256 };

struct arrays {
  float *of[PARTICLE_ARRAYS];
};

__device__ uint32_t along(float place, uint32_t side) {
  const uint32_t cell = static_cast<uint32_t>(place);
  return cell < side ? cell : side - 1;
}

__device__ uint64_t item() { return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void find_cells(arrays in, uint32_t *cell, uint32_t *index, uint32_t count, uint32_t side) {
  const uint64_t i = item();
  if (i >= count) return;
  const uint32_t x = along(in.of[PARTICLE_X][i], side), y = along(in.of[PARTICLE_Y][i], side);
  cell[i] = (along(in.of[PARTICLE_Z][i], side) * side + y) * side + x;
  if (index) index[i] = static_cast<uint32_t>(i);
}

__global__ void find_begins(const uint32_t *cell, uint32_t *offset, uint32_t count, uint32_t cells) {
  const uint64_t i = item();
  if (i > count) return;
  const uint32_t end = i < count ? cell[i] : cells;
  for (uint32_t c = i > 0 ? cell[i - 1] + 1 : 0; c <= end; c++) offset[c] = static_cast<uint32_t>(i);
}

__global__ void count_cells(const uint32_t *cell, uint32_t *in_cell, uint32_t count) {
  const uint64_t i = item();
  if (i < count) atomicAdd(&in_cell[cell[i]], 1u);
}

__global__ void place(const uint32_t *cell, uint32_t *cursor, uint32_t *order, uint32_t count) {
  const uint64_t i = item();
  if (i < count) order[atomicAdd(&cursor[cell[i]], 1u)] = static_cast<uint32_t>(i);
}

__global__ void gather_all(arrays in, arrays out, const uint32_t *order, uint32_t count) {
  const uint64_t i = item();
  if (i >= count) return;
  const uint32_t from = order[i];
  for (int a = 0; a < PARTICLE_ARRAYS; a++) out.of[a][i] = in.of[a][from];
}

struct binning {
  const particles *from;
  int cell_bits;
  bool has_wide_n;
  arrays in, out;
  uint32_t *cell, *sorted_cell, *index, *order, *offset;
  uint32_t *cursor; // variant by atomics: counts, then the next place of each cell
  void *workspace;
  size_t workspace_bytes;
  cudaStream_t stream;
};

unsigned groups(uint64_t items) { return static_cast<unsigned>((items + GROUP_ITEMS - 1) / GROUP_ITEMS); }

/* ---- steps --------------------------------------------------------------------------------------------------------
 */

cudaError_t cells_and_indices(binning *b) {
  const uint32_t n = b->from->count;
  find_cells<<<groups(n), GROUP_ITEMS, 0, b->stream>>>(b->in, b->cell, b->index, n, b->from->side);
  return cudaGetLastError();
}

cudaError_t cells_alone(binning *b) {
  const uint32_t n = b->from->count;
  find_cells<<<groups(n), GROUP_ITEMS, 0, b->stream>>>(b->in, b->cell, nullptr, n, b->from->side);
  return cudaGetLastError();
}

template <typename N> cudaError_t sort_by_cell(binning *b, N n, void *workspace, size_t &bytes) {
  return cub::DeviceRadixSort::SortPairs(workspace, bytes, b->cell, b->sorted_cell, b->index, b->order, n, 0,
                                         b->cell_bits, b->stream);
}

cudaError_t sort_indices(binning *b) {
  size_t bytes = b->workspace_bytes;
  if (b->has_wide_n) return sort_by_cell(b, static_cast<size_t>(b->from->count), b->workspace, bytes);
  return sort_by_cell(b, static_cast<int>(b->from->count), b->workspace, bytes);
}

cudaError_t begins(binning *b) {
  const uint32_t n = b->from->count;
  find_begins<<<groups(n + UINT64_C(1)), GROUP_ITEMS, 0, b->stream>>>(b->sorted_cell, b->offset, n, b->from->cells);
  return cudaGetLastError();
}

cudaError_t gather(binning *b) {
  const uint32_t n = b->from->count;
  gather_all<<<groups(n), GROUP_ITEMS, 0, b->stream>>>(b->in, b->out, b->order, n);
  return cudaGetLastError();
}

cudaError_t count(binning *b) {
  const uint32_t n = b->from->count;
  const cudaError_t rc = cudaMemsetAsync(b->cursor, 0, 4 * (b->from->cells + UINT64_C(1)), b->stream);
  if (rc != cudaSuccess) return rc;
  count_cells<<<groups(n), GROUP_ITEMS, 0, b->stream>>>(b->cell, b->cursor, n);
  return cudaGetLastError();
}

cudaError_t sum_counts(binning *b, void *workspace, size_t &bytes) {
  return cub::DeviceScan::ExclusiveSum(workspace, bytes, b->cursor, b->offset, static_cast<int>(b->from->cells + 1),
                                       b->stream);
}

cudaError_t sum(binning *b) {
  size_t bytes = b->workspace_bytes;
  return sum_counts(b, b->workspace, bytes);
}

cudaError_t take_places(binning *b) {
  const uint32_t n = b->from->count;
  const cudaError_t rc =
      cudaMemcpyAsync(b->cursor, b->offset, 4 * (b->from->cells + UINT64_C(1)), cudaMemcpyDeviceToDevice, b->stream);
  if (rc != cudaSuccess) return rc;
  place<<<groups(n), GROUP_ITEMS, 0, b->stream>>>(b->cell, b->cursor, b->order, n);
  return cudaGetLastError();
}

cudaError_t copy(binning *b) {
  return cudaMemcpyAsync(b->out.of[0], b->in.of[0], 4 * static_cast<uint64_t>(b->from->count), cudaMemcpyDeviceToDevice,
                         b->stream);
}

cudaError_t all_by_cub(binning *b) {
  cudaError_t rc = cells_and_indices(b);
  if (rc == cudaSuccess) rc = sort_indices(b);
  if (rc == cudaSuccess) rc = begins(b);
  return rc == cudaSuccess ? gather(b) : rc;
}

cudaError_t all_by_atomics(binning *b) {
  cudaError_t rc = cells_alone(b);
  if (rc == cudaSuccess) rc = count(b);
  if (rc == cudaSuccess) rc = sum(b);
  if (rc == cudaSuccess) rc = take_places(b);
  return rc == cudaSuccess ? gather(b) : rc;
}

/* ---- memory -------------------------------------------------------------------------------------------------------
 */

template <typename T> cudaError_t alloc(T **memory, uint64_t items) {
  return cudaMalloc(reinterpret_cast<void **>(memory), items * sizeof(T));
}

cudaError_t make_workspace(binning *b) {
  size_t sizes[3] = {};
  cudaError_t rc = sort_by_cell(b, static_cast<int>(b->from->count), nullptr, sizes[0]);
  if (rc == cudaSuccess) rc = sort_by_cell(b, static_cast<size_t>(b->from->count), nullptr, sizes[1]);
  if (rc == cudaSuccess) rc = sum_counts(b, nullptr, sizes[2]);
  for (size_t bytes : sizes)
    if (bytes > b->workspace_bytes) b->workspace_bytes = bytes;
  return rc == cudaSuccess ? cudaMalloc(&b->workspace, b->workspace_bytes) : rc;
}

cudaError_t make_memory(binning *b) {
  const uint64_t n = b->from->count, offsets = b->from->cells + UINT64_C(1);
  cudaError_t rc = cudaSuccess;
  for (int a = 0; a < PARTICLE_ARRAYS && rc == cudaSuccess; a++) {
    rc = alloc(&b->in.of[a], n);
    if (rc == cudaSuccess) rc = alloc(&b->out.of[a], n);
    if (rc == cudaSuccess) rc = cudaMemcpy(b->in.of[a], b->from->of[a], 4 * n, cudaMemcpyHostToDevice);
  }
  for (uint32_t **memory : { &b->cell, &b->sorted_cell, &b->index, &b->order })
    if (rc == cudaSuccess) rc = alloc(memory, n);
  for (uint32_t **memory : { &b->offset, &b->cursor })
    if (rc == cudaSuccess) rc = alloc(memory, offsets);
  return rc == cudaSuccess ? make_workspace(b) : rc;
}

void free_memory(binning *b) {
  for (int a = 0; a < PARTICLE_ARRAYS; a++) {
    (void)cudaFree(b->in.of[a]);
    (void)cudaFree(b->out.of[a]);
  }
  for (void *memory :
       { static_cast<void *>(b->cell), static_cast<void *>(b->sorted_cell), static_cast<void *>(b->index),
         static_cast<void *>(b->order), static_cast<void *>(b->offset), static_cast<void *>(b->cursor), b->workspace })
    (void)cudaFree(memory);
  if (b->stream) (void)cudaStreamDestroy(b->stream);
}

/* ---- checks and figures -------------------------------------------------------------------------------------------
 */

/* Checks the result. @param is_stable  true: the order must be that of the plain loop; false: any within cells.
 * @param[out] right  0, or -1 */
cudaError_t check(binning *b, const bins *want, bool is_stable, int *right) {
  const uint64_t n = b->from->count, offsets = b->from->cells + UINT64_C(1);
  std::vector<uint32_t> order(n), offset(offsets);
  std::vector<float> got(n);
  cudaError_t rc = cudaMemcpy(order.data(), b->order, 4 * n, cudaMemcpyDeviceToHost);
  if (rc == cudaSuccess) rc = cudaMemcpy(offset.data(), b->offset, 4 * offsets, cudaMemcpyDeviceToHost);
  *right = bins_compare_offsets(b->from, offset.data(), want->offset);
  if (*right == 0) *right = bins_check_order(b->from, order.data(), want->offset);
  for (int a = 0; a < PARTICLE_ARRAYS && rc == cudaSuccess && *right == 0; a++) {
    rc = cudaMemcpy(got.data(), b->out.of[a], 4 * n, cudaMemcpyDeviceToHost);
    *right = particles_compare(b->from, a, is_stable ? want->order : order.data(), got.data());
  }
  return rc;
}

struct step {
  const char *what;
  cudaError_t (*run)(binning *b);
  double bytes;
};

struct timed {
  binning *b;
  cudaError_t (*run)(binning *b);
};

int run_timed(void *state) {
  const timed *t = static_cast<timed *>(state);
  return t->run(t->b);
}

int wait_timed(void *state) { return cudaStreamSynchronize(static_cast<timed *>(state)->b->stream); }

cudaError_t time_step(binning *b, const step &s, int rounds, double *seconds) {
  timed t = { b, s.run };
  const figures_subject subject = { run_timed, wait_timed, &t, FIGURES_REPEATS };
  return static_cast<cudaError_t>(figures_time(&subject, rounds, seconds));
}

/* Times the sort with n as an int and as a size_t, and keeps the faster one. */
cudaError_t choose_n(binning *b, const step &sort, int rounds) {
  double narrow = 0, wide = 0;
  cudaError_t rc = time_step(b, sort, rounds, &narrow);
  b->has_wide_n = true;
  if (rc == cudaSuccess) rc = time_step(b, sort, rounds, &wide);
  b->has_wide_n = wide < narrow;
  return rc;
}

/* Times and prints the steps. @param steps  the first one is the copy, the last one is all */
cudaError_t print_figures(binning *b, const std::vector<step> &steps, int rounds) {
  double copy_rate = 0;
  for (const step &s : steps) {
    double seconds = 0;
    const cudaError_t rc = time_step(b, s, rounds, &seconds);
    if (rc != cudaSuccess) return rc;
    if (copy_rate == 0) copy_rate = s.bytes / seconds;
    figures_print(s.what, seconds, s.bytes, copy_rate);
  }
  return cudaSuccess;
}

/* Checks a variant, times it, and checks it again. */
cudaError_t measure(binning *b, const char *variant, const std::vector<step> &steps, const bins *want, bool is_stable,
                    int rounds, int *right) {
  cudaError_t rc = steps.back().run(b);
  if (rc == cudaSuccess) rc = cudaStreamSynchronize(b->stream);
  if (rc == cudaSuccess) rc = check(b, want, is_stable, right);
  if (rc != cudaSuccess || *right != 0) return rc;
  printf("%s:\n", variant);
  rc = print_figures(b, steps, rounds);
  return rc == cudaSuccess ? check(b, want, is_stable, right) : rc;
}

cudaError_t measure_both(binning *b, const bins *want, int rounds, int *right) {
  const double n = b->from->count, cells = b->from->cells, all = particles_bytes(b->from);
  const step copied = { "copy of 4 bytes a particle", copy, 8 * n };
  const step gathered = { "gather seven arrays", gather, 60 * n };
  const std::vector<step> by_cub = { copied,
                                     { "find cells, write indices", cells_and_indices, 20 * n },
                                     { "sort cells and indices", sort_indices, 16 * n },
                                     { "find where cells begin", begins, 4 * (n + cells) },
                                     gathered,
                                     { "all", all_by_cub, all } };
  const std::vector<step> by_atomics = { copied,
                                         { "find cells", cells_alone, 16 * n },
                                         { "count by atomics", count, 4 * (n + cells) },
                                         { "exclusive sum of counts", sum, 8 * cells },
                                         { "take places by atomics", take_places, 8 * n },
                                         gathered,
                                         { "all", all_by_atomics, all } };
  cudaError_t rc = cells_and_indices(b);
  if (rc == cudaSuccess) rc = choose_n(b, by_cub[2], rounds);
  if (rc == cudaSuccess) rc = measure(b, "by CUB's sort, in the example's order", by_cub, want, true, rounds, right);
  if (rc != cudaSuccess || *right != 0) return rc;
  return measure(b, "by atomics, in an order that changes", by_atomics, want, false, rounds, right);
}

int run(const particles *from, const bins *want, int rounds) {
  binning b = {};
  cudaDeviceProp device;
  int right = -1;
  b.from = from;
  b.cell_bits = static_cast<int>(particles_cell_bits(from));
  cudaError_t rc = cudaGetDeviceProperties(&device, 0);
  if (rc == cudaSuccess) rc = cudaStreamCreate(&b.stream);
  if (rc == cudaSuccess) rc = make_memory(&b);
  if (rc == cudaSuccess) {
    printf("CUB %d.%d.%d on %s\n", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100, device.name);
    rc = measure_both(&b, want, rounds, &right);
  }
  if (rc != cudaSuccess) fprintf(stderr, "%s: %s\n", cudaGetErrorName(rc), cudaGetErrorString(rc));
  free_memory(&b);
  return rc == cudaSuccess ? right : -1;
}

}

int main(int argc, char **argv) {
  particles_options options;
  particles input = {};
  bins want = {};
  int rc = particles_parse(argc, argv, &options);
  if (rc == 0) rc = particles_make(&options, &input);
  if (rc == 0) rc = bins_alloc(&input, &want);
  if (rc == 0) {
    bins_of_particles(&input, &want);
    rc = run(&input, &want, static_cast<int>(options.rounds));
  }
  bins_free(&want);
  particles_free(&input);
  return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
