/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests what the library concludes from drivers' reports of recorded devices, none of which is needed: kernel variant,
 * progress, descriptors, automatic strategies and refusals. device_profiles.h has a row for each device. */
#include "base/canonical.h"
#include "device/caps.h"
#include "device_profiles.h"
#include "core/plan.h"
#include "support.h"
#include "ops/scan/validate.h"
#include "strategy/select/select.h"
#include "strategy/sort/sort.h"
#include "strategy/strategy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PROFILES = sizeof profiles / sizeof profiles[0] };

/* Returns the capabilities as a backend sets them. */
static scan_caps caps_of(const struct profile *p, const char *overrides) {
  scan_caps caps = { .info = { .backend = SCAN_BACKEND_OPENCL,
                               .selector = "opencl:0",
                               .compute_units = 16,
                               .max_group_items = p->group_items,
                               .local_memory_bytes = p->local_bytes,
                               .is_cpu = p->type == CPU,
                               .has_fp64 = (p->flags & FP64) != 0,
                               .flushes_denormals = (p->flags & FLUSHES) != 0,
                               .facts = { .compute_capability = p->capability,
                                          .is_accelerator = p->type == ACCELERATOR,
                                          .lacks_compiler = (p->flags & NO_COMPILER) != 0,
                                          .sub_group_sizes = p->sub_group_sizes,
                                          .sub_group_items = p->warp,
                                          .local_memory_is_global = p->flags & LOCAL_GLOBAL } } };
  snprintf(caps.info.name, sizeof caps.info.name, "%s", p->name);
  snprintf(caps.info.vendor, sizeof caps.info.vendor, "%s", p->vendor);
  caps.info.facts.opencl_version = scan_caps_version(p->version, "OpenCL ");
  caps.info.facts.opencl_c_version = scan_caps_version(p->c_version, "OpenCL C ");
  scan_caps_read_extensions(&caps.info, p->extensions);
  caps.info.facts.lacks_int64 = (p->flags & EMBEDDED) && strstr(p->extensions, "cles_khr_int64") == NULL;
  scan_caps_derive(&caps, overrides);
  return caps;
}

static const struct profile *profile_of(const char *name) {
  for (int i = 0; i < PROFILES; i++)
    if (strstr(profiles[i].name, name) != NULL) return &profiles[i];
  test_fail("no profile of %s", name);
}

static void check_variant(const struct profile *p, const scan_caps *caps) {
  const scan_device_info *info = &caps->info;
  const int split = strcmp(p->want.descriptors, "split") == 0;
  if (info->group_items != p->want.group_items || strcmp(info->exchange, p->want.exchange) != 0 ||
      info->sub_group_items != p->want.sub_group || strcmp(info->descriptors, p->want.descriptors) != 0)
    test_fail("%s: %u work-items, exchange %s, sub-groups of %u, %s descriptors", p->name, info->group_items,
              info->exchange, info->sub_group_items, info->descriptors);
  if (info->has_fair_progress != p->want.fair) test_fail("%s: fair progress %u", p->name, info->has_fair_progress);
  if (strstr(info->variant_reason, p->want.reason) == NULL) test_fail("%s: \"%s\"", p->name, info->variant_reason);
  assert_int_equal(caps->tuning.group_items, info->group_items);
  assert_int_equal(caps->tuning.sub_group, info->sub_group_items);
  assert_int_equal(info->has_shuffles, info->group_items > 1 && strcmp(info->exchange, "local") != 0);
  assert_int_equal(caps->descriptors, split ? SCAN_DESCRIPTORS_SPLIT : SCAN_DESCRIPTORS_PACKED);
  assert_int_equal(info->has_int64_atomics, !split);
  assert_int_equal(caps->loop_limit, strstr(p->name, "llvmpipe") ? 65535 : 0);
  assert_int_equal(info->loop_limit, caps->loop_limit);
}

static void test_variants(void **state) {
  (void)state;
  for (int i = 0; i < PROFILES; i++) {
    const scan_caps caps = caps_of(&profiles[i], NULL);
    check_variant(&profiles[i], &caps);
  }
}

static void check_strategy(const struct profile *p, const scan_caps *caps, uint64_t n, scan_strategy want) {
  const scan_problem problem = { .input_type = SCAN_I32, .type = SCAN_I32, .op = SCAN_ADD };
  const char *reason;
  const scan_strategy_ops *chosen = scan_strategy_choose(caps, &problem, n, &reason);
  if (chosen->id != want) test_fail("%s, n=%" PRIu64 ": %s (%s)", p->name, n, scan_strategy_name(chosen->id), reason);
  if (chosen->refusal(caps, &problem) != NULL) test_fail("%s: AUTO takes what is refused", p->name);
  /* In place a missing tile cannot be recomputed, so a strategy that waits needs fair progress. */
  if (chosen->has_control_block && !caps->info.has_fair_progress) test_fail("%s: not safe in place", p->name);
}

/* AUTO chooses the same strategy in place and out of place, because it does not know the buffers. */
static void test_automatic_strategies(void **state) {
  (void)state;
  for (int i = 0; i < PROFILES; i++) {
    const scan_caps caps = caps_of(&profiles[i], NULL);
    check_strategy(&profiles[i], &caps, 1, SCAN_STRATEGY_BLOCK);
    const uint64_t of_processors = caps.loop_limit ? 16383 : 49152; /* llvmpipe has a limit of loop iterations */
    const uint64_t one_group = caps.tuning.one_group_items != 0 ? of_processors : 8192;
    check_strategy(&profiles[i], &caps, one_group, SCAN_STRATEGY_BLOCK);
    check_strategy(&profiles[i], &caps, one_group + 1, profiles[i].want.large);
    check_strategy(&profiles[i], &caps, 1 << 20, profiles[i].want.large);
  }
}

static void check_refusal(const struct profile *p, const scan_caps *caps, scan_type type, const char *want) {
  const char *refusal = scan_caps_refuse_type(caps, type);
  if (want == NULL ? refusal != NULL : refusal == NULL || strcmp(refusal, want) != 0)
    test_fail("%s, %s: \"%s\"", p->name, scan_type_name(type), refusal ? refusal : "accepted");
}

static void test_refused_types(void **state) {
  (void)state;
  for (int i = 0; i < PROFILES; i++) {
    const struct profile *p = &profiles[i];
    const scan_caps caps = caps_of(p, NULL);
    const int whole = p->want.refusal != NULL && p->want.refusal != no_f64;
    for (int type = SCAN_I8; type <= SCAN_F32; type++)
      check_refusal(p, &caps, (scan_type)type, whole ? p->want.refusal : NULL);
    check_refusal(p, &caps, SCAN_F64, p->want.refusal);
    assert_string_equal(caps.info.refusal, whole ? p->want.refusal : "");
  }
}

static void test_other_refusals(void **state) {
  (void)state;
  struct profile p = *profile_of("Mali-G52");
  p.flags |= NO_COMPILER;
  scan_caps caps = caps_of(&p, NULL);
  check_refusal(&p, &caps, SCAN_I32, "cannot build kernels from source: its driver has no compiler");
  p = *profile_of("VideoCore");
  p.extensions = "cles_khr_int64";
  caps = caps_of(&p, NULL);
  check_refusal(&p, &caps, SCAN_U64, NULL);
}

/* The spec is refused before anything is built, with the device's name. */
static void check_spec(const char *name, scan_type type, scan_type input_type, const char *want) {
  scan_ctx ctx = { .caps = caps_of(profile_of(name), NULL) };
  scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  scan_problem problem;
  scan_strategy strategy;
  spec.input_type = input_type;
  const scan_status status = scan_spec_check(&ctx, &spec, &problem, &strategy);
  assert_int_equal(status, want ? SCAN_UNSUPPORTED : SCAN_SUCCESS);
  if (want != NULL) assert_string_equal(ctx.error.text, want);
}

static void test_refusals_name_the_device(void **state) {
  (void)state;
  check_spec("Apple M1", SCAN_F64, SCAN_F64, "f64: opencl:0 (Apple M1) has no double precision");
  check_spec("Apple M1", SCAN_F64, SCAN_F32, "f64: opencl:0 (Apple M1) has no double precision");
  check_spec("Apple M1", SCAN_F32, SCAN_F32, NULL);
  check_spec("H200", SCAN_F64, SCAN_F32, NULL);
  check_spec("VideoCore", SCAN_I32, SCAN_I8,
             "i32: opencl:0 (VideoCore IV GPU) has no 64-bit integers, which the kernels count with");
}

/* ---- local memory ---- */

/* tile_scratch of kernels_cl/scan/tile_group.h, added up by hand: totals of 64 rows and 8 sub-tiles, 4 partial trees, a
 * group, two words of 4 bytes and a claim of 8; with exchange by local memory, 64 rows and 4 trees of 33 values more;
 * and 256 values for the spine of reduce_then_scan.cl. tests/test_variants.c compares with compilers. */
static void test_local_memory(void **state) {
  (void)state;
  assert_int_equal(scan_caps_local_bytes(SCAN_EXCHANGE_LOCAL, 4), 9304);
  assert_int_equal(scan_caps_local_bytes(SCAN_EXCHANGE_LOCAL, 1), 9304);
  assert_int_equal(scan_caps_local_bytes(SCAN_EXCHANGE_LOCAL, 8), 18584);
  assert_int_equal(scan_caps_local_bytes(SCAN_EXCHANGE_SUB_GROUP, 4), 1024);
  assert_int_equal(scan_caps_local_bytes(SCAN_EXCHANGE_SUB_GROUP, 8), 2048);
  assert_int_equal(scan_caps_local_bytes(SCAN_EXCHANGE_PTX, 8), 2048);
}

static void check_local(const char *name, uint32_t local_bytes, uint32_t group_items) {
  struct profile p = *profile_of(name);
  p.local_bytes = local_bytes;
  const scan_caps caps = caps_of(&p, NULL);
  if (caps.info.group_items != group_items)
    test_fail("%s with %u bytes of local memory: work-groups of %u", name, local_bytes, caps.info.group_items);
  if (group_items > 1) return;
  assert_string_equal(caps.info.exchange, "none");
  assert_non_null(strstr(caps.info.variant_reason, "bytes of local memory"));
}

static void test_little_local_memory(void **state) {
  (void)state;
  check_local("Apple M1", 32 * KIB, 256);
  check_local("Apple M1", 18584, 256);
  check_local("Apple M1", 18583, 1);
  check_local("Apple M1", 16 * KIB, 1);
  check_local("Mali-G52", 16 * KIB, 1);
  check_local("Mali-G52", 0, 1);
  check_local("A750", 16 * KIB, 256); /* sub-groups need less */
  check_local("A750", 2048, 256);
  check_local("A750", 2047, 1);
  check_local("H200", 16 * KIB, 256);
}

static void test_small_work_groups(void **state) {
  (void)state;
  struct profile p = *profile_of("Mali-G52");
  p.group_items = 256;
  assert_int_equal(caps_of(&p, NULL).info.group_items, 256);
  p.group_items = 255;
  assert_int_equal(caps_of(&p, NULL).info.group_items, 1);
}

/* ---- sub-groups ---- */

static void check_exchange(const struct profile *p, const char *overrides, const char *exchange, uint32_t sub_group) {
  const scan_caps caps = caps_of(p, overrides);
  if (strcmp(caps.info.exchange, exchange) != 0 || caps.info.sub_group_items != sub_group)
    test_fail("%s with %s: %s, sub-groups of %u", p->name, overrides ? overrides : "no override", caps.info.exchange,
              caps.info.sub_group_items);
}

static void test_sub_group_sizes(void **state) {
  (void)state;
  struct profile p = *profile_of("A750");
  p.sub_group_sizes = 32 + 64;
  check_exchange(&p, NULL, "sub_group", 32);
  check_exchange(&p, "sub_group=64", "sub_group", 64);
  p.sub_group_sizes = 64;
  check_exchange(&p, NULL, "sub_group", 64);
  p.sub_group_sizes = 32;
  check_exchange(&p, "sub_group=64", "sub_group", 32);
  p.sub_group_sizes = 8 + 16; /* Xe2 without the widest size, or a driver that does not answer */
  check_exchange(&p, NULL, "local", 0);
  p.sub_group_sizes = 0;
  check_exchange(&p, NULL, "local", 0);
}

/* AMD's wavefronts, with a driver that has shuffles: 32 or 64, the compiler chooses. */
static void test_wavefronts(void **state) {
  (void)state;
  struct profile p = *profile_of("gfx90a");
  p.extensions = "cl_khr_int64_base_atomics cl_khr_subgroups cl_khr_subgroup_shuffle cl_amd_device_attribute_query";
  check_exchange(&p, NULL, "sub_group", 0);
  p.warp = 32;
  check_exchange(&p, NULL, "sub_group", 0);
  p.warp = 16;
  check_exchange(&p, NULL, "local", 0);
  p.warp = 64;
  p.extensions = "cl_khr_subgroup_shuffle"; /* but no sub-groups */
  check_exchange(&p, NULL, "local", 0);
  p.extensions = "cl_khr_subgroups cl_khr_subgroup_shuffle_relative"; /* only the longer name */
  check_exchange(&p, NULL, "local", 0);
}

static void test_overrides(void **state) {
  (void)state;
  const struct profile *arc = profile_of("A750"), *cpu = profile_of("AMD EPYC"), *h200 = profile_of("H200");
  const struct profile *intel_cpu = profile_of("AMD EPYC");
  for (int i = 0; i < PROFILES; i++)
    if (strstr(profiles[i].source, "intel-opencl-rt 2026") != NULL) intel_cpu = &profiles[i];
  check_exchange(arc, "exchange=0", "local", 0);
  check_exchange(arc, "exchange=1", "sub_group", 32); /* the device has no PTX */
  check_exchange(arc, "group_items=1,exchange=2", "none", 0);
  check_exchange(h200, "exchange=0", "local", 0);
  check_exchange(h200, "exchange=2", "ptx", 0);
  check_exchange(cpu, "exchange=2", "none", 0);
  check_exchange(cpu, "group_items=256,exchange=2", "local", 0);
  check_exchange(intel_cpu, "group_items=256", "sub_group", 32);
  check_exchange(intel_cpu, "group_items=256,exchange=0", "local", 0);
  check_exchange(intel_cpu, "group_items=256,exchange=2,sub_group=64", "sub_group", 64);
}

static void test_ptx(void **state) {
  (void)state;
  static const struct {
    const char *name, *overrides;
    uint32_t ptx;
  } rows[] = { { "H200", NULL, 1 },    { "H200", "exchange=0", 1 }, { "H200", "exchange=0,ptx=0", 0 },
               { "H200", "ptx=0", 1 }, /* the exchange uses PTX */
               { "1080 Ti", NULL, 0 }, { "A750", "ptx=1", 0 },      { "gfx90a", NULL, 0 } };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const scan_caps caps = caps_of(profile_of(rows[i].name), rows[i].overrides);
    if (caps.tuning.ptx != rows[i].ptx)
      test_fail("%s with %s: PTX %u", rows[i].name, rows[i].overrides ? rows[i].overrides : "no override",
                caps.tuning.ptx);
  }
}

/* OpenCL C 3.0, whose fences order memory for the device, is taken where the driver has them and PTX cannot be written.
 */
static void test_device_fence(void **state) {
  (void)state;
  enum { RELAXED = 1 << 0, ACQUIRE_RELEASE = 1 << 1, GROUP = 1 << 4, DEVICE = 1 << 5, BOTH = ACQUIRE_RELEASE | DEVICE };
  static const struct {
    const char *name, *overrides;
    uint32_t version, atomics, fence;
  } rows[] = { { "A750", NULL, 300, RELAXED | BOTH, 1 },
               { "A750", "device_fence=0", 300, BOTH, 0 },
               { "A750", NULL, 300, RELAXED | ACQUIRE_RELEASE | GROUP, 0 },
               { "A750", NULL, 300, RELAXED | DEVICE, 0 },
               { "A750", NULL, 210, BOTH, 0 },
               { "H200", NULL, 300, BOTH, 0 },
               { "H200", "exchange=0,ptx=0", 300, BOTH, 1 },
               { "pthread", NULL, 300, BOTH, 0 },
               { "pthread", "device_fence=1", 300, BOTH, 1 } };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    scan_caps caps = caps_of(profile_of(rows[i].name), NULL);
    caps.info.facts.opencl_version = rows[i].version;
    caps.info.facts.atomic_capabilities = rows[i].atomics;
    scan_caps_derive(&caps, rows[i].overrides);
    if (caps.tuning.device_fence != rows[i].fence)
      test_fail("row %zu, %s: device_fence %u", i, rows[i].name, caps.tuning.device_fence);
  }
}

/* ---- the other backends ---- */

/* NVIDIA's GPUs as CUDA's programming guide describes them: the capability, the bytes of shared memory that a
 * work-group may ask for, and multiprocessors. */
static const struct cuda_profile {
  const char *name;
  uint32_t capability, optin, units, image, dynamic;
} cuda_profiles[] = {
  { "T4", 75, 65536, 40, 0, 0 },
  { "A100", 80, 166912, 108, 80, 164992 },
  { "A10", 86, 101376, 72, 86, 99456 },
  { "A40", 86, 101376, 84, 86, 99456 },
  { "Orin", 87, 166912, 16, 80, 164992 },
  { "L4", 89, 101376, 58, 86, 99456 },
  { "L40S", 89, 101376, 142, 86, 99456 },
  { "RTX 4090", 89, 101376, 128, 86, 99456 },
  { "H100", 90, 232448, 132, 90, 230528 },
  { "B200", 100, 232448, 148, 90, 230528 },
  { "B300", 103, 232448, 160, 90, 230528 },
  { "RTX 5090", 120, 101376, 170, 120, 99456 },
  { "RTX PRO 6000", 120, 101376, 188, 120, 99456 },
  { "GB10", 121, 101376, 48, 120, 99456 },
};
enum { CUDA_PROFILES = sizeof cuda_profiles / sizeof cuda_profiles[0] };

static scan_caps cuda_caps_of(const struct cuda_profile *p, const char *overrides) {
  scan_caps caps = { .clusters = p->capability >= 90,
                     .info = {
                         .backend = SCAN_BACKEND_CUDA,
                         .compute_units = p->units,
                         .max_group_items = 1024,
                         .has_fp64 = 1,
                         .facts = { .compute_capability = p->capability, .local_memory_optin_bytes = p->optin } } };
  scan_caps_derive(&caps, overrides);
  return caps;
}

/* 1 if the pipelined scan takes each pair of types that images exist for. */
static int scans_are_pipelined(const scan_caps *caps) {
  static const scan_type pairs[][2] = { { SCAN_I8, SCAN_I8 },   { SCAN_I16, SCAN_I16 }, { SCAN_I32, SCAN_I32 },
                                        { SCAN_I64, SCAN_I64 }, { SCAN_F32, SCAN_F32 }, { SCAN_F64, SCAN_F64 },
                                        { SCAN_I8, SCAN_I64 },  { SCAN_F32, SCAN_F64 } };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const scan_problem problem = { .input_type = pairs[i][0], .type = pairs[i][1], .op = SCAN_ADD };
    if (scan_strategy_pipelined.refusal(caps, &problem) != NULL) return 0;
  }
  return 1;
}

/* 1 if keys alone, pairs and argsort take one launch a pass, for each size of keys and of values. */
static int sorts_are_onesweep(const scan_caps *caps) {
  static const uint32_t bytes[][2] = { { 4, 0 }, { 8, 0 }, { 4, 4 }, { 4, 8 }, { 8, 4 }, { 8, 8 } };
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
    const scan_sort_form form = { .key_type = bytes[i][0] == 4 ? SCAN_U32 : SCAN_U64,
                                  .end_bit = 8 * bytes[i][0],
                                  .arrays = bytes[i][1] != 0,
                                  .bytes = { bytes[i][1] },
                                  .align = { bytes[i][1] } };
    if (!scan_sort_uses_onesweep(caps, &form, 1 << 28)) return 0;
  }
  return 1;
}

static int compaction_is_pipelined(const scan_caps *caps) {
  for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
    const scan_select_form form = { .by = SCAN_SELECT_FLAGS, .arrays = 1, .bytes = { bytes }, .align = { bytes } };
    if (!scan_select_is_pipelined(caps, &form)) return 0;
  }
  return 1;
}

/* Every GPU from 8.0 on scans, sorts and compacts by CUDA's own kernels, whatever its shared memory. */
static void test_own_kernels(void **state) {
  (void)state;
  for (int i = 0; i < CUDA_PROFILES; i++) {
    const int has_them = cuda_profiles[i].capability >= 80;
    const scan_caps caps = cuda_caps_of(&cuda_profiles[i], NULL);
    if (scans_are_pipelined(&caps) != has_them || sorts_are_onesweep(&caps) != has_them ||
        compaction_is_pipelined(&caps) != has_them)
      test_fail("%s: scans %d, sorts %d, compaction %d", cuda_profiles[i].name, scans_are_pipelined(&caps),
                sorts_are_onesweep(&caps), compaction_is_pipelined(&caps));
  }
}

/* $SCANRT_TUNE makes an H100 take the kernels of devices with less shared memory, and never more than it has. */
static void test_shared_bytes(void **state) {
  static const struct {
    const char *overrides;
    uint32_t image, dynamic;
  } rows[] = { { "shared_bytes=101376", 120, 99456 },
               { "image=80,shared_bytes=101376", 86, 99456 },
               { "image=80", 80, 230528 },
               { "shared_bytes=999999", 90, 230528 } };
  const struct cuda_profile h100 = { "H100", 90, 232448, 132, 90, 230528 };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const scan_caps caps = cuda_caps_of(&h100, rows[i].overrides);
    assert_int_equal(caps.tuning.image, rows[i].image);
    assert_int_equal(caps.dynamic_local_bytes, rows[i].dynamic);
    assert_true(scans_are_pipelined(&caps) && sorts_are_onesweep(&caps) && compaction_is_pipelined(&caps));
  }
}

static void test_cuda(void **state) {
  (void)state;
  for (int i = 0; i < CUDA_PROFILES; i++) {
    const scan_caps caps = cuda_caps_of(&cuda_profiles[i], NULL);
    assert_int_equal(caps.tuning.image, cuda_profiles[i].image);
    assert_int_equal(caps.dynamic_local_bytes, cuda_profiles[i].dynamic);
    assert_string_equal(caps.info.exchange, "ptx");
    assert_string_equal(caps.info.descriptors, "packed");
    assert_true(caps.info.has_fair_progress && caps.info.has_int64_atomics && caps.info.has_shuffles);
    assert_null(scan_caps_refuse_type(&caps, SCAN_F64));
  }
}

static void test_host(void **state) {
  (void)state;
  scan_caps caps = { .info = { .backend = SCAN_BACKEND_HOST, .is_cpu = 1, .has_fp64 = 1 } };
  scan_caps_derive(&caps, NULL);
  assert_int_equal(caps.tuning.group_items, 1);
  assert_string_equal(caps.info.exchange, "none");
  assert_string_equal(caps.info.descriptors, "none");
  assert_true(caps.info.has_fair_progress && caps.info.has_int64_atomics && !caps.info.has_shuffles);
}

static void test_versions(void **state) {
  (void)state;
  assert_int_equal(scan_caps_version("OpenCL 3.0 PoCL", "OpenCL "), 300);
  assert_int_equal(scan_caps_version("OpenCL C 1.2 ", "OpenCL C "), 120);
  assert_int_equal(scan_caps_version("OpenCL 3.1 (Build 0)", "OpenCL "), 310);
  assert_int_equal(scan_caps_version("OpenCL C 1.2 ", "OpenCL "), 0);
  assert_int_equal(scan_caps_version("", "OpenCL "), 0);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_variants),
    TEST(test_automatic_strategies),
    TEST(test_refused_types),
    TEST(test_other_refusals),
    TEST(test_refusals_name_the_device),
    TEST(test_local_memory),
    TEST(test_little_local_memory),
    TEST(test_small_work_groups),
    TEST(test_sub_group_sizes),
    TEST(test_wavefronts),
    TEST(test_overrides),
    TEST(test_ptx),
    TEST(test_device_fence),
    TEST(test_cuda),
    TEST(test_own_kernels),
    TEST(test_shared_bytes),
    TEST(test_host),
    TEST(test_versions),
  };
  return test_exit(cmocka_run_group_tests_name("unit.devices", tests, NULL, NULL));
}
