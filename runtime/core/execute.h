/* SPDX-License-Identifier: BSD-2-Clause */
/* The executor: how a checked run becomes launches, between events, with host memory copied in before and out after. */
#ifndef SCANRT_EXECUTE_H
#define SCANRT_EXECUTE_H

#include "core/buffers.h"
#include "core/events.h"
#include "core/plan.h"

typedef struct scan_operation scan_operation;

/* What the executor asks of an operation: scans, compaction, partition, sorts. */
typedef struct scan_operation_ops {
  /* Lists the buffers of the run. */
  void (*list)(scan_operation *op, scan_buffer_list *list);
  /* Launches a run of at least one element; asynchronous. */
  scan_status (*launch)(scan_ctx *ctx, scan_operation *op);
  /* After the run: reads how many elements it kept, for `items`. NULL: nothing is to be read. */
  scan_status (*count)(scan_ctx *ctx, scan_operation *op);
  /* Elements that the run wrote to outputs of that part. */
  uint64_t (*items)(const scan_operation *op, uint32_t part);
  /* 1 if the run can be repeated: its inputs are as they were. NULL: it never waits for other work-groups. */
  int (*is_repeatable)(const scan_operation *op);
  /* Launches the run again, by launches that do not look back. */
  scan_status (*retry)(scan_ctx *ctx, scan_operation *op);
} scan_operation_ops;

/* A checked run. */
struct scan_operation {
  const scan_operation_ops *ops;
  scan_plan *plan;  /* NULL: the run is of no elements, and its counts become 0 */
  void *run;        /* the operation's own: its form and its memory */
  uint64_t n;       /* elements; with n_from, once the executor has read it, no more than that number */
  scan_mem n_from;  /* device memory that has the number of elements; or no memory */
  uint64_t kept[2]; /* elements that `count` has read */
};

/* Runs it between the events. With host memory on another device, waits for the results. */
scan_status scan_execute(scan_ctx *ctx, scan_operation *op, const scan_opencl_events *events);

#endif
