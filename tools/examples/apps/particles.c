/* SPDX-License-Identifier: BSD-2-Clause */
#include "particles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

enum { DEFAULT_COUNT = 1000000, DEFAULT_IN_CELL = 8, DEFAULT_ROUNDS = 5, MOST_SIDE = 1024 };

/* ---- options ----------------------------------------------------------------------------------------------------- */

int particles_parse(int argc, char **argv, particles_options *options) {
  *options = (particles_options){ .count = DEFAULT_COUNT, .in_cell = DEFAULT_IN_CELL, .rounds = DEFAULT_ROUNDS };
  const figures_option all[] = {
    { "--particles", &options->count, 1, INT32_MAX },         { "--in-cell", &options->in_cell, 1, INT32_MAX },
    { "--rounds", &options->rounds, 1, FIGURES_MOST_ROUNDS }, { .name = "--moved", .value = &options->moved },
    { .name = "--baseline", .value = &options->baseline },    { .name = NULL }
  };
  return figures_parse(argc, argv, "[--particles N] [--in-cell N] [--moved] [--baseline] [--rounds N]", all, NULL);
}

/* ---- particles --------------------------------------------------------------------------------------------------- */

int particles_alloc(uint32_t count, uint32_t side, particles *made) {
  int is_there = 1;
  *made = (particles){ .count = count, .side = side, .cells = side * side * side };
  for (int a = 0; a < PARTICLE_ARRAYS; a++) {
    made->of[a] = malloc(count * sizeof *made->of[a]);
    is_there = is_there && made->of[a];
  }
  if (is_there) return 0;
  fprintf(stderr, "no memory for %" PRIu32 " particles\n", count);
  particles_free(made);
  return -1;
}

void particles_free(particles *p) {
  for (int a = 0; a < PARTICLE_ARRAYS; a++) free(p->of[a]);
  *p = (particles){ 0 };
}

/* Returns a number from 0 to 1, the same in each run. */
static float random_of(uint32_t i, uint32_t array) {
  uint64_t z = ((uint64_t)i * PARTICLE_ARRAYS + array + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (float)(z >> 40) * 0x1p-24f;
}

/* Returns a coordinate up to half a cell outside the cell where the particle was; the grid is periodic. */
static float place_near(uint32_t cell, float random, uint32_t side) {
  const float edge = (float)side, place = (float)cell + 2 * random - 0.5f;
  if (place < 0) return place + edge;
  return place < edge ? place : place - edge;
}

static void make_particle(particles *p, uint32_t i, const particles_options *o) {
  const uint32_t side = p->side, was_in = (uint32_t)((i / o->in_cell) % p->cells);
  const uint32_t was[] = { was_in % side, was_in / side % side, was_in / side / side };
  for (uint32_t a = 0; a < PARTICLE_ARRAYS; a++) {
    const float random = random_of(i, a);
    p->of[a][i] = random;
    if (a <= PARTICLE_Z) p->of[a][i] = o->moved ? place_near(was[a], random, side) : random * (float)side;
  }
}

int particles_make(const particles_options *options, particles *made) {
  uint32_t side = 1;
  while (side < MOST_SIDE && (uint64_t)(side + 1) * (side + 1) * (side + 1) * options->in_cell <= options->count)
    side++;
  if (particles_alloc((uint32_t)options->count, side, made) != 0) return -1;
  for (uint32_t i = 0; i < made->count; i++) make_particle(made, i, options);
  printf("%" PRIu32 " particles in %" PRIu32 "^3 cells, %s\n", made->count, side,
         options->moved ? "moved since they were in order" : "in a random order");
  return 0;
}

uint32_t particles_cell_bits(const particles *p) {
  uint32_t bits = 1;
  while (bits < 32 && (p->cells - 1) >> bits != 0) bits++;
  return bits;
}

double particles_bytes(const particles *p) {
  return 2.0 * PARTICLE_ARRAYS * sizeof(float) * p->count + 4 * ((double)p->cells + 1);
}

/* ---- plain loops ------------------------------------------------------------------------------------------------- */

static uint32_t along(float place, uint32_t side) {
  const uint32_t cell = (uint32_t)place;
  return cell < side ? cell : side - 1;
}

static uint32_t cell_of(const particles *p, uint32_t i) {
  const uint32_t side = p->side, x = along(p->of[PARTICLE_X][i], side), y = along(p->of[PARTICLE_Y][i], side);
  return (along(p->of[PARTICLE_Z][i], side) * side + y) * side + x;
}

/* Sets offset[c + 1] to the begin of cell c. Each particle placed there advances it, so that it ends as the end of
 * c. */
static void begin_cells(const particles *p, uint32_t *offset) {
  memset(offset, 0, ((size_t)p->cells + 1) * sizeof *offset);
  for (uint32_t i = 0; i < p->count; i++) offset[cell_of(p, i) + 1]++;
  for (uint32_t c = 0, sum = 0; c < p->cells; c++) {
    const uint32_t count = offset[c + 1];
    offset[c + 1] = sum;
    sum += count;
  }
}

void bins_of_particles(const particles *p, bins *to) {
  begin_cells(p, to->offset);
  for (uint32_t i = 0; i < p->count; i++) to->order[to->offset[cell_of(p, i) + 1]++] = i;
}

void particles_move(const particles *from, particles *to, uint32_t *offset) {
  begin_cells(from, offset);
  for (uint32_t i = 0; i < from->count; i++) {
    const uint32_t at = offset[cell_of(from, i) + 1]++;
    for (int a = 0; a < PARTICLE_ARRAYS; a++) to->of[a][at] = from->of[a][i];
  }
}

int bins_alloc(const particles *p, bins *made) {
  made->order = malloc(p->count * sizeof *made->order);
  made->offset = malloc(((size_t)p->cells + 1) * sizeof *made->offset);
  if (made->order && made->offset) return 0;
  fprintf(stderr, "no memory for %" PRIu32 " cells\n", p->cells);
  bins_free(made);
  return -1;
}

void bins_free(bins *b) {
  free(b->order);
  free(b->offset);
  *b = (bins){ 0 };
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

int bins_compare_offsets(const particles *p, const uint32_t *got, const uint32_t *want) {
  for (uint64_t c = 0; c <= p->cells; c++)
    if (got[c] != want[c]) {
      fprintf(stderr, "cell %" PRIu64 " begins at %" PRIu32 ", expected %" PRIu32 "\n", c, got[c], want[c]);
      return -1;
    }
  return 0;
}

int bins_check_order(const particles *p, const uint32_t *order, const uint32_t *offset) {
  unsigned char *seen = calloc(p->count, 1);
  uint32_t i = 0;
  for (uint32_t cell = 0; seen && i < p->count; i++) {
    while (offset[cell + 1] <= i) cell++;
    if (order[i] >= p->count || seen[order[i]] || cell_of(p, order[i]) != cell) break;
    seen[order[i]] = 1;
  }
  if (!seen) fprintf(stderr, "no memory for %" PRIu32 " particles\n", p->count);
  if (seen && i < p->count) fprintf(stderr, "particle %" PRIu32 " is in the wrong place\n", i);
  const int is_right = seen && i == p->count;
  free(seen);
  return is_right ? 0 : -1;
}

int particles_compare(const particles *p, int array, const uint32_t *order, const float *got) {
  for (uint32_t i = 0; i < p->count; i++)
    if (got[i] != p->of[array][order[i]]) {
      fprintf(stderr, "array %d, particle %" PRIu32 ": %g, expected %g\n", array, i, got[i], p->of[array][order[i]]);
      return -1;
    }
  return 0;
}
