/* SPDX-License-Identifier: BSD-2-Clause */
/* Marching cubes: a kernel that makes the triangles of a field's isosurface 0 in one launch, and two that count and
 * write. CUDA C++ and OpenCL C, behind the words of kernels.h, the CUBES_* of cubes.h and scanrt/device/lookback.h.
 *
 * A work-group takes a tile of cells. It reads the tile's samples once and keeps their signs in local memory: four in a
 * byte. A work-item takes words of 16 cells, one above the other. Triangles are staged in local memory, so that all
 * work-items make vertices, whichever found the triangles, and vertices, so that neighbours write neighbours. */

/* Rows of samples along x; words of a row, of which the last holds the sample behind the tile. */
#define CUBES_ROWS ((CUBES_Y + 1) * (CUBES_Z + 1))
#define CUBES_WORDS (CUBES_X / 16)
#define CUBES_PITCH (CUBES_WORDS + 1)
#define CUBES_VECTORS (CUBES_X / 4)
#define CUBES_LAYERS (CUBES_WORDS * CUBES_Y * CUBES_Z / SCANRT_GROUP_ITEMS)
#define CUBES_REST (CUBES_Z / CUBES_Y + 1)
#define CUBES_BATCH 4
#define CUBES_STAGE 2048
#define CUBES_CHUNK 1024
#if SCANRT_GROUP_ITEMS != CUBES_VECTORS * CUBES_Y || CUBES_ROWS > SCANRT_GROUP_ITEMS || CUBES_Z % CUBES_BATCH != 0
#error "a work-item is for a vector of each layer"
#endif

typedef scanrt_device_u32 u32;
typedef SCANRT_GLOBAL const float *cubes_field;
typedef SCANRT_GLOBAL const unsigned char *cubes_table;

typedef struct cubes_local {
  scanrt_scratch scratch;
  u32 signs[CUBES_ROWS * CUBES_PITCH];
  u32 stage[CUBES_STAGE]; /* a triangle: its cell in the tile, the case from bit 16 on, its number from bit 24 on */
  float vertex[3 * CUBES_CHUNK];
  unsigned char triangles[256];
} cubes_local;

/* A tile's first cell. */
typedef struct cubes_tile {
  u32 x, y, z;
} cubes_tile;

SCANRT_FUNC cubes_tile cubes_tile_of(u32 n, u32 number) {
  const u32 nx = (n - 1 + CUBES_X - 1) / CUBES_X, ny = (n - 1 + CUBES_Y - 1) / CUBES_Y;
  cubes_tile t;
  t.x = number % nx * CUBES_X;
  t.y = number / nx % ny * CUBES_Y;
  t.z = number / nx / ny * CUBES_Z;
  return t;
}

/* The index of sample (x, y, z). Samples behind the field, which no cell has, are others in their place. */
SCANRT_FUNC u32 cubes_at(u32 n, u32 x, u32 y, u32 z) {
  return ((z < n ? z : n - 1) * n + (y < n ? y : n - 1)) * n + (x < n ? x : 0);
}

/* Puts the signs of a vector of samples to local memory. */
SCANRT_FUNC void cubes_put_signs(SCANRT_LOCAL cubes_local *l, u32 y, u32 z, u32 column, float4 v) {
  SCANRT_LOCAL unsigned char *const signs = (SCANRT_LOCAL unsigned char *)l->signs;
  signs[(z * (CUBES_Y + 1) + y) * CUBES_PITCH * 4 + column] =
      (unsigned char)((u32)(v.x < 0) | (u32)(v.y < 0) << 1 | (u32)(v.z < 0) << 2 | (u32)(v.w < 0) << 3);
}

/* Puts the signs of the tile's samples to local memory, and the number of triangles of each case. A work-item reads a
 * column of CUBES_Z + 1 vectors, a part of the rows behind the tile's y, and one sample behind its x. */
SCANRT_FUNC void cubes_load(cubes_field field, u32 n, cubes_table table, cubes_tile t, SCANRT_LOCAL cubes_local *l) {
  SCANRT_GLOBAL const float4 *const vectors = (SCANRT_GLOBAL const float4 *)field;
  const u32 item = SCANRT_ITEM(), column = item % CUBES_VECTORS, y = item / CUBES_VECTORS;
  const u32 x = t.x + column * 4, edge = item < CUBES_ROWS ? item : 0;
  const u32 behind = field[cubes_at(n, t.x + CUBES_X, t.y + edge % (CUBES_Y + 1), t.z + edge / (CUBES_Y + 1))] < 0;
  u32 at = cubes_at(n, x, t.y + y, t.z) / 4;
  for (u32 z = 0; z < CUBES_Z; z += CUBES_BATCH) {
    float4 v[CUBES_BATCH];
    SCANRT_UNROLL
    for (u32 b = 0; b < CUBES_BATCH; b++) {
      v[b] = vectors[at];
      at += t.z + z + b + 1 < n ? n * n / 4 : 0;
    }
    SCANRT_UNROLL
    for (u32 b = 0; b < CUBES_BATCH; b++) cubes_put_signs(l, y, z + b, column, v[b]);
  }
  float4 last[CUBES_REST + 1];
  last[CUBES_REST] = vectors[at];
  SCANRT_UNROLL
  for (u32 b = 0; b < CUBES_REST; b++) last[b] = vectors[cubes_at(n, x, t.y + CUBES_Y, t.z + y + b * CUBES_Y) / 4];
  SCANRT_UNROLL
  for (u32 b = 0; b < CUBES_REST; b++)
    if (y + b * CUBES_Y <= CUBES_Z) cubes_put_signs(l, CUBES_Y, y + b * CUBES_Y, column, last[b]);
  cubes_put_signs(l, y, CUBES_Z, column, last[CUBES_REST]);
  if (item < CUBES_ROWS) l->signs[item * CUBES_PITCH + CUBES_WORDS] = behind;
  for (u32 k = item; k < 256; k += SCANRT_GROUP_ITEMS) l->triangles[k] = table[k * 16 + 15];
  SCANRT_BARRIER();
}

/* The signs of 17 samples of a row: those of a word's cells and one more. */
SCANRT_FUNC u32 cubes_row(SCANRT_LOCAL const cubes_local *l, u32 y, u32 z, u32 word) {
  SCANRT_LOCAL const u32 *const row = l->signs + (z * (CUBES_Y + 1) + y) * CUBES_PITCH + word;
  u32 bits = (row[0] | row[0] >> 4) & 0x00ff00ffu;
  bits = (bits | bits >> 8) & 0xffffu;
  return bits | (row[1] & 1u) << 16;
}

/* The work-item's cells: x from `word` * 16 on, y, and CUBES_LAYERS layers from z on, in the tile. */
typedef struct cubes_part {
  u32 word, y, z, cells; /* cells: a bit for each of 16 that are in the field; 0: none is */
} cubes_part;

SCANRT_FUNC cubes_part cubes_part_of(u32 n, cubes_tile t) {
  cubes_part p;
  p.word = SCANRT_ITEM() % CUBES_WORDS;
  p.y = SCANRT_ITEM() / CUBES_WORDS % CUBES_Y;
  p.z = SCANRT_ITEM() / CUBES_WORDS / CUBES_Y * CUBES_LAYERS;
  const u32 x = t.x + p.word * 16, left = x < n - 1 ? n - 1 - x : 0;
  p.cells = t.y + p.y >= n - 1 ? 0 : left < 16 ? (1u << left) - 1 : 0xffffu;
  return p;
}

/* Counts the work-item's triangles, or puts those from number `base` on, of which CUBES_STAGE have room, to the stage;
 * its first one has number `at`. */
SCANRT_FUNC u32 cubes_walk(u32 n, cubes_tile t, u32 is_put, u32 at, SCANRT_LOCAL cubes_local *l) {
  const cubes_part p = cubes_part_of(n, t);
  const u32 begin = at;
  if (p.cells == 0) return 0;
  u32 low = cubes_row(l, p.y, p.z, p.word), low_next = cubes_row(l, p.y + 1, p.z, p.word);
  for (u32 z = p.z; z < p.z + CUBES_LAYERS && t.z + z < n - 1; z++) {
    const u32 high = cubes_row(l, p.y, z + 1, p.word), high_next = cubes_row(l, p.y + 1, z + 1, p.word);
    const u32 any = low | low_next | high | high_next, all = low & low_next & high & high_next;
    for (u32 active = (any | any >> 1) & ~(all & all >> 1) & p.cells; active != 0; active &= active - 1) {
      const u32 x = 31 - APP_CLZ(active & (0u - active));
      const u32 which = (low >> x & 3) | (low_next >> x & 3) << 2 | (high >> x & 3) << 4 | (high_next >> x & 3) << 6;
      const u32 count = l->triangles[which];
      if (is_put)
        for (u32 k = 0; k < count; k++)
          if (at + k < CUBES_STAGE)
            l->stage[at + k] = ((z * CUBES_Y + p.y) * CUBES_X + p.word * 16 + x) | which << 16 | k << 24;
      at += count;
    }
    low = high;
    low_next = high_next;
  }
  return at - begin;
}

/* Makes vertex `corner` of a staged triangle. */
SCANRT_FUNC void cubes_vertex(cubes_field field, u32 n, cubes_table table, cubes_tile t, u32 triangle, u32 corner,
                              SCANRT_LOCAL float *to) {
  const u32 edge = table[(triangle >> 16 & 255) * 16 + (triangle >> 24) * 3 + corner];
  const u32 axis = edge / 4, rest = edge % 4, below = rest & ((1u << axis) - 1), from = below | (rest - below) << 1;
  const u32 cell = triangle & 0xffffu;
  const u32 x = t.x + cell % CUBES_X + (from & 1), y = t.y + cell / CUBES_X % CUBES_Y + (from >> 1 & 1),
            z = t.z + cell / CUBES_X / CUBES_Y + (from >> 2);
  const u32 at = (z * n + y) * n + x;
  const float a = field[at], b = field[at + (axis == 0 ? 1 : axis == 1 ? n : n * n)];
  const float part = a / (a - b);
  to[0] = axis == 0 ? (float)x + part : (float)x;
  to[1] = axis == 1 ? (float)y + part : (float)y;
  to[2] = axis == 2 ? (float)z + part : (float)z;
}

/* Writes the tile's `count` triangles from triangle `first` on; the work-item's are those after `before` others. */
SCANRT_FUNC void cubes_put(cubes_field field, u32 n, cubes_table table, SCANRT_GLOBAL float *vertices, u32 capacity,
                           cubes_tile t, u32 first, u32 count, u32 before, SCANRT_LOCAL cubes_local *l) {
  for (u32 base = 0; base < count; base += CUBES_STAGE) {
    SCANRT_BARRIER();
    (void)cubes_walk(n, t, 1, before - base, l);
    SCANRT_BARRIER();
    const u32 staged = 3 * (count - base < CUBES_STAGE ? count - base : CUBES_STAGE);
    const scanrt_device_u64 to = (scanrt_device_u64)(first + base) * 9, end = (scanrt_device_u64)capacity * 9;
    for (u32 chunk = 0; chunk < staged; chunk += CUBES_CHUNK) {
      const u32 size = staged - chunk < CUBES_CHUNK ? staged - chunk : CUBES_CHUNK;
      for (u32 k = SCANRT_ITEM(); k < size; k += SCANRT_GROUP_ITEMS)
        cubes_vertex(field, n, table, t, l->stage[(chunk + k) / 3], (chunk + k) % 3, l->vertex + 3 * k);
      SCANRT_BARRIER();
      for (u32 k = SCANRT_ITEM(); k < 3 * size; k += SCANRT_GROUP_ITEMS)
        if (to + 3 * chunk + k < end) vertices[to + 3 * chunk + k] = l->vertex[k];
      SCANRT_BARRIER();
    }
  }
}

/* field: n x n x n samples, x fastest; n is a multiple of 4. table: 16 bytes a case, the edges of up to 5 triangles and
 * then their number. vertices: 9 numbers a triangle, of the first `capacity` triangles. */
SCANRT_KERNEL cubes(cubes_field field, u32 n, cubes_table table, SCANRT_GLOBAL float *vertices, u32 capacity,
                    scanrt_state state) {
  SCANRT_SHARED cubes_local l;
  const u32 ticket = scanrt_ticket(state, &l.scratch);
  const cubes_tile t = cubes_tile_of(n, ticket);
  cubes_load(field, n, table, t, &l);
  const scanrt_place at = scanrt_allocate(state, ticket, cubes_walk(n, t, 0, 0, &l), &l.scratch);
  if (!at.is_valid) return;
  cubes_put(field, n, table, vertices, capacity, t, (u32)at.group_first, at.group_count,
            (u32)(at.first - at.group_first), &l);
}

SCANRT_KERNEL cubes_count(cubes_field field, u32 n, cubes_table table, SCANRT_GLOBAL float *vertices, u32 capacity,
                          SCANRT_GLOBAL u32 *counts) {
  SCANRT_SHARED cubes_local l;
  const cubes_tile t = cubes_tile_of(n, APP_GROUP);
  cubes_load(field, n, table, t, &l);
  const u32 count = scanrt_reduce_count(cubes_walk(n, t, 0, 0, &l), &l.scratch.count);
  if (SCANRT_ITEM() == 0) counts[APP_GROUP] = count;
  (void)vertices, (void)capacity;
}

SCANRT_KERNEL cubes_write(cubes_field field, u32 n, cubes_table table, SCANRT_GLOBAL float *vertices, u32 capacity,
                          SCANRT_GLOBAL const u32 *firsts) {
  SCANRT_SHARED cubes_local l;
  const u32 first = firsts[APP_GROUP], count = firsts[APP_GROUP + 1] - first;
  const cubes_tile t = cubes_tile_of(n, APP_GROUP);
  if (count == 0) return;
  cubes_load(field, n, table, t, &l);
  const u32 before = scanrt_exclusive_count(cubes_walk(n, t, 0, 0, &l), 0u, &l.scratch.count);
  cubes_put(field, n, table, vertices, capacity, t, first, count, before, &l);
}
