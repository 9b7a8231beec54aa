/* SPDX-License-Identifier: BSD-2-Clause */
/* SCAN_F16 and SCAN_BF16: stored in 16 bits, scanned in binary32. What turns one into the other is integer arithmetic,
 * in one text for every compiler, or an instruction that does the same, so that it gives the same bits everywhere: to
 * binary32 exactly, back rounded to the nearest, ties to even; NaNs stay NaNs. */
#ifndef SCANRT_HALF_H
#define SCANRT_HALF_H

#include <scanrt/scan.h>

enum { SCAN_HALF_PARTS = 4 };
typedef struct scan_half {
  const char *text[SCAN_HALF_PARTS]; /* the functions below, in C, one part after the other */
  const char *widen;                 /* a map: of uint16_t a float */
  const char *narrow[2];             /* an emit for inclusive scans, and for exclusive ones */
  scan_map_host *widen_host;
  scan_emit_host *narrow_host[2];
  scan_map_loop *widen_loop;
  scan_emit_loop *narrow_loop[2];
} scan_half;

/* NULL: the type is no half. */
const scan_half *scan_half_of(scan_type type);

/* The value of the bits of a half. */
float scan_half_value(scan_type type, uint16_t bits);

#endif
