/* SPDX-License-Identifier: BSD-2-Clause */
/* The device layer of streaming: copies between host and device on queues of their own, besides the scans. */
#ifndef SCANRT_TRANSFER_H
#define SCANRT_TRANSFER_H

#include "device/backend.h"

/* The device's own queue, and one for each copy direction. */
typedef enum scan_queue { SCAN_QUEUE_SCANS, SCAN_QUEUE_UP, SCAN_QUEUE_DOWN, SCAN_QUEUES } scan_queue;

typedef struct scan_transfer scan_transfer; /* defined by each backend */

struct scan_transfer_ops {
  int takes_any_memory; /* 1: copies from and to host memory that is not page-locked are asynchronous, too */
  scan_status (*open)(scan_device *device, int events, scan_transfer **transfer, scan_error *error);
  /* Waits for both copy queues and frees them; NULL is accepted. */
  void (*close)(scan_transfer *transfer);
  /* Allocates host memory that is copied at full speed; free it before `close`. */
  scan_status (*alloc)(scan_transfer *transfer, uint64_t bytes, void **memory, scan_error *error);
  void (*free)(scan_transfer *transfer, void *memory);
  /* 1 if memory is page-locked. */
  int (*is_pinned)(scan_transfer *transfer, const void *memory, uint64_t bytes);
  /* Enqueues a copy to the device on SCAN_QUEUE_UP. */
  scan_status (*write)(scan_transfer *transfer, scan_mem dst, const void *src, uint64_t bytes, scan_error *error);
  /* Enqueues a copy to the host on SCAN_QUEUE_DOWN. */
  scan_status (*read)(scan_transfer *transfer, scan_mem src, void *dst, uint64_t bytes, scan_error *error);
  /* Records the event, which happens once all commands now in the queue are done. */
  scan_status (*record)(scan_transfer *transfer, scan_queue queue, int event, scan_error *error);
  /* Makes commands enqueued from here on wait for the event. */
  scan_status (*wait)(scan_transfer *transfer, scan_queue queue, int event, scan_error *error);
  /* Blocks until the event has happened. */
  scan_status (*sync)(scan_transfer *transfer, int event, scan_error *error);
  /* Page-locks the application's memory. NULL: that would not make copies faster. */
  scan_status (*pin)(scan_device *device, void *memory, uint64_t bytes, scan_error *error);
  /* Undoes `pin`; NULL with it. */
  scan_status (*unpin)(scan_device *device, void *memory, scan_error *error);
};

extern const scan_transfer_ops scan_transfer_cuda, scan_transfer_opencl;

#endif
