/* SPDX-License-Identifier: BSD-2-Clause */
#include "pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_runs.h>
#include <scanrt/scan_sort.h>

#include "conversion.h"
#include "ranks.h"

APP_KERNELS(
    text,
    APP_KERNEL void pack(APP_GLOBAL const double *value, APP_GLOBAL const uint32_t *number, APP_GLOBAL double *to,
                         uint32_t count) {
      for (uint32_t i = APP_ITEM; i < count; i += APP_ITEMS) to[i] = value[number[i]];
    } APP_KERNEL void invert(APP_GLOBAL const uint32_t *number, APP_GLOBAL uint32_t *place, uint32_t count) {
      for (uint32_t i = APP_ITEM; i < count; i += APP_ITEMS) place[number[i]] = i;
    } APP_KERNEL void add_up(APP_GLOBAL const uint32_t *begin, APP_GLOBAL const uint32_t *number,
                             APP_GLOBAL const double *value, APP_GLOBAL double *to, uint32_t entries) {
      for (uint32_t e = APP_ITEM; e < entries; e += APP_ITEMS) {
        const uint32_t end = begin[e + 1u];
        uint32_t i = begin[e];
        double sum = value[number[i]];
        for (i++; i < end; i++) sum += value[number[i]];
        to[e] = sum;
      }
    });

static void pack_on_host(void *const *a) { pack(a[0], a[1], a[2], *(uint32_t *)a[3]); }
static void invert_on_host(void *const *a) { invert(a[0], a[1], *(uint32_t *)a[2]); }
static void add_up_on_host(void *const *a) { add_up(a[0], a[1], a[2], a[3], *(uint32_t *)a[4]); }

enum { PACK, INVERT, ADD_UP, KERNELS };
static const app_kernel kernels[KERNELS] = { { "pack", pack_on_host },
                                             { "invert", invert_on_host },
                                             { "add_up", add_up_on_host } };

/* Ends all ranks if a call has failed. */
static void must(const pattern *p, scan_status status) {
  if (status == SCAN_SUCCESS) return;
  fprintf(stderr, "rank %d: %s: %s; %s\n", p->rank, scan_status_name(status), scan_mpi_last_error(p->mpi),
          scan_last_error(p->ctx));
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void *must_allocate(const pattern *p, uint64_t count, size_t bytes) {
  void *memory = malloc((size_t)(count + 1) * bytes);
  must(p, memory != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY);
  return memory;
}

static scan_mem device_memory(const pattern *p, uint64_t bytes) {
  scan_mem memory = SCAN_NO_MEM;
  must(p, app_alloc(p->ctx, bytes + 8, &memory));
  return memory;
}

static void launch(const pattern *p, int kernel, uint64_t count, const app_argument *arguments, int argument_count) {
  if (count > 0)
    must(p, app_kernels_launch(p->kernels, kernel, count, arguments, argument_count) == 0 ? SCAN_SUCCESS
                                                                                          : SCAN_DEVICE_ERROR);
}

/* ---- the pattern ------------------------------------------------------------------------------------------------- */

/* Sorts the places of all ranks with the triplets' numbers, and moves both to the rows' ranks. */
static void sort_places(pattern *p, const triplets *from, scan_mem place, row_cuts *cuts, scan_mem *row_place,
                        scan_mem *row_number) {
  uint64_t most = p->own, n = 0;
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U64);
  scan_mpi_part sorted;
  MPI_Allreduce(&p->own, &n, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  most = n / (uint64_t)p->ranks + 1;
  scan_mem sorted_place = device_memory(p, 8 * most), number = device_memory(p, 4 * most);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(place, sorted_place);
  spec.end_bit = conversion_end_bit(from->rows);
  spec.index_type = SCAN_U32;
  args.out[0] = number;
  must(p, scan_mpi_sort(p->mpi, &spec, SCAN_MPI_EVEN, p->own, most, &args, &sorted));
  must(p, row_cuts_count(cuts, sorted_place, sorted.count, &p->wanted) == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR);
  *row_place = device_memory(p, 8 * p->wanted);
  *row_number = device_memory(p, 4 * p->wanted);
  must(p, scan_mpi_redistribute(p->mpi, 8, sorted.count, sorted_place, p->wanted, *row_place, NULL));
  must(p, scan_mpi_redistribute(p->mpi, 4, sorted.count, number, p->wanted, *row_number, NULL));
  app_free(p->ctx, sorted_place);
  app_free(p->ctx, number);
}

/* Finds the entries of this rank's rows, their columns, and the rows' offsets. */
static void find_entries(pattern *p, scan_mem row_place) {
  scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U64, SCAN_TYPE_DEFAULT);
  const uint32_t end = (uint32_t)p->wanted;
  scan_mem entry_place = device_memory(p, 8 * p->wanted), count = device_memory(p, sizeof p->entries);
  p->memory[PATTERN_BEGIN] = device_memory(p, 4 * (p->wanted + 1));
  spec.start_type = SCAN_U32;
  scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(row_place, entry_place, SCAN_NO_MEM, count);
  args.starts = p->memory[PATTERN_BEGIN];
  must(p, scan_run_length_encode(p->ctx, &spec, p->wanted, &args));
  must(p, scan_read(p->ctx, count, &p->entries, sizeof p->entries));
  must(p, scan_write(p->ctx, scan_offset(p->memory[PATTERN_BEGIN], 4 * p->entries), &end, sizeof end));
  p->memory[PATTERN_COLUMN] = device_memory(p, 4 * p->entries);
  p->memory[PATTERN_OFFSET] = device_memory(p, 4 * ((uint64_t)p->rows + 1));
  p->memory[PATTERN_VALUE] = device_memory(p, 8 * p->entries);
  const conversion_rows rows = {
    entry_place, count, p->memory[PATTERN_COLUMN], p->memory[PATTERN_OFFSET], p->entries + 1, p->first_row, p->rows
  };
  must(p, conversion_split_rows(p->splitting, &rows));
  must(p, scan_sync(p->ctx));
  app_free(p->ctx, entry_place);
  app_free(p->ctx, count);
}

/* Sorts the numbers of the triplets of this rank's rows, and finds for each triplet its place among the sorted ones.
 * Returns the sorted numbers. */
static uint32_t *sort_numbers(pattern *p, scan_mem row_number) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_mem sorted = device_memory(p, 4 * p->wanted), from = device_memory(p, 4 * p->wanted);
  uint32_t *numbers = must_allocate(p, p->wanted, sizeof *numbers);
  p->memory[PATTERN_NUMBERS] = device_memory(p, 4 * p->wanted);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(row_number, sorted);
  const app_argument arguments[] = { { .memory = from },
                                     { .memory = p->memory[PATTERN_NUMBERS] },
                                     { .number = (uint32_t)p->wanted } };
  spec.index_type = SCAN_U32;
  args.out[0] = from;
  must(p, scan_sort(p->ctx, &spec, p->wanted, &args));
  launch(p, INVERT, p->wanted, arguments, 3);
  if (p->wanted > 0) must(p, scan_read(p->ctx, sorted, numbers, 4 * p->wanted));
  must(p, scan_sync(p->ctx));
  app_free(p->ctx, sorted);
  app_free(p->ctx, from);
  return numbers;
}

static void add_places(const pattern *p, const int *counts, int *places) {
  places[0] = 0;
  for (int r = 1; r < p->ranks; r++) places[r] = places[r - 1] + counts[r - 1];
}

/* Counts the triplets of each rank among the sorted numbers, and makes these the numbers among the rank's triplets. */
static void count_owners(pattern *p, uint32_t *numbers) {
  uint64_t first = 0, *firsts = must_allocate(p, (uint64_t)p->ranks, sizeof *firsts);
  int owner = 0;
  MPI_Exscan(&p->own, &first, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (p->rank == 0) first = 0; /* MPI leaves rank 0's result unset */
  MPI_Allgather(&first, 1, MPI_UINT64_T, firsts, 1, MPI_UINT64_T, MPI_COMM_WORLD);
  firsts[p->ranks] = UINT64_MAX;
  memset(p->counts.receives, 0, (size_t)p->ranks * sizeof *p->counts.receives);
  for (uint64_t i = 0; i < p->wanted; i++) {
    while (numbers[i] >= firsts[owner + 1]) owner++;
    p->counts.receives[owner]++;
    numbers[i] -= (uint32_t)firsts[owner];
  }
  free(firsts);
}

/* Makes each triplet's place among the sorted numbers that of its value in PATTERN_GIVEN. @param first  place of this
 * rank's numbers @param count  of them
 */
static void number_values(const pattern *p, const uint32_t *numbers, uint64_t first, uint64_t count) {
  uint32_t *at = must_allocate(p, p->wanted, sizeof *at);
  if (p->wanted > 0) must(p, scan_read(p->ctx, p->memory[PATTERN_NUMBERS], at, 4 * p->wanted));
  for (uint64_t i = 0; i < p->wanted; i++) {
    const uint64_t place = at[i];
    const int is_own = place >= first && place < first + count;
    at[i] = is_own ? numbers[place] : (uint32_t)(p->own + place - (place < first ? 0 : count));
  }
  if (p->wanted > 0) must(p, scan_write(p->ctx, p->memory[PATTERN_NUMBERS], at, 4 * p->wanted));
  free(at);
}

/* Asks each other rank for its triplets among the sorted numbers: PATTERN_PACKS. */
static void ask_for(pattern *p, uint32_t *numbers) {
  pattern_counts *c = &p->counts;
  uint32_t *asked = must_allocate(p, p->own, sizeof *asked);
  count_owners(p, numbers);
  add_places(p, c->receives, c->receive_places);
  const uint64_t first = (uint64_t)c->receive_places[p->rank], count = (uint64_t)c->receives[p->rank];
  number_values(p, numbers, first, count);
  memmove(numbers + first, numbers + first + count, (p->wanted - first - count) * sizeof *numbers);
  c->receives[p->rank] = 0;
  add_places(p, c->receives, c->receive_places);
  MPI_Alltoall(c->receives, 1, MPI_INT, c->sends, 1, MPI_INT, MPI_COMM_WORLD);
  add_places(p, c->sends, c->send_places);
  MPI_Alltoallv(numbers, c->receives, c->receive_places, MPI_UINT32_T, asked, c->sends, c->send_places, MPI_UINT32_T,
                MPI_COMM_WORLD);
  p->sent = (uint64_t)c->send_places[p->ranks - 1] + (uint64_t)c->sends[p->ranks - 1];
  p->received = p->wanted - count;
  p->memory[PATTERN_PACKS] = device_memory(p, 4 * p->sent);
  if (p->sent > 0) must(p, scan_write(p->ctx, p->memory[PATTERN_PACKS], asked, 4 * p->sent));
  free(asked);
}

/* Allocates what sets of values need. */
static void prepare_sets(pattern *p) {
  p->memory[PATTERN_PACKED] = device_memory(p, 8 * p->sent);
  p->memory[PATTERN_GIVEN] = device_memory(p, 8 * (p->own + p->received));
  p->host[0] = scan_host_ptr(p->memory[PATTERN_PACKED]);
  p->host[1] = scan_host_ptr(scan_offset(p->memory[PATTERN_GIVEN], 8 * p->own));
  p->is_staged = p->host[0] == NULL;
  if (!p->is_staged) return;
  p->host[0] = must_allocate(p, p->sent, sizeof *p->host[0]);
  p->host[1] = must_allocate(p, p->received, sizeof *p->host[1]);
}

void pattern_make(scan_ctx *ctx, scan_mpi *mpi, const triplets *from, scan_mem place, row_cuts *cuts, pattern *made) {
  pattern *p = made;
  scan_mem row_place, row_number;
  *p = (pattern){ .ctx = ctx, .mpi = mpi, .own = from->count };
  MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
  p->first_row = (uint32_t)ranks_first(from->rows, p->rank);
  p->rows = (uint32_t)ranks_first(from->rows, p->rank + 1) - p->first_row;
  p->counts.sends = must_allocate(p, 4 * (uint64_t)p->ranks, sizeof(int));
  p->counts.send_places = p->counts.sends + p->ranks;
  p->counts.receives = p->counts.sends + 2 * p->ranks;
  p->counts.receive_places = p->counts.sends + 3 * p->ranks;
  must(p, app_kernels_create(ctx, text, kernels, KERNELS, &p->kernels) == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR);
  must(p, conversion_kernels(ctx, &p->splitting) == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR);
  sort_places(p, from, place, cuts, &row_place, &row_number);
  find_entries(p, row_place);
  uint32_t *numbers = sort_numbers(p, row_number);
  app_free(ctx, row_place);
  app_free(ctx, row_number);
  ask_for(p, numbers);
  free(numbers);
  prepare_sets(p);
}

void pattern_destroy(pattern *p) {
  if (p->ctx == NULL) return;
  app_kernels_destroy(p->kernels);
  app_kernels_destroy(p->splitting);
  free(p->counts.sends);
  for (int i = 0; i < 2 && p->is_staged; i++) free(p->host[i]);
  for (int i = 0; i < PATTERN_MEMORIES; i++) app_free(p->ctx, p->memory[i]);
}

/* ---- sets of values ---------------------------------------------------------------------------------------------- */

/* Sends values to the ranks that own their rows. */
static void exchange(const pattern *p) {
  const scan_mem *m = p->memory, received = scan_offset(m[PATTERN_GIVEN], 8 * p->own);
  const pattern_counts *c = &p->counts;
  const app_argument arguments[] = { { .memory = m[PATTERN_GIVEN] },
                                     { .memory = m[PATTERN_PACKS] },
                                     { .memory = m[PATTERN_PACKED] },
                                     { .number = (uint32_t)p->sent } };
  launch(p, PACK, p->sent, arguments, 4);
  if (p->is_staged && p->sent > 0) must(p, scan_read(p->ctx, m[PATTERN_PACKED], p->host[0], 8 * p->sent));
  MPI_Alltoallv(p->host[0], c->sends, c->send_places, MPI_DOUBLE, p->host[1], c->receives, c->receive_places,
                MPI_DOUBLE, MPI_COMM_WORLD);
  if (p->is_staged && p->received > 0) must(p, scan_write(p->ctx, received, p->host[1], 8 * p->received));
}

void pattern_set(pattern *p) {
  const scan_mem *m = p->memory;
  const app_argument arguments[] = { { .memory = m[PATTERN_BEGIN] },
                                     { .memory = m[PATTERN_NUMBERS] },
                                     { .memory = m[PATTERN_GIVEN] },
                                     { .memory = m[PATTERN_VALUE] },
                                     { .number = (uint32_t)p->entries } };
  if (p->ranks > 1) exchange(p);
  launch(p, ADD_UP, p->entries, arguments, 5);
  must(p, scan_sync(p->ctx));
}
