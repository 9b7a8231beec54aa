/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench_select.h
 * @brief The parts of `scanrt bench --select`: stream compaction, run-length encoding and reduction by key beside a
 * copy, peers and a plain loop.
 *
 * A case is one device, a criterion for keeping elements, a mode for the rest, a payload, n, and the share that is kept
 * or the length of runs. Cases are timed as those of scans (bench_time.c), and each result is compared with the
 * reference item by item.
 */
#ifndef SCANRT_CLI_BENCH_SELECT_H
#define SCANRT_CLI_BENCH_SELECT_H

#include "bench.h"

#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>

enum { SELECT_MOST_SHARES = 16, SELECT_MOST_PAYLOADS = 16, SELECT_RESTS = 3 };

/** Arrays that are moved, or indices instead. */
typedef struct select_payload {
  const char *name; /**< "4", "4,4", "index". */
  uint32_t arrays;  /**< 0: u32 indices. */
  uint32_t bytes[SCAN_SELECT_MOST_ARRAYS];
} select_payload;

/** The share of elements that are kept, or the average length of runs. */
typedef struct select_share {
  char name[16]; /**< "10%", "500". */
  double kept;   /**< From 0 to 1; unused for runs. */
  uint64_t run;  /**< Average length in elements; 0 for shares. */
} select_share;

/** The parsed command line. */
typedef struct select_request {
  bench_request base; /**< Devices, sizes, peers, modes, rounds, reports. First member, since the options of `scanrt
                         bench` are stored there. */
  int by[BENCH_SELECT_END]; /**< Indexed as bench_select_case.by: 1 if requested. */
  int rest[SELECT_RESTS];   /**< Indexed by scan_select_rest: 1 if requested. */
  select_payload payloads[SELECT_MOST_PAYLOADS];
  size_t payload_count;
  select_share shares[SELECT_MOST_SHARES];
  size_t share_count;
  select_share runs[SELECT_MOST_SHARES];
  size_t run_count;
} select_request;

/** The elements that the reference keeps, computed once a case. */
typedef struct select_truth {
  uint32_t *words;  /**< One bit an element, as SCAN_SELECT_BITS. */
  uint64_t *before; /**< Kept elements before each chunk of BENCH_CHUNK elements. */
  uint64_t kept;
} select_truth;

/** Arguments of the plain loop in bench_select_loop.c, which is compiled as plain_loop.c is. */
typedef struct select_loop {
  uint32_t by; /**< As bench_select_case.by. */
  scan_select_rest rest;
  uint32_t item_bytes;   /**< Size of an element; 0: u32 indices. */
  uint32_t looked_bytes; /**< Size of the elements that decide: keys or a predicate's input. For indices they are the
                            marks, of 4 bytes. */
  uint32_t threshold, second_threshold;
  uint64_t n;
  const void *in;    /**< NULL: indices. */
  const void *marks; /**< NULL: `in` decides. */
  void *out, *rest_out;
  void *second_out; /**< Second part of a partition into three. */
  /** The three counts of a partition into three. The loop writes the last two; it returns the first. */
  uint64_t *counts;
  scan_type type;     /**< Type of the values summed by key. */
  const void *values; /**< Values summed by key. */
  void *computed;     /**< Lengths of runs, or sums. */
} select_loop;

/** A device and the case being measured. */
typedef struct select_state {
  bench_state base; /**< First member, so that an entry's state is its select_state. */
  const select_request *request;
  uint32_t by; /**< As bench_select_case.by. base.spec has the operator of a reduction. */
  scan_select_rest rest;
  const select_payload *payload;
  const select_share *share; /**< From r->shares or r->runs. */
  uint32_t looked_bytes;     /**< Size of a key or of a predicate's input; 0: flags and bits. */
  uint32_t threshold;        /**< Elements whose lowest 32 bits are below it are kept; unused for runs. */
  uint32_t second_threshold; /**< Partition into three: elements below it go to the second part, unless to the first. */
  scan_op *predicate;
  scan_plan *plan;
  scan_op *one_predicate; /**< The predicate in the one-thread context; NULL: not requested. */
  /** The plan in the one-thread context; NULL: not requested. */
  scan_plan *one_plan;
  scan_plan *placed_plan; /**< The plan for in-place calls; NULL: not requested. */
  scan_select_args args;  /**< Arguments of every call. */
  uint64_t n;
  uint64_t at[SCAN_SELECT_MOST_ARRAYS];         /**< Offset of each array in `in`, `out` and `others`. */
  uint64_t item_bytes[SCAN_SELECT_MOST_ARRAYS]; /**< Size of each output element or index. */
  uint32_t inputs;                              /**< Arrays that are read; 0 for indices. */
  uint32_t outputs;                             /**< Arrays that are written; 1 for indices. */
  uint64_t in_bytes, out_bytes, marks_bytes;    /**< Sizes of all arrays together. */
  select_loop loop;                             /**< For the host backend. */
  bench_memory in, out, others, marks, count, poison;
  bench_memory middle;       /**< Second part of a partition into three. */
  unsigned char *input;      /**< Host copy of `in`. */
  unsigned char *host_marks; /**< Host copy of `marks`. */
  unsigned char *staging;    /**< Room for outputs. */
  /** For runs: element i holds the expected output 1 of a run that ends there; NULL otherwise. */
  unsigned char *computed;
  int filled; /**< 1: the input is filled and the same for all shares. */
  select_truth truth;
  select_truth second; /**< Second part of a partition into three. */
} select_state;

/* ---- the command line ---- */

/** Functions of bench_kind. */
void select_help(void);
int select_complete(const char *command, bench_request *request);
const char *select_by_name(uint32_t by);
const char *select_rest_name(scan_select_rest rest);
int select_is_by_runs(uint32_t by);
int select_computes(uint32_t by);      /**< 1 if lengths or reductions of runs are written, too. */
int select_has_threshold(uint32_t by); /**< 1 for predicates of one element, and for a partition by two of them. */
int select_runs_in_place(uint32_t by); /**< 1 if outputs may overwrite inputs. */

/* ---- data ---- */

/** Allocates the buffers of the state's case, and makes the plan. @return CLI_OK or CLI_FAILED; call select_data_clear
 * in both cases */
int select_data_make(select_state *bench);
void select_data_clear(select_state *bench);

/** Fills inputs and marks for bench->share, and computes which elements are kept. @return CLI_OK or CLI_FAILED */
int select_data_fill(select_state *bench);

/** Functions of bench_kind. */
int select_poison(bench_entry *entry);
int select_check(bench_entry *entry);

/* ---- runs: functions that compactions do not need ---- */

scan_type select_key_type(uint32_t bytes);         /**< Returns the unsigned integer type of 1, 2, 4 or 8 bytes. */
scan_status select_runs_plan(select_state *bench); /**< Makes bench->plan. */
scan_status select_runs_start(const select_state *bench, scan_plan *plan);
void select_runs_fill_values(select_state *bench); /**< Fills the values of a reduction, on the host. */

/** Computes bench->computed from keys, values and bench->truth. @return CLI_OK or CLI_FAILED */
int select_runs_expect(select_state *bench);

/** 1 if the result of the run that ends with element i is within the error of any order of operations. */
int select_runs_is_close(const select_state *bench, uint64_t i, const unsigned char *got);

/** 1 if the order of operations can change the bits of results. */
int select_runs_round(const select_state *bench);

/* ---- predicates, and the partition by two predicates ---- */

/** Creates bench->predicate for bench->by and elements of `bytes` bytes. */
scan_status select_predicate_make(select_state *bench, uint32_t bytes);
scan_status select_partition_plan(select_state *bench); /**< Makes bench->plan. */
scan_status select_partition_start(const select_state *bench, scan_plan *plan);

/* ---- entries ---- */

int select_entries_list(bench_state *base); /**< @return CLI_OK or CLI_FAILED */

/** Returns the bytes that a compaction of the case must read and write. */
uint64_t select_bytes(const select_state *bench);

/** 1 if there is a plain loop for these arguments. */
int select_loop_is_there(const select_loop *loop);
uint64_t select_loop_run(const select_loop *loop); /**< Runs the loop. @return the number of elements kept */

#endif
