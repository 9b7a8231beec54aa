/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_bench.c @brief `scanrt bench`: lists the kinds and runs one. */
#include <stdlib.h>

#include "bench.h"

static int execute_bench(int argc, char **argv, const bench_kind *const *measurements, bench_kind_id id) {
  const bench_kind *measurement = measurements[id];
  bench_request *request = (bench_request *)calloc(1, measurement->request_bytes);
  if (!request) return cli_fail("no memory for the command line");
  int rc = bench_parse(argc, argv, measurements, id, request);
  const int is_help = rc == CLI_HELP;
  if (is_help) measurement->help();
  if (rc == CLI_OK) rc = bench_run_devices(request);
  free(request);
  const int flushed = cli_flush_output();
  return rc == CLI_OK || is_help ? flushed : rc;
}

int cmd_bench(int argc, char **argv) {
  static const bench_kind *const measurements[BENCH_KIND_COUNT] = {
    [BENCH_KIND_SCAN] = &bench_scan,   [BENCH_KIND_SELECT] = &bench_select,      [BENCH_KIND_SORT] = &bench_sort,
    [BENCH_KIND_SPLIT] = &bench_split, [BENCH_KIND_REDUCE] = &bench_reduce,      [BENCH_KIND_STREAM] = &bench_stream,
    [BENCH_KIND_MPI] = &bench_mpi,     [BENCH_KIND_VERSUS] = &bench_versus_kind,
  };
  const bench_kind_id id = bench_find_kind(argc, argv, measurements);
  return measurements[id]->run ? measurements[id]->run(argc, argv, measurements)
                               : execute_bench(argc, argv, measurements, id);
}
