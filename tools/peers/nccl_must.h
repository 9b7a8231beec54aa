/* SPDX-License-Identifier: BSD-2-Clause */
/** @file nccl_must.h @brief Work on several GPUs, which ends the program at the first failure of CUDA or NCCL. */
#ifndef SCANRT_NCCL_MUST_H
#define SCANRT_NCCL_MUST_H

#include <cstdio>
#include <cstdlib>
#include <vector>

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

/* Calls step(part, number) for the part of each GPU, which is the current one meanwhile. */
template <typename part, typename function> void on_each_gpu(std::vector<part> &parts, function step) {
  for (size_t i = 0; i < parts.size(); i++) {
    must(cudaSetDevice(static_cast<int>(i)), "cudaSetDevice");
    step(parts[i], i);
  }
}

/* Waits for the stream of each part. */
template <typename part> void wait_for(const std::vector<part> &parts) {
  for (const part &p : parts) must(cudaStreamSynchronize(p.stream), "cudaStreamSynchronize");
}

#endif
