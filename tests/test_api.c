/* SPDX-License-Identifier: BSD-2-Clause */
/* Bad input: each fault is refused with its status and words, nothing is written, and the context and plan go on. */
#include <scanrt/scan_array.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

#include "reference.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* What scan_last_error must say: each is a part of the message, or all of it. */
static const char MSG_CTX_NULL[] = "ctx is NULL";
static const char MSG_SPEC_NULL[] = "spec is NULL";
static const char MSG_PLAN_NULL[] = "plan is NULL";
static const char MSG_INFO_NULL[] = "info is NULL";
static const char MSG_MEM_NULL[] = "mem is NULL";
static const char MSG_SRC_NULL[] = "src is NULL";
static const char MSG_DST_NULL[] = "dst is NULL";
static const char MSG_NO_BYTES[] = "bytes is 0";
static const char MSG_INFO_SIZE[] = "initialise it with SCAN_PLAN_FACTS_INIT";
static const char MSG_SPEC_SIZE[] = "initialise it with SCAN_SPEC_INIT";
static const char MSG_TYPE[] = "spec->type is 77";
static const char MSG_TYPE_UNSET[] = "spec->type is 0";
static const char MSG_INPUT_TYPE[] = "spec->input_type is 77";
static const char MSG_OP[] = "spec->op is 77";
static const char MSG_OP_UNSET[] = "spec->op is 0";
static const char MSG_KIND[] = "spec->kind is 77";
static const char MSG_STRATEGY[] = "spec->strategy is 77";
static const char MSG_NO_SCAN[] = "spec->strategy is 64"; /* differences; 65: tiles' values */
static const char MSG_NO_OTHER_SCAN[] = "spec->strategy is 65";
static const char MSG_FLAGS[] = "spec->flags";
static const char MSG_OP_ON_FLOAT[] = "xor is not defined on f32";
static const char MSG_WIDENING[] = "add from u8 to i32 is not supported: sums widen";
static const char MSG_WIDENING_OP[] = "max from i8 to i32 is not supported: sums widen";
static const char MSG_BACKWARD[] = "scans forward only";
static const char MSG_CHECK_OVERFLOW[] = "SCAN_CHECK_OVERFLOW";
static const char MSG_SEGMENTS[] = "spec->segments";
static const char MSG_CARRY[] = "spec->has_init and args->carry_in";
static const char MSG_CUSTOM_OP[] = "spec->custom_op is no operator of this context";
static const char MSG_OPERATORS[] = "source is NULL";
static const char MSG_OVERLAP[] = "overlap";
static const char MSG_IN_SMALL[] = "in is too small: 8000 bytes needed, 4096 there";
static const char MSG_OUT_SMALL[] = "out is too small: 8000 bytes needed, 4096 there";
static const char MSG_IN_ALIGN[] = "in is not aligned to its elements of 4 bytes";
static const char MSG_OUT_ALIGN[] = "out is not aligned to its elements of 4 bytes";
static const char MSG_IN_FOREIGN[] = "in is memory of another context";
static const char MSG_OUT_FOREIGN[] = "out is memory of another context";
static const char MSG_IN_NONE[] = "in is no memory";
static const char MSG_OUT_NONE[] = "out is no memory";
static const char MSG_IN_HOST_NULL[] = "in is host memory at NULL";
static const char MSG_KIND_OF_MEM[] = "in is not a valid scan_mem: kind 77";
static const char MSG_IN_SHORT[] = "in is too small: 400 bytes needed, 396 there";
static const char MSG_OUT_SHORT[] = "out is too small: 400 bytes needed, 396 there";
static const char MSG_IN_PAST_END[] = "in is too small: 400 bytes needed, 0 there";
static const char MSG_OUT_PAST_END[] = "out is too small: 400 bytes needed, 0 there";
static const char MSG_SRC_SMALL[] = "src is too small: 4096 bytes needed, 4088 there";
static const char MSG_DST_SMALL[] = "dst is too small: 4096 bytes needed, 4088 there";
static const char MSG_COUNT[] = "more than an address can reach";
static const char MSG_MAX_N[] = "n is 101, but the plan was created for at most 100";
static const char MSG_HOST_IN_PLAN[] = "host memory";
static const char *const MSG_TOO_MUCH[] = { [SCAN_BACKEND_CUDA] =
                                                "scan_alloc: 1152921504606846976 bytes are more than the ",
                                            [SCAN_BACKEND_OPENCL] =
                                                "scan_alloc: 1152921504606846976 bytes are more than the ",
                                            [SCAN_BACKEND_HOST] = "could not allocate 1152921504606846976 bytes" };
static const char MSG_NOT_AS_ALLOCATED[] = "mem is offset; free what scan_alloc returned";

enum { N = 100, BYTES = 4096 };

/* The arguments of a scan, all right until a fault spoils them. */
struct call {
  scan_spec spec;
  uint64_t n;
  scan_args args;
};

struct fault {
  const char *name;
  void (*spoil)(struct call *call);
  scan_status status;
  const char *message;
};

static struct {
  scan_ctx *ctx, *other_ctx;
  scan_mem in, out, other;
  scan_plan *plan;
  unsigned char poison[BYTES], got[2 * BYTES], values[2 * BYTES];
} bench;

static scan_spec good_spec(void) { return (scan_spec)SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE); }

static struct call good_call(void) {
  return (struct call){ .spec = good_spec(), .n = N, .args = SCAN_ARGS_INIT(bench.in, bench.out) };
}

static void check_refusal(const char *name, const scan_ctx *ctx, scan_status got, scan_status want,
                          const char *message) {
  const char *words = scan_last_error(ctx);
  if (got != want) test_fail("%s: %s (\"%s\"), not %s", name, scan_status_name(got), words, scan_status_name(want));
  if (!strstr(words, message)) test_fail("%s: \"%s\" does not say \"%s\"", name, words, message);
}

static void poison_outputs(void) {
  test_ok(bench.ctx, scan_write(bench.ctx, bench.out, bench.poison, BYTES), "scan_write");
  test_ok(bench.ctx, scan_write(bench.ctx, bench.in, bench.values, BYTES), "scan_write");
}

static void check_nothing_written(const char *name) {
  test_ok(bench.ctx, scan_read(bench.ctx, bench.out, bench.got, BYTES), "scan_read");
  if (memcmp(bench.got, bench.poison, BYTES) != 0) test_fail("%s: the output was written", name);
  test_ok(bench.ctx, scan_read(bench.ctx, bench.in, bench.got, BYTES), "scan_read");
  if (memcmp(bench.got, bench.values, BYTES) != 0) test_fail("%s: the input was written", name);
}

/* The context and its plan still give right results. */
static void check_still_works(void) {
  const scan_spec spec = good_spec();
  int32_t want[N];
  reference_scan(&spec, N, bench.values, want);
  test_ok(bench.ctx, scan_plan_run(bench.plan, N, bench.in, bench.out), "scan_plan_run");
  test_ok(bench.ctx, scan_read(bench.ctx, bench.out, bench.got, sizeof(want)), "scan_read");
  assert_memory_equal(bench.got, want, sizeof(want));
  test_ok(bench.ctx, scan_write(bench.ctx, bench.out, bench.poison, BYTES), "scan_write");
  test_ok(bench.ctx, scan_run(bench.ctx, &spec, N, bench.in, bench.out), "scan_run");
  test_ok(bench.ctx, scan_read(bench.ctx, bench.out, bench.got, sizeof(want)), "scan_read");
  assert_memory_equal(bench.got, want, sizeof(want));
}

/* ---- faults of the spec: refused by scan_run and scan_plan_create alike ---------------------------------------- */

static int some_object;

static void spoil_size_small(struct call *c) { c->spec.struct_bytes = 4; }
static void spoil_size_big(struct call *c) { c->spec.struct_bytes = sizeof(scan_spec) + 8; }
static void spoil_type(struct call *c) { c->spec.type = (scan_type)77; }
static void spoil_type_unset(struct call *c) { c->spec.type = SCAN_TYPE_DEFAULT; }
static void spoil_input_type(struct call *c) { c->spec.input_type = (scan_type)77; }
static void spoil_op(struct call *c) { c->spec.op = (scan_op_id)77; }
static void spoil_op_unset(struct call *c) { c->spec.op = SCAN_OP_NONE; }
static void spoil_kind(struct call *c) { c->spec.kind = (scan_kind)77; }
static void spoil_strategy(struct call *c) { c->spec.strategy = (scan_strategy)77; }
static void name_no_scan(struct call *c) { c->spec.strategy = (scan_strategy)64; }
static void name_no_other_scan(struct call *c) { c->spec.strategy = (scan_strategy)65; }
static void spoil_flags(struct call *c) { c->spec.flags = 1U << 20; }
static void spoil_clamp(struct call *c) { c->spec.flags = SCAN_N_FROM_CLAMP; }
static void spoil_backward(struct call *c) {
  c->spec.flags = SCAN_BACKWARD;
  c->spec.strategy = SCAN_STRATEGY_SEQUENTIAL;
}
static void spoil_check_overflow(struct call *c) {
  c->spec.flags = SCAN_CHECK_OVERFLOW;
  c->spec.op = SCAN_MAX;
}
static void spoil_segments(struct call *c) { c->spec.segments = (scan_segments)9; }
static void spoil_key_type(struct call *c) { c->spec.key_type = SCAN_I32; }
static void spoil_init_bytes(struct call *c) { c->spec.init_bytes = &some_object; }
static void spoil_has_init(struct call *c) { c->spec.has_init = 2; }
static void spoil_carry_in(struct call *c) {
  c->args.carry_in = bench.in;
  c->spec.has_init = 1;
}
static void spoil_custom_op(struct call *c) { c->spec.custom_op = (scan_op *)(void *)&some_object; }

static void spoil_op_on_float(struct call *c) {
  c->spec.type = SCAN_F32;
  c->spec.op = SCAN_XOR;
}

static void spoil_widening(struct call *c) { c->spec.input_type = SCAN_U8; }

static void spoil_widening_op(struct call *c) {
  c->spec.input_type = SCAN_I8;
  c->spec.op = SCAN_MAX;
}

static void spoil_args_small(struct call *c) { c->args.struct_bytes = 0; }
static void spoil_args_big(struct call *c) { c->args.struct_bytes = sizeof(scan_args) + 8; }
static void spoil_marks(struct call *c) { c->args.marks = bench.other; }
static void spoil_mark_count(struct call *c) { c->args.mark_count = 1; }

/* Faults of the memory of one run, which a plan's spec does not show. */
static const struct fault args_faults[] = {
  { "struct_bytes of args 0", spoil_args_small, SCAN_INVALID_ARGUMENT, "initialise it with SCAN_ARGS_INIT" },
  { "struct_bytes of args too big", spoil_args_big, SCAN_INVALID_ARGUMENT, "older than the headers" },
  { "marks of no segments", spoil_marks, SCAN_INVALID_ARGUMENT, "but spec->segments is 0" },
  { "a count of no marks", spoil_mark_count, SCAN_INVALID_ARGUMENT, "but spec->segments is 0" },
  { "a carry and init", spoil_carry_in, SCAN_INVALID_ARGUMENT, MSG_CARRY },
};

static const struct fault spec_faults[] = {
  { "struct_bytes too small", spoil_size_small, SCAN_INVALID_ARGUMENT, MSG_SPEC_SIZE },
  { "struct_bytes too big", spoil_size_big, SCAN_INVALID_ARGUMENT, "older than the headers" },
  { "unknown type", spoil_type, SCAN_INVALID_ARGUMENT, MSG_TYPE },
  { "no type", spoil_type_unset, SCAN_INVALID_ARGUMENT, MSG_TYPE_UNSET },
  { "unknown input type", spoil_input_type, SCAN_INVALID_ARGUMENT, MSG_INPUT_TYPE },
  { "unknown operator", spoil_op, SCAN_INVALID_ARGUMENT, MSG_OP },
  { "no operator", spoil_op_unset, SCAN_INVALID_ARGUMENT, MSG_OP_UNSET },
  { "unknown kind", spoil_kind, SCAN_INVALID_ARGUMENT, MSG_KIND },
  { "unknown strategy", spoil_strategy, SCAN_INVALID_ARGUMENT, MSG_STRATEGY },
  { "a difference's strategy", name_no_scan, SCAN_INVALID_ARGUMENT, MSG_NO_SCAN },
  { "tiles' strategy", name_no_other_scan, SCAN_INVALID_ARGUMENT, MSG_NO_OTHER_SCAN },
  { "unknown flag", spoil_flags, SCAN_INVALID_ARGUMENT, MSG_FLAGS },
  { "a scan that clamps n_from", spoil_clamp, SCAN_INVALID_ARGUMENT,
    "spec->flags has SCAN_N_FROM_CLAMP, and a scan has no n_from" },
  { "operator not defined on f32", spoil_op_on_float, SCAN_INVALID_ARGUMENT, MSG_OP_ON_FLOAT },
  { "widening that does not exist", spoil_widening, SCAN_UNSUPPORTED, MSG_WIDENING },
  { "widening of a maximum", spoil_widening_op, SCAN_UNSUPPORTED, MSG_WIDENING_OP },
  { "backward", spoil_backward, SCAN_UNSUPPORTED, MSG_BACKWARD },
  { "check overflow", spoil_check_overflow, SCAN_INVALID_ARGUMENT, MSG_CHECK_OVERFLOW },
  { "segments", spoil_segments, SCAN_INVALID_ARGUMENT, MSG_SEGMENTS },
  { "a key type of nothing", spoil_key_type, SCAN_INVALID_ARGUMENT, "spec->key_type" },
  { "init of bytes, and has_init 0", spoil_init_bytes, SCAN_INVALID_ARGUMENT, "spec->init_bytes" },
  { "has_init neither 0 nor 1", spoil_has_init, SCAN_INVALID_ARGUMENT, "spec->has_init is 2" },
  { "operator from nowhere", spoil_custom_op, SCAN_INVALID_ARGUMENT, MSG_CUSTOM_OP },
};

static void test_spec_faults(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(spec_faults) / sizeof(spec_faults[0]); i++) {
    const struct fault *f = &spec_faults[i];
    scan_plan *plan = NULL;
    struct call c = good_call();
    poison_outputs();
    f->spoil(&c);
    check_refusal(f->name, bench.ctx, scan_run_args(bench.ctx, &c.spec, c.n, &c.args), f->status, f->message);
    check_refusal(f->name, bench.ctx, scan_plan_create(bench.ctx, &c.spec, c.n, &plan), f->status, f->message);
    assert_null(plan);
    check_nothing_written(f->name);
    check_still_works();
  }
}

/* Each is refused by scan_run_args; nothing is written, and the context goes on. */
static void check_run_faults(const struct fault *faults, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct fault *f = &faults[i];
    struct call c = good_call();
    poison_outputs();
    f->spoil(&c);
    check_refusal(f->name, bench.ctx, scan_run_args(bench.ctx, &c.spec, c.n, &c.args), f->status, f->message);
    check_nothing_written(f->name);
    check_still_works();
  }
}

static void test_args_faults(void **state) {
  (void)state;
  check_run_faults(args_faults, sizeof(args_faults) / sizeof(args_faults[0]));
}

/* ---- faults of the memory: refused by scan_run and scan_plan_run alike ----------------------------------------- */

static void spoil_overlap_behind(struct call *c) { c->args.out = scan_offset(c->args.in, 4); }
static void spoil_overlap_before(struct call *c) {
  c->args.out = c->args.in;
  c->args.in = scan_offset(c->args.in, 4 * (N - 1));
}
static void spoil_in_offset_small(struct call *c) { c->args.in = scan_offset(c->args.in, BYTES - 4 * N + 4); }
static void spoil_out_offset_small(struct call *c) { c->args.out = scan_offset(c->args.out, BYTES - 4 * N + 4); }
static void spoil_in_align(struct call *c) { c->args.in = scan_offset(c->args.in, 2); }
static void spoil_out_align(struct call *c) { c->args.out = scan_offset(c->args.out, 1); }
static void spoil_in_foreign(struct call *c) { c->args.in = bench.other; }
static void spoil_out_foreign(struct call *c) { c->args.out = bench.other; }
static void spoil_in_none(struct call *c) { c->args.in = SCAN_NO_MEM; }
static void spoil_out_none(struct call *c) { c->args.out = SCAN_NO_MEM; }
static void spoil_in_kind(struct call *c) { c->args.in.kind = (scan_mem_kind)77; }
static void spoil_in_past_end(struct call *c) { c->args.in = scan_offset(c->args.in, BYTES + 4); }
static void spoil_out_past_end(struct call *c) { c->args.out = scan_offset(c->args.out, BYTES + 4); }
static void spoil_out_wraps(struct call *c) { c->args.out = scan_offset(scan_offset(c->args.out, 8), UINT64_MAX - 7); }

static const struct fault memory_faults[] = {
  { "out one element behind in", spoil_overlap_behind, SCAN_INVALID_ARGUMENT, MSG_OVERLAP },
  { "out ends in in's last element", spoil_overlap_before, SCAN_INVALID_ARGUMENT, MSG_OVERLAP },
  { "in one element too short", spoil_in_offset_small, SCAN_INVALID_ARGUMENT, MSG_IN_SHORT },
  { "out one element too short", spoil_out_offset_small, SCAN_INVALID_ARGUMENT, MSG_OUT_SHORT },
  { "in misaligned", spoil_in_align, SCAN_INVALID_ARGUMENT, MSG_IN_ALIGN },
  { "out misaligned", spoil_out_align, SCAN_INVALID_ARGUMENT, MSG_OUT_ALIGN },
  { "in of another context", spoil_in_foreign, SCAN_INVALID_ARGUMENT, MSG_IN_FOREIGN },
  { "out of another context", spoil_out_foreign, SCAN_INVALID_ARGUMENT, MSG_OUT_FOREIGN },
  { "in is no memory", spoil_in_none, SCAN_INVALID_ARGUMENT, MSG_IN_NONE },
  { "out is no memory", spoil_out_none, SCAN_INVALID_ARGUMENT, MSG_OUT_NONE },
  { "in of an unknown kind", spoil_in_kind, SCAN_INVALID_ARGUMENT, MSG_KIND_OF_MEM },
  { "in past its end", spoil_in_past_end, SCAN_INVALID_ARGUMENT, MSG_IN_PAST_END },
  { "out past its end", spoil_out_past_end, SCAN_INVALID_ARGUMENT, MSG_OUT_PAST_END },
  { "out's offset wraps around", spoil_out_wraps, SCAN_INVALID_ARGUMENT, MSG_OUT_PAST_END },
};

static void test_memory_faults(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(memory_faults) / sizeof(memory_faults[0]); i++) {
    const struct fault *f = &memory_faults[i];
    struct call c = good_call();
    poison_outputs();
    f->spoil(&c);
    check_refusal(f->name, bench.ctx, scan_run_args(bench.ctx, &c.spec, c.n, &c.args), f->status, f->message);
    check_refusal(f->name, bench.ctx, scan_plan_run_args(bench.plan, c.n, &c.args), f->status, f->message);
    check_nothing_written(f->name);
    check_still_works();
  }
}

/* ---- faults that only one call can have ------------------------------------------------------------------------ */

static void spoil_in_small(struct call *c) {
  c->n = 2000;
  c->args.out = scan_host(bench.got);
}
static void spoil_out_small(struct call *c) {
  c->n = 2000;
  c->args.in = scan_host(bench.values);
}
static void spoil_in_host_null(struct call *c) { c->args.in = scan_host(NULL); }
static void spoil_host_overlap(struct call *c) {
  c->args.in = scan_host(bench.values);
  c->args.out = scan_host(bench.values + 4 * (N - 1));
}
static void spoil_host_align(struct call *c) { c->args.out = scan_host(bench.got + 1); }
static void spoil_widened_in_place(struct call *c) {
  c->spec.type = SCAN_I64;
  c->spec.input_type = SCAN_I32;
  c->args.out = c->args.in;
}
static void spoil_count(struct call *c) {
  c->n = UINT64_MAX / 2;
  c->args.in = scan_host(bench.values);
  c->args.out = scan_host(bench.got);
}
static void spoil_count_wraps(struct call *c) { c->n = (UINT64_C(1) << 62) + 1; }

static const struct fault run_faults[] = {
  { "in too small", spoil_in_small, SCAN_INVALID_ARGUMENT, MSG_IN_SMALL },
  { "out too small", spoil_out_small, SCAN_INVALID_ARGUMENT, MSG_OUT_SMALL },
  { "NULL host pointer", spoil_in_host_null, SCAN_INVALID_ARGUMENT, MSG_IN_HOST_NULL },
  { "host buffers overlap", spoil_host_overlap, SCAN_INVALID_ARGUMENT, MSG_OVERLAP },
  { "host pointer misaligned", spoil_host_align, SCAN_INVALID_ARGUMENT, MSG_OUT_ALIGN },
  { "widened in place", spoil_widened_in_place, SCAN_INVALID_ARGUMENT, MSG_OVERLAP },
  { "n of half of all", spoil_count, SCAN_INVALID_ARGUMENT, MSG_COUNT },
  { "n times size is 4", spoil_count_wraps, SCAN_INVALID_ARGUMENT, MSG_COUNT },
};

static void test_run_faults(void **state) {
  (void)state;
  check_run_faults(run_faults, sizeof(run_faults) / sizeof(run_faults[0]));
}

static void test_plan_faults(void **state) {
  (void)state;
  const scan_spec spec = good_spec();
  scan_plan *plan = NULL;
  poison_outputs();
  check_refusal("n above max_n", bench.ctx, scan_plan_run(bench.plan, N + 1, bench.in, bench.out),
                SCAN_INVALID_ARGUMENT, MSG_MAX_N);
  check_refusal("max_n too large", bench.ctx, scan_plan_create(bench.ctx, &spec, UINT64_MAX / 2, &plan),
                SCAN_INVALID_ARGUMENT, MSG_COUNT);
  assert_null(plan);
  if (test_info()->backend != SCAN_BACKEND_HOST) {
    check_refusal("host input", bench.ctx, scan_plan_run(bench.plan, N, scan_host(bench.values), bench.out),
                  SCAN_INVALID_ARGUMENT, MSG_HOST_IN_PLAN);
    check_refusal("host output", bench.ctx, scan_plan_run(bench.plan, N, bench.in, scan_host(bench.got)),
                  SCAN_INVALID_ARGUMENT, MSG_HOST_IN_PLAN);
  }
  check_nothing_written("plan faults");
  check_still_works();
}

static void test_plan_info_sizes(void **state) {
  (void)state;
  scan_plan_facts small = { .struct_bytes = 1 }, big = { .struct_bytes = sizeof(big) + 8 };
  check_refusal("struct_bytes too small", bench.ctx, scan_plan_info(bench.plan, &small), SCAN_INVALID_ARGUMENT,
                MSG_INFO_SIZE);
  check_refusal("struct_bytes too big", bench.ctx, scan_plan_info(bench.plan, &big), SCAN_INVALID_ARGUMENT,
                "older than the headers");
}

/* A program built against an older version knows less of each struct: what it does not know is neither read nor
 * written. */
static void test_older_structs(void **state) {
  (void)state;
  scan_spec spec = good_spec();
  scan_args args = SCAN_ARGS_INIT(bench.in, bench.out);
  scan_plan_facts facts, whole = SCAN_PLAN_FACTS_INIT;
  int32_t want[N];
  reference_scan(&spec, N, bench.values, want);
  memset((char *)&spec + offsetof(scan_spec, segments), 0xee, sizeof spec - offsetof(scan_spec, segments));
  spec.struct_bytes = offsetof(scan_spec, segments);
  memset((char *)&args + offsetof(scan_args, marks), 0xee, sizeof args - offsetof(scan_args, marks));
  args.struct_bytes = offsetof(scan_args, marks);
  poison_outputs();
  test_ok(bench.ctx, scan_run_args(bench.ctx, &spec, N, &args), "scan_run_args");
  test_ok(bench.ctx, scan_read(bench.ctx, bench.out, bench.got, sizeof want), "scan_read");
  assert_memory_equal(bench.got, want, sizeof want);
  memset(&facts, 0xee, sizeof facts);
  facts.struct_bytes = offsetof(scan_plan_facts, work);
  test_ok(bench.ctx, scan_plan_info(bench.plan, &facts), "scan_plan_info");
  test_ok(bench.ctx, scan_plan_info(bench.plan, &whole), "scan_plan_info");
  assert_int_equal(facts.struct_bytes, offsetof(scan_plan_facts, work));
  assert_int_equal(facts.tiles, whole.tiles);
  assert_int_equal(facts.work, 0xeeeeeeeeeeeeeeeeu);
}

/* A struct that ends within a field is no version's: half of a pointer is never followed. */
static void test_cut_structs(void **state) {
  (void)state;
  scan_spec spec = good_spec();
  scan_args args = SCAN_ARGS_INIT(bench.in, bench.out);
  scan_op *op = NULL;
  for (size_t bytes = 1; bytes < sizeof(scan_ctx_options); bytes++) {
    const size_t ends = offsetof(scan_ctx_options, strategy), more = offsetof(scan_ctx_options, threads);
    scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
    scan_ctx *ctx = NULL;
    options.device = test_selector();
    options.struct_bytes = bytes;
    const scan_status status = scan_ctx_create(&options, &ctx);
    if ((status == SCAN_SUCCESS) != (bytes == ends || bytes == more)) test_fail("%zu bytes of options", bytes);
    if (status != SCAN_SUCCESS) check_refusal("options", NULL, status, SCAN_INVALID_ARGUMENT, "SCAN_CTX_OPTIONS_INIT");
    scan_ctx_destroy(ctx);
  }
  spec.struct_bytes = offsetof(scan_spec, custom_op) + 4;
  check_refusal("spec", bench.ctx, scan_run(bench.ctx, &spec, N, bench.in, bench.out), SCAN_INVALID_ARGUMENT,
                "ends within the field custom_op");
  spec = good_spec();
  args.struct_bytes = offsetof(scan_args, carry_in) + 8;
  check_refusal("args", bench.ctx, scan_run_args(bench.ctx, &spec, N, &args), SCAN_INVALID_ARGUMENT,
                "ends within the field carry_in");
  scan_op_source source = { .struct_bytes = offsetof(scan_op_source, combine) + 1 };
  check_refusal("source", bench.ctx, scan_op_create(bench.ctx, &source, &op), SCAN_INVALID_ARGUMENT,
                "ends within the field combine");
}

/* All bytes of one of so many are 0 but its size. */
static void check_init(const char *name, void (*init)(void *given, size_t struct_bytes), size_t struct_bytes) {
  unsigned char given[2048], want[2048] = { 0 };
  assert_true(struct_bytes + 8 <= sizeof given);
  memset(given, 0xee, sizeof given);
  memcpy(want, &struct_bytes, sizeof struct_bytes);
  memset(want + struct_bytes, 0xee, 8);
  init(given, struct_bytes);
  if (memcmp(given, want, struct_bytes + 8) != 0) test_fail("%s_init is not its initialiser", name);
}

/* Every struct that says its size. Functions take their own struct's pointer; these hand it over. */
#define STRUCTS(X)                                                                                                     \
  X(scan_spec)                                                                                                         \
  X(scan_args)                                                                                                         \
  X(scan_ctx_options)                                                                                                  \
  X(scan_device_info)                                                                                                  \
  X(scan_plan_facts)                                                                                                   \
  X(scan_op_source)                                                                                                    \
  X(scan_op_facts)                                                                                                     \
  X(scan_array)                                                                                                        \
  X(scan_select_spec)                                                                                                  \
  X(scan_predicate_source)                                                                                             \
  X(scan_select_args)                                                                                                  \
  X(scan_partition3_spec)                                                                                              \
  X(scan_partition3_args)                                                                                              \
  X(scan_run_length_spec)                                                                                              \
  X(scan_run_length_args)                                                                                              \
  X(scan_reduce_by_key_args)                                                                                           \
  X(scan_sort_spec)                                                                                                    \
  X(scan_sort_args)                                                                                                    \
  X(scan_bucket_source)                                                                                                \
  X(scan_split_spec)                                                                                                   \
  X(scan_split_args)                                                                                                   \
  X(scan_histogram_spec)                                                                                               \
  X(scan_histogram_args)                                                                                               \
  X(scan_stream_options)
#define INIT_OF(name)                                                                                                  \
  static void init_##name(void *given, size_t struct_bytes) { name##_init((name *)given, struct_bytes); }
STRUCTS(INIT_OF)
#define CHECK_INIT(name) check_init(#name, init_##name, sizeof(name));

static void test_all_init_functions(void **state) {
  (void)state;
  STRUCTS(CHECK_INIT)
}

/* The functions do what the macros do. */
static void test_init_functions(void **state) {
  (void)state;
  scan_spec spec, same = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_args args;
  memset(&spec, 0xee, sizeof spec);
  memset(&args, 0xee, sizeof args);
  scan_spec_init(&spec, sizeof spec);
  scan_args_init(&args, sizeof args);
  assert_memory_equal(&spec, &same, sizeof spec);
  assert_int_equal(args.struct_bytes, sizeof args);
  assert_int_equal(args.carry_out.kind, SCAN_MEM_NONE);
  spec.type = SCAN_I32;
  spec.op = SCAN_ADD;
  const int32_t init = 1000;
  spec.has_init = 1;
  spec.init_bytes = &init; /* of a built-in operator, too */
  int32_t in[2] = { 1, 2 }, out[2];
  test_ok(bench.ctx, scan_run(bench.ctx, &spec, 2, scan_host(in), scan_host(out)), "scan_run");
  assert_int_equal(out[0], 1001);
  assert_int_equal(out[1], 1003);
}

static void test_null_ctx(void **state) {
  (void)state;
  const scan_spec spec = good_spec();
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  scan_mem mem = SCAN_NO_MEM;
  scan_plan *plan = NULL;
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  check_refusal("scan_ctx_device", NULL, scan_ctx_device(NULL, &info), bad, MSG_CTX_NULL);
  check_refusal("scan_alloc", NULL, scan_alloc(NULL, 4, &mem), bad, MSG_CTX_NULL);
  check_refusal("scan_free", NULL, scan_free(NULL, bench.in), bad, MSG_CTX_NULL);
  check_refusal("scan_write", NULL, scan_write(NULL, bench.in, bench.values, 4), bad, MSG_CTX_NULL);
  check_refusal("scan_read", NULL, scan_read(NULL, bench.in, bench.got, 4), bad, MSG_CTX_NULL);
  check_refusal("scan_copy", NULL, scan_copy(NULL, bench.in, bench.out, 4), bad, MSG_CTX_NULL);
  check_refusal("scan_run", NULL, scan_run(NULL, &spec, N, bench.in, bench.out), bad, MSG_CTX_NULL);
  check_refusal("scan_sync", NULL, scan_sync(NULL), bad, MSG_CTX_NULL);
  check_refusal("scan_plan_create", NULL, scan_plan_create(NULL, &spec, N, &plan), bad, MSG_CTX_NULL);
  check_refusal("scan_plan_run", NULL, scan_plan_run(NULL, N, bench.in, bench.out), bad, MSG_PLAN_NULL);
}

static void test_null_arguments(void **state) {
  (void)state;
  const scan_spec spec = good_spec();
  scan_ctx *ctx = bench.ctx;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  poison_outputs();
  check_refusal("scan_run", ctx, scan_run(ctx, NULL, N, bench.in, bench.out), bad, MSG_SPEC_NULL);
  check_refusal("scan_plan_create", ctx, scan_plan_create(ctx, NULL, N, &plan), bad, MSG_SPEC_NULL);
  check_refusal("scan_plan_create", ctx, scan_plan_create(ctx, &spec, N, NULL), bad, MSG_PLAN_NULL);
  check_refusal("scan_plan_info", NULL, scan_plan_info(NULL, &facts), bad, MSG_PLAN_NULL);
  check_refusal("scan_plan_info", ctx, scan_plan_info(bench.plan, NULL), bad, MSG_INFO_NULL);
  check_refusal("scan_ctx_device", ctx, scan_ctx_device(ctx, NULL), bad, MSG_INFO_NULL);
  check_refusal("scan_alloc", ctx, scan_alloc(ctx, 4, NULL), bad, MSG_MEM_NULL);
  check_refusal("scan_write", ctx, scan_write(ctx, bench.in, NULL, 4), bad, MSG_SRC_NULL);
  check_refusal("scan_read", ctx, scan_read(ctx, bench.in, NULL, 4), bad, MSG_DST_NULL);
  check_nothing_written("NULL arguments");
  check_still_works();
}

static void test_memory_calls(void **state) {
  (void)state;
  scan_ctx *ctx = bench.ctx;
  scan_mem mem = SCAN_NO_MEM;
  const scan_mem none = SCAN_NO_MEM, late = scan_offset(bench.in, 8);
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  poison_outputs();
  check_refusal("alloc 0", ctx, scan_alloc(ctx, 0, &mem), bad, MSG_NO_BYTES);
  check_refusal("alloc 2^60", ctx, scan_alloc(ctx, UINT64_C(1) << 60, &mem), SCAN_OUT_OF_MEMORY,
                MSG_TOO_MUCH[test_info()->backend]);
  assert_int_equal(mem.kind, SCAN_MEM_NONE);
  check_refusal("free offset", ctx, scan_free(ctx, late), bad, MSG_NOT_AS_ALLOCATED);
  check_refusal("write past end", ctx, scan_write(ctx, late, bench.values, BYTES), bad, MSG_DST_SMALL);
  check_refusal("read past end", ctx, scan_read(ctx, late, bench.got, BYTES), bad, MSG_SRC_SMALL);
  check_refusal("copy past end", ctx, scan_copy(ctx, bench.out, late, BYTES), bad, MSG_SRC_SMALL);
  check_refusal("copy overlapping", ctx, scan_copy(ctx, late, bench.in, 16), bad, MSG_OVERLAP);
  check_nothing_written("memory calls");
  test_ok(ctx, scan_free(ctx, none), "scan_free of no memory");
  check_still_works();
}

static void test_operators_from_source(void **state) {
  (void)state;
  scan_op *op = NULL;
  check_refusal("scan_op_create", bench.ctx, scan_op_create(bench.ctx, NULL, &op), SCAN_INVALID_ARGUMENT,
                MSG_OPERATORS);
  assert_null(op);
  scan_op_destroy(NULL);
}

static void test_nothing_to_scan(void **state) {
  (void)state;
  const scan_spec spec = good_spec();
  poison_outputs();
  test_ok(bench.ctx, scan_run(bench.ctx, &spec, 0, bench.in, bench.out), "scan_run n=0");
  test_ok(bench.ctx, scan_run(bench.ctx, &spec, 0, scan_host(NULL), scan_host(NULL)), "scan_run n=0, NULL");
  test_ok(bench.ctx, scan_plan_run(bench.plan, 0, bench.in, bench.out), "scan_plan_run n=0");
  test_ok(bench.ctx, scan_run(bench.ctx, &spec, 0, bench.in, bench.in), "scan_run n=0 in place");
  check_nothing_written("n = 0");
}

static int group_setup(void **state) {
  (void)state;
  const scan_spec spec = good_spec();
  bench.ctx = test_ctx();
  bench.other_ctx = test_ctx_new();
  memset(bench.poison, 0xA5, BYTES);
  for (size_t i = 0; i < sizeof(bench.values); i++) bench.values[i] = (unsigned char)(i * 7 + 1);
  test_ok(bench.ctx, scan_alloc(bench.ctx, BYTES, &bench.in), "scan_alloc");
  test_ok(bench.ctx, scan_alloc(bench.ctx, BYTES, &bench.out), "scan_alloc");
  test_ok(bench.other_ctx, scan_alloc(bench.other_ctx, BYTES, &bench.other), "scan_alloc");
  test_ok(bench.ctx, scan_plan_create(bench.ctx, &spec, N, &bench.plan), "scan_plan_create");
  return 0;
}

static int group_teardown(void **state) {
  (void)state;
  scan_plan_destroy(bench.plan);
  scan_free(bench.ctx, bench.in);
  scan_free(bench.ctx, bench.out);
  scan_free(bench.other_ctx, bench.other);
  scan_ctx_destroy(bench.other_ctx);
  return 0;
}

#define TEST(f) cmocka_unit_test_setup(f, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_cut_structs),  TEST(test_older_structs),         TEST(test_all_init_functions), TEST(test_init_functions),
    TEST(test_spec_faults),  TEST(test_args_faults),           TEST(test_memory_faults),      TEST(test_run_faults),
    TEST(test_plan_faults),  TEST(test_plan_info_sizes),       TEST(test_null_ctx),           TEST(test_null_arguments),
    TEST(test_memory_calls), TEST(test_operators_from_source), TEST(test_nothing_to_scan),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("api", tests, group_setup, group_teardown));
}
