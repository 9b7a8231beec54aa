/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner loops of the host's sort, for each size of keys and values. A digit is a byte of the key as it is in
 * memory, or some of its bits: the order of keys is that in which the digits' places are made, and nothing to the loops
 * that move them. */
#ifndef SCANRT_HOST_SORT_LOOPS_H
#define SCANRT_HOST_SORT_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum { HOST_SORT_DIGITS = 256, HOST_SORT_LINE = 64, HOST_SORT_FEW = 64 };

/* Bits of a key, from the lowest of its order on. */
__extension__ typedef unsigned __int128 host_sort_bits;
#define HOST_SORT_ALL_BITS (~(host_sort_bits)0)

/* The unsigned integer that has the key's order is the key with `turned` turned over, and of a negative one `negative`,
 * too; `mask` has its bits that are sorted by. In the numeric order of floating-point keys `infinity` has the bits of
 * +infinity, and is else 0: the integer of a number is then its distance from -infinity, and that of a NaN has all
 * bits; of either `turned` is turned over. */
typedef struct host_sort_order {
  host_sort_bits turned, negative, mask;
  uint64_t infinity;
} host_sort_order;

/* Bits of a byte, which is the lowest one where it is 0, and lies behind `at` others in memory; in the numeric order,
 * of a byte of the integer that has the key's order, `infinity` and `turned` say which. */
typedef struct host_sort_digit {
  uint32_t byte, mask, at;
  uint64_t infinity, turned;
} host_sort_digit;

/* Where a byte is in memory, of a key of so many. */
static inline uint32_t host_sort_byte(uint32_t byte, size_t key_bytes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return (uint32_t)key_bytes - 1 - byte;
#else
  (void)key_bytes;
  return byte;
#endif
}

/* Keys with their values, as many, from one memory to another. */
typedef struct host_sort_move {
  host_sort_digit digit;
  const void *keys;
  void *keys_to;
  const void *values; /* NULL: `index` and those after it */
  void *values_to;
  uint64_t index, n;
  uint64_t *places; /* of each digit's next key */
  uint8_t *lines;   /* memory of HOST_SORT_LINES_BYTES */
  int streams;      /* whole lines go past the caches */
} host_sort_move;

/* For each digit a line of keys and one of values. */
enum { HOST_SORT_LINES_BYTES = 2 * HOST_SORT_LINE * HOST_SORT_DIGITS };

/* The signs of the zeros among the keys examined. */
typedef struct host_sort_zeros {
  int positive, negative;
} host_sort_zeros;

typedef struct host_sort_loops {
  uint32_t key_bytes, value_bytes;
  uint32_t swap;  /* bytes of half a key, whose halves as an integer has them are the other way round; or 0 */
  int is_numeric; /* of floating-point keys in the numeric order: what differs and is counted is of their integers */
  /* Numeric order only: 1 if the total order gives the keys the same places. */
  int (*is_total)(const host_sort_order *order, const void *keys, uint64_t n, host_sort_zeros *zeros);
  /* The bits in which keys differ from another one. */
  host_sort_bits (*vary)(const host_sort_order *order, const void *keys, uint64_t n, const void *from);
  /* Whether no key is above the one behind it. */
  int (*is_sorted)(const host_sort_order *order, const void *keys, uint64_t n);
  /* Keys become the integers that have their order, or of these the keys again. */
  void (*turn)(const host_sort_order *order, const void *keys, void *to, uint64_t n);
  void (*turn_back)(const host_sort_order *order, void *keys, uint64_t n);
  /* Adds how many keys have each digit. */
  void (*count)(host_sort_digit digit, const void *keys, uint64_t n, uint64_t *counts);
  /* Each key to its digit's next place: at once, or by whole lines, which are filled in the cache. */
  void (*move)(const host_sort_move *m);
  void (*move_lines)(const host_sort_move *m);
  /* Sorts up to HOST_SORT_FEW keys from one memory to another, or to the same, each by comparing it with all. */
  void (*compare)(const host_sort_order *order, const host_sort_move *m);
  /* Sorts keys that nearly are, in their places. Gives up, and returns 0, when keys have gone more than `most` places.
   * What is equal has stayed in its order. */
  int (*insert)(const host_sort_order *order, void *keys, void *values, uint64_t n, uint64_t most);
} host_sort_loops;

/* swaps: keys are two words, and as an integer in memory they would be the other way round. is_numeric: they are
 * floating-point numbers in the numeric order. NULL: no such loops. */
const host_sort_loops *scan_host_sort_loops_for(uint32_t key_bytes, uint32_t value_bytes, int swaps, int is_numeric);

#endif
