/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_check.c @brief Checks if the oracle can compute a case of scans, arrays, streams or differences. */
#include "reference.h"
#include "refuse.h"
#include "scan_parts.h"

static const char *check_array(const scan_case *c) {
  const scan_array *array = &c->scan.array;
  uint64_t n = 1;
  REFUSE(c->by != CASE_ARRAY && (array->ndim || array->axis || c->scan.is_packed), "axes go with arrays");
  if (c->by != CASE_ARRAY) return NULL;
  for (uint32_t k = 0; k < array->ndim; k++) {
    REFUSE(n && array->shape[k] > (UINT64_C(1) << CASE_LARGEST_BITS) / n, "there are too many elements");
    n *= array->shape[k];
  }
  REFUSE(c->plan_n, "plans of arrays are of one shape");
  REFUSE(array->axis >= array->ndim, "there is no such axis");
  REFUSE(c->scan.spec.kind == SCAN_TOTAL && c->scan.spec.segments, "totals of arrays have no marks");
  REFUSE(c->scan.spec.segments == SCAN_SEGMENTS_OFFSETS, "arrays have no marks=offsets");
  return NULL;
}

/** 1 if a run of no elements must write its seed and has none: no initial value and no carry. */
static int lacks_nothing(const scan_case *c) {
  const case_scan *r = &c->scan;
  const int writes = r->spec.kind == SCAN_TOTAL || case_scan_leaves_carry(r);
  int has_nothing = c->n == 0;
  for (uint32_t a = 0; a < c->outputs; a++) has_nothing |= r->run_n[a] == 0;
  return writes && has_nothing && !r->spec.has_init && !case_scan_reads_carry(r);
}

/** Checks an operator on structs or a composite, which fixes its own types. */
static const char *check_structure(const scan_case *c) {
  const scan_spec *s = &c->scan.spec;
  const source_facts facts = source_operator_facts(&c->scan.source);
  REFUSE(s->type || s->input_type || s->op, "the operator brings its types: there is no type, input_type or op");
  REFUSE(!facts.identity && s->kind == SCAN_EXCLUSIVE && !s->has_init, "the operator has no identity: init is needed");
  REFUSE(!facts.identity && lacks_nothing(c), "the operator has no identity, and a run no elements: init is needed");
  return NULL;
}

static const char *check_operator(const scan_case *c) {
  const source_operator *source = &c->scan.source;
  const scan_spec *s = &c->scan.spec;
  const scan_type input = s->input_type ? s->input_type : s->type;
  const source_facts facts = source_operator_facts(source);
  REFUSE(c->by == CASE_SOURCE && !source->name, "source needs an operator");
  REFUSE((c->by == CASE_SCAN || c->by == CASE_DIFFERENCE) && source->name,
         "operator goes with source, array, stream and reduce-by-key");
  REFUSE(facts.mapped && facts.mapped->emit && s->kind != SCAN_INCLUSIVE, "the operator emits: kind is inclusive");
  if (source_operator_fills(source)) return check_structure(c);
  if (source->map)
    return s->type == source->type && input == source->input_type ? NULL : "the operator has other types";
  REFUSE(!reference_defined(s->type, input, s->op), "op has no such type");
  REFUSE(c->by == CASE_DIFFERENCE && input != s->type, "a difference has one type");
  REFUSE(source->name && (s->type > SCAN_F64 || input != s->type || s->op != source->built_in_op),
         "the operator has other types");
  return NULL;
}

static const char *check_runs_in_flight(const scan_case *c) {
  REFUSE(c->outputs > SCAN_SELECT_MOST_ARRAYS, "there are too many outputs");
  for (uint32_t a = 0; a < c->outputs; a++) REFUSE(c->scan.run_n[a] > c->n, "a run has more than n elements");
  REFUSE(c->outputs > 1 && (c->by == CASE_ARRAY || c->by == CASE_STREAM), "arrays and streams have one output");
  return NULL;
}

static const char *check_carries(const scan_case *c) {
  const case_scan *r = &c->scan;
  const int has_any = case_scan_reads_carry(r) || case_scan_leaves_carry(r);
  REFUSE(has_any && (c->by == CASE_ARRAY || c->by == CASE_DIFFERENCE), "carries go with scans and streams");
  REFUSE((r->has_carry || r->carries_same) && (r->carries_in || r->carries_out), "there is one way to carry");
  REFUSE(r->has_carry && r->carries_same, "there is one way to carry");
  REFUSE(case_scan_reads_carry(r) && r->spec.has_init && !r->spec.segments, "a carry is in the place of init");
  REFUSE(r->device_carry && !(has_any && (c->by_host || c->host_out)),
         "device_carry goes with carries, and host_memory or host_out");
  return NULL;
}

static const char *check_stream(const scan_case *c) {
  const case_scan *r = &c->scan;
  const int is_set = r->chunk_items || r->device_bytes || r->reads || r->writes || r->sees_progress || r->is_pinned;
  REFUSE(c->by != CASE_STREAM && is_set, "chunks and callbacks go with streams");
  if (c->by != CASE_STREAM) return NULL;
  REFUSE(!c->by_host, "a stream needs host_memory");
  REFUSE(r->device_bytes && (r->source.name || case_scan_rounds(r)),
         "device_bytes goes with built-in operators that do not round");
  REFUSE(r->spec.segments == SCAN_SEGMENTS_BITS && r->chunk_items && r->chunk_items < 32, "chunks of bits are words");
  return NULL;
}

static const char *check_values(const scan_case *c) {
  const scan_spec *s = &c->scan.spec;
  if (!c->scan.values) return NULL;
  REFUSE(!reference_is_float(s->input_type ? s->input_type : s->type) || c->scan.source.name,
         "values are those of floating-point types");
  REFUSE(c->by == CASE_ARRAY || !reference_is_exact(s), "values go without arrays, and with the canonical order");
  return NULL;
}

/** Refuses fields of other families. */
static const char *check_others(const scan_case *c) {
  REFUSE(c->has_count || c->capacity || c->rest_capacity || c->key_type, "scans have no count, capacity or key_type");
  return NULL;
}

/** Fields that go with n_from. The oracle has no carry of 16-bit floats after fewer than n elements. */
static const char *check_n_from(const scan_case *c) {
  const case_scan *r = &c->scan;
  const source_facts facts = source_operator_facts(&r->source);
  const int is_half = r->spec.type == SCAN_F16 || r->spec.type == SCAN_BF16;
  if (!c->has_n_from) return NULL;
  REFUSE(c->by != CASE_SCAN && c->by != CASE_SOURCE, "n_from goes with scan and source");
  REFUSE(r->spec.strategy > SCAN_STRATEGY_THREADS, "n_from goes with strategies up to threads");
  REFUSE(r->spec.flags & SCAN_BACKWARD && r->spec.flags & SCAN_CHECK_OVERFLOW, "n_from goes without backward checks");
  for (uint32_t a = 0; a < (c->outputs ? c->outputs : 1); a++)
    REFUSE(r->spec.flags & SCAN_CHECK_OVERFLOW && !c->clamps && c->n_said > (c->outputs ? r->run_n[a] : c->n),
           "a wait reports one of two errors");
  REFUSE(is_half && case_scan_leaves_carry(r), "n_from goes without a carry of 16-bit floats");
  REFUSE(r->spec.kind == SCAN_TOTAL && facts.mapped && facts.mapped->emit,
         "n_from goes without totals that are emitted");
  REFUSE(c->n_said == 0 && facts.value_bytes && !facts.identity && !r->spec.has_init && !case_scan_reads_carry(r),
         "n_said=0 goes with an identity, an initial value or a carry");
  return NULL;
}

static const char *check_spec(const scan_case *c) {
  const scan_spec *s = &c->scan.spec;
  REFUSE(s->kind == SCAN_TOTAL && ((c->by != CASE_SCAN && c->by != CASE_SOURCE && c->by != CASE_ARRAY) || c->in_place),
         "kind=total goes with scan, source and array, not in place");
  REFUSE(s->segments == SCAN_SEGMENTS_KEYS && !s->key_type, "marks=keys needs a mark_type");
  REFUSE(s->segments == SCAN_SEGMENTS_OFFSETS && !case_is_offset_type(s->key_type),
         "marks=offsets needs mark_type u32 or u64");
  REFUSE(c->scan.segment_items && (!s->segments || c->by == CASE_ARRAY || c->percent),
         "segment_items goes with marks, not with arrays or percent");
  REFUSE(s->segments < SCAN_SEGMENTS_KEYS && s->key_type, "mark_type goes with marks=keys and marks=offsets");
  REFUSE(s->flags & SCAN_CHECK_OVERFLOW &&
             (reference_is_float(s->type) || s->op > SCAN_MUL || c->scan.source.name || c->by == CASE_DIFFERENCE),
         "check_overflow goes with sums and products of integers");
  return NULL;
}

const char *case_scan_fault(const scan_case *c) {
  static const char *(*const checks[])(const scan_case *c) = { check_others,  check_runs_in_flight, check_spec,
                                                               check_carries, check_stream,         check_values,
                                                               check_array,   check_operator,       check_n_from };
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
    const char *fault = checks[i](c);
    if (fault) return fault;
  }
  return NULL;
}
