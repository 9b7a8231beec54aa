/* SPDX-License-Identifier: BSD-2-Clause */
/* Sweeps of faults over all that the library does on one device; see sweep/sweep.h. */
#include "support.h"
#include "sweep/drivers.h"
#include "sweep/libc.h"
#include "sweep/sweep.h"

static sweep_kind allocations = { .name = "allocation", .plan = &libc_memory, .status = SCAN_OUT_OF_MEMORY };
static sweep_kind threads = { .name = "thread", .plan = &libc_threads };
static sweep_kind files = { .name = "file call", .plan = &libc_files };
static sweep_kind compiler = { .name = "NVRTC call", .is_named = 1 };
static sweep_kind calls = { .name = "driver call", .is_named = 1 };

static void sweep(int (*through)(const sweep_kind *), const sweep_kind *kind) {
  if (kind->plan == NULL) return;
  const int complaints = through(kind);
  if (complaints > 0) test_fail("%d complaints", complaints);
  test_ran();
}

/* Runs before anything else has used the library in this process. */
static void test_first_use(void **state) {
  (void)state;
  sweep(sweep_first_use, &allocations);
  sweep(sweep_first_use, &files);
  sweep(sweep_first_use, &calls);
}

static void test_driver_calls(void **state) {
  (void)state;
  sweep(sweep_through, &calls);
}

static void test_compiler(void **state) {
  (void)state;
  sweep(sweep_through, &compiler);
}

static void test_allocations(void **state) {
  (void)state;
  sweep(sweep_through, &allocations);
}

static void test_threads(void **state) {
  (void)state;
  sweep(sweep_through, &threads);
}

static void test_files(void **state) {
  (void)state;
  sweep(sweep_through, &files);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_first_use),   cmocka_unit_test(test_driver_calls), cmocka_unit_test(test_compiler),
    cmocka_unit_test(test_allocations), cmocka_unit_test(test_threads),      cmocka_unit_test(test_files),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  sweep_drivers_open();
  calls.plan = sweep_driver_plan();
  compiler.plan = sweep_nvrtc_plan();
  return test_exit(cmocka_run_group_tests_name("sweep", tests, NULL, NULL));
}
