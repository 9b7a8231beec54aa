/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for another thread: by polling for a short time, then asleep, so that the processor is free for the awaited
 * thread or for another program. */
#ifndef SCANRT_HOST_WAIT_H
#define SCANRT_HOST_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

/* A signal that one thread gives and one other thread waits for. */
typedef _Atomic uint32_t host_signal;

/* Initialises the signal as not given. Call it before any other thread sees the signal. */
void scan_host_signal_open(host_signal *signal);

/* Gives the signal and wakes the waiting thread. The signal's memory may be gone once that thread continues. */
void scan_host_signal_give(host_signal *signal);

/* Returns when the signal has been given, with the nanoseconds waited; 0: it was given during the first polls. */
uint64_t scan_host_signal_wait(host_signal *signal);

/* Reads a monotonic clock, in nanoseconds. */
uint64_t scan_host_now_ns(void);

#endif
