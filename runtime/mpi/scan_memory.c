/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of scans over the ranks, and the plans of libscanrt that carry them out. A plan has both from the
 * beginning; a call without a plan allocates what its elements need, and uses the context's hidden plans. */
#include <scanrt/scan_runs.h>
#include <scanrt/scan_tiles.h>

#include "mpi/run.h"
#include "mpi/transport.h"

/* The most blocks of a scan: MPI counts the bytes of their values in an int. */
enum { MOST_BLOCKS = INT_MAX / MPI_VALUE_BYTES };

/* Numbers that memory depends on. */
typedef struct sizes {
  uint64_t contexts, blocks;
  uint64_t own_blocks;  /* blocks that begin among a context's elements */
  uint64_t block_items; /* elements of the largest block that a context may hold; 0: it holds none */
  uint64_t given_items; /* elements that a context may give to another one */
} sizes;

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Returns the sizes for n elements of all ranks, local_n of which are the context's. */
static sizes sizes_of(const scan_mpi_plan *plan, uint64_t n, uint64_t local_n) {
  const mpi_spec *spec = &plan->spec;
  const uint64_t contexts = (uint64_t)plan->mpi->contexts, group_items = spec->cut.group_items;
  sizes s = { .contexts = contexts, .own_blocks = 1 };
  s.blocks = smaller(scan_mpi_blocks(n, smaller(n, contexts), spec->cut), MOST_BLOCKS);
  if (group_items > 0) s.own_blocks = smaller(s.blocks, local_n / group_items + 1);
  if (contexts > 1 && !spec->is_exact) s.block_items = smaller(n, group_items + spec->cut.tail_items);
  s.given_items = smaller(s.block_items, local_n);
  return s;
}

/* ---- host memory ---- */

/* Takes memory of the arena from place *used on. Without an arena, only counts it. */
static void *take(unsigned char *arena, uint64_t *used, uint64_t items, uint64_t item_bytes) {
  const uint64_t at = *used;
  *used += (items * item_bytes + 15) / 16 * 16;
  return arena != NULL ? arena + at : NULL;
}

/* Cuts the arena into a context's arrays. Returns the bytes of all. */
static uint64_t cut_arena(const scan_mpi_plan *plan, const sizes *s, unsigned char *arena, mpi_arrays *a) {
  const uint64_t contexts = s->contexts, value_bytes = plan->spec.value_bytes;
  const int has_segments = plan->spec.asked.segments != SCAN_SEGMENTS_NONE;
  uint64_t used = 0;
  if (plan->mpi == plan->mpi->handle) {
    a->starts = take(arena, &used, contexts + 1, sizeof *a->starts);
    a->block_starts = take(arena, &used, s->blocks + 1, sizeof *a->block_starts);
    a->values = take(arena, &used, s->blocks, value_bytes);
    a->starts_segment = take(arena, &used, s->blocks, 1);
    a->ends = take(arena, &used, contexts, sizeof *a->ends);
    a->begins = take(arena, &used, contexts, 1);
  }
  a->parts = take(arena, &used, contexts, sizeof *a->parts);
  a->numbers = take(arena, &used, 4 * contexts, sizeof *a->numbers);
  a->given_flags = take(arena, &used, has_segments ? s->given_items : 0, 1);
  a->held_flags = take(arena, &used, has_segments ? s->block_items + 1 : 0, 1);
  a->folded = take(arena, &used, s->blocks + 1, value_bytes);
  a->folds = take(arena, &used, s->blocks + 1, value_bytes);
  return used;
}

static scan_status reserve_arrays(scan_mpi_plan *plan, const sizes *s) {
  mpi_arrays none;
  MPI_TRY(scan_mpi_reserve_host(plan->mpi, &plan->arena, cut_arena(plan, s, NULL, &none)));
  (void)cut_arena(plan, s, (unsigned char *)scan_mpi_host_pointer(plan->arena.mem), &plan->arrays);
  if (plan->mpi != plan->mpi->handle || plan->spec.asked.segments == SCAN_SEGMENTS_NONE) return SCAN_SUCCESS;
  return scan_mpi_messages_reserve(plan->mpi, &plan->messages, (uint64_t)plan->mpi->own_contexts * (s->contexts + 1));
}

scan_status scan_mpi_scan_reserve_flags(scan_mpi_plan *plan, uint64_t local_n) {
  scan_mpi *mpi = plan->mpi;
  if (mpi->backend == SCAN_BACKEND_HOST) return scan_mpi_reserve_host(mpi, &plan->segment_flags, local_n + 1);
  return scan_mpi_reserve_host(mpi, &plan->host_flags, local_n + 1);
}

/* ---- device memory ---- */

/* Makes the slots, and puts the identity into its slot, where it stays. */
static scan_status reserve_slots(scan_mpi_plan *plan) {
  scan_mpi *mpi = plan->mpi;
  if (plan->slots.bytes > 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_reserve(mpi, &plan->slots, SLOTS * sizeof(mpi_value)));
  const scan_mem identity = scan_offset(plan->slots.mem, SLOT_IDENTITY * sizeof(mpi_value));
  const scan_status status = scan_mpi_copy(mpi, identity, scan_host(&plan->spec.identity), sizeof(mpi_value));
  if (status != SCAN_SUCCESS) scan_mpi_release(mpi, &plan->slots);
  return status;
}

/* Reserves memory for the block that a context may hold, and for the values of its own blocks. */
static scan_status reserve_blocks(scan_mpi_plan *plan, const sizes *s) {
  scan_mpi *mpi = plan->mpi;
  const mpi_spec *spec = &plan->spec;
  const int has_segments = spec->asked.segments != SCAN_SEGMENTS_NONE;
  if (s->contexts == 1) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_reserve(mpi, &plan->values, s->own_blocks * spec->value_bytes));
  if (s->block_items == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_reserve(mpi, &plan->held_in, (s->block_items + 1) * spec->in_bytes));
  MPI_TRY(scan_mpi_reserve(mpi, &plan->held_out, (s->block_items + 1) * spec->out_bytes));
  if (has_segments) MPI_TRY(scan_mpi_reserve(mpi, &plan->held_flags, s->block_items + 1));
  return scan_mpi_reserve(mpi, &plan->outputs, (s->block_items + 1) * larger(spec->value_bytes, spec->out_bytes));
}

scan_status scan_mpi_scan_reserve(scan_mpi_plan *plan, uint64_t n, uint64_t local_n) {
  const mpi_spec *spec = &plan->spec;
  const sizes s = sizes_of(plan, n, local_n);
  if (plan->arena.bytes > 0 && plan->reserved_n >= n) return SCAN_SUCCESS;
  MPI_TRY(reserve_arrays(plan, &s));
  MPI_TRY(reserve_slots(plan));
  if (spec->asked.segments != SCAN_SEGMENTS_NONE && !spec->by_keys)
    MPI_TRY(scan_mpi_reserve(plan->mpi, &plan->segment_flags, local_n + 1));
  MPI_TRY(reserve_blocks(plan, &s));
  plan->reserved_n = n;
  return SCAN_SUCCESS;
}

/* ---- plans of libscanrt ---- */

/* 1 if a run may have several blocks, whose values it folds. */
static int has_values(const scan_mpi_plan *plan) { return plan->mpi->contexts > 1 && plan->spec.refusal == NULL; }

/* Returns the most elements of a scan; 0: no run makes it. */
static uint64_t most_items(const scan_mpi_plan *plan, mpi_scan_id scan, const sizes *s) {
  const mpi_spec *spec = &plan->spec;
  const int has_others = has_values(plan);
  const uint64_t own = larger(plan->max_local_n, 1), own_or_held = larger(own, s->block_items);
  switch (scan) {
  case MPI_PIECE:
  case MPI_CONTINUED: return spec->by_keys ? s->block_items : own_or_held;
  case MPI_LEFT: return has_others && spec->sum_is_plus_zero ? own_or_held : 0;
  case MPI_REDUCE:
    if (!has_others || (spec->is_exact && spec->by_keys)) return 0;
    return spec->is_exact ? own : s->block_items + 1;
  case MPI_PIECE_KEYS:
  case MPI_CONTINUED_KEYS: return spec->by_keys ? own : 0;
  case MPI_REDUCE_KEYS:
    if (!has_others || !spec->by_keys) return 0;
    return spec->is_exact ? own : s->block_items + 1;
  case MPI_REDUCE_OPEN: return has_others && spec->by_keys && spec->is_exact ? own : 0;
  default: return 0;
  }
}

/* Has the context prepare the values of groups in the caller's memory, if its device has them. */
static scan_status prepare_groups(const scan_mpi_plan *plan) {
  const mpi_spec *spec = &plan->spec;
  if (!spec->reduces_groups) return SCAN_SUCCESS;
  const scan_status status =
      scan_group_values(plan->mpi->ctx, &spec->scans[MPI_REDUCE], plan->max_local_n, SCAN_NO_MEM, SCAN_NO_MEM, NULL);
  return status == SCAN_UNSUPPORTED ? SCAN_SUCCESS : scan_mpi_adopt_error(plan->mpi, status);
}

static scan_status make_plans(scan_mpi_plan *plan, const sizes *s) {
  scan_mpi *mpi = plan->mpi;
  const mpi_spec *spec = &plan->spec;
  for (int i = 0; i < MPI_SCANS; i++) {
    const uint64_t most = most_items(plan, (mpi_scan_id)i, s);
    if (most > 0)
      MPI_TRY(scan_mpi_adopt_error(mpi, scan_plan_create(mpi->ctx, &spec->scans[i], most, &plan->scans[i])));
  }
  if (has_values(plan)) {
    MPI_TRY(prepare_groups(plan));
    MPI_TRY(scan_mpi_fold_open(plan, s->blocks + 1));
  }
  if (!spec->by_keys || s->contexts == 1) return SCAN_SUCCESS;
  const scan_run_length_spec keys = SCAN_RUN_LENGTH_SPEC_INIT(spec->asked.key_type, SCAN_TYPE_DEFAULT);
  return scan_mpi_adopt_error(
      mpi, scan_plan_create_run_length(mpi->ctx, &keys, larger(plan->max_local_n, 1), &plan->comparing));
}

/* Makes all that one context needs for runs of up to n elements of all ranks. */
static scan_status prepare_context(scan_mpi_plan *plan, uint64_t n) {
  const mpi_spec *spec = &plan->spec;
  const uint64_t local_n = plan->max_local_n;
  const sizes s = sizes_of(plan, n, local_n);
  if (local_n > SIZE_MAX / MPI_VALUE_BYTES)
    return scan_mpi_fail(plan->mpi, SCAN_INVALID_ARGUMENT,
                         "max_local_n is %llu: more elements than an address can reach", (unsigned long long)local_n);
  if (spec->asked.segments != SCAN_SEGMENTS_NONE) {
    MPI_TRY(scan_mpi_reserve_host(plan->mpi, &plan->marks, MPI_MARKS_BYTES));
    if (!spec->by_keys) MPI_TRY(scan_mpi_scan_reserve_flags(plan, local_n));
  }
  MPI_TRY(scan_mpi_scan_reserve(plan, n, local_n));
  return make_plans(plan, &s);
}

/* ---- the plan of a rank ---- */

static scan_status prepare_contexts(scan_mpi_plan *plan, uint64_t n) {
  for (int i = 0; i < plan->mpi->own_contexts; i++)
    MPI_TRY(scan_mpi_own_words(&plan->mpi[i], prepare_context(&plan[i], n)));
  return SCAN_SUCCESS;
}

/* Returns the bytes that this rank may send or receive in an exchange. */
static uint64_t most_bytes(const scan_mpi_plan *plan, uint64_t n) {
  const sizes s = sizes_of(plan, n, plan->max_local_n);
  return (uint64_t)plan->mpi->own_contexts * s.block_items * larger(plan->spec.in_bytes, plan->spec.out_bytes);
}

scan_status scan_mpi_scan_prepare(scan_mpi_plan *plan) {
  scan_mpi *mpi = plan->mpi;
  uint64_t own = 0, n = 0;
  for (int i = 0; i < mpi->own_contexts; i++)
    own = plan[i].max_local_n > UINT64_MAX - own ? UINT64_MAX : own + plan[i].max_local_n;
  MPI_TRY(scan_mpi_add_up(mpi, own, &n));
  MPI_TRY(scan_mpi_agree(mpi, prepare_contexts(plan, n)));
  if (mpi->contexts == 1 || plan->spec.is_exact) return SCAN_SUCCESS;
  return scan_mpi_exchange_reserve(mpi, most_bytes(plan, n), most_bytes(plan, n));
}

void scan_mpi_scan_release(scan_mpi_plan *plan) {
  mpi_buffer *const buffers[] = { &plan->slots,         &plan->held_in,    &plan->held_out, &plan->held_flags,
                                  &plan->segment_flags, &plan->host_flags, &plan->marks,    &plan->outputs,
                                  &plan->values,        &plan->folded,     &plan->folds,    &plan->arena };
  for (int i = 0; i < MPI_SCANS; i++) scan_plan_destroy(plan->scans[i]);
  scan_plan_destroy(plan->folding);
  scan_plan_destroy(plan->comparing);
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) scan_mpi_release(plan->mpi, buffers[i]);
  scan_mpi_messages_free(&plan->messages);
}

scan_status scan_mpi_scan_own(const mpi_run *run, mpi_scan_id scan, uint64_t n, const scan_args *args) {
  const scan_mpi *mpi = run->mpi;
  scan_plan *plan = run->plan->scans[scan];
  const int takes_memory = !scan_mpi_is_foreign(mpi, args->in) && !scan_mpi_is_foreign(mpi, args->out) &&
                           !scan_mpi_is_foreign(mpi, args->marks);
  return plan != NULL && takes_memory ? scan_plan_run_args(plan, n, args)
                                      : scan_run_args(mpi->ctx, &run->spec->scans[scan], n, args);
}
