/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cmd_bench.c @brief `scanrt bench`: lists the families and runs one. */
#include <stdlib.h>

#include "bench.h"

static int run(int argc, char **argv, const bench_family *const *families, bench_family_id id) {
  const bench_family *family = families[id];
  bench_request *request = (bench_request *)calloc(1, family->request_bytes);
  if (!request) return cli_fail("no memory for the command line");
  int rc = bench_parse(argc, argv, families, id, request);
  const int is_help = rc == CLI_HELP;
  if (is_help) family->help();
  if (rc == CLI_OK) rc = bench_run_devices(request);
  free(request);
  const int flushed = cli_flush_output();
  return rc == CLI_OK || is_help ? flushed : rc;
}

int cmd_bench(int argc, char **argv) {
  static const bench_family *const families[BENCH_FAMILIES] = {
    [BENCH_FAMILY_SCAN] = &bench_scan,   [BENCH_FAMILY_SELECT] = &bench_select, [BENCH_FAMILY_SORT] = &bench_sort,
    [BENCH_FAMILY_SPLIT] = &bench_split, [BENCH_FAMILY_STREAM] = &bench_stream, [BENCH_FAMILY_MPI] = &bench_mpi,
  };
  const bench_family_id id = bench_find_family(argc, argv, families);
  return families[id]->run ? families[id]->run(argc, argv, families) : run(argc, argv, families, id);
}
