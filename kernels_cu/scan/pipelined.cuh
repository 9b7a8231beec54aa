/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-pass scan, pipelined (sm_80 and later): one persistent work-group a multiprocessor, tiles of 8 sub-tiles in a
 * ring of shared memory, and a role for each warp, so that no wait of one role holds up another.
 *
 *   producers    wait empty[stage]; the first claims a tile                       -> claimed[slot]
 *                all copy it into the stage                                       -> full[stage]
 *   reducers     wait full, reduce the sub-tiles                                  -> reduced[slot]
 *                the first publishes the tile's aggregate
 *   group total  for a group's last tile: folds the 128 aggregates and publishes the total
 *   look-back    waits claimed, finds the tile's exclusive prefix, waits reduced  -> prefixed[slot]
 *   scanners     wait full, scan a sub-tile each, wait prefixed, store            -> empty[stage]
 *                two sets, if there are so many, take tiles in turn
 *
 * Tiles lie in the stages of one ring, their state in the slots of another, longer one. A claimed tile has its stage
 * and is published without waiting for another work-group, so that waits cannot form a cycle. The order of operations
 * is the canonical one. Included in the namespace of an operator, after lookback_group.h.
 *
 * Input that does not begin at a multiple of 16 bytes is copied with the rest of its first 16 bytes; the reducers shift
 * it to where the scanners expect it. Output that does not begin so is shifted between lanes before it is stored. */
#include "scan/lookback_group.h"
#include "lib/test_hooks.h"
#include "tuning.h"

#if SCAN_TYPE == 0
#define PIPE_IMAGE TUNE_LARGE_IMAGE(SCAN_CUDA_IMAGE)
#define PIPE_SETS 1
#define PIPE_NARROW TUNE_PIPE_SOURCE_NARROW(PIPE_IMAGE, INPUT_BYTES, OUTPUT_BYTES, VALUE_BYTES, SCAN_SEGMENTS)
#define PIPE_PRODUCERS TUNE_PIPE_SOURCE_PRODUCERS(PIPE_IMAGE, PIPE_NARROW, VALUE_BYTES, SCAN_SEGMENTS)
#define PIPE_LOOK_BACKS TUNE_PIPE_SOURCE_LOOK_BACKS(PIPE_NARROW)
#define PIPE_REDUCERS TUNE_PIPE_SOURCE_REDUCERS(PIPE_IMAGE, PIPE_NARROW, VALUE_BYTES, SCAN_SEGMENTS)
#define PIPE_TUNED_ITEMS TUNE_PIPE_SOURCE_ITEMS(PIPE_IMAGE, PIPE_NARROW, VALUE_BYTES, SCAN_SEGMENTS)
#else
#define PIPE_IMAGE SCAN_CUDA_IMAGE
#define PIPE_SETS TUNE_PIPE_SETS(PIPE_IMAGE)
#define PIPE_NARROW 0
#define PIPE_PRODUCERS TUNE_PIPE_PRODUCERS(PIPE_IMAGE, VALUE_BYTES)
#define PIPE_LOOK_BACKS TUNE_PIPE_LOOK_BACKS(INPUT_BYTES, VALUE_BYTES)
#define PIPE_REDUCERS TUNE_PIPE_REDUCERS
#define PIPE_TUNED_ITEMS TUNE_PIPE_ITEMS(PIPE_IMAGE, INPUT_BYTES, VALUE_BYTES)
#endif
#define PIPE_BULK_COPY (PIPE_IMAGE >= 90)
#define PIPE_SCANNERS (SCAN_SUBTILES * PIPE_SETS)
#define SUBTILE_OF(scanner) (PIPE_SETS > 1 ? (scanner) % SCAN_SUBTILES : (scanner))
#define PIPE_FIRST_LOOK_BACK PIPE_PRODUCERS
#define PIPE_GROUP_TOTAL (PIPE_FIRST_LOOK_BACK + PIPE_LOOK_BACKS)
#define PIPE_FIRST_REDUCER (PIPE_GROUP_TOTAL + 1)
#define PIPE_FIRST_SCANNER (PIPE_FIRST_REDUCER + PIPE_REDUCERS)
#define PIPE_ITEMS ((PIPE_FIRST_SCANNER + PIPE_SCANNERS) * 32)
#if PIPE_ITEMS != PIPE_TUNED_ITEMS
#error "tuning.h counts other warps"
#endif
/* 1 if scanners keep their vectors in registers from the first read on, and leave the stage before they wait for the
 * prefix. Otherwise they read them again, where registers for eight vectors would cost two warps. */
#if SCAN_TYPE == 0
/* Halves: f16, 2^27, 90.0 % of a copy; 88.4 if scanners read their vectors again. */
#define PIPE_KEEPS (PIPE_NARROW || TUNE_PIPE_SOURCE_KEEPS(SCAN_SEGMENTS))
/* 1 if scanners put output that they do not store at once back in the vector's place, where it has room. */
#define PIPE_PUTS_BACK                                                                                                 \
  (OUTPUT_BYTES <= INPUT_BYTES && TUNE_PIPE_SOURCE_PUTS_BACK(SCAN_SEGMENTS, VALUE_BYTES, STORED_BYTES))
#else
#define PIPE_KEEPS TUNE_PIPE_KEEPS(PIPE_IMAGE)
#define PIPE_PUTS_BACK 0
#endif
#define PIPE_MOST_STAGES TUNE_PIPE_MOST_STAGES(PIPE_NARROW)
#define PIPE_SLOTS 16
/* Ends that the claiming warp posts: look-back warps, and sets of scanners, each end at one of their own. */
#define PIPE_ENDS (PIPE_LOOK_BACKS > PIPE_SETS ? PIPE_LOOK_BACKS : PIPE_SETS)
/* How far roles can be apart: tests/model/test_rings.c. */
#if PIPE_SLOTS < PIPE_MOST_STAGES + PIPE_ENDS + PIPE_KEEPS * (PIPE_SETS - 1)
#error "a slot is used anew while a warp needs it"
#endif
#define PIPE_TILE_BYTES (TILE_ROWS * ROW_VECS * (int)sizeof(scanrt_loaded_t))
#define PIPE_SUBTILE_BYTES (PIPE_TILE_BYTES / SCAN_SUBTILES)
#define PIPE_SPARE_BYTES (16 * SCAN_SUBTILES) /* the 16 bytes after each sub-tile, for shifted input */
#if SCAN_SEGMENTS                             /* the tile's marks, after 16 bytes for the mark before them */
#if SCAN_SEGMENTS == 2
#define PIPE_MARKS_BYTES ((int)TILE_ITEMS / 8)
#else
#define PIPE_MARKS_BYTES ((int)TILE_ITEMS * MARK_BYTES)
#endif
#define PIPE_BEFORE_BYTES 16
#else
#define PIPE_MARKS_BYTES 0
#define PIPE_BEFORE_BYTES 0
#endif
#define PIPE_MARKS_AT (PIPE_TILE_BYTES + PIPE_SPARE_BYTES + PIPE_BEFORE_BYTES) /* in a stage */
#define PIPE_STAGE_BYTES (PIPE_MARKS_AT + PIPE_MARKS_BYTES)
#define PIPE_LEAVES (GROUP_TILES / 32)

/* The lanes of a warp that arrive at a barrier for what all lanes have read: the first, after __syncwarp. racecheck
 * does not follow that and reports the other 31, so the tests have a build in which all lanes arrive. */
#ifdef SCAN_TEST_LANES_ARRIVE
#define PIPE_ARRIVING 32
#else
#define PIPE_ARRIVING 1
#endif

struct scanrt_pipe_shared {
  scanrt_u64 full[PIPE_MOST_STAGES], empty[PIPE_MOST_STAGES];
  scanrt_u64 claimed[PIPE_SLOTS], reduced[PIPE_SLOTS], prefixed[PIPE_SLOTS];
  scanrt_u32 tile[PIPE_SLOTS];
  scanrt_value_t sub[PIPE_SLOTS][SCAN_SUBTILES], prefix[PIPE_SLOTS];
  scanrt_u64 first_claim;
  scanrt_u32 last_slot[PIPE_SCANNERS], last_stage[PIPE_SCANNERS]; /* for each scanner's last tile */
};
static_assert(sizeof(scanrt_pipe_shared) <= TUNE_PIPE_OWN_BYTES(sizeof(scanrt_value_t)), "the host leaves less for it");

/* The state of a work-item, for all roles. */
struct scanrt_pipe {
  scanrt_job job;
  scanrt_lookback_state lookback;
  scanrt_pipe_shared *shared;
  unsigned char *ring;
  scanrt_u32 in_shift; /* bytes by which the input begins after a multiple of 16 */
#if SCAN_SEGMENTS
  scanrt_u32 marks_lie; /* 1 if marks begin at a multiple of 16 bytes */
#endif
};

/* A role's place in both rings. */
struct scanrt_pipe_place {
  scanrt_u32 stage, phase, stages; /* phase: that of the stage's barriers */
  scanrt_u32 turn;
};

FUNC void scanrt_place_next(scanrt_pipe_place &at) {
  at.turn++;
  if (++at.stage < at.stages) return;
  at.stage = 0;
  at.phase ^= 1;
}

/* Goes on to the next tile of a set of scanners. */
FUNC void scanrt_place_next_of_set(scanrt_pipe_place &at) {
  UNROLL
  for (int k = 0; k < PIPE_SETS; k++) scanrt_place_next(at);
}

/* Goes back by one tile of a set; `phase` is invalid afterwards. */
FUNC void scanrt_place_back_of_set(scanrt_pipe_place &at) {
  UNROLL
  for (int k = 0; k < PIPE_SETS; k++) {
    at.turn--;
    at.stage = (at.stage == 0 ? at.stages : at.stage) - 1;
  }
}

FUNC scanrt_u32 scanrt_slot_of(const scanrt_pipe_place &at) { return at.turn % PIPE_SLOTS; }
FUNC scanrt_u32 scanrt_slot_phase(const scanrt_pipe_place &at) { return at.turn / PIPE_SLOTS & 1; }

FUNC void scanrt_slot_post(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile) {
  if (ITEM() % 32 != 0) return;
  p.shared->tile[scanrt_slot_of(at)] = tile;
  scanrt_mbarrier_arrive(&p.shared->claimed[scanrt_slot_of(at)]);
}

/* Waits for the tile in a slot and returns it; a number past the last tile ends the role. */
FUNC scanrt_u32 scanrt_slot_tile(const scanrt_pipe &p, const scanrt_pipe_place &at) {
  scanrt_mbarrier_wait(&p.shared->claimed[scanrt_slot_of(at)], scanrt_slot_phase(at));
  return p.shared->tile[scanrt_slot_of(at)];
}

FUNC void scanrt_stage_leave(const scanrt_pipe &p, const scanrt_pipe_place &at) {
  __syncwarp();
  if (ITEM() % 32 < PIPE_ARRIVING) scanrt_mbarrier_arrive(&p.shared->empty[at.stage]);
}

/* Returns the first element of the lane's vector in row r of a sub-tile. */
FUNC scanrt_u64 scanrt_row_first(scanrt_u32 tile, scanrt_u32 sub, scanrt_u32 r) {
  const scanrt_u32 row = sub * SUBTILE_ROWS + r;
  return tile * TILE_ITEMS + (scanrt_u64)(row * ROW_VECS + ITEM() % 32) * VEC_ITEMS;
}

/* Returns the work-item's first vector of a sub-tile in a stage. */
FUNC scanrt_loaded_t *scanrt_stage_vectors(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 sub) {
  return (scanrt_loaded_t *)(p.ring + at.stage * PIPE_STAGE_BYTES + sub * PIPE_SUBTILE_BYTES) + ITEM() % 32;
}

/* Returns 1 if the sub-tile lies before n as a whole. */
FUNC scanrt_u32 scanrt_subtile_is_whole(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 sub) {
  return tile * TILE_ITEMS + (sub + (scanrt_u64)1) * (SUBTILE_ROWS * ROW_ITEMS) <= p.job.n;
}

/* 1 if scanners put rows back in their stage, and do not store them as they come. */
#define PUTS_BACK(job) (PIPE_PUTS_BACK && !(STORES(job) && (job)->vectors_out))

/* 1 if a sub-tile is scanned in its turn. scanrt_subtile_end scans it otherwise: n cuts it, or the carry-out would be
 * looked for in a stage that has been overwritten. */
#define SUBTILE_AT_ONCE(p, tile, sub)                                                                                  \
  (SUBTILE_WHOLE(p, tile, sub) && !(PUTS_BACK(&(p).job) && TILE_WRITES_LAST(&(p).job, tile)))

/* Copies 16 bytes of the input to a stage, or as many as exist, followed by the identity; without an identity by zeros,
 * which are not read. `lies` is 1 if they begin at a multiple of 16 bytes. */
#if SCAN_TYPE != 0
#define NOT_THERE IDENTITY
#else
#define NOT_THERE 0
#endif
template <class T> FUNC void scanrt_chunk_fill(unsigned char *to, const void *from, scanrt_u64 there, scanrt_u32 lies) {
  if (lies && there >= 16) {
    scanrt_async_copy16(to, from);
    return;
  }
  UNROLL
  for (scanrt_u32 k = 0; k < 16 / sizeof(T); k++)
    ((T *)to)[k] = k * sizeof(T) < there ? ((const T *)from)[k] : (T)NOT_THERE;
}

#include "scan/pipelined_marks.cuh"
#if SCAN_TYPE == 0
#include "scan/pipelined_source.cuh"
#else
#include "scan/pipelined_built_in.cuh"
#endif
#include "scan/pipelined_look_back.cuh"
#include "scan/pipelined_produce.cuh"
#include "scan/pipelined_shift.cuh"

/* ---- the work on a tile in its stage ---- */

#if SCAN_TYPE == 0
#include "scan/pipelined_source_roles.cuh"
#else
#include "scan/pipelined_built_in_roles.cuh"
#endif

FUNC void scanrt_role_reduce(const scanrt_pipe &p, scanrt_pipe_place at, scanrt_u32 reducer) {
  const scanrt_u32 lane = ITEM() % 32;
  for (;; scanrt_place_next(at)) {
    const scanrt_u32 tile = scanrt_slot_tile(p, at);
    if (tile >= p.job.tiles) return;
    scanrt_mbarrier_wait(&p.shared->full[at.stage], at.phase);
    NO_UNROLL
    for (scanrt_u32 q = reducer; q < SCAN_SUBTILES; q += PIPE_REDUCERS) {
      const scanrt_value_t sub = scanrt_subtile_reduce_staged(p, at, tile, q);
      if (lane == 0) p.shared->sub[scanrt_slot_of(at)][q] = sub;
    }
    scanrt_stage_leave(p, at);
    /* Each lane arrives for what it wrote: racecheck does not see that one arrives for others after a common
     * barrier. */
    if (p.in_shift || lane == 0) scanrt_mbarrier_arrive(&p.shared->reduced[scanrt_slot_of(at)]);
    NAMED_BARRIER(1, PIPE_REDUCERS * 32);
    if (reducer == 0 && lane == 0 && TILE_WHOLE(&p.job, tile)) { /* no tile follows one that is not */
      const scanrt_value_t all = scanrt_subtiles_total(p.shared->sub[scanrt_slot_of(at)]);
      if (PUBLISHES(tile)) scanrt_descriptor_put(p.lookback.tiles, tile, all, p.lookback.epoch);
    }
  }
}

/* Scans and stores the scanner's sub-tile of a tile, and leaves its stage. */
FUNC void scanrt_subtile_scan(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 sub) {
  const scanrt_u32 lane = ITEM() % 32;
  const scanrt_loaded_t *const in = scanrt_stage_vectors(p, at, sub);
  const scanrt_rows_before before = scanrt_rows_scan(p, at, tile, sub, in);
  const scanrt_u32 leaves = PIPE_KEEPS && !PUTS_BACK(&p.job);
  if (leaves) scanrt_stage_leave(p, at);
  scanrt_mbarrier_wait(&p.shared->prefixed[scanrt_slot_of(at)], scanrt_slot_phase(at));
  const scanrt_value_t prefix = scanrt_prefix_shown(&p.job, p.shared->prefix[scanrt_slot_of(at)]);
  const scanrt_value_t sub_before = scanrt_subtiles_before(p.shared->sub[scanrt_slot_of(at)], sub);
  const scanrt_u64 first = tile * TILE_ITEMS + (scanrt_u64)(sub * SUBTILE_ROWS * ROW_VECS + lane) * VEC_ITEMS;
#if SCAN_TYPE == 0
  scanrt_subtile_store(p, tile, sub, first, in, before, prefix, sub_before);
#else
  const scanrt_u32 whole = scanrt_subtile_is_whole(p, tile, sub);
#define OUTPUT(r) scanrt_row_output(p, tile, sub, r, in, before, prefix, sub_before)
  if (whole && p.job.vectors_out) {
    UNROLL
    for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) *(scanrt_stored_t *)(p.job.out + first + r * ROW_ITEMS) = OUTPUT(r);
  } else if (whole) {
#define STORE(word) scanrt_subtile_store_shifted<word>(p, tile, sub, first, in, before, prefix, sub_before)
#if VALUE_BYTES < 4 /* these compute the most: code for each word that the output may begin with */
    switch ((16 - OUT_SHIFT(p.job)) / 4) {
    case 0: STORE(0); break;
    case 1: STORE(1); break;
    case 2: STORE(2); break;
    default: STORE(3);
    }
#else
    STORE(ANY_WORD);
#endif
#undef STORE
  } else {
    UNROLL
    for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) scanrt_vector_store_guarded(&p.job, first + r * ROW_ITEMS, OUTPUT(r));
  }
#undef OUTPUT
#endif
  if (!leaves) scanrt_stage_leave(p, at);
}

/* Scans the scanner's sub-tile of every tile of its set. `at` ends at the slot that says that no tile is left. */
FUNC void scanrt_subtiles_scan(const scanrt_pipe &p, scanrt_pipe_place &at, scanrt_u32 sub) {
  for (;; scanrt_place_next_of_set(at)) {
    const scanrt_u32 tile = scanrt_slot_tile(p, at);
    if (tile >= p.job.tiles) return;
    if (p.in_shift)
      scanrt_mbarrier_wait(&p.shared->reduced[scanrt_slot_of(at)], scanrt_slot_phase(at)); /* and shifted */
    else
      scanrt_mbarrier_wait(&p.shared->full[at.stage], at.phase);
    if (SUBTILE_AT_ONCE(p, tile, sub))
      scanrt_subtile_scan(p, at, tile, sub);
    else
      scanrt_subtile_put_off(p, at);
  }
}

/* Passes over every tile of the scanner's set, for a total. */
FUNC void scanrt_subtiles_skip(const scanrt_pipe &p, scanrt_pipe_place &at) {
  for (; scanrt_slot_tile(p, at) < p.job.tiles; scanrt_place_next_of_set(at)) {
    scanrt_mbarrier_wait(&p.shared->prefixed[scanrt_slot_of(at)], scanrt_slot_phase(at));
    scanrt_stage_leave(p, at);
  }
}

/* Scans, then notes the place of the work-group's last tile in shared memory. In registers it cost one too many
 * (float64 94.2 % of a copy instead of 96.0, 2^27, H200). */
FUNC void scanrt_role_scan(const scanrt_pipe &p, scanrt_pipe_place at, scanrt_u32 scanner) {
  const scanrt_u32 sub = SUBTILE_OF(scanner);
  for (scanrt_u32 k = 1; k < PIPE_SETS && k * SCAN_SUBTILES <= scanner; k++) scanrt_place_next(at);
  if (SKIPS(&p.job))
    scanrt_subtiles_skip(p, at);
  else
    scanrt_subtiles_scan(p, at, sub);
  const scanrt_u32 has_tile = at.turn >= PIPE_SETS;
  scanrt_place_back_of_set(at);
  if (ITEM() % 32 == 0) p.shared->last_slot[scanner] = has_tile ? scanrt_slot_of(at) : PIPE_SLOTS;
  if (ITEM() % 32 == 0) p.shared->last_stage[scanner] = at.stage;
  __syncwarp();
}

/* The scanners' end: writes the carry-out and the total, which are in the last tile of a set of a work-group. A test
 * for each tile in the scanners' loop cost scans without them 0.3 us of 38 (int32, 2^24, H200), most of it since the
 * code lay between that of the roles. */
FUNC void scanrt_write_last(const scanrt_pipe &p, scanrt_u32 scanner) {
  if (scanner >= PIPE_SCANNERS || p.shared->last_slot[scanner] == PIPE_SLOTS) return;
  const scanrt_pipe_place at = { p.shared->last_stage[scanner], 0, 0, p.shared->last_slot[scanner] };
  scanrt_subtile_end(p, at, p.shared->tile[scanrt_slot_of(at)], SUBTILE_OF(scanner));
}

/* Initialises the barriers. One takes 30 ns, and those of a warp's lanes come one after another, so each warp takes a
 * stage or a slot. In the older image that costs a register too many (93.6 % of a copy instead of 95.9, u32), so there
 * the lanes of the first warp do it, while the first tile is on its way to L2. */
FUNC void scanrt_barriers_init(scanrt_pipe_shared *shared, scanrt_u32 stages, scanrt_u32 in_shift) {
  const scanrt_u32 first = PIPE_BULK_COPY ? ITEM() / 32 : ITEM(), step = PIPE_BULK_COPY ? PIPE_ITEMS / 32 : PIPE_ITEMS;
  if (PIPE_BULK_COPY && ITEM() % 32 != 0) return;
  for (scanrt_u32 stage = first; stage < PIPE_MOST_STAGES + PIPE_SLOTS; stage += step) {
    const scanrt_u32 slot = stage - PIPE_MOST_STAGES;
    if (stage < stages) {
      scanrt_mbarrier_init(&shared->full[stage], PIPE_PRODUCERS * 32);
      scanrt_mbarrier_init(&shared->empty[stage], (SCAN_SUBTILES + PIPE_REDUCERS + 1) * PIPE_ARRIVING);
    } else if (slot < PIPE_SLOTS) {
      scanrt_mbarrier_init(&shared->claimed[slot], 1);
      scanrt_mbarrier_init(&shared->reduced[slot], PIPE_REDUCERS * (in_shift ? 32 : 1)); /* they shift input, too */
      scanrt_mbarrier_init(&shared->prefixed[slot], PIPE_ARRIVING);
    }
  }
  if (PIPE_BULK_COPY) scanrt_copy_engine_fence();
}

extern "C" __global__ void __launch_bounds__(PIPE_ITEMS, 1)
    KERNEL_NAME(scan_pipelined, SCAN_SUFFIX)(PARAMETERS(LOOKBACK_ARGUMENTS)) {
  DYNAMIC_SHARED(pipe_ring);
  __shared__ scanrt_pipe_shared shared;
  const scanrt_u32 warp = ITEM() / 32, fit = scanrt_dynamic_shared_bytes() / PIPE_STAGE_BYTES;
  scanrt_pipe p = { JOB(),
                    scanrt_lookback_state_open(MEMORY(workspace), tile_capacity, SPIN_LIMIT(spin_limit),
                                               RECOMPUTES(flags & FLAG_IN_PLACE)),
                    &shared, pipe_ring, 0 };
  const scanrt_pipe_place start = { 0, 0, fit < PIPE_MOST_STAGES ? fit : PIPE_MOST_STAGES, 0 };
  const scanrt_u64 claims = (scanrt_u64)p.job.tiles + GROUPS();
  scanrt_tile_prefetch(&p.job, GROUP()); /* some work-group claims it at once */
  p.in_shift = (scanrt_u32)(ADDRESS(p.job.in) % 16);
  MARKS_OPEN(p);
  p.job.zero = 0; /* vectors are loaded again, so that none is held unpacked */
  if (ITEM() == PIPE_ITEMS - 1) shared.first_claim = scanrt_lookback_claim(&p.lookback, claims);
  scanrt_barriers_init(&shared, start.stages, p.in_shift);
  BARRIER();
  p.lookback.epoch = (scanrt_u32)(shared.first_claim >> 32);
  if (warp == 0)
    scanrt_role_claim(p, start, claims);
  else if (warp < PIPE_PRODUCERS)
    scanrt_role_produce(p, start, warp);
#if SCAN_TYPE == 0
  else if (warp <= PIPE_GROUP_TOTAL)
    scanrt_role_look(p, start, SEED(), warp - PIPE_FIRST_LOOK_BACK);
#else
  else if (warp < PIPE_GROUP_TOTAL)
    scanrt_role_look_back(p, start, SEED(), warp - PIPE_FIRST_LOOK_BACK);
  else if (warp == PIPE_GROUP_TOTAL)
    scanrt_role_group_total(p, start);
#endif
  else if (warp < PIPE_FIRST_SCANNER)
    scanrt_role_reduce(p, start, warp - PIPE_FIRST_REDUCER);
  else
    scanrt_role_scan(p, start, warp - PIPE_FIRST_SCANNER);
  scanrt_write_last(p, warp - PIPE_FIRST_SCANNER);
  if (p.lookback.epoch < EPOCH_LAST) return;
  BARRIER();
  if (ITEM() == 0) scanrt_lookback_finish_launch(&p.lookback, 0, 0);
}
