/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * The layout of the memory that scanrt/device/lookback.h shares with scan_device_state_init and
 * scan_device_state_check: for kernels and for C. */
#ifndef SCANRT_DEVICE_STATE_H
#define SCANRT_DEVICE_STATE_H

/* The first 64 bytes of a state, in words of 32 bits. Descriptors of tickets, blocks and super-blocks follow, and then
 * for each block and each super-block how many of its descriptors a launch of SCANRT_COUNTS has published. */
#define SCANRT_STATE_TICKET 0
#define SCANRT_STATE_EPOCH 1  /* that of the last launch that has ended */
#define SCANRT_STATE_LEFT 2   /* work-groups of this launch that have their prefix */
#define SCANRT_STATE_LOST 3   /* one of the faults below, or 0 */
#define SCANRT_STATE_TOTAL 4  /* two words: the low half first; of scanrt_allocate */
#define SCANRT_STATE_GROUPS 6 /* tickets that there is room for */
#define SCANRT_STATE_HEADER 16
#define SCANRT_STATE_BLOCK 128 /* tickets of a block, and blocks of a super-block */

/* Faults of a launch. */
#define SCANRT_STATE_GAVE_UP 1u   /* a wait */
#define SCANRT_STATE_TOO_MANY 2u  /* work-groups */
#define SCANRT_STATE_NO_COUNTS 3u /* a launch of SCANRT_PLACES found nothing */

#endif
