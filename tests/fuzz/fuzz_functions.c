/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions of an application decide, on the host, against plain loops: scans with operators from source,
 * partitions into three by two predicates, splits and histograms by a bucket function. */
#include "functions.h"

scan_ctx *functions_context(fuzz_input *in) {
  static scan_ctx *one, *several;
  if (one == NULL) one = fuzz_context(1, NULL);
  if (several == NULL) several = fuzz_context(3, "one_thread_bytes=0");
  return fuzz_rarely(in, 2) ? several : one;
}

int functions_may_run(scan_ctx *ctx, scan_status status, const scan_plan *plan, int is_valid, const char *what) {
  if (status != SCAN_SUCCESS && is_valid) fuzz_fail("%s is refused: %s", what, scan_last_error(ctx));
  if (status == SCAN_SUCCESS && !is_valid) fuzz_fail("%s: a plan is made for what is no spec", what);
  if (status != SCAN_SUCCESS) fuzz_refused(ctx, status, what);
  if ((status == SCAN_SUCCESS) != (plan != NULL)) fuzz_fail("%s: a plan is set, or is not", what);
  return status == SCAN_SUCCESS;
}

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
