/* SPDX-License-Identifier: BSD-2-Clause */
/* host_worker.inc for operators from source. */
#include "device/host/scan/host_source.h"

#include "device/batch.h"
#include "device/host/scan/host_rows.h"
#include "device/host/scan/simd_rows8_scan.h"
#include "device/host/scan/source_tiles.h"
#include "device/host/output_buffer.h"

/* 1 if a tile is written: every tile, except that a total without overflow checks needs the last one alone. */
static int rows_wanted(const job *j, uint64_t tile) { return j->stores || j->checks != NULL || tile + 1 == j->tiles; }

/* The worker for several threads. As in host_worker.inc the next chunk is claimed before this one is written, so that
 * its lines can be prefetched. */
static void threads(host_task *task, host_thread *me) {
  job j = job_of(task);
  const uint64_t chunks = j.tiles / HOST_CHUNK_TILES + (j.tiles % HOST_CHUNK_TILES != 0);
  source_chunk chunk;
  value aggregate;
  chunk.job = &j;
  chunk.most = HOST_CHUNK_TILES;
  j.lanes = scan_source_lanes(task, me);
  if (j.block.ops != NULL) scan_simd_rows8_begin(&j);
  int has_chunk = scan_host_claim(me, chunks, &chunk.link.number);
  while (has_chunk) {
    scan_source_chunk_open(&chunk);
    j.ahead_items = 0;
    for (uint64_t i = 0; i < chunk.tiles; i++) scan_source_tile_reduce(&j, chunk.first + i, &chunk.values[i]);
    scan_host_chain_pass(me, scan_source_chunk_fold, task, &chunk.link);
    const uint64_t number = chunk.link.number;
    has_chunk = scan_host_claim(me, chunks, &chunk.link.number);
    j.ahead_items = (chunk.link.number - number) * HOST_CHUNK_TILES * j.tile_items;
    for (uint64_t i = 0; i < chunk.tiles; i++)
      if (rows_wanted(&j, chunk.first + i)) scan_source_tile_write(&j, chunk.first + i, &chunk.values[i], &aggregate);
  }
  if (j.block.ops != NULL) scan_simd_rows8_end(&j);
  scan_host_rows_end();
}

static void walk_all(const host_task *task, const job *j) {
  running prefix;
  scan_source_prefix_start(task, &prefix);
  for (uint64_t tile = 0; tile < j->tiles; tile++) {
    value before, aggregate;
    prefix_value(j, &prefix, &before);
    if (rows_wanted(j, tile))
      scan_source_tile_write(j, tile, &before, &aggregate);
    else
      scan_source_tile_reduce(j, tile, &aggregate);
    prefix_push(j, &prefix, &aggregate);
  }
}

static void alone(host_task *task, host_thread *me) {
  job j = job_of(task);
  j.ahead_items = UINT64_C(2) * SUBTILE_ROWS * j.row_items;
  if (j.block.ops != NULL) {
    j.lanes = scan_source_lanes(task, me);
    scan_simd_rows8_begin(&j);
  }
  walk_all(task, &j);
  if (j.block.ops != NULL) scan_simd_rows8_end(&j);
  scan_host_rows_end();
}

/* The worker for many lines; claims task->share lines at a time. */
static void rows(host_task *task, host_thread *me) {
  uint64_t words[ARRAY_WORDS];
  array_axis axis[ARRAY_OUTER_AXES];
  job j = job_of(task);
  memcpy(words, task->geometry, sizeof words);
  memcpy(axis, words + ARRAY_WORD_AXIS, sizeof axis);
  const uint64_t lines = words[ARRAY_WORD_COUNT], claims = lines / task->share + (lines % task->share != 0);
  for (uint64_t claim; scan_host_claim(me, claims, &claim);) {
    const uint64_t first = claim * task->share;
    for (uint64_t line = first; line < first + task->share && line < lines; line++) {
      const array_place place = scan_array_place(axis, words[ARRAY_WORD_AXES], line);
      j.in = task->in + place.in;
      j.out = task->out + place.out;
      j.index_start = task->args->steps[2] + place.index;
      walk_all(task, &j);
    }
  }
  scan_host_rows_end();
}

static void sequential(host_task *task, host_thread *me) {
  (void)me;
  const job j = job_of(task);
  value acc;
  start_of(task, &acc);
  for (uint64_t i = 0; i < j.n; i++) step(&j, i, &acc);
}

const host_kernel scan_host_source_kernel = {
  .threads = threads, .alone = alone, .sequential = sequential, .rows = rows
};

static uint64_t offset_at(const void *offsets, uint64_t offset_bytes, uint64_t k) {
  uint32_t narrow;
  uint64_t wide;
  if (offset_bytes == 8) {
    memcpy(&wide, (const uint8_t *)offsets + k * 8, sizeof wide);
    return wide;
  }
  memcpy(&narrow, (const uint8_t *)offsets + k * 4, sizeof narrow);
  return narrow;
}

/* Writes the group's words of bits. Few words use few groups, because each searches for its first offset. */
static void segment_bits_of_offsets(const scan_kernel_args *args, uint64_t offset_bytes, uint32_t group,
                                    uint32_t groups) {
  enum { LEAST_WORDS = 1 << 10 };
  const void *offsets = host_bytes_of(args->marks);
  uint32_t *words = (void *)host_bytes_of(args->segment_flags);
  const uint64_t all = (args->n + 31) / 32, part = (all + groups - 1) / groups;
  const uint64_t share = part > LEAST_WORDS ? part : LEAST_WORDS, first = group * share;
  if (first >= all) return;
  const uint64_t last = first + share < all ? first + share : all;
  const uint64_t begin = first * 32, stop = last * 32 < args->n ? last * 32 : args->n;
  uint64_t k = 0, end = args->count;
  while (k < end) {
    const uint64_t middle = k + (end - k) / 2;
    if (offset_at(offsets, offset_bytes, middle) < begin)
      k = middle + 1;
    else
      end = middle;
  }
  memset(words + first, 0, (size_t)(last - first) * sizeof words[0]);
  for (; k < args->count; k++) {
    const uint64_t at = offset_at(offsets, offset_bytes, k);
    if (at >= stop) break;
    if (at >= begin) words[at / 32] |= 1u << (at % 32);
  }
}

static void flags_of_u32(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  segment_bits_of_offsets(args, 4, group, groups);
}
static void flags_of_u64(const scan_kernel_args *args, uint32_t group, uint32_t groups) {
  segment_bits_of_offsets(args, 8, group, groups);
}
host_group *scan_host_segment_bits(scan_type type) { return type == SCAN_U64 ? flags_of_u64 : flags_of_u32; }
