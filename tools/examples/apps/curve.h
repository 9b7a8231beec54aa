/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file curve.h
 * @brief Particles with weights along a space-filling curve, for curve_cuts_mpi.c: kernels and plain loops.
 *
 * Coordinates are from 0 to 1, in 2^21 cells along each edge. A key is a cell's place on the curve.
 */
#ifndef SCANRT_EXAMPLE_CURVE_H
#define SCANRT_EXAMPLE_CURVE_H

#include "kernels.h"

enum { CURVE_BITS = 21, CURVE_KEY_BITS = 3 * CURVE_BITS, CURVE_MOST_WEIGHT = 128 };

/** Arrays of particles: uint64_t keys, float coordinates, uint32_t weights. */
enum { CURVE_KEY, CURVE_X, CURVE_Y, CURVE_Z, CURVE_WEIGHT, CURVE_ARRAYS };
extern const uint32_t curve_bytes[CURVE_ARRAYS]; /**< Bytes of an element of each array. */

typedef struct curve_particles {
  uint64_t count;
  void *of[CURVE_ARRAYS];
} curve_particles;

/** Allocates particles. @param[out] made  free with curve_free @return 0, or -1 after reporting the fault */
int curve_alloc(uint64_t count, curve_particles *made);
void curve_free(curve_particles *p);

/** Makes particles number `first` and on, in clumps: the same numbers give the same particles. Keys are not set.
 * @return as curve_alloc */
int curve_make(uint64_t first, uint64_t count, curve_particles *made);

/** Returns the sum of weights. */
uint64_t curve_weight(const curve_particles *p);

/** Makes the kernels of the functions below. @return as app_kernels_create */
int curve_kernels(scan_ctx *ctx, app_kernels **made);

/** Enqueues: the key of each of `count` particles. @return as app_kernels_launch */
int curve_find_keys(app_kernels *kernels, const scan_mem of[CURVE_ARRAYS], uint64_t count, uint32_t is_morton);

/** Enqueues: how many of `count` particles come before each of ranks + 1 cuts. @param before  the weight before each
 * particle @param total  of all weights @return as app_kernels_launch */
int curve_find_cuts(app_kernels *kernels, scan_mem before, scan_mem total, scan_mem cuts, uint64_t count,
                    uint32_t ranks);

/** Compares the bytes of particles. @return 0, or -1 after reporting a difference */
int curve_compare(const curve_particles *a, const curve_particles *b);

/** Compares particles in the order of the curve, and their cuts, with those of plain loops; checks that each cell of
 * a coarse grid touches the next one on a Hilbert curve. @return as curve_compare */
int curve_check(const curve_particles *p, const uint64_t *cuts, int ranks, uint32_t is_morton);

#endif
