/* SPDX-License-Identifier: BSD-2-Clause */
/* A batch of linear recurrences h[t] = a[t] h[t-1] + x[t], one for each row and channel of an array (rows, time,
 * channels), in one call along the time axis; and in another call the gradient that runs back through them. The loss is
 * the sum of all h. Build: cc recurrences.c -lscanrt */
#include <stdio.h>

#include <scanrt/scan.h>
#include <scanrt/scan_array.h>
#include <scanrt/scan_composite.h>

enum { ROWS = 3, TIME = 500, CHANNELS = 8 };

static scan_affine_f32 steps[ROWS][TIME][CHANNELS], scanned[ROWS][TIME][CHANNELS];
static scan_affine_f32 adjoint[ROWS][TIME][CHANNELS], gradient[ROWS][TIME][CHANNELS];

static float larger(float a, float b) { return a > b ? a : b; }
static float apart(float a, float b) { return a > b ? a - b : b - a; }

/* Returns the largest difference from plain loops. */
static float check(void) {
  float worst = 0.0f;
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < CHANNELS; c++) {
      float h = 0.0f, g = 0.0f;
      for (int t = 0; t < TIME; t++) {
        h = steps[r][t][c].a * h + steps[r][t][c].b;
        worst = larger(worst, apart(scanned[r][t][c].b, h)); /* with h[-1] = 0 only b remains */
      }
      for (int t = TIME - 1; t >= 0; t--) { /* dloss / dh[t] = 1 + a[t+1] dloss / dh[t+1] */
        g = 1.0f + (t + 1 < TIME ? steps[r][t + 1][c].a : 0.0f) * g;
        worst = larger(worst, apart(gradient[r][t][c].b, g));
      }
    }
  return worst;
}

int main(void) {
  const uint64_t shape[] = { ROWS, TIME, CHANNELS };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_array along_time = SCAN_ARRAY_INIT;
  scan_ctx *ctx = NULL;
  for (int r = 0; r < ROWS; r++)
    for (int t = 0; t < TIME; t++)
      for (int c = 0; c < CHANNELS; c++)
        steps[r][t][c] = (scan_affine_f32){ 0.9f - 0.1f * (float)((r + t) % 3), (float)((t * 7 + c) % 11) - 5.0f };
  for (int r = 0; r < ROWS; r++)
    for (int t = 0; t < TIME; t++)
      for (int c = 0; c < CHANNELS; c++)
        adjoint[r][t][c] = (scan_affine_f32){ t + 1 < TIME ? steps[r][t + 1][c].a : 0.0f, 1.0f };

  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) status = scan_composite_create(ctx, SCAN_AFFINE_F32, &spec.custom_op);
  if (status == SCAN_SUCCESS) status = scan_array_packed(&spec, 3, shape, 1, &along_time);
  if (status == SCAN_SUCCESS) status = scan_run_array(ctx, &spec, &along_time, scan_host(steps), scan_host(scanned));
  spec.flags = SCAN_BACKWARD;
  if (status == SCAN_SUCCESS) status = scan_run_array(ctx, &spec, &along_time, scan_host(adjoint), scan_host(gradient));
  if (status != SCAN_SUCCESS) fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  const float worst = status == SCAN_SUCCESS ? check() : 0.0f;
  if (status == SCAN_SUCCESS)
    printf("%d recurrences and their gradients, at most %g from the loops'\n", ROWS * CHANNELS, (double)worst);
  scan_op_destroy(spec.custom_op);
  scan_ctx_destroy(ctx);
  return status != SCAN_SUCCESS || worst > 1e-3f;
}
