/* SPDX-License-Identifier: BSD-2-Clause */
/** @file figures.h @brief Times of steps, and how they are printed. */
#ifndef SCANRT_EXAMPLE_FIGURES_H
#define SCANRT_EXAMPLE_FIGURES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FIGURES_MOST_ROUNDS = 101 };

/** A clock. @return seconds */
double figures_now(void);

/**
 * Calls step(state) `rounds` times, after one call that is not timed.
 * @param step     returns when its work is done: 0, or not 0, which ends the rounds.
 * @param rounds   1 to FIGURES_MOST_ROUNDS.
 * @param[out] seconds  the median of the times.
 * @return 0, or what step returned
 */
int figures_time(int (*step)(void *state), void *state, int rounds, double *seconds);

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
