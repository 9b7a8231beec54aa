/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_sort.c @brief `scanrt sort`: a stable sort of files or a pipe. */
#define _POSIX_C_SOURCE 200809L
#include "sort.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

static int print_help(void) {
  puts("Usage: scanrt sort [OPTION]... [FILE]...\n"
       "Writes the elements of all FILEs together from the smallest to the largest. Equal elements stay in their\n"
       "order. Floating-point numbers are sorted from -NaN over -infinity, -0.0, 0.0 and infinity to NaN.\n"
       "\n"
       "By what, and what is written:\n"
       "  -r, --descending       from the largest to the smallest; equal ones stay in their order all the same\n"
       "      --order ORDER      of floating-point numbers: total (default), that above; or numeric, in which -0.0 and "
       "0.0\n"
       "                         are equal, and NaNs are equal and larger than all numbers: they come last, with -r "
       "first\n"
       "      --key KEYS         sort by the elements of this file, which has as many as all FILEs together; both may\n"
       "                         be columns of one file\n"
       "      --bits A:B         by the bits A to B - 1 alone, counted from the lowest, 0, of the unsigned integer\n"
       "                         that has the element's order (of i8 to i64 the sign bit flipped; of floating "
       "point\n"
       "                         that, too, and of negative numbers all bits)\n"
       "      --argsort          the indices of the elements (u64), from 0, in place of the elements\n"
       "      --keys-out FILE    with --key or --argsort: the sorted keys, too\n"
       "  -o, --output OUT       write there, which may be an input, in place of standard output\n"
       "\n"
       "Input and output:\n"
       "      --type T           type of the elements of text (default i64) and raw; --key-type T of KEYS\n"
       "      --format F         npy, raw or text (default: by extension .npy, .txt, .csv, .tsv; else .npy by its "
       "first\n"
       "                         bytes, or text); --key-format F of KEYS\n"
       "      --column K         text: take column K, from 1, or with --header the column of the name K (without it,\n"
       "                         lines of one column are taken);\n"
       "                         --key-column K of KEYS\n"
       "      --header           text: the first line has the columns' names\n"
       "      --delimiter C      text: columns are separated by C (default: blanks and tabs; comma for .csv, tab for\n"
       "                         .tsv)\n"
       "      --out-format F     npy, raw or text (default: by extension, or text)\n"
       "      --device SEL       a device of 'scanrt info --list'\n"
       "  -v, --verbose          device, n and time on standard error\n"
       "      --quiet            no progress on a terminal, which work of over two seconds shows otherwise\n"
       "  -h, --help             this text\n"
       "\n"
       "Over the ranks of MPI (mpirun -n 4 scanrt sort --mpi ...):\n"
       "      --mpi                  each rank reads its part of one FILE, .npy or raw, and of KEYS, all ranks sort "
       "them as\n"
       "                             one, and write their parts of OUT, a file that all must see\n"
       "      --no-mpi               each process of a launcher does the whole work, which is refused otherwise\n"
       "\n"
       "FILE is standard input where it is - or absent.");
  file_print_notes();
  puts("\n"
       "Examples:\n"
       "  scanrt sort --type f32 data.txt\n"
       "  scanrt sort -r -o sorted.npy first.npy second.npy\n"
       "  scanrt sort --key keys.npy --keys-out sorted_keys.npy values.npy -o values_by_key.npy\n"
       "  scanrt sort --key sales.csv --key-column 1 --column 3 --type f64 sales.csv\n"
       "  scanrt sort --argsort keys.npy -o order.npy\n"
       "  scanrt sort --order numeric --type f64 with_nans.txt\n"
       "  mpirun -n 4 scanrt sort --mpi keys.npy -o sorted.npy");
  return cli_flush_output();
}

/* ---- options ---- */

static int parse_bits(const char *command, const char *text, void *request) {
  sort_request *r = request;
  unsigned first = 0, end = 0;
  char more;
  if (sscanf(text, "%3u:%3u%c", &first, &end, &more) != 2 || first >= end || end > 64)
    return cli_usage(command, "--bits '%s' is not a range such as 0:16", text);
  r->first_bit = first;
  r->end_bit = end;
  return CLI_OK;
}

#define AT(field) offsetof(sort_request, field)
static const cli_option options[] = {
  { .name = "descending", .kind = CLI_FLAG, .letter = 'r', .offset_bytes = AT(descending), .value = 1 },
  { .name = "order", .kind = CLI_CALL, .offset_bytes = AT(order), .parse = sort_parse_order },
  { .name = "key", .kind = CLI_TEXT, .offset_bytes = AT(key.path) },
  { .name = "bits", .kind = CLI_CALL, .parse = parse_bits },
  { .name = "argsort", .kind = CLI_FLAG, .offset_bytes = AT(argsort), .value = 1 },
  { .name = "keys-out", .kind = CLI_TEXT, .offset_bytes = AT(keys_path) },
  { .name = "output", .kind = CLI_TEXT, .letter = 'o', .offset_bytes = AT(out_path) },
  { .name = "type", .kind = CLI_TYPE, .offset_bytes = AT(in.type) },
  { .name = "key-type", .kind = CLI_TYPE, .offset_bytes = AT(key.type) },
  { .name = "format", .kind = CLI_CALL, .offset_bytes = AT(in.format), .parse = file_parse_format },
  { .name = "key-format", .kind = CLI_CALL, .offset_bytes = AT(key.format), .parse = file_parse_format },
  { .name = "column", .kind = CLI_TEXT, .offset_bytes = AT(in.column) },
  { .name = "key-column", .kind = CLI_TEXT, .offset_bytes = AT(key.column) },
  { .name = "header", .kind = CLI_FLAG, .offset_bytes = AT(has_header), .value = 1 },
  { .name = "delimiter", .kind = CLI_CALL, .offset_bytes = AT(delimiter), .parse = file_parse_delimiter },
  { .name = "out-format", .kind = CLI_CALL, .offset_bytes = AT(out_format), .parse = file_parse_format },
  { .name = "device", .kind = CLI_TEXT, .offset_bytes = AT(device) },
  { .name = "verbose", .kind = CLI_FLAG, .letter = 'v', .offset_bytes = AT(verbose), .value = 1 },
  { .name = "mpi", .kind = CLI_FLAG, .offset_bytes = AT(mpi), .value = 1 },
  { .name = "no-mpi", .kind = CLI_FLAG, .offset_bytes = AT(no_mpi), .value = 1 },
  { .name = NULL },
};
#undef AT

/* ---- the command line ---- */

static int has_key_options(const file_input *key) {
  return key->format || key->type != SCAN_TYPE_DEFAULT || key->column;
}

/** Completes an input with its path, format and delimiter. */
static int settle_file(const char *command, const sort_request *r, int file, file_input *in) {
  *in = r->in;
  in->path = r->paths[file];
  /* delimiter and header apply to the text inputs; without any text input they apply here and are refused */
  if (file_may_be_text(in) || !(r->key.path && file_may_be_text(&r->key)))
    in->delimiter = r->delimiter, in->has_header = r->has_header;
  return file_settle_input(command, in);
}

static int settle_inputs(const char *command, sort_request *r) {
  int standard = r->key.path && !strcmp(r->key.path, "-"), texts = 0, rc = CLI_OK;
  for (int i = 0; i < r->path_count && rc == CLI_OK; i++) {
    file_input in;
    if (!strcmp(r->paths[i], "-") && standard++) return cli_usage(command, "standard input can be read once");
    rc = settle_file(command, r, i, &in);
    texts += rc == CLI_OK && file_may_be_text(&in);
  }
  if (rc != CLI_OK || !r->key.path) return rc;
  if (file_may_be_text(&r->key) || !texts) r->key.delimiter = r->delimiter, r->key.has_header = r->has_header;
  return file_settle_input(command, &r->key);
}

static int settle_outputs(const char *command, sort_request *r) {
  const io_format *given = r->out_format;
  if (r->argsort && r->key.path)
    return cli_usage(command, "--argsort and --key exclude each other: --argsort of KEYS has the order");
  if (r->keys_path && !r->argsort && !r->key.path)
    return cli_usage(command, "--keys-out is for --key and --argsort: elements are their own keys");
  const int rc = file_settle_output(command, r->out_path, given, &r->out_format);
  return rc == CLI_OK && r->keys_path ? file_settle_output(command, r->keys_path, given, &r->keys_format) : rc;
}

static int parse_command_line(int argc, char **argv, sort_request *r) {
  static char dash[] = "-";
  static char *const standard[] = { dash };
  int rc = cli_parse_options(argc, argv, options, r);
  if (rc != CLI_OK) return rc;
  r->paths = optind < argc ? argv + optind : standard;
  r->path_count = optind < argc ? argc - optind : 1;
  if (!r->key.path && has_key_options(&r->key))
    return cli_usage(argv[0], "--key-type, --key-format and --key-column are for --key");
  rc = settle_inputs(argv[0], r);
  if (rc == CLI_OK) rc = settle_outputs(argv[0], r);
  if (rc == CLI_OK && r->ranks) rc = sort_check_ranks(argv[0], r);
  return rc == CLI_OK && !r->ranks && !r->no_mpi ? ranks_refuse_many(argv[0]) : rc;
}

/* ---- files ---- */

static int sort_append(io_array *all, const io_array *more, const char *path) {
  const size_t item_bytes = scan_type_bytes(all->type);
  if (more->type != all->type)
    return cli_usage("sort", "'%s' has %s, the files before it have %s", path, scan_type_name(more->type),
                     scan_type_name(all->type));
  char *data = realloc(all->data, (size_t)(all->n + more->n) * item_bytes + 1);
  if (!data) return cli_fail("no memory for %" PRIu64 " elements", all->n + more->n);
  if (more->n) memcpy(data + (size_t)all->n * item_bytes, more->data, (size_t)more->n * item_bytes);
  all->data = data;
  all->is_bool = all->is_bool && more->is_bool;
  all->n += more->n;
  return CLI_OK;
}

static int read_files(const sort_request *r, io_array *all) {
  int rc = CLI_OK;
  for (int i = 0; i < r->path_count && rc == CLI_OK; i++) {
    file_input in;
    io_array one = { .data = NULL };
    rc = settle_file("sort", r, i, &in);
    if (rc == CLI_OK) rc = file_read("sort", &in, &one);
    if (rc == CLI_OK) rc = file_check_type("sort", "type", r->in.type, &one);
    if (rc == CLI_OK && i > 0) rc = sort_append(all, &one, in.path);
    if (i == 0)
      *all = one;
    else
      free(one.data);
  }
  return rc;
}

static int read_keys(const sort_request *r, uint64_t n, io_array *keys) {
  int rc = file_read("sort", &r->key, keys);
  if (rc == CLI_OK) rc = file_check_type("sort", "key-type", r->key.type, keys);
  if (rc != CLI_OK || keys->n == n) return rc;
  return cli_fail("%" PRIu64 " keys and %" PRIu64 " elements: there must be as many", keys->n, n);
}

/* ---- the command ---- */

static int execute_sort(const sort_request *r) {
  io_array in = { .data = NULL }, keys = { .data = NULL };
  sort_result result = { .out = { .data = NULL } };
  int rc = read_files(r, &in);
  if (rc == CLI_OK && r->key.path) rc = read_keys(r, in.n, &keys);
  if (rc == CLI_OK) rc = sort_check_types(r, in.type, r->key.path ? keys.type : in.type);
  if (rc == CLI_OK) rc = sort_run(r, &in, r->key.path ? &keys : NULL, &result);
  if (rc == CLI_OK) rc = io_write_file(r->out_path, r->out_format, &result.out);
  if (rc == CLI_OK && r->keys_path) rc = io_write_file(r->keys_path, r->keys_format, &result.keys);
  free(result.keys.data);
  free(result.out.data);
  free(keys.data);
  free(in.data);
  return rc;
}

/** Runs the command. Only the first rank prints the help text. */
static int execute(int argc, char **argv, sort_request *r) {
  int rc = parse_command_line(argc, argv, r);
  if (r->ranks) rc = ranks_agree(r->ranks, rc);
  if (rc == CLI_OK) return r->ranks ? sort_over_ranks(r) : execute_sort(r);
  if (rc != CLI_HELP) return rc;
  return !r->ranks || r->ranks->rank == 0 ? print_help() : CLI_OK;
}

int cmd_sort(int argc, char **argv) {
  sort_request request = { .in = { .prefix = "" }, .key = { .prefix = "key-" }, .out_path = "-" };
  ranks all;
  if (!ranks_asked(argc, argv)) return execute(argc, argv, &request);
  const int rc = ranks_open(&all, argv[0]);
  if (rc != CLI_OK) return rc;
  request.ranks = &all;
  return ranks_close(&all, execute(argc, argv, &request));
}
