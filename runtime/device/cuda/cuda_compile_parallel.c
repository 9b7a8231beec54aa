/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_compile_parallel.h"

#include "device/cuda/cuda_source.h"
#include "device/parallel_for.h"

void scan_cuda_compile_ahead_add(cuda_compile_ahead *ahead, const scan_kernel_key *key, char **image) {
  if (*image != NULL || ahead->count == CUDA_MOST_AHEAD) return;
  for (int i = 0; i < ahead->count; i++)
    if (ahead->programs[i].image == image) return; /* two kernels of one program */
  ahead->programs[ahead->count].key = key;
  ahead->programs[ahead->count].image = image;
  ahead->count++;
}

/* Compiles one program. NVRTC may be called by several threads at once. */
static void compile_one(void *tasks, int i) {
  const cuda_compile_ahead *ahead = tasks;
  scan_error ignored; /* kernel_create finds no image, compiles again and words the fault */
  size_t bytes;
  (void)scan_cuda_source_compile(ahead->programs[i].key, ahead->capability, ahead->tuned_image,
                                 ahead->programs[i].image, &bytes, &ignored);
}

void scan_cuda_compile_ahead_run(cuda_compile_ahead *ahead) {
  scan_parallel_for(ahead->count, CUDA_MOST_AHEAD, compile_one, ahead);
}
