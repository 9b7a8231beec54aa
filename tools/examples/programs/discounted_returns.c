/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file discounted_returns.c
 * @brief Discounted returns of reinforcement learning: a backward scan along the time axis of many episodes.
 *
 * Usage: discounted_returns [--n STEPS] [--rounds N]. The steps of ENVIRONMENTS environments are an array
 * (environment, time) of discounts and rewards. The return of a step is R[t] = reward[t] + discount[t] R[t+1]; a
 * discount of 0 ends an episode. The step R -> discount R + reward is an element of the library's composite
 * SCAN_AFFINE_F32, so that one backward scan along time gives all returns. The result is compared with the plain loop,
 * from which it differs by rounding. Exit status: 0 it is right; 1 it is wrong, or a call failed; 77 there is no such
 * device.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scanrt/scan_array.h>
#include <scanrt/scan_composite.h>

#include "program.h"

enum { ENVIRONMENTS = 64 };

typedef struct rollout {
  scan_ctx *ctx;
  scan_op *affine;
  scan_plan *plan;
  scan_mem in, out;
  uint64_t time, n;              /* steps of one environment, of all */
  scan_affine_f32 *steps, *scan; /* a is the discount, b the reward; b is the return */
  float *loop;                   /* the loop's returns */
} rollout;

static int make_steps(rollout *r) {
  r->steps = malloc(r->n * sizeof *r->steps);
  r->scan = malloc(r->n * sizeof *r->scan);
  r->loop = malloc(r->n * sizeof *r->loop);
  if (!r->steps || !r->scan || !r->loop) return PROGRAM_WRONG;
  for (uint64_t i = 0; i < r->n; i++) {
    const uint32_t random = program_random(i);
    r->steps[i] = (scan_affine_f32){ random % 200 ? 0.99f : 0.0f, (float)(random >> 8) * 0x1p-24f };
  }
  return 0;
}

static scan_status open_rollout(rollout *r) {
  static const scan_affine_f32 end = { 0.0f, 0.0f }; /* the return is 0 behind the last step */
  const uint64_t shape[] = { ENVIRONMENTS, r->time };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_array along_time = SCAN_ARRAY_INIT;
  scan_status status = scan_composite_create(r->ctx, SCAN_AFFINE_F32, &r->affine);
  spec.custom_op = r->affine;
  spec.flags = SCAN_BACKWARD;
  spec.has_init = 1;
  spec.init_bytes = &end;
  if (status == SCAN_SUCCESS) status = scan_array_packed(&spec, 2, shape, 1, &along_time);
  if (status == SCAN_SUCCESS) status = scan_plan_create_array(r->ctx, &spec, &along_time, &r->plan);
  if (status == SCAN_SUCCESS) status = scan_alloc(r->ctx, r->n * sizeof *r->steps, &r->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(r->ctx, r->n * sizeof *r->scan, &r->out);
  return status == SCAN_SUCCESS ? scan_write(r->ctx, r->in, r->steps, r->n * sizeof *r->steps) : status;
}

static scan_status run_scan(void *state) {
  rollout *r = state;
  return scan_plan_run_array(r->plan, r->in, r->out);
}

static void run_loop(void *state) {
  rollout *r = state;
  for (uint64_t e = 0; e < ENVIRONMENTS; e++) {
    float next = 0.0f;
    for (uint64_t i = (e + 1) * r->time; i-- > e * r->time;) r->loop[i] = next = r->steps[i].b + r->steps[i].a * next;
  }
}

static double worst(const rollout *r) {
  double most = 0;
  for (uint64_t i = 0; i < r->n; i++) {
    const double off = fabs((double)r->scan[i].b - (double)r->loop[i]);
    if (!(off <= most)) most = off;
  }
  return most;
}

int main(int argc, char **argv) {
  program_options o = { .n = 1 << 24, .rounds = 9 };
  int rc = program_parse(argc, argv, &o);
  rollout r = { .time = (o.n + ENVIRONMENTS - 1) / ENVIRONMENTS };
  r.n = r.time * ENVIRONMENTS;
  if (rc == 0) rc = make_steps(&r);
  if (rc == 0) rc = program_open(0, &r.ctx);
  if (rc == 0) rc = program_status(r.ctx, open_rollout(&r));
  const double bytes = 2.0 * sizeof(scan_affine_f32) * (double)r.n;
  if (rc == 0) rc = program_time(r.ctx, "one scan", run_scan, &r, o.rounds, bytes);
  if (rc == 0) program_time_loop("plain loop", run_loop, &r, o.rounds, 0);
  if (rc == 0) rc = program_status(r.ctx, scan_read(r.ctx, r.out, r.scan, r.n * sizeof(scan_affine_f32)));
  if (rc == 0) rc = program_verdict("returns", worst(&r), 1e-3); /* of returns up to 100 */
  (void)scan_free(r.ctx, r.in);
  (void)scan_free(r.ctx, r.out);
  scan_plan_destroy(r.plan);
  scan_op_destroy(r.affine);
  scan_ctx_destroy(r.ctx);
  free(r.steps);
  free(r.scan);
  free(r.loop);
  return rc;
}
