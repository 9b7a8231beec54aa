/* SPDX-License-Identifier: BSD-2-Clause */
/** @file case_marks.h @brief Groups of a case's scan, and the segment marks of a rank's part of its elements. */
#ifndef SCANRT_TESTS_MPI_CASE_MARKS_H
#define SCANRT_TESTS_MPI_CASE_MARKS_H

#include "scan_parts.h"

/** Returns the elements of a group in the canonical order (kernels_cl/README.md). */
uint64_t case_group_items(const scan_case *c);

/** 1 if ranks refuse a scan of more elements than a group. */
int case_has_one_group(const scan_case *c);

/** A range of a case's elements, and the rank whose marks name the begin of its first segment. */
typedef struct case_range {
  uint64_t first, n;
  int is_first;     /**< 1: no part lies before. */
  int marks_behind; /**< 1, 2: offsets that name a part's first element are given to the part before; 2: also to one
                       that has no elements. */
} case_range;

/** Writes the marks of the elements of a built case, for which case_scan_mark_bytes has room. @return their number */
uint64_t case_put_marks(const scan_case *c, const case_range *range, unsigned char *marks);

#endif
