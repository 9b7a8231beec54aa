/* SPDX-License-Identifier: BSD-2-Clause */
/** @file graph.h @brief A graph as lists of neighbours, and a plain breadth-first search. */
#ifndef SCANRT_EXAMPLE_GRAPH_H
#define SCANRT_EXAMPLE_GRAPH_H

#include <stdint.h>

enum { GRAPH_DEGREE = 16 /**< Edges from each vertex of a random graph. */ };
#define GRAPH_UNSEEN UINT32_MAX /**< Level of a vertex that was not reached. */

typedef struct graph {
  uint32_t vertices;
  uint32_t edges;      /**< Number of directed edges. */
  uint32_t *offset;    /**< vertices + 1: the begin of each vertex's neighbours. */
  uint32_t *neighbour; /**< `edges` */
} graph;

/** Reads undirected edges, stored in both directions. @param[out] made  free with graph_free. @return 0, or -1 after
 * reporting the fault */
int graph_read(const char *path, graph *made);

/** Makes GRAPH_DEGREE edges from each vertex to random vertices, the same in each run. @return as graph_read */
int graph_random(uint32_t vertices, graph *made);

/** Frees a graph; a zero-initialised one is accepted. */
void graph_free(graph *g);

/**
 * Searches with a queue.
 * @param[out] level  `vertices` numbers: length of the shortest path from the source, or GRAPH_UNSEEN.
 * @param queue       memory for `vertices` numbers.
 * @return number of vertices reached; queue holds them in order
 */
uint32_t graph_search(const graph *g, uint32_t source, uint32_t *level, uint32_t *queue);

#endif
