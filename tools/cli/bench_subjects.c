/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_subjects.c @brief What is timed: scans, the copy, peers, and what a program would do without them. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "bench_beside.h"
#include "reference.h"

#include <stdarg.h>
#include <string.h>

#include <scanrt/scan_cuda.h>
#include <scanrt/scan_difference.h>

static int forward(const bench_lab *lab, scan_status status) {
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->ctx, status, lab->info.selector);
}

/* ---- one call ---- */

static int start_scan(bench_subject *s, uint64_t pair) {
  const bench_lab *lab = s->lab;
  const scan_mem in = bench_pair_in(lab, pair), out = bench_pair_out(lab, pair);
  if (!bench_has_plain(lab) || s->manner == BENCH_PLAIN) return forward(lab, scan_plan_run(s->plan, lab->n, in, out));
  scan_args args = SCAN_ARGS_INIT(in, out);
  args.marks = lab->buffers.told;
  args.mark_count = lab->buffers.marks.count;
  args.carry_out = lab->buffers.carry;
  return forward(lab, scan_plan_run_args(s->plan, lab->n, &args));
}

static int start_array(bench_subject *s, uint64_t pair) {
  const bench_lab *lab = s->lab;
  return forward(lab, scan_plan_run_array(s->plan, bench_pair_in(lab, pair), bench_pair_out(lab, pair)));
}

/** From the beginnings of the buffers: offsets are the scans' business, and the copy is the ceiling. */
static int start_copy(bench_subject *s, uint64_t pair) {
  const bench_buffers *b = &s->lab->buffers;
  uint64_t at = pair * b->stride_bytes;
  return forward(s->lab, scan_copy(s->lab->ctx, scan_offset(b->out, at), scan_offset(b->in, at), s->bytes / 2));
}

/** The address that a peer understands. */
static void *pointer_of(const bench_lab *lab, scan_mem mem) {
  if (lab->info.backend == SCAN_BACKEND_HOST) return (char *)mem.handle + mem.offset_bytes;
  return (void *)(uintptr_t)scan_cuda_ptr(mem);
}

static int start_peer(bench_subject *s, uint64_t pair) {
  const bench_lab *lab = s->lab;
  const void *in = pointer_of(lab, bench_pair_in(lab, pair));
  if (s->peer->start(s->peer_state, in, pointer_of(lab, bench_pair_out(lab, pair)), lab->stream) == 0) return CLI_OK;
  return bench_peer_fail(s->peer, "cannot scan");
}

static int start_loop(bench_subject *s, uint64_t pair) {
  (void)pair;
  bench_loop_run(s->lab);
  return CLI_OK;
}

static int start_memcpy(bench_subject *s, uint64_t pair) {
  (void)pair;
  memcpy(s->lab->buffers.staging, s->lab->buffers.input, (size_t)s->lab->buffers.copy_bytes);
  return CLI_OK;
}

static int start_memcpy_threads(bench_subject *s, uint64_t pair) {
  const bench_buffers *b = &s->lab->buffers;
  (void)pair;
  bench_copier_run(s->lab->copier, b->staging, b->input, (size_t)b->copy_bytes);
  return CLI_OK;
}

static int start_empty(bench_subject *s, uint64_t pair) {
  (void)pair;
  return bench_cuda_launch_empty(s->lab->cuda);
}

/* ---- the list ---- */

/** Of input and output. */
static uint64_t plain_bytes(const bench_lab *lab) { return lab->buffers.in_bytes + lab->buffers.out_bytes; }

__attribute__((format(printf, 4, 5))) static bench_subject *
add(bench_lab *lab, bench_role role, int (*start)(bench_subject *, uint64_t), const char *series, ...) {
  bench_subject *s = &lab->subjects[lab->subject_count++];
  va_list args;
  memset(s, 0, sizeof *s);
  s->lab = lab;
  s->role = role;
  s->axis = -1;
  s->bytes = role == BENCH_EMPTY ? 0 : plain_bytes(lab) + lab->buffers.marks.bytes;
  s->start = start;
  va_start(args, series);
  vsnprintf(s->series, sizeof s->series, series, args);
  va_end(args);
  memcpy(s->label, s->series, sizeof s->label);
  return s;
}

const char *bench_plain_name(const bench_lab *lab) {
  if (lab->told_by) return "flat";
  return lab->request->check_overflow ? "unchecked" : "uncarried";
}

static const char *prefix(const bench_lab *lab, bench_manner manner) {
  if (manner == BENCH_PLAIN) return lab->told_by ? "flat " : lab->request->check_overflow ? "unchecked " : "uncarried ";
  return manner == BENCH_FROM_SOURCE ? "source " : "";
}

/** One strategy of several that a device or an n does not have is left out, and said once. */
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
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  const scan_spec spec = spec_of(lab, strategy, manner);
  scan_plan *plan = NULL;
  scan_status status = scan_plan_create(lab->ctx, &spec, lab->n, &plan);
  if (status != SCAN_SUCCESS) return refuse_strategy(lab, strategy, manner, status);
  status = scan_plan_info(plan, &facts);
  bench_subject *s = add(lab, BENCH_SCAN, start_scan, "%s%s", prefix(lab, manner), scan_strategy_name(strategy));
  s->plan = plan;
  s->manner = manner;
  if (manner == BENCH_PLAIN) s->bytes = plain_bytes(lab);
  s->strategy = facts.strategy;
  s->work = facts.work;
  s->span = facts.span;
  s->expect = strategy == SCAN_STRATEGY_SEQUENTIAL   ? BENCH_EXPECT_SEQUENTIAL
              : scan_strategy_is_canonical(strategy) ? BENCH_EXPECT_CANONICAL
                                                     : BENCH_EXPECT_CLOSE;
  if (strategy == SCAN_STRATEGY_AUTO)
    snprintf(s->label, sizeof s->label, "%s%s (auto)", prefix(lab, manner), scan_strategy_name(facts.strategy));
  return forward(lab, status);
}

static int add_difference(bench_lab *lab) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create_adjacent_difference(lab->ctx, &lab->spec, lab->n, &plan);
  if (status != SCAN_SUCCESS) return refuse_strategy(lab, SCAN_STRATEGY_AUTO, BENCH_BUILT_IN, status);
  bench_subject *s = add(lab, BENCH_SCAN, start_scan, "difference");
  s->plan = plan;
  s->expect = BENCH_EXPECT_CANONICAL; /* there is one order */
  return CLI_OK;
}

/** The lines of the request's array along one axis. */
static int add_axis(bench_lab *lab, int axis, bench_manner manner) {
  const bench_request *r = lab->request;
  const scan_spec spec = spec_of(lab, SCAN_STRATEGY_AUTO, manner);
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_array array = SCAN_ARRAY_INIT;
  scan_plan *plan = NULL;
  if (scan_array_packed(&spec, r->ndim, r->shape, (uint32_t)axis, &array) != SCAN_SUCCESS)
    return cli_fail("--shape: %s", scan_last_error(NULL));
  scan_status status = scan_plan_create_array(lab->ctx, &spec, &array, &plan);
  if (status != SCAN_SUCCESS) return refuse_strategy(lab, SCAN_STRATEGY_AUTO, manner, status);
  status = scan_plan_info(plan, &facts);
  bench_subject *s = add(lab, BENCH_SCAN, start_array, "%saxis %d", prefix(lab, manner), axis);
  s->plan = plan;
  s->manner = manner;
  s->axis = axis;
  s->strategy = facts.strategy;
  s->work = facts.work;
  s->span = facts.span;
  s->expect = BENCH_EXPECT_CANONICAL;
  return forward(lab, status);
}

static int add_peer(bench_lab *lab, const bench_peer *peer) {
  bench_peer_case what = { .input_type = bench_input_type(&lab->spec),
                           .type = lab->spec.type,
                           .op = lab->spec.op,
                           .kind = lab->spec.kind,
                           .n = lab->n,
                           .segments = lab->told_by,
                           .segment_type = lab->spec.key_type,
                           .told = lab->told_by ? pointer_of(lab, lab->buffers.told) : NULL,
                           .composite = lab->composite ? lab->which : SCAN_COMPOSITE_NONE };
  void *state = NULL;
  if (!lab->composite) what.seed = reference_seed(&lab->spec);
  if (!peer->supports(&what)) return CLI_OK;
  if (peer->prepare(&what, &state) != 0) return bench_peer_fail(peer, "cannot prepare a scan");
  bench_subject *s = add(lab, BENCH_PEER, start_peer, "%s %s", peer->name, peer->release);
  s->peer = peer;
  s->peer_state = state;
  s->peer_end = peer->destroy;
  s->expect = BENCH_EXPECT_CLOSE;
  return CLI_OK;
}

static void add_host_work(bench_lab *lab) {
  int on_processor = lab->info.backend == SCAN_BACKEND_HOST || lab->info.is_cpu;
  if (!on_processor || lab->mode != BENCH_EAGER) return;
  if (bench_loop_is_there(lab)) add(lab, BENCH_LOOP, start_loop, "plain loop")->expect = BENCH_EXPECT_SEQUENTIAL;
  add(lab, BENCH_MEMCPY, start_memcpy, "memcpy");
  if (lab->copier) add(lab, BENCH_MEMCPY, start_memcpy_threads, "memcpy by %u threads", lab->info.compute_units);
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

int bench_subjects_scans(bench_lab *lab) {
  lab->subject_count = 0;
  return add_scans(lab);
}

/** The scans once more, in the context of one thread. */
static int add_one_thread(bench_lab *lab) {
  const size_t first = lab->subject_count;
  if (!lab->one) return CLI_OK;
  bench_beside_swap(lab);
  const int rc = add_scans(lab);
  bench_beside_swap(lab);
  for (size_t i = first; i < lab->subject_count; i++) bench_beside_mark(&lab->subjects[i]);
  return rc;
}

int bench_subjects_list(bench_lab *lab) {
  const bench_request *r = lab->request;
  int rc = bench_subjects_scans(lab);
  if (rc != CLI_OK || lab->subject_count == 0) return rc;
  rc = add_one_thread(lab);
  if (rc == CLI_OK && bench_has_plain(lab)) rc = add_scan(lab, SCAN_STRATEGY_AUTO, BENCH_PLAIN);
  if (rc != CLI_OK) return rc;
  add(lab, BENCH_COPY, start_copy, "copy");
  if (lab->told_by) add(lab, BENCH_COPY, start_copy, "flat copy")->bytes = plain_bytes(lab);
  if (!r->ndim && !r->backward && !bench_maps(lab) && !r->check_overflow && !r->difference) /* what peers do not do */
    for (size_t i = 0; i < lab->peer_count && rc == CLI_OK; i++) rc = add_peer(lab, lab->peers[i]);
  add_host_work(lab);
  if (lab->mode == BENCH_HOST && lab->cuda) add(lab, BENCH_EMPTY, start_empty, "empty kernel");
  return rc;
}

void bench_subjects_clear(bench_lab *lab) {
  /* What was started may be under way after a failure. */
  (void)scan_sync(lab->ctx);
  for (size_t i = 0; i < lab->subject_count; i++) {
    bench_subject *s = &lab->subjects[i];
    bench_graph_destroy(s->graph);
    scan_plan_destroy(s->plan);
    if (s->peer_end) s->peer_end(s->peer_state);
  }
  lab->subject_count = 0;
}
