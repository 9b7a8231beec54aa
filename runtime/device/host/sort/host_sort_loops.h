/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner loops of the host's sort, for each size of keys and values. A digit is a byte of the key in memory, or some
 * of its bits. The order of keys is only in the digits' places, which the moving loops do not depend on. */
#ifndef SCANRT_HOST_SORT_LOOPS_H
#define SCANRT_HOST_SORT_LOOPS_H

#include <stddef.h>
#include <stdint.h>

enum { HOST_SORT_DIGITS = 256, HOST_SORT_LINE = 64, HOST_SORT_FEW = 64 };

/* The bits of a key, from the least significant one on. */
__extension__ typedef unsigned __int128 host_sort_bits;
#define HOST_SORT_ALL_BITS (~(host_sort_bits)0)

/* The order of keys: an unsigned integer for each key. It is the key with the bits of `flipped` flipped, and of a
 * negative key also those of `negative`; `mask` has the bits that are sorted by. For floating-point keys in the numeric
 * order `infinity` has the bits of +infinity; otherwise it is 0. A number's integer is then its distance from
 * -infinity, and a NaN's has all bits set; `flipped` flips bits of either. */
typedef struct host_sort_order {
  host_sort_bits flipped, negative, mask;
  uint64_t infinity;
} host_sort_order;

/* The bits `mask` of a byte. `byte` is its number, 0 for the lowest, and `at` its offset in memory. In the numeric
 * order it is a byte of the integer that `infinity` and `flipped` make of the key. */
typedef struct host_sort_digit {
  uint32_t byte, mask, at;
  uint64_t infinity, flipped;
} host_sort_digit;

/* Offset in memory of a byte of a key of key_bytes. */
static inline uint32_t host_sort_byte(uint32_t byte, size_t key_bytes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return (uint32_t)key_bytes - 1 - byte;
#else
  (void)key_bytes;
  return byte;
#endif
}

/* A move of n keys and their values from one memory to another. */
typedef struct host_sort_move {
  host_sort_digit digit;
  const void *keys;
  void *keys_to;
  const void *values; /* NULL: the values are indices, from `index` on */
  void *values_to;
  uint64_t index, n;
  uint64_t *places; /* the place of each digit's next key */
  uint8_t *lines;   /* memory of HOST_SORT_LINES_BYTES */
  int streams;      /* 1: whole lines bypass the caches */
} host_sort_move;

/* A line of keys and a line of values for each digit. */
enum { HOST_SORT_LINES_BYTES = 2 * HOST_SORT_LINE * HOST_SORT_DIGITS };

/* The signs of the zeros among the keys examined. */
typedef struct host_sort_zeros {
  int positive, negative;
} host_sort_zeros;

typedef struct host_sort_loops {
  uint32_t key_bytes, value_bytes;
  uint32_t swap;  /* swapped keys: bytes of half a key, whose halves are in the other order than an integer's; else 0 */
  int is_numeric; /* floating-point keys in the numeric order: vary, is_sorted and count work on the keys' integers */
  /* Numeric order only: 1 if the total order gives the keys the same places. */
  int (*is_total)(const host_sort_order *order, const void *keys, uint64_t n, host_sort_zeros *zeros);
  /* Returns the bits in which keys differ from the key at `from`. */
  host_sort_bits (*vary)(const host_sort_order *order, const void *keys, uint64_t n, const void *from);
  /* 1 if no key is above the one after it. */
  int (*is_sorted)(const host_sort_order *order, const void *keys, uint64_t n);
  /* 1 if each key is above the one after it. */
  int (*is_falling)(const host_sort_order *order, const void *keys, uint64_t n);
  /* Converts keys to the integers that have their order. */
  void (*flip)(const host_sort_order *order, const void *keys, void *to, uint64_t n);
  /* Converts those integers back to keys. */
  void (*flip_back)(const host_sort_order *order, void *keys, uint64_t n);
  /* Adds the number of keys of each digit to counts. */
  void (*count)(host_sort_digit digit, const void *keys, uint64_t n, uint64_t *counts);
  /* Moves each key to its digit's next place, at once. */
  void (*move)(const host_sort_move *m);
  /* Moves each key to its digit's next place by whole lines, which are filled in the cache. */
  void (*move_lines)(const host_sort_move *m);
  /* Sorts up to HOST_SORT_FEW keys, to other or the same memory, by comparing each key with all. */
  void (*compare)(const host_sort_order *order, const host_sort_move *m);
  /* Sorts nearly sorted keys in place, by insertion, stably. Returns 0, with the keys partly sorted, once keys have
   * moved more than `most` places in all. */
  int (*insert)(const host_sort_order *order, void *keys, void *values, uint64_t n, uint64_t most);
} host_sort_loops;

/* Finds the loops for a size of keys and values. swaps: 1 for two-word keys whose halves are in the other order than an
 * integer's. is_numeric: 1 for floating-point keys in the numeric order. NULL: no such loops. */
const host_sort_loops *scan_host_sort_loops_for(uint32_t key_bytes, uint32_t value_bytes, int swaps, int is_numeric);

#endif
