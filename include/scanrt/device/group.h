/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * Scans and reductions by a work-group within the user's own kernel, in CUDA C++, HIP and OpenCL C.
 *
 *     #define SCANRT_GROUP_ITEMS 256
 *     #include <scanrt/device/group.h>
 *     SCANRT_DEFINE_GROUP_SUM(sum, float)
 *     #define LARGER(a, b) ((a) > (b) ? (a) : (b))
 *     SCANRT_DEFINE_GROUP(max, float, LARGER)
 *
 *     SCANRT_KERNEL row_sums(SCANRT_GLOBAL const float *x, SCANRT_GLOBAL float *y) {
 *       SCANRT_SHARED scanrt_scratch_sum scratch;
 *       y[SCANRT_ITEM()] = scanrt_inclusive_sum(x[SCANRT_ITEM()], &scratch);
 *     }
 *
 * All work-items of the work-group call these functions, in the same order. Between two calls with one scratch no
 * barrier is needed. Nothing of the library is linked to the kernel.
 *
 * Order of operations of SCANRT_DEFINE_GROUP: 32 consecutive work-items form a row. In a row x[i] becomes x[i - d]
 * combined with x[i] for d = 1, 2, 4, 8, 16 in turn; the totals of rows are combined from left to right, and then with
 * the row's values. The operator must be associative; it need not be commutative.
 *
 * Order of SCANRT_DEFINE_GROUP_SUM: SCANRT_GROUP_ITEMS / 32 consecutive work-items form a run. The values of each run
 * are added from left to right; the 32 sums become x[j - d] + x[j] for d = 1, 2, 4, 8, 16. The last work-item of a run
 * has that sum as its result. The others add their values, from left to right, to the sum of the run before. The sum of
 * all work-items is the result of the last one. scanrt_reduce_first_<name> and the functions of rows add as above.
 *
 * So results depend on the values, their number and SCANRT_GROUP_ITEMS only, and have the same bits on every device. A
 * work-item with several values first combines its own from left to right; the last result is its x[i], and what
 * precedes the work-item is combined with each result. */
#ifndef SCANRT_DEVICE_GROUP_H
#define SCANRT_DEVICE_GROUP_H

#include "scanrt/device/dialect.h"
#include "scanrt/device/shuffle.h"
#include "scanrt/device/sum.h"

#define SCANRT_DEVICE_LANES (SCANRT_GROUP_ITEMS == 1 ? 1 : 32)
#define SCANRT_DEVICE_ROWS (SCANRT_GROUP_ITEMS / SCANRT_DEVICE_LANES)
#define SCANRT_DEVICE_WORDS(value) ((sizeof(value) + 3) / 4)

/* The functions of a row of work-items:
 *     row: x of this work-item and those before it
 *     row_last: x of all, right in the last work-item
 *     row_all: x of all
 *     end_row: stores x of work-item `last` of the row as the row's total
 *     before: after row and end_row, the result x of the work-item before this one, `own` being what the row got; in
 *         the first one of a row undefined, or nothing of a sum */
#if SCANRT_SHUFFLE
#define SCANRT_DEVICE_SCRATCH SCANRT_DEVICE_ROWS
#define SCANRT_DEVICE_DEFINE_ROW(name, value, combine, is_sum)                                                         \
  /* x of the work-item `distance` before this one; *is_there says whether the row has it. */                          \
  SCANRT_FUNC value scanrt_device_up_##name(value x, scanrt_device_u32 distance, scanrt_device_u32 *is_there) {        \
    scanrt_device_words_##name from, to;                                                                               \
    from.word[SCANRT_DEVICE_WORDS(value) - 1] = 0;                                                                     \
    to.word[SCANRT_DEVICE_WORDS(value) - 1] = 0;                                                                       \
    from.of = x;                                                                                                       \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_WORDS(value); k++)                                                 \
      to.word[k] = scanrt_device_shuffle_up(from.word[k], distance, is_there);                                         \
    return to.of;                                                                                                      \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_xor_##name(value x, scanrt_device_u32 mask) {                                        \
    scanrt_device_words_##name from, to;                                                                               \
    from.word[SCANRT_DEVICE_WORDS(value) - 1] = 0;                                                                     \
    to.word[SCANRT_DEVICE_WORDS(value) - 1] = 0;                                                                       \
    from.of = x;                                                                                                       \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_WORDS(value); k++)                                                 \
      to.word[k] = scanrt_device_shuffle_xor(from.word[k], mask);                                                      \
    return to.of;                                                                                                      \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_row_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                         \
    (void)s;                                                                                                           \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 d = 1; d < 32; d *= 2) {                                                                    \
      SCANRT_DEVICE_STEP_##is_sum(value, x, d) {                                                                       \
        scanrt_device_u32 is_there;                                                                                    \
        const value before = scanrt_device_up_##name(x, d, &is_there);                                                 \
        if (is_there) x = combine(before, x);                                                                          \
      }                                                                                                                \
    }                                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_row_last_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                    \
    scanrt_device_u32 is_there;                                                                                        \
    (void)s;                                                                                                           \
    SCANRT_DEVICE_TOTAL_##is_sum(value, x) {                                                                           \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 d = 1; d < 32; d *= 2) x = combine(scanrt_device_up_##name(x, d, &is_there), x);          \
    }                                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_row_all_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                     \
    (void)s;                                                                                                           \
    SCANRT_DEVICE_TOTAL_##is_sum(value, x) {                                                                           \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 d = 1; d < 32; d *= 2) {                                                                  \
        const value other = scanrt_device_xor_##name(x, d);                                                            \
        x = is_sum || SCANRT_ITEM() & d ? combine(other, x) : combine(x, other);                                       \
      }                                                                                                                \
    }                                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_device_end_row_##name(value x, scanrt_device_u32 last,                                       \
                                                SCANRT_LOCAL scanrt_scratch_##name *s) {                               \
    if (SCANRT_ITEM() == last) s->total[SCANRT_ITEM() / 32] = x;                                                       \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_before_##name(value x, value own, SCANRT_LOCAL scanrt_scratch_##name *s) {           \
    (void)s;                                                                                                           \
    SCANRT_DEVICE_BEFORE_##is_sum(value, x, own) {                                                                     \
      scanrt_device_u32 is_there;                                                                                      \
      own = scanrt_device_up_##name(x, 1, &is_there);                                                                  \
      if (!is_there) own = SCANRT_DEVICE_NOTHING_##is_sum(value, own);                                                 \
    }                                                                                                                  \
    return own;                                                                                                        \
  }
#define SCANRT_DEVICE_ROW_TOTAL(s, row) ((s)->total[row])
#define SCANRT_DEVICE_HIDDEN(count) (count)
#define SCANRT_DEVICE_KEEP_ROW(name, x, s)
#define SCANRT_DEVICE_END_ROWS_BEFORE(name, all, x, s)                                                                 \
  x = scanrt_device_before_##name(all, x, s);                                                                          \
  scanrt_device_end_rows_##name(all, SCANRT_ITEM() | (SCANRT_DEVICE_LANES - 1), s);
#define SCANRT_DEVICE_ROW_BARRIER() SCANRT_BARRIER()
#else
#define SCANRT_DEVICE_SCRATCH SCANRT_GROUP_ITEMS
#define SCANRT_DEVICE_DEFINE_ROW(name, value, combine, is_sum)                                                         \
  SCANRT_FUNC value scanrt_device_row_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                         \
    const scanrt_device_u32 item = SCANRT_ITEM(), lane = item % SCANRT_DEVICE_LANES;                                   \
    SCANRT_BARRIER(); /* after an earlier call's reads */                                                              \
    for (scanrt_device_u32 d = 1; d < SCANRT_DEVICE_LANES; d *= 2) {                                                   \
      s->total[item] = x;                                                                                              \
      SCANRT_BARRIER();                                                                                                \
      if (lane >= d) x = combine(s->total[item - d], x);                                                               \
      SCANRT_BARRIER();                                                                                                \
    }                                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_row_last_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                    \
    return scanrt_device_row_##name(x, s);                                                                             \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_device_end_row_##name(value x, scanrt_device_u32 last,                                       \
                                                SCANRT_LOCAL scanrt_scratch_##name *s) {                               \
    const scanrt_device_u32 item = SCANRT_ITEM(), end = item | (SCANRT_DEVICE_LANES - 1);                              \
    if (item != end || item == last) s->total[item] = x;                                                               \
    if (item == last) s->total[end] = x;                                                                               \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_row_all_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                     \
    const scanrt_device_u32 last = SCANRT_ITEM() | (SCANRT_DEVICE_LANES - 1);                                          \
    scanrt_device_end_row_##name(scanrt_device_row_##name(x, s), last, s);                                             \
    SCANRT_BARRIER();                                                                                                  \
    return s->total[last];                                                                                             \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_before_##name(value x, value own, SCANRT_LOCAL scanrt_scratch_##name *s) {           \
    const scanrt_device_u32 item = SCANRT_ITEM();                                                                      \
    SCANRT_DEVICE_BEFORE_##is_sum(value, x, own) own =                                                                 \
        item % SCANRT_DEVICE_LANES ? s->total[item - 1] : SCANRT_DEVICE_NOTHING_##is_sum(value, x);                    \
    return own;                                                                                                        \
  }
#define SCANRT_DEVICE_ROW_TOTAL(s, row) ((s)->total[((row) + 1) * SCANRT_DEVICE_LANES - 1])
/* Hides the count: in a loop whose count it knows, the compiler of Mesa 25's rusticl loses members of structs. */
#define SCANRT_DEVICE_HIDDEN(count) (SCANRT_GROUPS() == 0 ? 0 : (count))
#define SCANRT_DEVICE_ROW_BARRIER() /* row has one */
#define SCANRT_DEVICE_END_ROWS_BEFORE(name, all, x, s)                                                                 \
  scanrt_device_end_rows_##name(all, SCANRT_ITEM() | (SCANRT_DEVICE_LANES - 1), s);                                    \
  x = scanrt_device_before_##name(all, x, s);
#define SCANRT_DEVICE_KEEP_ROW(name, x, s)                                                                             \
  scanrt_device_end_row_##name(x, SCANRT_ITEM() | (SCANRT_DEVICE_LANES - 1), s);                                       \
  SCANRT_BARRIER();
#endif

/* The functions of the rows' totals:
 *     end_rows: stores x, a row's total in its last work-item, and waits for the other rows
 *     rows_before: then the totals of the first `row` rows, at most `most`; of none undefined, or nothing of a sum
 *     end_all: end_rows, and returns the totals of all rows in work-item 0 */
#if SCANRT_GROUP_ITEMS <= 128
/* Each work-item combines the totals of a few rows. */
#define SCANRT_DEVICE_PREFIXES(value)
#define SCANRT_DEVICE_DEFINE_ROWS(name, value, combine, is_sum)                                                        \
  SCANRT_FUNC void scanrt_device_end_rows_##name(value x, scanrt_device_u32 last,                                      \
                                                 SCANRT_LOCAL scanrt_scratch_##name *s) {                              \
    SCANRT_DEVICE_ROW_BARRIER();                                                                                       \
    scanrt_device_end_row_##name(x, last, s);                                                                          \
    SCANRT_BARRIER();                                                                                                  \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_rows_before_##name(const SCANRT_LOCAL scanrt_scratch_##name *s,                      \
                                                     scanrt_device_u32 row, scanrt_device_u32 most) {                  \
    value x = SCANRT_DEVICE_ROW_TOTAL(s, 0);                                                                           \
    if (row == 0) x = SCANRT_DEVICE_NOTHING_##is_sum(value, x);                                                        \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 r = 1; r < SCANRT_DEVICE_HIDDEN(most); r++)                                                 \
      if (r < row) x = combine(x, SCANRT_DEVICE_ROW_TOTAL(s, r));                                                      \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_end_all_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                     \
    scanrt_device_end_rows_##name(x, SCANRT_ITEM() | (SCANRT_DEVICE_LANES - 1), s);                                    \
    if (SCANRT_ITEM() == 0) x = scanrt_device_rows_before_##name(s, SCANRT_DEVICE_ROWS, SCANRT_DEVICE_ROWS);           \
    return x;                                                                                                          \
  }
#else
/* One work-item combines the totals of many rows: it needs no comparisons, and leaves more of a multiprocessor to other
 * work-groups than a loop in each row. Only it reads totals, between two barriers, and writes prefixes there, which are
 * read after them: so no barrier is needed before the next call. */
#define SCANRT_DEVICE_PREFIXES(value) value prefix[SCANRT_DEVICE_ROWS + 1];
#define SCANRT_DEVICE_BATCH(value)                                                                                     \
  (!SCANRT_SHUFFLE ? 1 : SCANRT_DEVICE_WORDS(value) <= 2 || SCANRT_DEVICE_ROWS % 4 != 0 ? SCANRT_DEVICE_ROWS : 4)
#define SCANRT_DEVICE_DEFINE_ROWS(name, value, combine, is_sum)                                                        \
  SCANRT_FUNC void scanrt_device_end_rows_##name(value x, scanrt_device_u32 last,                                      \
                                                 SCANRT_LOCAL scanrt_scratch_##name *s) {                              \
    scanrt_device_end_row_##name(x, last, s);                                                                          \
    SCANRT_BARRIER();                                                                                                  \
    if (SCANRT_ITEM() == 0) {                                                                                          \
      value total[SCANRT_DEVICE_BATCH(value)], all = SCANRT_DEVICE_ROW_TOTAL(s, 0);                                    \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 r = 0; r < SCANRT_DEVICE_HIDDEN(SCANRT_DEVICE_ROWS); r += SCANRT_DEVICE_BATCH(value)) {   \
        /* First all loads and then all stores, which makes vectors of them. */                                        \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_BATCH(value); k++)                                             \
          total[k] = SCANRT_DEVICE_ROW_TOTAL(s, r + k);                                                                \
        SCANRT_UNROLL                                                                                                  \
        for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_BATCH(value); k++) {                                           \
          s->prefix[r + k] = r + k > 0 ? all : SCANRT_DEVICE_NOTHING_##is_sum(value, all);                             \
          if (r + k > 0) all = combine(all, total[k]);                                                                 \
        }                                                                                                              \
      }                                                                                                                \
      s->prefix[SCANRT_DEVICE_ROWS] = all;                                                                             \
    }                                                                                                                  \
    SCANRT_BARRIER();                                                                                                  \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_rows_before_##name(const SCANRT_LOCAL scanrt_scratch_##name *s,                      \
                                                     scanrt_device_u32 row, scanrt_device_u32 most) {                  \
    (void)most;                                                                                                        \
    return s->prefix[row];                                                                                             \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_end_all_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                     \
    scanrt_device_end_row_##name(x, SCANRT_ITEM() | (SCANRT_DEVICE_LANES - 1), s);                                     \
    SCANRT_BARRIER();                                                                                                  \
    if (SCANRT_ITEM() == 0) {                                                                                          \
      x = SCANRT_DEVICE_ROW_TOTAL(s, 0);                                                                               \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 r = 1; r < SCANRT_DEVICE_HIDDEN(SCANRT_DEVICE_ROWS); r++)                                 \
        x = combine(x, SCANRT_DEVICE_ROW_TOTAL(s, r));                                                                 \
      s->prefix[SCANRT_DEVICE_ROWS] = x;                                                                               \
    }                                                                                                                  \
    SCANRT_BARRIER();                                                                                                  \
    return x;                                                                                                          \
  }
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
 *     value scanrt_reduce_root_<name>(x, &scratch)   the same in work-item 0, undefined in others
 *     value scanrt_reduce_first_<name>(x, count, &scratch)
 *                                                    x of the first `count` work-items, count > 0, in each of them
 *     value scanrt_total_<name>(&scratch)            after a scan or scanrt_reduce_<name>: x of all work-items
 *
 * Of several consecutive values of each work-item, x[0] to x[count - 1], where count > 0 is equal in all work-items. On
 * Mesa 25's rusticl, take the count of structs from an argument: its compiler loses members of structs in an array if
 * it knows the count.
 *
 *     void scanrt_inclusive_items_<name>(x, count, &scratch)
 *                                                    replaces each by that value and all before it
 *     void scanrt_exclusive_items_<name>(x, count, initial, &scratch)
 *                                                    replaces each by initial and all values before it
 *     value scanrt_reduce_items_<name>(x, count, &scratch)
 *     value scanrt_reduce_root_items_<name>(x, count, &scratch)
 *
 * By each row of 32 work-items, a sub-group:
 *
 *     value scanrt_row_inclusive_<name>(x, &scratch)
 *     value scanrt_row_exclusive_<name>(x, initial, &scratch)
 *     value scanrt_row_reduce_<name>(x, &scratch)
 */
#define SCANRT_DEFINE_GROUP(name, value, combine) SCANRT_DEVICE_DEFINE_GROUP(name, value, combine, 0)

/** Defines the same functions for sums of a type of numbers. They take less time, and have an order of their own. */
#define SCANRT_DEFINE_GROUP_SUM(name, value) SCANRT_DEVICE_DEFINE_GROUP(name, value, SCANRT_DEVICE_PLUS, 1)
#define SCANRT_DEVICE_PLUS(a, b) ((a) + (b))

/* The functions that sums of more than a row have in sum.h:
 *     preceding: x of all work-items before this one; in the first one undefined, or nothing of a sum
 *     reduce_root, reduce_all: of work-items with `count` values each */
#define SCANRT_DEVICE_DEFINE_SCANS_0(name, value, combine) SCANRT_DEVICE_DEFINE_SCANS_BY_ROWS(name, value, combine, 0)
#define SCANRT_DEVICE_DEFINE_SCANS_BY_ROWS(name, value, combine, is_sum)                                               \
  SCANRT_FUNC value scanrt_total_##name(const SCANRT_LOCAL scanrt_scratch_##name *s) {                                 \
    return scanrt_device_rows_before_##name(s, SCANRT_DEVICE_ROWS, SCANRT_DEVICE_ROWS);                                \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_preceding_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                   \
    const scanrt_device_u32 item = SCANRT_ITEM();                                                                      \
    const value all = scanrt_device_row_##name(x, s);                                                                  \
    SCANRT_DEVICE_END_ROWS_BEFORE(name, all, x, s)                                                                     \
    if (is_sum || item >= SCANRT_DEVICE_LANES) {                                                                       \
      const value rows = scanrt_device_rows_before_##name(s, item / SCANRT_DEVICE_LANES, SCANRT_DEVICE_ROWS - 1);      \
      x = is_sum || item % SCANRT_DEVICE_LANES ? combine(rows, x) : rows;                                              \
    }                                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_inclusive_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                          \
    const scanrt_device_u32 item = SCANRT_ITEM(), row = item / SCANRT_DEVICE_LANES;                                    \
    x = scanrt_device_row_##name(x, s);                                                                                \
    scanrt_device_end_rows_##name(x, item | (SCANRT_DEVICE_LANES - 1), s);                                             \
    if (is_sum || row > 0) x = combine(scanrt_device_rows_before_##name(s, row, SCANRT_DEVICE_ROWS - 1), x);           \
    return x;                                                                                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_reduce_root_##name(value x, scanrt_device_u32 count,                                 \
                                                     SCANRT_LOCAL scanrt_scratch_##name *s) {                          \
    (void)count;                                                                                                       \
    return scanrt_device_end_all_##name(scanrt_device_row_last_##name(x, s), s);                                       \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_reduce_all_##name(value x, scanrt_device_u32 count,                                  \
                                                    SCANRT_LOCAL scanrt_scratch_##name *s) {                           \
    (void)scanrt_device_reduce_root_##name(x, count, s);                                                               \
    return scanrt_total_##name(s);                                                                                     \
  }

#define SCANRT_DEVICE_DEFINE_GROUP(name, value, combine, is_sum)                                                       \
  SCANRT_DEVICE_DEFINE_RUN_##is_sum(name, value) typedef struct scanrt_scratch_##name {                                \
    value total[SCANRT_DEVICE_SCRATCH];                                                                                \
    SCANRT_DEVICE_PREFIXES(value)                                                                                      \
    SCANRT_DEVICE_RUNS_##is_sum(name, value) value first;                                                              \
    scanrt_device_u32 is_lost;                                                                                         \
    scanrt_device_u32 epoch, groups, published;                                                                        \
  } scanrt_scratch_##name;                                                                                             \
  typedef union scanrt_device_words_##name {                                                                           \
    value of;                                                                                                          \
    scanrt_device_u32 word[SCANRT_DEVICE_WORDS(value)];                                                                \
  } scanrt_device_words_##name;                                                                                        \
  SCANRT_DEVICE_DEFINE_ROW(name, value, combine, is_sum)                                                               \
  SCANRT_DEVICE_DEFINE_ROWS(name, value, combine, is_sum)                                                              \
  SCANRT_DEVICE_DEFINE_SCANS_##is_sum(name, value, combine)                                                            \
      SCANRT_FUNC value scanrt_exclusive_##name(value x, value initial, SCANRT_LOCAL scanrt_scratch_##name *s) {       \
    const value before = scanrt_device_preceding_##name(x, s);                                                         \
    return is_sum || SCANRT_ITEM() > 0 ? combine(initial, before) : initial;                                           \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_reduce_first_##name(value x, scanrt_device_u32 count,                                       \
                                               SCANRT_LOCAL scanrt_scratch_##name *s) {                                \
    /* The last row's total is that of its work-item count - 1. */                                                     \
    const scanrt_device_u32 item = SCANRT_ITEM(), row = item / SCANRT_DEVICE_LANES;                                    \
    const scanrt_device_u32 last = (count - 1) / SCANRT_DEVICE_LANES;                                                  \
    x = scanrt_device_row_##name(x, s);                                                                                \
    scanrt_device_end_rows_##name(x, row == last ? count - 1 : item | (SCANRT_DEVICE_LANES - 1), s);                   \
    return scanrt_device_rows_before_##name(s, last + 1, SCANRT_DEVICE_ROWS);                                          \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_reduce_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                             \
    return scanrt_device_reduce_all_##name(x, 1, s);                                                                   \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_reduce_root_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                        \
    return scanrt_device_reduce_root_##name(x, 1, s);                                                                  \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_device_items_##name(const value *x, scanrt_device_u32 count) {                              \
    value all = x[0];                                                                                                  \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 1; k < count; k++) all = combine(all, x[k]);                                            \
    return all;                                                                                                        \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_reduce_items_##name(const value *x, scanrt_device_u32 count,                                \
                                               SCANRT_LOCAL scanrt_scratch_##name *s) {                                \
    return scanrt_device_reduce_all_##name(scanrt_device_items_##name(x, count), count, s);                            \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_reduce_root_items_##name(const value *x, scanrt_device_u32 count,                           \
                                                    SCANRT_LOCAL scanrt_scratch_##name *s) {                           \
    return scanrt_device_reduce_root_##name(scanrt_device_items_##name(x, count), count, s);                           \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_inclusive_items_##name(value *x, scanrt_device_u32 count,                                    \
                                                 SCANRT_LOCAL scanrt_scratch_##name *s) {                              \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 1; k < count; k++) x[k] = combine(x[k - 1], x[k]);                                      \
    const value before = scanrt_device_preceding_##name(x[count - 1], s);                                              \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 0; k < count; k++)                                                                      \
      if (is_sum || SCANRT_ITEM() > 0) x[k] = combine(before, x[k]);                                                   \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_exclusive_items_##name(value *x, scanrt_device_u32 count, value initial,                     \
                                                 SCANRT_LOCAL scanrt_scratch_##name *s) {                              \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 1; k < count; k++) x[k] = combine(x[k - 1], x[k]);                                      \
    const value before = scanrt_device_preceding_##name(x[count - 1], s);                                              \
    if (is_sum || SCANRT_ITEM() > 0) initial = combine(initial, before);                                               \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = count - 1; k > 0; k--) x[k] = combine(initial, x[k - 1]);                               \
    x[0] = initial;                                                                                                    \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_row_inclusive_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                      \
    return scanrt_device_row_##name(x, s);                                                                             \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_row_exclusive_##name(value x, value initial, SCANRT_LOCAL scanrt_scratch_##name *s) {       \
    const value all = scanrt_device_row_##name(x, s);                                                                  \
    SCANRT_DEVICE_KEEP_ROW(name, all, s)                                                                               \
    x = scanrt_device_before_##name(all, x, s);                                                                        \
    return is_sum || SCANRT_ITEM() % SCANRT_DEVICE_LANES ? combine(initial, x) : initial;                              \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_row_reduce_##name(value x, SCANRT_LOCAL scanrt_scratch_##name *s) {                         \
    return scanrt_device_row_all_##name(x, s);                                                                         \
  }

#endif
