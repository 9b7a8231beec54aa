/* SPDX-License-Identifier: BSD-2-Clause */
/* y = A x for a sparse matrix in CSR format: a segmented sum of products, with the matrix's row offsets as segments.
 * The map multiplies on load, so that no array of products is written. Build: cc sparse_rows.c -lscanrt */
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan.h>

/* A nonzero and the element of x at its column, gathered here since the text cannot access memory. */
SCAN_OP_TEXT(
    text,
    typedef struct term {
      float a;
      float x;
    } term;
    static inline float product(term t, uint64_t index) {
      (void)index;
      return t.a * t.x;
    }

    static inline float plus(float p, float q) { return p + q; });
SCAN_OP_HOST(plus_on_host, float, plus);
SCAN_MAP_HOST(product_on_host, term, float, product);

/* The Laplacian of a square grid: up to five nonzeros a row, and none in every seventh row. */
enum { SIDE = 50, ROWS = SIDE * SIDE, MOST = 5 * ROWS };
static uint32_t offset[ROWS + 1], column[MOST];
static float value[MOST], x[ROWS], sums[MOST];
static term terms[MOST];

static void add(uint32_t row, int i, int j, float a) {
  if (i < 0 || j < 0 || i >= SIDE || j >= SIDE) return;
  column[offset[row + 1]] = (uint32_t)(i * SIDE + j);
  value[offset[row + 1]++] = a;
}

static void make_matrix(void) {
  for (int row = 0; row < ROWS; row++) {
    const int i = row / SIDE, j = row % SIDE;
    x[row] = (float)(row % 11) - 5.0f;
    offset[row + 1] = offset[row];
    if (row % 7 == 3) continue;
    add((uint32_t)row, i - 1, j, -1.0f);
    add((uint32_t)row, i, j - 1, -1.0f);
    add((uint32_t)row, i, j, 4.0f);
    add((uint32_t)row, i, j + 1, -1.0f);
    add((uint32_t)row, i + 1, j, -1.0f);
  }
}

/* Compares the last sum of each row with a loop over the row. The numbers are small and whole, so that sums are
 * exact. */
static int count_wrong(void) {
  int wrong = 0;
  for (int row = 0; row < ROWS; row++) {
    float y = 0.0f;
    for (uint32_t k = offset[row]; k < offset[row + 1]; k++) y += value[k] * x[column[k]];
    wrong += y != (offset[row] < offset[row + 1] ? sums[offset[row + 1] - 1] : 0.0f);
  }
  return wrong;
}

int main(void) {
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, float, plus);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_ctx *ctx = NULL;
  make_matrix();
  const uint32_t n = offset[ROWS];
  for (uint32_t k = 0; k < n; k++) terms[k] = (term){ value[k], x[column[k]] };

  source.host = plus_on_host; /* the host compiles no source */
  source.loops = &plus_on_host_loops;
  source.map = "product";
  source.input_type = "term";
  source.input_bytes = sizeof(term);
  source.input_align = SCAN_OP_ALIGN(term);
  source.map_host = product_on_host;
  source.map_loop = product_on_host_loop;
  spec.segments = SCAN_SEGMENTS_OFFSETS;
  spec.key_type = SCAN_U32;
  scan_args args = SCAN_ARGS_INIT(scan_host(terms), scan_host(sums));
  args.marks = scan_host(offset);
  args.mark_count = ROWS;
  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) status = scan_op_create(ctx, &source, &spec.custom_op);
  if (status == SCAN_SUCCESS) status = scan_run_args(ctx, &spec, n, &args);
  const int wrong = status == SCAN_SUCCESS ? count_wrong() : ROWS;
  if (status != SCAN_SUCCESS)
    fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  else
    printf("%u non-zeros in %d rows: %d rows are not as the loop's\n", n, ROWS, wrong);
  scan_op_destroy(spec.custom_op);
  scan_ctx_destroy(ctx);
  return wrong != 0;
}
