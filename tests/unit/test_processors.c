/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests how many threads the host backend starts within the limits of control groups. */
#define _GNU_SOURCE
#include "device/host/host_processors.h"
#include "support.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/scanrt_cgroup_XXXXXX";

static void write_limit(const char *group, const char *text) {
  char name[128];
  snprintf(name, sizeof name, "%s%s/cpu.max", root, group);
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void remove_group(const char *group) {
  char name[128];
  snprintf(name, sizeof name, "%s%s/cpu.max", root, group);
  (void)unlink(name);
  snprintf(name, sizeof name, "%s%s", root, group);
  (void)rmdir(name);
}

static void test_limits(void **state) {
  char name[128];
  (void)state;
  assert_non_null(mkdtemp(root));
  snprintf(name, sizeof name, "%s/a", root);
  assert_int_equal(mkdir(name, 0700), 0);
  snprintf(name, sizeof name, "%s/a/b", root);
  assert_int_equal(mkdir(name, 0700), 0);
  assert_int_equal(scan_host_quota(root, "/a/b"), 0);
  write_limit("/a/b", "max 100000\n");
  assert_int_equal(scan_host_quota(root, "/a/b"), 0);
  write_limit("/a/b", "300000 100000\n");
  assert_int_equal(scan_host_quota(root, "/a/b"), 3);
  write_limit("/a", "150000 100000\n"); /* the enclosing group has less */
  assert_int_equal(scan_host_quota(root, "/a/b"), 2);
  assert_int_equal(scan_host_quota(root, "/"), 0);
  write_limit("", "50000 100000\n"); /* in a container the own group is the root */
  assert_int_equal(scan_host_quota(root, "/"), 1);
  assert_int_equal(scan_host_quota(root, "/a/b"), 1);
  write_limit("/a/b", "nonsense\n");
  write_limit("/a", "0 0\n");
  assert_int_equal(scan_host_quota(root, "/a/b"), 1);
  remove_group("/a/b");
  remove_group("/a");
  remove_group("");
}

static void test_affinity(void **state) {
  cpu_set_t all, one;
  (void)state;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  assert_in_range(scan_host_processor_count(), 1, (unsigned)CPU_COUNT(&all));
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(scan_host_processor_count(), 1);
  assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_limits), TEST(test_affinity) };
  return test_exit(cmocka_run_group_tests_name("unit.processors", tests, NULL, NULL));
}
