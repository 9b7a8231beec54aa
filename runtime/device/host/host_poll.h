/* SPDX-License-Identifier: BSD-2-Clause */
/* Polling by threads that are about to sleep. */
#ifndef SCANRT_HOST_POLL_H
#define SCANRT_HOST_POLL_H

#include <stdatomic.h>
#include <stdint.h>

/* Returns when the value is at least `least`, or after as long as falling asleep and waking up take. */
void scan_host_poll(const _Atomic uint32_t *value, uint32_t least);

#endif
