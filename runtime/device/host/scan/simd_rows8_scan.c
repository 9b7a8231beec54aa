/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/simd_rows8_scan.h"

#include "device/host/scan/host_rows.h"
#include "device/host/host_stream.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { MOST_ITEMS = BLOCK_BYTES / 4, MARK_BYTES = MOST_ITEMS / 8 };

static uint32_t block_items(const job *j) { return (uint32_t)(SUBTILE_ROWS * j->row_items); }

int scan_simd_rows8_reads(const job *j, uint64_t first) {
  return j->block.ops != NULL && j->n - first >= block_items(j);
}

/* Rows write a total's output. */
int scan_simd_rows8_writes(const job *j, uint64_t first) {
  return scan_simd_rows8_reads(j, first) && (j->stores || j->n - first > block_items(j));
}

/* ---- segment flags ---- */

/* Sets a bit for each of n bytes that is not 0; n is a multiple of 16. */
static void flags_pack(const uint8_t *bytes, uint32_t n, uint8_t *bits) {
#if defined(__SSE2__)
  for (uint32_t i = 0; i < n; i += 16) {
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
    const uint16_t some = (uint16_t)~_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128()));
    memcpy(bits + i / 8, &some, sizeof some);
  }
#elif defined(__aarch64__)
  const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  for (uint32_t i = 0; i < n; i += 16) {
    const uint8x16_t x = vld1q_u8(bytes + i);
    uint8x16_t sums = vandq_u8(vtstq_u8(x, x), bit);
    for (int step = 0; step < 3; step++) sums = vpaddq_u8(sums, sums);
    const uint16_t some = vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
    memcpy(bits + i / 8, &some, sizeof some);
  }
#else
  for (uint32_t i = 0; i < n; i += 8) {
    uint8_t all = 0;
    for (uint32_t k = 0; k < 8; k++) all |= (uint8_t)((bytes[i + k] != 0) << k);
    bits[i / 8] = all;
  }
#endif
}

/* 1 if marks lie side by side in the order of the scan. */
static int marks_are_packed(const job *j) { return !j->reversed && j->index_step == 1; }

/* Prefetches the marks that are read next. */
static void marks_ahead(const job *j, uint64_t at) {
  enum { LINE = 64 };
  const uint64_t bits = j->segments == SCAN_SEGMENTS_FLAGS  ? 8
                        : j->segments == SCAN_SEGMENTS_BITS ? 1
                                                            : j->key_bytes * 8;
  const uintptr_t marks =
      (uintptr_t)j->segment_flags + (uintptr_t)((at + j->ahead_items) * bits / 8); /* it may lie past the end */
  for (uint32_t i = 0; i < block_items(j) * bits / 8; i += LINE) __builtin_prefetch((const void *)(marks + i), 0, 2);
}

/* Sets a bit for each element of the block that begins a segment. */
static void block_marks(const job *j, uint64_t first, uint8_t bits[MARK_BYTES]) {
  const uint32_t n = block_items(j);
  const uint64_t at = index_of(j, first);
  if (j->ahead_items != 0) marks_ahead(j, at);
  if (j->segments == SCAN_SEGMENTS_FLAGS && marks_are_packed(j)) {
    flags_pack(j->segment_flags + at, n, bits);
  } else if (j->segments == SCAN_SEGMENTS_BITS && marks_are_packed(j) && at % 8 == 0) {
    memcpy(bits, j->segment_flags + at / 8, n / 8);
  } else {
    uint8_t bytes[MOST_ITEMS];
    (void)scan_host_row_flags(j, first, n, bytes);
    flags_pack(bytes, n, bits);
  }
  if (first == 0 && (j->first_is_start || j->first_clears)) bits[0] = (uint8_t)((bits[0] & ~1) | j->first_is_start);
}

/* Merges bits i and i + 1, i even, into one; the result is the lower half. */
static uint64_t halve(uint64_t x) {
  x = (x | x >> 1) & 0x5555555555555555u;
  x = (x | x >> 1) & 0x3333333333333333u;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
  x = (x | x >> 8) & 0x0000ffff0000ffffu;
  return (x | x >> 16) & 0xffffffffu;
}
static uint32_t halve4(uint32_t x) {
  x = (x | x >> 1) & 0x55555555u;
  x = (x | x >> 1) & 0x33333333u;
  x = (x | x >> 2) & 0x0f0f0f0fu;
  x = (x | x >> 4) & 0x00ff00ffu;
  return (x | x >> 8) & 0x0000ffffu;
}

/* Transposes the rows' bits into words of 4 bytes, and sets a bit for each of a row's 32 vectors that has one.
 * Compilers vectorise these loops over the rows. */
static void transpose_heads4(simd_rows8_flags *segment_flags, const uint8_t *bits, uint32_t vector_items) {
  uint32_t x[BLOCK_ROWS], vectors[BLOCK_ROWS] = { 0 };
  for (uint32_t w = 0; w < vector_items; w++) {
    for (uint32_t r = 0; r < BLOCK_ROWS; r++) memcpy(&x[r], bits + (size_t)(r * vector_items + w) * sizeof x[r], 4);
    memcpy((uint8_t *)segment_flags->elements + w * sizeof x, x, sizeof x);
    for (uint32_t k = vector_items; k > 1; k /= 2)
      for (uint32_t r = 0; r < BLOCK_ROWS; r++) x[r] = halve4(x[r]);
    for (uint32_t r = 0; r < BLOCK_ROWS; r++) vectors[r] |= x[r] << (w * ROW_VECTORS / vector_items);
  }
  memcpy(segment_flags->vectors, vectors, sizeof vectors);
}
static void transpose_heads8(simd_rows8_flags *segment_flags, const uint8_t *bits, uint32_t vector_items) {
  for (uint32_t r = 0; r < BLOCK_ROWS; r++) {
    uint64_t word = 0;
    memcpy(&word, bits + (size_t)r * vector_items * 4, vector_items == 2 ? 8 : 4);
    segment_flags->elements[r] = word;
    segment_flags->vectors[r] = vector_items == 2 ? halve(word) : word;
  }
}

void scan_simd_rows8_transpose_flags(simd_rows8_flags *segment_flags, const uint8_t *bits, uint32_t part_bytes,
                                     uint32_t vector_items) {
  (part_bytes == 4 ? transpose_heads4 : transpose_heads8)(segment_flags, bits, vector_items);
}

/* Returns 1 if a segment begins in the block at all. */
static int block_flags(const job *j, uint64_t first, simd_rows8_flags *segment_flags) {
  uint8_t bits[MARK_BYTES] = { 0 };
  const uint32_t n = block_items(j);
  uint64_t any = 0;
  block_marks(j, first, bits);
  for (uint32_t i = 0; i < n / 8; i += 8) {
    uint64_t word;
    memcpy(&word, bits + i, sizeof word);
    any |= word;
  }
  if (any == 0) return 0;
  scan_simd_rows8_transpose_flags(segment_flags, bits, j->block.ops->part_bytes, (uint32_t)j->vector_items);
  return 1;
}

/* ---- memory that a thread keeps between blocks ---- */

enum { KEPT_MOST = HOST_CHUNK_TILES * 8 };
typedef struct block_memory {
  simd_rows8_kept kept[KEPT_MOST];
  simd_rows8 late; /* results that bypass the cache while the next block is transposed */
  uint8_t *late_to;
  uint32_t late_bytes;
} block_memory;
_Static_assert(sizeof(block_memory) <= HOST_LANES_BYTES, "what a thread keeps does not fit");

static block_memory *memory_of(const job *j) { return (void *)j->lanes; }

void scan_simd_rows8_begin(const job *j) {
  block_memory *const memory = memory_of(j);
  if (memory == NULL) return;
  for (uint32_t i = 0; i < KEPT_MOST; i++) memory->kept[i].first = UINT64_MAX;
  memory->late_bytes = 0;
}

void scan_simd_rows8_end(const job *j) {
  const block_memory *const memory = memory_of(j);
  if (memory != NULL) scan_host_stream(memory->late_to, memory->late.bytes, memory->late_bytes);
}

/* Returns the memory that keeps a block's sums from reading to writing; NULL: none. */
static simd_rows8_kept *kept_at(const job *j, uint64_t first) {
  block_memory *const memory = memory_of(j);
  if (memory == NULL) return NULL;
  return &memory->kept[first / block_items(j) % ((uint64_t)HOST_CHUNK_TILES * j->subtiles)];
}

/* ---- a block ---- */

typedef struct block {
  uint64_t first;
  const simd_rows8 *values;              /* with the seed combined into each segment's first value */
  const simd_rows8_flags *segment_flags; /* NULL: no segment begins in the block */
  simd_rows8 x, seeded, buffer;
  simd_rows8_flags flag_bits;
} block;

/* Returns the values side by side, in the input or in the buffer. */
static const uint8_t *block_input(const job *j, uint64_t first, simd_rows8 *buffer) {
  if (j->block.input == NULL || j->in_step != 2) return scan_host_values(j, first, block_items(j), buffer->bytes);
  j->block.input->widen((void *)buffer, input_at(j, first), block_items(j));
  return buffer->bytes;
}

/* Blocks that are written are visited in rising order; those that are only read, in falling order within a tile. */
static simd_rows8_between between_of(const job *j, uint64_t first) {
  const uintptr_t here = (uintptr_t)input_at(j, first), bytes = (uintptr_t)((int64_t)block_items(j) * j->in_step);
  if (j->ahead_items == 0) return (simd_rows8_between){ .next = here - bytes };
  return (simd_rows8_between){ .next = here + bytes, .later = (uintptr_t)input_at(j, first + j->ahead_items) };
}

static void block_open(const job *j, uint64_t first, block *b) {
  block_memory *const memory = memory_of(j);
  simd_rows8_between between = between_of(j, first);
  b->first = first;
  if (memory != NULL) {
    between.late = memory->late.bytes;
    between.late_to = memory->late_to;
    between.late_bytes = memory->late_bytes;
    memory->late_bytes = 0;
  }
  j->block.transpose->in(&b->x, block_input(j, first, &b->buffer), &between);
  b->values = &b->x;
  b->segment_flags = NULL;
  if (j->segments == SCAN_SEGMENTS_NONE || !block_flags(j, first, &b->flag_bits)) return;
  b->segment_flags = &b->flag_bits;
  if (!j->seed.there) return;
  b->seeded = b->x;
  j->block.ops->seed(&b->seeded, b->segment_flags, j->seed.bytes);
  b->values = &b->seeded;
}

static simd_rows8_value block_value(const value *v) {
  simd_rows8_value made = { .there = v->there & 1, .starts_segment = (v->there & STARTS_WITHIN) != 0 };
  memcpy(made.bytes, v->bytes, sizeof made.bytes);
  return made;
}

static void read_value(const job *j, const simd_rows8_value *from, value *v) {
  memcpy(v->bytes, from->bytes, j->source->bytes);
  v->there = 1 | (from->starts_segment ? STARTS_WITHIN : 0);
}

void scan_simd_rows8_reduce(const job *j, uint64_t first, value *total) {
  simd_rows8_kept *const kept = j->stores ? kept_at(j, first) : NULL;
  block b;
  simd_rows8_value folded;
  block_open(j, first, &b);
  if (kept != NULL) {
    j->block.ops->sums(b.values, b.segment_flags, &kept->sums, &folded);
    kept->first = first;
  } else {
    j->block.ops->fold(b.values, b.segment_flags, &folded);
  }
  read_value(j, &folded, total);
}

/* Marks the scan's first element as a segment's first, since nothing precedes it. */
static void begin_anew(block *b) {
  if (b->segment_flags == NULL) memset(&b->flag_bits, 0, sizeof b->flag_bits);
  b->segment_flags = &b->flag_bits;
  *(uint8_t *)b->flag_bits.elements |= 1;
}

/* 1 if an overflow before the block is known, so that one in the block cannot be the first. */
static int is_known(const job *j, uint64_t first) {
  enum { SHIFT = 31 };
  const uint64_t at = index_of(j, first), end = index_of(j, first + block_items(j));
  if (j->index_step < 0 || at >> SHIFT != end >> SHIFT) return 0;
  return atomic_load_explicit(&j->checks[at >> SHIFT], memory_order_relaxed) <= (at & ((UINT64_C(1) << SHIFT) - 1));
}

/* Notes the overflows of the block's steps from the values `before`. */
static void block_note(const job *j, const block *b, const simd_rows8 *before) {
  const size_t bytes = j->source->bytes;
  for (uint32_t i = 0; i < j->row_items; i++)
    for (uint32_t r = 0; r < BLOCK_ROWS; r++) {
      const size_t at = (i * BLOCK_ROWS + r) * bytes;
      const uint64_t index = b->first + r * j->row_items + i;
      const int has_before = j->seed.there || j->segments == SCAN_SEGMENTS_NONE || !element_is_start(j, index);
      if (has_before && j->source->overflows_host(before->bytes + at, b->x.bytes + at)) note_overflow(j, index);
    }
}

/* Writes the results to b->buffer, exclusive or inclusive, and the last inclusive one to `last`. */
static void block_chain(const job *j, block *b, const simd_rows8_starts *starts, int exclusive, void *last) {
  j->block.ops->chain(b->values, b->segment_flags, starts, j->seed.bytes, exclusive, &b->buffer, last);
  if (exclusive && j->plus_zero) scan_host_show_plus_zero(j, b->buffer.bytes, block_items(j));
}

/* Returns memory for results that are streamed later; NULL if they are not. */
static uint8_t *late_results(const job *j, uint8_t *out, uint32_t bytes) {
  block_memory *const memory = memory_of(j);
  if (memory == NULL || !j->streaming || (uintptr_t)out % 16 != 0) return NULL;
  memory->late_to = out;
  memory->late_bytes = bytes;
  return memory->late.bytes;
}

/* Stores the results of b->buffer, which are transposed; the memory of the values is reused for them in row order. */
static void block_store(const job *j, block *b) {
  const uint32_t n = block_items(j);
  const int is_packed = j->out_step == (int64_t)j->source->output_bytes;
  const int is_half = j->block.output != NULL && is_packed, is_plain = j->source->emit == NULL && is_packed;
  uint8_t *const out = output_at(j, b->first);
  uint8_t *const late = is_half || is_plain ? late_results(j, out, n * j->source->output_bytes) : NULL;
  uint8_t *const at_once = late != NULL ? late : j->streaming ? NULL : out, *const rows = b->x.bytes;
  if (is_plain && at_once != NULL) {
    j->block.transpose->out(at_once, &b->buffer);
    return;
  }
  j->block.transpose->out(rows, &b->buffer);
  if (!is_half) {
    scan_host_store(j, b->first, n, rows, rows);
    return;
  }
  j->block.output->narrow(at_once != NULL ? at_once : b->buffer.bytes, (const void *)rows, n);
  if (at_once == NULL) scan_host_stream(out, b->buffer.bytes, 2 * (size_t)n);
}

/* Computes the results as block_chain does. Overflows are found on the way if the operator has a loop for that; the
 * exact place is then found from the value before each step. */
static void block_results(const job *j, block *b, const simd_rows8_starts *starts, int exclusive, void *last) {
  const simd_rows8_ops *ops = j->block.ops;
  const int looks = j->checks != NULL, is_seeded = b->segment_flags != NULL && j->seed.there;
  if (looks && ops->checked != NULL && !is_seeded) {
    const int overflows = ops->checked(b->values, b->segment_flags, starts, j->seed.bytes, exclusive,
                                       j->source->checks_signed, &b->buffer, last);
    if (!overflows || is_known(j, b->first)) return;
  }
  if (looks) {
    block_chain(j, b, starts, 1, last);
    if (j->source->overflows_any(b->buffer.bytes, b->x.bytes, block_items(j)) && !is_known(j, b->first))
      block_note(j, b, &b->buffer);
  }
  if (!looks || !exclusive) block_chain(j, b, starts, exclusive, last);
}

/* Writes the block's results. `starts` holds its sums if they are `known`, else it is working memory. */
static void block_write(const job *j, uint64_t first, const value *tile, const value *subtiles, value *total,
                        simd_rows8_starts *starts, int known) {
  const simd_rows8_value before_tile = block_value(tile), before = block_value(subtiles);
  _Alignas(16) uint8_t last[16];
  simd_rows8_value folded;
  block b;
  block_open(j, first, &b);
  if (!known) j->block.ops->sums(b.values, b.segment_flags, starts, &folded);
  j->block.ops->starts(b.segment_flags, (simd_rows8_before){ &before_tile, &before }, starts, &folded);
  read_value(j, &folded, total);
  if (!tile->there && !subtiles->there) begin_anew(&b);
  const int emits = j->source->emit != NULL;
  const int exclusive = emits ? j->source->emit_ignores == EMIT_IGNORES_INCLUSIVE : !j->inclusive;
  block_results(j, &b, starts, exclusive, last);
  if (j->carry_out != NULL && first + block_items(j) == j->n) memcpy(j->carry_out, last, j->source->bytes);
  if (j->stores) block_store(j, &b);
}

/* Writes a block in a thread that keeps nothing between blocks, as with many lines. */
static __attribute__((noinline)) void block_write_apart(const job *j, uint64_t first, const value *tile,
                                                        const value *subtiles, value *total) {
  simd_rows8_starts starts;
  block_write(j, first, tile, subtiles, total, &starts, 0);
}

void scan_simd_rows8_write(const job *j, uint64_t first, const value *tile, const value *subtiles, value *total) {
  simd_rows8_kept *const kept = kept_at(j, first);
  if (kept == NULL) {
    block_write_apart(j, first, tile, subtiles, total);
    return;
  }
  block_write(j, first, tile, subtiles, total, &kept->sums, kept->first == first);
  kept->first = UINT64_MAX;
}
