/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the triplets of each place of a matrix, sorted by row and column, so that each place is stored once; then
 * computes the lengths of rows by run-length encoding. Both use host memory. Build: cc reduce_by_key.c -lscanrt */
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan_runs.h>

enum { ROWS = 2000, TRIPLETS = 100000 };
static uint64_t place[TRIPLETS], entry_place[TRIPLETS]; /* row << 32 | column */
static double value[TRIPLETS], entry[TRIPLETS];
static uint32_t entry_row[TRIPLETS], row[ROWS], row_entries[ROWS];

/* Makes up to four triplets a place, and about as many places a row. */
static void make_triplets(void) {
  uint32_t state = 1;
  uint64_t at = 0;
  for (int i = 0; i < TRIPLETS; i++) {
    state = state * 1664525u + 1013904223u;
    if (state >> 30 == 0) at = (uint64_t)i * ROWS / TRIPLETS << 32 | (state & 0xffff) << 8;
    if (i > 0 && at < place[i - 1]) at = place[i - 1] + 1;
    place[i] = at;
    value[i] = (double)(state >> 8 & 0xff);
  }
}

/* Compares with a plain loop. */
static int is_right(uint64_t entries, uint64_t rows) {
  uint64_t e = 0, r = 0;
  for (int i = 0; i < TRIPLETS; e++) {
    const int first = i;
    double sum = 0;
    while (i < TRIPLETS && place[i] == place[first]) sum += value[i++];
    if (e >= entries || entry[e] != sum || entry_place[e] != place[first]) return 0;
  }
  for (uint64_t k = 0; k < e; r++) {
    const uint64_t first = k;
    while (k < e && entry_row[k] == entry_row[first]) k++;
    if (r >= rows || row[r] != entry_row[first] || row_entries[r] != k - first) return 0;
  }
  return e == entries && r == rows;
}

int main(void) {
  const scan_spec add = SCAN_REDUCE_BY_KEY_INIT(SCAN_U64, SCAN_F64, SCAN_ADD);
  const scan_run_length_spec lengths = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U32);
  uint64_t entries = 0, rows = 0;
  scan_ctx *ctx = NULL;
  make_triplets();
  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) {
    const scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(
        scan_host(place), scan_host(value), scan_host(entry_place), scan_host(entry), scan_host(&entries));
    status = scan_reduce_by_key(ctx, &add, TRIPLETS, &args);
  }
  for (uint64_t e = 0; e < entries; e++) entry_row[e] = (uint32_t)(entry_place[e] >> 32);
  if (status == SCAN_SUCCESS) {
    scan_run_length_args args =
        SCAN_RUN_LENGTH_ARGS_INIT(scan_host(entry_row), scan_host(row), scan_host(row_entries), scan_host(&rows));
    args.capacity = ROWS;
    status = scan_run_length_encode(ctx, &lengths, entries, &args);
  }
  const int right = status == SCAN_SUCCESS && is_right(entries, rows);
  if (status == SCAN_SUCCESS)
    printf("%d triplets at %llu places in %llu rows, %s\n", TRIPLETS, (unsigned long long)entries,
           (unsigned long long)rows, right ? "as the loops add them" : "WRONG");
  else
    fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  scan_ctx_destroy(ctx);
  return !right;
}
