/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/batch.h"

#include "base/types.h"

array_image scan_array_image_for(scan_type type, scan_op_id op) {
  array_image image = { .type = scan_type_for_kernel(type, SCAN_ADD), .op = op };
  if (op != SCAN_MIN && op != SCAN_MAX) return image;
  const uint64_t sign = (uint64_t)1 << (8 * scan_type_bytes(type) - 1), rest = sign - 1;
  const int is_max = op == SCAN_MAX;
  image.op = SCAN_MIN;
  if (is_max && !scan_type_is_float(type)) image.flip = sign | rest; /* ~x */
  if (is_max && scan_type_is_float(type)) image.flip = sign;         /* -x */
  if (scan_type_is_signed(type) && !scan_type_is_float(type)) image.flip ^= sign;
  image.flags = (image.flip & sign ? SCAN_KERNEL_FLIP_SIGN : 0u) | (image.flip & rest ? SCAN_KERNEL_FLIP_REST : 0u);
  return image;
}

array_place scan_array_place(const array_axis *axis, uint64_t axes, uint64_t line) {
  array_place place = { 0, 0, 0 };
  for (; axes > 0; axes--, axis++) {
    const int64_t index = (int64_t)(line % axis->extent);
    place.in += index * axis->in_stride;
    place.out += index * axis->out_stride;
    place.index += index * axis->index_stride;
    line /= axis->extent;
  }
  return place;
}
