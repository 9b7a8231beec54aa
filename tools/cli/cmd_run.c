/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_run.c @brief `scanrt run`: scans a file or a pipe. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "run.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_options(void) {
  puts("Usage: scanrt run [OPTION]... [FILE]\n"
       "Scans the elements of FILE (standard input where it is - or absent) and writes the result.\n"
       "\n"
       "What to scan:\n"
       "      --op OP          operator (default add)\n"
       "      --inclusive      result i covers elements 0 to i (default)\n"
       "      --exclusive      result i covers elements 0 to i - 1\n"
       "      --type T         type of the sums and of the output (default: the input's)\n"
       "      --input-type T   type of the input elements (default: what an .npy file says, else --type)\n"
       "      --axis K         of an .npy of more than one dimension: scans each line along axis K, from 0; -1 is the "
       "last\n"
       "                       axis\n"
       "      --init VALUE     combined before the first element\n"
       "      --keys FILE      a scan for each run of equal keys: text (i64) or .npy (any type), a key an element\n"
       "      --flags FILE     a scan for each segment, which begins where FILE has not 0: text or .npy (u8, bool)\n"
       "      --offsets FILE   a scan for each segment from one offset to the next, of which there is one more than\n"
       "                       segments: text or .npy (u32, u64)\n"
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
       "      --line-lengths   the elements are the byte lengths of FILE's lines, line ends included (u64, or i64)\n"
       "  -o, --out FILE       where the result goes (default -: standard output)\n"
       "      --out-format F   npy, raw or text (default: by FILE's extension, or text)\n"
       "\n"
       "Where to run:\n"
       "      --device SEL     a device of 'scanrt info --list'\n"
       "      --strategy S     forces a strategy\n"
       "      --threads T      threads of a host device (default: the processors that the process may use)\n"
       "      --memory BYTES   device memory that the data may take: what does not fit is streamed through it in\n"
       "                       chunks (default: streamed only where the device cannot hold it). The last bits of\n"
       "                       floating-point sums and products then depend on BYTES, and on nothing else\n"
       "  -v, --verbose        device, strategy, n and time on standard error\n"
       "      --quiet          no progress on a terminal, which work of over two seconds shows otherwise\n"
       "  -h, --help           this text");
}

static void print_help(void) {
  print_options();
  puts("\n"
       "Over the ranks of MPI (mpirun -n 4 scanrt run --mpi ...):\n"
       "      --mpi            each rank reads its part of FILE, .npy or raw, all parts are scanned as one, with the\n"
       "                       bits of one device, and written to one file, which all ranks must see. Without "
       "--memory,\n"
       "                       --offsets, text, pipes\n"
       "      --no-mpi         each process of a launcher does the whole work, which is refused otherwise\n"
       "      --device KIND:local  each rank of a host takes the next device of that kind, from the first one again\n"
       "                       where there are fewer. Without --device and $SCANRT_DEVICE: cuda:local, where there is "
       "one\n"
       "\n"
       "The output has the input's shape and order in .npy, and its elements in the file's order elsewhere.\n"
       "Text input without --type is read as i64.");
  file_print_notes();
  puts("\n"
       "Examples:\n"
       "  scanrt run counts.npy --exclusive --out offsets.npy\n"
       "  scanrt run image.npy --type f32 --axis 1 --out sums_of_rows.npy\n"
       "  scanrt run --line-lengths --exclusive notes.txt          # where each line begins\n"
       "  scanrt run table.csv --column 3 --type f64 --op max\n"
       "  scanrt run sales.csv.gz --header --column price --type f64\n"
       "  scanrt run --format raw --input-type i32 --type i64 data.bin -o sums.bin --out-format raw\n"
       "  scanrt run --memory 2^30 --format raw --type f64 huge.bin -o sums.bin --out-format raw\n"
       "  seq 1 10 | scanrt run");
  cli_print_names();
}

static int parse_memory(const char *command, const char *text, void *request) {
  run_request *r = request;
  int rc = cli_parse_count(command, "--memory", text, &r->memory);
  return rc == CLI_OK && r->memory == 0 ? cli_usage(command, "--memory is at least 1 byte") : rc;
}

#define AT(field) offsetof(run_request, field)
static const cli_option options[] = {
  { .name = "type", .kind = CLI_TYPE, .offset_bytes = AT(type) },
  { .name = "input-type", .kind = CLI_TYPE, .offset_bytes = AT(input_type) },
  { .name = "op", .kind = CLI_OP, .offset_bytes = AT(op) },
  { .name = "exclusive", .kind = CLI_FLAG, .offset_bytes = AT(kind), .value = SCAN_EXCLUSIVE },
  { .name = "inclusive", .kind = CLI_FLAG, .offset_bytes = AT(kind), .value = SCAN_INCLUSIVE },
  { .name = "init", .kind = CLI_TEXT, .offset_bytes = AT(init) },
  { .name = "device", .kind = CLI_TEXT, .offset_bytes = AT(device) },
  { .name = "strategy", .kind = CLI_STRATEGY, .offset_bytes = AT(strategy) },
  { .name = "threads", .kind = CLI_COUNT, .offset_bytes = AT(threads), .least = 1, .most = UINT16_MAX },
  { .name = "mpi", .kind = CLI_FLAG, .offset_bytes = AT(mpi), .value = 1 },
  { .name = "no-mpi", .kind = CLI_FLAG, .offset_bytes = AT(no_mpi), .value = 1 },
  { .name = "axis", .kind = CLI_CALL, .parse = run_parse_axis },
  { .name = "memory", .kind = CLI_CALL, .parse = parse_memory },
  { .name = "flags", .kind = CLI_TEXT, .offset_bytes = AT(segments[SCAN_SEGMENTS_FLAGS]) },
  { .name = "keys", .kind = CLI_TEXT, .offset_bytes = AT(segments[SCAN_SEGMENTS_KEYS]) },
  { .name = "offsets", .kind = CLI_TEXT, .offset_bytes = AT(segments[SCAN_SEGMENTS_OFFSETS]) },
  { .name = "check-overflow", .kind = CLI_FLAG, .offset_bytes = AT(check_overflow), .value = 1 },
  { .name = "format", .kind = CLI_CALL, .offset_bytes = AT(in.format), .parse = file_parse_format },
  { .name = "out-format", .kind = CLI_CALL, .offset_bytes = AT(out_format), .parse = file_parse_format },
  { .name = "column", .kind = CLI_TEXT, .offset_bytes = AT(in.column) },
  { .name = "header", .kind = CLI_FLAG, .offset_bytes = AT(in.has_header), .value = 1 },
  { .name = "delimiter", .kind = CLI_CALL, .offset_bytes = AT(in.delimiter), .parse = file_parse_delimiter },
  { .name = "line-lengths", .kind = CLI_FLAG, .offset_bytes = AT(line_lengths), .value = 1 },
  { .name = "out", .kind = CLI_TEXT, .letter = 'o', .offset_bytes = AT(out_path) },
  { .name = "verbose", .kind = CLI_FLAG, .letter = 'v', .offset_bytes = AT(verbose), .value = 1 },
  { .name = NULL },
};
#undef AT

static int settle_lines(const char *command, run_request *r) {
  if (r->in.format) return cli_usage(command, "--line-lengths and --format exclude each other");
  r->in.format = &io_lines;
  if (r->type == SCAN_TYPE_DEFAULT) r->type = SCAN_U64;
  if (r->type != SCAN_U64 && r->type != SCAN_I64) return cli_usage(command, "--line-lengths needs type u64 or i64");
  if (r->input_type != SCAN_TYPE_DEFAULT && r->input_type != r->type)
    return cli_usage(command, "--line-lengths and --input-type exclude each other");
  return CLI_OK;
}

/** Chooses the input's format and the types that go with it. */
static int settle_input(const char *command, run_request *r) {
  const int is_there = !strcmp(r->in.path, "-") || access(r->in.path, F_OK) == 0;
  int rc = is_there && r->line_lengths ? settle_lines(command, r) : CLI_OK;
  r->in.type = r->input_type != SCAN_TYPE_DEFAULT ? r->input_type : r->type;
  if (r->input_type != SCAN_TYPE_DEFAULT) r->in.type_option = "input-type";
  if (rc == CLI_OK) rc = file_settle_input(command, &r->in);
  if (rc == CLI_OK && r->has_axis && r->in.format && r->in.format != &io_npy)
    return cli_usage(command, "--axis is for npy");
  return rc;
}

/** Refuses segments and overflow checks with --memory, several kinds of segments, and arrays with either. */
static int check_segments(const char *command, const run_request *r) {
  int given = 0;
  for (int kind = SCAN_SEGMENTS_FLAGS; kind <= SCAN_SEGMENTS_OFFSETS; kind++) given += r->segments[kind] != NULL;
  if (given > 1) return cli_usage(command, "--flags, --keys and --offsets exclude each other");
  if (r->memory && (given || r->check_overflow))
    return cli_usage(command, "--memory excludes --flags, --keys, --offsets and --check-overflow");
  if (r->has_axis && (r->memory || given))
    return cli_usage(command, "--axis excludes --memory, --flags, --keys and --offsets");
  return CLI_OK;
}

/** Reads the command line. @return CLI_OK, CLI_USAGE, CLI_HELP, or CLI_FAILED if there is no such file */
static int parse_command_line(int argc, char **argv, run_request *r) {
  int rc = cli_parse_options(argc, argv, options, r);
  if (rc != CLI_OK) return rc;
  if (optind < argc) r->in.path = argv[optind++];
  rc = cli_no_arguments(argc, argv);
  if (rc == CLI_OK) rc = check_segments(argv[0], r);
  if (rc == CLI_OK) rc = settle_input(argv[0], r);
  if (rc == CLI_OK) rc = file_settle_output(argv[0], r->out_path, r->out_format, &r->out_format);
  if (rc == CLI_OK && r->ranks) rc = run_check_ranks(argv[0], r);
  return rc == CLI_OK && !r->ranks && !r->no_mpi ? ranks_refuse_many(argv[0]) : rc;
}

static int read_input(const run_request *r, run_input *in) {
  if (r->ranks) return run_read_part(r, in);
  const int rc = file_read_array("run", &r->in, &in->part);
  in->whole = in->part;
  in->whole.data = NULL;
  return rc;
}

/** Scans and writes the results. @param rc  status of earlier steps, which one of several ranks may have failed */
static int scan_and_write(const run_request *r, int rc, const scan_spec *spec, const scan_args *args, run_input *in,
                          io_array *out) {
  if (r->ranks) {
    rc = ranks_agree(r->ranks, rc);
    if (rc == CLI_OK) rc = run_scan_ranks(r, spec, args, in);
    return rc == CLI_OK ? run_write_parts(r, in, out) : rc;
  }
  if (rc == CLI_OK) rc = run_scan(r, spec, args, &in->part, out);
  return rc == CLI_OK ? io_write_file(r->out_path, r->out_format, out) : rc;
}

static int run_file(run_request *r) {
  run_input in = { .first = 0 };
  io_array out = { .data = NULL }, marks = { .data = NULL };
  scan_spec spec;
  scan_args args = SCAN_ARGS_INIT(scan_host(NULL), scan_host(NULL));
  int rc = read_input(r, &in);
  if (rc == CLI_OK) rc = run_check_axis("run", r, &in.whole);
  if (rc == CLI_OK) rc = run_make_spec("run", r, &in.whole, &spec);
  if (rc == CLI_OK) rc = run_read_segments(r, &in, &spec, &args, &marks);
  if (rc == CLI_OK) {
    out = in.part;
    out.type = spec.type;
    out.is_bool = 0;
    out.data = malloc((size_t)in.part.n * scan_type_bytes(spec.type) + 1);
    if (!out.data) rc = cli_fail("no memory for %" PRIu64 " results", in.part.n);
  }
  args.in = scan_host(in.part.data);
  args.out = scan_host(out.data);
  rc = scan_and_write(r, rc, &spec, &args, &in, &out);
  free(out.data);
  free(marks.data);
  free(in.part.data);
  return rc;
}

/** Runs the command. Only the first rank prints the help text. */
static int execute_run(int argc, char **argv, run_request *r) {
  int rc = parse_command_line(argc, argv, r);
  if (r->ranks) rc = ranks_agree(r->ranks, rc);
  if (rc == CLI_OK) return run_file(r);
  if (rc != CLI_HELP) return rc;
  if (!r->ranks || r->ranks->rank == 0) print_help();
  return cli_flush_output();
}

int cmd_run(int argc, char **argv) {
  run_request request = { .in = { .path = "-", .prefix = "" }, .out_path = "-", .op = SCAN_ADD };
  ranks all;
  if (!ranks_asked(argc, argv)) return execute_run(argc, argv, &request);
  const int rc = ranks_open(&all, argv[0]);
  if (rc != CLI_OK) return rc;
  request.ranks = &all;
  return ranks_close(&all, execute_run(argc, argv, &request));
}
