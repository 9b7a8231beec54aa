/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction and partition: each rank's elements stay where they are, and what they come to is counted. */
#include "mpi/mpi.h"

/* ---- counts ---- */

/* Where so many of each of some kinds lie among those of all ranks. */
static scan_status place_parts(scan_mpi *mpi, const uint64_t *counts, int kinds, scan_mpi_part *parts) {
  uint64_t before[SCAN_PARTITION3_PARTS] = { 0 }, all[SCAN_PARTITION3_PARTS] = { 0 };
  MPI_TRY(MPI_CALL(mpi, MPI_Exscan, counts, before, kinds, MPI_UINT64_T, MPI_SUM, mpi->comm));
  MPI_TRY(MPI_CALL(mpi, MPI_Allreduce, counts, all, kinds, MPI_UINT64_T, MPI_SUM, mpi->comm));
  for (int k = 0; k < kinds; k++) parts[k] = (scan_mpi_part){ counts[k], mpi->rank == 0 ? 0 : before[k], all[k] };
  return SCAN_SUCCESS;
}

/* ---- runs that go on from rank to rank ---- */

typedef struct end {
  uint64_t n;
  _Alignas(16) unsigned char first[SCAN_OP_MOST_BYTES], last[SCAN_OP_MOST_BYTES];
} end;

typedef struct call {
  scan_mpi *mpi;
  scan_select_spec spec;
  scan_select_args args;
  uint64_t n;
  int by_runs;
  uint32_t key_bytes;
  int goes_on; /* of SCAN_SELECT_FIRST: the first run began on a rank before; of SCAN_SELECT_LAST: the last one goes on
                */
  uint64_t skipped; /* elements of the run that began before */
} call;

static scan_mem keys_of(const call *c) { return c->args.marks.kind != SCAN_MEM_NONE ? c->args.marks : c->args.in[0]; }

/* A compaction of the keys alone, to indices. */
static scan_status select_indices(const call *c, uint64_t n, scan_mem keys, uint64_t *indices, uint64_t capacity,
                                  uint64_t *kept) {
  scan_select_spec spec = SCAN_SELECT_INDEX_INIT(SCAN_SELECT_FIRST, SCAN_U64);
  scan_select_args args = { .struct_bytes = sizeof args, .marks = keys, .capacity = capacity };
  spec.key_type = c->spec.key_type;
  spec.predicate = c->spec.predicate;
  args.params = c->args.params;
  args.out[0] = scan_host(indices);
  args.count = scan_host(kept);
  return scan_mpi_take(c->mpi, scan_select(c->mpi->ctx, &spec, n, &args));
}

/* Whether two elements are of one run, as the device sees it. */
static scan_status are_one_run(const call *c, const unsigned char *before, const unsigned char *x, int *are_one) {
  _Alignas(16) unsigned char pair[2 * SCAN_OP_MOST_BYTES];
  uint64_t indices[2] = { 0 }, kept = 0;
  memcpy(pair, before, c->key_bytes);
  memcpy(pair + c->key_bytes, x, c->key_bytes);
  MPI_TRY(select_indices(c, 2, scan_host(pair), indices, 2, &kept));
  *are_one = kept == 1;
  return SCAN_SUCCESS;
}

static scan_status read_ends(const call *c, end *own) {
  const scan_mem keys = keys_of(c);
  own->n = c->n;
  if (c->n == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(c->mpi, scan_host(own->first), keys, c->key_bytes));
  return scan_mpi_copy(c->mpi, scan_host(own->last), scan_offset(keys, (c->n - 1) * c->key_bytes), c->key_bytes);
}

/* Looks at the neighbour that has elements. */
static scan_status look_over(call *c, const end *ends) {
  const int rank = c->mpi->rank, is_first = c->spec.by == SCAN_SELECT_FIRST, step = is_first ? -1 : 1;
  uint64_t indices[2] = { 0 }, kept = 0;
  int r = rank + step;
  if (c->n == 0) return SCAN_SUCCESS;
  while (r >= 0 && r < c->mpi->ranks && ends[r].n == 0) r += step;
  if (r < 0 || r >= c->mpi->ranks) return SCAN_SUCCESS;
  MPI_TRY(is_first ? are_one_run(c, ends[r].last, ends[rank].first, &c->goes_on)
                   : are_one_run(c, ends[rank].last, ends[r].first, &c->goes_on));
  if (!is_first || !c->goes_on) return SCAN_SUCCESS;
  MPI_TRY(select_indices(c, c->n, keys_of(c), indices, 2, &kept));
  c->skipped = kept > 1 ? indices[1] : c->n;
  return SCAN_SUCCESS;
}

static scan_status join_runs(call *c) {
  scan_mpi *mpi = c->mpi;
  end own = { .n = 0 };
  end *ends = scan_mpi_allocate(mpi, (uint64_t)mpi->ranks, sizeof *ends);
  scan_status status = scan_mpi_agree(mpi, ends != NULL ? read_ends(c, &own) : SCAN_OUT_OF_MEMORY);
  if (status == SCAN_SUCCESS)
    status = MPI_CALL(mpi, MPI_Allgather, &own, (int)sizeof own, MPI_BYTE, ends, (int)sizeof own, MPI_BYTE, mpi->comm);
  if (status == SCAN_SUCCESS) status = scan_mpi_agree(mpi, look_over(c, ends));
  free(ends);
  return status;
}

/* ---- select ---- */

static scan_status check_runs(call *c) {
  scan_mpi *mpi = c->mpi;
  scan_op_facts facts = SCAN_OP_FACTS_INIT;
  c->by_runs = mpi->ranks > 1 && (c->spec.by == SCAN_SELECT_FIRST || c->spec.by == SCAN_SELECT_LAST);
  if (!c->by_runs) return SCAN_SUCCESS;
  if (c->spec.rest != SCAN_REST_DROPPED)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "spec->rest: the rest of runs that go on from rank to rank can only be dropped");
  if (c->spec.index_type != SCAN_TYPE_DEFAULT)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "spec->index_type: of runs that go on from rank to rank elements are moved, and no indices");
  if (c->spec.in_place && c->spec.by == SCAN_SELECT_FIRST)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "spec->in_place: a rank passes over the run that began before, so that out lies behind in");
  c->key_bytes = (uint32_t)scan_type_bytes(c->spec.key_type);
  if (c->spec.predicate != NULL) {
    if (scan_op_info(c->spec.predicate, &facts) != SCAN_SUCCESS)
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->predicate: %s", scan_last_error(NULL));
    c->key_bytes = facts.input_bytes;
  }
  if (c->key_bytes == 0)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->key_type is %d, which is no type", (int)c->spec.key_type);
  if (c->n > 0 && (keys_of(c).kind == SCAN_MEM_NONE || keys_of(c).handle == NULL))
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "args->marks and args->in[0] are no memory: one must have the keys");
  return SCAN_SUCCESS;
}

static scan_status take_call(call *c, const scan_select_spec *spec, const scan_select_args *args) {
  scan_mpi *mpi = c->mpi;
  if (spec == NULL || args == NULL)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_select: %s is NULL", spec == NULL ? "spec" : "args");
  if (spec->struct_bytes != sizeof *spec || args->struct_bytes != sizeof *args)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "scan_mpi_select: initialise spec and args with the macros of the library's own version");
  c->spec = *spec;
  c->args = *args;
  if (args->n_from.kind != SCAN_MEM_NONE || args->opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->%s: what ranks keep is counted on the host, which has n and waits for the device",
                         args->opencl != NULL ? "opencl" : "n_from");
  return check_runs(c);
}

/* Elements of the run that began before are passed over; of the last run, where it goes on, the last is not counted. */
static scan_status run(call *c, uint64_t counts[2]) {
  scan_mpi *mpi = c->mpi;
  const scan_mem asked = c->args.count;
  scan_select_args args = c->args;
  uint64_t kept = 0;
  args.count = scan_host(&kept);
  if (args.capacity == 0) args.capacity = c->n;
  if (c->skipped > 0 && args.marks.kind != SCAN_MEM_NONE)
    args.marks = scan_offset(args.marks, c->skipped * c->key_bytes);
  for (uint32_t a = 0; c->skipped > 0 && a < c->spec.arrays && a < SCAN_SELECT_MOST_ARRAYS; a++)
    args.in[a] = scan_offset(args.in[a], c->skipped * c->spec.element_bytes[a]);
  MPI_TRY(scan_mpi_take(mpi, scan_select(mpi->ctx, &c->spec, c->n - c->skipped, &args)));
  if (c->goes_on && c->spec.by == SCAN_SELECT_LAST) kept--;
  counts[0] = kept;
  counts[1] = c->n - kept;
  return asked.kind != SCAN_MEM_NONE ? scan_mpi_copy(mpi, asked, scan_host(&kept), sizeof kept) : SCAN_SUCCESS;
}

scan_status scan_mpi_select(scan_mpi *mpi, const scan_select_spec *spec, uint64_t local_n, const scan_select_args *args,
                            scan_mpi_part *kept, scan_mpi_part *rest) {
  call c = { .mpi = mpi, .n = local_n };
  uint64_t counts[2] = { 0 };
  scan_mpi_part parts[2];
  MPI_TRY(scan_mpi_begin(mpi));
  MPI_TRY(scan_mpi_agree(mpi, take_call(&c, spec, args)));
  MPI_TRY(scan_mpi_same(mpi, (uint64_t)c.spec.by << 8 | (uint64_t)c.spec.key_type, "spec->by or spec->key_type"));
  if (c.by_runs) MPI_TRY(join_runs(&c));
  MPI_TRY(scan_mpi_agree(mpi, run(&c, counts)));
  MPI_TRY(place_parts(mpi, counts, 2, parts));
  if (kept != NULL) *kept = parts[0];
  if (rest != NULL) *rest = parts[1];
  return SCAN_SUCCESS;
}

/* ---- partition ---- */

static scan_status partition(scan_mpi *mpi, const scan_partition3_spec *spec, uint64_t n,
                             const scan_partition3_args *args, const scan_mpi_part *parts,
                             uint64_t counts[SCAN_PARTITION3_PARTS]) {
  if (spec == NULL || args == NULL || parts == NULL)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_partition: %s is NULL",
                         spec == NULL   ? "spec"
                         : args == NULL ? "args"
                                        : "parts");
  if (args->struct_bytes != sizeof *args)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "args->struct_bytes is %zu: initialise it with "
                         "SCAN_PARTITION3_ARGS_INIT",
                         args->struct_bytes);
  if (args->n_from.kind != SCAN_MEM_NONE || args->opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->%s: what ranks keep is counted on the host, which has n and waits for the device",
                         args->opencl != NULL ? "opencl" : "n_from");
  scan_partition3_args own = *args;
  const uint64_t bytes = SCAN_PARTITION3_PARTS * sizeof *counts;
  own.counts = scan_host(counts);
  MPI_TRY(scan_mpi_take(mpi, scan_partition3(mpi->ctx, spec, n, &own)));
  if (args->counts.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  return scan_mpi_copy(mpi, args->counts, scan_host(counts), bytes);
}

scan_status scan_mpi_partition(scan_mpi *mpi, const scan_partition3_spec *spec, uint64_t local_n,
                               const scan_partition3_args *args, scan_mpi_part parts[SCAN_PARTITION3_PARTS]) {
  uint64_t counts[SCAN_PARTITION3_PARTS] = { 0 };
  MPI_TRY(scan_mpi_begin(mpi));
  MPI_TRY(scan_mpi_agree(mpi, partition(mpi, spec, local_n, args, parts, counts)));
  return place_parts(mpi, counts, SCAN_PARTITION3_PARTS, parts);
}
