/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort_entries.c @brief The entries of `scanrt bench --sort`: a plan, the copy, peers, a plain loop. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"

/** Returns the bytes that the passes read and write, and one more read of the keys. An argsort's first pass reads no
 * indices, and its last writes no keys. */
static uint64_t bytes_of(const sorting_state *bench) {
  const uint64_t passes = bench->passes ? bench->passes : 1, keys = bench->key_bytes, values = bench->sort.value_bytes;
  const uint64_t spared = bench->sort.what == BENCH_SORT_ARGSORT ? keys + values : 0;
  return bench->n * (passes * 2 * (keys + values) - spared + keys);
}

/* ---- one call ---- */

static scan_sort_args args_of(const sorting_state *bench) {
  const scan_mem values_in = scan_offset(bench->in.mem, bench->values_at);
  const scan_mem values_out = scan_offset(bench->out.mem, bench->values_at);
  switch (bench->sort.what) {
  case BENCH_SORT_KEYS: return (scan_sort_args)SCAN_SORT_ARGS_INIT(bench->in.mem, bench->out.mem);
  case BENCH_SORT_ARGSORT: return (scan_sort_args)SCAN_SORT_INDEX_ARGS_INIT(bench->in.mem, values_out);
  default: return (scan_sort_args)SCAN_SORT_PAIRS_ARGS_INIT(bench->in.mem, bench->out.mem, values_in, values_out);
  }
}

scan_sort_args sorting_args(const sorting_state *bench) {
  scan_sort_args args = args_of(bench);
  args.segments = bench_sort_segments(&bench->sort);
  if (args.segments) args.offsets = bench->offsets.mem;
  return args;
}

static int start_plan(bench_entry *s, uint64_t pair) {
  const sorting_state *bench = (const sorting_state *)s->bench;
  const scan_sort_args args = sorting_args(bench);
  (void)pair;
  return bench_forward(&bench->base,
                       scan_plan_run_sort(s->one_thread ? bench->one_plan : bench->plan, bench->n, &args));
}

/** Sorts in place over the outputs, which hold a copy of the input. */
static int start_in_place(bench_entry *s, uint64_t pair) {
  const sorting_state *bench = (const sorting_state *)s->bench;
  scan_sort_args args = sorting_args(bench);
  (void)pair;
  args.keys_in = args.keys_out;
  if (args.in[0].kind != SCAN_MEM_NONE) args.in[0] = args.out[0];
  return bench_forward(&bench->base, scan_plan_run_sort(bench->placed_plan, bench->n, &args));
}

/** Runs the plain loop. It writes keys in every case, also those that an argsort does not return. */
static int start_loop(bench_entry *s, uint64_t pair) {
  const sorting_state *bench = (const sorting_state *)s->bench;
  char *in = (char *)bench->in.host, *out = (char *)bench->out.host, *spare = (char *)bench->spare.host;
  const sorting_loop loop = { .key_type = bench->sort.key_type,
                              .value_bytes = bench->sort.value_bytes,
                              .descending = bench->sort.descending,
                              .first_bit = bench->sort.first_bit,
                              .end_bit = bench->sort.end_bit,
                              .n = bench->n,
                              .keys_in = in,
                              .values_in = bench->sort.what == BENCH_SORT_PAIRS ? in + bench->values_at : NULL,
                              .keys_out = out,
                              .values_out = out + bench->values_at,
                              .keys = spare,
                              .values = spare + bench->values_at };
  (void)pair;
  if (bench->sort.what == BENCH_SORT_HISTOGRAM)
    sorting_loop_count(&loop, (uint64_t *)bench->counts.host);
  else
    sorting_loop_run(&loop);
  return CLI_OK;
}

static int start_peer(bench_entry *s, uint64_t pair) {
  const sorting_state *bench = (const sorting_state *)s->bench;
  const scan_mem values_in = scan_offset(bench->in.mem, bench->values_at);
  const scan_mem values_out = scan_offset(bench->out.mem, bench->values_at);
  bench_sort_memory memory = { .keys_in = bench_pointer(&bench->base, &bench->in.mem) };
  const uint32_t what = bench->sort.what;
  (void)pair;
  if (what == BENCH_SORT_HISTOGRAM) memory.counts = (uint64_t *)bench_pointer(&bench->base, &bench->counts.mem);
  if (bench->sort.segment_items) memory.offsets = bench_pointer(&bench->base, &bench->offsets.mem);
  if (what == BENCH_SORT_KEYS || what == BENCH_SORT_PAIRS)
    memory.keys_out = bench_pointer(&bench->base, &bench->out.mem);
  if (what == BENCH_SORT_PAIRS) memory.values_in = bench_pointer(&bench->base, &values_in);
  if (what == BENCH_SORT_PAIRS || what == BENCH_SORT_ARGSORT)
    memory.values_out = bench_pointer(&bench->base, &values_out);
  if (s->peer->sort->start(s->peer_state, &memory, bench->base.stream) == 0) return CLI_OK;
  return bench_peer_fail(s->peer, "cannot sort");
}

/* ---- the list ---- */

static bench_entry *entry_add(sorting_state *bench, bench_role role, int (*start)(bench_entry *, uint64_t),
                              const char *label) {
  return bench_add(&bench->base, role, start, bench->moved_bytes, "%s", label);
}

static int add_variant(sorting_state *bench, const bench_peer *peer, int variant) {
  const char *name = peer->sort->variants[variant];
  void *state = NULL;
  if (!peer->sort->supports(&bench->sort, variant) || bench->base.entry_count == BENCH_MAX_ENTRIES) return CLI_OK;
  if (peer->sort->prepare(&bench->sort, variant, &state) != 0)
    return bench_peer_unprepared(&bench->base, peer, "cannot prepare a sort");
  bench_entry *s = bench_add_peer(&bench->base, peer, start_peer, bench->moved_bytes, state, peer->sort->destroy);
  if (*name) snprintf(s->label, sizeof s->label, "%s %s, %s", peer->name, peer->release, name);
  return CLI_OK;
}

static void add_sorts(sorting_state *bench) {
  bench->moved_bytes = bytes_of(bench);
  entry_add(bench, BENCH_SCAN, start_plan, "scan_sort");
  if (bench->one_plan) bench_beside_mark(entry_add(bench, BENCH_SCAN, start_plan, ""));
  if (bench->placed_plan && !bench->base.cold)
    bench_restored(entry_add(bench, BENCH_SCAN, start_in_place, "scan_sort in place"), &bench->in, &bench->out);
}

static const char *loop_name(const sorting_state *bench) {
  if (!sorting_is_split(bench->request)) return "plain radix sort";
  return bench->sort.what == BENCH_SORT_HISTOGRAM ? "plain histogram" : "plain split";
}

int sorting_entries_list(bench_state *base) {
  sorting_state *bench = (sorting_state *)base;
  int rc = CLI_OK;
  bench->base.entry_count = 0;
  if (sorting_is_split(bench->request))
    sorting_split_entries(bench);
  else
    add_sorts(bench);
  if (bench->base.cold) return CLI_OK;
  bench_add_limit(&bench->base, 2 * bench->bytes, &bench->in, &bench->out);
  if (bench->words != 1) return CLI_OK; /* peers and the plain loop do not support keys of two words */
  if (bench->base.info.backend == SCAN_BACKEND_HOST && !bench->sort.segment_items)
    entry_add(bench, BENCH_LOOP, start_loop, loop_name(bench));
  for (size_t i = 0; i < bench->base.peer_count && rc == CLI_OK; i++) {
    const bench_peer *peer = bench->base.peers[i];
    for (int variant = 0; peer->sort && peer->sort->variants[variant] && rc == CLI_OK; variant++)
      rc = add_variant(bench, peer, variant);
  }
  return rc;
}
