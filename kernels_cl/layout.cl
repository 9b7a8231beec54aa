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
#if SCAN_GROUP_ITEMS > 1
  /* NVIDIA's compiler only warns of a function that is not there, and drops what calls it and is not called itself: the
   * operator's absence would be found out by the first scan. */
  if (flags & FLAG_NEVER_SET) {
    GLOBAL const output_t *in = (GLOBAL const output_t *)(in_base + in_offset_bytes);
    *(GLOBAL output_t *)out = OUTPUT_OF(combine(VALUE_OF(in[0]), VALUE_OF(in[1])));
  }
#endif
}
