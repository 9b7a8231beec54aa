/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_networks.h @brief Depth and size of the networks by which textbook scans scan a tile. */
#ifndef SCANRT_CLI_BENCH_NETWORKS_H
#define SCANRT_CLI_BENCH_NETWORKS_H

#include <stdint.h>

#include <scanrt/scan_types.h>

/** Most inputs of a network. */
enum { BENCH_NETWORK_MOST = 1024 };

/** A prefix network. With n inputs depth + size is at least 2n - 2 (Snir, "Depth-Size Trade-offs for Parallel Prefix
 * Computation", 1986). */
typedef struct bench_network {
  uint64_t depth; /**< The longest chain of applications up to a result. */
  uint64_t size;  /**< Applications of the operator. */
} bench_network;

/** Counts an inclusive scan of a tile by a strategy's kernel, step by step as the kernel makes it.
 * @param inputs  elements of the tile: a power of two up to BENCH_NETWORK_MOST
 * @param lanes  lanes of a warp
 * @return 1, or 0 if the strategy has no network of its own */
int bench_network_count(scan_strategy strategy, unsigned inputs, unsigned lanes, bench_network *network);

#endif
