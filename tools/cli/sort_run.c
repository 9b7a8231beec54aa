/* SPDX-License-Identifier: BSD-2-Clause */
/** @file sort_run.c @brief Runs `scanrt sort` over host arrays. */
#include "progress.h"
#include "sort.h"

#include <inttypes.h>
#include <string.h>

int sort_parse_order(const char *command, const char *text, void *order) {
  const int is_numeric = strcmp(text, "numeric") == 0;
  if (!is_numeric && strcmp(text, "total") != 0)
    return cli_usage(command, "there is no order '%s': give total or numeric", text);
  *(uint64_t *)order = is_numeric ? SCAN_SORT_NUMERIC_ORDER : SCAN_SORT_TOTAL_ORDER;
  return CLI_OK;
}

int sort_allocate(const sort_request *r, const io_array *in, const io_array *by, sort_result *result) {
  *result = (sort_result){ .out = { .data = NULL } };
  int rc = io_allocate(&result->out, r->argsort ? SCAN_U64 : in->type, in->n);
  if (rc == CLI_OK && r->keys_path) rc = io_allocate(&result->keys, by->type, by->n);
  result->out.is_bool = in->is_bool && !r->argsort;
  result->keys.is_bool = by->is_bool;
  return rc;
}

int sort_check_types(const sort_request *r, scan_type type, scan_type key_type) {
  const unsigned bits = 8 * (unsigned)scan_type_bytes(key_type);
  if ((type == SCAN_BF16 && !r->argsort && r->out_format == &io_npy) ||
      (key_type == SCAN_BF16 && r->keys_format == &io_npy))
    return cli_usage("sort", "NumPy has no bf16: give --out-format raw or text");
  if (r->end_bit && r->order == SCAN_SORT_NUMERIC_ORDER)
    return cli_usage("sort", "--bits and --order numeric exclude each other: that order has no bits");
  if (r->end_bit <= bits) return CLI_OK;
  return cli_usage("sort", "--bits ends at %u: %s has %u bits", (unsigned)r->end_bit, scan_type_name(key_type), bits);
}

scan_sort_spec sort_spec_of(const sort_request *r, const io_array *in, const io_array *by, int is_apart) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(by->type);
  spec.descending = (uint32_t)r->descending;
  spec.first_bit = r->first_bit;
  spec.end_bit = r->end_bit;
  spec.order = r->order;
  if (r->argsort) {
    spec.index_type = SCAN_U64;
  } else if (is_apart) {
    spec.arrays = 1;
    spec.element_bytes[0] = (uint32_t)scan_type_bytes(in->type);
  }
  spec.drops_keys = (r->argsort || is_apart) && !r->keys_path;
  return spec;
}

scan_sort_args sort_args_of(const scan_sort_spec *spec, const io_array *in, const io_array *by,
                            const sort_result *result) {
  const int sorts_keys_alone = !spec->index_type && !spec->arrays;
  const io_array *keys_out = sorts_keys_alone ? &result->out : &result->keys;
  scan_sort_args args = { .struct_bytes = sizeof args, .keys_in = scan_host(by->data) };
  if (!spec->drops_keys) args.keys_out = scan_host(keys_out->data);
  if (spec->arrays) args.in[0] = scan_host(in->data);
  if (!sorts_keys_alone) args.out[0] = scan_host(result->out.data);
  return args;
}

int sort_run(const sort_request *r, const io_array *in, const io_array *keys, sort_result *result) {
  const io_array *by = keys ? keys : in;
  const scan_sort_spec spec = sort_spec_of(r, in, by, keys != NULL);
  scan_ctx *ctx = NULL;
  scan_device_info info;
  progress bar;
  int rc = sort_allocate(r, in, by, result);
  if (rc == CLI_OK) rc = cli_open(r->device, SCAN_STRATEGY_AUTO, &ctx, &info);
  if (rc != CLI_OK) return rc;
  progress_begin(&bar, "sorting", 0);
  const scan_sort_args args = sort_args_of(&spec, in, by, result);
  const double begun = cli_seconds();
  const scan_status status = by->n ? scan_sort(ctx, &spec, by->n, &args) : SCAN_SUCCESS;
  const double seconds = cli_seconds() - begun;
  progress_end(&bar);
  if (status != SCAN_SUCCESS)
    rc = cli_fail_scan(ctx, status, "the sort failed");
  else if (r->verbose)
    fprintf(stderr,
            "device    %s (%s)\nn         %" PRIu64
            "\ntime      %.3f ms, building the kernels and transfers included\n",
            info.selector, info.name, by->n, 1e3 * seconds);
  scan_ctx_destroy(ctx);
  return rc;
}
