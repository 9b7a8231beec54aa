/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_request.h @brief The parsed command line of `scanrt bench`, and its limits. */
#ifndef SCANRT_CLI_BENCH_REQUEST_H
#define SCANRT_CLI_BENCH_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "bench_segments.h"
#include "cli.h"
#include "source.h"

#include <scanrt/scan_array.h>

enum {
  BENCH_MAX_REPS = 1000,
  BENCH_MAX_SIZES = 256,
  BENCH_MAX_STRATEGIES = 32,
  BENCH_MAX_TYPES = 16,
  BENCH_MAX_OPS = 16,
  BENCH_MAX_SOURCES = 32,
  BENCH_MAX_PEERS = 8,
  BENCH_MAX_LENGTHS = 16,
  BENCH_MAX_ENTRIES = 4 * BENCH_MAX_STRATEGIES + BENCH_MAX_PEERS + 7,
  BENCH_LABEL_BYTES = 64,
  BENCH_COMMAND_BYTES = 1024
};

/** How the calls of a batch are made, and which part of them is timed. */
typedef enum bench_mode {
  BENCH_EAGER, /**< One call after the other. */
  BENCH_GRAPH, /**< A CUDA graph of calls, replayed. */
  BENCH_HOST   /**< As eager, but times only until the calls return. */
} bench_mode;

/** Indices of the kinds. */
typedef enum bench_kind_id {
  BENCH_KIND_SCAN,
  BENCH_KIND_SELECT, /**< --select: compaction. */
  BENCH_KIND_SORT,   /**< --sort. */
  BENCH_KIND_SPLIT,  /**< --split: splits and histograms. */
  BENCH_KIND_REDUCE, /**< --reduce: totals, and totals of segments. */
  BENCH_KIND_STREAM, /**< --stream: host data streamed through a device. */
  BENCH_KIND_MPI,    /**< --mpi: scans over ranks. */
  BENCH_KIND_VERSUS, /**< --versus: cases of other kinds beside peers alone. */
  BENCH_KIND_COUNT
} bench_kind_id;

typedef struct bench_kind bench_kind;

/** The parsed command line. */
typedef struct bench_request {
  const bench_kind *const *measurements; /**< All BENCH_KIND_COUNT kinds. */
  bench_kind_id measurement;
  cli_devices devices;
  uint64_t sizes[BENCH_MAX_SIZES];
  size_t size_count;
  scan_type types[BENCH_MAX_TYPES];
  size_t type_count;
  scan_op_id ops[BENCH_MAX_OPS];
  size_t op_count;
  source_operator sources[BENCH_MAX_SOURCES]; /**< Operators from source. */
  size_t source_count;
  scan_strategy strategies[BENCH_MAX_STRATEGIES];
  size_t strategy_count;
  uint32_t segments; /**< Kinds of segment marks to measure, bits by scan_segments; 0: no segments. */
  bench_length lengths[BENCH_MAX_LENGTHS];
  size_t length_count;
  scan_type segment_key_type;         /**< Type of the keys; SCAN_TYPE_DEFAULT: i32. */
  const char *peers[BENCH_MAX_PEERS]; /**< Names given by --peer; none: all peers that are found. */
  size_t peer_count;
  scan_type input_type;                /**< SCAN_TYPE_DEFAULT: equal to the type. */
  int kinds[2];                        /**< Indexed by scan_kind: 1 when wanted. */
  int modes[3];                        /**< Indexed by bench_mode: 1 when wanted. */
  uint64_t shape[SCAN_ARRAY_MAX_AXES]; /**< Shape of the array whose lines are scanned. */
  uint32_t ndim;                       /**< 0: no array. */
  uint32_t axes;                       /**< Axes to scan along, one bit each. */
  int backward;
  int totals; /**< 1: totals of the array's lines, not scans. */
  int check_overflow;
  int carry;      /**< 1: the scans write a carry. */
  int difference; /**< 1: differences of neighbours, not scans. */
  int in_place;
  int also_in_place; /**< 1: --select, --sort and --split also measure in-place calls. */
  int no_peers;
  int gallery;        /**< 1: all strategies, with their theoretical work and span. */
  uint64_t in_offset; /**< Elements skipped at the begin of each buffer. */
  uint64_t out_offset;
  uint64_t mark_offset; /**< Flags or keys skipped at the begin of their memory. */
  uint64_t pairs;       /**< Pairs of buffers; 0: enough to exceed the caches. */
  uint64_t reps;
  int cold;
  int has_beside;  /**< 1: compares the host's threads with one thread while busy loops run. */
  uint64_t beside; /**< Number of busy loops. */
  int as_json;
  const char *csv;                   /**< NULL: none, "-": standard output. */
  char command[BENCH_COMMAND_BYTES]; /**< The command line, for captions. */
} bench_request;

#endif
