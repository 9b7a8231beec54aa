/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_bench.c @brief `scanrt bench`: options and the loop over devices. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

enum { OPT_DEVICE = 256, OPT_TYPE, OPT_OP, OPT_EXCLUSIVE, OPT_N, OPT_STRATEGY, OPT_REPS, OPT_COLD, OPT_JSON };
enum { DEFAULT_N = 1 << 24, DEFAULT_REPS = 20 };

static const struct option options[] = { { "device", required_argument, NULL, OPT_DEVICE },
                                         { "type", required_argument, NULL, OPT_TYPE },
                                         { "op", required_argument, NULL, OPT_OP },
                                         { "exclusive", no_argument, NULL, OPT_EXCLUSIVE },
                                         { "n", required_argument, NULL, OPT_N },
                                         { "strategy", required_argument, NULL, OPT_STRATEGY },
                                         { "reps", required_argument, NULL, OPT_REPS },
                                         { "cold", no_argument, NULL, OPT_COLD },
                                         { "json", no_argument, NULL, OPT_JSON },
                                         { "help", no_argument, NULL, 'h' },
                                         { NULL, 0, NULL, 0 } };

static void print_help(void) {
  puts("Usage: scanrt bench [OPTION]...\n"
       "Times scans of device memory against a copy of the same bytes in the same run. Each timing is a batch of more\n"
       "than 2 ms between two synchronisations. On the host's own memory a plain C loop on one thread and memcpy are\n"
       "timed too. Results are checked first: a wrong one prints WRONG and ends with status 1.\n"
       "\n"
       "Options:\n"
       "      --device SEL  only this device (may be repeated; default: every device)\n"
       "      --type T      element type (default i32)\n"
       "      --op OP       operator (default add)\n"
       "      --exclusive   exclusive scans (default: inclusive)\n"
       "      --n N         number of elements, such as 1000000 or 2^28 (may be repeated; default 2^24)\n"
       "      --strategy S  a strategy (may be repeated; default auto)\n"
       "      --reps N      repetitions (default 20)\n"
       "      --cold        instead: milliseconds to open a device, of a first and of a second scan of 2^20 i32 in "
       "host\n"
       "                    memory. One device a process is cold; later ones find the drivers loaded\n"
       "      --json        for machines\n"
       "  -h, --help        this text\n"
       "\n"
       "Columns: IQR %, interquartile range of the times in percent of the median; GB/s, input and output bytes;\n"
       "% copy, time of the copy in percent of this time; x plain loop, how many times as fast as the plain loop.");
  cli_print_names();
  puts("\n"
       "Examples:\n"
       "  scanrt bench --n 2^20 --n 2^28\n"
       "  scanrt bench --device host --type f32 --strategy auto --strategy sequential\n"
       "  scanrt bench --cold --device cuda:0");
}

static int add_size(const char *command, const char *text, bench_request *r) {
  uint64_t n = 0;
  int rc = cli_parse_count(command, "--n", text, &n);
  if (rc != CLI_OK) return rc;
  if (n == 0 || n > UINT64_MAX / 64) return cli_usage(command, "--n '%s' is out of range", text);
  if (r->size_count == BENCH_MAX_SIZES) return cli_usage(command, "more than %d --n", BENCH_MAX_SIZES);
  r->sizes[r->size_count++] = n;
  return CLI_OK;
}

static int add_strategy(const char *command, const char *text, bench_request *r) {
  if (r->strategy_count == BENCH_MAX_STRATEGIES)
    return cli_usage(command, "more than %d --strategy", BENCH_MAX_STRATEGIES);
  return cli_parse_strategy(command, text, &r->strategies[r->strategy_count++]);
}

static int parse_reps(const char *command, const char *text, bench_request *r) {
  int rc = cli_parse_count(command, "--reps", text, &r->reps);
  if (rc != CLI_OK || (r->reps >= 1 && r->reps <= BENCH_MAX_REPS)) return rc;
  return cli_usage(command, "--reps is from 1 to %d", BENCH_MAX_REPS);
}

static int parse_option(int c, char **argv, bench_request *r) {
  switch (c) {
  case OPT_DEVICE: return cli_add_device(argv[0], &r->devices, optarg);
  case OPT_TYPE: return cli_parse_type(argv[0], optarg, &r->type);
  case OPT_OP: return cli_parse_op(argv[0], optarg, &r->op);
  case OPT_N: return add_size(argv[0], optarg, r);
  case OPT_STRATEGY: return add_strategy(argv[0], optarg, r);
  case OPT_REPS: return parse_reps(argv[0], optarg, r);
  case OPT_EXCLUSIVE: r->kind = SCAN_EXCLUSIVE; return CLI_OK;
  case OPT_COLD: r->cold = 1; return CLI_OK;
  case OPT_JSON: r->as_json = 1; return CLI_OK;
  default: return cli_usage_getopt(c, argv, options);
  }
}

/** Fills in what was not given. */
static int settle(const char *command, bench_request *r) {
  if (!scan_spec_defined(r->type, SCAN_TYPE_DEFAULT, r->op))
    return cli_usage(command, "operator %s is not defined on %s", scan_op_name(r->op), scan_type_name(r->type));
  if (!r->size_count) r->sizes[r->size_count++] = DEFAULT_N;
  if (!r->strategy_count) r->strategies[r->strategy_count++] = SCAN_STRATEGY_AUTO;
  return r->devices.count ? CLI_OK : cli_add_all_devices(&r->devices);
}

static int measure(const bench_request *r) {
  bench_report report = { .as_json = r->as_json, .json = { .file = stdout } };
  int rc = CLI_OK;
  bench_report_begin(&report, r);
  for (size_t d = 0; d < r->devices.count; d++) {
    const char *selector = r->devices.selector[d];
    int one = r->cold ? bench_cold(selector, &report) : bench_device(r, selector, &report);
    if (one != CLI_OK) rc = CLI_FAILED;
  }
  bench_report_end(&report);
  return rc;
}

int cmd_bench(int argc, char **argv) {
  bench_request request = { .type = SCAN_I32, .op = SCAN_ADD, .reps = DEFAULT_REPS };
  int rc = CLI_OK;
  for (int c; rc == CLI_OK && (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    if (c == 'h') return print_help(), cli_flush_output();
    rc = parse_option(c, argv, &request);
  }
  if (rc == CLI_OK) rc = cli_no_arguments(argc, argv);
  if (rc == CLI_OK) rc = settle(argv[0], &request);
  if (rc == CLI_OK) rc = measure(&request);
  int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}
