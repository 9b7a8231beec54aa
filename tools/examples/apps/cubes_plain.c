/* SPDX-License-Identifier: BSD-2-Clause */
#include "cubes.h"

#include <stdlib.h>

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The edge between two corners, which differ in one bit. */
static int edge_between(int a, int b) {
  const int bit = a ^ b, axis = bit >> 1, from = a & b;
  const int below = from & (bit - 1);
  return axis * 4 + (below | (from - below) >> 1);
}

/* Corner k of a face, counterclockwise from outside: the face of the axis where that coordinate is `side`. */
static int face_corner(int axis, int side, int k) {
  const int first = (axis + 1) % 3, second = (axis + 2) % 3;
  const int turned = side ? k : 3 - k;
  return side << axis | (turned == 1 || turned == 2) << first | (turned >= 2) << second;
}

/* Notes the cuts of a face: a run of negative corners is cut off from the edge behind it to the edge before it. */
static void cut_face(int which, int axis, int side, int next[12]) {
  int corner[4];
  for (int k = 0; k < 4; k++) corner[k] = face_corner(axis, side, k);
  for (int k = 0; k < 4; k++) {
    int first = k;
    if (!(which >> corner[k] & 1) || which >> corner[(k + 1) % 4] & 1) continue; /* the last corner of a run */
    while (which >> corner[(first + 3) % 4] & 1) first = (first + 3) % 4;
    next[edge_between(corner[k], corner[(k + 1) % 4])] = edge_between(corner[(first + 3) % 4], corner[first]);
  }
}

static void make_case(int which, cubes_case *c) {
  int next[12], used = 0;
  for (int e = 0; e < 12; e++) next[e] = -1;
  for (int face = 0; face < 6; face++) cut_face(which, face / 2, face % 2, next);
  *c = (cubes_case){ .triangles = 0 };
  for (int e = 0; e < 12; e++) {
    if (next[e] < 0 || used >> e & 1) continue;
    used |= 1 << e;
    for (int at = next[e]; at != e; at = next[at]) {
      used |= 1 << at;
      if (next[at] == e) break;
      uint8_t *const edge = &c->edge[3 * c->triangles++];
      edge[0] = (uint8_t)e;
      edge[1] = (uint8_t)next[at]; /* counterclockwise from the positive side */
      edge[2] = (uint8_t)at;
    }
  }
}

void cubes_make_table(cubes_case table[CUBES_CASES]) {
  for (int which = 0; which < CUBES_CASES; which++) make_case(which, &table[which]);
}

/* ---- a field ----------------------------------------------------------------------------------------------------- */

/* A sine's shape by two parabolas, of period 1. */
static float wave(float x) {
  x -= (float)(int)x;
  x = 2 * x - 1;
  return -4 * x * (1 - (x < 0 ? -x : x));
}

int cubes_make_field(uint32_t n, uint32_t period, cubes_field *made) {
  float *const sine = malloc(2 * (size_t)n * sizeof *sine), *const cosine = sine + n;
  *made = (cubes_field){ n, malloc((size_t)n * n * n * sizeof(float)) };
  if (sine && made->sample) {
    for (uint32_t i = 0; i < n; i++) {
      sine[i] = wave((float)i / (float)period);
      cosine[i] = wave((float)i / (float)period + 0.25f);
    }
    float *to = made->sample;
    for (uint32_t z = 0; z < n; z++)
      for (uint32_t y = 0; y < n; y++)
        for (uint32_t x = 0; x < n; x++) *to++ = sine[x] * cosine[y] + sine[y] * cosine[z] + sine[z] * cosine[x];
  }
  free(sine);
  return sine && made->sample ? 0 : -1;
}

/* ---- the plain loop ---------------------------------------------------------------------------------------------- */

typedef struct walk {
  const cubes_field *f;
  const cubes_case *table;
  float *vertices;
  uint64_t triangles;
} walk;

static void put_vertex(const walk *w, uint32_t x, uint32_t y, uint32_t z, int edge, float *to) {
  const uint32_t n = w->f->n, axis = (uint32_t)edge / 4, rest = (uint32_t)edge % 4;
  const uint32_t below = rest & ((1u << axis) - 1), from = below | (rest - below) << 1;
  const size_t step[] = { 1, n, (size_t)n * n };
  x += from & 1;
  y += from >> 1 & 1;
  z += from >> 2;
  const float *const a = w->f->sample + ((size_t)z * n + y) * n + x;
  to[0] = (float)x;
  to[1] = (float)y;
  to[2] = (float)z;
  to[axis] += a[0] / (a[0] - a[step[axis]]);
}

static void walk_cell(walk *w, uint32_t x, uint32_t y, uint32_t z) {
  const size_t n = w->f->n;
  const float *const at = w->f->sample + (z * n + y) * n + x;
  const unsigned which =
      (unsigned)((at[0] < 0) | (at[1] < 0) << 1 | (at[n] < 0) << 2 | (at[n + 1] < 0) << 3 | (at[n * n] < 0) << 4 |
                 (at[n * n + 1] < 0) << 5 | (at[n * n + n] < 0) << 6 | (at[n * n + n + 1] < 0) << 7);
  const cubes_case *const c = &w->table[which];
  for (int k = 0; w->vertices && k < 3 * c->triangles; k++)
    put_vertex(w, x, y, z, c->edge[k], w->vertices + 9 * w->triangles + 3 * k);
  w->triangles += c->triangles;
}

/* The cells of a tile that are in the field, in the order in which work-items have them. */
static void walk_tile(walk *w, uint32_t x0, uint32_t y0, uint32_t z0) {
  const uint32_t last = w->f->n - 1;
  for (uint32_t layer = z0; layer < z0 + CUBES_Z; layer += CUBES_LAYERS)
    for (uint32_t y = y0; y < y0 + CUBES_Y && y < last; y++)
      for (uint32_t word = x0; word < x0 + CUBES_X; word += CUBES_WORD)
        for (uint32_t z = layer; z < layer + CUBES_LAYERS && z < last; z++)
          for (uint32_t x = word; x < word + CUBES_WORD && x < last; x++) walk_cell(w, x, y, z);
}

uint64_t cubes_plain(const cubes_field *f, const cubes_case table[CUBES_CASES], float *vertices) {
  walk w = { f, table, vertices, 0 };
  for (uint32_t z = 0; z < f->n - 1; z += CUBES_Z)
    for (uint32_t y = 0; y < f->n - 1; y += CUBES_Y)
      for (uint32_t x = 0; x < f->n - 1; x += CUBES_X) walk_tile(&w, x, y, z);
  return w.triangles;
}

uint32_t cubes_tiles(uint32_t n) {
  const uint32_t cells = n - 1;
  return ((cells + CUBES_X - 1) / CUBES_X) * ((cells + CUBES_Y - 1) / CUBES_Y) * ((cells + CUBES_Z - 1) / CUBES_Z);
}
