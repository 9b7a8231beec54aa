/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the epochs of the look-back workspace on a real device, from near their end over the wrap. The epoch word
 * counts on, the descriptors are cleared, and short scans among long ones use no descriptor of another launch. */
#include <stdlib.h>

#include "lookback_state.h"
#include "guarded.h"
#include "reference.h"
#include "values.h"

/* The epoch word holds the epoch of the last launch. A launch with the last epoch resets it to 0. */
enum { BURST = 10 };
static uint32_t last_epoch; /* the last epoch of the device's descriptors */

static const scan_strategy strategies[] = { SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_PIPELINED };
enum { STRATEGIES = sizeof strategies / sizeof strategies[0] };

static uint32_t next_epoch(uint32_t word) { return word + 1 >= last_epoch ? 0 : word + 1; }

/* Returns a count of elements for a turn, with outputs of these KiB: two whole groups of tiles and one tile more; many
 * small tiles; one tile; the most small tiles; few large tiles. A device with a limit of loop iterations gets only
 * small tiles. */
static uint64_t count_of(scan_type type, int turn) {
  static const uint64_t kib[] = { 8192 + 32, 36, 1, 512, 600 }, few_kib[] = { 100, 36, 1, 60, 44 };
  const uint64_t bytes = scan_type_bytes(type);
  const uint64_t *counts = test_ctx()->caps.loop_limit ? few_kib : kib;
  return counts[turn % 5] * 1024 / bytes - (turn % 2 ? 0 : 3);
}

static uint64_t most_of(scan_type type) { return count_of(type, 0) + 3; }

/* Synchronises and checks each scan before the next one. */
static void check_wrap(struct fixture *b, uint32_t start, int scans) {
  uint32_t word = start;
  int wraps = 0;
  lookback_set_epoch(b, start);
  for (int turn = 0; turn < scans; turn++) {
    fixture_check(b, count_of(b->spec.type, turn), turn % 3 == 1);
    word = next_epoch(word);
    const uint32_t found = lookback_epoch(b);
    if (found != word) test_fail("from 0x%08x, scan %d: the epoch is 0x%08x, not 0x%08x", start, turn, found, word);
    if (word != 0) continue;
    wraps++;
    lookback_check_clear(b);
  }
  assert_int_equal(wraps, 1);
}

/* Puts all scans in flight at once, over the wrap. */
static void check_burst(struct fixture *b, struct guarded *out) {
  const scan_type type = b->spec.type;
  const uint64_t bytes = most_of(type) * reference_bytes(type);
  const uint32_t start = last_epoch - BURST / 2;
  char text[TEST_TEXT], words[TEST_TEXT];
  uint32_t word = start;
  size_t bad = 0;
  fixture_prepare(&b->spec, most_of(type));
  test_ok(b->ctx, scan_write(b->ctx, b->in, fixture_values(), bytes), "scan_write");
  guarded_begin(out);
  for (int turn = 0; turn < BURST; turn++) assert_true(guarded_reserve(out, type, count_of(type, turn), 0));
  test_ok(b->ctx, guarded_poison(out), "guarded_poison");
  for (size_t i = 0; i < BURST; i++)
    reference_scan(&b->spec, count_of(type, (int)i), fixture_values(), guarded_want(out, i));
  lookback_set_epoch(b, start);
  for (size_t i = 0; i < BURST; i++, word = next_epoch(word))
    test_ok(b->ctx, scan_plan_run(b->plan, count_of(type, (int)i), b->in, guarded_mem(out, i)), "scan_plan_run");
  test_ok(b->ctx, scan_sync(b->ctx), "scan_sync");
  if (guarded_check(out, &bad, text)) test_fail("%s: scan %d: %s", test_spec_text(&b->spec, words), (int)bad, text);
  assert_int_equal(lookback_epoch(b), word);
}

static void run_type(scan_strategy strategy, scan_type type) {
  scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  struct guarded out;
  uint64_t out_bytes = 0;
  spec.strategy = strategy;
  for (int turn = 0; turn < BURST; turn++) out_bytes += guarded_bytes(type, count_of(type, turn));
  struct fixture b = fixture_open(test_ctx(), &spec, most_of(type));
  test_ok(b.ctx, guarded_open(&out, b.ctx, out_bytes), "guarded_open");
  assert_int_equal(lookback_epoch(&b), 0); /* zeroed by the allocation */
  fixture_check(&b, count_of(type, 0), 0); /* descriptors of epoch 1, which the first scan after the wrap has as well */
  assert_int_equal(lookback_epoch(&b), 1);
  for (uint32_t before = 1; before <= 5; before++) check_wrap(&b, last_epoch - 1 - before, 8);
  check_burst(&b, &out);
  guarded_close(&out);
  fixture_close(&b);
  test_ran();
}

static void run_all(scan_type type) {
  for (int s = 0; s < STRATEGIES; s++)
    if (test_needs_strategy(strategies[s])) run_type(strategies[s], type);
}

static void test_wrap_one_word(void **state) {
  (void)state;
  run_all(SCAN_I32);
}

static void test_wrap_two_words(void **state) {
  (void)state;
  run_all(SCAN_I64);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_wrap_one_word),
    cmocka_unit_test(test_wrap_two_words),
  };
  last_epoch = test_device_open()->caps.descriptors == SCAN_DESCRIPTORS_SPLIT ? 0xfffe : 0xfffffffe;
  return test_exit(cmocka_run_group_tests_name("epoch", tests, NULL, NULL));
}
