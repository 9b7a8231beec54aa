/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_totals.h"

#include <stdatomic.h>
#include <string.h>

#include "base/types.h"

/* A part consists of PIECES pieces. A thread that is done with its own part takes pieces of the others. LINE_BYTES: no
 * two threads' counters share a line of the cache. */
enum { MOST_PARTS = 64, PIECES = 8, LINE_BYTES = 64 };

typedef struct totals_part {
  _Alignas(LINE_BYTES) _Atomic uint32_t next; /* the next piece */
} totals_part;

typedef struct totals_work {
  const host_task *task;
  host_worker *alone;
  uint32_t parts;
  uint64_t bytes, piece_items;
  totals_part part[MOST_PARTS];
  _Alignas(8) uint8_t totals[MOST_PARTS * PIECES * 8]; /* of the pieces, in order */
} totals_work;

int scan_host_total_is(const host_task *task) {
  const scan_kernel_key *key = task->key;
  return (task->flags & SCAN_KERNEL_TOTAL) != 0 && key->source == NULL && key->input_type == key->type &&
         !scan_type_is_float(key->type) && !key->backward;
}

/* Folds a piece. Pieces behind the last element have the identity as their total. */
static void fold_piece(totals_work *work, uint32_t number, host_thread *me) {
  const host_task *whole = work->task;
  const uint64_t first = number * work->piece_items;
  const uint64_t left = first < whole->n ? whole->n - first : 0;
  const uint64_t identity = scan_identity_bits(whole->key->type, whole->key->op);
  uint8_t *const to = work->totals + number * work->bytes;
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
  work->alone(&piece, me);
}

static void fold_pieces(void *state, host_thread *me) {
  totals_work *work = state;
  for (uint32_t p = 0; p < work->parts; p++) {
    const uint32_t part = (me->thread_index + p) % work->parts;
    for (uint32_t k; (k = atomic_fetch_add_explicit(&work->part[part].next, 1, memory_order_relaxed)) < PIECES;)
      fold_piece(work, part * PIECES + k, me);
  }
}

void scan_host_total_run(host_pool *pool, unsigned threads, host_worker *alone, host_task *task) {
  totals_work work;
  host_thread caller = { .pool = pool };
  work.task = task;
  work.alone = alone;
  work.parts = threads < MOST_PARTS ? threads : MOST_PARTS;
  work.bytes = scan_type_bytes(task->key->type);
  work.piece_items = (task->n - 1) / ((uint64_t)work.parts * PIECES) + 1;
  for (uint32_t p = 0; p < work.parts; p++) atomic_init(&work.part[p].next, 0);
  scan_host_pool_run(pool, threads, fold_pieces, &work);
  task->in = work.totals;
  task->n = (uint64_t)work.parts * PIECES;
  alone(task, &caller);
}
