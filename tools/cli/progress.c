/* SPDX-License-Identifier: BSD-2-Clause */
/** @file progress.c @brief Draws the progress line from a thread, so that it moves during one long call, too. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 32, TICK_NANOSECONDS = 100000000, NANOSECONDS = 1000000000 };
static const double DELAY_SECONDS = 2, TICK_SECONDS = 0.1;

/** The main thread sets is_hidden and first_begun before other threads run stages. */
static int is_hidden;
static double first_begun;

void progress_hide(void) { is_hidden = 1; }

static void progress_draw(progress *p) {
  const uint64_t done = atomic_load(&p->done);
  const double now = cli_seconds(), elapsed = now - p->begun;
  const double part = p->total && done < p->total ? (double)done / (double)p->total : p->total ? 1 : 0;
  char bar[BAR_WIDTH + 1];
  if (now - first_begun < DELAY_SECONDS) return;
  for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < (int)(part * BAR_WIDTH) ? '#' : '.';
  bar[BAR_WIDTH] = '\0';
  if (p->total)
    fprintf(stderr, "\r%-12s [%s] %3.0f %% %5.1f s", p->label, bar, 100 * part, elapsed);
  else if (done)
    fprintf(stderr, "\r%-12s %10" PRIu64 " %5.1f s", p->label, done, elapsed);
  else
    fprintf(stderr, "\r%-12s %5.1f s", p->label, elapsed);
  fflush(stderr);
  p->drawn = now;
}

static void erase(const progress *p) {
  if (p->drawn > 0) fputs("\r\033[K", stderr);
}

/** Waits one tick. @return 1 if the stage has ended meanwhile */
static int wait_for_stop(progress *p) {
  struct timespec until;
  int rc;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += TICK_NANOSECONDS;
  if (until.tv_nsec >= NANOSECONDS) {
    until.tv_nsec -= NANOSECONDS;
    until.tv_sec++;
  }
  while ((rc = sem_timedwait(&p->stop, &until)) != 0 && errno == EINTR) continue;
  return rc == 0;
}

static void *draw_until_stopped(void *state) {
  progress *p = (progress *)state;
  while (!wait_for_stop(p)) progress_draw(p);
  erase(p);
  return NULL;
}

/** Starts a stage. @return 1 if it is shown */
static int begin_line(progress *p, const char *label, uint64_t total) {
  p->label = label;
  p->total = total;
  p->begun = cli_seconds();
  p->drawn = 0;
  p->is_threaded = p->is_timed = 0;
  atomic_init(&p->done, 0);
  if (first_begun == 0) first_begun = p->begun;
  return !is_hidden && isatty(STDERR_FILENO);
}

void progress_begin(progress *p, const char *label, uint64_t total) {
  if (!begin_line(p, label, total) || sem_init(&p->stop, 0, 0) != 0) return;
  /* Without a thread the work continues without a line. */
  p->is_threaded = pthread_create(&p->thread, NULL, draw_until_stopped, p) == 0;
  if (!p->is_threaded) sem_destroy(&p->stop);
}

void progress_begin_timed(progress *p, const char *label, uint64_t total) { p->is_timed = begin_line(p, label, total); }

void progress_set(progress *p, uint64_t done) {
  atomic_store_explicit(&p->done, done, memory_order_relaxed);
  if (p->is_timed && cli_seconds() - p->drawn > TICK_SECONDS) progress_draw(p);
}

void progress_end(progress *p) {
  if (p->is_timed) erase(p);
  if (!p->is_threaded) return;
  sem_post(&p->stop);
  pthread_join(p->thread, NULL);
  sem_destroy(&p->stop);
  p->is_threaded = 0;
}
