/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/unused.h"

#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>

enum { MOST_ARRAYS = SCAN_SELECT_MOST_ARRAYS };
_Static_assert((int)MOST_ARRAYS == (int)SCAN_SORT_MOST_ARRAYS, "sorts and compactions name as many arrays");

/* 1 if the caller gave memory. A NULL host pointer does not count. */
static int is_given(scan_mem memory) { return memory.kind != SCAN_MEM_NONE && memory.handle != NULL; }

scan_status scan_unused_arrays_check(scan_ctx *ctx, const scan_mem *memory, const char *name, uint32_t used,
                                     const char *why) {
  for (uint32_t a = used; a < MOST_ARRAYS; a++)
    if (is_given(memory[a]))
      FAIL_INVALID("args->%s[%u] is given, and %s: nothing would be done with it; leave it a zero scan_mem", name, a,
                   why);
  return SCAN_SUCCESS;
}

scan_status scan_unused_memory_check(scan_ctx *ctx, scan_mem memory, const char *name, const char *why) {
  if (!is_given(memory)) return SCAN_SUCCESS;
  FAIL_INVALID("args->%s is given, and %s: nothing would be done with it; leave it a zero scan_mem", name, why);
}
