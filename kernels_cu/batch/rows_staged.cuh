/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans long contiguous lines by persistent work-groups that claim them (sm_90). A work-group scans a line by tiles of
 * eight sub-tiles, one for each warp. The copy engine moves each sub-tile to a stage of its warp and from there to the
 * output, so that loads of the next tiles, also of the next line, are always under way. Warps exchange the sub-tiles'
 * totals alone. Input or output that does not begin at a multiple of 16 bytes is loaded or stored by the warps.
 *
 * The tiles of STAGED_ROWS_STAGES - 1 stages are copied ahead, and only as many lines claimed in advance as they reach:
 * the order of memory is lost otherwise. */
#include "batch/rows.h"
#include "lib/async_store.h"
#include "staged.h"

#define SUBTILE_ITEMS (SUBTILE_ROWS * ROW_ITEMS)
#define PART_BYTES (SUBTILE_ITEMS * INPUT_BYTES)
#define LINES_CLAIM 7 /* a word of the geometry (batch/lines.h): claims in this launch; 0 between launches */
#define LINES_KEPT 8
#if STAGED_ROWS_STAGES > LINES_KEPT || SCAN_SUBTILES != WARPS
#error "lines are forgotten too early, or a warp has no sub-tile"
#endif

typedef struct scanrt_staged_scratch {
  scanrt_u64 full[STAGED_ROWS_STAGES][WARPS];
  scanrt_value_t subs[2][WARPS]; /* totals of a tile's sub-tiles, and of the next one's */
  scanrt_u32 line[LINES_KEPT];   /* the line of turn t is line[t % LINES_KEPT] */
} scanrt_staged_scratch;

/* Returns the number of lines after a work-group's own into which the copies ahead reach. `tiles`: of a line. */
FUNC scanrt_u32 scanrt_lines_ahead(scanrt_u32 tiles) { return (STAGED_ROWS_STAGES - 2 + tiles) / tiles; }

/* Claims `count` lines and returns the first. The last claim of a launch prepares the next launch. */
FUNC scanrt_u32 scanrt_lines_claim(const scanrt_lines *lines, scanrt_u32 lines_ahead, scanrt_u32 count) {
  scanrt_u32 *const claim = (scanrt_u32 *)(lines->words + LINES_CLAIM);
  const scanrt_u32 claims = (scanrt_u32)lines->count + GROUPS() * (lines_ahead + 1);
  const scanrt_u32 first = ATOMIC_ADD(claim, count);
  if (first + count == claims) ATOMIC_STORE(claim, 0u);
  return first;
}

/* ---- the prefix of a sub-tile ---- */

/* Adds the aggregate of `count` tiles, a power of two that divides the number of tiles so far. */
FUNC void scanrt_prefix_push_run(scanrt_prefix *p, scanrt_value_t aggregate, scanrt_u32 count) {
  scanrt_u32 carrying = 1;
  UNROLL
  for (scanrt_u32 k = 0; k < GROUP_LEVELS; k++) {
    if (1u << k < count) continue;
    if (carrying && !(p->tile >> k & 1u)) {
      p->run[k] = aggregate;
      carrying = 0;
    }
    if (carrying) aggregate = scanrt_combine(p->run[k], aggregate);
  }
  if (carrying) p->groups = scanrt_combine(p->groups, aggregate);
  p->tile = (p->tile + count) % GROUP_TILES;
}

/* Returns what precedes a tile if `before` is the fold of the tiles that follow those in the prefix. */
FUNC scanrt_value_t scanrt_prefix_value_after(const scanrt_prefix *p, scanrt_value_t before) {
  UNROLL
  for (scanrt_u32 k = 0; k < GROUP_LEVELS; k++)
    if (p->tile >> k & 1u) before = scanrt_combine(p->run[k], before);
  return scanrt_combine(p->groups, before);
}

/* Sets what precedes the warp's sub-tile if each sub-tile is a tile, and adds the eight. */
FUNC void scanrt_small_tiles_push(scanrt_prefix *p, const scanrt_value_t *s, scanrt_value_t *base) {
  const scanrt_u32 q = ITEM() / 32;
  const scanrt_value_t s01 = scanrt_combine(s[0], s[1]), s45 = scanrt_combine(s[4], s[5]),
                       s0123 = scanrt_combine(s01, scanrt_combine(s[2], s[3]));
  scanrt_value_t before = IDENTITY;
  if (q & 1) before = q & 4 ? (q & 2 ? s[6] : s[4]) : (q & 2 ? s[2] : s[0]);
  if (q & 2) before = scanrt_combine(q & 4 ? s45 : s01, before);
  if (q & 4) before = scanrt_combine(s0123, before);
  *base = scanrt_prefix_value_after(p, before);
  scanrt_prefix_push_run(p, scanrt_combine(s0123, scanrt_combine(s45, scanrt_combine(s[6], s[7]))), WARPS);
}

/* Sets what precedes the warp's sub-tile: *base, the tiles before, and *sub, the sub-tiles of its tile. Adds the eight
 * sub-tiles in `subs` to the prefix. */
FUNC void scanrt_subtiles_push(scanrt_prefix *p, const scanrt_value_t *subs, scanrt_u32 subtiles, scanrt_value_t *base,
                               scanrt_value_t *sub) {
  scanrt_value_t s[WARPS];
  UNROLL
  for (scanrt_u32 q = 0; q < WARPS; q++) s[q] = subs[q];
  *sub = IDENTITY;
  if (subtiles == 1) {
    scanrt_small_tiles_push(p, s, base);
    return;
  }
  scanrt_value_t all = s[0];
  UNROLL
  for (scanrt_u32 q = 1; q < WARPS; q++) {
    *sub = VALUE_SELECT(q == ITEM() / 32, all, *sub);
    all = scanrt_combine(all, s[q]);
  }
  *base = scanrt_prefix_value_after(p, IDENTITY);
  scanrt_prefix_push_run(p, all, 1);
}

/* ---- stages ---- */

/* A warp's part of a tile: its first element in the line, and its elements before n. */
typedef struct scanrt_part {
  scanrt_u64 first;
  scanrt_u32 count;
} scanrt_part;

FUNC scanrt_part scanrt_part_of(scanrt_u64 n, scanrt_u32 tile) {
  scanrt_part part;
  part.first = tile * TILE_ITEMS + ITEM() / 32 * SUBTILE_ITEMS;
  part.count = part.first >= n ? 0 : (scanrt_u32)(n - part.first < SUBTILE_ITEMS ? n - part.first : SUBTILE_ITEMS);
  return part;
}

/* PART_AT: the distance of a part's lowest address from the line's first element, in elements. STAGE_AT: the place in a
 * stage of the vector that begins with element e of the part. */
#if SCAN_BACKWARD
#define LINE_ALIGNED_AT INPUT_BYTES /* bytes from a line's first element to what must be aligned */
#define PART_AT(part) (1 - (scanrt_i64)((part).first + (part).count))
#define STAGE_AT(part, e) ((part)->count - VEC_ITEMS - (e))
#define VECTOR_TURNED(raw) scanrt_vector_reversed(raw)
#else
#define LINE_ALIGNED_AT 0
#define PART_AT(part) ((scanrt_i64)(part).first)
#define STAGE_AT(part, e) (e)
#define VECTOR_TURNED(raw) (raw)
#endif

/* Returns the work-item's vector in row i of a part in its stage, if the part has it. */
FUNC scanrt_raw_t *scanrt_part_vector(unsigned char *stage, const scanrt_part *part, scanrt_u32 i) {
  const scanrt_u32 e = (i * ROW_VECS + ITEM() % 32) * VEC_ITEMS;
  return (scanrt_raw_t *)(stage + STAGE_AT(part, e) * INPUT_BYTES);
}
#define PART_HAS(part, i) (((i)*ROW_VECS + ITEM() % 32) * VEC_ITEMS < (part).count)

/* Copies a part to its stage; called by the warp's first lane. */
FUNC void scanrt_part_copy(const scanrt_job *job, scanrt_u32 tile, unsigned char *stage, scanrt_u64 *full) {
  const scanrt_part part = scanrt_part_of(job->n, tile);
  scanrt_async_expect_alone(full, part.count * INPUT_BYTES);
  if (part.count) scanrt_async_copy(stage, job->in + PART_AT(part), part.count * INPUT_BYTES, full);
}

/* The place of a warp's next copy. */
typedef struct scanrt_rows_ahead {
  scanrt_u32 turn, tile, tiles; /* the work-group's turn, and the tile of that line */
} scanrt_rows_ahead;

/* Copies the warp's part of the next tile, if there is one, and goes on. */
FUNC void scanrt_ahead_copy(const scanrt_lines *lines, scanrt_rows_ahead *ahead, const scanrt_staged_scratch *s,
                            unsigned char *stage, scanrt_u64 *full, scanrt_u32 flags) {
  const scanrt_u32 line = s->line[ahead->turn % LINES_KEPT];
  if (line >= lines->count) return;
  const scanrt_job job = scanrt_line_of(lines, line, flags);
  if (ITEM() % 32 == 0) scanrt_part_copy(&job, ahead->tile, stage, full);
  if (++ahead->tile < ahead->tiles) return;
  ahead->tile = 0;
  ahead->turn++;
}

/* ---- the scan ---- */

/* Replaces the vectors of a part by the results and stores them: through the stage, or vector by vector. */
FUNC void scanrt_part_store(const scanrt_job *job, const scanrt_part *part, const scanrt_tile_state *t,
                            scanrt_value_t base, scanrt_value_t sub, unsigned char *stage, scanrt_u32 staged) {
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_stored_t result =
        VECTOR_SCAN(job, t->raw[i], scanrt_combine(base, scanrt_combine(sub, t->before[i])), 0);
    if (!staged)
      scanrt_strip_store(job, part->first + ITEM() % 32 * VEC_ITEMS, result, i);
    else if (PART_HAS(*part, i))
      *scanrt_part_vector(stage, part, i) = VECTOR_TURNED(VECTOR_FLIP(job, result));
  }
  if (!staged) return;
  scanrt_copy_engine_fence();
  WARP_BARRIER();
  if (ITEM() % 32 != 0) return;
  if (part->count) scanrt_async_store(job->out + PART_AT(*part), stage, part->count * INPUT_BYTES);
  scanrt_async_store_commit();
}

/* Loads a part from its stage, or from the input. */
FUNC void scanrt_part_load(const scanrt_job *job, scanrt_u32 tile, const scanrt_part *part, scanrt_tile_state *t,
                           unsigned char *stage, scanrt_u32 staged) {
  if (staged) {
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++) {
      t->raw[i] = scanrt_vector_identity();
      if (PART_HAS(*part, i)) t->raw[i] = VECTOR_TURNED(*scanrt_part_vector(stage, part, i));
    }
  } else {
    scanrt_tile_load(job, tile, t);
  }
  scanrt_tile_flip(job, t);
}

/* Scans the rows of a sub-tile; returns its total. */
FUNC scanrt_value_t scanrt_part_scan(scanrt_tile_state *t) {
  scanrt_value_t run = IDENTITY;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    scanrt_value_t total;
    t->before[i] = scanrt_row_scan_after(run, VECTOR_FOLD(t->raw[i], 0), &total, 0);
    run = scanrt_combine(run, total);
  }
  return run;
}

KERNEL(scan_rows_staged)(PARAMETERS(TILE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_staged_scratch, scratch, 1);
  DYNAMIC_SHARED(rows_ring);
  const scanrt_lines lines = LINES();
  const scanrt_u32 warp = ITEM() / 32, lane = ITEM() % 32;
  const scanrt_u32 staged_in = (ADDRESS(lines.in) + LINE_ALIGNED_AT) % 16 == 0,
                   staged_out = staged_in && (ADDRESS(lines.out) + LINE_ALIGNED_AT) % 16 == 0;
  unsigned char *const ring = rows_ring + warp * (STAGED_ROWS_STAGES * PART_BYTES);
  scanrt_rows_ahead ahead = { 0, 0, (scanrt_u32)((lines.n + TILE_ITEMS - 1) / TILE_ITEMS) };
  const scanrt_u32 lines_ahead = scanrt_lines_ahead(ahead.tiles);
  scanrt_u32 stage = 0, phase = 0, parity = 0, turn = 0, next = 0;
  if (ITEM() == 0) {
    const scanrt_u32 first = scanrt_lines_claim(&lines, lines_ahead, lines_ahead);
    for (scanrt_u32 k = 0; k < lines_ahead; k++) scratch->line[k] = first + k;
    next = scanrt_lines_claim(&lines, lines_ahead, 1);
  }
  if (lane < STAGED_ROWS_STAGES) scanrt_mbarrier_init(&scratch->full[lane][warp], 1);
  scanrt_copy_engine_fence();
  BARRIER();
  for (scanrt_u32 k = 0; k + 1 < STAGED_ROWS_STAGES && staged_in; k++)
    scanrt_ahead_copy(&lines, &ahead, scratch, ring + k * PART_BYTES, &scratch->full[k][warp], flags);
  for (scanrt_u32 line = scratch->line[0]; line < lines.count; line = scratch->line[++turn % LINES_KEPT]) {
    const scanrt_job job = scanrt_row_of(&lines, line, flags);
    scanrt_prefix prefix = scanrt_prefix_start(LINE_SEED());
    if (ITEM() == 0) {
      scratch->line[(turn + lines_ahead) % LINES_KEPT] = next;
      next = scanrt_lines_claim(&lines, lines_ahead, 1);
    }
    for (scanrt_u32 tile = 0; tile < ahead.tiles; tile++, parity ^= 1) {
      const scanrt_part part = scanrt_part_of(lines.n, tile);
      const scanrt_u32 before = (stage == 0 ? STAGED_ROWS_STAGES : stage) - 1;
      unsigned char *const own = ring + stage * PART_BYTES;
      scanrt_tile_state t;
      scanrt_value_t base, sub;
      if (staged_in) scanrt_mbarrier_wait(&scratch->full[stage][warp], phase);
      scanrt_part_load(&job, tile, &part, &t, own, staged_in);
      const scanrt_value_t total = scanrt_part_scan(&t);
      if (lane == 0) scratch->subs[parity][warp] = total;
      BARRIER();
      scanrt_subtiles_push(&prefix, scratch->subs[parity], lines.subtiles, &base, &sub);
      scanrt_part_store(&job, &part, &t, base, sub, own, staged_out);
      if (staged_in) {
        if (lane == 0) scanrt_async_stores_read<1>();
        scanrt_ahead_copy(&lines, &ahead, scratch, ring + before * PART_BYTES, &scratch->full[before][warp], flags);
      }
      if (++stage < STAGED_ROWS_STAGES) continue;
      stage = 0;
      phase ^= 1;
    }
  }
  if (lane == 0) scanrt_async_stores_read<0>();
}
