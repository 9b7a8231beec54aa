/* SPDX-License-Identifier: BSD-2-Clause */
/* An application: opens the host device, scans 1000 int32, checks every sum. */
#include <scanrt/scan.h>

#include <stdio.h>
#include <string.h>

enum { N_ITEMS = 1000 };

static int sums_are_right(const int32_t *in, const int32_t *out) {
  int32_t sum = 0;
  for (int i = 0; i < N_ITEMS; i++) {
    if (out[i] != sum) {
      fprintf(stderr, "out[%d] is %d, expected %d\n", i, (int)out[i], (int)sum);
      return 0;
    }
    sum += in[i];
  }
  return 1;
}

int main(void) {
  int32_t in[N_ITEMS];
  int32_t out[N_ITEMS];
  for (int i = 0; i < N_ITEMS; i++) in[i] = i % 17 - 5;
  memset(out, 0x55, sizeof out);

  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  options.device = "host";
  scan_ctx *ctx = NULL;
  if (scan_ctx_create(&options, &ctx) != SCAN_SUCCESS) {
    fprintf(stderr, "scan_ctx_create: %s\n", scan_last_error(NULL));
    return 1;
  }
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  int failed = 0;
  if (scan_run(ctx, &spec, N_ITEMS, scan_host(in), scan_host(out)) != SCAN_SUCCESS) {
    fprintf(stderr, "scan_run: %s\n", scan_last_error(ctx));
    failed = 1;
  } else {
    failed = !sums_are_right(in, out);
  }
  scan_ctx_destroy(ctx);
  if (!failed) printf("scanrt %s: %d sums are right\n", scan_version(), (int)N_ITEMS);
  return failed;
}
