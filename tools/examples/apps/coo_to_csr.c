/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file coo_to_csr.c
 * @brief Converts a sparse matrix from triplets (COO) to CSR and adds up duplicates, all on the device.
 *
 * Usage: coo_to_csr [FILE | --laplacian SIDE] [--upper] [--shuffle] [--fractions] [--rounds N]. By default it takes the
 * Laplacian of the graph in tools/examples/data/, from the repository's folder; --laplacian 117 has 10^8 triplets. With
 * --upper it takes only entries above the diagonal, so that some rows are empty. With --shuffle triplets come in a
 * random order, else by rows and columns. With --fractions sums round, so that their bits depend on the order.
 *
 * 1. With --shuffle, scan_sort sorts them by their places, row << 32 | column, by the bits that these use. Triplets of
 *    one place stay in their order, so that sums have the same bits every time.
 * 2. scan_reduce_by_key adds up the triplets of each place. It leaves the number of entries on the device, where later
 *    steps read it: the host never waits.
 * 3. A kernel of the application visits the entries. Each entry writes its column. The first one of a row also writes
 *    the row's begin, and that of empty rows before it.
 *
 * The result is checked against the plain loop.
 * Exit status: 0 the matrix is right; 1 it is wrong, or a call failed; 77 there is no such device, or it has no f64.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "conversion.h"
#include "figures.h"

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef scan_status conversion_step(conversion *c);
typedef struct timed {
  conversion *c;
  conversion_step *step;
} timed;

static int run_timed(void *state) {
  const timed *t = state;
  return (int)t->step(t->c);
}

static int wait_timed(void *state) { return (int)scan_sync(((timed *)state)->c->ctx); }

/* Returns the least number of bytes that all steps move. */
static double all_bytes(const conversion *c, uint64_t entries) {
  return csr_bytes(c->from, entries) + (c->sorts ? 32 * (double)c->from->count : 0);
}

/* Times a copy: from the places to the values, neither of which is needed any more. */
static scan_status copy_input(conversion *c) {
  return scan_copy(c->ctx, c->memory[CONVERSION_VALUE], c->memory[CONVERSION_PLACE], c->from->count * sizeof(uint64_t));
}

static scan_status print_figures(conversion *c, uint64_t entries, int rounds) {
  const double n = (double)c->from->count, e = (double)entries, rows = (double)c->from->rows + 1;
  const struct {
    const char *what;
    conversion_step *step;
    double bytes;
  } steps[] = {
    { "sort", conversion_sort, 32 * n },
    { "add up duplicates", conversion_sum, 16 * (n + e) },
    { "split places, find rows", conversion_split, 12 * e + 4 * rows },
    { "all, nobody waiting", conversion_run, all_bytes(c, entries) },
    { "all, recorded once", conversion_run_recorded, all_bytes(c, entries) },
    { "copy of 8 bytes a triplet", copy_input, 16 * n },
  };
  enum { STEPS = sizeof steps / sizeof *steps };
  double seconds[STEPS];
  for (int i = c->sorts ? 0 : 1; i < STEPS; i++) {
    timed t = { c, steps[i].step };
    const figures_subject subject = { run_timed, wait_timed, &t, FIGURES_REPEATS };
    const int status = figures_time(&subject, rounds, &seconds[i]);
    if (status != SCAN_SUCCESS) return (scan_status)status;
  }
  const double copy_rate = steps[STEPS - 1].bytes / seconds[STEPS - 1];
  for (int i = c->sorts ? 0 : 1; i < STEPS; i++) figures_print(steps[i].what, seconds[i], steps[i].bytes, copy_rate);
  return SCAN_SUCCESS;
}

/* ---- all steps -------------------------------------------------------------------------------------------------- */

typedef struct plain_loop {
  const triplets *from;
  csr *to;
} plain_loop;

static int run_plain_loop(void *state) {
  const plain_loop *loop = state;
  csr_of_triplets(loop->from, loop->to);
  return 0;
}

static int open_device(conversion *c, scan_device_info *device) {
  scan_status status = scan_ctx_create(NULL, &c->ctx);
  if (status == SCAN_SUCCESS) status = scan_ctx_device(c->ctx, device);
  return conversion_check(c, status);
}

static int check_result(conversion *c, csr *got, const csr *want) {
  const int rc = conversion_check(c, conversion_read(c, got));
  return rc == EXIT_SUCCESS && csr_compare(got, want) != 0 ? EXIT_FAILURE : rc;
}

/* Converts, checks and times. @param input  c->from; shuffled after the plain loop, which needs order, if c sorts.
 * @param got,want  memory for both results. @return the exit status */
static int run(conversion *c, triplets *input, int rounds, csr *got, csr *want) {
  double loop_seconds = 0;
  plain_loop loop = { c->from, want };
  scan_device_info device = SCAN_DEVICE_INFO_INIT;
  const figures_subject plain = { run_plain_loop, NULL, &loop, 1 };
  (void)figures_time(&plain, 1, &loop_seconds);
  if (c->sorts) triplets_shuffle(input);
  int rc = open_device(c, &device);
  if (rc == EXIT_SUCCESS) rc = conversion_open(c);
  if (rc == EXIT_SUCCESS) rc = conversion_check(c, conversion_run_recorded(c));
  if (rc == EXIT_SUCCESS) rc = check_result(c, got, want);
  if (rc == EXIT_SUCCESS) {
    printf("%" PRIu64 " entries on %s (%s), as the plain loop makes them\n", got->entries, device.selector,
           device.name);
    rc = conversion_check(c, print_figures(c, got->entries, rounds));
    figures_print(c->sorts ? "plain loop, of sorted ones" : "plain loop, one host thread", loop_seconds,
                  csr_bytes(c->from, want->entries), 0);
  }
  if (rc == EXIT_SUCCESS) rc = check_result(c, got, want); /* checks the result of the last timed conversion */
  conversion_close(c);
  scan_ctx_destroy(c->ctx);
  return rc;
}

int main(int argc, char **argv) {
  triplets_options options;
  triplets input = { 0 };
  csr got = { 0 }, want = { 0 };
  int rc = triplets_parse(argc, argv, &options);
  if (rc == 0) rc = triplets_make(&options, &input);
  if (rc == 0) rc = csr_alloc(input.rows, input.most_entries, &got);
  if (rc == 0) rc = csr_alloc(input.rows, input.most_entries, &want);
  conversion c = { .from = &input, .sorts = options.shuffle != 0 };
  if (rc == 0) rc = run(&c, &input, (int)options.rounds, &got, &want);
  csr_free(&want);
  csr_free(&got);
  triplets_free(&input);
  return rc < 0 ? EXIT_FAILURE : rc;
}
