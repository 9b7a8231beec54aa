/* SPDX-License-Identifier: BSD-2-Clause */
#include "hooked.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"

scan_ctx *hooked_open(const char *options) {
  if (options != NULL) setenv(HOOKED_OPTIONS, options, 1);
  scan_ctx *ctx = test_ctx_new();
  ctx->caps.tuning.one_group_items = 0; /* AUTO uses look-back from the second tile on, on processors too */
  return ctx;
}

void hooked_close(scan_ctx *ctx) {
  unsetenv(HOOKED_OPTIONS);
  scan_ctx_destroy(ctx);
}

int hooked_wants(scan_type type) {
  const char *types = getenv("SCANRT_TEST_TYPES");
  return types == NULL || strstr(types, scan_type_name(type)) != NULL;
}

scan_spec hooked_sum(scan_type type, scan_strategy strategy) {
  scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  spec.strategy = strategy;
  return spec;
}
