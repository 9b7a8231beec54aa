/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting floating-point keys in the numeric order: the kernels that read keys are replaced by others of the same
 * geometry. */
#include <string.h>

#include "strategy/sort/sort.h"

typedef struct numeric_kernel {
  const char *kernel;    /* kernel of the total order */
  const char *numeric;   /* kernel of the numeric order */
  const char *file;      /* file of the numeric kernel */
  const char *primitive; /* CUDA image of the numeric kernel; NULL: only OpenCL has it */
} numeric_kernel;

#define KERNEL_OF(name, file, primitive) "sort_" name, "sort_numeric_" name, file, primitive
static const numeric_kernel numeric_kernels[] = {
  { KERNEL_OF("digits", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("starts", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("count", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("move", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("alone", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("merged", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("ranked_64", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("ranked_128", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("ranked_segments_64", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("ranked_segments_128", "sort_numeric.cl", "sort_numeric") },
  { KERNEL_OF("segments", "sort_numeric_segments.cl", NULL) },
  { KERNEL_OF("segments_item", "sort_numeric_segments_item.cl", NULL) },
  { KERNEL_OF("segments_count", "sort_numeric_segments.cl", NULL) },
  { KERNEL_OF("segments_places", "sort_numeric_segments.cl", NULL) },
  { KERNEL_OF("segments_move", "sort_numeric_segments.cl", NULL) },
  { KERNEL_OF("segments_runs", "sort_numeric_segments_runs.cl", "sort_numeric") },
  { KERNEL_OF("segments_warps", "sort_numeric_segments_warps.cl", "sort_numeric") },
  { KERNEL_OF("segments_warps_0", "sort_numeric_segments_warps.cl", "sort_numeric") },
  { KERNEL_OF("segments_warps_4", "sort_numeric_segments_warps.cl", "sort_numeric") },
  { KERNEL_OF("segments_warps_8", "sort_numeric_segments_warps.cl", "sort_numeric") },
  { KERNEL_OF("segments_held", "sort_numeric_segments_held.cl", "sort_numeric") },
  { KERNEL_OF("segments_held_0", "sort_numeric_segments_held.cl", "sort_numeric") },
  { KERNEL_OF("segments_held_4", "sort_numeric_segments_held.cl", "sort_numeric") },
  { KERNEL_OF("segments_held_8", "sort_numeric_segments_held.cl", "sort_numeric") },
  { KERNEL_OF("segments_note", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("segments_note_0", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("segments_sums", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("segments_sums_0", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("segments_starts", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("segments_starts_0", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("segments_lookback", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("segments_lookback_0", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("segments_lookback_4", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("segments_lookback_8", "sort_numeric_segments_digits.cl", "sort_numeric") },
  { KERNEL_OF("sums", "sort_numeric_lookback.cl", NULL) },
  { KERNEL_OF("routes", "sort_numeric_lookback.cl", NULL) },
  { KERNEL_OF("lookback", "sort_numeric_lookback.cl", NULL) },
  { KERNEL_OF("look", "sort_numeric_ranges.cl", NULL) },
  { KERNEL_OF("count_ranges", "sort_numeric_ranges.cl", NULL) },
  { KERNEL_OF("divide", "sort_numeric_ranges.cl", NULL) },
  { KERNEL_OF("finish", "sort_numeric_ranges.cl", NULL) },
  { KERNEL_OF("histogram_0", "sort_onesweep.cuh", "sort_numeric_onesweep") },
  { KERNEL_OF("onesweep_0", "sort_onesweep.cuh", "sort_numeric_onesweep") },
  { KERNEL_OF("onesweep_4", "sort_onesweep.cuh", "sort_numeric_onesweep") },
  { KERNEL_OF("onesweep_8", "sort_onesweep.cuh", "sort_numeric_onesweep") },
  { KERNEL_OF("segments_onesweep_0", "sort_onesweep.cuh", "sort_numeric_onesweep") },
  { KERNEL_OF("segments_onesweep_4", "sort_onesweep.cuh", "sort_numeric_onesweep") },
  { KERNEL_OF("segments_onesweep_8", "sort_onesweep.cuh", "sort_numeric_onesweep") },
  { KERNEL_OF("cluster_0", "sort_onesweep.cuh", "sort_numeric_onesweep") },
  { KERNEL_OF("cluster_4", "sort_onesweep.cuh", "sort_numeric_onesweep") },
  { KERNEL_OF("cluster_8", "sort_onesweep.cuh", "sort_numeric_onesweep") },
};

void scan_sort_make_numeric(const scan_sort_form *form, scan_launch *step) {
  if (!form->is_numeric) return;
  for (size_t i = 0; i < sizeof numeric_kernels / sizeof numeric_kernels[0]; i++) {
    const numeric_kernel *row = &numeric_kernels[i];
    if (strcmp(step->launch.kernel, row->kernel) != 0) continue;
    step->launch.kernel = row->numeric;
    step->launch.file = row->file;
    step->primitive = row->primitive;
    return;
  }
}
