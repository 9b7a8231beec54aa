/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of host data in chunks through the device, against a reference that seeds each chunk with what the one before
 * leaves: pointers and callbacks, in place, every number of chunks, carries of the whole; callbacks that end the scan.
 */
#include "reference.h"
#include "support.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 400000, POISON = 0xA5 };

struct subject {
  scan_type type, input_type;
  scan_op_id op;
};

/* How the data come and go. */
enum { IN_READ = 1, OUT_WRITE = 2, IN_PLACE = 4, PINNED = 8 };

static struct {
  struct rng rng;
  _Alignas(64) unsigned char in[MOST_ITEMS * 8];
  _Alignas(64) unsigned char out[MOST_ITEMS * 8];
  _Alignas(64) unsigned char want[MOST_ITEMS * 8];
  _Alignas(64) unsigned char chunk[MOST_ITEMS * 8];
} bench = { .rng = { 0x57eea3 } };

static size_t in_bytes(const struct subject *s) {
  return reference_bytes(s->input_type != SCAN_TYPE_DEFAULT ? s->input_type : s->type);
}

static scan_spec spec_of(const struct subject *s, scan_kind kind) {
  scan_spec spec = SCAN_SPEC_INIT(s->type, s->op, kind);
  spec.input_type = s->input_type;
  return spec;
}

/* The chunks one after the other; `left` is what the last one leaves. */
static void expect(const struct subject *s, scan_spec spec, uint64_t n, uint64_t chunk_items, scan_value *left) {
  const size_t bytes = reference_bytes(s->type);
  const scan_kind kind = spec.kind;
  if (!spec.has_init && kind == SCAN_EXCLUSIVE && reference_is_float(s->type) && s->op == SCAN_ADD) spec.has_init = 1;
  for (uint64_t first = 0; first < n; first += chunk_items) {
    const uint64_t items = n - first < chunk_items ? n - first : chunk_items;
    const unsigned char *in = bench.in + first * in_bytes(s);
    spec.kind = kind;
    reference_scan(&spec, items, in, bench.want + first * bytes);
    spec.kind = SCAN_INCLUSIVE;
    reference_scan(&spec, items, in, bench.chunk);
    spec.has_init = 1;
    memcpy(&spec.init, bench.chunk + (items - 1) * bytes, bytes);
  }
  memcpy(left, &spec.init, sizeof *left);
}

/* ---- the application's side ---- */

struct side {
  const struct subject *subject;
  uint64_t read, written, done, n;
  uint64_t stop_read, stop_written, stop_done; /* from this element on, the callback says no; UINT64_MAX: never */
  int calls;
};

static int read_some(void *user, uint64_t first, uint64_t items, void *to) {
  struct side *side = user;
  if (first != side->read || items == 0 || first + items > side->n) test_fail("read: %llu", (unsigned long long)first);
  if (first + items > side->stop_read) return 7;
  memcpy(to, bench.in + first * in_bytes(side->subject), items * in_bytes(side->subject));
  side->read += items;
  return 0;
}

static int write_some(void *user, uint64_t first, uint64_t items, const void *from) {
  struct side *side = user;
  const size_t bytes = reference_bytes(side->subject->type);
  if (first != side->written || items == 0 || first + items > side->n)
    test_fail("write: %llu", (unsigned long long)first);
  if (first + items > side->stop_written) return 8;
  memcpy(bench.out + first * bytes, from, items * bytes);
  side->written += items;
  return 0;
}

static int see_progress(void *user, uint64_t done, uint64_t n) {
  struct side *side = user;
  if (n != side->n || done <= side->done || done > n) test_fail("progress: %llu", (unsigned long long)done);
  side->done = done;
  side->calls++;
  return done >= side->stop_done ? 9 : 0;
}

static struct side side_of(const struct subject *s, uint64_t n) {
  return (struct side){
    .subject = s, .n = n, .stop_read = UINT64_MAX, .stop_written = UINT64_MAX, .stop_done = UINT64_MAX
  };
}

/* ---- one scan ---- */

/* `carry`: where the whole begins from and what it leaves; or no memory. */
static scan_status stream_carried(const scan_spec *spec, struct side *side, int how, uint64_t chunk_items,
                                  scan_mem carry) {
  scan_ctx *ctx = test_ctx();
  const size_t out_size = side->n * reference_bytes(spec->type), in_size = side->n * in_bytes(side->subject);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  options.chunk_items = chunk_items;
  options.user = side;
  options.progress = see_progress;
  options.carry_in = options.carry_out = carry;
  if (how & IN_READ) options.read = read_some;
  if (how & OUT_WRITE) options.write = write_some;
  memset(bench.out, POISON, sizeof bench.out);
  if (how & IN_PLACE) memcpy(bench.out, bench.in, in_size);
  unsigned char *in = how & IN_PLACE ? bench.out : bench.in;
  if (how & PINNED) {
    test_ok(ctx, scan_stream_pin(ctx, bench.in, sizeof bench.in), "scan_stream_pin");
    test_ok(ctx, scan_stream_pin(ctx, bench.out, sizeof bench.out), "scan_stream_pin");
  }
  const scan_status status =
      scan_stream(ctx, spec, side->n, how & IN_READ ? NULL : in, how & OUT_WRITE ? NULL : bench.out, &options);
  if (how & PINNED) {
    test_ok(ctx, scan_stream_unpin(ctx, bench.in), "scan_stream_unpin");
    test_ok(ctx, scan_stream_unpin(ctx, bench.out), "scan_stream_unpin");
  }
  for (size_t i = out_size > in_size || !(how & IN_PLACE) ? out_size : in_size; i < out_size + 64; i++)
    if (bench.out[i] != POISON) test_fail("byte %zu behind the output was written", i - out_size);
  return status;
}

static scan_status stream(const scan_spec *spec, struct side *side, int how, uint64_t chunk_items) {
  return stream_carried(spec, side, how, chunk_items, SCAN_NO_MEM);
}

static void run_one(const struct subject *s, scan_kind kind, uint64_t n, uint64_t chunk_items, int how) {
  char text[TEST_TEXT];
  scan_value left;
  scan_spec spec = spec_of(s, kind);
  struct side side = side_of(s, n);
  if (how & 1) {
    spec.has_init = 1;
    spec.init = values_init(&bench.rng, s->type, s->op);
  }
  const uint64_t chunks = (n + chunk_items - 1) / chunk_items;
  expect(s, spec, n, chunk_items, &left);
  test_ok(test_ctx(), stream(&spec, &side, how, chunk_items), test_spec_text(&spec, text));
  const uint64_t bad = reference_mismatch(s->type, n, bench.out, bench.want);
  if (bad != n)
    test_fail("%s, n=%llu, chunks of %llu, manner %d: element %llu is wrong", test_spec_text(&spec, text),
              (unsigned long long)n, (unsigned long long)chunk_items, how, (unsigned long long)bad);
  if ((uint64_t)side.calls != chunks || side.done != n) test_fail("%d calls of progress", side.calls);
  test_ran();
}

static void fill(const struct subject *s, uint64_t n) {
  values_fill(&bench.rng, s->input_type ? s->input_type : s->type, s->op, n, n, bench.in);
}

static uint64_t most_items(void) { return test_is_small() || test_info()->loop_limit ? 9000 : MOST_ITEMS - 64; }

static void test_every_manner(void **state) {
  static const struct subject subjects[] = {
    { SCAN_F32, SCAN_TYPE_DEFAULT, SCAN_ADD }, { SCAN_I64, SCAN_I32, SCAN_ADD },
    { SCAN_U8, SCAN_TYPE_DEFAULT, SCAN_MUL },  { SCAN_I32, SCAN_TYPE_DEFAULT, SCAN_MAX },
    { SCAN_F64, SCAN_F32, SCAN_ADD },
  };
  static const int manners[] = { 0, IN_READ, OUT_WRITE, IN_READ | OUT_WRITE, IN_PLACE, PINNED, PINNED | IN_PLACE };
  (void)state;
  for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
    const struct subject *s = &subjects[i];
    if (!test_has_type(s->type)) continue;
    fill(s, most_items());
    for (size_t m = 0; m < sizeof manners / sizeof manners[0]; m++) {
      if (manners[m] & IN_PLACE && in_bytes(s) != reference_bytes(s->type)) continue;
      for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
        run_one(s, (scan_kind)kind, most_items(), most_items() / 7, manners[m]);
        run_one(s, (scan_kind)kind, most_items(), 1 + rng_below(&bench.rng, most_items() / 3), manners[m]);
      }
    }
  }
}

static void test_few_elements(void **state) {
  static const struct subject s = { SCAN_I32, SCAN_TYPE_DEFAULT, SCAN_ADD };
  (void)state;
  fill(&s, 5000);
  for (uint64_t chunks = 0; chunks < 9; chunks++)
    for (uint64_t n = chunks * 100 + 99; n <= chunks * 100 + 101; n++)
      run_one(&s, (scan_kind)(n % 2), n, 100, (int)(n % 4));
  for (uint64_t n = 1; n < 12; n++) run_one(&s, SCAN_EXCLUSIVE, n, 1, (int)(n % 8));
  run_one(&s, SCAN_INCLUSIVE, 5000, 1u << 20, 0); /* all at once, by as many as there are */
}

/* More than a copy by several threads begins with. */
static void test_large_chunks(void **state) {
  static const struct subject s = { SCAN_U64, SCAN_U32, SCAN_ADD };
  (void)state;
  if (most_items() < 300000) {
    test_skipped("large chunks take too long here");
    return;
  }
  fill(&s, most_items());
  for (int how = 0; how < 4; how++) run_one(&s, SCAN_EXCLUSIVE, most_items(), 300000, how);
}

/* With no options a small scan is one chunk, and the same bits as scan_run's. */
static void test_defaults(void **state) {
  static const struct subject s = { SCAN_F32, SCAN_TYPE_DEFAULT, SCAN_ADD };
  const scan_spec spec = spec_of(&s, SCAN_INCLUSIVE);
  scan_ctx *ctx = test_ctx();
  const uint64_t n = most_items();
  uint64_t items = 0;
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  (void)state;
  fill(&s, n);
  test_ok(ctx, scan_run(ctx, &spec, n, scan_host(bench.in), scan_host(bench.want)), "scan_run");
  test_ok(ctx, scan_stream(ctx, &spec, n, bench.in, bench.out, NULL), "scan_stream");
  assert_memory_equal(bench.out, bench.want, n * 4);
  test_ok(ctx, scan_stream_chunk(ctx, &spec, n, NULL, &items), "scan_stream_chunk");
  assert_int_equal(items, n);
  test_ok(ctx, scan_stream_chunk(ctx, &spec, UINT64_C(1) << 32, NULL, &items), "scan_stream_chunk");
  assert_int_equal(items, 8 << 20);
  options.device_bytes = 12 * 10000;
  test_ok(ctx, scan_stream_chunk(ctx, &spec, 1 << 30, &options, &items), "scan_stream_chunk");
  assert_int_equal(items, 8192); /* rounded */
  options.device_bytes = 12;
  test_ok(ctx, scan_stream_chunk(ctx, &spec, 1 << 30, &options, &items), "scan_stream_chunk");
  assert_int_equal(items, 1);
}

static void test_carries_of_the_whole(void **state) {
  static const struct subject s = { SCAN_F32, SCAN_TYPE_DEFAULT, SCAN_ADD };
  scan_ctx *ctx = test_ctx();
  (void)state;
  fill(&s, 5000);
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++)
    for (uint64_t chunk = 700; chunk <= 5700; chunk += 5000) {
      scan_value begin = { .f32 = 1.5f }, left, got = { 0 };
      struct side side = side_of(&s, 5000);
      scan_spec spec = spec_of(&s, (scan_kind)kind);
      scan_mem carry;
      scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
      test_ok(ctx, scan_alloc(ctx, 4, &carry), "scan_alloc");
      test_ok(ctx, scan_write(ctx, carry, &begin, 4), "scan_write");
      options.carry_in = options.carry_out = carry;
      scan_spec seeded = spec;
      seeded.has_init = 1;
      seeded.init = begin;
      expect(&s, seeded, 5000, chunk, &left);
      test_ok(ctx, stream_carried(&spec, &side, 0, chunk, carry), "scan_stream");
      assert_memory_equal(bench.out, bench.want, 5000 * 4);
      test_ok(ctx, scan_read(ctx, carry, &got, 4), "scan_read");
      assert_memory_equal(&got, &left, 4);
      test_ok(ctx, scan_stream(ctx, &spec, 0, NULL, NULL, &options), "scan_stream over nothing");
      test_ok(ctx, scan_free(ctx, carry), "scan_free");
    }
}

/* ---- segments by offsets ---- */

/* Offsets count the elements of the whole: some are where chunks begin, several are one. */
static uint64_t make_offsets(uint64_t n, uint64_t chunk, uint8_t *begins, uint32_t *narrow, uint64_t *wide) {
  uint64_t count = 0;
  memset(begins, 0, n + 1);
  for (uint64_t i = 0; i < n; i++) {
    const int at_border = i % chunk == 0 && i / chunk % 2 == 1;
    if (i > 0 && !at_border && rng_below(&bench.rng, 100) > 2) continue;
    begins[i] = 1;
    for (uint64_t same = 1 + rng_below(&bench.rng, 3); same > 0; same--) wide[count++] = i;
  }
  wide[count] = n;
  for (uint64_t k = 0; k <= count; k++) narrow[k] = (uint32_t)wide[k];
  begins[n] = 1;
  return count;
}

/* `sum`: what the scan begins from; returns what it leaves. */
static int32_t expect_segments(scan_spec spec, uint64_t n, const uint8_t *begins, int32_t sum) {
  const int backward = (spec.flags & SCAN_BACKWARD) != 0;
  const int32_t *in = (const int32_t *)bench.in;
  int32_t *want = (int32_t *)bench.want;
  for (uint64_t k = 0; k < n; k++) {
    const uint64_t i = backward ? n - 1 - k : k;
    if (k > 0 && begins[backward ? i + 1 : i]) sum = 0;
    want[i] = spec.kind == SCAN_EXCLUSIVE ? sum : sum + in[i];
    sum += in[i];
  }
  return sum;
}

/* The stand-in for CUDA runs none of the kernels that segments take, and finds no compiler for them. */
static int is_stand_in(void) {
  return test_info()->backend == SCAN_BACKEND_CUDA && strncmp(test_info()->name, "Fake GPU", 8) == 0;
}

static void test_offsets(void **state) {
  enum { N = 5000, CHUNK = 700 };
  static uint8_t begins[N + 1];
  static uint32_t narrow[3 * N + 1];
  static uint64_t wide[3 * N + 1];
  const uint64_t count = make_offsets(N, CHUNK, begins, narrow, wide);
  (void)state;
  if (is_stand_in()) skip();
  for (uint64_t i = 0; i < N; i++) ((int32_t *)bench.in)[i] = (int32_t)rng_below(&bench.rng, 1000) - 500;
  for (int way = 0; way < 16; way++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, way & 1 ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE);
    scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
    int32_t from = 1234567, left = 0;
    spec.flags = way & 2 ? SCAN_BACKWARD : 0;
    spec.segments = SCAN_SEGMENTS_OFFSETS;
    spec.key_type = way & 4 ? SCAN_U64 : SCAN_U32;
    options.marks = scan_host(way & 4 ? (void *)wide : (void *)narrow);
    options.mark_count = count;
    options.chunk_items = CHUNK;
    options.carry_out = scan_host(&left);
    if (way & 8) options.carry_in = scan_host(&from);
    const int32_t leaves = expect_segments(spec, N, begins, way & 8 ? from : 0);
    memset(bench.out, POISON, (size_t)N * 4 + 64);
    test_ok(test_ctx(), scan_stream(test_ctx(), &spec, N, bench.in, bench.out, &options), "scan_stream");
    for (int i = 0; i < N; i++)
      if (memcmp(bench.out + 4 * i, bench.want + 4 * i, 4) != 0) test_fail("way %d: element %d is wrong", way, i);
    assert_int_equal(left, leaves);
    test_ran();
  }
}

/* Such as are not ascending: something unspecified, within the output. */
static void test_wild_offsets(void **state) {
  enum { N = 1000 };
  static uint64_t wild[N + 1];
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  (void)state;
  if (is_stand_in()) skip();
  for (int k = 0; k <= N; k++) wild[k] = rng_next(&bench.rng) >> rng_below(&bench.rng, 64);
  spec.segments = SCAN_SEGMENTS_OFFSETS;
  spec.key_type = SCAN_U64;
  options.marks = scan_host(wild);
  options.mark_count = N;
  options.chunk_items = 77;
  memset(bench.out, POISON, (size_t)N * 4 + 64);
  test_ok(test_ctx(), scan_stream(test_ctx(), &spec, N, bench.in, bench.out, &options), "scan_stream");
  for (int i = 4 * N; i < 4 * N + 64; i++) assert_int_equal(bench.out[i], POISON);
}

/* ---- ends and refusals ---- */

static void check_words(scan_status got, scan_status want, const char *words) {
  const char *text = scan_last_error(test_ctx());
  if (got != want || !strstr(text, words))
    test_fail("%s: \"%s\" instead of %s: \"%s\"", scan_status_name(got), text, scan_status_name(want), words);
}

/* What was delivered before the end is right, and the context goes on. */
static void test_cancelling(void **state) {
  static const struct subject s = { SCAN_I32, SCAN_TYPE_DEFAULT, SCAN_ADD };
  const scan_spec spec = spec_of(&s, SCAN_EXCLUSIVE);
  scan_value left;
  (void)state;
  fill(&s, 5000);
  expect(&s, spec, 5000, 400, &left);
  for (uint64_t stop = 1; stop <= 5000; stop += 333) {
    struct side side = side_of(&s, 5000);
    side.stop_done = stop;
    check_words(stream(&spec, &side, (int)(stop % 4), 400), SCAN_CANCELLED, "options->progress returned 9");
    assert_int_equal(side.done, (stop + 399) / 400 * 400 < 5000 ? (stop + 399) / 400 * 400 : 5000);
    assert_memory_equal(bench.out, bench.want, side.done * 4);
    side = side_of(&s, 5000);
    side.stop_read = stop - 1;
    check_words(stream(&spec, &side, IN_READ, 400), SCAN_CANCELLED, "options->read returned 7 at element");
    assert_memory_equal(bench.out, bench.want, side.done * 4);
    side = side_of(&s, 5000);
    side.stop_written = stop - 1;
    check_words(stream(&spec, &side, OUT_WRITE, 400), SCAN_CANCELLED, "options->write returned 8 at element");
    assert_memory_equal(bench.out, bench.want, side.written * 4);
    run_one(&s, SCAN_INCLUSIVE, 1000, 300, 0);
    fill(&s, 5000);
    expect(&s, spec, 5000, 400, &left);
  }
}

static void test_refusals(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  scan_spec wrong = spec;
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  uint64_t items;
  (void)state;
  memset(bench.out, POISON, 4096);
  memcpy(bench.want, bench.out, 4096);
  check_words(scan_stream(ctx, &spec, 9, NULL, bench.out, NULL), SCAN_INVALID_ARGUMENT, "`in` or from options->read");
  check_words(scan_stream(ctx, &spec, 9, bench.in, NULL, NULL), SCAN_INVALID_ARGUMENT, "`out` or to options->write");
  options.read = read_some;
  check_words(scan_stream(ctx, &spec, 9, bench.in, bench.out, &options), SCAN_INVALID_ARGUMENT, "one of them");
  options = (scan_stream_options)SCAN_STREAM_OPTIONS_INIT;
  check_words(scan_stream(ctx, &spec, 9, bench.in + 2, bench.out, NULL), SCAN_INVALID_ARGUMENT, "in is not aligned");
  check_words(scan_stream(ctx, &spec, 9, bench.in, bench.out + 1, NULL), SCAN_INVALID_ARGUMENT, "out is not aligned");
  check_words(scan_stream(ctx, &spec, 9, bench.out + 4, bench.out, NULL), SCAN_INVALID_ARGUMENT, "overlap");
  options.device_bytes = 11;
  check_words(scan_stream(ctx, &spec, 9, bench.in, bench.out, &options), SCAN_INVALID_ARGUMENT, "at least 12");
  options.device_bytes = 24;
  options.chunk_items = 3; /* more than the memory allows: as many as it does */
  test_ok(ctx, scan_stream_chunk(ctx, &spec, 9, &options, &items), "scan_stream_chunk");
  assert_int_equal(items, 2);
  options.struct_bytes = 3;
  check_words(scan_stream(ctx, &spec, 9, bench.in, bench.out, &options), SCAN_INVALID_ARGUMENT, "struct_bytes is 3");
  wrong.op = SCAN_OP_NONE;
  check_words(scan_stream(ctx, &wrong, 9, bench.in, bench.out, NULL), SCAN_INVALID_ARGUMENT, "spec->op is 0");
  wrong = spec;
  wrong.segments = SCAN_SEGMENTS_OFFSETS;
  wrong.key_type = SCAN_U32;
  options = (scan_stream_options)SCAN_STREAM_OPTIONS_INIT;
  options.marks = scan_host(bench.want + 2);
  options.mark_count = 1;
  check_words(scan_stream(ctx, &wrong, 9, bench.in, bench.out, &options), SCAN_INVALID_ARGUMENT,
              "marks is not aligned");
  options.marks = scan_host(bench.out + 32);
  check_words(scan_stream(ctx, &wrong, 9, bench.in, bench.out, &options), SCAN_INVALID_ARGUMENT,
              "marks and out overlap");
  options.marks = scan_host(bench.want);
  options.mark_count = 0;
  check_words(scan_stream(ctx, &wrong, 9, bench.in, bench.out, &options), SCAN_INVALID_ARGUMENT, "mark_count is 0");
  wrong = spec;
  wrong.strategy = SCAN_STRATEGY_BLELLOCH;
  check_words(scan_stream(ctx, &wrong, 9, bench.in, bench.out, NULL), SCAN_UNSUPPORTED,
              test_info()->backend == SCAN_BACKEND_HOST ? "work-groups" : "scan_stream chains its chunks by carries");
  wrong = spec;
  options = (scan_stream_options)SCAN_STREAM_OPTIONS_INIT;
  options.carry_out = scan_host(bench.out);
  check_words(scan_stream(ctx, &wrong, 9, bench.in, bench.out, &options), SCAN_INVALID_ARGUMENT,
              "args->carry_out lies within");
  check_words(scan_stream_chunk(ctx, &spec, 9, NULL, NULL), SCAN_INVALID_ARGUMENT, "items is NULL");
  check_words(scan_stream_pin(ctx, NULL, 5), SCAN_INVALID_ARGUMENT, "memory is NULL");
  check_words(scan_stream_pin(ctx, &items, 0), SCAN_INVALID_ARGUMENT, "bytes is 0");
  check_words(scan_stream_unpin(ctx, NULL), SCAN_INVALID_ARGUMENT, "memory is NULL");
  assert_memory_equal(bench.out, bench.want, 4096);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_manner),
    cmocka_unit_test(test_few_elements),
    cmocka_unit_test(test_large_chunks),
    cmocka_unit_test_setup(test_defaults, test_count_setup),
    cmocka_unit_test_setup(test_carries_of_the_whole, test_count_setup),
    cmocka_unit_test(test_offsets),
    cmocka_unit_test(test_wild_offsets),
    cmocka_unit_test_setup(test_cancelling, test_count_setup),
    cmocka_unit_test_setup(test_refusals, test_count_setup),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("stream", tests, NULL, NULL));
}
