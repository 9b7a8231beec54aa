/* SPDX-License-Identifier: BSD-2-Clause */
/* The look-back workspace: a control block, one descriptor a tile, one a group of tiles.
 *
 * A descriptor is one word or several, each with a part of the value and the launch's epoch (scanrt/device/words.h,
 * descriptor_packed.h, descriptor_split.h). The workspace is zeroed once, when it is allocated, and epochs start at 1.
 */
#ifndef SCANRT_CL_DESCRIPTOR_H
#define SCANRT_CL_DESCRIPTOR_H

#include "lib/tile.h"

typedef scanrt_value_t scanrt_lookback_value;

#if SCAN_SPLIT
#include "lib/descriptor_split.h"
#else
#include "lib/descriptor_packed.h"
#endif
#if SCAN_TYPE == 0 || SCAN_SPLIT
#include "lib/descriptor_words.h"
#endif
#include "lib/lookback_state.h"

#include "lib/descriptor_wait.h"

FUNC scanrt_lookback_state scanrt_lookback_state_open(GLOBAL scanrt_u8 *workspace, scanrt_u32 tile_capacity,
                                                      scanrt_u32 spin_limit, scanrt_u32 recomputes) {
  return scanrt_lookback_state_at(workspace, tile_capacity, DESCRIPTOR_WORDS, spin_limit, recomputes);
}

/* Returns 1 if the tile was written to its end. llvmpipe gives a work-item a number of loop iterations; once they are
 * used up, each loop ends after its first one. `zero` is 0, unknown to the compiler. */
FUNC scanrt_u32 scanrt_tile_is_complete(scanrt_u32 zero) {
  scanrt_u32 turns = 0;
#if COUNTS_TILES
  NO_UNROLL
  for (scanrt_u32 i = 0; i < 2 + zero; i++) turns++;
#else
  turns = 2;
#endif
  return turns == 2;
}
#endif
