/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: a row of 32 keys ranked by votes, where 32 consecutive work-items (a "warp") have them. Those of one digit
 * find one another, the last of them counts them all, and each takes what was counted before and those before it in the
 * row. A row's exchange waits for its additions, which have one work-item each for a counter, and the next row's
 * additions come behind it. So no order of atomic operations matters, and nobody needs to be in step. */
#ifndef SCANRT_CL_SORT_VOTES_H
#define SCANRT_CL_SORT_VOTES_H

#include "sort_keys.h"

#ifdef WARP_BALLOT
/* The lanes that have the lane's digit, itself among them. Without the choice, by `set ^ ((bit != 0) - 1)`, NVIDIA's
 * OpenCL takes 1.66 ms for 1.50 (2^26 u32, H100). */
FUNC scanrt_u32 scanrt_sort_alike(scanrt_u32 digit) {
  scanrt_u32 alike = ~0u;
  UNROLL
  for (scanrt_u32 b = 0; b < SORT_DIGIT_BITS; b++) {
    const scanrt_u32 bit = digit & 1u << b, set = WARP_BALLOT(bit);
    alike &= bit != 0 ? set : ~set;
  }
  return alike;
}

/* The key's rank among the warp's of its digit, of which `counter` has those of the rows before. */
FUNC scanrt_u32 scanrt_sort_rank_row(LOCAL scanrt_u32 *counter, scanrt_u32 digit) {
  const scanrt_u32 lane = ITEM() % 32, alike = scanrt_sort_alike(digit), last = LAST_BIT(alike);
  scanrt_u32 rank = 0;
  if (lane == last) rank = ATOMIC_ADD_LOCAL(&counter[digit], BITS_SET(alike));
  return scanrt_shuffle_from_u32(rank, last) + BITS_SET(alike & ((1u << lane) - 1));
}
#endif
#endif
