/* SPDX-License-Identifier: BSD-2-Clause */
/** @file nccl_must.h @brief Ends a program that uses several GPUs at the first failure of CUDA or NCCL. */
#ifndef SCANRT_NCCL_MUST_H
#define SCANRT_NCCL_MUST_H

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime_api.h>
#include <nccl.h>

static inline void must(cudaError_t rc, const char *what) {
  if (rc == cudaSuccess) return;
  fprintf(stderr, "%s: %s (%s)\n", what, cudaGetErrorName(rc), cudaGetErrorString(rc));
  exit(EXIT_FAILURE);
}

static inline void must(ncclResult_t rc, const char *what) {
  if (rc == ncclSuccess) return;
  fprintf(stderr, "%s: %s\n", what, ncclGetErrorString(rc));
  exit(EXIT_FAILURE);
}

#endif
