/* SPDX-License-Identifier: BSD-2-Clause */
#include "opencl_lane.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

const scan_spec opencl_lane_sum = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);

static int scans(opencl_lane *l, scan_status status, const char *call) {
  return test_keep_error(l->ctx, status, call, l->text);
}

static int drives(opencl_lane *l, cl_int result, const char *call) {
  if (result == CL_SUCCESS) return 1;
  if (l->text[0] == '\0') snprintf(l->text, sizeof l->text, "%s gives %d", call, result);
  return 0;
}

void opencl_lane_ok(const opencl_lane *l) {
  if (l->text[0] != '\0') test_fail("%s", l->text);
}

opencl_lane *opencl_lane_new(cl_context context, cl_command_queue queue) {
  static uint64_t lanes;
  opencl_lane *l = calloc(1, sizeof *l);
  assert_non_null(l);
  l->context = context;
  l->queue = queue;
  l->rng.state = ++lanes;
  l->in = opencl_app_buffer(context, OPENCL_LANE_BYTES + 8);
  l->out = opencl_app_buffer(context, OPENCL_LANE_BYTES + 8);
  return l;
}

int opencl_lane_open(opencl_lane *l) {
  return scans(l, scan_opencl_ctx_create(NULL, l->context, l->queue, &l->ctx), "scan_opencl_ctx_create") &&
         scans(l, scan_plan_create(l->ctx, &opencl_lane_sum, OPENCL_LANE_ITEMS, &l->plan), "scan_plan_create");
}

int opencl_lane_start(opencl_lane *l, cl_event *done) {
  scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  scan_args args = SCAN_ARGS_INIT(scan_opencl_mem(l->in, 0), scan_opencl_mem(l->out, 0));
  l->n = 1 + rng_below(&l->rng, OPENCL_LANE_ITEMS);
  values_fill(&l->rng, SCAN_I32, SCAN_ADD, l->n, l->n, l->values);
  reference_scan(&opencl_lane_sum, l->n, l->values, l->want);
  events.event = done;
  args.opencl = &events;
  return drives(l, clEnqueueWriteBuffer(l->queue, l->in, CL_FALSE, 0, l->n * 4, l->values, 0, NULL, NULL), "write") &&
         scans(l, scan_plan_run_args(l->plan, l->n, &args), "scan_plan_run_args") &&
         drives(l, clFlush(l->queue), "clFlush");
}

int opencl_lane_check(opencl_lane *l, cl_event done) {
  memset(l->got, 0xee, sizeof l->got);
  const int read =
      drives(l, clEnqueueReadBuffer(l->queue, l->out, CL_TRUE, 0, l->n * 4, l->got, 1, &done, NULL), "read");
  (void)clReleaseEvent(done);
  if (!read) return 0;
  const uint64_t bad = reference_mismatch(SCAN_I32, l->n, l->got, l->want);
  return drives(l, bad != l->n, "comparing");
}

void opencl_lane_fill(opencl_lane *l) {
  l->n = OPENCL_LANE_ITEMS;
  values_fill(&l->rng, SCAN_I32, SCAN_ADD, l->n, l->n, l->values);
  reference_scan(&opencl_lane_sum, l->n, l->values, l->want);
}

void opencl_lane_close(opencl_lane *l) {
  scan_plan_destroy(l->plan);
  scan_ctx_destroy(l->ctx);
  CL_OK(clReleaseMemObject(l->in));
  CL_OK(clReleaseMemObject(l->out));
  opencl_lane_ok(l);
  free(l);
}

void opencl_lanes_run_in_turn(opencl_lane **lanes, int count) {
  for (int round = 0; round < OPENCL_ROUNDS; round++) {
    cl_event done[OPENCL_LANES];
    for (int k = 0; k < count; k++) {
      (void)opencl_lane_start(lanes[k], &done[k]);
      opencl_lane_ok(lanes[k]);
    }
    for (int k = 0; k < count; k++) {
      const int at = (k + round) % count;
      (void)opencl_lane_check(lanes[at], done[at]);
      opencl_lane_ok(lanes[at]);
    }
  }
}

static void *work(void *argument) {
  opencl_lane *l = argument;
  if (!opencl_lane_open(l)) return NULL;
  for (int round = 0; round < OPENCL_ROUNDS; round++) {
    cl_event done = NULL;
    if (!opencl_lane_start(l, &done) || !opencl_lane_check(l, done)) return NULL;
  }
  return NULL;
}

void opencl_lanes_run_threads(opencl_lane **lanes, int count) {
  pthread_t threads[OPENCL_LANES];
  for (int k = 0; k < count; k++) assert_int_equal(pthread_create(&threads[k], NULL, work, lanes[k]), 0);
  for (int k = 0; k < count; k++) assert_int_equal(pthread_join(threads[k], NULL), 0);
  for (int k = 0; k < count; k++) opencl_lane_ok(lanes[k]);
}
