/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernels of kernels_cl/batch/ that scan an array's lines, and the number of work-groups. */
#include "strategy/array/array.h"
#include "base/canonical.h"
#include "base/types.h"
#include "device/arguments.h"
#include "kernels_cl/lib/arguments.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(TILE_ARGUMENTS);

enum {
  WARP_ITEMS = 32,
  LINE_BLOCK = 16,                /* lines that a work-item walks side by side (lines_item.h) */
  LAUNCH_BYTES = 8 << 10,         /* bytes that a warp scans in the time of a launch */
  STAGED_LAUNCH_BYTES = 16 << 10, /* the least that a work-group with stages scans in that time */
  MOST_GROUPS = 1 << 24,          /* the most work-groups; with more lines each takes several turns */
  SHORT_LINES = 4,                /* lines that a work-item handles at once (rows_group.cl) */
  SHARES = 16,                    /* work-groups for each processor */
  EACH_WITHOUT_KERNEL = 4096,     /* the most lines that are scanned one by one without a kernel for many */
  APART_BYTES = 24, /* the largest value from source that is scanned side by side: more would not fit local memory */
  WIDE_BYTES = 4    /* the largest value for work-groups with two strips of lines (lines_group.cl) */
};

static uint64_t divide_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

static uint64_t number_least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* 1 if elements are adjacent, with rising (sign 1) or falling (-1) addresses. */
static int is_contiguous(const scan_problem *problem, const array_lines *lines, int sign) {
  return lines->in_step == sign * (int64_t)scan_problem_input_bytes(problem) &&
         (lines->is_total || lines->out_step == sign * (int64_t)scan_problem_output_bytes(problem));
}

/* 1 if kernels that only read compute the lines' totals. Checks for overflow need every step of a scan. */
static int has_total_kernels(const scan_problem *problem, const array_lines *lines) {
  return lines->is_total && !problem->checks;
}

int scan_array_has_kernels(const scan_caps *caps, const scan_problem *problem) {
  const scan_kernel_key key = { .file = "rows_group.cl",
                                .kernel = "scan_rows",
                                .input_type = problem->input_type,
                                .type = problem->type,
                                .op = problem->op,
                                .subtiles = 8 };
  return scan_backend_has_kernel(caps->info.backend, &key);
}

/* ---- iterations of loops, on devices that limit them ---- */

static int rows_end_early(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  if (problem->source != NULL) return caps->loop_limit != 0 && n > scan_source_walk_items(caps, problem);
  return caps->loop_limit != 0 && n > caps->loop_limit / 4;
}

static int apart_end_early(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  return caps->loop_limit != 0 && n > caps->loop_limit / (scan_type_is_float(problem->type) ? 8 : 2);
}

/* ---- choices ---- */

/* 1 if a scan a line is faster. A scan by the whole device costs a launch; scans by a warp each take as long as one
 * line. */
static int inner_is_faster(const scan_caps *caps, const scan_problem *problem, const array_lines *lines) {
  const uint64_t line_bytes = lines->n * scan_problem_bytes(problem);
  if (lines->lines == 1) return 1;
  if (caps->info.backend == SCAN_BACKEND_HOST)
    return lines->lines < 2 * (uint64_t)caps->info.compute_units && line_bytes > 4 * caps->tuning.one_thread_bytes;
  return lines->lines < 4 * (uint64_t)caps->info.compute_units && line_bytes / LAUNCH_BYTES >= lines->lines;
}

static void use_inner(const char *reason, int backward, array_method *method) {
  *method = (array_method){ .variant = ARRAY_INNER, .reason = reason, .backward = backward != 0 };
}

static uint32_t groups_for(uint64_t turns) { return (uint32_t)number_least(turns, MOST_GROUPS); }

static void use_item(const scan_caps *caps, const scan_problem *problem, const array_lines *lines, int contiguous,
                     array_method *method) {
  const int narrow = caps->loop_limit != 0;
  const uint64_t turns = contiguous || narrow ? lines->lines : divide_up(lines->lines, LINE_BLOCK);
  const uint64_t groups = narrow ? turns : number_least(turns, SHARES * (uint64_t)caps->info.compute_units);
  *method = (array_method){
    .variant = contiguous ? ARRAY_ROWS : ARRAY_APART,
    .reason = contiguous ? "contiguous lines, one after the other by each work-item"
                         : "lines side by side, in the elements of vectors",
    .subtiles = canon_subtiles(lines->n, scan_problem_bytes(problem)),
    .step = { .file = "lines_item.cl",
              .kernel = contiguous ? "scan_rows" : "scan_lines_apart",
              .arguments = &arguments,
              .groups = groups_for(groups),
              .items_per_group = 1 },
  };
}

static void use_rows(const scan_caps *caps, const scan_problem *problem, const array_lines *lines, int backward,
                     array_method *method) {
  const uint32_t items = caps->tuning.group_items;
  const int is_short = lines->n <= WARP_ITEMS * canon_vector_items(scan_problem_bytes(problem));
  uint64_t words[ARRAY_WORDS], at_once = items / WARP_ITEMS;
  scan_array_words(lines, scan_problem_bytes(problem), 0, words);
  if (is_short) at_once = SHORT_LINES * (uint64_t)items / words[ARRAY_WORD_LANES];
  *method = (array_method){
    .variant = is_short ? ARRAY_SHORT : ARRAY_ROWS,
    .reason = is_short ? "short contiguous lines, several to a warp" : "contiguous lines, a warp each",
    .backward = backward != 0,
    .subtiles = 8,
    .step = { .file = "rows_group.cl",
              .kernel = is_short ? "scan_rows_short" : "scan_rows",
              .arguments = &arguments,
              .groups = groups_for(divide_up(lines->lines, at_once)),
              .items_per_group = items },
  };
  if (!has_total_kernels(problem, lines)) return;
  method->step.file = "totals_group.cl";
  method->step.kernel = is_short ? "total_rows_short" : "total_rows";
}

/* Shares 32 lines among as few warps as leave no compute unit idle, at most a warp for each row. */
static void use_totals_apart(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                             array_method *method) {
  const uint32_t warps = caps->tuning.group_items / WARP_ITEMS;
  const uint64_t strips = divide_up(lines->lines, WARP_ITEMS);
  const uint64_t rows = divide_up(lines->n, WARP_ITEMS * canon_vector_items(scan_problem_bytes(problem)));
  uint32_t sharers = 1;
  while (sharers < warps && sharers < rows && strips * sharers / warps < caps->info.compute_units) sharers *= 2;
  *method = (array_method){
    .variant = ARRAY_APART,
    .reason = "lines side by side, 32 to a warp",
    .subtiles = 8,
    .sharers = sharers,
    .step = { .file = "totals_group.cl",
              .kernel = "total_lines",
              .arguments = &arguments,
              .groups = groups_for(divide_up(strips * sharers, warps)),
              .items_per_group = caps->tuning.group_items },
  };
}

/* Uses two strips of lines a work-group, if every compute unit still gets one. */
static void use_apart(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                      array_method *method) {
  if (has_total_kernels(problem, lines)) {
    use_totals_apart(caps, problem, lines, method);
    return;
  }
  const int fits = problem->source == NULL || scan_problem_value_bytes(problem) <= WIDE_BYTES;
  const uint64_t strip = WARP_ITEMS, both = 2 * strip;
  const int wide = fits && lines->lines >= both * caps->info.compute_units;
  *method = (array_method){
    .variant = ARRAY_APART,
    .reason = wide ? "lines side by side, 64 to a work-group" : "lines side by side, 32 to a work-group",
    .subtiles = 8,
    .step = { .file = "lines_group.cl",
              .kernel = wide ? "scan_lines_apart_wide" : "scan_lines_apart",
              .arguments = &arguments,
              .groups = groups_for(divide_up(lines->lines, wide ? both : strip)),
              .items_per_group = caps->tuning.group_items },
  };
}

/* Chooses for an operator from source: lines may have any strides. */
static void choose_with_source(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                               array_method *method) {
  const int contiguous = is_contiguous(problem, lines, 1) || is_contiguous(problem, lines, -1);
  if (inner_is_faster(caps, problem, lines)) {
    use_inner(lines->lines == 1 ? "one line" : "few long lines: a scan each", 0, method);
  } else if (rows_end_early(caps, problem, lines->n)) {
    use_inner("lines longer than the device's loops: a scan each", 0, method);
  } else if (caps->tuning.group_items <= 1) {
    use_item(caps, problem, lines, 1, method);
    method->reason = "lines one after the other by each work-item";
  } else if (!contiguous && scan_problem_value_bytes(problem) <= APART_BYTES) {
    use_apart(caps, problem, lines, method);
    method->subtiles = canon_most_subtiles(scan_problem_bytes(problem));
  } else {
    use_rows(caps, problem, lines, 0, method);
    method->reason = method->variant == ARRAY_SHORT ? "short lines, several to a warp" : "lines, a warp each";
    method->subtiles = canon_most_subtiles(scan_problem_bytes(problem));
  }
}

const char *scan_array_choose(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                              array_method *method) {
  if (lines->n == 0) {
    *method = (array_method){ .variant = ARRAY_FILL, .reason = "the lines have no elements: a value is copied" };
    return NULL;
  }
  if (problem->source != NULL) {
    choose_with_source(caps, problem, lines, method);
    if (scan_source_has_members(problem->source)) method->step.flags_known = SCAN_KERNEL_REVERSED;
    return NULL;
  }
  const int forward = is_contiguous(problem, lines, 1), backward = is_contiguous(problem, lines, -1);
  const int by_item = caps->tuning.group_items <= 1, contiguous = forward || backward;
  const int by_rows =
      by_item ? forward : contiguous; /* a single work-item scans lines with falling addresses side by side */
  if (contiguous && lines->n * scan_problem_bytes(problem) / STAGED_LAUNCH_BYTES <= lines->lines &&
      scan_array_use_staged_rows(caps, problem, lines, (uint32_t)backward, method))
    return NULL;
  /* Without kernels of many lines there are none of backward scans, either. */
  if (contiguous && inner_is_faster(caps, problem, lines) && (forward || scan_array_has_kernels(caps, problem))) {
    use_inner(lines->lines == 1 ? "one contiguous line" : "few long contiguous lines: a scan each", backward, method);
  } else if (contiguous && rows_end_early(caps, problem, lines->n)) {
    use_inner("lines longer than the device's loops: a scan each", backward, method);
  } else if (!by_rows && apart_end_early(caps, problem, lines->n)) {
    if (!contiguous)
      return "the device ends loops silently before the end of lines as long as these, whose elements lie apart; copy "
             "the array so that its lines are contiguous";
    use_inner("lines longer than the device's loops: a scan each", backward, method);
  } else if (!scan_array_has_kernels(caps, problem)) {
    if (!forward || lines->lines > EACH_WITHOUT_KERNEL)
      return "on CUDA the kernels of many lines are compiled for add, mul, min and max without widening; copy the "
             "array so that its lines are contiguous, and scan up to 4096 at once, or scan it on OpenCL or the host";
    use_inner("no kernel for many lines was compiled for this operator: a scan each", 0, method);
  } else if (by_item) {
    use_item(caps, problem, lines, forward, method);
  } else if (contiguous) {
    if (!scan_array_use_staged_rows(caps, problem, lines, (uint32_t)backward, method))
      use_rows(caps, problem, lines, backward, method);
  } else if (!scan_array_use_staged_lines(caps, problem, lines, method)) {
    use_apart(caps, problem, lines, method);
  }
  return NULL;
}
