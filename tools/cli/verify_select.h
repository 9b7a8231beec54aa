/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file verify_select.h
 * @brief Compaction, run-length encoding, reduction by key, sorts and random scans in `scanrt verify`: random cases,
 * each a function of the seed and its number, on every device. @see tools/cases/case.h
 */
#ifndef SCANRT_CLI_VERIFY_SELECT_H
#define SCANRT_CLI_VERIFY_SELECT_H

#include "verify.h"

/** What was found. */
typedef struct verify_selections {
  verify_cell cells[CLI_MAX_DEVICES][CASE_BYS][CASE_COLUMNS];
  case_contexts contexts[CLI_MAX_DEVICES];
  uint64_t cases[FAMILIES], elements, bytes; /**< Of each device as many; bytes are read and written. */
} verify_selections;

/* ---- verify_record.c: what is asked for ---- */

/** 1 where the request is for compaction, runs and sorts: not where it names some of the scans. */
int verify_select_is_wanted(const verify_request *request);

/** How many of --select, --runs, --sorts and --random there are. */
int verify_select_families_alone(const verify_request *request);

/** 1 where the request is for the cases of a family: of those that are named, or all. */
int verify_select_asks(const verify_request *request, case_family family);

/* ---- verify_select.c ---- */

/** Runs the cases on all devices. @return CLI_OK, also where results are wrong, or CLI_FAILED */
int verify_select_run(verify_lab *lab);

/** Before the first case: the counts. @return CLI_OK or CLI_FAILED */
int verify_select_open(verify_report *report);

/** Destroys what the cases of a device have made, before it is closed. */
void verify_select_leave(verify_report *report, int device);

/** One case on all devices. @return as verify_select_run */
int verify_select_case(verify_lab *lab, case_family family, uint64_t number);

/** Adds what another report, of the same devices, has found. */
void verify_select_merge(verify_report *report, const verify_report *other);

#endif
