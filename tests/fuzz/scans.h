/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scans.h
 * @brief Scans as inputs of a fuzzer say them, and what they must give.
 */
#ifndef SCANRT_TESTS_FUZZ_SCANS_H
#define SCANRT_TESTS_FUZZ_SCANS_H

#include "fuzz.h"
#include "values.h"

/** A scan. */
typedef struct scan_job {
  scan_ctx *ctx;
  scan_spec spec;
  uint64_t n;
  struct rng rng;
  scan_type input_type;
  uint64_t in_bytes, out_bytes; /**< Of an element. */
  uint32_t in_shift, out_shift; /**< Elements that both begin behind a multiple of 16 bytes. */
  int in_place, has_carry_in, has_carry_out;
  unsigned char *in; /**< n elements. */
  uint8_t *heads;    /**< Not 0 where a segment begins; NULL without segments. */
  int continues;     /**< 1: the first element continues the segment that the carry is of. */
  scan_value carry;  /**< What it begins from, with has_carry_in. */
} scan_job;

/** A spec, in most cases a valid one. @return 1 when it is: scans of it must be done. -1: a device may lack it */
int scans_decode_spec(fuzz_input *in, scan_spec *spec);

/** Elements for the job, and segments. */
void scans_fill(scan_job *job, fuzz_input *in);

/** What the job must give. @param[out] out  n elements, of a total one. @param[out] carry  what it leaves.
 *  @return the first place, in the order of the scan, whose value leaves its type; UINT64_MAX: none does, or nobody
 *  asks */
uint64_t scans_expect(const scan_job *job, void *out, scan_value *carry);

/** The job by a plan, by a call, or through a stream; of lines of an array. */
void scans_run_line(scan_job *job, fuzz_input *in);
void scans_run_stream(scan_job *job, fuzz_input *in);
void scans_run_array(scan_job *job, fuzz_input *in);

/** Any call with any memory: it is refused, or writes only what it was given to write. */
void scans_run_wild(fuzz_input *in);

#endif
