/* SPDX-License-Identifier: BSD-2-Clause */
/* The context: an open device, its memory, its plans, and the words of the last fault. */
#ifndef SCANRT_CONTEXT_H
#define SCANRT_CONTEXT_H

#include <scanrt/scan.h>
#include <sys/types.h>

#include "core/memory_table.h"
#include "device/backend.h"

enum {
  SCAN_CTX_MAGIC = 0x5ca0c751,
  SCAN_PLAN_MAGIC = 0x5ca01a57,
  SCAN_MEMORY_MAGIC = 0x5ca03e37,
  SCAN_OP_MAGIC = 0x5ca0090f
};

/* Device memory that host data passes through, grown as needed. */
typedef struct scan_staging {
  void *handle;
  uint64_t bytes;
} scan_staging;

struct scan_ctx {
  uint32_t magic;
  pid_t pid; /* of the process that created it: a child of fork must not use it */
  const scan_backend_ops *ops;
  scan_device *device;
  scan_caps caps;
  scan_strategy strategy;    /* used where a spec says AUTO */
  scan_allocate_fn allocate; /* the application's allocator, with `release` and `user`; NULL: the backend's */
  scan_release_fn release;
  void *user;
  scan_memory_table memories;
  scan_plan *plans;              /* all plans, for the checks at synchronisation */
  scan_op *operators;            /* from source, of its own or of a plan */
  scan_op *spare_operators;      /* memory of destroyed ones */
  struct scan_builtin *builtins; /* sources of built-in operators (builtin_source.c) */
  scan_staging in, out, heads;   /* scan_run over host memory */
  int has_overflowed;            /* a SCAN_OVERFLOW was told; its index is the next */
  uint64_t overflow_index;
  /* What plans that were destroyed still had to tell, told at the next check (progress.c, overflow.c). */
  int pending_no_progress, pending_in_place, pending_overflow;
  uint64_t pending_overflow_index;
  uint64_t pending_excess,
      pending_excess_most; /* of compactions (select_run.c): n that was too large, and what it was for */
  scan_error error;
};

/* For functions with a ctx that return a status: the call is wrong; or right, and this cannot be had. */
#define FAIL_INVALID(...) return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT, __VA_ARGS__)
#define FAIL_UNSUPPORTED(...) return scan_fail(&ctx->error, SCAN_UNSUPPORTED, __VA_ARGS__)

/* Checks the handle. The words of the last failure stay until the next one: where ctx is no context they are the
 * thread's. */
scan_status scan_ctx_enter(scan_ctx *ctx, const char *call);

/* The memory as the backend knows it: checks the kind, the owner and that `bytes` follow the offset. `name` is the
 * parameter's, for the message. */
scan_status scan_mem_resolve(scan_ctx *ctx, scan_mem mem, uint64_t bytes, const char *name, scan_mem *resolved);

/* Whether scan_run copies this memory in or out: host memory on a device that has its own. */
int scan_mem_is_staged(const scan_ctx *ctx, scan_mem mem);

/* Memory that a call names: resolved, but where the host scans, or a call may stage it (stageable: 1), that of the host
 * stays as it is, since nothing is known of its size. */
static inline scan_status scan_mem_take(scan_ctx *ctx, scan_mem *mem, uint64_t bytes, int stageable, const char *name) {
  const int stays = mem->kind == SCAN_MEM_HOST && (stageable || ctx->ops->id == SCAN_BACKEND_HOST);
  if (!stays) return scan_mem_resolve(ctx, *mem, bytes, name, mem);
  if (mem->handle == NULL) FAIL_INVALID("%s is host memory at NULL", name);
  return SCAN_SUCCESS;
}

/* Where host memory is. */
static inline char *scan_mem_bytes(scan_mem mem) { return (char *)mem.handle + mem.offset_bytes; }

/* Allocates device memory, by the application's allocator where there is one; and frees it. */
scan_status scan_device_alloc(scan_ctx *ctx, uint64_t bytes, void **handle);
scan_status scan_device_free(scan_ctx *ctx, void *handle, uint64_t bytes, scan_error *error);

/* Makes the staging memory at least `bytes` large. */
scan_status scan_staging_reserve(scan_ctx *ctx, scan_staging *staging, uint64_t bytes, scan_mem *mem);

/* Device memory by its handle, as backends take it. */
static inline scan_mem scan_mem_of_device(const scan_ctx *ctx, void *handle, uint64_t bytes) {
  return (scan_mem){ .kind = ctx->ops->memory, .handle = handle, .size_bytes = bytes };
}

/* A byte's address: OpenCL buffers are spaces of their own, everything else shares one. */
static inline uint64_t scan_mem_address(scan_mem mem) {
  return mem.kind == SCAN_MEM_OPENCL ? mem.offset_bytes : (uint64_t)(uintptr_t)mem.handle + mem.offset_bytes;
}

/* Whether resolved memory begins at a multiple of `bytes`, a power of two. */
static inline int scan_mem_aligned(scan_mem mem, uint64_t bytes) { return (scan_mem_address(mem) & (bytes - 1)) == 0; }

/* Relations of resolved memory: one space of addresses; the same first byte; any byte in common. */
static inline int scan_mem_is_shared_pointer(scan_mem mem) {
  return mem.kind == SCAN_MEM_SVM || mem.kind == SCAN_MEM_USM;
}
static inline int scan_mem_comparable(scan_mem a, scan_mem b) {
  if (scan_mem_is_shared_pointer(a)) return scan_mem_is_shared_pointer(b);
  return a.kind == b.kind && (a.kind != SCAN_MEM_OPENCL || a.handle == b.handle);
}
static inline int scan_mem_same(scan_mem a, scan_mem b) {
  return scan_mem_comparable(a, b) && scan_mem_address(a) == scan_mem_address(b);
}
static inline int scan_mem_overlap(scan_mem a, uint64_t a_bytes, scan_mem b, uint64_t b_bytes) {
  return scan_mem_comparable(a, b) && scan_mem_address(a) < scan_mem_address(b) + b_bytes &&
         scan_mem_address(b) < scan_mem_address(a) + a_bytes;
}

/* The same, and of the application's objects also those that share memory under two names: OpenCL's sub-buffers. */
int scan_mem_shared(const scan_ctx *ctx, scan_mem a, uint64_t a_bytes, scan_mem b, uint64_t b_bytes);

/* The memory, or where there is none some other. */
static inline scan_mem scan_mem_or(scan_mem mem, scan_mem some) { return mem.kind != SCAN_MEM_NONE ? mem : some; }

/* Frees what scan_ctx_destroy finds left. */
void scan_memories_release(scan_ctx *ctx);

#endif
