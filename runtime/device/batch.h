/* SPDX-License-Identifier: BSD-2-Clause */
/* The geometry of the kernels of many lines at once, shared by both sides of a launch. */
#ifndef SCANRT_BATCH_H
#define SCANRT_BATCH_H

#include <scanrt/scan_array.h>

#include "device/backend.h"

/* An axis across the lines. */
typedef struct array_axis {
  uint64_t extent;
  int64_t in_stride, out_stride;
  int64_t index_stride; /* index difference in an array without gaps, if a map or an emit needs indices; else 0 */
} array_axis;

/* The distance of a line from the first one: bytes in the input and the output, and the difference of the indices. */
typedef struct array_place {
  int64_t in, out, index;
} array_place;

enum { ARRAY_OUTER_AXES = SCAN_ARRAY_MAX_AXES - 1, ARRAY_AXIS_WORDS = 4 };

/* The words of the geometry that kernels_cl/batch/lines.h reads. */
enum {
  ARRAY_WORD_COUNT,
  ARRAY_WORD_AXES,
  ARRAY_WORD_IN_STEP,
  ARRAY_WORD_OUT_STEP,
  ARRAY_WORD_SUBTILES,
  ARRAY_WORD_LANES,
  ARRAY_WORD_SHARERS,
  ARRAY_WORD_AXIS = 8,
  ARRAY_WORDS = ARRAY_WORD_AXIS + ARRAY_AXIS_WORDS * ARRAY_OUTER_AXES
};

array_place scan_array_place(const array_axis *axis, uint64_t axes, uint64_t line);
_Static_assert(sizeof(array_axis) == ARRAY_AXIS_WORDS * sizeof(uint64_t), "an axis is not four words");

#endif
