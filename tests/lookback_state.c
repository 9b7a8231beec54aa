/* SPDX-License-Identifier: BSD-2-Clause */
#include "lookback_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "guarded.h"
#include "reference.h"
#include "values.h"

static struct rng rng = { 11 };
static unsigned char values[FIXTURE_MOST * sizeof(double)], want[sizeof values], got[sizeof values];

void fixture_prepare(const scan_spec *spec, uint64_t n) {
  assert_true(n <= FIXTURE_MOST);
  values_fill(&rng, spec->type, spec->op, n, n, values);
  reference_scan(spec, n, values, want);
}

void *fixture_values(void) { return values; }

void *fixture_result(void) { return got; }

void fixture_check_result(const scan_spec *spec, uint64_t n) {
  char text[TEST_TEXT], have[64], wanted[64];
  const uint64_t i = reference_mismatch(spec->type, n, got, want);
  if (i == n) return;
  values_text(spec->type, got, i, have, sizeof have);
  values_text(spec->type, want, i, wanted, sizeof wanted);
  test_fail("%s n=%d: element %d is %s, not %s", test_spec_text(spec, text), (int)n, (int)i, have, wanted);
}

struct fixture fixture_open(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n) {
  struct fixture b = { .ctx = ctx, .spec = *spec };
  const uint64_t bytes = max_n * scan_type_bytes(spec->type);
  test_ok(b.ctx, scan_alloc(b.ctx, bytes, &b.in), "scan_alloc");
  test_ok(b.ctx, scan_alloc(b.ctx, bytes, &b.out), "scan_alloc");
  test_ok(b.ctx, scan_plan_create(b.ctx, &b.spec, max_n, &b.plan), "scan_plan_create");
  return b;
}

void fixture_close(struct fixture *b) {
  scan_plan_destroy(b->plan);
  test_ok(b->ctx, scan_free(b->ctx, b->in), "scan_free");
  test_ok(b->ctx, scan_free(b->ctx, b->out), "scan_free");
}

scan_status fixture_run(struct fixture *b, uint64_t n, int in_place) {
  const uint64_t bytes = n * scan_type_bytes(b->spec.type);
  const scan_mem out = in_place ? b->in : b->out;
  fixture_prepare(&b->spec, n);
  memset(got, GUARDED_POISON, bytes);
  test_ok(b->ctx, scan_write(b->ctx, b->out, got, bytes), "scan_write");
  test_ok(b->ctx, scan_write(b->ctx, b->in, values, bytes), "scan_write");
  test_ok(b->ctx, scan_plan_run(b->plan, n, b->in, out), "scan_plan_run");
  const scan_status status = scan_sync(b->ctx);
  if (status == SCAN_SUCCESS) test_ok(b->ctx, scan_read(b->ctx, out, got, bytes), "scan_read");
  return status;
}

void fixture_check(struct fixture *b, uint64_t n, int in_place) {
  test_ok(b->ctx, fixture_run(b, n, in_place), "scan_sync");
  fixture_check_result(&b->spec, n);
}

static scan_mem epoch_word(const struct fixture *b) {
  scan_mem word = b->plan->workspace;
  word.offset_bytes = SCAN_CONTROL_EPOCH_BYTES;
  return word;
}

uint32_t lookback_epoch(const struct fixture *b) {
  uint32_t epoch = 0;
  test_ok(b->ctx, b->ctx->ops->read(b->ctx->device, epoch_word(b), &epoch, sizeof epoch, &b->ctx->error), "read");
  return epoch;
}

void lookback_set_epoch(const struct fixture *b, uint32_t epoch) {
  test_ok(b->ctx, b->ctx->ops->write(b->ctx->device, epoch_word(b), &epoch, sizeof epoch, &b->ctx->error), "write");
}

unsigned char *lookback_read(const struct fixture *b) {
  const uint64_t bytes = b->plan->workspace_bytes;
  unsigned char *state = reference_alloc(bytes);
  test_ok(b->ctx, b->ctx->ops->read(b->ctx->device, b->plan->workspace, state, bytes, &b->ctx->error), "read");
  return state;
}

uint64_t lookback_count_published(const struct fixture *b, uint64_t n, uint64_t step) {
  const uint64_t bytes = scan_type_bytes(b->spec.type), words = bytes > 4 ? 2 : 1;
  const uint32_t epoch = lookback_epoch(b);
  unsigned char *state = lookback_read(b);
  uint64_t published = 0;
  for (uint64_t tile = step - 1; tile < canon_tiles(n, bytes); tile += step) {
    uint64_t descriptor;
    memcpy(&descriptor, state + SCAN_CONTROL_BYTES + tile * words * 8, sizeof descriptor);
    published += descriptor >> 32 == epoch;
  }
  free(state);
  return published;
}

void lookback_check_clear(const struct fixture *b) {
  unsigned char *state = lookback_read(b);
  for (uint64_t i = SCAN_CONTROL_BYTES; i < b->plan->regions[SCAN_REGION_STRATEGY].bytes; i++)
    if (state[i] != 0) test_fail("byte %d of the look-back state is still set", (int)i);
  free(state);
}
