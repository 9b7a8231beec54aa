/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests non-temporal copies of streams' chunks by several threads: few bytes and many, with any start and end. */
#include "device/host/host_copy.h"
#include "reference.h"
#include "support.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = (9 << 20) + 77, MARGIN = 64, POISON = 0xA5 };

static void check(host_copier *copier, unsigned char *to, const unsigned char *from, size_t bytes, size_t shift) {
  unsigned char *const begin = to + MARGIN + shift;
  memset(to, POISON, MARGIN + shift);
  memset(begin + bytes, POISON, MARGIN);
  scan_host_copy(copier, begin, from, bytes);
  if (memcmp(begin, from, bytes) != 0) test_fail("%zu bytes to %zu: a byte is wrong", bytes, shift);
  for (size_t i = 0; i < MARGIN; i++)
    if (to[i] != POISON || begin[bytes + i] != POISON) test_fail("%zu bytes to %zu: bytes beside them", bytes, shift);
  test_ran();
}

static void test_copies(void **state) {
  static const size_t sizes[] = { 0, 1, 63, 64, 127, 4097, 1 << 20, (2 << 20) - 1, (4 << 20) + 63, MOST };
  static const size_t shifts[] = { 0, 1, 31, 63 };
  struct rng rng = { 0xc0b1 };
  unsigned char *from = reference_alloc(MOST + 8), *to = reference_alloc(MOST + (size_t)3 * MARGIN);
  host_copier *copier = scan_host_copier_create();
  (void)state;
  assert_non_null(copier);
  for (size_t i = 0; i < MOST; i++) from[i] = (unsigned char)rng_next(&rng);
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (size_t k = 0; k < sizeof shifts / sizeof shifts[0]; k++) check(copier, to, from, sizes[s], shifts[k]);
  scan_host_copier_destroy(copier);
  scan_host_copier_destroy(NULL);
  free(from);
  free(to);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_copies) };
  return test_exit(cmocka_run_group_tests_name("copy", tests, NULL, NULL));
}
