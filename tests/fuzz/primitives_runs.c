/* SPDX-License-Identifier: BSD-2-Clause */
/* Run-length encodings and reductions by key. */
#include "primitives.h"
#include "reference.h"
#include "runs_bench.h"
#include "support.h"

static int is_index(scan_type type) { return type == SCAN_TYPE_DEFAULT || type == SCAN_U32 || type == SCAN_U64; }

static scan_type decode_index(fuzz_input *in) {
  return (scan_type)(fuzz_rarely(in, 16)  ? fuzz_choice(in, 0, SCAN_BF16)
                     : fuzz_rarely(in, 2) ? SCAN_U32
                     : fuzz_rarely(in, 2) ? SCAN_U64
                                          : 0);
}

static int decode_encoding(fuzz_input *in, scan_run_length_spec *s) {
  scan_run_length_spec_init(s, sizeof *s);
  s->key_type = (scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16);
  s->length_type = decode_index(in);
  s->start_type = decode_index(in);
  return scan_type_bytes(s->key_type) > 0 && is_index(s->length_type) && is_index(s->start_type);
}

/* The reference has binary32 pass through binary64, which makes quiet NaNs of those that signal. */
static void make_quiet(scan_type type, scan_value *value) {
  if (reference_is_float(type)) reference_store(type, value, 0, reference_load(type, value, 0));
}

/* Of f16 and bf16 the bench has no values. */
static int decode_reduction(fuzz_input *in, scan_spec *s) {
  *s = (scan_spec)SCAN_REDUCE_BY_KEY_INIT((scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16),
                                          (scan_type)fuzz_choice(in, SCAN_I8, SCAN_F64),
                                          (scan_op_id)fuzz_choice(in, SCAN_ADD, SCAN_XOR));
  if (fuzz_rarely(in, 4)) s->input_type = (scan_type)fuzz_choice(in, SCAN_I8, SCAN_F64);
  s->kind = (scan_kind)(fuzz_rarely(in, 16) ? fuzz_choice(in, SCAN_INCLUSIVE, SCAN_TOTAL) : SCAN_INCLUSIVE);
  s->has_init = (uint32_t)(fuzz_rarely(in, 4) ? fuzz_choice(in, 0, 1) : 0);
  s->init.u64 = fuzz_number(in, 8);
  if (!scan_type_bytes(s->key_type) || !scan_type_bytes(s->type) || s->op < SCAN_ADD || s->op > SCAN_XOR) return 0;
  if (s->input_type != SCAN_TYPE_DEFAULT && !scan_type_bytes(s->input_type)) return 0;
  make_quiet(s->type, &s->init);
  return reference_defined(s->type, s->input_type, s->op) && s->kind == SCAN_INCLUSIVE && s->has_init <= 1;
}

static void run_cell(fuzz_input *in, runs_cell *c, scan_plan *plan) {
  static const int lengths[] = { RUNS_OF_1, RUNS_OF_2, RUNS_WHOLE, RUNS_MIXED, 7, 100 };
  c->length = lengths[fuzz_below(in, 6)];
  c->how = (int)fuzz_below(in, 3);
  c->shift = (uint32_t)fuzz_below(in, 17);
  if (fuzz_rarely(in, 4)) c->capacity = fuzz_below(in, c->n + 2);
  if (fuzz_rarely(in, 4)) c->spares = 1 + (int)fuzz_below(in, 40);
  c->has_n_from = fuzz_rarely(in, 4);
  c->n_from = fuzz_below(in, c->n + 1);
  c->no_keys = fuzz_rarely(in, 4);
  c->no_count = fuzz_rarely(in, 4);
  if (c->n > 0 || c->how != BY_PLAN) runs_bench_check(c, plan);
}

void primitives_runs(fuzz_input *in) {
  static int is_open;
  runs_cell c = { .reduces = fuzz_rarely(in, 2) };
  scan_plan *plan = NULL;
  if (!is_open++) runs_bench_open(PRIMITIVES_SIDE_BYTES);
  runs_bench_seed(fuzz_number(in, 2));
  const int is_valid = c.reduces ? decode_reduction(in, &c.reduce) : decode_encoding(in, &c.encode);
  c.n = fuzz_items(in, PRIMITIVES_MOST_ITEMS);
  const scan_status status = c.reduces ? scan_plan_create_reduce_by_key(test_ctx(), &c.reduce, c.n + 1, &plan)
                                       : scan_plan_create_run_length(test_ctx(), &c.encode, c.n + 1, &plan);
  if (fuzz_judge(test_ctx(), status, plan, is_valid, c.reduces ? "a reduction" : "an encoding")) run_cell(in, &c, plan);
  scan_plan_destroy(plan);
}
