/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/scan_parts.h"

#include "base/types.h"
#include "device/host/host_parts.h"

/* MOST_TILES: tiles of a round, whose aggregates lie in the caller's stack. Arrays of AHEAD_LEAST_BYTES come from
 * memory and are prefetched: the processor's own prefetches are too late for tiles of floating point. */
enum { MOST_TILES = 1024, AHEAD_LEAST_BYTES = 64 << 20, AHEAD_BYTES = 8192 };

typedef struct parts_work {
  _Alignas(HOST_PARTS_LINE) const host_task *task;
  host_tiles_step *step;
  uint64_t bytes, first, tiles, piece_tiles;
  host_parts parts;
  _Alignas(HOST_PARTS_LINE) uint8_t values[MOST_TILES * 8]; /* the tiles' aggregates, then the values before them */
} parts_work;

static void do_pieces(void *state, host_thread *me) {
  parts_work *work = state;
  uint32_t passed = 0;
  scan_host_parts_prefetch(&work->parts, me);
  __builtin_prefetch(work->task);
  for (uint32_t number; scan_host_parts_claim(&work->parts, me, &passed, &number);) {
    const uint64_t first = number * work->piece_tiles, left = first < work->tiles ? work->tiles - first : 0;
    const uint64_t count = left < work->piece_tiles ? left : work->piece_tiles;
    if (count != 0) work->step(work->task, work->first + first, count, work->values + first * work->bytes);
  }
}

static void run_step(host_pool *pool, unsigned threads, parts_work *work, host_tiles_step *step) {
  work->step = step;
  scan_host_parts_open(&work->parts, threads, HOST_PART_PIECES);
  work->piece_tiles = (work->tiles - 1) / scan_host_parts_pieces(&work->parts) + 1;
  scan_host_pool_run(pool, threads, do_pieces, work);
}

void scan_parts_run(host_pool *pool, unsigned threads, const host_kernel *loops, host_task *task) {
  const uint64_t tiles = (task->n - 1) / loops->tile_items + 1;
  parts_work work;
  task->ahead_bytes = task->n * scan_type_bytes(task->key->input_type) >= AHEAD_LEAST_BYTES ? AHEAD_BYTES : 0;
  work.task = task;
  work.bytes = scan_type_bytes(task->key->type);
  for (work.first = 0; work.first < tiles; work.first += MOST_TILES) {
    work.tiles = tiles - work.first < MOST_TILES ? tiles - work.first : MOST_TILES;
    run_step(pool, threads, &work, loops->tiles_reduce);
    loops->tiles_fold(task, work.first, work.tiles, work.values);
    if ((task->flags & SCAN_KERNEL_TOTAL) == 0) run_step(pool, threads, &work, loops->tiles_write);
  }
}
