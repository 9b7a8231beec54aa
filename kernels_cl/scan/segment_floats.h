/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of segments of floating-point numbers by one work-item of a processor, in vector registers. A row of a sub-tile
 * is scanned in the canonical order, cut where segments begin. */
#ifndef SCANRT_CL_SEGMENT_FLOATS_H
#define SCANRT_CL_SEGMENT_FLOATS_H

#include "scan/segment_sums.h"

#if IS_FLOAT_SUM
/* A register has SUM_LANES vectors: VECTOR_AT(p) is the number of lane p's among them, LANE_AT(v) the lane of vector v,
 * PIECE(k, l) the place of number k in piece l of 16 bytes of a register, or of the next one from VEC_ITEMS on. */
#define VECTOR_AT(p) (4 * ((p) % VEC_ITEMS) + (p) / VEC_ITEMS)
#define LANE_AT(v) (VEC_ITEMS * ((v) % 4) + (v) / 4)
#define PIECE(k, l) ((k) / VEC_ITEMS * SUM_LANES + (k) % VEC_ITEMS + VEC_ITEMS * (l))
#if VALUE_BYTES == 4
#define SUM_LANES 16
typedef float16 scanrt_sums_t;
typedef uint16 scanrt_lanes_t;
#define EACH_LANE(M)                                                                                                   \
  M(0), M(1), M(2), M(3), M(4), M(5), M(6), M(7), M(8), M(9), M(10), M(11), M(12), M(13), M(14), M(15)
#define BY_PIECES(a, b, k0, k1, k2, k3)                                                                                \
  REG_SHUFFLE(a, b, PIECE(k0, 0), PIECE(k1, 0), PIECE(k2, 0), PIECE(k3, 0), PIECE(k0, 1), PIECE(k1, 1), PIECE(k2, 1),  \
              PIECE(k3, 1), PIECE(k0, 2), PIECE(k1, 2), PIECE(k2, 2), PIECE(k3, 2), PIECE(k0, 3), PIECE(k1, 3),        \
              PIECE(k2, 3), PIECE(k3, 3))
#define SUMS_LOAD(x, i) vload16((i), (x))
#define SUMS_STORE(sums, i, to) vstore16((sums), (i), (to))
#define SUMS_LAST(sums) (sums).sf
#else
#define SUM_LANES 8
typedef double8 scanrt_sums_t;
typedef ulong8 scanrt_lanes_t;
#define EACH_LANE(M) M(0), M(1), M(2), M(3), M(4), M(5), M(6), M(7)
#define BY_PIECES(a, b, k0, k1)                                                                                        \
  REG_SHUFFLE(a, b, PIECE(k0, 0), PIECE(k1, 0), PIECE(k0, 1), PIECE(k1, 1), PIECE(k0, 2), PIECE(k1, 2), PIECE(k0, 3),  \
              PIECE(k1, 3))
#define SUMS_LOAD(x, i) vload8((i), (x))
#define SUMS_STORE(sums, i, to) vstore8((sums), (i), (to))
#define SUMS_LAST(sums) (sums).s7
#endif
#define ROW_REGS (ROW_VECS / SUM_LANES)
#define ROW_BITS (ROW_ITEMS / 64) /* words of 64 bits, one an element */

/* Transposes the elements of SUM_LANES vectors: between registers in the order of memory and registers of the vectors'
 * elements k. */
FUNC void scanrt_sums_transpose(scanrt_sums_t *x) {
#if VEC_ITEMS == 4
  const scanrt_sums_t a = BY_PIECES(x[0], x[1], 0, 4, 1, 5), b = BY_PIECES(x[0], x[1], 2, 6, 3, 7);
  const scanrt_sums_t c = BY_PIECES(x[2], x[3], 0, 4, 1, 5), d = BY_PIECES(x[2], x[3], 2, 6, 3, 7);
  x[0] = BY_PIECES(a, c, 0, 1, 4, 5);
  x[1] = BY_PIECES(a, c, 2, 3, 6, 7);
  x[2] = BY_PIECES(b, d, 0, 1, 4, 5);
  x[3] = BY_PIECES(b, d, 2, 3, 6, 7);
#else
  const scanrt_sums_t a = x[0], b = x[1];
  x[0] = BY_PIECES(a, b, 0, 2);
  x[1] = BY_PIECES(a, b, 1, 3);
#endif
}

/* The vectors d before those of register b, where a is the register before. */
#define BEFORE(p, d)                                                                                                   \
  (VECTOR_AT(p) < (d) ? LANE_AT(SUM_LANES + VECTOR_AT(p) - (d)) : SUM_LANES + LANE_AT(VECTOR_AT(p) - (d)))
#define BEFORE_1(p) BEFORE(p, 1)
#define BEFORE_2(p) BEFORE(p, 2)
#define BEFORE_4(p) BEFORE(p, 4)
#define BEFORE_8(p) BEFORE(p, 8)
#define SUMS_BEFORE(a, b, d) REG_SHUFFLE(a, b, EACH_LANE(BEFORE_##d))

/* A bit for each lane's vector of a register, in the order of vectors. */
#define LANE_BIT_AT(p) 1u << VECTOR_AT(p)
#define LANES_CUT(bits, r)                                                                                             \
  ((((scanrt_lanes_t)((bits) >> (r)*SUM_LANES)) & (scanrt_lanes_t)(EACH_LANE(LANE_BIT_AT))) != 0)

/* A step of the recursive doubling, to vectors that no segment cuts off from the one d before. */
#define SUMS_STEP(s, d, cuts)                                                                                          \
  do {                                                                                                                 \
    UNROLL                                                                                                             \
    for (scanrt_u32 r = ROW_REGS - 1; r < ROW_REGS; r--)                                                               \
      (s)[r] = LANES_CUT(cuts, r) ? (s)[r] : SUMS_BEFORE(r ? (s)[r - 1] : none, (s)[r], d) + (s)[r];                   \
    (cuts) |= (cuts) << (d);                                                                                           \
  } while (0)

/* Returns a word with a bit for each vector in which a segment begins, of words with a bit for each element. */
FUNC scanrt_u32 scanrt_vectors_cut(const scanrt_u64 *begins) {
  scanrt_u32 cuts = 0;
  UNROLL
  for (scanrt_u32 i = 0; i < ROW_BITS; i++) {
    scanrt_u64 bits = begins[i] | begins[i] >> 1;
#if VEC_ITEMS == 4
    bits = (bits | bits >> 2) & 0x1111111111111111ul;
    bits = (bits | bits >> 3) & 0x0303030303030303ul;
    bits = (bits | bits >> 6) & 0x000f000f000f000ful;
    bits = (bits | bits >> 12) & 0x000000ff000000fful;
    bits = (bits | bits >> 24) & 0xfffful;
#else
    bits &= 0x5555555555555555ul;
    bits = (bits | bits >> 1) & 0x3333333333333333ul;
    bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0ful;
    bits = (bits | bits >> 4) & 0x00ff00ff00ff00fful;
    bits = (bits | bits >> 8) & 0x0000ffff0000fffful;
    bits = (bits | bits >> 16) & 0xfffffffful;
#endif
    cuts |= (scanrt_u32)bits << i * (64 / VEC_ITEMS);
  }
  return cuts;
}

/* Returns the bits of each lane's vector of register r, one an element. */
FUNC scanrt_lanes_t scanrt_lanes_begin(const scanrt_u64 *begins, scanrt_u32 r) {
#if VEC_ITEMS == 4
#define LANE_IS_HIGH(p) VECTOR_AT(p) < 8 ? 0 : -1
#define LANE_SHIFT(p) 4 * (VECTOR_AT(p) % 8)
  const scanrt_lanes_t low = (scanrt_u32)begins[r], high = (scanrt_u32)(begins[r] >> 32);
  return ((int16)(EACH_LANE(LANE_IS_HIGH)) ? high : low) >> (scanrt_lanes_t)(EACH_LANE(LANE_SHIFT));
#else
#define LANE_SHIFT(p) 2 * VECTOR_AT(p)
  return (scanrt_lanes_t)(begins[0] >> 16 * r) >> (scanrt_lanes_t)(EACH_LANE(LANE_SHIFT));
#endif
}

/* The sums before a row, of the sub-tiles and of the rows, as far as they are in the segment that goes on. */
typedef struct scanrt_row_sums {
  SUM_T sub, rows;
  scanrt_u32 within; /* 1 if a segment begins in the rows */
} scanrt_row_sums;

/* Writes the sums of a row's segments up to each element. */
FUNC void scanrt_floats_row(SUMS_T from, const scanrt_u64 *begins, scanrt_row_sums *before, SUM_T *sums) {
  const scanrt_sums_t none = (SUM_T)-0.0f; /* the exact identity */
  const scanrt_sums_t sub = before->sub, rows = before->rows;
  scanrt_sums_t x[ROW_REGS][VEC_ITEMS], s[ROW_REGS];
  const scanrt_u32 first_cuts = scanrt_vectors_cut(begins);
  scanrt_u32 cuts = first_cuts;
  UNROLL
  for (scanrt_u32 r = 0; r < ROW_REGS; r++) {
    const scanrt_lanes_t begin = scanrt_lanes_begin(begins, r);
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) x[r][k] = SUMS_LOAD(from, r * VEC_ITEMS + k);
    scanrt_sums_transpose(x[r]);
    s[r] = x[r][0];
    UNROLL
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) s[r] = (begin & 1u << k) != 0 ? x[r][k] : s[r] + x[r][k];
  }
  SUMS_STEP(s, 1, cuts);
  SUMS_STEP(s, 2, cuts);
  SUMS_STEP(s, 4, cuts);
#if SUM_LANES > 8
  SUMS_STEP(s, 8, cuts);
#endif
  UNROLL
  for (scanrt_u32 d = 1; d < ROW_REGS; d <<= 1) {
    UNROLL
    for (scanrt_u32 r = ROW_REGS - 1; r >= d; r--) s[r] = LANES_CUT(cuts, r) ? s[r] : s[r - d] + s[r];
    cuts |= cuts << d * SUM_LANES;
  }
  UNROLL
  for (scanrt_u32 r = 0; r < ROW_REGS; r++) {
    const scanrt_lanes_t begin = scanrt_lanes_begin(begins, r);
    const scanrt_sums_t lane = SUMS_BEFORE(r ? s[r - 1] : none, s[r], 1);
    scanrt_sums_t sum = LANES_CUT(cuts << 1, r) ? lane : sub + (rows + lane);
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) x[r][k] = sum = (begin & 1u << k) != 0 ? x[r][k] : sum + x[r][k];
    scanrt_sums_transpose(x[r]);
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) SUMS_STORE(x[r][k], r * VEC_ITEMS + k, sums);
  }
  before->rows = first_cuts ? SUMS_LAST(s[ROW_REGS - 1]) : before->rows + SUMS_LAST(s[ROW_REGS - 1]);
  if (first_cuts) before->sub = (SUM_T)-0.0f;
  before->within |= first_cuts != 0;
}

/* Writes the sums of the segments that end in a whole sub-tile. A segment begins with its first element if `begins` is
 * 1; otherwise the first sum begins with `before`. Returns the sub-tile's fold. Up to 32 elements behind the sums are
 * overwritten. */
FUNC scanrt_value_t scanrt_floats_at_ends(SUMS_T x, GLOBAL const scanrt_u32 *words, scanrt_u32 begins,
                                          scanrt_value_t before, SUM_T *ends) {
  SUM_T sums[ROW_ITEMS];
  scanrt_row_sums row;
  scanrt_u64 carried = begins;
  row.sub = before.there ? (SUM_T)before.v : (SUM_T)-0.0f;
  row.rows = (SUM_T)-0.0f;
  row.within = 0;
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
    scanrt_u64 bits[ROW_BITS];
    UNROLL
    for (scanrt_u32 i = 0; i < ROW_BITS; i++) {
      const scanrt_u64 end = words[2 * i] | (scanrt_u64)words[2 * i + 1] << 32;
      bits[i] = end << 1 | carried;
      carried = end >> 63;
    }
    scanrt_floats_row(x + r * ROW_ITEMS, bits, &row, sums);
    for (scanrt_u32 w = 0; w < ROW_ITEMS / 32; w++) ends = scanrt_ends_take(sums + w * 32, *words++, ends);
  }
  return scanrt_value_from((scanrt_bare_t)row.rows, row.within ? 1 | STARTS_WITHIN : 1);
}
#endif
#endif
