/* SPDX-License-Identifier: BSD-2-Clause */
/* SCAN_F16 and SCAN_BF16: stored in 16 bits, scanned in binary32. The conversions give the same bits everywhere: they
 * are integer arithmetic in one text for every compiler, or an equivalent instruction. Widening is exact; narrowing
 * rounds to nearest, ties to even; NaNs stay NaNs. */
#ifndef SCANRT_HALF_H
#define SCANRT_HALF_H

#include <scanrt/scan.h>

enum { SCAN_HALF_PARTS = 4 };
typedef struct scan_half {
  const char *text[SCAN_HALF_PARTS]; /* the functions named below, in C; the parts of one text */
  const char *widen;                 /* name of the map from uint16_t to float */
  const char *narrow[2];             /* names of the emits for inclusive and exclusive scans */
  scan_map_host *widen_host;
  scan_emit_host *narrow_host[2];
  scan_map_loop *widen_loop;
  scan_emit_loop *narrow_loop[2];
} scan_half;

/* Returns the conversions of a half type; NULL: the type is no half. */
const scan_half *scan_half_of(scan_type type);

/* Returns the value of a half. */
float scan_half_value(scan_type type, uint16_t bits);

#endif
