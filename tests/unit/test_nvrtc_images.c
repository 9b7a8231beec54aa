/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests what NVRTC returns: registers of the pipelined scan, images kept on disk, messages about mistakes; users'
 * kernels; a machine without NVRTC. */
#define _GNU_SOURCE /* mkdtemp, setenv, clock_gettime */
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <scanrt/scan_device.h>

#include "device/cuda/nvrtc_api.h"
#include "device/source.h"
#include "nvrtc_compile.h"
#include "operators.h"
#include "support.h"

/* ---- images ---- */

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
    char *image = NULL;
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
    if (nvrtc_compile(&source, &key, i % 2 ? 80 : 90, &image, &error) != SCAN_SUCCESS) test_fail("%s", error.text);
    const uint32_t frame_bytes = frame_of(image);
    free(image);
    if (frame_bytes != 0)
      test_fail("sums of %s, segments %u: a work-item has %u bytes in memory", cases[i].type, cases[i].segments,
                frame_bytes);
  }
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

/* ---- messages ---- */

/* Compiles the smallest kernel, which has the text of the operator. */
static scan_status compile_layout(const scan_op_source *source, scan_error *error) {
  const scan_kernel_key key = { .file = "layout.cl", .kernel = "source_layout", .subtiles = 1 };
  return nvrtc_compile(source, &key, 90, NULL, error);
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
    const scan_status status = compile_layout(&source, &error);
    if (status != (i < GOOD ? SCAN_SUCCESS : SCAN_BUILD_FAILED))
      test_fail("%s: %s: %s", texts[i], scan_status_name(status), error.text);
  }
}

static void test_mistakes(void **state) {
  (void)state;
  scan_error error;
  scan_op_source source = operator_at(0)->source;
  source.text =
      "typedef struct { unsigned a, b, c; } words3;\n\nstatic inline words3 words3_combine(words3 a, words3 b) {\n"
      "  return a + 1;\n}\n";
  assert_int_equal(compile_layout(&source, &error), SCAN_BUILD_FAILED);
  if (strstr(error.text, "operator(4)") == NULL) test_fail("no line 4 of the operator in: %s", error.text);
}

static void test_absent(void **state) {
  (void)state;
  scan_error error;
  assert_int_equal(compile_layout(&operator_at(0)->source, &error), SCAN_UNSUPPORTED);
  if (strstr(error.text, "NVRTC") == NULL || strstr(error.text, getenv("SCANRT_LIBNVRTC")) == NULL ||
      strstr(error.text, "$SCANRT_LIBNVRTC") == NULL)
    test_fail("what is missing is not named: %s", error.text);
}

/* ---- users' kernels ---- */

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

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(int argc, char **argv) {
  const struct CMUnitTest absent[] = { TEST(test_absent) };
  const struct CMUnitTest tests[] = { TEST(test_registers), TEST(test_kept), TEST(test_signatures), TEST(test_mistakes),
                                      TEST(test_device_headers) };
  if (argc > 1 && strcmp(argv[1], "absent") == 0)
    return test_exit(cmocka_run_group_tests_name("nvrtc absent", absent, NULL, NULL));
  nvrtc_require();
  return test_exit(cmocka_run_group_tests_name("nvrtc images", tests, NULL, NULL));
}
