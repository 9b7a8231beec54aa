/* SPDX-License-Identifier: BSD-2-Clause */
/* Tuning: every number that was chosen because it was measured to be fast, by class of device and size of type. The
 * measurements stand beside the numbers; kernels_cu/README.md has those that lost. nvcc compiles this file, too, for
 * the numbers that are built into the kernels. None of them changes a result.
 *
 * $SCANRT_TUNE overrides, for experiments: "pipelined_bytes=4194304,stages=4" (the names are scan_tuning's). */
#ifndef SCANRT_TUNING_H
#define SCANRT_TUNING_H

/* ---- built into the CUDA kernels; percent of a copy, H200, exclusive sum of 1 GiB ---- */

/* Portable kernels: 256 work-items, 8 vectors each, 2 work-groups a multiprocessor: 91; 512 x 4: 88; 128 x 8 and 5
 * groups: 87; 1 group, whatever its size: 62 to 78. */
#define TUNE_GROUP_ITEMS 256
#define TUNE_GROUPS_PER_UNIT 2

/* Pipelined, warps that copy. With the copy engine (image 90) 4: u32 97.0, f64 96.8, u16 94.7, u8 93.6; 8: u16 91.8, u8
 * 94.3 (fewer registers); one: u32 94.3, f64 95.4. Without it (image 80) 8: u32 95.3, f64 93.2; 4: u32 94. */
#define TUNE_PIPE_PRODUCERS(image) ((image) >= 90 ? 4 : 8)

/* Pipelined, warps that reduce. 4; 2 are as fast on aligned input (u32 94.8 for 95.1), and 82 where they shift it. */
#define TUNE_PIPE_REDUCERS 4

/* Pipelined, tiles in the ring. 6; 5 (what an A100 has room for): u32 94.9, f64 94.4, u16 93.4 (of 96.0, 95.9, 94.8);
 * 7: as 6. */
#define TUNE_PIPE_STAGES 6
#define TUNE_PIPE_FEWEST_STAGES 4
#define TUNE_PIPE_MOST_STAGES 7

/* Pipelined, tiles on their way at once while the ring fills. 2: u32 96.4 (93.8 at 256 MiB), all: 96.1 (93.0), 1: 95.9.
 */
#define TUNE_PIPE_START 2

/* Work-items of the pipelined kernel: producers, look-back, group total, reducers, and a scanner a sub-tile. */
#define TUNE_PIPE_ITEMS(image) ((TUNE_PIPE_PRODUCERS(image) + 2 + TUNE_PIPE_REDUCERS + 8) * 32)

#ifndef __CUDACC__
#include <stdint.h>

#include "error.h"

/* How scans run on a device. */
typedef struct scan_tuning {
  uint32_t group_items;      /* of the portable kernels; 1: the one-work-item form. Fixed on CUDA and on the host */
  uint32_t groups_per_unit;  /* persistent work-groups a compute unit */
  uint32_t most_groups;      /* of a look-back or pipelined scan; 0: no limit of its own */
  uint32_t stages;           /* tiles in the ring of the pipelined scan */
  uint32_t image;            /* CUDA: 90 where the images for sm_90 are used, 80 for those before; 0: elsewhere */
  uint64_t pipelined_bytes;  /* of the output: above, AUTO takes the pipelined scan; below, look-back */
  uint64_t shifted_bytes;    /* the same for 1- and 2-byte types that do not begin at a multiple of 16 bytes */
  uint64_t one_thread_bytes; /* host, of the output: up to here one thread scans and none is woken */
  uint32_t register_bytes;   /* host: vector registers of up to so many bytes, 16 or 32 */
} scan_tuning;

typedef enum scan_device_class {
  SCAN_CLASS_HOST,
  SCAN_CLASS_CPU,     /* OpenCL on a processor */
  SCAN_CLASS_GPU,     /* OpenCL on a GPU */
  SCAN_CLASS_CUDA_75, /* compute capability 7.5 */
  SCAN_CLASS_CUDA_80, /* 8.x */
  SCAN_CLASS_CUDA_90  /* 9.0 and later */
} scan_device_class;

/* The table's row for a class, with $SCANRT_TUNE on top where it can be read. */
scan_tuning scan_tuning_for(scan_device_class device_class);

/* Refuses a $SCANRT_TUNE that cannot be read, naming what is wrong. */
scan_status scan_tuning_check(scan_error *error);
#endif

#endif
