/* SPDX-License-Identifier: BSD-2-Clause */
#include "sort_bench.h"

#include <string.h>

#include "reference.h"
#include "sides.h"

static struct {
  struct rng rng;
  struct side in, out;
  unsigned char *want_in, *want_out; /* what the sides must hold */
  reference_item *items, *spare;
  const reference_item *order; /* of the keys: one of both */
  scan_mem scratch;            /* of so many bytes, where a spec has the caller give it */
  uint64_t scratch_bytes;
} bench = { .rng = { 0x5027 } };

void sort_bench_open(uint64_t bytes, uint64_t most_n) {
  side_open(&bench.in, bytes);
  side_open(&bench.out, bytes);
  bench.want_in = reference_alloc(bytes);
  bench.want_out = reference_alloc(bytes);
  bench.items = reference_alloc(most_n * sizeof(reference_item));
  bench.spare = reference_alloc(most_n * sizeof(reference_item));
  memset(bench.in.image, SIDE_POISON, bytes);
}

void sort_bench_seed(uint64_t seed) { bench.rng.state = seed; }

/* Whether the device may say that it cannot: no such type, or too many pieces of an element. */
static int may_lack(const sort_cell *c) { return !test_has_type(c->spec.key_type) || test_info()->loop_limit != 0; }

static void skip_cell(void) { test_skipped("%s", scan_last_error(test_ctx())); }

static const char *const call_names[] = { "sort", "split", "histogram" };

static void fail_cell(const sort_cell *c, const char *why, uint64_t at) {
  const scan_sort_spec *s = &c->spec;
  test_fail("%s of keys %s (words %u, low first %u), bits %u to %u, descending %u, order %u, indices %d, %u arrays of "
            "%u, %u, %u "
            "aligned to %u, drops %u, "
            "in place %x, n=%llu, from %llu, shape %d (%u), way %d, shift %u, scratch %u: %s (%llu)",
            call_names[c->call], scan_type_name(s->key_type), s->key_words, s->low_word_first, s->first_bit, s->end_bit,
            s->descending, (unsigned)s->order, (int)s->index_type, s->arrays, s->element_bytes[0], s->element_bytes[1],
            s->element_bytes[2], s->element_align[0], s->drops_keys, c->in_place, (unsigned long long)c->n,
            (unsigned long long)(c->has_n_from ? c->n_from : c->n), (int)c->shape, c->digit, c->how, c->shift,
            s->gives_scratch, why, (unsigned long long)at);
}

static scan_split_spec split_of(const sort_cell *c) {
  const scan_sort_spec *s = &c->spec;
  scan_split_spec split = SCAN_SPLIT_SPEC_INIT(s->key_type, s->first_bit, s->end_bit);
  split.descending = s->descending;
  split.index_type = s->index_type;
  split.arrays = s->arrays;
  memcpy(split.element_bytes, s->element_bytes, sizeof split.element_bytes);
  memcpy(split.element_align, s->element_align, sizeof split.element_align);
  split.drops_keys = s->drops_keys;
  split.in_place = s->in_place;
  split.flags = s->flags;
  return split;
}

static scan_histogram_spec histogram_of(const sort_cell *c) {
  scan_histogram_spec histogram = SCAN_HISTOGRAM_SPEC_INIT(c->spec.key_type, c->spec.first_bit, c->spec.end_bit);
  histogram.descending = c->spec.descending;
  histogram.flags = c->spec.flags;
  return histogram;
}

scan_status sort_bench_plan_for(const sort_cell *c, uint64_t max_n, scan_plan **plan) {
  const scan_split_spec split = split_of(c);
  const scan_histogram_spec histogram = histogram_of(c);
  if (c->call == CALL_SPLIT) return scan_plan_create_split(test_ctx(), &split, max_n, plan);
  if (c->call == CALL_HISTOGRAM) return scan_plan_create_histogram(test_ctx(), &histogram, max_n, plan);
  return scan_plan_create_sort(test_ctx(), &c->spec, max_n, plan);
}

scan_plan *sort_bench_plan(const sort_cell *c, uint64_t max_n) {
  scan_plan *plan = NULL;
  const scan_status status = sort_bench_plan_for(c, max_n, &plan);
  if (status == SCAN_UNSUPPORTED && may_lack(c))
    skip_cell();
  else if (status != SCAN_SUCCESS)
    fail_cell(c, scan_last_error(test_ctx()), max_n);
  return plan;
}

void sort_bench_keys(const sort_cell *c, unsigned char *keys) {
  const reference_keys shaped = { c->spec.key_type, c->shape, c->digit, rng_next(&bench.rng) };
  reference_fill_sort_keys(&shaped, &c->spec, c->n, keys);
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- a call ---- */

/* Where what is read and what is written begins, each in its side; 0: nowhere. */
typedef struct places {
  uint64_t n_from, keys_in, keys_out, bins, in[SCAN_SORT_MOST_ARRAYS], out[SCAN_SORT_MOST_ARRAYS];
} places;

static int is_over(const sort_cell *c, uint32_t a) { return (c->in_place & (uint32_t)SORT_ARRAY_OVER << a) != 0; }
static int keys_are_over(const sort_cell *c) { return (c->in_place & SORT_KEYS_OVER) != 0; }

static uint64_t align_of(const sort_cell *c, uint32_t a) {
  const uint64_t bytes = c->spec.element_bytes[a], lowest = bytes & (0 - bytes);
  return c->spec.element_align[a] ? c->spec.element_align[a] : least(lowest, 16);
}

/* The bits that are split by, also where end_bit says so with 0. */
static uint32_t split_bits(const sort_cell *c) {
  const uint32_t key_bits = 8 * (uint32_t)scan_type_bytes(c->spec.key_type), rest = key_bits - c->spec.first_bit;
  return c->spec.end_bit ? c->spec.end_bit - c->spec.first_bit : rest < 8 ? rest : 8;
}

static uint64_t bin_count(const sort_cell *c) {
  const uint32_t bits = split_bits(c);
  if (c->call == CALL_SORT) return 0;
  return c->call == CALL_SPLIT ? (1u << bits) + 1 : (bits - 1) / 8 * 256 + (1u << ((bits - 1) % 8 + 1));
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
  const uint64_t bytes = reference_key_bytes(&c->spec), align = bytes < 8 ? bytes : 8;
  *p = (places){ 0 };
  bench.in.used = bench.out.used = 0;
  p->n_from = side_take(&bench.in, 8, 8);
  memcpy(bench.in.image + p->n_from, &c->n_from, 8);
  p->keys_in = side_take(&bench.in, c->n * bytes, c->shift * align);
  sort_bench_keys(c, bench.in.image + p->keys_in);
  if (keys_are_over(c))
    p->keys_out = p->keys_in;
  else if (!c->spec.drops_keys)
    p->keys_out = side_take(&bench.out, c->n * bytes, c->shift * align);
  take_arrays(c, p);
  if (c->call != CALL_SORT) p->bins = side_take(&bench.out, 8 * bin_count(c), 8 * c->shift);
  if (bench.out.used == 0) (void)side_take(&bench.out, 8, 0);
}

static void expect_array(uint64_t n, uint64_t bytes, uint64_t from, unsigned char *to) {
  for (uint64_t i = 0; i < n; i++) memcpy(to + i * bytes, bench.in.image + from + bench.order[i].index * bytes, bytes);
}

/* How many ranks there are of each digit; and of a split how many of those before. */
static void expect_bins(const sort_cell *c, uint64_t n, uint64_t at) {
  uint64_t bins[8 * 256 + 1] = { 0 }, before = 0;
  const uint32_t bits = split_bits(c);
  for (uint64_t i = 0; i < n; i++)
    for (uint32_t b = 0; b < bits; b += 8) {
      const uint64_t digit = bench.order[i].rank >> (c->spec.first_bit + b) & ((1u << least(8, bits - b)) - 1);
      bins[b / 8 * 256 + digit]++;
    }
  for (uint64_t b = 0; c->call == CALL_SPLIT && b < bin_count(c); b++) {
    const uint64_t count = bins[b];
    bins[b] = before;
    before += count;
  }
  memcpy(bench.want_out + at, bins, 8 * bin_count(c));
}

static void expect(const sort_cell *c, const places *p) {
  const uint64_t n = c->has_n_from ? least(c->n_from, c->n) : c->n, index_bytes = scan_type_bytes(c->spec.index_type);
  scan_sort_spec by = c->spec, *s = &by;
  if (c->call != CALL_SORT) by.end_bit = by.first_bit + split_bits(c);
  memcpy(bench.want_in, bench.in.image, bench.in.used);
  memset(bench.want_out, SIDE_POISON, bench.out.used);
  bench.order = reference_sort(s, n, bench.in.image + p->keys_in, bench.items, bench.spare);
  if (p->keys_out != 0)
    expect_array(n, reference_key_bytes(s), p->keys_in,
                 (keys_are_over(c) ? bench.want_in : bench.want_out) + p->keys_out);
  for (uint32_t a = 0; a < s->arrays; a++)
    expect_array(n, s->element_bytes[a], p->in[a], (is_over(c, a) ? bench.want_in : bench.want_out) + p->out[a]);
  for (uint64_t i = 0; s->index_type && i < n; i++)
    memcpy(bench.want_out + p->out[0] + i * index_bytes, &bench.order[i].index, index_bytes);
  if (c->call != CALL_SORT) expect_bins(c, n, p->bins);
}

static int reads_host(const sort_cell *c) { return c->how == ON_HOST || c->how == FROM_HOST; }
static int writes_host(const sort_cell *c) { return c->how == ON_HOST || c->how == TO_HOST; }

static scan_mem mem_in(const sort_cell *c, uint64_t at) { return side_mem(&bench.in, reads_host(c), at); }
static scan_mem mem_out(const sort_cell *c, uint64_t at) { return side_mem(&bench.out, writes_host(c), at); }

static scan_status run_split(const sort_cell *c, scan_plan *plan, const scan_sort_args *sort, scan_mem offsets) {
  const scan_split_spec spec = split_of(c);
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(sort->keys_in, sort->keys_out, offsets);
  memcpy(args.in, sort->in, sizeof args.in);
  memcpy(args.out, sort->out, sizeof args.out);
  args.n_from = sort->n_from;
  return c->how == BY_PLAN ? scan_plan_run_split(plan, c->n, &args) : scan_split(test_ctx(), &spec, c->n, &args);
}

static scan_status run_histogram(const sort_cell *c, scan_plan *plan, const scan_sort_args *sort, scan_mem counts) {
  const scan_histogram_spec spec = histogram_of(c);
  scan_histogram_args args = SCAN_HISTOGRAM_ARGS_INIT(sort->keys_in, counts);
  args.n_from = sort->n_from;
  return c->how == BY_PLAN ? scan_plan_run_histogram(plan, c->n, &args)
                           : scan_histogram(test_ctx(), &spec, c->n, &args);
}

/* ---- memory that the caller gives ---- */

enum { MARGIN = 256 };

/* What the library says that the run needs. */
static uint64_t scratch_of(const sort_cell *c, scan_plan *plan) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  uint64_t bytes = 0;
  if (c->how != BY_PLAN) {
    test_ok(test_ctx(), scan_sort_scratch_bytes(test_ctx(), &c->spec, c->n, &bytes), "scan_sort_scratch_bytes");
    return bytes;
  }
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  return facts.scratch_bytes;
}

/* With margins on both sides. */
static scan_mem open_scratch(uint64_t bytes) {
  unsigned char poison[MARGIN];
  memset(poison, SIDE_POISON, sizeof poison);
  if (bench.scratch.kind == SCAN_MEM_NONE || bench.scratch_bytes < bytes) {
    if (bench.scratch.kind != SCAN_MEM_NONE) (void)scan_free(test_ctx(), bench.scratch);
    bench.scratch_bytes = 2 * bytes;
    test_ok(test_ctx(), scan_alloc(test_ctx(), bench.scratch_bytes + 2 * MARGIN, &bench.scratch), "scan_alloc");
  }
  test_ok(test_ctx(), scan_write(test_ctx(), bench.scratch, poison, MARGIN), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), scan_offset(bench.scratch, MARGIN + bytes), poison, MARGIN), "scan_write");
  return scan_offset(bench.scratch, MARGIN);
}

static void check_scratch(const sort_cell *c, uint64_t bytes) {
  unsigned char margins[2][MARGIN];
  test_ok(test_ctx(), scan_read(test_ctx(), bench.scratch, margins[0], MARGIN), "scan_read");
  test_ok(test_ctx(), scan_read(test_ctx(), scan_offset(bench.scratch, MARGIN + bytes), margins[1], MARGIN),
          "scan_read");
  for (uint64_t i = 0; i < 2 * MARGIN; i++)
    if (margins[i / MARGIN][i % MARGIN] != SIDE_POISON) fail_cell(c, "a byte beside the scratch changed", i);
}

static scan_status sort_with_scratch(const sort_cell *c, scan_plan *plan, scan_sort_args *args) {
  const uint64_t bytes = scratch_of(c, plan);
  args->scratch = open_scratch(bytes);
  const scan_status status =
      c->how == BY_PLAN ? scan_plan_run_sort(plan, c->n, args) : scan_sort(test_ctx(), &c->spec, c->n, args);
  if (status != SCAN_SUCCESS) return status;
  if (c->has_n_from) test_excess_report(test_is_excess(c->spec.flags, c->n, c->n_from));
  check_scratch(c, bytes);
  return status;
}

static scan_status run(const sort_cell *c, scan_plan *plan, const places *p) {
  scan_sort_args args = { .struct_bytes = sizeof args, .keys_in = mem_in(c, p->keys_in) };
  if (p->keys_out != 0) args.keys_out = keys_are_over(c) ? args.keys_in : mem_out(c, p->keys_out);
  if (c->spec.index_type) args.out[0] = mem_out(c, p->out[0]);
  for (uint32_t a = 0; a < c->spec.arrays; a++) {
    args.in[a] = mem_in(c, p->in[a]);
    args.out[a] = is_over(c, a) ? args.in[a] : mem_out(c, p->out[a]);
  }
  if (c->has_n_from) args.n_from = scan_offset(bench.in.memory, p->n_from);
  if (c->call == CALL_SPLIT) return run_split(c, plan, &args, mem_out(c, p->bins));
  if (c->call == CALL_HISTOGRAM) return run_histogram(c, plan, &args, mem_out(c, p->bins));
  if (c->spec.gives_scratch) return sort_with_scratch(c, plan, &args);
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
  if (c->has_n_from && !c->spec.gives_scratch) test_excess_report(test_is_excess(c->spec.flags, c->n, c->n_from));
  if (side_differs(&bench.out, writes_host(c), bench.want_out, &bad)) fail_cell(c, "a byte is wrong", bad);
  if (side_differs(&bench.in, reads_host(c), bench.want_in, &bad))
    fail_cell(c, c->in_place ? "a byte in place is wrong" : "an input changed", bad);
  test_ran();
}
