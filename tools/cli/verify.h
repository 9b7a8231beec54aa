/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file verify.h
 * @brief The parts of `scanrt verify`: runs the same cases on every device, counts and reports the results.
 *
 * A case is an input and a call. Every device and strategy gets the same input; each result is compared with the
 * reference and with the results of the other devices.
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
  VERIFY_OPS = SCAN_XOR + 1, /**< Number of operators, with the unused number 0. */
  VERIFY_MAX_SIZES = 32,
  VERIFY_GUARD_BYTES = 64,  /**< Guard bytes before and behind the elements of a buffer. */
  VERIFY_MAX_FAILURES = 64, /**< Failures kept in full; further ones are only counted. */
  VERIFY_MAX_REASONS = 32,
  VERIFY_REASON_BYTES = 400,
  VERIFY_COMMAND_BYTES = 800,
};

/** Variants of a scan: inclusive; exclusive; exclusive with an initial value; inclusive in segments by flags;
 * exclusive in segments by i32 keys; inclusive with an input and an output carry; total only. */
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

/** The parsed command line. A filter with 0 bits or counts accepts everything. */
typedef struct verify_request {
  cli_devices devices;
  int quick, large;
  int by_operator;         /**< 1: the table has a row for each operator. */
  const char *json, *html; /**< Output files; NULL: none; "-": standard output. */
  uint64_t seed;
  scan_type type, input_type;
  unsigned ops, strategies, variants; /**< Bits by number. */
  uint64_t sizes[VERIFY_MAX_SIZES];
  int size_count;
  int in_place, out_of_place;
  int select_alone;      /**< 1: only compaction. */
  int runs_alone;        /**< 1: only runs of equal keys. With several of these flags, only the named families run. */
  int sorts_alone;       /**< 1: only sorts. */
  int random_alone;      /**< 1: only random scans, which otherwise run in a soak only. */
  int has_case;          /**< 1: only case number `one_case` of the named family. */
  const scan_case *line; /**< The only case to run; NULL: not given. */
  uint64_t one_case;
  double soak_minutes; /**< Minutes of a soak; 0: no soak. */
  uint64_t threads;    /**< Threads of a soak. */
  uint64_t most_cases; /**< Largest number of cases in a soak; 0: no limit. */
  uint64_t largest;    /**< Elements of random cases that may be large; 0: none may be. */
  int may_give_up;     /**< 1: SCAN_NO_PROGRESS does not count as a failure. */
} verify_request;

/** Numbers of cases by result. A plan refused as unsupported counts once. */
typedef struct verify_counts {
  uint64_t passed;
  uint64_t failed;
  uint64_t not_applicable;
} verify_counts;

/** Results for one device, pair of types, operator and strategy. */
typedef struct verify_cell {
  verify_counts counts;
  int reason; /**< Number of the reason why cases were not applicable, from 1. */
} verify_cell;

/** Input and result type of a table row. */
typedef struct verify_pair {
  scan_type input, type;
  char name[16]; /**< "i32", or "i8->i32". */
} verify_pair;

/** One call on a device. */
typedef struct verify_case {
  scan_spec spec; /**< Its strategy is the one that runs. */
  int pair, variant;
  uint64_t n;
  int in_place;
} verify_case;

/** A wrong result or a failed call. */
typedef struct verify_failure {
  case_family family; /**< FAMILIES: a scan of the table, described by `one`. */
  verify_case one;
  int device;
  int other; /**< The device with a different result; -1: the reference differs, or the call failed. */
  scan_strategy other_strategy; /**< Strategy of the other device, for a scan of the table. */
  uint64_t n, seed;             /**< n and seed of the input. */
  int in_place;
  int has_element; /**< 1: an element differs; the next three fields describe it. */
  uint64_t at;
  char expected[64], found[64]; /**< Value and bits. In a disagreement `expected` is the other device's. */
  char name[CASE_LINE_BYTES];   /**< The case, in words or as for --case. */
  char words[320];
  char command[VERIFY_COMMAND_BYTES]; /**< Command that repeats the case. */
} verify_failure;

/** Comparison of two devices: cases in which both had a result, and those whose results differed. */
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
  scan_mem carry;                          /**< An input carry and an output carry. */
  scan_plan *plans[VERIFY_MAX_STRATEGIES]; /**< Plans of the current operator and variant. */
  uint64_t plan_n[VERIFY_MAX_STRATEGIES];
  verify_counts total;
} verify_device;

/** The results of a run. */
typedef struct verify_report {
  const verify_request *request;
  verify_device *devices;
  int device_count;
  scan_strategy strategies[VERIFY_MAX_STRATEGIES]; /**< Columns of the table. */
  int strategy_count;
  verify_pair pairs[VERIFY_MAX_PAIRS]; /**< Table rows of a device. */
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
      *selections;       /**< Results of compaction, runs and sorts; NULL: not run. @see verify_select.h */
  double soaked_seconds; /**< Duration of a soak; 0: no soak. */
} verify_report;

/** Devices whose results of one case had equal bits. */
enum { VERIFY_MAX_GROUPS = 3 };
typedef struct verify_group {
  unsigned char *bits;
  int device;
  scan_strategy strategy;
} verify_group;

/** Host buffers for the largest case; their number does not depend on the number of devices. */
typedef struct verify_state {
  verify_report *report;
  uint64_t max_n;
  unsigned char *in;  /**< A guard, then elements. */
  unsigned char *out; /**< A guard, elements, a guard. */
  unsigned char *expected;
  uint8_t *segment_flags; /**< Not 0 where a segment begins. */
  int32_t *marks;         /**< Flags or keys of segments. */
  /** `bits` of the first group is always allocated, that of others when needed. */
  verify_group groups[VERIFY_MAX_GROUPS];
  int group_count;
} verify_state;

/* ---- verify_case.c ---- */

/** Opens the devices and allocates the buffers. A device that cannot be opened counts as a failure and is skipped.
 * @return CLI_OK if there is memory for the host's buffers */
int verify_open(verify_state *state);
void verify_close(verify_state *state);

/** Opens one device and allocates on it. @return CLI_OK or CLI_FAILED, with the reason on standard error */
int verify_open_device(const verify_state *state, verify_device *d);

/** Closes a device that is not used any more. */
void verify_lose_device(verify_device *d);

/** Runs every variant, n and strategy of an operator and a pair of types on all devices. */
void verify_run(verify_state *state, int pair, scan_op_id op);

/* ---- verify_variant.c: variants beyond a plain scan ---- */

enum { VERIFY_CARRY_BYTES = 8 };

/** 1 if a variant of an operator and a pair is to run. --kind selects variants; without it segments, carries and totals
 * run only for sums of i32 and f32. */
int verify_wants(const verify_request *request, const verify_pair *pair, scan_op_id op, int variant);
scan_spec verify_spec(const verify_pair *pair, scan_op_id op, int variant);

/** Completes the spec for a device's plan. @return 0 if the strategy does not support the variant */
int verify_place(const verify_device *d, int variant, scan_spec *spec);

/** Adds marks and carries of a variant to the arguments of a run. */
void verify_args(const verify_state *state, const verify_device *d, int variant, scan_args *args);

/** Fills the segments of a case. */
void verify_fill_marks(const verify_state *state, const verify_case *c, uint64_t seed);

/** Returns the number of output elements. */
uint64_t verify_out_items(const verify_case *c);

/** Writes marks and input carry to the device, before the scan. */
scan_status verify_write_marks(const verify_state *state, const verify_case *c, const verify_device *d);

/** Reads the output carry. @param[out] left  VERIFY_CARRY_BYTES; unchanged if the case has no carry */
scan_status verify_read_carry(const verify_case *c, const verify_device *d, unsigned char *left);

/** Computes the reference of a case. */
void verify_expect(const verify_state *state, const verify_case *c, int sequential);

/** 1 if the output carry is right. @param expected  the case's expected output */
int verify_carry_is_right(const verify_case *c, const unsigned char *expected, const unsigned char *left);

/** Returns the variant's name, as for --kind. */
const char *verify_variant_name(int variant);
/** Returns the variant's name in words. */
const char *verify_variant_words(int variant);

/* ---- verify_record.c: recorded results ---- */

/** Returns the cell of a device, pair, operator and strategy. */
verify_cell *verify_cell_of(const verify_report *report, int device, int pair, int op, int strategy);

/** Allocates the cells; lists rows and columns. @return CLI_OK or CLI_FAILED */
int verify_report_init(verify_report *report, const verify_request *request);
void verify_report_free(verify_report *report);

/** Returns the cell of a case's plan. */
verify_cell *verify_cell_of_case(const verify_report *report, const verify_case *one, int device);

/** Counts a passed case in its cell, for its device and in the total. */
void verify_count_passed(verify_report *report, verify_cell *cell, int device);
/** Counts a refused case. @param reason  words of the refusal */
void verify_count_refused(verify_report *report, verify_cell *cell, int device, const char *reason);
/** Counts a failed case. @return 1 if it is the cell's first failure */
int verify_count_failed(verify_report *report, verify_cell *cell, int device);

/** Returns a record for the first failure of a cell, or for a disagreement, which the caller fills; NULL: the
 * records are used up. */
verify_failure *verify_new_failure(verify_report *report, case_family family, int device, int other);

/** Adds `more` to `sum`. */
void verify_add(verify_counts *sum, const verify_counts *more);

/** Returns the number of a reason, from 1. When there are too many, the last number stands for all further ones. */
int verify_number_of_reason(verify_report *report, const char *reason);

/** Counts a failed scan of the table and returns a record, of which the caller fills words and elements; NULL: the
 * cell has one already. */
verify_failure *verify_note_failure(verify_report *report, const verify_case *one, int device);

/** Returns a record of a disagreement between two devices, without counting a failure. @see verify_note_failure */
verify_failure *verify_note_disagreement(verify_report *report, const verify_case *one, int device,
                                         const verify_group *other);

/** Returns the seed of a case's input: a function of the case and the run's seed. */
uint64_t verify_seed(const verify_report *report, const verify_case *one);

/** Sums a cell over the operators of a pair. @param op  0: over all operators */
verify_cell verify_sum(const verify_report *report, int device, int pair, int op, int strategy);

/** 1 if nothing failed, nothing disagrees and something passed. */
int verify_is_good(const verify_report *report);

/* ---- verify_soak.c ---- */

/** Runs random cases of all families on several threads, each with its own contexts, until the time is over. @return
 * CLI_OK, even if results are wrong, or CLI_FAILED */
int verify_soak(verify_state *state);

/** Prints a line about the soak. */
void verify_soak_text(const verify_report *report);
/** Writes the soak as members of the report. */
void verify_soak_json(json *j, const verify_report *report);

/* ---- reports ---- */

void verify_text_head(const verify_report *report);
void verify_text_pair(const verify_report *report, int pair);
void verify_text_families(const verify_report *report); /**< Tables of compaction, runs, sorts and random scans. */
void verify_text_end(const verify_report *report);
void verify_json(const verify_report *report, FILE *file);
void verify_html(const verify_report *report, FILE *file);

#endif
