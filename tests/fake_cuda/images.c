/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-ins for the compiled CUDA kernels, which only the fake driver can load: a fatbin's first bytes, then the name.
 */
#include "base/embedded.h"
#include "fake_cuda.h"
#ifdef EMULATED_MODULES /* sources and `segment_bits` run on the processor */
#include "emulation.h"
#define SEGMENT_BITS_IMAGE EMULATED_LIBRARY EMULATED_MODULES "/segment_bits.so"
#else
#define SEGMENT_BITS_IMAGE FAKE_CUDA_IMAGE_MAGIC "segment_bits"
#endif

#define ONE_IMAGE(name)                                                                                                \
  { #name, (const unsigned char *)FAKE_CUDA_IMAGE_MAGIC #name, sizeof(FAKE_CUDA_IMAGE_MAGIC #name) }
#define IMAGE(pair) ONE_IMAGE(pair), ONE_IMAGE(pipelined_##pair##_sm80), ONE_IMAGE(pipelined_##pair##_sm90)

const struct scan_embedded_image scan_cuda_images[] = {
  IMAGE(i8_i8),
  IMAGE(u8_u8),
  IMAGE(i16_i16),
  IMAGE(u16_u16),
  IMAGE(u32_u32),
  IMAGE(u64_u64),
  ONE_IMAGE(pipelined_i64_i64_sm80),
  ONE_IMAGE(pipelined_i64_i64_sm90),
  IMAGE(f32_f32),
  IMAGE(f64_f64),
  IMAGE(i8_u32),
  IMAGE(i8_u64),
  IMAGE(u8_u32),
  IMAGE(u8_u64),
  IMAGE(i16_u32),
  IMAGE(i16_u64),
  IMAGE(u16_u32),
  IMAGE(u16_u64),
  IMAGE(i32_u64),
  IMAGE(u32_u64),
  IMAGE(f32_f64),
  ONE_IMAGE(textbook_u32_u32_add),
  ONE_IMAGE(textbook_u64_u64_add),
  ONE_IMAGE(textbook_f32_f32_add),
  ONE_IMAGE(textbook_f64_f64_add),
  ONE_IMAGE(textbook_i32_i32_max),
  ONE_IMAGE(batch_u32_u32),
  ONE_IMAGE(batch_f32_f32),
  { "segment_bits", (const unsigned char *)SEGMENT_BITS_IMAGE, sizeof(SEGMENT_BITS_IMAGE) },
#ifdef FAKE_SOURCE_IMAGES /* images of the catalogue: IMAGE(name), IMAGE(name), ... */
  FAKE_SOURCE_IMAGES(ONE_IMAGE)
#endif
};
const size_t scan_cuda_image_count = sizeof scan_cuda_images / sizeof scan_cuda_images[0];
