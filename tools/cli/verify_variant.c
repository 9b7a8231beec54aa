/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_variant.c @brief Variants of scans in `scanrt verify`: initial values, segments, carries, totals. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "half.h"
#include "number.h"
#include "reference.h"
#include "verify.h"

#include <string.h>

static const char *const names[VARIANT_COUNT] = { "inclusive", "exclusive", "init", "flags", "keys", "carry", "total" };
static const char *const words[VARIANT_COUNT] = {
  "inclusive",           "exclusive", "exclusive with init", "inclusive by flags", "exclusive by keys",
  "from carry to carry", "total"
};

const char *verify_variant_name(int variant) { return names[variant]; }
const char *verify_variant_words(int variant) { return words[variant]; }

/* ---- specs ---- */

int verify_wants(const verify_request *request, const verify_pair *pair, scan_op_id op, int variant) {
  const int is_half = half_is(pair->type) || half_is(pair->input);
  if (is_half && (variant == VARIANT_CARRY || variant == VARIANT_TOTAL)) return 0; /* unsupported */
  if (request->variants) return request->variants >> variant & 1;
  if (variant <= VARIANT_INIT) return 1;
  if (op != SCAN_ADD || pair->input != pair->type) return 0;
  /* OpenCL on a CPU compiles a segmented scan of each strategy for seconds, so each type tests one kind of marks. */
  if (request->quick && variant == VARIANT_FLAGS) return pair->type == SCAN_I32;
  if (request->quick && variant == VARIANT_KEYS) return pair->type == SCAN_F32;
  return pair->type == SCAN_I32 || pair->type == SCAN_F32;
}

/** Returns 3, the value of initial values and carries. */
static scan_value three(scan_type type) {
  scan_value value;
  memset(&value, 0, sizeof value);
  number_parse(type, "3", &value);
  return value;
}

scan_spec verify_spec(const verify_pair *pair, scan_op_id op, int variant) {
  static const scan_kind kinds[VARIANT_COUNT] = { SCAN_INCLUSIVE, SCAN_EXCLUSIVE, SCAN_EXCLUSIVE, SCAN_INCLUSIVE,
                                                  SCAN_EXCLUSIVE, SCAN_INCLUSIVE, SCAN_TOTAL };
  scan_spec spec = SCAN_SPEC_INIT(pair->type, op, kinds[variant]);
  spec.input_type = pair->input;
  spec.has_init = variant == VARIANT_INIT;
  if (spec.has_init) spec.init = three(pair->type);
  return spec;
}

void verify_args(const verify_state *state, const verify_device *d, int variant, scan_args *args) {
  if (variant == VARIANT_FLAGS || variant == VARIANT_KEYS) {
    args->marks = d->marks;
    args->mark_count = state->max_n;
  }
  if (variant == VARIANT_CARRY) {
    args->carry_in = d->carry;
    args->carry_out = scan_offset(d->carry, VERIFY_CARRY_BYTES);
  }
}

int verify_place(const verify_device *d, int variant, scan_spec *spec) {
  if (variant == VARIANT_FLAGS) spec->segments = SCAN_SEGMENTS_FLAGS;
  if (variant == VARIANT_KEYS) {
    spec->segments = SCAN_SEGMENTS_KEYS;
    spec->key_type = SCAN_I32;
  }
  if (variant != VARIANT_TOTAL) return 1;
  /* A total has no strategy. It runs in the column of the device's default strategy. */
  if (spec->strategy != d->info.auto_strategy) return 0;
  spec->strategy = SCAN_STRATEGY_AUTO;
  return 1;
}

/* ---- cases ---- */

uint64_t verify_out_items(const verify_case *c) { return c->spec.kind == SCAN_TOTAL ? 1 : c->n; }

static int is_segmented(const verify_case *c) { return c->variant == VARIANT_FLAGS || c->variant == VARIANT_KEYS; }

/** Fills segments of one, a few and hundreds of elements in turn. The first element's flag is 0, since it begins a
 * segment anyway. */
void verify_fill_marks(const verify_state *state, const verify_case *c, uint64_t seed) {
  static const uint64_t lengths[] = { 1, 5, 500 };
  uint8_t *flags = (uint8_t *)state->marks;
  int32_t key = INT32_MAX;
  for (uint64_t i = 0; i < c->n && is_segmented(c); i++) {
    const uint64_t bits = data_bits(seed + 1, i);
    state->segment_flags[i] = i == 0 || bits % lengths[i / 700 % 3] == 0;
    if (state->segment_flags[i]) key = key == INT32_MAX ? -1 : key + 1;
    if (c->variant == VARIANT_KEYS)
      state->marks[i] = key;
    else
      flags[i] = i > 0 && state->segment_flags[i] ? (uint8_t)(bits >> 56 | 1) : 0;
  }
}

scan_status verify_write_marks(const verify_state *state, const verify_case *c, const verify_device *d) {
  const scan_value carry = three(c->spec.type);
  const uint64_t bytes = c->n * (c->variant == VARIANT_KEYS ? sizeof(int32_t) : 1);
  if (is_segmented(c) && c->n > 0) return scan_write(d->ctx, d->marks, state->marks, bytes);
  return c->variant == VARIANT_CARRY ? scan_write(d->ctx, d->carry, &carry, sizeof carry) : SCAN_SUCCESS;
}

scan_status verify_read_carry(const verify_case *c, const verify_device *d, unsigned char *left) {
  if (c->variant != VARIANT_CARRY) return SCAN_SUCCESS;
  return scan_read(d->ctx, scan_offset(d->carry, VERIFY_CARRY_BYTES), left, scan_type_bytes(c->spec.type));
}

/* ---- references ---- */

void verify_expect(const verify_state *state, const verify_case *c, int sequential) {
  const unsigned char *in = state->in + VERIFY_GUARD_BYTES;
  const size_t item_bytes = scan_type_bytes(c->spec.type);
  scan_spec spec = c->spec;
  if (c->variant == VARIANT_CARRY) {
    spec.has_init = 1;
    spec.init = three(spec.type);
  }
  if (spec.kind == SCAN_TOTAL) spec.kind = SCAN_INCLUSIVE;
  const scan_value seed = reference_seed(&spec);
  spec.strategy = sequential ? SCAN_STRATEGY_SEQUENTIAL : SCAN_STRATEGY_AUTO;
  reference_segmented(&spec, is_segmented(c) ? state->segment_flags : NULL, c->n, in, state->expected);
  if (c->spec.kind != SCAN_TOTAL) return;
  if (c->n == 0) memcpy(state->expected, &seed, item_bytes);
  if (c->n > 1) memcpy(state->expected, state->expected + (c->n - 1) * item_bytes, item_bytes);
}

int verify_carry_is_right(const verify_case *c, const unsigned char *expected, const unsigned char *left) {
  const scan_value begun = three(c->spec.type);
  if (c->variant != VARIANT_CARRY) return 1;
  const void *last = c->n ? (const void *)(expected + (c->n - 1) * scan_type_bytes(c->spec.type)) : &begun;
  return reference_mismatch(c->spec.type, 1, left, last) == 1;
}
