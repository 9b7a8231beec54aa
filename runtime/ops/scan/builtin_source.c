/* SPDX-License-Identifier: BSD-2-Clause */
/* Built-in operators as sources: text for the devices' compilers, functions for the host. Features that only operators
 * from source have (segments) thereby exist for every type, widening and operator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "ops/scan/builtin_source_host.h"
#include "core/plan.h"
#include "base/types.h"
#include "ops/scan/builtin_source.h"

typedef struct scan_builtin {
  scan_type input_type, type;
  scan_op_id op;
  scan_kind kind; /* kind of scan that halves are emitted for; other types: SCAN_INCLUSIVE */
  scan_source source;
  struct scan_builtin *next;
} scan_builtin;

/* ---- in words ---- */

enum { TYPES = SCAN_F64 + 1, OPS = SCAN_XOR + 1 };
/* Each type's name in C. */
static const char *const type_words[TYPES] = {
  [SCAN_I8] = "int8_t",   [SCAN_U8] = "uint8_t",   [SCAN_I16] = "int16_t", [SCAN_U16] = "uint16_t",
  [SCAN_I32] = "int32_t", [SCAN_U32] = "uint32_t", [SCAN_I64] = "int64_t", [SCAN_U64] = "uint64_t",
  [SCAN_F32] = "float",   [SCAN_F64] = "double"
};

/* Name of the type that sums and products are computed in: for integers an unsigned one, which wraps. */
static const char *wide_words(scan_type type) {
  if (scan_type_is_float(type)) return type_words[type];
  return scan_type_bytes(type) == 8 ? "uint64_t" : "uint32_t";
}

static const char *const op_words[OPS] = { [SCAN_ADD] = "(wide)a + (wide)b",
                                           [SCAN_MUL] = "(wide)a * (wide)b",
                                           [SCAN_MIN] = "(b < a || b != b) ? b : a",
                                           [SCAN_MAX] = "(b > a || b != b) ? b : a",
                                           [SCAN_AND] = "a & b",
                                           [SCAN_OR] = "a | b",
                                           [SCAN_XOR] = "a ^ b" };

/* Text that computes the product r of 64-bit x and y; `leaves` is 1 if the product exceeds 64 bits. */
#define PRODUCT_OF_HALVES                                                                                              \
  "uint64_t xl = (uint32_t)x, yl = (uint32_t)y, xh = x >> 32, yh = y >> 32;\n"                                         \
  "uint64_t low = xl * yl, cross = xh * yl + xl * yh, r = low + (cross << 32);\n"                                      \
  "int leaves = (xh != 0 && yh != 0) || cross >> 32 != 0 || r < low;\n"

/* Text that returns 1 if a sum or product of integers leaves its type's range; NULL for other operators. The test of a
 * sum uses the wrapped result, which compilers vectorize. The test of a product uses a 64-bit result, or for 64-bit
 * operands their halves: a division would be shorter, but took ptxas three quarters of its time (u64: 9.2 s of 12 for
 * two kernels). */
static const char *overflow_words(scan_type type, scan_op_id op) {
  if (op != SCAN_ADD && op != SCAN_MUL) return NULL;
  if (scan_type_is_float(type)) return NULL;
  const int is_signed = scan_type_is_signed(type);
  if (op == SCAN_ADD)
    return is_signed ? "integer r = (integer)((wide)a + (wide)b); return ((a ^ r) & (b ^ r)) < 0;"
                     : "return (integer)((wide)a + (wide)b) < a;";
  if (scan_type_bytes(type) < 8)
    return is_signed ? "int64_t r = (int64_t)a * (int64_t)b; return r != (int64_t)(integer)r;"
                     : "uint64_t r = (uint64_t)a * (uint64_t)b; return r != (uint64_t)(integer)r;";
  if (!is_signed) return "uint64_t x = a, y = b;\n" PRODUCT_OF_HALVES "return leaves;";
  return "uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : "
         "(uint64_t)b;\n" PRODUCT_OF_HALVES
         "return leaves || r > 0x7fffffffffffffffu + (uint64_t)((a < 0) != (b < 0));";
}

static void add_overflow(const scan_builtin *key, char *text, size_t bytes) {
  const char *words = overflow_words(key->type, key->op);
  const size_t used = strlen(text);
  if (words != NULL)
    snprintf(text + used, bytes - used,
             "typedef %s integer;\nstatic inline int scanrt_source_overflows(integer a, integer b) { %s }\n",
             type_words[key->type], words);
}

static void add_label(const scan_builtin *key, char *label, size_t bytes) {
  const char *op = scan_op_name(key->op), *type = scan_type_name(key->type), *input = scan_type_name(key->input_type);
  if (key->input_type != key->type)
    snprintf(label, bytes, "%s of %s to %s", op, input, type);
  else if (type[0] == 'u' && scan_type_for_kernel(SCAN_I32, key->op) == SCAN_U32) /* serves both */
    snprintf(label, bytes, "%s of i%s or u%s", op, type + 1, type + 1);
  else
    snprintf(label, bytes, "%s of %s", op, type);
}

/* Makes the source of a built-in operator. Halves are mapped to binary32, and emitted as halves again. */
static scan_status source_make(const scan_builtin *key, scan_source *source, scan_error *error) {
  static const char form[] = "%s%s%s%s\ntypedef %s wide;\n"
                             "static inline %s combine(%s a, %s b) { return (%s)(%s); }\n"
                             "static inline %s widen(%s x, uint64_t index) { return (%s)x; }\n";
  char text[8192];
  const scan_half *half = scan_half_of(key->input_type), *narrow = scan_half_of(key->type);
  const scan_type value = narrow != NULL ? SCAN_F32 : key->type;
  const char *type = type_words[value], *input = half != NULL ? "uint16_t" : type_words[key->input_type];
  const int maps = key->input_type != value, exclusive = key->kind == SCAN_EXCLUSIVE;
  const size_t bytes = scan_type_bytes(value), input_bytes = scan_type_bytes(key->input_type);
  static const scan_half none = { .text = { "", "", "", "" } };
  const char *const *parts = half != NULL ? half->text : none.text;
  const int used = snprintf(text, sizeof text, form, parts[0], parts[1], parts[2], parts[3], wide_words(value), type,
                            type, type, type, op_words[key->op], type, input, type);
  if ((size_t)used >= sizeof text)
    return scan_fail(error, SCAN_BUILD_FAILED, "internal: the text of a half is too long");
  add_overflow(key, text, sizeof text);
  const uint64_t identity = scan_identity_bits(value, key->op);
  const builtin_source_host *host = scan_builtin_source_host(value, key->op);
  scan_op_source from = { .struct_bytes = sizeof from,
                          .text = text,
                          .type = type,
                          .combine = "combine",
                          .value_bytes = bytes,
                          .value_align = bytes,
                          .identity = &identity,
                          .host = host->combine,
                          .loops = host->loops };
  if (maps) {
    from.map = half != NULL ? half->widen : "widen";
    from.map_host = half != NULL ? half->widen_host : scan_builtin_widening(key->input_type, value)->map;
    from.map_loop = half != NULL ? half->widen_loop : scan_builtin_widening(key->input_type, value)->loop;
    from.input_type = input;
    from.input_bytes = from.input_align = input_bytes;
  }
  if (narrow != NULL) {
    from.emit = narrow->narrow[exclusive];
    from.emit_host = narrow->narrow_host[exclusive];
    from.emit_loop = narrow->narrow_loop[exclusive];
    from.output_type = "uint16_t";
    from.output_bytes = from.output_align = sizeof(uint16_t);
  }
  SCAN_TRY(scan_source_copy(&from, source, error));
  source->is_builtin = 1;
  source->shows_nans = scan_type_is_float(value) && (key->op == SCAN_ADD || key->op == SCAN_MUL);
  add_label(key, source->label, sizeof source->label);
  snprintf(source->block, sizeof source->block, "%s_%s", scan_op_name(key->op),
           scan_type_name(scan_type_for_kernel(value, key->op)));
  source->checks_signed = scan_type_is_signed(value);
  if (half != NULL) source->input_half = key->input_type;
  if (narrow != NULL) source->output_half = key->type;
  if (key->op == SCAN_ADD && bytes >= 4)
    source->sum = scan_type_is_float(value) ? value : bytes == 4 ? SCAN_U32 : SCAN_U64;
  if (narrow != NULL) source->emit_ignores = exclusive ? EMIT_IGNORES_INCLUSIVE : EMIT_IGNORES_EXCLUSIVE;
  source->overflows_host = host->overflows;
  source->overflows_any = host->overflows_any;
  return SCAN_SUCCESS;
}

const scan_source *scan_builtin_source(scan_ctx *ctx, scan_type input_type, scan_type type, scan_op_id op,
                                       scan_kind kind) {
  if (!scan_type_is_half(type) || kind != SCAN_EXCLUSIVE) kind = SCAN_INCLUSIVE; /* one source for both */
  for (scan_builtin *one = ctx->builtins; one != NULL; one = one->next)
    if (one->input_type == input_type && one->type == type && one->op == op && one->kind == kind) return &one->source;
  scan_builtin *made = calloc(1, sizeof *made);
  if (made == NULL) {
    (void)scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for an operator");
    return NULL;
  }
  *made = (scan_builtin){ .input_type = input_type, .type = type, .op = op, .kind = kind, .next = ctx->builtins };
  if (source_make(made, &made->source, &ctx->error) != SCAN_SUCCESS) {
    free(made);
    return NULL;
  }
  ctx->builtins = made;
  return &made->source;
}

void scan_builtin_sources_release(scan_ctx *ctx) {
  while (ctx->builtins != NULL) {
    scan_builtin *one = ctx->builtins;
    ctx->builtins = one->next;
    ctx->ops->source_release(ctx->device, &one->source);
    scan_source_free(&one->source);
    free(one);
  }
}
