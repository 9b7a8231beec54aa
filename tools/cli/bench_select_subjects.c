/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_subjects.c @brief The subjects of `scanrt bench --select`: a plan, the copy, peers, a plain
 * loop. */
#define _POSIX_C_SOURCE 200809L
#include "bench_select.h"

#include <string.h>

/** Counts the marks, all inputs, and the elements written. */
uint64_t select_bytes(const select_lab *lab) {
  const uint64_t written = lab->rest == SCAN_REST_DROPPED ? lab->truth.kept : lab->n;
  uint64_t bytes = lab->marks_bytes;
  for (uint32_t a = 0; a < lab->outputs; a++) bytes += lab->item_bytes[a] * (written + (a < lab->inputs ? lab->n : 0));
  return bytes;
}

/* ---- one call ---- */

static scan_status run_plan(const select_lab *lab, scan_plan *plan) {
  if (select_computes(lab->by)) return select_runs_start(lab, plan);
  if (lab->by == BENCH_SELECT_PARTITION3) return select_partition_start(lab, plan);
  return scan_plan_run_select(plan, lab->n, &lab->args);
}

static int start_plan(bench_subject *s, uint64_t pair) {
  (void)pair;
  const select_lab *lab = (const select_lab *)s->lab;
  return bench_forward(&lab->base, run_plan(lab, s->one_thread ? lab->one_plan : lab->plan));
}

/** Runs in place over the outputs, which hold a copy of the input. */
static int start_in_place(bench_subject *s, uint64_t pair) {
  const select_lab *lab = (const select_lab *)s->lab;
  scan_select_args args = lab->args;
  (void)pair;
  for (uint32_t a = 0; a < lab->outputs; a++) args.in[a] = args.out[a];
  return bench_forward(&lab->base, scan_plan_run_select(lab->placed_plan, lab->n, &args));
}

static int start_loop(bench_subject *s, uint64_t pair) {
  const select_lab *lab = (const select_lab *)s->lab;
  const uint64_t kept = select_loop_run(&lab->loop);
  (void)pair;
  memcpy(lab->count.host, &kept, sizeof kept);
  return CLI_OK;
}

static int start_peer(bench_subject *s, uint64_t pair) {
  const select_lab *lab = (const select_lab *)s->lab;
  bench_select_memory memory = { .marks = bench_pointer(&lab->base, lab->args.marks) };
  (void)pair;
  for (uint32_t a = 0; a < lab->outputs; a++) {
    if (a < lab->inputs) memory.in[a] = bench_pointer(&lab->base, lab->args.in[a]);
    memory.out[a] = bench_pointer(&lab->base, lab->args.out[a]);
    memory.rest[a] = bench_pointer(&lab->base, lab->args.rest[a]);
    if (lab->second.words) memory.second[a] = bench_pointer(&lab->base, scan_offset(lab->middle.mem, lab->at[a]));
  }
  memory.count = (uint64_t *)bench_pointer(&lab->base, lab->args.count);
  if (s->peer->select->start(s->peer_state, &memory, lab->base.stream) == 0) return CLI_OK;
  return bench_peer_fail(s->peer, "cannot compact");
}

/* ---- the list ---- */

static bench_subject *add(select_lab *lab, bench_role role, int (*start)(bench_subject *, uint64_t),
                          const char *label) {
  return bench_add(&lab->base, role, start, select_bytes(lab), "%s", label);
}

/** Returns the comparison for a subject that may sum in another order than the library. */
static bench_expect own_order(const select_lab *lab) {
  return select_runs_round(lab) ? BENCH_EXPECT_CLOSE : BENCH_EXPECT_SEQUENTIAL;
}

static int add_peer(select_lab *lab, const bench_peer *peer) {
  bench_select_case what = { .by = lab->by,
                             .rest = lab->rest,
                             .looked_bytes = lab->looked_bytes,
                             .threshold = lab->threshold,
                             .second_threshold = lab->second_threshold,
                             .type = lab->base.spec.type,
                             .op = lab->base.spec.op,
                             .arrays = lab->payload->arrays,
                             .n = lab->n };
  void *state = NULL;
  memcpy(what.element_bytes, lab->payload->bytes, sizeof what.element_bytes);
  if (!peer->select || !peer->select->supports(&what)) return CLI_OK;
  if (peer->select->prepare(&what, &state) != 0) return bench_peer_fail(peer, "cannot prepare a compaction");
  bench_add_peer(&lab->base, peer, start_peer, select_bytes(lab), state, peer->select->destroy)->expect =
      own_order(lab);
  return CLI_OK;
}

/** Appends the copy. On the host it copies as many bytes as a compaction moves, if the buffers have as many. */
static void add_copy(select_lab *lab) {
  const uint64_t moved = select_bytes(lab) / 2 * 2, all = 2 * lab->out_bytes;
  const int is_host = lab->base.info.backend == SCAN_BACKEND_HOST;
  bench_add_limit(&lab->base, is_host && moved < all ? moved : all, &lab->in, &lab->out);
}

/** Appends the plain loop, which moves one array. */
static void add_loop(select_lab *lab) {
  const select_payload *p = lab->payload;
  lab->loop = (select_loop){ .by = lab->by,
                             .rest = lab->rest,
                             .item_bytes = p->arrays ? p->bytes[0] : 0,
                             .threshold = lab->threshold,
                             .second_threshold = lab->second_threshold,
                             .n = lab->n,
                             .in = lab->in.host,
                             .marks = lab->marks.host,
                             .out = lab->out.host,
                             .rest_out = lab->others.host,
                             .second_out = lab->middle.host,
                             .counts = (uint64_t *)lab->count.host };
  if (select_computes(lab->by)) {
    lab->loop.type = lab->base.spec.type;
    lab->loop.values = (char *)lab->in.host + lab->at[1];
    lab->loop.computed = (char *)lab->out.host + lab->at[1];
  }
  if (p->arrays > 1 || !select_loop_is_there(&lab->loop)) return;
  if (lab->by == BENCH_SELECT_REDUCE && lab->base.spec.op != SCAN_ADD) return;
  add(lab, BENCH_LOOP, start_loop, "plain loop")->expect = own_order(lab);
}

static const char *call_name(uint32_t by) {
  if (by == BENCH_SELECT_RUN_LENGTHS) return "scan_run_length_encode";
  if (by == BENCH_SELECT_PARTITION3) return "scan_partition3";
  return by == BENCH_SELECT_REDUCE ? "scan_reduce_by_key" : "scan_select";
}

int select_subjects_list(bench_lab *base) {
  select_lab *lab = (select_lab *)base;
  int rc = CLI_OK;
  lab->base.subject_count = 0;
  add(lab, BENCH_SCAN, start_plan, call_name(lab->by));
  if (lab->base.cold) return CLI_OK;
  if (lab->one_plan) bench_beside_mark(add(lab, BENCH_SCAN, start_plan, ""));
  if (lab->placed_plan)
    bench_restored(add(lab, BENCH_SCAN, start_in_place, "scan_select in place"), &lab->in, &lab->out);
  add_copy(lab);
  if (lab->base.info.backend == SCAN_BACKEND_HOST) add_loop(lab);
  for (size_t i = 0; i < lab->base.peer_count && rc == CLI_OK; i++) rc = add_peer(lab, lab->base.peers[i]);
  return rc;
}
