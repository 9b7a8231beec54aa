/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests a real graph: the row offsets of its CSR form are the exclusive sums of its vertices' degrees. */
#include "guarded.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 4039, OFFSETS = VERTICES + 1, EDGES = 88234 };

/* Reads "u v" lines and counts each edge at both ends in degree[]. Returns the number of edges, or -1. */
static int read_degrees(int32_t degree[OFFSETS]) {
  FILE *file = fopen(TEST_GRAPH, "r");
  char line[64];
  int edges = 0;
  if (!file) return -1;
  for (; fgets(line, sizeof(line), file); edges++) {
    char *end;
    long u = strtol(line, &end, 10), v = strtol(end, NULL, 10);
    if (u < 0 || u >= VERTICES || v < 0 || v >= VERTICES) break;
    degree[u]++;
    degree[v]++;
  }
  fclose(file);
  return edges;
}

static int32_t degree[OFFSETS];

static void check_offsets(const int32_t offsets[OFFSETS]) {
  int32_t expected = 0;
  for (int v = 0; v < OFFSETS; v++) {
    if (offsets[v] != expected) test_fail("row offset %d is %d, not %d", v, offsets[v], expected);
    expected += degree[v];
  }
  assert_int_equal(offsets[VERTICES], 2 * EDGES);
}

static void test_row_offsets_in_host_memory(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  int32_t offsets[OFFSETS];
  memset(offsets, 0xA5, sizeof(offsets));
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, OFFSETS, scan_host(degree), scan_host(offsets)), "scan_run");
  check_offsets(offsets);
}

static void test_row_offsets_in_device_memory(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  int32_t offsets[OFFSETS];
  char text[TEST_TEXT];
  if (guarded_scan(test_ctx(), &spec, OFFSETS, degree, offsets, text) != SCAN_SUCCESS) test_fail("%s", text);
  check_offsets(offsets);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_row_offsets_in_host_memory, test_count_setup),
    cmocka_unit_test_setup(test_row_offsets_in_device_memory, test_count_setup),
  };
  int edges = read_degrees(degree);
  if (edges != EDGES) {
    print_error("%s has %d edges, not %d\n", TEST_GRAPH, edges, EDGES);
    return 1;
  }
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("data", tests, NULL, NULL));
}
