/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cuts.c @brief Draws distributions of a case's elements over ranks. */
#include "cuts.h"
#include "draw.h"

#include <stdlib.h>

const char *case_cuts_name(case_cuts cuts) {
  static const char *const names[CASE_CUTS_KINDS] = { "none", "even", "random", "edges", "one", "single", "few" };
  return names[cuts];
}

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/** Draws the end of a part: anywhere, or within two elements of a multiple of `unit`. */
static uint64_t draw_cut(case_draw *d, uint64_t n, uint64_t unit) {
  const uint64_t at = draw_below(d, n + 1);
  if (unit == 0) return at;
  const uint64_t near = (at + unit / 2) / unit * unit + (draw_below(d, 2) ? 2 : draw_below(d, 5));
  return near < 2 ? 0 : near - 2 > n ? n : near - 2;
}

static void cut_at_random(int parts, case_draw *d, uint64_t n, uint64_t unit, uint64_t *counts) {
  uint64_t cuts[CASE_CUTS_MOST_PARTS];
  for (int i = 0; i + 1 < parts; i++) cuts[i] = draw_cut(d, n, unit);
  qsort(cuts, (size_t)parts - 1, sizeof *cuts, compare);
  cuts[parts - 1] = n;
  for (int i = 0; i < parts; i++) counts[i] = cuts[i] - (i > 0 ? cuts[i - 1] : 0);
}

/** Gives all parts but one no element, or with `singles` one or none. */
static void starve(int parts, case_draw *d, uint64_t n, int singles, uint64_t *counts) {
  const int rich = (int)draw_below(d, (uint64_t)parts);
  uint64_t left = n;
  for (int i = 0; i < parts; i++) {
    counts[i] = singles && left > 0 ? draw_below(d, 2) : 0;
    left -= counts[i];
  }
  counts[rich] += left;
}

/** Gives the elements to a third of the parts. */
static void cut_few(int parts, case_draw *d, uint64_t n, uint64_t *counts) {
  uint64_t some[CASE_CUTS_MOST_PARTS];
  const int others = (parts + 2) / 3;
  cut_at_random(others, d, n, 0, some);
  for (int i = 0; i < parts; i++) counts[i] = 0;
  for (int i = 0, at = 0; i < others; i++) {
    at += (int)draw_below(d, (uint64_t)(parts - others - (at - i) + 1));
    counts[at++] = some[i];
  }
}

void case_cut(case_cuts cuts, uint64_t seed, int parts, uint64_t n, uint64_t unit, uint64_t *counts) {
  const uint64_t members = (uint64_t)parts;
  case_draw d = { .seed = seed };
  switch (cuts) {
  case CASE_CUTS_EDGES: cut_at_random(parts, &d, n, unit, counts); break;
  case CASE_CUTS_ONE: starve(parts, &d, n, 0, counts); break;
  case CASE_CUTS_SINGLE: starve(parts, &d, n, 1, counts); break;
  case CASE_CUTS_FEW: cut_few(parts, &d, n, counts); break;
  case CASE_CUTS_RANDOM: cut_at_random(parts, &d, n, 0, counts); break;
  default:
    for (uint64_t i = 0; i < members; i++) counts[i] = n / members + (i < n % members);
  }
}
