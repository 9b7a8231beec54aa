/* SPDX-License-Identifier: BSD-2-Clause */
/** @file runs_run.c @brief Runs `scanrt rle` and `scanrt reduce-by-key` over host arrays. */
#include "progress.h"
#include "runs.h"

#include <inttypes.h>
#include <stdlib.h>

int runs_is_wanted(const runs_request *r, runs_column column) {
  for (int c = 0; c < r->column_count; c++)
    if (r->columns[c] == column) return 1;
  return r->apart[column] != NULL;
}

/** Allocates the columns, with one entry an element. */
static int runs_allocate(const runs_request *r, const io_array *keys, scan_type value_type, runs_result *result) {
  const scan_type types[RUNS_COLUMNS] = {
    [RUNS_KEY] = keys->type, [RUNS_LENGTH] = SCAN_U64, [RUNS_START] = SCAN_U64, [RUNS_VALUE] = value_type
  };
  for (int c = 0; c < RUNS_COLUMNS; c++) {
    io_array *column = &result->column[c];
    *column = (io_array){ .type = types[c], .is_bool = c == RUNS_KEY && keys->is_bool };
    /* a reduction writes values even if no column shows them */
    if (!runs_is_wanted(r, (runs_column)c) && !(r->reduces && c == RUNS_VALUE)) continue;
    column->data = malloc((size_t)keys->n * scan_type_bytes(types[c]) + 1);
    if (!column->data) return cli_fail("no memory for %" PRIu64 " runs", keys->n);
  }
  return CLI_OK;
}

static scan_mem mem_of(const io_array *column) { return column->data ? scan_host(column->data) : SCAN_NO_MEM; }

static scan_status runs_encode(scan_ctx *ctx, const io_array *keys, const runs_result *result, uint64_t *runs) {
  const io_array *column = result->column;
  scan_run_length_spec spec =
      SCAN_RUN_LENGTH_SPEC_INIT(keys->type, column[RUNS_LENGTH].data ? SCAN_U64 : SCAN_TYPE_DEFAULT);
  spec.start_type = column[RUNS_START].data ? SCAN_U64 : SCAN_TYPE_DEFAULT;
  scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(scan_host(keys->data), mem_of(&column[RUNS_KEY]),
                                                        mem_of(&column[RUNS_LENGTH]), scan_host(runs));
  args.starts = mem_of(&column[RUNS_START]);
  return scan_run_length_encode(ctx, &spec, keys->n, &args);
}

static scan_status runs_reduce(scan_ctx *ctx, const scan_spec *spec, const io_array *keys, const io_array *values,
                               const runs_result *result, uint64_t *runs) {
  const scan_reduce_by_key_args args =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_host(keys->data), scan_host(values->data), mem_of(&result->column[RUNS_KEY]),
                                   mem_of(&result->column[RUNS_VALUE]), scan_host(runs));
  return scan_reduce_by_key(ctx, spec, keys->n, &args);
}

static int fail(scan_ctx *ctx, scan_status status, const runs_request *r, const scan_spec *spec) {
  uint64_t at = 0;
  if (status == SCAN_OVERFLOW && scan_overflow_index(ctx, &at) == SCAN_SUCCESS)
    return cli_fail("the result so far at value %" PRIu64 ", counted from 0, is outside the range of %s: nothing was "
                    "written",
                    at, scan_type_name(spec->type));
  return cli_fail_scan(ctx, status, r->reduces ? "the reduction failed" : "the encoding failed");
}

int runs_run(const runs_request *r, const scan_spec *spec, const io_array *keys, const io_array *values,
             runs_result *result) {
  scan_ctx *ctx = NULL;
  scan_device_info info;
  progress bar;
  uint64_t runs = 0;
  int rc = runs_allocate(r, keys, r->reduces ? spec->type : SCAN_TYPE_DEFAULT, result);
  if (rc == CLI_OK) rc = cli_open(r->device, SCAN_STRATEGY_AUTO, &ctx, &info);
  if (rc != CLI_OK) return rc;
  scan_status status = SCAN_SUCCESS;
  progress_begin(&bar, r->reduces ? "reducing" : "encoding", 0);
  if (keys->n)
    status = r->reduces ? runs_reduce(ctx, spec, keys, values, result, &runs) : runs_encode(ctx, keys, result, &runs);
  progress_end(&bar);
  if (status != SCAN_SUCCESS) rc = fail(ctx, status, r, spec);
  for (int c = 0; c < RUNS_COLUMNS; c++) result->column[c].n = runs;
  scan_ctx_destroy(ctx);
  return rc;
}
