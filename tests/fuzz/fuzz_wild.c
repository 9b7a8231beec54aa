/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes calls with any memory on the host. A refused call writes nothing; a call that succeeds writes only its
 * outputs. */
#include "wild.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_input in = { data, bytes };
  if (fuzz_below(&in, 2))
    wild_primitive(&in);
  else
    wild_scan(&in);
  return 0;
}
