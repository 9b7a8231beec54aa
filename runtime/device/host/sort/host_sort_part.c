/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/sort/host_sort_part.h"

#include "device/host/sort/host_sort_composites.h"

#include <string.h>

/* CACHED_BYTES: keys and values, with room to be moved to, that stay in the second-level cache. BLOCK_BYTES: keys that
 * stay in the first-level cache. FEW: keys whose insertion takes no longer than counting. MOST_SAME: expected number of
 * other keys with the same digits as a key, if those digits are to suffice. */
enum { CACHED_BYTES = 2 << 20, BLOCK_BYTES = 8 << 10, FEW = 32, LEAST_BITS = 2 };
#define MOST_SAME 0.125

/* ---- helpers for all parts ---- */

static host_sort_digit digit_of(const host_sort_job *job, uint32_t byte) {
  return (host_sort_digit){ .byte = byte,
                            .mask = (uint32_t)(job->order.mask >> 8 * byte) & 255,
                            .at = host_sort_byte(byte, job->loops->key_bytes) ^ job->loops->swap,
                            .infinity = job->order.infinity,
                            .flipped = (uint64_t)job->order.flipped };
}

host_sort_digit scan_host_sort_highest(const host_sort_job *job, host_sort_bits differ) {
  const uint64_t upper = (uint64_t)(differ >> 64), lower = (uint64_t)differ;
  const uint32_t bit = upper != 0 ? 127 - (uint32_t)__builtin_clzll(upper) : 63 - (uint32_t)__builtin_clzll(lower);
  return digit_of(job, bit / 8);
}

uint32_t scan_host_sort_bytes(host_sort_bits differ) {
  uint32_t bytes = 0;
  for (; differ != 0; differ >>= 8) bytes += (differ & 255) != 0;
  return bytes;
}

static uint32_t turns_of(const host_sort_order *order, host_sort_digit digit, int is_negative) {
  const host_sort_bits flipped = order->flipped ^ (is_negative ? order->negative : 0);
  return (uint32_t)(flipped >> 8 * digit.byte) & digit.mask;
}

host_sort_flips scan_host_sort_flips_of(const host_sort_job *job, const host_sort_part *part, host_sort_digit digit) {
  const uint32_t bytes = job->loops->key_bytes;
  const uint8_t *first = host_sort_keys(job, part->place, part->begin);
  if (job->loops->is_numeric) return (host_sort_flips){ 0 }; /* digits are in order as they are */
  const int has_sign = digit.byte == bytes - 1 && digit.mask >= HOST_SORT_DIGITS / 2;
  const int is_negative = first[host_sort_byte(bytes - 1, bytes)] >= HOST_SORT_DIGITS / 2;
  return (host_sort_flips){ .plain = turns_of(&job->order, digit, !has_sign && is_negative),
                            .negative = turns_of(&job->order, digit, has_sign || is_negative) };
}

/* Addresses are added as integers: they may be outside of the memory. */
static uint8_t *moved(uint8_t *memory, uint64_t items, uint32_t bytes) {
  return memory != NULL ? (uint8_t *)((uintptr_t)memory + (uintptr_t)(items * bytes)) : NULL;
}

void scan_host_sort_move_spare(host_sort_job *job, uint64_t begin, uint64_t there) {
  uint8_t **keys = &job->keys[HOST_SORT_SPARE], **values = &job->values[HOST_SORT_SPARE];
  *keys = moved(*keys, there - begin, job->loops->key_bytes);
  *values = moved(*values, there - begin, job->loops->value_bytes);
}

host_sort_place scan_host_sort_next(const host_sort_job *job, host_sort_place from, int wants_out) {
  if (from == HOST_SORT_OUT) return HOST_SORT_SPARE;
  if (from == HOST_SORT_SPARE) return HOST_SORT_OUT;
  return wants_out && !job->in_place ? HOST_SORT_OUT : HOST_SORT_SPARE;
}

host_sort_move scan_host_sort_move_of(const host_sort_job *job, const host_sort_part *part, host_sort_place to,
                                      host_sort_digit digit) {
  return (host_sort_move){ .digit = digit,
                           .keys = host_sort_keys(job, part->place, part->begin),
                           .keys_to = job->keys[to],
                           .values = host_sort_values(job, part->place, part->begin),
                           .values_to = job->values[to],
                           .index = part->begin,
                           .n = part->n };
}

static void make_indices(void *to, uint32_t bytes, uint64_t first, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    if (bytes == sizeof(uint32_t))
      ((uint32_t *)to)[i] = (uint32_t)(first + i);
    else
      ((uint64_t *)to)[i] = first + i;
}

static void sort_part_copy(void *to, const void *from, uint64_t bytes) {
  if (to != from) memcpy(to, from, (size_t)bytes);
}

void scan_host_sort_copy_values(const host_sort_job *job, const host_sort_part *part) {
  const uint32_t bytes = job->loops->value_bytes;
  const uint8_t *from = host_sort_values(job, part->place, part->begin);
  uint8_t *to = host_sort_values(job, HOST_SORT_OUT, part->begin);
  if (bytes == 0) return;
  if (from == NULL)
    make_indices(to, bytes, part->begin, part->n);
  else
    sort_part_copy(to, from, part->n * bytes);
}

void scan_host_sort_copy(const host_sort_job *job, const host_sort_part *part) {
  sort_part_copy(host_sort_keys(job, HOST_SORT_OUT, part->begin), host_sort_keys(job, part->place, part->begin),
                 part->n * job->loops->key_bytes);
  scan_host_sort_copy_values(job, part);
}

const host_sort_job *scan_host_sort_job_for(const host_sort_job *job, uint64_t begin, uint64_t n) {
  host_sort_zeros zeros = { 0 };
  if (job->total == NULL) return job;
  return host_sort_is_total(job, host_sort_keys(job, HOST_SORT_IN, begin), n, &zeros) ? job->total : job;
}

/* ---- in the cache, from the lowest digit to the highest ---- */

/* Sorts a part in the output by insertion. */
static int insert(const host_sort_job *job, const host_sort_part *part, uint64_t most) {
  return job->loops->insert(&job->order, host_sort_keys(job, HOST_SORT_OUT, part->begin),
                            host_sort_values(job, HOST_SORT_OUT, part->begin), part->n, most);
}

static void make_places(uint64_t *counts, host_sort_flips flips, uint64_t begin) {
  for (uint32_t i = 0; i < HOST_SORT_DIGITS; i++) {
    uint64_t *count = &counts[host_sort_flipped(flips, i)];
    const uint64_t keys = *count;
    *count = begin;
    begin += keys;
  }
}

/* Touches memory that is about to be written in random order, so that it is in the cache. Prefetch instructions had no
 * effect (tools/doc/measurements/host.md). */
static void keys_bring(const volatile uint8_t *memory, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += HOST_SORT_LINE) (void)memory[i];
}

static void bring_place(const host_sort_job *job, const host_sort_part *part, host_sort_place to) {
  keys_bring(host_sort_keys(job, to, part->begin), part->n * job->loops->key_bytes);
  if (job->loops->value_bytes != 0)
    keys_bring(host_sort_values(job, to, part->begin), part->n * job->loops->value_bytes);
}

/* The probability that two random keys have the same digit. */
static double sameness(const uint64_t *counts, uint64_t n) {
  uint64_t pairs = 0;
  for (uint32_t d = 0; d < HOST_SORT_DIGITS; d++) pairs += counts[d] * counts[d];
  return (double)pairs / ((double)n * (double)n);
}

/* Counts digits first to end - 1, one after the other for a block of keys that stays in the first-level cache. */
static void count_digits(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part,
                         const host_sort_digit *digits, uint32_t first, uint32_t end) {
  const uint64_t block = BLOCK_BYTES / job->loops->key_bytes;
  memset(scratch->counts[first], 0, (end - first) * sizeof scratch->counts[0]);
  for (uint64_t i = 0; i < part->n; i += block) {
    const uint8_t *keys = host_sort_keys(job, part->place, part->begin + i);
    const uint64_t items = part->n - i < block ? part->n - i : block;
    for (uint32_t p = first; p < end; p++) job->loops->count(digits[p], keys, items, scratch->counts[p]);
  }
}

/* Counts the highest digits, as many as it takes until few keys share them all, or all digits. Returns the first one
 * counted. */
static uint32_t count_telling(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part,
                              const host_sort_digit *digits, uint32_t end) {
  const uint32_t bits = 64 - (uint32_t)__builtin_clzll(part->n) + LEAST_BITS, least = (bits + 7) / 8;
  uint32_t first = end > least ? end - least : 0;
  double same = (double)part->n;
  count_digits(job, scratch, part, digits, first, end);
  for (uint32_t p = first; p < end; p++) same *= sameness(scratch->counts[p], part->n);
  while (first > 0 && same > MOST_SAME) {
    first--;
    count_digits(job, scratch, part, digits, first, first + 1);
    same *= sameness(scratch->counts[first], part->n);
  }
  return first;
}

/* Sorts by the digits from `first` on, whose counts are known. */
static void sort_by_digits(const host_sort_job *job, host_sort_scratch *scratch, host_sort_part part,
                           const host_sort_digit *digits, uint32_t first, uint32_t end) {
  for (uint32_t p = first; p < end; p++) {
    const host_sort_place to = scan_host_sort_next(job, part.place, (end - p) % 2);
    host_sort_move move = scan_host_sort_move_of(job, &part, to, digits[p]);
    make_places(scratch->counts[p], scan_host_sort_flips_of(job, &part, digits[p]), part.begin);
    move.places = scratch->counts[p];
    if (p == first) bring_place(job, &part, to);
    job->loops->move(&move);
    part.place = to;
  }
  if (part.place != HOST_SORT_OUT) scan_host_sort_copy(job, &part);
}

/* Sorts a part in the cache. If the highest few digits tell nearly all keys apart, sorts by these and then by
 * insertion; if that turns out to move too much, sorts by all digits. */
static void sort_cached(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part,
                        host_sort_bits differ) {
  host_sort_digit digits[HOST_SORT_MOST_BYTES];
  host_sort_part sorted = *part;
  uint32_t count = 0;
  for (uint32_t b = 0; b < HOST_SORT_MOST_BYTES; b++)
    if (differ >> 8 * b & 255) digits[count++] = digit_of(job, b);
  const uint32_t first = count_telling(job, scratch, part, digits, count);
  sort_by_digits(job, scratch, *part, digits, first, count);
  sorted.place = HOST_SORT_OUT;
  if (first == 0 || insert(job, &sorted, part->n / 2)) return;
  count_digits(job, scratch, &sorted, digits, 0, count);
  sort_by_digits(job, scratch, sorted, digits, 0, count);
}

/* ---- larger than the cache: from the highest digit to the lowest ---- */

static uint64_t part_bytes(const host_sort_job *job, uint64_t n) {
  return 2 * n * (job->loops->key_bytes + job->loops->value_bytes);
}

static void sort_divided(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part,
                         host_sort_bits differ, uint32_t depth) {
  const host_sort_digit digit = scan_host_sort_highest(job, differ);
  const host_sort_flips flips = scan_host_sort_flips_of(job, part, digit);
  const host_sort_place to = scan_host_sort_next(job, part->place, scan_host_sort_bytes(differ) % 2);
  host_sort_move move = scan_host_sort_move_of(job, part, to, digit);
  host_sort_part own = { .begin = part->begin, .place = to, .end_byte = digit.byte };
  uint64_t *ends = scratch->ends[depth];
  memset(ends, 0, sizeof scratch->ends[depth]);
  job->loops->count(digit, move.keys, part->n, ends);
  make_places(ends, flips, part->begin);
  move.places = ends;
  move.lines = scratch->lines;
  move.streams = 1;
  job->loops->move_lines(&move);
  for (uint32_t i = 0; i < HOST_SORT_DIGITS; i++) {
    own.n = ends[host_sort_flipped(flips, i)] - own.begin;
    if (own.n > 0) scan_host_sort_part(job, scratch, &own, depth + 1);
    own.begin += own.n;
  }
}

host_sort_bits scan_host_sort_differ(const host_sort_job *job, const host_sort_part *part) {
  const uint8_t *keys = host_sort_keys(job, part->place, part->begin);
  if (part->n <= FEW || part->end_byte == 0) return 0;
  const host_sort_bits differ = host_sort_vary(job, keys, part->n, keys) & job->order.mask;
  return differ == 0 || host_sort_is_sorted(job, keys, part->n) ? 0 : differ;
}

/* Sorts keys that become integers first and are converted back at the end. */
static void sort_flipped(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part) {
  const host_sort_order integers = { .mask = job->order.mask };
  uint8_t *out = host_sort_keys(job, HOST_SORT_OUT, part->begin);
  host_sort_job flipped = *job;
  host_sort_part there = *part;
  flipped.order = integers;
  flipped.simd = NULL;
  job->loops->flip(&job->order, host_sort_keys(job, part->place, part->begin), out, part->n);
  scan_host_sort_copy_values(job, part);
  there.place = HOST_SORT_OUT;
  scan_host_sort_part(&flipped, scratch, &there, 0);
  job->loops->flip_back(&job->order, out, part->n);
}

/* ---- keys alone, by vector registers ---- */

simd_sort_memory scan_host_sort_memory_of(const host_sort_job *job, const host_sort_part *part) {
  const int is_spare = part->place == HOST_SORT_SPARE;
  uint8_t *out = host_sort_keys(job, HOST_SORT_OUT, part->begin);
  uint8_t *spare = host_sort_keys(job, HOST_SORT_SPARE, part->begin);
  return (simd_sort_memory){ .from = host_sort_keys(job, part->place, part->begin),
                             .here = is_spare ? spare : out,
                             .spare = is_spare ? out : spare,
                             .to = out };
}

static void sort_by_registers(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part) {
  const uint32_t most_depth = 2 * (64 - (uint32_t)__builtin_clzll(part->n));
  const simd_sort_memory memory = scan_host_sort_memory_of(job, part);
  host_sort_part uneven = *part;
  uneven.place = HOST_SORT_OUT;
  if (!job->simd->sort(&job->order, &memory, part->n, most_depth)) sort_flipped(job, scratch, &uneven);
}

/* ---- any part ---- */

void scan_host_sort_part(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part,
                         uint32_t depth) {
  if (job->simd != NULL && part->n <= job->simd->few_items) {
    job->simd->sort_few(&job->order, host_sort_keys(job, part->place, part->begin),
                        host_sort_keys(job, HOST_SORT_OUT, part->begin), part->n);
    return;
  }
  if (job->composites != NULL && part->n >= HOST_SORT_LEAST_COMPOSITES && part->n <= HOST_SORT_COMPOSITES &&
      scan_host_sort_composites(job, part))
    return;
  const host_sort_bits differ = scan_host_sort_differ(job, part);
  if (differ == 0) {
    scan_host_sort_copy(job, part);
    if (part->n <= FEW && part->end_byte > 0) (void)insert(job, part, UINT64_MAX);
  } else if (job->simd != NULL) {
    sort_by_registers(job, scratch, part);
  } else if (part_bytes(job, part->n) <= CACHED_BYTES || scan_host_sort_bytes(differ) == 1) {
    sort_cached(job, scratch, part, differ);
  } else {
    sort_divided(job, scratch, part, differ, depth);
  }
}

void scan_host_sort_by_one(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part) {
  if (job->order.negative == 0 || job->simd != NULL || job->loops->is_numeric)
    scan_host_sort_part(job, scratch, part, 0);
  else
    sort_flipped(job, scratch, part);
}
