/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel text and compiled CUDA images inside the library; the tables are generated at build time. */
#ifndef SCANRT_EMBEDDED_H
#define SCANRT_EMBEDDED_H

#include <stddef.h>

struct scan_embedded_text {
  const char *name;         /* file name, such as "tile.h" */
  const char *const *parts; /* the parts of the text, ended by NULL; texts share many parts */
};
extern const struct scan_embedded_text scan_kernel_texts[];
extern const size_t scan_kernel_text_count;

/* Joins texts; the list ends with NULL. The caller frees the result; NULL: no memory. */
char *scan_text_join(const char *const *parts);

/* Returns the text of that name, to be freed by the caller; NULL: no such text, or no memory. */
char *scan_kernel_text(const char *name);

struct scan_embedded_image {
  const char *name; /* "<input type>_<type>", such as "u32_u32"; other forms are in tools/cmake/CudaKernels.cmake */
  const unsigned char *bytes;
  size_t byte_count;
};
extern const struct scan_embedded_image scan_cuda_images[];
extern const size_t scan_cuda_image_count; /* 0 when built without nvcc */

/* A program of an operator from source that one of the library's images holds: the 128-bit hash of its text, and its
 * number in the image. */
struct scan_catalogue_row {
  unsigned long long high, low;
  const char *image;
  unsigned number;
};
extern const struct scan_catalogue_row scan_catalogue[];
extern const size_t scan_catalogue_count;

#endif
