/* SPDX-License-Identifier: BSD-2-Clause */
#include "guarded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

scan_status guarded_open(struct guarded *g, scan_ctx *ctx, uint64_t capacity_bytes) {
  memset(g, 0, sizeof(*g));
  g->ctx = ctx;
  g->capacity_bytes = capacity_bytes;
  g->want = reference_alloc((size_t)capacity_bytes);
  g->got = reference_alloc((size_t)capacity_bytes);
  return scan_alloc(ctx, capacity_bytes, &g->memory);
}

void guarded_close(struct guarded *g) {
  scan_free(g->ctx, g->memory);
  free(g->want);
  free(g->got);
  memset(g, 0, sizeof(*g));
}

void guarded_begin(struct guarded *g) {
  g->count = 0;
  g->used_bytes = 0;
}

static uint64_t round_up(uint64_t bytes) { return (bytes + GUARDED_BYTES - 1) / GUARDED_BYTES * GUARDED_BYTES; }

uint64_t guarded_bytes(scan_type type, uint64_t n) {
  return round_up((n + 16) * reference_bytes(type)) + 2 * GUARDED_BYTES;
}

int guarded_reserve(struct guarded *g, scan_type type, uint64_t n, uint64_t shift) {
  const uint64_t item_bytes = reference_bytes(type);
  const uint64_t first_byte = round_up(g->used_bytes) + GUARDED_BYTES + shift * item_bytes;
  const uint64_t end = first_byte + n * item_bytes + GUARDED_BYTES;
  if (g->count == GUARDED_REGIONS || end > g->capacity_bytes) return 0;
  g->regions[g->count++] = (struct region){ .type = type, .n = n, .first_byte = first_byte };
  g->used_bytes = end;
  return 1;
}

scan_status guarded_poison(struct guarded *g) {
  memset(g->want, GUARDED_POISON, (size_t)g->used_bytes);
  memset(g->got, 0, (size_t)g->used_bytes);
  return scan_write(g->ctx, g->memory, g->want, g->used_bytes);
}

scan_mem guarded_mem(const struct guarded *g, size_t index) {
  return scan_offset(g->memory, g->regions[index].first_byte);
}

void *guarded_want(struct guarded *g, size_t index) { return g->want + g->regions[index].first_byte; }

/* Compares the canary bytes from `from` to `to`; 1 if one was overwritten. */
static int gap_is_bad(const struct guarded *g, uint64_t from, uint64_t to, const char *side, char text[TEST_TEXT]) {
  for (uint64_t i = from; i < to; i++) {
    if (g->got[i] == g->want[i]) continue;
    uint64_t distance = side[0] == 'b' ? to - i : i - from + 1;
    snprintf(text, TEST_TEXT, "wrote outside: byte %" PRIu64 " %s the output is 0x%02x", distance, side, g->got[i]);
    return 1;
  }
  return 0;
}

static int output_is_bad(const struct guarded *g, const struct region *r, char text[TEST_TEXT]) {
  const unsigned char *got = g->got + r->first_byte, *want = g->want + r->first_byte;
  char got_text[64], want_text[64];
  const uint64_t i = reference_mismatch(r->type, r->n, got, want);
  if (i == r->n) return 0;
  values_text(r->type, got, i, got_text, sizeof(got_text));
  values_text(r->type, want, i, want_text, sizeof(want_text));
  snprintf(text, TEST_TEXT, "n=%" PRIu64 " first wrong index %" PRIu64 ": got %s want %s", r->n, i, got_text,
           want_text);
  return 1;
}

static uint64_t region_end(const struct region *r) { return r->first_byte + r->n * reference_bytes(r->type); }

static int region_is_bad(const struct guarded *g, size_t index, char text[TEST_TEXT]) {
  const struct region *r = &g->regions[index];
  const uint64_t before = index ? region_end(r - 1) + GUARDED_BYTES : 0;
  const uint64_t after = region_end(r) + GUARDED_BYTES;
  return output_is_bad(g, r, text) || gap_is_bad(g, before, r->first_byte, "before", text) ||
         gap_is_bad(g, region_end(r), after, "after", text);
}

int guarded_check(struct guarded *g, size_t *bad, char text[TEST_TEXT]) {
  *bad = 0;
  if (g->count == 0) return 0;
  if (scan_read(g->ctx, g->memory, g->got, g->used_bytes) != SCAN_SUCCESS) {
    snprintf(text, TEST_TEXT, "scan_read: %s", scan_last_error(g->ctx));
    return 1;
  }
  if (memcmp(g->got, g->want, (size_t)g->used_bytes) == 0) return 0;
  for (; *bad < g->count; ++*bad) {
    if (region_is_bad(g, *bad, text)) return 1;
  }
  return 0;
}

/* Uploads `in`, makes a plan, runs it, compares. */
static scan_status scan_once(struct guarded *g, scan_mem input, const scan_spec *spec, uint64_t n, const void *in,
                             char text[TEST_TEXT]) {
  const scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  scan_plan *plan = NULL;
  size_t bad = 0;
  scan_status status = scan_plan_create(g->ctx, spec, n, &plan);
  guarded_begin(g);
  guarded_reserve(g, spec->type, n, 0);
  if (status == SCAN_SUCCESS) status = guarded_poison(g);
  if (status == SCAN_SUCCESS && n) status = scan_write(g->ctx, input, in, n * reference_bytes(input_type));
  if (status == SCAN_SUCCESS) status = scan_plan_run(plan, n, input, guarded_mem(g, 0));
  if (status == SCAN_SUCCESS) {
    reference_scan(spec, n, in, guarded_want(g, 0));
    if (guarded_check(g, &bad, text)) status = SCAN_DEVICE_ERROR;
  } else {
    snprintf(text, TEST_TEXT, "%s: %s", scan_status_name(status), scan_last_error(g->ctx));
  }
  scan_plan_destroy(plan);
  return status == SCAN_SUCCESS || status == SCAN_UNSUPPORTED ? status : SCAN_DEVICE_ERROR;
}

scan_status guarded_scan(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const void *in, void *out,
                         char text[TEST_TEXT]) {
  struct guarded g;
  scan_mem input = SCAN_NO_MEM;
  scan_status status = guarded_open(&g, ctx, guarded_bytes(spec->type, n));
  if (status == SCAN_SUCCESS) status = scan_alloc(ctx, n * 8 + 8, &input);
  if (status == SCAN_SUCCESS) {
    status = scan_once(&g, input, spec, n, in, text);
  } else {
    snprintf(text, TEST_TEXT, "scan_alloc: %s", scan_last_error(ctx));
  }
  if (status == SCAN_SUCCESS && out) memcpy(out, g.got + g.regions[0].first_byte, n * reference_bytes(spec->type));
  scan_free(ctx, input);
  guarded_close(&g);
  return status;
}
