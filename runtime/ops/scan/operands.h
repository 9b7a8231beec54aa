/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a scan: its elements, results, marks, carries and n_from, as one list of buffers. */
#ifndef SCANRT_OPERANDS_H
#define SCANRT_OPERANDS_H

#include "core/buffers.h"
#include "strategy/array/array.h"

typedef struct scan_operands {
  scan_problem *problem; /* has the memory of marks, carries and n_from */
  scan_mem in, out;
  uint64_t n;               /* number of elements; for an array, of all its lines */
  const array_lines *lines; /* of an array; NULL: the scan is one line */
  int in_place;             /* 1: the output is the input; set by the check */
  int is_stream;            /* 1: in or out at NULL stands for a function, and the marks are options->marks */
} scan_operands;

/* Outputs of an item for each element, and outputs of one item. */
enum { SCAN_PART_LINE, SCAN_PART_ONE };

/* Lists the buffers. */
void scan_operands_list(scan_operands *operands, scan_buffer_list *list);

/* Resolves all buffers and refuses outputs that overlap others. The in and out of an array are resolved before
 * (scan_array_buffers_check). With stageable, host memory stays as the caller named it. */
scan_status scan_operands_check(scan_ctx *ctx, scan_operands *operands, int stageable);

/* 1 if a launch is in place. In-place host memory is not, once it is staged to two buffers. */
static inline int scan_operands_are_in_place(const scan_operands *o) {
  return o->in_place && scan_mem_same(o->in, o->out);
}

#endif
