/* SPDX-License-Identifier: BSD-2-Clause */
/* Before tile_item.h in programs that scan from the last element to the first: mirror_item.h brings these. */
#ifndef SCANRT_CL_MIRROR_NAMES_H
#define SCANRT_CL_MIRROR_NAMES_H

#define tile_reduce tile_reduce_forward
#define tile_write tile_write_forward
#define tile_fold tile_fold_forward
#define tile_keep tile_keep_forward
#define tile_sink tile_sink_forward
#define tile_store tile_store_forward
#endif
