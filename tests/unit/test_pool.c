/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the host backend's threads: each piece is claimed once, chunks are folded in order by any thread, and helpers
 * that leave finish what they have claimed. */
#include "device/host/host_pool.h"
#include "device/host/host_chain.h"
#include "device/host/host_pool_state.h"
#include "support.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST_THREADS = 16, PIECES = 3000, ROUNDS = 4 };

/* ---- the threads' work ---- */

typedef struct task {
  host_pool *pool;
  uint64_t pieces;
  unsigned ahead;                         /* chunks that a thread claims before it folds the first of them: 0 or 1 */
  int dismisses_helpers;                  /* 1: the caller sends helpers away, once */
  unsigned before, after;                 /* the pool's threads before and after that */
  uint64_t running;                       /* the prefix: the sum of the numbers of the folded chunks */
  uint64_t next;                          /* the chunk to fold next */
  _Atomic unsigned faults;                /* folds out of order, wrong prefixes, thread indices in use twice */
  _Atomic unsigned at_work[MOST_THREADS]; /* threads of each index */
  _Atomic unsigned char done[PIECES];
} task;

typedef struct chunk {
  host_link link;
  uint64_t before;
} chunk;

static void fold(void *work, host_link *link) {
  task *t = work;
  chunk *c = (void *)link;
  if (link->number != t->next) atomic_fetch_add(&t->faults, 1);
  c->before = t->running;
  t->running += link->number;
  t->next++;
}

/* Yields the processor now and then, so that other threads run first. */
static void stumble(uint64_t number) {
  if (number * 2654435761u % 7 == 0) (void)sched_yield();
}

static void finish(task *t, const chunk *c) {
  const uint64_t n = c->link.number;
  if (c->before != n * (n - 1) / 2 && n != 0) atomic_fetch_add(&t->faults, 1);
  atomic_fetch_add(&t->done[n], 1);
}

static void enter(task *t, const host_thread *me) {
  if (me->thread_index >= MOST_THREADS || atomic_fetch_add(&t->at_work[me->thread_index], 1) != 0)
    atomic_fetch_add(&t->faults, 1);
}

static void leave(task *t, const host_thread *me) { atomic_fetch_sub(&t->at_work[me->thread_index], 1); }

/* Reports a wait of the caller that is long enough to send helpers away. */
static void send_away(task *t, host_thread *me) {
  if (me->thread_index != 0 || !t->dismisses_helpers) return;
  t->dismisses_helpers = 0;
  t->before = me->pool->pace.threads;
  scan_host_pool_waited(me, UINT64_C(1000000000));
  t->after = me->pool->pace.threads;
}

static void pass_chunks(void *work, host_thread *me) {
  task *t = work;
  chunk c;
  enter(t, me);
  int has_chunk = scan_host_claim(me, t->pieces, &c.link.number);
  while (has_chunk) {
    uint64_t next = c.link.number;
    if (t->ahead) has_chunk = scan_host_claim(me, t->pieces, &next);
    stumble(c.link.number);
    scan_host_chain_pass(me, fold, t, &c.link);
    if (me->claims > 5) send_away(t, me);
    finish(t, &c);
    if (!t->ahead) has_chunk = scan_host_claim(me, t->pieces, &next);
    c.link.number = next;
  }
  send_away(t, me);
  leave(t, me);
}

static void do_pieces(void *work, host_thread *me) {
  task *t = work;
  enter(t, me);
  for (uint64_t i; scan_host_claim(me, t->pieces, &i);) {
    stumble(i);
    if (me->claims > 5) send_away(t, me);
    atomic_fetch_add(&t->done[i], 1);
  }
  send_away(t, me);
  leave(t, me);
}

/* ---- runs ---- */

static void run(task *t, unsigned threads, host_pool_work *work, const char *what) {
  host_pool *const pool = t->pool;
  const task asked = {
    .pool = pool, .pieces = t->pieces, .ahead = t->ahead, .dismisses_helpers = t->dismisses_helpers
  };
  *t = asked;
  scan_host_pool_run(pool, threads, work, t);
  for (uint64_t i = 0; i < PIECES; i++)
    if (t->done[i] != (i < t->pieces))
      test_fail("%s: piece %llu is done %u times", what, (unsigned long long)i, t->done[i]);
  if (t->faults != 0) test_fail("%s: %u faults", what, t->faults);
  for (unsigned i = 0; i < MOST_THREADS; i++)
    if (t->at_work[i] != 0) test_fail("%s: thread %u is still at work", what, i);
  test_ran();
}

static void run_each(task *t, unsigned threads) {
  static const uint64_t pieces[] = { 0, 1, 2, 3, 17, 1000, PIECES };
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
    t->pieces = pieces[i];
    t->ahead = 0;
    run(t, threads, do_pieces, "pieces");
    run(t, threads, pass_chunks, "chunks");
    t->ahead = 1;
    run(t, threads, pass_chunks, "chunks, two at a time");
  }
}

static void test_pieces_and_chunks(void **state) {
  static const unsigned threads[] = { 1, 2, 3, MOST_THREADS };
  task *t = calloc(1, sizeof *t);
  (void)state;
  assert_non_null(t);
  for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
    t->pool = scan_host_pool_create(threads[i]);
    assert_non_null(t->pool);
    for (int round = 0; round < ROUNDS; round++) run_each(t, round % 2 ? threads[i] : MOST_THREADS);
    scan_host_pool_destroy(t->pool);
  }
  free(t);
}

/* Helpers leave during a task; the next task begins with fewer threads. */
static void test_helpers_leave(void **state) {
  static const unsigned threads[] = { 2, 3, MOST_THREADS };
  task *t = calloc(1, sizeof *t);
  (void)state;
  assert_non_null(t);
  t->pieces = PIECES;
  for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
    t->pool = scan_host_pool_create(threads[i]);
    assert_non_null(t->pool);
    for (int round = 0; round < ROUNDS; round++) {
      t->dismisses_helpers = 1;
      t->ahead = round % 2 != 0;
      run(t, threads[i], round % 3 == 0 ? do_pieces : pass_chunks, "helpers that leave");
      if (t->before > 1 ? t->after >= t->before : t->after != 1) test_fail("%u threads after %u", t->after, t->before);
    }
    scan_host_pool_destroy(t->pool);
  }
  free(t);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_pieces_and_chunks), TEST(test_helpers_leave) };
  return test_exit(cmocka_run_group_tests_name("unit.pool", tests, NULL, NULL));
}
