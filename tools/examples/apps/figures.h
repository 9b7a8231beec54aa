/* SPDX-License-Identifier: BSD-2-Clause */
/** @file figures.h @brief Times of steps, and how they are printed. */
#ifndef SCANRT_EXAMPLE_FIGURES_H
#define SCANRT_EXAMPLE_FIGURES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FIGURES_MOST_ROUNDS = 101, FIGURES_REPEATS = 10 /**< Of steps on a device. */ };

/** A clock. @return seconds */
double figures_now(void);

/** What is timed. Functions return 0, or not 0, which ends the rounds. */
typedef struct figures_subject {
  int (*step)(void *state); /**< May return before its work is done. */
  int (*wait)(void *state); /**< Returns when all is done; NULL: step does. */
  void *state;
  int repeats; /**< Steps a round, which share one wait: of what is short, more than 1. */
} figures_subject;

/**
 * Times a step, `rounds` times after one round that is not timed.
 * @param rounds        1 to FIGURES_MOST_ROUNDS.
 * @param[out] seconds  of a step: the median of the rounds, each divided by its steps.
 * @return 0, or what a function returned
 */
int figures_time(const figures_subject *subject, int rounds, double *seconds);

/**
 * Prints a step's time, and the bytes that it must move beside a copy.
 * @param bytes      read and written; 0: they are not printed.
 * @param copy_rate  bytes a second, read and written, of a copy; 0: not printed.
 */
void figures_print(const char *what, double seconds, double bytes, double copy_rate);

/** A number of an option: whole, of low to high. @return 0, or -1 after saying what is wrong */
int figures_number(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t *number);

#ifdef __cplusplus
}
#endif
#endif
