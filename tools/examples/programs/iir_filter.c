/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file iir_filter.c
 * @brief A recursive filter of second order (biquad) over a whole signal in one scan.
 *
 * Usage: iir_filter [--n SAMPLES] [--rounds N]. The filter, in transposed direct form II, has a state (s, t):
 *
 *     y[i] = b0 x[i] + s,    s' = b1 x[i] - a1 y[i] + t,    t' = b2 x[i] - a2 y[i]
 *
 * Eight samples are an affine step of the state: a 2 x 2 matrix, the same for all steps, and a vector. Steps compose,
 * and composition is associative, so that a scan gives the state before and after each step. The operator's map makes
 * the step of eight samples, and its emit filters them from the state before them: only x is read, and only y is
 * written. The result is compared with the plain loop, from which it differs by rounding. Exit status: 0 it is right; 1
 * it is wrong, or a call failed; 77 there is no such device.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

/* Compiled here, and as `text` by the scan's device. A step maps (s, t) to (a s + b t + p, c s + d t + q). The
 * filter is a low-pass of Butterworth with its corner at a twentieth of the sample rate. */
SCAN_OP_TEXT(
    text, enum { SAMPLES = 8 };

    typedef struct samples { float x[SAMPLES]; } samples;

    typedef struct state2 { float s, t; } state2;

    typedef struct affine2 { float a, b, c, d, p, q; } affine2;

    static inline affine2 then(affine2 f, affine2 g) {
      affine2 h;
      h.a = g.a * f.a + g.b * f.c;
      h.b = g.a * f.b + g.b * f.d;
      h.c = g.c * f.a + g.d * f.c;
      h.d = g.c * f.b + g.d * f.d;
      h.p = g.a * f.p + g.b * f.q + g.p;
      h.q = g.c * f.p + g.d * f.q + g.q;
      return h;
    }

    static inline float output(state2 z, float x) { return 0.02008337f * x + z.s; }

    static inline state2 next(state2 z, float x, float y) {
      state2 after;
      after.s = 0.04016673f * x + 1.5610181f * y + z.t;
      after.t = 0.02008337f * x - 0.6413515f * y;
      return after;
    }

    static inline state2 state_after(float s, float t, samples x) {
      state2 z;
      z.s = s;
      z.t = t;
      for (int k = 0; k < SAMPLES; k++) z = next(z, x.x[k], output(z, x.x[k]));
      return z;
    }

    static inline affine2 of_samples(samples x, uint64_t index) {
      const state2 z = state_after(0.0f, 0.0f, x);
      samples none;
      affine2 f;
      (void)index;
      for (int k = 0; k < SAMPLES; k++) none.x[k] = 0.0f;
      const state2 s = state_after(1.0f, 0.0f, none), t = state_after(0.0f, 1.0f, none);
      f.a = s.s;
      f.b = t.s;
      f.c = s.t;
      f.d = t.t;
      f.p = z.s;
      f.q = z.t;
      return f;
    }

    static inline samples filtered(affine2 with, affine2 before, samples x, uint64_t index) {
      state2 z;
      samples y;
      (void)with;
      (void)index;
      z.s = before.p; /* the signal begins in state (0, 0) */
      z.t = before.q;
      for (int k = 0; k < SAMPLES; k++) {
        y.x[k] = output(z, x.x[k]);
        z = next(z, x.x[k], y.x[k]);
      }
      return y;
    });
SCAN_OP_HOST(then_host, affine2, then);
SCAN_MAP_HOST(of_samples_host, samples, affine2, of_samples);
SCAN_EMIT_HOST(filtered_host, affine2, samples, samples, filtered);

typedef struct filter {
  scan_ctx *ctx;
  scan_op *op;
  scan_plan *plan;
  scan_mem in, out;
  uint64_t n;            /* groups of SAMPLES samples */
  samples *x, *y, *loop; /* the signal, the scan's result, the loop's */
} filter;

static int make_signal(filter *f) {
  f->x = malloc(f->n * sizeof(samples));
  f->y = malloc(f->n * sizeof(samples));
  f->loop = malloc(f->n * sizeof(samples));
  if (!f->x || !f->y || !f->loop) return PROGRAM_WRONG;
  for (uint64_t i = 0; i < f->n * SAMPLES; i++)
    f->x[i / SAMPLES].x[i % SAMPLES] = (float)(program_random(i) >> 8) * 0x1p-23f - 1.0f;
  return 0;
}

static scan_status make_operator(filter *f) {
  static const affine2 identity = { 1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f };
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, affine2, then);
  source.identity = &identity;
  source.host = then_host;
  source.loops = &then_host_loops;
  source.map = "of_samples";
  source.input_type = source.output_type = "samples";
  source.input_bytes = source.output_bytes = sizeof(samples);
  source.input_align = source.output_align = _Alignof(samples);
  source.map_host = of_samples_host;
  source.map_loop = of_samples_host_loop;
  source.emit = "filtered";
  source.emit_host = filtered_host;
  source.emit_loop = filtered_host_loop;
  return scan_op_create(f->ctx, &source, &f->op);
}

static scan_status open_filter(filter *f) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_status status = make_operator(f);
  spec.custom_op = f->op;
  if (status == SCAN_SUCCESS) status = scan_plan_create(f->ctx, &spec, f->n, &f->plan);
  if (status == SCAN_SUCCESS) status = scan_alloc(f->ctx, f->n * sizeof(samples), &f->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(f->ctx, f->n * sizeof(samples), &f->out);
  return status == SCAN_SUCCESS ? scan_write(f->ctx, f->in, f->x, f->n * sizeof(samples)) : status;
}

static scan_status run_filter(void *state) {
  filter *f = state;
  return scan_plan_run(f->plan, f->n, f->in, f->out);
}

static void run_loop(void *state) {
  filter *f = state;
  state2 z = { 0.0f, 0.0f };
  for (uint64_t i = 0; i < f->n; i++)
    for (int k = 0; k < SAMPLES; k++) {
      const float x = f->x[i].x[k], y = output(z, x);
      z = next(z, x, y);
      f->loop[i].x[k] = y;
    }
}

static double worst(const filter *f) {
  double most = 0;
  for (uint64_t i = 0; i < f->n; i++)
    for (int k = 0; k < SAMPLES; k++) {
      const double off = fabs((double)f->y[i].x[k] - (double)f->loop[i].x[k]);
      if (!(off <= most)) most = off;
    }
  return most;
}

int main(int argc, char **argv) {
  program_options o = { .n = 1 << 24, .rounds = 9 };
  int rc = program_parse(argc, argv, &o);
  filter f = { .n = (o.n + SAMPLES - 1) / SAMPLES };
  if (rc == 0) rc = make_signal(&f);
  if (rc == 0) rc = program_open(0, &f.ctx);
  if (rc == 0) rc = program_status(f.ctx, open_filter(&f));
  const double bytes = 2.0 * sizeof(samples) * (double)f.n;
  if (rc == 0) rc = program_time(f.ctx, "one scan", run_filter, &f, o.rounds, bytes);
  if (rc == 0) program_time_loop("plain loop", run_loop, &f, o.rounds, bytes);
  if (rc == 0) rc = program_status(f.ctx, scan_read(f.ctx, f.out, f.y, f.n * sizeof(samples)));
  if (rc == 0) rc = program_verdict("filtered signal", worst(&f), 1e-5);
  (void)scan_free(f.ctx, f.in);
  (void)scan_free(f.ctx, f.out);
  scan_plan_destroy(f.plan);
  scan_op_destroy(f.op);
  scan_ctx_destroy(f.ctx);
  free(f.x);
  free(f.y);
  free(f.loop);
  return rc;
}
