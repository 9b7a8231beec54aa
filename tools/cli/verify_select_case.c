/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_select_case.c @brief Cases of compaction for `scanrt verify`: what is asked, and what must come. */
#include "data.h"
#include "reference.h"
#include "verify_select.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <string.h>

static const char *const by_names[SELECTION_BYS] = {
  [SCAN_SELECT_FLAGS] = "flags",       [SCAN_SELECT_BITS] = "bits",           [SCAN_SELECT_FIRST] = "first",
  [SCAN_SELECT_LAST] = "last",         [SCAN_SELECT_PREDICATE] = "predicate", [SELECTION_RUN_LENGTHS] = "rle",
  [SELECTION_REDUCE] = "reduce-by-key"
};
static const char *const rest_names[SELECTION_RESTS] = {
  [SCAN_REST_DROPPED] = "dropped", [SCAN_REST_BEHIND] = "behind", [SCAN_REST_APART] = "apart"
};

const char *selection_by_name(int by) { return by_names[by]; }
const char *selection_rest_name(int rest) { return rest_names[rest]; }

/* ---- the predicate ---- */

SCAN_OP_TEXT(
    predicate_text, static inline int is_kept(uint32_t x, uint64_t index, uint32_t percent) {
      return (x % 1000u + (uint32_t)index) % 100u < percent;
    });
SCAN_KEEP_PARAMS_HOST(is_kept_on_host, uint32_t, uint32_t, is_kept);

scan_status selection_predicate(scan_ctx *ctx, scan_op **predicate) {
  scan_predicate_source source = SCAN_PREDICATE_PARAMS_INIT(predicate_text, uint32_t, is_kept, uint32_t);
  source.host = is_kept_on_host;
  return scan_predicate_create(ctx, &source, predicate);
}

/* ---- what is asked ---- */

uint64_t selection_below(selection_dice *d, uint64_t n) { return data_bits(d->seed, d->thrown++) % n; }

static uint64_t choose_n(const verify_request *r, selection_dice *d) {
  static const uint64_t edges[] = { 0, 1, 31, 33, 257, 4095, 4096, 4097, 12289 };
  const uint64_t most = r->large ? 300000 : r->quick ? 20000 : 60000;
  return selection_below(d, 2) ? edges[selection_below(d, sizeof edges / sizeof edges[0])] : selection_below(d, most);
}

/** Elements of a few sizes, of which drivers compile programs. */
static void choose_arrays(selection_case *c, selection_dice *d) {
  static const uint32_t sizes[] = { 1, 2, 4, 8, 16, 4, 8, 12, 3, 64 };
  c->spec.arrays = 1 + (uint32_t)selection_below(d, 8) / 5 + (uint32_t)selection_below(d, 8) / 7;
  for (uint32_t a = 0; a < c->spec.arrays; a++)
    c->spec.element_bytes[a] = sizes[selection_below(d, sizeof sizes / sizeof sizes[0])];
  if (!c->in_first) return;
  c->spec.element_bytes[0] = c->spec.key_type ? (uint32_t)scan_type_bytes(c->spec.key_type) : 4;
}

uint64_t selection_capacity(selection_dice *d, uint64_t n) {
  return n == 0 || selection_below(d, 2) ? 0 : 1 + selection_below(d, n);
}

static void choose_select(selection_case *c, selection_dice *d) {
  const int looks = c->by >= SCAN_SELECT_FIRST;
  c->spec = (scan_select_spec){ .struct_bytes = sizeof c->spec,
                                .by = (scan_select_by)c->by,
                                .key_type = c->key_type,
                                .rest = (scan_select_rest)selection_below(d, SELECTION_RESTS) };
  if (selection_below(d, 4) == 0)
    c->spec.index_type = selection_below(d, 2) ? SCAN_U32 : SCAN_U64;
  else
    c->in_first = looks && selection_below(d, 2);
  if (!c->spec.index_type) choose_arrays(c, d);
  c->rest_capacity = selection_capacity(d, c->n);
}

static void choose(const verify_request *r, int of_runs, selection_case *c, selection_dice *d) {
  static const uint32_t percents[] = { 0, 1, 10, 50, 90, 99, 100 };
  c->n = c->items = choose_n(r, d);
  c->percent = percents[selection_below(d, sizeof percents / sizeof percents[0])];
  c->shift = (uint32_t)selection_below(d, 2) * (uint32_t)selection_below(d, 16);
  c->by = of_runs ? SELECTION_RUN_LENGTHS + (uint32_t)selection_below(d, 2)
                  : SCAN_SELECT_FLAGS + (uint32_t)selection_below(d, SCAN_SELECT_PREDICATE);
  c->has_n_from = selection_below(d, 4) == 0;
  if (c->has_n_from) c->items = selection_below(d, c->n + 1);
  c->has_count = selection_below(d, 8) != 0;
  c->by_plan = c->n > 0 && selection_below(d, 2);
  c->capacity = selection_capacity(d, c->n);
  if (c->by >= SCAN_SELECT_FIRST && c->by != SCAN_SELECT_PREDICATE)
    c->key_type = (scan_type)(SCAN_I8 + selection_below(d, SCAN_BF16));
  if (c->by > SCAN_SELECT_PREDICATE)
    runs_choose(c, r->large, d);
  else
    choose_select(c, d);
}

/* ---- where it lies ---- */

uint64_t selection_room(uint64_t capacity, uint64_t n) { return capacity ? capacity : n; }

selection_part selection_take(uint64_t *used, uint64_t bytes, uint64_t shift_bytes) {
  const selection_part part = { (*used + VERIFY_GUARD_BYTES + 63) / 64 * 64 + shift_bytes, bytes };
  *used = part.at + bytes + VERIFY_GUARD_BYTES;
  return part;
}

static uint64_t mark_bytes(const selection_case *c, uint64_t *align) {
  const uint64_t item = c->spec.key_type ? scan_type_bytes(c->spec.key_type) : c->by == SCAN_SELECT_FLAGS ? 1 : 4;
  *align = item;
  return c->by == SCAN_SELECT_BITS ? (c->n + 31) / 32 * 4 : c->n * item;
}

static uint64_t align_of(uint64_t bytes) {
  const uint64_t lowest = bytes & (0 - bytes);
  return lowest < 16 ? lowest : 16;
}

static void lay_out(selection_case *c) {
  uint64_t align = 1;
  const uint64_t marks = mark_bytes(c, &align);
  c->outputs = c->spec.index_type ? 1 : c->spec.arrays;
  if (!c->in_first) c->marks = selection_take(&c->in_bytes, marks, c->shift * align);
  for (uint32_t a = 0; a < c->outputs; a++) {
    const uint64_t bytes = c->spec.index_type ? scan_type_bytes(c->spec.index_type) : c->spec.element_bytes[a];
    const uint64_t shift = c->shift * align_of(bytes);
    c->item_bytes[a] = bytes;
    if (!c->spec.index_type) c->in[a] = selection_take(&c->in_bytes, c->n * bytes, shift);
    c->out[a] = selection_take(&c->out_bytes, selection_room(c->capacity, c->n) * bytes, shift);
    if (c->spec.rest == SCAN_REST_APART)
      c->rest[a] = selection_take(&c->out_bytes, selection_room(c->rest_capacity, c->n) * bytes, shift);
  }
  if (c->in_first) c->marks = c->in[0];
}

/* ---- what is read ---- */

/** A number of a few: zeros of both signs, and NaN. */
static void put_key(scan_type type, void *keys, uint64_t i, uint64_t bits) {
  static const double values[] = { 0.0, -0.0, 1.0, 2.5, -3.0, NAN, INFINITY };
  const uint64_t small = bits % 7;
  if (reference_is_float(type))
    reference_store(type, keys, i, values[small]);
  else
    memcpy((char *)keys + i * scan_type_bytes(type), &small, scan_type_bytes(type));
}

int selection_differs(scan_type type, const void *keys, uint64_t i, uint64_t j) {
  const size_t bytes = scan_type_bytes(type);
  if (reference_is_float(type)) return reference_load(type, keys, i) != reference_load(type, keys, j);
  return memcmp((const char *)keys + i * bytes, (const char *)keys + j * bytes, bytes) != 0;
}

static void make_runs(selection_case *c) {
  const scan_type type = c->key_type;
  const size_t bytes = scan_type_bytes(type);
  unsigned char *keys = c->in_image + c->marks.at;
  for (uint64_t i = 0; i < c->n; i++)
    if (i == 0 || data_bits(c->seed + 1, i) % 100 < c->percent)
      put_key(type, keys, i, data_bits(c->seed + 2, i));
    else
      memcpy(keys + i * bytes, keys + (i - 1) * bytes, bytes);
  const uint64_t items = c->by > SCAN_SELECT_PREDICATE ? c->n : c->items;
  for (uint64_t i = 0; i < items; i++)
    c->kept[i] = c->by != SCAN_SELECT_LAST ? i == 0 || selection_differs(type, keys, i, i - 1)
                                           : i + 1 == c->items || selection_differs(type, keys, i, i + 1);
}

static void make_predicated(selection_case *c) {
  for (uint64_t i = 0; i < c->items; i++) {
    uint32_t x = 0;
    memcpy(&x, c->in_image + c->marks.at + 4 * i, 4);
    c->kept[i] = (x % 1000 + (uint32_t)i) % 100 < c->percent;
  }
}

/** Flags are any number but 0. Behind the last element bits are as they come. */
static void make_marks(selection_case *c) {
  unsigned char *marks = c->in_image + c->marks.at;
  for (uint64_t i = 0; i < c->n; i++) {
    const uint64_t bits = data_bits(c->seed + 1, i);
    const uint8_t kept = bits % 100 < c->percent;
    if (c->by == SCAN_SELECT_FLAGS) marks[i] = kept ? (uint8_t)(bits >> 56 | 1) : 0;
    if (c->by == SCAN_SELECT_BITS)
      marks[i / 8] = (unsigned char)((marks[i / 8] & ~(1u << i % 8)) | (unsigned)kept << i % 8);
    c->kept[i] = kept;
  }
}

/* ---- what must be written ---- */

static void put(const selection_case *c, uint32_t a, const selection_part *to, uint64_t place, uint64_t i) {
  const uint64_t bytes = c->item_bytes[a];
  const void *from = c->spec.index_type ? (const void *)&i : c->in_image + c->in[a].at + i * bytes; /* little-endian */
  if ((place + 1) * bytes <= to->bytes) memcpy(c->want + to->at + place * bytes, from, (size_t)bytes);
}

static void expect(const selection_case *c) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < c->items; i++) kept += c->kept[i];
  if (c->has_count) memcpy(c->want + c->count.at, &kept, sizeof kept);
  for (uint32_t a = 0; a < c->outputs; a++)
    for (uint64_t i = 0, k = 0; i < c->items; k += c->kept[i], i++)
      if (c->kept[i])
        put(c, a, &c->out[a], k, i);
      else if (c->spec.rest == SCAN_REST_BEHIND)
        put(c, a, &c->out[a], kept + i - k, i);
      else if (c->spec.rest == SCAN_REST_APART)
        put(c, a, &c->rest[a], i - k, i);
}

/* ---- the whole ---- */

int selection_make(const verify_request *request, int of_runs, uint64_t number, selection_case *c) {
  *c = (selection_case){ .number = number, .seed = data_bits(request->seed, number) };
  selection_dice d = { .seed = c->seed };
  choose(request, of_runs, c, &d);
  c->n_from = selection_take(&c->in_bytes, sizeof(uint64_t), 0);
  c->count = selection_take(&c->out_bytes, sizeof(uint64_t), 0);
  if (c->by > SCAN_SELECT_PREDICATE)
    runs_lay_out(c);
  else
    lay_out(c);
  c->in_image = aligned_alloc(64, (size_t)(c->in_bytes + 127) / 64 * 64);
  c->want = malloc((size_t)c->out_bytes);
  c->got = malloc((size_t)c->out_bytes);
  c->kept = calloc((size_t)c->n + 1, 1);
  if (!c->in_image || !c->want || !c->got || !c->kept) return -1;
  for (uint64_t i = 0; i < c->in_bytes; i++)
    c->in_image[i] = (unsigned char)(data_bits(c->seed + 3, i / 8) >> i % 8 * 8);
  memcpy(c->in_image + c->n_from.at, &c->items, sizeof c->items);
  if (c->key_type)
    make_runs(c);
  else if (c->by == SCAN_SELECT_PREDICATE)
    make_predicated(c);
  else
    make_marks(c);
  memset(c->want, SELECTION_POISON, (size_t)c->out_bytes);
  if (c->by > SCAN_SELECT_PREDICATE) return runs_expect(c);
  expect(c);
  return 0;
}

void selection_free(selection_case *c) {
  free(c->kept);
  free(c->got);
  free(c->want);
  free(c->in_image);
}

/* ---- words ---- */

void selection_words(const selection_case *c, char *text, size_t bytes) {
  char what[64] = "";
  if (c->by > SCAN_SELECT_PREDICATE) {
    runs_words(c, what, sizeof what);
    snprintf(text, bytes, "case %" PRIu64 ": %s, %s, n = %" PRIu64, c->number, selection_by_name((int)c->by), what,
             c->n);
    return;
  }
  if (c->spec.index_type)
    snprintf(what, sizeof what, "%s indices", scan_type_name(c->spec.index_type));
  else
    snprintf(what, sizeof what, "%u array%s of %u bytes", c->spec.arrays, c->spec.arrays > 1 ? "s, the first" : "",
             c->spec.element_bytes[0]);
  snprintf(text, bytes, "case %" PRIu64 ": by %s%s%s, rest %s, %s, n = %" PRIu64, c->number,
           selection_by_name((int)c->by), c->spec.key_type ? " of " : "",
           c->spec.key_type ? scan_type_name(c->spec.key_type) : "", selection_rest_name((int)c->spec.rest), what,
           c->n);
}

/** Names a byte that is wrong where it belongs to a part. */
static int is_in(const selection_part *part, uint64_t at) { return at >= part->at && at < part->at + part->bytes; }

void selection_difference(const selection_case *c, char *text, size_t bytes) {
  uint64_t at = 0;
  *text = '\0';
  while (at < c->out_bytes && c->got[at] == c->want[at]) at++;
  if (at == c->out_bytes) return;
  const unsigned found = c->got[at], wanted = c->want[at];
  snprintf(text, bytes, "wrote outside the outputs");
  if (is_in(&c->count, at)) {
    uint64_t count = 0, expected = 0;
    memcpy(&count, c->got + c->count.at, sizeof count);
    memcpy(&expected, c->want + c->count.at, sizeof expected);
    snprintf(text, bytes, "the count is %" PRIu64 ", expected %" PRIu64, count, expected);
  }
  for (uint32_t a = 0; a < c->outputs; a++)
    for (int side = 0; side < 2; side++) {
      const selection_part *part = side ? &c->rest[a] : &c->out[a];
      if (!is_in(part, at)) continue;
      snprintf(text, bytes, "%s[%u]: a byte of item %" PRIu64 " is 0x%02x, expected 0x%02x%s", side ? "rest" : "out", a,
               (at - part->at) / c->item_bytes[a], found, wanted, wanted == SELECTION_POISON ? " (as it was)" : "");
    }
}
