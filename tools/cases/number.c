/* SPDX-License-Identifier: BSD-2-Clause */
/** @file number.c @brief Converts numbers to and from text. */
#define _POSIX_C_SOURCE 200809L
#include "number.h"
#include "half.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_float(scan_type type) { return type == SCAN_F32 || type == SCAN_F64 || half_is(type); }
static int is_signed(scan_type type) {
  return type == SCAN_I8 || type == SCAN_I16 || type == SCAN_I32 || type == SCAN_I64;
}

static number_status parse_float(scan_type type, const char *text, scan_value *value) {
  char *end;
  errno = 0;
  double wide = strtod(text, &end);
  if (end == text || *end) return NUMBER_NOT_ONE;
  if (type == SCAN_F64) {
    value->f64 = wide;
  } else if (half_is(type)) {
    const uint16_t bits = half_nearest(type, wide);
    if (isinf(half_value(type, bits)) && !isinf(wide)) return NUMBER_OUT_OF_RANGE;
    value->f16 = bits; /* bf16 uses the same member */
  } else {
    /* Parses the text again instead of rounding `wide`: double rounding can end one step away. */
    errno = 0;
    value->f32 = strtof(text, &end);
    wide = (double)value->f32;
  }
  return errno == ERANGE && isinf(wide) ? NUMBER_OUT_OF_RANGE : NUMBER_OK;
}

static number_status parse_signed(size_t bytes, const char *text, scan_value *value) {
  char *end;
  errno = 0;
  long long wide = strtoll(text, &end, 10);
  if (end == text || *end) return NUMBER_NOT_ONE;
  long long highest = INT64_MAX >> (64 - 8 * bytes);
  if (errno || wide > highest || wide < -highest - 1) return NUMBER_OUT_OF_RANGE;
  value->i64 = wide;
  return NUMBER_OK;
}

static number_status parse_unsigned(size_t bytes, const char *text, scan_value *value) {
  char *end;
  errno = 0;
  unsigned long long wide = strtoull(text, &end, 10);
  if (end == text || *end) return NUMBER_NOT_ONE;
  if (errno || wide > UINT64_MAX >> (64 - 8 * bytes)) return NUMBER_OUT_OF_RANGE;
  if (strchr(text, '-') && wide) return NUMBER_OUT_OF_RANGE;
  value->u64 = wide;
  return NUMBER_OK;
}

/** Moves a 64-bit integer to the member of its own type. */
static void narrow(scan_type type, scan_value *value) {
  uint64_t wide = value->u64;
  switch (scan_type_bytes(type)) {
  case 1: value->u8 = (uint8_t)wide; break;
  case 2: value->u16 = (uint16_t)wide; break;
  case 4: value->u32 = (uint32_t)wide; break;
  default: break;
  }
}

number_status number_parse(scan_type type, const char *text, scan_value *value) {
  scan_value found;
  if (isspace((unsigned char)text[0])) return NUMBER_NOT_ONE;
  memset(&found, 0, sizeof found);
  number_status status = is_float(type)    ? parse_float(type, text, &found)
                         : is_signed(type) ? parse_signed(scan_type_bytes(type), text, &found)
                                           : parse_unsigned(scan_type_bytes(type), text, &found);
  if (status != NUMBER_OK) return status;
  if (!is_float(type)) narrow(type, &found);
  *value = found;
  return NUMBER_OK;
}

const char *number_range(scan_type type) {
  static const char *const ranges[] = { [SCAN_I8] = "-128 to 127",
                                        [SCAN_U8] = "0 to 255",
                                        [SCAN_I16] = "-32768 to 32767",
                                        [SCAN_U16] = "0 to 65535",
                                        [SCAN_I32] = "-2147483648 to 2147483647",
                                        [SCAN_U32] = "0 to 4294967295",
                                        [SCAN_I64] = "-9223372036854775808 to 9223372036854775807",
                                        [SCAN_U64] = "0 to 18446744073709551615",
                                        [SCAN_F32] = "-3.40282347e+38 to 3.40282347e+38",
                                        [SCAN_F64] = "-1.7976931348623157e+308 to 1.7976931348623157e+308",
                                        [SCAN_F16] = "-65504 to 65504",
                                        [SCAN_BF16] = "-3.39e+38 to 3.39e+38" };
  return ranges[type];
}

/** Returns the first of a few types that can hold the number; SCAN_TYPE_DEFAULT: none. */
static scan_type wider_type(scan_type type, const char *text) {
  static const scan_type types[] = { SCAN_I64, SCAN_U64, SCAN_F32, SCAN_F64 };
  scan_value value;
  for (size_t i = is_float(type) ? 2 : 0; i < sizeof types / sizeof types[0]; i++) {
    if (!is_float(type) && types[i] == SCAN_F32) continue; /* f32 holds too few digits of an integer */
    if (number_parse(types[i], text, &value) == NUMBER_OK) return types[i];
  }
  return SCAN_TYPE_DEFAULT;
}

const char *number_refusal(scan_type type, const char *text, number_status status, const char *type_option,
                           char words[NUMBER_WORDS_BYTES]) {
  const scan_type wider = type_option ? wider_type(type, text) : SCAN_TYPE_DEFAULT;
  const char *name = scan_type_name(type);
  int used = status == NUMBER_OUT_OF_RANGE
                 ? snprintf(words, NUMBER_WORDS_BYTES, "'%.40s' is outside the range of %s, %s", text, name,
                            number_range(type))
                 : snprintf(words, NUMBER_WORDS_BYTES, "'%.40s' is not a number of type %s", text, name);
  if (wider != SCAN_TYPE_DEFAULT)
    snprintf(words + used, (size_t)(NUMBER_WORDS_BYTES - used), ": --%s %s takes it", type_option,
             scan_type_name(wider));
  return words;
}

int number_format(scan_type type, const void *element, char text[NUMBER_TEXT_BYTES]) {
  scan_value v;
  memset(&v, 0, sizeof v);
  memcpy(&v, element, scan_type_bytes(type));
  switch (type) {
  case SCAN_I8: return snprintf(text, NUMBER_TEXT_BYTES, "%" PRId8, v.i8);
  case SCAN_U8: return snprintf(text, NUMBER_TEXT_BYTES, "%" PRIu8, v.u8);
  case SCAN_I16: return snprintf(text, NUMBER_TEXT_BYTES, "%" PRId16, v.i16);
  case SCAN_U16: return snprintf(text, NUMBER_TEXT_BYTES, "%" PRIu16, v.u16);
  case SCAN_I32: return snprintf(text, NUMBER_TEXT_BYTES, "%" PRId32, v.i32);
  case SCAN_U32: return snprintf(text, NUMBER_TEXT_BYTES, "%" PRIu32, v.u32);
  case SCAN_I64: return snprintf(text, NUMBER_TEXT_BYTES, "%" PRId64, v.i64);
  case SCAN_U64: return snprintf(text, NUMBER_TEXT_BYTES, "%" PRIu64, v.u64);
  case SCAN_F32: return snprintf(text, NUMBER_TEXT_BYTES, "%.9g", (double)v.f32);
  case SCAN_F64: return snprintf(text, NUMBER_TEXT_BYTES, "%.17g", v.f64);
  case SCAN_F16: return snprintf(text, NUMBER_TEXT_BYTES, "%.5g", half_value(type, v.f16));
  case SCAN_BF16: return snprintf(text, NUMBER_TEXT_BYTES, "%.4g", half_value(type, v.bf16));
  case SCAN_TYPE_DEFAULT: break;
  }
  return snprintf(text, NUMBER_TEXT_BYTES, "?");
}
