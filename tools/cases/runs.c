/* SPDX-License-Identifier: BSD-2-Clause */
/** @file runs.c @brief Cases of run-length encodings and reductions by key: the draw, the layout,
 * the expected result and the call. */
#include "data.h"
#include "reference.h"
#include "reference_operator.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- draw ---- */

/** Draws an operator and its types from a short list, since drivers compile a program for each. The last five take
 * Mesa 22.3 (llvmpipe) minutes and are drawn with --large only. */
static void choose_reduction(scan_case *c, int large, case_draw *d) {
  static const struct {
    scan_type input, type;
    scan_op_id op;
  } sums[] = { { SCAN_I32, SCAN_I32, SCAN_ADD },  { SCAN_F32, SCAN_F32, SCAN_ADD }, { SCAN_U8, SCAN_U32, SCAN_ADD },
               { SCAN_F64, SCAN_F64, SCAN_ADD },  { SCAN_F32, SCAN_F64, SCAN_ADD }, { SCAN_F32, SCAN_F32, SCAN_MUL },
               { SCAN_I32, SCAN_I32, SCAN_MAX },  { SCAN_U32, SCAN_U32, SCAN_XOR }, { SCAN_I64, SCAN_I64, SCAN_MUL },
               { SCAN_U64, SCAN_U64, SCAN_MAX },  { SCAN_I16, SCAN_I16, SCAN_MIN }, { SCAN_F16, SCAN_F16, SCAN_ADD },
               { SCAN_BF16, SCAN_BF16, SCAN_MAX } };
  const uint64_t all = sizeof sums / sizeof sums[0], i = draw_below(d, large ? all : all - 5);
  c->reduce.type = sums[i].type;
  c->reduce.op = sums[i].op;
  if (sums[i].input != sums[i].type) c->reduce.input_type = sums[i].input;
  c->reduce.has_init = sums[i].type == SCAN_I32 && draw_below(d, 2);
}

static scan_type choose_index(case_draw *d) {
  static const scan_type types[] = { SCAN_TYPE_DEFAULT, SCAN_U32, SCAN_U64, SCAN_U32 };
  return types[draw_below(d, sizeof types / sizeof types[0])];
}

void case_runs_draw(const case_limits *limits, scan_case *c, case_draw *d) {
  c->has_keys = draw_below(d, 5) != 0;
  if (c->by == CASE_REDUCE && draw_one_in(d, 8)) {
    const source_structure *structure = source_operator_structure(draw_below(d, 6));
    c->scan.source = (source_operator){ .name = structure->source.type, .structure = structure };
    return;
  }
  if (c->by == CASE_REDUCE) {
    choose_reduction(c, limits->large, d);
    return;
  }
  c->encode.length_type = choose_index(d);
  c->encode.start_type = choose_index(d);
}

static uint64_t input_bytes(const scan_case *c) {
  const scan_type type = c->reduce.input_type ? c->reduce.input_type : c->reduce.type;
  const uint64_t bytes = source_operator_facts(&c->scan.source).value_bytes;
  return bytes ? bytes : scan_type_bytes(type);
}

/** Sets the bytes of the outputs' elements; 0: the call has no such output. */
static void set_outputs(scan_case *c) {
  c->item_bytes[0] = c->has_keys ? scan_type_bytes(c->key_type) : 0;
  if (c->by == CASE_REDUCE) {
    c->outputs = 2;
    c->item_bytes[1] = c->scan.source.name ? input_bytes(c) : scan_type_bytes(c->reduce.type);
    return;
  }
  c->outputs = 3;
  c->item_bytes[1] = c->encode.length_type ? scan_type_bytes(c->encode.length_type) : 0;
  c->item_bytes[2] = c->encode.start_type ? scan_type_bytes(c->encode.start_type) : 0;
}

void case_runs_complete(scan_case *c) {
  c->encode.struct_bytes = sizeof c->encode;
  c->encode.key_type = c->key_type;
  c->reduce.struct_bytes = sizeof c->reduce;
  c->reduce.key_type = c->key_type;
  c->reduce.kind = SCAN_INCLUSIVE;
  c->reduce.segments = SCAN_SEGMENTS_KEYS;
  c->reduce.init.i32 = -1000;
  set_outputs(c);
}

void case_runs_lay_out(scan_case *c) {
  const uint64_t key_bytes = scan_type_bytes(c->key_type), room = case_room(c->capacity, c->n);
  c->marks = case_reserve(&c->in_bytes, c->n * key_bytes, c->shift * key_bytes);
  if (c->by == CASE_REDUCE) {
    const uint64_t bytes = input_bytes(c);
    c->values = case_reserve(&c->in_bytes, c->n * bytes, c->shift * case_align(bytes));
  }
  for (uint32_t a = 0; a < c->outputs; a++)
    c->out[a] = case_reserve(&c->out_bytes, room * c->item_bytes[a], c->shift * case_align(c->item_bytes[a]));
}

/* ---- expected output ---- */

/** Computes the segmented scan of all values; the last element of each run is its reduction. @return NULL: memory
 * ran out */
static unsigned char *make_values(const scan_case *c) {
  const data_style style = { .seed = c->seed + 4 };
  unsigned char *scanned = malloc((size_t)(c->n * c->item_bytes[1] + 1));
  void *values = c->in_image + c->values.at;
  if (!scanned || c->n == 0) return scanned;
  if (c->scan.source.name) {
    const source_facts facts = source_operator_facts(&c->scan.source);
    const struct reference_operator op = { .bytes = facts.value_bytes, .combine = facts.combine };
    source_operator_fill(&c->scan.source, c->n, style.seed, values);
    reference_operator_segmented(&op, 0, SCAN_INCLUSIVE, NULL, c->kept, c->n, values, scanned);
    return scanned;
  }
  data_fill(c->reduce.input_type ? c->reduce.input_type : c->reduce.type, c->reduce.op, c->n, &style, values);
  reference_segmented(&c->reduce, c->kept, c->n, values, scanned);
  return scanned;
}

static void runs_put(const scan_case *c, uint32_t a, uint64_t run, const void *from) {
  const uint64_t bytes = c->item_bytes[a];
  if (bytes && (run + 1) * bytes <= c->out[a].bytes) memcpy(c->want + c->out[a].at + run * bytes, from, (size_t)bytes);
}

/** Writes the expected output of the run with elements `first` to `last`. Lengths and starts are little-endian. */
static void expect_run(const scan_case *c, const unsigned char *scanned, uint64_t run, uint64_t first, uint64_t last) {
  const uint64_t length = last - first + 1, key = scanned ? last : first;
  runs_put(c, 0, run, c->in_image + c->marks.at + key * scan_type_bytes(c->key_type));
  runs_put(c, 1, run, scanned ? (const void *)(scanned + last * c->item_bytes[1]) : &length);
  if (!scanned) runs_put(c, 2, run, &first);
}

int case_runs_expect(const scan_case *c) {
  unsigned char *scanned = NULL;
  uint64_t runs = 0, first = 0;
  if (c->by == CASE_REDUCE && !(scanned = make_values(c))) return -1;
  for (uint64_t i = 0; i < c->items; i++) {
    if (c->kept[i]) first = i;
    if (i + 1 == c->items || c->kept[i + 1]) expect_run(c, scanned, runs++, first, i);
  }
  if (c->has_count) memcpy(c->want + c->count.at, &runs, sizeof runs);
  free(scanned);
  return 0;
}

/* ---- the call ---- */

static scan_mem out_mem(const scan_case *c, uint32_t a, const case_memory *m) {
  return c->item_bytes[a] ? case_output(m->out, c->capacity, &c->out[a]) : SCAN_NO_MEM;
}

scan_run_length_args case_run_length_args(const scan_case *c, const case_memory *m) {
  scan_run_length_args args =
      SCAN_RUN_LENGTH_ARGS_INIT(scan_offset(m->in, c->marks.at), out_mem(c, 0, m), out_mem(c, 1, m), case_count(c, m));
  args.starts = out_mem(c, 2, m);
  args.capacity = c->capacity;
  args.n_from = case_n_from(c, m);
  return args;
}

static scan_status runs_encode(scan_ctx *ctx, const scan_case *c, case_memory *m) {
  const scan_run_length_args args = case_run_length_args(c, m);
  scan_plan *plan = NULL;
  if (!c->by_plan) return case_wait(ctx, c, m, scan_run_length_encode(ctx, &c->encode, c->n, &args));
  scan_status status = scan_plan_create_run_length(ctx, &c->encode, case_plan_n(c), &plan);
  status = case_give_memory(ctx, c, m, plan, status);
  for (int k = 0; k <= c->runs_again && status == SCAN_SUCCESS; k++)
    status = scan_plan_run_run_length(plan, c->n, &args);
  return case_finish_plan(ctx, c, m, plan, status);
}

scan_status case_reduce_args(scan_ctx *ctx, case_functions *functions, const scan_case *c, const case_memory *m,
                             scan_spec *spec, scan_reduce_by_key_args *args) {
  *spec = c->reduce;
  *args = (scan_reduce_by_key_args)SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_offset(m->in, c->marks.at),
                                                                scan_offset(m->in, c->values.at), out_mem(c, 0, m),
                                                                out_mem(c, 1, m), case_count(c, m));
  args->capacity = c->capacity;
  args->n_from = case_n_from(c, m);
  if (!c->scan.source.name) return SCAN_SUCCESS;
  spec->type = spec->input_type = SCAN_TYPE_DEFAULT;
  spec->op = SCAN_OP_NONE;
  return case_last_operator(ctx, functions, &c->scan.source, c->reduce.type, &spec->custom_op);
}

static scan_status runs_reduce(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m) {
  scan_spec spec;
  scan_reduce_by_key_args args;
  scan_plan *plan = NULL;
  scan_status status = case_reduce_args(ctx, functions, c, m, &spec, &args);
  if (status != SCAN_SUCCESS) return status;
  if (!c->by_plan) return case_wait(ctx, c, m, scan_reduce_by_key(ctx, &spec, c->n, &args));
  status = scan_plan_create_reduce_by_key(ctx, &spec, case_plan_n(c), &plan);
  status = case_give_memory(ctx, c, m, plan, status);
  for (int k = 0; k <= c->runs_again && status == SCAN_SUCCESS; k++)
    status = scan_plan_run_reduce_by_key(plan, c->n, &args);
  return case_finish_plan(ctx, c, m, plan, status);
}

scan_status case_runs_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m) {
  return c->by == CASE_REDUCE ? runs_reduce(ctx, functions, c, m) : runs_encode(ctx, c, m);
}
