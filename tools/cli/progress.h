/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file progress.h
 * @brief A progress line on standard error, shown once a command has run for two seconds.
 *
 * Unless standard error is a terminal, and with --quiet, nothing is shown and no thread is started.
 */
#ifndef SCANRT_CLI_PROGRESS_H
#define SCANRT_CLI_PROGRESS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

/** One stage of the work, from progress_begin to progress_end. The fields are private. */
typedef struct progress {
  const char *label;
  uint64_t total;
  double begun;
  double drawn; /**< Time when the line was last drawn; 0: it is not shown. */
  _Atomic uint64_t done;
  sem_t stop;
  int is_threaded; /**< 1: a thread draws the line. */
  int is_timed;    /**< 1: progress_set draws the line. */
  pthread_t thread;
} progress;

/** Turns progress lines off. */
void progress_hide(void);

/** Starts a stage whose line a thread draws. @param total  units of the whole stage; 0: unknown, the line then shows
 * units done and time */
void progress_begin(progress *p, const char *label, uint64_t total);

/** Starts a stage whose line only progress_set draws, so that no other thread runs beside measurements. */
void progress_begin_timed(progress *p, const char *label, uint64_t total);

/** Sets the number of units done. Cheap; may be called often. */
void progress_set(progress *p, uint64_t done);

/** Ends the stage and erases its line. */
void progress_end(progress *p);

#endif
