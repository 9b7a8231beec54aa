/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_reduce.h
 * @brief Segmented reduction: one result for each segment of an array.
 *
 * Segment s has the elements from begins[s] up to, without it, ends[s]. Most callers have one array of offsets, as the
 * row pointers of a CSR matrix are: segment s then ends where segment s + 1 begins. A segment without elements has the
 * initial value as its result, or else the operator's identity. Work is balanced by elements, so that a few long
 * segments take no longer than many short ones. Results are the same bytes on every device.
 *
 *     scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
 *     scan_segmented_reduce_args args = SCAN_SEGMENTED_REDUCE_ARGS_INIT(values, offsets, rows, sums);
 *     scan_segmented_reduce(ctx, &spec, n, &args);
 *
 * Segments may also begin where a flag or a bit says so, as those of scans (spec->segments, SCAN_SEGMENTS_FLAGS or
 * SCAN_SEGMENTS_BITS). Each then ends where the next one begins, and their number is a result:
 *
 *     scan_spec spec = SCAN_SEGMENTED_REDUCE_MARKED_INIT(SCAN_SEGMENTS_FLAGS, SCAN_F32, SCAN_ADD);
 *     scan_segmented_reduce_args args = SCAN_SEGMENTED_REDUCE_ARGS_INIT(values, flags, room, sums);
 *     args.count = count;
 *
 * By offsets most devices read the values once: a work-group stores the results of the segments that end in its tile.
 * By flags or bits OpenCL on processors does so. Elsewhere, and by OpenCL with SCAN_CHECK_OVERFLOW, segments are
 * scanned and the last value of each is copied; a plan then has room for max_n results.
 */
#ifndef SCANRT_SCAN_REDUCE_H
#define SCANRT_SCAN_REDUCE_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Initialiser of scan_spec for a segmented reduction: of values of `type_` by a built-in operator, with begins and ends
 * of `offset_type_`, SCAN_U32 or SCAN_U64. Fields may be set as for a scan of kind SCAN_TOTAL: `input_type` (sums that
 * widen), `custom_op` (operators from source, with their maps; type and op are then 0) and `has_init` (each segment
 * begins with the initial value), SCAN_CHECK_OVERFLOW (by offsets without `ends`; elements in no segment are then
 * checked as those of the segment before). SCAN_BACKWARD, SCAN_N_FROM, emits and a strategy are refused.
 */
#define SCAN_SEGMENTED_REDUCE_INIT(offset_type_, type_, op_)                                                           \
  SCAN_INITIALISER(scan_make_segmented_reduce_(offset_type_, type_, op_), { .struct_bytes = sizeof(scan_spec),         \
                                                                            .type = (type_),                           \
                                                                            .op = (op_),                               \
                                                                            .kind = SCAN_TOTAL,                        \
                                                                            .segments = SCAN_SEGMENTS_OFFSETS,         \
                                                                            .key_type = (offset_type_) })

/** Initialiser of scan_spec for segments that flags or bits begin: segments_ is SCAN_SEGMENTS_FLAGS or
 * SCAN_SEGMENTS_BITS. */
#define SCAN_SEGMENTED_REDUCE_MARKED_INIT(segments_, type_, op_)                                                       \
  SCAN_INITIALISER(scan_make_segmented_reduce_marked_(segments_, type_, op_), { .struct_bytes = sizeof(scan_spec),     \
                                                                                .type = (type_),                       \
                                                                                .op = (op_),                           \
                                                                                .kind = SCAN_TOTAL,                    \
                                                                                .segments = (segments_) })

/** The memory of one segmented reduction. `out` lies apart from what is read. */
typedef struct scan_segmented_reduce_args {
  size_t struct_bytes; /**< sizeof(scan_segmented_reduce_args), set by SCAN_SEGMENTED_REDUCE_ARGS_INIT or
                          scan_segmented_reduce_args_init. */
  scan_mem values;     /**< n values of spec->input_type, or as custom_op reads them. */
  scan_mem begins;   /**< `segments` indices of first elements, in ascending order. Without `ends` one more: the end of
                        the last segment. By flags or bits: n flags or bits as those of a scan (scan_args.marks);
                        element 0 always begins a segment. */
  scan_mem ends;     /**< `segments` indices, each one past a segment's last element: at most the begin of the next
                        segment and at most n. Elements between two segments are in neither. No memory: begins[s + 1]
                        is the end of segment s. */
  uint64_t segments; /**< Number of segments; 0: nothing is done. By flags or bits: the number of results that `out` has
                        room for; others are not written; 0: n. */
  scan_mem out;      /**< `segments` results of spec->type, or as custom_op writes them: the value that the inclusive
                        scan in segments has at the last element, in all bits. A segment without elements leaves its
                        result unchanged if there is neither an initial value nor an identity. */
  const struct scan_opencl_events *opencl; /**< Events to wait for and to leave (scan_opencl.h); NULL: none. */
  scan_mem count; /**< By flags or bits: receives the number of segments, a uint64_t; no memory: it is not written. */
} scan_segmented_reduce_args;

/** Initialiser of scan_segmented_reduce_args for offsets, segments_ + 1 numbers. */
#define SCAN_SEGMENTED_REDUCE_ARGS_INIT(values_, offsets_, segments_, out_)                                            \
  SCAN_INITIALISER(scan_make_segmented_reduce_args_(values_, offsets_, segments_, out_),                               \
                   { .struct_bytes = sizeof(scan_segmented_reduce_args),                                               \
                     .values = (values_),                                                                              \
                     .begins = (offsets_),                                                                             \
                     .segments = (segments_),                                                                          \
                     .out = (out_) })

/** Sets *args to the default. @param struct_bytes sizeof(scan_segmented_reduce_args) as the caller was compiled. */
SCAN_API void scan_segmented_reduce_args_init(scan_segmented_reduce_args *args, size_t struct_bytes);

/**
 * Reduces each segment. With device memory alone the call is asynchronous, as scan_run; where any memory is the host's
 * it returns when all is done.
 * @param n  elements of `values`. Results are undefined where begins descend, or where an end is above n or above the
 *           next begin; no other memory is touched then.
 * @return SCAN_INVALID_ARGUMENT, SCAN_UNSUPPORTED: nothing was launched. Others as scan_run. On CUDA it needs NVRTC.
 */
SCAN_API scan_status scan_segmented_reduce(scan_ctx *ctx, const scan_spec *spec, uint64_t n,
                                           const scan_segmented_reduce_args *args);

/**
 * Compiles and allocates what a segmented reduction of up to max_n elements in any number of segments needs.
 * @param[out] plan  for scan_plan_run_segmented_reduce, scan_plan_info and scan_plan_destroy.
 */
SCAN_API scan_status scan_plan_create_segmented_reduce(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n,
                                                       scan_plan **plan);

/** Enqueues a planned reduction of n elements, 1 to max_n: no allocation, no host synchronisation. All memory is the
 * device's (on the host backend, host memory, and the call is blocking). A CUDA graph may hold it. */
SCAN_API scan_status scan_plan_run_segmented_reduce(scan_plan *plan, uint64_t n,
                                                    const scan_segmented_reduce_args *args);

#ifdef __cplusplus
/** @cond */
SCAN_MAKER scan_spec scan_make_segmented_reduce_(scan_type offset_type, scan_type type, scan_op_id op) {
  scan_spec spec = scan_make_spec_(type, op, SCAN_TOTAL);
  spec.segments = SCAN_SEGMENTS_OFFSETS;
  spec.key_type = offset_type;
  return spec;
}
SCAN_MAKER scan_spec scan_make_segmented_reduce_marked_(scan_segments segments, scan_type type, scan_op_id op) {
  scan_spec spec = scan_make_spec_(type, op, SCAN_TOTAL);
  spec.segments = segments;
  return spec;
}
SCAN_MAKER scan_segmented_reduce_args scan_make_segmented_reduce_args_(scan_mem values, scan_mem offsets,
                                                                       uint64_t segments, scan_mem out) {
  scan_segmented_reduce_args args = scan_make_<scan_segmented_reduce_args>();
  args.values = values;
  args.begins = offsets;
  args.segments = segments;
  args.out = out;
  return args;
}
/** @endcond */
}
#endif
#endif
