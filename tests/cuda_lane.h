/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cuda_lane.h
 * @brief A part of an application that scans on CUDA beside others: a scan_ctx on its own context and stream, with
 * device memory and work in flight. It sums small integers as f32, so that the sums are exact.
 *
 * A lane keeps its first error as text, because only the main thread may use cmocka's assertions.
 */
#ifndef SCANRT_TESTS_CUDA_LANE_H
#define SCANRT_TESTS_CUDA_LANE_H

#include <scanrt/scan_cuda.h>

#include "cuda_driver.h"
#include "support.h"

typedef struct cuda_lane {
  struct CUctx_st *context; /* the application's; current only within the lane's calls */
  struct CUstream_st *stream;
  scan_ctx *ctx;
  scan_plan *plan;
  unsigned long long in, out;
  float *values, *results;
  uint64_t most, n;
  uint32_t seed;
  char text[TEST_TEXT]; /* the first error; "" if there is none */
} cuda_lane;

/** Returns the elements of the largest scan: about 2^20, or 20011 on the fake driver and in small tests. */
uint64_t cuda_lane_most(void);

/** Allocates, makes the scan_ctx and a plan for cuda_lane_most() elements of the strategy. 1 on success. */
int cuda_lane_open(cuda_lane *lane, struct CUctx_st *context, struct CUstream_st *stream, scan_strategy strategy);

/** Writes n new values on the lane's stream. 1 on success. */
int cuda_lane_fill(cuda_lane *lane, uint64_t n);

/** Enqueues the plan's scan of the values that cuda_lane_fill wrote. 1 on success. */
int cuda_lane_run(cuda_lane *lane);

/** Waits for the stream, reads the results and compares them. 1 if they are right. */
int cuda_lane_check(cuda_lane *lane);

/** Calls cuda_lane_fill, cuda_lane_run and cuda_lane_check. 1 if all succeed. */
int cuda_lane_turn(cuda_lane *lane, uint64_t n);

/** Frees everything but the context and the stream. */
void cuda_lane_close(cuda_lane *lane);

/** Opens a lane of the strategy AUTO; closes one. Each fails the running test with the lane's error, if it has one. */
void cuda_lane_begin(cuda_lane *lane, struct CUctx_st *context, struct CUstream_st *stream);
void cuda_lane_end(cuda_lane *lane);

/** Starts a scan on each lane before it checks the first one, in each round. */
void cuda_lanes_run_in_turn(cuda_lane *lanes, int count, int rounds);

/** Returns a random n from 1 to the most; its upper bound is a random power of two, so that small n are frequent. */
uint64_t cuda_lane_draw(cuda_lane *lane);

/** Fails the running test with the lane's error, if it has one. */
void cuda_lane_ok(const cuda_lane *lane);

/** 1 if a library call succeeded; otherwise keeps its error text. */
int cuda_lane_scans(cuda_lane *lane, scan_status status, const char *call);
/** 1 if a driver call succeeded; otherwise keeps its name and result. */
int cuda_lane_drives(cuda_lane *lane, int result, const char *call);

#endif
