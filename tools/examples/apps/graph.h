/* SPDX-License-Identifier: BSD-2-Clause */
/** @file graph.h @brief A graph by its vertices' neighbours, and the plain breadth-first search of it. */
#ifndef SCANRT_EXAMPLE_GRAPH_H
#define SCANRT_EXAMPLE_GRAPH_H

#include <stdint.h>

enum { GRAPH_DEGREE = 16 /**< Edges from each vertex of a random graph. */ };
#define GRAPH_UNSEEN UINT32_MAX /**< The level of a vertex that is not reached. */

typedef struct graph {
  uint32_t vertices;
  uint32_t edges;      /**< Directed ones. */
  uint32_t *offset;    /**< vertices + 1: where the neighbours of each begin. */
  uint32_t *neighbour; /**< `edges` */
} graph;

/** Reads undirected edges, both directions of each. @param[out] made  free with graph_free. @return 0 or -1, with words
 */
int graph_read(const char *path, graph *made);

/** GRAPH_DEGREE edges from each vertex to vertices by chance, the same in each run. @return as graph_read */
int graph_random(uint32_t vertices, graph *made);

/** A graph that is zero is accepted. */
void graph_free(graph *g);

/**
 * The loop with a queue.
 * @param[out] level  `vertices`: edges on the shortest way from the source, or GRAPH_UNSEEN.
 * @param queue       memory for as many vertices.
 * @return vertices that were reached; queue has them in their order
 */
uint32_t graph_search(const graph *g, uint32_t source, uint32_t *level, uint32_t *queue);

#endif
