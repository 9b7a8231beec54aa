/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a segmented reduction by work-groups, shared with the host. */
#ifndef SCANRT_CL_SEGMENT_STATE_H
#define SCANRT_CL_SEGMENT_STATE_H

/* The workspace begins with the state of reductions in one launch, which is 0 between launches: the number of finished
 * work-groups of tiles and, 65,536 times, of those among them that have values for others; and from byte 64 on a word
 * for each tile, 1 if its work-group has values. segment_ranges has its own words there (segment_ranges.h). The tiles'
 * values follow. Reductions by key have one word alone, and their values from byte 64 on. */
#define SEGMENT_SHARED_BYTES 64
#define SEGMENT_STATE_BYTES (SEGMENT_SHARED_BYTES + SEGMENT_ALONE_GROUPS * 128 * 4)
/* The most groups of 128 tiles of segment_alone and segment_direct: about as many work-groups as a large GPU holds at
 * once. */
#define SEGMENT_ALONE_GROUPS 4
/* The most groups of 128 tiles of segment_ranges. */
#define SEGMENT_RANGES_GROUPS 128
/* Its work-groups for each compute unit. */
#define SEGMENT_RANGES_UNIT 3
#endif
