/* SPDX-License-Identifier: BSD-2-Clause */
/** @file figures.h @brief Times of steps, and how they are printed. */
#ifndef SCANRT_EXAMPLE_FIGURES_H
#define SCANRT_EXAMPLE_FIGURES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FIGURES_MOST_ROUNDS = 101, FIGURES_REPEATS = 10 /**< Steps in a round on a device. */ };

/** Returns the seconds of a monotonic clock. */
double figures_now(void);

/** A step to time. Functions return 0; another value ends the rounds. */
typedef struct figures_subject {
  int (*step)(void *state); /**< May return before its work is done. */
  int (*wait)(void *state); /**< Waits for the step's work; NULL: `step` does. */
  void *state;
  int repeats; /**< Steps in a round, which share one wait; more than 1 for short steps. */
} figures_subject;

/**
 * Times a step in `rounds` rounds after an untimed one.
 * @param rounds        1 to FIGURES_MOST_ROUNDS.
 * @param[out] seconds  of a step: the median over rounds of the round's time divided by its steps.
 * @return 0, or the value that a function returned
 */
int figures_time(const figures_subject *subject, int rounds, double *seconds);

/**
 * Prints a step's time and its rate beside that of a copy.
 * @param bytes      that it must read and write; 0: not printed.
 * @param copy_rate  bytes a second that a copy reads and writes; 0: not printed.
 */
void figures_print(const char *what, double seconds, double bytes, double copy_rate);

/** Parses an option's whole number from low to high. @return 0, or -1 after reporting the fault */
int figures_number(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t *number);

/** An option of a program: a whole number, or a flag. */
typedef struct figures_option {
  const char *name;
  uint64_t *value;    /**< Gets the number; of a flag 1. */
  uint64_t low, high; /**< Range of the number; 0, 0: a flag. */
} figures_option;

/**
 * Parses a command line.
 * @param usage      what follows the program's name in a message.
 * @param options    ends with one without a name.
 * @param[out] path  an argument that is no option; NULL: there is none.
 * @return 0, or -1 after reporting the fault
 */
int figures_parse(int argc, char **argv, const char *usage, const figures_option *options, const char **path);

#ifdef __cplusplus
}
#endif
#endif
