/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_case.c @brief Runs the cases of `scanrt verify` on one device. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "number.h"
#include "reference.h"
#include "verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 64, GUARDS_BYTES = 2 * GUARD_BYTES, GUARD_BYTE = 0xC3, POISON_BYTE = 0xA5, MAX_ITEM_BYTES = 8 };

static const uint64_t quick_sizes[] = { 0, 1, 31, 257 };
static const uint64_t full_sizes[] = { 100003, 300007 }; /* 300,007 four-byte elements: more than one group of tiles. */
static const uint64_t large_sizes[] = { 1048577, 5000011 };

/** One n, in place or not. */
typedef struct verify_case {
  const verify_subject *subject;
  scan_plan *plan;
  uint64_t n;
  int in_place;
} verify_case;

uint64_t verify_max_n(const verify_lab *lab) {
  return lab->large ? large_sizes[1] : lab->quick ? 20000 : full_sizes[1];
}

/* ---- the device ---- */

int verify_lab_open(verify_lab *lab) {
  lab->capacity_bytes = verify_max_n(lab) * MAX_ITEM_BYTES + MAX_ITEM_BYTES;
  uint64_t bytes = lab->capacity_bytes + GUARDS_BYTES;
  lab->device_in = lab->device_out = (scan_mem){ 0 };
  lab->host_in = calloc(1, (size_t)bytes);
  lab->host_out = calloc(1, (size_t)bytes);
  lab->expected = calloc(1, (size_t)bytes);
  int rc = cli_open(lab->selector, SCAN_STRATEGY_AUTO, &lab->ctx, &lab->info);
  if (rc != CLI_OK) goto close;
  scan_status status = scan_alloc(lab->ctx, bytes, &lab->device_in);
  if (status == SCAN_SUCCESS) status = scan_alloc(lab->ctx, bytes, &lab->device_out);
  if (status != SCAN_SUCCESS)
    rc = cli_fail_scan(lab->ctx, status, "cannot allocate the buffers");
  else if (!lab->host_in || !lab->host_out || !lab->expected)
    rc = cli_fail("no memory for the buffers");
  else
    return CLI_OK;
close:
  verify_lab_close(lab);
  return rc;
}

void verify_lab_close(verify_lab *lab) {
  if (lab->ctx) {
    scan_free(lab->ctx, lab->device_out);
    scan_free(lab->ctx, lab->device_in);
  }
  scan_ctx_destroy(lab->ctx);
  lab->ctx = NULL;
  free(lab->expected);
  free(lab->host_out);
  free(lab->host_in);
}

/* ---- one case ---- */

/** Bytes before the first element. In place the elements lie one element past the alignment. */
static uint64_t lead_bytes(const verify_case *c) {
  return GUARD_BYTES + (c->in_place ? scan_type_bytes(c->subject->spec.type) : 0);
}

/** Says what failed in the words of the case. */
static void report_case(verify_lab *lab, const verify_case *c, const char *what) {
  const scan_spec *s = &c->subject->spec;
  const char *from = s->input_type == s->type ? "" : scan_type_name(s->input_type);
  verify_report_failure(lab->report, c->subject->counts, "%s: %s%s%s %s %s%s, %s, n = %" PRIu64 "%s: %s", lab->selector,
                        from, *from ? "->" : "", scan_type_name(s->type), scan_op_name(s->op),
                        s->kind == SCAN_EXCLUSIVE ? "exclusive" : "inclusive", s->has_init ? " with init" : "",
                        scan_strategy_name(s->strategy), c->n, c->in_place ? ", in place" : "", what);
}

/** Fresh input and its expected result; guards around, poison where the result will be. */
static int prepare(verify_lab *lab, const verify_case *c) {
  const scan_spec *s = &c->subject->spec;
  data_style style = { .seed = ++lab->seed, .denormals = !lab->info.flushes_denormals, .not_numbers = c->n == 257 };
  unsigned char *in = (c->in_place ? lab->host_out : lab->host_in) + lead_bytes(c);
  uint64_t out_bytes = c->n * scan_type_bytes(s->type);
  memset(lab->host_out, GUARD_BYTE, (size_t)(lead_bytes(c) + out_bytes + GUARD_BYTES));
  memset(lab->host_out + lead_bytes(c), POISON_BYTE, (size_t)out_bytes);
  data_fill(s->input_type, s->op, c->n, &style, in);
  return reference_scan(s, s->strategy == SCAN_STRATEGY_SEQUENTIAL, c->n, in, lab->expected);
}

/** Moves the data, scans, fetches the result. */
static scan_status scan_case(verify_lab *lab, const verify_case *c) {
  const scan_spec *s = &c->subject->spec;
  uint64_t lead = lead_bytes(c), out_bytes = lead + c->n * scan_type_bytes(s->type) + GUARD_BYTES;
  uint64_t in_bytes = lead + c->n * scan_type_bytes(s->input_type);
  scan_mem out = scan_offset(lab->device_out, lead), in = c->in_place ? out : scan_offset(lab->device_in, lead);
  scan_status status = scan_write(lab->ctx, lab->device_out, lab->host_out, out_bytes);
  if (status == SCAN_SUCCESS && !c->in_place) status = scan_write(lab->ctx, lab->device_in, lab->host_in, in_bytes);
  if (status == SCAN_SUCCESS) status = scan_plan_run(c->plan, c->n, in, out);
  if (status == SCAN_SUCCESS) status = scan_sync(lab->ctx);
  if (status == SCAN_SUCCESS) status = scan_read(lab->ctx, lab->device_out, lab->host_out, out_bytes);
  return status;
}

/** 1 when the guards on both sides are untouched. */
static int guards_intact(const verify_lab *lab, const verify_case *c) {
  const unsigned char *before = lab->host_out;
  const unsigned char *after = before + lead_bytes(c) + c->n * scan_type_bytes(c->subject->spec.type);
  for (uint64_t i = 0; i < lead_bytes(c); i++)
    if (before[i] != GUARD_BYTE) return 0;
  for (uint64_t i = 0; i < GUARD_BYTES; i++)
    if (after[i] != GUARD_BYTE) return 0;
  return 1;
}

/** Compares the result with the reference and counts. */
static void judge(verify_lab *lab, const verify_case *c) {
  scan_type type = c->subject->spec.type;
  const unsigned char *got = lab->host_out + lead_bytes(c), *expected = lab->expected;
  uint64_t at = reference_mismatch(type, c->n, got, expected), item_bytes = scan_type_bytes(type);
  char got_text[NUMBER_TEXT_BYTES], expected_text[NUMBER_TEXT_BYTES], what[160];
  if (at == c->n && guards_intact(lab, c)) {
    c->subject->counts->passed++;
    return;
  }
  if (at == c->n) {
    report_case(lab, c, "wrote outside the output");
    return;
  }
  number_format(type, got + at * item_bytes, got_text);
  number_format(type, expected + at * item_bytes, expected_text);
  snprintf(what, sizeof what, "element %" PRIu64 " is %s, expected %s", at, got_text, expected_text);
  report_case(lab, c, what);
}

/** Runs one case. @return CLI_FAILED when the device cannot go on */
static int run_case(verify_lab *lab, const verify_case *c) {
  char what[384];
  if (prepare(lab, c) != 0) return cli_fail("no memory for the reference");
  scan_status status = scan_case(lab, c);
  if (status == SCAN_SUCCESS) {
    judge(lab, c);
    return CLI_OK;
  }
  if (status == SCAN_UNSUPPORTED) {
    c->subject->counts->not_applicable++;
    return CLI_OK;
  }
  snprintf(what, sizeof what, "%s: %s", scan_status_name(status), scan_last_error(lab->ctx));
  report_case(lab, c, what);
  return status == SCAN_DEVICE_ERROR ? CLI_FAILED : CLI_OK;
}

/* ---- the cases of one subject ---- */

static void add_sizes(uint64_t *sizes, int *count, const uint64_t *more, int more_count) {
  for (int i = 0; i < more_count && *count < VERIFY_MAX_SIZES; i++) sizes[(*count)++] = more[i];
}

/** Lists every n for a plan. `sequential` runs one work-item: the large sizes are left out there. */
static int list_sizes(const verify_lab *lab, const verify_subject *subject, uint64_t tile_items, uint64_t *sizes) {
  const uint64_t around_tile[] = { tile_items - 1, tile_items, tile_items + 1 };
  int count = 0;
  add_sizes(sizes, &count, quick_sizes, (int)(sizeof quick_sizes / sizeof quick_sizes[0]));
  if (tile_items > 1 && tile_items < verify_max_n(lab)) add_sizes(sizes, &count, around_tile, 3);
  if (!lab->quick) add_sizes(sizes, &count, full_sizes, (int)(sizeof full_sizes / sizeof full_sizes[0]));
  if (lab->large && subject->spec.strategy != SCAN_STRATEGY_SEQUENTIAL)
    add_sizes(sizes, &count, large_sizes, (int)(sizeof large_sizes / sizeof large_sizes[0]));
  return count;
}

static int run_sizes(verify_lab *lab, const verify_subject *subject, scan_plan *plan) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  uint64_t sizes[VERIFY_MAX_SIZES];
  int same_bytes = scan_type_bytes(subject->spec.input_type) == scan_type_bytes(subject->spec.type), rc = CLI_OK;
  scan_status status = scan_plan_info(plan, &facts);
  if (status != SCAN_SUCCESS) return cli_fail_scan(lab->ctx, status, "cannot describe the plan");
  int count = list_sizes(lab, subject, facts.tile_items, sizes);
  for (int i = 0; i < count && rc == CLI_OK; i++)
    for (int in_place = 0; in_place <= same_bytes && rc == CLI_OK; in_place++) {
      verify_case one = { subject, plan, sizes[i], in_place };
      rc = run_case(lab, &one);
    }
  return rc;
}

int verify_subject_run(verify_lab *lab, const verify_subject *subject) {
  scan_plan *plan = NULL;
  verify_case none = { subject, NULL, verify_max_n(lab), 0 };
  char what[384];
  scan_status status = scan_plan_create(lab->ctx, &subject->spec, verify_max_n(lab), &plan);
  if (status == SCAN_UNSUPPORTED) {
    subject->counts->not_applicable++;
    return CLI_OK;
  }
  if (status != SCAN_SUCCESS) {
    snprintf(what, sizeof what, "no plan: %s: %s", scan_status_name(status), scan_last_error(lab->ctx));
    report_case(lab, &none, what);
    return status == SCAN_DEVICE_ERROR ? CLI_FAILED : CLI_OK;
  }
  int rc = run_sizes(lab, subject, plan);
  scan_plan_destroy(plan);
  return rc;
}
