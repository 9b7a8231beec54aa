/* SPDX-License-Identifier: BSD-2-Clause */
/* Before tile_item.h in programs that scan from the last element to the first: mirror_item.h brings these. */
#ifndef SCANRT_CL_MIRROR_NAMES_H
#define SCANRT_CL_MIRROR_NAMES_H

#define scanrt_tile_reduce scanrt_tile_reduce_forward
#define scanrt_tile_write scanrt_tile_write_forward
#define scanrt_tile_fold scanrt_tile_fold_forward
#define scanrt_tile_keep scanrt_tile_keep_forward
#define scanrt_tile_sink scanrt_tile_sink_forward
#define scanrt_tile_store scanrt_tile_store_forward
#endif
