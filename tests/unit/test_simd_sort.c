/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the sorts of keys alone by vector registers (device/host/sort/simd_sort.h). */
#include <stdlib.h>
#include <string.h>

#include "device/host/sort/host_sort_part.h"
#include "device/host/sort/host_sort.h"
#include "support.h"

enum { MOST = 20000, GUARD = 64, CANARY = 0xa5 };

/* Keys of 4 or 8 bytes in the order of floating-point numbers, descending if `flips` is 1. */
typedef struct kind {
  uint32_t bytes, register_bytes;
  int flips;
} kind;

static const kind kinds[] = { { 4, 32, 0 }, { 4, 32, 1 }, { 4, 64, 0 }, { 4, 64, 1 }, { 8, 64, 0 }, { 8, 64, 1 } };

static uint64_t memory[4][MOST + 2 * GUARD];

static uint8_t *keys_at(uint32_t number) { return (uint8_t *)&memory[number][GUARD]; }

static host_sort_order order_of(const kind *k) {
  const host_sort_bits all = HOST_SORT_ALL_BITS >> (128 - 8 * k->bytes), sign = (all >> 1) + 1;
  return (host_sort_order){ .flipped = k->flips ? all ^ sign : sign, .negative = all ^ sign, .mask = all };
}

static const simd_sort *loops_of(const kind *k) {
  const scan_kernel_key key = { .kernel = "sort_threads", .type = k->bytes == 4 ? SCAN_U32 : SCAN_U64 };
  return scan_host_sort_find(&key, k->register_bytes).simd;
}

static uint64_t key_of(const kind *k, const uint8_t *keys, uint64_t i) {
  uint64_t wide = 0;
  uint32_t narrow = 0;
  if (k->bytes == 8) memcpy(&wide, keys + 8 * i, 8);
  if (k->bytes == 4) memcpy(&narrow, keys + 4 * i, 4);
  return k->bytes == 8 ? wide : narrow;
}

/* Returns the unsigned integer with the key's order. */
static uint64_t rank_of(const kind *k, uint64_t key) {
  const host_sort_order order = order_of(k);
  const int is_negative = (int)(key >> (8 * k->bytes - 1));
  return key ^ (uint64_t)order.flipped ^ (is_negative ? (uint64_t)order.negative : 0);
}

/* Fills keys: all values, few values, or ascending ones. */
static void fill(const kind *k, uint8_t *keys, uint64_t n, uint32_t shape) {
  uint64_t random = n + shape;
  for (uint64_t i = 0; i < n; i++) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t key = shape == 0 ? random ^ random >> 29 : shape == 1 ? random >> 62 : i;
    memcpy(keys + i * k->bytes, &key, k->bytes);
  }
}

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Fails unless n keys are those of `from`, in order if is_sorted is 1, with nothing written around them. */
static void check(const kind *k, const uint8_t *keys, const uint8_t *from, uint64_t n, int is_sorted) {
  static uint64_t found[MOST], expected[MOST];
  for (uint64_t i = 0; i < n; i++) {
    found[i] = rank_of(k, key_of(k, keys, i));
    expected[i] = rank_of(k, key_of(k, from, i));
  }
  qsort(expected, n, sizeof *expected, compare);
  if (!is_sorted) qsort(found, n, sizeof *found, compare);
  if (memcmp(found, expected, n * sizeof *found) != 0)
    test_fail("%llu keys of %u bytes are not the sorted ones", (unsigned long long)n, k->bytes);
  for (uint32_t i = 0; i < GUARD; i++)
    if (keys[n * k->bytes + i] != CANARY || keys[-1 - (int)i] != CANARY)
      test_fail("%llu keys of %u bytes: memory beside them was written", (unsigned long long)n, k->bytes);
}

typedef void test_of_kind(const kind *k, const simd_sort *loops);

static void for_all(test_of_kind *test) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const simd_sort *loops = loops_of(&kinds[i]);
    if (loops == NULL) {
      test_skipped("keys of %u bytes: no loops for registers of %u bytes", kinds[i].bytes, kinds[i].register_bytes);
      continue;
    }
    test(&kinds[i], loops);
    test_ran();
  }
}

static void few(const kind *k, const simd_sort *loops) {
  const host_sort_order order = order_of(k);
  for (uint64_t n = 1; n <= loops->few_items; n++) {
    memset(memory[1], CANARY, sizeof memory[1]);
    fill(k, keys_at(0), n, n % 3 == 0);
    loops->sort_few(&order, keys_at(0), keys_at(1), n);
    check(k, keys_at(1), keys_at(0), n, 1);
  }
}

/* Sorts copies of the keys, which are in the memory of either destination or apart from both. */
static void sizes(const kind *k, const simd_sort *loops) {
  static const uint64_t all[] = { 1, 100, 257, 300, 513, 1000, 4097, MOST };
  const host_sort_order order = order_of(k);
  for (uint32_t i = 0; i < 9 * sizeof all / sizeof all[0]; i++) {
    const uint64_t n = all[i / 9];
    const uint32_t shape = i % 3, from = 1 + i / 3 % 3;
    for (uint32_t m = 1; m < 4; m++) memset(memory[m], CANARY, sizeof memory[m]);
    fill(k, keys_at(0), n, shape);
    memcpy(keys_at(from), keys_at(0), n * k->bytes);
    const simd_sort_memory places = { keys_at(from), keys_at(from == 2 ? 2 : 1), keys_at(from == 2 ? 1 : 2),
                                      keys_at(1) };
    assert_int_equal(loops->sort(&order, &places, n, 64), 1);
    check(k, keys_at(1), keys_at(0), n, 1);
  }
}

/* Divisions that are stopped leave all keys in the output. */
static void uneven(const kind *k, const simd_sort *loops) {
  const host_sort_order order = order_of(k);
  const simd_sort_memory places = { keys_at(0), keys_at(1), keys_at(2), keys_at(1) };
  for (uint32_t depth = 0; depth < 4; depth++) {
    memset(memory[1], CANARY, sizeof memory[1]);
    fill(k, keys_at(0), MOST, 0);
    assert_int_equal(loops->sort(&order, &places, MOST, depth), 0);
    check(k, keys_at(1), keys_at(0), MOST, 0);
  }
}

static int sort_nothing(const host_sort_order *order, const simd_sort_memory *places, uint64_t n, uint32_t depth) {
  (void)order, (void)depth;
  memmove(places->to, places->from, n * sizeof(uint32_t));
  return 0;
}

/* A part that registers give up is sorted by digits. */
static void given_up(const kind *k, const simd_sort *loops) {
  static host_sort_scratch scratch;
  simd_sort none = *loops;
  const host_sort_part part = { .n = MOST / 2, .place = HOST_SORT_IN, .end_byte = k->bytes };
  if (k->bytes != sizeof(uint32_t)) return;
  const host_sort_job job = { .loops = scan_host_sort_loops_for(k->bytes, 0, 0, 0),
                              .order = order_of(k),
                              .keys = { keys_at(0), keys_at(1), keys_at(2) },
                              .n = part.n,
                              .simd = &none };
  none.sort = sort_nothing;
  memset(memory[1], CANARY, sizeof memory[1]);
  fill(k, keys_at(0), part.n, 0);
  scan_host_sort_by_one(&job, &scratch, &part);
  check(k, keys_at(1), keys_at(0), part.n, 1);
}

/* Each range has the keys that were counted, and none above those of the next. */
static void ranges(const kind *k, const simd_sort *loops) {
  static simd_sort_ranges found;
  static _Alignas(HOST_SORT_LINE) uint8_t lines[HOST_SORT_LINES_BYTES];
  const host_sort_order order = order_of(k);
  for (uint32_t shape = 0; shape < 3; shape++)
    for (uint64_t n = 300; n < MOST; n *= 3) {
      uint64_t places[HOST_SORT_DIGITS] = { 0 }, begin = 0, highest = 0;
      const host_sort_move m = { .keys = keys_at(0), .keys_to = keys_at(1), .n = n, .places = places, .lines = lines };
      memset(memory[1], CANARY, sizeof memory[1]);
      fill(k, keys_at(0), n, shape);
      loops->find_ranges(&order, keys_at(0), n, memory[2], &found);
      loops->count(&order, &found, keys_at(0), n, places);
      for (uint32_t r = 0; r < HOST_SORT_DIGITS; r++) {
        const uint64_t count = places[r];
        places[r] = begin;
        begin += count;
      }
      assert_int_equal(begin, n);
      loops->move(&order, &found, &m);
      check(k, keys_at(1), keys_at(0), n, 0);
      begin = 0;
      for (uint32_t r = 0; r < HOST_SORT_DIGITS; r++) {
        const uint64_t least = highest;
        for (; begin < places[r]; begin++) {
          const uint64_t rank = rank_of(k, key_of(k, keys_at(1), begin));
          if (rank < least) test_fail("range %u has a key of a range before", r);
          if (rank >= highest) highest = rank + 1 > rank ? rank + 1 : rank;
        }
      }
      assert_int_equal(begin, n);
    }
}

static void test_few(void **state) {
  (void)state;
  for_all(few);
}
static void test_sizes(void **state) {
  (void)state;
  for_all(sizes);
}
static void test_uneven(void **state) {
  (void)state;
  for_all(uneven);
}
static void test_given_up(void **state) {
  (void)state;
  for_all(given_up);
}
static void test_ranges(void **state) {
  (void)state;
  for_all(ranges);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_few),      cmocka_unit_test(test_sizes),  cmocka_unit_test(test_uneven),
    cmocka_unit_test(test_given_up), cmocka_unit_test(test_ranges),
  };
  return test_exit(cmocka_run_group_tests(tests, NULL, NULL));
}
