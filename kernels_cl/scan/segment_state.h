/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a segmented reduction by work-groups, shared with the host. */
#ifndef SCANRT_CL_SEGMENT_STATE_H
#define SCANRT_CL_SEGMENT_STATE_H

/* The workspace begins with the state of reductions in one launch, words that are 0 between launches. Word 0 counts
 * finished tiles, in segment_ranges finished groups of tiles. From SHARED_WORD on, segment_direct has a word for each
 * tile, 1 if its work-group has values. From REDUCED_WORD on, segment_ranges counts each group's reduced tiles; from
 * CROSSING_WORD on it has, for each group, how many of its elements belong to the segment that begins before the group
 * and ends in it. The tiles' values follow. Reductions by key have word 0 alone, the number of finished groups, and
 * their values from SHARED_WORD on. */
#define SHARED_WORD 16
#define REDUCED_WORD 16
#define CROSSING_WORD (REDUCED_WORD + SEGMENT_RANGES_GROUPS)
#define SEGMENT_STATE_BYTES ((SHARED_WORD + SEGMENT_ALONE_GROUPS * 128) * 4)
/* The most groups of 128 tiles of segment_alone and segment_direct: about as many work-groups as a large GPU holds at
 * once. */
#define SEGMENT_ALONE_GROUPS 4
/* The most groups of 128 tiles of segment_ranges. */
#define SEGMENT_RANGES_GROUPS 128
/* Its work-groups for each compute unit. */
#define SEGMENT_RANGES_UNIT 3
#endif
