/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_select.c @brief `scanrt select` and `scanrt unique`: compaction of a file or a pipe. */
#define _POSIX_C_SOURCE 200809L
#include "compact.h"
#include "number.h"
#include "output.h"
#include "progress.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

static void print_select(void) {
  puts("Usage: scanrt select --keep COMPARISON [OPTION]... [FILE [OUT]]\n"
       "  or:  scanrt select --flags FLAGS [OPTION]... [FILE [OUT]]\n"
       "Writes the elements of FILE that are kept, in their order.\n"
       "\n"
       "What is kept:\n"
       "      --keep COMPARISON  'x > 3', or two with && or || between: 'x >= 0 && x < 10'; < <= > >= == !=\n"
       "      --flags FLAGS      where this file has not 0, a flag an element: text or .npy (u8, bool)");
}

static void print_unique(void) {
  puts("Usage: scanrt unique [OPTION]... [FILE [OUT]]\n"
       "Of each run of equal elements of FILE writes one, in their order. Elements are compared as numbers: each\n"
       "NaN is a run of its own, and -0.0 equals 0.0. With --within each is compared with the one before it, not\n"
       "with the first of its run: 1, 2 and 3 are one run within 1.\n"
       "\n"
       "What is kept:\n"
       "      --keep WHICH       of each run the first (default) or the last\n"
       "      --within X         neighbours that differ by no more than X are equal; not of f16 and bf16\n"
       "      --count            before each the length of its run, as uniq -c; text only\n"
       "      --counts COUNTS    the lengths (u64) in a file of their own");
}

static void print_rest(void) {
  puts("\n"
       "Input and output:\n"
       "      --rest REST        what is not kept goes behind the others (behind), or to the file REST (default:\n"
       "                         nowhere)\n"
       "      --indices          the indices of the elements (u64), from 0, in place of the elements\n"
       "      --type T           type of the elements of text (default i64) and raw\n"
       "      --format F         npy, raw or text (default: by extension .npy, .txt, .csv, .tsv; else .npy by its "
       "first\n"
       "                         bytes, or text)\n"
       "      --column K         text: take column K, from 1, or with --header the column of the name K (without it,\n"
       "                         lines of one column are taken)\n"
       "      --header           text: the first line has the columns' names\n"
       "      --delimiter C      text: columns are separated by C (default: blanks and tabs; comma for .csv, tab for\n"
       "                         .tsv)\n"
       "      --out-format F     npy, raw or text (default: by extension, or text)\n"
       "      --device SEL       a device of 'scanrt info --list'\n"
       "      --quiet            no progress on a terminal, which work of over two seconds shows otherwise\n"
       "  -h, --help             this text\n"
       "\n"
       "FILE and OUT are standard input and output where they are - or absent.");
  file_print_notes();
}

static int print_help(const char *command) {
  const int is_unique = !strcmp(command, "unique");
  if (is_unique)
    print_unique();
  else
    print_select();
  print_rest();
  puts(is_unique ? "\n"
                   "Examples:\n"
                   "  sort -n ids.txt | scanrt unique --count\n"
                   "  scanrt unique --keep last --counts lengths.npy sorted.npy kept.npy\n"
                   "  scanrt unique --within 0.5 --type f64 --count sorted.txt\n"
                   "  scanrt unique --indices keys.npy first.npy            # where each run begins"
                 : "\n"
                   "Examples:\n"
                   "  scanrt select --keep 'x > 3' data.npy kept.npy\n"
                   "  scanrt select --keep 'x >= 0 && x < 10' --type f32 --rest others.npy data.txt inside.npy\n"
                   "  scanrt select --flags flags.npy --rest behind data.npy sorted_by_flag.npy\n"
                   "  seq 1 10 | scanrt select --keep 'x != 5' --indices");
  return cli_flush_output();
}

/* ---- options ---- */

#define AT(field) offsetof(compact_request, field)
#define COMMON                                                                                                         \
  { .name = "keep", .kind = CLI_TEXT, .offset_bytes = AT(keep) },                                                      \
      { .name = "rest", .kind = CLI_TEXT, .offset_bytes = AT(rest) },                                                  \
      { .name = "indices", .kind = CLI_FLAG, .offset_bytes = AT(indices), .value = 1 },                                \
      { .name = "type", .kind = CLI_TYPE, .offset_bytes = AT(in.type) },                                               \
      { .name = "format", .kind = CLI_CALL, .offset_bytes = AT(in.format), .parse = file_parse_format },               \
      { .name = "out-format", .kind = CLI_CALL, .offset_bytes = AT(out_format), .parse = file_parse_format },          \
      { .name = "column", .kind = CLI_TEXT, .offset_bytes = AT(in.column) },                                           \
      { .name = "header", .kind = CLI_FLAG, .offset_bytes = AT(in.has_header), .value = 1 },                           \
      { .name = "delimiter", .kind = CLI_CALL, .offset_bytes = AT(in.delimiter), .parse = file_parse_delimiter }, {    \
    .name = "device", .kind = CLI_TEXT, .offset_bytes = AT(device)                                                     \
  }

static const cli_option select_options[] = { COMMON,
                                             { .name = "flags", .kind = CLI_TEXT, .offset_bytes = AT(flags_path) },
                                             { .name = NULL } };
static const cli_option unique_options[] = {
  COMMON,
  { .name = "count", .kind = CLI_FLAG, .offset_bytes = AT(with_counts), .value = 1 },
  { .name = "counts", .kind = CLI_TEXT, .offset_bytes = AT(counts_path) },
  { .name = "within", .kind = CLI_TEXT, .offset_bytes = AT(within) },
  { .name = NULL },
};
#undef COMMON
#undef AT

/* ---- the command line ---- */

static int settle_by(const char *command, compact_request *r) {
  if (strcmp(command, "unique") != 0) {
    if (!r->keep == !r->flags_path) return cli_usage(command, "what is kept is said by --keep or by --flags");
    r->by = r->keep ? SCAN_SELECT_PREDICATE : SCAN_SELECT_FLAGS;
    return CLI_OK;
  }
  const int is_last = r->keep && !strcmp(r->keep, "last");
  if (r->keep && !is_last && strcmp(r->keep, "first") != 0)
    return cli_usage(command, "--keep '%s': of a run the first or the last is kept", r->keep);
  r->by = is_last ? SCAN_SELECT_LAST : SCAN_SELECT_FIRST;
  return CLI_OK;
}

static int settle_outputs(const char *command, compact_request *r) {
  const io_format *given = r->out_format;
  int rc = file_settle_output(command, r->out_path, given, &r->out_format);
  const int has_rest = r->rest && strcmp(r->rest, "behind") != 0;
  if (rc == CLI_OK && has_rest) rc = file_settle_output(command, r->rest, given, &r->rest_format);
  if (rc == CLI_OK && r->counts_path) rc = file_settle_output(command, r->counts_path, given, &r->counts_format);
  if (rc != CLI_OK || !r->with_counts) return rc;
  if (r->out_format != &io_text) return cli_usage(command, "--count is for text: --counts writes a file of its own");
  if (r->rest && !has_rest) return cli_usage(command, "--count and --rest behind exclude each other");
  return CLI_OK;
}

static int parse_command_line(int argc, char **argv, const cli_option *options, compact_request *r) {
  int rc = cli_parse_options(argc, argv, options, r);
  if (rc != CLI_OK) return rc;
  if (optind < argc) r->in.path = argv[optind++];
  if (optind < argc) r->out_path = argv[optind++];
  rc = cli_no_arguments(argc, argv);
  if (rc == CLI_OK) rc = settle_by(argv[0], r);
  if (rc == CLI_OK) rc = file_settle_input(argv[0], &r->in);
  return rc == CLI_OK ? settle_outputs(argv[0], r) : rc;
}

/* ---- files ---- */

static int read_flags(const compact_request *r, uint64_t n, io_array *flags) {
  const io_format *format = io_by_extension(r->flags_path);
  const io_source source = { .type = SCAN_U8, .delimiter = io_delimiter(r->flags_path, '\0') };
  const int rc = io_read_file(r->flags_path, &format, source, flags);
  if (rc != CLI_OK) return rc;
  if (flags->ndim > 1)
    return cli_fail("%s: an array of %u dimensions: flags need one", r->flags_path, (unsigned)flags->ndim);
  if (flags->type != SCAN_U8) return cli_fail("%s: flags are u8 or bool", r->flags_path);
  if (flags->n != n)
    return cli_fail("%s: %" PRIu64 " flags of %" PRIu64 " elements: there must be one for each", r->flags_path,
                    flags->n, n);
  return CLI_OK;
}

static int read_input(const char *command, const compact_request *r, io_array *in, io_array *flags) {
  int rc = file_read(command, &r->in, in);
  if (rc == CLI_OK) rc = file_check_type(command, "type", r->in.type, in);
  if (rc != CLI_OK) return rc;
  if (in->type == SCAN_BF16 && !r->indices && (r->out_format == &io_npy || r->rest_format == &io_npy))
    return cli_usage(command, "NumPy has no bf16: give --out-format raw or text");
  return r->flags_path ? read_flags(r, in->n, flags) : CLI_OK;
}

/** Writes lengths and elements as uniq -c does. */
static int write_counted(FILE *file, const char *name, const io_array *out, const io_array *counts) {
  progress bar;
  char text[NUMBER_TEXT_BYTES];
  const size_t bytes = scan_type_bytes(out->type);
  int rc = CLI_OK;
  progress_begin(&bar, "writing", out->n);
  for (uint64_t i = 0; i < out->n && rc == CLI_OK; i++) {
    number_format(out->type, (const char *)out->data + i * bytes, text);
    if (fprintf(file, "%7" PRIu64 " %s\n", ((const uint64_t *)counts->data)[i], text) < 0) rc = CLI_FAILED;
    progress_set(&bar, i);
  }
  progress_end(&bar);
  return rc == CLI_OK ? rc : io_fail("write", name);
}

static int write_with_counts(const char *path, const compact_result *result) {
  output out;
  const int rc = output_begin(path, &out);
  return rc == CLI_OK ? output_end(&out, write_counted(out.file, out.name, &result->out, &result->counts)) : rc;
}

static int write_outputs(const compact_request *r, const compact_result *result) {
  int rc =
      r->with_counts ? write_with_counts(r->out_path, result) : io_write_file(r->out_path, r->out_format, &result->out);
  if (rc == CLI_OK && r->rest_format) rc = io_write_file(r->rest, r->rest_format, &result->rest);
  if (rc == CLI_OK && r->counts_path) rc = io_write_file(r->counts_path, r->counts_format, &result->counts);
  return rc;
}

/* ---- the commands ---- */

static int select_compact(int argc, char **argv, const cli_option *options) {
  compact_request request = { .in = { .path = "-", .prefix = "" }, .out_path = "-" };
  io_array in = { .data = NULL }, flags = { .data = NULL };
  compact_result result = { .out = { .data = NULL } };
  int rc = parse_command_line(argc, argv, options, &request);
  if (rc == CLI_HELP) return print_help(argv[0]);
  if (rc == CLI_OK) rc = read_input(argv[0], &request, &in, &flags);
  if (rc == CLI_OK) rc = compact_run(&request, &in, &flags, &result);
  if (rc == CLI_OK) rc = write_outputs(&request, &result);
  free(result.counts.data);
  free(result.rest.data);
  free(result.out.data);
  free(flags.data);
  free(in.data);
  return rc;
}

int cmd_select(int argc, char **argv) { return select_compact(argc, argv, select_options); }
int cmd_unique(int argc, char **argv) { return select_compact(argc, argv, unique_options); }
