/* SPDX-License-Identifier: BSD-2-Clause */
/* What value.h gives, for an element type and an operator from source (SCAN_TYPE 0): SCAN_SOURCE_T and
 * SCAN_SOURCE_COMBINE name them, SCAN_SOURCE_BYTES is the type's size. The operator need have no identity, and where it
 * has one nothing is combined with it but as a seed: a value knows whether it is there, and what is not there is passed
 * over. So the operator sees elements, what it made of them, and the seed, and nothing else. */
#if SCAN_TYPE != 0 || SCAN_IN_TYPE != 0
#error "a type from source has the number 0"
#endif
#if !defined(SCAN_SOURCE_BYTES)
#error "a build parameter is missing"
#endif
typedef SCAN_SOURCE_T output_t;
typedef output_t input_t;
#define VALUE_BYTES SCAN_SOURCE_BYTES
#define INPUT_BYTES VALUE_BYTES
#define VALUE_IS_FLOAT 0
#define VALUE_IS_ORDERED 1
#define VALUE_WORDS ((VALUE_BYTES + 3) / 4)

typedef struct value_t {
  output_t v;
  scan_u32 there;
} value_t;

typedef union value_words {
  output_t v;
  scan_u32 word[VALUE_WORDS];
} value_words;

FUNC value_words words_of(output_t v) {
  value_words w;
  w.word[VALUE_WORDS - 1] = 0; /* what lies past the value */
  w.v = v;
  return w;
}

FUNC value_t value_from(output_t v, scan_u32 there) {
  value_t x;
  x.v = v;
  x.there = there;
  return x;
}

FUNC value_t value_none(void) {
  value_words w;
  UNROLL
  for (scan_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = 0;
  return value_from(w.v, 0);
}

/* a precedes b. */
FUNC value_t combine(value_t a, value_t b) {
  if (!a.there) return b;
  if (b.there) a.v = SCAN_SOURCE_COMBINE(a.v, b.v);
  return a;
}

/* Which of two values, a word at a time: compilers make a branch, or an address in memory, of a choice of structs. */
FUNC value_t value_select(scan_u32 first, value_t a, value_t b) {
  value_words x = words_of(a.v);
  const value_words y = words_of(b.v);
  UNROLL
  for (scan_u32 k = 0; k < VALUE_WORDS; k++) x.word[k] = first ? x.word[k] : y.word[k];
  return value_from(x.v, first ? a.there : b.there);
}
#define VALUE_SELECT(first, a, b) value_select((first), (a), (b))
/* A value that is known to be there. */
#define VALUE_THERE(x) value_from((x).v, 1)

#define IDENTITY value_none()
#define VALUE_OF(x) value_from((x), 1)
#define OUTPUT_OF(x) ((x).v)

/* Vectors of 16 bytes are read and written at once where they are aligned; single elements always are. */
#if 16 % VALUE_BYTES == 0
#define VECTOR_ALIGNED(pointer, bytes) (ADDRESS(pointer) % (bytes) == 0)
#else
#define VECTOR_ALIGNED(pointer, bytes) 1
#endif

/* Values in local memory: a byte says whether one is there, where a member of the struct might take eight. */
#define SCRATCH_ARRAY(name, count)                                                                                     \
  output_t name[count];                                                                                                \
  scan_u8 name##_there[count]
#define SCRATCH_GET(s, name, i) value_from((s)->name[i], (s)->name##_there[i])
#define SCRATCH_PUT(s, name, i, x)                                                                                     \
  do {                                                                                                                 \
    const value_t put = (x);                                                                                           \
    (s)->name[i] = put.v;                                                                                              \
    (s)->name##_there[i] = (scan_u8)put.there;                                                                         \
  } while (0)

/* The seed comes in the kernel's arguments or, with FLAG_SEED too, in the workspace; without one, nothing comes before
 * tile 0. */
#define FLAG_SEED 4u
#define SEED_PARAMETERS                                                                                                \
  , scan_u64 seed1, scan_u64 seed2, scan_u64 seed3, scan_u64 seed4, scan_u64 seed5, scan_u64 seed6, scan_u64 seed7
#define SEED_AT(bytes)                                                                                                 \
  value_seed(flags &FLAG_SEED, seed_bits, seed1, seed2, seed3, seed4, seed5, seed6, seed7, flags &FLAG_CARRY,          \
             (GLOBAL const scan_u32 *)CARRY_AT(bytes))
#define PREFIX_OF(x, tile) value_from((x), (tile) > 0 || flags & FLAG_SEED)

FUNC value_t value_seed(scan_u32 there, scan_u64 seed0, scan_u64 seed1, scan_u64 seed2, scan_u64 seed3, scan_u64 seed4,
                        scan_u64 seed5, scan_u64 seed6, scan_u64 seed7, scan_u32 is_carry,
                        GLOBAL const scan_u32 *carry) {
  const scan_u64 seed[8] = { seed0, seed1, seed2, seed3, seed4, seed5, seed6, seed7 };
  value_words w;
  UNROLL
  for (scan_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = (scan_u32)(seed[k / 2] >> (32 * (k % 2)));
  if (is_carry) { /* by words, of which there is room for: rusticl (Mesa 22.3) crashes over a struct here */
    UNROLL
    for (scan_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = carry[k];
  }
  return value_from(w.v, there ? 1 : 0);
}
