/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests several contexts of a rank in one scan: refusals, and the context that is named; operators, carries, totals,
 * overflow; ranks with several contexts beside ranks with one. test_scan.c has random scans. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "operators.h"

enum { N = 1000, MOST = GROUP_SET_MOST };

typedef group_set set;

/* ---- a valid scan ---- */

static int32_t ones[MOST][N], sums[MOST][N];

/* A scan of ones, N for each context. */
typedef struct call {
  scan_spec spec;
  uint64_t counts[MOST];
  scan_args args[MOST];
} call;

static call call_of(const set *s) {
  call c = { .spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE) };
  for (int i = 0; i < s->count; i++) {
    for (int k = 0; k < N; k++) ones[i][k] = 1;
    memset(sums[i], 0, sizeof sums[i]);
    c.counts[i] = N;
    c.args[i] = (scan_args)SCAN_ARGS_INIT(scan_host(ones[i]), scan_host(sums[i]));
  }
  return c;
}

static scan_status run(const set *s, const call *c) {
  return scan_mpi_run_contexts(s->mpi, &c->spec, NULL, c->counts, c->args);
}

/* 1 if each element k is the number of elements up to it plus `more`. */
static int are_right(const set *s, int32_t more) {
  for (int i = 0; i < s->count; i++)
    for (int k = 0; k < N; k++)
      if (sums[i][k] != (s->before + i) * N + k + 1 + more) return 0;
  return 1;
}

static void check_works(const set *s, const char *after) {
  const call c = call_of(s);
  char words[2048];
  snprintf(words, sizeof words, "%s", scan_mpi_last_error(s->mpi));
  const scan_status status = run(s, &c);
  const int are_kept = strncmp(scan_mpi_last_error(s->mpi), words, sizeof words - 1) == 0;
  group_check(s->g, status == SCAN_SUCCESS && are_right(s, 0) && are_kept, "after %s: %s", after,
              scan_mpi_last_error(s->mpi));
}

/* ---- faults of a context ---- */

/* Checks that every rank has this status and the error text of the last context of rank `who`. */
static void check_failed(const set *s, const char *what, scan_status status, scan_status due, int who,
                         const char *words) {
  group_check_words(s, what, status, due, who, 1, words);
  check_works(s, what);
}

static void test_memory(const set *s, int who) {
  const int last = s->g->rank == who ? s->count - 1 : -1;
  call c = call_of(s);
  if (last >= 0) c.args[last].in = scan_host(NULL);
  check_failed(s, "no input", run(s, &c), SCAN_INVALID_ARGUMENT, who, "in is no memory");
  c = call_of(s);
  if (last >= 0) c.args[last].struct_bytes = 1;
  check_failed(s, "no args", run(s, &c), SCAN_INVALID_ARGUMENT, who, "args->struct_bytes is 1");
  /* The context finds this, while others scan. */
  scan_mem freed = SCAN_NO_MEM;
  scan_ctx *ctx = s->ctxs[s->count - 1];
  group_check(s->g, scan_alloc(ctx, sizeof sums[0], &freed) == SCAN_SUCCESS, "%s", scan_last_error(ctx));
  group_check(s->g, scan_free(ctx, freed) == SCAN_SUCCESS, "%s", scan_last_error(ctx));
  c = call_of(s);
  if (last >= 0) c.args[last].out = freed;
  check_failed(s, "freed memory", run(s, &c), SCAN_INVALID_ARGUMENT, who, "freed");
}

/* Checks a fault of a rank's call that is not a context's. */
static void check_refused(const set *s, const char *what, scan_status status, int who, const char *words) {
  group_check_words(s, what, status, SCAN_INVALID_ARGUMENT, who, 0, words);
  check_works(s, what);
}

static void test_calls(const set *s, int who) {
  const int is_it = s->g->rank == who;
  const call c = call_of(s);
  scan_mpi_plan *plan = NULL;
  check_refused(s, "no numbers", scan_mpi_run_contexts(s->mpi, &c.spec, NULL, is_it ? NULL : c.counts, c.args), who,
                "local_ns is NULL");
  check_refused(s, "no args", scan_mpi_run_contexts(s->mpi, &c.spec, NULL, c.counts, is_it ? NULL : c.args), who,
                "args is NULL");
  check_refused(s, "no place for a plan",
                scan_mpi_plan_create_contexts(s->mpi, &c.spec, NULL, c.counts, is_it ? NULL : &plan), who,
                "plan is NULL");
  if (group_set_count(who) == 1) return;
  check_refused(s, "one context's call", is_it ? scan_mpi_run_args(s->mpi, &c.spec, N, c.args) : run(s, &c), who,
                "scan_mpi_run_args has the elements of one context");
  check_refused(s, "one context's plan",
                is_it ? scan_mpi_plan_create(s->mpi, &c.spec, N, &plan)
                      : scan_mpi_plan_create_contexts(s->mpi, &c.spec, NULL, c.counts, &plan),
                who, "scan_mpi_plan_create has the elements of one context");
  group_check(s->g, plan == NULL, "a plan of a call that failed");
}

static void test_plans(const set *s, int who) {
  call c = call_of(s);
  scan_mpi_plan *plan = NULL;
  const int is_it = s->g->rank == who;
  group_check(s->g, scan_mpi_plan_create_contexts(s->mpi, &c.spec, NULL, c.counts, &plan) == SCAN_SUCCESS, "%s",
              scan_mpi_last_error(s->mpi));
  if (is_it) c.counts[s->count - 1] = N + 1;
  check_failed(s, "too many", scan_mpi_plan_run_contexts(plan, c.counts, c.args), SCAN_INVALID_ARGUMENT, who,
               "the plan was created for at most 1000");
  if (group_set_count(who) > 1)
    check_refused(s, "one context's run",
                  is_it ? scan_mpi_plan_run(plan, N, c.args[0].in, c.args[0].out)
                        : scan_mpi_plan_run_contexts(plan, c.counts, c.args),
                  who, "scan_mpi_plan_run_args has the elements of one context");
  c = call_of(s);
  const scan_status status = scan_mpi_plan_run_contexts(plan, c.counts, c.args);
  group_check(s->g, status == SCAN_SUCCESS && are_right(s, 0), "a plan after failures: %s",
              scan_mpi_last_error(s->mpi));
  scan_mpi_plan_destroy(plan);
}

/* Handles that cannot be made: all ranks get the error text of the rank. */
static void test_create(const set *s, int who) {
  scan_mpi *mpi = NULL;
  scan_ctx *ctxs[2] = { s->g->ctx, s->g->rank == who ? s->g->ctx : s->ctxs[0] };
  char due[64];
  scan_status status = scan_mpi_create_contexts(ctxs, 2, MPI_COMM_WORLD, &mpi);
  snprintf(due, sizeof due, "rank %d: scan_mpi_create: ctxs[1] is ctxs[0]", who);
  group_check(s->g, status == SCAN_INVALID_ARGUMENT && mpi == NULL && strstr(scan_mpi_last_error(NULL), due),
              "one context twice: %s", scan_mpi_last_error(NULL));
  ctxs[1] = s->g->rank == who ? NULL : s->ctxs[0];
  status = scan_mpi_create_contexts(ctxs, 2, MPI_COMM_WORLD, &mpi);
  snprintf(due, sizeof due, "rank %d: scan_mpi_create: ctxs[1] is NULL", who);
  group_check(s->g, status == SCAN_INVALID_ARGUMENT && mpi == NULL && strstr(scan_mpi_last_error(NULL), due),
              "no context: %s", scan_mpi_last_error(NULL));
  for (int count = 0; count <= 2000; count += 2000) {
    status = scan_mpi_create_contexts(ctxs, s->g->rank == who ? count : 1, MPI_COMM_WORLD, &mpi);
    snprintf(due, sizeof due, "ctx_count %d: 1 to 1024", count);
    group_check(s->g, status == SCAN_INVALID_ARGUMENT && mpi == NULL && strstr(scan_mpi_last_error(NULL), due),
                "%d contexts: %s", count, scan_mpi_last_error(NULL));
  }
}

/* ---- values that pass from context to context ---- */

static void test_carries(const set *s) {
  static const int32_t from[] = { 7, 1000 }; /* the second one must not be used */
  call c = call_of(s);
  int32_t left[MOST] = { 0 };
  for (int i = 0; i < s->count; i++) {
    c.args[i].carry_in = scan_host(&from[s->before + i > 0]);
    c.args[i].carry_out = scan_host(&left[i]);
  }
  const scan_status status = run(s, &c);
  group_check(s->g, status == SCAN_SUCCESS && are_right(s, 7), "a carry: %s", scan_mpi_last_error(s->mpi));
  for (int i = 0; i < s->count; i++) group_check(s->g, left[i] == s->all * N + 7, "context %d: %d is left", i, left[i]);
  c = call_of(s);
  c.spec.kind = SCAN_TOTAL;
  group_check(s->g, run(s, &c) == SCAN_SUCCESS, "a total: %s", scan_mpi_last_error(s->mpi));
  for (int i = 0; i < s->count; i++)
    group_check(s->g, sums[i][0] == s->all * N && sums[i][1] == 0, "context %d: the total is %d", i, sums[i][0]);
}

static void test_overflow(const set *s) {
  const int last = s->all - 1;
  call c = call_of(s);
  uint64_t index = 0;
  c.spec.flags = SCAN_CHECK_OVERFLOW;
  if (s->before == 0) ones[0][0] = INT32_MAX - last * N - 2; /* the last context's fourth element overflows */
  scan_status status = run(s, &c);
  group_check(s->g, status == SCAN_OVERFLOW, "an overflow: %s", scan_status_name(status));
  status = scan_mpi_overflow_index(s->mpi, &index);
  group_check(s->g, status == SCAN_SUCCESS && index == (uint64_t)last * N + 3, "its place is %llu",
              (unsigned long long)index);
  check_works(s, "an overflow");
}

/* Each context needs its own operator; the operator of a rank with one context may be in the spec. */
static void test_operators(const set *s) {
  const source_structure *o = operator_at(0);
  const size_t bytes = o->source.value_bytes;
  const uint64_t n = (uint64_t)s->all * N, first = (uint64_t)s->before * N;
  char *in = group_allocate(n * bytes), *due = group_allocate(n * bytes), *out = group_allocate(MOST * N * bytes);
  scan_op *ops[MOST] = { NULL };
  call c = call_of(s);
  struct rng rng = { 11 };
  operator_fill(o, &rng, n, in);
  c.spec = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  for (int i = 0; i < s->count; i++) {
    group_check(s->g, scan_op_create(s->ctxs[i], &o->source, &ops[i]) == SCAN_SUCCESS, "%s",
                scan_last_error(s->ctxs[i]));
    c.args[i] = (scan_args)SCAN_ARGS_INIT(scan_host(in + (first + (uint64_t)i * N) * bytes),
                                          scan_host(out + (uint64_t)i * N * bytes));
  }
  scan_spec whole = c.spec;
  whole.custom_op = ops[0];
  group_check(s->g, scan_run(s->ctxs[0], &whole, n, scan_host(in), scan_host(due)) == SCAN_SUCCESS, "%s",
              scan_last_error(s->ctxs[0]));
  scan_status status = scan_mpi_run_contexts(s->mpi, &c.spec, ops, c.counts, c.args);
  group_check(s->g, status == SCAN_SUCCESS && memcmp(out, due + first * bytes, (size_t)s->count * N * bytes) == 0,
              "an operator for each: %s", scan_mpi_last_error(s->mpi));
  status = scan_mpi_run_contexts(s->mpi, &whole, NULL, c.counts, c.args); /* only the first context's operator */
  group_check(s->g, status == SCAN_INVALID_ARGUMENT && strstr(scan_mpi_last_error(s->mpi), ": context 1: "),
              "one operator for all: %s", scan_mpi_last_error(s->mpi));
  for (int i = 0; i < s->count; i++) scan_op_destroy(ops[i]);
  free(in);
  free(due);
  free(out);
  check_works(s, "operators");
}

/* ---- work of the first context ---- */

static void test_first(const set *s) {
  static uint32_t in[N], out[N];
  static unsigned char flags[N];
  const uint64_t rank = (uint64_t)s->g->rank, ranks = (uint64_t)s->g->ranks;
  uint64_t count = 0;
  scan_mpi_part kept;
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(uint32_t));
  const scan_select_args args =
      SCAN_SELECT_ARGS_INIT(scan_host(flags), scan_host(in), scan_host(out), scan_host(&count));
  for (int i = 0; i < N; i++) flags[i] = i % 4 == 0, in[i] = 1;
  scan_status status = scan_mpi_select(s->mpi, &select, N, &args, &kept, NULL);
  group_check(s->g, status == SCAN_SUCCESS && kept.offset == rank * N / 4 && kept.total == ranks * N / 4,
              "a compaction: %s", scan_mpi_last_error(s->mpi));
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
  const uint64_t shape[] = { 10, N / 10 };
  scan_array array = SCAN_ARRAY_INIT;
  (void)scan_array_packed(&spec, 2, shape, 1, &array);
  status = scan_mpi_run_array(s->mpi, &spec, &array, scan_host(in), scan_host(out));
  group_check(s->g, status == SCAN_SUCCESS && out[N - 1] == (rank + 1) * N / 10, "an array: %s",
              scan_mpi_last_error(s->mpi));
  check_works(s, "the first context alone");
}

int main(int argc, char **argv) {
  group g;
  set s;
  group_open(&g, &argc, &argv);
  group_open_set(&s, &g);
  check_works(&s, "the beginning");
  for (int who = 0; who < g.ranks; who++) {
    test_memory(&s, who);
    test_calls(&s, who);
    test_plans(&s, who);
    test_create(&s, who);
  }
  test_carries(&s);
  test_overflow(&s);
  test_operators(&s);
  test_first(&s);
  group_check(&g, scan_mpi_run_contexts(NULL, NULL, NULL, NULL, NULL) == SCAN_INVALID_ARGUMENT, "no handle");
  group_check(&g, scan_mpi_plan_run_contexts(NULL, NULL, NULL) == SCAN_INVALID_ARGUMENT, "no plan");
  group_close_set(&s);
  return group_close(&g, "mpi contexts");
}
