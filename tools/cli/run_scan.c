/* SPDX-License-Identifier: BSD-2-Clause */
/** @file run_scan.c @brief Runs `scanrt run`: scans all elements, in chunks or at once, or the lines of an array. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"
#include "run.h"

#include <inttypes.h>

/* An array in Fortran order is one in C order with its axes reversed. */
scan_status run_describe(const run_request *r, const scan_spec *spec, const io_array *in, scan_array *array) {
  uint64_t shape[SCAN_ARRAY_MAX_AXES];
  const uint32_t last = in->ndim - 1, axis = (uint32_t)r->axis;
  for (uint32_t i = 0; i <= last; i++) shape[i] = in->shape[in->is_fortran ? last - i : i];
  return scan_array_packed(spec, in->ndim, shape, in->is_fortran ? last - axis : axis, array);
}

static scan_status make_plan(const run_request *r, scan_ctx *ctx, const scan_spec *spec, const io_array *in,
                             uint64_t chunk_items, scan_plan **plan) {
  scan_array array = SCAN_ARRAY_INIT;
  if (!r->has_axis) return scan_plan_create(ctx, spec, chunk_items, plan);
  const scan_status status = run_describe(r, spec, in, &array);
  return status == SCAN_SUCCESS ? scan_plan_create_array(ctx, spec, &array, plan) : status;
}

/** Prints the facts of the run on standard error. */
static int print_facts(const run_request *r, scan_ctx *ctx, const scan_spec *spec, const io_array *in,
                       uint64_t chunk_items, double seconds) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  char shape[IO_SHAPE_BYTES];
  scan_status status = scan_ctx_device(ctx, &info);
  if (status == SCAN_SUCCESS) status = make_plan(r, ctx, spec, in, chunk_items, &plan);
  if (status == SCAN_SUCCESS) status = scan_plan_info(plan, &facts);
  scan_plan_destroy(plan);
  if (status != SCAN_SUCCESS) return cli_fail_scan(ctx, status, "cannot describe the scan");
  fprintf(stderr, "device    %s (%s)\nstrategy  %s: %s\n", info.selector, info.name, scan_strategy_name(facts.strategy),
          facts.reason);
  fprintf(stderr, "n         %" PRIu64 " (%s to %s)\n", in->n, scan_type_name(spec->input_type),
          scan_type_name(spec->type));
  io_format_shape(in, shape);
  if (r->has_axis) fprintf(stderr, "axis      %" PRIu64 " of %s\n", r->axis, shape);
  if (chunk_items < in->n) fprintf(stderr, "streamed  in chunks of %" PRIu64 "\n", chunk_items);
  fprintf(stderr, "time      %.3f ms, building the kernels and transfers included\n", 1e3 * seconds);
  return CLI_OK;
}

static int show_progress(void *bar, uint64_t done, uint64_t n) {
  (void)n;
  progress_set(bar, done);
  return 0;
}

/** 1 if the data are streamed through the device in chunks: if they do not fit into its memory. Otherwise the bits
 * are those of one scan. */
static int is_streamed(const run_request *r, const scan_device_info *info, const io_array *in, const io_array *out) {
  const uint64_t bytes = in->n * (scan_type_bytes(in->type) + scan_type_bytes(out->type));
  if (r->has_axis) return 0;
  if (r->memory != 0) return bytes > r->memory;
  return info->backend != SCAN_BACKEND_HOST && bytes > info->memory_bytes / 10 * 9;
}

static scan_status run_streamed(const run_request *r, scan_ctx *ctx, const scan_spec *spec, const io_array *in,
                                io_array *out, uint64_t *chunk_items) {
  progress bar;
  scan_stream_options stream = SCAN_STREAM_OPTIONS_INIT;
  stream.device_bytes = r->memory;
  stream.progress = show_progress;
  stream.user = &bar;
  progress_begin(&bar, "scanning", in->n);
  scan_status status = scan_stream_chunk(ctx, spec, in->n, &stream, chunk_items);
  if (status == SCAN_SUCCESS) status = scan_stream(ctx, spec, in->n, in->data, out->data, &stream);
  progress_end(&bar);
  return status;
}

static scan_status run_whole(const run_request *r, scan_ctx *ctx, const scan_spec *spec, const scan_args *args,
                             const io_array *in) {
  progress bar;
  scan_array array = SCAN_ARRAY_INIT;
  scan_status status = SCAN_SUCCESS;
  progress_begin(&bar, "scanning", 0);
  if (r->has_axis) {
    status = run_describe(r, spec, in, &array);
    if (status == SCAN_SUCCESS) status = scan_run_array(ctx, spec, &array, args->in, args->out);
  } else {
    status = scan_run_args(ctx, spec, in->n, args);
  }
  if (status == SCAN_SUCCESS) status = scan_sync(ctx);
  progress_end(&bar);
  return status;
}

int run_fail_overflow(const scan_spec *spec, uint64_t index) {
  return cli_fail("result %" PRIu64 ", counted from 0, is outside the range of %s: nothing was written", index,
                  scan_type_name(spec->type));
}

int run_scan(const run_request *r, const scan_spec *spec, const scan_args *args, const io_array *in, io_array *out) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  scan_device_info info;
  uint64_t overflow = 0, chunk_items = in->n;
  options.device = r->device;
  options.threads = (uint32_t)r->threads;
  int rc = cli_open_by(&options, &ctx, &info);
  if (rc != CLI_OK) return rc;
  const double begun = cli_seconds();
  const scan_status status = is_streamed(r, &info, in, out) ? run_streamed(r, ctx, spec, in, out, &chunk_items)
                                                            : run_whole(r, ctx, spec, args, in);
  const double seconds = cli_seconds() - begun;
  if (status == SCAN_OVERFLOW && scan_overflow_index(ctx, &overflow) == SCAN_SUCCESS)
    rc = run_fail_overflow(spec, overflow);
  else if (status != SCAN_SUCCESS)
    rc = cli_fail_scan(ctx, status, "the scan failed");
  else if (r->verbose)
    rc = print_facts(r, ctx, spec, in, chunk_items, seconds);
  scan_ctx_destroy(ctx);
  return rc;
}
