/* SPDX-License-Identifier: BSD-2-Clause */
/* What every kernel shares: the geometry of the canonical order, the arguments, and the running prefix. */
#ifndef SCANRT_CL_TILE_H
#define SCANRT_CL_TILE_H

#include "arguments.h"
#include "scan_value.h"

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
#if SCAN_SUBTILES == 0 /* one program for tiles of either size: n says which (one-work-item form) */
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
#define VALUE_SHOWN(job, x) (x)     /* as it lies in memory */
#define VECTOR_FLIP(job, raw) (raw) /* else of flip.h */
#endif

/* A carry lies in memory as it is; kernels that turn values over work on it as on others. */
FUNC scanrt_value_t scanrt_seed_flipped(scanrt_value_t seed, scanrt_u32 flags) {
  (void)flags;
#ifdef SCAN_FLIPS
  if (flags & FLAG_CARRY) return scanrt_value_flip(flags, seed);
#endif
  return seed;
}

/* From here on the output is larger than the caches that it would otherwise fill (one-work-item form). 8 MiB of int32,
 * 2 cores, buffers not in a cache: PoCL 553 us, kept in it 826; host 552 to 586, 615 to 829; 4 MiB: 390 and 354. */
#define STREAMING_BYTES (8u << 20)

typedef struct scanrt_job {
  GLOBAL const scanrt_input_t *in;
  GLOBAL scanrt_output_t *out;
  scanrt_u64 n;
#if SCAN_SUBTILES == 0
  scanrt_u32 subtiles;
#endif
  scanrt_u32 tiles;
  scanrt_u32 inclusive;
  scanrt_u32 zero;        /* 0, which compilers do not know: keeps them from holding a vector's elements unpacked */
  scanrt_u32 streaming;   /* one-work-item form: stores bypass the cache */
  scanrt_u32 vectors_in;  /* input vectors are aligned to their size */
  scanrt_u32 vectors_out; /* output vectors are aligned to theirs */
  scanrt_u32 sink;        /* the flags that say what becomes of the values: FLAG_KEEP, FLAG_TOTAL, FLAG_PLUS_ZERO */
  GLOBAL scanrt_u8 *keep; /* where the last value goes */
  GLOBAL scanrt_output_t *total;
#ifdef READ_AHEAD
  scanrt_u64 ahead_bytes; /* from what is being read and written to what will be read next; 0: unknown */
#endif
#ifdef SCAN_FLIPS
  scanrt_u32 flip, flip_low; /* the bits to turn over in a word, and in the low word of a 64-bit value */
  scanrt_u32 flip_flags;
#endif
#ifdef JOB_FIELDS /* segments, and checks */
  JOB_FIELDS
#endif
} scanrt_job;

FUNC scanrt_job scanrt_job_make(GLOBAL const scanrt_u8 *in, GLOBAL scanrt_u8 *out, scanrt_u64 n, scanrt_u32 flags) {
  scanrt_job job;
  job.in = (GLOBAL const scanrt_input_t *)in;
  job.out = (GLOBAL scanrt_output_t *)out;
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
  job.keep = 0;
  job.total = job.out;
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
#define ELEMENT_OUT(job, i) ((job)->out[i])
#endif
#ifndef LAUNCH_FLAGS
#define LAUNCH_FLAGS(flags) (flags)
#endif

FUNC scanrt_job scanrt_job_sink(scanrt_job job, GLOBAL scanrt_u8 *keep, scanrt_u32 flags) {
  job.sink = flags & (FLAG_KEEP | FLAG_TOTAL | FLAG_PLUS_ZERO);
  if (flags & FLAG_KEEP) job.keep = keep;
  return job;
}
#define JOB_MADE()                                                                                                     \
  scanrt_job_sink(scanrt_job_make(MEMORY(in), MEMORY(out), n, LAUNCH_FLAGS(flags)), MEMORY(keep), flags)
#define JOB() JOB_FILL(JOB_MADE())

/* ---- the sink: what becomes of the values ---- */

/* Of a total nothing is stored; where steps are checked all of them are looked at nevertheless. */
#define IS_TOTAL(job) ((job)->sink & FLAG_TOTAL)
#if SCAN_CHECKS
#define SKIPS(job) 0
#define STORES(job) (!IS_TOTAL(job))
#else
#define SKIPS(job) IS_TOTAL(job)
#define STORES(job) 1 /* to whoever is not skipped */
#endif
/* The first tile whose prefix is wanted: compilers keep the number, where they load the flags again for each tile. */
#define FIRST_WANTED(job) (SKIPS(job) ? (job)->tiles - 1 : 0)
/* Whether a tile's prefix is wanted. */
#define TILE_WANTED(job, tile) (!SKIPS(job) || (tile) + 1 == (job)->tiles)
#define TILE_KEEPS(job, tile) ((job)->sink & (FLAG_KEEP | FLAG_TOTAL) && (tile) + 1 == (job)->tiles)

/* A prefix as an exclusive scan shows it: from a start of +0.0 all of a sum is what it is from -0.0, the exact
 * identity, but for -0.0 itself. */
FUNC scanrt_value_t scanrt_prefix_shown(const scanrt_job *job, scanrt_value_t prefix) {
  (void)job;
#if VALUE_IS_FLOAT && SCAN_OP == 1
  /* By the bits: llvmpipe (Mesa 22.3) takes an added 0 for nothing. */
  if (job->sink & FLAG_PLUS_ZERO && VALUE_BITS(prefix) == VALUE_BITS(IDENTITY)) return (scanrt_value_t)0;
#endif
  return prefix;
}

/* What the scan leaves: the value up to element n - 1, and of a total its output. */
#define LAST_VALUE(job, value, output)                                                                                 \
  do {                                                                                                                 \
    if ((job)->sink & FLAG_KEEP) VALUE_PUT((job)->keep, (value));                                                      \
    if (IS_TOTAL(job)) *(job)->total = (output);                                                                       \
  } while (0)

#if SCAN_GROUP_ITEMS > 1
/* Elements of the vector from `first` on that lie before n. */
FUNC scanrt_u32 scanrt_vector_count(const scanrt_job *job, scanrt_u64 first) {
  return first >= job->n ? 0 : job->n - first < VEC_ITEMS ? (scanrt_u32)(job->n - first) : VEC_ITEMS;
}

/* How many of the vectors from `first` on, a row apart, are whole; the next one may have a part before n. */
FUNC scanrt_u32 scanrt_vectors_whole(const scanrt_job *job, scanrt_u64 first, scanrt_u32 most) {
  const scanrt_u64 rest = job->n > first ? job->n - first : 0;
  const scanrt_u64 whole = (rest + (ROW_ITEMS - VEC_ITEMS)) / ROW_ITEMS;
  return whole < most ? (scanrt_u32)whole : most;
}
#endif

/* The exclusive prefix of a tile, kept by whoever walks tiles in order: groups folded left to right, and in the open
 * group the sums of the aligned power-of-two runs of tiles that the binary digits of `tile` name. */
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

/* The total of the group that `aggregate`, its last tile's, completes. */
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
