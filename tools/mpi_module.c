/* SPDX-License-Identifier: BSD-2-Clause */
/** @file mpi_module.c @brief libscanrt_tool_mpi.so: gives the command-line tool MPI and libscanrt_mpi, by
 * cli/mpi_module.h. */
#include "mpi_module.h"

#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi_sort.h>

struct mpi_ranks {
  MPI_Comm comm;
  int rank, count;
};

static mpi_ranks *ranks_of(MPI_Comm comm) {
  mpi_ranks *ranks = malloc(sizeof *ranks);
  if (ranks == NULL) return NULL;
  ranks->comm = comm;
  MPI_Comm_rank(comm, &ranks->rank);
  MPI_Comm_size(comm, &ranks->count);
  return ranks;
}

static mpi_ranks *module_begin(void) {
  int started = 0, provided = 0;
  MPI_Initialized(&started);
  if (started) return NULL;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided); /* only this thread of the tool calls MPI */
  return ranks_of(MPI_COMM_WORLD);
}

static void module_end(mpi_ranks *all) {
  free(all);
  MPI_Finalize();
}

static int rank(const mpi_ranks *ranks) { return ranks->rank; }
static int module_count(const mpi_ranks *ranks) { return ranks->count; }

static int local_rank(const mpi_ranks *ranks) {
  MPI_Comm host;
  int local = 0;
  MPI_Comm_split_type(ranks->comm, MPI_COMM_TYPE_SHARED, ranks->rank, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &local);
  MPI_Comm_free(&host);
  return local;
}

static void library(char *text, size_t text_bytes) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  size_t used = strcspn(version, "\n,");
  if (used > text_bytes - 1) used = text_bytes - 1;
  for (size_t i = 0; i < used; i++) text[i] = version[i] == '\t' ? ' ' : version[i];
  text[used] = '\0';
}

static mpi_ranks *first(const mpi_ranks *ranks, int wanted) {
  MPI_Comm comm;
  MPI_Comm_split(ranks->comm, ranks->rank < wanted ? 0 : MPI_UNDEFINED, ranks->rank, &comm);
  if (comm == MPI_COMM_NULL) return NULL;
  mpi_ranks *some = ranks_of(comm);
  if (some == NULL) MPI_Abort(MPI_COMM_WORLD, 1); /* the other ranks are in the group and would wait */
  return some;
}

static void leave(mpi_ranks *ranks) {
  if (ranks == NULL) return;
  MPI_Comm_free(&ranks->comm);
  free(ranks);
}

static void module_gather(const mpi_ranks *ranks, const void *own, int bytes, void *all) {
  MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, ranks->comm);
}

static void wait_for_all(const mpi_ranks *ranks) { MPI_Barrier(ranks->comm); }

static scan_status module_create(scan_ctx *ctx, const mpi_ranks *ranks, scan_mpi **mpi) {
  return scan_mpi_create(ctx, ranks->comm, mpi);
}

static scan_status module_run(scan_ctx *ctx, const mpi_ranks *ranks, const scan_spec *spec, uint64_t local_n,
                              scan_mem in, scan_mem out) {
  return scan_mpi_run(ctx, ranks->comm, spec, local_n, in, out);
}

static scan_status module_sort(scan_mpi *mpi, const scan_sort_spec *spec, uint64_t local_n,
                               const scan_sort_args *args) {
  return scan_mpi_sort(mpi, spec, SCAN_MPI_AS_GIVEN, local_n, 0, args, NULL);
}

static scan_status module_plan_create_sort(scan_mpi *mpi, const scan_sort_spec *spec, uint64_t max_local_n,
                                           scan_mpi_plan **plan) {
  return scan_mpi_plan_create_sort(mpi, spec, SCAN_MPI_AS_GIVEN, max_local_n, 0, plan);
}

static scan_status module_plan_run_sort(scan_mpi_plan *plan, uint64_t local_n, const scan_sort_args *args) {
  return scan_mpi_plan_run_sort(plan, local_n, args, NULL);
}

static const mpi_module module = {
  .version = MPI_MODULE_VERSION,
  .begin = module_begin,
  .end = module_end,
  .rank = rank,
  .count = module_count,
  .local_rank = local_rank,
  .library = library,
  .first = first,
  .leave = leave,
  .gather = module_gather,
  .wait = wait_for_all,
  .create = module_create,
  .destroy = scan_mpi_destroy,
  .last_error = scan_mpi_last_error,
  .takes_device_memory = scan_mpi_takes_device_memory,
  .sent_bytes = scan_mpi_sent_bytes,
  .run = module_run,
  .run_args = scan_mpi_run_args,
  .overflow_index = scan_mpi_overflow_index,
  .plan_create = scan_mpi_plan_create,
  .plan_run = scan_mpi_plan_run,
  .plan_destroy = scan_mpi_plan_destroy,
  .run_array = scan_mpi_run_array,
  .sort = module_sort,
  .plan_create_sort = module_plan_create_sort,
  .plan_run_sort = module_plan_run_sort,
};

__attribute__((visibility("default"))) mpi_module_get scanrt_tool_mpi;
const mpi_module *scanrt_tool_mpi(void) { return &module; }
