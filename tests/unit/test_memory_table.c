/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the table of a context's memory: an entry is found in few steps, whatever else the table contains. */
#include <stdlib.h>
#include <string.h>

#include "core/memory_table.h"
#include "support.h"

enum { COUNT = 20000, LONGEST_CHAIN = 16 };

static scan_memory *memories[COUNT];

static void check_all(const scan_memory_table *table, int step) {
  for (int i = 0; i < COUNT; i++)
    assert_ptr_equal(scan_memory_table_find(table, memories[i]), (i + (step > COUNT)) % step ? memories[i] : NULL);
}

static int longest_chain(const scan_memory_table *table) {
  int longest = 0;
  for (uint64_t i = 0; i >> table->bits == 0; i++) {
    int count = 0;
    for (const scan_memory *memory = table->chains[i]; memory != NULL; memory = memory->next) count++;
    if (count > longest) longest = count;
  }
  return longest;
}

static void test_empty(void **state) {
  (void)state;
  scan_memory_table table = { 0 };
  assert_null(scan_memory_table_find(&table, &table));
  assert_null(scan_memory_table_remove(&table, &table));
  assert_null(scan_memory_table_empty(&table));
}

static void test_many(void **state) {
  (void)state;
  scan_memory_table table = { 0 };
  for (int i = 0; i < COUNT; i++) {
    memories[i] = calloc(1, sizeof *memories[i]);
    assert_non_null(memories[i]);
    assert_true(scan_memory_table_add(&table, memories[i]));
  }
  assert_int_equal(table.count, COUNT);
  assert_true(longest_chain(&table) <= LONGEST_CHAIN);
  check_all(&table, COUNT + 1);
  assert_null(scan_memory_table_find(&table, (char *)memories[0] + 1));
  for (int i = 0; i < COUNT; i += 3) assert_ptr_equal(scan_memory_table_remove(&table, memories[i]), memories[i]);
  for (int i = 0; i < COUNT; i += 3) assert_null(scan_memory_table_remove(&table, memories[i]));
  check_all(&table, 3);
  uint64_t left = 0;
  for (const scan_memory *memory = scan_memory_table_empty(&table); memory != NULL; memory = memory->next) left++;
  assert_int_equal(left, COUNT - (COUNT + 2) / 3);
  assert_null(table.chains);
  for (int i = 0; i < COUNT; i++) free(memories[i]);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_empty), TEST(test_many) };
  return test_exit(cmocka_run_group_tests_name("memory_table", tests, NULL, NULL));
}
