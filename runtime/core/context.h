/* SPDX-License-Identifier: BSD-2-Clause */
/* The context: an open device, its memory, its plans, and the message of the last failure. */
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
  pid_t pid; /* the process that created the context; a child of fork must not use it */
  const scan_backend_ops *ops;
  scan_device *device;
  scan_caps caps;
  scan_strategy strategy;    /* used where a spec says AUTO */
  scan_allocate_fn allocate; /* the application's allocator, with `release` and `user`; NULL: the backend's */
  scan_release_fn release;
  void *user;
  scan_memory_table memories;
  scan_plan *plans;              /* all plans, for the checks at synchronisation */
  scan_op *operators;            /* operators from source that an owner or a plan keeps */
  scan_op *spare_operators;      /* memory of destroyed operators */
  struct scan_builtin *builtins; /* sources of built-in operators (builtin_source.c) */
  scan_staging in, out;          /* staging memory of calls over host memory */
  int has_overflowed;            /* 1: a call has returned SCAN_OVERFLOW */
  uint64_t overflow_index;       /* index of the last overflow that was reported */
  /* Errors of destroyed plans that have not been reported yet (progress.c, overflow.c). */
  int pending_no_progress, pending_in_place, pending_overflow;
  uint64_t pending_overflow_index;
  uint64_t pending_n_overflow,
      pending_n_overflow_most; /* an n_from that was too large, 0: none; and the max_n of its plan (n_from.c) */
  scan_error error;
};

/* Returns SCAN_INVALID_ARGUMENT with a message: the argument is invalid. Needs a variable `ctx`. */
#define FAIL_INVALID(...) return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT, __VA_ARGS__)

/* Returns SCAN_UNSUPPORTED with a message: the argument is valid, but not supported here. Needs a variable `ctx`. */
#define FAIL_UNSUPPORTED(...) return scan_fail(&ctx->error, SCAN_UNSUPPORTED, __VA_ARGS__)

/* Checks a context's handle. The message of a failure stays until the next failure; if `ctx` is not a context, it is
 * the thread's message. */
scan_status scan_ctx_enter(scan_ctx *ctx, const char *call);

/* Resolves memory to the backend's own. Checks its kind, its owner, and that `bytes` follow the offset. `name` is the
 * parameter's name, for the message. */
scan_status scan_mem_resolve(scan_ctx *ctx, scan_mem mem, uint64_t bytes, const char *name, scan_mem *resolved);

/* 1 if a call must stage this memory: it is host memory and the device has memory of its own. */
int scan_mem_is_staged(const scan_ctx *ctx, scan_mem mem);

/* Resolves the memory of an argument. Host memory stays as it is, and its size is not checked, if the host scans or
 * the call may stage it (stageable: 1). */
static inline scan_status scan_mem_resolve_argument(scan_ctx *ctx, scan_mem *mem, uint64_t bytes, int stageable,
                                                    const char *name) {
  const int stays = mem->kind == SCAN_MEM_HOST && (stageable || ctx->ops->id == SCAN_BACKEND_HOST);
  if (!stays) return scan_mem_resolve(ctx, *mem, bytes, name, mem);
  if (mem->handle == NULL) FAIL_INVALID("%s is host memory at NULL", name);
  return SCAN_SUCCESS;
}

/* The address of host memory. */
static inline char *scan_mem_bytes(scan_mem mem) { return (char *)mem.handle + mem.offset_bytes; }

/* Allocates device memory, with the application's allocator if it gave one. */
scan_status scan_device_alloc(scan_ctx *ctx, uint64_t bytes, void **handle);

/* Frees memory of scan_device_alloc. */
scan_status scan_device_free(scan_ctx *ctx, void *handle, uint64_t bytes, scan_error *error);

/* Grows staging memory to at least `bytes` and sets *mem to it. Its old contents may be lost. */
scan_status scan_staging_reserve(scan_ctx *ctx, scan_staging *staging, uint64_t bytes, scan_mem *mem);

/* Makes a scan_mem of a handle of device memory. */
static inline scan_mem scan_mem_of_device(const scan_ctx *ctx, void *handle, uint64_t bytes) {
  return (scan_mem){ .kind = ctx->ops->memory, .handle = handle, .size_bytes = bytes };
}

/* The address of the memory's first byte: in an OpenCL buffer its offset, elsewhere its pointer. */
static inline uint64_t scan_mem_address(scan_mem mem) {
  return mem.kind == SCAN_MEM_OPENCL ? mem.offset_bytes : (uint64_t)(uintptr_t)mem.handle + mem.offset_bytes;
}

/* 1 if resolved memory begins at a multiple of `bytes`, a power of two. */
static inline int scan_mem_aligned(scan_mem mem, uint64_t bytes) { return (scan_mem_address(mem) & (bytes - 1)) == 0; }

/* 1 if the memory is a pointer that OpenCL's host and device share. */
static inline int scan_mem_is_shared_pointer(scan_mem mem) {
  return mem.kind == SCAN_MEM_SVM || mem.kind == SCAN_MEM_USM;
}

/* 1 if the addresses of two resolved memories are in one address space. */
static inline int scan_mem_comparable(scan_mem a, scan_mem b) {
  if (scan_mem_is_shared_pointer(a)) return scan_mem_is_shared_pointer(b);
  return a.kind == b.kind && (a.kind != SCAN_MEM_OPENCL || a.handle == b.handle);
}

/* 1 if two resolved memories begin at the same byte. */
static inline int scan_mem_same(scan_mem a, scan_mem b) {
  return scan_mem_comparable(a, b) && scan_mem_address(a) == scan_mem_address(b);
}

/* 1 if two resolved memories have a byte in common by their addresses. */
static inline int scan_mem_overlap(scan_mem a, uint64_t a_bytes, scan_mem b, uint64_t b_bytes) {
  return scan_mem_comparable(a, b) && scan_mem_address(a) < scan_mem_address(b) + b_bytes &&
         scan_mem_address(b) < scan_mem_address(a) + a_bytes;
}

/* 1 if two resolved memories have a byte in common. Unlike scan_mem_overlap, it also finds OpenCL sub-buffers of one
 * buffer, which have different handles. */
int scan_mem_shared(const scan_ctx *ctx, scan_mem a, uint64_t a_bytes, scan_mem b, uint64_t b_bytes);

/* Rounds up to a multiple of `align`. */
static inline uint64_t scan_round_up(uint64_t bytes, uint64_t align) { return (bytes + align - 1) / align * align; }

/* Returns `mem`, or `some` if `mem` is SCAN_NO_MEM. */
static inline scan_mem scan_mem_or(scan_mem mem, scan_mem some) { return mem.kind != SCAN_MEM_NONE ? mem : some; }

/* Frees all memory of scan_alloc and the staging memory. */
void scan_memories_release(scan_ctx *ctx);

#endif
