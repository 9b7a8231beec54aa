/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls with any memory on the host: what is refused writes nothing, and what is done writes only what it was given. */
#include "wild.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_input in = { data, bytes };
  if (fuzz_below(&in, 2))
    wild_primitive(&in);
  else
    wild_scan(&in);
  return 0;
}
