/* SPDX-License-Identifier: BSD-2-Clause */
/** @file run.c @brief Runs a case on a device. */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static scan_status call_library(scan_ctx *ctx, case_functions *functions, scan_case *c, case_memory *m, void *user) {
  (void)user;
  switch (case_family_of(c->by)) {
  case FAMILY_SCANS: return case_scan_call(ctx, functions, c, m);
  case FAMILY_SORTS: return case_sort_call(ctx, functions, c, m);
  case FAMILY_RUNS: return case_runs_call(ctx, functions, c, m);
  default: break;
  }
  if (c->by == CASE_PARTITION3) return case_partition_call(ctx, functions, c, m);
  return case_select_call(ctx, functions, c, m);
}

/** Fills the output image before the call. */
static void make_out_image(scan_case *c) {
  memset(c->got, CASE_POISON, (size_t)c->out_bytes);
  if (case_family_of(c->by) == FAMILY_SCANS) case_scan_put_inputs(c, c->got);
  if (case_family_of(c->by) == FAMILY_SORTS) case_sort_put_inputs(c, c->got);
  if (case_family_of(c->by) == FAMILY_COMPACTION && c->in_place) case_select_put_inputs(c, c->got);
  if (c->counts_n) memcpy(c->got + c->count.at, &c->n_said, sizeof c->n_said);
}

static int reads_host(const scan_case *c) { return c->by_host || c->host_in; }
static int writes_host(const scan_case *c) { return c->by_host || c->host_out; }

/** Reads both images back from the device. With outputs in host memory it reads only the parts that stay on the
 * device: the carries, or a count written over n_from. */
static scan_status read_back(scan_ctx *ctx, const scan_case *c, const case_memory *m, unsigned char *in) {
  const case_part *part = c->scan.device_carry ? &c->scan.carries : &c->count;
  scan_status status = reads_host(c) ? SCAN_SUCCESS : scan_read(ctx, m->in, in, c->in_bytes);
  if (status != SCAN_SUCCESS || (writes_host(c) && !c->counts_n && !c->scan.device_carry)) return status;
  if (!writes_host(c)) return scan_read(ctx, m->out, c->got, c->out_bytes);
  return scan_read(ctx, scan_offset(m->device_out, part->at), c->got + part->at, (size_t)part->bytes);
}

/** Makes unspecified bytes poison, and acceptable results the expected ones. */
static void forgive(scan_case *c) {
  if (c->by == CASE_PARTITION3) case_partition_forget(c);
  if (case_family_of(c->by) == FAMILY_COMPACTION && c->in_place) case_select_forget(c);
  if (case_family_of(c->by) == FAMILY_SCANS) case_scan_settle(c);
}

/** The call of a case, and what it is given. */
typedef struct case_caller {
  case_call *call;
  void *user;
} case_caller;

/** Runs the case. @param in  a copy of the input image, which the call must not change */
static scan_status run_in(scan_ctx *ctx, case_functions *functions, scan_case *c, const case_caller *caller,
                          case_memory *m, unsigned char *in) {
  make_out_image(c);
  scan_status status = scan_write(ctx, m->device_in, c->in_image, c->in_bytes);
  if (status == SCAN_SUCCESS) status = scan_write(ctx, m->device_out, c->got, c->out_bytes);
  m->in = reads_host(c) ? scan_host(in) : m->device_in;
  m->out = writes_host(c) ? scan_host(c->got) : m->device_out;
  if (reads_host(c)) case_guard_in(c, in);
  if (writes_host(c)) case_guard_out(c, c->got);
  if (status == SCAN_SUCCESS) status = caller->call(ctx, functions, c, m, caller->user);
  case_unguard(in, c->in_bytes);
  case_unguard(c->got, c->out_bytes);
  if (status == SCAN_SUCCESS) status = scan_sync(ctx);
  if (status == SCAN_SUCCESS) status = read_back(ctx, c, m, in);
  if (status == SCAN_SUCCESS) forgive(c);
  c->wrote_inputs = memcmp(in, c->in_image, (size_t)c->in_bytes) != 0;
  c->is_silent = m->is_silent;
  return status;
}

scan_status case_run(scan_ctx *ctx, case_functions *functions, scan_case *c, char words[CASE_WORDS_BYTES]) {
  return case_run_by(ctx, functions, c, call_library, NULL, words);
}

scan_status case_run_by(scan_ctx *ctx, case_functions *functions, scan_case *c, case_call *call, void *user,
                        char words[CASE_WORDS_BYTES]) {
  const case_caller caller = { call, user };
  case_memory m = { .device_in = SCAN_NO_MEM, .device_out = SCAN_NO_MEM };
  unsigned char *in = malloc((size_t)c->in_bytes);
  scan_status status = in ? scan_alloc(ctx, c->in_bytes, &m.device_in) : SCAN_OUT_OF_MEMORY;
  *c->scan.words = '\0';
  if (status == SCAN_SUCCESS) memcpy(in, c->in_image, (size_t)c->in_bytes);
  if (status == SCAN_SUCCESS) status = scan_alloc(ctx, c->out_bytes, &m.device_out);
  if (status == SCAN_SUCCESS) status = run_in(ctx, functions, c, &caller, &m, in);
  if (status != SCAN_SUCCESS)
    snprintf(words, CASE_WORDS_BYTES, "%s",
             !in              ? "no memory for a copy of the input"
             : *c->scan.words ? c->scan.words
                              : scan_last_error(ctx));
  (void)scan_free(ctx, m.device_out);
  (void)scan_free(ctx, m.device_in);
  free(in);
  return status;
}
