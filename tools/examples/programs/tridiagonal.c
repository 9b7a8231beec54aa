/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file tridiagonal.c
 * @brief A tridiagonal system a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i] by two scans, beside LAPACK's dgtsv.
 *
 * Usage: tridiagonal [--n ROWS] [--rounds N]. Like Thomas's algorithm, for matrices whose diagonal dominates:
 *
 * 1. Elimination: w[i] = c[i] / (b[i] - a[i] w[i-1]), e[i] = (d[i] - a[i] e[i-1]) / (b[i] - a[i] w[i-1]). The numbers
 *    (w, e, 1), up to a common factor, are multiplied by the 3 x 3 matrix (0 0 c; 0 -a d; -a 0 b). An inclusive scan
 *    multiplies the matrices, of which seven elements are not always 0. A product whose elements become large or small
 *    is scaled by a power of two, so that no number of rows overflows. The operator's emit writes -w[i] and e[i].
 * 2. Substitution: x[i] = e[i] - w[i] x[i+1], a backward scan of affine steps with the library's composite, in place.
 *
 * The result is compared with the plain loop, from which it differs by rounding. Exit status: 0 it is right; 1 it is
 * wrong, or a call failed; 77 there is no such device, or it has no double precision.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scanrt/scan_composite.h>

#include "program.h"

#ifdef PROGRAM_LAPACK
extern void dgtsv_(const int *n, const int *nrhs, double *a, double *b, double *c, double *d, const int *ldb,
                   int *info);
#endif

/* Compiled here, and as `text` by the scan's device. A matrix is (p 0 q; u v t; r 0 s). The element s, the determinant
 * of its rows, is the largest where diagonals dominate; that of one row must lie between 2^-200 and 2^200. */
SCAN_OP_TEXT(
    text, typedef struct row { double a, b, c, d; } row;

    typedef struct matrix { double p, q, u, v, t, r, s; } matrix;

    typedef struct step_back { double a, b; } step_back;

    static inline matrix then(matrix f, matrix g) {
      const double s = g.r * f.q + g.s * f.s;
      const double size = s < 0.0 ? -s : s;
      const double scale = size > 0x1p200 ? 0x1p-400 : size < 0x1p-200 ? 0x1p400 : 1.0;
      matrix h;
      h.p = (g.p * f.p + g.q * f.r) * scale;
      h.q = (g.p * f.q + g.q * f.s) * scale;
      h.u = (g.u * f.p + g.v * f.u + g.t * f.r) * scale;
      h.v = g.v * f.v * scale;
      h.t = (g.u * f.q + g.v * f.t + g.t * f.s) * scale;
      h.r = (g.r * f.p + g.s * f.r) * scale;
      h.s = s * scale;
      return h;
    }

    static inline matrix of_row(row x, uint64_t index) {
      const double a = index == 0u ? 0.0 : -x.a;
      matrix f;
      f.p = f.u = 0.0;
      f.q = x.c;
      f.v = f.r = a;
      f.t = x.d;
      f.s = x.b;
      return f;
    }

    static inline step_back eliminated(matrix with, matrix before, row x, uint64_t index) {
      step_back f;
      (void)before;
      (void)x;
      (void)index;
      f.a = -with.q / with.s;
      f.b = with.t / with.s;
      return f;
    });
SCAN_OP_HOST(then_host, matrix, then);
SCAN_MAP_HOST(of_row_host, row, matrix, of_row);
SCAN_EMIT_HOST(eliminated_host, matrix, row, step_back, eliminated);

typedef struct solver {
  scan_ctx *ctx;
  scan_op *products, *affine;
  scan_plan *eliminate, *substitute;
  scan_mem in, out;
  uint64_t n;
  row *rows;
  step_back *solved; /* the scans' x, in b */
  double *w, *x;     /* the loop's */
  double *lapack;    /* dgtsv's a, b, c and d, which becomes x */
} solver;

static int make_rows(solver *s) {
  s->rows = malloc(s->n * sizeof *s->rows);
  s->solved = malloc(s->n * sizeof *s->solved);
  s->w = malloc(s->n * sizeof(double));
  s->x = malloc(s->n * sizeof(double));
  if (!s->rows || !s->solved || !s->w || !s->x) return PROGRAM_WRONG;
  for (uint64_t i = 0; i < s->n; i++) {
    double of[4];
    for (uint64_t k = 0; k < 4; k++) of[k] = (double)program_random(4 * i + k) * 0x1p-31 - 1.0; /* from -1 to 1 */
    s->rows[i] = (row){ of[0], 2.5 + of[1] * 0.25, i + 1 < s->n ? of[2] : 0.0, of[3] };
  }
  return 0;
}

static scan_status make_operators(solver *s) {
  static const matrix identity = { 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0 };
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, matrix, then);
  source.identity = &identity;
  source.host = then_host;
  source.loops = &then_host_loops;
  source.map = "of_row";
  source.input_type = "row";
  source.input_bytes = sizeof(row);
  source.input_align = _Alignof(row);
  source.map_host = of_row_host;
  source.map_loop = of_row_host_loop;
  source.emit = "eliminated";
  source.output_type = "step_back";
  source.output_bytes = sizeof(step_back);
  source.output_align = _Alignof(step_back);
  source.emit_host = eliminated_host;
  source.emit_loop = eliminated_host_loop;
  const scan_status status = scan_op_create(s->ctx, &source, &s->products);
  return status == SCAN_SUCCESS ? scan_composite_create(s->ctx, SCAN_AFFINE_F64, &s->affine) : status;
}

static scan_status open_solver(solver *s) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_status status = make_operators(s);
  spec.custom_op = s->products;
  if (status == SCAN_SUCCESS) status = scan_plan_create(s->ctx, &spec, s->n, &s->eliminate);
  spec.custom_op = s->affine;
  spec.flags = SCAN_BACKWARD;
  if (status == SCAN_SUCCESS) status = scan_plan_create(s->ctx, &spec, s->n, &s->substitute);
  if (status == SCAN_SUCCESS) status = scan_alloc(s->ctx, s->n * sizeof(row), &s->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(s->ctx, s->n * sizeof(step_back), &s->out);
  return status == SCAN_SUCCESS ? scan_write(s->ctx, s->in, s->rows, s->n * sizeof(row)) : status;
}

static scan_status run_scans(void *state) {
  solver *s = state;
  const scan_status status = scan_plan_run(s->eliminate, s->n, s->in, s->out);
  return status == SCAN_SUCCESS ? scan_plan_run(s->substitute, s->n, s->out, s->out) : status;
}

static void run_loop(void *state) {
  solver *s = state;
  double w = 0.0, e = 0.0;
  for (uint64_t i = 0; i < s->n; i++) {
    const row r = s->rows[i];
    const double a = i == 0 ? 0.0 : r.a, pivot = 1.0 / (r.b - a * w);
    s->w[i] = w = r.c * pivot;
    s->x[i] = e = (r.d - a * e) * pivot;
  }
  for (uint64_t i = s->n - 1; i-- > 0;) s->x[i] -= s->w[i] * s->x[i + 1];
}

static double worst(const solver *s, const double *x, uint64_t stride) {
  double most = 0;
  for (uint64_t i = 0; i < s->n; i++) {
    const double off = fabs(x[i * stride] - s->x[i]);
    if (!(off <= most)) most = off;
  }
  return most;
}

#ifdef PROGRAM_LAPACK
/* Solves by dgtsv, which overwrites its arguments; the time is that of the copy, too. */
static void run_lapack(void *state) {
  const solver *s = state;
  double *const a = s->lapack, *const b = a + s->n, *const c = b + s->n, *const d = c + s->n;
  const int n = (int)s->n, one = 1;
  int info = 0;
  for (uint64_t i = 0; i < s->n; i++) {
    a[i > 0 ? i - 1 : 0] = s->rows[i].a; /* a[1] is the first */
    b[i] = s->rows[i].b;
    c[i] = s->rows[i].c;
    d[i] = s->rows[i].d;
  }
  dgtsv_(&n, &one, a, b, c, d, &n, &info);
}

static int compare_lapack(solver *s, uint64_t rounds) {
  s->lapack = malloc(4 * s->n * sizeof(double));
  if (!s->lapack) return PROGRAM_WRONG;
  program_time_loop("LAPACK's dgtsv", run_lapack, s, rounds, 0);
  const int rc = program_verdict("dgtsv's x", worst(s, s->lapack + 3 * s->n, 1), 1e-12);
  free(s->lapack);
  return rc;
}
#else
static int compare_lapack(solver *s, uint64_t rounds) {
  (void)s, (void)rounds;
  return 0;
}
#endif

static void close_solver(solver *s) {
  (void)scan_free(s->ctx, s->in);
  (void)scan_free(s->ctx, s->out);
  scan_plan_destroy(s->eliminate);
  scan_plan_destroy(s->substitute);
  scan_op_destroy(s->products);
  scan_op_destroy(s->affine);
  scan_ctx_destroy(s->ctx);
  free(s->rows);
  free(s->solved);
  free(s->w);
  free(s->x);
}

int main(int argc, char **argv) {
  program_options o = { .n = 1 << 22, .rounds = 9 };
  int rc = program_parse(argc, argv, &o);
  solver s = { .n = o.n };
  const double bytes = (double)(sizeof(row) + 3 * sizeof(step_back)) * (double)s.n;
  if (rc == 0) rc = make_rows(&s);
  if (rc == 0) rc = program_open(1, &s.ctx);
  if (rc == 0) rc = program_status(s.ctx, open_solver(&s));
  if (rc == 0) rc = program_time(s.ctx, "two scans", run_scans, &s, o.rounds, bytes);
  if (rc == 0) program_time_loop("plain loop", run_loop, &s, o.rounds, 0);
  if (rc == 0) rc = program_status(s.ctx, scan_read(s.ctx, s.out, s.solved, s.n * sizeof(step_back)));
  if (rc == 0) rc = program_verdict("x", worst(&s, &s.solved->b, 2), 1e-12);
  if (rc == 0) rc = compare_lapack(&s, o.rounds);
  close_solver(&s);
  return rc;
}
