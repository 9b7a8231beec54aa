/* SPDX-License-Identifier: BSD-2-Clause */
#include "cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "twin.h"

void cases_add(struct case_list *list, uint64_t max_n, struct scan_case one) {
  if (one.n > max_n) return;
  if (list->count == CASES_MAX) test_fail("more than %d cases in a list", CASES_MAX);
  list->cases[list->count++] = one;
}

void cases_every(struct case_list *list, uint64_t max_n, uint64_t last) {
  for (uint64_t n = 0; n <= last; n++) cases_add(list, max_n, (struct scan_case){ .n = n });
}

void cases_around(struct case_list *list, uint64_t max_n, uint64_t n) {
  for (uint64_t m = n - 1; m <= n + 1; m++) cases_add(list, max_n, (struct scan_case){ .n = m });
}

void cases_shifts(struct case_list *list, uint64_t max_n, uint64_t n, int in_place) {
  for (unsigned shift = 0; shift < CASES_SHIFTS; shift++) {
    cases_add(list, max_n, (struct scan_case){ .n = n, .in_shift = shift });
    cases_add(list, max_n, (struct scan_case){ .n = n, .in_shift = 1, .out_shift = shift });
    if (in_place) cases_add(list, max_n, (struct scan_case){ .n = n, .out_shift = shift, .in_place = 1 });
  }
}

void lab_open(struct lab *lab, scan_ctx *ctx, uint64_t bytes) {
  memset(lab, 0, sizeof(*lab));
  lab->ctx = ctx;
  lab->rng.state = UINT64_C(20240229);
  lab->pool_bytes = bytes + 8 * CASES_POOL_SLACK;
  lab->pool_host = reference_alloc((size_t)lab->pool_bytes);
  lab->pool_read = reference_alloc((size_t)lab->pool_bytes);
  test_ok(ctx, guarded_open(&lab->guarded, ctx, bytes + 4 * 1024), "guarded_open");
  test_ok(ctx, scan_alloc(ctx, lab->pool_bytes, &lab->pool), "scan_alloc");
}

void lab_close(struct lab *lab) {
  guarded_close(&lab->guarded);
  scan_free(lab->ctx, lab->pool);
  free(lab->pool_host);
  free(lab->pool_read);
  memset(lab, 0, sizeof(*lab));
}

static scan_type input_of(const scan_spec *spec) { return spec->input_type ? spec->input_type : spec->type; }

static uint64_t largest_n(const struct case_list *list) {
  uint64_t largest = 0;
  for (size_t i = 0; i < list->count; i++) largest = list->cases[i].n > largest ? list->cases[i].n : largest;
  return largest;
}

static uint64_t fill_pool(struct lab *lab, const scan_spec *spec, uint64_t span) {
  const uint64_t items = span + CASES_POOL_SLACK, bytes = items * reference_bytes(input_of(spec));
  if (bytes > lab->pool_bytes) test_fail("input pool too small for n=%" PRIu64, span);
  values_fill(&lab->rng, input_of(spec), spec->op, span, items, lab->pool_host);
  test_ok(lab->ctx, scan_write(lab->ctx, lab->pool, lab->pool_host, bytes), "scan_write");
  return bytes;
}

/* A part of the pool that starts in_shift elements after a 64-byte boundary, another one each time. */
static uint64_t pick_input(struct lab *lab, const struct scan_case *one) {
  return rng_below(&lab->rng, CASES_POOL_SLACK / 64) * 64 + (one->in_place ? 0 : one->in_shift);
}

static void fail_case(const scan_spec *spec, const struct scan_case *one, const char *why) {
  char text[TEST_TEXT];
  test_fail("%s n=%" PRIu64 " in_shift=%u out_shift=%u%s: %s", test_spec_text(spec, text), one->n, one->in_shift,
            one->out_shift, one->in_place ? " in place" : "", why);
}

/* The longest chain of roundings in a scan by the plan. */
static uint64_t chain_of(const scan_plan *plan) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  if (scan_plan_info(plan, &facts) != SCAN_SUCCESS || facts.span == 0) test_fail("scan_plan_info gives no span");
  return facts.span;
}

static void expect(const scan_spec *spec, const scan_plan *plan, uint64_t n, const void *in, struct guarded *g,
                   size_t region) {
  if (reference_is_exact(spec)) {
    reference_scan(spec, n, in, guarded_want(g, region));
  } else {
    reference_scan_close(spec, n, chain_of(plan), in, guarded_want(g, region), guarded_slack(g, region));
  }
}

static void launch(struct lab *lab, const struct lab_plan *by, const struct scan_case *one, uint64_t in_bytes,
                   size_t region) {
  const scan_spec *spec = &by->spec;
  const scan_mem out = guarded_mem(&lab->guarded, region);
  scan_mem in = scan_offset(lab->pool, in_bytes);
  if (one->in_place && one->n) {
    scan_status copied = scan_copy(lab->ctx, out, in, one->n * reference_bytes(spec->type));
    if (copied != SCAN_SUCCESS) fail_case(spec, one, scan_last_error(lab->ctx));
  }
  if (one->in_place) in = out;
  if (scan_plan_run(by->plan, one->n, in, out) != SCAN_SUCCESS) fail_case(spec, one, scan_last_error(lab->ctx));
}

/* The first cases, as many as the guarded buffer holds, and where the input of each begins. */
struct batch {
  const struct scan_case *cases;
  size_t count;
  uint64_t in_bytes[GUARDED_REGIONS];
};

static void take_batch(struct lab *lab, const scan_spec *spec, const struct scan_case *cases, size_t count,
                       struct batch *batch) {
  batch->cases = cases;
  batch->count = 0;
  guarded_begin(&lab->guarded);
  while (batch->count < count) {
    const struct scan_case *one = &cases[batch->count];
    if (!guarded_take(&lab->guarded, spec->type, one->n, one->out_shift)) break;
    batch->in_bytes[batch->count++] = pick_input(lab, one) * reference_bytes(input_of(spec));
  }
  if (batch->count == 0) fail_case(spec, cases, "guarded buffer too small");
}

/* What is expected is computed once, while the first plan's launches run. */
static void run_batch(struct lab *lab, const struct batch *batch, const struct lab_plan *by, int is_first) {
  struct guarded *g = &lab->guarded;
  char text[TEST_TEXT];
  size_t bad = 0;
  test_ok(lab->ctx, is_first ? guarded_poison(g) : guarded_poison_again(g), "guarded_poison");
  for (size_t i = 0; i < batch->count; i++) launch(lab, by, &batch->cases[i], batch->in_bytes[i], i);
  for (size_t i = 0; is_first && i < batch->count; i++)
    expect(&by->spec, by->plan, batch->cases[i].n, lab->pool_host + batch->in_bytes[i], g, i);
  if (guarded_check(g, &bad, text)) fail_case(&by->spec, &batch->cases[bad], text);
}

void lab_run(struct lab *lab, const struct lab_plan *plans, size_t plan_count, const struct case_list *list) {
  const uint64_t pool_bytes = fill_pool(lab, &plans[0].spec, largest_n(list));
  struct batch batch;
  for (size_t done = 0; done < list->count; done += batch.count) {
    take_batch(lab, &plans[0].spec, &list->cases[done], list->count - done, &batch);
    for (size_t p = 0; p < plan_count; p++) run_batch(lab, &batch, &plans[p], p == 0);
  }
  test_ok(lab->ctx, scan_read(lab->ctx, lab->pool, lab->pool_read, pool_bytes), "scan_read");
  if (memcmp(lab->pool_read, lab->pool_host, (size_t)pool_bytes) != 0) {
    char text[TEST_TEXT];
    test_fail("%s%s: a scan wrote to its input", test_spec_text(&plans[0].spec, text),
              plan_count > 1 ? " and the strategies after it" : "");
  }
}

/* Host memory: n elements, and what comes back with its surroundings. */
struct host_scan {
  uint64_t n, out_bytes;
  unsigned char *in, *got, *want; /* the outputs have GUARDED_BYTES before and after them */
};

/* 1 when a result that is not exact is right; a plan for n has the chain of any scan of n elements. */
static int is_close(struct lab *lab, const scan_spec *spec, const struct host_scan *s) {
  scan_plan *plan = NULL;
  double *slack = reference_alloc((size_t)s->n * sizeof *slack);
  unsigned char *want = s->want + GUARDED_BYTES;
  test_ok(lab->ctx, scan_plan_create(lab->ctx, spec, s->n, &plan), "scan_plan_create");
  reference_scan_close(spec, s->n, chain_of(plan), s->in, want, slack);
  const int right = values_first_far(spec->type, s->n, s->got + GUARDED_BYTES, want, slack) == s->n;
  scan_plan_destroy(plan);
  free(slack);
  return right;
}

static int is_right(struct lab *lab, const scan_spec *spec, const struct host_scan *s) {
  const uint64_t end = GUARDED_BYTES + s->out_bytes;
  const int same = reference_is_exact(spec)
                       ? reference_mismatch(spec->type, s->n, s->got + GUARDED_BYTES, s->want + GUARDED_BYTES) == s->n
                       : is_close(lab, spec, s);
  return same && memcmp(s->got, s->want, GUARDED_BYTES) == 0 && memcmp(s->got + end, s->want + end, GUARDED_BYTES) == 0;
}

static void run_host(struct lab *lab, const scan_spec *spec, const struct host_scan *s) {
  const struct scan_case one = { .n = s->n };
  memset(s->got, GUARDED_POISON, (size_t)(s->out_bytes + 2 * GUARDED_BYTES));
  const scan_spec asked = lab->twins ? twin_spec(lab->ctx, spec) : *spec;
  const scan_status status = scan_run(lab->ctx, &asked, s->n, scan_host(s->in), scan_host(s->got + GUARDED_BYTES));
  if (status != SCAN_SUCCESS) fail_case(spec, &one, scan_last_error(lab->ctx));
  if (!is_right(lab, spec, s))
    fail_case(spec, &one, "scan_run over host memory gave another result, or wrote outside of it");
}

void lab_run_host(struct lab *lab, const struct lab_plan *plans, size_t plan_count, uint64_t n) {
  const scan_spec *spec = &plans[0].spec;
  struct host_scan s = { .n = n, .out_bytes = n * reference_bytes(spec->type) };
  s.in = reference_alloc((size_t)(n * reference_bytes(input_of(spec))));
  s.got = reference_alloc((size_t)s.out_bytes + 2 * GUARDED_BYTES);
  s.want = reference_alloc((size_t)s.out_bytes + 2 * GUARDED_BYTES);
  values_fill(&lab->rng, input_of(spec), spec->op, n, n, s.in);
  memset(s.want, GUARDED_POISON, (size_t)s.out_bytes + 2 * GUARDED_BYTES);
  if (reference_is_exact(spec)) reference_scan(spec, n, s.in, s.want + GUARDED_BYTES);
  for (size_t p = 0; p < plan_count; p++) run_host(lab, &plans[p].spec, &s);
  free(s.in);
  free(s.got);
  free(s.want);
}
