/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by ranges: a work-item sorts the keys of a range. Digits begin at the highest bit in which keys differ. Keys
 * are sorted by as many of these as tell nearly all keys apart, and then by insertion. */
#ifndef SCANRT_CL_SORT_RANGES_PART_H
#define SCANRT_CL_SORT_RANGES_PART_H

#include "sort/sort_ranges_keys.h"

/* Up to so many keys are sorted by insertion alone. */
#define PART_FEW 24
/* The digits that are sorted by have so many bits more than the number of keys, and a digit has so many bits at most.
 */
#define PART_MORE_BITS 3
#define PART_DIGIT_BITS 10
#define PART_COUNTS ((8 * KEY_BYTES + PART_DIGIT_BITS - 1) / PART_DIGIT_BITS << PART_DIGIT_BITS)
/* Insertion is for keys each of which is expected to equal fewer than 1 / PART_SAME others by the digits sorted. */
#define PART_SAME 8
/* Keys that a loop unrolls. */
#define PART_UNROLL _Pragma("unroll 4")

/* The output and the spare memory of a range, and two parts of a work-item's own memory. */
typedef struct scanrt_ranges_part {
  GLOBAL KEY_T *keys[4];
  GLOBAL scanrt_sort_value *values[4];
  scanrt_u32 n;
  scanrt_u32 at;   /* where the keys are: 0 in the output, 1 in the spare memory, 2 and 3 in the own memory */
  scanrt_u32 next; /* where they are moved next */
} scanrt_ranges_part;

/* The digits of a range, of `width` bits: digit d, from the highest one on, has the bits below top - width d. */
typedef struct scanrt_ranges_digits {
  scanrt_u32 count[PART_COUNTS];
  scanrt_u32 top, width, digits;
} scanrt_ranges_digits;
/* Signed numbers, since Oclgrind has no saturating subtraction. */
#define PART_SHIFT(of, d) ((scanrt_u32)max((scanrt_i32)((of)->top - (of)->width * ((d) + 1)), 0))
#define PART_MASK(of, d)                                                                                               \
  ((of)->top > (of)->width * (d) ? (1u << ((of)->top - (of)->width * (d)-PART_SHIFT(of, d))) - 1 : 0)
#define PART_DIGIT(key, shift, mask, order) ((scanrt_u32)(RANGES_FLIPPED_BITS((key), (order)) >> (shift)) & (mask))

/* Copies the keys to the output and flips them back. */
FUNC void scanrt_ranges_copy(scanrt_ranges_part *part, scanrt_ranges_order order) {
  const scanrt_u32 n = part->n;
  GLOBAL const KEY_T *keys = part->keys[part->at];
  GLOBAL KEY_T *keys_to = part->keys[0];
  if (part->at != 0 || RANGES_ARE_FLIPPED(order))
    for (scanrt_u32 i = 0; i < n; i++) keys_to[i] = RANGES_FLIP_BACK(keys[i], order);
#if HAS_VALUES
  RANGES_COPY(scanrt_sort_value, part->values[0], part->values[part->at], n)
#endif
}

/* Keys that are looked at together before one of them is inserted. */
#define INSERT_BLOCK 16

/* Moves each key to its place by insertion. Returns 0, with the keys in another order, once they have moved more than
 * `most` places in all. */
FUNC scanrt_u32 scanrt_ranges_insert(scanrt_ranges_part *part, scanrt_u32 most, scanrt_ranges_order order) {
  const scanrt_u32 n = part->n;
  GLOBAL KEY_T *keys = part->keys[part->at];
#if HAS_VALUES
  GLOBAL scanrt_sort_value *values = part->values[part->at];
#endif
  for (scanrt_u32 first = 1; first < n; first += INSERT_BLOCK) {
    const scanrt_u32 end = n - first < INSERT_BLOCK ? n : first + INSERT_BLOCK;
    if (end == first + INSERT_BLOCK) {
      scanrt_u32 falls = 0;
      for (scanrt_u32 i = 0; i < INSERT_BLOCK; i++)
        falls |= RANGES_FLIPPED_BITS(keys[first + i - 1], order) > RANGES_FLIPPED_BITS(keys[first + i], order);
      if (!falls) continue;
    }
    for (scanrt_u32 i = first; i < end; i++) {
      const KEY_T key = keys[i], bits = RANGES_FLIPPED_BITS(key, order);
      scanrt_u32 j = i;
      if (RANGES_FLIPPED_BITS(keys[i - 1], order) <= bits) continue;
#if HAS_VALUES
      const scanrt_sort_value value = values[i];
#endif
      do {
        keys[j] = keys[j - 1];
#if HAS_VALUES
        values[j] = values[j - 1];
#endif
        j--;
      } while (j > 0 && RANGES_FLIPPED_BITS(keys[j - 1], order) > bits);
      keys[j] = key;
#if HAS_VALUES
      values[j] = value;
#endif
      if (i - j > most) return 0;
      most -= i - j;
    }
  }
  return 1;
}

/* Counts digits `first` to `end` - 1, two in one turn. */
FUNC void scanrt_ranges_count(const scanrt_ranges_part *part, scanrt_ranges_digits *of, scanrt_u32 first,
                              scanrt_u32 end, scanrt_ranges_order order) {
  const scanrt_u32 n = part->n;
  GLOBAL const KEY_T *keys = part->keys[part->at];
  for (scanrt_u32 i = first << of->width; i < end << of->width; i++) of->count[i] = 0;
  for (scanrt_u32 d = first; d < end; d += 2) {
    const scanrt_u32 shift = PART_SHIFT(of, d), mask = PART_MASK(of, d);
    scanrt_u32 *count = of->count + (d << of->width);
    if (d + 1 == end) {
      PART_UNROLL
      for (scanrt_u32 i = 0; i < n; i++) count[PART_DIGIT(keys[i], shift, mask, order)]++;
    } else {
      const scanrt_u32 next_shift = PART_SHIFT(of, d + 1), next_mask = PART_MASK(of, d + 1);
      scanrt_u32 *next = count + (1u << of->width);
      PART_UNROLL
      for (scanrt_u32 i = 0; i < n; i++) {
        const KEY_T key = keys[i];
        count[PART_DIGIT(key, shift, mask, order)]++;
        next[PART_DIGIT(key, next_shift, next_mask, order)]++;
      }
    }
  }
}

/* Returns the number of pairs of keys that have the same digit d, each key with itself among them. */
FUNC scanrt_f32 scanrt_ranges_pairs(const scanrt_ranges_digits *of, scanrt_u32 d) {
  scanrt_f32 pairs = 0;
  for (scanrt_u32 i = d << of->width; i < (d + 1) << of->width; i++) {
    const scanrt_f32 count = (scanrt_f32)of->count[i];
    pairs += count * count;
  }
  return pairs;
}

/* Sorts by the `digits` highest digits, which are counted, from the lowest of them on. */
FUNC void scanrt_ranges_by_digits(scanrt_ranges_part *part, scanrt_ranges_digits *of, scanrt_u32 digits,
                                  scanrt_ranges_order order) {
  const scanrt_u32 n = part->n;
  for (scanrt_u32 d = digits; d-- > 0;) {
    const scanrt_u32 shift = PART_SHIFT(of, d), mask = PART_MASK(of, d);
    scanrt_u32 *place = of->count + (d << of->width), before = 0;
    GLOBAL const KEY_T *keys = part->keys[part->at];
    GLOBAL KEY_T *keys_to = part->keys[part->next];
#if HAS_VALUES
    GLOBAL const scanrt_sort_value *values = part->values[part->at];
    GLOBAL scanrt_sort_value *values_to = part->values[part->next];
#endif
    if (place[PART_DIGIT(keys[0], shift, mask, order)] == n) continue;
    for (scanrt_u32 i = 0; i < 1u << of->width; i++) {
      const scanrt_u32 count = place[i];
      place[i] = before;
      before += count;
    }
    PART_UNROLL
    for (scanrt_u32 i = 0; i < n; i++) {
      const KEY_T key = keys[i];
      const scanrt_u32 at = place[PART_DIGIT(key, shift, mask, order)]++;
      keys_to[at] = key;
#if HAS_VALUES
      values_to[at] = values[i];
#endif
    }
    part->at = part->next;
    part->next ^= 1;
  }
}

/* Sorts a range by all digits in which its keys differ, or by as many as it takes. */
FUNC void scanrt_ranges_by_all(scanrt_ranges_part *part, scanrt_ranges_digits *of, scanrt_ranges_order order) {
  const scanrt_u32 wanted = 32 - (scanrt_u32)clz(part->n) + PART_MORE_BITS, bits = wanted < of->top ? wanted : of->top;
  const scanrt_f32 n = (scanrt_f32)part->n;
  scanrt_u32 digits = (bits + PART_DIGIT_BITS - 1) / PART_DIGIT_BITS;
  scanrt_f32 same = n;
  of->width = (bits + digits - 1) / digits;
  of->digits = (of->top + of->width - 1) / of->width;
  scanrt_ranges_count(part, of, 0, digits, order);
  for (scanrt_u32 d = 0; d < digits; d++) same *= scanrt_ranges_pairs(of, d) / (n * n);
  while (digits < of->digits && same * PART_SAME > 1) {
    scanrt_ranges_count(part, of, digits, digits + 1, order);
    same *= scanrt_ranges_pairs(of, digits++) / (n * n);
  }
  scanrt_ranges_by_digits(part, of, digits, order);
  if (digits == of->digits || scanrt_ranges_insert(part, part->n / 2, order)) return;
  scanrt_ranges_count(part, of, 0, of->digits, order);
  scanrt_ranges_by_digits(part, of, of->digits, order);
}

/* Sorts a range to the output. */
FUNC_CALLED void scanrt_ranges_sort(scanrt_ranges_part *part, scanrt_ranges_order order) {
  const scanrt_u32 n = part->n;
  scanrt_ranges_digits of;
  GLOBAL const KEY_T *keys = part->keys[part->at];
  const KEY_T first = RANGES_FLIPPED_BITS(keys[0], order);
  if (n <= PART_FEW) {
    (void)scanrt_ranges_insert(part, n * n, order);
  } else {
    KEY_T differ = 0;
    scanrt_u32 falls = 0;
    for (scanrt_u32 i = 1; i < n; i++) {
      differ |= RANGES_FLIPPED_BITS(keys[i], order) ^ first;
      falls |= RANGES_FLIPPED_BITS(keys[i - 1], order) > RANGES_FLIPPED_BITS(keys[i], order);
    }
    of.top = 64 - (scanrt_u32)clz((scanrt_u64)differ);
    if (falls) scanrt_ranges_by_all(part, &of, order);
  }
  scanrt_ranges_copy(part, order);
}
#endif
