/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and waits for descriptors. Include it after lookback_state.h and the descriptors themselves: descriptor.h for
 * values of scans, descriptor_count.h for counts. These define scanrt_lookback_value, which is what a descriptor holds,
 * DESCRIPTOR_WORDS, scanrt_descriptor_put, scanrt_descriptor_load and scanrt_descriptor_decode. */
#ifndef SCANRT_CL_DESCRIPTOR_WAIT_H
#define SCANRT_CL_DESCRIPTOR_WAIT_H

FUNC scanrt_u32 scanrt_descriptor_get(volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index,
                                      scanrt_lookback_value *value, scanrt_u32 epoch) {
  scanrt_descriptor_word word[DESCRIPTOR_WORDS];
  scanrt_descriptor_load(descriptors, index, word);
  return scanrt_descriptor_decode(word, value, epoch);
}

/* Polls a descriptor until it arrives or the wait ends (WAIT_ENDS). Returns 1 if it arrived; otherwise
 * *value is undefined. */
FUNC scanrt_u32 scanrt_descriptor_wait(const scanrt_lookback_state *lookback,
                                       volatile GLOBAL scanrt_descriptor_word *descriptors, scanrt_u64 index,
                                       scanrt_lookback_value *value) {
#if SCAN_SPLIT /* the loop below, left at its top (see lookback.cl) */
  scanrt_u32 there = scanrt_descriptor_get(descriptors, index, value, lookback->epoch);
  for (scanrt_u32 polls = 1, waits = !there; waits; polls++) {
    there = scanrt_descriptor_get(descriptors, index, value, lookback->epoch);
    waits = !there && !WAIT_ENDS(lookback, polls);
  }
  return there;
#else
  for (scanrt_u32 polls = 1; !scanrt_descriptor_get(descriptors, index, value, lookback->epoch); polls++)
    if (WAIT_ENDS(lookback, polls)) return 0;
  return 1;
#endif
}
#endif
