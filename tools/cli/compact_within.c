/* SPDX-License-Identifier: BSD-2-Clause */
/** @file compact_within.c @brief `scanrt unique --within`: predicates that allow neighbours a limited difference. */
#include "compact.h"
#include "number.h"

/* The limit is a parameter, so that a type has one program for all limits. Differences of integers are exact, in the
 * unsigned type of the same size; those of floating point are rounded. */
#define WITHIN(T, U, MEMBER, IS_WITHIN)                                                                                \
  SCAN_OP_TEXT(                                                                                                        \
      text_##MEMBER, static inline int within_##MEMBER(T before, T x, U limit) { return IS_WITHIN; });                 \
  SCAN_SAME_PARAMS_HOST(host_##MEMBER, T, U, within_##MEMBER);                                                         \
  static scan_predicate_source source_##MEMBER(void) {                                                                 \
    scan_predicate_source source = SCAN_PREDICATE_PAIR_PARAMS_INIT(text_##MEMBER, T, within_##MEMBER, U);              \
    source.host = host_##MEMBER;                                                                                       \
    return source;                                                                                                     \
  }
#define WHOLE(T, U, MEMBER) WITHIN(T, U, MEMBER, (U)(x > before ? (U)x - (U)before : (U)before - (U)x) <= limit)
#define REAL(T, MEMBER) WITHIN(T, T, MEMBER, x == before || (x - before <= limit && before - x <= limit))

WHOLE(int8_t, uint8_t, i8)
WHOLE(uint8_t, uint8_t, u8)
WHOLE(int16_t, uint16_t, i16)
WHOLE(uint16_t, uint16_t, u16)
WHOLE(int32_t, uint32_t, i32)
WHOLE(uint32_t, uint32_t, u32)
WHOLE(int64_t, uint64_t, i64)
WHOLE(uint64_t, uint64_t, u64)
REAL(float, f32)
REAL(double, f64)

/** The predicate source of an element type, and the type of its differences. */
typedef struct within {
  scan_predicate_source (*source)(void);
  scan_type limit;
} within;

static int within_parse(scan_type type, scan_type limit, const char *text, unsigned char params[COMPACT_PARAMS_BYTES]) {
  scan_value value;
  const number_status status = number_parse(limit, text, &value);
  const int is_real = limit == SCAN_F32 || limit == SCAN_F64;
  const double real = limit == SCAN_F32 ? (double)value.f32 : value.f64;
  if (status != NUMBER_OK || (is_real && !(real >= 0)))
    return cli_usage("unique", "--within '%s' is not a difference of two elements of type %s: give a number from 0 %s",
                     text, scan_type_name(type), is_real ? "on" : number_range(limit) + 2);
  memcpy(params, &value, scan_type_bytes(limit));
  return CLI_OK;
}

int compact_within(scan_ctx *ctx, scan_type type, const char *text, scan_op **predicate,
                   unsigned char params[COMPACT_PARAMS_BYTES]) {
  static const within table[] = {
    [SCAN_I8] = { source_i8, SCAN_U8 },    [SCAN_U8] = { source_u8, SCAN_U8 },    [SCAN_I16] = { source_i16, SCAN_U16 },
    [SCAN_U16] = { source_u16, SCAN_U16 }, [SCAN_I32] = { source_i32, SCAN_U32 }, [SCAN_U32] = { source_u32, SCAN_U32 },
    [SCAN_I64] = { source_i64, SCAN_U64 }, [SCAN_U64] = { source_u64, SCAN_U64 }, [SCAN_F32] = { source_f32, SCAN_F32 },
    [SCAN_F64] = { source_f64, SCAN_F64 }
  };
  if ((size_t)type >= sizeof table / sizeof table[0] || !table[type].source)
    return cli_usage("unique", "--within compares no %s: leave it out, or have text read by --type f32",
                     scan_type_name(type));
  const int rc = within_parse(type, table[type].limit, text, params);
  if (rc != CLI_OK) return rc;
  const scan_predicate_source source = table[type].source();
  const scan_status status = scan_predicate_create(ctx, &source, predicate);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(ctx, status, "cannot make the predicate");
}
