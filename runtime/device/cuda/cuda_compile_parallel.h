/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the programs of a plan's kernels in parallel: a plan has six, of half a second or more each. */
#ifndef SCANRT_CUDA_COMPILE_PARALLEL_H
#define SCANRT_CUDA_COMPILE_PARALLEL_H

#include "device/backend.h"

enum { CUDA_MOST_AHEAD = 16 };

typedef struct cuda_compile_ahead {
  uint32_t capability, tuned_image; /* as in scan_cuda_source_compile */
  int count;
  struct {
    const scan_kernel_key *key;
    char **image; /* receives the image; stays NULL if the program does not compile */
  } programs[CUDA_MOST_AHEAD];
} cuda_compile_ahead;

/* Adds a program, unless its image exists or is already in the list, or the list is full (CUDA_MOST_AHEAD): then it is
 * compiled when its kernel is created. */
void scan_cuda_compile_ahead_add(cuda_compile_ahead *ahead, const scan_kernel_key *key, char **image);

/* Compiles all programs, in the order of their addition, with as many threads as there are processors and programs. */
void scan_cuda_compile_ahead_run(cuda_compile_ahead *ahead);

#endif
