/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi_options.c @brief The command line of `scanrt bench --mpi`. */
#include "bench_mpi.h"
#include "bench_options.h"
#include "reference.h"

#include <string.h>

enum { MOST_THREADS = 1 << 16 };

void bench_mpi_help(void) {
  puts(
      "Usage: mpirun -n RANKS scanrt bench --mpi [OPTION]...\n"
      "Times sums, or sorts, over 1, 2, 4, ... and all ranks of MPI by plans, in memory of the device of each.\n"
      "\n"
      "What to measure (options with * may be repeated):\n"
      "      --n N             * elements of a rank, as in scanrt bench (default 2^24; with --cold 2^20)\n"
      "      --scaling S         weak: N elements on each rank that takes part; strong: N times all ranks, however\n"
      "                          many of them take part, so that one rank's device must hold all; both (default)\n"
      "      --type T          * an integer type, f32 or f64 (default f32)\n"
      "      --op-source add     by an operator from C source, as a user writes it, in place of the built-in sum\n"
      "      --exclusive         exclusive scans; --inclusive, the default\n"
      "      --sort WHAT         instead: sorts of keys, pairs (keys with 4 bytes each) or argsort (indices of 8\n"
      "                          bytes); a list. --type: any (default u32)\n"
      "      --shape S           keys of sorts: random (default), bits24 (below 2^24), equal; a list\n"
      "      --device SEL        as in scanrt run --mpi: cuda:local, the default where there are CUDA devices, gives\n"
      "                          each rank of a host the next one\n"
      "      --threads T         threads of a host device (default: the processors that a rank may use, which are\n"
      "                          all where the launcher binds no rank)\n"
      "\n"
      "How to measure:\n"
      "      --reps N            rounds (default 20)\n"
      "      --cold              instead: the first scan_mpi_run of each rank's process, with elements in host "
      "memory,\n"
      "                          and further ones, beside a plain loop over a rank's own elements\n"
      "      --json              JSON instead of the table\n"
      "      --csv FILE          also CSV; - is standard output, instead of the table\n"
      "      --quiet             no progress on a terminal\n"
      "  -h, --help              this text\n"
      "\n"
      "A timing is a batch of calls of more than 2 ms between barriers, by the slowest rank's clock; --cold times\n"
      "each call. \"alone\" are calls by a plan of each rank's own elements, all ranks at the same time, in\n"
      "turns with those over ranks, each of which waits for its results; % alone is how much of that rate is left.\n"
      "GB/s are of a rank: each of its elements read and written once. Sent are the bytes of the rank that sent most.\n"
      "Results are compared bit for bit with a scan of all elements by the reference, which rank 0 makes and has the\n"
      "host memory for: outputs are poisoned before the last round. A wrong result prints WRONG and\n"
      "ends with status 1. Rank 0 prints.\n"
      "\n"
      "Example:\n"
      "  mpirun -n 2 scanrt bench --mpi --device host --threads 1 --n 2^20 --n 2^24 --type f32 --type i32");
}

static int parse_scaling(const char *command, const char *text, void *request) {
  int *scalings = ((bench_mpi_request *)request)->scalings;
  const int is_both = !strcmp(text, "both");
  scalings[BENCH_WEAK] |= is_both || !strcmp(text, "weak");
  scalings[BENCH_STRONG] |= is_both || !strcmp(text, "strong");
  return scalings[BENCH_WEAK] || scalings[BENCH_STRONG]
             ? CLI_OK
             : cli_usage(command, "unknown scaling '%s': use weak, strong or both", text);
}

static int parse_sort(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--sort", text, sorting_names, BENCH_SORTS, "keys, pairs or argsort",
                           ((bench_mpi_request *)request)->sorts);
}

static int parse_shape(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--shape", text, bench_mpi_shape_names, BENCH_MPI_SHAPES, "random, bits24 or equal",
                           ((bench_mpi_request *)request)->shapes);
}

#define AT(field) offsetof(bench_mpi_request, field)
const bench_option bench_mpi_options[] = {
  { BENCH_OF(MPI), { .name = "mpi", .kind = CLI_FLAG, .offset_bytes = AT(base.measurement), .value = BENCH_KIND_MPI } },
  { BENCH_OF(MPI), { .name = "sort", .kind = CLI_CALL, .parse = parse_sort } },
  { BENCH_OF(MPI), { .name = "shape", .kind = CLI_CALL, .parse = parse_shape } },
  { BENCH_OF(MPI), { .name = "scaling", .kind = CLI_CALL, .parse = parse_scaling } },
  { BENCH_OF(MPI),
    { .name = "threads", .kind = CLI_COUNT, .offset_bytes = AT(threads), .least = 1, .most = MOST_THREADS } },
  { 0, { .name = NULL } },
};
#undef AT

static void set_defaults(bench_mpi_request *request) {
  bench_request *r = &request->base;
  if (!r->kinds[SCAN_EXCLUSIVE]) r->kinds[SCAN_INCLUSIVE] = 1;
  bench_set_defaults(r, bench_mpi_has_sorts(request) ? SCAN_U32 : SCAN_F32);
  if (!request->shapes[BENCH_MPI_BITS24] && !request->shapes[BENCH_MPI_EQUAL]) request->shapes[BENCH_MPI_RANDOM] = 1;
  if (r->devices.count) request->device = r->devices.selector[r->devices.count - 1];
  if (!request->scalings[BENCH_WEAK] && !request->scalings[BENCH_STRONG])
    request->scalings[BENCH_WEAK] = request->scalings[BENCH_STRONG] = 1;
}

static int options_check(const char *command, const bench_request *r) {
  if (bench_mpi_has_sorts((const bench_mpi_request *)r)) {
    if (r->cold || r->source_count > 0) return cli_usage(command, "--sort has no --cold and no --op-source");
    return bench_check_shared(command, r);
  }
  for (size_t i = 0; i < r->type_count; i++)
    if (reference_is_float(r->types[i]) && r->types[i] != SCAN_F32 && r->types[i] != SCAN_F64)
      return cli_usage(command, "--mpi has no --type %s: give an integer type, f32 or f64",
                       scan_type_name(r->types[i]));
  if (r->source_count > 1 || (r->source_count == 1 && r->sources[0].built_in_op != SCAN_ADD))
    return cli_usage(command, "--mpi has one --op-source, add");
  if (bench_check_shared(command, r) != CLI_OK) return CLI_USAGE;
  if (r->cold && r->csv) return cli_usage(command, "--cold has no --csv");
  if (r->cold && (r->size_count > 1 || r->type_count > 1 || (r->kinds[SCAN_INCLUSIVE] && r->kinds[SCAN_EXCLUSIVE])))
    return cli_usage(command, "--cold times one scan: give one --n, --type, --inclusive or --exclusive");
  return CLI_OK;
}

int bench_mpi_complete(const char *command, bench_request *request) {
  set_defaults((bench_mpi_request *)request);
  return options_check(command, request);
}
