/* SPDX-License-Identifier: BSD-2-Clause */
/** @file parts.h @brief What the files of a case share: the functions of each family, and the layout of images. */
#ifndef SCANRT_CASES_PARTS_H
#define SCANRT_CASES_PARTS_H

#include "case.h"
#include "draw.h"

/** @return why the oracle cannot compute the case; NULL: it can */
const char *case_fault(const scan_case *c);

/* ---- layout ---- */

/** Places a part in an image with guards around it. @param[in,out] used  bytes of the image */
case_part case_take(uint64_t *used, uint64_t bytes, uint64_t shift_bytes);

/** The alignment of elements of so many bytes. */
uint64_t case_align(uint64_t bytes);

/** Elements that an output has room for. @param capacity  as in the args */
uint64_t case_room(uint64_t capacity, uint64_t n);

/** The memory that n comes from: its own, that of the count, or none. */
scan_mem case_n_from(const scan_case *c, scan_mem in, scan_mem out);

/** The memory of an output; none where it has no room. */
scan_mem case_output(scan_mem out, uint64_t capacity, const case_part *part);

/** 1 where two keys are not equal by C's ==. */
int case_keys_differ(scan_type type, const void *keys, uint64_t i, uint64_t j);

/** Waits where the status is success, and destroys the plan. @return the status, or that of the wait */
scan_status case_finish_plan(scan_ctx *ctx, scan_plan *plan, scan_status status);

/* ---- draws ---- */

/** n, or of one case in CASE_LARGE_IN any number up to limits->largest, of each magnitude as often. */
uint64_t case_enlarge(const case_limits *limits, uint64_t n, case_draw *d);
uint64_t case_draw_capacity(case_draw *d, uint64_t n);

/* ---- select.c, predicate.c: compaction ---- */

void case_select_draw(scan_case *c, case_draw *d);
void case_select_lay_out(scan_case *c);
void case_select_mark(scan_case *c);
void case_select_expect(const scan_case *c);
scan_status case_select_call(scan_ctx *ctx, const case_predicates *predicates, const scan_case *c, scan_mem in,
                             scan_mem out);

/** Marks by a predicate. */
void case_predicate_mark(scan_case *c);

/** Poisons all of c->got behind the second part of a partition, where its content is unspecified. */
void case_partition_forget(const scan_case *c);
scan_status case_partition_call(scan_ctx *ctx, const scan_case *c, scan_op *predicate, scan_mem in, scan_mem out);

/* ---- runs.c: run-length encoding and reduction by key ---- */

void case_runs_draw(const case_limits *limits, scan_case *c, case_draw *d);

/** Sets what follows from the fields of a line. */
void case_runs_complete(scan_case *c);
void case_runs_lay_out(scan_case *c);

/** Fills the values of a reduction, and c->want. @return 0, or -1 when memory ran out */
int case_runs_expect(const scan_case *c);
scan_status case_runs_call(scan_ctx *ctx, const scan_case *c, scan_mem in, scan_mem out);

/* ---- sort.c: sorts and splits ---- */

void case_sort_draw(const case_limits *limits, scan_case *c, case_draw *d);
void case_sort_lay_out(scan_case *c);
void case_sort_fill(const scan_case *c);

/** Puts what is read where it will be written. */
void case_sort_put_inputs(const scan_case *c, unsigned char *out_image);
int case_sort_expect(const scan_case *c);
scan_status case_sort_call(scan_ctx *ctx, const scan_case *c, scan_mem in, scan_mem out);

/* ---- scan_draw.c, scan_expect.c, scan_run.c ---- */

void case_scan_draw(const case_limits *limits, scan_case *c, case_draw *d);

/** Sets the initial value and the strides, which are functions of the fields of a line. */
void case_scan_complete(scan_case *c);
void case_scan_lay_out(scan_case *c);

/** Fills the input, the heads of segments and the marks. */
void case_scan_fill(scan_case *c);

/** Puts the inputs of scans in place and the first carry where they will be written. */
void case_scan_put_inputs(const scan_case *c, unsigned char *out_image);
int case_scan_expect(scan_case *c);
scan_status case_scan_call(scan_ctx *ctx, scan_case *c, scan_mem in, scan_mem out);

/** A strategy may add in another order than the canonical one. Each result within the error bound then becomes the
 *  expected value in c->got. */
void case_scan_settle(scan_case *c);

#endif
