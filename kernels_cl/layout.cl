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
  /* Compilers drop what calls a function that is not there where nothing calls it itself, and say nothing: its absence
   * would be found out by the first scan. By words: rusticl (Mesa 22.3) crashes over structs in memory here. */
  if (flags & FLAG_NEVER_SET) {
    out[0] = words_of(SCAN_SOURCE_COMBINE(value_none().v, value_none().v)).word[0];
#if SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS
    union {
      input_t x;
      scan_u32 word[(INPUT_BYTES + 3) / 4];
    } input;
    input.word[0] = 0;
#endif
#if SCAN_SOURCE_MAPS
    out[1] = words_of(SCAN_SOURCE_MAP(input.x, n)).word[0];
#endif
#if SCAN_SOURCE_EMITS
    union {
      output_t x;
      scan_u32 word[(OUTPUT_BYTES + 3) / 4];
    } output;
    output.x = SCAN_SOURCE_EMIT(value_none().v, value_none().v, input.x, n);
    out[2] = output.word[0];
#endif
  }
}
