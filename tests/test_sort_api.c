/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts: what is refused, in which words, and what is told at the next wait; memory of both kinds, and a chain. */
#include <scanrt/scan_opencl.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>

#include "support.h"

#include <string.h>

enum { N = 100, PART = 4096, BYTES = 1 << 16, POISON = 0xA5 };

static struct { scan_mem in, out, count; } memory;

static void said(scan_status status, const char *words) {
  if (status != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static void refused(const scan_sort_spec *spec, uint64_t n, const scan_sort_args *args, const char *words) {
  said(scan_sort(test_ctx(), spec, n, args), words);
}

static scan_mem in_at(uint64_t part) { return scan_offset(memory.in, part * PART); }
static scan_mem out_at(uint64_t part) { return scan_offset(memory.out, part * PART); }

static scan_sort_args keys_args(void) { return (scan_sort_args)SCAN_SORT_ARGS_INIT(in_at(0), out_at(0)); }
static scan_sort_args pairs_args(void) {
  return (scan_sort_args)SCAN_SORT_PAIRS_ARGS_INIT(in_at(0), out_at(0), in_at(1), out_at(1));
}
static scan_sort_args index_args(void) { return (scan_sort_args)SCAN_SORT_INDEX_ARGS_INIT(in_at(0), out_at(1)); }

/* ---- refusals ---- */

/* What nothing is asked of: it would be passed over. */
static void test_refused_unused(void **state) {
  const scan_sort_spec keys = SCAN_SORT_SPEC_INIT(SCAN_U32), indices = SCAN_SORT_INDEX_INIT(SCAN_U32, SCAN_U32);
  scan_sort_args args = pairs_args();
  (void)state;
  refused(&keys, N, &args, "args->in[0] is given, and spec->arrays names fewer arrays");
  args.in[0] = (scan_mem){ .kind = SCAN_MEM_NONE };
  refused(&keys, N, &args, "args->out[0] is given, and spec->arrays names fewer arrays");
  refused(&keys, 0, &args, "args->out[0] is given");
  args = index_args();
  args.in[0] = in_at(1);
  refused(&indices, N, &args, "args->in[0] is given, and spec->index_type asks for indices alone");
  args = index_args();
  args.out[1] = out_at(0);
  refused(&indices, N, &args, "args->out[1] is given, and spec->index_type asks for indices alone");
}

static void test_refused_keys(void **state) {
  const scan_sort_args args = keys_args();
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  (void)state;
  refused(NULL, N, &args, "spec is NULL");
  refused(&spec, N, NULL, "args is NULL");
  spec.struct_bytes = 0;
  refused(&spec, N, &args, "SCAN_SORT_SPEC_INIT");
  spec.struct_bytes = sizeof spec + 8;
  refused(&spec, N, &args, "spec");
  spec = (scan_sort_spec)SCAN_SORT_SPEC_INIT(SCAN_TYPE_DEFAULT);
  refused(&spec, N, &args, "spec->key_type is 0");
  spec.key_type = (scan_type)(SCAN_BF16 + 1);
  refused(&spec, N, &args, "spec->key_type is 13");
  spec = (scan_sort_spec)SCAN_SORT_SPEC_INIT(SCAN_U32);
  spec.descending = 2;
  refused(&spec, N, &args, "spec->descending is 2");
  spec.descending = 0;
  spec.drops_keys = 2;
  refused(&spec, N, &args, "spec->drops_keys is 2");
  spec.drops_keys = 1; /* and nothing goes with them */
  refused(&spec, N, &args, "spec->drops_keys is 1");
  spec.drops_keys = 0;
  spec.in_place = 2;
  refused(&spec, N, &args, "spec->in_place is 2");
}

static void test_refused_bits(void **state) {
  static const struct {
    scan_type type;
    uint32_t first_bit, end_bit;
    const char *words;
  } cases[] = { { SCAN_U32, 8, 8, "spec->first_bit is 8" },   { SCAN_U32, 9, 8, "spec->first_bit is 9" },
                { SCAN_U32, 32, 0, "spec->first_bit is 32" }, { SCAN_U32, 0, 33, "spec->end_bit is 33" },
                { SCAN_U8, 0, 9, "spec->end_bit is 9" },      { SCAN_F16, 16, 0, "spec->first_bit is 16" },
                { SCAN_I64, 0, 65, "spec->end_bit is 65" },   { SCAN_I64, 64, 64, "spec->first_bit is 64" } };
  const scan_sort_args args = keys_args();
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    scan_sort_spec spec = SCAN_SORT_SPEC_INIT(cases[i].type);
    spec.first_bit = cases[i].first_bit;
    spec.end_bit = cases[i].end_bit;
    refused(&spec, N, &args, cases[i].words);
  }
}

static void test_refused_order(void **state) {
  const scan_sort_args args = keys_args();
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_F32);
  (void)state;
  spec.order = 2;
  refused(&spec, N, &args, "spec->order is 2");
  spec.order = UINT64_C(1) << 32;
  refused(&spec, N, &args, "spec->order is 4294967296");
  spec.order = SCAN_SORT_NUMERIC_ORDER;
  spec.first_bit = 8;
  refused(&spec, N, &args, "by all its 32 bits");
  spec.first_bit = 0;
  spec.end_bit = 31;
  refused(&spec, N, &args, "spec->end_bit 31");
  spec.end_bit = 32; /* all of them */
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, N, &args), "scan_sort");
  spec = (scan_sort_spec)SCAN_SORT_SPEC_INIT(SCAN_U32); /* which have one order */
  spec.order = SCAN_SORT_NUMERIC_ORDER;
  spec.first_bit = 8;
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, N, &args), "scan_sort");
}

static void test_refused_arrays(void **state) {
  const scan_sort_args pairs = pairs_args(), indices = index_args();
  scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(SCAN_U32, 0);
  (void)state;
  refused(&spec, N, &pairs, "spec->element_bytes[0] is 0");
  spec.element_bytes[0] = 65;
  refused(&spec, N, &pairs, "1 to 64 bytes");
  spec.element_bytes[0] = 12;
  spec.element_align[0] = 8;
  refused(&spec, N, &pairs, "power of two that divides");
  spec.element_align[0] = 3;
  refused(&spec, N, &pairs, "spec->element_align[0] is 3");
  spec.element_align[0] = 0;
  spec.arrays = 2;
  refused(&spec, N, &pairs, "spec->element_bytes[1] is 0");
  spec.arrays = 9;
  refused(&spec, N, &pairs, "spec->arrays is 9");
  spec = (scan_sort_spec)SCAN_SORT_INDEX_INIT(SCAN_U32, SCAN_I32);
  refused(&spec, N, &indices, "SCAN_U32 or SCAN_U64");
  spec.index_type = SCAN_F64;
  refused(&spec, N, &indices, "spec->index_type is 10");
  spec.index_type = SCAN_U32;
  refused(&spec, (UINT64_C(1) << 32) + 1, &indices, "SCAN_U64");
  spec.arrays = 1;
  spec.element_bytes[0] = 4;
  refused(&spec, N, &indices, "spec->index_type");
}

static void test_refused_memory(void **state) {
  scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(SCAN_U32, 8);
  scan_sort_args args = pairs_args();
  (void)state;
  args.keys_in = SCAN_NO_MEM;
  refused(&spec, N, &args, "args->keys_in");
  args = pairs_args();
  args.keys_out = SCAN_NO_MEM;
  refused(&spec, N, &args, "args->keys_out");
  args = pairs_args();
  args.in[0] = SCAN_NO_MEM;
  refused(&spec, N, &args, "args->in[0]");
  args = pairs_args();
  args.out[0] = SCAN_NO_MEM;
  refused(&spec, N, &args, "args->out[0]");
  args = pairs_args();
  args.keys_in = scan_offset(args.keys_in, 2);
  refused(&spec, N, &args, "args->keys_in is not aligned to 4 bytes");
  args = pairs_args();
  args.keys_out = scan_offset(args.keys_out, 1);
  refused(&spec, N, &args, "args->keys_out is not aligned to 4 bytes");
  args = pairs_args();
  args.in[0] = scan_offset(args.in[0], 4);
  refused(&spec, N, &args, "args->in[0] is not aligned to 8 bytes");
  args = pairs_args();
  args.out[0] = scan_offset(args.out[0], 4);
  refused(&spec, N, &args, "args->out[0] is not aligned to 8 bytes");
  args = pairs_args();
  refused(&spec, BYTES, &args, "is too small");
  args.n_from = scan_offset(memory.count, 4);
  refused(&spec, N, &args, "args->n_from is not aligned to 8 bytes");
  args.struct_bytes = 0;
  refused(&spec, N, &args, "SCAN_SORT_ARGS_INIT");
}

static void test_refused_indices(void **state) {
  scan_sort_spec spec = SCAN_SORT_INDEX_INIT(SCAN_U32, SCAN_U64);
  scan_sort_args args = index_args();
  (void)state;
  args.keys_out = out_at(0);
  refused(&spec, N, &args, "args->keys_out");
  spec.drops_keys = 0;
  args = index_args();
  refused(&spec, N, &args, "args->keys_out");
  args.keys_out = out_at(0);
  args.out[0] = scan_offset(args.out[0], 4);
  refused(&spec, N, &args, "args->out[0] is not aligned to 8 bytes");
  args.out[0] = args.keys_out;
  refused(&spec, N, &args, "overlap");
  args.out[0] = args.keys_in;
  refused(&spec, N, &args, "overlap");
  spec.in_place = 1; /* of keys alone */
  refused(&spec, N, &args, "overlap");
}

static void test_refused_overlaps(void **state) {
  scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(SCAN_U32, 4);
  (void)state;
  for (spec.in_place = 0; spec.in_place < 2; spec.in_place++) {
    scan_sort_args args = pairs_args();
    args.keys_out = spec.in_place ? scan_offset(args.keys_in, 4) : args.keys_in;
    refused(&spec, N, &args, "args->keys_out and args->keys_in overlap");
    args = pairs_args();
    args.out[0] = spec.in_place ? scan_offset(args.in[0], 4 * (N - 1)) : args.in[0];
    refused(&spec, N, &args, "args->out[0] and args->in[0] overlap");
    args = pairs_args();
    args.out[0] = args.keys_in;
    refused(&spec, N, &args, "overlap");
    args = pairs_args();
    args.keys_out = args.in[0];
    refused(&spec, N, &args, "overlap");
    args = pairs_args();
    args.out[0] = scan_offset(args.keys_out, 4);
    refused(&spec, N, &args, "overlap");
    args = pairs_args();
    args.n_from = args.out[0];
    refused(&spec, N, &args, "overlap");
  }
  spec.in_place = 1;
  spec.arrays = 2;
  spec.element_bytes[1] = 4;
  scan_sort_args args = pairs_args();
  args.in[1] = in_at(2), args.out[1] = args.in[0];
  refused(&spec, N, &args, "overlap");
}

/* What is said of events where there is no OpenCL; and there an empty list is none. */
static void test_events(void **state) {
  const scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_sort_args args = keys_args();
  (void)state;
  args.opencl = &events;
  if (test_info()->backend == SCAN_BACKEND_OPENCL)
    test_ok(test_ctx(), scan_sort(test_ctx(), &spec, N, &args), "scan_sort");
  else
    refused(&spec, N, &args, "not on OpenCL");
}

/* ---- plans ---- */

/* Each kind of plan has calls of its own. */
static void test_refused_plans(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_U32);
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  const scan_spec sum = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE); /* which the emulation has */
  const scan_sort_args args = keys_args();
  const scan_select_args selected = SCAN_SELECT_ARGS_INIT(in_at(1), in_at(0), out_at(0), memory.count);
  scan_plan *sorts = NULL, *selects = NULL, *scans = NULL;
  (void)state;
  test_ok(ctx, scan_plan_create_sort(ctx, &sort, N, &sorts), "scan_plan_create_sort");
  test_ok(ctx, scan_plan_create_select(ctx, &select, N, &selects), "scan_plan_create_select");
  test_ok(ctx, scan_plan_create(ctx, &sum, N, &scans), "scan_plan_create");
  said(scan_plan_run_sort(sorts, N + 1, &args), "n is 101");
  said(scan_plan_run_sort(sorts, N, NULL), "args is NULL");
  said(scan_plan_run_sort(selects, N, &args), "scan_plan_run_sort: the plan was");
  said(scan_plan_run_sort(scans, N, &args), "scan_plan_run_sort: the plan was");
  said(scan_plan_run_select(sorts, N, &selected), "scan_plan_run_select: the plan was");
  said(scan_plan_run(sorts, N, in_at(0), out_at(0)), "scan_plan_run_sort");
  said(scan_plan_create_sort(ctx, &sort, N, NULL), "plan is NULL");
  said(scan_plan_create_sort(ctx, NULL, N, &sorts), "spec is NULL");
  if (scan_plan_run_sort(NULL, N, &args) != SCAN_INVALID_ARGUMENT) test_fail("no plan was taken");
  scan_plan_destroy(sorts);
  scan_plan_destroy(selects);
  scan_plan_destroy(scans);
}

static void test_facts(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_plan *plan = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  (void)state;
  test_ok(ctx, scan_plan_create_sort(ctx, &spec, 50000, &plan), "scan_plan_create_sort");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  if (facts.work != 50000 || facts.max_n != 50000 || facts.launches == 0)
    test_fail("work %llu, max_n %llu, %u launches", (unsigned long long)facts.work, (unsigned long long)facts.max_n,
              facts.launches);
  scan_plan_destroy(plan);
}

/* Plans take memory of the device alone, which on the host is any. */
static void test_host_memory(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U16);
  const uint16_t keys[4] = { 3, 1, 65535, 0 };
  uint16_t sorted[4] = { 0 };
  scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(keys), scan_host(sorted));
  scan_plan *plan = NULL;
  (void)state;
  test_ok(ctx, scan_plan_create_sort(ctx, &spec, 4, &plan), "scan_plan_create_sort");
  if (test_info()->backend == SCAN_BACKEND_HOST) {
    test_ok(ctx, scan_plan_run_sort(plan, 4, &args), "scan_plan_run_sort");
    if (sorted[0] != 0 || sorted[3] != 65535) test_fail("a plan sorts otherwise");
  } else {
    said(scan_plan_run_sort(plan, 4, &args), "args->keys_in");
    args.keys_in = in_at(0);
    said(scan_plan_run_sort(plan, 4, &args), "args->keys_out");
    args.keys_out = out_at(0);
    args.n_from = scan_host(keys);
    said(scan_plan_run_sort(plan, 4, &args), "args->n_from");
  }
  scan_plan_destroy(plan);
}

/* ---- what is done ---- */

/* Keys in the host's memory, elements in the device's, and so on: each memory by the bit of its own. */
static void test_mixed_memory(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(SCAN_I32, 4);
  int32_t in[2][N], out[2][N];
  (void)state;
  for (int32_t i = 0; i < N; i++) in[0][i] = 50 - i * 37 % N, in[1][i] = i;
  for (uint32_t on_host = 0; on_host < 16; on_host++) {
    scan_sort_args args = pairs_args();
    memset(out, POISON, sizeof out);
    for (uint32_t part = 0; part < 2; part++)
      test_ok(ctx, scan_write(ctx, in_at(part), in[part], sizeof in[part]), "scan_write");
    if (on_host & 1) args.keys_in = scan_host(in[0]);
    if (on_host & 2) args.in[0] = scan_host(in[1]);
    if (on_host & 4) args.keys_out = scan_host(out[0]);
    if (on_host & 8) args.out[0] = scan_host(out[1]);
    test_ok(ctx, scan_sort(ctx, &spec, N, &args), "scan_sort");
    for (uint32_t part = 0; part < 2; part++)
      if ((on_host & 4u << part) == 0)
        test_ok(ctx, scan_read(ctx, out_at(part), out[part], sizeof out[part]), "scan_read");
    for (int32_t i = 0; i < N; i++)
      if (out[0][i] != i - N / 2 + 1 || in[0][out[1][i]] != out[0][i])
        test_fail("on the host %x: element %d is %d of %d", on_host, i, out[0][i], out[1][i]);
  }
}

/* A struct from scan_sort_spec_init and scan_sort_args_init is the same as by the macros. */
static void test_init(void **state) {
  const uint8_t keys[5] = { 9, 200, 0, 9, 1 };
  uint8_t sorted[5] = { 0 };
  const uint8_t want[5] = { 0, 1, 9, 9, 200 };
  scan_sort_spec spec;
  scan_sort_args args;
  (void)state;
  memset(&spec, POISON, sizeof spec);
  memset(&args, POISON, sizeof args);
  scan_sort_spec_init(&spec, sizeof spec);
  scan_sort_args_init(&args, sizeof args);
  spec.key_type = SCAN_U8;
  args.keys_in = scan_host(keys);
  args.keys_out = scan_host(sorted);
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, 0, &args), "scan_sort of nothing");
  if (sorted[4] != 0) test_fail("a sort of nothing wrote");
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, 5, &args), "scan_sort");
  if (memcmp(sorted, want, sizeof want) != 0) test_fail("the keys are not sorted");
}

static void write_descending(scan_mem to, uint32_t n) {
  uint32_t keys[2 * N];
  for (uint32_t i = 0; i < n; i++) keys[i] = n - i;
  test_ok(test_ctx(), scan_write(test_ctx(), to, keys, n * sizeof keys[0]), "scan_write");
}

static void poison_out(uint32_t words[2 * N]) {
  memset(words, POISON, 2 * N * sizeof words[0]);
  test_ok(test_ctx(), scan_write(test_ctx(), out_at(0), words, 2 * N * sizeof words[0]), "scan_write");
}

/* The call's n keys are sorted, and nothing past them changed. */
static void check_excess(scan_status told) {
  uint32_t out[2 * N], poison = 0;
  said(told, "had 101 elements");
  test_ok(test_ctx(), scan_sync(test_ctx()), "what was told is not told again");
  test_ok(test_ctx(), scan_read(test_ctx(), out_at(0), out, sizeof out), "scan_read");
  memset(&poison, POISON, sizeof poison);
  for (uint32_t i = 0; i < 2 * N; i++)
    if (out[i] != (i < N ? N + 1 + i : poison)) test_fail("key %u is %u", i, out[i]);
}

/* More keys than the call was given: told once, at the next wait, also where the plan has gone. */
static void test_excess(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  const uint64_t n = N + 1;
  uint32_t words[2 * N];
  scan_sort_args args = keys_args();
  (void)state;
  args.n_from = memory.count;
  test_ok(ctx, scan_write(ctx, args.n_from, &n, sizeof n), "scan_write");
  write_descending(args.keys_in, 2 * N);
  for (int is_gone = 0; is_gone < 2; is_gone++) {
    scan_plan *plan = NULL;
    test_ok(ctx, scan_plan_create_sort(ctx, &spec, 2 * N, &plan), "scan_plan_create_sort");
    poison_out(words);
    test_ok(ctx, scan_plan_run_sort(plan, N, &args), "scan_plan_run_sort");
    if (is_gone) scan_plan_destroy(plan);
    check_excess(scan_sync(ctx));
    if (!is_gone) scan_plan_destroy(plan);
  }
  poison_out(words);
  test_ok(ctx, scan_sort(ctx, &spec, N, &args), "scan_sort");
  check_excess(scan_read(ctx, out_at(0), words, sizeof words));
}

/* How many keys a compaction keeps says how many are sorted, over themselves: nobody waits between. */
static void test_chain(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_U32);
  const scan_select_args kept = SCAN_SELECT_ARGS_INIT(in_at(1), in_at(0), out_at(0), memory.count);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(out_at(0), out_at(0));
  scan_plan *selects = NULL, *sorts = NULL;
  uint8_t flags[2 * N];
  uint32_t out[2 * N], poison = 0;
  (void)state;
  memset(&poison, POISON, sizeof poison);
  sort.in_place = 1;
  args.n_from = memory.count;
  write_descending(in_at(0), 2 * N);
  test_ok(ctx, scan_plan_create_select(ctx, &select, 2 * N, &selects), "scan_plan_create_select");
  test_ok(ctx, scan_plan_create_sort(ctx, &sort, 2 * N, &sorts), "scan_plan_create_sort");
  for (uint32_t every = 1; every < 300; every = 3 * every + 1) {
    const uint32_t count = every > 2 * N ? 0 : (2 * N - 1) / every + 1;
    for (uint32_t i = 0; i < 2 * N; i++) flags[i] = count > 0 && i % every == 0;
    test_ok(ctx, scan_write(ctx, in_at(1), flags, sizeof flags), "scan_write");
    poison_out(out);
    test_ok(ctx, scan_plan_run_select(selects, 2 * N, &kept), "scan_plan_run_select");
    test_ok(ctx, scan_plan_run_sort(sorts, 2 * N, &args), "scan_plan_run_sort");
    test_ok(ctx, scan_read(ctx, out_at(0), out, sizeof out), "scan_read");
    for (uint32_t i = 0; i < 2 * N; i++)
      if (out[i] != (i < count ? 2 * N - (count - 1 - i) * every : poison))
        test_fail("every %u: key %u of %u is %u", every, i, count, out[i]);
  }
  scan_plan_destroy(selects);
  scan_plan_destroy(sorts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_refused_unused, test_count_setup),
    cmocka_unit_test_setup(test_refused_keys, test_count_setup),
    cmocka_unit_test_setup(test_refused_bits, test_count_setup),
    cmocka_unit_test_setup(test_refused_order, test_count_setup),
    cmocka_unit_test_setup(test_refused_arrays, test_count_setup),
    cmocka_unit_test_setup(test_refused_memory, test_count_setup),
    cmocka_unit_test_setup(test_refused_indices, test_count_setup),
    cmocka_unit_test_setup(test_refused_overlaps, test_count_setup),
    cmocka_unit_test_setup(test_events, test_count_setup),
    cmocka_unit_test_setup(test_refused_plans, test_count_setup),
    cmocka_unit_test_setup(test_facts, test_count_setup),
    cmocka_unit_test_setup(test_host_memory, test_count_setup),
    cmocka_unit_test_setup(test_mixed_memory, test_count_setup),
    cmocka_unit_test_setup(test_init, test_count_setup),
    cmocka_unit_test_setup(test_excess, test_count_setup),
    cmocka_unit_test_setup(test_chain, test_count_setup),
  };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, BYTES, &memory.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, BYTES, &memory.out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 64, &memory.count), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("sort_api", tests, NULL, NULL));
}
