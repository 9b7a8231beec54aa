/* SPDX-License-Identifier: BSD-2-Clause */
#include "runs_bench.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "sides.h"

static struct {
  struct rng rng;
  struct side in, out;
  unsigned char *want; /* what the output side must hold */
  uint8_t *heads;      /* 1 where a run begins */
  unsigned char *values, *scanned;
} bench = { .rng = { 0x2095 } };

void runs_bench_open(uint64_t bytes) {
  side_open(&bench.in, bytes);
  side_open(&bench.out, bytes);
  bench.want = reference_alloc(bytes);
  bench.heads = reference_alloc(bytes / 2);
  bench.values = reference_alloc(bytes);
  bench.scanned = reference_alloc(bytes);
}

void runs_bench_seed(uint64_t seed) { bench.rng.state = seed; }

/* Devices that end loops scan no more in segments. */
enum { MOST_REDUCED = 4000 };

static int is_too_long(const runs_cell *c, uint64_t n) {
  return c->reduces && test_info()->loop_limit != 0 && n > MOST_REDUCED;
}

scan_plan *runs_bench_plan(const runs_cell *c, uint64_t max_n) {
  scan_ctx *ctx = test_ctx();
  scan_plan *plan = NULL;
  if (is_too_long(c, max_n)) max_n = MOST_REDUCED;
  if (c->reduces)
    test_ok(ctx, scan_plan_create_reduce_by_key(ctx, &c->reduce, max_n, &plan), "scan_plan_create_reduce_by_key");
  else
    test_ok(ctx, scan_plan_create_run_length(ctx, &c->encode, max_n, &plan), "scan_plan_create_run_length");
  return plan;
}

static void fail_cell(const runs_cell *c, const char *why, uint64_t at) {
  char text[TEST_TEXT] = "";
  if (c->reduces) test_spec_text(&c->reduce, text);
  test_fail("%s %s keys %d, lengths %d, starts %d, n=%llu, runs of %d, way %d, shift %u, capacity %llu, from %llu: %s "
            "(%llu)",
            text, c->custom ? c->custom->name : "", (int)(c->reduces ? c->reduce.key_type : c->encode.key_type),
            (int)c->encode.length_type, (int)c->encode.start_type, (unsigned long long)c->n, c->length, c->how,
            c->shift, (unsigned long long)c->capacity, (unsigned long long)(c->has_n_from ? c->n_from : c->n), why,
            (unsigned long long)at);
}

/* ---- keys and values ---- */

static scan_type key_type_of(const runs_cell *c) { return c->reduces ? c->reduce.key_type : c->encode.key_type; }

static int begins(int length, uint64_t i) {
  static const uint64_t turns[] = { 1, 5, 500 };
  if (i == 0) return 1;
  if (length == RUNS_OF_2) return i % 2 == 0;
  if (length == RUNS_WHOLE) return 0;
  return rng_below(&bench.rng, length == RUNS_MIXED ? turns[i / 700 % 3] : (uint64_t)length) == 0;
}

/* Keys of runs so long; a NaN is as many runs as it is repeated, and chance may join two runs. */
static void make_keys(const runs_cell *c, unsigned char *keys) {
  const scan_type type = key_type_of(c);
  const uint64_t bytes = scan_type_bytes(type);
  unsigned char *aligned = reference_alloc(c->n * bytes + 16);
  for (uint64_t i = 0; i < c->n; i++)
    if (begins(c->length, i) && (c->length != RUNS_WHOLE || type < SCAN_F32))
      key_write(&bench.rng, type, aligned + i * bytes);
    else if (i == 0)
      memset(aligned, 0, bytes);
    else
      memcpy(aligned + i * bytes, aligned + (i - 1) * bytes, bytes);
  for (uint64_t i = 0; i < c->n; i++) bench.heads[i] = i == 0 || key_differs(type, aligned, i);
  memcpy(keys, aligned, c->n * bytes);
  free(aligned);
}

static uint64_t input_bytes(const runs_cell *c) {
  if (c->custom != NULL) return c->custom->source.value_bytes;
  return scan_type_bytes(c->reduce.input_type ? c->reduce.input_type : c->reduce.type);
}
static uint64_t output_bytes(const runs_cell *c) {
  return c->custom != NULL ? c->custom->source.value_bytes : scan_type_bytes(c->reduce.type);
}

/* Values, and what the segmented scan of all of them is. */
static void make_values(const runs_cell *c, unsigned char *values) {
  if (c->custom != NULL) {
    const struct reference_operator op = { .bytes = c->custom->source.value_bytes, .combine = c->custom->source.host };
    c->custom->fill(&bench.rng, c->n, bench.values);
    reference_operator_segmented(&op, 0, SCAN_INCLUSIVE, NULL, bench.heads, c->n, bench.values, bench.scanned);
  } else {
    const scan_type input = c->reduce.input_type ? c->reduce.input_type : c->reduce.type;
    values_fill(&bench.rng, input, c->reduce.op, c->n, c->n, bench.values);
    reference_segmented(&c->reduce, bench.heads, c->n, bench.values, bench.scanned);
  }
  memcpy(values, bench.values, c->n * input_bytes(c));
}

/* ---- what must be written ---- */

static uint64_t items_of(const runs_cell *c) { return c->has_n_from && c->n_from < c->n ? c->n_from : c->n; }

static uint64_t count_runs(const runs_cell *c) {
  uint64_t runs = 0;
  for (uint64_t i = 0; i < items_of(c); i++) runs += bench.heads[i];
  return runs;
}

/* Where the outputs are, in the image; 0: nowhere. */
typedef struct places {
  uint64_t count, keys, lengths, starts, values;
} places;

static void expect_number(uint64_t at, scan_type type, uint64_t run, uint64_t number) {
  const uint64_t bytes = scan_type_bytes(type);
  if (at != 0) memcpy(bench.want + at + run * bytes, &number, bytes); /* little-endian, as the rest of the tests */
}

/* A run of the elements from `first` to `last`. */
static void expect_run(const runs_cell *c, const places *p, const unsigned char *keys, uint64_t run, uint64_t first,
                       uint64_t last) {
  const uint64_t key_bytes = scan_type_bytes(key_type_of(c)), value_bytes = c->reduces ? output_bytes(c) : 0;
  const uint64_t key = c->reduces ? last : first;
  if (p->keys != 0) memcpy(bench.want + p->keys + run * key_bytes, keys + key * key_bytes, key_bytes);
  if (p->values != 0)
    memcpy(bench.want + p->values + run * value_bytes, bench.scanned + last * value_bytes, value_bytes);
  expect_number(p->lengths, c->encode.length_type, run, last - first + 1);
  expect_number(p->starts, c->encode.start_type, run, first);
}

static void expect(const runs_cell *c, const places *p, const unsigned char *keys, uint64_t capacity) {
  const uint64_t n = items_of(c);
  uint64_t runs = 0, first = 0;
  for (uint64_t i = 0; i < n; i++) {
    if (bench.heads[i]) first = i;
    if (i + 1 < n && !bench.heads[i + 1]) continue;
    if (runs < capacity) expect_run(c, p, keys, runs, first, i);
    runs++;
  }
  if (p->count != 0) memcpy(bench.want + p->count, &runs, sizeof runs);
}

/* ---- a call ---- */

static uint64_t take(const runs_cell *c, struct side *side, uint64_t items, uint64_t bytes, uint64_t align) {
  return side_take(side, items * bytes, c->shift * align);
}

static uint64_t natural_align(uint64_t bytes) {
  const uint64_t lowest = bytes & (0 - bytes);
  return lowest < 8 ? lowest : 8;
}

static void take_outputs(const runs_cell *c, uint64_t capacity, places *p) {
  const uint64_t key_bytes = scan_type_bytes(key_type_of(c));
  const scan_type length = c->encode.length_type, start = c->encode.start_type;
  *p = (places){ .count = c->no_count || c->counts_n ? 0 : side_take(&bench.out, 8, 8) };
  if (capacity == 0) (void)side_take(&bench.out, 8, 8);
  if (c->capacity == SCAN_NO_CAPACITY) return;
  if (!c->no_keys) p->keys = take(c, &bench.out, capacity, key_bytes, key_bytes);
  if (c->reduces) {
    p->values = take(c, &bench.out, capacity, output_bytes(c), natural_align(output_bytes(c)));
    return;
  }
  if (length) p->lengths = take(c, &bench.out, capacity, scan_type_bytes(length), scan_type_bytes(length));
  if (start) p->starts = take(c, &bench.out, capacity, scan_type_bytes(start), scan_type_bytes(start));
}

static scan_mem mem(const runs_cell *c, const struct side *side, uint64_t at) {
  return at == 0 ? SCAN_NO_MEM : side_mem(side, c->how == ON_HOST, at);
}

static scan_mem count_of(const runs_cell *c, const places *p, uint64_t n_from) {
  return c->counts_n ? scan_offset(bench.in.memory, n_from) : mem(c, &bench.out, p->count);
}

static scan_status encode(const runs_cell *c, scan_plan *plan, const places *p, uint64_t keys, uint64_t n_from) {
  scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(mem(c, &bench.in, keys), mem(c, &bench.out, p->keys),
                                                        mem(c, &bench.out, p->lengths), count_of(c, p, n_from));
  args.starts = mem(c, &bench.out, p->starts);
  args.capacity = c->capacity;
  if (c->has_n_from) args.n_from = scan_offset(bench.in.memory, n_from);
  return c->how == BY_PLAN ? scan_plan_run_run_length(plan, c->n, &args)
                           : scan_run_length_encode(test_ctx(), &c->encode, c->n, &args);
}

static scan_status reduce(const runs_cell *c, scan_plan *plan, const places *p, uint64_t keys, uint64_t values,
                          uint64_t n_from) {
  scan_reduce_by_key_args args =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(mem(c, &bench.in, keys), mem(c, &bench.in, values), mem(c, &bench.out, p->keys),
                                   mem(c, &bench.out, p->values), count_of(c, p, n_from));
  args.capacity = c->capacity;
  if (c->has_n_from) args.n_from = scan_offset(bench.in.memory, n_from);
  return c->how == BY_PLAN ? scan_plan_run_reduce_by_key(plan, c->n, &args)
                           : scan_reduce_by_key(test_ctx(), &c->reduce, c->n, &args);
}

/* What is there besides the outputs: the report of a number above n, and the count. */
static void check_numbers(const runs_cell *c, uint64_t n_from, uint64_t runs) {
  uint64_t count = 0;
  if (c->has_n_from)
    test_excess_report(test_is_excess(c->reduces ? c->reduce.flags : c->encode.flags, c->n, c->n_from));
  if (!c->counts_n) return;
  test_ok(test_ctx(), scan_read(test_ctx(), scan_offset(bench.in.memory, n_from), &count, sizeof count), "scan_read");
  if (count != runs) fail_cell(c, "the count, where n was, is wrong", count);
}

void runs_bench_check(const runs_cell *cell, scan_plan *plan) {
  runs_cell own = *cell;
  const runs_cell *c = &own;
  places p;
  uint64_t values = 0, bad = 0;
  if (is_too_long(c, c->n)) {
    test_skipped("the device ends loops: no reduction of %llu elements", (unsigned long long)c->n);
    return;
  }
  bench.in.used = bench.out.used = 0;
  const uint64_t key_bytes = scan_type_bytes(key_type_of(c)), n_from = side_take(&bench.in, 8, 8);
  const uint64_t keys = take(c, &bench.in, c->n, key_bytes, key_bytes);
  make_keys(c, bench.in.image + keys);
  memcpy(bench.in.image + n_from, &c->n_from, 8);
  if (c->reduces) values = take(c, &bench.in, c->n, input_bytes(c), natural_align(input_bytes(c)));
  if (c->reduces) make_values(c, bench.in.image + values);
  const uint64_t runs = count_runs(c);
  if (c->spares > 0) own.capacity = runs > (uint64_t)c->spares ? runs - (uint64_t)c->spares : 1;
  const uint64_t room = c->capacity == 0 || c->capacity > c->n ? c->n : c->capacity;
  const uint64_t capacity = c->capacity == SCAN_NO_CAPACITY ? 0 : room;
  take_outputs(c, capacity, &p);
  memset(bench.out.image, SIDE_POISON, bench.out.used);
  memset(bench.want, SIDE_POISON, bench.out.used);
  expect(c, &p, bench.in.image + keys, capacity);
  side_write(&bench.in, &bench.out);
  const scan_status status = c->reduces ? reduce(c, plan, &p, keys, values, n_from) : encode(c, plan, &p, keys, n_from);
  if (status != SCAN_SUCCESS) fail_cell(c, scan_last_error(test_ctx()), c->n);
  check_numbers(c, n_from, runs);
  if (side_differs(&bench.out, c->how == ON_HOST, bench.want, &bad)) fail_cell(c, "a byte is wrong", bad);
  test_ran();
}
