/* SPDX-License-Identifier: BSD-2-Clause */
/* The strategy layer: which kernels run, with which geometry and workspace. Pure arithmetic, so that it is tested with
 * no device. Adding a strategy is one file with one `const scan_strategy_ops` and one line in strategy.c. */
#ifndef SCANRT_STRATEGY_H
#define SCANRT_STRATEGY_H

#include <scanrt/scan.h>

#include "device/backend.h"
#include "device/control.h"
#include "device/source.h"

/* What else than n a schedule depends on, of the memory of one scan. */
typedef struct scan_placement {
  uint32_t misaligned;       /* 1: input or output does not begin at a multiple of 16 bytes */
  uint32_t marks_misaligned; /* 1: what says where segments begin does not */
  uint32_t in_place;         /* 1: the output is the input */
  uint32_t carry_is_host;    /* 1: the carry that comes in is the host's, and the device has its own memory, */
  uint32_t keep_is_host;     /* likewise where the one that is left goes; */
  uint32_t carry_is_shared;  /* 1: where it comes from something is written */
} scan_placement;

/* Where segments begin: the spec's part and, once memory is named, that of the run. */
typedef struct scan_marks {
  scan_segments kind;
  scan_type key_type;
  uint32_t as_bits; /* 1: of flags or keys a launch before the scan's makes bits, as of offsets */
  scan_mem memory;
  uint64_t count; /* as scan_args.mark_count */
} scan_marks;

/* What is to be scanned, checked and completed by the API layer. */
typedef struct scan_problem {
  scan_type input_type, type;
  scan_op_id op;
  scan_kind kind;
  const scan_source *source;               /* operator and type from source; NULL: type and op name built-in ones */
  uint64_t seed[1 + SCAN_SEED_MORE_WORDS]; /* of the canonical order: the caller's, or the identity, in the low bytes */
  uint32_t has_init;                       /* 1: the seed is the caller's, else the identity */
  scan_mem carry_in, carry_out;            /* of the run: one value each, or none (carry.h) */
  scan_marks segments;                     /* kind 0: one scan over all elements; else there is a source */
  uint32_t checks;                         /* 1: overflow is noted; there is a source */
  scan_placement placement;
  uint32_t backward; /* 1: from the last element to the first, by kernels made for it: there is no source */
  uint32_t steps;  /* 1: elements lie step[0] and step[1] elements apart, in the input and the output; with a source */
  uint32_t turned; /* with steps, 1: from the last element to the first; the steps are those of the scan */
  int64_t step[SCAN_KERNEL_STEPS]; /* and of segments and overflow, the index that the first element in memory has in
                      the array that the scan is a line of, and how much more the next one's is */
  uint64_t array_items;            /* of that array; 0: there is none */
  uint64_t origin;                 /* the index that maps and emits see of the first element in memory */
} scan_problem;

/* What the geometry goes by: bytes of an element of the output; with a source, of the largest of the three kinds. */
static inline uint64_t scan_problem_bytes(const scan_problem *problem) {
  return problem->source != NULL ? scan_source_order_bytes(problem->source) : scan_type_bytes(problem->type);
}
/* Bytes of an element of the input, of the output, and of a value. */
static inline uint64_t scan_problem_input_bytes(const scan_problem *problem) {
  return problem->source != NULL ? problem->source->input_bytes : scan_type_bytes(problem->input_type);
}
static inline uint64_t scan_problem_output_bytes(const scan_problem *problem) {
  return problem->source != NULL ? problem->source->output_bytes : scan_type_bytes(problem->type);
}
static inline uint64_t scan_problem_value_bytes(const scan_problem *problem) {
  return problem->source != NULL ? problem->source->bytes : scan_type_bytes(problem->type);
}

/* What elements of the input and of the output are aligned to. */
static inline uint64_t scan_problem_input_align(const scan_problem *problem) {
  return problem->source != NULL ? problem->source->input_align : scan_type_bytes(problem->input_type);
}
static inline uint64_t scan_problem_output_align(const scan_problem *problem) {
  return problem->source != NULL ? problem->source->output_align : scan_type_bytes(problem->type);
}

/* How kernels are told of segments: what has become bits, as bits. */
static inline int scan_segments_become_bits(const scan_marks *segments) {
  return segments->kind == SCAN_SEGMENTS_OFFSETS || segments->as_bits;
}
static inline uint32_t scan_segments_in_kernel(const scan_marks *segments) {
  return scan_segments_become_bits(segments) ? (uint32_t)SCAN_SEGMENTS_BITS : (uint32_t)segments->kind;
}

/* Of types from source: whether anything comes before the first element. An identity does where an output shows it. */
static inline int scan_problem_has_seed(const scan_problem *problem) {
  const scan_source *source = problem->source;
  if (problem->has_init || source == NULL || !source->has_identity) return (int)problem->has_init;
  return problem->kind == SCAN_EXCLUSIVE || source->emit != NULL;
}

/* Whether the scan takes or leaves a carry. */
static inline int scan_problem_carries(const scan_problem *problem) {
  return problem->carry_in.kind != SCAN_MEM_NONE || problem->carry_out.kind != SCAN_MEM_NONE;
}

/* Elements that a scan of n writes. */
static inline uint64_t scan_problem_out_items(const scan_problem *problem, uint64_t n) {
  return problem->kind == SCAN_TOTAL ? 1 : n;
}

/* What a step does. */
typedef enum scan_step_kind {
  SCAN_STEP_LAUNCH,
  SCAN_STEP_COPY, /* bytes `from` one memory `to` another; the caller's carries may be the host's */
  SCAN_STEP_FILL  /* zero bytes, asynchronously */
} scan_step_kind;

typedef struct scan_step {
  const char *file; /* this and the next seven: of a launch */
  const char *kernel;
  const struct scan_argument_list *arguments;
  uint32_t groups;
  uint32_t items_per_group;
  uint32_t local_bytes; /* dynamic local memory */
  uint32_t flags_known; /* flags that the kernel is built for: what they say is the problem's, not a launch's */
  uint32_t is_for_any;  /* 1: no scan: what makes bits of marks, the same for all problems */
  scan_step_kind kind;
  uint16_t to, from; /* scan_mems: bytes from the beginning of scan_kernel_args */
  uint64_t at;       /* where in `to` a fill begins */
  uint64_t bytes;
} scan_step;

enum { SCAN_MOST_STEPS = 16 };

/* All that is done for n elements, in this order. */
typedef struct scan_schedule {
  int step_count;
  uint32_t subtiles; /* of a tile, as the kernels are built; 0: they ask n */
  uint64_t tile_items, tiles;
  uint32_t spin_limit, spin_limit_in_place;
  uint32_t group_items;  /* as scan_kernel_key has them */
  uint32_t copies_carry; /* 1: a step brings the carry to where kernels read it */
  scan_step steps[SCAN_MOST_STEPS];
} scan_schedule;

/* Appends a launch, or a step of another kind; the result may be completed. */
scan_step *scan_schedule_launch(scan_schedule *schedule, const char *file, const char *kernel,
                                const struct scan_argument_list *arguments, uint64_t groups, uint32_t items);
void scan_schedule_add(scan_schedule *schedule, const scan_step *step);

/* Puts a step before all others. */
void scan_schedule_prepend(scan_schedule *schedule, const scan_step *step);

/* Applications of the operator, and the longest chain of them that a result waits for; scan_plan_facts says what
 * counts. */
typedef struct scan_cost {
  uint64_t work, span;
} scan_cost;

typedef struct scan_strategy_ops {
  scan_strategy id;
  /* NULL if the strategy works on the device, else a sentence that says why not. */
  const char *(*refusal)(const scan_caps *caps, const scan_problem *problem);
  /* The largest n that the device's loop limit allows. */
  uint64_t (*limit)(const scan_caps *caps, const scan_problem *problem);
  /* The launches of a scan of n >= 1 elements. */
  void (*schedule)(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *schedule);
  /* Device memory for scans of up to max_n elements; 0: none. */
  uint64_t (*workspace_bytes)(const scan_problem *problem, uint64_t max_n);
  /* The cost of a scan of n >= 1 elements. */
  scan_cost (*cost)(const scan_caps *caps, const scan_problem *problem, uint64_t n);
  uint32_t scans_backward;    /* has kernels for it */
  uint32_t is_canonical;      /* follows the canonical order, bit for bit */
  uint32_t has_control_block; /* the workspace begins with the look-back's control block, zeroed when allocated */
  uint32_t closes_board;      /* and the last work-group out leaves its first word 0 */
  const char *primitive;      /* no scan: the CUDA image that holds its kernels; else NULL */
} scan_strategy_ops;

extern const scan_strategy_ops scan_strategy_sequential, scan_strategy_block, scan_strategy_reduce_then_scan,
    scan_strategy_lookback, scan_strategy_threads, scan_strategy_pipelined;

/* What is no scan, under numbers that no spec may name: scan_strategy_named. */
#define SCAN_STRATEGY_DIFFERENCE ((scan_strategy)64)
#define SCAN_STRATEGY_TILES ((scan_strategy)65)
#define SCAN_STRATEGY_GROUPS ((scan_strategy)66)
extern const scan_strategy_ops scan_strategy_difference, scan_strategy_tiles, scan_strategy_groups;

/* The gallery (strategy_gallery.c): the literature's scans. AUTO takes none of them. */
extern const scan_strategy_ops scan_strategy_hillis_steele, scan_strategy_blelloch, scan_strategy_blelloch_padded,
    scan_strategy_subgroup, scan_strategy_three_pass, scan_strategy_chained, scan_strategy_lookback_classic;

/* The strategy of that id; NULL for AUTO and for unknown numbers. */
const scan_strategy_ops *scan_strategy_get(scan_strategy id);

/* The same of a number that a caller gives: NULL for what is no scan, too. */
const scan_strategy_ops *scan_strategy_named(scan_strategy id);

/* What AUTO takes for n elements, and why. */
const scan_strategy_ops *scan_strategy_choose(const scan_caps *caps, const scan_problem *problem, uint64_t n,
                                              const char **reason);

/* What several strategies answer: that the host cannot do them; that nothing prevents them; that any n is allowed; that
 * they need no workspace. */
const char *scan_refuse_host(const scan_caps *caps, const scan_problem *problem);
const char *scan_refuse_nothing(const scan_caps *caps, const scan_problem *problem);
uint64_t scan_no_limit(const scan_caps *caps, const scan_problem *problem);
uint64_t scan_no_workspace(const scan_problem *problem, uint64_t max_n);

/* `items` where the device ends loops, else no limit: what most strategies answer. */
uint64_t scan_loop_limited(const scan_caps *caps, uint64_t items);

/* Elements from source that one work-item may walk, once reducing and once writing, before the device ends its loops:
 * they are not vectorised. */
uint64_t scan_source_walk_items(const scan_caps *caps, const scan_problem *problem);

/* As many work-groups as are resident and have a tile, and no more than the tuning allows. */
uint32_t scan_groups_for(const scan_caps *caps, uint64_t tiles, uint64_t resident);

/* A schedule without steps: of tiles that the canonical order fixes, or others. */
void scan_schedule_start(scan_schedule *schedule, uint32_t subtiles, uint64_t tile_items, uint64_t tiles);
void scan_schedule_tiles(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *schedule);

/* The file of a kernel that AUTO may take beside others: where they are built for every n, they are in one, item.cl. */
const char *scan_schedule_file(const scan_schedule *schedule, const char *file);

/* The canonical order's cost. reduces_first: tiles are reduced to their aggregates before they are scanned. walks: one
 * who goes through the tiles in order keeps the prefix; else each tile looks back for itself. */
scan_cost scan_cost_canonical(const scan_problem *problem, uint64_t n, int reduces_first, int walks);

/* The same of one who walks, as strategies answer: with tiles that are scanned once, or reduced first. */
scan_cost scan_cost_walked(const scan_caps *caps, const scan_problem *problem, uint64_t n);
scan_cost scan_cost_reduced(const scan_caps *caps, const scan_problem *problem, uint64_t n);

/* Look-back's answers, which are those of its forms, too. */
uint64_t scan_lookback_workspace_bytes(const scan_problem *problem, uint64_t max_n);
scan_cost scan_lookback_cost(const scan_caps *caps, const scan_problem *problem, uint64_t n);

#endif
