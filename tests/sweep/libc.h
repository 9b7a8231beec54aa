/* SPDX-License-Identifier: BSD-2-Clause */
/** @file libc.h @brief The C library's calls that are made to fail, of a program that is linked with --wrap. */
#ifndef SCANRT_TESTS_SWEEP_LIBC_H
#define SCANRT_TESTS_SWEEP_LIBC_H

#include "sweep/fault.h"

/** malloc and its like; pthread_create; what the cache of programs and the host backend do with files. */
extern fault_plan libc_memory, libc_threads, libc_files;

/** What there is now: allocations, open files and folders, threads that nobody has joined. */
typedef struct libc_counts {
  long blocks, files, threads;
} libc_counts;

libc_counts libc_live(void);

#endif
