/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench.h
 * @brief The parts of `scanrt bench`: peers, entries, state, kinds, timing.
 *
 * A kind of measurement (scans, --select, --sort, --split, --reduce, --stream, --mpi, --versus) has its options and
 * functions. It visits the cases that the command line asks for. bench_case() lists the entries of a case (the
 * library's calls, the copy, peers, a plain loop), warms each up, checks it, times all in turn for a number of rounds,
 * checks them once more and reports them.
 */
#ifndef SCANRT_CLI_BENCH_H
#define SCANRT_CLI_BENCH_H

#include "bench_cuda.h"
#include "bench_memory.h"
#include "bench_report.h"
#include "bench_request.h"
#include "peer.h"

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
