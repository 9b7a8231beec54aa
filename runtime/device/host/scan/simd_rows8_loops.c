/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/simd_rows8_loops.h"

#include "device/host/scan/host_rows.h"
#include "device/host/host_stream.h"

enum { LANES = SUBTILE_ROWS * ROW_VECTORS, LANE_VALUES = LANES + 1 /* with the total */, MOST_BYTES = 16, LINE = 64 };
_Static_assert(HOST_CHUNK_TILES * 8 * LANE_VALUES * MOST_BYTES <= HOST_LANES_BYTES, "the lanes of a chunk do not fit");

static uint32_t block_items(const job *j) { return (uint32_t)(SUBTILE_ROWS * j->row_items); }

/* The operator's vectors must be those of the values; elements of a map or an emit can make them shorter. */
int scan_host_loops_read(const job *j, uint64_t first) {
  return j->loops->block_lanes != NULL && j->source->bytes <= MOST_BYTES && j->segments == SCAN_SEGMENTS_NONE &&
         j->checks == NULL && j->n - first >= block_items(j) && j->vector_items == canon_vector_items(j->source->bytes);
}

/* Rows do what these loops cannot: nothing precedes the first element, or the last value is kept but not output. */
int scan_host_loops_write(const job *j, uint64_t first, const value *tile, const value *subtiles) {
  const int is_last = j->n - first == block_items(j), shows_last = j->inclusive && j->source->emit == NULL;
  return scan_host_loops_read(j, first) && (tile->there || subtiles->there) && j->stores && !j->plus_zero &&
         (!is_last || !j->writes_last || shows_last);
}

/* Returns the memory that keeps a sub-tile's lanes from reading to writing; NULL: none. */
static uint8_t *lanes_at(const job *j, uint64_t first) {
  if (j->lanes == NULL) return NULL;
  return j->lanes +
         first / block_items(j) % ((uint64_t)HOST_CHUNK_TILES * j->subtiles) * LANE_VALUES * j->source->bytes;
}

static void read_total(const job *j, const uint8_t *lanes, value *total) {
  memcpy(total->bytes, lanes + LANES * (size_t)j->source->bytes, j->source->bytes);
  total->there = 1;
}

typedef struct lanes_buffer {
  _Alignas(64) uint8_t bytes[LANE_VALUES * MOST_BYTES];
} lanes_buffer;

void scan_host_loops_reduce(const job *j, uint64_t first, value *total) {
  simd_rows8 values;
  lanes_buffer buffer;
  uint8_t *const kept = lanes_at(j, first), *const lanes = kept != NULL ? kept : buffer.bytes;
  j->loops->block_lanes(lanes, scan_host_values(j, first, block_items(j), values.bytes), j->loops_user);
  read_total(j, lanes, total);
}

/* Returns the output if results can be written there at once, else NULL. */
static uint8_t *output_block(const job *j, uint64_t first) {
  uint8_t *const out = output_at(j, first);
  const int lies =
      j->source->emit == NULL && j->out_step == (int64_t)j->source->bytes && j->source->output_members.count == 0;
  return lies && (uintptr_t)out % j->source->align == 0 && !j->streaming && !j->in_place ? out : NULL;
}

/* Writes results past the caches, and prefetches the next input between the lines: prefetching all of it at once stalls
 * the processor. */
static void stream_block(const job *j, uint64_t first, const uint8_t *results) {
  const uint32_t bytes = block_items(j) * j->source->bytes;
  const uintptr_t next = (uintptr_t)input_at(j, first + j->ahead_items); /* it may lie past the end */
  uint8_t *const out = output_at(j, first);
  for (uint32_t at = 0; at < bytes; at += LINE) {
    if (j->ahead_items != 0) __builtin_prefetch((const void *)(next + at), 0, 2);
    scan_host_stream(out + at, results + at, bytes - at < LINE ? bytes - at : LINE);
  }
}

static void store_block(const job *j, uint64_t first, const uint8_t *next, const uint8_t *before) {
  if (j->streaming && j->source->emit == NULL && j->source->output_members.count == 0 &&
      j->out_step == (int64_t)j->source->bytes)
    stream_block(j, first, j->inclusive ? next : before);
  else
    scan_host_store(j, first, block_items(j), next, before);
}

void scan_host_loops_results(const job *j, uint64_t first, const value *tile, const value *subtiles, value *total) {
  const value *const before = subtiles->there ? subtiles : tile;
  const void *const earlier = before == subtiles && tile->there ? tile->bytes : NULL;
  const uint32_t n = block_items(j);
  const int emits = j->source->emit != NULL;
  simd_rows8 values, inclusive, exclusive;
  lanes_buffer buffer;
  const uint8_t *const x = scan_host_values(j, first, n, values.bytes), *lanes = lanes_at(j, first);
  uint8_t *const out = output_block(j, first);
  uint8_t *const next = out != NULL ? out : inclusive.bytes, *const ahead = out != NULL ? out : exclusive.bytes;
  if (lanes == NULL) {
    j->loops->block_lanes(buffer.bytes, x, j->loops_user);
    lanes = buffer.bytes;
  }
  read_total(j, lanes, total);
  if (emits || j->inclusive) j->loops->block_chain(next, x, lanes, before->bytes, earlier, 0, j->loops_user);
  if (emits || !j->inclusive) j->loops->block_chain(ahead, x, lanes, before->bytes, earlier, 1, j->loops_user);
  if (j->carry_out != NULL && first + n == j->n)
    memcpy(j->carry_out, next + (n - 1) * (size_t)j->source->bytes, j->source->bytes);
  if (out == NULL) store_block(j, first, next, ahead);
}
