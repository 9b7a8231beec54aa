/* SPDX-License-Identifier: BSD-2-Clause */
#include "segments_bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

struct segments_bench bench = { .rng = { 0x5e6 } };

void segments_bench_open(void) {
  side_open(&bench.in, BYTES);
  side_open(&bench.out, BYTES);
  bench.want_in = reference_alloc(BYTES);
  bench.want_out = reference_alloc(BYTES);
  bench.offsets = reference_alloc((MOST_SEGMENTS + 1) * sizeof *bench.offsets);
  bench.items = reference_alloc(MOST_N * sizeof *bench.items);
  bench.spare = reference_alloc(MOST_N * sizeof *bench.spare);
  bench.order = reference_alloc(MOST_N * sizeof *bench.order);
}

static int may_lack(const cell *c) { return !test_has_type(c->spec.key_type) || test_info()->loop_limit != 0; }

void segments_fail(const cell *c, const char *why, uint64_t at) {
  const scan_sort_spec *s = &c->spec;
  test_fail("segments (%d, %" PRIu64 ", most %u, %" PRIu64 " of them, offsets %d) of %s, bits %u to %u, descending %u, "
            "order %u, "
            "indices %d, %u arrays of %u, drops %u, in place %d, n=%" PRIu64 ", from %" PRIu64
            ", shape %d, way %d, shift %u: %s (%" PRIu64 ")",
            (int)c->lengths, c->length, s->most_segment_items, bench.segments, (int)s->offset_type,
            scan_type_name(s->key_type), s->first_bit, s->end_bit, s->descending, (unsigned)s->order,
            (int)s->index_type, s->arrays, s->element_bytes[0], s->drops_keys, c->in_place, c->n,
            c->has_n_from ? c->n_from : c->n, (int)c->shape, c->how, c->shift, why, at);
}

/* ---- segments ---- */

uint64_t segments_below(uint64_t n) { return n == 0 ? 0 : rng_next(&bench.rng) % n; }

static uint64_t next_length(const cell *c) {
  switch (c->lengths) {
  case OF_ONE: return c->length;
  case OF_UP_TO: return segments_below(c->length + 1);
  case OF_MIXED: {
    static const uint64_t most[] = { 1, 2, 20, 33, 70, 300, 5000, 20000, 250000 };
    return segments_below(most[segments_below(8 + (segments_below(10) == 0))] + 1);
  }
  default: return c->n;
  }
}

static void add_offset(uint64_t offset) {
  if (bench.segments < MOST_SEGMENTS) bench.offsets[++bench.segments] = offset;
}

/* Offsets from 0 to n. */
void segments_make(const cell *c) {
  uint64_t at = 0;
  bench.segments = 0;
  bench.offsets[0] = 0;
  if (c->lengths == OF_EMPTIES) {
    for (int i = 0; i < 20000; i++) add_offset(0);
    add_offset(at = c->n / 2);
    for (int i = 0; i < 50000; i++) add_offset(at);
  }
  if (c->lengths == OF_ALL)
    for (int i = 0; i < 3; i++) add_offset(0);
  while (at < c->n) {
    const uint64_t length = next_length(c);
    at += length < c->n - at ? length : c->n - at;
    add_offset(at);
    if (c->lengths == OF_MIXED && segments_below(40) == 0)
      for (uint64_t i = segments_below(3000); i > 0; i--) add_offset(at);
  }
  for (uint64_t i = segments_below(5); i > 0; i--) add_offset(c->n);
  bench.offsets[bench.segments] = c->n;
}

static uint64_t keys_there(const cell *c) { return c->has_n_from && c->n_from < c->n ? c->n_from : c->n; }

/* ---- a call ---- */

void segments_take(const cell *c, places *p) {
  const scan_sort_spec *s = &c->spec;
  const uint64_t bytes = scan_type_bytes(s->key_type), offset_bytes = scan_type_bytes(s->offset_type);
  const uint64_t index_bytes = scan_type_bytes(s->index_type);
  const reference_keys keys = { s->key_type, c->shape, 1, rng_next(&bench.rng) };
  *p = (places){ 0 };
  bench.in.used = bench.out.used = 0;
  p->n_from = side_take(&bench.in, 8, 8);
  memcpy(bench.in.image + p->n_from, &c->n_from, 8);
  p->offsets = side_take(&bench.in, (bench.segments + 1) * offset_bytes, c->shift * offset_bytes);
  for (uint64_t i = 0; i <= bench.segments; i++) /* little-endian */
    memcpy(bench.in.image + p->offsets + i * offset_bytes, &bench.offsets[i], offset_bytes);
  p->keys_in = side_take(&bench.in, c->n * bytes, c->shift * bytes);
  reference_fill_keys(&keys, c->n, bench.in.image + p->keys_in);
  if (c->in_place && !s->drops_keys)
    p->keys_out = p->keys_in;
  else if (!s->drops_keys)
    p->keys_out = side_take(&bench.out, c->n * bytes, c->shift * bytes);
  if (s->index_type) p->out[0] = side_take(&bench.out, c->n * index_bytes, c->shift * index_bytes);
  for (uint32_t a = 0; a < s->arrays; a++) {
    const uint64_t all = c->n * s->element_bytes[a];
    p->in[a] = side_take(&bench.in, all, 0);
    for (uint64_t i = 0; i < all; i++) bench.in.image[p->in[a] + i] = (unsigned char)rng_next(&bench.rng);
    p->out[a] = c->in_place ? p->in[a] : side_take(&bench.out, all, 0);
  }
  if (bench.out.used == 0) (void)side_take(&bench.out, 8, 0);
}

static void make_order(const cell *c, const unsigned char *keys) {
  const uint64_t n = keys_there(c), bytes = scan_type_bytes(c->spec.key_type);
  for (uint64_t s = 0; s < bench.segments; s++) {
    const uint64_t begin = bench.offsets[s], end = bench.offsets[s + 1] < n ? bench.offsets[s + 1] : n;
    if (begin >= end) continue;
    const reference_item *items = reference_sort(&c->spec, end - begin, keys + begin * bytes, bench.items, bench.spare);
    for (uint64_t i = begin; i < end; i++) bench.order[i] = begin + items[i - begin].index;
  }
}

static void expect_array(const cell *c, uint64_t bytes, uint64_t from, uint64_t to, int is_over) {
  unsigned char *want = (is_over ? bench.want_in : bench.want_out) + to;
  for (uint64_t i = 0; i < keys_there(c); i++)
    memcpy(want + i * bytes, bench.in.image + from + bench.order[i] * bytes, bytes);
}

void segments_expect(const cell *c, const places *p) {
  const scan_sort_spec *s = &c->spec;
  const uint64_t index_bytes = scan_type_bytes(s->index_type);
  memcpy(bench.want_in, bench.in.image, bench.in.used);
  memset(bench.want_out, SIDE_POISON, bench.out.used);
  make_order(c, bench.in.image + p->keys_in);
  if (!s->drops_keys) expect_array(c, scan_type_bytes(s->key_type), p->keys_in, p->keys_out, c->in_place);
  for (uint32_t a = 0; a < s->arrays; a++) expect_array(c, s->element_bytes[a], p->in[a], p->out[a], c->in_place);
  for (uint64_t i = 0; s->index_type && i < keys_there(c); i++)
    memcpy(bench.want_out + p->out[0] + i * index_bytes, &bench.order[i], index_bytes);
}

scan_status segments_run(const cell *c, scan_plan *plan, const places *p) {
  const int on_host = c->how == ON_HOST;
  scan_sort_args args = { .struct_bytes = sizeof args, .keys_in = side_mem(&bench.in, on_host, p->keys_in) };
  args.offsets = side_mem(&bench.in, on_host, p->offsets);
  args.segments = bench.segments;
  if (!c->spec.drops_keys) args.keys_out = side_mem(c->in_place ? &bench.in : &bench.out, on_host, p->keys_out);
  if (c->spec.index_type) args.out[0] = side_mem(&bench.out, on_host, p->out[0]);
  for (uint32_t a = 0; a < c->spec.arrays; a++) {
    args.in[a] = side_mem(&bench.in, on_host, p->in[a]);
    args.out[a] = side_mem(c->in_place ? &bench.in : &bench.out, on_host, p->out[a]);
  }
  if (c->has_n_from) args.n_from = scan_offset(bench.in.memory, p->n_from);
  return c->how == BY_PLAN ? scan_plan_run_sort(plan, c->n, &args) : scan_sort(test_ctx(), &c->spec, c->n, &args);
}

void segments_check(const cell *c, scan_plan *plan) {
  places p;
  uint64_t bad = 0;
  segments_make(c);
  segments_take(c, &p);
  memset(bench.out.image, SIDE_POISON, bench.out.used);
  segments_expect(c, &p);
  side_write(&bench.in, &bench.out);
  const scan_status status = segments_run(c, plan, &p);
  if (status == SCAN_UNSUPPORTED && may_lack(c)) {
    test_skipped("%s", scan_last_error(test_ctx()));
    return;
  }
  if (status != SCAN_SUCCESS) segments_fail(c, scan_last_error(test_ctx()), c->n);
  if (c->has_n_from) test_excess_report(test_is_excess(c->spec.flags, c->n, c->n_from));
  if (side_differs(&bench.out, c->how == ON_HOST, bench.want_out, &bad)) segments_fail(c, "a byte is wrong", bad);
  if (side_differs(&bench.in, c->how == ON_HOST, bench.want_in, &bad))
    segments_fail(c, c->in_place ? "a byte in place is wrong" : "an input changed", bad);
  test_ran();
}

scan_plan *segments_plan(const cell *c, uint64_t max_n) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create_sort(test_ctx(), &c->spec, max_n, &plan);
  if (status == SCAN_UNSUPPORTED && may_lack(c))
    test_skipped("%s", scan_last_error(test_ctx()));
  else if (status != SCAN_SUCCESS)
    segments_fail(c, scan_last_error(test_ctx()), max_n);
  return plan;
}
