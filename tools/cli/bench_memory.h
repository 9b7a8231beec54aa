/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_memory.h @brief Memory of `scanrt bench`, work in chunks on several threads, and memcpy by them. */
#ifndef SCANRT_CLI_BENCH_MEMORY_H
#define SCANRT_CLI_BENCH_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <scanrt/scan.h>

typedef struct bench_state bench_state;

/** Device memory; on the host backend also the pointer to free. */
typedef struct bench_memory {
  scan_mem mem;
  void *host;
  uint64_t bytes; /**< 0: not allocated. */
} bench_memory;

/** Allocates memory. */
scan_status bench_memory_make(const bench_state *bench, uint64_t bytes, bench_memory *memory);
/** Frees memory; does nothing if it is not allocated. */
void bench_memory_free(const bench_state *bench, bench_memory *memory);

/** Returns what a peer takes for memory (peer.h), or NULL for no memory. On OpenCL it is `mem` itself. */
void *bench_pointer(const bench_state *bench, const scan_mem *mem);

/** Rounds bytes up to the alignment of device memory. */
uint64_t bench_aligned(uint64_t bytes);

/** Allocates a block of poison, from which memory is poisoned. @param bytes  size of the largest memory to poison */
scan_status bench_poison_make(const bench_state *bench, uint64_t bytes, bench_memory *poison);
/** Overwrites memory with poison. */
scan_status bench_memory_poison(const bench_state *bench, const bench_memory *poison, const bench_memory *memory);

enum { BENCH_CHUNK = 1 << 16, BENCH_POISON_BYTE = 0xA5 };

/** Calls work(state, chunk) for each BENCH_CHUNK of n elements, on several threads. */
void bench_each_chunk(uint64_t n, void (*work)(void *state, uint64_t chunk), void *state);
/** Returns the number of chunks. */
uint64_t bench_chunks(uint64_t n);
uint64_t bench_chunk_end(uint64_t n, uint64_t chunk); /**< Returns the index behind the last element of a chunk. */

/** Lowers *lowest to `place` if that is smaller. Several threads may call it. @param lowest  begins as UINT64_MAX */
void bench_note_lowest(atomic_uint_fast64_t *lowest, uint64_t place);

/* ---- bench_copy.c: multi-threaded memcpy, the limit of a scan with as many threads ---- */

/** Threads that wait for copies. */
typedef struct bench_copier bench_copier;

/** Starts threads - 1 helper threads. @return NULL on failure */
bench_copier *bench_copier_open(unsigned threads);

/** Copies with all threads, including the caller's, which claim chunks in order. Returns when the copy is complete. */
void bench_copier_run(bench_copier *copier, void *dst, const void *src, size_t bytes);

/** Ends the helpers. NULL is accepted. */
void bench_copier_close(bench_copier *copier);

#endif
