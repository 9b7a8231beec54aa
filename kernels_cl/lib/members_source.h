/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs and outputs from source whose members lie in arrays of their own (scan_op_member). SCAN_INPUTS_EACH(DO) and
 * SCAN_OUTPUTS_EACH(DO) call DO(k, bytes, offset, shift) for each member; both numbers of members are 0 where elements
 * lie whole. The first member's array is the job's `in` or `out`, which may have any step. The other arrays have an
 * element for each index of the array that the scan is a line of. */
#ifndef SCANRT_CL_MEMBERS_SOURCE_H
#define SCANRT_CL_MEMBERS_SOURCE_H

#include "lib/tile.h"

#if SCAN_SOURCE_INPUTS || SCAN_SOURCE_OUTPUTS
#if SCAN_STEPS
#define IS_REVERSED(job) (job)->reversed
#define STEP_IN(job, i) ((scanrt_i64)(i) * (job)->in_step)
#define STEP_OUT(job, i) ((scanrt_i64)(i) * (job)->out_step)
#else
#define IS_REVERSED(job) 0
#define STEP_IN(job, i) (i)
#define STEP_OUT(job, i) (i)
#endif

#if SCAN_STEPS
#define INDEX_START(job) (job)->index_start
#else
#define INDEX_START(job) 0
#endif

/* Returns the index of the scan's element i in the array that the scan is a line of. */
FUNC scanrt_u64 scanrt_member_index(const scanrt_job *job, scanrt_u64 i) {
  return INDEX_AT(job, IS_REVERSED(job) ? job->n - 1 - i : i);
}
/* scanrt_member_index for elements that lie side by side, and for a vector's first element in memory. */
FUNC scanrt_u64 scanrt_member_near(const scanrt_job *job, scanrt_u64 i) {
  return INDEX_START(job) + (IS_REVERSED(job) ? job->n - 1 - i : i);
}
#define VECTOR_NEAR(job, first) scanrt_member_near((job), (first) + (IS_REVERSED(job) ? VEC_ITEMS - 1 : 0))

/* The addresses of member k, whose elements are `bytes` wide: of element i; of one that lies side by side with others;
 * of the first one in memory of the vector at element `first`. */
#define MEMBER_CONST(address, bytes) ((GLOBAL const TYPE_ROW(TYPE_WORD_, bytes) *)(address))
#define MEMBER_ARRAY(address, bytes) ((GLOBAL TYPE_ROW(TYPE_WORD_, bytes) *)(address))
#define FIRST_NEAR(job, i) (IS_REVERSED(job) ? -(scanrt_i64)(i) : (scanrt_i64)(i))
#define FIRST_VECTOR(job, first) FIRST_NEAR(job, (first) + (IS_REVERSED(job) ? VEC_ITEMS - 1 : 0))
#define IN_AT_0(job, i, bytes) ((job)->in + STEP_IN(job, i))
#define IN_AT_1(job, i, bytes) (MEMBER_CONST((job)->more_in1, bytes) + scanrt_member_index((job), (i)))
#define IN_AT_2(job, i, bytes) (MEMBER_CONST((job)->more_in2, bytes) + scanrt_member_index((job), (i)))
#define IN_AT_3(job, i, bytes) (MEMBER_CONST((job)->more_in3, bytes) + scanrt_member_index((job), (i)))
#define IN_NEAR_0(job, i, bytes) ((job)->in + FIRST_NEAR(job, i))
#define IN_NEAR_1(job, i, bytes) (MEMBER_CONST((job)->more_in1, bytes) + scanrt_member_near((job), (i)))
#define IN_NEAR_2(job, i, bytes) (MEMBER_CONST((job)->more_in2, bytes) + scanrt_member_near((job), (i)))
#define IN_NEAR_3(job, i, bytes) (MEMBER_CONST((job)->more_in3, bytes) + scanrt_member_near((job), (i)))
#define IN_VECTOR_0(job, first, bytes) ((job)->in + FIRST_VECTOR(job, first))
#define IN_VECTOR_1(job, first, bytes) (MEMBER_CONST((job)->more_in1, bytes) + VECTOR_NEAR(job, first))
#define IN_VECTOR_2(job, first, bytes) (MEMBER_CONST((job)->more_in2, bytes) + VECTOR_NEAR(job, first))
#define IN_VECTOR_3(job, first, bytes) (MEMBER_CONST((job)->more_in3, bytes) + VECTOR_NEAR(job, first))
#define OUT_AT_0(job, i, bytes) ((job)->out + STEP_OUT(job, i))
#define OUT_AT_1(job, i, bytes) (MEMBER_ARRAY((job)->more_out1, bytes) + scanrt_member_index((job), (i)))
#define OUT_AT_2(job, i, bytes) (MEMBER_ARRAY((job)->more_out2, bytes) + scanrt_member_index((job), (i)))
#define OUT_AT_3(job, i, bytes) (MEMBER_ARRAY((job)->more_out3, bytes) + scanrt_member_index((job), (i)))
#define OUT_VECTOR_0(job, first, bytes) ((job)->out + FIRST_VECTOR(job, first))
#define OUT_VECTOR_1(job, first, bytes) (MEMBER_ARRAY((job)->more_out1, bytes) + VECTOR_NEAR(job, first))
#define OUT_VECTOR_2(job, first, bytes) (MEMBER_ARRAY((job)->more_out2, bytes) + VECTOR_NEAR(job, first))
#define OUT_VECTOR_3(job, first, bytes) (MEMBER_ARRAY((job)->more_out3, bytes) + VECTOR_NEAR(job, first))

/* An element as words of each size. */
#define MEMBER_PARTS(name, type, size)                                                                                 \
  typedef union name {                                                                                                 \
    type x;                                                                                                            \
    scanrt_u8 part1[size];                                                                                             \
    scanrt_u16 part2[((size) + 1) / 2];                                                                                \
    scanrt_u32 part4[((size) + 3) / 4];                                                                                \
    scanrt_u64 part8[((size) + 7) / 8];                                                                                \
  } name;
MEMBER_PARTS(scanrt_input_parts, scanrt_input_t, INPUT_BYTES)
MEMBER_PARTS(scanrt_output_parts, scanrt_output_t, OUTPUT_BYTES)
#endif

#if SCAN_SOURCE_INPUTS
/* Returns the element that a member with a shift has for element i, at or above n if the line has none. */
FUNC scanrt_u64 scanrt_member_shifted(const scanrt_job *job, scanrt_u64 i, scanrt_i64 shift) {
  (void)job;
  return i + (scanrt_u64)(IS_REVERSED(job) ? -shift : shift);
}

/* Loads element i, which exists. */
#define MEMBER_LOAD(k, bytes, offset, shift)                                                                           \
  {                                                                                                                    \
    const scanrt_u64 at = scanrt_member_shifted(job, i, (shift));                                                      \
    if ((shift) == 0 || at < job->n) e.part##bytes[(offset) / (bytes)] = *IN_AT_##k(job, at, bytes);                   \
  }
FUNC scanrt_input_t scanrt_members_load(const scanrt_job *job, scanrt_u64 i) {
  scanrt_input_parts e;
  UNROLL
  for (scanrt_u32 w = 0; w < (INPUT_BYTES + 3) / 4; w++) e.part4[w] = 0;
  SCAN_INPUTS_EACH(MEMBER_LOAD)
  return e.x;
}
#undef MEMBER_LOAD
#endif

#if SCAN_SOURCE_OUTPUTS
/* Stores element i. */
#define MEMBER_STORE(k, bytes, offset, shift) *OUT_AT_##k(job, i, bytes) = e.part##bytes[(offset) / (bytes)];
FUNC void scanrt_members_store(const scanrt_job *job, scanrt_u64 i, scanrt_output_t x) {
  scanrt_output_parts e;
  e.x = x;
  SCAN_OUTPUTS_EACH(MEMBER_STORE)
}
#undef MEMBER_STORE
#endif

#if SCAN_SOURCE_INPUTS || SCAN_SOURCE_OUTPUTS
/* 1 if the arrays' elements are neighbours, ascending or, in reversed scans, descending. */
#if SCAN_STEPS
#define LIE_SIDE_BY_SIDE(job, step, members)                                                                           \
  ((step) == (IS_REVERSED(job) ? -1 : 1) && ((members) < 2 || (job)->index_step == 1))
#else
#define LIE_SIDE_BY_SIDE(job, step, members) 1
#endif
/* 1 if the members without a shift can be loaded, or stored, in vectors. */
#define IN_LIES(k, bytes, offset, shift)                                                                               \
  lies &= (shift) != 0 || ADDRESS(IN_VECTOR_##k(job, 0, bytes)) % (VEC_ITEMS * (bytes)) == 0;
#define OUT_LIES(k, bytes, offset, shift) lies &= ADDRESS(OUT_VECTOR_##k(job, 0, bytes)) % (VEC_ITEMS * (bytes)) == 0;
#define MEMBERS_LIE(name, step, members, each_lies)                                                                    \
  FUNC scanrt_u32 name(const scanrt_job *job) {                                                                        \
    scanrt_u32 lies = LIE_SIDE_BY_SIDE(job, job->step, members);                                                       \
    each_lies;                                                                                                         \
    return lies;                                                                                                       \
  }
#if SCAN_SOURCE_INPUTS
MEMBERS_LIE(scanrt_members_lie_in, in_step, SCAN_SOURCE_INPUTS, SCAN_INPUTS_EACH(IN_LIES))
#endif
#if SCAN_SOURCE_OUTPUTS
MEMBERS_LIE(scanrt_members_lie_out, out_step, SCAN_SOURCE_OUTPUTS, SCAN_OUTPUTS_EACH(OUT_LIES))
#endif

FUNC scanrt_job scanrt_job_members(scanrt_job job, GLOBAL scanrt_u8 *in1, GLOBAL scanrt_u8 *in2, GLOBAL scanrt_u8 *in3,
                                   GLOBAL scanrt_u8 *out1, GLOBAL scanrt_u8 *out2, GLOBAL scanrt_u8 *out3) {
  job.more_in1 = in1;
  job.more_in2 = in2;
  job.more_in3 = in3;
  job.more_out1 = out1;
  job.more_out2 = out2;
  job.more_out3 = out3;
#if !SCAN_STEPS
#if SCAN_SOURCE_INPUTS
  job.vectors_in = scanrt_members_lie_in(&job);
#endif
#if SCAN_SOURCE_OUTPUTS
  job.vectors_out = scanrt_members_lie_out(&job);
  job.streaming = 0;
#endif
#endif
  return job;
}
#endif
#endif
