/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/scan/operands.h"

#include "base/types.h"
#include "ops/scan/segments.h"

/* The bytes of an element of the input and of the output. */
typedef struct item_sizes {
  uint64_t in, out;
} item_sizes;

/* 1 if out may be in. */
static int may_be_in_place(const scan_problem *problem, item_sizes size) {
  return problem->kind != SCAN_TOTAL && size.in == size.out;
}

static void list_in(scan_operands *o, item_sizes size, scan_buffer_list *list) {
  const scan_source *source = o->problem->source;
  if (o->has_no_in || o->n == 0) return;
  *scan_buffers_next(list) = (scan_buffer){
    .mem = &o->in, .bytes = o->n * size.in, .align = source != NULL ? source->input_align : size.in, .name = "in"
  };
}

static void list_out(scan_operands *o, item_sizes size, scan_buffer_list *list) {
  const scan_source *source = o->problem->source;
  const uint64_t items = scan_problem_out_items(o->problem, o->n);
  if (o->has_no_out || items == 0) return;
  *scan_buffers_next(list) = (scan_buffer){ .mem = &o->out,
                                            .bytes = items * size.out,
                                            .align = source != NULL ? source->output_align : size.out,
                                            .item_bytes = size.out,
                                            .name = "out",
                                            .part = o->problem->kind == SCAN_TOTAL ? SCAN_PART_ONE : SCAN_PART_LINE,
                                            .in_place_of = may_be_in_place(o->problem, size) ? &o->in : NULL,
                                            .is_output = 1 };
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

static void list_marks(scan_operands *o, scan_buffer_list *list) {
  scan_marks *marks = &o->problem->segments;
  scan_buffers_add(list, &(scan_buffer){ .mem = &marks->memory,
                                         .bytes = scan_segments_bytes(marks, o->n),
                                         .align = scan_segments_entry_bytes(marks),
                                         .name = "args->marks" });
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
                                         .part = SCAN_PART_ONE,
                                         .in_place_of = is_output ? &problem->carry_in : NULL,
                                         .is_output = is_output != 0,
                                         .is_read_first = is_output == 0 });
}

static void list_all(scan_operands *o, item_sizes size, scan_buffer_list *list) {
  scan_problem *problem = o->problem;
  list->count = 0;
  list->rule = problem->kind == SCAN_TOTAL ? "a total is apart from what it covers"
                                           : "out may be in, with elements of one size, and carry_out may be carry_in; "
                                             "all else that is written is apart from what is read";
  if (o->lines == NULL) {
    list_in(o, size, list);
    list_out(o, size, list);
  } else {
    list_array(o, &o->in, &o->lines->in, 0, list);
    list_array(o, &o->out, &o->lines->out, 1, list);
  }
  if (problem->segments.kind != SCAN_SEGMENTS_NONE && o->n > 0) list_marks(o, list);
  list_carry(problem, 0, list);
  list_carry(problem, 1, list);
  if (problem->reads_n && o->n > 0)
    scan_buffers_add(list, &(scan_buffer){ .mem = &problem->n_from,
                                           .bytes = sizeof(uint64_t),
                                           .align = sizeof(uint64_t),
                                           .name = "args->n_from",
                                           .is_device_only = 1 });
}

static item_sizes sizes_of(const scan_problem *problem) {
  return (item_sizes){ scan_problem_input_bytes(problem), scan_problem_output_bytes(problem) };
}

void scan_operands_list(scan_operands *o, scan_buffer_list *list) { list_all(o, sizes_of(o->problem), list); }

/* 1 if the host scans host memory, in and out alone, and these are aligned, and apart or the same: most short scans,
 * for which a list would cost a fifth of the call. */
static inline int are_plainly_right(const scan_ctx *ctx, const scan_operands *o, item_sizes size) {
  const scan_problem *p = o->problem;
  if (ctx->ops->id != SCAN_BACKEND_HOST || o->lines != NULL || p->source != NULL || p->kind == SCAN_TOTAL || p->reads_n)
    return 0;
  if (scan_problem_carries(p) || o->in.kind != SCAN_MEM_HOST || o->out.kind != SCAN_MEM_HOST) return 0;
  if (o->in.handle == NULL || o->out.handle == NULL) return 0;
  if (!scan_mem_aligned(o->in, size.in) || !scan_mem_aligned(o->out, size.out)) return 0;
  return (size.in == size.out && scan_mem_same(o->in, o->out)) ||
         !scan_mem_overlap(o->in, o->n * size.in, o->out, o->n * size.out);
}

/* Not inlined, because the host's loops need the stack that the list takes. */
static __attribute__((noinline)) scan_status check_list(scan_ctx *ctx, scan_operands *o, item_sizes size,
                                                        int stageable) {
  scan_buffer_list list;
  if (o->problem->segments.kind != SCAN_SEGMENTS_NONE && o->n > 0)
    SCAN_TRY(scan_segments_count_check(ctx, &o->problem->segments, o->n, stageable));
  list_all(o, size, &list);
  SCAN_TRY(scan_buffers_resolve(ctx, &list, stageable));
  return scan_buffers_check_apart(ctx, &list);
}

scan_status scan_operands_check(scan_ctx *ctx, scan_operands *o, int stageable) {
  const item_sizes size = sizes_of(o->problem);
  if (!are_plainly_right(ctx, o, size)) SCAN_TRY(check_list(ctx, o, size, stageable));
  if (o->lines == NULL) o->in_place = o->n > 0 && may_be_in_place(o->problem, size) && scan_mem_same(o->in, o->out);
  return SCAN_SUCCESS;
}
