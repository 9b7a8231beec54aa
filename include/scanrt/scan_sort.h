/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_sort.h
 * @brief Stable radix sort of keys, of keys with other arrays, and of indices.
 *
 * Keys of any type are sorted by their digits of 8 bits, from the lowest to the highest, each pass stable: equal keys
 * stay in their order, always. Up to eight arrays go with the keys, or the keys' indices are written (argsort), which
 * no array need be read for. A range of the keys' bits may be sorted by. Results are the same bytes on every device.
 *
 *     scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_F32);
 *     scan_sort_args args = SCAN_SORT_ARGS_INIT(keys, sorted);
 *     scan_sort(ctx, &spec, n, &args);
 *
 * Floating-point keys have a total order: -NaN < -infinity < ... < -0.0 < +0.0 < ... < +infinity < +NaN, NaNs among
 * themselves by their bits. The bits of a key that `first_bit` and `end_bit` count are those of the unsigned integer
 * that has the key's order: of signed integers the sign is flipped; of floating-point numbers it is, and of
 * negative ones all other bits, too.
 *
 * Or they have the numeric order (SCAN_SORT_NUMERIC_ORDER), as NumPy sorts: -0.0 and +0.0 are equal, and NaNs are equal
 * to one another, whatever their signs and payloads, and larger than all numbers. So NaNs come last, and first where
 * keys descend. Keys are written as they were read: zeros keep their signs, and NaNs their payloads, in the order in
 * which they came.
 *
 * A key may be two integers that follow one another, such as the row and the column of an element of a matrix
 * (key_words). Their bits are counted from the lowest of the less significant word on, 64 or 128 in all.
 *
 * Keys may be sorted by segments (`offset_type`), each by itself, by one call for all of them. Offsets in memory of the
 * device, which the host never reads, say where segments begin; segments may be of any length, and many may be empty.
 * Those of up to a few thousand keys (host: of what one thread's cache holds) are sorted in one launch; if
 * `most_segment_items` promises that there are no others, which is worth a launch or more, none looks for them. Indices
 * count from the first key of all.
 *
 *     scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_F32);
 *     scan_sort_args args = SCAN_SORT_ARGS_INIT(keys, sorted);
 *     spec.offset_type = SCAN_U32;
 *     args.offsets = offsets;
 *     args.segments = segments;
 *     scan_sort(ctx, &spec, n, &args);
 *
 * The device finds the passes whose digit is the same in all keys and leaves them out; no call waits for that.
 * The workspace of a plan is a copy of the keys and of one array of 4 or 8 bytes an element (the one array that goes
 * with them, or else their indices, which the arrays are then gathered by), and about a byte an element. Of that all
 * but the last may be memory of the caller's (gives_scratch), which is free for other uses between two runs.
 */
#ifndef SCANRT_SCAN_SORT_H
#define SCANRT_SCAN_SORT_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  SCAN_SORT_MOST_ARRAYS = 8,    /**< Arrays that go with the keys. */
  SCAN_SORT_SCRATCH_ALIGN = 256 /**< Bytes that args->scratch is aligned to. */
};

/** How floating-point keys compare. Integers have one order, and any of these is that. */
typedef enum scan_sort_order {
  SCAN_SORT_TOTAL_ORDER = 0,  /**< By sign, then by bits, NaNs and zeros too (IEEE 754's totalOrder). */
  SCAN_SORT_NUMERIC_ORDER = 1 /**< By value: both zeros are equal; all NaNs are, and are larger than +infinity. */
} scan_sort_order;

/** The keys, the arrays that go with them, and the order of a sort. Zero-initialised fields mean the default. */
typedef struct scan_sort_spec {
  size_t struct_bytes;  /**< sizeof(scan_sort_spec), set by SCAN_SORT_SPEC_INIT or scan_sort_spec_init. */
  scan_type key_type;   /**< Type of the keys: any type. */
  uint32_t descending;  /**< 1: from the largest key to the smallest; equal keys stay in their order all the same. */
  uint32_t first_bit;   /**< The lowest bit that is sorted by; with key_words 2 a multiple of 8, as end_bit. */
  uint32_t end_bit;     /**< The first one above that is not, at most the key's bits; 0: the key's bits. */
  scan_type index_type; /**< SCAN_U32 or SCAN_U64: out[0] gets the keys' indices; there are no arrays then. Else 0. */
  uint32_t arrays;      /**< Arrays that go with the keys, 0 to SCAN_SORT_MOST_ARRAYS; 0 with index_type. */
  uint32_t element_bytes[SCAN_SORT_MOST_ARRAYS]; /**< Bytes of an element of each array, 1 to 64. */
  uint32_t element_align[SCAN_SORT_MOST_ARRAYS]; /**< Alignment of the elements, a power of two that divides their
                            bytes; 0: the largest one up to 16. */
  uint32_t drops_keys; /**< 1: the sorted keys stay in the workspace, and keys_out must be SCAN_NO_MEM. */
  uint32_t in_place;   /**< 1: in each run keys_out may be keys_in, and out[a] be in[a], of the same place. Where there
                          are several arrays, or one whose elements have not 4 or 8 bytes aligned to as many, that takes
                          a copy of the largest array, which is part of the plan's workspace. */
  uint32_t key_words;  /**< 2: a key is two integers that follow one another, (row, column) say, and is sorted by the
                           first, and by the second where those are equal; key_type is SCAN_I32, SCAN_U32, SCAN_I64 or
                           SCAN_U64. On GPUs keys of 16 bytes take three launches a digit. 0, 1: it is one element. */
  uint32_t low_word_first;     /**< 1, with key_words 2: the other way round, as words of a wide integer may lie. */
  scan_type offset_type;       /**< SCAN_U32 or SCAN_U64: keys are sorted by segments, each by itself, which begin at
                                   args->offsets of that type; of one word each. Else 0: all are one. */
  uint32_t most_segment_items; /**< Keys of a segment that are promised not to be exceeded; 0: any number. Segments of
                                   more may be left as they are, or not be written. */
  uint32_t gives_scratch;      /**< 1: the plan has no memory for copies of keys and arrays; each run is given it, as
                                   args->scratch. Nothing that is in it is read, and nothing is kept there: plans may
                                   be given the same, as long as their runs follow one another. */
  uint64_t flags;              /**< SCAN_N_FROM_CLAMP or 0. */
  uint64_t order;              /**< A scan_sort_order. SCAN_SORT_NUMERIC_ORDER sorts floating-point keys by all bits:
                                   first_bit is 0, and end_bit 0 or the key's bits. */
} scan_sort_spec;

/** Initialiser of scan_sort_spec: keys alone. */
#define SCAN_SORT_SPEC_INIT(key_type_)                                                                                 \
  SCAN_INITIALISER(scan_make_sort_spec_(key_type_, 0, 0),                                                              \
                   { .struct_bytes = sizeof(scan_sort_spec), .key_type = (key_type_) })

/** Initialiser of scan_sort_spec: with one array of elements of so many bytes. */
#define SCAN_SORT_PAIRS_INIT(key_type_, element_bytes_)                                                                \
  SCAN_INITIALISER(scan_make_sort_spec_(key_type_, 1, element_bytes_), { .struct_bytes = sizeof(scan_sort_spec),       \
                                                                         .key_type = (key_type_),                      \
                                                                         .arrays = 1,                                  \
                                                                         .element_bytes = { (element_bytes_) } })

/** Initialiser of scan_sort_spec: indices of that type, in the order of the keys, and no keys. */
#define SCAN_SORT_INDEX_INIT(key_type_, index_type_)                                                                   \
  SCAN_INITIALISER(scan_make_sort_index_(key_type_, index_type_), { .struct_bytes = sizeof(scan_sort_spec),            \
                                                                    .key_type = (key_type_),                           \
                                                                    .index_type = (index_type_),                       \
                                                                    .drops_keys = 1 })

/** Sets *spec to the default. @param struct_bytes sizeof(scan_sort_spec) as the caller was compiled. */
SCAN_API void scan_sort_spec_init(scan_sort_spec *spec, size_t struct_bytes);

/** The memory of one run. What is written lies apart from what is read and from each other; but see in_place. */
typedef struct scan_sort_args {
  size_t struct_bytes;                /**< sizeof(scan_sort_args), set by SCAN_SORT_ARGS_INIT or scan_sort_args_init. */
  scan_mem keys_in;                   /**< n keys, aligned to their size; of two words to 8 bytes. */
  scan_mem keys_out;                  /**< n keys, aligned as keys_in; no memory with spec->drops_keys. */
  scan_mem in[SCAN_SORT_MOST_ARRAYS]; /**< n elements of each array. None of indices. */
  scan_mem out[SCAN_SORT_MOST_ARRAYS]; /**< n elements of each array, or of indices. */
  scan_mem n_from;  /**< A uint64_t in memory of the device, which has the number of keys when the call's turn comes: at
                         most n, which is then what the memory is for. Keys past n are ignored: the call returns
                         SCAN_SUCCESS with the results of the first n, in host memory too, and the next scan_sync or
                         scan_read returns SCAN_INVALID_ARGUMENT, once; with SCAN_N_FROM_CLAMP it does not. With n 0 it
                         is not read. No memory: n. */
  scan_mem offsets; /**< With spec->offset_type: segments + 1 offsets, none smaller than the one before, from 0 to n.
                       With n_from what lies past its keys is cut off. Of a key that no segment has, and of all keys
                       where an offset is smaller than the one before, the outputs may have anything in their places;
                       nothing else is written. */
  uint64_t segments; /**< Number of segments, of which many may be empty. */
  scan_mem scratch;  /**< With spec->gives_scratch: memory of the device, apart from all else and aligned to
                          SCAN_SORT_SCRATCH_ALIGN bytes, as many as scan_plan_info or scan_sort_scratch_bytes says. */
  const struct scan_opencl_events *opencl; /**< Events to wait for and to leave (scan_opencl.h); NULL: none. */
} scan_sort_args;

/** Initialiser of scan_sort_args for keys alone. */
#define SCAN_SORT_ARGS_INIT(keys_in_, keys_out_)                                                                       \
  SCAN_INITIALISER(scan_make_sort_args_(keys_in_, keys_out_, scan_mem(), scan_mem()),                                  \
                   { .struct_bytes = sizeof(scan_sort_args), .keys_in = (keys_in_), .keys_out = (keys_out_) })
/** Initialiser of scan_sort_args for keys and one array with them. */
#define SCAN_SORT_PAIRS_ARGS_INIT(keys_in_, keys_out_, in_, out_)                                                      \
  SCAN_INITIALISER(scan_make_sort_args_(keys_in_, keys_out_, in_, out_), { .struct_bytes = sizeof(scan_sort_args),     \
                                                                           .keys_in = (keys_in_),                      \
                                                                           .keys_out = (keys_out_),                    \
                                                                           .in = { (in_) },                            \
                                                                           .out = { (out_) } })
/** Initialiser of scan_sort_args for keys that are sorted as indices. */
#define SCAN_SORT_INDEX_ARGS_INIT(keys_in_, out_)                                                                      \
  SCAN_INITIALISER(scan_make_sort_args_(keys_in_, scan_mem(), scan_mem(), out_),                                       \
                   { .struct_bytes = sizeof(scan_sort_args), .keys_in = (keys_in_), .out = { (out_) } })

/** Sets *args to the default. @param struct_bytes sizeof(scan_sort_args) as the caller was compiled. */
SCAN_API void scan_sort_args_init(scan_sort_args *args, size_t struct_bytes);

/**
 * Sorts n keys. With device memory alone the call is asynchronous, as scan_run; where any memory is the host's it
 * returns when all is done.
 * @param n  keys; 0: nothing is done.
 * @return SCAN_INVALID_ARGUMENT, SCAN_UNSUPPORTED: nothing was launched. Others as scan_run.
 */
SCAN_API scan_status scan_sort(scan_ctx *ctx, const scan_sort_spec *spec, uint64_t n, const scan_sort_args *args);

/**
 * Says how much memory args->scratch must have for scan_sort of n keys.
 * @param[out] bytes  0 where spec->gives_scratch is 0, or n is.
 * @return SCAN_INVALID_ARGUMENT, SCAN_UNSUPPORTED: as scan_sort, and *bytes is as it was.
 */
SCAN_API scan_status scan_sort_scratch_bytes(scan_ctx *ctx, const scan_sort_spec *spec, uint64_t n, uint64_t *bytes);

/**
 * Compiles and allocates what a sort of up to max_n keys needs.
 * @param[out] plan  for scan_plan_run_sort, scan_plan_info (whose work is max_n) and scan_plan_destroy.
 */
SCAN_API scan_status scan_plan_create_sort(scan_ctx *ctx, const scan_sort_spec *spec, uint64_t max_n, scan_plan **plan);

/** Enqueues a planned sort of n keys, at most max_n: no allocation, no host synchronisation. All memory is the device's
 * (on the host backend, host memory, and the call is blocking). A CUDA graph may hold it. */
SCAN_API scan_status scan_plan_run_sort(scan_plan *plan, uint64_t n, const scan_sort_args *args);

#ifdef __cplusplus
/** @cond */
SCAN_MAKER scan_sort_spec scan_make_sort_spec_(scan_type key_type, uint32_t arrays, uint32_t element_bytes) {
  scan_sort_spec spec = scan_make_<scan_sort_spec>();
  spec.key_type = key_type;
  spec.arrays = arrays;
  spec.element_bytes[0] = element_bytes;
  return spec;
}
SCAN_MAKER scan_sort_spec scan_make_sort_index_(scan_type key_type, scan_type index_type) {
  scan_sort_spec spec = scan_make_sort_spec_(key_type, 0, 0);
  spec.index_type = index_type;
  spec.drops_keys = 1;
  return spec;
}
SCAN_MAKER scan_sort_args scan_make_sort_args_(scan_mem keys_in, scan_mem keys_out, scan_mem in, scan_mem out) {
  scan_sort_args args = scan_make_<scan_sort_args>();
  args.keys_in = keys_in;
  args.keys_out = keys_out;
  args.in[0] = in;
  args.out[0] = out;
  return args;
}
/** @endcond */
}
#endif
#endif
