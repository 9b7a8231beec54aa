/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the tuning without a device: when AUTO chooses the pipelined scan, its ring and warps, grids, and tiles of the
 * strategy block. */
#include "base/canonical.h"
#include "kernels_cl/scan/total.h"
#include "strategy/strategy.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

/* The bytes that backend_cuda.c subtracts from a work-group's limit. */
enum { KERNEL_LOCAL_BYTES = 1792 };

/* ---- recorded devices ---- */

static scan_caps nvidia(scan_device_class device_class, uint32_t compute_units, uint32_t local_bytes) {
  return (scan_caps){ .info = { .backend = SCAN_BACKEND_CUDA,
                                .selector = "cuda:0",
                                .compute_units = compute_units,
                                .max_group_items = 1024,
                                .has_fp64 = 1,
                                .has_int64_atomics = 1,
                                .has_shuffles = 1,
                                .has_fair_progress = 1 },
                      .tuning = scan_tuning_from(device_class, getenv("SCANRT_TUNE")),
                      .dynamic_local_bytes = local_bytes };
}

static scan_caps h200(void) { return nvidia(SCAN_CLASS_CUDA_90, 132, 232448 - KERNEL_LOCAL_BYTES); }
static scan_caps a100(void) { return nvidia(SCAN_CLASS_CUDA_80, 108, 166912 - KERNEL_LOCAL_BYTES); }
static scan_caps geforce_3090(void) {
  scan_caps caps = nvidia(SCAN_CLASS_CUDA_80, 82, 101376 - KERNEL_LOCAL_BYTES);
  caps.tuning.image = TUNE_SMALL_IMAGE(caps.tuning.image);
  return caps;
}
static scan_caps turing(void) { return nvidia(SCAN_CLASS_CUDA_75, 40, 0); }

static scan_caps opencl(scan_device_class device_class) {
  return (scan_caps){ .info = { .backend = SCAN_BACKEND_OPENCL,
                                .selector = "opencl:0",
                                .compute_units = 16,
                                .max_group_items = 1024,
                                .is_cpu = device_class == SCAN_CLASS_CPU,
                                .has_fp64 = 1,
                                .has_int64_atomics = 1,
                                .has_fair_progress = 1 },
                      .tuning = scan_tuning_from(device_class, getenv("SCANRT_TUNE")) };
}

static scan_problem widening_sum(scan_type input_type, scan_type type) {
  return (scan_problem){ .input_type = input_type, .type = type, .op = SCAN_ADD, .kind = SCAN_INCLUSIVE };
}

static scan_problem sum_of(scan_type type) { return widening_sum(type, type); }

static scan_schedule schedule_of(const scan_strategy_ops *strategy, const scan_caps *caps, const scan_problem *problem,
                                 uint64_t n) {
  scan_schedule s;
  memset(&s, 0x5a, sizeof s);
  strategy->schedule(caps, problem, n, &s);
  return s;
}

/* ---- AUTO ---- */

static void check_choice(const scan_caps *caps, scan_type type, int misaligned, uint64_t n, scan_strategy strategy) {
  scan_problem problem = sum_of(type);
  const char *reason = "";
  problem.placement.misaligned = (uint32_t)misaligned;
  const scan_strategy_ops *chosen = scan_strategy_choose(caps, &problem, n, &reason);
  if (chosen->id != strategy)
    test_fail("%s%s, n=%" PRIu64 ": %s (%s)", scan_type_name(type), misaligned ? " misaligned" : "", n,
              scan_strategy_name(chosen->id), reason);
  if (strategy == SCAN_STRATEGY_PIPELINED) assert_non_null(strstr(reason, "one pass over the data"));
  assert_true(strlen(reason) < sizeof((scan_plan_facts *)NULL)->reason);
}

/* Checks that AUTO chooses look-back up to n, and the pipelined scan above. */
static void check_bound(const scan_caps *caps, scan_type type, int misaligned, uint64_t n) {
  check_choice(caps, type, misaligned, n - 1, SCAN_STRATEGY_LOOKBACK);
  check_choice(caps, type, misaligned, n, SCAN_STRATEGY_LOOKBACK);
  check_choice(caps, type, misaligned, n + 1, SCAN_STRATEGY_PIPELINED);
  check_choice(caps, type, misaligned, UINT64_C(1) << 36, SCAN_STRATEGY_PIPELINED);
}

static void test_pipelined_where_it_is_faster(void **state) {
  (void)state;
  const scan_caps devices[] = { h200(), a100(), geforce_3090() };
  for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
    const uint64_t aligned = devices[d].tuning.pipelined_bytes, shifted = devices[d].tuning.shifted_items;
    assert_true(shifted >= 256 * KIB && shifted < aligned && aligned < 1024 * MIB);
    for (int type = SCAN_I8; type <= SCAN_F64; type++) {
      const uint64_t bytes = scan_type_bytes((scan_type)type);
      check_bound(&devices[d], (scan_type)type, 0, aligned / bytes);
      check_bound(&devices[d], (scan_type)type, 1, shifted);
      check_choice(&devices[d], (scan_type)type, 1, 32 * KIB / bytes, SCAN_STRATEGY_BLOCK);
      check_choice(&devices[d], (scan_type)type, 0, 32 * KIB / bytes + 1, SCAN_STRATEGY_LOOKBACK);
    }
  }
}

/* Checks that look-back takes up to `most` elements, and the pipelined scan more. */
static void check_most(const scan_caps *caps, const scan_problem *problem, uint64_t most) {
  const char *reason;
  assert_int_equal(scan_strategy_choose(caps, problem, most, &reason)->id, SCAN_STRATEGY_LOOKBACK);
  assert_int_equal(scan_strategy_choose(caps, problem, most + 1, &reason)->id, SCAN_STRATEGY_PIPELINED);
}

/* The bound is in bytes of output for any input type, or in elements if a buffer is shifted. */
static void test_pipelined_widens(void **state) {
  (void)state;
  const scan_caps device = h200();
  scan_problem problem = widening_sum(SCAN_U8, SCAN_U32);
  for (uint32_t misaligned = 0; misaligned < 2; misaligned++) {
    const uint64_t most = misaligned ? device.tuning.shifted_items : device.tuning.pipelined_bytes / 4;
    problem.placement.misaligned = misaligned;
    check_most(&device, &problem, most);
  }
}

/* Totals that do not widen are pipelined from fewer bytes on. */
static void test_pipelined_totals(void **state) {
  (void)state;
  const scan_caps device = h200();
  for (uint32_t widens = 0; widens < 2; widens++) {
    scan_problem problem = widening_sum(widens ? SCAN_U8 : SCAN_U32, SCAN_U32);
    problem.kind = SCAN_TOTAL;
    const uint64_t most = device.tuning.pipelined_bytes / (widens ? 1 : TOTAL_SHARE) / 4;
    check_most(&device, &problem, most);
  }
}

/* Segments are pipelined too, wherever their marks begin; shifted elements of 4 bytes from half of the bytes on. */
static void test_pipelined_segments(void **state) {
  (void)state;
  const scan_caps device = h200();
  const scan_source source = { .bytes = 4, .align = 4, .input_bytes = 4, .output_bytes = 4 };
  scan_problem problem = { .source = &source, .kind = SCAN_INCLUSIVE };
  const uint64_t most = device.tuning.pipelined_bytes / 4;
  for (uint32_t kind = SCAN_SEGMENTS_FLAGS; kind <= SCAN_SEGMENTS_OFFSETS; kind++) {
    problem.segments = (scan_marks){ .kind = kind, .key_type = SCAN_U16 };
    for (uint32_t shifted = 0; shifted < 4; shifted++) {
      problem.placement = (scan_placement){ .misaligned = shifted & 1, .marks_misaligned = shifted >> 1 };
      check_most(&device, &problem, shifted & 1 ? most / 2 : most);
    }
  }
}

/* Look-back takes short elements, unless they are shifted or have shifted marks that are narrower. */
static void test_short_elements(void **state) {
  (void)state;
  const scan_caps device = h200();
  const scan_source source = { .bytes = 2, .align = 2, .input_bytes = 2, .output_bytes = 2 };
  scan_problem problem = { .source = &source, .kind = SCAN_INCLUSIVE };
  const uint64_t most = device.tuning.pipelined_bytes / 2;
  const char *reason;
  for (uint32_t kind = SCAN_SEGMENTS_FLAGS; kind <= SCAN_SEGMENTS_KEYS; kind++)
    for (uint32_t shifted = 0; shifted < 2; shifted++) {
      problem.segments = (scan_marks){ .kind = kind, .key_type = SCAN_U16 };
      problem.placement = (scan_placement){ .misaligned = 1 };
      check_most(&device, &problem, device.tuning.shifted_items);
      problem.placement = (scan_placement){ .marks_misaligned = shifted };
      if (shifted && kind != SCAN_SEGMENTS_KEYS)
        check_most(&device, &problem, most);
      else
        assert_int_equal(scan_strategy_choose(&device, &problem, UINT64_C(1) << 36, &reason)->id,
                         SCAN_STRATEGY_LOOKBACK);
    }
}

static void test_never_pipelined(void **state) {
  (void)state;
  const scan_caps devices[] = { turing(), opencl(SCAN_CLASS_CPU), opencl(SCAN_CLASS_GPU) };
  for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++)
    for (int type = SCAN_I8; type <= SCAN_F64; type++)
      for (int misaligned = 0; misaligned < 2; misaligned++)
        check_choice(&devices[d], (scan_type)type, misaligned, UINT64_C(1) << 36, SCAN_STRATEGY_LOOKBACK);
}

/* ---- the ring ---- */

/* Checks the ring: a stage holds a tile's input vectors and 128 bytes. */
static void check_ring(const scan_caps *caps, const scan_problem *problem, uint32_t stages, uint32_t tile_bytes) {
  const scan_schedule s = schedule_of(&scan_strategy_pipelined, caps, problem, UINT64_C(1) << 30);
  assert_null(scan_strategy_pipelined.refusal(caps, problem));
  assert_string_equal(s.steps[0].kernel, "scan_pipelined");
  assert_int_equal(s.steps[0].local_bytes, stages * (tile_bytes + 128));
  assert_true(s.steps[0].local_bytes <= caps->dynamic_local_bytes);
}

static void test_stages(void **state) {
  (void)state;
  const scan_caps hopper = h200(), ampere = a100();
  const scan_problem bytes = widening_sum(SCAN_U8, SCAN_U32), halves = widening_sum(SCAN_F32, SCAN_F64);
  for (int type = SCAN_I8; type <= SCAN_F64; type++) {
    const scan_problem problem = sum_of((scan_type)type);
    check_ring(&hopper, &problem, 6, 32768);
    check_ring(&ampere, &problem, 5, 32768);
  }
  check_ring(&hopper, &bytes, 8, 8192); /* two more stages for a narrower input */
  check_ring(&ampere, &bytes, 8, 8192);
  check_ring(&ampere, &halves, 8, 16384);
}

/* Types from source: 1, 2, 4 and 8 bytes, with more warps, and with the values' flags outside of the ring. */
static void test_source(void **state) {
  (void)state;
  const scan_caps hopper = h200();
  for (uint32_t bytes = 1; bytes <= 16; bytes++)
    for (uint32_t align = 1; align <= 8; align *= 2) {
      const scan_source source = { .bytes = bytes, .align = align, .input_bytes = bytes, .output_bytes = bytes };
      const scan_problem problem = { .source = &source };
      const char *refusal = scan_strategy_pipelined.refusal(&hopper, &problem);
      if (bytes % align != 0) continue;
      if (bytes > 8 || 16 % bytes != 0) {
        assert_non_null(strstr(refusal, "elements of 1, 2, 4 or 8 bytes"));
        continue;
      }
      assert_null(refusal);
      const scan_schedule s = schedule_of(&scan_strategy_pipelined, &hopper, &problem, UINT64_C(1) << 30);
      const uint32_t own = TUNE_PIPE_OWN_BYTES(bytes + (align > 4 ? 8 : 4));
      assert_true(s.steps[0].local_bytes + own <= hopper.dynamic_local_bytes + TUNE_PIPE_OWN_BYTES(8));
      assert_int_equal(s.steps[0].items_per_group, TUNE_PIPE_SOURCE_ITEMS(90, 0, bytes, 0));
      assert_true(s.steps[0].items_per_group <= 1024);
    }
}

/* 16-bit elements with 32-bit values: with a copy engine more warps, and a ring of 12 small tiles. */
static void test_narrow(void **state) {
  (void)state;
  const scan_caps hopper = h200(), ampere = a100();
  const scan_source source = { .bytes = 4, .align = 4, .input_bytes = 2, .output_bytes = 2 };
  const scan_problem problem = { .source = &source };
  const scan_problem in_segments = { .source = &source, .segments = { .kind = SCAN_SEGMENTS_BITS } };
  const uint64_t n = UINT64_C(1) << 30;
  check_ring(&hopper, &problem, 12, 16384);
  assert_int_equal(schedule_of(&scan_strategy_pipelined, &hopper, &problem, n).steps[0].items_per_group, 640);
  assert_int_equal(schedule_of(&scan_strategy_pipelined, &hopper, &in_segments, n).steps[0].items_per_group, 512);
  assert_int_equal(schedule_of(&scan_strategy_pipelined, &ampere, &problem, n).steps[0].items_per_group, 512);
}

/* Rings of three tiles with their marks. */
static void test_segments(void **state) {
  (void)state;
  static const struct {
    uint32_t bytes, kind;
    scan_type key_type;
    uint64_t stage_bytes; /* 0: too large */
  } rows[] = {
    { 4, SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT, 32768 + 8192 + 256 },
    { 4, SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT, 32768 + 1024 + 256 },
    { 4, SCAN_SEGMENTS_OFFSETS, SCAN_U64, 32768 + 1024 + 256 },
    { 4, SCAN_SEGMENTS_KEYS, SCAN_I32, 32768 + 32768 + 256 },
    { 8, SCAN_SEGMENTS_KEYS, SCAN_U64, 32768 + 32768 + 256 },
    { 4, SCAN_SEGMENTS_KEYS, SCAN_U64, 0 },
    { 1, SCAN_SEGMENTS_KEYS, SCAN_U16, 0 },
  };
  const scan_caps hopper = h200();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const uint32_t bytes = rows[i].bytes;
    const scan_source source = { .bytes = bytes, .align = bytes, .input_bytes = bytes, .output_bytes = bytes };
    const scan_problem problem = { .source = &source,
                                   .segments = { .kind = rows[i].kind, .key_type = rows[i].key_type } };
    const char *refusal = scan_strategy_pipelined.refusal(&hopper, &problem);
    if (rows[i].stage_bytes == 0) {
      assert_non_null(strstr(refusal, "keys of three tiles do not fit"));
      continue;
    }
    assert_null(refusal);
    const scan_schedule s = schedule_of(&scan_strategy_pipelined, &hopper, &problem, UINT64_C(1) << 30);
    assert_int_equal(s.steps[0].local_bytes % rows[i].stage_bytes, 0);
    assert_true(s.steps[0].local_bytes / rows[i].stage_bytes >= 3);
  }
}

static void test_stages_are_refused(void **state) {
  (void)state;
  const scan_caps small = geforce_3090(), old = turing(), cpu = opencl(SCAN_CLASS_CPU);
  const scan_source source = { .bytes = 8, .align = 4, .input_bytes = 8, .output_bytes = 8 };
  const scan_problem problem = sum_of(SCAN_I32), affine = { .source = &source };
  scan_caps least = h200(), less = geforce_3090();
  check_ring(&small, &problem, 3, 32768);
  less.dynamic_local_bytes = 3 * (32768 + 128) - 1;
  assert_non_null(strstr(scan_strategy_pipelined.refusal(&less, &problem), "99 KiB of shared memory"));
  assert_non_null(strstr(scan_strategy_pipelined.refusal(&small, &affine), "130 KiB of shared memory"));
  assert_non_null(strstr(scan_strategy_pipelined.refusal(&old, &problem), "compute capability 8.0"));
  assert_non_null(strstr(scan_strategy_pipelined.refusal(&cpu, &problem), "CUDA"));
  least.dynamic_local_bytes = 4 * (32768 + 128);
  check_ring(&least, &problem, 4, 32768);
  least.dynamic_local_bytes--;
  assert_non_null(scan_strategy_pipelined.refusal(&least, &problem));
}

static void test_stages_are_tuned(void **state) {
  (void)state;
  const scan_problem problem = sum_of(SCAN_I32);
  scan_caps device = h200();
  device.tuning.stages = 4;
  check_ring(&device, &problem, 4, 32768);
  device.tuning.stages = 7;
  check_ring(&device, &problem, 7, 32768);
  device = a100();
  device.tuning.stages = 7; /* there is room for five only */
  check_ring(&device, &problem, 5, 32768);
}

/* ---- work-groups ---- */

/* Each image has the number of work-items that it was built for: more without the copy engine, fewer for narrow values,
 * and a second look-back warp if short tiles become long ones. */
static void test_items_of_each_image(void **state) {
  (void)state;
  static const struct {
    scan_type input_type, type;
    uint32_t new_warps, old_warps;
  } rows[] = {
    { SCAN_I8, SCAN_I8, 16, 22 },   { SCAN_U16, SCAN_U16, 16, 22 }, { SCAN_I32, SCAN_I32, 18, 22 },
    { SCAN_F64, SCAN_F64, 18, 22 }, { SCAN_U8, SCAN_U32, 18, 22 },  { SCAN_U32, SCAN_U64, 18, 22 },
    { SCAN_U8, SCAN_U64, 19, 23 },  { SCAN_I16, SCAN_I64, 19, 23 },
  };
  scan_caps new = h200(), old = h200();
  old.tuning.image = 80;
  assert_int_equal(new.tuning.image, 90);
  assert_int_equal(a100().tuning.image, 80);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const scan_problem problem = { .input_type = rows[i].input_type, .type = rows[i].type, .op = SCAN_ADD };
    const scan_schedule on_new = schedule_of(&scan_strategy_pipelined, &new, &problem, UINT64_C(1) << 30);
    const scan_schedule on_old = schedule_of(&scan_strategy_pipelined, &old, &problem, UINT64_C(1) << 30);
    assert_int_equal(on_new.steps[0].items_per_group, rows[i].new_warps * 32);
    assert_int_equal(on_old.steps[0].items_per_group, rows[i].old_warps * 32);
  }
}

/* Up to 512 KiB the pipelined strategy uses look-back's launch. */
static void test_pipelined_of_few_tiles(void **state) {
  (void)state;
  const scan_caps device = h200();
  for (int type = SCAN_I8; type <= SCAN_F64; type++) {
    const scan_problem problem = sum_of((scan_type)type);
    const uint64_t n = 512 * KIB / scan_type_bytes((scan_type)type);
    const scan_schedule below = schedule_of(&scan_strategy_pipelined, &device, &problem, n);
    const scan_schedule above = schedule_of(&scan_strategy_pipelined, &device, &problem, n + 1);
    assert_string_equal(below.steps[0].kernel, "scan_lookback");
    assert_int_equal(below.steps[0].groups, 128);
    assert_int_equal(below.steps[0].items_per_group, 256);
    assert_int_equal(below.steps[0].local_bytes, 0);
    assert_int_equal(below.subtiles, 1);
    assert_string_equal(above.steps[0].kernel, "scan_pipelined");
    assert_int_equal(above.steps[0].groups, 17);
    assert_int_equal(above.subtiles, 8);
    assert_true(above.spin_limit > 0 && above.spin_limit_in_place > above.spin_limit);
  }
}

static void check_groups(const scan_caps *caps, uint64_t n, uint32_t looking_back, uint32_t pipelined) {
  const scan_problem problem = sum_of(SCAN_I32);
  assert_int_equal(schedule_of(&scan_strategy_lookback, caps, &problem, n).steps[0].groups, looking_back);
  assert_int_equal(schedule_of(&scan_strategy_pipelined, caps, &problem, n).steps[0].groups, pipelined);
}

static void test_most_groups(void **state) {
  (void)state;
  const uint64_t many = UINT64_C(1) << 28;
  scan_caps device = h200();
  check_groups(&device, many, 264, 132);
  for (uint32_t most = 1; most <= 3; most++) {
    device.tuning.most_groups = most;
    check_groups(&device, many, most, most);
    check_groups(&device, 8193, most, most); /* nine tiles */
    check_groups(&device, 1, 1, 1);
  }
  device.tuning.most_groups = 200;
  check_groups(&device, many, 200, 132);
  device.tuning.most_groups = 1000; /* a limit, not a request */
  check_groups(&device, many, 264, 132);
  device.tuning.groups_per_unit = 1;
  device.tuning.most_groups = 0;
  check_groups(&device, many, 132, 132);
}

/* ---- block ---- */

static void check_block(const scan_caps *caps, scan_type type, uint64_t n, uint32_t subtiles) {
  const scan_problem problem = sum_of(type);
  const scan_schedule s = schedule_of(&scan_strategy_block, caps, &problem, n);
  if (s.subtiles != subtiles) test_fail("%s n=%" PRIu64 ": %u sub-tiles", scan_type_name(type), n, s.subtiles);
  assert_int_equal(s.steps[0].groups, 1);
  assert_int_equal(s.steps[0].items_per_group, caps->tuning.group_items);
}

static void test_block_subtiles(void **state) {
  (void)state;
  const scan_caps gpus[] = { h200(), opencl(SCAN_CLASS_GPU) }, cpu = opencl(SCAN_CLASS_CPU);
  for (int type = SCAN_I8; type <= SCAN_F64; type++) {
    const uint64_t kib = KIB / scan_type_bytes((scan_type)type);
    for (size_t d = 0; d < 2; d++) {
      check_block(&gpus[d], (scan_type)type, 1, 1);
      check_block(&gpus[d], (scan_type)type, 4 * kib, 1);
      check_block(&gpus[d], (scan_type)type, 4 * kib + 1, 4);
      check_block(&gpus[d], (scan_type)type, 16 * kib, 4);
      check_block(&gpus[d], (scan_type)type, 16 * kib + 1, 8);
      check_block(&gpus[d], (scan_type)type, 32 * kib, 8);
      check_block(&gpus[d], (scan_type)type, 32 * kib + 1, 1); /* the canonical tile */
      check_block(&gpus[d], (scan_type)type, 512 * kib, 1);
      check_block(&gpus[d], (scan_type)type, 512 * kib + 1, 8);
    }
    for (uint64_t n = 1; n <= 64 * kib; n = 2 * n + 1) check_block(&cpu, (scan_type)type, n, 0); /* n is read */
  }
}

/* An override changes choices and schedules. */
static void test_overrides_take_effect(void **state) {
  (void)state;
  const scan_problem problem = sum_of(SCAN_I32);
  assert_int_equal(setenv("SCANRT_TUNE", "pipelined_bytes=4194304,shifted_items=2097152,stages=4,most_groups=2", 1), 0);
  const scan_caps device = h200();
  assert_int_equal(unsetenv("SCANRT_TUNE"), 0);
  check_bound(&device, SCAN_I32, 0, 4 * MIB / 4);
  check_bound(&device, SCAN_U16, 1, 2 * MIB);
  check_ring(&device, &problem, 4, 32768);
  check_groups(&device, UINT64_C(1) << 28, 2, 2);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_pipelined_where_it_is_faster),
    TEST(test_pipelined_widens),
    TEST(test_pipelined_totals),
    TEST(test_source),
    TEST(test_narrow),
    TEST(test_segments),
    TEST(test_pipelined_segments),
    TEST(test_short_elements),
    TEST(test_never_pipelined),
    TEST(test_stages),
    TEST(test_stages_are_refused),
    TEST(test_stages_are_tuned),
    TEST(test_items_of_each_image),
    TEST(test_pipelined_of_few_tiles),
    TEST(test_most_groups),
    TEST(test_block_subtiles),
    TEST(test_overrides_take_effect),
  };
  unsetenv("SCANRT_TUNE");
  return test_exit(cmocka_run_group_tests_name("unit.tuning", tests, NULL, NULL));
}
