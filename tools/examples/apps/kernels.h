/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file kernels.h
 * @brief The application's own kernels beside scans: one text for the host, OpenCL and CUDA.
 *
 * They run on the device, the queue or stream, and the memory of a scan_ctx, which scan_opencl.h and scan_cuda.h hand
 * out. So kernels and scans follow each other in the order in which they are enqueued, and nobody waits.
 *
 * A kernel is C with the words below. Its work-items share the work in steps of APP_ITEMS, so that any number of them
 * does it: on the host one work-item does it all.
 *
 *     APP_KERNELS(text, APP_KERNEL void fill(APP_GLOBAL uint32_t *x, uint32_t n) {
 *       for (uint32_t i = APP_ITEM; i < n; i += APP_ITEMS) x[i] = i;
 *     })
 */
#ifndef SCANRT_EXAMPLE_KERNELS_H
#define SCANRT_EXAMPLE_KERNELS_H

#include <stdint.h>

#include <scanrt/scan.h>

/** Kernels as the host's compiler sees them, and their text as `name`. A semicolon follows. */
#define APP_KERNELS(name, ...) __VA_ARGS__ static const char name[] = #__VA_ARGS__

#define APP_FUNCTION static inline /**< Before a function that kernels call. */
#define APP_KERNEL static          /**< Before a kernel's `void`. */
#define APP_GLOBAL                 /**< Before the type that a pointer to device memory points to. */
#define APP_ITEM 0u                /**< Number of the work-item. */
#define APP_ITEMS 1u               /**< How many there are. */

/** APP_SWAP(at, from, to): puts `to` where `from` is, at once; gives what was there. Of uint32_t in device memory. */
#define APP_SWAP(at, from, to) app_swap(at, from, to)
static inline uint32_t app_swap(uint32_t *at, uint32_t from, uint32_t to) {
  const uint32_t was = *at;
  if (was == from) *at = to;
  return was;
}

enum { APP_MOST_KERNELS = 8, APP_MOST_ARGUMENTS = 12, APP_GROUP_ITEMS = 256, APP_GROUPS_A_UNIT = 8 };

/** Memory that scans and kernels use: of scan_alloc, and on the host the application's own, since scan_alloc tells no
 *  address there. @param[out] memory  free with app_free */
scan_status app_alloc(scan_ctx *ctx, uint64_t bytes, scan_mem *memory);

/** A zero scan_mem is accepted. */
void app_free(scan_ctx *ctx, scan_mem memory);

/** An argument: memory of app_alloc, or where there is none (a zero scan_mem) the number. */
typedef struct app_argument {
  scan_mem memory;
  uint32_t number;
} app_argument;

/** A kernel's name in the text, and what calls it on the host: arguments[i] points to memory, or to the number. */
typedef struct app_kernel {
  const char *name;
  void (*host)(void *const *arguments);
} app_kernel;

typedef struct app_kernels app_kernels; /**< Kernels on the device of a scan_ctx. */
typedef struct app_sequence app_sequence;

/**
 * Compiles them for the device of ctx: by the OpenCL driver, or by NVRTC (libnvrtc.so, of the CUDA toolkit).
 * @param kernels  `count` of them, at most APP_MOST_KERNELS; 0: nothing is compiled, for sequences of scans alone.
 * @param[out] made  destroy with app_kernels_destroy, before ctx. @return 0, or -1 after saying what failed
 */
int app_kernels_create(scan_ctx *ctx, const char *text, const app_kernel *kernels, int count, app_kernels **made);

/** Enqueues kernel number `which`. @param work  work-items that have something to do. @return as app_kernels_create */
int app_kernels_launch(app_kernels *kernels, int which, uint64_t work, const app_argument *arguments, int count);

/** NULL is accepted. */
void app_kernels_destroy(app_kernels *kernels);

/**
 * What `enqueue` enqueues, kernels and planned scans, to be enqueued again and again: on CUDA a graph.
 * @param enqueue  returns 0; called now, or each time. @param[out] made  destroy before the kernels and plans in it.
 */
int app_sequence_create(app_kernels *kernels, int (*enqueue)(void *state), void *state, app_sequence **made);

/** Enqueues it once. */
int app_sequence_run(app_sequence *sequence);

/** NULL is accepted. */
void app_sequence_destroy(app_sequence *sequence);

#endif
