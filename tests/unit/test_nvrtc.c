/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that NVRTC compiles every kernel of operators from source: every size, A100 and H100. */
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "nvrtc_compile.h"
#include "operators.h"
#include "support.h"

enum { SEQUENTIAL = 1, BLOCK, LOOKBACK, PIPELINED = 8, KERNELS };

static const struct {
  const char *file, *kernel;
} kernels[KERNELS] = { { "layout.cl", "source_layout" },
                       [SEQUENTIAL] = { "sequential.cl", "scan_sequential" },
                       [BLOCK] = { "block.cl", "scan_block" },
                       [LOOKBACK] = { "lookback.cl", "scan_lookback" },
                       { "reduce_then_scan.cl", "rts_spine" },
                       { "reduce_then_scan.cl", "rts_scan" },
                       { "reduce_then_scan.cl", "rts_groups" },
                       { "rolled.cl", "rts_scan" },
                       [PIPELINED] = { "pipelined.cuh", "scan_pipelined" } };

static void check_key(const scan_op_source *from, const scan_kernel_key *key, uint32_t capability) {
  scan_error error;
  if (nvrtc_compile(from, key, capability, NULL, &error) != SCAN_SUCCESS)
    test_fail("%s of %s with %s, for %u: %s", key->kernel, key->file, from->combine, capability, error.text);
}

/* Compiles each kernel for an A100 or an H100, in turn. */
static void check_keys(const scan_op_source *from, const scan_kernel_key *keys, size_t count) {
  for (size_t k = 0; k < count; k++) check_key(from, &keys[k], k % 2 ? 90 : 80);
}

#define CHECK_KEYS(from, keys) check_keys((from), (keys), sizeof(keys) / sizeof(keys)[0])

static void check_kernel(const scan_op_source *from, int kernel, uint32_t subtiles, uint32_t capability) {
  const scan_kernel_key key = { .file = kernels[kernel].file, .kernel = kernels[kernel].kernel, .subtiles = subtiles };
  check_key(from, &key, capability);
}

static void test_compiles(void **state) {
  const source_structure *one = *state;
  const uint32_t most = canon_most_subtiles(one->source.value_bytes);
  for (int k = 0; k < KERNELS; k++) {
    const int is_taken = k == PIPELINED ? most == 8 && 16 % one->source.value_bytes == 0 &&
                                              (one->source.value_bytes > 1 || getenv("SCANRT_TEST_SLOW") != NULL)
                                        : one == operator_at(0) || k == LOOKBACK; /* the others share its code */
    if (is_taken) check_kernel(&one->source, k, k == 0 ? 1 : most, k % 2 ? 90 : 80);
  }
  test_ran();
}

/* A map and an emit between types of 3, 4 and 8 bytes; a vector has 6 bytes of input. */
static const char fused_text[] =
    "typedef struct { uint8_t r, g, b; } colour;\n"
    "typedef struct { float sum; uint32_t other; } shade;\n"
    "static inline float colour_add(float a, float b) { return a + b; }\n"
    "static inline float colour_map(colour x, uint64_t i) { return x.r + 0.5f * (i & 1); }\n"
    "static inline shade colour_emit(float a, float b, colour x, uint64_t i) {\n"
    "  shade s;\n"
    "  s.sum = a - b;\n"
    "  s.other = (uint32_t)i + x.g;\n"
    "  return s;\n"
    "}\n";

static void test_fused(void **state) {
  (void)state;
  scan_op_source source = { .text = fused_text,
                            .type = "float",
                            .combine = "colour_add",
                            .value_bytes = 4,
                            .value_align = 4,
                            .map = "colour_map",
                            .input_type = "colour",
                            .input_bytes = 3,
                            .input_align = 1,
                            .emit = "colour_emit",
                            .output_type = "shade",
                            .output_bytes = 8,
                            .output_align = 4 };
  for (int k = SEQUENTIAL; k <= LOOKBACK; k++) check_kernel(&source, k, 8, k % 2 ? 90 : 80);
  source.emit = source.output_type = NULL;
  source.output_bytes = source.output_align = 0;
  check_kernel(&source, LOOKBACK, 8, 90);
}

/* A map and an emit that the pipelined scan supports: vectors of 4 elements; 8 bytes of input, 16 and 8 of output. */
static void test_pipelined_fused(void **state) {
  (void)state;
  scan_op_source source = { .text = "static inline float half_add(float a, float b) { return a + b; }\n"
                                    "static inline float half_map(int16_t x, uint64_t i) { return x + (float)i; }\n"
                                    "static inline uint16_t half_emit(float a, float b, int16_t x, uint64_t i) {\n"
                                    "  return (uint16_t)(a - b + x + i);\n"
                                    "}\n",
                            .type = "float",
                            .combine = "half_add",
                            .value_bytes = 4,
                            .value_align = 4,
                            .map = "half_map",
                            .input_type = "int16_t",
                            .input_bytes = 2,
                            .input_align = 2 };
  check_kernel(&source, PIPELINED, 8, 90);
  source.emit = "half_emit";
  source.output_type = "uint16_t";
  source.output_bytes = source.output_align = 2;
  for (uint32_t capability = 80; capability <= 90; capability += 10) check_kernel(&source, PIPELINED, 8, capability);
}

static void test_segments(void **state) {
  (void)state;
  const scan_kernel_key keys[] = {
    { .file = "lookback.cl", .kernel = "scan_lookback", .subtiles = 8, .segments = SCAN_SEGMENTS_BITS },
    { .file = "reduce_then_scan.cl", .kernel = "rts_spine", .subtiles = 8, .segments = SCAN_SEGMENTS_FLAGS },
    { .file = "lookback.cl",
      .kernel = "scan_lookback",
      .subtiles = 1,
      .segments = SCAN_SEGMENTS_KEYS,
      .key_type = SCAN_F64 },
    { .file = "block.cl", .kernel = "scan_block", .subtiles = 1, .segments = SCAN_SEGMENTS_KEYS, .key_type = SCAN_U8 },
    { .file = "pipelined.cuh", .kernel = "scan_pipelined", .subtiles = 8, .segments = SCAN_SEGMENTS_BITS },
    { .file = "pipelined.cuh", .kernel = "scan_pipelined", .subtiles = 8, .segments = SCAN_SEGMENTS_FLAGS },
    { .file = "pipelined.cuh",
      .kernel = "scan_pipelined",
      .subtiles = 8,
      .segments = SCAN_SEGMENTS_KEYS,
      .key_type = SCAN_F32 }
  };
  CHECK_KEYS(&operator_at(2)->source, keys);
}

/* Kernels for elements with steps: backward scans, with and without segments, and lines of arrays. */
static void test_steps(void **state) {
  (void)state;
  const scan_kernel_key keys[] = {
    { .file = "lookback.cl", .kernel = "scan_lookback", .subtiles = 8, .steps = 1, .segments = SCAN_SEGMENTS_BITS },
    { .file = "block.cl", .kernel = "scan_block", .subtiles = 1, .steps = 1 },
    { .file = "rows_group.cl", .kernel = "scan_rows", .subtiles = 8, .steps = 1 },
    { .file = "rows_group.cl", .kernel = "scan_rows_short", .subtiles = 8, .steps = 1 },
    { .file = "lines_group.cl", .kernel = "scan_lines_apart", .subtiles = 8, .steps = 1 },
    { .file = "totals_group.cl", .kernel = "total_rows", .subtiles = 8, .steps = 1 },
    { .file = "totals_group.cl", .kernel = "total_rows_short", .subtiles = 8, .steps = 1 },
    { .file = "totals_group.cl", .kernel = "total_lines", .subtiles = 8, .steps = 1 }
  };
  CHECK_KEYS(&operator_at(2)->source, keys);
  const scan_kernel_key large = { .file = "rows_group.cl", .kernel = "scan_rows", .subtiles = 1, .steps = 1 };
  for (size_t i = 0; i < OPERATOR_CASES; i++)
    if (canon_most_subtiles(operator_at(i)->source.value_bytes) == 1) check_key(&operator_at(i)->source, &large, 90);
}

/* Checked sums, written as in the library's own sources of built-in operators. */
static void test_overflow(void **state) {
  (void)state;
  const scan_op_source source = {
    .text = "static inline int32_t add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }\n"
            "static inline int scanrt_source_overflows(int32_t a, int32_t b) {\n"
            "  int64_t r = (int64_t)a + (int64_t)b; return r != (int64_t)(int32_t)r; }\n",
    .type = "int32_t",
    .combine = "add",
    .value_bytes = 4,
    .value_align = 4
  };
  const scan_kernel_key keys[] = {
    { .file = "lookback.cl", .kernel = "scan_lookback", .subtiles = 8, .checks = 1 },
    { .file = "block.cl", .kernel = "scan_block", .subtiles = 1, .checks = 1, .segments = SCAN_SEGMENTS_BITS },
    { .file = "pipelined.cuh", .kernel = "scan_pipelined", .subtiles = 8, .checks = 1 },
    { .file = "segment_gather.cl",
      .kernel = "segment_gather",
      .subtiles = 8,
      .checks = 1,
      .segments = SCAN_SEGMENTS_BITS }
  };
  CHECK_KEYS(&source, keys);
}

/* A device newer than NVRTC knows gets PTX. */
static void test_newer_device(void **state) {
  (void)state;
  check_kernel(&operator_at(0)->source, SEQUENTIAL, 8, 9999);
}

static void test_names(void **state) {
  (void)state;
  const scan_op_source source = {
    .text = operator_names_text, .type = "scan_job", .combine = "job", .value_bytes = 4, .value_align = 4
  };
  for (int k = 0; k < KERNELS; k++)
    if (k == 0 || strcmp(kernels[k].file, kernels[k - 1].file) != 0) /* the kernels of a file are one program */
      check_kernel(&source, k, 8, 90);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  struct CMUnitTest tests[OPERATOR_CASES + 7];
  const struct CMUnitTest others[] = { TEST(test_newer_device), TEST(test_names),    TEST(test_fused),
                                       TEST(test_segments),     TEST(test_overflow), TEST(test_pipelined_fused),
                                       TEST(test_steps) };
  size_t count = 0;
  nvrtc_require();
  for (size_t i = 0; i < OPERATOR_CASES; i++)
    tests[count++] = (struct CMUnitTest){ operator_at(i)->name, test_compiles, NULL, NULL, (void *)operator_at(i) };
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) tests[count++] = others[i];
  return test_exit(_cmocka_run_group_tests("nvrtc", tests, count, NULL, NULL));
}
