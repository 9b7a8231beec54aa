/* SPDX-License-Identifier: BSD-2-Clause */
/* The live memory of a context, found by its handle in the same time however much of it there is. */
#ifndef SCANRT_MEMORY_TABLE_H
#define SCANRT_MEMORY_TABLE_H

#include <scanrt/scan.h>

/* Memory of scan_alloc. */
typedef struct scan_memory {
  uint32_t magic;
  scan_ctx *ctx;
  void *handle; /* of the backend */
  uint64_t bytes;
  struct scan_memory *next; /* of the table's */
} scan_memory;

/* Chains of memory, 1 << bits of them; all zero: none yet. */
typedef struct scan_memory_table {
  scan_memory **chains;
  uint32_t bits;
  uint64_t count;
} scan_memory_table;

/* 0, and the table is as it was, where host memory ran out. */
int scan_memory_table_add(scan_memory_table *table, scan_memory *memory);

/* The memory of that handle, which is not read; NULL: none. */
scan_memory *scan_memory_table_find(const scan_memory_table *table, const void *handle);

/* The same, and it is in the table no more. */
scan_memory *scan_memory_table_take(scan_memory_table *table, const void *handle);

/* Empties the table, whose memory then hangs together by `next`; NULL: there was none. */
scan_memory *scan_memory_table_empty(scan_memory_table *table);

#endif
