/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file particles.h
 * @brief Particles of a particle-in-cell code, and the plain loops that sort them by cell.
 *
 * A particle is seven numbers, each in an array of its own. Cells form a cubic grid with cells of edge 1, numbered
 * along x first. The checks include the order: within a cell particles stay in theirs.
 */
#ifndef SCANRT_EXAMPLE_PARTICLES_H
#define SCANRT_EXAMPLE_PARTICLES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PARTICLE_X, PARTICLE_Y, PARTICLE_Z, PARTICLE_UX, PARTICLE_UY, PARTICLE_UZ, PARTICLE_W, PARTICLE_ARRAYS };

typedef struct particles {
  float *of[PARTICLE_ARRAYS]; /**< Arrays of `count` numbers. x, y and z are from 0 to `side`. */
  uint32_t count;
  uint32_t side;  /**< Cells along an edge of the grid. */
  uint32_t cells; /**< side^3 */
} particles;

/** Particles by cell. */
typedef struct bins {
  uint32_t *order;  /**< The particles, cell by cell. */
  uint32_t *offset; /**< cells + 1: the begin of each cell in `order`. */
} bins;

/** The parsed command line. */
typedef struct particles_options {
  uint64_t count;
  uint64_t in_cell;  /**< Average particles in a cell. */
  uint64_t moved;    /**< 1: particles as some steps after a sort; 0: at random. */
  uint64_t baseline; /**< 1: times the plain loop, too. */
  uint64_t rounds;   /**< Rounds in which each step is timed. */
} particles_options;

/** Parses [--particles N] [--in-cell N] [--moved] [--baseline] [--rounds N]. @return 0, or -1 after reporting the
 * fault */
int particles_parse(int argc, char **argv, particles_options *options);

/** Makes particles and prints their description. @param[out] made  free with particles_free. @return 0, or -1 after
 * reporting the fault */
int particles_make(const particles_options *options, particles *made);

/** Allocates particles in a grid of side^3 cells. @return as particles_make */
int particles_alloc(uint32_t count, uint32_t side, particles *made);

void particles_free(particles *p);

/** Returns the bits that cell numbers need. */
uint32_t particles_cell_bits(const particles *p);

/** Allocates bins. @param[out] made  free with bins_free. @return 0, or -1 after reporting the fault */
int bins_alloc(const particles *p, bins *made);

void bins_free(bins *b);

/** Sorts with a plain loop: counts, adds up, and puts each particle into the next place of its cell. @param to  of
 * bins_alloc */
void bins_of_particles(const particles *p, bins *to);

/** Sorts with a plain loop that moves the particles. @param to  of particles_alloc. @param offset  cells + 1 */
void particles_move(const particles *from, particles *to, uint32_t *offset);

/** Compares offsets. @return 0, or -1 after reporting a cell that differs */
int bins_compare_offsets(const particles *p, const uint32_t *got, const uint32_t *want);

/** Checks that `order` has each particle once, in its cell, in any order within cells. @return 0, or -1 after
 * reporting the fault */
int bins_check_order(const particles *p, const uint32_t *order, const uint32_t *offset);

/** Compares one array with its values in the order `order`. @return 0, or -1 after reporting a difference */
int particles_compare(const particles *p, int array, const uint32_t *order, const float *got);

/** Returns the least number of bytes that a sort of the particles reads and writes. */
double particles_bytes(const particles *p);

#ifdef __cplusplus
}
#endif
#endif
