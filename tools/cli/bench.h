/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench.h
 * @brief The parts of `scanrt bench`: request, measurements, timing, checks, reports.
 *
 * A case is one device, type, operator, kind and n. Its subjects (a scan by each strategy, the copy, peers, a plain
 * loop) are warmed up, checked, timed in turn for a number of rounds and checked once more; then they are reported.
 */
#ifndef SCANRT_CLI_BENCH_H
#define SCANRT_CLI_BENCH_H

#include <stdint.h>

#include "bench_copy.h"
#include "bench_cuda.h"
#include "bench_segments.h"
#include "bench_source.h"
#include "cli.h"
#include "json.h"
#include "output.h"
#include "peer.h"

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
  BENCH_MAX_SUBJECTS = 4 * BENCH_MAX_STRATEGIES + BENCH_MAX_PEERS + 7,
  BENCH_LABEL_BYTES = 64,
  BENCH_COMMAND_BYTES = 1024
};

/** How the calls of a batch are made, and what of them is timed. */
typedef enum bench_mode {
  BENCH_EAGER, /**< One call after the other. */
  BENCH_GRAPH, /**< A CUDA graph of calls, replayed. */
  BENCH_HOST   /**< As eager; only the time until the calls return. */
} bench_mode;

/** The families of subjects. Each has options, measurements and a report of its own. */
typedef enum bench_family_id {
  BENCH_FAMILY_SCAN,
  BENCH_FAMILY_SELECT, /**< --select: compaction. */
  BENCH_FAMILY_SORT,   /**< --sort. */
  BENCH_FAMILY_SPLIT,  /**< --split: splits and histograms. */
  BENCH_FAMILY_STREAM, /**< --stream: host data streamed through a device. */
  BENCH_FAMILY_MPI,    /**< --mpi: scans over ranks. */
  BENCH_FAMILIES
} bench_family_id;

/** A family that the command line can choose. @see bench_options.h */
typedef struct bench_choice bench_choice;

/** What the command line asks for. */
typedef struct bench_request {
  const bench_choice *choices; /**< All BENCH_FAMILIES of them, for the words of refusals. */
  bench_family_id family;
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
  uint32_t segments; /**< How they are told: bits by scan_segments; 0: no segments. */
  bench_length lengths[BENCH_MAX_LENGTHS];
  size_t length_count;
  const char *peers[BENCH_MAX_PEERS]; /**< Names given by --peer; none: all that are found. */
  size_t peer_count;
  scan_type input_type;                /**< SCAN_TYPE_DEFAULT: the same as the type. */
  int kinds[2];                        /**< Indexed by scan_kind: 1 when wanted. */
  int modes[3];                        /**< Indexed by bench_mode: 1 when wanted. */
  uint64_t shape[SCAN_ARRAY_MAX_AXES]; /**< Of an array that is scanned along axes. */
  uint32_t ndim;                       /**< 0: no array. */
  uint32_t axes;                       /**< A bit an axis to scan along. */
  int backward;
  int check_overflow;
  int carry;      /**< 1: the scans leave a carry. */
  int difference; /**< 1: differences of neighbours, not scans. */
  int in_place;
  int also_in_place; /**< 1: --select, --sort and --split in place, beside the others. */
  int no_peers;
  int gallery;        /**< All strategies but the sequential one, with what they cost on paper. */
  uint64_t in_offset; /**< Elements before the first one. */
  uint64_t out_offset;
  uint64_t pairs; /**< Pairs of buffers; 0: as many as exceed the caches. */
  uint64_t reps;
  int cold;
  int has_beside;  /**< 1: the host's threads are compared with one, */
  uint64_t beside; /**< beside so many busy loops. */
  int as_json;
  const char *csv;                   /**< NULL: none, "-": standard output. */
  char command[BENCH_COMMAND_BYTES]; /**< The command line, for captions. */
} bench_request;

/** Parses the command line. @param choices  all families. @param[out] request all of it. @return CLI_OK; CLI_USAGE;
 * CLI_HELP; or CLI_FAILED. */
int bench_parse(int argc, char **argv, const bench_choice *choices, bench_request *request);

/** Of --shape, --axis, and both with the rest of the request. @return CLI_OK or CLI_USAGE */
int bench_parse_shape(const char *command, const char *text, void *request);
int bench_parse_axis(const char *command, const char *text, void *request);
int bench_check_shape(const char *command, bench_request *request);

/** Of --segment-length, and both with the rest of the request. @return CLI_OK or CLI_USAGE */
int bench_add_length(const char *command, const char *text, void *request);
int bench_check_segments(const char *command, bench_request *request);

/** Combinations of type, operator (from source too), kind, segments and strategy on all devices: of one alone a refusal
 *  is a failure. */
size_t bench_combinations(const bench_request *request);

/* ---- peers ---- */

/** The peers that were loaded. */
typedef struct bench_peers {
  const bench_peer *peer[BENCH_MAX_PEERS];
  size_t count;
} bench_peers;

/** Loads the modules beside the program, in the library folder and in $SCANRT_PEERS. Says on standard error which of
 *  those named by --peer are missing; without --peer a missing one is no fault. They stay loaded. */
void bench_peers_load(const bench_request *request, bench_peers *peers);

/** Words a peer's fault. @return CLI_FAILED */
int bench_peer_fail(const bench_peer *peer, const char *what);

/* ---- subjects ---- */

typedef enum bench_role {
  BENCH_SCAN,
  BENCH_COPY,
  BENCH_PEER,
  BENCH_LOOP,   /**< A plain loop over host memory. */
  BENCH_MEMCPY, /**< memcpy of host memory. */
  BENCH_EMPTY   /**< A kernel that does nothing. */
} bench_role;

/** What a subject's output must equal. */
typedef enum bench_expect {
  BENCH_EXPECT_NOTHING,
  BENCH_EXPECT_CANONICAL,  /**< Bit for bit, in the order of kernels_cl/README.md. */
  BENCH_EXPECT_SEQUENTIAL, /**< Bit for bit, left to right. */
  BENCH_EXPECT_CLOSE       /**< Integers exactly, floating point within the error of any order. */
} bench_expect;

/** Of what a scan is made. */
typedef enum bench_manner {
  BENCH_BUILT_IN,    /**< As the lab's spec says. */
  BENCH_FROM_SOURCE, /**< By the operator from source. */
  BENCH_PLAIN        /**< Without segments and checks for overflow: what these cost. */
} bench_manner;
enum { BENCH_MANNERS = BENCH_PLAIN + 1 };

typedef struct bench_lab bench_lab;
typedef struct bench_beside bench_beside;

/** Something to time. */
typedef struct bench_subject {
  bench_role role;
  bench_lab *lab;
  char label[BENCH_LABEL_BYTES];                              /**< "lookback (auto)", "copy", "CUB 3.0.1". */
  char series[BENCH_LABEL_BYTES];                             /**< Its name along all n: "auto". */
  int (*start)(struct bench_subject *subject, uint64_t pair); /**< One call on a pair of buffers; may be asynchronous.
                                                                   @return CLI_OK, or CLI_FAILED after saying why */
  int (*restore)(struct bench_subject *subject); /**< Called before each call, whose input it makes anew; not timed.
                                                      NULL: calls leave their input. */
  scan_plan *plan;
  int axis;               /**< Along which it scans the array; -1: no array. */
  bench_manner manner;    /**< Of scans. */
  uint64_t bytes;         /**< Read and written. */
  scan_strategy strategy; /**< What the plan does; of scans only. */
  uint64_t work;          /**< As scan_plan_facts has them; of scans only. */
  uint64_t span;
  const bench_peer *peer;
  void *peer_state;
  void (*peer_end)(void *state);        /**< Frees it. */
  const struct bench_memory *from, *to; /**< Of copies, and of what `restore` copies. */
  bench_expect expect;
  int one_thread;                 /**< 1: a scan in the context of one thread. */
  uint64_t calls;                 /**< Since the output was poisoned. */
  uint64_t batch;                 /**< Calls, or graph launches, in one timing. */
  bench_graph *graph;             /**< Of BENCH_GRAPH. */
  uint64_t graph_calls;           /**< Calls recorded in it. */
  double seconds[BENCH_MAX_REPS]; /**< Of one call, by round; sorted at the end. */
  int wrong;                      /**< 1: its result was wrong, so that it has no times. */
} bench_subject;

/** Lists what the case is measured with. @return CLI_OK, or CLI_FAILED when nothing of it can run */
int bench_subjects_list(bench_lab *lab);

/** The scans of it alone; where the steps of one are timed, that one. */
int bench_subjects_scans(bench_lab *lab);

/** Frees plans, peers' states and graphs. */
void bench_subjects_clear(bench_lab *lab);

/* ---- the laboratory: a device, its buffers, the subjects of one case ---- */

/** `pairs` pairs of input and output in two allocations. */
typedef struct bench_buffers {
  scan_mem in;
  scan_mem out;
  void *
      host[4]; /**< These allocations, the segments' and the carry's, on the host backend, whose peers take pointers. */
  uint64_t pairs;
  uint64_t stride_bytes; /**< From one pair to the next. */
  uint64_t in_lead_bytes;
  uint64_t out_lead_bytes;
  uint64_t in_bytes;                       /**< Of n input elements. */
  uint64_t out_bytes;                      /**< Of n output elements. */
  uint64_t copy_bytes;                     /**< What the copy moves: half of what a scan reads and writes. */
  void *input;                             /**< n elements, on the host. */
  void *staging;                           /**< Room for all outputs, on the host. */
  void *expected[3 + SCAN_ARRAY_MAX_AXES]; /**< The canonical and the sequential reference, that of the plain scan, and
                                                one an axis of an array; NULL until wanted. */
  bench_marks marks;                       /**< Of segments. */
  scan_mem told;                           /**< What the scans are told of them: the same for all pairs. */
  scan_mem carry;                          /**< What the scans leave. */
} bench_buffers;

/** Milliseconds of a program's way to its first scan, and of the next one. */
typedef struct bench_cold_times {
  double open;   /**< The context. */
  double source; /**< The operator from source; 0: none. */
  double plan;
  double first; /**< Until its work is done. */
  double second;
} bench_cold_times;

/** How outputs are checked that are not those of scans: as bench_poison and bench_check. */
typedef struct bench_judge {
  int (*poison)(bench_subject *subject);
  int (*check)(bench_subject *subject);
} bench_judge;

struct bench_lab {
  const bench_request *request;
  const bench_judge *judge; /**< NULL: of scans. */
  bench_cold_times *cold;   /**< Where the steps of one scan go, in place of rounds; NULL: rounds. */
  struct bench_report *report;
  const bench_peers *loaded;
  const bench_peer *peers[BENCH_MAX_PEERS]; /**< Those of this device. */
  size_t peer_count;
  scan_ctx *ctx;
  scan_device_info info;
  bench_cuda *cuda;              /**< NULL on other devices. */
  scan_ctx *one;                 /**< Of --beside: a context of one thread; NULL: not wanted. */
  bench_beside *beside;          /**< The busy loops; NULL: not wanted. */
  bench_copier *copier;          /**< As many threads as a processor device has; NULL on other devices, or with one. */
  void *stream;                  /**< Where peers enqueue; NULL on other devices. */
  scan_spec spec;                /**< Strategy apart. */
  const source_operator *source; /**< An operator from source beside the spec's own; NULL: none. */
  const scan_composite_facts *composite; /**< What the spec scans with, in place of a built-in operator; NULL: none. */
  scan_composite which;                  /**< Its number. */
  scan_op *custom_op;                    /**< Of either, */
  scan_op *one_op;                       /**< and the same in the context of one thread. */
  bench_mode mode;
  uint64_t n;
  scan_segments told_by;                   /**< How segments are told; SCAN_SEGMENTS_NONE: there are none. */
  const bench_length *length;              /**< Of segments. */
  uint32_t told_strategies[BENCH_MANNERS]; /**< Bits by scan_strategy: that it cannot run was said. */
  uint32_t told_modes;                     /**< Bits by bench_mode. */
  bench_buffers buffers;
  bench_subject *subjects;
  size_t subject_count;
};

/** Allocates the buffers of lab->spec and lab->n and fills the inputs. @return CLI_OK or CLI_FAILED; then clear too */
int bench_buffers_make(bench_lab *lab);
void bench_buffers_clear(bench_lab *lab);
uint64_t bench_item_bytes(const bench_lab *lab);  /**< Of an output element. */
uint64_t bench_input_bytes(const bench_lab *lab); /**< Of an input element. */

/** The reference of each line of the request's array along `axis`, or, with axis -1, of n elements; backward where the
 * spec says so. @param heads of segments; NULL: none. @return 0, or -1 when memory ran out */
int bench_reference(const bench_lab *lab, int sequential, int axis, const uint8_t *heads, const void *in, void *out);
int bench_maps(const bench_lab *lab);      /**< 1: the operator from source maps, and has no built-in twin. */
int bench_has_plain(const bench_lab *lab); /**< 1: the plain scan is timed beside the others. */
scan_mem bench_pair_in(const bench_lab *lab, uint64_t pair);
scan_mem bench_pair_out(const bench_lab *lab, uint64_t pair);

/** Opens a device, what goes beside it and its peers. @param lab  zero but for request, loaded and cold
 *  @return CLI_OK or CLI_FAILED; then close it too */
int bench_lab_open(bench_lab *lab, const char *selector);
void bench_lab_close(bench_lab *lab);

/** Says once that the device does not have a mode. @return 1 where it has it */
int bench_mode_runs(bench_lab *lab, bench_mode mode);

/** Measures one device at all that is asked for. @param[out] cold where the steps of the one scan that is asked for go;
 *  NULL: rounds are timed and reported. @return CLI_OK, or CLI_FAILED (also after a wrong result) */
int bench_device(const bench_request *request, const char *selector, const bench_peers *peers,
                 struct bench_report *report, bench_cold_times *cold);

/* ---- the plain loop ---- */

/** Whether there is one that does what the case's scans do. */
int bench_loop_is_there(const bench_lab *lab);

/** Scans the input on the host to the staging memory. */
void bench_loop_run(const bench_lab *lab);

/* ---- timing and checks ---- */

/** Median and spread of a subject. */
typedef struct bench_result {
  double median_seconds;
  double least_seconds;
  double spread; /**< Interquartile range divided by the median. */
} bench_result;

/** Warms up and checks each subject, times them in turn for request->reps rounds, checks the last round's results.
 *  @return CLI_OK, also where subjects are wrong, or CLI_FAILED */
int bench_measure(bench_lab *lab);

/** Evaluates a measured subject that is not wrong. */
bench_result bench_evaluate(const bench_subject *subject, uint64_t reps);

/** The same of times in any order, which it sorts. */
bench_result bench_summarise(double *seconds, uint64_t count);

/** Overwrites all outputs (in place: writes the inputs anew) and forgets the calls made so far. */
int bench_poison(bench_subject *subject);

/** Compares each output written since bench_poison (in place, where every call changes its input, none); sets `wrong`
 *  after saying what differs. @return CLI_OK, also where the result is wrong, or CLI_FAILED */
int bench_check(bench_subject *subject);

/** One call in place on fresh input, checked. For others, nothing. */
int bench_check_in_place(bench_subject *subject);

/* ---- report ---- */

/** One line. */
typedef struct bench_row {
  scan_device_info device;
  bench_role role;
  bench_mode mode;
  char label[BENCH_LABEL_BYTES];
  char series[BENCH_LABEL_BYTES];
  scan_spec spec;
  const scan_composite_facts *composite; /**< In place of the spec's type and operator; NULL: none. */
  const char *mapped;                    /**< An operator from source that maps; NULL: none. */
  const char *told_by;                   /**< How segments are told; "": there are none. */
  const char *length;                    /**< Of segments; "" likewise. */
  uint64_t segments;
  scan_strategy strategy; /**< What a scan did; AUTO: not a scan. */
  uint64_t work;          /**< Applications of the operator, and the longest chain of them: of scans only. */
  uint64_t span;
  uint64_t n;
  uint64_t bytes; /**< Read and written. */
  uint64_t pairs;
  int beside_loop; /**< 1: a plain loop was timed too. */
  int wrong;       /**< 1: the result was wrong, and the times are 0. */
  bench_result time;
  double copy_ratio;  /**< Time of the copy divided by this time. */
  double loop_ratio;  /**< Time of the plain loop divided by this time; 0: not compared. */
  double peer_ratio;  /**< Time of the first peer divided by this time; 0: not compared. */
  double plain_ratio; /**< Time of the plain scan divided by this time; 0: not compared. */
  double one_ratio;   /**< Time of one thread divided by this time; 0: not compared. */
  double over_empty;  /**< Seconds more than an empty kernel's launch takes (BENCH_HOST). */
  int has_over_empty; /**< 1 when it was measured. */
  char peer[BENCH_LABEL_BYTES];
  const char *plain; /**< What the plain scan is called; "": it was not timed. */
} bench_row;

/** The outputs of a report: a table, JSON or CSV. */
typedef struct bench_sheet {
  const bench_request *request;
  json json;
  FILE *csv;      /**< Of `output`; NULL: none. */
  output output;  /**< Of --csv. */
  char head[768]; /**< Of the table that is being written. */
} bench_sheet;

/** Opens the files that the request names and begins CSV and JSON; ends and closes them. @return CLI_OK or CLI_FAILED
 */
int bench_sheet_open(bench_sheet *sheet, const char *csv_head, const bench_request *request);
int bench_sheet_close(bench_sheet *sheet);

/** 1 where neither JSON nor CSV goes to standard output. */
int bench_sheet_prints_table(const bench_sheet *sheet);

/** The report of scans. */
typedef struct bench_report {
  bench_sheet sheet;
  bench_row last; /**< Of the table, when `printed`. */
  int printed;
} bench_report;

int bench_report_begin(bench_report *report, const bench_request *request); /**< Opens files, prints heads. */
void bench_report_row(bench_report *report, const bench_row *row);
int bench_report_end(bench_report *report); /**< Closes files. @return CLI_OK or CLI_FAILED */

const char *bench_mode_name(bench_mode mode);
const char *bench_role_name(bench_role role);
const char *bench_kind_name(scan_kind kind);
scan_type bench_input_type(const scan_spec *spec); /**< SCAN_TYPE_DEFAULT of composites only. */
const char *bench_type_name(const bench_row *row); /**< Of the output elements. */
const char *bench_input_type_name(const bench_row *row);
const char *bench_op_name(const bench_row *row);
const char *bench_plain_name(const bench_lab *lab);
double bench_gb_per_s(const bench_row *row);

void bench_json_row(json *j, const bench_row *row);
extern const char bench_csv_head[];
void bench_csv_row(FILE *file, const bench_request *request, const bench_row *row);

/** The differences of n elements, at least one. @see scan_adjacent_difference */
void bench_difference(const scan_spec *spec, uint64_t n, const void *in, void *out);

/** Goes the way to a first run on a device, and times its steps. @return CLI_OK, or CLI_FAILED (also after a wrong
 *  result) */
typedef int bench_cold_way(const bench_request *request, const char *selector, bench_cold_times *times);

/** Goes that way and reports its times, beside those of a later context of the process. */
int bench_cold(const bench_request *request, const char *selector, bench_report *report, bench_cold_way *way);

/** Two runs of the first of lab's subjects, into lab->cold.
 *  @return CLI_OK, or CLI_FAILED (also after a wrong result) */
int bench_cold_run(bench_lab *lab);

/** A field of CSV and its comma: a text; a number, or nothing where there is none. */
void bench_csv_text(FILE *file, const char *text);
void bench_csv_real(FILE *file, int there, double value);

/** Times compaction: `scanrt bench --select`, with a command line of its own. */
int bench_select(int argc, char **argv, const bench_choice *choices);

/** Times stable sorts: `scanrt bench --sort`, likewise. */
int bench_sort(int argc, char **argv, const bench_choice *choices);

/** Times splits and histograms: `scanrt bench --split`, likewise. */
int bench_split(int argc, char **argv, const bench_choice *choices);

/** Times scans over the ranks of MPI: `scanrt bench --mpi`, likewise. */
int bench_mpi(int argc, char **argv, const bench_choice *choices);

/** Times scan_stream beside copies between host and device: `scanrt bench --stream`, with a command line of its own. */
int bench_stream(int argc, char **argv, const bench_choice *choices);

#endif
