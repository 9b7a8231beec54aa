/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a segmented reduction by work-groups, shared with the host. */
#ifndef SCANRT_CL_SEGMENT_STATE_H
#define SCANRT_CL_SEGMENT_STATE_H

/* The workspace begins with the number of finished work-groups of segment_alone, which is 0 between launches. The
 * tiles' values follow. */
#define SEGMENT_STATE_BYTES 64
/* The most groups of 128 tiles of segment_alone: about as many work-groups as a large GPU holds at once. */
#define SEGMENT_ALONE_GROUPS 4
#endif
