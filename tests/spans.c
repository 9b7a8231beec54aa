/* SPDX-License-Identifier: BSD-2-Clause */
#include "spans.h"

#include "reference.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { PAD_BYTES = 192, POISON = 0xA5 };

/* A buffer of `bytes` bytes at `content` (NULL: poison too) amid poison. */
static unsigned char *padded(const void *content, size_t bytes, size_t shift) {
  const size_t whole = bytes + shift + 2 * PAD_BYTES;
  unsigned char *made = reference_alloc(whole);
  memset(made, POISON, whole);
  if (content != NULL) memcpy(made + PAD_BYTES + shift, content, bytes);
  return made;
}

static scan_mem on_device(const unsigned char *content, size_t whole) {
  scan_mem mem;
  test_ok(test_ctx(), scan_alloc(test_ctx(), whole, &mem), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), mem, content, whole), "scan_write");
  return mem;
}

int64_t span_run(scan_plan *plan, uint64_t n, const struct span_scan *span) {
  scan_ctx *ctx = test_ctx();
  const size_t out_shift = span->in_place ? span->in_shift : span->out_shift;
  const size_t in_whole = span->in_bytes + span->in_shift + 2 * PAD_BYTES;
  const size_t out_whole = span->want_bytes + out_shift + 2 * PAD_BYTES;
  unsigned char *in = padded(span->in, span->in_bytes, span->in_shift);
  unsigned char *want = padded(span->want, span->want_bytes, out_shift);
  unsigned char *got = padded(NULL, span->want_bytes, out_shift);
  const scan_mem in_mem = on_device(in, in_whole), out_mem = on_device(span->in_place ? in : got, out_whole);
  const scan_mem to = scan_offset(out_mem, PAD_BYTES + out_shift);
  const scan_mem from = span->in_place ? to : scan_offset(in_mem, PAD_BYTES + span->in_shift);
  scan_args args = SCAN_ARGS_INIT(from, to);
  args.marks = span->marks;
  args.mark_count = span->mark_count;
  test_ok(ctx, scan_plan_run_args(plan, n, &args), "scan_plan_run_args");
  test_ok(ctx, scan_read(ctx, out_mem, got, out_whole), "scan_read");
  size_t at = 0;
  while (at < out_whole && got[at] == want[at]) at++;
  test_ok(ctx, scan_free(ctx, in_mem), "scan_free");
  test_ok(ctx, scan_free(ctx, out_mem), "scan_free");
  free(in);
  free(want);
  free(got);
  return at < out_whole ? (int64_t)at - (int64_t)(PAD_BYTES + out_shift) : INT64_MIN;
}
