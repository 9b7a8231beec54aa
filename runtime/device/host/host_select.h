/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one pass over memory. Tiles are claimed in order: a thread finds out which of a tile's elements are
 * kept, publishes how many, gets the place of the first one once all tiles before have published (host_chain.h), and
 * brings them there. Where the output is the input it first brings them side by side in memory of its own: a tile is
 * written when all before it have been read. */
#ifndef SCANRT_HOST_SELECT_H
#define SCANRT_HOST_SELECT_H

#include "device/host/host_front.h"
#include "device/host/host_kernels.h"

/* How the tiles of a kernel are made. */
typedef struct host_select {
  int is_there, is_index;
  int looks;        /* what it looks at may be the elements, which then are in the cache */
  host_group *mark; /* makes the bits of SELECT_TILE_ITEMS elements; NULL: the marks are bits */
  const host_fronts *fronts;
} host_select;

/* Working memory of a thread: two areas for what it writes, and what it knows of its chunk if that is much. */
enum { HOST_SELECT_AREA_BYTES = 260 << 10, HOST_SELECT_CHUNK_BYTES = 8 << 10 };
enum { HOST_SELECT_SEAT_BYTES = 2 * HOST_SELECT_AREA_BYTES + HOST_SELECT_CHUNK_BYTES };

/* A launch, which threads work on by scan_host_select_work. `seats`: HOST_SELECT_SEAT_BYTES a thread. */
typedef struct host_select_task {
  const host_select *how;
  const scan_kernel_args *args;
  host_front *front;
  uint8_t *seats;
  uint64_t n, tiles;
  uint32_t tile_items;
  host_stream *stream; /* what is written goes past the cache; or NULL */
  uint64_t place;      /* of the next element that is kept, behind the tiles that are folded */
} host_select_task;

/* Of every launch in one pass: the elements that there are; how what is written goes past the cache, where these are
 * so many bytes that it does (else NULL); and what it tells at its end. */
uint64_t scan_host_select_items(const scan_kernel_args *args);
host_stream *scan_host_select_stream(const host_fronts *fronts, uint64_t bytes);
void scan_host_select_tell(const scan_kernel_args *args, uint64_t kept);

/* What brings SELECT_TILE_ITEMS keys side by side of which so many are kept: few are not worth reading all. */
host_front *scan_host_select_key_front(const host_fronts *fronts, uint32_t key_bytes, uint64_t count);

/* The inner loops of a processor with registers of so many bytes. */
const host_fronts *scan_host_fronts_for(uint32_t register_bytes);

/* What a kernel of one pass is made of; is_there is 0 of others. */
host_select scan_host_select_find(const scan_kernel_key *key, uint32_t register_bytes);

void scan_host_select_open(host_select_task *task, const host_select *how, const scan_kernel_args *args, uint8_t *seats,
                           unsigned threads);
void scan_host_select_work(void *work, host_thread *me);

/* Once all threads are done: tells how many are kept. */
void scan_host_select_close(const host_select_task *task);

#endif
