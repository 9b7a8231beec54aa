/* SPDX-License-Identifier: BSD-2-Clause */
#include "select_bench.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "sides.h"

static struct {
  struct rng rng;
  struct side in, out;
  unsigned char *want; /* what the output side must hold */
  unsigned char *kept; /* a byte an element */
  uint64_t at[3 * SCAN_SELECT_MOST_ARRAYS + 3];
} bench = { .rng = { 0x5e1ec7 } };

void select_bench_open(uint64_t bytes) {
  side_open(&bench.in, bytes);
  side_open(&bench.out, bytes);
  bench.want = reference_alloc(bytes);
  bench.kept = reference_alloc(bytes);
}

void select_bench_seed(uint64_t seed) { bench.rng.state = seed; }

static scan_mem named(const struct side *s, const select_cell *c, uint64_t at) {
  return side_mem(s, c->how == ON_HOST, at);
}

/* ---- which are kept ---- */

static uint64_t items_of(const select_cell *c) { return c->has_n_from && c->n_from < c->n ? c->n_from : c->n; }

static void choose(const select_cell *c) {
  const uint64_t n = items_of(c);
  for (uint64_t i = 0; i < n; i++) bench.kept[i] = rng_below(&bench.rng, 100) < c->percent;
  if (c->percent != KEEPS_ONE || n == 0) return;
  memset(bench.kept, 0, n);
  bench.kept[rng_below(&bench.rng, n)] = 1;
}

/* Runs, each begun at one of so many of 100 elements; zeros of both signs beside each other. Says which are kept. */
static void make_keys(const select_cell *c, unsigned char *keys) {
  const scan_type type = c->spec.key_type;
  const uint64_t bytes = scan_type_bytes(type), n = items_of(c);
  unsigned char *aligned = reference_alloc(n * bytes + 16);
  for (uint64_t i = 0; i < n; i++)
    if (i == 0 || rng_below(&bench.rng, 100) < c->percent)
      key_write(&bench.rng, type, aligned + i * bytes);
    else
      memcpy(aligned + i * bytes, aligned + (i - 1) * bytes, bytes);
  for (uint64_t i = 0; i < n; i++) {
    const int is_first = i == 0 || key_differs(type, aligned, i),
              is_last = i + 1 == n || key_differs(type, aligned, i + 1);
    bench.kept[i] = (unsigned char)(c->spec.by == SCAN_SELECT_FIRST ? is_first : is_last);
  }
  memcpy(keys, aligned, n * bytes);
  free(aligned);
}

static void make_flags(const select_cell *c, unsigned char *flags) {
  for (uint64_t i = 0; i < items_of(c); i++)
    flags[i] = (unsigned char)(bench.kept[i] ? 1 + rng_below(&bench.rng, 255) : 0);
}

/* What lies past n is set. */
static void make_bits(const select_cell *c, unsigned char *bits) {
  const uint64_t n = items_of(c), words = (c->n + 31) / 32;
  memset(bits, 0xff, words * 4);
  for (uint64_t i = 0; i < n; i++)
    if (!bench.kept[i]) bits[i / 8] &= (unsigned char)~(1u << i % 8);
}

static uint64_t mark_bytes(const select_cell *c) {
  if (c->spec.by == SCAN_SELECT_BITS) return (c->n + 31) / 32 * 4;
  if (c->spec.predicate != NULL) return c->n * c->looked_bytes;
  return c->spec.by == SCAN_SELECT_FLAGS ? c->n : c->n * scan_type_bytes(c->spec.key_type);
}

/* Whether the predicate keeps an element, or says that it begins or ends a run. */
static int is_looked_kept(const select_cell *c, const unsigned char *elements, uint64_t i) {
  const unsigned char *x = elements + i * c->looked_bytes;
  if (c->spec.by == SCAN_SELECT_PREDICATE) return c->keeps(x, i, c->params);
  if (c->spec.by == SCAN_SELECT_FIRST) return i == 0 || !c->same(x - c->looked_bytes, x, c->params);
  return i + 1 == items_of(c) || !c->same(x, x + c->looked_bytes, c->params);
}

/* Numbers below a hundred, for a predicate to look at. */
static void make_looked(const select_cell *c, unsigned char *elements) {
  const uint32_t bytes = c->looked_bytes < 4 ? c->looked_bytes : 4;
  for (uint64_t i = 0; i < c->n * c->looked_bytes / bytes; i++) {
    const uint32_t number = (uint32_t)rng_below(&bench.rng, 100);
    memcpy(elements + i * bytes, &number, bytes); /* little-endian, as the rest of the tests */
  }
  for (uint64_t i = 0; i < items_of(c); i++) bench.kept[i] = (unsigned char)(is_looked_kept(c, elements, i) != 0);
}

static void make_marks(const select_cell *c, unsigned char *marks) {
  choose(c);
  if (c->spec.predicate != NULL) {
    make_looked(c, marks);
    return;
  }
  if (c->spec.by == SCAN_SELECT_FLAGS)
    make_flags(c, marks);
  else if (c->spec.by == SCAN_SELECT_BITS)
    make_bits(c, marks);
  else
    make_keys(c, marks);
}

/* ---- what must be written ---- */

static uint64_t limit(uint64_t capacity, uint64_t n) {
  if (capacity == SCAN_NO_CAPACITY) return 0;
  return capacity == 0 || capacity > n ? n : capacity;
}

/* The memory of an output of so many elements. */
static scan_mem output(const select_cell *c, uint64_t capacity, uint64_t at) {
  return capacity == SCAN_NO_CAPACITY ? SCAN_NO_MEM : named(&bench.out, c, at);
}

/* Element i of the array, or its index, to place `to` of an output at `at`. */
static void expect_element(const select_cell *c, const unsigned char *in, uint64_t bytes, uint64_t i, uint64_t at,
                           uint64_t to) {
  if (c->spec.index_type != 0)
    memcpy(bench.want + at + to * bytes, &i, bytes); /* little-endian, as the rest of the tests */
  else
    memcpy(bench.want + at + to * bytes, in + i * bytes, bytes);
}

static uint64_t expect_array(const select_cell *c, const unsigned char *in, uint64_t bytes, uint64_t out,
                             uint64_t rest) {
  const uint64_t n = items_of(c), capacity = limit(c->capacity, c->n), rest_capacity = limit(c->rest_capacity, c->n);
  uint64_t kept = 0, others = 0;
  for (uint64_t i = 0; i < n; i++)
    if (bench.kept[i] && kept++ < capacity) expect_element(c, in, bytes, i, out, kept - 1);
  for (uint64_t i = 0; i < n; i++) {
    if (bench.kept[i]) continue;
    if (c->spec.rest == SCAN_REST_APART && others < rest_capacity) expect_element(c, in, bytes, i, rest, others);
    if (c->spec.rest == SCAN_REST_BEHIND && kept + others < capacity)
      expect_element(c, in, bytes, i, out, kept + others);
    others++;
  }
  return kept;
}

/* ---- a call ---- */

static void fail_cell(const select_cell *c, const char *why, uint64_t at) {
  test_fail(
      "by %d, rest %d, keys %d, indices %d, %u arrays of %u bytes, n=%llu, %u%%, way %d, shift %u, capacity %llu: "
      "%s (%llu)",
      (int)c->spec.by, (int)c->spec.rest, (int)c->spec.key_type, (int)c->spec.index_type, c->spec.arrays,
      c->spec.element_bytes[0], (unsigned long long)c->n, c->percent, c->how, c->shift, (unsigned long long)c->capacity,
      why, (unsigned long long)at);
}

static uint32_t align_of(const select_cell *c, uint32_t a) {
  const uint32_t bytes = c->spec.element_bytes[a], lowest = bytes & (0u - bytes);
  if (c->spec.element_align[a] != 0) return c->spec.element_align[a];
  return lowest < 16 ? lowest : 16;
}

/* Names the memory of both sides, fills it and says what must come. Returns how many are kept. */
static uint64_t lay_out(const select_cell *c, scan_select_args *args) {
  const uint32_t arrays = c->spec.index_type ? 1 : c->spec.arrays;
  const uint64_t mark_align = c->spec.by == SCAN_SELECT_FLAGS ? 1
                              : c->spec.by == SCAN_SELECT_BITS || c->spec.predicate != NULL
                                  ? 4
                                  : scan_type_bytes(c->spec.key_type);
  uint64_t in[SCAN_SELECT_MOST_ARRAYS], out[SCAN_SELECT_MOST_ARRAYS], rest[SCAN_SELECT_MOST_ARRAYS] = { 0 };
  bench.in.used = bench.out.used = 0;
  const uint64_t marks = side_take(&bench.in, mark_bytes(c), c->shift * mark_align);
  const uint64_t n_from = side_take(&bench.in, 8, 8), count = side_take(&bench.out, 8, 8);
  make_marks(c, bench.in.image + marks);
  memcpy(bench.in.image + n_from, &c->n_from, 8);
  for (uint32_t a = 0; a < arrays; a++) {
    const uint64_t bytes = c->spec.index_type ? scan_type_bytes(c->spec.index_type) : c->spec.element_bytes[a];
    const uint64_t shift = c->shift * (c->spec.index_type ? bytes : align_of(c, a));
    in[a] = c->keys_in_place ? marks : side_take(&bench.in, c->n * bytes, shift);
    out[a] = side_take(&bench.out, limit(c->capacity, c->n) * bytes, shift);
    if (c->spec.rest == SCAN_REST_APART) rest[a] = side_take(&bench.out, limit(c->rest_capacity, c->n) * bytes, shift);
    for (uint64_t i = 0; !c->keys_in_place && i < c->n * bytes; i += 8) {
      const uint64_t random = rng_next(&bench.rng);
      memcpy(bench.in.image + in[a] + i, &random, c->n * bytes - i < 8 ? c->n * bytes - i : 8);
    }
  }
  memset(bench.out.image, SIDE_POISON, bench.out.used);
  memset(bench.want, SIDE_POISON, bench.out.used);
  uint64_t kept = 0;
  for (uint32_t a = 0; a < arrays; a++) {
    const uint64_t bytes = c->spec.index_type ? scan_type_bytes(c->spec.index_type) : c->spec.element_bytes[a];
    kept = expect_array(c, bench.in.image + in[a], bytes, out[a], rest[a]);
    if (!c->spec.index_type) args->in[a] = named(&bench.in, c, in[a]);
    args->out[a] = output(c, c->capacity, out[a]);
    if (c->spec.rest == SCAN_REST_APART) args->rest[a] = output(c, c->rest_capacity, rest[a]);
  }
  if (!c->no_count && !c->counts_n) memcpy(bench.want + count, &kept, 8);
  if (!c->no_count) args->count = named(&bench.out, c, count);
  if (!c->keys_in_place) args->marks = named(&bench.in, c, marks);
  if (c->has_n_from) args->n_from = scan_offset(bench.in.memory, n_from);
  if (c->counts_n) args->count = args->n_from;
  return kept;
}

static void check_count(const select_cell *c, scan_mem count, uint64_t want) {
  uint64_t kept = 0;
  test_ok(test_ctx(), scan_read(test_ctx(), count, &kept, sizeof kept), "scan_read");
  if (kept != want) fail_cell(c, "the count, where n was, is wrong", kept);
}

void select_bench_check(const select_cell *c, scan_plan *plan) {
  scan_ctx *ctx = test_ctx();
  scan_select_args args = { .struct_bytes = sizeof args, .capacity = c->capacity, .params = c->params };
  if (c->spec.rest == SCAN_REST_APART) args.rest_capacity = c->rest_capacity;
  const uint64_t kept = lay_out(c, &args);
  side_write(&bench.in, &bench.out);
  const scan_status status =
      c->how == BY_PLAN ? scan_plan_run_select(plan, c->n, &args) : scan_select(ctx, &c->spec, c->n, &args);
  if (status != SCAN_SUCCESS) fail_cell(c, scan_last_error(ctx), c->n);
  if (c->has_n_from) test_excess_report(test_is_excess(c->spec.flags, c->n, c->n_from));
  if (c->counts_n) check_count(c, args.count, kept);
  uint64_t bad = 0;
  if (side_differs(&bench.out, c->how == ON_HOST, bench.want, &bad)) fail_cell(c, "a byte is wrong", bad);
  test_ran();
}

void select_bench_check_alone(const select_cell *c) {
  scan_plan *plan = NULL;
  test_ok(test_ctx(), scan_plan_create_select(test_ctx(), &c->spec, c->n, &plan), "scan_plan_create_select");
  select_bench_check(c, plan);
  scan_plan_destroy(plan);
}
