/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench.h
 * @brief The parts of `scanrt bench`: request, families, subjects, timing.
 *
 * A family (scans, --select, --sort, --split, --stream, --mpi) is one bench_family. It goes through the cases that the
 * command line asks for. bench_case() has the subjects of a case (the library's calls, the copy, peers, a plain loop)
 * warmed up, checked, timed in turn for a number of rounds and checked once more; then it reports them.
 */
#ifndef SCANRT_CLI_BENCH_H
#define SCANRT_CLI_BENCH_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench_cuda.h"
#include "bench_report.h"
#include "bench_segments.h"
#include "cli.h"
#include "peer.h"
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

/** The families, as indices. */
typedef enum bench_family_id {
  BENCH_FAMILY_SCAN,
  BENCH_FAMILY_SELECT, /**< --select: compaction. */
  BENCH_FAMILY_SORT,   /**< --sort. */
  BENCH_FAMILY_SPLIT,  /**< --split: splits and histograms. */
  BENCH_FAMILY_STREAM, /**< --stream: host data streamed through a device. */
  BENCH_FAMILY_MPI,    /**< --mpi: scans over ranks. */
  BENCH_FAMILIES
} bench_family_id;

typedef struct bench_family bench_family;
typedef struct bench_lab bench_lab;
typedef struct bench_beside bench_beside;

/** What the command line asks for. */
typedef struct bench_request {
  const bench_family *const *families; /**< All BENCH_FAMILIES of them. */
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

/* ---- memory ---- */

/** Memory of the device, and on the host backend the pointer to free. */
typedef struct bench_memory {
  scan_mem mem;
  void *host;
  uint64_t bytes; /**< 0: there is none. */
} bench_memory;

/** Allocates memory; frees it, which may be none. */
scan_status bench_memory_make(const bench_lab *lab, uint64_t bytes, bench_memory *memory);
void bench_memory_free(const bench_lab *lab, bench_memory *memory);

/** The address that a peer understands; NULL of no memory. */
void *bench_pointer(const bench_lab *lab, scan_mem mem);

/** Bytes up to the alignment of such memory. */
uint64_t bench_aligned(uint64_t bytes);

/** Makes memory to poison others of up to so many bytes with; overwrites such memory. */
scan_status bench_poison_make(const bench_lab *lab, uint64_t bytes, bench_memory *poison);
scan_status bench_memory_poison(const bench_lab *lab, const bench_memory *poison, const bench_memory *memory);

enum { BENCH_CHUNK = 1 << 16, BENCH_POISON_BYTE = 0xA5 };

/** Calls work(state, chunk) for each BENCH_CHUNK of n elements, by several threads. */
void bench_each_chunk(uint64_t n, void (*work)(void *state, uint64_t chunk), void *state);
uint64_t bench_chunks(uint64_t n);
uint64_t bench_chunk_end(uint64_t n, uint64_t chunk); /**< The element before which a chunk ends. */

/** Sets the lowest place that was noted, by several threads. @param lowest  UINT64_MAX before */
void bench_note_lowest(atomic_uint_fast64_t *lowest, uint64_t place);

/* ---- bench_copy.c: memcpy by several threads, which a scan by as many threads is measured against ---- */

/** Threads that wait for something to copy. */
typedef struct bench_copier bench_copier;

/** Starts threads - 1 helpers. @return NULL when that fails */
bench_copier *bench_copier_open(unsigned threads);

/** Copies by all threads, the caller's among them, which claim chunks in order; returns when all is copied. */
void bench_copier_run(bench_copier *copier, void *dst, const void *src, size_t bytes);

/** Ends the helpers. NULL is accepted. */
void bench_copier_close(bench_copier *copier);

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
  void (*peer_end)(void *state); /**< Frees it. */
  const bench_memory *from, *to; /**< Of copies, and of what `restore` copies. */
  bench_expect expect;
  int one_thread;                 /**< 1: a scan in the context of one thread. */
  uint64_t calls;                 /**< Since the output was poisoned. */
  uint64_t batch;                 /**< Calls, or graph launches, in one timing. */
  bench_graph *graph;             /**< Of BENCH_GRAPH. */
  uint64_t graph_calls;           /**< Calls recorded in it. */
  double seconds[BENCH_MAX_REPS]; /**< Of one call, by round; sorted at the end. */
  int wrong;                      /**< 1: its result was wrong, so that it has no times. */
} bench_subject;

/** Appends a subject, which is not an axis of an array, and whose results are compared bit for bit. */
bench_subject *bench_add(bench_lab *lab, bench_role role, int (*start)(bench_subject *, uint64_t), uint64_t bytes,
                         const char *label, ...) __attribute__((format(printf, 5, 6)));

/** Appends a subject by a peer, whose label is the peer's name and release.
 *  @param end  frees `state` */
bench_subject *bench_add_peer(bench_lab *lab, const bench_peer *peer, int (*start)(bench_subject *, uint64_t),
                              uint64_t bytes, void *state, void (*end)(void *state));

/** Appends scan_copy from memory to memory, or memcpy by the calling thread or by lab->copier. `bytes` are read and
 *  written. */
bench_subject *bench_add_copy(bench_lab *lab, const char *label, uint64_t bytes, const bench_memory *from,
                              const bench_memory *to);
bench_subject *bench_add_memcpy(bench_lab *lab, int by_all, uint64_t bytes, const bench_memory *from,
                                const bench_memory *to);

/** Appends the one of them that limits the device: on the host memcpy by all threads, elsewhere scan_copy. */
void bench_add_limit(bench_lab *lab, uint64_t bytes, const bench_memory *from, const bench_memory *to);

/** Says what is wrong with a subject's result, and sets `wrong`. @return CLI_OK */
int bench_wrong(bench_subject *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Has all of `from` copied to `to` before each call of a subject that works in place there. */
void bench_restored(bench_subject *subject, const bench_memory *from, const bench_memory *to);

/* ---- the laboratory: a device, its buffers, the subjects of one case ---- */

/** `pairs` pairs of input and output in two allocations, of scans. */
typedef struct bench_buffers {
  bench_memory in;
  bench_memory out;
  uint64_t pairs;
  uint64_t stride_bytes; /**< From one pair to the next. */
  uint64_t in_lead_bytes;
  uint64_t out_lead_bytes;
  uint64_t in_bytes;                       /**< Of n input elements. */
  uint64_t out_bytes;                      /**< Of n output elements. */
  bench_memory input;                      /**< n elements, on the host. */
  bench_memory staging;                    /**< Room for all outputs, on the host. */
  void *expected[3 + SCAN_ARRAY_MAX_AXES]; /**< The canonical and the sequential reference, that of the plain scan, and
                                                one an axis of an array; NULL until wanted. */
  bench_marks marks;                       /**< Of segments. */
  bench_memory told;                       /**< The marks of segments, which all pairs share. */
  bench_memory carry;                      /**< The carries that scans leave. */
} bench_buffers;

/** Seconds of a program's way to its first scan, and of the next one. */
typedef struct bench_cold_times {
  double open;   /**< The context. */
  double source; /**< The operator from source; 0: none. */
  double plan;
  double first; /**< Until its work is done. */
  double second;
} bench_cold_times;

/** A device and the case that is measured. Families' own begin with it. */
struct bench_lab {
  const bench_request *request;
  const bench_family *family;
  bench_cold_times *cold; /**< Where the steps of one case go, in place of rounds; NULL: rounds. */
  bench_sheet *sheet;     /**< NULL: another rank writes the report. */
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
  scan_spec spec;                /**< Of scans and reductions by key; strategy apart. */
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
  bench_buffers buffers;                   /**< Of scans; of others `pairs` is 1. */
  bench_subject *subjects;
  size_t subject_count;
};

/** Words a failure of the lab's device. @return CLI_OK or CLI_FAILED */
int bench_forward(const bench_lab *lab, scan_status status);

/** Says once that the device does not have a mode. @return 1 where it has it */
int bench_mode_runs(bench_lab *lab, bench_mode mode);

/* ---- bench_beside.c: busy loops beside the timed calls, and a context of one thread ---- */

/** Reads the value of --beside, and checks it against the rest of the request. @return CLI_OK or CLI_USAGE */
int bench_parse_beside(const char *command, const char *text, void *request);
int bench_check_beside(const char *command, const bench_request *request);

/** ", beside 4 busy loops" for captions; "" without --beside. */
void bench_beside_words(const bench_request *request, char *text, size_t bytes);

/** Starts the busy loops and opens the context of one thread, if the request has --beside. @return CLI_OK or
 *  CLI_FAILED; then close too */
int bench_beside_open(bench_lab *lab);
void bench_beside_close(bench_lab *lab);

/** Exchanges lab->ctx and its operator with those of one thread, so that what is made next is made there. */
void bench_beside_swap(bench_lab *lab);

/** Labels a scan that was made in the context of one thread. */
void bench_beside_mark(bench_subject *subject);

/** Median of the same scan by one thread; 0: it is not timed. */
double bench_beside_median(const bench_lab *lab, const bench_subject *subject);

/* ---- families ---- */

typedef struct bench_option bench_option;

/** The functions of a family of measurements. Their requests begin with a bench_request, their labs with a bench_lab.
 *  They return CLI_OK or CLI_FAILED unless stated otherwise. */
struct bench_family {
  const char *name;            /**< The option that chooses it; NULL: scans, which no option chooses. */
  const bench_option *options; /**< Its own, up to a NULL name. */
  size_t request_bytes, lab_bytes;
  uint64_t reps;                                                /**< Rounds without --reps. */
  void (*help)(void);                                           /**< Prints the help text. */
  int (*complete)(const char *command, bench_request *request); /**< Sets defaults and refuses what does not go
                                                                     together. @return as cli_parse_options */
  /** Runs the command in place of bench_run_devices; NULL: that. */
  int (*run)(int argc, char **argv, const bench_family *const *families);
  int (*measure)(bench_lab *lab); /**< Calls bench_case for all cases of a device. */
  int (*list)(bench_lab *lab);    /**< Appends the subjects of a case; with lab->cold the first one. */
  /** Overwrites what a subject writes, before it is called and checked. */
  int (*poison)(bench_subject *subject);
  /** Compares what was written since; sets `wrong` after saying what differs. */
  int (*check)(bench_subject *subject);
  int (*check_alone)(bench_subject *subject); /**< Makes and checks one call by itself before the warm-up and after the
                                                   last round; NULL: `check` is enough. */
  int by_host;                                /**< 1: times are by the host's clock on CUDA, too. */
  void (*begin)(bench_lab *lab);              /**< Comes before each timing; NULL: nothing does. */
  int (*end)(bench_lab *lab, int rc, double *seconds); /**< Comes after each timing; NULL: nothing does. @return rc or
                                                            another status */
  int (*is_reported)(const bench_subject *subject);    /**< 1: it has a line; NULL: each has one. */
  void (*describe)(const bench_lab *lab, char *text, size_t bytes); /**< The case, for the caption of its table. */
  void (*fill)(const bench_subject *subject, bench_row *row);       /**< Sets the columns that only the family has. */
};

/** Reads the command line of a family. @param[out] request  the family's request_bytes. @return CLI_OK, CLI_USAGE,
 *  CLI_FAILED, or CLI_HELP */
int bench_parse(int argc, char **argv, const bench_family *const *families, bench_family_id family,
                bench_request *request);

/** The family that an option chooses, wherever it stands. */
bench_family_id bench_find_family(int argc, char **argv, const bench_family *const *families);

/** Measures all devices of a request and writes the reports. @return CLI_OK or CLI_FAILED */
int bench_run_devices(const bench_request *request);

/** Measures one case in each mode from `first` to `last` that is asked for, or its first two calls.
 *  @return CLI_OK or CLI_FAILED */
int bench_case(bench_lab *lab, bench_mode first, bench_mode last);

/** Makes room for BENCH_MAX_SUBJECTS; lab->subjects is to be freed. @return CLI_OK or CLI_FAILED */
int bench_subjects_make(bench_lab *lab);

/** Frees the subjects' plans, peers' states and graphs. */
void bench_subjects_clear(bench_lab *lab);

/** Appends a line for each subject to the lab's sheet. @return CLI_OK, or CLI_FAILED where one is wrong */
int bench_report_case(const bench_lab *lab);

/** Makes all columns absent but those of the device, n and the rounds. */
void bench_row_fill(const bench_lab *lab, bench_row *row);

/** The lines above the table of a case. */
void bench_describe(const bench_lab *lab, char *text, size_t bytes);

const char *bench_mode_name(bench_mode mode);
const char *bench_kind_name(scan_kind kind);

extern const bench_family bench_scan, bench_select, bench_sort, bench_split, bench_stream, bench_mpi;

/* ---- timing ---- */

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

/** Sorts the times and summarises them. */
bench_result bench_summarise(double *seconds, uint64_t count);

#endif
