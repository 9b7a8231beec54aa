/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file progress.h
 * @brief A progress bar on standard error for work that takes longer than half a second.
 *
 * Nothing is shown, and no thread is started, unless standard error is a terminal.
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
  _Atomic uint64_t done;
  sem_t stop;
  int running;
  pthread_t thread;
} progress;

/** Starts a stage. @param total units of the whole stage; 0: not known, units done and time are shown. */
void progress_begin(progress *p, const char *label, uint64_t total);

/** Says how many units of the stage are done. Cheap; may be called often. */
void progress_set(progress *p, uint64_t done);

/** Ends the stage and erases its line. */
void progress_end(progress *p);

#endif
