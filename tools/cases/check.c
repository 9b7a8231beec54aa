/* SPDX-License-Identifier: BSD-2-Clause */
/** @file check.c @brief Whether the oracle can compute a case that was read from a line. The library judges the rest.
 */
#include "parts.h"
#include "reference.h"

enum { LARGEST_BITS = 36 };

/** A fault, where the condition holds. */
#define REFUSE(condition, words)                                                                                       \
  if (condition) return (words)

static int is_offset_type(scan_type type) { return type == SCAN_U32 || type == SCAN_U64; }

static const char *check_bits(const scan_case *c, int may_be_all) {
  const scan_sort_spec *s = &c->sort;
  if (may_be_all && s->end_bit == 0) return NULL;
  REFUSE(s->first_bit >= s->end_bit, "end_bit is not more than first_bit");
  REFUSE(s->end_bit > 8 * scan_type_bytes(c->key_type) * (s->key_words == 2 ? 2 : 1), "end_bit is past the key's bits");
  return NULL;
}

static const char *check_select(const scan_case *c) {
  const int is_by_runs = c->by == SCAN_SELECT_FIRST || c->by == SCAN_SELECT_LAST;
  const uint64_t mark_bytes = is_by_runs ? scan_type_bytes(c->key_type) : sizeof(uint32_t);
  REFUSE(is_by_runs != (c->key_type != SCAN_TYPE_DEFAULT), "key_type goes with first and last, which need it");
  REFUSE(c->spec.arrays > SCAN_SELECT_MOST_ARRAYS, "there are too many select_arrays");
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
  REFUSE(c->by == CASE_REDUCE && !reference_defined(c->reduce.type, input ? input : c->reduce.type, c->reduce.op),
         "reduce_op has no such reduce_type");
  return NULL;
}

static const char *check_sort(const scan_case *c) {
  const uint32_t bits = c->sort.end_bit - c->sort.first_bit;
  REFUSE(!c->key_type, "there is no key_type");
  REFUSE(c->sort.arrays != (c->by == CASE_SORT_PAIRS), "pairs have arrays=1, others have no arrays");
  REFUSE((c->sort.index_type != SCAN_TYPE_DEFAULT) != (c->by == CASE_ARGSORT), "index_type goes with argsort");
  REFUSE(c->has_segments && (!is_offset_type(c->sort.offset_type) || !c->segments || c->segments >> LARGEST_BITS),
         "by_segments needs segments and an offset_type");
  REFUSE(c->is_split && (c->sort.end_bit == 0 || bits > 8 || c->sort.key_words == 2), "a split is by 1 to 8 bits");
  return check_bits(c, 1);
}

static const char *check_array(const scan_case *c) {
  const scan_array *array = &c->scan.array;
  uint64_t n = 1;
  uint32_t axes = 0;
  for (; axes < SCAN_ARRAY_MAX_AXES && array->shape[axes]; axes++) {
    REFUSE(array->shape[axes] > (UINT64_C(1) << LARGEST_BITS) / n, "there are too many elements");
    n *= array->shape[axes];
  }
  REFUSE(array->axis >= axes, "there is no such axis");
  return NULL;
}

static const char *check_operator(const scan_case *c) {
  const source_operator *source = &c->scan.source;
  const scan_spec *s = &c->scan.spec;
  const scan_type input = s->input_type ? s->input_type : s->type;
  REFUSE((c->by == CASE_SOURCE) != (source->name != NULL), "operator goes with source, which needs it");
  if (source->composite != SCAN_COMPOSITE_NONE) return NULL;
  if (source->map)
    return s->type == source->type && input == source->input_type ? NULL : "the operator has other types";
  REFUSE(!reference_defined(s->type, input, s->op), "op has no such type");
  REFUSE(c->by == CASE_DIFFERENCE && input != s->type, "a difference has one type");
  REFUSE(c->by == CASE_SOURCE && (s->type > SCAN_F64 || input != s->type), "the operator has other types");
  return NULL;
}

static const char *check_runs_in_flight(const scan_case *c) {
  REFUSE(c->outputs > SCAN_SELECT_MOST_ARRAYS, "there are too many outputs");
  for (uint32_t a = 0; a < c->outputs; a++) REFUSE(c->scan.run_n[a] > c->n, "a run has more than n elements");
  REFUSE(c->outputs > 1 && (c->by == CASE_ARRAY || c->by == CASE_STREAM || c->by == CASE_HISTOGRAM),
         "arrays, streams and histograms have one output");
  return NULL;
}

static const char *check_scan(const scan_case *c) {
  const scan_spec *s = &c->scan.spec;
  const char *fault = check_runs_in_flight(c);
  if (fault) return fault;
  REFUSE(s->kind == SCAN_TOTAL && c->by != CASE_SCAN, "kind=total goes with scan");
  REFUSE(s->segments == SCAN_SEGMENTS_KEYS && !s->key_type, "marks=keys needs a mark_type");
  REFUSE(s->segments == SCAN_SEGMENTS_OFFSETS && !is_offset_type(s->key_type),
         "marks=offsets needs mark_type u32 or u64");
  REFUSE(s->flags & SCAN_CHECK_OVERFLOW && (reference_is_float(s->type) || s->op > SCAN_MUL || c->by != CASE_SCAN),
         "check_overflow goes with sums and products of integers");
  REFUSE(c->by == CASE_STREAM && !c->scan.chunk_items, "there are no chunk_items");
  REFUSE(c->by == CASE_STREAM && !c->scan.by_host, "a stream needs host_memory");
  REFUSE(c->by == CASE_STREAM && reference_is_float(s->type) && s->op <= SCAN_MUL &&
             (s->flags & SCAN_BACKWARD || s->segments),
         "streams of sums that round are forward and without marks");
  REFUSE(c->scan.has_carry && c->by != CASE_SCAN, "carry goes with scan");
  REFUSE(c->by == CASE_HISTOGRAM && s->has_init, "a histogram has no init");
  if (c->by == CASE_HISTOGRAM) return c->key_type ? check_bits(c, 0) : "there is no key_type";
  if (c->by == CASE_ARRAY && (fault = check_array(c))) return fault;
  return check_operator(c);
}

const char *case_fault(const scan_case *c) {
  REFUSE(c->n >> LARGEST_BITS, "n is too large");
  REFUSE(c->n_said > c->n && !c->clamps, "n_said is more than n without clamp");
  REFUSE(c->counts_n && !(c->has_count && c->has_n_from), "count_is_n needs count and n_from");
  REFUSE(c->shift >> 16, "shift is too large");
  switch (case_family_of(c->by)) {
  case FAMILY_SCANS: return check_scan(c);
  case FAMILY_SORTS: return check_sort(c);
  case FAMILY_RUNS: return check_runs(c);
  default: return check_select(c);
  }
}
