/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the disk cache with programs of real OpenCL drivers: a second context compiles nothing, no damaged file reaches
 * a driver, and processes may start at the same time. */
#include "lookback_state.h"
#include "core/context.h"
#include "device/opencl/opencl_device.h"
#include "device/program_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 70000, FEW_ITEMS = 8000 /* for llvmpipe */, PATH_BYTES = 512, MOST_FILES = 16, PROCESSES = 8 };

static char cache[160]; /* $SCANRT_CACHE */

/* ---- one scan of a new context ---- */

typedef struct outcome {
  unsigned built, loaded;
} outcome;

static const scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);

/* Scans on a new context and checks the result. Returns how many programs were built and loaded. */
static outcome scan_once(void) {
  scan_ctx *ctx = test_ctx_new();
  fixture_prepare(&spec, ITEMS);
  test_ok(ctx, scan_run(ctx, &spec, ITEMS, scan_host(fixture_values()), scan_host(fixture_result())), "scan_run");
  fixture_check_result(&spec, ITEMS);
  const outcome seen = { ctx->device->programs_built, ctx->device->programs_loaded };
  scan_ctx_destroy(ctx);
  return seen;
}

static void expect(unsigned built, unsigned loaded, const char *when) {
  const outcome seen = scan_once();
  if (seen.built != built || seen.loaded != loaded)
    test_fail("%s: %u built and %u loaded instead of %u and %u", when, seen.built, seen.loaded, built, loaded);
}

/* ---- the cache's files ---- */

static int set_up(void **state) {
  const char *temporary = getenv("TMPDIR");
  snprintf(cache, sizeof cache, "%.90s/scanrt-cache-XXXXXX", temporary ? temporary : "/tmp");
  if (mkdtemp(cache) == NULL) test_fail("mkdtemp %s: %s", cache, strerror(errno));
  setenv("SCANRT_CACHE", cache, 1);
  return test_count_setup(state);
}

static int tear_down(void **state) {
  char command[PATH_BYTES];
  (void)state;
  setenv("SCANRT_CACHE", "off", 1);
  snprintf(command, sizeof command, "rm -rf '%s'", cache);
  return system(command);
}

/* Calls change(path) for every program in the folder. Returns their number. */
static unsigned for_each_file(void (*change)(const char *path)) {
  unsigned count = 0;
  DIR *folder = opendir(cache);
  assert_non_null(folder);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[PATH_BYTES];
    if (strstr(entry->d_name, PROGRAM_CACHE_SUFFIX) == NULL) continue;
    snprintf(path, sizeof path, "%s/%.64s", cache, entry->d_name);
    if (change != NULL) change(path);
    count++;
  }
  closedir(folder);
  return count;
}

static off_t size_of(const char *path) {
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  return facts.st_size;
}

static void put(const char *path, off_t at, const void *data, size_t bytes) {
  const int file = open(path, O_WRONLY);
  assert_true(file >= 0);
  assert_int_equal(pwrite(file, data, bytes, at), bytes);
  close(file);
}

static void make_empty(const char *path) { assert_int_equal(truncate(path, 0), 0); }
static void make_half(const char *path) { assert_int_equal(truncate(path, size_of(path) / 2), 0); }
static void lose_last_byte(const char *path) { assert_int_equal(truncate(path, size_of(path) - 1), 0); }
static void gain_a_byte(const char *path) { assert_int_equal(truncate(path, size_of(path) + 1), 0); }
static void change_binary(const char *path) { put(path, size_of(path) - 100, "?!", 2); }
static void change_version(const char *path) { put(path, 8, "\x7f", 1); }
static void make_foreign(const char *path) {
  put(path, 0,
      "\x7f"
      "ELF\x02\x01\x01",
      7);
}
static void make_folder(const char *path) {
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
}
static void make_link(const char *path) {
  assert_int_equal(unlink(path), 0);
  assert_int_equal(symlink("nowhere", path), 0);
}

/* ---- tests ---- */

static void test_second_context(void **state) {
  (void)state;
  const outcome first = scan_once();
  assert_true(first.built > 0);
  assert_int_equal(first.loaded, 0);
  assert_int_equal(for_each_file(NULL), first.built);
  expect(0, first.built, "the second context");
  setenv("SCANRT_CACHE", "off", 1);
  expect(first.built, 0, "with the cache off");
}

static void test_other_options(void **state) {
  (void)state;
  const outcome first = scan_once();
  scan_spec other = spec;
  scan_ctx *ctx = test_ctx_new();
  other.op = SCAN_MAX;
  fixture_prepare(&other, ITEMS);
  test_ok(ctx, scan_run(ctx, &other, ITEMS, scan_host(fixture_values()), scan_host(fixture_result())), "scan_run");
  fixture_check_result(&other, ITEMS);
  assert_int_equal(ctx->device->programs_loaded, 0);
  scan_ctx_destroy(ctx);
  expect(0, first.built, "the first operator again");
}

static void test_damage(void **state) {
  (void)state;
  static const struct {
    void (*change)(const char *path);
    const char *name;
  } kinds[] = { { make_empty, "empty" },
                { make_half, "half" },
                { lose_last_byte, "a byte less" },
                { gain_a_byte, "a byte more" },
                { change_binary, "changed" },
                { change_version, "another version" },
                { make_foreign, "another kind of file" },
                { make_link, "a link to nowhere" },
                { make_folder, "a folder" } };
  const unsigned count = scan_once().built;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    assert_int_equal(for_each_file(kinds[i].change), count);
    expect(count, 0, kinds[i].name);
    if (kinds[i].change != make_folder) expect(0, count, "repaired");
  }
}

/* ---- a valid file with a binary that the driver did not write ---- */

static program_cache_key keys[MOST_FILES];
static unsigned key_count;

/* Reads the key from a file. The header has 48 bytes; its third word of 8 bytes is the key's size. */
static void collect_key(const char *path) {
  uint64_t header[6];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(header, 8, 6, file), 6);
  program_cache_key *key = &keys[key_count++];
  *key = (program_cache_key){ malloc(header[2]), header[2] };
  assert_true(key->text != NULL && key_count <= MOST_FILES);
  assert_int_equal(fread(key->text, 1, key->bytes, file), key->bytes);
  fclose(file);
}

static void test_refused(void **state) {
  (void)state;
  unsigned char junk[5000];
  if (strstr(test_info()->name, "llvmpipe") != NULL) {
    test_skipped("a binary that the driver refuses: rusticl aborts the process over it");
    return;
  }
  memset(junk, 0x5a, sizeof junk);
  const unsigned count = scan_once().built;
  key_count = 0;
  assert_int_equal(for_each_file(collect_key), count);
  for (unsigned i = 0; i < key_count; i++) scan_program_cache_store(&keys[i], junk, sizeof junk);
  expect(count, 0, "junk");
  expect(0, count, "replaced");
  for (unsigned i = 0; i < key_count; i++) scan_program_cache_key_free(&keys[i]);
}

/* ---- processes that start at the same time with an empty cache ---- */

/* The value of $OCL_ICD_FILENAMES when the process started. The Khronos loader cuts the variable at the first colon,
 * which would hide all drivers but one from the processes that this one starts. */
static char *icd_files;

static pid_t start_another(const char *program) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child != 0) return child;
  if (icd_files != NULL) setenv("OCL_ICD_FILENAMES", icd_files, 1);
  (void)execl("/proc/self/exe", program, "scan", (char *)NULL);
  _exit(127);
}

static void test_many_processes(void **state) {
  pid_t children[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) children[i] = start_another("test_cache");
  (void)state;
  for (int i = 0; i < PROCESSES; i++) {
    int status;
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) test_fail("process %d ended with status %#x", i, status);
  }
  const unsigned count = for_each_file(NULL);
  assert_true(count > 0);
  expect(0, count, "after the crowd");
}

/* ---- threads with their own contexts ---- */

enum { THREADS = 4, CONTEXTS = 3, THREAD_ITEMS = 20000 };

typedef struct worker {
  uint32_t in[THREAD_ITEMS], out[THREAD_ITEMS];
  unsigned right;
} worker;

static int is_sum(const worker *w) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < THREAD_ITEMS; i++)
    if (w->out[i] != (sum += w->in[i])) return 0;
  return 1;
}

static void *scan_in_thread(void *data) {
  worker *w = data;
  for (uint32_t round = 0; round < CONTEXTS; round++) {
    scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
    scan_ctx *ctx = NULL;
    options.device = test_selector();
    for (uint32_t i = 0; i < THREAD_ITEMS; i++) w->in[i] = (i + round) * 2654435761u;
    memset(w->out, 0xa5, sizeof w->out);
    if (scan_ctx_create(&options, &ctx) != SCAN_SUCCESS) return NULL;
    if (scan_run(ctx, &spec, THREAD_ITEMS, scan_host(w->in), scan_host(w->out)) == SCAN_SUCCESS)
      w->right += (unsigned)is_sum(w);
    scan_ctx_destroy(ctx);
  }
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  if (strstr(test_info()->vendor, "Oclgrind") != NULL) {
    test_skipped("threads: Oclgrind takes no launches at once");
    return;
  }
  worker *workers = calloc(THREADS, sizeof *workers);
  assert_non_null(workers);
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, scan_in_thread, &workers[i]), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) assert_int_equal(workers[i].right, CONTEXTS);
  free(workers);
}

/* ---- programs of a plan, built by several threads ---- */

/* Makes a plan of several programs. Returns how many were built and loaded. */
static outcome make_plan(const char *tuning) {
  scan_spec segmented = spec;
  scan_plan *plan = NULL;
  setenv("SCANRT_TUNE", tuning, 1);
  scan_ctx *ctx = test_ctx_new();
  unsetenv("SCANRT_TUNE");
  segmented.segments = SCAN_SEGMENTS_OFFSETS;
  segmented.key_type = SCAN_U32;
  test_ok(ctx, scan_plan_create(ctx, &segmented, FEW_ITEMS, &plan), "scan_plan_create");
  const outcome seen = { ctx->device->programs_built, ctx->device->programs_loaded };
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
  return seen;
}

static void test_build_threads(void **state) {
  (void)state;
  const outcome first = make_plan("build_threads=4"), second = make_plan("build_threads=4");
  assert_true(first.built > 1);
  assert_int_equal(first.loaded, 0);
  assert_int_equal(second.built, 0);
  assert_int_equal(second.loaded, first.built);
  setenv("SCANRT_CACHE", "off", 1);
  assert_int_equal(make_plan("build_threads=1").built, first.built);
}

#define CACHE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void scan_alone(void **state) {
  (void)state;
  (void)scan_once();
  test_ran();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    CACHE_TEST(test_second_context), CACHE_TEST(test_other_options), CACHE_TEST(test_damage),
    CACHE_TEST(test_threads),        CACHE_TEST(test_refused),       CACHE_TEST(test_many_processes),
    CACHE_TEST(test_build_threads),
  };
  const struct CMUnitTest alone[] = { cmocka_unit_test(scan_alone) };
  const int is_one_of_many = argc > 1 && strcmp(argv[1], "scan") == 0;
  const char *files = getenv("OCL_ICD_FILENAMES");
  if (files != NULL) icd_files = strdup(files);
  (void)test_device_open();
  if (test_info()->backend != SCAN_BACKEND_OPENCL) test_skip_program("%s is not OpenCL", test_selector());
  if (is_one_of_many) return test_exit(cmocka_run_group_tests_name("one of many", alone, NULL, NULL));
  return test_exit(cmocka_run_group_tests_name("cache", tests, NULL, NULL));
}
