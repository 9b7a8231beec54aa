/* SPDX-License-Identifier: BSD-2-Clause */
/* Partition into three, against plain loops: by plans, by the call and over host memory; sizes around tiles, parts that
 * are empty, structs, several arrays, parameters, n from the device, bytes that say which; and what is refused. */
#include <scanrt/scan_partition.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "sides.h"
#include "support.h"
#include "values.h"

enum { TILE = 4096, MOST_N = 40 * TILE, MOST_BYTES = 24 << 20, PARTS = SCAN_PARTITION3_PARTS, ARRAYS = 2 };
enum { BY_PLAN, BY_CALL, ON_HOST, WAYS };

SCAN_OP_TEXT(
    parts_text,
    typedef struct particle {
      uint32_t place;
      uint32_t kind;
      uint32_t mass;
    } particle;
    static inline int is_below(particle x, uint64_t index, uint32_t bound) {
      (void)index;
      return x.place < bound;
    } static inline int is_odd(particle x, uint64_t index) {
      (void)index;
      return x.kind % 2 == 1;
    } static inline int is_zero(uint8_t x, uint64_t index) {
      (void)index;
      return x == 0;
    } static inline int is_one(uint8_t x, uint64_t index) {
      (void)index;
      return x == 1;
    } static inline int is_third(particle x, uint64_t index) {
      (void)x;
      return index % 3 == 0;
    });
SCAN_KEEP_PARAMS_HOST(below_host, particle, uint32_t, is_below);
SCAN_KEEP_HOST(odd_host, particle, is_odd);
SCAN_KEEP_HOST(third_host, particle, is_third);
SCAN_KEEP_HOST(zero_host, uint8_t, is_zero);
SCAN_KEEP_HOST(one_host, uint8_t, is_one);

static struct {
  struct rng rng;
  struct side in, out;
  unsigned char *want;
  scan_op *below, *odd, *third;
} bench = { .rng = { 0x3ba27 } };

/* What one partition is. The second array has elements of one byte. */
typedef struct cell {
  uint64_t n, n_from;
  uint32_t arrays, first_bound, second_bound;
  int how, has_n_from, no_counts;
  int n_is_count; /* 1 to 3: n_from is that one of the counts; 0: apart from them */
  uint64_t flags;
  scan_op *second; /* below, with its own bound, odd or third */
} cell;

static const uint32_t item_bytes[ARRAYS] = { sizeof(particle), 1 };

static scan_partition3_spec spec_of(const cell *c) {
  scan_partition3_spec spec = SCAN_PARTITION3_SPEC_INIT(bench.below, c->second, sizeof(particle));
  spec.element_align[0] = 4;
  spec.element_bytes[1] = 1;
  spec.arrays = c->arrays;
  spec.flags = c->flags;
  return spec;
}

static uint64_t items_of(const cell *c) { return c->has_n_from && c->n_from < c->n ? c->n_from : c->n; }

/* Which part an element belongs to; `others` are those before it that the first one has not. */
static int part_of(const cell *c, particle x, uint64_t index, uint64_t *others) {
  if (is_below(x, index, c->first_bound)) return 0;
  const uint64_t number = (*others)++;
  if (c->second == bench.below) return is_below(x, number, c->second_bound) ? 1 : 2;
  return (c->second == bench.odd ? is_odd(x, number) : is_third(x, number)) ? 1 : 2;
}

typedef struct layout {
  uint64_t in[ARRAYS], out[PARTS][ARRAYS], counts, n_from;
} layout;

static void lay_out(const cell *c, layout *at) {
  bench.in.used = bench.out.used = 0;
  at->n_from = side_take(&bench.in, 8, 8);
  at->counts = side_take(&bench.out, 8 * PARTS, 8);
  for (uint32_t a = 0; a < c->arrays; a++) {
    at->in[a] = side_take(&bench.in, c->n * item_bytes[a], 4);
    for (int p = 0; p < PARTS; p++) at->out[p][a] = side_take(&bench.out, c->n * item_bytes[a], 4);
  }
  for (uint64_t i = 0; i < c->n * sizeof(particle) / 4; i++) {
    const uint32_t number = (uint32_t)rng_below(&bench.rng, 100);
    memcpy(bench.in.image + at->in[0] + i * 4, &number, 4);
  }
  for (uint64_t i = 0; i < c->n && c->arrays > 1; i++) bench.in.image[at->in[1] + i] = (unsigned char)i;
  memcpy(bench.in.image + at->n_from, &c->n_from, 8);
}

/* Says what the outputs must hold; what is behind the second part is as `got` has it. */
static void expect(const cell *c, const layout *at, uint64_t counts[PARTS]) {
  uint64_t others = 0;
  memset(counts, 0, PARTS * sizeof counts[0]);
  for (uint64_t i = 0; i < items_of(c); i++) {
    particle x;
    memcpy(&x, bench.in.image + at->in[0] + i * sizeof x, sizeof x);
    const int part = part_of(c, x, i, &others);
    for (uint32_t a = 0; a < c->arrays; a++)
      memcpy(bench.want + at->out[part][a] + counts[part] * item_bytes[a],
             bench.in.image + at->in[a] + i * item_bytes[a], item_bytes[a]);
    counts[part]++;
  }
  if (!c->no_counts) memcpy(bench.want + at->counts, counts, PARTS * sizeof counts[0]);
}

static void name_memory(const cell *c, const layout *at, scan_partition3_args *args) {
  const int is_host = c->how == ON_HOST;
  for (uint32_t a = 0; a < c->arrays; a++) {
    args->in[a] = side_mem(&bench.in, is_host, at->in[a]);
    args->first[a] = side_mem(&bench.out, is_host, at->out[0][a]);
    args->second[a] = side_mem(&bench.out, is_host, at->out[1][a]);
    args->rest[a] = side_mem(&bench.out, is_host, at->out[2][a]);
  }
  if (!c->no_counts) args->counts = side_mem(&bench.out, is_host, at->counts);
  if (c->has_n_from) args->n_from = scan_offset(bench.in.memory, at->n_from);
  if (c->n_is_count == 0) return;
  args->counts = scan_offset(bench.out.memory, at->counts);
  args->n_from = scan_offset(args->counts, 8 * (uint64_t)(c->n_is_count - 1));
  test_ok(test_ctx(), scan_write(test_ctx(), args->n_from, &c->n_from, 8), "scan_write");
}

/* Counts in memory of the device, whose image here is that of the other outputs. */
static void check_counts(const cell *c, const layout *at, const uint64_t counts[PARTS]) {
  uint64_t found[PARTS];
  if (c->n_is_count == 0) return;
  test_ok(test_ctx(), scan_read(test_ctx(), scan_offset(bench.out.memory, at->counts), found, sizeof found),
          "scan_read");
  if (memcmp(found, counts, sizeof found) != 0) test_fail("n_from is count %d: the counts are wrong", c->n_is_count);
  if (c->how == ON_HOST) memcpy(bench.out.image + at->counts, found, sizeof found);
}

/* What nobody says anything of is taken as it came. */
static void forgive(const cell *c, const layout *at, const uint64_t counts[PARTS]) {
  unsigned char *got = bench.out.image;
  if (c->how != ON_HOST) {
    got = reference_alloc(bench.out.used);
    test_ok(test_ctx(), scan_read(test_ctx(), bench.out.memory, got, bench.out.used), "scan_read");
  }
  for (uint32_t a = 0; a < c->arrays; a++) {
    const uint64_t behind = at->out[1][a] + counts[1] * item_bytes[a];
    memcpy(bench.want + behind, got + behind, (counts[2] * item_bytes[a]));
  }
  if (c->how != ON_HOST) free(got);
}

static void check(const cell *c, scan_plan *plan) {
  const scan_partition3_spec spec = spec_of(c);
  scan_partition3_args args = { .struct_bytes = sizeof args, .first_params = &c->first_bound };
  layout at;
  uint64_t counts[PARTS], bad = 0;
  if (c->second == bench.below) args.second_params = &c->second_bound;
  lay_out(c, &at);
  memset(bench.out.image, SIDE_POISON, bench.out.used);
  memset(bench.want, SIDE_POISON, bench.out.used);
  expect(c, &at, counts);
  side_write(&bench.in, &bench.out);
  name_memory(c, &at, &args);
  test_ok(test_ctx(),
          c->how == BY_PLAN ? scan_plan_run_partition3(plan, c->n, &args)
                            : scan_partition3(test_ctx(), &spec, c->n, &args),
          "a partition");
  if (c->has_n_from) test_excess_report(test_is_excess(c->flags, c->n, c->n_from));
  check_counts(c, &at, counts);
  forgive(c, &at, counts);
  if (side_differs(&bench.out, c->how == ON_HOST, bench.want, &bad))
    test_fail("n=%llu, way %d, %u arrays, bounds %u and %u: byte %llu is wrong", (unsigned long long)c->n, c->how,
              c->arrays, c->first_bound, c->second_bound, (unsigned long long)bad);
  test_ran();
}

static scan_plan *plan_of(const cell *c, uint64_t max_n) {
  const scan_partition3_spec spec = spec_of(c);
  scan_plan *plan = NULL;
  test_ok(test_ctx(), scan_plan_create_partition3(test_ctx(), &spec, max_n, &plan), "scan_plan_create_partition3");
  return plan;
}

static void test_sizes(void **state) {
  static const uint64_t sizes[] = { 0, 1, 2, 31, 32, 33, 100, TILE - 1, TILE, TILE + 1, 3 * TILE + 33, MOST_N };
  const size_t most = test_is_small() ? 10 : sizeof sizes / sizeof sizes[0];
  cell c = { .arrays = 1, .first_bound = 33, .second_bound = 66, .second = bench.below };
  scan_plan *plan = plan_of(&c, MOST_N);
  (void)state;
  for (c.how = BY_PLAN; c.how < WAYS; c.how++)
    for (size_t i = 0; i < most; i++) {
      c.n = sizes[i];
      check(&c, plan);
      c.no_counts = !c.no_counts;
    }
  scan_plan_destroy(plan);
}

/* Parts without elements: all first, none first and all second, all rest. */
static void test_empty_parts(void **state) {
  static const uint32_t bounds[][2] = { { 100, 100 }, { 0, 100 }, { 0, 0 }, { 50, 50 }, { 50, 100 }, { 1, 2 } };
  cell c = { .n = 2 * TILE + 5, .arrays = ARRAYS, .second = bench.below };
  scan_plan *plan = plan_of(&c, c.n);
  (void)state;
  for (c.how = BY_PLAN; c.how < WAYS; c.how++)
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
      c.first_bound = bounds[i][0];
      c.second_bound = bounds[i][1];
      check(&c, plan);
    }
  scan_plan_destroy(plan);
}

/* Another predicate, and one that looks at the number of an element among those that the first one has left. */
static void test_predicates(void **state) {
  scan_op *const second[] = { bench.odd, bench.third };
  (void)state;
  for (int s = 0; s < 2; s++) {
    cell c = { .n = TILE + 700, .arrays = ARRAYS, .first_bound = 40, .second = second[s] };
    scan_plan *plan = plan_of(&c, c.n);
    for (c.how = BY_PLAN; c.how < WAYS; c.how++) check(&c, plan);
    scan_plan_destroy(plan);
  }
}

/* n_from apart from the counts, and each of them; above n, too. */
static void check_n_from(cell c) {
  static const uint64_t items[] = { 0, 1, 31, TILE, TILE + 1, 2 * TILE + 9, 2 * TILE + 10, UINT64_MAX };
  scan_plan *plan = plan_of(&c, c.n);
  for (c.how = BY_PLAN; c.how < WAYS; c.how++)
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
      c.n_from = items[i];
      c.n_is_count = (int)(i + (size_t)c.how) % 4;
      check(&c, plan);
    }
  scan_plan_destroy(plan);
}

static void test_n_from(void **state) {
  cell c = { .n = 2 * TILE + 9, .arrays = 1, .first_bound = 20, .second_bound = 70, .second = bench.below };
  (void)state;
  c.has_n_from = 1;
  check_n_from(c);
  c.flags = SCAN_N_FROM_CLAMP;
  check_n_from(c);
}

static scan_op *predicate_of(scan_predicate_source source, scan_keep_host *host) {
  scan_op *predicate = NULL;
  source.host = host;
  test_ok(test_ctx(), scan_predicate_create(test_ctx(), &source, &predicate), "scan_predicate_create");
  return predicate;
}

/* Bytes say which part an element belongs to: they are array 0, and the elements, of 4 bytes, go with them. */
static void check_by_bytes(scan_op *zero, scan_op *one, uint64_t n) {
  static const uint64_t part_at[PARTS] = { 0, 1 << 20, 2 << 20 }, elements_at = 512 << 10, counts_at = 3 << 20;
  scan_partition3_spec spec = SCAN_PARTITION3_SPEC_INIT(zero, one, 1);
  scan_partition3_args args = { .struct_bytes = sizeof args, .counts = scan_offset(bench.out.memory, counts_at) };
  scan_mem *const outputs[PARTS] = { args.first, args.second, args.rest };
  uint64_t counts[PARTS] = { 0 };
  spec.arrays = 2;
  spec.element_bytes[1] = 4;
  bench.in.used = bench.out.used = 4 << 20;
  for (uint64_t i = 0; i < n; i++) {
    const uint32_t number = (uint32_t)i;
    const unsigned char part = (unsigned char)rng_below(&bench.rng, PARTS);
    bench.in.image[i] = part;
    memcpy(bench.in.image + elements_at + i * 4, &number, 4);
    bench.want[part_at[part] + counts[part]] = part;
    memcpy(bench.want + part_at[part] + elements_at + counts[part]++ * 4, &number, 4);
  }
  args.in[0] = bench.in.memory, args.in[1] = scan_offset(bench.in.memory, elements_at);
  for (int p = 0; p < PARTS; p++)
    for (int a = 0; a < ARRAYS; a++) outputs[p][a] = scan_offset(bench.out.memory, part_at[p] + (a ? elements_at : 0));
  side_write(&bench.in, &bench.out);
  test_ok(test_ctx(), scan_partition3(test_ctx(), &spec, n, &args), "scan_partition3");
  test_ok(test_ctx(), scan_read(test_ctx(), bench.out.memory, bench.out.image, bench.out.used), "scan_read");
  if (memcmp(bench.out.image + counts_at, counts, sizeof counts) != 0) test_fail("by bytes, n=%d: counts", (int)n);
  for (int p = 0; p < PARTS; p++)
    if (memcmp(bench.out.image + part_at[p], bench.want + part_at[p], counts[p]) != 0 ||
        memcmp(bench.out.image + part_at[p] + elements_at, bench.want + part_at[p] + elements_at, counts[p] * 4) != 0)
      test_fail("by bytes, n=%d: part %d", (int)n, p);
  test_ran();
}

static void test_by_bytes(void **state) {
  const scan_predicate_source zero = SCAN_PREDICATE_INIT(parts_text, uint8_t, is_zero);
  const scan_predicate_source one = SCAN_PREDICATE_INIT(parts_text, uint8_t, is_one);
  scan_op *first = predicate_of(zero, zero_host), *second = predicate_of(one, one_host);
  (void)state;
  for (uint64_t n = 1; n <= 2 * TILE + 50; n = n * 3 + 1) check_by_bytes(first, second, n);
  scan_op_destroy(first);
  scan_op_destroy(second);
}

static void refused(const scan_partition3_spec *spec, const scan_partition3_args *args, const char *words) {
  const scan_status status = scan_partition3(test_ctx(), spec, 100, args);
  if (status == SCAN_SUCCESS || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static void test_refused(void **state) {
  const cell c = { .n = 100, .arrays = 1, .second = bench.odd };
  const scan_mem in = bench.in.memory, out = bench.out.memory;
  scan_partition3_spec spec = spec_of(&c);
  scan_partition3_args good =
      SCAN_PARTITION3_ARGS_INIT(in, out, scan_offset(out, 4096), scan_offset(out, 8192), scan_offset(out, 16384));
  scan_partition3_args args = good;
  (void)state;
  refused(&spec, &args, "args->params is NULL, and is_below takes 4 bytes");
  good.first_params = &c.first_bound;
  args = good;
  args.second[1] = scan_offset(out, 32768);
  refused(&spec, &args, "args->second[1] is given, and spec->arrays names fewer arrays");
  args = good;
  args.rest[0] = in;
  refused(&spec, &args, "args->in[0] and args->rest overlap");
  args = good;
  args.second[0] = scan_offset(out, 40);
  refused(&spec, &args, "args->first[0] and args->second[0] overlap");
  args = good;
  args.counts = scan_offset(out, 8192 - 16); /* the third count alone */
  refused(&spec, &args, "args->rest[0] and args->counts overlap");
  args = good;
  args.rest[0] = SCAN_NO_MEM;
  refused(&spec, &args, "args->rest[0]");
  spec.second = NULL;
  refused(&spec, &good, "spec->second is NULL");
  spec = spec_of(&c);
  spec.element_bytes[0] = 8;
  refused(&spec, &good, "what the predicate looks at, of 12 bytes");
  spec.struct_bytes = 0;
  refused(&spec, &good, "SCAN_PARTITION3_SPEC_INIT");
  refused(NULL, &good, "spec is NULL");
}

static void test_refused_plans(void **state) {
  const cell c = { .n = 100, .arrays = 1, .second = bench.odd };
  scan_plan *plan = plan_of(&c, 100);
  scan_select_args select = { .struct_bytes = sizeof select };
  scan_partition3_args args = { .struct_bytes = sizeof args };
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  (void)state;
  if (scan_plan_run_select(plan, 100, &select) != SCAN_INVALID_ARGUMENT ||
      strstr(scan_last_error(test_ctx()), "scan_plan_run_partition3") == NULL)
    test_fail("a partition's plan selected: %s", scan_last_error(test_ctx()));
  if (scan_plan_run_partition3(plan, 101, &args) != SCAN_INVALID_ARGUMENT) test_fail("n past max_n was taken");
  scan_partition3_spec spec = spec_of(&c);
  scan_plan *none = NULL;
  spec.element_bytes[0] = 8;
  if (scan_plan_create_partition3(test_ctx(), &spec, 100, &none) != SCAN_INVALID_ARGUMENT || none != NULL)
    test_fail("a plan is made for elements of 8 bytes and a predicate that looks at 12");
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  if (facts.launches < 4 || facts.max_n != 100) test_fail("the facts are wrong");
  scan_plan_destroy(plan);
  test_ran();
}

static void open_bench(void) {
  const scan_predicate_source below = SCAN_PREDICATE_PARAMS_INIT(parts_text, particle, is_below, uint32_t);
  const scan_predicate_source odd = SCAN_PREDICATE_INIT(parts_text, particle, is_odd);
  const scan_predicate_source third = SCAN_PREDICATE_INIT(parts_text, particle, is_third);
  (void)test_device_open();
  side_open(&bench.in, MOST_BYTES);
  side_open(&bench.out, MOST_BYTES);
  bench.want = reference_alloc(MOST_BYTES);
  bench.below = predicate_of(below, below_host);
  bench.odd = predicate_of(odd, odd_host);
  bench.third = predicate_of(third, third_host);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_sizes),        cmocka_unit_test(test_empty_parts),
                                      cmocka_unit_test(test_predicates),   cmocka_unit_test(test_n_from),
                                      cmocka_unit_test(test_by_bytes),     cmocka_unit_test(test_refused),
                                      cmocka_unit_test(test_refused_plans) };
  open_bench();
  return test_exit(cmocka_run_group_tests_name("partition", tests, NULL, NULL));
}
