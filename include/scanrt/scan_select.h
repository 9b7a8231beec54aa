/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_select.h
 * @brief Stream compaction: select, partition and unique.
 *
 * Of n elements those that are kept are written side by side, in their order; the rest is dropped, or written in its
 * order behind them, or apart from them. What is kept is said by a flag or a bit of each element, or is the first or
 * the last of each run of equal keys. One call moves up to eight arrays, or writes the indices of the elements in their
 * place. How many were kept is left in device memory, from where the next call may read its n: calls chain without the
 * host. Results are the same bytes on every device.
 *
 *     scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(float));
 *     scan_select_args args = SCAN_SELECT_ARGS_INIT(flags, in, out, count);
 *     scan_select(ctx, &spec, n, &args);
 *
 * On CUDA (8.0 and later) and on OpenCL GPUs with 64-bit atomics elements of 1, 2, 4, 8 or 16 bytes are compacted in
 * one launch an array, with look-back; a plan's workspace is on CUDA 8 bytes for 2048 elements and, unless bits or
 * flags alone are moved by, a bit an element. The host goes through each array once, too. Elsewhere no work-group waits
 * for another one: bits and counts of tiles are made first, then places, then elements are moved, each array by a
 * launch of its own. There and on the host the workspace is a bit an element and 8 bytes for 4096.
 */
#ifndef SCANRT_SCAN_SELECT_H
#define SCANRT_SCAN_SELECT_H

#include <scanrt/scan.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SCAN_SELECT_MOST_ARRAYS = 8 /**< Arrays that one call moves. */ };

/** The marks that say which elements are kept. */
typedef enum scan_select_by {
  SCAN_SELECT_FLAGS = 1, /**< args->marks is a byte an element, not 0 where it is kept. */
  SCAN_SELECT_BITS = 2,  /**< args->marks is a bit an element: bit i % 32 of 32-bit word i / 32; aligned to 4 bytes. */
  SCAN_SELECT_FIRST = 3, /**< Unique: of each run of equal keys the first element. Keys are compared by C's ==, so each
                            NaN is a run of its own, and -0.0 and +0.0 are equal; or neighbours are compared by
                            spec->predicate, which is of two elements. */
  SCAN_SELECT_LAST = 4,  /**< The last element of each run. */
  SCAN_SELECT_PREDICATE = 5 /**< spec->predicate says so of each element of args->marks. */
} scan_select_by;

/** The place of the elements that are not kept. */
typedef enum scan_select_rest {
  SCAN_REST_DROPPED = 0, /**< They are not written. */
  SCAN_REST_BEHIND = 1,  /**< Partition: in `out`, behind those that are kept. */
  SCAN_REST_APART = 2    /**< Partition: in `rest`. */
} scan_select_rest;

/** keep(x, index, params) for the host, of n elements, at most 32: bit k of the result is 1 where element k, whose
 * index is index + k, is kept. Of a predicate of two elements x has n + 1, and bit k is 1 where same(x[k], x[k + 1],
 * params) is 0; index says nothing then. Called from several threads at once. @param user scan_predicate_source.user */
typedef uint32_t scan_keep_host(const void *x, uint64_t index, uint32_t n, const void *params, void *user);

/**
 * A predicate from C source, which is written as operators are (scan_op.h): `int keep(element x, uint64_t index, params
 * p)`, or without p, not 0 where an element is kept. Fill with SCAN_PREDICATE_INIT; all that pointers name is copied.
 *
 *     typedef struct bounds { float low, high; } bounds;
 *     static inline int inside(float x, uint64_t index, bounds b) { return x >= b.low && x < b.high; }
 *
 * Or a predicate of two elements, `int same(element before, element x, params p)`, or without p, which says whether two
 * neighbours belong to one run, by SCAN_SELECT_FIRST and SCAN_SELECT_LAST. Each element but element 0, which always
 * begins a run, is compared with its neighbour before it, not with its run's first element; the runs are equal if
 * `same` is transitive. Fill with SCAN_PREDICATE_PAIR_INIT.
 *
 *     static inline int same(point before, point x) { return before.cell == x.cell; }
 */
typedef struct scan_predicate_source {
  size_t struct_bytes;     /**< sizeof(scan_predicate_source), set by SCAN_PREDICATE_INIT. */
  const char *text;        /**< The C source. Not used on the host; may then be NULL. */
  const char *type;        /**< The element type's name in the text. */
  const char *keep;        /**< The name of keep: a function of exactly this type, or a macro. */
  size_t element_bytes;    /**< sizeof the type in the application, 1 to 64; compared with the device's. */
  size_t element_align;    /**< Its alignment, compared with the device's. */
  const char *params_type; /**< The type of keep's third parameter in the text; NULL: it has two. */
  size_t params_bytes;     /**< Its size, 1 to 64, as element_bytes; 0 with params_type NULL. */
  size_t params_align;     /**< Its alignment, as element_align. */
  scan_keep_host *host;    /**< keep for the host backend, of SCAN_KEEP_HOST; NULL: the host cannot use it. */
  void *user;              /**< Handed to host; not looked at by the library. */
  uint32_t is_pair;        /**< 1: keep is a predicate of two elements, as said there; 0: of one. */
} scan_predicate_source;

/** Initialiser of scan_predicate_source for an element type and a function without parameters, which are given as they
 *  are and not as strings. */
#define SCAN_PREDICATE_INIT(text_, type_, keep_)                                                                       \
  SCAN_INITIALISER(scan_make_predicate_(text_, #type_, #keep_, sizeof(type_), SCAN_OP_ALIGN(type_), NULL, 0, 0, 0),    \
                   { .struct_bytes = sizeof(scan_predicate_source),                                                    \
                     .text = (text_),                                                                                  \
                     .type = #type_,                                                                                   \
                     .keep = #keep_,                                                                                   \
                     .element_bytes = sizeof(type_),                                                                   \
                     .element_align = SCAN_OP_ALIGN(type_) })
/** Initialiser of a predicate of one element with parameters, whose type is `params_`. */
#define SCAN_PREDICATE_PARAMS_INIT(text_, type_, keep_, params_)                                                       \
  SCAN_INITIALISER(scan_make_predicate_(text_, #type_, #keep_, sizeof(type_), SCAN_OP_ALIGN(type_), #params_,          \
                                        sizeof(params_), SCAN_OP_ALIGN(params_), 0),                                   \
                   { .struct_bytes = sizeof(scan_predicate_source),                                                    \
                     .text = (text_),                                                                                  \
                     .type = #type_,                                                                                   \
                     .keep = #keep_,                                                                                   \
                     .element_bytes = sizeof(type_),                                                                   \
                     .element_align = SCAN_OP_ALIGN(type_),                                                            \
                     .params_type = #params_,                                                                          \
                     .params_bytes = sizeof(params_),                                                                  \
                     .params_align = SCAN_OP_ALIGN(params_) })

/** SCAN_PREDICATE_INIT of a predicate of two elements. */
#define SCAN_PREDICATE_PAIR_INIT(text_, type_, same_)                                                                  \
  SCAN_INITIALISER(scan_make_predicate_(text_, #type_, #same_, sizeof(type_), SCAN_OP_ALIGN(type_), NULL, 0, 0, 1),    \
                   { .struct_bytes = sizeof(scan_predicate_source),                                                    \
                     .text = (text_),                                                                                  \
                     .type = #type_,                                                                                   \
                     .keep = #same_,                                                                                   \
                     .element_bytes = sizeof(type_),                                                                   \
                     .element_align = SCAN_OP_ALIGN(type_),                                                            \
                     .is_pair = 1 })
/** SCAN_PREDICATE_PARAMS_INIT of a predicate of two elements. */
#define SCAN_PREDICATE_PAIR_PARAMS_INIT(text_, type_, same_, params_)                                                  \
  SCAN_INITIALISER(scan_make_predicate_(text_, #type_, #same_, sizeof(type_), SCAN_OP_ALIGN(type_), #params_,          \
                                        sizeof(params_), SCAN_OP_ALIGN(params_), 1),                                   \
                   { .struct_bytes = sizeof(scan_predicate_source),                                                    \
                     .text = (text_),                                                                                  \
                     .type = #type_,                                                                                   \
                     .keep = #same_,                                                                                   \
                     .element_bytes = sizeof(type_),                                                                   \
                     .element_align = SCAN_OP_ALIGN(type_),                                                            \
                     .params_type = #params_,                                                                          \
                     .params_bytes = sizeof(params_),                                                                  \
                     .params_align = SCAN_OP_ALIGN(params_),                                                           \
                     .is_pair = 1 })

/** Sets *source to the default. @param struct_bytes sizeof(scan_predicate_source) as the caller was compiled. */
SCAN_API void scan_predicate_source_init(scan_predicate_source *source, size_t struct_bytes);

/** Defines `name`, a scan_keep_host of keep(x, index), without `user`. A semicolon follows. */
#define SCAN_KEEP_HOST(name, element, keep) SCAN_KEEP_HOST_OF(name, element, keep(x_[k_], index_ + k_))
/** Defines `name`, a scan_keep_host of keep(x, index, params). */
#define SCAN_KEEP_PARAMS_HOST(name, element, params, keep)                                                             \
  SCAN_KEEP_HOST_OF(name, element, keep(x_[k_], index_ + k_, *SCAN_CAST(const params *, params_)))
/** Defines `name`, a scan_keep_host of same(before, x). */
#define SCAN_SAME_HOST(name, element, same) SCAN_KEEP_HOST_OF(name, element, !same(x_[k_], x_[k_ + 1]))
/** Defines `name`, a scan_keep_host of same(before, x, params). */
#define SCAN_SAME_PARAMS_HOST(name, element, params, same)                                                             \
  SCAN_KEEP_HOST_OF(name, element, !same(x_[k_], x_[k_ + 1], *SCAN_CAST(const params *, params_)))
/** A scan_keep_host of an expression: whether the element x_[k_] of index index_ + k_ is kept, by *params_. */
#define SCAN_KEEP_HOST_OF(name, element, kept)                                                                         \
  static uint32_t name(const void *from_, uint64_t index_, uint32_t n_, const void *params_, void *user_) {            \
    const element *x_ = SCAN_CAST(const element *, from_);                                                             \
    uint32_t word_ = 0;                                                                                                \
    (void)params_, (void)user_, (void)index_, (void)x_;                                                                \
    if (n_ == 32) SCAN_KEEP_32(word_, kept)                                                                            \
    for (uint32_t k_ = 0; k_ < n_; k_++) word_ |= SCAN_CAST(uint32_t, (kept) != 0) << k_;                              \
    return word_;                                                                                                      \
  }                                                                                                                    \
  static uint32_t name(const void *from_, uint64_t index_, uint32_t n_, const void *params_, void *user_)

/* For SCAN_KEEP_HOST_OF: 32 elements, as a loop that the compiler makes vectors of. A keep without branches (& in place
 * of &&) is up to four times as fast for it. */
/** @cond */
#if defined(__clang__) || !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#define SCAN_KEEP_32(word_, kept)                                                                                      \
  {                                                                                                                    \
    for (uint32_t k_ = 0; k_ < 32; k_++) word_ |= SCAN_CAST(uint32_t, (kept) != 0) << k_;                              \
    return word_;                                                                                                      \
  }
#else
#define SCAN_KEEP_BITS(bytes, at) (SCAN_CAST(uint32_t, (bytes)*UINT64_C(0x0102040810204080) >> 56) << (at))
#define SCAN_KEEP_32(word_, kept)                                                                                      \
  {                                                                                                                    \
    uint8_t byte_[32];                                                                                                 \
    uint64_t bytes_[4];                                                                                                \
    for (uint32_t k_ = 0; k_ < 32; k_++) byte_[k_] = SCAN_CAST(uint8_t, (kept) != 0);                                  \
    memcpy(bytes_, byte_, sizeof byte_);                                                                               \
    word_ = SCAN_KEEP_BITS(bytes_[0], 0) | SCAN_KEEP_BITS(bytes_[1], 8);                                               \
    word_ |= SCAN_KEEP_BITS(bytes_[2], 16) | SCAN_KEEP_BITS(bytes_[3], 24);                                            \
    return word_;                                                                                                      \
  }
#endif
/** @endcond */

/**
 * Compiles a predicate and compares the types' sizes and alignments with what the device's compiler makes of them.
 * @param[out] predicate  for scan_select_spec.predicate of the same context; destroy with scan_op_destroy.
 * @return as scan_op_create.
 */
SCAN_API scan_status scan_predicate_create(scan_ctx *ctx, const scan_predicate_source *source, scan_op **predicate);

/** The arrays that a compaction moves, and its kind of marks. Zero-initialised fields mean the default. */
typedef struct scan_select_spec {
  size_t struct_bytes;   /**< sizeof(scan_select_spec), set by SCAN_SELECT_SPEC_INIT or scan_select_spec_init. */
  scan_select_by by;     /**< The marks that say which elements are kept. */
  scan_type key_type;    /**< By SCAN_SELECT_FIRST and SCAN_SELECT_LAST: any type; else, or with a predicate, 0. */
  scan_select_rest rest; /**< The place of the others. */
  scan_type index_type;  /**< SCAN_U32 or SCAN_U64: out[0] (and rest[0]) gets the elements' indices; there are no arrays
                            then. Else 0. */
  uint32_t arrays;       /**< Arrays that are moved, 1 to SCAN_SELECT_MOST_ARRAYS; 0 with index_type. */
  uint32_t element_bytes[SCAN_SELECT_MOST_ARRAYS]; /**< Bytes of an element of each array, 1 to 64. */
  uint32_t element_align[SCAN_SELECT_MOST_ARRAYS]; /**< Alignment of the elements, a power of two that divides
                            their bytes; 0: the largest one up to 16. */
  scan_op *predicate; /**< By SCAN_SELECT_PREDICATE; by SCAN_SELECT_FIRST and SCAN_SELECT_LAST one of two elements, in
                         the place of key_type, or NULL; else NULL. */
  uint32_t in_place;  /**< 1: in each run out[a] may be in[a], of the same place. What is behind the elements that are
                         kept is then unspecified, unless the rest goes there. Where that needs a copy of the largest
                         array (with SCAN_REST_BEHIND everywhere; else not on the host, nor on CUDA where an array takes
                         one launch), it is part of the plan's workspace. Not with indices. */
  uint64_t flags;     /**< SCAN_N_FROM_CLAMP or 0. */
} scan_select_spec;

/** Initialiser of scan_select_spec: one array of elements of so many bytes. */
#define SCAN_SELECT_SPEC_INIT(by_, element_bytes_)                                                                     \
  SCAN_INITIALISER(                                                                                                    \
      scan_make_select_spec_(by_, 1, element_bytes_, SCAN_TYPE_DEFAULT),                                               \
      { .struct_bytes = sizeof(scan_select_spec), .by = (by_), .arrays = 1, .element_bytes = { (element_bytes_) } })

/** Initialiser of scan_select_spec: indices of that type. */
#define SCAN_SELECT_INDEX_INIT(by_, index_type_)                                                                       \
  SCAN_INITIALISER(scan_make_select_spec_(by_, 0, 0, index_type_),                                                     \
                   { .struct_bytes = sizeof(scan_select_spec), .by = (by_), .index_type = (index_type_) })

/** Sets *spec to the default. @param struct_bytes sizeof(scan_select_spec) as the caller was compiled. */
SCAN_API void scan_select_spec_init(scan_select_spec *spec, size_t struct_bytes);

/** The memory of one run. What is written lies apart from what is read and from each other; but see in_place. */
typedef struct scan_select_args {
  size_t struct_bytes; /**< sizeof(scan_select_args), set by SCAN_SELECT_ARGS_INIT or scan_select_args_init. */
  scan_mem marks;      /**< n flags, bits or keys, aligned to their size. Or, by a predicate, the elements that it
                            looks at. Of both it may be none: in[0] has them, of
                            key_type or the predicate's type. */
  scan_mem in[SCAN_SELECT_MOST_ARRAYS];   /**< n elements of each array. None of indices. */
  scan_mem out[SCAN_SELECT_MOST_ARRAYS];  /**< `capacity` elements of each array, or of indices, for those that are
                                               kept. */
  scan_mem rest[SCAN_SELECT_MOST_ARRAYS]; /**< `rest_capacity` elements of each, with SCAN_REST_APART; else none. */
  uint64_t capacity;      /**< Elements that each `out` has room for; 0: n; more than n: n. Of more results the first
                               `capacity` are written (with SCAN_REST_BEHIND of those that are kept, followed by the
                               rest), and nothing behind them. The count is that of all that are kept even so, and the
                               call and the next wait return SCAN_SUCCESS: compare the count with the capacity.
                               SCAN_NO_CAPACITY: no room; `out` is then not looked at, and may be no memory. */
  uint64_t rest_capacity; /**< Elements that each `rest` has room for: the first `rest_capacity` that are not kept are
                               written; n less the count is how many there are. 0: n; SCAN_NO_CAPACITY: no room.
                               Without SCAN_REST_APART it must be 0. */
  scan_mem count;     /**< A uint64_t that gets the number of elements that are kept; no memory: none does. It may be
                           n_from, which is read before the count is written. */
  scan_mem n_from;    /**< A uint64_t in memory of the device, which has the number of elements when the call's turn
                           comes: at most n, which is then what the memory is for. Elements past n are ignored: the
                           call returns SCAN_SUCCESS with the results of the first n, in host memory too, and the
                           next scan_sync or scan_read returns SCAN_INVALID_ARGUMENT, once; with SCAN_N_FROM_CLAMP
                           it does not. No memory: n. */
  const void *params; /**< Parameters of the predicate, of its type; may change from run to run;
                           read during the call. NULL: it has none. */
  const struct scan_opencl_events *opencl; /**< Events to wait for and to leave (scan_opencl.h); NULL: none. */
} scan_select_args;

/** Initialiser of scan_select_args for one array. */
#define SCAN_SELECT_ARGS_INIT(marks_, in_, out_, count_)                                                               \
  SCAN_INITIALISER(scan_make_select_args_(marks_, in_, out_, count_), { .struct_bytes = sizeof(scan_select_args),      \
                                                                        .marks = (marks_),                             \
                                                                        .in = { (in_) },                               \
                                                                        .out = { (out_) },                             \
                                                                        .count = (count_) })

/** Sets *args to the default. @param struct_bytes sizeof(scan_select_args) as the caller was compiled. */
SCAN_API void scan_select_args_init(scan_select_args *args, size_t struct_bytes);

/**
 * Compacts n elements. With device memory alone the call is asynchronous, as scan_run; where any memory is the host's
 * it returns when all is done.
 * @param n  elements; 0: the count is 0, nothing else is written, and n_from is not read.
 * @return SCAN_INVALID_ARGUMENT, SCAN_UNSUPPORTED: nothing was launched. Others as scan_run. SCAN_SUCCESS where there
 *         are more results than room, or more elements in n_from than n: scan_select_args.
 */
SCAN_API scan_status scan_select(scan_ctx *ctx, const scan_select_spec *spec, uint64_t n, const scan_select_args *args);

/**
 * Compiles and allocates what a compaction of up to max_n elements needs.
 * @param[out] plan  for scan_plan_run_select, scan_plan_info (whose work is max_n) and scan_plan_destroy.
 */
SCAN_API scan_status scan_plan_create_select(scan_ctx *ctx, const scan_select_spec *spec, uint64_t max_n,
                                             scan_plan **plan);

/** Enqueues a planned compaction of n elements, at most max_n: no allocation, no host synchronisation. All memory is
 * the device's (on the host backend, host memory, and the call is blocking). A CUDA graph may hold it. */
SCAN_API scan_status scan_plan_run_select(scan_plan *plan, uint64_t n, const scan_select_args *args);

#ifdef __cplusplus
/** @cond */
SCAN_MAKER scan_predicate_source scan_make_predicate_(const char *text, const char *type, const char *keep,
                                                      size_t bytes, size_t align, const char *params_type,
                                                      size_t params_bytes, size_t params_align, uint32_t is_pair) {
  scan_predicate_source source = scan_make_<scan_predicate_source>();
  source.text = text;
  source.type = type;
  source.keep = keep;
  source.element_bytes = bytes;
  source.element_align = align;
  source.params_type = params_type;
  source.params_bytes = params_bytes;
  source.params_align = params_align;
  source.is_pair = is_pair;
  return source;
}
SCAN_MAKER scan_select_spec scan_make_select_spec_(scan_select_by by, uint32_t arrays, uint32_t element_bytes,
                                                   scan_type index_type) {
  scan_select_spec spec = scan_make_<scan_select_spec>();
  spec.by = by;
  spec.arrays = arrays;
  spec.element_bytes[0] = element_bytes;
  spec.index_type = index_type;
  return spec;
}
SCAN_MAKER scan_select_args scan_make_select_args_(scan_mem marks, scan_mem in, scan_mem out, scan_mem count) {
  scan_select_args args = scan_make_<scan_select_args>();
  args.marks = marks;
  args.in[0] = in;
  args.out[0] = out;
  args.count = count;
  return args;
}
/** @endcond */
}
#endif
#endif
