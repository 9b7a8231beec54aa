/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_verify.c @brief `scanrt verify`: the conformance matrix. */
#define _POSIX_C_SOURCE 200809L
#include "number.h"
#include "progress.h"
#include "verify.h"

#include <string.h>

/** Inclusive, exclusive, exclusive from an initial value. */
enum verify_variant { VARIANT_INCLUSIVE, VARIANT_EXCLUSIVE, VARIANT_INIT, VARIANT_COUNT };

enum { OPT_DEVICE = 256, OPT_QUICK, OPT_LARGE, OPT_JSON };

static const struct option options[] = { { "device", required_argument, NULL, OPT_DEVICE },
                                         { "quick", no_argument, NULL, OPT_QUICK },
                                         { "large", no_argument, NULL, OPT_LARGE },
                                         { "json", no_argument, NULL, OPT_JSON },
                                         { "help", no_argument, NULL, 'h' },
                                         { NULL, 0, NULL, 0 } };

static void print_help(void) {
  puts(
      "Usage: scanrt verify [OPTION]...\n"
      "Checks every device, type, operator, kind and strategy, in place and not, against a plain reference in this\n"
      "tool. Floating-point results must have the bits of the canonical order (sequential: of the plain loop).\n"
      "\n"
      "Options:\n"
      "      --device SEL  only this device (may be repeated)\n"
      "      --quick       fewer n, none above 20,000\n"
      "      --large       some million elements as well (not for sequential)\n"
      "      --json        for machines\n"
      "  -h, --help        this text\n"
      "\n"
      "The table has a row for each device and type (a->b: input a, sum b) and a column for each strategy. A strategy\n"
      "that the device does not offer is not applicable; each plan so refused counts once.\n"
      "\n"
      "Examples:\n"
      "  scanrt verify\n"
      "  scanrt verify --quick --device host\n"
      "  scanrt verify --device opencl:0 --json > verify.json\n"
      "\n"
      "Exit status: 0 nothing failed; 1 something failed, or nothing ran; 2 wrong use.");
}

/** Puts an initial value of the type together. */
static scan_value initial_value(scan_type type) {
  scan_value value;
  memset(&value, 0, sizeof value);
  number_parse(type, "3", &value);
  return value;
}

static scan_spec make_spec(scan_type type, scan_type input_type, scan_op_id op, int variant) {
  scan_spec spec = SCAN_SPEC_INIT(type, op, variant == VARIANT_INCLUSIVE ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE);
  spec.input_type = input_type;
  spec.has_init = variant == VARIANT_INIT;
  if (spec.has_init) spec.init = initial_value(type);
  return spec;
}

/** Runs one row: every operator, variant and strategy of a pair of types. */
static int run_row(verify_lab *lab, scan_type type, scan_type input_type, verify_row *row) {
  const verify_report *report = lab->report;
  progress bar;
  int rc = CLI_OK;
  uint64_t done = 0, total = (uint64_t)report->strategy_count * SCAN_XOR * VARIANT_COUNT;
  progress_begin(&bar, row->type, total);
  for (int op = SCAN_ADD; op <= SCAN_XOR; op++)
    for (int variant = 0; variant < VARIANT_COUNT; variant++)
      for (int s = 0; s < report->strategy_count && rc == CLI_OK; s++) {
        progress_set(&bar, done++);
        if (!scan_spec_defined(type, input_type, (scan_op_id)op)) continue;
        verify_subject subject = { make_spec(type, input_type, (scan_op_id)op, variant), &row->cells[s] };
        subject.spec.strategy = report->strategies[s];
        rc = verify_subject_run(lab, &subject);
      }
  progress_end(&bar);
  return rc;
}

/** 1 when any operator takes this pair of types. */
static int any_defined(scan_type type, scan_type input_type) {
  for (int op = SCAN_ADD; op <= SCAN_XOR; op++)
    if (scan_spec_defined(type, input_type, (scan_op_id)op)) return 1;
  return 0;
}

static int run_pair(verify_lab *lab, scan_type type, scan_type input_type) {
  verify_row row = { .device = lab->selector };
  if (!any_defined(type, input_type)) return CLI_OK;
  if (type == input_type)
    snprintf(row.type, sizeof row.type, "%s", scan_type_name(type));
  else
    snprintf(row.type, sizeof row.type, "%s->%s", scan_type_name(input_type), scan_type_name(type));
  int rc = run_row(lab, type, input_type, &row);
  verify_report_row(lab->report, &row);
  return rc;
}

static int run_device(verify_lab *lab) {
  int rc = verify_lab_open(lab);
  if (rc != CLI_OK) return rc;
  for (int input = SCAN_I8; input <= SCAN_F64 && rc == CLI_OK; input++)
    for (int type = SCAN_I8; type <= SCAN_F64 && rc == CLI_OK; type++)
      rc = run_pair(lab, (scan_type)type, (scan_type)input);
  verify_lab_close(lab);
  return rc;
}

static void list_strategies(verify_report *report) {
  for (int s = SCAN_STRATEGY_AUTO + 1; scan_strategy_name((scan_strategy)s); s++) {
    /* The gallery, whose orders are its own, is not what programs run on. */
    if (s != SCAN_STRATEGY_SEQUENTIAL && !scan_strategy_is_canonical((scan_strategy)s)) continue;
    if (report->strategy_count < VERIFY_MAX_STRATEGIES) report->strategies[report->strategy_count++] = (scan_strategy)s;
  }
}

/** Runs all devices. @return CLI_OK when nothing failed and something ran */
static int run_devices(const cli_devices *devices, verify_lab *lab) {
  int rc = CLI_OK;
  list_strategies(lab->report);
  verify_report_begin(lab->report);
  for (size_t d = 0; d < devices->count; d++) {
    lab->selector = devices->selector[d];
    if (run_device(lab) != CLI_OK) rc = CLI_FAILED;
  }
  verify_report_end(lab->report);
  if (lab->report->total.failed || !lab->report->total.passed) rc = CLI_FAILED;
  return rc;
}

int cmd_verify(int argc, char **argv) {
  cli_devices devices = { .count = 0 };
  verify_report report = { .json = { .file = stdout } };
  verify_lab lab = { .report = &report };
  int rc = CLI_OK;
  for (int c; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1 && rc == CLI_OK;) {
    switch (c) {
    case OPT_DEVICE: rc = cli_add_device(argv[0], &devices, optarg); break;
    case OPT_QUICK: lab.quick = 1; break;
    case OPT_LARGE: lab.large = 1; break;
    case OPT_JSON: report.as_json = 1; break;
    case 'h': return print_help(), cli_flush_output();
    default: rc = cli_usage_getopt(c, argv, options);
    }
  }
  if (rc == CLI_OK) rc = cli_no_arguments(argc, argv);
  if (rc == CLI_OK && lab.quick && lab.large) rc = cli_usage(argv[0], "--quick and --large exclude each other");
  if (rc == CLI_OK && !devices.count) rc = cli_add_all_devices(&devices);
  if (rc == CLI_OK) rc = run_devices(&devices, &lab);
  int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}
