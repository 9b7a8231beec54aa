/* SPDX-License-Identifier: BSD-2-Clause */
/* The cuts between the ranks' results. Rounds narrow the interval of keys around each cut digit by digit, from the
 * highest on: all ranks add up how many of their keys have each digit, and take the interval that the cut lies in. If
 * equal keys are on both sides of a cut, those of the first ranks come first. */
#include "mpi/sort.h"

/* ---- where the cuts are ---- */

void scan_mpi_sort_place(mpi_sort *s) {
  const uint64_t ranks = (uint64_t)s->mpi->ranks, each = s->n / ranks, more = s->n % ranks;
  s->starts[0] = 0;
  for (uint64_t r = 0; r < ranks; r++)
    s->starts[r + 1] =
        s->starts[r] + (s->distribution == SCAN_MPI_AS_GIVEN ? s->hellos[r].local_n : each + (r < more ? 1 : 0));
}

/* Begins the search of each cut. Those before all elements and behind them are known. */
static void begin_searches(mpi_sort *s) {
  for (int r = 1; r < s->mpi->ranks; r++) {
    const uint64_t place = s->starts[r];
    const int is_known = place == 0 || place == s->n;
    s->searches[r] = (mpi_cut_search){ place, 0, s->n, 0, s->local_n, is_known ? -1 : 0 };
    s->cuts[r] = place == 0 ? 0 : s->local_n;
  }
  s->cuts[0] = 0;
  s->cuts[s->mpi->ranks] = s->local_n;
}

/* ---- rounds ---- */

/* Numbers the intervals that cuts are searched in: several cuts may lie in one. */
static int number_intervals(mpi_sort *s) {
  int slots = 0;
  uint64_t before = 0;
  for (int r = 1; r < s->mpi->ranks; r++) {
    mpi_cut_search *search = &s->searches[r];
    if (search->slot < 0) continue;
    if (slots == 0 || search->before != before) slots++;
    before = search->before;
    search->slot = slots - 1;
  }
  return slots;
}

/* Adds up this rank's digits of one interval, or has the device do so. */
static scan_status count_interval(mpi_sort *s, const mpi_cut_search *search, scan_plan *plan, uint32_t first,
                                  uint32_t bits) {
  const uint64_t at = (uint64_t)search->slot << bits, items = search->high - search->low;
  if (!s->form.counts_on_device) {
    const unsigned char *keys = s->host_keys;
    if (keys == NULL) keys = (const unsigned char *)scan_mpi_host_pointer(s->a[0].mem);
    scan_mpi_sort_count(&s->form, keys, search->low, search->high, first, bits, s->own_counts + at);
    return SCAN_SUCCESS;
  }
  const scan_histogram_args args = SCAN_HISTOGRAM_ARGS_INIT(scan_offset(s->a[0].mem, search->low * s->form.key_bytes),
                                                            scan_offset(s->counts.mem, at * sizeof *s->own_counts));
  return scan_mpi_adopt_error(s->mpi, scan_plan_run_histogram(plan, items, &args));
}

static scan_status count_intervals(mpi_sort *s, int slots, uint32_t round, uint32_t first, uint32_t bits) {
  int done = 0;
  for (int r = 1; r < s->mpi->ranks; r++) {
    if (s->searches[r].slot < done) continue;
    MPI_TRY(count_interval(s, &s->searches[r], s->count[round], first, bits));
    done++;
  }
  if (!s->form.counts_on_device) return SCAN_SUCCESS;
  return scan_mpi_copy(s->mpi, scan_host(s->own_counts), s->counts.mem,
                       ((uint64_t)slots << bits) * sizeof *s->own_counts);
}

/* Takes the digit that a cut lies in. */
static void narrow(mpi_sort *s, int r, uint32_t bits) {
  mpi_cut_search *search = &s->searches[r];
  const uint64_t *own = s->own_counts + ((uint64_t)search->slot << bits);
  const uint64_t *all = s->all_counts + ((uint64_t)search->slot << bits);
  uint32_t digit = 0;
  while (search->place - search->before >= all[digit]) {
    search->before += all[digit];
    search->low += own[digit];
    digit++;
  }
  search->total = all[digit];
  search->high = search->low + own[digit];
  if (search->place != search->before) return;
  search->slot = -1; /* no key of the interval comes before the cut */
  s->cuts[r] = search->low;
}

/* Adds up the counts of all ranks. A rank whose counting failed takes part, with a count of its own. */
static scan_status add_counts(mpi_sort *s, uint64_t counts, scan_status status) {
  scan_mpi *mpi = s->mpi;
  s->own_counts[counts] = status != SCAN_SUCCESS;
  MPI_TRY(
      MPI_CALL(mpi, MPI_Allreduce, s->own_counts, s->all_counts, (int)counts + 1, MPI_UINT64_T, MPI_SUM, mpi->comm));
  return s->all_counts[counts] > 0 ? scan_mpi_agree(mpi, status) : SCAN_SUCCESS;
}

static scan_status do_round(mpi_sort *s, int slots, uint32_t round, uint32_t first, uint32_t bits) {
  MPI_TRY(add_counts(s, (uint64_t)slots << bits, count_intervals(s, slots, round, first, bits)));
  for (int r = 1; r < s->mpi->ranks; r++)
    if (s->searches[r].slot >= 0) narrow(s, r, bits);
  return SCAN_SUCCESS;
}

scan_status scan_mpi_sort_count_buckets(mpi_sort *s) {
  const mpi_cut_search all = { .high = s->local_n };
  const uint32_t first = s->form.first_bit, bits = s->form.end_bit - first;
  scan_status status = count_interval(s, &all, s->count_buckets, first, bits);
  if (status == SCAN_SUCCESS && s->form.counts_on_device)
    status = scan_mpi_copy(s->mpi, scan_host(s->own_counts), s->counts.mem, sizeof *s->own_counts << bits);
  MPI_TRY(add_counts(s, UINT64_C(1) << bits, status));
  for (uint32_t k = 0; k < s->buckets; k++) s->bucket_starts[k + 1] = s->bucket_starts[k] + s->all_counts[k];
  return SCAN_SUCCESS;
}

/* ---- equal keys ---- */

/* Moves a cut to the nearer end of the equal keys around it. */
static void move_cut(mpi_sort *s, int r) {
  const mpi_cut_search *search = &s->searches[r];
  const int to_end = search->place - search->before > search->total / 2;
  s->cuts[r] = to_end ? search->high : search->low;
  s->starts[r] = search->before + (to_end ? search->total : 0);
}

/* Cuts equal keys: those of the ranks before come first. */
static scan_status cut_ties(mpi_sort *s) {
  scan_mpi *mpi = s->mpi;
  const int ranks = mpi->ranks;
  for (int r = 1; r < ranks; r++) s->ties[r] = s->searches[r].slot < 0 ? 0 : s->searches[r].high - s->searches[r].low;
  MPI_TRY(MPI_CALL(mpi, MPI_Exscan, s->ties + 1, s->ties_before + 1, ranks - 1, MPI_UINT64_T, MPI_SUM, mpi->comm));
  for (int r = 1; r < ranks; r++) {
    const mpi_cut_search *search = &s->searches[r];
    const uint64_t before = mpi->rank == 0 ? 0 : s->ties_before[r]; /* MPI leaves rank 0's result unset */
    const uint64_t wanted = search->place - search->before, rest = wanted > before ? wanted - before : 0;
    if (search->slot >= 0) s->cuts[r] = search->low + (rest < s->ties[r] ? rest : s->ties[r]);
  }
  return SCAN_SUCCESS;
}

/* 1 if one of the counts is `wanted`. */
static int holds(const uint64_t *numbers, uint64_t count, uint64_t wanted) {
  for (uint64_t k = 0; k < count; k++)
    if (numbers[k] == wanted) return 1;
  return 0;
}

/* Keys whose digits are counted before all keys are read. */
static const uint64_t sample_items = 4096;

/* Counts the digits of a round among this rank's first keys, or among all keys if the first ones have one digit. */
static scan_status count_keys(mpi_sort *s, uint32_t round, uint32_t bits) {
  scan_mpi *mpi = s->mpi;
  const uint64_t counts = UINT64_C(1) << bits;
  uint64_t items = s->local_n < sample_items ? s->local_n : sample_items;
  memset(s->own_counts, 0, (counts + 1) * sizeof *s->own_counts);
  if (items == 0) return SCAN_SUCCESS;
  for (;;) {
    scan_histogram_args args = SCAN_HISTOGRAM_ARGS_INIT(s->args.keys_in, s->counts.mem);
    MPI_TRY(scan_mpi_sort_read(s, 0, items, &args.keys));
    MPI_TRY(scan_mpi_adopt_error(mpi, scan_plan_run_histogram(s->count[round], items, &args)));
    MPI_TRY(scan_mpi_copy(mpi, scan_host(s->own_counts), s->counts.mem, counts * sizeof *s->own_counts));
    if (items == s->local_n || !holds(s->own_counts, counts, items)) return SCAN_SUCCESS;
    items = s->local_n;
  }
}

scan_status scan_mpi_sort_skip_digits(mpi_sort *s) {
  uint32_t end = s->form.end_bit;
  s->skipped = 0;
  if (s->split[0] == NULL) return SCAN_SUCCESS;
  while (s->skipped + 1 < SORT_MOST_SPLITS && s->split[s->skipped + 1] != NULL) {
    const uint32_t bits = scan_mpi_sort_bits(&s->form, end);
    MPI_TRY(add_counts(s, UINT64_C(1) << bits, count_keys(s, s->skipped, bits)));
    if (!holds(s->all_counts, UINT64_C(1) << bits, s->n)) break;
    end -= bits;
    s->skipped++;
  }
  return SCAN_SUCCESS;
}

/* Does the round of the digit that keys were split by, and sorts the intervals. @param[in,out] end, round  of the next
 * round */
static scan_status do_split_round(mpi_sort *s, uint32_t *end, uint32_t *round) {
  const uint32_t bits = scan_mpi_sort_bits(&s->form, *end);
  MPI_TRY(add_counts(s, UINT64_C(1) << bits, SCAN_SUCCESS));
  *end -= bits;
  ++*round;
  scan_mpi_sort_keep_digits(s, bits);
  for (int r = 1; r < s->mpi->ranks; r++)
    if (s->searches[r].slot >= 0) narrow(s, r, bits);
  (void)number_intervals(s);
  return scan_mpi_agree(s->mpi, scan_mpi_sort_intervals(s));
}

scan_status scan_mpi_sort_cut(mpi_sort *s) {
  uint32_t end = s->form.end_bit, round = s->skipped;
  for (uint32_t k = 0; k < round; k++) end -= scan_mpi_sort_bits(&s->form, end);
  begin_searches(s);
  s->digit_count = 0;
  int slots = number_intervals(s);
  if (s->split[0] != NULL && slots > 0) {
    MPI_TRY(do_split_round(s, &end, &round));
    slots = number_intervals(s);
  }
  for (; slots > 0 && end > s->form.first_bit; round++) {
    const uint32_t bits = scan_mpi_sort_bits(&s->form, end);
    end -= bits;
    MPI_TRY(do_round(s, slots, round, end, bits));
    slots = number_intervals(s);
  }
  if (slots == 0) return SCAN_SUCCESS;
  if (s->distribution != SCAN_MPI_BY_KEY) return cut_ties(s);
  for (int r = 1; r < s->mpi->ranks; r++)
    if (s->searches[r].slot >= 0) move_cut(s, r);
  return SCAN_SUCCESS;
}
