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
#define CUBES_BATCH 16   /* vectors that a work-item loads at once */
#define CUBES_CHUNK 512  /* triangles that are staged at once */
#define CUBES_CELLS 1024 /* cells that are staged at once */
#if SCANRT_GROUP_ITEMS != CUBES_VECTORS * CUBES_Y || CUBES_ROWS > SCANRT_GROUP_ITEMS || CUBES_Z % CUBES_BATCH != 0
#error "a work-item is for a vector of each layer"
#endif

typedef scanrt_device_u32 u32;
typedef SCANRT_GLOBAL const float *cubes_field;
typedef SCANRT_GLOBAL const unsigned char *cubes_table;

/* A staged triangle's first number is the triangle until its vertices are made. */
typedef union cubes_number {
  u32 triangle; /* its cell, and its number from bit 24 on */
  float of;
} cubes_number;

/* The tile's signs and active cells, and the triangles of a part of these cells. */
typedef struct cubes_local {
  scanrt_scratch scratch;
  u32 signs[CUBES_ROWS * CUBES_PITCH];
  u32 cells[CUBES_CELLS]; /* a cell's number in the tile, and its case from bit 16 on */
  cubes_number vertex[9 * CUBES_CHUNK];
  unsigned char triangles[256]; /* of each case */
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

/* Puts the signs of the tile's samples to local memory. A work-item reads a column of CUBES_Z + 1 vectors, a part of
 * the rows behind the tile's y, and one sample behind its x. */
SCANRT_FUNC void cubes_load(cubes_field field, u32 n, cubes_tile t, SCANRT_LOCAL cubes_local *l) {
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
  SCANRT_BARRIER();
}

/* Puts the number of triangles of each case to local memory. */
SCANRT_FUNC void cubes_put_table(cubes_table table, SCANRT_LOCAL cubes_local *l) {
  for (u32 k = SCANRT_ITEM(); k < 256; k += SCANRT_GROUP_ITEMS) l->triangles[k] = table[k * 16 + 15];
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

/* Counts the work-item's active cells, or puts those that have places `at` to CUBES_CELLS - 1 to local memory. */
SCANRT_FUNC u32 cubes_find(u32 n, cubes_tile t, u32 is_put, u32 at, SCANRT_LOCAL cubes_local *l) {
  const cubes_part p = cubes_part_of(n, t);
  const u32 layers = t.z + p.z < n - 1 ? n - 1 - t.z - p.z : 0;
  u32 count = 0, low = cubes_row(l, p.y, p.z, p.word), low_next = cubes_row(l, p.y + 1, p.z, p.word);
  SCANRT_UNROLL
  for (u32 z = 0; z < CUBES_LAYERS; z++) {
    const u32 high = cubes_row(l, p.y, p.z + z + 1, p.word), high_next = cubes_row(l, p.y + 1, p.z + z + 1, p.word);
    const u32 any = low | low_next | high | high_next, all = low & low_next & high & high_next;
    u32 active = z < layers ? (any | any >> 1) & ~(all & all >> 1) & p.cells : 0;
    count += APP_POPCOUNT(active);
    if (is_put)
      for (; active != 0; active &= active - 1, at++) {
        const u32 x = 31 - APP_CLZ(active & (0u - active));
        const u32 which = (low >> x & 3) | (low_next >> x & 3) << 2 | (high >> x & 3) << 4 | (high_next >> x & 3) << 6;
        if (at < CUBES_CELLS) l->cells[at] = (((p.z + z) * CUBES_Y + p.y) * CUBES_X + p.word * 16 + x) | which << 16;
      }
    low = high;
    low_next = high_next;
  }
  return count;
}

/* Cells in local memory, those from number `base` on: work-items have `each` or fewer consecutive ones. Their triangles
 * are `count`, of which those from `chunk` on are staged next, and the work-item's first is `first`. */
typedef struct cubes_cells {
  u32 all, before; /* the tile's cells, and those before the work-item's own */
  u32 base, each, own;
  u32 first, triangles, count, chunk;
} cubes_cells;

/* Puts cells from number `base` on to local memory, and counts their triangles. */
SCANRT_FUNC void cubes_put_cells(u32 n, cubes_tile t, u32 base, cubes_cells *c, SCANRT_LOCAL cubes_local *l) {
  const u32 there = c->all - base < CUBES_CELLS ? c->all - base : CUBES_CELLS;
  c->base = base;
  c->each = (there + SCANRT_GROUP_ITEMS - 1) / SCANRT_GROUP_ITEMS;
  const u32 at = SCANRT_ITEM() * c->each;
  c->own = at >= there ? 0 : there - at < c->each ? there - at : c->each;
  c->triangles = 0;
  SCANRT_BARRIER();
  (void)cubes_find(n, t, 1, c->before - base, l);
  SCANRT_BARRIER();
  for (u32 k = 0; k < c->own; k++) c->triangles += l->triangles[l->cells[at + k] >> 16];
  c->first = scanrt_exclusive_count(c->triangles, 0u, &l->scratch.count);
  c->count = scanrt_total_count(&l->scratch.count);
  c->chunk = 0;
}

/* Stages the next triangles. */
SCANRT_FUNC void cubes_stage(const cubes_cells *c, SCANRT_LOCAL cubes_local *l) {
  if (c->first >= c->chunk + CUBES_CHUNK || c->first + c->triangles <= c->chunk) return;
  u32 at = c->first - c->chunk;
  for (u32 k = 0; k < c->own; k++) {
    const u32 cell = l->cells[SCANRT_ITEM() * c->each + k];
    for (u32 j = 0; j < l->triangles[cell >> 16]; j++, at++)
      if (at < CUBES_CHUNK) l->vertex[9 * at].triangle = cell | j << 24;
  }
}

/* Makes the vertices of a staged triangle. */
SCANRT_FUNC void cubes_triangle(cubes_field field, u32 n, cubes_table table, cubes_tile t,
                                SCANRT_LOCAL cubes_number *to) {
  const u32 triangle = to->triangle, edges = (triangle >> 16 & 255) * 16 + (triangle >> 24) * 3,
            cell = triangle & 0xffffu;
  const u32 x = t.x + cell % CUBES_X, y = t.y + cell / CUBES_X % CUBES_Y, z = t.z + cell / CUBES_X / CUBES_Y;
  u32 edge[3];
  float a[3], b[3];
  SCANRT_UNROLL
  for (u32 v = 0; v < 3; v++) edge[v] = table[edges + v];
  SCANRT_UNROLL
  for (u32 v = 0; v < 3; v++) {
    const u32 axis = edge[v] / 4, rest = edge[v] % 4, below = rest & ((1u << axis) - 1);
    const u32 from = below | (rest - below) << 1;
    const u32 at = ((z + (from >> 2)) * n + y + (from >> 1 & 1)) * n + x + (from & 1);
    a[v] = field[at];
    b[v] = field[at + (axis == 0 ? 1 : axis == 1 ? n : n * n)];
    edge[v] = axis | from << 2;
  }
  SCANRT_UNROLL
  for (u32 v = 0; v < 3; v++) {
    const u32 axis = edge[v] % 4;
    const float part = a[v] / (a[v] - b[v]);
    const float px = (float)(x + (edge[v] >> 2 & 1)), py = (float)(y + (edge[v] >> 3 & 1)),
                pz = (float)(z + (edge[v] >> 4));
    to[3 * v].of = axis == 0 ? px + part : px;
    to[3 * v + 1].of = axis == 1 ? py + part : py;
    to[3 * v + 2].of = axis == 2 ? pz + part : pz;
  }
}

/* Makes the vertices of the next triangles in local memory. Returns how many triangles these are. */
SCANRT_FUNC u32 cubes_make(cubes_field field, u32 n, cubes_table table, cubes_tile t, const cubes_cells *c,
                           SCANRT_LOCAL cubes_local *l) {
  const u32 left = c->count - c->chunk, size = c->count <= c->chunk ? 0 : left < CUBES_CHUNK ? left : CUBES_CHUNK;
  cubes_stage(c, l);
  SCANRT_BARRIER();
  for (u32 k = SCANRT_ITEM(); k < size; k += SCANRT_GROUP_ITEMS) cubes_triangle(field, n, table, t, l->vertex + 9 * k);
  return size;
}

/* Writes the vertices of `size` triangles from triangle `first` on. */
SCANRT_FUNC void cubes_write_out(SCANRT_GLOBAL float *vertices, u32 capacity, u32 first, u32 size,
                                 SCANRT_LOCAL const cubes_local *l) {
  const u32 left = first < capacity ? capacity - first : 0, count = 9 * (left < size ? left : size);
  SCANRT_GLOBAL float *const to = vertices + (scanrt_device_u64)first * 9;
  for (u32 k = SCANRT_ITEM(); k < count; k += SCANRT_GROUP_ITEMS) to[k] = l->vertex[k].of;
}

/* Finds the tile's active cells and puts the first of them to local memory. Returns the number of the tile's
 * triangles. */
SCANRT_FUNC u32 cubes_begin(cubes_field field, u32 n, cubes_tile t, cubes_cells *c, SCANRT_LOCAL cubes_local *l) {
  u32 triangles = 0;
  cubes_load(field, n, t, l);
  c->before = scanrt_exclusive_count(cubes_find(n, t, 0, 0, l), 0u, &l->scratch.count);
  c->all = scanrt_total_count(&l->scratch.count);
  c->first = c->triangles = c->count = c->chunk = 0;
  for (u32 rounds = (c->all + CUBES_CELLS - 1) / CUBES_CELLS; rounds > 0; rounds--) {
    cubes_put_cells(n, t, (rounds - 1) * CUBES_CELLS, c, l);
    triangles += c->count;
  }
  return triangles;
}

/* Writes the tile's triangles from triangle `at` on. The first `size` have been made. */
SCANRT_FUNC void cubes_put(cubes_field field, u32 n, cubes_table table, SCANRT_GLOBAL float *vertices, u32 capacity,
                           cubes_tile t, cubes_cells *c, u32 at, u32 size, SCANRT_LOCAL cubes_local *l) {
  while (size > 0) {
    SCANRT_BARRIER();
    cubes_write_out(vertices, capacity, at, size, l);
    at += size;
    c->chunk += size;
    SCANRT_BARRIER();
    if (c->chunk == c->count && c->base + CUBES_CELLS < c->all) cubes_put_cells(n, t, c->base + CUBES_CELLS, c, l);
    size = cubes_make(field, n, table, t, c, l);
  }
}

/* field: n x n x n samples, x fastest; n is a multiple of 4. table: 16 bytes a case, the edges of up to 5 triangles and
 * then their number. vertices: 9 numbers a triangle, of the first `capacity` triangles. */
SCANRT_KERNEL cubes(cubes_field field, u32 n, cubes_table table, SCANRT_GLOBAL float *vertices, u32 capacity,
                    scanrt_state state) {
  SCANRT_SHARED cubes_local l;
  const u32 ticket = scanrt_ticket(state, &l.scratch);
  const cubes_tile t = cubes_tile_of(n, ticket);
  cubes_cells c;
  scanrt_place at;
  cubes_put_table(table, &l);
  at.first = at.group_first = 0;
  at.group_count = cubes_begin(field, n, t, &c, &l);
  scanrt_publish_place(state, ticket, at.group_count, &l.scratch.place);
  const u32 size = cubes_make(field, n, table, t, &c, &l); /* meanwhile earlier tiles are counted */
  at = scanrt_await(state, ticket, SCANRT_GROUPS(), at, &l.scratch);
  scanrt_leave(state);
  if (at.is_valid) cubes_put(field, n, table, vertices, capacity, t, &c, (u32)at.group_first, size, &l);
}

SCANRT_KERNEL cubes_count(cubes_field field, u32 n, cubes_table table, SCANRT_GLOBAL float *vertices, u32 capacity,
                          SCANRT_GLOBAL u32 *counts) {
  SCANRT_SHARED cubes_local l;
  cubes_cells c;
  cubes_put_table(table, &l);
  const u32 count = cubes_begin(field, n, cubes_tile_of(n, APP_GROUP), &c, &l);
  if (SCANRT_ITEM() == 0) counts[APP_GROUP] = count;
  (void)vertices, (void)capacity;
}

SCANRT_KERNEL cubes_write(cubes_field field, u32 n, cubes_table table, SCANRT_GLOBAL float *vertices, u32 capacity,
                          SCANRT_GLOBAL const u32 *firsts) {
  SCANRT_SHARED cubes_local l;
  cubes_cells c;
  const u32 first = firsts[APP_GROUP], count = firsts[APP_GROUP + 1] - first;
  const cubes_tile t = cubes_tile_of(n, APP_GROUP);
  if (count == 0) return;
  cubes_put_table(table, &l);
  (void)cubes_begin(field, n, t, &c, &l);
  cubes_put(field, n, table, vertices, capacity, t, &c, first, cubes_make(field, n, table, t, &c, &l), &l);
}
