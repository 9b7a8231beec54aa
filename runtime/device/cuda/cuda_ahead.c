/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_ahead.h"

#include <stdatomic.h>

#include "device/cuda/cuda_source.h"
#include "device/host/host_pool.h"
#include "device/host/host_processors.h"

void scan_cuda_compile_ahead_add(cuda_compile_ahead *ahead, const scan_kernel_key *key, char **image) {
  if (*image != NULL || ahead->count == CUDA_MOST_AHEAD) return;
  for (int i = 0; i < ahead->count; i++)
    if (ahead->programs[i].image == image) return; /* two kernels of one program */
  ahead->programs[ahead->count].key = key;
  ahead->programs[ahead->count].image = image;
  ahead->count++;
}

typedef struct compile_task {
  const cuda_compile_ahead *ahead;
  atomic_int next;
} compile_task;

/* One of several threads. NVRTC may be called by all of them at once. */
static void compile_some(void *argument) {
  compile_task *task = argument;
  const cuda_compile_ahead *ahead = task->ahead;
  for (int i = atomic_fetch_add(&task->next, 1); i < ahead->count; i = atomic_fetch_add(&task->next, 1)) {
    scan_error ignored; /* kernel_create finds no image, compiles it again and words what is wrong */
    size_t bytes;
    (void)scan_cuda_source_compile(ahead->programs[i].key, ahead->capability, ahead->tuned_image,
                                   ahead->programs[i].image, &bytes, &ignored);
  }
}

void scan_cuda_compile_ahead_run(const cuda_compile_ahead *ahead) {
  if (ahead->count < 2) return;
  const unsigned processors = scan_host_processor_count(), count = (unsigned)ahead->count;
  const unsigned threads = processors < count ? processors : count;
  host_pool *pool = threads > 1 ? scan_host_pool_create(threads) : NULL;
  if (pool == NULL) return;
  compile_task task = { .ahead = ahead };
  atomic_init(&task.next, 0);
  scan_host_pool_run(pool, threads, compile_some, &task);
  scan_host_pool_destroy(pool);
}
