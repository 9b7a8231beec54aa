/* SPDX-License-Identifier: BSD-2-Clause */
/* An MPI module for the command-line tool with a defect. It forwards to the right module, $WRONG_MODULE_OF.
 * $WRONG_MODULE is "version", another version number, or "results", scans and sorts that omit each rank's last element.
 */
#include "mpi_module.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const mpi_module *right;

static scan_status run(scan_ctx *ctx, const mpi_ranks *ranks, const scan_spec *spec, uint64_t local_n, scan_mem in,
                       scan_mem out) {
  return right->run(ctx, ranks, spec, local_n - 1, in, out);
}

static scan_status plan_run(scan_mpi_plan *plan, uint64_t local_n, scan_mem in, scan_mem out) {
  return right->plan_run(plan, local_n - 1, in, out);
}

static scan_status plan_run_sort(scan_mpi_plan *plan, uint64_t local_n, const scan_sort_args *args) {
  return right->plan_run_sort(plan, local_n - 1, args);
}

__attribute__((visibility("default"))) mpi_module_get scanrt_tool_mpi;
const mpi_module *scanrt_tool_mpi(void) {
  static mpi_module wrong;
  const char *path = getenv("WRONG_MODULE_OF"), *how = getenv("WRONG_MODULE");
  void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
  mpi_module_get *get = NULL;
  if (library != NULL) *(void **)&get = dlsym(library, MPI_MODULE_SYMBOL);
  if (get == NULL || how == NULL) abort();
  right = get();
  wrong = *right;
  if (strcmp(how, "version") == 0) wrong.version++;
  if (strcmp(how, "results") == 0) {
    wrong.run = run;
    wrong.plan_run = plan_run;
    wrong.plan_run_sort = plan_run_sort;
  }
  return &wrong;
}
