/* SPDX-License-Identifier: BSD-2-Clause */
/* Built-in operators as functions and loops for the host. */
#ifndef SCANRT_BUILTIN_SOURCE_HOST_H
#define SCANRT_BUILTIN_SOURCE_HOST_H

#include <scanrt/scan.h>

typedef struct builtin_source_host {
  scan_op_host *combine;
  const scan_op_loops *loops;
  int (*overflows)(const void *a, const void *b); /* 1 if combining a and b overflows; NULL but for integer sums and
                                                     products */
  int (*overflows_any)(const void *a, const void *b, uint32_t n); /* 1 if one of n pairs overflows; or NULL */
} builtin_source_host;

/* The functions of a built-in operator; NULL if the type has no such operator. */
const builtin_source_host *scan_builtin_source_host(scan_type type, scan_op_id op);

/* A conversion to a wider type, as a map. */
typedef struct builtin_widening {
  scan_type from, to;
  scan_map_host *map;
  scan_map_loop *loop;
} builtin_widening;

/* The conversion between two types; NULL if sums do not widen one to the other. */
const builtin_widening *scan_builtin_widening(scan_type from, scan_type to);

#endif
