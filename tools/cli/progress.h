/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file progress.h
 * @brief A progress line on standard error, once a command has run for two seconds.
 *
 * Nothing is shown, and no thread is started, unless standard error is a terminal; nor with --quiet.
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
  double drawn; /**< When the line was drawn last; 0: it is not there. */
  _Atomic uint64_t done;
  sem_t stop;
  int is_threaded; /**< 1: a thread draws; */
  int is_timed;    /**< 1: progress_set does. */
  pthread_t thread;
} progress;

/** Shows no progress from now on. */
void progress_hide(void);

/** Starts a stage. A thread draws its line. @param total units of the whole stage; 0: not known, units done and time
 *  are shown */
void progress_begin(progress *p, const char *label, uint64_t total);

/** Starts a stage whose line is drawn by progress_set alone: measurements have no other thread beside them. */
void progress_begin_timed(progress *p, const char *label, uint64_t total);

/** Says how many units of the stage are done. Cheap; may be called often. */
void progress_set(progress *p, uint64_t done);

/** Ends the stage and erases its line. */
void progress_end(progress *p);

#endif
