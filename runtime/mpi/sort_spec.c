/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of sorts over the ranks. libscanrt checks specs and memory, which are also handed to it. */
#include "mpi/sort.h"

enum { ELEMENT_MOST_ALIGN = 16 }; /* of the workspace */

#define F(field) MPI_FIELD(scan_sort_spec, field)
static const mpi_field spec_fields[] = {
  F(key_type),      F(descending),         F(first_bit),     F(end_bit),  F(index_type), F(arrays),
  F(element_bytes), F(element_align),      F(drops_keys),    F(in_place), F(key_words),  F(low_word_first),
  F(offset_type),   F(most_segment_items), F(gives_scratch), F(flags),    F(order)
};
#undef F
#define F(field) MPI_FIELD(scan_sort_args, field)
static const mpi_field args_fields[] = { F(keys_in), F(keys_out), F(in),      F(out),   F(n_from),
                                         F(offsets), F(segments), F(scratch), F(opencl) };
#undef F
static const mpi_struct spec_struct = MPI_STRUCT(scan_sort_spec, "spec", "SCAN_SORT_SPEC_INIT", spec_fields);
static const mpi_struct args_struct = MPI_STRUCT(scan_sort_args, "args", "SCAN_SORT_ARGS_INIT", args_fields);

/* ---- the spec ---- */

static scan_status check_spec(scan_mpi *mpi, const scan_sort_spec *spec) {
  uint64_t bytes;
  if (spec->offset_type != SCAN_TYPE_DEFAULT)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "spec->offset_type is set: over ranks all keys are one segment; sort each rank's segments by "
                         "scan_sort");
  if (spec->gives_scratch)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "spec->gives_scratch is %u: a plan over ranks has its own workspace; set it to 0",
                         spec->gives_scratch);
  return scan_mpi_adopt_error(mpi, scan_sort_scratch_bytes(mpi->ctx, spec, 1, &bytes)); /* checks the spec */
}

/* Derives the sort of this rank's keys, with indices as an array. Columns of the workspace are aligned to 16 bytes. */
static void derive(mpi_sort_form *form) {
  scan_sort_spec *own = &form->own;
  *own = form->asked;
  own->in_place = own->drops_keys = 0;
  for (uint32_t a = 0; a < own->arrays; a++)
    if (own->element_align[a] > ELEMENT_MOST_ALIGN) own->element_align[a] = ELEMENT_MOST_ALIGN;
  if (form->index_type != SCAN_TYPE_DEFAULT) {
    own->arrays = 1;
    own->element_bytes[0] = (uint32_t)scan_type_bytes(form->index_type);
    own->element_align[0] = 0;
    own->index_type = SCAN_TYPE_DEFAULT;
  }
  form->last = *own;
  form->last.drops_keys = form->asked.drops_keys;
}

/* 1 if the device counts digits. Without splits it does so by a launch for each cut and round; the host reads all keys
 * once, which takes less time with few keys and many ranks. */
static int counts_on_device(const mpi_sort *s) {
  const scan_mpi *mpi = s->mpi;
  const mpi_sort_form *form = &s->form;
  const uint64_t ranks = (uint64_t)mpi->ranks, own_bytes = s->max_n / ranks * form->key_bytes;
  const uint64_t rounds = (form->end_bit - form->first_bit + form->digit_bits - 1) / form->digit_bits;
  if (mpi->backend == SCAN_BACKEND_HOST || form->is_numeric || form->asked.key_words == 2) return 0;
  return mpi->ranks <= mpi->handle->most_split_ranks || ranks * rounds <= own_bytes / mpi->handle->launch_bytes;
}

scan_status scan_mpi_sort_check(mpi_sort *s, const scan_sort_spec *given) {
  scan_mpi *mpi = s->mpi;
  mpi_sort_form *form = &s->form;
  *form = (mpi_sort_form){ .digit_bits = SORT_DIGIT_BITS };
  scan_sort_spec *asked = &form->asked;
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &spec_struct, asked, given));
  MPI_TRY(check_spec(mpi, asked));
  form->index_type = scan_mpi_sort_index_type(s->max_n, asked->index_type);
  derive(form);
  form->key_bytes = (uint32_t)scan_type_bytes(asked->key_type) * (asked->key_words == 2 ? 2 : 1);
  form->first_bit = asked->first_bit;
  form->end_bit = asked->end_bit != 0 ? asked->end_bit : 8 * form->key_bytes;
  form->columns = 1 + form->own.arrays;
  form->bytes[0] = form->key_bytes;
  for (uint32_t a = 0; a < form->own.arrays; a++) form->bytes[1 + a] = form->own.element_bytes[a];
  while (form->digit_bits > 1 && (uint64_t)mpi->ranks << form->digit_bits > SORT_MOST_COUNTS) form->digit_bits--;
  form->is_numeric = asked->order == SCAN_SORT_NUMERIC_ORDER;
  form->counts_on_device = counts_on_device(s);
  return SCAN_SUCCESS;
}

scan_status scan_mpi_sort_compare(const mpi_sort *s) {
  const scan_sort_spec *a = &s->form.asked;
  const uint64_t numbers[] = { (uint64_t)a->key_type, a->descending,     a->first_bit, s->form.end_bit, a->index_type,
                               a->key_words == 2,     a->low_word_first, a->order,     a->arrays };
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) hash = scan_mpi_hash(hash, numbers[i]);
  for (uint32_t c = 0; c < a->arrays; c++) hash = scan_mpi_hash(hash, a->element_bytes[c]);
  MPI_TRY(scan_mpi_same(s->mpi, hash, "spec"));
  return scan_mpi_same(s->mpi, (uint64_t)s->distribution, "distribution");
}

/* ---- the args ---- */

static int is_memory(scan_mem mem) { return mem.kind != SCAN_MEM_NONE && mem.handle != NULL; }

static scan_status check_unused(mpi_sort *s, scan_mem mem, const char *name) {
  if (mem.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  return scan_mpi_fail(s->mpi, SCAN_INVALID_ARGUMENT, "args->%s is given, and the spec does not ask for it", name);
}

static scan_status check_input(mpi_sort *s, scan_mem mem, const char *name) {
  if (is_memory(mem) || s->local_n == 0) return SCAN_SUCCESS;
  return scan_mpi_fail(s->mpi, SCAN_INVALID_ARGUMENT, "args->%s is no memory", name);
}

static scan_status check_arrays(mpi_sort *s) {
  const scan_sort_args *args = &s->args;
  const uint32_t inputs = s->form.asked.arrays, outputs = s->form.own.arrays;
  for (uint32_t a = 0; a < SCAN_SORT_MOST_ARRAYS; a++) {
    MPI_TRY(a < inputs ? check_input(s, args->in[a], "in") : check_unused(s, args->in[a], "in"));
    if (a >= outputs) MPI_TRY(check_unused(s, args->out[a], "out"));
  }
  return SCAN_SUCCESS;
}

scan_status scan_mpi_sort_args_copy_in(mpi_sort *s, const scan_sort_args *given, uint64_t local_n) {
  scan_mpi *mpi = s->mpi;
  s->local_n = local_n;
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &args_struct, &s->args, given));
  if (s->args.n_from.kind != SCAN_MEM_NONE || s->args.opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->%s: ranks exchange their n on the host, which waits for the device; give local_n",
                         s->args.opencl != NULL ? "opencl" : "n_from");
  if (local_n > s->max_local_n)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "local_n is %llu, but the plan was created for at most %llu",
                         (unsigned long long)local_n, (unsigned long long)s->max_local_n);
  MPI_TRY(check_unused(s, s->args.offsets, "offsets"));
  MPI_TRY(check_unused(s, s->args.scratch, "scratch"));
  MPI_TRY(check_input(s, s->args.keys_in, "keys_in"));
  if (s->form.asked.drops_keys) MPI_TRY(check_unused(s, s->args.keys_out, "keys_out"));
  return check_arrays(s);
}
