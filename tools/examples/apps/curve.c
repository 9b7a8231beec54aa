/* SPDX-License-Identifier: BSD-2-Clause */
#include "curve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint32_t curve_bytes[CURVE_ARRAYS] = { 8, 4, 4, 4, 4 };

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* The Hilbert curve by J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004: bit by bit
 * from the highest on, the axes of the cells below are exchanged or reversed; then the bits are a Gray code. */
APP_KERNELS(
    text,
    APP_FUNCTION uint32_t cell_of(float x) {
      const int32_t cell = (int32_t)(x * 2097152.0f);
      return cell < 0 ? 0u : cell > 2097151 ? 2097151u : (uint32_t)cell;
    }

    /* Puts two zero bits before each of 21 bits. */
    APP_FUNCTION uint64_t spread(uint64_t bits) {
      bits = (bits | bits << 32) & 0x1f00000000ffff;
      bits = (bits | bits << 16) & 0x1f0000ff0000ff;
      bits = (bits | bits << 8) & 0x100f00f00f00f00f;
      bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
      return (bits | bits << 2) & 0x1249249249249249;
    }

    APP_FUNCTION uint64_t key_of(uint32_t x, uint32_t y, uint32_t z, uint32_t is_morton) {
      uint32_t flip = 0u;
      for (uint32_t bit = 1048576u; is_morton == 0u && bit > 1u; bit >>= 1) {
        const uint32_t below = bit - 1u;
        if ((x & bit) != 0u) x ^= below;
        const uint32_t xy = (y & bit) != 0u ? 0u : (x ^ y) & below;
        x ^= (y & bit) != 0u ? below : xy;
        y ^= xy;
        const uint32_t xz = (z & bit) != 0u ? 0u : (x ^ z) & below;
        x ^= (z & bit) != 0u ? below : xz;
        z ^= xz;
      }
      if (is_morton == 0u) {
        y ^= x;
        z ^= y;
        for (uint32_t bit = 1048576u; bit > 1u; bit >>= 1)
          if ((z & bit) != 0u) flip ^= bit - 1u;
      }
      return spread(x ^ flip) << 2 | spread(y ^ flip) << 1 | spread(z ^ flip);
    }

    APP_KERNEL void find_keys(APP_GLOBAL uint64_t *key, APP_GLOBAL const float *x, APP_GLOBAL const float *y,
                              APP_GLOBAL const float *z, uint32_t count, uint32_t is_morton) {
      for (uint32_t i = APP_ITEM; i < count; i += APP_ITEMS)
        key[i] = key_of(cell_of(x[i]), cell_of(y[i]), cell_of(z[i]), is_morton);
    }

    APP_KERNEL void find_cuts(APP_GLOBAL const uint64_t *before, APP_GLOBAL const uint64_t *total,
                              APP_GLOBAL uint64_t *cuts, uint32_t count, uint32_t ranks) {
      for (uint64_t k = APP_ITEM; k <= ranks; k += APP_ITEMS) {
        const uint64_t weight = total[0] / ranks * k + total[0] % ranks * k / ranks;
        uint64_t low = 0u;
        uint64_t high = count;
        while (low < high) {
          const uint64_t middle = (low + high) / 2u;
          if (before[middle] < weight)
            low = middle + 1u;
          else
            high = middle;
        }
        cuts[k] = low;
      }
    });

static void find_keys_on_host(void *const *a) {
  find_keys(a[0], a[1], a[2], a[3], *(uint32_t *)a[4], *(uint32_t *)a[5]);
}

static void find_cuts_on_host(void *const *a) { find_cuts(a[0], a[1], a[2], *(uint32_t *)a[3], *(uint32_t *)a[4]); }

enum { FIND_KEYS, FIND_CUTS, KERNELS };
static const app_kernel kernel_list[KERNELS] = { { "find_keys", find_keys_on_host },
                                                 { "find_cuts", find_cuts_on_host } };

int curve_kernels(scan_ctx *ctx, app_kernels **made) {
  return app_kernels_create(ctx, text, kernel_list, KERNELS, made);
}

int curve_find_keys(app_kernels *kernels, const scan_mem of[CURVE_ARRAYS], uint64_t count, uint32_t is_morton) {
  const app_argument arguments[] = { { .memory = of[CURVE_KEY] },   { .memory = of[CURVE_X] },
                                     { .memory = of[CURVE_Y] },     { .memory = of[CURVE_Z] },
                                     { .number = (uint32_t)count }, { .number = is_morton } };
  return count == 0 ? 0 : app_kernels_launch(kernels, FIND_KEYS, count, arguments, 6);
}

int curve_find_cuts(app_kernels *kernels, scan_mem before, scan_mem total, scan_mem cuts, uint64_t count,
                    uint32_t ranks) {
  const app_argument arguments[] = {
    { .memory = before }, { .memory = total }, { .memory = cuts }, { .number = (uint32_t)count }, { .number = ranks }
  };
  return app_kernels_launch(kernels, FIND_CUTS, (uint64_t)ranks + 1, arguments, 5);
}

/* ---- particles --------------------------------------------------------------------------------------------------- */

int curve_alloc(uint64_t count, curve_particles *made) {
  int is_made = 1;
  *made = (curve_particles){ .count = count };
  for (int a = 0; a < CURVE_ARRAYS; a++) {
    made->of[a] = calloc((size_t)count + 1, curve_bytes[a]);
    is_made &= made->of[a] != NULL;
  }
  if (is_made) return 0;
  fprintf(stderr, "no memory for %" PRIu64 " particles\n", count);
  curve_free(made);
  return -1;
}

void curve_free(curve_particles *p) {
  for (int a = 0; a < CURVE_ARRAYS; a++) free(p->of[a]);
  *p = (curve_particles){ 0 };
}

/* Returns random bits that depend on the number alone (splitmix64). */
static uint64_t random_of(uint64_t number) {
  uint64_t z = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Returns a number from 0 to 1 of 16 of the bits. */
static float part_of(uint64_t bits, int which) { return (float)(bits >> (16 * which) & 0xffff) / 65536.0f; }

int curve_make(uint64_t first, uint64_t count, curve_particles *made) {
  if (curve_alloc(count, made) != 0) return -1;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t number = 4 * (first + i), shape = random_of(number), clump = shape & 7;
    for (int a = CURVE_X; a <= CURVE_Z; a++) {
      const uint64_t bits = random_of(number + (uint64_t)a), middle = random_of(clump ^ (uint64_t)a << 60);
      const float x = part_of(bits, 0) + part_of(bits, 1) + part_of(bits, 2) + part_of(bits, 3) / 65536.0f;
      ((float *)made->of[a])[i] = 0.2f + 0.6f * part_of(middle, 0) + 0.1f * (x - 1.5f);
    }
    /* The particles of a clump cost up to 16 times as much as others. */
    ((uint32_t *)made->of[CURVE_WEIGHT])[i] = (uint32_t)((1 + (shape >> 8) % 8) * (clump == 0 ? 16 : 1));
  }
  return 0;
}

uint64_t curve_weight(const curve_particles *p) {
  const uint32_t *weights = p->of[CURVE_WEIGHT];
  uint64_t sum = 0;
  for (uint64_t i = 0; i < p->count; i++) sum += weights[i];
  return sum;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

int curve_compare(const curve_particles *a, const curve_particles *b) {
  for (int k = 0; k < CURVE_ARRAYS; k++)
    if (a->count != b->count || memcmp(a->of[k], b->of[k], (size_t)a->count * curve_bytes[k]) != 0) {
      fprintf(stderr, "array %d of the particles is another one\n", k);
      return -1;
    }
  return 0;
}

typedef struct place {
  uint64_t key, index;
} place;

static int compare_places(const void *a, const void *b) {
  const place *x = a, *y = b;
  return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->index > y->index) - (x->index < y->index);
}

/* Sorts all particles by a plain sort, and compares. */
static int check_order(const curve_particles *p, uint32_t is_morton) {
  curve_particles from, sorted;
  place *places = malloc((size_t)p->count * sizeof *places);
  if (!places || curve_make(0, p->count, &from) != 0) exit(EXIT_FAILURE);
  if (curve_alloc(p->count, &sorted) != 0) exit(EXIT_FAILURE);
  const float *x = from.of[CURVE_X], *y = from.of[CURVE_Y], *z = from.of[CURVE_Z];
  for (uint64_t i = 0; i < p->count; i++)
    places[i] = (place){ key_of(cell_of(x[i]), cell_of(y[i]), cell_of(z[i]), is_morton), i };
  qsort(places, (size_t)p->count, sizeof *places, compare_places);
  for (uint64_t i = 0; i < p->count; i++) {
    for (int a = 1; a < CURVE_ARRAYS; a++) /* arrays of 4 bytes an element */
      ((uint32_t *)sorted.of[a])[i] = ((const uint32_t *)from.of[a])[places[i].index];
    ((uint64_t *)sorted.of[CURVE_KEY])[i] = places[i].key;
  }
  const int rc = curve_compare(p, &sorted);
  free(places);
  curve_free(&from);
  curve_free(&sorted);
  return rc;
}

/* A particle belongs to the piece in which its weight begins. */
static int check_cuts(const curve_particles *p, const uint64_t *cuts, int ranks) {
  const uint32_t *weights = p->of[CURVE_WEIGHT];
  const uint64_t sum = curve_weight(p), pieces = (uint64_t)ranks;
  uint64_t before = 0;
  int piece = 0, is_right = cuts[0] == 0 && cuts[ranks] == p->count;
  for (uint64_t i = 0; i < p->count; before += weights[i++]) {
    while (piece + 1 < ranks &&
           before >= sum / pieces * (uint64_t)(piece + 1) + sum % pieces * (uint64_t)(piece + 1) / pieces)
      piece++;
    is_right &= cuts[piece] <= i && i < cuts[piece + 1];
  }
  if (!is_right) fprintf(stderr, "the cuts are not those of equal weights\n");
  return is_right ? 0 : -1;
}

/* Checks that cells of a coarse grid follow each other along the curve by one step. */
static int check_steps(void) {
  enum { SIDE_BITS = 4, SIDE = 1 << SIDE_BITS, CELLS = SIDE * SIDE * SIDE };
  place places[CELLS];
  for (uint64_t c = 0; c < CELLS; c++) {
    const uint32_t x = (uint32_t)c % SIDE, y = (uint32_t)c / SIDE % SIDE, z = (uint32_t)c / SIDE / SIDE;
    const uint32_t unit = 1u << (CURVE_BITS - SIDE_BITS);
    places[c] = (place){ key_of(x * unit, y * unit, z * unit, 0), c };
  }
  qsort(places, CELLS, sizeof *places, compare_places);
  for (int c = 1; c < CELLS; c++) {
    int steps = 0;
    for (uint64_t unit = 1; unit < CELLS; unit *= SIDE)
      steps += abs((int)(places[c].index / unit % SIDE) - (int)(places[c - 1].index / unit % SIDE));
    if (steps == 1) continue;
    fprintf(stderr, "cell %d of the curve does not touch the one before\n", c);
    return -1;
  }
  return 0;
}

int curve_check(const curve_particles *p, const uint64_t *cuts, int ranks, uint32_t is_morton) {
  if (check_order(p, is_morton) != 0 || check_cuts(p, cuts, ranks) != 0) return -1;
  return is_morton ? 0 : check_steps();
}
