/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests claims of programs in the cache: of several processes one compiles, and no claim delays a process for long. */
#include "device/program_claim.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 256, FOR_EVER_MS = 600000, HOUR = 60 * 60 };

static char cache[128];            /* $SCANRT_CACHE */
static char link_path[PATH_BYTES]; /* the key's claim */
static program_cache_key key;
static const char binary[] = "what a compiler made";

static int set_up(void **state) {
  const program_cache_part part = program_cache_text("source", "a program");
  const char *temporary = getenv("TMPDIR");
  char name[PROGRAM_CACHE_NAME_BYTES];
  snprintf(cache, sizeof cache, "%.90s/scanrt-claim-XXXXXX", temporary ? temporary : "/tmp");
  if (mkdtemp(cache) == NULL) test_fail("mkdtemp %s: %s", cache, strerror(errno));
  setenv("SCANRT_CACHE", cache, 1);
  assert_int_equal(scan_program_cache_key_make(&part, 1, &key), 1);
  scan_program_cache_name(&key, name);
  snprintf(link_path, sizeof link_path, "%s/%.32s" PROGRAM_CLAIM_SUFFIX, cache, name);
  return test_count_setup(state);
}

static int tear_down(void **state) {
  char command[PATH_BYTES];
  (void)state;
  scan_program_cache_key_free(&key);
  snprintf(command, sizeof command, "rm -rf '%s'", cache);
  return system(command);
}

/* Makes a claim of any machine's process, with its time `seconds` from now; negative: in the past. */
static void plant(const char *text, int seconds) {
  const struct timespec at = { .tv_sec = time(NULL) + seconds }, times[] = { at, at };
  (void)unlink(link_path);
  assert_int_equal(symlink(text, link_path), 0);
  assert_int_equal(utimensat(AT_FDCWD, link_path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static int is_claimed(void) {
  struct stat facts;
  return lstat(link_path, &facts) == 0;
}

enum outcome { FAULT, LOADED, CLAIMED, ON_ITS_OWN };

static enum outcome load(unsigned most_ms, program_claim *claim) {
  size_t bytes = 0;
  char *loaded = scan_program_claim_load_within(&key, &bytes, most_ms, claim);
  const int is_right = loaded != NULL && bytes == sizeof binary && memcmp(loaded, binary, bytes) == 0;
  const int was_loaded = loaded != NULL;
  free(loaded);
  if (was_loaded) return is_right && claim->name[0] == '\0' ? LOADED : FAULT;
  return claim->name[0] ? CLAIMED : ON_ITS_OWN;
}

static void store(void) { scan_program_cache_store(&key, binary, sizeof binary); }

static void expect(enum outcome expected, unsigned most_ms) {
  program_claim claim;
  assert_int_equal(load(most_ms, &claim), expected);
  scan_program_claim_release(&claim);
}

/* ---- one process ---- */

static void test_alone(void **state) {
  (void)state;
  program_claim claim;
  assert_int_equal(load(FOR_EVER_MS, &claim), CLAIMED);
  assert_true(is_claimed());
  store();
  scan_program_claim_release(&claim);
  assert_false(is_claimed());
  expect(LOADED, FOR_EVER_MS);
  assert_false(is_claimed());
  scan_program_claim_release(&claim); /* no effect: already released */
}

static void test_wait_ends(void **state) {
  (void)state;
  plant("scanrt-claim:another machine:1", HOUR); /* its clock is ahead */
  expect(ON_ITS_OWN, 50);
  assert_true(is_claimed());
  plant("scanrt-claim:another machine:1", 0);
  expect(ON_ITS_OWN, 0);
}

static void test_old_claim(void **state) {
  (void)state;
  plant("scanrt-claim:another machine:1", -HOUR);
  expect(CLAIMED, FOR_EVER_MS);
  assert_false(is_claimed());
}

/* A link of this user with an invalid text is waited for like a claim, and not followed. */
static void test_nonsense(void **state) {
  static const char *const texts[] = { "x", "scanrt-claim", "scanrt-claim::", "scanrt-claim:m:99999999999999999999" };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    plant(texts[i], HOUR);
    expect(ON_ITS_OWN, 20);
  }
  (void)unlink(link_path);
  assert_int_equal(mkdir(link_path, 0700), 0);
  expect(ON_ITS_OWN, FOR_EVER_MS);
  assert_int_equal(rmdir(link_path), 0);
}

/* A late process releases its claim after another one has taken over: the other claim stays. */
static void test_taken_over(void **state) {
  (void)state;
  program_claim claim;
  assert_int_equal(load(FOR_EVER_MS, &claim), CLAIMED);
  plant("scanrt-claim:another machine:1", 5);
  scan_program_claim_release(&claim);
  assert_true(is_claimed());
}

/* A folder in which no file can be made. */
static void test_read_only(void **state) {
  (void)state;
  setenv("SCANRT_CACHE", "/proc/self", 1);
  expect(ON_ITS_OWN, FOR_EVER_MS);
  setenv("SCANRT_CACHE", "off", 1);
  expect(ON_ITS_OWN, FOR_EVER_MS);
}

static void test_trim(void **state) {
  (void)state;
  const int folder = open(cache, O_RDONLY | O_DIRECTORY);
  plant("scanrt-claim:another machine:1", -HOUR / 2);
  scan_program_cache_trim(folder, 0);
  assert_true(is_claimed());
  plant("scanrt-claim:another machine:1", -2 * HOUR);
  scan_program_cache_trim(folder, 0);
  assert_false(is_claimed());
  close(folder);
}

/* ---- several processes ---- */

static pid_t start(int (*body)(int), int pipe_end) {
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(body(pipe_end));
  return child;
}

static void expect_end(pid_t child) {
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) test_fail("a child ended with status %#x", status);
}

static int claim_and_stop(int out) {
  program_claim claim;
  if (load(FOR_EVER_MS, &claim) != CLAIMED || write(out, "c", 1) != 1) return 1;
  for (;;) pause();
}

/* The claim of a killed process is not waited for on its machine. */
static void test_killed(void **state) {
  (void)state;
  int ends[2], status;
  char byte;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = start(claim_and_stop, ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_true(is_claimed());
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(is_claimed());
  expect(CLAIMED, FOR_EVER_MS);
  close(ends[0]);
  close(ends[1]);
}

static int wait_for_it(int out) {
  program_claim claim;
  if (write(out, "w", 1) != 1) return 1;
  return load(FOR_EVER_MS, &claim) == LOADED ? 0 : 2;
}

static void test_wait(void **state) {
  (void)state;
  int ends[2];
  char byte;
  program_claim claim;
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(load(FOR_EVER_MS, &claim), CLAIMED);
  const pid_t child = start(wait_for_it, ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  store();
  scan_program_claim_release(&claim);
  expect_end(child);
  close(ends[0]);
  close(ends[1]);
}

enum { PROCESSES = 16 };

/* Starts several processes that run `body`; returns how many of them compile. */
static int count_compilers(int (*body)(int)) {
  pid_t children[PROCESSES];
  int ends[2], count = 0;
  char byte;
  assert_int_equal(pipe(ends), 0);
  for (int i = 0; i < PROCESSES; i++) children[i] = start(body, ends[1]);
  close(ends[1]);
  for (int i = 0; i < PROCESSES; i++) expect_end(children[i]);
  while (read(ends[0], &byte, 1) == 1) count++;
  close(ends[0]);
  assert_false(is_claimed());
  return count;
}

static int compile(int out) {
  program_claim claim;
  const enum outcome found = load(FOR_EVER_MS, &claim);
  if (found == LOADED) return 0;
  if (found != CLAIMED || write(out, "c", 1) != 1) return 1;
  store();
  scan_program_claim_release(&claim);
  return 0;
}

static int fail_to_compile(int out) {
  program_claim claim;
  const enum outcome found = load(FOR_EVER_MS, &claim);
  if (found == LOADED || found == FAULT || write(out, "f", 1) != 1) return 1;
  scan_program_claim_release(&claim);
  return 0;
}

static void test_many_processes(void **state) {
  (void)state;
  assert_int_equal(count_compilers(compile), 1);
}

static void test_crowd_that_fails(void **state) {
  (void)state;
  assert_int_equal(count_compilers(fail_to_compile), PROCESSES);
}

#define CLAIM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
    CLAIM_TEST(test_alone),          CLAIM_TEST(test_wait_ends),        CLAIM_TEST(test_old_claim),
    CLAIM_TEST(test_nonsense),       CLAIM_TEST(test_taken_over),       CLAIM_TEST(test_read_only),
    CLAIM_TEST(test_trim),           CLAIM_TEST(test_killed),           CLAIM_TEST(test_wait),
    CLAIM_TEST(test_many_processes), CLAIM_TEST(test_crowd_that_fails),
  };
  return test_exit(cmocka_run_group_tests_name("program claims", tests, NULL, NULL));
}
