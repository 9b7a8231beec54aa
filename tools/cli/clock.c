/* SPDX-License-Identifier: BSD-2-Clause */
/** @file clock.c @brief The monotonic clock. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <time.h>

double cli_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
