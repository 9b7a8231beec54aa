/* SPDX-License-Identifier: BSD-2-Clause */
#include "edges.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 256 };
static const uint32_t MOST_VERTICES = UINT32_C(1) << 28;

/* Makes room for one more edge. */
static int grow(edge_list *list, uint64_t *capacity) {
  if (list->count < *capacity) return 0;
  const uint64_t wanted = *capacity ? 2 * *capacity : 1024;
  edge *more = realloc(list->edges, (size_t)wanted * sizeof *more);
  if (!more) {
    fprintf(stderr, "no memory for %" PRIu64 " edges\n", wanted);
    return -1;
  }
  list->edges = more;
  *capacity = wanted;
  return 0;
}

static int parse(const char *text, edge *e) {
  char *end;
  const unsigned long long u = strtoull(text, &end, 10);
  if (end == text) return -1;
  text = end;
  const unsigned long long v = strtoull(text, &end, 10);
  if (end == text || u >= MOST_VERTICES || v >= MOST_VERTICES) return -1;
  *e = (edge){ (uint32_t)u, (uint32_t)v };
  return 0;
}

static int read_lines(FILE *file, const char *path, edge_list *list) {
  char text[LINE_BYTES];
  uint64_t capacity = 0;
  while (fgets(text, sizeof text, file)) {
    if (grow(list, &capacity) != 0) return -1;
    edge *e = &list->edges[list->count];
    if (parse(text, e) != 0) {
      fprintf(stderr, "%s:%" PRIu64 ": not an edge \"u v\" of numbers below 2^28\n", path, list->count + 1);
      return -1;
    }
    const uint32_t last = e->from > e->to ? e->from : e->to;
    if (last >= list->vertices) list->vertices = last + 1;
    list->count++;
  }
  if (list->count > 0 && !ferror(file)) return 0;
  fprintf(stderr, "%s: no edges, or not readable\n", path);
  return -1;
}

int edges_read(const char *path, edge_list *list) {
  *list = (edge_list){ 0 };
  FILE *file = fopen(path, "r");
  if (!file) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return -1;
  }
  const int rc = read_lines(file, path, list);
  fclose(file);
  if (rc != 0) edges_free(list);
  return rc;
}

void edges_free(edge_list *list) {
  free(list->edges);
  *list = (edge_list){ 0 };
}
