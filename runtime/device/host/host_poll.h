/* SPDX-License-Identifier: BSD-2-Clause */
/* Polling by threads that are about to sleep. */
#ifndef SCANRT_HOST_POLL_H
#define SCANRT_HOST_POLL_H

#include <stdatomic.h>
#include <stdint.h>

/* Returns when the value is at least `least`, or after as long as falling asleep and waking up take. */
void scan_host_poll(const _Atomic uint32_t *value, uint32_t least);

/* Returns the value when it is 0, or after as long as a thread that is slightly ahead waits for another one. */
uint32_t scan_host_poll_zero(const _Atomic uint32_t *value);

#endif
