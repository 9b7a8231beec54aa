/* SPDX-License-Identifier: BSD-2-Clause */
/* x[i] = a[i] x[i-1] + b[i] for all i at once: an inclusive scan that composes steps, with an operator from source.
 * scan_composite.h has this operator, too: see composite.c. Build: cc recurrence.c -lscanrt */
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan.h>

/* Compiled here, and as `text` by the scan's device. f comes before g. */
SCAN_OP_TEXT(
    text,
    typedef struct affine {
      float a;
      float b;
    } affine;
    static inline affine then(affine f, affine g) {
      affine h;
      h.a = g.a * f.a;
      h.b = g.a * f.b + g.b;
      return h;
    });
SCAN_OP_HOST(then_on_host, affine, then);

enum { N = 1000 };

int main(void) {
  static affine steps[N], composed[N];
  const float x0 = 1.0f;
  float x = x0, worst = 0.0f;
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, affine, then);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_ctx *ctx = NULL;
  for (int i = 0; i < N; i++) steps[i] = (affine){ i % 2 ? 0.5f : -0.75f, (float)(i % 7) };

  source.host = then_on_host; /* the host compiles no source */
  source.loops = &then_on_host_loops;
  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) status = scan_op_create(ctx, &source, &spec.custom_op);
  if (status == SCAN_SUCCESS) status = scan_run(ctx, &spec, N, scan_host(steps), scan_host(composed));
  if (status != SCAN_SUCCESS) fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  for (int i = 0; status == SCAN_SUCCESS && i < N; i++) {
    x = steps[i].a * x + steps[i].b;
    const float scanned = composed[i].a * x0 + composed[i].b, off = scanned > x ? scanned - x : x - scanned;
    worst = off > worst ? off : worst;
  }
  if (status == SCAN_SUCCESS) printf("x[%d] = %g, at most %g from the loop's\n", N - 1, (double)x, (double)worst);
  scan_op_destroy(spec.custom_op);
  scan_ctx_destroy(ctx);
  return status != SCAN_SUCCESS || worst > 1e-4f;
}
