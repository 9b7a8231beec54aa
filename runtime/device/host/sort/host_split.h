/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of a split or a histogram that read all keys, in place of kernels_cl/sort/sort.cl's sort_count,
 * sort_digits and sort_move; the other kernels are that file's. The digits of a block of keys are computed at once,
 * then counted in several tables in turn, or moved: a thread fills a line of keys and one of values for each digit in
 * its cache, and writes whole lines, past the caches if there is much to write. */
#ifndef SCANRT_HOST_SPLIT_H
#define SCANRT_HOST_SPLIT_H

#include "device/host/sort/host_sort.h"

typedef struct host_split_task host_split_task;
typedef struct host_split_scratch host_split_scratch;

typedef struct host_split {
  void (*tile)(host_split_task *task, uint32_t tile, host_split_scratch *scratch); /* NULL: the kernel is another one */
  uint32_t key_bytes;
} host_split;

host_split scan_host_split_find(const scan_kernel_key *key);

/* Processes the keys of `tiles` tiles. */
void scan_host_split_run(const host_sort_crew *crew, const host_split *how, uint32_t tiles,
                         const scan_kernel_args *args);

#endif
