/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction where few elements are kept: only marks are copied to stages, and elements are loaded where some are kept.
 * A tile has SPARSE_ITEMS elements. Compactors list the kept ones in the stage, 2 bytes each, and prefetch them to L2;
 * if more than half are kept, they list the dropped ones. A writer has a tile of up to SPARSE_ALONE kept elements to
 * itself. The output is not the input.
 * Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_SPARSE_CUH
#define SCANRT_SELECT_PIPELINED_SPARSE_CUH

#define SPARSE_WORDS 4 /* of 32 bits, which a lane has of a part */
#define SPARSE_PART (SPARSE_WORDS * 1024)
#define SPARSE_ITEMS (PIPE_COMPACTORS * SPARSE_PART)
#define SPARSE_LISTED (SPARSE_ITEMS / 2) /* the most elements of a list */
#define SPARSE_STAGE_BYTES (STAGE_TILE + 2 * SPARSE_LISTED + 128)
#define SPARSE_ALONE 1024
#define SPARSE_SAMPLES 512
#define SPARSE_SAMPLE_ITEMS 16
static_assert(SPARSE_SAMPLES <= PIPE_ITEMS, "a work-item has at most one sample");

/* Returns the number of kept elements in the work-item's sample. */
FUNC scanrt_u32 scanrt_sample_count(const scanrt_pipe &p) {
  const scanrt_u64 each = p.n / SPARSE_SAMPLE_ITEMS / SPARSE_SAMPLES;
  const scanrt_u64 sample = ITEM() * each + (ITEM() * 2654435761u * each >> 32);
#if SELECT_BY == SELECT_BY_FLAGS
  scanrt_u32 word[4];
  scanrt_vector_load((const uint4 *)p.marks + sample, word);
  return BITS_SET(UPPER_BITS(word[0]) | UPPER_BITS(word[1]) >> 1 | UPPER_BITS(word[2]) >> 2 | UPPER_BITS(word[3]) >> 3);
#else
  return BITS_SET(((const scanrt_u32 *)p.marks)[sample / 2] >> sample % 2 * 16 & 0xffffu);
#endif
}

/* Returns 1 if few elements are kept, and few samples have any. All work-groups return the same. */
FUNC scanrt_u32 scanrt_is_sparse(const scanrt_pipe &p) {
  const scanrt_u32 aligned = SELECT_BY != SELECT_BY_FLAGS || p.marks_shift == 0;
  const scanrt_u32 simple = (p.flags & (SELECT_REST | SELECT_EMITS | SELECT_PLACES | SELECT_OVER)) == 0;
  if (!aligned || !simple || p.n < (scanrt_u64)GROUPS() * SPARSE_ITEMS * TUNE_SELECT_SPARSE_TILES) return 0;
  if (ITEM() < SPARSE_SAMPLES) {
    const scanrt_u32 own = scanrt_sample_count(p), sum = scanrt_warp_sum(own << 16 | (own != 0));
    if (ITEM() % 32 == 0) p.shared->samples[ITEM() / 32] = sum;
  }
  BARRIER();
  scanrt_u32 all = 0;
  for (scanrt_u32 w = 0; w < SPARSE_SAMPLES / 32; w++) all += p.shared->samples[w];
  const scanrt_u32 kept = all >> 16, samples = all & 0xffffu;
  return kept * 100 < SPARSE_SAMPLES * SPARSE_SAMPLE_ITEMS * TUNE_SELECT_SPARSE_KEPT &&
         samples * 100 < SPARSE_SAMPLES * TUNE_SELECT_SPARSE_SAMPLES;
}

/* A lane's bits of a part: word w has elements w * 1024 + lane * 32 and the next 31. */
typedef struct scanrt_sparse_part {
  scanrt_u32 bits[SPARSE_WORDS], before[SPARSE_WORDS]; /* before: the number of kept elements of the part before it */
} scanrt_sparse_part;

/* Returns the index in the tile of a word's first element. */
FUNC scanrt_u32 scanrt_sparse_first(scanrt_u32 part, scanrt_u32 w) {
  return part * SPARSE_PART + w * 1024 + ITEM() % 32 * 32;
}

/* Returns the bits of the word of which element `first` of the tile is the first. */
FUNC scanrt_u32 scanrt_sparse_bits(const scanrt_pipe &p, const unsigned char *stage, scanrt_u32 first) {
#if SELECT_BY == SELECT_BY_FLAGS
  const scanrt_u32 second = ITEM() / 4 % 2; /* lanes that would meet in a bank take the other vector first */
  scanrt_u32 halves[2];
  UNROLL
  for (scanrt_u32 i = 0; i < 2; i++) {
    scanrt_u32 word[4];
    scanrt_vector_load((const uint4 *)(stage + STAGE_TILE + first) + (i ^ second), word);
    halves[i] = 0;
    UNROLL
    for (scanrt_u32 k = 0; k < 4; k++) halves[i] |= BITS_OF_FLAGS(word[k]) << 4 * k;
  }
  return second ? halves[1] | halves[0] << 16 : halves[0] | halves[1] << 16;
#else
  return ((const scanrt_u32 *)(stage + STAGE_TILE + p.marks_shift))[first / 32];
#endif
}

/* Returns a word whose lowest `items` bits are set. */
FUNC scanrt_u32 scanrt_bits_below_item(scanrt_u32 items) { return items < 32 ? (1u << items) - 1 : ~0u; }

/* Loads a part of a tile; returns the number of its kept elements. */
FUNC scanrt_u32 scanrt_sparse_load(const scanrt_pipe &p, const unsigned char *stage, scanrt_u32 tile, scanrt_u32 part,
                                   scanrt_sparse_part &x) {
  const scanrt_u32 items = scanrt_tile_items(p, tile);
  scanrt_u32 before = 0;
  UNROLL
  for (scanrt_u32 w = 0; w < SPARSE_WORDS; w++) {
    const scanrt_u32 first = scanrt_sparse_first(part, w);
    x.bits[w] = scanrt_sparse_bits(p, stage, first);
    if (items < SPARSE_ITEMS) x.bits[w] &= first < items ? scanrt_bits_below_item(items - first) : 0;
  }
  UNROLL
  for (scanrt_u32 w = 0; w < SPARSE_WORDS; w += 2) {
    scanrt_u32 all;
    const scanrt_u32 two = scanrt_count_below(BITS_SET(x.bits[w]) | BITS_SET(x.bits[w + 1]) << 16, &all);
    x.before[w] = before + (two & 0xffffu);
    before += all & 0xffffu;
    x.before[w + 1] = before + (two >> 16);
    before += all >> 16;
  }
  return before;
}

/* Lists a part's elements: those kept, or if there are too many the others. `all` elements of the tile are kept,
 * `before` of them before the part. */
FUNC void scanrt_sparse_list(const scanrt_pipe &p, unsigned char *stage, scanrt_u32 tile, scanrt_u32 part,
                             const scanrt_sparse_part &x, scanrt_u32 all, scanrt_u32 before) {
  scanrt_u16 *const list = (scanrt_u16 *)(stage + STAGE_TILE);
  const unsigned char *const in = p.in + scanrt_tile_first(p, tile) * SELECT_BYTES;
  const scanrt_u32 items = scanrt_tile_items(p, tile);
  UNROLL
  for (scanrt_u32 w = 0; w < SPARSE_WORDS; w++) {
    const scanrt_u32 first = scanrt_sparse_first(part, w);
    scanrt_u32 bits = x.bits[w], at = before + x.before[w];
    if (all > SPARSE_LISTED) {
      bits = ~bits & (first < items ? scanrt_bits_below_item(items - first) : 0);
      at = first - at;
    }
    NO_UNROLL
    while (bits != 0) {
      const scanrt_u32 item = first + LAST_BIT(bits & (0u - bits));
      list[at++] = (scanrt_u16)item;
      PREFETCH(in + (scanrt_u64)item * SELECT_BYTES);
      bits &= bits - 1;
    }
  }
}

/* Returns the index in the tile of kept element r of `count`, by the list. */
FUNC scanrt_u32 scanrt_sparse_item(const scanrt_u16 *list, scanrt_u32 items, scanrt_u32 count, scanrt_u32 r) {
  if (count <= SPARSE_LISTED) return list[r];
  scanrt_u32 low = 0, high = items - count; /* the dropped elements before it are looked for by halving */
  while (low < high) {
    const scanrt_u32 middle = (low + high) / 2;
    if (list[middle] - middle <= r)
      low = middle + 1;
    else
      high = middle;
  }
  return r + low;
}

/* Writes a tile's kept elements by warp `writer` of `writers`, in words of 4 bytes. */
FUNC void scanrt_sparse_write(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 writer,
                              scanrt_u32 writers) {
  const scanrt_u32 count = p.shared->count[at.slot], items = scanrt_tile_items(p, tile), each = SELECT_BYTES / 4;
  const scanrt_u64 prefix = p.shared->prefix[at.slot];
  const scanrt_u16 *const list = (const scanrt_u16 *)(scanrt_stage_of(p, at) + STAGE_TILE);
  const scanrt_u32 *const in = (const scanrt_u32 *)(p.in + scanrt_tile_first(p, tile) * SELECT_BYTES);
  scanrt_u32 *const out = (scanrt_u32 *)(p.out + prefix * SELECT_BYTES);
  const scanrt_u32 words = scanrt_fitting(prefix, count, p.capacity) * each;
  NO_UNROLL
  for (scanrt_u32 first = writer * 32; first < words; first += writers * 32 * PIPE_LINES) {
    scanrt_u32 x[PIPE_LINES];
    UNROLL
    for (scanrt_u32 u = 0; u < PIPE_LINES; u++) {
      const scanrt_u32 at_word = first + u * writers * 32 + ITEM() % 32, r = at_word < words ? at_word : 0;
      x[u] = in[scanrt_sparse_item(list, items, count, r / each) * each + r % each];
    }
    UNROLL
    for (scanrt_u32 u = 0; u < PIPE_LINES; u++) {
      const scanrt_u32 r = first + u * writers * 32 + ITEM() % 32;
      if (r < words) out[r] = x[u];
    }
  }
}

FUNC void scanrt_role_write_sparse(const scanrt_pipe &p, scanrt_u32 writer) {
  for (scanrt_pipe_place at = { 0, 0, 0, 0 };; scanrt_place_next(p, at, 1)) {
    const scanrt_u32 tile = scanrt_stage_turn(p, at);
    if (tile >= p.turns) return;
    scanrt_mbarrier_wait(&p.shared->compacted[at.slot], at.phase);
    const scanrt_u32 is_alone = p.shared->count[at.slot] <= SPARSE_ALONE;
    if (!is_alone || at.turn % PIPE_WRITERS == writer) {
      scanrt_mbarrier_wait(&p.shared->prefixed[at.slot], at.phase);
      scanrt_sparse_write(p, at, tile, is_alone ? 0 : writer, is_alone ? 1 : PIPE_WRITERS);
    }
    scanrt_warp_arrive(&p.shared->empty[at.slot]);
  }
}
#endif
