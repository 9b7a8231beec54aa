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

/* Whether host_wide.c holds kernels. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HOST_HAS_WIDE 1
#endif
/* HOST_ONLY_WIDE (CMake's SCANRT_HOST_NATIVE): the machine that builds has them and is the one that runs. */

enum { HOST_CHUNK_TILES = 2, HOST_PREFIX_BYTES = 1152, HOST_SEAT_BYTES = 128 << 10 };

/* One scan that several threads work on. Chunks of tiles are claimed in order; a chunk's aggregates are folded into the
 * running prefix when those of all chunks before are (host_chain.h), so that each element is read from memory once and
 * from the cache once. */
typedef struct host_task {
  const uint8_t *in;
  uint8_t *out;
  uint64_t n, seed_bits;
  uint32_t flags;
  uint8_t *keep;           /* where the last value goes, if the flags say so */
  const uint8_t *geometry; /* of many lines (kernels_cl/batch/lines.h) */
  uint64_t share;          /* lines that a thread claims at once */

  /* Of operators from source only. */
  const scan_kernel_key *key;
  const scan_kernel_args *args;
  const struct host_block_kernel *block; /* for sub-tiles of eight whole rows */
  const uint64_t *carry;                 /* what the scan begins with; or NULL: the seed */
  const uint8_t *heads;                  /* where segments begin, told as key->segments says */
  _Atomic uint32_t *checks;              /* where overflow is noted, as overflow_source.h has it; or NULL */

  uint8_t *turned; /* HOST_SEAT_BYTES of working memory for each thread, too much for its stack; or NULL */
  _Alignas(16) uint8_t prefix[HOST_PREFIX_BYTES]; /* the typed running prefix, behind the chunks that are folded */
} host_task;

/* Works on the task until no chunk is left for the thread; called by every thread. */
typedef void host_worker(host_task *task, host_thread *me);

typedef struct host_kernel {
  host_worker *threads;    /* the canonical order, any number of threads */
  host_worker *alone;      /* gives the same bits on one thread, which reads each element once */
  host_worker *sequential; /* left to right, one thread */
  host_worker *turned;     /* from the last element to the first, any number of threads */
  host_worker *rows;       /* many contiguous lines */
  host_worker *apart;      /* many lines whose elements are apart, side by side; task->share is a multiple of 16 */
} host_kernel;

typedef struct host_entry {
  scan_type input_type, type;
  scan_op_id op;
  const host_kernel *kernel[2]; /* for tiles of one sub-tile, and of eight */
} host_entry;

/* A work-group's part of a launch of a primitive's kernel, compiled from its file in kernels_cl/ for work-groups of one
 * item; rows end with one that has no name. */
typedef void host_group(const scan_kernel_args *args, uint32_t group, uint32_t groups);
typedef struct host_group_row {
  const char *kernel;
  int type;
  host_group *run;
} host_group_row;

/* Every kernel, for one width of vector registers. */
typedef struct host_table {
  const host_entry *entries;
  size_t count;
  const host_group_row *const *primitives; /* a list of rows for each primitive and type */
  size_t primitive_count;
} host_table;

extern const host_table scan_host_table_narrow, scan_host_table_wide;

/* The widest vector registers that this processor has and kernels are compiled for: 16 or 32. */
uint32_t scan_host_register_bytes(void);

/* The kernel for a build, with registers of up to so many bytes; NULL for a pair of types that is not defined. */
const host_kernel *scan_host_kernel_find(const scan_kernel_key *key, uint32_t register_bytes);

/* The same for a primitive's. */
host_group *scan_host_primitive_find(const scan_kernel_key *key, uint32_t register_bytes);

#endif
