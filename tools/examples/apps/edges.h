/* SPDX-License-Identifier: BSD-2-Clause */
/** @file edges.h @brief A list of edges from a file: one edge "u v" a line. */
#ifndef SCANRT_EXAMPLE_EDGES_H
#define SCANRT_EXAMPLE_EDGES_H

#include <stdint.h>

typedef struct edge {
  uint32_t from, to;
} edge;

typedef struct edge_list {
  edge *edges;
  uint64_t count;
  uint32_t vertices; /**< One more than the largest vertex number. */
} edge_list;

/** Reads a file. @param[out] list  free with edges_free. @return 0, or -1 after reporting the fault */
int edges_read(const char *path, edge_list *list);

/** Frees a list; a zero-initialised one is accepted. */
void edges_free(edge_list *list);

#endif
