/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks that tests build in to force rare schedules:
 * SCAN_TEST_WITHHOLD: some tiles' aggregates are not published
 * SCAN_TEST_WITHHOLD_GROUPS: groups' totals are published only where a waiting work-group needs them
 * SCAN_TEST_BACKWARDS: tickets are handed out from the last tile down
 * SCAN_TEST_STALL: work-groups stall before they publish
 * SCAN_TEST_SPIN_LIMIT: waits end early
 * SCAN_TEST_NO_FALLBACK: no fallback, as in place
 * SCAN_TEST_LOSE: some tiles are never written, as on devices that end loops silently
 * SCAN_TEST_AVX2: PoCL compacts by AVX2 where the processor has AVX-512, too (select_x86.h) */
#ifndef SCANRT_CL_TEST_HOOKS_H
#define SCANRT_CL_TEST_HOOKS_H

#ifdef SCAN_TEST_WITHHOLD
#define PUBLISHES(tile) ((tile) % SCAN_TEST_WITHHOLD != SCAN_TEST_WITHHOLD - 1)
#else
#define PUBLISHES(tile) 1
#endif
#ifdef SCAN_TEST_WITHHOLD_GROUPS
#define PUBLISHES_GROUPS 0
#else
#define PUBLISHES_GROUPS 1
#endif
#ifdef SCAN_TEST_BACKWARDS
#define CLAIMED(ticket, tiles) ((ticket) < (tiles) ? (tiles)-1 - (ticket) : (ticket))
#define LOOKS_ANEW 1 /* a prefix found for the previous tile does not serve an earlier one */
#else
#define CLAIMED(ticket, tiles) (ticket)
#define LOOKS_ANEW 0
#endif
#ifdef SCAN_TEST_STALL
#define STALL_OVER(word, tile)                                                                                         \
  if ((tile) % SCAN_TEST_STALL == SCAN_TEST_STALL - 1)                                                                 \
    for (scanrt_u32 i = 0; i < SCAN_TEST_STALL_POLLS; i++) (void)ATOMIC_LOAD(word)
#else
#define STALL_OVER(word, tile)
#endif
#define STALL(lookback, tile) STALL_OVER((lookback)->control + CONTROL_DONE, tile)
#ifdef SCAN_TEST_SPIN_LIMIT
#define SPIN_LIMIT(limit) SCAN_TEST_SPIN_LIMIT
#else
#define SPIN_LIMIT(limit) (limit)
#endif
#ifdef SCAN_TEST_NO_FALLBACK
#define RECOMPUTES(in_place) 0
#else
#define RECOMPUTES(in_place) (!(in_place))
#endif
#ifdef SCAN_TEST_LOSE
#define LOSES(tile) ((tile) % SCAN_TEST_LOSE == SCAN_TEST_LOSE - 1)
#else
#define LOSES(tile) 0
#endif
#endif
