/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests which lines $SCANRT_LOG lets through to standard error: each level, and long lines, which are cut. */
#include "base/log.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 8192 };

/* Writes a line at each of the three levels and a long line, and returns the contents of standard error. */
static void log_all(const char *wanted, char said[ROOM]) {
  FILE *file = tmpfile();
  const int before = dup(STDERR_FILENO);
  char text[3000];
  assert_non_null(file);
  assert_true(before >= 0 && fflush(stderr) == 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
  if (wanted != NULL) assert_int_equal(setenv("SCANRT_LOG", wanted, 1), 0);
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  scan_log(SCAN_LOG_ERROR, "%s %d", "wrong", 1);
  scan_log(SCAN_LOG_INFO, "said");
  scan_log(SCAN_LOG_DEBUG, "%s", text);
  (void)unsetenv("SCANRT_LOG");
  assert_true(fflush(stderr) == 0 && dup2(before, STDERR_FILENO) >= 0 && close(before) == 0);
  rewind(file);
  said[fread(said, 1, ROOM - 1, file)] = '\0';
  (void)fclose(file);
}

static void test_levels(void **state) {
  char said[ROOM];
  (void)state;
  log_all(NULL, said);
  assert_string_equal(said, "");
  log_all("loud", said); /* no level */
  assert_string_equal(said, "");
  log_all("error", said);
  assert_string_equal(said, "scanrt: wrong 1\n");
  log_all("info", said);
  assert_string_equal(said, "scanrt: wrong 1\nscanrt: said\n");
  log_all("debug", said);
  assert_int_equal(strncmp(said, "scanrt: wrong 1\nscanrt: said\nscanrt: xxx", 40), 0);
  assert_int_equal(said[strlen(said) - 1], '\n');
  assert_in_range(strlen(said), 1000, 1100);
  test_ran();
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_levels) };
  return test_exit(cmocka_run_group_tests_name("log", tests, NULL, NULL));
}
