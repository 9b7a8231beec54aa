/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of one case each: a line of tools/cases, which is built before calls fail. */
#include "case.h"
#include "support.h"
#include "sweep/sweep.h"

#include <stdio.h>
#include <string.h>

static scan_case built;

static void build(const char *line) {
  char words[CASE_WORDS_BYTES];
  if (case_from_line(line, &built, words) != 0) test_fail("%s", words);
  if (case_build(&built) != 0) test_fail("no memory for: %s", line);
}

void sweep_case_begin(const sweep_scenario *s) {
  if (s->line != NULL) build(s->line);
}

void sweep_case_end(const sweep_scenario *s) {
  if (s->line != NULL) case_free(&built);
}

void sweep_case_run(sweep_trial *t) {
  static char difference[CASE_WORDS_BYTES];
  case_functions functions = { .one = { NULL } };
  char words[CASE_WORDS_BYTES] = "";
  const scan_status status = case_run(t->ctx, &functions, &built, words);
  case_functions_destroy(&functions);
  if (status != SCAN_SUCCESS) snprintf(t->words, sizeof t->words, "%s", words);
  if (!sweep_step(t, "case_run", status)) return;
  case_difference(&built, difference, sizeof difference);
  if (*difference) t->wrong = difference;
}

const sweep_scenario sweep_cases[] = {
  { .name = "plan", .line = "scan n=3000 type=f32 op=add plan" },
  { .name = "three_launches", .line = "scan n=3000 type=f32 op=add plan strategy=reduce_then_scan", .needs_device = 1 },
  { .name = "host_memory", .line = "scan n=3000 type=f32 op=add kind=exclusive init host_memory" },
  { .name = "segments", .line = "scan n=3000 type=f32 op=add marks=flags percent=9 host_memory" },
  { .name = "pieces", .line = "scan n=3000 type=f32 op=add outputs=3 runs=1000,900,1100 carry host_memory" },
  { .name = "total", .line = "scan n=3000 type=f32 op=add kind=total host_memory" },
  { .name = "array", .line = "array axes=10,300 axis=1 type=f32 op=add host_memory" },
  { .name = "difference", .line = "difference n=3000 type=f32 op=add host_memory" },
  { .name = "stream", .line = "stream n=3000 type=f32 op=add host_memory chunk_items=600 reads pinned" },
  { .name = "select", .line = "flags n=3000 element_bytes=4 percent=33 rest=behind count host_memory" },
  { .name = "select_plan", .line = "flags n=3000 element_bytes=4 percent=33 count plan" },
  { .name = "unique", .line = "first n=3000 key_type=u32 in_first element_bytes=4 percent=40 count host_memory" },
  { .name = "run_length", .line = "rle n=3000 key_type=u32 percent=40 count keys length_type=u32 host_memory" },
  { .name = "reduce_by_key",
    .line = "reduce-by-key n=3000 key_type=u32 percent=40 count keys reduce_type=f32 reduce_op=add host_memory" },
  /* one digit: further digits make the same calls */
  { .name = "sort", .line = "pairs n=3000 key_type=u32 payload_bytes=4 end_bit=8 host_memory" },
  { .name = "sort_segments",
    .line = "keys n=3000 key_type=u32 end_bit=8 by_segments offset_type=u32 segments=2 host_memory" },
  { .name = "split", .line = "keys n=3000 key_type=u32 first_bit=4 end_bit=8 split host_memory" },
  { .name = "histogram", .line = "histogram n=3000 key_type=u32 first_bit=4 end_bit=8 host_memory" },
  { .name = "operator", .line = "source operator=affine n=3000 host_memory" },
  { .name = "composite", .line = "source operator=affine_u32 n=3000 host_memory" },
  { .name = "partition",
    .line = "partition3 n=3000 in_first rest=apart element_bytes=4 percent=30 second_percent=40 count host_memory" },
  { .name = "buckets", .line = "histogram n=3000 buckets=5 host_memory" },
  { .name = NULL },
};
