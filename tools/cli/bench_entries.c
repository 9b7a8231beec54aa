/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_entries.c @brief The entries of a case of scans: scans, the copy, peers, and a plain loop. */
#define _POSIX_C_SOURCE 200809L
#include "bench_scan.h"
#include "half.h"
#include "plain_loop.h"
#include "reference.h"

#include <scanrt/scan_difference.h>

/* ---- one call ---- */

static int start_scan(bench_entry *s, uint64_t pair) {
  const bench_state *bench = s->bench;
  const scan_mem in = bench_pair_in(bench, pair), out = bench_pair_out(bench, pair);
  if (!bench_has_plain(bench) || s->manner == BENCH_PLAIN)
    return bench_forward(bench, scan_plan_run(s->plan, s->items ? s->items : bench->n, in, out));
  scan_args args = SCAN_ARGS_INIT(in, out);
  args.marks = bench->buffers.first_mark;
  args.mark_count = bench->buffers.marks.count;
  args.carry_out = bench->buffers.carry.mem;
  return bench_forward(bench, scan_plan_run_args(s->plan, bench->n, &args));
}

static int start_array(bench_entry *s, uint64_t pair) {
  const bench_state *bench = s->bench;
  return bench_forward(bench, scan_plan_run_array(s->plan, bench_pair_in(bench, pair), bench_pair_out(bench, pair)));
}

static int start_peer(bench_entry *s, uint64_t pair) {
  const bench_state *bench = s->bench;
  const scan_mem in = bench_pair_in(bench, pair), out = bench_pair_out(bench, pair);
  if (s->peer->start(s->peer_state, bench_pointer(bench, &in), bench_pointer(bench, &out), bench->stream) == 0)
    return CLI_OK;
  return bench_peer_fail(s->peer, "cannot scan");
}

static int start_empty(bench_entry *s, uint64_t pair) {
  (void)pair;
  return bench_cuda_launch_empty(s->bench->cuda);
}

/* ---- the plain loop ---- */

/** 1 if differences of the type can be measured: not for 16-bit floats and widening types. */
static int has_difference(const bench_state *bench) {
  return !half_is(bench->spec.type) && bench_input_type(&bench->spec) == bench->spec.type;
}

/* 1 if there is a plain loop. It needs distinct input and output, goes forward over one line, and does not widen. */
static int loop_is_there(const bench_state *bench) {
  const scan_spec *spec = &bench->spec;
  if (bench->request->in_place || bench->request->ndim || bench->request->backward) return 0;
  if (bench->request->difference) return has_difference(bench);
  if (bench->segments_kind && (bench->composite || bench_maps(bench) || bench->request->check_overflow)) return 0;
  if (bench->composite) return plain_loop_composite(bench->which, spec->kind, 0, NULL, NULL);
  if (bench_maps(bench)) return 1;
  if (bench_input_type(spec) != spec->type) return 0;
  if (bench->segments_kind) return plain_loop_segmented(spec->type, spec->op, spec->kind, 0, NULL, NULL, NULL, NULL);
  return !half_is(spec->type) || plain_loop_half(spec->type, spec->op, spec->kind, 0, NULL, NULL, NULL);
}

static void loop_scan(const bench_state *bench, const scan_spec *spec, const void *in, void *out) {
  const scan_value seed = reference_seed(spec);
  if (bench->segments_kind)
    (void)plain_loop_segmented(spec->type, spec->op, spec->kind, bench->n, &seed, &bench->buffers.marks, in, out);
  else if (half_is(spec->type))
    (void)plain_loop_half(spec->type, spec->op, spec->kind, bench->n, &seed, in, out);
  else if (bench->request->check_overflow)
    (void)plain_loop_checked(spec->type, spec->op, spec->kind, bench->n, &seed, in, out);
  else
    plain_loop(spec->type, spec->op, spec->kind, bench->n, &seed, in, out);
}

/** Scans the input on the host into the staging memory. */
static int start_loop(bench_entry *s, uint64_t pair) {
  const bench_state *bench = s->bench;
  const scan_spec *spec = &bench->spec;
  (void)pair;
  const void *in = bench->buffers.input.host;
  void *out = bench->buffers.staging.host;
  if (bench->request->difference)
    plain_loop_difference(spec, bench->n, in, out);
  else if (bench->composite)
    (void)plain_loop_composite(bench->which, spec->kind, bench->n, in, out);
  else if (bench_maps(bench))
    plain_loop_mapped(bench->source, spec->kind, NULL, bench->n, in, out);
  else
    loop_scan(bench, spec, in, out);
  return CLI_OK;
}

/* ---- the list ---- */

/** Returns the bytes of input and output. */
static uint64_t plain_bytes(const bench_state *bench) { return bench->buffers.in_bytes + bench->buffers.out_bytes; }

/** Returns the bytes that a call reads and writes, including marks. */
static uint64_t all_bytes(const bench_state *bench) { return plain_bytes(bench) + bench->buffers.marks.bytes; }

const char *bench_plain_name(const bench_state *bench) {
  if (bench->segments_kind) return "flat";
  return bench->request->check_overflow ? "unchecked" : "uncarried";
}

static const char *prefix(const bench_state *bench, bench_manner manner) {
  if (manner == BENCH_PLAIN)
    return bench->segments_kind ? "flat " : bench->request->check_overflow ? "unchecked " : "uncarried ";
  return manner == BENCH_FROM_SOURCE ? "source " : "";
}

/** Appends a scan by a plan. @param[out] added  the entry */
static int add_plan(bench_state *bench, scan_plan *plan, bench_manner manner, int (*start)(bench_entry *, uint64_t),
                    const char *name, bench_entry **added) {
  const uint64_t bytes = manner == BENCH_PLAIN ? plain_bytes(bench) : all_bytes(bench);
  bench_entry *s = bench_add(bench, BENCH_SCAN, start, bytes, "%s%s", prefix(bench, manner), name);
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  const scan_status status = scan_plan_info(plan, &facts);
  s->plan = plan;
  s->manner = manner;
  s->expect = BENCH_EXPECT_CANONICAL;
  s->strategy = facts.strategy;
  s->work = facts.work;
  s->span = facts.span;
  s->tiles = facts.tiles;
  s->tile_items = facts.tile_items;
  *added = s;
  return bench_forward(bench, status);
}

/** Handles an unsupported strategy: if several combinations are measured, skips it with one notice; otherwise fails. */
static int refuse_strategy(bench_state *bench, scan_strategy strategy, bench_manner manner, scan_status status) {
  if (status != SCAN_UNSUPPORTED || bench_combinations(bench->request) == 1)
    return cli_fail_scan(bench->ctx, status, bench->info.selector);
  if (!(bench->reported_strategies[manner] & 1u << strategy))
    cli_say_failure("notice: %s: %s%s is left out: %s", bench->info.selector, prefix(bench, manner),
                    scan_strategy_name(strategy), scan_last_error(bench->ctx));
  bench->reported_strategies[manner] |= 1u << strategy;
  return CLI_OK;
}

static scan_spec spec_of(const bench_state *bench, scan_strategy strategy, bench_manner manner) {
  scan_spec spec = bench->spec;
  if (manner == BENCH_FROM_SOURCE || bench_maps(bench)) {
    spec = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, bench->spec.kind);
    spec.custom_op = bench->custom_op;
    spec.segments = bench->spec.segments;
    spec.key_type = bench->spec.key_type;
    spec.flags = bench->spec.flags;
  }
  if (manner == BENCH_PLAIN) {
    spec.segments = SCAN_SEGMENTS_NONE;
    spec.key_type = SCAN_TYPE_DEFAULT;
    spec.flags &= ~(uint32_t)SCAN_CHECK_OVERFLOW;
  }
  if (bench->request->totals) spec.kind = SCAN_TOTAL;
  spec.strategy = strategy;
  return spec;
}

/** The most elements that --gallery scans sequentially on a GPU, whose one work-item would take seconds for 2^24. */
enum { GALLERY_SEQUENTIAL_ITEMS = 1 << 17 };

/** Returns GALLERY_SEQUENTIAL_ITEMS where that limits a scan of --gallery; else 0. */
static uint64_t gallery_items(const bench_state *bench, scan_strategy strategy) {
  const int on_gpu = bench->info.backend != SCAN_BACKEND_HOST && !bench->info.is_cpu;
  if (!bench->request->gallery || strategy != SCAN_STRATEGY_SEQUENTIAL || !on_gpu) return 0;
  return bench->n > GALLERY_SEQUENTIAL_ITEMS ? GALLERY_SEQUENTIAL_ITEMS : 0;
}

static int add_scan(bench_state *bench, scan_strategy strategy, bench_manner manner) {
  const uint64_t items = gallery_items(bench, strategy);
  if (items && (bench->segments_kind || bench->composite || bench->request->backward)) return CLI_OK;
  const scan_spec spec = spec_of(bench, strategy, manner);
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(bench->ctx, &spec, items ? items : bench->n, &plan);
  if (status != SCAN_SUCCESS) return refuse_strategy(bench, strategy, manner, status);
  bench_entry *s = NULL;
  const int rc = add_plan(bench, plan, manner, start_scan, scan_strategy_name(strategy), &s);
  if (strategy == SCAN_STRATEGY_SEQUENTIAL) s->expect = BENCH_EXPECT_SEQUENTIAL;
  s->items = items;
  if (items) s->bytes = s->bytes / bench->n * items;
  if (strategy != SCAN_STRATEGY_SEQUENTIAL && !scan_strategy_is_canonical(strategy)) s->expect = BENCH_EXPECT_CLOSE;
  if (strategy == SCAN_STRATEGY_AUTO)
    snprintf(s->label, sizeof s->label, "%s%s (auto)", prefix(bench, manner), scan_strategy_name(s->strategy));
  return rc;
}

/** Appends the difference, which has no strategies. */
static int add_difference(bench_state *bench) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create_adjacent_difference(bench->ctx, &bench->spec, bench->n, &plan);
  if (status != SCAN_SUCCESS) return refuse_strategy(bench, SCAN_STRATEGY_AUTO, BENCH_BUILT_IN, status);
  bench_entry *s = bench_add(bench, BENCH_SCAN, start_scan, all_bytes(bench), "difference");
  s->plan = plan;
  s->expect = BENCH_EXPECT_CANONICAL;
  return CLI_OK;
}

/** Appends the scan of the array's lines along one axis. */
static int add_axis(bench_state *bench, int axis, bench_manner manner) {
  const bench_request *r = bench->request;
  const scan_spec spec = spec_of(bench, SCAN_STRATEGY_AUTO, manner);
  scan_array array = SCAN_ARRAY_INIT;
  scan_plan *plan = NULL;
  char name[16];
  if (scan_array_packed(&spec, r->ndim, r->shape, (uint32_t)axis, &array) != SCAN_SUCCESS)
    return cli_fail("--shape: %s", scan_last_error(NULL));
  const scan_status status = scan_plan_create_array(bench->ctx, &spec, &array, &plan);
  if (status != SCAN_SUCCESS) return refuse_strategy(bench, SCAN_STRATEGY_AUTO, manner, status);
  snprintf(name, sizeof name, "axis %d", axis);
  bench_entry *s = NULL;
  const int rc = add_plan(bench, plan, manner, start_array, name, &s);
  s->axis = axis;
  if (r->totals) s->bytes = bench->buffers.in_bytes + bench_totals(bench, axis) * bench_item_bytes(bench);
  return rc;
}

/** Appends the total of all elements as one line, which reads as fast as the device does. */
static int add_reading(bench_state *bench) {
  bench_entry *const s = &bench->entries[bench->entry_count];
  const int rc = add_scan(bench, SCAN_STRATEGY_AUTO, BENCH_BUILT_IN);
  if (rc == CLI_OK) snprintf(s->label, sizeof s->label, "all as one line");
  if (rc == CLI_OK) s->bytes = bench->buffers.in_bytes + bench_item_bytes(bench);
  return rc;
}

static int add_peer(bench_state *bench, const bench_peer *peer) {
  bench_peer_case what = { .input_type = bench_input_type(&bench->spec),
                           .type = bench->spec.type,
                           .op = bench->spec.op,
                           .kind = bench->spec.kind,
                           .n = bench->n,
                           .segments = bench->segments_kind,
                           .segment_type = bench->spec.key_type,
                           .marks = bench_pointer(bench, &bench->buffers.first_mark),
                           .composite = bench->composite ? bench->which : SCAN_COMPOSITE_NONE };
  if (!bench->composite) what.seed = reference_seed(&bench->spec);
  for (; what.variant < BENCH_PEER_MOST_VARIANTS; what.variant++) {
    void *state = NULL;
    if (!peer->supports(&what)) break;
    if (peer->prepare(&what, &state) != 0) return bench_peer_unprepared(bench, peer, "cannot prepare a scan");
    bench_add_peer(bench, peer, start_peer, all_bytes(bench), state, peer->destroy)->expect = BENCH_EXPECT_CLOSE;
  }
  return CLI_OK;
}

static void add_host_work(bench_state *bench) {
  const bench_buffers *b = &bench->buffers;
  const uint64_t bytes = all_bytes(bench);
  int on_processor = bench->info.backend == SCAN_BACKEND_HOST || bench->info.is_cpu;
  if (!on_processor || bench->mode != BENCH_EAGER) return;
  if (loop_is_there(bench)) bench_add(bench, BENCH_LOOP, start_loop, bytes, "plain loop");
  bench_add_memcpy(bench, 0, bytes, &b->input, &b->staging);
  if (bench->copier) bench_add_memcpy(bench, 1, bytes, &b->input, &b->staging);
}

static int add_scans(bench_state *bench) {
  const bench_request *r = bench->request;
  const int has_built_in = !bench_maps(bench) && !r->ndim && !r->difference && !(bench->cold && bench->source);
  int rc = CLI_OK;
  if (r->difference) rc = add_difference(bench);
  if (r->totals) rc = add_reading(bench);
  for (size_t i = 0; i < r->strategy_count && rc == CLI_OK && has_built_in; i++)
    rc = add_scan(bench, r->strategies[i], BENCH_BUILT_IN);
  for (size_t i = 0; i < r->strategy_count && rc == CLI_OK && bench->source && !r->ndim; i++)
    rc = add_scan(bench, r->strategies[i], BENCH_FROM_SOURCE);
  for (int axis = 0; axis < (int)r->ndim && rc == CLI_OK; axis++)
    if (r->axes >> axis & 1) {
      rc = add_axis(bench, axis, BENCH_BUILT_IN);
      if (rc == CLI_OK && bench->source) rc = add_axis(bench, axis, BENCH_FROM_SOURCE);
    }
  return rc;
}

/** Appends the scans again, in the one-thread context. */
static int add_one_thread(bench_state *bench) {
  const size_t first = bench->entry_count;
  if (!bench->one) return CLI_OK;
  bench_beside_swap(bench);
  const int rc = add_scans(bench);
  bench_beside_swap(bench);
  for (size_t i = first; i < bench->entry_count; i++) bench_beside_mark(&bench->entries[i]);
  return rc;
}

int bench_scan_list(bench_state *bench) {
  const bench_request *r = bench->request;
  const bench_buffers *b = &bench->buffers;
  int rc = add_scans(bench);
  if (rc != CLI_OK || bench->entry_count == 0 || bench->cold) return rc;
  rc = add_one_thread(bench);
  if (rc == CLI_OK && bench_has_plain(bench)) rc = add_scan(bench, SCAN_STRATEGY_AUTO, BENCH_PLAIN);
  if (rc != CLI_OK) return rc;
  /* Copies from the begin of the buffers: offsets apply to the scans only, and the copy is the upper limit. */
  bench_add_copy(bench, "copy", all_bytes(bench), &b->in, &b->out);
  if (bench->segments_kind) bench_add_copy(bench, "flat copy", plain_bytes(bench), &b->in, &b->out);
  if (!r->ndim && !r->backward && !bench_maps(bench) && !r->check_overflow && !r->difference) /* not in peers */
    for (size_t i = 0; i < bench->peer_count && rc == CLI_OK; i++) rc = add_peer(bench, bench->peers[i]);
  add_host_work(bench);
  if (bench->mode == BENCH_HOST && bench->cuda)
    bench_add(bench, BENCH_EMPTY, start_empty, 0, "empty kernel")->expect = BENCH_EXPECT_NOTHING;
  return rc;
}
