/* SPDX-License-Identifier: BSD-2-Clause */
#include "sort_bench.h"

#include <string.h>

#include "reference.h"
#include "sides.h"

/* A key's place in the order, and where it was. */
typedef struct item {
  uint64_t rank, index;
} item;

static struct {
  struct rng rng;
  struct side in, out;
  unsigned char *want_in, *want_out; /* what the sides must hold */
  item *items, *spare;
} bench = { .rng = { 0x5027 } };

void sort_bench_open(uint64_t bytes, uint64_t most_n) {
  side_open(&bench.in, bytes);
  side_open(&bench.out, bytes);
  bench.want_in = reference_alloc(bytes);
  bench.want_out = reference_alloc(bytes);
  bench.items = reference_alloc(most_n * sizeof(item));
  bench.spare = reference_alloc(most_n * sizeof(item));
  memset(bench.in.image, SIDE_POISON, bytes);
}

/* Whether the device may say that it cannot: no such type, or too many pieces of an element. */
static int may_lack(const sort_cell *c) { return !test_has_type(c->spec.key_type) || test_info()->loop_limit != 0; }

static void skip_cell(void) { test_skipped("%s", scan_last_error(test_ctx())); }

static void fail_cell(const sort_cell *c, const char *why, uint64_t at) {
  const scan_sort_spec *s = &c->spec;
  test_fail("keys %s, bits %u to %u, descending %u, indices %d, %u arrays of %u, %u, %u aligned to %u, drops %u, "
            "in place %x, n=%llu, from %llu, shape %d (%u), way %d, shift %u: %s (%llu)",
            scan_type_name(s->key_type), s->first_bit, s->end_bit, s->descending, (int)s->index_type, s->arrays,
            s->element_bytes[0], s->element_bytes[1], s->element_bytes[2], s->element_align[0], s->drops_keys,
            c->in_place, (unsigned long long)c->n, (unsigned long long)(c->has_n_from ? c->n_from : c->n),
            (int)c->shape, c->digit, c->how, c->shift, why, (unsigned long long)at);
}

scan_plan *sort_bench_plan(const sort_cell *c, uint64_t max_n) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create_sort(test_ctx(), &c->spec, max_n, &plan);
  if (status == SCAN_UNSUPPORTED && may_lack(c))
    skip_cell();
  else if (status != SCAN_SUCCESS)
    fail_cell(c, scan_last_error(test_ctx()), max_n);
  return plan;
}

/* ---- keys ---- */

static uint32_t bits_of(scan_type type) { return 8 * (uint32_t)scan_type_bytes(type); }

static int is_signed(scan_type type) {
  return type == SCAN_I8 || type == SCAN_I16 || type == SCAN_I32 || type == SCAN_I64;
}

static uint64_t ones(uint32_t bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

/* The unsigned integer that has the order of the keys. */
static uint64_t rank_of(scan_type type, uint64_t key) {
  const uint64_t sign = UINT64_C(1) << (bits_of(type) - 1);
  if (is_signed(type)) return key ^ sign;
  if (!reference_is_float(type)) return key;
  return key & sign ? ~key & ones(bits_of(type)) : key | sign;
}

/* The key of that rank. */
static uint64_t key_of(scan_type type, uint64_t rank) {
  const uint64_t sign = UINT64_C(1) << (bits_of(type) - 1);
  if (is_signed(type)) return rank ^ sign;
  if (!reference_is_float(type)) return rank;
  return rank & sign ? rank ^ sign : ~rank & ones(bits_of(type));
}

static uint32_t fraction_bits(scan_type type) {
  return type == SCAN_F16 ? 10 : type == SCAN_BF16 ? 7 : type == SCAN_F32 ? 23 : 52;
}

/* Bits of a key at the edges of its type. */
static uint64_t edge_of(scan_type type) {
  const uint64_t sign = UINT64_C(1) << (bits_of(type) - 1), random = rng_next(&bench.rng);
  const uint64_t turn = random >> 60 & 1 ? sign : 0;
  if (!reference_is_float(type)) {
    const uint64_t integers[] = { 0, 1, 2, sign - 1, sign - 2, random, random & 0xff };
    return (integers[rng_below(&bench.rng, 7)] & ones(bits_of(type))) ^ turn;
  }
  const uint64_t fraction = ones(fraction_bits(type)), infinity = (sign - 1) & ~fraction;
  const uint64_t floats[] = {
    0,        infinity,     infinity | 1, infinity | fraction, infinity | (random & fraction), 1, random & fraction,
    fraction, fraction + 1, infinity - 1, random & (sign - 1)
  };
  return floats[rng_below(&bench.rng, 11)] ^ turn;
}

/* Ranks that rise over the whole range. */
static uint64_t rising(uint64_t most, uint64_t n, uint64_t i) { return most / n ? i * (most / n) : i * (most + 1) / n; }

/* `chosen` is random, but the same for all keys. */
static uint64_t rank_at(const sort_cell *c, const uint64_t chosen[3], uint64_t i) {
  const uint64_t most = ones(bits_of(c->spec.key_type)), n = c->n, random = rng_next(&bench.rng);
  switch (c->shape) {
  case SORT_SORTED: return rising(most, n, i);
  case SORT_REVERSED: return rising(most, n, n - 1 - i);
  case SORT_EQUAL: return chosen[0] & most;
  case SORT_TWO: return chosen[random & 1] & most;
  case SORT_FEW: return random & rng_next(&bench.rng) & rng_next(&bench.rng) & most;
  case SORT_PIPES: return rising(most, n, i < n / 2 ? 2 * i : 2 * (n - 1 - i));
  case SORT_ONE: return i == chosen[2] % n ? chosen[0] & most : rising(most, n, i);
  case SORT_DIGIT: return (chosen[0] ^ (random & 0xff) << 8 * c->digit) & most;
  default: return random & most;
  }
}

void sort_bench_keys(const sort_cell *c, unsigned char *keys) {
  const scan_type type = c->spec.key_type;
  const uint64_t bytes = scan_type_bytes(type);
  const uint64_t chosen[3] = { rng_next(&bench.rng), rng_next(&bench.rng), rng_next(&bench.rng) };
  for (uint64_t i = 0; i < c->n; i++) {
    const uint64_t key = c->shape == SORT_EDGES ? edge_of(type) : key_of(type, rank_at(c, chosen, i));
    memcpy(keys + i * bytes, &key, bytes); /* little-endian, as the rest of the tests */
  }
}

/* ---- the order ---- */

static void merge(const item *from, item *to, uint64_t first, uint64_t middle, uint64_t end) {
  uint64_t a = first, b = middle;
  for (uint64_t i = first; i < end; i++) {
    const int takes_second = a == middle || (b < end && from[b].rank < from[a].rank);
    to[i] = takes_second ? from[b++] : from[a++];
  }
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Stable: of equal ranks the first is merged before the second. */
static void sort_items(uint64_t n) {
  for (uint64_t run = 1; run < n; run *= 2) {
    item *sorted = bench.spare;
    for (uint64_t first = 0; first < n; first += 2 * run)
      merge(bench.items, sorted, first, least(first + run, n), least(first + 2 * run, n));
    bench.spare = bench.items;
    bench.items = sorted;
  }
}

static void order(const sort_cell *c, const unsigned char *keys, uint64_t n) {
  const scan_sort_spec *s = &c->spec;
  const uint64_t bytes = scan_type_bytes(s->key_type);
  const uint64_t mask = ones(s->end_bit ? s->end_bit : bits_of(s->key_type)) & ~ones(s->first_bit);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t key = 0;
    memcpy(&key, keys + i * bytes, bytes);
    const uint64_t rank = rank_of(s->key_type, key);
    bench.items[i] = (item){ (s->descending ? ~rank : rank) & mask, i };
  }
  sort_items(n);
}

/* ---- a call ---- */

/* Where what is read and what is written begins, each in its side; 0: nowhere. */
typedef struct places {
  uint64_t n_from, keys_in, keys_out, in[SCAN_SORT_MOST_ARRAYS], out[SCAN_SORT_MOST_ARRAYS];
} places;

static int is_over(const sort_cell *c, uint32_t a) { return (c->in_place & (uint32_t)SORT_ARRAY_OVER << a) != 0; }
static int keys_are_over(const sort_cell *c) { return (c->in_place & SORT_KEYS_OVER) != 0; }

static uint64_t align_of(const sort_cell *c, uint32_t a) {
  const uint64_t bytes = c->spec.element_bytes[a], lowest = bytes & (0 - bytes);
  return c->spec.element_align[a] ? c->spec.element_align[a] : least(lowest, 16);
}

static void take_arrays(const sort_cell *c, places *p) {
  const scan_sort_spec *s = &c->spec;
  const uint64_t index_bytes = scan_type_bytes(s->index_type);
  if (s->index_type) p->out[0] = side_take(&bench.out, c->n * index_bytes, c->shift * index_bytes);
  for (uint32_t a = 0; a < s->arrays; a++) {
    const uint64_t bytes = c->n * s->element_bytes[a], shift = c->shift * align_of(c, a);
    p->in[a] = side_take(&bench.in, bytes, shift);
    for (uint64_t i = 0; i < bytes; i++) bench.in.image[p->in[a] + i] = (unsigned char)rng_next(&bench.rng);
    p->out[a] = is_over(c, a) ? p->in[a] : side_take(&bench.out, bytes, shift);
  }
}

static void take_places(const sort_cell *c, places *p) {
  const uint64_t bytes = scan_type_bytes(c->spec.key_type);
  *p = (places){ 0 };
  bench.in.used = bench.out.used = 0;
  p->n_from = side_take(&bench.in, 8, 8);
  memcpy(bench.in.image + p->n_from, &c->n_from, 8);
  p->keys_in = side_take(&bench.in, c->n * bytes, c->shift * bytes);
  sort_bench_keys(c, bench.in.image + p->keys_in);
  if (keys_are_over(c))
    p->keys_out = p->keys_in;
  else if (!c->spec.drops_keys)
    p->keys_out = side_take(&bench.out, c->n * bytes, c->shift * bytes);
  take_arrays(c, p);
  if (bench.out.used == 0) (void)side_take(&bench.out, 8, 0);
}

static void expect_array(uint64_t n, uint64_t bytes, uint64_t from, unsigned char *to) {
  for (uint64_t i = 0; i < n; i++) memcpy(to + i * bytes, bench.in.image + from + bench.items[i].index * bytes, bytes);
}

static void expect(const sort_cell *c, const places *p) {
  const scan_sort_spec *s = &c->spec;
  const uint64_t n = c->has_n_from ? least(c->n_from, c->n) : c->n, index_bytes = scan_type_bytes(s->index_type);
  memcpy(bench.want_in, bench.in.image, bench.in.used);
  memset(bench.want_out, SIDE_POISON, bench.out.used);
  order(c, bench.in.image + p->keys_in, n);
  if (p->keys_out != 0)
    expect_array(n, scan_type_bytes(s->key_type), p->keys_in,
                 (keys_are_over(c) ? bench.want_in : bench.want_out) + p->keys_out);
  for (uint32_t a = 0; a < s->arrays; a++)
    expect_array(n, s->element_bytes[a], p->in[a], (is_over(c, a) ? bench.want_in : bench.want_out) + p->out[a]);
  for (uint64_t i = 0; s->index_type && i < n; i++)
    memcpy(bench.want_out + p->out[0] + i * index_bytes, &bench.items[i].index, index_bytes);
}

static int reads_host(const sort_cell *c) { return c->how == ON_HOST || c->how == FROM_HOST; }
static int writes_host(const sort_cell *c) { return c->how == ON_HOST || c->how == TO_HOST; }

static scan_mem mem_in(const sort_cell *c, uint64_t at) { return side_mem(&bench.in, reads_host(c), at); }
static scan_mem mem_out(const sort_cell *c, uint64_t at) { return side_mem(&bench.out, writes_host(c), at); }

static scan_status run(const sort_cell *c, scan_plan *plan, const places *p) {
  scan_sort_args args = { .struct_bytes = sizeof args, .keys_in = mem_in(c, p->keys_in) };
  if (p->keys_out != 0) args.keys_out = keys_are_over(c) ? args.keys_in : mem_out(c, p->keys_out);
  if (c->spec.index_type) args.out[0] = mem_out(c, p->out[0]);
  for (uint32_t a = 0; a < c->spec.arrays; a++) {
    args.in[a] = mem_in(c, p->in[a]);
    args.out[a] = is_over(c, a) ? args.in[a] : mem_out(c, p->out[a]);
  }
  if (c->has_n_from) args.n_from = scan_offset(bench.in.memory, p->n_from);
  return c->how == BY_PLAN ? scan_plan_run_sort(plan, c->n, &args) : scan_sort(test_ctx(), &c->spec, c->n, &args);
}

void sort_bench_check(const sort_cell *c, scan_plan *plan) {
  places p;
  uint64_t bad = 0;
  take_places(c, &p);
  memset(bench.out.image, SIDE_POISON, bench.out.used);
  expect(c, &p);
  side_write(&bench.in, &bench.out);
  const scan_status status = run(c, plan, &p);
  if (status == SCAN_UNSUPPORTED && may_lack(c)) {
    skip_cell();
    return;
  }
  if (status != SCAN_SUCCESS) fail_cell(c, scan_last_error(test_ctx()), c->n);
  if (side_differs(&bench.out, writes_host(c), bench.want_out, &bad)) fail_cell(c, "a byte is wrong", bad);
  if (side_differs(&bench.in, reads_host(c), bench.want_in, &bad))
    fail_cell(c, c->in_place ? "a byte in place is wrong" : "an input changed", bad);
  test_ran();
}
