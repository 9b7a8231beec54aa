/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel text and compiled CUDA images inside the library; the tables are generated at build time. */
#ifndef SCANRT_EMBEDDED_H
#define SCANRT_EMBEDDED_H

#include <stddef.h>

struct scan_embedded_text {
  const char *name;          /* file name, such as "tile.h" */
  const char *const *pieces; /* the text, one after the other, and NULL; texts have many in common */
};
extern const struct scan_embedded_text scan_kernel_texts[];
extern const size_t scan_kernel_text_count;

/* One text of several, which end with NULL; to be freed. NULL: no memory. */
char *scan_text_join(const char *const *pieces);

/* The text of that name, to be freed; NULL: there is none, or no memory. */
char *scan_kernel_text(const char *name);

struct scan_embedded_image {
  const char *name; /* "<input type>_<type>", such as "u32_u32"; more forms in tools/cmake/CudaKernels.cmake */
  const unsigned char *bytes;
  size_t byte_count;
};
extern const struct scan_embedded_image scan_cuda_images[];
extern const size_t scan_cuda_image_count; /* 0 when built without nvcc */

/* A program of an operator from source that an image holds, if the library has it: the 128-bit hash of its text, and
 * its number there. */
struct scan_catalogue_row {
  unsigned long long high, low;
  const char *image;
  unsigned number;
  unsigned newest; /* compute capability that it runs on, as 90; UINT_MAX: there is PTX, for all that will come */
};
extern const struct scan_catalogue_row scan_catalogue[];
extern const size_t scan_catalogue_count;

#endif
