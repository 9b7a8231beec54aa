/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction. */
#include "primitives.h"
#include "select_bench.h"

/* Elements of 4 bytes below the parameter are kept. */
static int below(const void *x, uint64_t index, const void *params) {
  (void)index;
  return *(const uint32_t *)x < *(const uint32_t *)params;
}
#define BELOW(x, index, most) ((x) < (most))
SCAN_KEEP_PARAMS_HOST(keep_below, uint32_t, uint32_t, BELOW);

static scan_op *predicate(void) {
  static scan_op *op;
  scan_predicate_source source = SCAN_PREDICATE_PARAMS_INIT("", uint32_t, below, uint32_t);
  source.host = keep_below;
  if (op == NULL) fuzz_done(test_ctx(), scan_predicate_create(test_ctx(), &source, &op), "scan_predicate_create");
  return op;
}

/* @return 1 where it is one */
static int decode_spec(fuzz_input *in, scan_select_spec *s) {
  scan_select_spec_init(s, sizeof *s);
  s->by = (scan_select_by)fuzz_choice(in, SCAN_SELECT_FLAGS, SCAN_SELECT_PREDICATE);
  const int by_runs = s->by == SCAN_SELECT_FIRST || s->by == SCAN_SELECT_LAST;
  if (by_runs || fuzz_rarely(in, 16)) s->key_type = (scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16);
  if (s->by == SCAN_SELECT_PREDICATE) s->predicate = predicate();
  s->rest = (scan_select_rest)fuzz_choice(in, SCAN_REST_DROPPED, SCAN_REST_APART);
  if (fuzz_rarely(in, 4)) s->index_type = (scan_type)fuzz_choice(in, SCAN_U32, SCAN_U64);
  s->arrays = s->index_type ? 0 : (uint32_t)fuzz_choice(in, 1, 4);
  s->in_place = (uint32_t)(fuzz_rarely(in, 4) && !s->index_type ? fuzz_choice(in, 0, 1) : 0);
  int is_valid = primitives_arrays(in, s->arrays, s->element_bytes, s->element_align);
  is_valid &= s->by >= SCAN_SELECT_FLAGS && s->by <= SCAN_SELECT_PREDICATE && (unsigned)s->rest <= SCAN_REST_APART;
  is_valid &= by_runs ? scan_type_bytes(s->key_type) > 0 : s->key_type == SCAN_TYPE_DEFAULT;
  is_valid &= s->index_type == SCAN_TYPE_DEFAULT || s->index_type == SCAN_U32 || s->index_type == SCAN_U64;
  is_valid &= s->index_type ? s->arrays == 0 : s->arrays >= 1 && s->arrays <= SCAN_SELECT_MOST_ARRAYS;
  return is_valid && s->in_place <= 1;
}

static void run_cell(fuzz_input *in, select_cell *c, scan_plan *plan) {
  static uint32_t most;
  static const uint32_t percents[] = { 0, 1, 50, 99, 100, KEEPS_ONE };
  most = (uint32_t)fuzz_below(in, 101);
  c->percent = percents[fuzz_below(in, 6)];
  c->how = (int)fuzz_below(in, 3);
  c->shift = (uint32_t)fuzz_below(in, 17);
  if (fuzz_rarely(in, 4)) c->capacity = fuzz_below(in, c->n + 2);
  if (fuzz_rarely(in, 4)) c->rest_capacity = fuzz_below(in, c->n + 2);
  c->has_n_from = fuzz_rarely(in, 4);
  c->n_from = fuzz_below(in, c->n + 1);
  c->no_count = fuzz_rarely(in, 4);
  if (c->spec.by == SCAN_SELECT_PREDICATE) {
    c->keeps = below;
    c->looked_bytes = sizeof(uint32_t);
    c->params = &most;
  }
  if (c->n > 0 || c->how != BY_PLAN) select_bench_check(c, plan);
}

void primitives_select(fuzz_input *in) {
  static int is_open;
  select_cell c = { .n = 0 };
  scan_plan *plan = NULL;
  if (!is_open++) select_bench_open(PRIMITIVES_SIDE_BYTES);
  select_bench_seed(fuzz_number(in, 2));
  const int is_valid = decode_spec(in, &c.spec);
  c.n = fuzz_items(in, PRIMITIVES_MOST_ITEMS);
  const scan_status status = scan_plan_create_select(test_ctx(), &c.spec, c.n + 1, &plan);
  if (fuzz_judge(test_ctx(), status, plan, is_valid, "a compaction")) run_cell(in, &c, plan);
  scan_plan_destroy(plan);
}
