/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules that the stand-in for NVRTC compiled, and grids of them run on the processor. A block is a thread, its lanes
 * are fibers of that thread, which go on until they wait for another: so nothing within a block happens at once, and
 * the order in which lanes go on is one of many that a GPU might take ($EMULATED_CUDA_ORDER). */
#ifndef SCANRT_TESTS_EMULATED_H
#define SCANRT_TESTS_EMULATED_H

#include <stdint.h>

enum { EMULATED_ARGUMENTS = 27 }; /* the most of a kernel */

/* Kernels take pointers and integers alone, each of which x86-64 and aarch64 pass in a register or in 8 bytes of the
 * stack: a function of more parameters than it has is called, whatever their widths. */
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

/* Whether bytes are an image of the stand-in for NVRTC. */
int emulated_is_image(const void *image);

/* The library, loaded; NULL, with the reason on stderr, where it cannot be. */
void *emulated_load(const void *image);
void emulated_unload(void *module);
/* NULL where it has no such kernel. */
emulated_kernel *emulated_find(void *module, const char *name);
/* Fills the shared variables of the calling thread with what is no value. */
void emulated_poison(void *module);

/* Returns when every lane has ended. A grid in which nobody can go on, or which does what a GPU does not take, ends the
 * program with what each warp waits for. */
void emulated_run(const emulated_grid *grid);

#endif
