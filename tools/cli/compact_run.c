/* SPDX-License-Identifier: BSD-2-Clause */
/** @file compact_run.c @brief Runs `scanrt select` and `scanrt unique` over host arrays. */
#include "compact.h"
#include "progress.h"

static scan_select_spec spec_of(const compact_request *r, const io_array *in, scan_op *predicate) {
  scan_select_spec spec = { .struct_bytes = sizeof spec, .by = r->by, .predicate = predicate };
  const int is_behind = r->rest && !strcmp(r->rest, "behind");
  spec.rest = !r->rest ? SCAN_REST_DROPPED : is_behind ? SCAN_REST_BEHIND : SCAN_REST_APART;
  if ((r->by == SCAN_SELECT_FIRST || r->by == SCAN_SELECT_LAST) && !predicate) spec.key_type = in->type;
  if (r->indices) {
    spec.index_type = SCAN_U64;
  } else {
    spec.arrays = 1;
    spec.element_bytes[0] = (uint32_t)scan_type_bytes(in->type);
  }
  return spec;
}

/** Compacts `in`. @param[in,out] result  arrays for n elements; gets their lengths */
static scan_status compact_compact(scan_ctx *ctx, const scan_select_spec *spec, const io_array *in,
                                   const io_array *flags, const void *params, compact_result *result) {
  uint64_t kept = 0;
  scan_select_args args = { .struct_bytes = sizeof args, .params = params };
  args.marks = scan_host(spec->by == SCAN_SELECT_FLAGS ? flags->data : in->data);
  if (spec->arrays) args.in[0] = scan_host(in->data);
  args.out[0] = scan_host(result->out.data);
  if (spec->rest == SCAN_REST_APART) args.rest[0] = scan_host(result->rest.data);
  args.count = scan_host(&kept);
  const scan_status status = in->n ? scan_select(ctx, spec, in->n, &args) : SCAN_SUCCESS;
  if (spec->rest != SCAN_REST_BEHIND) result->out.n = kept;
  if (spec->rest == SCAN_REST_APART) result->rest.n = in->n - kept;
  return status;
}

/** Computes the lengths of runs from the indices of their first elements. */
static int count_runs(scan_ctx *ctx, const io_array *in, scan_op *predicate, const void *params,
                      compact_result *result) {
  const compact_request run_starts = { .by = SCAN_SELECT_FIRST, .indices = 1 };
  const scan_select_spec spec = spec_of(&run_starts, in, predicate);
  compact_result first = { .out = { .data = NULL } };
  int rc = io_allocate(&first.out, SCAN_U64, in->n);
  const scan_status status = rc == CLI_OK ? compact_compact(ctx, &spec, in, NULL, params, &first) : SCAN_SUCCESS;
  if (status != SCAN_SUCCESS) rc = cli_fail_scan(ctx, status, "the runs cannot be counted");
  uint64_t *at = (uint64_t *)first.out.data;
  for (uint64_t i = 0; rc == CLI_OK && i < first.out.n; i++) at[i] = (i + 1 < first.out.n ? at[i + 1] : in->n) - at[i];
  result->counts = first.out;
  return rc;
}

static int make_predicate(const compact_request *r, scan_ctx *ctx, scan_type type, scan_op **predicate,
                          unsigned char params[COMPACT_PARAMS_BYTES]) {
  if (r->within) return compact_within(ctx, type, r->within, predicate, params);
  return r->by == SCAN_SELECT_PREDICATE ? compact_predicate(ctx, type, r->keep, predicate, params) : CLI_OK;
}

static int run_launches(const compact_request *r, scan_ctx *ctx, const io_array *in, const io_array *flags,
                        compact_result *result) {
  unsigned char bytes[COMPACT_PARAMS_BYTES];
  const scan_type type = r->indices ? SCAN_U64 : in->type;
  scan_op *predicate = NULL;
  int rc = io_allocate(&result->out, type, in->n);
  if (rc == CLI_OK) rc = io_allocate(&result->rest, type, in->n);
  result->out.is_bool = result->rest.is_bool = in->is_bool && !r->indices;
  if (rc == CLI_OK) rc = make_predicate(r, ctx, in->type, &predicate, bytes);
  if (rc != CLI_OK) return rc;
  const void *params = predicate ? bytes : NULL;
  const scan_select_spec spec = spec_of(r, in, predicate);
  const scan_status status = compact_compact(ctx, &spec, in, flags, params, result);
  if (status != SCAN_SUCCESS) rc = cli_fail_scan(ctx, status, "the compaction failed");
  if (rc == CLI_OK && (r->with_counts || r->counts_path)) rc = count_runs(ctx, in, predicate, params, result);
  scan_op_destroy(predicate);
  return rc;
}

int compact_run(const compact_request *r, const io_array *in, const io_array *flags, compact_result *result) {
  scan_ctx *ctx = NULL;
  scan_device_info info;
  progress bar;
  *result = (compact_result){ .out = { .data = NULL } };
  int rc = cli_open(r->device, SCAN_STRATEGY_AUTO, &ctx, &info);
  if (rc != CLI_OK) return rc;
  progress_begin(&bar, "selecting", 0);
  rc = run_launches(r, ctx, in, flags, result);
  progress_end(&bar);
  scan_ctx_destroy(ctx);
  return rc;
}
