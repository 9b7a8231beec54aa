/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences of neighbours: out[i] = in[i] - in[i - 1] and out[0] = in[0]; with FLAG_REVERSED out[i] = in[i] - in[i +
 * 1] and out[n - 1] = in[n - 1]. SCAN_TYPE is an unsigned integer, a floating-point type, or 11 or 12 for halves, whose
 * differences are computed in binary32 and rounded once.
 *
 * In place, each element must be read before its neighbour's work overwrites it. So a run is walked away from the
 * neighbours that its elements need, and difference_edges saves the neighbour in another run by a launch before. That
 * launch is left out with one run, and where input and output are apart. */
#include "lib/arguments.h"
#include "difference/difference.h"
#include "lib/dialect.h"
#include "lib/types.h"

#if !TYPE_IS_UNSIGNED(SCAN_TYPE) && SCAN_TYPE < 9
#error "there are no differences of this type"
#endif
#define ELEMENT_T TYPE_T(SCAN_TYPE)
#define ELEMENT_BYTES TYPE_BYTES(SCAN_TYPE)
/* The difference of two elements, and registers of differences; the canonical NaN for any NaN. */
#if SCAN_TYPE > 10
#include "lib/half.h"
FUNC ELEMENT_T scanrt_difference(ELEMENT_T a, ELEMENT_T b) {
  const scanrt_u32 x = HALF_NARROW(HALF_WIDEN(a) - HALF_WIDEN(b));
  return (ELEMENT_T)HALF_SHOWN(x);
}
#define DIFFERENCE(a, b) scanrt_difference((a), (b))
#elif SCAN_TYPE >= 9
#if SCAN_TYPE == 9
#define DIFFERENCE_NAN F32_NAN
#else
#define DIFFERENCE_NAN F64_NAN
#endif
FUNC ELEMENT_T scanrt_difference(ELEMENT_T a, ELEMENT_T b) {
  const ELEMENT_T x = a - b;
  return x != x ? DIFFERENCE_NAN : x;
}
#define DIFFERENCE(a, b) scanrt_difference((a), (b))
#define REG_SHOWN(v) REG_SELECT((v) != (v), REG_FILL(DIFFERENCE_NAN), (v))
#else
#define DIFFERENCE(a, b) ((ELEMENT_T)((a) - (b)))
#define REG_SHOWN(v) (v)
#endif

/* The elements of a tile. */
#define TILE_ITEMS ((scanrt_u64)(DIFFERENCE_TILE_BYTES(SCAN_GROUP_ITEMS) / ELEMENT_BYTES))
/* The elements between the first vector's start and the output: a work-group's vectors are aligned in the output. */
#if SCAN_GROUP_ITEMS == 1
#define SHIFT(out) 0
#else
#define SHIFT(out) ((scanrt_u32)(ADDRESS(out) % 16 / ELEMENT_BYTES))
#endif
/* Declares the variables that all kernels here begin with. */
#define OPEN()                                                                                                         \
  GLOBAL const ELEMENT_T *in = (GLOBAL const ELEMENT_T *)MEMORY(in);                                                   \
  GLOBAL ELEMENT_T *out = (GLOBAL ELEMENT_T *)MEMORY(out);                                                             \
  GLOBAL ELEMENT_T *edges = (GLOBAL ELEMENT_T *)MEMORY(workspace);                                                     \
  const scanrt_u32 reversed = flags & FLAG_REVERSED, shift = SHIFT(out);                                               \
  const scanrt_u64 tiles = DIFFERENCE_TILES(n, ELEMENT_BYTES, SCAN_GROUP_ITEMS);                                       \
  const scanrt_u64 run_tiles = DIFFERENCE_RUN_TILES(tiles, SCAN_GROUP_ITEMS)
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
/* The first element of a run. */
#define RUN_FIRST(run) ((run) == 0 ? 0 : LEAST((run)*run_tiles * TILE_ITEMS - shift, n))

KERNEL(difference_edges)(PARAMETERS(DIFFERENCE_ARGUMENTS)) {
  OPEN();
  const scanrt_u64 runs = (tiles - 1) / run_tiles + 1, step = (scanrt_u64)GROUPS() * SCAN_GROUP_ITEMS;
  (void)out;
  for (scanrt_u64 run = (scanrt_u64)GROUP() * SCAN_GROUP_ITEMS + ITEM(); run < runs; run += step) {
    const scanrt_u64 wanted = reversed ? RUN_FIRST(run + 1) : RUN_FIRST(run) - 1;
    if (wanted < n) edges[run] = in[wanted];
  }
}

#if SCAN_GROUP_ITEMS == 1
/* Registers as in tile_vector.h. */
#if SCAN_TYPE > 10
#define DIFFERENCE_ITEMS 32 /* loops over them compile to vector instructions */
#define DIFFERENCE_VECTOR(out, a, b)                                                                                   \
  do {                                                                                                                 \
    ELEMENT_T x_[DIFFERENCE_ITEMS], y_[DIFFERENCE_ITEMS];                                                              \
    for (scanrt_u32 k = 0; k < DIFFERENCE_ITEMS; k++) x_[k] = (a)[k];                                                  \
    for (scanrt_u32 k = 0; k < DIFFERENCE_ITEMS; k++) y_[k] = (b)[k];                                                  \
    for (scanrt_u32 k = 0; k < DIFFERENCE_ITEMS; k++) x_[k] = DIFFERENCE(x_[k], y_[k]);                                \
    for (scanrt_u32 k = 0; k < DIFFERENCE_ITEMS; k++) (out)[k] = x_[k];                                                \
  } while (0)
#else
#ifdef VECTOR_TYPES /* makes registers of scanrt_value_t */
#define VALUE_BYTES ELEMENT_BYTES
typedef ELEMENT_T scanrt_value_t;
VECTOR_TYPES
#endif
#define DIFFERENCE_ITEMS (REG_BYTES / ELEMENT_BYTES)
#if REG_BYTES == 16
#define STREAM(out, v) HALF_STREAM((out), (v))
#else
#define STREAM(out, v)                                                                                                 \
  do {                                                                                                                 \
    HALF_STREAM((out), HALF_LOW(v));                                                                                   \
    HALF_STREAM((out) + 16 / ELEMENT_BYTES, HALF_HIGH(v));                                                             \
  } while (0)
#endif
#define DIFFERENCE_VECTOR(out, a, b)                                                                                   \
  do {                                                                                                                 \
    const REG_T x_ = REG_LOAD(a), y_ = REG_LOAD(b), d_ = x_ - y_, z_ = REG_SHOWN(d_);                                  \
    if (streams) {                                                                                                     \
      STREAM(out, z_);                                                                                                 \
    } else {                                                                                                           \
      REG_STORE(out, z_);                                                                                              \
    }                                                                                                                  \
  } while (0)
#endif
/* Outputs of this many bytes and more are larger than the caches (tile.h). */
#define STREAMING_BYTES (8u << 20)
#define IS_ALIGNED(p) (ADDRESS(p) % (DIFFERENCE_ITEMS * ELEMENT_BYTES) == 0)

KERNEL(adjacent_difference)(PARAMETERS(DIFFERENCE_ARGUMENTS)) {
  OPEN();
  const scanrt_u32 in_place = flags & FLAG_IN_PLACE, streams = !in_place && n >= STREAMING_BYTES / ELEMENT_BYTES;
  const scanrt_u64 first = RUN_FIRST((scanrt_u64)GROUP()), end = RUN_FIRST((scanrt_u64)GROUP() + 1);
  scanrt_u64 i = reversed ? first : end;
  (void)streams;
  if (first >= end) return;
  if (reversed) {
    const scanrt_u64 last = end - 1;
    for (; i < last && !IS_ALIGNED(out + i); i++) out[i] = DIFFERENCE(in[i], in[i + 1]);
    for (; i + DIFFERENCE_ITEMS <= last; i += DIFFERENCE_ITEMS) DIFFERENCE_VECTOR(out + i, in + i, in + i + 1);
    for (; i < last; i++) out[i] = DIFFERENCE(in[i], in[i + 1]);
    out[i] = end == n ? in[i] : DIFFERENCE(in[i], in_place ? edges[GROUP()] : in[end]);
  } else {
    for (; i > first + 1 && !IS_ALIGNED(out + i); i--) out[i - 1] = DIFFERENCE(in[i - 1], in[i - 2]);
    for (; i > first + DIFFERENCE_ITEMS; i -= DIFFERENCE_ITEMS)
      DIFFERENCE_VECTOR(out + (i - DIFFERENCE_ITEMS), in + (i - DIFFERENCE_ITEMS), in + (i - DIFFERENCE_ITEMS - 1));
    for (; i > first + 1; i--) out[i - 1] = DIFFERENCE(in[i - 1], in[i - 2]);
    out[first] = first == 0 ? in[0] : DIFFERENCE(in[first], in_place ? edges[GROUP()] : in[first - 1]);
  }
}
#else
#define VECTOR_ITEMS (16 / ELEMENT_BYTES)
#define VECTORS 4 /* of a work-item */

typedef union scanrt_neighbours {
  scanrt_raw16 raw;
  scanrt_u32 word[4];
  ELEMENT_T e[VECTOR_ITEMS];
} scanrt_neighbours;

/* The top bits of the elements in a word. */
#define TOPS (ELEMENT_BYTES == 1 ? 0x80808080u : 0x80008000u)
/* The differences of four or two unsigned integers in a word, without borrows between them. */
#define WORD_DIFFERENCE(a, b) ((((a) | TOPS) - ((b) & ~TOPS)) ^ (((a) ^ ~(b)) & TOPS))

/* Returns the differences of a vector; y is its neighbour in another vector. */
FUNC scanrt_neighbours scanrt_difference_of(scanrt_neighbours x, ELEMENT_T y, scanrt_u32 reversed) {
  scanrt_neighbours z;
#if SCAN_TYPE == 2 || SCAN_TYPE == 4
  const scanrt_u32 bits = 8 * ELEMENT_BYTES;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) {
    const scanrt_u32 low = k == 0 ? (scanrt_u32)y << (32 - bits) : x.word[(k + 3) % 4];
    const scanrt_u32 high = k == 3 ? (scanrt_u32)y : x.word[(k + 1) % 4];
    const scanrt_u32 beside = reversed ? WORD_AFTER(x.word[k], high, 32 - bits) : WORD_AFTER(low, x.word[k], bits);
    z.word[k] = WORD_DIFFERENCE(x.word[k], beside);
  }
#else
  UNROLL
  for (scanrt_u32 k = 0; k < VECTOR_ITEMS; k++) {
    const ELEMENT_T before = k == 0 ? y : x.e[(k + VECTOR_ITEMS - 1) % VECTOR_ITEMS];
    const ELEMENT_T behind = k == VECTOR_ITEMS - 1 ? y : x.e[(k + 1) % VECTOR_ITEMS];
    z.e[k] = DIFFERENCE(x.e[k], reversed ? behind : before);
  }
#endif
  return z;
}

/* 1 if a vector lies inside the array. `at` counts from the start of the first vector, `shift` elements before element
 * 0. */
#define IS_WHOLE(at) ((at) >= shift && (at) + VECTOR_ITEMS <= n + shift)

KERNEL(adjacent_difference)(PARAMETERS(DIFFERENCE_ARGUMENTS)) {
  LOCAL_ARRAY(ELEMENT_T, ends, VECTORS * SCAN_GROUP_ITEMS); /* the element of each vector that another vector needs */
  OPEN();
  const scanrt_u32 in_place = flags & FLAG_IN_PLACE, is_even = (ADDRESS(in) - ADDRESS(out)) % 16 == 0;
  const scanrt_u64 first = GROUP() * run_tiles, own = reversed ? n - 1 + shift : shift;
  const scanrt_u64 count = LEAST(run_tiles, tiles - first);
  for (scanrt_u64 t = 0; t < count; t++) {
    const scanrt_u64 begin = (reversed ? first + t : first + (count - 1 - t)) * TILE_ITEMS;
    const scanrt_u64 outer = reversed ? begin + TILE_ITEMS - shift : begin - shift - 1; /* in the walk's next tile */
    scanrt_neighbours x[VECTORS];
    ELEMENT_T edge = 0;
    if (outer < n) edge = in_place && t == count - 1 ? edges[GROUP()] : in[outer];
    UNROLL
    for (scanrt_u32 v = 0; v < VECTORS; v++) {
      const scanrt_u64 at = begin + (v * SCAN_GROUP_ITEMS + ITEM()) * (scanrt_u64)VECTOR_ITEMS;
      if (is_even && IS_WHOLE(at)) {
        x[v].raw = LOAD_STREAM((GLOBAL const scanrt_raw16 *)(in + (at - shift)));
      } else {
        UNROLL
        for (scanrt_u32 k = 0; k < VECTOR_ITEMS; k++) {
          x[v].e[k] = 0;
          if (at + k - shift < n) x[v].e[k] = in[at + k - shift];
        }
      }
      ends[v * SCAN_GROUP_ITEMS + ITEM()] = reversed ? x[v].e[0] : x[v].e[VECTOR_ITEMS - 1];
    }
    BARRIER();
    UNROLL
    for (scanrt_u32 v = 0; v < VECTORS; v++) {
      const scanrt_u32 place = v * SCAN_GROUP_ITEMS + ITEM();
      const scanrt_u64 at = begin + place * (scanrt_u64)VECTOR_ITEMS;
      const scanrt_u32 is_outer = place == (reversed ? VECTORS * SCAN_GROUP_ITEMS - 1 : 0);
      const ELEMENT_T y = is_outer ? edge : ends[reversed ? place + !is_outer : place - !is_outer];
      scanrt_neighbours z = scanrt_difference_of(x[v], y, reversed);
      if (own - at < VECTOR_ITEMS) {
        UNROLL
        for (scanrt_u32 k = 0; k < VECTOR_ITEMS; k++)
          if (at + k == own) z.e[k] = x[v].e[k];
      }
      if (IS_WHOLE(at)) {
        *(GLOBAL scanrt_raw16 *)(out + (at - shift)) = z.raw;
      } else {
        UNROLL
        for (scanrt_u32 k = 0; k < VECTOR_ITEMS; k++)
          if (at + k - shift < n) out[at + k - shift] = z.e[k];
      }
    }
    BARRIER(); /* before the next tile's ends */
  }
}
#endif
