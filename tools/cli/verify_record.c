/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_record.c @brief Selects the cases of `scanrt verify` and records results: counts, reasons and the
 * first failures. */
#define _POSIX_C_SOURCE 200809L
#include "half.h"
#include "verify.h"
#include "verify_select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the request ---- */

int verify_select_is_wanted(const verify_request *r) {
  return !r->type && !r->input_type && !r->ops && !r->variants && !r->strategies && !r->size_count && !r->in_place &&
         !r->out_of_place;
}

int verify_select_families_alone(const verify_request *r) {
  return r->select_alone + r->runs_alone + r->sorts_alone + r->random_alone;
}

int verify_select_asks(const verify_request *r, case_family family) {
  const int alone[] = { [FAMILY_COMPACTION] = r->select_alone,
                        [FAMILY_RUNS] = r->runs_alone,
                        [FAMILY_SORTS] = r->sorts_alone,
                        [FAMILY_SCANS] = r->random_alone };
  if (r->line) return family == case_family_of(r->line->by);
  if (verify_select_families_alone(r)) return alone[family];
  return family != FAMILY_SCANS || r->soak_minutes > 0;
}

/* ---- rows, columns, cells ---- */

static int any_defined(scan_type type, scan_type input_type) {
  for (int op = SCAN_ADD; op < VERIFY_OPS; op++)
    if (scan_spec_defined(type, input_type, (scan_op_id)op)) return 1;
  return 0;
}

static void add_pair(verify_report *report, scan_type input, scan_type type) {
  const verify_request *r = report->request;
  verify_pair *pair = &report->pairs[report->pair_count];
  if (half_is(input) && input != r->type && input != r->input_type) return; /* only when named */
  if (!any_defined(type, input) || report->pair_count == VERIFY_MAX_PAIRS) return;
  if (r->type && type != r->type) return;
  if (r->input_type ? input != r->input_type : r->type && input != type) return;
  *pair = (verify_pair){ .input = input, .type = type };
  if (type == input)
    snprintf(pair->name, sizeof pair->name, "%s", scan_type_name(type));
  else
    snprintf(pair->name, sizeof pair->name, "%.6s->%.6s", scan_type_name(input), scan_type_name(type));
  report->pair_count++;
}

/** 1 if the request includes a strategy. Textbook scans, which no AUTO chooses, run only if named. */
static int is_wanted(const verify_request *request, scan_strategy strategy) {
  if (request->strategies) return request->strategies >> strategy & 1;
  return strategy == SCAN_STRATEGY_SEQUENTIAL || scan_strategy_is_canonical(strategy);
}

int verify_report_init(verify_report *report, const verify_request *request) {
  const size_t devices = request->devices.count;
  report->request = request;
  report->device_count = (int)devices;
  for (int s = SCAN_STRATEGY_AUTO + 1; scan_strategy_name((scan_strategy)s); s++)
    if (report->strategy_count < VERIFY_MAX_STRATEGIES && is_wanted(request, (scan_strategy)s))
      report->strategies[report->strategy_count++] = (scan_strategy)s;
  for (int input = SCAN_I8;
       input <= SCAN_BF16 && !request->line && !verify_select_families_alone(request) && request->soak_minutes <= 0;
       input++)
    for (int type = SCAN_I8; type <= SCAN_BF16; type++) add_pair(report, (scan_type)input, (scan_type)type);
  const size_t cells = devices * (size_t)report->pair_count * VERIFY_OPS * (size_t)report->strategy_count;
  report->devices = calloc(devices, sizeof *report->devices);
  report->agreement = calloc(devices * devices, sizeof *report->agreement);
  report->cells = calloc(cells ? cells : 1, sizeof *report->cells);
  if (!report->devices || !report->agreement || !report->cells) return cli_fail("no memory for the table");
  for (size_t d = 0; d < devices; d++) report->devices[d].selector = request->devices.selector[d];
  return CLI_OK;
}

void verify_report_free(verify_report *report) {
  free(report->selections);
  free(report->cells);
  free(report->agreement);
  free(report->devices);
}

verify_cell *verify_cell_of(const verify_report *report, int device, int pair, int op, int strategy) {
  const int row = (device * report->pair_count + pair) * VERIFY_OPS + op;
  return &report->cells[row * report->strategy_count + strategy];
}

void verify_add(verify_counts *sum, const verify_counts *more) {
  sum->passed += more->passed;
  sum->failed += more->failed;
  sum->not_applicable += more->not_applicable;
}

verify_cell verify_sum(const verify_report *report, int device, int pair, int op, int strategy) {
  verify_cell sum = { .reason = 0 };
  for (int o = op ? op : SCAN_ADD; o < (op ? op + 1 : VERIFY_OPS); o++) {
    const verify_cell *cell = verify_cell_of(report, device, pair, o, strategy);
    verify_add(&sum.counts, &cell->counts);
    if (!sum.reason) sum.reason = cell->reason;
  }
  return sum;
}

int verify_is_good(const verify_report *report) {
  return report->total.passed && !report->total.failed && !report->disagreements;
}

/* ---- counting ---- */

static int column_of(const verify_report *report, scan_strategy strategy) {
  for (int s = 0; s < report->strategy_count; s++)
    if (report->strategies[s] == strategy) return s;
  return 0;
}

verify_cell *verify_cell_of_case(const verify_report *report, const verify_case *one, int device) {
  return verify_cell_of(report, device, one->pair, (int)one->spec.op, column_of(report, one->spec.strategy));
}

void verify_count_passed(verify_report *report, verify_cell *cell, int device) {
  cell->counts.passed++;
  report->devices[device].total.passed++;
  report->total.passed++;
}

int verify_count_failed(verify_report *report, verify_cell *cell, int device) {
  report->devices[device].total.failed++;
  report->total.failed++;
  return cell->counts.failed++ == 0; /* only a cell's first failure is recorded, to leave room for other cells */
}

int verify_number_of_reason(verify_report *report, const char *reason) {
  for (int i = 0; i < report->reason_count; i++)
    if (strncmp(report->reasons[i], reason, VERIFY_REASON_BYTES - 1) == 0) return i + 1;
  if (report->reason_count == VERIFY_MAX_REASONS) return report->reason_count;
  char *text = report->reasons[report->reason_count++];
  snprintf(text, VERIFY_REASON_BYTES, "%s", report->reason_count < VERIFY_MAX_REASONS ? reason : "other reasons");
  return report->reason_count;
}

void verify_count_refused(verify_report *report, verify_cell *cell, int device, const char *reason) {
  cell->counts.not_applicable++;
  report->devices[device].total.not_applicable++;
  report->total.not_applicable++;
  if (!cell->reason) cell->reason = verify_number_of_reason(report, reason);
}

/* ---- failures ---- */

static uint64_t hash_mix(uint64_t seed, uint64_t value) {
  uint64_t z = (seed ^ value) + 0x9e3779b97f4a7c15u; /* SplitMix64's finaliser (Steele, Lea and Flood, 2014) */
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t verify_seed(const verify_report *report, const verify_case *one) {
  const scan_spec *s = &one->spec;
  const uint64_t kind = (uint64_t)s->input_type << 24 | (uint64_t)s->type << 16 | (uint64_t)s->op << 8 |
                        (uint64_t)one->variant << 4 | (uint64_t)one->in_place;
  return hash_mix(hash_mix(hash_mix(0, report->request->seed), kind), one->n);
}

/** Names a case, such as "i8->i32 add exclusive with init, lookback, n = 31, in place". */
static void name_case(const verify_report *report, const verify_case *one, char *text, size_t bytes) {
  const verify_pair pair = report->pairs[one->pair]; /* text may be in the report */
  snprintf(text, bytes, "%s %s %s, %s, n = %" PRIu64 "%s", pair.name, scan_op_name(one->spec.op),
           verify_variant_words(one->variant), scan_strategy_name(one->spec.strategy), one->n,
           one->in_place ? ", in place" : "");
}

/** Writes the command line that runs only this case. */
static void write_command(const verify_report *report, verify_failure *f) {
  const verify_request *r = report->request;
  const verify_case *c = &f->one;
  char other[128] = "", strategy[64] = "", input[32] = "";
  if (f->other >= 0) {
    snprintf(other, sizeof other, " --device %.90s", report->devices[f->other].selector);
    if (f->other_strategy != c->spec.strategy)
      snprintf(strategy, sizeof strategy, " --strategy %.40s", scan_strategy_name(f->other_strategy));
  }
  if (c->spec.input_type != c->spec.type)
    snprintf(input, sizeof input, " --input-type %s", scan_type_name(c->spec.input_type));
  snprintf(f->command, sizeof f->command,
           "scanrt verify%s --device %s%s --type %s%s --op %s --kind %s --strategy %s%s --n %" PRIu64
           " %s --seed %" PRIu64,
           r->quick   ? " --quick"
           : r->large ? " --large"
                      : "",
           report->devices[f->device].selector, other, scan_type_name(c->spec.type), input, scan_op_name(c->spec.op),
           verify_variant_name(c->variant), scan_strategy_name(c->spec.strategy), strategy, c->n,
           c->in_place ? "--in-place" : "--out-of-place", r->seed);
}

verify_failure *verify_new_failure(verify_report *report, case_family family, int device, int other) {
  if (report->failure_count == VERIFY_MAX_FAILURES) {
    report->failures_left_out++;
    return NULL;
  }
  verify_failure *f = &report->failures[report->failure_count++];
  *f = (verify_failure){ .family = family, .device = device, .other = other };
  return f;
}

/** Makes the failure record of a scan of the table. @return NULL if the records are used up */
static verify_failure *new_failure(verify_report *report, const verify_case *one, int device, int other) {
  verify_failure *f = verify_new_failure(report, FAMILIES, device, other);
  if (!f) return NULL;
  f->one = *one;
  f->n = one->n;
  f->in_place = one->in_place;
  f->seed = verify_seed(report, one);
  name_case(report, one, f->name, sizeof f->name);
  return f;
}

verify_failure *verify_note_failure(verify_report *report, const verify_case *one, int device) {
  if (!verify_count_failed(report, verify_cell_of_case(report, one, device), device)) return NULL;
  verify_failure *f = new_failure(report, one, device, -1);
  if (f) write_command(report, f);
  return f;
}

/** 1 if a disagreement of these two devices about this pair of types and operator is recorded. */
static int is_known(const verify_report *report, const verify_case *one, int device, int other) {
  for (int i = 0; i < report->failure_count; i++) {
    const verify_failure *f = &report->failures[i];
    if (f->family == FAMILIES && f->device == device && f->other == other && f->one.pair == one->pair &&
        f->one.spec.op == one->spec.op)
      return 1;
  }
  return 0;
}

verify_failure *verify_note_disagreement(verify_report *report, const verify_case *one, int device,
                                         const verify_group *other) {
  if (is_known(report, one, device, other->device)) return NULL;
  verify_failure *f = new_failure(report, one, device, other->device);
  if (!f) return NULL;
  f->other_strategy = other->strategy;
  write_command(report, f);
  return f;
}
