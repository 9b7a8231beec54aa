/* SPDX-License-Identifier: BSD-2-Clause */
#include "stored_programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char stored_base[128], stored_cache[160];
static pid_t tester; /* the process whose failures cmocka catches */

program_cache_key stored_key(const char *source, const char *options) {
  const program_cache_part parts[] = { { "source", source, strlen(source) }, { "options", options, strlen(options) } };
  program_cache_key key;
  assert_int_equal(scan_program_cache_key_make(parts, 2, &key), 1);
  return key;
}

static void fill(unsigned char *binary, unsigned seed) {
  for (unsigned i = 0; i < STORED_BYTES; i++) binary[i] = (unsigned char)(seed * 31 + i * 7);
}

void stored_put(const program_cache_key *key, unsigned seed) {
  unsigned char binary[STORED_BYTES];
  fill(binary, seed);
  scan_program_cache_store(key, binary, sizeof binary);
}

int stored_holds(const program_cache_key *key, unsigned seed) {
  unsigned char expected[STORED_BYTES];
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

void stored_path(const program_cache_key *key, char path[STORED_PATH_BYTES]) {
  char name[PROGRAM_CACHE_NAME_BYTES];
  scan_program_cache_name(key, name);
  snprintf(path, STORED_PATH_BYTES, "%s/%s", stored_cache, name);
}

size_t stored_read(const char *path, unsigned char *data, size_t room) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t bytes = fread(data, 1, room, file);
  fclose(file);
  return bytes;
}

void stored_write(const char *path, const void *data, size_t bytes) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, data, bytes), bytes);
  close(file);
}

int stored_count(const char *prefix) {
  char command[2 * STORED_PATH_BYTES];
  int count = -1;
  snprintf(command, sizeof command, "ls -A '%s' | grep -c '^%s'", stored_cache, prefix);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  assert_int_equal(fscanf(pipe, "%d", &count), 1);
  pclose(pipe);
  return count;
}

static void make_base(void) {
  const char *temporary = getenv("TMPDIR");
  snprintf(stored_base, sizeof stored_base, "%.90s/scanrt-cache-XXXXXX", temporary ? temporary : "/tmp");
  if (mkdtemp(stored_base) == NULL) test_fail("mkdtemp %s: %s", stored_base, strerror(errno));
  snprintf(stored_cache, sizeof stored_cache, "%s/cache", stored_base);
}

int stored_set_up(void **state) {
  make_base();
  tester = getpid();
  setenv("SCANRT_CACHE", stored_cache, 1);
  return test_count_setup(state);
}

int stored_tear_down(void **state) {
  char command[STORED_PATH_BYTES];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", stored_base);
  return system(command);
}

int stored_in_child(int (*body)(void)) {
  int status = 0;
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(body());
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status)) test_fail("the child ended by signal %d", WTERMSIG(status));
  if (WEXITSTATUS(status) == STORED_SKIPPED) return 0;
  assert_int_equal(WEXITSTATUS(status), 0);
  return 1;
}
