/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests how many threads the host backend uses beside other programs, by recorded measurements. */
#include "device/host/host_pace.h"
#include "support.h"

enum { US = 1000, MS = 1000 * US };

/* ---- time that a task loses ---- */

typedef struct row {
  const char *what;
  host_pace_sample sample;
  uint64_t lost_ns;
} row;

/* Two threads on 2 processors unless the text says otherwise; a chunk of 64 KiB takes 20 us. */
static const row rows[] = {
  { "alone: each chunk is there", { 40 * MS, 0, 0, 2000, 2000 }, 0 },
  { "alone: waits shorter than a chunk", { 40 * MS, 8 * MS, 1000, 1600, 2400 }, 0 },
  { "alone: a long last part of a sort", { 30 * MS, 10 * MS, 1, 2, 2 }, 0 },
  { "alone: 150 us of something else", { 200 * US, 150 * US, 1, 2, 2 }, 0 },
  { "alone: 3 ms of something else in 40", { 40 * MS, 3 * MS, 1, 1850, 2000 }, 0 },
  { "a helper that ran once and then not", { 4 * MS, 3 * MS, 1, 50, 50 }, 3 * MS - 20 * US },
  { "a helper that comes late and does nothing", { 60 * MS, 10 * MS, 1, 2500, 3 }, 10 * MS - 20 * US },
  { "a helper that runs half of the time", { 12 * MS, 6 * MS, 2, 300, 300 }, 6 * MS - 40 * US },
  { "the caller has waited for all of the time", { 5 * MS, 5 * MS, 1, 1, 1 }, 5 * MS },
  { "the caller's clock is behind its waits", { 5 * MS, 5 * MS + 1, 1, 1, 1 }, 5 * MS + 1 },
  { "no piece of its own so far", { 5 * MS, 4 * MS, 1, 0, 3 }, 3 * MS },
  { "a helper that does not get to run", { 8 * MS, 0, 0, 61, 2 }, 1 * MS },
  { "alone: a helper that wakes up at the end", { 300 * US, 0, 0, 15, 0 }, 0 },
  { "alone: few pieces", { 3 * MS, 0, 0, 7, 0 }, 0 },
  { "alone: a helper that comes half way", { 2 * MS, 0, 0, 100, 50 }, 0 },
  { "64 threads, one of them late for a while", { 8 * MS, 3 * MS, 1, 250, 15000 }, 3 * MS - 20 * US },
  { "64 threads, one of them late for a moment", { 8 * MS, 1 * MS, 1, 350, 22000 }, 0 },
};

static void test_lost(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const uint64_t lost_ns = scan_host_pace_lost(&rows[i].sample);
    if (lost_ns != rows[i].lost_ns)
      test_fail("%s: lost %llu ns, not %llu", rows[i].what, (unsigned long long)lost_ns,
                (unsigned long long)rows[i].lost_ns);
    test_ran();
  }
}

/* ---- consequences of a loss ---- */

static void test_one_loss_of_two_threads(void **state) {
  host_pace pace;
  (void)state;
  scan_host_pace_open(&pace, 2);
  assert_int_equal(pace.threads, 2);
  scan_host_pace_slow(&pace, 3 * MS);
  assert_int_equal(pace.threads, 1);
  assert_int_equal(scan_host_pace_run(&pace, 47 * MS), 0);
  assert_int_equal(pace.threads, 1);
  assert_int_equal(scan_host_pace_run(&pace, 1 * MS), 1);
  assert_int_equal(pace.threads, 2);
  assert_int_equal(scan_host_pace_run(&pace, 100 * MS), 0);
  assert_int_equal(pace.threads, 2);
}

/* Beside programs that never end each try costs 12 ms, a small part of the time. */
static void test_tries_are_rare(void **state) {
  host_pace pace;
  uint64_t lost_ns = 0, running_ns = 0;
  (void)state;
  scan_host_pace_open(&pace, 2);
  while (running_ns < (uint64_t)10000 * MS) {
    if (pace.threads == 2) {
      scan_host_pace_slow(&pace, 12 * MS);
      lost_ns += 12 * MS;
    }
    running_ns += 250 * US;
    (void)scan_host_pace_run(&pace, 250 * US);
  }
  assert_true(lost_ns >= running_ns / 200);
  assert_true(lost_ns <= running_ns / 100 + 4 * 12 * MS);
}

/* A loss that the other threads made up for before costs less than one after failures. */
static void test_gains_are_remembered(void **state) {
  const host_pace_sample half = { 4 * MS, 0, 0, 50, 50 };
  host_pace pace;
  (void)state;
  scan_host_pace_open(&pace, 2);
  for (int i = 0; i < 5; i++) {
    scan_host_pace_slow(&pace, 1 * MS);
    while (pace.threads == 1) (void)scan_host_pace_run(&pace, 1 * MS);
  }
  scan_host_pace_slow(&pace, 1 * MS);
  assert_int_equal(scan_host_pace_run(&pace, 127 * MS), 0);
  assert_int_equal(scan_host_pace_run(&pace, 1 * MS), 1);
  assert_int_equal(scan_host_pace_gained(&half), 4 * MS);
  pace.gained_ns += scan_host_pace_gained(&half);
  scan_host_pace_slow(&pace, 1 * MS);
  assert_int_equal(scan_host_pace_run(&pace, 1 * MS), 0);
  assert_int_equal(scan_host_pace_run(&pace, 1 * MS), 1);
  scan_host_pace_slow(&pace, 1 * MS); /* gains count once */
  assert_int_equal(scan_host_pace_run(&pace, 1 * MS), 0);
  scan_host_pace_run(&pace, 1 * MS);
  scan_host_pace_slow(&pace, 1 * MS);
  assert_int_equal(scan_host_pace_run(&pace, 3 * MS), 0);
  assert_int_equal(scan_host_pace_run(&pace, 1 * MS), 1);
}

/* The number of threads drops step by step to those that run, and rises again when the machine is quiet. */
static void test_many_threads(void **state) {
  host_pace pace;
  unsigned losses = 1, ms = 0;
  (void)state;
  scan_host_pace_open(&pace, 64);
  scan_host_pace_slow(&pace, 3 * MS);
  assert_int_equal(pace.threads, 48);
  for (; pace.threads > 1; losses++) {
    const unsigned before = pace.threads;
    scan_host_pace_slow(&pace, 3 * MS);
    assert_true(pace.threads < before);
  }
  assert_in_range(losses, 4, 16);
  for (; pace.threads < 64; ms++) (void)scan_host_pace_run(&pace, 1 * MS);
  assert_in_range(ms, 3 * 16 + (losses - 1) * 3 * 32, 3 * 16 + (losses - 1) * 3 * 32 + 20);
}

/* A debt is bounded, and decreases while there is no work. */
static void test_debt_ends(void **state) {
  host_pace pace;
  (void)state;
  scan_host_pace_open(&pace, 2);
  for (int i = 0; i < 100; i++) scan_host_pace_slow(&pace, (uint64_t)1000 * MS);
  assert_int_equal(scan_host_pace_run(&pace, (uint64_t)1999 * MS), 0);
  assert_int_equal(scan_host_pace_run(&pace, 1 * MS), 1);
  scan_host_pace_slow(&pace, 10 * MS);
  scan_host_pace_idle(&pace, 80 * MS);
  assert_int_equal(scan_host_pace_run(&pace, 309 * MS), 0);
  scan_host_pace_idle(&pace, (uint64_t)100000 * MS);
  assert_int_equal(pace.threads, 1);
  assert_int_equal(scan_host_pace_run(&pace, 1), 1);
  assert_int_equal(pace.threads, 2);
}

static void test_one_processor(void **state) {
  host_pace pace;
  (void)state;
  scan_host_pace_open(&pace, 1);
  scan_host_pace_slow(&pace, 3 * MS);
  assert_int_equal(pace.threads, 1);
  assert_int_equal(scan_host_pace_run(&pace, 1000 * MS), 0);
  assert_int_equal(pace.threads, 1);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_lost),           TEST(test_one_loss_of_two_threads),
                                      TEST(test_tries_are_rare), TEST(test_gains_are_remembered),
                                      TEST(test_many_threads),   TEST(test_debt_ends),
                                      TEST(test_one_processor) };
  return test_exit(cmocka_run_group_tests_name("unit.pace", tests, NULL, NULL));
}
