/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernels of kernels_cu/batch/, which scan lines through stages of shared memory. */
#include "strategy/array/array.h"
#include "device/arguments.h"
#include "device/staged.h"
#include "kernels_cl/lib/arguments.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(TILE_ARGUMENTS);

enum {
  ALIGNED = 16,         /* bytes that the copy engine moves at once */
  MOST_LINES = 1 << 30, /* claims of lines are 32-bit numbers */
  FEWEST_ROWS = 4,      /* lines apart: rows that are worth filling the stages */
  ROW_VECTORS = 32,     /* of 16 bytes */
  ROWS_ITEMS = 256,     /* work-items of a work-group for contiguous lines */
  FULL_PERCENT = 90     /* lines apart: the least part of the multiprocessors that is at work on average */
};

static int is_aligned(int64_t stride) { return stride % ALIGNED == 0; }

/* 1 if all axes from `first` on have strides that keep lines aligned. */
static int axes_are_aligned(const array_lines *lines, uint64_t first) {
  for (uint64_t a = first; a < lines->axes; a++)
    if (!is_aligned(lines->axis[a].in_stride) || !is_aligned(lines->axis[a].out_stride)) return 0;
  return 1;
}

static int has_kernel(const scan_caps *caps, const scan_problem *problem, const char *file, uint32_t local_bytes) {
  const scan_kernel_key key = { .file = file,
                                .kernel = "scan_rows_staged",
                                .input_type = problem->input_type,
                                .type = problem->type,
                                .op = problem->op,
                                .subtiles = 8 };
  return caps->info.backend == SCAN_BACKEND_CUDA && caps->tuning.image == 90 && problem->source == NULL &&
         caps->dynamic_local_bytes >= local_bytes && scan_backend_has_kernel(caps->info.backend, &key);
}

int scan_array_use_staged_rows(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                               uint32_t backward, array_method *method) {
  const uint64_t groups = STAGED_ROWS_GROUPS * (uint64_t)caps->info.compute_units;
  const uint64_t bytes = lines->n * scan_problem_bytes(problem);
  if (!has_kernel(caps, problem, "rows_staged.cuh", STAGED_ROWS_GROUPS * STAGED_ROWS_STAGES * STAGED_ROWS_BYTES) ||
      lines->is_total || lines->lines > MOST_LINES || bytes < STAGED_ROWS_BYTES || bytes % ALIGNED != 0 ||
      !axes_are_aligned(lines, 0))
    return 0;
  *method = (array_method){
    .variant = ARRAY_ROWS,
    .reason = "contiguous lines, a work-group each, through stages",
    .backward = backward,
    .subtiles = 8,
    .step = { .file = "rows_staged.cuh",
              .kernel = "scan_rows_staged",
              .arguments = &arguments,
              .groups = (uint32_t)(lines->lines < groups ? lines->lines : groups),
              .items_per_group = ROWS_ITEMS,
              .local_bytes = STAGED_ROWS_STAGES * STAGED_ROWS_BYTES },
  };
  return 1;
}

/* 1 if work-groups of STAGED_LINES lines, one a multiprocessor, leave few multiprocessors idle. */
static int fills_device(const scan_caps *caps, const array_lines *lines) {
  const uint64_t groups = lines->lines / STAGED_LINES, units = caps->info.compute_units;
  const uint64_t turns = (groups + units - 1) / units;
  return groups * 100 >= turns * units * FULL_PERCENT;
}

int scan_array_use_staged_lines(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                                array_method *method) {
  const int64_t item = (int64_t)scan_problem_bytes(problem);
  const array_axis *inner = &lines->axis[0];
  if (!has_kernel(caps, problem, "lines_staged.cuh", STAGED_LINES_STAGES * STAGED_LINES_BYTES) || lines->is_total ||
      lines->axes == 0 || lines->lines > MOST_LINES || inner->in_stride != item || inner->out_stride != item ||
      inner->extent % STAGED_LINES != 0 || !is_aligned(lines->in_step) || !is_aligned(lines->out_step) ||
      !axes_are_aligned(lines, 1) || lines->n * (uint64_t)item < (uint64_t)FEWEST_ROWS * ROW_VECTORS * ALIGNED ||
      !fills_device(caps, lines))
    return 0;
  *method = (array_method){
    .variant = ARRAY_APART,
    .reason = "lines side by side, 128 to a work-group, through stages",
    .subtiles = 8,
    .step = { .file = "lines_staged.cuh",
              .kernel = "scan_lines_staged",
              .arguments = &arguments,
              .groups = (uint32_t)(lines->lines / STAGED_LINES),
              .items_per_group = STAGED_LINES_ITEMS,
              .local_bytes = STAGED_LINES_STAGES * STAGED_LINES_BYTES },
  };
  return 1;
}
