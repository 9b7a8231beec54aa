/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file case_part.h
 * @brief The part of a case that one rank has: itself a case, with inputs and expected output cut from those of the
 * whole.
 */
#ifndef SCANRT_TESTS_MPI_CASE_PART_H
#define SCANRT_TESTS_MPI_CASE_PART_H

#include <scanrt/scan_mpi_sort.h>

#include "case_marks.h"

/** A case whose elements are distributed over ranks. */
typedef struct case_whole {
  scan_case c; /**< Built; its outputs have room for all results. */
  int ranks;
  uint64_t n;                                /**< Elements that are distributed: of an array those along its axis. */
  uint64_t counts[CASE_CUTS_MOST_PARTS];     /**< Elements of each rank. */
  uint64_t starts[CASE_CUTS_MOST_PARTS + 1]; /**< Elements before each rank's. */
} case_whole;

/** Part of a case. */
typedef struct case_piece {
  scan_case c; /**< Open: case_free frees it. */
  int rank;
  uint64_t seed;                            /**< Random number of the case, the same on all ranks. */
  uint64_t capacity;                        /**< a sort's, as in scan_mpi_sort */
  scan_mpi_part due[SCAN_PARTITION3_PARTS]; /**< The places that the call must give; total 0 and count 0: none. */
  int due_count;                            /**< How many of them. */
} case_piece;

/** Distributes the elements of a case read from a line, and builds it. @return 0, or -1 if memory ran out */
int case_whole_open(case_whole *whole, const scan_case *read, int ranks);
void case_whole_close(case_whole *whole);

/** Makes the part of a rank. @param read  the case as read from its line @return 0, or -1 if memory ran out; call
 * case_free in both cases */
int case_piece_open(const case_whole *whole, const scan_case *read, int rank, case_piece *piece);

/** Replaces bytes of the output that the call may leave in any state by the expected ones. */
void case_piece_settle(case_piece *piece);

#endif
