/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators from source over many tiles, few of each: elements of 1, 2, 4 and 8 bytes, not commutative, wherever input
 * and output begin; the last tile in part, more than one group of tiles. For the emulation of CUDA, where a tile takes
 * milliseconds. */
#include "operators.h"
#include "reference.h"
#include "spans.h"
#include "support.h"

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

/* ---- one scan ---- */

struct scan_case {
  uint64_t n;
  unsigned in_shift, out_shift; /* elements, or where an element is larger than its alignment that many bytes */
  int in_place;
};

static void expect(const struct operator_case *op, const scan_spec *spec, uint64_t n, const void *in, void *out) {
  const struct reference_operator reference = { op->source.value_bytes, op->source.host, 0 };
  reference_operator_scan(&reference, spec->strategy == SCAN_STRATEGY_SEQUENTIAL, spec->kind,
                          spec->has_init ? spec->init_bytes : NULL, n, in, out);
}

static void run_case(const struct operator_case *op, const scan_spec *spec, scan_plan *plan,
                     const struct scan_case *c) {
  const size_t bytes = (size_t)c->n * op->source.value_bytes, align = op->source.value_align;
  void *in = reference_alloc(bytes), *want = reference_alloc(bytes);
  op->fill(&bench.rng, c->n, in);
  expect(op, spec, c->n, in, want);
  const struct span_scan one = { .in = in,
                                 .want = want,
                                 .in_bytes = bytes,
                                 .want_bytes = bytes,
                                 .in_shift = c->in_shift * align,
                                 .out_shift = c->out_shift * align,
                                 .in_place = c->in_place };
  const int64_t at = span_run(plan, c->n, &one);
  if (at != INT64_MIN)
    test_fail("%s, strategy %s, %s, n=%llu, shifts %u and %u%s: byte %lld of the output", op->name,
              scan_strategy_name(spec->strategy), spec->has_init ? "exclusive from init" : "inclusive",
              (unsigned long long)c->n, c->in_shift, c->out_shift, c->in_place ? ", in place" : "", (long long)at);
  free(in);
  free(want);
}

/* ---- many ---- */

/* Around the smallest tile, small tiles, large ones; of 8 bytes, whose tiles have the fewest elements, two groups. */
static size_t list_cases(const struct operator_case *op, int is_first, struct scan_case list[16]) {
  const uint64_t sub = reference_subtile_items(op->source.value_bytes);
  const uint64_t tile = sub * reference_most_subtiles(op->source.value_bytes), large = 128 * sub;
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
                                      { large + tile, 0, 1, 0 },
                                      { large + tile - 1, 5, 2, 0 } };
  const size_t count = is_first ? sizeof first / sizeof first[0] : sizeof second / sizeof second[0];
  const int has_groups = is_first && op->source.value_bytes == 8;
  memcpy(list, is_first ? first : second, count * sizeof *list);
  return is_first && !has_groups ? count - 1 : count;
}

static void run_plan(const struct operator_case *op, const scan_spec *spec, int is_first) {
  struct scan_case list[16];
  const size_t count = list_cases(op, is_first, list);
  scan_plan *plan = NULL;
  uint64_t max_n = 0;
  for (size_t i = 0; i < count; i++) max_n = list[i].n > max_n ? list[i].n : max_n;
  test_ok(test_ctx(), scan_plan_create(test_ctx(), spec, max_n, &plan), "scan_plan_create");
  for (size_t i = 0; i < count; i++) run_case(op, spec, plan, &list[i]);
  scan_plan_destroy(plan);
}

static void test_operator(void **state) {
  const struct operator_case *one = *state;
  _Alignas(64) unsigned char init[SCAN_OP_MOST_BYTES];
  scan_op *op = NULL;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  test_ok(test_ctx(), scan_op_create(test_ctx(), &one->source, &op), "scan_op_create");
  spec.custom_op = op;
  spec.strategy = bench.strategy;
  run_plan(one, &spec, 1);
  one->fill(&bench.rng, 1, init);
  spec.kind = SCAN_EXCLUSIVE;
  spec.has_init = 1;
  spec.init_bytes = init;
  run_plan(one, &spec, 0);
  scan_op_destroy(op);
}

static void choose_strategy(void) {
  const char *name = getenv("SCANRT_TEST_STRATEGY");
  if (name != NULL && scan_strategy_parse(name, &bench.strategy) != SCAN_SUCCESS) {
    print_error("SCANRT_TEST_STRATEGY: no strategy is called %s\n", name);
    exit(1);
  }
  if (!operators_have(bench.strategy)) test_skip_program("no strategy %s on %s", name, test_selector());
}

/* $SCANRT_TEST_OPERATORS names some of them. */
static int is_wanted(const char *name) {
  const char *list = getenv("SCANRT_TEST_OPERATORS"), *at = list != NULL ? strstr(list, name) : name;
  return list == NULL || list[0] == '\0' ||
         (at != NULL && (at == list || at[-1] == ',') && strchr(",", at[strlen(name)]) != NULL);
}

int main(void) {
  const struct operator_case *all[] = { &operator_cases[5], &own[0], &own[1], &own[2], &operator_cases[2] };
  enum { ALL = sizeof all / sizeof all[0] };
  struct CMUnitTest tests[ALL];
  size_t count = 0;
  test_device_open();
  choose_strategy();
  for (size_t i = 0; i < ALL; i++)
    if (is_wanted(all[i]->name))
      tests[count++] = (struct CMUnitTest){ all[i]->name, test_operator, test_count_setup, NULL, (void *)all[i] };
  return test_exit(_cmocka_run_group_tests("tiles", tests, count, NULL, NULL));
}
