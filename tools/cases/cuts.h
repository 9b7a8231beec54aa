/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cuts.h @brief Distributions of a case's elements over ranks. */
#ifndef SCANRT_CASES_CUTS_H
#define SCANRT_CASES_CUTS_H

#include <stdint.h>

/** How n elements are distributed over parts. */
typedef enum case_cuts {
  CASE_CUTS_NONE,   /**< There are no parts. */
  CASE_CUTS_EVEN,   /**< The sizes of parts differ by one at most. */
  CASE_CUTS_RANDOM, /**< Each cut is anywhere. */
  CASE_CUTS_EDGES,  /**< Each cut is within two elements of a multiple of a unit. */
  CASE_CUTS_ONE,    /**< One part has all. */
  CASE_CUTS_SINGLE, /**< Parts but one have one element or none. */
  CASE_CUTS_FEW,    /**< Most parts have none, the others random numbers. */
  CASE_CUTS_KINDS
} case_cuts;

/** How sorted elements are distributed over ranks; the numbers of scan_mpi_distribution. */
typedef enum case_results { CASE_RESULTS_AS_GIVEN, CASE_RESULTS_EVEN, CASE_RESULTS_BY_KEY } case_results;

enum { CASE_CUTS_MOST_PARTS = 256 };

/** Returns the name of a distribution: a value of the field `cuts`. */
const char *case_cuts_name(case_cuts cuts);

/** Distributes n elements over parts. @param parts  1 to CASE_CUTS_MOST_PARTS @param unit  of CASE_CUTS_EDGES; 0: cuts
 * are anywhere @param[out] counts  elements of each part */
void case_cut(case_cuts cuts, uint64_t seed, int parts, uint64_t n, uint64_t unit, uint64_t *counts);

#endif
