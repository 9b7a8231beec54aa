/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests $SCANRT_TUNE: its effect on each class of device, and refusals. */
#include "support.h"
#include "device/tuning.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES = SCAN_CLASS_CUDA_90 + 1 };

static scan_tuning tuned(const char *text, scan_device_class device_class) {
  assert_int_equal(text ? setenv("SCANRT_TUNE", text, 1) : unsetenv("SCANRT_TUNE"), 0);
  const scan_tuning tuning = scan_tuning_from(device_class, getenv("SCANRT_TUNE"));
  assert_int_equal(unsetenv("SCANRT_TUNE"), 0);
  return tuning;
}

static scan_status check_text(const char *text, scan_error *error) {
  error->text[0] = '\0';
  assert_int_equal(setenv("SCANRT_TUNE", text, 1), 0);
  const scan_status status = scan_tuning_check(error);
  assert_int_equal(unsetenv("SCANRT_TUNE"), 0);
  return status;
}

static int same(scan_tuning a, scan_tuning b) {
  return a.group_items == b.group_items && a.exchange == b.exchange && a.ptx == b.ptx && a.sub_group == b.sub_group &&
         a.groups_per_unit == b.groups_per_unit && a.most_groups == b.most_groups && a.stages == b.stages &&
         a.image == b.image && a.descriptors == b.descriptors && a.pipelined_bytes == b.pipelined_bytes &&
         a.shifted_items == b.shifted_items && a.one_group_items == b.one_group_items &&
         a.one_thread_bytes == b.one_thread_bytes && a.parts_bytes == b.parts_bytes &&
         a.register_bytes == b.register_bytes && a.build_threads == b.build_threads;
}

/* Fails unless the text is accepted. */
static void expect_accepted(const char *text) {
  scan_error error;
  if (check_text(text, &error) != SCAN_SUCCESS) test_fail("'%s' is refused: %s", text, error.text);
}

/* Fails unless the text is refused and changes nothing. */
static void expect_refused(const char *text) {
  scan_error error;
  const scan_status status = check_text(text, &error);
  if (status != SCAN_INVALID_ARGUMENT) test_fail("'%s' gives %s", text, scan_status_name(status));
  if (strstr(error.text, text) == NULL || strstr(error.text, "SCANRT_TUNE") == NULL)
    test_fail("'%s' is not named in: %s", text, error.text);
  for (int c = 0; c < CLASSES; c++)
    if (!same(tuned(text, (scan_device_class)c), tuned(NULL, (scan_device_class)c)))
      test_fail("'%s' changes the tuning of class %d", text, c);
}

static void test_all_overrides(void **state) {
  (void)state;
  static const char all[] = "shifted_items=7,pipelined_bytes=18446744073709551615,image=80,stages=5,most_groups=3,"
                            "groups_per_unit=64,descriptors=32,group_items=1,exchange=2,ptx=0,sub_group=64,one_thread_"
                            "bytes=9,parts_bytes=8,register_bytes=16,one_group_items=77,build_threads=3";
  expect_accepted(all);
  const scan_tuning gpu = tuned(all, SCAN_CLASS_GPU), cuda = tuned(all, SCAN_CLASS_CUDA_90);
  assert_int_equal(gpu.group_items, 1);
  assert_int_equal(gpu.exchange, SCAN_EXCHANGE_SUB_GROUP);
  assert_int_equal(gpu.ptx, 0);
  assert_int_equal(gpu.sub_group, 64);
  assert_int_equal(gpu.stages, 0); /* no ring on this device */
  assert_int_equal(gpu.image, 0);
  assert_int_equal(gpu.descriptors, 32);
  assert_int_equal(cuda.descriptors, 64);               /* compiled in */
  assert_int_equal(cuda.group_items, TUNE_GROUP_ITEMS); /* compiled in */
  assert_int_equal(cuda.exchange, SCAN_EXCHANGE_PTX);
  assert_int_equal(cuda.ptx, 0);
  assert_int_equal(cuda.sub_group, 0);
  assert_int_equal(cuda.groups_per_unit, 64);
  assert_int_equal(cuda.most_groups, 3);
  assert_int_equal(cuda.stages, 5);
  assert_int_equal(cuda.image, 80);
  assert_true(cuda.pipelined_bytes == UINT64_MAX);
  assert_int_equal(cuda.shifted_items, 7);
  assert_int_equal(tuned(all, SCAN_CLASS_HOST).one_thread_bytes, 9);
  assert_int_equal(tuned(all, SCAN_CLASS_HOST).parts_bytes, 8);
  assert_int_equal(tuned(all, SCAN_CLASS_HOST).register_bytes, 16);
  assert_int_equal(tuned(all, SCAN_CLASS_CPU).one_group_items, 77);
  assert_int_equal(tuned(all, SCAN_CLASS_CPU).build_threads, 3);
  assert_int_equal(tuned("stages=4,stages=8", SCAN_CLASS_CUDA_80).stages, 8);
}

static void test_overrides_that_may_not_be(void **state) {
  (void)state;
  static const uint32_t images[CLASSES] = { [SCAN_CLASS_CUDA_80] = 80, [SCAN_CLASS_CUDA_90] = 90 };
  for (int c = 0; c < CLASSES; c++) {
    const scan_device_class device_class = (scan_device_class)c;
    const scan_tuning best = tuned(NULL, device_class);
    const int is_free = device_class == SCAN_CLASS_CPU || device_class == SCAN_CLASS_GPU;
    const uint32_t wanted_items[] = { 1, 256 };
    static const char *const texts[] = { "group_items=1", "group_items=256" };
    assert_int_equal(best.image, images[c]);
    assert_int_equal(tuned("image=90", device_class).image, images[c]); /* never newer than the device */
    assert_int_equal(tuned("image=80", device_class).image, images[c] < 80 ? images[c] : 80);
    assert_int_equal(tuned("stages=7", device_class).stages, best.stages ? 7 : 0);
    assert_int_equal(best.stages, images[c] ? TUNE_PIPE_STAGES : 0);
    assert_int_equal(tuned("descriptors=64", device_class).descriptors, best.descriptors);
    assert_int_equal(tuned("descriptors=32", device_class).descriptors, is_free ? 32 : best.descriptors);
    for (int i = 0; i < 2; i++)
      assert_int_equal(tuned(texts[i], device_class).group_items, is_free ? wanted_items[i] : best.group_items);
    assert_int_equal(tuned("exchange=0", device_class).exchange, is_free ? SCAN_EXCHANGE_LOCAL : best.exchange);
    assert_int_equal(tuned("exchange=2", device_class).exchange, is_free ? SCAN_EXCHANGE_SUB_GROUP : best.exchange);
  }
}

static void test_nothing_is_tuned(void **state) {
  (void)state;
  scan_error error;
  assert_int_equal(unsetenv("SCANRT_TUNE"), 0);
  assert_int_equal(scan_tuning_check(&error), SCAN_SUCCESS);
  expect_accepted("");
  for (int c = 0; c < CLASSES; c++)
    assert_true(same(tuned("", (scan_device_class)c), tuned(NULL, (scan_device_class)c)));
}

static void test_bounds(void **state) {
  (void)state;
  static const char *const accepted[] = { "exchange=0",
                                          "exchange=2",
                                          "ptx=0",
                                          "ptx=1",
                                          "sub_group=32",
                                          "sub_group=64",
                                          "group_items=1",
                                          "groups_per_unit=1",
                                          "groups_per_unit=64",
                                          "most_groups=0",
                                          "most_groups=4294967295",
                                          "stages=3",
                                          "stages=8",
                                          "image=80",
                                          "image=90",
                                          "shifted_items=0",
                                          "pipelined_bytes=0",
                                          "stages=07",
                                          "descriptors=32",
                                          "descriptors=64" };
  static const char *const refused[] = { "group_items=0",
                                         "group_items=2",
                                         "group_items=128",
                                         "group_items=255",
                                         "group_items=512",
                                         "exchange=3",
                                         "exchange=-1",
                                         "ptx=2",
                                         "sub_group=16",
                                         "sub_group=48",
                                         "sub_group=128",
                                         "groups_per_unit=0",
                                         "groups_per_unit=65",
                                         "most_groups=4294967296",
                                         "stages=2",
                                         "stages=9",
                                         "image=79",
                                         "image=91",
                                         "descriptors=16",
                                         "descriptors=33",
                                         "descriptors=65",
                                         "stages=18446744073709551620",
                                         "pipelined_bytes=18446744073709551616",
                                         "shifted_items=99999999999999999999" };
  for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) expect_accepted(accepted[i]);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) expect_refused(refused[i]);
}

static void test_words_that_cannot_be_read(void **state) {
  (void)state;
  static const char *const texts[] = { "stage=4",
                                       "STAGES=4",
                                       "stagess=4",
                                       "nonsense",
                                       "stages",
                                       "stages=",
                                       "stages=x",
                                       "stages=4x",
                                       "stages=-4",
                                       "stages=+4",
                                       "stages= 4",
                                       " stages=4",
                                       "stages=4 ",
                                       "stages=4,",
                                       ",stages=4",
                                       ",",
                                       "=4",
                                       "stages=4,,image=80",
                                       "stages=4.0",
                                       "stages=0x4",
                                       "stages:4",
                                       "stages=4;image=80",
                                       "most_groups=1,oops=2" };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) expect_refused(texts[i]);
}

/* An invalid variable has no effect, not even its valid part, and no context is opened. */
static void test_refusals_reach_the_caller(void **state) {
  (void)state;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  options.device = "host";
  assert_int_equal(setenv("SCANRT_TUNE", "most_groups=1,oops=2", 1), 0);
  const scan_status status = scan_ctx_create(&options, &ctx);
  assert_int_equal(unsetenv("SCANRT_TUNE"), 0);
  assert_int_equal(status, SCAN_INVALID_ARGUMENT);
  assert_null(ctx);
  assert_non_null(strstr(scan_last_error(NULL), "SCANRT_TUNE is 'most_groups=1,oops=2'"));
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_all_overrides), TEST(test_overrides_that_may_not_be), TEST(test_nothing_is_tuned),
    TEST(test_bounds),        TEST(test_words_that_cannot_be_read), TEST(test_refusals_reach_the_caller),
  };
  unsetenv("SCANRT_TUNE");
  return test_exit(cmocka_run_group_tests_name("unit.overrides", tests, NULL, NULL));
}
