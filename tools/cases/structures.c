/* SPDX-License-Identifier: BSD-2-Clause */
/** @file structures.c @brief Operators from source on structs of 1 to 64 bytes, none of which commutes. */
#include "data.h"
#include "fused.h"
#include "source.h"

#include <string.h>

/** 1 byte: maps x -> a x + b modulo 16, with a and b of 4 bits each. */
SCAN_OP_TEXT(
    digits_text, typedef struct digits { uint8_t ab; } digits; static inline digits digits_combine(digits f, digits g) {
      digits h;
      const uint32_t fa = f.ab >> 4;
      const uint32_t fb = f.ab & 15;
      const uint32_t ga = g.ab >> 4;
      const uint32_t gb = g.ab & 15;
      h.ab = (uint8_t)((ga * fa & 15) << 4 | ((ga * fb + gb) & 15));
      return h;
    });
SCAN_OP_HOST(digits_host, digits, digits_combine);

/** 3, 12 and 24 bytes: upper triangular 2 x 2 matrices. */
SCAN_OP_TEXT(
    bytes3_text,
    typedef struct bytes3 {
      uint8_t a;
      uint8_t b;
      uint8_t c;
    } bytes3;
    static inline bytes3 bytes3_combine(bytes3 x, bytes3 y) {
      bytes3 z;
      z.a = (uint8_t)(x.a * y.a);
      z.b = (uint8_t)(x.a * y.b + x.b * y.c);
      z.c = (uint8_t)(x.c * y.c);
      return z;
    });
SCAN_OP_HOST(bytes3_host, bytes3, bytes3_combine);

SCAN_OP_TEXT(
    words3_text,
    typedef struct words3 {
      uint32_t a;
      uint32_t b;
      uint32_t c;
    } words3;
    static inline words3 words3_combine(words3 x, words3 y) {
      words3 z;
      z.a = x.a * y.a;
      z.b = x.a * y.b + x.b * y.c;
      z.c = x.c * y.c;
      return z;
    });
SCAN_OP_HOST(words3_host, words3, words3_combine);

SCAN_OP_TEXT(
    longs3_text,
    typedef struct longs3 {
      uint64_t a;
      uint64_t b;
      uint64_t c;
    } longs3;
    static inline longs3 longs3_combine(longs3 x, longs3 y) {
      longs3 z;
      z.a = x.a * y.a;
      z.b = x.a * y.b + x.b * y.c;
      z.c = x.c * y.c;
      return z;
    });
SCAN_OP_HOST(longs3_host, longs3, longs3_combine);

/** 64 bytes: 4 x 4 matrices. */
SCAN_OP_TEXT(
    matrix_text, typedef struct matrix { uint32_t m[16]; } matrix;
    static inline matrix matrix_combine(matrix x, matrix y) {
      matrix z;
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
          uint32_t sum = 0;
          for (int k = 0; k < 4; k++) sum += x.m[4 * i + k] * y.m[4 * k + j];
          z.m[4 * i + j] = sum;
        }
      return z;
    });
SCAN_OP_HOST(matrix_host, matrix, matrix_combine);

/** 8 and 12 bytes of binary32: maps x -> a x + b, which rounds. The 12-byte struct also counts. */
SCAN_OP_TEXT(
    affine_text,
    typedef struct affine {
      float a;
      float b;
    } affine;
    static inline affine affine_combine(affine f, affine g) {
      affine h;
      h.a = g.a * f.a;
      h.b = g.a * f.b + g.b;
      return h;
    });
SCAN_OP_HOST(affine_host, affine, affine_combine);

SCAN_OP_TEXT(
    counted_text,
    typedef struct counted {
      float a;
      float b;
      uint32_t count;
    } counted;
    static inline counted counted_combine(counted f, counted g) {
      counted h;
      h.a = g.a * f.a;
      h.b = g.a * f.b + g.b;
      h.count = f.count + g.count;
      return h;
    });
SCAN_OP_HOST(counted_host, counted, counted_combine);

/** 16 bytes: a link of a chain. `bad` counts operands that do not follow on each other or are not links. */
SCAN_OP_TEXT(
    link_text,
    typedef struct link {
      uint32_t first;
      uint32_t next;
      uint32_t bad;
      uint32_t tag;
    } link;
    static inline link link_combine(link a, link b) {
      link c;
      c.first = a.first;
      c.next = b.next;
      c.bad = a.bad + b.bad + (a.next != b.first) + (a.tag != 0x600d) + (b.tag != 0x600d);
      c.tag = 0x600d;
      return c;
    });
SCAN_OP_HOST(link_host, link, link_combine);

/** 2 and 4 bytes: maps x -> a x + b modulo 2^8 and 2^16. */
SCAN_OP_TEXT(
    bytes2_text,
    typedef struct bytes2 {
      uint8_t a;
      uint8_t b;
    } bytes2;
    static inline bytes2 bytes2_combine(bytes2 f, bytes2 g) {
      bytes2 h;
      h.a = (uint8_t)(g.a * f.a);
      h.b = (uint8_t)(g.a * f.b + g.b);
      return h;
    });
SCAN_OP_HOST(bytes2_host, bytes2, bytes2_combine);

SCAN_OP_TEXT(
    shorts2_text,
    typedef struct shorts2 {
      uint16_t a;
      uint16_t b;
    } shorts2;
    static inline shorts2 shorts2_combine(shorts2 f, shorts2 g) {
      shorts2 h;
      h.a = (uint16_t)((uint32_t)g.a * f.a);
      h.b = (uint16_t)((uint32_t)g.a * f.b + g.b);
      return h;
    });
SCAN_OP_HOST(shorts2_host, shorts2, shorts2_combine);

/* ---- elements ---- */

/** A random generator for the elements of one array. */
typedef struct numbers {
  uint64_t seed;
  uint64_t at;
} numbers;

static uint64_t token_next(numbers *r) { return data_bits(r->seed, r->at++); }

/** Fills odd numbers on the diagonal, so that products do not become zero. */
static void fill_digits(numbers *r, uint64_t i, digits *x) {
  (void)i;
  x->ab = (uint8_t)(token_next(r) | 16);
}

#define TRIANGLE(type, number)                                                                                         \
  static void fill_##type(numbers *r, uint64_t i, type *x) {                                                           \
    (void)i;                                                                                                           \
    x->a = (number)(token_next(r) | 1), x->b = (number)token_next(r), x->c = (number)(token_next(r) | 1);              \
  }
TRIANGLE(bytes3, uint8_t)
TRIANGLE(words3, uint32_t)
TRIANGLE(longs3, uint64_t)

/** Fills odd numbers on and above the diagonal and even ones below: invertible modulo 2^32. */
static void fill_matrix(numbers *r, uint64_t i, matrix *x) {
  (void)i;
  for (int k = 0; k < 16; k++) x->m[k] = (uint32_t)(k / 4 > k % 4 ? token_next(r) & ~UINT64_C(1) : token_next(r) | 1);
}

static float near_one(numbers *r) { return 1.0f + ((float)(token_next(r) % 2001) - 1000.0f) * 1e-6f; }
static float small(numbers *r) { return ((float)(token_next(r) % 200001) - 100000.0f) * 0.37e-3f; }

static void fill_affine(numbers *r, uint64_t i, affine *x) {
  (void)i;
  x->a = near_one(r), x->b = small(r);
}

static void fill_counted(numbers *r, uint64_t i, counted *x) {
  (void)i;
  x->a = near_one(r), x->b = small(r), x->count = 1;
}

#define PAIR(type, number)                                                                                             \
  static void fill_##type(numbers *r, uint64_t i, type *x) {                                                           \
    (void)i;                                                                                                           \
    x->a = (number)(token_next(r) | 1), x->b = (number)token_next(r);                                                  \
  }
PAIR(bytes2, uint8_t)
PAIR(shorts2, uint16_t)

static void fill_link(numbers *r, uint64_t i, link *x) {
  (void)r;
  *x = (link){ (uint32_t)i + 1, (uint32_t)i + 2, 0, 0x600d };
}

#define FILL_ALL(type)                                                                                                 \
  static void fill_all_##type(uint64_t first, uint64_t n, uint64_t seed, void *out) {                                  \
    numbers r = { .seed = seed };                                                                                      \
    for (uint64_t i = 0; i < n; i++) fill_##type(&r, first + i, (type *)out + i);                                      \
  }
FILL_ALL(digits)
FILL_ALL(bytes3)
FILL_ALL(words3)
FILL_ALL(longs3)
FILL_ALL(matrix)
FILL_ALL(affine)
FILL_ALL(counted)
FILL_ALL(link)
FILL_ALL(bytes2)
FILL_ALL(shorts2)

static const digits digits_identity = { 16 };
static const bytes3 bytes3_identity = { 1, 0, 1 };
static const words3 words3_identity = { 1, 0, 1 };
static const longs3 longs3_identity = { 1, 0, 1 };
static const matrix matrix_identity = { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } };
static const affine affine_identity = { 1.0f, 0.0f };
static const counted counted_identity = { 1.0f, 0.0f, 0 };
static const bytes2 bytes2_identity = { 1, 0 };
static const shorts2 shorts2_identity = { 1, 0 };

#define STRUCTURE(NAME, IDENTITY)                                                                                      \
  {                                                                                                                    \
    .name = #NAME,                                                                                                     \
    .source = { .struct_bytes = sizeof(scan_op_source),                                                                \
                .text = NAME##_text,                                                                                   \
                .type = #NAME,                                                                                         \
                .combine = #NAME "_combine",                                                                           \
                .value_bytes = sizeof(NAME),                                                                           \
                .value_align = SCAN_OP_ALIGN(NAME),                                                                    \
                .identity = (IDENTITY),                                                                                \
                .host = NAME##_host,                                                                                   \
                .loops = &NAME##_host_loops },                                                                         \
    .fill = fill_all_##NAME                                                                                            \
  }

static const source_structure structures[] = {
  STRUCTURE(digits, &digits_identity),
  STRUCTURE(bytes3, &bytes3_identity),
  STRUCTURE(words3, &words3_identity),
  STRUCTURE(longs3, &longs3_identity),
  STRUCTURE(matrix, &matrix_identity),
  STRUCTURE(affine, &affine_identity),
  STRUCTURE(link, NULL),
  STRUCTURE(counted, &counted_identity),
  STRUCTURE(bytes2, &bytes2_identity),
  STRUCTURE(shorts2, &shorts2_identity),
};

const source_structure *source_operator_structure(size_t i) {
  const size_t count = sizeof structures / sizeof structures[0];
  return i < count ? &structures[i] : source_operator_fused(i - count);
}
