/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts particles by the grid cell that contains them: an argsort of their cells, by the bits that cell numbers use;
 * then the begin of each cell by run-length encoding. The sort is stable: within a cell particles stay in their order.
 * Both use host memory. Build: cc sort.c -lscanrt */
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan_runs.h>
#include <scanrt/scan_sort.h>

enum { SIDE_BITS = 5, CELLS = 1 << 2 * SIDE_BITS, N = 100000 };
static float x[N], y[N];                     /* from 0 to 1 */
static uint32_t cell[N], sorted[N];          /* row << SIDE_BITS | column */
static uint32_t order[N];                    /* particles, cell by cell */
static uint32_t used[CELLS];                 /* cells with particles */
static uint32_t begin[CELLS], length[CELLS]; /* begins and lengths of these in `order` */

/* Makes particles, more of them where x and y are small. */
static void make_particles(void) {
  const float side = (float)(1 << SIDE_BITS);
  for (uint32_t i = 0; i < N; i++) {
    const float u = (float)(i * 2654435761u >> 8) * 0x1p-24f, v = (float)(i * 2246822519u >> 8) * 0x1p-24f;
    x[i] = u * u;
    y[i] = v * v;
    cell[i] = (uint32_t)(y[i] * side) << SIDE_BITS | (uint32_t)(x[i] * side);
  }
}

/* Compares with plain loops: count, add up, and put each particle into the next place of its cell. */
static int is_right(uint64_t cells) {
  static uint32_t count[CELLS], place[CELLS];
  uint64_t k = 0;
  for (uint32_t i = 0; i < N; i++) count[cell[i]]++;
  for (uint32_t c = 0, sum = 0; c < CELLS; sum += count[c++]) {
    place[c] = sum;
    if (count[c] != 0 && (k == cells || used[k] != c || begin[k] != sum || length[k++] != count[c])) return 0;
  }
  for (uint32_t i = 0; i < N; i++)
    if (order[place[cell[i]]++] != i) return 0;
  return k == cells;
}

int main(void) {
  scan_sort_spec by_cell = SCAN_SORT_INDEX_INIT(SCAN_U32, SCAN_U32);
  scan_sort_args sort = SCAN_SORT_INDEX_ARGS_INIT(scan_host(cell), scan_host(order));
  scan_run_length_spec runs = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U32);
  uint64_t cells = 0;
  scan_run_length_args of_cells =
      SCAN_RUN_LENGTH_ARGS_INIT(scan_host(sorted), scan_host(used), scan_host(length), scan_host(&cells));
  scan_ctx *ctx = NULL;
  by_cell.end_bit = 2 * SIDE_BITS;
  by_cell.drops_keys = 0; /* the run-length encoding needs the sorted cells */
  sort.keys_out = scan_host(sorted);
  runs.start_type = SCAN_U32;
  of_cells.starts = scan_host(begin);
  of_cells.capacity = CELLS;
  make_particles();
  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) status = scan_sort(ctx, &by_cell, N, &sort);
  if (status == SCAN_SUCCESS) status = scan_run_length_encode(ctx, &runs, N, &of_cells);
  const int right = status == SCAN_SUCCESS && is_right(cells);
  if (status == SCAN_SUCCESS)
    printf("%d particles in %llu of %d cells, %u of them in the first, %s\n", N, (unsigned long long)cells, CELLS,
           length[0], right ? "as the loops put them" : "WRONG");
  else
    fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  scan_ctx_destroy(ctx);
  return !right;
}
