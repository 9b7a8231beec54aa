/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of devices and contexts: listed, opened, closed, adopted from an application; and of the program cache. */
#include "device/program_cache.h"
#include "device/program_claim.h"
#include "sweep/drivers.h"
#include "sweep/sweep.h"

#include <dlfcn.h>
#include <scanrt/scan_cuda.h>
#include <scanrt/scan_opencl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = SWEEP_N, BYTES = N * 4 };

static float got[N];

/* ---- listing, opening, closing ---- */

static void run_list(sweep_trial *t) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  int count = 0;
  if (!sweep_step(t, "scan_device_count", scan_device_count(&count))) return;
  /* The list is made anew each time, and is shorter if a driver has stopped answering. */
  for (int i = 0; i < count; i++)
    if (scan_device_get(i, &info) == SCAN_SUCCESS && (info.name[0] == '\0' || info.selector[0] == '\0'))
      t->wrong = "a device without a name";
  for (int b = SCAN_BACKEND_CUDA; b <= SCAN_BACKEND_HOST; b++)
    if (scan_backend_note((scan_backend)b) == NULL) t->wrong = "a backend's note";
}

static void run_open(sweep_trial *t) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  if (sweep_step(t, "scan_ctx_create", sweep_open(&t->ctx)))
    (void)sweep_step(t, "scan_ctx_device", scan_ctx_device(t->ctx, &info));
}

/* Leaves plans, memory and unfinished work for the context's end. */
static void leave_much(sweep_trial *t) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_mem in = SCAN_NO_MEM, out = SCAN_NO_MEM;
  if (!sweep_scan_works(t->ctx) || scan_alloc(t->ctx, BYTES, &in) != SCAN_SUCCESS ||
      scan_alloc(t->ctx, BYTES, &out) != SCAN_SUCCESS ||
      scan_write(t->ctx, in, sweep_values(), BYTES) != SCAN_SUCCESS ||
      scan_run(t->ctx, &spec, N, in, out) != SCAN_SUCCESS)
    t->wrong = "what comes before";
}

static void run_close(sweep_trial *t) {
  scan_ctx_destroy(t->ctx);
  t->ctx = NULL;
}

/* ---- memory ---- */

static void run_memory(sweep_trial *t) {
  scan_mem from = SCAN_NO_MEM, to = SCAN_NO_MEM;
  memset(got, 0x5a, sizeof got);
  if (sweep_step(t, "scan_alloc", scan_alloc(t->ctx, BYTES, &from)) &&
      sweep_step(t, "scan_alloc", scan_alloc(t->ctx, BYTES, &to)) &&
      sweep_step(t, "scan_write", scan_write(t->ctx, from, sweep_values(), BYTES)) &&
      sweep_step(t, "scan_copy", scan_copy(t->ctx, to, from, BYTES)))
    (void)sweep_step(t, "scan_read", scan_read(t->ctx, to, got, BYTES));
  sweep_expect(t, "the copy", got, sweep_values(), BYTES);
  (void)sweep_step(t, "scan_free", scan_free(t->ctx, from)); /* the context frees `to` */
}

/* ---- an application's own CUDA objects ---- */

static void adopt_cuda(sweep_trial *t, cuda_context context, cuda_stream stream, cuda_ptr memory) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_mem named = scan_cuda_mem(memory, BYTES);
  if (sweep_step(t, "scan_cuda_ctx_create", scan_cuda_ctx_create(NULL, context, stream, &t->ctx)) &&
      sweep_step(t, "scan_write", scan_write(t->ctx, named, sweep_values(), BYTES)) &&
      sweep_step(t, "scan_run", scan_run(t->ctx, &spec, N, named, named)))
    (void)sweep_step(t, "scan_read", scan_read(t->ctx, named, got, BYTES));
  sweep_expect(t, "the sum on the application's stream", got, sweep_sums(), BYTES);
}

static struct {
  cuda_context context;
  cuda_stream stream;
  cuda_ptr memory;
} app;

static void begin_cuda(sweep_trial *t) {
  const cuda_api *driver = &sweep_cuda()->driver;
  memset(got, 0x5a, sizeof got);
  if (driver->init(0) != CUDA_OK) t->wrong = "cuInit";
  app.context = sweep_cuda()->app_context(0);
  if (driver->ctx_push(app.context) != CUDA_OK || driver->stream_create(&app.stream, 0) != CUDA_OK ||
      driver->mem_alloc(&app.memory, BYTES) != CUDA_OK || driver->ctx_pop(NULL) != CUDA_OK)
    t->wrong = "an application's objects";
}

static void run_cuda(sweep_trial *t) {
  const int depth = sweep_cuda()->context_depth();
  adopt_cuda(t, app.context, app.stream, app.memory);
  if (sweep_cuda()->context_depth() != depth) t->wrong = "the thread's stack of contexts";
}

static void end_cuda(void) {
  const cuda_api *driver = &sweep_cuda()->driver;
  (void)driver->ctx_push(app.context);
  (void)driver->mem_free(app.memory);
  (void)driver->stream_destroy(app.stream);
  (void)driver->ctx_pop(NULL);
}

/* ---- an application's own OpenCL queue ---- */

/* A context of the library whose queue stands in for an application's. */
static scan_ctx *owner;

static void begin_opencl(sweep_trial *t) {
  memset(got, 0x5a, sizeof got);
  if (sweep_open(&owner) != SCAN_SUCCESS) t->wrong = "an application's objects";
}

static struct _cl_context *context_of(struct _cl_command_queue *queue) {
  typedef int (*get_info)(void *object, unsigned which, size_t bytes, void *value, size_t *bytes_set);
  enum { QUEUE_CONTEXT = 0x1090 }; /* CL/cl.h */
  struct _cl_context *context = NULL;
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library != NULL ? dlsym(library, "clGetCommandQueueInfo") : NULL;
  get_info call;
  if (symbol == NULL) return NULL;
  memcpy(&call, &symbol, sizeof symbol);
  (void)call(queue, QUEUE_CONTEXT, sizeof context, &context, NULL);
  (void)dlclose(library);
  return context;
}

static void run_opencl(sweep_trial *t) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  struct _cl_command_queue *queue = NULL;
  if (scan_opencl_queue(owner, &queue) != SCAN_SUCCESS) return;
  if (sweep_step(t, "scan_opencl_ctx_create", scan_opencl_ctx_create(NULL, context_of(queue), queue, &t->ctx)))
    (void)sweep_step(t, "scan_run", scan_run(t->ctx, &spec, N, scan_host(sweep_values()), scan_host(got)));
  sweep_expect(t, "the sum on the application's queue", got, sweep_sums(), BYTES);
}

static void end_opencl(void) { scan_ctx_destroy(owner); }

/* ---- the cache of programs ---- */

/* Sets a new, empty cache folder for each trial. */
static void begin_cache(sweep_trial *t) {
  static unsigned number;
  char path[512];
  snprintf(path, sizeof path, "%s/%u", sweep_folder(), number++);
  if (setenv("SCANRT_CACHE", path, 1) != 0) t->wrong = "the cache's folder";
}

static const program_cache_part part = { "source", "kernel void nothing(void) {}", 28 };
static const char binary[] = "what a compiler made of it";

static int is_whole(const char *loaded, size_t bytes) {
  return bytes == sizeof binary && memcmp(loaded, binary, sizeof binary) == 0;
}

/* Stores and loads a program. A fault may prevent the storing, but a loaded program is whole. */
static void run_cache(sweep_trial *t) {
  program_cache_key key = { 0 };
  size_t bytes = 0;
  program_claim claim = { .name = "" };
  if (scan_program_cache_key_make(&part, 1, &key)) {
    char *loaded = scan_program_claim_load_within(&key, &bytes, 1, &claim);
    if (loaded != NULL) t->wrong = "a program that nobody has stored";
    scan_program_cache_store(&key, binary, sizeof binary);
    scan_program_claim_release(&claim);
    loaded = scan_program_cache_load(&key, &bytes);
    if (loaded != NULL && !is_whole(loaded, bytes)) t->wrong = "a program in the cache";
    free(loaded);
  }
  scan_program_cache_key_free(&key);
}

/* Checks that the next program is stored, whatever the faults have left in the folder. */
static void end_cache(void) {
  program_cache_key key = { 0 };
  size_t bytes = 0;
  int is_right = 0;
  if (scan_program_cache_key_make(&part, 1, &key)) {
    scan_program_cache_store(&key, binary, sizeof binary);
    char *loaded = scan_program_cache_load(&key, &bytes);
    is_right = loaded != NULL && is_whole(loaded, bytes);
    free(loaded);
  }
  scan_program_cache_key_free(&key);
  (void)setenv("SCANRT_CACHE", "off", 1);
  if (!is_right) sweep_complain("nothing is kept in the cache afterwards");
}

/* Compiles and stores a driver's program, which another context then loads. */
static void run_programs(sweep_trial *t) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_ctx *second = NULL;
  memset(got, 0x5a, sizeof got);
  (void)sweep_step(t, "scan_run", scan_run(t->ctx, &spec, N, scan_host(sweep_values()), scan_host(got)));
  sweep_expect(t, "the sum by a new program", got, sweep_sums(), BYTES);
  const scan_status opened = sweep_open(&second);
  if (opened != SCAN_SUCCESS && t->step == NULL) snprintf(t->words, sizeof t->words, "%s", scan_last_error(NULL));
  if (!sweep_step(t, "scan_ctx_create", opened)) return;
  memset(got, 0x5a, sizeof got);
  const scan_status status = scan_run(second, &spec, N, scan_host(sweep_values()), scan_host(got));
  if (status != SCAN_SUCCESS && t->step == NULL) snprintf(t->words, sizeof t->words, "%s", scan_last_error(second));
  (void)sweep_step(t, "scan_run", status);
  sweep_expect(t, "the sum by a program of the cache", got, sweep_sums(), BYTES);
  scan_ctx_destroy(second);
}

static void end_programs(void) { (void)setenv("SCANRT_CACHE", "off", 1); }

const sweep_scenario sweep_devices[] = {
  { .name = "list", .begins_itself = 1, .run = run_list },
  { .name = "open", .begins_itself = 1, .run = run_open },
  { .name = "close", .run = run_close, .prepare = leave_much },
  { .name = "memory", .run = run_memory },
  { .name = "interop_cuda",
    .backend = SCAN_BACKEND_CUDA,
    .begins_itself = 1,
    .run = run_cuda,
    .prepare = begin_cuda,
    .finish = end_cuda },
  { .name = "interop_opencl",
    .backend = SCAN_BACKEND_OPENCL,
    .begins_itself = 1,
    .run = run_opencl,
    .prepare = begin_opencl,
    .finish = end_opencl },
  { .name = "cache", .backend = SCAN_BACKEND_HOST, .run = run_cache, .prepare = begin_cache, .finish = end_cache },
  { .name = "programs",
    .backend = SCAN_BACKEND_OPENCL,
    .run = run_programs,
    .prepare = begin_cache,
    .finish = end_programs },
  { .name = NULL },
};
