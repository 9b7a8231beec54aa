/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction on the host, one pass over each array (device/host/select/host_select.h). The first launch finds the kept
 * elements, moves the first array, and writes a bit for each element, which the other launches read. It moves nothing
 * if the rest goes behind the kept ones, whose number must then be known first. `element_bytes` is the bytes of an
 * element; 0: nothing is moved. */
#include "base/types.h"
#include "device/arguments.h"
#include "kernels_cl/select/select.h"
#include "strategy/select/select.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(SELECT_PIPELINED_ARGUMENTS);

int scan_select_is_by_threads(const scan_caps *caps, const scan_select_form *form) {
  return caps->info.backend == SCAN_BACKEND_HOST && !scan_select_reduces(form);
}

/* Sums are fast here: they have loops over eight rows (device/host/scan/simd_rows8.h). */
int scan_select_is_summed(const scan_caps *caps, const scan_problem *scan, scan_strategy strategy) {
  if (caps->info.backend != SCAN_BACKEND_HOST) return 0;
  if (strategy != SCAN_STRATEGY_AUTO && strategy != SCAN_STRATEGY_THREADS) return 0;
  return scan_select_sum_type(scan) != SCAN_TYPE_DEFAULT;
}

/* A launch that writes all outputs of runs. */
static scan_launch runs_step(const scan_caps *caps, const scan_select_form *form, const char *kernel) {
  return (scan_launch){ .launch = { .file = "select.h",
                                    .kernel = kernel,
                                    .arguments = &arguments,
                                    .groups = caps->info.compute_units,
                                    .items_per_group = 1 },
                        .type = scan_type_for_kernel((scan_type)form->key_type, SCAN_ADD),
                        .primitive = "select_threads",
                        .array = SCAN_NO_ARRAY };
}

scan_launch scan_select_threads_reduce_step(const scan_caps *caps, const scan_select_form *form,
                                            const scan_source *sums) {
  scan_launch step = runs_step(caps, form, "select_threads_reduce");
  step.source = sums;
  step.flags = SELECT_LAST;
  step.reduces = 1;
  return step;
}

static scan_launch encode_step(const scan_caps *caps, const scan_select_form *form) {
  scan_launch step = runs_step(caps, form, "select_threads_encode");
  step.flags = scan_select_encode_flags(form);
  step.encodes = 1;
  return step;
}

static const char *kernel_of(uint32_t by, int is_index) {
  switch (by) {
  case SCAN_SELECT_FLAGS: return is_index ? "select_threads_index_flags" : "select_threads_flags";
  case SCAN_SELECT_BITS: return is_index ? "select_threads_index_bits" : "select_threads_bits";
  case SCAN_SELECT_PREDICATE: return is_index ? "select_threads_index" : "select_threads";
  default: return is_index ? "select_threads_index_runs" : "select_threads_runs";
  }
}

static scan_type type_of(const scan_select_form *form, uint32_t by) {
  if (by == SCAN_SELECT_FLAGS || by == SCAN_SELECT_BITS) return SCAN_U8;
  return scan_type_for_kernel((scan_type)form->key_type, SCAN_ADD);
}

static scan_launch threads_step(const scan_caps *caps, const scan_select_form *form, uint32_t by, int array) {
  const int moves = array != SCAN_NO_ARRAY, looks = by == form->by && form->predicate != NULL;
  const int is_index = moves && form->what[array] == SCAN_SELECT_INDICES;
  return (scan_launch){ .launch = { .file = "select.h",
                                    .kernel = kernel_of(looks ? SCAN_SELECT_PREDICATE : by, is_index),
                                    .arguments = &arguments,
                                    .groups = caps->info.compute_units,
                                    .items_per_group = 1 },
                        .type = looks ? SCAN_TYPE_DEFAULT : type_of(form, by),
                        .primitive = looks ? NULL : "select_threads",
                        .source = looks ? form->predicate : NULL,
                        .flags = moves ? scan_select_flags(form) : scan_select_flags(form) & SELECT_LAST,
                        .element_bytes = moves ? form->bytes[array] : 0,
                        .array = array };
}

int scan_select_threads_steps(const scan_caps *caps, const scan_select_form *form, scan_launch *steps) {
  const int first = form->rest == SCAN_REST_BEHIND ? SCAN_NO_ARRAY : 0;
  int count = 0;
  if (scan_select_is_of_runs(form)) {
    steps[0] = encode_step(caps, form);
    return 1;
  }
  steps[count++] = threads_step(caps, form, form->by, first);
  for (int a = first + 1; a < (int)form->arrays; a++) {
    steps[count] = threads_step(caps, form, SCAN_SELECT_BITS, a);
    steps[count++].reads_bits = form->by != SCAN_SELECT_BITS;
  }
  return count;
}
