/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole rows in 16-byte vector registers, by the vector extension that gcc and clang share. Included by host_worker.inc
 * between tile.h and tile_item.h, where input and value are one type. */
typedef value_t vec_t __attribute__((vector_size(16)));

static inline vec_t vec_load(const value_t *p) {
  vec_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

/* Streaming stores save the read of the line that is about to be overwritten; out is aligned to 16 bytes then. */
static inline void vec_store(value_t *p, vec_t v, uint32_t streaming) {
#if defined(__SSE2__)
  if (streaming) {
    _mm_stream_si128((__m128i *)(void *)p, (__m128i)v);
    return;
  }
#endif
  (void)streaming;
  memcpy(p, &v, sizeof v);
}

static inline vec_t vec_fill(value_t x) {
  vec_t v;
  for (unsigned k = 0; k < VEC_ITEMS; k++) v[k] = x;
  return v;
}

static inline vec_t vec_combine(vec_t a, vec_t b) {
#if SCAN_OP == 1
  return a + b;
#elif SCAN_OP == 2
  return a * b;
#elif SCAN_OP == 3 || SCAN_OP == 4
  typedef __typeof__(a < b) mask_t;
#if SCAN_OP == 3
  mask_t second = b < a;
#else
  mask_t second = b > a;
#endif
#if VALUE_IS_FLOAT
  second |= b != b;
#endif
  return (vec_t)(((mask_t)b & second) | ((mask_t)a & ~second));
#elif SCAN_OP == 5
  return a & b;
#elif SCAN_OP == 6
  return a | b;
#else
  return a ^ b;
#endif
}

/* Elements d places lower, lanes of `low` shifted in from below. */
#if VEC_ITEMS == 2
#define VEC_SHIFT_1(low, v) __builtin_shufflevector(low, v, 1, 2)
#elif VEC_ITEMS == 4
#define VEC_SHIFT_1(low, v) __builtin_shufflevector(low, v, 3, 4, 5, 6)
#define VEC_SHIFT_2(low, v) __builtin_shufflevector(low, v, 2, 3, 4, 5)
#elif VEC_ITEMS == 8
#define VEC_SHIFT_1(low, v) __builtin_shufflevector(low, v, 7, 8, 9, 10, 11, 12, 13, 14)
#define VEC_SHIFT_2(low, v) __builtin_shufflevector(low, v, 6, 7, 8, 9, 10, 11, 12, 13)
#define VEC_SHIFT_4(low, v) __builtin_shufflevector(low, v, 4, 5, 6, 7, 8, 9, 10, 11)
#else
#define VEC_SHIFT_1(low, v)                                                                                            \
  __builtin_shufflevector(low, v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define VEC_SHIFT_2(low, v)                                                                                            \
  __builtin_shufflevector(low, v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
#define VEC_SHIFT_4(low, v)                                                                                            \
  __builtin_shufflevector(low, v, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
#define VEC_SHIFT_8(low, v)                                                                                            \
  __builtin_shufflevector(low, v, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
#endif

#if VALUE_IS_FLOAT
/* A block is VEC_ITEMS vectors, transposed: x[k] holds element k of each of them. */
#define BLOCKS (ROW_VECS / VEC_ITEMS)
#if VEC_ITEMS == 4
static inline void block_transpose(vec_t x[VEC_ITEMS]) {
  const vec_t a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5), b = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  const vec_t c = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5), d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
#else
static inline void block_transpose(vec_t x[VEC_ITEMS]) {
  const vec_t a = x[0], b = x[1];
  x[0] = __builtin_shufflevector(a, b, 0, 2);
  x[1] = __builtin_shufflevector(a, b, 1, 3);
}
#endif

static inline void block_load(const value_t *in, vec_t x[VEC_ITEMS]) {
  UNROLL
  for (unsigned k = 0; k < VEC_ITEMS; k++) x[k] = vec_load(in + k * VEC_ITEMS);
  block_transpose(x);
}

static inline vec_t block_fold(const vec_t x[VEC_ITEMS]) {
  vec_t sum = x[0];
  UNROLL
  for (unsigned k = 1; k < VEC_ITEMS; k++) sum = vec_combine(sum, x[k]);
  return sum;
}

static inline void block_store(const scan_job *job, scan_u64 first, vec_t start, const vec_t x[VEC_ITEMS]) {
  vec_t y[VEC_ITEMS];
  UNROLL
  for (unsigned k = 0; k < VEC_ITEMS; k++) {
    const vec_t next = vec_combine(start, x[k]);
    y[k] = job->inclusive ? next : start;
    start = next;
  }
  block_transpose(y);
  UNROLL
  for (unsigned k = 0; k < VEC_ITEMS; k++) vec_store(job->out + first + k * VEC_ITEMS, y[k], job->streaming);
}

/* Recursive doubling over the row's 32 lanes, which lie in order in BLOCKS registers. */
static inline void lanes_scan(vec_t s[BLOCKS]) {
  const vec_t none = vec_fill(IDENTITY);
  UNROLL
  for (unsigned b = BLOCKS - 1; b < BLOCKS; b--) s[b] = vec_combine(VEC_SHIFT_1(b ? s[b - 1] : none, s[b]), s[b]);
#if VEC_ITEMS == 4
  UNROLL
  for (unsigned b = BLOCKS - 1; b < BLOCKS; b--) s[b] = vec_combine(VEC_SHIFT_2(b ? s[b - 1] : none, s[b]), s[b]);
#endif
  UNROLL
  for (unsigned d = 1; d < BLOCKS; d <<= 1) {
    UNROLL
    for (unsigned b = BLOCKS - 1; b >= d; b--) s[b] = vec_combine(s[b - d], s[b]);
  }
}

static inline value_t row_reduce(const value_t *in) {
  vec_t s[BLOCKS], x[VEC_ITEMS];
  UNROLL
  for (unsigned b = 0; b < BLOCKS; b++) {
    block_load(in + b * VEC_ITEMS * VEC_ITEMS, x);
    s[b] = block_fold(x);
  }
  lanes_scan(s);
  return s[BLOCKS - 1][VEC_ITEMS - 1];
}

static inline value_t row_write(const scan_job *job, scan_u64 first, value_t prefix, value_t sub_before,
                                value_t row_before) {
  vec_t s[BLOCKS], x[BLOCKS][VEC_ITEMS];
  const vec_t p = vec_fill(prefix), sub = vec_fill(sub_before), row = vec_fill(row_before);
  UNROLL
  for (unsigned b = 0; b < BLOCKS; b++) {
    block_load(job->in + first + b * VEC_ITEMS * VEC_ITEMS, x[b]);
    s[b] = block_fold(x[b]);
  }
  lanes_scan(s);
  UNROLL
  for (unsigned b = 0; b < BLOCKS; b++) {
    const vec_t before = VEC_SHIFT_1(b ? s[b - 1] : vec_fill(IDENTITY), s[b]);
    const vec_t start = vec_combine(p, vec_combine(sub, vec_combine(row, before)));
    block_store(job, first + b * VEC_ITEMS * VEC_ITEMS, start, x[b]);
  }
  return s[BLOCKS - 1][VEC_ITEMS - 1];
}
#undef BLOCKS
#else

/* Integers: each vector is scanned by shifts, and its last element carried to the next. */
static inline value_t span_write(const scan_job *job, scan_u64 first, scan_u32 count, value_t acc) {
  const value_t *in = job->in + first;
  value_t *out = job->out + first;
  const vec_t none = vec_fill(IDENTITY);
  vec_t carry = vec_fill(acc);
  uint32_t i = 0;
  for (; i + VEC_ITEMS <= count; i += VEC_ITEMS) {
    vec_t v = vec_load(in + i);
    v = vec_combine(VEC_SHIFT_1(none, v), v);
#if VEC_ITEMS >= 4
    v = vec_combine(VEC_SHIFT_2(none, v), v);
#endif
#if VEC_ITEMS >= 8
    v = vec_combine(VEC_SHIFT_4(none, v), v);
#endif
#if VEC_ITEMS >= 16
    v = vec_combine(VEC_SHIFT_8(none, v), v);
#endif
    const vec_t all = vec_combine(carry, v);
    vec_store(out + i, job->inclusive ? all : VEC_SHIFT_1(carry, all), job->streaming);
    carry = vec_combine(carry, vec_fill(v[VEC_ITEMS - 1]));
  }
  acc = carry[VEC_ITEMS - 1];
  for (; i < count; i++) {
    const value_t next = combine(acc, in[i]);
    out[i] = job->inclusive ? next : acc;
    acc = next;
  }
  return acc;
}
#endif
#undef VEC_SHIFT_1
#undef VEC_SHIFT_2
#undef VEC_SHIFT_4
#undef VEC_SHIFT_8
