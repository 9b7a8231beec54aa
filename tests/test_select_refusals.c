/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in place, by predicates and into three: what is refused, in which words. */
#include <scanrt/scan_partition.h>
#include <scanrt/scan_select.h>

#include "support.h"

#include <string.h>

SCAN_OP_TEXT(
    text,
    typedef struct particle {
      uint32_t place;
      uint32_t kind;
      uint32_t mass;
    } particle;
    static inline int is_near(uint32_t before, uint32_t x, uint32_t apart) {
      return (before > x ? before - x : x - before) < apart;
    } static inline int is_odd(uint32_t x, uint64_t index) {
      (void)index;
      return x % 2 == 1;
    } static inline int is_below(particle x, uint64_t index, uint32_t bound) {
      (void)index;
      return x.place < bound;
    } static inline int is_heavy(particle x, uint64_t index) {
      (void)index;
      return x.mass % 2 == 1;
    });
SCAN_SAME_PARAMS_HOST(near_host, uint32_t, uint32_t, is_near);
SCAN_KEEP_HOST(odd_host, uint32_t, is_odd);
SCAN_KEEP_PARAMS_HOST(below_host, particle, uint32_t, is_below);
SCAN_KEEP_HOST(heavy_host, particle, is_heavy);

static struct { scan_mem in, out, count; } memory;
static scan_op *below, *heavy;

static scan_op *predicate_of(scan_predicate_source source, scan_keep_host *host) {
  scan_op *predicate = NULL;
  source.host = host;
  test_ok(test_ctx(), scan_predicate_create(test_ctx(), &source, &predicate), "scan_predicate_create");
  return predicate;
}

/* ---- in place ---- */

/* Outputs over inputs are refused without spec.in_place, one element beside the input, and over bits. */
static void test_in_place(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_BITS, 4);
  scan_select_args args = SCAN_SELECT_ARGS_INIT(memory.in, memory.out, memory.out, memory.count);
  (void)state;
  if (scan_select(ctx, &spec, 100, &args) != SCAN_INVALID_ARGUMENT) test_fail("in place without a word was taken");
  spec.in_place = 1;
  args.out[0] = scan_offset(memory.out, 4);
  if (scan_select(ctx, &spec, 100, &args) != SCAN_INVALID_ARGUMENT) test_fail("an output one element off was taken");
  args.out[0] = memory.out;
  args.marks = memory.out;
  if (scan_select(ctx, &spec, 100, &args) != SCAN_INVALID_ARGUMENT) test_fail("an output over bits was taken");
  spec = (scan_select_spec)SCAN_SELECT_INDEX_INIT(SCAN_SELECT_FLAGS, SCAN_U32);
  spec.in_place = 1;
  if (scan_select(ctx, &spec, 100, &args) != SCAN_INVALID_ARGUMENT) test_fail("indices in place were taken");
}

/* ---- predicates of two elements ---- */

static void not_selected(const scan_select_spec *spec, const scan_select_args *args, const char *words) {
  const scan_status status = scan_select(test_ctx(), spec, 10, args);
  if (status == SCAN_SUCCESS || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static void test_pairs(void **state) {
  const scan_predicate_source two = SCAN_PREDICATE_PAIR_PARAMS_INIT(text, uint32_t, is_near, uint32_t);
  const scan_predicate_source one = SCAN_PREDICATE_INIT(text, uint32_t, is_odd);
  scan_predicate_source wrong = SCAN_PREDICATE_PAIR_PARAMS_INIT(text, uint32_t, is_near, uint32_t);
  scan_op *near = predicate_of(two, near_host), *odd = predicate_of(one, odd_host), *none = NULL;
  const uint32_t apart = 1;
  uint32_t in[10] = { 0 }, out[10];
  scan_select_args args = { .struct_bytes = sizeof args, .in = { scan_host(in) }, .out = { scan_host(out) } };
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_PREDICATE, 4);
  (void)state;
  args.params = &apart;
  spec.predicate = near;
  not_selected(&spec, &args, "is_near is a predicate of two elements");
  spec.by = SCAN_SELECT_FIRST;
  spec.key_type = SCAN_U32;
  not_selected(&spec, &args, "set one or the other to 0");
  spec.key_type = 0;
  args.params = NULL;
  not_selected(&spec, &args, "is_near takes 4 bytes of parameters");
  spec.predicate = odd;
  not_selected(&spec, &args, "is_odd is a predicate of one element");
  spec.by = SCAN_SELECT_BITS;
  spec.predicate = near;
  not_selected(&spec, &args, "spec->by is not SCAN_SELECT_PREDICATE");
  wrong.is_pair = 2;
  if (scan_predicate_create(test_ctx(), &wrong, &none) != SCAN_INVALID_ARGUMENT) test_fail("is_pair of 2 was taken");
  scan_op_destroy(near), scan_op_destroy(odd);
}

/* ---- partition into three ---- */

static void not_parted(const scan_partition3_spec *spec, const scan_partition3_args *args, const char *words) {
  const scan_status status = scan_partition3(test_ctx(), spec, 100, args);
  if (status == SCAN_SUCCESS || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static scan_partition3_spec partition_spec(void) {
  scan_partition3_spec spec = SCAN_PARTITION3_SPEC_INIT(below, heavy, sizeof(particle));
  spec.element_align[0] = 4;
  return spec;
}

static void test_partition(void **state) {
  const uint32_t bound = 33;
  const scan_mem in = memory.in, out = memory.out;
  scan_partition3_spec spec = partition_spec();
  scan_partition3_args good =
      SCAN_PARTITION3_ARGS_INIT(in, out, scan_offset(out, 4096), scan_offset(out, 8192), scan_offset(out, 16384));
  scan_partition3_args args = good;
  (void)state;
  not_parted(&spec, &args, "args->params is NULL, and is_below takes 4 bytes");
  good.first_params = &bound;
  args = good;
  args.second[1] = scan_offset(out, 32768);
  not_parted(&spec, &args, "args->second[1] is given, and spec->arrays names fewer arrays");
  args = good;
  args.rest[0] = in;
  not_parted(&spec, &args, "args->in[0] and args->rest overlap");
  args = good;
  args.second[0] = scan_offset(out, 40);
  not_parted(&spec, &args, "args->first[0] and args->second[0] overlap");
  args = good;
  args.counts = scan_offset(out, 8192 - 16); /* the third count alone */
  not_parted(&spec, &args, "args->rest[0] and args->counts overlap");
  args = good;
  args.rest[0] = SCAN_NO_MEM;
  not_parted(&spec, &args, "args->rest[0]");
  spec.second = NULL;
  not_parted(&spec, &good, "spec->second is NULL");
  spec = partition_spec();
  spec.element_bytes[0] = 8;
  not_parted(&spec, &good, "what the predicate looks at, of 12 bytes");
  spec.struct_bytes = 0;
  not_parted(&spec, &good, "SCAN_PARTITION3_SPEC_INIT");
  not_parted(NULL, &good, "spec is NULL");
}

static void test_partition_plans(void **state) {
  scan_plan *plan = NULL;
  scan_select_args select = { .struct_bytes = sizeof select };
  scan_partition3_args args = { .struct_bytes = sizeof args };
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_partition3_spec spec = partition_spec();
  (void)state;
  test_ok(test_ctx(), scan_plan_create_partition3(test_ctx(), &spec, 100, &plan), "scan_plan_create_partition3");
  if (scan_plan_run_select(plan, 100, &select) != SCAN_INVALID_ARGUMENT ||
      strstr(scan_last_error(test_ctx()), "scan_plan_run_partition3") == NULL)
    test_fail("a partition's plan selected: %s", scan_last_error(test_ctx()));
  if (scan_plan_run_partition3(plan, 101, &args) != SCAN_INVALID_ARGUMENT) test_fail("n past max_n was taken");
  scan_plan *none = NULL;
  spec.element_bytes[0] = 8;
  if (scan_plan_create_partition3(test_ctx(), &spec, 100, &none) != SCAN_INVALID_ARGUMENT || none != NULL)
    test_fail("a plan is made for elements of 8 bytes and a predicate that looks at 12");
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  if (facts.launches < 4 || facts.max_n != 100) test_fail("the facts are wrong");
  scan_plan_destroy(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_in_place, test_count_setup),
    cmocka_unit_test_setup(test_pairs, test_count_setup),
    cmocka_unit_test_setup(test_partition, test_count_setup),
    cmocka_unit_test_setup(test_partition_plans, test_count_setup),
  };
  const scan_predicate_source of_place = SCAN_PREDICATE_PARAMS_INIT(text, particle, is_below, uint32_t);
  const scan_predicate_source of_mass = SCAN_PREDICATE_INIT(text, particle, is_heavy);
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, 1 << 16, &memory.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 1 << 16, &memory.out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 64, &memory.count), "scan_alloc");
  below = predicate_of(of_place, below_host);
  heavy = predicate_of(of_mass, heavy_host);
  return test_exit(cmocka_run_group_tests_name("select_refusals", tests, NULL, NULL));
}
