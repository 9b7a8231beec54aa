/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the folder of the cache of compiled programs: its choice, folders that cannot be written, a full disk. */
#define _GNU_SOURCE /* unshare */
#include "base/library.h"
#include "stored_programs.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_secure; /* 1: as in a setuid program */

/* Replaces the C library's function. */
char *secure_getenv(const char *name) { return is_secure ? NULL : getenv(name); }

/* ---- the folder ---- */

static void check_folder(const char *given, const char *xdg, const char *home, const char *expected) {
  static const char *const names[] = { "SCANRT_CACHE", "XDG_CACHE_HOME", "HOME" };
  const char *const values[] = { given, xdg, home };
  char path[STORED_PATH_BYTES] = "";
  const char *reason = NULL;
  for (int i = 0; i < 3; i++) {
    if (values[i] == NULL)
      unsetenv(names[i]);
    else
      setenv(names[i], values[i], 1);
  }
  const int found = scan_program_cache_folder(path, sizeof path, &reason);
  if (found != (expected != NULL)) test_fail("%s where %s was expected", path, expected ? expected : "none");
  if (found) assert_string_equal(path, expected);
  if (!found) assert_non_null(reason);
}

static void test_folders(void **state) {
  (void)state;
  char longest[2 * STORED_PATH_BYTES];
  memset(longest, 'x', sizeof longest);
  longest[0] = '/';
  longest[sizeof longest - 1] = '\0';
  check_folder("/given", "/xdg", "/home", "/given");
  check_folder("given", "/xdg", "/home", "given");
  check_folder("", "/xdg", "/home", "/xdg/scanrt");
  check_folder(NULL, "/xdg", "/home", "/xdg/scanrt");
  check_folder(NULL, "relative", "/home", "/home/.cache/scanrt");
  check_folder(NULL, NULL, "/home", "/home/.cache/scanrt");
  check_folder(NULL, NULL, NULL, NULL);
  check_folder(NULL, NULL, "", NULL);
  check_folder("off", "/xdg", "/home", NULL);
  check_folder(longest, NULL, NULL, NULL);
  check_folder(NULL, NULL, NULL, NULL);
  assert_int_equal(scan_program_cache_enabled(), 0);
  program_cache_key key = stored_key("a", ""); /* without a folder nothing happens */
  stored_put(&key, 1);
  assert_int_equal(stored_holds(&key, 1), 0);
  scan_program_cache_key_free(&key);
}

/* A setuid program ignores variables that name files. */
static void test_secure(void **state) {
  (void)state;
  library_loader loader = { .lock = PTHREAD_MUTEX_INITIALIZER };
  char note[256] = "";
  setenv("SCANRT_TEST_LIBRARY", "libm.so.6", 1);
  is_secure = 1;
  check_folder("/given", "/xdg", "/home", NULL);
  assert_int_equal(
      scan_library_load(&loader, "SCANRT_TEST_LIBRARY", "libscanrt-none.so", NULL, 0, NULL, note, sizeof note), 0);
  is_secure = 0;
  assert_non_null(strstr(note, "libscanrt-none.so"));
}

static void test_folder_is_made(void **state) {
  (void)state;
  char deep[STORED_PATH_BYTES];
  program_cache_key key = stored_key("a", "");
  snprintf(deep, sizeof deep, "%s/some/way/down/", stored_base);
  setenv("SCANRT_CACHE", deep, 1);
  assert_int_equal(stored_holds(&key, 1), 0);
  stored_put(&key, 1);
  assert_int_equal(stored_holds(&key, 1), 1);
  scan_program_cache_key_free(&key);
}

/* Folders that cannot exist: a file, a path below a file, a link to nothing. */
static void test_folder_that_is_none(void **state) {
  (void)state;
  char below[STORED_PATH_BYTES];
  program_cache_key key = stored_key("a", "");
  stored_write(stored_cache, "x", 1);
  stored_put(&key, 1);
  assert_int_equal(stored_holds(&key, 1), 0);
  snprintf(below, sizeof below, "%s/below", stored_cache);
  setenv("SCANRT_CACHE", below, 1);
  stored_put(&key, 1);
  assert_int_equal(stored_holds(&key, 1), 0);
  setenv("SCANRT_CACHE", stored_cache, 1);
  assert_int_equal(unlink(stored_cache), 0);
  assert_int_equal(symlink("/nowhere/at/all", stored_cache), 0);
  stored_put(&key, 1);
  assert_int_equal(stored_holds(&key, 1), 0);
  scan_program_cache_key_free(&key);
}

/* Checks a read-only folder. A root process becomes another user, because root can write anywhere. */
static int check_read_only(void) {
  program_cache_key a = stored_key("a", ""), b = stored_key("b", "");
  stored_put(&a, 1);
  if (chmod(stored_base, 0755) != 0 || chmod(stored_cache, 0555) != 0) return 1;
  if (geteuid() == 0 && setuid(65534) != 0) return STORED_SKIPPED;
  stored_put(&b, 2);
  if (stored_holds(&b, 2)) return 2;
  /* a file of another user is not loaded */
  if (stored_holds(&a, 1) != (getuid() != 65534)) return 3;
  if (chmod(stored_cache, 0755) == 0 && getuid() == 65534) return 4;
  scan_program_cache_key_free(&a);
  scan_program_cache_key_free(&b);
  return 0;
}

static void test_read_only(void **state) {
  (void)state;
  if (!stored_in_child(check_read_only)) test_skipped("a read-only folder: this user writes everywhere");
  (void)chmod(stored_cache, 0700);
}

/* ---- a full disk ---- */

static int store_too_much(void) {
  static unsigned char binary[1 << 20];
  program_cache_key key = stored_key("a", "");
  size_t bytes;
  scan_program_cache_store(&key, binary, sizeof binary);
  void *loaded = scan_program_cache_load(&key, &bytes);
  if (loaded != NULL || stored_count("") != 0) return 1;
  stored_put(&key, 1); /* a program that fits */
  if (!stored_holds(&key, 1)) return 2;
  scan_program_cache_key_free(&key);
  return 0;
}

static int check_file_limit(void) {
  const struct rlimit limit = { 4096, 4096 };
  return setrlimit(RLIMIT_FSIZE, &limit) == 0 ? store_too_much() : 3;
}

static void test_file_limit(void **state) {
  (void)state;
  assert_int_equal(mkdir(stored_cache, 0700), 0);
  assert_int_equal(stored_in_child(check_file_limit), 1);
}

/* Mounts a file system of 64 KiB in a mount namespace of the child. */
static int check_full_disk(void) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return STORED_SKIPPED;
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", stored_cache, "tmpfs", 0, "size=64k,mode=0777") != 0)
    return STORED_SKIPPED;
  return store_too_much();
}

static void test_full_disk(void **state) {
  (void)state;
  assert_int_equal(mkdir(stored_cache, 0700), 0);
  if (!stored_in_child(check_full_disk)) test_skipped("a full disk: no file system can be mounted here");
}

#define CACHE_TEST(name) cmocka_unit_test_setup_teardown(name, stored_set_up, stored_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
    CACHE_TEST(test_folders),   CACHE_TEST(test_folder_is_made), CACHE_TEST(test_folder_that_is_none),
    CACHE_TEST(test_read_only), CACHE_TEST(test_file_limit),     CACHE_TEST(test_full_disk),
    CACHE_TEST(test_secure),
  };
  return test_exit(cmocka_run_group_tests_name("cache folder", tests, NULL, NULL));
}
