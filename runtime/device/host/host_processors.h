/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_HOST_PROCESSORS_H
#define SCANRT_HOST_PROCESSORS_H

/* Returns the number of processors that this process may keep busy: those of its affinity mask, or fewer if its control
 * group (version 2) limits its time; at least 1. */
unsigned scan_host_processor_count(void);

/* Returns the limit of the control group `path` ("/a/b") and its ancestors in whole processors, rounded up; 0 if none
 * has a limit. `root` is where control groups are mounted. */
unsigned scan_host_quota(const char *root, const char *path);

#endif
