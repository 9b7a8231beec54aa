/* SPDX-License-Identifier: BSD-2-Clause */
/* The strategy layer: chooses the kernels, their geometry and their workspace. It is pure arithmetic, so that it is
 * tested with no device. A new strategy is one file with one `const scan_strategy_ops` and one line in strategy.c. */
#ifndef SCANRT_STRATEGY_H
#define SCANRT_STRATEGY_H

#include <scanrt/scan.h>

#include "device/backend.h"
#include "device/control.h"
#include "device/source.h"

/* Facts about the memory of one scan that its schedule depends on, besides n. */
typedef struct scan_placement {
  uint32_t misaligned;       /* 1: input or output does not begin at a multiple of 16 bytes */
  uint32_t marks_misaligned; /* 1: the marks of segments do not begin at a multiple of 16 bytes */
  uint32_t in_place;         /* 1: the output is the input */
  uint32_t carry_is_shared;  /* 1: the scan writes to memory that shares bytes with carry_in */
  uint32_t segment_groups;   /* work-groups of a segmented reduction that take segments, or ranges of tiles; of a
                                reduction by key 1 if one launch does all */
} scan_placement;

/* The keys of a reduction by key in one launch (kernels_cl/scan/segment_marked_alone.h), of the run. `capacity`: the
 * keys that `out` has room for. */
typedef struct scan_alone_keys {
  scan_mem in, out, kept, n_overflow;
  uint64_t capacity;
  scan_type type;
} scan_alone_keys;

/* The beginnings of segments: the spec's part and, once memory is named, the run's part. */
typedef struct scan_marks {
  scan_segments kind;
  scan_type key_type;
  uint32_t as_bits; /* 1: a launch before the scan turns the flags or keys into bits, as it always does with offsets */
  scan_mem memory;
  uint64_t count; /* as scan_args.mark_count */
} scan_marks;

/* A scan, checked and completed by the API layer. */
typedef struct scan_problem {
  scan_type input_type, type;
  scan_op_id op;
  scan_kind kind;
  const scan_source *source; /* the operator and its types from source; NULL: `type` and `op` name built-in ones */
  uint64_t seed[1 + SCAN_SEED_MORE_WORDS]; /* value before element 0 in the canonical order, in the low bytes: the
                                              caller's or the identity */
  uint32_t has_init;                       /* 1: the seed is the caller's; 0: it is the identity */
  scan_mem carry_in, carry_out;            /* the run's carries: one value each, or no memory (carry.h) */
  scan_marks segments;                     /* kind 0: one scan over all elements; any other kind has a source */
  uint32_t checks;                         /* 1: overflow is noted; always with a source */
  scan_placement placement;
  uint32_t backward; /* 1: scans from the last element to the first, with backward kernels; never with a source */
  uint32_t steps;    /* 1: elements are step[0] (input) and step[1] (output) elements apart; always with a source */
  uint32_t reversed; /* 1, only with steps: scans from the last element to the first; step[] is in scan order */
  int64_t step[SCAN_KERNEL_STEPS]; /* [2] and [3], for segments and overflow: the index of the first element in memory
                                      within the array that the scan is a line of, and the index difference to the next
                                      element */
  uint64_t array_items;            /* elements of that array; 0: the scan is no line of an array */
  uint64_t origin;                 /* the index of the first element in memory that maps and emits are given */
  scan_mem ends, totals;           /* of a segmented reduction, with segments.memory and segments.count */
  scan_mem places;                 /* with SCAN_STRATEGY_MARKED_REDUCE: the counts of select.cl; segments.memory has the
                                      bits of last elements */
  uint64_t capacity;               /* the number of results that `totals` has room for, with that strategy */
  const scan_alone_keys *alone;    /* of the run, with that strategy in one launch; else NULL */
  uint32_t reads_n;                /* 1: runs read their number of elements from n_from */
  uint32_t clamps;                 /* 1: a number above n is not reported */
  scan_mem n_from;                 /* of the run */
  scan_mem more_in[SCAN_OP_MOST_MEMBERS - 1], more_out[SCAN_OP_MOST_MEMBERS - 1]; /* of the run, as in scan_args */
} scan_problem;

/* Bytes of an element that set the geometry: the output's; with a source, the largest of input, output and value. */
static inline uint64_t scan_problem_bytes(const scan_problem *problem) {
  return problem->source != NULL ? scan_source_order_bytes(problem->source) : scan_type_bytes(problem->type);
}
/* Bytes of an element of the input; with members, of the first one's array, as the next three. */
static inline uint64_t scan_problem_input_bytes(const scan_problem *problem) {
  const scan_source *source = problem->source;
  return source != NULL ? scan_members_first_bytes(&source->input_members, source->input_bytes)
                        : scan_type_bytes(problem->input_type);
}

/* Bytes of an element of the output. */
static inline uint64_t scan_problem_output_bytes(const scan_problem *problem) {
  const scan_source *source = problem->source;
  return source != NULL ? scan_members_first_bytes(&source->output_members, source->output_bytes)
                        : scan_type_bytes(problem->type);
}

/* Bytes of a value, which the operator combines. */
static inline uint64_t scan_problem_value_bytes(const scan_problem *problem) {
  return problem->source != NULL ? problem->source->bytes : scan_type_bytes(problem->type);
}

/* Alignment of the input's elements in bytes. */
static inline uint64_t scan_problem_input_align(const scan_problem *problem) {
  const scan_source *source = problem->source;
  return source != NULL ? scan_members_first_bytes(&source->input_members, source->input_align)
                        : scan_type_bytes(problem->input_type);
}

/* Alignment of the output's elements in bytes. */
static inline uint64_t scan_problem_output_align(const scan_problem *problem) {
  const scan_source *source = problem->source;
  return source != NULL ? scan_members_first_bytes(&source->output_members, source->output_align)
                        : scan_type_bytes(problem->type);
}

/* 1 if a launch before the scan turns the marks of segments into bits. */
static inline int scan_segments_become_bits(const scan_marks *segments) {
  return segments->kind == SCAN_SEGMENTS_OFFSETS || segments->as_bits;
}

/* The kind of marks that the scan's kernels read. */
static inline uint32_t scan_segments_in_kernel(const scan_marks *segments) {
  return scan_segments_become_bits(segments) ? (uint32_t)SCAN_SEGMENTS_BITS : (uint32_t)segments->kind;
}

/* 1 if a value comes before the first element: an initial value, or a source's identity if an output shows it. */
static inline int scan_problem_has_seed(const scan_problem *problem) {
  const scan_source *source = problem->source;
  if (problem->has_init || source == NULL || !source->has_identity) return (int)problem->has_init;
  return problem->kind == SCAN_EXCLUSIVE || source->emit != NULL;
}

/* 1 if the scan has a value before its first element, or its operator has an identity. */
static inline int scan_problem_has_start(const scan_problem *problem) {
  const scan_source *source = problem->source;
  return source == NULL || source->has_identity || problem->has_init || problem->carry_in.kind != SCAN_MEM_NONE;
}

/* 1 if the scan reads or writes a carry. */
static inline int scan_problem_carries(const scan_problem *problem) {
  return problem->carry_in.kind != SCAN_MEM_NONE || problem->carry_out.kind != SCAN_MEM_NONE;
}

/* Number of elements that a scan of n elements writes. */
static inline uint64_t scan_problem_out_items(const scan_problem *problem, uint64_t n) {
  return problem->kind == SCAN_TOTAL ? 1 : n;
}

/* The kind of a step. */
typedef enum scan_step_kind {
  SCAN_STEP_LAUNCH,
  SCAN_STEP_COPY, /* copies `bytes` from the memory `from` to the memory `to`; the caller's carries may be host memory
                   */
  SCAN_STEP_FILL  /* zeroes `bytes`, asynchronously */
} scan_step_kind;

typedef struct scan_step {
  const char *file; /* this and the next seven fields are used by launches alone */
  const char *kernel;
  const struct scan_argument_list *arguments;
  uint32_t groups;
  uint32_t items_per_group;
  uint32_t local_bytes;         /* dynamic local memory */
  uint32_t flags_known;         /* flags that are compiled into the kernel, because the problem alone determines them */
  uint32_t builds_segment_bits; /* 1: the launch reads marks alone, and is the same for all problems */
  scan_step_kind kind;
  uint16_t to, from; /* offsets of scan_mem members in scan_kernel_args */
  uint64_t at;       /* FILL: offset in `to` of the first byte */
  uint64_t bytes;
} scan_step;

/* A launch of a plan: a step, the build of its kernel, and its numbers. */
typedef struct scan_launch {
  scan_step launch;
  const char *primitive; /* CUDA's image of the kernel; NULL: the operation's portable kernels */
  scan_type type;
  scan_type input_type;      /* of the kernel's other type; 0: the same */
  const scan_source *source; /* the function from source that the kernel is built for; or NULL */
  uint32_t group_items;      /* as in scan_kernel_key */
  uint32_t is_cluster;       /* 1: all work-groups are one cluster */
  uint32_t flags;            /* besides those that depend on the run's memory */
  uint32_t element_words;    /* units that an element is moved in */
  uint32_t element_bytes;    /* on the host: bytes of an element that is moved */
  uint32_t tile_parts;       /* parts of a tile */
  uint32_t buckets;          /* buckets, or bins of a split */
  int array;                 /* that is moved or gathered; or SCAN_NO_ARRAY */
  /* Scans. */
  uint32_t subtiles; /* as in scan_schedule, with the next two */
  uint32_t spin_limit;
  uint32_t copies_carry;
  /* Sorting. */
  uint32_t tile_items, tiles;
  uint32_t step_items; /* of segments */
  uint32_t pass;
  uint32_t part, part_tiles; /* of a launch for a part of the keys */
  /* Compaction. */
  unsigned reads_bits : 1;       /* its marks are the bits of what is kept, which an earlier launch made */
  unsigned reads_run_starts : 1; /* its marks are the bits of the runs' first elements */
  unsigned makes_run_starts : 1; /* it makes those bits */
  unsigned has_places : 1;       /* its workspace is counts or places, not look-back's state */
  unsigned reduces : 1;          /* it reads keys and values, and writes all results of a reduction by key */
  unsigned encodes : 1;          /* it writes all results of run-length encoding, and needs neither bits nor places */
  unsigned writes_left : 1;      /* it writes how many elements are not kept */
  unsigned counts : 1;           /* it alone counts what is kept of n_from elements: it runs without room, too */
} scan_launch;

enum { SCAN_NO_ARRAY = -1, SCAN_MOST_LAUNCHES = 64 };

enum { SCAN_MOST_STEPS = 16 };

/* The steps of a scan of n elements, in order. */
typedef struct scan_schedule {
  int step_count;
  uint32_t subtiles; /* sub-tiles of a tile that the kernels are built for; 0: kernels derive them from n */
  uint64_t tile_items, tiles;
  uint32_t spin_limit, spin_limit_in_place;
  uint32_t group_items;  /* as in scan_kernel_key */
  uint32_t copies_carry; /* 1: a step copies the carry to the memory that kernels read it from */
  scan_step steps[SCAN_MOST_STEPS];
} scan_schedule;

/* Appends a launch and returns it, so that the caller can complete it. */
scan_step *scan_schedule_launch(scan_schedule *schedule, const char *file, const char *kernel,
                                const struct scan_argument_list *arguments, uint64_t groups, uint32_t items);

/* Appends a copy of `step`, of any kind. */
void scan_schedule_add(scan_schedule *schedule, const scan_step *step);

/* Inserts a copy of `step` before all others. */
void scan_schedule_prepend(scan_schedule *schedule, const scan_step *step);

/* work: applications of the operator. span: the longest chain of them that a result depends on. scan_plan_facts says
 * what counts. */
typedef struct scan_cost {
  uint64_t work, span;
} scan_cost;

typedef struct scan_strategy_ops {
  scan_strategy id;
  /* NULL if the strategy works on the device, else a sentence that says why not. */
  const char *(*refusal)(const scan_caps *caps, const scan_problem *problem);
  /* The largest n that the device's loop limit allows. */
  uint64_t (*limit)(const scan_caps *caps, const scan_problem *problem);
  /* Fills in the steps of a scan of n >= 1 elements. */
  void (*schedule)(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *schedule);
  /* Device memory for scans of up to max_n elements; 0: none. */
  uint64_t (*workspace_bytes)(const scan_problem *problem, uint64_t max_n);
  /* The cost of a scan of n >= 1 elements. */
  scan_cost (*cost)(const scan_caps *caps, const scan_problem *problem, uint64_t n);
  uint32_t scans_backward;    /* 1: has kernels for backward scans */
  uint32_t is_canonical;      /* follows the canonical order, bit for bit */
  uint32_t has_control_block; /* the workspace begins with the look-back's control block, zeroed when allocated */
  uint32_t finishes_launch;   /* 1: the last work-group that ends sets the control block's first word to 0 */
  const char *primitive;      /* the CUDA image of an operation other than a scan; NULL for scans */
} scan_strategy_ops;

extern const scan_strategy_ops scan_strategy_sequential, scan_strategy_block, scan_strategy_reduce_then_scan,
    scan_strategy_lookback, scan_strategy_threads, scan_strategy_pipelined;

/* Operations other than scans, under numbers that no spec may name (scan_strategy_named). */
#define SCAN_STRATEGY_DIFFERENCE ((scan_strategy)64)
#define SCAN_STRATEGY_TILES ((scan_strategy)65)
#define SCAN_STRATEGY_GROUPS ((scan_strategy)66)
#define SCAN_STRATEGY_SEGMENTED_REDUCE ((scan_strategy)67)
#define SCAN_STRATEGY_MARKED_REDUCE ((scan_strategy)68)
extern const scan_strategy_ops scan_strategy_difference, scan_strategy_tiles, scan_strategy_groups,
    scan_strategy_segmented_reduce, scan_strategy_marked_reduce;

/* How a segmented reduction is done. SCANNED: it scans the values into memory, and copies the results. The others read
 * the values once: threads of the host, single work-items, and work-groups in local memory. */
typedef enum scan_segments_method {
  SCAN_SEGMENTS_SCANNED,
  SCAN_SEGMENTS_BY_THREADS,
  SCAN_SEGMENTS_BY_ITEMS,
  SCAN_SEGMENTS_STAGED
} scan_segments_method;

/* Returns the method of a device. */
scan_segments_method scan_segments_method_of(const scan_caps *caps, const scan_problem *problem);

/* 1 if a segmented reduction on the device may have scan_placement.segment_groups. */
int scan_segments_are_direct(const scan_caps *caps, const scan_problem *problem);

/* 1 if one launch reduces n elements by key on the device. */
int scan_marked_is_alone(const scan_caps *caps, uint64_t n);

/* Returns scan_placement.segment_groups of a segmented reduction of n elements in problem->segments.count segments. */
uint32_t scan_segments_groups(const scan_caps *caps, const scan_problem *problem, uint64_t n);

/* Returns the most elements that segment_ranges reduces; 0 if its tiles do not hold values of that size. */
uint64_t scan_segments_most_ranged(const scan_problem *problem);

/* Bytes of scratch memory of SCAN_STRATEGY_MARKED_REDUCE. */
uint64_t scan_marked_scratch_bytes(const scan_caps *caps, const scan_problem *problem, uint64_t max_n);

/* 1 if the pipelined strategy makes the total in one launch without look-back. Elements that are not aligned would be
 * loaded one by one. */
int scan_total_is_alone(const scan_problem *problem);

/* Bytes of a value in the workspace: in segmented scans with a word that says what the value holds. */
uint64_t scan_kept_bytes(const scan_problem *problem);

/* The textbook scans (strategy_textbook.c), those of the literature. AUTO never chooses one. */
extern const scan_strategy_ops scan_strategy_hillis_steele, scan_strategy_blelloch, scan_strategy_blelloch_padded,
    scan_strategy_subgroup, scan_strategy_three_pass, scan_strategy_chained, scan_strategy_lookback_classic,
    scan_strategy_sklansky, scan_strategy_brent_kung, scan_strategy_raking;

/* Returns the strategy of that id; NULL for AUTO and for unknown numbers. */
const scan_strategy_ops *scan_strategy_get(scan_strategy id);

/* Returns the strategy that a caller's number names; NULL also for operations other than scans. */
const scan_strategy_ops *scan_strategy_named(scan_strategy id);

/* Returns the strategy that AUTO uses for n elements, and sets *reason to a sentence that says why. */
const scan_strategy_ops *scan_strategy_choose(const scan_caps *caps, const scan_problem *problem, uint64_t n,
                                              const char **reason);

/* Refusal of strategies that need work-groups: the host has none. */
const char *scan_refuse_host(const scan_caps *caps, const scan_problem *problem);

/* Refusal of strategies that run on every device: NULL. */
const char *scan_refuse_nothing(const scan_caps *caps, const scan_problem *problem);

/* Limit of strategies that take any n. */
uint64_t scan_no_limit(const scan_caps *caps, const scan_problem *problem);

/* Workspace of strategies that need none: 0. */
uint64_t scan_no_workspace(const scan_problem *problem, uint64_t max_n);

/* Returns `items` if the device ends long loops, else UINT64_MAX; most strategies' limit. */
uint64_t scan_loop_limited(const scan_caps *caps, uint64_t items);

/* Elements of a type from source that one work-item may walk twice (reducing and writing) before the device ends its
 * loops; these loops are not vectorised. */
uint64_t scan_source_walk_items(const scan_caps *caps, const scan_problem *problem);

/* Number of work-groups to start: the least of the tiles, the resident work-groups and the tuning's limit. */
uint32_t scan_groups_for(const scan_caps *caps, uint64_t tiles, uint64_t resident);

/* Starts a schedule without steps, with the given tiles. */
void scan_schedule_start(scan_schedule *schedule, uint32_t subtiles, uint64_t tile_items, uint64_t tiles);

/* Starts a schedule without steps, with the tiles of the canonical order. */
void scan_schedule_tiles(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *schedule);

/* The file to build a kernel from. A schedule with subtiles 0 serves every n, and has all kernels of AUTO in
 * item.cl. */
const char *scan_schedule_file(const scan_schedule *schedule, const char *file);

/* The cost of the canonical order. reduces_first: tiles are reduced to their aggregates before they are scanned. walks:
 * a single work-item or work-group walks the tiles in order and keeps the prefix; else each tile looks back. */
scan_cost scan_cost_canonical(const scan_problem *problem, uint64_t n, int reduces_first, int walks);

/* The canonical cost of a walk that scans each tile once. */
scan_cost scan_cost_walked(const scan_caps *caps, const scan_problem *problem, uint64_t n);

/* The canonical cost of a walk over tiles that are reduced first. */
scan_cost scan_cost_reduced(const scan_caps *caps, const scan_problem *problem, uint64_t n);

/* Workspace of look-back and of the strategies derived from it. */
uint64_t scan_lookback_workspace_bytes(const scan_problem *problem, uint64_t max_n);

/* Cost of look-back and of the strategies derived from it. */
scan_cost scan_lookback_cost(const scan_caps *caps, const scan_problem *problem, uint64_t n);

#endif
