/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/host_pool.h"

#include <stdlib.h>
#include <string.h>

#include "device/host/host_float.h"
#include "device/host/host_poll.h"
#include "device/host/host_pool_state.h"
#include "device/host/host_processors.h"

/* LOOK_CLAIMS: number of the caller's claims between two readings of the clock, while fewer threads work than allowed.
 * MOST_APART: the most helpers that are kept off the caller's processor: each takes a call of the system. */
enum { LOOK_CLAIMS = 8, MOST_APART = 7 };

static unsigned lesser(unsigned a, unsigned b) { return a < b ? a : b; }

/* ---- helpers ---- */

/* Takes a place in the task. Returns 0 if there is none. */
static int join_crew(host_pool *pool) {
  uint32_t crew = atomic_load_explicit(&pool->crew, memory_order_relaxed);
  while (crew >= CREW_PLACE)
    if (atomic_compare_exchange_weak_explicit(&pool->crew, &crew, crew - CREW_PLACE + 1, memory_order_acquire,
                                              memory_order_relaxed))
      return 1;
  return 0;
}

static void leave_crew(host_pool *pool) {
  if (atomic_fetch_sub_explicit(&pool->crew, 1, memory_order_acq_rel) == CREW_IS_AWAITED + 1)
    scan_host_signal_give(&pool->is_left);
}

/* Sleeps until there may be a place. Returns 0 if the pool is closing. The helper counts itself before it looks for a
 * place, and the caller offers places before it looks for sleepers: at least one of the two sees the other. */
static int sleep_for_place(host_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  atomic_fetch_add(&pool->sleepers, 1);
  while (atomic_load(&pool->crew) < CREW_PLACE && !pool->closing) pthread_cond_wait(&pool->wake, &pool->lock);
  atomic_fetch_sub(&pool->sleepers, 1);
  const int is_open = !pool->closing;
  pthread_mutex_unlock(&pool->lock);
  return is_open;
}

/* Returns 1 when the helper has joined a task, or 0 if the pool is closing. The next task often follows at once. */
static int next_task(host_pool *pool) {
  while (!join_crew(pool)) {
    scan_host_poll(&pool->crew, CREW_PLACE);
    if (join_crew(pool)) return 1;
    if (!sleep_for_place(pool)) return 0;
  }
  return 1;
}

static void *pool_helper(void *argument) {
  const host_helper *own = argument;
  host_pool *pool = own->pool;
  host_float creators; /* the thread inherits its creator's environment; this resets it */
  host_float_enter(&creators);
  while (next_task(pool)) {
    host_thread me = { .pool = pool, .thread_index = own->thread_index };
    pool->work(pool->task, &me);
    leave_crew(pool);
  }
  return NULL;
}

static void start_helpers(host_pool *pool) {
  while (pool->started < pool->wanted) {
    host_helper *next = &pool->helpers[pool->started];
    *next = (host_helper){ .pool = pool, .thread_index = pool->started + 1 };
    if (pthread_create(&next->thread, NULL, pool_helper, next) != 0) break;
    pool->started++;
  }
  pool->wanted = pool->started;
}

static int alloc_tables(host_pool *pool) {
  uint64_t slots = 1;
  while (slots < 2 * ((uint64_t)pool->wanted + 1)) slots *= 2;
  pool->helpers = calloc(pool->wanted + 1, sizeof *pool->helpers);
  pool->chain.slots = calloc(slots, sizeof *pool->chain.slots);
  pool->chain.mask = slots - 1;
  return pool->helpers != NULL && pool->chain.slots != NULL;
}

static void free_tables(host_pool *pool) {
  free(pool->helpers);
  free((void *)pool->chain.slots);
  free(pool);
}

host_pool *scan_host_pool_create(unsigned threads) {
  void *memory = NULL;
  if (posix_memalign(&memory, HOST_POOL_LINE, sizeof(host_pool)) != 0) return NULL;
  host_pool *pool = memset(memory, 0, sizeof *pool);
  pool->processor = -1;
  pool->wanted = threads > 1 ? lesser(threads - 1, CREW_MOST_HELPERS) : 0;
  if (!alloc_tables(pool)) {
    free_tables(pool);
    return NULL;
  }
  scan_host_pace_open(&pool->pace, pool->wanted + 1);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  return pool;
}

void scan_host_pool_destroy(host_pool *pool) {
  if (pool == NULL) return;
  pthread_mutex_lock(&pool->lock);
  pool->closing = 1;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  for (unsigned i = 0; i < pool->started; i++) pthread_join(pool->helpers[i].thread, NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->lock);
  free_tables(pool);
}

/* ---- more helpers, and fewer ---- */

/* Number of helpers that the task may have at present. */
static unsigned helpers_of(const host_pool *pool) {
  return lesser(lesser(pool->limit, pool->pace.threads) - 1, pool->wanted);
}

/* Keeps a few helpers off the caller's processor. Where no processor is idle, Linux wakes a thread there, and then it
 * waits until the caller, which does not sleep, has used its time slice. */
static void keep_apart(host_pool *pool) {
  const int processor = scan_host_processor_current();
  if (processor == pool->processor || processor < 0 || pool->started > MOST_APART) return;
  pool->processor = processor;
  for (unsigned i = 0; i < pool->started; i++) scan_host_processor_avoid(pool->helpers[i].thread, processor);
}

static void wake_sleepers(host_pool *pool, unsigned places) {
  if (atomic_load(&pool->sleepers) == 0) return;
  keep_apart(pool);
  pthread_mutex_lock(&pool->lock);
  if (places == pool->wanted)
    pthread_cond_broadcast(&pool->wake);
  else
    for (unsigned i = 0; i < places; i++) pthread_cond_signal(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
}

/* Sets the number of helpers that may still join to what is left of `helpers` by those at work. Returns the latter. */
static unsigned offer_places(host_pool *pool, unsigned helpers) {
  uint32_t crew = atomic_load_explicit(&pool->crew, memory_order_relaxed), next;
  unsigned at_work;
  do {
    at_work = crew & CREW_AT_WORK;
    next = at_work + (helpers > at_work ? helpers - at_work : 0) * CREW_PLACE;
  } while (!atomic_compare_exchange_weak(&pool->crew, &crew, next));
  return at_work;
}

/* Invites helpers, or makes some leave: those that have not joined yet do not join, others leave after their piece. */
static void invite(host_pool *pool) {
  const unsigned helpers = helpers_of(pool), at_work = offer_places(pool, helpers);
  atomic_store_explicit(&pool->surplus, at_work > helpers ? at_work - helpers : 0, memory_order_relaxed);
  if (helpers > at_work) wake_sleepers(pool, helpers - at_work);
  if (helpers > 0) start_helpers(pool);
}

/* 1 if the helper is to leave, because there are too many. */
static int leaves(host_pool *pool) {
  unsigned surplus = atomic_load_explicit(&pool->surplus, memory_order_relaxed);
  while (surplus > 0)
    if (atomic_compare_exchange_weak_explicit(&pool->surplus, &surplus, surplus - 1, memory_order_relaxed,
                                              memory_order_relaxed))
      return 1;
  return 0;
}

/* ---- measurements of the caller's thread ---- */

static void begin_sample(host_thread *caller, uint64_t now_ns) {
  host_watch *watch = &caller->pool->watch;
  watch->begin_ns = now_ns;
  watch->waited_ns = watch->waits = 0;
  watch->own_before = caller->claims;
  watch->all_before = atomic_load_explicit(&caller->pool->ticket, memory_order_relaxed);
}

static host_pace_sample sample_of(const host_thread *caller, uint64_t now_ns) {
  const host_watch *watch = &caller->pool->watch;
  const uint64_t all = atomic_load_explicit(&caller->pool->ticket, memory_order_relaxed) - watch->all_before;
  const uint64_t own = caller->claims - watch->own_before;
  return (host_pace_sample){ .elapsed_ns = now_ns - watch->begin_ns,
                             .waited_ns = watch->waited_ns,
                             .waits = watch->waits,
                             .own_pieces = own,
                             .other_pieces = all - own };
}

static void note_gain(const host_thread *caller, uint64_t now_ns) {
  const host_pace_sample sample = sample_of(caller, now_ns);
  caller->pool->pace.gained_ns += scan_host_pace_gained(&sample);
}

/* Dismisses helpers that do not pay. */
static void judge_helpers(host_thread *caller, uint64_t now_ns) {
  host_pool *pool = caller->pool;
  const host_pace_sample sample = sample_of(caller, now_ns);
  const uint64_t lost_ns = scan_host_pace_lost(&sample);
  if (lost_ns == 0) return;
  note_gain(caller, now_ns);
  scan_host_pace_slow(&pool->pace, lost_ns);
  pool->watch.noted_ns = now_ns;
  invite(pool);
  begin_sample(caller, now_ns);
}

static void note_wait(host_thread *caller, uint64_t waited_ns, uint64_t now_ns) {
  caller->pool->watch.waited_ns += waited_ns;
  caller->pool->watch.waits++;
  judge_helpers(caller, now_ns);
}

void scan_host_pool_waited(host_thread *caller, uint64_t waited_ns) {
  note_wait(caller, waited_ns, scan_host_now_ns());
}

/* Notes running time while fewer threads work than allowed. */
static void note_running(host_thread *caller, uint64_t now_ns) {
  host_pool *pool = caller->pool;
  const int are_more = scan_host_pace_run(&pool->pace, now_ns - pool->watch.noted_ns);
  pool->watch.noted_ns = now_ns;
  if (!are_more) return;
  invite(pool);
  begin_sample(caller, now_ns);
}

unsigned scan_host_pool_threads(host_pool *pool, unsigned threads) {
  if (pool->pace.threads < pool->pace.most) {
    const uint64_t now_ns = scan_host_now_ns();
    scan_host_pace_idle(&pool->pace, now_ns - pool->stopped_ns);
    pool->stopped_ns = now_ns;
  }
  return lesser(threads, pool->pace.threads);
}

/* ---- tasks ---- */

int scan_host_claim(host_thread *me, uint64_t count, uint64_t *number) {
  host_pool *pool = me->pool;
  if (me->thread_index != 0) {
    if (leaves(pool)) return 0;
  } else if (pool->pace.threads < pool->limit && me->claims % LOOK_CLAIMS == LOOK_CLAIMS - 1) {
    note_running(me, scan_host_now_ns());
  }
  const uint64_t next = atomic_fetch_add_explicit(&pool->ticket, 1, memory_order_acq_rel);
  me->claims++;
  if (next >= count) return 0;
  *number = next;
  return 1;
}

void scan_host_pool_note_pieces(const host_thread *caller, uint64_t count) {
  atomic_fetch_add_explicit(&caller->pool->ticket, count, memory_order_relaxed);
}

/* Lets no more helpers join. Returns the number of those at work, 0 if they leave during the first polls: each write to
 * `crew` costs an exchange of its line with a helper. */
static unsigned close_crew(host_pool *pool) {
  uint32_t crew = atomic_load_explicit(&pool->crew, memory_order_acquire), next;
  while (crew >= CREW_PLACE && !atomic_compare_exchange_weak(&pool->crew, &crew, crew & CREW_AT_WORK)) {}
  crew = scan_host_poll_zero(&pool->crew);
  if (crew == 0) return 0;
  scan_host_signal_open(&pool->is_left);
  do {
    next = crew & CREW_AT_WORK;
    if (next != 0) next |= CREW_IS_AWAITED;
  } while (!atomic_compare_exchange_weak(&pool->crew, &crew, next));
  return next;
}

/* Waits for the helpers that have joined; others would find nothing left to do. Returns the time. */
static uint64_t wait_for_helpers(host_thread *caller) {
  host_pool *pool = caller->pool;
  const uint64_t waited_ns = close_crew(pool) != 0 ? scan_host_signal_wait(&pool->is_left) : 0;
  const uint64_t now_ns = scan_host_now_ns();
  pool->limit = 1; /* no helper is invited any more */
  if (waited_ns != 0)
    note_wait(caller, waited_ns, now_ns);
  else if (pool->pace.threads > 1)
    judge_helpers(caller, now_ns);
  note_gain(caller, now_ns);
  return now_ns;
}

/* Returns the time at the end. */
static uint64_t run_together(host_pool *pool, host_thread *caller, host_pool_work *work, void *task) {
  pool->work = work;
  pool->task = task;
  begin_sample(caller, pool->watch.noted_ns);
  invite(pool);
  work(task, caller);
  return wait_for_helpers(caller);
}

void scan_host_pool_run(host_pool *pool, unsigned threads, host_pool_work *work, void *task) {
  host_thread caller = { .pool = pool };
  const int is_watched = threads > 1 || pool->pace.threads < pool->pace.most;
  atomic_store_explicit(&pool->ticket, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->chain.turn, 0, memory_order_relaxed);
  pool->limit = lesser(threads, pool->pace.most);
  if (is_watched) pool->watch.noted_ns = scan_host_now_ns();
  (void)scan_host_pool_threads(pool, threads);
  if (threads > 1 && pool->wanted != 0) {
    pool->stopped_ns = run_together(pool, &caller, work, task);
  } else {
    work(task, &caller);
    if (!is_watched) return;
    pool->stopped_ns = scan_host_now_ns();
  }
  (void)scan_host_pace_run(&pool->pace, pool->stopped_ns - pool->watch.noted_ns);
}
