/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops over eight rows of the canonical order at once, for operators that the library knows. Word w of all eight rows
 * lies side by side, so that the same vector instructions serve eight rows, whatever the operator. In the recursive
 * doubling and in the chains no row depends on itself. */
#ifndef SCANRT_SIMD_ROWS8_H
#define SCANRT_SIMD_ROWS8_H

#include <stddef.h>
#include <stdint.h>

#include "device/host/host_simd.h"
#include "device/host/scan/segment_folds.h"

enum { BLOCK_ROWS = 8, BLOCK_BYTES = 4096, BLOCK_ROW_BYTES = BLOCK_BYTES / BLOCK_ROWS, BLOCK_PART_MOST = 8 };

/* The words of eight rows, transposed: word w of row r is word w * BLOCK_ROWS + r. A value is one word or two. */
typedef struct simd_rows8 {
  _Alignas(64) uint8_t bytes[BLOCK_BYTES];
} simd_rows8;

/* Segment flags of a block, in words as large as a value's and transposed like them: bit i of word w of row r belongs
 * to the row's element i, or its vector i. */
typedef struct simd_rows8_flags {
  _Alignas(32) uint64_t elements[2 * BLOCK_ROWS]; /* up to 16 bytes a row */
  _Alignas(32) uint64_t vectors[BLOCK_ROWS];      /* up to 8 */
} simd_rows8_flags;

/* A value of up to 16 bytes. there: 1 if it is set; starts_segment: 1 if a segment begins in it. */
typedef struct simd_rows8_value {
  _Alignas(16) uint8_t bytes[16];
  uint32_t there, starts_segment;
} simd_rows8_value;

/* The values before a block: that of the tiles before, and that of the sub-tiles before it in its tile. */
typedef struct simd_rows8_before {
  const simd_rows8_value *tile, *subtiles;
} simd_rows8_before;

/* The value before each vector, transposed like a block; one more at the end. */
typedef struct simd_rows8_starts {
  _Alignas(64) uint8_t bytes[BLOCK_BYTES + BLOCK_ROWS * 16];
} simd_rows8_starts;

/* The sums of the block that begins at element `first`. */
typedef struct simd_rows8_kept {
  simd_rows8_starts sums;
  uint64_t first;
} simd_rows8_kept;

/* A result that waits for the value before the tile. It is that value, then the value before its vector in the tile (if
 * that is there), then `items` elements from element `first` of the block on. */
typedef struct simd_rows8_open {
  simd_rows8_value before;
  uint8_t *to;
  uint32_t first, items;
} simd_rows8_open;

/* The state of a reduction of runs, from block to block of a tile. */
typedef struct simd_rows8_runs {
  simd_rows8_value before; /* the value of the sub-tiles before the block, then with the block */
  uint32_t starts_run;     /* 1: a run begins with the next element */
  simd_rows8_open open;    /* the open result, if there is one */
  uint8_t *to;             /* destination of the results, side by side */
} simd_rows8_runs;

/* The loops of an operator. `segment_flags` is NULL if no segment begins in the block. */
typedef struct simd_rows8_ops {
  const char *name;
  uint32_t bytes, part_bytes; /* bytes of a value, and of its words */
  /* Combines `seed` with the first element of each segment. */
  void (*seed)(simd_rows8 *x, const simd_rows8_flags *segment_flags, const void *seed);
  /* Sets *total to the fold of the block. */
  void (*fold)(const simd_rows8 *x, const simd_rows8_flags *segment_flags, simd_rows8_value *total);
  /* fold, and the first half of the work of `starts`; *sums may be kept until the block is written. */
  void (*sums)(const simd_rows8 *x, const simd_rows8_flags *segment_flags, simd_rows8_starts *sums,
               simd_rows8_value *total);
  /* Replaces *sums by the value before each vector, and sets the block's total. If nothing precedes the first vector,
   * its start is arbitrary. */
  void (*starts)(const simd_rows8_flags *segment_flags, simd_rows8_before before, simd_rows8_starts *starts,
                 simd_rows8_value *total);
  /* Writes the results, and the last inclusive one to `last`. */
  void (*chain)(const simd_rows8 *x, const simd_rows8_flags *segment_flags, const simd_rows8_starts *starts,
                const void *seed, int exclusive, simd_rows8 *results, void *last);
  /* chain, for sums of integers; else NULL. Returns 1 if a step's result does not fit the signed or unsigned type; the
   * first element of a segment is no step. */
  int (*checked)(const simd_rows8 *x, const simd_rows8_flags *segment_flags, const simd_rows8_starts *starts,
                 const void *seed, int exclusive, int is_signed, simd_rows8 *results, void *last);
  /* Writes the results of the runs that end in a block; `ends` has a bit for each element, in the order of memory. It
   * goes run by run, which suits long runs. For sums; else NULL. */
  void (*runs)(const simd_rows8 *x, const uint32_t *ends, simd_rows8_runs *runs);
} simd_rows8_ops;

/* Work that is done between the lines of a block while it is read. */
typedef struct simd_rows8_between {
  uintptr_t next, later; /* address of what is read next, and of what is read after the nearby blocks (0: unknown);
                            either may lie past the end */
  const uint8_t *late;   /* results of the block before, which bypass the cache: late_bytes bytes to late_to */
  uint8_t *late_to;
  uint32_t late_bytes;
} simd_rows8_between;

/* Transposes eight adjacent rows of memory to a block and back, for words of one size. */
typedef struct simd_transpose {
  void (*in)(simd_rows8 *block, const uint8_t *from, const simd_rows8_between *between);
  void (*out)(uint8_t *to, const simd_rows8 *block);
} simd_transpose;

/* The operators of one translation unit. */
typedef struct simd_rows8_table {
  const simd_rows8_ops *ops;
  uint32_t count;
} simd_rows8_table;
extern const simd_rows8_table scan_simd_rows8_builtin_baseline, scan_simd_rows8_builtin_avx2;
extern const simd_rows8_table scan_composite_simd_baseline, scan_composite_simd_avx2;

/* For words of 4 and of 8 bytes. */
extern const simd_transpose scan_simd_transpose_baseline[2], scan_simd_transpose_avx2[2];

/* Converts n halves, a multiple of 8, to binary32 and back. */
typedef struct simd_rows8_half {
  void (*widen)(float *to, const uint8_t *from, uint32_t n);
  void (*narrow)(uint8_t *to, const float *from, uint32_t n);
} simd_rows8_half;
enum { HOST_HALF_KINDS = 3 };
extern const simd_rows8_half scan_host_halves_baseline[HOST_HALF_KINDS], scan_host_halves_avx2[HOST_HALF_KINDS];

/* The loops over eight rows that a kernel uses; `ops` is NULL if its operator has none. */
typedef struct simd_rows8_kernel {
  const simd_rows8_ops *ops;
  const simd_transpose *transpose;
  const simd_rows8_half *input, *output; /* or NULL: no halves */
  const segment_fold_row *segments;      /* or NULL */
} simd_rows8_kernel;
struct scan_source;
simd_rows8_kernel scan_simd_rows8_find(const struct scan_source *source, uint32_t register_bytes);

#endif
