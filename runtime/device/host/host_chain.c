/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_chain.h"

#include "device/host/host_pool_state.h"

/* All accesses below are sequentially consistent: a thread publishes and then checks whether another one folds; that
 * one stops folding and then checks for published chunks. At least one of the two sees the other. */

static host_slot *next_slot(host_chain *chain) { return &chain->slots[atomic_load(&chain->turn) & chain->mask]; }

/* Folds all published chunks that are next. The caller holds the chain. */
static void fold_published(host_chain *chain, host_fold *fold, void *task) {
  for (;;) {
    host_slot *slot = next_slot(chain);
    host_link *link = atomic_load(slot);
    if (link == NULL) return;
    fold(task, link);
    atomic_store(slot, NULL);
    atomic_store(&chain->turn, link->number + 1);
    scan_host_signal_give(&link->is_folded);
  }
}

void scan_host_chain_pass(host_thread *me, host_fold *fold, void *task, host_link *link) {
  host_chain *chain = &me->pool->chain;
  scan_host_signal_open(&link->is_folded);
  atomic_store(&chain->slots[link->number & chain->mask], link);
  while (atomic_load(next_slot(chain)) != NULL && atomic_exchange(&chain->is_held, 1) == 0) {
    fold_published(chain, fold, task);
    atomic_store(&chain->is_held, 0);
  }
  const uint64_t waited_ns = scan_host_signal_wait(&link->is_folded);
  if (waited_ns != 0 && me->thread_index == 0) scan_host_pool_waited(me, waited_ns);
}
