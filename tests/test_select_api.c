/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: what is refused, in which words, and what is told at the next wait. */
#include <scanrt/scan_select.h>

#include "support.h"

#include <string.h>

SCAN_OP_TEXT(
    even_text, static inline int is_even(uint32_t x, uint64_t index) {
      (void)index;
      return x % 2 == 0;
    });
SCAN_KEEP_HOST(even_host, uint32_t, is_even);

static struct { scan_mem in, out, count; } memory;

static void refused(const scan_select_spec *spec, uint64_t n, const scan_select_args *args, const char *words) {
  const scan_status status = scan_select(test_ctx(), spec, n, args);
  if (status == SCAN_SUCCESS || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static scan_select_args args_of(void) {
  return (scan_select_args)SCAN_SELECT_ARGS_INIT(memory.in, scan_offset(memory.in, 4096), memory.out, memory.count);
}

static void test_refused_specs(void **state) {
  const scan_select_args args = args_of();
  scan_select_args of_indices = args;
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  (void)state;
  refused(NULL, 100, &args, "spec is NULL");
  refused(&spec, 100, NULL, "args is NULL");
  spec.struct_bytes = 0;
  refused(&spec, 100, &args, "SCAN_SELECT_SPEC_INIT");
  spec = (scan_select_spec)SCAN_SELECT_SPEC_INIT(0, 4);
  refused(&spec, 100, &args, "spec->by is 0");
  spec = (scan_select_spec)SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 65);
  refused(&spec, 100, &args, "1 to 64 bytes");
  spec.element_bytes[0] = 12;
  spec.element_align[0] = 8;
  refused(&spec, 100, &args, "power of two that divides");
  spec = (scan_select_spec)SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  spec.flags = SCAN_BACKWARD | SCAN_N_FROM_CLAMP;
  refused(&spec, 100, &args, "spec->flags is 0x5: it is SCAN_N_FROM_CLAMP or 0");
  spec.flags = 0;
  spec.arrays = 9;
  refused(&spec, 100, &args, "spec->arrays is 9");
  spec.arrays = 1;
  spec.index_type = SCAN_U32;
  refused(&spec, 100, &args, "indices or arrays");
  spec.arrays = 0;
  spec.index_type = SCAN_I32;
  refused(&spec, 100, &args, "SCAN_U32 or SCAN_U64");
  spec.index_type = SCAN_U32;
  of_indices.in[0] = (scan_mem){ .kind = SCAN_MEM_NONE };
  refused(&spec, ((uint64_t)1 << 32) + 1, &of_indices, "take SCAN_U64");
  spec.key_type = SCAN_U32;
  refused(&spec, 100, &args, "names no keys");
  spec = (scan_select_spec)SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, 4);
  refused(&spec, 100, &args, "which is no type");
  spec.rest = 3;
  refused(&spec, 100, &args, "spec->rest is 3");
}

static void test_refused_predicates(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_select_args args = args_of();
  scan_predicate_source source = SCAN_PREDICATE_INIT(even_text, uint32_t, is_even);
  scan_op *even = NULL, *none = NULL;
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_PREDICATE, 4);
  scan_select_args more = args;
  scan_spec scan = { .struct_bytes = sizeof scan };
  (void)state;
  source.host = even_host;
  test_ok(ctx, scan_predicate_create(ctx, &source, &even), "scan_predicate_create");
  scan.custom_op = even;
  refused(&spec, 100, &args, "scan_predicate_create on the same one");
  spec.predicate = even;
  more.params = &more;
  refused(&spec, 100, &more, "args->params is given");
  spec.by = SCAN_SELECT_FLAGS;
  refused(&spec, 100, &args, "set one or the other");
  if (scan_run(ctx, &scan, 10, memory.in, memory.out) != SCAN_INVALID_ARGUMENT) test_fail("a predicate scanned");
  source.element_bytes = 65;
  if (scan_predicate_create(ctx, &source, &none) != SCAN_INVALID_ARGUMENT) test_fail("65 bytes were taken");
  source = (scan_predicate_source)SCAN_PREDICATE_INIT("int f(int x, uint64_t i) { return x", int32_t, f);
  if (test_info()->backend != SCAN_BACKEND_HOST && scan_predicate_create(ctx, &source, &none) != SCAN_BUILD_FAILED)
    test_fail("an open brace was taken");
  scan_op_destroy(even);
}

/* What nothing is asked of: it would be passed over. */
static void test_refused_unused(void **state) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_select_args args = args_of();
  (void)state;
  for (int rest = SCAN_REST_DROPPED; rest <= SCAN_REST_BEHIND; rest++) {
    spec.rest = (scan_select_rest)rest;
    args.rest[0] = scan_offset(memory.out, 4096);
    for (uint64_t n = 0; n <= 100; n += 100)
      refused(&spec, n, &args, "args->rest[0] is given, and spec->rest is not SCAN_REST_APART");
    args = args_of();
    args.rest_capacity = 1;
    refused(&spec, 100, &args, "args->rest_capacity is 1, and spec->rest is not SCAN_REST_APART");
    args = args_of();
  }
  args.in[1] = args.in[0];
  refused(&spec, 100, &args, "args->in[1] is given, and spec->arrays names fewer arrays");
  args = args_of();
  args.out[7] = scan_offset(memory.out, 4096);
  refused(&spec, 100, &args, "args->out[7] is given, and spec->arrays names fewer arrays");
  spec.rest = SCAN_REST_APART;
  args = args_of();
  args.rest[0] = scan_offset(memory.out, 4096);
  args.rest[1] = scan_offset(memory.out, 8192);
  refused(&spec, 100, &args, "args->rest[1] is given, and spec->arrays names fewer arrays");
  spec = (scan_select_spec)SCAN_SELECT_INDEX_INIT(SCAN_SELECT_FLAGS, SCAN_U32);
  args = args_of();
  refused(&spec, 100, &args, "args->in[0] is given, and spec->index_type asks for indices alone");
}

static void test_refused_memory(void **state) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_select_args args = args_of();
  (void)state;
  args.out[0] = args.in[0];
  refused(&spec, 100, &args, "args->out[0] and args->in[0] overlap");
  args.out[0] = args.marks;
  refused(&spec, 100, &args, "args->out[0] and args->marks overlap");
  args = args_of();
  args.count = scan_offset(args.out[0], 8);
  refused(&spec, 100, &args, "args->count and args->out[0] overlap");
  args = args_of();
  args.out[0] = scan_offset(args.out[0], 2);
  refused(&spec, 100, &args, "args->out[0] is not aligned to 4 bytes");
  spec.rest = SCAN_REST_APART;
  args = args_of();
  refused(&spec, 100, &args, "args->rest[0]");
  spec = (scan_select_spec)SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, 12);
  spec.key_type = SCAN_U32;
  args.marks = SCAN_NO_MEM;
  refused(&spec, 100, &args, "in[0] has the keys");
}

static void test_refused_plans(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  const scan_spec sum = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE); /* which the emulation has */
  const scan_select_args args = args_of();
  scan_plan *plan = NULL, *scans = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  (void)state;
  test_ok(ctx, scan_plan_create_select(ctx, &spec, 100, &plan), "scan_plan_create_select");
  test_ok(ctx, scan_plan_create(ctx, &sum, 100, &scans), "scan_plan_create");
  if (scan_plan_run_select(plan, 101, &args) != SCAN_INVALID_ARGUMENT) test_fail("n past max_n was taken");
  if (scan_plan_run_select(scans, 100, &args) != SCAN_INVALID_ARGUMENT) test_fail("a scan's plan was taken");
  if (scan_plan_run(plan, 100, memory.in, memory.out) != SCAN_INVALID_ARGUMENT ||
      strstr(scan_last_error(ctx), "scan_plan_run_select") == NULL)
    test_fail("a compaction's plan scanned: %s", scan_last_error(ctx));
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  const uint32_t launches = facts.strategy == SCAN_STRATEGY_AUTO ? 3 : 1;
  if (facts.launches != launches || facts.tiles != 1 || facts.work != 100) test_fail("the facts are wrong");
  scan_plan_destroy(plan);
  scan_plan_destroy(scans);
}

/* More elements than the call was given: told once, at the next wait, and what there is room for is right. */
static void test_excess(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_select_args args = args_of();
  const uint64_t n = 101;
  unsigned char flags[200];
  uint64_t count = 0;
  (void)state;
  memset(flags, 1, sizeof flags);
  args.n_from = scan_offset(memory.count, 8);
  test_ok(ctx, scan_write(ctx, args.n_from, &n, sizeof n), "scan_write");
  test_ok(ctx, scan_write(ctx, args.marks, flags, sizeof flags), "scan_write");
  for (int is_gone = 0; is_gone < 2; is_gone++) {
    scan_plan *plan = NULL;
    test_ok(ctx, scan_plan_create_select(ctx, &spec, 100, &plan), "scan_plan_create_select");
    test_ok(ctx, scan_plan_run_select(plan, 100, &args), "scan_plan_run_select");
    if (is_gone) scan_plan_destroy(plan);
    if (scan_sync(ctx) != SCAN_INVALID_ARGUMENT) test_fail("n past the plan's was not told");
    test_ok(ctx, scan_sync(ctx), "what was told is not told again");
    if (!is_gone) scan_plan_destroy(plan);
  }
  test_ok(ctx, scan_select(ctx, &spec, 100, &args), "scan_select");
  if (scan_sync(ctx) != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(ctx), "had 101 elements") == NULL)
    test_fail("n past the call's was not told: %s", scan_last_error(ctx));
  test_ok(ctx, scan_read(ctx, memory.count, &count, sizeof count), "scan_read");
  if (count != 100) test_fail("the count is %llu", (unsigned long long)count);
}

/* An output that is its input and has no room is not written: the elements stay, and the rest is copied from them. */
static void test_no_room_in_place(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, 4);
  scan_select_args args = { .struct_bytes = sizeof args, .capacity = SCAN_NO_CAPACITY, .count = memory.count };
  uint32_t keys[100], got[100];
  uint64_t count = 0;
  (void)state;
  for (uint32_t i = 0; i < 100; i++) keys[i] = i / 4;
  spec.key_type = SCAN_U32;
  spec.rest = SCAN_REST_APART;
  spec.in_place = 1;
  args.in[0] = args.out[0] = memory.in;
  args.rest[0] = memory.out;
  test_ok(ctx, scan_write(ctx, memory.in, keys, sizeof keys), "scan_write");
  test_ok(ctx, scan_select(ctx, &spec, 100, &args), "scan_select");
  test_ok(ctx, scan_read(ctx, memory.count, &count, sizeof count), "scan_read");
  test_ok(ctx, scan_read(ctx, memory.in, got, sizeof got), "scan_read");
  if (count != 25 || memcmp(got, keys, sizeof got) != 0) test_fail("the input changed, or %d are kept", (int)count);
  test_ok(ctx, scan_read(ctx, memory.out, got, sizeof got), "scan_read");
  for (uint32_t i = 0; i < 75; i++)
    if (got[i] != i / 3) test_fail("element %u of the rest is %u", i, got[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_refused_predicates, test_count_setup),
    cmocka_unit_test_setup(test_refused_specs, test_count_setup),
    cmocka_unit_test_setup(test_refused_memory, test_count_setup),
    cmocka_unit_test_setup(test_refused_unused, test_count_setup),
    cmocka_unit_test_setup(test_refused_plans, test_count_setup),
    cmocka_unit_test_setup(test_excess, test_count_setup),
    cmocka_unit_test_setup(test_no_room_in_place, test_count_setup),
  };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, 1 << 16, &memory.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 1 << 16, &memory.out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 64, &memory.count), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("select_api", tests, NULL, NULL));
}
