/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of elements whose members lie in arrays of their own (members_source.h). Included by vector_source.h. */
#ifndef SCANRT_CL_MEMBERS_VECTOR_H
#define SCANRT_CL_MEMBERS_VECTOR_H

#if SCAN_SOURCE_INPUTS || SCAN_SOURCE_OUTPUTS
/* The vectors of members of 1, 2, 4 and 8 bytes; a member is no larger than the order's bytes. */
#if VEC_ITEMS == 16
#define MEMBER_VECTORS(DO) DO(1, scanrt_raw16)
#elif VEC_ITEMS == 8
#define MEMBER_VECTORS(DO) DO(1, scanrt_raw8) DO(2, scanrt_raw16)
#elif VEC_ITEMS == 4
#define MEMBER_VECTORS(DO) DO(1, scanrt_u32) DO(2, scanrt_raw8) DO(4, scanrt_raw16)
#elif VEC_ITEMS == 2
#define MEMBER_VECTORS(DO) DO(1, scanrt_u16) DO(2, scanrt_u32) DO(4, scanrt_raw8) DO(8, scanrt_raw16)
#else
#define MEMBER_VECTORS(DO) DO(1, scanrt_u8) DO(2, scanrt_u16) DO(4, scanrt_u32) DO(8, scanrt_u64)
#endif
#define MEMBER_VECTOR(scanrt_bytes, type)                                                                              \
  typedef type scanrt_member_raw##scanrt_bytes;                                                                        \
  typedef union scanrt_member_vector##scanrt_bytes {                                                                   \
    type raw;                                                                                                          \
    TYPE_ROW(TYPE_WORD_, scanrt_bytes) x[VEC_ITEMS];                                                                   \
  } scanrt_member_vector##scanrt_bytes;
MEMBER_VECTORS(MEMBER_VECTOR)
#undef MEMBER_VECTOR
#endif

#if SCAN_SOURCE_INPUTS
/* Loads a vector of elements, all of which exist. `inside`, a constant in every call: 1 if those that shifts name do,
 * too. The members without a shift lie in vectors (scanrt_members_lie_in).
 */
#define MEMBER_LOAD(k, bytes, offset, shift)                                                                           \
  if ((shift) == 0) {                                                                                                  \
    scanrt_member_vector##bytes u;                                                                                     \
    u.raw = LOAD_STREAM((GLOBAL const scanrt_member_raw##bytes *)IN_VECTOR_##k(job, first, bytes));                    \
    UNROLL                                                                                                             \
    for (scanrt_u32 j = 0; j < VEC_ITEMS; j++)                                                                         \
      e[j].part##bytes[(offset) / (bytes)] = IS_REVERSED(job) ? u.x[VEC_ITEMS - 1 - j] : u.x[j];                       \
  } else {                                                                                                             \
    UNROLL                                                                                                             \
    for (scanrt_u32 j = 0; j < VEC_ITEMS; j++) {                                                                       \
      const scanrt_u64 at = scanrt_member_shifted(job, first + j, (shift));                                            \
      if (inside || at < job->n) e[j].part##bytes[(offset) / (bytes)] = *IN_NEAR_##k(job, at, bytes);                  \
    }                                                                                                                  \
  }
FUNC scanrt_loaded_t scanrt_members_load_vector(const scanrt_job *job, scanrt_u64 first, scanrt_u32 inside) {
  scanrt_input_parts e[VEC_ITEMS];
  scanrt_loaded_t v;
  UNROLL
  for (scanrt_u32 j = 0; j < VEC_ITEMS; j++) {
    UNROLL
    for (scanrt_u32 w = 0; w < (INPUT_BYTES + 3) / 4; w++) e[j].part4[w] = 0;
  }
  SCAN_INPUTS_EACH(MEMBER_LOAD)
  UNROLL
  for (scanrt_u32 j = 0; j < VEC_ITEMS; j++) v.x[j] = e[j].x;
  return v;
}
#undef MEMBER_LOAD
#endif

#if SCAN_SOURCE_OUTPUTS
/* Stores a vector of elements, all of which exist; the members lie in vectors (scanrt_members_lie_out). */
#define MEMBER_STORE(k, bytes, offset, shift)                                                                          \
  {                                                                                                                    \
    scanrt_member_vector##bytes u;                                                                                     \
    UNROLL                                                                                                             \
    for (scanrt_u32 j = 0; j < VEC_ITEMS; j++)                                                                         \
      u.x[j] = IS_REVERSED(job) ? e[VEC_ITEMS - 1 - j].part##bytes[(offset) / (bytes)]                                 \
                                : e[j].part##bytes[(offset) / (bytes)];                                                \
    *(GLOBAL scanrt_member_raw##bytes *)OUT_VECTOR_##k(job, first, bytes) = u.raw;                                     \
  }
FUNC void scanrt_members_store_vector(const scanrt_job *job, scanrt_u64 first, scanrt_stored_t v) {
  scanrt_output_parts e[VEC_ITEMS];
  UNROLL
  for (scanrt_u32 j = 0; j < VEC_ITEMS; j++) e[j].x = v.x[j];
  SCAN_OUTPUTS_EACH(MEMBER_STORE)
}
#undef MEMBER_STORE
#endif
#endif
