/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests streams: chunk sizes, callbacks that end the scan, and offsets that do not ascend. Cases (tools/cases/) check
 * the results of streams. */
#include <scanrt/scan_stream.h>

#include "support.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { N = 5000, CHUNK = 400, POISON = 0xA5 };

static int32_t in[N], out[N + 16], want[N];

/* Fills the input of an exclusive sum and computes its result; each seed gives other numbers. */
static scan_spec fill(uint64_t seed) {
  struct rng rng = { seed };
  int32_t sum = 0;
  for (int i = 0; i < N; i++) {
    in[i] = (int32_t)rng_below(&rng, 2001) - 1000;
    want[i] = sum;
    sum += in[i];
  }
  memset(out, POISON, sizeof out);
  return (scan_spec)SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
}

static void expect_words(scan_status got, const char *words) {
  const char *text = scan_last_error(test_ctx());
  if (got != SCAN_CANCELLED || !strstr(text, words))
    test_fail("%s: \"%s\" instead of SCAN_CANCELLED: \"%s\"", scan_status_name(got), text, words);
}

/* ---- chunks ---- */

/* Without options a small scan is one chunk. */
static void test_defaults(void **state) {
  const scan_spec spec = fill(1);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  static const struct {
    uint64_t n, device_bytes, chunk_items, want;
  } chunks[] = {
    { N, 0, 0, N },
    { UINT64_C(1) << 32, 0, 0, 8 << 20 },
    { 1 << 30, 12 * 10000, 0, 8192 }, /* rounded up */
    { 1 << 30, 12, 0, 1 },
    { 9, 24, 3, 2 }, /* the most that the memory allows */
  };
  (void)state;
  test_ok(test_ctx(), scan_stream(test_ctx(), &spec, N, in, out, NULL), "scan_stream");
  assert_memory_equal(out, want, sizeof want);
  for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
    uint64_t items = 0;
    options.device_bytes = chunks[i].device_bytes;
    options.chunk_items = chunks[i].chunk_items;
    test_ok(test_ctx(), scan_stream_chunk(test_ctx(), &spec, chunks[i].n, i ? &options : NULL, &items),
            "scan_stream_chunk");
    assert_int_equal(items, chunks[i].want);
  }
}

/* ---- callbacks that end the scan ---- */

/* Counts elements that were read, written and reported. From element `stop` on, the callback `who` asks to end. */
enum { STOP_READ, STOP_WRITE, STOP_PROGRESS };
struct side {
  int who;
  uint64_t stop, read, written, done;
};

static int stops(const struct side *side, int who, uint64_t end) { return side->who == who && end > side->stop; }

static int read_some(void *user, uint64_t first, uint64_t items, void *to) {
  struct side *side = user;
  if (first != side->read) test_fail("read: %llu", (unsigned long long)first);
  if (stops(side, STOP_READ, first + items)) return 7;
  memcpy(to, in + first, items * sizeof in[0]);
  side->read += items;
  return 0;
}

static int write_some(void *user, uint64_t first, uint64_t items, const void *from) {
  struct side *side = user;
  if (first != side->written) test_fail("write: %llu", (unsigned long long)first);
  if (stops(side, STOP_WRITE, first + items)) return 8;
  memcpy(out + first, from, items * sizeof out[0]);
  side->written += items;
  return 0;
}

static int see_progress(void *user, uint64_t done, uint64_t n) {
  struct side *side = user;
  if (n != N || done <= side->done) test_fail("progress: %llu", (unsigned long long)done);
  side->done = done;
  return stops(side, STOP_PROGRESS, done) ? 9 : 0;
}

/* Checks that results delivered before the end are right, and that the context still works. */
static void test_cancelling(void **state) {
  static const char *const words[] = { "options->read returned 7 at element", "options->write returned 8 at element",
                                       "options->progress returned 9" };
  (void)state;
  for (uint64_t stop = 0; stop < N; stop += 333)
    for (int who = STOP_READ; who <= STOP_PROGRESS; who++)
      for (int variant = 0; variant < 4; variant++) {
        const scan_spec spec = fill(stop);
        struct side side = { .stop = stop };
        scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
        const int reads = variant & 1 || who == STOP_READ, writes = variant & 2 || who == STOP_WRITE;
        side.who = who;
        options.chunk_items = CHUNK;
        options.user = &side;
        options.progress = see_progress;
        if (reads) options.read = read_some;
        if (writes) options.write = write_some;
        const scan_status status = scan_stream(test_ctx(), &spec, N, reads ? NULL : in, writes ? NULL : out, &options);
        expect_words(status, words[who]);
        assert_memory_equal(out, want, (writes ? side.written : side.done) * sizeof out[0]);
        if (who == STOP_PROGRESS)
          assert_int_equal(side.done, stop / CHUNK * CHUNK + CHUNK > N ? N : stop / CHUNK * CHUNK + CHUNK);
      }
  const scan_spec spec = fill(1);
  test_ok(test_ctx(), scan_stream(test_ctx(), &spec, N, in, out, NULL), "scan_stream");
  assert_memory_equal(out, want, sizeof want);
}

/* ---- offsets ---- */

/* 1 for the fake CUDA driver, which runs no kernels of segments and has no compiler. */
static int is_stand_in(void) {
  return test_info()->backend == SCAN_BACKEND_CUDA && strncmp(test_info()->name, "Fake GPU", 8) == 0;
}

/* Offsets that do not ascend give unspecified results, within the output. */
static void test_wild_offsets(void **state) {
  static uint64_t wild[N + 1];
  struct rng rng = { 0x57eea3 };
  scan_spec spec = fill(2);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  (void)state;
  if (is_stand_in()) skip();
  for (int k = 0; k <= N; k++) wild[k] = rng_next(&rng) >> rng_below(&rng, 64);
  spec.segments = SCAN_SEGMENTS_OFFSETS;
  spec.key_type = SCAN_U64;
  options.marks = scan_host(wild);
  options.mark_count = N;
  options.chunk_items = 77;
  test_ok(test_ctx(), scan_stream(test_ctx(), &spec, N, in, out, &options), "scan_stream");
  for (size_t i = sizeof want; i < sizeof out; i++) assert_int_equal(((unsigned char *)out)[i], POISON);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_defaults, test_count_setup),
    cmocka_unit_test_setup(test_cancelling, test_count_setup),
    cmocka_unit_test_setup(test_wild_offsets, test_count_setup),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("stream", tests, NULL, NULL));
}
