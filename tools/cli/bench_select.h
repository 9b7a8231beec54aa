/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench_select.h
 * @brief The parts of `scanrt bench --select`: stream compaction, run-length encoding and reduction by key beside a
 * copy, peers and a plain loop.
 *
 * A case is one device, what keeps elements, what becomes of the rest, a payload, n, and the share that is kept or the
 * length of runs. It is timed as cases of scans are (bench_time.c), and each result is compared with the reference item
 * by item.
 */
#ifndef SCANRT_CLI_BENCH_SELECT_H
#define SCANRT_CLI_BENCH_SELECT_H

#include "bench.h"

#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>

enum { SELECT_MOST_SHARES = 16, SELECT_MOST_PAYLOADS = 16, SELECT_RESTS = 3 };

/** Arrays that are moved, or indices in their place. */
typedef struct select_payload {
  const char *name; /**< "4", "4,4", "index". */
  uint32_t arrays;  /**< 0: u32 indices. */
  uint32_t bytes[SCAN_SELECT_MOST_ARRAYS];
} select_payload;

/** A share of the elements, or the average length of runs. */
typedef struct select_share {
  char name[16]; /**< "10%", "500". */
  double kept;   /**< From 0 to 1; of runs unused. */
  uint64_t run;  /**< Elements; of shares 0. */
} select_share;

/** What the command line asks for. */
typedef struct select_request {
  bench_request base; /**< Devices, sizes, peers, modes, rounds, reports. First: options of `scanrt bench` go there. */
  int by[BENCH_SELECT_END]; /**< Indexed as bench_select_case.by: 1 where wanted. */
  int rest[SELECT_RESTS];   /**< Indexed by scan_select_rest, likewise. */
  select_payload payloads[SELECT_MOST_PAYLOADS];
  size_t payload_count;
  select_share shares[SELECT_MOST_SHARES];
  size_t share_count;
  select_share runs[SELECT_MOST_SHARES];
  size_t run_count;
} select_request;

/** Which elements a reference keeps: made once a case. */
typedef struct select_truth {
  uint32_t *words;  /**< A bit an element, as SCAN_SELECT_BITS. */
  uint64_t *before; /**< Kept before each chunk of BENCH_CHUNK elements. */
  uint64_t kept;
} select_truth;

/** The loop that a program would have, in bench_select_loop.c, compiled as plain_loop.c is. */
typedef struct select_loop {
  uint32_t by; /**< As of bench_select_case. */
  scan_select_rest rest;
  uint32_t item_bytes;   /**< Of an element; 0: u32 indices. */
  uint32_t looked_bytes; /**< Of in's elements by keys or a predicate; of indices, of the marks': 4. */
  uint32_t threshold, second_threshold;
  uint64_t n;
  const void *in;    /**< NULL: indices. */
  const void *marks; /**< NULL: `in` decides. */
  void *out, *rest_out;
  void *second_out;   /**< Of a partition into three, */
  uint64_t *counts;   /**< and its three counts, of which the last two are written. */
  scan_type type;     /**< Of values that are added up by key, */
  const void *values; /**< and they. */
  void *computed;     /**< Lengths of runs, or sums. */
} select_loop;

/** A device and the case that is measured. */
typedef struct select_lab {
  bench_lab base; /**< First: subjects find their select_lab by it. */
  const select_request *request;
  uint32_t by; /**< As of bench_select_case. Of a reduction, base.spec says by what. */
  scan_select_rest rest;
  const select_payload *payload;
  const select_share *share; /**< Of either kind. */
  uint32_t looked_bytes;     /**< Of a key, or of what a predicate looks at; 0: flags and bits. */
  uint32_t threshold;        /**< Elements whose lowest 32 bits are less are kept; of runs unused. */
  uint32_t second_threshold; /**< Of a partition into three likewise, of the second part. */
  scan_op *predicate;
  scan_plan *plan;
  scan_op *one_predicate; /**< Both in the context of one thread; NULL: not wanted. */
  scan_plan *one_plan;
  scan_plan *placed_plan; /**< The same in place; NULL: not wanted. */
  scan_select_args args;  /**< Of all runs. */
  uint64_t n;
  uint64_t at[SCAN_SELECT_MOST_ARRAYS];         /**< Where each array begins in `in`, `out` and `others`. */
  uint64_t item_bytes[SCAN_SELECT_MOST_ARRAYS]; /**< Of what is written: elements or indices. */
  uint32_t inputs;                              /**< Arrays that are read: 0 for indices. */
  uint32_t outputs;                             /**< Arrays that are written: 1 for indices. */
  uint64_t in_bytes, out_bytes, marks_bytes;    /**< Of all arrays. */
  select_loop loop;                             /**< On the host backend. */
  bench_memory in, out, others, marks, count, poison;
  bench_memory middle;     /**< Of a partition into three: the second part. */
  unsigned char *input;    /**< The host's copy of `in`. */
  unsigned char *told;     /**< And of `marks`. */
  unsigned char *staging;  /**< Room for outputs. */
  unsigned char *computed; /**< Of runs, of each element: what output 1 has where a run ends there; else NULL. */
  int filled;              /**< 1: the input is there and is the same for all shares. */
  select_truth truth;
  select_truth second; /**< Of a partition into three: what is in the second part. */
} select_lab;

/* ---- the command line ---- */

/** As bench_family has them. */
void select_help(void);
int select_complete(const char *command, bench_request *request);
const char *select_by_name(uint32_t by);
const char *select_rest_name(scan_select_rest rest);
int select_is_by_runs(uint32_t by);
int select_computes(uint32_t by);      /**< 1: lengths or reductions of runs are written, too. */
int select_has_threshold(uint32_t by); /**< 1: by a predicate of one element, or two such. */
int select_runs_in_place(uint32_t by); /**< 1: outputs may be inputs. */

/* ---- data ---- */

/** Allocates what the lab's case needs, and makes the plan. @return CLI_OK or CLI_FAILED; then clear too */
int select_data_make(select_lab *lab);
void select_data_clear(select_lab *lab);

/** Fills inputs and marks for lab->share, and says which are kept. @return CLI_OK or CLI_FAILED */
int select_data_fill(select_lab *lab);

/** As bench_family has them. */
int select_poison(bench_subject *subject);
int select_check(bench_subject *subject);

/* ---- runs: what a compaction has not ---- */

scan_type select_key_type(uint32_t bytes);     /**< The unsigned integer of 1, 2, 4 or 8 bytes. */
scan_status select_runs_plan(select_lab *lab); /**< Makes lab->plan. */
scan_status select_runs_start(const select_lab *lab, scan_plan *plan);
void select_runs_fill_values(select_lab *lab); /**< Of a reduction, on the host. */

/** Fills lab->computed from keys, values and lab->truth. @return CLI_OK or CLI_FAILED */
int select_runs_expect(select_lab *lab);

/** Whether a result of the run that ends with element i is one that any order of operations may have. */
int select_runs_is_close(const select_lab *lab, uint64_t i, const unsigned char *got);

/** 1 where the order of operations changes the bits of results. */
int select_runs_round(const select_lab *lab);

/* ---- predicates, and the partition by two ---- */

/** Makes lab->predicate, of lab->by, for elements of so many bytes. */
scan_status select_predicate_make(select_lab *lab, uint32_t bytes);
scan_status select_partition_plan(select_lab *lab); /**< Makes lab->plan. */
scan_status select_partition_start(const select_lab *lab, scan_plan *plan);

/* ---- subjects ---- */

int select_subjects_list(bench_lab *base); /**< @return CLI_OK or CLI_FAILED */

/** Bytes that a compaction of the case has to read and write. */
uint64_t select_bytes(const select_lab *lab);

int select_loop_is_there(const select_loop *loop);
uint64_t select_loop_run(const select_loop *loop); /**< @return how many were kept */

#endif
