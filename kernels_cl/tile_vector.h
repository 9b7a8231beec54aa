/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole rows of the one-work-item tile in vector registers of 16 bytes, where input and value are one type. The dialect
 * brings VEC_T, VEC_LOAD, VEC_STORE, VEC_FILL, VEC_LAST, VEC_SELECT and VEC_SHUFFLE. */
typedef VEC_T vec_t;

FUNC vec_t vec_combine(vec_t a, vec_t b) {
#if SCAN_OP == 1
  return a + b;
#elif SCAN_OP == 2
  return a * b;
#elif SCAN_OP == 3 && VALUE_IS_FLOAT
  return VEC_SELECT((b < a) | (b != b), b, a);
#elif SCAN_OP == 3
  return VEC_SELECT(b < a, b, a);
#elif SCAN_OP == 4 && VALUE_IS_FLOAT
  return VEC_SELECT((b > a) | (b != b), b, a);
#elif SCAN_OP == 4
  return VEC_SELECT(b > a, b, a);
#elif SCAN_OP == 5
  return a & b;
#elif SCAN_OP == 6
  return a | b;
#else
  return a ^ b;
#endif
}

/* Streaming stores save the read of the line that is about to be overwritten. */
FUNC void vec_store(const scan_job *job, scan_u64 first, vec_t v) {
  if (job->streaming) {
    VEC_STREAM(job->out + first, v);
  } else {
    VEC_STORE(job->out + first, v);
  }
}

/* Elements d places lower, lanes of `low` shifted in from below. */
#if VEC_ITEMS == 2
#define VEC_SHIFT_1(low, v) VEC_SHUFFLE(low, v, 1, 2)
#elif VEC_ITEMS == 4
#define VEC_SHIFT_1(low, v) VEC_SHUFFLE(low, v, 3, 4, 5, 6)
#define VEC_SHIFT_2(low, v) VEC_SHUFFLE(low, v, 2, 3, 4, 5)
#elif VEC_ITEMS == 8
#define VEC_SHIFT_1(low, v) VEC_SHUFFLE(low, v, 7, 8, 9, 10, 11, 12, 13, 14)
#define VEC_SHIFT_2(low, v) VEC_SHUFFLE(low, v, 6, 7, 8, 9, 10, 11, 12, 13)
#define VEC_SHIFT_4(low, v) VEC_SHUFFLE(low, v, 4, 5, 6, 7, 8, 9, 10, 11)
#else
#define VEC_SHIFT_1(low, v) VEC_SHUFFLE(low, v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define VEC_SHIFT_2(low, v) VEC_SHUFFLE(low, v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
#define VEC_SHIFT_4(low, v) VEC_SHUFFLE(low, v, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
#define VEC_SHIFT_8(low, v) VEC_SHUFFLE(low, v, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
#endif

#if VALUE_IS_FLOAT
/* A block is VEC_ITEMS vectors, transposed: x[k] holds element k of each of them. */
#define BLOCKS (ROW_VECS / VEC_ITEMS)
#if VEC_ITEMS == 4
FUNC void block_transpose(vec_t x[VEC_ITEMS]) {
  const vec_t a = VEC_SHUFFLE(x[0], x[1], 0, 4, 1, 5), b = VEC_SHUFFLE(x[0], x[1], 2, 6, 3, 7);
  const vec_t c = VEC_SHUFFLE(x[2], x[3], 0, 4, 1, 5), d = VEC_SHUFFLE(x[2], x[3], 2, 6, 3, 7);
  x[0] = VEC_SHUFFLE(a, c, 0, 1, 4, 5);
  x[1] = VEC_SHUFFLE(a, c, 2, 3, 6, 7);
  x[2] = VEC_SHUFFLE(b, d, 0, 1, 4, 5);
  x[3] = VEC_SHUFFLE(b, d, 2, 3, 6, 7);
}
#else
FUNC void block_transpose(vec_t x[VEC_ITEMS]) {
  const vec_t a = x[0], b = x[1];
  x[0] = VEC_SHUFFLE(a, b, 0, 2);
  x[1] = VEC_SHUFFLE(a, b, 1, 3);
}
#endif

FUNC void block_load(GLOBAL const value_t *in, vec_t x[VEC_ITEMS]) {
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) x[k] = VEC_LOAD(in + k * VEC_ITEMS);
  block_transpose(x);
}

FUNC vec_t block_fold(const vec_t x[VEC_ITEMS]) {
  vec_t sum = x[0];
  UNROLL
  for (scan_u32 k = 1; k < VEC_ITEMS; k++) sum = vec_combine(sum, x[k]);
  return sum;
}

FUNC void block_store(const scan_job *job, scan_u64 first, vec_t start, const vec_t x[VEC_ITEMS]) {
  vec_t y[VEC_ITEMS];
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
    const vec_t next = vec_combine(start, x[k]);
    y[k] = job->inclusive ? next : start;
    start = next;
  }
  block_transpose(y);
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) vec_store(job, first + k * VEC_ITEMS, y[k]);
}

/* Recursive doubling over the row's 32 lanes, which lie in order in BLOCKS registers. */
FUNC void lanes_scan(vec_t s[BLOCKS]) {
  const vec_t none = VEC_FILL(IDENTITY);
  UNROLL
  for (scan_u32 b = BLOCKS - 1; b < BLOCKS; b--) s[b] = vec_combine(VEC_SHIFT_1(b ? s[b - 1] : none, s[b]), s[b]);
#if VEC_ITEMS == 4
  UNROLL
  for (scan_u32 b = BLOCKS - 1; b < BLOCKS; b--) s[b] = vec_combine(VEC_SHIFT_2(b ? s[b - 1] : none, s[b]), s[b]);
#endif
  UNROLL
  for (scan_u32 d = 1; d < BLOCKS; d <<= 1) {
    UNROLL
    for (scan_u32 b = BLOCKS - 1; b >= d; b--) s[b] = vec_combine(s[b - d], s[b]);
  }
}

FUNC value_t row_reduce(GLOBAL const value_t *in) {
  vec_t s[BLOCKS], x[VEC_ITEMS];
  UNROLL
  for (scan_u32 b = 0; b < BLOCKS; b++) {
    block_load(in + b * VEC_ITEMS * VEC_ITEMS, x);
    s[b] = block_fold(x);
  }
  lanes_scan(s);
  return VEC_LAST(s[BLOCKS - 1]);
}

FUNC value_t row_write(const scan_job *job, scan_u64 first, value_t prefix, value_t sub_before, value_t row_before) {
  vec_t s[BLOCKS], x[BLOCKS][VEC_ITEMS];
  const vec_t p = VEC_FILL(prefix), sub = VEC_FILL(sub_before), row = VEC_FILL(row_before);
  UNROLL
  for (scan_u32 b = 0; b < BLOCKS; b++) {
    block_load(job->in + first + b * VEC_ITEMS * VEC_ITEMS, x[b]);
    s[b] = block_fold(x[b]);
  }
  lanes_scan(s);
  UNROLL
  for (scan_u32 b = 0; b < BLOCKS; b++) {
    const vec_t before = VEC_SHIFT_1(b ? s[b - 1] : VEC_FILL(IDENTITY), s[b]);
    const vec_t start = vec_combine(p, vec_combine(sub, vec_combine(row, before)));
    block_store(job, first + b * VEC_ITEMS * VEC_ITEMS, start, x[b]);
  }
  return VEC_LAST(s[BLOCKS - 1]);
}
#undef BLOCKS
#else

/* Four accumulators, so that no addition waits for the one before. */
FUNC value_t span_reduce(const scan_job *job, scan_u64 first, scan_u32 count) {
  GLOBAL const value_t *in = job->in + first;
  vec_t sum[4] = { VEC_FILL(IDENTITY), VEC_FILL(IDENTITY), VEC_FILL(IDENTITY), VEC_FILL(IDENTITY) };
  scan_u32 i = 0;
  for (; i + 4 * VEC_ITEMS <= count; i += 4 * VEC_ITEMS) {
    UNROLL
    for (scan_u32 j = 0; j < 4; j++) sum[j] = vec_combine(sum[j], VEC_LOAD(in + i + j * VEC_ITEMS));
  }
  value_t part[VEC_ITEMS], all = IDENTITY;
  VEC_STORE_PRIVATE(part, vec_combine(vec_combine(sum[0], sum[1]), vec_combine(sum[2], sum[3])));
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) all = combine(all, part[k]);
  for (; i < count; i++) all = combine(all, in[i]);
  return all;
}

/* Integers: each vector is scanned by shifts, and its last element carried to the next. */
FUNC value_t span_write(const scan_job *job, scan_u64 first, scan_u32 count, value_t acc) {
  GLOBAL const value_t *in = job->in + first;
  GLOBAL value_t *out = job->out + first;
  const vec_t none = VEC_FILL(IDENTITY);
  vec_t carry = VEC_FILL(acc);
  scan_u32 i = 0;
  for (; i + VEC_ITEMS <= count; i += VEC_ITEMS) {
    vec_t v = VEC_LOAD(in + i);
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
    vec_store(job, first + i, job->inclusive ? all : VEC_SHIFT_1(carry, all));
    carry = vec_combine(carry, VEC_FILL(VEC_LAST(v)));
  }
  acc = VEC_LAST(carry);
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
