/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the cache of compiled programs without a driver: file format, folder, damage, limits, concurrent processes. */
#define _GNU_SOURCE /* unshare */
#include "base/library.h"
#include "device/program_cache.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BINARY_BYTES = 200, PATH_BYTES = 512, SKIPPED_CHILD = 77 };

static char base[128];  /* removed after each test */
static char cache[160]; /* $SCANRT_CACHE, in base */
static pid_t tester;    /* the process whose failures cmocka catches */
static int is_secure;   /* 1: as in a setuid program */

/* Replaces the C library's function. */
char *secure_getenv(const char *name) { return is_secure ? NULL : getenv(name); }

/* ---- stored programs ---- */

static program_cache_key key_of(const char *source, const char *options) {
  const program_cache_part parts[] = { { "source", source, strlen(source) }, { "options", options, strlen(options) } };
  program_cache_key key;
  assert_int_equal(scan_program_cache_key_make(parts, 2, &key), 1);
  return key;
}

static void fill(unsigned char *binary, unsigned seed) {
  for (unsigned i = 0; i < BINARY_BYTES; i++) binary[i] = (unsigned char)(seed * 31 + i * 7);
}

static void store(const program_cache_key *key, unsigned seed) {
  unsigned char binary[BINARY_BYTES];
  fill(binary, seed);
  scan_program_cache_store(key, binary, sizeof binary);
}

/* 1 if the expected binary is loaded, 0 if none is; another binary fails the test. */
static int holds(const program_cache_key *key, unsigned seed) {
  unsigned char expected[BINARY_BYTES];
  size_t bytes = 0;
  void *binary = scan_program_cache_load(key, &bytes);
  if (binary == NULL) return 0;
  fill(expected, seed);
  const int right = bytes == sizeof expected && memcmp(binary, expected, bytes) == 0;
  free(binary);
  if (!right && getpid() != tester) _exit(9);
  assert_true(right);
  return 1;
}

/* ---- files ---- */

static void path_of(const program_cache_key *key, char path[PATH_BYTES]) {
  char name[PROGRAM_CACHE_NAME_BYTES];
  scan_program_cache_name(key, name);
  snprintf(path, PATH_BYTES, "%s/%s", cache, name);
}

static size_t read_file(const char *path, unsigned char *data, size_t room) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t bytes = fread(data, 1, room, file);
  fclose(file);
  return bytes;
}

static void write_file(const char *path, const void *data, size_t bytes) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, data, bytes), bytes);
  close(file);
}

/* Counts the files in the cache's folder whose names begin with `prefix`. */
static int count_files(const char *prefix) {
  char command[2 * PATH_BYTES];
  int count = -1;
  snprintf(command, sizeof command, "ls -A '%s' | grep -c '^%s'", cache, prefix);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  assert_int_equal(fscanf(pipe, "%d", &count), 1);
  pclose(pipe);
  return count;
}

static void make_base(void) {
  const char *temporary = getenv("TMPDIR");
  snprintf(base, sizeof base, "%.90s/scanrt-cache-XXXXXX", temporary ? temporary : "/tmp");
  if (mkdtemp(base) == NULL) test_fail("mkdtemp %s: %s", base, strerror(errno));
  snprintf(cache, sizeof cache, "%s/cache", base);
}

static int set_up(void **state) {
  make_base();
  setenv("SCANRT_CACHE", cache, 1);
  return test_count_setup(state);
}

static int tear_down(void **state) {
  char command[PATH_BYTES];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", base);
  return system(command);
}

/* Runs `body` in a child process, whose limits it may change. Returns 0 if it had to skip. */
static int in_child(int (*body)(void)) {
  int status = 0;
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(body());
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status)) test_fail("the child ended by signal %d", WTERMSIG(status));
  if (WEXITSTATUS(status) == SKIPPED_CHILD) return 0;
  assert_int_equal(WEXITSTATUS(status), 0);
  return 1;
}

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
  program_cache_key keys[] = { key_of("ab", "c"), key_of("a", "bc"), key_of("abc", ""), key_of("ab", "d") };
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
  program_cache_key a = key_of("a", ""), b = key_of("b", "");
  assert_int_equal(holds(&a, 1), 0);
  store(&a, 1);
  assert_int_equal(holds(&a, 1), 1);
  assert_int_equal(holds(&b, 1), 0);
  store(&b, 2);
  store(&a, 3);
  assert_int_equal(holds(&a, 3), 1);
  assert_int_equal(holds(&b, 2), 1);
  assert_int_equal(count_files(""), 2);
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
  char path[PATH_BYTES];
  program_cache_key key = key_of("a", "");
  const mode_t before = umask(0);
  store(&key, 1);
  umask(before);
  path_of(&key, path);
  assert_int_equal(mode_of(cache), 0700);
  assert_int_equal(mode_of(path), 0600);
  scan_program_cache_key_free(&key);
}

/* ---- damage ---- */

static void test_damage(void **state) {
  (void)state;
  unsigned char whole[1024], data[1024];
  char path[PATH_BYTES];
  program_cache_key key = key_of("source", "-D a");
  store(&key, 5);
  path_of(&key, path);
  const size_t bytes = read_file(path, whole, sizeof whole);
  assert_true(bytes > BINARY_BYTES + key.bytes && bytes < sizeof whole);
  for (size_t i = 0; i < bytes; i++) { /* truncated and changed at every byte */
    write_file(path, whole, i);
    assert_int_equal(holds(&key, 5), 0);
    memcpy(data, whole, bytes);
    data[i] ^= 0x10;
    write_file(path, data, bytes);
    if (holds(&key, 5)) test_fail("byte %zu was changed and nobody noticed", i);
  }
  memcpy(data, whole, bytes);
  data[bytes] = 0;
  write_file(path, data, bytes + 1);
  assert_int_equal(holds(&key, 5), 0);
  store(&key, 6); /* repairs the file */
  assert_int_equal(holds(&key, 6), 1);
  scan_program_cache_key_free(&key);
}

/* A file with another key, as in a collision of hashes. */
static void test_other_key(void **state) {
  (void)state;
  char path_a[PATH_BYTES], path_b[PATH_BYTES];
  program_cache_key a = key_of("a", ""), b = key_of("b", ""), longer = key_of("a", "x");
  store(&a, 1);
  path_of(&a, path_a);
  path_of(&b, path_b);
  assert_int_equal(rename(path_a, path_b), 0);
  assert_int_equal(holds(&b, 1), 0);
  path_of(&longer, path_a);
  assert_int_equal(rename(path_b, path_a), 0);
  assert_int_equal(holds(&longer, 1), 0);
  scan_program_cache_key_free(&a);
  scan_program_cache_key_free(&b);
  scan_program_cache_key_free(&longer);
}

/* A directory, links, a pipe, and a file that other users may write. */
static void test_foreign_files(void **state) {
  (void)state;
  char path[PATH_BYTES], real[PATH_BYTES];
  program_cache_key key = key_of("a", "");
  store(&key, 1);
  path_of(&key, path);
  snprintf(real, sizeof real, "%s/real", base);
  assert_int_equal(chmod(path, 0620), 0);
  assert_int_equal(holds(&key, 1), 0);
  assert_int_equal(chmod(path, 0600), 0);
  assert_int_equal(holds(&key, 1), 1);
  assert_int_equal(rename(path, real), 0);
  assert_int_equal(symlink(real, path), 0);
  assert_int_equal(holds(&key, 1), 0);
  store(&key, 2); /* replaces the link, not its target */
  assert_int_equal(holds(&key, 2), 1);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(symlink("nowhere", path), 0);
  assert_int_equal(holds(&key, 1), 0);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(holds(&key, 1), 0);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(holds(&key, 1), 0);
  store(&key, 1);
  assert_int_equal(holds(&key, 1), 0);
  assert_int_equal(count_files("[.]scanrt-new-"), 0);
  scan_program_cache_key_free(&key);
}

/* ---- the folder ---- */

static void check_folder(const char *given, const char *xdg, const char *home, const char *expected) {
  static const char *const names[] = { "SCANRT_CACHE", "XDG_CACHE_HOME", "HOME" };
  const char *const values[] = { given, xdg, home };
  char path[PATH_BYTES] = "";
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
  char longest[2 * PATH_BYTES];
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
  program_cache_key key = key_of("a", ""); /* without a folder nothing happens */
  store(&key, 1);
  assert_int_equal(holds(&key, 1), 0);
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
  char deep[PATH_BYTES];
  program_cache_key key = key_of("a", "");
  snprintf(deep, sizeof deep, "%s/some/way/down/", base);
  setenv("SCANRT_CACHE", deep, 1);
  assert_int_equal(holds(&key, 1), 0);
  store(&key, 1);
  assert_int_equal(holds(&key, 1), 1);
  scan_program_cache_key_free(&key);
}

/* Folders that cannot exist: a file, a path below a file, a link to nothing. */
static void test_folder_that_is_none(void **state) {
  (void)state;
  char below[PATH_BYTES];
  program_cache_key key = key_of("a", "");
  write_file(cache, "x", 1);
  store(&key, 1);
  assert_int_equal(holds(&key, 1), 0);
  snprintf(below, sizeof below, "%s/below", cache);
  setenv("SCANRT_CACHE", below, 1);
  store(&key, 1);
  assert_int_equal(holds(&key, 1), 0);
  setenv("SCANRT_CACHE", cache, 1);
  assert_int_equal(unlink(cache), 0);
  assert_int_equal(symlink("/nowhere/at/all", cache), 0);
  store(&key, 1);
  assert_int_equal(holds(&key, 1), 0);
  scan_program_cache_key_free(&key);
}

/* Checks a read-only folder. A root process becomes another user, because root can write anywhere. */
static int check_read_only(void) {
  program_cache_key a = key_of("a", ""), b = key_of("b", "");
  store(&a, 1);
  if (chmod(base, 0755) != 0 || chmod(cache, 0555) != 0) return 1;
  if (geteuid() == 0 && setuid(65534) != 0) return SKIPPED_CHILD;
  store(&b, 2);
  if (holds(&b, 2)) return 2;
  /* a file of another user is not loaded */
  if (holds(&a, 1) != (getuid() != 65534)) return 3;
  if (chmod(cache, 0755) == 0 && getuid() == 65534) return 4;
  scan_program_cache_key_free(&a);
  scan_program_cache_key_free(&b);
  return 0;
}

static void test_read_only(void **state) {
  (void)state;
  if (!in_child(check_read_only)) test_skipped("a read-only folder: this user writes everywhere");
  (void)chmod(cache, 0700);
}

/* ---- a full disk ---- */

static int store_too_much(void) {
  static unsigned char binary[1 << 20];
  program_cache_key key = key_of("a", "");
  size_t bytes;
  scan_program_cache_store(&key, binary, sizeof binary);
  void *loaded = scan_program_cache_load(&key, &bytes);
  if (loaded != NULL || count_files("") != 0) return 1;
  store(&key, 1); /* a program that fits */
  if (!holds(&key, 1)) return 2;
  scan_program_cache_key_free(&key);
  return 0;
}

static int check_file_limit(void) {
  const struct rlimit limit = { 4096, 4096 };
  return setrlimit(RLIMIT_FSIZE, &limit) == 0 ? store_too_much() : 3;
}

static void test_file_limit(void **state) {
  (void)state;
  assert_int_equal(mkdir(cache, 0700), 0);
  assert_int_equal(in_child(check_file_limit), 1);
}

/* Mounts a file system of 64 KiB in a mount namespace of the child. */
static int check_full_disk(void) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return SKIPPED_CHILD;
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", cache, "tmpfs", 0, "size=64k,mode=0777") != 0)
    return SKIPPED_CHILD;
  return store_too_much();
}

static void test_full_disk(void **state) {
  (void)state;
  assert_int_equal(mkdir(cache, 0700), 0);
  if (!in_child(check_full_disk)) test_skipped("a full disk: no file system can be mounted here");
}

/* ---- trimming ---- */

static void set_age(const char *path, time_t seconds) {
  const struct timespec times[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void trim(uint64_t most_bytes) {
  const int folder = open(cache, O_RDONLY | O_DIRECTORY);
  assert_true(folder >= 0);
  scan_program_cache_trim(folder, most_bytes);
  assert_true(fcntl(folder, F_GETFD) >= 0);
  close(folder);
}

static void test_trim(void **state) {
  (void)state;
  enum { FILES = 9 };
  program_cache_key keys[FILES];
  char path[PATH_BYTES];
  struct stat facts;
  for (int i = 0; i < FILES; i++) {
    char source[8];
    snprintf(source, sizeof source, "%d", i);
    keys[i] = key_of(source, "");
    store(&keys[i], (unsigned)i);
    path_of(&keys[i], path);
    set_age(path, 1000 + 7 * i % FILES * 100); /* in no particular order */
  }
  assert_int_equal(stat(path, &facts), 0);
  const uint64_t each = (uint64_t)facts.st_size;
  trim(FILES * each);
  for (int i = 0; i < FILES; i++) assert_int_equal(holds(&keys[i], (unsigned)i), 1);
  trim(4 * each + each / 2);
  for (int i = 0; i < FILES; i++) /* the four newest */
    assert_int_equal(holds(&keys[i], (unsigned)i), 7 * i % FILES < 4);
  trim(0);
  assert_int_equal(count_files(""), 0);
  for (int i = 0; i < FILES; i++) scan_program_cache_key_free(&keys[i]);
}

/* Makes a file in the cache's folder with an age in seconds; returns its path. */
static void plant(const char *name, const char *content, time_t age, char path[PATH_BYTES]) {
  snprintf(path, PATH_BYTES, "%s/%s", cache, name);
  write_file(path, content, strlen(content));
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
  char paths[FILES][PATH_BYTES];
  assert_int_equal(mkdir(cache, 0700), 0);
  for (int i = 0; i < FILES; i++) plant(files[i].name, files[i].content, files[i].age, paths[i]);
  trim(0);
  for (int i = 0; i < FILES; i++)
    if ((access(paths[i], F_OK) == 0) == files[i].is_removed)
      test_fail("%s %s", files[i].name, files[i].is_removed ? "is still there" : "is gone");
}

/* Trimming counts and removes only the cache's own files. */
static void test_trim_counts_its_own(void **state) {
  (void)state;
  char path[PATH_BYTES];
  struct stat facts;
  program_cache_key key = key_of("a", "");
  store(&key, 1);
  path_of(&key, path);
  set_age(path, 1000);
  assert_int_equal(stat(path, &facts), 0);
  plant("0123456789abcdef0123456789abcdef.program", "what another program keeps here, of that length", 10, path);
  trim((uint64_t)facts.st_size);
  assert_int_equal(holds(&key, 1), 1);
  scan_program_cache_key_free(&key);
}

/* Loading a program makes its file new again. */
static void test_use_refreshes(void **state) {
  (void)state;
  char path[PATH_BYTES];
  struct stat facts;
  program_cache_key key = key_of("a", "");
  store(&key, 1);
  path_of(&key, path);
  set_age(path, 400000);
  assert_int_equal(holds(&key, 1), 1);
  assert_int_equal(stat(path, &facts), 0);
  assert_true(time(NULL) - facts.st_mtime < 3600);
  scan_program_cache_key_free(&key);
}

/* ---- concurrent processes and threads ---- */

/* Stores and loads two keys repeatedly, as one of several processes or threads. */
static int be_one_of_many(void) {
  int loaded = 0;
  program_cache_key keys[] = { key_of("a", ""), key_of("b", "") };
  for (int round = 0; round < 100; round++)
    for (unsigned k = 0; k < 2; k++) {
      store(&keys[k], k);
      loaded += holds(&keys[k], k); /* whole, whichever process wrote it */
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
  assert_int_equal(mkdir(cache, 0700), 0);
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
  assert_int_equal(count_files("[.]scanrt-new-"), 0);
}

#define CACHE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
    CACHE_TEST(test_hash),
    CACHE_TEST(test_key),
    CACHE_TEST(test_round_trip),
    CACHE_TEST(test_modes),
    CACHE_TEST(test_damage),
    CACHE_TEST(test_other_key),
    CACHE_TEST(test_foreign_files),
    CACHE_TEST(test_folders),
    CACHE_TEST(test_folder_is_made),
    CACHE_TEST(test_folder_that_is_none),
    CACHE_TEST(test_read_only),
    CACHE_TEST(test_file_limit),
    CACHE_TEST(test_full_disk),
    CACHE_TEST(test_trim),
    CACHE_TEST(test_trim_others),
    CACHE_TEST(test_use_refreshes),
    CACHE_TEST(test_trim_counts_its_own),
    CACHE_TEST(test_secure),
    CACHE_TEST(test_many_processes),
  };
  tester = getpid();
  return test_exit(cmocka_run_group_tests_name("program cache", tests, NULL, NULL));
}
