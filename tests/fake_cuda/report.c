/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a report for programs that cannot query the driver: at their end, to the file $FAKE_CUDA_REPORT, the objects
 * and contexts that are left and the last fault. */
#include <stdio.h>
#include <stdlib.h>

#include "state.h"

/* Counts the objects that a program did not free itself. */
static int objects_left(void) {
  return fake_cuda_live_allocations() + fake_cuda_live_modules() + fake_cuda_live_streams() + fake_cuda_live_events() +
         fake_cuda_live_graphs() + fake_cuda_live_host_memory() + (int)fake_cuda_reclaimed();
}

static int contexts_left(void) {
  int refs = 0;
  for (int device = 0; device < FAKE_DEVICES; device++) refs += fake_cuda_primary_refs(device);
  return refs + fake_cuda_context_depth();
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("FAKE_CUDA_REPORT");
  FILE *file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "objects left: %d\ncontexts left: %d\nfault: %s\n", objects_left(), contexts_left(), fake_cuda_fault());
  fclose(file);
}
