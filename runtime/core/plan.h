/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_PLAN_H
#define SCANRT_PLAN_H

#include "core/context.h"
#include "strategy/strategy.h"

/* The named regions of a plan's workspace. The table in regions.c says who writes each, and when. */
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
  uint64_t at, bytes; /* 0 bytes: the plan has no such region */
} scan_region;

/* A kernel that the plan needs for at least one n. */
typedef struct scan_plan_kernel {
  const char *name;
  uint32_t subtiles;
  scan_kernel *kernel;
} scan_plan_kernel;

enum { SCAN_PLAN_KERNELS = 12 };

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
  const char *primitive; /* CUDA's image of launches that name none; or NULL */
  /* Writes the launches of a run over n elements and returns their number. `variant` selects one of the operation's
   * lists. NULL: the plan has a schedule (scans) or one kernel (arrays). */
  int (*list)(const scan_plan *plan, uint64_t n, uint32_t variant, scan_launch launches[SCAN_MOST_LAUNCHES]);
  void (*describe)(const scan_plan *plan, scan_plan_facts *facts);
} scan_plan_ops;

/* The launches of the last run with their kernels; a run with the same n and variant reuses them. */
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
  scan_caps caps; /* the device's capabilities when the plan was made; the plan chooses by them alone */
  scan_problem problem;
  scan_strategy forced; /* the caller's strategy; AUTO: chosen anew for each n */
  uint64_t max_n;
  scan_plan_kernel kernels[SCAN_PLAN_KERNELS];
  int kernel_count;
  scan_mem workspace; /* handle NULL: the plan needs none */
  uint64_t workspace_bytes;
  scan_region regions[SCAN_REGIONS];
  uint32_t tile_capacity;
  int overflow_unread;      /* 1: a checked scan ran since SCAN_REGION_CHECKS was last read, or a graph holds one */
  uint64_t overflow_length; /* elements of the longest backward scan (or line of an array) since that read */
  int has_control_block;
  int unchecked;         /* 1: launches since the control block was last read, or a graph holds some */
  int recorded;          /* 1: launches are in a CUDA graph of the application's, which may run at any time */
  uint32_t ran_in_place; /* 1: a run since the last check was in place */
  scan_key key;          /* key that a hidden plan is found by */
  int hidden;            /* 1: made by a call without a plan, and kept for the next one */
  int needs_args;        /* 1: runs need more than in and out, or the plan scans an array */
  int recordable;        /* 1: launches may be in a graph of the application's, which replays them unseen */
  const scan_plan_ops *ops;
  void *own;                   /* the operation's data, freed with the plan; NULL for scans */
  scan_launches *launches;     /* launches of the last run; NULL if ops->list is NULL */
  int names_n;                 /* 1: a run read n from device memory since the last check; on CUDA it stays 1 */
  scan_plan *inner;            /* plan for a part of the work: an array's lines, values that are compacted; or NULL */
  scan_plan *fallback;         /* plan that scans instead once a look-back of the context has given up; or NULL */
  scan_schedule last_schedule; /* schedule of the last launch; the next launch often reuses it */
  scan_kernel *last_kernels[SCAN_MOST_STEPS]; /* kernel of each step of last_schedule that is a launch */
  uint64_t last_n;                            /* number of elements that last_schedule is for; 0: none */
  scan_placement last_placement;              /* placement that last_schedule is for */
  scan_plan *next;
};

/* Notes whether a CUDA graph has recorded the launches that precede this call. Every wait checks a recorded plan. */
static inline void scan_plan_note_recording(scan_plan *plan) {
  const scan_ctx *ctx = plan->ctx;
  if (ctx->ops->was_recorded != NULL) plan->recorded |= ctx->ops->was_recorded(ctx->device);
}

/* The memory of a region; SCAN_NO_MEM if the plan has no such region. */
scan_mem scan_region_of(const scan_plan *plan, scan_region_id id);

/* Bytes of SCAN_REGION_EXCESS, which holds two 64-bit numbers. */
enum { SCAN_EXCESS_BYTES = 2 * sizeof(uint64_t) };

/* The memory in which a run notes an n_from above n. It is the first number of SCAN_REGION_EXCESS, which the next
 * scan_sync or scan_read reports; with `clamps` (SCAN_N_FROM_CLAMP) it is the second number, which is never read. */
scan_mem scan_excess_of(const scan_plan *plan, uint32_t clamps);

/* Lays out the regions by their bytes, allocates the workspace, and fills the regions that need an initial value. */
scan_status scan_regions_make(scan_plan *plan);

/* Fills a region with its initial value of the table in regions.c; asynchronous. */
scan_status scan_region_clear(scan_plan *plan, scan_region_id id);

/* Checks a spec and makes the problem and the strategy of it (validate.c). The problem names no memory yet. */
scan_status scan_spec_check(scan_ctx *ctx, const scan_spec *given, scan_problem *problem, scan_strategy *strategy);

/* Copies a run's marks and carries into the problem of a checked spec. Refuses those that contradict the spec, or that
 * the strategy cannot handle. The buffers themselves are checked later. */
scan_status scan_args_take(scan_ctx *ctx, scan_strategy strategy, uint64_t n, const scan_args *args,
                           scan_problem *problem);

/* Refuses a problem that the named strategy cannot scan. AUTO is never refused. The message begins with `why`. */
scan_status scan_strategy_check(scan_ctx *ctx, scan_strategy strategy, const scan_problem *problem, const char *why);

/* Checks the caller's args and copies them to a struct of this version's size. */
scan_status scan_args_copy(scan_ctx *ctx, const scan_args *given, scan_args *own);

/* Replaces the built-in operator of a checked problem by its source. */
scan_status scan_problem_use_source(scan_ctx *ctx, scan_problem *problem);

/* Makes a plan that has no kernels and no workspace yet, with `own_bytes` of zeros for the operation. */
scan_status scan_plan_start(scan_ctx *ctx, const scan_plan_ops *ops, size_t own_bytes, const scan_problem *problem,
                            uint64_t max_n, scan_plan **started);

/* Adds a plan to its context and sets *result, or frees the plan and returns `status` if that is an error. */
scan_status scan_plan_finish(scan_plan *plan, scan_status status, scan_plan **result);

/* Removes a plan and its inner plans from the context and frees them. If the device is idle, their errors are read
 * before and kept for the next check. */
void scan_plan_end(scan_plan *plan, int is_idle);

/* Makes a plan for a checked problem: compiles its kernels and allocates its workspace. */
scan_status scan_plan_make(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t max_n,
                           scan_plan **result);

/* Refuses an n whose bytes or tiles overflow their type. `name` is the parameter's name. */
scan_status scan_count_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, const char *name);

/* Checks n and the buffers of one scan, and resolves in and out to the backend's memory. With stageable, host memory
 * stays as it is: scan_run stages it. */
scan_status scan_buffers_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, int stageable, scan_mem *in,
                               scan_mem *out, int *in_place);

/* Launches a scan of checked buffers. `problem` gives kind, seed and memory; its types and operator are the plan's. */
scan_status scan_plan_launch(scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem in, scan_mem out,
                             int in_place);

/* The kernel flags of the problem's kind and seed, which are built into a kernel or passed with each launch. */
static inline uint32_t scan_problem_flags(const scan_problem *problem) {
  return (problem->kind != SCAN_EXCLUSIVE ? SCAN_KERNEL_INCLUSIVE : 0u) |
         (scan_problem_has_seed(problem) ? SCAN_KERNEL_SEED : 0u);
}

/* The build key of a step's kernel. `primitive` as in scan_strategy_ops. */
scan_kernel_key scan_plan_kernel_key(const scan_problem *problem, const scan_schedule *schedule, const scan_step *step,
                                     const char *primitive);

/* Fills the arguments that all launches of a scan share, including the seed. Sets spin_limit to 1; scan_plan_launch
 * replaces it with the schedule's limit. */
void scan_plan_args(const scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem in, scan_mem out,
                    int in_place, scan_kernel_args *args);

/* The build key of a launch's kernel. */
scan_kernel_key scan_plan_launch_key(const scan_plan *plan, const scan_launch *launch);

/* Creates the kernels of a run over n elements that the plan does not have yet. */
scan_status scan_plan_launches_create(scan_plan *plan, uint64_t n, uint32_t variant);

/* Sets plan->launches to those of a run over n elements. The plan must have their kernels. */
scan_status scan_plan_launches_find(scan_plan *plan, uint64_t n, uint32_t variant);

/* Creates the kernel of one launch, unless the plan has it, and launches it. */
scan_status scan_plan_launch_once(scan_plan *plan, const scan_launch *launch, const scan_kernel_args *args);

/* Executes a step: a launch of `kernel`, a copy or a fill. */
scan_status scan_plan_step(scan_plan *plan, const scan_step *step, scan_kernel *kernel, const scan_kernel_args *args);

/* Copies on the device, or between host and device. A copy that has host memory on one side waits. */
scan_status scan_plan_copy(scan_plan *plan, scan_mem to, scan_mem from, uint64_t bytes);

/* Reads the control blocks of the plans that ran since the last check, and then the noted overflows. The device is
 * idle. Returns SCAN_NO_PROGRESS once per failure, after clearing the workspaces; AUTO stops choosing look-back
 * (progress.c). */
scan_status scan_plans_check(scan_ctx *ctx);

/* Waits for the device, then calls scan_plans_check. */
scan_status scan_plans_wait(scan_ctx *ctx);

/* Calls scan_plans_check, then returns SCAN_INVALID_ARGUMENT if an n_from was above its call's n. Only scan_sync and
 * scan_read call it: a call over host memory also waits, but returns the results of its first n elements. */
scan_status scan_plans_report(scan_ctx *ctx);

/* Reads the errors of a plan that is about to be freed and keeps them for the next check. The device is idle. */
void scan_plan_settle(scan_plan *plan);

/* 1 if no plan has launches to check and no failed look-back is pending. */
int scan_plans_are_checked(const scan_ctx *ctx);

/* Makes the key that a scan's hidden plan is found by. Plans of arrays append their lines. */
void scan_problem_key(const scan_problem *problem, scan_strategy strategy, scan_key *key);

/* Finds the hidden plan that has the key and is large enough for n elements; NULL if there is none. */
scan_plan *scan_plan_find(const scan_ctx *ctx, const scan_key *key, uint64_t n);

/* Finds the hidden plan of a scan of n elements, or makes it. */
scan_status scan_plan_lookup(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t n,
                             scan_plan **result);

/* Frees the hidden plans that use an operator from source. The device is idle. */
void scan_plans_forget(scan_ctx *ctx, const scan_source *source);

/* An operator from source. It lives until its owner and all plans have released it (op_users.c). */
struct scan_op {
  uint32_t magic;
  scan_ctx *ctx;
  scan_source source;
  uint32_t users; /* number of plans that use it, plus 1 for its owner */
  int is_owned;   /* 1 until scan_op_destroy */
  scan_op *next;
};

/* Makes an operator as scan_op_create does. `known` is the name of an operator of the library's own, whose layout is
 * not probed; else NULL. */
scan_status scan_op_make(scan_ctx *ctx, const scan_op_source *source, const char *known, scan_op **op);

/* Adds a user to the operator with that source. Does nothing for a built-in operator's source. */
void scan_op_keep(scan_ctx *ctx, const scan_source *source);

/* Removes a user of the operator with that source; the last one releases it. Does nothing for a built-in one. */
void scan_op_drop(scan_ctx *ctx, const scan_source *source);

/* Frees the source of an operator that is in no list, and keeps the operator's memory for the next one. */
void scan_op_release(scan_op *op);

/* Frees every operator of the context. */
void scan_ops_release(scan_ctx *ctx);

/* The source of a built-in operator, made at its first use and kept by the context (builtin_source.c). NULL, with a
 * message, on failure. */
const scan_source *scan_builtin_source(scan_ctx *ctx, scan_type input_type, scan_type type, scan_op_id op,
                                       scan_kind kind);

/* Frees the sources of built-in operators. */
void scan_builtin_sources_release(scan_ctx *ctx);

/* ---- segments (segments.c) ---- */

/* Checks the spec's kind of marks and their type. */
scan_status scan_segments_check(scan_ctx *ctx, const scan_marks *segments);

/* Copies the memory and the count of a run's marks from its args. */
scan_status scan_segments_take(scan_ctx *ctx, uint64_t n, const scan_args *args, scan_marks *segments);

/* Sets the bytes of SCAN_REGION_HEADS if the plan turns marks into bits. */
void scan_segments_prepare(scan_plan *plan);

/* Prepends the launch that turns marks into bits, if the plan does that. */
void scan_segments_schedule(const scan_plan *plan, uint64_t n, scan_schedule *schedule);

/* Bytes of an entry of the marks: a flag, a word of bits, a key or an offset. */
uint64_t scan_segments_entry_bytes(const scan_marks *segments);

/* 1 if the marks are flags, bits or keys that do not begin at a multiple of 16 bytes. */
int scan_segments_misaligned(const scan_marks *segments);

/* Checks the marks of a scan, stages those in host memory, and sets the kernels' arguments marks, count and heads. */
scan_status scan_segments_ready(scan_plan *plan, const scan_marks *segments, uint64_t n, scan_mem out,
                                uint64_t out_bytes, scan_kernel_args *args);

/* ---- numbers of elements in device memory (n_from.c) ---- */

/* Keeps an excess that a plan has noted for the next report; called before the plan is freed. The device is idle. */
void scan_n_from_keep(scan_plan *plan);

/* Returns SCAN_INVALID_ARGUMENT once if a plan noted an n_from above its call's n. The device is idle. */
scan_status scan_n_from_check(scan_ctx *ctx);

/* ---- overflow (overflow.c) ---- */

/* Sets the bytes of SCAN_REGION_CHECKS if the plan checks for overflow. */
void scan_overflow_prepare(scan_plan *plan);

/* Reads and clears the overflows that all plans noted. Returns SCAN_OVERFLOW, once, if there are any. */
scan_status scan_overflow_check(scan_ctx *ctx);

/* Keeps `first`, the index of the first result that overflowed, in the context. Returns SCAN_OVERFLOW. */
scan_status scan_overflow_report(scan_ctx *ctx, uint64_t first);

/* Notes that a backward scan of n elements begins; for an array, n is the length of a line. */
static inline void scan_overflow_begin(scan_plan *plan, uint64_t n) {
  if (!plan->overflow_unread || plan->overflow_length < n) plan->overflow_length = n;
}

/* Reads and clears the overflow that a plan and its fallback noted. Lowers *first to its index in the output. */
scan_status scan_overflow_take(scan_plan *plan, uint64_t *first);

/* Clears the overflows that all plans noted, without reading them. */
void scan_overflow_forget(scan_ctx *ctx);

/* Keeps the overflow that a plan noted for the next check; called before the plan is freed. */
void scan_overflow_keep(scan_plan *plan);

/* ---- handles ---- */

/* The source of an operator of any context; NULL if `op` is not an operator. */
const scan_source *scan_op_source_of(const scan_op *op);

/* The kinds of functions that have a source. */
typedef enum scan_op_kind { SCAN_OP_OPERATOR, SCAN_OP_PREDICATE, SCAN_OP_BUCKET } scan_op_kind;

/* The source of a function of that kind that this context owns; NULL, with a message, if `op` is not one. */
const scan_source *scan_op_enter(scan_ctx *ctx, const scan_op *op, scan_op_kind kind);

/* Checks a plan's handle and its context. `call` begins the message. */
scan_status scan_plan_enter(const scan_plan *plan, const char *call);

/* Frees a plan that is not in its context's list. */
void scan_plan_release(scan_plan *plan);

/* Frees every plan of the context. */
void scan_plans_release(scan_ctx *ctx);

#endif
