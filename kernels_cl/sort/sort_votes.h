/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: ranks a row of 32 keys by votes, where 32 consecutive work-items (a "warp") have them. Lanes with the same
 * digit find one another, and the last of them adds their number to the digit's counter. A lane's rank is the count
 * before, plus the number of such lanes before it. Each counter has one work-item that adds to it; a row's exchange
 * waits for its additions, and the next row's additions come after it. So the order of atomic operations does not
 * matter, and lanes need not run in step. */
#ifndef SCANRT_CL_SORT_VOTES_H
#define SCANRT_CL_SORT_VOTES_H

#include "sort/sort_keys.h"

#ifdef WARP_BALLOT
/* Returns the lanes that have the lane's digit, its own included. With `set ^ ((bit != 0) - 1)` in place of the choice,
 * NVIDIA's OpenCL takes 1.66 ms instead of 1.50 (2^26 u32, H100). */
FUNC scanrt_u32 scanrt_sort_alike(scanrt_u32 digit) {
  scanrt_u32 alike = ~0u;
  UNROLL
  for (scanrt_u32 b = 0; b < SORT_DIGIT_BITS; b++) {
    const scanrt_u32 bit = digit & 1u << b, set = WARP_BALLOT(bit);
    alike &= bit != 0 ? set : ~set;
  }
  return alike;
}

/* Returns the key's rank among the warp's keys of its digit; `counter` counts those of the rows before. */
FUNC scanrt_u32 scanrt_sort_rank_row(LOCAL scanrt_u32 *counter, scanrt_u32 digit) {
  const scanrt_u32 lane = ITEM() % 32, alike = scanrt_sort_alike(digit), last = LAST_BIT(alike);
  scanrt_u32 rank = 0;
  if (lane == last) rank = ATOMIC_ADD_LOCAL(&counter[digit], BITS_SET(alike));
  return scanrt_shuffle_from_u32(rank, last) + BITS_SET(alike & ((1u << lane) - 1));
}
#endif
#endif
