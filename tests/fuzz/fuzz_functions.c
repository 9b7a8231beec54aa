/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions of an application decide, on the host, against plain loops: scans with operators from source,
 * partitions into three by two predicates, splits and histograms by a bucket function. */
#include "functions.h"

fuzz_memory functions_random(struct rng *rng, uint64_t n, uint64_t item_bytes, uint64_t shift) {
  const fuzz_memory memory = fuzz_take(n * item_bytes, shift * item_bytes);
  for (uint64_t i = 0; i < memory.bytes; i++) memory.data[i] = (unsigned char)rng_next(rng);
  return memory;
}

void functions_check(const fuzz_memory *memory, const void *want, const char *what) {
  for (uint64_t i = 0; i < memory->bytes; i++)
    if (memory->data[i] != ((const unsigned char *)want)[i])
      fuzz_fail("%s: byte %llu of %llu is 0x%02x instead of 0x%02x", what, (unsigned long long)i,
                (unsigned long long)memory->bytes, memory->data[i], ((const unsigned char *)want)[i]);
  fuzz_check_margin(memory, what);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_input in = { data, bytes };
  switch (fuzz_below(&in, 8)) {
  case 0:
  case 1:
  case 2:
  case 3: functions_scan(&in); break;
  case 4:
  case 5: functions_partition(&in); break;
  default: functions_split(&in); break;
  }
  return 0;
}
