/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table of a context's live memory, found by its handle in constant time. */
#ifndef SCANRT_MEMORY_TABLE_H
#define SCANRT_MEMORY_TABLE_H

#include <scanrt/scan.h>

/* Memory of scan_alloc. */
typedef struct scan_memory {
  uint32_t magic;
  scan_ctx *ctx;
  void *handle; /* the backend's handle */
  uint64_t bytes;
  struct scan_memory *next; /* next entry of the table's chain */
} scan_memory;

/* A table of 1 << bits chains. All zero: the table is empty and has no chains yet. */
typedef struct scan_memory_table {
  scan_memory **chains;
  uint32_t bits;
  uint64_t count;
} scan_memory_table;

/* Adds memory to the table. Returns 0, and leaves the table unchanged, if host memory runs out. */
int scan_memory_table_add(scan_memory_table *table, scan_memory *memory);

/* Finds the memory whose address is `handle`, which may be dangling: it is not dereferenced. NULL: not in the table. */
scan_memory *scan_memory_table_find(const scan_memory_table *table, const void *handle);

/* Finds memory as scan_memory_table_find does, and removes it from the table. */
scan_memory *scan_memory_table_remove(scan_memory_table *table, const void *handle);

/* Empties the table and returns its memory as a list linked by `next`; NULL if it was empty. */
scan_memory *scan_memory_table_empty(scan_memory_table *table);

#endif
