/* SPDX-License-Identifier: BSD-2-Clause */
/* What the device's compiler makes of the element types from source: the size and the alignment of a value, of an
 * element of the input and of one of the output, in 32-bit words. */
#include "scan_tile.h"

typedef struct layout_value {
  scan_u8 first;
  bare_t x;
} layout_value;
typedef struct layout_input {
  scan_u8 first;
  input_t x;
} layout_input;
typedef struct layout_output {
  scan_u8 first;
  output_t x;
} layout_output;

KERNEL(source_layout)(SCAN_PARAMETERS) {
  GLOBAL scan_u32 *out = (GLOBAL scan_u32 *)(out_base + out_offset_bytes);
  if (ITEM() != 0) return;
  out[0] = (scan_u32)sizeof(bare_t);
  out[1] = (scan_u32)(sizeof(layout_value) - sizeof(bare_t));
  out[2] = (scan_u32)sizeof(input_t);
  out[3] = (scan_u32)(sizeof(layout_input) - sizeof(input_t));
  out[4] = (scan_u32)sizeof(output_t);
  out[5] = (scan_u32)(sizeof(layout_output) - sizeof(output_t));
#if SCAN_GROUP_ITEMS > 1
  /* NVIDIA's compiler only warns of a function that is not there, and drops what calls it and is not called itself: the
   * operator's absence would be found out by the first scan. */
  if (flags & FLAG_NEVER_SET) {
    GLOBAL const bare_t *in = (GLOBAL const bare_t *)(in_base + in_offset_bytes);
    *(GLOBAL bare_t *)out = SCAN_SOURCE_COMBINE(in[0], in[1]);
  }
#endif
}
