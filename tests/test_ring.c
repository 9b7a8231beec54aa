/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the pipelined scan with few work-groups, so that each uses its stages and slots many times; aligned and
 * shifted. For compute-sanitizer's racecheck, this program's kernels are built with SCAN_TEST_LANES_ARRIVE
 * (kernels_cu/scan/pipelined.cuh), which makes visible to it what orders a stage's readers before its next writers. */
#include "lookback_state.h"
#include "hooked.h"

enum { ITEMS = 500003 };

static void check(scan_type input_type, scan_type type, uint64_t in_shift, uint64_t out_shift) {
  scan_spec spec = hooked_sum(type, SCAN_STRATEGY_PIPELINED);
  spec.input_type = input_type;
  spec.kind = SCAN_EXCLUSIVE;
  struct fixture b = fixture_open(hooked_open(NULL), &spec, ITEMS + 16);
  const scan_mem in = b.in, out = b.out;
  b.in = scan_offset(in, in_shift * scan_type_bytes(input_type));
  b.out = scan_offset(out, out_shift * scan_type_bytes(type));
  /* a shifted input is read from the multiple of 16 bytes before it */
  test_ok(b.ctx, scan_write(b.ctx, in, fixture_values(), 16 * scan_type_bytes(type)), "scan_write");
  for (int again = 0; again < 2; again++) fixture_check(&b, ITEMS, 0);
  b.in = in;
  b.out = out;
  fixture_close(&b);
  hooked_close(b.ctx);
}

static void test_f32(void **state) {
  (void)state;
  check(SCAN_F32, SCAN_F32, 0, 0);
  check(SCAN_F32, SCAN_F32, 1, 3);
  test_ran();
}

static void test_u8_to_u64(void **state) {
  (void)state;
  check(SCAN_U8, SCAN_U64, 0, 0);
  check(SCAN_U8, SCAN_U64, 15, 1);
  test_ran();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_f32),
    cmocka_unit_test(test_u8_to_u64),
  };
  (void)test_device_open();
  if (test_info()->backend != SCAN_BACKEND_CUDA) test_skip_program("%s is not CUDA's", test_selector());
  return test_exit(cmocka_run_group_tests_name("ring", tests, NULL, NULL));
}
