/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_networks.c @brief Executes the networks of kernels_cl/textbook/ on depths in place of values, and
 * counts.
 */
#include "bench_networks.h"

enum { RADIX = 4 };

/** A tile being scanned: the depth of each value. */
typedef struct tile {
  unsigned inputs, lanes;
  uint64_t x[BENCH_NETWORK_MOST];
  uint64_t size;
} tile;

static uint64_t combine(tile *t, uint64_t before, uint64_t here) {
  t->size++;
  return (before > here ? before : here) + 1;
}

/** Scans `count` values by doubling. */
static void double_steps(tile *t, uint64_t *x, unsigned count) {
  for (unsigned d = 1; d < count; d *= 2)
    for (unsigned i = count - 1; i >= d; i--) x[i] = combine(t, x[i - d], x[i]);
}

static void hillis_steele(tile *t) { double_steps(t, t->x, t->inputs); }

static void blelloch(tile *t) {
  uint64_t *x = t->x;
  for (unsigned d = 1; d < t->inputs; d *= 2)
    for (unsigned right = 2 * d - 1; right < t->inputs; right += 2 * d) x[right] = combine(t, x[right - d], x[right]);
  x[t->inputs - 1] = 0;
  for (unsigned d = t->inputs / 2; d > 0; d /= 2)
    for (unsigned right = 2 * d - 1; right < t->inputs; right += 2 * d) {
      const uint64_t left = x[right - d], before = x[right];
      x[right - d] = before;
      x[right] = combine(t, before, left);
    }
  for (unsigned i = 0; i < t->inputs; i++) x[i] = combine(t, x[i], 0);
}

static void subgroup(tile *t) {
  const unsigned warps = t->inputs / t->lanes;
  uint64_t total[BENCH_NETWORK_MOST];
  for (unsigned w = 0; w < warps; w++) {
    double_steps(t, t->x + w * t->lanes, t->lanes);
    total[w] = t->x[w * t->lanes + t->lanes - 1];
  }
  double_steps(t, total, warps);
  for (unsigned i = 0; i < t->inputs; i++) t->x[i] = combine(t, i < t->lanes ? 0 : total[i / t->lanes - 1], t->x[i]);
}

static void sklansky(tile *t) {
  for (unsigned half = 1; half < t->inputs; half *= 2)
    for (unsigned i = 0; i < t->inputs; i++)
      if (i & half) t->x[i] = combine(t, t->x[(i & ~(half - 1)) - 1], t->x[i]);
}

/** Scans a level of a Brent-Kung network, and the levels above it. */
static void scan_level(tile *t, uint64_t *x, unsigned count) {
  uint64_t total[BENCH_NETWORK_MOST / RADIX];
  for (unsigned i = 0; i < count; i += RADIX) double_steps(t, x + i, count < RADIX ? count : RADIX);
  if (count <= RADIX) return;
  for (unsigned r = 0; r < count / RADIX; r++) total[r] = x[r * RADIX + RADIX - 1];
  scan_level(t, total, count / RADIX);
  for (unsigned i = RADIX; i < count; i++) x[i] = combine(t, total[i / RADIX - 1], x[i]);
}

static void brent_kung(tile *t) { scan_level(t, t->x, t->inputs); }

static void raking(tile *t) {
  const unsigned segment = t->inputs / t->lanes;
  uint64_t fold[BENCH_NETWORK_MOST];
  for (unsigned l = 0; l < t->lanes; l++) {
    fold[l] = t->x[l * segment];
    for (unsigned k = 1; k < segment; k++) {
      fold[l] = combine(t, fold[l], t->x[l * segment + k]);
      if (l == 0) t->x[k] = fold[l];
    }
  }
  double_steps(t, fold, t->lanes);
  for (unsigned i = segment; i < t->inputs; i++)
    t->x[i] = combine(t, i % segment == 0 ? fold[i / segment - 1] : t->x[i - 1], t->x[i]);
}

int bench_network_count(scan_strategy strategy, unsigned inputs, unsigned lanes, bench_network *network) {
  static void (*const networks[])(tile *) = {
    [SCAN_STRATEGY_HILLIS_STEELE] = hillis_steele,
    [SCAN_STRATEGY_BLELLOCH] = blelloch,
    [SCAN_STRATEGY_BLELLOCH_PADDED] = blelloch,
    [SCAN_STRATEGY_SUBGROUP] = subgroup,
    [SCAN_STRATEGY_SKLANSKY] = sklansky,
    [SCAN_STRATEGY_BRENT_KUNG] = brent_kung,
    [SCAN_STRATEGY_RAKING] = raking,
  };
  tile t = { .inputs = inputs, .lanes = lanes };
  if ((unsigned)strategy >= sizeof networks / sizeof networks[0] || !networks[strategy]) return 0;
  networks[strategy](&t);
  *network = (bench_network){ .depth = 0, .size = t.size };
  for (unsigned i = 0; i < inputs; i++)
    if (t.x[i] > network->depth) network->depth = t.x[i];
  return 1;
}
