/* SPDX-License-Identifier: BSD-2-Clause */
/** @file parts.h @brief Internal interface of the case files: the functions of each family, and the layout of
 * images. */
#ifndef SCANRT_CASES_PARTS_H
#define SCANRT_CASES_PARTS_H

#include "case.h"
#include "draw.h"

/** Checks a case. @return why the oracle cannot compute it; NULL: it can */
const char *case_fault(const scan_case *c);

/** Returns name k of the values of a field. @param bytes  length of `field` @return NULL: k is past the last name */
const char *case_value_name(const char *field, size_t bytes, uint64_t k);

/* ---- layout ---- */

/** Reserves a part of an image, with guard bytes around it. @param[in,out] used  bytes of the image so far */
case_part case_reserve(uint64_t *used, uint64_t bytes, uint64_t shift_bytes);

/** Returns the alignment of an element of `bytes` bytes. */
uint64_t case_align(uint64_t bytes);

/** Returns the number of elements that an output has room for. @param capacity  as in the args */
uint64_t case_room(uint64_t capacity, uint64_t n);

/** The images in memory: on the device, or with host_memory on the host. */
struct case_memory {
  scan_mem in, out;
  scan_mem device_in, device_out; /**< The images in device memory, in every case. */
  scan_mem plan;                  /**< Memory that the case's plan was given; or SCAN_NO_MEM. */
  int is_silent;                  /**< 1: no wait reported that n_from held more than n. */
};

/** Returns the memory that holds n: n_from, or the count if it is written over n; SCAN_NO_MEM: n is an argument. */
scan_mem case_n_from(const scan_case *c, const case_memory *m);

/** Returns the memory of the count, or SCAN_NO_MEM. */
scan_mem case_count(const scan_case *c, const case_memory *m);

/** Returns the memory of an output, or SCAN_NO_MEM if it has no room. */
scan_mem case_output(scan_mem out, uint64_t capacity, const case_part *part);

/** 1 if n_from holds more than n and the library must report that. */
int case_exceeds(const scan_case *c);

/** 1 if keys i and j are unequal by C's ==. */
int case_keys_differ(scan_type type, const void *keys, uint64_t i, uint64_t j);

/** Returns the max_n of the case's plan. */
uint64_t case_plan_n(const scan_case *c);

/** Waits if `status` is success.
 * @return the status of the wait; SCAN_SUCCESS if the wait reports the error that case_exceeds expects */
scan_status case_wait(scan_ctx *ctx, const scan_case *c, case_memory *m, scan_status status);

/** Gives the plan of a case with plan_memory memory of its own. @return `status` if that is an error, else the call's
 */
scan_status case_give_memory(scan_ctx *ctx, const scan_case *c, case_memory *m, scan_plan *plan, scan_status status);

/** Destroys the plan and frees the memory that it was given. */
void case_end_plan(scan_ctx *ctx, case_memory *m, scan_plan *plan);

/** Waits as case_wait does, and ends the plan. @see case_wait */
scan_status case_finish_plan(scan_ctx *ctx, const scan_case *c, case_memory *m, scan_plan *plan, scan_status status);

/** Draws the tuning and the threads of a case from its seed. */
void case_draw_context(const case_limits *limits, scan_case *c);

/* ---- functions.c: predicates and bucket functions ---- */

/** Returns the size of the elements that the functions read. */
uint32_t case_looked_bytes(const scan_case *c);
/** Returns the index of that size among CASE_LOOKED_SIZES; -1: no function has this size. */
int case_looked_size(const scan_case *c);
/** Draws scan_case.looked_bytes. */
uint32_t case_looked_draw(case_draw *d);

scan_status case_predicate_one(scan_ctx *ctx, case_functions *functions, const scan_case *c, scan_op **op);
scan_status case_predicate_pair(scan_ctx *ctx, case_functions *functions, const scan_case *c, scan_op **op);
scan_status case_bucket_function(scan_ctx *ctx, case_functions *functions, const scan_case *c, scan_op **op);

/** Creates the case's operator, or reuses that of the case before if it is the same. */
scan_status case_last_operator(scan_ctx *ctx, case_functions *functions, const source_operator *source, scan_type type,
                               scan_op **op);

/** Returns the first element of the part that has element i: 0 on one device. */
uint64_t case_part_start(const scan_case *c, uint64_t i);

/** 1 if the oracle's predicate keeps element i. @param index  number passed to the predicate */
int case_is_kept(const scan_case *c, uint64_t i, uint64_t index, uint32_t percent);
/** 1 if the oracle's predicate of two elements begins a run at element i. */
int case_starts_run(const scan_case *c, uint64_t i);
/** Returns the oracle's bucket of element i. */
uint32_t case_bucket_of(const scan_case *c, uint64_t i);

/** Returns the bucket function's parameter: the number of its different results, which may exceed the buckets. */
uint32_t case_bucket_modulus(const scan_case *c);

/* ---- guard.c: these do nothing without AddressSanitizer ---- */

/** Makes all bytes of the input image outside its parts illegal to access, until case_unguard. */
void case_guard_in(const scan_case *c, const unsigned char *image);
/** Makes all bytes of the output image outside its parts illegal to access, until case_unguard. */
void case_guard_out(const scan_case *c, const unsigned char *image);
/** Makes all bytes of an image legal to access. */
void case_unguard(const unsigned char *image, uint64_t bytes);

/* ---- draws ---- */

/** Returns n; in one case of CASE_LARGE_IN a number up to limits->largest instead, each order of magnitude equally
 * often. */
uint64_t case_enlarge(const case_limits *limits, uint64_t n, case_draw *d);
uint64_t case_draw_capacity(case_draw *d, uint64_t n);

/* ---- select.c, predicate.c: compaction ---- */

void case_select_draw(scan_case *c, case_draw *d);
void case_select_lay_out(scan_case *c);
void case_select_mark(scan_case *c);
void case_select_expect(const scan_case *c);

/** Makes the spec and the arguments of the call. */
scan_status case_select_args(scan_ctx *ctx, case_functions *functions, const scan_case *c, const case_memory *m,
                             scan_select_spec *spec, scan_select_args *args);
scan_status case_select_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/** Copies the inputs to the output image, where the call overwrites them. */
void case_select_put_inputs(const scan_case *c, unsigned char *out_image);

/** Poisons c->got behind the kept elements of an in-place compaction: their content is unspecified. */
void case_select_forget(const scan_case *c);

/** Sets c->kept by a predicate. */
void case_predicate_mark(scan_case *c);

/** Poisons c->got behind the second part of a partition: its content is unspecified. */
void case_partition_forget(const scan_case *c);

/** Makes the spec and the arguments of the call. */
scan_status case_partition_args(scan_ctx *ctx, case_functions *functions, const scan_case *c, const case_memory *m,
                                scan_partition3_spec *spec, scan_partition3_args *args);
scan_status case_partition_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/* ---- runs.c: run-length encoding and reduction by key ---- */

void case_runs_draw(const case_limits *limits, scan_case *c, case_draw *d);

/** Derives fields from those of a line. */
void case_runs_complete(scan_case *c);
void case_runs_lay_out(scan_case *c);

/** Fills the values of a reduction and writes the expected output to c->want. @return 0, or -1 if memory ran out */
int case_runs_expect(const scan_case *c);

/** Makes the arguments of an encoding. */
scan_run_length_args case_run_length_args(const scan_case *c, const case_memory *m);

/** Makes the spec and the arguments of a reduction. */
scan_status case_reduce_args(scan_ctx *ctx, case_functions *functions, const scan_case *c, const case_memory *m,
                             scan_spec *spec, scan_reduce_by_key_args *args);
scan_status case_runs_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/* ---- sort.c: sorts and splits ---- */

void case_sort_draw(const case_limits *limits, scan_case *c, case_draw *d);
void case_sort_lay_out(scan_case *c);
void case_sort_fill(const scan_case *c);

/** Copies the inputs to the output image, where the call overwrites them. */
void case_sort_put_inputs(const scan_case *c, unsigned char *out_image);
int case_sort_expect(const scan_case *c);

/** Brings the items into the order of the results. @param order  memory for 3 (c->items + 1) items */
void case_sort_order(const scan_case *c, reference_item *order);

/** Makes the arguments of a sort. */
scan_sort_args case_sort_args(const scan_case *c, const case_memory *m);
scan_status case_sort_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/* ---- split.c: splits and histograms ---- */

/** Returns the bytes of an element that is moved: a key, or the element that the bucket function reads. */
uint64_t case_sort_item_bytes(const scan_case *c);

/** Returns end_bit of a split or a histogram, with the library's default filled in. */
uint32_t case_split_end(const scan_case *c);

/** Returns the number of offsets of a split: one more than its buckets. */
uint64_t case_split_offsets(const scan_case *c);

uint64_t case_histogram_counters(const scan_case *c);
void case_histogram_expect(const scan_case *c);
scan_status case_histogram_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m);

/** Writes the elements in the order of their buckets. */
void case_split_order(const scan_case *c, reference_item *order);
void case_split_put_offsets(const scan_case *c, const reference_item *order);

/** The arguments of a split, and the parameter of its bucket function. */
typedef struct case_split_calls {
  scan_split_spec spec;
  scan_split_args args;
  uint32_t modulus;
} case_split_calls;
/** Makes the spec and the arguments of a split. */
scan_status case_split_args(scan_ctx *ctx, case_functions *functions, const scan_case *c, const case_memory *m,
                            const scan_sort_args *sort, case_split_calls *calls);
scan_status case_split_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m,
                            const scan_sort_args *sort);

/* ---- scan_*.c ---- */

/** Products of more floating-point numbers of data_fill than this may become denormal. */
enum { CASE_MOST_FACTORS = 20000 };

/** case_fault for the scans' family. */
const char *case_scan_fault(const scan_case *c);

void case_scan_draw(const case_limits *limits, scan_case *c, case_draw *d);

/** Derives the initial value and the strides from the fields of a line. */
void case_scan_complete(scan_case *c);
void case_scan_lay_out(scan_case *c);

/** Fills the input, c->kept (1 where a segment begins) and the marks. */
void case_scan_fill(scan_case *c);

/** Copies the inputs of in-place scans, and the first carry, to the output image. */
void case_scan_put_inputs(const scan_case *c, unsigned char *out_image);
int case_scan_expect(scan_case *c);
scan_status case_scan_call(scan_ctx *ctx, case_functions *functions, scan_case *c, case_memory *m);

/** Replaces acceptable results in c->got by the expected ones: NaNs among special values, and sums within the error
 * bound of a strategy that combines in an order of its own. */
void case_scan_settle(scan_case *c);

#endif
