/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file case.h
 * @brief A case: one call of the library as data. It is drawn from numbers or read from a line, and it knows what its
 * call must write.
 *
 * The memory of a case is one image that is read and one that is written. The second image is poisoned before the call.
 * After the call all of its bytes must be as a plain loop leaves them, also those that no output covers.
 */
#ifndef SCANRT_CASES_CASE_H
#define SCANRT_CASES_CASE_H

#include <scanrt/scan_array.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_split.h>

#include "reference_sort.h"
#include "source.h"

/** The primitives' families, by which cases are drawn and counted. */
typedef enum case_family {
  FAMILY_COMPACTION,
  FAMILY_RUNS,  /**< Run-length encoding and reduction by key. */
  FAMILY_SORTS, /**< Sorts, splits and histograms. */
  FAMILY_SCANS, /**< Scans of all kinds, and differences. */
  FAMILIES
} case_family;

/** The call. The first values are those of scan_select_by. */
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
  CASE_GUARD_BYTES = 64,        /**< Bytes before and behind each part of an image. */
  CASE_LARGE_IN = 16,           /**< One case in so many may be large, */
  CASE_LEAST_LARGEST = 1 << 16, /**< and case_limits.largest is at least this. */
  CASE_COLUMNS = SCAN_REST_APART + 1,
  CASE_FEW = 300,
  CASE_TUNE_BYTES = 64,
  CASE_CONTEXTS = 8,
  CASE_CARRY_BYTES = 128 /**< From one carry to the next. */
};

/** The values of floating-point elements of scans. Any two NaNs are equal results, but for CASE_VALUES_USUAL. */
typedef enum case_values {
  CASE_VALUES_USUAL,     /**< Those of data_fill. */
  CASE_VALUES_WIDE,      /**< Of exponents whose sums neither overflow nor are denormal. */
  CASE_VALUES_SIGNS,     /**< Zeros of both signs. */
  CASE_VALUES_ZEROS,     /**< Zeros of both signs among others. */
  CASE_VALUES_INFINITE,  /**< Infinities and zeros among others. */
  CASE_VALUES_NAN,       /**< NaNs, infinities and zeros among others. */
  CASE_VALUES_DENORMAL,  /**< Denormals and zeros among others. */
  CASE_VALUES_ANY,       /**< Any finite bits. */
  CASE_VALUES_INVERSE,   /**< A number and then its inverse: products stay in range. */
  CASE_VALUES_GROWING,   /**< Products overflow. */
  CASE_VALUES_VANISHING, /**< Products become denormal, and zero. */
  CASE_VALUES_MINUS      /**< -0.0 alone, also the carry; the initial value is a zero of either sign. */
} case_values;

/** Bounds of the cases that are drawn. */
typedef struct case_limits {
  uint64_t seed;
  int quick;            /**< 1: few elements. */
  int large;            /**< 1: more elements, and types that some drivers take minutes to compile. */
  uint64_t largest;     /**< Elements of the large cases; 0: no case is large. */
  int small;            /**< 1: seven cases in eight have fewer than CASE_FEW elements. */
  scan_backend backend; /**< One case in 8 has a tuning of this backend; 0: none has. */
} case_limits;

/** The place of a buffer in an image. */
typedef struct case_part {
  uint64_t at, bytes;
} case_part;

/** The fields of FAMILY_SCANS. Several runs of one spec may be in flight at once. */
typedef struct case_scan {
  scan_spec spec;         /**< Without custom_op. Of a built-in operator from source: that of the operator. */
  source_operator source; /**< Of CASE_SOURCE, and of arrays and streams that have one. */
  scan_array array;       /**< Of CASE_ARRAY. */
  uint64_t in_first;      /**< Bytes from the lowest element of the array to the element whose indices are 0. */
  uint64_t out_first;     /**< The same of the output. */
  uint32_t is_packed;     /**< 1: the array is in C order without gaps. */
  case_values values;     /**< Floating-point elements. */
  uint64_t chunk_items;   /**< Of CASE_STREAM; 0: the library's choice, which is one chunk. */
  uint64_t device_bytes;  /**< Of CASE_STREAM. */
  int reads, writes;      /**< 1: callbacks give the input of a stream, or take its results. */
  int sees_progress;      /**< 1: a callback runs after each chunk. */
  int is_pinned;          /**< 1: the memory of a stream is page-locked. */
  uint64_t
      run_n[SCAN_SELECT_MOST_ARRAYS]; /**< Elements of each run. There are `outputs` runs; without any, one run of n. */
  int has_carry;          /**< 1: each run begins from what the one before leaves, the first one from a carry. */
  int carries_in;         /**< 1: each run begins from the first carry. */
  int carries_out;        /**< 1: each run leaves its own carry. */
  int carries_same;       /**< 1: each run begins from the first carry and leaves its own there. */
  int device_carry;       /**< 1: carries are memory of the device also where other outputs are the host's. */
  case_part carries;      /**< The first carry, and what each run leaves, CASE_CARRY_BYTES apart. */
  uint64_t segment_items; /**< Elements of each segment; 0: segments begin as `percent` says. */
  uint64_t marks;         /**< scan_args.mark_count. */
  uint64_t overflow;      /**< The place of the overflow that must be reported; UINT64_MAX: none. */
  uint64_t told;          /**< The place that was reported; UINT64_MAX: none. */
  uint64_t chain;         /**< scan_plan_facts.span of a strategy with an order of its own. */
  _Alignas(16) unsigned char init[SCAN_OP_MOST_BYTES];
  char words[CASE_WORDS_BYTES]; /**< scan_last_error of a context that is gone; "": the call has set none. */
} case_scan;

/** One case. A line has the fields that text.c lists. case_build makes the others from them. */
typedef struct scan_case {
  uint64_t number;                  /**< Of a drawn case in its family. */
  uint64_t seed;                    /**< Of the inputs. */
  char tune[CASE_TUNE_BYTES];       /**< $SCANRT_TUNE of the context; "": as it is. */
  uint32_t threads;                 /**< Threads of the context of a host; 0: the library's choice. */
  uint32_t by;                      /**< A scan_select_by, or a CASE_ above. */
  scan_select_spec spec;            /**< Of compaction, without the predicate. */
  scan_run_length_spec encode;      /**< Of CASE_RUN_LENGTHS. */
  scan_spec reduce;                 /**< Of CASE_REDUCE. */
  scan_sort_spec sort;              /**< Of sorts, splits and histograms. */
  sort_shape shape;                 /**< The keys of a sort. */
  scan_type key_type;               /**< Of runs and sorts; 0: of others. */
  uint64_t n;                       /**< The n of the call. */
  uint64_t items;                   /**< Elements that count. Fewer than n where n comes from the device. */
  uint32_t percent;                 /**< Elements in a hundred that are kept, or that begin a run. */
  uint32_t second_percent;          /**< Of a partition into three: the second part of what the first leaves. */
  uint32_t shift;                   /**< Elements from a multiple of 64 bytes to each part. */
  uint32_t out_shift;               /**< The same of the outputs of scans; 0: some. */
  uint64_t capacity, rest_capacity; /**< As in the args. SCAN_NO_CAPACITY: such outputs are no memory. */
  int keeps_last;                   /**< 1: CASE_PAIR keeps the last of each run. */
  int in_first;                     /**< 1: in[0] has what decides. */
  int has_keys;                     /**< 1: the call writes the keys of runs. */
  int has_n_from, has_count, by_plan;
  uint64_t plan_n;       /**< The largest n that the plan takes; 0: n. */
  int runs_again;        /**< 1: the plan runs twice. */
  int by_host;           /**< 1: over memory of the host, but for n_from and a count that is written over it. */
  int host_in, host_out; /**< 1: what is read, or written, alone is memory of the host. */
  uint32_t looked_bytes; /**< Of an element that a predicate or a bucket function looks at; 0: 4. */
  int clamps;            /**< 1: with SCAN_N_FROM_CLAMP. */
  int counts_n;          /**< 1: the count is written to where n comes from. */
  uint64_t n_said;       /**< What n_from holds: items, or more than n where it is clamped. */
  int in_place;          /**< 1: outputs are written over inputs. */
  uint32_t over;         /**< Of sorts, those that are: bit 0 the keys, bit a + 1 array a. */
  uint32_t buckets;      /**< Of a bucket function; 0: a split or a histogram is by bits of keys. */
  int has_segments;      /**< 1: the sort is by segments. */
  int is_split;          /**< 1: the sort is one pass, which writes offsets. */
  uint32_t outputs;      /**< Arrays that are written. */
  uint64_t item_bytes[SCAN_SELECT_MOST_ARRAYS];
  case_part marks, n_from, count;
  case_part in[SCAN_SELECT_MOST_ARRAYS], out[SCAN_SELECT_MOST_ARRAYS], rest[SCAN_SELECT_MOST_ARRAYS];
  case_part second[SCAN_SELECT_MOST_ARRAYS]; /**< Of a partition into three. */
  case_part values;                          /**< Of CASE_REDUCE. The keys are the marks. */
  case_part keys_out;                        /**< Of a sort. */
  case_part offsets;                         /**< Of the segments of a sort, which are read, or of a split. */
  uint64_t segments;                         /**< Of a sort. */
  case_scan scan;
  uint64_t in_bytes, out_bytes; /**< Of the images. */
  unsigned char *in_image;      /**< What is read. */
  unsigned char *want;          /**< What must be written, with poison around it. */
  unsigned char *got;           /**< What was written. */
  int wrote_inputs;             /**< 1: the run changed a byte of what it read. */
  int is_silent;                /**< 1: nothing reported that n_from held more than n. */
  uint8_t *kept;                /**< 1: the element is kept or begins a run. 2: it is in the second part. */
} scan_case;

/* ---- names ---- */

const char *case_by_name(int by);
case_family case_family_of(uint32_t by);
const char *case_family_name(case_family family);

/** The column of a report that the case belongs to: what becomes of the rest, the direction, or the kind. */
uint32_t case_column(const scan_case *c);
const char *case_column_name(case_family family, int column); /**< NULL: the family has no such column. */

/* ---- a case ---- */

/** Draws case `number` of a family. */
void case_draw_number(const case_limits *limits, case_family family, uint64_t number, scan_case *c);

/** Draws a case from the bytes of an input. Each input gives a valid case. */
void case_draw_bytes(const case_limits *limits, const uint8_t *bytes, size_t count, scan_case *c);

/** Writes the case as a line. @return text */
const char *case_to_line(const scan_case *c, char text[CASE_LINE_BYTES]);

/** Reads a line of case_to_line. @param[out] words  what is wrong with it. @return 0; -1: a word is no field or no
 * value of it; 1: the oracle cannot compute such a case */
int case_from_line(const char *line, scan_case *c, char words[CASE_WORDS_BYTES]);

/** @return 0 to go on */
typedef int case_line_visit(const char *line, void *user);

/** Visits the cases of a line whose words have several values: "n=0..260|4095", "type=*", "plan|". An empty value
 * leaves the word out. Choices that the oracle cannot compute are left out.
 * @param every  1: all choices. K: the first choice and one in K of the others; where a choice has more than a few n,
 * one in K of them, at least one in 8.
 * @return the value of the last visit; -1 and words: a word is wrong, or no choice is a case */
int case_lines_each(const char *line, uint64_t every, case_line_visit *visit, void *user, char words[CASE_WORDS_BYTES]);

/** Lays out the images, fills the inputs and computes what must be written. @return 0, or -1 when memory ran out; free
 *  the case in both cases */
int case_build(scan_case *c);
void case_free(scan_case *c);

/* ---- a run ---- */

enum { CASE_LOOKED_SIZES = 7 };

/** Functions from source, which the cases of a context share: predicates and bucket functions of elements of 1, 2, 4,
 * 8, 12, 16 and 64 bytes, and the last operator. Begin with zeros; the first case that needs one makes it. */
typedef struct case_functions {
  scan_op *one[CASE_LOOKED_SIZES];  /**< By element and index. */
  scan_op *pair[CASE_LOOKED_SIZES]; /**< By two neighbours. */
  scan_op *bucket[CASE_LOOKED_SIZES];
  scan_op *last; /**< The operator of that name and type; NULL: none. */
  const char *last_name;
  scan_type last_type;
} case_functions;

/** To be called before the context is destroyed. */
void case_functions_destroy(case_functions *functions);

/** 1 where results may be denormal, which some devices flush. */
int case_has_denormals(const scan_case *c);

/** Runs a built case on a device; c->got is what it wrote. @param[out] words  of a status that is not success */
scan_status case_run(scan_ctx *ctx, case_functions *functions, scan_case *c, char words[CASE_WORDS_BYTES]);

/** The contexts of one device: that of the program, and one for each tuning and number of threads of its cases. Begin
 * with zeros and the first two members. */
typedef struct case_contexts {
  const char *device;       /**< Its selector. */
  scan_ctx *plain;          /**< The context of the program, of cases without tuning and threads. */
  case_functions functions; /**< Of the plain one. */
  struct {
    scan_ctx *ctx; /**< NULL: there is none. */
    char tune[CASE_TUNE_BYTES];
    uint32_t threads;
    case_functions functions;
  } others[CASE_CONTEXTS];
  unsigned made; /**< The contexts that were made so far. The oldest one makes room. */
} case_contexts;

/** case_run on the context that the case asks for. It sets $SCANRT_TUNE while it makes one: no other thread may read
 * the environment then. */
scan_status case_run_on(case_contexts *contexts, scan_case *c, char words[CASE_WORDS_BYTES]);

/** Destroys all but the plain context. */
void case_contexts_close(case_contexts *contexts);

/** Says which byte of c->got is the first wrong one; "" where all are right. */
void case_difference(const scan_case *c, char *text, size_t bytes);

#endif
