/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves a tile from registers to local memory, kept elements first, and from there to one run of each output. Included
 * by select_lookback.h. */
#ifndef SCANRT_CL_SELECT_LOOKBACK_WRITE_H
#define SCANRT_CL_SELECT_LOOKBACK_WRITE_H

#define LINES 8 /* words that a work-item loads at once */

#if SELECT_BYTES == 1
typedef scanrt_u8 scanrt_element;
#elif SELECT_BYTES == 2
typedef scanrt_u16 scanrt_element;
#elif SELECT_BYTES == 4
typedef scanrt_u32 scanrt_element;
#elif SELECT_BYTES == 8
typedef scanrt_raw8 scanrt_element;
#else
typedef scanrt_raw16 scanrt_element;
#endif

/* Returns element k of a vector's words. */
FUNC scanrt_element scanrt_element_of(const scanrt_u32 *words, scanrt_u32 k) {
#if SELECT_BYTES <= 4
  return (scanrt_element)(words[k * SELECT_BYTES / 4] >> k * SELECT_BYTES % 4 * 8);
#elif SELECT_BYTES == 8
  return (scanrt_element)(words[2 * k], words[2 * k + 1]);
#else
  return (scanrt_element)(words[0], words[1], words[2], words[3]);
#endif
}

FUNC void scanrt_tile_compact(const scanrt_select_tile *t, const scanrt_ranks *ranks, scanrt_u32 has_rest,
                              LOCAL scanrt_select_scratch *s) {
  LOCAL scanrt_element *tile = (LOCAL scanrt_element *)SCRATCH_TILE(s);
  scanrt_u32 before[ROWS];
  scanrt_ranks_rows(ranks, s, before);
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++) {
    LOCAL scanrt_element *to = tile + before[r], *to_rest = tile + ranks->count + (VECTOR_AT(r) - before[r]);
    if (!has_rest && ROW_IS_EMPTY(ranks, r)) continue;
    ROWS_UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      const scanrt_element x = scanrt_element_of(t->word + 4 * r, k);
      if (t->bits >> (r * VEC_ITEMS + k) & 1u)
        *to++ = x;
      else if (has_rest)
        *to_rest++ = x;
    }
  }
}

/* Returns how many elements of a run of `count` fit the output from place `at` on. */
FUNC scanrt_u32 scanrt_fitting(scanrt_u64 at, scanrt_u32 count, scanrt_u64 capacity) {
  if (at + count <= capacity) return count;
  return at < capacity ? (scanrt_u32)(capacity - at) : 0;
}

/* Writes `count` elements of local memory, from element `from` on, to one run of the output: by whole lines of 128
 * bytes, but for its ends. Loads are unconditional, so that they overlap. */
#if SELECT_BYTES >= 4
FUNC void scanrt_run_write(GLOBAL scanrt_u8 *to, LOCAL const scanrt_u32 *tile, scanrt_u32 from, scanrt_u32 count) {
  const scanrt_u32 words = count * (SELECT_BYTES / 4), phase = (scanrt_u32)(ADDRESS(to) / 4 % 32);
  LOCAL const scanrt_u32 *in = tile + from * (SELECT_BYTES / 4);
  GLOBAL scanrt_u32 *out = (GLOBAL scanrt_u32 *)to;
  scanrt_u32 q = ITEM() - phase; /* wraps around before the first word */
  if (q < words) out[q] = in[q];
  for (q += SCAN_GROUP_ITEMS; q < words; q += SCAN_GROUP_ITEMS * LINES) {
    scanrt_u32 x[LINES];
    ROWS_UNROLL
    for (scanrt_u32 u = 0; u < LINES; u++)
      if (q + u * SCAN_GROUP_ITEMS < words) x[u] = (in + q)[u * SCAN_GROUP_ITEMS];
    ROWS_UNROLL
    for (scanrt_u32 u = 0; u < LINES; u++)
      if (q + u * SCAN_GROUP_ITEMS < words) (out + q)[u * SCAN_GROUP_ITEMS] = x[u];
  }
}
#else
/* Writes bytes `first` to `end` - 1 of an output word at an end of a run. */
FUNC void scanrt_word_write(GLOBAL scanrt_u8 *to, scanrt_u32 word, scanrt_u32 first, scanrt_u32 end) {
  for (scanrt_u32 b = first; b < end; b++) to[b] = (scanrt_u8)(word >> 8 * b);
}

/* Writes a run by words of the output, each made of two words of the tile. */
FUNC void scanrt_run_write(GLOBAL scanrt_u8 *to, LOCAL const scanrt_u32 *tile, scanrt_u32 from, scanrt_u32 count) {
  const scanrt_u32 lead = (scanrt_u32)(ADDRESS(to) % 4), end = lead + count * SELECT_BYTES, words = (end + 3) / 4;
  const scanrt_u32 phase = (scanrt_u32)(ADDRESS(to) / 4 % 32);
  const scanrt_u32 begin = 4 * TILE_PAD + from * SELECT_BYTES - lead, shift = begin % 4 * 8;
  LOCAL const scanrt_u32 *in = tile - TILE_PAD + begin / 4;
  GLOBAL scanrt_u8 *line = to - lead;
  if (count == 0) return;
  for (scanrt_u32 w = ITEM(); w < phase + words; w += SCAN_GROUP_ITEMS * LINES) {
    scanrt_u32 x[LINES];
    ROWS_UNROLL
    for (scanrt_u32 u = 0; u < LINES; u++) {
      const scanrt_u32 wanted = w + u * SCAN_GROUP_ITEMS - phase, q = wanted < words ? wanted : 0;
      x[u] = (scanrt_u32)(((scanrt_u64)in[q + 1] << 32 | in[q]) >> shift);
    }
    ROWS_UNROLL
    for (scanrt_u32 u = 0; u < LINES; u++) {
      const scanrt_u32 q = w + u * SCAN_GROUP_ITEMS - phase;
      if (q >= words) continue;
      if ((q > 0 || lead == 0) && 4 * q + 4 <= end)
        ((GLOBAL scanrt_u32 *)line)[q] = x[u];
      else
        scanrt_word_write(line + 4 * q, x[u], q > 0 ? 0 : lead, end - 4 * q < 4 ? end - 4 * q : 4);
    }
  }
}
#endif

FUNC void scanrt_tile_write(const scanrt_select_job *job, scanrt_u32 tile, scanrt_u64 prefix, scanrt_u32 count,
                            LOCAL const scanrt_select_scratch *s) {
  LOCAL const scanrt_u32 *from = SCRATCH_TILE(s);
  const scanrt_u64 rest_at = job->behind + (scanrt_tile_first(tile) - prefix);
  scanrt_run_write(job->out + prefix * SELECT_BYTES, from, 0, scanrt_fitting(prefix, count, job->capacity));
  if (job->flags & SELECT_REST)
    scanrt_run_write(job->rest + rest_at * SELECT_BYTES, from, count,
                     scanrt_fitting(rest_at, scanrt_tile_items(job, tile) - count, job->rest_capacity));
}
#endif
