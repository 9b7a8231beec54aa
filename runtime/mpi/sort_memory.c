/* SPDX-License-Identifier: BSD-2-Clause */
/* The workspace of a sort over the ranks, and its plans of libscanrt. */
#include "mpi/sort.h"

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* ---- plans ---- */

/* 1 if this rank's keys are split by a digit. Keys of two words and the numeric order have no splits, and neither have
 * many ranks: their cuts lie in most digits, so that all keys are sorted. */
static int has_splits(const mpi_sort *s) {
  const mpi_sort_form *form = &s->form;
  if (s->own_step != scan_mpi_sort_own || s->is_alone) return 0;
  return !form->is_numeric && form->asked.key_words != 2 && s->mpi->ranks <= s->mpi->handle->most_split_ranks;
}

/* 1 if scan_histogram counts digits: in rounds, or to find the digit to split by. */
static int counts_digits(const mpi_sort *s) { return s->form.counts_on_device || has_splits(s); }

static scan_status make_count_plans(mpi_sort *s) {
  const mpi_sort_form *form = &s->form;
  uint32_t end = form->end_bit;
  for (uint32_t k = 0; end > form->first_bit; k++) {
    const uint32_t bits = scan_mpi_sort_bits(form, end);
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

/* Makes the plans that split this rank's keys by a digit: the highest, and those below it. */
static scan_status make_splits(mpi_sort *s) {
  const mpi_sort_form *form = &s->form;
  const scan_sort_spec *own = &form->own;
  uint32_t end = form->end_bit;
  scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(own->key_type, 0, 0);
  spec.descending = own->descending;
  spec.arrays = own->arrays;
  memcpy(spec.element_bytes, own->element_bytes, sizeof spec.element_bytes);
  memcpy(spec.element_align, own->element_align, sizeof spec.element_align);
  MPI_TRY(scan_mpi_reserve(s->mpi, &s->split_offsets, ((UINT64_C(1) << form->digit_bits) + 1) * sizeof(uint64_t)));
  for (uint32_t k = 0; k < SORT_MOST_SPLITS && end > form->first_bit; k++) {
    spec.end_bit = end;
    spec.first_bit = end - scan_mpi_sort_bits(form, end);
    end = spec.first_bit;
    MPI_TRY(scan_mpi_adopt_error(s->mpi,
                                 scan_plan_create_split(s->mpi->ctx, &spec, larger(s->max_local_n, 1), &s->split[k])));
  }
  return SCAN_SUCCESS;
}

/* Makes the plans that order this rank's keys. */
static scan_status make_own(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  const mpi_sort_form *form = &s->form;
  if (s->own_step != scan_mpi_sort_own || s->is_alone) return SCAN_SUCCESS;
  if (has_splits(s)) MPI_TRY(make_splits(s));
  if (s->split[0] != NULL && scan_mpi_sort_bits(form, form->end_bit) == form->end_bit - form->first_bit)
    return SCAN_SUCCESS;
  return scan_mpi_adopt_error(mpi, scan_plan_create_sort(mpi->ctx, &form->own, larger(s->max_local_n, 1), &s->own));
}

/* Makes the plan that widens indices: sums in segments of one element. */
static scan_status make_widen(mpi_sort *s) {
  scan_spec spec = SCAN_SPEC_INIT(s->form.asked.index_type, SCAN_ADD, SCAN_INCLUSIVE);
  if (s->form.index_type == s->form.asked.index_type) return SCAN_SUCCESS;
  spec.input_type = s->form.index_type;
  spec.segments = SCAN_SEGMENTS_FLAGS;
  return scan_mpi_adopt_error(s->mpi, scan_plan_create(s->mpi->ctx, &spec, larger(s->capacity, 1), &s->widen));
}

/* Prepares the numbering of this rank's keys: an exclusive sum of ones that begins with the number of the first. */
static scan_status make_numbers(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  scan_spec spec = SCAN_SPEC_INIT(s->form.index_type, SCAN_ADD, SCAN_EXCLUSIVE);
  const uint64_t n = larger(larger(s->max_local_n, s->capacity), 1);
  spec.input_type = SCAN_U8;
  MPI_TRY(scan_mpi_reserve(mpi, &s->offset, sizeof s->first));
  MPI_TRY(scan_mpi_reserve(mpi, &s->ones, n));
  unsigned char *ones = scan_mpi_allocate(mpi, n, 1);
  if (ones == NULL) return SCAN_OUT_OF_MEMORY;
  memset(ones, 1, n);
  const scan_status status = scan_mpi_copy(mpi, s->ones.mem, scan_host(ones), n);
  free(ones);
  MPI_TRY(status);
  MPI_TRY(make_widen(s));
  return scan_mpi_adopt_error(mpi, scan_plan_create(mpi->ctx, &spec, larger(s->max_local_n, 1), &s->number));
}

static scan_status allocate_numbers(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  const uint64_t ranks = (uint64_t)mpi->ranks;
  const uint64_t counts = larger(ranks << s->form.digit_bits, UINT64_C(1) << SORT_DIGIT_BITS) + 1;
  s->own_counts = scan_mpi_allocate(mpi, counts, sizeof *s->own_counts);
  s->all_counts = scan_mpi_allocate(mpi, counts, sizeof *s->all_counts);
  s->hellos = scan_mpi_allocate(mpi, ranks, sizeof *s->hellos);
  s->searches = scan_mpi_allocate(mpi, ranks, sizeof *s->searches);
  s->cuts = scan_mpi_allocate(mpi, 4 * (ranks + 1), sizeof *s->cuts);
  s->bucket_starts = scan_mpi_allocate(mpi, (uint64_t)s->buckets + 1, sizeof *s->bucket_starts);
  if (!s->bucket_starts || !s->own_counts || !s->all_counts || !s->hellos || !s->searches || !s->cuts)
    return SCAN_OUT_OF_MEMORY;
  s->starts = s->cuts + (ranks + 1);
  s->ties = s->cuts + 2 * (ranks + 1);
  s->ties_before = s->cuts + 3 * (ranks + 1);
  MPI_TRY(scan_mpi_sort_open_parts(s));
  if (counts_digits(s)) MPI_TRY(scan_mpi_reserve(mpi, &s->counts, counts * sizeof *s->own_counts));
  if (s->form.counts_on_device || mpi->backend == SCAN_BACKEND_HOST) return SCAN_SUCCESS;
  s->host_keys = scan_mpi_allocate(mpi, s->max_local_n, s->form.key_bytes);
  return s->host_keys != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

scan_status scan_mpi_sort_open(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  const uint64_t items = larger(larger(s->max_local_n, s->capacity), 1);
  if (items > SIZE_MAX / 2 / SCAN_OP_MOST_BYTES)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "max_local_n or capacity is %llu: more than an address can reach",
                         (unsigned long long)items);
  for (uint32_t c = 0; c < s->form.columns; c++) {
    const uint64_t bytes = scan_mpi_sort_output_bytes(&s->form, c);
    MPI_TRY(scan_mpi_reserve(mpi, &s->a[c], items * bytes));
  }
  MPI_TRY(allocate_numbers(s));
  if (s->form.index_type != SCAN_TYPE_DEFAULT && !s->is_alone) MPI_TRY(make_numbers(s));
  MPI_TRY(make_own(s));
  if (counts_digits(s) && !s->is_alone) MPI_TRY(make_count_plans(s));
  return scan_mpi_adopt_error(mpi, scan_plan_create_sort(mpi->ctx, &s->form.last, larger(s->capacity, 1), &s->last));
}

/* Allocates `b` of this plan alone. */
static scan_status reserve_received(mpi_sort *s) {
  const uint64_t items = larger(larger(s->max_local_n, s->capacity), 1);
  for (uint32_t c = 0; c < s->form.columns; c++)
    MPI_TRY(scan_mpi_reserve(s->mpi, &s->b[c], items * scan_mpi_sort_output_bytes(&s->form, c)));
  return SCAN_SUCCESS;
}

/* Lays out `b` in the memory to which other ranks send directly. Returns its bytes. */
static uint64_t place_received(mpi_sort *s, scan_mem memory) {
  const uint64_t items = larger(larger(s->max_local_n, s->capacity), 1), align = 256;
  uint64_t at = 0;
  for (uint32_t c = 0; c < s->form.columns; c++) {
    s->b[c].mem = memory.kind == SCAN_MEM_NONE ? memory : scan_offset(memory, at);
    at += (items * scan_mpi_sort_output_bytes(&s->form, c) + align - 1) / align * align;
  }
  return at;
}

scan_status scan_mpi_sort_reserve(mpi_sort *s) {
  uint64_t widest = 1;
  if (!s->is_alone) MPI_TRY(scan_mpi_exchange_map(s->mpi, place_received(s, SCAN_NO_MEM), &s->is_mapped));
  if (s->is_mapped) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_agree(s->mpi, reserve_received(s)));
  if (s->is_alone) return SCAN_SUCCESS;
  for (uint32_t c = 0; c < s->form.columns; c++) widest = larger(widest, s->form.bytes[c]);
  return scan_mpi_exchange_reserve(s->mpi, s->max_local_n * widest, s->capacity * widest);
}

void scan_mpi_sort_use_mapped(mpi_sort *s) {
  if (s->is_mapped) (void)place_received(s, scan_mpi_mapped_memory(s->mpi));
}

void scan_mpi_sort_close(mpi_sort *s) {
  for (int k = 0; k < SORT_MOST_ROUNDS; k++) scan_plan_destroy(s->count[k]);
  scan_plan_destroy(s->count_buckets);
  for (int k = 0; k < SORT_MOST_SPLITS; k++) scan_plan_destroy(s->split[k]);
  scan_plan_destroy(s->own);
  scan_plan_destroy(s->last);
  scan_plan_destroy(s->number);
  scan_plan_destroy(s->widen);
  for (int c = 0; c < SORT_MOST_COLUMNS; c++) {
    scan_mpi_release(s->mpi, &s->a[c]);
    if (!s->is_mapped) scan_mpi_release(s->mpi, &s->b[c]);
  }
  scan_mpi_release(s->mpi, &s->ones);
  scan_mpi_release(s->mpi, &s->offset);
  scan_mpi_release(s->mpi, &s->counts);
  scan_mpi_release(s->mpi, &s->split_offsets);
  free(s->host_keys);
  free(s->bucket_starts);
  free(s->own_counts);
  free(s->all_counts);
  free(s->hellos);
  free(s->searches);
  free(s->cuts);
  scan_mpi_sort_close_parts(s);
}
