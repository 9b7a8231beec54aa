/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by all kernels: the geometry of the canonical order, the arguments, elements, and the running prefix. */
#ifndef SCANRT_CL_TILE_H
#define SCANRT_CL_TILE_H

#include "lib/arguments.h"
#include "lib/scan_value.h"

#if 16 % ORDER_BYTES == 0
#define VEC_ITEMS (16 / ORDER_BYTES)
#else
#define VEC_ITEMS 1
#endif
#define ROW_VECS 32
#define ROW_ITEMS (ROW_VECS * VEC_ITEMS)
#define SUBTILE_ROWS 8
#define GROUP_TILES 128
#define GROUP_LEVELS 7
#define TILE_ROWS (SCAN_SUBTILES * SUBTILE_ROWS)
#define TILE_ITEMS ((scanrt_u64)TILE_ROWS * ROW_ITEMS)
#if SCAN_SUBTILES == 0 /* one program for tiles of both sizes, between which n decides (one-work-item form) */
#define MOST_SUBTILES (ORDER_BYTES <= 8 ? 8u : ORDER_BYTES <= 16 ? 4u : ORDER_BYTES <= 32 ? 2u : 1u)
#define IS_SMALL(n) ((n) <= (scanrt_u64)(GROUP_TILES * SUBTILE_ROWS) * ROW_ITEMS)
#define IS_ONE_TILE(n) ((n) <= (scanrt_u64)(MOST_SUBTILES * SUBTILE_ROWS) * ROW_ITEMS)
#define SUBTILES(job) ((job)->subtiles)
#else
#define SUBTILES(job) SCAN_SUBTILES
#endif
#define JOB_TILE_ITEMS(job) ((scanrt_u64)(SUBTILES(job) * SUBTILE_ROWS) * ROW_ITEMS)

#ifdef SCAN_FLIPS
FUNC scanrt_value_t scanrt_value_flip(scanrt_u32 flags, scanrt_value_t x) {
  const scanrt_u64 all = ~(scanrt_u64)0 >> (64 - 8 * VALUE_BYTES), sign = all ^ all >> 1;
  const scanrt_u64 flip = (flags & FLAG_FLIP_SIGN ? sign : 0) | (flags & FLAG_FLIP_REST ? all ^ sign : 0);
  return BITS_VALUE((scanrt_u64)VALUE_BITS(x) ^ flip);
}
#define VALUE_SHOWN(job, x) scanrt_value_flip((job)->flip_flags, (x))
#else
#define VALUE_SHOWN(job, x) (x)     /* a value as it lies in memory */
#define VECTOR_FLIP(job, raw) (raw) /* defined by flip.h otherwise */
#endif

/* Returns the seed as kernels use it. A carry in memory is not flipped, so kernels that flip values flip it, too. */
FUNC scanrt_value_t scanrt_seed_flipped(scanrt_value_t seed, scanrt_u32 flags) {
  (void)flags;
#ifdef SCAN_FLIPS
  if (flags & FLAG_CARRY) return scanrt_value_flip(flags, seed);
#endif
  return seed;
}

/* The size of outputs from which stores bypass the caches, which they would fill (one-work-item form). Measured with
 * int32, 2 cores, buffers not in a cache: for 8 MiB PoCL takes 553 us, or 826 without bypassing, and the host 552 to
 * 586, or 615 to 829; for 4 MiB 390 and 354. */
#define STREAMING_BYTES (8u << 20)

/* Elements of the job's arrays; types from source may have members in arrays of their own (value_source.h). */
#ifndef JOB_IN_T
#define JOB_IN_T scanrt_input_t
#endif
#ifndef JOB_OUT_T
#define JOB_OUT_T scanrt_output_t
#endif

typedef struct scanrt_job {
  GLOBAL const JOB_IN_T *in;
  GLOBAL JOB_OUT_T *out;
  scanrt_u64 n;
#if SCAN_SUBTILES == 0
  scanrt_u32 subtiles;
#endif
  scanrt_u32 tiles;
  scanrt_u32 inclusive;
  scanrt_u32 zero;             /* 0, unknown to compilers: keeps them from holding a vector's elements unpacked */
  scanrt_u32 streaming;        /* one-work-item form: stores bypass the cache */
  scanrt_u32 vectors_in;       /* input vectors are aligned to their size */
  scanrt_u32 vectors_out;      /* output vectors are aligned to theirs */
  scanrt_u32 sink;             /* the flags of outputs: FLAG_CARRY_OUT, FLAG_TOTAL, FLAG_PLUS_ZERO */
  GLOBAL scanrt_u8 *carry_out; /* address for the last value */
  GLOBAL scanrt_output_t *total;
#ifdef READ_AHEAD
  scanrt_u64 ahead_bytes; /* from what is read and written now to what is read next; 0: unknown */
#endif
#ifdef SCAN_FLIPS
  scanrt_u32 flip, flip_low; /* the bits to flip in a word, and in the low word of a 64-bit value */
  scanrt_u32 flip_flags;
#endif
#ifdef JOB_FIELDS /* for segments and overflow checks */
  JOB_FIELDS
#endif
} scanrt_job;

FUNC scanrt_job scanrt_job_make(GLOBAL const scanrt_u8 *in, GLOBAL scanrt_u8 *out, scanrt_u64 n, scanrt_u32 flags) {
  scanrt_job job;
  job.in = (GLOBAL const JOB_IN_T *)in;
  job.out = (GLOBAL JOB_OUT_T *)out;
  job.n = n;
#if SCAN_SUBTILES == 0
  job.subtiles = IS_SMALL(n) && !IS_ONE_TILE(n) ? 1 : MOST_SUBTILES;
#endif
  job.tiles = (scanrt_u32)((n + JOB_TILE_ITEMS(&job) - 1) / JOB_TILE_ITEMS(&job));
  job.inclusive = flags & FLAG_INCLUSIVE;
  job.zero = flags & FLAG_NEVER_SET;
  job.vectors_in = VECTOR_ALIGNED(job.in, VEC_ITEMS * INPUT_BYTES);
  job.vectors_out = VECTOR_ALIGNED(job.out, STORED_BYTES);
  job.sink = 0;
  job.carry_out = 0;
  job.total = (GLOBAL scanrt_output_t *)out;
  job.streaming = job.vectors_out && !(flags & FLAG_IN_PLACE) && n >= STREAMING_BYTES / VALUE_BYTES;
#ifdef READ_AHEAD
  job.ahead_bytes = 0;
#endif
#ifdef SCAN_FLIPS
  const scanrt_u32 signs = VALUE_BYTES == 1 ? 0x80808080u : VALUE_BYTES == 2 ? 0x80008000u : 0x80000000u;
  job.flip = (flags & FLAG_FLIP_SIGN ? signs : 0) | (flags & FLAG_FLIP_REST ? ~signs : 0);
  job.flip_flags = flags;
  job.flip_low = flags & FLAG_FLIP_REST ? 0xffffffffu : 0;
#endif
  return job;
}
#ifndef JOB_FILL
#define JOB_FILL(job) job
#endif
#ifndef ELEMENT_IN
#define ELEMENT_IN(job, i) ((job)->in[i])
#endif
#ifndef ELEMENT_OUT
#define ELEMENT_OUT(job, i) ((job)->out[i])
#endif
#ifndef ELEMENT_PUT
#define ELEMENT_PUT(job, i, value) (ELEMENT_OUT(job, i) = (value))
#endif
#ifndef LAUNCH_FLAGS
#define LAUNCH_FLAGS(flags) (flags)
#endif

FUNC scanrt_job scanrt_job_sink(scanrt_job job, GLOBAL scanrt_u8 *carry_out, scanrt_u32 flags) {
  job.sink = flags & (FLAG_CARRY_OUT | FLAG_TOTAL | FLAG_PLUS_ZERO);
  if (flags & FLAG_CARRY_OUT) job.carry_out = carry_out;
  return job;
}
#if SCAN_READS_N
/* Lowers n to the number in n_from. The tile size stays that of the launch's n. */
FUNC scanrt_job scanrt_job_count(scanrt_job job, GLOBAL const scanrt_u8 *n_from, GLOBAL scanrt_u8 *n_overflow) {
  const scanrt_u64 found = *(GLOBAL const scanrt_u64 *)n_from;
  if (found > job.n && GROUP() == 0 && ITEM() == 0) *(GLOBAL scanrt_u64 *)n_overflow = found;
  if (found >= job.n) return job;
  job.n = found;
  job.tiles = (scanrt_u32)((found + JOB_TILE_ITEMS(&job) - 1) / JOB_TILE_ITEMS(&job));
  return job;
}
#define JOB_COUNTED(job) scanrt_job_count((job), MEMORY(n_from), MEMORY(n_overflow))
/* The first tile of a launch over a work-group a tile: a launch has work-groups for the tiles of the launch's n. */
#define LAUNCH_FIRST(job) ((job)->tiles > GROUPS() ? (job)->tiles - GROUPS() : 0)
#define IS_PAST(job, tile) ((tile) >= (job)->tiles)
/* Ends a scan of no elements: its last value and its total are the seed. */
#define FINISH_EMPTY(job, seed)                                                                                        \
  do {                                                                                                                 \
    if ((job)->n == 0 && GROUP() == 0 && ITEM() == 0 && flags & FLAG_STARTS) {                                         \
      const scanrt_value_t only = SEED_SHOWN(seed);                                                                    \
      LAST_VALUE((job), VALUE_SHOWN((job), only), RESULT((job), 1, only, only, only, ELEMENT_IN((job), 0), 0));        \
    }                                                                                                                  \
  } while (0)
#else
#define JOB_COUNTED(job) job
#define LAUNCH_FIRST(job) ((job)->tiles - GROUPS())
#define IS_PAST(job, tile) 0
#define FINISH_EMPTY(job, seed)
#endif
#define JOB_MADE()                                                                                                     \
  JOB_COUNTED(                                                                                                         \
      scanrt_job_sink(scanrt_job_make(MEMORY(in), MEMORY(out), n, LAUNCH_FLAGS(flags)), MEMORY(carry_out), flags))
#define JOB() JOB_FILL(JOB_MADE())

/* ---- the sink: outputs and carries ---- */

/* IS_TOTAL: only the total is stored. SKIPS: a total skips all tiles but the last, unless all steps must be checked.
 * STORES: the tiles that are not skipped are stored. */
#define IS_TOTAL(job) ((job)->sink & FLAG_TOTAL)
#if SCAN_CHECKS
#define SKIPS(job) 0
#define STORES(job) (!IS_TOTAL(job))
#else
#define SKIPS(job) IS_TOTAL(job)
#define STORES(job) 1 /* for tiles that are not skipped */
#endif
/* The first tile whose prefix is needed. Compilers keep this number; the flags they would load again for each tile. */
#define FIRST_WANTED(job) (SKIPS(job) ? (job)->tiles - 1 : 0)
/* 1 if a tile's prefix is needed. */
#define TILE_WANTED(job, tile) (!SKIPS(job) || (tile) + 1 == (job)->tiles)
/* 1 if the tile writes the carry-out or the total. */
#define TILE_WRITES_LAST(job, tile) ((job)->sink & (FLAG_CARRY_OUT | FLAG_TOTAL) && (tile) + 1 == (job)->tiles)

/* Returns a prefix as an exclusive scan outputs it: -0.0 as +0.0 with FLAG_PLUS_ZERO. Sums that start from +0.0 differ
 * from those that start from -0.0, the exact identity, in this value alone. */
FUNC scanrt_value_t scanrt_prefix_shown(const scanrt_job *job, scanrt_value_t prefix) {
  (void)job;
#if VALUE_IS_FLOAT && SCAN_OP == 1
  /* Compares bits: llvmpipe (Mesa 22.3) optimizes an added 0 away. */
  if (job->sink & FLAG_PLUS_ZERO && VALUE_BITS(prefix) == VALUE_BITS(IDENTITY)) return (scanrt_value_t)0;
#endif
  return prefix;
}

/* Stores the scan's last value, up to element n - 1, if it is carried out, and its output if it is a total. */
#define LAST_VALUE(job, value, output)                                                                                 \
  do {                                                                                                                 \
    if ((job)->sink & FLAG_CARRY_OUT) VALUE_PUT((job)->carry_out, (value));                                            \
    if (IS_TOTAL(job)) *(job)->total = (output);                                                                       \
  } while (0)

#if SCAN_GROUP_ITEMS > 1
/* Returns the number of elements before n in the vector that begins at `first`. */
FUNC scanrt_u32 scanrt_vector_count(const scanrt_job *job, scanrt_u64 first) {
  return first >= job->n ? 0 : job->n - first < VEC_ITEMS ? (scanrt_u32)(job->n - first) : VEC_ITEMS;
}

/* Returns how many of the vectors from `first` on, a row apart, are whole, at most `most`; n may cut the next one. */
FUNC scanrt_u32 scanrt_vectors_whole(const scanrt_job *job, scanrt_u64 first, scanrt_u32 most) {
  const scanrt_u64 rest = job->n > first ? job->n - first : 0;
  const scanrt_u64 whole = (rest + (ROW_ITEMS - VEC_ITEMS)) / ROW_ITEMS;
  return whole < most ? (scanrt_u32)whole : most;
}
#endif

#if SCAN_GROUP_ITEMS == 1 && !VALUE_IS_ORDERED
/* The exclusive prefix of a tile, for walks over tiles in order: the fold of all groups before and that of the open
 * group's tiles, of integers, whose order does not show. */
typedef struct scanrt_prefix {
  scanrt_value_t groups, open;
  scanrt_u32 tile;
} scanrt_prefix;

FUNC scanrt_prefix scanrt_prefix_start(scanrt_value_t seed) {
  scanrt_prefix p;
  p.groups = seed;
  p.open = IDENTITY;
  p.tile = 0;
  return p;
}

FUNC scanrt_value_t scanrt_prefix_value(const scanrt_prefix *p) { return scanrt_combine(p->groups, p->open); }

/* Returns the total of the group whose last tile has this aggregate. */
FUNC scanrt_value_t scanrt_prefix_group_total(const scanrt_prefix *p, scanrt_value_t aggregate) {
  return scanrt_combine(p->open, aggregate);
}

FUNC void scanrt_prefix_push(scanrt_prefix *p, scanrt_value_t aggregate) {
  p->open = scanrt_combine(p->open, aggregate);
  p->tile = (p->tile + 1) % GROUP_TILES;
  if (p->tile != 0) return;
  p->groups = scanrt_combine(p->groups, p->open);
  p->open = IDENTITY;
}
#else
/* The exclusive prefix of a tile, for walks over tiles in order: the fold of all groups before and, in the open group,
 * the totals of the aligned power-of-two runs of tiles that the binary digits of `tile` name. */
typedef struct scanrt_prefix {
  scanrt_value_t groups;
  scanrt_value_t run[GROUP_LEVELS];
  scanrt_u32 tile;
} scanrt_prefix;

FUNC scanrt_prefix scanrt_prefix_start(scanrt_value_t seed) {
  scanrt_prefix p;
  p.groups = seed;
  p.tile = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < GROUP_LEVELS; k++) p.run[k] = IDENTITY;
  return p;
}

FUNC scanrt_value_t scanrt_prefix_value(const scanrt_prefix *p) {
  scanrt_value_t before = IDENTITY;
  UNROLL
  for (scanrt_u32 k = 0; k < GROUP_LEVELS; k++)
    if ((p->tile >> k) & 1u) before = scanrt_combine(p->run[k], before);
  return scanrt_combine(p->groups, before);
}

/* Returns the total of the group whose last tile has this aggregate. */
FUNC scanrt_value_t scanrt_prefix_group_total(const scanrt_prefix *p, scanrt_value_t aggregate) {
  UNROLL
  for (scanrt_u32 k = 0; k < GROUP_LEVELS; k++) aggregate = scanrt_combine(p->run[k], aggregate);
  return aggregate;
}

FUNC_CALLED void scanrt_prefix_push(scanrt_prefix *p, scanrt_value_t aggregate) {
  scanrt_u32 carrying = 1;
  UNROLL
  for (scanrt_u32 k = 0; k < GROUP_LEVELS; k++) {
    if (carrying && !((p->tile >> k) & 1u)) {
      p->run[k] = aggregate;
      carrying = 0;
    }
    if (carrying) aggregate = scanrt_combine(p->run[k], aggregate);
  }
  if (carrying) p->groups = scanrt_combine(p->groups, aggregate);
  p->tile = (p->tile + 1) % GROUP_TILES;
}
#endif

/* Loads and stores of elements, which are casts for built-in types. */
#if SCAN_TYPE == 0
#include "lib/element_source.h"
#endif
#endif
