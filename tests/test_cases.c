/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: test_cases [--corners FILE] [--every K] [--random N] [--seed S] [--only FAMILY]... [--digests FILE]
 *        | --case LINE...
 * Runs cases on the device under test: the lines of a file (of a line with choices one case in K), and N random cases
 * of each family (select, runs, sorts, random), or with --only of these families. A random case is written as a line
 * and read back, and that line is tested. A failure prints the command that repeats it. LINE may have choices, too.
 * $SCANRT_TEST_CASES overrides N. --digests writes a line for each case: a hash of all bytes that the call wrote, the
 * status and the case. `diff` of two such files compares two libraries byte for byte. */
#include "case.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 32 };

static struct {
  const char *corners, *lines[MOST_LINES];
  size_t line_count;
  uint64_t random, seed, every;
  FILE *digests;     /* NULL: none */
  unsigned families; /* a bit for each family; 0: all */
} options = { .seed = 1, .every = 1 };

static case_contexts contexts;

enum { MOST_FAILURES = 20 };
static int failures; /* of the running test */

/* Prints a failure and the command that repeats it. The test goes on until MOST_FAILURES; with --digests to the end. */
static void failed(const char *line, scan_status status, const char *words) {
  print_message("%s%s%s\n  SCANRT_TEST_DEVICE=%s test_cases --case '%s'\n", status ? scan_status_name(status) : "",
                status ? ": " : "", words, test_selector(), line);
  if (++failures == MOST_FAILURES && !options.digests) test_fail("%d cases failed, and no more are run", failures);
}

static void end_test(void) {
  const int count = failures;
  failures = 0;
  if (count) test_fail("%d cases failed", count);
}

/* 1 if a valid case may be unsupported: any case but scans, a forced strategy, a device without fp64 or with a limit of
 * loop iterations, or CUDA, where a compiler or an image may be missing. */
static int may_be_refused(const scan_case *c) {
  const scan_device_info *device = test_info();
  return case_family_of(c->by) != FAMILY_SCANS || c->scan.spec.strategy != SCAN_STRATEGY_AUTO || !device->has_fp64 ||
         device->loop_limit != 0 || device->backend == SCAN_BACKEND_CUDA;
}

/* Checks that a case that was built can still be written as a line and read again. */
static void check_line_of_built(const scan_case *c) {
  char line[CASE_LINE_BYTES], words[CASE_WORDS_BYTES];
  scan_case again;
  if (case_from_line(case_to_line(c, line), &again, words) != 0) failed(line, SCAN_SUCCESS, words);
}

/* 1 if the text of the case's operator has doubles and the device does not, so that the text does not compile. */
static int lacks_doubles(const scan_case *c) {
  const source_operator *source = &c->scan.source;
  return source->name && !source_operator_fills(source) && !test_has_type(c->scan.spec.type);
}

/* Builds and runs a case, unless it has doubles or denormals that the device does not. */
static void run(scan_case *c, const char *line) {
  char words[CASE_WORDS_BYTES] = "";
  if (case_build(c) != 0) test_fail("no memory for: %s", line);
  if (lacks_doubles(c) || (test_info()->flushes_denormals && case_has_denormals(c))) {
    case_free(c);
    return;
  }
  check_line_of_built(c);
  const scan_status status = case_run_on(&contexts, c, words);
  if (status == SCAN_SUCCESS) case_difference(c, words, sizeof words);
  if (options.digests) case_write_digest(c, line, status, options.digests);
  case_free(c);
  if (status == SCAN_UNSUPPORTED && may_be_refused(c)) return;
  if (status == SCAN_SUCCESS && !*words)
    test_ran();
  else
    failed(line, status, words);
}

/* Checks that a case's line is read as the same line, then runs the case. */
static void run_drawn(const scan_case *drawn) {
  char line[CASE_LINE_BYTES], again[CASE_LINE_BYTES], words[CASE_WORDS_BYTES];
  scan_case c;
  case_to_line(drawn, line);
  if (case_from_line(line, &c, words) != 0) test_fail("%s\n  of the line: %s", words, line);
  if (strcmp(case_to_line(&c, again), line) != 0) test_fail("a line is read as another one:\n  %s\n  %s", line, again);
  run(&c, line);
}

static int is_wanted(case_family family) { return !options.families || options.families >> family & 1; }

static void run_family(case_family family) {
  const case_limits limits = { .seed = options.seed, .quick = test_is_small(), .backend = test_info()->backend };
  if (!is_wanted(family)) skip();
  for (uint64_t number = 0; number < options.random; number++) {
    scan_case c;
    case_draw_number(&limits, family, number, &c);
    run_drawn(&c);
  }
  end_test();
}

static void test_select(void **state) { (void)state, run_family(FAMILY_COMPACTION); }
static void test_runs(void **state) { (void)state, run_family(FAMILY_RUNS); }
static void test_sorts(void **state) { (void)state, run_family(FAMILY_SORTS); }
static void test_scans(void **state) { (void)state, run_family(FAMILY_SCANS); }

static int visit_line(const char *line, void *user) {
  char words[CASE_WORDS_BYTES];
  scan_case c;
  (void)user;
  if (case_from_line(line, &c, words) != 0) test_fail("%s", words);
  if (is_wanted(case_family_of(c.by))) run(&c, line);
  return 0;
}

static void test_corners(void **state) {
  char words[CASE_WORDS_BYTES];
  (void)state;
  if (!options.corners) skip();
  if (case_file_each(options.corners, options.every, visit_line, NULL, words) != 0) test_fail("%s", words);
  end_test();
}

/* Checks that case_from_line refuses invalid lines, with a reason. */
static void test_refused(void **state) {
  static const char *const lines[] = {
    "",
    "walk n=3",
    "keys n=3",
    "keys n=3 key_type=u128",
    "keys n=3 key_type=u32 payload_bytes=4",
    "keys n=3 key_type=u32 first_bit=8 end_bit=8",
    "keys n=3 key_type=u8 end_bit=9",
    "keys n=3 key_type=u32 by_segments offset_type=u32",
    "keys n=3 key_type=u32 n_said=4",
    "keys n=3 key_type=u32 host_memory plan",
    "keys n=3 key_type=u32 plan plan_n=2",
    "keys n=3 buckets=5 looked_bytes=4",
    "keys n=3 buckets=257 split",
    "keys n=3 buckets=5 looked_bytes=5 split",
    "flags n=3 element_bytes=4 in_place capacity=2",
    "flags n=3 element_bytes=4 n_from count_is_n",
    "argsort n=3 key_type=u32",
    "pairs n=3 key_type=u32",
    "argsort n=3 key_type=u32 index_type=u32 split end_bit=9",
    "flags n=3 element_bytes=4 select_index=u32",
    "flags n=3 in_first element_bytes=4",
    "first n=3 element_bytes=4",
    "first n=3 key_type=f64 in_first element_bytes=4",
    "partition3 n=3 element_bytes=4",
    "rle n=3 length_type=u32",
    "reduce-by-key n=3 key_type=u32 reduce_type=f32 reduce_op=xor",
    "scan n=3",
    "scan n=3 type=f32 op=and",
    "scan n=3 type=i32 op=add marks=keys",
    "scan n=3 type=i32 op=add marks=offsets mark_type=f32",
    "scan n=3 type=f32 op=add check_overflow",
    "scan n=3 type=i32 op=add outputs=9",
    "scan n=3 type=i32 op=add outputs=2 runs=3,4",
    "scan n=99999999999999 type=i32 op=add",
    "scan n=3 type=i32 op=add n=-1",
    "source n=3 type=i32 op=add",
    "source operator=positions n=3 type=i32 op=add",
    "source operator=nothing n=3 type=i32 op=add",
    "array type=i32 op=add",
    "array axes=3 axis=1 type=i32 op=add",
    "array axes=3 type=i32 op=add kind=total marks=flags percent=5",
    "array axes=4294967296,4294967296 type=i32 op=add",
    "stream n=3 type=i32 op=add reads",
    "stream n=3 type=i32 op=add chunk_items=2",
    "histogram n=3",
    "histogram n=3 key_type=u8 first_bit=8",
    "keys n=3 key_type=u32 plan again in_place",
    "keys n=3 key_type=u32 host_in in_place",
    "scan operator=add n=3 type=i32 op=add",
    "stream n=3 type=f32 op=add host_memory device_bytes=96",
    "stream n=3 type=i32 op=add host_memory chunk_items=9 marks=bits",
    "stream n=3 type=i32 op=add host_memory host_in",
    "scan n=3 type=i32 op=add chunk_items=9",
    "scan n=3 type=i32 op=add capacity=2",
    "scan n=3 type=i32 op=add axes=3",
    "scan n=3 type=i32 op=add init carry",
    "scan n=3 type=i32 op=add carry carry_in",
    "scan n=3 type=i32 op=add carry_out device_carry",
    "scan n=3 type=i32 op=add values=nan",
    "scan n=3 type=i32 op=add marks=flags mark_type=u8",
    "scan n=3 type=i32 op=add kind=total in_place",
    "source operator=link n=3 kind=exclusive",
    "source operator=through n=3 kind=exclusive",
    "source operator=words3 n=3 type=i32 op=add",
    "array axes=3 type=i32 op=add carry_out",
    "array axes=3 type=i32 op=add marks=offsets mark_type=u32",
    "array axes=3 type=i32 op=add plan plan_n=9",
    "difference n=3 type=i32 op=add check_overflow",
    "argsort n=3 key_type=u32 index_type=u32 split end_bit=8 by_segments segments=3 offset_type=u32",
    "difference n=3 type=i64 input_type=i32 op=add",
    "source operator=mul n=3 type=i32 op=add",
    "source operator=and n=3 type=f32 op=and",
    "scan n=3 type=i32 op=add segment_items=2",
    "array axes=3 type=i32 op=add marks=flags segment_items=2",
  };
  (void)state;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    char words[CASE_WORDS_BYTES] = "";
    scan_case c;
    if (case_from_line(lines[i], &c, words) == 0 || !*words) test_fail("this line is taken for a case: %s", lines[i]);
  }
}

static void test_lines(void **state) {
  (void)state;
  char words[CASE_WORDS_BYTES];
  for (size_t i = 0; i < options.line_count; i++)
    if (case_lines_each(options.lines[i], options.every, visit_line, NULL, words) != 0) test_fail("%s", words);
  end_test();
}

static int find_family(const char *name) {
  for (int family = 0; family < FAMILIES; family++)
    if (strcmp(case_family_name((case_family)family), name) == 0) return family;
  return -1;
}

/* @return 0, or -1 if the option is unknown */
static int read_option(const char *name, const char *value) {
  if (strcmp(name, "--corners") == 0) return options.corners = value, 0;
  if (strcmp(name, "--case") == 0 && options.line_count < MOST_LINES)
    return options.lines[options.line_count++] = value, 0;
  if (strcmp(name, "--random") == 0) return options.random = strtoull(value, NULL, 10), 0;
  if (strcmp(name, "--seed") == 0) return options.seed = strtoull(value, NULL, 10), 0;
  if (strcmp(name, "--digests") == 0) return (options.digests = fopen(value, "w")) ? 0 : -1;
  if (strcmp(name, "--every") == 0) return (options.every = strtoull(value, NULL, 10)) ? 0 : -1;
  if (strcmp(name, "--only") != 0 || find_family(value) < 0) return -1;
  options.families |= 1u << find_family(value);
  return 0;
}

int main(int argc, char **argv) {
  const struct CMUnitTest all[] = { cmocka_unit_test(test_refused), cmocka_unit_test(test_corners),
                                    cmocka_unit_test(test_select),  cmocka_unit_test(test_runs),
                                    cmocka_unit_test(test_sorts),   cmocka_unit_test(test_scans) };
  const struct CMUnitTest one[] = { cmocka_unit_test(test_lines) };
  for (int i = 1; i < argc; i += 2)
    if (i + 1 == argc || read_option(argv[i], argv[i + 1]) != 0) {
      fprintf(
          stderr,
          "%s: use --corners FILE, --every K, --random N, --seed S, --only select, runs, sorts or random, --digests "
          "FILE, or --case LINE, of which there may be %d\n",
          argv[i], MOST_LINES);
      return 2;
    }
  if (getenv("SCANRT_TEST_CORNERS")) options.corners = getenv("SCANRT_TEST_CORNERS");
  if (getenv("SCANRT_TEST_EVERY")) options.every = strtoull(getenv("SCANRT_TEST_EVERY"), NULL, 10);
  if (getenv("SCANRT_TEST_CASES")) options.random = strtoull(getenv("SCANRT_TEST_CASES"), NULL, 10);
  contexts.plain = test_device_open();
  contexts.device = test_selector();
  const int failed =
      options.line_count ? cmocka_run_group_tests(one, NULL, NULL) : cmocka_run_group_tests(all, NULL, NULL);
  case_contexts_close(&contexts);
  if (options.digests && fclose(options.digests) != 0) return perror("--digests"), 2;
  return test_exit(failed);
}
