/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream compaction in one launch an array, by work-groups that look back as scans do (lookback.cl). A work-group loads
 * its next tile into registers, finds its kept elements and publishes their number. Then it looks back for its current
 * tile, which lies in local memory with its kept elements in front: they form one run of the output, the rest another.
 *
 * A tile is in registers before its count is published, and output is written only where tiles were that have
 * published: the output may be the input. The element beside a tile that is compared with it is loaded with the tile.
 * Its place is written by tiles that wait for this one, or, if nothing has been dropped, by the tile before, which
 * writes the same value.
 *
 * Waits cannot form a cycle, as in lookback.cl.
 *
 * LOOK_BY: the kind of marks; SELECT_BYTES: bytes of an element, 1, 2, 4, 8 or 16; SELECT_KERNEL: the kernel's name. */
#ifndef SCANRT_CL_SELECT_LOOKBACK_H
#define SCANRT_CL_SELECT_LOOKBACK_H

#include "lib/arguments.h"
#include "lib/bits.h"
#include "lib/test_hooks.h"
#include "select/select.h"

#define SELECT_BY_FLAGS 1
#define SELECT_BY_BITS 2
#define SELECT_BY_RUNS 3
#define SELECT_BY_PREDICATE 4

/* 1 if neighbours are compared: keys, or elements by a predicate of two. */
#if LOOK_BY == SELECT_BY_RUNS || (LOOK_BY == SELECT_BY_PREDICATE && defined(SCAN_SOURCE_PAIRS))
#define LOOKS_BESIDE 1
#else
#define LOOKS_BESIDE 0
#endif

#if SCAN_GROUP_ITEMS % 32 != 0
#error "the work-group is no multiple of 32 work-items"
#endif

#if LOOK_BY == SELECT_BY_PREDICATE
#include "select/select_params.h"
#else
#define SEED_PARAMETERS
#endif

/* A part of the tile belongs to 32 consecutive work-items (a "warp"): each has ROWS vectors of 16 bytes, beside those
 * of the others, and a bit for each element of them. */
#define WARPS (SCAN_GROUP_ITEMS / 32)
#define VEC_ITEMS (16 / SELECT_BYTES)
#define ROWS (SELECT_BYTES >= 4 ? 8 : 2 * SELECT_BYTES)
#define ROW_ITEMS (32 * VEC_ITEMS)
#define PART_ITEMS (ROWS * ROW_ITEMS)
#define TILE_ITEMS (WARPS * PART_ITEMS)
#define ROW_BITS ((1u << VEC_ITEMS) - 1)
#define GROUP_TILES 128
#include "lib/descriptor_count.h"

/* Unrolls loops over registers, which cannot be indexed; not on PoCL, which takes minutes to compile them unrolled. */
#if defined(POCL_DEVICE_ADDRESS_BITS)
#define ROWS_UNROLL NO_UNROLL
#else
#define ROWS_UNROLL UNROLL
#endif

/* The index in the tile of the first element of the work-item's vector r. */
#define VECTOR_AT(r) (ITEM() / 32 * PART_ITEMS + ITEM() % 32 * VEC_ITEMS + (r)*ROW_ITEMS)

typedef struct scanrt_select_job {
  GLOBAL const scanrt_u8 *in, *marks;
  GLOBAL scanrt_u8 *out, *rest;
  GLOBAL scanrt_u32 *words; /* the output of the bits */
  GLOBAL scanrt_u64 *kept, *places;
  scanrt_u64 n, capacity, rest_capacity, behind;
  scanrt_u32 tiles, flags;
#if LOOK_BY == SELECT_BY_PREDICATE
  scanrt_keep_params params;
#endif
} scanrt_select_job;

FUNC scanrt_u64 scanrt_tile_first(scanrt_u32 tile) { return (scanrt_u64)tile * TILE_ITEMS; }

/* Returns the number of elements in a tile. */
FUNC scanrt_u32 scanrt_tile_items(const scanrt_select_job *job, scanrt_u32 tile) {
  const scanrt_u64 left = job->n - scanrt_tile_first(tile);
  return left < TILE_ITEMS ? (scanrt_u32)left : TILE_ITEMS;
}

#include "select/select_lookback_ranks.h"
#include "select/select_lookback_keep.h"
#include "select/select_lookback_state.h"
#include "select/select_lookback_write.h"

#define NO_TILE 0xffffffffu

/* Called by the first claimer: writes count 0 if there are no tiles, and reports an n_from above the plan's n. */
FUNC void scanrt_first_claimed(const scanrt_select_job *job, GLOBAL const scanrt_u64 *n_from, scanrt_u64 most,
                               GLOBAL scanrt_u64 *n_overflow) {
  if (job->tiles == 0) *job->kept = 0;
  if (job->tiles == 0 && job->flags & (SELECT_PLACES | SELECT_LEFT)) *job->places = 0;
  if (job->flags & SELECT_N_FROM && *n_from > most && *n_from > *n_overflow) *n_overflow = *n_from;
}

/* Writes the results that need a tile's prefix: the places of its parts and, for the last tile, the total. */
FUNC void scanrt_tile_report(const scanrt_select_job *job, scanrt_u32 tile, scanrt_u64 prefix, scanrt_u32 count,
                             scanrt_u32 part_before) {
  const scanrt_u32 part = ITEM() / 32 * PART_ITEMS;
  const scanrt_u64 first = scanrt_tile_first(tile) + part;
  const scanrt_u32 is_last = tile + 1 == job->tiles && ITEM() == 0;
  if (is_last) *job->kept = prefix + count;
  if (is_last && job->flags & SELECT_LEFT) *job->places = job->n - prefix - count;
  if (!(job->flags & SELECT_PLACES)) return;
  if (ITEM() % 32 == 0 && first < job->n && first % SELECT_TILE_ITEMS == 0)
    job->places[first / SELECT_TILE_ITEMS] = prefix + part_before;
  if (is_last) job->places[SELECT_TILES(job->n)] = prefix + count;
}

KERNEL(SELECT_KERNEL)(PARAMETERS(SELECT_PIPELINED_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_select_scratch, s, 1);
  GLOBAL const scanrt_u64 *from = (GLOBAL const scanrt_u64 *)MEMORY(n_from);
  const scanrt_u32 claimer = ITEM() == SCAN_GROUP_ITEMS - 1;
  scanrt_select_job job;
  job.in = MEMORY(in), job.marks = MEMORY(marks), job.out = MEMORY(out), job.rest = MEMORY(rest);
  job.words = (GLOBAL scanrt_u32 *)MEMORY(segment_flags);
  job.kept = (GLOBAL scanrt_u64 *)MEMORY(kept), job.places = (GLOBAL scanrt_u64 *)MEMORY(places);
  job.n = flags & SELECT_N_FROM && *from < n ? *from : n;
  job.capacity = capacity, job.rest_capacity = rest_capacity;
  job.behind = flags & SELECT_BEHIND ? *job.kept : 0;
  job.tiles = (scanrt_u32)((job.n + TILE_ITEMS - 1) / TILE_ITEMS);
  job.flags = flags;
#if LOOK_BY == SELECT_BY_PREDICATE
  PARAMS();
  job.params = params;
#else
  (void)seed_bits;
#endif
  (void)tile_parts;
  const scanrt_u64 claims = (scanrt_u64)job.tiles + GROUPS();
  scanrt_lookback_state lookback = scanrt_lookback_state_at(MEMORY(workspace), tile_capacity, DESCRIPTOR_WORDS,
                                                            SPIN_LIMIT(spin_limit), RECOMPUTES(flags & SELECT_OVER));
  scanrt_u32 tile = NO_TILE, count = 0, part_before = 0, done = 0;
  scanrt_lookback_cursor cursor;
  scanrt_lookback_init(&cursor, 0);
  scanrt_lookback_clear_missing(s);
  scanrt_u64 begun = claimer ? scanrt_claim_begin(lookback.control) : 0;
  for (;;) {
    scanrt_select_tile next;
    scanrt_ranks ranks;
    scanrt_descriptor_word group_total = 0;
    if (claimer) {
      s->claim = scanrt_claim_end(lookback.control, claims, begun);
      if ((scanrt_u32)s->claim == 0) scanrt_first_claimed(&job, from, n, (GLOBAL scanrt_u64 *)MEMORY(n_overflow));
    }
    BARRIER(); /* the kept elements of the current tile are in local memory, too */
    const scanrt_u32 ahead = CLAIMED((scanrt_u32)s->claim, job.tiles), is_there = ahead < job.tiles;
    lookback.epoch = (scanrt_u32)(s->claim >> 32);
    if (is_there) scanrt_tile_load(&job, ahead, &next);
    if (is_there) next.bits = scanrt_tile_keep(&job, ahead, &next);
    if (tile != NO_TILE) group_total = scanrt_look_ahead(&lookback, tile, &cursor);
    if (is_there) {
      scanrt_ranks_make(&ranks, next.bits, s);
      STALL(&lookback, ahead);
      if (ITEM() == 0 && PUBLISHES(ahead)) scanrt_descriptor_put(lookback.tiles, ahead, ranks.count, lookback.epoch);
      if (flags & SELECT_EMITS) scanrt_bits_emit(&job, ahead, next.bits, s);
      if (PUBLISHES_GROUPS && ENDS_GROUP(ahead, job.tiles))
        (void)scanrt_group_publish(&job, &lookback, ahead / GROUP_TILES, s);
    }
    if (tile != NO_TILE) {
      scanrt_groups_take(&lookback, tile, group_total, &cursor);
      if (LOOKS_ANEW) scanrt_lookback_init(&cursor, 0);
      const scanrt_u64 prefix = scanrt_lookback_prefix(&job, &lookback, tile, &cursor, s);
      if (!LOSES(tile)) {
        scanrt_tile_write(&job, tile, prefix, count, s);
        scanrt_tile_report(&job, tile, prefix, count, part_before);
        done++;
      }
    }
    if (!is_there) break;
    if (claimer) begun = scanrt_claim_begin(lookback.control);
    BARRIER(); /* the current tile has left local memory */
    scanrt_tile_compact(&next, &ranks, flags & SELECT_REST, s);
    tile = ahead;
    count = ranks.count;
    part_before = scanrt_ranks_before_part(&ranks, s);
  }
  if (ITEM() == 0) scanrt_lookback_finish_launch(&lookback, done, job.tiles);
}
#endif
