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
  { "cuInit", &cu.init },
  { "cuDevicePrimaryCtxRetain", &cu.retain },
  { "cuDevicePrimaryCtxRelease_v2", &cu.release },
  { "cuCtxPushCurrent_v2", &cu.push },
  { "cuCtxPopCurrent_v2", &cu.pop },
  { "cuCtxGetCurrent", &cu.current },
  { "cuStreamCreate", &cu.stream_create },
  { "cuStreamDestroy_v2", &cu.stream_destroy },
  { "cuStreamSynchronize", &cu.stream_sync },
  { "cuStreamQuery", &cu.stream_query },
  { "cuMemAlloc_v2", &cu.alloc },
  { "cuMemFree_v2", &cu.free },
  { "cuMemcpyHtoDAsync_v2", &cu.write },
  { "cuMemcpyDtoHAsync_v2", &cu.read },
  { "cuStreamBeginCapture_v2", &cu.capture_begin },
  { "cuStreamEndCapture", &cu.capture_end },
  { "cuGraphInstantiateWithFlags", &cu.instantiate },
  { "cuGraphLaunch", &cu.graph_launch },
  { "cuGraphExecDestroy", &cu.exec_destroy },
  { "cuGraphDestroy", &cu.graph_destroy },
  { "cuModuleLoadData", &cu.module_load },
  { "cuModuleUnload", &cu.module_unload },
  { "cuModuleGetFunction", &cu.module_function },
  { "cuLaunchKernel", &cu.launch },
};

struct CUctx_st *cuda_driver_open(int device) {
  struct CUctx_st *context = NULL;
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) test_skip_program("no CUDA driver: %s", dlerror());
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    void *symbol = dlsym(library, functions[i].name);
    if (symbol == NULL) {
      fprintf(stderr, "libcuda.so.1 has no %s\n", functions[i].name);
      exit(1);
    }
    memcpy(functions[i].member, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function pointer */
  }
  const int started = cu.init(0);
  if (started != 0) test_skip_program("no CUDA device: cuInit gives %d", started);
  const int retained = cu.retain(&context, device);
  if (retained != 0) test_skip_program("no CUDA device %d: cuDevicePrimaryCtxRetain gives %d", device, retained);
  return context;
}
