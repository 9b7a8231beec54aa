/* SPDX-License-Identifier: BSD-2-Clause */
/* The fake driver's objects, its stack of contexts, and the functions by which a test controls and queries it. */
#include "state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "sweep/fault.h"

static struct {
  int initialised;
  const char *fail_function, *failed;
  unsigned fail_after; /* calls that still succeed */
  int fail_armed;
  cuda_result fail_result;
  char fault[256];
} control;

static fault_plan faults;

fake_objects fake = { .device_count = 1, .capability = { { 9, 0 }, { 9, 0 } } };

static _Thread_local struct {
  cuda_context contexts[FAKE_STACK];
  int depth;
} stack;

/* ---- beginning a call ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int fake_lock(void) { return pthread_mutex_lock(&lock); }

void fake_unlock(const int *locked) {
  if (*locked == 0) (void)pthread_mutex_unlock(&lock);
}

cuda_result fake_enter(const char *function) {
  fake.calls++;
  if (fault_is_due(&faults, function)) return FAKE_LAUNCH_FAILED;
  if (strcmp(function, "cuInit") == 0) control.initialised = 1;
  if (!control.fail_armed || (control.fail_function != NULL && strcmp(control.fail_function, function) != 0))
    return control.initialised ? CUDA_OK : FAKE_NOT_INITIALIZED;
  if (control.fail_after-- > 0) return CUDA_OK;
  control.fail_armed = 0;
  control.failed = function;
  return control.fail_result;
}

cuda_result fake_enter_context(const char *function) {
  const cuda_result result = fake_enter(function);
  if (result != CUDA_OK) return result;
  return fake_current() != NULL ? CUDA_OK : FAKE_INVALID_CONTEXT;
}

cuda_result fake_punish(cuda_result result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(control.fault, sizeof control.fault, format, arguments);
  va_end(arguments);
  return result;
}

/* ---- the thread's stack of contexts ---- */

cuda_context fake_current(void) { return stack.depth > 0 ? stack.contexts[stack.depth - 1] : NULL; }

cuda_result fake_push(cuda_context context) {
  if (context == NULL || context->refs == 0) return FAKE_INVALID_CONTEXT;
  if (stack.depth == FAKE_STACK) return fake_punish(FAKE_INVALID_CONTEXT, "the stack of contexts grows without end");
  stack.contexts[stack.depth++] = context;
  return CUDA_OK;
}

cuda_result fake_pop(cuda_context *context) {
  if (stack.depth == 0) return FAKE_INVALID_CONTEXT;
  stack.depth--;
  if (context != NULL) *context = stack.contexts[stack.depth];
  return CUDA_OK;
}

/* ---- objects ---- */

int fake_range_is_live(cuda_ptr first, uint64_t size_bytes) {
  return fake_range_is_live_in(fake_current(), first, size_bytes);
}

int fake_range_is_live_in(cuda_context context, cuda_ptr first, uint64_t size_bytes) {
  for (const fake_memory *m = fake.memories; m != NULL; m = m->next) {
    const cuda_ptr start = (cuda_ptr)(uintptr_t)m->bytes;
    if (m->context == context && first >= start && first - start <= m->size_bytes &&
        size_bytes <= m->size_bytes - (first - start))
      return 1;
  }
  return 0;
}

int fake_stream_is_live(cuda_stream stream) {
  if (stream == NULL || stream == CUDA_STREAM_LEGACY || stream == CUDA_STREAM_PER_THREAD) return 1;
  for (const struct CUstream_st *s = fake.streams; s != NULL; s = s->next)
    if (s == stream) return s->context == fake_current();
  return 0;
}

int fake_module_is_live(cuda_module module) {
  for (const struct CUmod_st *m = fake.modules; m != NULL; m = m->next)
    if (m == module) return m->context == fake_current();
  return 0;
}

int fake_function_is_live(cuda_function function) {
  for (const struct CUmod_st *m = fake.modules; m != NULL; m = m->next)
    for (const struct CUfunc_st *f = m->functions; f != NULL; f = f->next)
      if (f == function) return m->context == fake_current();
  return 0;
}

fake_memory *fake_take_memory(cuda_ptr first) {
  FAKE_TAKE(fake_memory, fake.memories,
            (cuda_ptr)(uintptr_t)o->bytes == first && o->context == fake_current() && !o->is_mapped);
}

fake_memory *fake_take_mapped(cuda_ptr first) {
  FAKE_TAKE(fake_memory, fake.memories,
            (cuda_ptr)(uintptr_t)o->bytes == first && o->context == fake_current() && o->is_mapped);
}

cuda_stream fake_take_stream(cuda_stream stream) {
  FAKE_TAKE(struct CUstream_st, fake.streams, o == stream && o->context == fake_current());
}

cuda_module fake_take_module(cuda_module module) {
  FAKE_TAKE(struct CUmod_st, fake.modules, o == module && o->context == fake_current());
}

void fake_free_memory(fake_memory *memory) {
  if (memory->is_shared)
    fake_unshare(memory);
  else
    free(memory->bytes);
  free(memory);
}

void fake_free_module(cuda_module module) {
  while (module->functions != NULL) {
    struct CUfunc_st *f = module->functions;
    module->functions = f->next;
    free(f);
  }
  if (module->emulated != NULL) emulated_unload(module->emulated);
  free(module);
}

static fake_memory *any_memory(cuda_context c) { FAKE_TAKE(fake_memory, fake.memories, o->context == c); }
static cuda_stream any_stream(cuda_context c) { FAKE_TAKE(struct CUstream_st, fake.streams, o->context == c); }
static cuda_module any_module(cuda_context c) { FAKE_TAKE(struct CUmod_st, fake.modules, o->context == c); }

void fake_reclaim(cuda_context context) {
  fake_memory *memory;
  cuda_stream stream;
  cuda_module module;
  for (; (memory = any_memory(context)) != NULL; fake.reclaimed++) fake_free_memory(memory);
  for (; (stream = any_stream(context)) != NULL; fake.reclaimed++) free(stream);
  for (; (module = any_module(context)) != NULL; fake.reclaimed++) fake_free_module(module);
  fake.reclaimed += fake_reclaim_events(context) + fake_reclaim_graphs(context) + fake_reclaim_host_memory(context);
  context->rts_stage = 0;
}

/* ---- control ---- */

void fake_cuda_reset(void) {
  const char *devices = getenv("FAKE_CUDA_DEVICES"), *capability = getenv("FAKE_CUDA_CAPABILITY");
  fake.device_count = devices != NULL && devices[0] == '2' ? 2 : 1;
  for (int i = 0; i < FAKE_DEVICES; i++) {
    fake_cuda_set_capability(i, capability != NULL ? capability[0] - '0' : 9, 0);
    fake_reclaim(&fake.primary[i]);
    fake_reclaim(&fake.app[i]);
    fake.primary[i].refs = fake.app[i].refs = 0;
  }
  for (int i = 0; i < FAKE_APP_CONTEXTS; i++) {
    fake_reclaim(&fake.made[i]);
    fake.made[i].refs = 0;
  }
  stack.depth = 0;
  fake_cuda_lie(0, 0);
  fake.launches = fake.allocations = fake.reclaimed = fake.calls = 0;
  control.fail_armed = 0;
  control.failed = NULL;
  control.fault[0] = '\0';
}

/* Applies the environment when the driver is loaded. */
__attribute__((constructor)) static void begin(void) {
  fake_cuda_reset();
  fault_arm_from(&faults, "SCANRT_FAULT_CUDA");
}

__attribute__((destructor)) static void end(void) { fault_report(&faults); }

void fake_cuda_lie(int attribute, int value) {
  fake.lie_attribute = attribute;
  fake.lie_value = value;
}

void fake_cuda_set_devices(int count) { fake.device_count = count; }

void fake_cuda_set_capability(int device, int major, int minor) {
  fake.capability[device][0] = major;
  fake.capability[device][1] = minor;
}

void fake_cuda_fail(const char *function, unsigned nth, cuda_result result) {
  control.fail_function = function;
  control.fail_after = nth - 1;
  control.fail_result = result;
  control.fail_armed = nth > 0;
  control.failed = NULL;
}

fault_plan *fake_cuda_faults(void) { return &faults; }
const char *fake_cuda_failed(void) { return control.failed; }
const char *fake_cuda_fault(void) { return control.fault; }
int fake_cuda_primary_refs(int device) { return fake.primary[device].refs; }
int fake_cuda_context_depth(void) { return stack.depth; }
unsigned fake_cuda_launches(void) { return fake.launches; }
unsigned fake_cuda_allocations(void) { return fake.allocations; }
unsigned fake_cuda_reclaimed(void) { return fake.reclaimed; }
unsigned fake_cuda_calls(void) { return fake.calls; }

int fake_cuda_live_allocations(void) {
  int count = 0;
  for (const fake_memory *m = fake.memories; m != NULL; m = m->next) count++;
  return count;
}

int fake_cuda_live_modules(void) {
  int count = 0;
  for (const struct CUmod_st *m = fake.modules; m != NULL; m = m->next) count++;
  return count;
}

int fake_cuda_live_streams(void) {
  int count = 0;
  for (const struct CUstream_st *s = fake.streams; s != NULL; s = s->next) count++;
  return count;
}

cuda_context fake_cuda_app_context(int device) {
  fake.app[device] = (struct CUctx_st){ .device = device, .refs = 1 };
  return &fake.app[device];
}
