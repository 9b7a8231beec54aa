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

/* Finds how many elements go to each rank, and come from each. */
static scan_status count_pieces(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  for (int r = 0; r < mpi->ranks; r++) s->sends[r] = s->cuts[r + 1] - s->cuts[r];
  MPI_TRY(MPI_CALL(mpi, MPI_Alltoall, s->sends, 1, MPI_UINT64_T, s->receives, 1, MPI_UINT64_T, mpi->comm));
  s->places[0] = 0;
  for (int r = 0; r + 1 < mpi->ranks; r++) s->places[r + 1] = s->places[r] + s->receives[r];
  return SCAN_SUCCESS;
}

/* Exchanges the columns one by one. All ranks return the same status. */
static scan_status exchange_columns(mpi_sort *s) {
  for (uint32_t c = 0; c < s->form.columns; c++) {
    const mpi_parcel column = { s->a[c].mem, s->b[c].mem, s->sends, s->cuts, s->receives, s->places };
    MPI_TRY(scan_mpi_exchange_ranks(s->mpi, &column, s->form.bytes[c]));
  }
  return SCAN_SUCCESS;
}

/* Sorts what has been received, and writes where buckets begin. */
static scan_status finish(mpi_sort *s, uint64_t count) {
  MPI_TRY(scan_mpi_sort_last(s, count));
  if (s->buckets == 0) return SCAN_SUCCESS;
  return scan_mpi_copy(s->mpi, s->offsets, scan_host(s->bucket_starts),
                       ((uint64_t)s->buckets + 1) * sizeof *s->bucket_starts);
}

/* Orders this rank's elements, finds the cuts, and checks that there is room. */
static scan_status prepare(mpi_sort *s, scan_mpi_part *part) {
  scan_mpi *mpi = s->mpi;
  if (!s->is_alone) {
    MPI_TRY(scan_mpi_agree(mpi, s->own_step(s)));
    MPI_TRY(scan_mpi_sort_cut(s));
    if (s->buckets > 0) MPI_TRY(scan_mpi_sort_count_buckets(s));
    MPI_TRY(count_pieces(s));
  }
  const uint64_t start = s->starts[mpi->rank];
  *part = (scan_mpi_part){ s->starts[mpi->rank + 1] - start, start, s->n };
  return SCAN_SUCCESS;
}

scan_status scan_mpi_sort_run(mpi_sort *s, scan_status status, scan_mpi_part *sorted) {
  scan_mpi *mpi = s->mpi;
  scan_mpi_part part;
  MPI_TRY(ranks_meet(s, status));
  scan_mpi_sort_place(s);
  MPI_TRY(prepare(s, &part));
  if (sorted != NULL) *sorted = part;
  MPI_TRY(scan_mpi_agree(mpi, check_room(s, &part)));
  if (s->is_alone) return scan_mpi_agree(mpi, scan_mpi_sort_alone(s));
  MPI_TRY(exchange_columns(s));
  return scan_mpi_agree(mpi, finish(s, part.count));
}

/* ---- plans ---- */

scan_status scan_mpi_sort_take(mpi_sort *s, const mpi_plan_call *call) {
  s->distribution = (scan_mpi_distribution)call->distribution;
  s->max_local_n = call->max_local_n;
  s->capacity = call->capacity == SCAN_NO_CAPACITY ? 0 : call->capacity != 0 ? call->capacity : call->max_local_n;
  if (call->distribution >= SCAN_MPI_AS_GIVEN && call->distribution <= SCAN_MPI_BY_KEY) return SCAN_SUCCESS;
  return scan_mpi_fail(s->mpi, SCAN_INVALID_ARGUMENT, "distribution is %d, which is none", call->distribution);
}

static scan_status open_sort(void *state, const mpi_plan_call *call) {
  mpi_sort *s = state;
  MPI_TRY(scan_mpi_sort_take(s, call));
  s->own_step = scan_mpi_sort_own;
  s->is_alone = s->mpi->ranks == 1;
  MPI_TRY(scan_mpi_sort_check(s->mpi, call->spec, &s->form));
  if (s->is_alone) s->form.last.in_place = s->form.asked.in_place;
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
  const mpi_plan_call call = { "scan_mpi_plan_create_sort", spec, max_local_n, capacity, (int)distribution, 0 };
  return scan_mpi_plan_open(mpi, &sort_kind, &call, plan);
}

scan_status scan_mpi_plan_run_sort(scan_mpi_plan *plan, uint64_t local_n, const scan_sort_args *args,
                                   scan_mpi_part *sorted) {
  return scan_mpi_plan_do(plan, &sort_kind, local_n, args, sorted);
}

scan_status scan_mpi_sort(scan_mpi *mpi, const scan_sort_spec *spec, scan_mpi_distribution distribution,
                          uint64_t local_n, uint64_t capacity, const scan_sort_args *args, scan_mpi_part *sorted) {
  const mpi_plan_call call = { "scan_mpi_sort", spec, local_n, capacity, (int)distribution, 0 };
  return scan_mpi_plan_once(mpi, &sort_kind, &call, args, sorted);
}
