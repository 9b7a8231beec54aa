/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/batch.h"

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
