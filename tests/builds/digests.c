/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: digests FILE...
 * Runs each case of files of lines (tools/cases/) on the host. Prints a hash of all bytes that the call wrote, the
 * status and the case. Two builds agree if they print the same. It needs no cmocka, unlike test_cases, so that it can
 * be built for another processor. Exits 1 if a result is wrong. */
#include "case.h"

#include <scanrt/scan.h>

#include <stdio.h>
#include <string.h>

static case_contexts contexts = { .device = "host" };
static int failures;

static void failed(const char *line, const char *words) {
  fprintf(stderr, "%s\n  of the case: %s\n", words, line);
  failures++;
}

static int visit(const char *line, void *user) {
  char words[CASE_WORDS_BYTES] = "";
  scan_case c;
  (void)user;
  if (case_from_line(line, &c, words) != 0) return failed(line, words), 0;
  if (case_build(&c) != 0) return failed(line, "no memory"), 1;
  const scan_status status = case_run_on(&contexts, &c, words);
  if (status == SCAN_SUCCESS) case_difference(&c, words, sizeof words);
  if (status == SCAN_SUCCESS ? *words != '\0' : status != SCAN_UNSUPPORTED) failed(line, words);
  case_write_digest(&c, line, status, stdout);
  case_free(&c);
  return 0;
}

static void visit_file(const char *name) {
  char words[CASE_WORDS_BYTES] = "";
  if (case_file_each(name, 1, visit, NULL, words) != 0) failed(name, words);
}

int main(int argc, char **argv) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  options.device = contexts.device;
  if (argc < 2) return fprintf(stderr, "usage: digests FILE...\n"), 2;
  if (scan_ctx_create(&options, &contexts.plain) != SCAN_SUCCESS)
    return fprintf(stderr, "%s\n", scan_last_error(NULL)), 1;
  for (int i = 1; i < argc; i++) visit_file(argv[i]);
  case_contexts_close(&contexts);
  scan_ctx_destroy(contexts.plain);
  return failures != 0;
}
