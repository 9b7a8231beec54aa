/* SPDX-License-Identifier: BSD-2-Clause */
/* y[i] = a[i] y[i-1] + b[i] for all i at once, from y[-1] = 1, with an operator of the library; recurrence.c defines
 * its own. Build: cc composite.c -lscanrt */
#include <stdio.h>

#include <scanrt/scan_composite.h>

enum { N = 1000 };

int main(void) {
  static scan_affine_f32 steps[N], y[N];
  const scan_affine_f32 start = { 0.0f, 1.0f }; /* maps any value to 1 */
  float loop = start.b, worst = 0.0f;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_ctx *ctx = NULL;
  for (int i = 0; i < N; i++) steps[i] = (scan_affine_f32){ i % 2 ? 0.5f : -0.75f, (float)(i % 7) };

  spec.has_init = 1;
  spec.init_bytes = &start;
  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) status = scan_composite_create(ctx, SCAN_AFFINE_F32, &spec.custom_op);
  if (status == SCAN_SUCCESS) status = scan_run(ctx, &spec, N, scan_host(steps), scan_host(y));
  if (status != SCAN_SUCCESS) fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  for (int i = 0; status == SCAN_SUCCESS && i < N; i++) {
    loop = steps[i].a * loop + steps[i].b;
    const float off = y[i].b > loop ? y[i].b - loop : loop - y[i].b;
    worst = off > worst ? off : worst;
  }
  if (status == SCAN_SUCCESS) printf("y[%d] = %g, at most %g from the loop's\n", N - 1, (double)loop, (double)worst);
  scan_op_destroy(spec.custom_op);
  scan_ctx_destroy(ctx);
  return status != SCAN_SUCCESS || worst > 1e-4f;
}
