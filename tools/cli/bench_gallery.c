/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_gallery.c @brief The columns of `scanrt bench --gallery`: work and span beside Snir's bound, networks of
 * 16 inputs and rates of an A100 beside published ones, and the time of a block. */
#include "bench_networks.h"
#include "bench_scan.h"

/** Inputs of the networks that the literature draws, and lanes of a warp in them. */
enum { INPUTS = 16, LANES = 4 };

/** Bytes a second of a copy by an A100: 0.87 of 2.04 TB/s (tools/doc/measurements/scans.md, "An A100, on paper"). */
#define A100_COPY 1775e9

/** Published figures of a strategy; 0: none. */
typedef struct published {
  uint64_t depth, size; /**< Those of a network of 16 inputs. */
  double a100;          /**< Bytes a second of an A100. */
} published;

/* tools/doc/measurements/textbook.md has their sources. */
static const published figures[] = {
  [SCAN_STRATEGY_SEQUENTIAL] = { .a100 = 10e9 },
  [SCAN_STRATEGY_LOOKBACK] = { .a100 = 1620e9 },
  [SCAN_STRATEGY_HILLIS_STEELE] = { .depth = 4, .size = 49, .a100 = 85e9 },
  [SCAN_STRATEGY_BLELLOCH] = { .a100 = 120e9 },
  [SCAN_STRATEGY_THREE_PASS] = { .a100 = 820e9 },
  [SCAN_STRATEGY_LOOKBACK_CLASSIC] = { .a100 = 1480e9 },
  [SCAN_STRATEGY_SKLANSKY] = { .depth = 4, .size = 36 },
  [SCAN_STRATEGY_BRENT_KUNG] = { .depth = 5, .size = 37 },
  [SCAN_STRATEGY_RAKING] = { .depth = 9, .size = 29 },
};

static void fill_published(const published *figure, bench_row *row) {
  if (figure->size) {
    row->published_depth = figure->depth;
    row->published_size = figure->size;
  }
  if (figure->a100 > 0) {
    row->a100 = figure->a100;
    row->a100_ratio = figure->a100 / A100_COPY;
  }
}

void bench_gallery_fill(const bench_entry *s, bench_row *row) {
  const double bound = 2 * (double)row->n - 2;
  bench_network network;
  if (bound > 0) row->bound_ratio = (double)(s->work + s->span) / bound;
  if (bench_network_count(s->strategy, INPUTS, LANES, &network)) {
    row->network_depth = network.depth;
    row->network_size = network.size;
    row->network_sum = network.depth + network.size;
  }
  if ((size_t)s->strategy < sizeof figures / sizeof figures[0]) fill_published(&figures[s->strategy], row);
  if (!s->tiles) return;
  const uint64_t units = s->bench->info.compute_units;
  row->block_items = s->tile_items;
  row->block = row->median * (double)(s->tiles < units ? s->tiles : units) / (double)s->tiles;
}
