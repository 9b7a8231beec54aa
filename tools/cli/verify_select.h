/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file verify_select.h
 * @brief Compaction, run-length encoding, reduction by key, sorts and random scans in `scanrt verify`: random cases,
 * each a function of the seed and its number, on every device.
 *
 * A case's memory is one image of what is read and one of what is written. The second is poisoned, and afterwards all
 * of it must be as a plain loop leaves it: what was not to be written, too.
 */
#ifndef SCANRT_CLI_VERIFY_SELECT_H
#define SCANRT_CLI_VERIFY_SELECT_H

#include "verify.h"

#include <scanrt/scan_array.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_split.h>

#include "bench_source.h"
#include "reference_sort.h"

/** Cases are counted by family: compaction, runs of equal keys, sorts, and random scans, which are not of the matrix.
 */
typedef enum selection_family {
  FAMILY_COMPACTION,
  FAMILY_RUNS,
  FAMILY_SORTS,
  FAMILY_RANDOM,
  FAMILIES
} selection_family;

/** What is done, beside a scan_select_by. */
enum {
  SELECTION_PAIR = SCAN_SELECT_PREDICATE + 1, /**< The first or last of runs, by a predicate of two elements. */
  SELECTION_PARTITION3,
  SELECTION_RUN_LENGTHS,
  SELECTION_REDUCE,
  SELECTION_SORT_KEYS,
  SELECTION_SORT_PAIRS,
  SELECTION_ARGSORT,
  SELECTION_SCAN,   /**< By a built-in operator. */
  SELECTION_SOURCE, /**< By one from source. */
  SELECTION_ARRAY,
  SELECTION_STREAM,
  SELECTION_DIFFERENCE,
  SELECTION_HISTOGRAM,
  SELECTION_BYS
};

/** Columns of the table: what becomes of the rest; of sorts, the direction; of random scans, the kind. */
enum { SELECTION_COLUMNS = SCAN_REST_APART + 1 };

/** Where a part of an image lies. */
typedef struct selection_part {
  uint64_t at, bytes;
} selection_part;

/** A random scan, or several of one spec, none of which waits for the one before. */
typedef struct random_case {
  scan_spec spec;       /**< Without custom_op; of a sum from source, that of the built-in one. */
  bench_source source;  /**< Of an operator from source. */
  scan_array array;     /**< Of an array, */
  uint64_t in_first;    /**< of which the element whose indices are 0 lies so many bytes behind the lowest one, */
  uint64_t out_first;   /**< likewise. */
  uint64_t chunk_items; /**< Of a stream. */
  uint64_t run_n[SCAN_SELECT_MOST_ARRAYS]; /**< Elements of each run, of which there are `outputs`. */
  selection_part carries;                  /**< What the first run begins from, and what each run leaves. */
  uint64_t marks;                          /**< scan_args.mark_count. */
  uint64_t overflow;                       /**< The place to be told; UINT64_MAX: none. */
  uint64_t told;                           /**< What was told. */
  uint64_t chain;                          /**< scan_plan_facts.span, where the strategy has an order of its own. */
  int by_host;                             /**< 1: over memory of the host's. */
  _Alignas(16) unsigned char init[SCAN_OP_MOST_BYTES];
  char words[VERIFY_REASON_BYTES]; /**< Why the last call failed, of a context that has forgotten it. */
} random_case;

/** One case. */
typedef struct selection_case {
  uint64_t number, seed;
  uint32_t by;                      /**< A scan_select_by, or a SELECTION_ above. */
  scan_select_spec spec;            /**< Without the predicate. */
  scan_run_length_spec encode;      /**< Of run-length encodings, in place of it, */
  scan_spec reduce;                 /**< of reductions by key, */
  scan_sort_spec sort;              /**< and of sorts. */
  sort_shape shape;                 /**< Of a sort's keys. */
  scan_type key_type;               /**< Of runs and sorts; 0: of others. */
  uint64_t n;                       /**< As the call has it, */
  uint64_t items;                   /**< and how many there are: less by n_from. */
  uint32_t percent;                 /**< Kept; of runs, how often one begins. */
  uint32_t second_percent;          /**< Of a partition into three, of the others. */
  uint32_t shift;                   /**< Elements that each part begins behind a multiple of 64 bytes. */
  uint64_t capacity, rest_capacity; /**< As in the args; SCAN_NO_CAPACITY: such outputs are no memory. */
  int in_first;                     /**< 1: in[0] has what decides. */
  int has_n_from, has_count, by_plan;
  int clamps;       /**< 1: with SCAN_N_FROM_CLAMP. */
  int counts_n;     /**< 1: the count goes to where n comes from. */
  uint64_t n_said;  /**< What n_from has: items, or, where it is clamped, more than n. */
  int in_place;     /**< 1: of a sort, what can be is written over what is read. */
  int has_segments; /**< 1: of a sort, it is by segments, whose offsets lie in `offsets`. */
  int is_split;     /**< 1: of a sort, it is one pass, which leaves offsets where others leave a count. */
  uint32_t outputs; /**< Arrays that are written. */
  uint64_t item_bytes[SCAN_SELECT_MOST_ARRAYS];
  selection_part marks, n_from, count;
  selection_part in[SCAN_SELECT_MOST_ARRAYS], out[SCAN_SELECT_MOST_ARRAYS], rest[SCAN_SELECT_MOST_ARRAYS];
  selection_part second[SCAN_SELECT_MOST_ARRAYS]; /**< Of a partition into three. */
  selection_part values;                          /**< That are reduced by key. Keys are the marks. */
  selection_part keys_out;                        /**< Of a sort. */
  selection_part offsets;                         /**< Of a sort's segments, of which there are so many. */
  uint64_t segments;
  random_case random;
  uint64_t in_bytes, out_bytes; /**< Of the images. */
  unsigned char *in_image;      /**< What is read. */
  unsigned char *want;          /**< What must be written, with poison around it. */
  unsigned char *got;           /**< What was written. */
  uint8_t *kept; /**< 1 where an element is kept; of encodings and reductions, where a run begins. Of a partition into
                    three 2 in the second part. */
} selection_case;

enum { SELECTION_POISON = 0xA5 };

/** A result that is wrong, or a call that failed. */
typedef struct selection_failure {
  uint64_t number; /**< Of the case. */
  int device;
  int other; /**< The device that it disagrees with; -1: wrong by the reference, or failed. */
  uint64_t n, seed;
  selection_family family;
  int in_place;
  char name[160];
  char words[320];
  char command[VERIFY_COMMAND_BYTES];
} selection_failure;

/** Those of all cases, of u32: keep about `percent` in a hundred elements, or begin a run with them. */
typedef struct selection_predicates {
  scan_op *one;  /**< By element and index. */
  scan_op *pair; /**< By two neighbours. */
} selection_predicates;

/** What was found. */
typedef struct verify_selections {
  verify_cell cells[CLI_MAX_DEVICES][SELECTION_BYS][SELECTION_COLUMNS];
  selection_predicates predicates[CLI_MAX_DEVICES];
  selection_failure failures[VERIFY_MAX_FAILURES];
  int failure_count;
  uint64_t cases[FAMILIES], elements, bytes; /**< Of each device as many; bytes are read and written. */
} verify_selections;

/** 1 where the request is for compaction, runs and sorts: not where it names some of the scans. */
int verify_select_is_wanted(const verify_request *request);

/** How many of --select, --runs, --sorts and --random there are. */
int verify_select_families_alone(const verify_request *request);

/** 1 where the request is for the cases of a family. */
int verify_select_asks(const verify_request *request, selection_family family);

/** What the option for a family alone is called. */
const char *verify_select_option(selection_family family);

/** Runs the cases on all devices. @return CLI_OK, also where results are wrong, or CLI_FAILED */
int verify_select_run(verify_lab *lab);

/** Before the first case: counts, and predicates on the devices. @return CLI_OK or CLI_FAILED */
int verify_select_open(verify_report *report);

/** Makes the predicates of a device that was opened. One that does not compile them has failed; cases by them are then
 * refused by the library. */
void verify_select_meet(verify_report *report, int device);

/** Destroys them, before the device is closed. */
void verify_select_leave(verify_report *report, int device);

/** One case on all devices. @return as verify_select_run */
int verify_select_case(verify_lab *lab, selection_family family, uint64_t number);

/** Adds what another report, of the same devices, has found. */
void verify_select_merge(verify_report *report, const verify_report *other);
void verify_select_free(verify_report *report);

void verify_select_text(const verify_report *report); /**< A table. */
int verify_select_has_failures(const verify_report *report);
void verify_select_print_failures(const verify_report *report);
void verify_select_json_rows(json *j, const verify_report *report);
void verify_select_json_failures(json *j, const verify_report *report);

/* ---- verify_select_case.c ---- */

const char *selection_by_name(int by);
selection_family selection_family_of(uint32_t by);
uint32_t selection_column(const selection_case *c);
const char *selection_column_name(selection_family family, int column); /**< NULL: the family has no such column. */

/** Chooses a case and makes its images. @return 0, or -1 when memory ran out; free it in both cases */
int selection_make(const verify_request *request, selection_family family, uint64_t number, selection_case *c);
void selection_free(selection_case *c);

/** "flags, rest behind, ...". */
void selection_words(const selection_case *c, char *text, size_t bytes);

/** Which byte of `got` is the first that is wrong, in words; "" where none is. */
void selection_difference(const selection_case *c, char *text, size_t bytes);

/* ---- what verify_select_case.c, verify_runs_case.c and verify_sort_case.c share ---- */

/** Random numbers of one case. */
typedef struct selection_dice {
  uint64_t seed, thrown;
} selection_dice;

/** The next one, below n. */
uint64_t selection_below(selection_dice *d, uint64_t n);
uint64_t selection_capacity(selection_dice *d, uint64_t n);

/** n, or of one case in VERIFY_LARGE_IN with request->largest any number up to that one, of each magnitude as often. */
uint64_t selection_enlarge(const verify_request *request, uint64_t n, selection_dice *d);

/** Places a part in an image with margins. @param[in,out] used  of the image */
selection_part selection_take(uint64_t *used, uint64_t bytes, uint64_t shift_bytes);

/** What elements of so many bytes are aligned to. */
uint64_t selection_align(uint64_t bytes);

/** The memory of a call that has n: its own, that of the count, or none. */
scan_mem selection_n_from(const selection_case *c, scan_mem in, scan_mem out);

/** The memory of an output; none where it has no room. */
scan_mem selection_output(scan_mem out, uint64_t capacity, const selection_part *part);

/** What outputs have room for. @param capacity  as in the args */
uint64_t selection_room(uint64_t capacity, uint64_t n);

/** Whether two keys differ, as C's == has it. */
int selection_differs(scan_type type, const void *keys, uint64_t i, uint64_t j);

/* ---- verify_runs_case.c: run-length encodings and reductions by key ---- */

/** Completes a case whose n, items, capacity and ways are chosen. @param large  1: types that some drivers are slow to
 * compile, too */
void runs_choose(selection_case *c, int large, selection_dice *d);
void runs_lay_out(selection_case *c);

/** Fills values and c->want, from c->kept. @return 0, or -1 when memory ran out */
int runs_expect(const selection_case *c);

/** "f32 add of u16 keys". */
void runs_words(const selection_case *c, char *text, size_t bytes);
scan_status runs_call(scan_ctx *ctx, const selection_case *c, scan_mem in, scan_mem out);

/* ---- verify_sort_case.c: stable sorts ---- */

/** Chooses all of a case whose number is set. */
void sorts_choose(const verify_request *request, selection_case *c, selection_dice *d);
void sorts_lay_out(selection_case *c);

/** Fills the keys. */
void sorts_fill(const selection_case *c);

/** Of a case in place: puts what is read where it will be written. */
void sorts_put_inputs(const selection_case *c, unsigned char *out_image);

/** Fills c->want. @return 0, or -1 when memory ran out */
int sorts_expect(const selection_case *c);

/** "f32 with 8 bytes, descending, bits 3 to 17". */
void sorts_words(const selection_case *c, char *text, size_t bytes);
scan_status sorts_call(scan_ctx *ctx, const selection_case *c, scan_mem in, scan_mem out);

/* ---- verify_random_case.c, verify_random_expect.c, verify_random_call.c: scans, arrays, streams, histograms ---- */

/** Chooses all of a case whose number is set. */
void random_choose(const verify_request *request, selection_case *c, selection_dice *d);
void random_lay_out(selection_case *c);

/** Fills the input, heads of segments and marks. */
void random_fill(selection_case *c);

/** Puts what is read where it will be written: inputs of scans in place, and what the first run begins from. */
void random_put_inputs(const selection_case *c, unsigned char *out_image);

/** Fills c->want. @return 0, or -1 when memory ran out */
int random_expect(selection_case *c);

/** "i8->i32 add, backward, flags, lookback, 3 at once". */
void random_words(const selection_case *c, char *text, size_t bytes);

/** 1 where results may be denormal, which some devices flush. */
int random_has_denormals(const selection_case *c);

scan_status random_call(scan_ctx *ctx, selection_case *c, scan_mem in, scan_mem out);

/** Of a strategy with an order of its own: makes what is close enough in c->got what it must be. */
void random_settle(selection_case *c);

/* ---- verify_predicate_case.c: by predicates, and the partition into three ---- */

/** Destroy them also where one was not made. */
scan_status selection_predicates_make(scan_ctx *ctx, selection_predicates *p);
void selection_predicates_destroy(selection_predicates *p);

/** Fills c->kept. */
void predicate_mark(selection_case *c);
scan_status partition_call(scan_ctx *ctx, const selection_case *c, scan_op *predicate, scan_mem in, scan_mem out);

/** Poisons what is unspecified in c->got: all that lies behind the second part. */
void partition_forget(const selection_case *c);

#endif
