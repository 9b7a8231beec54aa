/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests kernels that wait for each other, with small inputs, under many random schedules of the emulation, one after
 * another on the same workspaces. Schedule k is the seed for the order of lanes and copies, the number of concurrent
 * blocks, and the input. $SCANRT_TEST_CASES: number of schedules; $SCANRT_TEST_FIRST: the first one. */
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reference.h"
#include "support.h"
#include "values.h"

enum { MOST_BYTES = 1 << 20, MARGIN = 64, POISON = 0xa5, MOST_RESIDENT = 8, CASES_AT_LEAST = 600 };

/* An operation with its plan. */
struct scenario {
  const char *name;
  uint64_t n;
  scan_type type;
  scan_strategy strategy; /* for a scan */
  int in_place;
  unsigned share; /* of the schedules: more for quicker operations */
  void (*plan)(struct scenario *s);
  /* Makes `in` and `want`, and runs the plan. Returns the bytes of output. */
  size_t (*run)(struct scenario *s);
  scan_plan *made;
  uint64_t runs;
  clock_t time;
};

static struct {
  struct rng rng;
  unsigned char *in, *want, *got, *marks;
  scan_mem in_mem, out_mem, marks_mem, count_mem;
  uint64_t schedule;
  unsigned resident;
} fixture;

static scan_mem from(void) { return scan_offset(fixture.in_mem, MARGIN); }
static scan_mem to(const struct scenario *s) { return s->in_place ? from() : scan_offset(fixture.out_mem, MARGIN); }

static void write_input(const struct scenario *s, size_t bytes) {
  test_ok(test_ctx(), scan_write(test_ctx(), from(), fixture.in, bytes), "scan_write");
  if (s->in_place) return;
  memset(fixture.got, POISON, bytes + 2 * MARGIN);
  test_ok(test_ctx(), scan_write(test_ctx(), fixture.out_mem, fixture.got, bytes + 2 * MARGIN), "scan_write");
}

/* ---- scans ---- */

static void scan_made(struct scenario *s) {
  scan_spec spec = SCAN_SPEC_INIT(s->type, s->type == SCAN_U8 ? SCAN_MAX : SCAN_ADD, SCAN_INCLUSIVE);
  spec.strategy = s->strategy;
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, s->n, &s->made), "scan_plan_create");
}

static size_t scan_done(struct scenario *s) {
  const size_t bytes = (size_t)s->n * reference_bytes(s->type);
  scan_spec spec = SCAN_SPEC_INIT(s->type, s->type == SCAN_U8 ? SCAN_MAX : SCAN_ADD, SCAN_INCLUSIVE);
  spec.strategy = s->strategy;
  values_fill(&fixture.rng, s->type, spec.op, s->n, s->n, fixture.in);
  reference_scan(&spec, s->n, fixture.in, fixture.want);
  write_input(s, bytes);
  test_ok(test_ctx(), scan_plan_run(s->made, s->n, from(), to(s)), "scan_plan_run");
  return bytes;
}

/* ---- compaction ---- */

static scan_select_spec select_spec(const struct scenario *s) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(uint32_t));
  spec.in_place = (uint32_t)s->in_place;
  return spec;
}

static void select_made(struct scenario *s) {
  const scan_select_spec spec = select_spec(s);
  test_ok(test_ctx(), scan_plan_create_select(test_ctx(), &spec, s->n, &s->made), "scan_plan_create_select");
}

static size_t select_done(struct scenario *s) {
  scan_select_args args = SCAN_SELECT_ARGS_INIT(fixture.marks_mem, from(), to(s), fixture.count_mem);
  const uint64_t percent = rng_below(&fixture.rng, 101);
  uint64_t kept = 0, count = 0;
  for (uint64_t i = 0; i < s->n; i++) {
    const uint32_t x = (uint32_t)rng_next(&fixture.rng);
    memcpy(fixture.in + i * sizeof x, &x, sizeof x);
    fixture.marks[i] = rng_below(&fixture.rng, 100) < percent;
    if (fixture.marks[i]) memcpy(fixture.want + kept++ * sizeof x, &x, sizeof x);
  }
  write_input(s, (size_t)s->n * sizeof(uint32_t));
  test_ok(test_ctx(), scan_write(test_ctx(), fixture.marks_mem, fixture.marks, s->n), "scan_write");
  test_ok(test_ctx(), scan_plan_run_select(s->made, s->n, &args), "scan_plan_run_select");
  test_ok(test_ctx(), scan_read(test_ctx(), fixture.count_mem, &count, sizeof count), "scan_read");
  if (count != kept) test_fail("%llu are kept, not %llu", (unsigned long long)count, (unsigned long long)kept);
  return (size_t)kept * sizeof(uint32_t);
}

/* ---- sorts by one digit, in one pass ---- */

static scan_sort_spec sort_spec(void) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  spec.end_bit = 8;
  return spec;
}

static void sort_made(struct scenario *s) {
  const scan_sort_spec spec = sort_spec();
  test_ok(test_ctx(), scan_plan_create_sort(test_ctx(), &spec, s->n, &s->made), "scan_plan_create_sort");
}

static size_t sort_done(struct scenario *s) {
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(from(), to(s));
  size_t place[257] = { 0 };
  for (size_t i = 0; i < s->n; i++) {
    const uint32_t x = (uint32_t)rng_next(&fixture.rng);
    memcpy(fixture.in + i * sizeof x, &x, sizeof x);
    place[(x & 255u) + 1]++;
  }
  for (int d = 0; d < 256; d++) place[d + 1] += place[d];
  for (size_t i = 0; i < s->n; i++) {
    uint32_t x;
    memcpy(&x, fixture.in + i * sizeof x, sizeof x);
    memcpy(fixture.want + place[x & 255u]++ * sizeof x, &x, sizeof x);
  }
  write_input(s, (size_t)s->n * sizeof(uint32_t));
  test_ok(test_ctx(), scan_plan_run_sort(s->made, s->n, &args), "scan_plan_run_sort");
  return (size_t)s->n * sizeof(uint32_t);
}

/* ---- schedules ---- */

#define SCENARIO(NAME, N, TYPE, STRATEGY, IN_PLACE, SHARE, KIND)                                                       \
  {                                                                                                                    \
    .name = NAME, .n = N, .type = TYPE, .strategy = SCAN_STRATEGY_##STRATEGY, .in_place = IN_PLACE, .share = SHARE,    \
    .plan = KIND##_made, .run = KIND##_done                                                                            \
  }
/* Above 32 KiB tiles have 4 KiB, above 512 KiB 32 KiB. Shares are chosen so that no scenario takes most of the time. */
static struct scenario scenarios[] = {
  SCENARIO("lookback, float", 9 * 1024 + 5, SCAN_F32, LOOKBACK, 0, 160, scan),
  SCENARIO("lookback, bytes, in place", 10 * 4096 + 3, SCAN_U8, LOOKBACK, 1, 80, scan),
  SCENARIO("pipelined, float", 16 * 8192 + 7, SCAN_F32, PIPELINED, 0, 10, scan),
  SCENARIO("compaction", 2 * 8192 + 9, SCAN_U32, AUTO, 0, 40, select),
  SCENARIO("compaction in place", 2 * 8192 + 9, SCAN_U32, AUTO, 1, 40, select),
  SCENARIO("sort by a digit", 8192 + 11, SCAN_U32, AUTO, 0, 2, sort),
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

static void set_number(const char *name, uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  setenv(name, text, 1);
}

/* Derives everything from the schedule's number, so that a schedule can be repeated. */
static void take_schedule(uint64_t schedule) {
  fixture.schedule = schedule;
  fixture.rng.state = schedule * UINT64_C(0x9e3779b97f4a7c15);
  fixture.resident = 1 + (unsigned)rng_below(&fixture.rng, MOST_RESIDENT);
  set_number("EMULATED_CUDA_ORDER", schedule);
  set_number("EMULATED_CUDA_RESIDENT", fixture.resident);
}

static void check_output(const struct scenario *s, size_t want) {
  const size_t around = s->in_place ? 0 : MARGIN; /* poisoned before the run */
  test_ok(test_ctx(), scan_read(test_ctx(), s->in_place ? from() : fixture.out_mem, fixture.got, want + 2 * around),
          "scan_read");
  int is_wrong = memcmp(fixture.got + around, fixture.want, want) != 0;
  for (size_t i = 0; i < around; i++) is_wrong |= fixture.got[i] != POISON || fixture.got[around + want + i] != POISON;
  if (is_wrong)
    test_fail("%s: schedule %llu: wrong output (SCANRT_TEST_FIRST=%llu SCANRT_TEST_CASES=1)", s->name,
              (unsigned long long)fixture.schedule, (unsigned long long)fixture.schedule);
}

static struct scenario *some_scenario(void) {
  unsigned all = 0;
  for (int i = 0; i < SCENARIOS; i++) all += scenarios[i].share;
  unsigned at = (unsigned)rng_below(&fixture.rng, all);
  for (int i = 0;; i++) {
    if (at < scenarios[i].share) return &scenarios[i];
    at -= scenarios[i].share;
  }
}

static uint64_t number_of(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void test_schedules(void **state) {
  const uint64_t first = number_of("SCANRT_TEST_FIRST", 0), count = number_of("SCANRT_TEST_CASES", CASES_AT_LEAST);
  struct timespec begin, end;
  (void)state;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (uint64_t k = first; k < first + count; k++) {
    take_schedule(k);
    struct scenario *s = some_scenario();
    const clock_t start = clock();
    check_output(s, s->run(s));
    s->time += clock() - start;
    s->runs++;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  const double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  for (int i = 0; i < SCENARIOS; i++)
    print_message("%s: %llu schedules, %.1f ms of processor time each\n", scenarios[i].name,
                  (unsigned long long)scenarios[i].runs,
                  1e3 * (double)scenarios[i].time / CLOCKS_PER_SEC / (double)(scenarios[i].runs + !scenarios[i].runs));
  print_message("%llu schedules, from %llu, in %.0f s: %.0f a second\n", (unsigned long long)count,
                (unsigned long long)first, seconds, (double)count / seconds);
  test_ran();
}

static void open_fixture(void) {
  unsigned char **const mine[] = { &fixture.in, &fixture.want, &fixture.got, &fixture.marks };
  scan_mem *const device[] = { &fixture.in_mem, &fixture.out_mem, &fixture.marks_mem, &fixture.count_mem };
  scan_ctx *ctx = test_device_open();
  for (int i = 0; i < 4; i++) {
    *mine[i] = reference_alloc(MOST_BYTES);
    test_ok(ctx, scan_alloc(ctx, MOST_BYTES, device[i]), "scan_alloc");
  }
  for (int i = 0; i < SCENARIOS; i++) scenarios[i].plan(&scenarios[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_schedules) };
  open_fixture();
  const int failed = cmocka_run_group_tests_name("schedules", tests, NULL, NULL);
  for (int i = 0; i < SCENARIOS; i++) scan_plan_destroy(scenarios[i].made);
  return test_exit(failed);
}
