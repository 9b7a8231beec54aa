/* SPDX-License-Identifier: BSD-2-Clause */
/* A vector, 16 bytes of output, in the registers of a work-item of a work-group: its fold, its scan, and its exchange
 * with other work-items. */
#ifndef SCANRT_CL_VECTOR_H
#define SCANRT_CL_VECTOR_H

#include "lib/tile.h"

#if VEC_ITEMS * INPUT_BYTES == 16
typedef scanrt_raw16 scanrt_raw_t;
#elif VEC_ITEMS * INPUT_BYTES == 8
typedef scanrt_raw8 scanrt_raw_t;
#elif VEC_ITEMS * INPUT_BYTES == 4
typedef scanrt_u32 scanrt_raw_t;
#elif VEC_ITEMS * INPUT_BYTES == 2
typedef scanrt_u16 scanrt_raw_t;
#else
#error "no raw type of this size"
#endif

/* The types of a vector of the input and of the output in memory. */
typedef scanrt_raw_t scanrt_loaded_t;
typedef scanrt_raw16 scanrt_stored_t;
#define VECTOR_LOAD(job, first, pointer) LOAD_STREAM(pointer)
#define VECTOR_STORE(job, first, pointer, value) (*(pointer) = (value))
#define VECTORS_ARE_FILLED 0
#define TILE_WHOLE(job, tile) 1 /* the last tile is padded with the identity, and is no special case */
#define TILE_THERE(job, tile) 1
#define VECTOR_FOLD(raw, whole) scanrt_vector_fold(raw)
#define VECTOR_SCAN(job, raw, start, whole) scanrt_vector_scan(job, raw, start)

typedef union scanrt_input_vector {
  scanrt_raw_t raw;
  scanrt_input_t x[VEC_ITEMS];
  scanrt_u32 word[(VEC_ITEMS * INPUT_BYTES + 3) / 4];
} scanrt_input_vector;
typedef union scanrt_output_vector {
  scanrt_raw16 raw;
  scanrt_output_t x[VEC_ITEMS];
  scanrt_u32 word[4];
} scanrt_output_vector;

#if SCAN_SHUFFLE
#if VALUE_BYTES == 8
#define SHUFFLE(name)                                                                                                  \
  FUNC scanrt_value_t name(scanrt_value_t x, scanrt_u32 which) {                                                       \
    const scanrt_u64 bits = (scanrt_u64)VALUE_BITS(x);                                                                 \
    const scanrt_u64 low = name##_u32((scanrt_u32)bits, which), high = name##_u32((scanrt_u32)(bits >> 32), which);    \
    return REGISTER_VALUE(high << 32 | low);                                                                           \
  }
#else
#define SHUFFLE(name)                                                                                                  \
  FUNC scanrt_value_t name(scanrt_value_t x, scanrt_u32 which) {                                                       \
    return REGISTER_VALUE(name##_u32((scanrt_u32)VALUE_BITS(x), which));                                               \
  }
#endif
SHUFFLE(scanrt_shuffle_up)
SHUFFLE(scanrt_shuffle_down)
SHUFFLE(scanrt_shuffle_xor)
SHUFFLE(scanrt_shuffle_from)
/* A step of a tree whose result ends in the first lane; values of other lanes are undefined. */
#define TREE_STEP(x, d, whole) scanrt_combine(x, scanrt_shuffle_down(x, d))
#define ROW_BEFORE(run, y, lane, whole) scanrt_combine(run, (lane) ? (y) : IDENTITY)
#define COMBINE_WHERE(condition, a, b, whole) ((condition) ? scanrt_combine(a, b) : (b))
#define WHOLE_SHUFFLE(shuffle, x, which, whole) shuffle(x, which)
#define COMBINE_SWAPPED(swapped, a, b) ((swapped) ? scanrt_combine(b, a) : scanrt_combine(a, b))
#endif

#if VALUE_BYTES == 1 && SCAN_OP != 2
/* Bytes, two at a time: the even ones of a word in the halves of one other word, the odd ones in those of a second,
 * where four sums of bytes do not reach the next half. Signed bytes are compared at the top of the halves if the
 * dialect compares signed halves, otherwise as unsigned bytes with flipped signs. */
#define SIGNED_BYTES ((SCAN_OP == 3 || SCAN_OP == 4) && SCAN_TYPE == 1)
#if SIGNED_BYTES && defined(PAIR_MIN_SIGNED)
#define BYTE_PLACE 8
#define BYTE_SIGNS 0u
#define PAIR_COMBINE(a, b) (SCAN_OP == 3 ? PAIR_MIN_SIGNED(a, b) : PAIR_MAX_SIGNED(a, b))
#define BYTES_JOIN(even, odd) BYTES_1313(even, odd)
#define LAST_BYTE(pair) BYTE_0303(pair)
#else
#define BYTE_PLACE 0
#define BYTE_SIGNS (SIGNED_BYTES ? 0x80808080u : 0u)
#if SCAN_OP == 3
#define PAIR_COMBINE(a, b) PAIR_MIN(a, b)
#elif SCAN_OP == 4
#define PAIR_COMBINE(a, b) PAIR_MAX(a, b)
#else
#define PAIR_COMBINE(a, b) COMBINE(a, b)
#endif
#define BYTES_JOIN(even, odd) BYTES_0202(even, odd)
#define LAST_BYTE(pair) BYTE_2020(pair)
#endif
#define PAIR_IDENTITY ((((scanrt_u32)IDENTITY ^ BYTE_SIGNS) & 0xffu) << BYTE_PLACE)
#define BYTE_MASK (0x00ff00ffu << BYTE_PLACE)
#define EVEN_BYTES(w) ((w) << BYTE_PLACE & BYTE_MASK)
#define ODD_BYTES(w) ((w) >> (8 - BYTE_PLACE) & BYTE_MASK)

FUNC scanrt_value_t scanrt_vector_fold(scanrt_raw_t raw) {
  scanrt_input_vector v;
  v.raw = raw;
#if SCAN_OP == 1
  scanrt_u32 sum = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) sum = SUM_BYTES(v.word[k], sum);
  return (scanrt_value_t)sum;
#else
  scanrt_u32 all = PAIR_IDENTITY * 0x00010001u;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) {
    const scanrt_u32 word = v.word[k] ^ BYTE_SIGNS;
    all = PAIR_COMBINE(PAIR_COMBINE(all, EVEN_BYTES(word)), ODD_BYTES(word));
  }
  return (scanrt_value_t)(scanrt_output_t)((PAIR_COMBINE(all & 0xffffu, all >> 16) >> BYTE_PLACE ^ BYTE_SIGNS) & 0xffu);
#endif
}

FUNC scanrt_raw16 scanrt_vector_scan(const scanrt_job *job, scanrt_raw_t raw, scanrt_value_t start) {
  scanrt_input_vector v;
  scanrt_output_vector o;
  /* An exclusive scan is the scan of the bytes moved up by one place, with the start before them. */
  const scanrt_u32 shift = job->inclusive ? 0 : 8, first = ((scanrt_u32)start ^ BYTE_SIGNS) & 0xffu;
  scanrt_u32 acc = (job->inclusive ? first << BYTE_PLACE : PAIR_IDENTITY) * 0x00010001u, last = first << 24;
  v.raw = raw;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) {
    const scanrt_u32 whole = v.word[k] ^ job->zero ^ BYTE_SIGNS, word = WORD_AFTER(last, whole, shift);
    const scanrt_u32 even = EVEN_BYTES(word), pairs = PAIR_COMBINE(even, ODD_BYTES(word));
    const scanrt_u32 before = PAIR_COMBINE(acc, pairs << 16 | PAIR_IDENTITY); /* for bytes 0 and 2 */
    const scanrt_u32 after = PAIR_COMBINE(before, pairs);
    o.word[k] = BYTES_JOIN(PAIR_COMBINE(before, even), after) ^ BYTE_SIGNS;
    acc = LAST_BYTE(after);
    last = whole;
  }
  return o.raw;
}
#elif VALUE_BYTES == 2 && SCAN_OP == 1
/* Sums of 16 bits, two at a time; only the low halves of registers count. */
FUNC scanrt_value_t scanrt_vector_fold(scanrt_raw_t raw) {
  scanrt_input_vector v;
  scanrt_u32 sum = 0;
  v.raw = raw;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) sum = SUM_HALVES(v.word[k], sum);
  return (scanrt_value_t)sum;
}

FUNC scanrt_raw16 scanrt_vector_scan(const scanrt_job *job, scanrt_raw_t raw, scanrt_value_t start) {
  scanrt_input_vector v;
  scanrt_output_vector o;
  scanrt_u32 before = (scanrt_u32)start;
  v.raw = raw;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) {
    const scanrt_u32 word = v.word[k] ^ job->zero, middle = before + word, after = SUM_HALVES(word, before);
    o.word[k] = LOW_HALVES(job->inclusive ? middle : before, job->inclusive ? after : middle);
    before = after;
  }
  return o.raw;
}
#else
FUNC scanrt_value_t scanrt_vector_fold(scanrt_raw_t raw) {
  scanrt_input_vector v;
  v.raw = raw;
  scanrt_value_t sum = (scanrt_value_t)v.x[0];
  UNROLL
  for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) sum = scanrt_combine(sum, (scanrt_value_t)v.x[k]);
  return sum;
}

FUNC scanrt_raw16 scanrt_vector_scan(const scanrt_job *job, scanrt_raw_t raw, scanrt_value_t start) {
  scanrt_input_vector v;
  scanrt_output_vector o;
  v.raw = raw;
#if VALUE_BYTES < 4
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) v.word[k] ^= job->zero;
#endif
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    const scanrt_value_t next = scanrt_combine(start, (scanrt_value_t)v.x[k]);
    o.x[k] = OUTPUT_OF(job->inclusive ? next : start);
    start = next;
  }
  return o.raw;
}
#endif

FUNC scanrt_raw_t scanrt_vector_identity(void) {
  scanrt_input_vector v;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) v.x[k] = (scanrt_input_t)IDENTITY;
  return v.raw;
}

/* Loads a vector by elements; those past n are the identity. */
FUNC scanrt_raw_t scanrt_vector_load_guarded(const scanrt_job *job, scanrt_u64 first) {
  const scanrt_u32 count = scanrt_vector_count(job, first);
  scanrt_input_vector v;
  v.raw = scanrt_vector_identity();
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) v.x[k] = job->in[first + k];
  return v.raw;
}

/* Writes the carry-out and the total. Element n - 1 is in the vector that begins with `first`. */
FUNC void scanrt_vector_write_last(const scanrt_job *job, scanrt_u64 first, scanrt_raw_t raw, scanrt_value_t start) {
  scanrt_input_vector v;
  v.raw = raw;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (first + k < job->n) start = scanrt_combine(start, (scanrt_value_t)v.x[k]);
  start = VALUE_SHOWN(job, start);
  LAST_VALUE(job, start, OUTPUT_OF(start));
}

FUNC void scanrt_vector_store_guarded(const scanrt_job *job, scanrt_u64 first, scanrt_raw16 raw) {
  const scanrt_u32 count = scanrt_vector_count(job, first);
  GLOBAL scanrt_output_t *out = job->out + first;
  scanrt_output_vector o;
  o.raw = raw;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) out[k] = o.x[k];
}
#endif
