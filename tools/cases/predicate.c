/* SPDX-License-Identifier: BSD-2-Clause */
/** @file predicate.c @brief Cases with predicates: of one element, of two neighbours, and the partition into three
 * by two predicates. */
#include "parts.h"

#include <string.h>

void case_predicate_mark(scan_case *c) {
  uint64_t others = 0;
  for (uint64_t i = 0; i < c->items; i++)
    if (c->by == CASE_PAIR) {
      const int is_last = c->spec.by == SCAN_SELECT_LAST;
      c->kept[i] = (uint8_t)(is_last ? i + 1 == c->items || case_starts_run(c, i + 1) : case_starts_run(c, i));
    } else {
      const uint64_t start = case_part_start(c, i);
      if (i == start) others = 0;
      c->kept[i] = (uint8_t)case_is_kept(c, i, i - start, c->percent);
      if (c->by == CASE_PARTITION3 && !c->kept[i] && case_is_kept(c, i, others++, c->second_percent)) c->kept[i] = 2;
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

static scan_status partition(scan_ctx *ctx, const scan_case *c, case_memory *m, const scan_partition3_spec *spec,
                             const scan_partition3_args *args) {
  scan_plan *plan = NULL;
  if (!c->by_plan) return case_wait(ctx, c, m, scan_partition3(ctx, spec, c->n, args));
  scan_status status = scan_plan_create_partition3(ctx, spec, case_plan_n(c), &plan);
  status = case_give_memory(ctx, c, m, plan, status);
  for (int k = 0; k <= c->runs_again && status == SCAN_SUCCESS; k++)
    status = scan_plan_run_partition3(plan, c->n, args);
  return case_finish_plan(ctx, c, m, plan, status);
}

scan_status case_partition_args(scan_ctx *ctx, case_functions *functions, const scan_case *c, const case_memory *m,
                                scan_partition3_spec *spec, scan_partition3_args *args) {
  *spec = (scan_partition3_spec){ .struct_bytes = sizeof *spec, .arrays = c->outputs, .flags = c->spec.flags };
  *args = (scan_partition3_args){ .struct_bytes = sizeof *args,
                                  .first_params = &c->percent,
                                  .second_params = &c->second_percent,
                                  .counts = case_count(c, m),
                                  .n_from = case_n_from(c, m) };
  for (uint32_t a = 0; a < c->outputs; a++) {
    spec->element_bytes[a] = c->spec.element_bytes[a];
    spec->element_align[a] = c->spec.element_align[a];
    args->in[a] = scan_offset(m->in, c->in[a].at);
    args->first[a] = scan_offset(m->out, c->out[a].at);
    args->second[a] = scan_offset(m->out, c->second[a].at);
    args->rest[a] = scan_offset(m->out, c->rest[a].at);
  }
  const scan_status status = case_predicate_one(ctx, functions, c, &spec->first);
  spec->second = spec->first;
  return status;
}

scan_status case_partition_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m) {
  scan_partition3_spec spec;
  scan_partition3_args args;
  const scan_status status = case_partition_args(ctx, functions, c, m, &spec, &args);
  return status == SCAN_SUCCESS ? partition(ctx, c, m, &spec, &args) : status;
}
