/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver under test: the fake CUDA driver, or the shim before the OpenCL driver. */
#include "sweep/drivers.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "sweep/sweep.h"

static const fake_cuda *cuda;
static struct {
  fault_plan *(*faults)(void);
  long (*objects)(void);
} shim;

static void look_up(void *library, const char *name, void *member) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) test_fail("the OpenCL shim lacks %s", name);
  memcpy(member, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function pointer */
}

static fault_plan *(*nvrtc_faults)(void);

/* Opens the stand-in for NVRTC. Without it operators from source are omitted. */
static void open_nvrtc(void) {
  const char *path = getenv("SCANRT_LIBNVRTC");
  void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  void *symbol = library != NULL ? dlsym(library, "emulated_nvrtc_faults") : NULL;
  memcpy(&nvrtc_faults, &symbol, sizeof symbol);
}

fault_plan *sweep_nvrtc_plan(void) { return nvrtc_faults != NULL ? nvrtc_faults() : NULL; }

void sweep_drivers_open(void) {
  const char *path = getenv("SCANRT_LIBOPENCL");
  if (strncmp(test_selector(), "cuda", 4) == 0) {
    cuda = fake_cuda_open(getenv("SCANRT_LIBCUDA"));
    if (cuda == NULL) exit(1);
    open_nvrtc();
  } else if (strncmp(test_selector(), "opencl", 6) == 0) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) test_skip_program("%s", dlerror());
    look_up(library, "opencl_shim_faults", &shim.faults);
    look_up(library, "opencl_shim_objects", &shim.objects);
  }
}

const fake_cuda *sweep_cuda(void) { return cuda; }

long sweep_driver_objects(void) {
  if (shim.objects != NULL) return shim.objects();
  if (cuda == NULL) return 0;
  return cuda->live_allocations() + cuda->live_modules() + cuda->live_streams() + cuda->live_events() +
         cuda->live_host_memory() + cuda->live_graphs() + cuda->context_depth() + cuda->primary_refs(0) +
         (long)cuda->reclaimed();
}

const char *sweep_driver_fault(void) { return cuda != NULL ? cuda->fault() : ""; }

/* Returns how many objects may be left because calls that free them failed. A CUDA driver frees within a current
 * context, so if a push of the context fails, all its objects may be left. */
long sweep_driver_excuses(const fault_plan *plan) {
  const int is_shared = cuda != NULL && (plan->is_lasting || strstr(plan->names, "cuCtxPushCurrent") != NULL);
  return is_shared && plan->kept > 0 ? LONG_MAX : (long)plan->kept;
}

void sweep_driver_reset(void) {
  if (cuda != NULL) cuda->reset();
}

fault_plan *sweep_driver_plan(void) {
  if (cuda != NULL) return cuda->faults();
  return shim.faults != NULL ? shim.faults() : NULL;
}
