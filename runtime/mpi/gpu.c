/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/gpu.h"

#include "mpi/library.h"

static const mpi_function functions[] = {
#define GPU_ENTRY(member, name, parameters) { #name, offsetof(gpu_driver, member) },
  GPU_FUNCTIONS(GPU_ENTRY)
#undef GPU_ENTRY
};

/* Returns the driver; NULL: there is none, or an old one. */
static const gpu_driver *open_driver(char *reason, size_t reason_bytes) {
  static mpi_library library = { .lock = PTHREAD_MUTEX_INITIALIZER,
                                 .variable = "SCANRT_LIBCUDA",
                                 .name = "libcuda.so.1" };
  static gpu_driver driver;
  const size_t count = sizeof functions / sizeof functions[0];
  return scan_mpi_library_open(&library, functions, count, &driver, reason, reason_bytes) ? &driver : NULL;
}

int scan_mpi_has_driver(char *reason, size_t reason_bytes) { return open_driver(reason, reason_bytes) != NULL; }

/* ---- calls ---- */

scan_status scan_mpi_gpu_fail(scan_mpi *mpi, const char *call, int result) {
  const char *name = NULL;
  (void)mpi->gpu->driver->error_name(result, &name);
  return scan_mpi_fail(mpi, result == GPU_OUT_OF_MEMORY ? SCAN_OUT_OF_MEMORY : SCAN_DEVICE_ERROR, "%s failed: %s", call,
                       name != NULL ? name : "unknown error");
}

scan_status scan_mpi_gpu_enter(scan_mpi *mpi) {
  const int result = mpi->gpu->driver->ctx_push(mpi->gpu->context);
  return result == GPU_OK ? SCAN_SUCCESS : scan_mpi_gpu_fail(mpi, "cuCtxPushCurrent", result);
}

scan_status scan_mpi_gpu_leave(scan_mpi *mpi, const char *call, int result) {
  (void)mpi->gpu->driver->ctx_pop(NULL);
  return result == GPU_OK ? SCAN_SUCCESS : scan_mpi_gpu_fail(mpi, call, result);
}

/* ---- opening ---- */

/* Finds the CUDA context of memory that libscanrt allocates in the scan context. */
static scan_status find_context(scan_mpi *mpi) {
  scan_mem probe = SCAN_NO_MEM;
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_alloc(mpi->ctx, 1, &probe)));
  const int result = mpi->gpu->driver->pointer_attribute(&mpi->gpu->context, GPU_POINTER_CONTEXT,
                                                         (gpu_pointer)(uintptr_t)scan_mpi_device_pointer(probe));
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_free(mpi->ctx, probe)));
  return result == GPU_OK ? SCAN_SUCCESS : scan_mpi_gpu_fail(mpi, "cuPointerGetAttribute", result);
}

static scan_status make_streams(scan_mpi *mpi) {
  mpi_gpu *gpu = mpi->gpu;
  MPI_TRY(GPU_CALL(mpi, "cuCtxGetDevice", gpu->driver->ctx_device(&gpu->device)));
  for (int i = 0; i < GPU_STREAMS; i++)
    MPI_TRY(GPU_CALL(mpi, "cuStreamCreateWithPriority",
                     gpu->driver->stream_create(&gpu->streams[i], GPU_STREAM_NON_BLOCKING, GPU_HIGHEST_PRIORITY)));
  return SCAN_SUCCESS;
}

static void close_gpu(scan_mpi *mpi) {
  mpi_gpu *gpu = mpi->gpu;
  if (gpu == NULL) return;
  for (int i = 0; i < GPU_STREAMS; i++)
    if (gpu->streams[i] != NULL) (void)GPU_CALL(mpi, "cuStreamDestroy", gpu->driver->stream_destroy(gpu->streams[i]));
  free(gpu);
  mpi->gpu = NULL;
}

static scan_status open_gpu(scan_mpi *mpi, const gpu_driver *driver) {
  mpi_gpu *gpu = scan_mpi_allocate(mpi, 1, sizeof *gpu);
  if (gpu == NULL) return SCAN_OUT_OF_MEMORY;
  gpu->driver = driver;
  mpi->gpu = gpu;
  scan_status status = find_context(mpi);
  if (status == SCAN_SUCCESS && gpu->context != NULL) status = make_streams(mpi);
  if (status != SCAN_SUCCESS || gpu->context == NULL) close_gpu(mpi);
  return status;
}

/* Lets a context's device reach the memory of another one. If it cannot, copies between them pass through the host. */
static void enable_peer(scan_mpi *mpi, const scan_mpi *other) {
  const gpu_driver *driver = mpi->gpu->driver;
  int can = 0;
  if (mpi->gpu->device == other->gpu->device) return;
  if (driver->can_access_peer(&can, mpi->gpu->device, other->gpu->device) != GPU_OK || !can) return;
  if (driver->ctx_push(mpi->gpu->context) != GPU_OK) return;
  (void)driver->enable_peer(other->gpu->context, 0);
  (void)driver->ctx_pop(NULL);
}

scan_status scan_mpi_gpus_open(scan_mpi *handle) {
  char reason[160];
  for (int i = 0; i < handle->own_contexts; i++) {
    scan_mpi *mpi = &handle[i];
    if (mpi->backend != SCAN_BACKEND_CUDA || mpi->gpu != NULL) continue;
    const gpu_driver *driver = open_driver(reason, sizeof reason);
    if (driver != NULL) MPI_TRY(scan_mpi_own_words(mpi, open_gpu(mpi, driver)));
    for (int k = 0; mpi->gpu != NULL && k < i; k++) {
      if (handle[k].gpu == NULL) continue;
      enable_peer(mpi, &handle[k]);
      enable_peer(&handle[k], mpi);
    }
  }
  return SCAN_SUCCESS;
}

void scan_mpi_gpus_close(scan_mpi *handle) {
  for (int i = 0; i < handle->own_contexts; i++) close_gpu(&handle[i]);
}

/* ---- copies ---- */

static gpu_pointer device_pointer(scan_mem mem) { return (gpu_pointer)(uintptr_t)scan_mpi_device_pointer(mem); }

scan_status scan_mpi_begin_read(scan_mpi *mpi, void *to, scan_mem from, uint64_t bytes) {
  const mpi_gpu *gpu = mpi->gpu;
  if (gpu == NULL || scan_mpi_host_pointer(from) != NULL) return scan_mpi_copy(mpi, scan_host(to), from, bytes);
  return GPU_CALL(mpi, "cuMemcpyDtoHAsync",
                  gpu->driver->mem_read(to, device_pointer(from), (size_t)bytes, gpu->streams[GPU_READS]));
}

scan_status scan_mpi_begin_write(scan_mpi *mpi, scan_mem to, const void *from, uint64_t bytes) {
  const mpi_gpu *gpu = mpi->gpu;
  if (gpu == NULL || scan_mpi_host_pointer(to) != NULL) return scan_mpi_copy(mpi, to, scan_host(from), bytes);
  return GPU_CALL(mpi, "cuMemcpyHtoDAsync",
                  gpu->driver->mem_write(device_pointer(to), from, (size_t)bytes, gpu->streams[GPU_WRITES]));
}

scan_status scan_mpi_finish_copies(scan_mpi *mpi, int stream) {
  if (mpi->gpu == NULL) return SCAN_SUCCESS;
  return GPU_CALL(mpi, "cuStreamSynchronize", mpi->gpu->driver->stream_sync(mpi->gpu->streams[stream]));
}

scan_status scan_mpi_finish_all(scan_mpi *handle, int stream) {
  scan_status status = SCAN_SUCCESS;
  for (int i = 0; i < handle->own_contexts; i++) {
    const scan_status own = scan_mpi_finish_copies(&handle[i], stream);
    if (status == SCAN_SUCCESS) status = scan_mpi_own_words(&handle[i], own);
  }
  return status;
}

scan_status scan_mpi_finish_streams(scan_mpi *handle, int first, int last, scan_status status) {
  for (int stream = first; stream <= last; stream++) {
    const mpi_kept_text kept = scan_mpi_keep_text(handle);
    const scan_status finished = scan_mpi_finish_all(handle, stream);
    if (status != SCAN_SUCCESS)
      scan_mpi_restore_text(handle, &kept);
    else
      status = finished;
  }
  return status;
}

scan_status scan_mpi_begin_peer_copy(scan_mpi *from_mpi, scan_mem from, const scan_mpi *to_mpi, scan_mem to,
                                     uint64_t bytes) {
  const mpi_gpu *gpu = from_mpi->gpu;
  return GPU_CALL(from_mpi, "cuMemcpyPeerAsync",
                  gpu->driver->mem_copy_peer(device_pointer(to), to_mpi->gpu->context, device_pointer(from),
                                             gpu->context, (size_t)bytes, gpu->streams[GPU_COPIES]));
}

/* ---- host memory ---- */

static scan_mpi *first_with_gpu(scan_mpi *handle) {
  for (int i = 0; i < handle->own_contexts; i++)
    if (handle[i].gpu != NULL) return &handle[i];
  return NULL;
}

void scan_mpi_host_free(scan_mpi *handle, mpi_host_buffer *buffer) {
  if (handle->has_strays) return; /* MPI may still use it */
  if (buffer->owner == NULL)
    free(buffer->memory);
  else
    (void)GPU_CALL(buffer->owner, "cuMemFreeHost", buffer->owner->gpu->driver->host_free(buffer->memory));
  *buffer = (mpi_host_buffer){ 0 };
}

scan_status scan_mpi_host_reserve(scan_mpi *handle, mpi_host_buffer *buffer, uint64_t bytes) {
  scan_mpi *owner = first_with_gpu(handle);
  void *memory = NULL;
  if (buffer->bytes >= bytes) return SCAN_SUCCESS;
  scan_mpi_host_free(handle, buffer);
  if (owner == NULL) {
    memory = scan_mpi_allocate(handle, bytes, 1);
    if (memory == NULL) return SCAN_OUT_OF_MEMORY;
  } else {
    MPI_TRY(scan_mpi_own_words(
        owner, GPU_CALL(owner, "cuMemHostAlloc", owner->gpu->driver->host_alloc(&memory, (size_t)bytes, 0))));
  }
  *buffer = (mpi_host_buffer){ memory, bytes, owner };
  return SCAN_SUCCESS;
}
