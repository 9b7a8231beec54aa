/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_sort_part.h"

#include <string.h>

/* Keys and values that are moved back and forth in the second level of the cache; keys whose insertion one by one takes
 * no longer than counting; and keys that are counted by one digit after the other while they are in the first level. */
#ifndef CACHED_BYTES
#define CACHED_BYTES (512 << 10)
#endif
enum { FEW = 32, BLOCK_ITEMS = 2048, STREAMED_BYTES = 4 << 20 };

/* ---- of all parts ---- */

const void *scan_host_sort_keys(const host_sort_job *job, host_sort_place place, uint64_t i) {
  return job->keys[place] + i * job->loops->key_bytes;
}

static uint32_t highest_of(uint64_t differ) { return 64 - (uint32_t)__builtin_clzll(differ); }

host_sort_digit scan_host_sort_highest(uint64_t differ, uint32_t bits) {
  const uint32_t end = highest_of(differ), low = (uint32_t)__builtin_ctzll(differ);
  const uint32_t shift = end - low > bits ? end - bits : low;
  return (host_sort_digit){ .shift = shift, .mask = (1u << (end - shift)) - 1 };
}

host_sort_place scan_host_sort_next(const host_sort_job *job, host_sort_place from, int wants_out) {
  if (from == HOST_SORT_OUT) return HOST_SORT_SPARE;
  if (from == HOST_SORT_SPARE) return HOST_SORT_OUT;
  return wants_out && !job->is_over ? HOST_SORT_OUT : HOST_SORT_SPARE;
}

static uint8_t *values_at(const host_sort_job *job, host_sort_place place, uint64_t i) {
  return job->values[place] != NULL ? job->values[place] + i * job->loops->value_bytes : NULL;
}

host_sort_move scan_host_sort_move_of(const host_sort_job *job, const host_sort_part *part, host_sort_place to,
                                      host_sort_digit digit) {
  return (host_sort_move){ .order = &job->order,
                           .digit = digit,
                           .keys = scan_host_sort_keys(job, part->place, part->begin),
                           .keys_to = job->keys[to],
                           .values = values_at(job, part->place, part->begin),
                           .values_to = job->values[to],
                           .index = part->begin,
                           .n = part->n };
}

static void make_indices(uint8_t *to, uint32_t bytes, uint64_t first, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    if (bytes == sizeof(uint32_t))
      ((uint32_t *)(void *)to)[i] = (uint32_t)(first + i);
    else
      ((uint64_t *)(void *)to)[i] = first + i;
}

static void copy(uint8_t *to, const uint8_t *from, uint64_t bytes) {
  if (to != from) memcpy(to, from, (size_t)bytes);
}

void scan_host_sort_copy(const host_sort_job *job, const host_sort_part *part) {
  const uint32_t key_bytes = job->loops->key_bytes, bytes = job->loops->value_bytes;
  const uint8_t *values = values_at(job, part->place, part->begin);
  uint8_t *values_to = values_at(job, HOST_SORT_OUT, part->begin);
  copy(job->keys[HOST_SORT_OUT] + part->begin * key_bytes, scan_host_sort_keys(job, part->place, part->begin),
       part->n * key_bytes);
  if (bytes == 0) return;
  if (values == NULL)
    make_indices(values_to, bytes, part->begin, part->n);
  else
    copy(values_to, values, part->n * bytes);
}

/* ---- in the cache, from the lowest digit to the highest ---- */

static void insert(const host_sort_job *job, const host_sort_part *part) {
  void *keys = job->keys[HOST_SORT_OUT] + part->begin * job->loops->key_bytes;
  (void)job->loops->insert(&job->order, keys, values_at(job, HOST_SORT_OUT, part->begin), part->n, UINT64_MAX);
}

/* Passes whose last one ends in the output, at least so many. */
static uint32_t passes_from(const host_sort_job *job, host_sort_place place, uint32_t least) {
  if (least == 0) least = 1;
  if (place == HOST_SORT_IN && !job->is_over) return least;
  return least + (least % 2 == (place != HOST_SORT_SPARE ? 1u : 0u));
}

static void count_all(const host_sort_job *job, host_sort_seat *seat, const host_sort_part *part,
                      const host_sort_digit *digits, uint32_t passes) {
  memset(seat->counts, 0, passes * sizeof seat->counts[0]);
  for (uint64_t i = 0; i < part->n; i += BLOCK_ITEMS) {
    const uint64_t items = part->n - i < BLOCK_ITEMS ? part->n - i : BLOCK_ITEMS;
    for (uint32_t p = 0; p < passes; p++)
      job->loops->count(&job->order, digits[p], scan_host_sort_keys(job, part->place, part->begin + i), items,
                        seat->counts[p]);
  }
}

static void make_places(uint64_t *counts, uint32_t digits, uint64_t begin) {
  for (uint32_t d = 0; d < digits; d++) {
    const uint64_t count = counts[d];
    counts[d] = begin;
    begin += count;
  }
}

/* By the bits from `low` to `end`, which `passes` share. */
static void sort_by_bits(const host_sort_job *job, host_sort_seat *seat, host_sort_part part, uint32_t low,
                         uint32_t end, uint32_t passes) {
  host_sort_digit digits[HOST_SORT_MOST_PASSES];
  for (uint32_t p = 0; p < passes; p++) {
    const uint32_t from = low + (end - low) * p / passes, to = low + (end - low) * (p + 1) / passes;
    digits[p] = (host_sort_digit){ .shift = from < 64 ? from : 0, .mask = (1u << (to - from)) - 1 };
  }
  count_all(job, seat, &part, digits, passes);
  for (uint32_t p = 0; p < passes; p++) {
    const host_sort_place to = scan_host_sort_next(job, part.place, (passes - p) % 2);
    host_sort_move move = scan_host_sort_move_of(job, &part, to, digits[p]);
    make_places(seat->counts[p], digits[p].mask + 1, part.begin);
    move.places = seat->counts[p];
    job->loops->move(&move);
    part.place = to;
  }
}

static uint32_t passes_of(uint32_t bits) { return (bits + HOST_SORT_DIGIT_BITS - 1) / HOST_SORT_DIGIT_BITS; }

/* Of keys with many bits the highest few tell nearly all apart; what they do not is put in order one by one. Where that
 * turns out to be much, all bits are sorted by. */
static void sort_cached(const host_sort_job *job, host_sort_seat *seat, const host_sort_part *part, uint64_t differ) {
  const uint32_t low = (uint32_t)__builtin_ctzll(differ), end = highest_of(differ);
  const uint32_t all = passes_from(job, part->place, passes_of(end - low));
  const uint32_t few = passes_from(job, part->place, passes_of(highest_of(part->n) + 4));
  host_sort_part rest = *part;
  if (few + 2 > all) {
    sort_by_bits(job, seat, *part, low, end, all);
    return;
  }
  sort_by_bits(job, seat, *part, end - few * HOST_SORT_DIGIT_BITS, end, few);
  rest.place = HOST_SORT_OUT;
  void *keys = job->keys[HOST_SORT_OUT] + rest.begin * job->loops->key_bytes;
  if (!job->loops->insert(&job->order, keys, values_at(job, HOST_SORT_OUT, rest.begin), rest.n, rest.n / 2))
    sort_by_bits(job, seat, rest, low, end, passes_from(job, HOST_SORT_OUT, passes_of(end - low)));
}

/* ---- larger than the cache, from the highest digit to the lowest ---- */

static uint64_t part_bytes(const host_sort_job *job, uint64_t n) {
  return 2 * n * (job->loops->key_bytes + job->loops->value_bytes);
}

static void sort_digits(const host_sort_job *job, host_sort_seat *seat, const host_sort_part *part, uint64_t differ,
                        uint32_t depth) {
  const host_sort_digit digit = scan_host_sort_highest(differ, HOST_SORT_DIGIT_BITS);
  const host_sort_place to = scan_host_sort_next(job, part->place, 0);
  host_sort_move move = scan_host_sort_move_of(job, part, to, digit);
  uint64_t *ends = seat->ends[depth];
  memset(ends, 0, sizeof seat->ends[depth]);
  job->loops->count(&job->order, digit, move.keys, part->n, ends);
  make_places(ends, digit.mask + 1, part->begin);
  memcpy(seat->counts[0], ends, sizeof seat->counts[0]);
  move.places = seat->counts[0];
  move.lines = seat->lines;
  job->loops->move_lines(&move);
  for (uint32_t d = 0; d <= digit.mask; d++) {
    const uint64_t begin = ends[d], end = d < digit.mask ? ends[d + 1] : part->begin + part->n;
    const host_sort_part own = { .begin = begin, .n = end - begin, .place = to, .end_bit = digit.shift };
    if (own.n > 0) scan_host_sort_part(job, seat, &own, depth + 1);
  }
}

void scan_host_sort_part(const host_sort_job *job, host_sort_seat *seat, const host_sort_part *part, uint32_t depth) {
  const void *keys = scan_host_sort_keys(job, part->place, part->begin);
  const uint64_t differ = part->n <= FEW || part->end_bit == 0 ? 0 : job->loops->vary(&job->order, keys, part->n, keys);
  if (part->n > FEW && differ != 0 && !job->loops->is_sorted(&job->order, keys, part->n)) {
    const uint32_t bits = highest_of(differ) - (uint32_t)__builtin_ctzll(differ);
    if (part_bytes(job, part->n) <= CACHED_BYTES || bits <= HOST_SORT_DIGIT_BITS || depth >= HOST_SORT_MOST_PARTS)
      sort_cached(job, seat, part, differ);
    else
      sort_digits(job, seat, part, differ, depth);
    return;
  }
  scan_host_sort_copy(job, part);
  if (part->n <= FEW) insert(job, part);
}
