/* SPDX-License-Identifier: BSD-2-Clause */
/* The catalogue: kernels that were compiled when the library was built (tools/cmake/CudaCatalogue.cmake). */
#ifndef SCANRT_CUDA_CATALOGUE_H
#define SCANRT_CUDA_CATALOGUE_H

#include "device/backend.h"

/* A kernel that is there, and what each launch of it adds to the flags and turns over in the seed: one image may serve
 * several types and operators (scan_array_image_for). */
typedef struct cuda_instance {
  const struct scan_embedded_image *image;
  char name[64];
  uint32_t flags;
  uint64_t flip;
} cuda_instance;

/* The instance that serves the key, of an operator from source the one compiled from exactly its program. tuned_image:
 * scan_tuning's. 0: there is none. */
int scan_cuda_catalogue_find(const scan_kernel_key *key, uint32_t tuned_image, cuda_instance *found);

#endif
