/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cubes.h @brief Marching cubes: the table of cases, a field, and the plain loop. */
#ifndef SCANRT_EXAMPLE_CUBES_H
#define SCANRT_EXAMPLE_CUBES_H

#include <stdint.h>

/** Cells of a tile, and the cells of one word of signs: the order of triangles is that of tiles, then layers of
 * CUBES_LAYERS, y, words, z and x. */
enum { CUBES_X = 128, CUBES_Y = 8, CUBES_Z = 16, CUBES_WORD = 16, CUBES_LAYERS = 4 };

/** Row of a case: 3 edges a triangle, and their number in the last byte. Bit i of a case says that corner (i & 1,
 * i >> 1 & 1, i >> 2) is negative. Edge 4 axis + k goes along the axis from the k-th corner without that axis' bit. */
typedef struct cubes_case {
  uint8_t edge[15], triangles;
} cubes_case;

enum { CUBES_CASES = 256 };

/** Makes the table: it cuts off negative corners on each face, joins these cuts to loops, and makes fans of loops. */
void cubes_make_table(cubes_case table[CUBES_CASES]);

/** A field of n x n x n samples, x fastest. */
typedef struct cubes_field {
  uint32_t n;
  float *sample;
} cubes_field;

/** Makes a gyroid of parabolas with a period of `period` samples. @return 0, or -1 without memory */
int cubes_make_field(uint32_t n, uint32_t period, cubes_field *made);

/** Makes the triangles of the surface 0 in the order of tiles. @param vertices  9 numbers a triangle, or NULL. @return
 * the number of triangles */
uint64_t cubes_plain(const cubes_field *f, const cubes_case table[CUBES_CASES], float *vertices);

/** The number of tiles. */
uint32_t cubes_tiles(uint32_t n);

#endif
