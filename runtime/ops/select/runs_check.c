/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of equal keys as compactions of their first elements, or of a scan's values at their last elements. This file
 * has the checks that are theirs alone; select_check.c has the others. */
#include "ops/select/runs_check.h"

#include <string.h>

#include "base/structs.h"
#include "core/unused.h"
#include "ops/scan/segmented_reduce.h"
#include "ops/scan/validate.h"

/* Starts a form that compacts runs of equal keys. The keys are array 0. */
static scan_status check_keys(scan_ctx *ctx, scan_select_by by, scan_type key_type, scan_select_form *form) {
  const char *refusal = ctx->caps.info.refusal;
  if (refusal[0] != '\0') FAIL_UNSUPPORTED("%s (%s) %s", ctx->caps.info.selector, ctx->caps.info.name, refusal);
  memset(form, 0, sizeof *form); /* plans are found by its bytes */
  SCAN_TRY(scan_select_key_check(ctx, key_type));
  form->by = by;
  form->key_type = key_type;
  scan_select_add(form, SCAN_SELECT_KEYS, (uint32_t)scan_type_bytes(key_type), 0);
  return SCAN_SUCCESS;
}

/* Adds an output of one number for each run, if its type is given. */
static scan_status check_numbers(scan_ctx *ctx, scan_select_what what, scan_type type, const char *name,
                                 scan_select_form *form) {
  if (type == SCAN_TYPE_DEFAULT) return SCAN_SUCCESS;
  if (type != SCAN_U32 && type != SCAN_U64)
    FAIL_INVALID("spec->%s is %d: it is SCAN_U32, SCAN_U64 or 0", name, (int)type);
  scan_select_add(form, what, (uint32_t)scan_type_bytes(type), 0);
  return SCAN_SUCCESS;
}

scan_status scan_run_length_spec_check(scan_ctx *ctx, const scan_run_length_spec *given, scan_select_form *form) {
  scan_run_length_spec spec = { 0 };
  if (given == NULL) FAIL_INVALID("spec is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_run_length_spec, &spec, given, "spec", &ctx->error));
  SCAN_TRY(check_keys(ctx, SCAN_SELECT_FIRST, spec.key_type, form));
  SCAN_TRY(scan_select_flags_check(ctx, spec.flags, &form->clamps));
  SCAN_TRY(check_numbers(ctx, SCAN_SELECT_INDICES, spec.start_type, "start_type", form));
  return check_numbers(ctx, SCAN_SELECT_LENGTHS, spec.length_type, "length_type", form);
}

/* Refuses results of more words than the device moves. */
static scan_status check_words(scan_ctx *ctx, const scan_select_form *form) {
  if (scan_select_element_words(form, 1) > scan_select_most_element_words(&ctx->caps))
    FAIL_UNSUPPORTED(
        "results have %u bytes, aligned to %u: %s ends loops silently, and moves elements in at most %u pieces",
        form->bytes[1], form->align[1], ctx->caps.info.name, scan_select_most_element_words(&ctx->caps));
  return SCAN_SUCCESS;
}

/* Refuses the spec of a scan that is not a reduction by key. */
static scan_status check_reduction(scan_ctx *ctx, const scan_spec *spec) {
  if (spec->segments != SCAN_SEGMENTS_KEYS)
    FAIL_INVALID("spec->segments is %d: a reduction by key takes SCAN_SEGMENTS_KEYS; initialise spec with "
                 "SCAN_REDUCE_BY_KEY_INIT",
                 (int)spec->segments);
  if (spec->kind != SCAN_INCLUSIVE)
    FAIL_INVALID(
        "spec->kind is %d: a run's result is the inclusive value at its last element; set it to SCAN_INCLUSIVE",
        (int)spec->kind);
  if (spec->flags & SCAN_BACKWARD)
    FAIL_INVALID(
        "spec->flags has SCAN_BACKWARD: a reduction by key goes forward, to the last element of each run; clear it");
  return SCAN_SUCCESS;
}

/* The scan's segments become bits, which an earlier launch makes of the keys. The keys are thereby read once, and the
 * compaction and the scan see the same runs. */
scan_status scan_reduce_by_key_spec_check(scan_ctx *ctx, const scan_spec *given, scan_reduced *reduced,
                                          scan_select_form *form) {
  const scan_problem *problem = &reduced->problem;
  scan_spec spec = { 0 };
  if (given == NULL) FAIL_INVALID("spec is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_spec, &spec, given, "spec", &ctx->error));
  SCAN_TRY(check_reduction(ctx, &spec));
  SCAN_TRY(check_keys(ctx, SCAN_SELECT_LAST, spec.key_type, form));
  form->clamps = (spec.flags & SCAN_N_FROM_CLAMP) != 0;
  spec.flags &= ~(uint32_t)SCAN_N_FROM_CLAMP;
  spec.segments = SCAN_SEGMENTS_BITS;
  spec.key_type = SCAN_TYPE_DEFAULT;
  SCAN_TRY(scan_spec_check(ctx, &spec, &reduced->problem, &reduced->strategy));
  SCAN_TRY(scan_reads_n_refuse(ctx, &reduced->problem, "a reduction by key reads args->n_from without it; clear it"));
  SCAN_TRY(scan_members_refuse(ctx, &reduced->problem,
                               "a reduction by key reads one array of values; scan in segments by keys"));
  scan_select_add(form, SCAN_SELECT_VALUES, (uint32_t)scan_problem_output_bytes(problem),
                  (uint32_t)scan_problem_output_align(problem));
  if (reduced->strategy == SCAN_STRATEGY_AUTO || reduced->strategy == SCAN_STRATEGY_PIPELINED)
    form->sum_type = scan_select_sum_type(problem);
  return check_words(ctx, form);
}

scan_status scan_reduce_by_key_count_check(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced,
                                           uint64_t n, const char *name) {
  SCAN_TRY(scan_select_count_check(ctx, form, n, name));
  return scan_count_check(ctx, &reduced->problem, n, name);
}

/* ---- segmented reduction by flags or bits ---- */

scan_status scan_marked_reduce_spec_check(scan_ctx *ctx, const scan_spec *given, scan_reduced *reduced,
                                          scan_select_form *form) {
  const scan_problem *problem = &reduced->problem;
  scan_spec spec = *given;
  memset(form, 0, sizeof *form); /* plans are found by its bytes */
  form->by = spec.segments == SCAN_SEGMENTS_FLAGS ? SCAN_SELECT_FLAGS : SCAN_SELECT_BITS;
  scan_select_add(form, SCAN_SELECT_KEYS, 1, 0);
  spec.kind = SCAN_INCLUSIVE;
  spec.segments = SCAN_SEGMENTS_BITS;
  SCAN_TRY(scan_spec_check(ctx, &spec, &reduced->problem, &reduced->strategy));
  SCAN_TRY(scan_segmented_reduce_source_check(ctx, &spec, problem));
  scan_select_add(form, SCAN_SELECT_VALUES, (uint32_t)scan_problem_output_bytes(problem),
                  (uint32_t)scan_problem_output_align(problem));
  return check_words(ctx, form);
}

scan_status scan_marked_reduce_args_check(scan_ctx *ctx, const scan_select_form *form, const scan_problem *problem,
                                          uint64_t n, const scan_segmented_reduce_args *given, int stageable,
                                          scan_select_run *run) {
  scan_segmented_reduce_args args = { 0 };
  if (given == NULL) FAIL_INVALID("args is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_segmented_reduce_args, &args, given, "args", &ctx->error));
  SCAN_TRY(scan_unused_memory_check(ctx, args.ends, "ends",
                                    "segments begin by flags or bits, and end where the next one "
                                    "begins"));
  *run = (scan_select_run){ .n = n,
                            .reduced = problem,
                            .values = args.values,
                            .memory = { .marks = args.begins,
                                        .out = { [1] = args.out },
                                        .capacity = args.segments,
                                        .count = args.count,
                                        .opencl = args.opencl } };
  SCAN_TRY(scan_count_check(ctx, problem, n, "n"));
  return scan_select_run_check(ctx, form, stageable, run);
}

/* ---- the memory of runs ---- */

static int is_written(const scan_select_form *form, scan_select_what what) {
  int found = 0;
  for (uint32_t a = 0; a < form->arrays; a++) found |= form->what[a] == what;
  return found;
}

static scan_status check_unused(scan_ctx *ctx, const scan_select_form *form, const scan_run_length_args *args) {
  if (!is_written(form, SCAN_SELECT_LENGTHS))
    SCAN_TRY(scan_unused_memory_check(ctx, args->lengths, "lengths", "spec->length_type is 0"));
  if (!is_written(form, SCAN_SELECT_INDICES))
    SCAN_TRY(scan_unused_memory_check(ctx, args->starts, "starts", "spec->start_type is 0"));
  return SCAN_SUCCESS;
}

scan_status scan_run_length_args_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n,
                                       const scan_run_length_args *given, int stageable, scan_select_run *run) {
  scan_run_length_args args = { 0 };
  if (given == NULL) FAIL_INVALID("args is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_run_length_args, &args, given, "args", &ctx->error));
  SCAN_TRY(check_unused(ctx, form, &args));
  *run = (scan_select_run){ .n = n,
                            .memory = { .marks = args.keys,
                                        .capacity = args.capacity,
                                        .count = args.count,
                                        .n_from = args.n_from,
                                        .opencl = args.opencl } };
  for (uint32_t a = 0; a < form->arrays; a++)
    run->memory.out[a] = form->what[a] == SCAN_SELECT_KEYS      ? args.keys_out
                         : form->what[a] == SCAN_SELECT_INDICES ? args.starts
                                                                : args.lengths;
  return scan_select_run_check(ctx, form, stageable, run);
}

scan_status scan_reduce_by_key_args_check(scan_ctx *ctx, const scan_select_form *form, const scan_problem *problem,
                                          uint64_t n, const scan_reduce_by_key_args *given, int stageable,
                                          scan_select_run *run) {
  scan_reduce_by_key_args args = { 0 };
  if (given == NULL) FAIL_INVALID("args is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_reduce_by_key_args, &args, given, "args", &ctx->error));
  if (problem->checks && args.n_from.kind != SCAN_MEM_NONE)
    FAIL_INVALID(
        "args->n_from and SCAN_CHECK_OVERFLOW: what lies past the elements would be checked, too; give n, or leave "
        "the check");
  *run = (scan_select_run){ .n = n,
                            .reduced = problem,
                            .values = args.values,
                            .memory = { .marks = args.keys,
                                        .out = { args.keys_out, args.values_out },
                                        .capacity = args.capacity,
                                        .count = args.count,
                                        .n_from = args.n_from,
                                        .opencl = args.opencl } };
  SCAN_TRY(scan_count_check(ctx, problem, n, "n"));
  SCAN_TRY(scan_select_run_check(ctx, form, stageable, run));
  scan_problem scan = *problem; /* a copy, for the checks alone */
  return scan_args_copy_in(ctx, SCAN_STRATEGY_AUTO, n, &(scan_args){ .marks = args.keys, .mark_count = n }, &scan);
}
