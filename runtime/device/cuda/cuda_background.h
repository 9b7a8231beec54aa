/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles programs on threads of their own while the application scans with other kernels. The calls are those of the
 * thread that uses the device. A process that exits waits for compilations that run. */
#ifndef SCANRT_CUDA_BACKGROUND_H
#define SCANRT_CUDA_BACKGROUND_H

#include "device/backend.h"

enum { CUDA_MOST_BACKGROUND = 16 };

/* Programs that are compiled together, with their keys. */
typedef struct cuda_programs {
  uint32_t capability, tuned_image; /* as in scan_cuda_source_compile */
  int count;
  struct {
    scan_kernel_key key;
    scan_program *program;
  } of[CUDA_MOST_BACKGROUND];
} cuda_programs;

/* A compilation of several programs, in a device's list. */
typedef struct cuda_background cuda_background;

/* Begins to compile programs of one source, in their order. Returns 0 if no thread can be started. */
int scan_cuda_background_begin(cuda_background **list, const cuda_programs *programs);

/* 1 if a compilation of the program has begun and its image was not taken. */
int scan_cuda_background_has(const cuda_background *list, const scan_program *program);

/* Takes the image of a program (scan_program.image); with waits = 1 it waits for it. Returns PENDING if that is not
 * compiled yet, and FAILED if there is no image. */
scan_compile_state scan_cuda_background_take(cuda_background *list, scan_program *program, int waits);

/* Ends the compilations of a source, or all if `source` is NULL: leaves out programs that have not begun, and waits for
 * the others. */
void scan_cuda_background_end(cuda_background **list, const struct scan_source *source);

#endif
