/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file opencl_lane.h
 * @brief A part of an application that scans on OpenCL beside others: a scan_ctx on its own queue, with buffers.
 *
 * A lane keeps its first error as text, because only the main thread may use cmocka's assertions.
 */
#ifndef SCANRT_TESTS_OPENCL_LANE_H
#define SCANRT_TESTS_OPENCL_LANE_H

#include "opencl_app.h"
#include "values.h"

enum { OPENCL_LANE_ITEMS = 20000, OPENCL_LANE_BYTES = OPENCL_LANE_ITEMS * 4, OPENCL_LANES = 4, OPENCL_ROUNDS = 4 };

/** The scan of all lanes, a sum of int32. */
extern const scan_spec opencl_lane_sum;

typedef struct opencl_lane {
  cl_context context; /* the application's, as the queue */
  cl_command_queue queue;
  cl_mem in, out; /* OPENCL_LANE_BYTES and 8 more */
  scan_ctx *ctx;
  scan_plan *plan; /* of opencl_lane_sum, for OPENCL_LANE_ITEMS */
  struct rng rng;
  uint64_t n;
  int32_t values[OPENCL_LANE_ITEMS], want[OPENCL_LANE_ITEMS], got[OPENCL_LANE_ITEMS];
  char text[TEST_TEXT]; /* the first error; "" if there is none */
} opencl_lane;

/** Makes a lane, which retains neither the context nor the queue. */
opencl_lane *opencl_lane_new(cl_context context, cl_command_queue queue);

/** Makes the scan_ctx and the plan; may run in any thread. 1 on success. */
int opencl_lane_open(opencl_lane *l);

/** Starts a scan of new input, without waiting. On an out-of-order queue the library makes the scan wait for the write;
 * the application's read waits for the scan's event. 1 on success. */
int opencl_lane_start(opencl_lane *l, cl_event *done);

/** Reads the results after `done`, releases it, and compares them. 1 if they are right. */
int opencl_lane_check(opencl_lane *l, cl_event done);

/** Draws values for all elements, and their sums. */
void opencl_lane_fill(opencl_lane *l);

/** Frees everything but the context and the queue; fails the running test with the lane's error, if it has one. */
void opencl_lane_close(opencl_lane *l);

/** Fails the running test with the lane's error, if it has one. */
void opencl_lane_ok(const opencl_lane *l);

/** Starts a scan on each lane before it checks the first one; OPENCL_ROUNDS times. */
void opencl_lanes_run_in_turn(opencl_lane **lanes, int count);

/** Opens each lane in a thread of its own, which scans OPENCL_ROUNDS times. */
void opencl_lanes_run_threads(opencl_lane **lanes, int count);

#endif
