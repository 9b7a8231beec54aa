/* SPDX-License-Identifier: BSD-2-Clause */
/* The sorts and splits of one rank's keys and arrays. */
#include "mpi/sort.h"

/* ---- the caller's columns ---- */

scan_status scan_mpi_sort_read(mpi_sort *s, uint32_t column, uint64_t items, scan_mem *mem) {
  if (!scan_mpi_is_foreign(s->mpi, *mem)) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(s->mpi, s->b[column].mem, *mem, items * s->form.bytes[column]));
  *mem = s->b[column].mem;
  return SCAN_SUCCESS;
}

scan_status scan_mpi_sort_number(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  scan_args args = SCAN_ARGS_INIT(s->ones.mem, s->b[1].mem);
  args.carry_in = s->offset.mem;
  MPI_TRY(scan_mpi_copy(mpi, s->offset.mem, scan_host(&s->first), s->form.bytes[1])); /* little-endian */
  return scan_mpi_adopt_error(mpi, scan_plan_run_args(s->number, s->local_n, &args));
}

/* Finds the memory of this rank's columns that plans take. */
static scan_status read_columns(mpi_sort *s, scan_sort_args *args) {
  args->keys_in = s->args.keys_in;
  MPI_TRY(scan_mpi_sort_read(s, 0, s->local_n, &args->keys_in));
  if (s->number != NULL) {
    args->in[0] = s->b[1].mem;
    return scan_mpi_sort_number(s);
  }
  for (uint32_t c = 1; c <= s->form.asked.arrays; c++) {
    args->in[c - 1] = s->args.in[c - 1];
    MPI_TRY(scan_mpi_sort_read(s, c, s->local_n, &args->in[c - 1]));
  }
  return SCAN_SUCCESS;
}

/* Splits this rank's columns by the digit of a round, and counts the digits. */
static scan_status split_columns(mpi_sort *s, uint32_t round, const scan_sort_args *columns) {
  const uint64_t digits = UINT64_C(1) << scan_mpi_sort_bits(&s->form, s->form.end_bit - round * s->form.digit_bits);
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(columns->keys_in, columns->keys_out, s->split_offsets.mem);
  memcpy(args.in, columns->in, sizeof args.in);
  memcpy(args.out, columns->out, sizeof args.out);
  MPI_TRY(scan_mpi_adopt_error(s->mpi, scan_plan_run_split(s->split[round], s->local_n, &args)));
  MPI_TRY(scan_mpi_copy(s->mpi, scan_host(s->own_counts), s->split_offsets.mem, (digits + 1) * sizeof(uint64_t)));
  for (uint64_t d = 0; d < digits; d++) s->own_counts[d] = s->own_counts[d + 1] - s->own_counts[d];
  return SCAN_SUCCESS;
}

static scan_status copy_back(mpi_sort *s, uint64_t low, uint64_t high) {
  for (uint32_t c = 0; c < s->form.columns; c++) {
    const uint64_t bytes = s->form.bytes[c];
    MPI_TRY(scan_mpi_copy(s->mpi, scan_offset(s->a[c].mem, low * bytes), scan_offset(s->b[c].mem, low * bytes),
                          (high - low) * bytes));
  }
  return SCAN_SUCCESS;
}

/* Makes the columns of `b` those of `a`. Other ranks know the place of a mapped `b`, which stays. */
static scan_status take_columns(mpi_sort *s) {
  if (s->is_mapped) return copy_back(s, 0, s->local_n);
  for (uint32_t c = 0; c < s->form.columns; c++) {
    const mpi_buffer other = s->b[c];
    s->b[c] = s->a[c];
    s->a[c] = other;
  }
  return SCAN_SUCCESS;
}

scan_status scan_mpi_sort_own(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  scan_sort_args args = { .struct_bytes = sizeof args, .keys_out = s->a[0].mem };
  if (s->local_n == 0) {
    memset(s->own_counts, 0, sizeof *s->own_counts << SORT_DIGIT_BITS);
    return SCAN_SUCCESS;
  }
  MPI_TRY(read_columns(s, &args));
  for (uint32_t c = 1; c < s->form.columns; c++) args.out[c - 1] = s->a[c].mem;
  if (s->split[0] != NULL) return split_columns(s, s->skipped, &args);
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_plan_run_sort(s->own, s->local_n, &args)));
  if (s->host_keys != NULL)
    MPI_TRY(scan_mpi_copy(mpi, scan_host(s->host_keys), s->a[0].mem, s->local_n * s->form.key_bytes));
  return scan_mpi_adopt_error(mpi, scan_sync(mpi->ctx));
}

/* ---- intervals ---- */

/* Sorts the elements of `a` from `low` to `high` into `b`. */
static scan_status sort_range(mpi_sort *s, uint64_t low, uint64_t high) {
  scan_sort_args args = { .struct_bytes = sizeof args };
  for (uint32_t c = 0; c < s->form.columns; c++) {
    const scan_mem from = scan_offset(s->a[c].mem, low * s->form.bytes[c]);
    const scan_mem to = scan_offset(s->b[c].mem, low * s->form.bytes[c]);
    *(c == 0 ? &args.keys_in : &args.in[c - 1]) = from;
    *(c == 0 ? &args.keys_out : &args.out[c - 1]) = to;
  }
  return scan_mpi_adopt_error(s->mpi, scan_plan_run_sort(s->own, high - low, &args));
}

/* Sorts all of this rank's elements. */
static scan_status sort_all(mpi_sort *s) {
  MPI_TRY(sort_range(s, 0, s->local_n));
  return take_columns(s);
}

scan_status scan_mpi_sort_intervals(mpi_sort *s) {
  uint64_t items = 0;
  for (int r = 1, done = 0; r < s->mpi->ranks; r++) {
    const mpi_cut_search *search = &s->searches[r];
    if (search->slot < done) continue;
    items += search->high - search->low;
    done++;
  }
  if (items == 0 || s->own == NULL) return SCAN_SUCCESS;
  if (items > s->local_n / 2) {
    MPI_TRY(sort_all(s));
    return scan_mpi_adopt_error(s->mpi, scan_sync(s->mpi->ctx));
  }
  for (int r = 1, done = 0; r < s->mpi->ranks; r++) {
    const mpi_cut_search *search = &s->searches[r];
    if (search->slot < done) continue;
    MPI_TRY(sort_range(s, search->low, search->high));
    MPI_TRY(copy_back(s, search->low, search->high));
    done++;
  }
  return scan_mpi_adopt_error(s->mpi, scan_sync(s->mpi->ctx));
}

/* ---- the result ---- */

/* Returns the memory that a column is sorted into: the caller's, or workspace if a plan does not take that. */
static scan_mem write_column(const mpi_sort *s, uint32_t column, scan_mem mem) {
  return scan_mpi_is_foreign(s->mpi, mem) ? s->a[column].mem : mem;
}

static scan_mem output_of(const mpi_sort *s, uint32_t column) {
  return column == 0 ? s->args.keys_out : s->args.out[column - 1];
}

/* Widens the sorted indices in `a`, into the caller's output, or `b`. */
static scan_status widen_indices(mpi_sort *s, uint64_t count) {
  const scan_mem out = output_of(s, 1);
  scan_args args = SCAN_ARGS_INIT(s->a[1].mem, scan_mpi_is_foreign(s->mpi, out) ? s->b[1].mem : out);
  args.marks = s->ones.mem;
  args.mark_count = count;
  return scan_mpi_adopt_error(s->mpi, scan_plan_run_args(s->widen, count, &args));
}

int scan_mpi_sort_needs_room(const mpi_sort *s) {
  int needs_room = s->widen != NULL;
  for (uint32_t c = 0; c < s->form.columns; c++) needs_room |= scan_mpi_is_foreign(s->mpi, output_of(s, c));
  return needs_room;
}

/* Sorts `count` elements into the outputs, from element `first` on. @param args their columns */
static scan_status sort_into(mpi_sort *s, uint64_t first, uint64_t count, scan_sort_args *args) {
  for (uint32_t c = 0; c < s->form.columns; c++) {
    const int is_short = c == 1 && s->widen != NULL;
    const scan_mem out = is_short ? s->a[1].mem : write_column(s, c, output_of(s, c));
    *(c == 0 ? &args->keys_out : &args->out[c - 1]) = scan_offset(out, first * scan_mpi_sort_output_bytes(&s->form, c));
  }
  if (count == 0) return SCAN_SUCCESS;
  return scan_mpi_adopt_error(s->mpi, scan_plan_run_sort(s->last, count, args));
}

scan_status scan_mpi_sort_last(mpi_sort *s, uint64_t first, uint64_t count) {
  scan_sort_args args = { .struct_bytes = sizeof args };
  for (uint32_t c = 0; c < s->form.columns; c++)
    *(c == 0 ? &args.keys_in : &args.in[c - 1]) = scan_offset(s->b[c].mem, first * s->form.bytes[c]);
  return sort_into(s, first, count, &args);
}

scan_status scan_mpi_sort_deliver(mpi_sort *s, uint64_t count) {
  scan_mpi *mpi = s->mpi;
  if (s->widen != NULL && count > 0) MPI_TRY(widen_indices(s, count));
  for (uint32_t c = 0; c < s->form.columns; c++) {
    const mpi_buffer *from = c == 1 && s->widen != NULL ? &s->b[c] : &s->a[c];
    if (scan_mpi_is_foreign(s->mpi, output_of(s, c)))
      MPI_TRY(scan_mpi_copy(mpi, output_of(s, c), from->mem, count * scan_mpi_sort_output_bytes(&s->form, c)));
  }
  return scan_mpi_adopt_error(mpi, scan_sync(mpi->ctx));
}

scan_status scan_mpi_sort_alone(mpi_sort *s) {
  scan_sort_args args = { .struct_bytes = sizeof args };
  if (s->local_n > 0) MPI_TRY(read_columns(s, &args));
  MPI_TRY(sort_into(s, 0, s->local_n, &args));
  return scan_mpi_sort_deliver(s, s->local_n);
}
