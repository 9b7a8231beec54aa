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
} scan_op_loops;

/** Elements that a map or an emit sees: `n` of them, x_step bytes apart, the first of index `index`, the others'
 *  index_step further on each. */
typedef struct scan_loop_elements {
  const void *x;
  ptrdiff_t x_step;
  uint64_t index;
  int64_t index_step;
  uint32_t n;
} scan_loop_elements;

/** A map's or an emit's loop over them. `values`, and what is before and after an element, lie side by side. */
typedef void scan_map_loop(void *values, const scan_loop_elements *elements, void *user);
typedef void scan_emit_loop(void *out, ptrdiff_t out_step, const void *inclusive, const void *exclusive,
                            const scan_loop_elements *elements, void *user);

#ifdef __cplusplus
}
#endif

/* What follows is for the macros of scan_op.h. */

#if defined(__GNUC__) || defined(__clang__)
#define SCAN_LOOP_INLINE static inline __attribute__((always_inline))
#define SCAN_LOOP_UNUSED __attribute__((unused))
#define SCAN_LOOP_RESTRICT __restrict__
#else
#define SCAN_LOOP_INLINE static inline
#define SCAN_LOOP_UNUSED
#define SCAN_LOOP_RESTRICT
#endif

/* Elements of a vector: 16 bytes of them, or one. */
#define SCAN_LOOP_ITEMS(type) (16 % sizeof(type) == 0 ? 16 / sizeof(type) : 1)

/* What lies i steps further on, and its index. */
#define SCAN_LOOP_AT(pointer, i, step) ((char *)(uintptr_t)(pointer) + (ptrdiff_t)(i) * (step))
#define SCAN_LOOP_INDEX(elements, i) ((elements)->index + (i) * (uint64_t)(elements)->index_step)

/* A loop over elements that are `given` bytes apart, `step` in it: known where they lie side by side. */
#define SCAN_LOOP_STEPS(type, given, ...)                                                                              \
  if ((given) == (ptrdiff_t)sizeof(type)) {                                                                            \
    const ptrdiff_t step_ = (ptrdiff_t)sizeof(type);                                                                   \
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

/* Defines name_loops. */
#define SCAN_OP_LOOPS(name, type, combine)                                                                             \
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
    SCAN_LOOP_CASES(name##_fold_, type, n_, items_, heads_, (type *)sums_, (const type *)x_);                          \
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
      name##_tree_((type *)v_, 32);                                                                                    \
    else                                                                                                               \
      name##_tree_((type *)v_, count_);                                                                                \
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
      name##_doubling_((type *)v_, 32, NULL, 0);                                                                       \
    else if (count_ == 32)                                                                                             \
      name##_doubling_((type *)v_, 32, heads_, 1);                                                                     \
    else                                                                                                               \
      name##_doubling_((type *)v_, count_, heads_, heads_ != NULL);                                                    \
  }                                                                                                                    \
  static void name##_prepend(void *v_, const void *a_, uint32_t count_, const uint8_t *heads_, void *user_) {          \
    type *const x_ = (type *)v_;                                                                                       \
    const type before_ = *(const type *)a_;                                                                            \
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
      SCAN_LOOP_CASES(name##_chain_, type, n_, items_, heads_, 1, (type *)out_, (const type *)x_,                      \
                      (const type *)start_, *(const type *)seed_);                                                     \
    else                                                                                                               \
      SCAN_LOOP_CASES(name##_chain_, type, n_, items_, heads_, 0, (type *)out_, (const type *)x_,                      \
                      (const type *)start_, *(const type *)seed_);                                                     \
  }                                                                                                                    \
  static const scan_op_loops name##_loops SCAN_LOOP_UNUSED = { sizeof(scan_op_loops), name##_fold,    name##_tree,     \
                                                               name##_doubling,       name##_prepend, name##_chain }

#endif
