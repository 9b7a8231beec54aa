/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of an operator from source on the host, one at a time: kernels_cl/lib/value_source.h and segments_source.h for
 * elements of any size, combined by the caller's function. A value has a flag that says whether it is set; unset values
 * are skipped. host_rows.c handles rows. */
#ifndef SCANRT_HOST_VALUES_H
#define SCANRT_HOST_VALUES_H

#include <string.h>

#include "base/canonical.h"
#include "base/types.h"
#include "device/host/scan/simd_rows8.h"
#include "device/host/host_kernels.h"
#include "device/host/output_buffer.h"
#include "device/source.h"

enum { ROW_VECTORS = 32, SUBTILE_ROWS = 8, STREAMING_BYTES = 8 << 20 /* as in kernels_cl/lib/tile.h */ };

/* Loops that call an operator's function, for operators without loops; their user is the scan_source. */
extern const scan_op_loops scan_host_plain_loops;

#define INLINE static inline

typedef struct value {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t bytes[SCAN_OP_MOST_BYTES];
  uint32_t there; /* 1 if set; plus STARTS_WITHIN if a segment begins among the elements that it covers */
} value;
enum { STARTS_WITHIN = 2 };

typedef struct job {
  const scan_source *source;
  const scan_op_loops *loops;
  void *loops_user;
  simd_rows8_kernel block;
  const uint8_t *in;
  uint8_t *out;
  uint64_t n, tiles, vector_items, row_items, tile_items;
  uint32_t subtiles;
  uint8_t *lanes;       /* scratch memory of the thread, for simd_rows8_loops.h or simd_rows8_scan.h; or NULL */
  uint64_t ahead_items; /* distance from the elements being written to those read next; 0: unknown */
  int inclusive;
  const uint8_t *segment_flags; /* as in host_task */
  uint32_t segments;
  uint64_t key_bytes;
  int keys_are_float;
  uint64_t key_infinity; /* bits of the key type's infinity */
  value seed;            /* seed of each segment */
  value start;           /* value that the scan begins with */
  int first_is_start, first_clears, stores, writes_last, plus_zero;
  int in_place, streaming; /* streaming: stores bypass the caches */
  uint8_t *carry_out;
  int64_t in_step, out_step;       /* in bytes */
  int64_t index_start, index_step; /* index of the first element in memory within the array that the scan is a line of,
                                      and the difference to the next one */
  int reversed;                    /* 1: element 0 is the last in memory */
  uint64_t origin;                 /* as in scan_kernel_args */
  const uint8_t *more_in[SCAN_OP_MOST_MEMBERS - 1]; /* as in scan_kernel_args, with the next one */
  uint8_t *more_out[SCAN_OP_MOST_MEMBERS - 1];
  _Atomic uint32_t *checks;
} job;

INLINE void seed_of(const host_task *task, value *seed) {
  uint64_t words[1 + SCAN_SEED_MORE_WORDS] = { task->seed_bits };
  memcpy(words + 1, task->args->seed_more, sizeof words - sizeof words[0]);
  memcpy(seed->bytes, words, sizeof words);
  seed->there = (task->flags & SCAN_KERNEL_SEED) != 0;
}

/* Sets *start to the value that the scan begins with: the carry or the seed. */
INLINE void start_of(const host_task *task, value *start) {
  seed_of(task, start);
  if (task->carry == NULL) return;
  memcpy(start->bytes, task->carry, task->key->source->bytes);
  start->there = 1;
}

INLINE job job_of(const host_task *task) {
  static const int64_t side_by_side[SCAN_KERNEL_STEPS] = { 1, 1, 0, 1 };
  const int64_t *steps = task->args->steps != NULL ? task->args->steps : side_by_side;
  const uint64_t vector_items = canon_vector_items(scan_source_order_bytes(task->key->source));
  job j = { .source = task->key->source,
            .block = *task->block,
            .in = task->in,
            .out = task->out,
            .n = task->n,
            .vector_items = vector_items,
            .row_items = ROW_VECTORS * vector_items,
            .subtiles = task->key->subtiles,
            .inclusive = (task->flags & SCAN_KERNEL_INCLUSIVE) != 0,
            .segment_flags = task->segment_flags,
            .checks = task->checks,
            .origin = task->args->origin,
            .segments = task->key->segments,
            .key_bytes = scan_type_bytes(task->key->key_type),
            .keys_are_float = scan_type_is_float(task->key->key_type),
            .key_infinity = scan_identity_bits(task->key->key_type, SCAN_MIN) };
  seed_of(task, &j.seed);
  start_of(task, &j.start);
  j.first_is_start = (task->flags & SCAN_KERNEL_CONTINUES) == 0;
  j.first_clears = (task->flags & SCAN_KERNEL_UNMARKED) != 0;
  j.loops = j.source->loops.fold != NULL ? &task->key->source->loops : &scan_host_plain_loops;
  j.loops_user = j.source->loops.fold != NULL ? j.source->user : (void *)(uintptr_t)j.source;
  j.in_place = (task->flags & SCAN_KERNEL_IN_PLACE) != 0;
  j.streaming = !j.in_place && j.n >= STREAMING_BYTES / j.source->bytes;
  j.stores = (task->flags & SCAN_KERNEL_TOTAL) == 0;
  j.writes_last = (task->flags & (SCAN_KERNEL_CARRY_OUT | SCAN_KERNEL_TOTAL)) != 0;
  j.plus_zero = (task->flags & SCAN_KERNEL_PLUS_ZERO) != 0;
  j.carry_out = task->flags & SCAN_KERNEL_CARRY_OUT ? task->carry_out : NULL;
  j.in_step = steps[0] * (int64_t)scan_members_first_bytes(&j.source->input_members, j.source->input_bytes);
  j.out_step = steps[1] * (int64_t)scan_members_first_bytes(&j.source->output_members, j.source->output_bytes);
  for (uint32_t k = 1; k < j.source->input_members.count; k++)
    j.more_in[k - 1] = host_bytes_of(task->args->more_in[k - 1]);
  for (uint32_t k = 1; k < j.source->output_members.count; k++)
    j.more_out[k - 1] = host_bytes_of(task->args->more_out[k - 1]);
  j.index_start = steps[2];
  j.index_step = steps[3];
  j.reversed = (task->flags & SCAN_KERNEL_REVERSED) != 0;
  j.tile_items = (uint64_t)j.subtiles * SUBTILE_ROWS * j.row_items;
  j.tiles = j.n / j.tile_items + (j.n % j.tile_items != 0);
  return j;
}

/* ---- values ---- */

INLINE void apply(const job *j, const void *a, const void *b, void *result) {
  j->source->host(a, b, result, j->source->user);
}

INLINE void copy(const job *j, value *to, const value *from) {
  if (from->there) memcpy(to->bytes, from->bytes, j->source->bytes);
  to->there = from->there;
}

INLINE uint64_t key_at(const job *j, uint64_t i) {
  const uint8_t *at = j->segment_flags + i * j->key_bytes;
  uint32_t word;
  uint16_t half;
  uint64_t bits;
  switch (j->key_bytes) {
  case 1: return *at;
  case 2: memcpy(&half, at, sizeof half); return half;
  case 4: memcpy(&word, at, sizeof word); return word;
  default: memcpy(&bits, at, sizeof bits); return bits;
  }
}

/* Compares bits, as segments_source.h does, so that denormal keys are not flushed to zero. */
INLINE int keys_differ(const job *j, uint64_t a, uint64_t b) {
  const uint64_t positive = UINT64_MAX >> (65 - 8 * j->key_bytes);
  if (!j->keys_are_float) return a != b;
  return a != b ? ((a | b) & positive) != 0 : (a & positive) > j->key_infinity;
}

INLINE const uint8_t *input_at(const job *j, uint64_t i) { return j->in + (int64_t)i * j->in_step; }

/* Returns the address of element i's output; a total's single output is at `out`. */
INLINE uint8_t *output_at(const job *j, uint64_t i) { return j->stores ? j->out + (int64_t)i * j->out_step : j->out; }

/* Returns the index of element i that maps and emits are given. */
INLINE uint64_t place(const job *j, uint64_t i) { return j->origin + (j->reversed ? j->n - 1 - i : i); }

/* Returns the index of element i in the array that the scan is a line of. */
INLINE uint64_t index_of(const job *j, uint64_t i) { return (uint64_t)(j->index_start + (int64_t)i * j->index_step); }

/* 1 if a segment begins with element i; in a reversed scan, if one ends with it in memory. */
INLINE int element_is_start(const job *j, uint64_t i) {
  uint32_t word;
  if (i == 0 && (j->first_is_start || j->first_clears)) return j->first_is_start;
  i = index_of(j, j->reversed ? j->n - i : i);
  switch (j->segments) {
  case SCAN_SEGMENTS_FLAGS: return j->segment_flags[i] != 0;
  case SCAN_SEGMENTS_BITS: memcpy(&word, j->segment_flags + i / 32 * 4, sizeof word); return word >> (i % 32) & 1;
  default: return keys_differ(j, key_at(j, i - (uint64_t)j->index_step), key_at(j, i));
  }
}

/* Reads n elements from `first` on, whose members lie in arrays of their own, to `elements` side by side. */
void scan_host_members_read(const job *j, uint64_t first, uint32_t n, uint8_t *elements);

/* Writes n elements, which lie side by side, to the arrays of their members. */
void scan_host_members_write(const job *j, uint64_t first, uint32_t n, const uint8_t *elements);

/* Returns element i of the input: its address, or `buffer`, which then gets its members. */
INLINE const uint8_t *element_of(const job *j, uint64_t i, uint8_t buffer[SCAN_OP_MOST_BYTES]) {
  if (j->source->input_members.count == 0) return input_at(j, i);
  scan_host_members_read(j, i, 1, buffer);
  return buffer;
}

INLINE void mapped(const job *j, uint64_t i, value *v) {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t members[SCAN_OP_MOST_BYTES];
  const uint8_t *x = element_of(j, i, members);
  if (j->source->map != NULL)
    j->source->map_host(x, place(j, i), v->bytes, j->source->user);
  else
    memcpy(v->bytes, x, j->source->bytes);
  v->there = 1;
}

/* Sets *v to element i as a value, with the seed combined into a segment's first one. */
INLINE void element(const job *j, uint64_t i, value *v) {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  mapped(j, i, v);
  if (j->segments == SCAN_SEGMENTS_NONE || !element_is_start(j, i)) return;
  v->there |= STARTS_WITHIN;
  if (!j->seed.there) return;
  apply(j, j->seed.bytes, v->bytes, result);
  memcpy(v->bytes, result, j->source->bytes);
}

/* Sets *a to a combined with b, in this order; b must be set. */
INLINE void append(const job *j, value *a, const value *b) {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  if (!a->there || b->there & STARTS_WITHIN) {
    copy(j, a, b);
    return;
  }
  apply(j, a->bytes, b->bytes, result);
  memcpy(a->bytes, result, j->source->bytes);
}

/* Sets *a to a combined with b, if b is set. */
INLINE void append_value(const job *j, value *a, const value *b) {
  if (b->there) append(j, a, b);
}

/* Sets *b to a combined with b, if a is set. */
INLINE void prepend_value(const job *j, const value *a, value *b) {
  value sum;
  if (!a->there) return;
  copy(j, &sum, a);
  append_value(j, &sum, b);
  copy(j, b, &sum);
}

/* Notes an overflow of the step to element i, as in overflow_source.h. */
INLINE void note_overflow(const job *j, uint64_t i) {
  enum { SHIFT = 31 };
  if (!j->inclusive && ++i >= j->n && j->carry_out == NULL) return;
  if (!j->inclusive && i < j->n && j->segments != SCAN_SEGMENTS_NONE && element_is_start(j, i)) return;
  i = index_of(j, i);
  const uint32_t place = (uint32_t)(i & ((UINT64_C(1) << SHIFT) - 1));
  uint32_t least = atomic_load_explicit(&j->checks[i >> SHIFT], memory_order_relaxed);
  while (place < least && !atomic_compare_exchange_weak(&j->checks[i >> SHIFT], &least, place)) {}
}

/* Notes an overflow if the step from `before` to element i overflows. */
INLINE void check(const job *j, uint64_t i, const value *before) {
  value x;
  mapped(j, i, &x);
  if (before->there && j->source->overflows_host(before->bytes, x.bytes)) note_overflow(j, i);
}

/* Replaces NaNs by the canonical one if the operator's outputs show that alone (host_rows.c). */
void scan_host_show_nans(const job *j, uint8_t *values, uint32_t n);

/* Stores the output of element i. */
INLINE void store(const job *j, uint64_t i, const value *before, const value *next) {
  const scan_source *source = j->source;
  uint8_t *out = output_at(j, i);
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES], members[SCAN_OP_MOST_BYTES];
  const uint8_t *x = j->inclusive ? next->bytes : before->bytes;
  if (source->emit != NULL) {
    source->emit_host(next->bytes, before->bytes, element_of(j, i, members), place(j, i), result, source->user);
    x = result;
  }
  if (source->output_members.count > 0)
    scan_host_members_write(j, i, 1, x);
  else
    memcpy(out, x, source->output_bytes);
}

/* Combines *before with element i, and stores the element's output. */
INLINE void step(const job *j, uint64_t i, value *before) {
  const int is_last = j->writes_last && i + 1 == j->n;
  value next, x;
  element(j, i, &x);
  copy(j, &next, before);
  append(j, &next, &x);
  if (x.there & STARTS_WITHIN) *before = j->seed;
  if (j->plus_zero && memcmp(before->bytes, j->seed.bytes, j->source->bytes) == 0)
    memset(before->bytes, 0, j->source->bytes); /* the seed is -0.0 */
  if (j->checks != NULL) check(j, i, before);
  scan_host_show_nans(j, before->bytes, 1);
  scan_host_show_nans(j, next.bytes, 1);
  if (is_last && j->carry_out != NULL) memcpy(j->carry_out, next.bytes, j->source->bytes);
  if (j->stores || is_last) store(j, i, before, &next);
  copy(j, before, &next);
}

#endif
