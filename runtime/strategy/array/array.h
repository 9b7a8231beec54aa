/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of lines, as pure functions: normalise a caller's shape and strides, refuse invalid ones, and choose the
 * kernels. Tested with no device (tests/unit/test_array.c). */
#ifndef SCANRT_ARRAY_H
#define SCANRT_ARRAY_H

#include <scanrt/scan_array.h>

#include "base/error.h"
#include "device/batch.h"
#include "strategy/strategy.h"

/* Bytes [first, end) that an array touches, counted from its element 0. */
typedef struct array_span {
  int64_t first, end;
} array_span;

/* The array as kernels see it: lines of n elements, at the positions of few axes. The innermost axis has the smallest
 * stride; no axis has length 1, and no axis continues the one inside it. There is no padding: compared byte by byte. */
typedef struct array_lines {
  uint64_t n;                  /* elements a line */
  uint64_t lines;              /* number of lines */
  int64_t in_step, out_step;   /* bytes from an element of a line to the next */
  int64_t in_start, out_start; /* bytes from the array's element 0 to the first line's first */
  int64_t index_start; /* indexed lines: the index of the first line's first element in memory, within an array without
                          gaps */
  int64_t index_step;  /* indexed lines: index difference to the line's next element */
  array_axis axis[ARRAY_OUTER_AXES];
  array_span in, out; /* bytes touched, from the array's element 0 */
  uint64_t axes;
  uint64_t is_total; /* 1: a line has one output, and out_step and out_start are 0 */
} array_lines;

/* The facts that the normalisation of an array needs besides the array. */
typedef struct array_scan {
  uint64_t in_bytes, out_bytes; /* of an element */
  int backward;
  int indexed;  /* 1: maps, emits or checks need element indices */
  int is_total; /* 1: a line has one output; out_strides[axis] is not looked at */
} array_scan;

/* Normalises an array. Refuses what no memory could make right: ndim, axis, strides that are no multiples of the
 * elements, more bytes than can be addressed, outputs that share bytes. An array without outputs gets lines == 0 and
 * no other field. Totals of empty lines have n == 0. */
scan_status scan_array_normalise(const scan_array *array, const array_scan *scan, array_lines *lines,
                                 scan_error *error);

/* Returns the array of the outputs: of totals it has length 1 along the axis. */
scan_array scan_array_of_outputs(const scan_array *array, int is_total);

/* Relates an input and an output in one memory, `distance` bytes from the input's element 0 to the output's: 1 in
 * place, 0 apart, -1 overlapping or not proved apart. */
int scan_array_relation(const array_lines *lines, uint64_t in_bytes, uint64_t out_bytes, int64_t distance);

/* The axis of a caller's array that reaches furthest before (side -1) or after (side 1) element 0. */
uint32_t scan_array_reaching_axis(const scan_array *array, const int64_t *strides, int side);

/* 1 if the elements fill every byte of the output's span. */
int scan_array_is_dense(const array_lines *lines, uint64_t out_bytes);

/* How the lines are scanned. */
typedef enum array_variant {
  ARRAY_INNER, /* few long lines, a scan each: contiguous ones, or any with an operator from source */
  ARRAY_ROWS,  /* the lines that ARRAY_INNER takes, by a warp or a work-item each */
  ARRAY_SHORT, /* the lines that ARRAY_INNER takes, of up to a row, several to a warp */
  ARRAY_APART, /* lines whose elements are apart, side by side */
  ARRAY_FILL   /* totals of empty lines: one value is copied to each output */
} array_variant;

typedef struct array_method {
  array_variant variant;
  const char *reason; /* the choice in words */
  scan_step step;     /* the launch; unused by ARRAY_INNER */
  uint32_t subtiles;  /* sub-tiles of a tile that the kernel is built for */
  uint32_t backward;  /* 1: the elements of a line have falling addresses, and the kernel scans backward */
  uint32_t sharers;   /* totals of lines apart: warps that share 32 lines */
} array_method;

/* Chooses the kernels that scan the lines. Returns NULL, or a sentence that says why none can. */
const char *scan_array_choose(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                              array_method *method);

/* Choose kernels that scan lines through stages of shared memory: contiguous lines, and lines side by side. Return 0,
 * and leave the method, if there are none, or if they do not pay. */
int scan_array_use_staged_rows(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                               uint32_t backward, array_method *method);
int scan_array_use_staged_lines(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                                array_method *method);

/* 1 if the device has the kernels of many lines and of backward scans for a built-in operator. */
int scan_array_has_kernels(const scan_caps *caps, const scan_problem *problem);

/* Writes the geometry for kernels. order_bytes: scan_problem_bytes. sharers: of array_method. */
void scan_array_words(const array_lines *lines, uint64_t order_bytes, uint32_t sharers, uint64_t words[ARRAY_WORDS]);

#endif
