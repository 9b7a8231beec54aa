/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests MPI calls that fail: every rank gets the status, the call's name and MPI's text, no rank hangs, and nothing is
 * left for the next call. mpi_faults.c intercepts the library's calls. $SCANRT_SWEEP_MOST is the most calls of each
 * scenario that fail, evenly spread; 0, the default: all. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi_runs.h>
#include <scanrt/scan_mpi_sort.h>

#include "group.h"
#include "mpi/mpi.h"
#include "mpi_faults.h"

enum { N = 5000 };

/* ---- calls of the library ---- */

static float in[N], out[N], sorted_out[N];
static int by_plan; /* 1: calls that have plans make one, run it twice, and destroy it */

/* Runs the plan of the kind twice, if it was made, and destroys it. `run` is a call of a plan. */
#define RUN_PLAN(status, plan, run)                                                                                    \
  do {                                                                                                                 \
    for (int run_ = 0; run_ < 2 && (status) == SCAN_SUCCESS; run_++) (status) = (run);                                 \
    scan_mpi_plan_destroy(plan);                                                                                       \
  } while (0)

/* A sum of floats in one group: elements are sent to rank 0, and results come back. */
static scan_status scan_floats(group *g) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  scan_mpi_plan *plan = NULL;
  for (int i = 0; i < N; i++) in[i] = 1;
  if (!by_plan) return scan_mpi_run_args(g->mpi, &spec, N, &args);
  scan_status status = scan_mpi_plan_create(g->mpi, &spec, N, &plan);
  RUN_PLAN(status, plan, scan_mpi_plan_run_args(plan, N, &args));
  return status;
}

static scan_status scan_integers(group *g) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_TOTAL);
  const scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  return scan_mpi_run_args(g->mpi, &spec, N, &args);
}

/* The sum of floats by two contexts of each rank, of which this is the second. Elements are sent to the first context
 * of rank 0, from its second one too. */
static scan_ctx *second;

static scan_status scan_contexts(group *g) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const uint64_t counts[] = { N / 5, N - N / 5 };
  const scan_args args[] = { SCAN_ARGS_INIT(scan_host(in), scan_host(out)),
                             SCAN_ARGS_INIT(scan_host(in + N / 5), scan_host(out + N / 5)) };
  for (int i = 0; i < N; i++) in[i] = 1;
  return scan_mpi_run_contexts(g->mpi, &spec, NULL, counts, args);
}

static scan_status scan_lines(group *g) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const uint64_t shape[] = { 10, N / 10 };
  scan_array array = SCAN_ARRAY_INIT;
  (void)scan_array_packed(&spec, 2, shape, 0, &array);
  return scan_mpi_run_array(g->mpi, &spec, &array, scan_host(in), scan_host(out));
}

static scan_status select_some(group *g) {
  static unsigned char flags[N];
  uint64_t count = 0;
  scan_mpi_part kept;
  const scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(float));
  const scan_select_args args =
      SCAN_SELECT_ARGS_INIT(scan_host(flags), scan_host(in), scan_host(out), scan_host(&count));
  return scan_mpi_select(g->mpi, &spec, N, &args, &kept, NULL);
}

/* Selects runs of equal floats by two contexts of each rank, which compare their first elements with their neighbours'
 * last ones. */
static scan_status select_runs(group *g) {
  uint64_t counts[2] = { 0 };
  const uint64_t ns[] = { N / 5, N - N / 5 };
  scan_mpi_part kept[2];
  scan_select_spec specs[2];
  scan_select_args args[2];
  for (int i = 0; i < 2; i++) {
    const scan_mem none = SCAN_NO_MEM;
    const int at = i * (N / 5);
    specs[i] = (scan_select_spec)SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, sizeof(float));
    specs[i].key_type = SCAN_F32;
    args[i] =
        (scan_select_args)SCAN_SELECT_ARGS_INIT(none, scan_host(in + at), scan_host(out + at), scan_host(&counts[i]));
  }
  return scan_mpi_select_contexts(g->mpi, specs, ns, args, kept, NULL);
}

/* Sorts keys of three values: cuts take all digits and the ranks' numbers of equal keys, and each rank sends elements
 * to others. */
static scan_status sort_floats(group *g) {
  const scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(SCAN_F32, sizeof(float));
  const scan_sort_args args =
      SCAN_SORT_PAIRS_ARGS_INIT(scan_host(in), scan_host(out), scan_host(in), scan_host(sorted_out));
  scan_mpi_plan *plan = NULL;
  for (int i = 0; i < N; i++) in[i] = (float)(i % 3);
  g->mpi->least_part_items = 1;
  if (!by_plan) return scan_mpi_sort(g->mpi, &spec, SCAN_MPI_EVEN, N, N, &args, NULL);
  scan_status status = scan_mpi_plan_create_sort(g->mpi, &spec, SCAN_MPI_EVEN, N, N, &plan);
  RUN_PLAN(status, plan, scan_mpi_plan_run_sort(plan, N, &args, NULL));
  return status;
}

static scan_status split_floats(group *g) {
  static uint64_t offsets[257];
  const scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_F32, 0, 8);
  const scan_split_args args = SCAN_SPLIT_ARGS_INIT(scan_host(in), scan_host(out), scan_host(offsets));
  scan_mpi_plan *plan = NULL;
  if (!by_plan) return scan_mpi_split(g->mpi, &spec, SCAN_MPI_EVEN, N, N, &args, NULL);
  scan_status status = scan_mpi_plan_create_split(g->mpi, &spec, SCAN_MPI_EVEN, N, N, &plan);
  RUN_PLAN(status, plan, scan_mpi_plan_run_split(plan, N, &args, NULL));
  return status;
}

/* Encodes runs that go on from rank to rank. */
static scan_status encode_runs(group *g) {
  static uint32_t keys[N], lengths[N];
  const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U32);
  const scan_run_length_args args =
      SCAN_RUN_LENGTH_ARGS_INIT(scan_host(keys), scan_host(out), scan_host(lengths), SCAN_NO_MEM);
  scan_mpi_plan *plan = NULL;
  if (!by_plan) return scan_mpi_run_length_encode(g->mpi, &spec, N, &args, NULL);
  scan_status status = scan_mpi_plan_create_run_length(g->mpi, &spec, N, &plan);
  RUN_PLAN(status, plan, scan_mpi_plan_run_run_length(plan, N, &args, NULL));
  return status;
}

static scan_status find_unique(group *g) {
  scan_mpi_plan *plan = NULL;
  if (!by_plan) return scan_mpi_unique(g->mpi, SCAN_F32, N, scan_host(in), scan_host(out), N, NULL);
  scan_status status = scan_mpi_plan_create_unique(g->mpi, SCAN_F32, N, &plan);
  RUN_PLAN(status, plan, scan_mpi_plan_run_unique(plan, N, scan_host(in), scan_host(out), N, NULL));
  return status;
}

static scan_status reduce_floats(group *g) {
  static uint32_t keys[N];
  const scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  const scan_reduce_by_key_args args =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_host(keys), scan_host(in), scan_host(sorted_out), scan_host(out), SCAN_NO_MEM);
  scan_mpi_plan *plan = NULL;
  if (!by_plan) return scan_mpi_reduce_by_key(g->mpi, &spec, N, &args, NULL);
  scan_status status = scan_mpi_plan_create_reduce_by_key(g->mpi, &spec, N, &plan);
  RUN_PLAN(status, plan, scan_mpi_plan_run_reduce_by_key(plan, N, &args, NULL));
  return status;
}

/* Moves elements up by ranks. */
static scan_status redistribute_floats(group *g) {
  const uint64_t local_n = g->rank == 0 ? N : N / 2, wanted_n = g->rank == g->ranks - 1 ? N : N / 2;
  return scan_mpi_redistribute(g->mpi, sizeof(float), local_n, scan_host(in), wanted_n, scan_host(out), NULL);
}

/* Checks that a scan of floats is right after a failure. */
static void check_works(group *g, const char *after) {
  const int were_plans = by_plan;
  mpi_fault_arm(NULL, 0, -1);
  by_plan = 0;
  const scan_status status = scan_floats(g);
  int is_right = status == SCAN_SUCCESS;
  for (int i = 0; i < N; i++) is_right = is_right && out[i] == (float)(g->rank * N + i + 1);
  by_plan = were_plans;
  group_check(g, is_right, "after %s: %s", after, scan_mpi_last_error(g->mpi));
}

typedef scan_status call(group *g);

/* Checks that the error text has the failed call's name and MPI's text. */
static void check_words(group *g, const char *name, scan_status status) {
  char words[MPI_MAX_ERROR_STRING], due[MPI_MAX_ERROR_STRING + 64];
  int length = 0;
  MPI_Error_string(MPI_ERR_OTHER, words, &length);
  snprintf(due, sizeof due, "%s: %s", name, words);
  group_check(g, status == SCAN_DEVICE_ERROR && strstr(scan_mpi_last_error(g->mpi), due) != NULL, "%s: %s, \"%s\"",
              name, scan_status_name(status), scan_mpi_last_error(g->mpi));
}

/* Makes a handle, arms a failure and runs the call. Messages may be left in the handle, so it is not used again. */
static scan_status run_apart(group *g, call *run, const char *name, int after, int rank) {
  scan_ctx *const ctxs[] = { g->ctx, second };
  const int count = run == scan_contexts || run == select_runs ? 2 : 1;
  if (scan_mpi_create_contexts(ctxs, count, MPI_COMM_WORLD, &g->mpi) != SCAN_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
  mpi_fault_arm(name, after, rank);
  const scan_status status = run(g);
  mpi_fault_arm(NULL, 0, -1);
  return status;
}

/* Makes the first call of `name` fail on all ranks, then the second, ... until no call fails. */
static void test_everywhere(group *g, const char *name, call *run, int least) {
  scan_mpi *mpi = g->mpi;
  int after = 0, has_failed = 1;
  for (; after < 100 && has_failed; after++) {
    const scan_status status = run_apart(g, run, name, after, -1);
    has_failed = mpi_fault_failures > 0;
    if (has_failed) check_words(g, name, status);
    scan_mpi_destroy(g->mpi);
    g->mpi = mpi;
    check_works(g, name);
  }
  group_check(g, !has_failed && after > least, "%s was called %d times, not %d", name, after - 1, least);
}

/* Makes a message call fail on one rank. All ranks get that rank's number, and none hangs. @param context the context
 * whose message it is; -1: the rank has one. */
static void test_message(group *g, call *run, const char *name, int after, int rank, int context) {
  char begin[64];
  scan_mpi *mpi = g->mpi;
  if (context < 0)
    snprintf(begin, sizeof begin, "rank %d: %s: ", rank, name);
  else
    snprintf(begin, sizeof begin, "rank %d: context %d: %s: ", rank, context, name);
  const scan_status status = run_apart(g, run, name, after, rank);
  group_check(g, status == SCAN_DEVICE_ERROR && strncmp(scan_mpi_last_error(g->mpi), begin, strlen(begin)) == 0,
              "%s on rank %d, call %d: %s, \"%s\"", name, rank, after, scan_status_name(status),
              scan_mpi_last_error(g->mpi));
  scan_mpi_destroy(g->mpi);
  g->mpi = mpi;
  check_works(g, name);
}

static void test_create(group *g) {
  scan_mpi *mpi = NULL;
  mpi_fault_arm("MPI_Comm_dup", 0, -1);
  const scan_status status = scan_mpi_create(g->ctx, MPI_COMM_WORLD, &mpi);
  group_check(g, status == SCAN_DEVICE_ERROR && mpi == NULL && strstr(scan_mpi_last_error(NULL), "MPI_Comm_dup: "),
              "scan_mpi_create: \"%s\"", scan_mpi_last_error(NULL));
  uint64_t offset = 7;
  mpi_fault_arm("MPI_Exscan", 0, -1);
  group_check(g, scan_mpi_offsets(MPI_COMM_WORLD, 1, &offset, NULL) == SCAN_DEVICE_ERROR && offset == 7,
              "scan_mpi_offsets: \"%s\"", scan_mpi_last_error(NULL));
  check_works(g, "handles that could not be made");
}

/* ---- sweeps over all calls ---- */

static unsigned swept; /* trials in which a call failed */

/* Returns the distance between calls that fail, of so many. */
static unsigned step_of(unsigned calls) {
  const char *text = getenv("SCANRT_SWEEP_MOST");
  const unsigned most = text != NULL ? (unsigned)strtoul(text, NULL, 10) : 0;
  return most == 0 ? 1 : calls / most + 1;
}

/* Makes the k-th call from the making of a handle fail, alone or with all later ones; only calls that all ranks make
 * count. Returns the number of calls. */
static unsigned sweep_once(group *g, const char *what, call *run, unsigned k, int is_lasting) {
  const long before = mpi_fault_objects;
  scan_mpi *apart = NULL, *kept = g->mpi;
  char words[2048];
  fault_arm(&mpi_fault_plan, k, is_lasting);
  scan_status status = scan_mpi_create(g->ctx, MPI_COMM_WORLD, &apart);
  g->mpi = apart;
  if (status == SCAN_SUCCESS) status = run(g);
  snprintf(words, sizeof words, "%s", scan_mpi_last_error(apart));
  fault_disarm(&mpi_fault_plan);
  const long kept_for_strays = apart != NULL && apart->has_strays; /* a communicator with messages in it is kept */
  scan_mpi_destroy(apart);
  g->mpi = kept;
  group_check(g,
              mpi_fault_plan.failed == 0 ? status == SCAN_SUCCESS
                                         : status == SCAN_DEVICE_ERROR && fault_is_named(&mpi_fault_plan, words),
              "%s, call %u (%s): %s, \"%s\"", what, k, mpi_fault_plan.names, scan_status_name(status), words);
  group_check(g, mpi_fault_objects == before + kept_for_strays, "%s, call %u (%s): %ld communicators are left", what, k,
              mpi_fault_plan.names, mpi_fault_objects - before);
  swept += mpi_fault_plan.failed > 0;
  const unsigned calls = mpi_fault_plan.calls;
  check_works(g, mpi_fault_plan.names);
  return calls;
}

static void sweep(group *g, const char *what, call *run) {
  const unsigned calls = sweep_once(g, what, run, UINT_MAX, 0), step = step_of(calls);
  for (int is_lasting = 0; is_lasting < 2; is_lasting++)
    for (unsigned k = 1; k <= calls; k += step) (void)sweep_once(g, what, run, k, is_lasting);
}

/* Sweeps the calls that have plans, by calls or by plans. */
static void sweep_plans(group *g) {
  sweep(g, "floats", scan_floats);
  sweep(g, "sort", sort_floats);
  sweep(g, "split", split_floats);
  sweep(g, "runs", encode_runs);
  sweep(g, "unique keys", find_unique);
  sweep(g, "reduction by key", reduce_floats);
}

static void sweep_all(group *g) {
  sweep(g, "integers", scan_integers);
  sweep(g, "lines", scan_lines);
  sweep(g, "selection", select_some);
  sweep(g, "redistribution", redistribute_floats);
  for (by_plan = 0; by_plan < 2; by_plan++) sweep_plans(g);
  if (g->rank == 0) printf("mpi sweep: %u trials in which calls failed\n", swept);
  group_check(g, swept > (step_of(UINT_MAX) == 1 ? 400u : 30u), "%u trials", swept);
}

int main(int argc, char **argv) {
  group g;
  group_open(&g, &argc, &argv);
  second = group_context(&g, NULL);
  check_works(&g, "the beginning");
  test_create(&g);
  test_everywhere(&g, "MPI_Allreduce", scan_floats, g.ranks > 1 ? 8 : 5);
  test_everywhere(&g, "MPI_Allgather", scan_floats, 1);
  test_everywhere(&g, "MPI_Bcast", scan_floats, 1);
  test_everywhere(&g, "MPI_Bcast", scan_integers, 2);
  if (g.ranks > 1) test_everywhere(&g, "MPI_Allgatherv", scan_integers, 1);
  test_everywhere(&g, "MPI_Allreduce", scan_lines, 5);
  test_everywhere(&g, "MPI_Exscan", select_some, 1);
  test_everywhere(&g, "MPI_Alltoall", sort_floats, 1);
  test_everywhere(&g, "MPI_Allreduce", scan_contexts, 5);
  test_everywhere(&g, "MPI_Allgatherv", scan_contexts, 1);
  test_everywhere(&g, "MPI_Allgatherv", select_runs, 1);
  test_everywhere(&g, "MPI_Exscan", select_runs, 1);
  for (int rank = 1; rank < g.ranks; rank++) { /* each rank sends and receives one message */
    test_message(&g, scan_floats, "MPI_Isend", 0, rank, -1);
    test_message(&g, scan_floats, "MPI_Irecv", 0, rank, -1);
  }
  for (int after = 0; after + 1 < g.ranks; after++) { /* rank 0 with each other rank */
    test_message(&g, scan_floats, "MPI_Irecv", after, 0, -1);
    test_message(&g, scan_floats, "MPI_Isend", after, 0, -1);
  }
  /* Two contexts a rank: the first one of rank 0 receives from all others; from its own second one without messages. */
  test_message(&g, scan_contexts, "MPI_Irecv", 0, 0, 0);
  for (int rank = 1; rank < g.ranks; rank++)
    for (int context = 0; context < 2; context++) test_message(&g, scan_contexts, "MPI_Isend", context, rank, context);
  for (int rank = 0; g.ranks > 1 && rank < g.ranks; rank++) /* the keys' messages, and those of the array */
    for (int after = 0; after < 2; after++) {
      test_message(&g, sort_floats, "MPI_Isend", after, rank, -1);
      test_message(&g, sort_floats, "MPI_Irecv", after, rank, -1);
    }
  sweep_all(&g);
  scan_ctx_destroy(second);
  return group_close(&g, "mpi faults");
}
