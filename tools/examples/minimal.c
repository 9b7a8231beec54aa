/* SPDX-License-Identifier: BSD-2-Clause */
/* Row offsets from row lengths: an exclusive sum. Build: cc minimal.c -lscanrt */
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan.h>

int main(void) {
  const int32_t length[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
  int32_t offset[8] = { 0 };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  scan_ctx *ctx = NULL;

  scan_status status = scan_ctx_create(NULL, &ctx); /* the best device of this machine */
  if (status == SCAN_SUCCESS) status = scan_run(ctx, &spec, 8, scan_host(length), scan_host(offset));
  if (status != SCAN_SUCCESS)
    fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  else
    for (int i = 0; i < 8; i++) printf("row %d begins at %d\n", i, offset[i]);
  scan_ctx_destroy(ctx);
  return status != SCAN_SUCCESS;
}
