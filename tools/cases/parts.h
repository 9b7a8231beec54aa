/* SPDX-License-Identifier: BSD-2-Clause */
/** @file parts.h @brief What the files of a case share: the functions of each family, and the layout of images. */
#ifndef SCANRT_CASES_PARTS_H
#define SCANRT_CASES_PARTS_H

#include "case.h"
#include "draw.h"

/** @return why the oracle cannot compute the case; NULL: it can */
const char *case_fault(const scan_case *c);

/** Name k of the values of a field, whose name has so many bytes; NULL: there are no more. */
const char *case_value_name(const char *field, size_t bytes, uint64_t k);

/* ---- layout ---- */

/** Places a part in an image with guards around it. @param[in,out] used  bytes of the image */
case_part case_take(uint64_t *used, uint64_t bytes, uint64_t shift_bytes);

/** The alignment of elements of so many bytes. */
uint64_t case_align(uint64_t bytes);

/** Elements that an output has room for. @param capacity  as in the args */
uint64_t case_room(uint64_t capacity, uint64_t n);

/** The images in memory: of the device, or with host_memory of the host. */
typedef struct case_memory {
  scan_mem in, out;
  scan_mem device_in, device_out; /**< Always of the device. */
  int is_silent;                  /**< 1: no wait reported that n_from held more than n. */
} case_memory;

/** The memory that n comes from: its own, that of the count, or none. */
scan_mem case_n_from(const scan_case *c, const case_memory *m);

/** The memory of the count, or none. */
scan_mem case_count(const scan_case *c, const case_memory *m);

/** The memory of an output; none where it has no room. */
scan_mem case_output(scan_mem out, uint64_t capacity, const case_part *part);

/** 1 where n_from holds more than n, and the library must report it. */
int case_exceeds(const scan_case *c);

/** 1 where two keys are not equal by C's ==. */
int case_keys_differ(scan_type type, const void *keys, uint64_t i, uint64_t j);

/** The largest n that the case's plan takes. */
uint64_t case_plan_n(const scan_case *c);

/** Waits where the status is success. @return that of the wait, or SCAN_SUCCESS where it reports what case_exceeds says
 */
scan_status case_wait(scan_ctx *ctx, const scan_case *c, case_memory *m, scan_status status);

/** Waits, and destroys the plan. @see case_wait */
scan_status case_finish_plan(scan_ctx *ctx, const scan_case *c, case_memory *m, scan_plan *plan, scan_status status);

/** Draws the tuning and the threads of a case, from its seed. */
void case_draw_context(const case_limits *limits, scan_case *c);

/* ---- functions.c: predicates and bucket functions ---- */

/** Bytes of the elements that they look at, and which of the sizes that is; -1: none. */
uint32_t case_looked_bytes(const scan_case *c);
int case_looked_size(const scan_case *c);
uint32_t case_looked_draw(case_draw *d);

scan_status case_predicate_one(scan_ctx *ctx, case_functions *functions, const scan_case *c, scan_op **op);
scan_status case_predicate_pair(scan_ctx *ctx, case_functions *functions, const scan_case *c, scan_op **op);
scan_status case_bucket_function(scan_ctx *ctx, case_functions *functions, const scan_case *c, scan_op **op);

/** Makes the case's operator, unless the case before had the same one. */
scan_status case_last_operator(scan_ctx *ctx, case_functions *functions, const source_operator *source, scan_type type,
                               scan_op **op);

/** The results of the functions for element i, by the oracle. */
int case_is_kept(const scan_case *c, uint64_t i, uint64_t index, uint32_t percent);
int case_begins(const scan_case *c, uint64_t i);
uint32_t case_bucket_of(const scan_case *c, uint64_t i);

/** The bucket function's parameter: as many buckets as it numbers, some past the last one. */
uint32_t case_bucket_modulus(const scan_case *c);

/* ---- guard.c: nothing without AddressSanitizer ---- */

/** Makes all bytes of an image but those of its parts illegal to touch, until case_unguard. */
void case_guard_in(const scan_case *c, const unsigned char *image);
void case_guard_out(const scan_case *c, const unsigned char *image);
void case_unguard(const unsigned char *image, uint64_t bytes);

/* ---- draws ---- */

/** n, or of one case in CASE_LARGE_IN any number up to limits->largest, of each magnitude as often. */
uint64_t case_enlarge(const case_limits *limits, uint64_t n, case_draw *d);
uint64_t case_draw_capacity(case_draw *d, uint64_t n);

/* ---- select.c, predicate.c: compaction ---- */

void case_select_draw(scan_case *c, case_draw *d);
void case_select_lay_out(scan_case *c);
void case_select_mark(scan_case *c);
void case_select_expect(const scan_case *c);
scan_status case_select_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/** Puts what is read where it will be written. */
void case_select_put_inputs(const scan_case *c, unsigned char *out_image);

/** Poisons all of c->got behind what is kept in place, where its content is unspecified. */
void case_select_forget(const scan_case *c);

/** Marks by a predicate. */
void case_predicate_mark(scan_case *c);

/** Poisons all of c->got behind the second part of a partition, where its content is unspecified. */
void case_partition_forget(const scan_case *c);
scan_status case_partition_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/* ---- runs.c: run-length encoding and reduction by key ---- */

void case_runs_draw(const case_limits *limits, scan_case *c, case_draw *d);

/** Sets what follows from the fields of a line. */
void case_runs_complete(scan_case *c);
void case_runs_lay_out(scan_case *c);

/** Fills the values of a reduction, and c->want. @return 0, or -1 when memory ran out */
int case_runs_expect(const scan_case *c);
scan_status case_runs_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/* ---- sort.c: sorts and splits ---- */

void case_sort_draw(const case_limits *limits, scan_case *c, case_draw *d);
void case_sort_lay_out(scan_case *c);
void case_sort_fill(const scan_case *c);

/** Puts what is read where it will be written. */
void case_sort_put_inputs(const scan_case *c, unsigned char *out_image);
int case_sort_expect(const scan_case *c);
scan_status case_sort_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/* ---- split.c: splits and histograms ---- */

/** Bytes of an element that is moved: a key, or what the bucket function looks at. */
uint64_t case_sort_item_bytes(const scan_case *c);

/** end_bit of a split or a histogram, also where the case leaves it to the library. */
uint32_t case_split_end(const scan_case *c);

/** Offsets of a split: one more than buckets. */
uint64_t case_split_offsets(const scan_case *c);

uint64_t case_histogram_counters(const scan_case *c);
void case_histogram_expect(const scan_case *c);
scan_status case_histogram_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/** The order of elements by their buckets. */
void case_split_order(const scan_case *c, reference_item *order);
void case_split_put_offsets(const scan_case *c, const reference_item *order);
scan_status case_split_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m,
                            const scan_sort_args *sort);

/* ---- scan_*.c ---- */

/** Products of more floating-point numbers of data_fill may become denormal. */
enum { CASE_MOST_FACTORS = 20000 };

/** case_fault of a scan. */
const char *case_scan_fault(const scan_case *c);

void case_scan_draw(const case_limits *limits, scan_case *c, case_draw *d);

/** Sets the initial value and the strides, which are functions of the fields of a line. */
void case_scan_complete(scan_case *c);
void case_scan_lay_out(scan_case *c);

/** Fills the input, the heads of segments and the marks. */
void case_scan_fill(scan_case *c);

/** Puts the inputs of scans in place and the first carry where they will be written. */
void case_scan_put_inputs(const scan_case *c, unsigned char *out_image);
int case_scan_expect(scan_case *c);
scan_status case_scan_call(scan_ctx *ctx, case_functions *functions, scan_case *c, case_memory *m);

/** Results that may differ from those expected become these in c->got: NaNs among special values, and sums of a
 * strategy with an order of its own that are within the error bound. */
void case_scan_settle(scan_case *c);

#endif
