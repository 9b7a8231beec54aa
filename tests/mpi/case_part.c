/* SPDX-License-Identifier: BSD-2-Clause */
#include "case_part.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "sorted_parts.h"

/* ---- the whole ---- */

static uint64_t elements_of(const scan_case *c) {
  return c->by == CASE_ARRAY ? c->scan.array.shape[c->scan.array.axis] : c->n;
}

/* Returns the unit of cuts next to edges: a tile or a group of a scan. */
static uint64_t unit_of(const scan_case *c) {
  if (c->by != CASE_SCAN && c->by != CASE_SOURCE) return 256;
  return case_group_items(c) / (c->cut_seed % 2 ? 1 : 128);
}

int case_whole_open(case_whole *whole, const scan_case *read, int ranks) {
  *whole = (case_whole){ .c = *read, .ranks = ranks, .n = elements_of(read) };
  scan_case *c = &whole->c;
  case_cut(c->cuts, c->cut_seed, ranks, whole->n, unit_of(read), whole->counts);
  for (int r = 0; r < ranks; r++) whole->starts[r + 1] = whole->starts[r] + whole->counts[r];
  c->parts = (uint32_t)ranks;
  c->part_starts = whole->starts;
  c->capacity = c->rest_capacity = 0;
  return case_build(c);
}

void case_whole_close(case_whole *whole) { case_free(&whole->c); }

/* ---- slices ---- */

typedef struct slice {
  const case_whole *whole;
  case_piece *piece;
  uint64_t first, n;
} slice;

static void cut_input(const slice *s, const case_part *from, const case_part *to, uint64_t item_bytes) {
  memcpy(s->piece->c.in_image + to->at, s->whole->c.in_image + from->at + s->first * item_bytes,
         (size_t)(s->n * item_bytes));
}

/* Cuts the results from `start` on, as many as there are and have room. */
static void cut_results(const slice *s, const case_part *from, const case_part *to, uint64_t item_bytes, uint64_t start,
                        uint64_t count) {
  const uint64_t room = item_bytes ? to->bytes / item_bytes : 0;
  memcpy(s->piece->c.want + to->at, s->whole->c.want + from->at + start * item_bytes,
         (size_t)((count < room ? count : room) * item_bytes));
}

static void put_count(const slice *s, uint64_t count) {
  scan_case *c = &s->piece->c;
  if (c->has_count) memcpy(c->want + c->count.at, &count, sizeof count);
}

/* Counts the elements before and in the part for which c->kept is `value`. */
static scan_mpi_part count_kept(const slice *s, uint8_t value) {
  scan_mpi_part part = { 0, 0, 0 };
  for (uint64_t i = 0; i < s->whole->n; i++) {
    if (s->whole->c.kept[i] != value) continue;
    part.total++;
    part.offset += i < s->first;
    part.count += i >= s->first && i < s->first + s->n;
  }
  return part;
}

/* ---- each family ---- */

static void cut_select(const slice *s) {
  const scan_case *all = &s->whole->c;
  scan_case *c = &s->piece->c;
  const uint64_t mark_bytes = c->key_type                      ? scan_type_bytes(c->key_type)
                              : c->by == SCAN_SELECT_FLAGS     ? 1
                              : c->by >= SCAN_SELECT_PREDICATE ? case_looked_bytes(c)
                                                               : 0;
  memcpy(c->kept, all->kept + s->first, (size_t)s->n);
  for (uint32_t a = 0; a < c->outputs && !c->spec.index_type; a++)
    cut_input(s, &all->in[a], &c->in[a], c->item_bytes[a]);
  if (!c->in_first) cut_input(s, &all->marks, &c->marks, mark_bytes);
  for (uint64_t i = 0; c->by == SCAN_SELECT_BITS && i < s->n; i++) {
    unsigned char *bits = c->in_image + c->marks.at + i / 8;
    *bits = (unsigned char)((*bits & ~(1u << i % 8)) | (unsigned)(c->kept[i] != 0) << i % 8);
  }
  if (c->in_place && c->spec.rest == SCAN_REST_BEHIND) case_select_put_inputs(c, c->want);
  case_select_expect(c);
  s->piece->due[0] = count_kept(s, 1);
  s->piece->due[1] = count_kept(s, c->by == CASE_PARTITION3 ? 2 : 0);
  s->piece->due[2] = count_kept(s, 0);
  s->piece->due_count = c->by == CASE_PARTITION3 ? 3 : 2;
}

/* A run is written by the rank that has its first key, a reduction by the one that has the last. */
static void cut_runs(const slice *s) {
  const scan_case *all = &s->whole->c;
  scan_case *c = &s->piece->c;
  const int by_last = c->by == CASE_REDUCE;
  scan_mpi_part part = { 0, 0, 0 };
  for (uint64_t i = 0; i < all->n; i++) {
    if (by_last ? i + 1 < all->n && !all->kept[i + 1] : !all->kept[i]) continue;
    part.total++;
    part.offset += i < s->first;
    part.count += i >= s->first && i < s->first + s->n;
  }
  cut_input(s, &all->marks, &c->marks, scan_type_bytes(c->key_type));
  if (s->n) cut_input(s, &all->values, &c->values, c->values.bytes / s->n);
  for (uint32_t a = 0; a < c->outputs; a++)
    cut_results(s, &all->out[a], &c->out[a], c->item_bytes[a], part.offset, part.count);
  put_count(s, part.count);
  s->piece->due[0] = part;
  s->piece->due_count = 1;
}

/* Finds the rank's place among the sorted elements. @return 0, or -1 if memory ran out */
static int place_sorted(const case_whole *whole, int rank, scan_mpi_part *part) {
  const scan_case *c = &whole->c;
  uint64_t starts[CASE_CUTS_MOST_PARTS + 1];
  reference_item *order = malloc(3 * ((size_t)c->items + 1) * sizeof *order);
  if (!order) return -1;
  case_sort_order(c, order);
  sorted_starts(order, c->n, (scan_mpi_distribution)c->results, whole->ranks, whole->counts, starts);
  *part = (scan_mpi_part){ starts[rank + 1] - starts[rank], starts[rank], c->n };
  free(order);
  return 0;
}

static void cut_sort(const slice *s) {
  const scan_case *all = &s->whole->c;
  const scan_mpi_part *due = s->piece->due;
  scan_case *c = &s->piece->c;
  const uint64_t bytes = case_sort_item_bytes(c);
  cut_input(s, &all->marks, &c->marks, bytes);
  for (uint32_t a = 0; a < c->sort.arrays; a++) cut_input(s, &all->in[a], &c->in[a], c->item_bytes[a]);
  case_sort_put_inputs(c, c->want);
  if (!c->sort.drops_keys) cut_results(s, &all->keys_out, &c->keys_out, bytes, due->offset, due->count);
  for (uint32_t a = 0; a < c->outputs; a++)
    cut_results(s, &all->out[a], &c->out[a], c->item_bytes[a], due->offset, due->count);
  if (c->is_split) memcpy(c->want + c->offsets.at, all->want + all->offsets.at, (size_t)c->offsets.bytes);
}

static void cut_scan(const slice *s) {
  const scan_case *all = &s->whole->c;
  const case_scan *r = &all->scan;
  scan_case *c = &s->piece->c;
  const case_range range = { s->first, s->n, s->piece->rank == 0, (int)(c->cut_seed / 2 % 3) };
  cut_input(s, &all->in[0], &c->in[0], case_scan_sizes(c).input);
  c->scan.marks = case_put_marks(all, &range, c->in_image + c->marks.at);
  case_scan_put_inputs(c, c->want);
  for (uint32_t a = 0; a < c->outputs; a++) {
    const int is_total = r->spec.kind == SCAN_TOTAL;
    cut_results(s, &all->out[a], &c->out[a], c->item_bytes[a], is_total ? 0 : s->first, UINT64_MAX);
  }
  if (r->carries.bytes) memcpy(c->want + c->scan.carries.at, all->want + r->carries.at, (size_t)r->carries.bytes);
  c->scan.overflow = r->overflow;
}

/* Copies the elements of a rank's lines, from the input and the results of the whole. */
static void cut_array(const slice *s) {
  const scan_case *all = &s->whole->c;
  scan_case *c = &s->piece->c;
  const scan_array *array = &c->scan.array, *whole = &all->scan.array;
  const scan_sizes sizes = case_scan_sizes(c);
  unsigned char *in = c->in_image + c->in[0].at + c->scan.in_first;
  const unsigned char *from = all->in_image + all->in[0].at + all->scan.in_first;
  uint64_t at[SCAN_ARRAY_MAX_AXES] = { 0 }, there[SCAN_ARRAY_MAX_AXES], index;
  for (int step = 0; step < 2; step++) {
    for (uint64_t i = 0; i < c->n; i++) {
      memcpy(there, at, sizeof there);
      there[array->axis] += s->first;
      if (step == 0)
        memcpy(in + case_array_place(array, array->in_strides, at, &index),
               from + case_array_place(whole, whole->in_strides, there, &index), (size_t)sizes.input);
      else
        memcpy(c->want + c->out[0].at + c->scan.out_first + case_array_place(array, array->out_strides, at, &index),
               all->want + all->out[0].at + all->scan.out_first +
                   case_array_place(whole, whole->out_strides, there, &index),
               (size_t)sizes.output);
      for (uint32_t k = 0; k < array->ndim; k++) {
        if (++at[k] < array->shape[k]) break;
        at[k] = 0;
      }
    }
    if (step == 0) case_scan_put_inputs(c, c->want);
  }
}

/* ---- a part ---- */

/* Returns how many of the first `n` elements are in the slice. */
static uint64_t clip(const slice *s, uint64_t n) {
  return n <= s->first ? 0 : n < s->first + s->n ? n - s->first : s->n;
}

/* Sets the fields in which a part differs from the case. */
static int take_fields(const slice *s, const scan_case *read) {
  case_piece *piece = s->piece;
  const scan_case *all = &s->whole->c;
  scan_case *c = &piece->c;
  c->n = s->n;
  if (read->plan_n) c->plan_n = s->n + (read->plan_n - read->n);
  if (c->by == CASE_ARRAY) c->scan.array.shape[c->scan.array.axis] = s->n;
  for (uint32_t a = 0; a < c->outputs; a++) c->scan.run_n[a] = clip(s, all->scan.run_n[a]);
  if (case_family_of(c->by) != FAMILY_SORTS) return 0;
  if (place_sorted(s->whole, piece->rank, &piece->due[0]) != 0) return -1;
  const uint64_t spare = data_bits(piece->seed, (uint64_t)piece->rank) % 3, room = piece->due[0].count + spare;
  piece->due_count = 1;
  piece->capacity = room == 0 ? SCAN_NO_CAPACITY : room == s->n ? 0 : room;
  c->out_n = room;
  if ((c->in_place || c->over) && c->out_n < s->n) c->out_n = s->n;
  return 0;
}

int case_piece_open(const case_whole *whole, const scan_case *read, int rank, case_piece *piece) {
  *piece = (case_piece){ .c = *read, .rank = rank, .seed = read->cut_seed };
  scan_case *c = &piece->c;
  const slice s = { whole, piece, whole->starts[rank], whole->counts[rank] };
  c->cuts = CASE_CUTS_NONE;
  if (take_fields(&s, read) != 0 || case_open(c) != 0) return -1;
  memset(c->in_image, CASE_POISON, (size_t)c->in_bytes);
  switch (case_family_of(c->by)) {
  case FAMILY_RUNS: cut_runs(&s); break;
  case FAMILY_SORTS: cut_sort(&s); break;
  case FAMILY_SCANS: c->by == CASE_ARRAY ? cut_array(&s) : cut_scan(&s); break;
  default: cut_select(&s);
  }
  return 0;
}

/* ---- bytes of any state ---- */

static void forget(scan_case *c, const case_part *part, uint64_t from, uint64_t bytes) {
  if (from + bytes > part->bytes) bytes = from < part->bytes ? part->bytes - from : 0;
  memcpy(c->got + part->at + from, c->want + part->at + from, (size_t)bytes);
}

void case_piece_settle(case_piece *piece) {
  scan_case *c = &piece->c;
  const uint64_t count = piece->due[0].count;
  if (case_family_of(c->by) != FAMILY_SORTS || !(c->in_place || c->over)) return;
  forget(c, &c->keys_out, count * case_sort_item_bytes(c), c->keys_out.bytes);
  for (uint32_t a = 0; a < c->outputs; a++) forget(c, &c->out[a], count * c->item_bytes[a], c->out[a].bytes);
}
