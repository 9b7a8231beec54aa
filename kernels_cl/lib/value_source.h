/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of value.h for an element type and an operator from source (SCAN_TYPE 0). SCAN_SOURCE_T and
 * SCAN_SOURCE_COMBINE name them. SCAN_SOURCE_INPUT_T and SCAN_SOURCE_OUTPUT_T are the elements of the input and the
 * output, which have the same type unless there is a map (SCAN_SOURCE_MAPS) or an emit (SCAN_SOURCE_EMITS).
 * SCAN_SOURCE_BYTES, SCAN_SOURCE_INPUT_BYTES and SCAN_SOURCE_OUTPUT_BYTES are the sizes of the three. Members of the
 * input and the output may lie in arrays of their own (members_source.h). The operator
 * needs no identity, and one that it has is used as a seed only: a value knows whether it exists, and a missing one is
 * passed over. So the operator is applied to elements, its own results and the seed alone. */
#ifndef SCANRT_CL_VALUE_SOURCE_H
#define SCANRT_CL_VALUE_SOURCE_H

#include "lib/dialect.h"
#include "lib/types.h"

#if SCAN_TYPE != 0 || SCAN_IN_TYPE != 0
#error "a type from source has the number 0"
#endif
#if !defined(SCAN_SOURCE_BYTES) || !defined(SCAN_SOURCE_INPUT_BYTES) || !defined(SCAN_SOURCE_OUTPUT_BYTES) ||          \
    !defined(SCAN_SOURCE_MAPS) || !defined(SCAN_SOURCE_EMITS) || !defined(SCAN_SOURCE_IS_FLOAT_SUM) ||                 \
    !defined(SCAN_SOURCE_SHOWS_NANS) || !defined(SCAN_SOURCE_HAS_IDENTITY) || !defined(SCAN_SOURCE_ORDER_BYTES) ||     \
    !defined(SCAN_SOURCE_INPUTS) || !defined(SCAN_SOURCE_OUTPUTS) || !defined(SCAN_SEGMENTS) ||                        \
    !defined(SCAN_CHECKS) || !defined(SCAN_STEPS) || !defined(SCAN_FLAGS_KNOWN) || !defined(SCAN_FLAGS)
#error "a build parameter is missing"
#endif
typedef SCAN_SOURCE_T scanrt_bare_t;
typedef SCAN_SOURCE_OUTPUT_T scanrt_output_t;
#if SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS
typedef SCAN_SOURCE_INPUT_T MAY_ALIAS scanrt_input_t; /* in place the output is the same memory */
#else
typedef SCAN_SOURCE_INPUT_T scanrt_input_t;
#endif
#define VALUE_BYTES SCAN_SOURCE_BYTES
#define INPUT_BYTES SCAN_SOURCE_INPUT_BYTES
#define OUTPUT_BYTES SCAN_SOURCE_OUTPUT_BYTES
#define VALUE_IS_FLOAT 0
#define ORDER_SHOWS 1
#define VALUE_IS_ORDERED 1
#define VALUE_WORDS ((VALUE_BYTES + 3) / 4)
#define DESCRIPTOR_MARKS (SCAN_SEGMENTS != 0) /* words of a descriptor besides the value's */

/* The canonical order depends on the largest of the value and of the elements of all arrays. */
#define ORDER_BYTES SCAN_SOURCE_ORDER_BYTES

/* Elements of the arrays that jobs have as `in` and `out`: whole elements, or those of the first member. */
#if SCAN_SOURCE_INPUTS
#define JOB_IN_T TYPE_ROW(TYPE_WORD_, SCAN_INPUTS_FIRST_BYTES)
#endif
#if SCAN_SOURCE_OUTPUTS
#define JOB_OUT_T TYPE_ROW(TYPE_WORD_, SCAN_OUTPUTS_FIRST_BYTES)
#endif

typedef struct scanrt_value_t {
  scanrt_bare_t v;
  scanrt_u32 there;
} scanrt_value_t;

typedef union scanrt_value_words {
  scanrt_bare_t v;
  scanrt_u32 word[VALUE_WORDS];
} scanrt_value_words;

FUNC scanrt_value_words scanrt_words_of(scanrt_bare_t v) {
  scanrt_value_words w;
  w.word[VALUE_WORDS - 1] = 0; /* the bytes past the value */
  w.v = v;
  return w;
}

FUNC scanrt_value_t scanrt_value_from(scanrt_bare_t v, scanrt_u32 there) {
  scanrt_value_t x;
  x.v = v;
  x.there = there;
  return x;
}

FUNC scanrt_value_t scanrt_value_none(void) {
  scanrt_value_words w;
  UNROLL
  for (scanrt_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = 0;
  return scanrt_value_from(w.v, 0);
}

/* Returns a value as an output shows it: sums and products of floating-point numbers (SCAN_SOURCE_SHOWS_NANS) have the
 * canonical NaN for any NaN. */
FUNC scanrt_bare_t scanrt_bare_output(scanrt_bare_t x) {
#if SCAN_SOURCE_SHOWS_NANS && VALUE_BYTES == 4
  return x != x ? F32_NAN : x;
#elif SCAN_SOURCE_SHOWS_NANS
  return x != x ? F64_NAN : x;
#else
  return x;
#endif
}

/* Returns a value as an emit gets it. Emits of sums are conversions to halves, which by PTX give the canonical NaN for
 * any NaN. */
FUNC scanrt_bare_t scanrt_bare_emitted(scanrt_bare_t x) {
#ifdef SCANRT_BF16_PTX
  return x;
#else
  return scanrt_bare_output(x);
#endif
}

#define VALUE_WORDS_OF(x) scanrt_words_of((x).v)
#define WORDS_NONE() scanrt_words_of(scanrt_value_none().v)
#define WORDS_VALUE(w, there) scanrt_value_from((w).v, (there))

/* Combines a and b; a precedes b. In segmented scans a value has STARTS_WITHIN in `there` if a segment begins in what
 * it covers; what precedes the segment's first element is then not combined with it. */
#define STARTS_WITHIN 2u
FUNC scanrt_value_t scanrt_combine(scanrt_value_t a, scanrt_value_t b) {
  if (!a.there) return b;
#if SCAN_SEGMENTS
  if (b.there & STARTS_WITHIN) return b;
  a.there |= 1; /* already set: compilers then know it of the result */
#endif
  if (b.there) a.v = SCAN_SOURCE_COMBINE(a.v, b.v);
  return a;
}

/* Returns a if `first` is not 0, else b, a word at a time: compilers make a branch, or an address in memory, of a
 * choice of structs. */
FUNC scanrt_bare_t scanrt_bare_select(scanrt_u32 first, scanrt_bare_t a, scanrt_bare_t b) {
  scanrt_value_words x = scanrt_words_of(a);
  const scanrt_value_words y = scanrt_words_of(b);
  UNROLL
  for (scanrt_u32 k = 0; k < VALUE_WORDS; k++) x.word[k] = first ? x.word[k] : y.word[k];
  return x.v;
}
FUNC scanrt_value_t scanrt_value_select(scanrt_u32 first, scanrt_value_t a, scanrt_value_t b) {
  return scanrt_value_from(scanrt_bare_select(first, a.v, b.v), first ? a.there : b.there);
}
#define VALUE_SELECT(first, a, b) scanrt_value_select((first), (a), (b))
/* A value that is known to exist. */
#if SCAN_SEGMENTS
#define VALUE_THERE(x) scanrt_value_from((x).v, (x).there | 1)
#else
#define VALUE_THERE(x) scanrt_value_from((x).v, 1)
#endif

#define IDENTITY scanrt_value_none()

#if SCAN_SEGMENTS
typedef scanrt_value_t scanrt_kept_t;
#define KEPT_OF(x) (x)
#define VALUE_KEPT(x) (x)
#define PREFIX_OF(x, tile) (x)
#else
/* A tile's aggregate as strategies store it, which always exists. A prefix exists but for tile 0 without a seed. */
typedef scanrt_bare_t scanrt_kept_t;
#define KEPT_OF(x) ((x).v)
#define VALUE_KEPT(x) scanrt_value_from((x), 1)
#define PREFIX_OF(x, tile) scanrt_value_from((x), (tile) > 0 || LAUNCH_FLAGS(flags) & FLAG_SEED)
#endif

/* Vectors of 2, 4, 8 and 16 bytes (AT_ONCE) are loaded and stored whole if they are aligned. Others go by elements,
 * which are always aligned. */
#define AT_ONCE(bytes) ((bytes) == 2 || (bytes) == 4 || (bytes) == 8 || (bytes) == 16)
#define VECTOR_ALIGNED(pointer, bytes) (!AT_ONCE(bytes) || ADDRESS(pointer) % (bytes) == 0)
#define STORED_BYTES (VEC_ITEMS * OUTPUT_BYTES)

/* Values in local memory. A byte says whether a value exists; a member of the struct might take eight. */
#define SCRATCH_ARRAY(name, count)                                                                                     \
  scanrt_bare_t name[count];                                                                                           \
  scanrt_u8 name##_there[count]
FUNC scanrt_bare_t scanrt_scratch_bare(LOCAL const scanrt_bare_t *kept) { return *kept; }
#define SCRATCH_GET(s, name, i) scanrt_value_from(scanrt_scratch_bare((s)->name + (i)), (s)->name##_there[i])
#define SCRATCH_PUT(s, name, i, x)                                                                                     \
  do {                                                                                                                 \
    const scanrt_value_t put = (x);                                                                                    \
    (s)->name[i] = put.v;                                                                                              \
    (s)->name##_there[i] = (scanrt_u8)put.there;                                                                       \
  } while (0)

/* The seed is passed in the kernel's arguments, with FLAG_SEED; without one, nothing precedes tile 0. In segmented
 * scans the seed precedes each segment, and a further argument says where segments begin (segments_source.h). A carry
 * is read from memory, also with FLAG_SEED. In segmented scans it belongs to the segment that element 0 continues; all
 * others begin with the seed. */
#define FLAG_SEED 4u
/* A launch's flags; those that the kernel is built for are constants. */
#define LAUNCH_FLAGS(flags) (((flags) & ~SCAN_FLAGS_KNOWN) | SCAN_FLAGS)
#if SCAN_SEGMENTS
#define SEGMENTS_PARAMETERS , PARAMETER_MEMORY(segment_flags)
#define SEGMENTS_FIELDS                                                                                                \
  GLOBAL const scanrt_u8 *segment_flags;                                                                               \
  scanrt_u32 first_is_start, first_clears;                                                                             \
  scanrt_value_t seed;
#define SEGMENTS_FILL(job) scanrt_job_fill((job), MEMORY(segment_flags), SEED_WITH(0), flags)
#else
#define SEGMENTS_PARAMETERS
#define SEGMENTS_FIELDS
#define SEGMENTS_FILL(job) job
#endif
#if SCAN_CHECKS /* overflow_source.h */
#define CHECKS_PARAMETERS , PARAMETER_MEMORY(checks)
#define CHECKS_FIELDS volatile GLOBAL scanrt_u32 *checks;
#define CHECKS_FILL(job) scanrt_job_check((job), MEMORY(checks))
#else
#define CHECKS_PARAMETERS
#define CHECKS_FIELDS
#define CHECKS_FILL(job) job
#endif
/* Elements lie in_step and out_step elements apart, which may be negative (SCAN_STEPS). The job begins at element 0 of
 * the scan. If that is the last one in memory (FLAG_REVERSED), maps, emits and segments use the place in memory.
 * Segments and overflow use the index in the array of which the scan is a line: INDEX_AT(job, place). */
#if SCAN_STEPS
#define STEPS_PARAMETERS , scanrt_u64 in_step, scanrt_u64 out_step, scanrt_u64 index_start, scanrt_u64 index_step
#define STEPS_FIELDS                                                                                                   \
  scanrt_i64 in_step, out_step;                                                                                        \
  scanrt_u64 index_start, index_step;                                                                                  \
  scanrt_u32 reversed;
#define STEPS_FILL(job)                                                                                                \
  scanrt_job_step((job), (scanrt_i64)in_step, (scanrt_i64)out_step, index_start, index_step,                           \
                  LAUNCH_FLAGS(flags) & FLAG_REVERSED, n)
#define INDEX_AT(job, place) ((job)->index_start + (place) * (job)->index_step)
#define INDEX_STEP(job) (job)->index_step
#define PLACE(job, index) ((job)->origin + ((job)->reversed ? (job)->n - 1 - (index) : (index)))
#if !SCAN_SOURCE_INPUTS
#define ELEMENT_IN(job, i) ((job)->in[(scanrt_i64)(i) * (job)->in_step])
#endif
#define ELEMENT_OUT(job, i) ((job)->out[(scanrt_i64)(i) * (job)->out_step])
#else
#define STEPS_PARAMETERS
#define STEPS_FIELDS
#define STEPS_FILL(job) job
#define INDEX_AT(job, place) (place)
#define INDEX_STEP(job) 1
#define PLACE(job, index) ((job)->origin + (index))
#endif
/* The index of the first element in memory for maps and emits: the memory may be a piece of something longer. */
#if SCAN_SOURCE_MAPS || SCAN_SOURCE_EMITS
#define ORIGIN_PARAMETERS , scanrt_u64 origin
#define ORIGIN_FIELDS scanrt_u64 origin;
#define ORIGIN_FILL(job) scanrt_job_from((job), origin)
#else
#define ORIGIN_PARAMETERS
#define ORIGIN_FIELDS
#define ORIGIN_FILL(job) job
#endif
/* The arrays of members but the first (members_source.h). */
#if SCAN_SOURCE_INPUTS
#define ELEMENT_IN(job, i) scanrt_members_load((job), (i))
#endif
#if SCAN_SOURCE_OUTPUTS
#define ELEMENT_PUT(job, i, value) scanrt_members_store((job), (i), (value))
#endif
#define MORE_PARAMETER_0(name)
#define MORE_PARAMETER_1(name) , PARAMETER_MEMORY(name##1)
#define MORE_PARAMETER_2(name) , PARAMETER_MEMORY(name##2)
#define MORE_PARAMETER_3(name) , PARAMETER_MEMORY(name##3)
#define MORE_IN(k, bytes, offset, shift) MORE_PARAMETER_##k(more_in)
#define MORE_OUT(k, bytes, offset, shift) MORE_PARAMETER_##k(more_out)
#if SCAN_SOURCE_INPUTS > 1
#define MORE_IN1 MEMORY(more_in1)
#else
#define MORE_IN1 0
#endif
#if SCAN_SOURCE_INPUTS > 2
#define MORE_IN2 MEMORY(more_in2)
#else
#define MORE_IN2 0
#endif
#if SCAN_SOURCE_INPUTS > 3
#define MORE_IN3 MEMORY(more_in3)
#else
#define MORE_IN3 0
#endif
#if SCAN_SOURCE_OUTPUTS > 1
#define MORE_OUT1 MEMORY(more_out1)
#else
#define MORE_OUT1 0
#endif
#if SCAN_SOURCE_OUTPUTS > 2
#define MORE_OUT2 MEMORY(more_out2)
#else
#define MORE_OUT2 0
#endif
#if SCAN_SOURCE_OUTPUTS > 3
#define MORE_OUT3 MEMORY(more_out3)
#else
#define MORE_OUT3 0
#endif
#if SCAN_SOURCE_INPUTS || SCAN_SOURCE_OUTPUTS
#define MEMBERS_PARAMETERS SCAN_INPUTS_EACH(MORE_IN) SCAN_OUTPUTS_EACH(MORE_OUT)
#define MEMBERS_FIELDS GLOBAL scanrt_u8 *more_in1, *more_in2, *more_in3, *more_out1, *more_out2, *more_out3;
#define MEMBERS_FILL(job) scanrt_job_members((job), MORE_IN1, MORE_IN2, MORE_IN3, MORE_OUT1, MORE_OUT2, MORE_OUT3)
#else
#define MEMBERS_PARAMETERS
#define MEMBERS_FIELDS
#define MEMBERS_FILL(job) job
#endif
#define JOB_FIELDS SEGMENTS_FIELDS CHECKS_FIELDS STEPS_FIELDS ORIGIN_FIELDS MEMBERS_FIELDS
#define JOB_FILL(job) MEMBERS_FILL(ORIGIN_FILL(STEPS_FILL(CHECKS_FILL(SEGMENTS_FILL(job)))))
#define SEED_PARAMETERS                                                                                                \
  , scanrt_u64 seed1, scanrt_u64 seed2, scanrt_u64 seed3, scanrt_u64 seed4, scanrt_u64 seed5, scanrt_u64 seed6,        \
      scanrt_u64 seed7 SEGMENTS_PARAMETERS CHECKS_PARAMETERS STEPS_PARAMETERS ORIGIN_PARAMETERS MEMBERS_PARAMETERS
#define SEED_WITH(is_carry)                                                                                            \
  scanrt_value_seed((LAUNCH_FLAGS(flags) & FLAG_SEED) | (is_carry), seed_bits, seed1, seed2, seed3, seed4, seed5,      \
                    seed6, seed7, (is_carry), MEMORY(carry))
#define SEED() SEED_WITH(flags &FLAG_CARRY)

/* Reads a value of any alignment, by bytes: rusticl (Mesa 22.3) crashes over a struct here. */
FUNC scanrt_value_words scanrt_words_read(GLOBAL const scanrt_u8 *from) {
  scanrt_value_words w;
  UNROLL
  for (scanrt_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < VALUE_BYTES; k++) w.word[k / 4] |= (scanrt_u32)from[k] << (8 * (k % 4));
  return w;
}
/* Writes a value of any alignment. */
FUNC void scanrt_words_write(GLOBAL scanrt_u8 *to, scanrt_value_words w) {
  UNROLL
  for (scanrt_u32 k = 0; k < VALUE_BYTES; k++) to[k] = (scanrt_u8)(w.word[k / 4] >> (8 * (k % 4)));
}
#define VALUE_PUT(pointer, value) scanrt_words_write((pointer), scanrt_words_of(scanrt_bare_output((value).v)))

FUNC scanrt_value_t scanrt_value_seed(scanrt_u32 there, scanrt_u64 seed0, scanrt_u64 seed1, scanrt_u64 seed2,
                                      scanrt_u64 seed3, scanrt_u64 seed4, scanrt_u64 seed5, scanrt_u64 seed6,
                                      scanrt_u64 seed7, scanrt_u32 is_carry, GLOBAL const scanrt_u8 *carry) {
  const scanrt_u64 seed[8] = { seed0, seed1, seed2, seed3, seed4, seed5, seed6, seed7 };
  scanrt_value_words w;
  UNROLL
  for (scanrt_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = (scanrt_u32)(seed[k / 2] >> (32 * (k % 2)));
  if (is_carry) w = scanrt_words_read(carry);
  return scanrt_value_from(w.v, there ? 1 : 0);
}
#endif
