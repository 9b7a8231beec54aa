/* SPDX-License-Identifier: BSD-2-Clause */
/** @file check.c @brief Checks if the oracle can compute a case read from a line. All other checks are the
 * library's. */
#include "parts.h"
#include "reference.h"
#include "refuse.h"

static const char *check_bits(const scan_case *c) {
  const scan_sort_spec *s = &c->sort;
  REFUSE(s->first_bit >= 8 * scan_type_bytes(c->key_type) * (s->key_words == 2 ? 2 : 1),
         "first_bit is past the key's bits");
  if (s->end_bit == 0) return NULL;
  REFUSE(s->first_bit >= s->end_bit, "end_bit is not more than first_bit");
  REFUSE(s->end_bit > 8 * scan_type_bytes(c->key_type) * (s->key_words == 2 ? 2 : 1), "end_bit is past the key's bits");
  return NULL;
}

static const char *check_select(const scan_case *c) {
  const int is_by_runs = c->by == SCAN_SELECT_FIRST || c->by == SCAN_SELECT_LAST;
  const uint64_t mark_bytes = is_by_runs ? scan_type_bytes(c->key_type) : case_looked_bytes(c);
  REFUSE(c->looked_bytes && c->by < SCAN_SELECT_PREDICATE, "looked_bytes goes with predicates and buckets");
  REFUSE(c->in_place && (c->spec.index_type || c->capacity || c->by == CASE_PARTITION3),
         "in place there is all room, and neither select_index nor partition3");
  REFUSE(is_by_runs != (c->key_type != SCAN_TYPE_DEFAULT), "key_type goes with first and last, which need it");
  REFUSE((c->spec.index_type != SCAN_TYPE_DEFAULT) == (c->spec.arrays != 0), "there is select_index, or element_bytes");
  REFUSE(c->in_first && (c->by < SCAN_SELECT_FIRST || c->spec.index_type || !c->spec.arrays ||
                         c->spec.element_bytes[0] != mark_bytes),
         "in_first needs arrays, the first of which has what decides");
  REFUSE(c->by == CASE_PARTITION3 && (!c->in_first || c->spec.rest != SCAN_REST_APART || c->capacity),
         "partition3 needs in_first and rest=apart, and has no capacity");
  return NULL;
}

static const char *check_runs(const scan_case *c) {
  const scan_type input = c->reduce.input_type;
  REFUSE(!c->key_type, "there is no key_type");
  if (c->scan.source.name)
    return c->by == CASE_REDUCE && source_operator_fills(&c->scan.source) &&
                   !source_operator_facts(&c->scan.source).mapped
               ? NULL
               : "operator goes with source and reduce-by-key, there with structs and composites";
  REFUSE(c->by == CASE_REDUCE && !reference_defined(c->reduce.type, input ? input : c->reduce.type, c->reduce.op),
         "reduce_op has no such reduce_type");
  return NULL;
}

static const char *check_sort(const scan_case *c) {
  const uint32_t bits = c->sort.end_bit - c->sort.first_bit;
  REFUSE((c->key_type == SCAN_TYPE_DEFAULT) != (c->buckets != 0), "there is key_type, or buckets");
  REFUSE(c->buckets > SCAN_SPLIT_MOST_BUCKETS, "there are too many buckets");
  REFUSE(c->looked_bytes && !c->buckets, "looked_bytes goes with predicates and buckets");
  REFUSE(c->buckets && (c->sort.first_bit || c->sort.end_bit || !(c->is_split || c->by == CASE_HISTOGRAM)),
         "buckets go with split and histogram, without bits");
  REFUSE(c->in_place && c->over, "over goes without in_place");
  REFUSE(c->by == CASE_SORT_KEYS && c->sort.drops_keys, "keys without arrays are not dropped");
  if (c->by == CASE_HISTOGRAM) return c->buckets ? NULL : check_bits(c);
  REFUSE((c->sort.arrays != 0) != (c->by == CASE_SORT_PAIRS), "payload_bytes goes with pairs, which need it");
  REFUSE((c->sort.index_type != SCAN_TYPE_DEFAULT) != (c->by == CASE_ARGSORT), "index_type goes with argsort");
  REFUSE(c->has_segments &&
             (!case_is_offset_type(c->sort.offset_type) || !c->segments || c->segments >> CASE_LARGEST_BITS),
         "by_segments needs segments and an offset_type");
  REFUSE(c->is_split && c->has_segments, "a split has no segments");
  if (c->buckets) return NULL;
  REFUSE(c->is_split && ((c->sort.end_bit && bits > 8) || c->sort.key_words == 2), "a split is by 1 to 8 bits");
  return check_bits(c);
}

/** Checks alignments: 0, or a power of two that divides the element size. */
static const char *check_aligns(const uint32_t *bytes, const uint32_t *aligns, uint32_t count) {
  for (uint32_t a = 0; a < count; a++)
    REFUSE(aligns[a] && (aligns[a] & (aligns[a] - 1) || bytes[a] % aligns[a]), "an alignment does not divide the size");
  return NULL;
}

const char *case_fault(const scan_case *c) {
  const char *fault = check_aligns(c->spec.element_bytes, c->spec.element_align, c->spec.arrays);
  if (!fault) fault = check_aligns(c->sort.element_bytes, c->sort.element_align, c->sort.arrays);
  if (fault) return fault;
  REFUSE(c->n >> CASE_LARGEST_BITS, "n is too large");
  REFUSE(c->n_said && !c->has_n_from, "n_said goes with n_from");
  REFUSE((c->by_host || c->host_in || c->host_out) && c->by_plan, "plans take no memory of the host");
  REFUSE((c->host_in || c->host_out) && (c->by_host || c->in_place || c->over || c->by == CASE_STREAM),
         "host_in and host_out go without host_memory, not in place, and not with streams");
  REFUSE(c->runs_again &&
             (!c->by_plan || c->in_place || c->over || c->counts_n || case_family_of(c->by) == FAMILY_SCANS),
         "again goes with plan, not in place, without count_is_n, and not with scans");
  REFUSE(c->plan_memory && !c->by_plan, "plan_memory goes with plan");
  REFUSE(c->plan_n && (!c->by_plan || c->plan_n < c->n), "plan_n goes with plan, and is at least n");
  REFUSE(c->looked_bytes && case_looked_size(c) < 0, "looked_bytes is 1, 2, 4, 8, 12, 16 or 64");
  REFUSE(c->counts_n && !(c->has_count && c->has_n_from), "count_is_n needs count and n_from");
  REFUSE((c->cut_seed || c->results || c->is_moved) && !c->cuts, "cut_seed, results and moved go with cuts");
  REFUSE(c->is_moved && (c->by == CASE_ARRAY || c->spec.index_type), "moved goes without arrays and select_index");
  REFUSE(c->results && (case_family_of(c->by) != FAMILY_SORTS || c->by == CASE_HISTOGRAM),
         "results goes with sorts and splits");
  REFUSE(c->shift >> 16 || c->out_shift >> 16, "shift is too large");
  REFUSE(c->out_shift && case_family_of(c->by) != FAMILY_SCANS, "out_shift goes with scans");
  switch (case_family_of(c->by)) {
  case FAMILY_SCANS: return case_scan_fault(c);
  case FAMILY_SORTS: return check_sort(c);
  case FAMILY_RUNS: return check_runs(c);
  default: return check_select(c);
  }
}
