/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_partition.h
 * @brief Partition into three: by two predicates.
 *
 * A call writes three parts, each side by side and in the order of the input: the elements for which the first
 * predicate holds, those of the others for which the second one holds, and the rest. It leaves their numbers in device
 * memory.
 *
 *     scan_partition3_spec spec = SCAN_PARTITION3_SPEC_INIT(first, second, sizeof(float));
 *     scan_partition3_args args = SCAN_PARTITION3_ARGS_INIT(in, below, inside, above, counts);
 *     scan_partition3(ctx, &spec, n, &args);
 *
 * Where bytes say which part an element belongs to, they are array 0, and the predicates are `x == 0` and `x == 1`:
 *
 *     static inline int is_first(uint8_t x, uint64_t index) { return x == 0; }
 *
 * Each part's array 0 then gets its bytes, and the other arrays go with them.
 *
 * On CUDA up to 512 tiles of 32 KiB (of elements of 1 and 2 bytes: of 8,192 elements) of one array are partitioned by
 * one launch, which reads and writes each element once, if `second` is `first` and its parameters have at most 32
 * bytes. Otherwise it is two compactions (scan_select.h), one after the other: the first one reads all elements and
 * writes all of them, those of its rest to `second`; the second one reads that rest and writes it once more, in place.
 * Of three parts of the same size that is 3.3 n elements read and written, in place of 2 n. Where a compaction in place
 * needs a copy (scan_select_spec.in_place), a copy of n elements of each array comes to that. No memory is needed
 * besides the outputs, the workspaces of both, and that copy.
 */
#ifndef SCANRT_SCAN_PARTITION_H
#define SCANRT_SCAN_PARTITION_H

#include <scanrt/scan_select.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SCAN_PARTITION3_PARTS = 3 };

/** The arrays and the two predicates of a partition. Zero-initialised fields mean the default. */
typedef struct scan_partition3_spec {
  size_t struct_bytes; /**< sizeof(scan_partition3_spec), set by SCAN_PARTITION3_SPEC_INIT or the function. */
  scan_op *first;      /**< A predicate of one element (scan_predicate_create) that looks at in[0]. */
  scan_op *second;     /**< A predicate of the elements for which `first` does not hold. It is given an element's
                          number among those, not among all. May be `first`, with other parameters. */
  uint32_t arrays;     /**< Arrays that are moved, 1 to SCAN_SELECT_MOST_ARRAYS. */
  uint32_t element_bytes[SCAN_SELECT_MOST_ARRAYS]; /**< As in scan_select_spec; predicates look at array 0. */
  uint32_t element_align[SCAN_SELECT_MOST_ARRAYS]; /**< As in scan_select_spec. */
  uint64_t flags;                                  /**< SCAN_N_FROM_CLAMP or 0. */
} scan_partition3_spec;

/** Initialiser of scan_partition3_spec: one array of elements of so many bytes. */
#define SCAN_PARTITION3_SPEC_INIT(first_, second_, element_bytes_)                                                     \
  SCAN_INITIALISER(scan_make_partition3_spec_(first_, second_, element_bytes_),                                        \
                   { .struct_bytes = sizeof(scan_partition3_spec),                                                     \
                     .first = (first_),                                                                                \
                     .second = (second_),                                                                              \
                     .arrays = 1,                                                                                      \
                     .element_bytes = { (element_bytes_) } })

/** Sets *spec to the default. @param struct_bytes sizeof(scan_partition3_spec) as the caller was compiled. */
SCAN_API void scan_partition3_spec_init(scan_partition3_spec *spec, size_t struct_bytes);

/** The memory of one run. No two of them share bytes. */
typedef struct scan_partition3_args {
  size_t struct_bytes; /**< sizeof(scan_partition3_args), set by SCAN_PARTITION3_ARGS_INIT or the function. */
  scan_mem in[SCAN_SELECT_MOST_ARRAYS];     /**< n elements of each array. */
  scan_mem first[SCAN_SELECT_MOST_ARRAYS];  /**< Room for n elements of each array: the first part. */
  scan_mem second[SCAN_SELECT_MOST_ARRAYS]; /**< Room for the second part; what is behind it is unspecified. */
  scan_mem rest[SCAN_SELECT_MOST_ARRAYS];   /**< Room for the elements for which neither holds. */
  scan_mem counts;                          /**< Three uint64_t: how many elements each part has; may be no memory. */
  scan_mem n_from;                          /**< As in scan_select_args; it may be one of the three counts. */
  const void *first_params;                 /**< Parameters of the first predicate, of its type; NULL: it has none. */
  const void *second_params;                /**< Parameters of the second predicate. */
  const struct scan_opencl_events *opencl;  /**< Events to wait for and to leave (scan_opencl.h); NULL: none. */
} scan_partition3_args;

/** Initialiser of scan_partition3_args for one array. */
#define SCAN_PARTITION3_ARGS_INIT(in_, first_, second_, rest_, counts_)                                                \
  SCAN_INITIALISER(scan_make_partition3_args_(in_, first_, second_, rest_, counts_),                                   \
                   { .struct_bytes = sizeof(scan_partition3_args),                                                     \
                     .in = { (in_) },                                                                                  \
                     .first = { (first_) },                                                                            \
                     .second = { (second_) },                                                                          \
                     .rest = { (rest_) },                                                                              \
                     .counts = (counts_) })

/** Sets *args to the default. @param struct_bytes sizeof(scan_partition3_args) as the caller was compiled. */
SCAN_API void scan_partition3_args_init(scan_partition3_args *args, size_t struct_bytes);

/**
 * Partitions n elements. With device memory alone the call is asynchronous, as scan_run; where any memory is the host's
 * it returns when all is done.
 * @param n  elements; 0: all counts are 0 and nothing else is written.
 * @return as scan_select.
 */
SCAN_API scan_status scan_partition3(scan_ctx *ctx, const scan_partition3_spec *spec, uint64_t n,
                                     const scan_partition3_args *args);

/**
 * Compiles and allocates what a partition of up to max_n elements needs.
 * @param[out] plan  for scan_plan_run_partition3, scan_plan_info (the launches and the workspace of both compactions)
 *                   and scan_plan_destroy.
 */
SCAN_API scan_status scan_plan_create_partition3(scan_ctx *ctx, const scan_partition3_spec *spec, uint64_t max_n,
                                                 scan_plan **plan);

/** Enqueues a planned partition of n elements, at most max_n, as scan_plan_run_select. */
SCAN_API scan_status scan_plan_run_partition3(scan_plan *plan, uint64_t n, const scan_partition3_args *args);

#ifdef __cplusplus
/** @cond */
SCAN_MAKER scan_partition3_spec scan_make_partition3_spec_(scan_op *first, scan_op *second, uint32_t element_bytes) {
  scan_partition3_spec spec = scan_make_<scan_partition3_spec>();
  spec.first = first;
  spec.second = second;
  spec.arrays = 1;
  spec.element_bytes[0] = element_bytes;
  return spec;
}
SCAN_MAKER scan_partition3_args scan_make_partition3_args_(scan_mem in, scan_mem first, scan_mem second, scan_mem rest,
                                                           scan_mem counts) {
  scan_partition3_args args = scan_make_<scan_partition3_args>();
  args.in[0] = in;
  args.first[0] = first;
  args.second[0] = second;
  args.rest[0] = rest;
  args.counts = counts;
  return args;
}
/** @endcond */
}
#endif
#endif
