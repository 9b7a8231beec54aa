/* SPDX-License-Identifier: BSD-2-Clause */
/* The executor: launches a checked run between its events, and copies host memory in before and out after it. */
#ifndef SCANRT_EXECUTE_H
#define SCANRT_EXECUTE_H

#include "core/buffers.h"
#include "core/events.h"
#include "core/plan.h"

typedef struct scan_operation scan_operation;

/* The functions of an operation (scan, compaction, partition, sort) that the executor calls. */
typedef struct scan_operation_ops {
  /* Lists the buffers of the run. */
  void (*list)(scan_operation *op, scan_buffer_list *list);
  /* Launches a run of at least one element; asynchronous. */
  scan_status (*launch)(scan_ctx *ctx, scan_operation *op);
  /* Reads how many elements the run kept, for `items`. NULL: the operation has no such number. */
  scan_status (*count)(scan_ctx *ctx, scan_operation *op);
  /* The number of items that the run wrote to outputs of that part. */
  uint64_t (*items)(const scan_operation *op, uint32_t part);
  /* 1 if the run can be repeated because it leaves its inputs unchanged. NULL: runs are never repeated. */
  int (*is_repeatable)(const scan_operation *op);
  /* Launches the run again, without look-back. */
  scan_status (*retry)(scan_ctx *ctx, scan_operation *op);
} scan_operation_ops;

/* A checked run. */
struct scan_operation {
  const scan_operation_ops *ops;
  scan_plan *plan;  /* NULL: the run has no elements, and its counts become 0 */
  void *run;        /* the operation's own data: its form and its memory */
  uint64_t n;       /* number of elements; the executor lowers it to n_from's number when it reads that */
  scan_mem n_from;  /* device memory that holds the number of elements; or no memory */
  uint64_t kept[2]; /* numbers of kept elements that `count` has read */
};

/* Executes a run between the events. If host memory is staged, waits for the results. */
scan_status scan_execute(scan_ctx *ctx, scan_operation *op, const scan_opencl_events *events);

#endif
