/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the sizes of public structs: those that end with a field are accepted, those within a field are refused. */
#include "base/structs.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 2048 };

static size_t round_up(size_t bytes, size_t align) { return (bytes + align - 1) / align * align; }

/* Each field must begin at the end of the one before, aligned, and the last one must end the struct, so that none is
 * missing in the table. */
static void test_fields_are_complete(void **state) {
  (void)state;
  for (int id = 0; id < SCAN_STRUCT_COUNT; id++) {
    const scan_struct *s = scan_struct_get((scan_struct_id)id);
    size_t end = 0;
    for (size_t i = 0; i < s->field_count; i++) {
      if (s->fields[i].first != round_up(end, s->fields[i].align))
        test_fail("%s: a field is missing before %s: add it to structs.c", s->type, s->fields[i].name);
      end = s->fields[i].end;
    }
    if (round_up(end, sizeof(size_t)) != s->bytes) test_fail("%s: the last field is missing", s->type);
  }
}

static int is_cut(const scan_struct *s, size_t bytes) {
  int cuts = 0;
  for (size_t i = 0; i < s->field_count; i++) cuts |= s->fields[i].first < bytes && s->fields[i].end > bytes;
  return cuts;
}

/* Makes a caller's struct of exactly this many bytes, so that memory checkers see accesses behind it. */
static unsigned char *make_given(size_t bytes) {
  unsigned char *given = malloc(bytes > sizeof bytes ? bytes : sizeof bytes);
  assert_non_null(given);
  memset(given, 0x11, bytes > sizeof bytes ? bytes : sizeof bytes);
  memcpy(given, &bytes, sizeof bytes);
  return given;
}

static void check_status(const scan_struct *s, size_t bytes, scan_status status, const char *words) {
  const int is_right = bytes > sizeof bytes && bytes <= s->bytes && !is_cut(s, bytes);
  if ((status == SCAN_SUCCESS) != is_right || (status != SCAN_SUCCESS && status != SCAN_INVALID_ARGUMENT))
    test_fail("%s of %zu bytes: %s", s->type, bytes, scan_status_name(status));
  if (is_right) return;
  if (strstr(words, "it->struct_bytes is ") == NULL) test_fail("%s of %zu bytes: \"%s\"", s->type, bytes, words);
  if (bytes <= s->bytes && strstr(words, s->init) == NULL) test_fail("%s: no remedy in \"%s\"", s->type, words);
}

static void check_reserve(scan_struct_id id, size_t bytes) {
  const scan_struct *s = scan_struct_get(id);
  unsigned char own[MOST], want[MOST], *given = make_given(bytes);
  scan_error error = { "" };
  memset(own, 0x22, sizeof own);
  memset(want, 0x22, sizeof want);
  const scan_status status = scan_struct_copy_in(id, own, given, "it", &error);
  check_status(s, bytes, status, error.text);
  if (status == SCAN_SUCCESS) {
    memset(want, 0x11, bytes);
    memcpy(want, &s->bytes, sizeof s->bytes);
  }
  assert_memory_equal(own, want, sizeof own);
  free(given);
}

static void check_give(scan_struct_id id, size_t bytes) {
  const scan_struct *s = scan_struct_get(id);
  unsigned char own[MOST], *given = make_given(bytes), *want = make_given(bytes);
  scan_error error = { "" };
  memset(own, 0x22, sizeof own);
  const scan_status status = scan_struct_give(id, own, given, "it", &error);
  check_status(s, bytes, status, error.text);
  if (status == SCAN_SUCCESS) memset(want + sizeof bytes, 0x22, bytes - sizeof bytes);
  assert_memory_equal(given, want, bytes > sizeof bytes ? bytes : sizeof bytes);
  free(given);
  free(want);
}

static void test_all_sizes(void **state) {
  (void)state;
  for (int id = 0; id < SCAN_STRUCT_COUNT; id++) {
    const size_t most = scan_struct_get((scan_struct_id)id)->bytes;
    assert_true(most < MOST);
    for (size_t bytes = 0; bytes <= most + 8; bytes++) {
      check_reserve((scan_struct_id)id, bytes);
      check_give((scan_struct_id)id, bytes);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_fields_are_complete, test_count_setup),
    cmocka_unit_test_setup(test_all_sizes, test_count_setup),
  };
  return test_exit(cmocka_run_group_tests_name("structs", tests, NULL, NULL));
}
