/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file verify.h
 * @brief The parts of `scanrt verify`: the same cases on every device, their counts, the reports.
 *
 * A case is an input and what to do with it. Every device and strategy gets the same input; each result is compared
 * with the reference, and with the results of the other devices.
 */
#ifndef SCANRT_CLI_VERIFY_H
#define SCANRT_CLI_VERIFY_H

#include <stdint.h>

#include "case.h"
#include "cli.h"
#include "json.h"

enum {
  VERIFY_MAX_STRATEGIES = 32,
  VERIFY_MAX_PAIRS = 32,
  VERIFY_OPS = SCAN_XOR + 1, /**< Operators, and the unused number 0. */
  VERIFY_MAX_SIZES = 32,
  VERIFY_GUARD_BYTES = 64,  /**< Before the elements of a buffer, and after. */
  VERIFY_MAX_FAILURES = 64, /**< Kept in full; the rest is only counted. */
  VERIFY_MAX_REASONS = 32,
  VERIFY_REASON_BYTES = 400,
  VERIFY_COMMAND_BYTES = 800,
};

/** Inclusive, exclusive, exclusive from an initial value; inclusive in segments by flags, exclusive in segments by keys
 * of i32, inclusive from a carry to a carry, and the total alone. */
enum verify_variant {
  VARIANT_INCLUSIVE,
  VARIANT_EXCLUSIVE,
  VARIANT_INIT,
  VARIANT_FLAGS,
  VARIANT_KEYS,
  VARIANT_CARRY,
  VARIANT_TOTAL,
  VARIANT_COUNT
};

/** What the command line asks for. Of a filter, 0 bits or counts mean everything. */
typedef struct verify_request {
  cli_devices devices;
  int quick, large;
  int by_operator;         /**< 1: the table has a row for each operator. */
  const char *json, *html; /**< Files, or NULL; "-" is standard output. */
  uint64_t seed;
  scan_type type, input_type;
  unsigned ops, strategies, variants; /**< Bits by number. */
  uint64_t sizes[VERIFY_MAX_SIZES];
  int size_count;
  int in_place, out_of_place;
  int select_alone;      /**< 1: compaction, and no scans. */
  int runs_alone;        /**< 1: runs of equal keys, likewise. */
  int sorts_alone;       /**< 1: sorts. */
  int random_alone;      /**< 1: random scans, which nothing else asks for but a soak. */
  int has_case;          /**< 1: of one of these, only the case of this number. */
  const scan_case *line; /**< Only this case; NULL: no line is given. */
  uint64_t one_case;
  double soak_minutes; /**< Of a soak; 0: none. */
  uint64_t threads;    /**< Of a soak. */
  uint64_t most_cases; /**< Of a soak; 0: as many as there is time for. */
  uint64_t largest;    /**< Elements of the random cases that may be large; 0: none may be. */
  int may_give_up;     /**< 1: SCAN_NO_PROGRESS is no failure. */
} verify_request;

/** How many cases ended how. A plan that is refused as unsupported counts once. */
typedef struct verify_counts {
  uint64_t passed;
  uint64_t failed;
  uint64_t not_applicable;
} verify_counts;

/** One device, pair of types, operator and strategy. */
typedef struct verify_cell {
  verify_counts counts;
  int reason; /**< Why cases were not applicable: its number from 1 on. */
} verify_cell;

/** Input and result type of a row. */
typedef struct verify_pair {
  scan_type input, type;
  char name[16]; /**< "i32", or "i8->i32". */
} verify_pair;

/** What was asked of a device. */
typedef struct verify_case {
  scan_spec spec; /**< Its strategy is that of the run. */
  int pair, variant;
  uint64_t n;
  int in_place;
} verify_case;

/** A result that is wrong, or a call that failed. */
typedef struct verify_failure {
  case_family family; /**< FAMILIES: a scan of the table, `one`. */
  verify_case one;
  int device;
  int other;                    /**< The device that it disagrees with; -1: wrong by the reference, or failed. */
  scan_strategy other_strategy; /**< Its strategy there, of a scan of the table. */
  uint64_t n, seed;             /**< Of the input. */
  int in_place;
  int has_element; /**< 1: an element differs, and the next three say which and how. */
  uint64_t at;
  char expected[64], found[64]; /**< Value and bits; of a disagreement, the other device's is `expected`. */
  char name[CASE_LINE_BYTES];   /**< The case, in words or as --case has it. */
  char words[320];
  char command[VERIFY_COMMAND_BYTES]; /**< Repeats the case. */
} verify_failure;

/** Two devices: in how many cases both had a result, and in how many of those the results differed. */
typedef struct verify_agreement {
  uint64_t compared;
  uint64_t different;
} verify_agreement;

/** One device of the run. */
typedef struct verify_device {
  const char *selector;
  scan_device_info info;
  scan_ctx *ctx; /**< NULL: it could not be opened, or was lost. */
  scan_mem in, out;
  scan_mem marks;                          /**< Flags or keys of segments. */
  scan_mem carry;                          /**< An element to begin from, and one that is left. */
  scan_plan *plans[VERIFY_MAX_STRATEGIES]; /**< Of the current operator and variant. */
  uint64_t plan_n[VERIFY_MAX_STRATEGIES];
  verify_counts total;
} verify_device;

/** What was found. */
typedef struct verify_report {
  const verify_request *request;
  verify_device *devices;
  int device_count;
  scan_strategy strategies[VERIFY_MAX_STRATEGIES]; /**< The columns. */
  int strategy_count;
  verify_pair pairs[VERIFY_MAX_PAIRS]; /**< The rows of a device. */
  int pair_count;
  verify_cell *cells;          /**< See verify_cell_of. */
  verify_agreement *agreement; /**< device_count squared; [a * device_count + b] with a < b. */
  verify_counts total;
  uint64_t disagreements;
  verify_failure failures[VERIFY_MAX_FAILURES];
  int failure_count;
  uint64_t failures_left_out;
  char reasons[VERIFY_MAX_REASONS][VERIFY_REASON_BYTES];
  int reason_count;
  struct verify_selections
      *selections;       /**< What compaction, runs and sorts gave; NULL: left out. @see verify_select.h */
  double soaked_seconds; /**< How long a soak took; 0: there was none. */
} verify_report;

/** Results of one case that had the same bits. */
enum { VERIFY_MAX_GROUPS = 3 };
typedef struct verify_group {
  unsigned char *bits;
  int device;
  scan_strategy strategy;
} verify_group;

/** Buffers of the host for the largest case: as many for 64 devices as for one. */
typedef struct verify_lab {
  verify_report *report;
  uint64_t max_n;
  unsigned char *in;  /**< Guard, elements. */
  unsigned char *out; /**< Guards, elements, guards. */
  unsigned char *expected;
  uint8_t *heads;                         /**< Not 0 where a segment begins. */
  int32_t *marks;                         /**< Flags or keys. */
  verify_group groups[VERIFY_MAX_GROUPS]; /**< `bits` of the first is always there, of the others once needed. */
  int group_count;
} verify_lab;

/* ---- verify_case.c ---- */

/** Opens the devices and allocates. A device that cannot be opened is a failure and left out. @return CLI_OK when there
 *  is memory for the host's buffers */
int verify_open(verify_lab *lab);
void verify_close(verify_lab *lab);

/** Opens one device and allocates on it. @return CLI_OK or CLI_FAILED, with the reason on standard error */
int verify_open_device(const verify_lab *lab, verify_device *d);

/** A device that is no longer asked. */
void verify_lose_device(verify_device *d);

/** Runs every variant, n and strategy of an operator of a pair on all devices. */
void verify_run(verify_lab *lab, int pair, scan_op_id op);

/* ---- verify_variant.c: what is not a scan from end to end ---- */

enum { VERIFY_CARRY_BYTES = 8 };

/** 1 when a variant of an operator of a pair is to run: of segments, carries and totals, sums of i32 and f32, and what
 *  --kind names. */
int verify_wants(const verify_request *request, const verify_pair *pair, scan_op_id op, int variant);
scan_spec verify_spec(const verify_pair *pair, scan_op_id op, int variant);

/** Completes the spec for a device's plan. @return 0 when the variant has none for the strategy */
int verify_place(const verify_device *d, int variant, scan_spec *spec);

/** Adds the marks and the carries of a variant to the memory of a run. */
void verify_args(const verify_lab *lab, const verify_device *d, int variant, scan_args *args);

/** Makes the segments of a case. */
void verify_fill_marks(const verify_lab *lab, const verify_case *c, uint64_t seed);

/** Elements of the output. */
uint64_t verify_out_items(const verify_case *c);

/** Writes marks and carry to the device, before the scan. */
scan_status verify_write_marks(const verify_lab *lab, const verify_case *c, const verify_device *d);

/** Reads the carry that was left. @param[out] left VERIFY_CARRY_BYTES; untouched where the case has none */
scan_status verify_read_carry(const verify_case *c, const verify_device *d, unsigned char *left);

/** The reference of a case. */
void verify_expect(const verify_lab *lab, const verify_case *c, int sequential);

/** 1 when the carry is what it must be. @param expected the case's expected output */
int verify_carry_is_right(const verify_case *c, const unsigned char *expected, const unsigned char *left);

/** "inclusive", ...: as --kind has them, and in words. */
const char *verify_variant_name(int variant);
const char *verify_variant_words(int variant);

/* ---- verify_record.c: what is kept ---- */

verify_cell *verify_cell_of(const verify_report *report, int device, int pair, int op, int strategy);

/** Allocates and lists rows and columns. @return CLI_OK or CLI_FAILED */
int verify_report_init(verify_report *report, const verify_request *request);
void verify_report_free(verify_report *report);

/** The cell of a case's plan. */
verify_cell *verify_cell_of_case(const verify_report *report, const verify_case *one, int device);

/** Count a case in its cell, for its device and in all. @return 1 where it is the cell's first failure */
void verify_count_passed(verify_report *report, verify_cell *cell, int device);
void verify_count_refused(verify_report *report, verify_cell *cell, int device, const char *reason);
int verify_count_failed(verify_report *report, verify_cell *cell, int device);

/** A record of the first failure of a cell, or of a disagreement, to fill in; NULL: there are too many. */
verify_failure *verify_new_failure(verify_report *report, case_family family, int device, int other);

/** Adds counts. */
void verify_add(verify_counts *sum, const verify_counts *more);

/** The number of a reason, from 1 on; when there are too many, the last one stands for the rest. */
int verify_number_of_reason(verify_report *report, const char *reason);

/** Counts the failure of a scan of the table, and gives the record to fill in words and elements: NULL when the cell
 * has one already. */
verify_failure *verify_note_failure(verify_report *report, const verify_case *one, int device);

/** The same for two devices that disagree; only recorded. */
verify_failure *verify_note_disagreement(verify_report *report, const verify_case *one, int device,
                                         const verify_group *other);

/** Seed of a case's input: a function of the case and the run's seed alone. */
uint64_t verify_seed(const verify_report *report, const verify_case *one);

/** Sums a cell over the operators of a pair. @param op 0: over all */
verify_cell verify_sum(const verify_report *report, int device, int pair, int op, int strategy);

/** 1 when nothing failed, nothing disagrees and something passed. */
int verify_is_good(const verify_report *report);

/* ---- verify_soak.c ---- */

/** Runs random cases of all families from several threads, each with contexts of its own, until the time is over.
 *  @return CLI_OK, also where results are wrong, or CLI_FAILED */
int verify_soak(verify_lab *lab);

/** What was done, in a line; and as members of the report. */
void verify_soak_text(const verify_report *report);
void verify_soak_json(json *j, const verify_report *report);

/* ---- reports ---- */

void verify_text_head(const verify_report *report);
void verify_text_pair(const verify_report *report, int pair);
void verify_text_families(const verify_report *report); /**< Tables of compaction, runs, sorts and random scans. */
void verify_text_end(const verify_report *report);
void verify_json(const verify_report *report, FILE *file);
void verify_html(const verify_report *report, FILE *file);

#endif
