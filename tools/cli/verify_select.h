/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file verify_select.h
 * @brief Compaction, run-length encoding, reduction by key, sorts and random scans in `scanrt verify`: random cases,
 * each a function of the seed and its number, on every device. @see tools/cases/case.h
 */
#ifndef SCANRT_CLI_VERIFY_SELECT_H
#define SCANRT_CLI_VERIFY_SELECT_H

#include "verify.h"

/** Results of the random cases. */
typedef struct verify_selections {
  verify_cell cells[CLI_MAX_DEVICES][CASE_BYS][CASE_COLUMNS];
  case_contexts contexts[CLI_MAX_DEVICES];
  uint64_t cases[FAMILIES], elements, bytes; /**< Counts for each device; bytes are read and written. */
} verify_selections;

/* ---- verify_record.c: the request ---- */

/** 1 if the request includes compaction, runs and sorts, which it does unless a filter selects some of the scans. */
int verify_select_is_wanted(const verify_request *request);

/** Returns how many of --select, --runs, --sorts and --random are given. */
int verify_select_families_alone(const verify_request *request);

/** 1 if the request includes a kind: that of its line, or the named ones; else all (random scans only if soaking). */
int verify_select_asks(const verify_request *request, case_family family);

/* ---- verify_select.c ---- */

/** Runs the cases on all devices. @return CLI_OK, even if results are wrong, or CLI_FAILED */
int verify_select_run(verify_state *state);

/** Allocates the counts, before the first case. @return CLI_OK or CLI_FAILED */
int verify_select_open(verify_report *report);

/** Destroys the objects that cases created on a device, before it is closed. */
void verify_select_leave(verify_report *report, int device);

/** Runs one case on all devices. @return as verify_select_run */
int verify_select_case(verify_state *state, case_family family, uint64_t number);

/** Adds the results of another report of the same devices. */
void verify_select_merge(verify_report *report, const verify_report *other);

#endif
