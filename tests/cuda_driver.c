/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

struct cuda_driver cu;

static const struct {
  const char *name;
  void *member;
} functions[] = {
#define ENTRY(member, name, parameters) { #name, &cu.member },
  CUDA_DRIVER_FUNCTIONS(ENTRY)
#undef ENTRY
};

/* Control functions that only the fake driver has (tests/fake_cuda/fake_cuda.h). */
static struct {
  const char *(*fault)(void);
  int (*allocations)(void), (*modules)(void), (*streams)(void), (*graphs)(void), (*primary_refs)(int);
} fake;

/* ISO C has no cast from an object to a function pointer. */
static int look_up(void *library, const char *name, void *member) {
  void *symbol = dlsym(library, name);
  memcpy(member, &symbol, sizeof symbol);
  return symbol != NULL;
}

int cuda_driver_load(void) {
  const char *given = getenv("SCANRT_LIBCUDA");
  int count = 0;
  void *library = dlopen(given != NULL && given[0] != '\0' ? given : "libcuda.so.1", RTLD_NOW);
  if (library == NULL) test_skip_program("no CUDA driver: %s", dlerror());
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (!look_up(library, functions[i].name, functions[i].member)) {
      fprintf(stderr, "the CUDA driver has no %s\n", functions[i].name);
      exit(1);
    }
  if (look_up(library, "fake_cuda_fault", &fake.fault)) {
    (void)look_up(library, "fake_cuda_live_allocations", &fake.allocations);
    (void)look_up(library, "fake_cuda_live_modules", &fake.modules);
    (void)look_up(library, "fake_cuda_live_streams", &fake.streams);
    (void)look_up(library, "fake_cuda_live_graphs", &fake.graphs);
    (void)look_up(library, "fake_cuda_primary_refs", &fake.primary_refs);
  }
  const int started = cu.init(0);
  if (started != 0) test_skip_program("no CUDA device: cuInit gives %d", started);
  const int counted = cu.device_count(&count);
  if (counted != 0 || count == 0)
    test_skip_program("no CUDA device: cuDeviceGetCount gives %d and %d devices", counted, count);
  return count;
}

struct CUctx_st *cuda_driver_open(int device) {
  struct CUctx_st *context = NULL;
  (void)cuda_driver_load();
  const int retained = cu.retain(&context, device);
  if (retained != 0) test_skip_program("no CUDA device %d: cuDevicePrimaryCtxRetain gives %d", device, retained);
  return context;
}

void cuda_ok(int result, const char *call) {
  if (result != 0) test_fail("%s gives %d", call, result);
}

struct CUctx_st *cuda_context_make(int device) {
  struct CUctx_st *context = NULL;
  cuda_ok(cu.ctx_create(&context, 0, device), "cuCtxCreate");
  cuda_ok(cu.pop(NULL), "cuCtxPopCurrent");
  return context;
}

struct CUctx_st *cuda_context_primary(int device) {
  struct CUctx_st *context = NULL;
  cuda_ok(cu.retain(&context, device), "cuDevicePrimaryCtxRetain");
  return context;
}

struct CUstream_st *cuda_stream_make(struct CUctx_st *context, unsigned flags) {
  struct CUstream_st *stream = NULL;
  cuda_ok(cu.push(context), "cuCtxPushCurrent");
  cuda_ok(cu.stream_create(&stream, flags), "cuStreamCreate");
  cuda_ok(cu.pop(NULL), "cuCtxPopCurrent");
  return stream;
}

void cuda_stream_drop(struct CUctx_st *context, struct CUstream_st *stream) {
  cuda_ok(cu.push(context), "cuCtxPushCurrent");
  cuda_ok(cu.stream_destroy(stream), "cuStreamDestroy");
  cuda_ok(cu.pop(NULL), "cuCtxPopCurrent");
}

graph_exec cuda_end_capture(struct CUstream_st *stream) {
  graph recorded = NULL;
  graph_exec exec = NULL;
  cuda_ok(cu.capture_end(stream, &recorded), "cuStreamEndCapture");
  cuda_ok(cu.instantiate(&exec, recorded, 0), "cuGraphInstantiateWithFlags");
  cuda_ok(cu.graph_destroy(recorded), "cuGraphDestroy");
  return exec;
}

int cuda_driver_is_fake(void) { return fake.fault != NULL; }

const char *cuda_driver_fault(void) {
  static char text[128];
  if (fake.fault == NULL) return "";
  if (fake.fault()[0] != '\0') return fake.fault();
  const int refs = fake.primary_refs(0) + fake.primary_refs(1);
  if (refs + fake.allocations() + fake.modules() + fake.streams() + fake.graphs() == 0) return "";
  snprintf(text, sizeof text, "left: %d references, %d allocations, %d modules, %d streams, %d graphs", refs,
           fake.allocations(), fake.modules(), fake.streams(), fake.graphs());
  return text;
}

int cuda_driver_teardown(void **state) {
  const char *fault = cuda_driver_fault();
  (void)state;
  if (fault[0] != '\0') print_error("%s\n", fault);
  return fault[0] != '\0';
}
