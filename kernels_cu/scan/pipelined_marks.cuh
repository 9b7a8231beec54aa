/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts of segments in the stages of the pipelined scan. Marks (kernels_cl/lib/segments_source.h) are copied with a
 * tile. If they do not begin at a multiple of 16 bytes, a stage has the rest of the first and last 16 bytes, too, and
 * they are shifted when they are read. Included by pipelined.cuh. */
#ifndef SCANRT_PIPELINED_MARKS_CUH
#define SCANRT_PIPELINED_MARKS_CUH

#if SCAN_SEGMENTS
#define PIPE_MARKS_PART (PIPE_MARKS_BYTES / PIPE_PRODUCERS)
static_assert(PIPE_MARKS_PART % 16 == 0, "a producer copies vectors of 16 bytes");

#define MARKS_OPEN(p) (p).marks_shift = (scanrt_u32)(ADDRESS((p).job.segment_flags) % 16)
#define MARKS_SHIFTED(p) ((p).marks_shift)

/* Returns the state of a scan whose marks are not shifted, which the compiler then knows. */
FUNC scanrt_pipe scanrt_marks_aligned(scanrt_pipe p) {
  p.marks_shift = 0;
  return p;
}

#if SCAN_SEGMENTS == 2
#define MARKS_OF_16_BYTES 128
#else
#define MARKS_OF_16_BYTES (16 / MARK_BYTES)
#endif

/* Returns 1 if 16 bytes before the tile's marks are copied, with the key that its first one is compared with. Marks
 * that are shifted have it among their own. */
FUNC scanrt_u32 scanrt_marks_before(const scanrt_pipe &p, scanrt_u32 tile) {
  return SCAN_SEGMENTS == 3 && tile > 0 && p.marks_shift == 0;
}

/* Returns 1 if a producer's part has 16 bytes more than the others': those before the marks, or the last ones. */
FUNC scanrt_u32 scanrt_marks_edge(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 part) {
  return part == 0 && (scanrt_marks_before(p, tile) || p.marks_shift);
}
#define MARKS_EXPECTED(p, tile, part) (PIPE_MARKS_PART + (scanrt_marks_edge((p), (tile), (part)) ? 16 : 0))

/* Returns where a tile's marks are copied to, from a multiple of 16 bytes on: 16 bytes earlier if they are shifted. */
FUNC unsigned char *scanrt_stage_marks(const scanrt_pipe &p, const scanrt_pipe_place &at) {
  return p.ring + at.stage * PIPE_STAGE_BYTES + PIPE_MARKS_AT - (p.marks_shift ? 16 : 0);
}

/* Copies a warp's part of the marks of a tile that is copied at once. */
FUNC void scanrt_marks_copy(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 part) {
  const scanrt_u32 lane = ITEM() % 32, has_edge = scanrt_marks_edge(p, tile, part);
  const scanrt_u64 own = part * PIPE_MARKS_PART, from_start = tile * (scanrt_u64)PIPE_MARKS_BYTES;
  const int edge = p.marks_shift ? PIPE_MARKS_BYTES : -16;
  unsigned char *const to = scanrt_stage_marks(p, at);
  const scanrt_u8 *const from = p.job.segment_flags + from_start - p.marks_shift;
#if PIPE_BULK_COPY
  scanrt_u64 *const full = &p.shared->full[at.stage];
  if (lane == 0) scanrt_async_copy(to + own, from + own, PIPE_MARKS_PART, full);
  if (lane == 0 && has_edge) scanrt_async_copy(to + edge, from + edge, 16, full);
#else
  for (scanrt_u32 i = lane * 16; i < PIPE_MARKS_PART; i += 512) scanrt_async_copy16(to + own + i, from + own + i);
  if (lane == 0 && has_edge) scanrt_async_copy16(to + edge, from + edge);
#endif
}
#define MARKS_COPY(p, at, tile, part) scanrt_marks_copy((p), (at), (tile), (part))

#if SCAN_SEGMENTS == 2
typedef scanrt_u32 scanrt_chunk_marks_t;
#define MARKS_THERE(items) (((items) + 31) / 32 * 4)
#else
typedef scanrt_mark_t scanrt_chunk_marks_t;
#define MARKS_THERE(items) ((items)*MARK_BYTES)
#endif

/* Copies a warp's part of the marks of the last tile. */
FUNC void scanrt_marks_fill(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 part) {
  const scanrt_u32 lane = ITEM() % 32;
  const scanrt_u64 there = MARKS_THERE(p.job.n - tile * TILE_ITEMS) + p.marks_shift;
  unsigned char *const to = scanrt_stage_marks(p, at);
  const scanrt_u8 *const from = p.job.segment_flags + tile * (scanrt_u64)PIPE_MARKS_BYTES - p.marks_shift;
  NO_UNROLL
  for (scanrt_u32 i = (part * 32 + lane) * 16; i < PIPE_MARKS_BYTES + (p.marks_shift ? 16 : 0);
       i += PIPE_PRODUCERS * 512)
    scanrt_chunk_fill<scanrt_chunk_marks_t>(to + i, from + i, there > i ? there - i : 0);
  if (lane == 0 && part == 0 && scanrt_marks_before(p, tile))
    ((scanrt_chunk_marks_t *)to)[-1] = ((const scanrt_chunk_marks_t *)from)[-1];
}
#define MARKS_FILL(p, at, tile, part) scanrt_marks_fill((p), (at), (tile), (part))

/* Returns where segments begin in the work-item's vector of a row of a tile in its stage. */
FUNC scanrt_segment_bits scanrt_staged_segment_bits(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                                    scanrt_u32 sub, scanrt_u32 r) {
  const scanrt_u32 lane = ITEM() % 32, item = (sub * SUBTILE_ROWS * ROW_VECS + lane) * VEC_ITEMS; /* in the first row */
#if SCAN_SEGMENTS == 2
  const scanrt_u32 *const words = (const scanrt_u32 *)(scanrt_stage_marks(p, at) + p.marks_shift) + item / 32;
  scanrt_segment_bits segment_bits = scanrt_segment_bits_from(words[r * ROW_ITEMS / 32] >> (item % 32), VEC_ITEMS);
#else
  const scanrt_mark_t *const marks = (const scanrt_mark_t *)(scanrt_stage_marks(p, at) + p.marks_shift) + item;
  scanrt_mark_items m;
  if (p.marks_shift % sizeof(scanrt_marks_t) == 0) {
    UNROLL
    for (scanrt_u32 k = 0; k < MARKS_PARTS; k++) m.part[k] = ((const scanrt_marks_t *)(marks + r * ROW_ITEMS))[k];
  } else {
#if MARK_BYTES < 4 && MARKS_BYTES >= 4
    const unsigned char *const begin = (const unsigned char *)(marks + r * ROW_ITEMS);
    const scanrt_u32 *const words = (const scanrt_u32 *)(begin - p.marks_shift % 4);
    UNROLL
    for (scanrt_u32 k = 0; k < MARKS_BYTES / 4; k++)
      m.word[k] = __funnelshift_r(words[k], words[k + 1], p.marks_shift * 8);
#else
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) m.x[k] = marks[r * ROW_ITEMS + k];
#endif
  }
  scanrt_segment_bits segment_bits =
      scanrt_segment_bits_of(SCAN_SEGMENTS == 3 ? marks[(int)(r * ROW_ITEMS) - 1] : 0, &m);
#if SCAN_SEGMENTS == 1 && MARKS_BYTES == 4
  segment_bits.within = m.word[0];
#endif
#endif
  if (r == 0 && sub == 0) segment_bits = scanrt_segment_bits_first(&p.job, segment_bits, tile == 0 && lane == 0);
  return segment_bits;
}
#else
#define MARKS_OPEN(p) (void)0
#define MARKS_SHIFTED(p) 0
#define scanrt_marks_aligned(p) (p)
#define MARKS_EXPECTED(p, tile, part) 0
#define MARKS_COPY(p, at, tile, part) (void)0
#define MARKS_FILL(p, at, tile, part) (void)0
#endif
#endif
