/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for another thread: a short time by polls, then asleep, so that the processor is free for the thread that is
 * waited for, or for another program. */
#ifndef SCANRT_HOST_WAIT_H
#define SCANRT_HOST_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

/* A signal that one thread gives and one other thread waits for. */
typedef _Atomic uint32_t host_signal;

/* Makes the signal one that has not been given. Before any other thread knows of it. */
void scan_host_signal_open(host_signal *signal);

/* Gives the signal and wakes the thread that waits. The signal's memory may be gone once the waiting thread goes on. */
void scan_host_signal_give(host_signal *signal);

/* Returns when the signal has been given: the nanoseconds that were waited; 0: it was there within the first polls. */
uint64_t scan_host_signal_wait(host_signal *signal);

/* Nanoseconds of a clock that is never set. */
uint64_t scan_host_now_ns(void);

#endif
