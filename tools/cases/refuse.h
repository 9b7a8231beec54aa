/* SPDX-License-Identifier: BSD-2-Clause */
/** @file refuse.h @brief Helpers of the functions that check lines. */
#ifndef SCANRT_CASES_REFUSE_H
#define SCANRT_CASES_REFUSE_H

#include <scanrt/scan.h>

enum { CASE_LARGEST_BITS = 36 };

/** Returns `words` as the fault if the condition holds. */
#define REFUSE(condition, words)                                                                                       \
  if (condition) return (words)

static inline int case_is_offset_type(scan_type type) { return type == SCAN_U32 || type == SCAN_U64; }

#endif
