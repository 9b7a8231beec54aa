/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream compaction in one launch, pipelined (sm_80 and later) like the scan of pipelined.cuh: one persistent
 * work-group a multiprocessor, tiles in a ring of shared memory, and a role for each warp.
 *
 *   producers    wait empty[stage]; the first claims a tile; all copy it, and its marks  -> claimed[stage], full[stage]
 *   compactors   sets of warps take turns with tiles. Wait full, load the whole tile into registers, find the kept
 *                elements, and publish their number; then store them side by side, over the tile in its stage, and
 *                the rest behind them                                                    -> compacted[stage]
 *   group total  for a group's last tile: adds up the 128 counts and publishes the sum
 *   look-back    these warps take turns: find the number of kept elements before a tile  -> prefixed[stage]
 *   writers      wait compacted and prefixed; move one run of the stage to one run of the output, whole aligned lines
 *                of 128 bytes, and one of the rest                                       -> empty[stage]
 *
 * A tile is in registers before its count is published, and output is written only where tiles were that have
 * published: the output may be the input. The element beside a tile that is compared with it is loaded with the tile.
 * Its place is written by tiles that wait for this one, or, if nothing has been dropped, by the tile before, which
 * writes the same value.
 *
 * A claimed tile has its stage and is published without waiting for another work-group, so that waits cannot form a
 * cycle.
 *
 * Where the ring is short (PIPE_BUFFERS) compacted elements lie in buffers of their own: compactors release a stage as
 * soon as they have published its tile (taken[]), and then wait for a buffer; look-back begins meanwhile. A claimed
 * tile may so wait for earlier tiles of its work-group, and these for tiles before them: each wait is for a tile of a
 * smaller number, so that no cycle forms here, either. There are more sets of barriers than stages then.
 *
 * By flags or bits, only marks are copied where few elements are kept (select_pipelined_sparse.cuh).
 *
 * The rest goes behind all kept elements. With SELECT_TOTAL the work-groups hold all tiles in their stages: writers
 * wait until each tile is published. With SELECT_TWICE the work-groups hold the last tiles so, and the tiles before are
 * claimed twice, first to be counted: then from the last one to the first to be moved, so that those that were read
 * last come first, from the L2 cache. Otherwise a launch before has counted them, and tiles are numbered in that order.
 *
 * SELECT_BYTES: bytes of an element, 1, 2, 4, 8 or 16; SELECT_INDEX: elements are indices, which are not loaded;
 * SELECT_BY: the kind of marks; SELECT_ENCODES: run-length encoding (select_pipelined_encode.cuh has what differs);
 * SELECT_REDUCES: reduction of runs (select_pipelined_reduce.cuh); SELECT_ALONE: of few elements, by the kernel of
 * select_alone.cuh; SELECT_PARTITION: no kernel, which select_partition.cuh adds. Included in a namespace. */
#include "lib/arguments.h"
#include "lib/bits.h"
#include "lib/claim_packed.h"
#include "lib/marks.h"
#include "lib/test_hooks.h"
#include "select/select.h"
#include "tuning.h"

#define SELECT_BY_FLAGS 1
#define SELECT_BY_BITS 2
#define SELECT_BY_RUNS 3
#define SELECT_BY_PREDICATE 4
#ifndef SELECT_ENCODES
#define SELECT_ENCODES 0
#endif
#ifndef SELECT_REDUCES
#define SELECT_REDUCES 0
#endif
#ifndef SELECT_ALONE
#define SELECT_ALONE 0
#endif
#ifndef SELECT_PARTITION
#define SELECT_PARTITION 0
#endif
#if SELECT_REDUCES
#include "lib/value.h"
#endif
/* 1 if neighbours are compared: keys, or elements by a predicate of two. */
#if SELECT_BY == SELECT_BY_RUNS || (SELECT_BY == SELECT_BY_PREDICATE && defined(SCAN_SOURCE_PAIRS))
#define LOOKS_BESIDE 1
#else
#define LOOKS_BESIDE 0
#endif

/* Sums have whole tiles of the canonical order in every set of kernels. */
#define PIPE_IMAGE (SELECT_REDUCES ? TUNE_LARGE_IMAGE(SCAN_CUDA_IMAGE) : SCAN_CUDA_IMAGE)
#define PIPE_BULK_COPY (PIPE_IMAGE >= 90)
#define PIPE_PRODUCERS TUNE_SELECT_PRODUCERS(PIPE_IMAGE)
#define PIPE_LOOK_BACKS TUNE_SELECT_LOOK_BACKS(SELECT_BY)
#define PIPE_COMPACTORS TUNE_SELECT_PARTS(PIPE_IMAGE) /* warps of a set */
#define PIPE_SETS TUNE_SELECT_SETS(PIPE_IMAGE, SELECT_BY)
#define PIPE_WRITERS (SELECT_PARTITION ? PIPE_COMPACTORS : TUNE_SELECT_WRITERS(PIPE_IMAGE, SELECT_BY))
#define PIPE_LINES TUNE_SELECT_LINES
#define PIPE_FIRST_LOOK_BACK PIPE_PRODUCERS
#define PIPE_GROUP_TOTAL (PIPE_FIRST_LOOK_BACK + PIPE_LOOK_BACKS)
#define PIPE_FIRST_COMPACTOR (PIPE_GROUP_TOTAL + 1)
#define PIPE_FIRST_WRITER (PIPE_FIRST_COMPACTOR + PIPE_COMPACTORS * PIPE_SETS)
#define PIPE_ITEMS ((PIPE_FIRST_WRITER + PIPE_WRITERS) * 32)
#if !SELECT_PARTITION && PIPE_ITEMS != TUNE_SELECT_ITEMS(PIPE_IMAGE, SELECT_BY)
#error "tuning.h counts other warps"
#endif
#define PIPE_BUFFERS                                                                                                   \
  (SELECT_ENCODES || SELECT_REDUCES ? 0 : TUNE_SELECT_BUFFERS(PIPE_IMAGE, SELECT_BY == SELECT_BY_RUNS))
/* 1 if there is a variant for few kept elements (select_pipelined_sparse.cuh). */
#define HAS_SPARSE                                                                                                     \
  ((SELECT_BY == SELECT_BY_FLAGS || SELECT_BY == SELECT_BY_BITS) && SELECT_BYTES >= 4 && !SELECT_INDEX &&              \
   !SELECT_REDUCES && !PIPE_BUFFERS)
/* 1 if tiles may be numbered from the last one on: by bits that a launch before has written. */
#define GOES_BACK (SELECT_BY == SELECT_BY_BITS && !SELECT_REDUCES)
/* 1 if there is a variant that claims each tile twice. */
#define HAS_TWICE (SELECT_BY == SELECT_BY_PREDICATE && !LOOKS_BESIDE && !PIPE_BUFFERS)
/* 1 if there is a variant that moves two arrays (select_pipelined_second.cuh). */
#define HAS_SECOND                                                                                                     \
  (SELECT_BY != SELECT_BY_BITS && SELECT_BYTES >= 4 && !SELECT_INDEX && !SELECT_ENCODES && !PIPE_BUFFERS)
#define PIPE_TURNS (PIPE_SETS > PIPE_LOOK_BACKS ? PIPE_SETS : PIPE_LOOK_BACKS)

/* A lane has `LANE_VECS` vectors of a tile, each beside those of its warp's other lanes, and a bit for each element. */
#define VEC_ITEMS (16 / SELECT_BYTES)
#define LANE_VECS (SELECT_BYTES >= 4 ? 8 : 2 * SELECT_BYTES)
#define LANE_ITEMS (LANE_VECS * VEC_ITEMS)
#define ROW_ITEMS (32 * VEC_ITEMS)
#define PART_ITEMS (32 * LANE_ITEMS)              /* of a warp */
#define TILE_ITEMS (PIPE_COMPACTORS * PART_ITEMS) /* at most; with few elements tiles have fewer parts */
#if TILE_ITEMS != PIPE_COMPACTORS * SELECT_PART_ITEMS(SELECT_BYTES)
#error "select.h counts other elements"
#endif
#define GROUP_TILES SELECT_GROUP_TILES
#define LEAVES (GROUP_TILES / 32)
#include "lib/lookback_state.h"

/* The lanes of a warp that arrive at a barrier for all of them (see pipelined.cuh). */
#ifdef SCAN_TEST_LANES_ARRIVE
#define PIPE_ARRIVING 32
#else
#define PIPE_ARRIVING 1
#endif

/* A stage: the tile, with 128 bytes before it, the last of which are the element before, and 128 bytes after it; then
 * its marks, in the first 16 bytes of which is what precedes them. */
#define TILE_BYTES (TILE_ITEMS * SELECT_BYTES)
#define STAGE_TILE 128
#define STAGE_MARKS (STAGE_TILE + TILE_BYTES + 128)
#if SELECT_BY == SELECT_BY_FLAGS
#define MARKS_BYTES TILE_ITEMS
#elif SELECT_BY == SELECT_BY_BITS
#define MARKS_BYTES (TILE_ITEMS / 8)
#else
#define MARKS_BYTES 0
#endif
#define STAGE_BYTES (STAGE_MARKS + MARKS_BYTES + (MARKS_BYTES ? 128 : 0))
#define BUFFER_BYTES STAGE_MARKS

/* Run-length encoding lists a tile's run starts, 2 bytes each, from its compaction until it is written, in one of two
 * lists before the ring, between which tiles alternate. A list of few run starts is a quarter of that, so that tiles in
 * progress need not wait for one another. */
#if SELECT_ENCODES
#define PIPE_MOST_STAGES TUNE_SELECT_ENCODE_STAGES
#define LIST_ITEMS TILE_ITEMS
#define LIST_FEW (LIST_ITEMS / 4)
#define RING_AT (2 * 2 * LIST_ITEMS)
#if PIPE_MOST_STAGES > 8
#error "quarters of two lists are for 8 tiles"
#endif
#else
#define PIPE_MOST_STAGES (SELECT_REDUCES ? TUNE_SELECT_REDUCE_STAGES : TUNE_SELECT_MOST_STAGES)
#define RING_AT (PIPE_BUFFERS * BUFFER_BYTES)
#endif

#if SELECT_REDUCES
/* `items` elements of a vector, the last of which ends a run that began before the tile, and what precedes them. */
typedef struct scanrt_open_end {
  scanrt_value_t start, x[VEC_ITEMS];
  scanrt_u32 items; /* 0: no run ends so */
} scanrt_open_end;
#endif

/* The words of the look-back state for a tile or a group. */
#define LOOKBACK_WORDS (SELECT_REDUCES ? SELECT_REDUCE_WORDS(SELECT_BYTES) : 1)

struct scanrt_select_shared {
  scanrt_u64 claimed[PIPE_MOST_STAGES], full[PIPE_MOST_STAGES], taken[PIPE_BUFFERS ? PIPE_MOST_STAGES : 1],
      compacted[PIPE_MOST_STAGES], prefixed[PIPE_MOST_STAGES], empty[PIPE_MOST_STAGES];
  scanrt_u64 prefix[PIPE_MOST_STAGES];
#if !SELECT_ENCODES && !SELECT_REDUCES
  scanrt_u64 total;  /* barrier: `behind` is known, with SELECT_TOTAL */
  scanrt_u64 behind; /* the place where the rest begins */
#endif
#if HAS_SPARSE
  scanrt_u32 samples[16];
#endif
  scanrt_u32 tile[PIPE_MOST_STAGES], count[PIPE_MOST_STAGES], part[PIPE_MOST_STAGES][PIPE_COMPACTORS];
  scanrt_u64 first_claim;
#if SELECT_ENCODES
  scanrt_u64 last_before[PIPE_MOST_STAGES]; /* 1 + the last run start before the tile; 0: there is none */
  scanrt_u32 last[PIPE_MOST_STAGES];        /* 1 + the last run start in the tile; 0: there is none */
#elif SELECT_REDUCES
  scanrt_value_t sub[PIPE_MOST_STAGES][PIPE_COMPACTORS];
  scanrt_open_end open[PIPE_MOST_STAGES];
#endif
};
static_assert(sizeof(scanrt_select_shared) <= TUNE_SELECT_OWN_BYTES, "the host leaves less for it");

/* The state of a work-item, for all roles. */
typedef struct scanrt_pipe {
  const unsigned char *in, *marks;
  unsigned char *out, *rest;
  scanrt_u32 *words; /* the output of the bits */
  scanrt_u64 n, capacity, rest_capacity;
  scanrt_u64 *kept, *places;
#if SELECT_ENCODES
  unsigned char *lengths, *starts;
#endif
  scanrt_lookback_state lookback;
  volatile scanrt_u64 *lasts; /* in the look-back state: groups' last run starts, for run-length encoding */
  scanrt_select_shared *shared;
  unsigned char *ring;
  scanrt_u32 tile_items, tiles, stages, flags;
  scanrt_u32 turns;   /* that are claimed: a tile each; with SELECT_TWICE two for each counted tile */
  scanrt_u32 counted; /* tiles that are only counted in their first turn */
  scanrt_u32 slots;   /* sets of barriers: one for each stage, or with buffers PIPE_MOST_STAGES */
  scanrt_u32 stage_bytes;
  scanrt_u32 is_sparse;             /* 1 if few elements are kept, as select_pipelined_sparse.cuh has it */
  scanrt_u32 in_shift, marks_shift; /* bytes by which they begin after a multiple of 16 */
} scanrt_pipe;

/* A role's place: a tile's set of barriers, their phase, and the stage that the tile is copied to. */
typedef struct scanrt_pipe_place {
  scanrt_u32 slot, phase;
  scanrt_u32 turn, stage;
} scanrt_pipe_place;

FUNC void scanrt_place_next(const scanrt_pipe &p, scanrt_pipe_place &at, scanrt_u32 turns) {
  at.turn += turns;
  for (scanrt_u32 k = 0; k < turns; k++) {
    if (++at.slot == p.slots) at.slot = 0, at.phase ^= 1;
    if (PIPE_BUFFERS && ++at.stage == p.stages) at.stage = 0;
  }
  if (!PIPE_BUFFERS) at.stage = at.slot;
}

/* Waits for the tile `turns` turns before at its barrier among `barriers`; `turns` is at most the number of slots. */
FUNC void scanrt_turn_wait(const scanrt_pipe &p, scanrt_u64 *barriers, const scanrt_pipe_place &at, scanrt_u32 turns) {
  const scanrt_u32 is_lap = at.slot < turns;
  if (at.turn >= turns)
    scanrt_mbarrier_wait(barriers + (is_lap ? at.slot + p.slots - turns : at.slot - turns), at.phase ^ is_lap);
}

/* Waits for the turn of a stage and returns it; a number past the last turn ends the role. */
FUNC scanrt_u32 scanrt_stage_turn(const scanrt_pipe &p, const scanrt_pipe_place &at) {
  scanrt_mbarrier_wait(&p.shared->claimed[at.slot], at.phase);
  return p.shared->tile[at.slot];
}

/* 1 if a tile is only counted in this turn. */
FUNC scanrt_u32 scanrt_only_counts(const scanrt_pipe &p, scanrt_u32 turn) { return HAS_TWICE && turn < p.counted; }

FUNC scanrt_u32 scanrt_turn_tile(const scanrt_pipe &p, scanrt_u32 turn) {
  return HAS_TWICE && turn >= p.tiles ? p.turns - 1 - turn : turn;
}

/* Arrives for a warp, for what all of its lanes have read or written. */
FUNC void scanrt_warp_arrive(scanrt_u64 *barrier) {
  __syncwarp();
  if (ITEM() % 32 < PIPE_ARRIVING) scanrt_mbarrier_arrive(barrier);
}

FUNC unsigned char *scanrt_stage_of(const scanrt_pipe &p, const scanrt_pipe_place &at) {
  return p.ring + at.stage * p.stage_bytes;
}

/* Returns the place of a tile's kept elements, which are followed by the rest. */
FUNC unsigned char *scanrt_compacted_at(const scanrt_pipe &p, const scanrt_pipe_place &at) {
#if PIPE_BUFFERS
  return p.ring - RING_AT + at.turn % PIPE_BUFFERS * BUFFER_BYTES + STAGE_TILE;
#else
  return scanrt_stage_of(p, at) + STAGE_TILE;
#endif
}

#if SELECT_ENCODES
/* Returns the list of a tile that has `count` run starts. */
FUNC scanrt_u16 *scanrt_list_of(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 count) {
  const scanrt_u32 quarter = count > LIST_FEW ? 0 : at.turn / 2 % 4;
  return (scanrt_u16 *)(p.ring - RING_AT) + at.turn % 2 * LIST_ITEMS + quarter * LIST_FEW;
}
#endif

/* 1 if tiles are numbered from the last one on. */
FUNC scanrt_u32 scanrt_goes_back(const scanrt_pipe &p) {
  return GOES_BACK && (p.flags & SELECT_KNOWN) == SELECT_BEHIND;
}

FUNC scanrt_u64 scanrt_tile_first(const scanrt_pipe &p, scanrt_u32 tile) {
  return (scanrt_u64)(scanrt_goes_back(p) ? p.tiles - 1 - tile : tile) * p.tile_items;
}

/* Returns the number of elements in a tile. */
FUNC scanrt_u32 scanrt_tile_items(const scanrt_pipe &p, scanrt_u32 tile) {
  const scanrt_u64 left = p.n - scanrt_tile_first(p, tile);
  return left < p.tile_items ? (scanrt_u32)left : p.tile_items;
}

/* Returns how many elements of a run of `count` fit the output from place `at` on. */
FUNC scanrt_u32 scanrt_fitting(scanrt_u64 at, scanrt_u32 count, scanrt_u64 capacity) {
  if (at + count <= capacity) return count;
  return at < capacity ? (scanrt_u32)(capacity - at) : 0;
}

/* The word that a tile publishes, or that a part has: the number of kept elements; above it, for run-length encoding, 1
 * + the last of them in the tile; for reductions 1 if a run begins there. */
#define KEPT_BITS 14
#define KEPT_WORD(count, last) ((count) | (last) << KEPT_BITS)
#if SELECT_ENCODES || SELECT_REDUCES
#define KEPT_COUNT(word) ((word) & ((1u << KEPT_BITS) - 1))
#define KEPT_LAST(word) ((word) >> KEPT_BITS)
static_assert(TILE_ITEMS < 1 << KEPT_BITS, "a tile has more elements");
#else
#define KEPT_COUNT(word) (word)
#define KEPT_LAST(word) 0u
#endif

#if SELECT_BY == SELECT_BY_PREDICATE
#define PREDICATE_PARAMETER , params
#else
#define PREDICATE_PARAMETER
#endif

#include "select/select_pipelined_ranks.cuh"
#if SELECT_ALONE
#include "select/select_alone_keys.cuh"
#endif
#include "select/select_pipelined_keep.cuh"
#if SELECT_REDUCES
#include "select/select_pipelined_reduce.cuh"
#endif
#include "select/select_pipelined_look_back.cuh"
#include "select/select_pipelined_produce.cuh"
#if HAS_SPARSE
#include "select/select_pipelined_sparse.cuh"
#endif
#include "select/select_pipelined_compact.cuh"
#if SELECT_ENCODES
#include "select/select_pipelined_encode.cuh"
#else
#include "select/select_pipelined_write.cuh"
#endif

FUNC void scanrt_barriers_init(const scanrt_pipe &p) {
  const scanrt_u32 slot = ITEM() / 32;
  if (ITEM() % 32 != 0 || slot >= p.slots) return;
  scanrt_mbarrier_init(&p.shared->claimed[slot], 1);
  scanrt_mbarrier_init(&p.shared->full[slot], PIPE_BULK_COPY ? PIPE_ARRIVING : PIPE_PRODUCERS * 32);
  if (PIPE_BUFFERS) scanrt_mbarrier_init(&p.shared->taken[slot], PIPE_COMPACTORS * PIPE_ARRIVING);
  scanrt_mbarrier_init(&p.shared->compacted[slot], PIPE_COMPACTORS * PIPE_ARRIVING);
  scanrt_mbarrier_init(&p.shared->prefixed[slot], PIPE_ARRIVING);
  const scanrt_u32 readers = PIPE_WRITERS + 1 + (HAS_SECOND && p.flags & SELECT_SECOND ? PIPE_COMPACTORS : 0);
  scanrt_mbarrier_init(&p.shared->empty[slot], readers * PIPE_ARRIVING);
#if !SELECT_ENCODES && !SELECT_REDUCES
  if (slot == 0) scanrt_mbarrier_init(&p.shared->total, PIPE_ARRIVING);
#endif
  scanrt_copy_engine_fence();
}

/* Called with the first claim: writes count 0 if there are no tiles, and reports an n_from above the plan's n. */
FUNC void scanrt_first_claimed(const scanrt_pipe &p, scanrt_u64 claim, const scanrt_u64 *n_from, scanrt_u64 most,
                               scanrt_u64 *n_overflow) {
  if ((scanrt_u32)claim != 0) return;
  if (p.tiles == 0) *p.kept = 0;
  if (p.tiles == 0 && p.flags & (SELECT_PLACES | SELECT_LEFT)) *p.places = 0;
  if (p.flags & SELECT_N_FROM && *n_from > most && *n_from > *n_overflow) *n_overflow = *n_from;
}

/* Declares `p`, with what all kernels have, and `from`, which has n if that is in the device's memory. */
#define PIPE_OPEN(recomputes)                                                                                          \
  const scanrt_u64 *const from = (const scanrt_u64 *)MEMORY(n_from);                                                   \
  scanrt_pipe p;                                                                                                       \
  p.in = MEMORY(in), p.out = MEMORY(out);                                                                              \
  p.n = flags & SELECT_N_FROM && *from < n ? *from : n;                                                                \
  p.kept = (scanrt_u64 *)MEMORY(kept);                                                                                 \
  p.lookback = scanrt_lookback_state_at(MEMORY(workspace), tile_capacity, LOOKBACK_WORDS, SPIN_LIMIT(spin_limit),      \
                                        RECOMPUTES(recomputes));                                                       \
  p.lookback.words = SELECT_WORDS((scanrt_u64)tile_capacity) * LOOKBACK_WORDS;                                         \
  p.flags = flags;                                                                                                     \
  p.in_shift = SELECT_INDEX ? 0 : (scanrt_u32)(ADDRESS(p.in) % 16);                                                    \
  p.tile_items = tile_parts * PART_ITEMS, p.stage_bytes = STAGE_BYTES, p.is_sparse = 0

#if SELECT_ENCODES
#define SELECT_KERNEL KERNEL_NAME(select_pipelined, SCAN_SUFFIX)(PARAMETERS(SELECT_ENCODE_ARGUMENTS))
#else
#define SELECT_KERNEL KERNEL_NAME(select_pipelined, SCAN_SUFFIX)(PARAMETERS(SELECT_PIPELINED_ARGUMENTS))
#endif
#if SELECT_ALONE
#include "select/select_alone_part.cuh"
#include "select/select_alone.cuh"
#elif !SELECT_PARTITION
extern "C" __global__ void __launch_bounds__(PIPE_ITEMS, 1) SELECT_KERNEL {
  DYNAMIC_SHARED(pipe_ring);
  __shared__ scanrt_select_shared shared;
  const scanrt_u32 warp = ITEM() / 32;
  PIPE_OPEN(flags & SELECT_OVER);
  p.capacity = capacity;
#if SELECT_ENCODES
  p.marks = p.in, p.lengths = MEMORY(lengths), p.starts = MEMORY(starts);
#else
  p.marks = MEMORY(marks), p.rest = MEMORY(rest), p.rest_capacity = rest_capacity;
  p.words = (scanrt_u32 *)MEMORY(segment_flags);
  p.places = (scanrt_u64 *)MEMORY(places);
#if !SELECT_REDUCES
  if (ITEM() == 0) shared.behind = (flags & SELECT_KNOWN) == SELECT_BEHIND ? *p.kept : 0;
#endif
#endif
  p.lasts = p.lookback.groups + tile_capacity / GROUP_TILES + 1;
  p.shared = &shared;
  p.ring = pipe_ring + RING_AT;
  p.marks_shift = (scanrt_u32)(ADDRESS(p.marks) % 16);
#if HAS_SPARSE
  p.is_sparse = scanrt_is_sparse(p);
  if (p.is_sparse) p.tile_items = SPARSE_ITEMS, p.stage_bytes = SPARSE_STAGE_BYTES;
#endif
  const scanrt_u32 fit = (scanrt_dynamic_shared_bytes() - RING_AT) / p.stage_bytes;
  p.tiles = (scanrt_u32)((p.n + p.tile_items - 1) / p.tile_items);
  p.stages = fit < PIPE_MOST_STAGES ? fit : PIPE_MOST_STAGES;
  p.slots = PIPE_BUFFERS ? PIPE_MOST_STAGES : p.stages;
  const scanrt_u32 held = GROUPS() * p.stages;
  p.counted = HAS_TWICE && flags & SELECT_TWICE && p.tiles > held ? p.tiles - held : 0;
  p.turns = p.tiles + p.counted;
  const scanrt_u64 claims = (scanrt_u64)p.turns + GROUPS();
#if SELECT_BY == SELECT_BY_PREDICATE
  PARAMS();
#elif !SELECT_ENCODES
  (void)seed_bits;
#endif
  if (ITEM() == PIPE_ITEMS - 1) {
    shared.first_claim = scanrt_lookback_claim(&p.lookback, claims);
    scanrt_first_claimed(p, shared.first_claim, from, n, (scanrt_u64 *)MEMORY(n_overflow));
  }
  scanrt_barriers_init(p);
  BARRIER();
  p.lookback.epoch = (scanrt_u32)(shared.first_claim >> 32);
  if (warp < PIPE_FIRST_LOOK_BACK)
    scanrt_role_produce(p, warp, claims);
  else if (warp < PIPE_GROUP_TOTAL)
    scanrt_role_look_back(p, warp - PIPE_FIRST_LOOK_BACK PREDICATE_PARAMETER);
  else if (warp == PIPE_GROUP_TOTAL)
    scanrt_role_group_total(p PREDICATE_PARAMETER);
  else if (warp < PIPE_FIRST_WRITER)
    scanrt_role_compact(p, (warp - PIPE_FIRST_COMPACTOR) / PIPE_COMPACTORS,
                        (warp - PIPE_FIRST_COMPACTOR) % PIPE_COMPACTORS PREDICATE_PARAMETER);
#if HAS_SPARSE
  else if (p.is_sparse)
    scanrt_role_write_sparse(p, warp - PIPE_FIRST_WRITER);
#endif
  else
    scanrt_role_write(p, warp - PIPE_FIRST_WRITER);
  if (p.lookback.epoch < EPOCH_LAST) return;
  BARRIER();
  if (ITEM() == 0) scanrt_lookback_finish_launch(&p.lookback, 0, 0);
}
#endif
