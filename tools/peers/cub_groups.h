/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that cub_groups.cu times: they repeat a collective of a work-group by scanrt/device/group.h or by CUB. */
#ifndef SCANRT_PEERS_CUB_GROUPS_H
#define SCANRT_PEERS_CUB_GROUPS_H

#include <cmath>
#include <cstddef>

#include <cuda_runtime.h>

enum group_call { GROUP_SCAN, GROUP_REDUCE, GROUP_REDUCE_ALL, ROW_SCAN, ROW_REDUCE, GROUP_CALLS };
enum group_type { GROUP_I32, GROUP_F32, GROUP_F64, GROUP_TYPES };
enum { GROUP_SAMPLES = 3, GROUP_PEERS = 3, GROUP_MOST_VALUES = 16 };

/* A kernel: work-group g takes the values of sample g % GROUP_SAMPLES, and stores them after `repeats` calls. */
typedef void group_kernel(const void *in, void *out, int repeats);

/* One call for one type and size, by group.h (first) and by the algorithms of CUB; absent ones are null. */
struct group_case {
  group_call call;
  group_type type;
  int items, values;
  group_kernel *kernel[GROUP_PEERS];
};

struct group_table {
  const group_case *cases;
  int count;
};

group_table cub_groups_128();
group_table cub_groups_256();
group_table cub_groups_512();

/* Names in the order of group_case::kernel. */
static const char *const group_peer_names[GROUP_PEERS] = { "group.h", "CUB", "CUB, other" };

/* The next value of a work-item, from its value of a scan, or from a value and a total. It keeps values bounded and
 * takes one instruction a value. */
__host__ __device__ inline int group_next(int scanned) { return scanned & 0xffff; }
__host__ __device__ inline float group_next(float scanned) { return fmaf(scanned, 0x1p-13f, 0.5f); }
__host__ __device__ inline double group_next(double scanned) { return fma(scanned, 0x1p-13, 0.5); }
__host__ __device__ inline int group_feed(int total) { return total; }
__host__ __device__ inline float group_feed(float total) { return fmaf(total, 0x1p-13f, 0.5f); }
__host__ __device__ inline double group_feed(double total) { return fma(total, 0x1p-13, 0.5); }
__host__ __device__ inline int group_mix(int x, int feed) { return (x ^ feed) & 0xffff; }
__host__ __device__ inline float group_mix(float x, float feed) { return fmaf(x, -0.5f, feed); }
__host__ __device__ inline double group_mix(double x, double feed) { return fma(x, -0.5, feed); }

#endif
