/* SPDX-License-Identifier: BSD-2-Clause */
/** @file case.c @brief Draws, builds and compares a case. */
#include "data.h"
#include "parts.h"
#include "reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- draw ---- */

static uint64_t choose_n(const case_limits *limits, case_draw *d) {
  static const uint64_t edges[] = { 0, 1, 31, 33, 257, 4095, 4096, 4097, 12289 };
  const uint64_t most = limits->large ? 300000 : limits->quick ? 20000 : 60000;
  return draw_below(d, 2) ? edges[draw_below(d, sizeof edges / sizeof edges[0])] : draw_below(d, most);
}

static void choose(const case_limits *limits, case_family family, scan_case *c, case_draw *d) {
  const int of_runs = family == FAMILY_RUNS;
  static const uint32_t percents[] = { 0, 1, 10, 50, 90, 99, 100 };
  c->n = c->items = case_enlarge(limits, choose_n(limits, d), d);
  c->percent = percents[draw_below(d, sizeof percents / sizeof percents[0])];
  c->shift = (uint32_t)draw_below(d, 2) * (uint32_t)draw_below(d, 16);
  c->by = of_runs ? CASE_RUN_LENGTHS + (uint32_t)draw_below(d, 2)
                  : SCAN_SELECT_FLAGS + (uint32_t)draw_below(d, CASE_PARTITION3);
  c->has_n_from = draw_one_in(d, 4);
  if (c->has_n_from) c->items = draw_below(d, c->n + 1);
  c->has_count = draw_below(d, 8) != 0;
  c->by_plan = c->n > 0 && draw_below(d, 2);
  c->capacity = case_draw_capacity(d, c->n);
  if (c->by == SCAN_SELECT_FIRST || c->by == SCAN_SELECT_LAST || of_runs)
    c->key_type = (scan_type)(SCAN_I8 + draw_below(d, SCAN_BF16));
  if (of_runs)
    case_runs_draw(limits, c, d);
  else
    case_select_draw(c, d);
}

/** Draws outputs without room, an n_from above n, clamping, and a count written over n_from. */
static void choose_counts(scan_case *c, case_draw *d) {
  const int has_room = c->n == 0 || c->by == CASE_PARTITION3 || c->in_place;
  if (!has_room && draw_one_in(d, 8)) c->capacity = SCAN_NO_CAPACITY;
  if (!has_room && draw_one_in(d, 8)) c->rest_capacity = SCAN_NO_CAPACITY;
  c->clamps = draw_one_in(d, 2);
  if (!c->has_n_from) return;
  c->counts_n = c->has_count && draw_one_in(d, 2);
  if (draw_one_in(d, c->clamps ? 2 : 8)) return;
  c->items = c->n;
  c->n_said = c->n + 1 + draw_below(d, 1000);
}

/** Draws host memory for one call in eight, and a max_n above n for one plan in four. */
static void choose_memory(scan_case *c, case_draw *d) {
  if (draw_one_in(d, 8)) {
    c->by_host = 1;
    c->by_plan = 0;
  }
  if (!c->by_host && !c->by_plan && !c->in_place && !c->over) {
    c->host_in = draw_one_in(d, 8);
    c->host_out = !c->host_in && draw_one_in(d, 8);
  }
  c->runs_again = c->by_plan && !c->in_place && !c->over && !c->counts_n && draw_one_in(d, 4);
  if (c->by_plan && draw_one_in(d, 4)) c->plan_n = c->n + 1 + draw_below(d, c->n + 1000);
}

static void case_draw_one(const case_limits *limits, case_family family, case_draw *d, scan_case *c) {
  if (family == FAMILY_SCANS) {
    case_scan_draw(limits, c, d);
    return;
  }
  if (family == FAMILY_SORTS)
    case_sort_draw(limits, c, d);
  else
    choose(limits, family, c, d);
  c->n_said = c->items;
  choose_counts(c, d);
  choose_memory(c, d);
  c->items = 0; /* follows from the line */
  if (!c->has_n_from) c->n_said = 0;
}

void case_draw_number(const case_limits *limits, case_family family, uint64_t number, scan_case *c) {
  *c = (scan_case){ .number = number, .seed = data_bits(limits->seed, number) };
  case_draw d = { .seed = c->seed };
  case_draw_one(limits, family, &d, c);
  c->plan_memory = c->by_plan && draw_one_in(&d, 4);
  case_draw_context(limits, c);
}

void case_draw_bytes(const case_limits *limits, const uint8_t *bytes, size_t count, scan_case *c) {
  case_draw d = { .bytes = bytes, .left = count };
  const case_family family = (case_family)draw_below(&d, FAMILIES);
  const uint64_t number = draw_below(&d, 65536);
  *c = (scan_case){ .number = number, .seed = data_bits(limits->seed, number) };
  case_draw_one(limits, family, &d, c);
  c->plan_memory = c->by_plan && draw_one_in(&d, 4);
}

/* ---- layout ---- */

static void lay_out(scan_case *c) {
  const uint64_t counts = c->by == CASE_PARTITION3 ? SCAN_PARTITION3_PARTS : 1;
  const uint64_t shift = sizeof(uint64_t) * (c->shift & 1);
  c->n_from = case_reserve(&c->in_bytes, sizeof(uint64_t), shift);
  c->count = case_reserve(&c->out_bytes, sizeof(uint64_t) * counts, shift);
  switch (case_family_of(c->by)) {
  case FAMILY_SCANS: case_scan_lay_out(c); break;
  case FAMILY_SORTS: case_sort_lay_out(c); break;
  case FAMILY_RUNS: case_runs_lay_out(c); break;
  default: case_select_lay_out(c); break;
  }
}

/* ---- inputs ---- */

/** Writes one of seven keys. Floating-point keys include zeros of both signs and NaN. */
static void put_key(scan_type type, void *keys, uint64_t i, uint64_t bits) {
  static const double values[] = { 0.0, -0.0, 1.0, 2.5, -3.0, NAN, INFINITY };
  const uint64_t small = bits % 7;
  if (reference_is_float(type))
    reference_store(type, keys, i, values[small]);
  else
    memcpy((char *)keys + i * scan_type_bytes(type), &small, scan_type_bytes(type));
}

static void make_runs(scan_case *c) {
  const scan_type type = c->key_type;
  const size_t bytes = scan_type_bytes(type);
  unsigned char *keys = c->in_image + c->marks.at;
  for (uint64_t i = 0; i < c->n; i++)
    if (i == 0 || data_bits(c->seed + 1, i) % 100 < c->percent)
      put_key(type, keys, i, data_bits(c->seed + 2, i));
    else
      memcpy(keys + i * bytes, keys + (i - 1) * bytes, bytes);
  const uint64_t items = case_family_of(c->by) == FAMILY_RUNS ? c->n : c->items;
  for (uint64_t i = 0; i < items; i++)
    c->kept[i] = c->by != SCAN_SELECT_LAST ? i == 0 || case_keys_differ(type, keys, i, i - 1)
                                           : i + 1 == c->items || case_keys_differ(type, keys, i, i + 1);
}

static void case_fill(scan_case *c) {
  const case_family family = case_family_of(c->by);
  for (uint64_t i = 0; i < c->in_bytes; i += sizeof i) { /* parts end with guards: bytes behind the last are not read */
    const uint64_t bits = data_bits(c->seed + 3, i / sizeof i);
    memcpy(c->in_image + i, &bits, sizeof bits);
  }
  memcpy(c->in_image + c->n_from.at, &c->n_said, sizeof c->n_said);
  if (family == FAMILY_SCANS)
    case_scan_fill(c);
  else if (family == FAMILY_SORTS)
    case_sort_fill(c);
  else if (c->key_type)
    make_runs(c);
  else if (c->by >= SCAN_SELECT_PREDICATE)
    case_predicate_mark(c);
  else
    case_select_mark(c);
}

/* ---- build ---- */

/** Returns scan_select_spec.by; 0: the case is not a scan_select. */
static scan_select_by select_by(const scan_case *c) {
  if (c->by == CASE_PAIR) return c->keeps_last ? SCAN_SELECT_LAST : SCAN_SELECT_FIRST;
  return c->by < CASE_PAIR ? (scan_select_by)c->by : (scan_select_by)0;
}

/** Derives fields from those of a line. */
static void case_complete(scan_case *c) {
  const uint32_t flags = c->clamps ? SCAN_N_FROM_CLAMP : 0;
  if (!c->has_n_from) c->n_said = c->n;
  c->items = c->n_said < c->n ? c->n_said : c->n;
  c->spec.struct_bytes = sizeof c->spec;
  c->spec.in_place = (uint32_t)c->in_place;
  c->spec.by = select_by(c);
  c->spec.key_type = case_family_of(c->by) == FAMILY_COMPACTION ? c->key_type : SCAN_TYPE_DEFAULT;
  c->sort.struct_bytes = sizeof c->sort;
  c->sort.key_type = c->key_type;
  if (!c->out_n) c->out_n = c->n;
  if (case_family_of(c->by) == FAMILY_RUNS) case_runs_complete(c);
  c->spec.flags = c->encode.flags = c->sort.flags = c->reduce.flags = flags;
  if (case_family_of(c->by) == FAMILY_SCANS) case_scan_complete(c);
}

int case_open(scan_case *c) {
  case_complete(c);
  lay_out(c);
  c->in_image = aligned_alloc(64, (size_t)(c->in_bytes + 127) / 64 * 64);
  c->want = malloc((size_t)c->out_bytes);
  c->got = malloc((size_t)c->out_bytes);
  c->kept = calloc((size_t)c->n + 1, 1);
  if (!c->in_image || !c->want || !c->got || !c->kept) return -1;
  memset(c->want, CASE_POISON, (size_t)c->out_bytes);
  return 0;
}

int case_build(scan_case *c) {
  if (case_open(c) != 0) return -1;
  case_fill(c);
  switch (case_family_of(c->by)) {
  case FAMILY_SCANS: return case_scan_expect(c);
  case FAMILY_SORTS: return case_sort_expect(c);
  case FAMILY_RUNS: return case_runs_expect(c);
  default:
    if (c->in_place && c->spec.rest == SCAN_REST_BEHIND) case_select_put_inputs(c, c->want);
    case_select_expect(c);
    return 0;
  }
}

void case_free(scan_case *c) {
  free(c->kept);
  free(c->got);
  free(c->want);
  free(c->in_image);
}

/* ---- comparison ---- */

static int is_in(const case_part *part, uint64_t at) { return at >= part->at && at < part->at + part->bytes; }

/** Describes the wrong byte `at` if it lies in the part. */
static void name_byte(const scan_case *c, const char *name, const case_part *part, uint64_t item_bytes, uint64_t at,
                      char *text, size_t bytes) {
  if (!is_in(part, at)) return;
  snprintf(text, bytes, "%s: a byte of item %" PRIu64 " is 0x%02x, expected 0x%02x%s", name,
           (at - part->at) / item_bytes, c->got[at], c->want[at], c->want[at] == CASE_POISON ? " (as it was)" : "");
}

void case_difference(const scan_case *c, char *text, size_t bytes) {
  uint64_t at = 0;
  *text = '\0';
  if (case_family_of(c->by) == FAMILY_SCANS && c->scan.reported != c->scan.overflow) {
    snprintf(text, bytes, "tells of an overflow at %" PRId64 ", expected %" PRId64 " (-1: none)",
             (int64_t)c->scan.reported, (int64_t)c->scan.overflow);
    return;
  }
  if (c->is_silent) snprintf(text, bytes, "no wait reported that n_from held more than n");
  if (c->wrote_inputs) snprintf(text, bytes, "wrote an input");
  if (memcmp(c->got, c->want, (size_t)c->out_bytes) == 0) return;
  while (c->got[at] == c->want[at]) at++;
  snprintf(text, bytes, "wrote outside the outputs");
  if (is_in(&c->count, at)) {
    const uint64_t begin = c->count.at + (at - c->count.at) / sizeof(uint64_t) * sizeof(uint64_t);
    uint64_t count = 0, expected = 0;
    memcpy(&count, c->got + begin, sizeof count);
    memcpy(&expected, c->want + begin, sizeof expected);
    snprintf(text, bytes, "the count is %" PRIu64 ", expected %" PRIu64, count, expected);
  }
  if (case_family_of(c->by) == FAMILY_SORTS)
    name_byte(c, "keys_out", &c->keys_out, case_sort_item_bytes(c), at, text, bytes);
  if (c->scan.carries.bytes) name_byte(c, "carry", &c->scan.carries, CASE_CARRY_BYTES, at, text, bytes);
  if (c->is_split) name_byte(c, "offsets", &c->offsets, sizeof(uint64_t), at, text, bytes);
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
