/* SPDX-License-Identifier: BSD-2-Clause */
/* What the pipelined scan knows of the vectors in its stages besides their elements: of types from source where they
 * lie, and of segmented scans which elements begin segments. Marks (kernels_cl/segments_source.h) are copied with a
 * tile where they begin at a multiple of 16 bytes. Included by pipelined.cuh. */
#if SCAN_TYPE == 0
#define VECTOR_STAGED(p, tile, sub, r, heads, loaded)                                                                  \
  vector_with_heads(&(p).job, row_first((tile), (sub), (r)), (heads), (loaded))
#else
#define VECTOR_STAGED(p, tile, sub, r, heads, loaded) VECTOR_LOADED(loaded)
#endif

#if SCAN_SEGMENTS
#define PIPE_MARKS_PART (PIPE_MARKS_BYTES / PIPE_PRODUCERS)
static_assert(PIPE_MARKS_PART % 16 == 0, "a producer copies vectors of 16 bytes");

#define MARKS_OPEN(p) (p).marks_staged = ADDRESS((p).job.heads) % 16 == 0

/* Whether the part of a producer has the mark before the tile: keys are compared with it. */
FUNC scan_u32 marks_before(scan_u32 tile, scan_u32 part) { return SCAN_SEGMENTS == 3 && tile > 0 && part == 0; }

FUNC scan_u32 marks_expected(const pipe &p, scan_u32 tile, scan_u32 part) {
  return p.marks_staged ? PIPE_MARKS_PART + (marks_before(tile, part) ? PIPE_BEFORE_BYTES : 0) : 0;
}
#define MARKS_EXPECTED(p, tile, part) marks_expected((p), (tile), (part))

FUNC unsigned char *stage_marks(const pipe &p, const pipe_place &at) {
  return p.ring + at.stage * PIPE_STAGE_BYTES + PIPE_MARKS_AT;
}

/* One warp's part of the marks of a tile that is copied as it lies. */
FUNC void marks_copy(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 part) {
  const scan_u32 lane = ITEM() % 32, before = marks_before(tile, part);
  const scan_u64 own = part * PIPE_MARKS_PART, from_start = tile * (scan_u64)PIPE_MARKS_BYTES;
  unsigned char *const to = stage_marks(p, at);
  const scan_u8 *const from = p.job.heads + from_start;
  if (!p.marks_staged) return;
#if PIPE_BULK_COPY
  scan_u64 *const full = &p.shared->full[at.stage];
  if (lane == 0) async_copy(to + own, from + own, PIPE_MARKS_PART, full);
  if (lane == 0 && before) async_copy(to - PIPE_BEFORE_BYTES, from - PIPE_BEFORE_BYTES, PIPE_BEFORE_BYTES, full);
#else
  for (scan_u32 i = lane * 16; i < PIPE_MARKS_PART; i += 512) async_copy16(to + own + i, from + own + i);
  if (lane == 0 && before) async_copy16(to - PIPE_BEFORE_BYTES, from - PIPE_BEFORE_BYTES);
#endif
}
#define MARKS_COPY(p, at, tile, part) marks_copy((p), (at), (tile), (part))

/* Bit k: a segment begins with element k of the work-item's vector in a row of a whole tile. */
FUNC scan_u32 staged_heads(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 sub, scan_u32 r) {
  const scan_u32 vector = (sub * SUBTILE_ROWS + r) * ROW_VECS + ITEM() % 32;
  if (!p.marks_staged) return vector_heads(&p.job, row_first(tile, sub, r), VEC_ITEMS);
#if SCAN_SEGMENTS == 2
  const scan_u32 item = vector * VEC_ITEMS;
  const scan_u32 heads = ((const scan_u32 *)stage_marks(p, at))[item / 32] >> (item % 32);
#else
  const mark_t *const marks = (const mark_t *)stage_marks(p, at) + vector * VEC_ITEMS;
  mark_items m;
  UNROLL
  for (scan_u32 k = 0; k < MARKS_PARTS; k++) m.part[k] = ((const marks_t *)marks)[k];
  const scan_u32 heads = heads_of(SCAN_SEGMENTS == 3 ? marks[-1] : 0, &m);
#endif
  return tile == 0 && vector == 0 ? heads | 1 : heads;
}
#define STAGED_HEADS(p, at, tile, sub, r) staged_heads((p), (at), (tile), (sub), (r))

/* Those of all rows, kept for when the vectors are read again. */
#define HEADS_WORDS ((SUBTILE_ROWS * VEC_ITEMS + 31) / 32)
struct kept_heads {
  scan_u32 word[HEADS_WORDS];
};

FUNC kept_heads heads_keep(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 sub) {
  kept_heads kept;
  UNROLL
  for (scan_u32 w = 0; w < HEADS_WORDS; w++) kept.word[w] = 0;
  UNROLL
  for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const scan_u32 heads = staged_heads(p, at, tile, sub, r) & ((1u << VEC_ITEMS) - 1);
    kept.word[r * VEC_ITEMS / 32] |= heads << (r * VEC_ITEMS % 32);
  }
  return kept;
}
#define KEPT_HEADS(name, p, at, tile, sub) const kept_heads name = heads_keep((p), (at), (tile), (sub))
#define ROW_HEADS(kept, r) ((kept).word[(r)*VEC_ITEMS / 32] >> ((r)*VEC_ITEMS % 32))
#else
#define MARKS_OPEN(p) (void)0
#define MARKS_EXPECTED(p, tile, part) 0
#define MARKS_COPY(p, at, tile, part) (void)0
#define STAGED_HEADS(p, at, tile, sub, r) 0
#define KEPT_HEADS(name, p, at, tile, sub) (void)0
#define ROW_HEADS(kept, r) 0
#endif
