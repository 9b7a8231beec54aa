/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file peer.h
 * @brief The interface by which another scan library is timed by `scanrt bench`: a module `libscanrt_peer_NAME.so` that
 * exports `scanrt_bench_peer`.
 *
 * The tool owns the buffers, checks every result and takes the times; a peer only starts its scan. Calls come from one
 * thread. A function that can fail returns 0, or -1 after which `last_error` has the words.
 */
#ifndef SCANRT_CLI_PEER_H
#define SCANRT_CLI_PEER_H

#include <stdint.h>

#include <scanrt/scan_composite.h>
#include <scanrt/scan_select.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this header. A module with another version is skipped. */
enum { BENCH_PEER_VERSION = 10 };

/** The most variants of a scan, compaction or reduction that a peer may have. */
enum { BENCH_PEER_MOST_VARIANTS = 4 };

/** One scan. */
typedef struct bench_peer_case {
  scan_type input_type; /**< Type of the input elements; SCAN_TYPE_DEFAULT only with a composite. */
  scan_type type;       /**< Type of the accumulator and of the output elements. */
  scan_op_id op;
  scan_kind kind;
  scan_value seed; /**< Initial value, in the member of `type`: the operator's identity. */
  uint64_t n;
  scan_composite composite; /**< Scans with this composite from its identity; type, input_type, op and seed are then 0.
                               SCAN_COMPOSITE_NONE: no composite. */
  uint32_t segments;        /**< A scan_segments. */
  scan_type segment_type;   /**< Type of keys and offsets. */
  const void *marks;        /**< Flags, bits, keys or offsets in memory that the peer can read; valid until destroy. */
  uint32_t variant; /**< The peer's variant of the scan, such as a type of n: from 0 up to the first that it does
                       not support. The fastest variant is reported. */
} bench_peer_case;

/** Values of bench_select_case.by above those of scan_select_by. With runs, keys are in[0] and each run's key goes
 * to out[0]. */
enum {
  BENCH_SELECT_RUN_LENGTHS = SCAN_SELECT_PREDICATE + 1, /**< The u32 lengths of runs go to out[1]. */
  BENCH_SELECT_REDUCE,     /**< Values are in[1]; the reduction of each run goes to out[1]. */
  BENCH_SELECT_PAIR,       /**< Keeps elements that differ from their predecessor in any bit but the lowest. */
  BENCH_SELECT_PARTITION3, /**< Splits into three parts by two predicates; the second one is applied where the first
                              does not hold. */
  BENCH_SELECT_END
};

/** One compaction, in the terms of scan_select.h. */
typedef struct bench_select_case {
  uint32_t by;           /**< A scan_select_by, or a BENCH_SELECT_ above. */
  uint32_t rest;         /**< A scan_select_rest. */
  uint32_t looked_bytes; /**< Size of a predicate's input element, or of a key, in in[0] or in the marks. */
  uint32_t threshold;    /**< A predicate keeps elements whose lowest 32 bits, as an unsigned number, are below it. */
  uint32_t second_threshold; /**< BENCH_SELECT_PARTITION3: threshold of the second predicate. */
  scan_type type;            /**< Type of the values; BENCH_SELECT_REDUCE only. */
  scan_op_id op;
  uint32_t arrays; /**< Arrays that are moved; with runs 1, the keys; 0: u32 indices. */
  uint32_t element_bytes[SCAN_SELECT_MOST_ARRAYS];
  uint64_t n;
  uint32_t variant; /**< As that of a scan. */
} bench_select_case;

/** Memory of a compaction: as scan_select_args, with pointers that the peer understands. */
typedef struct bench_select_memory {
  const void *marks; /**< NULL: in[0] decides. */
  const void *in[SCAN_SELECT_MOST_ARRAYS];
  void *out[SCAN_SELECT_MOST_ARRAYS];
  void *second[SCAN_SELECT_MOST_ARRAYS]; /**< BENCH_SELECT_PARTITION3: the second part; `out` has the first one. */
  void *rest[SCAN_SELECT_MOST_ARRAYS];   /**< The rest, for SCAN_REST_APART and BENCH_SELECT_PARTITION3. */
  uint64_t *count; /**< One count; for BENCH_SELECT_PARTITION3 those of the first and of the second part. */
} bench_select_memory;

/** A peer's functions for compactions, with the contracts of bench_peer. */
typedef struct bench_peer_select {
  int (*supports)(const bench_select_case *what);
  int (*prepare)(const bench_select_case *what, void **state);
  int (*start)(void *state, const bench_select_memory *memory, void *stream);
  void (*destroy)(void *state);
  int is_rest_reversed; /**< 1: the rest behind the kept elements is written in reverse order. */
} bench_peer_select;

/** Output of a sort: the keys, the keys with a value each, or the keys' indices. A histogram counts the keys by the
 * number that bits first_bit to end_bit - 1 make, at most 8 bits. A split is a sort by at most 8 bits. */
enum { BENCH_SORT_KEYS, BENCH_SORT_PAIRS, BENCH_SORT_ARGSORT, BENCH_SORTS, BENCH_SORT_HISTOGRAM = BENCH_SORTS };

/** One stable sort. Keys contain no NaN and no -0.0. */
typedef struct bench_sort_case {
  uint32_t what; /**< A BENCH_SORT_ above. */
  scan_type key_type;
  uint32_t value_bytes; /**< Size of a value, or of an index (unsigned integer): 4 or 8; 0 for keys alone. */
  uint32_t descending;  /**< 1: sorts from the largest key to the smallest; equal keys keep their order. */
  uint32_t first_bit;   /**< First bit sorted by, in the unsigned integer that has the key's order (scan_sort.h). */
  uint32_t end_bit;     /**< Bit behind the last bit sorted by. */
  uint64_t n;
  uint64_t segment_items; /**< Not 0: sorts each segment of so many keys by itself, ascending by all bits. The last
                             segment may be shorter. */
} bench_sort_case;

/** Returns the number of segments. */
static inline uint64_t bench_sort_segments(const bench_sort_case *what) {
  return what->segment_items ? (what->n + what->segment_items - 1) / what->segment_items : 0;
}

/** Memory of a sort, with pointers that the peer understands. Outputs do not overlap inputs. */
typedef struct bench_sort_memory {
  const void *keys_in;
  void *keys_out;        /**< NULL for an argsort. */
  const void *values_in; /**< For pairs only. */
  void *values_out;      /**< NULL for keys alone. */
  uint64_t *counts;      /**< For BENCH_SORT_HISTOGRAM only, which uses nothing else but keys_in. */
  /** The segments' offsets, one more than segments: uint64_t if n is 2^32 or more, else uint32_t. */
  const void *offsets;
} bench_sort_memory;

/** A peer's functions for sorts, with the contracts of bench_peer. */
typedef struct bench_peer_sort {
  const char *const *variants; /**< Names of the variants that the peer offers, such as "int", up to a NULL. The fastest
                              variant of a case is reported. A name may be "". */
  int (*supports)(const bench_sort_case *what, int variant);
  int (*prepare)(const bench_sort_case *what, int variant, void **state);
  int (*start)(void *state, const bench_sort_memory *memory, void *stream);
  void (*destroy)(void *state);
} bench_peer_sort;

/** One reduction: the total of n elements, or of each segment. */
typedef struct bench_reduce_case {
  scan_type type; /**< Type of elements and results. The operator is the sum. */
  uint64_t n;
  uint64_t segments;      /**< 0: one total of all elements. */
  uint64_t segment_items; /**< Length of each segment; the last one may be shorter. */
  uint32_t variant;       /**< As that of a scan. */
} bench_reduce_case;

/** Memory of a reduction, with pointers that the peer understands. */
typedef struct bench_reduce_memory {
  const void *in;
  const void *offsets; /**< uint32_t, one more than segments; NULL without segments. */
  void *out;           /**< One result, or one for each segment. */
} bench_reduce_memory;

/** A peer's functions for reductions, with the contracts of bench_peer. */
typedef struct bench_peer_reduce {
  int (*supports)(const bench_reduce_case *what);
  int (*prepare)(const bench_reduce_case *what, void **state);
  int (*start)(void *state, const bench_reduce_memory *memory, void *stream);
  void (*destroy)(void *state);
} bench_peer_reduce;

/** A scan library. */
typedef struct bench_peer {
  uint32_t version;     /**< BENCH_PEER_VERSION. */
  const char *name;     /**< For people: "CUB". */
  const char *release;  /**< The version of the library behind it. */
  scan_backend backend; /**< Backend whose memory it takes: device pointers (CUDA), host pointers (host), or pointers to
                           a scan_mem of scan_alloc (OpenCL), which are valid during the call. */

  /** Makes device `ordinal` of the backend the thread's current one; called before the other calls for a device. */
  int (*open)(int ordinal);

  /** 1 if the peer can compute the scan by the variant, for any n. */
  int (*supports)(const bench_peer_case *what);

  /** Allocates what scans of what->n elements need. @param[out] state  for start and destroy */
  int (*prepare)(const bench_peer_case *what, void **state);

  /** Scans what->n elements of `in` into `out`. in == out is allowed if both types have one size.
   * @param stream  CUDA: a cudaStream_t; the call is asynchronous and may be captured into a graph. OpenCL: a
   *                cl_command_queue. Host: NULL; the call blocks. */
  int (*start)(void *state, const void *in, void *out, void *stream);

  /** Frees a prepared state whose work is complete. NULL is accepted. */
  void (*destroy)(void *state);

  /** Returns the cause of the last failed call; owned by the peer. */
  const char *(*last_error)(void);

  const bench_peer_select *select; /**< NULL: the peer has no compactions. */
  const bench_peer_sort *sort;     /**< NULL: the peer has no sorts. */
  const bench_peer_reduce *reduce; /**< NULL: the peer has no reductions. */
} bench_peer;

/** Type of the function that a module exports. @return its table, never NULL */
typedef const bench_peer *bench_peer_get(void);

#define BENCH_PEER_SYMBOL "scanrt_bench_peer"

#ifdef __cplusplus
}
#endif
#endif
