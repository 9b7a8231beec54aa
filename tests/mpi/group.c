/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "group.h"
#include "cuts.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { YIELD_NANOSECONDS = 20000 };

/* Takes the place of libc's. Ranks that wait in Open MPI call it, and sleep, so that the others get the processors. */
int sched_yield(void) {
  const struct timespec pause = { .tv_nsec = YIELD_NANOSECONDS };
  return nanosleep(&pause, NULL);
}

#ifdef MPICH_NUMVERSION
unsigned ucp_worker_progress(void *worker);

/* Takes the place of UCX's. Debian's MPICH calls it in a loop while a rank waits, and never yields. */
unsigned ucp_worker_progress(void *worker) {
  static unsigned (*progress)(void *worker);
  if (progress == NULL) *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = progress(worker);
  if (events == 0) (void)sched_yield();
  return events;
}
#endif

void *group_allocate(uint64_t bytes) {
  void *memory = malloc((size_t)bytes + 64);
  if (memory == NULL) {
    fprintf(stderr, "no memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

static void stop(const group *g, const char *what, const char *why) {
  if (g->rank == 0) fprintf(stderr, "%s: %s\n", what, why);
}

scan_ctx *group_context(group *g, const char *device) {
  const char *selector = getenv("SCANRT_TEST_DEVICE");
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  if (device == NULL) device = selector != NULL && selector[0] != '\0' ? selector : "host";
  options.device = device;
  options.threads = 1;
  const scan_status opened = scan_ctx_create(&options, &ctx);
  if (opened == SCAN_NO_DEVICE) {
    stop(g, "skipped", scan_last_error(NULL));
    MPI_Finalize();
    exit(GROUP_SKIPPED);
  }
  if (opened != SCAN_SUCCESS) {
    stop(g, device, scan_last_error(NULL));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return ctx;
}

void group_open(group *g, int *argc, char ***argv) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  int started = 0;
  *g = (group){ .ctx = NULL };
  MPI_Initialized(&started);
  if (!started) MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g->ranks);
  g->ctx = group_context(g, NULL);
  if (scan_ctx_device(g->ctx, &info) != SCAN_SUCCESS ||
      scan_mpi_create(g->ctx, MPI_COMM_WORLD, &g->mpi) != SCAN_SUCCESS) {
    stop(g, "scan_mpi_create", scan_mpi_last_error(NULL));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (g->rank == 0) printf("%d ranks, each on %s (%s)\n", g->ranks, info.selector, info.name);
}

int group_close(group *g, const char *name) {
  unsigned long own[2] = { g->ran, g->failed }, all[2] = { 0, 0 };
  scan_mpi_destroy(g->mpi);
  scan_ctx_destroy(g->ctx);
  MPI_Allreduce(own, all, 2, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (g->rank == 0) printf("%s: %lu checks on %d ranks, %lu failed\n", name, all[0], g->ranks, all[1]);
  MPI_Finalize();
  return all[0] == 0 || all[1] > 0;
}

int group_check(group *g, int holds, const char *format, ...) {
  va_list arguments;
  g->ran++;
  if (holds) return 1;
  g->failed++;
  va_start(arguments, format);
  fprintf(stderr, "rank %d of %d: ", g->rank, g->ranks);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return 0;
}

scan_status group_run(group *g, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out) {
  const scan_args args = SCAN_ARGS_INIT(in, out);
  return scan_mpi_run_args(g->mpi, spec, n, &args);
}

void group_check_works(group *g, scan_mpi *mpi, const char *after) {
  enum { N = 1000 };
  static int32_t ones[N], sums[N];
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_args args = SCAN_ARGS_INIT(scan_host(ones), scan_host(sums));
  for (int i = 0; i < N; i++) ones[i] = 1;
  char words[2048];
  snprintf(words, sizeof words, "%s", scan_mpi_last_error(mpi));
  const scan_status status = scan_mpi_run_args(mpi, &spec, N, &args);
  int is_right = status == SCAN_SUCCESS && strncmp(scan_mpi_last_error(mpi), words, sizeof words - 1) == 0;
  for (int i = 0; i < N; i++) is_right = is_right && sums[i] == g->rank * N + i + 1;
  group_check(g, is_right, "after %s: %s", after, scan_mpi_last_error(mpi));
}

/* ---- distributions ---- */

int group_set_count(int rank) { return 1 + (rank + 1) % GROUP_SET_MOST; }

void group_open_set(group_set *s, group *g) {
  *s = (group_set){ .g = g, .count = group_set_count(g->rank) };
  for (int r = 0; r < g->ranks; r++) s->all += group_set_count(r);
  for (int r = 0; r < g->rank; r++) s->before += group_set_count(r);
  for (int i = 0; i < s->count; i++) s->ctxs[i] = group_context(g, i % 2 ? "host" : NULL);
  const scan_status status = scan_mpi_create_contexts(s->ctxs, s->count, MPI_COMM_WORLD, &s->mpi);
  group_check(g, status == SCAN_SUCCESS, "a handle: %s", scan_mpi_last_error(NULL));
  if (status != SCAN_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
}

void group_close_set(group_set *s) {
  scan_mpi_destroy(s->mpi);
  for (int i = 0; i < s->count; i++) scan_ctx_destroy(s->ctxs[i]);
}

void group_check_words(const group_set *s, const char *what, scan_status status, scan_status due, int who,
                       int is_context, const char *words) {
  char begin[64];
  const char *text = scan_mpi_last_error(s->mpi);
  const int last = group_set_count(who) - 1;
  snprintf(begin, sizeof begin, is_context && last > 0 ? "rank %d: context %d: " : "rank %d: ", who, last);
  group_check(s->g, status == due && strncmp(text, begin, strlen(begin)) == 0 && strstr(text, words) != NULL,
              "%s of rank %d: %s, \"%s\"", what, who, scan_status_name(status), text);
}

void group_split(int members, struct rng *rng, uint64_t n, uint64_t unit, uint64_t *counts) {
  const case_cuts cuts = (case_cuts)(CASE_CUTS_EVEN + rng_below(rng, CASE_CUTS_KINDS - CASE_CUTS_EVEN));
  case_cut(cuts, rng_next(rng), members, n, unit, counts);
}

/* ---- elements ---- */

static void places_of(const group *g, const uint64_t *counts, uint64_t item_bytes, int *bytes, int *places) {
  int at = 0;
  for (int r = 0; r < g->ranks; r++) {
    bytes[r] = (int)(counts[r] * item_bytes);
    places[r] = at;
    at += bytes[r];
  }
}

void *group_scatter(const group *g, const void *all, const uint64_t *counts, uint64_t item_bytes, size_t room) {
  int bytes[GROUP_MOST_RANKS], places[GROUP_MOST_RANKS];
  places_of(g, counts, item_bytes, bytes, places);
  char *part = group_allocate((uint64_t)bytes[g->rank] + room);
  memset(part + bytes[g->rank], 0xa5, room);
  MPI_Scatterv(all, bytes, places, MPI_BYTE, part, bytes[g->rank], MPI_BYTE, 0, MPI_COMM_WORLD);
  return part;
}

void group_gather(const group *g, const void *part, const uint64_t *counts, uint64_t item_bytes, void *all) {
  int bytes[GROUP_MOST_RANKS], places[GROUP_MOST_RANKS];
  places_of(g, counts, item_bytes, bytes, places);
  MPI_Gatherv(part, bytes[g->rank], MPI_BYTE, all, bytes, places, MPI_BYTE, 0, MPI_COMM_WORLD);
}

void group_collect(const group *g, uint64_t own, uint64_t *all) {
  (void)g;
  MPI_Allgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, MPI_COMM_WORLD);
}

/* ---- memory ---- */

scan_mem group_give_to(group *g, scan_ctx *ctx, void *bytes, uint64_t count, int on_device) {
  scan_mem mem = SCAN_NO_MEM;
  if (!on_device) return scan_host(bytes);
  scan_status status = scan_alloc(ctx, count + (count == 0), &mem);
  if (status == SCAN_SUCCESS && count > 0) status = scan_write(ctx, mem, bytes, count);
  group_check(g, status == SCAN_SUCCESS, "memory of the device: %s", scan_last_error(ctx));
  return mem;
}

void group_read_back_from(group *g, scan_ctx *ctx, scan_mem mem, void *bytes, uint64_t count) {
  if (mem.kind != SCAN_MEM_ALLOCATED) return;
  scan_status status = count > 0 ? scan_read(ctx, mem, bytes, count) : SCAN_SUCCESS;
  if (status == SCAN_SUCCESS) status = scan_free(ctx, mem);
  group_check(g, status == SCAN_SUCCESS, "memory of the device: %s", scan_last_error(ctx));
}

scan_mem group_give(group *g, void *bytes, uint64_t count, int on_device) {
  return group_give_to(g, g->ctx, bytes, count, on_device);
}

void group_read_back(group *g, scan_mem mem, void *bytes, uint64_t count) {
  group_read_back_from(g, g->ctx, mem, bytes, count);
}
