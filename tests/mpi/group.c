/* SPDX-License-Identifier: BSD-2-Clause */
#include "group.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void group_open(group *g, int *argc, char ***argv) {
  const char *selector = getenv("SCANRT_TEST_DEVICE");
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  int started = 0;
  *g = (group){ .ctx = NULL };
  MPI_Initialized(&started);
  if (!started) MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g->ranks);
  options.device = selector != NULL && selector[0] != '\0' ? selector : "host";
  options.threads = 1;
  const scan_status opened = scan_ctx_create(&options, &g->ctx);
  if (opened == SCAN_NO_DEVICE) {
    stop(g, "skipped", scan_last_error(NULL));
    MPI_Finalize();
    exit(GROUP_SKIPPED);
  }
  if (opened != SCAN_SUCCESS || scan_ctx_device(g->ctx, &info) != SCAN_SUCCESS) {
    stop(g, options.device, scan_last_error(NULL));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (scan_mpi_create(g->ctx, MPI_COMM_WORLD, &g->mpi) != SCAN_SUCCESS) {
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

/* ---- distributions ---- */

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Where a rank's part may end: anywhere; or at a multiple of a unit, or at most two from it. */
static uint64_t draw_cut(struct rng *rng, uint64_t n, uint64_t unit) {
  const uint64_t at = rng_below(rng, n + 1);
  if (unit == 0) return at;
  const uint64_t near = (at + unit / 2) / unit * unit + (rng_below(rng, 2) ? 2 : rng_below(rng, 5));
  return near < 2 ? 0 : near - 2 > n ? n : near - 2;
}

static void cut_at_random(const group *g, struct rng *rng, uint64_t n, uint64_t unit, uint64_t *counts) {
  uint64_t cuts[GROUP_MOST_RANKS + 1];
  for (int r = 0; r + 1 < g->ranks; r++) cuts[r] = draw_cut(rng, n, unit);
  qsort(cuts, (size_t)g->ranks - 1, sizeof *cuts, compare);
  cuts[g->ranks - 1] = n;
  for (int r = 0; r < g->ranks; r++) counts[r] = cuts[r] - (r > 0 ? cuts[r - 1] : 0);
}

/* Most ranks have none or one. */
static void starve(const group *g, struct rng *rng, uint64_t n, uint64_t *counts) {
  const int rich = (int)rng_below(rng, (uint64_t)g->ranks);
  uint64_t left = n;
  for (int r = 0; r < g->ranks; r++) {
    counts[r] = left > 0 ? rng_below(rng, 2) : 0;
    left -= counts[r];
  }
  counts[rich] += left;
}

void group_split(const group *g, struct rng *rng, uint64_t n, uint64_t unit, uint64_t *counts) {
  switch (rng_below(rng, 6)) {
  case 0:
    for (int r = 0; r < g->ranks; r++) counts[r] = n / (uint64_t)g->ranks + ((uint64_t)r < n % (uint64_t)g->ranks);
    break;
  case 1: starve(g, rng, n, counts); break;
  case 2:
  case 3: cut_at_random(g, rng, n, unit, counts); break;
  default: cut_at_random(g, rng, n, 0, counts);
  }
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

scan_mem group_give(group *g, void *bytes, uint64_t count, int on_device) {
  scan_mem mem = { .kind = SCAN_MEM_NONE };
  if (!on_device) return scan_host(bytes);
  scan_status status = scan_alloc(g->ctx, count + (count == 0), &mem);
  if (status == SCAN_SUCCESS && count > 0) status = scan_write(g->ctx, mem, bytes, count);
  group_check(g, status == SCAN_SUCCESS, "memory of the device: %s", scan_last_error(g->ctx));
  return mem;
}

void group_take(group *g, scan_mem mem, void *bytes, uint64_t count) {
  if (mem.kind != SCAN_MEM_ALLOCATED) return;
  scan_status status = count > 0 ? scan_read(g->ctx, mem, bytes, count) : SCAN_SUCCESS;
  if (status == SCAN_SUCCESS) status = scan_free(g->ctx, mem);
  group_check(g, status == SCAN_SUCCESS, "memory of the device: %s", scan_last_error(g->ctx));
}
