/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file coo_to_csr.c
 * @brief Converts a sparse matrix from triplets (COO) to CSR and adds up duplicates, all on the device.
 *
 * Usage: coo_to_csr [FILE | --laplacian SIDE] [--upper] [--shuffle] [--rounds N]. By default it takes the Laplacian of
 * the graph in tools/examples/data/, from the repository's folder; --laplacian 117 has 10^8 triplets. With --upper it
 * takes only entries above the diagonal, so that some rows are empty. With --shuffle triplets come in a random order,
 * else by rows and columns.
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
#include <string.h>

#include <scanrt/scan_runs.h>
#include <scanrt/scan_sort.h>

#include "figures.h"
#include "kernels.h"
#include "triplets.h"

/* Counters that stay on the device, each a uint64_t. */
enum { ENTRIES, NUMBERS };
enum { PLACE, VALUE, SORTED_PLACE, SORTED_VALUE, ENTRY_PLACE, ENTRY_VALUE, COLUMN, OFFSET, COUNTS, MEMORIES };

enum { CANNOT = 77 };

APP_KERNELS(
    text,
    /* Returns the row of an entry, counted from 1; 0 for the entry before the first. */
    APP_FUNCTION uint32_t row_behind(APP_GLOBAL const uint64_t *place, uint64_t entry) {
      return entry > 0u ? (uint32_t)(place[entry - 1u] >> 32) + 1u : 0u;
    }

    APP_KERNEL void split(APP_GLOBAL const uint64_t *place, APP_GLOBAL const uint64_t *entries,
                          APP_GLOBAL uint32_t *column, APP_GLOBAL uint32_t *offset, uint32_t rows) {
      for (uint64_t i = APP_ITEM; i <= entries[0]; i += APP_ITEMS) {
        const uint32_t end = i < entries[0] ? (uint32_t)(place[i] >> 32) : rows;
        if (i < entries[0]) column[i] = (uint32_t)place[i];
        for (uint32_t r = row_behind(place, i); r <= end; r++) offset[r] = (uint32_t)i;
      }
    });

static void split_on_host(void *const *a) { split(a[0], a[1], a[2], a[3], *(uint32_t *)a[4]); }

enum { SPLIT, KERNELS };
static const app_kernel kernels[KERNELS] = { { "split", split_on_host } };

typedef struct conversion {
  scan_ctx *ctx;
  const triplets *from;
  int sorts;
  scan_mem memory[MEMORIES];
  scan_plan *sort; /**< NULL: triplets come in order. */
  scan_plan *sum;
  app_kernels *kernels;
  app_sequence *recorded; /**< All steps, on CUDA as a graph. */
} conversion;

static scan_mem number(const conversion *c, int which) {
  return scan_offset(c->memory[COUNTS], (uint64_t)which * sizeof(uint64_t));
}

static int says(const conversion *c, scan_status status) {
  if (status == SCAN_SUCCESS) return EXIT_SUCCESS;
  fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(c->ctx));
  return status == SCAN_UNSUPPORTED || status == SCAN_NO_DEVICE ? CANNOT : EXIT_FAILURE;
}

/* ---- setup ------------------------------------------------------------------------------------------------------- */

static scan_status write_input(conversion *c) {
  const triplets *t = c->from;
  const scan_status status = scan_write(c->ctx, c->memory[PLACE], t->place, t->count * sizeof(uint64_t));
  if (status != SCAN_SUCCESS) return status;
  return scan_write(c->ctx, c->memory[VALUE], t->value, t->count * sizeof(double));
}

static scan_status make_memory(conversion *c) {
  const triplets *t = c->from;
  const uint64_t n = t->count, most = t->most_entries;
  const uint64_t bytes[MEMORIES] = {
    [PLACE] = 8 * n,
    [VALUE] = 8 * n,
    [SORTED_PLACE] = c->sorts ? 8 * n : 8,
    [SORTED_VALUE] = c->sorts ? 8 * n : 8,
    [ENTRY_PLACE] = 8 * most,
    [ENTRY_VALUE] = 8 * most,
    [COLUMN] = 4 * most,
    [OFFSET] = 4 * ((uint64_t)t->rows + 1),
    [COUNTS] = NUMBERS * sizeof(uint64_t),
  };
  scan_status status = SCAN_SUCCESS;
  for (int i = 0; i < MEMORIES && status == SCAN_SUCCESS; i++) status = app_alloc(c->ctx, bytes[i], &c->memory[i]);
  return status;
}

static uint32_t bits_of(uint32_t number) {
  uint32_t bits = 1;
  while (bits < 32 && number >> bits != 0) bits++;
  return bits;
}

static scan_status make_plans(conversion *c) {
  const scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(SCAN_U64, SCAN_F64, SCAN_ADD);
  scan_sort_spec sort = SCAN_SORT_PAIRS_INIT(SCAN_U64, sizeof(double));
  sort.end_bit = 32 + bits_of(c->from->rows);
  if (c->sorts) {
    const scan_status status = scan_plan_create_sort(c->ctx, &sort, c->from->count, &c->sort);
    if (status != SCAN_SUCCESS) return status;
  }
  return scan_plan_create_reduce_by_key(c->ctx, &sum, c->from->count, &c->sum);
}

static void conversion_free(conversion *c) {
  app_sequence_destroy(c->recorded);
  app_kernels_destroy(c->kernels);
  scan_plan_destroy(c->sum);
  scan_plan_destroy(c->sort);
  for (int i = 0; i < MEMORIES; i++) app_free(c->ctx, c->memory[i]);
}

/* ---- the conversion: allocates nothing, and never waits ---------------------------------------------------------- */

static scan_status sort_triplets(conversion *c) {
  const scan_sort_args args =
      SCAN_SORT_PAIRS_ARGS_INIT(c->memory[PLACE], c->memory[SORTED_PLACE], c->memory[VALUE], c->memory[SORTED_VALUE]);
  return c->sorts ? scan_plan_run_sort(c->sort, c->from->count, &args) : SCAN_SUCCESS;
}

static scan_status sum_duplicates(conversion *c) {
  scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(
      c->memory[c->sorts ? SORTED_PLACE : PLACE], c->memory[c->sorts ? SORTED_VALUE : VALUE], c->memory[ENTRY_PLACE],
      c->memory[ENTRY_VALUE], number(c, ENTRIES));
  args.capacity = c->from->most_entries;
  return scan_plan_run_reduce_by_key(c->sum, c->from->count, &args);
}

static scan_status split_places(conversion *c) {
  const app_argument arguments[] = { { .memory = c->memory[ENTRY_PLACE] },
                                     { .memory = number(c, ENTRIES) },
                                     { .memory = c->memory[COLUMN] },
                                     { .memory = c->memory[OFFSET] },
                                     { .number = c->from->rows } };
  const int rc = app_kernels_launch(c->kernels, SPLIT, c->from->most_entries, arguments, 5);
  return rc == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR;
}

static scan_status convert(conversion *c) {
  scan_status status = sort_triplets(c);
  if (status == SCAN_SUCCESS) status = sum_duplicates(c);
  if (status == SCAN_SUCCESS) status = split_places(c);
  return status;
}

static int convert_or_say(void *state) { return says(state, convert(state)); }

static int record(conversion *c) {
  if (app_kernels_create(c->ctx, text, kernels, KERNELS, &c->kernels) != 0) return EXIT_FAILURE;
  return app_sequence_create(c->kernels, convert_or_say, c, &c->recorded) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static scan_status convert_again(conversion *c) {
  return app_sequence_run(c->recorded) == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR;
}

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
  return scan_copy(c->ctx, c->memory[VALUE], c->memory[PLACE], c->from->count * sizeof(uint64_t));
}

static scan_status print_figures(conversion *c, uint64_t entries, int rounds) {
  const double n = (double)c->from->count, e = (double)entries, rows = (double)c->from->rows + 1;
  const struct {
    const char *what;
    conversion_step *step;
    double bytes;
  } steps[] = {
    { "sort", sort_triplets, 32 * n },
    { "add up duplicates", sum_duplicates, 16 * (n + e) },
    { "split places, find rows", split_places, 12 * e + 4 * rows },
    { "all, nobody waiting", convert, all_bytes(c, entries) },
    { "all, recorded once", convert_again, all_bytes(c, entries) },
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

/* ---- the result -------------------------------------------------------------------------------------------------- */

static scan_status read_result(conversion *c, csr *got) {
  uint64_t numbers[NUMBERS];
  scan_status status = scan_read(c->ctx, c->memory[COUNTS], numbers, sizeof numbers);
  if (status != SCAN_SUCCESS) return status;
  if (numbers[ENTRIES] > got->entries) { /* all entries were counted, but some were not written */
    fprintf(stderr, "%" PRIu64 " entries where %" PRIu64 " are possible\n", numbers[ENTRIES], got->entries);
    return SCAN_SUCCESS;
  }
  got->entries = numbers[ENTRIES];
  got->rows = c->from->rows;
  status = scan_read(c->ctx, c->memory[OFFSET], got->offset, ((uint64_t)c->from->rows + 1) * sizeof *got->offset);
  if (status == SCAN_SUCCESS)
    status = scan_read(c->ctx, c->memory[COLUMN], got->column, got->entries * sizeof *got->column);
  if (status == SCAN_SUCCESS)
    status = scan_read(c->ctx, c->memory[ENTRY_VALUE], got->value, got->entries * sizeof *got->value);
  return status;
}

typedef struct plain_loop {
  const triplets *from;
  csr *to;
} plain_loop;

static int run_plain_loop(void *state) {
  const plain_loop *loop = state;
  csr_of_triplets(loop->from, loop->to);
  return 0;
}

static scan_status open_conversion(conversion *c, scan_device_info *device) {
  scan_status status = scan_ctx_create(NULL, &c->ctx);
  if (status == SCAN_SUCCESS) status = scan_ctx_device(c->ctx, device);
  if (status == SCAN_SUCCESS) status = make_memory(c);
  if (status == SCAN_SUCCESS) status = write_input(c);
  return status == SCAN_SUCCESS ? make_plans(c) : status;
}

static int check_result(conversion *c, csr *got, const csr *want) {
  const int rc = says(c, read_result(c, got));
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
  int rc = says(c, open_conversion(c, &device));
  if (rc == EXIT_SUCCESS) rc = record(c);
  if (rc == EXIT_SUCCESS) rc = says(c, convert_again(c));
  if (rc == EXIT_SUCCESS) rc = check_result(c, got, want);
  if (rc == EXIT_SUCCESS) {
    printf("%" PRIu64 " entries on %s (%s), as the plain loop makes them\n", got->entries, device.selector,
           device.name);
    rc = says(c, print_figures(c, got->entries, rounds));
    figures_print(c->sorts ? "plain loop, of sorted ones" : "plain loop, one host thread", loop_seconds,
                  csr_bytes(c->from, want->entries), 0);
  }
  if (rc == EXIT_SUCCESS) rc = check_result(c, got, want); /* checks the result of the last timed conversion */
  conversion_free(c);
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
