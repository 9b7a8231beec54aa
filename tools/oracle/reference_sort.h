/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reference_sort.h
 * @brief Expected results of stable sorts, by a plain merge sort and without the library; and keys that expose
 * mistakes.
 *
 * Arrays of keys are little-endian.
 */
#ifndef SCANRT_ORACLE_REFERENCE_SORT_H
#define SCANRT_ORACLE_REFERENCE_SORT_H

#include <scanrt/scan_sort.h>

/** Returns the unsigned integer that has the order of a key with those bits. */
uint64_t reference_rank(scan_type type, uint64_t bits);
/** Returns the bits of the key with that rank. */
uint64_t reference_of_rank(scan_type type, uint64_t rank);

/** Returns the bytes of a spec's key of one or two words. */
uint64_t reference_key_bytes(const scan_sort_spec *spec);

/** A key's rank and its original index. */
typedef struct reference_item {
  uint64_t upper; /**< Rank of the more significant word of a two-word key; else 0. */
  uint64_t rank, index;
} reference_item;

/**
 * Sorts n keys.
 * @param spec   uses key_type, key_words, low_word_first, descending, first_bit, end_bit and order.
 * @param items  memory for n items.
 * @param spare  memory for n items.
 * @return items or spare, whichever holds the sorted items.
 */
const reference_item *reference_sort(const scan_sort_spec *spec, uint64_t n, const void *keys, reference_item *items,
                                     reference_item *spare);

/** Distributions of keys before a sort. */
typedef enum sort_shape {
  SORT_RANDOM = 0,
  SORT_SORTED,
  SORT_REVERSED,
  SORT_EQUAL,
  SORT_TWO,   /**< Two values at random. */
  SORT_FEW,   /**< The bits that three random numbers share. */
  SORT_PIPES, /**< Ascending up to the middle, then descending. */
  SORT_ONE,   /**< Sorted except for one key. */
  SORT_DIGIT, /**< Different in one digit only, reference_keys.digit. */
  SORT_EDGES, /**< Zeros, infinities, NaNs and denormals of both signs; for integers the smallest and the largest
                 values. */
  SORT_SPAN,  /**< Different in all bits but the lowest 2 and the highest 3. */
  SORT_STRAY, /**< As SORT_SPAN, except for one key. */
  SORT_THIRD, /**< As SORT_TWO, except for one key, which has the lower half of one value and the upper of the other. */
  SORT_SHAPES
} sort_shape;

/** Description of keys, which depend on nothing else. */
typedef struct reference_keys {
  scan_type type;
  sort_shape shape;
  uint32_t digit; /**< For SORT_DIGIT: number of the 8-bit digit, from the lowest. */
  uint64_t seed;
} reference_keys;

/** Fills n keys. */
void reference_fill_keys(const reference_keys *keys, uint64_t n, void *out);

/** Fills n keys of the spec. In two-word keys the more significant words often have few values, so that the others
 * decide. With SORT_DIGIT one digit of the two words differs between keys. */
void reference_fill_sort_keys(const reference_keys *keys, const scan_sort_spec *spec, uint64_t n, void *out);

#endif
