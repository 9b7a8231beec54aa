/* SPDX-License-Identifier: BSD-2-Clause */
/** @file fused.c @brief Operators from source that map and emit, with elements smaller than, equal to and larger
 * than their values. Some use the element's index. */
#include "data.h"
#include "fused.h"

#include <string.h>

/* 4-byte elements, 4-byte values: counts the elements above one half. */
SCAN_OP_TEXT(
    above_text, static inline uint32_t above_add(uint32_t a, uint32_t b) { return a + b; }

    static inline uint32_t above_map(float x, uint64_t index) { return x > 0.5f && index != 3 ? 1 : 0; });
SCAN_OP_HOST(above_host, uint32_t, above_add);
SCAN_MAP_HOST(above_map_host, float, uint32_t, above_map);

/* 1-byte elements, 8-byte values: a vector covers two bytes of input. */
SCAN_OP_TEXT(
    wide_text, static inline uint64_t wide_add(uint64_t a, uint64_t b) { return a + b; }

    static inline uint64_t wide_map(uint8_t x, uint64_t index) { return (index << 20) * x + 1; });
SCAN_OP_HOST(wide_host, uint64_t, wide_add);
SCAN_MAP_HOST(wide_map_host, uint8_t, uint64_t, wide_map);

/* 3-byte elements, 4-byte binary32 values, 8-byte results: a vector covers 6 bytes of input. */
SCAN_OP_TEXT(
    colour_text,
    typedef struct colour {
      uint8_t r;
      uint8_t g;
      uint8_t b;
    } colour;
    typedef struct shade {
      float sum;
      uint32_t other;
    } shade;
    static inline float colour_add(float a, float b) { return a + b; }

    static inline float colour_map(colour x, uint64_t index) {
      return (float)x.r * 0.37f + (float)x.g * 0.11f - (float)x.b * 0.45f + (float)(index & 1);
    }

    static inline shade colour_emit(float inclusive, float exclusive, colour x, uint64_t index) {
      shade s;
      s.sum = inclusive - exclusive * 0.5f;
      s.other = (uint32_t)index * 256 + x.g;
      return s;
    });
SCAN_OP_HOST(colour_host, float, colour_add);
SCAN_MAP_HOST(colour_map_host, colour, float, colour_map);
SCAN_EMIT_HOST(colour_emit_host, float, colour, shade, colour_emit);

/* 8-byte elements, 2-byte values, 1-byte results: each step shrinks. */
SCAN_OP_TEXT(
    narrow_text, static inline uint16_t narrow_max(uint16_t a, uint16_t b) { return b > a ? b : a; }

    static inline uint16_t narrow_map(uint64_t x, uint64_t index) {
      return (uint16_t)((x >> 40) % (index % 60000 + 2));
    }

    static inline uint8_t narrow_emit(uint16_t inclusive, uint16_t exclusive, uint64_t x, uint64_t index) {
      return (uint8_t)((inclusive != exclusive) + 2 * (x & 1) + 4 * (index & 1) + (inclusive & 0xf0));
    });
SCAN_OP_HOST(narrow_host, uint16_t, narrow_max);
SCAN_MAP_HOST(narrow_map_host, uint64_t, uint16_t, narrow_map);
SCAN_EMIT_HOST(narrow_emit_host, uint16_t, uint64_t, uint8_t, narrow_emit);

/* 4-byte elements, 12-byte values, 4-byte results, in place: composes maps x -> a x + b modulo 2^32 and applies them
 * to the element. */
SCAN_OP_TEXT(
    through_text,
    typedef struct through {
      uint32_t a;
      uint32_t b;
      uint32_t count;
    } through;
    static inline through through_combine(through f, through g) {
      through h;
      h.a = g.a * f.a;
      h.b = g.a * f.b + g.b;
      h.count = f.count + g.count;
      return h;
    }

    static inline through through_map(int32_t x, uint64_t index) {
      through t;
      t.a = (uint32_t)x | 1;
      t.b = (uint32_t)(index * 3);
      t.count = 1;
      return t;
    }

    static inline uint32_t through_emit(through inclusive, through exclusive, int32_t x, uint64_t index) {
      return inclusive.b * 7 + exclusive.a + (uint32_t)x + exclusive.count - (uint32_t)index;
    });
SCAN_OP_HOST(through_host, through, through_combine);
SCAN_MAP_HOST(through_map_host, int32_t, through, through_map);
SCAN_EMIT_HOST(through_emit_host, through, int32_t, uint32_t, through_emit);

/* Emit without a map: 8-byte binary32 values to 8-byte results, in place. */
SCAN_OP_TEXT(
    span_text,
    typedef struct span {
      float low;
      float high;
    } span;
    static inline span span_combine(span a, span b) {
      span c;
      c.low = a.low + b.low;
      c.high = b.high > a.high ? b.high : a.high;
      return c;
    }

    static inline uint64_t span_emit(span inclusive, span exclusive, span x, uint64_t index) {
      return (uint64_t)(inclusive.high == x.high) << 63 | (uint64_t)(exclusive.low < 0.0f) << 62 | index;
    });
SCAN_OP_HOST(span_host, span, span_combine);
SCAN_EMIT_HOST(span_emit_host, span, span, uint64_t, span_emit);

/* 2-byte elements, 8-byte values, 4-byte results: affine maps modulo 2^32. */
SCAN_OP_TEXT(
    place_text,
    typedef struct place {
      uint32_t a;
      uint32_t b;
    } place;
    static inline place place_combine(place f, place g) {
      place h;
      h.a = f.a * g.a;
      h.b = g.a * f.b + g.b;
      return h;
    }

    static inline place place_map(int16_t x, uint64_t index) {
      place t;
      t.a = (uint32_t)x * 2 + 1;
      t.b = (uint32_t)index * 2654435761u;
      return t;
    }

    static inline uint32_t place_emit(place inclusive, place exclusive, int16_t x, uint64_t index) {
      return (inclusive.b * 3 + exclusive.b) ^ ((uint32_t)(uint16_t)x + (uint32_t)index * 7);
    });
SCAN_OP_HOST(place_host, place, place_combine);
SCAN_MAP_HOST(place_map_host, int16_t, place, place_map);
SCAN_EMIT_HOST(place_emit_host, place, int16_t, uint32_t, place_emit);

/* ---- elements ---- */

static void fill_bits(uint64_t first, uint64_t bytes, uint64_t seed, void *out) {
  uint8_t *at = out;
  for (uint64_t i = 0; i < bytes; i++) at[i] = (uint8_t)data_bits(seed, first + i);
}

#define FILL_BITS(bytes)                                                                                               \
  static void fill_##bytes(uint64_t first, uint64_t n, uint64_t seed, void *out) {                                     \
    fill_bits(first *(bytes), n *(bytes), seed, out);                                                                  \
  }
FILL_BITS(1)
FILL_BITS(2)
FILL_BITS(3)
FILL_BITS(4)
FILL_BITS(8)

static void fill_thousandths(uint64_t first, uint64_t n, uint64_t seed, void *out) {
  for (uint64_t i = 0; i < n; i++) ((float *)out)[i] = (float)(data_bits(seed, first + i) % 1000) * 1e-3f;
}

static void fill_spans(uint64_t first, uint64_t n, uint64_t seed, void *out) {
  for (uint64_t i = 0; i < 2 * n; i++)
    ((float *)out)[i] = (float)(data_bits(seed, 2 * first + i) % 2001) * 0.37f - 370.0f;
}

/* ---- the list ---- */

#define VALUE(TYPE, NAME, COMBINE, IDENTITY)                                                                           \
  .struct_bytes = sizeof(scan_op_source), .text = NAME##_text, .type = #TYPE, .combine = #COMBINE,                     \
  .value_bytes = sizeof(TYPE), .value_align = SCAN_OP_ALIGN(TYPE), .identity = (IDENTITY), .host = NAME##_host,        \
  .loops = &NAME##_host_loops
#define INPUT(TYPE, NAME)                                                                                              \
  .map = #NAME "_map", .input_type = #TYPE, .input_bytes = sizeof(TYPE), .input_align = SCAN_OP_ALIGN(TYPE),           \
  .map_host = NAME##_map_host, .map_loop = NAME##_map_host_loop
#define OUTPUT(TYPE, NAME)                                                                                             \
  .emit = #NAME "_emit", .output_type = #TYPE, .output_bytes = sizeof(TYPE), .output_align = SCAN_OP_ALIGN(TYPE),      \
  .emit_host = NAME##_emit_host, .emit_loop = NAME##_emit_host_loop

static const uint64_t zero = 0;
static const float minus_zero = -0.0f, some_float = 0.3f;
static const uint64_t some_bits = 3;
static const through through_identity = { 1, 0, 0 }, some_through = { 3, 1, 4 };
static const span span_identity = { -0.0f, -1e30f };
static const place place_identity = { 1, 0 }, some_place = { 3, 5 };

static const source_structure all[] = {
  { "above", { VALUE(uint32_t, above, above_add, &zero), INPUT(float, above) }, fill_thousandths, &some_bits },
  { "wide", { VALUE(uint64_t, wide, wide_add, &zero), INPUT(uint8_t, wide) }, fill_1, &some_bits },
  { "colour",
    { VALUE(float, colour, colour_add, &minus_zero), INPUT(colour, colour), OUTPUT(shade, colour) },
    fill_3,
    &some_float },
  { "narrow",
    { VALUE(uint16_t, narrow, narrow_max, &zero), INPUT(uint64_t, narrow), OUTPUT(uint8_t, narrow) },
    fill_8,
    &some_bits },
  { "through",
    { VALUE(through, through, through_combine, &through_identity), INPUT(int32_t, through), OUTPUT(uint32_t, through) },
    fill_4,
    &some_through },
  { "span", { VALUE(span, span, span_combine, &span_identity), OUTPUT(uint64_t, span) }, fill_spans, NULL },
  { "place",
    { VALUE(place, place, place_combine, &place_identity), INPUT(int16_t, place), OUTPUT(uint32_t, place) },
    fill_2,
    &some_place },
};

const source_structure *source_operator_fused(size_t i) { return i < sizeof all / sizeof all[0] ? &all[i] : NULL; }
