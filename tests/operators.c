/* SPDX-License-Identifier: BSD-2-Clause */
#include "operators.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1 byte: x -> a x + b modulo 16, a and b a digit each. */
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

/* Upper triangles of 2 x 2, of 3, 12 and 24 bytes. */
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

/* 64 bytes: 4 x 4. */
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

/* 8 and 12 bytes of binary32: x -> a x + b, which rounds; the second one keeps a count. */
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

/* 16 bytes, see operator_link. */
const char operator_link_text[] =
    "typedef struct { uint32_t first, next, bad, tag; } operator_link;\n"
    "static inline operator_link link_combine(operator_link a, operator_link b) {\n"
    "  const uint32_t wrong = (a.next != b.first) + (a.tag != 0x600d) + (b.tag != 0x600d);\n"
    "  operator_link c;\n"
    "  if (wrong != 0) { %s; }\n"
    "  c.first = a.first;\n"
    "  c.next = b.next;\n"
    "  c.bad = a.bad + b.bad + wrong;\n"
    "  c.tag = 0x600d;\n"
    "  return c;\n"
    "}\n";
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

/* Every name here is one of the library's own, of its macros, or of its build parameters. */
const char operator_names_text[] = "#define SCAN_TYPE 7\n"
                                   "#  define VALUE_BYTES \\\n 99\n"
                                   "/* #define */ #define IDENTITY (0)\n"
                                   "#define COMBINE(a, b) tile_reduce(a, b)\n"
                                   "%: define scan_u8 int\n"
                                   "#define GLOBAL of this text\n"
                                   "typedef int32_t value_t;\n"
                                   "typedef struct scan_job { value_t n; } scan_job;\n"
                                   "struct tile_state { int x; };\n"
                                   "enum { output_t = 1 };\n"
                                   "static inline value_t scan_u32(value_t x) { return x; }\n"
                                   "static inline value_t combine(value_t a, value_t b) { return scan_u32(a) + b; }\n"
                                   "static inline value_t tile_reduce(value_t a, value_t b) { return combine(a, b); }\n"
                                   "static inline value_t scan_block(value_t a) { return a; }\n"
                                   "static inline value_t descriptor_put(void) { return 0; }\n"
                                   "static inline scan_job job(scan_job a, scan_job b) {\n"
                                   "  scan_job c;\n"
                                   "  c.n = COMBINE(scan_block(a.n), b.n) + descriptor_put() + output_t - 1;\n"
                                   "  return c;\n"
                                   "}\n";

/* ---- elements ---- */

/* Odd numbers on the diagonals, so that products do not die out. */

static void fill_digits(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++) ((digits *)out)[i].ab = (uint8_t)(rng_next(rng) | 16);
}

#define TRIANGLE(type, number)                                                                                         \
  static void fill_##type(struct rng *rng, uint64_t n, void *out) {                                                    \
    for (uint64_t i = 0; i < n; i++)                                                                                   \
      ((type *)out)[i] = (type){ (number)(rng_next(rng) | 1), (number)rng_next(rng), (number)(rng_next(rng) | 1) };    \
  }
TRIANGLE(bytes3, uint8_t)
TRIANGLE(words3, uint32_t)
TRIANGLE(longs3, uint64_t)

/* Odd above, below and on the diagonal: invertible modulo 2^32. */
static void fill_matrix(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++)
    for (int k = 0; k < 16; k++)
      ((matrix *)out)[i].m[k] = (uint32_t)(k / 4 > k % 4 ? rng_next(rng) & ~UINT64_C(1) : rng_next(rng) | 1);
}

static float near_one(struct rng *rng) { return 1.0f + ((float)rng_below(rng, 2001) - 1000.0f) * 1e-6f; }
static float small(struct rng *rng) { return ((float)rng_below(rng, 200001) - 100000.0f) * 0.37e-3f; }

static void fill_affine(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++) {
    const float a = near_one(rng);
    ((affine *)out)[i] = (affine){ a, small(rng) };
  }
}

static void fill_counted(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++) {
    const float a = near_one(rng);
    ((counted *)out)[i] = (counted){ a, small(rng), 1 };
  }
}

static void fill_link(struct rng *rng, uint64_t n, void *out) {
  (void)rng;
  for (uint64_t i = 0; i < n; i++)
    ((operator_link *)out)[i] = (operator_link){ (uint32_t)i + 1, (uint32_t)i + 2, 0, OPERATOR_LINK_TAG };
}

/* The link before the first. */
static void init_link(struct rng *rng, void *out) {
  (void)rng;
  *(operator_link *)out = (operator_link){ 0, 1, 0, OPERATOR_LINK_TAG };
}

static const digits digits_identity = { 16 };
static const bytes3 bytes3_identity = { 1, 0, 1 };
static const words3 words3_identity = { 1, 0, 1 };
static const longs3 longs3_identity = { 1, 0, 1 };
static const matrix matrix_identity = { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } };
static const affine affine_identity = { 1.0f, 0.0f };
static const counted counted_identity = { 1.0f, 0.0f, 0 };

#define OPERATOR(NAME, ROUNDS, IDENTITY, INIT)                                                                         \
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
    .rounds = (ROUNDS), .fill = fill_##NAME, .init = (INIT)                                                            \
  }

const struct operator_case operator_cases[OPERATOR_CASES] = {
  OPERATOR(words3, 0, &words3_identity, NULL), OPERATOR(link, 0, NULL, init_link),
  OPERATOR(affine, 1, &affine_identity, NULL), OPERATOR(bytes3, 0, &bytes3_identity, NULL),
  OPERATOR(matrix, 0, &matrix_identity, NULL), OPERATOR(digits, 0, &digits_identity, NULL),
  OPERATOR(longs3, 0, &longs3_identity, NULL), OPERATOR(counted, 1, &counted_identity, NULL),
};

const struct operator_case *operator_case_named(const char *name) {
  for (size_t i = 0; i < OPERATOR_CASES; i++)
    if (strcmp(operator_cases[i].name, name) == 0) return &operator_cases[i];
  fprintf(stderr, "there is no operator %s\n", name);
  abort();
}
