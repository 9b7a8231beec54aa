/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_totals.h"

#include <string.h>

#include "base/types.h"
#include "device/host/host_parts.h"

typedef struct totals_work {
  const host_task *task;
  host_worker *alone;
  host_parts parts;
  uint64_t bytes, piece_items;
  _Alignas(8) uint8_t totals[HOST_MOST_PARTS * HOST_PART_PIECES * 8]; /* of the pieces, in order */
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
  uint32_t passed = 0;
  for (uint32_t number; scan_host_parts_claim(&work->parts, me, &passed, &number);) fold_piece(work, number, me);
}

void scan_host_total_run(host_pool *pool, unsigned threads, host_worker *alone, host_task *task) {
  totals_work work;
  host_thread caller = { .pool = pool };
  work.task = task;
  work.alone = alone;
  scan_host_parts_open(&work.parts, threads);
  work.bytes = scan_type_bytes(task->key->type);
  const uint64_t pieces = scan_host_parts_pieces(&work.parts);
  work.piece_items = (task->n - 1) / pieces + 1;
  scan_host_pool_run(pool, threads, fold_pieces, &work);
  task->in = work.totals;
  task->n = pieces;
  alone(task, &caller);
}
