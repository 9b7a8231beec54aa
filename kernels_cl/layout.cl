/* SPDX-License-Identifier: BSD-2-Clause */
/* What the device's compiler makes of an element type from source: its size and its alignment, in 32-bit words. */
typedef struct layout_probe {
  scan_u8 first;
  output_t x;
} layout_probe;

KERNEL(source_layout)(SCAN_PARAMETERS) {
  GLOBAL scan_u32 *out = (GLOBAL scan_u32 *)(out_base + out_offset_bytes);
  if (ITEM() != 0) return;
  out[0] = (scan_u32)sizeof(output_t);
  out[1] = (scan_u32)(sizeof(layout_probe) - sizeof(output_t));
}
