/* SPDX-License-Identifier: BSD-2-Clause */
/* Random scans over the ranks, bit for bit against one context that scans all elements. $SCANRT_TEST_CASES says how
 * many; $SCANRT_TEST_SEED where they begin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "operators.h"

enum { ROOM = 64, VALUE = 64, MOST_TEXT = 256 };

/* What a case is; the same on all ranks. */
typedef struct trial {
  scan_spec spec;
  const struct operator_case *source; /* NULL: a built-in operator */
  uint64_t n, in_bytes, out_bytes, value_bytes, unit;
  uint64_t counts[GROUP_MOST_RANKS];
  int has_carry, wants_carry, in_place, on_device, by_plan, tells_behind, fill;
  _Alignas(16) unsigned char init[VALUE];
  _Alignas(16) unsigned char carry[VALUE];
} trial;

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
  do t->source = &operator_cases[rng_below(rng, OPERATOR_CASES)];
  while (!takes("SCANRT_TEST_OPERATORS", t->source->name));
  t->in_bytes = t->out_bytes = t->value_bytes = t->source->source.value_bytes;
}

static void fill_halves(struct rng *rng, scan_type type, uint64_t n, uint16_t *out) {
  for (uint64_t i = 0; i < n; i++) {
    const uint16_t bits = (uint16_t)rng_next(rng);
    out[i] = (uint16_t)(type == SCAN_F16 ? bits & 0xbfffu : (bits & 0x80ffu) | 0x3f00u); /* below 2 */
  }
}

/* Elements of a case: ordinary ones, special ones, or zeros of negative sign alone. */
static void fill(struct rng *rng, const trial *t, scan_type type, uint64_t n, void *out) {
  if (t->source != NULL)
    t->source->fill(rng, n, out);
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
  if (t->source != NULL && t->source->init != NULL) {
    t->source->init(rng, t->init);
    t->source->init(rng, t->carry);
  } else {
    fill(rng, t, t->spec.type, 1, t->init);
    fill(rng, t, is_half(t->spec.type) ? SCAN_F32 : t->spec.type, 1, t->carry);
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

static void draw(const group *g, struct rng *rng, trial *t, int scale) {
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
  group_split(g, rng, t->n, t->unit, t->counts);
}

static const char *text_of(const trial *t, char text[MOST_TEXT]) {
  const scan_spec *s = &t->spec;
  snprintf(text, MOST_TEXT, "%s%s%s %s kind %d flags %u segments %d keys %s n %llu%s%s%s%s%s fill %d",
           t->source ? t->source->name : scan_type_name(s->type), s->input_type ? " of " : "",
           s->input_type ? scan_type_name(s->input_type) : "", s->op ? scan_op_name(s->op) : "", (int)s->kind, s->flags,
           (int)s->segments, s->key_type ? scan_type_name(s->key_type) : "-", (unsigned long long)t->n,
           s->has_init ? " init" : "", t->has_carry ? " carry" : "", t->wants_carry ? " leaves" : "",
           t->in_place ? " in place" : "", t->on_device ? " device" : "", t->fill);
  return text;
}

/* ---- segments ---- */

/* Only where ranks and groups begin, or with the element behind. */
static void draw_heads_at_bounds(struct rng *rng, const trial *t, unsigned char *heads) {
  uint64_t at = 0;
  memset(heads, 0, t->n);
  for (int r = 0; r < GROUP_MOST_RANKS; at += t->counts[r++]) {
    const uint64_t place = at + rng_below(rng, 8) / 7;
    if (place < t->n && rng_below(rng, 2)) heads[place] = 1;
  }
  for (at = t->unit; at < t->n; at += t->unit)
    if (rng_below(rng, 3) == 0) heads[at] = 1;
}

/* Where segments begin, among all elements: of some length, or of none. */
static void draw_heads(struct rng *rng, const trial *t, unsigned char *heads) {
  static const uint64_t lengths[] = { 1, 3, 100, 5000, 300000, UINT64_MAX };
  const uint64_t length = lengths[rng_below(rng, 6)];
  if (rng_below(rng, 3) == 0) {
    draw_heads_at_bounds(rng, t, heads);
    return;
  }
  for (uint64_t i = 0; i < t->n; i++)
    heads[i] = rng_below(rng, length) == 0 ? (unsigned char)(1 + rng_below(rng, 200)) : 0;
}

/* Keys that differ where heads are; of floats sometimes zeros of both signs, which are equal, within a segment. */
static void make_keys(struct rng *rng, scan_type type, const unsigned char *heads, uint64_t n, unsigned char *keys) {
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

/* Marks of n elements as the spec tells them. */
typedef struct marks {
  void *bytes;
  uint64_t count, size;
} marks;

static marks bits_of(const unsigned char *heads, uint64_t n) {
  const uint64_t words = (n + 31) / 32;
  uint32_t *bits = group_allocate(words * 4);
  memset(bits, 0, words * 4);
  for (uint64_t i = 0; i < n; i++)
    if (heads[i]) bits[i / 32] |= UINT32_C(1) << i % 32;
  return (marks){ bits, n, words * 4 };
}

/* As one device takes them: the first is 0, and n is behind the last. */
static marks offsets_of(scan_type type, const unsigned char *heads, uint64_t n, int is_whole, int marks_behind) {
  const size_t bytes = scan_type_bytes(type);
  unsigned char *offsets = group_allocate((n + 2) * bytes);
  uint64_t count = 0;
  for (uint64_t i = 0; i <= n; i++) {
    const int is_there = i == n ? is_whole || marks_behind : heads[i] || (is_whole && i == 0);
    if (is_there) memcpy(offsets + count++ * bytes, &i, bytes); /* little-endian */
  }
  return (marks){ offsets, is_whole ? count - 1 : count, count * bytes };
}

static marks marks_of(const trial *t, const unsigned char *heads, const unsigned char *keys, uint64_t n, int is_whole,
                      int marks_behind) {
  const size_t bytes = t->spec.key_type ? scan_type_bytes(t->spec.key_type) : 1;
  if (t->spec.segments == SCAN_SEGMENTS_BITS) return bits_of(heads, n);
  if (t->spec.segments == SCAN_SEGMENTS_OFFSETS) return offsets_of(t->spec.key_type, heads, n, is_whole, marks_behind);
  marks m = { group_allocate(n * bytes), n, n * bytes };
  memcpy(m.bytes, t->spec.segments == SCAN_SEGMENTS_KEYS ? keys : heads, n * bytes);
  return m;
}

/* ---- one case ---- */

/* All elements, on rank 0; NULL elsewhere. */
typedef struct whole {
  unsigned char *in, *heads, *keys, *want, *got;
  _Alignas(16) unsigned char want_carry[VALUE];
} whole;

static whole make_whole(group *g, struct rng rng, const trial *t) {
  whole w = { .in = NULL };
  if (g->rank != 0) return w;
  const scan_type input = t->spec.input_type ? t->spec.input_type : t->spec.type;
  w.in = group_allocate(t->n * t->in_bytes);
  w.want = group_allocate((t->n + 1) * t->out_bytes);
  w.got = group_allocate((t->n + 1) * t->out_bytes);
  w.heads = group_allocate(t->n);
  w.keys = group_allocate(t->n * 8);
  fill(&rng, t, input, t->n, w.in);
  draw_heads(&rng, t, w.heads);
  if (t->spec.segments == SCAN_SEGMENTS_KEYS) make_keys(&rng, t->spec.key_type, w.heads, t->n, w.keys);
  return w;
}

static void free_whole(whole *w) {
  free(w->in);
  free(w->want);
  free(w->got);
  free(w->heads);
  free(w->keys);
}

static void scan_whole(group *g, const trial *t, whole *w) {
  scan_args args = SCAN_ARGS_INIT(scan_host(w->in), scan_host(w->want));
  marks m = { .bytes = NULL };
  if (t->spec.segments != SCAN_SEGMENTS_NONE) {
    m = marks_of(t, w->heads, w->keys, t->n, 1, 0);
    args.marks = scan_host(m.bytes);
    args.mark_count = m.count;
  }
  if (t->has_carry) args.carry_in = scan_host(t->carry);
  if (t->wants_carry) args.carry_out = scan_host(w->want_carry);
  const scan_status status = scan_run_args(g->ctx, &t->spec, t->n, &args);
  group_check(g, status == SCAN_SUCCESS, "one device: %s", scan_last_error(g->ctx));
  free(m.bytes);
}

static scan_status call(group *g, const trial *t, uint64_t n, const scan_args *args) {
  scan_mpi_plan *plan = NULL;
  if (!t->by_plan) return scan_mpi_run_args(g->mpi, &t->spec, n, args);
  scan_status status = scan_mpi_plan_create(g->mpi, &t->spec, n, &plan);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_args(plan, n, args);
  scan_mpi_plan_destroy(plan);
  return status;
}

/* What this rank gives and gets. */
typedef struct share {
  unsigned char *in, *out, *heads, *keys;
  _Alignas(16) unsigned char carry[VALUE];
  uint64_t n, out_items;
  marks marks;
} share;

static void run_share(group *g, const trial *t, share *s, const char *text) {
  const uint64_t in_size = s->n * t->in_bytes, out_size = s->out_items * t->out_bytes + ROOM;
  const scan_mem in = group_give(g, s->in, in_size, t->on_device);
  const scan_mem out = t->in_place ? in : group_give(g, s->out, out_size, t->on_device);
  scan_args args = SCAN_ARGS_INIT(in, out);
  if (t->spec.segments != SCAN_SEGMENTS_NONE) {
    args.marks = group_give(g, s->marks.bytes, s->marks.size, t->on_device);
    args.mark_count = s->marks.count;
  }
  if (t->has_carry && g->rank == 0) args.carry_in = scan_host(t->carry);
  if (t->wants_carry) args.carry_out = scan_host(s->carry);
  const scan_status status = call(g, t, s->n, &args);
  group_check(g, status == SCAN_SUCCESS, "%s: %s", text, scan_mpi_last_error(g->mpi));
  if (t->in_place)
    group_take(g, in, s->in, in_size);
  else {
    group_take(g, in, s->in, 0);
    group_take(g, out, s->out, out_size);
  }
  group_take(g, args.marks, s->marks.bytes, 0);
  if (t->in_place) memcpy(s->out, s->in, in_size);
}

/* Of offsets: whether this rank tells that a segment begins behind its elements, in the place of the next rank, which
 * may have elements or none. */
static int takes_first_mark(const group *g, const trial *t, share *s) {
  unsigned char first = 0, behind = 0;
  if (t->spec.segments != SCAN_SEGMENTS_OFFSETS || !t->tells_behind) return 0;
  const int next = g->rank + 1 < g->ranks ? g->rank + 1 : MPI_PROC_NULL;
  const int before = g->rank > 0 ? g->rank - 1 : MPI_PROC_NULL;
  /* What an empty rank hears from the next one it hands on: from the last rank to the first. */
  MPI_Recv(&behind, 1, MPI_BYTE, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  first = s->n == 0 ? behind : s->heads[0];
  MPI_Send(&first, 1, MPI_BYTE, before, 1, MPI_COMM_WORLD);
  if (s->n > 0 && g->rank > 0) s->heads[0] = 0;
  return behind && (s->n > 0 || t->tells_behind > 1);
}

static share open_share(group *g, const trial *t, const whole *w) {
  share s = { .n = t->counts[g->rank] };
  s.in = group_scatter(g, w->in, t->counts, t->in_bytes, ROOM);
  s.heads = group_scatter(g, w->heads, t->counts, 1, ROOM);
  if (t->spec.segments == SCAN_SEGMENTS_KEYS)
    s.keys = group_scatter(g, w->keys, t->counts, scan_type_bytes(t->spec.key_type), ROOM);
  s.out_items = t->spec.kind == SCAN_TOTAL ? 1 : s.n;
  s.out = group_allocate(s.out_items * t->out_bytes + ROOM);
  memset(s.out, 0xa5, s.out_items * t->out_bytes + ROOM);
  if (t->spec.segments != SCAN_SEGMENTS_NONE)
    s.marks = marks_of(t, s.heads, s.keys, s.n, 0, takes_first_mark(g, t, &s));
  return s;
}

static void close_share(share *s) {
  free(s->in);
  free(s->out);
  free(s->heads);
  free(s->keys);
  free(s->marks.bytes);
}

static uint64_t first_difference(const unsigned char *a, const unsigned char *b, uint64_t items, uint64_t bytes) {
  for (uint64_t i = 0; i < items; i++)
    if (memcmp(a + i * bytes, b + i * bytes, bytes) != 0) return i;
  return items;
}

static void compare_outputs(group *g, const trial *t, whole *w, const share *s, const char *text) {
  if (t->spec.kind == SCAN_TOTAL) {
    unsigned char total[VALUE] = { 0 };
    if (g->rank == 0) memcpy(total, w->want, t->out_bytes);
    MPI_Bcast(total, VALUE, MPI_BYTE, 0, MPI_COMM_WORLD);
    group_check(g, memcmp(total, s->out, t->out_bytes) == 0, "%s: another total", text);
    return;
  }
  group_gather(g, s->out, t->counts, t->out_bytes, w->got);
  if (g->rank != 0) return;
  const uint64_t at = first_difference(w->got, w->want, t->n, t->out_bytes);
  group_check(g, at == t->n, "%s: element %llu has other bits", text, (unsigned long long)at);
}

static void run_trial(group *g, struct rng *rng, int scale, unsigned long number) {
  trial t;
  char name[MOST_TEXT], text[MOST_TEXT + 32];
  draw(g, rng, &t, scale);
  snprintf(text, sizeof text, "case %lu: %s", number, text_of(&t, name));
  scan_op *op = NULL;
  if (t.source != NULL) {
    group_check(g, scan_op_create(g->ctx, &t.source->source, &op) == SCAN_SUCCESS, "%s: %s", text,
                scan_last_error(g->ctx));
    t.spec.custom_op = op;
  }
  whole w = make_whole(g, *rng, &t);
  if (g->rank == 0) scan_whole(g, &t, &w);
  share s = open_share(g, &t, &w);
  run_share(g, &t, &s, text);
  compare_outputs(g, &t, &w, &s, text);
  int is_whole = 1;
  for (int i = 0; i < ROOM && !t.in_place; i++) is_whole &= s.out[s.out_items * t.out_bytes + (uint64_t)i] == 0xa5;
  group_check(g, is_whole, "%s: written past the output", text);
  if (t.wants_carry) {
    MPI_Bcast(w.want_carry, VALUE, MPI_BYTE, 0, MPI_COMM_WORLD);
    group_check(g, memcmp(w.want_carry, s.carry, t.value_bytes) == 0, "%s: another carry", text);
  }
  close_share(&s);
  free_whole(&w);
  scan_op_destroy(op);
}

static unsigned long number_of(const char *name, unsigned long otherwise) {
  const char *text = getenv(name);
  return text != NULL && text[0] != '\0' ? strtoul(text, NULL, 0) : otherwise;
}

int main(int argc, char **argv) {
  group g;
  group_open(&g, &argc, &argv);
  const unsigned long cases = number_of("SCANRT_TEST_CASES", 100), first = number_of("SCANRT_TEST_FIRST", 0);
  const int scale = (int)number_of("SCANRT_TEST_GROUPS", 1);
  for (unsigned long i = first; i < first + cases; i++) {
    struct rng rng = { number_of("SCANRT_TEST_SEED", 1) * 1000003 + i };
    run_trial(&g, &rng, scale, i);
  }
  if (g.rank == 0) printf("%lu cases\n", cases);
  return group_close(&g, "mpi scan");
}
