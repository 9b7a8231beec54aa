/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans this rank's blocks: those in the caller's memory, and the one that is held. */
#include "mpi/run.h"

/* Takes over a scan's status. An overflow is no failure here: it is noted by its place in the order of the scan. */
static scan_status read_overflow(mpi_run *run, scan_status status, uint64_t first, uint64_t n) {
  uint64_t index = 0;
  if (status != SCAN_OVERFLOW) return scan_mpi_adopt_error(run->mpi, status);
  MPI_TRY(scan_mpi_adopt_error(run->mpi, scan_overflow_index(run->mpi->ctx, &index)));
  if (run->layout.backward && index < n) index = n - 1 - index;
  const int64_t place = (int64_t)(first + index);
  if (place < run->overflow_at) run->overflow_at = place;
  return SCAN_SUCCESS;
}

static scan_status scan_piece(mpi_run *run, mpi_scan_id scan, const mpi_piece *piece, const scan_args *args,
                              uint64_t first) {
  scan_args own = *args;
  own.in = piece->in;
  if (scan_mpi_has_segments(run)) {
    own.marks = piece->marks;
    own.mark_count = piece->n;
  }
  scan_status status = scan_mpi_scan_own(run, scan, piece->n, &own);
  if (status == SCAN_SUCCESS) status = scan_sync(run->mpi->ctx);
  return read_overflow(run, status, first, piece->n);
}

/* Copies the value before a block to a slot and sets *carry to it; SCAN_NO_MEM if nothing precedes the block. */
static scan_status put_carry(mpi_run *run, uint64_t block, int with_seed, int slot, scan_mem *carry) {
  mpi_value value = { { 0 } };
  int is_there = 0;
  int starts_segment = 0;
  *carry = SCAN_NO_MEM;
  if (scan_mpi_has_segments(run) && run->layout.blocks > 0)
    MPI_TRY(scan_mpi_begins_segment(run, run->layout.block_starts[block], &starts_segment));
  if (starts_segment || (block == 0 && !run->has_carry)) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_value_before(run, block, with_seed, &value, &is_there));
  if (!is_there) return SCAN_SUCCESS;
  *carry = scan_mpi_slot(run, slot);
  return scan_mpi_copy(run->mpi, *carry, scan_host(&value), run->spec->value_bytes);
}

/* Computes the carry of an exclusive sum that outputs +0.0 first: if all elements are -0.0, the carry is -0.0. A scan
 * that begins from a carry outputs what it leaves, so the carry is computed separately, by the total of the last block,
 * or of all blocks if this context has them to the end. */
static scan_status leave_apart(mpi_run *run, int is_held) {
  const uint64_t block = run->ends_alone ? run->blocks.begin : run->layout.blocks - 1;
  const mpi_range places = { run->layout.block_starts[block], run->layout.n };
  const mpi_piece piece = scan_mpi_piece_of(run, places, is_held);
  scan_args args = SCAN_ARGS_INIT(piece.in, scan_mpi_slot(run, SLOT_TOTAL));
  args.carry_out = scan_mpi_slot(run, SLOT_LEFT);
  MPI_TRY(put_carry(run, block, 0, is_held ? SLOT_CARRY_HELD : SLOT_CARRY, &args.carry_in));
  return scan_piece(run, MPI_LEFT, &piece, &args, places.begin);
}

static scan_status scan_blocks(mpi_run *run, mpi_range blocks, int is_held) {
  const mpi_spec *spec = run->spec;
  const int is_last = blocks.end == run->layout.blocks, is_total = spec->asked.kind == SCAN_TOTAL;
  const int is_checked = (spec->asked.flags & SCAN_CHECK_OVERFLOW) != 0; /* every element of a total, too */
  if (scan_mpi_items(blocks) == 0 || (is_total && !is_last && !is_checked)) return SCAN_SUCCESS;
  if (is_total && !run->ends_alone && !is_checked) blocks.begin = blocks.end - 1;
  const mpi_range places = { run->layout.block_starts[blocks.begin], run->layout.block_starts[blocks.end] };
  const mpi_piece piece = scan_mpi_piece_of(run, places, is_held);
  const int leaves_apart = is_last && run->wants_carry && run->shows_plus_zero && blocks.begin > 0;
  scan_args args = SCAN_ARGS_INIT(piece.in, is_total ? scan_mpi_slot(run, SLOT_TOTAL) : piece.out);
  if (leaves_apart) MPI_TRY(leave_apart(run, is_held));
  if (is_last && run->wants_carry && !leaves_apart) args.carry_out = scan_mpi_slot(run, SLOT_LEFT);
  MPI_TRY(put_carry(run, blocks.begin, 1, is_held ? SLOT_CARRY_HELD : SLOT_CARRY, &args.carry_in));
  const int has_carry = args.carry_in.kind != SCAN_MEM_NONE;
  mpi_scan_id scan = has_carry ? MPI_CONTINUED : MPI_PIECE;
  if (spec->by_keys && !is_held) scan = has_carry ? MPI_CONTINUED_KEYS : MPI_PIECE_KEYS;
  return scan_piece(run, scan, &piece, &args, places.begin);
}

/* Scans no elements: outputs the value that the scan begins with. */
static scan_status scan_nothing(mpi_run *run) {
  const mpi_spec *spec = run->spec;
  scan_args args = SCAN_ARGS_INIT(run->args.in, scan_mpi_slot(run, SLOT_TOTAL));
  if (run->mpi->context != 0 || (spec->asked.kind != SCAN_TOTAL && !run->wants_carry)) return SCAN_SUCCESS;
  if (run->wants_carry) args.carry_out = scan_mpi_slot(run, SLOT_LEFT);
  if (run->has_carry) {
    args.carry_in = scan_mpi_slot(run, SLOT_CARRY);
    MPI_TRY(scan_mpi_copy(run->mpi, args.carry_in, scan_host(&run->seed), spec->value_bytes));
  }
  const mpi_piece none = { .in = run->args.in };
  return scan_piece(run, run->has_carry ? MPI_CONTINUED : MPI_PIECE, &none, &args, 0);
}

/* Reads the values that other ranks need of the last block. */
static scan_status read_ends(mpi_run *run) {
  if (run->wants_carry)
    MPI_TRY(scan_mpi_copy(run->mpi, scan_host(&run->left), scan_mpi_slot(run, SLOT_LEFT), run->spec->value_bytes));
  if (run->spec->asked.kind != SCAN_TOTAL) return SCAN_SUCCESS;
  return scan_mpi_copy(run->mpi, scan_host(&run->total), scan_mpi_slot(run, SLOT_TOTAL), run->spec->out_bytes);
}

scan_status scan_mpi_pieces_scan(mpi_run *run) {
  const mpi_range blocks = run->blocks;
  const int holds_one = run->is_shared;
  const mpi_range apart = { blocks.end - (holds_one ? 1 : 0), blocks.end };
  if (run->layout.n == 0) {
    MPI_TRY(scan_nothing(run));
  } else {
    MPI_TRY(scan_blocks(run, (mpi_range){ blocks.begin, apart.begin }, 0));
    MPI_TRY(scan_blocks(run, apart, 1));
  }
  const int has_last =
      run->layout.n == 0 ? run->mpi->context == 0 : scan_mpi_items(blocks) > 0 && blocks.end == run->layout.blocks;
  return has_last ? read_ends(run) : SCAN_SUCCESS;
}
