/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/scan/operands.h"

#include "base/types.h"
#include "ops/scan/segments.h"

static const char side_overlap[] =
    "in and out overlap: they must be the same memory with elements of one size, or apart";
static const char total_overlap[] = "out lies within in: a total must be apart from what it covers";
static const char marks_overlap[] =
    "args->marks and out overlap: what is written would be read as the beginnings of segments";
static const char stream_marks_overlap[] =
    "options->marks and out overlap: what is written would be read as the beginnings of segments";
static const char members_overlap[] =
    "an array of args->more_in or more_out overlaps another one that is written: outputs of "
    "operators with members are apart from all inputs";
static const char carry_in_overlap[] =
    "args->carry_in and args->carry_out overlap: they must be the same memory, or apart";
static const char carry_out_overlap[] =
    "args->carry_out lies within in or out, or within marks: it must be memory of its own";
static const char n_from_overlap[] = "args->n_from lies within out or carry_out: it must be memory of its own";

/* 1 if out may be in. */
static int may_be_in_place(const scan_problem *problem) {
  return problem->kind != SCAN_TOTAL && !scan_source_has_members(problem->source) &&
         scan_problem_input_bytes(problem) == scan_problem_output_bytes(problem);
}

/* 1 if a function of the application stands for in or out. */
static int is_function(const scan_operands *o, scan_mem side) { return o->is_stream && side.handle == NULL; }

static void list_in(scan_operands *o, scan_buffer_list *list) {
  if (is_function(o, o->in)) return;
  scan_buffers_add(list, &(scan_buffer){ .mem = &o->in,
                                         .bytes = o->n * scan_problem_input_bytes(o->problem),
                                         .align = scan_problem_input_align(o->problem),
                                         .item_bytes = scan_problem_input_bytes(o->problem),
                                         .name = "in",
                                         .has_elements = 1 });
}

static void list_out(scan_operands *o, scan_buffer_list *list) {
  const uint64_t bytes = scan_problem_output_bytes(o->problem);
  const int is_total = o->problem->kind == SCAN_TOTAL;
  if (is_function(o, o->out)) return;
  scan_buffers_add(list, &(scan_buffer){ .mem = &o->out,
                                         .bytes = scan_problem_out_items(o->problem, o->n) * bytes,
                                         .align = scan_problem_output_align(o->problem),
                                         .item_bytes = bytes,
                                         .name = "out",
                                         .part = is_total ? SCAN_PART_ONE : SCAN_PART_LINE,
                                         .overlap = is_total ? total_overlap : side_overlap,
                                         .in_place_of = may_be_in_place(o->problem) ? &o->in : NULL,
                                         .has_elements = 1,
                                         .is_output = 1 });
}

/* Lists the input or the output of an array, from the first byte of its elements to the last. */
static void list_array(const scan_operands *o, scan_mem *mem, const array_span *span, int is_output,
                       scan_buffer_list *list) {
  const uint64_t bytes = (uint64_t)(span->end - span->first);
  const int has_gaps = !scan_array_is_dense(o->lines, scan_problem_output_bytes(o->problem));
  scan_buffers_add(list, &(scan_buffer){ .mem = mem,
                                         .bytes = bytes,
                                         .item_bytes = bytes,
                                         .part = SCAN_PART_ONE,
                                         .first = span->first,
                                         .name = is_output ? "out" : "in",
                                         .is_output = is_output != 0,
                                         .is_filled = has_gaps != 0,
                                         .is_checked = 1 });
}

/* Lists the arrays of members but the first one. */
static void list_members(const scan_operands *o, const scan_source_members *members, scan_mem *mem, int is_output,
                         scan_buffer_list *list) {
  for (uint32_t k = 1; k < members->count; k++)
    scan_buffers_add(list, &(scan_buffer){ .mem = &mem[k - 1],
                                           .bytes = o->n * members->of[k].bytes,
                                           .align = members->of[k].bytes,
                                           .item_bytes = members->of[k].bytes,
                                           .name = is_output ? "args->more_out" : "args->more_in",
                                           .index = k - 1,
                                           .is_indexed = 1,
                                           .overlap = members_overlap,
                                           .part = SCAN_PART_LINE,
                                           .is_output = is_output != 0 });
}

static void list_marks(scan_operands *o, scan_buffer_list *list) {
  scan_marks *marks = &o->problem->segments;
  scan_buffers_add(list, &(scan_buffer){ .mem = &marks->memory,
                                         .bytes = scan_segments_bytes(marks, o->n),
                                         .align = scan_segments_entry_bytes(marks),
                                         .name = "args->marks",
                                         .overlap = o->is_stream ? stream_marks_overlap : marks_overlap });
}

/* Lists a carry. A scan reads its carry_in before it writes to memory that shares bytes with it (carry.c). */
static void list_carry(scan_problem *problem, int is_output, scan_buffer_list *list) {
  const uint64_t bytes = scan_problem_value_bytes(problem);
  scan_mem *mem = is_output ? &problem->carry_out : &problem->carry_in;
  if (mem->kind == SCAN_MEM_NONE) return;
  scan_buffers_add(list, &(scan_buffer){ .mem = mem,
                                         .bytes = bytes,
                                         .align = problem->source != NULL ? problem->source->align : bytes,
                                         .item_bytes = bytes,
                                         .name = is_output ? "args->carry_out" : "args->carry_in",
                                         .overlap = is_output ? carry_out_overlap : carry_in_overlap,
                                         .part = SCAN_PART_ONE,
                                         .in_place_of = is_output ? &problem->carry_in : NULL,
                                         .is_output = is_output != 0,
                                         .is_read_first = is_output == 0 });
}

void scan_operands_list(scan_operands *o, scan_buffer_list *list) {
  scan_problem *problem = o->problem;
  list->count = 0;
  list->rule = ""; /* the buffers have messages of their own */
  if (o->lines == NULL) {
    list_in(o, list);
    list_out(o, list);
  } else {
    if (o->n > 0) list_array(o, &o->in, &o->lines->in, 0, list);
    list_array(o, &o->out, &o->lines->out, 1, list);
  }
  if (scan_source_has_members(problem->source)) {
    list_members(o, &problem->source->input_members, problem->more_in, 0, list);
    list_members(o, &problem->source->output_members, problem->more_out, 1, list);
  }
  if (problem->segments.kind != SCAN_SEGMENTS_NONE && o->n > 0) list_marks(o, list);
  list_carry(problem, 1, list);
  list_carry(problem, 0, list); /* after carry_out, so that its message applies to both */
  if (problem->reads_n && o->n > 0)
    scan_buffers_add(list, &(scan_buffer){ .mem = &problem->n_from,
                                           .bytes = sizeof(uint64_t),
                                           .align = sizeof(uint64_t),
                                           .name = "args->n_from",
                                           .overlap = n_from_overlap,
                                           .is_device_only = 1 });
}

/* 1 if the host scans host memory, in and out alone, and these are aligned, and apart or the same: most short scans,
 * for which a list would cost a fifth of the call. */
static inline int are_plainly_right(const scan_ctx *ctx, const scan_operands *o) {
  const scan_problem *p = o->problem;
  if (ctx->ops->id != SCAN_BACKEND_HOST || o->lines != NULL || p->source != NULL || p->kind == SCAN_TOTAL || p->reads_n)
    return 0;
  if (scan_problem_carries(p) || o->in.kind != SCAN_MEM_HOST || o->out.kind != SCAN_MEM_HOST) return 0;
  if (o->in.handle == NULL || o->out.handle == NULL) return 0;
  const uint64_t in_bytes = scan_type_bytes(p->input_type), out_bytes = scan_type_bytes(p->type);
  if (!scan_mem_aligned(o->in, in_bytes) || !scan_mem_aligned(o->out, out_bytes)) return 0;
  return (in_bytes == out_bytes && scan_mem_same(o->in, o->out)) ||
         !scan_mem_overlap(o->in, o->n * in_bytes, o->out, o->n * out_bytes);
}

/* Not inlined, because the host's loops need the stack that the list takes. */
static __attribute__((noinline)) scan_status check_list(scan_ctx *ctx, scan_operands *o, int stageable) {
  scan_buffer_list list;
  if (o->problem->segments.kind != SCAN_SEGMENTS_NONE && o->n > 0)
    SCAN_TRY(scan_segments_count_check(ctx, &o->problem->segments, o->n, stageable));
  scan_operands_list(o, &list);
  SCAN_TRY(scan_buffers_resolve(ctx, &list, stageable));
  return scan_buffers_check_apart(ctx, &list);
}

scan_status scan_operands_check(scan_ctx *ctx, scan_operands *o, int stageable) {
  if (!are_plainly_right(ctx, o)) SCAN_TRY(check_list(ctx, o, stageable));
  if (o->lines == NULL) o->in_place = o->n > 0 && scan_mem_same(o->in, o->out) && may_be_in_place(o->problem);
  return SCAN_SUCCESS;
}
