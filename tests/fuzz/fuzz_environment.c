/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the environment: an input holds the values of variables. A context is made or refused with a sentence, and its
 * results are right for all values. Driver libraries that variables name are not opened: their code would run. */
#define _POSIX_C_SOURCE 200809L
#include "device/program_cache.h"
#include "device/tuning.h"
#include "fuzz.h"
#include "support.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 700, ITEMS = 700 };

static const char *const variables[] = { "SCANRT_TUNE",    "SCANRT_DEVICE", "SCANRT_STRATEGY", "SCANRT_CACHE",
                                         "XDG_CACHE_HOME", "HOME",          "SCANRT_LOG" };
enum { VARIABLES = sizeof variables / sizeof variables[0] };

static void set_variables(fuzz_input *in) {
  char text[TEXT_BYTES];
  const unsigned given = fuzz_byte(in);
  if (setenv("SCANRT_LIBCUDA", "/nonexistent/libcuda.so", 1) != 0) abort(); /* so that a GPU is not used */
  for (unsigned i = 0; i < VARIABLES; i++) {
    (void)unsetenv(variables[i]);
    if (!(given >> i & 1)) continue;
    fuzz_text(in, text, sizeof text);
    /* Other devices may exist, but they are slow. */
    if (strcmp(variables[i], "SCANRT_DEVICE") == 0 && strncmp(text, "host", 4) != 0 && strncmp(text, "cuda", 4) != 0)
      continue;
    if (strcmp(variables[i], "SCANRT_LOG") == 0 && fuzz_byte(in) < 250) continue; /* too much output */
    if (setenv(variables[i], text, 1) != 0) abort();
  }
}

/* ---- tunings ---- */

/* 1 if all numbers are equal; the padding between them is not compared. */
static int are_same(const scan_tuning *a, const scan_tuning *b) {
  const size_t words = offsetof(scan_tuning, descriptors) + sizeof a->descriptors;
  const size_t rest = offsetof(scan_tuning, sort_parts) + sizeof a->sort_parts;
  const size_t from = offsetof(scan_tuning, pipelined_bytes);
  return memcmp(a, b, words) == 0 && memcmp((const char *)a + from, (const char *)b + from, rest - from) == 0;
}

static void check_tuning(void) {
  scan_error error = { { 0 } };
  const char *text = getenv("SCANRT_TUNE");
  const scan_status status = scan_tuning_check(&error);
  if (status != SCAN_SUCCESS && (status != SCAN_INVALID_ARGUMENT || strstr(error.text, "SCANRT_TUNE") == NULL))
    fuzz_fail("'%s' is refused in these words: %s", text, error.text);
  for (int c = 0; c <= SCAN_CLASS_CUDA_90; c++) {
    const scan_tuning best = scan_tuning_from((scan_device_class)c, NULL);
    const scan_tuning tuning = scan_tuning_from((scan_device_class)c, text);
    if (status != SCAN_SUCCESS && !are_same(&best, &tuning)) fuzz_fail("'%s', refused, changes class %d", text, c);
    if (tuning.group_items == 0 || tuning.group_items > TUNE_GROUP_ITEMS)
      fuzz_fail("'%s': group_items of class %d", text, c);
    if (tuning.image > best.image) fuzz_fail("'%s': an image newer than the device, class %d", text, c);
    if (tuning.stages != 0 && (tuning.stages < TUNE_PIPE_FEWEST_STAGES(1) || best.stages == 0))
      fuzz_fail("'%s': stages of class %d", text, c);
  }
}

/* ---- the cache's folder ---- */

static void check_folder(void) {
  char path[PATH_MAX];
  const char *reason = NULL, *given = getenv("SCANRT_CACHE");
  const int found = scan_program_cache_folder(path, sizeof path, &reason);
  if (!found && (reason == NULL || reason[0] == '\0')) fuzz_fail("no folder, and no reason");
  if (found && (path[0] == '\0' || strlen(path) >= sizeof path)) fuzz_fail("a folder without a path");
  if (found && given != NULL && strcmp(given, "off") == 0) fuzz_fail("a folder where the cache is off");
  if (found && (given == NULL || given[0] == '\0') && path[0] != '/')
    fuzz_fail("a relative folder that nobody named: %s", path);
}

/* ---- a context ---- */

static void check_sum(scan_ctx *ctx) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const int32_t number = 3;
  fuzz_memory in = fuzz_reserve(ITEMS * sizeof number, 0), out = fuzz_reserve(ITEMS * sizeof number, 0);
  for (int i = 0; i < ITEMS; i++) memcpy(in.data + (size_t)i * sizeof number, &number, sizeof number);
  const scan_status status = scan_run(ctx, &spec, ITEMS, scan_host(in.data), scan_host(out.data));
  if (status != SCAN_SUCCESS) fuzz_refused(ctx, status, "scan_run"); /* the host lacks the strategy */
  for (int i = 0; i < ITEMS && status == SCAN_SUCCESS; i++)
    if (((const int32_t *)(const void *)out.data)[i] != 3 * (i + 1)) fuzz_fail("a sum is wrong at %d", i);
  free(in.begin);
  free(out.begin);
}

static void check_context(uint32_t threads) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  scan_ctx *ctx = NULL;
  options.device = getenv("SCANRT_DEVICE") ? NULL : "host";
  options.threads = threads;
  const scan_status status = scan_ctx_create(&options, &ctx);
  if (status != SCAN_SUCCESS) {
    if (ctx != NULL) fuzz_fail("a context that is refused is set");
    if (status != SCAN_NO_DEVICE) fuzz_refused(NULL, status, "scan_ctx_create");
    if (scan_last_error(NULL)[0] == '\0') fuzz_fail("scan_ctx_create refuses without a sentence");
    return;
  }
  fuzz_done(ctx, scan_ctx_device(ctx, &info), "scan_ctx_device");
  if (info.backend != SCAN_BACKEND_HOST) fuzz_fail("'%s' is %s", getenv("SCANRT_DEVICE"), info.selector);
  check_sum(ctx);
  scan_ctx_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_input in = { data, bytes };
  const uint32_t threads = test_host_threads(1 + (uint32_t)fuzz_below(&in, 3));
  set_variables(&in);
  check_tuning();
  check_folder();
  check_context(threads);
  return 0;
}
