/* SPDX-License-Identifier: BSD-2-Clause */
/** @file expansion.h @brief A breadth-first search on OpenCL and CUDA of one launch a level, for bfs.c. */
#ifndef SCANRT_EXAMPLE_EXPANSION_H
#define SCANRT_EXAMPLE_EXPANSION_H

#include "graph.h"
#include "kernels.h"

typedef struct expansion expansion;

/** Memory of the device. */
typedef struct expansion_memory {
  scan_mem offset, neighbour; /**< The graph. */
  scan_mem level;             /**< expansion_level_bytes; result, as graph_search's. */
  scan_mem queue;             /**< `vertices` numbers: result, the vertices reached, by level and number. */
} expansion_memory;

/** Bytes of memory for levels. */
uint64_t expansion_level_bytes(uint32_t vertices);

/** Compiles kernels and records levels. @param[out] made  destroy with expansion_destroy, before ctx. @return 0, or -1
 * after saying what failed */
int expansion_create(scan_ctx *ctx, const graph *g, uint32_t source, const expansion_memory *memory, expansion **made);

/** Searches. Waits to learn whether a frontier is empty. @param state  an expansion. @return 0, or -1 after saying what
 * failed: also if a work-group waited in vain for another one */
int expansion_run(void *state);

/** Destroys it. NULL is accepted. */
void expansion_destroy(expansion *e);

#endif
