/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one pass over memory. Tiles are claimed in order. A thread finds which of a tile's elements are kept,
 * publishes their number, receives the place of the first one once all tiles before have published (host_chain.h), and
 * moves them there. If the output is the input, it first gathers them in memory of its own: a tile is written after all
 * tiles before it have been read. */
#ifndef SCANRT_HOST_SELECT_H
#define SCANRT_HOST_SELECT_H

#include "device/host/select/compress_store.h"
#include "device/host/host_kernels.h"

/* The parts of a one-pass kernel. */
typedef struct host_select {
  int is_there, is_index;
  int looks;        /* 1: the elements may be what is examined, and are then in the cache */
  host_group *mark; /* makes the bits of SELECT_TILE_ITEMS elements; NULL: the marks are bits */
  const compress_stores *stores;
} host_select;

/* Scratch memory of a thread: two areas for outputs, and one for a chunk's record if that is large. */
enum { HOST_SELECT_AREA_BYTES = 260 << 10, HOST_SELECT_CHUNK_BYTES = 8 << 10 };
enum { HOST_SELECT_SCRATCH_BYTES = 2 * HOST_SELECT_AREA_BYTES + HOST_SELECT_CHUNK_BYTES };

/* A launch, executed by threads in scan_host_select_work. `thread_scratch`: scratch memory of HOST_SELECT_SCRATCH_BYTES
 * for each thread. */
typedef struct host_select_task {
  const host_select *how;
  const scan_kernel_args *args;
  compress_store *store;
  uint8_t *thread_scratch;
  uint64_t n, tiles;
  uint32_t tile_items;
  host_stream *stream; /* writes past the caches; or NULL */
  uint64_t place;      /* place of the next kept element, after the folded tiles */
} host_select_task;

/* Number of elements of a one-pass launch: n_from's, at most n. */
uint64_t scan_host_select_items(const scan_kernel_args *args);

/* Returns the function that writes past the caches, if `bytes` bytes of output are enough for that; else NULL. */
host_stream *scan_host_select_stream(const compress_stores *stores, uint64_t bytes);

/* Reports the number of kept elements, and n_from if it exceeds n. */
void scan_host_select_report(const scan_kernel_args *args, uint64_t kept);

/* Returns the function that gathers SELECT_TILE_ITEMS keys of which `count` are kept: few are moved one by one, without
 * reading all keys. */
compress_store *scan_host_select_key_store(const compress_stores *stores, uint32_t key_bytes, uint64_t count);

/* Returns the inner loops for a processor with registers of register_bytes. */
const compress_stores *scan_compress_stores_for(uint32_t register_bytes);

/* Finds the parts of a one-pass kernel; is_there is 0 for other kernels. */
host_select scan_host_select_find(const scan_kernel_key *key, uint32_t register_bytes);

void scan_host_select_open(host_select_task *task, const host_select *how, const scan_kernel_args *args,
                           uint8_t *thread_scratch, unsigned threads);
void scan_host_select_work(void *work, host_thread *me);

/* Call when all threads are done: reports the number of kept elements. */
void scan_host_select_close(const host_select_task *task);

#endif
