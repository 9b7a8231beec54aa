/* SPDX-License-Identifier: BSD-2-Clause */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const scan_type types[] = { SCAN_I8,  SCAN_U8,  SCAN_I16, SCAN_U16,  SCAN_I32, SCAN_U32, SCAN_I64, SCAN_U64,
                                   SCAN_F32, SCAN_F64, SCAN_F16, SCAN_BF16, SCAN_F32, SCAN_F64, SCAN_F32, SCAN_F64 };
enum { TYPES = sizeof types / sizeof types[0] };

static int is_half(scan_type type) { return type == SCAN_F16 || type == SCAN_BF16; }
static int is_float(scan_type type) { return is_half(type) || type == SCAN_F32 || type == SCAN_F64; }

/* ---- a case ---- */

/* As canonical.h of the library, written again: what a group is. */
static uint64_t group_items(uint64_t order_bytes) {
  const uint64_t vector = 16 % order_bytes == 0 ? 16 / order_bytes : 1;
  const uint64_t most = order_bytes <= 8 ? 8 : order_bytes <= 16 ? 4 : order_bytes <= 32 ? 2 : 1;
  return 128 * most * 256 * vector;
}

/* n: none, few, around the bounds of tiles, and past groups. */
static uint64_t draw_n(struct rng *rng, uint64_t size, uint64_t item_bytes, int scale) {
  const uint64_t pick = rng_below(rng, 20);
  if (pick == 0) return rng_below(rng, 3);
  if (pick < 6) return rng_below(rng, 300);
  if (pick < 9) return 32768 / item_bytes - 2 + rng_below(rng, 5);
  if (pick < 12) return 524288 / item_bytes - 2 + rng_below(rng, 5);
  if (pick < 14 || scale == 0) return rng_below(rng, 70000);
  if (pick < 16) return size - 2 + rng_below(rng, 5);
  if (pick < 18) return size + rng_below(rng, size / 4) + 1;
  return size * (1 + rng_below(rng, 3)) + rng_below(rng, size);
}

/* Whether the variable is unset or has that name among others. */
static int takes(const char *variable, const char *name) {
  const char *list = getenv(variable), *found = list;
  const size_t length = strlen(name);
  if (list == NULL || list[0] == '\0') return 1;
  while ((found = strstr(found, name)) != NULL) {
    const int begins = found == list || found[-1] == ',', ends = found[length] == ',' || found[length] == '\0';
    if (begins && ends) return 1;
    found += length;
  }
  return 0;
}

static void draw_built_in(struct rng *rng, trial *t) {
  static const scan_op_id ops[] = { SCAN_ADD, SCAN_ADD, SCAN_MUL, SCAN_MIN, SCAN_MAX, SCAN_AND, SCAN_OR, SCAN_XOR };
  scan_spec *s = &t->spec;
  do {
    s->type = types[rng_below(rng, TYPES)];
    s->op = ops[rng_below(rng, 8)];
  } while (!scan_spec_defined(s->type, SCAN_TYPE_DEFAULT, s->op) ||
           !takes("SCANRT_TEST_TYPES", scan_type_name(s->type)));
  if (s->op == SCAN_ADD && rng_below(rng, 3) == 0) {
    const scan_type narrow = types[rng_below(rng, TYPES)];
    if (scan_spec_defined(s->type, narrow, s->op) && takes("SCANRT_TEST_TYPES", scan_type_name(narrow)))
      s->input_type = narrow;
  }
  t->in_bytes = scan_type_bytes(s->input_type ? s->input_type : s->type);
  t->out_bytes = scan_type_bytes(s->type);
  t->value_bytes = is_half(s->type) ? 4 : t->out_bytes;
}

static void draw_source(struct rng *rng, trial *t) {
  do t->source = operator_at(rng_below(rng, OPERATOR_CASES));
  while (!takes("SCANRT_TEST_OPERATORS", t->source->name));
  t->in_bytes = t->out_bytes = t->value_bytes = t->source->source.value_bytes;
}

static void fill_halves(struct rng *rng, scan_type type, uint64_t n, uint16_t *out) {
  for (uint64_t i = 0; i < n; i++) {
    const uint16_t bits = (uint16_t)rng_next(rng);
    out[i] = (uint16_t)(type == SCAN_F16 ? bits & 0xbfffu : (bits & 0x80ffu) | 0x3f00u); /* below 2 */
  }
}

void trial_fill(struct rng *rng, const trial *t, scan_type type, uint64_t n, void *out) {
  if (t->source != NULL)
    operator_fill(t->source, rng, n, out);
  else if (is_half(type))
    fill_halves(rng, type, n, out);
  else if (is_float(type) && t->fill == 1)
    values_special(rng, type, VALUES_ZERO | VALUES_DENORMAL, n, out);
  else
    values_fill(rng, type, t->spec.op, n, n, out);
  if (t->source != NULL || !is_float(type) || t->fill != 2) return;
  const size_t bytes = scan_type_bytes(type);
  memset(out, 0, n * bytes);
  for (uint64_t i = 0; i < n; i++) ((unsigned char *)out)[(i + 1) * bytes - 1] = 0x80;
}

static void draw_begin(struct rng *rng, trial *t) {
  const int needs_seed = t->source != NULL && t->source->source.identity == NULL;
  t->spec.has_init = needs_seed || rng_below(rng, 3) == 0;
  t->has_carry = rng_below(rng, 3) == 0 && (!t->spec.has_init || t->spec.segments != SCAN_SEGMENTS_NONE);
  if (t->source != NULL) {
    operator_init(t->source, rng, t->init);
    operator_init(t->source, rng, t->carry);
  } else {
    trial_fill(rng, t, t->spec.type, 1, t->init);
    trial_fill(rng, t, is_half(t->spec.type) ? SCAN_F32 : t->spec.type, 1, t->carry);
  }
  if (t->spec.has_init) t->spec.init_bytes = t->init;
}

/* Sums of -0.0 alone, which show +0.0 first and leave -0.0. */
static void draw_negative_zeros(struct rng *rng, trial *t) {
  if (t->source != NULL || !is_float(t->spec.type) || t->spec.op != SCAN_ADD || rng_below(rng, 4) > 0) return;
  t->fill = 2;
  t->spec.has_init = 0;
  t->spec.init_bytes = NULL;
  t->has_carry = 0;
  t->wants_carry = 1;
}

/* How many contexts each rank has, and how many elements each of them. */
static void draw_contexts(const group *g, struct rng *rng, trial *t, int most_contexts) {
  for (int r = 0; r < g->ranks; r++) {
    t->contexts[r] = most_contexts == 1 ? 1 : 1 + (int)rng_below(rng, (uint64_t)most_contexts);
    t->all_contexts += t->contexts[r];
  }
  group_split(t->all_contexts, rng, t->n, t->unit, t->counts);
  for (int r = 0, p = 0; r < g->ranks; r++)
    for (int i = 0; i < t->contexts[r]; i++) t->of_ranks[r] += t->counts[p++];
}

void trial_draw(const group *g, struct rng *rng, trial *t, int scale, int most_contexts) {
  static const scan_type keys[] = { SCAN_U8, SCAN_I32, SCAN_F32, SCAN_F64, SCAN_U64, SCAN_F16, SCAN_BF16, SCAN_U16 };
  *t = (trial){ .spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE) };
  if (rng_below(rng, 4) == 0)
    draw_source(rng, t);
  else
    draw_built_in(rng, t);
  const uint64_t order = t->source != NULL               ? t->in_bytes
                         : t->value_bytes > t->out_bytes ? t->value_bytes
                                                         : t->out_bytes;
  const uint64_t group_size = group_items(order);
  t->unit = rng_below(rng, 3) ? group_size : group_size / 128;
  t->spec.kind = (scan_kind)rng_below(rng, 3);
  t->spec.flags = rng_below(rng, 3) == 0 ? SCAN_BACKWARD : 0;
  if (rng_below(rng, 3) == 0) t->spec.segments = (scan_segments)(1 + rng_below(rng, 4));
  if (t->spec.segments == SCAN_SEGMENTS_KEYS) t->spec.key_type = keys[rng_below(rng, 8)];
  if (t->spec.segments == SCAN_SEGMENTS_OFFSETS) t->spec.key_type = rng_below(rng, 2) ? SCAN_U32 : SCAN_U64;
  t->fill = (int)rng_below(rng, 5);
  draw_begin(rng, t);
  t->n = draw_n(rng, group_size, order, scale);
  const int is_small_only =
      (t->source != NULL && t->source->source.identity == NULL) || (is_half(t->spec.type) && t->spec.op == SCAN_MUL);
  if (is_small_only && t->n > group_size) t->n = group_size; /* more are refused: test_api.c */
  t->wants_carry = rng_below(rng, 3) == 0;
  draw_negative_zeros(rng, t);
  t->in_place = t->in_bytes == t->out_bytes && t->spec.kind != SCAN_TOTAL && rng_below(rng, 3) == 0;
  t->on_device = rng_below(rng, 2) == 0;
  t->by_plan = rng_below(rng, 2) == 0;
  t->tells_behind = (int)rng_below(rng, 3);
  draw_contexts(g, rng, t, most_contexts);
}

const char *trial_text_of(const trial *t, char text[TRIAL_TEXT]) {
  const scan_spec *s = &t->spec;
  snprintf(text, TRIAL_TEXT, "%s%s%s %s kind %d flags %u segments %d keys %s n %llu%s%s%s%s%s fill %d",
           t->source ? t->source->name : scan_type_name(s->type), s->input_type ? " of " : "",
           s->input_type ? scan_type_name(s->input_type) : "", s->op ? scan_op_name(s->op) : "", (int)s->kind, s->flags,
           (int)s->segments, s->key_type ? scan_type_name(s->key_type) : "-", (unsigned long long)t->n,
           s->has_init ? " init" : "", t->has_carry ? " carry" : "", t->wants_carry ? " leaves" : "",
           t->in_place ? " in place" : "", t->on_device ? " device" : "", t->fill);
  for (int r = 0; r < GROUP_MOST_RANKS && t->contexts[r] > 0; r++) {
    const size_t length = strlen(text);
    snprintf(text + length, TRIAL_TEXT - length, "%s%d", r > 0 ? "+" : " contexts ", t->contexts[r]);
  }
  return text;
}

/* ---- segments ---- */

/* Only where contexts and groups begin, or with the element behind. */
static void draw_heads_at_bounds(struct rng *rng, const trial *t, unsigned char *heads) {
  uint64_t at = 0;
  memset(heads, 0, t->n);
  for (int p = 0; p < t->all_contexts; at += t->counts[p++]) {
    const uint64_t place = at + rng_below(rng, 8) / 7;
    if (place < t->n && rng_below(rng, 2)) heads[place] = 1;
  }
  for (at = t->unit; at < t->n; at += t->unit)
    if (rng_below(rng, 3) == 0) heads[at] = 1;
}

void trial_draw_heads(struct rng *rng, const trial *t, unsigned char *heads) {
  static const uint64_t lengths[] = { 1, 3, 100, 5000, 300000, UINT64_MAX };
  const uint64_t length = lengths[rng_below(rng, 6)];
  if (rng_below(rng, 3) == 0) {
    draw_heads_at_bounds(rng, t, heads);
    return;
  }
  for (uint64_t i = 0; i < t->n; i++)
    heads[i] = rng_below(rng, length) == 0 ? (unsigned char)(1 + rng_below(rng, 200)) : 0;
}

void trial_make_keys(struct rng *rng, scan_type type, const unsigned char *heads, uint64_t n, unsigned char *keys) {
  const size_t bytes = scan_type_bytes(type);
  int odd = 0;
  memset(keys, 0, n * bytes);
  for (uint64_t i = 0; i < n; i++) {
    if (heads[i]) odd = !odd;
    unsigned char *top = keys + (i + 1) * bytes - 1;
    if (odd)
      *top = is_float(type) ? 0x3f : 7;
    else if (is_float(type) && rng_below(rng, 2))
      *top = 0x80;
  }
}

static trial_marks bits_of(const unsigned char *heads, uint64_t n) {
  const uint64_t words = (n + 31) / 32;
  uint32_t *bits = group_allocate(words * 4);
  memset(bits, 0, words * 4);
  for (uint64_t i = 0; i < n; i++)
    if (heads[i]) bits[i / 32] |= UINT32_C(1) << i % 32;
  return (trial_marks){ bits, n, words * 4 };
}

/* As one device takes them: the first is 0, and n is behind the last. */
static trial_marks offsets_of(scan_type type, const unsigned char *heads, uint64_t n, int is_whole, int marks_behind) {
  const size_t bytes = scan_type_bytes(type);
  unsigned char *offsets = group_allocate((n + 2) * bytes);
  uint64_t count = 0;
  for (uint64_t i = 0; i <= n; i++) {
    const int is_there = i == n ? is_whole || marks_behind : heads[i] || (is_whole && i == 0);
    if (is_there) memcpy(offsets + count++ * bytes, &i, bytes); /* little-endian */
  }
  return (trial_marks){ offsets, is_whole ? count - 1 : count, count * bytes };
}

trial_marks trial_marks_of(const trial *t, const unsigned char *heads, const unsigned char *keys, uint64_t n,
                           int is_whole, int marks_behind) {
  const size_t bytes = t->spec.key_type ? scan_type_bytes(t->spec.key_type) : 1;
  if (t->spec.segments == SCAN_SEGMENTS_BITS) return bits_of(heads, n);
  if (t->spec.segments == SCAN_SEGMENTS_OFFSETS) return offsets_of(t->spec.key_type, heads, n, is_whole, marks_behind);
  trial_marks m = { group_allocate(n * bytes), n, n * bytes };
  memcpy(m.bytes, t->spec.segments == SCAN_SEGMENTS_KEYS ? keys : heads, n * bytes);
  return m;
}
