/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_HOST_PROCESSORS_H
#define SCANRT_HOST_PROCESSORS_H

/* Processors that this process may keep busy: those of its affinity mask, or fewer where its control group (version 2)
 * gets less of their time; at least 1. */
unsigned scan_host_processor_count(void);

/* The time that the control group `path` ("/a/b") and those around it get, in whole processors, rounded up; 0 where
 * none of them has a limit. `root` is where control groups are mounted. */
unsigned scan_host_quota(const char *root, const char *path);

#endif
