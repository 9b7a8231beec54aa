/* SPDX-License-Identifier: BSD-2-Clause */
/* Eight rows of the canonical order at once, for operators that the library knows: word w of all eight rows lies side
 * by side, so that what is done to one row is done to eight by the same instructions, whatever the operator. In the
 * recursive doubling and in the chains no row waits for itself. */
#ifndef SCANRT_HOST_BLOCK_H
#define SCANRT_HOST_BLOCK_H

#include <stddef.h>
#include <stdint.h>

enum { BLOCK_ROWS = 8, BLOCK_BYTES = 4096, BLOCK_ROW_BYTES = BLOCK_BYTES / BLOCK_ROWS, BLOCK_PART_MOST = 8 };

/* The words of eight rows, turned: word w of row r is word w * BLOCK_ROWS + r. A value is one word or two. */
typedef struct host_block {
  _Alignas(64) uint8_t bytes[BLOCK_BYTES];
} host_block;

/* Where segments begin: of words as large as a value's, bit i of word w of row r (turned in the same way) tells of the
 * row's element i, or its vector i. */
typedef struct host_block_heads {
  _Alignas(32) uint64_t elements[2 * BLOCK_ROWS]; /* up to 16 bytes a row */
  _Alignas(32) uint64_t vectors[BLOCK_ROWS];      /* up to 8 */
} host_block_heads;

/* A value of up to 16 bytes, which is there or not; a segment begins in it or not. */
typedef struct host_block_value {
  _Alignas(16) uint8_t bytes[16];
  uint32_t there, has_head;
} host_block_value;

/* What comes before a block: of the tile, and of the sub-tiles before it in the tile. */
typedef struct host_block_before {
  const host_block_value *tile, *subtiles;
} host_block_before;

/* What each vector begins with, at its number, turned as a block is; one more at the end. */
typedef struct host_block_starts {
  _Alignas(64) uint8_t bytes[BLOCK_BYTES + BLOCK_ROWS * 16];
} host_block_starts;

/* The sums of the block that begins at element `first`. */
typedef struct host_block_kept {
  host_block_starts sums;
  uint64_t first;
} host_block_kept;

/* A result that waits for what comes before the tile: that, then what is before its vector in the tile (if anything is
 * there), then so many elements from number `first` of the block on. */
typedef struct host_block_open {
  host_block_value before;
  uint8_t *to;
  uint32_t first, items;
} host_block_open;

/* Reduction of runs, from block to block of a tile. */
typedef struct host_block_runs {
  host_block_value before; /* the sub-tiles before the block, then with it */
  uint32_t begins;         /* whether a run begins with the next element */
  host_block_open open;    /* set where there is one */
  uint8_t *to;             /* where results go, side by side */
} host_block_runs;

/* An operator's loops. `heads` is NULL where no segment begins. */
typedef struct host_block_ops {
  const char *name;
  uint32_t bytes, part_bytes; /* of a value, and of its words */
  void (*seed)(host_block *x, const host_block_heads *heads, const void *seed);
  void (*fold)(const host_block *x, const host_block_heads *heads, host_block_value *total);
  /* The same, and the first half of what `starts` needs, which may be kept from when a block is read to when it is
   * written. */
  void (*sums)(const host_block *x, const host_block_heads *heads, host_block_starts *sums, host_block_value *total);
  /* What comes before each vector, in place of the sums, and the block's total. Where nothing comes before the first
   * one any value is told. */
  void (*starts)(const host_block_heads *heads, host_block_before before, host_block_starts *starts,
                 host_block_value *total);
  /* The results; the last inclusive one goes to `last`. */
  void (*chain)(const host_block *x, const host_block_heads *heads, const host_block_starts *starts, const void *seed,
                int exclusive, host_block *results, void *last);
  /* The same, and whether the result of a step does not fit, of signed integers or of unsigned ones; what begins a
   * segment is no step. Of sums of integers; else NULL. */
  int (*checked)(const host_block *x, const host_block_heads *heads, const host_block_starts *starts, const void *seed,
                 int exclusive, int is_signed, host_block *results, void *last);
  /* The results of the runs that end in a block: a bit for each element, in the order of memory. One by one, for
   * runs that are not short. Of sums; else NULL. */
  void (*runs)(const host_block *x, const uint32_t *ends, host_block_runs *runs);
} host_block_ops;

/* What is done between the lines of a block that is read. */
typedef struct host_block_between {
  uintptr_t next,
      later;           /* what is read next, and what when all that is near has been (0: not known); or past the end */
  const uint8_t *late; /* results of the block before, which go past the cache: late_bytes to late_to */
  uint8_t *late_to;
  uint32_t late_bytes;
} host_block_between;

/* Eight rows of memory, one after the other, to a block and back, for words of one size. */
typedef struct host_block_turns {
  void (*in)(host_block *block, const uint8_t *from, const host_block_between *between);
  void (*out)(uint8_t *to, const host_block *block);
} host_block_turns;

/* The operators of one translation unit. */
typedef struct host_block_table {
  const host_block_ops *ops;
  uint32_t count;
} host_block_table;
extern const host_block_table scan_host_blocks_narrow, scan_host_blocks_wide;
extern const host_block_table scan_host_pairs_narrow, scan_host_pairs_wide;       /* composites */
extern const host_block_turns scan_host_turns_narrow[2], scan_host_turns_wide[2]; /* of words of 4 and of 8 bytes */

/* n halves, a multiple of 8, as binary32, and back. */
typedef struct host_block_half {
  void (*widen)(float *to, const uint8_t *from, uint32_t n);
  void (*narrow)(uint8_t *to, const float *from, uint32_t n);
} host_block_half;
enum { HOST_HALF_KINDS = 3 };
extern const host_block_half scan_host_halves_narrow[HOST_HALF_KINDS], scan_host_halves_wide[HOST_HALF_KINDS];

/* What a kernel does with eight rows; of an operator that has no such loops `ops` is NULL. */
typedef struct host_block_kernel {
  const host_block_ops *ops;
  const host_block_turns *turns;
  const host_block_half *input, *output; /* or NULL: no halves */
} host_block_kernel;
struct scan_source;
host_block_kernel scan_host_block_find(const struct scan_source *source, uint32_t register_bytes);

#endif
