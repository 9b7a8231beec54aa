/* SPDX-License-Identifier: BSD-2-Clause */
/* The host as a device: its memory is host memory, a kernel is a typed loop, and a launch runs it on threads and
 * returns when it is done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/types.h"
#include "device/batch.h"
#include "device/caps.h"
#include "device/host/scan/simd_rows8.h"
#include "device/host/select/host_encode.h"
#include "device/host/host_float.h"
#include "device/host/host_kernels.h"
#include "device/host/host_pool.h"
#include "device/host/select/host_predicate.h"
#include "device/host/host_processors.h"
#include "device/host/select/host_reduce.h"
#include "device/host/select/host_select.h"
#include "device/host/output_buffer.h"
#include "device/host/sort/host_sort_segments.h"
#include "device/host/scan/host_segments.h"
#include "device/host/scan/host_source.h"
#include "device/host/scan/scan_parts.h"
#include "device/host/scan/segment_parts.h"
#include "device/host/scan/source_tiles.h"
#include "device/host/sort/host_split.h"
#include "device/source.h"

struct scan_device {
  host_pool *pool;
  unsigned threads;
  uint32_t register_bytes;
  uint64_t one_thread_bytes, parts_bytes;
  /* Scratch memory of HOST_SCRATCH_BYTES, HOST_SELECT_SCRATCH_BYTES and HOST_SORT_SCRATCH_BYTES for each thread; NULL
   * until a kernel needs it. */
  uint8_t *thread_scratch, *select_scratch, *sort_scratch;
};

struct scan_kernel {
  scan_kernel_key key;
  host_select select; /* one-pass compaction */
  host_reduce reduce; /* one-pass reduction by key */
  host_encode encode; /* one-pass run-length encoding */
  host_sort sort;     /* one-launch sort */
  host_split split;   /* a launch of a split or a histogram */
  host_group *group;  /* kernel of a primitive; NULL: a scan, by the next fields */
  const host_kernel *loops;
  simd_rows8_kernel block; /* loops over eight rows, of a source */
  host_worker *lines;      /* scans many lines; NULL: the kernel scans one array */
  int sequential;
  int is_exact; /* 1: a built-in operator of integers, which no floating-point environment affects */
  uint64_t item_bytes, value_bytes;
};

/* LINE_BLOCK: as in lines_item.h. SEGMENTS_COST: time to fold an element of short segments, in that to scan one.
 * LONG_SEGMENT: average number of elements from which that of sums of integers is 1. */
enum { BUFFER_ALIGNMENT = 256, LINE_BLOCK = 16, SHARES_A_THREAD = 8, SEGMENTS_COST = 4, LONG_SEGMENT = 64 };

static void processor_name(char *name, size_t name_bytes) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, name_bytes, "host processor");
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
    snprintf(name, name_bytes, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  fclose(file);
}

static scan_status host_enumerate(scan_device_list *list, char *note, size_t note_bytes, scan_error *error) {
  struct utsname system;
  scan_caps caps = { .info = { .backend = SCAN_BACKEND_HOST,
                               .selector = "host",
                               .vendor = "scanrt host backend",
                               .compute_units = scan_host_processor_count(),
                               .max_group_items = 1,
                               .is_cpu = 1,
                               .has_fp64 = 1 } };
  scan_caps_derive(&caps, secure_getenv("SCANRT_TUNE"));
  processor_name(caps.info.name, sizeof caps.info.name);
  if (uname(&system) == 0)
    snprintf(caps.info.driver, sizeof caps.info.driver, "%.60s %.60s", system.sysname, system.release);
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page_bytes > 0) caps.info.memory_bytes = (uint64_t)pages * (uint64_t)page_bytes;
  caps.info.max_alloc_bytes = caps.info.memory_bytes;
  snprintf(note, note_bytes, "1 device");
  return scan_device_append(list, &caps, error);
}

static scan_status device_open(scan_caps *caps, const scan_adoption *adoption, scan_device **result,
                               scan_error *error) {
  (void)adoption;
  scan_device *device = calloc(1, sizeof *device);
  if (device != NULL) device->pool = scan_host_pool_create(caps->info.compute_units);
  if (device == NULL || device->pool == NULL) {
    free(device);
    return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for the thread pool");
  }
  device->threads = caps->info.compute_units;
  device->register_bytes = caps->tuning.register_bytes;
  device->one_thread_bytes = caps->tuning.one_thread_bytes;
  device->parts_bytes = caps->tuning.parts_bytes;
  *result = device;
  return SCAN_SUCCESS;
}

static void device_close(scan_device *device) {
  scan_host_pool_destroy(device->pool);
  free(device->thread_scratch);
  free(device->select_scratch);
  free(device->sort_scratch);
  free(device);
}

static void *no_queue(const scan_device *device) {
  (void)device;
  return NULL;
}

static scan_status host_alloc(scan_device *device, uint64_t bytes, void **handle, scan_error *error) {
  (void)device;
  void *memory = NULL;
  if (bytes > SIZE_MAX - BUFFER_ALIGNMENT || posix_memalign(&memory, BUFFER_ALIGNMENT, (size_t)bytes) != 0)
    return scan_fail(error, SCAN_OUT_OF_MEMORY, "the host could not allocate %llu bytes", (unsigned long long)bytes);
  *handle = memory;
  return SCAN_SUCCESS;
}

static scan_status host_free(scan_device *device, void *handle, scan_error *error) {
  (void)device, (void)error;
  free(handle);
  return SCAN_SUCCESS;
}

static scan_status host_fill(scan_device *device, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error) {
  (void)device, (void)error;
  memset(host_bytes_of(dst), byte, (size_t)bytes);
  return SCAN_SUCCESS;
}

static scan_status host_write(scan_device *device, scan_mem dst, const void *src, uint64_t bytes, scan_error *error) {
  (void)device, (void)error;
  memcpy(host_bytes_of(dst), src, (size_t)bytes);
  return SCAN_SUCCESS;
}

static scan_status host_read(scan_device *device, scan_mem src, void *dst, uint64_t bytes, scan_error *error) {
  (void)device, (void)error;
  memcpy(dst, host_bytes_of(src), (size_t)bytes);
  return SCAN_SUCCESS;
}

static scan_status host_copy(scan_device *device, scan_mem dst, scan_mem src, uint64_t bytes, scan_error *error) {
  (void)device, (void)error;
  memcpy(host_bytes_of(dst), host_bytes_of(src), (size_t)bytes);
  return SCAN_SUCCESS;
}

/* Allocates scratch memory for all threads at its first use. It is too large for threads' stacks. */
static scan_status need_scratch(scan_device *device, uint64_t bytes, uint8_t **thread_scratch, scan_error *error) {
  void *memory = NULL;
  if (*thread_scratch != NULL) return SCAN_SUCCESS;
  const scan_status status = host_alloc(device, device->threads * bytes, &memory, error);
  if (status == SCAN_SUCCESS) *thread_scratch = memory;
  return status;
}

static scan_status keep_kernel(const scan_kernel *found, scan_kernel **result, scan_error *error) {
  scan_kernel *kernel = malloc(sizeof *kernel);
  if (kernel == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a kernel");
  *kernel = *found;
  *result = kernel;
  return SCAN_SUCCESS;
}

static scan_status kernel_create(scan_device *device, const scan_kernel_key *key, scan_kernel **result,
                                 scan_error *error) {
  scan_kernel found = { .key = *key,
                        .select = scan_host_select_find(key, device->register_bytes),
                        .reduce = scan_host_reduce_find(key, device->register_bytes),
                        .encode = scan_host_encode_find(key, device->register_bytes),
                        .sort = scan_host_sort_find(key, device->register_bytes),
                        .split = scan_host_split_find(key) };
  if (found.sort.by_values[0] != NULL || found.split.tile != NULL) {
    const scan_status status = need_scratch(device, HOST_SORT_SCRATCH_BYTES, &device->sort_scratch, error);
    return status == SCAN_SUCCESS ? keep_kernel(&found, result, error) : status;
  }
  if (found.select.is_there || found.reduce.mark != NULL || found.encode.mark != NULL) {
    const scan_status status = need_scratch(device, HOST_SELECT_SCRATCH_BYTES, &device->select_scratch, error);
    return status == SCAN_SUCCESS ? keep_kernel(&found, result, error) : status;
  }
  if (strcmp(key->file, "segment_bits.cl") == 0)
    found.group = scan_host_segment_bits(key->type);
  else if (strcmp(key->kernel, "select_left") == 0)
    found.group = scan_host_left;
  else if (strcmp(key->kernel, "split_buckets") == 0)
    found.group = scan_host_buckets;
  else if (key->primitive != NULL)
    found.group = scan_host_primitive_find(key, device->register_bytes);
  else if (strcmp(key->kernel, "segment_totals") == 0)
    found.loops = &scan_host_segments_kernel;
  else if (key->source != NULL)
    found.loops = &scan_host_source_kernel;
  else
    found.loops = scan_host_kernel_find(key, device->register_bytes);
  if (found.loops == NULL && found.group == NULL)
    return scan_fail(error, SCAN_BUILD_FAILED, "internal: no host kernel for %s of %s", scan_op_name(key->op),
                     scan_type_name(key->type));
  if (key->source != NULL && found.group == NULL)
    found.block = scan_simd_rows8_find(key->source, device->register_bytes);
  if (key->backward || found.loops == &scan_host_segments_kernel ||
      (key->source != NULL && found.group == NULL && scan_host_source_keeps(key->source, &found.block))) {
    const scan_status status = need_scratch(device, HOST_SCRATCH_BYTES, &device->thread_scratch, error);
    if (status != SCAN_SUCCESS) return status;
  }
  if (found.loops != NULL && strcmp(key->kernel, "scan_rows") == 0) found.lines = found.loops->rows;
  if (found.loops != NULL && strcmp(key->kernel, "scan_lines_apart") == 0) found.lines = found.loops->apart;
  found.sequential = strcmp(key->kernel, "scan_sequential") == 0;
  found.is_exact = key->source == NULL && !scan_type_is_float(key->type) && !scan_type_is_half(key->type);
  found.item_bytes = key->source != NULL ? scan_source_order_bytes(key->source) : scan_type_bytes(key->type);
  found.value_bytes = key->source != NULL ? key->source->bytes : found.item_bytes;
  return keep_kernel(&found, result, error);
}

static void kernel_destroy(scan_device *device, scan_kernel *kernel) {
  (void)device;
  free(kernel);
}

/* Releases nothing: the host builds no programs. */
static void source_release(scan_device *device, const scan_source *source) { (void)device, (void)source; }

typedef struct shared_work {
  host_worker *worker;
  host_task *task;
} shared_work;

static void run_worker(void *work, host_thread *me) {
  const shared_work *w = work;
  w->worker(w->task, me);
}

/* Runs the worker on up to `threads` threads. */
static void run_threads(scan_device *device, unsigned threads, host_worker *worker, host_task *task) {
  scan_host_pool_run(device->pool, threads, run_worker, &(shared_work){ worker, task });
}

/* Shares are large enough that few are claimed, and small enough that every thread is busy to the end. */
static void launch_lines(scan_device *device, const scan_kernel *kernel, const scan_kernel_args *args,
                         host_task *task) {
  uint64_t words[ARRAY_WORDS];
  task->geometry = host_bytes_of(args->workspace);
  memcpy(words, task->geometry, sizeof words);
  const uint64_t lines = words[ARRAY_WORD_COUNT], bytes = args->n * kernel->item_bytes;
  const uint64_t threads = lines * bytes <= device->one_thread_bytes ? 1 : device->threads;
  task->share = lines / (threads * SHARES_A_THREAD) / LINE_BLOCK * LINE_BLOCK;
  if (task->share == 0) task->share = LINE_BLOCK;
  if (kernel->lines == kernel->loops->rows && task->share > lines / threads) task->share = lines / threads + 1;
  run_threads(device, (unsigned)threads, kernel->lines, task);
}

typedef struct grid {
  host_group *run;
  const scan_kernel_args *args;
  uint32_t groups;
} grid;

static void run_groups(void *work, host_thread *me) {
  const grid *g = work;
  for (uint64_t group; scan_host_claim(me, g->groups, &group);) g->run(g->args, (uint32_t)group, g->groups);
}

static void run_group(scan_device *device, const scan_kernel *kernel, uint32_t groups, const scan_kernel_args *args) {
  grid g = { .run = kernel->group, .args = args, .groups = groups };
  const int is_small = args->n * kernel->item_bytes <= device->one_thread_bytes;
  scan_host_pool_run(device->pool, is_small || groups == 1 ? 1 : device->threads, run_groups, &g);
}

static void run_select(scan_device *device, const scan_kernel *kernel, const scan_kernel_args *args) {
  host_select_task task;
  scan_host_select_open(&task, &kernel->select, args, device->select_scratch, device->threads);
  const int is_small = args->n * (args->element_bytes != 0 ? args->element_bytes : 1) <= device->one_thread_bytes;
  scan_host_pool_run(device->pool, is_small || task.tiles == 1 ? 1 : device->threads, scan_host_select_work, &task);
  scan_host_select_close(&task);
}

static void run_reduce(scan_device *device, const scan_kernel *kernel, const scan_kernel_args *args) {
  host_reduce_task task;
  scan_host_reduce_open(&task, &kernel->reduce, args, device->select_scratch, device->threads);
  const int is_small = args->n * kernel->reduce.source->bytes <= device->one_thread_bytes;
  scan_host_pool_run(device->pool, is_small || task.chunks == 1 ? 1 : device->threads, scan_host_reduce_work, &task);
  scan_host_reduce_close(&task);
}

static void run_encode(scan_device *device, const scan_kernel *kernel, const scan_kernel_args *args) {
  host_encode_task task;
  scan_host_encode_open(&task, &kernel->encode, args, device->select_scratch, device->threads);
  const int is_small = args->n * kernel->encode.key_bytes <= device->one_thread_bytes;
  scan_host_pool_run(device->pool, is_small || task.chunks == 1 ? 1 : device->threads, scan_host_encode_work, &task);
  scan_host_encode_close(&task);
}

static host_sort_crew crew_of(const scan_device *device) {
  return (host_sort_crew){ device->pool, device->threads, device->sort_scratch, device->one_thread_bytes };
}

static void run_sort(scan_device *device, const scan_kernel *kernel, const scan_kernel_args *args) {
  const host_sort_crew crew = crew_of(device);
  if (kernel->sort.has_segments)
    scan_host_sort_segments_run(&crew, &kernel->sort, args);
  else
    scan_host_sort_run(&crew, &kernel->sort, args);
}

static void run_split(scan_device *device, const scan_kernel *kernel, uint32_t tiles, const scan_kernel_args *args) {
  const host_sort_crew crew = crew_of(device);
  scan_host_split_run(&crew, &kernel->split, tiles, args);
}

/* Returns the time to handle an element, in that to scan one: sums of integers in long segments take no more. */
static uint64_t element_cost(const scan_kernel *kernel, const scan_kernel_args *args) {
  const scan_source *source = kernel->key.source;
  if (kernel->loops != &scan_host_segments_kernel || source == NULL) return 1;
  const scan_type sum = source->sum;
  return (sum == SCAN_U32 || sum == SCAN_U64) && args->count <= args->n / LONG_SEGMENT ? 1 : SEGMENTS_COST;
}

/* Scans one array. If other programs leave only one thread running, it scans alone, in fewer steps. */
static void launch_scan(scan_device *device, const scan_kernel *kernel, const scan_kernel_args *args, uint32_t groups,
                        host_task *task) {
  const host_kernel *loops = kernel->loops;
  const uint64_t most = device->one_thread_bytes / element_cost(kernel, args);
  const int is_small = kernel->sequential || args->n * kernel->item_bytes <= most;
  const unsigned threads = is_small ? 1 : groups;
  const int is_alone = threads == 1 || scan_host_pool_threads(device->pool, threads) == 1;
  host_worker *worker = is_alone ? loops->alone : loops->threads;
  if (kernel->key.backward) worker = loops->reversed;
  if (kernel->sequential) worker = loops->sequential;
  const int is_in_parts = loops->tiles_reduce != NULL &&
                          (task->flags & SCAN_KERNEL_TOTAL || task->n * kernel->item_bytes <= device->parts_bytes);
  if (worker == loops->threads && is_in_parts)
    scan_parts_run(device->pool, threads, loops, task);
  else if (!is_alone && loops == &scan_host_segments_kernel && scan_segment_parts_is(task))
    scan_segment_parts_run(device->pool, threads < device->threads ? threads : device->threads, task);
  else
    run_threads(device, is_alone ? 1 : threads, worker, task);
}

static void run_scan(scan_device *device, const scan_kernel *kernel, uint32_t groups, const scan_kernel_args *args) {
  const scan_kernel_key *key = &kernel->key;
  uint64_t carry[1 + SCAN_SEED_MORE_WORDS] = { 0 };
  host_task task; /* its prefix, which the first chunk writes, is not cleared: that would take a tenth of the time for
                     256 elements */
  task.in = host_bytes_of(args->in);
  task.out = host_bytes_of(args->out);
  task.n = args->n;
  task.seed_bits = args->seed_bits;
  task.flags = args->flags;
  task.carry_out = args->flags & SCAN_KERNEL_CARRY_OUT ? host_bytes_of(args->carry_out) : NULL;
  task.key = key;
  task.args = args;
  task.block = &kernel->block;
  task.carry = NULL;
  if (args->flags & SCAN_KERNEL_CARRY) { /* launches are synchronous: the carry can be read here */
    memcpy(carry, host_bytes_of(args->carry), kernel->value_bytes);
    task.carry = carry;
    if (key->source == NULL) task.seed_bits = carry[0];
    if (key->source == NULL) task.flags &= ~(uint32_t)SCAN_KERNEL_CARRY;
  }
  task.segment_flags = key->segments != SCAN_SEGMENTS_NONE ? host_bytes_of(args->segment_flags) : NULL;
  task.checks = args->checks.kind != SCAN_MEM_NONE ? (_Atomic uint32_t *)(void *)host_bytes_of(args->checks) : NULL;
  task.thread_scratch = device->thread_scratch;
  if (kernel->lines != NULL)
    launch_lines(device, kernel, args, &task);
  else
    launch_scan(device, kernel, args, groups, &task);
}

static scan_status host_launch(scan_device *device, scan_kernel *kernel, uint32_t groups, uint32_t items_per_group,
                               const scan_kernel_args *args, scan_error *error) {
  host_float callers;
  (void)items_per_group, (void)error;
  callers.is_changed = 0;
  if (!kernel->is_exact) host_float_enter(&callers);
  if (kernel->select.is_there)
    run_select(device, kernel, args);
  else if (kernel->reduce.mark != NULL)
    run_reduce(device, kernel, args);
  else if (kernel->encode.mark != NULL)
    run_encode(device, kernel, args);
  else if (kernel->sort.by_values[0] != NULL)
    run_sort(device, kernel, args);
  else if (kernel->split.tile != NULL)
    run_split(device, kernel, groups, args);
  else if (kernel->group != NULL)
    run_group(device, kernel, groups, args);
  else
    run_scan(device, kernel, groups, args);
  host_float_leave(&callers);
  return SCAN_SUCCESS;
}

static scan_status host_sync(scan_device *device, scan_error *error) {
  (void)device, (void)error;
  return SCAN_SUCCESS;
}

static scan_status mem_bytes(scan_device *device, scan_mem mem, uint64_t *bytes, scan_error *error) {
  (void)device, (void)mem, (void)error;
  *bytes = UINT64_MAX;
  return SCAN_SUCCESS;
}

const scan_backend_ops scan_backend_host = { .id = SCAN_BACKEND_HOST,
                                             .memory = SCAN_MEM_HOST,
                                             .enumerate = host_enumerate,
                                             .open = device_open,
                                             .close = device_close,
                                             .queue = no_queue,
                                             .alloc = host_alloc,
                                             .free = host_free,
                                             .fill = host_fill,
                                             .write = host_write,
                                             .read = host_read,
                                             .copy = host_copy,
                                             .kernel_create = kernel_create,
                                             .kernel_destroy = kernel_destroy,
                                             .source_release = source_release,
                                             .launch = host_launch,
                                             .sync = host_sync,
                                             .mem_bytes = mem_bytes };
