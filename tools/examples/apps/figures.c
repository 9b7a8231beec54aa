/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double figures_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int run_round(const figures_subject *subject) {
  int rc = 0;
  for (int i = 0; i < subject->repeats && rc == 0; i++) rc = subject->step(subject->state);
  return rc == 0 && subject->wait ? subject->wait(subject->state) : rc;
}

int figures_time(const figures_subject *subject, int rounds, double *seconds) {
  double taken[FIGURES_MOST_ROUNDS];
  int rc = run_round(subject);
  for (int i = 0; i < rounds && rc == 0; i++) {
    const double begin = figures_now();
    rc = run_round(subject);
    taken[i] = (figures_now() - begin) / subject->repeats;
  }
  if (rc != 0) return rc;
  qsort(taken, (size_t)rounds, sizeof *taken, compare);
  *seconds = taken[rounds / 2];
  return 0;
}

void figures_print(const char *what, double seconds, double bytes, double copy_rate) {
  printf("  %-32s %10.3f ms", what, seconds * 1e3);
  if (bytes > 0) printf(" %8.1f GB/s", bytes / seconds * 1e-9);
  if (bytes > 0 && copy_rate > 0) printf(" %6.1f %% of a copy", 100 * bytes / seconds / copy_rate);
  printf("\n");
}

int figures_number(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t *number) {
  char *end = NULL;
  const unsigned long long value = text ? strtoull(text, &end, 10) : 0;
  if (text && end != text && *end == '\0' && *text != '-' && value >= low && value <= high) {
    *number = value;
    return 0;
  }
  fprintf(stderr, "%s takes a number from %" PRIu64 " to %" PRIu64 "\n", option, low, high);
  return -1;
}

int figures_parse(int argc, char **argv, const char *usage, const figures_option *options, const char **path) {
  for (int i = 1; i < argc; i++) {
    const figures_option *o = options;
    while (o->name && strcmp(argv[i], o->name) != 0) o++;
    if (!o->name && path && argv[i][0] != '-') {
      *path = argv[i];
    } else if (!o->name) {
      fprintf(stderr, "usage: %s %s\n", argv[0], usage);
      return -1;
    } else if (o->high == 0) {
      *o->value = 1;
    } else if (figures_number(o->name, argv[i + 1], o->low, o->high, o->value) == 0) {
      i++;
    } else {
      return -1;
    }
  }
  return 0;
}
