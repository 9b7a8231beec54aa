/* SPDX-License-Identifier: BSD-2-Clause */
/* Streaming on CUDA: two streams besides the device's, and events between them. */
#include <stdlib.h>

#include "device/cuda/cuda_device.h"
#include "device/transfer.h"

struct scan_transfer {
  cuda_objects cuda;
  cuda_stream streams[SCAN_QUEUES]; /* the first is the device's */
  cuda_event *events;
  int event_count;
};

/* ---- opening ---- */

/* If the context cannot be made current, its objects stay until the context is destroyed. */
static void transfer_close(scan_transfer *t) {
  if (t == NULL) return;
  const cuda_api *api = t->cuda.api;
  scan_error ignored;
  cuda_visit visit;
  const int entered = scan_cuda_enter(&t->cuda, CUDA_ALWAYS, &visit, &ignored) == SCAN_SUCCESS;
  for (int q = SCAN_QUEUE_UP; entered && q < SCAN_QUEUES; q++)
    if (t->streams[q] != NULL) (void)api->stream_sync(t->streams[q]);
  for (int i = 0; entered && i < t->event_count; i++) (void)api->event_destroy(t->events[i]);
  for (int q = SCAN_QUEUE_UP; entered && q < SCAN_QUEUES; q++)
    if (t->streams[q] != NULL) (void)api->stream_destroy(t->streams[q]);
  if (entered) scan_cuda_exit(&t->cuda, &visit);
  free(t->events);
  free(t);
}

static scan_status make_objects(scan_transfer *t, int events, scan_error *error) {
  const cuda_api *api = t->cuda.api;
  for (int q = SCAN_QUEUE_UP; q < SCAN_QUEUES; q++)
    CUDA_TRY_IN(&t->cuda, CUDA_ACTS, error, "cuStreamCreate",
                api->stream_create(&t->streams[q], CUDA_STREAM_NON_BLOCKING));
  for (; t->event_count < events; t->event_count++)
    CUDA_TRY_IN(&t->cuda, CUDA_ACTS, error, "cuEventCreate",
                api->event_create(&t->events[t->event_count], CUDA_EVENT_DISABLE_TIMING));
  return SCAN_SUCCESS;
}

static scan_status transfer_open(scan_device *device, int events, scan_transfer **result, scan_error *error) {
  scan_transfer *t = calloc(1, sizeof *t);
  cuda_event *list = calloc((size_t)events, sizeof *list);
  if (t == NULL || list == NULL) {
    free(t);
    free(list);
    return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a stream");
  }
  t->cuda = device->cuda;
  t->streams[SCAN_QUEUE_SCANS] = t->cuda.stream;
  t->events = list;
  const scan_status status = make_objects(t, events, error);
  if (status != SCAN_SUCCESS) {
    transfer_close(t);
    return status;
  }
  *result = t;
  return SCAN_SUCCESS;
}

/* ---- host memory ---- */

static scan_status host_alloc(scan_transfer *t, uint64_t bytes, void **memory, scan_error *error) {
  CUDA_TRY_IN(&t->cuda, CUDA_ACTS, error, "cuMemHostAlloc", t->cuda.api->host_alloc(memory, (size_t)bytes, 0));
  return SCAN_SUCCESS;
}

static void host_free(scan_transfer *t, void *memory) {
  scan_error ignored;
  cuda_visit visit;
  if (memory == NULL || scan_cuda_enter(&t->cuda, CUDA_ALWAYS, &visit, &ignored) != SCAN_SUCCESS) return;
  (void)t->cuda.api->host_free(memory);
  scan_cuda_exit(&t->cuda, &visit);
}

/* 1 if the memory is pinned. The driver tracks pages, so the first and the last byte are checked. */
static int is_pinned(scan_transfer *t, const void *memory, uint64_t bytes) {
  unsigned flags;
  char *first = (char *)(uintptr_t)memory;
  scan_error ignored;
  cuda_visit visit;
  if (scan_cuda_enter(&t->cuda, CUDA_ALWAYS, &visit, &ignored) != SCAN_SUCCESS) return 0;
  const int pinned = t->cuda.api->host_flags(&flags, first) == CUDA_OK &&
                     t->cuda.api->host_flags(&flags, first + bytes - 1) == CUDA_OK;
  scan_cuda_exit(&t->cuda, &visit);
  return pinned;
}

static scan_status cuda_pin(scan_device *d, void *memory, uint64_t bytes, scan_error *error) {
  CUDA_TRY_IN(&d->cuda, CUDA_ACTS, error, "cuMemHostRegister", d->cuda.api->host_register(memory, (size_t)bytes, 0));
  return SCAN_SUCCESS;
}

static scan_status cuda_unpin(scan_device *d, void *memory, scan_error *error) {
  CUDA_TRY_IN(&d->cuda, CUDA_ALWAYS, error, "cuMemHostUnregister", d->cuda.api->host_unregister(memory));
  return SCAN_SUCCESS;
}

/* ---- work ---- */

static scan_status transfer_write(scan_transfer *t, scan_mem dst, const void *src, uint64_t bytes, scan_error *error) {
  CUDA_TRY_IN(&t->cuda, CUDA_ACTS, error, "cuMemcpyHtoDAsync",
              t->cuda.api->mem_write(cuda_pointer(dst), src, (size_t)bytes, t->streams[SCAN_QUEUE_UP]));
  return SCAN_SUCCESS;
}

static scan_status transfer_read(scan_transfer *t, scan_mem src, void *dst, uint64_t bytes, scan_error *error) {
  CUDA_TRY_IN(&t->cuda, CUDA_ACTS, error, "cuMemcpyDtoHAsync",
              t->cuda.api->mem_read(dst, cuda_pointer(src), (size_t)bytes, t->streams[SCAN_QUEUE_DOWN]));
  return SCAN_SUCCESS;
}

static scan_status transfer_record(scan_transfer *t, scan_queue queue, int event, scan_error *error) {
  CUDA_TRY_IN(&t->cuda, CUDA_ACTS, error, "cuEventRecord",
              t->cuda.api->event_record(t->events[event], t->streams[queue]));
  return SCAN_SUCCESS;
}

static scan_status transfer_wait(scan_transfer *t, scan_queue queue, int event, scan_error *error) {
  CUDA_TRY_IN(&t->cuda, CUDA_ACTS, error, "cuStreamWaitEvent",
              t->cuda.api->stream_wait(t->streams[queue], t->events[event], 0));
  return SCAN_SUCCESS;
}

static scan_status transfer_sync(scan_transfer *t, int event, scan_error *error) {
  CUDA_TRY_IN(&t->cuda, CUDA_ACTS, error, "cuEventSynchronize", t->cuda.api->event_sync(t->events[event]));
  return SCAN_SUCCESS;
}

const scan_transfer_ops scan_transfer_cuda = { .takes_any_memory = 0,
                                               .open = transfer_open,
                                               .close = transfer_close,
                                               .alloc = host_alloc,
                                               .free = host_free,
                                               .is_pinned = is_pinned,
                                               .write = transfer_write,
                                               .read = transfer_read,
                                               .record = transfer_record,
                                               .wait = transfer_wait,
                                               .sync = transfer_sync,
                                               .pin = cuda_pin,
                                               .unpin = cuda_unpin };
