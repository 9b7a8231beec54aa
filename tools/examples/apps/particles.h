/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file particles.h
 * @brief Particles of a particle-in-cell code, and the plain loops that put them in the order of their cells.
 *
 * A particle is seven numbers, each in an array of its own. Cells are those of a cubic grid, of edge 1, numbered along
 * x first. What is checked is the order, too: within a cell particles stay in theirs.
 */
#ifndef SCANRT_EXAMPLE_PARTICLES_H
#define SCANRT_EXAMPLE_PARTICLES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PARTICLE_X, PARTICLE_Y, PARTICLE_Z, PARTICLE_UX, PARTICLE_UY, PARTICLE_UZ, PARTICLE_W, PARTICLE_ARRAYS };

typedef struct particles {
  float *of[PARTICLE_ARRAYS]; /**< `count` each; x, y and z from 0 to `side`. */
  uint32_t count;
  uint32_t side;  /**< Cells along an edge of the grid. */
  uint32_t cells; /**< side^3 */
} particles;

/** Where each cell's particles are. */
typedef struct bins {
  uint32_t *order;  /**< The particles, cell by cell. */
  uint32_t *offset; /**< cells + 1: where in `order` each cell begins. */
} bins;

/** What the programs are asked for. */
typedef struct particles_options {
  uint64_t count;
  uint64_t in_cell;  /**< Particles a cell, on average. */
  uint64_t moved;    /**< 1: as they lie some steps after they were in order; 0: at random. */
  uint64_t baseline; /**< 1: the plain loop is timed, too. */
  uint64_t rounds;   /**< Times that each step is timed. */
} particles_options;

/** [--particles N] [--in-cell N] [--moved] [--baseline] [--rounds N]. @return 0, or -1 with words */
int particles_parse(int argc, char **argv, particles_options *options);

/** Makes them, and says which they are. @param[out] made  free with particles_free. @return 0 or -1, with words */
int particles_make(const particles_options *options, particles *made);

/** Memory for as many, in as many cells. @return as particles_make */
int particles_alloc(uint32_t count, uint32_t side, particles *made);

void particles_free(particles *p);

/** Bits that the cells' numbers have. */
uint32_t particles_cell_bits(const particles *p);

/** @param[out] made  free with bins_free. @return 0 or -1, with words */
int bins_alloc(const particles *p, bins *made);

void bins_free(bins *b);

/** The plain loop: counts, adds up, and puts each particle into the next place of its cell. @param to  of bins_alloc */
void bins_of_particles(const particles *p, bins *to);

/** The same, but the particles are moved. @param to  of particles_alloc. @param offset  cells + 1 */
void particles_move(const particles *from, particles *to, uint32_t *offset);

/** @return 0, or -1 after saying which cell begins elsewhere */
int bins_compare_offsets(const particles *p, const uint32_t *got, const uint32_t *want);

/** Whether `order` has each particle once, in its cell's place, in whatever order there. @return 0 or -1, with words */
int bins_check_order(const particles *p, const uint32_t *order, const uint32_t *offset);

/** Compares one array with what `order` makes of it. @return 0, or -1 after saying where they differ */
int particles_compare(const particles *p, int array, const uint32_t *order, const float *got);

/** Bytes that the way from particles to sorted ones reads and writes at least. */
double particles_bytes(const particles *p);

#ifdef __cplusplus
}
#endif
#endif
