/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_select_case.c @brief Cases of compaction for `scanrt verify`: what is asked, and what must come. */
#include "data.h"
#include "reference.h"
#include "verify_select.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <string.h>

static const char *const by_names[SELECTION_BYS] = { [SCAN_SELECT_FLAGS] = "flags",
                                                     [SCAN_SELECT_BITS] = "bits",
                                                     [SCAN_SELECT_FIRST] = "first",
                                                     [SCAN_SELECT_LAST] = "last",
                                                     [SCAN_SELECT_PREDICATE] = "predicate",
                                                     [SELECTION_PAIR] = "pair",
                                                     [SELECTION_PARTITION3] = "partition3",
                                                     [SELECTION_RUN_LENGTHS] = "rle",
                                                     [SELECTION_REDUCE] = "reduce-by-key",
                                                     [SELECTION_SORT_KEYS] = "keys",
                                                     [SELECTION_SORT_PAIRS] = "pairs",
                                                     [SELECTION_ARGSORT] = "argsort",
                                                     [SELECTION_SCAN] = "scan",
                                                     [SELECTION_SOURCE] = "source",
                                                     [SELECTION_ARRAY] = "array",
                                                     [SELECTION_STREAM] = "stream",
                                                     [SELECTION_DIFFERENCE] = "difference",
                                                     [SELECTION_HISTOGRAM] = "histogram" };
static const char *const rest_names[SELECTION_COLUMNS] = {
  [SCAN_REST_DROPPED] = "dropped", [SCAN_REST_BEHIND] = "behind", [SCAN_REST_APART] = "apart"
};
static const char *const sort_columns[SELECTION_COLUMNS] = { "ascending", "descending" };
static const char *const random_columns[SELECTION_COLUMNS] = {
  [SCAN_INCLUSIVE] = "inclusive", [SCAN_EXCLUSIVE] = "exclusive", [SCAN_TOTAL] = "total"
};

const char *selection_by_name(int by) { return by_names[by]; }

const char *selection_column_name(selection_family family, int column) {
  if (family == FAMILY_RANDOM) return random_columns[column];
  return (family == FAMILY_SORTS ? sort_columns : rest_names)[column];
}

selection_family selection_family_of(uint32_t by) {
  if (by >= SELECTION_SCAN) return FAMILY_RANDOM;
  if (by >= SELECTION_SORT_KEYS) return FAMILY_SORTS;
  return by >= SELECTION_RUN_LENGTHS ? FAMILY_RUNS : FAMILY_COMPACTION;
}

uint32_t selection_column(const selection_case *c) {
  if (selection_family_of(c->by) == FAMILY_RANDOM) return (uint32_t)c->random.spec.kind;
  return selection_family_of(c->by) == FAMILY_SORTS ? c->sort.descending : (uint32_t)c->spec.rest;
}

/* ---- what is asked ---- */

uint64_t selection_below(selection_dice *d, uint64_t n) { return data_bits(d->seed, d->thrown++) % n; }

uint64_t selection_enlarge(const verify_request *r, uint64_t n, selection_dice *d) {
  uint64_t powers = 1;
  if (!r->largest || selection_below(d, VERIFY_LARGE_IN)) return n;
  while ((uint64_t)VERIFY_LEAST_LARGEST << powers <= r->largest) powers++;
  return 1 + selection_below(d, (uint64_t)VERIFY_LEAST_LARGEST << selection_below(d, powers));
}

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

static scan_select_by choose_by(const selection_case *c, selection_dice *d) {
  if (c->by == SELECTION_PAIR) return selection_below(d, 2) ? SCAN_SELECT_LAST : SCAN_SELECT_FIRST;
  return (scan_select_by)c->by;
}

/** Its three outputs have room for all. */
static void choose_partition(selection_case *c, selection_dice *d) {
  c->spec = (scan_select_spec){ .struct_bytes = sizeof c->spec, .rest = SCAN_REST_APART };
  c->in_first = 1;
  c->capacity = 0;
  c->second_percent = (uint32_t)selection_below(d, 101);
  choose_arrays(c, d);
}

static void choose_select(selection_case *c, selection_dice *d) {
  const int looks = c->by >= SCAN_SELECT_FIRST;
  c->spec = (scan_select_spec){ .struct_bytes = sizeof c->spec,
                                .by = choose_by(c, d),
                                .key_type = c->key_type,
                                .rest = (scan_select_rest)selection_below(d, SELECTION_COLUMNS) };
  if (selection_below(d, 4) == 0)
    c->spec.index_type = selection_below(d, 2) ? SCAN_U32 : SCAN_U64;
  else
    c->in_first = looks && selection_below(d, 2);
  if (!c->spec.index_type) choose_arrays(c, d);
  c->rest_capacity = selection_capacity(d, c->n);
}

static void choose(const verify_request *r, selection_family family, selection_case *c, selection_dice *d) {
  const int of_runs = family == FAMILY_RUNS;
  static const uint32_t percents[] = { 0, 1, 10, 50, 90, 99, 100 };
  c->n = c->items = selection_enlarge(r, choose_n(r, d), d);
  c->percent = percents[selection_below(d, sizeof percents / sizeof percents[0])];
  c->shift = (uint32_t)selection_below(d, 2) * (uint32_t)selection_below(d, 16);
  c->by = of_runs ? SELECTION_RUN_LENGTHS + (uint32_t)selection_below(d, 2)
                  : SCAN_SELECT_FLAGS + (uint32_t)selection_below(d, SELECTION_PARTITION3);
  c->has_n_from = selection_below(d, 4) == 0;
  if (c->has_n_from) c->items = selection_below(d, c->n + 1);
  c->has_count = selection_below(d, 8) != 0;
  c->by_plan = c->n > 0 && selection_below(d, 2);
  c->capacity = selection_capacity(d, c->n);
  if (c->by == SCAN_SELECT_FIRST || c->by == SCAN_SELECT_LAST || of_runs)
    c->key_type = (scan_type)(SCAN_I8 + selection_below(d, SCAN_BF16));
  if (of_runs)
    runs_choose(c, r->large, d);
  else if (c->by == SELECTION_PARTITION3)
    choose_partition(c, d);
  else
    choose_select(c, d);
}

/** Outputs without room; n above what the call is given, clamped; counts over n. By dice of its own, so that all else
 * of a case is what it was before there was this choice. */
static void choose_counts(selection_case *c) {
  selection_dice d = { .seed = data_bits(c->seed, UINT64_MAX) };
  const int has_room = c->n == 0 || c->by == SELECTION_PARTITION3;
  if (!has_room && selection_below(&d, 8) == 0) c->capacity = SCAN_NO_CAPACITY;
  if (!has_room && selection_below(&d, 8) == 0) c->rest_capacity = SCAN_NO_CAPACITY;
  c->clamps = selection_below(&d, 2) != 0;
  const uint32_t flags = c->clamps ? SCAN_N_FROM_CLAMP : 0;
  c->spec.flags = c->encode.flags = c->sort.flags = c->reduce.flags = flags;
  if (!c->has_n_from) return;
  c->counts_n = c->has_count && selection_below(&d, 2);
  if (!c->clamps || selection_below(&d, 2)) return;
  c->items = c->n;
  c->n_said = c->n + 1 + selection_below(&d, 1000);
}

/* ---- where it lies ---- */

uint64_t selection_room(uint64_t capacity, uint64_t n) {
  if (capacity == SCAN_NO_CAPACITY) return 0;
  return capacity ? capacity : n;
}

scan_mem selection_n_from(const selection_case *c, scan_mem in, scan_mem out) {
  if (!c->has_n_from) return SCAN_NO_MEM;
  return c->counts_n ? scan_offset(out, c->count.at) : scan_offset(in, c->n_from.at);
}

scan_mem selection_output(scan_mem out, uint64_t capacity, const selection_part *part) {
  return capacity == SCAN_NO_CAPACITY ? SCAN_NO_MEM : scan_offset(out, part->at);
}

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

uint64_t selection_align(uint64_t bytes) {
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
    const uint64_t shift = c->shift * selection_align(bytes);
    c->item_bytes[a] = bytes;
    if (!c->spec.index_type) c->in[a] = selection_take(&c->in_bytes, c->n * bytes, shift);
    c->out[a] = selection_take(&c->out_bytes, selection_room(c->capacity, c->n) * bytes, shift);
    if (c->spec.rest == SCAN_REST_APART)
      c->rest[a] = selection_take(&c->out_bytes, selection_room(c->rest_capacity, c->n) * bytes, shift);
    if (c->by == SELECTION_PARTITION3) c->second[a] = selection_take(&c->out_bytes, c->n * bytes, shift);
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
  const uint64_t items = selection_family_of(c->by) == FAMILY_RUNS ? c->n : c->items;
  for (uint64_t i = 0; i < items; i++)
    c->kept[i] = c->by != SCAN_SELECT_LAST ? i == 0 || selection_differs(type, keys, i, i - 1)
                                           : i + 1 == c->items || selection_differs(type, keys, i, i + 1);
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

/** Counts of those that are kept, of the second part, and of the rest. */
static void expect(const selection_case *c) {
  uint64_t count[3] = { 0 };
  for (uint64_t i = 0; i < c->items; i++) count[c->kept[i]]++;
  const uint64_t written[3] = { count[1], count[2], count[0] };
  if (c->has_count) memcpy(c->want + c->count.at, written, (size_t)c->count.bytes);
  for (uint32_t a = 0; a < c->outputs; a++) {
    uint64_t place[3] = { c->spec.rest == SCAN_REST_BEHIND ? count[1] : 0, 0, 0 };
    for (uint64_t i = 0; i < c->items; i++) {
      const uint8_t part = c->kept[i];
      const selection_part *to = part == 2                                  ? &c->second[a]
                                 : part || c->spec.rest == SCAN_REST_BEHIND ? &c->out[a]
                                                                            : &c->rest[a];
      if (part || c->spec.rest != SCAN_REST_DROPPED) put(c, a, to, place[part]++, i);
    }
  }
}

/* ---- the whole ---- */

static void fill(selection_case *c, selection_family family) {
  for (uint64_t i = 0; i < c->in_bytes; i++)
    c->in_image[i] = (unsigned char)(data_bits(c->seed + 3, i / 8) >> i % 8 * 8);
  memcpy(c->in_image + c->n_from.at, &c->n_said, sizeof c->n_said);
  if (family == FAMILY_RANDOM)
    random_fill(c);
  else if (family == FAMILY_SORTS)
    sorts_fill(c);
  else if (c->key_type)
    make_runs(c);
  else if (c->by >= SCAN_SELECT_PREDICATE)
    predicate_mark(c);
  else
    make_marks(c);
}

int selection_make(const verify_request *request, selection_family family, uint64_t number, selection_case *c) {
  *c = (selection_case){ .number = number, .seed = data_bits(request->seed, number) };
  selection_dice d = { .seed = c->seed };
  if (family == FAMILY_RANDOM)
    random_choose(request, c, &d);
  else if (family == FAMILY_SORTS)
    sorts_choose(request, c, &d);
  else
    choose(request, family, c, &d);
  c->n_said = c->items;
  if (family != FAMILY_RANDOM) choose_counts(c);
  c->n_from = selection_take(&c->in_bytes, sizeof(uint64_t), 0);
  c->count =
      selection_take(&c->out_bytes, sizeof(uint64_t) * (c->by == SELECTION_PARTITION3 ? SCAN_PARTITION3_PARTS : 1), 0);
  if (family == FAMILY_RANDOM)
    random_lay_out(c);
  else if (family == FAMILY_SORTS)
    sorts_lay_out(c);
  else if (family == FAMILY_RUNS)
    runs_lay_out(c);
  else
    lay_out(c);
  c->in_image = aligned_alloc(64, (size_t)(c->in_bytes + 127) / 64 * 64);
  c->want = malloc((size_t)c->out_bytes);
  c->got = malloc((size_t)c->out_bytes);
  c->kept = calloc((size_t)c->n + 1, 1);
  if (!c->in_image || !c->want || !c->got || !c->kept) return -1;
  fill(c, family);
  memset(c->want, SELECTION_POISON, (size_t)c->out_bytes);
  if (family == FAMILY_RANDOM) return random_expect(c);
  if (family == FAMILY_SORTS) return sorts_expect(c);
  if (family == FAMILY_RUNS) return runs_expect(c);
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
  char what[96] = "";
  const selection_family family = selection_family_of(c->by);
  if (family != FAMILY_COMPACTION) {
    if (family == FAMILY_RANDOM)
      random_words(c, what, sizeof what);
    else if (family == FAMILY_SORTS)
      sorts_words(c, what, sizeof what);
    else
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
  const char *of = c->by != SELECTION_PAIR ? "" : c->spec.by == SCAN_SELECT_LAST ? ", the last" : ", the first";
  if (c->spec.key_type) of = scan_type_name(c->spec.key_type);
  snprintf(text, bytes, "case %" PRIu64 ": by %s%s%s, rest %s, %s, n = %" PRIu64, c->number,
           selection_by_name((int)c->by), c->spec.key_type ? " of " : "", of, rest_names[c->spec.rest], what, c->n);
}

static int is_in(const selection_part *part, uint64_t at) { return at >= part->at && at < part->at + part->bytes; }

/** Names a byte that is wrong where it belongs to a part. */
static void name_byte(const selection_case *c, const char *name, const selection_part *part, uint64_t item_bytes,
                      uint64_t at, char *text, size_t bytes) {
  if (!is_in(part, at)) return;
  snprintf(text, bytes, "%s: a byte of item %" PRIu64 " is 0x%02x, expected 0x%02x%s", name,
           (at - part->at) / item_bytes, c->got[at], c->want[at],
           c->want[at] == SELECTION_POISON ? " (as it was)" : "");
}

void selection_difference(const selection_case *c, char *text, size_t bytes) {
  uint64_t at = 0;
  *text = '\0';
  if (selection_family_of(c->by) == FAMILY_RANDOM && c->random.told != c->random.overflow) {
    snprintf(text, bytes, "tells of an overflow at %" PRId64 ", expected %" PRId64 " (-1: none)",
             (int64_t)c->random.told, (int64_t)c->random.overflow);
    return;
  }
  while (at < c->out_bytes && c->got[at] == c->want[at]) at++;
  if (at == c->out_bytes) return;
  snprintf(text, bytes, "wrote outside the outputs");
  if (is_in(&c->count, at)) {
    const uint64_t begin = c->count.at + (at - c->count.at) / sizeof(uint64_t) * sizeof(uint64_t);
    uint64_t count = 0, expected = 0;
    memcpy(&count, c->got + begin, sizeof count);
    memcpy(&expected, c->want + begin, sizeof expected);
    snprintf(text, bytes, "the count is %" PRIu64 ", expected %" PRIu64, count, expected);
  }
  name_byte(c, "keys_out", &c->keys_out, scan_type_bytes(c->key_type), at, text, bytes);
  for (uint32_t a = 0; a < c->outputs; a++)
    for (int side = 0; side < 3; side++) {
      static const char *const names[] = { "out", "rest", "second" };
      char name[16];
      snprintf(name, sizeof name, "%s[%u]", names[side], a);
      name_byte(c, name,
                side == 2 ? &c->second[a]
                : side    ? &c->rest[a]
                          : &c->out[a],
                c->item_bytes[a], at, text, bytes);
    }
}
