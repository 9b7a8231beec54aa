/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "edges.h"

static int graph_alloc(uint32_t vertices, uint64_t edges, graph *g) {
  *g = (graph){ .vertices = vertices, .edges = (uint32_t)edges };
  if (edges <= INT32_MAX) {
    g->offset = calloc((size_t)vertices + 1, sizeof *g->offset);
    g->neighbour = calloc((size_t)edges, sizeof *g->neighbour);
  }
  if (g->offset && g->neighbour) return 0;
  fprintf(stderr, "no memory for %" PRIu64 " edges, or more than 2^31\n", edges);
  graph_free(g);
  return -1;
}

void graph_free(graph *g) {
  free(g->offset);
  free(g->neighbour);
  *g = (graph){ 0 };
}

/* Counts degrees, adds them up, and puts each edge into its place. offset[v] ends as the begin of vertex v + 1, so
 * that all offsets are moved up by one in the end. */
static void place_edges(const edge_list *list, graph *g) {
  for (uint64_t i = 0; i < list->count; i++) {
    g->offset[list->edges[i].from]++;
    g->offset[list->edges[i].to]++;
  }
  uint32_t begin = 0;
  for (uint32_t v = 0; v < g->vertices; v++) {
    const uint32_t degree = g->offset[v];
    g->offset[v] = begin;
    begin += degree;
  }
  for (uint64_t i = 0; i < list->count; i++) {
    const edge e = list->edges[i];
    g->neighbour[g->offset[e.from]++] = e.to;
    g->neighbour[g->offset[e.to]++] = e.from;
  }
  for (uint32_t v = g->vertices; v > 0; v--) g->offset[v] = g->offset[v - 1];
  g->offset[0] = 0;
}

int graph_read(const char *path, graph *made) {
  edge_list list;
  if (edges_read(path, &list) != 0) return -1;
  const int rc = graph_alloc(list.vertices, 2 * list.count, made);
  if (rc == 0) place_edges(&list, made);
  edges_free(&list);
  return rc;
}

/* The finaliser of MurmurHash3, which scatters consecutive numbers. */
static uint32_t mixed(uint32_t x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

int graph_random(uint32_t vertices, graph *made) {
  if (graph_alloc(vertices, (uint64_t)vertices * GRAPH_DEGREE, made) != 0) return -1;
  for (uint32_t v = 0; v <= vertices; v++) made->offset[v] = v * GRAPH_DEGREE;
  for (uint32_t e = 0; e < made->edges; e++) made->neighbour[e] = (uint32_t)((uint64_t)mixed(e + 1) * vertices >> 32);
  return 0;
}

uint32_t graph_search(const graph *g, uint32_t source, uint32_t *level, uint32_t *queue) {
  uint32_t reached = 1;
  for (uint32_t v = 0; v < g->vertices; v++) level[v] = GRAPH_UNSEEN;
  level[source] = 0;
  queue[0] = source;
  for (uint32_t i = 0; i < reached; i++) {
    const uint32_t v = queue[i];
    for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++) {
      const uint32_t w = g->neighbour[e];
      if (level[w] != GRAPH_UNSEEN) continue;
      level[w] = level[v] + 1;
      queue[reached++] = w;
    }
  }
  return reached;
}
