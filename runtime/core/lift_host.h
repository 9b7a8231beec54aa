/* SPDX-License-Identifier: BSD-2-Clause */
/* Built-in operators as functions and loops for the host. */
#ifndef SCANRT_LIFT_HOST_H
#define SCANRT_LIFT_HOST_H

#include <scanrt/scan.h>

typedef struct lift_host {
  scan_op_host *combine;
  const scan_op_loops *loops;
  int (*overflows)(const void *a, const void *b); /* of sums and products of integers; else NULL */
  int (*overflows_any)(const void *a, const void *b, uint32_t n);
} lift_host;

/* NULL: the type has no such operator. */
const lift_host *scan_lift_host(scan_type type, scan_op_id op);

/* A widening, as a map; NULL: the types are no such pair. */
typedef struct lift_widening {
  scan_type from, to;
  scan_map_host *map;
  scan_map_loop *loop;
} lift_widening;
const lift_widening *scan_lift_widening(scan_type from, scan_type to);

#endif
