/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_runs.h
 * @brief Runs of equal keys: run-length encoding and reduction by key.
 *
 * A run is as many equal keys as lie side by side. Keys are compared by C's ==, so each NaN is a run of its own, and
 * -0.0 and +0.0 are equal. Run-length encoding writes of each run its first key, its length and where it begins;
 * reduction by key its last key, and the values that belong to it combined by any operator that scans have. The number
 * of runs is left in device memory, from where the next call may read its n. Results are the same bytes on every
 * device.
 *
 *     scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U32);
 *     scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(keys, keys_out, lengths, count);
 *     scan_run_length_encode(ctx, &spec, n, &args);
 *
 *     scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
 *     scan_reduce_by_key_args sums = SCAN_REDUCE_BY_KEY_ARGS_INIT(keys, values, keys_out, sums_out, count);
 *     scan_reduce_by_key(ctx, &sum, n, &sums);
 *
 * Both are compactions (scan_select.h). On CUDA (8.0 and later) keys of 4 and 8 bytes are encoded in one launch, with
 * look-back; its workspace is 8 bytes for 2048 keys. The host encodes in one pass over the keys. Elsewhere there are
 * marks, places, and a launch for each output, and a plan's workspace is a bit a key and 8 bytes for 4096.
 *
 * Built-in sums of values of 4 or 8 bytes that do not widen, without an initial value and without a check for overflow,
 * are two launches on CUDA, up to 256 tiles one (a bit a key and 16 or 32 bytes for 2048), and one pass on the host.
 * Any other reduction's plan has a scan among its launches, with the workspace of that, another bit a key, and room for
 * max_n results.
 */
#ifndef SCANRT_SCAN_RUNS_H
#define SCANRT_SCAN_RUNS_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- run-length encoding ----------------------------------------------------------------------------------------- */

/** The outputs of a run-length encoding. Zero-initialised fields mean the default. */
typedef struct scan_run_length_spec {
  size_t struct_bytes;   /**< sizeof(scan_run_length_spec), set by SCAN_RUN_LENGTH_SPEC_INIT or
                            scan_run_length_spec_init. */
  scan_type key_type;    /**< Any type. */
  scan_type length_type; /**< SCAN_U32 or SCAN_U64: lengths are written; 0: they are not. */
  scan_type start_type;  /**< SCAN_U32 or SCAN_U64: the index of each run's first key is written; 0: it is not. */
  uint64_t flags;        /**< SCAN_N_FROM_CLAMP or 0. */
} scan_run_length_spec;

/** Initialiser of scan_run_length_spec: lengths of that type, no starts. */
#define SCAN_RUN_LENGTH_SPEC_INIT(key_type_, length_type_)                                                             \
  SCAN_INITIALISER(                                                                                                    \
      scan_make_run_length_spec_(key_type_, length_type_),                                                             \
      { .struct_bytes = sizeof(scan_run_length_spec), .key_type = (key_type_), .length_type = (length_type_) })

/** Sets *spec to the default. @param struct_bytes sizeof(scan_run_length_spec) as the caller was compiled. */
SCAN_API void scan_run_length_spec_init(scan_run_length_spec *spec, size_t struct_bytes);

/** The memory of one run-length encoding. What is written lies apart from what is read and from each other. */
typedef struct scan_run_length_args {
  size_t struct_bytes; /**< sizeof(scan_run_length_args), set by SCAN_RUN_LENGTH_ARGS_INIT or
                          scan_run_length_args_init. */
  scan_mem keys;       /**< n keys, aligned to their size. */
  scan_mem keys_out;   /**< `capacity` keys, the first of each run; no memory: keys are not written. */
  scan_mem lengths;    /**< `capacity` lengths, of spec->length_type; none where that is 0. */
  scan_mem starts;     /**< `capacity` indices, of spec->start_type; none where that is 0. */
  uint64_t capacity;   /**< Runs that each output has room for; 0: n; more than n: n. Of more runs the first `capacity`
                          are written, each with its whole length, and nothing behind them. The count is that of all
                          runs even so, and the call and the next wait return SCAN_SUCCESS: compare the count with the
                          capacity. SCAN_NO_CAPACITY: no room; outputs are then not looked at, and may be no memory. */
  scan_mem count;      /**< A uint64_t that gets the number of runs; no memory: none does. It may be n_from, which is
                          read before the count is written. */
  scan_mem n_from;     /**< A uint64_t in memory of the device, which has the number of keys when the call's turn comes:
                          at most n, which is then what the memory is for. Keys past n are ignored: the call returns
                          SCAN_SUCCESS with the results of the first n, in host memory too, and the next scan_sync or
                          scan_read returns SCAN_INVALID_ARGUMENT, once; with SCAN_N_FROM_CLAMP it does not. No memory:
                          n. */
  const struct scan_opencl_events *opencl; /**< Events to wait for and to leave (scan_opencl.h); NULL: none. */
} scan_run_length_args;

/** Initialiser of scan_run_length_args without starts. */
#define SCAN_RUN_LENGTH_ARGS_INIT(keys_, keys_out_, lengths_, count_)                                                  \
  SCAN_INITIALISER(scan_make_run_length_args_(keys_, keys_out_, lengths_, count_),                                     \
                   { .struct_bytes = sizeof(scan_run_length_args),                                                     \
                     .keys = (keys_),                                                                                  \
                     .keys_out = (keys_out_),                                                                          \
                     .lengths = (lengths_),                                                                            \
                     .count = (count_) })

/** Sets *args to the default. @param struct_bytes sizeof(scan_run_length_args) as the caller was compiled. */
SCAN_API void scan_run_length_args_init(scan_run_length_args *args, size_t struct_bytes);

/**
 * Encodes n keys. With device memory alone the call is asynchronous, as scan_run; where any memory is the host's it
 * returns when all is done.
 * @param n  keys; 0: the count is 0, nothing else is written, and n_from is not read. With SCAN_U32 lengths at most
 *           2^32 - 1, with SCAN_U32 starts at most 2^32.
 * @return SCAN_INVALID_ARGUMENT, SCAN_UNSUPPORTED: nothing was launched. Others as scan_run. SCAN_SUCCESS where there
 *         are more runs than room, or more keys in n_from than n: scan_run_length_args.
 */
SCAN_API scan_status scan_run_length_encode(scan_ctx *ctx, const scan_run_length_spec *spec, uint64_t n,
                                            const scan_run_length_args *args);

/**
 * Compiles and allocates what an encoding of up to max_n keys needs.
 * @param[out] plan  for scan_plan_run_run_length, scan_plan_info (whose work is max_n) and scan_plan_destroy.
 */
SCAN_API scan_status scan_plan_create_run_length(scan_ctx *ctx, const scan_run_length_spec *spec, uint64_t max_n,
                                                 scan_plan **plan);

/** Enqueues a planned encoding of n keys, at most max_n: no allocation, no host synchronisation. All memory is the
 * device's (on the host backend, host memory, and the call is blocking). A CUDA graph may hold it. */
SCAN_API scan_status scan_plan_run_run_length(scan_plan *plan, uint64_t n, const scan_run_length_args *args);

/* ---- reduction by key -------------------------------------------------------------------------------------------- */

/**
 * Initialiser of scan_spec for a reduction by key: of values of `type_` by a built-in operator. Fields may be set as
 * for an inclusive scan in segments: `input_type` (sums that widen), `custom_op` (operators from source, with their
 * maps and emits; type and op are then 0), `has_init` (each run begins with the initial value), `strategy` (of the
 * scan), SCAN_CHECK_OVERFLOW, which tells the index of a value, and SCAN_N_FROM_CLAMP. SCAN_BACKWARD, other kinds and
 * other segments are refused.
 */
#define SCAN_REDUCE_BY_KEY_INIT(key_type_, type_, op_)                                                                 \
  SCAN_INITIALISER(scan_make_reduce_by_key_(key_type_, type_, op_), { .struct_bytes = sizeof(scan_spec),               \
                                                                      .type = (type_),                                 \
                                                                      .op = (op_),                                     \
                                                                      .kind = SCAN_INCLUSIVE,                          \
                                                                      .segments = SCAN_SEGMENTS_KEYS,                  \
                                                                      .key_type = (key_type_) })

/** The memory of one reduction by key. What is written lies apart from what is read and from each other. */
typedef struct scan_reduce_by_key_args {
  size_t struct_bytes; /**< sizeof(scan_reduce_by_key_args), set by SCAN_REDUCE_BY_KEY_ARGS_INIT or
                          scan_reduce_by_key_args_init. */
  scan_mem keys;       /**< n keys, aligned to their size. */
  scan_mem values;     /**< n values of spec->input_type, or as custom_op reads them. */
  scan_mem keys_out;   /**< `capacity` keys, the last of each run; no memory: keys are not written. */
  scan_mem values_out; /**< `capacity` results of spec->type, or as custom_op writes them: the value that the inclusive
                          scan in segments has at the last element of each run, in all bits. */
  uint64_t capacity;   /**< Runs that each output has room for, as scan_run_length_args.capacity: the first `capacity`
                          runs are written, each with the result of all its values, and the count is that of all runs.
                          0: n; SCAN_NO_CAPACITY: no room. */
  scan_mem count;      /**< A uint64_t that gets the number of runs; no memory: none does. It may be n_from. */
  scan_mem n_from; /**< As scan_run_length_args.n_from, with SCAN_N_FROM_CLAMP in scan_spec.flags. All n elements are
                      scanned, of which those past the number in memory change nothing, so that the bits of
                      floating-point results are those of n. So operators from source are applied to what lies there,
                      too. Not with SCAN_CHECK_OVERFLOW. */
  const struct scan_opencl_events *opencl; /**< Events to wait for and to leave (scan_opencl.h); NULL: none. */
} scan_reduce_by_key_args;

/** Initialiser of scan_reduce_by_key_args. */
#define SCAN_REDUCE_BY_KEY_ARGS_INIT(keys_, values_, keys_out_, values_out_, count_)                                   \
  SCAN_INITIALISER(scan_make_reduce_by_key_args_(keys_, values_, keys_out_, values_out_, count_),                      \
                   { .struct_bytes = sizeof(scan_reduce_by_key_args),                                                  \
                     .keys = (keys_),                                                                                  \
                     .values = (values_),                                                                              \
                     .keys_out = (keys_out_),                                                                          \
                     .values_out = (values_out_),                                                                      \
                     .count = (count_) })

/** Sets *args to the default. @param struct_bytes sizeof(scan_reduce_by_key_args) as the caller was compiled. */
SCAN_API void scan_reduce_by_key_args_init(scan_reduce_by_key_args *args, size_t struct_bytes);

/**
 * Reduces the values of each run. Asynchronous as scan_run_length_encode.
 * @param n  elements; 0: the count is 0, nothing else is written, and n_from is not read.
 * @return SCAN_INVALID_ARGUMENT, SCAN_UNSUPPORTED: nothing was launched. Others as scan_run. SCAN_SUCCESS where there
 *         are more runs than room, or more elements in n_from than n: scan_reduce_by_key_args.
 */
SCAN_API scan_status scan_reduce_by_key(scan_ctx *ctx, const scan_spec *spec, uint64_t n,
                                        const scan_reduce_by_key_args *args);

/**
 * Compiles and allocates what a reduction of up to max_n elements needs.
 * @param[out] plan  for scan_plan_run_reduce_by_key, scan_plan_info (the strategy, work and span of the scan,
 *                   where there is one, and the launches and the workspace of all) and scan_plan_destroy.
 */
SCAN_API scan_status scan_plan_create_reduce_by_key(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n,
                                                    scan_plan **plan);

/** Enqueues a planned reduction of n elements, at most max_n, as scan_plan_run_run_length does. */
SCAN_API scan_status scan_plan_run_reduce_by_key(scan_plan *plan, uint64_t n, const scan_reduce_by_key_args *args);

#ifdef __cplusplus
/** @cond */
SCAN_MAKER scan_run_length_spec scan_make_run_length_spec_(scan_type key_type, scan_type length_type) {
  scan_run_length_spec spec = scan_make_<scan_run_length_spec>();
  spec.key_type = key_type;
  spec.length_type = length_type;
  return spec;
}
SCAN_MAKER scan_run_length_args scan_make_run_length_args_(scan_mem keys, scan_mem keys_out, scan_mem lengths,
                                                           scan_mem count) {
  scan_run_length_args args = scan_make_<scan_run_length_args>();
  args.keys = keys;
  args.keys_out = keys_out;
  args.lengths = lengths;
  args.count = count;
  return args;
}
SCAN_MAKER scan_spec scan_make_reduce_by_key_(scan_type key_type, scan_type type, scan_op_id op) {
  scan_spec spec = scan_make_spec_(type, op, SCAN_INCLUSIVE);
  spec.segments = SCAN_SEGMENTS_KEYS;
  spec.key_type = key_type;
  return spec;
}
SCAN_MAKER scan_reduce_by_key_args scan_make_reduce_by_key_args_(scan_mem keys, scan_mem values, scan_mem keys_out,
                                                                 scan_mem values_out, scan_mem count) {
  scan_reduce_by_key_args args = scan_make_<scan_reduce_by_key_args>();
  args.keys = keys;
  args.values = values;
  args.keys_out = keys_out;
  args.values_out = values_out;
  args.count = count;
  return args;
}
/** @endcond */
}
#endif
#endif
