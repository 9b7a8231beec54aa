/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction by key over the ranks, by a scan in segments and a compaction of its results; and unique keys. */
#include <scanrt/scan_mpi_runs.h>

#include "mpi/spec.h"

#define F(field) MPI_FIELD(scan_reduce_by_key_args, field)
static const mpi_field args_fields[] = { F(keys),     F(values), F(keys_out), F(values_out),
                                         F(capacity), F(count),  F(n_from),   F(opencl) };
#undef F
static const mpi_struct args_struct = { "args", "SCAN_REDUCE_BY_KEY_ARGS_INIT", sizeof(scan_reduce_by_key_args),
                                        args_fields, sizeof args_fields / sizeof args_fields[0] };

typedef struct mpi_reduction {
  scan_mpi *mpi;
  mpi_spec spec;
  scan_reduce_by_key_args args;
  uint64_t local_n;
  mpi_buffer results; /* of the scan */
} mpi_reduction;

/* Checks a call for this rank alone, and allocates the scan's results. */
static scan_status open_reduction(mpi_reduction *r, const scan_spec *spec, const scan_reduce_by_key_args *args) {
  scan_mpi *mpi = r->mpi;
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &args_struct, &r->args, args));
  if (r->args.n_from.kind != SCAN_MEM_NONE || r->args.opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->%s: ranks exchange their n on the host, which waits for the device; give local_n",
                         r->args.opencl != NULL ? "opencl" : "n_from");
  MPI_TRY(scan_mpi_spec_copy_in(mpi, spec, NULL, &r->spec));
  const scan_spec *asked = &r->spec.asked;
  if (asked->segments != SCAN_SEGMENTS_KEYS || asked->kind != SCAN_INCLUSIVE || asked->flags & SCAN_BACKWARD)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "spec is no reduction by key: initialise it with SCAN_REDUCE_BY_KEY_INIT");
  if (r->local_n > SIZE_MAX / MPI_VALUE_BYTES)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "local_n is %llu: more elements than an address can reach",
                         (unsigned long long)r->local_n);
  return r->local_n > 0 ? scan_mpi_reserve(mpi, &r->results, r->local_n * r->spec.out_bytes) : SCAN_SUCCESS;
}

static scan_status scan_values(mpi_reduction *r, const scan_spec *spec) {
  scan_args args = SCAN_ARGS_INIT(r->args.values, r->results.mem);
  args.marks = r->args.keys;
  args.mark_count = r->local_n;
  return scan_mpi_run_args(r->mpi, spec, r->local_n, &args);
}

/* Keeps the result and the key of each run's last element. */
static scan_status select_last(mpi_reduction *r, scan_mpi_part *runs) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_LAST, r->spec.out_bytes);
  scan_select_args args = SCAN_SELECT_ARGS_INIT(r->args.keys, r->results.mem, r->args.values_out, r->args.count);
  const int writes_keys = r->args.keys_out.kind != SCAN_MEM_NONE && r->args.capacity != SCAN_NO_CAPACITY;
  spec.key_type = r->spec.asked.key_type;
  spec.element_align[0] =
      r->spec.asked.custom_op != NULL ? 1 : 0; /* the alignment of an operator's output is unknown */
  args.capacity = r->args.capacity;
  if (writes_keys) {
    spec.arrays = 2;
    spec.element_bytes[1] = (uint32_t)scan_type_bytes(spec.key_type);
    args.in[1] = r->args.keys;
    args.out[1] = r->args.keys_out;
  }
  return scan_mpi_select(r->mpi, &spec, r->local_n, &args, runs, NULL);
}

scan_status scan_mpi_reduce_by_key(scan_mpi *mpi, const scan_spec *spec, uint64_t local_n,
                                   const scan_reduce_by_key_args *args, scan_mpi_part *runs) {
  mpi_reduction r = { .mpi = mpi, .local_n = local_n };
  MPI_TRY(scan_mpi_begin(mpi));
  scan_status status = scan_mpi_agree(mpi, open_reduction(&r, spec, args)), overflow = SCAN_SUCCESS;
  if (status == SCAN_SUCCESS) status = scan_values(&r, spec);
  if (status == SCAN_OVERFLOW) {
    overflow = status;
    status = SCAN_SUCCESS;
  }
  const uint64_t sent_bytes = mpi->sent_bytes;
  if (status == SCAN_SUCCESS) status = select_last(&r, runs);
  mpi->sent_bytes += sent_bytes;
  scan_mpi_release(mpi, &r.results);
  return status != SCAN_SUCCESS ? status : overflow;
}

scan_status scan_mpi_unique(scan_mpi *mpi, scan_type key_type, uint64_t local_n, scan_mem keys, scan_mem keys_out,
                            uint64_t capacity, scan_mpi_part *unique) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, (uint32_t)scan_type_bytes(key_type));
  scan_select_args args = SCAN_SELECT_ARGS_INIT(SCAN_NO_MEM, keys, keys_out, SCAN_NO_MEM);
  spec.key_type = key_type;
  args.capacity = capacity;
  return scan_mpi_select(mpi, &spec, local_n, &args, unique, NULL);
}
