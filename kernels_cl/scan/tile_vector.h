/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole rows of the one-work-item tile in vector registers, where input and value have the same type. A register holds
 * REG_ITEMS elements: one canonical vector of 16 bytes, or two. The dialect defines REG_BYTES (16 or 32); for registers
 * REG_T, REG_LOAD, REG_STORE, REG_FILL, REG_LAST, REG_SELECT and REG_SHUFFLE; for halves of 16 bytes HALF_JOIN,
 * HALF_LOW, HALF_HIGH, HALF_LOAD, HALF_STORE and HALF_STREAM. */
#ifndef SCANRT_CL_TILE_VECTOR_H
#define SCANRT_CL_TILE_VECTOR_H

#include "lib/tile.h"

#define REG_ITEMS (REG_BYTES / VALUE_BYTES)
#define LINE_BYTES 64 /* of the cache; another size costs only speed */
#ifdef VECTOR_TYPES   /* the dialect's, for scanrt_value_t */
VECTOR_TYPES
#endif
typedef REG_T scanrt_reg_t;

/* Each operator on registers, by its number. */
#define REG_COMBINE_1(a, b) ((a) + (b))
#define REG_COMBINE_2(a, b) ((a) * (b))
#if VALUE_IS_FLOAT
#define REG_COMBINE_3(a, b) REG_SELECT(((b) < (a)) | ((b) != (b)), b, a)
#define REG_COMBINE_4(a, b) REG_SELECT(((b) > (a)) | ((b) != (b)), b, a)
#else
#define REG_COMBINE_3(a, b) REG_SELECT((b) < (a), b, a)
#define REG_COMBINE_4(a, b) REG_SELECT((b) > (a), b, a)
#endif
#define REG_COMBINE_5(a, b) ((a) & (b))
#define REG_COMBINE_6(a, b) ((a) | (b))
#define REG_COMBINE_7(a, b) ((a) ^ (b))
FUNC scanrt_reg_t scanrt_reg_combine(scanrt_reg_t a, scanrt_reg_t b) { return OP_ROW(REG_COMBINE_, SCAN_OP)(a, b); }

/* Stores half a register. Streaming stores save the read of the line that is overwritten. They store halves, since the
 * caller's array guarantees no alignment above 16 bytes. */
FUNC void scanrt_half_store(const scanrt_job *job, scanrt_u64 first, HALF_T v) {
  if (job->streaming) {
    HALF_STREAM(job->out + first, v);
  } else {
    HALF_STORE(job->out + first, v);
  }
}

FUNC void scanrt_reg_store(const scanrt_job *job, scanrt_u64 first, scanrt_reg_t v) {
#if REG_BYTES == 16
  scanrt_half_store(job, first, v);
#else
  if (job->streaming) {
    HALF_STREAM(job->out + first, HALF_LOW(v));
    HALF_STREAM(job->out + first + VEC_ITEMS, HALF_HIGH(v));
  } else {
    REG_STORE(job->out + first, v);
  }
#endif
}

/* Prefetches `bytes` of the input that is read next, so that memory is read while the current tile is written. */
FUNC void scanrt_read_ahead(const scanrt_job *job, scanrt_u64 first, scanrt_u32 bytes) {
#ifdef READ_AHEAD
  if (job->ahead_bytes == 0) return;
  UNROLL
  for (scanrt_u32 k = 0; k < bytes; k += LINE_BYTES) READ_AHEAD(ADDRESS(job->in + first) + job->ahead_bytes + k);
#else
  (void)job, (void)first, (void)bytes;
#endif
}

/* REG_SHIFT_d moves elements d places up and shifts in the top of `low`. REG_SPREAD_LAST copies the last element to
 * all. */
#if REG_ITEMS == 2
#define REG_SHIFT_1(low, v) REG_SHUFFLE(low, v, 1, 2)
#define REG_SPREAD_LAST(v) REG_SHUFFLE(v, v, 1, 1)
#elif REG_ITEMS == 4
#define REG_SHIFT_1(low, v) REG_SHUFFLE(low, v, 3, 4, 5, 6)
#define REG_SHIFT_2(low, v) REG_SHUFFLE(low, v, 2, 3, 4, 5)
#define REG_SPREAD_LAST(v) REG_SHUFFLE(v, v, 3, 3, 3, 3)
#elif REG_ITEMS == 8
#define REG_SHIFT_1(low, v) REG_SHUFFLE(low, v, 7, 8, 9, 10, 11, 12, 13, 14)
#define REG_SHIFT_2(low, v) REG_SHUFFLE(low, v, 6, 7, 8, 9, 10, 11, 12, 13)
#define REG_SHIFT_4(low, v) REG_SHUFFLE(low, v, 4, 5, 6, 7, 8, 9, 10, 11)
#define REG_SPREAD_LAST(v) REG_SHUFFLE(v, v, 7, 7, 7, 7, 7, 7, 7, 7)
#elif REG_ITEMS == 16
#define REG_SHIFT_1(low, v) REG_SHUFFLE(low, v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define REG_SHIFT_2(low, v) REG_SHUFFLE(low, v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
#define REG_SHIFT_4(low, v) REG_SHUFFLE(low, v, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
#define REG_SHIFT_8(low, v) REG_SHUFFLE(low, v, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
#define REG_SPREAD_LAST(v) REG_SHUFFLE(v, v, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15)
#elif REG_ITEMS == 32
#define REG_SHIFT_1(low, v)                                                                                            \
  REG_SHUFFLE(low, v, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54,  \
              55, 56, 57, 58, 59, 60, 61, 62)
#define REG_SPREAD_LAST(v)                                                                                             \
  REG_SHUFFLE(v, v, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,    \
              31, 31, 31, 31, 31, 31, 31, 31)
#endif

/* HALF_SHIFT_d shifts within each half of 16 bytes; all elements of `none` are the same. HALF_CARRY copies the low
 * half's last element to the whole high half. */
#if REG_BYTES == 16
#define HALF_SHIFT_1(none, v) REG_SHIFT_1(none, v)
#define HALF_SHIFT_2(none, v) REG_SHIFT_2(none, v)
#define HALF_SHIFT_4(none, v) REG_SHIFT_4(none, v)
#define HALF_SHIFT_8(none, v) REG_SHIFT_8(none, v)
#elif REG_ITEMS == 4
#define HALF_SHIFT_1(none, v) REG_SHUFFLE(none, v, 0, 4, 0, 6)
#define HALF_CARRY(none, v) REG_SHUFFLE(none, v, 0, 0, 5, 5)
#elif REG_ITEMS == 8
#define HALF_SHIFT_1(none, v) REG_SHUFFLE(none, v, 0, 8, 9, 10, 0, 12, 13, 14)
#define HALF_SHIFT_2(none, v) REG_SHUFFLE(none, v, 0, 0, 8, 9, 0, 0, 12, 13)
#define HALF_CARRY(none, v) REG_SHUFFLE(none, v, 0, 0, 0, 0, 11, 11, 11, 11)
#elif REG_ITEMS == 16
#define HALF_SHIFT_1(none, v) REG_SHUFFLE(none, v, 0, 16, 17, 18, 19, 20, 21, 22, 0, 24, 25, 26, 27, 28, 29, 30)
#define HALF_SHIFT_2(none, v) REG_SHUFFLE(none, v, 0, 0, 16, 17, 18, 19, 20, 21, 0, 0, 24, 25, 26, 27, 28, 29)
#define HALF_SHIFT_4(none, v) REG_SHUFFLE(none, v, 0, 0, 0, 0, 16, 17, 18, 19, 0, 0, 0, 0, 24, 25, 26, 27)
#define HALF_CARRY(none, v) REG_SHUFFLE(none, v, 0, 0, 0, 0, 0, 0, 0, 0, 23, 23, 23, 23, 23, 23, 23, 23)
#elif REG_ITEMS == 32
#define HALF_SHIFT_1(none, v)                                                                                          \
  REG_SHUFFLE(none, v, 0, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 0, 48, 49, 50, 51, 52, 53, 54,   \
              55, 56, 57, 58, 59, 60, 61, 62)
#define HALF_SHIFT_2(none, v)                                                                                          \
  REG_SHUFFLE(none, v, 0, 0, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 0, 0, 48, 49, 50, 51, 52, 53, 54, \
              55, 56, 57, 58, 59, 60, 61)
#define HALF_SHIFT_4(none, v)                                                                                          \
  REG_SHUFFLE(none, v, 0, 0, 0, 0, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 0, 0, 0, 0, 48, 49, 50, 51, 52, 53, \
              54, 55, 56, 57, 58, 59)
#define HALF_SHIFT_8(none, v)                                                                                          \
  REG_SHUFFLE(none, v, 0, 0, 0, 0, 0, 0, 0, 0, 32, 33, 34, 35, 36, 37, 38, 39, 0, 0, 0, 0, 0, 0, 0, 0, 48, 49, 50, 51, \
              52, 53, 54, 55)
#define HALF_CARRY(none, v)                                                                                            \
  REG_SHUFFLE(none, v, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 47, 47, 47, 47, 47, 47, 47, 47, 47, 47, 47, 47, \
              47, 47, 47, 47)
#endif

#if VALUE_IS_FLOAT
/* A block is REG_ITEMS canonical vectors, transposed: x[k] holds element k of each of them. When loaded, x[k] holds
 * vector k and, in the high half, vector VEC_ITEMS + k, so that transposing each half is enough. */
#define BLOCKS (ROW_VECS / REG_ITEMS)
#define BLOCK_ITEMS (REG_ITEMS * VEC_ITEMS)
#if VEC_ITEMS == 4 && REG_BYTES == 16
#define INTERLEAVE_LOW(a, b) REG_SHUFFLE(a, b, 0, 4, 1, 5)
#define INTERLEAVE_HIGH(a, b) REG_SHUFFLE(a, b, 2, 6, 3, 7)
#define PAIRS_LOW(a, b) REG_SHUFFLE(a, b, 0, 1, 4, 5)
#define PAIRS_HIGH(a, b) REG_SHUFFLE(a, b, 2, 3, 6, 7)
#elif VEC_ITEMS == 4 && REG_BYTES == 32
#define INTERLEAVE_LOW(a, b) REG_SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define INTERLEAVE_HIGH(a, b) REG_SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define PAIRS_LOW(a, b) REG_SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define PAIRS_HIGH(a, b) REG_SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#elif REG_BYTES == 16
#define INTERLEAVE_LOW(a, b) REG_SHUFFLE(a, b, 0, 2)
#define INTERLEAVE_HIGH(a, b) REG_SHUFFLE(a, b, 1, 3)
#else
#define INTERLEAVE_LOW(a, b) REG_SHUFFLE(a, b, 0, 4, 2, 6)
#define INTERLEAVE_HIGH(a, b) REG_SHUFFLE(a, b, 1, 5, 3, 7)
#endif

FUNC void scanrt_block_transpose(scanrt_reg_t x[VEC_ITEMS]) {
#if VEC_ITEMS == 4
  const scanrt_reg_t a = INTERLEAVE_LOW(x[0], x[1]), b = INTERLEAVE_HIGH(x[0], x[1]);
  const scanrt_reg_t c = INTERLEAVE_LOW(x[2], x[3]), d = INTERLEAVE_HIGH(x[2], x[3]);
  x[0] = PAIRS_LOW(a, c);
  x[1] = PAIRS_HIGH(a, c);
  x[2] = PAIRS_LOW(b, d);
  x[3] = PAIRS_HIGH(b, d);
#else
  const scanrt_reg_t a = x[0], b = x[1];
  x[0] = INTERLEAVE_LOW(a, b);
  x[1] = INTERLEAVE_HIGH(a, b);
#endif
}

FUNC void scanrt_block_load(GLOBAL const scanrt_value_t *in, scanrt_reg_t x[VEC_ITEMS]) {
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
#if REG_BYTES == 16
    x[k] = REG_LOAD(in + k * VEC_ITEMS);
#else
    x[k] = HALF_JOIN(HALF_LOAD(in + k * VEC_ITEMS), HALF_LOAD(in + (VEC_ITEMS + k) * VEC_ITEMS));
#endif
  }
  scanrt_block_transpose(x);
}

FUNC scanrt_reg_t scanrt_block_fold(const scanrt_reg_t x[VEC_ITEMS]) {
  scanrt_reg_t sum = x[0];
  UNROLL
  for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) sum = scanrt_reg_combine(sum, x[k]);
  return sum;
}

/* Writes a block; returns the values after its vectors, which are NaNs where any result in them is. */
FUNC scanrt_reg_t scanrt_block_store(const scanrt_job *job, scanrt_u64 first, scanrt_reg_t start,
                                     const scanrt_reg_t x[VEC_ITEMS]) {
  scanrt_reg_t y[VEC_ITEMS];
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    const scanrt_reg_t next = scanrt_reg_combine(start, x[k]);
    y[k] = job->inclusive ? next : start;
    start = next;
  }
  scanrt_block_transpose(y);
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) scanrt_half_store(job, first + k * VEC_ITEMS, HALF_LOW(y[k]));
#if REG_BYTES == 32
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    scanrt_half_store(job, first + (VEC_ITEMS + k) * VEC_ITEMS, HALF_HIGH(y[k]));
#endif
  return start;
}

/* Recursive doubling over the row's 32 lanes, in order in BLOCKS registers. */
FUNC void scanrt_lanes_scan(scanrt_reg_t s[BLOCKS]) {
  const scanrt_reg_t none = REG_FILL(IDENTITY);
  UNROLL
  for (scanrt_u32 b = BLOCKS - 1; b < BLOCKS; b--)
    s[b] = scanrt_reg_combine(REG_SHIFT_1(b ? s[b - 1] : none, s[b]), s[b]);
#if REG_ITEMS >= 4
  UNROLL
  for (scanrt_u32 b = BLOCKS - 1; b < BLOCKS; b--)
    s[b] = scanrt_reg_combine(REG_SHIFT_2(b ? s[b - 1] : none, s[b]), s[b]);
#endif
#if REG_ITEMS >= 8
  UNROLL
  for (scanrt_u32 b = BLOCKS - 1; b < BLOCKS; b--)
    s[b] = scanrt_reg_combine(REG_SHIFT_4(b ? s[b - 1] : none, s[b]), s[b]);
#endif
  UNROLL
  for (scanrt_u32 d = 1; d < BLOCKS; d <<= 1) {
    UNROLL
    for (scanrt_u32 b = BLOCKS - 1; b >= d; b--) s[b] = scanrt_reg_combine(s[b - d], s[b]);
  }
}

#ifdef WIDE_T
#include "scan/rows_fold.h"
#else
FUNC scanrt_value_t scanrt_row_reduce(const scanrt_job *job, scanrt_u64 first) {
  GLOBAL const scanrt_value_t *in = job->in + first;
  scanrt_reg_t s[BLOCKS], x[VEC_ITEMS];
#ifdef REDUCES_AHEAD
  scanrt_read_ahead(job, first, ROW_ITEMS * VALUE_BYTES);
#endif
  UNROLL
  for (scanrt_u32 b = 0; b < BLOCKS; b++) {
    scanrt_block_load(in + b * BLOCK_ITEMS, x);
    s[b] = scanrt_block_fold(x);
  }
  scanrt_lanes_scan(s);
  return REG_LAST(s[BLOCKS - 1]);
}
#endif

/* Adds the registers of a row's upper lanes. */
FUNC scanrt_reg_t scanrt_block_fold_lanes(const scanrt_reg_t s[BLOCKS]) {
  scanrt_reg_t sum = s[BLOCKS - 1];
  UNROLL
  for (scanrt_u32 b = BLOCKS / 2; b < BLOCKS - 1; b++) sum += s[b];
  return sum;
}

/* 1 if the sum of all elements up to a row's end is infinite or a NaN. */
#define SUM_IS_INFINITE(sum) (SCAN_OP == 1 && (sum) - (sum) != 0)

/* Writes a row and returns its total. Adds to *nans values of which one is a NaN if any result is; for sums, only if
 * the scan up to the row's end is finite. A sum of finite numbers is a NaN only after partial sums have become
 * infinite, which they do in the recursive doubling alone. Its last step adds the lower half of the lanes to the upper
 * one. */
FUNC scanrt_value_t scanrt_row_write(const scanrt_job *job, scanrt_u64 first, scanrt_value_t prefix,
                                     scanrt_value_t sub_before, scanrt_value_t scanrt_row_before, scanrt_reg_t *nans) {
  scanrt_reg_t s[BLOCKS], x[BLOCKS][VEC_ITEMS];
  const scanrt_reg_t p = REG_FILL(prefix), sub = REG_FILL(sub_before), row = REG_FILL(scanrt_row_before);
  scanrt_read_ahead(job, first, ROW_ITEMS * VALUE_BYTES);
  UNROLL
  for (scanrt_u32 b = 0; b < BLOCKS; b++) {
    scanrt_block_load(job->in + first + b * BLOCK_ITEMS, x[b]);
    s[b] = scanrt_block_fold(x[b]);
  }
  scanrt_lanes_scan(s);
  if (SCAN_OP == 1) *nans += scanrt_block_fold_lanes(s);
  UNROLL
  for (scanrt_u32 b = 0; b < BLOCKS; b++) {
    const scanrt_reg_t before = REG_SHIFT_1(b ? s[b - 1] : REG_FILL(IDENTITY), s[b]);
    const scanrt_reg_t start = scanrt_reg_combine(p, scanrt_reg_combine(sub, scanrt_reg_combine(row, before)));
    const scanrt_reg_t end = scanrt_block_store(job, first + b * BLOCK_ITEMS, start, x[b]);
    if (SCAN_OP == 2) *nans += end;
  }
  return REG_LAST(s[BLOCKS - 1]);
}

/* Writes whole rows and returns their fold. NaNs are made canonical afterwards: a choice in each store took 11 to 20 %
 * of the time (AMD EPYC, Zen 5). */
FUNC scanrt_value_t scanrt_rows_write(const scanrt_job *job, scanrt_u64 first, scanrt_u32 rows, scanrt_value_t prefix,
                                      scanrt_value_t sub_before) {
  scanrt_value_t all = IDENTITY;
  scanrt_reg_t nans = REG_FILL(0);
  for (scanrt_u32 r = 0; r < rows; r++)
    all = scanrt_combine(all, scanrt_row_write(job, first + (scanrt_u64)r * ROW_ITEMS, prefix, sub_before, all, &nans));
#if ORDER_SHOWS
  if (REG_ANY(nans != nans) || SUM_IS_INFINITE(prefix + (sub_before + all)))
    for (scanrt_u32 i = 0; i < rows * ROW_ITEMS; i++) job->out[first + i] = OUTPUT_OF(job->out[first + i]);
#endif
  return all;
}
#else

/* Reduces a span by four accumulators, so that no addition waits for the one before. */
FUNC scanrt_value_t scanrt_span_reduce(const scanrt_job *job, scanrt_u64 first, scanrt_u32 count) {
  GLOBAL const scanrt_value_t *in = job->in + first;
  scanrt_reg_t sum[4] = { REG_FILL(IDENTITY), REG_FILL(IDENTITY), REG_FILL(IDENTITY), REG_FILL(IDENTITY) };
  scanrt_u32 i = 0;
  for (; i + 4 * REG_ITEMS <= count; i += 4 * REG_ITEMS) {
    UNROLL
    for (scanrt_u32 j = 0; j < 4; j++) sum[j] = scanrt_reg_combine(sum[j], REG_LOAD(in + i + j * REG_ITEMS));
  }
  scanrt_value_t part[REG_ITEMS], all = IDENTITY;
  REG_STORE_PRIVATE(part, scanrt_reg_combine(scanrt_reg_combine(sum[0], sum[1]), scanrt_reg_combine(sum[2], sum[3])));
  for (scanrt_u32 k = 0; k < REG_ITEMS; k++) all = scanrt_combine(all, part[k]);
  for (; i < count; i++) all = scanrt_combine(all, in[i]);
  return all;
}

/* Scans a register of integers by shifts. */
FUNC scanrt_reg_t scanrt_reg_scan(scanrt_reg_t v) {
  const scanrt_reg_t none = REG_FILL(IDENTITY);
  v = scanrt_reg_combine(HALF_SHIFT_1(none, v), v);
#if VEC_ITEMS >= 4
  v = scanrt_reg_combine(HALF_SHIFT_2(none, v), v);
#endif
#if VEC_ITEMS >= 8
  v = scanrt_reg_combine(HALF_SHIFT_4(none, v), v);
#endif
#if VEC_ITEMS >= 16
  v = scanrt_reg_combine(HALF_SHIFT_8(none, v), v);
#endif
#if REG_BYTES == 32
  v = scanrt_reg_combine(HALF_CARRY(none, v), v);
#endif
  return v;
}

/* Scans and stores a register; returns the next carry. The carry takes the register's last element directly, so that
 * only one operation depends on the carry before. */
FUNC scanrt_reg_t scanrt_reg_write(const scanrt_job *job, scanrt_u64 first, scanrt_reg_t carry) {
  const scanrt_reg_t v = scanrt_reg_scan(REG_LOAD(job->in + first)), all = scanrt_reg_combine(carry, v);
  scanrt_reg_store(job, first, job->inclusive ? all : REG_SHIFT_1(carry, all));
  return scanrt_reg_combine(carry, REG_SPREAD_LAST(v));
}

#define LINE_REGS (LINE_BYTES / REG_BYTES)
FUNC scanrt_value_t scanrt_span_write(const scanrt_job *job, scanrt_u64 first, scanrt_u32 count, scanrt_value_t acc) {
  GLOBAL const scanrt_value_t *in = job->in + first;
  GLOBAL scanrt_value_t *out = job->out + first;
  scanrt_reg_t carry = REG_FILL(acc);
  scanrt_u32 i = 0;
  for (; i + LINE_REGS * REG_ITEMS <= count; i += LINE_REGS * REG_ITEMS) {
    scanrt_read_ahead(job, first + i, LINE_BYTES);
    UNROLL
    for (scanrt_u32 j = 0; j < LINE_REGS; j++) carry = scanrt_reg_write(job, first + i + j * REG_ITEMS, carry);
  }
  for (; i + REG_ITEMS <= count; i += REG_ITEMS) carry = scanrt_reg_write(job, first + i, carry);
  acc = REG_LAST(carry);
  for (; i < count; i++) {
    const scanrt_value_t next = scanrt_combine(acc, in[i]);
    out[i] = job->inclusive ? next : acc;
    acc = next;
  }
  return acc;
}
#endif
#endif
