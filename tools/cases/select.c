/* SPDX-License-Identifier: BSD-2-Clause */
/** @file select.c @brief Cases of compaction: draw, layout, expected output and call. */
#include "data.h"
#include "parts.h"

#include <string.h>

/* ---- draw ---- */

/** Draws arrays with elements of a few sizes, since drivers compile a program for each size. */
static void choose_arrays(scan_case *c, case_draw *d) {
  static const uint32_t sizes[] = { 1, 2, 4, 8, 16, 4, 8, 12, 3, 64 };
  c->spec.arrays = 1 + (uint32_t)draw_below(d, 8) / 5 + (uint32_t)draw_below(d, 8) / 7;
  for (uint32_t a = 0; a < c->spec.arrays; a++)
    c->spec.element_bytes[a] = sizes[draw_below(d, sizeof sizes / sizeof sizes[0])];
  if (!c->in_first) return;
  c->spec.element_bytes[0] = c->key_type ? (uint32_t)scan_type_bytes(c->key_type) : case_looked_bytes(c);
}

/** Draws a partition into three. Its three outputs have room for all elements. */
static void choose_partition(scan_case *c, case_draw *d) {
  c->spec.rest = SCAN_REST_APART;
  c->in_first = 1;
  c->capacity = 0;
  c->second_percent = (uint32_t)draw_below(d, 101);
  choose_arrays(c, d);
}

/** Makes one of four eligible cases run in place. */
static void choose_place(scan_case *c, case_draw *d) {
  if (c->spec.index_type || c->capacity || c->rest_capacity || !draw_one_in(d, 4)) return;
  c->in_place = 1;
}

static void choose_compaction(scan_case *c, case_draw *d) {
  const int looks = c->by >= SCAN_SELECT_FIRST;
  if (c->by >= SCAN_SELECT_PREDICATE) c->looked_bytes = case_looked_draw(d);
  c->keeps_last = c->by == CASE_PAIR && draw_below(d, 2);
  c->spec.rest = (scan_select_rest)draw_below(d, CASE_COLUMNS);
  if (draw_one_in(d, 4))
    c->spec.index_type = draw_below(d, 2) ? SCAN_U32 : SCAN_U64;
  else
    c->in_first = looks && draw_below(d, 2);
  if (!c->spec.index_type) choose_arrays(c, d);
  c->rest_capacity = case_draw_capacity(d, c->n);
  choose_place(c, d);
}

void case_select_draw(scan_case *c, case_draw *d) {
  if (c->by == CASE_PARTITION3)
    choose_partition(c, d);
  else
    choose_compaction(c, d);
}

/* ---- layout ---- */

static uint64_t mark_bytes(const scan_case *c, uint64_t *align) {
  const uint64_t looked = c->by >= SCAN_SELECT_PREDICATE ? case_looked_bytes(c) : 4;
  const uint64_t item = c->spec.key_type ? scan_type_bytes(c->spec.key_type) : c->by == SCAN_SELECT_FLAGS ? 1 : looked;
  *align = item;
  return c->by == SCAN_SELECT_BITS ? (c->n + 31) / 32 * 4 : c->n * item;
}

void case_select_lay_out(scan_case *c) {
  uint64_t align = 1;
  const uint64_t marks = mark_bytes(c, &align);
  c->outputs = c->spec.index_type ? 1 : c->spec.arrays;
  if (!c->in_first) c->marks = case_reserve(&c->in_bytes, marks, c->shift * align);
  for (uint32_t a = 0; a < c->outputs; a++) {
    const uint64_t bytes = c->spec.index_type ? scan_type_bytes(c->spec.index_type) : c->spec.element_bytes[a];
    const uint64_t shift = c->shift * (c->spec.element_align[a] ? c->spec.element_align[a] : case_align(bytes));
    c->item_bytes[a] = bytes;
    if (!c->spec.index_type) c->in[a] = case_reserve(&c->in_bytes, c->n * bytes, shift);
    c->out[a] = case_reserve(&c->out_bytes, case_room(c->capacity, c->n) * bytes, shift);
    if (c->spec.rest == SCAN_REST_APART)
      c->rest[a] = case_reserve(&c->out_bytes, case_room(c->rest_capacity, c->n) * bytes, shift);
    if (c->by == CASE_PARTITION3) c->second[a] = case_reserve(&c->out_bytes, c->n * bytes, shift);
  }
  if (c->in_first) c->marks = c->in[0];
}

/* ---- inputs ---- */

/** Fills flags (any nonzero number for 1) or bits. Bits behind the last element stay random. */
void case_select_mark(scan_case *c) {
  unsigned char *marks = c->in_image + c->marks.at;
  for (uint64_t i = 0; i < c->n; i++) {
    const uint64_t bits = data_bits(c->seed + 1, c->kept_items ? i / c->kept_items : i);
    const uint8_t kept = bits % 100 < c->percent;
    if (c->by == SCAN_SELECT_FLAGS) marks[i] = kept ? (uint8_t)(bits >> 56 | 1) : 0;
    if (c->by == SCAN_SELECT_BITS)
      marks[i / 8] = (unsigned char)((marks[i / 8] & ~(1u << i % 8)) | (unsigned)kept << i % 8);
    c->kept[i] = kept;
  }
}

/* ---- expected output ---- */

static void number_put(const scan_case *c, uint32_t a, const case_part *to, uint64_t place, uint64_t i) {
  const uint64_t bytes = c->item_bytes[a];
  const void *from = c->spec.index_type ? (const void *)&i : c->in_image + c->in[a].at + i * bytes; /* little-endian */
  if ((place + 1) * bytes <= to->bytes) memcpy(c->want + to->at + place * bytes, from, (size_t)bytes);
}

/** Writes the counts (kept, second part, rest) and the elements of each part to c->want. */
void case_select_expect(const scan_case *c) {
  uint64_t count[3] = { 0 };
  for (uint64_t i = 0; i < c->items; i++) count[c->kept[i]]++;
  const uint64_t written[3] = { count[1], count[2], count[0] };
  if (c->has_count) memcpy(c->want + c->count.at, written, (size_t)c->count.bytes);
  for (uint32_t a = 0; a < c->outputs; a++) {
    uint64_t place[3] = { c->spec.rest == SCAN_REST_BEHIND ? count[1] : 0, 0, 0 };
    for (uint64_t i = 0; i < c->items; i++) {
      const uint8_t part = c->kept[i];
      const case_part *to = part == 2                                  ? &c->second[a]
                            : part || c->spec.rest == SCAN_REST_BEHIND ? &c->out[a]
                                                                       : &c->rest[a];
      if (part || c->spec.rest != SCAN_REST_DROPPED) number_put(c, a, to, place[part]++, i);
    }
  }
}

void case_select_put_inputs(const scan_case *c, unsigned char *out_image) {
  for (uint32_t a = 0; a < c->outputs; a++)
    memcpy(out_image + c->out[a].at, c->in_image + c->in[a].at, (size_t)c->in[a].bytes);
}

void case_select_forget(const scan_case *c) {
  uint64_t count = 0;
  if (c->spec.rest == SCAN_REST_BEHIND) return;
  for (uint64_t i = 0; i < c->items; i++) count += c->kept[i];
  for (uint32_t a = 0; a < c->outputs; a++) {
    const uint64_t written = count * c->item_bytes[a];
    memset(c->got + c->out[a].at + written, CASE_POISON, (size_t)(c->out[a].bytes - written));
  }
}

/* ---- the call ---- */

scan_status case_select_args(scan_ctx *ctx, case_functions *functions, const scan_case *c, const case_memory *m,
                             scan_select_spec *spec, scan_select_args *args) {
  *spec = c->spec;
  *args = (scan_select_args){ .struct_bytes = sizeof *args, .capacity = c->capacity };
  if (c->spec.rest == SCAN_REST_APART) args->rest_capacity = c->rest_capacity;
  if (!c->in_first) args->marks = scan_offset(m->in, c->marks.at);
  args->n_from = case_n_from(c, m);
  args->count = case_count(c, m);
  if (c->by == SCAN_SELECT_PREDICATE || c->by == CASE_PAIR) args->params = &c->percent;
  for (uint32_t a = 0; a < c->outputs; a++) {
    args->out[a] = case_output(m->out, c->capacity, &c->out[a]);
    if (!c->spec.index_type) args->in[a] = c->in_place ? args->out[a] : scan_offset(m->in, c->in[a].at);
    if (c->spec.rest == SCAN_REST_APART) args->rest[a] = case_output(m->out, c->rest_capacity, &c->rest[a]);
  }
  if (c->by == CASE_PAIR) return case_predicate_pair(ctx, functions, c, &spec->predicate);
  if (c->by == SCAN_SELECT_PREDICATE) return case_predicate_one(ctx, functions, c, &spec->predicate);
  return SCAN_SUCCESS;
}

scan_status case_select_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m) {
  scan_select_spec spec;
  scan_select_args args;
  scan_plan *plan = NULL;
  scan_status status = case_select_args(ctx, functions, c, m, &spec, &args);
  if (status != SCAN_SUCCESS) return status;
  if (!c->by_plan) return case_wait(ctx, c, m, scan_select(ctx, &spec, c->n, &args));
  status = scan_plan_create_select(ctx, &spec, case_plan_n(c), &plan);
  status = case_give_memory(ctx, c, m, plan, status);
  for (int k = 0; k <= c->runs_again && status == SCAN_SUCCESS; k++) status = scan_plan_run_select(plan, c->n, &args);
  return case_finish_plan(ctx, c, m, plan, status);
}
