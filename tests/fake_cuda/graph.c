/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream capture and graphs. Work is checked when it is executed; a graph's work at each launch of the graph. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

enum { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED }; /* CUstreamCaptureMode */
enum { IS_CAPTURING = 1, IS_SPOILED = 2 };                      /* CUstreamCaptureStatus */

struct CUgraph_st {
  cuda_context context;
  fake_node *nodes;
  size_t count;
  struct CUgraph_st *next;
};

struct CUgraphExec_st {
  cuda_context context;
  fake_node *nodes;
  size_t count;
  struct CUgraphExec_st *next;
};

static struct CUgraph_st *graphs;
static struct CUgraphExec_st *execs;

/* ---- objects ---- */

static struct CUgraph_st *take_graph(const struct CUgraph_st *graph) {
  FAKE_TAKE(struct CUgraph_st, graphs, o == graph && o->context == fake_current());
}

static struct CUgraphExec_st *take_exec(const struct CUgraphExec_st *exec) {
  FAKE_TAKE(struct CUgraphExec_st, execs, o == exec && o->context == fake_current());
}

static struct CUgraph_st *any_graph(cuda_context c) { FAKE_TAKE(struct CUgraph_st, graphs, o->context == c); }
static struct CUgraphExec_st *any_exec(cuda_context c) { FAKE_TAKE(struct CUgraphExec_st, execs, o->context == c); }

static void free_graph(struct CUgraph_st *graph) {
  free(graph->nodes);
  free(graph);
}

static void free_exec(struct CUgraphExec_st *exec) {
  free(exec->nodes);
  free(exec);
}

unsigned fake_reclaim_graphs(cuda_context context) {
  struct CUgraph_st *graph;
  struct CUgraphExec_st *exec;
  unsigned count = 0;
  for (; (graph = any_graph(context)) != NULL; count++) free_graph(graph);
  for (; (exec = any_exec(context)) != NULL; count++) free_exec(exec);
  return count;
}

static int graph_is_live(const struct CUgraph_st *graph) {
  for (const struct CUgraph_st *g = graphs; g != NULL; g = g->next)
    if (g == graph) return g->context == fake_current();
  return 0;
}

static int exec_is_live(const struct CUgraphExec_st *exec) {
  for (const struct CUgraphExec_st *e = execs; e != NULL; e = e->next)
    if (e == exec) return e->context == fake_current();
  return 0;
}

int fake_cuda_live_graphs(void) {
  int count = 0;
  for (const struct CUgraph_st *g = graphs; g != NULL; g = g->next) count++;
  for (const struct CUgraphExec_st *e = execs; e != NULL; e = e->next) count++;
  return count;
}

/* ---- work ---- */

/* This thread's default stream. Work is executed at once, so the stream needs no state but its capture. */
static _Thread_local struct CUstream_st own_stream;

/* Returns the stream of a handle, or NULL for the legacy default stream, which cannot be captured. */
static struct CUstream_st *stream_of(cuda_stream stream) {
  if (stream == NULL || stream == CUDA_STREAM_LEGACY) return NULL;
  return stream == CUDA_STREAM_PER_THREAD ? &own_stream : stream;
}

int fake_is_capturing(cuda_stream stream) {
  const struct CUstream_st *s = stream_of(stream);
  return s != NULL && s->capture != NULL;
}

cuda_result fake_capture(cuda_stream stream, const fake_node *node) {
  struct CUgraph_st *graph = stream_of(stream)->capture;
  if (stream_of(stream)->is_spoiled) return FAKE_CAPTURE_INVALIDATED;
  fake_node *nodes = realloc(graph->nodes, (graph->count + 1) * sizeof *nodes);
  if (nodes == NULL) return CUDA_OUT_OF_MEMORY;
  graph->nodes = nodes;
  graph->nodes[graph->count++] = *node;
  return CUDA_OK;
}

cuda_result fake_execute(const fake_node *node) {
  if (node->is_fill) return fake_fill(node->to, node->value, node->bytes);
  if (node->function == NULL) return fake_copy(node->to, node->from, node->bytes);
  REQUIRE(fake_function_is_live(node->function), FAKE_INVALID_HANDLE); /* a graph may outlive its module */
  if (node->function->emulated_kernel != NULL) {
    fake.launches++;
    emulated_run(&node->grid);
    return CUDA_OK;
  }
  return fake_launch(node->function, node->groups, node->items, &node->arguments);
}

static cuda_ptr output_of(const fake_node *node) { return node->function == NULL ? node->to : node->arguments.out; }

/* 1 if FAKE_CUDA_DAMAGE_GRAPH=1 and the node writes to the output of the graph's last node. Such nodes are skipped. */
static int is_damaged(const struct CUgraphExec_st *exec, const fake_node *node) {
  const char *damage = getenv("FAKE_CUDA_DAMAGE_GRAPH");
  return damage != NULL && damage[0] == '1' && output_of(node) == output_of(&exec->nodes[exec->count - 1]);
}

/* ---- capture ---- */

static _Thread_local int mode_of_thread = CAPTURE_GLOBAL;

static int prohibits(const struct CUstream_st *s) {
  const int is_own = s->capture != NULL && pthread_equal(s->capture_thread, pthread_self());
  if (s->capture == NULL || mode_of_thread == CAPTURE_RELAXED) return 0;
  if (is_own) return s->capture_mode != CAPTURE_RELAXED;
  return s->capture_mode == CAPTURE_GLOBAL && mode_of_thread == CAPTURE_GLOBAL;
}

int fake_is_prohibited(void) {
  int is_prohibited = prohibits(&own_stream);
  own_stream.is_spoiled |= is_prohibited;
  for (struct CUstream_st *s = fake.streams; s != NULL; s = s->next) {
    if (!prohibits(s)) continue;
    s->is_spoiled = 1;
    is_prohibited = 1;
  }
  return is_prohibited;
}

static int waits_for_default(const struct CUstream_st *s) {
  return s->capture != NULL && (s->flags & CUDA_STREAM_NON_BLOCKING) == 0 && s->capture->context == fake_current();
}

int fake_spoils_capture(cuda_stream stream) {
  int spoils = 0;
  if (stream_of(stream) != NULL) return 0;
  for (const struct CUstream_st *s = fake.streams; s != NULL; s = s->next) spoils |= waits_for_default(s);
  return spoils || waits_for_default(&own_stream);
}

cuda_result cuStreamBeginCapture_v2(cuda_stream handle, int mode) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(handle), FAKE_INVALID_HANDLE);
  struct CUstream_st *stream = stream_of(handle);
  if (stream == NULL) return FAKE_CAPTURE_UNSUPPORTED;
  REQUIRE(mode >= CAPTURE_GLOBAL && mode <= CAPTURE_RELAXED, FAKE_INVALID_VALUE);
  REQUIRE(stream->capture == NULL, FAKE_CAPTURE_UNSUPPORTED);
  struct CUgraph_st *graph = calloc(1, sizeof *graph);
  if (graph == NULL) return CUDA_OUT_OF_MEMORY;
  graph->context = fake_current();
  graph->next = graphs;
  graphs = graph;
  stream->capture = graph;
  stream->capture_mode = mode;
  stream->capture_thread = pthread_self();
  stream->is_spoiled = 0;
  return CUDA_OK;
}

cuda_result cuStreamEndCapture(cuda_stream handle, struct CUgraph_st **graph) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(handle) && fake_is_capturing(handle), FAKE_INVALID_VALUE);
  struct CUstream_st *stream = stream_of(handle);
  struct CUgraph_st *captured = stream->capture;
  stream->capture = NULL;
  if (stream->is_spoiled) {
    free_graph(take_graph(captured));
    *graph = NULL;
    return FAKE_CAPTURE_INVALIDATED;
  }
  *graph = captured;
  return CUDA_OK;
}

cuda_result cuStreamIsCapturing(cuda_stream handle, int *status) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(handle), FAKE_INVALID_HANDLE);
  if (fake_spoils_capture(handle)) return CUDA_CAPTURE_IMPLICIT;
  const struct CUstream_st *stream = stream_of(handle);
  *status = CUDA_CAPTURE_NONE;
  if (stream != NULL && stream->capture != NULL) *status = stream->is_spoiled ? IS_SPOILED : IS_CAPTURING;
  return CUDA_OK;
}

cuda_result cuThreadExchangeStreamCaptureMode(int *mode) {
  ENTER();
  const int before = mode_of_thread;
  REQUIRE(*mode >= CAPTURE_GLOBAL && *mode <= CAPTURE_RELAXED, FAKE_INVALID_VALUE);
  mode_of_thread = *mode;
  *mode = before;
  return CUDA_OK;
}

/* ---- graphs ---- */

cuda_result cuGraphInstantiateWithFlags(struct CUgraphExec_st **result, struct CUgraph_st *graph,
                                        unsigned long long flags) {
  ENTER_CONTEXT();
  REQUIRE(graph_is_live(graph), FAKE_INVALID_HANDLE);
  REQUIRE(graph->count > 0 && flags == 0, FAKE_INVALID_VALUE);
  struct CUgraphExec_st *exec = malloc(sizeof *exec);
  fake_node *nodes = malloc(graph->count * sizeof *nodes);
  if (exec == NULL || nodes == NULL) {
    free(nodes);
    free(exec);
    return CUDA_OUT_OF_MEMORY;
  }
  memcpy(nodes, graph->nodes, graph->count * sizeof *nodes);
  *exec = (struct CUgraphExec_st){ fake_current(), nodes, graph->count, execs };
  execs = exec;
  *result = exec;
  return CUDA_OK;
}

cuda_result cuGraphLaunch(struct CUgraphExec_st *exec, cuda_stream stream) {
  cuda_result result = CUDA_OK;
  ENTER_CONTEXT();
  REQUIRE(exec_is_live(exec), FAKE_INVALID_HANDLE);
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(!fake_is_capturing(stream), FAKE_CAPTURE_UNSUPPORTED);
  for (size_t i = 0; i < exec->count && result == CUDA_OK; i++)
    if (!is_damaged(exec, &exec->nodes[i])) result = fake_execute(&exec->nodes[i]);
  return result;
}

cuda_result cuGraphExecDestroy(struct CUgraphExec_st *handle) {
  ENTER_CONTEXT();
  struct CUgraphExec_st *exec = take_exec(handle);
  REQUIRE(exec != NULL, FAKE_INVALID_HANDLE);
  free_exec(exec);
  return CUDA_OK;
}

cuda_result cuGraphDestroy(struct CUgraph_st *handle) {
  ENTER_CONTEXT();
  struct CUgraph_st *graph = take_graph(handle);
  REQUIRE(graph != NULL, FAKE_INVALID_HANDLE);
  free_graph(graph);
  return CUDA_OK;
}
