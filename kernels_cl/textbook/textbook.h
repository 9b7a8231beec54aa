/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared parts of the textbook scans, those of the literature, for comparison. They move elements one by one, so
 * that any alignment serves, and follow no canonical order: a tile has the size of a work-group's items. Elements past
 * n are read as the identity. */
#ifndef SCANRT_CL_TEXTBOOK_H
#define SCANRT_CL_TEXTBOOK_H

#include "lib/tile.h"

#undef JOB
#define JOB() scanrt_job_make(MEMORY(in), MEMORY(out), n, flags) /* carries are not used */

#if SCAN_GROUP_ITEMS < 64 || SCAN_GROUP_ITEMS % 32 != 0 || (SCAN_GROUP_ITEMS & (SCAN_GROUP_ITEMS - 1)) != 0
#error "the textbook scans want work-groups of a power of two, 64 or more"
#endif

/* The padded place of element i in local memory. Local memory has 32 banks of 4 bytes; an 8-byte value takes two. A
 * place is skipped after each row of banks, so that strides of powers of two fall on different banks, and another one
 * after as many rows as a row has values (for 4 bytes 1,024 values, which no tree has). */
#if VALUE_BYTES == 8
#define PADDED(i) ((i) + (i) / 16 + (i) / 256)
#else
#define PADDED(i) ((i) + (i) / 32)
#endif

FUNC scanrt_value_t scanrt_element_get(const scanrt_job *job, scanrt_u64 i) {
  return i < job->n ? (scanrt_value_t)job->in[i] : IDENTITY;
}
FUNC void scanrt_element_put(const scanrt_job *job, scanrt_u64 i, scanrt_value_t value) {
  if (i < job->n) job->out[i] = OUTPUT_OF(value);
}

/* Returns the number of tiles of `items` elements. */
FUNC scanrt_u32 scanrt_tiles_of(const scanrt_job *job, scanrt_u32 items) {
  return (scanrt_u32)((job->n + items - 1) / items);
}
#endif
