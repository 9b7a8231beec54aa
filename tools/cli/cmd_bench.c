/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_bench.c @brief `scanrt bench`: the families, help, and the loop over devices. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"

static void print_what(void) {
  puts(
      "Usage: scanrt bench [OPTION]...\n"
      "Times scans of device memory against a copy of the same bytes, against peers (CUB; TBB and OpenMP on the host;\n"
      "where their modules were built) and, on processors, against a plain C loop on one thread, and memcpy by one\n"
      "thread and by all. All take turns in the same run.\n"
      "\n"
      "What to measure (options with * may be repeated):\n"
      "      --device SEL      * only this device (default: every device)\n"
      "      --n N             * number of elements: 1000000, 2^28, 2^10..2^28 (powers of two) or 2^10..2^28:2 (every\n"
      "                          second) (default 2^24; with --host-cost alone 2^10)\n"
      "      --shape A,B,...     instead of --n: an array of that shape, the last axis contiguous; --axis K * along "
      "which\n"
      "                          to scan (default: each)\n"
      "      --backward          from the last element to the first\n"
      "      --type T          * element type (default i32)\n"
      "      --input-type T      type of the input, for sums that widen, such as u8 to u32\n"
      "      --op OP           * operator (default add)\n"
      "      --op-source NAME  * an operator from C source: add, as a user writes it, beside the built-in one, on\n"
      "                          every --type; predicate, which maps f32 to 0 or 1 and counts (positions emits places\n"
      "                          from it, too); or a composite of the library's, such as affine_f32\n"
      "      --segments HOW    * segmented scans, told by flags (a byte an element), bits, keys (i32) or offsets,\n"
      "                          beside the flat scan\n"
      "      --segment-length L  * average of random lengths (default 64); 1: each element by itself; all: one\n"
      "                          segment; all+empty, of offsets: beside a million empty ones\n"
      "      --check-overflow    sums and products of integers with SCAN_CHECK_OVERFLOW, beside the unchecked scan\n"
      "      --carry             scans that leave their last value as a carry, beside the one that leaves none\n"
      "      --exclusive         exclusive scans; --inclusive, the default; --kind inclusive, exclusive or both\n"
      "      --strategy S      * a strategy (default auto)\n"
      "      --gallery           all strategies but sequential, the literature's own among them, side by side, with\n"
      "                          their work and span\n"
      "      --difference        differences of neighbours, which undo inclusive sums, in place of scans\n"
      "      --in-place          output over input\n"
      "      --in-offset E, --out-offset E  elements before the first one, for pointers that are not aligned\n"
      "      --buffers K         go through K pairs of buffers in turn; auto: 256 MiB of them, so that the data are\n"
      "                          not in a cache (default 1)\n"
      "      --peer NAME       * only this peer; --no-peers: none (default: all that are there)\n"
      "\n"
      "How to measure:\n"
      "      --mode M            eager: one call after the other; graph: a CUDA graph of up to 1000 calls, replayed;\n"
      "                          both (default eager)\n"
      "      --host-cost         host time until a call returns, beside the launch of an empty kernel\n"
      "      --reps N            rounds (default 20)\n"
      "      --beside N          of the host: beside N busy loops; each scan once more in a context of one thread,\n"
      "                          with which the scan by all threads is compared (0: beside none)\n"
      "      --cold              instead: milliseconds to open a device, to make an operator from source and a plan,\n"
      "                          of a first and of a second scan (default n: 2^20), and all but the last in sum. One\n"
      "                          scan a device, and the first device alone is cold: later ones find drivers loaded.\n"
      "                          Run it twice, and the second finds the programs in $SCANRT_CACHE; a later context\n"
      "                          of the same process finds both");
  puts("      --stream            instead: host data streamed through the device, beside copies alone; its options:\n"
       "                          scanrt bench --stream --help\n"
       "      --mpi               instead: scans over the ranks of MPI (mpirun -n 4 scanrt bench --mpi), weak and\n"
       "                          strong scaling; its options: scanrt bench --mpi --help\n"
       "      --select HOW, --sort HOW, --split HOW  instead: compaction, sorts, splits and histograms; each has\n"
       "                          its own --help\n"
       "\n"
       "Reports:\n"
       "      --json              JSON instead of the table; tools/plot.py of the sources draws it\n"
       "      --csv FILE          also CSV; - is standard output, instead of the table\n"
       "      --quiet             no progress on a terminal\n"
       "  -h, --help              this text");
}

static void print_how(void) {
  puts(
      "\n"
      "A timing is a batch of more than 2 ms: on CUDA between two events, elsewhere between two synchronisations. "
      "Each\n"
      "subject is warmed up first. Its output is poisoned before the warm-up and before the last round and compared\n"
      "after both: integers exactly; floating point bit for bit, except for peers and the gallery, whose order of\n"
      "operations is their own and which must come within a rounding error that any sound order keeps. A wrong result "
      "prints WRONG, has\n"
      "no times, and ends with status 1. In place a batch scans its own results (integers wrap around; sums and\n"
      "products of floating point are timed on zeros and ones); single scans of fresh input are compared before and\n"
      "after. The copy moves half of input, output and what tells of segments together, so that it reads and writes\n"
      "as many bytes; the flat scan is compared with a copy of its own. What tells of segments is one for all pairs "
      "of\n"
      "buffers.\n"
      "\n"
      "Columns: IQR %, interquartile range of the times in percent of the median; GB/s, input and output bytes;\n"
      "% copy, time of the copy in percent of this time; x plain loop, x one thread, x flat, x CUB: how many times\n"
      "as fast; us over empty, how much longer the call takes than a launch of an empty kernel; work, applications of\n"
      "the operator, and span, the longest chain of them, as counted on paper.\n"
      "\n"
      "Environment: SCANRT_PEERS, a folder of peers (libscanrt_peer_NAME.so) beside the program's own.");
  cli_print_names();
  printf("From source: %s\n", bench_source_names());
  puts("\n"
       "Examples:\n"
       "  scanrt bench --n 2^20 --n 2^28\n"
       "  scanrt bench --device host --type f32 --strategy auto --strategy sequential\n"
       "  scanrt bench --device cuda:0 --n 2^10..2^28 --mode both --buffers auto --csv scan.csv\n"
       "  scanrt bench --device cuda:0 --host-cost\n"
       "  scanrt bench --device host --type f32 --n 2^24 --beside 4 --no-peers\n"
       "  scanrt bench --gallery --n 2^16..2^26:5\n"
       "  scanrt bench --op-source add --op-source affine_f32 --n 2^28\n"
       "  scanrt bench --segments offsets --segment-length 1 --segment-length 64 --segment-length all+empty\n"
       "  scanrt bench --cold --device cuda:0 --op-source affine_f32 --n 2^24");
}

/** The way to the one scan that is asked for. */
static int cold_scan(const bench_request *request, const char *selector, bench_cold_times *times) {
  const bench_peers none = { .count = 0 };
  return bench_device(request, selector, &none, NULL, times);
}

static int measure(const bench_request *r) {
  bench_report report;
  bench_peers peers = { .count = 0 };
  int rc = bench_report_begin(&report, r);
  if (rc != CLI_OK) return rc;
  if (!r->cold) bench_peers_load(r, &peers);
  for (size_t d = 0; d < r->devices.count; d++) {
    const char *selector = r->devices.selector[d];
    int one = r->cold ? bench_cold(r, selector, &report, cold_scan) : bench_device(r, selector, &peers, &report, NULL);
    if (one != CLI_OK) rc = CLI_FAILED;
  }
  return bench_report_end(&report) == CLI_OK ? rc : CLI_FAILED;
}

static int bench_scan(int argc, char **argv, const bench_choice *choices) {
  bench_request request;
  int rc = bench_parse(argc, argv, choices, &request);
  if (rc == CLI_HELP) return print_what(), print_how(), cli_flush_output();
  if (rc == CLI_OK) rc = measure(&request);
  int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}

int cmd_bench(int argc, char **argv) {
  static const bench_choice choices[BENCH_FAMILIES] = {
    [BENCH_FAMILY_SCAN] = { NULL, bench_scan_options, bench_scan },
    [BENCH_FAMILY_SELECT] = { "select", bench_select_options, bench_select },
    [BENCH_FAMILY_SORT] = { "sort", bench_sort_options, bench_sort },
    [BENCH_FAMILY_SPLIT] = { "split", bench_split_options, bench_split },
    [BENCH_FAMILY_STREAM] = { "stream", bench_stream_options, bench_stream },
    [BENCH_FAMILY_MPI] = { "mpi", bench_mpi_options, bench_mpi },
  };
  return choices[bench_find_family(argc, argv, choices)].run(argc, argv, choices);
}
