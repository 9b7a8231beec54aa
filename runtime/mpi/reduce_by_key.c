/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction by key over the ranks: a scan in segments, and a compaction of its results at the last element of each
 * run. */
#include <scanrt/scan_mpi_runs.h>

#include "mpi/run.h"

#define F(field) MPI_FIELD(scan_reduce_by_key_args, field)
static const mpi_field args_fields[] = { F(keys),     F(values), F(keys_out), F(values_out),
                                         F(capacity), F(count),  F(n_from),   F(opencl) };
#undef F
static const mpi_struct args_struct =
    MPI_STRUCT(scan_reduce_by_key_args, "args", "SCAN_REDUCE_BY_KEY_ARGS_INIT", args_fields);

/* A compaction of libscanrt. */
typedef struct mpi_compaction {
  scan_select_spec spec;
  scan_plan *plan;
} mpi_compaction;

/* A plan, and the state of its run. */
typedef struct mpi_reduction {
  scan_mpi *mpi; /* must be the first member */
  uint64_t max_local_n;
  scan_mpi_plan *scan;
  mpi_compaction values, pairs; /* of the results alone, and of the results and the keys */
  mpi_buffer results;           /* of the scan */
  mpi_buffer count;             /* a uint64_t */
  /* The current run's: */
  scan_reduce_by_key_args args;
  uint64_t local_n;
} mpi_reduction;

/* ---- plans ---- */

static scan_status open_reduction(void *state, const mpi_plan_call *call) {
  mpi_reduction *r = state;
  scan_mpi *mpi = r->mpi;
  scan_spec spec;
  r->max_local_n = call->max_local_n;
  MPI_TRY(scan_mpi_spec_read(mpi, call->spec, &spec));
  if (spec.segments != SCAN_SEGMENTS_KEYS || spec.kind != SCAN_INCLUSIVE || spec.flags & SCAN_BACKWARD)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "spec is no reduction by key: initialise it with SCAN_REDUCE_BY_KEY_INIT");
  if (r->max_local_n > SIZE_MAX / MPI_VALUE_BYTES)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "max_local_n is %llu: more elements than an address can reach",
                         (unsigned long long)r->max_local_n);
  return SCAN_SUCCESS;
}

static scan_status make_compaction(mpi_reduction *r, mpi_compaction *c, uint32_t arrays) {
  const mpi_spec *spec = &r->scan->spec;
  c->spec = (scan_select_spec)SCAN_SELECT_SPEC_INIT(SCAN_SELECT_LAST, spec->out_bytes);
  c->spec.key_type = spec->asked.key_type;
  c->spec.element_align[0] = spec->asked.custom_op != NULL; /* the alignment of an operator's output is unknown */
  c->spec.arrays = arrays;
  if (arrays == 2) c->spec.element_bytes[1] = (uint32_t)scan_type_bytes(spec->asked.key_type);
  return scan_mpi_adopt_error(
      r->mpi, scan_plan_create_select(r->mpi->ctx, &c->spec, r->max_local_n > 0 ? r->max_local_n : 1, &c->plan));
}

static scan_status make_compactions(mpi_reduction *r) {
  MPI_TRY(scan_mpi_reserve(r->mpi, &r->results, (r->max_local_n > 0 ? r->max_local_n : 1) * r->scan->spec.out_bytes));
  MPI_TRY(scan_mpi_reserve(r->mpi, &r->count, sizeof(uint64_t)));
  MPI_TRY(make_compaction(r, &r->values, 1));
  return make_compaction(r, &r->pairs, 2);
}

static scan_status join_reduction(void *state, const mpi_plan_call *call) {
  mpi_reduction *r = state;
  const mpi_call scan = { call->name, 1, call->spec, NULL, &call->max_local_n, NULL };
  MPI_TRY(scan_mpi_scan_plan(r->mpi, &scan, call->is_once, &r->scan));
  return scan_mpi_agree(r->mpi, make_compactions(r));
}

static void close_reduction(void *state) {
  mpi_reduction *r = state;
  scan_mpi_plan_destroy(r->scan);
  scan_plan_destroy(r->values.plan);
  scan_plan_destroy(r->pairs.plan);
  scan_mpi_release(r->mpi, &r->results);
  scan_mpi_release(r->mpi, &r->count);
}

/* ---- runs ---- */

static scan_status copy_args_in(mpi_reduction *r, const scan_reduce_by_key_args *given, uint64_t local_n) {
  scan_mpi *mpi = r->mpi;
  r->local_n = local_n;
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &args_struct, &r->args, given));
  if (r->args.n_from.kind != SCAN_MEM_NONE || r->args.opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->%s: ranks exchange their n on the host, which waits for the device; give local_n",
                         r->args.opencl != NULL ? "opencl" : "n_from");
  if (local_n > 0 && (r->args.keys.kind == SCAN_MEM_NONE || r->args.keys.handle == NULL))
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "args->keys is no memory");
  return SCAN_SUCCESS;
}

static scan_status scan_values(mpi_reduction *r) {
  scan_args args = SCAN_ARGS_INIT(r->args.values, r->results.mem);
  args.marks = r->args.keys;
  args.mark_count = r->local_n;
  return scan_mpi_scan(r->scan,
                       &(mpi_call){ .name = "scan_mpi_reduce_by_key", 1, .local_ns = &r->local_n, .args = &args });
}

/* Counts the elements up to the end of the last run that ends on this rank. */
static scan_status count_ended(const mpi_reduction *r, uint64_t *n) {
  const mpi_run *run = r->scan->runs;
  *n = r->local_n;
  return r->local_n > 0 && !run->segment_flags.behind ? scan_mpi_last_run(run, 0, r->local_n, n) : SCAN_SUCCESS;
}

/* Keeps the result and the key of each run's last element. */
static scan_status select_last(mpi_reduction *r, uint64_t *runs) {
  scan_mpi *mpi = r->mpi;
  const scan_reduce_by_key_args *a = &r->args;
  const int writes_keys = a->keys_out.kind != SCAN_MEM_NONE && a->capacity != SCAN_NO_CAPACITY;
  const int is_planned = !scan_mpi_is_foreign(mpi, a->keys) && !scan_mpi_is_foreign(mpi, a->values_out) &&
                         (!writes_keys || !scan_mpi_is_foreign(mpi, a->keys_out));
  const mpi_compaction *c = writes_keys ? &r->pairs : &r->values;
  uint64_t n = 0;
  scan_select_args args = SCAN_SELECT_ARGS_INIT(a->keys, r->results.mem, a->values_out, r->count.mem);
  args.capacity = a->capacity;
  if (writes_keys) {
    args.in[1] = a->keys;
    args.out[1] = a->keys_out;
  }
  MPI_TRY(count_ended(r, &n));
  if (n > 0) {
    MPI_TRY(scan_mpi_adopt_error(mpi, is_planned ? scan_plan_run_select(c->plan, n, &args)
                                                 : scan_select(mpi->ctx, &c->spec, n, &args)));
    MPI_TRY(scan_mpi_copy(mpi, scan_host(runs), r->count.mem, sizeof *runs));
  }
  if (a->count.kind != SCAN_MEM_NONE) MPI_TRY(scan_mpi_copy(mpi, a->count, scan_host(runs), sizeof *runs));
  return scan_mpi_adopt_error(mpi, scan_sync(mpi->ctx));
}

static scan_status run_reduction(void *state, uint64_t local_n, const void *args, scan_mpi_part *part) {
  mpi_reduction *r = state;
  scan_mpi *mpi = r->mpi;
  uint64_t runs = 0;
  MPI_TRY(scan_mpi_agree(mpi, copy_args_in(r, args, local_n)));
  const scan_status scanned = scan_values(r);
  if (scanned != SCAN_SUCCESS && scanned != SCAN_OVERFLOW) return scanned;
  MPI_TRY(scan_mpi_agree(mpi, select_last(r, &runs)));
  MPI_TRY(scan_mpi_place(mpi, runs, part));
  return scanned;
}

/* ---- the public calls ---- */

static const mpi_plan_kind reduction_kind = { "scan_mpi_plan_create_reduce_by_key",
                                              sizeof(mpi_reduction),
                                              open_reduction,
                                              join_reduction,
                                              run_reduction,
                                              close_reduction };

scan_status scan_mpi_plan_create_reduce_by_key(scan_mpi *mpi, const scan_spec *spec, uint64_t max_local_n,
                                               scan_mpi_plan **plan) {
  const mpi_plan_call call = { .name = reduction_kind.create, .spec = spec, .max_local_n = max_local_n };
  return scan_mpi_plan_open(mpi, &reduction_kind, &call, plan);
}

scan_status scan_mpi_plan_run_reduce_by_key(scan_mpi_plan *plan, uint64_t local_n, const scan_reduce_by_key_args *args,
                                            scan_mpi_part *runs) {
  return scan_mpi_plan_do(plan, &reduction_kind, local_n, args, runs);
}

scan_status scan_mpi_reduce_by_key(scan_mpi *mpi, const scan_spec *spec, uint64_t local_n,
                                   const scan_reduce_by_key_args *args, scan_mpi_part *runs) {
  const mpi_plan_call call = { .name = "scan_mpi_reduce_by_key", .spec = spec, .max_local_n = local_n };
  return scan_mpi_plan_once(mpi, &reduction_kind, &call, args, runs);
}
