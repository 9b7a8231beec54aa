/* SPDX-License-Identifier: BSD-2-Clause */
/* The catalogue: kernels that were compiled when the library was built (tools/cmake/CudaCatalogue.cmake). */
#ifndef SCANRT_CUDA_CATALOGUE_H
#define SCANRT_CUDA_CATALOGUE_H

#include "device/backend.h"

/* Where one kernel serves several types and operators, the one that serves: what does not depend on the sign is
 * unsigned; minima, maxima, `and` and `or` are minima, or `and`, of values that are turned over in the bits of `flip`,
 * as are the results (kernels_cl/flip.h). */
typedef struct cuda_served {
  scan_type type;
  scan_op_id op;
  uint64_t flip;  /* of an element, and so of the seed */
  uint32_t flags; /* SCAN_KERNEL_FLIP_*: which of those bits the kernel turns over */
} cuda_served;
cuda_served scan_cuda_serve(scan_type type, scan_op_id op);

/* A kernel that is there, and what each launch of it adds to the flags and turns over in the seed (cuda_served). */
typedef struct cuda_instance {
  const struct scan_embedded_image *image;
  char name[64];
  uint32_t flags;
  uint64_t flip;
} cuda_instance;

/* The instance that serves the key on a device of that compute capability, of an operator from source the one compiled
 * from exactly its program, or from one that takes its flags when it is launched. tuned_image: scan_tuning's. 0: there
 * is none. */
int scan_cuda_catalogue_find(const scan_kernel_key *key, uint32_t tuned_image, uint32_t capability,
                             cuda_instance *found);

#endif
