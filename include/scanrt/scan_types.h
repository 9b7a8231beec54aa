/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_types.h
 * @brief Types that calls share: status, element types, operators, strategies, memory, devices, options of a context.
 * Included by scan.h, which says what holds for all calls.
 */
#ifndef SCANRT_SCAN_TYPES_H
#define SCANRT_SCAN_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <scanrt/scan_cxx.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Before each function: what programs see of the shared library. Nothing with SCANRT_STATIC, the static library's. */
#if defined(SCANRT_STATIC)
#define SCAN_API
#else
#define SCAN_API __attribute__((visibility("default")))
#endif

#define SCAN_VERSION_MAJOR 0 /**< The headers' version: the first number. */
#define SCAN_VERSION_MINOR 2 /**< The second number. */
#define SCAN_VERSION_PATCH 0 /**< The third number. */

/** The headers' version as one number that grows: 10203 for 1.2.3. For `#if`. */
#define SCAN_VERSION_NUMBER (SCAN_VERSION_MAJOR * 10000 + SCAN_VERSION_MINOR * 100 + SCAN_VERSION_PATCH)

/** The result of a call. The numbers never change meaning. */
typedef enum scan_status {
  SCAN_SUCCESS = 0,          /**< Done (or, for asynchronous work, accepted). */
  SCAN_INVALID_ARGUMENT = 1, /**< A caller's mistake; nothing was launched or written. */
  SCAN_UNSUPPORTED = 2,      /**< Valid, but this device or build cannot do it; nothing was launched. */
  SCAN_NO_DEVICE = 3,        /**< No device matches the selector, or the selected device has gone. */
  SCAN_OUT_OF_MEMORY = 4,    /**< Host or device memory ran out, or a driver does not allocate so much at once
                                  (scan_device_info.max_alloc_bytes); the context stays usable. */
  SCAN_BUILD_FAILED = 5,     /**< A kernel did not compile or load; scan_last_error has the compiler's words. */
  SCAN_DEVICE_ERROR = 6,     /**< The driver reported a failure; destroy the context. */
  SCAN_NO_PROGRESS = 7,      /**< A look-back waited in vain for another work-group, or the device cut it short; the
                                  output is unspecified, and so is an input that was scanned in place. The context is
                                  usable: scan again; its AUTO takes SCAN_STRATEGY_REDUCE_THEN_SCAN from then on. */
  SCAN_CANCELLED = 8,        /**< A callback of scan_stream asked for an end. */
  SCAN_OVERFLOW = 9 /**< A scan with SCAN_CHECK_OVERFLOW met a result that its type does not hold; the output is
                         complete, and wrapped around from scan_overflow_index on, in the order of the scan. */
} scan_status;

/** Element types. */
typedef enum scan_type {
  SCAN_TYPE_DEFAULT = 0, /**< `input_type` is `type`. Not a type by itself. */
  SCAN_I8 = 1,
  SCAN_U8 = 2,
  SCAN_I16 = 3,
  SCAN_U16 = 4,
  SCAN_I32 = 5,
  SCAN_U32 = 6,
  SCAN_I64 = 7,
  SCAN_U64 = 8,
  SCAN_F32 = 9,  /**< IEEE 754 binary32. */
  SCAN_F64 = 10, /**< IEEE 754 binary64. */
  SCAN_F16 = 11, /**< IEEE 754 binary16: stored in 16 bits, scanned in binary32. Each output is rounded to the nearest,
                      ties to even; the sum goes on unrounded. SCAN_ADD, SCAN_MUL, SCAN_MIN and SCAN_MAX. */
  SCAN_BF16 = 12 /**< bfloat16, the upper half of a binary32: otherwise as SCAN_F16. */
} scan_type;

/**
 * Operators. Integers wrap around modulo 2^bits (signed ones too, in two's complement).
 *
 * SCAN_MIN is the C expression `(b < a || b != b) ? b : a` and SCAN_MAX is `(b > a || b != b) ? b : a`, where a
 * precedes b: a NaN, once met, stays; of equal values (-0.0 and +0.0 too) the earlier one stays. Both are associative.
 *
 * Every NaN that a scan by SCAN_ADD or SCAN_MUL outputs, as a result, a total, a carry or a sum of a run, is the quiet
 * NaN 0x7fc00000, of SCAN_F64 0x7ff8000000000000, of SCAN_F16 0x7e00, of SCAN_BF16 0x7fc0. So a NaN of other bits in
 * the input does not keep them, not even in the first result of an inclusive scan, which is no sum; only n = 0 copies
 * what the scan begins from. The NaNs of SCAN_MIN and SCAN_MAX have bits of the input's, but of SCAN_F16 and SCAN_BF16
 * a device may change them. The NaNs of operators from source depend on the device.
 */
typedef enum scan_op_id {
  SCAN_OP_NONE = 0, /**< Not an operator: a spec must name one. */
  SCAN_ADD = 1,
  SCAN_MUL = 2,
  SCAN_MIN = 3,
  SCAN_MAX = 4,
  SCAN_AND = 5, /**< Bitwise, integers only. */
  SCAN_OR = 6,  /**< Bitwise, integers only. */
  SCAN_XOR = 7  /**< Bitwise, integers only. */
} scan_op_id;

/** The elements that a result covers. */
typedef enum scan_kind {
  SCAN_INCLUSIVE = 0, /**< out[i] covers in[0..i]. */
  SCAN_EXCLUSIVE = 1, /**< out[i] covers in[0..i-1]; out[0] is `init`, or the operator's identity. */
  SCAN_TOTAL = 2 /**< out is one element, which covers all of in: the same bits as the last element of the inclusive
                      scan. The input is read once and nothing else is written. Of no elements it is what the scan
                      begins from (of floating-point sums -0.0). Of segmented scans it covers the last segment. Not
                      for scan_stream, nor by the textbook scans. */
} scan_kind;

/** The algorithm of a scan. Results are the same bits, SCAN_STRATEGY_SEQUENTIAL and the textbook
 *  scans apart. The textbook scans are the literature's own, for comparison and teaching, on OpenCL and, for the types
 * and operators that CMakeLists.txt lists, on CUDA; tools/doc/measurements/textbook.md has their sources and costs. */
typedef enum scan_strategy {
  SCAN_STRATEGY_AUTO = 0,
  /** One work-item, left to right. The textbook loop: floating-point bits are those of that loop. For checking. */
  SCAN_STRATEGY_SEQUENTIAL = 1,
  /** One work-group, one launch, no global state: small n. */
  SCAN_STRATEGY_BLOCK = 2,
  /** Two passes over the input, three launches, no work-group waits for another: any device. */
  SCAN_STRATEGY_REDUCE_THEN_SCAN = 3,
  /** One pass, one launch: decoupled look-back (Merrill and Garland, 2016), tiles claimed by an atomic ticket and
   *  published ahead. */
  SCAN_STRATEGY_LOOKBACK = 4,
  /** The host backend's threads. */
  SCAN_STRATEGY_THREADS = 5,
  /** CUDA, compute capability 8.0 and later: look-back with loads, reduction, look-back and output in warps of their
   * own, for large n; up to 4 MiB of output it is the same as look-back. */
  SCAN_STRATEGY_PIPELINED = 6,
  /** Textbook: step doubling over a tile in local memory, then the tiles' totals, then an addition; four times n. */
  SCAN_STRATEGY_HILLIS_STEELE = 7,
  /** Textbook: a balanced tree, up and down, in place of the step doubling. */
  SCAN_STRATEGY_BLELLOCH = 8,
  /** Textbook: the same with local memory padded, so that no two work-items meet on a bank. */
  SCAN_STRATEGY_BLELLOCH_PADDED = 9,
  /** Textbook: Kogge and Stone's scan over 32 lanes by shuffles (through local memory where there are none). */
  SCAN_STRATEGY_SUBGROUP = 10,
  /** Textbook: reduce, scan the totals, scan; three times n. */
  SCAN_STRATEGY_THREE_PASS = 11,
  /** Textbook: one pass, each tile waits for the prefix of the one before (StreamScan, 2013). Needs work-groups that
   * are scheduled fairly and 64-bit atomics; a wait that is given up ends in SCAN_NO_PROGRESS. */
  SCAN_STRATEGY_CHAINED = 12,
  /** Textbook: decoupled look-back as published (Merrill and Garland, 2016): aggregate and prefix descriptors, a window
   *  of 32 tiles at once. Needs what SCAN_STRATEGY_CHAINED needs. */
  SCAN_STRATEGY_LOOKBACK_CLASSIC = 13,
  /** Textbook: Sklansky's network (1960): log n steps of n / 2 applications; four times n. */
  SCAN_STRATEGY_SKLANSKY = 14,
  /** Textbook: Brent and Kung's network (1982) with radix 4: scans up, fans down; four times n. */
  SCAN_STRATEGY_BRENT_KUNG = 15,
  /** Textbook: raking reduce-then-scan of a tile: 32 lanes fold a segment each, then scan it; four times n. */
  SCAN_STRATEGY_RAKING = 16
} scan_strategy;

/** The interface that drives a device. */
typedef enum scan_backend {
  SCAN_BACKEND_CUDA = 1,   /**< A GPU, by NVIDIA's driver. */
  SCAN_BACKEND_OPENCL = 2, /**< A device of an OpenCL driver. */
  SCAN_BACKEND_HOST = 3    /**< Threads of this process. */
} scan_backend;

typedef struct scan_ctx scan_ctx;   /**< A device, its queue, its compiled kernels. */
typedef struct scan_plan scan_plan; /**< One spec, compiled and with its workspace allocated. */
typedef struct scan_op scan_op;     /**< An operator and an element type from source (scan_op.h). */

/** Kinds of memory a scan_mem names. */
typedef enum scan_mem_kind {
  SCAN_MEM_NONE = 0,      /**< A zero-initialised scan_mem: no memory. */
  SCAN_MEM_HOST = 1,      /**< Ordinary host memory. */
  SCAN_MEM_ALLOCATED = 2, /**< From scan_alloc, of one context. */
  SCAN_MEM_CUDA = 3,      /**< A CUdeviceptr of the application's (scan_cuda.h). */
  SCAN_MEM_OPENCL = 4,    /**< A cl_mem of the application's (scan_opencl.h). */
  SCAN_MEM_SVM = 5,       /**< A pointer to the application's shared virtual memory of OpenCL (scan_opencl.h). */
  SCAN_MEM_USM = 6        /**< A pointer to its unified shared memory of OpenCL (scan_opencl.h). */
} scan_mem_kind;

/**
 * A piece of memory, passed by value. Make one with scan_host, scan_alloc, scan_cuda_mem, scan_opencl_mem,
 * scan_opencl_svm or scan_opencl_usm; treat the fields as read-only.
 */
typedef struct scan_mem {
  scan_mem_kind kind;    /**< Kind of the handle. */
  void *handle;          /**< Host pointer, device pointer, shared pointer or cl_mem, as the application gave it; of
                              scan_alloc the library's own record, which is no memory: scan_host_ptr, scan_cuda_ptr and
                              scan_opencl_buffer give what is behind it. */
  uint64_t offset_bytes; /**< Bytes from the handle to the begin of the memory. */
  uint64_t size_bytes;   /**< Bytes that follow the offset; 0: not known (host memory); UINT64_MAX: none, as when
                              scan_offset has moved the start to the end or past it. */
} scan_mem;

/** A scan_mem that names no memory: an expression, and the initialiser of a variable or of a field. Static memory, and
 * a struct's field that its initialiser leaves out, are no memory without it. */
#ifdef __cplusplus
#define SCAN_NO_MEM (scan_mem{})
#else
#define SCAN_NO_MEM ((scan_mem){ SCAN_MEM_NONE, NULL, 0, 0 })
#endif

/** For `capacity` and `rest_capacity` of compactions and runs: outputs have no room. 0 stands for n there. */
#define SCAN_NO_CAPACITY (UINT64_MAX)

/** Levels of scan_device_info's atomic memory capabilities: the bits of CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES. */
enum {
  SCAN_ATOMIC_ORDER_RELAXED = 1 << 0,
  SCAN_ATOMIC_ORDER_ACQ_REL = 1 << 1,
  SCAN_ATOMIC_ORDER_SEQ_CST = 1 << 2,
  SCAN_ATOMIC_SCOPE_WORK_ITEM = 1 << 3,
  SCAN_ATOMIC_SCOPE_WORK_GROUP = 1 << 4,
  SCAN_ATOMIC_SCOPE_DEVICE = 1 << 5,
  SCAN_ATOMIC_SCOPE_ALL_DEVICES = 1 << 6
};

/** Facts that a device's driver reports: all that the choice of kernels and strategies depends on. 0 where the driver
 * gives no answer, and where a question makes no sense for the backend. */
typedef struct scan_device_facts {
  uint32_t opencl_version;                 /**< 100 times OpenCL's version: 120, 200, 300; 0: not OpenCL. */
  uint32_t opencl_c_version;               /**< OpenCL C's version, as CL_DEVICE_OPENCL_C_VERSION words it. */
  uint32_t compute_capability;             /**< NVIDIA: ten times the compute capability: 61, 90. */
  uint32_t is_accelerator;                 /**< 1 when the device is neither a processor nor a GPU. */
  uint32_t lacks_compiler;                 /**< 1 when the driver cannot build kernels from source. */
  uint32_t lacks_int64;                    /**< 1 for an embedded profile without 64-bit integers. */
  uint32_t has_int64_base_atomics;         /**< cl_khr_int64_base_atomics. */
  uint32_t has_int64_extended_atomics;     /**< cl_khr_int64_extended_atomics. */
  uint32_t atomic_capabilities;            /**< SCAN_ATOMIC_* bits; OpenCL 3.0. */
  uint32_t has_sub_groups;                 /**< cl_khr_subgroups, OpenCL 2.1 and 2.2, or OpenCL 3.0 that counts them. */
  uint32_t has_sub_group_shuffle;          /**< cl_khr_subgroup_shuffle. */
  uint32_t has_sub_group_shuffle_relative; /**< cl_khr_subgroup_shuffle_relative. */
  uint32_t has_intel_sub_groups;           /**< cl_intel_subgroups. */
  uint32_t has_required_sub_group_size;    /**< cl_intel_required_subgroup_size. */
  uint32_t sub_group_sizes;                /**< Sizes that may be required: the sum of powers of two (8 + 16 + 32). */
  uint32_t sub_group_items;                /**< Work-items of a sub-group (warp, wavefront). */
  uint32_t has_fp16;                       /**< cl_khr_fp16: arithmetic; binary16 can be stored without it. */
  uint32_t local_memory_is_global;         /**< 1 when local memory is a part of global memory. */
  uint32_t local_memory_optin_bytes;       /**< CUDA: shared memory that a work-group gets when it asks for more. */
  uint32_t base_align_bytes;               /**< Alignment of buffers. */
  uint32_t has_unified_memory;             /**< 1 when host and device share memory. */
} scan_device_facts;

/** Describes one device. Fill with SCAN_DEVICE_INFO_INIT before the call. */
typedef struct scan_device_info {
  size_t struct_bytes;      /**< sizeof(scan_device_info), set by SCAN_DEVICE_INFO_INIT. */
  scan_backend backend;     /**< Which backend drives it. */
  char selector[32];        /**< Selector: "cuda:0", "opencl:0", "host". */
  char name[128];           /**< The device's own name. */
  char vendor[128];         /**< Vendor; for OpenCL "platform name, device vendor". */
  char driver[128];         /**< Driver version as the driver words it. */
  uint64_t memory_bytes;    /**< Global memory. */
  uint64_t max_alloc_bytes; /**< Largest single allocation that the driver promises; scan_stream needs none so large. */
  uint64_t local_memory_bytes; /**< Local (shared) memory a work-group may use. */
  uint32_t compute_units;      /**< Multiprocessors, compute units or host threads. */
  uint32_t max_group_items;    /**< Largest work-group. */
  uint32_t is_cpu;             /**< 1 when the device is a processor, 0 when it is a GPU or an accelerator. */
  uint32_t has_fp64;           /**< 1 when SCAN_F64 works. */
  uint32_t has_int64_atomics;  /**< 1 when 64-bit atomics work; look-back uses 32-bit ones elsewhere. */
  uint32_t has_shuffles;       /**< 1 when the kernels exchange registers between work-items. */
  uint32_t has_fair_progress;  /**< 1 when started work-groups are known to be scheduled fairly; scan_ctx_device says 0
                                    after a SCAN_NO_PROGRESS of the context, or a second try of scan_run. */
  uint32_t flushes_denormals;  /**< 1 when the device flushes binary32 denormals, so that those bits may differ. */
  scan_strategy auto_strategy; /**< The strategy that AUTO takes for a large int32 sum. */
  scan_device_facts facts;     /**< Further facts that the driver reports. */
  uint32_t loop_limit;         /**< Iterations after which the device ends a work-item's loops, silently; 0: none. */
  uint32_t group_items;        /**< Work-items a work-group of the portable kernels; 1: each walks a tile alone. */
  uint32_t sub_group_items;    /**< Size of the sub-groups that the kernels require; 0: none. */
  char exchange[16];           /**< How work-items exchange registers: "none", "local", "ptx", "sub_group". */
  char descriptors[16];        /**< Form of a look-back's descriptors: "none", "packed" words of 64 bits, "split"
                                  words of 32. */
  char variant_reason[192];    /**< Why these kernels, in words. */
  char refusal[160];           /**< Why no scan runs on the device; empty: scans run. */
} scan_device_info;

/** Initialiser of scan_device_info. */
#define SCAN_DEVICE_INFO_INIT                                                                                          \
  SCAN_INITIALISER(scan_make_device_info_(), { .struct_bytes = sizeof(scan_device_info), .backend = SCAN_BACKEND_HOST })

/** Sets *info to the default. @param struct_bytes sizeof(scan_device_info) as the caller was compiled. */
SCAN_API void scan_device_info_init(scan_device_info *info, size_t struct_bytes);

/** Allocates device memory for a context: a device pointer (CUDA), a cl_mem of the context's cl_context (OpenCL), or a
 * pointer (host). CUDA and host memory is aligned to 256 bytes at least.
 * @param bytes what is needed, at least 1
 * @param queue the context's CUstream or cl_command_queue; NULL on the host
 * @param user  scan_ctx_options.user
 * @return the memory; NULL when there is none, upon which the call returns SCAN_OUT_OF_MEMORY. */
typedef void *(*scan_allocate_fn)(uint64_t bytes, void *queue, void *user);

/** Releases what scan_allocate_fn returned. Work that uses the memory may still be in the queue: release it in the
 * queue's order, as cudaFreeAsync and caching allocators do, or wait for the queue first.
 * @param memory what was allocated
 * @param bytes  as it was allocated
 * @param queue, user as in scan_allocate_fn */
typedef void (*scan_release_fn)(void *memory, uint64_t bytes, void *queue, void *user);

/** Options of scan_ctx_create. Zero or NULL means the default. */
typedef struct scan_ctx_options {
  size_t struct_bytes;    /**< sizeof(scan_ctx_options), set by SCAN_CTX_OPTIONS_INIT. */
  const char *device;     /**< Selector (README: "Selecting a device"); NULL: $SCANRT_DEVICE, else the best device. */
  scan_strategy strategy; /**< Strategy of plans whose spec says AUTO; AUTO: $SCANRT_STRATEGY, else by device and n. */
  uint32_t threads;       /**< Host backend: number of threads; 0: the process's affinity mask. */
  scan_allocate_fn allocate; /**< Allocator of all device memory of the context: workspaces, staging memory, chunks of
                                  streams, scan_alloc. Called by the thread that makes the call. NULL: the driver's. */
  scan_release_fn release;   /**< Releases what `allocate` returned; NULL without `allocate`. */
  void *user;                /**< Passed to both. */
} scan_ctx_options;

/** Initialiser of scan_ctx_options. */
#define SCAN_CTX_OPTIONS_INIT                                                                                          \
  SCAN_INITIALISER(scan_make_<scan_ctx_options>(), { .struct_bytes = sizeof(scan_ctx_options) })

/** Sets *options to the default. @param struct_bytes sizeof(scan_ctx_options) as the caller was compiled. */
SCAN_API void scan_ctx_options_init(scan_ctx_options *options, size_t struct_bytes);

#ifdef __cplusplus
/** @cond */
SCAN_MAKER scan_device_info scan_make_device_info_() {
  scan_device_info info = scan_make_<scan_device_info>();
  info.backend = SCAN_BACKEND_HOST;
  return info;
}
/** @endcond */
}
#endif

#endif
