/* SPDX-License-Identifier: BSD-2-Clause */
/* Built-in kernels for the emulation: the modules in the folder EMULATED_MODULES, which CMake has compiled for the
 * processor. */
#include "base/embedded.h"
#include "emulation.h"

#define IMAGE_OF(folder, name)                                                                                         \
  {                                                                                                                    \
#name, (const unsigned char *)EMULATED_LIBRARY folder "/" #name ".so",                                             \
        sizeof(EMULATED_LIBRARY folder "/" #name ".so")                                                                \
  }
#define IMAGE(name) IMAGE_OF(EMULATED_MODULES, name)
#ifndef EMULATED_SORT_MODULES /* folder of the onesweep sort's modules */
#define EMULATED_SORT_MODULES EMULATED_MODULES
#endif
#ifndef EMULATED_SELECT_MODULES /* folder of the modules of compaction in one launch */
#define EMULATED_SELECT_MODULES EMULATED_MODULES
#endif

const struct scan_embedded_image scan_cuda_images[] = {
#ifdef EMULATED_SOURCE_IMAGES /* images of the catalogue: IMAGE(name), IMAGE(name), ... */
  EMULATED_SOURCE_IMAGES(IMAGE)
#endif
      IMAGE(difference),
  IMAGE(segment_bits),
  IMAGE(select),
  IMAGE(select_marks),
  IMAGE(sort),
  IMAGE(sort_numeric),
  IMAGE(split),
  IMAGE_OF(EMULATED_SORT_MODULES, sort_onesweep_sm80),
  IMAGE_OF(EMULATED_SORT_MODULES, sort_onesweep_sm90),
  IMAGE_OF(EMULATED_SORT_MODULES, sort_numeric_onesweep_sm80),
  IMAGE_OF(EMULATED_SORT_MODULES, sort_numeric_onesweep_sm90),
  IMAGE_OF(EMULATED_SELECT_MODULES, select_pipelined_sm80),
  IMAGE_OF(EMULATED_SELECT_MODULES, select_pipelined_sm90),
  IMAGE(sort_onesweep_sm86),
  IMAGE(sort_onesweep_sm120),
  IMAGE(sort_numeric_onesweep_sm86),
  IMAGE(sort_numeric_onesweep_sm120),
  IMAGE(select_pipelined_sm86),
  IMAGE(select_pipelined_sm120),
  IMAGE(f32_f32),
  IMAGE(u32_u32),
  IMAGE(batch_f32_f32),
  IMAGE(batch_u32_u32),
  IMAGE(staged_f32_f32_sm90),
  IMAGE(staged_u32_u32_sm90),
  IMAGE(u8_u8),
  IMAGE(u8_u32),
  IMAGE(u8_u64),
  IMAGE(i16_u32),
  IMAGE(pipelined_f32_f32_sm80),
  IMAGE(pipelined_f32_f32_sm86),
  IMAGE(pipelined_f32_f32_sm90),
  IMAGE(pipelined_f32_f32_sm120),
  IMAGE(pipelined_u8_u8_sm90),
  IMAGE(pipelined_u8_u64_sm80),
  IMAGE(pipelined_u8_u64_sm86),
  IMAGE(pipelined_u8_u64_sm90),
  IMAGE(pipelined_u8_u64_sm120),
  IMAGE(pipelined_i16_u32_sm90),
};
const size_t scan_cuda_image_count = sizeof scan_cuda_images / sizeof scan_cuda_images[0];
