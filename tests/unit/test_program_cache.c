/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the cache of compiled programs without a driver: file format, damage, trimming, concurrent processes. */
#include "stored_programs.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- hash, key, name ---- */

static void check_hash(const char *text, uint64_t high, uint64_t low) {
  program_cache_hash hash = scan_program_cache_hash_start();
  scan_program_cache_hash_add(&hash, text, strlen(text));
  assert_true(hash.high == high && hash.low == low);
}

/* Test vectors of 128-bit FNV-1a by Fowler, Noll and Vo. */
static void test_hash(void **state) {
  (void)state;
  check_hash("", UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d));
  check_hash("a", UINT64_C(0xd228cb696f1a8caf), UINT64_C(0x78912b704e4a8964));
  check_hash("foobar", UINT64_C(0x343e1662793c64bf), UINT64_C(0x6f0d3597ba446f18));
}

static void test_key(void **state) {
  (void)state;
  program_cache_key keys[] = { stored_key("ab", "c"), stored_key("a", "bc"), stored_key("abc", ""),
                               stored_key("ab", "d") };
  char names[4][PROGRAM_CACHE_NAME_BYTES];
  for (int i = 0; i < 4; i++) {
    scan_program_cache_name(&keys[i], names[i]);
    assert_int_equal(strlen(names[i]), 32 + strlen(PROGRAM_CACHE_SUFFIX));
    for (int j = 0; j < i; j++) assert_string_not_equal(names[i], names[j]);
  }
  for (int i = 0; i < 4; i++) scan_program_cache_key_free(&keys[i]);
}

/* ---- store and load ---- */

static void test_round_trip(void **state) {
  (void)state;
  program_cache_key a = stored_key("a", ""), b = stored_key("b", "");
  assert_int_equal(stored_holds(&a, 1), 0);
  stored_put(&a, 1);
  assert_int_equal(stored_holds(&a, 1), 1);
  assert_int_equal(stored_holds(&b, 1), 0);
  stored_put(&b, 2);
  stored_put(&a, 3);
  assert_int_equal(stored_holds(&a, 3), 1);
  assert_int_equal(stored_holds(&b, 2), 1);
  assert_int_equal(stored_count(""), 2);
  scan_program_cache_key_free(&a);
  scan_program_cache_key_free(&b);
}

static unsigned mode_of(const char *path) {
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  return facts.st_mode & 07777;
}

static void test_modes(void **state) {
  (void)state;
  char path[STORED_PATH_BYTES];
  program_cache_key key = stored_key("a", "");
  const mode_t before = umask(0);
  stored_put(&key, 1);
  umask(before);
  stored_path(&key, path);
  assert_int_equal(mode_of(stored_cache), 0700);
  assert_int_equal(mode_of(path), 0600);
  scan_program_cache_key_free(&key);
}

/* ---- damage ---- */

static void test_damage(void **state) {
  (void)state;
  unsigned char whole[1024], data[1024];
  char path[STORED_PATH_BYTES];
  program_cache_key key = stored_key("source", "-D a");
  stored_put(&key, 5);
  stored_path(&key, path);
  const size_t bytes = stored_read(path, whole, sizeof whole);
  assert_true(bytes > STORED_BYTES + key.bytes && bytes < sizeof whole);
  for (size_t i = 0; i < bytes; i++) { /* truncated and changed at every byte */
    stored_write(path, whole, i);
    assert_int_equal(stored_holds(&key, 5), 0);
    memcpy(data, whole, bytes);
    data[i] ^= 0x10;
    stored_write(path, data, bytes);
    if (stored_holds(&key, 5)) test_fail("byte %zu was changed and nobody noticed", i);
  }
  memcpy(data, whole, bytes);
  data[bytes] = 0;
  stored_write(path, data, bytes + 1);
  assert_int_equal(stored_holds(&key, 5), 0);
  stored_put(&key, 6); /* repairs the file */
  assert_int_equal(stored_holds(&key, 6), 1);
  scan_program_cache_key_free(&key);
}

/* A file with another key, as in a collision of hashes. */
static void test_other_key(void **state) {
  (void)state;
  char path_a[STORED_PATH_BYTES], path_b[STORED_PATH_BYTES];
  program_cache_key a = stored_key("a", ""), b = stored_key("b", ""), longer = stored_key("a", "x");
  stored_put(&a, 1);
  stored_path(&a, path_a);
  stored_path(&b, path_b);
  assert_int_equal(rename(path_a, path_b), 0);
  assert_int_equal(stored_holds(&b, 1), 0);
  stored_path(&longer, path_a);
  assert_int_equal(rename(path_b, path_a), 0);
  assert_int_equal(stored_holds(&longer, 1), 0);
  scan_program_cache_key_free(&a);
  scan_program_cache_key_free(&b);
  scan_program_cache_key_free(&longer);
}

/* A directory, links, a pipe, and a file that other users may write. */
static void test_foreign_files(void **state) {
  (void)state;
  char path[STORED_PATH_BYTES], real[STORED_PATH_BYTES];
  program_cache_key key = stored_key("a", "");
  stored_put(&key, 1);
  stored_path(&key, path);
  snprintf(real, sizeof real, "%s/real", stored_base);
  assert_int_equal(chmod(path, 0620), 0);
  assert_int_equal(stored_holds(&key, 1), 0);
  assert_int_equal(chmod(path, 0600), 0);
  assert_int_equal(stored_holds(&key, 1), 1);
  assert_int_equal(rename(path, real), 0);
  assert_int_equal(symlink(real, path), 0);
  assert_int_equal(stored_holds(&key, 1), 0);
  stored_put(&key, 2); /* replaces the link, not its target */
  assert_int_equal(stored_holds(&key, 2), 1);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(symlink("nowhere", path), 0);
  assert_int_equal(stored_holds(&key, 1), 0);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(stored_holds(&key, 1), 0);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(stored_holds(&key, 1), 0);
  stored_put(&key, 1);
  assert_int_equal(stored_holds(&key, 1), 0);
  assert_int_equal(stored_count("[.]scanrt-new-"), 0);
  scan_program_cache_key_free(&key);
}

/* ---- trimming ---- */

static void set_age(const char *path, time_t seconds) {
  const struct timespec times[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void trim(uint64_t most_bytes) {
  const int folder = open(stored_cache, O_RDONLY | O_DIRECTORY);
  assert_true(folder >= 0);
  scan_program_cache_trim(folder, most_bytes);
  assert_true(fcntl(folder, F_GETFD) >= 0);
  close(folder);
}

static void test_trim(void **state) {
  (void)state;
  enum { FILES = 9 };
  program_cache_key keys[FILES];
  char path[STORED_PATH_BYTES];
  struct stat facts;
  for (int i = 0; i < FILES; i++) {
    char source[8];
    snprintf(source, sizeof source, "%d", i);
    keys[i] = stored_key(source, "");
    stored_put(&keys[i], (unsigned)i);
    stored_path(&keys[i], path);
    set_age(path, 1000 + 7 * i % FILES * 100); /* in no particular order */
  }
  assert_int_equal(stat(path, &facts), 0);
  const uint64_t each = (uint64_t)facts.st_size;
  trim(FILES * each);
  for (int i = 0; i < FILES; i++) assert_int_equal(stored_holds(&keys[i], (unsigned)i), 1);
  trim(4 * each + each / 2);
  for (int i = 0; i < FILES; i++) /* the four newest */
    assert_int_equal(stored_holds(&keys[i], (unsigned)i), 7 * i % FILES < 4);
  trim(0);
  assert_int_equal(stored_count(""), 0);
  for (int i = 0; i < FILES; i++) scan_program_cache_key_free(&keys[i]);
}

/* Makes a file in the cache's folder with an age in seconds; returns its path. */
static void plant(const char *name, const char *content, time_t age, char path[STORED_PATH_BYTES]) {
  snprintf(path, STORED_PATH_BYTES, "%s/%s", stored_cache, name);
  stored_write(path, content, strlen(content));
  set_age(path, age);
}

/* Trimming leaves files that are not the cache's, whatever their names. A writer's temporary file is removed when it is
 * too old to be in use. */
static void test_trim_others(void **state) {
  (void)state;
  static const struct {
    const char *name, *content;
    time_t age;
    int is_removed;
  } files[] = { { "notes.txt", "some bytes", 100000, 0 },
                { "x.program", "scanrtPC and more", 100000, 0 },
                { "an assembly of thirty two bytes!.program", "scanrtPC and more", 100000, 0 },
                { "0123456789abcdef0123456789abcdef.program", "another program's", 100000, 0 },
                { "0123456789abcdef0123456789abcde0.program", "scanrt", 100000, 0 },
                { "0123456789abcdef0123456789abcde1.program", "scanrtPC and more", 100000, 1 },
                { ".new-1", "some bytes", 100000, 0 },
                { ".scanrt-new-1", "scanrtPC", 100000, 0 },
                { ".scanrt-new-1-7ff0-5f3a-0", "some bytes", 100000, 0 },
                { ".scanrt-new-2-7ff0-5f3a-0", "scanrtPC and", 60, 0 },
                { ".scanrt-new-3-7ff0-5f3a-0", "scanrtPC and", 100000, 1 },
                { ".scanrt-new-4-7ff0-5f3a-0", "", 100000, 1 } };
  enum { FILES = sizeof files / sizeof files[0] };
  char paths[FILES][STORED_PATH_BYTES];
  assert_int_equal(mkdir(stored_cache, 0700), 0);
  for (int i = 0; i < FILES; i++) plant(files[i].name, files[i].content, files[i].age, paths[i]);
  trim(0);
  for (int i = 0; i < FILES; i++)
    if ((access(paths[i], F_OK) == 0) == files[i].is_removed)
      test_fail("%s %s", files[i].name, files[i].is_removed ? "is still there" : "is gone");
}

/* Trimming counts and removes only the cache's own files. */
static void test_trim_counts_its_own(void **state) {
  (void)state;
  char path[STORED_PATH_BYTES];
  struct stat facts;
  program_cache_key key = stored_key("a", "");
  stored_put(&key, 1);
  stored_path(&key, path);
  set_age(path, 1000);
  assert_int_equal(stat(path, &facts), 0);
  plant("0123456789abcdef0123456789abcdef.program", "what another program keeps here, of that length", 10, path);
  trim((uint64_t)facts.st_size);
  assert_int_equal(stored_holds(&key, 1), 1);
  scan_program_cache_key_free(&key);
}

/* Loading a program makes its file new again. */
static void test_use_refreshes(void **state) {
  (void)state;
  char path[STORED_PATH_BYTES];
  struct stat facts;
  program_cache_key key = stored_key("a", "");
  stored_put(&key, 1);
  stored_path(&key, path);
  set_age(path, 400000);
  assert_int_equal(stored_holds(&key, 1), 1);
  assert_int_equal(stat(path, &facts), 0);
  assert_true(time(NULL) - facts.st_mtime < 3600);
  scan_program_cache_key_free(&key);
}

/* ---- concurrent processes and threads ---- */

/* Stores and loads two keys repeatedly, as one of several processes or threads. */
static int be_one_of_many(void) {
  int loaded = 0;
  program_cache_key keys[] = { stored_key("a", ""), stored_key("b", "") };
  for (int round = 0; round < 100; round++)
    for (unsigned k = 0; k < 2; k++) {
      stored_put(&keys[k], k);
      loaded += stored_holds(&keys[k], k); /* whole, whichever process wrote it */
      if (round % 50 == 49) trim(0);
    }
  scan_program_cache_key_free(&keys[0]);
  scan_program_cache_key_free(&keys[1]);
  return loaded > 50 ? 0 : 1;
}

static void *thread_of_many(void *data) {
  *(int *)data = be_one_of_many();
  return NULL;
}

static int threads_at_once(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  int results[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, thread_of_many, &results[i]) != 0) return 1;
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++)
    if (results[i] != 0) return 1;
  return 0;
}

static void test_many_processes(void **state) {
  (void)state;
  enum { PROCESSES = 4 };
  pid_t children[PROCESSES];
  int status;
  assert_int_equal(mkdir(stored_cache, 0700), 0);
  for (int i = 0; i < PROCESSES; i++) {
    children[i] = fork();
    assert_true(children[i] >= 0);
    if (children[i] == 0) _exit(threads_at_once());
  }
  for (int i = 0; i < PROCESSES; i++) {
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  assert_int_equal(stored_count("[.]scanrt-new-"), 0);
}

#define CACHE_TEST(name) cmocka_unit_test_setup_teardown(name, stored_set_up, stored_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
    CACHE_TEST(test_hash),
    CACHE_TEST(test_key),
    CACHE_TEST(test_round_trip),
    CACHE_TEST(test_modes),
    CACHE_TEST(test_damage),
    CACHE_TEST(test_other_key),
    CACHE_TEST(test_foreign_files),
    CACHE_TEST(test_trim),
    CACHE_TEST(test_trim_others),
    CACHE_TEST(test_use_refreshes),
    CACHE_TEST(test_trim_counts_its_own),
    CACHE_TEST(test_many_processes),
  };
  return test_exit(cmocka_run_group_tests_name("program cache", tests, NULL, NULL));
}
