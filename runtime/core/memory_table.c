/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/memory_table.h"

#include <stdlib.h>

enum { FIRST_BITS = 4 };

/* Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4): addresses differ in bits of the middle. */
static scan_memory **chain_of(const scan_memory_table *table, const void *handle) {
  return &table->chains[(uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table->bits)];
}

static void link_memory(scan_memory_table *table, scan_memory *memory) {
  scan_memory **chain = chain_of(table, memory);
  memory->next = *chain;
  *chain = memory;
}

/* Doubles the number of chains, or makes the first ones. Returns 0 if host memory runs out. */
static int table_grow(scan_memory_table *table) {
  const uint64_t old_count = table->chains != NULL ? UINT64_C(1) << table->bits : 0;
  scan_memory_table grown = { .bits = table->chains != NULL ? table->bits + 1 : FIRST_BITS, .count = table->count };
  grown.chains = calloc((size_t)1 << grown.bits, sizeof(scan_memory *));
  if (grown.chains == NULL) return 0;
  for (uint64_t i = 0; i < old_count; i++)
    for (scan_memory *memory = table->chains[i], *next; memory != NULL; memory = next) {
      next = memory->next;
      link_memory(&grown, memory);
    }
  free(table->chains);
  *table = grown;
  return 1;
}

int scan_memory_table_add(scan_memory_table *table, scan_memory *memory) {
  if ((table->chains == NULL || table->count >> table->bits != 0) && !table_grow(table)) return 0;
  link_memory(table, memory);
  table->count++;
  return 1;
}

scan_memory *scan_memory_table_find(const scan_memory_table *table, const void *handle) {
  if (table->chains == NULL) return NULL;
  scan_memory *memory = *chain_of(table, handle);
  while (memory != NULL && memory != handle) memory = memory->next;
  return memory;
}

scan_memory *scan_memory_table_remove(scan_memory_table *table, const void *handle) {
  scan_memory *found = scan_memory_table_find(table, handle);
  if (found == NULL) return NULL;
  scan_memory **at = chain_of(table, found);
  while (*at != found) at = &(*at)->next;
  *at = found->next;
  table->count--;
  return found;
}

scan_memory *scan_memory_table_empty(scan_memory_table *table) {
  scan_memory *all = NULL;
  for (uint64_t i = 0; table->chains != NULL && i >> table->bits == 0; i++)
    for (scan_memory *memory = table->chains[i], *next; memory != NULL; memory = next) {
      next = memory->next;
      memory->next = all;
      all = memory;
    }
  free(table->chains);
  *table = (scan_memory_table){ 0 };
  return all;
}
