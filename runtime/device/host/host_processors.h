/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_HOST_PROCESSORS_H
#define SCANRT_HOST_PROCESSORS_H

#include <pthread.h>

/* Returns the number of processors that this process may keep busy: those of its affinity mask, or fewer if its control
 * group (version 2) limits its time; at least 1. */
unsigned scan_host_processor_count(void);

/* Returns the limit of the control group `path` ("/a/b") and its ancestors in whole processors, rounded up; 0 if none
 * has a limit. `root` is where control groups are mounted. */
unsigned scan_host_quota(const char *root, const char *path);

/* Returns the number of the processor that the calling thread runs on; -1 if it is unknown. */
int scan_host_processor_current(void);

/* Keeps a thread off a processor: it runs on the others of the calling thread's affinity mask. Does nothing if there
 * are none. */
void scan_host_processor_avoid(pthread_t thread, int processor);

#endif
