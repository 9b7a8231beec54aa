/* SPDX-License-Identifier: BSD-2-Clause */
/** @file functions.c @brief Predicates and bucket functions from source, for elements of 1 to 64 bytes. */
#include "parts.h"

#include <string.h>

/** Defines the functions for elements of BYTES bytes. FIRST and LAST select the element's first and last number. The
 * predicate of two elements is neither symmetric nor transitive. */
#define FUNCTIONS(BYTES, TYPE, FIRST, LAST, ...)                                                                       \
  SCAN_OP_TEXT(                                                                                                        \
      text_##BYTES,                                                                                                    \
      __VA_ARGS__ static inline int kept_##BYTES(TYPE x, uint64_t index, uint32_t percent) {                           \
        return (((uint32_t)x FIRST + 7u * (uint32_t)x LAST) % 1000u + (uint32_t)index) % 100u < percent;               \
      } static inline int same_##BYTES(TYPE before, TYPE x, uint32_t percent) {                                        \
        return ((uint32_t)before LAST % 1000u * 3u + (uint32_t)x FIRST % 1000u) % 100u >= percent;                     \
      } static inline uint32_t bucket_##BYTES(TYPE x, uint64_t index, uint32_t buckets) {                              \
        return ((uint32_t)x FIRST + (uint32_t)x LAST / 3u + (uint32_t)index) % buckets;                                \
      });                                                                                                              \
  SCAN_KEEP_PARAMS_HOST(kept_host_##BYTES, TYPE, uint32_t, kept_##BYTES);                                              \
  SCAN_SAME_PARAMS_HOST(same_host_##BYTES, TYPE, uint32_t, same_##BYTES);                                              \
  SCAN_BUCKET_PARAMS_HOST(bucket_host_##BYTES, TYPE, uint32_t, bucket_##BYTES)

#define WORDS(BYTES, COUNT, LAST)                                                                                      \
  FUNCTIONS(                                                                                                           \
      BYTES, words_##COUNT, .word[0], .word[LAST],                                                                     \
      typedef struct words_##COUNT { uint32_t word[COUNT]; } words_##COUNT;)

FUNCTIONS(1, uint8_t, , , );
FUNCTIONS(2, uint16_t, , , );
FUNCTIONS(4, uint32_t, , , );
WORDS(8, 2, 1);
WORDS(12, 3, 2);
WORDS(16, 4, 3);
WORDS(64, 16, 15);

/** The sources and host functions for elements of one size. */
typedef struct maker {
  uint32_t bytes;
  scan_predicate_source one, pair;
  scan_bucket_source bucket;
  scan_keep_host *one_host, *pair_host;
  scan_bucket_host *bucket_host;
} maker;

#define MAKER(BYTES, TYPE)                                                                                             \
  {                                                                                                                    \
    BYTES, SCAN_PREDICATE_PARAMS_INIT(text_##BYTES, TYPE, kept_##BYTES, uint32_t),                                     \
        SCAN_PREDICATE_PAIR_PARAMS_INIT(text_##BYTES, TYPE, same_##BYTES, uint32_t),                                   \
        SCAN_BUCKET_PARAMS_INIT(text_##BYTES, TYPE, bucket_##BYTES, uint32_t), kept_host_##BYTES, same_host_##BYTES,   \
        bucket_host_##BYTES                                                                                            \
  }
static const maker makers[CASE_LOOKED_SIZES] = { MAKER(1, uint8_t),  MAKER(2, uint16_t), MAKER(4, uint32_t),
                                                 MAKER(8, words_2),  MAKER(12, words_3), MAKER(16, words_4),
                                                 MAKER(64, words_16) };

uint32_t case_looked_bytes(const scan_case *c) { return c->looked_bytes ? c->looked_bytes : sizeof(uint32_t); }

int case_looked_size(const scan_case *c) {
  for (int size = 0; size < CASE_LOOKED_SIZES; size++)
    if (makers[size].bytes == case_looked_bytes(c)) return size;
  return -1;
}

uint32_t case_looked_draw(case_draw *d) {
  return draw_below(d, 2) ? 0 : makers[draw_below(d, CASE_LOOKED_SIZES)].bytes;
}

/* ---- creation on demand ---- */

/** Creates the predicate unless it exists. @param made  where the predicate is kept */
static scan_status make_predicate(scan_ctx *ctx, scan_predicate_source source, scan_keep_host *host, scan_op **made,
                                  scan_op **op) {
  source.host = host;
  const scan_status status = *made ? SCAN_SUCCESS : scan_predicate_create(ctx, &source, made);
  *op = *made;
  return status;
}

scan_status case_predicate_one(scan_ctx *ctx, case_functions *functions, const scan_case *c, scan_op **op) {
  const int size = case_looked_size(c);
  return make_predicate(ctx, makers[size].one, makers[size].one_host, &functions->one[size], op);
}

scan_status case_predicate_pair(scan_ctx *ctx, case_functions *functions, const scan_case *c, scan_op **op) {
  const int size = case_looked_size(c);
  return make_predicate(ctx, makers[size].pair, makers[size].pair_host, &functions->pair[size], op);
}

scan_status case_bucket_function(scan_ctx *ctx, case_functions *functions, const scan_case *c, scan_op **op) {
  const int size = case_looked_size(c);
  scan_op **made = &functions->bucket[size];
  scan_bucket_source source = makers[size].bucket;
  source.host = makers[size].bucket_host;
  const scan_status status = *made ? SCAN_SUCCESS : scan_bucket_create(ctx, &source, made);
  *op = *made;
  return status;
}

scan_status case_last_operator(scan_ctx *ctx, case_functions *functions, const source_operator *source, scan_type type,
                               scan_op **op) {
  if (functions->last && (functions->last_name != source->name || functions->last_type != type)) {
    scan_op_destroy(functions->last);
    functions->last = NULL;
  }
  functions->last_name = source->name;
  functions->last_type = type;
  const scan_status status =
      functions->last ? SCAN_SUCCESS : source_operator_create(source, type, ctx, &functions->last);
  *op = functions->last;
  return status;
}

void case_functions_destroy(case_functions *functions) {
  scan_op_destroy(functions->last);
  for (int size = 0; size < CASE_LOOKED_SIZES; size++) {
    scan_op_destroy(functions->one[size]);
    scan_op_destroy(functions->pair[size]);
    scan_op_destroy(functions->bucket[size]);
  }
  *functions = (case_functions){ .one = { NULL } };
}

/* ---- the oracle's copy of the arithmetic ---- */

/** Returns the first or the last number of element i. */
static uint32_t number_of(const scan_case *c, uint64_t i, int is_last) {
  const uint64_t bytes = case_looked_bytes(c), width = bytes < 4 ? bytes : 4;
  uint32_t number = 0;
  memcpy(&number, c->in_image + c->marks.at + i * bytes + (is_last ? bytes - width : 0), (size_t)width);
  return number;
}

uint64_t case_part_start(const scan_case *c, uint64_t i) {
  uint64_t start = 0;
  for (uint32_t p = 0; p < c->parts && c->part_starts[p] <= i; p++) start = c->part_starts[p];
  return start;
}

int case_is_kept(const scan_case *c, uint64_t i, uint64_t index, uint32_t percent) {
  return ((number_of(c, i, 0) + 7 * number_of(c, i, 1)) % 1000 + (uint32_t)index) % 100 < percent;
}

int case_starts_run(const scan_case *c, uint64_t i) {
  return i == 0 || (number_of(c, i - 1, 1) % 1000 * 3 + number_of(c, i, 0) % 1000) % 100 < c->percent;
}

uint32_t case_bucket_modulus(const scan_case *c) { return c->buckets + (uint32_t)(c->seed % 3); }

uint32_t case_bucket_of(const scan_case *c, uint64_t i) {
  const uint32_t index = (uint32_t)(i - case_part_start(c, i));
  const uint32_t bucket = (number_of(c, i, 0) + number_of(c, i, 1) / 3 + index) % case_bucket_modulus(c);
  return bucket < c->buckets ? bucket : c->buckets - 1;
}
