/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests several contexts of a rank, each with its own handle and communicator: used by one thread in a random order,
 * and by a thread each at the same time (MPI_THREAD_MULTIPLE). Every result is compared with one context that has all
 * elements. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"

enum { HANDLES = 2, TIMES = 6, MOST_ITEMS = 1500000, POISON = 0xa5 };

/* A context with a communicator, a handle and the counts of its checks. These are not counted in the group, which
 * threads cannot share. */
typedef struct worker {
  group *g;
  MPI_Comm comm;
  scan_ctx *ctx;
  scan_mpi *mpi;
  uint64_t seed; /* of its cases; the same on all ranks */
  unsigned long ran, failed;
  char words[256]; /* the first failure */
} worker;

static void check(worker *w, int holds, const char *what, const char *why) {
  w->ran++;
  if (holds) return;
  if (w->failed++ == 0) snprintf(w->words, sizeof w->words, "%s: %s", what, why);
}

/* ---- handles ---- */

static void open_worker(worker *w, group *g, MPI_Comm comm, const char *device, uint64_t seed) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  *w = (worker){ .g = g, .comm = comm, .seed = seed };
  options.device = device;
  options.threads = 1;
  check(w, scan_ctx_create(&options, &w->ctx) == SCAN_SUCCESS, "a context", scan_last_error(NULL));
}

static void open_handle(worker *w) {
  check(w, scan_mpi_create(w->ctx, w->comm, &w->mpi) == SCAN_SUCCESS, "a handle", scan_mpi_last_error(NULL));
}

static void close_worker(worker *w) {
  scan_ctx_destroy(w->ctx);
  MPI_Comm_free(&w->comm);
  w->g->ran += w->ran;
  group_check(w->g, w->failed == 0, "%lu checks failed, the first one: %s", w->failed, w->words);
}

/* ---- a scan ---- */

/* Runs one case: all ranks make an array, and each scans its part. Sums of f32 and f64 in the canonical order, which
 * send values and edges, and sums of i32. */
static void scan_case(worker *w, uint64_t number) {
  static const scan_type types[] = { SCAN_F32, SCAN_I32, SCAN_F64 };
  struct rng rng = { w->seed * 1000 + number };
  uint64_t counts[GROUP_MOST_RANKS], first = 0;
  scan_spec spec = SCAN_SPEC_INIT(types[number % 3], SCAN_ADD, number % 2 ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE);
  const uint64_t n = rng_below(&rng, MOST_ITEMS), item = scan_type_bytes(spec.type);
  group_split(w->g->ranks, &rng, n, 0, counts);
  for (int r = 0; r < w->g->rank; r++) first += counts[r];
  const uint64_t own = counts[w->g->rank];
  char *in = group_allocate(n * item), *due = group_allocate(n * item), *out = group_allocate(own * item);
  for (uint64_t i = 0; i < n; i++) {
    const int32_t whole = (int32_t)rng_below(&rng, 2000) - 1000;
    if (spec.type == SCAN_F64)
      ((double *)(void *)in)[i] = whole / 7.0;
    else if (spec.type == SCAN_F32)
      ((float *)(void *)in)[i] = (float)whole / 7.0f;
    else
      ((int32_t *)(void *)in)[i] = whole;
  }
  memset(out, POISON, own * item);
  scan_status status = scan_run(w->ctx, &spec, n, scan_host(in), scan_host(due));
  check(w, status == SCAN_SUCCESS, "a scan of all", scan_last_error(w->ctx));
  const scan_args args = SCAN_ARGS_INIT(scan_host(in + first * item), scan_host(out));
  status = scan_mpi_run_args(w->mpi, &spec, own, &args);
  check(w, status == SCAN_SUCCESS && memcmp(out, due + first * item, own * item) == 0, "a scan over ranks",
        status == SCAN_SUCCESS ? "other bits" : scan_mpi_last_error(w->mpi));
  free(in);
  free(due);
  free(out);
}

/* Checks a refused rank while the ranks of the other thread scan: only this handle gets the error text. */
static void fault_case(worker *w, uint64_t number) {
  const int who = (int)(number % (uint64_t)w->g->ranks), is_it = w->g->rank == who;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  float element = 1, sum = 0;
  char begin[32];
  const scan_args args = SCAN_ARGS_INIT(scan_host(is_it ? NULL : &element), scan_host(&sum));
  const scan_status status = scan_mpi_run_args(w->mpi, &spec, 1, &args);
  snprintf(begin, sizeof begin, "rank %d: ", who);
  check(w, status == SCAN_INVALID_ARGUMENT && strncmp(scan_mpi_last_error(w->mpi), begin, strlen(begin)) == 0,
        "a rank without input", scan_mpi_last_error(w->mpi));
}

/* ---- handles used by one thread ---- */

static void test_in_turns(group *g, const char *device) {
  worker workers[HANDLES];
  struct rng rng = { 5 };
  for (int i = 0; i < HANDLES; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    open_worker(&workers[i], g, comm, i == 0 ? device : "host", (uint64_t)i + 1);
    open_handle(&workers[i]);
  }
  for (uint64_t number = 0; number < 2 * TIMES; number++) scan_case(&workers[rng_below(&rng, HANDLES)], number);
  fault_case(&workers[0], 0);
  check(&workers[1], scan_mpi_last_error(workers[1].mpi)[0] == '\0', "the other handle's words",
        scan_mpi_last_error(workers[1].mpi));
  /* Each handle works after the other and its communicator are destroyed. */
  scan_mpi_destroy(workers[0].mpi);
  close_worker(&workers[0]);
  scan_case(&workers[1], 1);
  scan_mpi_destroy(workers[1].mpi);
  close_worker(&workers[1]);
}

/* ---- handles used by a thread each ---- */

static void *work(void *state) {
  worker *w = state;
  open_handle(w);
  for (uint64_t number = 0; number < TIMES; number++) {
    scan_case(w, number);
    fault_case(w, number);
  }
  scan_mpi_destroy(w->mpi);
  return NULL;
}

static void test_threads(group *g, const char *device) {
  worker workers[HANDLES];
  pthread_t threads[HANDLES];
  for (int i = 0; i < HANDLES; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    open_worker(&workers[i], g, comm, i == 0 ? device : "host", (uint64_t)i + 11);
  }
  for (int i = 0; i < HANDLES; i++)
    group_check(g, pthread_create(&threads[i], NULL, work, &workers[i]) == 0, "no thread");
  for (int i = 0; i < HANDLES; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < HANDLES; i++) close_worker(&workers[i]);
}

int main(int argc, char **argv) {
  group g;
  int provided = 0;
  const char *device = getenv("SCANRT_TEST_DEVICE");
  if (device == NULL || device[0] == '\0') device = "host";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  group_open(&g, &argc, &argv);
  test_in_turns(&g, device);
  if (provided == MPI_THREAD_MULTIPLE)
    test_threads(&g, device);
  else if (g.rank == 0)
    printf("handles of several threads: skipped, this MPI has no MPI_THREAD_MULTIPLE\n");
  return group_close(&g, "mpi handles");
}
