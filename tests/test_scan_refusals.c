/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the refusals of scans, totals, carries, segments, arrays, streams and operators that map or emit, with their
 * words. A refused call writes nothing. */
#include <scanrt/scan_array.h>
#include <scanrt/scan_composite.h>
#include <scanrt/scan_stream.h>

#include "source.h"
#include "support.h"

#include <string.h>

enum { N = 9, BYTES = 512, POISON = 0xA5 };

static struct { scan_mem in, out, slots, small, large; } bench;

static void refused_as(scan_status status, scan_status want, const char *words) {
  if (status != want || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("%s, '%s', and not %s with '%s'", scan_status_name(status), scan_last_error(test_ctx()),
              scan_status_name(want), words);
  test_ran();
}
static void refused(scan_status status, const char *words) { refused_as(status, SCAN_INVALID_ARGUMENT, words); }
static void lacking(scan_status status, const char *words) { refused_as(status, SCAN_UNSUPPORTED, words); }

static int is_host(void) { return test_info()->backend == SCAN_BACKEND_HOST; }

static scan_spec sum_of(scan_type type) { return (scan_spec)SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE); }

/* ---- calls of scan_run_args ---- */

/* A place in the memory of the tests. */
struct place {
  enum { USUAL, IN, OUT, SLOTS, NOWHERE, AT_NULL } where;
  uint64_t offset;
};

/* A call that is refused. Fields that are not set are those of a sum of int32_t. */
struct refusal {
  const char *words;
  int is_lacking; /* 1: SCAN_UNSUPPORTED, which the host says of work-groups */
  scan_type type, input_type, key_type;
  scan_op_id op;
  scan_kind kind;
  scan_strategy strategy;
  int segments;
  uint32_t flags, has_init;
  int is_empty; /* 1: n is 0 */
  struct place in, out, marks, carry_in, carry_out;
  uint64_t mark_count;
};

#define MARKED .marks = { SLOTS, 0 }, .mark_count = N
#define BEYOND(count)                                                                                                  \
  { "more than an address", .segments = SCAN_SEGMENTS_OFFSETS, .key_type = SCAN_U32, MARKED_BY(count) },               \
      { "more than an address", .segments = SCAN_SEGMENTS_OFFSETS, .key_type = SCAN_U64, MARKED_BY(count) }, {         \
    "more than an address", .segments = SCAN_SEGMENTS_KEYS, .key_type = SCAN_U64, MARKED_BY(count)                     \
  }
#define MARKED_BY(count) .marks = { SLOTS, 0 }, .mark_count = (count)
#define CHECKED .flags = SCAN_CHECK_OVERFLOW

static const struct refusal refusals[] = {
  /* carries */
  { "spec->has_init and args->carry_in", .has_init = 1, .carry_in = { SLOTS, 0 } },
  { "args->carry_in is too small: 4 bytes needed, 2 there", .carry_in = { SLOTS, 510 } },
  { "args->carry_in is not aligned to 4 bytes", .carry_in = { SLOTS, 2 } },
  { "args->carry_out is too small: 4 bytes needed, 0 there", .carry_out = { SLOTS, 512 } },
  { "args->carry_out is not aligned to 4 bytes", .carry_out = { SLOTS, 1 } },
  { "args->carry_out lies within in or out", .carry_out = { IN, 32 } },
  { "args->carry_out lies within in or out", .carry_out = { OUT, 32 } },
  { "args->carry_out is host memory at NULL", .carry_out = { AT_NULL, 0 } },
  { "it has no carry_in and carry_out", .is_lacking = 1, .strategy = SCAN_STRATEGY_BLELLOCH,
    .carry_out = { SLOTS, 0 } },
  /* totals */
  { "out lies within in", .kind = SCAN_TOTAL, .out = { IN, 0 } },
  { "out lies within in", .kind = SCAN_TOTAL, .out = { IN, 32 } },
  { "in is no memory", .kind = SCAN_TOTAL, .in = { NOWHERE, 0 } },
  { "out is no memory", .kind = SCAN_TOTAL, .is_empty = 1, .in = { NOWHERE, 0 }, .out = { NOWHERE, 0 } },
  { "out is not aligned", .kind = SCAN_TOTAL, .out = { SLOTS, 1 } },
  { "args->carry_out lies within in or out", .kind = SCAN_TOTAL, .out = { SLOTS, 0 }, .carry_out = { SLOTS, 0 } },
  { "it has no SCAN_TOTAL", .is_lacking = 1, .kind = SCAN_TOTAL, .strategy = SCAN_STRATEGY_BLELLOCH },
  /* segments */
  { "is no scan_segments", .segments = 5, MARKED },
  { "spec->segments is 0", MARKED },
  { "names neither keys nor offsets", .segments = SCAN_SEGMENTS_FLAGS, .key_type = SCAN_U8, MARKED },
  { "which is no type", .segments = SCAN_SEGMENTS_KEYS, MARKED },
  { "offsets are SCAN_U32 or SCAN_U64", .segments = SCAN_SEGMENTS_OFFSETS, .key_type = SCAN_I32, MARKED },
  { "args->marks is no memory", .segments = SCAN_SEGMENTS_FLAGS, .marks = { NOWHERE, 0 }, .mark_count = N },
  { "mark_count is 0", .segments = SCAN_SEGMENTS_FLAGS, MARKED_BY(0) },
  { "mark_count is 8", .segments = SCAN_SEGMENTS_FLAGS, MARKED_BY(N - 1) },
  { "mark_count is 0", .segments = SCAN_SEGMENTS_BITS, MARKED_BY(0) },
  { "mark_count is 0", .segments = SCAN_SEGMENTS_KEYS, .key_type = SCAN_U32, MARKED_BY(0) },
  { "mark_count is 0", .segments = SCAN_SEGMENTS_OFFSETS, .key_type = SCAN_U32, MARKED_BY(0) },
  BEYOND((UINT64_C(1) << 61) - 1),
  BEYOND((UINT64_C(1) << 62) - 1),
  BEYOND(UINT64_MAX),
  { "not aligned", .segments = SCAN_SEGMENTS_BITS, .marks = { SLOTS, 2 }, .mark_count = N },
  { "not aligned", .segments = SCAN_SEGMENTS_KEYS, .key_type = SCAN_U64, .marks = { SLOTS, 4 }, .mark_count = N },
  { "args->marks and out overlap", .segments = SCAN_SEGMENTS_KEYS, .key_type = SCAN_U32, .marks = { OUT, 0 },
    .mark_count = N },
  { "args->marks is too small", .segments = SCAN_SEGMENTS_KEYS, .key_type = SCAN_U32, .marks = { IN, BYTES - 32 },
    .mark_count = N },
  /* mark_count is more than the memory holds, also where the scan would not read all of it. */
  { "args->marks is too small", .segments = SCAN_SEGMENTS_FLAGS, MARKED_BY(BYTES + 1) },
  { "args->marks is too small", .segments = SCAN_SEGMENTS_BITS, MARKED_BY(8 * BYTES + 1) },
  { "args->marks is too small", .segments = SCAN_SEGMENTS_KEYS, .key_type = SCAN_U32, MARKED_BY(BYTES / 4 + 1) },
  { "args->marks is too small", .segments = SCAN_SEGMENTS_OFFSETS, .key_type = SCAN_U32, MARKED_BY(BYTES / 4) },
  /* types */
  { "sums and products of integers", .type = SCAN_F32, CHECKED },
  { "sums and products of integers", .type = SCAN_F16, CHECKED },
  { "sums and products of integers", .op = SCAN_MAX, CHECKED },
  { "and is not defined on", .type = SCAN_F16, .op = SCAN_AND },
  { "and is not defined on", .type = SCAN_BF16, .op = SCAN_AND },
};

static scan_mem memory_at(struct place place, scan_mem usual) {
  switch (place.where) {
  case IN: return scan_offset(bench.in, place.offset);
  case OUT: return scan_offset(bench.out, place.offset);
  case SLOTS: return scan_offset(bench.slots, place.offset);
  case NOWHERE: return SCAN_NO_MEM;
  case AT_NULL: return scan_host(NULL);
  default: return usual;
  }
}

static void refuse(const struct refusal *r) {
  scan_spec spec = SCAN_SPEC_INIT(r->type ? r->type : SCAN_I32, r->op ? r->op : SCAN_ADD, r->kind);
  scan_args args = SCAN_ARGS_INIT(memory_at(r->in, bench.in), memory_at(r->out, bench.out));
  spec.input_type = r->input_type;
  spec.strategy = r->strategy;
  spec.segments = (scan_segments)r->segments;
  spec.key_type = r->key_type;
  spec.flags = r->flags;
  spec.has_init = r->has_init;
  args.marks = memory_at(r->marks, SCAN_NO_MEM);
  args.mark_count = r->mark_count;
  args.carry_in = memory_at(r->carry_in, SCAN_NO_MEM);
  args.carry_out = memory_at(r->carry_out, SCAN_NO_MEM);
  const scan_status status = scan_run_args(test_ctx(), &spec, r->is_empty ? 0 : N, &args);
  refused_as(status, r->is_lacking ? SCAN_UNSUPPORTED : SCAN_INVALID_ARGUMENT,
             r->is_lacking && is_host() ? "work-groups" : r->words);
}

static void put_poison(scan_mem mem) {
  unsigned char bytes[BYTES];
  memset(bytes, POISON, sizeof bytes);
  test_ok(test_ctx(), scan_write(test_ctx(), mem, bytes, sizeof bytes), "scan_write");
}

static void expect_poison(scan_mem mem) {
  unsigned char bytes[BYTES];
  test_ok(test_ctx(), scan_read(test_ctx(), mem, bytes, sizeof bytes), "scan_read");
  for (size_t i = 0; i < sizeof bytes; i++) assert_int_equal(bytes[i], POISON);
}

static void test_calls(void **state) {
  (void)state;
  put_poison(bench.in);
  put_poison(bench.out);
  put_poison(bench.slots);
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) refuse(&refusals[i]);
  expect_poison(bench.in);
  expect_poison(bench.out);
  expect_poison(bench.slots);
}

/* Marks that fill their memory are accepted. */
static void test_counts_that_fit(void **state) {
  static const struct {
    scan_segments kind;
    scan_type key_type;
    uint64_t count;
  } marks[] = { { SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT, BYTES },
                { SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT, 8 * BYTES },
                { SCAN_SEGMENTS_KEYS, SCAN_U32, BYTES / 4 },
                { SCAN_SEGMENTS_OFFSETS, SCAN_U32, BYTES / 4 - 1 } };
  static const unsigned char zeros[BYTES];
  (void)state;
  test_ok(test_ctx(), scan_write(test_ctx(), bench.slots, zeros, BYTES), "scan_write");
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    scan_spec spec = sum_of(SCAN_U32);
    scan_args args = SCAN_ARGS_INIT(bench.in, bench.out);
    spec.segments = marks[i].kind;
    spec.key_type = marks[i].key_type;
    args.marks = bench.slots;
    args.mark_count = marks[i].count;
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, N, &args), "scan_run_args");
  }
  test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync");
}

/* A plan of a device refuses host memory. Each plan refuses a run without the marks of its spec. */
static void test_plans(void **state) {
  static const uint32_t here[16];
  scan_spec spec = sum_of(SCAN_U32), wide = sum_of(SCAN_F64);
  scan_args args = SCAN_ARGS_INIT(bench.in, bench.out);
  scan_plan *plan = NULL;
  (void)state;
  spec.segments = SCAN_SEGMENTS_KEYS;
  spec.key_type = SCAN_U32;
  args.marks = scan_host(here);
  args.mark_count = 16;
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, 16, &plan), "scan_plan_create");
  if (!is_host()) refused(scan_plan_run_args(plan, 16, &args), "host memory");
  refused(scan_plan_run(plan, 16, bench.in, bench.out), "args->marks is no memory");
  scan_plan_destroy(plan);
  for (wide.input_type = SCAN_F16; wide.input_type <= SCAN_BF16; wide.input_type++)
    lacking(scan_plan_create(test_ctx(), &wide, 10, &plan), "");
}

/* A plan checks its carries in each run. */
static void test_freed_carry(void **state) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(bench.in, bench.in);
  scan_plan *plan = NULL;
  (void)state;
  test_ok(test_ctx(), scan_alloc(test_ctx(), 64, &args.carry_out), "scan_alloc");
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, 100, &plan), "scan_plan_create");
  test_ok(test_ctx(), scan_free(test_ctx(), args.carry_out), "scan_free");
  for (uint64_t n = 0; n < 3; n++)
    refused(scan_plan_run_args(plan, n, &args), "args->carry_out is memory of another context, or was freed");
  scan_plan_destroy(plan);
}

static void test_overflow_index(void **state) {
  scan_ctx *fresh = test_ctx_new();
  uint64_t index;
  (void)state;
  assert_int_equal(scan_overflow_index(fresh, &index), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_overflow_index(fresh, NULL), SCAN_INVALID_ARGUMENT);
  scan_ctx_destroy(fresh);
}

/* ---- arrays ---- */

static scan_array packed(uint64_t rows, uint64_t columns, uint32_t axis) {
  const scan_spec spec = sum_of(SCAN_I32);
  const uint64_t shape[] = { rows, columns };
  scan_array a = SCAN_ARRAY_INIT;
  test_ok(NULL, scan_array_packed(&spec, 2, shape, axis, &a), "scan_array_packed");
  return a;
}

static void refuse_array(const scan_array *a, scan_mem in, scan_mem out, const char *words) {
  const scan_spec spec = sum_of(SCAN_I32);
  refused(scan_run_array(test_ctx(), &spec, a, in, out), words);
}

/* Replaces one field of an array of 10 x 20 elements. */
static void test_shapes(void **state) {
#define FIELD(member) offsetof(scan_array, member), sizeof(((scan_array *)0)->member)
  static const struct {
    size_t at, bytes;
    int64_t value;
    const char *words;
  } fields[] = {
    { FIELD(struct_bytes), 8, "SCAN_ARRAY_INIT" },
    { FIELD(ndim), 0, "array->ndim is 0" },
    { FIELD(ndim), 9, "array->ndim is 9" },
    { FIELD(axis), 2, "array->axis is 2" },
    { FIELD(in_strides[0]), 82, "axis 0: the input's stride of 82 bytes is no multiple" },
    { FIELD(out_strides[1]), 6, "axis 1: the output's stride of 6 bytes is no multiple" },
    { FIELD(out_strides[0]), 0, "axis 0: the output's stride is 0" },
    { FIELD(out_strides[0]), 76, "axis 0: the output's stride of 76 bytes is less than the 80" },
    { FIELD(shape[0]), INT64_C(1) << 62, "axis 1: with its length of 20" },
    { FIELD(shape[0]), INT64_C(1) << 57, "axis 0: " },
  };
  (void)state;
  refuse_array(NULL, bench.large, bench.large, "array is NULL");
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    scan_array a = packed(10, 20, 1);
    memcpy((char *)&a + fields[i].at, &fields[i].value, fields[i].bytes);
    refuse_array(&a, bench.in, bench.large, fields[i].words);
  }
}

/* bench.large holds an array of 1000 x 1000 elements; bench.small lacks one element. */
static void test_arrays(void **state) {
  scan_array a = packed(1000, 1000, 0), turned = a;
  const scan_mem large = bench.large, small = bench.small, none = SCAN_NO_MEM;
  (void)state;
  turned.out_strides[1] = -4;
  refuse_array(&a, none, large, "in is no memory");
  refuse_array(&a, large, small, "axis 0: out is too small");
  refuse_array(&a, small, large, "axis 0: in is too small");
  refuse_array(&a, scan_offset(large, 2), large, "in is not aligned");
  refuse_array(&turned, large, small, "axis 1: out begins 0 bytes before");
  refuse_array(&a, large, scan_offset(large, 4), "in and out overlap along axis 0");
  refuse_array(&turned, large, scan_offset(large, 3996), "in and out overlap along axis 0");
}

static void test_plans_of_arrays(void **state) {
  const scan_array a = packed(10, 20, 1);
  scan_spec spec = sum_of(SCAN_I32);
  scan_plan *plan = NULL;
  (void)state;
  test_ok(test_ctx(), scan_plan_create_array(test_ctx(), &spec, &a, &plan), "scan_plan_create_array");
  refused(scan_plan_run(plan, 200, bench.large, bench.small), "scan_plan_run_array");
  scan_plan_destroy(plan);
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, 10, &plan), "scan_plan_create");
  refused(scan_plan_run_array(plan, bench.large, bench.small), "");
  scan_plan_destroy(plan);
  refused(scan_plan_create_array(test_ctx(), &spec, &a, NULL), "");
  spec.strategy = SCAN_STRATEGY_SEQUENTIAL;
  lacking(scan_run_array(test_ctx(), &spec, &a, bench.large, bench.small), "");
  spec.strategy = SCAN_STRATEGY_AUTO;
  spec.kind = SCAN_TOTAL;
  lacking(scan_run_array(test_ctx(), &spec, &a, bench.large, bench.small), "");
}

static void test_marks_of_arrays(void **state) {
  const scan_array a = packed(10, 20, 0);
  scan_spec spec = sum_of(SCAN_I32);
  scan_args args = SCAN_ARGS_INIT(bench.large, bench.small);
  (void)state;
  refused(scan_run_array_args(test_ctx(), &spec, &a, NULL), "args is NULL");
  args.carry_out = bench.slots;
  refused(scan_run_array_args(test_ctx(), &spec, &a, &args), "scans of arrays take no carries");
  args.carry_out = SCAN_NO_MEM;
  spec.segments = SCAN_SEGMENTS_OFFSETS;
  spec.key_type = SCAN_U32;
  lacking(scan_run_array_args(test_ctx(), &spec, &a, &args), "give flags, bits or keys for arrays");
  spec.segments = SCAN_SEGMENTS_FLAGS;
  spec.key_type = SCAN_TYPE_DEFAULT;
  refused(scan_run_array_args(test_ctx(), &spec, &a, &args), "args->marks is no memory");
  refused(scan_run_array(test_ctx(), &spec, &a, bench.large, bench.small), "args->marks is no memory");
  args.marks = bench.slots;
  args.mark_count = 199;
  refused(scan_run_array_args(test_ctx(), &spec, &a, &args), "n is 200, but args->mark_count is 199");
  args.mark_count = 200;
  args.marks = bench.small;
  refused(scan_run_array_args(test_ctx(), &spec, &a, &args), "args->marks and out overlap");
}

/* ---- streams ---- */

static _Alignas(64) unsigned char stream_in[256], stream_out[256], stream_marks[64];

static int read_nothing(void *user, uint64_t first, uint64_t items, void *to) {
  (void)user, (void)first, (void)items, (void)to;
  return 0;
}

static scan_status stream(const scan_spec *spec, const void *in, void *out, const scan_stream_options *options) {
  return scan_stream(test_ctx(), spec, N, in, out, options);
}

static void test_streams(void **state) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  scan_spec wrong = spec;
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  const scan_stream_options usual = options;
  unsigned char *in = stream_in, *out = stream_out;
  uint64_t items;
  (void)state;
  memset(out, POISON, sizeof stream_out);
  refused(stream(&spec, NULL, out, NULL), "`in` or from options->read");
  refused(stream(&spec, in, NULL, NULL), "`out` or to options->write");
  options.read = read_nothing;
  refused(stream(&spec, in, out, &options), "one of them");
  refused(stream(&spec, in + 2, out, NULL), "in is not aligned");
  refused(stream(&spec, in, out + 1, NULL), "out is not aligned");
  refused(stream(&spec, out + 4, out, NULL), "overlap");
  options = usual;
  options.device_bytes = 11;
  refused(stream(&spec, in, out, &options), "at least 12");
  options.struct_bytes = 3;
  refused(stream(&spec, in, out, &options), "struct_bytes is 3");
  options = usual;
  options.carry_out = scan_host(out);
  refused(stream(&spec, in, out, &options), "args->carry_out lies within");
  wrong.op = SCAN_OP_NONE;
  refused(stream(&wrong, in, out, NULL), "spec->op is 0");
  wrong = spec;
  wrong.strategy = SCAN_STRATEGY_BLELLOCH;
  lacking(stream(&wrong, in, out, NULL), is_host() ? "work-groups" : "scan_stream chains its chunks by carries");
  wrong = spec;
  wrong.kind = SCAN_TOTAL;
  lacking(stream(&wrong, in, out, NULL), "options->carry_out is the total");
  wrong = spec;
  wrong.segments = SCAN_SEGMENTS_OFFSETS;
  wrong.key_type = SCAN_U32;
  options = usual;
  options.marks = scan_host(stream_marks + 2);
  options.mark_count = 1;
  refused(stream(&wrong, in, out, &options), "marks is not aligned");
  options.marks = scan_host(out + 32);
  refused(stream(&wrong, in, out, &options), "marks and out overlap");
  options.marks = scan_host(stream_marks);
  options.mark_count = 0;
  refused(stream(&wrong, in, out, &options), "mark_count is 0");
  refused(scan_stream_chunk(test_ctx(), &spec, N, NULL, NULL), "items is NULL");
  refused(scan_stream_pin(test_ctx(), NULL, 5), "memory is NULL");
  refused(scan_stream_pin(test_ctx(), &items, 0), "bytes is 0");
  refused(scan_stream_unpin(test_ctx(), NULL), "memory is NULL");
  for (size_t i = 0; i < sizeof stream_out; i++) assert_int_equal(out[i], POISON);
}

/* ---- operators ---- */

static scan_op_source source_named(const char *name) {
  source_operator source;
  if (source_operator_find(name, &source) != 0) test_fail("there is no operator %s", name);
  return source.structure->source;
}

static void refuse_source(const scan_op_source *source, scan_status want, const char *words) {
  scan_op *op = NULL;
  refused_as(scan_op_create(test_ctx(), source, &op), want, words);
}

#define REFUSE(member, wrong, want, words)                                                                             \
  do {                                                                                                                 \
    scan_op_source s = whole;                                                                                          \
    s.member = (wrong);                                                                                                \
    refuse_source(&s, want, words);                                                                                    \
  } while (0)

static void test_sources(void **state) {
  const scan_op_source whole = source_named("colour");
  (void)state;
  REFUSE(map, NULL, SCAN_INVALID_ARGUMENT, "without source->map");
  REFUSE(emit, NULL, SCAN_INVALID_ARGUMENT, "without source->emit");
  REFUSE(map, "a b", SCAN_INVALID_ARGUMENT, "source->map must be the name");
  REFUSE(input_type, NULL, SCAN_INVALID_ARGUMENT, "source->input_type must name");
  REFUSE(output_bytes, 65, SCAN_INVALID_ARGUMENT, "source->output_bytes is 65");
  REFUSE(input_align, 2, SCAN_INVALID_ARGUMENT, "source->input_align is 2");
  if (is_host()) {
    scan_op_source s = whole;
    s.map_host = NULL, s.map_loop = NULL;
    refuse_source(&s, SCAN_UNSUPPORTED, "source->map_host");
    s = whole;
    s.emit_host = NULL, s.emit_loop = NULL;
    refuse_source(&s, SCAN_UNSUPPORTED, "source->emit_host");
    return;
  }
  REFUSE(input_bytes, 4, SCAN_INVALID_ARGUMENT, "source->input_bytes is 4");
  REFUSE(output_align, 8, SCAN_INVALID_ARGUMENT, "source->output_align is 8");
  REFUSE(emit, "no_such_function", SCAN_BUILD_FAILED, "no_such_function");
}

static void test_emit(void **state) {
  static _Alignas(64) unsigned char some[SCAN_OP_MOST_BYTES * 10];
  scan_op_source source = source_named("span");
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(scan_host(some), scan_host(some));
  scan_plan *plan = NULL;
  (void)state;
  const void *identity = source.identity;
  source.identity = NULL;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &spec.custom_op), "scan_op_create");
  refused(scan_run_args(test_ctx(), &spec, 1, &args), "span_emit sees before the first element needs spec->init_bytes");
  spec.has_init = 1;
  spec.init_bytes = identity;
  spec.kind = SCAN_EXCLUSIVE;
  refused(scan_plan_create(test_ctx(), &spec, 10, &plan), "must be SCAN_INCLUSIVE");
  spec.kind = SCAN_TOTAL;
  refused(scan_plan_create(test_ctx(), &spec, 10, &plan), "must be SCAN_INCLUSIVE");
  refused(scan_run_args(test_ctx(), &spec, 0, &args), "");
  refused(stream(&spec, some, some, NULL), "");
  scan_op_destroy(spec.custom_op);
}

/* Elements of 1 byte become values of 8. */
static void test_sizes(void **state) {
  static uint64_t out[N];
  const scan_op_source source = source_named("wide");
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  (void)state;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &spec.custom_op), "scan_op_create");
  refused(scan_run(test_ctx(), &spec, 8, scan_host(out), scan_host(out)), "");
  spec.kind = SCAN_TOTAL;
  lacking(stream(&spec, stream_in, out, NULL), "");
  scan_op_destroy(spec.custom_op);
}

static void test_composites(void **state) {
  scan_op *op = NULL;
  (void)state;
  assert_int_equal(scan_composite_create(NULL, SCAN_AFFINE_F32, &op), SCAN_INVALID_ARGUMENT);
  refused(scan_composite_create(test_ctx(), SCAN_COMPOSITE_NONE, &op), "0 is no composite");
  refused(scan_composite_create(test_ctx(), (scan_composite)99, &op), "");
  refused(scan_composite_create(test_ctx(), SCAN_AFFINE_F32, NULL), "");
  assert_null(op);
  if (!test_info()->has_fp64) lacking(scan_composite_create(test_ctx(), SCAN_AFFINE_F64, &op), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_calls),
    cmocka_unit_test_setup(test_counts_that_fit, test_count_setup),
    cmocka_unit_test(test_plans),
    cmocka_unit_test(test_freed_carry),
    cmocka_unit_test_setup(test_overflow_index, test_count_setup),
    cmocka_unit_test(test_shapes),
    cmocka_unit_test(test_arrays),
    cmocka_unit_test(test_plans_of_arrays),
    cmocka_unit_test(test_marks_of_arrays),
    cmocka_unit_test(test_streams),
    cmocka_unit_test(test_sources),
    cmocka_unit_test(test_emit),
    cmocka_unit_test(test_sizes),
    cmocka_unit_test(test_composites),
  };
  scan_ctx *ctx = test_device_open();
  scan_mem *const memory[] = { &bench.in, &bench.out, &bench.slots };
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
    test_ok(ctx, scan_alloc(ctx, BYTES, memory[i]), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 4000000 + 64, &bench.large), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 4000000 - 4, &bench.small), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("scan_refusals", tests, NULL, NULL));
}
