/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of scans, all made before anything is launched. */
#include <inttypes.h>
#include <string.h>

#include "strategy/array/array.h"
#include "base/canonical.h"
#include "device/caps.h"
#include "ops/scan/carry.h"
#include "base/half.h"
#include "base/structs.h"
#include "core/plan.h"
#include "base/types.h"
#include "core/op.h"
#include "ops/scan/validate.h"
#include "ops/scan/builtin_source.h"
#include "ops/scan/segments.h"

/* Checks the fields that specs of built-in operators and of operators from source share. */
static scan_status check_common(scan_ctx *ctx, const scan_spec *spec) {
  if (spec->kind != SCAN_INCLUSIVE && spec->kind != SCAN_EXCLUSIVE && spec->kind != SCAN_TOTAL)
    FAIL_INVALID("spec->kind is %d; it must be SCAN_INCLUSIVE, SCAN_EXCLUSIVE or SCAN_TOTAL", (int)spec->kind);
  if (spec->flags & SCAN_N_FROM_CLAMP && !(spec->flags & SCAN_N_FROM))
    FAIL_INVALID("spec->flags has SCAN_N_FROM_CLAMP, and no SCAN_N_FROM: a scan reads n_from with both");
  if (spec->flags & ~(uint32_t)(SCAN_BACKWARD | SCAN_CHECK_OVERFLOW | SCAN_N_FROM_CLAMP | SCAN_N_FROM))
    FAIL_INVALID("spec->flags has unknown bits: 0x%x", spec->flags);
  const int can_overflow =
      spec->custom_op == NULL && (spec->op == SCAN_ADD || spec->op == SCAN_MUL) && !scan_type_is_float(spec->type);
  if (spec->flags & SCAN_CHECK_OVERFLOW && !can_overflow)
    FAIL_INVALID("SCAN_CHECK_OVERFLOW is for sums and products of integers, by built-in operators");
  if (spec->flags & SCAN_N_FROM && spec->flags & SCAN_BACKWARD && spec->flags & SCAN_CHECK_OVERFLOW)
    FAIL_UNSUPPORTED("spec->flags has SCAN_N_FROM, SCAN_BACKWARD and SCAN_CHECK_OVERFLOW: the index of an overflow "
                     "follows from n, which is not known; leave one of them");
  if (spec->has_init > 1) FAIL_INVALID("spec->has_init is %u: it must be 0 or 1", spec->has_init);
  if (spec->init_bytes != NULL && !spec->has_init) FAIL_INVALID("spec->init_bytes is given, but spec->has_init is 0");
  return scan_segments_check(ctx, &(scan_marks){ .kind = spec->segments, .key_type = spec->key_type });
}

static scan_status check_types(scan_ctx *ctx, const scan_spec *spec) {
  const scan_type input = spec->input_type == SCAN_TYPE_DEFAULT ? spec->type : spec->input_type;
  if (scan_type_name(spec->type) == NULL) FAIL_INVALID("spec->type is %d, which is no type", (int)spec->type);
  if (scan_type_name(input) == NULL) FAIL_INVALID("spec->input_type is %d, which is no type", (int)input);
  if (scan_op_name(spec->op) == NULL) FAIL_INVALID("spec->op is %d, which is no operator", (int)spec->op);
  if (!scan_spec_defined(spec->type, SCAN_TYPE_DEFAULT, spec->op))
    FAIL_INVALID("operator %s is not defined on %s", scan_op_name(spec->op), scan_type_name(spec->type));
  if (!scan_spec_defined(spec->type, input, spec->op))
    FAIL_UNSUPPORTED(
        "%s from %s to %s is not supported: sums widen i8 and i16 to i32 and i64, u8 and u16 to u32 and u64, i32 to "
        "i64, u32 to u64, f32 to f64, f16 and bf16 to f32",
        scan_op_name(spec->op), scan_type_name(input), scan_type_name(spec->type));
  const scan_type both[] = { spec->type, input };
  for (int i = 0; i < 2; i++) {
    const char *refusal = scan_caps_refuse_type(&ctx->caps, both[i]);
    if (refusal != NULL)
      FAIL_UNSUPPORTED("%s: %s (%s) %s", scan_type_name(both[i]), ctx->caps.info.selector, ctx->caps.info.name,
                       refusal);
  }
  return SCAN_SUCCESS;
}

scan_status scan_strategy_check(scan_ctx *ctx, scan_strategy strategy, const scan_problem *problem, const char *why) {
  const scan_strategy_ops *ops = scan_strategy_get(strategy);
  const char *refusal = ops != NULL ? ops->refusal(&ctx->caps, problem) : NULL;
  if (refusal != NULL) FAIL_UNSUPPORTED("%sstrategy %s: %s", why, scan_strategy_name(strategy), refusal);
  return SCAN_SUCCESS;
}

static scan_status check_strategy(scan_ctx *ctx, const scan_spec *spec, const scan_problem *problem,
                                  scan_strategy *strategy) {
  const int is_total = spec->kind == SCAN_TOTAL; /* the context's strategy does not apply to totals */
  const scan_strategy wanted = spec->strategy == SCAN_STRATEGY_AUTO && !is_total ? ctx->strategy : spec->strategy;
  const scan_strategy_ops *ops = scan_strategy_named(wanted);
  *strategy = wanted;
  if (wanted == SCAN_STRATEGY_AUTO) return SCAN_SUCCESS;
  if (ops == NULL) FAIL_INVALID("spec->strategy is %d, which is no strategy", (int)wanted);
  if (spec->flags & SCAN_BACKWARD && !ops->scans_backward)
    FAIL_UNSUPPORTED("strategy %s scans forward only; leave the choice of a backward scan to AUTO",
                     scan_strategy_name(wanted));
  return scan_strategy_check(ctx, wanted, problem, "");
}

/* Checks a spec with an operator from source. The seed is the initial value, else the identity, else zeros. */
static scan_status check_source(scan_ctx *ctx, const scan_spec *spec, scan_problem *problem) {
  const scan_source *source = scan_op_enter(ctx, spec->custom_op, SCAN_OP_OPERATOR);
  if (source == NULL) return SCAN_INVALID_ARGUMENT;
  if (spec->type != SCAN_TYPE_DEFAULT || spec->input_type != SCAN_TYPE_DEFAULT || spec->op != SCAN_OP_NONE)
    FAIL_INVALID("spec->custom_op brings its own type: spec->type, input_type and op must be 0");
  if (spec->has_init && spec->init_bytes == NULL)
    FAIL_INVALID(
        "spec->has_init is 1 and spec->init_bytes is NULL: an operator from source takes its initial value as bytes");
  if (source->emit != NULL && spec->kind != SCAN_INCLUSIVE)
    FAIL_INVALID(
        "%s emits an element for each of the input, from the inclusive and the exclusive value: spec->kind must be "
        "SCAN_INCLUSIVE",
        source->emit);
  if (source->output_members.count > 0 && spec->kind == SCAN_TOTAL)
    FAIL_UNSUPPORTED("operator %s has output members, and spec->kind is SCAN_TOTAL: a total is stored whole",
                     source->combine);
  problem->source = source;
  memcpy(problem->seed, spec->has_init ? spec->init_bytes : source->identity,
         source->bytes); /* zeros without an identity */
  return SCAN_SUCCESS;
}

/* The seed of a built-in operator: the initial value, else the identity. An exclusive floating-point sum starts from
 * +0.0, not -0.0, because the seed is its first output. Halves are scanned in binary32. */
static uint64_t seed_bits(const scan_spec *spec) {
  const int is_half = scan_type_is_half(spec->type);
  const scan_type type = is_half ? SCAN_F32 : spec->type;
  scan_value init = spec->init;
  if (spec->init_bytes != NULL) memcpy(&init, spec->init_bytes, scan_type_bytes(spec->type));
  if (is_half) init.f32 = scan_half_value(spec->type, init.f16);
  if (spec->has_init) return scan_value_bits(type, &init);
  if (spec->kind == SCAN_EXCLUSIVE && scan_type_is_float(type) && spec->op == SCAN_ADD) return 0;
  return scan_identity_bits(type, spec->op);
}

scan_status scan_problem_use_source(scan_ctx *ctx, scan_problem *problem) {
  const int widens = problem->input_type != problem->type;
  const int has_sign = widens || problem->checks; /* else signed integers are scanned as unsigned ones */
  const scan_type type = has_sign ? problem->type : scan_type_for_kernel(problem->type, problem->op);
  problem->source = scan_builtin_source(ctx, widens ? problem->input_type : type, type, problem->op, problem->kind);
  problem->input_type = problem->type = SCAN_TYPE_DEFAULT;
  problem->op = SCAN_OP_NONE;
  return problem->source != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

/* Expresses a backward scan with a source by steps of -1, because kernels with a source have no backward build. */
static void resolve_steps(scan_problem *problem) {
  if (problem->source == NULL || !problem->backward) return;
  problem->backward = 0;
  problem->steps = 1;
  problem->reversed = 1;
  problem->step[0] = -1;
  problem->step[1] = -1;
  problem->step[3] = 1;
}

/* 1 if a built-in operator has no kernels for the problem and must become a source. */
static int needs_source(const scan_ctx *ctx, const scan_problem *problem) {
  if (problem->reads_n && ctx->ops->id == SCAN_BACKEND_CUDA) return 1; /* NVRTC compiles kernels that read n */
  return problem->segments.kind != SCAN_SEGMENTS_NONE || problem->checks || scan_type_is_half(problem->type) ||
         scan_type_is_half(problem->input_type) || (problem->backward && !scan_array_has_kernels(&ctx->caps, problem));
}

static scan_status check_built_in(scan_ctx *ctx, const scan_spec *spec, scan_problem *problem) {
  SCAN_TRY(check_types(ctx, spec));
  problem->input_type = spec->input_type == SCAN_TYPE_DEFAULT ? spec->type : spec->input_type;
  problem->type = spec->type;
  problem->op = spec->op;
  problem->seed[0] = seed_bits(spec);
  return SCAN_SUCCESS;
}

scan_status scan_spec_check(scan_ctx *ctx, const scan_spec *given, scan_problem *problem, scan_strategy *strategy) {
  scan_spec spec = { 0 };
  if (given == NULL) FAIL_INVALID("spec is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_spec, &spec, given, "spec", &ctx->error));
  SCAN_TRY(check_common(ctx, &spec));
  *problem = (scan_problem){ .kind = spec.kind,
                             .segments = { .kind = spec.segments, .key_type = spec.key_type },
                             .checks = (spec.flags & SCAN_CHECK_OVERFLOW) != 0,
                             .has_init = spec.has_init,
                             .reads_n = (spec.flags & SCAN_N_FROM) != 0,
                             .clamps = (spec.flags & SCAN_N_FROM_CLAMP) != 0,
                             .backward = (spec.flags & SCAN_BACKWARD) != 0 };
  SCAN_TRY(spec.custom_op != NULL ? check_source(ctx, &spec, problem) : check_built_in(ctx, &spec, problem));
  if (problem->source == NULL && needs_source(ctx, problem)) SCAN_TRY(scan_problem_use_source(ctx, problem));
  resolve_steps(problem);
  return check_strategy(ctx, &spec, problem, strategy);
}

scan_status scan_args_copy(scan_ctx *ctx, const scan_args *given, scan_args *own) {
  if (given == NULL) FAIL_INVALID("args is NULL");
  return scan_struct_copy_in(SCAN_STRUCT_scan_args, own, given, "args", &ctx->error);
}

/* Refuses an operator without an identity if the output is the value before the first element. A carry provides that
 * value, but not for segments, each of which needs it. */
static scan_status check_seed(scan_ctx *ctx, const scan_problem *problem) {
  const scan_source *source = problem->source;
  const int is_segmented = problem->segments.kind != SCAN_SEGMENTS_NONE;
  const int continues = problem->carry_in.kind != SCAN_MEM_NONE && !is_segmented;
  if (source == NULL || scan_problem_has_seed(problem) || continues) return SCAN_SUCCESS;
  if (problem->kind == SCAN_EXCLUSIVE)
    FAIL_INVALID("operator %s has no identity: an exclusive scan needs spec->init_bytes%s", source->combine,
                 is_segmented ? " for each segment" : " or args->carry_in");
  return SCAN_SUCCESS;
}

/* Copies the arrays of members but the first one. */
static scan_status copy_members_in(scan_ctx *ctx, const scan_source_members *members, const char *name,
                                   const scan_mem *given, int is_named, scan_mem *own) {
  const uint32_t count = members->count > 1 ? members->count - 1 : 0;
  if (given == NULL && !is_named) return SCAN_SUCCESS;
  if (given == NULL && count > 0)
    FAIL_INVALID("args->%s is NULL, and the operator has %u members there: give an array for each after the first",
                 name, members->count);
  if (given != NULL && count == 0) FAIL_INVALID("args->%s is given, and the operator has no members for it", name);
  for (uint32_t k = 0; k < count; k++) own[k] = given[k];
  return SCAN_SUCCESS;
}

static scan_status scan_members_copy_in(scan_ctx *ctx, uint64_t n, const scan_args *args, scan_problem *problem) {
  static const scan_source_members none = { .count = 0 };
  const scan_source *source = problem->source;
  if (!scan_source_has_members(source) && args->more_in == NULL && args->more_out == NULL) return SCAN_SUCCESS;
  SCAN_TRY(copy_members_in(ctx, source != NULL ? &source->input_members : &none, "more_in", args->more_in, n > 0,
                           problem->more_in));
  return copy_members_in(ctx, source != NULL ? &source->output_members : &none, "more_out", args->more_out, n > 0,
                         problem->more_out);
}

scan_status scan_args_copy_in(scan_ctx *ctx, scan_strategy strategy, uint64_t n, const scan_args *args,
                              scan_problem *problem) {
  if (problem->reads_n && args->n_from.kind == SCAN_MEM_NONE)
    FAIL_INVALID("spec->flags has SCAN_N_FROM, but args->n_from is no memory");
  if (!problem->reads_n && args->n_from.kind != SCAN_MEM_NONE)
    FAIL_INVALID("args->n_from is given, but spec->flags has no SCAN_N_FROM");
  SCAN_TRY(scan_segments_copy_in(ctx, n, args, &problem->segments));
  SCAN_TRY(scan_members_copy_in(ctx, n, args, problem));
  problem->n_from = args->n_from;
  problem->carry_in = args->carry_in;
  problem->carry_out = args->carry_out;
  if (args->carry_in.kind != SCAN_MEM_NONE && problem->has_init && problem->segments.kind == SCAN_SEGMENTS_NONE)
    FAIL_INVALID("spec->has_init and args->carry_in: a scan begins with one or the other");
  SCAN_TRY(check_seed(ctx, problem));
  if (!scan_problem_carries(problem)) return SCAN_SUCCESS;
  return scan_strategy_check(ctx, strategy, problem, "");
}

scan_status scan_members_refuse(scan_ctx *ctx, const scan_problem *problem, const char *what) {
  if (!scan_source_has_members(problem->source)) return SCAN_SUCCESS;
  FAIL_UNSUPPORTED("operator %s has members in arrays of their own: %s", problem->source->combine, what);
}

scan_status scan_reads_n_refuse(scan_ctx *ctx, const scan_problem *problem, const char *what) {
  if (problem->reads_n) FAIL_UNSUPPORTED("SCAN_N_FROM: %s", what);
  return SCAN_SUCCESS;
}

scan_status scan_count_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, const char *name) {
  if (n <= UINT32_MAX / SCAN_OP_MOST_BYTES)
    return SCAN_SUCCESS; /* without the divisions, which take longer than a short scan */
  const uint64_t bytes = scan_problem_bytes(problem);
  if (n > SIZE_MAX / bytes)
    FAIL_INVALID("%s is %" PRIu64 ": that many elements of %" PRIu64 " bytes are more than an address can reach", name,
                 n, bytes);
  if (canon_tile_capacity(n, bytes) >= UINT32_MAX - CANON_GROUP_TILES)
    FAIL_UNSUPPORTED("%s is %" PRIu64 ": more than 2^32 tiles", name, n);
  return SCAN_SUCCESS;
}
