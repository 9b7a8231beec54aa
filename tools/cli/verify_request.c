/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_request.c @brief Which families of random cases a request of `scanrt verify` is for. */
#include "verify_select.h"

int verify_select_is_wanted(const verify_request *r) {
  return !r->type && !r->input_type && !r->ops && !r->variants && !r->strategies && !r->size_count && !r->in_place &&
         !r->out_of_place;
}

int verify_select_families_alone(const verify_request *r) {
  return r->select_alone + r->runs_alone + r->sorts_alone + r->random_alone;
}

int verify_select_asks(const verify_request *r, case_family family) {
  const int alone[] = { [FAMILY_COMPACTION] = r->select_alone,
                        [FAMILY_RUNS] = r->runs_alone,
                        [FAMILY_SORTS] = r->sorts_alone,
                        [FAMILY_SCANS] = r->random_alone };
  if (r->line) return family == case_family_of(r->line->by);
  if (verify_select_families_alone(r)) return alone[family];
  return family != FAMILY_SCANS || r->soak_minutes > 0;
}
