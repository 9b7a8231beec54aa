/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bfs.c
 * @brief Breadth-first search with all frontiers on the device: scans and compaction between two kernels of the
 * application, on the host, OpenCL and CUDA from one source.
 *
 * Usage: bfs [FILE | --random VERTICES] [--source VERTEX] [--rounds N]. By default it starts at vertex 0 of the graph
 * in tools/examples/data/, from the repository's folder. A level is
 *
 * 1. `count_edges`: writes the number of edges of each vertex in the frontier, and 0 past the frontier's end;
 * 2. an exclusive scan of these numbers: the begin of each vertex's edges, and their total;
 * 3. `visit`: one work-item an edge finds its vertex by bisection, and marks the neighbour if it is not marked yet;
 * 4. scan_select by these marks: reads the number of edges from the scan's output; writes the next frontier, and its
 *    size to where step 1 reads it.
 *
 * The host passes no numbers, so that a level is always the same calls, and on CUDA a graph. The host reads the size of
 * the frontier once in LEVELS_A_LOOK levels, since a level with an empty frontier changes nothing. On OpenCL and CUDA a
 * second search takes one launch a level (expansion.h). Levels are checked against the plain loop with a queue. Exit
 * status: 0 they are right; 1 they are wrong, or a call failed; 77 there is no such device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_select.h>

#include "expansion.h"
#include "figures.h"
#include "graph.h"
#include "kernels.h"

enum { LEVELS_A_LOOK = 4, DEFAULT_ROUNDS = 9, MOST_VERTICES = 1 << 26, CANNOT = 77 };

APP_KERNELS(
    text,
    APP_KERNEL void start(APP_GLOBAL uint32_t *level, APP_GLOBAL uint32_t *frontier, APP_GLOBAL uint64_t *frontier_size,
                          APP_GLOBAL uint32_t *now, uint32_t vertices, uint32_t source) {
      for (uint32_t v = APP_ITEM; v < vertices; v += APP_ITEMS) level[v] = v == source ? 0u : 0xffffffffu;
      if (APP_ITEM == 0u) {
        frontier[0] = source;
        frontier_size[0] = 1u;
        now[0] = 0u;
      }
    }

    APP_KERNEL void count_edges(APP_GLOBAL const uint32_t *offset, APP_GLOBAL const uint32_t *frontier,
                                APP_GLOBAL const uint64_t *frontier_size, APP_GLOBAL uint32_t *degree,
                                APP_GLOBAL uint32_t *now, uint32_t vertices) {
      const uint32_t size = (uint32_t)frontier_size[0];
      for (uint32_t i = APP_ITEM; i <= vertices; i += APP_ITEMS)
        degree[i] = i < size ? offset[frontier[i] + 1u] - offset[frontier[i]] : 0u;
      if (APP_ITEM == 0u) now[0]++;
    }

    /* Finds the last vertex from `low` on whose edges begin at e or before. It is often the next one if one
     * work-item does all. */
    APP_FUNCTION uint32_t vertex_of(APP_GLOBAL const uint64_t *begin, uint32_t low, uint32_t size, uint32_t e) {
      uint32_t high = size;
      if (low + 1u == size || begin[low + 1u] > e) return low;
      low++;
      if (low + 1u < size && begin[low + 1u] > e) return low;
      while (high - low > 1u) {
        const uint32_t middle = low + (high - low) / 2u;
        if (begin[middle] > e)
          high = middle;
        else
          low = middle;
      }
      return low;
    }

    APP_KERNEL void visit(APP_GLOBAL const uint32_t *offset, APP_GLOBAL const uint32_t *neighbour,
                          APP_GLOBAL const uint32_t *frontier, APP_GLOBAL const uint64_t *frontier_size,
                          APP_GLOBAL const uint64_t *begin, APP_GLOBAL const uint32_t *now, APP_GLOBAL uint32_t *level,
                          APP_GLOBAL uint32_t *candidate, APP_GLOBAL unsigned char *is_new, uint32_t vertices) {
      const uint32_t edges = (uint32_t)begin[vertices];
      const uint32_t size = (uint32_t)frontier_size[0];
      uint32_t at = 0u;
      for (uint32_t e = APP_ITEM; e < edges; e += APP_ITEMS) {
        at = vertex_of(begin, at, size, e);
        const uint32_t to = neighbour[offset[frontier[at]] + (e - (uint32_t)begin[at])];
        candidate[e] = to;
        is_new[e] = level[to] == 0xffffffffu && APP_SWAP(&level[to], 0xffffffffu, now[0]) == 0xffffffffu;
      }
    });

static void start_on_host(void *const *a) { start(a[0], a[1], a[2], a[3], *(uint32_t *)a[4], *(uint32_t *)a[5]); }
static void count_edges_on_host(void *const *a) { count_edges(a[0], a[1], a[2], a[3], a[4], *(uint32_t *)a[5]); }
static void visit_on_host(void *const *a) {
  visit(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], *(uint32_t *)a[9]);
}

enum { START, COUNT_EDGES, VISIT, KERNELS };
static const app_kernel kernels[KERNELS] = { { "start", start_on_host },
                                             { "count_edges", count_edges_on_host },
                                             { "visit", visit_on_host } };

enum { OFFSET, NEIGHBOUR, LEVEL, NOW, FRONTIER, FRONTIER_SIZE, DEGREE, BEGIN, CANDIDATE, IS_NEW, MEMORIES };

typedef struct search {
  scan_ctx *ctx;
  const graph *g;
  uint32_t source;
  scan_mem memory[MEMORIES];
  scan_plan *sum, *compact;
  app_kernels *kernels;
  app_sequence *level;
  expansion *one_launch; /* a level; NULL on the host */
} search;

static int check(const search *s, scan_status status) {
  if (status == SCAN_SUCCESS) return 0;
  fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(s->ctx));
  return status == SCAN_NO_DEVICE ? CANNOT : -1;
}

/* ---- a search: allocates nothing; the host waits only to read the frontier's size -------------------------------- */

#define MEMORY(which)                                                                                                  \
  { .memory = s->memory[which] }

static int enqueue_start(search *s) {
  const app_argument arguments[] = {
    MEMORY(LEVEL),          MEMORY(FRONTIER), MEMORY(FRONTIER_SIZE), MEMORY(NOW), { .number = s->g->vertices },
    { .number = s->source }
  };
  return app_kernels_launch(s->kernels, START, s->g->vertices, arguments, 6);
}

static int enqueue_count(search *s) {
  const app_argument arguments[] = { MEMORY(OFFSET), MEMORY(FRONTIER), MEMORY(FRONTIER_SIZE),
                                     MEMORY(DEGREE), MEMORY(NOW),      { .number = s->g->vertices } };
  return app_kernels_launch(s->kernels, COUNT_EDGES, s->g->vertices, arguments, 6);
}

static int enqueue_visit(search *s) {
  const app_argument arguments[] = {
    MEMORY(OFFSET), MEMORY(NEIGHBOUR), MEMORY(FRONTIER),  MEMORY(FRONTIER_SIZE), MEMORY(BEGIN),
    MEMORY(NOW),    MEMORY(LEVEL),     MEMORY(CANDIDATE), MEMORY(IS_NEW),        { .number = s->g->vertices }
  };
  return app_kernels_launch(s->kernels, VISIT, s->g->edges, arguments, 10);
}

static scan_mem edge_count(const search *s) {
  return scan_offset(s->memory[BEGIN], (uint64_t)s->g->vertices * sizeof(uint64_t));
}

static int enqueue_level(void *state) {
  search *s = state;
  scan_select_args args =
      SCAN_SELECT_ARGS_INIT(s->memory[IS_NEW], s->memory[CANDIDATE], s->memory[FRONTIER], s->memory[FRONTIER_SIZE]);
  args.capacity = s->g->vertices;
  args.n_from = edge_count(s);
  if (enqueue_count(s) != 0) return -1;
  if (check(s, scan_plan_run(s->sum, (uint64_t)s->g->vertices + 1, s->memory[DEGREE], s->memory[BEGIN])) != 0)
    return -1;
  if (enqueue_visit(s) != 0) return -1;
  return check(s, scan_plan_run_select(s->compact, s->g->edges, &args));
}

static int read_number(search *s, scan_mem from, uint64_t *number) {
  return check(s, scan_read(s->ctx, from, number, sizeof *number));
}

static int run_search(void *state) {
  search *s = state;
  uint64_t size = 1;
  int rc = enqueue_start(s);
  while (rc == 0 && size > 0) {
    for (int i = 0; i < LEVELS_A_LOOK && rc == 0; i++) rc = app_sequence_run(s->level);
    if (rc == 0) rc = read_number(s, s->memory[FRONTIER_SIZE], &size);
  }
  return rc;
}

/* Runs a search that reads and prints the frontier's size after each level. */
static int run_watched(search *s) {
  uint64_t size = 1, next = 0, edges = 0;
  int rc = enqueue_start(s);
  if (rc == 0) rc = check(s, scan_sync(s->ctx));
  for (int level = 0; rc == 0 && size > 0; level++, size = next) {
    const double begin = figures_now();
    rc = app_sequence_run(s->level);
    if (rc == 0) rc = read_number(s, s->memory[FRONTIER_SIZE], &next);
    const double seconds = figures_now() - begin;
    if (rc == 0) rc = read_number(s, edge_count(s), &edges);
    if (rc == 0)
      printf("  level %2d: %9" PRIu64 " vertices, %10" PRIu64 " edges %9.3f ms\n", level, size, edges, seconds * 1e3);
  }
  return rc;
}

/* ---- setup ------------------------------------------------------------------------------------------------------- */

static scan_status make_memory(search *s) {
  const uint64_t n = s->g->vertices, edges = s->g->edges;
  const uint64_t bytes[MEMORIES] = {
    [OFFSET] = 4 * (n + 1),
    [NEIGHBOUR] = 4 * edges,
    [LEVEL] = expansion_level_bytes(s->g->vertices),
    [NOW] = 4,
    [FRONTIER] = 4 * n,
    [FRONTIER_SIZE] = 8,
    [DEGREE] = 4 * (n + 1),
    [BEGIN] = 8 * (n + 1),
    [CANDIDATE] = 4 * edges,
    [IS_NEW] = edges,
  };
  scan_status status = SCAN_SUCCESS;
  for (int i = 0; i < MEMORIES && status == SCAN_SUCCESS; i++) status = app_alloc(s->ctx, bytes[i], &s->memory[i]);
  if (status == SCAN_SUCCESS) status = scan_write(s->ctx, s->memory[OFFSET], s->g->offset, bytes[OFFSET]);
  if (status == SCAN_SUCCESS) status = scan_write(s->ctx, s->memory[NEIGHBOUR], s->g->neighbour, bytes[NEIGHBOUR]);
  return status;
}

static scan_status make_plans(search *s) {
  scan_spec sum = SCAN_SPEC_INIT(SCAN_U64, SCAN_ADD, SCAN_EXCLUSIVE);
  const scan_select_spec compact = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(uint32_t));
  sum.input_type = SCAN_U32;
  const scan_status status = scan_plan_create(s->ctx, &sum, (uint64_t)s->g->vertices + 1, &s->sum);
  return status == SCAN_SUCCESS ? scan_plan_create_select(s->ctx, &compact, s->g->edges, &s->compact) : status;
}

static int search_open(search *s) {
  const int rc = check(s, scan_ctx_create(NULL, &s->ctx));
  if (rc != 0) return rc;
  if (check(s, make_memory(s)) != 0 || check(s, make_plans(s)) != 0) return -1;
  if (app_kernels_create(s->ctx, text, kernels, KERNELS, &s->kernels) != 0) return -1;
  return app_sequence_create(s->kernels, enqueue_level, s, &s->level);
}

/* The second search writes its queue to the frontier's memory. */
static int search_open_second(search *s) {
  const expansion_memory memory = { s->memory[OFFSET], s->memory[NEIGHBOUR], s->memory[LEVEL], s->memory[FRONTIER] };
  return expansion_create(s->ctx, s->g, s->source, &memory, &s->one_launch);
}

static void search_close(search *s) {
  expansion_destroy(s->one_launch);
  app_sequence_destroy(s->level);
  app_kernels_destroy(s->kernels);
  scan_plan_destroy(s->compact);
  scan_plan_destroy(s->sum);
  for (int i = 0; i < MEMORIES; i++) app_free(s->ctx, s->memory[i]);
  scan_ctx_destroy(s->ctx);
}

/* ---- the check and the figures ----------------------------------------------------------------------------------- */

typedef struct plain_loop {
  const graph *g;
  uint32_t source, reached;
  uint32_t *level, *queue;
} plain_loop;

static int run_plain_loop(void *state) {
  plain_loop *p = state;
  p->reached = graph_search(p->g, p->source, p->level, p->queue);
  return 0;
}

/* Counts the edges of the vertices that were reached. */
static uint64_t edges_seen(const plain_loop *p) {
  uint64_t edges = 0;
  for (uint32_t i = 0; i < p->reached; i++) edges += p->g->offset[p->queue[i] + 1] - p->g->offset[p->queue[i]];
  return edges;
}

static int compare_levels(search *s, const uint32_t *want) {
  const size_t bytes = (size_t)s->g->vertices * sizeof *want;
  uint32_t *got = malloc(bytes);
  int rc = got ? check(s, scan_read(s->ctx, s->memory[LEVEL], got, bytes)) : -1;
  for (uint32_t v = 0; v < s->g->vertices && rc == 0; v++) {
    if (got[v] == want[v]) continue;
    fprintf(stderr, "vertex %" PRIu32 " is at level %" PRIu32 ", expected %" PRIu32 "\n", v, got[v], want[v]);
    rc = -1;
  }
  free(got);
  return rc;
}

/* Checks that the second search's queue has the vertices reached, by level and number. */
static int check_queue(search *s, const plain_loop *p) {
  const size_t bytes = (size_t)p->reached * sizeof(uint32_t);
  uint32_t *got = malloc(bytes);
  int rc = got ? check(s, scan_read(s->ctx, s->memory[FRONTIER], got, bytes)) : -1;
  for (uint32_t i = 0; i < p->reached && rc == 0; i++) {
    const uint32_t v = got[i], before = i > 0 ? got[i - 1] : v;
    if (v < s->g->vertices && p->level[v] != GRAPH_UNSEEN &&
        (i == 0 || p->level[v] > p->level[before] || (p->level[v] == p->level[before] && v > before)))
      continue;
    fprintf(stderr, "place %" PRIu32 " of the queue has vertex %" PRIu32 " after %" PRIu32 "\n", i, v, before);
    rc = -1;
  }
  free(got);
  return rc;
}

static void print_rate(const char *what, double seconds, uint64_t edges) {
  printf("  %-32s %10.3f ms %10.3f GTEPS\n", what, seconds * 1e3, (double)edges / seconds * 1e-9);
}

static int run_second(search *s, const plain_loop *loop, int rounds, double four_steps) {
  double seconds = 0;
  const figures_subject levels = { expansion_run, NULL, s->one_launch, 1 };
  int rc = expansion_run(s->one_launch);
  if (rc == 0) rc = compare_levels(s, loop->level);
  if (rc == 0) rc = check_queue(s, loop);
  if (rc == 0) rc = figures_time(&levels, rounds, &seconds);
  if (rc == 0) rc = compare_levels(s, loop->level);
  if (rc == 0) rc = check_queue(s, loop);
  if (rc != 0) return rc;
  print_rate("all levels, one launch each", seconds, edges_seen(loop));
  printf("  one launch a level is %.2f times as fast as four steps\n", four_steps / seconds);
  return 0;
}

static int run_all(search *s, plain_loop *loop, int rounds) {
  scan_device_info device = SCAN_DEVICE_INFO_INIT;
  double seconds = 0, loop_seconds = 0;
  const figures_subject plain = { run_plain_loop, NULL, loop, 1 }, all_levels = { run_search, NULL, s, 1 };
  (void)figures_time(&plain, 1, &loop_seconds);
  int rc = search_open(s);
  if (rc == 0) rc = check(s, scan_ctx_device(s->ctx, &device));
  if (rc == 0) rc = run_search(s);
  if (rc == 0) rc = compare_levels(s, loop->level);
  if (rc != 0) return rc;
  printf("%" PRIu32 " vertices reached on %s (%s), at the levels of the plain loop\n", loop->reached, device.selector,
         device.name);
  rc = run_watched(s);
  if (rc == 0) rc = figures_time(&all_levels, rounds, &seconds);
  if (rc == 0) rc = compare_levels(s, loop->level);
  if (rc != 0) return rc;
  print_rate("all levels, four steps each", seconds, edges_seen(loop));
  if (device.backend != SCAN_BACKEND_HOST) {
    rc = search_open_second(s);
    if (rc == 0) rc = run_second(s, loop, rounds, seconds);
  }
  print_rate("plain loop, one host thread", loop_seconds, edges_seen(loop));
  return rc;
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

typedef struct options {
  const char *path;
  uint64_t vertices, source, rounds;
} options;

static int parse(int argc, char **argv, options *o) {
  *o = (options){ .path = "tools/examples/data/facebook_combined.txt", .rounds = DEFAULT_ROUNDS };
  const figures_option all[] = { { "--random", &o->vertices, 1, MOST_VERTICES },
                                 { "--source", &o->source, 0, MOST_VERTICES },
                                 { "--rounds", &o->rounds, 1, FIGURES_MOST_ROUNDS },
                                 { .name = NULL } };
  return figures_parse(argc, argv, "[FILE | --random VERTICES] [--source VERTEX] [--rounds N]", all, &o->path);
}

static int make_graph(const options *o, graph *g) {
  const int rc = o->vertices > 0 ? graph_random((uint32_t)o->vertices, g) : graph_read(o->path, g);
  if (rc != 0) return rc;
  printf("%s: %" PRIu32 " vertices, %" PRIu32 " directed edges\n", o->vertices > 0 ? "random graph" : o->path,
         g->vertices, g->edges);
  if (o->source < g->vertices) return 0;
  fprintf(stderr, "there is no vertex %" PRIu64 "\n", o->source);
  return -1;
}

int main(int argc, char **argv) {
  options o;
  graph g = { 0 };
  int rc = parse(argc, argv, &o);
  if (rc == 0) rc = make_graph(&o, &g);
  search s = { .g = &g, .source = (uint32_t)o.source };
  plain_loop loop = { .g = &g, .source = (uint32_t)o.source };
  if (rc == 0) {
    loop.level = malloc((size_t)g.vertices * sizeof(uint32_t));
    loop.queue = malloc((size_t)g.vertices * sizeof(uint32_t));
    rc = loop.level && loop.queue ? run_all(&s, &loop, (int)o.rounds) : -1;
    search_close(&s);
  }
  free(loop.level);
  free(loop.queue);
  graph_free(&g);
  return rc < 0 ? EXIT_FAILURE : rc;
}
