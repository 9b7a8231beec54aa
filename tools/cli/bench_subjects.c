/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_subjects.c @brief The subjects of a case of scans: scans, the copy, peers, and a plain loop. */
#define _POSIX_C_SOURCE 200809L
#include "bench_scan.h"
#include "half.h"
#include "plain_loop.h"
#include "reference.h"

#include <scanrt/scan_difference.h>

/* ---- one call ---- */

static int start_scan(bench_subject *s, uint64_t pair) {
  const bench_lab *lab = s->lab;
  const scan_mem in = bench_pair_in(lab, pair), out = bench_pair_out(lab, pair);
  if (!bench_has_plain(lab) || s->manner == BENCH_PLAIN)
    return bench_forward(lab, scan_plan_run(s->plan, lab->n, in, out));
  scan_args args = SCAN_ARGS_INIT(in, out);
  args.marks = lab->buffers.told.mem;
  args.mark_count = lab->buffers.marks.count;
  args.carry_out = lab->buffers.carry.mem;
  return bench_forward(lab, scan_plan_run_args(s->plan, lab->n, &args));
}

static int start_array(bench_subject *s, uint64_t pair) {
  const bench_lab *lab = s->lab;
  return bench_forward(lab, scan_plan_run_array(s->plan, bench_pair_in(lab, pair), bench_pair_out(lab, pair)));
}

static int start_peer(bench_subject *s, uint64_t pair) {
  const bench_lab *lab = s->lab;
  const void *in = bench_pointer(lab, bench_pair_in(lab, pair));
  if (s->peer->start(s->peer_state, in, bench_pointer(lab, bench_pair_out(lab, pair)), lab->stream) == 0) return CLI_OK;
  return bench_peer_fail(s->peer, "cannot scan");
}

static int start_empty(bench_subject *s, uint64_t pair) {
  (void)pair;
  return bench_cuda_launch_empty(s->lab->cuda);
}

/* ---- the plain loop ---- */

/** 1 if differences of the type can be measured: not for 16-bit floats and widening types. */
static int has_difference(const bench_lab *lab) {
  return !half_is(lab->spec.type) && bench_input_type(&lab->spec) == lab->spec.type;
}

/* 1 if there is a plain loop. It needs distinct input and output, goes forward over one line, and does not widen. */
static int loop_is_there(const bench_lab *lab) {
  const scan_spec *spec = &lab->spec;
  if (lab->request->in_place || lab->request->ndim || lab->request->backward) return 0;
  if (lab->request->difference) return has_difference(lab);
  if (lab->told_by && (lab->composite || bench_maps(lab) || lab->request->check_overflow)) return 0;
  if (lab->composite) return plain_loop_composite(lab->which, spec->kind, 0, NULL, NULL);
  if (bench_maps(lab)) return 1;
  if (bench_input_type(spec) != spec->type) return 0;
  if (lab->told_by) return plain_loop_segmented(spec->type, spec->op, spec->kind, 0, NULL, NULL, NULL, NULL);
  return !half_is(spec->type) || plain_loop_half(spec->type, spec->op, spec->kind, 0, NULL, NULL, NULL);
}

static void loop_scan(const bench_lab *lab, const scan_spec *spec, const void *in, void *out) {
  const scan_value seed = reference_seed(spec);
  if (lab->told_by)
    (void)plain_loop_segmented(spec->type, spec->op, spec->kind, lab->n, &seed, &lab->buffers.marks, in, out);
  else if (half_is(spec->type))
    (void)plain_loop_half(spec->type, spec->op, spec->kind, lab->n, &seed, in, out);
  else if (lab->request->check_overflow)
    (void)plain_loop_checked(spec->type, spec->op, spec->kind, lab->n, &seed, in, out);
  else
    plain_loop(spec->type, spec->op, spec->kind, lab->n, &seed, in, out);
}

/** Scans the input on the host into the staging memory. */
static int start_loop(bench_subject *s, uint64_t pair) {
  const bench_lab *lab = s->lab;
  const scan_spec *spec = &lab->spec;
  (void)pair;
  const void *in = lab->buffers.input.host;
  void *out = lab->buffers.staging.host;
  if (lab->request->difference)
    plain_loop_difference(spec, lab->n, in, out);
  else if (lab->composite)
    (void)plain_loop_composite(lab->which, spec->kind, lab->n, in, out);
  else if (bench_maps(lab))
    plain_loop_mapped(lab->source, spec->kind, NULL, lab->n, in, out);
  else
    loop_scan(lab, spec, in, out);
  return CLI_OK;
}

/* ---- the list ---- */

/** Returns the bytes of input and output. */
static uint64_t plain_bytes(const bench_lab *lab) { return lab->buffers.in_bytes + lab->buffers.out_bytes; }

/** Returns the bytes that a call reads and writes, including marks. */
static uint64_t all_bytes(const bench_lab *lab) { return plain_bytes(lab) + lab->buffers.marks.bytes; }

const char *bench_plain_name(const bench_lab *lab) {
  if (lab->told_by) return "flat";
  return lab->request->check_overflow ? "unchecked" : "uncarried";
}

static const char *prefix(const bench_lab *lab, bench_manner manner) {
  if (manner == BENCH_PLAIN) return lab->told_by ? "flat " : lab->request->check_overflow ? "unchecked " : "uncarried ";
  return manner == BENCH_FROM_SOURCE ? "source " : "";
}

/** Appends a scan by a plan. @param[out] added  the subject */
static int add_plan(bench_lab *lab, scan_plan *plan, bench_manner manner, int (*start)(bench_subject *, uint64_t),
                    const char *name, bench_subject **added) {
  const uint64_t bytes = manner == BENCH_PLAIN ? plain_bytes(lab) : all_bytes(lab);
  bench_subject *s = bench_add(lab, BENCH_SCAN, start, bytes, "%s%s", prefix(lab, manner), name);
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  const scan_status status = scan_plan_info(plan, &facts);
  s->plan = plan;
  s->manner = manner;
  s->expect = BENCH_EXPECT_CANONICAL;
  s->strategy = facts.strategy;
  s->work = facts.work;
  s->span = facts.span;
  *added = s;
  return bench_forward(lab, status);
}

/** Handles an unsupported strategy: if several combinations are measured, skips it with one notice; otherwise fails. */
static int refuse_strategy(bench_lab *lab, scan_strategy strategy, bench_manner manner, scan_status status) {
  if (status != SCAN_UNSUPPORTED || bench_combinations(lab->request) == 1)
    return cli_fail_scan(lab->ctx, status, lab->info.selector);
  if (!(lab->told_strategies[manner] & 1u << strategy))
    cli_say_failure("notice: %s: %s%s is left out: %s", lab->info.selector, prefix(lab, manner),
                    scan_strategy_name(strategy), scan_last_error(lab->ctx));
  lab->told_strategies[manner] |= 1u << strategy;
  return CLI_OK;
}

static scan_spec spec_of(const bench_lab *lab, scan_strategy strategy, bench_manner manner) {
  scan_spec spec = lab->spec;
  if (manner == BENCH_FROM_SOURCE || bench_maps(lab)) {
    spec = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, lab->spec.kind);
    spec.custom_op = lab->custom_op;
    spec.segments = lab->spec.segments;
    spec.key_type = lab->spec.key_type;
    spec.flags = lab->spec.flags;
  }
  if (manner == BENCH_PLAIN) {
    spec.segments = SCAN_SEGMENTS_NONE;
    spec.key_type = SCAN_TYPE_DEFAULT;
    spec.flags &= ~(uint32_t)SCAN_CHECK_OVERFLOW;
  }
  spec.strategy = strategy;
  return spec;
}

static int add_scan(bench_lab *lab, scan_strategy strategy, bench_manner manner) {
  const scan_spec spec = spec_of(lab, strategy, manner);
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(lab->ctx, &spec, lab->n, &plan);
  if (status != SCAN_SUCCESS) return refuse_strategy(lab, strategy, manner, status);
  bench_subject *s = NULL;
  const int rc = add_plan(lab, plan, manner, start_scan, scan_strategy_name(strategy), &s);
  if (strategy == SCAN_STRATEGY_SEQUENTIAL) s->expect = BENCH_EXPECT_SEQUENTIAL;
  if (strategy != SCAN_STRATEGY_SEQUENTIAL && !scan_strategy_is_canonical(strategy)) s->expect = BENCH_EXPECT_CLOSE;
  if (strategy == SCAN_STRATEGY_AUTO)
    snprintf(s->label, sizeof s->label, "%s%s (auto)", prefix(lab, manner), scan_strategy_name(s->strategy));
  return rc;
}

/** Appends the difference, which has no strategies. */
static int add_difference(bench_lab *lab) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create_adjacent_difference(lab->ctx, &lab->spec, lab->n, &plan);
  if (status != SCAN_SUCCESS) return refuse_strategy(lab, SCAN_STRATEGY_AUTO, BENCH_BUILT_IN, status);
  bench_subject *s = bench_add(lab, BENCH_SCAN, start_scan, all_bytes(lab), "difference");
  s->plan = plan;
  s->expect = BENCH_EXPECT_CANONICAL;
  return CLI_OK;
}

/** Appends the scan of the array's lines along one axis. */
static int add_axis(bench_lab *lab, int axis, bench_manner manner) {
  const bench_request *r = lab->request;
  const scan_spec spec = spec_of(lab, SCAN_STRATEGY_AUTO, manner);
  scan_array array = SCAN_ARRAY_INIT;
  scan_plan *plan = NULL;
  char name[16];
  if (scan_array_packed(&spec, r->ndim, r->shape, (uint32_t)axis, &array) != SCAN_SUCCESS)
    return cli_fail("--shape: %s", scan_last_error(NULL));
  const scan_status status = scan_plan_create_array(lab->ctx, &spec, &array, &plan);
  if (status != SCAN_SUCCESS) return refuse_strategy(lab, SCAN_STRATEGY_AUTO, manner, status);
  snprintf(name, sizeof name, "axis %d", axis);
  bench_subject *s = NULL;
  const int rc = add_plan(lab, plan, manner, start_array, name, &s);
  s->axis = axis;
  return rc;
}

static int add_peer(bench_lab *lab, const bench_peer *peer) {
  bench_peer_case what = { .input_type = bench_input_type(&lab->spec),
                           .type = lab->spec.type,
                           .op = lab->spec.op,
                           .kind = lab->spec.kind,
                           .n = lab->n,
                           .segments = lab->told_by,
                           .segment_type = lab->spec.key_type,
                           .told = lab->told_by ? bench_pointer(lab, lab->buffers.told.mem) : NULL,
                           .composite = lab->composite ? lab->which : SCAN_COMPOSITE_NONE };
  void *state = NULL;
  if (!lab->composite) what.seed = reference_seed(&lab->spec);
  if (!peer->supports(&what)) return CLI_OK;
  if (peer->prepare(&what, &state) != 0) return bench_peer_fail(peer, "cannot prepare a scan");
  bench_add_peer(lab, peer, start_peer, all_bytes(lab), state, peer->destroy)->expect = BENCH_EXPECT_CLOSE;
  return CLI_OK;
}

static void add_host_work(bench_lab *lab) {
  const bench_buffers *b = &lab->buffers;
  const uint64_t bytes = all_bytes(lab);
  int on_processor = lab->info.backend == SCAN_BACKEND_HOST || lab->info.is_cpu;
  if (!on_processor || lab->mode != BENCH_EAGER) return;
  if (loop_is_there(lab)) bench_add(lab, BENCH_LOOP, start_loop, bytes, "plain loop");
  bench_add_memcpy(lab, 0, bytes, &b->input, &b->staging);
  if (lab->copier) bench_add_memcpy(lab, 1, bytes, &b->input, &b->staging);
}

static int add_scans(bench_lab *lab) {
  const bench_request *r = lab->request;
  const int has_built_in = !bench_maps(lab) && !r->ndim && !r->difference && !(lab->cold && lab->source);
  int rc = CLI_OK;
  if (r->difference) rc = add_difference(lab);
  for (size_t i = 0; i < r->strategy_count && rc == CLI_OK && has_built_in; i++)
    rc = add_scan(lab, r->strategies[i], BENCH_BUILT_IN);
  for (size_t i = 0; i < r->strategy_count && rc == CLI_OK && lab->source && !r->ndim; i++)
    rc = add_scan(lab, r->strategies[i], BENCH_FROM_SOURCE);
  for (int axis = 0; axis < (int)r->ndim && rc == CLI_OK; axis++)
    if (r->axes >> axis & 1) {
      rc = add_axis(lab, axis, BENCH_BUILT_IN);
      if (rc == CLI_OK && lab->source) rc = add_axis(lab, axis, BENCH_FROM_SOURCE);
    }
  return rc;
}

/** Appends the scans again, in the one-thread context. */
static int add_one_thread(bench_lab *lab) {
  const size_t first = lab->subject_count;
  if (!lab->one) return CLI_OK;
  bench_beside_swap(lab);
  const int rc = add_scans(lab);
  bench_beside_swap(lab);
  for (size_t i = first; i < lab->subject_count; i++) bench_beside_mark(&lab->subjects[i]);
  return rc;
}

int bench_scan_list(bench_lab *lab) {
  const bench_request *r = lab->request;
  const bench_buffers *b = &lab->buffers;
  int rc = add_scans(lab);
  if (rc != CLI_OK || lab->subject_count == 0 || lab->cold) return rc;
  rc = add_one_thread(lab);
  if (rc == CLI_OK && bench_has_plain(lab)) rc = add_scan(lab, SCAN_STRATEGY_AUTO, BENCH_PLAIN);
  if (rc != CLI_OK) return rc;
  /* Copies from the begin of the buffers: offsets apply to the scans only, and the copy is the upper limit. */
  bench_add_copy(lab, "copy", all_bytes(lab), &b->in, &b->out);
  if (lab->told_by) bench_add_copy(lab, "flat copy", plain_bytes(lab), &b->in, &b->out);
  if (!r->ndim && !r->backward && !bench_maps(lab) && !r->check_overflow && !r->difference) /* not in peers */
    for (size_t i = 0; i < lab->peer_count && rc == CLI_OK; i++) rc = add_peer(lab, lab->peers[i]);
  add_host_work(lab);
  if (lab->mode == BENCH_HOST && lab->cuda)
    bench_add(lab, BENCH_EMPTY, start_empty, 0, "empty kernel")->expect = BENCH_EXPECT_NOTHING;
  return rc;
}
