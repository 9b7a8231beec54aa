/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of lines, as pure functions: what a caller's shape and strides come down to, which of it is refused, and which
 * kernels scan it. Tested with no device (tests/unit/test_array.c). */
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
 * stride; none has length 1, and none continues the one inside it. No padding: compared byte by byte. */
typedef struct array_lines {
  uint64_t n;                  /* elements a line */
  uint64_t lines;              /* how many */
  int64_t in_step, out_step;   /* bytes from an element of a line to the next */
  int64_t in_start, out_start; /* bytes from the array's element 0 to the first line's first */
  int64_t index_start;         /* of indexed lines, the index that the first line's first element in memory has in an
                                  array without gaps, */
  int64_t index_step;          /* and from there to the next element's */
  array_axis axis[ARRAY_OUTER_AXES];
  array_span in, out; /* the bytes touched, from the array's element 0 */
  uint64_t axes;
} array_lines;

/* Refuses what no memory could make right: ndim, axis, strides that are no multiples of the elements, more bytes than
 * can be addressed, outputs that share bytes. Lines are then 0 or more; of an array without elements, nothing else is
 * set. `indexed`: somebody asks for indices. */
scan_status scan_array_normalise(const scan_array *array, uint64_t in_bytes, uint64_t out_bytes, int backward,
                                 int indexed, array_lines *lines, scan_error *error);

/* How an input and an output of one memory lie to each other, `distance` bytes from the input's element 0 to the
 * output's: 1 in place, 0 apart, -1 neither, or not seen to be apart. */
int scan_array_relation(const array_lines *lines, uint64_t in_bytes, uint64_t out_bytes, int64_t distance);

/* The axis of a caller's array that reaches furthest before (side -1) or behind (1) the element 0. */
uint32_t scan_array_reaching_axis(const scan_array *array, const int64_t *strides, int side);

/* Whether every byte of the output's span is an element's. */
int scan_array_is_dense(const array_lines *lines, uint64_t out_bytes);

/* How the lines are scanned. */
typedef enum array_way {
  ARRAY_EACH,  /* few long lines, each as a scan of its own: contiguous ones, and any with an operator from source */
  ARRAY_ROWS,  /* such lines, a warp or a work-item each */
  ARRAY_SHORT, /* such lines of up to a row, several to a warp */
  ARRAY_APART  /* lines whose elements are apart, side by side */
} array_way;

typedef struct array_method {
  array_way way;
  const char *reason; /* in words */
  scan_step step;     /* the launch; not of ARRAY_EACH */
  uint32_t subtiles;  /* that the kernel is built for */
  uint32_t backward;  /* 1: lines run down in memory, element by element, and so does the kernel */
} array_method;

/* Which kernels scan the lines on a device. NULL, or the sentence that says why none does. */
const char *scan_array_choose(const scan_caps *caps, const scan_problem *problem, const array_lines *lines,
                              array_method *method);

/* Whether the device has kernels of many lines and of backward scans for a built-in operator. */
int scan_array_has_kernels(const scan_caps *caps, const scan_problem *problem);

/* The geometry for kernels; order_bytes: scan_problem_bytes. */
void scan_array_words(const array_lines *lines, uint64_t order_bytes, uint64_t words[ARRAY_WORDS]);

#endif
