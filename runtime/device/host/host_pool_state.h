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

struct host_pool {
  pthread_mutex_t lock;
  pthread_cond_t wake;
  host_helper *helpers; /* numbers (`thread_index`) 1 to `wanted` */
  unsigned wanted, started;

  /* Changed under `lock`: */
  _Atomic unsigned places; /* helpers that may still join the task; helpers poll it */
  unsigned busy;           /* helpers that have joined and not left */
  int closing;
  host_pool_work *work;
  void *task;
  host_signal is_left; /* the last helper has left */

  _Atomic uint64_t ticket;  /* the next piece */
  _Atomic unsigned surplus; /* helpers that are to leave before the task is done */
  host_chain chain;

  /* Used by the caller's thread alone: */
  host_pace pace;
  host_watch watch;
  unsigned limit;      /* threads that the task may have */
  uint64_t stopped_ns; /* end of the last task, if pace.threads is below pace.most */
};

/* Notes that the caller's thread has waited for a helper. */
void scan_host_pool_waited(host_thread *caller, uint64_t waited_ns);

#endif
