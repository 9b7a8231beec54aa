/* SPDX-License-Identifier: BSD-2-Clause */
/* How many threads work on a pool's tasks. Where other programs run, a thread that has claimed a piece of work may not
 * be running while the caller waits for that piece. The caller compares what it waited with the work that the other
 * threads did for it, and takes fewer threads where they do not pay; after some time it tries more again. Pure
 * functions of measurements. */
#ifndef SCANRT_HOST_PACE_H
#define SCANRT_HOST_PACE_H

#include <stdint.h>

typedef struct host_pace {
  unsigned most;     /* threads of the pool, the caller's among them */
  unsigned threads;  /* that tasks use at present; from 1 to `most` */
  uint64_t debt_ns;  /* running time that passes before more threads are tried */
  uint64_t share;    /* of what the next loss costs in debt: twice as much after each try that failed */
  uint64_t clean_ns; /* running time with all threads since the last loss */
} host_pace;

/* A sample of the caller's thread, from the task's start or the last change of `threads`. */
typedef struct host_pace_sample {
  uint64_t elapsed_ns;
  uint64_t waited_ns; /* of elapsed_ns: the caller waited for another thread's piece, in `waits` waits */
  uint64_t waits;
  uint64_t own_pieces, other_pieces; /* that the caller claimed, and that the other threads did */
} host_pace_sample;

/* Begins with all threads. */
void scan_host_pace_open(host_pace *pace, unsigned most);

/* The nanoseconds that the caller lost by the other threads; 0: they pay. */
uint64_t scan_host_pace_lost(const host_pace_sample *sample);

/* Takes fewer threads, and defers the next try in proportion to what was lost. */
void scan_host_pace_slow(host_pace *pace, uint64_t lost_ns);

/* Notes running time with no loss. Returns 1 where it makes up for what was lost: there are more threads now. */
int scan_host_pace_run(host_pace *pace, uint64_t running_ns);

/* Notes time between tasks, an eighth of which counts as running time: after seconds of it the machine is another. */
void scan_host_pace_idle(host_pace *pace, uint64_t idle_ns);

#endif
