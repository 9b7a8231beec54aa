/* SPDX-License-Identifier: BSD-2-Clause */
/* Run-length encoding over the ranks. A rank whose first run began on a rank before passes over that run, and tells the
 * others its keys of it. */
#include <scanrt/scan_array.h>
#include <scanrt/scan_mpi_runs.h>

#include "mpi/segment_flags.h"

enum { KEY_MOST_BYTES = 8 };

/* The first and the last key of each rank. */
typedef struct mpi_run_ends {
  uint64_t n;
  unsigned char first[KEY_MOST_BYTES], last[KEY_MOST_BYTES];
  int64_t has_failed;
} mpi_run_ends;

/* The keys with which each rank continues a run. */
typedef struct mpi_run_head {
  uint64_t keys;
  int64_t has_failed;
} mpi_run_head;

typedef struct mpi_encoding {
  scan_mpi *mpi;
  scan_run_length_spec spec;
  scan_run_length_args args;
  uint64_t local_n, first, n; /* keys of this rank, of the ranks before, and of all */
  uint64_t head;              /* keys of this rank that continue a run */
  mpi_run_ends *ends;
  mpi_run_head *heads;
} mpi_encoding;

#define F(field) MPI_FIELD(scan_run_length_spec, field)
static const mpi_field spec_fields[] = { F(key_type), F(length_type), F(start_type), F(flags) };
#undef F
#define F(field) MPI_FIELD(scan_run_length_args, field)
static const mpi_field args_fields[] = { F(keys),     F(keys_out), F(lengths), F(starts),
                                         F(capacity), F(count),    F(n_from),  F(opencl) };
#undef F
static const mpi_struct spec_struct = { "spec", "SCAN_RUN_LENGTH_SPEC_INIT", sizeof(scan_run_length_spec), spec_fields,
                                        sizeof spec_fields / sizeof spec_fields[0] };
static const mpi_struct args_struct = { "args", "SCAN_RUN_LENGTH_ARGS_INIT", sizeof(scan_run_length_args), args_fields,
                                        sizeof args_fields / sizeof args_fields[0] };

/* ---- the ends of the ranks' keys ---- */

static uint32_t key_bytes(const mpi_encoding *e) { return (uint32_t)scan_type_bytes(e->spec.key_type); }

static scan_status copy_call_in(mpi_encoding *e, const scan_run_length_spec *spec, const scan_run_length_args *args) {
  scan_mpi *mpi = e->mpi;
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &spec_struct, &e->spec, spec));
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &args_struct, &e->args, args));
  if (e->args.n_from.kind != SCAN_MEM_NONE || e->args.opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->%s: ranks exchange their n on the host, which waits for the device; give local_n",
                         e->args.opencl != NULL ? "opencl" : "n_from");
  if (key_bytes(e) == 0)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->key_type is %d, which is no type", (int)e->spec.key_type);
  if (e->local_n > 0 && (e->args.keys.kind == SCAN_MEM_NONE || e->args.keys.handle == NULL))
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "args->keys is no memory");
  e->ends = scan_mpi_allocate(mpi, (uint64_t)mpi->ranks, sizeof *e->ends);
  e->heads = scan_mpi_allocate(mpi, (uint64_t)mpi->ranks, sizeof *e->heads);
  return e->ends != NULL && e->heads != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

static scan_status read_ends(const mpi_encoding *e, mpi_run_ends *own) {
  const uint32_t bytes = key_bytes(e);
  own->n = e->local_n;
  if (e->local_n == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(e->mpi, scan_host(own->first), e->args.keys, bytes));
  return scan_mpi_copy(e->mpi, scan_host(own->last), scan_offset(e->args.keys, (e->local_n - 1) * bytes), bytes);
}

static scan_status share_ends(mpi_encoding *e) {
  scan_mpi *mpi = e->mpi;
  mpi_run_ends own = { 0 };
  const scan_status status = read_ends(e, &own);
  int has_failed = 0;
  own.has_failed = status != SCAN_SUCCESS;
  MPI_TRY(MPI_CALL(mpi, MPI_Allgather, &own, (int)sizeof own, MPI_BYTE, e->ends, (int)sizeof own, MPI_BYTE, mpi->comm));
  for (int r = 0; r < mpi->ranks; r++) {
    has_failed |= e->ends[r].has_failed != 0;
    if (r < mpi->rank) e->first += e->ends[r].n;
    e->n += e->ends[r].n;
  }
  if (has_failed) return scan_mpi_agree(mpi, status);
  const uint64_t most = e->spec.length_type == SCAN_U32  ? UINT32_MAX
                        : e->spec.start_type == SCAN_U32 ? (uint64_t)UINT32_MAX + 1
                                                         : INT64_MAX;
  if (e->n <= most) return SCAN_SUCCESS;
  return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "all ranks have %llu keys, more than lengths or starts count",
                       (unsigned long long)e->n);
}

/* 1 if a rank's first run began on a rank before. */
static int continues(const mpi_encoding *e, int rank) {
  int before = rank - 1;
  if (e->ends[rank].n == 0) return 0;
  while (before >= 0 && e->ends[before].n == 0) before--;
  return before >= 0 && !scan_mpi_keys_differ(e->spec.key_type, e->ends[before].last, e->ends[rank].first);
}

/* Counts this rank's keys that continue a run. */
static scan_status find_head(mpi_encoding *e) {
  scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(e->spec.key_type, SCAN_U64);
  uint64_t runs = 0;
  scan_run_length_args args =
      SCAN_RUN_LENGTH_ARGS_INIT(e->args.keys, SCAN_NO_MEM, scan_host(&e->head), scan_host(&runs));
  args.capacity = 1;
  if (!continues(e, e->mpi->rank)) return SCAN_SUCCESS;
  return scan_mpi_adopt_error(e->mpi, scan_run_length_encode(e->mpi->ctx, &spec, e->local_n, &args));
}

static scan_status share_heads(mpi_encoding *e) {
  scan_mpi *mpi = e->mpi;
  const scan_status status = find_head(e);
  const mpi_run_head own = { e->head, status != SCAN_SUCCESS };
  MPI_TRY(
      MPI_CALL(mpi, MPI_Allgather, &own, (int)sizeof own, MPI_BYTE, e->heads, (int)sizeof own, MPI_BYTE, mpi->comm));
  for (int r = 0; r < mpi->ranks; r++)
    if (e->heads[r].has_failed) return scan_mpi_agree(mpi, status);
  return SCAN_SUCCESS;
}

/* Returns the keys of the ranks behind that continue this rank's last run. */
static uint64_t keys_behind(const mpi_encoding *e) {
  uint64_t keys = 0;
  for (int r = e->mpi->rank + 1; r < e->mpi->ranks; r++) {
    if (e->ends[r].n == 0) continue;
    if (!continues(e, r)) break;
    keys += e->heads[r].keys;
    if (e->heads[r].keys < e->ends[r].n) break;
  }
  return keys;
}

/* ---- this rank's runs ---- */

/* Adds to the starts of `runs` runs the keys before them: as lines of one element, each with an initial value. */
static scan_status move_starts(mpi_encoding *e, uint64_t runs) {
  const uint64_t before = e->first + e->head, shape[] = { runs, 1 };
  scan_spec spec = SCAN_SPEC_INIT(e->spec.start_type, SCAN_ADD, SCAN_INCLUSIVE);
  scan_array array = SCAN_ARRAY_INIT;
  if (before == 0 || runs == 0 || e->spec.start_type == SCAN_TYPE_DEFAULT) return SCAN_SUCCESS;
  spec.has_init = 1;
  spec.init_bytes = &before; /* little-endian */
  if (scan_array_packed(&spec, 2, shape, 1, &array) != SCAN_SUCCESS)
    return scan_mpi_fail(e->mpi, SCAN_INVALID_ARGUMENT, "%s", scan_last_error(NULL));
  return scan_mpi_adopt_error(e->mpi, scan_run_array(e->mpi->ctx, &spec, &array, e->args.starts, e->args.starts));
}

/* Adds the keys of the ranks behind to the length of run number `last`. */
static scan_status extend_last(mpi_encoding *e, uint64_t last) {
  const uint64_t behind = keys_behind(e), bytes = scan_type_bytes(e->spec.length_type);
  const scan_mem at = scan_offset(e->args.lengths, last * bytes);
  uint64_t length = 0; /* little-endian */
  if (behind == 0 || bytes == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(e->mpi, scan_host(&length), at, bytes));
  length += behind;
  return scan_mpi_copy(e->mpi, at, scan_host(&length), bytes);
}

static scan_status encode(mpi_encoding *e, uint64_t *runs) {
  scan_mpi *mpi = e->mpi;
  scan_run_length_args args = e->args;
  args.keys = scan_offset(args.keys, e->head * key_bytes(e));
  args.count = scan_host(runs);
  if (args.capacity == 0) args.capacity = e->local_n;
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_run_length_encode(mpi->ctx, &e->spec, e->local_n - e->head, &args)));
  const uint64_t room = args.capacity == SCAN_NO_CAPACITY ? 0 : args.capacity;
  MPI_TRY(move_starts(e, *runs < room ? *runs : room));
  if (*runs > 0 && *runs <= room) MPI_TRY(extend_last(e, *runs - 1));
  if (e->args.count.kind != SCAN_MEM_NONE) MPI_TRY(scan_mpi_copy(mpi, e->args.count, scan_host(runs), sizeof *runs));
  return scan_mpi_adopt_error(mpi, scan_sync(mpi->ctx));
}

/* Finds the place of this rank's runs. */
static scan_status place_runs(scan_mpi *mpi, uint64_t count, scan_mpi_part *part) {
  uint64_t before = 0, all = 0;
  MPI_TRY(MPI_CALL(mpi, MPI_Exscan, &count, &before, 1, MPI_UINT64_T, MPI_SUM, mpi->comm));
  MPI_TRY(MPI_CALL(mpi, MPI_Allreduce, &count, &all, 1, MPI_UINT64_T, MPI_SUM, mpi->comm));
  if (part != NULL) *part = (scan_mpi_part){ count, mpi->rank == 0 ? 0 : before, all };
  return SCAN_SUCCESS;
}

static scan_status do_steps(mpi_encoding *e, scan_status status, scan_mpi_part *part) {
  scan_mpi *mpi = e->mpi;
  uint64_t runs = 0;
  MPI_TRY(scan_mpi_agree(mpi, status));
  const uint64_t types = (uint64_t)e->spec.key_type << 16 | (uint64_t)e->spec.length_type << 8 | e->spec.start_type;
  MPI_TRY(scan_mpi_same(mpi, types, "spec"));
  MPI_TRY(share_ends(e));
  MPI_TRY(share_heads(e));
  MPI_TRY(scan_mpi_agree(mpi, encode(e, &runs)));
  return place_runs(mpi, runs, part);
}

scan_status scan_mpi_run_length_encode(scan_mpi *mpi, const scan_run_length_spec *spec, uint64_t local_n,
                                       const scan_run_length_args *args, scan_mpi_part *runs) {
  mpi_encoding e = { .mpi = mpi, .local_n = local_n };
  MPI_TRY(scan_mpi_begin(mpi));
  const scan_status status = do_steps(&e, copy_call_in(&e, spec, args), runs);
  free(e.ends);
  free(e.heads);
  return status;
}
