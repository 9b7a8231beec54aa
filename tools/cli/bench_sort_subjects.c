/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort_subjects.c @brief The subjects of `scanrt bench --sort`: a plan, the copy, peers, a plain loop. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"

/** Returns the bytes that the passes read and write, and one more read of the keys. An argsort's first pass reads no
 * indices, and its last writes no keys. */
static uint64_t bytes_of(const sorting_lab *lab) {
  const uint64_t passes = lab->passes ? lab->passes : 1, keys = lab->key_bytes, values = lab->sort.value_bytes;
  const uint64_t spared = lab->sort.what == BENCH_SORT_ARGSORT ? keys + values : 0;
  return lab->n * (passes * 2 * (keys + values) - spared + keys);
}

/* ---- one call ---- */

static scan_sort_args args_of(const sorting_lab *lab) {
  const scan_mem values_in = scan_offset(lab->in.mem, lab->values_at);
  const scan_mem values_out = scan_offset(lab->out.mem, lab->values_at);
  switch (lab->sort.what) {
  case BENCH_SORT_KEYS: return (scan_sort_args)SCAN_SORT_ARGS_INIT(lab->in.mem, lab->out.mem);
  case BENCH_SORT_ARGSORT: return (scan_sort_args)SCAN_SORT_INDEX_ARGS_INIT(lab->in.mem, values_out);
  default: return (scan_sort_args)SCAN_SORT_PAIRS_ARGS_INIT(lab->in.mem, lab->out.mem, values_in, values_out);
  }
}

scan_sort_args sorting_args(const sorting_lab *lab) {
  scan_sort_args args = args_of(lab);
  args.segments = bench_sort_segments(&lab->sort);
  if (args.segments) args.offsets = lab->offsets.mem;
  return args;
}

static int start_plan(bench_subject *s, uint64_t pair) {
  const sorting_lab *lab = (const sorting_lab *)s->lab;
  const scan_sort_args args = sorting_args(lab);
  (void)pair;
  return bench_forward(&lab->base, scan_plan_run_sort(s->one_thread ? lab->one_plan : lab->plan, lab->n, &args));
}

/** Sorts in place over the outputs, which hold a copy of the input. */
static int start_in_place(bench_subject *s, uint64_t pair) {
  const sorting_lab *lab = (const sorting_lab *)s->lab;
  scan_sort_args args = sorting_args(lab);
  (void)pair;
  args.keys_in = args.keys_out;
  if (args.in[0].kind != SCAN_MEM_NONE) args.in[0] = args.out[0];
  return bench_forward(&lab->base, scan_plan_run_sort(lab->placed_plan, lab->n, &args));
}

/** Runs the plain loop. It writes keys in every case, also those that an argsort does not return. */
static int start_loop(bench_subject *s, uint64_t pair) {
  const sorting_lab *lab = (const sorting_lab *)s->lab;
  char *in = (char *)lab->in.host, *out = (char *)lab->out.host, *spare = (char *)lab->spare.host;
  const sorting_loop loop = { .key_type = lab->sort.key_type,
                              .value_bytes = lab->sort.value_bytes,
                              .descending = lab->sort.descending,
                              .first_bit = lab->sort.first_bit,
                              .end_bit = lab->sort.end_bit,
                              .n = lab->n,
                              .keys_in = in,
                              .values_in = lab->sort.what == BENCH_SORT_PAIRS ? in + lab->values_at : NULL,
                              .keys_out = out,
                              .values_out = out + lab->values_at,
                              .keys = spare,
                              .values = spare + lab->values_at };
  (void)pair;
  if (lab->sort.what == BENCH_SORT_HISTOGRAM)
    sorting_loop_count(&loop, (uint64_t *)lab->counts.host);
  else
    sorting_loop_run(&loop);
  return CLI_OK;
}

static int start_peer(bench_subject *s, uint64_t pair) {
  const sorting_lab *lab = (const sorting_lab *)s->lab;
  char *in = bench_pointer(&lab->base, lab->in.mem), *out = bench_pointer(&lab->base, lab->out.mem);
  bench_sort_memory memory = { .keys_in = in };
  const uint32_t what = lab->sort.what;
  (void)pair;
  if (what == BENCH_SORT_HISTOGRAM) memory.counts = (uint64_t *)bench_pointer(&lab->base, lab->counts.mem);
  if (lab->sort.segment_items) memory.offsets = bench_pointer(&lab->base, lab->offsets.mem);
  if (what == BENCH_SORT_KEYS || what == BENCH_SORT_PAIRS) memory.keys_out = out;
  if (what == BENCH_SORT_PAIRS) memory.values_in = in + lab->values_at;
  if (what == BENCH_SORT_PAIRS || what == BENCH_SORT_ARGSORT) memory.values_out = out + lab->values_at;
  if (s->peer->sort->start(s->peer_state, &memory, lab->base.stream) == 0) return CLI_OK;
  return bench_peer_fail(s->peer, "cannot sort");
}

/* ---- the list ---- */

static bench_subject *add(sorting_lab *lab, bench_role role, int (*start)(bench_subject *, uint64_t),
                          const char *label) {
  return bench_add(&lab->base, role, start, lab->moved_bytes, "%s", label);
}

static int add_way(sorting_lab *lab, const bench_peer *peer, int way) {
  const char *name = peer->sort->ways[way];
  void *state = NULL;
  if (!peer->sort->supports(&lab->sort, way) || lab->base.subject_count == BENCH_MAX_SUBJECTS) return CLI_OK;
  if (peer->sort->prepare(&lab->sort, way, &state) != 0) return bench_peer_fail(peer, "cannot prepare a sort");
  bench_subject *s = bench_add_peer(&lab->base, peer, start_peer, lab->moved_bytes, state, peer->sort->destroy);
  if (*name) snprintf(s->label, sizeof s->label, "%s %s, %s", peer->name, peer->release, name);
  return CLI_OK;
}

static void add_sorts(sorting_lab *lab) {
  lab->moved_bytes = bytes_of(lab);
  add(lab, BENCH_SCAN, start_plan, "scan_sort");
  if (lab->one_plan) bench_beside_mark(add(lab, BENCH_SCAN, start_plan, ""));
  if (lab->placed_plan && !lab->base.cold)
    bench_restored(add(lab, BENCH_SCAN, start_in_place, "scan_sort in place"), &lab->in, &lab->out);
}

static const char *loop_name(const sorting_lab *lab) {
  if (!sorting_is_split(lab->request)) return "plain radix sort";
  return lab->sort.what == BENCH_SORT_HISTOGRAM ? "plain histogram" : "plain split";
}

int sorting_subjects_list(bench_lab *base) {
  sorting_lab *lab = (sorting_lab *)base;
  int rc = CLI_OK;
  lab->base.subject_count = 0;
  if (sorting_is_split(lab->request))
    sorting_split_subjects(lab);
  else
    add_sorts(lab);
  if (lab->base.cold) return CLI_OK;
  bench_add_limit(&lab->base, 2 * lab->bytes, &lab->in, &lab->out);
  if (lab->words != 1) return CLI_OK; /* peers and the plain loop do not support keys of two words */
  if (lab->base.info.backend == SCAN_BACKEND_HOST && !lab->sort.segment_items)
    add(lab, BENCH_LOOP, start_loop, loop_name(lab));
  for (size_t i = 0; i < lab->base.peer_count && rc == CLI_OK; i++) {
    const bench_peer *peer = lab->base.peers[i];
    for (int way = 0; peer->sort && peer->sort->ways[way] && rc == CLI_OK; way++) rc = add_way(lab, peer, way);
  }
  return rc;
}
