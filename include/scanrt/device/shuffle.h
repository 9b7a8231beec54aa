/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * Exchange of registers in a row, 32 consecutive work-items. Included by scanrt/device/group.h. */
#ifndef SCANRT_DEVICE_SHUFFLE_H
#define SCANRT_DEVICE_SHUFFLE_H

#include "scanrt/device/dialect.h"

#if SCANRT_SHUFFLE
#if defined(__HIPCC__)

/* Returns x of the work-item `distance` before this one, and in *is_there whether the row has it. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_shuffle_up(scanrt_device_u32 x, scanrt_device_u32 distance,
                                                       scanrt_device_u32 *is_there) {
  *is_there = SCANRT_ITEM() % 32 >= distance;
  return (scanrt_device_u32)__shfl_up((int)x, distance, 32);
}
/* Returns x of the work-item whose number in the row differs in the bits of `mask`. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_shuffle_xor(scanrt_device_u32 x, scanrt_device_u32 mask) {
  return (scanrt_device_u32)__shfl_xor((int)x, (int)mask, 32);
}

#else

SCANRT_FUNC scanrt_device_u32 scanrt_device_shuffle_up(scanrt_device_u32 x, scanrt_device_u32 distance,
                                                       scanrt_device_u32 *is_there) {
  scanrt_device_u32 y;
#if defined(__CUDACC__)
  /* The shuffle itself says whether the row has the work-item, which saves a comparison. */
  scanrt_device_u32 valid;
  asm volatile("{ .reg .pred p;\n"
               "shfl.sync.up.b32 %0|p, %2, %3, 0, 0xffffffff;\n"
               "selp.u32 %1, 1, 0, p; }"
               : "=r"(y), "=r"(valid)
               : "r"(x), "r"(distance));
  *is_there = valid;
#else
  __asm__ __volatile__("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(y) : "r"(x), "r"(distance));
  *is_there = SCANRT_ITEM() % 32 >= distance;
#endif
  return y;
}
SCANRT_FUNC scanrt_device_u32 scanrt_device_shuffle_xor(scanrt_device_u32 x, scanrt_device_u32 mask) {
#if defined(__CUDACC__)
  return __shfl_xor_sync(0xffffffffu, x, mask);
#else
  scanrt_device_u32 y;
  __asm__ __volatile__("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y) : "r"(x), "r"(mask));
  return y;
#endif
}

#endif
#endif

#endif
