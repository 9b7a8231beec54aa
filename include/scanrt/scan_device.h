/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_device.h
 * @brief The host's part of scans within the user's own kernels: memory for their look-back, and their text.
 *
 * The kernels' part are the headers scanrt/device/group.h (scans and reductions by a work-group) and
 * scanrt/device/lookback.h (what precedes a work-group: places in a shared output, prefixes by any operator). They are
 * CUDA C++, HIP and OpenCL C; nothing of the library is linked to a kernel. The memory is the caller's:
 *
 *     const uint64_t bytes = scan_device_state_bytes(work_groups, 8);
 *     cudaMalloc(&memory, bytes);
 *     const scan_mem state = scan_cuda_mem((CUdeviceptr)memory, bytes);
 *     scan_device_state_init(ctx, state, work_groups, 8);              // once
 *     positive<<<work_groups, 256, 0, stream>>>(x, n, out, memory);    // as often as wanted, nothing in between
 *     scan_device_state_check(ctx, state, &kept);                      // waits for ctx's queue, which is `stream`
 */
#ifndef SCANRT_SCAN_DEVICE_H
#define SCANRT_SCAN_DEVICE_H

#include <scanrt/scan_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @param work_groups the most work-groups of a launch, up to 2^31
 * @param value_bytes the size of a value that a work-group publishes: 8 for scanrt_allocate
 * @return            bytes of device memory that a look-back needs, aligned to 8; 0 if an argument is out of range
 */
SCAN_API uint64_t scan_device_state_bytes(uint64_t work_groups, uint32_t value_bytes);

/**
 * Prepares that memory. Kernels that are launched afterwards in ctx's queue may use it, one launch at a time.
 *
 * @param state memory of scan_device_state_bytes(work_groups, value_bytes), of the kind that ctx computes on
 */
SCAN_API scan_status scan_device_state_init(scan_ctx *ctx, scan_mem state, uint64_t work_groups, uint32_t value_bytes);

/**
 * Waits for ctx's queue and reads the outcome of the last launch.
 *
 * @param total if not NULL, set to the sum of all counts of that launch if it called scanrt_allocate
 * @return      SCAN_NO_PROGRESS if a wait within a kernel gave up, SCAN_INVALID_ARGUMENT if a launch had more
 *              work-groups than the memory is for, or one of SCANRT_PLACES (lookback.h) followed none of SCANRT_COUNTS.
 *              Its output is then incomplete, as that of all launches after it, until scan_device_state_init prepares
 *              the memory anew.
 */
SCAN_API scan_status scan_device_state_check(scan_ctx *ctx, scan_mem state, uint64_t *total);

/**
 * @param name "scanrt/device/group.h" or "scanrt/device/lookback.h"
 * @return     the header's text without includes, for compilers at run time (clCreateProgramWithSource, NVRTC); it
 * lives as long as the library. NULL if there is no such header, or no memory.
 */
SCAN_API const char *scan_device_text(const char *name);

#ifdef __cplusplus
}
#endif

#endif
