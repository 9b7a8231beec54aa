/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi_elements.h @brief Elements that `scanrt bench --mpi` and its peers/nccl_scan.cu scan. An element
 * is a function of its index among those of all ranks, so that they do not depend on the distribution. */
#ifndef SCANRT_CLI_BENCH_MPI_ELEMENTS_H
#define SCANRT_CLI_BENCH_MPI_ELEMENTS_H

#include <stdint.h>

#include <scanrt/scan_types.h>

/** Writes elements `first` to first + n - 1. @param type  an integer type, SCAN_F32 or SCAN_F64
 * @param item_bytes  size of the type */
static inline void bench_mpi_fill(scan_type type, uint64_t item_bytes, uint64_t first, uint64_t n, void *elements) {
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t mixed = (first + i) * UINT64_C(0x9E3779B97F4A7C15) >> 40; /* 24 bits */
    const double real = (double)mixed / 16777216 - 0.4;
    const int32_t whole = (int32_t)(mixed & 1023) - 500;
    if (type == SCAN_F32)
      ((float *)elements)[i] = (float)real;
    else if (type == SCAN_F64)
      ((double *)elements)[i] = real;
    else if (item_bytes == sizeof(int8_t))
      ((int8_t *)elements)[i] = (int8_t)(mixed & 255);
    else if (item_bytes == sizeof(int16_t))
      ((int16_t *)elements)[i] = (int16_t)whole;
    else if (item_bytes == sizeof(int32_t))
      ((int32_t *)elements)[i] = whole;
    else
      ((int64_t *)elements)[i] = whole;
  }
}

#endif
