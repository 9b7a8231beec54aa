/* SPDX-License-Identifier: BSD-2-Clause */
/* Run-length encoding over the ranks. A rank whose first run began on a rank before passes over that run, and tells the
 * others its keys of it. Unique keys are an encoding without lengths. */
#include <scanrt/scan_mpi_runs.h>

#include "mpi/plans.h"
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

/* An encoding of libscanrt. */
typedef struct mpi_encoder {
  scan_run_length_spec spec;
  scan_plan *plan; /* NULL: not needed */
} mpi_encoder;

/* Numbers in memory of the context. */
enum { COUNT, HEAD, BEFORE, NUMBERS };

/* A plan, and the state of its run. */
typedef struct mpi_encoding {
  scan_mpi *mpi; /* must be the first member */
  scan_run_length_spec asked;
  uint64_t max_local_n;
  mpi_encoder first_run; /* finds the length of the first run */
  mpi_encoder own;       /* encodes this rank's keys, with lengths if the caller asks for lengths or starts */
  mpi_encoder lengths;   /* lengths that starts are the sums of, if those of `own` are wider than starts */
  scan_spec sum;         /* adds up lengths to starts */
  scan_plan *sum_plan;
  mpi_buffer numbers; /* NUMBERS of 8 bytes */
  mpi_run_ends *ends;
  mpi_run_head *heads;
  /* The current run's: */
  scan_run_length_args args;
  int is_planned;             /* 1: plans take the caller's memory */
  uint64_t local_n, first, n; /* keys of this rank, of the ranks before, and of all */
  uint64_t head;              /* keys of this rank that continue a run */
} mpi_encoding;

#define F(field) MPI_FIELD(scan_run_length_spec, field)
static const mpi_field spec_fields[] = { F(key_type), F(length_type), F(start_type), F(flags) };
#undef F
#define F(field) MPI_FIELD(scan_run_length_args, field)
static const mpi_field args_fields[] = { F(keys),     F(keys_out), F(lengths), F(starts),
                                         F(capacity), F(count),    F(n_from),  F(opencl) };
#undef F
static const mpi_struct spec_struct =
    MPI_STRUCT(scan_run_length_spec, "spec", "SCAN_RUN_LENGTH_SPEC_INIT", spec_fields);
static const mpi_struct args_struct =
    MPI_STRUCT(scan_run_length_args, "args", "SCAN_RUN_LENGTH_ARGS_INIT", args_fields);

static uint32_t key_bytes(const mpi_encoding *e) { return (uint32_t)scan_type_bytes(e->asked.key_type); }

static scan_mem number_of(const mpi_encoding *e, int number) {
  return scan_offset(e->numbers.mem, (uint64_t)number * sizeof(uint64_t));
}

/* ---- plans ---- */

static scan_status make_encoder(mpi_encoding *e, mpi_encoder *encoder, scan_type length_type) {
  encoder->spec = (scan_run_length_spec)SCAN_RUN_LENGTH_SPEC_INIT(e->asked.key_type, length_type);
  return scan_mpi_adopt_error(e->mpi,
                              scan_plan_create_run_length(e->mpi->ctx, &encoder->spec,
                                                          e->max_local_n > 0 ? e->max_local_n : 1, &encoder->plan));
}

/* Prepares the sum of lengths that gives the starts of runs. */
static scan_status make_sum(mpi_encoding *e) {
  const scan_type lengths = e->own.spec.length_type, starts = e->asked.start_type;
  const int is_wider = scan_type_bytes(lengths) > scan_type_bytes(starts);
  e->sum = (scan_spec)SCAN_SPEC_INIT(starts, SCAN_ADD, SCAN_EXCLUSIVE);
  if (is_wider)
    MPI_TRY(make_encoder(e, &e->lengths, starts));
  else if (lengths != starts)
    e->sum.input_type = lengths;
  return scan_mpi_adopt_error(
      e->mpi, scan_plan_create(e->mpi->ctx, &e->sum, e->max_local_n > 0 ? e->max_local_n : 1, &e->sum_plan));
}

static scan_status open_encoding(void *state, const mpi_plan_call *call) {
  mpi_encoding *e = state;
  scan_mpi *mpi = e->mpi;
  scan_run_length_spec *asked = &e->asked;
  scan_plan *checked = NULL;
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &spec_struct, asked, call->spec));
  e->max_local_n = call->max_local_n;
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_plan_create_run_length(mpi->ctx, asked, 1, &checked))); /* checks the spec */
  scan_plan_destroy(checked);
  MPI_TRY(scan_mpi_reserve(mpi, &e->numbers, NUMBERS * sizeof(uint64_t)));
  MPI_TRY(make_encoder(e, &e->own, asked->length_type ? asked->length_type : asked->start_type));
  if (asked->start_type != SCAN_TYPE_DEFAULT) MPI_TRY(make_sum(e));
  if (mpi->ranks > 1) MPI_TRY(make_encoder(e, &e->first_run, SCAN_U64));
  e->ends = scan_mpi_allocate(mpi, (uint64_t)mpi->ranks, sizeof *e->ends);
  e->heads = scan_mpi_allocate(mpi, (uint64_t)mpi->ranks, sizeof *e->heads);
  return e->ends != NULL && e->heads != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

static scan_status join_encoding(void *state, const mpi_plan_call *call) {
  const mpi_encoding *e = state;
  const scan_run_length_spec *a = &e->asked;
  (void)call;
  return scan_mpi_same(e->mpi, (uint64_t)a->key_type << 16 | (uint64_t)a->length_type << 8 | a->start_type, "spec");
}

static void close_encoding(void *state) {
  mpi_encoding *e = state;
  scan_plan_destroy(e->first_run.plan);
  scan_plan_destroy(e->own.plan);
  scan_plan_destroy(e->lengths.plan);
  scan_plan_destroy(e->sum_plan);
  scan_mpi_release(e->mpi, &e->numbers);
  free(e->ends);
  free(e->heads);
}

/* ---- args ---- */

static scan_status check_output(const mpi_encoding *e, scan_mem mem, scan_type type, const char *name) {
  if (type == SCAN_TYPE_DEFAULT && mem.kind != SCAN_MEM_NONE)
    return scan_mpi_fail(e->mpi, SCAN_INVALID_ARGUMENT, "args->%s is given, and spec has no type of it", name);
  if (type == SCAN_TYPE_DEFAULT || e->local_n == 0 || e->args.capacity == SCAN_NO_CAPACITY) return SCAN_SUCCESS;
  if (mem.kind != SCAN_MEM_NONE && mem.handle != NULL) return SCAN_SUCCESS;
  return scan_mpi_fail(e->mpi, SCAN_INVALID_ARGUMENT, "args->%s is no memory, and spec has a type of it", name);
}

static scan_status copy_args_in(mpi_encoding *e, const scan_run_length_args *given, uint64_t local_n) {
  scan_mpi *mpi = e->mpi;
  scan_run_length_args *args = &e->args;
  e->local_n = local_n;
  e->first = e->n = e->head = 0;
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &args_struct, args, given));
  if (args->n_from.kind != SCAN_MEM_NONE || args->opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->%s: ranks exchange their n on the host, which waits for the device; give local_n",
                         args->opencl != NULL ? "opencl" : "n_from");
  if (local_n > e->max_local_n)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "local_n is %llu, but the plan was created for at most %llu",
                         (unsigned long long)local_n, (unsigned long long)e->max_local_n);
  if (local_n > 0 && (args->keys.kind == SCAN_MEM_NONE || args->keys.handle == NULL))
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "args->keys is no memory");
  MPI_TRY(check_output(e, args->lengths, e->asked.length_type, "lengths"));
  MPI_TRY(check_output(e, args->starts, e->asked.start_type, "starts"));
  if (args->capacity == 0) args->capacity = local_n > 0 ? local_n : 1;
  e->is_planned = !scan_mpi_is_foreign(mpi, args->keys) && !scan_mpi_is_foreign(mpi, args->keys_out) &&
                  !scan_mpi_is_foreign(mpi, args->lengths) && !scan_mpi_is_foreign(mpi, args->starts);
  return SCAN_SUCCESS;
}

/* Encodes keys, by the plan if it takes their memory. Sets args->count. */
static scan_status run_encoder(const mpi_encoding *e, const mpi_encoder *encoder, uint64_t n,
                               scan_run_length_args *args) {
  args->count = number_of(e, COUNT);
  return scan_mpi_adopt_error(e->mpi, e->is_planned ? scan_plan_run_run_length(encoder->plan, n, args)
                                                    : scan_run_length_encode(e->mpi->ctx, &encoder->spec, n, args));
}

/* ---- the ends of the ranks' keys ---- */

static scan_status read_ends(const mpi_encoding *e, mpi_run_ends *own) {
  const uint32_t bytes = key_bytes(e);
  if (e->local_n == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(e->mpi, scan_host(own->first), e->args.keys, bytes));
  return scan_mpi_copy(e->mpi, scan_host(own->last), scan_offset(e->args.keys, (e->local_n - 1) * bytes), bytes);
}

/* Exchanges the ends, and fails if any rank was refused. */
static scan_status share_ends(mpi_encoding *e, scan_status status) {
  scan_mpi *mpi = e->mpi;
  mpi_run_ends own = { .n = e->local_n };
  int has_failed = 0;
  if (status == SCAN_SUCCESS) status = read_ends(e, &own);
  own.has_failed = status != SCAN_SUCCESS;
  MPI_TRY(MPI_CALL(mpi, MPI_Allgather, &own, (int)sizeof own, MPI_BYTE, e->ends, (int)sizeof own, MPI_BYTE, mpi->comm));
  for (int r = 0; r < mpi->ranks; r++) {
    has_failed |= e->ends[r].has_failed != 0;
    if (r < mpi->rank) e->first += e->ends[r].n;
    e->n += e->ends[r].n;
  }
  if (has_failed) return scan_mpi_agree(mpi, status);
  const uint64_t most = e->asked.length_type == SCAN_U32  ? UINT32_MAX
                        : e->asked.start_type == SCAN_U32 ? (uint64_t)UINT32_MAX + 1
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
  return before >= 0 && !scan_mpi_keys_differ(e->asked.key_type, e->ends[before].last, e->ends[rank].first);
}

/* Counts this rank's keys that continue a run. */
static scan_status find_head(mpi_encoding *e) {
  scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(e->args.keys, SCAN_NO_MEM, number_of(e, HEAD), SCAN_NO_MEM);
  args.capacity = 1;
  if (!continues(e, e->mpi->rank)) return SCAN_SUCCESS;
  MPI_TRY(run_encoder(e, &e->first_run, e->local_n, &args));
  return scan_mpi_copy(e->mpi, scan_host(&e->head), number_of(e, HEAD), sizeof e->head);
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

/* Writes the starts of `runs` runs: the sums of their lengths, from the number of the keys before them on. */
static scan_status write_starts(const mpi_encoding *e, uint64_t runs, scan_mem lengths) {
  const uint64_t before = e->first + e->head;
  scan_args args = SCAN_ARGS_INIT(lengths, e->args.starts);
  if (runs == 0 || e->asked.start_type == SCAN_TYPE_DEFAULT) return SCAN_SUCCESS;
  args.carry_in = number_of(e, BEFORE);
  MPI_TRY(scan_mpi_copy(e->mpi, args.carry_in, scan_host(&before), sizeof before)); /* little-endian */
  return scan_mpi_adopt_error(e->mpi, e->is_planned ? scan_plan_run_args(e->sum_plan, runs, &args)
                                                    : scan_run_args(e->mpi->ctx, &e->sum, runs, &args));
}

/* Adds the keys of the ranks behind to the length of run number `last`. */
static scan_status extend_last(const mpi_encoding *e, uint64_t last) {
  const uint64_t behind = keys_behind(e), bytes = scan_type_bytes(e->asked.length_type);
  const scan_mem at = scan_offset(e->args.lengths, last * bytes);
  uint64_t length = 0; /* little-endian */
  if (behind == 0 || bytes == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(e->mpi, scan_host(&length), at, bytes));
  length += behind;
  return scan_mpi_copy(e->mpi, at, scan_host(&length), bytes);
}

/* Writes the keys and the lengths of this rank's runs. @param[out] summed  the lengths that starts are the sums of:
 * starts themselves in place, if the caller asks for no lengths, or for wider ones. */
static scan_status encode_own(const mpi_encoding *e, uint64_t n, scan_mem *summed) {
  scan_run_length_args args = e->args;
  args.keys = scan_offset(args.keys, e->head * key_bytes(e));
  args.starts = SCAN_NO_MEM;
  if (e->asked.length_type == SCAN_TYPE_DEFAULT) args.lengths = e->args.starts;
  *summed = args.lengths;
  MPI_TRY(run_encoder(e, &e->own, n, &args));
  if (e->lengths.plan == NULL) return SCAN_SUCCESS;
  args.keys_out = SCAN_NO_MEM;
  args.lengths = *summed = e->args.starts;
  return run_encoder(e, &e->lengths, n, &args);
}

static scan_status encode(mpi_encoding *e, uint64_t *runs) {
  scan_mpi *mpi = e->mpi;
  const scan_mem count = e->args.count;
  const uint64_t n = e->local_n - e->head, room = e->args.capacity == SCAN_NO_CAPACITY ? 0 : e->args.capacity;
  scan_mem summed = SCAN_NO_MEM;
  if (n > 0) {
    MPI_TRY(encode_own(e, n, &summed));
    MPI_TRY(scan_mpi_copy(mpi, scan_host(runs), number_of(e, COUNT), sizeof *runs));
  }
  MPI_TRY(write_starts(e, *runs < room ? *runs : room, summed));
  if (*runs > 0 && *runs <= room) MPI_TRY(extend_last(e, *runs - 1));
  if (count.kind != SCAN_MEM_NONE) MPI_TRY(scan_mpi_copy(mpi, count, scan_host(runs), sizeof *runs));
  return scan_mpi_adopt_error(mpi, scan_sync(mpi->ctx));
}

static scan_status run_encoding(void *state, uint64_t local_n, const void *args, scan_mpi_part *part) {
  mpi_encoding *e = state;
  scan_mpi *mpi = e->mpi;
  uint64_t runs = 0;
  MPI_TRY(share_ends(e, copy_args_in(e, args, local_n)));
  MPI_TRY(share_heads(e));
  MPI_TRY(scan_mpi_agree(mpi, encode(e, &runs)));
  return scan_mpi_place(mpi, runs, part);
}

/* ---- the public calls ---- */

static const mpi_plan_kind encoding_kind = {
  "scan_mpi_plan_create_run_length", sizeof(mpi_encoding), open_encoding, join_encoding, run_encoding, close_encoding
};

scan_status scan_mpi_plan_create_run_length(scan_mpi *mpi, const scan_run_length_spec *spec, uint64_t max_local_n,
                                            scan_mpi_plan **plan) {
  const mpi_plan_call call = { .name = encoding_kind.create, .spec = spec, .max_local_n = max_local_n };
  return scan_mpi_plan_open(mpi, &encoding_kind, &call, plan);
}

scan_status scan_mpi_plan_run_run_length(scan_mpi_plan *plan, uint64_t local_n, const scan_run_length_args *args,
                                         scan_mpi_part *runs) {
  return scan_mpi_plan_do(plan, &encoding_kind, local_n, args, runs);
}

scan_status scan_mpi_run_length_encode(scan_mpi *mpi, const scan_run_length_spec *spec, uint64_t local_n,
                                       const scan_run_length_args *args, scan_mpi_part *runs) {
  const mpi_plan_call call = { .name = "scan_mpi_run_length_encode", .spec = spec, .max_local_n = local_n };
  return scan_mpi_plan_once(mpi, &encoding_kind, &call, args, runs);
}

static const mpi_plan_kind unique_kind = {
  "scan_mpi_plan_create_unique", sizeof(mpi_encoding), open_encoding, join_encoding, run_encoding, close_encoding
};

static scan_run_length_args unique_args(scan_mem keys, scan_mem keys_out, uint64_t capacity) {
  scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(keys, keys_out, SCAN_NO_MEM, SCAN_NO_MEM);
  args.capacity = capacity;
  return args;
}

scan_status scan_mpi_plan_create_unique(scan_mpi *mpi, scan_type key_type, uint64_t max_local_n, scan_mpi_plan **plan) {
  const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(key_type, SCAN_TYPE_DEFAULT);
  const mpi_plan_call call = { .name = unique_kind.create, .spec = &spec, .max_local_n = max_local_n };
  return scan_mpi_plan_open(mpi, &unique_kind, &call, plan);
}

scan_status scan_mpi_plan_run_unique(scan_mpi_plan *plan, uint64_t local_n, scan_mem keys, scan_mem keys_out,
                                     uint64_t capacity, scan_mpi_part *unique) {
  const scan_run_length_args args = unique_args(keys, keys_out, capacity);
  return scan_mpi_plan_do(plan, &unique_kind, local_n, &args, unique);
}

scan_status scan_mpi_unique(scan_mpi *mpi, scan_type key_type, uint64_t local_n, scan_mem keys, scan_mem keys_out,
                            uint64_t capacity, scan_mpi_part *unique) {
  const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(key_type, SCAN_TYPE_DEFAULT);
  const mpi_plan_call call = { .name = "scan_mpi_unique", .spec = &spec, .max_local_n = local_n };
  const scan_run_length_args args = unique_args(keys, keys_out, capacity);
  return scan_mpi_plan_once(mpi, &unique_kind, &call, &args, unique);
}
