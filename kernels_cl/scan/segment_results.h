/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments of a segmented reduction: where they begin and end, and the result of one without elements. */
#ifndef SCANRT_CL_SEGMENT_RESULTS_H
#define SCANRT_CL_SEGMENT_RESULTS_H

#include "scan/scan_tile.h"

#if !SCAN_SEGMENTS || SCAN_STEPS
#error "segmented reductions have operators from source and segments"
#endif

/* Elements [begin, end), both at most n. */
typedef struct scanrt_span {
  scanrt_u64 begin, end;
} scanrt_span;

FUNC scanrt_u64 scanrt_offset_read(GLOBAL const scanrt_u8 *offsets, scanrt_u64 i, scanrt_u64 n, scanrt_u32 flags) {
  const scanrt_u64 offset =
      flags & FLAG_WIDE_OFFSETS ? ((GLOBAL const scanrt_u64 *)offsets)[i] : ((GLOBAL const scanrt_u32 *)offsets)[i];
  return offset < n ? offset : n;
}

FUNC scanrt_span scanrt_span_read(GLOBAL const scanrt_u8 *begins, GLOBAL const scanrt_u8 *ends, scanrt_u64 i,
                                  scanrt_u64 n, scanrt_u32 flags) {
  scanrt_span span;
  span.begin = scanrt_offset_read(begins, i, n, flags);
  span.end = scanrt_offset_read(ends, i, n, flags);
  return span;
}
#define SPAN_READ(i) scanrt_span_read(MEMORY(marks), MEMORY(ends), (i), n, flags)

/* Returns a result as the output has it. Only built-in operators emit here, and they ignore the element. */
#if SCAN_SOURCE_EMITS
typedef union scanrt_no_element {
  scanrt_input_t x;
  scanrt_u32 word[(INPUT_BYTES + 3) / 4];
} scanrt_no_element;

FUNC scanrt_output_t scanrt_result_output(scanrt_bare_t x) {
  scanrt_no_element none;
  UNROLL
  for (scanrt_u32 k = 0; k < (INPUT_BYTES + 3) / 4; k++) none.word[k] = 0;
  return SCAN_SOURCE_EMIT(scanrt_bare_output(x), scanrt_bare_output(x), none.x, 0);
}
#else
FUNC scanrt_output_t scanrt_result_output(scanrt_bare_t x) { return scanrt_bare_output(x); }
#endif
#endif
