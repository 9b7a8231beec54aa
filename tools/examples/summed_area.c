/* SPDX-License-Identifier: BSD-2-Clause */
/* A summed-area table (Crow, 1984): sums along the rows of an image, then along its columns, in place. */
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan_array.h>

enum { ROWS = 3, COLUMNS = 4 };

int main(void) {
  const uint8_t image[ROWS][COLUMNS] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };
  const uint64_t shape[] = { ROWS, COLUMNS };
  uint32_t table[ROWS][COLUMNS];
  scan_spec widen = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE), sum = widen;
  scan_array rows = SCAN_ARRAY_INIT, columns = SCAN_ARRAY_INIT;
  scan_ctx *ctx = NULL;
  widen.input_type = SCAN_U8;

  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) status = scan_array_packed(&widen, 2, shape, 1, &rows);
  if (status == SCAN_SUCCESS) status = scan_array_packed(&sum, 2, shape, 0, &columns);
  if (status == SCAN_SUCCESS) status = scan_run_array(ctx, &widen, &rows, scan_host(image), scan_host(table));
  if (status == SCAN_SUCCESS) status = scan_run_array(ctx, &sum, &columns, scan_host(table), scan_host(table));
  if (status != SCAN_SUCCESS)
    fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  else
    printf("the lower right 2 x 2 sum to %u\n", table[2][3] - table[0][3] - table[2][1] + table[0][1]);
  scan_ctx_destroy(ctx);
  return status != SCAN_SUCCESS;
}
