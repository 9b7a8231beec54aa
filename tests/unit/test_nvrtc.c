/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests operators from source with NVRTC, which compiles without a GPU: every size, every kernel, A100 and H100;
 * mistakes in the text; a machine without NVRTC. */
#define _GNU_SOURCE /* mkdtemp, setenv, clock_gettime */
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <scanrt/scan_device.h>

#include "base/canonical.h"
#include "device/cuda/cuda_program.h"
#include "device/cuda/cuda_source.h"
#include "device/cuda/nvrtc_api.h"
#include "operators.h"
#include "device/source.h"
#include "support.h"

static const struct {
  const char *file, *kernel;
} kernels[] = { { "layout.cl", "source_layout" },
                { "sequential.cl", "scan_sequential" },
                { "block.cl", "scan_block" },
                { "lookback.cl", "scan_lookback" },
                { "reduce_then_scan.cl", "rts_spine" },
                { "reduce_then_scan.cl", "rts_scan" },
                { "reduce_then_scan.cl", "rts_groups" },
                { "rolled.cl", "rts_scan" },
                { "pipelined.cuh", "scan_pipelined" } };
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static int holds(const char *image, size_t image_bytes, const char *word) {
  const size_t bytes = strlen(word);
  for (size_t i = 0; i + bytes <= image_bytes; i++)
    if (memcmp(image + i, word, bytes) == 0) return 1;
  return 0;
}

/* Returns the most bytes of stack frame of a cubin's kernels, which hold what does not fit registers: attribute 0x11 of
 * .nv.info (CUDA binary utilities: EIATTR_FRAME_SIZE). Attributes of format 4 have a length, others none. */
static uint32_t frame_of(const char *image) {
  Elf64_Ehdr header;
  Elf64_Shdr names, section;
  uint32_t most = 0;
  memcpy(&header, image, sizeof header);
  assert_memory_equal(header.e_ident, ELFMAG, SELFMAG);
  const char *sections = image + header.e_shoff;
  memcpy(&names, sections + header.e_shstrndx * sizeof names, sizeof names);
  for (size_t i = 0; i < header.e_shnum; i++) {
    memcpy(&section, sections + i * sizeof section, sizeof section);
    if (strcmp(image + names.sh_offset + section.sh_name, ".nv.info") != 0) continue;
    const char *end = image + section.sh_offset + section.sh_size;
    for (const char *at = image + section.sh_offset; at < end;) {
      uint16_t value;
      uint32_t frame = 0;
      memcpy(&value, at + 2, sizeof value);
      if (at[0] == 4 && at[1] == 0x11) memcpy(&frame, at + 8, sizeof frame); /* behind the kernel's number */
      if (frame > most) most = frame;
      at += 4 + (at[0] == 4 ? value : 0);
    }
  }
  return most;
}

/* Compiles a kernel. frame_bytes: set to frame_of the cubin; NULL: not needed. */
static scan_status compile_frame(const scan_op_source *from, const scan_kernel_key *wanted, uint32_t capability,
                                 uint32_t *frame_bytes, scan_error *error) {
  scan_kernel_key key = *wanted;
  scan_source source;
  char *image = NULL, name[64];
  size_t image_bytes = 0;
  if (!wanted->checks) assert_int_equal(scan_source_check(from, error), SCAN_SUCCESS); /* else the library's text */
  assert_int_equal(scan_source_copy(from, &source, error), SCAN_SUCCESS);
  key.source = &source;
  const scan_status status =
      scan_cuda_source_compile(&key, capability, capability >= 90 ? 90 : 80, &image, &image_bytes, error);
  scan_source_free(&source);
  snprintf(name, sizeof name, "%s" CUDA_SOURCE_SUFFIX, key.kernel);
  if (status == SCAN_SUCCESS && !holds(image, image_bytes, name)) test_fail("no %s in the image", name);
  if (status == SCAN_SUCCESS && frame_bytes != NULL) *frame_bytes = frame_of(image);
  free(image);
  return status;
}

static scan_status compile_key(const scan_op_source *from, const scan_kernel_key *wanted, uint32_t capability,
                               scan_error *error) {
  return compile_frame(from, wanted, capability, NULL, error);
}

static scan_status compile_one(const scan_op_source *from, int kernel, uint32_t subtiles, uint32_t capability,
                               scan_error *error) {
  const scan_kernel_key key = { .file = kernels[kernel].file, .kernel = kernels[kernel].kernel, .subtiles = subtiles };
  return compile_key(from, &key, capability, error);
}

/* The headers for users' kernels are CUDA C++ to NVRTC. */
static void test_device_headers(void **state) {
  char note[256];
  const nvrtc_api *api = scan_nvrtc_api_get(note, sizeof note);
  const char *const options[] = { "--gpu-architecture=compute_80", "--gpu-architecture=compute_90" };
  static const char kernel[] =
      "SCANRT_KERNEL place(scanrt_device_u32 n, SCANRT_GLOBAL scanrt_device_u64 *first, scanrt_state state) {\n"
      "  SCANRT_SHARED scanrt_scratch scratch;\n"
      "  const scanrt_device_u32 ticket = scanrt_ticket(state, &scratch);\n"
      "  const scanrt_place at = scanrt_allocate(state, ticket, ticket < n, &scratch);\n"
      "  first[ticket * SCANRT_GROUP_ITEMS + SCANRT_ITEM()] = at.first;\n"
      "}\n";
  const char *text = scan_device_text("scanrt/device/lookback.h");
  char *all = malloc(strlen(text) + sizeof kernel + 64);
  (void)state;
  assert_non_null(all);
  for (int items = 32; items <= 1024; items *= 32) {
    sprintf(all, "#define SCANRT_GROUP_ITEMS %d\n%s%s", items, text, kernel);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
      nvrtc_program program;
      char log[2048] = "";
      size_t bytes = 0;
      assert_int_equal(api->create(&program, all, "place", 0, NULL, NULL), 0);
      const nvrtc_result result = api->compile(program, 1, options + i);
      if (result != 0 && api->log_bytes(program, &bytes) == 0 && bytes < sizeof log) (void)api->log(program, log);
      (void)api->destroy(&program);
      if (result != 0) test_fail("%d work-items, %s: %s", items, options[i], log);
    }
  }
  free(all);
}

static int is_there(void) {
  char note[256];
  return scan_nvrtc_api_get(note, sizeof note) != NULL;
}

static void test_compiles(void **state) {
  const source_structure *one = *state;
  scan_error error;
  const uint32_t most = canon_most_subtiles(one->source.value_bytes);
  for (int k = 0; k < KERNELS; k++) {
    const int is_pipelined = strcmp(kernels[k].kernel, "scan_pipelined") == 0;
    const int is_taken = is_pipelined ? most == 8 && 16 % one->source.value_bytes == 0 &&
                                            (one->source.value_bytes > 1 || getenv("SCANRT_TEST_SLOW") != NULL)
                                      : one == operator_at(0) || strcmp(kernels[k].kernel, "scan_lookback") == 0;
    if (is_taken && /* the other kernels share its code */
        compile_one(&one->source, k, k == 0 ? 1 : most, k % 2 ? 90 : 80, &error) != SCAN_SUCCESS)
      test_fail("%s of %s: %s", kernels[k].file, one->name, error.text);
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
  scan_error error;
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
  for (int k = 1; k < 4; k++)
    if (compile_one(&source, k, 8, k % 2 ? 90 : 80, &error) != SCAN_SUCCESS)
      test_fail("%s: %s", kernels[k].file, error.text);
  source.emit = source.output_type = NULL;
  source.output_bytes = source.output_align = 0;
  if (compile_one(&source, 3, 8, 90, &error) != SCAN_SUCCESS) test_fail("map alone: %s", error.text);
}

/* In the program that scan_op_create builds, a map of a wrong type and an undefined function do not compile. */
static void test_signatures(void **state) {
  (void)state;
  static const char *const texts[] = {
    "static inline int32_t to(const uint8_t x, uint64_t i) { return x; }\n",
    "#define to(x, i) ((int32_t)(x))\n",
    "static inline int32_t to(uint8_t x, uint32_t i) { return x; }\n",
    "static inline int32_t to(int32_t x, uint64_t i) { return x; }\n",
    "static inline int64_t to(uint8_t x, uint64_t i) { return x; }\n",
    "int32_t nowhere(uint8_t x);\nstatic inline int32_t to(uint8_t x, uint64_t i) { return nowhere(x); }\n"
  };
  enum { GOOD = 2, TEXTS = sizeof texts / sizeof texts[0] };
  for (int i = 0; i < TEXTS; i++) {
    scan_error error = { "" };
    char text[400];
    snprintf(text, sizeof text, "%sstatic inline int32_t add(int32_t a, int32_t b) { return a + b; }\n", texts[i]);
    const scan_op_source source = { .text = text,
                                    .type = "int32_t",
                                    .combine = "add",
                                    .value_bytes = 4,
                                    .value_align = 4,
                                    .map = "to",
                                    .input_type = "uint8_t",
                                    .input_bytes = 1,
                                    .input_align = 1 };
    const scan_status status = compile_one(&source, 0, 1, 90, &error);
    if (status != (i < GOOD ? SCAN_SUCCESS : SCAN_BUILD_FAILED))
      test_fail("%s: %s: %s", texts[i], scan_status_name(status), error.text);
  }
}

/* A map and an emit that the pipelined scan supports: vectors of 4 elements; 8 bytes of input, 16 and 8 of output. */
static void test_pipelined_fused(void **state) {
  (void)state;
  scan_error error;
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
  if (compile_one(&source, 6, 8, 90, &error) != SCAN_SUCCESS) test_fail("map: %s", error.text);
  source.emit = "half_emit";
  source.output_type = "uint16_t";
  source.output_bytes = source.output_align = 2;
  for (uint32_t capability = 80; capability <= 90; capability += 10)
    if (compile_one(&source, 6, 8, capability, &error) != SCAN_SUCCESS) test_fail("both: %s", error.text);
}

static void test_segments(void **state) {
  (void)state;
  scan_error error;
  const scan_op_source source = operator_at(2)->source;
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
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    if (compile_key(&source, &keys[k], k % 2 ? 90 : 80, &error) != SCAN_SUCCESS)
      test_fail("%s: %s", keys[k].file, error.text);
}

/* Rows of the pipelined scan must stay in registers: spilling halves the speed (tools/doc/measurements/source.md),
 * which no result shows. */
static void test_registers(void **state) {
  (void)state;
  scan_error error;
  static const struct {
    const char *type;
    uint32_t bytes, segments;
  } cases[] = { { "uint16_t", 2, SCAN_SEGMENTS_FLAGS },
                { "float", 4, SCAN_SEGMENTS_KEYS },
                { "double", 8, SCAN_SEGMENTS_NONE },
                { "double", 8, SCAN_SEGMENTS_FLAGS },
                { "int64_t", 8, SCAN_SEGMENTS_KEYS } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[128];
    uint32_t frame_bytes = UINT32_MAX;
    const int is_keyed = cases[i].segments == SCAN_SEGMENTS_KEYS, is_flat = cases[i].segments == SCAN_SEGMENTS_NONE;
    snprintf(text, sizeof text, "static inline %s plus(%s a, %s b) { return (%s)(a + b); }\n", cases[i].type,
             cases[i].type, cases[i].type, cases[i].type);
    const scan_op_source source = { .text = text,
                                    .type = cases[i].type,
                                    .combine = "plus",
                                    .value_bytes = cases[i].bytes,
                                    .value_align = cases[i].bytes };
    const scan_kernel_key key = { .file = "pipelined.cuh",
                                  .kernel = "scan_pipelined",
                                  .subtiles = 8,
                                  .segments = cases[i].segments,
                                  .key_type = is_keyed ? SCAN_I32 : SCAN_TYPE_DEFAULT,
                                  .flags_known = is_flat ? 0 : SCAN_KERNEL_INCLUSIVE | SCAN_KERNEL_SEED };
    if (compile_frame(&source, &key, i % 2 ? 80 : 90, &frame_bytes, &error) != SCAN_SUCCESS)
      test_fail("%s", error.text);
    if (frame_bytes != 0)
      test_fail("sums of %s, segments %u: a work-item has %u bytes in memory", cases[i].type, cases[i].segments,
                frame_bytes);
  }
}

/* Kernels for elements with steps: backward scans, with and without segments, and lines of arrays. */
static void test_steps(void **state) {
  (void)state;
  scan_error error;
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
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    if (compile_key(&operator_at(2)->source, &keys[k], k % 2 ? 90 : 80, &error) != SCAN_SUCCESS)
      test_fail("%s: %s", keys[k].file, error.text);
  const scan_kernel_key large = { .file = "rows_group.cl", .kernel = "scan_rows", .subtiles = 1, .steps = 1 };
  for (size_t i = 0; i < OPERATOR_CASES; i++)
    if (canon_most_subtiles(operator_at(i)->source.value_bytes) == 1 &&
        compile_key(&operator_at(i)->source, &large, 90, &error) != SCAN_SUCCESS)
      test_fail("%s: %s", operator_at(i)->name, error.text);
}

/* Checked sums, written as in the library's own sources of built-in operators. */
static void test_overflow(void **state) {
  (void)state;
  scan_error error;
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
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    if (compile_key(&source, &keys[k], 90, &error) != SCAN_SUCCESS) test_fail("%s: %s", keys[k].file, error.text);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static char *image_of(scan_source *source, uint32_t subtiles, size_t *bytes, double *took) {
  const scan_kernel_key key = {
    .file = "lookback.cl", .kernel = "scan_lookback", .subtiles = subtiles, .source = source
  };
  scan_error error;
  char *image = NULL;
  const double begin = seconds();
  if (scan_cuda_source_compile(&key, 90, 90, &image, bytes, &error) != SCAN_SUCCESS) test_fail("%s", error.text);
  *took = seconds() - begin;
  return image;
}

static int files_in(const char *folder) {
  int count = 0;
  DIR *at = opendir(folder);
  for (struct dirent *entry; at != NULL && (entry = readdir(at)) != NULL;) count += entry->d_name[0] != '.';
  if (at != NULL) closedir(at);
  return count;
}

/* Images are cached on disk: the same one is loaded without being compiled; another text has its own. */
static void test_kept(void **state) {
  (void)state;
  char folder[] = "/tmp/scanrt_nvrtc_XXXXXX", command[64];
  scan_error error;
  scan_source source;
  size_t bytes[3];
  double took[3];
  assert_non_null(mkdtemp(folder));
  setenv("SCANRT_CACHE", folder, 1);
  assert_int_equal(scan_source_copy(&operator_at(2)->source, &source, &error), SCAN_SUCCESS);
  char *first = image_of(&source, 8, &bytes[0], &took[0]), *again = image_of(&source, 8, &bytes[1], &took[1]);
  assert_int_equal(bytes[0], bytes[1]);
  assert_memory_equal(first, again, bytes[0]);
  assert_int_equal(files_in(folder), 1);
  if (took[1] > took[0] / 4) test_fail("%.3f s, and again %.3f s: compiled twice", took[0], took[1]);
  char *other = image_of(&source, 1, &bytes[2], &took[2]);
  assert_int_equal(files_in(folder), 2);
  assert_true(bytes[2] != bytes[0] || memcmp(first, other, bytes[0]) != 0);
  free(first);
  free(again);
  free(other);
  scan_source_free(&source);
  setenv("SCANRT_CACHE", "off", 1);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

/* A device newer than NVRTC knows gets PTX. */
static void test_newer_device(void **state) {
  (void)state;
  scan_error error;
  if (compile_one(&operator_at(0)->source, 1, 8, 9999, &error) != SCAN_SUCCESS) test_fail("%s", error.text);
}

static void test_mistakes(void **state) {
  (void)state;
  scan_error error;
  scan_op_source source = operator_at(0)->source;
  source.text =
      "typedef struct { unsigned a, b, c; } words3;\n\nstatic inline words3 words3_combine(words3 a, words3 b) {\n"
      "  return a + 1;\n}\n";
  assert_int_equal(compile_one(&source, 0, 1, 90, &error), SCAN_BUILD_FAILED);
  if (strstr(error.text, "operator(4)") == NULL) test_fail("no line 4 of the operator in: %s", error.text);
}

static void test_names(void **state) {
  (void)state;
  scan_error error;
  const scan_op_source source = {
    .text = operator_names_text, .type = "scan_job", .combine = "job", .value_bytes = 4, .value_align = 4
  };
  for (int k = 0; k < KERNELS; k++)
    if ((k == 0 || strcmp(kernels[k].file, kernels[k - 1].file) != 0) && /* the kernels of a file are one program */
        compile_one(&source, k, 8, 90, &error) != SCAN_SUCCESS)
      test_fail("%s: %s", kernels[k].file, error.text);
}

static void test_absent(void **state) {
  (void)state;
  scan_error error;
  assert_int_equal(compile_one(&operator_at(0)->source, 0, 1, 90, &error), SCAN_UNSUPPORTED);
  if (strstr(error.text, "NVRTC") == NULL || strstr(error.text, getenv("SCANRT_LIBNVRTC")) == NULL ||
      strstr(error.text, "$SCANRT_LIBNVRTC") == NULL)
    test_fail("what is missing is not named: %s", error.text);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(int argc, char **argv) {
  struct CMUnitTest tests[OPERATOR_CASES + 12];
  const struct CMUnitTest others[] = { TEST(test_newer_device),    TEST(test_mistakes),   TEST(test_names),
                                       TEST(test_fused),           TEST(test_segments),   TEST(test_overflow),
                                       TEST(test_pipelined_fused), TEST(test_steps),      TEST(test_kept),
                                       TEST(test_registers),       TEST(test_signatures), TEST(test_device_headers) };
  const struct CMUnitTest absent[] = { TEST(test_absent) };
  size_t count = 0;
  if (argc > 1 && strcmp(argv[1], "absent") == 0)
    return test_exit(cmocka_run_group_tests_name("nvrtc absent", absent, NULL, NULL));
  if (!is_there()) test_skip_program("there is no NVRTC (libnvrtc.so)");
  for (size_t i = 0; i < OPERATOR_CASES; i++)
    tests[count++] = (struct CMUnitTest){ operator_at(i)->name, test_compiles, NULL, NULL, (void *)operator_at(i) };
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) tests[count++] = others[i];
  return test_exit(_cmocka_run_group_tests("nvrtc", tests, count, NULL, NULL));
}
