/* SPDX-License-Identifier: BSD-2-Clause */
/* Partition into three parts: two compactions, of which the second one goes over what the first one has left, in place.
 * How much that is, the first one leaves in its plan's workspace. */
#ifndef SCANRT_PARTITION_H
#define SCANRT_PARTITION_H

#include <scanrt/scan_partition.h>

#include "core/select_run.h"

/* Both compactions' forms. */
typedef struct scan_partition_forms {
  scan_select_form pass[2];
} scan_partition_forms;

/* The memory of a run, checked. */
typedef struct scan_partition_run {
  scan_select_run pass[2];
  scan_mem counts; /* as the caller named it, of the backend's unless it is staged; or none */
} scan_partition_run;

scan_status scan_partition_spec_check(scan_ctx *ctx, const scan_partition3_spec *given, scan_partition_forms *forms);
scan_status scan_partition_args_check(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t n,
                                      const scan_partition3_args *given, int stageable, scan_partition_run *run);

/* A plan whose `each` is that of the second compaction. */
scan_status scan_partition_plan_make(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t max_n,
                                     scan_plan **result);

/* A run over device memory, by those plans; and one over memory of which some is the host's, which waits. */
scan_status scan_partition_go(scan_ctx *ctx, scan_plan *first, scan_plan *second, scan_partition_run *run);
scan_status scan_partition_go_staged(scan_ctx *ctx, const scan_partition_forms *forms, scan_partition_run *run);

/* Whether some of the memory is the host's, and the device is not. */
int scan_partition_is_staged(const scan_ctx *ctx, const scan_partition_forms *forms, const scan_partition_run *run);

#endif
