/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of blocks, and the value before a block: the values of the blocks before it, folded in order. */
#include <scanrt/scan_tiles.h>

#include "mpi/run.h"

/* ---- segment flags ---- */

/* Returns the index of a place among this context's elements. */
static uint64_t index_of(const mpi_run *run, uint64_t place) {
  const mpi_layout *layout = &run->layout;
  return (layout->backward ? layout->n - place : place) - layout->starts[run->mpi->context];
}

scan_status scan_mpi_begins_segment(const mpi_run *run, uint64_t place, int *begins) {
  const uint64_t at = index_of(run, place);
  unsigned char flag = (unsigned char)run->segment_flags.behind;
  if (at < run->local_n) MPI_TRY(scan_mpi_flags_copy(run, at, 1, &flag));
  *begins = flag;
  return SCAN_SUCCESS;
}

/* Returns the places of a block. */
static mpi_range places_of(const mpi_run *run, uint64_t block) {
  return (mpi_range){ run->layout.block_starts[block], run->layout.block_starts[block + 1] };
}

static int is_held(const mpi_run *run, mpi_range places) {
  return scan_mpi_items(run->held) > 0 && places.begin == run->held.begin;
}

/* 1 if a segment begins in the block, whose flags are on the host. In both directions the flags within a block belong
 * to all of its elements in memory but the first. */
static int starts_segment_within(const mpi_run *run, mpi_range places) {
  const uint64_t first = scan_mpi_memory_of(&run->layout, places), items = scan_mpi_items(places);
  const unsigned char *flags = is_held(run, places)
                                   ? run->held_flags + (run->layout.backward ? 1 : 0)
                                   : run->segment_flags.bytes + (first - run->layout.starts[run->mpi->context]);
  return memchr(flags + 1, 1, items - 1) != NULL;
}

/* ---- values of this context's blocks ---- */

/* Sets *carry to what a block's reduction begins with: the identity if a segment continues into the block, or to fix
 * the order; else none. */
static scan_status find_begin(const mpi_run *run, mpi_range places, scan_mem *carry) {
  int starts_segment = run->spec->is_exact;
  if (scan_mpi_has_segments(run)) MPI_TRY(scan_mpi_begins_segment(run, places.begin, &starts_segment));
  *carry = starts_segment ? SCAN_NO_MEM : scan_mpi_slot(run, SLOT_IDENTITY);
  return SCAN_SUCCESS;
}

static scan_status run_reduce(mpi_run *run, mpi_scan_id scan, mpi_range places, mpi_piece piece, scan_args *args) {
  args->in = piece.in;
  MPI_TRY(find_begin(run, places, &args->carry_in));
  if (run->spec->scans[scan].segments != SCAN_SEGMENTS_NONE) {
    args->marks = piece.marks;
    args->mark_count = piece.n;
  }
  return scan_mpi_adopt_error(run->mpi, scan_mpi_scan_own(run, scan, piece.n, args));
}

/* Reduces a block whose value does not depend on the order. By keys only its last run counts. */
static scan_status reduce_exactly(mpi_run *run, mpi_range places, scan_mem value) {
  mpi_scan_id scan = MPI_REDUCE;
  scan_args args = SCAN_ARGS_INIT(SCAN_NO_MEM, scan_mpi_slot(run, SLOT_TOTAL));
  args.carry_out = value;
  if (run->spec->by_keys) {
    int begins = 0;
    places.begin = run->open_begin;
    MPI_TRY(scan_mpi_begins_segment(run, places.begin, &begins));
    scan = begins ? MPI_REDUCE_KEYS : MPI_REDUCE_OPEN;
  }
  return run_reduce(run, scan, places, scan_mpi_piece_of(run, places, 0), &args);
}

/* Reduces a block by an exclusive scan of one element more than it has. If a segment begins with that element, its
 * output is the seed; then the next block begins with a segment, and this block's value is not needed. */
static scan_status reduce_in_order(mpi_run *run, mpi_range places, scan_mem value) {
  const uint32_t bytes = run->spec->value_bytes;
  const int held = is_held(run, places);
  const mpi_piece piece = scan_mpi_piece_of(run, (mpi_range){ places.begin, places.end + 1 }, held);
  const scan_mem outputs = run->plan->outputs.mem;
  const mpi_scan_id scan = run->spec->by_keys && !held ? MPI_REDUCE_KEYS : MPI_REDUCE;
  scan_args args = SCAN_ARGS_INIT(SCAN_NO_MEM, outputs);
  MPI_TRY(run_reduce(run, scan, places, piece, &args));
  return scan_mpi_copy(run->mpi, value, scan_offset(outputs, run->layout.backward ? 0 : (piece.n - 1) * bytes), bytes);
}

static scan_status reduce_block(mpi_run *run, uint64_t block) {
  const mpi_range places = places_of(run, block);
  const scan_mem value = scan_offset(run->plan->values.mem, (block - run->blocks.begin) * run->spec->value_bytes);
  if (scan_mpi_has_segments(run) && (!run->spec->by_keys || is_held(run, places))) {
    int begins = 0;
    MPI_TRY(scan_mpi_begins_segment(run, places.begin, &begins));
    run->starts_segment[block] = (unsigned char)(begins || starts_segment_within(run, places));
  }
  return run->spec->is_exact ? reduce_exactly(run, places, value) : reduce_in_order(run, places, value);
}

/* ---- values by keys ---- */

/* Finds the run that is open at the end of blocks that are not held, and drops the blocks before it from *wanted: no
 * later block needs their values. If a run begins behind the blocks, it drops all of them. */
static scan_status find_open_run(mpi_run *run, mpi_range here, mpi_range *wanted) {
  const uint64_t *starts = run->layout.block_starts;
  int ends = 0, begins = 1;
  memset(run->starts_segment + here.begin, 1, scan_mpi_items(here));
  wanted->begin = here.end;
  MPI_TRY(scan_mpi_begins_segment(run, starts[here.end], &ends));
  if (ends) return SCAN_SUCCESS;
  const uint64_t first = index_of(run, starts[here.begin]);
  uint64_t start = first;
  MPI_TRY(scan_mpi_last_run(run, first, index_of(run, starts[here.end]), &start));
  run->open_begin = starts[here.begin] + (start - first);
  while (starts[wanted->begin] > run->open_begin) run->starts_segment[--wanted->begin] = 0;
  if (start == first) MPI_TRY(scan_mpi_begins_segment(run, run->open_begin, &begins));
  run->starts_segment[wanted->begin] = (unsigned char)begins;
  return SCAN_SUCCESS;
}

/* ---- values by groups ---- */

/* Computes the values of blocks that are groups in the caller's memory, by one call that reads them once. @param[out]
 * done 0 if the device has no such call for them. */
static scan_status reduce_groups(mpi_run *run, mpi_range blocks, int *done) {
  scan_mpi *mpi = run->mpi;
  const mpi_spec *spec = run->spec;
  const mpi_range places = { run->layout.block_starts[blocks.begin], run->layout.block_starts[blocks.end] };
  const scan_status status = scan_group_values(mpi->ctx, &spec->scans[MPI_REDUCE], scan_mpi_items(places),
                                               scan_mpi_piece_of(run, places, 0).in,
                                               scan_host(run->values + blocks.begin * spec->value_bytes), NULL);
  *done = status == SCAN_SUCCESS;
  return status == SCAN_UNSUPPORTED ? SCAN_SUCCESS : scan_mpi_adopt_error(mpi, status);
}

scan_status scan_mpi_values_reduce(mpi_run *run) {
  scan_mpi *mpi = run->mpi;
  const uint32_t bytes = run->spec->value_bytes;
  mpi_range wanted = run->blocks;
  if (wanted.end == run->layout.blocks && wanted.end > 0) wanted.end--; /* no block follows the last one */
  if (run->ends_alone || scan_mpi_items(wanted) == 0) return SCAN_SUCCESS;
  mpi_range here = wanted; /* the blocks that are not held */
  if (is_held(run, places_of(run, here.end - 1))) here.end--;
  if (run->spec->by_keys && scan_mpi_items(here) > 0) MPI_TRY(find_open_run(run, here, &wanted));
  int by_groups = run->spec->reduces_groups && scan_mpi_items(here) > 0;
  if (by_groups) MPI_TRY(reduce_groups(run, here, &by_groups));
  if (by_groups) wanted.begin = here.end;
  if (scan_mpi_items(wanted) == 0) return SCAN_SUCCESS;
  for (uint64_t k = wanted.begin; k < wanted.end; k++) MPI_TRY(reduce_block(run, k));
  const scan_mem values = scan_offset(run->plan->values.mem, (wanted.begin - run->blocks.begin) * bytes);
  return scan_mpi_copy(mpi, scan_host(run->values + wanted.begin * bytes), values, scan_mpi_items(wanted) * bytes);
}

/* ---- values of all blocks ---- */

/* Returns a rank's blocks; its contexts are neighbours in the order of the scan, too. */
static mpi_range blocks_of_rank(const mpi_run *run, int rank) {
  const int *firsts = run->mpi->first_contexts;
  const mpi_range first = scan_mpi_blocks_of(&run->layout, firsts[rank]);
  const mpi_range last = scan_mpi_blocks_of(&run->layout, firsts[rank + 1] - 1);
  return run->layout.backward ? (mpi_range){ last.begin, first.end } : (mpi_range){ first.begin, last.end };
}

/* Sets each rank's count and place of `bytes` bytes a block, for MPI_Allgatherv. */
static void count_blocks(const mpi_run *run, uint32_t bytes, int *counts, int *places) {
  for (int r = 0; r < run->mpi->ranks; r++) {
    const mpi_range blocks = blocks_of_rank(run, r);
    counts[r] = (int)(scan_mpi_items(blocks) * bytes);
    places[r] = (int)(blocks.begin * bytes);
  }
}

scan_status scan_mpi_values_share(const mpi_run *run) {
  scan_mpi *mpi = run->mpi;
  int *counts = mpi->counts, *places = mpi->counts + mpi->ranks;
  if (run->layout.blocks < 2) return SCAN_SUCCESS;
  count_blocks(run, run->spec->value_bytes, counts, places);
  mpi->sent_bytes +=
      (uint64_t)counts[mpi->rank] * (uint64_t)(mpi->ranks - 1); /* an upper bound: MPI may forward them */
  MPI_TRY(MPI_CALL(mpi, MPI_Allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, run->values, counts, places, MPI_BYTE,
                   mpi->comm));
  if (!scan_mpi_has_segments(run)) return SCAN_SUCCESS;
  count_blocks(run, 1, counts, places);
  return MPI_CALL(mpi, MPI_Allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, run->starts_segment, counts, places,
                  MPI_BYTE, mpi->comm);
}

/* ---- the value before a block ---- */

/* Returns the first block whose value counts for the value before `block`; UINT64_MAX: all of them and the seed
 * count. */
static uint64_t first_that_counts(const mpi_run *run, uint64_t block) {
  if (!scan_mpi_has_segments(run)) return UINT64_MAX;
  while (block > 0)
    if (run->starts_segment[--block]) return block;
  return UINT64_MAX;
}

scan_status scan_mpi_value_before(mpi_run *run, uint64_t block, int with_seed, mpi_value *value, int *is_there) {
  const uint32_t bytes = run->spec->value_bytes;
  const uint64_t first = first_that_counts(run, block), from = first == UINT64_MAX ? 0 : first;
  const int has_seed = first == UINT64_MAX && run->has_seed && with_seed;
  const uint64_t count = block - from + (has_seed ? 1 : 0);
  *is_there = count > 0;
  if (count == 0) return SCAN_SUCCESS;
  unsigned char *folded = run->plan->arrays.folded;
  if (has_seed) memcpy(folded, &run->seed, bytes);
  memcpy(folded + (has_seed ? bytes : 0), run->values + from * bytes, (block - from) * bytes);
  return scan_mpi_fold(run, count, value);
}
