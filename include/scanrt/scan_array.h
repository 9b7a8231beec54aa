/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_array.h
 * @brief Many scans at once: along one axis of an n-dimensional array, given by shape and byte strides.
 *
 * A line is the elements along the axis at one position of all other axes. Each line is scanned as scan_run would scan
 * it alone: the same bits, floating point included.
 */
#ifndef SCANRT_SCAN_ARRAY_H
#define SCANRT_SCAN_ARRAY_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most axes of an array. */
#define SCAN_ARRAY_MAX_AXES 8

/**
 * An array as NumPy describes it. The memory that goes with it begins at the element whose indices are all 0; element
 * (i0, i1, ...) lies i0 * strides[0] + i1 * strides[1] + ... bytes from there. Strides are multiples of the element's
 * size, and may be negative; those of axes of length 1 are not looked at. Strides of the input may be 0 (all positions
 * of the axis share their elements) on every axis.
 */
typedef struct scan_array {
  size_t struct_bytes;                      /**< sizeof(scan_array), set by SCAN_ARRAY_INIT. */
  uint32_t ndim;                            /**< Axes, 1 to SCAN_ARRAY_MAX_AXES. */
  uint32_t axis;                            /**< The axis to scan along, below ndim. */
  uint64_t shape[SCAN_ARRAY_MAX_AXES];      /**< Elements along each axis; with a 0 there are no elements. */
  int64_t in_strides[SCAN_ARRAY_MAX_AXES];  /**< Strides of the input, in bytes. */
  int64_t out_strides[SCAN_ARRAY_MAX_AXES]; /**< Strides of the output, in bytes. SCAN_TOTAL: see scan_run_array. */
} scan_array;

/** Initialiser of scan_array: everything 0 but its size. */
#define SCAN_ARRAY_INIT SCAN_INITIALISER(scan_make_<scan_array>(), { .struct_bytes = sizeof(scan_array) })

/** Sets *array to the default. @param struct_bytes sizeof(scan_array) as the caller was compiled. */
SCAN_API void scan_array_init(scan_array *array, size_t struct_bytes);

/**
 * Describes arrays without gaps, the last axis contiguous ("C order"), for the types of a spec. With SCAN_TOTAL the
 * output has length 1 along the axis.
 * @param spec   type and input_type give the elements' sizes; kind is looked at.
 * @param shape  ndim numbers.
 * @param[out] array  is set, axis included.
 * @return SCAN_INVALID_ARGUMENT for NULL, an ndim that is not 1 to SCAN_ARRAY_MAX_AXES, an axis that is not below ndim,
 *         unknown types, or more bytes than 2^61.
 */
SCAN_API scan_status scan_array_packed(const scan_spec *spec, uint32_t ndim, const uint64_t *shape, uint32_t axis,
                                       scan_array *array);

/**
 * Scans every line of an array along its axis. Memory and waiting are as in scan_run: host memory is copied in and out
 * (the bytes from the array's first to its last; of the output, bytes between its elements stay as they are), device
 * memory makes the call asynchronous.
 * @param spec   what each line's scan is; SCAN_BACKWARD works. `strategy` must be AUTO. A map and an emit of custom_op
 *               get an element's place along the axis. Segments need marks: scan_run_array_args.
 *               SCAN_CHECK_OVERFLOW: scan_overflow_index is the index, in an array of that shape without gaps in C
 *               order, of an element that is the first of its line to overflow, in the order of the scan. Of several
 *               lines it is the least one; with SCAN_BACKWARD the least when places along the axis are counted from
 *               the last element.
 *               SCAN_TOTAL writes one element a line: the last of its inclusive scan. The output's shape is that of the
 *               array with 1 along the axis, and out_strides[axis] is not looked at. A line of no elements gets the
 *               initial value, or the operator's identity, which it then must have. The output must be apart from the
 *               input. Totals take no segments.
 * @param in     the input's element with all indices 0; aligned to its elements.
 * @param out    the output's. Either in place, each element at the address of its input (elements of one size, and the
 *               same strides), or apart: outputs of different elements share no byte with each other nor with an input.
 *               Strides must be nested for that to be seen: sorted by size, each spans those below.
 * @return as scan_run. SCAN_INVALID_ARGUMENT names the axis that is at fault. On CUDA `and`, `or` and `xor` and sums
 *         that widen, where the lines are not contiguous or many, need NVRTC, as operators from source do.
 */
SCAN_API scan_status scan_run_array(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, scan_mem in,
                                    scan_mem out);

/**
 * scan_run_array with the other memory of the run: `marks`, and events. Carries are refused.
 * @param args  in and out are as in scan_run_array. `marks` has an entry for each element, in the order of an array of
 *              that shape without gaps in C order, whatever the strides are: flags (bytes), bits (bit i is of the
 * element of that index) or keys (of which each is compared with the one before along the axis); offsets, which name
 *              places in one line, are refused. mark_count is the number of elements, or more. The first element of
 * each line begins a segment, marked or not. With SCAN_BACKWARD segments are those of the forward scan.
 */
SCAN_API scan_status scan_run_array_args(scan_ctx *ctx, const scan_spec *spec, const scan_array *array,
                                         const scan_args *args);

/**
 * Compiles and allocates what scans of that array need.
 * @param[out] plan  for scan_plan_run_array, scan_plan_run_args, scan_plan_info and scan_plan_destroy (before its
 * context); scan_plan_run refuses it.
 */
SCAN_API scan_status scan_plan_create_array(scan_ctx *ctx, const scan_spec *spec, const scan_array *array,
                                            scan_plan **plan);

/** Enqueues a planned scan of an array: no allocation, no host synchronisation. in and out are as in scan_run_array,
 * but memory of the device (on the host backend, host memory, and the call is blocking). Runs with marks or events are
 * scan_plan_run_args, whose n is the number of elements. */
SCAN_API scan_status scan_plan_run_array(scan_plan *plan, scan_mem in, scan_mem out);

#ifdef __cplusplus
}
#endif
#endif
