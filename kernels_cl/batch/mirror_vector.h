/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans from the last element to the first by a work-group: element i of a job lies i elements before its start.
 * Vectors are loaded from the mirrored place and reversed in registers. tile_group.h, which is included after this
 * file, uses these functions for every vector, in place of those of vector.h. */
#ifndef SCANRT_CL_MIRROR_VECTOR_H
#define SCANRT_CL_MIRROR_VECTOR_H

#include "lib/vector.h"

FUNC scanrt_raw_t scanrt_vector_reversed(scanrt_raw_t raw) {
  scanrt_input_vector v, reversed;
  v.raw = raw;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) reversed.x[k] = v.x[VEC_ITEMS - 1 - k];
  return reversed.raw;
}

FUNC scanrt_raw_t scanrt_vector_load_reversed(const scanrt_job *job, scanrt_u64 first) {
  GLOBAL const scanrt_input_t *in = job->in - first;
  const scanrt_u32 count = scanrt_vector_count(job, first);
  scanrt_input_vector v;
  if (count == VEC_ITEMS && ADDRESS(in + 1) % (VEC_ITEMS * INPUT_BYTES) == 0)
    return scanrt_vector_reversed(LOAD_STREAM((GLOBAL const scanrt_raw_t *)(in - (VEC_ITEMS - 1))));
  v.raw = scanrt_vector_identity();
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) v.x[k] = *(in - k);
  return v.raw;
}

FUNC void scanrt_vector_store_reversed(const scanrt_job *job, scanrt_u64 first, scanrt_raw16 raw) {
  GLOBAL scanrt_output_t *out = job->out - first;
  const scanrt_u32 count = scanrt_vector_count(job, first);
  scanrt_output_vector o;
  o.raw = raw;
  if (count == VEC_ITEMS && ADDRESS(out + 1) % 16 == 0) {
    scanrt_output_vector reversed;
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) reversed.x[k] = o.x[VEC_ITEMS - 1 - k];
    *(GLOBAL scanrt_raw16 *)(out - (VEC_ITEMS - 1)) = reversed.raw;
    return;
  }
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) *(out - k) = o.x[k];
}

#define scanrt_vector_load_guarded scanrt_vector_load_reversed
#define scanrt_vector_store_guarded scanrt_vector_store_reversed
#define scanrt_tile_load scanrt_tile_load_forward
#define scanrt_tile_prefetch scanrt_tile_prefetch_forward

FUNC scanrt_job scanrt_line_reversed(scanrt_job job) {
  job.vectors_in = 0;
  job.vectors_out = 0;
  return job;
}
#define LINE_REVERSED(job) scanrt_line_reversed(job) /* for rows_group.cl, whose lines begin at their last element */

/* Returns the job that begins at the last element in memory. */
FUNC scanrt_job scanrt_job_reversed(scanrt_job job) {
  job.in += job.n - 1;
  job.out += job.n - 1;
  return scanrt_line_reversed(job);
}
#undef JOB
#define JOB() scanrt_job_reversed(JOB_MADE())
#endif
