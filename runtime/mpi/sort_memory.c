/* SPDX-License-Identifier: BSD-2-Clause */
/* The workspace of a sort over the ranks, and the sorts of one rank. */
#include "mpi/sort.h"

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- opening ---- */

static scan_status make_count_plans(mpi_sort *s) {
  const mpi_sort_form *form = &s->form;
  uint32_t end = form->end_bit;
  for (uint32_t k = 0; end > form->first_bit; k++) {
    const uint32_t bits = end - form->first_bit < form->digit_bits ? end - form->first_bit : form->digit_bits;
    scan_histogram_spec spec = SCAN_HISTOGRAM_SPEC_INIT(form->asked.key_type, end - bits, end);
    spec.descending = form->asked.descending;
    MPI_TRY(scan_mpi_adopt_error(
        s->mpi, scan_plan_create_histogram(s->mpi->ctx, &spec, larger(s->max_local_n, 1), &s->count[k])));
    end -= bits;
  }
  if (s->buckets == 0) return SCAN_SUCCESS;
  scan_histogram_spec spec = SCAN_HISTOGRAM_SPEC_INIT(form->asked.key_type, form->first_bit, form->end_bit);
  spec.descending = form->asked.descending;
  return scan_mpi_adopt_error(
      s->mpi, scan_plan_create_histogram(s->mpi->ctx, &spec, larger(s->max_local_n, 1), &s->count_buckets));
}

/* Prepares the numbering of this rank's keys: an exclusive sum of ones that begins with the number of the first. */
static scan_status make_numbers(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  scan_spec spec = SCAN_SPEC_INIT(s->form.asked.index_type, SCAN_ADD, SCAN_EXCLUSIVE);
  const uint64_t n = larger(s->max_local_n, 1);
  spec.input_type = SCAN_U8;
  MPI_TRY(scan_mpi_reserve(mpi, &s->offset, sizeof s->first));
  MPI_TRY(scan_mpi_reserve(mpi, &s->ones, n));
  unsigned char *ones = scan_mpi_allocate(mpi, n, 1);
  if (ones == NULL) return SCAN_OUT_OF_MEMORY;
  memset(ones, 1, n);
  const scan_status status = scan_mpi_copy(mpi, s->ones.mem, scan_host(ones), n);
  free(ones);
  MPI_TRY(status);
  return scan_mpi_adopt_error(mpi, scan_plan_create(mpi->ctx, &spec, n, &s->number));
}

static scan_status allocate_numbers(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  const uint64_t ranks = (uint64_t)mpi->ranks, counts = (ranks << SORT_DIGIT_BITS) + 1;
  s->own_counts = scan_mpi_allocate(mpi, counts, sizeof *s->own_counts);
  s->all_counts = scan_mpi_allocate(mpi, counts, sizeof *s->all_counts);
  s->hellos = scan_mpi_allocate(mpi, ranks, sizeof *s->hellos);
  s->searches = scan_mpi_allocate(mpi, ranks, sizeof *s->searches);
  s->cuts = scan_mpi_allocate(mpi, 7 * (ranks + 1), sizeof *s->cuts);
  s->bucket_starts = scan_mpi_allocate(mpi, (uint64_t)s->buckets + 1, sizeof *s->bucket_starts);
  if (!s->bucket_starts || !s->own_counts || !s->all_counts || !s->hellos || !s->searches || !s->cuts)
    return SCAN_OUT_OF_MEMORY;
  s->starts = s->cuts + (ranks + 1);
  s->ties = s->cuts + 2 * (ranks + 1);
  s->ties_before = s->cuts + 3 * (ranks + 1);
  s->sends = s->cuts + 4 * (ranks + 1);
  s->receives = s->cuts + 5 * (ranks + 1);
  s->places = s->cuts + 6 * (ranks + 1);
  if (s->form.counts_on_device) return scan_mpi_reserve(mpi, &s->counts, counts * sizeof *s->own_counts);
  if (mpi->backend == SCAN_BACKEND_HOST) return SCAN_SUCCESS;
  s->host_keys = scan_mpi_allocate(mpi, s->max_local_n, s->form.key_bytes);
  return s->host_keys != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

scan_status scan_mpi_sort_open(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  const uint64_t items = larger(larger(s->max_local_n, s->capacity), 1);
  uint64_t widest = 1;
  if (items > SIZE_MAX / 2 / SCAN_OP_MOST_BYTES)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "max_local_n or capacity is %llu: more than an address can reach",
                         (unsigned long long)items);
  for (uint32_t c = 0; c < s->form.columns; c++) {
    MPI_TRY(scan_mpi_reserve(mpi, &s->a[c], items * s->form.bytes[c]));
    MPI_TRY(scan_mpi_reserve(mpi, &s->b[c], items * s->form.bytes[c]));
    widest = larger(widest, s->form.bytes[c]);
  }
  MPI_TRY(allocate_numbers(s));
  MPI_TRY(scanrt_mpi_exchange_reserve(mpi, items * widest));
  if (s->form.counts_on_device) MPI_TRY(make_count_plans(s));
  if (s->form.asked.index_type != SCAN_TYPE_DEFAULT) MPI_TRY(make_numbers(s));
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_plan_create_sort(mpi->ctx, &s->form.own, larger(s->max_local_n, 1), &s->own)));
  return scan_mpi_adopt_error(mpi, scan_plan_create_sort(mpi->ctx, &s->form.last, larger(s->capacity, 1), &s->last));
}

void scan_mpi_sort_close(mpi_sort *s) {
  for (int k = 0; k < SORT_MOST_ROUNDS; k++) scan_plan_destroy(s->count[k]);
  scan_plan_destroy(s->count_buckets);
  scan_plan_destroy(s->own);
  scan_plan_destroy(s->last);
  scan_plan_destroy(s->number);
  for (int c = 0; c < SORT_MOST_COLUMNS; c++) {
    scan_mpi_release(s->mpi, &s->a[c]);
    scan_mpi_release(s->mpi, &s->b[c]);
  }
  scan_mpi_release(s->mpi, &s->ones);
  scan_mpi_release(s->mpi, &s->offset);
  scan_mpi_release(s->mpi, &s->counts);
  free(s->host_keys);
  free(s->bucket_starts);
  free(s->own_counts);
  free(s->all_counts);
  free(s->hellos);
  free(s->searches);
  free(s->cuts);
}

/* ---- the sorts of one rank ---- */

/* 1 if a plan of libscanrt does not take the memory. */
static int is_foreign(const mpi_sort *s, scan_mem mem) {
  return mem.kind == SCAN_MEM_HOST && s->mpi->backend != SCAN_BACKEND_HOST;
}

scan_status scan_mpi_sort_read(mpi_sort *s, uint32_t column, scan_mem *mem) {
  if (!is_foreign(s, *mem)) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(s->mpi, s->b[column].mem, *mem, s->local_n * s->form.bytes[column]));
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

scan_status scan_mpi_sort_own(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  scan_sort_args args = SCAN_SORT_ARGS_INIT(s->args.keys_in, s->a[0].mem);
  if (s->local_n == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_sort_read(s, 0, &args.keys_in));
  for (uint32_t c = 1; c < s->form.columns; c++) {
    args.in[c - 1] = s->number != NULL ? s->b[c].mem : s->args.in[c - 1];
    args.out[c - 1] = s->a[c].mem;
    if (s->number == NULL) MPI_TRY(scan_mpi_sort_read(s, c, &args.in[c - 1]));
  }
  if (s->number != NULL) MPI_TRY(scan_mpi_sort_number(s));
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_plan_run_sort(s->own, s->local_n, &args)));
  if (s->host_keys != NULL)
    MPI_TRY(scan_mpi_copy(mpi, scan_host(s->host_keys), s->a[0].mem, s->local_n * s->form.key_bytes));
  return scan_mpi_adopt_error(mpi, scan_sync(mpi->ctx));
}

/* Returns the memory that a column is sorted into: the caller's, or workspace if a plan does not take that. */
static scan_mem write_column(const mpi_sort *s, uint32_t column, scan_mem mem) {
  return is_foreign(s, mem) ? s->a[column].mem : mem;
}

static scan_mem output_of(const mpi_sort *s, uint32_t column) {
  return column == 0 ? s->args.keys_out : s->args.out[column - 1];
}

scan_status scan_mpi_sort_last(mpi_sort *s, uint64_t count) {
  scan_mpi *mpi = s->mpi;
  scan_sort_args args = SCAN_SORT_ARGS_INIT(s->b[0].mem, write_column(s, 0, s->args.keys_out));
  if (count == 0) return SCAN_SUCCESS;
  for (uint32_t c = 1; c < s->form.columns; c++) {
    args.in[c - 1] = s->b[c].mem;
    args.out[c - 1] = write_column(s, c, s->args.out[c - 1]);
  }
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_plan_run_sort(s->last, count, &args)));
  for (uint32_t c = 0; c < s->form.columns; c++)
    if (is_foreign(s, output_of(s, c)))
      MPI_TRY(scan_mpi_copy(mpi, output_of(s, c), s->a[c].mem, count * s->form.bytes[c]));
  return scan_mpi_adopt_error(mpi, scan_sync(mpi->ctx));
}
