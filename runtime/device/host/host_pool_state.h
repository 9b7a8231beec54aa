/* SPDX-License-Identifier: BSD-2-Clause */
/* The members of a pool, for host_pool.c and host_chain.c. */
#ifndef SCANRT_HOST_POOL_STATE_H
#define SCANRT_HOST_POOL_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/host/host_chain.h"
#include "device/host/host_pace.h"
#include "device/host/host_pool.h"
#include "device/host/host_wait.h"

typedef _Atomic(host_link *) host_slot;

/* The published chunks of a task. */
typedef struct host_chain {
  host_slot *slots; /* chunk i is in slot i & mask; two or more for each thread */
  uint64_t mask;
  _Atomic uint64_t turn;    /* the next chunk to fold */
  _Atomic uint32_t is_held; /* 1: a thread is folding */
} host_chain;

typedef struct host_helper {
  pthread_t thread;
  host_pool *pool;
  unsigned thread_index;
} host_helper;

/* A sample of the caller's thread: its waiting time, and the pieces that it and all threads claimed. */
typedef struct host_watch {
  uint64_t begin_ns; /* of the sample */
  uint64_t noted_ns; /* running time up to here has been noted */
  uint64_t waited_ns, waits;
  uint64_t own_before, all_before; /* pieces claimed before the sample */
} host_watch;

/* The crew of a task: helpers at work in the lowest bits, CREW_IS_AWAITED if the caller waits for them to leave, and
 * from CREW_PLACE on the number of helpers that may still join. */
enum { CREW_AT_WORK = 0x7fff, CREW_IS_AWAITED = 0x8000, CREW_PLACE = 0x10000, CREW_MOST_HELPERS = 0x7fff };

/* Members that different threads write lie in different lines of the cache. */
enum { HOST_POOL_LINE = 64 };

struct host_pool {
  /* Read and written at the beginning and the end of each task. Helpers poll `crew`. */
  _Alignas(HOST_POOL_LINE) _Atomic uint32_t crew;
  host_signal is_left;       /* the last helper has left an awaited crew */
  _Atomic unsigned sleepers; /* helpers that wait for `wake`; changed under `lock` */
  host_pool_work *work;      /* read by helpers that have joined */
  void *task;

  _Alignas(HOST_POOL_LINE) _Atomic uint64_t ticket; /* the next piece */
  _Atomic unsigned surplus;                         /* helpers that are to leave before the task is done */

  _Alignas(HOST_POOL_LINE) host_chain chain;

  /* Used by the caller's thread alone: */
  _Alignas(HOST_POOL_LINE) host_pace pace;
  host_watch watch;
  unsigned limit;      /* threads that the task may have */
  uint64_t stopped_ns; /* end of the last task, if pace.threads is below pace.most */

  int processor; /* that helpers are kept off; -1: none */

  host_helper *helpers; /* numbers (`thread_index`) 1 to `wanted` */
  unsigned wanted, started;

  pthread_mutex_t lock;
  pthread_cond_t wake;
  int closing; /* changed under `lock` */
};

/* Notes that the caller's thread has waited for a helper. */
void scan_host_pool_waited(host_thread *caller, uint64_t waited_ns);

#endif
