/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/source_tiles.h"

#include "device/host/scan/host_rows.h"
#include "device/host/scan/simd_rows8_loops.h"
#include "device/host/scan/simd_rows8_scan.h"

void scan_source_subtile_reduce(const job *j, uint64_t first, value *total) {
  total->there = 0;
  if (scan_simd_rows8_reads(j, first)) {
    scan_simd_rows8_reduce(j, first, total);
    return;
  }
  if (scan_host_loops_read(j, first)) {
    scan_host_loops_reduce(j, first, total);
    return;
  }
  for (uint32_t r = 0; r < SUBTILE_ROWS && first < j->n; r++, first += j->row_items) {
    value row;
    scan_host_row_reduce(j, first, &row);
    append_value(j, total, &row);
  }
}

void scan_source_subtile_write(const job *j, uint64_t first, const value *tile, const value *before, value *total) {
  total->there = 0;
  if (scan_simd_rows8_writes(j, first)) {
    scan_simd_rows8_write(j, first, tile, before, total);
    return;
  }
  if (scan_host_loops_write(j, first, tile, before)) {
    scan_host_loops_results(j, first, tile, before, total);
    return;
  }
  for (uint32_t r = 0; r < SUBTILE_ROWS && first < j->n; r++, first += j->row_items) {
    value row;
    scan_host_row_write(j, first, (row_before){ tile, before, total }, &row);
    append_value(j, total, &row);
  }
}

void scan_source_tile_reduce(const job *j, uint64_t tile, value *aggregate) {
  const uint64_t first = tile * j->tile_items, items = SUBTILE_ROWS * j->row_items;
  const uint64_t rest = (j->n - first - 1) / items + 1;
  const uint32_t count = rest < j->subtiles ? (uint32_t)rest : j->subtiles;
  value subs[MOST_SUBTILES];
  uint32_t from = count;
  aggregate->there = 0;
  do {
    from--;
    scan_source_subtile_reduce(j, first + from * items, &subs[from]);
  } while (from > 0 && !(subs[from].there & STARTS_WITHIN));
  for (; from < count; from++) append_value(j, aggregate, &subs[from]);
}

void scan_source_tile_write(const job *j, uint64_t tile, const value *prefix, value *aggregate) {
  uint64_t first = tile * j->tile_items;
  aggregate->there = 0;
  for (uint32_t q = 0; q < j->subtiles && first < j->n; q++, first += SUBTILE_ROWS * j->row_items) {
    value sub;
    scan_source_subtile_write(j, first, prefix, aggregate, &sub);
    append_value(j, aggregate, &sub);
  }
}

/* ---- threads ---- */

int scan_host_source_keeps(const scan_source *source, const simd_rows8_kernel *block) {
  return source->loops.block_lanes != NULL || block->ops != NULL;
}

uint8_t *scan_source_lanes(const host_task *task, const host_thread *me) {
  if (task->thread_scratch == NULL || !scan_host_source_keeps(task->key->source, task->block)) return NULL;
  return task->thread_scratch + (size_t)me->thread_index * HOST_SCRATCH_BYTES;
}

_Static_assert(sizeof(running) <= HOST_PREFIX_BYTES, "the prefix does not fit");

void scan_source_prefix_start(const host_task *task, running *prefix) {
  value start;
  start_of(task, &start);
  prefix_start(prefix, &start);
}

void scan_source_chunk_open(source_chunk *chunk) {
  const uint64_t first = chunk->link.number * chunk->most, left = chunk->job->tiles - first;
  chunk->first = first;
  chunk->tiles = left < chunk->most ? left : chunk->most;
}

void scan_source_chunk_fold(void *work, host_link *link) {
  host_task *task = work;
  source_chunk *chunk = (void *)link;
  const job *j = chunk->job;
  running prefix;
  if (link->number == 0)
    scan_source_prefix_start(task, &prefix);
  else
    memcpy(&prefix, task->prefix, sizeof prefix);
  for (uint64_t i = 0; i < chunk->tiles; i++) {
    value before;
    prefix_value(j, &prefix, &before);
    prefix_push(j, &prefix, &chunk->values[i]);
    copy(j, &chunk->values[i], &before);
  }
  memcpy(task->prefix, &prefix, sizeof prefix);
}
