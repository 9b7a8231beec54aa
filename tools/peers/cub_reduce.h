/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cub_reduce.h @brief Declarations of cub_reduce.cu. */
#ifndef SCANRT_PEERS_CUB_REDUCE_H
#define SCANRT_PEERS_CUB_REDUCE_H

#include "../cli/peer.h"

/** CUB's sums. */
extern const bench_peer_reduce cub_reduce_peer;

#endif
