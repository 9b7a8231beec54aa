/* SPDX-License-Identifier: BSD-2-Clause */
/** @file run.c @brief Runs a case on a device. */
#include "parts.h"

#include <stdio.h>
#include <string.h>

static scan_status call(scan_ctx *ctx, const case_predicates *predicates, scan_case *c, scan_mem in, scan_mem out) {
  switch (case_family_of(c->by)) {
  case FAMILY_SCANS: return case_scan_call(ctx, c, in, out);
  case FAMILY_SORTS: return case_sort_call(ctx, c, in, out);
  case FAMILY_RUNS: return case_runs_call(ctx, c, in, out);
  default: break;
  }
  if (c->by == CASE_PARTITION3) return case_partition_call(ctx, c, predicates->one, in, out);
  return case_select_call(ctx, predicates, c, in, out);
}

/** The second image before the call. */
static void make_out_image(scan_case *c) {
  memset(c->got, CASE_POISON, (size_t)c->out_bytes);
  if (case_family_of(c->by) == FAMILY_SCANS) case_scan_put_inputs(c, c->got);
  if (c->in_place && case_family_of(c->by) == FAMILY_SORTS) case_sort_put_inputs(c, c->got);
  if (c->counts_n) memcpy(c->got + c->count.at, &c->n_said, sizeof c->n_said);
}

static scan_status run_in(scan_ctx *ctx, const case_predicates *predicates, scan_case *c, scan_mem in, scan_mem out) {
  make_out_image(c);
  scan_status status = scan_write(ctx, in, c->in_image, c->in_bytes);
  if (status == SCAN_SUCCESS) status = scan_write(ctx, out, c->got, c->out_bytes);
  if (status == SCAN_SUCCESS) status = call(ctx, predicates, c, in, out);
  if (status == SCAN_SUCCESS) status = scan_sync(ctx);
  if (status == SCAN_SUCCESS) status = scan_read(ctx, out, c->got, c->out_bytes);
  if (status == SCAN_SUCCESS && c->by == CASE_PARTITION3) case_partition_forget(c);
  if (status == SCAN_SUCCESS && c->by == CASE_SCAN) case_scan_settle(c);
  return status;
}

scan_status case_run(scan_ctx *ctx, const case_predicates *predicates, scan_case *c, char words[CASE_WORDS_BYTES]) {
  scan_mem in = SCAN_NO_MEM, out = SCAN_NO_MEM;
  scan_status status = scan_alloc(ctx, c->in_bytes, &in);
  *c->scan.words = '\0';
  if (status == SCAN_SUCCESS) status = scan_alloc(ctx, c->out_bytes, &out);
  if (status == SCAN_SUCCESS) status = run_in(ctx, predicates, c, in, out);
  if (status != SCAN_SUCCESS)
    snprintf(words, CASE_WORDS_BYTES, "%s", *c->scan.words ? c->scan.words : scan_last_error(ctx));
  (void)scan_free(ctx, out);
  (void)scan_free(ctx, in);
  return status;
}
