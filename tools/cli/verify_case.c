/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_case.c @brief Runs the cases of `scanrt verify` on all devices and compares the results. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "number.h"
#include "reference.h"
#include "verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTE = 0xC3, POISON_BYTE = 0xA5, MAX_ITEM_BYTES = 8, QUICK_N = 20000, NAN_N = 257 };

static const uint64_t quick_sizes[] = { 0, 1, 31, NAN_N };
static const uint64_t full_sizes[] = { 100003, 300007 }; /* 300,007 four-byte elements: more than one group of tiles */
static const uint64_t large_sizes[] = { 1048577, 5000011 };

static uint64_t usual_n(const verify_request *r) {
  return r->large ? large_sizes[1] : r->quick ? QUICK_N : full_sizes[1];
}

/** Returns the largest n of the run. */
static uint64_t most_items(const verify_request *r) {
  uint64_t most = usual_n(r);
  for (int i = 0; i < r->size_count; i++)
    if (r->sizes[i] > most) most = r->sizes[i];
  return most;
}

/* ---- devices and buffers ---- */

static uint64_t buffer_bytes(const verify_state *state) {
  return state->max_n * MAX_ITEM_BYTES + MAX_ITEM_BYTES + (uint64_t)2 * VERIFY_GUARD_BYTES;
}

void verify_lose_device(verify_device *d) {
  if (!d->ctx) return;
  for (int s = 0; s < VERIFY_MAX_STRATEGIES; s++) scan_plan_destroy(d->plans[s]);
  memset(d->plans, 0, sizeof d->plans);
  scan_free(d->ctx, d->carry);
  scan_free(d->ctx, d->marks);
  scan_free(d->ctx, d->out);
  scan_free(d->ctx, d->in);
  scan_ctx_destroy(d->ctx);
  d->ctx = NULL;
}

int verify_open_device(const verify_state *state, verify_device *d) {
  const uint64_t bytes = buffer_bytes(state);
  int rc = cli_open(d->selector, SCAN_STRATEGY_AUTO, &d->ctx, &d->info);
  if (rc != CLI_OK) return rc;
  scan_status status = scan_alloc(d->ctx, bytes, &d->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(d->ctx, bytes, &d->out);
  if (status == SCAN_SUCCESS) status = scan_alloc(d->ctx, (state->max_n + 1) * sizeof *state->marks, &d->marks);
  if (status == SCAN_SUCCESS) status = scan_alloc(d->ctx, (uint64_t)2 * VERIFY_CARRY_BYTES, &d->carry);
  if (status == SCAN_SUCCESS) return CLI_OK;
  rc = cli_fail_scan(d->ctx, status, "cannot allocate the buffers");
  verify_lose_device(d);
  return rc;
}

int verify_open(verify_state *state) {
  verify_report *report = state->report;
  state->max_n = most_items(report->request);
  const size_t bytes = (size_t)buffer_bytes(state);
  state->in = calloc(1, bytes);
  state->out = calloc(1, bytes);
  state->expected = calloc(1, bytes);
  state->groups[0].bits = calloc(1, bytes);
  state->segment_flags = calloc(1, (size_t)state->max_n + 1);
  state->marks = calloc((size_t)state->max_n + 1, sizeof *state->marks);
  if (!state->in || !state->out || !state->expected || !state->groups[0].bits || !state->segment_flags || !state->marks)
    return cli_fail("no memory for the buffers");
  for (int d = 0; d < report->device_count; d++)
    if (verify_open_device(state, &report->devices[d]) != CLI_OK) {
      report->devices[d].total.failed = 1;
      report->total.failed++;
    }
  return CLI_OK;
}

void verify_close(verify_state *state) {
  for (int d = 0; d < state->report->device_count; d++)
    if (state->report->devices) verify_lose_device(&state->report->devices[d]);
  for (int g = 0; g < VERIFY_MAX_GROUPS; g++) free(state->groups[g].bits);
  free(state->marks);
  free(state->segment_flags);
  free(state->expected);
  free(state->out);
  free(state->in);
}

/* ---- one case on one device ---- */

/** Returns the bytes before the first element. In place the elements lie one element past the alignment. */
static uint64_t lead_bytes(const verify_case *c) {
  return VERIFY_GUARD_BYTES + (c->in_place ? scan_type_bytes(c->spec.type) : 0);
}

static uint64_t out_bytes(const verify_case *c) { return verify_out_items(c) * scan_type_bytes(c->spec.type); }

/** Fills the output with guards and with poison or, in place, the input. */
static void prepare_output(const verify_state *state, const verify_case *c) {
  unsigned char *first = state->out + lead_bytes(c);
  memset(state->out, GUARD_BYTE, (size_t)(lead_bytes(c) + out_bytes(c) + VERIFY_GUARD_BYTES));
  if (c->in_place)
    memcpy(first, state->in + VERIFY_GUARD_BYTES, (size_t)out_bytes(c));
  else
    memset(first, POISON_BYTE, (size_t)out_bytes(c));
}

/** Copies the data to the device, scans, and reads the result. */
static scan_status call_scan(const verify_state *state, const verify_case *c, const verify_device *d, scan_plan *plan,
                             unsigned char *left) {
  const uint64_t whole = lead_bytes(c) + out_bytes(c) + VERIFY_GUARD_BYTES;
  const uint64_t in_bytes = VERIFY_GUARD_BYTES + c->n * scan_type_bytes(c->spec.input_type);
  const scan_mem out = scan_offset(d->out, lead_bytes(c)),
                 in = c->in_place ? out : scan_offset(d->in, VERIFY_GUARD_BYTES);
  scan_status status = scan_write(d->ctx, d->out, state->out, whole);
  if (status == SCAN_SUCCESS && !c->in_place) status = scan_write(d->ctx, d->in, state->in, in_bytes);
  if (status == SCAN_SUCCESS) status = verify_write_marks(state, c, d);
  scan_args args = SCAN_ARGS_INIT(in, out);
  verify_args(state, d, c->variant, &args);
  if (status == SCAN_SUCCESS) status = scan_plan_run_args(plan, c->n, &args);
  if (status == SCAN_SUCCESS) status = scan_sync(d->ctx);
  if (status == SCAN_SUCCESS) status = scan_read(d->ctx, d->out, state->out, whole);
  if (status == SCAN_SUCCESS) status = verify_read_carry(c, d, left);
  return status;
}

/** 1 if the guards on both sides are unchanged. */
static int guards_intact(const verify_state *state, const verify_case *c) {
  const unsigned char *before = state->out, *after = before + lead_bytes(c) + out_bytes(c);
  for (uint64_t i = 0; i < lead_bytes(c); i++)
    if (before[i] != GUARD_BYTE) return 0;
  for (uint64_t i = 0; i < VERIFY_GUARD_BYTES; i++)
    if (after[i] != GUARD_BYTE) return 0;
  return 1;
}

/* ---- comparison ---- */

/** Formats an element as "-3.5 (0xc0600000)". */
static void element_words(scan_type type, const unsigned char *element, char *text, size_t bytes) {
  char value[NUMBER_TEXT_BYTES];
  uint64_t bits = 0;
  memcpy(&bits, element, scan_type_bytes(type)); /* little-endian */
  number_format(type, element, value);
  snprintf(text, bytes, "%s (0x%0*" PRIx64 ")", value, 2 * (int)scan_type_bytes(type), bits);
}

/** Records the first element that differs. */
static void describe_element(verify_failure *f, uint64_t at, const unsigned char *expected,
                             const unsigned char *found) {
  const scan_type type = f->one.spec.type;
  const uint64_t skip = at * scan_type_bytes(type);
  f->has_element = 1;
  f->at = at;
  element_words(type, expected + skip, f->expected, sizeof f->expected);
  element_words(type, found + skip, f->found, sizeof f->found);
}

/** Compares the result with the reference, and counts it. @param left  the output carry */
static void case_judge(const verify_state *state, const verify_case *c, int device, const unsigned char *left) {
  const unsigned char *got = state->out + lead_bytes(c);
  const uint64_t items = verify_out_items(c), at = reference_mismatch(c->spec.type, items, got, state->expected);
  const int carried = verify_carry_is_right(c, state->expected, left);
  if (at == items && carried && guards_intact(state, c)) {
    verify_count_passed(state->report, verify_cell_of_case(state->report, c, device), device);
    return;
  }
  verify_failure *f = verify_note_failure(state->report, c, device);
  if (!f) return;
  if (at == items) {
    snprintf(f->words, sizeof f->words, "%s", carried ? "wrote outside the output" : "left another carry");
    return;
  }
  describe_element(f, at, state->expected, got);
  snprintf(f->words, sizeof f->words, "element %" PRIu64 " is %s, expected %s", at, f->found, f->expected);
}

/** Records the difference between a result and the first group's. */
static void describe_disagreement(const verify_state *state, const verify_case *c, int device) {
  const verify_group *first = &state->groups[0];
  const unsigned char *got = state->out + lead_bytes(c);
  verify_failure *f = verify_note_disagreement(state->report, c, device, first);
  if (!f) return;
  describe_element(f, reference_mismatch(c->spec.type, verify_out_items(c), got, first->bits), first->bits, got);
  snprintf(f->words, sizeof f->words, "disagrees with %.64s (%s): element %" PRIu64 " is %s, there %s",
           state->report->devices[first->device].selector, scan_strategy_name(first->strategy), f->at, f->found,
           f->expected);
}

/** Returns the bit of the group of results with equal bits. Results beyond the last group share its bit. */
static unsigned find_group(verify_state *state, const verify_case *c, int device) {
  const unsigned char *got = state->out + lead_bytes(c);
  const uint64_t items = verify_out_items(c);
  for (int g = 0; g < state->group_count; g++)
    if (reference_mismatch(c->spec.type, items, got, state->groups[g].bits) == items) return 1u << g;
  if (state->group_count > 0) describe_disagreement(state, c, device);
  if (state->group_count == VERIFY_MAX_GROUPS) return 1u << VERIFY_MAX_GROUPS;
  verify_group *group = &state->groups[state->group_count];
  if (!group->bits) group->bits = calloc(1, (size_t)buffer_bytes(state));
  if (!group->bits) return 1u << VERIFY_MAX_GROUPS;
  memcpy(group->bits, got, (size_t)out_bytes(c));
  group->device = device;
  group->strategy = c->spec.strategy;
  return 1u << state->group_count++;
}

/* ---- one case on all devices ---- */

/** 1 if the input has denormals. They occur at one n past each tile, which devices that flush denormals skip. The
 * answer depends on n only, so that a case's input does not depend on the devices of the run. */
static int has_denormals(const verify_case *c) {
  return reference_is_float(c->spec.input_type) && c->n > NAN_N && c->n % 4 == 1;
}

/** Returns the reason why the device does not support this case with its plan, or NULL. */
static const char *refusal(const verify_device *d, const verify_case *c, int s, char *text, size_t bytes) {
  if (has_denormals(c) && d->info.flushes_denormals) {
    snprintf(text, bytes, "%s flushes denormals to zero: inputs that hold some are left out", d->selector);
    return text;
  }
  if (c->n <= d->plan_n[s]) return NULL;
  snprintf(text, bytes, "%s takes no n above %" PRIu64 " here with strategy %s: more is left out", d->selector,
           d->plan_n[s], scan_strategy_name(c->spec.strategy));
  return text;
}

/** Runs one strategy. @return the bit of its result's group, or 0 */
static unsigned run_one(verify_state *state, const verify_case *c, int device, int s) {
  verify_device *d = &state->report->devices[device];
  char text[VERIFY_REASON_BYTES];
  const char *refused = refusal(d, c, s, text, sizeof text);
  if (refused) {
    verify_count_refused(state->report, verify_cell_of_case(state->report, c, device), device, refused);
    return 0;
  }
  unsigned char left[VERIFY_CARRY_BYTES] = { 0 };
  prepare_output(state, c);
  const scan_status status = call_scan(state, c, d, d->plans[s], left);
  if (status == SCAN_SUCCESS) {
    case_judge(state, c, device, left);
    return find_group(state, c, device);
  }
  if (status == SCAN_UNSUPPORTED) {
    verify_count_refused(state->report, verify_cell_of_case(state->report, c, device), device, scan_last_error(d->ctx));
    return 0;
  }
  verify_failure *f = verify_note_failure(state->report, c, device);
  if (f) snprintf(f->words, sizeof f->words, "%s: %.280s", scan_status_name(status), scan_last_error(d->ctx));
  if (status == SCAN_DEVICE_ERROR) verify_lose_device(d);
  return 0;
}

/** 1 if the strategy's results equal the reference in this order. A sequential floating-point scan has an order of
 * its own; textbook scans have no reference here. */
static int is_in_order(const verify_case *c, scan_strategy strategy, int sequential) {
  const int is_float = reference_is_float(c->spec.type), rounds = c->spec.op == SCAN_ADD || c->spec.op == SCAN_MUL;
  if (strategy == SCAN_STRATEGY_SEQUENTIAL) return is_float == sequential;
  return !sequential && (scan_strategy_is_canonical(strategy) || !is_float || !rounds);
}

/** Counts which pairs of devices had equal results. */
static void count_agreement(verify_report *report, const unsigned *groups) {
  for (int a = 0; a < report->device_count; a++)
    for (int b = a + 1; b < report->device_count; b++) {
      verify_agreement *pair = &report->agreement[a * report->device_count + b];
      if (!groups[a] || !groups[b]) continue;
      const unsigned both = groups[a] | groups[b];
      const int different = (both & (both - 1)) != 0 || both == 1u << VERIFY_MAX_GROUPS;
      pair->compared++;
      pair->different += (uint64_t)different;
      report->disagreements += (uint64_t)different;
    }
}

/** Runs one input on every device, with each strategy of one order of operations. */
static void run_case(verify_state *state, verify_case *c, int sequential) {
  verify_report *report = state->report;
  unsigned groups[CLI_MAX_DEVICES] = { 0 };
  int wanted = 0;
  state->group_count = 0;
  for (int d = 0; d < report->device_count; d++)
    for (int s = 0; s < report->strategy_count; s++) {
      c->spec.strategy = report->strategies[s];
      if (!report->devices[d].plans[s] || !is_in_order(c, c->spec.strategy, sequential)) continue;
      /* One work-item would take minutes, so this runs only if --n was given. */
      if (c->spec.strategy == SCAN_STRATEGY_SEQUENTIAL && c->n >= large_sizes[0] && !report->request->size_count)
        continue;
      if (!wanted++) verify_expect(state, c, sequential);
      groups[d] |= run_one(state, c, d, s);
    }
  count_agreement(report, groups);
}

static void run_size(verify_state *state, verify_case *c) {
  const data_style style = { .seed = verify_seed(state->report, c),
                             .denormals = has_denormals(c),
                             .not_numbers = c->n == NAN_N };
  data_fill(c->spec.input_type, c->spec.op, c->n, &style, state->in + VERIFY_GUARD_BYTES);
  verify_fill_marks(state, c, style.seed);
  run_case(state, c, 0);
  if (reference_is_float(c->spec.type)) run_case(state, c, 1);
}

/* ---- the cases of one operator and variant ---- */

static void add_size(uint64_t *sizes, int *count, uint64_t n) {
  for (int i = 0; i < *count; i++)
    if (sizes[i] == n) return;
  if (*count < VERIFY_MAX_SIZES) sizes[(*count)++] = n;
}

static void add_sizes(uint64_t *sizes, int *count, const uint64_t *more, size_t more_count) {
  for (size_t i = 0; i < more_count; i++) add_size(sizes, count, more[i]);
}

/** Adds sizes around the tile sizes of all plans. */
static void add_tile_sizes(const verify_report *report, uint64_t *sizes, int *count) {
  for (int d = 0; d < report->device_count; d++)
    for (int s = 0; s < report->strategy_count; s++) {
      scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
      scan_plan *plan = report->devices[d].plans[s];
      if (!plan || scan_plan_info(plan, &facts) != SCAN_SUCCESS) continue;
      if (facts.tile_items <= 1 || facts.tile_items >= usual_n(report->request)) continue;
      const uint64_t around[] = { facts.tile_items - 1, facts.tile_items, facts.tile_items + 1 };
      add_sizes(sizes, count, around, 3);
    }
}

static int list_sizes(const verify_report *report, uint64_t *sizes) {
  const verify_request *r = report->request;
  int count = 0;
  if (r->size_count) {
    add_sizes(sizes, &count, r->sizes, (size_t)r->size_count);
    return count;
  }
  add_sizes(sizes, &count, quick_sizes, sizeof quick_sizes / sizeof quick_sizes[0]);
  add_tile_sizes(report, sizes, &count);
  if (!r->quick) add_sizes(sizes, &count, full_sizes, sizeof full_sizes / sizeof full_sizes[0]);
  if (r->large) add_sizes(sizes, &count, large_sizes, sizeof large_sizes / sizeof large_sizes[0]);
  return count;
}

static void run_sizes(verify_state *state, verify_case *c) {
  const verify_request *r = state->report->request;
  const int same_bytes =
      c->spec.kind != SCAN_TOTAL && scan_type_bytes(c->spec.input_type) == scan_type_bytes(c->spec.type);
  uint64_t sizes[VERIFY_MAX_SIZES];
  const int count = list_sizes(state->report, sizes);
  for (int i = 0; i < count; i++)
    for (int in_place = r->in_place; in_place <= (same_bytes && !r->out_of_place); in_place++) {
      c->n = sizes[i];
      c->in_place = in_place;
      run_size(state, c);
    }
}

/** Creates plans for the largest n of the run, or for the largest of a few smaller n that the device supports. */
static scan_status plan_for_most(const verify_state *state, const scan_spec *spec, verify_device *d, int s) {
  static const uint64_t smaller[] = { QUICK_N, 10000, 1000 };
  d->plan_n[s] = state->max_n;
  scan_status status = scan_plan_create(d->ctx, spec, state->max_n, &d->plans[s]);
  for (size_t i = 0; i < sizeof smaller / sizeof smaller[0] && status == SCAN_UNSUPPORTED; i++) {
    if (smaller[i] >= state->max_n) continue;
    d->plan_n[s] = smaller[i];
    status = scan_plan_create(d->ctx, spec, smaller[i], &d->plans[s]);
  }
  return status;
}

static void plan_one(verify_state *state, verify_case *c, int device, int s) {
  verify_device *d = &state->report->devices[device];
  c->spec.strategy = state->report->strategies[s];
  c->n = state->max_n;
  scan_spec spec = c->spec;
  if (!verify_place(d, c->variant, &spec)) return;
  const scan_status status = plan_for_most(state, &spec, d, s);
  if (status == SCAN_SUCCESS) return;
  d->plans[s] = NULL;
  if (status == SCAN_UNSUPPORTED) {
    verify_count_refused(state->report, verify_cell_of_case(state->report, c, device), device, scan_last_error(d->ctx));
    return;
  }
  verify_failure *f = verify_note_failure(state->report, c, device);
  if (f) snprintf(f->words, sizeof f->words, "no plan: %s: %.270s", scan_status_name(status), scan_last_error(d->ctx));
  if (status == SCAN_DEVICE_ERROR) verify_lose_device(d);
}

static void make_plans(verify_state *state, verify_case *c) {
  for (int d = 0; d < state->report->device_count; d++)
    for (int s = 0; s < state->report->strategy_count && state->report->devices[d].ctx; s++) plan_one(state, c, d, s);
}

static void drop_plans(verify_report *report) {
  for (int d = 0; d < report->device_count; d++)
    for (int s = 0; s < report->strategy_count; s++) {
      scan_plan_destroy(report->devices[d].plans[s]);
      report->devices[d].plans[s] = NULL;
    }
}

void verify_run(verify_state *state, int pair, scan_op_id op) {
  const verify_pair *types = &state->report->pairs[pair];
  for (int variant = 0; variant < VARIANT_COUNT; variant++) {
    if (!verify_wants(state->report->request, types, op, variant)) continue;
    verify_case c = { .spec = verify_spec(types, op, variant), .pair = pair, .variant = variant };
    make_plans(state, &c);
    run_sizes(state, &c);
    drop_plans(state->report);
  }
}
