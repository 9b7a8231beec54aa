/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: the scratch memory that grows with the number of keys, in the workspace or in args->scratch. */
#include "ops/sort/sort_run.h"
#include "core/regions.h"

#include <inttypes.h>

enum { SCRATCH_ALIGN = SCAN_SORT_SCRATCH_ALIGN };

uint64_t scan_sort_copy_bytes(const scan_sort_form *form, scan_sort_values values, uint64_t n) {
  uint32_t most = 0;
  if (!form->in_place || !values.values_are_gathered) return 0;
  for (uint32_t a = 0; a < form->arrays; a++) most = form->bytes[a] > most ? form->bytes[a] : most;
  return n * most;
}

/* The layout does not depend on the method. Pairs of key and value use the adjacent regions KEYS_SPARE and VALUES
 * together. Every plan reserves the bytes that onesweep needs, so that scratch for n keys is enough for fewer. */
uint64_t scan_sort_scratch_lay(const scan_sort_form *form, scan_sort_values values, uint64_t n,
                               scan_region regions[SCAN_REGIONS]) {
  static const scan_region_id order[] = { SCAN_REGION_KEYS_SPARE, SCAN_REGION_VALUES, SCAN_REGION_KEYS,
                                          SCAN_REGION_INDICES, SCAN_REGION_SCRATCH };
  const uint32_t key = scan_sort_key_bytes(form);
  uint64_t at = 0;
  for (int id = 0; id < SCAN_REGIONS; id++) regions[id] = (scan_region){ 0 };
  if (!form->gives_scratch) return 0;
  regions[SCAN_REGION_KEYS_SPARE].bytes =
      n * (key < SCAN_SORT_LEAST_ONESWEEP_BYTES ? SCAN_SORT_LEAST_ONESWEEP_BYTES : key);
  regions[SCAN_REGION_VALUES].bytes = n * values.bytes;
  regions[SCAN_REGION_KEYS].bytes = form->drops_keys ? n * key : 0;
  regions[SCAN_REGION_INDICES].bytes = values.values_are_gathered ? n * values.bytes : 0;
  regions[SCAN_REGION_SCRATCH].bytes = scan_sort_copy_bytes(form, values, n);
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    regions[order[i]].at = at;
    at += scan_round_up(regions[order[i]].bytes, SCRATCH_ALIGN);
  }
  return at;
}

uint64_t scan_sort_scratch_of(const scan_sort_form *form, uint64_t n, uint64_t max_n) {
  scan_region regions[SCAN_REGIONS];
  return scan_sort_scratch_lay(form, scan_sort_values_of(form, max_n), n, regions);
}

scan_mem scan_sort_memory_of(const scan_plan *plan, const scan_sort_run *run, scan_region_id id) {
  const scan_sort_plan *sort = plan->own;
  scan_region regions[SCAN_REGIONS];
  scan_mem mem = run->memory.scratch;
  if (!sort->form.gives_scratch) return scan_region_of(plan, id);
  (void)scan_sort_scratch_lay(&sort->form, sort->values, run->n, regions);
  if (regions[id].bytes == 0) return SCAN_NO_MEM;
  mem.offset_bytes += regions[id].at;
  return mem;
}

scan_status scan_sort_scratch_check(scan_ctx *ctx, const scan_sort_form *form, const scan_sort_run *run) {
  const scan_mem *scratch = &run->memory.scratch;
  if (!form->gives_scratch && scratch->kind != SCAN_MEM_NONE)
    FAIL_INVALID("args->scratch is given, and spec->gives_scratch is 0: set one or the other");
  if (form->gives_scratch && run->n > 0 && scratch->kind == SCAN_MEM_NONE)
    FAIL_INVALID("args->scratch is no memory, and spec->gives_scratch is 1: the sort needs %" PRIu64
                 " bytes of it, as scan_plan_info and scan_sort_scratch_bytes say",
                 run->scratch_bytes);
  return SCAN_SUCCESS;
}
