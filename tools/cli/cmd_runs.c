/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_runs.c @brief `scanrt rle` and `scanrt reduce-by-key`: runs of equal keys of files or a pipe. */
#define _POSIX_C_SOURCE 200809L
#include "runs.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- help ---- */

static void print_rle(void) {
  puts("Usage: scanrt rle [OPTION]... [FILE [OUT]]\n"
       "Of each run of equal elements of FILE writes the element (the key) and the run's length, a line a run, with a\n"
       "tab between them. Elements are compared as numbers: each NaN is a run of its own, and -0.0 equals 0.0.\n"
       "\n"
       "What is written:\n"
       "      --columns LIST      of OUT: one or more of key, length and start, where the run begins, from 0 (default\n"
       "                          key,length, without what has a file of its own)\n"
       "      --keys-out KEYS     the keys in a file of their own; --lengths-out LENGTHS and --starts-out STARTS\n"
       "                          likewise (u64)\n"
       "\n"
       "Input and output:\n"
       "      --type T            type of the elements of text (default i64) and raw\n"
       "      --format F          npy, raw or text (default: by extension .npy, .txt, .csv, .tsv; else .npy by its\n"
       "                          first bytes, or text)\n"
       "      --column K          text: take column K, from 1, or with --header the column of the name K (without it,\n"
       "                          lines of one column are taken)");
}

static void print_reduce(void) {
  puts("Usage: scanrt reduce-by-key [OPTION]... KEYS VALUES [OUT]\n"
       "Combines the values that belong to each run of equal keys and writes the key and the result, a line a run, "
       "with\n"
       "a tab between them. KEYS and VALUES have as many elements; both may be columns of one file. Floating-point\n"
       "results are the same bits on every device.\n"
       "\n"
       "What is written:\n"
       "      --op OP             operator (default add)\n"
       "      --type T            type of the results (default: that of the values)\n"
       "      --input-type T      type of the values (default: what an .npy file says, else --type, else i64)\n"
       "      --key-type T        type of the keys of text (default i64) and raw\n"
       "      --init VALUE        combined before the first value of each run\n"
       "      --check-overflow    fail where an integer sum or product leaves its type\n"
       "      --strategy S        forces a strategy\n"
       "      --columns LIST      of OUT: one or both of key and value (default both, without what has a file of its\n"
       "                          own)\n"
       "      --keys-out FILE     the keys in a file of their own; --values-out FILE likewise the results\n"
       "\n"
       "Input and output:\n"
       "      --format F          of VALUES: npy, raw or text (default: by extension .npy, .txt, .csv, .tsv;\n"
       "                          else .npy by its first bytes, or text);\n"
       "                          --key-format F of KEYS\n"
       "      --column K          of VALUES, text: take column K, from 1, or with --header the column of the name\n"
       "                          K (without it, lines of one column are taken);\n"
       "                          --key-column K of KEYS");
}

static int print_help(int reduces) {
  if (reduces)
    print_reduce();
  else
    print_rle();
  puts("      --header            text: the first line has the columns' names\n"
       "      --delimiter C       text: columns are separated by C (default: blanks and tabs; comma for .csv, tab for\n"
       "                          .tsv)\n"
       "      --out-format F      npy, raw or text (default: by extension, or text)\n"
       "      --device SEL        a device of 'scanrt info --list'\n"
       "      --quiet             no progress on a terminal, which work of over two seconds shows otherwise\n"
       "  -h, --help              this text\n"
       "\n"
       "An input that is - is standard input; OUT is standard output where it is - or absent. npy\n"
       "and raw hold one column: the others need files of their own.");
  file_print_notes();
  puts(reduces ? "\n"
                 "Examples:\n"
                 "  scanrt reduce-by-key --op max keys.npy values.npy\n"
                 "  scanrt reduce-by-key --key-column 1 --column 3 --type f64 sales.csv sales.csv totals.csv\n"
                 "  scanrt reduce-by-key --header --key-column shop --column price --type f64 sales.csv sales.csv\n"
                 "  scanrt reduce-by-key --keys-out rows.npy rows_of_entries.npy entries.npy sums.npy"
               : "\n"
                 "Examples:\n"
                 "  sort -n ids.txt | scanrt rle\n"
                 "  scanrt rle --columns start,length keys.npy\n"
                 "  scanrt rle --lengths-out lengths.npy sorted.npy keys.npy");
  if (reduces) cli_print_names();
  return cli_flush_output();
}

/* ---- options ---- */

static const char *const column_names[RUNS_COLUMNS] = {
  [RUNS_KEY] = "key", [RUNS_LENGTH] = "length", [RUNS_START] = "start", [RUNS_VALUE] = "value"
};

static int has_column(const runs_request *r, int column) {
  return r->reduces ? column == RUNS_KEY || column == RUNS_VALUE : column != RUNS_VALUE;
}

static int add_column(const char *command, const char *text, size_t length, runs_request *r) {
  for (int c = 0; c < RUNS_COLUMNS; c++) {
    if (!has_column(r, c) || strlen(column_names[c]) != length || strncmp(text, column_names[c], length) != 0) continue;
    for (int before = 0; before < r->column_count; before++)
      if (r->columns[before] == (runs_column)c) return cli_usage(command, "--columns has %s twice", column_names[c]);
    r->columns[r->column_count++] = (runs_column)c;
    return CLI_OK;
  }
  return cli_usage(command, "--columns has no '%.*s': use %s", (int)length, text,
                   r->reduces ? "key and value" : "key, length and start");
}

static int parse_columns(const char *command, const char *text, void *request) {
  runs_request *r = request;
  int rc = CLI_OK;
  for (const char *at = text; at && rc == CLI_OK;) {
    const size_t length = strcspn(at, ",");
    rc = add_column(command, at, length, r);
    at = at[length] ? at + length + 1 : NULL;
  }
  return rc;
}

#define AT(field) offsetof(runs_request, field)
#define COMMON                                                                                                         \
  { .name = "columns", .kind = CLI_CALL, .parse = parse_columns },                                                     \
      { .name = "keys-out", .kind = CLI_TEXT, .offset_bytes = AT(apart[RUNS_KEY]) },                                   \
      { .name = "out-format", .kind = CLI_CALL, .offset_bytes = AT(out_format), .parse = file_parse_format },          \
      { .name = "header", .kind = CLI_FLAG, .offset_bytes = AT(has_header), .value = 1 },                              \
      { .name = "delimiter", .kind = CLI_CALL, .offset_bytes = AT(delimiter), .parse = file_parse_delimiter }, {       \
    .name = "device", .kind = CLI_TEXT, .offset_bytes = AT(device)                                                     \
  }

static const cli_option rle_options[] = {
  COMMON,
  { .name = "format", .kind = CLI_CALL, .offset_bytes = AT(keys.format), .parse = file_parse_format },
  { .name = "lengths-out", .kind = CLI_TEXT, .offset_bytes = AT(apart[RUNS_LENGTH]) },
  { .name = "starts-out", .kind = CLI_TEXT, .offset_bytes = AT(apart[RUNS_START]) },
  { .name = "type", .kind = CLI_TYPE, .offset_bytes = AT(keys.type) },
  { .name = "column", .kind = CLI_TEXT, .offset_bytes = AT(keys.column) },
  { .name = NULL },
};
static const cli_option reduce_options[] = {
  COMMON,
  { .name = "format", .kind = CLI_CALL, .offset_bytes = AT(values.format), .parse = file_parse_format },
  { .name = "values-out", .kind = CLI_TEXT, .offset_bytes = AT(apart[RUNS_VALUE]) },
  { .name = "op", .kind = CLI_OP, .offset_bytes = AT(op) },
  { .name = "type", .kind = CLI_TYPE, .offset_bytes = AT(type) },
  { .name = "input-type", .kind = CLI_TYPE, .offset_bytes = AT(input_type) },
  { .name = "key-type", .kind = CLI_TYPE, .offset_bytes = AT(keys.type) },
  { .name = "init", .kind = CLI_TEXT, .offset_bytes = AT(init) },
  { .name = "check-overflow", .kind = CLI_FLAG, .offset_bytes = AT(check_overflow), .value = 1 },
  { .name = "strategy", .kind = CLI_STRATEGY, .offset_bytes = AT(strategy) },
  { .name = "key-format", .kind = CLI_CALL, .offset_bytes = AT(keys.format), .parse = file_parse_format },
  { .name = "column", .kind = CLI_TEXT, .offset_bytes = AT(values.column) },
  { .name = "key-column", .kind = CLI_TEXT, .offset_bytes = AT(keys.column) },
  { .name = NULL },
};
#undef COMMON
#undef AT

/* ---- the command line ---- */

/** Chooses the columns of OUT if --columns does not: the key and a number, without columns that have a file of their
 * own. */
static void choose_columns(runs_request *r) {
  const runs_column usual[] = { RUNS_KEY, r->reduces ? RUNS_VALUE : RUNS_LENGTH };
  for (int i = 0; i < 2 && r->column_count < 2; i++)
    if (!r->apart[usual[i]]) r->columns[r->column_count++] = usual[i];
}

static int settle_outputs(const char *command, runs_request *r) {
  const io_format *given = r->out_format;
  int rc = CLI_OK;
  if (!r->column_count) choose_columns(r);
  if (!r->column_count && r->out_path)
    return cli_usage(command, "nothing is left for '%s': --columns says what goes there, too", r->out_path);
  if (!r->out_path) r->out_path = "-";
  if (r->column_count) rc = file_settle_output(command, r->out_path, given, &r->out_format);
  if (rc == CLI_OK && r->column_count > 1 && r->out_format != &io_text)
    return cli_usage(command, "%s holds one column: choose it by --columns, or give others files of their own",
                     r->out_format->name);
  for (int c = 0; c < RUNS_COLUMNS && rc == CLI_OK; c++)
    if (r->apart[c]) rc = file_settle_output(command, r->apart[c], given, &r->apart_format[c]);
  return rc;
}

/** Applies the delimiter and the header option to each text input. */
static void share_text_options(runs_request *r) {
  const int has_values = r->reduces && file_may_be_text(&r->values);
  if (has_values) r->values.delimiter = r->delimiter, r->values.has_header = r->has_header;
  if (file_may_be_text(&r->keys) || !has_values) r->keys.delimiter = r->delimiter, r->keys.has_header = r->has_header;
}

static int settle_inputs(const char *command, runs_request *r) {
  share_text_options(r);
  int rc = file_settle_input(command, &r->keys);
  if (rc != CLI_OK || !r->reduces) return rc;
  if (!strcmp(r->keys.path, "-") && !strcmp(r->values.path, "-"))
    return cli_usage(command, "KEYS and VALUES cannot both be standard input");
  r->values.type = r->input_type != SCAN_TYPE_DEFAULT ? r->input_type : r->type;
  r->values.type_option = r->input_type != SCAN_TYPE_DEFAULT ? "input-type" : "type";
  return file_settle_input(command, &r->values);
}

static int parse_command_line(int argc, char **argv, const cli_option *options, runs_request *r) {
  int rc = cli_parse_options(argc, argv, options, r);
  if (rc != CLI_OK) return rc;
  if (r->reduces && argc - optind < 2) return cli_usage(argv[0], "KEYS and VALUES are missing");
  if (optind < argc) r->keys.path = argv[optind++];
  if (r->reduces) r->values.path = argv[optind++];
  if (optind < argc) r->out_path = argv[optind++];
  rc = cli_no_arguments(argc, argv);
  if (rc == CLI_OK) rc = settle_inputs(argv[0], r);
  return rc == CLI_OK ? settle_outputs(argv[0], r) : rc;
}

/* ---- files ---- */

static int read_values(const runs_request *r, const io_array *keys, io_array *values) {
  const char *command = "reduce-by-key";
  int rc = file_read(command, &r->values, values);
  if (rc == CLI_OK) rc = file_check_type(command, "input-type", r->input_type, values);
  if (rc != CLI_OK || values->n == keys->n) return rc;
  return cli_fail("%" PRIu64 " keys and %" PRIu64 " values: there must be as many", keys->n, values->n);
}

static int make_spec(const runs_request *r, const io_array *keys, const io_array *values, scan_spec *spec) {
  const scan_type type = r->type != SCAN_TYPE_DEFAULT ? r->type : file_sum_type(values, r->op);
  *spec = (scan_spec)SCAN_REDUCE_BY_KEY_INIT(keys->type, type, r->op);
  const scan_type input_type = file_input_type(values, type, r->op);
  if (input_type != type) spec->input_type = input_type;
  spec->strategy = r->strategy;
  spec->flags = r->check_overflow ? SCAN_CHECK_OVERFLOW : 0;
  return file_settle_spec("reduce-by-key", r->init, spec);
}

/** Refuses bf16 as .npy, since NumPy has no bf16. */
static int check_formats(const char *command, const runs_request *r, const runs_column column, scan_type type) {
  const int is_out = r->column_count == 1 && r->columns[0] == column && r->out_format == &io_npy;
  if (type != SCAN_BF16 || (!is_out && !(r->apart[column] && r->apart_format[column] == &io_npy))) return CLI_OK;
  return cli_usage(command, "NumPy has no bf16: give --out-format raw or text");
}

/* ---- the commands ---- */

static int execute_runs(const char *command, runs_request *r) {
  io_array keys = { .data = NULL }, values = { .data = NULL };
  runs_result result = { .column = { { .data = NULL } } };
  scan_spec spec = { .type = SCAN_TYPE_DEFAULT };
  int rc = file_read(command, &r->keys, &keys);
  if (rc == CLI_OK) rc = file_check_type(command, r->reduces ? "key-type" : "type", r->keys.type, &keys);
  if (rc == CLI_OK) rc = check_formats(command, r, RUNS_KEY, keys.type);
  if (rc == CLI_OK && r->reduces) rc = read_values(r, &keys, &values);
  if (rc == CLI_OK && r->reduces) rc = make_spec(r, &keys, &values, &spec);
  if (rc == CLI_OK) rc = check_formats(command, r, RUNS_VALUE, spec.type);
  if (rc == CLI_OK) rc = runs_run(r, &spec, &keys, &values, &result);
  if (rc == CLI_OK) rc = runs_write(r, &result);
  for (int c = 0; c < RUNS_COLUMNS; c++) free(result.column[c].data);
  free(values.data);
  free(keys.data);
  return rc;
}

int cmd_rle(int argc, char **argv) {
  runs_request request = { .keys = { .path = "-", .prefix = "" } };
  const int rc = parse_command_line(argc, argv, rle_options, &request);
  if (rc == CLI_HELP) return print_help(0);
  return rc == CLI_OK ? execute_runs(argv[0], &request) : rc;
}

int cmd_reduce_by_key(int argc, char **argv) {
  runs_request request = { .reduces = 1, .keys = { .prefix = "key-" }, .values = { .prefix = "" }, .op = SCAN_ADD };
  const int rc = parse_command_line(argc, argv, reduce_options, &request);
  if (rc == CLI_HELP) return print_help(1);
  return rc == CLI_OK ? execute_runs(argv[0], &request) : rc;
}
