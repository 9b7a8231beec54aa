/* SPDX-License-Identifier: BSD-2-Clause */
/** @file compact_keep.c @brief `scanrt select --keep`: parses comparisons, and creates predicates from C source for
 * them. */
#include "compact.h"
#include "number.h"

#include <ctype.h>

/* ---- parsing ---- */

static const char *skip_blanks(const char *p) {
  while (isspace((unsigned char)*p)) p++;
  return p;
}

/** Reads a comparison operator; the table lists longer ones first. @return its length; 0: none */
static size_t parse_operator(const char *p, uint32_t *how) {
  static const struct {
    const char *text;
    uint32_t how;
  } operators[] = { { "<=", 1 }, { ">=", 3 }, { "==", 4 }, { "!=", 5 }, { "<", 0 }, { ">", 2 } };
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
    const size_t length = strlen(operators[i].text);
    if (strncmp(p, operators[i].text, length) != 0) continue;
    *how = operators[i].how;
    return length;
  }
  return 0;
}

/** Reads a comparison such as "x < 5". @param[in,out] at  advanced over it. @return CLI_OK or CLI_USAGE */
static int parse_comparison(scan_type type, const char *text, const char **at, uint32_t *how, scan_value *bound) {
  char number[NUMBER_TEXT_BYTES] = "", words[NUMBER_WORDS_BYTES];
  const char *p = skip_blanks(*at);
  if (*p != 'x') return cli_usage("select", "--keep '%s' is not a comparison such as 'x > 3'", text);
  p = skip_blanks(p + 1);
  const size_t length = parse_operator(p, how);
  if (length == 0) return cli_usage("select", "--keep '%s': x is compared by one of < <= > >= == !=", text);
  p = skip_blanks(p + length);
  const size_t digits = strcspn(p, " \t&|");
  if (digits < sizeof number) memcpy(number, p, digits);
  const number_status status = number_parse(type, number, bound);
  if (status != NUMBER_OK)
    return cli_usage("select", "--keep '%s': %s", text, number_refusal(type, number, status, NULL, words));
  *at = skip_blanks(p + digits);
  return CLI_OK;
}

static int keep_parse(scan_type type, const char *text, compact_comparison *c) {
  const char *at = text;
  memset(c, 0, sizeof *c);
  int rc = parse_comparison(type, text, &at, &c->how[0], &c->bound[0]);
  if (rc != CLI_OK || !*at) return rc;
  c->joined = !strncmp(at, "&&", 2) ? 1 : !strncmp(at, "||", 2) ? 2 : 0;
  if (!c->joined) return cli_usage("select", "--keep '%s': two comparisons are joined by && or ||", text);
  at += 2;
  rc = parse_comparison(type, text, &at, &c->how[1], &c->bound[1]);
  if (rc == CLI_OK && *at) return cli_usage("select", "--keep '%s' has more than two comparisons", text);
  return rc;
}

/* ---- predicates ---- */

/* The comparisons are parameters, so that a type has one program for all of them. */
#define PREDICATE(T, MEMBER)                                                                                           \
  SCAN_OP_TEXT(                                                                                                        \
      text_##MEMBER,                                                                                                   \
      typedef struct bounds_##MEMBER {                                                                                 \
        T bound[2];                                                                                                    \
        uint32_t how[2];                                                                                               \
        uint32_t joined;                                                                                               \
      } bounds_##MEMBER;                                                                                               \
                                                                                                                       \
      static inline int compare_##MEMBER(T x, uint32_t how, T bound) {                                                 \
        return how == 0   ? x < bound                                                                                  \
               : how == 1 ? x <= bound                                                                                 \
               : how == 2 ? x > bound                                                                                  \
               : how == 3 ? x >= bound                                                                                 \
               : how == 4 ? x == bound                                                                                 \
                          : x != bound;                                                                                \
      }                                                                                                                \
                                                                                                                       \
      static inline int keep_##MEMBER(T x, uint64_t index, bounds_##MEMBER b) {                                        \
        const int first = compare_##MEMBER(x, b.how[0], b.bound[0]);                                                   \
        const int second = compare_##MEMBER(x, b.how[1], b.bound[1]);                                                  \
        (void)index;                                                                                                   \
        return b.joined == 0 ? first : b.joined == 1 ? first && second : first || second;                              \
      });                                                                                                              \
  SCAN_KEEP_PARAMS_HOST(host_##MEMBER, T, bounds_##MEMBER, keep_##MEMBER);                                             \
  static scan_predicate_source source_##MEMBER(const compact_comparison *c, unsigned char *params) {                   \
    scan_predicate_source source = SCAN_PREDICATE_PARAMS_INIT(text_##MEMBER, T, keep_##MEMBER, bounds_##MEMBER);       \
    bounds_##MEMBER b = { .joined = c->joined };                                                                       \
    for (int i = 0; i < COMPACT_MOST_COMPARISONS; i++) b.bound[i] = c->bound[i].MEMBER, b.how[i] = c->how[i];          \
    memcpy(params, &b, sizeof b);                                                                                      \
    source.host = host_##MEMBER;                                                                                       \
    return source;                                                                                                     \
  }

PREDICATE(int8_t, i8)
PREDICATE(uint8_t, u8)
PREDICATE(int16_t, i16)
PREDICATE(uint16_t, u16)
PREDICATE(int32_t, i32)
PREDICATE(uint32_t, u32)
PREDICATE(int64_t, i64)
PREDICATE(uint64_t, u64)
PREDICATE(float, f32)
PREDICATE(double, f64)

typedef scan_predicate_source source_of(const compact_comparison *c, unsigned char *params);

int compact_predicate(scan_ctx *ctx, scan_type type, const char *text, scan_op **predicate,
                      unsigned char params[COMPACT_PARAMS_BYTES]) {
  static source_of *const sources[] = {
    [SCAN_I8] = source_i8,   [SCAN_U8] = source_u8,   [SCAN_I16] = source_i16, [SCAN_U16] = source_u16,
    [SCAN_I32] = source_i32, [SCAN_U32] = source_u32, [SCAN_I64] = source_i64, [SCAN_U64] = source_u64,
    [SCAN_F32] = source_f32, [SCAN_F64] = source_f64
  };
  compact_comparison comparison;
  if ((size_t)type >= sizeof sources / sizeof sources[0] || !sources[type])
    return cli_usage("select", "--keep compares no %s: say what is kept by --flags", scan_type_name(type));
  const int rc = keep_parse(type, text, &comparison);
  if (rc != CLI_OK) return rc;
  const scan_predicate_source source = sources[type](&comparison, params);
  const scan_status status = scan_predicate_create(ctx, &source, predicate);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(ctx, status, "cannot make the predicate");
}
