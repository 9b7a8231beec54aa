/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan.h
 * @brief Prefix scans on CUDA, OpenCL and the host through one C API.
 *
 * Every function returns a scan_status unless its comment says otherwise; outputs come last and are set only on
 * success. Handles are opaque. `*_destroy` and `scan_free` accept NULL. Nothing here prints, aborts or installs a
 * signal handler. Drivers may print: NVIDIA's OpenCL and PoCL write "1 error generated." to standard error while they
 * refuse an operator from source, within clBuildProgram, and take no option that keeps them from it.
 *
 * Threads: a context, its plans and its memory are used by one thread at a time; different contexts are independent,
 * also on the same device, and may be created by several threads at once. A context does not survive `fork`: in the
 * child its calls return SCAN_INVALID_ARGUMENT. Nor do drivers: a child of a process that has used the library should
 * exec, or keep to new contexts of "host"; on other devices even a new one can hang (as PoCL's do).
 *
 * Floating point: the host's kernels, and the functions of operators that they call, run in the default environment
 * (rounding to nearest, denormals kept, no traps), whatever the caller's is, which is as before when a call returns.
 *
 * Order of operations: the bits of a result depend on the input, n, type and operator only, never on the device, the
 * strategy (except SCAN_STRATEGY_SEQUENTIAL, see there, and the textbook scans), the run or the number of threads.
 * kernels_cl/README.md defines the order. The textbook strategies (SCAN_STRATEGY_HILLIS_STEELE and later), which AUTO
 * never takes, have orders of their own: their floating-point sums and products differ from the canonical ones in the
 * last digits; integers, minima and maxima are exact. scan_strategy_is_canonical tells them apart.
 *
 * Structs may grow: each begins with struct_bytes, its size as the caller was compiled. A smaller struct, of an older
 * version, is accepted, and what it lacks has its default; refused are 0, sizes that end within a field, and sizes
 * larger than this version's.
 *
 * What is given and not asked for is refused (SCAN_INVALID_ARGUMENT, in words): memory of arrays that the spec does not
 * name, marks without segments, parameters without a predicate that takes them, and the like. Of vectors in specs
 * (element_bytes, shape, ...) only as many entries are read as the spec counts (arrays, ndim).
 */
#ifndef SCANRT_SCAN_H
#define SCANRT_SCAN_H

#include <scanrt/scan_spec.h>
#include <scanrt/scan_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- devices ------------------------------------------------------------------------------------------------- */

/**
 * Counts the devices of this machine: CUDA devices first, then OpenCL devices, then the host (always there).
 * @param[out] count  number of devices, at least 1.
 * @return SCAN_SUCCESS; SCAN_INVALID_ARGUMENT when count is NULL. A missing driver library is not an error.
 */
SCAN_API scan_status scan_device_count(int *count);

/**
 * Describes device `index`.
 * @param index      0 to count - 1, in the order of scan_device_count.
 * @param[in,out] info  initialised with SCAN_DEVICE_INFO_INIT; filled on success.
 * @return SCAN_SUCCESS; SCAN_INVALID_ARGUMENT when info is NULL, not initialised, or index is out of range.
 */
SCAN_API scan_status scan_device_get(int index, scan_device_info *info);

/**
 * Says why a backend has no devices, or that it has some.
 * @return one line such as "libcuda.so.1 could not be opened: ..." or "2 devices"; valid until the thread's next call.
 */
SCAN_API const char *scan_backend_note(scan_backend backend);

/* ---- context ------------------------------------------------------------------------------------------------- */

/**
 * Opens a device. With options NULL: $SCANRT_DEVICE, else CUDA, else an OpenCL GPU, else the host.
 * @param options   NULL or initialised with SCAN_CTX_OPTIONS_INIT.
 * @param[out] ctx  the context; destroy with scan_ctx_destroy.
 * @return SCAN_NO_DEVICE when nothing matches the selector; scan_last_error(NULL) says what was there.
 */
SCAN_API scan_status scan_ctx_create(const scan_ctx_options *options, scan_ctx **ctx);

/** Waits for the context's work, frees its plans' and memory's resources, closes the device. NULL is accepted.
 *  Plans of the context must have been destroyed before. */
SCAN_API void scan_ctx_destroy(scan_ctx *ctx);

/** Describes the device that the context uses. @see scan_device_get */
SCAN_API scan_status scan_ctx_device(scan_ctx *ctx, scan_device_info *info);

/**
 * The cause of the last call that failed, in words. Calls that succeed leave it as it is, so that a program can clean
 * up first and report then; whether a call failed is said by its status alone. Functions that return nothing, such as
 * scan_plan_destroy, have words only where a driver fails in them.
 * @param ctx  a context; NULL: the last failure of this thread in a call without a context.
 * @return text owned by the library, empty if no call has failed yet; valid until the next failure on the same context
 *         (or, for NULL, on the same thread), or scan_ctx_destroy.
 */
SCAN_API const char *scan_last_error(const scan_ctx *ctx);

/* ---- memory -------------------------------------------------------------------------------------------------- */

/** Names host memory. Scans over it are blocking: on a GPU they copy in and out. @param ptr first byte; not owned. */
SCAN_API scan_mem scan_host(const void *ptr);

/** The host pointer to memory of scan_host, or of scan_alloc of a host context, offset included; NULL if it is
 * something else, or if the offset is the end or past it. @see scan_cuda_ptr, scan_opencl_buffer */
SCAN_API void *scan_host_ptr(scan_mem mem);

/**
 * Allocates memory on the context's device (host memory on the host backend: scan_host_ptr gives its address).
 * @param bytes     1 or more; content unspecified.
 * @param[out] mem  the memory; free with scan_free.
 */
SCAN_API scan_status scan_alloc(scan_ctx *ctx, uint64_t bytes, scan_mem *mem);

/** Frees memory of scan_alloc after the work that uses it. A zero scan_mem is accepted; mem must be as scan_alloc
 *  returned it (not offset). */
SCAN_API scan_status scan_free(scan_ctx *ctx, scan_mem mem);

/** Copies `bytes` from host memory `src` to the start of `dst`; blocking: src may be reused on return. */
SCAN_API scan_status scan_write(scan_ctx *ctx, scan_mem dst, const void *src, uint64_t bytes);

/** Copies `bytes` from the start of `src` to host memory `dst` after all work enqueued before; blocking.
 *  @return SCAN_NO_PROGRESS as scan_sync: the bytes were copied, and may be those of a scan that failed.
 *          SCAN_INVALID_ARGUMENT as scan_sync: the bytes were copied. */
SCAN_API scan_status scan_read(scan_ctx *ctx, scan_mem src, void *dst, uint64_t bytes);

/** Copies `bytes` from the start of `src` to the start of `dst`, both of the context's device, in the order of the
 *  context's scans; asynchronous. The two ranges must not overlap. */
SCAN_API scan_status scan_copy(scan_ctx *ctx, scan_mem dst, scan_mem src, uint64_t bytes);

/** Memory that starts `bytes` after the begin of `mem`. Bounds are checked where the memory is used. */
SCAN_API scan_mem scan_offset(scan_mem mem, uint64_t bytes);

/* ---- run ----------------------------------------------------------------------------------------------------- */

/**
 * Scans n elements. With device memory it is asynchronous (scan_sync, scan_read or the application's own
 * synchronisation waits); where `in`, `out` or a carry is host memory it returns when the scan is complete.
 * @param spec  what to compute.
 * @param n     number of elements; 0 succeeds and launches nothing (a carry is passed on).
 * @param args  the memory: `in` and `out`, for segments the marks, for scans in pieces the carries.
 *
 * A long scan may be cut into pieces, each begun from what the one before left (carry_in, carry_out). Integers, minima
 * and maxima are then those of the whole. Floating-point sums and products have the bits of a scan of each piece with
 * the initial value being the carry, which depend on where the cuts are, and on nothing else. Nothing waits: scans
 * chain on the device, also within a CUDA graph. The textbook scans have no carries.
 *
 * @return SCAN_INVALID_ARGUMENT, SCAN_UNSUPPORTED: nothing was launched. SCAN_NO_PROGRESS: only over host memory (else
 *         from scan_sync or scan_read), where a look-back that fails is first tried again as
 *         SCAN_STRATEGY_REDUCE_THEN_SCAN, whatever the spec asks for: not while an earlier scan over device memory has
 *         not been waited for, nor on CUDA after scan_run has scanned device memory in the same way. See scan_status
 *         for the others.
 */
SCAN_API scan_status scan_run_args(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_args *args);

/** scan_run_args with `in` and `out` alone. */
SCAN_API scan_status scan_run(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out);

/** Waits for all work of the context. @return SCAN_NO_PROGRESS (once) or SCAN_DEVICE_ERROR when a scan since the last
 *  synchronisation failed on the device. Such a scan is not repeated: its input may have been overwritten since, and
 *  its output used. SCAN_INVALID_ARGUMENT (once) when an n_from (scan_select.h and its kin) had more than its call's n:
 *  the results of the first n are there. */
SCAN_API scan_status scan_sync(scan_ctx *ctx);

/**
 * The index in the output (and so in memory, for backward scans too) of the element that the last SCAN_OVERFLOW of the
 * context named: the first, in the order of the scan, whose exact value its type does not hold. So results from there
 * on have wrapped around: those of this index and higher ones, or with SCAN_BACKWARD of this index and lower ones. n,
 * which no element has, where all outputs are right and only what an exclusive scan leaves in carry_out is not. Of
 * SCAN_TOTAL it is the element of the input with which the total leaves its type; of arrays scan_array.h says which; of
 * scan_stream it counts the elements of the whole. Of several scans since the wait before it is the least such index;
 * of several backward scans by one plan that of the earliest place, counted back from the end of the longest.
 * @return SCAN_INVALID_ARGUMENT when there was none.
 */
SCAN_API scan_status scan_overflow_index(scan_ctx *ctx, uint64_t *index);

/* ---- plan ---------------------------------------------------------------------------------------------------- */

/**
 * Compiles the kernels and allocates the workspace for scans of up to max_n elements.
 * @param[out] plan  destroy with scan_plan_destroy, before its context.
 */
SCAN_API scan_status scan_plan_create(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n, scan_plan **plan);

/**
 * Enqueues a planned scan: no allocation, no host synchronisation. All memory is as in scan_run_args, but must be
 * memory of the device (on the host backend, host memory, and the call is blocking). n is at most max_n. The one call
 * for every kind of plan: a plan of scan_plan_create_array takes the elements of its array for n.
 */
SCAN_API scan_status scan_plan_run_args(scan_plan *plan, uint64_t n, const scan_args *args);

/** scan_plan_run_args with `in` and `out` alone. */
SCAN_API scan_status scan_plan_run(scan_plan *plan, uint64_t n, scan_mem in, scan_mem out);

/** Says how much memory scan_plan_use_memory takes. @param[out] bytes  0 where the plan has none. */
SCAN_API scan_status scan_plan_memory_bytes(const scan_plan *plan, uint64_t *bytes);

/**
 * Puts memory of the caller's in the place of all device memory that the plan has allocated, which is freed. Plans of
 * every operation. Waits for the plan's runs; the context's next scan_sync or scan_read reports their errors.
 * @param memory  memory of the plan's device, aligned to 256 bytes, as many bytes as scan_plan_memory_bytes says. The
 *                plan keeps state there from run to run: until the plan is destroyed or given other memory, the
 *                application must not write there, nor give a part of it to another plan.
 * @return SCAN_INVALID_ARGUMENT also for a plan whose launches are in a CUDA graph, which has the addresses.
 */
SCAN_API scan_status scan_plan_use_memory(scan_plan *plan, scan_mem memory);

/** Says what the plan does. @param[in,out] info initialised with SCAN_PLAN_FACTS_INIT. */
SCAN_API scan_status scan_plan_info(const scan_plan *plan, scan_plan_facts *info);

/** Waits for the plan's work and frees it. NULL is accepted. The context's next scan_sync or scan_read reports the
 *  errors of its scans that no wait has reported yet (SCAN_OVERFLOW, SCAN_NO_PROGRESS). */
SCAN_API void scan_plan_destroy(scan_plan *plan);

/* ---- names --------------------------------------------------------------------------------------------------- */

/** "SCAN_SUCCESS", ...; "unknown status" for other numbers. */
SCAN_API const char *scan_status_name(scan_status status);
/** "i8" ... "f64", "f16", "bf16"; NULL for other numbers. */
SCAN_API const char *scan_type_name(scan_type type);
/** "add" ... "xor"; NULL for other numbers. */
SCAN_API const char *scan_op_name(scan_op_id op);
/** "auto", "sequential", "block", "reduce_then_scan", "lookback", "threads", "pipelined", and the textbook scans, such
 * as "blelloch"; NULL for other numbers. */
SCAN_API const char *scan_strategy_name(scan_strategy strategy);

/** 1 when a strategy follows the canonical order, so that floating-point results are the same bits: all that AUTO may
 *  take, and AUTO itself; 0 for SCAN_STRATEGY_SEQUENTIAL, the textbook scans and unknown numbers. */
SCAN_API int scan_strategy_is_canonical(scan_strategy strategy);
/** "cuda", "opencl", "host"; NULL for other numbers. */
SCAN_API const char *scan_backend_name(scan_backend backend);

/** The type, operator or strategy of that name; 0 (no type, no operator, AUTO) with SCAN_INVALID_ARGUMENT if none. */
SCAN_API scan_status scan_type_parse(const char *name, scan_type *type);
SCAN_API scan_status scan_op_parse(const char *name, scan_op_id *op);             /**< @see scan_type_parse */
SCAN_API scan_status scan_strategy_parse(const char *name, scan_strategy *value); /**< @see scan_type_parse */

/** Bytes of one element; 0 for other numbers. */
SCAN_API size_t scan_type_bytes(scan_type type);

/** Tells whether `op` is defined on `input_type` widened to `type` (input_type may be SCAN_TYPE_DEFAULT); 1 or 0. */
SCAN_API int scan_spec_defined(scan_type type, scan_type input_type, scan_op_id op);

/** The library's version at run time, such as "1.2.3". */
SCAN_API const char *scan_version(void);

/** The version as a number: SCAN_VERSION_NUMBER of the headers that the library was built with. */
SCAN_API int scan_version_number(void);

/** From what, by what and with what the library was built, in one line for reports: version and commit ("unknown" where
 *  it was no git checkout; "-dirty" behind it: with changes); compiler, build type and flags; CUDA images and for which
 *  GPUs, OpenCL ON or OFF, and more. The wording may change. */
SCAN_API const char *scan_build_info(void);

#ifdef __cplusplus
}
#endif

#include <scanrt/scan_op.h>
#include <scanrt/scan_stream.h>

#endif
