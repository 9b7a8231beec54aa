/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_parts.h @brief Internal interface of the files for cases of scans. */
#ifndef SCANRT_CASES_SCAN_PARTS_H
#define SCANRT_CASES_SCAN_PARTS_H

#include "parts.h"

/* ---- scan_layout.c: sizes and places ---- */

/** Bytes of an input element, of a value (what the operator combines and carries hold) and of an output element. */
typedef struct scan_sizes {
  uint64_t input, value, output;
} scan_sizes;
/** Returns the sizes of a case. */
scan_sizes case_scan_sizes(const scan_case *c);

int case_scan_is_backward(const scan_case *c);

/** 1 if a built-in operator sums or multiplies floating-point elements. */
int case_scan_rounds(const case_scan *r);

/** 1 if runs begin from a carry. */
int case_scan_reads_carry(const case_scan *r);
/** 1 if runs write a carry. */
int case_scan_leaves_carry(const case_scan *r);

/** Returns the offset in the output image of the carry from which run a begins. */
uint64_t case_scan_carry_in(const case_scan *r, uint32_t a);
/** Returns the offset in the output image of the carry that run a writes. */
uint64_t case_scan_carry_out(const case_scan *r, uint32_t a);

/** Returns the elements that run a processes: run_n[a], or fewer where n_from holds a smaller number. */
uint64_t case_scan_count(const scan_case *c, uint32_t a);
/** 1 if n_from holds more elements than a run's n, and a wait must report that. */
int case_scan_exceeds(const scan_case *c);

/** Returns the bytes that the marks of n elements have room for. */
uint64_t case_scan_mark_bytes(const scan_spec *spec, uint64_t n);

/** Returns the byte offset of an array's element from the one with all indices 0. @param[out] index  its index in C
 * order */
int64_t case_array_place(const scan_array *array, const int64_t *strides, const uint64_t *at, uint64_t *index);

/** Returns the elements in a chunk of a stream, at least 1. */
uint64_t case_scan_chunk(const scan_case *c);

/* ---- scan_fill.c, scan_values.c: what is read ---- */

/** Fills n floating-point elements. */
void case_scan_fill_values(const scan_case *c, uint64_t n, void *out);

/* ---- scan_line.c: a line of elements ---- */

/** One line of elements in scan order, and its results. */
typedef struct scan_line {
  uint64_t n; /**< Elements that are scanned; the memory may hold more. */
  unsigned char *in, *out, *values, *inclusive, *exclusive;
  uint8_t *segment_flags;
} scan_line;

/** In: the carry from which a scan begins. Out: the carry that it leaves. */
typedef struct scan_carry {
  _Alignas(16) unsigned char value[SCAN_OP_MOST_BYTES];
  int is_there;
} scan_carry;

/** Allocates a line of n elements. @return 0, or -1 if memory ran out; call case_line_free in both cases */
int case_line_make(scan_line *l, uint64_t n, const scan_case *c);
void case_line_free(scan_line *l);

/** Converts a position in scan order to an index in memory, and an index to a position. */
uint64_t case_line_place(const scan_case *c, const scan_line *l, uint64_t i);

/** Scans `items` elements of a line, beginning with `first`; updates l->out and the carry. A total is computed as an
 * inclusive scan. With more than l->n elements the order is that of a scan of all, and the carry that of the first
 * l->n.
 */
void case_line_scan(const scan_case *c, const scan_line *l, uint64_t first, uint64_t items, scan_carry *carry);

/** Writes the total of no elements. */
void case_line_nothing(const scan_case *c, const scan_carry *carry, unsigned char *to);

/** Finds the first overflow. @return its index in scan order; n: only the aggregate of an exclusive scan, which its
 * carry holds; UINT64_MAX: none */
uint64_t case_line_overflow(const scan_case *c, const scan_line *l, const scan_carry *carry);

/* ---- scan_run.c, scan_stream.c: the calls ---- */

/** Arguments that the calls of one case share. */
typedef struct scan_calls {
  scan_ctx *ctx;
  scan_case *c;
  scan_spec spec;
  scan_plan *plan; /**< NULL: the calls go through the context. */
  scan_mem in, out, carries, n_from;
} scan_calls;

/** Makes what the calls of a case share, with its operator from source. */
scan_status case_scan_calls(scan_ctx *ctx, case_functions *functions, scan_case *c, const case_memory *m,
                            scan_calls *calls);

/** Returns the arguments of run a. */
scan_args case_scan_args(const scan_calls *calls, uint32_t a);

/** Makes the call of a stream. */
scan_status case_scan_stream(const scan_calls *k, const scan_args *args);

#endif
