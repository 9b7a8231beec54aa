/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file particle_bins.c
 * @brief Sorts the particles of a particle-in-cell code by cell, reproducibly, on the device.
 *
 * Usage: particle_bins [--particles N] [--in-cell N] [--moved] [--baseline] [--rounds N]. Particles are seven arrays of
 * f32, by default eight particles a cell. They lie at random, or with --moved as some steps after the last sort. With
 * --baseline it also times the plain loop, which moves them cell by cell on one thread of the host.
 *
 * 1. A kernel of the application computes the cell of each particle.
 * 2. scan_sort sorts cells and all seven arrays by cell, by the bits that cells use. Particles of one cell stay in
 *    their order, so that sums over a cell have the same bits every time.
 * 3. A kernel finds the begin of each cell, empty ones included.
 *
 * The result is checked against the plain loop.
 * Exit status: 0 the order is right; 1 it is wrong, or a call failed; 77 there is no such device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <scanrt/scan_sort.h>

#include "figures.h"
#include "kernels.h"
#include "particles.h"

enum { IN, OUT = PARTICLE_ARRAYS, CELL = 2 * PARTICLE_ARRAYS, SORTED_CELL, OFFSET, MEMORIES };
enum { CANNOT = 77, MOST_BASELINE_ROUNDS = 3 /**< A round takes seconds. */ };

APP_KERNELS(
    text,
    APP_FUNCTION uint32_t along(float place, uint32_t side) {
      const uint32_t cell = (uint32_t)place;
      return cell < side ? cell : side - 1u;
    }

    APP_KERNEL void find_cells(APP_GLOBAL const float *x, APP_GLOBAL const float *y, APP_GLOBAL const float *z,
                               APP_GLOBAL uint32_t *cell, uint32_t count, uint32_t side) {
      for (uint64_t i = APP_ITEM; i < count; i += APP_ITEMS)
        cell[i] = (along(z[i], side) * side + along(y[i], side)) * side + along(x[i], side);
    }

    /* Each particle writes the begins of the cells behind that of the particle before it, up to its own. */
    APP_KERNEL void find_begins(APP_GLOBAL const uint32_t *cell, APP_GLOBAL uint32_t *offset, uint32_t count,
                                uint32_t cells) {
      for (uint64_t i = APP_ITEM; i <= count; i += APP_ITEMS) {
        const uint32_t end = i < count ? cell[i] : cells;
        for (uint32_t c = i > 0u ? cell[i - 1u] + 1u : 0u; c <= end; c++) offset[c] = (uint32_t)i;
      }
    });

static void find_cells_on_host(void *const *a) {
  find_cells(a[0], a[1], a[2], a[3], *(uint32_t *)a[4], *(uint32_t *)a[5]);
}
static void find_begins_on_host(void *const *a) { find_begins(a[0], a[1], *(uint32_t *)a[2], *(uint32_t *)a[3]); }

enum { FIND_CELLS, FIND_BEGINS, KERNELS };
static const app_kernel kernels[KERNELS] = { { "find_cells", find_cells_on_host },
                                             { "find_begins", find_begins_on_host } };

typedef struct binning {
  scan_ctx *ctx;
  const particles *from;
  scan_mem memory[MEMORIES];
  scan_plan *sort;
  app_kernels *kernels;
  app_sequence *recorded; /**< All steps, on CUDA as a graph. */
} binning;

static int says(const binning *b, scan_status status) {
  if (status == SCAN_SUCCESS) return EXIT_SUCCESS;
  fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(b->ctx));
  return status == SCAN_NO_DEVICE ? CANNOT : EXIT_FAILURE;
}

/* ---- setup ------------------------------------------------------------------------------------------------------- */

static scan_status make_memory(binning *b) {
  scan_status status = SCAN_SUCCESS;
  for (int i = 0; i < MEMORIES && status == SCAN_SUCCESS; i++)
    status = app_alloc(b->ctx, 4 * (i == OFFSET ? (uint64_t)b->from->cells + 1 : b->from->count), &b->memory[i]);
  for (int a = 0; a < PARTICLE_ARRAYS && status == SCAN_SUCCESS; a++)
    status = scan_write(b->ctx, b->memory[IN + a], b->from->of[a], 4 * (uint64_t)b->from->count);
  return status;
}

static scan_status make_plan(binning *b) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  spec.end_bit = particles_cell_bits(b->from);
  spec.arrays = PARTICLE_ARRAYS;
  for (int a = 0; a < PARTICLE_ARRAYS; a++) spec.element_bytes[a] = sizeof(float);
  return scan_plan_create_sort(b->ctx, &spec, b->from->count, &b->sort);
}

static scan_status open_binning(binning *b, scan_device_info *device) {
  scan_status status = scan_ctx_create(NULL, &b->ctx);
  if (status == SCAN_SUCCESS) status = scan_ctx_device(b->ctx, device);
  if (status == SCAN_SUCCESS) status = make_memory(b);
  return status == SCAN_SUCCESS ? make_plan(b) : status;
}

static void close_binning(binning *b) {
  app_sequence_destroy(b->recorded);
  app_kernels_destroy(b->kernels);
  scan_plan_destroy(b->sort);
  for (int i = 0; i < MEMORIES; i++) app_free(b->ctx, b->memory[i]);
  scan_ctx_destroy(b->ctx);
}

/* ---- the sort: allocates nothing, and never waits ---------------------------------------------------------------- */

static scan_status launch(binning *b, int which, const app_argument *arguments, int count) {
  const uint64_t work = (uint64_t)b->from->count + (which == FIND_BEGINS);
  return app_kernels_launch(b->kernels, which, work, arguments, count) == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR;
}

static scan_status enqueue_cells(binning *b) {
  const app_argument arguments[] = { { .memory = b->memory[IN + PARTICLE_X] },
                                     { .memory = b->memory[IN + PARTICLE_Y] },
                                     { .memory = b->memory[IN + PARTICLE_Z] },
                                     { .memory = b->memory[CELL] },
                                     { .number = b->from->count },
                                     { .number = b->from->side } };
  return launch(b, FIND_CELLS, arguments, 6);
}

static scan_status enqueue_sort(binning *b) {
  scan_sort_args args = SCAN_SORT_ARGS_INIT(b->memory[CELL], b->memory[SORTED_CELL]);
  for (int a = 0; a < PARTICLE_ARRAYS; a++) {
    args.in[a] = b->memory[IN + a];
    args.out[a] = b->memory[OUT + a];
  }
  return scan_plan_run_sort(b->sort, b->from->count, &args);
}

static scan_status enqueue_begins(binning *b) {
  const app_argument arguments[] = { { .memory = b->memory[SORTED_CELL] },
                                     { .memory = b->memory[OFFSET] },
                                     { .number = b->from->count },
                                     { .number = b->from->cells } };
  return launch(b, FIND_BEGINS, arguments, 4);
}

static scan_status enqueue_all(binning *b) {
  scan_status status = enqueue_cells(b);
  if (status == SCAN_SUCCESS) status = enqueue_sort(b);
  return status == SCAN_SUCCESS ? enqueue_begins(b) : status;
}

static int enqueue_or_say(void *state) { return says(state, enqueue_all(state)); }

static int record(binning *b) {
  if (app_kernels_create(b->ctx, text, kernels, KERNELS, &b->kernels) != 0) return EXIT_FAILURE;
  return app_sequence_create(b->kernels, enqueue_or_say, b, &b->recorded) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static scan_status run_recorded(binning *b) {
  return app_sequence_run(b->recorded) == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static int check_offsets(const binning *b, const bins *want, uint32_t *got) {
  const scan_status status = scan_read(b->ctx, b->memory[OFFSET], got, 4 * ((uint64_t)b->from->cells + 1));
  if (status != SCAN_SUCCESS) return says(b, status);
  return bins_compare_offsets(b->from, got, want->offset) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int check_array(const binning *b, const bins *want, int array, float *got) {
  const scan_status status = scan_read(b->ctx, b->memory[OUT + array], got, 4 * (uint64_t)b->from->count);
  if (status != SCAN_SUCCESS) return says(b, status);
  return particles_compare(b->from, array, want->order, got) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int check_result(const binning *b, const bins *want) {
  const uint64_t count = b->from->count, offsets = (uint64_t)b->from->cells + 1;
  void *got = malloc((size_t)(4 * (count > offsets ? count : offsets)));
  int rc = got ? check_offsets(b, want, got) : EXIT_FAILURE;
  if (!got) fprintf(stderr, "no memory for results\n");
  for (int a = 0; a < PARTICLE_ARRAYS && rc == EXIT_SUCCESS; a++) rc = check_array(b, want, a, got);
  free(got);
  return rc;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef scan_status binning_step(binning *b);
typedef struct timed {
  binning *b;
  binning_step *step;
} timed;

static int run_timed(void *state) {
  const timed *t = state;
  return (int)t->step(t->b);
}

static int wait_timed(void *state) { return (int)scan_sync(((timed *)state)->b->ctx); }

static scan_status enqueue_copy(binning *b) {
  return scan_copy(b->ctx, b->memory[OUT], b->memory[IN], 4 * (uint64_t)b->from->count);
}

static scan_status print_figures(binning *b, int rounds) {
  const double n = b->from->count, cells = b->from->cells, all = particles_bytes(b->from);
  const struct {
    const char *what;
    binning_step *step;
    double bytes;
  } steps[] = {
    { "find cells", enqueue_cells, 16 * n },
    { "sort cells and seven arrays", enqueue_sort, 64 * n },
    { "find where cells begin", enqueue_begins, 4 * (n + cells) },
    { "copy of 4 bytes a particle", enqueue_copy, 8 * n },
    { "all, nobody waiting", enqueue_all, all },
    { "all, recorded once", run_recorded, all },
  };
  enum { STEPS = sizeof steps / sizeof *steps, COPY = 3 };
  double seconds[STEPS];
  for (int i = 0; i < STEPS; i++) {
    timed t = { b, steps[i].step };
    const figures_subject subject = { run_timed, wait_timed, &t, FIGURES_REPEATS };
    const int status = figures_time(&subject, rounds, &seconds[i]);
    if (status != SCAN_SUCCESS) return (scan_status)status;
  }
  const double copy_rate = steps[COPY].bytes / seconds[COPY];
  for (int i = 0; i < STEPS; i++) figures_print(steps[i].what, seconds[i], steps[i].bytes, copy_rate);
  return SCAN_SUCCESS;
}

typedef struct plain_loop {
  const particles *from;
  particles *to;
  uint32_t *offset;
} plain_loop;

static int run_plain_loop(void *state) {
  const plain_loop *loop = state;
  particles_move(loop->from, loop->to, loop->offset);
  return 0;
}

/* Times the plain loop. @param spare  room for the offsets that it writes */
static int print_baseline(const particles *from, int rounds, uint32_t *spare) {
  particles to;
  double seconds = 0;
  if (particles_alloc(from->count, from->side, &to) != 0) return EXIT_FAILURE;
  plain_loop loop = { from, &to, spare };
  const figures_subject subject = { run_plain_loop, NULL, &loop, 1 };
  (void)figures_time(&subject, rounds < MOST_BASELINE_ROUNDS ? rounds : MOST_BASELINE_ROUNDS, &seconds);
  figures_print("plain loop, one host thread", seconds, particles_bytes(from), 0);
  particles_free(&to);
  return EXIT_SUCCESS;
}

/* ---- all steps --------------------------------------------------------------------------------------------------- */

static int run(binning *b, const particles_options *o, bins *want) {
  scan_device_info device = SCAN_DEVICE_INFO_INIT;
  int rc = says(b, open_binning(b, &device));
  if (rc == EXIT_SUCCESS) rc = record(b);
  if (rc == EXIT_SUCCESS) rc = says(b, run_recorded(b));
  if (rc == EXIT_SUCCESS) rc = check_result(b, want);
  if (rc == EXIT_SUCCESS) {
    printf("in the order of their cells on %s (%s), as the plain loop puts them\n", device.selector, device.name);
    rc = says(b, print_figures(b, (int)o->rounds));
  }
  if (rc == EXIT_SUCCESS) rc = check_result(b, want); /* checks the result of the last timed sort */
  close_binning(b);
  if (rc == EXIT_SUCCESS && o->baseline) rc = print_baseline(b->from, (int)o->rounds, want->offset);
  return rc;
}

int main(int argc, char **argv) {
  particles_options options;
  particles input = { 0 };
  bins want = { 0 };
  int rc = particles_parse(argc, argv, &options);
  if (rc == 0) rc = particles_make(&options, &input);
  if (rc == 0) rc = bins_alloc(&input, &want);
  if (rc == 0) {
    binning b = { .from = &input };
    bins_of_particles(&input, &want);
    rc = run(&b, &options, &want);
  }
  bins_free(&want);
  particles_free(&input);
  return rc < 0 ? EXIT_FAILURE : rc;
}
