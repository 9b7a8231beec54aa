/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cuda_lane.h
 * @brief One of several parts of an application that scan on CUDA at once: a scan_ctx on a context and a stream of its
 * own, with device memory beside it and work in flight. Sums of f32 that are small integers, so that they are exact.
 *
 * cmocka's assertions are for the main thread: lanes that threads use keep their words.
 */
#ifndef SCANRT_TESTS_CUDA_LANE_H
#define SCANRT_TESTS_CUDA_LANE_H

#include <scanrt/scan_cuda.h>

#include "cuda_driver.h"
#include "support.h"

typedef struct cuda_lane {
  struct CUctx_st *context; /* of the application's, current in no thread by the lane's doing */
  struct CUstream_st *stream;
  scan_ctx *ctx;
  scan_plan *plan;
  unsigned long long in, out;
  float *values, *results;
  uint64_t most, n;
  uint32_t seed;
  char text[TEST_TEXT]; /* what went wrong first; "": nothing */
} cuda_lane;

/** Elements of the largest scan: 2^20 and some; on the fake driver a few thousand. */
uint64_t cuda_lane_most(void);

/** Allocates, and makes the scan_ctx and a plan for `most` elements of that strategy. 1 when all went well. */
int cuda_lane_open(cuda_lane *lane, struct CUctx_st *context, struct CUstream_st *stream, scan_strategy strategy);

/** Fresh values of n elements, in order on the lane's stream. */
int cuda_lane_fill(cuda_lane *lane, uint64_t n);

/** Enqueues the scan of what cuda_lane_fill has left, by the plan. */
int cuda_lane_run(cuda_lane *lane);

/** Reads the results after all work of the stream, and compares. */
int cuda_lane_check(cuda_lane *lane);

/** All of the three. */
int cuda_lane_turn(cuda_lane *lane, uint64_t n);

/** Frees everything but context and stream. */
void cuda_lane_close(cuda_lane *lane);

/** A count of elements from 1 to the most, each power of two as likely as the next. */
uint64_t cuda_lane_draw(cuda_lane *lane);

/** Fails the running test with the lane's words, where there are any. */
void cuda_lane_ok(const cuda_lane *lane);

/** Whether a call of the library, or of the driver, went well; its words are kept otherwise. */
int cuda_lane_scans(cuda_lane *lane, scan_status status, const char *call);
int cuda_lane_drives(cuda_lane *lane, int result, const char *call);

#endif
