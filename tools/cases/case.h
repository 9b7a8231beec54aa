/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file case.h
 * @brief A case: one call of the library as data, drawn from numbers or read from a line, with its expected output.
 *
 * A case has one image (block of memory) that the call reads and one that it writes. The output image is poisoned
 * before the call. After the call every byte of it must be as a plain loop leaves it, including the bytes between the
 * outputs.
 */
#ifndef SCANRT_CASES_CASE_H
#define SCANRT_CASES_CASE_H

#include <scanrt/scan_array.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_split.h>

#include <stdio.h>

#include "cuts.h"
#include "reference_sort.h"
#include "source.h"

/** Families of primitives. Cases are drawn and counted by family. */
typedef enum case_family {
  FAMILY_COMPACTION,
  FAMILY_RUNS,  /**< Run-length encoding and reduction by key. */
  FAMILY_SORTS, /**< Sorts, splits and histograms. */
  FAMILY_SCANS, /**< Scans of all kinds, and differences. */
  FAMILIES
} case_family;

/** Values of scan_case.by: which call the case makes. The values below these are those of scan_select_by. */
enum {
  CASE_PAIR = SCAN_SELECT_PREDICATE + 1, /**< The first or last of runs, by a predicate of two elements. */
  CASE_PARTITION3,
  CASE_RUN_LENGTHS,
  CASE_REDUCE,
  CASE_SORT_KEYS,
  CASE_SORT_PAIRS,
  CASE_ARGSORT,
  CASE_HISTOGRAM,
  CASE_SCAN,   /**< A scan by a built-in operator. */
  CASE_SOURCE, /**< A scan by an operator from source. */
  CASE_ARRAY,
  CASE_STREAM,
  CASE_DIFFERENCE,
  CASE_BYS
};

enum {
  CASE_LINE_BYTES = 600,
  CASE_WORDS_BYTES = 400,
  CASE_POISON = 0xA5,
  CASE_GUARD_BYTES = 64,        /**< Unused bytes before and behind each part of an image. */
  CASE_LARGE_IN = 16,           /**< One case in CASE_LARGE_IN may be large. */
  CASE_LEAST_LARGEST = 1 << 16, /**< The smallest upper bound of n that a large case draws. */
  CASE_COLUMNS = SCAN_REST_APART + 1,
  CASE_FEW = 300,
  CASE_TUNE_BYTES = 64,
  CASE_CONTEXTS = 8,
  CASE_CARRY_BYTES = 128 /**< Bytes between the begins of two carries. */
};

/** The kind of values that floating-point elements of scans have. Except with CASE_VALUES_USUAL any two NaNs count
 * as equal results. */
typedef enum case_values {
  CASE_VALUES_USUAL,     /**< Values of data_fill. */
  CASE_VALUES_WIDE,      /**< Exponents chosen so that sums neither overflow nor become denormal. */
  CASE_VALUES_SIGNS,     /**< Zeros of both signs. */
  CASE_VALUES_ZEROS,     /**< Zeros of both signs among others. */
  CASE_VALUES_INFINITE,  /**< Infinities and zeros among others. */
  CASE_VALUES_NAN,       /**< NaNs, infinities and zeros among others. */
  CASE_VALUES_DENORMAL,  /**< Denormals and zeros among others. */
  CASE_VALUES_ANY,       /**< Any finite bit pattern. */
  CASE_VALUES_INVERSE,   /**< A number and then its inverse: products stay in range. */
  CASE_VALUES_GROWING,   /**< Products overflow. */
  CASE_VALUES_VANISHING, /**< Products become denormal, and zero. */
  CASE_VALUES_MINUS      /**< -0.0 alone, also the carry; the initial value is a zero of either sign. */
} case_values;

/** Bounds of drawn cases. */
typedef struct case_limits {
  uint64_t seed;
  int quick;            /**< 1: fewer elements. */
  int large;            /**< 1: more elements, and types whose kernels some drivers take minutes to compile. */
  uint64_t largest;     /**< Upper bound of the elements of large cases; 0: no case is large. */
  int small;            /**< 1: seven cases in eight have fewer than CASE_FEW elements. */
  scan_backend backend; /**< Backend of the run: one case in 8 gets a tuning or, on the host, a number of threads; 0: no
                           case does. */
} case_limits;

/** Position and size of a buffer in an image. */
typedef struct case_part {
  uint64_t at, bytes;
} case_part;

/** The fields of FAMILY_SCANS. Several runs of one spec may be in flight at once. */
typedef struct case_scan {
  scan_spec spec;         /**< Without custom_op. With a built-in operator from source: the operator's own spec. */
  source_operator source; /**< For CASE_SOURCE, and for arrays and streams with an operator from source. */
  scan_array array;       /**< For CASE_ARRAY. */
  uint64_t in_first;      /**< Bytes from the lowest element of the array to the element whose indices are 0. */
  uint64_t out_first;     /**< Bytes from the lowest element of the output array to its element whose indices are 0. */
  uint32_t is_packed;     /**< 1: the array is in C order without gaps. */
  case_values values;     /**< Kind of the floating-point elements. */
  uint64_t chunk_items;   /**< For CASE_STREAM; 0: the library's default, which takes all elements as one chunk. */
  uint64_t device_bytes;  /**< For CASE_STREAM. */
  int reads, writes;      /**< 1: the stream reads its input, or writes its results, through callbacks. */
  int sees_progress;      /**< 1: a callback runs after each chunk. */
  int is_pinned;          /**< 1: the memory of a stream is page-locked. */
  uint64_t run_n[SCAN_SELECT_MOST_ARRAYS]; /**< Elements of each of `outputs` runs. With outputs == 0 there is one run
                                              of n elements. */
  int has_carry;     /**< 1: each run begins from the carry of the run before it, the first one from the first carry. */
  int carries_in;    /**< 1: each run begins from the first carry. */
  int carries_out;   /**< 1: each run writes a carry of its own. */
  int carries_same;  /**< 1: each run begins from the first carry and overwrites it. */
  int device_carry;  /**< 1: carries are in device memory even where the other outputs are in host memory. */
  case_part carries; /**< The first carry and then that of each run, CASE_CARRY_BYTES apart. */
  uint64_t segment_items; /**< Elements of each segment; 0: `percent` of the elements begin a segment. */
  uint64_t marks;         /**< scan_args.mark_count. */
  uint64_t overflow;      /**< Index of the overflow that the library must report; UINT64_MAX: none. */
  uint64_t reported;      /**< Index of the overflow that the library reported; UINT64_MAX: none. */
  uint64_t chain;         /**< scan_plan_facts.span of a strategy that combines in an order of its own. */
  _Alignas(16) unsigned char init[SCAN_OP_MOST_BYTES];
  char words[CASE_WORDS_BYTES]; /**< scan_last_error of a failed call, saved before its plan is destroyed; "": none. */
} case_scan;

/** One case. text.c lists the fields that a line has; case_build derives the others. */
typedef struct scan_case {
  uint64_t number;             /**< Number of a drawn case in its family. */
  uint64_t seed;               /**< Seed of the inputs. */
  char tune[CASE_TUNE_BYTES];  /**< $SCANRT_TUNE of the context; "": left unchanged. */
  uint32_t threads;            /**< Threads of a host context; 0: the library's default. */
  uint32_t by;                 /**< A scan_select_by, or a CASE_ above. */
  scan_select_spec spec;       /**< For compaction, without the predicate. */
  scan_run_length_spec encode; /**< For CASE_RUN_LENGTHS. */
  scan_spec reduce;            /**< For CASE_REDUCE. */
  scan_sort_spec sort;         /**< For sorts, splits and histograms. */
  sort_shape shape;            /**< Distribution of a sort's keys. */
  scan_type key_type;          /**< Type of the keys of runs and sorts; 0: the case has no keys. */
  uint64_t n;                  /**< The n of the call. */
  uint64_t items;      /**< Elements that the call processes: n, or fewer where n_from holds a smaller number. */
  uint64_t kept_items; /**< Flags, bits: consecutive elements that are kept or dropped together; 0: each by itself. */
  uint32_t percent;    /**< Percentage of elements that are kept, or that begin a run or a segment. */
  uint32_t second_percent; /**< CASE_PARTITION3: percentage of the elements outside the first part that go to the second
                              part. */
  uint32_t shift;          /**< Distance of each part from a multiple of 64 bytes, in elements. */
  uint32_t out_shift; /**< Distance of each output of a scan from a multiple of 64 bytes, in elements; 0: drawn from the
                         seed. */
  uint64_t capacity, rest_capacity; /**< As in the args. SCAN_NO_CAPACITY: the call gets no memory for these outputs. */
  int keeps_last;                   /**< 1: CASE_PAIR keeps the last element of each run; 0: the first one. */
  int in_first; /**< 1: in[0] holds the elements that decide, and there is no part `marks` of its own. */
  int has_keys; /**< 1: the call writes the keys of runs. */
  int has_n_from, has_count, by_plan;
  int plan_memory;       /**< 1: the plan is given memory of the application's. */
  uint64_t plan_n;       /**< max_n of the plan; 0: n. */
  int runs_again;        /**< 1: the plan runs twice. */
  int by_host;           /**< 1: all memory is on the host, except n_from and a count written over it. */
  int host_in, host_out; /**< 1: only the inputs, or only the outputs, are in host memory. */
  uint32_t looked_bytes; /**< Size of the elements that a predicate or a bucket function reads; 0: 4. */
  int clamps;            /**< 1: with SCAN_N_FROM_CLAMP. */
  int counts_n;          /**< 1: the count is written over n_from. */
  uint64_t n_said;       /**< The number in n_from: items, or more than n to test clamping and the error. */
  int in_place;          /**< 1: outputs are written over inputs. */
  uint32_t over;    /**< Outputs of a sort that are written over their inputs: bit 0 the keys, bit a + 1 array a. */
  uint32_t buckets; /**< Buckets of the bucket function; 0: a split or a histogram uses bits of the keys. */
  int has_segments; /**< 1: a sort in segments. */
  int is_split;     /**< 1: the sort is one pass and writes bucket offsets. */
  uint32_t outputs; /**< Number of output arrays; for scans the number of runs, 0 for one run of n. */
  uint64_t item_bytes[SCAN_SELECT_MOST_ARRAYS];
  case_part marks, n_from, count;
  case_part in[SCAN_SELECT_MOST_ARRAYS], out[SCAN_SELECT_MOST_ARRAYS], rest[SCAN_SELECT_MOST_ARRAYS];
  case_part second[SCAN_SELECT_MOST_ARRAYS]; /**< Second part of a partition into three. */
  case_part values;                          /**< Values of CASE_REDUCE. Its keys are in `marks`. */
  case_part keys_out;                        /**< Sorted keys. */
  case_part offsets;           /**< In: offsets of segments. Out: offsets of a split or counts of a histogram. */
  uint64_t segments;           /**< Number of segments of a sort. */
  case_cuts cuts;              /**< Over ranks: distribution of the elements; CASE_CUTS_NONE: one device. */
  uint64_t cut_seed;           /**< Seed of the cuts, and of what else differs from rank to rank. */
  case_results results;        /**< Over ranks: distribution of sorted elements. */
  int is_moved;                /**< 1: ranks get an input by a redistribution. */
  uint32_t parts;              /**< Number of ranks; 0: one device. */
  const uint64_t *part_starts; /**< First element of each rank. Functions from source get an element's index in its
                                  part. */
  uint64_t out_n;              /**< Elements that the outputs of a sort have room for: n, or as many as a rank gets. */
  case_scan scan;
  uint64_t in_bytes, out_bytes; /**< Sizes of the input image and of the output images. */
  unsigned char *in_image;      /**< The input image. */
  unsigned char *want;          /**< The expected output image, with poison around the outputs. */
  unsigned char *got;           /**< The output image that the call wrote. */
  int wrote_inputs;             /**< 1: the run changed a byte of the input image. */
  int is_silent;                /**< 1: n_from held more than n and no wait reported it. */
  uint8_t *kept; /**< For each element: 1: kept, or begins a run or a segment. 2: in the second part of a partition. */
} scan_case;

/* ---- names ---- */

const char *case_by_name(int by);
case_family case_family_of(uint32_t by);
const char *case_family_name(case_family family);

/** The report column of the case: its mode for the rest, its direction, or its kind. */
uint32_t case_column(const scan_case *c);
/** Returns the name of a report column, or NULL if the family has no such column. */
const char *case_column_name(case_family family, int column);

/* ---- a case ---- */

/** Draws case `number` of a family. */
void case_draw_number(const case_limits *limits, case_family family, uint64_t number, scan_case *c);

/** Draws a case from the bytes of a fuzzer's input. Every input gives a valid case. */
void case_draw_bytes(const case_limits *limits, const uint8_t *bytes, size_t count, scan_case *c);

/** Writes the case as a line. @return text */
const char *case_to_line(const scan_case *c, char text[CASE_LINE_BYTES]);

/** Reads a line of case_to_line. @param[out] words  the fault. @return 0; -1: a word is not a field or has an
 * invalid value; 1: the oracle cannot compute the case */
int case_from_line(const char *line, scan_case *c, char words[CASE_WORDS_BYTES]);

/** Callback for one line. @return 0 to go on */
typedef int case_line_visit(const char *line, void *user);

/** Visits every case of a line whose words list several values: "n=0..260|4095", "type=*", "plan|". An empty value
 * omits the word. Choices that the oracle cannot compute are skipped.
 * @param every  1: visits all choices. K: visits the first choice and one in K of the others; of a choice with more
 * than 8 values of n it visits one n in K, at least one in 8.
 * @return the value of the last visit; -1 with `words` set: a word is wrong, or no choice is a case */
int case_lines_each(const char *line, uint64_t every, case_line_visit *visit, void *user, char words[CASE_WORDS_BYTES]);

/** Visits every case of each line of a file that is not empty and does not begin with '#', as case_lines_each does.
 * @return as case_lines_each, for the first line that is not 0; -1 with `words` set also if the file cannot be read */
int case_file_each(const char *name, uint64_t every, case_line_visit *visit, void *user, char words[CASE_WORDS_BYTES]);

/** Lays out the images, fills the inputs and computes the expected output. @return 0, or -1 if memory ran out; call
 * case_free in both cases */
int case_build(scan_case *c);

/** Lays out and allocates the images, with poison in c->want. @return as case_build */
int case_open(scan_case *c);
void case_free(scan_case *c);

/* ---- a run ---- */

enum { CASE_LOOKED_SIZES = 7 };

/** Functions from source that the cases of one context share: predicates and bucket functions for elements of 1, 2,
 * 4, 8, 12, 16 and 64 bytes, and the operator of the last case. Zero-initialise it; each function is created when a
 * case first needs it. */
typedef struct case_functions {
  scan_op *one[CASE_LOOKED_SIZES];  /**< Predicates of an element and its index. */
  scan_op *pair[CASE_LOOKED_SIZES]; /**< Predicates of two neighbours. */
  scan_op *bucket[CASE_LOOKED_SIZES];
  scan_op *last; /**< The operator with the name and type below; NULL: none. */
  const char *last_name;
  scan_type last_type;
} case_functions;

/** Destroys the functions. Call it before the context is destroyed. */
void case_functions_destroy(case_functions *functions);

/** 1 if results may be denormal, which some devices flush to zero. */
int case_has_denormals(const scan_case *c);

/** Runs a built case on a device and stores its output in c->got. @param[out] words  error text if the status is not
 * success */
scan_status case_run(scan_ctx *ctx, case_functions *functions, scan_case *c, char words[CASE_WORDS_BYTES]);

typedef struct case_memory case_memory;

/** Makes the call of a case. @param m  the images in memory @return the status; c->scan.words may have the error text
 */
typedef scan_status case_call(scan_ctx *ctx, case_functions *functions, scan_case *c, case_memory *m, void *user);

/** Runs a case as case_run does, by another call than the library's for one device. */
scan_status case_run_by(scan_ctx *ctx, case_functions *functions, scan_case *c, case_call *call, void *user,
                        char words[CASE_WORDS_BYTES]);

/** The contexts of one device: the program's own, and one for each combination of tuning and threads that cases ask
 * for. Zero-initialise it, then set `device` and `plain`. */
typedef struct case_contexts {
  const char *device;       /**< Selector of the device. */
  scan_ctx *plain;          /**< The program's context, used by cases without tuning and threads. */
  case_functions functions; /**< Functions of `plain`. */
  struct {
    scan_ctx *ctx; /**< NULL: unused slot. */
    char tune[CASE_TUNE_BYTES];
    uint32_t threads;
    case_functions functions;
  } others[CASE_CONTEXTS];
  unsigned made; /**< Number of contexts made so far. A new context replaces the oldest one. */
} case_contexts;

/** Runs the case on the context that it asks for, as case_run does. Sets $SCANRT_TUNE while it creates a context: no
 * other thread may read the environment meanwhile. */
scan_status case_run_on(case_contexts *contexts, scan_case *c, char words[CASE_WORDS_BYTES]);

/** Destroys all contexts but `plain`, and the functions of all. */
void case_contexts_close(case_contexts *contexts);

/** Returns the FNV-1a hash of c->got. */
uint64_t case_hash(const scan_case *c);

/** Writes a line: the hash of c->got, or 0 if the call failed; its status; the case as `line`. */
void case_write_digest(const scan_case *c, const char *line, scan_status status, FILE *file);

/** Describes the first wrong byte of c->got; "" if all bytes are right. */
void case_difference(const scan_case *c, char *text, size_t bytes);

#endif
