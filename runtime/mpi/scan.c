/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans over the ranks: what is checked, and the steps in their order. Between two agreements a rank does what can fail
 * on it alone; what all ranks must take part in is done behind an agreement. */
#include <stdio.h>

#include "mpi/run.h"

/* ---- what is checked ---- */

static scan_status copy_args(scan_mpi *mpi, const scan_args *given, scan_args *own) {
  MPI_TRY(scan_mpi_struct_take(mpi, own, sizeof *own, given, "args", "SCAN_ARGS_INIT"));
  if (own->opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->opencl: calls over ranks wait for what was enqueued and for their results, and take no "
                         "events");
  return SCAN_SUCCESS;
}

static scan_status check_side(scan_mpi *mpi, scan_mem mem, uint64_t bytes, const char *name) {
  if (mem.kind == SCAN_MEM_NONE || mem.handle == NULL)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s is no memory", name);
  if (mem.kind != SCAN_MEM_HOST && mem.size_bytes != 0 && (mem.size_bytes == UINT64_MAX || mem.size_bytes < bytes))
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s is too small: %llu bytes needed, %llu there", name,
                         (unsigned long long)bytes,
                         (unsigned long long)(mem.size_bytes == UINT64_MAX ? 0 : mem.size_bytes));
  return SCAN_SUCCESS;
}

static int share_bytes(scan_mem a, uint64_t a_bytes, scan_mem b, uint64_t b_bytes) {
  const int has_addresses = a.kind == SCAN_MEM_HOST || a.kind == SCAN_MEM_CUDA;
  if (a.kind != b.kind || (!has_addresses && a.handle != b.handle)) return 0;
  const uint64_t a_first = (has_addresses ? (uint64_t)(uintptr_t)a.handle : 0) + a.offset_bytes;
  const uint64_t b_first = (has_addresses ? (uint64_t)(uintptr_t)b.handle : 0) + b.offset_bytes;
  return a_first < b_first + b_bytes && b_first < a_first + a_bytes;
}

/* Pieces are checked as they are scanned; what lies apart from them is the edges, which are copied. */
static scan_status check_memory(const mpi_run *run) {
  scan_mpi *mpi = run->mpi;
  const mpi_spec *spec = run->spec;
  const scan_mem in = run->args.in, out = run->args.out;
  const int is_total = spec->asked.kind == SCAN_TOTAL;
  const uint64_t in_bytes = run->local_n * spec->in_bytes;
  const uint64_t out_bytes = (is_total ? 1 : run->local_n) * spec->out_bytes;
  const int is_in_place = in.kind == out.kind && in.handle == out.handle && in.offset_bytes == out.offset_bytes &&
                          spec->in_bytes == spec->out_bytes && !is_total;
  if (run->local_n > 0) MPI_TRY(check_side(mpi, in, in_bytes, "in"));
  if (out_bytes > 0) MPI_TRY(check_side(mpi, out, out_bytes, "out"));
  if (run->local_n == 0 || is_in_place || !share_bytes(in, in_bytes, out, out_bytes)) return SCAN_SUCCESS;
  return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                       "in and out overlap: they must be the same memory with elements of one size, or apart");
}

/* All that this rank can be refused before others are asked. */
static scan_status take_call(mpi_run *run, const scan_args *args) {
  scan_mpi *mpi = run->mpi;
  MPI_TRY(copy_args(mpi, args, &run->args));
  if (run->local_n > run->plan->max_local_n)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "local_n is %llu, but the plan was created for at most %llu",
                         (unsigned long long)run->local_n, (unsigned long long)run->plan->max_local_n);
  if (run->local_n > SIZE_MAX / MPI_VALUE_BYTES)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "local_n is %llu: more elements than an address can reach",
                         (unsigned long long)run->local_n);
  MPI_TRY(check_memory(run));
  if (mpi->rank == 0 && run->args.carry_in.kind != SCAN_MEM_NONE) {
    if (run->spec->asked.has_init && run->spec->asked.segments == SCAN_SEGMENTS_NONE)
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                           "spec->has_init and args->carry_in: a scan begins with one or the other");
    run->has_carry = 1;
    MPI_TRY(scan_mpi_copy(mpi, scan_host(&run->seed), run->args.carry_in, run->spec->value_bytes));
  }
  return scan_mpi_heads_take(mpi, run->spec, run->local_n, &run->args, &run->heads);
}

/* ---- what the ranks tell each other first ---- */

static scan_status check_blocks(const mpi_run *run) {
  const uint64_t most = run->spec->cut.group_items + run->spec->cut.tail_items;
  if (run->layout.blocks < 2 || run->spec->refusal == NULL) return SCAN_SUCCESS;
  return scan_mpi_fail(run->mpi, SCAN_UNSUPPORTED,
                       "%s scans at most %llu elements over ranks, and here are %llu: give an operator from source an "
                       "identity, or use one rank",
                       run->spec->refusal, (unsigned long long)most, (unsigned long long)run->layout.n);
}

/* Which block this rank holds: its last one, where other ranks have elements of it, or where its value is wanted and
 * this rank has no element behind it. */
static void choose_held(mpi_run *run) {
  const mpi_layout *layout = &run->layout;
  run->places = scan_mpi_places_of(layout, run->mpi->rank);
  run->blocks = scan_mpi_blocks_of(layout, run->mpi->rank);
  for (int r = 0; r < layout->ranks; r++) run->has_edges |= scan_mpi_items(scan_mpi_given_away(layout, r)) > 0;
  run->ends_alone = scan_mpi_items(run->blocks) > 0 && layout->begins[run->blocks.end] == run->places.end &&
                    run->blocks.end == layout->blocks;
  if (scan_mpi_items(run->blocks) == 0 || run->spec->is_exact) return;
  const mpi_range last = { layout->begins[run->blocks.end - 1], layout->begins[run->blocks.end] };
  run->is_shared = last.end > run->places.end;
  if (run->is_shared || (last.end == run->places.end && run->blocks.end < layout->blocks)) run->held = last;
}

static scan_status lay_out(mpi_run *run, const mpi_hello *hellos) {
  scan_mpi *mpi = run->mpi;
  uint64_t *counts = scan_mpi_allocate(mpi, (uint64_t)mpi->ranks, sizeof *counts);
  if (counts == NULL) return SCAN_OUT_OF_MEMORY;
  for (int r = 0; r < mpi->ranks; r++) {
    counts[r] = hellos[r].local_n;
    run->wants_carry |= hellos[r].wants_carry;
  }
  const scan_status status =
      scan_mpi_layout_make(mpi, counts, (run->spec->asked.flags & SCAN_BACKWARD) != 0, run->spec->cut, &run->layout);
  free(counts);
  MPI_TRY(status);
  MPI_TRY(check_blocks(run));
  choose_held(run);
  const uint64_t blocks = run->layout.blocks;
  run->values = scan_mpi_allocate(mpi, blocks, run->spec->value_bytes);
  run->has_head = scan_mpi_allocate(mpi, blocks, 1);
  run->counts = scan_mpi_allocate(mpi, 2 * (uint64_t)mpi->ranks, sizeof *run->counts);
  if (blocks > INT_MAX / MPI_VALUE_BYTES)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED, "more than 2^25 groups of elements");
  return run->values && run->has_head && run->counts ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

/* What the whole begins from. */
static scan_status share_seed(mpi_run *run) {
  if (run->has_carry)
    MPI_TRY(MPI_CALL(run->mpi, MPI_Bcast, &run->seed, (int)run->spec->value_bytes, MPI_BYTE, 0, run->mpi->comm));
  else
    run->seed = run->spec->seed;
  /* Segments that are not continued have it from their spec. */
  run->has_seed = run->has_carry || (run->spec->has_seed && run->spec->piece.segments == SCAN_SEGMENTS_NONE);
  run->shows_plus_zero = run->spec->sum_is_plus_zero && !run->has_carry;
  return SCAN_SUCCESS;
}

/* What all ranks are asked for, and whether one was refused. */
static scan_status meet(mpi_run *run, scan_status status) {
  scan_mpi *mpi = run->mpi;
  mpi_hello *hellos = run->plan->hellos;
  const mpi_hello own = { run->local_n, run->has_carry, run->args.carry_out.kind != SCAN_MEM_NONE,
                          status != SCAN_SUCCESS };
  MPI_TRY(MPI_CALL(mpi, MPI_Allgather, &own, (int)sizeof own, MPI_BYTE, hellos, (int)sizeof own, MPI_BYTE, mpi->comm));
  for (int r = 0; r < mpi->ranks; r++)
    if (hellos[r].has_failed) return scan_mpi_agree(mpi, status);
  run->has_carry = hellos[0].has_carry;
  return SCAN_SUCCESS;
}

/* ---- the steps ---- */

/* Memory of the device that scans read. */
static scan_status prepare(mpi_run *run, mpi_edges **edges) {
  scan_mpi *mpi = run->mpi;
  MPI_TRY(scan_mpi_reserve(mpi, &run->plan->slots, SLOTS * sizeof(mpi_value)));
  MPI_TRY(scan_mpi_copy(mpi, scan_mpi_slot(run, SLOT_IDENTITY), scan_host(&run->spec->identity), sizeof(mpi_value)));
  if (run->heads.bytes != NULL) {
    MPI_TRY(scan_mpi_reserve(mpi, &run->plan->heads, run->local_n + 1));
    MPI_TRY(scan_mpi_copy(mpi, run->plan->heads.mem, scan_host(run->heads.bytes), run->local_n + 1));
  }
  return scan_mpi_edges_open(run, edges);
}

static scan_status reduce(mpi_run *run, mpi_edges *edges) {
  MPI_TRY(scan_mpi_edges_place(run, edges));
  return scan_mpi_values_reduce(run);
}

static scan_status scan(mpi_run *run, mpi_edges *edges) {
  MPI_TRY(scan_mpi_pieces_scan(run));
  MPI_TRY(scan_mpi_edges_take(run, edges));
  return scan_mpi_take(run->mpi, scan_sync(run->mpi->ctx));
}

/* The carry and the total, on every rank that wants them; results of edges. */
static scan_status deliver(mpi_run *run, mpi_edges *edges) {
  const scan_mem carry = run->args.carry_out;
  if (carry.kind != SCAN_MEM_NONE)
    MPI_TRY(scan_mpi_copy(run->mpi, carry, scan_host(&run->left), run->spec->value_bytes));
  if (run->spec->asked.kind == SCAN_TOTAL)
    return scan_mpi_copy(run->mpi, run->args.out, scan_host(&run->total), run->spec->out_bytes);
  return scan_mpi_edges_deliver(run, edges);
}

static scan_status share_ends(mpi_run *run, mpi_edges *edges) {
  scan_mpi *mpi = run->mpi;
  const int owner = run->layout.n == 0 ? 0 : scan_mpi_owner_of(&run->layout, run->layout.blocks - 1);
  const int is_total = run->spec->asked.kind == SCAN_TOTAL;
  if (!run->has_edges && !run->wants_carry && !is_total) return SCAN_SUCCESS;
  if (run->wants_carry)
    MPI_TRY(MPI_CALL(mpi, MPI_Bcast, &run->left, (int)sizeof run->left, MPI_BYTE, owner, mpi->comm));
  if (is_total)
    MPI_TRY(MPI_CALL(mpi, MPI_Bcast, &run->total, (int)sizeof run->total, MPI_BYTE, owner, mpi->comm));
  else
    MPI_TRY(scan_mpi_edges_return(run, edges));
  return scan_mpi_agree(mpi, deliver(run, edges));
}

static scan_status share_overflow(mpi_run *run) {
  scan_mpi *mpi = run->mpi;
  int64_t least = MPI_NOWHERE;
  if ((run->spec->asked.flags & SCAN_CHECK_OVERFLOW) == 0) return SCAN_SUCCESS;
  MPI_TRY(MPI_CALL(mpi, MPI_Allreduce, &run->overflow_at, &least, 1, MPI_INT64_T, MPI_MIN, mpi->comm));
  if (least == MPI_NOWHERE) return SCAN_SUCCESS;
  mpi->has_overflowed = 1;
  mpi->overflow_index = (uint64_t)least;
  return scan_mpi_fail(mpi, SCAN_OVERFLOW, "element %lld of all ranks, in the order of the scan, overflows",
                       (long long)least);
}

/* Where everything lies, and the memory for it. */
static scan_status begin(mpi_run *run, mpi_edges **edges) {
  scan_mpi *mpi = run->mpi;
  scan_status status = lay_out(run, run->plan->hellos);
  MPI_TRY(share_seed(run));
  if (run->heads.bytes != NULL)
    MPI_TRY(scan_mpi_heads_join(mpi, run->spec, &run->layout, run->has_carry, status, &run->heads));
  if (status == SCAN_SUCCESS) status = prepare(run, edges);
  return scan_mpi_agree(mpi, status);
}

static scan_status do_steps(mpi_run *run, scan_status status, mpi_edges **edges) {
  scan_mpi *mpi = run->mpi;
  MPI_TRY(meet(run, status));
  MPI_TRY(begin(run, edges));
  MPI_TRY(scan_mpi_edges_send(run, *edges));
  MPI_TRY(scan_mpi_agree(mpi, reduce(run, *edges)));
  MPI_TRY(scan_mpi_values_share(run));
  MPI_TRY(scan_mpi_agree(mpi, scan(run, *edges)));
  MPI_TRY(share_ends(run, *edges));
  return share_overflow(run);
}

static void close_run(mpi_run *run, mpi_edges *edges) {
  scan_mpi_edges_close(run->mpi, edges);
  scan_mpi_layout_free(&run->layout);
  if (!run->mpi->has_strays) { /* else MPI may yet read them */
    scan_mpi_heads_free(&run->heads);
    free(run->held_heads);
  }
  free(run->counts);
  free(run->values);
  free(run->has_head);
}

/* ---- plans ---- */

static scan_status create(scan_mpi *mpi, const scan_spec *spec, uint64_t max_local_n, int has_place,
                          scan_mpi_plan **plan) {
  scan_mpi_plan *made = scan_mpi_allocate(mpi, 1, sizeof *made);
  mpi_hello *hellos = scan_mpi_allocate(mpi, (uint64_t)mpi->ranks, sizeof *hellos);
  scan_status status = made && hellos ? scan_mpi_spec_take(mpi, spec, &made->spec) : SCAN_OUT_OF_MEMORY;
  if (status == SCAN_SUCCESS && !has_place)
    status = scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_plan_create: plan is NULL");
  status = scan_mpi_agree(mpi, status);
  if (status == SCAN_SUCCESS) status = scan_mpi_spec_compare(mpi, &made->spec);
  if (status != SCAN_SUCCESS) {
    free(made);
    free(hellos);
    return status;
  }
  made->mpi = mpi;
  made->hellos = hellos;
  made->max_local_n = max_local_n;
  *plan = made;
  return SCAN_SUCCESS;
}

scan_status scan_mpi_plan_create(scan_mpi *mpi, const scan_spec *spec, uint64_t max_local_n, scan_mpi_plan **plan) {
  scan_mpi_plan *made = NULL;
  MPI_TRY(scan_mpi_begin(mpi));
  MPI_TRY(create(mpi, spec, max_local_n, plan != NULL, &made));
  *plan = made;
  return SCAN_SUCCESS;
}

static scan_status run_plan(scan_mpi_plan *plan, uint64_t local_n, const scan_args *args) {
  scan_mpi *mpi = plan->mpi;
  mpi_edges *edges = NULL;
  mpi_run run = { .mpi = mpi, .plan = plan, .spec = &plan->spec, .local_n = local_n, .overflow_at = MPI_NOWHERE };
  mpi->has_overflowed = 0;
  const scan_status taken = take_call(&run, args);
  const scan_status status = do_steps(&run, taken, &edges);
  close_run(&run, edges);
  return status;
}

scan_status scan_mpi_plan_run_args(scan_mpi_plan *plan, uint64_t local_n, const scan_args *args) {
  MPI_TRY(scan_mpi_begin(plan != NULL ? plan->mpi : NULL));
  return run_plan(plan, local_n, args);
}

scan_status scan_mpi_plan_run(scan_mpi_plan *plan, uint64_t local_n, scan_mem in, scan_mem out) {
  const scan_args args = SCAN_ARGS_INIT(in, out);
  return scan_mpi_plan_run_args(plan, local_n, &args);
}

void scan_mpi_plan_destroy(scan_mpi_plan *plan) {
  if (plan == NULL) return;
  mpi_buffer *const buffers[] = { &plan->slots, &plan->held_in, &plan->held_out, &plan->held_heads,
                                  &plan->heads, &plan->outputs, &plan->values };
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) scan_mpi_release(plan->mpi, buffers[i]);
  free(plan->tiles);
  free(plan->hellos);
  free(plan);
}

/* ---- calls without a plan ---- */

scan_status scan_mpi_run_args(scan_mpi *mpi, const scan_spec *spec, uint64_t local_n, const scan_args *args) {
  scan_mpi_plan *plan = NULL;
  MPI_TRY(scan_mpi_begin(mpi));
  MPI_TRY(create(mpi, spec, local_n, 1, &plan));
  const scan_status status = run_plan(plan, local_n, args);
  scan_mpi_plan_destroy(plan);
  return status;
}

scan_status scan_mpi_run(scan_ctx *ctx, MPI_Comm comm, const scan_spec *spec, uint64_t local_n, scan_mem in,
                         scan_mem out) {
  scan_mpi *mpi = NULL;
  const scan_args args = SCAN_ARGS_INIT(in, out);
  MPI_TRY(scan_mpi_create(ctx, comm, &mpi));
  const scan_status status = scan_mpi_run_args(mpi, spec, local_n, &args);
  snprintf(scan_mpi_thread_text(), MPI_ERROR_BYTES, "%s", mpi->text);
  scan_mpi_destroy(mpi);
  return status;
}
