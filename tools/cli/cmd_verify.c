/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_verify.c @brief `scanrt verify`: the conformance matrix, on all devices at once. */
#define _POSIX_C_SOURCE 200809L
#include "output.h"
#include "progress.h"
#include "verify.h"
#include "verify_select.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MINUTES = 100000, MOST_LARGEST = 1 << 30 };

static void print_help(void) {
  puts(
      "Usage: scanrt verify [OPTION]...\n"
      "Runs the same scans on every device: each type, operator, kind and strategy, in place and not. Each result "
      "must\n"
      "be the bits of a plain reference in this tool (floating point: of the canonical order; sequential: of the "
      "plain\n"
      "loop), and of the other devices. Two NaNs are the same. After the scans comes compaction: random cases of what\n"
      "keeps elements (predicates of two neighbours, and of three parts, too), what becomes of the rest, keys, arrays\n"
      "and indices, n, and capacities, each against a plain loop; of run-length encoding and reduction by key, by\n"
      "keys, types and operators, against the reference; and of stable sorts of keys, of pairs and of indices, by "
      "types,\n"
      "bits and shapes of the keys, against a plain merge sort, and of splits and histograms.\n"
      "\n"
      "Options (those with * may be repeated):\n"
      "      --device SEL    * only this device\n"
      "      --quick           fewer n, none above 20,000\n"
      "      --large           some million elements as well (not for sequential), and reductions by key of more "
      "types\n"
      "      --json FILE       the report as JSON; - is standard output, instead of the table\n"
      "      --html FILE       the report as one HTML page that needs nothing else\n"
      "      --operators       a row of the table for each operator\n"
      "      --quiet           no progress on a terminal\n"
      "  -h, --help            this text\n"
      "\n"
      "Only some of the cases, for instance those of a failure, which prints its command:\n"
      "      --type T, --input-type T  this type (of sums that widen, also the input's); f16 and bf16 only so\n"
      "      --op OP         * this operator\n"
      "      --kind K        * inclusive, exclusive or init (exclusive from an initial value); flags or keys (in\n"
      "                        segments; inclusive by flags, exclusive by keys), carry (from one to one) or total:\n"
      "                        these four of sums of i32 and f32, and of all that --type and --op name with --kind\n"
      "      --strategy S    * this strategy; textbook scans are checked only when named, and not in\n"
      "                        floating-point sums and products, whose order is their own\n"
      "      --n N           * this number of elements\n"
      "      --in-place, --out-of-place\n"
      "      --select          compaction alone, without scans; --runs: encoding and reduction by key alone;\n"
      "                        --sorts: sorts, splits, histograms; --random: random scans (several at once), arrays,\n"
      "                        streams, operators from source and differences alone, which are else left "
      "to\n"
      "                        --soak; --case K: of one of these, only case K\n"
      "      --case LINE       only this case, a line as failures print it\n"
      "      --largest N       one of these cases in 16 has up to N elements, 65536 to 2^30, of each magnitude as "
      "often:\n"
      "                        up to 400 bytes each on the device, and twice as many on the host\n"
      "      --seed S          other inputs (default 1); an input depends on the seed and the case, not on the device\n"
      "\n"
      "A soak, of random cases of all these (or of those that are named) in place of the rest:\n"
      "      --soak MINUTES    for so long, which may be a fraction\n"
      "      --threads T       from so many threads at once, each with contexts of its own, which it closes and opens\n"
      "                        again from time to time (default 2)\n"
      "      --cases N         only the first N cases, which are the same for any number of threads\n"
      "      --may-give-up     a case that ends in SCAN_NO_PROGRESS is not applicable, and has not failed\n"
      "\n"
      "The table has a row for each device and type (a->b: input a, sum b), more for operators that failed, and a\n"
      "column for each strategy. What the library refuses as unsupported is not applicable: n/a, and the number of "
      "the\n"
      "reason below the table; each plan so refused counts once. A pair of devices disagrees in a case when not all\n"
      "their results of it have the same bits. Memory: 4 to 6 buffers of the largest case on the host, however many\n"
      "devices there are, and 2 on each device.");
  cli_print_names();
  puts("\n"
       "Examples:\n"
       "  scanrt verify\n"
       "  scanrt verify --quick --html report.html\n"
       "  scanrt verify --device host --device opencl:0 --type f32 --op add --json verify.json\n"
       "  scanrt verify --soak 10 --threads 4 --seed 7\n"
       "\n"
       "Exit status: 0 nothing failed and all agree; 1 something failed or disagrees, or nothing ran; 2 wrong use.");
}

/* ---- the run ---- */

/** Runs all operators of one row. */
static void run_pair(verify_state *bench, int pair) {
  const verify_report *report = bench->report;
  const verify_pair *types = &report->pairs[pair];
  progress bar;
  progress_begin(&bar, types->name, SCAN_XOR);
  for (int op = SCAN_ADD; op < VERIFY_OPS; op++) {
    progress_set(&bar, (uint64_t)(op - SCAN_ADD));
    if (report->request->ops && !(report->request->ops >> op & 1)) continue;
    if (scan_spec_defined(types->type, types->input, (scan_op_id)op)) verify_run(bench, pair, (scan_op_id)op);
  }
  progress_end(&bar);
}

static int write_file(const verify_report *report, const char *path,
                      void (*write)(const verify_report *report, FILE *file)) {
  output out;
  const int rc = output_begin(path, &out);
  if (rc != CLI_OK) return rc;
  write(report, out.file);
  return output_end(&out, CLI_OK);
}

static int is_standard_output(const char *path) { return path && strcmp(path, "-") == 0; }

/** Runs everything and writes the reports. @return CLI_OK if nothing failed, nothing disagrees and something ran */
static int execute_verify(verify_state *bench) {
  verify_report *report = bench->report;
  const verify_request *r = report->request;
  const int with_table = !is_standard_output(r->json) && !is_standard_output(r->html);
  int rc = verify_open(bench);
  if (rc != CLI_OK) return rc;
  if (with_table) verify_text_head(report);
  for (int pair = 0; pair < report->pair_count; pair++) {
    run_pair(bench, pair);
    if (with_table) verify_text_pair(report, pair);
  }
  if (verify_select_is_wanted(r)) {
    rc = r->soak_minutes > 0 ? verify_soak(bench) : verify_select_run(bench);
    if (with_table) verify_text_families(report);
  }
  if (with_table) verify_text_end(report);
  if (r->json && write_file(report, r->json, verify_json) != CLI_OK) rc = CLI_FAILED;
  if (r->html && write_file(report, r->html, verify_html) != CLI_OK) rc = CLI_FAILED;
  return verify_is_good(report) ? rc : CLI_FAILED;
}

static int verify(const verify_request *request) {
  verify_report *report = calloc(1, sizeof *report);
  verify_state *bench = calloc(1, sizeof *bench);
  int rc = CLI_FAILED;
  if (!report || !bench) {
    cli_say_failure("no memory for the report");
  } else {
    bench->report = report;
    rc = verify_report_init(report, request);
    if (rc == CLI_OK) rc = execute_verify(bench);
    verify_close(bench);
    verify_report_free(report);
  }
  free(bench);
  free(report);
  return rc;
}

/* ---- options ---- */

static int parse_op(const char *command, const char *text, void *request) {
  verify_request *r = request;
  scan_op_id op = SCAN_ADD;
  const int rc = cli_parse_op(command, text, &op);
  if (rc == CLI_OK) r->ops |= 1u << op;
  return rc;
}

static int parse_strategy(const char *command, const char *text, void *request) {
  verify_request *r = request;
  scan_strategy strategy = SCAN_STRATEGY_AUTO;
  const int rc = cli_parse_strategy(command, text, &strategy);
  if (rc == CLI_OK && strategy == SCAN_STRATEGY_AUTO)
    return cli_usage(command, "--strategy auto is one of the others: name it, or leave the option out for all");
  if (rc == CLI_OK) r->strategies |= 1u << strategy;
  return rc;
}

static int parse_kind(const char *command, const char *text, void *request) {
  verify_request *r = request;
  for (int variant = 0; variant < VARIANT_COUNT; variant++)
    if (strcmp(text, verify_variant_name(variant)) == 0) {
      r->variants |= 1u << variant;
      return CLI_OK;
    }
  return cli_usage(command, "unknown kind '%s': use one of inclusive exclusive init flags keys carry total", text);
}

static int parse_size(const char *command, const char *text, void *request) {
  verify_request *r = request;
  if (r->size_count == VERIFY_MAX_SIZES) return cli_usage(command, "more than %d times --n", VERIFY_MAX_SIZES);
  const int rc = cli_parse_count(command, "--n", text, &r->sizes[r->size_count]);
  if (rc == CLI_OK) r->size_count++;
  return rc;
}

static int parse_soak(const char *command, const char *text, void *request) {
  verify_request *r = request;
  char *end = NULL;
  r->soak_minutes = strtod(text, &end);
  if (end == text || *end || !(r->soak_minutes > 0 && r->soak_minutes <= MOST_MINUTES))
    return cli_usage(command, "--soak '%s' is not a number of minutes, more than 0 and up to %d", text, MOST_MINUTES);
  return CLI_OK;
}

static int parse_line(const char *command, const char *text, verify_request *r) {
  static scan_case one;
  char words[CASE_WORDS_BYTES];
  if (case_from_line(text, &one, words) != 0) return cli_usage(command, "--case: %s", words);
  r->line = &one;
  return CLI_OK;
}

static int parse_case(const char *command, const char *text, void *request) {
  verify_request *r = request;
  if (*text < '0' || *text > '9') return parse_line(command, text, r);
  r->has_case = 1;
  return cli_parse_count(command, "--case", text, &r->one_case);
}

#define AT(field) offsetof(verify_request, field)
static const cli_option options[] = {
  { .name = "device", .kind = CLI_DEVICE, .offset_bytes = AT(devices) },
  { .name = "quick", .kind = CLI_FLAG, .offset_bytes = AT(quick), .value = 1 },
  { .name = "large", .kind = CLI_FLAG, .offset_bytes = AT(large), .value = 1 },
  { .name = "json", .kind = CLI_TEXT, .offset_bytes = AT(json) },
  { .name = "html", .kind = CLI_TEXT, .offset_bytes = AT(html) },
  { .name = "operators", .kind = CLI_FLAG, .offset_bytes = AT(by_operator), .value = 1 },
  { .name = "seed", .kind = CLI_COUNT, .offset_bytes = AT(seed), .most = UINT64_MAX },
  { .name = "type", .kind = CLI_TYPE, .offset_bytes = AT(type) },
  { .name = "input-type", .kind = CLI_TYPE, .offset_bytes = AT(input_type) },
  { .name = "op", .kind = CLI_CALL, .parse = parse_op },
  { .name = "kind", .kind = CLI_CALL, .parse = parse_kind },
  { .name = "strategy", .kind = CLI_CALL, .parse = parse_strategy },
  { .name = "n", .kind = CLI_CALL, .parse = parse_size },
  { .name = "select", .kind = CLI_FLAG, .offset_bytes = AT(select_alone), .value = 1 },
  { .name = "runs", .kind = CLI_FLAG, .offset_bytes = AT(runs_alone), .value = 1 },
  { .name = "sorts", .kind = CLI_FLAG, .offset_bytes = AT(sorts_alone), .value = 1 },
  { .name = "random", .kind = CLI_FLAG, .offset_bytes = AT(random_alone), .value = 1 },
  { .name = "soak", .kind = CLI_CALL, .parse = parse_soak },
  { .name = "threads", .kind = CLI_COUNT, .offset_bytes = AT(threads), .least = 1, .most = 256 },
  { .name = "largest",
    .kind = CLI_COUNT,
    .offset_bytes = AT(largest),
    .least = CASE_LEAST_LARGEST,
    .most = MOST_LARGEST },
  { .name = "cases", .kind = CLI_COUNT, .offset_bytes = AT(most_cases), .least = 1, .most = UINT64_MAX },
  { .name = "may-give-up", .kind = CLI_FLAG, .offset_bytes = AT(may_give_up), .value = 1 },
  { .name = "case", .kind = CLI_CALL, .parse = parse_case },
  { .name = "in-place", .kind = CLI_FLAG, .offset_bytes = AT(in_place), .value = 1 },
  { .name = "out-of-place", .kind = CLI_FLAG, .offset_bytes = AT(out_of_place), .value = 1 },
  { .name = NULL },
};
#undef AT

/** Refuses options that exclude each other. */
static int check_request(const char *command, const verify_request *r) {
  if (r->quick && r->large) return cli_usage(command, "--quick and --large exclude each other");
  if (r->in_place && r->out_of_place) return cli_usage(command, "--in-place and --out-of-place exclude each other");
  if (is_standard_output(r->json) && is_standard_output(r->html))
    return cli_usage(command, "--json - and --html - exclude each other");
  if (r->has_case && verify_select_families_alone(r) != 1)
    return cli_usage(command, "--case is of one family: give --select, --runs, --sorts or --random, too");
  if (r->line && (verify_select_families_alone(r) || r->soak_minutes > 0 || !verify_select_is_wanted(r)))
    return cli_usage(command, "--case LINE has the whole case: leave out the options that choose cases");
  if ((verify_select_families_alone(r) || r->soak_minutes > 0) && !verify_select_is_wanted(r))
    return cli_usage(command,
                     "--select, --runs, --sorts, --random and --soak have no --type, --op, --kind, --strategy, "
                     "--n, --in-place or --out-of-place");
  if (r->largest && !verify_select_families_alone(r) && r->soak_minutes <= 0)
    return cli_usage(command, "--largest is of random cases: give --soak, --select, --runs, --sorts or --random, too");
  if (r->soak_minutes > 0 && r->has_case) return cli_usage(command, "--soak and --case exclude each other");
  if (r->soak_minutes <= 0 && (r->threads || r->most_cases))
    return cli_usage(command, "--threads and --cases need --soak");
  if (r->input_type && !r->type) return cli_usage(command, "--input-type needs --type, that of the sums");
  return CLI_OK;
}

int cmd_verify(int argc, char **argv) {
  verify_request request = { .seed = 1 };
  int rc = cli_parse_options(argc, argv, options, &request);
  if (rc == CLI_HELP) return print_help(), cli_flush_output();
  if (rc == CLI_OK) rc = cli_no_arguments(argc, argv);
  if (rc == CLI_OK) rc = check_request(argv[0], &request);
  if (!request.threads) request.threads = 2;
  if (rc == CLI_OK && !request.devices.count) rc = cli_add_all_devices(&request.devices);
  if (rc == CLI_OK) rc = verify(&request);
  int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}
