/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file places.h
 * @brief An output whose size the input decides, made on OpenCL and CUDA in one launch or two of the same kernel
 * (scanrt/device/lookback.h) and in three steps: a launch that counts, a scan, a launch that writes. For records.c and
 * cubes.c.
 */
#ifndef SCANRT_EXAMPLE_PLACES_H
#define SCANRT_EXAMPLE_PLACES_H

#include "kernels.h"

enum { PLACES_CANNOT = 77 /**< Exit status: there is no such device. */ };

/** The kernels, in this order: the one with scanrt/device/lookback.h, the count, the write. */
enum { PLACES_ONE, PLACES_COUNT, PLACES_WRITE, PLACES_KERNELS };

/** Their arguments are `shared`, and then the state, the counts of work-groups, or their first places. */
typedef struct places {
  scan_ctx *ctx;
  int in_two_launches; /**< 1: the first kernel is launched twice, and no work-group waits for another one. */
  uint32_t groups;     /**< Work-groups of each kernel. */
  app_argument shared[APP_MOST_ARGUMENTS];
  int shared_count;
  scan_mem state, counts, firsts;
  scan_plan *sum;
  app_kernels *kernels, *counting, *placing; /**< The last two are the first kernel in two launches. */
  app_sequence *one, *three;
} places;

/** Reports a failure of the library. @return 0 for SCAN_SUCCESS, PLACES_CANNOT for SCAN_NO_DEVICE, else -1 */
int places_check(const places *p, scan_status status);

/** Creates p->ctx on $SCANRT_DEVICE and prints its device. @return as places_check; PLACES_CANNOT on the host too,
 * where these kernels do not run */
int places_open(places *p);

/** Allocates memory of `bytes`, and writes `data` unless NULL. @return as places_check */
int places_alloc(const places *p, uint64_t bytes, const void *data, scan_mem *memory);

/**
 * Compiles kernels and records both ways. p->groups, p->shared and p->in_two_launches are set.
 * @param defines text before scanrt/device/lookback.h @param text  the kernels @param names  theirs
 * @return as places_check
 */
int places_build(places *p, const char *defines, const char *text, const char *const names[PLACES_KERNELS]);

/** Frees everything, also after a failure. */
void places_close(places *p);

/** Runs one way and waits. @param way  p->one or p->three. @param[out] total  the number of results. @return as
 * places_check; a wait in the kernel that gave up is SCAN_NO_PROGRESS */
int places_run(places *p, app_sequence *way, uint64_t *total);

/**
 * Times both ways and a copy, and prints them.
 * @param rounds   as figures_time; 0: prints nothing
 * @param bytes    that must be read and written
 * @param from,to  memory to copy, `copied` bytes. @return as places_check
 */
int places_figures(places *p, int rounds, double bytes, scan_mem from, scan_mem to, uint64_t copied);

#endif
