/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the tool's JSON: texts with any bytes, such as drivers' device names, become valid UTF-8. */
#include "json.h"
#include "support.h"

#include <string.h>

static void check(const char *text, const char *expected) {
  char written[256];
  json j = { .file = tmpfile() };
  assert_non_null(j.file);
  json_string(&j, NULL, text);
  rewind(j.file);
  const size_t bytes = fread(written, 1, sizeof written - 1, j.file);
  fclose(j.file);
  written[bytes] = '\0';
  assert_string_equal(written, expected);
}

static void test_strings(void **state) {
  (void)state;
  check("plain", "\"plain\"");
  check("a \"b\" \\ \t\x7f", "\"a \\\"b\\\" \\\\ \\u0009\\u007f\"");
  check("Intel\xc2\xae \xe2\x84\xa2 \xf0\x9f\x98\x80", "\"Intel\xc2\xae \xe2\x84\xa2 \xf0\x9f\x98\x80\"");
  check("Intel\xae", "\"Intel\\u00ae\"");             /* ISO 8859-1 */
  check("\xe2\x84", "\"\\u00e2\\u0084\"");            /* cut */
  check("\xc0\xaf", "\"\\u00c0\\u00af\"");            /* an overlong form */
  check("\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\""); /* half of a surrogate pair */
  check("\xf4\x90\x80\x80", "\"\\u00f4\\u0090\\u0080\\u0080\"");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test_setup(test_strings, test_count_setup) };
  return test_exit(cmocka_run_group_tests_name("unit.json", tests, NULL, NULL));
}
