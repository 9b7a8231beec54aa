/* SPDX-License-Identifier: BSD-2-Clause */
/* The fake driver's objects, and the functions that begin its calls. */
#ifndef SCANRT_TESTS_FAKE_CUDA_STATE_H
#define SCANRT_TESTS_FAKE_CUDA_STATE_H

#include <pthread.h>
#include <scanrt/scan.h>

#include "bench_cuda_api.h"
#include "emulated.h"
#include "fake_cuda.h"

#define FAKE_EXPORT __attribute__((visibility("default")))

#define FAKE_DECLARE(member, name, parameters) FAKE_EXPORT cuda_result name parameters;
CUDA_FUNCTIONS(FAKE_DECLARE)
BENCH_CUDA_FUNCTIONS(FAKE_DECLARE)
#undef FAKE_DECLARE
#define FAKE_DECLARE(member, name, result, parameters) FAKE_EXPORT result name parameters;
FAKE_CUDA_CONTROLS(FAKE_DECLARE)
#undef FAKE_DECLARE

/* Driver functions that only applications call, not the library. */
#define FAKE_APP_FUNCTIONS(FAKE_FUNCTION)                                                                              \
  FAKE_FUNCTION(cuCtxCreate_v2, (cuda_context *, unsigned, cuda_device))                                               \
  FAKE_FUNCTION(cuCtxDestroy_v2, (cuda_context))                                                                       \
  FAKE_FUNCTION(cuCtxSetCurrent, (cuda_context))                                                                       \
  FAKE_FUNCTION(cuDevicePrimaryCtxGetState, (cuda_device, unsigned *, int *))                                          \
  FAKE_FUNCTION(cuStreamQuery, (cuda_stream))                                                                          \
  FAKE_FUNCTION(cuMemAllocManaged, (cuda_ptr *, size_t, unsigned))                                                     \
  FAKE_FUNCTION(cuMemAllocAsync, (cuda_ptr *, size_t, cuda_stream))                                                    \
  FAKE_FUNCTION(cuMemFreeAsync, (cuda_ptr, cuda_stream))

/* Driver functions that only the transports of libscanrt_mpi call. */
#define FAKE_PEER_FUNCTIONS(FAKE_FUNCTION)                                                                             \
  FAKE_FUNCTION(cuPointerGetAttribute, (void *, int, cuda_ptr))                                                        \
  FAKE_FUNCTION(cuDeviceCanAccessPeer, (int *, cuda_device, cuda_device))                                              \
  FAKE_FUNCTION(cuCtxEnablePeerAccess, (cuda_context, unsigned))                                                       \
  FAKE_FUNCTION(cuMemcpyPeerAsync, (cuda_ptr, cuda_context, cuda_ptr, cuda_context, size_t, cuda_stream))              \
  FAKE_FUNCTION(cuStreamCreateWithPriority, (cuda_stream *, unsigned, int))                                            \
  FAKE_FUNCTION(cuIpcGetMemHandle, (fake_ipc_handle *, cuda_ptr))                                                      \
  FAKE_FUNCTION(cuIpcOpenMemHandle_v2, (cuda_ptr *, fake_ipc_handle, unsigned))                                        \
  FAKE_FUNCTION(cuIpcCloseMemHandle, (cuda_ptr))

/* Names memory to other processes: the file of the memory, in the process that allocated it. */
typedef union fake_ipc_handle {
  char bytes[64];
  struct {
    int process, file;
    size_t size_bytes;
  } memory;
} fake_ipc_handle;

#define FAKE_DECLARE(name, parameters) FAKE_EXPORT cuda_result name parameters;
FAKE_APP_FUNCTIONS(FAKE_DECLARE)
FAKE_PEER_FUNCTIONS(FAKE_DECLARE)
#undef FAKE_DECLARE

enum {
  FAKE_DEVICES = 2,
  FAKE_APP_CONTEXTS = 4,
  FAKE_STACK = 16,
  FAKE_UNITS = 4,
  FAKE_GROUP_ITEMS = 256,
  FAKE_GROUPS_PER_UNIT = 2,
  FAKE_LOCAL_BYTES = 49152,        /* shared memory of a launch without cuFuncSetAttribute */
  FAKE_LOCAL_BYTES_OPTIN = 232448, /* H100; the next one: A100 */
  FAKE_LOCAL_BYTES_OPTIN_80 = 166912,
  /* CUresult */
  FAKE_INVALID_VALUE = 1,
  FAKE_NOT_INITIALIZED = 3,
  FAKE_INVALID_DEVICE = 101,
  FAKE_INVALID_CONTEXT = 201,
  FAKE_INVALID_HANDLE = 400,
  FAKE_NOT_FOUND = 500,
  FAKE_ILLEGAL_ADDRESS = 700,
  FAKE_PEER_ACCESS_ALREADY_ENABLED = 704,
  FAKE_ALREADY_REGISTERED = 712,
  FAKE_NOT_REGISTERED = 713,
  FAKE_LAUNCH_FAILED = 719,
  FAKE_CAPTURE_UNSUPPORTED = 900,
  FAKE_CAPTURE_INVALIDATED = 901
};

struct CUctx_st {
  int device;
  int refs;                                  /* references to a primary context; 1 for an application's own */
  unsigned peers;                            /* a bit for each device whose memory its kernels can reach */
  int rts_stage;                             /* launches of a reduce-then-scan so far: 0, 1 (reduced), 2 (spine done) */
  const struct fake_textbook *textbook_last; /* whose successor must follow; NULL: none */
};

struct CUstream_st {
  cuda_context context;
  struct CUgraph_st *capture; /* the graph that a capture records into; NULL: the stream executes */
  struct CUstream_st *next;
  unsigned flags;
  int capture_mode, is_spoiled; /* of the capture */
  pthread_t capture_thread;
};

/* A kernel, named <kernel>_<op>_s<subtiles>. */
struct CUfunc_st {
  cuda_module module;
  char name[128];
  const char *kernel;
  scan_op_id op;
  unsigned subtiles;
  unsigned local_bytes;             /* of dynamic shared memory that a launch may have */
  emulated_kernel *emulated_kernel; /* NULL: the reference stands in for the kernel */
  struct CUfunc_st *next;
};

struct CUmod_st {
  cuda_context context;
  int is_empty; /* contains only FAKE_EMPTY_KERNEL, and no types */
  scan_type input_type, type;
  int is_pipelined;       /* contains only the pipelined scan */
  int is_source;          /* contains operators from source: its kernels are found but cannot be launched */
  scan_op_id textbook_op; /* the operator of an image of textbook kernels; SCAN_OP_NONE: another image */
  void *emulated;         /* the library that the stand-in for NVRTC compiled; NULL: another image */
  struct CUfunc_st *functions;
  struct CUmod_st *next;
};

/* The arguments of a kernel, read from the list that a launch passes. */
typedef struct fake_arguments {
  cuda_ptr in, out, workspace; /* in and out with their offsets */
  uint64_t n, seed_bits;
  uint32_t tile_capacity, flags, spin_limit;
  uint64_t carry, carry_out;
} fake_arguments;

/* The kernel of `scanrt bench` that does nothing. */
#define FAKE_EMPTY_KERNEL "scanrt_bench_empty"

typedef struct fake_memory {
  cuda_context context;
  unsigned char *bytes;
  size_t size_bytes;
  struct fake_memory *next;
  int is_shared; /* 1: pages of a file in memory, which other processes can map */
  int file;      /* of shared memory */
  int is_mapped; /* 1: another process allocated it */
} fake_memory;

/* Counts the call. Returns the injected result if this call is to fail, else CUDA_OK. */
cuda_result fake_enter(const char *function);

/* Calls fake_enter, and fails if the calling thread has no current context. */
cuda_result fake_enter_context(const char *function);

/* Returns the calling thread's current context, or NULL. */
cuda_context fake_current(void);

/* Notes a misuse that a real device would punish, and returns `result`. */
cuda_result fake_punish(cuda_result result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 1 if the range lies in one live allocation of the current context. */
int fake_range_is_live(cuda_ptr first, uint64_t size_bytes);
/* 1 if the range lies in one live allocation of the context. */
int fake_range_is_live_in(cuda_context context, cuda_ptr first, uint64_t size_bytes);

/* 1 if the stream is a default stream or a live stream of the current context. */
int fake_stream_is_live(cuda_stream stream);

int fake_module_is_live(cuda_module module);

/* 1 if the function belongs to a loaded module of the current context. */
int fake_function_is_live(cuda_function function);

fake_arguments fake_read_parameters(cuda_function function, void **parameters);

/* Returns the grid of an emulated function's launch; zeros for another function. */
emulated_grid fake_read_grid(cuda_function function, unsigned groups, unsigned items, unsigned shared_bytes,
                             void **parameters);

/* Executes a launch on the current context. */
cuda_result fake_launch(cuda_function function, unsigned groups, unsigned items, const fake_arguments *args);

/* Parses "<kernel>_<op>_s<subtiles>"; 0 if the name has another form. */
int fake_parse_kernel(const char *name, struct CUfunc_st *function);

/* Parses "<kernel>_source<number>"; 0 if the name has another form. */
int fake_parse_source_kernel(const char *name, struct CUfunc_st *function);
/* Parses an image's name, such as "u8_u32", "pipelined_<pair>_sm80" or "textbook_<pair>_<op>"; 0 for another form. */
int fake_parse_pair(const char *name, struct CUmod_st *module);

/* 1 if the image is the PTX of FAKE_EMPTY_KERNEL. */
int fake_is_empty_ptx(const char *image);

/* 1 if kernels_cu/images.cmake has the function into this module. */
int fake_is_compiled(const struct CUmod_st *module, const struct CUfunc_st *function);

/* Returns the name of the textbook kernel at an index, or NULL past the last one. */
const char *fake_textbook_kernel(unsigned index);
/* 1 if the name is that of a textbook kernel. */
int fake_is_textbook(const char *kernel);
/* Checks the geometry and the workspace of a textbook kernel's launch. */
cuda_result fake_check_textbook(const struct CUfunc_st *f, unsigned groups, unsigned items, const fake_arguments *args);
/* Checks the order of a strategy's launches; sets *scans to 1 for the last one. */
cuda_result fake_advance_textbook(const struct CUfunc_st *f, int *scans);

#endif
