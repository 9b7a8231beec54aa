/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of a plan's kernels, compiled at the same time: a plan has six, of half a second or more each. */
#ifndef SCANRT_CUDA_AHEAD_H
#define SCANRT_CUDA_AHEAD_H

#include "device/backend.h"

enum { CUDA_MOST_AHEAD = 16 };

typedef struct cuda_compile_ahead {
  uint32_t capability, tuned_image; /* as scan_cuda_source_compile has them */
  int count;
  struct {
    const scan_kernel_key *key;
    char **image; /* where it goes; NULL stays there where it does not compile */
  } programs[CUDA_MOST_AHEAD];
} cuda_compile_ahead;

/* Adds a program, unless its image is there or under way, or there are CUDA_MOST_AHEAD: it is then compiled when its
 * kernel is created. */
void scan_cuda_compile_ahead_add(cuda_compile_ahead *ahead, const scan_kernel_key *key, char **image);

/* Compiles all, in the order in which they were added, by as many threads as there are processors and programs. */
void scan_cuda_compile_ahead_run(cuda_compile_ahead *ahead);

#endif
