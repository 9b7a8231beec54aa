/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of blocks, and the value before a block: the values of the blocks before it, folded in order. */
#include <scanrt/scan_tiles.h>

#include "mpi/run.h"

/* ---- segment flags ---- */

/* Returns the segment flag of index `at` in memory's order. */
static const unsigned char *flag_at(const mpi_run *run, uint64_t at) {
  const uint64_t first = run->layout.starts[run->mpi->context];
  if (at >= first && at <= run->layout.starts[run->mpi->context + 1]) return run->segment_flags.bytes + (at - first);
  return run->held_flags + (at - scan_mpi_memory_of(&run->layout, run->held)) + (run->layout.backward ? 1 : 0);
}

int scan_mpi_begins_segment(const mpi_run *run, uint64_t place) {
  return *flag_at(run, run->layout.backward ? run->layout.n - place : place);
}

/* Returns the places of a block. */
static mpi_range places_of(const mpi_run *run, uint64_t block) {
  return (mpi_range){ run->layout.block_starts[block], run->layout.block_starts[block + 1] };
}

static int is_held(const mpi_run *run, mpi_range places) {
  return scan_mpi_items(run->held) > 0 && places.begin == run->held.begin;
}

/* 1 if a segment begins in the block. In both directions the flags within a block belong to all of its elements in
 * memory but the first. */
static int starts_segment_within(const mpi_run *run, mpi_range places) {
  const uint64_t first = scan_mpi_memory_of(&run->layout, places), items = scan_mpi_items(places);
  if (scan_mpi_begins_segment(run, places.begin)) return 1;
  if (!is_held(run, places)) return memchr(flag_at(run, first) + 1, 1, items - 1) != NULL;
  return memchr(run->held_flags + (run->layout.backward ? 1 : 0) + 1, 1, items - 1) != NULL;
}

/* ---- values of this context's blocks ---- */

/* Returns the carry that a block's reduction begins with: the identity if a segment continues into the block, or to fix
 * the order; else none. */
static scan_mem begin_of(const mpi_run *run, mpi_range places) {
  const int starts_segment =
      run->segment_flags.bytes != NULL ? scan_mpi_begins_segment(run, places.begin) : run->spec->is_exact;
  return starts_segment ? SCAN_NO_MEM : scan_mpi_slot(run, SLOT_IDENTITY);
}

static scan_args reduce_args(const mpi_run *run, mpi_range places, mpi_piece piece, scan_mem out) {
  scan_args args = SCAN_ARGS_INIT(piece.in, out);
  args.carry_in = begin_of(run, places);
  if (run->segment_flags.bytes == NULL) return args;
  args.marks = piece.segment_flags;
  args.mark_count = piece.n;
  return args;
}

static scan_status reduce_exactly(mpi_run *run, mpi_range places, scan_mem value) {
  const mpi_piece piece = scan_mpi_piece_of(run, places, 0);
  scan_args args = reduce_args(run, places, piece, scan_mpi_slot(run, SLOT_TOTAL));
  args.carry_out = value;
  return scan_mpi_adopt_error(run->mpi, scan_run_args(run->mpi->ctx, &run->spec->reduce, piece.n, &args));
}

/* Reduces a block by an exclusive scan of one element more than it has. If a segment begins with that element, its
 * output is the seed; then the next block begins with a segment, and this block's value is not needed. */
static scan_status reduce_in_order(mpi_run *run, mpi_range places, scan_mem value) {
  scan_mpi *mpi = run->mpi;
  const uint32_t bytes = run->spec->value_bytes;
  const mpi_range with_next = { places.begin, places.end + 1 };
  const mpi_piece piece = scan_mpi_piece_of(run, with_next, is_held(run, places));
  const scan_mem outputs = run->plan->outputs.mem;
  const scan_args args = reduce_args(run, places, piece, outputs);
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_run_args(mpi->ctx, &run->spec->reduce, piece.n, &args)));
  return scan_mpi_copy(mpi, value, scan_offset(outputs, run->layout.backward ? 0 : (piece.n - 1) * bytes), bytes);
}

static scan_status reduce_block(mpi_run *run, uint64_t block) {
  const mpi_range places = places_of(run, block);
  const scan_mem value = scan_offset(run->plan->values.mem, (block - run->blocks.begin) * run->spec->value_bytes);
  if (run->segment_flags.bytes != NULL) run->starts_segment[block] = (unsigned char)starts_segment_within(run, places);
  return run->spec->is_exact ? reduce_exactly(run, places, value) : reduce_in_order(run, places, value);
}

/* ---- values by groups ---- */

/* Computes the values of blocks that are groups in the caller's memory, by one call that reads them once. @param[out]
 * done 0 if the device has no such call for them. */
static scan_status reduce_groups(mpi_run *run, mpi_range blocks, int *done) {
  scan_mpi *mpi = run->mpi;
  const mpi_spec *spec = run->spec;
  const mpi_range places = { run->layout.block_starts[blocks.begin], run->layout.block_starts[blocks.end] };
  const scan_status status =
      scan_group_values(mpi->ctx, &spec->reduce, scan_mpi_items(places), scan_mpi_piece_of(run, places, 0).in,
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
  int by_groups = run->spec->reduces_groups && scan_mpi_items(here) > 0;
  if (by_groups) MPI_TRY(reduce_groups(run, here, &by_groups));
  if (by_groups) wanted.begin = here.end;
  if (scan_mpi_items(wanted) == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_reserve(mpi, &run->plan->values, (wanted.end - run->blocks.begin) * bytes));
  MPI_TRY(
      scan_mpi_reserve(mpi, &run->plan->outputs, (run->spec->cut.group_items + run->spec->cut.tail_items + 1) * bytes));
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
  if (run->spec->piece.segments == SCAN_SEGMENTS_NONE) return SCAN_SUCCESS;
  count_blocks(run, 1, counts, places);
  return MPI_CALL(mpi, MPI_Allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, run->starts_segment, counts, places,
                  MPI_BYTE, mpi->comm);
}

/* ---- the value before a block ---- */

/* Chooses the context that folds values. Built-in operators have the same bits on the host, where a few thousand values
 * take microseconds; on a device a single work-item would fold them. */
static scan_status choose_folder(const mpi_run *run, scan_ctx **ctx) {
  scan_mpi *mpi = run->mpi;
  *ctx = mpi->ctx;
  if (mpi->backend == SCAN_BACKEND_HOST || run->spec->fold.custom_op != NULL) return SCAN_SUCCESS;
  if (mpi->host == NULL) {
    scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
    options.device = "host";
    options.threads = 1;
    const scan_status status = scan_ctx_create(&options, &mpi->host);
    if (status != SCAN_SUCCESS) return scan_mpi_fail(mpi, status, "%s", scan_last_error(NULL));
  }
  *ctx = mpi->host;
  return SCAN_SUCCESS;
}

static scan_status fold(mpi_run *run, const unsigned char *list, uint64_t count, mpi_value *value) {
  scan_mpi *mpi = run->mpi;
  const uint32_t bytes = run->spec->value_bytes;
  scan_ctx *ctx;
  if (count == 1) {
    memcpy(value, list, bytes);
    return SCAN_SUCCESS;
  }
  MPI_TRY(choose_folder(run, &ctx));
  unsigned char *results = scan_mpi_allocate(mpi, count, bytes);
  if (results == NULL) return SCAN_OUT_OF_MEMORY;
  const scan_status status = scan_run(ctx, &run->spec->fold, count, scan_host(list), scan_host(results));
  if (status == SCAN_SUCCESS)
    memcpy(value, results + (count - 1) * bytes, bytes);
  else
    scan_mpi_words(mpi, "%s", scan_last_error(ctx));
  free(results);
  return status;
}

/* Returns the first block whose value counts for the value before `block`; UINT64_MAX: all of them and the seed
 * count. */
static uint64_t first_that_counts(const mpi_run *run, uint64_t block) {
  if (run->spec->piece.segments == SCAN_SEGMENTS_NONE) return UINT64_MAX;
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
  unsigned char *list = scan_mpi_allocate(run->mpi, count, bytes);
  if (list == NULL) return SCAN_OUT_OF_MEMORY;
  if (has_seed) memcpy(list, &run->seed, bytes);
  memcpy(list + (has_seed ? bytes : 0), run->values + from * bytes, (block - from) * bytes);
  const scan_status status = fold(run, list, count, value);
  free(list);
  return status;
}
