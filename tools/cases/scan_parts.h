/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_parts.h @brief What the files of cases of scans share. */
#ifndef SCANRT_CASES_SCAN_PARTS_H
#define SCANRT_CASES_SCAN_PARTS_H

#include "parts.h"

/* ---- scan_layout.c: sizes and places ---- */

/** Bytes of an element that is read, of a value that is combined, which carries hold, and of a result. */
typedef struct scan_sizes {
  uint64_t input, value, output;
} scan_sizes;
scan_sizes case_scan_sizes(const scan_case *c);

int case_scan_is_backward(const scan_case *c);

/** 1: sums or products of floating-point elements by a built-in operator. */
int case_scan_rounds(const case_scan *r);

/** 1: runs begin from a carry, or leave one. */
int case_scan_takes_carry(const case_scan *r);
int case_scan_leaves_carry(const case_scan *r);

/** Bytes from the begin of the second image to the carry of run a, and to what that run leaves. */
uint64_t case_scan_carry_in(const case_scan *r, uint32_t a);
uint64_t case_scan_carry_out(const case_scan *r, uint32_t a);

/** Elements of a chunk of a stream, at least 1. */
uint64_t case_scan_chunk(const scan_case *c);

/* ---- scan_fill.c, scan_values.c: what is read ---- */

/** Fills n floating-point elements. */
void case_scan_fill_values(const scan_case *c, uint64_t n, void *out);

/* ---- scan_line.c: a line of elements ---- */

/** A line of elements in the order of the scan, and its results. */
typedef struct scan_line {
  uint64_t n;
  unsigned char *in, *out, *values, *inclusive, *exclusive;
  uint8_t *heads;
} scan_line;

/** The carry that a scan begins from; after it the carry that it leaves. */
typedef struct scan_carry {
  _Alignas(16) unsigned char value[SCAN_OP_MOST_BYTES];
  int is_there;
} scan_carry;

/** @return 0, or -1 where memory ran out; give it back in both cases */
int case_line_take(scan_line *l, uint64_t n, const scan_case *c);
void case_line_give(scan_line *l);

/** Element i of the order of the scan in memory, and back. */
uint64_t case_line_place(const scan_case *c, const scan_line *l, uint64_t i);

/** Scans `items` elements of a line from `first` on: l->out and the carry. A total is an inclusive scan. */
void case_line_scan(const scan_case *c, const scan_line *l, uint64_t first, uint64_t items, scan_carry *carry);

/** The total of no elements. */
void case_line_nothing(const scan_case *c, const scan_carry *carry, unsigned char *to);

/** The index of the first result that its type does not hold, in the order of the scan; n where it is what an exclusive
 * scan leaves; UINT64_MAX: none. */
uint64_t case_line_overflow(const scan_case *c, const scan_line *l, const scan_carry *carry);

/* ---- scan_run.c, scan_stream.c: the calls ---- */

/** The context, the case and the memory of a case's calls. */
typedef struct scan_calls {
  scan_ctx *ctx;
  scan_case *c;
  scan_spec spec;
  scan_plan *plan; /**< NULL: by the context. */
  scan_mem in, out, carries;
} scan_calls;

scan_status case_scan_stream(const scan_calls *k, const scan_args *args);

#endif
