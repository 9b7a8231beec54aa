/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction, runs, sorts, splits and histograms on the host: specs and memory as an input says; what is done is
 * compared with plain loops by the benches of the tests, canaries and all. */
#define _POSIX_C_SOURCE 200809L
#include "primitives.h"
#include "support.h"

#include <stdlib.h>

int primitives_arrays(fuzz_input *in, uint32_t arrays, uint32_t bytes[8], uint32_t align[8]) {
  int are_valid = 1;
  for (uint32_t a = 0; a < arrays && a < 8; a++) {
    bytes[a] = (uint32_t)(fuzz_rarely(in, 2) ? fuzz_choice(in, 1, 64) : 1 << fuzz_below(in, 5));
    align[a] = (uint32_t)(fuzz_rarely(in, 4) ? 1 << fuzz_below(in, 5) : 0);
    if (fuzz_rarely(in, 32)) align[a] = fuzz_byte(in);
    const int is_aligned = align[a] == 0 || ((align[a] & (align[a] - 1)) == 0 && bytes[a] % align[a] == 0);
    are_valid &= bytes[a] >= 1 && bytes[a] <= 64 && is_aligned;
  }
  return are_valid;
}

/* Several threads share few elements, too. A check that fails aborts: no test of cmocka's is running. */
static void open_device(void) {
  if (test_ctx() != NULL) return;
  if (setenv("CMOCKA_TEST_ABORT", "1", 1) != 0 || setenv("SCANRT_TUNE", "one_thread_bytes=0", 1) != 0) abort();
  if (setenv("SCANRT_TEST_DEVICE", "host", 1) != 0) abort();
  (void)test_device_open();
  (void)unsetenv("SCANRT_TUNE");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_input in = { data, bytes };
  open_device();
  switch (fuzz_below(&in, 8)) {
  case 0:
  case 1: primitives_select(&in); break;
  case 2:
  case 3: primitives_runs(&in); break;
  case 4:
  case 5:
  case 6: primitives_sort(&in); break;
  default: primitives_wild(&in); break;
  }
  return 0;
}
