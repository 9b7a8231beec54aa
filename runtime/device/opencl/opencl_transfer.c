/* SPDX-License-Identifier: BSD-2-Clause */
/* Streaming on OpenCL: two queues besides the device's, and events between them. Copies take any host memory. */
#include <stdlib.h>

#include "device/transfer.h"
#include "device/opencl/opencl_device.h"

struct scan_transfer {
  const opencl_api *api;
  cl_command_queue queues[SCAN_QUEUES]; /* the first is the device's */
  cl_event *events;                     /* NULL: not recorded yet */
  int event_count;
};

static void transfer_close(scan_transfer *t) {
  if (t == NULL) return;
  for (int q = SCAN_QUEUE_UP; q < SCAN_QUEUES; q++)
    if (t->queues[q] != NULL) (void)t->api->clFinish(t->queues[q]);
  for (int i = 0; i < t->event_count; i++)
    if (t->events[i] != NULL) (void)t->api->clReleaseEvent(t->events[i]);
  for (int q = SCAN_QUEUE_UP; q < SCAN_QUEUES; q++)
    if (t->queues[q] != NULL) (void)t->api->clReleaseCommandQueue(t->queues[q]);
  free(t->events);
  free(t);
}

static scan_status transfer_open(scan_device *d, int events, scan_transfer **result, scan_error *error) {
  cl_int status = CL_SUCCESS;
  scan_transfer *t = calloc(1, sizeof *t);
  cl_event *list = calloc((size_t)events, sizeof *list);
  if (t == NULL || list == NULL) {
    free(t);
    free(list);
    return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a stream");
  }
  *t = (scan_transfer){ .api = d->api, .queues = { d->queue }, .events = list, .event_count = events };
  for (int q = SCAN_QUEUE_UP; q < SCAN_QUEUES && status == CL_SUCCESS; q++)
    t->queues[q] = d->api->clCreateCommandQueue(d->context, d->id, 0, &status);
  if (status != CL_SUCCESS) {
    transfer_close(t);
    return scan_opencl_fail(error, "clCreateCommandQueue", status);
  }
  *result = t;
  return SCAN_SUCCESS;
}

static scan_status host_alloc(scan_transfer *t, uint64_t bytes, void **memory, scan_error *error) {
  (void)t;
  *memory = malloc((size_t)bytes);
  if (*memory != NULL) return SCAN_SUCCESS;
  return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for %llu bytes", (unsigned long long)bytes);
}

static void host_free(scan_transfer *t, void *memory) {
  (void)t;
  free(memory);
}

static int is_pinned(scan_transfer *t, const void *memory, uint64_t bytes) {
  (void)t, (void)memory, (void)bytes;
  return 0;
}

static scan_status transfer_write(scan_transfer *t, scan_mem dst, const void *src, uint64_t bytes, scan_error *error) {
  OPENCL_TRY(error, "clEnqueueWriteBuffer",
             t->api->clEnqueueWriteBuffer(t->queues[SCAN_QUEUE_UP], dst.handle, CL_FALSE, (size_t)dst.offset_bytes,
                                          (size_t)bytes, src, 0, NULL, NULL));
  return SCAN_SUCCESS;
}

static scan_status transfer_read(scan_transfer *t, scan_mem src, void *dst, uint64_t bytes, scan_error *error) {
  OPENCL_TRY(error, "clEnqueueReadBuffer",
             t->api->clEnqueueReadBuffer(t->queues[SCAN_QUEUE_DOWN], src.handle, CL_FALSE, (size_t)src.offset_bytes,
                                         (size_t)bytes, dst, 0, NULL, NULL));
  return SCAN_SUCCESS;
}

/* Records an event. The queue is flushed so that another queue can wait for the event. */
static scan_status transfer_record(scan_transfer *t, scan_queue queue, int event, scan_error *error) {
  cl_event recorded;
  OPENCL_TRY(error, "clEnqueueMarkerWithWaitList",
             t->api->clEnqueueMarkerWithWaitList(t->queues[queue], 0, NULL, &recorded));
  if (t->events[event] != NULL) (void)t->api->clReleaseEvent(t->events[event]);
  t->events[event] = recorded;
  OPENCL_TRY(error, "clFlush", t->api->clFlush(t->queues[queue]));
  return SCAN_SUCCESS;
}

static scan_status transfer_wait(scan_transfer *t, scan_queue queue, int event, scan_error *error) {
  OPENCL_TRY(error, "clEnqueueBarrierWithWaitList",
             t->api->clEnqueueBarrierWithWaitList(t->queues[queue], 1, &t->events[event], NULL));
  return SCAN_SUCCESS;
}

static scan_status transfer_sync(scan_transfer *t, int event, scan_error *error) {
  OPENCL_TRY(error, "clWaitForEvents", t->api->clWaitForEvents(1, &t->events[event]));
  return SCAN_SUCCESS;
}

const scan_transfer_ops scan_transfer_opencl = { .takes_any_memory = 1,
                                                 .open = transfer_open,
                                                 .close = transfer_close,
                                                 .alloc = host_alloc,
                                                 .free = host_free,
                                                 .is_pinned = is_pinned,
                                                 .write = transfer_write,
                                                 .read = transfer_read,
                                                 .record = transfer_record,
                                                 .wait = transfer_wait,
                                                 .sync = transfer_sync };
