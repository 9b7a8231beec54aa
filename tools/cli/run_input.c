/* SPDX-License-Identifier: BSD-2-Clause */
/** @file run_input.c @brief The axis, the spec and the segments of `scanrt run` and `scanrt reduce`. */
#include "run.h"

#include <inttypes.h>

int run_parse_axis(const char *command, const char *text, void *request) {
  run_request *r = request;
  r->has_axis = 1;
  r->is_axis_from_end = *text == '-';
  if (cli_read_count(text + r->is_axis_from_end, &r->axis) && (r->axis || !r->is_axis_from_end)) return CLI_OK;
  return cli_usage(
      command, "--axis '%s' is not an axis: from the first one they are 0, 1, ..., from the last -1, -2, ...", text);
}

int run_check_axis(const char *command, run_request *r, const io_array *in) {
  const unsigned last = in->ndim - 1;
  if (r->has_axis && in->ndim == 0) return cli_usage(command, "--axis is for npy");
  if (r->has_axis && (r->is_axis_from_end ? r->axis > in->ndim : r->axis > last))
    return cli_usage(command, "--axis %s%" PRIu64 " is out of range: the input's axes are 0 to %u, or -%u to -1",
                     r->is_axis_from_end ? "-" : "", r->axis, last, last + 1);
  if (r->is_axis_from_end) r->axis = in->ndim - r->axis;
  r->is_axis_from_end = 0;
  if (r->has_axis || in->ndim <= 1) return CLI_OK;
  return cli_usage(command, "the input has %u dimensions: --axis, from 0 to %u, says which to scan along",
                   (unsigned)in->ndim, last);
}

int run_make_spec(const char *command, const run_request *r, const io_array *in, scan_spec *spec) {
  const scan_type type = r->type != SCAN_TYPE_DEFAULT ? r->type : file_sum_type(in, r->op);
  const scan_type input_type = file_input_type(in, type, r->op);
  *spec = (scan_spec)SCAN_SPEC_INIT(type, r->op, r->kind);
  spec->input_type = input_type;
  spec->strategy = r->strategy;
  spec->flags = r->check_overflow ? SCAN_CHECK_OVERFLOW : 0;
  const int rc = file_check_type(command, "input-type", r->input_type, in);
  if (rc != CLI_OK) return rc;
  if (type == SCAN_BF16 && r->out_format == &io_npy)
    return cli_usage(command, "NumPy has no bf16: give --out-format raw or text, or --type f32");
  return file_settle_spec(command, r->init, spec);
}

static uint64_t offset_at(const io_array *marks, uint64_t i) {
  return marks->type == SCAN_U32 ? ((const uint32_t *)marks->data)[i] : ((const uint64_t *)marks->data)[i];
}

/** Checks offsets, which the library does not check. */
static int check_offsets(const char *path, const io_array *marks, uint64_t n) {
  for (uint64_t i = 0; i + 1 < marks->n; i++)
    if (offset_at(marks, i) > offset_at(marks, i + 1))
      return cli_fail("%s: offset %" PRIu64 ", counted from 0, is less than the one before", path, i + 1);
  if (offset_at(marks, 0) == 0 && offset_at(marks, marks->n - 1) == n) return CLI_OK;
  return cli_fail("%s: the first offset must be 0 and the last %" PRIu64 ", the number of elements", path, n);
}

/** Reads the marks. Flags and keys are read for this process's elements; offsets are read completely. @param[out]
 * whole  without data */
static int read_marks(const run_request *r, const char *path, scan_type text_type, const run_input *in, int is_offsets,
                      io_array *whole, io_array *marks) {
  const io_source source = { .type = text_type, .delimiter = io_delimiter(path, '\0') };
  const io_format *format = io_by_extension(path);
  int rc = CLI_OK;
  if (!r->ranks || is_offsets) {
    rc = io_read_file(path, &format, source, marks);
    *whole = *marks;
    return rc;
  }
  if (format && !format->begin) return cli_fail("%s: with --mpi flags and keys are read from .npy", path);
  rc = io_look(path, &format, source, whole);
  if (rc != CLI_OK || whole->n < in->whole.n) return rc; /* the caller refuses too few */
  return io_read_span(path, &format, source, in->first, in->part.n, marks);
}

int run_read_segments(const run_request *r, const run_input *in, scan_spec *spec, scan_args *args, io_array *marks) {
  static const scan_type text_types[] = {
    [SCAN_SEGMENTS_FLAGS] = SCAN_U8, [SCAN_SEGMENTS_KEYS] = SCAN_I64, [SCAN_SEGMENTS_OFFSETS] = SCAN_U64
  };
  const uint64_t n = in->whole.n;
  io_array whole;
  int kind = SCAN_SEGMENTS_FLAGS;
  while (kind <= SCAN_SEGMENTS_OFFSETS && !r->segments[kind]) kind++;
  if (kind > SCAN_SEGMENTS_OFFSETS) return CLI_OK;
  const char *path = r->segments[kind];
  const int is_offsets = kind == SCAN_SEGMENTS_OFFSETS;
  int rc = read_marks(r, path, text_types[kind], in, is_offsets, &whole, marks);
  if (rc != CLI_OK) return rc;
  if (whole.ndim > 1) return cli_fail("%s: an array of %u dimensions: segments need one", path, (unsigned)whole.ndim);
  if (kind == SCAN_SEGMENTS_FLAGS && whole.type != SCAN_U8) return cli_fail("%s: flags are u8 or bool", path);
  if (is_offsets && whole.type != SCAN_U32 && whole.type != SCAN_U64)
    return cli_fail("%s: offsets are u32 or u64", path);
  if (!is_offsets && whole.n < n)
    return cli_fail("%s: %" PRIu64 " of %" PRIu64 " elements: there must be one for each", path, whole.n, n);
  if (is_offsets && whole.n == 0) return cli_fail("%s: no offsets: there is one more than there are segments", path);
  spec->segments = (scan_segments)kind;
  spec->key_type = kind == SCAN_SEGMENTS_FLAGS ? SCAN_TYPE_DEFAULT : marks->type;
  args->marks = scan_host(marks->data);
  args->mark_count = is_offsets ? marks->n - 1 : marks->n;
  if (!is_offsets) return CLI_OK;
  rc = check_offsets(path, marks, n);
  if (rc == CLI_OK && r->ranks) args->mark_count = run_cut_offsets(in, args->mark_count, marks);
  return rc;
}
