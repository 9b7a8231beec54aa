/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file peer.h
 * @brief What another scan library implements to be timed by `scanrt bench`: a module `libscanrt_peer_NAME.so` that
 * exports `scanrt_bench_peer`.
 *
 * The tool owns the buffers, checks every result and takes the times; a peer only starts its scan. Calls come from one
 * thread. A call that can fail returns 0, or -1 after which `last_error` has the words.
 */
#ifndef SCANRT_CLI_PEER_H
#define SCANRT_CLI_PEER_H

#include <stdint.h>

#include <scanrt/scan_composite.h>
#include <scanrt/scan_select.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Of this header. A module of another number is left out. */
enum { BENCH_PEER_VERSION = 9 };

/** One scan. */
typedef struct bench_peer_case {
  scan_type input_type; /**< Type of the input elements; never SCAN_TYPE_DEFAULT, but of composites. */
  scan_type type;       /**< Type of the accumulator and of the output elements. */
  scan_op_id op;
  scan_kind kind;
  scan_value seed; /**< Where the scan starts, the member of `type`: the operator's identity. */
  uint64_t n;
  scan_composite composite; /**< In place of types and operator, which are then 0, and of the seed, which is the
                                 composite's identity; SCAN_COMPOSITE_NONE: none. */
  uint32_t segments;        /**< A scan_segments. */
  scan_type segment_type;   /**< Of keys and offsets. */
  const void *told;         /**< Flags, bits, keys or offsets, where the peer's memory is; until destroy. */
} bench_peer_case;

/** What is done beside a scan_select_by. Of runs of equal keys keys are in[0], those of runs go to out[0]. */
enum {
  BENCH_SELECT_RUN_LENGTHS = SCAN_SELECT_PREDICATE + 1, /**< The runs' lengths, u32, go to out[1]. */
  BENCH_SELECT_REDUCE,                                  /**< Values are in[1], those of runs combined go to out[1]. */
  BENCH_SELECT_PAIR,       /**< Kept are elements whose bits above the lowest are not those of the element before. */
  BENCH_SELECT_PARTITION3, /**< Three parts by two predicates; the second one is asked where the first does not hold. */
  BENCH_SELECT_END
};

/** One compaction, in the words of scan_select.h. */
typedef struct bench_select_case {
  uint32_t by;               /**< A scan_select_by, or a BENCH_SELECT_ above. */
  uint32_t rest;             /**< A scan_select_rest. */
  uint32_t looked_bytes;     /**< Of an element that a predicate looks at, or of a key: in[0]'s, or of the marks. */
  uint32_t threshold;        /**< A predicate keeps elements whose lowest 32 bits, as an unsigned number, are less. */
  uint32_t second_threshold; /**< Of BENCH_SELECT_PARTITION3, likewise of the second predicate. */
  scan_type type;            /**< Of values, and how they are combined: of BENCH_SELECT_REDUCE alone. */
  scan_op_id op;
  uint32_t arrays; /**< That are moved; of runs 1, the keys. 0: u32 indices. */
  uint32_t element_bytes[SCAN_SELECT_MOST_ARRAYS];
  uint64_t n;
} bench_select_case;

/** Its memory: as scan_select_args has it, but pointers that the peer understands. */
typedef struct bench_select_memory {
  const void *marks; /**< NULL: in[0] has what decides. */
  const void *in[SCAN_SELECT_MOST_ARRAYS];
  void *out[SCAN_SELECT_MOST_ARRAYS];
  void *second[SCAN_SELECT_MOST_ARRAYS]; /**< Of BENCH_SELECT_PARTITION3: out has the first part, these the others; */
  void *rest[SCAN_SELECT_MOST_ARRAYS];   /**< and of SCAN_REST_APART. */
  uint64_t *count; /**< Of BENCH_SELECT_PARTITION3 two: of the first part and of the second one. */
} bench_select_memory;

/** What a peer compacts. The calls are those of bench_peer. */
typedef struct bench_peer_select {
  int (*supports)(const bench_select_case *what);
  int (*prepare)(const bench_select_case *what, void **state);
  int (*start)(void *state, const bench_select_memory *memory, void *stream);
  void (*destroy)(void *state);
  int is_rest_reversed; /**< 1: those behind the ones that are kept come from the last to the first. */
} bench_peer_select;

/** What a sort writes: the keys; the keys and a value each; or the keys' indices. A histogram: how many keys have each
 * number that the bits make, of which there are at most 8 then. A split is a sort by such bits. */
enum { BENCH_SORT_KEYS, BENCH_SORT_PAIRS, BENCH_SORT_ARGSORT, BENCH_SORTS, BENCH_SORT_HISTOGRAM = BENCH_SORTS };

/** One stable sort. There is no NaN and no -0.0. */
typedef struct bench_sort_case {
  uint32_t what; /**< A BENCH_SORT_ above. */
  scan_type key_type;
  uint32_t value_bytes; /**< 4 or 8: of a value, or of an index, an unsigned integer; 0 of keys alone. */
  uint32_t descending;  /**< 1: from the largest key to the smallest; equal ones stay in their order all the same. */
  uint32_t first_bit;   /**< What is sorted by are the bits from this one on, */
  uint32_t end_bit;     /**< below this one, of the unsigned integer that has the key's order (scan_sort.h). */
  uint64_t n;
  uint64_t segment_items; /**< Not 0: segments of so many keys are sorted each by itself, the last of what is left; by
                               all bits, and they ascend. */
} bench_sort_case;

/** How many segments there are. */
static inline uint64_t bench_sort_segments(const bench_sort_case *what) {
  return what->segment_items ? (what->n + what->segment_items - 1) / what->segment_items : 0;
}

/** Its memory, as pointers that the peer understands. What is written lies apart from what is read. */
typedef struct bench_sort_memory {
  const void *keys_in;
  void *keys_out;        /**< NULL: of indices. */
  const void *values_in; /**< Of pairs alone. */
  void *values_out;      /**< NULL: of keys alone. */
  uint64_t *counts;      /**< Of BENCH_SORT_HISTOGRAM alone, which has nothing but this and keys_in. */
  const void *offsets;   /**< Of segments, which have one more: uint64_t where n is 2^32 or more, else uint32_t. */
} bench_sort_memory;

/** What a peer sorts. The calls are those of bench_peer. */
typedef struct bench_peer_sort {
  const char *const *ways; /**< Names of the ways in which it does so, such as "int"; the last one is NULL. The fastest
                              way of a case is reported. A name may be "". */
  int (*supports)(const bench_sort_case *what, int way);
  int (*prepare)(const bench_sort_case *what, int way, void **state);
  int (*start)(void *state, const bench_sort_memory *memory, void *stream);
  void (*destroy)(void *state);
} bench_peer_sort;

/** A scan library. */
typedef struct bench_peer {
  uint32_t version;     /**< BENCH_PEER_VERSION. */
  const char *name;     /**< For people: "CUB". */
  const char *release;  /**< The version of the library behind it. */
  scan_backend backend; /**< Whose memory it takes: device pointers (CUDA) or host pointers (host). */

  /** Makes device `ordinal` of the backend the thread's current one; called before the other calls for a device. */
  int (*open)(int ordinal);

  /** 1 when the peer computes such a scan (for any n), 0 when not. */
  int (*supports)(const bench_peer_case *what);

  /** Allocates all that scans of what->n elements need. @param[out] state for start and destroy. */
  int (*prepare)(const bench_peer_case *what, void **state);

  /** Scans what->n elements of `in` into `out` (in == out is allowed where both types have one size).
   *  @param stream  CUDA: a cudaStream_t, and the call is asynchronous and may be captured into a graph; otherwise
   *                 NULL, and the call is blocking. */
  int (*start)(void *state, const void *in, void *out, void *stream);

  /** Frees a prepared state, whose work is over. NULL is accepted. */
  void (*destroy)(void *state);

  /** The cause of the last failed call; owned by the peer. */
  const char *(*last_error)(void);

  const bench_peer_select *select; /**< NULL: it compacts nothing. */
  const bench_peer_sort *sort;     /**< NULL: it sorts nothing. */
} bench_peer;

/** What a module exports. @return its table, never NULL */
typedef const bench_peer *bench_peer_get(void);

#define BENCH_PEER_SYMBOL "scanrt_bench_peer"

#ifdef __cplusplus
}
#endif
#endif
