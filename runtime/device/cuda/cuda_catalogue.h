/* SPDX-License-Identifier: BSD-2-Clause */
/* The catalogue: kernels that were compiled when the library was built (tools/cmake/CudaCatalogue.cmake). */
#ifndef SCANRT_CUDA_CATALOGUE_H
#define SCANRT_CUDA_CATALOGUE_H

#include "device/backend.h"

/* The type and operator whose kernel serves another type and operator. Operators that ignore the sign are served
 * unsigned. Minima and maxima are served by minima, `and` and `or` by `and`, with the bits of `flip` inverted in every
 * element and result (kernels_cl/lib/flip.h). */
typedef struct cuda_served {
  scan_type type;
  scan_op_id op;
  uint64_t flip;  /* bits inverted in each element and in the seed */
  uint32_t flags; /* SCAN_KERNEL_FLIP_*: the bits that the kernel inverts */
} cuda_served;

/* Returns the type and operator that serve `type` and `op`. */
cuda_served scan_cuda_serve(scan_type type, scan_op_id op);

/* A kernel of the catalogue; each launch adds `flags` to its flags and inverts the bits of `flip` in its seed
 * (cuda_served). */
typedef struct cuda_instance {
  const struct scan_embedded_image *image;
  char name[64];
  uint32_t flags;
  uint64_t flip;
} cuda_instance;

/* Finds the instance that serves the key. For an operator from source that is
 * the one compiled from exactly its program, or from the program that takes its flags at launch. tuned_image:
 * scan_tuning's. Returns 0 if there is none. */
int scan_cuda_catalogue_find(const scan_kernel_key *key, uint32_t tuned_image, cuda_instance *found);

#endif
