/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_reduce.c @brief `scanrt reduce`: totals of a file, of its segments, or along an axis. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "progress.h"
#include "run.h"

#include <scanrt/scan_reduce.h>

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_help(void) {
  puts(
      "Usage: scanrt reduce [OPTION]... [FILE [OUT]]\n"
      "Combines the elements of FILE, of each of its segments, or of each line along an axis, and writes the results.\n"
      "Floating-point results are the same bits on every device.\n"
      "\n"
      "What to combine:\n"
      "      --op OP          operator (default add)\n"
      "      --type T         type of the results (default: the input's)\n"
      "      --input-type T   type of the elements (default: what an .npy file says, else --type)\n"
      "      --offsets FILE   a result for each segment from one offset to the next, of which there is one more than\n"
      "                       segments: text or .npy (u32, u64). An empty segment has the initial value, or the\n"
      "                       operator's identity\n"
      "      --flags FILE     a result for each segment, which begins where FILE has not 0: text or .npy (u8, bool)\n"
      "      --axis K         of an .npy of more than one dimension: a result for each line along axis K, from 0; -1 "
      "is\n"
      "                       the last axis. Without it and without segments all elements have one result\n"
      "      --init VALUE     combined before the first element of each segment or line\n"
      "      --check-overflow fail where an integer sum or product leaves its type\n"
      "\n"
      "Input and output:\n"
      "      --format F       npy, raw or text (default: by extension .npy, .txt, .csv, .tsv; else .npy by its first\n"
      "                       bytes, or text)\n"
      "      --column K       text: take column K, from 1, or with --header the column of the name K (without it,\n"
      "                       lines of one column are taken)\n"
      "      --header         text: the first line has the columns' names\n"
      "      --delimiter C    text: columns are separated by C (default: blanks and tabs; comma for .csv, tab for "
      ".tsv)\n"
      "      --out-format F   npy, raw or text (default: by OUT's extension, or text)\n"
      "      --device SEL     a device of 'scanrt info --list'\n"
      "      --quiet          no progress on a terminal, which work of over two seconds shows otherwise\n"
      "  -h, --help           this text\n"
      "\n"
      "FILE is standard input and OUT standard output where it is - or absent. Text input without --type is read as\n"
      "i64.");
  file_print_notes();
  puts("\n"
       "Examples:\n"
       "  seq 1 10 | scanrt reduce\n"
       "  scanrt reduce --offsets row_offsets.npy entries.npy sums_of_rows.npy\n"
       "  scanrt reduce --op max --flags begins.npy values.npy\n"
       "  scanrt reduce --axis 0 --type f32 image.npy sums_of_columns.npy");
  cli_print_names();
}

#define AT(field) offsetof(run_request, field)
static const cli_option options[] = {
  { .name = "type", .kind = CLI_TYPE, .offset_bytes = AT(type) },
  { .name = "input-type", .kind = CLI_TYPE, .offset_bytes = AT(input_type) },
  { .name = "op", .kind = CLI_OP, .offset_bytes = AT(op) },
  { .name = "init", .kind = CLI_TEXT, .offset_bytes = AT(init) },
  { .name = "device", .kind = CLI_TEXT, .offset_bytes = AT(device) },
  { .name = "axis", .kind = CLI_CALL, .parse = run_parse_axis },
  { .name = "flags", .kind = CLI_TEXT, .offset_bytes = AT(segments[SCAN_SEGMENTS_FLAGS]) },
  { .name = "offsets", .kind = CLI_TEXT, .offset_bytes = AT(segments[SCAN_SEGMENTS_OFFSETS]) },
  { .name = "check-overflow", .kind = CLI_FLAG, .offset_bytes = AT(check_overflow), .value = 1 },
  { .name = "format", .kind = CLI_CALL, .offset_bytes = AT(in.format), .parse = file_parse_format },
  { .name = "out-format", .kind = CLI_CALL, .offset_bytes = AT(out_format), .parse = file_parse_format },
  { .name = "column", .kind = CLI_TEXT, .offset_bytes = AT(in.column) },
  { .name = "header", .kind = CLI_FLAG, .offset_bytes = AT(in.has_header), .value = 1 },
  { .name = "delimiter", .kind = CLI_CALL, .offset_bytes = AT(in.delimiter), .parse = file_parse_delimiter },
  { .name = NULL },
};
#undef AT

static int parse_command_line(int argc, char **argv, run_request *r) {
  int rc = cli_parse_options(argc, argv, options, r);
  if (rc != CLI_OK) return rc;
  if (optind < argc) r->in.path = argv[optind++];
  if (optind < argc) r->out_path = argv[optind++];
  rc = cli_no_arguments(argc, argv);
  if (rc != CLI_OK) return rc;
  if (r->has_axis + (r->segments[SCAN_SEGMENTS_FLAGS] != NULL) + (r->segments[SCAN_SEGMENTS_OFFSETS] != NULL) > 1)
    return cli_usage(argv[0], "--axis, --flags and --offsets exclude each other");
  r->in.type = r->input_type != SCAN_TYPE_DEFAULT ? r->input_type : r->type;
  if (r->input_type != SCAN_TYPE_DEFAULT) r->in.type_option = "input-type";
  rc = file_settle_input(argv[0], &r->in);
  if (rc == CLI_OK && r->has_axis && r->in.format && r->in.format != &io_npy)
    return cli_usage(argv[0], "--axis is for npy");
  return rc == CLI_OK ? file_settle_output(argv[0], r->out_path, r->out_format, &r->out_format) : rc;
}

/** Describes the results: the input's array without the axis, or one for each segment. */
static void describe_results(const run_request *r, const io_array *in, const scan_spec *spec, const scan_args *args,
                             io_array *out) {
  *out = (io_array){ .type = spec->type, .n = 1, .ndim = 1, .is_fortran = in->is_fortran };
  if (spec->segments == SCAN_SEGMENTS_OFFSETS) out->n = args->mark_count;
  if (spec->segments == SCAN_SEGMENTS_FLAGS) out->n = in->n; /* at most */
  out->shape[0] = out->n;
  if (!r->has_axis || in->ndim == 1) return;
  out->ndim = 0;
  for (uint32_t i = 0; i < in->ndim; i++) {
    if (i == r->axis) continue;
    out->shape[out->ndim++] = in->shape[i];
    out->n *= in->shape[i];
  }
}

static scan_status reduce_segments(scan_ctx *ctx, const scan_spec *spec, const scan_args *marks, const io_array *in,
                                   io_array *out) {
  scan_segmented_reduce_args args =
      SCAN_SEGMENTED_REDUCE_ARGS_INIT(scan_host(in->data), marks->marks, out->n, scan_host(out->data));
  uint64_t count = out->n;
  if (spec->segments == SCAN_SEGMENTS_FLAGS) args.count = scan_host(&count);
  const scan_status status = scan_segmented_reduce(ctx, spec, in->n, &args);
  out->n = out->shape[0] = count;
  return status;
}

static scan_status reduce_by(const run_request *r, scan_ctx *ctx, const scan_spec *spec, const scan_args *marks,
                             const io_array *in, io_array *out) {
  scan_array array = SCAN_ARRAY_INIT;
  if (spec->segments != SCAN_SEGMENTS_NONE) return reduce_segments(ctx, spec, marks, in, out);
  if (!r->has_axis) return scan_run(ctx, spec, in->n, scan_host(in->data), scan_host(out->data));
  const scan_status status = run_describe(r, spec, in, &array);
  return status == SCAN_SUCCESS ? scan_run_array(ctx, spec, &array, scan_host(in->data), scan_host(out->data)) : status;
}

static int reduce_on_device(const run_request *r, const scan_spec *spec, const scan_args *marks, const io_array *in,
                            io_array *out) {
  scan_ctx *ctx = NULL;
  scan_device_info info;
  progress bar;
  uint64_t at = 0;
  int rc = cli_open(r->device, SCAN_STRATEGY_AUTO, &ctx, &info);
  if (rc != CLI_OK) return rc;
  progress_begin(&bar, "reducing", 0);
  scan_status status = reduce_by(r, ctx, spec, marks, in, out);
  if (status == SCAN_SUCCESS) status = scan_sync(ctx);
  progress_end(&bar);
  if (status == SCAN_OVERFLOW && scan_overflow_index(ctx, &at) == SCAN_SUCCESS)
    rc = cli_fail("the result so far at element %" PRIu64 ", counted from 0, is outside the range of %s: nothing was "
                  "written",
                  at, scan_type_name(spec->type));
  else if (status != SCAN_SUCCESS)
    rc = cli_fail_scan(ctx, status, "the reduction failed");
  scan_ctx_destroy(ctx);
  return rc;
}

/** Makes the spec, and reads the segments. @param[out] marks  the caller frees their data */
static int read_spec(run_request *r, const run_input *in, scan_spec *spec, scan_args *args, io_array *marks) {
  const int has_segments = r->segments[SCAN_SEGMENTS_FLAGS] || r->segments[SCAN_SEGMENTS_OFFSETS];
  int rc = r->has_axis ? run_check_axis("reduce", r, &in->whole) : CLI_OK;
  if (rc == CLI_OK && has_segments && in->whole.ndim > 1)
    return cli_usage("reduce", "the input has %u dimensions, and must have one", (unsigned)in->whole.ndim);
  if (rc == CLI_OK) rc = run_make_spec("reduce", r, &in->whole, spec);
  return rc == CLI_OK ? run_read_segments(r, in, spec, args, marks) : rc;
}

static int reduce_file(run_request *r) {
  run_input in = { .first = 0 };
  io_array out = { .data = NULL }, marks = { .data = NULL };
  scan_spec spec;
  scan_args args = SCAN_ARGS_INIT(scan_host(NULL), scan_host(NULL));
  int rc = file_read_array("reduce", &r->in, &in.part);
  in.whole = in.part;
  if (rc == CLI_OK) rc = read_spec(r, &in, &spec, &args, &marks);
  if (rc == CLI_OK) {
    describe_results(r, &in.part, &spec, &args, &out);
    out.data = malloc((size_t)out.n * scan_type_bytes(spec.type) + 1);
    if (!out.data) rc = cli_fail("no memory for %" PRIu64 " results", out.n);
  }
  if (rc == CLI_OK) rc = reduce_on_device(r, &spec, &args, &in.part, &out);
  if (rc == CLI_OK) rc = io_write_file(r->out_path, r->out_format, &out);
  free(out.data);
  free(marks.data);
  free(in.part.data);
  return rc;
}

int cmd_reduce(int argc, char **argv) {
  run_request request = { .in = { .path = "-", .prefix = "" }, .out_path = "-", .op = SCAN_ADD, .kind = SCAN_TOTAL };
  const int rc = parse_command_line(argc, argv, &request);
  if (rc == CLI_OK) return reduce_file(&request);
  if (rc != CLI_HELP) return rc;
  print_help();
  return cli_flush_output();
}
