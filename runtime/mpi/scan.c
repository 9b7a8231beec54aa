/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans over the ranks: the checks, and the steps in order. Between two agreements a rank does what can fail on it
 * alone, its contexts in parallel. Collective steps come right after an agreement. */
#include "mpi/run.h"

/* ---- checks ---- */

#define F(field) MPI_FIELD(scan_args, field)
static const mpi_field fields[] = { F(in),       F(out),       F(marks),  F(mark_count),
                                    F(carry_in), F(carry_out), F(opencl), F(n_from) };
#undef F
static const mpi_struct args_struct = MPI_STRUCT(scan_args, "args", "SCAN_ARGS_INIT", fields);

static scan_status copy_args(scan_mpi *mpi, const scan_args *given, scan_args *own) {
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &args_struct, own, given));
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

/* Checks the memory of in and out. libscanrt checks pieces as they are scanned, but not the edges, which are copied. */
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

/* Checks all that can be refused before other contexts are asked. */
static scan_status copy_back_args(mpi_run *run) {
  scan_mpi *mpi = run->mpi;
  MPI_TRY(copy_args(mpi, run->given, &run->args));
  if (run->local_n > run->plan->max_local_n)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "local_n is %llu, but the plan was created for at most %llu",
                         (unsigned long long)run->local_n, (unsigned long long)run->plan->max_local_n);
  if (run->local_n > SIZE_MAX / MPI_VALUE_BYTES)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "local_n is %llu: more elements than an address can reach",
                         (unsigned long long)run->local_n);
  MPI_TRY(check_memory(run));
  if (mpi->context == 0 && run->args.carry_in.kind != SCAN_MEM_NONE) {
    if (run->spec->asked.has_init && run->spec->asked.segments == SCAN_SEGMENTS_NONE)
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                           "spec->has_init and args->carry_in: a scan begins with one or the other");
    run->has_carry = 1;
    MPI_TRY(scan_mpi_copy(mpi, scan_host(&run->seed), run->args.carry_in, run->spec->value_bytes));
  }
  return scan_mpi_flags_read(run);
}

scan_status scan_mpi_check_contexts(scan_mpi *mpi, const mpi_call *call) {
  if (call->contexts == mpi->own_contexts) return SCAN_SUCCESS;
  return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                       "%s has the elements of one context, and this rank has %d: use scan_mpi_run_contexts, or "
                       "scan_mpi_plan_create_contexts and scan_mpi_plan_run_contexts",
                       call->name, mpi->own_contexts);
}

static scan_status copy_call_in(mpi_run *runs, const mpi_call *call) {
  scan_mpi *mpi = runs->mpi;
  MPI_TRY(scan_mpi_check_contexts(mpi, call));
  if (call->local_ns == NULL || (call->args == NULL && call->contexts > 1))
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s: %s is NULL", call->name,
                         call->args == NULL ? "args" : "local_ns");
  for (int i = 0; i < mpi->own_contexts; i++) {
    runs[i].local_n = call->local_ns[i];
    runs[i].given = call->args != NULL ? &call->args[i] : NULL;
  }
  MPI_TRY(scan_mpi_wait(mpi, mpi->own_contexts));
  return scan_mpi_each(runs, copy_back_args);
}

/* ---- the first exchange between ranks ---- */

static scan_status check_blocks(const mpi_run *run) {
  const uint64_t most = run->spec->cut.group_items + run->spec->cut.tail_items;
  if (run->layout.blocks < 2 || run->spec->refusal == NULL) return SCAN_SUCCESS;
  return scan_mpi_fail(run->mpi, SCAN_UNSUPPORTED,
                       "%s scans at most %llu elements over ranks, and here are %llu: give an operator from source an "
                       "identity, or use one device",
                       run->spec->refusal, (unsigned long long)most, (unsigned long long)run->layout.n);
}

/* Chooses the block that this context holds: its last one, if other contexts have elements of it, or if its value is
 * needed and no element of this context follows it. */
static void choose_held(mpi_run *run) {
  const mpi_layout *layout = &run->layout;
  run->places = scan_mpi_places_of(layout, run->mpi->context);
  run->blocks = scan_mpi_blocks_of(layout, run->mpi->context);
  for (int c = 0; c < layout->contexts; c++) run->has_edges |= scan_mpi_items(scan_mpi_places_sent(layout, c)) > 0;
  run->ends_alone = scan_mpi_items(run->blocks) > 0 && layout->block_starts[run->blocks.end] == run->places.end &&
                    run->blocks.end == layout->blocks;
  if (scan_mpi_items(run->blocks) == 0 || run->spec->is_exact) return;
  const mpi_range last = { layout->block_starts[run->blocks.end - 1], layout->block_starts[run->blocks.end] };
  run->is_shared = last.end > run->places.end;
  if (run->is_shared || (last.end == run->places.end && run->blocks.end < layout->blocks)) run->held = last;
}

/* Counts the elements of all contexts, and refuses more than can be scanned. */
static scan_status count_elements(mpi_run *run, const mpi_hello *hellos) {
  scan_mpi *mpi = run->mpi;
  mpi_layout *layout = &run->layout;
  *layout = (mpi_layout){ .contexts = mpi->contexts, .backward = (run->spec->asked.flags & SCAN_BACKWARD) != 0 };
  for (int c = 0; c < mpi->contexts; c++) {
    if (hellos[c].local_n > INT64_MAX - layout->n)
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "all ranks together have 2^63 elements or more");
    layout->n += hellos[c].local_n;
    run->wants_carry |= hellos[c].wants_carry;
  }
  if (scan_mpi_blocks(layout->n, 0, run->spec->cut) > INT_MAX / MPI_VALUE_BYTES)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED, "more than 2^25 groups of elements");
  return SCAN_SUCCESS;
}

/* Cuts the elements of all contexts into blocks, in the plan's memory. */
static void make_layout(mpi_run *run, const mpi_hello *hellos) {
  const mpi_arrays *arrays = &run->plan->arrays;
  mpi_layout *layout = &run->layout;
  layout->starts = arrays->starts;
  layout->block_starts = arrays->block_starts;
  layout->starts[0] = 0;
  for (int c = 0; c < layout->contexts; c++) layout->starts[c + 1] = layout->starts[c] + hellos[c].local_n;
  scan_mpi_layout_cut(layout, run->spec->cut);
  run->values = arrays->values;
  run->starts_segment = arrays->starts_segment;
  memset(run->starts_segment, 0, layout->blocks);
}

/* Lays out the blocks. The first context's fields are copied to the rank's others. */
static scan_status lay_out(mpi_run *runs) {
  scan_mpi *mpi = runs->mpi;
  MPI_TRY(count_elements(runs, runs->plan->hellos));
  for (int i = 0; i < mpi->own_contexts; i++)
    MPI_TRY(scan_mpi_own_words(&mpi[i], scan_mpi_scan_reserve(runs[i].plan, runs->layout.n, runs[i].local_n)));
  make_layout(runs, runs->plan->hellos);
  MPI_TRY(check_blocks(runs));
  for (int i = 0; i < mpi->own_contexts; i++) {
    runs[i].layout = runs->layout;
    runs[i].values = runs->values;
    runs[i].starts_segment = runs->starts_segment;
    runs[i].wants_carry = runs->wants_carry;
    choose_held(&runs[i]);
  }
  return SCAN_SUCCESS;
}

/* Distributes the value that the whole scan begins with. */
static scan_status share_seed(mpi_run *runs) {
  scan_mpi *mpi = runs->mpi;
  const mpi_spec *spec = runs->spec;
  if (runs->has_carry)
    MPI_TRY(MPI_CALL(mpi, MPI_Bcast, &runs->seed, (int)spec->value_bytes, MPI_BYTE, 0, mpi->comm));
  else
    runs->seed = spec->seed;
  for (int i = 0; i < mpi->own_contexts; i++) {
    mpi_run *run = &runs[i];
    run->seed = runs->seed;
    run->has_carry = runs->has_carry;
    /* Segments that are not continued take the initial value from their spec. */
    run->has_seed = run->has_carry || (spec->has_seed && spec->asked.segments == SCAN_SEGMENTS_NONE);
    run->shows_plus_zero = spec->sum_is_plus_zero && !run->has_carry;
  }
  return SCAN_SUCCESS;
}

/* Exchanges the contexts' arguments, and fails if any rank was refused. */
static scan_status ranks_meet(mpi_run *runs, scan_status status) {
  scan_mpi *mpi = runs->mpi;
  mpi_hello *hellos = runs->plan->hellos;
  for (int i = 0; i < mpi->own_contexts; i++)
    hellos[mpi->context + i] = (mpi_hello){ runs[i].local_n, runs[i].has_carry,
                                            runs[i].args.carry_out.kind != SCAN_MEM_NONE, status != SCAN_SUCCESS };
  MPI_TRY(scan_mpi_report_all(mpi, hellos, sizeof *hellos));
  for (int c = 0; c < mpi->contexts; c++)
    if (hellos[c].has_failed) return scan_mpi_agree(mpi, status);
  runs->has_carry = hellos[0].has_carry;
  return SCAN_SUCCESS;
}

/* ---- the steps ---- */

/* Copies the segment flags to the device, and lists the edges. */
static scan_status ranks_prepare(mpi_run *run) {
  scan_mpi *mpi = run->mpi;
  const scan_mem flags = run->plan->segment_flags.mem;
  if (run->segment_flags.bytes != NULL && scan_mpi_host_pointer(flags) == NULL)
    MPI_TRY(scan_mpi_copy(mpi, flags, scan_host(run->segment_flags.bytes), run->local_n + 1));
  return scan_mpi_edges_open(run);
}

static scan_status ranks_reduce(mpi_run *run) {
  MPI_TRY(scan_mpi_edges_place(run));
  return scan_mpi_values_reduce(run);
}

static scan_status ranks_scan(mpi_run *run) {
  MPI_TRY(scan_mpi_pieces_scan(run));
  MPI_TRY(scan_mpi_edges_copy_out(run));
  return scan_mpi_adopt_error(run->mpi, scan_sync(run->mpi->ctx));
}

/* Writes the carry and the total in every context that asked for them. */
static scan_status deliver(mpi_run *run) {
  const scan_mem carry = run->args.carry_out;
  if (carry.kind != SCAN_MEM_NONE)
    MPI_TRY(scan_mpi_copy(run->mpi, carry, scan_host(&run->left), run->spec->value_bytes));
  if (run->spec->asked.kind == SCAN_TOTAL)
    return scan_mpi_copy(run->mpi, run->args.out, scan_host(&run->total), run->spec->out_bytes);
  return SCAN_SUCCESS;
}

/* Distributes the carry and the total from the context that has the last element. */
static scan_status share_values(mpi_run *runs) {
  scan_mpi *mpi = runs->mpi;
  const int owner = runs->layout.n == 0 ? 0 : scan_mpi_owner_of(&runs->layout, runs->layout.blocks - 1);
  const int root = scan_mpi_rank_of(mpi, owner);
  mpi_run *from = root == mpi->rank ? &runs[owner - mpi->context] : runs;
  if (runs->wants_carry)
    MPI_TRY(MPI_CALL(mpi, MPI_Bcast, &from->left, (int)sizeof from->left, MPI_BYTE, root, mpi->comm));
  if (runs->spec->asked.kind == SCAN_TOTAL)
    MPI_TRY(MPI_CALL(mpi, MPI_Bcast, &from->total, (int)sizeof from->total, MPI_BYTE, root, mpi->comm));
  for (int i = 0; i < mpi->own_contexts; i++) {
    runs[i].left = from->left;
    runs[i].total = from->total;
  }
  return SCAN_SUCCESS;
}

static scan_status share_ends(mpi_run *runs) {
  scan_mpi *mpi = runs->mpi;
  const int is_total = runs->spec->asked.kind == SCAN_TOTAL;
  if (!runs->has_edges && !runs->wants_carry && !is_total) return SCAN_SUCCESS;
  MPI_TRY(share_values(runs));
  if (!is_total) MPI_TRY(scan_mpi_edges_return(runs));
  return scan_mpi_agree(mpi, scan_mpi_each(runs, deliver));
}

static scan_status share_overflow(const mpi_run *runs) {
  scan_mpi *mpi = runs->mpi;
  int64_t own = MPI_NOWHERE, least = MPI_NOWHERE;
  if ((runs->spec->asked.flags & SCAN_CHECK_OVERFLOW) == 0) return SCAN_SUCCESS;
  for (int i = 0; i < mpi->own_contexts; i++)
    if (runs[i].overflow_at < own) own = runs[i].overflow_at;
  MPI_TRY(MPI_CALL(mpi, MPI_Allreduce, &own, &least, 1, MPI_INT64_T, MPI_MIN, mpi->comm));
  if (least == MPI_NOWHERE) return SCAN_SUCCESS;
  mpi->has_overflowed = 1;
  const uint64_t n = runs->layout.n, place = (uint64_t)least;
  mpi->overflow_index = runs->layout.backward && place < n ? n - 1 - place : place;
  return scan_mpi_fail(
      mpi, SCAN_OVERFLOW,
      "element %llu of the output of all ranks is the first, in the order of the scan, whose exact value "
      "its type does not hold: results from there on have wrapped around; scan into a wider type",
      (unsigned long long)mpi->overflow_index);
}

/* Lays out the blocks and prepares their memory. */
static scan_status ranks_begin(mpi_run *runs) {
  scan_mpi *mpi = runs->mpi;
  scan_status status = lay_out(runs);
  MPI_TRY(share_seed(runs));
  if (scan_mpi_has_segments(runs)) MPI_TRY(scan_mpi_flags_join(runs, status));
  if (status == SCAN_SUCCESS) status = scan_mpi_each(runs, ranks_prepare);
  return scan_mpi_agree(mpi, status);
}

static scan_status do_steps(mpi_run *runs, scan_status status) {
  scan_mpi *mpi = runs->mpi;
  MPI_TRY(ranks_meet(runs, status));
  MPI_TRY(ranks_begin(runs));
  MPI_TRY(scan_mpi_edges_send(runs));
  MPI_TRY(scan_mpi_agree(mpi, scan_mpi_each(runs, ranks_reduce)));
  MPI_TRY(scan_mpi_values_share(runs));
  MPI_TRY(scan_mpi_agree(mpi, scan_mpi_each(runs, ranks_scan)));
  MPI_TRY(share_ends(runs));
  return share_overflow(runs);
}

scan_status scan_mpi_scan(scan_mpi_plan *plan, const mpi_call *call) {
  scan_mpi *mpi = plan->mpi;
  mpi_run *runs = plan->runs;
  mpi->has_overflowed = 0;
  for (int i = 0; i < mpi->own_contexts; i++)
    runs[i] = (mpi_run){ .mpi = &mpi[i], .plan = &plan[i], .spec = &plan[i].spec, .overflow_at = MPI_NOWHERE };
  return do_steps(runs, copy_call_in(runs, call));
}
