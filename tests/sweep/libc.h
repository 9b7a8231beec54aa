/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file libc.h
 * @brief C library calls that are made to fail, in a program linked with --wrap.
 */
#ifndef SCANRT_TESTS_SWEEP_LIBC_H
#define SCANRT_TESTS_SWEEP_LIBC_H

#include "sweep/fault.h"

/** The plans of malloc and the like, of pthread_create, and of the file functions that the cache and the host backend
 * call. */
extern fault_plan libc_memory, libc_threads, libc_files;

/** Live objects: allocations, open files and folders, threads that are not joined. */
typedef struct libc_counts {
  long blocks, files, threads;
} libc_counts;

libc_counts libc_live(void);

#endif
