/* SPDX-License-Identifier: BSD-2-Clause */
/** @file progress.c @brief A thread draws the bar, so that it also moves during one long call. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 32, TICK_NANOSECONDS = 100000000, NANOSECONDS = 1000000000 };
static const double DELAY_SECONDS = 0.5;

static void draw(progress *p, double elapsed) {
  uint64_t done = atomic_load(&p->done);
  char bar[BAR_WIDTH + 1];
  double part = p->total ? (double)done / (double)p->total : 0;
  int full = (int)(part * BAR_WIDTH);
  for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i < full ? '#' : '.';
  bar[BAR_WIDTH] = '\0';
  if (p->total)
    fprintf(stderr, "\r%-12s [%s] %3.0f %% %5.1f s", p->label, bar, 100 * part, elapsed);
  else
    fprintf(stderr, "\r%-12s %10" PRIu64 " %5.1f s", p->label, done, elapsed);
  fflush(stderr);
}

/** Waits one tick. @return 1 when the stage has ended meanwhile */
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
  int drawn = 0;
  while (!wait_for_stop(p)) {
    double elapsed = cli_seconds() - p->begun;
    if (elapsed < DELAY_SECONDS) continue;
    draw(p, elapsed);
    drawn = 1;
  }
  if (drawn) fputs("\r\033[K", stderr);
  return NULL;
}

void progress_begin(progress *p, const char *label, uint64_t total) {
  p->label = label;
  p->total = total;
  p->begun = cli_seconds();
  p->running = 0;
  atomic_init(&p->done, 0);
  if (!isatty(STDERR_FILENO) || sem_init(&p->stop, 0, 0) != 0) return;
  /* Without a thread there is no bar, and the work goes on. */
  p->running = pthread_create(&p->thread, NULL, draw_until_stopped, p) == 0;
  if (!p->running) sem_destroy(&p->stop);
}

void progress_set(progress *p, uint64_t done) { atomic_store_explicit(&p->done, done, memory_order_relaxed); }

void progress_end(progress *p) {
  if (!p->running) return;
  sem_post(&p->stop);
  pthread_join(p->thread, NULL);
  sem_destroy(&p->stop);
  p->running = 0;
}
