/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_split.h
 * @brief Stable split of keys, with other arrays or of indices, into buckets; and how many keys each bucket has.
 *
 * A split is one pass of a radix sort: keys are brought into the order of up to 8 of their bits, which number up to 256
 * buckets, or of what a function from source says of each element, and what is of one bucket stays in its order,
 * always. Where each bucket begins is left in device memory, from where the next launch may read it. A histogram says
 * how many keys each bucket has, and moves nothing. Keys, their bits, the arrays that go with them and what is allowed
 * in place are as in scan_sort.h. Results are the same bytes on every device.
 *
 *     scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 24, 32);
 *     scan_split_args args = SCAN_SPLIT_ARGS_INIT(keys, split, offsets);
 *     scan_split(ctx, &spec, n, &args);
 *
 * The keys are read twice and written once. The workspace of a plan is small, on GPUs about a tenth of keys of 4 bytes.
 * With it are 4 or 8 bytes an element where arrays are gathered by indices (several, or one whose elements have not 4
 * or 8 bytes aligned to as many), the keys where they are dropped, and with in_place a copy of the keys and of those
 * bytes.
 */
#ifndef SCANRT_SCAN_SPLIT_H
#define SCANRT_SCAN_SPLIT_H

#include <scanrt/scan.h>
#include <scanrt/scan_op.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  SCAN_SPLIT_MOST_ARRAYS = 8,   /**< Arrays that go with the keys. */
  SCAN_SPLIT_MOST_BITS = 8,     /**< Bits that keys are split by. */
  SCAN_SPLIT_MOST_BUCKETS = 256 /**< Buckets that a bucket function numbers. */
};

/* ---- bucket functions ---- */

/** bucket(x, index, params) for the host, of n elements, the first of which is number index: buckets[k] becomes that of
 * element k. Called from several threads at once. @param user scan_bucket_source.user */
typedef void scan_bucket_host(const void *x, uint64_t index, uint32_t n, uint32_t *buckets, const void *params,
                              void *user);

/**
 * A bucket function from C source, which is written as operators are (scan_op.h): `uint32_t bucket(element x, uint64_t
 * index, params p)`, or without p, the number of an element's bucket. What is past the last bucket goes to it. Fill
 * with SCAN_BUCKET_INIT; all that pointers name is copied.
 *
 *     typedef struct grid { float origin, cells; } grid;
 *     static inline uint32_t cell(float x, uint64_t index, grid g) { return (uint32_t)((x - g.origin) * g.cells); }
 */
typedef struct scan_bucket_source {
  size_t struct_bytes;     /**< sizeof(scan_bucket_source), set by SCAN_BUCKET_INIT. */
  const char *text;        /**< The C source. Not used on the host; may then be NULL. */
  const char *type;        /**< The element type's name in the text. */
  const char *bucket;      /**< The name of the function, of exactly this type, or of a macro. */
  size_t element_bytes;    /**< sizeof the type in the application, 1 to 64; compared with the device's. */
  size_t element_align;    /**< Its alignment, compared with the device's. */
  const char *params_type; /**< The type of the function's third parameter in the text; NULL: it has two. */
  size_t params_bytes;     /**< Its size, 1 to 64, as element_bytes; 0 with params_type NULL. */
  size_t params_align;     /**< Its alignment, as element_align. */
  scan_bucket_host *host;  /**< The function for the host backend, of SCAN_BUCKET_HOST; NULL: the host cannot use it. */
  void *user;              /**< Handed to host; not looked at by the library. */
} scan_bucket_source;

/** Initialiser of scan_bucket_source for an element type and a function without parameters, which are given as they are
 *  and not as strings. */
#define SCAN_BUCKET_INIT(text_, type_, bucket_)                                                                        \
  SCAN_INITIALISER(scan_make_bucket_(text_, #type_, #bucket_, sizeof(type_), SCAN_OP_ALIGN(type_), NULL, 0, 0),        \
                   { .struct_bytes = sizeof(scan_bucket_source),                                                       \
                     .text = (text_),                                                                                  \
                     .type = #type_,                                                                                   \
                     .bucket = #bucket_,                                                                               \
                     .element_bytes = sizeof(type_),                                                                   \
                     .element_align = SCAN_OP_ALIGN(type_) })
/** Initialiser of a bucket function with parameters, whose type is `params_`. */
#define SCAN_BUCKET_PARAMS_INIT(text_, type_, bucket_, params_)                                                        \
  SCAN_INITIALISER(scan_make_bucket_(text_, #type_, #bucket_, sizeof(type_), SCAN_OP_ALIGN(type_), #params_,           \
                                     sizeof(params_), SCAN_OP_ALIGN(params_)),                                         \
                   { .struct_bytes = sizeof(scan_bucket_source),                                                       \
                     .text = (text_),                                                                                  \
                     .type = #type_,                                                                                   \
                     .bucket = #bucket_,                                                                               \
                     .element_bytes = sizeof(type_),                                                                   \
                     .element_align = SCAN_OP_ALIGN(type_),                                                            \
                     .params_type = #params_,                                                                          \
                     .params_bytes = sizeof(params_),                                                                  \
                     .params_align = SCAN_OP_ALIGN(params_) })

/** Sets *source to the default. @param struct_bytes sizeof(scan_bucket_source) as the caller was compiled. */
SCAN_API void scan_bucket_source_init(scan_bucket_source *source, size_t struct_bytes);

/** Defines `name`, a scan_bucket_host of bucket(x, index), without `user`. A semicolon follows. */
#define SCAN_BUCKET_HOST(name, element, bucket) SCAN_BUCKET_HOST_OF(name, element, bucket(x_[k_], index_ + k_))
/** Defines `name`, a scan_bucket_host of bucket(x, index, params). */
#define SCAN_BUCKET_PARAMS_HOST(name, element, params, bucket)                                                         \
  SCAN_BUCKET_HOST_OF(name, element, bucket(x_[k_], index_ + k_, *SCAN_CAST(const params *, params_)))
/** A scan_bucket_host of an expression: the bucket of the element x_[k_] of index index_ + k_, by *params_. */
#define SCAN_BUCKET_HOST_OF(name, element, number)                                                                     \
  static void name(const void *from_, uint64_t index_, uint32_t n_, uint32_t *buckets_, const void *params_,           \
                   void *user_) {                                                                                      \
    const element *x_ = SCAN_CAST(const element *, from_);                                                             \
    (void)params_, (void)user_, (void)index_, (void)x_;                                                                \
    for (uint32_t k_ = 0; k_ < n_; k_++) buckets_[k_] = (number);                                                      \
  }                                                                                                                    \
  static void name(const void *from_, uint64_t index_, uint32_t n_, uint32_t *buckets_, const void *params_,           \
                   void *user_)

/**
 * Compiles a bucket function and compares the types' sizes and alignments with what the device's compiler makes of
 * them.
 * @param[out] bucket  for scan_split_spec.bucket and scan_histogram_spec.bucket of the same context; destroy with
 *                     scan_op_destroy.
 * @return as scan_op_create.
 */
SCAN_API scan_status scan_bucket_create(scan_ctx *ctx, const scan_bucket_source *source, scan_op **bucket);

/* ---- split ---- */

/** The keys, the arrays that go with them, and the buckets of a split. Zero-initialised fields mean the default. */
typedef struct scan_split_spec {
  size_t struct_bytes;  /**< sizeof(scan_split_spec), set by SCAN_SPLIT_SPEC_INIT or scan_split_spec_init. */
  scan_type key_type;   /**< Type of the keys: any type. */
  uint32_t descending;  /**< 1: the bucket of the largest keys is the first one; its keys stay in their order. */
  uint32_t first_bit;   /**< The lowest bit that is split by. */
  uint32_t end_bit;     /**< The first one above that is not, at most first_bit + 8; 0: first_bit + 8, or the key's bits
                            where they are fewer. */
  scan_type index_type; /**< SCAN_U32 or SCAN_U64: out[0] gets the keys' indices; there are no arrays then. Else 0. */
  uint32_t arrays;      /**< Arrays that go with the keys, 0 to SCAN_SPLIT_MOST_ARRAYS; 0 with index_type. */
  uint32_t element_bytes[SCAN_SPLIT_MOST_ARRAYS]; /**< Bytes of an element of each array, 1 to 64. */
  uint32_t element_align[SCAN_SPLIT_MOST_ARRAYS]; /**< Alignment of the elements, a power of two that divides
                            their bytes; 0: the largest one up to 16. */
  uint32_t drops_keys;                            /**< 1: keys are not written, and keys_out must be SCAN_NO_MEM. */
  uint32_t
      in_place;     /**< 1: in each run keys_out may be keys_in, and out[a] be in[a], of the same place: scan_sort.h. */
  scan_op *bucket;  /**< A bucket function (scan_bucket_create) of the elements of keys_in, which are of its type, in
                       any memory of that alignment; key_type, descending and the bits are 0 then, at most 7 arrays go
                       with the elements, and indices where drops_keys is 1. NULL: keys, by their bits. */
  uint32_t buckets; /**< How many it numbers, 1 to SCAN_SPLIT_MOST_BUCKETS; 0 without. */
  uint64_t flags;   /**< SCAN_N_FROM_CLAMP or 0. */
} scan_split_spec;

/** Initialiser of scan_split_spec: keys alone, by the bits from first_bit_ on below end_bit_. */
#define SCAN_SPLIT_SPEC_INIT(key_type_, first_bit_, end_bit_)                                                          \
  SCAN_INITIALISER(scan_make_split_spec_(key_type_, first_bit_, end_bit_, NULL, 0),                                    \
                   { .struct_bytes = sizeof(scan_split_spec),                                                          \
                     .key_type = (key_type_),                                                                          \
                     .first_bit = (first_bit_),                                                                        \
                     .end_bit = (end_bit_) })

/** Initialiser of scan_split_spec: elements alone, by a bucket function. */
#define SCAN_SPLIT_BUCKETS_INIT(bucket_, buckets_)                                                                     \
  SCAN_INITIALISER(scan_make_split_spec_(SCAN_TYPE_DEFAULT, 0, 0, bucket_, buckets_),                                  \
                   { .struct_bytes = sizeof(scan_split_spec), .bucket = (bucket_), .buckets = (buckets_) })

/** Sets *spec to the default. @param struct_bytes sizeof(scan_split_spec) as the caller was compiled. */
SCAN_API void scan_split_spec_init(scan_split_spec *spec, size_t struct_bytes);

/** The memory of one run. What is written lies apart from what is read and from each other; but see in_place. */
typedef struct scan_split_args {
  size_t struct_bytes; /**< sizeof(scan_split_args), set by SCAN_SPLIT_ARGS_INIT or scan_split_args_init. */
  scan_mem keys_in;    /**< n keys, aligned to their size; or n elements that the bucket function looks at. */
  scan_mem keys_out;   /**< n of them, aligned as keys_in; no memory with spec->drops_keys. */
  scan_mem offsets; /**< Numbers of type uint64_t, one more than there are buckets (2^bits, or spec->buckets): bucket b
                       has the elements from offsets[b] on below offsets[b + 1], of what is written; the last number is
                         that of all keys. */
  scan_mem in[SCAN_SPLIT_MOST_ARRAYS];  /**< n elements of each array. None of indices. */
  scan_mem out[SCAN_SPLIT_MOST_ARRAYS]; /**< n elements of each array, or of indices. */
  scan_mem n_from; /**< A uint64_t in memory of the device, which has the number of keys when the call's turn comes: at
                        most n, which is then what the memory is for. Keys past n are ignored: the call returns
                        SCAN_SUCCESS with the results of the first n, in host memory too, and the next scan_sync or
                        scan_read returns SCAN_INVALID_ARGUMENT, once; with SCAN_N_FROM_CLAMP it does not. With n 0 it
                        is not read. No memory: n. */
  const void *params; /**< Parameters of the bucket function, of its type; may change from run to run;
                         read during the call. NULL: it has none. */
  const struct scan_opencl_events *opencl; /**< Events to wait for and to leave (scan_opencl.h); NULL: none. */
} scan_split_args;

/** Initialiser of scan_split_args for keys alone. */
#define SCAN_SPLIT_ARGS_INIT(keys_in_, keys_out_, offsets_)                                                            \
  SCAN_INITIALISER(scan_make_split_args_(keys_in_, keys_out_, offsets_), { .struct_bytes = sizeof(scan_split_args),    \
                                                                           .keys_in = (keys_in_),                      \
                                                                           .keys_out = (keys_out_),                    \
                                                                           .offsets = (offsets_) })

/** Sets *args to the default. @param struct_bytes sizeof(scan_split_args) as the caller was compiled. */
SCAN_API void scan_split_args_init(scan_split_args *args, size_t struct_bytes);

/**
 * Splits n keys. With device memory alone the call is asynchronous, as scan_run; where any memory is the host's it
 * returns when all is done.
 * @param n  keys; 0: offsets become 0, and nothing else is done.
 * @return SCAN_INVALID_ARGUMENT, SCAN_UNSUPPORTED: nothing was launched. Others as scan_run.
 */
SCAN_API scan_status scan_split(scan_ctx *ctx, const scan_split_spec *spec, uint64_t n, const scan_split_args *args);

/**
 * Compiles and allocates what a split of up to max_n keys needs.
 * @param[out] plan  for scan_plan_run_split, scan_plan_info (whose work is max_n) and scan_plan_destroy.
 */
SCAN_API scan_status scan_plan_create_split(scan_ctx *ctx, const scan_split_spec *spec, uint64_t max_n,
                                            scan_plan **plan);

/** Enqueues a planned split of n keys, at most max_n: no allocation, no host synchronisation. All memory is the
 * device's (on the host backend, host memory, and the call is blocking). A CUDA graph may hold it. */
SCAN_API scan_status scan_plan_run_split(scan_plan *plan, uint64_t n, const scan_split_args *args);

/* ---- histogram ---- */

/** The keys and the buckets of a histogram. Zero-initialised fields mean the default. */
typedef struct scan_histogram_spec {
  size_t struct_bytes; /**< sizeof(scan_histogram_spec), set by SCAN_HISTOGRAM_SPEC_INIT or scan_histogram_spec_init. */
  scan_type key_type;  /**< Type of the keys: any type. */
  uint32_t descending; /**< 1: the bucket of the largest keys is the first one. */
  uint32_t first_bit;  /**< The lowest bit that is looked at. */
  uint32_t end_bit;    /**< The first one above that is not, at most the key's bits; 0: first_bit + 8, or the key's bits
                           where they are fewer. More than 8 bits are several digits of 8 bits each, from the lowest to
                           the highest, of which the last one may have fewer: each is counted by itself. */
  scan_op *bucket;     /**< As scan_split_spec.bucket. */
  uint32_t buckets;    /**< As scan_split_spec.buckets. */
  uint64_t flags;      /**< SCAN_N_FROM_CLAMP or 0. */
} scan_histogram_spec;

/** Initialiser of scan_histogram_spec: by the bits from first_bit_ on below end_bit_. */
#define SCAN_HISTOGRAM_SPEC_INIT(key_type_, first_bit_, end_bit_)                                                      \
  SCAN_INITIALISER(scan_make_histogram_spec_(key_type_, first_bit_, end_bit_, NULL, 0),                                \
                   { .struct_bytes = sizeof(scan_histogram_spec),                                                      \
                     .key_type = (key_type_),                                                                          \
                     .first_bit = (first_bit_),                                                                        \
                     .end_bit = (end_bit_) })

/** Initialiser of scan_histogram_spec: by a bucket function. */
#define SCAN_HISTOGRAM_BUCKETS_INIT(bucket_, buckets_)                                                                 \
  SCAN_INITIALISER(scan_make_histogram_spec_(SCAN_TYPE_DEFAULT, 0, 0, bucket_, buckets_),                              \
                   { .struct_bytes = sizeof(scan_histogram_spec), .bucket = (bucket_), .buckets = (buckets_) })

/** Sets *spec to the default. @param struct_bytes sizeof(scan_histogram_spec) as the caller was compiled. */
SCAN_API void scan_histogram_spec_init(scan_histogram_spec *spec, size_t struct_bytes);

/** The memory of one run. Counts lie apart from the keys. */
typedef struct scan_histogram_args {
  size_t struct_bytes; /**< sizeof(scan_histogram_args), set by SCAN_HISTOGRAM_ARGS_INIT or scan_histogram_args_init. */
  scan_mem keys;       /**< n keys, aligned to their size; or n elements that the bucket function looks at. */
  scan_mem counts;     /**< Numbers of type uint64_t: how many keys each bucket has. Digit d of several has 256 from
                            number 256 * d on, and one of b bits has 2^b. */
  scan_mem n_from;     /**< As scan_split_args.n_from. */
  const void *params;  /**< As scan_split_args.params. */
  const struct scan_opencl_events *opencl; /**< Events to wait for and to leave (scan_opencl.h); NULL: none. */
} scan_histogram_args;

/** Initialiser of scan_histogram_args. */
#define SCAN_HISTOGRAM_ARGS_INIT(keys_, counts_)                                                                       \
  SCAN_INITIALISER(scan_make_histogram_args_(keys_, counts_),                                                          \
                   { .struct_bytes = sizeof(scan_histogram_args), .keys = (keys_), .counts = (counts_) })

/** Sets *args to the default. @param struct_bytes sizeof(scan_histogram_args) as the caller was compiled. */
SCAN_API void scan_histogram_args_init(scan_histogram_args *args, size_t struct_bytes);

/**
 * Counts the digits of n keys. Asynchronous or not as scan_split.
 * @param n  keys; 0: counts become 0.
 * @return SCAN_INVALID_ARGUMENT, SCAN_UNSUPPORTED: nothing was launched. Others as scan_run.
 */
SCAN_API scan_status scan_histogram(scan_ctx *ctx, const scan_histogram_spec *spec, uint64_t n,
                                    const scan_histogram_args *args);

/**
 * Compiles and allocates what a histogram of up to max_n keys needs.
 * @param[out] plan  for scan_plan_run_histogram, scan_plan_info (whose work is max_n) and scan_plan_destroy.
 */
SCAN_API scan_status scan_plan_create_histogram(scan_ctx *ctx, const scan_histogram_spec *spec, uint64_t max_n,
                                                scan_plan **plan);

/** Enqueues a planned histogram of n keys, at most max_n, as scan_plan_run_split. */
SCAN_API scan_status scan_plan_run_histogram(scan_plan *plan, uint64_t n, const scan_histogram_args *args);

#ifdef __cplusplus
/** @cond */
SCAN_MAKER scan_bucket_source scan_make_bucket_(const char *text, const char *type, const char *bucket, size_t bytes,
                                                size_t align, const char *params_type, size_t params_bytes,
                                                size_t params_align) {
  scan_bucket_source source = scan_make_<scan_bucket_source>();
  source.text = text;
  source.type = type;
  source.bucket = bucket;
  source.element_bytes = bytes;
  source.element_align = align;
  source.params_type = params_type;
  source.params_bytes = params_bytes;
  source.params_align = params_align;
  return source;
}
SCAN_MAKER scan_split_spec scan_make_split_spec_(scan_type key_type, uint32_t first_bit, uint32_t end_bit,
                                                 scan_op *bucket, uint32_t buckets) {
  scan_split_spec spec = scan_make_<scan_split_spec>();
  spec.key_type = key_type;
  spec.first_bit = first_bit;
  spec.end_bit = end_bit;
  spec.bucket = bucket;
  spec.buckets = buckets;
  return spec;
}
SCAN_MAKER scan_split_args scan_make_split_args_(scan_mem keys_in, scan_mem keys_out, scan_mem offsets) {
  scan_split_args args = scan_make_<scan_split_args>();
  args.keys_in = keys_in;
  args.keys_out = keys_out;
  args.offsets = offsets;
  return args;
}
SCAN_MAKER scan_histogram_spec scan_make_histogram_spec_(scan_type key_type, uint32_t first_bit, uint32_t end_bit,
                                                         scan_op *bucket, uint32_t buckets) {
  scan_histogram_spec spec = scan_make_<scan_histogram_spec>();
  spec.key_type = key_type;
  spec.first_bit = first_bit;
  spec.end_bit = end_bit;
  spec.bucket = bucket;
  spec.buckets = buckets;
  return spec;
}
SCAN_MAKER scan_histogram_args scan_make_histogram_args_(scan_mem keys, scan_mem counts) {
  scan_histogram_args args = scan_make_<scan_histogram_args>();
  args.keys = keys;
  args.counts = counts;
  return args;
}
/** @endcond */
}
#endif
#endif
