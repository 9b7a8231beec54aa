/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file group.h
 * @brief What the tests of libscanrt_mpi share: the ranks and their devices, elements dealt out and collected, counts.
 *
 * Every rank draws the same random numbers, so that all know each case; rank 0 alone has all elements.
 */
#ifndef SCANRT_TESTS_MPI_GROUP_H
#define SCANRT_TESTS_MPI_GROUP_H

#include <scanrt/scan_mpi.h>

#include "values.h"

enum { GROUP_MOST_RANKS = 64, GROUP_MOST_CONTEXTS = 192, GROUP_SKIPPED = 77, GROUP_SET_MOST = 3 };

typedef struct group {
  scan_ctx *ctx; /* of $SCANRT_TEST_DEVICE, on the host with one thread */
  scan_mpi *mpi;
  int rank, ranks;
  unsigned long ran, failed;
} group;

/** Starts MPI, unless the program has, and opens the device. Ends the program with 77 where there is none. */
void group_open(group *g, int *argc, char ***argv);

/** Ends MPI; the exit code is 1 on all ranks where anything failed on one, or nothing ran. */
int group_close(group *g, const char *name);

/** Counts a check of this rank and says on standard error what was wrong. Returns `holds`. */
int group_check(group *g, int holds, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** scan_mpi_run_args of two memories. */
scan_status group_run(group *g, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out);

/** Checks that sums of ones are right, and that no error is left: each rank has a thousand. */
void group_check_works(group *g, scan_mpi *mpi, const char *after);

/** A context of $SCANRT_TEST_DEVICE, or of that device; on the host with one thread. Ends the program where there is
 * none: with 77 if it is the device that is missing. */
scan_ctx *group_context(group *g, const char *device);

/** Several contexts of this rank: of the device and of the host in turns, on rank r 1 + (r + 1) % 3. */
typedef struct group_set {
  group *g;
  scan_ctx *ctxs[GROUP_SET_MOST];
  int count;  /**< Of this rank. */
  int before; /**< Of the ranks before. */
  int all;
  scan_mpi *mpi;
} group_set;
int group_set_count(int rank);
void group_open_set(group_set *s, group *g);
void group_close_set(group_set *s);

/** Checks that a call ended so, in the words of that rank; is_context: of its last context, where it has several. */
void group_check_words(const group_set *s, const char *what, scan_status status, scan_status due, int who,
                       int is_context, const char *words);

/** Deals n elements out to so many ranks or contexts: evenly, at random, with some that have none or one, all to one,
 * or with cuts around multiples of `unit`. */
void group_split(int ways, struct rng *rng, uint64_t n, uint64_t unit, uint64_t *counts);

/** This rank's part of rank 0's elements; free it. `room` bytes more are poison. */
void *group_scatter(const group *g, const void *all, const uint64_t *counts, uint64_t item_bytes, size_t room);

/** The parts of all ranks, side by side on rank 0. */
void group_gather(const group *g, const void *part, const uint64_t *counts, uint64_t item_bytes, void *all);

/** The same of a number of each rank, to all ranks. */
void group_collect(const group *g, uint64_t own, uint64_t *all);

/** Memory that holds those bytes: the host's itself, or of scan_alloc, which knows its size. Give it back with
 * group_take. */
scan_mem group_give(group *g, void *bytes, uint64_t count, int on_device);

/** Brings the bytes back and frees the device's memory. */
void group_take(group *g, scan_mem mem, void *bytes, uint64_t count);

/** The same of a context that is not the group's own. */
scan_mem group_give_to(group *g, scan_ctx *ctx, void *bytes, uint64_t count, int on_device);
void group_take_from(group *g, scan_ctx *ctx, scan_mem mem, void *bytes, uint64_t count);

/** malloc that ends the program where there is no memory. */
void *group_allocate(uint64_t bytes);

#endif
