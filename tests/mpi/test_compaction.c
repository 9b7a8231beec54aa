/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests compaction and partition over several contexts of a rank, alternately of the device and of the host, against
 * one context with all elements; and refusals. $SCANRT_TEST_CASES is the number of cases of each. test_parts.c has one
 * context a rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "operators.h"

enum { MOST = GROUP_SET_MOST, MOST_N = 20000, MOST_KEY = 9 };

SCAN_OP_TEXT(
    below_text, static inline int below(uint32_t x, uint64_t index, uint32_t most) {
      (void)index;
      return x < most;
    });
SCAN_KEEP_PARAMS_HOST(below_host, uint32_t, uint32_t, below);

SCAN_OP_TEXT(
    near_text, static inline int is_near(uint32_t before, uint32_t x) { return before / 3 == x / 3; });
SCAN_SAME_HOST(near_host, uint32_t, is_near);

/* The predicates of a context. Each context needs its own: the one with all elements, and those of this rank. */
typedef struct predicates {
  scan_op *below, *near;
} predicates;

static predicates create(group *g, scan_ctx *ctx) {
  predicates p = { .below = NULL };
  scan_predicate_source below_source = SCAN_PREDICATE_PARAMS_INIT(below_text, uint32_t, below, uint32_t);
  scan_predicate_source near_source = SCAN_PREDICATE_PAIR_INIT(near_text, uint32_t, is_near);
  below_source.host = below_host;
  near_source.host = near_host;
  scan_status status = scan_predicate_create(ctx, &below_source, &p.below);
  if (status == SCAN_SUCCESS) status = scan_predicate_create(ctx, &near_source, &p.near);
  group_check(g, status == SCAN_SUCCESS, "predicates: %s", scan_last_error(ctx));
  return p;
}

static void destroy(predicates *p) {
  scan_op_destroy(p->below);
  scan_op_destroy(p->near);
}

typedef struct fixture {
  group *g;
  group_set *s;
  predicates whole, of[MOST];
} fixture;

/* ---- a case ---- */

static uint32_t x[MOST_N], all_out[SCAN_PARTITION3_PARTS][MOST_N], own[MOST][MOST_N],
    out[MOST][SCAN_PARTITION3_PARTS][MOST_N];
static unsigned char flags[MOST_N], own_flags[MOST][MOST_N];

/* The elements of a case and their distribution. All ranks draw the same elements, in runs of up to 40, and the same
 * parts. */
typedef struct deal {
  uint64_t n, counts[GROUP_MOST_CONTEXTS];
  uint64_t starts[MOST], ns[MOST]; /* of this rank's contexts */
  int on_device;
} deal;

static deal draw(const group_set *s, struct rng *rng) {
  deal d = { .n = rng_below(rng, 4) == 0 ? rng_below(rng, 20) : rng_below(rng, MOST_N), .on_device = 0 };
  const uint64_t length = 1 + rng_below(rng, 40);
  uint32_t key = 0;
  for (uint64_t i = 0; i < d.n; i++) {
    if (rng_below(rng, length) == 0) key = (uint32_t)rng_below(rng, MOST_KEY);
    x[i] = key;
    flags[i] = rng_below(rng, 3) == 0;
  }
  d.on_device = (int)rng_below(rng, 2);
  group_split(s->all, rng, d.n, 0, d.counts);
  uint64_t start = 0;
  for (int c = 0; c < s->before + s->count; c++) {
    const int i = c - s->before;
    if (i >= 0) {
      d.starts[i] = start;
      d.ns[i] = d.counts[c];
      memcpy(own[i], x + start, d.ns[i] * sizeof *x);
      memcpy(own_flags[i], flags + start, d.ns[i]);
    }
    start += d.counts[c];
  }
  return d;
}

/* Checks the parts of this rank's contexts, `step` apart: each begins where the one before ends, and has the elements
 * that one context wrote there. */
static void check_parts(const fixture *f, const char *name, const scan_mpi_part *parts, int step, uint64_t total,
                        uint32_t *const *got, const uint32_t *want) {
  uint64_t sums[GROUP_MOST_RANKS], sum = 0, at = 0;
  for (int i = 0; i < f->s->count; i++) sum += parts[i * step].count;
  group_collect(f->g, sum, sums);
  for (int r = 0; r < f->g->rank; r++) at += sums[r];
  for (int i = 0; i < f->s->count; i++) {
    const scan_mpi_part part = parts[i * step];
    const int fits = part.offset == at && part.total == total && at + part.count <= total;
    group_check(f->g, fits, "%s, context %d: %llu at %llu of %llu; at %llu of %llu are due", name, i,
                (unsigned long long)part.count, (unsigned long long)part.offset, (unsigned long long)part.total,
                (unsigned long long)at, (unsigned long long)total);
    if (!fits) return;
    group_check(f->g, memcmp(got[i], want + at, part.count * sizeof *want) == 0, "%s, context %d: other elements", name,
                i);
    at += part.count;
  }
}

/* ---- compaction ---- */

typedef struct variant {
  const char *name;
  scan_select_by by;
  scan_select_rest rest;
  int by_pairs;
} variant;

static const variant variants[] = { { "flags", SCAN_SELECT_FLAGS, SCAN_REST_APART, 0 },
                                    { "a predicate", SCAN_SELECT_PREDICATE, SCAN_REST_APART, 0 },
                                    { "first of keys", SCAN_SELECT_FIRST, SCAN_REST_DROPPED, 0 },
                                    { "last of keys", SCAN_SELECT_LAST, SCAN_REST_DROPPED, 0 },
                                    { "first of pairs", SCAN_SELECT_FIRST, SCAN_REST_DROPPED, 1 },
                                    { "last of pairs", SCAN_SELECT_LAST, SCAN_REST_DROPPED, 1 } };
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static scan_select_spec spec_of(const variant *w, const predicates *p) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(w->by, sizeof *x);
  const int is_pair = w->by == SCAN_SELECT_FIRST || w->by == SCAN_SELECT_LAST;
  spec.rest = w->rest;
  if (is_pair && !w->by_pairs) spec.key_type = SCAN_U32;
  if (is_pair && w->by_pairs) spec.predicate = p->near;
  if (w->by == SCAN_SELECT_PREDICATE) spec.predicate = p->below;
  return spec;
}

static scan_select_args args_of(const variant *w, scan_mem in, scan_mem marks, scan_mem kept, scan_mem rest,
                                const uint32_t *most, uint64_t *count) {
  const scan_mem none = SCAN_NO_MEM;
  scan_select_args args = SCAN_SELECT_ARGS_INIT(none, in, kept, scan_host(count));
  if (w->by == SCAN_SELECT_FLAGS) args.marks = marks;
  if (w->by == SCAN_SELECT_PREDICATE) args.params = most;
  if (w->rest == SCAN_REST_APART) args.rest[0] = rest;
  return args;
}

static void test_select(const fixture *f, struct rng *rng) {
  const group_set *s = f->s;
  const variant *w = &variants[rng_below(rng, VARIANTS)];
  const uint32_t most = (uint32_t)rng_below(rng, MOST_KEY + 1);
  const deal d = draw(s, rng);
  uint64_t all_kept = 0, counts[MOST] = { 0 };
  scan_select_spec specs[MOST], spec = spec_of(w, &f->whole);
  scan_select_args args[MOST],
      all = args_of(w, scan_host(x), scan_host(flags), scan_host(all_out[0]), scan_host(all_out[1]), &most, &all_kept);
  scan_mpi_part kept[MOST], rest[MOST];
  scan_status status = scan_select(f->g->ctx, &spec, d.n, &all);
  group_check(f->g, status == SCAN_SUCCESS, "%s, one context: %s", w->name, scan_last_error(f->g->ctx));
  for (int i = 0; i < s->count; i++) {
    scan_mem mem[4];
    void *const bytes[] = { own[i], own_flags[i], out[i][0], out[i][1] };
    for (int k = 0; k < 4; k++)
      mem[k] = group_give_to(f->g, s->ctxs[i], bytes[k], d.ns[i] * (k == 1 ? 1 : sizeof *x), d.on_device);
    specs[i] = spec_of(w, &f->of[i]);
    args[i] = args_of(w, mem[0], mem[1], mem[2], mem[3], &most, &counts[i]);
    if (w->by != SCAN_SELECT_FLAGS) group_read_back_from(f->g, s->ctxs[i], mem[1], own_flags[i], 0);
    if (w->rest != SCAN_REST_APART) group_read_back_from(f->g, s->ctxs[i], mem[3], out[i][1], 0);
  }
  status = scan_mpi_select_contexts(s->mpi, specs, d.ns, args, kept, rest);
  group_check(f->g, status == SCAN_SUCCESS, "%s: %s", w->name, scan_mpi_last_error(s->mpi));
  uint32_t *got_kept[MOST], *got_rest[MOST];
  for (int i = 0; i < s->count; i++) {
    group_read_back_from(f->g, s->ctxs[i], args[i].in[0], own[i], 0);
    group_read_back_from(f->g, s->ctxs[i], args[i].marks, own_flags[i], 0);
    group_read_back_from(f->g, s->ctxs[i], args[i].out[0], out[i][0], d.ns[i] * sizeof *x);
    group_read_back_from(f->g, s->ctxs[i], args[i].rest[0], out[i][1], d.ns[i] * sizeof *x);
    group_check(f->g, status != SCAN_SUCCESS || counts[i] == kept[i].count, "%s, context %d: counts %llu", w->name, i,
                (unsigned long long)counts[i]);
    got_kept[i] = out[i][0];
    got_rest[i] = out[i][1];
  }
  if (status != SCAN_SUCCESS) return;
  check_parts(f, w->name, kept, 1, all_kept, got_kept, all_out[0]);
  if (w->rest == SCAN_REST_APART) check_parts(f, w->name, rest, 1, d.n - all_kept, got_rest, all_out[1]);
}

/* ---- partition ---- */

static scan_partition3_args partition_args(const uint32_t *in, uint32_t (*parts)[MOST_N], const uint32_t *bounds,
                                           uint64_t *counts) {
  scan_partition3_args args = SCAN_PARTITION3_ARGS_INIT(scan_host(in), scan_host(parts[0]), scan_host(parts[1]),
                                                        scan_host(parts[2]), scan_host(counts));
  args.first_params = &bounds[0];
  args.second_params = &bounds[1];
  return args;
}

static void test_partition(const fixture *f, struct rng *rng) {
  const group_set *s = f->s;
  const uint32_t bounds[] = { 3, (uint32_t)rng_below(rng, MOST_KEY + 1) };
  const deal d = draw(s, rng);
  uint64_t all_counts[SCAN_PARTITION3_PARTS] = { 0 }, counts[MOST][SCAN_PARTITION3_PARTS];
  const scan_partition3_spec spec = SCAN_PARTITION3_SPEC_INIT(f->whole.below, f->whole.below, sizeof *x);
  const scan_partition3_args all = partition_args(x, all_out, bounds, all_counts);
  scan_partition3_spec specs[MOST];
  scan_partition3_args args[MOST];
  scan_mpi_part parts[MOST * SCAN_PARTITION3_PARTS];
  scan_status status = scan_partition3(f->g->ctx, &spec, d.n, &all);
  group_check(f->g, status == SCAN_SUCCESS, "a partition, one context: %s", scan_last_error(f->g->ctx));
  for (int i = 0; i < s->count; i++) {
    specs[i] = (scan_partition3_spec)SCAN_PARTITION3_SPEC_INIT(f->of[i].below, f->of[i].below, sizeof *x);
    args[i] = partition_args(own[i], out[i], bounds, counts[i]);
  }
  status = scan_mpi_partition_contexts(s->mpi, specs, d.ns, args, parts);
  group_check(f->g, status == SCAN_SUCCESS, "a partition: %s", scan_mpi_last_error(s->mpi));
  if (status != SCAN_SUCCESS) return;
  for (int k = 0; k < SCAN_PARTITION3_PARTS; k++) {
    uint32_t *got[MOST];
    for (int i = 0; i < s->count; i++) {
      got[i] = out[i][k];
      group_check(f->g, counts[i][k] == parts[i * SCAN_PARTITION3_PARTS + k].count, "a partition, context %d: counts",
                  i);
    }
    check_parts(f, "a partition", parts + k, SCAN_PARTITION3_PARTS, all_counts[k], got, all_out[k]);
  }
}

/* ---- refusals ---- */

static void test_select_refusals(const fixture *f, int who) {
  const group_set *s = f->s;
  const int is_it = f->g->rank == who, last = s->count - 1;
  struct rng rng = { 7 };
  const deal d = draw(s, &rng);
  uint64_t counts[MOST];
  uint32_t most = 3;
  scan_select_spec specs[MOST];
  scan_select_args args[MOST];
  const variant *flags_variant = &variants[0], *first_variant = &variants[2];
  for (int i = 0; i < s->count; i++) {
    specs[i] = spec_of(flags_variant, &f->of[i]);
    args[i] = args_of(flags_variant, scan_host(own[i]), scan_host(own_flags[i]), scan_host(out[i][0]),
                      scan_host(out[i][1]), &most, &counts[i]);
  }
  scan_status status = scan_mpi_select_contexts(s->mpi, is_it ? NULL : specs, d.ns, args, NULL, NULL);
  group_check_words(s, "a compaction", status, SCAN_INVALID_ARGUMENT, who, 0, "spec is NULL");
  status = scan_mpi_select_contexts(s->mpi, specs, is_it ? NULL : d.ns, args, NULL, NULL);
  group_check_words(s, "a compaction", status, SCAN_INVALID_ARGUMENT, who, 0, "local_ns is NULL");
  if (is_it) args[last].struct_bytes = 1;
  status = scan_mpi_select_contexts(s->mpi, specs, d.ns, args, NULL, NULL);
  group_check_words(s, "a compaction", status, SCAN_INVALID_ARGUMENT, who, 1, "initialise the args with");
  args[last].struct_bytes = sizeof args[last];
  if (is_it) specs[last].arrays = 1000; /* the context finds this, while others work */
  status = scan_mpi_select_contexts(s->mpi, specs, d.ns, args, NULL, NULL);
  group_check_words(s, "a compaction", status, SCAN_INVALID_ARGUMENT, who, 1, "arrays");
  specs[last] = spec_of(is_it ? first_variant : flags_variant, &f->of[last]);
  status = scan_mpi_select_contexts(s->mpi, specs, d.ns, args, NULL, NULL);
  if (group_set_count(who) > 1)
    group_check_words(s, "a compaction", status, SCAN_INVALID_ARGUMENT, who, 1, "another one than context 0's");
  for (int i = 0; i < s->count; i++) specs[i] = spec_of(first_variant, &f->of[i]);
  if (is_it) specs[last].rest = SCAN_REST_APART;
  status = scan_mpi_select_contexts(s->mpi, specs, d.ns, args, NULL, NULL);
  if (s->all > 1) group_check_words(s, "a compaction", status, SCAN_UNSUPPORTED, who, 1, "can only be dropped");
}

static void test_partition_refusals(const fixture *f, int who) {
  const group_set *s = f->s;
  const int is_it = f->g->rank == who, last = s->count - 1;
  const uint32_t bounds[] = { 3, 5 };
  struct rng rng = { 8 };
  const deal d = draw(s, &rng);
  uint64_t counts[MOST][SCAN_PARTITION3_PARTS];
  scan_partition3_spec specs[MOST];
  scan_partition3_args args[MOST];
  scan_mpi_part parts[MOST * SCAN_PARTITION3_PARTS];
  for (int i = 0; i < s->count; i++) {
    specs[i] = (scan_partition3_spec)SCAN_PARTITION3_SPEC_INIT(f->of[i].below, f->of[i].below, sizeof *x);
    args[i] = partition_args(own[i], out[i], bounds, counts[i]);
  }
  scan_status status = scan_mpi_partition_contexts(s->mpi, specs, d.ns, args, is_it ? NULL : parts);
  group_check_words(s, "a partition", status, SCAN_INVALID_ARGUMENT, who, 0, "parts is NULL");
  if (is_it) args[last].struct_bytes = 1;
  status = scan_mpi_partition_contexts(s->mpi, specs, d.ns, args, parts);
  group_check_words(s, "a partition", status, SCAN_INVALID_ARGUMENT, who, 1, "SCAN_PARTITION3_ARGS_INIT");
}

int main(int argc, char **argv) {
  group g;
  group_set s;
  group_open(&g, &argc, &argv);
  group_open_set(&s, &g);
  const char *text = getenv("SCANRT_TEST_CASES");
  const unsigned long cases = text != NULL ? strtoul(text, NULL, 0) : 20;
  fixture f = { .g = &g, .s = &s, .whole = create(&g, g.ctx) };
  for (int i = 0; i < s.count; i++) f.of[i] = create(&g, s.ctxs[i]);
  for (unsigned long i = 0; i < cases; i++) {
    struct rng rng = { i + 1 };
    test_select(&f, &rng);
    test_partition(&f, &rng);
  }
  for (int who = 0; who < g.ranks; who++) {
    test_select_refusals(&f, who);
    test_partition_refusals(&f, who);
  }
  group_check(&g, scan_mpi_select_contexts(NULL, NULL, NULL, NULL, NULL, NULL) == SCAN_INVALID_ARGUMENT, "no handle");
  group_check(&g, scan_mpi_partition_contexts(NULL, NULL, NULL, NULL, NULL) == SCAN_INVALID_ARGUMENT, "no handle");
  for (int i = 0; i < s.count; i++) destroy(&f.of[i]);
  destroy(&f.whole);
  group_close_set(&s);
  return group_close(&g, "mpi compaction");
}
