/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_check.c @brief Poisons the output of a compaction, and compares it item by item. */
#define _POSIX_C_SOURCE 200809L
#include "bench_select.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

/* ---- poison ---- */

int select_poison(bench_entry *s) {
  select_state *bench = (select_state *)s->bench;
  const bench_memory *outputs[] = { &bench->out, &bench->count, &bench->others, &bench->middle };
  scan_status status = SCAN_SUCCESS;
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0] && status == SCAN_SUCCESS; i++)
    status = bench_memory_poison(&bench->base, &bench->poison, outputs[i]);
  if (status == SCAN_SUCCESS) status = scan_sync(bench->base.ctx);
  return bench_forward(&bench->base, status);
}

/* ---- comparison ---- */

/** The output part that an element goes to. */
typedef enum select_part { KEPT, SECOND, REST } select_part;
static const char *const part_names[] = { "kept", "in the second part", "not kept" };

static int is_in(const select_truth *truth, uint64_t i) { return truth->words && truth->words[i / 32] >> i % 32 & 1; }

static select_part part_of(const select_state *bench, uint64_t i) {
  return is_in(&bench->truth, i) ? KEPT : is_in(&bench->second, i) ? SECOND : REST;
}

static uint64_t count_of(const select_state *bench, select_part part) {
  if (part == REST) return bench->n - bench->truth.kept - bench->second.kept;
  return part == KEPT ? bench->truth.kept : bench->second.kept;
}

/** Returns the number of elements of a part before a chunk. */
static uint64_t before_of(const select_state *bench, select_part part, uint64_t chunk) {
  const uint64_t kept = bench->truth.before[chunk], second = bench->second.words ? bench->second.before[chunk] : 0;
  return part == KEPT ? kept : part == SECOND ? second : chunk * BENCH_CHUNK - kept - second;
}

/** The comparison of one array of a part. */
typedef struct comparison {
  const select_state *bench;
  uint32_t array;
  select_part part;
  int is_close; /**< 1: compares values of runs with a tolerance, since the entry has its own order of operations. */
  int reversed; /**< 1: the output is in reverse order. */
  const unsigned char *got; /**< First item of the part; reversed: the last one. */
  atomic_uint_fast64_t bad; /**< Lowest wrong index, or UINT64_MAX. */
} comparison;

static int same(const unsigned char *a, const unsigned char *b, uint64_t bytes) {
  switch (bytes) {
  case 1: return *a == *b;
  case 2: return !memcmp(a, b, 2);
  case 4: return !memcmp(a, b, 4);
  case 8: return !memcmp(a, b, 8);
  default: return !memcmp(a, b, (size_t)bytes);
  }
}

static int is_right(const comparison *c, uint64_t i, uint64_t place, uint64_t count) {
  const uint64_t bytes = c->bench->item_bytes[c->array];
  const unsigned char *got = c->got + (c->reversed ? count - 1 - place : place) * bytes;
  const uint32_t index = (uint32_t)i;
  if (c->bench->payload->arrays == 0) return same(got, (const unsigned char *)&index, 4);
  if (c->is_close) return select_runs_is_close(c->bench, i, got);
  if (c->array == 1 && c->bench->computed) return same(got, c->bench->computed + i * bytes, bytes);
  return same(got, c->bench->input + c->bench->at[c->array] + i * bytes, bytes);
}

static void compare_chunk(void *state, uint64_t chunk) {
  comparison *c = (comparison *)state;
  const uint64_t end = bench_chunk_end(c->bench->n, chunk), count = count_of(c->bench, c->part);
  uint64_t place = before_of(c->bench, c->part, chunk);
  for (uint64_t i = chunk * BENCH_CHUNK; i < end; i++) {
    if (part_of(c->bench, i) != c->part) continue;
    if (!is_right(c, i, place, count)) {
      bench_note_lowest(&c->bad, place);
      return;
    }
    place++;
  }
}

/** Reads a part of an output, beginning with item `first`, and compares it. */
static int compare(bench_entry *s, const bench_memory *memory, uint32_t a, select_part part, uint64_t first,
                   int reversed) {
  select_state *bench = (select_state *)s->bench;
  const uint64_t bytes = bench->item_bytes[a], count = count_of(bench, part);
  comparison c = { .bench = bench, .array = a, .part = part, .reversed = reversed, .got = bench->staging };
  if (count == 0 || s->wrong) return CLI_OK;
  c.is_close = a == 1 && s->expect == BENCH_EXPECT_CLOSE;
  atomic_init(&c.bad, UINT64_MAX);
  const int rc =
      bench_forward(&bench->base, scan_read(bench->base.ctx, scan_offset(memory->mem, bench->at[a] + first * bytes),
                                            bench->staging, count * bytes));
  if (rc != CLI_OK) return rc;
  bench_each_chunk(bench->n, compare_chunk, &c);
  const uint64_t bad = atomic_load(&c.bad);
  if (bad == UINT64_MAX) return CLI_OK;
  return bench_wrong(s, "n = %" PRIu64 ", %s: item %" PRIu64 " of those that are %s, array %u, is not as expected",
                     bench->n, bench->share->name, bad, part_names[part], (unsigned)a);
}

/** Compares the counts. Of a partition into three only the library writes the count of the rest. */
static int compare_counts(bench_entry *s) {
  const select_state *bench = (const select_state *)s->bench;
  const int parts = !bench->second.words ? 1 : s->role == BENCH_SCAN ? SCAN_PARTITION3_PARTS : 2;
  uint64_t counts[SCAN_PARTITION3_PARTS] = { 0 };
  const int rc = bench_forward(&bench->base,
                               scan_read(bench->base.ctx, bench->count.mem, counts, (uint64_t)parts * sizeof *counts));
  for (int part = 0; part < parts && rc == CLI_OK; part++) {
    const uint64_t wanted = count_of(bench, (select_part)part);
    if (counts[part] == wanted) continue;
    return bench_wrong(s, "n = %" PRIu64 ", %s: %" PRIu64 " are said to be %s, expected %" PRIu64, bench->n,
                       bench->share->name, counts[part], part_names[part], wanted);
  }
  return rc;
}

int select_check(bench_entry *s) {
  const select_state *bench = (const select_state *)s->bench;
  const int reversed = s->peer && s->peer->select->is_rest_reversed;
  int rc = compare_counts(s);
  for (uint32_t a = 0; a < bench->outputs && rc == CLI_OK; a++) {
    rc = compare(s, &bench->out, a, KEPT, 0, 0);
    if (rc == CLI_OK && bench->second.words) rc = compare(s, &bench->middle, a, SECOND, 0, 0);
    if (rc == CLI_OK && bench->rest == SCAN_REST_BEHIND)
      rc = compare(s, &bench->out, a, REST, bench->truth.kept, reversed);
    if (rc == CLI_OK && bench->rest == SCAN_REST_APART) rc = compare(s, &bench->others, a, REST, 0, 0);
  }
  return rc;
}
