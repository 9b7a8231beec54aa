/* SPDX-License-Identifier: BSD-2-Clause */
/** @file names.c @brief Names of calls, families and report columns. */
#include "case.h"

static const char *const by_names[CASE_BYS] = { [SCAN_SELECT_FLAGS] = "flags",
                                                [SCAN_SELECT_BITS] = "bits",
                                                [SCAN_SELECT_FIRST] = "first",
                                                [SCAN_SELECT_LAST] = "last",
                                                [SCAN_SELECT_PREDICATE] = "predicate",
                                                [CASE_PAIR] = "pair",
                                                [CASE_PARTITION3] = "partition3",
                                                [CASE_RUN_LENGTHS] = "rle",
                                                [CASE_REDUCE] = "reduce-by-key",
                                                [CASE_SORT_KEYS] = "keys",
                                                [CASE_SORT_PAIRS] = "pairs",
                                                [CASE_ARGSORT] = "argsort",
                                                [CASE_HISTOGRAM] = "histogram",
                                                [CASE_SCAN] = "scan",
                                                [CASE_SOURCE] = "source",
                                                [CASE_ARRAY] = "array",
                                                [CASE_STREAM] = "stream",
                                                [CASE_DIFFERENCE] = "difference" };
static const char *const rest_names[CASE_COLUMNS] = {
  [SCAN_REST_DROPPED] = "dropped", [SCAN_REST_BEHIND] = "behind", [SCAN_REST_APART] = "apart"
};
static const char *const sort_columns[CASE_COLUMNS] = { "ascending", "descending" };
static const char *const scan_columns[CASE_COLUMNS] = {
  [SCAN_INCLUSIVE] = "inclusive", [SCAN_EXCLUSIVE] = "exclusive", [SCAN_TOTAL] = "total"
};

static const char *const family_names[FAMILIES] = { "select", "runs", "sorts", "random" };

const char *case_by_name(int by) { return by_names[by]; }

const char *case_column_name(case_family family, int column) {
  if (family == FAMILY_SCANS) return scan_columns[column];
  return (family == FAMILY_SORTS ? sort_columns : rest_names)[column];
}

const char *case_family_name(case_family family) { return family_names[family]; }

case_family case_family_of(uint32_t by) {
  if (by >= CASE_SCAN) return FAMILY_SCANS;
  if (by >= CASE_SORT_KEYS) return FAMILY_SORTS;
  return by >= CASE_RUN_LENGTHS ? FAMILY_RUNS : FAMILY_COMPACTION;
}

uint32_t case_column(const scan_case *c) {
  if (case_family_of(c->by) == FAMILY_SCANS) return (uint32_t)c->scan.spec.kind;
  return case_family_of(c->by) == FAMILY_SORTS ? c->sort.descending : (uint32_t)c->spec.rest;
}
