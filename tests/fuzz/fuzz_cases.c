/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes cases on the host: the result of a case drawn from the input is the oracle's. */
#include "case.h"
#include "fuzz.h"

/* Runs the case and compares. Each context keeps its own predicates and bucket functions. */
static void run(scan_ctx *ctx, scan_case *c, const char *line) {
  static struct {
    scan_ctx *ctx;
    case_functions functions;
  } known[2];
  char words[CASE_WORDS_BYTES] = "";
  const int slot = known[0].ctx && known[0].ctx != ctx;
  known[slot].ctx = ctx;
  const scan_status status = case_run(ctx, &known[slot].functions, c, words);
  if (status == SCAN_UNSUPPORTED) return;
  if (status == SCAN_SUCCESS) case_difference(c, words, sizeof words);
  if (status != SCAN_SUCCESS || *words) fuzz_fail("%s: %s\n%s", scan_status_name(status), words, line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  const case_limits limits = { .seed = 1, .quick = 1, .small = 1 };
  fuzz_input in = { data, bytes };
  char line[CASE_LINE_BYTES], words[CASE_WORDS_BYTES];
  scan_case drawn, c;
  scan_ctx *ctx = fuzz_one_of_contexts(&in);
  case_draw_bytes(&limits, in.at, in.left, &drawn);
  case_to_line(&drawn, line);
  if (case_from_line(line, &c, words) != 0) fuzz_fail("%s\n%s", words, line);
  if (case_build(&c) == 0) run(ctx, &c, line);
  case_free(&c);
  return 0;
}
