/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans from the last element to the first, in a work-group: element i of a job lies i elements before its begin.
 * Vectors are loaded from the mirrored place and turned over in registers; tile_group.h, which follows, finds these
 * functions in place of those of vector.h, and asks them for every vector. */
#ifndef SCANRT_CL_MIRROR_VECTOR_H
#define SCANRT_CL_MIRROR_VECTOR_H

#include "vector.h"

FUNC raw_t vector_turned(raw_t raw) {
  input_vector v, turned;
  v.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) turned.x[k] = v.x[VEC_ITEMS - 1 - k];
  return turned.raw;
}

FUNC raw_t vector_load_turned(const scan_job *job, scan_u64 first) {
  GLOBAL const input_t *in = job->in - first;
  const scan_u32 count = vector_count(job, first);
  input_vector v;
  if (count == VEC_ITEMS && ADDRESS(in + 1) % (VEC_ITEMS * INPUT_BYTES) == 0)
    return vector_turned(LOAD_STREAM((GLOBAL const raw_t *)(in - (VEC_ITEMS - 1))));
  v.raw = vector_identity();
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) v.x[k] = *(in - k);
  return v.raw;
}

FUNC void vector_store_turned(const scan_job *job, scan_u64 first, scan_raw16 raw) {
  GLOBAL output_t *out = job->out - first;
  const scan_u32 count = vector_count(job, first);
  output_vector o;
  o.raw = raw;
  if (count == VEC_ITEMS && ADDRESS(out + 1) % 16 == 0) {
    output_vector turned;
    UNROLL
    for (scan_u32 k = 0; k < VEC_ITEMS; k++) turned.x[k] = o.x[VEC_ITEMS - 1 - k];
    *(GLOBAL scan_raw16 *)(out - (VEC_ITEMS - 1)) = turned.raw;
    return;
  }
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) *(out - k) = o.x[k];
}

#ifndef VECTOR_FLIP
#define VECTOR_FLIP(job, raw) (raw)
#endif
FUNC raw_t vector_load_flipped(const scan_job *job, scan_u64 first) {
  return VECTOR_FLIP(job, vector_load_turned(job, first));
}

FUNC void vector_store_flipped(const scan_job *job, scan_u64 first, scan_raw16 raw) {
  vector_store_turned(job, first, VECTOR_FLIP(job, raw));
}
#define vector_load_guarded vector_load_flipped
#define vector_store_guarded vector_store_flipped
#define tile_load tile_load_forward
#define tile_fold tile_fold_forward
#define tile_prefetch tile_prefetch_forward

FUNC scan_job line_turned(scan_job job) {
  job.vectors_in = 0;
  job.vectors_out = 0;
  return job;
}
#define LINE_JOB(l, job, flags) line_turned(job) /* of rows_group.cl, whose lines begin at their last element */

/* From the last element on. */
FUNC scan_job job_turned(scan_job job) {
  job.in += job.n - 1;
  job.out += job.n - 1;
  return line_turned(job);
}
#undef JOB
#define JOB() job_turned(JOB_MADE())
#endif
