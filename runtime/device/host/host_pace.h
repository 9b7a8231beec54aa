/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses how many threads work on a pool's tasks. If other programs run, a thread that has claimed a piece of work may
 * be descheduled while the caller waits for that piece. The caller compares its waiting time with the work that the
 * other threads did for it, uses fewer threads if they do not pay, and tries more again after some time. Pure functions
 * of measurements. */
#ifndef SCANRT_HOST_PACE_H
#define SCANRT_HOST_PACE_H

#include <stdint.h>

typedef struct host_pace {
  unsigned most;      /* threads of the pool, the caller's among them */
  unsigned threads;   /* threads that tasks use at present, from 1 to `most` */
  uint64_t debt_ns;   /* running time that passes before more threads are tried */
  uint64_t share;     /* factor from the next loss to debt; doubles after each failed try */
  uint64_t gained_ns; /* time that the other threads saved the caller since the last loss */
} host_pace;

/* A sample of the caller's thread, since the task's start or the last change of `threads`. */
typedef struct host_pace_sample {
  uint64_t elapsed_ns;
  uint64_t waited_ns; /* part of elapsed_ns that the caller waited for other threads' pieces, in `waits` waits */
  uint64_t waits;
  uint64_t own_pieces, other_pieces; /* pieces claimed by the caller, and by the other threads */
} host_pace_sample;

/* Starts with all threads. */
void scan_host_pace_open(host_pace *pace, unsigned most);

/* Returns the nanoseconds that the caller lost because of the other threads; 0: they pay. */
uint64_t scan_host_pace_lost(const host_pace_sample *sample);

/* Returns the nanoseconds that the caller would have needed for the other threads' pieces. */
uint64_t scan_host_pace_gained(const host_pace_sample *sample);

/* Reduces the threads, and defers the next try in proportion to the loss. */
void scan_host_pace_slow(host_pace *pace, uint64_t lost_ns);

/* Notes running time without a loss. Returns 1 if it has made up for the loss: more threads work now. */
int scan_host_pace_run(host_pace *pace, uint64_t running_ns);

/* Notes time between tasks. An eighth of it counts as running time: after seconds the machine's load may have
 * changed. */
void scan_host_pace_idle(host_pace *pace, uint64_t idle_ns);

#endif
