/* SPDX-License-Identifier: BSD-2-Clause */
/** @file predicate.c @brief Cases by predicates: of one element, of two neighbours, and
 * the partition into three by two predicates. */
#include "parts.h"

#include <string.h>

/* ---- predicates ---- */

/* That of two elements is neither symmetric nor transitive. */
SCAN_OP_TEXT(
    one_text, static inline int is_kept(uint32_t x, uint64_t index, uint32_t percent) {
      return (x % 1000u + (uint32_t)index) % 100u < percent;
    });
SCAN_OP_TEXT(
    pair_text, static inline int is_same(uint32_t before, uint32_t x, uint32_t percent) {
      return (before % 1000u * 3u + x % 1000u) % 100u >= percent;
    });
SCAN_KEEP_PARAMS_HOST(one_on_host, uint32_t, uint32_t, is_kept);
SCAN_SAME_PARAMS_HOST(pair_on_host, uint32_t, uint32_t, is_same);

scan_status case_predicates_make(scan_ctx *ctx, case_predicates *p) {
  scan_predicate_source one = SCAN_PREDICATE_PARAMS_INIT(one_text, uint32_t, is_kept, uint32_t);
  scan_predicate_source pair = SCAN_PREDICATE_PAIR_PARAMS_INIT(pair_text, uint32_t, is_same, uint32_t);
  one.host = one_on_host;
  pair.host = pair_on_host;
  const scan_status status = scan_predicate_create(ctx, &one, &p->one);
  return status == SCAN_SUCCESS ? scan_predicate_create(ctx, &pair, &p->pair) : status;
}

void case_predicates_destroy(case_predicates *p) {
  scan_op_destroy(p->one);
  scan_op_destroy(p->pair);
  *p = (case_predicates){ .one = NULL };
}

/* ---- what must be written: by the same arithmetic, written once more ---- */

static uint32_t element(const scan_case *c, uint64_t i) {
  uint32_t x = 0;
  memcpy(&x, c->in_image + c->marks.at + 4 * i, 4);
  return x;
}

static int keeps(const scan_case *c, uint64_t i, uint64_t index, uint32_t percent) {
  return (element(c, i) % 1000 + (uint32_t)index) % 100 < percent;
}

static int begins(const scan_case *c, uint64_t i) {
  return i == 0 || (element(c, i - 1) % 1000 * 3 + element(c, i) % 1000) % 100 < c->percent;
}

void case_predicate_mark(scan_case *c) {
  uint64_t others = 0;
  for (uint64_t i = 0; i < c->items; i++)
    if (c->by == CASE_PAIR) {
      const int is_last = c->spec.by == SCAN_SELECT_LAST;
      c->kept[i] = (uint8_t)(is_last ? i + 1 == c->items || begins(c, i + 1) : begins(c, i));
    } else {
      c->kept[i] = (uint8_t)keeps(c, i, i, c->percent);
      if (c->by == CASE_PARTITION3 && !c->kept[i] && keeps(c, i, others++, c->second_percent)) c->kept[i] = 2;
    }
}

void case_partition_forget(const scan_case *c) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < c->items; i++) count += c->kept[i] == 2;
  for (uint32_t a = 0; a < c->outputs; a++) {
    const uint64_t written = count * c->item_bytes[a];
    memset(c->got + c->second[a].at + written, CASE_POISON, (size_t)(c->second[a].bytes - written));
  }
}

/* ---- the call ---- */

static scan_status partition(scan_ctx *ctx, const scan_case *c, const scan_partition3_spec *spec,
                             const scan_partition3_args *args) {
  scan_plan *plan = NULL;
  if (!c->by_plan) return scan_partition3(ctx, spec, c->n, args);
  scan_status status = scan_plan_create_partition3(ctx, spec, c->n, &plan);
  if (status == SCAN_SUCCESS) status = scan_plan_run_partition3(plan, c->n, args);
  return case_finish_plan(ctx, plan, status);
}

scan_status case_partition_call(scan_ctx *ctx, const scan_case *c, scan_op *predicate, scan_mem in, scan_mem out) {
  scan_partition3_spec spec = { .struct_bytes = sizeof spec, .first = predicate, .second = predicate };
  scan_partition3_args args = { .struct_bytes = sizeof args,
                                .first_params = &c->percent,
                                .second_params = &c->second_percent };
  spec.arrays = c->outputs;
  spec.flags = c->spec.flags;
  for (uint32_t a = 0; a < c->outputs; a++) {
    spec.element_bytes[a] = c->spec.element_bytes[a];
    args.in[a] = scan_offset(in, c->in[a].at);
    args.first[a] = scan_offset(out, c->out[a].at);
    args.second[a] = scan_offset(out, c->second[a].at);
    args.rest[a] = scan_offset(out, c->rest[a].at);
  }
  if (c->has_count) args.counts = scan_offset(out, c->count.at);
  args.n_from = case_n_from(c, in, out);
  return partition(ctx, c, &spec, &args);
}
