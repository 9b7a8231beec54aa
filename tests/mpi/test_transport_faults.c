/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests exchanges in which a call fails: of MPI, of the fake CUDA driver, of the fake NCCL. A trial makes a handle,
 * exchanges, and destroys the handle, while the k-th call fails on one rank, alone or with all that follow. All ranks
 * return the same status; a failure is worded with the rank's number; no rank hangs; nothing is left behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange_case.h"
#include "fake_nccl.h"
#include "mpi_faults.h"

/* Calls that a trial makes fail. */
typedef struct library {
  const char *name;
  fault_plan *plan;
  int is_collective; /* 1: the calls fail on all ranks */
} library;

/* The failure of the next trial. */
static struct {
  fault_plan *plan;
  unsigned k;
  int is_lasting, is_here; /* is_here: on this rank */
} trial;

static void arm(void) {
  if (trial.is_here) fault_arm(trial.plan, trial.k, trial.is_lasting);
}

static void disarm(void) {
  if (trial.is_here) fault_disarm(trial.plan);
}

/* ---- objects that are left ---- */

static int (*live_comms)(void);
static const char *(*cuda_fault)(void);

static int left_over(const exchange_set *s) {
  return (s->live != NULL ? s->live() : 0) + (live_comms != NULL ? live_comms() : 0);
}

/* Looks up a function of a fake; 0: there is none. */
static int look_up(const char *variable, const char *name, void *function) {
  void *symbol = exchange_look_up(variable, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

/* ---- trials ---- */

static unsigned trials, failed;

/* Runs an exchange while the k-th call fails on rank `who`. Returns the number of calls that this rank made, or 0. */
static unsigned run_trial(exchange_set *s, const library *l, int who, unsigned k, int is_lasting, uint64_t seed) {
  struct rng rng = { seed };
  char begin[32];
  const int before = left_over(s);
  const long objects = mpi_fault_objects;
  fault_plan none = { 0 };
  trial.plan = l->plan;
  trial.k = k;
  trial.is_lasting = is_lasting;
  trial.is_here = l->is_collective || s->g->rank == who;
  if (trial.is_here) *l->plan = none;
  const scan_status status = exchange_run(s, &rng, EXCHANGE_SMALL, 1);
  int kept = trial.is_here ? (int)l->plan->kept : 0;
  if (trial.is_here && strstr(l->plan->names, " MPI_Barrier ") != NULL) kept += 2 * s->count; /* what ranks map */
  snprintf(begin, sizeof begin, "rank %d: ", who);
  trials++;
  failed += status != SCAN_SUCCESS;
  if (status != SCAN_SUCCESS && !l->is_collective)
    group_check(s->g, strncmp(s->words, begin, strlen(begin)) == 0, "%s, call %u of rank %d fails: \"%s\"", l->name, k,
                who, s->words);
  if (trial.is_here && status != SCAN_SUCCESS)
    group_check(s->g, fault_is_named(l->plan, s->words) || strstr(s->words, "NCCL") != NULL, "%s, call %u (%s): \"%s\"",
                l->name, k, l->plan->names, s->words);
  group_check(s->g, s->has_strays || left_over(s) <= before + kept, "%s, call %u of rank %d fails: %d objects are left",
              l->name, k, who, left_over(s) - before);
  group_check(s->g, mpi_fault_objects == objects + s->has_strays,
              "%s, call %u of rank %d fails: %ld communicators are left", l->name, k, who, mpi_fault_objects - objects);
  if (cuda_fault != NULL) group_check(s->g, cuda_fault()[0] == '\0', "%s, call %u: %s", l->name, k, cuda_fault());
  return trial.is_here ? l->plan->calls : 0;
}

/* Makes calls fail, evenly spread over those of an exchange, at most `most`. */
static void sweep(exchange_set *s, const library *l, int who, unsigned most) {
  unsigned own, calls = 0;
  own = run_trial(s, l, who, 0, 0, 7);
  MPI_Allreduce(&own, &calls, 1, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD);
  group_check(s->g, calls > 0, "%s: no call was made", l->name);
  const unsigned step = calls > most ? calls / most : 1;
  for (int is_lasting = 0; is_lasting < 2; is_lasting++)
    for (unsigned k = 1; k <= calls; k += step) (void)run_trial(s, l, who, k, is_lasting, 7 + k);
  struct rng rng = { 5 };
  trial.is_here = 0;
  (void)exchange_run(s, &rng, EXCHANGE_SMALL, 0);
  if (s->g->rank == 0) printf("%s: %u calls, %u trials so far, %u failed\n", l->name, calls, trials, failed);
}

/* Makes messages fail on one rank: they may be left in the handle, which keeps its communicator. */
static void sweep_messages(exchange_set *s, const char *name, int who) {
  int has_failed = 1;
  for (int after = 0; has_failed && after < 100; after++) {
    struct rng rng = { 11 };
    int failures;
    char begin[64];
    trial.is_here = 0;
    mpi_fault_failures = 0;
    mpi_fault_arm(name, after, who);
    const scan_status status = exchange_run(s, &rng, EXCHANGE_SMALL, 1);
    MPI_Allreduce(&mpi_fault_failures, &failures, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    mpi_fault_arm(NULL, 0, -1);
    has_failed = failures > 0;
    snprintf(begin, sizeof begin, "rank %d: ", who);
    group_check(s->g,
                has_failed ? status == SCAN_DEVICE_ERROR && strncmp(s->words, begin, strlen(begin)) == 0 &&
                                 strstr(s->words, name) != NULL
                           : status == SCAN_SUCCESS,
                "%s %d of rank %d fails: \"%s\"", name, after, who, s->words);
  }
}

int main(int argc, char **argv) {
  group g;
  exchange_set s;
  fake_nccl_faults_get *nccl_faults;
  fault_plan *(*cuda_faults)(void);
  library mpi = { "MPI", &mpi_fault_plan, 1 }, cuda = { "CUDA", NULL, 0 }, nccl = { "NCCL", NULL, 0 };
  const char *transport = getenv("SCANRT_MPI_TRANSPORT"), *most = getenv("SCANRT_SWEEP_MOST");
  const unsigned places = most != NULL ? (unsigned)strtoul(most, NULL, 10) : 1000;
  group_open(&g, &argc, &argv);
  exchange_set_open(&s, &g);
  scan_mpi_destroy(s.mpi);
  s.mpi = NULL;
  s.arm = arm;
  s.disarm = disarm;
  if (look_up("SCANRT_LIBCUDA", "fake_cuda_faults", &cuda_faults)) cuda.plan = cuda_faults();
  if (look_up("SCANRT_LIBNCCL", "fake_nccl_faults", &nccl_faults)) nccl.plan = nccl_faults();
  (void)look_up("SCANRT_LIBCUDA", "fake_cuda_fault", &cuda_fault);
  (void)look_up("SCANRT_LIBNCCL", "fake_nccl_live", &live_comms);
  sweep(&s, &mpi, 0, places);
  for (int who = 0; who<g.ranks; who += g.ranks> 1 ? g.ranks - 1 : 1) {
    if (cuda.plan != NULL) sweep(&s, &cuda, who, places);
    if (transport != NULL && strcmp(transport, "nccl") == 0) sweep(&s, &nccl, who, places);
    if (transport == NULL || strcmp(transport, "mpi") == 0 || strcmp(transport, "staged") == 0) {
      sweep_messages(&s, "MPI_Isend", who);
      sweep_messages(&s, "MPI_Irecv", who);
    }
  }
  group_check(&g, failed > trials / 4, "%u of %u trials failed", failed, trials);
  exchange_set_close(&s);
  return group_close(&g, "mpi transport faults");
}
