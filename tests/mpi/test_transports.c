/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests exchanges between the contexts of all ranks by the transport that SCANRT_MPI_TRANSPORT names: random numbers of
 * elements and places, of device and host memory, small and of several rounds. With SCANRT_TEST_CONTEXTS=1 odd ranks
 * have two contexts, the second one of SCANRT_TEST_OTHER_DEVICE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange_case.h"

static unsigned long number(const char *variable, unsigned long otherwise) {
  const char *text = getenv(variable);
  return text != NULL && text[0] != '\0' ? strtoul(text, NULL, 10) : otherwise;
}

/* Checks the transport's name; it may change only where SCANRT_TEST_FALLBACK names what it falls back to. */
static void test_info(const exchange_set *s, const char *when, const char *due) {
  scan_mpi_facts facts = SCAN_MPI_FACTS_INIT;
  group_check(s->g, scan_mpi_info(s->mpi, &facts) == SCAN_SUCCESS && (due == NULL || strcmp(facts.transport, due) == 0),
              "%s: the transport is %s, not %s (%s)", when, facts.transport, due != NULL ? due : "", facts.reason);
  if (s->g->rank == 0) printf("%s: %s (%s)\n", when, facts.transport, facts.reason);
}

/* A sum of floats in one group: all contexts send their elements to the first one, and get the results back. */
static void test_scan(const exchange_set *s) {
  enum { N = 1500 };
  static float ones[EXCHANGE_MOST_OWN][N], sums[EXCHANGE_MOST_OWN][N];
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  uint64_t counts[EXCHANGE_MOST_OWN];
  scan_args args[EXCHANGE_MOST_OWN];
  for (int i = 0; i < s->count; i++) {
    for (int k = 0; k < N; k++) ones[i][k] = 1;
    counts[i] = N;
    args[i] = (scan_args)SCAN_ARGS_INIT(group_give_to(s->g, s->ctxs[i], ones[i], sizeof ones[i], 1),
                                        group_give_to(s->g, s->ctxs[i], sums[i], sizeof sums[i], 1));
  }
  const scan_status status = scan_mpi_run_contexts(s->mpi, &spec, NULL, counts, args);
  group_check(s->g, status == SCAN_SUCCESS, "a scan: %s", scan_mpi_last_error(s->mpi));
  for (int i = 0; i < s->count; i++) {
    int is_right = 1;
    group_read_back_from(s->g, s->ctxs[i], args[i].in, ones[i], sizeof ones[i]);
    group_read_back_from(s->g, s->ctxs[i], args[i].out, sums[i], sizeof sums[i]);
    for (int k = 0; k < N; k++) is_right = is_right && sums[i][k] == (float)((s->first + i) * N + k + 1);
    group_check(s->g, is_right, "context %d: other sums", s->first + i);
  }
}

/* Exchanges by new handles, whose transports have allocated nothing yet. */
static void test_reserved(exchange_set *s, struct rng *rng) {
  scan_mpi *kept = s->mpi;
  s->mpi = NULL;
  for (int i = 0; i < 3; i++) (void)exchange_run(s, rng, EXCHANGE_RESERVED, 0);
  s->mpi = kept;
}

static void test_refusals(const exchange_set *s) {
  scan_mpi *mpi = NULL;
  scan_mpi_facts facts = { 0 };
  group_check(s->g, scan_mpi_info(NULL, &facts) == SCAN_INVALID_ARGUMENT, "facts without a handle");
  group_check(s->g,
              scan_mpi_info(s->mpi, &facts) == SCAN_INVALID_ARGUMENT &&
                  strstr(scan_mpi_last_error(s->mpi), "info->struct_bytes is 0") != NULL,
              "facts without a size: %s", scan_mpi_last_error(s->mpi));
  char *kept = getenv("SCANRT_MPI_TRANSPORT");
  char copy[32];
  snprintf(copy, sizeof copy, "%s", kept != NULL ? kept : "");
  setenv("SCANRT_MPI_TRANSPORT", "pigeon", 1);
  group_check(s->g,
              scan_mpi_create(s->g->ctx, MPI_COMM_WORLD, &mpi) == SCAN_INVALID_ARGUMENT &&
                  strstr(scan_mpi_last_error(NULL), "SCANRT_MPI_TRANSPORT is 'pigeon'") != NULL,
              "an unknown transport: %s", scan_mpi_last_error(NULL));
  if (s->g->ranks > 1) {
    setenv("SCANRT_MPI_TRANSPORT", s->g->rank == 0 ? "staged" : "mpi", 1);
    group_check(s->g,
                scan_mpi_create(s->g->ctx, MPI_COMM_WORLD, &mpi) == SCAN_INVALID_ARGUMENT &&
                    strstr(scan_mpi_last_error(NULL), "SCANRT_MPI_TRANSPORT is another one than rank 0's") != NULL,
                "two transports: %s", scan_mpi_last_error(NULL));
  }
  if (kept != NULL)
    setenv("SCANRT_MPI_TRANSPORT", copy, 1);
  else
    unsetenv("SCANRT_MPI_TRANSPORT");
}

int main(int argc, char **argv) {
  group g;
  exchange_set s;
  group_open(&g, &argc, &argv);
  exchange_set_open(&s, &g);
  struct rng rng = { number("SCANRT_TEST_SEED", 1) };
  const unsigned long cases = number("SCANRT_TEST_CASES", 20);
  const char *forced = getenv("SCANRT_MPI_TRANSPORT"), *due = getenv("SCANRT_TEST_FALLBACK");
  if (forced != NULL && forced[0] == '\0') forced = NULL;
  test_info(&s, "before", forced);
  for (unsigned long i = 0; i < cases; i++)
    (void)exchange_run(&s, &rng, i % 8 == 7 ? EXCHANGE_LARGE : EXCHANGE_SMALL, 0);
  test_info(&s, "after", due != NULL ? due : forced);
  test_reserved(&s, &rng);
  test_scan(&s);
  test_refusals(&s);
  exchange_set_close(&s);
  return group_close(&g, "mpi transports");
}
