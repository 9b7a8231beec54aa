/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_PLAN_H
#define SCANRT_PLAN_H

#include "core/context.h"
#include "strategy/strategy.h"

/* A plan's workspace: regions with names. Who writes each, and when, is the table of regions.c. */
typedef enum scan_region_id {
  SCAN_REGION_STRATEGY, /* first: the kernels' `workspace` */
  SCAN_REGION_CARRY,
  SCAN_REGION_KEEP,
  SCAN_REGION_SEED,
  SCAN_REGION_HEADS,
  SCAN_REGION_CHECKS,
  SCAN_REGION_EXCESS,
  SCAN_REGION_SCRATCH,
  SCAN_REGION_PLACES,
  SCAN_REGION_BEGINS,
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
  uint64_t at, bytes; /* no bytes: there is none */
} scan_region;

/* A kernel that some n of the plan needs. */
typedef struct scan_plan_kernel {
  const char *name;
  uint32_t subtiles;
  scan_kernel *kernel;
} scan_plan_kernel;

enum { SCAN_PLAN_KERNELS = 12 };

/* What a plan does. */
typedef enum scan_operation_kind {
  SCAN_DOES_SCAN,
  SCAN_DOES_ARRAY,
  SCAN_DOES_SELECT,
  SCAN_DOES_SORT
} scan_operation_kind;

/* What a plan is to the core, by its operation. */
typedef struct scan_plan_ops {
  scan_operation_kind kind;
  const char *primitive; /* CUDA's image of launches that name none; or NULL */
  /* Writes the launches of a run over n elements, and returns how many; `variant`: which of the operation's ways.
   * NULL: the plan has a schedule (scans) or one kernel (arrays). */
  int (*list)(const scan_plan *plan, uint64_t n, uint32_t variant, scan_launch launches[SCAN_MOST_LAUNCHES]);
  void (*describe)(const scan_plan *plan, scan_plan_facts *facts);
} scan_plan_ops;

/* The launches of a run with their kernels, kept for the next run of as many elements. */
typedef struct scan_launches {
  uint64_t n;
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
  uint64_t workspace_bytes;
  scan_region regions[SCAN_REGIONS];
  uint32_t tile_capacity;
  int overflow_unread;      /* scanned since that was last read, or recorded */
  uint64_t overflow_length; /* elements of the longest backward scan, or of an array's lines, since then */
  int has_control_block;
  int unchecked;         /* launched since the control block was last read, or recorded */
  int recorded;          /* launches are in a CUDA graph of the application's: it may run at any time */
  uint32_t ran_in_place; /* since then, at least once */
  scan_key key;          /* of hidden plans: what they are found by */
  int hidden;            /* made by scan_run */
  int needs_args;        /* runs need more than in and out, or it scans an array */
  int recordable;        /* launches may be in a graph of the application's, which replays them unseen */
  const scan_plan_ops *ops;
  void *own;               /* what the operation keeps: freed with the plan; NULL for scans */
  scan_launches *launches; /* of the last run of a plan whose ops list launches; or NULL */
  int names_n;             /* n was read from memory of the device since the last check */
  scan_plan *inner;        /* a plan for a part of the work: an array's lines, values that are compacted; or NULL */
  scan_plan *fallback;     /* scans in this one's place once a look-back of the context has given up; or NULL */
  /* The schedule of the last launch, of so many elements, so placed: the next one is often the same. */
  scan_schedule last_schedule;
  scan_kernel *last_kernels[SCAN_MOST_STEPS]; /* of its launches */
  uint64_t last_n;
  scan_placement last_placement;
  scan_plan *next;
};

/* To be called after launches of the plan: what a graph holds is looked at whenever somebody waits. */
static inline void scan_plan_note_recording(scan_plan *plan) {
  const scan_ctx *ctx = plan->ctx;
  if (ctx->ops->was_recorded != NULL) plan->recorded |= ctx->ops->was_recorded(ctx->device);
}

/* Where a region is; no memory where there is none. */
scan_mem scan_region_of(const scan_plan *plan, scan_region_id id);

/* Bytes of SCAN_REGION_EXCESS: two numbers of 64 bits. */
enum { SCAN_EXCESS_BYTES = 2 * sizeof(uint64_t) };

/* Where a run notes an n_from that is more than n: the region's first number, which the next scan_sync or scan_read
 * reports, or, with `clamps` (SCAN_N_FROM_CLAMP), the second one, which nothing reads. */
scan_mem scan_excess_of(const scan_plan *plan, uint32_t clamps);

/* Lays out the regions whose bytes the plan has, allocates the workspace, and clears what must be clear at first. */
scan_status scan_regions_make(scan_plan *plan);

/* Clears a region as its row of the table says; asynchronous. */
scan_status scan_region_clear(scan_plan *plan, scan_region_id id);

/* What the spec asks for, checked (validate.c); no memory is named yet. */
scan_status scan_spec_check(scan_ctx *ctx, const scan_spec *given, scan_problem *problem, scan_strategy *strategy);

/* The memory of a run, besides in and out: takes marks and carries over into the problem of a checked spec, and refuses
 * what contradicts it, or what the strategy cannot do. The buffers themselves are checked later. */
scan_status scan_args_take(scan_ctx *ctx, scan_strategy strategy, uint64_t n, const scan_args *args,
                           scan_problem *problem);

/* Refuses what a strategy that was asked for cannot do; AUTO can do all. The sentence begins with `why`. */
scan_status scan_strategy_check(scan_ctx *ctx, scan_strategy strategy, const scan_problem *problem, const char *why);

/* What the caller filled in, of this version's size. */
scan_status scan_args_copy(scan_ctx *ctx, const scan_args *given, scan_args *own);

/* Makes the built-in operator of a checked problem one from source. */
scan_status scan_problem_use_source(scan_ctx *ctx, scan_problem *problem);

/* Makes a plan that has no kernels and no workspace yet, with `own_bytes` of zeros for the operation. */
scan_status scan_plan_start(scan_ctx *ctx, const scan_plan_ops *ops, size_t own_bytes, const scan_problem *problem,
                            uint64_t max_n, scan_plan **started);

/* Ends the making of a plan: it becomes one of its context's, or is freed if the status is no success. */
scan_status scan_plan_finish(scan_plan *plan, scan_status status, scan_plan **result);

/* Ends a plan of the context's, with the one that it has for a part of its work. What they have to tell is read where
 * the device is idle. */
void scan_plan_end(scan_plan *plan, int is_idle);

/* Compiles and allocates. */
scan_status scan_plan_make(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t max_n,
                           scan_plan **result);

/* Refuses a count whose bytes or tiles cannot be counted; `name` is the parameter's. */
scan_status scan_count_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, const char *name);

/* Checks n and the buffers of one scan; in and out are then the backend's, but host memory that scan_run will stage
 * (stageable: 1) stays as it is. */
scan_status scan_buffers_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, int stageable, scan_mem *in,
                               scan_mem *out, int *in_place);

/* Launches a scan of checked buffers. `problem` gives kind and seed; its types and operator are the plan's. */
scan_status scan_plan_launch(scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem in, scan_mem out,
                             int in_place);

/* What the problem says to kernels, built in or given with each launch. */
static inline uint32_t scan_problem_flags(const scan_problem *problem) {
  return (problem->kind != SCAN_EXCLUSIVE ? SCAN_KERNEL_INCLUSIVE : 0u) |
         (scan_problem_has_seed(problem) ? SCAN_KERNEL_SEED : 0u);
}

/* What the build of a step's kernel depends on. `primitive` as in scan_strategy_ops. */
scan_kernel_key scan_plan_kernel_key(const scan_problem *problem, const scan_schedule *schedule, const scan_step *step,
                                     const char *primitive);

/* What all launches of a scan are given, the problem's seed among it. spin_limit is 1: who waits sets his own. */
void scan_plan_args(const scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem in, scan_mem out,
                    int in_place, scan_kernel_args *args);

/* What the build of a launch's kernel depends on. */
scan_kernel_key scan_plan_launch_key(const scan_plan *plan, const scan_launch *launch);

/* Creates the kernels of a run over n elements that the plan does not have yet. */
scan_status scan_plan_launches_create(scan_plan *plan, uint64_t n, uint32_t variant);

/* Makes plan->launches those of a run over n elements. */
scan_status scan_plan_launches_find(scan_plan *plan, uint64_t n, uint32_t variant);

/* Creates the kernel of one launch, unless the plan has it, and launches it. */
scan_status scan_plan_launch_once(scan_plan *plan, const scan_launch *launch, const scan_kernel_args *args);

/* Does a step; the kernel is that of a launch. */
scan_status scan_plan_step(scan_plan *plan, const scan_step *step, scan_kernel *kernel, const scan_kernel_args *args);

/* Copies between memories of the device, or of the host and the device, which then waits. */
scan_status scan_plan_copy(scan_plan *plan, scan_mem to, scan_mem from, uint64_t bytes);

/* Reads the control blocks of the plans that ran since the last check; the device is idle. SCAN_NO_PROGRESS, told once:
 * their workspaces are then as new, and AUTO takes no look-back any more (progress.c). */
scan_status scan_plans_check(scan_ctx *ctx);
/* Waits for the device, then the same. */
scan_status scan_plans_wait(scan_ctx *ctx);
/* scan_plans_check, then SCAN_INVALID_ARGUMENT where an n_from had more than its call's n. For scan_sync and scan_read
 * alone: a call over memory of the host waits, too, and brings back the results of its first n elements. */
scan_status scan_plans_report(scan_ctx *ctx);

/* Reads what a plan that is about to be freed has left to tell; the next check tells it. The device is idle. */
void scan_plan_settle(scan_plan *plan);

/* Whether no plan ran since the last check. */
int scan_plans_are_checked(const scan_ctx *ctx);

/* What hidden plans of scans are found by; those of arrays add their lines. */
void scan_problem_key(const scan_problem *problem, scan_strategy strategy, scan_key *key);

/* The hidden plan of that key for n elements; NULL: there is none. */
scan_plan *scan_plan_find(const scan_ctx *ctx, const scan_key *key, uint64_t n);

/* The same for a problem; made when there is none. */
scan_status scan_plan_lookup(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t n,
                             scan_plan **result);

/* Frees the hidden plans of an operator from source; the device is idle. */
void scan_plans_forget(scan_ctx *ctx, const scan_source *source);

/* An operator from source, which lives as long as its owner or a plan keeps it (op_users.c). */
struct scan_op {
  uint32_t magic;
  scan_ctx *ctx;
  scan_source source;
  uint32_t users; /* its owner, and plans */
  int is_owned;   /* until scan_op_destroy */
  scan_op *next;
};
/* As scan_op_create. known: its name among the operators that the library knows, whose layout need not be asked for; or
 * NULL. */
scan_status scan_op_make(scan_ctx *ctx, const scan_op_source *source, const char *known, scan_op **op);
void scan_op_keep(scan_ctx *ctx, const scan_source *source);
void scan_op_drop(scan_ctx *ctx, const scan_source *source);

/* Gives up an operator that is in no list. */
void scan_op_release(scan_op *op);

/* Frees every operator that is left. */
void scan_ops_release(scan_ctx *ctx);

/* The source that scans as a built-in operator does, kept by the context; NULL, worded, where memory ran out
 * (builtin_source.c).
 */
const scan_source *scan_builtin_source(scan_ctx *ctx, scan_type input_type, scan_type type, scan_op_id op,
                                       scan_kind kind);
void scan_builtin_sources_release(scan_ctx *ctx);

/* Segments (segments.c): refuses a description that is none; takes the marks of a run; says what workspace a
 * plan needs for them; puts a launch that makes bits of offsets before a schedule's; and before each scan finds the
 * memory that the kernels read. */
scan_status scan_segments_check(scan_ctx *ctx, const scan_marks *segments);
scan_status scan_segments_take(scan_ctx *ctx, uint64_t n, const scan_args *args, scan_marks *segments);
void scan_segments_prepare(scan_plan *plan);
void scan_segments_schedule(const scan_plan *plan, uint64_t n, scan_schedule *schedule);
uint64_t scan_segments_entry_bytes(const scan_marks *segments);
int scan_segments_misaligned(const scan_marks *segments); /* what the kernels read does not begin at 16 bytes */
scan_status scan_segments_ready(scan_plan *plan, const scan_marks *segments, uint64_t n, scan_mem out,
                                uint64_t out_bytes, scan_kernel_args *args);

/* Numbers of elements in device memory (n_from.c): keeps for the next report what a plan that is about to be freed has
 * noted; and returns SCAN_INVALID_ARGUMENT, once, if a plan found more elements than it was given room for. Both read
 * the device's memory, which is idle. */
void scan_n_from_keep(scan_plan *plan);
scan_status scan_n_from_check(scan_ctx *ctx);

/* Overflow (overflow.c): says what workspace a plan needs for it; and what all plans noted since the last time.
 * SCAN_OVERFLOW is told once. */
void scan_overflow_prepare(scan_plan *plan);
scan_status scan_overflow_check(scan_ctx *ctx);
/* Says of the context that the result at `first` does not fit; returns SCAN_OVERFLOW. */
scan_status scan_overflow_report(scan_ctx *ctx, uint64_t first);
/* Notes that a scan of a backward plan begins, of so many elements (of an array: of a line). */
static inline void scan_overflow_begin(scan_plan *plan, uint64_t n) {
  if (!plan->overflow_unread || plan->overflow_length < n) plan->overflow_length = n;
}
/* Reads and clears what a plan and its second noted: *first becomes that index in the output, if it is less. */
scan_status scan_overflow_take(scan_plan *plan, uint64_t *first);
void scan_overflow_forget(scan_ctx *ctx);
void scan_overflow_keep(scan_plan *plan); /* what a plan that is about to be freed has noted, for the next check */

/* The source of an operator, of whatever context; NULL: it is none. */
const scan_source *scan_op_source_of(const scan_op *op);

/* The source of an operator, of a predicate or of a bucket function, of this context; NULL, worded, for what is none.
 */
typedef enum scan_op_kind { SCAN_OP_OPERATOR, SCAN_OP_PREDICATE, SCAN_OP_BUCKET } scan_op_kind;
const scan_source *scan_op_enter(scan_ctx *ctx, const scan_op *op, scan_op_kind kind);

/* Checks a handle. */
scan_status scan_plan_enter(const scan_plan *plan, const char *call);

/* Frees a plan that is none of its context's, or no more. */
void scan_plan_release(scan_plan *plan);

/* Frees every plan that is left. */
void scan_plans_release(scan_ctx *ctx);

#endif
