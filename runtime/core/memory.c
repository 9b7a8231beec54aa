/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>

#include "core/plan.h"

scan_mem scan_host(const void *ptr) { return (scan_mem){ .kind = SCAN_MEM_HOST, .handle = (void *)(uintptr_t)ptr }; }

void *scan_host_ptr(scan_mem mem) {
  if (mem.size_bytes == SCAN_MEM_NOTHING_LEFT) return NULL;
  if (mem.kind == SCAN_MEM_HOST) return mem.handle != NULL ? scan_mem_bytes(mem) : NULL;
  const scan_memory *m = mem.kind == SCAN_MEM_ALLOCATED ? mem.handle : NULL;
  if (m == NULL || m->ctx->ops->id != SCAN_BACKEND_HOST || mem.offset_bytes >= m->bytes) return NULL;
  return (char *)m->handle + mem.offset_bytes;
}

scan_mem scan_offset(scan_mem mem, uint64_t bytes) {
  mem.offset_bytes = bytes > UINT64_MAX - mem.offset_bytes ? UINT64_MAX : mem.offset_bytes + bytes;
  if (mem.size_bytes != 0 && mem.size_bytes != SCAN_MEM_NOTHING_LEFT)
    mem.size_bytes = mem.size_bytes > bytes ? mem.size_bytes - bytes : SCAN_MEM_NOTHING_LEFT;
  return mem;
}

/* The alignment in bytes that the kernels' widest accesses and the layout of workspaces need. */
enum { LEAST_ALIGN = 256 };

/* 1 if device memory is aligned to LEAST_ALIGN. An OpenCL handle is not an address and always passes. */
static int is_aligned(const scan_ctx *ctx, const void *handle) {
  return ctx->ops->id == SCAN_BACKEND_OPENCL || (uintptr_t)handle % LEAST_ALIGN == 0;
}

static scan_status memory_allocate(scan_ctx *ctx, uint64_t bytes, void **handle) {
  void *queue = ctx->ops->queue(ctx->device), *memory = ctx->allocate(bytes, queue, ctx->user);
  if (memory == NULL)
    return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY,
                     "options->allocate returned NULL for %" PRIu64 " bytes on %s: the application's allocator has no "
                     "such memory",
                     bytes, ctx->caps.info.selector);
  if (!is_aligned(ctx, memory)) {
    ctx->release(memory, bytes, queue, ctx->user);
    FAIL_INVALID("options->allocate returned %p, which is not aligned to %d bytes: align device memory to as many",
                 memory, LEAST_ALIGN);
  }
  *handle = memory;
  return SCAN_SUCCESS;
}

scan_status scan_device_alloc(scan_ctx *ctx, uint64_t bytes, void **handle) {
  *handle = NULL;
  if (bytes == 0) return SCAN_SUCCESS;
  return ctx->allocate != NULL ? memory_allocate(ctx, bytes, handle)
                               : ctx->ops->alloc(ctx->device, bytes, handle, &ctx->error);
}

scan_status scan_device_free(scan_ctx *ctx, void *handle, uint64_t bytes, scan_error *error) {
  if (handle == NULL) return SCAN_SUCCESS;
  if (ctx->release == NULL) return ctx->ops->free(ctx->device, handle, error);
  ctx->release(handle, bytes, ctx->ops->queue(ctx->device), ctx->user);
  return SCAN_SUCCESS;
}

scan_status scan_alloc(scan_ctx *ctx, uint64_t bytes, scan_mem *mem) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_alloc"));
  if (mem == NULL) FAIL_INVALID("scan_alloc: mem is NULL");
  if (bytes == 0) FAIL_INVALID("scan_alloc: bytes is 0");
  /* Some OpenCL drivers accept any size and fail at the first use. */
  if (ctx->ops->id != SCAN_BACKEND_HOST && bytes > ctx->caps.info.memory_bytes)
    return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY,
                     "scan_alloc: %" PRIu64 " bytes are more than the %" PRIu64 " of %s", bytes,
                     ctx->caps.info.memory_bytes, ctx->caps.info.selector);
  scan_memory *m = calloc(1, sizeof *m);
  if (m == NULL) return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "scan_alloc: no host memory for the handle");
  const scan_status status = scan_device_alloc(ctx, bytes, &m->handle);
  if (status != SCAN_SUCCESS) {
    free(m);
    return status;
  }
  m->magic = SCAN_MEMORY_MAGIC;
  m->ctx = ctx;
  m->bytes = bytes;
  if (!scan_memory_table_add(&ctx->memories, m)) {
    (void)scan_device_free(ctx, m->handle, m->bytes, &ctx->error);
    free(m);
    return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "scan_alloc: no host memory for the handle");
  }
  *mem = (scan_mem){ .kind = SCAN_MEM_ALLOCATED, .handle = m, .size_bytes = bytes };
  return SCAN_SUCCESS;
}

scan_status scan_free(scan_ctx *ctx, scan_mem mem) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_free"));
  if (mem.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  if (mem.kind != SCAN_MEM_ALLOCATED) FAIL_INVALID("scan_free: mem is not from scan_alloc");
  if (mem.offset_bytes != 0) FAIL_INVALID("scan_free: mem is offset; free what scan_alloc returned");
  if (scan_memory_table_find(&ctx->memories, mem.handle) == NULL)
    FAIL_INVALID("scan_free: mem is not of this context, or was freed before");
  const scan_status status = ctx->ops->sync(ctx->device, &ctx->error);
  if (status == SCAN_INVALID_ARGUMENT) return status; /* a stream that is being captured: the memory is kept */
  scan_memory *m = scan_memory_table_remove(&ctx->memories, mem.handle);
  const scan_status freed = scan_device_free(ctx, m->handle, m->bytes, &ctx->error);
  free(m);
  return status != SCAN_SUCCESS ? status : freed;
}

void scan_memories_release(scan_ctx *ctx) {
  const scan_staging staged[] = { ctx->in, ctx->out };
  for (scan_memory *m = scan_memory_table_empty(&ctx->memories), *next; m != NULL; m = next) {
    next = m->next;
    (void)scan_device_free(ctx, m->handle, m->bytes, &ctx->error);
    free(m);
  }
  for (size_t i = 0; i < sizeof staged / sizeof staged[0]; i++)
    (void)scan_device_free(ctx, staged[i].handle, staged[i].bytes, &ctx->error);
}

int scan_mem_is_staged(const scan_ctx *ctx, scan_mem mem) {
  return mem.kind == SCAN_MEM_HOST && ctx->ops->id != SCAN_BACKEND_HOST;
}

scan_status scan_staging_reserve(scan_ctx *ctx, scan_staging *staging, uint64_t bytes, scan_mem *mem) {
  if (staging->bytes < bytes) {
    (void)scan_device_free(ctx, staging->handle, staging->bytes, &ctx->error);
    *staging = (scan_staging){ 0 };
    SCAN_TRY(scan_device_alloc(ctx, bytes, &staging->handle));
    staging->bytes = bytes;
  }
  *mem = scan_mem_of_device(ctx, staging->handle, staging->bytes);
  return SCAN_SUCCESS;
}

static scan_status check_kind(scan_ctx *ctx, scan_mem mem, const char *name) {
  static const char *const words[] = { "no memory (a zero scan_mem)",
                                       "host memory",
                                       "memory of scan_alloc",
                                       "CUDA memory",
                                       "an OpenCL buffer",
                                       "an SVM pointer",
                                       "a USM pointer" };
  const int is_shared = scan_mem_is_shared_pointer(mem) && ctx->ops->memory == SCAN_MEM_OPENCL;
  if ((unsigned)mem.kind > SCAN_MEM_USM) FAIL_INVALID("%s is not a valid scan_mem: kind %d", name, (int)mem.kind);
  if (mem.kind != ctx->ops->memory && mem.kind != SCAN_MEM_ALLOCATED && !is_shared)
    FAIL_INVALID("%s is %s, which a context on %s cannot use here", name, words[mem.kind], ctx->caps.info.selector);
  if (mem.handle == NULL) FAIL_INVALID("%s is %s at NULL", name, words[mem.kind]);
  return SCAN_SUCCESS;
}

int scan_mem_shared(const scan_ctx *ctx, scan_mem a, uint64_t a_bytes, scan_mem b, uint64_t b_bytes) {
  if (scan_mem_comparable(a, b) || ctx->ops->mem_share == NULL) return scan_mem_overlap(a, a_bytes, b, b_bytes);
  return a.kind == b.kind && ctx->ops->mem_share(ctx->device, a, a_bytes, b, b_bytes);
}

scan_status scan_mem_resolve(scan_ctx *ctx, scan_mem mem, uint64_t bytes, const char *name, scan_mem *resolved) {
  uint64_t there = UINT64_MAX;
  SCAN_TRY(check_kind(ctx, mem, name));
  *resolved = mem;
  if (mem.kind == SCAN_MEM_ALLOCATED) {
    const scan_memory *m = scan_memory_table_find(&ctx->memories, mem.handle);
    if (m == NULL) FAIL_INVALID("%s is memory of another context, or was freed", name);
    there = m->bytes > mem.offset_bytes ? m->bytes - mem.offset_bytes : 0;
    *resolved = scan_mem_of_device(ctx, m->handle, there);
    resolved->offset_bytes = mem.offset_bytes;
  } else {
    scan_error why;
    const scan_status status = ctx->ops->mem_bytes(ctx->device, mem, &there, &why);
    if (status != SCAN_SUCCESS) return scan_fail(&ctx->error, status, "%s: %s", name, why.text);
  }
  if (bytes > there) FAIL_INVALID("%s is too small: %" PRIu64 " bytes needed, %" PRIu64 " there", name, bytes, there);
  return SCAN_SUCCESS;
}
