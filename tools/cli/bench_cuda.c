/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_cuda.c @brief The CUDA driver: context, events, graphs of many calls, an empty kernel. */
#define _POSIX_C_SOURCE 200809L
#include "bench_cuda.h"
#include "bench_cuda_api.h"
#include "cli.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include <scanrt/scan_cuda.h>

struct bench_cuda {
  bench_cuda_api api;
  void *library;
  int device;
  int retained; /**< 1: the primary context is retained. */
  int pushed;   /**< 1: the primary context is current. */
  struct CUctx_st *context;
  struct CUstream_st *stream;
  struct CUevent_st *marks[2];
  struct CUmod_st *empty_module;
  struct CUfunc_st *empty;
};

enum { CUDA_OK = 0, EVENT_DEFAULT = 0, EMPTY_GROUP_ITEMS = 256 };

/* The parameters have the sizes of those of the library's kernels. */
static const char empty_ptx[] = ".version 6.3\n"
                                ".target sm_75\n"
                                ".address_size 64\n"
                                ".visible .entry scanrt_bench_empty(\n"
                                "  .param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 e,\n"
                                "  .param .u64 f, .param .u64 g)\n"
                                "{\n"
                                "  ret;\n"
                                "}\n";

/** Turns a driver call's result into CLI_OK, or CLI_FAILED after reporting the call and the driver's error. */
static int cuda_check(const bench_cuda *cuda, const char *call, int result) {
  const char *name = NULL, *text = NULL;
  if (result == CUDA_OK) return CLI_OK;
  if (cuda->api.error_name(result, &name) != CUDA_OK || !name) name = "unknown error";
  if (cuda->api.error_text(result, &text) != CUDA_OK || !text) text = "no description";
  return cli_fail("%s failed: %s (%s)", call, name, text);
}

#define TRY(cuda, call, result)                                                                                        \
  do {                                                                                                                 \
    if (cuda_check((cuda), (call), (result)) != CLI_OK) return CLI_FAILED;                                             \
  } while (0)

/* ---- opening ---- */

static const struct {
  const char *name;
  size_t member_offset;
} functions[] = {
#define BENCH_CUDA_ROW(member, name, parameters) { #name, offsetof(bench_cuda_api, member) },
  BENCH_CUDA_FUNCTIONS(BENCH_CUDA_ROW)
#undef BENCH_CUDA_ROW
};

static int open_driver(bench_cuda *cuda) {
  const char *path = getenv("SCANRT_LIBCUDA");
  if (!path || !*path) path = "libcuda.so.1";
  cuda->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!cuda->library) return cli_fail("%s cannot be opened: %s", path, dlerror());
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    void *symbol = dlsym(cuda->library, functions[i].name);
    if (!symbol)
      return cli_fail("%s has no %s: CUDA 11.4 is the oldest driver that can be timed", path, functions[i].name);
    *(void **)((char *)&cuda->api + functions[i].member_offset) = symbol;
  }
  return CLI_OK;
}

static int enter_context(bench_cuda *cuda, int ordinal) {
  TRY(cuda, "cuInit", cuda->api.init(0));
  TRY(cuda, "cuDeviceGet", cuda->api.device_get(&cuda->device, ordinal));
  TRY(cuda, "cuDevicePrimaryCtxRetain", cuda->api.primary_retain(&cuda->context, cuda->device));
  cuda->retained = 1;
  TRY(cuda, "cuCtxPushCurrent", cuda->api.ctx_push(cuda->context));
  cuda->pushed = 1;
  for (int i = 0; i < 2; i++) TRY(cuda, "cuEventCreate", cuda->api.event_create(&cuda->marks[i], EVENT_DEFAULT));
  return CLI_OK;
}

int bench_cuda_open(scan_ctx *ctx, int ordinal, bench_cuda **opened) {
  bench_cuda *cuda = calloc(1, sizeof *cuda);
  if (!cuda) return cli_fail("no memory for the CUDA driver's functions");
  scan_status status = scan_cuda_stream(ctx, &cuda->stream);
  int rc = status == SCAN_SUCCESS ? open_driver(cuda) : cli_fail_scan(ctx, status, "cannot get the stream");
  if (rc == CLI_OK) rc = enter_context(cuda, ordinal);
  if (rc != CLI_OK) {
    bench_cuda_close(cuda);
    return rc;
  }
  *opened = cuda;
  return CLI_OK;
}

/* Ignores faults while closing, which affect no measurement. */
void bench_cuda_close(bench_cuda *cuda) {
  if (!cuda) return;
  if (cuda->empty_module) (void)cuda->api.module_unload(cuda->empty_module);
  for (int i = 0; i < 2; i++)
    if (cuda->marks[i]) (void)cuda->api.event_destroy(cuda->marks[i]);
  if (cuda->pushed) (void)cuda->api.ctx_pop(NULL);
  if (cuda->retained) (void)cuda->api.primary_release(cuda->device);
  if (cuda->library) dlclose(cuda->library);
  free(cuda);
}

void *bench_cuda_stream(const bench_cuda *cuda) { return cuda->stream; }

/* ---- events ---- */

int bench_cuda_mark(bench_cuda *cuda, int end) {
  return cuda_check(cuda, "cuEventRecord", cuda->api.event_record(cuda->marks[end], cuda->stream));
}

int bench_cuda_elapsed(bench_cuda *cuda, double *seconds) {
  float milliseconds = 0;
  TRY(cuda, "cuEventSynchronize", cuda->api.event_sync(cuda->marks[1]));
  TRY(cuda, "cuEventElapsedTime", cuda->api.event_elapsed(&milliseconds, cuda->marks[0], cuda->marks[1]));
  *seconds = 1e-3 * (double)milliseconds;
  return CLI_OK;
}

/* ---- copies between host and device ---- */

static int copy_pieces(bench_cuda *cuda, struct CUstream_st *const streams[2], const char *in, uint64_t in_bytes,
                       char *out, uint64_t out_bytes, uint64_t piece, const unsigned long long device[2]) {
  for (uint64_t at = 0; at < in_bytes || at < out_bytes; at += piece) {
    const uint64_t in_left = at < in_bytes ? in_bytes - at : 0, out_left = at < out_bytes ? out_bytes - at : 0;
    if (in_left)
      TRY(cuda, "cuMemcpyHtoDAsync",
          cuda->api.copy_in(device[0], in + at, (size_t)(in_left < piece ? in_left : piece), streams[0]));
    if (out_left)
      TRY(cuda, "cuMemcpyDtoHAsync",
          cuda->api.copy_out(out + at, device[1], (size_t)(out_left < piece ? out_left : piece), streams[1]));
  }
  for (int i = 0; i < 2; i++) TRY(cuda, "cuStreamSynchronize", cuda->api.stream_sync(streams[i]));
  return CLI_OK;
}

int bench_cuda_copy_both(bench_cuda *cuda, const void *in, uint64_t in_bytes, void *out, uint64_t out_bytes,
                         uint64_t piece, unsigned long long device_in, unsigned long long device_out) {
  enum { NON_BLOCKING = 1 };
  const unsigned long long device[2] = { device_in, device_out };
  struct CUstream_st *streams[2] = { NULL, NULL };
  int rc = CLI_OK;
  for (int i = 0; i < 2 && rc == CLI_OK; i++)
    rc = cuda_check(cuda, "cuStreamCreate", cuda->api.stream_create(&streams[i], NON_BLOCKING));
  if (rc == CLI_OK) rc = copy_pieces(cuda, streams, in, in_bytes, out, out_bytes, piece, device);
  for (int i = 0; i < 2; i++)
    if (streams[i]) (void)cuda->api.stream_destroy(streams[i]);
  return rc;
}

/* ---- an empty kernel ---- */

static int load_empty(bench_cuda *cuda) {
  if (cuda->empty) return CLI_OK;
  if (!cuda->empty_module) TRY(cuda, "cuModuleLoadData", cuda->api.module_load(&cuda->empty_module, empty_ptx));
  TRY(cuda, "cuModuleGetFunction", cuda->api.module_function(&cuda->empty, cuda->empty_module, "scanrt_bench_empty"));
  return CLI_OK;
}

int bench_cuda_launch_empty(bench_cuda *cuda) {
  uint64_t wide[6] = { 0 };
  uint32_t narrow = 0;
  void *parameters[] = { &wide[0], &wide[1], &wide[2], &wide[3], &narrow, &wide[4], &wide[5] };
  if (load_empty(cuda) != CLI_OK) return CLI_FAILED;
  int result = cuda->api.launch(cuda->empty, 1, 1, 1, EMPTY_GROUP_ITEMS, 1, 1, 0, cuda->stream, parameters, NULL);
  return cuda_check(cuda, "cuLaunchKernel", result);
}

/* ---- graphs ---- */

/* Relaxed mode: driver calls of other threads and of peers are allowed during capture. */
enum { CAPTURE_RELAXED = 2 };

struct bench_graph {
  bench_cuda *cuda;
  struct CUgraphExec_st *exec;
};

/** Captures the calls, and ends the capture even if a call failed. @param[out] captured  NULL after a failure */
static int capture(bench_cuda *cuda, uint64_t calls, int (*record_call)(void *state, uint64_t i), void *state,
                   struct CUgraph_st **captured) {
  int rc = cuda_check(cuda, "cuStreamBeginCapture", cuda->api.capture_begin(cuda->stream, CAPTURE_RELAXED));
  if (rc != CLI_OK) return rc;
  for (uint64_t i = 0; i < calls && rc == CLI_OK; i++) rc = record_call(state, i);
  int result = cuda->api.capture_end(cuda->stream, captured);
  if (rc == CLI_OK) rc = cuda_check(cuda, "cuStreamEndCapture", result);
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
  rc = cuda_check(cuda, "cuGraphInstantiate", cuda->api.graph_instantiate(&graph->exec, captured, 0));
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
  return cuda_check(cuda, "cuGraphLaunch", cuda->api.graph_launch(graph->exec, cuda->stream));
}

void bench_graph_destroy(bench_graph *graph) {
  if (!graph) return;
  (void)graph->cuda->api.exec_destroy(graph->exec);
  free(graph);
}
