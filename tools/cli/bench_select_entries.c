/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_entries.c @brief The entries of `scanrt bench --select`: a plan, the copy, peers, a plain
 * loop. */
#define _POSIX_C_SOURCE 200809L
#include "bench_select.h"

#include <string.h>

/** Counts the marks, all inputs, and the elements written. */
uint64_t select_bytes(const select_state *bench) {
  const uint64_t written = bench->rest == SCAN_REST_DROPPED ? bench->truth.kept : bench->n;
  uint64_t bytes = bench->marks_bytes;
  for (uint32_t a = 0; a < bench->outputs; a++)
    bytes += bench->item_bytes[a] * (written + (a < bench->inputs ? bench->n : 0));
  return bytes;
}

/* ---- one call ---- */

static scan_status run_plan(const select_state *bench, scan_plan *plan) {
  if (select_computes(bench->by)) return select_runs_start(bench, plan);
  if (bench->by == BENCH_SELECT_PARTITION3) return select_partition_start(bench, plan);
  return scan_plan_run_select(plan, bench->n, &bench->args);
}

static int start_plan(bench_entry *s, uint64_t pair) {
  (void)pair;
  const select_state *bench = (const select_state *)s->bench;
  return bench_forward(&bench->base, run_plan(bench, s->one_thread ? bench->one_plan : bench->plan));
}

/** Runs in place over the outputs, which hold a copy of the input. */
static int start_in_place(bench_entry *s, uint64_t pair) {
  const select_state *bench = (const select_state *)s->bench;
  scan_select_args args = bench->args;
  (void)pair;
  for (uint32_t a = 0; a < bench->outputs; a++) args.in[a] = args.out[a];
  return bench_forward(&bench->base, scan_plan_run_select(bench->placed_plan, bench->n, &args));
}

static int start_loop(bench_entry *s, uint64_t pair) {
  const select_state *bench = (const select_state *)s->bench;
  const uint64_t kept = select_loop_run(&bench->loop);
  (void)pair;
  memcpy(bench->count.host, &kept, sizeof kept);
  return CLI_OK;
}

static int start_peer(bench_entry *s, uint64_t pair) {
  const select_state *bench = (const select_state *)s->bench;
  bench_select_memory memory = { .marks = bench_pointer(&bench->base, &bench->args.marks) };
  scan_mem second[SCAN_SELECT_MOST_ARRAYS];
  (void)pair;
  for (uint32_t a = 0; a < bench->outputs; a++) {
    if (a < bench->inputs) memory.in[a] = bench_pointer(&bench->base, &bench->args.in[a]);
    memory.out[a] = bench_pointer(&bench->base, &bench->args.out[a]);
    memory.rest[a] = bench_pointer(&bench->base, &bench->args.rest[a]);
    second[a] = scan_offset(bench->middle.mem, bench->at[a]);
    if (bench->second.words) memory.second[a] = bench_pointer(&bench->base, &second[a]);
  }
  memory.count = (uint64_t *)bench_pointer(&bench->base, &bench->args.count);
  if (s->peer->select->start(s->peer_state, &memory, bench->base.stream) == 0) return CLI_OK;
  return bench_peer_fail(s->peer, "cannot compact");
}

/* ---- the list ---- */

static bench_entry *entry_add(select_state *bench, bench_role role, int (*start)(bench_entry *, uint64_t),
                              const char *label) {
  return bench_add(&bench->base, role, start, select_bytes(bench), "%s", label);
}

/** Returns the comparison for an entry that may sum in another order than the library. */
static bench_expect own_order(const select_state *bench) {
  return select_runs_round(bench) ? BENCH_EXPECT_CLOSE : BENCH_EXPECT_SEQUENTIAL;
}

static int add_peer(select_state *bench, const bench_peer *peer) {
  bench_select_case what = { .by = bench->by,
                             .rest = bench->rest,
                             .looked_bytes = bench->looked_bytes,
                             .threshold = bench->threshold,
                             .second_threshold = bench->second_threshold,
                             .type = bench->base.spec.type,
                             .op = bench->base.spec.op,
                             .arrays = bench->payload->arrays,
                             .n = bench->n };
  memcpy(what.element_bytes, bench->payload->bytes, sizeof what.element_bytes);
  for (; what.variant < BENCH_PEER_MOST_VARIANTS; what.variant++) {
    void *state = NULL;
    if (!peer->select || !peer->select->supports(&what)) break;
    if (peer->select->prepare(&what, &state) != 0)
      return bench_peer_unprepared(&bench->base, peer, "cannot prepare a compaction");
    bench_add_peer(&bench->base, peer, start_peer, select_bytes(bench), state, peer->select->destroy)->expect =
        own_order(bench);
  }
  return CLI_OK;
}

/** Appends the copy. On the host it copies as many bytes as a compaction moves, if the buffers have as many. */
static void add_copy(select_state *bench) {
  const uint64_t moved = select_bytes(bench) / 2 * 2, all = 2 * bench->out_bytes;
  const int is_host = bench->base.info.backend == SCAN_BACKEND_HOST;
  bench_add_limit(&bench->base, is_host && moved < all ? moved : all, &bench->in, &bench->out);
}

/** Appends the plain loop, which moves one array. */
static void add_loop(select_state *bench) {
  const select_payload *p = bench->payload;
  bench->loop = (select_loop){ .by = bench->by,
                               .rest = bench->rest,
                               .item_bytes = p->arrays ? p->bytes[0] : 0,
                               .threshold = bench->threshold,
                               .second_threshold = bench->second_threshold,
                               .n = bench->n,
                               .in = bench->in.host,
                               .marks = bench->marks.host,
                               .out = bench->out.host,
                               .rest_out = bench->others.host,
                               .second_out = bench->middle.host,
                               .counts = (uint64_t *)bench->count.host };
  if (select_computes(bench->by)) {
    bench->loop.type = bench->base.spec.type;
    bench->loop.values = (char *)bench->in.host + bench->at[1];
    bench->loop.computed = (char *)bench->out.host + bench->at[1];
  }
  if (p->arrays > 1 || !select_loop_is_there(&bench->loop)) return;
  if (bench->by == BENCH_SELECT_REDUCE && bench->base.spec.op != SCAN_ADD) return;
  entry_add(bench, BENCH_LOOP, start_loop, "plain loop")->expect = own_order(bench);
}

static const char *call_name(uint32_t by) {
  if (by == BENCH_SELECT_RUN_LENGTHS) return "scan_run_length_encode";
  if (by == BENCH_SELECT_PARTITION3) return "scan_partition3";
  return by == BENCH_SELECT_REDUCE ? "scan_reduce_by_key" : "scan_select";
}

int select_entries_list(bench_state *base) {
  select_state *bench = (select_state *)base;
  int rc = CLI_OK;
  bench->base.entry_count = 0;
  entry_add(bench, BENCH_SCAN, start_plan, call_name(bench->by));
  if (bench->base.cold) return CLI_OK;
  if (bench->one_plan) bench_beside_mark(entry_add(bench, BENCH_SCAN, start_plan, ""));
  if (bench->placed_plan)
    bench_restored(entry_add(bench, BENCH_SCAN, start_in_place, "scan_select in place"), &bench->in, &bench->out);
  add_copy(bench);
  if (bench->base.info.backend == SCAN_BACKEND_HOST) add_loop(bench);
  for (size_t i = 0; i < bench->base.peer_count && rc == CLI_OK; i++) rc = add_peer(bench, bench->base.peers[i]);
  return rc;
}
