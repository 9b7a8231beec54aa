/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile of compaction in the registers of a work-group, and the bits of its kept elements. Included by
 * select_lookback.h. */
#ifndef SCANRT_CL_SELECT_LOOKBACK_KEEP_H
#define SCANRT_CL_SELECT_LOOKBACK_KEEP_H

#if LOOK_BY == SELECT_BY_FLAGS
#define MARK_WORDS ((VEC_ITEMS + 3) / 4) /* of a vector's flags */
#elif LOOK_BY == SELECT_BY_BITS
#define MARK_WORDS 1
#elif LOOKS_BESIDE
#define MARK_WORDS ((SELECT_BYTES + 3) / 4) /* the key beside the vector: before it, or after it */
#else
#define MARK_WORDS 0
#endif
/* Vectors that have marks: where registers are exchanged, only the part's first or last one needs the key beside it. */
#if LOOKS_BESIDE && SCAN_SHUFFLE
#define MARKED_ROWS 1
#else
#define MARKED_ROWS ROWS
#endif

typedef struct scanrt_select_tile {
  scanrt_u32 word[ROWS * 4];
#if MARK_WORDS
  scanrt_u32 mark[MARKED_ROWS * MARK_WORDS];
#endif
  scanrt_u32 bits;
} scanrt_select_tile;

/* ---- elements ---- */

/* Returns word j of the vector that begins with element e of the tile, at any alignment. Past the last element it
 * repeats that one. */
#if SELECT_BYTES >= 4
FUNC scanrt_u32 scanrt_word_at(const scanrt_select_job *job, scanrt_u64 first, scanrt_u32 e, scanrt_u32 j,
                               scanrt_u32 items) {
  enum { WORDS = SELECT_BYTES / 4 };
  const scanrt_u32 wanted = e + j / WORDS, k = wanted < items ? wanted : items - 1;
  return ((GLOBAL const scanrt_u32 *)job->in)[(first + k) * WORDS + j % WORDS];
}
#else
#if SELECT_BYTES == 2
typedef scanrt_u16 scanrt_small;
#else
typedef scanrt_u8 scanrt_small;
#endif
FUNC scanrt_u32 scanrt_word_at(const scanrt_select_job *job, scanrt_u64 first, scanrt_u32 e, scanrt_u32 j,
                               scanrt_u32 items) {
  enum { ITEMS = 4 / SELECT_BYTES };
  GLOBAL const scanrt_small *in = (GLOBAL const scanrt_small *)job->in + first;
  scanrt_u32 word = 0;
  ROWS_UNROLL
  for (scanrt_u32 k = 0; k < ITEMS; k++) {
    const scanrt_u32 wanted = e + j * ITEMS + k;
    word |= (scanrt_u32)in[wanted < items ? wanted : items - 1] << k * SELECT_BYTES * 8;
  }
  return word;
}
#endif

#if SELECT_BYTES == 4 || SELECT_BYTES == 8
/* Fills a tile with the elements' indices. */
FUNC void scanrt_tile_number(scanrt_u64 first, scanrt_select_tile *t) {
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++) {
    ROWS_UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      const scanrt_u64 i = first + VECTOR_AT(r) + k;
      t->word[4 * r + k * (SELECT_BYTES / 4)] = (scanrt_u32)i;
      if (SELECT_BYTES == 8) t->word[4 * r + k * (SELECT_BYTES / 4) + 1] = (scanrt_u32)(i >> 32);
    }
  }
}
#endif

FUNC void scanrt_elements_load(const scanrt_select_job *job, scanrt_u64 first, scanrt_u32 items,
                               scanrt_select_tile *t) {
#if SELECT_BYTES == 4 || SELECT_BYTES == 8
  if (job->flags & SELECT_INDICES) {
    scanrt_tile_number(first, t);
    return;
  }
#endif
  if (items == TILE_ITEMS && ADDRESS(job->in) % 16 == 0) {
    GLOBAL const scanrt_raw16 *in =
        (GLOBAL const scanrt_raw16 *)(job->in + first * SELECT_BYTES) + VECTOR_AT(0) / VEC_ITEMS;
    ROWS_UNROLL
    for (scanrt_u32 r = 0; r < ROWS; r++) {
      const scanrt_raw16 v = in[r * 32];
      t->word[4 * r] = v.x, t->word[4 * r + 1] = v.y, t->word[4 * r + 2] = v.z, t->word[4 * r + 3] = v.w;
    }
    return;
  }
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++) {
    ROWS_UNROLL
    for (scanrt_u32 j = 0; j < 4; j++) t->word[4 * r + j] = scanrt_word_at(job, first, VECTOR_AT(r), j, items);
  }
}

/* ---- marks ---- */

#if LOOK_BY == SELECT_BY_FLAGS
#if VEC_ITEMS >= 4
#define FLAGS_WORD(flags, e, w) (((GLOBAL const scanrt_u32 *)(flags))[(e) / 4 + (w)])
#elif VEC_ITEMS == 2
#define FLAGS_WORD(flags, e, w) (((GLOBAL const scanrt_u16 *)(flags))[(e) / 2])
#else
#define FLAGS_WORD(flags, e, w) ((flags)[e])
#endif
#define FLAGS_ALIGN (VEC_ITEMS < 4 ? VEC_ITEMS : 4)

FUNC void scanrt_marks_load(const scanrt_select_job *job, scanrt_u64 first, scanrt_u32 items, scanrt_select_tile *t) {
  GLOBAL const scanrt_u8 *flags = job->marks + first;
  if (items == TILE_ITEMS && ADDRESS(flags) % FLAGS_ALIGN == 0) {
    ROWS_UNROLL
    for (scanrt_u32 m = 0; m < ROWS * MARK_WORDS; m++)
      t->mark[m] = FLAGS_WORD(flags, VECTOR_AT(m / MARK_WORDS), m % MARK_WORDS);
    return;
  }
  ROWS_UNROLL
  for (scanrt_u32 m = 0; m < ROWS * MARK_WORDS; m++) {
    t->mark[m] = 0;
    ROWS_UNROLL
    for (scanrt_u32 k = 0; k < (VEC_ITEMS < 4 ? VEC_ITEMS : 4); k++) {
      const scanrt_u32 e = VECTOR_AT(m / MARK_WORDS) + m % MARK_WORDS * 4 + k;
      if (e < items) t->mark[m] |= (scanrt_u32)flags[e] << 8 * k;
    }
  }
}

FUNC scanrt_u32 scanrt_tile_bits(const scanrt_select_job *job, scanrt_u64 first, const scanrt_select_tile *t) {
  scanrt_u32 bits = 0;
  (void)job, (void)first;
  ROWS_UNROLL
  for (scanrt_u32 m = 0; m < ROWS * MARK_WORDS; m++)
    bits |= (BITS_OF_FLAGS(t->mark[m]) & 15u) << (m / MARK_WORDS * VEC_ITEMS + m % MARK_WORDS * 4);
  return bits;
}

FUNC scanrt_u32 scanrt_keep_one(const scanrt_select_job *job, scanrt_u64 i) { return job->marks[i] != 0; }

#elif LOOK_BY == SELECT_BY_BITS
FUNC void scanrt_marks_load(const scanrt_select_job *job, scanrt_u64 first, scanrt_u32 items, scanrt_select_tile *t) {
  GLOBAL const scanrt_u32 *words = (GLOBAL const scanrt_u32 *)job->marks + first / 32;
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++) t->mark[r] = VECTOR_AT(r) < items ? words[VECTOR_AT(r) / 32] : 0;
}

FUNC scanrt_u32 scanrt_tile_bits(const scanrt_select_job *job, scanrt_u64 first, const scanrt_select_tile *t) {
  scanrt_u32 bits = 0;
  (void)job, (void)first;
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++) bits |= (t->mark[r] >> VECTOR_AT(r) % 32 & ROW_BITS) << r * VEC_ITEMS;
  return bits;
}

FUNC scanrt_u32 scanrt_keep_one(const scanrt_select_job *job, scanrt_u64 i) {
  return ((GLOBAL const scanrt_u32 *)job->marks)[i / 32] >> i % 32 & 1u;
}

#else

#if LOOK_BY == SELECT_BY_PREDICATE
typedef union scanrt_keep_words {
  scanrt_u32 word[(SELECT_BYTES + 3) / 4];
  scanrt_keep_element_t x;
} scanrt_keep_words;

/* Returns element k of a vector's words, as the predicate takes it. */
FUNC scanrt_keep_element_t scanrt_looked_at(const scanrt_u32 *words, scanrt_u32 k) {
  scanrt_keep_words e;
  ROWS_UNROLL
  for (scanrt_u32 w = 0; w < (SELECT_BYTES + 3) / 4; w++)
    e.word[w] = words[k * SELECT_BYTES / 4 + w] >> k * SELECT_BYTES % 4 * 8;
  return e.x;
}
#endif

#if LOOKS_BESIDE && LOOK_BY == SELECT_BY_PREDICATE
/* Keys are elements, which the predicate compares. */
typedef scanrt_keep_element_t scanrt_key;
#define KEY_OF(words, k) scanrt_looked_at((words), (k))
#define DIFFERS(job, before, key) (SCAN_SOURCE_KEEP((before), (key), (job)->params.p) ? 1u : 0u)

FUNC void scanrt_key_put(scanrt_u32 *words, scanrt_key key) {
  scanrt_keep_words e;
  ROWS_UNROLL
  for (scanrt_u32 w = 0; w < MARK_WORDS; w++) e.word[w] = 0;
  e.x = key;
  ROWS_UNROLL
  for (scanrt_u32 w = 0; w < MARK_WORDS; w++) words[w] = e.word[w];
}
#elif LOOKS_BESIDE
typedef scanrt_mark_t scanrt_key;
#if SELECT_BYTES == 8
#define KEY_OF(words, k) ((scanrt_mark_t)(words)[2 * (k) + 1] << 32 | (words)[2 * (k)])
#else
#define KEY_OF(words, k) ((scanrt_mark_t)((words)[(k)*SELECT_BYTES / 4] >> (k)*SELECT_BYTES % 4 * 8))
#endif
#define DIFFERS(job, before, key) ((scanrt_u32)(IS_START((before), (key)) ? 1 : 0))

FUNC void scanrt_key_put(scanrt_u32 *words, scanrt_key key) {
  words[0] = (scanrt_u32)key;
#if SELECT_BYTES == 8
  words[1] = (scanrt_u32)(key >> 32);
#endif
}
#endif

#if LOOKS_BESIDE
#define KEYS(job) ((GLOBAL const scanrt_key *)(job)->in)

/* Loads the key before each vector, or with SELECT_LAST the key after it; where registers are exchanged, the key before
 * the part, or after it. At an end of the array it is any key. */
FUNC void scanrt_marks_load(const scanrt_select_job *job, scanrt_u64 first, scanrt_u32 items, scanrt_select_tile *t) {
  const scanrt_u32 is_last = (job->flags & SELECT_LAST) != 0;
  (void)items;
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < MARKED_ROWS; r++) {
#if SCAN_SHUFFLE
    const scanrt_u64 at = first + ITEM() / 32 * PART_ITEMS;
    const scanrt_u32 behind = PART_ITEMS;
#else
    const scanrt_u64 at = first + VECTOR_AT(r);
    const scanrt_u32 behind = VEC_ITEMS;
#endif
    const scanrt_u64 wanted = at + (is_last ? behind : 0) - !is_last; /* element 0: wraps around */
    const scanrt_key key = KEYS(job)[wanted < job->n ? wanted : 0];
    scanrt_key_put(t->mark + r * MARK_WORDS, key);
  }
}

#if SCAN_SHUFFLE
/* Returns the key beside the lane's vector: `own` of the lane before, or of the lane behind if is_last is 1. The lane
 * at the row's end gets *carried, which is then set to `own` of the lane at the other end. */
FUNC scanrt_key scanrt_key_beside(scanrt_key own, scanrt_u32 is_last, scanrt_u32 *carried) {
  const scanrt_u32 lane = ITEM() % 32, from = (is_last ? lane + 1 : lane + 31) % 32;
  scanrt_u32 word[MARK_WORDS];
  scanrt_key_put(word, own);
  ROWS_UNROLL
  for (scanrt_u32 w = 0; w < MARK_WORDS; w++) {
    const scanrt_u32 other = scanrt_shuffle_from_u32(word[w], from);
    word[w] = lane == (is_last ? 31 : 0) ? carried[w] : other;
    carried[w] = other;
  }
  return KEY_OF(word, 0);
}
#endif

/* Returns a bit for each element of a vector: 1 if a run begins with it. `before` is the key before the vector. */
FUNC scanrt_u32 scanrt_vector_run_starts(const scanrt_select_job *job, const scanrt_u32 *words, scanrt_key before) {
  scanrt_u32 bits = 0;
  (void)job;
  ROWS_UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    const scanrt_key key = KEY_OF(words, k);
    bits |= DIFFERS(job, before, key) << k;
    before = key;
  }
  return bits;
}

/* Returns a bit for each element of a vector: 1 if a run ends with it. `behind` is the key after the vector. */
FUNC scanrt_u32 scanrt_vector_ends(const scanrt_select_job *job, const scanrt_u32 *words, scanrt_key behind) {
  scanrt_u32 bits = 0;
  (void)job;
  ROWS_UNROLL
  for (scanrt_u32 k = VEC_ITEMS; k > 0; k--) {
    const scanrt_key key = KEY_OF(words, k - 1);
    bits |= DIFFERS(job, key, behind) << (k - 1);
    behind = key;
  }
  return bits;
}

/* Returns the bits of row r, whose vector is compared with the key beside it. */
FUNC scanrt_u32 scanrt_row_bits(const scanrt_select_job *job, const scanrt_select_tile *t, scanrt_u32 r,
                                scanrt_u32 is_last, scanrt_key beside) {
  const scanrt_u32 row = is_last ? scanrt_vector_ends(job, t->word + 4 * r, beside)
                                 : scanrt_vector_run_starts(job, t->word + 4 * r, beside);
  return row << r * VEC_ITEMS;
}

/* Returns the bit of the array's first element, or of its last one with SELECT_LAST, which is always kept; 0 if the
 * work-item does not have it. */
FUNC scanrt_u32 scanrt_end_bit(const scanrt_select_job *job, scanrt_u64 first) {
  const scanrt_u64 end = job->flags & SELECT_LAST ? job->n - 1 : 0, at = end - first;
  if (at >= TILE_ITEMS) return 0;
  const scanrt_u32 in_part = (scanrt_u32)at - VECTOR_AT(0), row = in_part / ROW_ITEMS, k = in_part % ROW_ITEMS;
  return in_part < PART_ITEMS && k < VEC_ITEMS ? 1u << (row * VEC_ITEMS + k) : 0;
}

#if SCAN_SHUFFLE
/* Rows are taken in the order in which keys are carried from row to row. */
FUNC scanrt_u32 scanrt_rows_bits(const scanrt_select_job *job, const scanrt_select_tile *t, scanrt_u32 is_last) {
  scanrt_u32 bits = 0, carried[MARK_WORDS];
  ROWS_UNROLL
  for (scanrt_u32 w = 0; w < MARK_WORDS; w++) carried[w] = t->mark[w];
  ROWS_UNROLL
  for (scanrt_u32 k = 0; k < ROWS; k++) {
    const scanrt_u32 r = is_last ? ROWS - 1 - k : k;
    const scanrt_key own = KEY_OF(t->word + 4 * r, is_last ? 0 : VEC_ITEMS - 1);
    bits |= scanrt_row_bits(job, t, r, is_last, scanrt_key_beside(own, is_last, carried));
  }
  return bits;
}

FUNC scanrt_u32 scanrt_tile_bits(const scanrt_select_job *job, scanrt_u64 first, const scanrt_select_tile *t) {
  const scanrt_u32 bits = job->flags & SELECT_LAST ? scanrt_rows_bits(job, t, 1) : scanrt_rows_bits(job, t, 0);
  return bits | scanrt_end_bit(job, first);
}
#else
FUNC scanrt_u32 scanrt_tile_bits(const scanrt_select_job *job, scanrt_u64 first, const scanrt_select_tile *t) {
  const scanrt_u32 is_last = (job->flags & SELECT_LAST) != 0;
  scanrt_u32 bits = scanrt_end_bit(job, first);
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++)
    bits |= scanrt_row_bits(job, t, r, is_last, KEY_OF(t->mark + r * MARK_WORDS, 0));
  return bits;
}
#endif

FUNC scanrt_u32 scanrt_keep_one(const scanrt_select_job *job, scanrt_u64 i) {
  const scanrt_u64 next = i + ((job->flags & SELECT_LAST) != 0);
  if (next == 0 || next == job->n) return 1;
  const scanrt_key before = KEYS(job)[next - 1], key = KEYS(job)[next];
  return DIFFERS(job, before, key);
}

#else
FUNC void scanrt_marks_load(const scanrt_select_job *job, scanrt_u64 first, scanrt_u32 items, scanrt_select_tile *t) {
  (void)job, (void)first, (void)items, (void)t;
}

FUNC scanrt_u32 scanrt_tile_bits(const scanrt_select_job *job, scanrt_u64 first, const scanrt_select_tile *t) {
  scanrt_u32 bits = 0;
  ROWS_UNROLL
  for (scanrt_u32 b = 0; b < ROWS * VEC_ITEMS; b++) {
    const scanrt_u32 r = b / VEC_ITEMS, k = b % VEC_ITEMS;
    const scanrt_keep_element_t x = scanrt_looked_at(t->word + 4 * r, k);
    bits |= (SCAN_SOURCE_KEEP(x, first + VECTOR_AT(r) + k, job->params.p) ? 1u : 0u) << b;
  }
  return bits;
}

FUNC scanrt_u32 scanrt_keep_one(const scanrt_select_job *job, scanrt_u64 i) {
  const scanrt_keep_element_t x = ((GLOBAL const scanrt_keep_element_t *)job->in)[i];
  return SCAN_SOURCE_KEEP(x, i, job->params.p) ? 1 : 0;
}
#endif
#endif

/* ---- a tile ---- */

FUNC void scanrt_tile_load(const scanrt_select_job *job, scanrt_u32 tile, scanrt_select_tile *t) {
  const scanrt_u64 first = scanrt_tile_first(tile);
  const scanrt_u32 items = scanrt_tile_items(job, tile);
  scanrt_elements_load(job, first, items, t);
  scanrt_marks_load(job, first, items, t);
}

/* Returns 0 through a data dependence on every loaded word, so that publication cannot pass the loads. */
FUNC scanrt_u32 scanrt_tile_wait(const scanrt_select_job *job, const scanrt_select_tile *t) {
  scanrt_u32 all = 0;
  ROWS_UNROLL
  for (scanrt_u32 w = 0; w < ROWS * 4; w++) all |= t->word[w];
  return all & job->flags & FLAG_NEVER_SET;
}

/* Returns the bits of the tile's existing elements. With SELECT_OVER they depend on all loads: once they are counted,
 * other work-groups may overwrite the tile. */
FUNC scanrt_u32 scanrt_tile_keep(const scanrt_select_job *job, scanrt_u32 tile, const scanrt_select_tile *t) {
  const scanrt_u32 items = scanrt_tile_items(job, tile);
  scanrt_u32 bits = scanrt_tile_bits(job, scanrt_tile_first(tile), t);
  if (job->flags & SELECT_OVER) bits |= scanrt_tile_wait(job, t);
  if (items == TILE_ITEMS) return bits;
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++) {
    const scanrt_u32 e = VECTOR_AT(r), left = e < items ? items - e : 0;
    if (left < VEC_ITEMS) bits &= ~(((ROW_BITS >> left) << left) << r * VEC_ITEMS);
  }
  return bits;
}
#endif
