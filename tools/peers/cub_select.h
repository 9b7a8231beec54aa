/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cub_select.h @brief Shared declarations of cub.cu, cub_select.cu and cub_runs.cu. */
#ifndef SCANRT_PEERS_CUB_SELECT_H
#define SCANRT_PEERS_CUB_SELECT_H

#include <cstddef>

#include <cuda_runtime_api.h>

#include "../cli/peer.h"

/** Turns a result into 0 or -1 and keeps its words for the peer's last_error. */
int cub_check(cudaError_t result, const char *call);

/** A compaction of CUB. With `workspace` NULL it only sets `workspace_bytes`. */
typedef cudaError_t cub_compaction(void *workspace, size_t &workspace_bytes, const bench_select_case &what,
                                   const bench_select_memory &memory, cudaStream_t stream);

/** Returns the run-length encoding or reduction by key for a case; NULL: there is none. */
cub_compaction *cub_find_runs(const bench_select_case &what);

/** CUB's compaction. */
extern const bench_peer_select cub_select_peer;

#endif
