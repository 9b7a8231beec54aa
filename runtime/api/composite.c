/* SPDX-License-Identifier: BSD-2-Clause */
/* The composites of scan_composite.h. kernels_cl/composites/ has each operator's text once; it is included here for the
 * host and embedded for the devices. numbers.h and the choice of its type of numbers precede it. */
#include <scanrt/scan_composite.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/plan.h"
#include "base/embedded.h"

/* clang-format off: one type of numbers after the other. NOLINTBEGIN(readability-duplicate-include) */
#include "kernels_cl/composites/numbers.h"

#define NUMBERS f32
#include "kernels_cl/composites/affine.h"
#include "kernels_cl/composites/matrix2.h"
#include "kernels_cl/composites/matrix3.h"
#include "kernels_cl/composites/complex.h"
#include "kernels_cl/composites/complex_sum.h"
#include "kernels_cl/composites/logsumexp.h"
#include "kernels_cl/composites/argmin.h"
#include "kernels_cl/composites/argmax.h"
#include "kernels_cl/composites/compensated.h"
#undef NUMBERS

#define NUMBERS f64
#include "kernels_cl/composites/affine.h"
#include "kernels_cl/composites/matrix2.h"
#include "kernels_cl/composites/complex.h"
#include "kernels_cl/composites/complex_sum.h"
#include "kernels_cl/composites/logsumexp.h"
#include "kernels_cl/composites/argmin.h"
#include "kernels_cl/composites/argmax.h"
#include "kernels_cl/composites/compensated.h"
#undef NUMBERS

#define NUMBERS u32
#include "kernels_cl/composites/affine.h"
#undef NUMBERS

#define NUMBERS i32
#include "kernels_cl/composites/argmin.h"
#include "kernels_cl/composites/argmax.h"
#undef NUMBERS

#define NUMBERS i64
#include "kernels_cl/composites/argmin.h"
#include "kernels_cl/composites/argmax.h"
#undef NUMBERS

#define NUMBERS i128
#include "kernels_cl/composites/sum.h"
#include "kernels_cl/composites/minimum.h"
#include "kernels_cl/composites/maximum.h"
#undef NUMBERS

#define NUMBERS u128
#include "kernels_cl/composites/sum.h"
#include "kernels_cl/composites/minimum.h"
#include "kernels_cl/composites/maximum.h"
#undef NUMBERS
#include "core/op.h"
/* NOLINTEND(readability-duplicate-include) */
/* clang-format on */

/* ROW(number, operator, numbers, element for the application, identity) */
#define COMPOSITES(ROW)                                                                                                \
  ROW(SCAN_AFFINE_F32, affine, f32, scan_affine_f32, { 1, -0.0f })                                                     \
  ROW(SCAN_AFFINE_F64, affine, f64, scan_affine_f64, { 1, -0.0 })                                                      \
  ROW(SCAN_AFFINE_U32, affine, u32, scan_affine_u32, { 1, 0 })                                                         \
  ROW(SCAN_MATRIX2_F32, matrix2, f32, scan_matrix2_f32, { { 1, 0, 0, 1 } })                                            \
  ROW(SCAN_MATRIX2_F64, matrix2, f64, scan_matrix2_f64, { { 1, 0, 0, 1 } })                                            \
  ROW(SCAN_MATRIX3_F32, matrix3, f32, scan_matrix3_f32, { { 1, 0, 0, 0, 1, 0, 0, 0, 1 } })                             \
  ROW(SCAN_COMPLEX_F32, complex, f32, scan_complex_f32, { 1, 0 })                                                      \
  ROW(SCAN_COMPLEX_F64, complex, f64, scan_complex_f64, { 1, 0 })                                                      \
  ROW(SCAN_LOGSUMEXP_F32, logsumexp, f32, scan_logsumexp_f32, { -INFINITY, 0 })                                        \
  ROW(SCAN_LOGSUMEXP_F64, logsumexp, f64, scan_logsumexp_f64, { -INFINITY, 0 })                                        \
  ROW(SCAN_ARGMIN_F32, argmin, f32, scan_arg_f32, { INFINITY, UINT32_MAX })                                            \
  ROW(SCAN_ARGMIN_F64, argmin, f64, scan_arg_f64, { INFINITY, UINT64_MAX })                                            \
  ROW(SCAN_ARGMIN_I32, argmin, i32, scan_arg_i32, { INT32_MAX, UINT32_MAX })                                           \
  ROW(SCAN_ARGMIN_I64, argmin, i64, scan_arg_i64, { INT64_MAX, UINT64_MAX })                                           \
  ROW(SCAN_ARGMAX_F32, argmax, f32, scan_arg_f32, { -INFINITY, UINT32_MAX })                                           \
  ROW(SCAN_ARGMAX_F64, argmax, f64, scan_arg_f64, { -INFINITY, UINT64_MAX })                                           \
  ROW(SCAN_ARGMAX_I32, argmax, i32, scan_arg_i32, { INT32_MIN, UINT32_MAX })                                           \
  ROW(SCAN_ARGMAX_I64, argmax, i64, scan_arg_i64, { INT64_MIN, UINT64_MAX })                                           \
  ROW(SCAN_COMPENSATED_F32, compensated, f32, scan_compensated_f32, { 0, 0 })                                          \
  ROW(SCAN_COMPENSATED_F64, compensated, f64, scan_compensated_f64, { 0, 0 })                                          \
  ROW(SCAN_COMPLEX_SUM_F32, complex_sum, f32, scan_complex_f32, { 0, 0 })                                              \
  ROW(SCAN_COMPLEX_SUM_F64, complex_sum, f64, scan_complex_f64, { 0, 0 })                                              \
  ROW(SCAN_SUM_I128, sum, i128, scan_i128, { 0, 0 })                                                                   \
  ROW(SCAN_SUM_U128, sum, u128, scan_u128, { 0, 0 })                                                                   \
  ROW(SCAN_MINIMUM_I128, minimum, i128, scan_i128, { UINT64_MAX, INT64_MAX })                                          \
  ROW(SCAN_MINIMUM_U128, minimum, u128, scan_u128, { UINT64_MAX, UINT64_MAX })                                         \
  ROW(SCAN_MAXIMUM_I128, maximum, i128, scan_i128, { 0, INT64_MIN })                                                   \
  ROW(SCAN_MAXIMUM_U128, maximum, u128, scan_u128, { 0, 0 })

/* The application's struct and the text's have the same members in the same order. */
#define DEFINE(number, operation, numbers, element, ...)                                                               \
  static const element operation##_##numbers##_identity = __VA_ARGS__;                                                 \
  SCAN_OP_HOST_ROWS(operation##_##numbers##_host, operation##_##numbers, operation##_combine_##numbers);               \
  _Static_assert(sizeof(element) == sizeof(operation##_##numbers) &&                                                   \
                     _Alignof(element) == _Alignof(operation##_##numbers),                                             \
                 "the header and the text differ");
COMPOSITES(DEFINE)

/* WIDE(number, numbers of the elements, their type, numbers of the sums, identity's element): sums that widen. */
#define WIDE_SUMS(WIDE)                                                                                                \
  WIDE(SCAN_WIDE_SUM_I64, i64, int64_t, i128, scan_i128)                                                               \
  WIDE(SCAN_WIDE_SUM_U64, u64, uint64_t, u128, scan_u128)
#define DEFINE_WIDE(number, numbers, input, sums, element)                                                             \
  SCAN_MAP_HOST(wide_sum_##numbers, input, sum_##sums, sum_map_##sums);
WIDE_SUMS(DEFINE_WIDE)

typedef struct composite {
  scan_composite_facts facts;
  const char *type, *combine;      /* in the text */
  const char *numbers, *operation; /* a row of numbers.h; the embedded text */
  const char *map, *input_type;    /* in the text; NULL: elements are values */
  scan_map_host *map_host;
  scan_map_loop *map_loop;
} composite;

/* The loops of each operator, which take 40 KB; NULL for operators that take longer than a function call. */
#define LOOPS_affine(loops) &(loops)
#define LOOPS_complex(loops) &(loops)
#define LOOPS_complex_sum(loops) &(loops)
#define LOOPS_matrix2(loops) NULL
#define LOOPS_matrix3(loops) NULL
#define LOOPS_logsumexp(loops) NULL
#define LOOPS_argmin(loops) &(loops)
#define LOOPS_argmax(loops) &(loops)
#define LOOPS_compensated(loops) &(loops)
#define LOOPS_sum(loops) &(loops)
#define LOOPS_minimum(loops) &(loops)
#define LOOPS_maximum(loops) &(loops)

#define IS_f32 0
#define IS_f64 1
#define IS_u32 0
#define IS_i32 0
#define IS_i64 0
#define IS_i128 0
#define IS_u128 0
/* The members of a composite that its operation has. */
#define VALUES(name_, operation_, numbers_, element)                                                                   \
  .facts = { .name = name_,                                                                                            \
             .value_bytes = sizeof(element),                                                                           \
             .value_align = _Alignof(element),                                                                         \
             .identity = &operation_##_##numbers_##_identity,                                                          \
             .host = operation_##_##numbers_##_host,                                                                   \
             .loops = LOOPS_##operation_(operation_##_##numbers_##_host_loops),                                        \
             .needs_fp64 = IS_##numbers_ },                                                                            \
  .type = #operation_ "_" #numbers_, .combine = #operation_ "_combine_" #numbers_, .numbers = #numbers_,               \
  .operation = "composites/" #operation_ ".h"
#define LIST(number, operation, numbers, element, ...)                                                                 \
  [number] = { VALUES(#operation "_" #numbers, operation, numbers, element) },
#define LIST_WIDE(number, numbers, input, sums, element)                                                               \
  [number] = { VALUES("wide_sum_" #numbers, sum, sums, element), .map = "sum_map_" #sums, .input_type = #input,        \
               .map_host = wide_sum_##numbers, .map_loop = wide_sum_##numbers##_loop },
static const composite composites[] = { COMPOSITES(LIST) WIDE_SUMS(LIST_WIDE) };

enum { COMPOSITE_COUNT = sizeof composites / sizeof composites[0] };

static const composite *composite_find(scan_composite which) {
  const unsigned i = (unsigned)which;
  return i > 0 && i < COMPOSITE_COUNT ? &composites[i] : NULL;
}

/* ---- names ---- */

const scan_composite_facts *scan_composite_get(scan_composite which) {
  const composite *c = composite_find(which);
  return c != NULL ? &c->facts : NULL;
}

const char *scan_composite_name(scan_composite which) {
  const composite *c = composite_find(which);
  return c != NULL ? c->facts.name : NULL;
}

scan_status scan_composite_parse(const char *name, scan_composite *which) {
  if (which == NULL) return scan_fail_name("scan_composite_parse", name, "composite", which);
  *which = SCAN_COMPOSITE_NONE;
  for (unsigned i = 1; name != NULL && i < COMPOSITE_COUNT; i++)
    if (strcmp(composites[i].facts.name, name) == 0) *which = (scan_composite)i;
  return *which == SCAN_COMPOSITE_NONE ? scan_fail_name("scan_composite_parse", name, "composite", which)
                                       : SCAN_SUCCESS;
}

/* ---- operators ---- */

/* Joins the choice of the numbers, numbers.h and the operator's text. The caller frees the result. NULL: no host
 * memory. Both texts are embedded (tests/test_composites.c checks that). */
static char *text_join(const composite *c) {
  char *numbers = scan_kernel_text("composites/numbers.h"), *operation = scan_kernel_text(c->operation), *text = NULL;
  if (numbers != NULL && operation != NULL)
    text = scan_text_join((const char *const[]){ "#define NUMBERS ", c->numbers, "\n", numbers, operation, NULL });
  free(numbers);
  free(operation);
  return text;
}

scan_status scan_composite_create(scan_ctx *ctx, scan_composite which, scan_op **op) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_composite_create"));
  const composite *c = composite_find(which);
  if (op == NULL) FAIL_INVALID("scan_composite_create: op is NULL");
  if (c == NULL)
    FAIL_INVALID("%u is no composite: give SCAN_AFFINE_F32 or another one of scan_composite.h", (unsigned)which);
  const scan_device_info *info = &ctx->caps.info;
  if (c->facts.needs_fp64 && !info->has_fp64)
    FAIL_UNSUPPORTED("%s: %s (%s) has no double precision: take a composite of f32", c->facts.name, info->selector,
                     info->name);
  char *text = text_join(c);
  if (text == NULL) return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for an operator");
  const scan_op_source source = { .struct_bytes = sizeof source,
                                  .text = text,
                                  .type = c->type,
                                  .combine = c->combine,
                                  .value_bytes = c->facts.value_bytes,
                                  .value_align = c->facts.value_align,
                                  .identity = c->facts.identity,
                                  .host = c->facts.host,
                                  .map = c->map,
                                  .input_type = c->input_type,
                                  .input_bytes = c->map != NULL ? sizeof(int64_t) : 0,
                                  .input_align = c->map != NULL ? _Alignof(int64_t) : 0,
                                  .map_host = c->map_host,
                                  .loops = c->facts.loops,
                                  .map_loop = c->map_loop };
  const scan_status status = scan_op_make(ctx, &source, c->type, op);
  free(text);
  return status;
}
