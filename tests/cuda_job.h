/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cuda_job.h
 * @brief Plans of every kind for tests of CUDA graphs, each with its own memory, input and expected result.
 */
#ifndef SCANRT_TESTS_CUDA_JOB_H
#define SCANRT_TESTS_CUDA_JOB_H

#include <scanrt/scan.h>

typedef enum cuda_job_kind {
  CUDA_JOB_SCAN,
  CUDA_JOB_SEGMENTED,
  CUDA_JOB_SELECT,
  CUDA_JOB_SORT,
  CUDA_JOB_SORT_SEGMENTS,
  CUDA_JOB_KINDS
} cuda_job_kind;

enum { CUDA_JOB_SEGMENTS = 50 };

typedef struct cuda_job {
  scan_ctx *ctx;
  cuda_job_kind kind;
  scan_plan *plan;
  scan_mem in, out, marks, count; /* marks: flags, or CUDA_JOB_SEGMENTS + 1 offsets */
  uint64_t n, kept;
  uint32_t *values, *results, *want, offsets[CUDA_JOB_SEGMENTS + 1];
  unsigned char *flags;
} cuda_job;

/** Returns the elements of the largest run; fewer on the fake driver. */
uint64_t cuda_job_most(void);

/** Returns a random number below 2^24. */
uint32_t cuda_job_draw(void);

/** Makes a job. Returns 0, with a notice, if the device has no kernels for it and no compiler. */
int cuda_job_open(cuda_job *j, scan_ctx *ctx, cuda_job_kind kind, scan_strategy strategy);
void cuda_job_close(cuda_job *j);

/** Makes new input of n elements, a poisoned output and the expected result. */
void cuda_job_fill(cuda_job *j, uint64_t n);

/** Runs the plan over n elements. */
void cuda_job_run(cuda_job *j, uint64_t n);

/** Reads the results of cuda_job_fill's n elements and compares them. @param how  names the run in the error text */
void cuda_job_check(cuda_job *j, const char *how);

#endif
