/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the text of operators from source: macros that it defines, unterminated comments and conditionals, reserved
 * names; and the geometry of elements of any size. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "device/caps.h"
#include "base/embedded.h"
#include "reference_operator.h"
#include "device/source.h"
#include "device/source_text.h"
#include "strategy/strategy.h"
#include "support.h"

static void check_undefines(const char *text, const char *want) {
  char out[512];
  const size_t bytes = scan_source_undefine(text, out, sizeof out);
  assert_string_equal(out, want);
  assert_int_equal(bytes, strlen(want));
  assert_int_equal(scan_source_undefine(text, NULL, 0), strlen(want));
}

static void test_macros(void **state) {
  (void)state;
  check_undefines("", "");
  check_undefines("int define; /* #define A */ // \n#undef B\n", "");
  check_undefines("#define A", "#undef A\n");
  check_undefines("  #\tdefine A(x) #x\nint y;\n#define B \\\n  1\n", "#undef A\n#undef B\n");
  check_undefines("#de\\\nfine A\\\nB 1\n", "#undef AB\n");
  check_undefines("/* a\n*/ # /* b */ define /* c */ A 1\n", "#undef A\n");
  check_undefines("%:define A\n", "#undef A\n");
  check_undefines("x = \"\\\"\n#define A\n", "#undef A\n");
  check_undefines("char c = '\"';\n#define A '\"'\n#define B\n", "#undef A\n#undef B\n");
  check_undefines("// a \\\n#define A\n#define B\r\n#define C", "#undef B\n#undef C\n");
  check_undefines("x #define A\n", "");
  check_undefines("#define A #define B\n# # define C\n#define D", "#undef A\n#undef D\n");
}

static void check_relocated(const char *log, const char *want) {
  char out[64];
  scan_source_relocate(log, "one\ntwo\nthree", 17, out, sizeof out);
  assert_string_equal(out, want);
}

static void test_log_lines(void **state) {
  (void)state;
  char cut[12];
  check_relocated("<kernel>:18:1: error: x", "operator:1:1: error: x");
  check_relocated("a\n<kernel>:20:3: b\n<kernel>:19:4: c\n", "a\noperator:3:3: b\noperator:2:4: c\n");
  check_relocated("<kernel>:17:1: <kernel>:21:1: <kernel>:x", "<kernel>:17:1: <kernel>:21:1: <kernel>:x");
  check_relocated("operator:1:1: error", "operator:1:1: error");
  scan_source_relocate("<kernel>:18:1", "", 17, cut, sizeof cut);
  assert_string_equal(cut, "operator:1:");
}

static void check_open(const char *text, const char *what, int where) {
  int line = -1;
  const char *open = scan_source_open(text, &line);
  if (what == NULL) {
    assert_null(open);
    return;
  }
  assert_non_null(open);
  assert_non_null(strstr(open, what));
  assert_int_equal(line, where);
}

static void test_what_is_open(void **state) {
  (void)state;
  check_open("", NULL, 0);
  check_open("/* a */ int x; // /*\n", NULL, 0);
  check_open("#if 1\n#ifdef A\n#else\n#endif\n#elif 2\n#endif\n", NULL, 0);
  check_open("char *s = \"/*\";\n", NULL, 0);
  check_open("#define IF #if\n#pragma # if 1\n", NULL, 0);
  check_open("#if 1 #endif\n", "conditional", 1);
  check_open("\n#if \\\n 1\n", "conditional", 2);
  check_open("int x;\n\n /* a", "comment", 3);
  check_open("/*/", "comment", 1);
  check_open("a \\\n b\n#ifndef A\n", "conditional", 3);
  check_open("#if 1\n#if 2\n#endif\n", "conditional", 1);
}

static void check_reserved(const char *text, const char *want, int where) {
  char name[SCAN_SOURCE_NAME_BYTES] = "";
  int line = -1;
  assert_int_equal(scan_source_reserved(text, name, &line), want != NULL);
  if (want == NULL) return;
  assert_string_equal(name, want);
  assert_int_equal(line, where);
}

static void test_reserved_names(void **state) {
  (void)state;
  check_reserved("", NULL, 0);
  check_reserved("int a_scanrt_, Scanrt_, scanrt, 1scanrt_; // scanrt_\n/* scanrt_ */", NULL, 0);
  check_reserved("char *s = \"scanrt_ \\\" scanrt_\", c = 'scanrt_';", NULL, 0);
  check_reserved("int x;\n\nint scanrt_x;", "scanrt_x", 3);
  check_reserved("x\\\n(scan\\\nrt_)", "scanrt_", 2);
  check_reserved("/* \n */ #undef scanrt_y", "scanrt_y", 2);
  check_reserved("x+scanrt_z2", "scanrt_z2", 1);
}

/* ---- names in the kernels' text ---- */

/* Copies the word that ends before `end`. */
static void word_before(const char *begin, const char *end, char word[64]) {
  while (end > begin && isspace((unsigned char)end[-1])) end--;
  const char *first = end;
  while (first > begin && (isalnum((unsigned char)first[-1]) || first[-1] == '_')) first--;
  snprintf(word, 64, "%.*s", (int)(end - first), first);
}

/* Checks a name that a kernel's text defines for the whole program: it must begin with scanrt_ or be in capitals. An
 * operator's text, which precedes it, may use all other names. */
static void check_name(const char *file, const char *begin, const char *end) {
  char word[64];
  word_before(begin, end, word);
  if (strcmp(word, "name") == 0 || strcmp(word, "known") == 0 || strcmp(word, "bare") == 0)
    return; /* in a macro that makes functions: its uses are checked */
  if (strncmp(file, "cuda/", 5) == 0 && strncmp(word, "scan_", 5) == 0)
    return; /* tuning.h is for the host, too; on CUDA an operator's text has its own namespace */
  if (strncmp(word, "scanrt_", 7) != 0 && !isupper((unsigned char)word[0]))
    test_fail("%s: %s does not begin with scanrt_", file, word);
}

/* Checks the names of functions, FUNC ... name(, and of those that a macro makes. Returns their number. */
static int check_functions(const char *file, const char *text) {
  int found = 0;
  for (const char *at = text; (at = strstr(at, "FUNC ")) != NULL; at++) {
    if (at != text && at[-1] != '\n' && at[-1] != ' ') continue; /* SCANRT_SOURCE_FUNC */
    if (strncmp(at, "FUNC static", 11) == 0) continue;           /* its own definition */
    check_name(file, at, strchr(at, '('));
    found++;
  }
  for (const char *at = text; (at = strstr(at, "\nSHUFFLE(")) != NULL; at++)
    check_name(file, at + strlen("\nSHUFFLE("), at + strcspn(at, ",)"));
  return found;
}

/* Checks the tag of a struct that is defined at the start of a line. */
static void check_tag(const char *file, const char *line) {
  const char *brace = strchr(line, '{'), *end = strchr(line, ';');
  if (brace != NULL && brace < end) check_name(file, line, brace);
}

static int check_types(const char *file, const char *text) {
  int found = 0;
  for (const char *at = text; (at = strstr(at, "\nstruct ")) != NULL; at++) check_tag(file, at);
  for (const char *at = text; (at = strstr(at, "\ntypedef ")) != NULL; at++) {
    const char *brace = strchr(at, '{'), *end = strchr(at, ';');
    check_tag(file, at);
    if (brace != NULL && brace < end) end = strchr(strstr(at, "\n}"), ';');
    check_name(file, at, end);
    found++;
  }
  return found;
}

/* Checks the names of macros. One in small letters would change the meaning of later texts. */
static void check_macros(const char *file, const char *text) {
  for (const char *at = text; (at = strstr(at, "\n#define ")) != NULL; at++) {
    const char *name = at + strlen("\n#define ");
    check_name(file, name, name + strcspn(name, " (\n"));
  }
}

static void test_names(void **state) {
  (void)state;
  int kernels = 0;
  for (size_t i = 0; i < scan_kernel_text_count; i++) {
    const char *file = scan_kernel_texts[i].name;
    if (strstr(file, ".cl") == NULL && strstr(file, ".cuh") == NULL) continue;
    char *text = scan_kernel_text(file);
    assert_non_null(text);
    if (check_functions(file, text) == 0 || check_types(file, text) == 0)
      test_fail("%s: no declaration was found", file);
    check_macros(file, text);
    free(text);
    kernels++;
  }
  assert_true(kernels > 20);
}

/* ---- geometry ---- */

static void test_geometry(void **state) {
  (void)state;
  for (size_t bytes = 1; bytes <= SCAN_OP_MOST_BYTES; bytes++) {
    const uint64_t sub = reference_subtile_items(bytes), most = reference_most_subtiles(bytes);
    assert_int_equal(canon_subtile_items(bytes), sub);
    assert_int_equal(canon_most_subtiles(bytes), most);
    assert_int_equal(canon_subtiles(1, bytes), most);
    assert_int_equal(canon_subtiles(most * sub, bytes), most);
    assert_int_equal(canon_subtiles(most * sub + 1, bytes), 1);
    assert_int_equal(canon_subtiles(128 * sub, bytes), 1);
    assert_int_equal(canon_tiles(128 * sub, bytes), 128);
    assert_int_equal(canon_subtiles(128 * sub + 1, bytes), most);
    assert_int_equal(canon_tiles(128 * sub + 1, bytes), 128 / most + 1);
    assert_true(canon_tile_capacity(129 * sub, bytes) >= 128);
    assert_true(scan_caps_source_local_bytes(SCAN_EXCHANGE_LOCAL, bytes) <= 32 * 1024); /* the least that GPUs have */
  }
}

/* Returns the loop iterations of a work-item that reduces and writes `items` elements in vectors of `vector`, as
 * counted in tile_item.h. */
static uint64_t turns_of(uint64_t items, uint64_t vector) { return items / vector * (3 * vector + 20); }

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void test_counted_loops(void **state) {
  (void)state;
  const scan_caps caps = { .loop_limit = 65535 }, without = { .loop_limit = 0 };
  for (uint32_t bytes = 1; bytes <= SCAN_OP_MOST_BYTES; bytes++) {
    const scan_source source = { .bytes = bytes, .align = 1 };
    const scan_problem problem = { .source = &source };
    const uint64_t vector = canon_vector_items(bytes), most = scan_strategy_reduce_then_scan.limit(&caps, &problem);
    const uint64_t sizes[] = { most, least(most, canon_small_items(bytes)), least(most, canon_large_items(bytes)) };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
      assert_true(turns_of(least(sizes[i], canon_tile_items(sizes[i], bytes)), vector) <= 65535);
    assert_true(turns_of(scan_strategy_block.limit(&caps, &problem), vector) <= 65535 / 2);
    assert_true(turns_of(scan_strategy_lookback.limit(&caps, &problem), vector) <= 65535 / 2);
    assert_true(scan_strategy_block.limit(&caps, &problem) > 1000);
    assert_true(scan_strategy_reduce_then_scan.limit(&without, &problem) == UINT64_MAX);
  }
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_macros),       TEST(test_what_is_open), TEST(test_reserved_names),
                                      TEST(test_log_lines),    TEST(test_names),        TEST(test_geometry),
                                      TEST(test_counted_loops) };
  return test_exit(cmocka_run_group_tests_name("source", tests, NULL, NULL));
}
