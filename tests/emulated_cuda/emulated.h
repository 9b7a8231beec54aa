/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads modules that the stand-in for NVRTC compiled and runs their grids on the processor. A block is a thread, and
 * its lanes are fibers of that thread. A lane runs until it waits for another one, so nothing within a block is
 * concurrent. $EMULATED_CUDA_ORDER chooses one of the many orders that a GPU may take. */
#ifndef SCANRT_TESTS_EMULATED_H
#define SCANRT_TESTS_EMULATED_H

#include <stdint.h>

enum { EMULATED_ARGUMENTS = 27 }; /* the most arguments of a kernel */

/* A kernel called with the most arguments. Kernels take only pointers and integers, which x86-64 and aarch64 pass in a
 * register or in 8 bytes of the stack, so that a kernel with fewer or narrower parameters can be called through this
 * type. */
typedef void emulated_kernel(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                             uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                             uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

typedef struct emulated_grid {
  void *module;
  emulated_kernel *kernel;
  unsigned groups, items, dynamic_bytes;
  uint64_t arguments[EMULATED_ARGUMENTS];
} emulated_grid;

/* ---- modules ---- */

/* 1 if the bytes are an image of the stand-in for NVRTC. */
int emulated_is_image(const void *image);

/* Loads the image's library. Returns NULL, with the reason on stderr, if that fails. */
void *emulated_load(const void *image);
void emulated_unload(void *module);
/* Returns the kernel, or NULL if the module has none of that name. */
emulated_kernel *emulated_find(void *module, const char *name);
/* Fills the module's shared variables of the calling thread with poison. */
void emulated_poison(void *module);

/* Runs the grid and returns when every lane has ended. A deadlock or an operation that a GPU refuses ends the program
 * with a list of what each warp waits for. */
void emulated_run(const emulated_grid *grid);

#endif
