/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cub_select.h @brief What cub.cu and cub_select.cu share. */
#ifndef SCANRT_PEERS_CUB_SELECT_H
#define SCANRT_PEERS_CUB_SELECT_H

#include <cuda_runtime_api.h>

#include "../cli/peer.h"

/** Forwards a result as 0 or -1 and keeps its words for the peer's last_error. */
int cub_check(cudaError_t result, const char *call);

/** CUB's compaction. */
extern const bench_peer_select cub_select_peer;

#endif
