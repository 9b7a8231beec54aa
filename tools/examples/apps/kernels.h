/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file kernels.h
 * @brief An application's own kernels beside scans: one text for the host, OpenCL and CUDA.
 *
 * They use the device, the queue or stream, and the memory of a scan_ctx, which scan_opencl.h and scan_cuda.h provide.
 * So kernels and scans run in the order in which they are enqueued, without waits.
 *
 * A kernel is C with the words below. Its work-items share the work in steps of APP_ITEMS, so that any number of them
 * is right; on the host it is one.
 *
 *     APP_KERNELS(text, APP_KERNEL void fill(APP_GLOBAL uint32_t *x, uint32_t n) {
 *       for (uint32_t i = APP_ITEM; i < n; i += APP_ITEMS) x[i] = i;
 *     })
 *
 * Kernels with scanrt/device/lookback.h are a text of their own, which app_device_text completes; they do not run on
 * the host. Beside the headers' words they may use APP_GROUP (the work-group's number), APP_POPCOUNT and APP_CLZ.
 */
#ifndef SCANRT_EXAMPLE_KERNELS_H
#define SCANRT_EXAMPLE_KERNELS_H

#include <stdint.h>

#include <scanrt/scan.h>

/** Defines kernels for the host's compiler, and their text as `name`. A semicolon follows. */
#define APP_KERNELS(name, ...) __VA_ARGS__ static const char name[] = #__VA_ARGS__

#define APP_FUNCTION static inline /**< Goes before a function that kernels call. */
#define APP_KERNEL static          /**< Goes before a kernel's `void`. */
#define APP_GLOBAL                 /**< Goes before the target type of a pointer to device memory. */
#define APP_ITEM 0u                /**< Number of the work-item. */
#define APP_ITEMS 1u               /**< Number of work-items. */

/** APP_SWAP(at, from, to): atomically stores `to` if *at is `from`; returns the old value. For uint32_t in device
 * memory. */
#define APP_SWAP(at, from, to) app_swap(at, from, to)
static inline uint32_t app_swap(uint32_t *at, uint32_t from, uint32_t to) {
  const uint32_t was = *at;
  if (was == from) *at = to;
  return was;
}

enum { APP_MOST_KERNELS = 8, APP_MOST_ARGUMENTS = 12, APP_GROUP_ITEMS = 256, APP_GROUPS_A_UNIT = 8 };

/** Allocates memory for scans and kernels: from scan_alloc, or on the host from the application, since scan_alloc
 * gives no address there. @param[out] memory  free with app_free */
scan_status app_alloc(scan_ctx *ctx, uint64_t bytes, scan_mem *memory);

/** Frees memory of app_alloc; a zero scan_mem is accepted. */
void app_free(scan_ctx *ctx, scan_mem memory);

/** A kernel argument: memory of app_alloc or, if that is a zero scan_mem, the number. */
typedef struct app_argument {
  scan_mem memory;
  uint32_t number;
} app_argument;

/** A kernel's name in the text, and a function that calls it on the host, NULL if none does. arguments[i] points to
 * memory, or to the number. */
typedef struct app_kernel {
  const char *name;
  void (*host)(void *const *arguments);
} app_kernel;

typedef struct app_kernels app_kernels; /**< Kernels on the device of a scan_ctx. */
typedef struct app_sequence app_sequence;

/**
 * Compiles kernels for the device of ctx, by the OpenCL driver or by NVRTC (libnvrtc.so of the CUDA toolkit).
 * @param kernels  `count` of them, at most APP_MOST_KERNELS; 0: compiles nothing, for sequences of scans alone.
 * @param[out] made  destroy with app_kernels_destroy, before ctx. @return 0, or -1 after saying what failed
 */
int app_kernels_create(scan_ctx *ctx, const char *text, const app_kernel *kernels, int count, app_kernels **made);

/** Enqueues kernel number `which`. @param work  number of useful work-items. @return as app_kernels_create */
int app_kernels_launch(app_kernels *kernels, int which, uint64_t work, const app_argument *arguments, int count);

/** Enqueues kernel number `which`, of a text of app_device_text, in `groups` work-groups. */
int app_kernels_launch_groups(app_kernels *kernels, int which, uint32_t groups, const app_argument *arguments,
                              int count);

/** Joins `defines`, the text of scanrt/device/lookback.h for work-groups of APP_GROUP_ITEMS, and kernels' text. @return
 * the text, for free(), or NULL after saying what failed */
char *app_device_text(const char *defines, const char *kernels);

/** Destroys kernels. NULL is accepted. */
void app_kernels_destroy(app_kernels *kernels);

/**
 * Makes a sequence: the kernels and planned scans that `enqueue` enqueues, which can be enqueued repeatedly. On CUDA it
 * is a graph.
 * @param enqueue  returns 0; called now, or in each run. @param[out] made  destroy before its kernels and plans.
 */
int app_sequence_create(app_kernels *kernels, int (*enqueue)(void *state), void *state, app_sequence **made);

/** Enqueues the sequence once. */
int app_sequence_run(app_sequence *sequence);

/** Destroys a sequence. NULL is accepted. */
void app_sequence_destroy(app_sequence *sequence);

#endif
