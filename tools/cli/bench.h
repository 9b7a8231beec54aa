/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench.h
 * @brief The parts of `scanrt bench`: request, kinds, entries, timing.
 *
 * A kind of measurement (scans, --select, --sort, --split, --reduce, --stream, --mpi, --versus) has its options and
 * functions.
 * It visits the cases that the command line asks for. bench_case() lists the entries of a case (the library's calls,
 * the copy, peers, a plain loop), warms each up, checks it, times all in turn for a number of rounds, checks them once
 * more and reports them.
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
typedef struct bench_state bench_state;
typedef struct bench_beside bench_beside;
typedef struct bench_versus bench_versus;
struct bench_entry;

/** Functions that are called for each case that --versus measures. */
typedef struct bench_watch {
  /** Drops entries that it does not compare. */
  void (*keep)(bench_state *bench);
  /** Marks an entry that failed. @return CLI_OK if the others go on, else rc */
  int (*forgives)(struct bench_entry *entry, int rc);
  /** Returns how many rounds to time. @param seconds  time of the first one */
  uint64_t (*rounds)(const bench_state *bench, double seconds);
  /** Collects the rows of a case. @return CLI_OK, or CLI_FAILED if an entry is wrong */
  int (*note)(const bench_state *bench);
} bench_watch;

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

/* ---- peers ---- */

/** The loaded peers. */
typedef struct bench_peers {
  const bench_peer *peer[BENCH_MAX_PEERS];
  size_t count;
} bench_peers;

/** Loads the modules beside the program, in the library folder and in $SCANRT_PEERS. Reports on standard error each
 * peer named by --peer that is missing; without --peer missing ones are no fault. Modules stay loaded. */
void bench_peers_load(const bench_request *request, bench_peers *peers);

/** Words the fault of a peer's call. @return CLI_FAILED */
int bench_peer_fail(const bench_peer *peer, const char *what);

/** Words why a peer cannot prepare a case. @return CLI_FAILED; CLI_OK with --versus, which then marks the peer's row */
int bench_peer_unprepared(bench_state *bench, const bench_peer *peer, const char *what);

/* ---- memory ---- */

/** Device memory; on the host backend also the pointer to free. */
typedef struct bench_memory {
  scan_mem mem;
  void *host;
  uint64_t bytes; /**< 0: not allocated. */
} bench_memory;

/** Allocates memory. */
scan_status bench_memory_make(const bench_state *bench, uint64_t bytes, bench_memory *memory);
/** Frees memory; does nothing if it is not allocated. */
void bench_memory_free(const bench_state *bench, bench_memory *memory);

/** Returns what a peer takes for memory (peer.h), or NULL for no memory. On OpenCL it is `mem` itself. */
void *bench_pointer(const bench_state *bench, const scan_mem *mem);

/** Rounds bytes up to the alignment of device memory. */
uint64_t bench_aligned(uint64_t bytes);

/** Allocates a block of poison, from which memory is poisoned. @param bytes  size of the largest memory to poison */
scan_status bench_poison_make(const bench_state *bench, uint64_t bytes, bench_memory *poison);
/** Overwrites memory with poison. */
scan_status bench_memory_poison(const bench_state *bench, const bench_memory *poison, const bench_memory *memory);

enum { BENCH_CHUNK = 1 << 16, BENCH_POISON_BYTE = 0xA5 };

/** Calls work(state, chunk) for each BENCH_CHUNK of n elements, on several threads. */
void bench_each_chunk(uint64_t n, void (*work)(void *state, uint64_t chunk), void *state);
/** Returns the number of chunks. */
uint64_t bench_chunks(uint64_t n);
uint64_t bench_chunk_end(uint64_t n, uint64_t chunk); /**< Returns the index behind the last element of a chunk. */

/** Lowers *lowest to `place` if that is smaller. Several threads may call it. @param lowest  begins as UINT64_MAX */
void bench_note_lowest(atomic_uint_fast64_t *lowest, uint64_t place);

/* ---- bench_copy.c: multi-threaded memcpy, the limit of a scan with as many threads ---- */

/** Threads that wait for copies. */
typedef struct bench_copier bench_copier;

/** Starts threads - 1 helper threads. @return NULL on failure */
bench_copier *bench_copier_open(unsigned threads);

/** Copies with all threads, including the caller's, which claim chunks in order. Returns when the copy is complete. */
void bench_copier_run(bench_copier *copier, void *dst, const void *src, size_t bytes);

/** Ends the helpers. NULL is accepted. */
void bench_copier_close(bench_copier *copier);

/* ---- entries ---- */

typedef enum bench_role {
  BENCH_SCAN,
  BENCH_COPY,
  BENCH_PEER,
  BENCH_LOOP,   /**< A plain loop over host memory. */
  BENCH_MEMCPY, /**< memcpy of host memory. */
  BENCH_EMPTY   /**< A kernel that does nothing. */
} bench_role;

/** The reference that an entry's output must equal. */
typedef enum bench_expect {
  BENCH_EXPECT_NOTHING,
  BENCH_EXPECT_CANONICAL,  /**< Bit for bit, in the order of kernels_cl/README.md. */
  BENCH_EXPECT_SEQUENTIAL, /**< Bit for bit, left to right. */
  BENCH_EXPECT_CLOSE       /**< Integers exactly, floating point within the error of any order. */
} bench_expect;

/** Variant of a timed scan. */
typedef enum bench_manner {
  BENCH_BUILT_IN,    /**< The operator of the state's spec. */
  BENCH_FROM_SOURCE, /**< The operator from source. */
  BENCH_PLAIN        /**< The scan without segments and overflow checks, to show what these cost. */
} bench_manner;
enum { BENCH_MANNERS = BENCH_PLAIN + 1 };

/** An entry to time. */
typedef struct bench_entry {
  bench_role role;
  bench_state *bench;
  char label[BENCH_LABEL_BYTES];  /**< "lookback (auto)", "copy", "CUB 3.0.1". */
  char series[BENCH_LABEL_BYTES]; /**< Name of the entry's series along n, such as "auto". */
  /** Makes one call on a pair of buffers; may be asynchronous. @return CLI_OK, or CLI_FAILED after saying why */
  int (*start)(struct bench_entry *entry, uint64_t pair);
  int (*restore)(struct bench_entry *entry); /**< Restores the input before each call, outside the timing. NULL:
                                                    calls do not change their input. */
  scan_plan *plan;
  int axis;               /**< Axis of the array that it scans along; -1: no array. */
  bench_manner manner;    /**< For scans. */
  uint64_t items;         /**< Elements that a scan reads, the first ones; 0: all. */
  uint64_t bytes;         /**< Bytes read and written by a call. */
  scan_strategy strategy; /**< Strategy of the plan; for scans only. */
  uint64_t work;          /**< scan_plan_facts.work; for scans only. */
  uint64_t span;
  uint64_t tiles;      /**< scan_plan_facts.tiles; for scans only. */
  uint64_t tile_items; /**< Elements of a tile. */
  const bench_peer *peer;
  void *peer_state;
  void (*peer_end)(void *state); /**< Frees peer_state. */
  const bench_memory *from, *to; /**< Source and target of copies, and of the copy that `restore` makes. */
  bench_expect expect;
  int one_thread;                 /**< 1: a scan in the one-thread context. */
  uint64_t calls;                 /**< Calls since the output was poisoned. */
  uint64_t batch;                 /**< Calls or graph launches in one timing. */
  bench_graph *graph;             /**< For BENCH_GRAPH. */
  uint64_t graph_calls;           /**< Calls recorded in the graph. */
  double seconds[BENCH_MAX_REPS]; /**< Seconds of one call in each round; sorted at the end. */
  int wrong;                      /**< 1: its result was wrong, so its times are not reported. */
} bench_entry;

/** Appends an entry that scans no array axis and whose results are compared bit for bit. */
bench_entry *bench_add(bench_state *bench, bench_role role, int (*start)(bench_entry *, uint64_t), uint64_t bytes,
                       const char *label, ...) __attribute__((format(printf, 5, 6)));

/** Appends an entry of a peer, labelled with the peer's name and release.
 * @param end  frees `state` */
bench_entry *bench_add_peer(bench_state *bench, const bench_peer *peer, int (*start)(bench_entry *, uint64_t),
                            uint64_t bytes, void *state, void (*end)(void *state));

/** Appends scan_copy from `from` to `to`. @param bytes  read and written */
bench_entry *bench_add_copy(bench_state *bench, const char *label, uint64_t bytes, const bench_memory *from,
                            const bench_memory *to);
/** Appends memcpy on the host. @param by_all  1: with bench->copier's threads; 0: with the calling thread */
bench_entry *bench_add_memcpy(bench_state *bench, int by_all, uint64_t bytes, const bench_memory *from,
                              const bench_memory *to);

/** Appends the copy that limits the device: on the host memcpy by all threads, elsewhere scan_copy. */
void bench_add_limit(bench_state *bench, uint64_t bytes, const bench_memory *from, const bench_memory *to);

/** Reports that an entry's result is wrong, and sets `wrong`. @return CLI_OK */
int bench_wrong(bench_entry *entry, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Makes an entry that works in place restore its input: copies all of `from` to `to` before each call. */
void bench_restored(bench_entry *entry, const bench_memory *from, const bench_memory *to);

/* ---- the state: a device, its buffers, and the entries of one case ---- */

/** Buffers of scans: `pairs` pairs of input and output in two allocations. */
typedef struct bench_buffers {
  bench_memory in;
  bench_memory out;
  uint64_t pairs;
  uint64_t stride_bytes; /**< Bytes between the begins of two pairs. */
  uint64_t in_lead_bytes;
  uint64_t out_lead_bytes;
  uint64_t in_bytes;                       /**< Bytes of n input elements. */
  uint64_t out_bytes;                      /**< Bytes of n output elements. */
  bench_memory input;                      /**< n elements on the host. */
  bench_memory staging;                    /**< Room for all outputs, on the host. */
  void *expected[3 + SCAN_ARRAY_MAX_AXES]; /**< References: canonical, sequential, of the plain scan, and one for each
                                              axis of an array. NULL until needed. */
  bench_marks marks;                       /**< The segment marks on the host. */
  bench_memory device_marks;               /**< The segment marks on the device, shared by all pairs. */
  scan_mem first_mark;                     /**< The first of them. */
  bench_memory carry;                      /**< Device memory for the carries that scans write. */
} bench_buffers;

/** Seconds of each step to a program's first scan, and of the second scan. */
typedef struct bench_cold_times {
  double open;   /**< Opening the context. */
  double source; /**< Compiling the operator from source; 0: none. */
  double plan;
  double first; /**< The first scan, until its work is complete. */
  double second;
} bench_cold_times;

/** A device and the case being measured. The states of other kinds begin with it. */
struct bench_state {
  const bench_request *request;
  const bench_kind *measurement;
  bench_cold_times *cold;   /**< Results of --cold; NULL: cases are timed in rounds. */
  bench_table *table;       /**< NULL: another rank writes the report. */
  const bench_watch *watch; /**< Receives the times of cases in place of the table; NULL: not --versus. */
  bench_versus *versus;     /**< The rows of --versus. */
  const bench_peers *loaded;
  const bench_peer *peers[BENCH_MAX_PEERS]; /**< Peers that support this device. */
  size_t peer_count;
  scan_ctx *ctx;
  scan_device_info info;
  bench_cuda *cuda;     /**< NULL if the device is not a CUDA device. */
  scan_ctx *one;        /**< One-thread context of --beside; NULL: not requested. */
  bench_beside *beside; /**< The busy loops; NULL: not requested. */
  bench_copier *copier; /**< As many threads as the CPU device has; NULL on other devices, or with one thread. */
  void *stream;         /**< The CUDA stream or OpenCL queue on which peers enqueue; NULL on the host. */
  scan_spec spec;       /**< Spec of scans and reductions by key, without the strategy. */
  const source_operator *source; /**< Operator from source that is timed beside the spec's operator; NULL: none. */
  const scan_composite_facts *composite; /**< Composite that replaces the spec's operator; NULL: none. */
  scan_composite which;                  /**< Number of the composite. */
  scan_op *custom_op;                    /**< The created `source` or `composite`. */
  scan_op *one_op;                       /**< custom_op in the one-thread context. */
  bench_mode mode;
  uint64_t n;
  uint64_t rounds;                             /**< Timed rounds of the case. */
  scan_segments segments_kind;                 /**< Kind of segment marks; SCAN_SEGMENTS_NONE: no segments. */
  const bench_length *length;                  /**< Length of the segments. */
  uint32_t reported_strategies[BENCH_MANNERS]; /**< Bits by scan_strategy: strategies reported as unavailable. */
  uint32_t reported_modes;                     /**< Bits by bench_mode: modes reported as unavailable. */
  bench_buffers buffers;                       /**< Buffers of scans; in other kinds only `pairs` is used, and is 1. */
  bench_entry *entries;
  size_t entry_count;
};

/** Words a failure on the state's device. @return CLI_OK or CLI_FAILED */
int bench_forward(const bench_state *bench, scan_status status);

/** 1 if the device has the mode; otherwise reports once that it does not. */
int bench_mode_runs(bench_state *bench, bench_mode mode);

/* ---- bench_beside.c: busy loops beside the timed calls, and the one-thread context ---- */

/** Parses the value of --beside. @return CLI_OK or CLI_USAGE */
int bench_parse_beside(const char *command, const char *text, void *request);
/** Checks --beside against the rest of the request. @return CLI_OK or CLI_USAGE */
int bench_check_beside(const char *command, const bench_request *request);

/** Writes ", beside 4 busy loops" for captions, or "" without --beside. */
void bench_beside_words(const bench_request *request, char *text, size_t bytes);

/** Starts the busy loops and opens the one-thread context, if the request has --beside. @return CLI_OK or
 * CLI_FAILED; call bench_beside_close in both cases */
int bench_beside_open(bench_state *bench);
void bench_beside_close(bench_state *bench);

/** Swaps bench->ctx and its operator with those of one thread, so that the next objects are created there. */
void bench_beside_swap(bench_state *bench);

/** Labels a scan created in the one-thread context. */
void bench_beside_mark(bench_entry *entry);

/** Returns the median time of the same scan on one thread; 0: it is not timed. */
double bench_beside_median(const bench_state *bench, const bench_entry *entry);

/* ---- kinds ---- */

typedef struct bench_option bench_option;

/** The functions of a kind of measurement. Its request begins with a bench_request, its state with a bench_state.
 * Functions return CLI_OK or CLI_FAILED unless stated otherwise. */
struct bench_kind {
  const char *name;            /**< The option that chooses the kind; NULL: scans, the default. */
  const bench_option *options; /**< The kind's own options, up to a NULL name. */
  size_t request_bytes, bench_state_bytes;
  uint64_t reps;                                                /**< Rounds if --reps is not given. */
  void (*help)(void);                                           /**< Prints the help text. */
  int (*complete)(const char *command, bench_request *request); /**< Sets defaults and refuses options that exclude each
                                                                   other. @return as cli_parse_options */
  /** Runs the command instead of bench_run_devices; NULL: bench_run_devices runs. */
  int (*run)(int argc, char **argv, const bench_kind *const *measurements);
  int (*measure)(bench_state *bench); /**< Calls bench_case for each case of a device. */
  int (*list)(bench_state *bench);    /**< Appends the entries of a case; with bench->cold only the first one. */
  /** Poisons the output of an entry before it is called and checked. */
  int (*poison)(bench_entry *entry);
  /** Compares the output since the last poison; reports a difference and sets `wrong`. */
  int (*check)(bench_entry *entry);
  int (*check_alone)(bench_entry *entry); /**< Makes and checks one separate call before the warm-up and after the
                                                 last round; NULL: `check` suffices. */
  int by_host;                            /**< 1: times come from the host's clock on CUDA, too. */
  void (*begin)(bench_state *bench);      /**< Called before each timing; NULL: nothing. */
  /** Called after each timing; NULL: nothing. @return rc or another status */
  int (*end)(bench_state *bench, int rc, double *seconds);
  int (*is_reported)(const bench_entry *entry); /**< 1 if the entry gets a line in the report; NULL: each does. */
  /** Describes the case, for the caption of its table. */
  void (*describe)(const bench_state *bench, char *text, size_t bytes);
  void (*fill)(const bench_entry *entry, bench_row *row); /**< Sets the columns that only this kind has. */
};

/** Reads the command line of a kind. @param[out] request  of the kind's request_bytes. @return CLI_OK,
 * CLI_USAGE, CLI_FAILED, or CLI_HELP */
int bench_parse(int argc, char **argv, const bench_kind *const *measurements, bench_kind_id measurement,
                bench_request *request);

/** Returns the kind that an option chooses; the option may stand anywhere. */
bench_kind_id bench_find_kind(int argc, char **argv, const bench_kind *const *measurements);

/** Measures on all devices of a request and writes the reports. @return CLI_OK or CLI_FAILED */
int bench_run_devices(const bench_request *request);

/** Measures one case in each requested mode from `first` to `last`; with bench->cold its first two calls instead.
 * @return CLI_OK or CLI_FAILED */
int bench_case(bench_state *bench, bench_mode first, bench_mode last);

/** Allocates bench->entries, BENCH_MAX_ENTRIES of them; the caller frees it. @return CLI_OK or CLI_FAILED */
int bench_entries_make(bench_state *bench);

/** Frees the entries' plans, peer states and graphs. */
void bench_entries_clear(bench_state *bench);

/** Appends a line for each entry to the state's table. @return CLI_OK, or CLI_FAILED if an entry is wrong */
int bench_report_case(const bench_state *bench);

/** Returns the median time of an entry; 0 if it is missing or wrong. */
double bench_median(const bench_entry *entry);

/** 1 if another variant of the same peer was faster. */
int bench_is_outdone(const bench_state *bench, const bench_entry *entry);

/** Sets the columns of the device, n and the rounds; makes all others absent. */
void bench_row_fill(const bench_state *bench, bench_row *row);

/** Writes the caption of a case's table. */
void bench_describe(const bench_state *bench, char *text, size_t bytes);

const char *bench_mode_name(bench_mode mode);
const char *bench_kind_name(scan_kind kind);

extern const bench_kind bench_scan, bench_select, bench_sort, bench_split, bench_reduce, bench_stream, bench_mpi,
    bench_versus_kind;

/* ---- timing ---- */

/** Median and spread of an entry's times. */
typedef struct bench_result {
  double median_seconds;
  double least_seconds;
  double spread; /**< Interquartile range divided by the median. */
} bench_result;

/** Warms up and checks each entry, times all in turn for request->reps rounds, and checks the results of the last
 * round.
 * @return CLI_OK, even if entries are wrong, or CLI_FAILED */
int bench_measure(bench_state *bench);

/** Evaluates the times of an entry that is not wrong. */
bench_result bench_evaluate(const bench_entry *entry, uint64_t reps);

/** Sorts the times and summarises them. */
bench_result bench_summarise(double *seconds, uint64_t count);

#endif
