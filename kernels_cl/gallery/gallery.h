/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels of the gallery share: the literature's own scans, for comparison, after tile.h and before the rest.
 * They move elements one by one, so that any alignment is the same to them, and know no canonical order: their tiles
 * are a work-group's, of whatever size it has. Elements past n are read as the identity. */
#ifndef SCANRT_CL_GALLERY_H
#define SCANRT_CL_GALLERY_H

#include "tile.h"

#undef JOB
#define JOB() scanrt_job_make(MEMORY(in), MEMORY(out), n, flags) /* nothing is kept */

#if SCAN_GROUP_ITEMS < 64 || SCAN_GROUP_ITEMS % 32 != 0 || (SCAN_GROUP_ITEMS & (SCAN_GROUP_ITEMS - 1)) != 0
#error "the gallery wants work-groups of a power of two, 64 or more"
#endif

/* Local memory answers 32 words of 4 bytes at once, from a bank each; 8-byte values take two. A place is skipped after
 * each row of banks, so that strides of powers of two fall on different ones, and one after as many rows as there are
 * in a row (1,024 values of 4 bytes, which no tree has). */
#if VALUE_BYTES == 8
#define PADDED(i) ((i) + (i) / 16 + (i) / 256)
#else
#define PADDED(i) ((i) + (i) / 32)
#endif

FUNC scanrt_value_t scanrt_element_get(const scanrt_job *job, scanrt_u64 i) {
  return i < job->n ? (scanrt_value_t)job->in[i] : IDENTITY;
}
FUNC void scanrt_element_put(const scanrt_job *job, scanrt_u64 i, scanrt_value_t value) {
  if (i < job->n) job->out[i] = (scanrt_output_t)value;
}

/* How many tiles of `items` elements there are. */
FUNC scanrt_u32 scanrt_tiles_of(const scanrt_job *job, scanrt_u32 items) {
  return (scanrt_u32)((job->n + items - 1) / items);
}
#endif
