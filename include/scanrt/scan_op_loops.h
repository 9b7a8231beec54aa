/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_op_loops.h
 * @brief Loops with an operator inlined, for the host backend. Included by scan_op.h, whose SCAN_OP_HOST defines them.
 *
 * What the host does with an operator, it does to a row: 32 vectors of `items` elements (16 bytes of them, or one), one
 * after another in memory; of the last row `n` elements. A function called for each pair of elements costs more than
 * most operators do; so the application's own compiler makes the loops over a row, and the library calls those.
 */
#ifndef SCANRT_SCAN_OP_LOOPS_H
#define SCANRT_SCAN_OP_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include <scanrt/scan_cxx.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An operator's loops over a row. Arrays hold values of the operator's type, aligned to it, and do not overlap but
 *  where it is said. `heads` has a byte for each value, 1 where a segment begins with it, and is NULL where none does:
 *  what comes before a head is not combined with it. `user` is scan_op_source.user. */
typedef struct scan_op_loops {
  size_t struct_bytes; /**< sizeof(scan_op_loops) as the application was compiled. */

  /** sums[l] = the elements of vector l, combined from left to right. */
  void (*fold)(void *sums, const void *x, uint32_t n, uint32_t items, const uint8_t *heads, void *user);

  /** v[0] = v[0] to v[count - 1] as a balanced tree; uses them up. */
  void (*tree)(void *v, uint32_t count, void *user);

  /** v[l] = v[0] to v[l], by recursive doubling; heads[l] becomes 1 where one is among heads[0] to heads[l]. */
  void (*doubling)(void *v, uint32_t count, uint8_t *heads, void *user);

  /** v[l] = a and v[l], but where heads[l] is 1. */
  void (*prepend)(void *v, const void *a, uint32_t count, const uint8_t *heads, void *user);

  /** The row's results, inclusive or exclusive: vector l begins with start[l], and a segment with `seed`, which is
   *  already in the segment's first element. */
  void (*chain)(void *out, const void *x, const void *start, const void *seed, uint32_t n, uint32_t items,
                const uint8_t *heads, int exclusive, void *user);

  /* The last two members are optional: NULL for values of more than 16 bytes. `x` are eight whole rows of the type's
   * own vectors, without heads. What is done to a row is done to all, so that none waits for itself. */

  /** lanes[32 r + l] = vectors 0 to l of row r, by recursive doubling, and lanes[256] = the rows from left to right. */
  void (*block_lanes)(void *lanes, const void *x, void *user);

  /** The results, as `chain`. `earlier`, if it is not NULL, precedes `before`, which precedes what the lanes and rows
   *  have of x. */
  void (*block_chain)(void *out, const void *x, const void *lanes, const void *before, const void *earlier,
                      int exclusive, void *user);
} scan_op_loops;

/** Elements that a map or an emit sees: `n` of them, x_step bytes apart, the first of index `index`, the others'
 *  index_step further on each. */
typedef struct scan_loop_elements {
  const void *x;      /**< The first element. */
  ptrdiff_t x_step;   /**< Bytes from one element to the next. */
  uint64_t index;     /**< The index of the first element. */
  int64_t index_step; /**< Added to the index from one element to the next. */
  uint32_t n;         /**< Elements. */
} scan_loop_elements;

/** A map's loop over elements. `values` lie side by side. */
typedef void scan_map_loop(void *values, const scan_loop_elements *elements, void *user);

/** An emit's loop over elements. The inclusive and the exclusive values lie side by side. */
typedef void scan_emit_loop(void *out, ptrdiff_t out_step, const void *inclusive, const void *exclusive,
                            const scan_loop_elements *elements, void *user);

#ifdef __cplusplus
}
#endif

/* The rest of this file is for the macros of scan_op.h. */
/** @cond */

#if defined(__GNUC__) || defined(__clang__)
#define SCAN_LOOP_INLINE static inline __attribute__((always_inline))
#define SCAN_LOOP_UNUSED __attribute__((unused))
#define SCAN_LOOP_RESTRICT __restrict__
#else
#define SCAN_LOOP_INLINE static inline
#define SCAN_LOOP_UNUSED
#define SCAN_LOOP_RESTRICT
#endif

/* Before a table of loops, which may be a member of a class in C++. */
#ifdef __cplusplus
#define SCAN_LOOP_TABLE static constexpr
#else
#define SCAN_LOOP_TABLE static const
#endif

/* Elements of a vector: 16 bytes of them, or one. */
#define SCAN_LOOP_ITEMS(type) (16 % sizeof(type) == 0 ? 16 / sizeof(type) : 1)

/* The element i steps further on, to be read or written, and its index. */
#define SCAN_LOOP_READ(type, pointer, i, step)                                                                         \
  (*SCAN_CAST(const type *,                                                                                            \
              SCAN_CAST(const void *, SCAN_CAST(const char *, pointer) + SCAN_CAST(ptrdiff_t, i) * (step))))
#define SCAN_LOOP_WRITTEN(type, pointer, i, step)                                                                      \
  (*SCAN_CAST(type *, SCAN_CAST(void *, SCAN_CAST(char *, pointer) + SCAN_CAST(ptrdiff_t, i) * (step))))
#define SCAN_LOOP_INDEX(elements, i) ((elements)->index + (i)*SCAN_CAST(uint64_t, (elements)->index_step))

/* A loop over elements that are `given` bytes apart, `step` in it: known where they lie side by side. */
#define SCAN_LOOP_STEPS(type, given, ...)                                                                              \
  if ((given) == SCAN_CAST(ptrdiff_t, sizeof(type))) {                                                                 \
    const ptrdiff_t step_ = SCAN_CAST(ptrdiff_t, sizeof(type));                                                        \
    __VA_ARGS__                                                                                                        \
  } else {                                                                                                             \
    const ptrdiff_t step_ = (given);                                                                                   \
    __VA_ARGS__                                                                                                        \
  }

/* Calls loop(..., n, items, vectors, heads) with what compilers make vectors of known: a whole row of the type's own
 * vectors, without heads or with them; else any row. */
#define SCAN_LOOP_CASES(loop, type, n, items, heads, ...)                                                              \
  do {                                                                                                                 \
    const uint32_t own_ = SCAN_LOOP_ITEMS(type), is_whole_ = (items) == own_ && (n) == 32 * own_;                      \
    if (is_whole_ && (heads) == NULL)                                                                                  \
      loop(__VA_ARGS__, 32 * SCAN_LOOP_ITEMS(type), SCAN_LOOP_ITEMS(type), 32, NULL);                                  \
    else if (is_whole_)                                                                                                \
      loop(__VA_ARGS__, 32 * SCAN_LOOP_ITEMS(type), SCAN_LOOP_ITEMS(type), 32, heads);                                 \
    else                                                                                                               \
      loop(__VA_ARGS__, n, items, ((n) + (items)-1) / (items), heads);                                                 \
  } while (0)

/* Defines name_loops, whose last members are given. */
#define SCAN_OP_LOOPS(name, type, combine, block_lanes_, block_chain_)                                                 \
  SCAN_LOOP_INLINE void name##_fold_(type *SCAN_LOOP_RESTRICT sums_, const type *SCAN_LOOP_RESTRICT x_, uint32_t n_,   \
                                     uint32_t items_, uint32_t vectors_, const uint8_t *SCAN_LOOP_RESTRICT heads_) {   \
    for (size_t l_ = 0; l_ < vectors_; l_++) {                                                                         \
      type sum_ = x_[l_ * items_];                                                                                     \
      for (size_t k_ = 1; k_ < items_; k_++) {                                                                         \
        if (l_ * items_ + k_ >= n_) break;                                                                             \
        const type element_ = x_[l_ * items_ + k_], next_ = combine(sum_, element_);                                   \
        sum_ = heads_ != NULL && heads_[l_ * items_ + k_] ? element_ : next_;                                          \
      }                                                                                                                \
      sums_[l_] = sum_;                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name##_fold(void *sums_, const void *x_, uint32_t n_, uint32_t items_, const uint8_t *heads_,            \
                          void *user_) {                                                                               \
    (void)user_;                                                                                                       \
    SCAN_LOOP_CASES(name##_fold_, type, n_, items_, heads_, SCAN_CAST(type *, sums_), SCAN_CAST(const type *, x_));    \
  }                                                                                                                    \
  SCAN_LOOP_INLINE void name##_tree_(type *x_, uint32_t count_) {                                                      \
    for (; count_ > 1; count_ = (count_ + 1) / 2) {                                                                    \
      for (size_t l_ = 0; l_ < count_ / 2; l_++) x_[l_] = combine(x_[2 * l_], x_[2 * l_ + 1]);                         \
      if (count_ % 2) x_[count_ / 2] = x_[count_ - 1];                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name##_tree(void *v_, uint32_t count_, void *user_) {                                                    \
    (void)user_;                                                                                                       \
    if (count_ == 32)                                                                                                  \
      name##_tree_(SCAN_CAST(type *, v_), 32);                                                                         \
    else                                                                                                               \
      name##_tree_(SCAN_CAST(type *, v_), count_);                                                                     \
  }                                                                                                                    \
  SCAN_LOOP_INLINE void name##_step_(type *SCAN_LOOP_RESTRICT to_, const type *SCAN_LOOP_RESTRICT from_, uint32_t d_,  \
                                     uint32_t count_, uint8_t *SCAN_LOOP_RESTRICT to_heads_,                           \
                                     const uint8_t *SCAN_LOOP_RESTRICT heads_, int has_heads_) {                       \
    for (size_t l_ = 0; l_ < d_; l_++) to_[l_] = from_[l_];                                                            \
    for (size_t l_ = d_; l_ < count_; l_++) {                                                                          \
      const type element_ = from_[l_], next_ = combine(from_[l_ - d_], element_);                                      \
      to_[l_] = has_heads_ && heads_[l_] ? element_ : next_;                                                           \
    }                                                                                                                  \
    if (!has_heads_) return;                                                                                           \
    for (size_t l_ = 0; l_ < d_; l_++) to_heads_[l_] = heads_[l_];                                                     \
    for (size_t l_ = d_; l_ < count_; l_++) to_heads_[l_] = heads_[l_] | heads_[l_ - d_];                              \
  }                                                                                                                    \
  SCAN_LOOP_INLINE void name##_doubling_(type *x_, uint32_t count_, uint8_t *heads_, int has_heads_) {                 \
    type other_[32];                                                                                                   \
    uint8_t within_[32];                                                                                               \
    uint32_t d_ = 1;                                                                                                   \
    for (; d_ * 2 < count_; d_ *= 4) {                                                                                 \
      name##_step_(other_, x_, d_, count_, within_, heads_, has_heads_);                                               \
      name##_step_(x_, other_, d_ * 2, count_, heads_, within_, has_heads_);                                           \
    }                                                                                                                  \
    if (d_ >= count_) return;                                                                                          \
    name##_step_(other_, x_, d_, count_, within_, heads_, has_heads_);                                                 \
    for (size_t l_ = d_; l_ < count_; l_++) x_[l_] = other_[l_];                                                       \
    for (size_t l_ = d_; has_heads_ && l_ < count_; l_++) heads_[l_] = within_[l_];                                    \
  }                                                                                                                    \
  static void name##_doubling(void *v_, uint32_t count_, uint8_t *heads_, void *user_) {                               \
    (void)user_;                                                                                                       \
    if (count_ == 32 && heads_ == NULL)                                                                                \
      name##_doubling_(SCAN_CAST(type *, v_), 32, NULL, 0);                                                            \
    else if (count_ == 32)                                                                                             \
      name##_doubling_(SCAN_CAST(type *, v_), 32, heads_, 1);                                                          \
    else                                                                                                               \
      name##_doubling_(SCAN_CAST(type *, v_), count_, heads_, heads_ != NULL);                                         \
  }                                                                                                                    \
  static void name##_prepend(void *v_, const void *a_, uint32_t count_, const uint8_t *heads_, void *user_) {          \
    type *const x_ = SCAN_CAST(type *, v_);                                                                            \
    const type before_ = *SCAN_CAST(const type *, a_);                                                                 \
    (void)user_;                                                                                                       \
    if (heads_ == NULL) {                                                                                              \
      for (size_t l_ = 0; l_ < count_; l_++) x_[l_] = combine(before_, x_[l_]);                                        \
    } else {                                                                                                           \
      for (size_t l_ = 0; l_ < count_; l_++) {                                                                         \
        const type next_ = combine(before_, x_[l_]);                                                                   \
        x_[l_] = heads_[l_] ? x_[l_] : next_;                                                                          \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  SCAN_LOOP_INLINE void name##_chain_(int exclusive_, type *SCAN_LOOP_RESTRICT out_,                                   \
                                      const type *SCAN_LOOP_RESTRICT x_, const type *SCAN_LOOP_RESTRICT start_,        \
                                      type seed_, uint32_t n_, uint32_t items_, uint32_t vectors_,                     \
                                      const uint8_t *SCAN_LOOP_RESTRICT heads_) {                                      \
    for (size_t l_ = 0; l_ < vectors_; l_++) {                                                                         \
      type before_ = start_[l_];                                                                                       \
      for (size_t k_ = 0; k_ < items_; k_++) {                                                                         \
        if (l_ * items_ + k_ >= n_) break;                                                                             \
        const type element_ = x_[l_ * items_ + k_], both_ = combine(before_, element_);                                \
        const int begins_ = heads_ != NULL && heads_[l_ * items_ + k_];                                                \
        const type next_ = begins_ ? element_ : both_;                                                                 \
        out_[l_ * items_ + k_] = !exclusive_ ? next_ : begins_ ? seed_ : before_;                                      \
        before_ = next_;                                                                                               \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name##_chain(void *out_, const void *x_, const void *start_, const void *seed_, uint32_t n_,             \
                           uint32_t items_, const uint8_t *heads_, int exclusive_, void *user_) {                      \
    (void)user_;                                                                                                       \
    if (exclusive_)                                                                                                    \
      SCAN_LOOP_CASES(name##_chain_, type, n_, items_, heads_, 1, SCAN_CAST(type *, out_),                             \
                      SCAN_CAST(const type *, x_), SCAN_CAST(const type *, start_), *SCAN_CAST(const type *, seed_));  \
    else                                                                                                               \
      SCAN_LOOP_CASES(name##_chain_, type, n_, items_, heads_, 0, SCAN_CAST(type *, out_),                             \
                      SCAN_CAST(const type *, x_), SCAN_CAST(const type *, start_), *SCAN_CAST(const type *, seed_));  \
  }                                                                                                                    \
  SCAN_LOOP_TABLE scan_op_loops name##_loops SCAN_LOOP_UNUSED = { sizeof(scan_op_loops), name##_fold,    name##_tree,  \
                                                                  name##_doubling,       name##_prepend, name##_chain, \
                                                                  block_lanes_,          block_chain_ }

/* A loop over the 256 vectors of eight rows, which is not worth its memory for larger values. */
#define SCAN_LOOP_BLOCK(type, loop) (sizeof(type) <= 16 ? (loop) : NULL)

/* Defines name_block_lanes and name_block_chain. */
#define SCAN_OP_BLOCKS(name, type, combine)                                                                            \
  SCAN_LOOP_INLINE void name##_lanes_step_(type *SCAN_LOOP_RESTRICT to_, const type *SCAN_LOOP_RESTRICT from_,         \
                                           size_t d_) {                                                                \
    for (size_t r_ = 0; r_ < 256; r_ += 32) {                                                                          \
      for (size_t l_ = 0; l_ < d_; l_++) to_[r_ + l_] = from_[r_ + l_];                                                \
      for (size_t l_ = d_; l_ < 32; l_++) to_[r_ + l_] = combine(from_[r_ + l_ - d_], from_[r_ + l_]);                 \
    }                                                                                                                  \
  }                                                                                                                    \
  SCAN_LOOP_INLINE void name##_lanes_(type *SCAN_LOOP_RESTRICT lanes_, const type *SCAN_LOOP_RESTRICT x_) {            \
    type other_[256], sum_;                                                                                            \
    for (size_t l_ = 0; l_ < 256; l_++) {                                                                              \
      sum_ = x_[l_ * SCAN_LOOP_ITEMS(type)];                                                                           \
      for (size_t k_ = 1; k_ < SCAN_LOOP_ITEMS(type); k_++) sum_ = combine(sum_, x_[l_ * SCAN_LOOP_ITEMS(type) + k_]); \
      other_[l_] = sum_;                                                                                               \
    }                                                                                                                  \
    name##_lanes_step_(lanes_, other_, 1);                                                                             \
    name##_lanes_step_(other_, lanes_, 2);                                                                             \
    name##_lanes_step_(lanes_, other_, 4);                                                                             \
    name##_lanes_step_(other_, lanes_, 8);                                                                             \
    name##_lanes_step_(lanes_, other_, 16);                                                                            \
    sum_ = lanes_[31];                                                                                                 \
    for (size_t l_ = 63; l_ < 256; l_ += 32) sum_ = combine(sum_, lanes_[l_]);                                         \
    lanes_[256] = sum_;                                                                                                \
  }                                                                                                                    \
  static SCAN_LOOP_UNUSED void name##_block_lanes(void *lanes_, const void *x_, void *user_) {                         \
    (void)user_;                                                                                                       \
    name##_lanes_(SCAN_CAST(type *, lanes_), SCAN_CAST(const type *, x_));                                             \
  }                                                                                                                    \
  SCAN_LOOP_INLINE void name##_start_(type *SCAN_LOOP_RESTRICT start_, const type *SCAN_LOOP_RESTRICT lanes_,          \
                                      type row_, int has_row_, type before_, type earlier_, int has_earlier_) {        \
    start_[0] = has_row_ ? combine(before_, row_) : before_;                                                           \
    if (has_earlier_) start_[0] = combine(earlier_, start_[0]);                                                        \
    for (size_t l_ = 1; l_ < 32; l_++) {                                                                               \
      const type lane_ = has_row_ ? combine(row_, lanes_[l_ - 1]) : lanes_[l_ - 1];                                    \
      const type both_ = combine(before_, lane_);                                                                      \
      start_[l_] = has_earlier_ ? combine(earlier_, both_) : both_;                                                    \
    }                                                                                                                  \
  }                                                                                                                    \
  SCAN_LOOP_INLINE void name##_row_(type *SCAN_LOOP_RESTRICT out_, const type *SCAN_LOOP_RESTRICT x_,                  \
                                    const type *SCAN_LOOP_RESTRICT start_, int exclusive_) {                           \
    for (size_t l_ = 0; l_ < 32; l_++) {                                                                               \
      type before_ = start_[l_];                                                                                       \
      for (size_t k_ = 0; k_ < SCAN_LOOP_ITEMS(type); k_++) {                                                          \
        const type next_ = combine(before_, x_[l_ * SCAN_LOOP_ITEMS(type) + k_]);                                      \
        out_[l_ * SCAN_LOOP_ITEMS(type) + k_] = exclusive_ ? before_ : next_;                                          \
        before_ = next_;                                                                                               \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static SCAN_LOOP_UNUSED void name##_block_chain(void *out_, const void *x_, const void *lanes_, const void *before_, \
                                                  const void *earlier_, int exclusive_, void *user_) {                 \
    const type near_ = *SCAN_CAST(const type *, before_);                                                              \
    type start_[32], row_ = near_;                                                                                     \
    (void)user_;                                                                                                       \
    for (size_t r_ = 0; r_ < 8; r_++) {                                                                                \
      const type *const lane_ = SCAN_CAST(const type *, lanes_) + 32 * r_, *const from_ = SCAN_CAST(const type *, x_); \
      const size_t at_ = 32 * SCAN_LOOP_ITEMS(type) * r_;                                                              \
      if (r_ == 0 && earlier_ == NULL)                                                                                 \
        name##_start_(start_, lane_, row_, 0, near_, near_, 0);                                                        \
      else if (r_ == 0)                                                                                                \
        name##_start_(start_, lane_, row_, 0, near_, *SCAN_CAST(const type *, earlier_), 1);                           \
      else if (earlier_ == NULL)                                                                                       \
        name##_start_(start_, lane_, row_, 1, near_, near_, 0);                                                        \
      else                                                                                                             \
        name##_start_(start_, lane_, row_, 1, near_, *SCAN_CAST(const type *, earlier_), 1);                           \
      if (exclusive_)                                                                                                  \
        name##_row_(SCAN_CAST(type *, out_) + at_, from_ + at_, start_, 1);                                            \
      else                                                                                                             \
        name##_row_(SCAN_CAST(type *, out_) + at_, from_ + at_, start_, 0);                                            \
      row_ = r_ == 0 ? lane_[31] : combine(row_, lane_[31]);                                                           \
    }                                                                                                                  \
  }

/** @endcond */
#endif
