/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_graph.c @brief CUDA graphs of many calls. */
#include "bench_cuda_api.h"
#include "cli.h"

#include <stdlib.h>

/* Relaxed: what other threads and peers do with the driver meanwhile is not refused. */
enum { CAPTURE_RELAXED = 2 };

struct bench_graph {
  bench_cuda *cuda;
  struct CUgraphExec_st *exec;
};

/** Captures the calls. The capture is ended also where a call failed. @param[out] captured NULL after a failure */
static int capture(bench_cuda *cuda, uint64_t calls, int (*record_call)(void *state, uint64_t i), void *state,
                   struct CUgraph_st **captured) {
  int rc = bench_cuda_check(cuda, "cuStreamBeginCapture", cuda->api.capture_begin(cuda->stream, CAPTURE_RELAXED));
  if (rc != CLI_OK) return rc;
  for (uint64_t i = 0; i < calls && rc == CLI_OK; i++) rc = record_call(state, i);
  int result = cuda->api.capture_end(cuda->stream, captured);
  if (rc == CLI_OK) rc = bench_cuda_check(cuda, "cuStreamEndCapture", result);
  if (rc != CLI_OK && *captured) {
    (void)cuda->api.graph_destroy(*captured);
    *captured = NULL;
  }
  return rc;
}

int bench_graph_record(bench_cuda *cuda, uint64_t calls, int (*record_call)(void *state, uint64_t i), void *state,
                       bench_graph **recorded) {
  struct CUgraph_st *captured = NULL;
  bench_graph *graph = calloc(1, sizeof *graph);
  if (!graph) return cli_fail("no memory for a graph");
  graph->cuda = cuda;
  int rc = capture(cuda, calls, record_call, state, &captured);
  if (rc != CLI_OK) goto free_graph;
  rc = bench_cuda_check(cuda, "cuGraphInstantiate", cuda->api.graph_instantiate(&graph->exec, captured, 0));
  (void)cuda->api.graph_destroy(captured);
  if (rc != CLI_OK) goto free_graph;
  *recorded = graph;
  return CLI_OK;
free_graph:
  free(graph);
  return rc;
}

int bench_graph_launch(bench_graph *graph) {
  bench_cuda *cuda = graph->cuda;
  return bench_cuda_check(cuda, "cuGraphLaunch", cuda->api.graph_launch(graph->exec, cuda->stream));
}

void bench_graph_destroy(bench_graph *graph) {
  if (!graph) return;
  (void)graph->cuda->api.exec_destroy(graph->exec);
  free(graph);
}
