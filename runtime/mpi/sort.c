/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts over the ranks: the public calls, and the steps in order. Between two agreements a rank does what can fail on
 * it alone. */
#include "mpi/plans.h"
#include "mpi/sort.h"

/* ---- the steps of a run ---- */

/* Exchanges the numbers of keys, and fails if any rank was refused. */
static scan_status ranks_meet(mpi_sort *s, scan_status status) {
  scan_mpi *mpi = s->mpi;
  mpi_sort_hello *hellos = s->hellos, own = { s->local_n, status != SCAN_SUCCESS };
  int has_failed = 0;
  MPI_TRY(MPI_CALL(mpi, MPI_Allgather, &own, (int)sizeof own, MPI_BYTE, hellos, (int)sizeof own, MPI_BYTE, mpi->comm));
  s->first = s->n = 0;
  for (int r = 0; r < mpi->ranks; r++) {
    has_failed |= hellos[r].has_failed != 0;
    if (hellos[r].local_n > INT64_MAX - s->n)
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "all ranks together have 2^63 keys or more");
    if (r < mpi->rank) s->first += hellos[r].local_n;
    s->n += hellos[r].local_n;
  }
  if (has_failed) return scan_mpi_agree(mpi, status);
  if (s->form.asked.index_type == SCAN_U32 && s->n > (uint64_t)UINT32_MAX + 1)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "all ranks have %llu keys, and spec->index_type is SCAN_U32, which has no index past 2^32: "
                         "take SCAN_U64",
                         (unsigned long long)s->n);
  return SCAN_SUCCESS;
}

/* Checks that this rank has room for its results. */
static scan_status check_room(const mpi_sort *s, const scan_mpi_part *part) {
  if (part->count <= s->capacity) return SCAN_SUCCESS;
  return scan_mpi_fail(s->mpi, SCAN_INVALID_ARGUMENT, "capacity is %llu, and %llu sorted elements are this rank's",
                       (unsigned long long)s->capacity, (unsigned long long)part->count);
}

/* Exchanges and sorts the parts one after the other, or sorts all parts at once. All ranks return the same status. */
static scan_status exchange_and_sort(mpi_sort *s, uint64_t count) {
  const int at_once = scan_mpi_sort_needs_room(s) || s->part_count == 1;
  scan_status status = SCAN_SUCCESS, exchanged = SCAN_SUCCESS;
  for (int p = 0; p < s->part_count && exchanged == SCAN_SUCCESS; p++) {
    exchanged = scan_mpi_sort_exchange(s, p);
    if (exchanged == SCAN_SUCCESS && !at_once)
      MPI_KEEP(&status, scan_mpi_sort_last(s, s->parts[p].first, s->parts[p].count));
  }
  if (exchanged != SCAN_SUCCESS) {
    const mpi_kept_text kept = scan_mpi_keep_text(s->mpi);
    (void)scan_sync(s->mpi->ctx); /* the sort of the part before */
    scan_mpi_restore_text(s->mpi, &kept);
    return exchanged;
  }
  if (at_once) status = scan_mpi_sort_last(s, 0, count);
  MPI_KEEP(&status, scan_mpi_sort_deliver(s, count));
  if (s->buckets > 0)
    MPI_KEEP(&status, scan_mpi_copy(s->mpi, s->offsets, scan_host(s->bucket_starts),
                                    ((uint64_t)s->buckets + 1) * sizeof *s->bucket_starts));
  return scan_mpi_agree(s->mpi, status);
}

/* Orders this rank's elements, finds the cuts, and checks that there is room. */
static scan_status prepare(mpi_sort *s, scan_mpi_part *part) {
  scan_mpi *mpi = s->mpi;
  if (!s->is_alone) {
    MPI_TRY(scan_mpi_sort_skip_digits(s));
    MPI_TRY(scan_mpi_agree(mpi, s->own_step(s)));
    MPI_TRY(scan_mpi_sort_cut(s));
    if (s->buckets > 0) MPI_TRY(scan_mpi_sort_count_buckets(s));
    MPI_TRY(scan_mpi_sort_cut_parts(s));
  }
  const uint64_t start = s->starts[mpi->rank];
  *part = (scan_mpi_part){ s->starts[mpi->rank + 1] - start, start, s->n };
  return SCAN_SUCCESS;
}

scan_status scan_mpi_sort_run(mpi_sort *s, scan_status status, scan_mpi_part *sorted) {
  scan_mpi *mpi = s->mpi;
  scan_mpi_part part;
  scan_mpi_sort_use_mapped(s);
  MPI_TRY(ranks_meet(s, status));
  scan_mpi_sort_place(s);
  MPI_TRY(prepare(s, &part));
  if (sorted != NULL) *sorted = part;
  status = check_room(s, &part);
  if (!s->is_alone) MPI_KEEP(&status, scan_mpi_sort_keep_own(s));
  MPI_TRY(scan_mpi_agree(mpi, status));
  return s->is_alone ? scan_mpi_agree(mpi, scan_mpi_sort_alone(s)) : exchange_and_sort(s, part.count);
}

/* ---- plans ---- */

scan_status scan_mpi_sort_take(mpi_sort *s, const mpi_plan_call *call) {
  s->distribution = (scan_mpi_distribution)call->distribution;
  s->max_local_n = call->max_local_n;
  s->max_n = call->max_n;
  s->capacity = call->capacity == SCAN_NO_CAPACITY ? 0 : call->capacity != 0 ? call->capacity : call->max_local_n;
  if (call->distribution >= SCAN_MPI_AS_GIVEN && call->distribution <= SCAN_MPI_BY_KEY) return SCAN_SUCCESS;
  return scan_mpi_fail(s->mpi, SCAN_INVALID_ARGUMENT, "distribution is %d, which is none", call->distribution);
}

static scan_status open_sort(void *state, const mpi_plan_call *call) {
  mpi_sort *s = state;
  MPI_TRY(scan_mpi_sort_take(s, call));
  s->own_step = scan_mpi_sort_own;
  s->is_alone = s->mpi->ranks == 1;
  MPI_TRY(scan_mpi_sort_check(s, call->spec));
  if (s->is_alone) {
    s->form.last.in_place = s->form.asked.in_place;
    s->form.last.index_type = s->form.asked.index_type;
    s->form.last.arrays = s->form.asked.arrays;
  }
  return scan_mpi_sort_open(s);
}

scan_status scan_mpi_sort_join(void *state, const mpi_plan_call *call) {
  (void)call;
  MPI_TRY(scan_mpi_sort_compare(state));
  return scan_mpi_sort_reserve(state);
}

static scan_status run_sort(void *state, uint64_t local_n, const void *args, scan_mpi_part *sorted) {
  return scan_mpi_sort_run(state, scan_mpi_sort_args_copy_in(state, args, local_n), sorted);
}

static void close_sort(void *state) { scan_mpi_sort_close(state); }

static const mpi_plan_kind sort_kind = { "scan_mpi_plan_create_sort", sizeof(mpi_sort), open_sort,
                                         scan_mpi_sort_join,          run_sort,         close_sort };

scan_status scan_mpi_plan_create_sort(scan_mpi *mpi, const scan_sort_spec *spec, scan_mpi_distribution distribution,
                                      uint64_t max_local_n, uint64_t capacity, scan_mpi_plan **plan) {
  const mpi_plan_call call = { "scan_mpi_plan_create_sort", spec, max_local_n, capacity, (int)distribution, 0, 0 };
  return scan_mpi_plan_open(mpi, &sort_kind, &call, plan);
}

scan_status scan_mpi_plan_run_sort(scan_mpi_plan *plan, uint64_t local_n, const scan_sort_args *args,
                                   scan_mpi_part *sorted) {
  return scan_mpi_plan_do(plan, &sort_kind, local_n, args, sorted);
}

scan_status scan_mpi_sort(scan_mpi *mpi, const scan_sort_spec *spec, scan_mpi_distribution distribution,
                          uint64_t local_n, uint64_t capacity, const scan_sort_args *args, scan_mpi_part *sorted) {
  const mpi_plan_call call = { "scan_mpi_sort", spec, local_n, capacity, (int)distribution, 0, 0 };
  return scan_mpi_plan_once(mpi, &sort_kind, &call, args, sorted);
}
