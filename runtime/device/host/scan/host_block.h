/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops over eight rows of the canonical order at once, for operators that the library knows. Word w of all eight rows
 * lies side by side, so that the same vector instructions serve eight rows, whatever the operator. In the recursive
 * doubling and in the chains no row depends on itself. */
#ifndef SCANRT_HOST_BLOCK_H
#define SCANRT_HOST_BLOCK_H

#include <stddef.h>
#include <stdint.h>

enum { BLOCK_ROWS = 8, BLOCK_BYTES = 4096, BLOCK_ROW_BYTES = BLOCK_BYTES / BLOCK_ROWS, BLOCK_PART_MOST = 8 };

/* The words of eight rows, transposed: word w of row r is word w * BLOCK_ROWS + r. A value is one word or two. */
typedef struct host_block {
  _Alignas(64) uint8_t bytes[BLOCK_BYTES];
} host_block;

/* Segment flags of a block, in words as large as a value's and transposed like them: bit i of word w of row r belongs
 * to the row's element i, or its vector i. */
typedef struct host_block_heads {
  _Alignas(32) uint64_t elements[2 * BLOCK_ROWS]; /* up to 16 bytes a row */
  _Alignas(32) uint64_t vectors[BLOCK_ROWS];      /* up to 8 */
} host_block_heads;

/* A value of up to 16 bytes. there: 1 if it is set; has_head: 1 if a segment begins in it. */
typedef struct host_block_value {
  _Alignas(16) uint8_t bytes[16];
  uint32_t there, has_head;
} host_block_value;

/* The values before a block: that of the tiles before, and that of the sub-tiles before it in its tile. */
typedef struct host_block_before {
  const host_block_value *tile, *subtiles;
} host_block_before;

/* The value before each vector, transposed like a block; one more at the end. */
typedef struct host_block_starts {
  _Alignas(64) uint8_t bytes[BLOCK_BYTES + BLOCK_ROWS * 16];
} host_block_starts;

/* The sums of the block that begins at element `first`. */
typedef struct host_block_kept {
  host_block_starts sums;
  uint64_t first;
} host_block_kept;

/* A result that waits for the value before the tile. It is that value, then the value before its vector in the tile (if
 * that is there), then `items` elements from element `first` of the block on. */
typedef struct host_block_open {
  host_block_value before;
  uint8_t *to;
  uint32_t first, items;
} host_block_open;

/* The state of a reduction of runs, from block to block of a tile. */
typedef struct host_block_runs {
  host_block_value before; /* the value of the sub-tiles before the block, then with the block */
  uint32_t begins;         /* 1: a run begins with the next element */
  host_block_open open;    /* the open result, if there is one */
  uint8_t *to;             /* destination of the results, side by side */
} host_block_runs;

/* The loops of an operator. `heads` is NULL if no segment begins in the block. */
typedef struct host_block_ops {
  const char *name;
  uint32_t bytes, part_bytes; /* bytes of a value, and of its words */
  /* Combines `seed` with the first element of each segment. */
  void (*seed)(host_block *x, const host_block_heads *heads, const void *seed);
  /* Sets *total to the fold of the block. */
  void (*fold)(const host_block *x, const host_block_heads *heads, host_block_value *total);
  /* fold, and the first half of the work of `starts`; *sums may be kept until the block is written. */
  void (*sums)(const host_block *x, const host_block_heads *heads, host_block_starts *sums, host_block_value *total);
  /* Replaces *sums by the value before each vector, and sets the block's total. If nothing precedes the first vector,
   * its start is arbitrary. */
  void (*starts)(const host_block_heads *heads, host_block_before before, host_block_starts *starts,
                 host_block_value *total);
  /* Writes the results, and the last inclusive one to `last`. */
  void (*chain)(const host_block *x, const host_block_heads *heads, const host_block_starts *starts, const void *seed,
                int exclusive, host_block *results, void *last);
  /* chain, for sums of integers; else NULL. Returns 1 if a step's result does not fit the signed or unsigned type; the
   * first element of a segment is no step. */
  int (*checked)(const host_block *x, const host_block_heads *heads, const host_block_starts *starts, const void *seed,
                 int exclusive, int is_signed, host_block *results, void *last);
  /* Writes the results of the runs that end in a block; `ends` has a bit for each element, in the order of memory. It
   * goes run by run, which suits long runs. For sums; else NULL. */
  void (*runs)(const host_block *x, const uint32_t *ends, host_block_runs *runs);
} host_block_ops;

/* Work that is done between the lines of a block while it is read. */
typedef struct host_block_between {
  uintptr_t next, later; /* address of what is read next, and of what is read after the nearby blocks (0: unknown);
                            either may lie past the end */
  const uint8_t *late;   /* results of the block before, which bypass the cache: late_bytes bytes to late_to */
  uint8_t *late_to;
  uint32_t late_bytes;
} host_block_between;

/* Transposes eight adjacent rows of memory to a block and back, for words of one size. */
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
extern const host_block_turns scan_host_turns_narrow[2], scan_host_turns_wide[2]; /* words of 4 and of 8 bytes */

/* Converts n halves, a multiple of 8, to binary32 and back. */
typedef struct host_block_half {
  void (*widen)(float *to, const uint8_t *from, uint32_t n);
  void (*narrow)(uint8_t *to, const float *from, uint32_t n);
} host_block_half;
enum { HOST_HALF_KINDS = 3 };
extern const host_block_half scan_host_halves_narrow[HOST_HALF_KINDS], scan_host_halves_wide[HOST_HALF_KINDS];

/* The loops over eight rows that a kernel uses; `ops` is NULL if its operator has none. */
typedef struct host_block_kernel {
  const host_block_ops *ops;
  const host_block_turns *turns;
  const host_block_half *input, *output; /* or NULL: no halves */
} host_block_kernel;
struct scan_source;
host_block_kernel scan_host_block_find(const struct scan_source *source, uint32_t register_bytes);

#endif
