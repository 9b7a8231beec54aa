/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank_of(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int count_ranks(void) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

uint64_t ranks_first(uint64_t n, int rank) {
  const uint64_t ranks = (uint64_t)count_ranks(), r = (uint64_t)rank;
  return n / ranks * r + n % ranks * r / ranks;
}

scan_status ranks_context(scan_ctx **ctx) {
  const char *wanted = getenv("SCANRT_DEVICE");
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  char local[32];
  MPI_Comm host = MPI_COMM_NULL;
  int rank = 0, ranks = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &rank);
  MPI_Comm_size(host, &ranks);
  MPI_Comm_free(&host);
  options.threads = processors > ranks ? (uint32_t)(processors / ranks) : 1;
  snprintf(local, sizeof local, "cuda:%d", rank);
  if (wanted && strcmp(wanted, "cuda:local") == 0) options.device = local;
  return scan_ctx_create(&options, ctx);
}

int ranks_agree(int rc) {
  int most = rc;
  MPI_Allreduce(&rc, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/* Two numbers for each rank: elements, and where they begin. */
typedef struct shares {
  MPI_Datatype element;
  int *counts, *places;
} shares;

static shares shares_open(uint64_t count, size_t element_bytes) {
  const int ranks = count_ranks(), own = (int)count;
  shares s = { .counts = malloc(2 * (size_t)ranks * sizeof(int)) };
  if (!s.counts) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  s.places = s.counts + ranks;
  MPI_Allgather(&own, 1, MPI_INT, s.counts, 1, MPI_INT, MPI_COMM_WORLD);
  s.places[0] = 0;
  for (int r = 1; r < ranks; r++) s.places[r] = s.places[r - 1] + s.counts[r - 1];
  MPI_Type_contiguous((int)element_bytes, MPI_BYTE, &s.element);
  MPI_Type_commit(&s.element);
  return s;
}

static void shares_close(shares *s) {
  MPI_Type_free(&s->element);
  free(s->counts);
}

void ranks_deal(const void *all, uint64_t n, size_t element_bytes, void *own) {
  const int rank = rank_of();
  const uint64_t count = ranks_first(n, rank + 1) - ranks_first(n, rank);
  shares s = shares_open(count, element_bytes);
  MPI_Scatterv(all, s.counts, s.places, s.element, own, (int)count, s.element, 0, MPI_COMM_WORLD);
  shares_close(&s);
}

void ranks_gather(const void *own, uint64_t count, size_t element_bytes, void *all) {
  shares s = shares_open(count, element_bytes);
  MPI_Gatherv(own, (int)count, s.element, all, s.counts, s.places, s.element, 0, MPI_COMM_WORLD);
  shares_close(&s);
}

void ranks_rest(void) {
  const struct timespec nap = { .tv_nsec = 2000000 };
  MPI_Request request;
  int is_done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (;;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done) return;
    nanosleep(&nap, NULL);
  }
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

int ranks_deal_triplets(const triplets *all, triplets *own) {
  const int rank = rank_of();
  triplets shape = rank == 0 ? *all : (triplets){ 0 };
  MPI_Bcast(&shape, (int)sizeof shape, MPI_BYTE, 0, MPI_COMM_WORLD);
  *own = shape;
  own->count = ranks_first(shape.count, rank + 1) - ranks_first(shape.count, rank);
  own->place = malloc((size_t)(own->count + 1) * sizeof *own->place);
  own->value = malloc((size_t)(own->count + 1) * sizeof *own->value);
  if (shape.count > INT32_MAX && rank == 0) fprintf(stderr, "more than 2^31 triplets\n");
  const int rc = ranks_agree(shape.count <= INT32_MAX && own->place && own->value ? EXIT_SUCCESS : EXIT_FAILURE);
  if (rc == EXIT_SUCCESS) {
    ranks_deal(all->place, shape.count, sizeof *own->place, own->place);
    ranks_deal(all->value, shape.count, sizeof *own->value, own->value);
  }
  return rc;
}

void ranks_gather_rows(const csr *own, csr *all) {
  const int ranks = count_ranks();
  uint64_t *entries = calloc((size_t)ranks + 1, sizeof *entries);
  if (!entries) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  ranks_gather(&own->entries, 1, sizeof own->entries, entries + 1);
  ranks_gather(own->offset, own->rows, sizeof *own->offset, all->offset);
  ranks_gather(own->column, own->entries, sizeof *own->column, all->column);
  ranks_gather(own->value, own->entries, sizeof *own->value, all->value);
  if (rank_of() == 0) {
    for (int r = 0; r < ranks; r++) entries[r + 1] += entries[r];
    for (int r = 0; r < ranks; r++)
      for (uint64_t i = ranks_first(all->rows, r); i < ranks_first(all->rows, r + 1); i++)
        all->offset[i] += (uint32_t)entries[r];
    all->entries = entries[ranks];
    all->offset[all->rows] = (uint32_t)all->entries;
  }
  free(entries);
}
