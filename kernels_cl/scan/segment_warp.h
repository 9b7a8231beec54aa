/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile of a segmented reduction, a sub-tile a warp. Include it after the names that say where results go:
 * scanrt_results: the memory of a tile's results
 * scanrt_vector_put(results, i, x, open): takes what vector i of the work-item has up to each element; the result at
 * element `open` of the sub-tile is not known yet
 * scanrt_result_put(results, at, x): takes the result at an element of the sub-tile
 * Results of segments that begin and end in a sub-tile need nothing
 * from other warps. At most one segment ends in a sub-tile without beginning there: its end is kept (scanrt_open_end)
 * until the sub-tiles before are known. Rows in which no segment begins or ends are only folded. */
#ifndef SCANRT_CL_SEGMENT_WARP_H
#define SCANRT_CL_SEGMENT_WARP_H

#include "scan/segment_marks.h"
#include "scan/segment_rows.h"

#define MARK_GROUPS ((VEC_ITEMS + 3) / 4)
#define EVERY_MARK 0x01010101u

/* Marks of the lane's vectors: bit 8 * (k % 4) + i of bits[k / 4] is set if a segment begins with element k of the
 * vector of row i. `next` is 1 if one begins behind the sub-tile. */
typedef struct scanrt_lane_marks {
  scanrt_u32 bits[MARK_GROUPS], next;
} scanrt_lane_marks;

/* The vector of a sub-tile in which the segment ends that is open at the sub-tile's beginning, and what precedes it. */
typedef struct scanrt_open_end {
  scanrt_stage_vector vector;
  scanrt_bare_t before;
} scanrt_open_end;
#define NO_END 0xffffffffu

/* Returns the bits that are set in the word of any lane. */
FUNC scanrt_u32 scanrt_warp_or(scanrt_u32 x) {
#ifdef WARP_OR
  return WARP_OR(x);
#else
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) x |= scanrt_shuffle_xor_u32(x, d);
  return x;
#endif
}

FUNC scanrt_lane_marks scanrt_lane_marks_none(void) {
  scanrt_lane_marks m;
  UNROLL
  for (scanrt_u32 g = 0; g < MARK_GROUPS; g++) m.bits[g] = 0;
  m.next = 0;
  return m;
}

/* Returns the lane's marks in row i, as bits of one word that say which elements begin segments. */
FUNC scanrt_u32 scanrt_row_marks(const scanrt_lane_marks *m, scanrt_u32 i) {
  scanrt_u32 all = 0;
  UNROLL
  for (scanrt_u32 g = 0; g < MARK_GROUPS; g++) all |= (m->bits[g] >> i & EVERY_MARK) << g;
  return all;
}
#define MARKED(m, i, k) ((m)->bits[(k) / 4] >> (8 * ((k) % 4) + (i)) & 1u)

/* Returns the rows with marks, a bit each, and in the bits above those of which the next row begins with a mark. One
 * exchange makes both, so that compilers know that all lanes have them. */
FUNC scanrt_u32 scanrt_marked_rows(const scanrt_lane_marks *m) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_u32 any = 0;
  UNROLL
  for (scanrt_u32 g = 0; g < MARK_GROUPS; g++) any |= m->bits[g];
  any |= any >> 16;
  any = (any | any >> 8) & 0xffu;
  if (lane == 0) any |= (m->bits[0] & 0xfeu) << (ROWS - 1);
  if (lane == 31) any |= m->next << (2 * ROWS - 1);
  return scanrt_warp_or(any);
}

/* Returns the index in the sub-tile of the last element before its first mark; NO_END if that is the first element, or
 * if there is none up to the element behind the sub-tile. `rows` has a bit for each row with a mark. */
FUNC scanrt_u32 scanrt_open_last(const scanrt_lane_marks *m, scanrt_u32 rows) {
  if (rows == 0) return m->next ? SUB_ITEMS - 1 : NO_END;
  const scanrt_u32 row = LAST_BIT(rows & (0u - rows)), own = scanrt_row_marks(m, row);
  const scanrt_u32 lanes = WARP_BALLOT(own != 0), lane = LAST_BIT(lanes & (0u - lanes));
  const scanrt_u32 bits = scanrt_shuffle_from_u32(own, lane);
  scanrt_u32 k = VEC_ITEMS - 1;
  UNROLL
  for (scanrt_u32 j = VEC_ITEMS - 1; j > 0; j--)
    if (bits >> (8 * ((j - 1) % 4) + (j - 1) / 4) & 1u) k = j - 1;
  return row * ROW_ITEMS + lane * VEC_ITEMS + k - 1; /* NO_END for element 0 */
}

/* ---- folding ---- */

/* The elements of vector i of the work-item, after the map. */
FUNC void scanrt_vector_elements(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_u32 i,
                                 scanrt_bare_t *x) {
  const scanrt_raw_t v = scanrt_vector_open(job, scanrt_vector_first(tile, i), t->raw[i]);
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) x[k] = scanrt_vector_bare(v, k);
}

/* Returns the totals of the tile's rows as if no segment began in them: that of row r in lane scanrt_tree_lane(r, 8).
 */
FUNC scanrt_bare_t scanrt_rows_total(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t) {
  scanrt_bare_t x[ROWS];
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    scanrt_bare_t element[VEC_ITEMS];
    scanrt_vector_elements(job, tile, t, i, element);
    x[i] = element[0];
    UNROLL
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) x[i] = SCAN_SOURCE_COMBINE(x[i], element[k]);
  }
  return scanrt_bare_trees(x);
}

/* ---- scanning ---- */

/* Combines the seed with the elements of a row that begin segments. */
FUNC void scanrt_elements_seed(const scanrt_job *job, const scanrt_lane_marks *m, scanrt_u32 i, scanrt_bare_t *x) {
  if (!job->seed.there) return;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    x[k] = scanrt_bare_select(MARKED(m, i, k), SCAN_SOURCE_COMBINE(job->seed.v, x[k]), x[k]);
}

/* Folds the elements of a vector of row i from its last mark on. */
FUNC scanrt_bare_t scanrt_cut_vector_fold(const scanrt_lane_marks *m, scanrt_u32 i, const scanrt_bare_t *x) {
  scanrt_bare_t sum = x[0];
  UNROLL
  for (scanrt_u32 k = 1; k < VEC_ITEMS; k++)
    sum = scanrt_bare_select(MARKED(m, i, k), x[k], SCAN_SOURCE_COMBINE(sum, x[k]));
  return sum;
}

/* Returns what precedes each vector of row i in the sub-tile, in the first lane of the first row its own vector. `sum`
 * is the row's doubling, `lanes` has a bit for each lane in whose vector a segment begins, and `run` precedes the row.
 * Sets *total to the row's own total, from its last mark on. */
FUNC scanrt_bare_t scanrt_cut_row_before(scanrt_bare_t sum, scanrt_u32 i, scanrt_u32 lanes, scanrt_bare_t run,
                                         scanrt_bare_t *total) {
  const scanrt_u32 lane = ITEM() % 32, is_cut = lanes & ((1u << lane) - 1);
  const scanrt_bare_t y = scanrt_bare_shuffle_up(sum, 1);
  *total = scanrt_bare_shuffle_from(sum, 31);
  if (i == 0) return y;
  return scanrt_bare_select(lane == 0, run, scanrt_bare_select(is_cut, y, SCAN_SOURCE_COMBINE(run, y)));
}

/* Scans a vector of row i. The result at element `open` of the sub-tile is not known yet. */
FUNC void scanrt_vector_results(const scanrt_lane_marks *m, scanrt_u32 i, const scanrt_bare_t *x, scanrt_bare_t before,
                                scanrt_u32 open, scanrt_results results) {
  scanrt_stage_vector o;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    const scanrt_u32 stands_alone = MARKED(m, i, k) | (k == 0 && i == 0 && ITEM() % 32 == 0);
    o.x[k] = x[k];
    if (!stands_alone) o.x[k] = SCAN_SOURCE_COMBINE(before, x[k]);
    before = o.x[k];
  }
  scanrt_vector_put(results, i, &o, open);
}

/* Keeps the vector in which the segment ends that is open at the beginning of the sub-tile. */
FUNC void scanrt_open_end_keep(LOCAL scanrt_open_end *open, const scanrt_bare_t *x) {
  scanrt_stage_vector v;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) v.x[k] = x[k];
  open->vector = v;
}

/* FRESH(x) is x as a word that ptxas does not know. Else ptxas keeps conditions of a word's bits, at two instructions
 * each; a test of the bits is one. */
#ifndef FRESH
#define FRESH(x) (x)
#endif

/* The least rows in which segments end of a sub-tile that scanrt_subtile_scan scans. */
#define LEAST_DENSE_ROWS 5

/* Returns the total of the warp's sub-tile; puts the results of all segments that begin and end in it. For sub-tiles in
 * most rows of which segments end, and results without a seed. */
FUNC scanrt_bare_t scanrt_subtile_scan(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t,
                                       const scanrt_lane_marks *m, scanrt_u32 own_row, scanrt_u32 last,
                                       LOCAL scanrt_open_end *open, scanrt_results results) {
  scanrt_bare_t run = scanrt_value_none().v;
  UNROLL
  for (scanrt_u32 h = 0; h < ROWS; h += ROWS_AT_ONCE) {
    scanrt_bare_t sum[ROWS_AT_ONCE];
    scanrt_u32 lanes[ROWS_AT_ONCE];
    UNROLL
    for (scanrt_u32 j = 0; j < ROWS_AT_ONCE; j++) {
      scanrt_bare_t x[VEC_ITEMS];
      scanrt_vector_elements(job, tile, t, h + j, x);
      sum[j] = scanrt_cut_vector_fold(m, h + j, x);
      lanes[j] = WARP_BALLOT(scanrt_row_marks(m, h + j));
    }
    scanrt_cut_doublings(sum, lanes);
    scanrt_lane_marks again = *m;
    UNROLL
    for (scanrt_u32 g = 0; g < MARK_GROUPS; g++) again.bits[g] = FRESH(again.bits[g]);
    UNROLL
    for (scanrt_u32 j = 0; j < ROWS_AT_ONCE; j++) {
      scanrt_bare_t x[VEC_ITEMS], total;
      const scanrt_bare_t before = scanrt_cut_row_before(sum[j], h + j, lanes[j], run, &total);
      scanrt_vector_elements(job, tile, t, h + j, x);
      scanrt_vector_results(&again, h + j, x, before, last, results);
      if (own_row == h + j) {
        open->before = before;
        scanrt_open_end_keep(open, x);
      }
      if (h + j != 0 && lanes[j] == 0) total = SCAN_SOURCE_COMBINE(run, total);
      run = total;
    }
  }
  return run;
}

/* Returns the total of the warp's sub-tile; puts the results of the segments that begin and end in it. Sets *last to
 * the last element of the segment that is open at its beginning, whose vector and what precedes it goes to *open. */
FUNC scanrt_value_t scanrt_subtile_reduce(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t,
                                          const scanrt_lane_marks *m, scanrt_u32 *last, LOCAL scanrt_open_end *open,
                                          scanrt_results results) {
  const scanrt_u32 marked = scanrt_marked_rows(m), rows = marked & 0xffu;
  /* A segment ends in a row if one begins there, or with the next row. */
  const scanrt_u32 scanned = rows | marked >> ROWS;
  scanrt_bare_t run = scanrt_value_none().v, totals = run;
  *last = scanned != 0 ? scanrt_open_last(m, rows) : NO_END;
  const scanrt_u32 own_row = *last / VEC_ITEMS % 32 == ITEM() % 32 ? *last / ROW_ITEMS : NO_END;
  if (BITS_SET(scanned) >= LEAST_DENSE_ROWS && !job->seed.there)
    return scanrt_value_from(scanrt_subtile_scan(job, tile, t, m, own_row, *last, open, results),
                             rows ? 1 | STARTS_WITHIN : 1);
  totals = scanrt_rows_total(job, tile, t);
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    scanrt_bare_t total;
    scanrt_u32 lanes = 0;
    if (scanned >> i & 1u) {
      scanrt_bare_t x[VEC_ITEMS];
      lanes = WARP_BALLOT(scanrt_row_marks(m, i));
      scanrt_vector_elements(job, tile, t, i, x);
      scanrt_elements_seed(job, m, i, x);
      const scanrt_bare_t sum = scanrt_cut_doubling(scanrt_cut_vector_fold(m, i, x), lanes);
      const scanrt_bare_t before = scanrt_cut_row_before(sum, i, lanes, run, &total);
      scanrt_vector_results(m, i, x, before, *last, results);
      if (own_row == i) {
        open->before = before;
        scanrt_open_end_keep(open, x);
      }
    } else {
      total = scanrt_bare_shuffle_from(totals, scanrt_tree_lane(i, ROWS));
    }
    if (i == 0 || lanes != 0)
      run = total;
    else
      run = SCAN_SOURCE_COMBINE(run, total);
  }
  return scanrt_value_from(run, rows ? 1 | STARTS_WITHIN : 1);
}

/* Completes the segment that is open at the beginning of the warp's sub-tile, whose last element there is `last`:
 * puts its result if it begins in the tile, else writes what precedes its last vector in the tile to *before.
 * `sub_before` is the fold of the sub-tiles before. */
FUNC void scanrt_open_end_close(LOCAL const scanrt_open_end *open, scanrt_u32 last, scanrt_value_t sub_before,
                                scanrt_results results, GLOBAL scanrt_kept_t *before) {
  const scanrt_value_t own = scanrt_value_from(scanrt_scratch_bare(&open->before), last >= VEC_ITEMS);
  const scanrt_value_t start = scanrt_combine(sub_before, own);
  if (!(sub_before.there & STARTS_WITHIN)) {
    *before = KEPT_OF(start);
    return;
  }
  scanrt_bare_t sum = start.v;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k <= last % VEC_ITEMS) sum = SCAN_SOURCE_COMBINE(sum, scanrt_scratch_bare(&open->vector.x[k]));
  scanrt_result_put(results, last, sum);
}
#endif
