/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's kernels: typed loops behind two function types. */
#ifndef SCANRT_HOST_KERNELS_H
#define SCANRT_HOST_KERNELS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/processor.h"
#include "device/backend.h"
#include "device/host/host_pool.h"
#include "device/host/host_simd.h"

enum { HOST_CHUNK_TILES = 2, HOST_PREFIX_BYTES = 1152 };
/* Scratch memory of a thread: lanes, or tiles of backward scans; and the memory of segmented reductions. */
enum { HOST_LANES_BYTES = 128 << 10, HOST_SEGMENTS_BYTES = 84 << 10 };
enum { HOST_SCRATCH_BYTES = HOST_LANES_BYTES + HOST_SEGMENTS_BYTES };

/* One scan by several threads. Chunks of tiles are claimed in order. A chunk's aggregates are folded into the running
 * prefix after those of all chunks before (host_chain.h), so that each element is read from memory once and from the
 * cache once. */
typedef struct host_task {
  const uint8_t *in;
  uint8_t *out;
  uint64_t n, seed_bits;
  uint32_t flags;
  uint8_t *carry_out;      /* receives the last value, if the flags say so */
  const uint8_t *geometry; /* geometry of many lines (kernels_cl/batch/lines.h) */
  uint64_t share;          /* lines that a thread claims at once */
  uint64_t ahead_bytes;    /* distance at which tiles_reduce prefetches; 0: it does not */

  /* Operators from source only: */
  const scan_kernel_key *key;
  const scan_kernel_args *args;
  const struct simd_rows8_kernel *block; /* loops for sub-tiles of eight whole rows */
  const uint64_t *carry;                 /* the value that the scan begins with; NULL: the seed */
  const uint8_t *segment_flags;          /* marks of segments, of the kind key->segments */
  _Atomic uint32_t *checks;              /* receives overflow, as in overflow_source.h; or NULL */

  uint8_t *thread_scratch; /* HOST_SCRATCH_BYTES of scratch memory for each thread, too much for its stack; or NULL */
  _Alignas(16) uint8_t prefix[HOST_PREFIX_BYTES]; /* the typed running prefix after the folded chunks */
} host_task;

/* Works on the task until no chunk is left for the thread; every thread calls it. */
typedef void host_worker(host_task *task, host_thread *me);

/* A step of tiles number `first` to first + count - 1, in any thread. values: of these tiles. */
typedef void host_tiles_step(const host_task *task, uint64_t first, uint64_t count, void *values);

/* Replaces the aggregates of tiles by the values before them, in order from tile 0 on, and writes a total with the last
 * tile. */
typedef void host_tiles_fold(host_task *task, uint64_t first, uint64_t count, void *values);

typedef struct host_kernel {
  host_worker *threads;    /* the canonical order, any number of threads */
  host_worker *alone;      /* the same bits on one thread, which reads each element once */
  host_worker *sequential; /* left to right, one thread */
  host_worker *reversed;   /* from the last element to the first, any number of threads */
  host_worker *rows;       /* many contiguous lines */
  host_worker *apart;      /* many lines whose elements are apart, side by side; task->share is a multiple of 16 */
  host_tiles_step *tiles_reduce; /* sets the tiles' aggregates; NULL if there are no steps */
  host_tiles_fold *tiles_fold;
  host_tiles_step *tiles_write; /* writes the tiles after the values before them */
  uint64_t tile_items;          /* elements of a tile of the steps */
} host_kernel;

typedef struct host_entry {
  scan_type input_type, type;
  scan_op_id op;
  const host_kernel *kernel[2]; /* for tiles of one sub-tile, and of eight */
} host_entry;

/* A work-group's part of a launch of a primitive's kernel, compiled from its file in kernels_cl/ for work-groups of one
 * work-item. */
typedef void host_group(const scan_kernel_args *args, uint32_t group, uint32_t groups);

/* A kernel of a primitive; the last row of a table has no name. */
typedef struct host_group_row {
  const char *kernel;
  int type;
  host_group *run;
} host_group_row;

/* All kernels for one width of vector registers. */
typedef struct host_table {
  const host_entry *entries;
  size_t count;
  const host_group_row *const *primitives; /* a list of rows for each primitive and type */
  size_t primitive_count;
} host_table;

extern const host_table scan_host_table_baseline, scan_host_table_avx2;

/* Finds the kernel of a scan, with registers of up to register_bytes; NULL for a pair of types that is not defined. */
const host_kernel *scan_host_kernel_find(const scan_kernel_key *key, uint32_t register_bytes);

/* Finds the kernel of a primitive; NULL if there is none. */
host_group *scan_host_primitive_find(const scan_kernel_key *key, uint32_t register_bytes);

#endif
