/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the layout that the device's compiler gives types from source: size and alignment of a value, of an input
 * element and of an output element, as 32-bit words. */
#include "lib/arguments.h"
#include "lib/scan_value.h"

typedef struct scanrt_layout_value {
  scanrt_u8 first;
  scanrt_bare_t x;
} scanrt_layout_value;
typedef struct scanrt_layout_input {
  scanrt_u8 first;
  scanrt_input_t x;
} scanrt_layout_input;
typedef struct scanrt_layout_output {
  scanrt_u8 first;
  scanrt_output_t x;
} scanrt_layout_output;

KERNEL(source_layout)(PARAMETERS(LAYOUT_ARGUMENTS)) {
  GLOBAL scanrt_u32 *out = (GLOBAL scanrt_u32 *)MEMORY(out);
  if (ITEM() != 0) return;
  out[0] = (scanrt_u32)sizeof(scanrt_bare_t);
  out[1] = (scanrt_u32)(sizeof(scanrt_layout_value) - sizeof(scanrt_bare_t));
  out[2] = (scanrt_u32)sizeof(scanrt_input_t);
  out[3] = (scanrt_u32)(sizeof(scanrt_layout_input) - sizeof(scanrt_input_t));
  out[4] = (scanrt_u32)sizeof(scanrt_output_t);
  out[5] = (scanrt_u32)(sizeof(scanrt_layout_output) - sizeof(scanrt_output_t));
  /* Calls each function of the text: compilers silently drop a function that calls a missing one if nothing calls it,
   * and only the first scan would fail. Results are read by words: rusticl (Mesa 22.3) crashes over structs in memory
   * here. */
  if (flags & FLAG_NEVER_SET) {
    out[0] = scanrt_words_of(SCAN_SOURCE_COMBINE(scanrt_value_none().v, scanrt_value_none().v)).word[0];
#ifdef SCAN_SOURCE_KEEPS /* a predicate, of one element or two, or a bucket function */
    union {
      scanrt_input_t x;
      scanrt_u32 word[(INPUT_BYTES + 3) / 4];
    } element;
    union {
      scanrt_output_t p;
      scanrt_u32 word[(OUTPUT_BYTES + 3) / 4];
    } params;
    element.word[0] = params.word[0] = 0;
#ifdef SCAN_SOURCE_PAIRS
    out[1] = SCAN_SOURCE_KEEP(element.x, element.x, params.p);
#else
    out[1] = SCAN_SOURCE_KEEP(element.x, n, params.p);
#endif
#endif
#if SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS
    union {
      scanrt_input_t x;
      scanrt_u32 word[(INPUT_BYTES + 3) / 4];
    } input;
    input.word[0] = 0;
#endif
#if SCAN_SOURCE_MAPS
    out[1] = scanrt_words_of(SCAN_SOURCE_MAP(input.x, n)).word[0];
#endif
#if SCAN_SOURCE_EMITS
    union {
      scanrt_output_t x;
      scanrt_u32 word[(OUTPUT_BYTES + 3) / 4];
    } output;
    output.x = SCAN_SOURCE_EMIT(scanrt_value_none().v, scanrt_value_none().v, input.x, n);
    out[2] = output.word[0];
#endif
  }
}
