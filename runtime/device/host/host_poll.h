/* SPDX-License-Identifier: BSD-2-Clause */
/* Polling by threads that are about to sleep. */
#ifndef SCANRT_HOST_POLL_H
#define SCANRT_HOST_POLL_H

#include <stdatomic.h>

/* Returns when the value is not 0, or after as long as falling asleep and waking up take. */
void scan_host_poll(const _Atomic unsigned *value);

/* Tells the processor that the thread is polling. */
void scan_host_pause(void);

#endif
