/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the driver and NVRTC at run time and declares their functions here, so that the build needs no CUDA toolkit. */
#define _POSIX_C_SOURCE 200809L
#include "kernels_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_cuda.h>

struct CUmod_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct _nvrtcProgram;

enum { LOG_BYTES = 4096, CAPTURE_RELAXED = 2 };

/* F(member, exported name, parameters) */
#define DRIVER_FUNCTIONS(F)                                                                                            \
  F(stream_context, cuStreamGetCtx, (struct CUstream_st *, struct CUctx_st **))                                        \
  F(push, cuCtxPushCurrent_v2, (struct CUctx_st *))                                                                    \
  F(pop, cuCtxPopCurrent_v2, (struct CUctx_st **))                                                                     \
  F(module_load, cuModuleLoadData, (struct CUmod_st **, const void *))                                                 \
  F(module_unload, cuModuleUnload, (struct CUmod_st *))                                                                \
  F(module_function, cuModuleGetFunction, (struct CUfunc_st **, struct CUmod_st *, const char *))                      \
  F(launch, cuLaunchKernel,                                                                                            \
    (struct CUfunc_st *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, struct CUstream_st *,   \
     void **, void **))                                                                                                \
  F(capture_begin, cuStreamBeginCapture_v2, (struct CUstream_st *, int))                                               \
  F(capture_end, cuStreamEndCapture, (struct CUstream_st *, struct CUgraph_st **))                                     \
  F(instantiate, cuGraphInstantiateWithFlags, (struct CUgraphExec_st **, struct CUgraph_st *, unsigned long long))     \
  F(graph_launch, cuGraphLaunch, (struct CUgraphExec_st *, struct CUstream_st *))                                      \
  F(exec_destroy, cuGraphExecDestroy, (struct CUgraphExec_st *))                                                       \
  F(graph_destroy, cuGraphDestroy, (struct CUgraph_st *))
#define NVRTC_FUNCTIONS(F)                                                                                             \
  F(create, nvrtcCreateProgram,                                                                                        \
    (struct _nvrtcProgram **, const char *, const char *, int, const char *const *, const char *const *))              \
  F(destroy, nvrtcDestroyProgram, (struct _nvrtcProgram **))                                                           \
  F(compile, nvrtcCompileProgram, (struct _nvrtcProgram *, int, const char *const *))                                  \
  F(log_bytes, nvrtcGetProgramLogSize, (struct _nvrtcProgram *, size_t *))                                             \
  F(log, nvrtcGetProgramLog, (struct _nvrtcProgram *, char *))                                                         \
  F(ptx_bytes, nvrtcGetPTXSize, (struct _nvrtcProgram *, size_t *))                                                    \
  F(ptx, nvrtcGetPTX, (struct _nvrtcProgram *, char *))

typedef struct cuda_state {
  void *driver, *nvrtc;
  struct CUstream_st *stream;
  struct CUctx_st *context;
  int pushed; /* 1: context is the thread's current one */
  uint32_t capability;
  struct CUmod_st *module;
  struct CUfunc_st *kernels[APP_MOST_KERNELS];
#define MEMBER(member, name, parameters) int(*member) parameters;
  DRIVER_FUNCTIONS(MEMBER)
  NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
} cuda_state;

static const char prelude[] = "typedef int int32_t; typedef unsigned uint32_t; typedef unsigned long long uint64_t;\n"
                              "#define APP_KERNEL extern \"C\" __global__\n"
                              "#define APP_FUNCTION static __device__ inline\n"
                              "#define APP_GLOBAL\n"
                              "#define APP_ITEM (blockIdx.x * blockDim.x + threadIdx.x)\n"
                              "#define APP_ITEMS (gridDim.x * blockDim.x)\n"
                              "#define APP_SWAP(at, from, to) atomicCAS(at, from, to)\n"
                              "#define APP_GROUP blockIdx.x\n"
                              "#define APP_POPCOUNT(x) ((unsigned)__popc(x))\n"
                              "#define APP_CLZ(x) ((unsigned)__clz(x))\n";

static int check(const char *call, int result) {
  if (result == 0) return 0;
  fprintf(stderr, "%s failed: %d\n", call, result);
  return -1;
}

static void *open_one(const char *const *names) {
  void *library = NULL;
  for (; *names && !library; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  return library;
}

static int open_driver(cuda_state *s) {
  static const char *const names[] = { "libcuda.so.1", NULL };
  s->driver = open_one(names);
  if (!s->driver) return -1;
#define FIND(member, name, parameters)                                                                                 \
  if (app_symbol(s->driver, #name, &s->member) != 0) return -1;
  DRIVER_FUNCTIONS(FIND)
#undef FIND
  return 0;
}

static int open_nvrtc(cuda_state *s) {
  static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                       "/usr/local/cuda/lib64/libnvrtc.so", NULL };
  const char *const named[] = { getenv("SCANRT_LIBNVRTC"), NULL };
  s->nvrtc = open_one(named[0] ? named : names);
  if (!s->nvrtc) return -1;
#define FIND(member, name, parameters)                                                                                 \
  if (app_symbol(s->nvrtc, #name, &s->member) != 0) return -1;
  NVRTC_FUNCTIONS(FIND)
#undef FIND
  return 0;
}

/* Makes the stream's context current on the thread. */
static int take_stream(cuda_state *s, scan_ctx *ctx) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  if (scan_cuda_stream(ctx, &s->stream) != SCAN_SUCCESS || scan_ctx_device(ctx, &info) != SCAN_SUCCESS) {
    fprintf(stderr, "%s\n", scan_last_error(ctx));
    return -1;
  }
  s->capability = info.facts.compute_capability;
  if (check("cuStreamGetCtx", s->stream_context(s->stream, &s->context)) != 0) return -1;
  s->pushed = s->push(s->context) == 0;
  return s->pushed ? 0 : check("cuCtxPushCurrent", -1);
}

static void print_log(cuda_state *s, struct _nvrtcProgram *program) {
  static char log[LOG_BYTES];
  size_t bytes = 0;
  if (s->log_bytes(program, &bytes) == 0 && bytes <= sizeof log && s->log(program, log) == 0)
    fprintf(stderr, "%s\n", log);
}

static int load_ptx(cuda_state *s, struct _nvrtcProgram *program) {
  size_t bytes = 0;
  if (check("nvrtcGetPTXSize", s->ptx_bytes(program, &bytes)) != 0) return -1;
  char *ptx = malloc(bytes);
  if (!ptx) return check("malloc", -1);
  int rc = check("nvrtcGetPTX", s->ptx(program, ptx));
  if (rc == 0) rc = check("cuModuleLoadData", s->module_load(&s->module, ptx));
  free(ptx);
  return rc;
}

static int build(cuda_state *s, const char *text) {
  char target[32];
  const char *const options[] = { target };
  const size_t bytes = sizeof prelude + strlen(text);
  char *both = malloc(bytes);
  struct _nvrtcProgram *program = NULL;
  if (!both) return check("malloc", -1);
  snprintf(target, sizeof target, "--gpu-architecture=compute_%u", (unsigned)s->capability);
  snprintf(both, bytes, "%s%s", prelude, text);
  int rc = check("nvrtcCreateProgram", s->create(&program, both, "kernels", 0, NULL, NULL));
  free(both);
  if (rc != 0) return rc;
  rc = check("nvrtcCompileProgram", s->compile(program, 1, options));
  if (rc != 0) print_log(s, program);
  if (rc == 0) rc = load_ptx(s, program);
  (void)s->destroy(&program);
  return rc;
}

static int cuda_open(void *state, scan_ctx *ctx, const char *text, const app_kernel *kernels, int count) {
  cuda_state *s = state;
  if (open_driver(s) != 0 || take_stream(s, ctx) != 0) return -1;
  if (count > 0 && (open_nvrtc(s) != 0 || build(s, text) != 0)) return -1;
  for (int i = 0; i < count; i++)
    if (check("cuModuleGetFunction", s->module_function(&s->kernels[i], s->module, kernels[i].name)) != 0) return -1;
  return 0;
}

static int cuda_launch(void *state, int which, uint32_t groups, const app_argument *arguments, int count) {
  cuda_state *s = state;
  unsigned long long pointers[APP_MOST_ARGUMENTS];
  uint32_t numbers[APP_MOST_ARGUMENTS];
  void *at[APP_MOST_ARGUMENTS];
  for (int i = 0; i < count; i++) {
    pointers[i] = scan_cuda_ptr(arguments[i].memory);
    numbers[i] = arguments[i].number;
    at[i] = pointers[i] ? (void *)&pointers[i] : (void *)&numbers[i];
  }
  return check("cuLaunchKernel",
               s->launch(s->kernels[which], groups, 1, 1, APP_GROUP_ITEMS, 1, 1, 0, s->stream, at, NULL));
}

static void cuda_close(void *state) {
  cuda_state *s = state;
  struct CUctx_st *popped;
  if (s->module) (void)s->module_unload(s->module);
  if (s->pushed) (void)s->pop(&popped);
  if (s->nvrtc) (void)dlclose(s->nvrtc);
  if (s->driver) (void)dlclose(s->driver);
}

static int cuda_record_begin(void *state) {
  cuda_state *s = state;
  return check("cuStreamBeginCapture", s->capture_begin(s->stream, CAPTURE_RELAXED));
}

static int cuda_record_end(void *state, void **recorded) {
  cuda_state *s = state;
  struct CUgraph_st *graph = NULL;
  struct CUgraphExec_st *exec = NULL;
  if (check("cuStreamEndCapture", s->capture_end(s->stream, &graph)) != 0) return -1;
  const int rc = check("cuGraphInstantiate", s->instantiate(&exec, graph, 0));
  (void)s->graph_destroy(graph);
  *recorded = exec;
  return rc;
}

static int cuda_replay(void *state, void *recorded) {
  cuda_state *s = state;
  return check("cuGraphLaunch", s->graph_launch(recorded, s->stream));
}

static void cuda_forget(void *state, void *recorded) { (void)((cuda_state *)state)->exec_destroy(recorded); }

const app_device app_device_cuda = {
  .state_bytes = sizeof(cuda_state),
  .open = cuda_open,
  .launch = cuda_launch,
  .close = cuda_close,
  .record_begin = cuda_record_begin,
  .record_end = cuda_record_end,
  .replay = cuda_replay,
  .forget = cuda_forget,
};
