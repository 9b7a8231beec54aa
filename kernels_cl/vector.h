/* SPDX-License-Identifier: BSD-2-Clause */
/* A vector, 16 bytes of output, in the registers of a work-item of a work-group: its fold, its scan, and its exchange
 * with other work-items. */
#ifndef SCANRT_CL_VECTOR_H
#define SCANRT_CL_VECTOR_H

#include "tile.h"

#if VEC_ITEMS * INPUT_BYTES == 16
typedef scan_raw16 raw_t;
#elif VEC_ITEMS * INPUT_BYTES == 8
typedef scan_raw8 raw_t;
#elif VEC_ITEMS * INPUT_BYTES == 4
typedef scan_u32 raw_t;
#elif VEC_ITEMS * INPUT_BYTES == 2
typedef scan_u16 raw_t;
#else
#error "no raw type of this size"
#endif

/* As memory holds a vector of the input and of the output. */
typedef raw_t loaded_t;
typedef scan_raw16 stored_t;
#define VECTOR_LOAD(job, first, pointer) LOAD_STREAM(pointer)
#define VECTOR_LOADED(loaded) (loaded)
#define TILE_WHOLE(job, tile) 1 /* what pads the last tile is the identity, and no other case */
#define VECTOR_FOLD(raw, whole) vector_fold(raw)
#define VECTOR_SCAN(job, raw, start, whole) vector_scan(job, raw, start)

typedef union input_vector {
  raw_t raw;
  input_t x[VEC_ITEMS];
  scan_u32 word[(VEC_ITEMS * INPUT_BYTES + 3) / 4];
} input_vector;
typedef union output_vector {
  scan_raw16 raw;
  output_t x[VEC_ITEMS];
  scan_u32 word[4];
} output_vector;

#if SCAN_SHUFFLE
#if VALUE_BYTES == 8
#define SHUFFLE(name)                                                                                                  \
  FUNC value_t name(value_t x, scan_u32 which) {                                                                       \
    const scan_u64 bits = (scan_u64)VALUE_BITS(x);                                                                     \
    const scan_u64 low = name##_u32((scan_u32)bits, which), high = name##_u32((scan_u32)(bits >> 32), which);          \
    return REGISTER_VALUE(high << 32 | low);                                                                           \
  }
#else
#define SHUFFLE(name)                                                                                                  \
  FUNC value_t name(value_t x, scan_u32 which) { return REGISTER_VALUE(name##_u32((scan_u32)VALUE_BITS(x), which)); }
#endif
SHUFFLE(shuffle_up)
SHUFFLE(shuffle_down)
SHUFFLE(shuffle_xor)
SHUFFLE(shuffle_from)
/* A step of a tree whose result ends in the first lane; what other lanes hold is anything. */
#define TREE_STEP(x, d, whole) combine(x, shuffle_down(x, d))
#define ROW_BEFORE(run, y, lane, whole) combine(run, (lane) ? (y) : IDENTITY)
#define COMBINE_WHERE(condition, a, b, whole) ((condition) ? combine(a, b) : (b))
#define WHOLE_SHUFFLE(shuffle, x, which, whole) shuffle(x, which)
#define COMBINE_TURNED(turned, a, b) ((turned) ? combine(b, a) : combine(a, b))
#endif

#if VALUE_BYTES == 1 && SCAN_OP != 2
/* Bytes, two at a time: the even ones and the odd ones of a word in the halves of two others, where four sums of bytes
 * do not reach the next half. Signed bytes are compared at the top of the halves where the dialect compares signed
 * halves, else as unsigned ones with the sign turned over. */
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
#define PAIR_IDENTITY ((((scan_u32)IDENTITY ^ BYTE_SIGNS) & 0xffu) << BYTE_PLACE)
#define BYTE_MASK (0x00ff00ffu << BYTE_PLACE)
#define EVEN_BYTES(w) ((w) << BYTE_PLACE & BYTE_MASK)
#define ODD_BYTES(w) ((w) >> (8 - BYTE_PLACE) & BYTE_MASK)

FUNC value_t vector_fold(raw_t raw) {
  input_vector v;
  v.raw = raw;
#if SCAN_OP == 1
  scan_u32 sum = 0;
  UNROLL
  for (scan_u32 k = 0; k < 4; k++) sum = SUM_BYTES(v.word[k], sum);
  return (value_t)sum;
#else
  scan_u32 all = PAIR_IDENTITY * 0x00010001u;
  UNROLL
  for (scan_u32 k = 0; k < 4; k++) {
    const scan_u32 word = v.word[k] ^ BYTE_SIGNS;
    all = PAIR_COMBINE(PAIR_COMBINE(all, EVEN_BYTES(word)), ODD_BYTES(word));
  }
  return (value_t)(output_t)((PAIR_COMBINE(all & 0xffffu, all >> 16) >> BYTE_PLACE ^ BYTE_SIGNS) & 0xffu);
#endif
}

FUNC scan_raw16 vector_scan(const scan_job *job, raw_t raw, value_t start) {
  input_vector v;
  output_vector o;
  /* Exclusive: the scan of the bytes one place further on, the start before them. */
  const scan_u32 shift = job->inclusive ? 0 : 8, first = ((scan_u32)start ^ BYTE_SIGNS) & 0xffu;
  scan_u32 acc = (job->inclusive ? first << BYTE_PLACE : PAIR_IDENTITY) * 0x00010001u, last = first << 24;
  v.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < 4; k++) {
    const scan_u32 whole = v.word[k] ^ job->zero ^ BYTE_SIGNS, word = WORD_AFTER(last, whole, shift);
    const scan_u32 even = EVEN_BYTES(word), pairs = PAIR_COMBINE(even, ODD_BYTES(word));
    const scan_u32 before = PAIR_COMBINE(acc, pairs << 16 | PAIR_IDENTITY); /* of bytes 0 and 2 */
    const scan_u32 after = PAIR_COMBINE(before, pairs);
    o.word[k] = BYTES_JOIN(PAIR_COMBINE(before, even), after) ^ BYTE_SIGNS;
    acc = LAST_BYTE(after);
    last = whole;
  }
  return o.raw;
}
#elif VALUE_BYTES == 2 && SCAN_OP == 1
/* Sums of 16 bits, two at a time; only the low halves of registers count. */
FUNC value_t vector_fold(raw_t raw) {
  input_vector v;
  scan_u32 sum = 0;
  v.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < 4; k++) sum = SUM_HALVES(v.word[k], sum);
  return (value_t)sum;
}

FUNC scan_raw16 vector_scan(const scan_job *job, raw_t raw, value_t start) {
  input_vector v;
  output_vector o;
  scan_u32 before = (scan_u32)start;
  v.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < 4; k++) {
    const scan_u32 word = v.word[k] ^ job->zero, middle = before + word, after = SUM_HALVES(word, before);
    o.word[k] = LOW_HALVES(job->inclusive ? middle : before, job->inclusive ? after : middle);
    before = after;
  }
  return o.raw;
}
#else
FUNC value_t vector_fold(raw_t raw) {
  input_vector v;
  v.raw = raw;
  value_t sum = (value_t)v.x[0];
  UNROLL
  for (scan_u32 k = 1; k < VEC_ITEMS; k++) sum = combine(sum, (value_t)v.x[k]);
  return sum;
}

FUNC scan_raw16 vector_scan(const scan_job *job, raw_t raw, value_t start) {
  input_vector v;
  output_vector o;
  v.raw = raw;
#if VALUE_BYTES < 4
  UNROLL
  for (scan_u32 k = 0; k < 4; k++) v.word[k] ^= job->zero;
#endif
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
    const value_t next = combine(start, (value_t)v.x[k]);
    o.x[k] = (output_t)(job->inclusive ? next : start);
    start = next;
  }
  return o.raw;
}
#endif

FUNC raw_t vector_identity(void) {
  input_vector v;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) v.x[k] = (input_t)IDENTITY;
  return v.raw;
}

/* Elements past n are the identity, and are not written. */
FUNC raw_t vector_load_guarded(const scan_job *job, scan_u64 first) {
  const scan_u32 count = vector_count(job, first);
  input_vector v;
  v.raw = vector_identity();
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) v.x[k] = job->in[first + k];
  return v.raw;
}

/* Keeps what comes up to element n - 1, which is of the vector that begins with `first`. */
FUNC void vector_keep(const scan_job *job, scan_u64 first, raw_t raw, value_t start) {
  input_vector v;
  v.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (first + k < job->n) start = combine(start, (value_t)v.x[k]);
#ifdef SCAN_FLIPS
  start = value_flip(job->flip_flags, start);
#endif
  LAST_VALUE(job, start, OUTPUT_OF(start));
}

FUNC void vector_store_guarded(const scan_job *job, scan_u64 first, scan_raw16 raw) {
  const scan_u32 count = vector_count(job, first);
  GLOBAL output_t *out = job->out + first;
  output_vector o;
  o.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) out[k] = o.x[k];
}
#endif
