/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file group.h
 * @brief Shared functions of the tests of libscanrt_mpi: ranks and their devices, distribution of elements, checks.
 *
 * Every rank draws the same random numbers, so that all know each case; only rank 0 has all elements.
 */
#ifndef SCANRT_TESTS_MPI_GROUP_H
#define SCANRT_TESTS_MPI_GROUP_H

#include <scanrt/scan_mpi.h>

#include "values.h"

enum { GROUP_MOST_RANKS = 64, GROUP_MOST_CONTEXTS = 192, GROUP_SKIPPED = 77, GROUP_SET_MOST = 3 };

typedef struct group {
  scan_ctx *ctx; /* on $SCANRT_TEST_DEVICE; on the host with one thread */
  scan_mpi *mpi;
  int rank, ranks;
  unsigned long ran, failed;
} group;

/** Starts MPI, unless the program has, and opens the device. Ends the program with 77 if there is no device. */
void group_open(group *g, int *argc, char ***argv);

/** Ends MPI. Returns 1 on all ranks if a check failed on any rank or none ran, else 0. */
int group_close(group *g, const char *name);

/** Counts a check of this rank, and prints the text to standard error if it failed. Returns `holds`. */
int group_check(group *g, int holds, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Calls scan_mpi_run_args with an input and an output. */
scan_status group_run(group *g, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out);

/** Checks that a scan of a thousand ones a rank is right, and that it leaves the last error as it was. */
void group_check_works(group *g, scan_mpi *mpi, const char *after);

/** Makes a context of the device, NULL: of $SCANRT_TEST_DEVICE; on the host with one thread. Ends the program if that
 * fails: with 77 if the device is missing. */
scan_ctx *group_context(group *g, const char *device);

/** Contexts of this rank, alternately of the device and of the host. Rank r has 1 + (r + 1) % 3 of them. */
typedef struct group_set {
  group *g;
  scan_ctx *ctxs[GROUP_SET_MOST];
  int count;  /**< Contexts of this rank. */
  int before; /**< Contexts of the ranks before. */
  int all;
  scan_mpi *mpi;
} group_set;
int group_set_count(int rank);
void group_open_set(group_set *s, group *g);
void group_close_set(group_set *s);

/** Checks that a call returned `due` and that its error text is from rank `who`; is_context: from its last context, if
 * it has several. */
void group_check_words(const group_set *s, const char *what, scan_status status, scan_status due, int who,
                       int is_context, const char *words);

/** Distributes n elements over ranks or contexts in one of the ways of case_cut. */
void group_split(int members, struct rng *rng, uint64_t n, uint64_t unit, uint64_t *counts);

/** Returns this rank's part of rank 0's elements, with `room` bytes of poison behind it; the caller frees it. */
void *group_scatter(const group *g, const void *all, const uint64_t *counts, uint64_t item_bytes, size_t room);

/** Gathers the parts of all ranks, one after another, on rank 0. */
void group_gather(const group *g, const void *part, const uint64_t *counts, uint64_t item_bytes, void *all);

/** Collects a number from each rank on all ranks. */
void group_collect(const group *g, uint64_t own, uint64_t *all);

/** Returns memory with these bytes: host memory, or an allocation of the device, whose size the library knows.
 * group_read_back frees it. */
scan_mem group_give(group *g, void *bytes, uint64_t count, int on_device);

/** Reads the bytes back and frees device memory. */
void group_read_back(group *g, scan_mem mem, void *bytes, uint64_t count);

/** Like group_give, for a context that is not the group's own. */
scan_mem group_give_to(group *g, scan_ctx *ctx, void *bytes, uint64_t count, int on_device);
/** Like group_read_back, for a context that is not the group's own. */
void group_read_back_from(group *g, scan_ctx *ctx, scan_mem mem, void *bytes, uint64_t count);

/** Calls malloc, and ends the program if it fails. */
void *group_allocate(uint64_t bytes);

#endif
