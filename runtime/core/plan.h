/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_PLAN_H
#define SCANRT_PLAN_H

#include "core/context.h"
#include "strategy/strategy.h"

/* The named regions of a plan's workspace. The table in regions.c says who writes each, and when. */
typedef enum scan_region_id {
  SCAN_REGION_STRATEGY, /* first: the kernels' `workspace` */
  SCAN_REGION_CARRY,
  SCAN_REGION_COUNT,
  SCAN_REGION_SEED,
  SCAN_REGION_FLAG_BITS,
  SCAN_REGION_CHECKS,
  SCAN_REGION_N_OVERFLOW,
  SCAN_REGION_SCRATCH,
  SCAN_REGION_PLACES,
  SCAN_REGION_RUN_STARTS,
  SCAN_REGION_VALUES,
  SCAN_REGION_LEFT,
  SCAN_REGION_DIGITS,
  SCAN_REGION_KEYS,
  SCAN_REGION_KEYS_SPARE,
  SCAN_REGION_INDICES,
  SCAN_REGION_BUCKETS,
  SCAN_REGIONS
} scan_region_id;

typedef struct scan_region {
  uint64_t at, bytes; /* 0 bytes: the plan does not have the region */
} scan_region;

/* A kernel that the plan needs for at least one n. Its name, type and tile size identify it within the plan. */
typedef struct scan_plan_kernel {
  const char *name;
  scan_type type;
  uint32_t subtiles;
  scan_kernel *kernel;
} scan_plan_kernel;

enum { SCAN_PLAN_KERNELS = 16 };

/* The kind of operation that a plan executes. */
typedef enum scan_operation_kind {
  SCAN_DOES_SCAN,
  SCAN_DOES_ARRAY,
  SCAN_DOES_SELECT,
  SCAN_DOES_SORT
} scan_operation_kind;

/* The functions of an operation's plans. */
typedef struct scan_plan_ops {
  scan_operation_kind kind;
  /* Writes the launches of a run over n elements, and returns how many. The operation numbers its variants. */
  int (*list)(const scan_plan *plan, uint64_t n, uint32_t variant, scan_launch launches[SCAN_MOST_LAUNCHES]);
  /* The build key of a launch's kernel. */
  scan_kernel_key (*key)(const scan_plan *plan, const scan_launch *launch);
  void (*describe)(const scan_plan *plan, scan_plan_facts *facts);
  /* Writes what runs read from the workspace and do not write themselves. NULL: nothing. */
  scan_status (*write_constants)(scan_plan *plan);
  /* Makes a plan that does the same without look-back. NULL: the operation has none. */
  scan_status (*make_fallback)(const scan_plan *plan, scan_plan **fallback);
} scan_plan_ops;

/* The launches of the last run with their kernels; a run with the same n and variant reuses them. */
typedef struct scan_launches {
  uint64_t n; /* 0: none */
  uint32_t variant;
  int count;
  scan_launch of[SCAN_MOST_LAUNCHES];
  scan_kernel *kernels[SCAN_MOST_LAUNCHES]; /* owned by the plan */
} scan_launches;

struct scan_plan {
  uint32_t magic;
  scan_ctx *ctx;
  scan_caps caps; /* the device as it was known when the plan was made: its choices stay */
  scan_problem problem;
  scan_strategy forced; /* AUTO: chosen anew for each n */
  uint64_t max_n;
  scan_plan_kernel kernels[SCAN_PLAN_KERNELS];
  int kernel_count;
  scan_mem workspace; /* at NULL: none needed */
  int borrows;        /* the workspace is the caller's memory (scan_plan_use_memory) */
  uint64_t workspace_bytes;
  scan_region regions[SCAN_REGIONS];
  uint32_t tile_capacity;
  int overflow_unread;      /* scanned since that was last read, or recorded */
  uint64_t overflow_length; /* elements of the longest backward scan, or of an array's lines, since then */
  int has_control_block;
  int unchecked;         /* launched since the control block was last read, or recorded */
  int recorded;          /* launches are in a CUDA graph of the application's: it may run at any time */
  uint32_t ran_in_place; /* since then, at least once */
  scan_key key;          /* a hidden plan is found by it */
  int hidden;            /* made by scan_run */
  int needs_args;        /* runs need more than in and out, or it scans an array */
  int recordable;        /* launches may be in a graph of the application's, which replays them unseen */
  const scan_plan_ops *ops;
  void *own; /* what the operation keeps: freed with the plan; NULL for scans */
  scan_launches *launches;
  struct scan_quick *quick; /* the kernels that are compiled in the background (ops/scan/quick_plan.h); or NULL */
  uint32_t is_quick;        /* 1: its kernels are those that compile fastest */
  int names_n;              /* n was read from memory of the device since the last check */
  scan_plan *inner;         /* a plan for a part of the work: an array's lines, values that are compacted; or NULL */
  scan_plan *fallback;      /* scans in this one's place once a look-back of the context has given up; or NULL */
  scan_plan *next;
};

/* Notes whether a CUDA graph has recorded the launches that precede this call. Every wait checks a recorded plan. */
static inline void scan_plan_note_recording(scan_plan *plan) {
  const scan_ctx *ctx = plan->ctx;
  if (ctx->ops->was_recorded != NULL) plan->recorded |= ctx->ops->was_recorded(ctx->device);
}

/* Makes a plan that has no kernels and no workspace yet, with `own_bytes` of zeros for the operation. */
scan_status scan_plan_start(scan_ctx *ctx, const scan_plan_ops *ops, size_t own_bytes, const scan_problem *problem,
                            uint64_t max_n, scan_plan **started);

/* Adds a plan to its context and sets *result, or frees the plan and returns `status` if that is an error. */
scan_status scan_plan_finish(scan_plan *plan, scan_status status, scan_plan **result);

/* Removes a plan and its inner plans from the context and frees them. If the device is idle, their errors are read
 * before and kept for the next check. */
void scan_plan_end(scan_plan *plan, int is_idle);

/* Finds the hidden plan that has the key and is large enough for n elements; NULL if there is none. */
scan_plan *scan_plan_find(const scan_ctx *ctx, const scan_key *key, uint64_t n);

/* The max_n of a hidden plan that is made for n elements: a power of two, at least 2^16; n above 2^63. */
static inline uint64_t scan_plan_hidden_n(uint64_t n) {
  uint64_t max_n = 1 << 16;
  while (max_n < n) max_n = max_n > UINT64_MAX / 2 ? n : 2 * max_n;
  return max_n;
}

/* Makes a new plan hidden: scan_plan_find finds it by the key. */
static inline void scan_plan_hide(scan_plan *plan, const scan_key *key) {
  plan->hidden = 1;
  plan->key = *key;
}

/* Frees the hidden plans that use an operator from source. The device is idle. */
void scan_plans_forget(scan_ctx *ctx, const scan_source *source);

/* Checks a plan's handle and its context. `call` begins the message. */
scan_status scan_plan_enter(const scan_plan *plan, const char *call);

/* Frees a plan that is not in its context's list. */
void scan_plan_release(scan_plan *plan);

/* Frees every plan of the context. */
void scan_plans_release(scan_ctx *ctx);

#endif
