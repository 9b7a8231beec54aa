/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda_lane.h"

#include <stdio.h>
#include <stdlib.h>

enum { DIGITS = 8, MOST_REAL = (1 << 20) + 5, MOST_FAKE = 20011 };

uint64_t cuda_lane_most(void) { return cuda_driver_is_fake() || test_is_small() ? MOST_FAKE : MOST_REAL; }

int cuda_lane_scans(cuda_lane *lane, scan_status status, const char *call) {
  return test_keep_error(lane->ctx, status, call, lane->text);
}

int cuda_lane_drives(cuda_lane *lane, int result, const char *call) {
  if (result == 0) return 1;
  if (lane->text[0] == '\0') snprintf(lane->text, sizeof lane->text, "%s gives %d", call, result);
  return 0;
}

static uint32_t draw(cuda_lane *lane) {
  lane->seed = lane->seed * 1664525u + 1013904223u;
  return lane->seed >> 8;
}

uint64_t cuda_lane_draw(cuda_lane *lane) {
  uint64_t bound = 2;
  for (uint32_t twice = draw(lane) % 21; twice > 0 && bound < lane->most; twice--) bound *= 2;
  return 1 + draw(lane) % (bound < lane->most ? bound : lane->most);
}

/* Allocates the lane's buffers; makes its context current for that. */
static int allocate(cuda_lane *lane) {
  if (!cuda_lane_drives(lane, cu.push(lane->context), "cuCtxPushCurrent")) return 0;
  const int ok = cuda_lane_drives(lane, cu.alloc(&lane->in, lane->most * sizeof(float)), "cuMemAlloc") &&
                 cuda_lane_drives(lane, cu.alloc(&lane->out, lane->most * sizeof(float)), "cuMemAlloc");
  return cuda_lane_drives(lane, cu.pop(NULL), "cuCtxPopCurrent") && ok;
}

int cuda_lane_open(cuda_lane *lane, struct CUctx_st *context, struct CUstream_st *stream, scan_strategy strategy) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  static uint32_t lanes;
  *lane = (cuda_lane){ .context = context, .stream = stream, .most = cuda_lane_most() };
  lane->seed = __atomic_add_fetch(&lanes, 1, __ATOMIC_RELAXED);
  lane->values = malloc(lane->most * sizeof *lane->values);
  lane->results = malloc(lane->most * sizeof *lane->results);
  spec.strategy = strategy;
  return cuda_lane_drives(lane, lane->values == NULL || lane->results == NULL, "malloc") && allocate(lane) &&
         cuda_lane_scans(lane, scan_cuda_ctx_create(NULL, context, stream, &lane->ctx), "scan_cuda_ctx_create") &&
         cuda_lane_scans(lane, scan_plan_create(lane->ctx, &spec, lane->most, &lane->plan), "scan_plan_create");
}

int cuda_lane_fill(cuda_lane *lane, uint64_t n) {
  if (lane->text[0] != '\0') return 0;
  lane->n = n;
  for (uint64_t i = 0; i < n; i++) lane->values[i] = (float)(draw(lane) % DIGITS);
  if (!cuda_lane_drives(lane, cu.push(lane->context), "cuCtxPushCurrent")) return 0;
  const int ok =
      cuda_lane_drives(lane, cu.write(lane->in, lane->values, n * sizeof(float), lane->stream), "cuMemcpyHtoDAsync");
  return cuda_lane_drives(lane, cu.pop(NULL), "cuCtxPopCurrent") && ok;
}

int cuda_lane_run(cuda_lane *lane) {
  const uint64_t bytes = lane->n * sizeof(float);
  if (lane->text[0] != '\0') return 0;
  return cuda_lane_scans(
      lane, scan_plan_run(lane->plan, lane->n, scan_cuda_mem(lane->in, bytes), scan_cuda_mem(lane->out, bytes)),
      "scan_plan_run");
}

static int compare(cuda_lane *lane) {
  float sum = 0;
  for (uint64_t i = 0; i < lane->n; i++) {
    sum += lane->values[i];
    if (lane->results[i] == sum) continue;
    snprintf(lane->text, sizeof lane->text, "element %llu of %llu is %g, not %g", (unsigned long long)i,
             (unsigned long long)lane->n, (double)lane->results[i], (double)sum);
    return 0;
  }
  return 1;
}

int cuda_lane_check(cuda_lane *lane) {
  if (lane->text[0] != '\0') return 0;
  for (uint64_t i = 0; i < lane->n; i++) lane->results[i] = -1;
  if (!cuda_lane_drives(lane, cu.push(lane->context), "cuCtxPushCurrent")) return 0;
  const int ok = cuda_lane_drives(lane, cu.read(lane->results, lane->out, lane->n * sizeof(float), lane->stream),
                                  "cuMemcpyDtoHAsync") &&
                 cuda_lane_drives(lane, cu.stream_sync(lane->stream), "cuStreamSynchronize");
  return cuda_lane_drives(lane, cu.pop(NULL), "cuCtxPopCurrent") && ok && compare(lane);
}

int cuda_lane_turn(cuda_lane *lane, uint64_t n) {
  return cuda_lane_fill(lane, n) && cuda_lane_run(lane) && cuda_lane_check(lane);
}

void cuda_lane_close(cuda_lane *lane) {
  scan_plan_destroy(lane->plan);
  scan_ctx_destroy(lane->ctx);
  if (lane->in != 0 && cuda_lane_drives(lane, cu.push(lane->context), "cuCtxPushCurrent")) {
    (void)cuda_lane_drives(lane, cu.free(lane->in), "cuMemFree");
    if (lane->out != 0) (void)cuda_lane_drives(lane, cu.free(lane->out), "cuMemFree");
    (void)cuda_lane_drives(lane, cu.pop(NULL), "cuCtxPopCurrent");
  }
  free(lane->values);
  free(lane->results);
  lane->plan = NULL, lane->ctx = NULL, lane->in = lane->out = 0, lane->values = lane->results = NULL;
}

void cuda_lane_ok(const cuda_lane *lane) {
  if (lane->text[0] != '\0') test_fail("%s", lane->text);
}

void cuda_lane_begin(cuda_lane *lane, struct CUctx_st *context, struct CUstream_st *stream) {
  (void)cuda_lane_open(lane, context, stream, SCAN_STRATEGY_AUTO);
  cuda_lane_ok(lane);
}

void cuda_lane_end(cuda_lane *lane) {
  cuda_lane_close(lane);
  cuda_lane_ok(lane);
}

void cuda_lanes_run_in_turn(cuda_lane *lanes, int count, int rounds) {
  for (int round = 0; round < rounds; round++) {
    for (int l = 0; l < count; l++) (void)cuda_lane_fill(&lanes[l], cuda_lane_draw(&lanes[l]));
    for (int l = 0; l < count; l++) (void)cuda_lane_run(&lanes[l]);
    for (int l = 0; l < count; l++) (void)cuda_lane_check(&lanes[(l + round) % count]);
    for (int l = 0; l < count; l++) cuda_lane_ok(&lanes[l]);
  }
}
