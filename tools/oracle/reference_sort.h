/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reference_sort.h
 * @brief What a stable sort must give, by a plain merge sort and without the library; and keys that show mistakes.
 *
 * Arrays of keys are little-endian.
 */
#ifndef SCANRT_ORACLE_REFERENCE_SORT_H
#define SCANRT_ORACLE_REFERENCE_SORT_H

#include <scanrt/scan_sort.h>

/** The unsigned integer that has the order of a key with those bits, and the way back. */
uint64_t reference_rank(scan_type type, uint64_t bits);
uint64_t reference_of_rank(scan_type type, uint64_t rank);

/** Bytes of a spec's key, of one word or two. */
uint64_t reference_key_bytes(const scan_sort_spec *spec);

/** A key's place in the order, and where it was. */
typedef struct reference_item {
  uint64_t upper; /**< Of keys of two words the rank of the more significant one; else 0. */
  uint64_t rank, index;
} reference_item;

/**
 * Sorts n keys.
 * @param spec   key_type, key_words, low_word_first, descending, first_bit, end_bit and order are used.
 * @param items  memory for n items; `spare` likewise.
 * @return which of both has the items in the order that their keys must have.
 */
const reference_item *reference_sort(const scan_sort_spec *spec, uint64_t n, const void *keys, reference_item *items,
                                     reference_item *spare);

/** What keys are, before a sort. */
typedef enum sort_shape {
  SORT_RANDOM = 0,
  SORT_SORTED,
  SORT_REVERSED,
  SORT_EQUAL,
  SORT_TWO,   /**< Two values, by chance. */
  SORT_FEW,   /**< Three random numbers' common bits. */
  SORT_PIPES, /**< They rise up to the middle, and fall from there. */
  SORT_ONE,   /**< Sorted but for one. */
  SORT_DIGIT, /**< They differ in one digit alone, reference_keys.digit. */
  SORT_EDGES, /**< Zeros, infinities, NaNs and denormals of both signs; of integers the smallest and the largest. */
  SORT_SHAPES
} sort_shape;

/** Keys that are a function of these alone. */
typedef struct reference_keys {
  scan_type type;
  sort_shape shape;
  uint32_t digit; /**< Of SORT_DIGIT: of 8 bits, from the lowest one on. */
  uint64_t seed;
} reference_keys;

/** Fills n keys. */
void reference_fill_keys(const reference_keys *keys, uint64_t n, void *out);

/** Fills n keys of the spec, of one word or two: of two the more significant ones are of few values by turns, so that
 *  the other ones tell keys apart. Of SORT_DIGIT one digit of both is not the same in all. */
void reference_fill_sort_keys(const reference_keys *keys, const scan_sort_spec *spec, uint64_t n, void *out);

#endif
