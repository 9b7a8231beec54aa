/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the ranks' results. A rank with many keys gets its results in parts, cut where a digit of the split
 * begins: so one is complete when its elements have come, and is sorted while those of the next come. */
#include "mpi/sort.h"

scan_status scan_mpi_sort_open_parts(mpi_sort *s) {
  const uint64_t ranks = (uint64_t)s->mpi->ranks, counts = SORT_PARTS * ranks;
  uint64_t *numbers = scan_mpi_allocate(s->mpi, 6 * counts, sizeof *numbers);
  s->part_counts[0] = numbers;
  s->digits = scan_mpi_allocate(s->mpi, UINT64_C(1) << SORT_DIGIT_BITS, sizeof *s->digits);
  if (numbers == NULL || s->digits == NULL) return SCAN_OUT_OF_MEMORY;
  s->part_counts[1] = numbers + counts;
  for (uint64_t p = 0; p < SORT_PARTS; p++) {
    s->parts[p].sends = numbers + 2 * counts + 4 * p * ranks;
    s->parts[p].send_places = s->parts[p].sends + ranks;
    s->parts[p].receives = s->parts[p].sends + 2 * ranks;
    s->parts[p].receive_places = s->parts[p].sends + 3 * ranks;
  }
  return SCAN_SUCCESS;
}

void scan_mpi_sort_close_parts(mpi_sort *s) {
  free(s->part_counts[0]);
  free(s->digits);
}

void scan_mpi_sort_keep_digits(mpi_sort *s, uint32_t bits) {
  mpi_digit_start start = { 0, 0 };
  s->digit_count = 1u << bits;
  for (uint32_t d = 0; d < s->digit_count; d++) {
    s->digits[d] = start;
    start.own += s->own_counts[d];
    start.all += s->all_counts[d];
  }
}

static uint64_t distance(uint64_t a, uint64_t b) { return a < b ? b - a : a - b; }

/* Returns where part p of a rank's results begins: at the digit whose beginning is nearest to the wanted place, or at
 * the end of the results if no digit begins among them. Parts are wanted to grow as 1, 2, 3, 4: nothing is sorted while
 * the first one is exchanged, and the sort of a part takes as long as the exchange of a larger one. */
static mpi_digit_start find_part(const mpi_sort *s, int r, uint64_t p) {
  const uint64_t start = s->starts[r], end = s->starts[r + 1];
  const uint64_t wanted = start + (end - start) / (SORT_PARTS * (SORT_PARTS + 1) / 2) * (p * (p + 1) / 2);
  mpi_digit_start found = { s->cuts[r + 1], end };
  for (uint32_t d = 0; p < SORT_PARTS && s->part_count > 1 && d < s->digit_count; d++) {
    const mpi_digit_start *digit = &s->digits[d];
    if (digit->all > start && distance(digit->all, wanted) < distance(found.all, wanted)) found = *digit;
  }
  return found;
}

scan_status scan_mpi_sort_cut_parts(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  uint64_t place = 0;
  s->part_count = s->digit_count > 0 && s->n / (uint64_t)mpi->ranks >= mpi->handle->least_part_items ? SORT_PARTS : 1;
  for (int r = 0; r < mpi->ranks; r++) {
    mpi_digit_start begin = { s->cuts[r], s->starts[r] };
    for (int p = 0; p < SORT_PARTS; p++) {
      const mpi_digit_start end = find_part(s, r, (uint64_t)p + 1);
      s->parts[p].send_places[r] = begin.own;
      s->parts[p].sends[r] = s->part_counts[0][SORT_PARTS * r + p] = end.own - begin.own;
      if (r == mpi->rank) s->parts[p].first = begin.all - s->starts[r];
      if (r == mpi->rank) s->parts[p].count = end.all - begin.all;
      begin = end;
    }
  }
  MPI_TRY(MPI_CALL(mpi, MPI_Alltoall, s->part_counts[0], SORT_PARTS, MPI_UINT64_T, s->part_counts[1], SORT_PARTS,
                   MPI_UINT64_T, mpi->comm));
  for (int p = 0; p < SORT_PARTS; p++)
    for (int r = 0; r < mpi->ranks; r++) {
      s->parts[p].receives[r] = s->part_counts[1][SORT_PARTS * r + p];
      s->parts[p].receive_places[r] = place;
      place += s->parts[p].receives[r];
    }
  return SCAN_SUCCESS;
}

scan_status scan_mpi_sort_keep_own(mpi_sort *s) {
  const int own = s->mpi->rank;
  MPI_TRY(scan_mpi_adopt_error(s->mpi, scan_sync(s->mpi->ctx))); /* what is sent is complete */
  for (int p = 0; p < SORT_PARTS; p++) {
    mpi_sort_part *part = &s->parts[p];
    for (uint32_t c = 0; c < s->form.columns; c++) {
      const uint64_t bytes = s->form.bytes[c];
      MPI_TRY(scan_mpi_copy(s->mpi, scan_offset(s->b[c].mem, part->receive_places[own] * bytes),
                            scan_offset(s->a[c].mem, part->send_places[own] * bytes), part->sends[own] * bytes));
    }
    part->sends[own] = part->receives[own] = 0;
  }
  return SCAN_SUCCESS;
}

scan_status scan_mpi_sort_exchange(mpi_sort *s, int part) {
  const mpi_sort_part *p = &s->parts[part];
  const unsigned facts = EXCHANGE_BESIDE | (s->is_mapped ? EXCHANGE_MAPPED : 0);
  for (uint32_t c = 0; c < s->form.columns; c++) {
    const mpi_parcel column = { s->a[c].mem, s->b[c].mem, p->sends, p->send_places, p->receives, p->receive_places };
    MPI_TRY(scan_mpi_exchange_ranks(s->mpi, &column, s->form.bytes[c], facts));
  }
  return SCAN_SUCCESS;
}
