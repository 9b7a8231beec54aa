/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * Scans and reductions by a work-group within the user's own kernel, in CUDA C++, HIP and OpenCL C.
 *
 *     #define SCANRT_GROUP_ITEMS 256
 *     #include <scanrt/device/group.h>
 *     #define ADD(a, b) ((a) + (b))
 *     SCANRT_DEFINE_GROUP(sum, float, ADD)
 *
 *     SCANRT_KERNEL row_sums(SCANRT_GLOBAL const float *x, SCANRT_GLOBAL float *y) {
 *       SCANRT_SHARED scanrt_scratch_sum scratch;
 *       y[SCANRT_ITEM()] = scanrt_inclusive_sum(x[SCANRT_ITEM()], &scratch);
 *     }
 *
 * All work-items of the work-group call these functions, in the same order. Between two calls with one scratch no
 * barrier is needed. Nothing of the library is linked to the kernel.
 *
 * Order of operations: 32 consecutive work-items form a row. In a row x[i] becomes x[i - d] combined with x[i] for d =
 * 1, 2, 4, 8, 16 in turn; the totals of rows are combined from left to right, and then with the row's values. So
 * results depend on the values, their number and SCANRT_GROUP_ITEMS only, and have the same bits on every device. The
 * operator must be associative; it need not be commutative. */
#ifndef SCANRT_DEVICE_GROUP_H
#define SCANRT_DEVICE_GROUP_H

#include "scanrt/device/dialect.h"

#define SCANRT_DEVICE_LANES (SCANRT_GROUP_ITEMS == 1 ? 1 : 32)
#define SCANRT_DEVICE_ROWS (SCANRT_GROUP_ITEMS / SCANRT_DEVICE_LANES)
#define SCANRT_DEVICE_WORDS(value) ((sizeof(value) + 3) / 4)

#if SCANRT_SHUFFLE
#define SCANRT_DEVICE_SCRATCH SCANRT_DEVICE_ROWS
/* In a row each work-item gets the value of the one `distance` before it; below `distance` an undefined one. */
#define SCANRT_DEVICE_DEFINE_ROW(name, value, combine)                                                                 \
  SCANRT_FUNC value scanrt_device_up_##name(value x, scanrt_device_u32 distance) {                                     \
    scanrt_device_words_##name from, to;                                                                               \
    from.word[SCANRT_DEVICE_WORDS(value) - 1] = 0;                                                                     \
    to.word[SCANRT_DEVICE_WORDS(value) - 1] = 0;                                                                       \
    from.of = x;                                                                                                       \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_WORDS(value); k++)                                                 \
      to.word[k] = scanrt_device_shuffle_up(from.word[k], distance);                                                   \
    return to.of;                                                                                                      \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_row_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                         \
    const scanrt_device_u32 lane = SCANRT_ITEM() % 32;                                                                 \
    (void)s;                                                                                                           \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 d = 1; d < 32; d *= 2) {                                                                    \
      const value before = scanrt_device_up_##name(x, d);                                                              \
      if (lane >= d) x = combine(before, x);                                                                           \
    }                                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_before_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                      \
    (void)s;                                                                                                           \
    return scanrt_device_up_##name(x, 1);                                                                              \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_device_end_row_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                      \
    if (SCANRT_ITEM() % 32 == 31) s->total[SCANRT_ITEM() / 32] = x;                                                    \
  }
#define SCANRT_DEVICE_ROW_TOTAL(s, row) ((s)->total[row])
#else
#define SCANRT_DEVICE_SCRATCH SCANRT_GROUP_ITEMS
#define SCANRT_DEVICE_DEFINE_ROW(name, value, combine)                                                                 \
  SCANRT_FUNC value scanrt_device_row_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                         \
    const scanrt_device_u32 item = SCANRT_ITEM(), lane = item % SCANRT_DEVICE_LANES;                                   \
    for (scanrt_device_u32 d = 1; d < SCANRT_DEVICE_LANES; d *= 2) {                                                   \
      s->total[item] = x;                                                                                              \
      SCANRT_BARRIER();                                                                                                \
      if (lane >= d) x = combine(s->total[item - d], x);                                                               \
      SCANRT_BARRIER();                                                                                                \
    }                                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_device_end_row_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                      \
    s->total[SCANRT_ITEM()] = x;                                                                                       \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_before_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                      \
    const scanrt_device_u32 item = SCANRT_ITEM();                                                                      \
    return item % SCANRT_DEVICE_LANES ? s->total[item - 1] : x;                                                        \
  }
#define SCANRT_DEVICE_ROW_TOTAL(s, row) ((s)->total[((row) + 1) * SCANRT_DEVICE_LANES - 1])
#endif

/**
 * Defines the functions of an operator. Write it once for each name, outside of functions.
 *
 * @param name    ends the functions' names
 * @param value   the type of the values: a number, or a struct without pointers to itself of up to 64 bytes
 * @param combine combine(a, b): a macro or a function, associative
 *
 *     scanrt_scratch_<name>                          local memory of the functions, a SCANRT_SHARED variable
 *     value scanrt_inclusive_<name>(x, &scratch)     x of this work-item and of all before it
 *     value scanrt_exclusive_<name>(x, initial, &scratch)
 *                                                    initial and x of all work-items before this one
 *     value scanrt_reduce_<name>(x, &scratch)        x of all work-items, in each of them
 *     value scanrt_reduce_first_<name>(x, count, &scratch)
 *                                                    x of the first `count` work-items, count > 0, in each of them
 *     void scanrt_inclusive_items_<name>(x, count, &scratch)
 *                                                    the same of count consecutive values of each work-item, in place:
 *                                                    values x[0] to x[count - 1], count > 0 and equal in all work-items
 *     value scanrt_total_<name>(&scratch)            after one of these: x of all work-items
 */
#define SCANRT_DEFINE_GROUP(name, value, combine)                                                                      \
  typedef struct scanrt_scratch_##name {                                                                               \
    value total[SCANRT_DEVICE_SCRATCH], first;                                                                         \
    scanrt_device_u32 is_lost;                                                                                         \
    scanrt_device_u32 epoch, groups;                                                                                   \
  } scanrt_scratch_##name;                                                                                             \
  typedef union scanrt_device_words_##name {                                                                           \
    value of;                                                                                                          \
    scanrt_device_u32 word[SCANRT_DEVICE_WORDS(value)];                                                                \
  } scanrt_device_words_##name;                                                                                        \
  SCANRT_DEVICE_DEFINE_ROW(name, value, combine)                                                                       \
  /* The values of the first `row` rows, at least one. */                                                              \
  SCANRT_FUNC value scanrt_device_rows_##name(const SCANRT_LOCAL scanrt_scratch_##name *s, scanrt_device_u32 row) {    \
    value before = SCANRT_DEVICE_ROW_TOTAL(s, 0);                                                                      \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 r = 1; r < SCANRT_DEVICE_ROWS; r++)                                                         \
      if (r < row) before = combine(before, SCANRT_DEVICE_ROW_TOTAL(s, r));                                            \
    return before;                                                                                                     \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_total_##name(const SCANRT_LOCAL scanrt_scratch_##name *s) {                                 \
    return scanrt_device_rows_##name(s, SCANRT_DEVICE_ROWS);                                                           \
  }                                                                                                                    \
  /* Scans the rows. Returns the value of this work-item and of those before it in its row. */                         \
  SCANRT_FUNC value scanrt_device_scan_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                        \
    SCANRT_BARRIER(); /* after an earlier call's reads */                                                              \
    x = scanrt_device_row_##name(x, s);                                                                                \
    scanrt_device_end_row_##name(x, s);                                                                                \
    SCANRT_BARRIER();                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  /* Takes that value, and returns those of all work-items before this one; in the first one undefined. */             \
  SCANRT_FUNC value scanrt_device_preceding_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                   \
    const scanrt_device_u32 item = SCANRT_ITEM();                                                                      \
    const value before = scanrt_device_before_##name(x, s);                                                            \
    if (item < SCANRT_DEVICE_LANES) return before;                                                                     \
    const value rows = scanrt_device_rows_##name(s, item / SCANRT_DEVICE_LANES);                                       \
    return item % SCANRT_DEVICE_LANES ? combine(rows, before) : rows;                                                  \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_inclusive_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                          \
    x = scanrt_device_scan_##name(x, s);                                                                               \
    return SCANRT_ITEM() < SCANRT_DEVICE_LANES                                                                         \
               ? x                                                                                                     \
               : combine(scanrt_device_rows_##name(s, SCANRT_ITEM() / SCANRT_DEVICE_LANES), x);                        \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_exclusive_##name(value x, value initial, SCANRT_LOCAL scanrt_scratch_##name *s) {           \
    const value before = scanrt_device_preceding_##name(scanrt_device_scan_##name(x, s), s);                           \
    return SCANRT_ITEM() == 0 ? initial : combine(initial, before);                                                    \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_reduce_first_##name(value x, scanrt_device_u32 count,                                       \
                                               SCANRT_LOCAL scanrt_scratch_##name *s) {                                \
    SCANRT_BARRIER();                                                                                                  \
    x = scanrt_device_row_##name(x, s);                                                                                \
    if (SCANRT_ITEM() == count - 1) s->first = x;                                                                      \
    scanrt_device_end_row_##name(x, s);                                                                                \
    SCANRT_BARRIER();                                                                                                  \
    x = s->first;                                                                                                      \
    if (count <= SCANRT_DEVICE_LANES) return x;                                                                        \
    return combine(scanrt_device_rows_##name(s, (count - 1) / SCANRT_DEVICE_LANES), x);                                \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_reduce_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                             \
    (void)scanrt_device_scan_##name(x, s);                                                                             \
    return scanrt_total_##name(s);                                                                                     \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_inclusive_items_##name(value *x, scanrt_device_u32 count,                                    \
                                                 SCANRT_LOCAL scanrt_scratch_##name *s) {                              \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 1; k < count; k++) x[k] = combine(x[k - 1], x[k]);                                      \
    const value before = scanrt_device_preceding_##name(scanrt_device_scan_##name(x[count - 1], s), s);                \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 0; k < count; k++)                                                                      \
      if (SCANRT_ITEM() > 0) x[k] = combine(before, x[k]);                                                             \
  }

#endif
