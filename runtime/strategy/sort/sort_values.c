/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: the bytes of a key, and the values that move with keys from pass to pass. */
#include "strategy/sort/sort.h"

#include "base/types.h"

uint32_t scan_sort_key_bytes(const scan_sort_form *form) {
  const uint32_t bytes = (uint32_t)scan_type_bytes((scan_type)form->key_type);
  return form->words != SCAN_SORT_ONE_WORD ? 2 * bytes : bytes;
}

/* A single array whose elements are as large as an index moves with the keys; other arrays are gathered by indices. */
scan_sort_values scan_sort_values_of(const scan_sort_form *form, uint64_t max_n) {
  const uint32_t bytes = form->bytes[0], wide = max_n > (uint64_t)UINT32_MAX + 1 ? 8 : 4;
  if (form->index_bytes != 0) return (scan_sort_values){ .bytes = form->index_bytes, .are_indices = 1 };
  if (form->arrays == 0) return (scan_sort_values){ .bytes = 0 };
  if (form->arrays == 1 && (bytes == 4 || bytes == 8) && form->align[0] == bytes)
    return (scan_sort_values){ .bytes = bytes };
  return (scan_sort_values){ .bytes = wide, .are_indices = 1, .values_are_gathered = 1 };
}
