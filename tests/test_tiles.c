/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans over many tiles, few of each: operators from source, not commutative, of elements of 1, 2, 4 and 8 bytes, and
 * where they are asked for built-in ones; wherever input and output begin; the last tile in part, more than one group
 * of tiles. For the emulation of CUDA, where a tile takes milliseconds. */
#include "operators.h"
#include "reference.h"
#include "spans.h"
#include "support.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

static struct {
  struct rng rng;
  scan_strategy strategy;
} bench = { { 0x711e5 }, SCAN_STRATEGY_AUTO };

/* ---- operators: x -> a x + b, as operators.c has it of 1 byte and of 8 ---- */

SCAN_OP_TEXT(
    bytes2_text,
    typedef struct bytes2 {
      uint8_t a;
      uint8_t b;
    } bytes2;
    static inline bytes2 bytes2_combine(bytes2 f, bytes2 g) {
      bytes2 h;
      h.a = (uint8_t)(g.a * f.a);
      h.b = (uint8_t)(g.a * f.b + g.b);
      return h;
    });
SCAN_OP_HOST(bytes2_host, bytes2, bytes2_combine);

SCAN_OP_TEXT(
    shorts2_text,
    typedef struct shorts2 {
      uint16_t a;
      uint16_t b;
    } shorts2;
    static inline shorts2 shorts2_combine(shorts2 f, shorts2 g) {
      shorts2 h;
      h.a = (uint16_t)((uint32_t)g.a * f.a);
      h.b = (uint16_t)((uint32_t)g.a * f.b + g.b);
      return h;
    });
SCAN_OP_HOST(shorts2_host, shorts2, shorts2_combine);

/* The sum of binary32: which roundings there are shows the order. */
SCAN_OP_TEXT(
    single_text, static inline float single_combine(float a, float b) { return a + b; });
SCAN_OP_HOST(single_host, float, single_combine);

static void fill_bytes2(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++)
    ((bytes2 *)out)[i] = (bytes2){ (uint8_t)(rng_next(rng) | 1), (uint8_t)rng_next(rng) };
}
static void fill_shorts2(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++)
    ((shorts2 *)out)[i] = (shorts2){ (uint16_t)(rng_next(rng) | 1), (uint16_t)rng_next(rng) };
}
static void fill_single(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++) ((float *)out)[i] = ((float)rng_below(rng, 20001) - 10000.0f) * 0.37f;
}

static const bytes2 bytes2_identity = { 1, 0 };
static const shorts2 shorts2_identity = { 1, 0 };
static const float single_identity = -0.0f;

#define OPERATOR(NAME, TYPE)                                                                                           \
  {                                                                                                                    \
    .name = #NAME,                                                                                                     \
    .source = { .struct_bytes = sizeof(scan_op_source),                                                                \
                .text = NAME##_text,                                                                                   \
                .type = #TYPE,                                                                                         \
                .combine = #NAME "_combine",                                                                           \
                .value_bytes = sizeof(TYPE),                                                                           \
                .value_align = SCAN_OP_ALIGN(TYPE),                                                                    \
                .identity = &NAME##_identity,                                                                          \
                .host = NAME##_host },                                                                                 \
    .fill = fill_##NAME                                                                                                \
  }
static const struct operator_case own[] = { OPERATOR(bytes2, bytes2), OPERATOR(shorts2, shorts2),
                                            OPERATOR(single, float) };
enum { OWN = sizeof own / sizeof own[0] };

/* ---- what is scanned ---- */

struct subject {
  const char *name;
  const struct operator_case *source; /* NULL: built-in, the next three */
  scan_type type, input_type;
  scan_op_id op;
};
static const struct subject subjects[] = {
  { "digits", &operator_cases[5], SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT, SCAN_OP_NONE },
  { "bytes2", &own[0], SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT, SCAN_OP_NONE },
  { "shorts2", &own[1], SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT, SCAN_OP_NONE },
  { "single", &own[2], SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT, SCAN_OP_NONE },
  { "affine", &operator_cases[2], SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT, SCAN_OP_NONE },
  { "add_f32", NULL, SCAN_F32, SCAN_F32, SCAN_ADD },
  { "min_f32", NULL, SCAN_F32, SCAN_F32, SCAN_MIN },
  { "add_u8", NULL, SCAN_U8, SCAN_U8, SCAN_ADD },
  { "max_u8", NULL, SCAN_U8, SCAN_U8, SCAN_MAX },
  { "add_u64_u8", NULL, SCAN_U64, SCAN_U8, SCAN_ADD },
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static size_t value_bytes(const struct subject *s) {
  return s->source ? s->source->source.value_bytes : reference_bytes(s->type);
}
static size_t input_bytes(const struct subject *s) {
  return s->source ? s->source->source.value_bytes : reference_bytes(s->input_type);
}
static size_t align_of(const struct subject *s, size_t bytes) {
  return s->source ? s->source->source.value_align : bytes;
}

static void fill(const struct subject *s, uint64_t n, void *in) {
  if (s->source)
    s->source->fill(&bench.rng, n, in);
  else
    values_fill(&bench.rng, s->input_type, s->op, n, n, in);
}

static void expect(const struct subject *s, const scan_spec *spec, uint64_t n, const void *in, void *out) {
  if (!s->source) {
    reference_scan(spec, n, in, out);
    return;
  }
  const struct reference_operator reference = { value_bytes(s), s->source->source.host, 0, NULL };
  reference_operator_scan(&reference, spec->strategy == SCAN_STRATEGY_SEQUENTIAL, spec->kind,
                          spec->has_init ? spec->init_bytes : NULL, n, in, out);
}

/* ---- one scan ---- */

struct scan_case {
  uint64_t n;
  unsigned in_shift, out_shift; /* of what an element is aligned to */
  int in_place;
};

static void run_case(const struct subject *s, const scan_spec *spec, scan_plan *plan, const struct scan_case *c) {
  const size_t in_item = input_bytes(s), item = value_bytes(s);
  void *in = reference_alloc((size_t)c->n * in_item), *want = reference_alloc((size_t)c->n * item);
  fill(s, c->n, in);
  expect(s, spec, c->n, in, want);
  const struct span_scan one = { .in = in,
                                 .want = want,
                                 .in_bytes = (size_t)c->n * in_item,
                                 .want_bytes = (size_t)c->n * item,
                                 .in_shift = c->in_shift * align_of(s, in_item),
                                 .out_shift = c->out_shift * align_of(s, item),
                                 .in_place = c->in_place && in_item == item };
  const int64_t at = span_run(plan, c->n, &one);
  if (at != INT64_MIN)
    test_fail("%s, strategy %s, %s, n=%llu, shifts %u and %u%s: byte %lld of the output", s->name,
              scan_strategy_name(spec->strategy), spec->has_init ? "exclusive from init" : "inclusive",
              (unsigned long long)c->n, c->in_shift, c->out_shift, one.in_place ? ", in place" : "", (long long)at);
  free(in);
  free(want);
}

/* ---- many ---- */

/* Around the smallest tile, small tiles, large ones; of 8 bytes, whose tiles have the fewest elements, two groups. */
static size_t list_cases(const struct subject *s, int is_first, struct scan_case list[16]) {
  const uint64_t sub = reference_subtile_items(value_bytes(s));
  const uint64_t tile = sub * reference_most_subtiles(value_bytes(s)), large = 128 * sub;
  const struct scan_case first[] = { { 1, 0, 0, 0 },
                                     { sub + 3, 1, 2, 0 },
                                     { tile, 0, 0, 1 },
                                     { tile + 1, 0, 1, 0 },
                                     { large + 1, 0, 0, 0 },
                                     { large + tile + 5, 1, 0, 0 },
                                     { large + tile / 2 + 7, 3, 3, 1 },
                                     { 131 * tile + 3, 0, 0, 0 } };
  const struct scan_case second[] = { { 33, 2, 1, 0 },
                                      { 3 * tile + 17, 0, 3, 1 },
                                      { large + 2 * tile, 0, 0, 1 },
                                      { large + 2 * tile, 1, 3, 0 },
                                      { large + tile + 1, 2, 2, 1 },
                                      { large + tile, 0, 1, 0 },
                                      { large + tile - 1, 5, 2, 0 } };
  const size_t count = is_first ? sizeof first / sizeof first[0] : sizeof second / sizeof second[0];
  const int has_groups = is_first && value_bytes(s) == 8;
  memcpy(list, is_first ? first : second, count * sizeof *list);
  return is_first && !has_groups ? count - 1 : count;
}

static void run_plan(const struct subject *s, const scan_spec *spec, int is_first) {
  struct scan_case list[16];
  const size_t count = list_cases(s, is_first, list);
  scan_plan *plan = NULL;
  uint64_t max_n = 0;
  for (size_t i = 0; i < count; i++) max_n = list[i].n > max_n ? list[i].n : max_n;
  test_ok(test_ctx(), scan_plan_create(test_ctx(), spec, max_n, &plan), "scan_plan_create");
  for (size_t i = 0; i < count; i++) run_case(s, spec, plan, &list[i]);
  scan_plan_destroy(plan);
}

static void test_subject(void **state) {
  const struct subject *s = *state;
  _Alignas(64) unsigned char init[SCAN_OP_MOST_BYTES] = { 0 };
  scan_op *op = NULL;
  scan_spec spec = SCAN_SPEC_INIT(s->type, s->op, SCAN_INCLUSIVE);
  if (s->source) test_ok(test_ctx(), scan_op_create(test_ctx(), &s->source->source, &op), "scan_op_create");
  spec.input_type = s->input_type;
  spec.custom_op = op;
  spec.strategy = bench.strategy;
  run_plan(s, &spec, 1);
  spec.kind = SCAN_EXCLUSIVE;
  spec.has_init = 1;
  if (s->source) {
    s->source->fill(&bench.rng, 1, init);
    spec.init_bytes = init;
  } else {
    spec.init = values_init(&bench.rng, s->type, s->op);
  }
  run_plan(s, &spec, 0);
  scan_op_destroy(op);
}

static void choose_strategy(void) {
  const char *name = getenv("SCANRT_TEST_STRATEGY");
  if (name != NULL && scan_strategy_parse(name, &bench.strategy) != SCAN_SUCCESS) {
    print_error("SCANRT_TEST_STRATEGY: no strategy is called %s\n", name);
    exit(1);
  }
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE); /* for which there need not be an image */
  scan_plan *plan = NULL;
  spec.strategy = bench.strategy;
  const scan_status status = scan_plan_create(test_ctx(), &spec, 100, &plan);
  scan_plan_destroy(plan);
  if (status == SCAN_UNSUPPORTED)
    test_skip_program("strategy %s on %s: %s", scan_strategy_name(bench.strategy), test_selector(),
                      scan_last_error(test_ctx()));
}

/* $SCANRT_TEST_OPERATORS names some; else all from source. */
static int is_wanted(const struct subject *s) {
  const char *list = getenv("SCANRT_TEST_OPERATORS");
  if (list == NULL || list[0] == '\0') return s->source != NULL;
  for (; *list != '\0'; list += strcspn(list, ","), list += *list == ',')
    if (strcspn(list, ",") == strlen(s->name) && strncmp(list, s->name, strlen(s->name)) == 0) return 1;
  return 0;
}

int main(void) {
  struct CMUnitTest tests[SUBJECTS];
  size_t count = 0;
  test_device_open();
  choose_strategy();
  for (size_t i = 0; i < SUBJECTS; i++)
    if (is_wanted(&subjects[i]))
      tests[count++] =
          (struct CMUnitTest){ subjects[i].name, test_subject, test_count_setup, NULL, (void *)&subjects[i] };
  return test_exit(_cmocka_run_group_tests("tiles", tests, count, NULL, NULL));
}
