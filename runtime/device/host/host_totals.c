/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_totals.h"

#include <string.h>

#include "base/canonical.h"
#include "base/types.h"
#include "device/host/host_parts.h"

/* Tiles of a round, whose aggregates lie in the caller's stack. */
enum { MOST_TILES = 1024 };

typedef struct totals_work {
  host_task *task;
  const host_kernel *loops;
  host_parts parts;
  uint64_t bytes, piece_items;
  uint64_t first, tiles, piece_tiles; /* of a round, of floating point */
  union {
    _Alignas(8) uint8_t pieces[HOST_MOST_PARTS * HOST_PART_PIECES * 8]; /* the pieces' totals, in order */
    uint8_t tiles[MOST_TILES * 8];                                      /* the tiles' aggregates, in order */
  } values;
} totals_work;

int scan_host_total_is(const host_task *task, const host_kernel *loops) {
  const scan_kernel_key *key = task->key;
  if ((task->flags & SCAN_KERNEL_TOTAL) == 0 || key->source != NULL || key->backward) return 0;
  return scan_type_is_float(key->type) ? loops->tiles_reduce != NULL : key->input_type == key->type;
}

/* ---- integers ---- */

/* Folds a piece. Pieces behind the last element have the identity as their total. */
static void fold_piece(totals_work *work, uint32_t number, host_thread *me) {
  const host_task *whole = work->task;
  const uint64_t first = number * work->piece_items;
  const uint64_t left = first < whole->n ? whole->n - first : 0;
  const uint64_t identity = scan_identity_bits(whole->key->type, whole->key->op);
  uint8_t *const to = work->values.pieces + number * work->bytes;
  host_task piece;
  if (left == 0) {
    memcpy(to, &identity, (size_t)work->bytes);
    return;
  }
  piece.in = (const uint8_t *)((uintptr_t)whole->in + (uintptr_t)(first * work->bytes));
  piece.out = to;
  piece.n = left < work->piece_items ? left : work->piece_items;
  piece.seed_bits = identity;
  piece.flags = SCAN_KERNEL_TOTAL | SCAN_KERNEL_INCLUSIVE;
  piece.carry_out = NULL;
  piece.key = whole->key;
  work->loops->alone(&piece, me);
}

static void fold_pieces(void *state, host_thread *me) {
  totals_work *work = state;
  uint32_t passed = 0;
  for (uint32_t number; scan_host_parts_claim(&work->parts, me, &passed, &number);) fold_piece(work, number, me);
}

static void run_exact(host_pool *pool, unsigned threads, totals_work *work) {
  host_thread caller = { .pool = pool };
  host_task *task = work->task;
  scan_host_parts_open(&work->parts, threads);
  const uint64_t pieces = scan_host_parts_pieces(&work->parts);
  work->piece_items = (task->n - 1) / pieces + 1;
  scan_host_pool_run(pool, threads, fold_pieces, work);
  task->in = work->values.pieces;
  task->n = pieces;
  work->loops->alone(task, &caller);
}

/* ---- floating point ---- */

static void reduce_pieces(void *state, host_thread *me) {
  totals_work *work = state;
  uint32_t passed = 0;
  for (uint32_t number; scan_host_parts_claim(&work->parts, me, &passed, &number);) {
    const uint64_t first = number * work->piece_tiles, left = first < work->tiles ? work->tiles - first : 0;
    const uint64_t count = left < work->piece_tiles ? left : work->piece_tiles;
    if (count == 0) continue;
    work->loops->tiles_reduce(work->task, work->first + first, count, work->values.tiles + first * work->bytes);
  }
}

static void run_by_tiles(host_pool *pool, unsigned threads, totals_work *work) {
  const uint64_t tile_items = work->task->key->subtiles * canon_subtile_items(work->bytes);
  const uint64_t tiles = (work->task->n - 1) / tile_items + 1;
  for (work->first = 0; work->first < tiles; work->first += MOST_TILES) {
    work->tiles = tiles - work->first < MOST_TILES ? tiles - work->first : MOST_TILES;
    scan_host_parts_open(&work->parts, threads);
    work->piece_tiles = (work->tiles - 1) / scan_host_parts_pieces(&work->parts) + 1;
    scan_host_pool_run(pool, threads, reduce_pieces, work);
    work->loops->tiles_fold(work->task, work->first, work->tiles, work->values.tiles);
  }
}

void scan_host_total_run(host_pool *pool, unsigned threads, const host_kernel *loops, host_task *task) {
  totals_work work;
  work.task = task;
  work.loops = loops;
  work.bytes = scan_type_bytes(task->key->type);
  if (scan_type_is_float(task->key->type))
    run_by_tiles(pool, threads, &work);
  else
    run_exact(pool, threads, &work);
}
