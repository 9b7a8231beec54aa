/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves between contexts, of one rank or of several: the elements of a block that begins in another context, and their
 * results. A context gives elements to at most one other context, and receives some from those after
 * it in the order of the scan. Elements and results go by the handle's transport, and segment flags, which are on the
 * host, by messages. */
#include "mpi/run.h"
#include "mpi/transport.h"

/* Returns the index of places in the held block's memory. */
static uint64_t held_index(const mpi_run *run, mpi_range places) {
  return scan_mpi_memory_of(&run->layout, places) - scan_mpi_memory_of(&run->layout, run->held) +
         (run->layout.backward ? 1 : 0);
}

/* Returns the segment flags of places of the held block. */
static unsigned char *held_flags_at(const mpi_run *run, mpi_range places) {
  return run->held_flags + held_index(run, places);
}

/* Copies the segment flags of this context's elements of some places. */
static scan_status copy_flags(const mpi_run *run, mpi_range places, unsigned char *to) {
  const uint64_t first = scan_mpi_memory_of(&run->layout, places) - run->layout.starts[run->mpi->context];
  return scan_mpi_flags_copy(run, first, scan_mpi_items(places), to);
}

/* ---- opening ---- */

/* Returns this context's own part of the block that it holds. */
static mpi_range own_part(const mpi_run *run) {
  return (mpi_range){ run->held.begin, run->held.end < run->places.end ? run->held.end : run->places.end };
}

/* Sets the lists to the plan's memory, and clears them. */
static void open_lists(const mpi_run *run, mpi_edges *e) {
  const uint64_t contexts = (uint64_t)run->mpi->contexts;
  const mpi_arrays *a = &run->plan->arrays;
  memset(a->numbers, 0, 4 * contexts * sizeof *a->numbers);
  *e = (mpi_edges){ .parts = a->parts,
                    .given_items = a->numbers,
                    .part_items = a->numbers + contexts,
                    .part_places = a->numbers + 2 * contexts,
                    .zeros = a->numbers + 3 * contexts };
}

static void add_part(const mpi_run *run, mpi_edges *e, int context, mpi_range places) {
  if (scan_mpi_items(places) == 0) return;
  e->parts[e->part_count++] = (mpi_held_part){ context, places };
  e->part_items[context] = scan_mpi_items(places);
  e->part_places[context] = held_index(run, places);
}

static void list_parts(const mpi_run *run, mpi_edges *e) {
  for (int c = 0; run->is_shared && c < run->mpi->contexts; c++) {
    mpi_range places = scan_mpi_places_of(&run->layout, c);
    if (c == run->mpi->context || scan_mpi_items(places) == 0) continue;
    if (places.begin < run->places.end) continue; /* before this context in the order of the scan */
    if (places.end > run->held.end) places.end = run->held.end;
    add_part(run, e, c, places);
  }
}

/* Lists the elements that this context gives, and copies their segment flags. */
static scan_status list_given(const mpi_run *run, mpi_edges *e) {
  e->given = scan_mpi_places_sent(&run->layout, run->mpi->context);
  const uint64_t items = scan_mpi_items(e->given);
  if (items == 0) return SCAN_SUCCESS;
  const mpi_piece piece = scan_mpi_piece_of(run, e->given, 0);
  e->taker = scan_mpi_owner_of(&run->layout, run->blocks.begin - 1);
  e->given_items[e->taker] = items;
  if (scan_mpi_has_segments(run)) {
    e->given_flags = run->plan->arrays.given_flags;
    MPI_TRY(copy_flags(run, e->given, e->given_flags));
  }
  MPI_TRY(scan_mpi_check_memory(run->mpi, piece.in, items * run->spec->in_bytes));
  if (run->spec->asked.kind == SCAN_TOTAL) return SCAN_SUCCESS;
  return scan_mpi_check_memory(run->mpi, piece.out, items * run->spec->out_bytes);
}

static scan_status open_held(mpi_run *run) {
  const mpi_range own = own_part(run);
  if (scan_mpi_items(run->held) == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(run->mpi, scan_mpi_piece_of(run, own, 1).in, scan_mpi_piece_of(run, own, 0).in,
                        scan_mpi_items(own) * run->spec->in_bytes));
  if (!scan_mpi_has_segments(run)) return SCAN_SUCCESS;
  run->held_flags = run->plan->arrays.held_flags;
  run->held_flags[0] = run->held_flags[scan_mpi_items(run->held)] = 0; /* the one that is no element's */
  return copy_flags(run, own, held_flags_at(run, own));
}

scan_status scan_mpi_edges_open(mpi_run *run) {
  open_lists(run, &run->edges);
  list_parts(run, &run->edges);
  MPI_TRY(list_given(run, &run->edges));
  return open_held(run);
}

/* ---- elements and results ---- */

/* Returns what a context sends and receives. is_back: results of the elements come back. */
static mpi_parcel parcel_of(const mpi_run *run, int is_back) {
  const mpi_edges *e = &run->edges;
  const mpi_piece given = scan_mpi_piece_of(run, e->given, 0);
  if (is_back)
    return (mpi_parcel){ run->plan->held_out.mem, given.out, e->part_items, e->part_places, e->given_items, e->zeros };
  return (mpi_parcel){ given.in, run->plan->held_in.mem, e->given_items, e->zeros, e->part_items, e->part_places };
}

/* Returns the most elements that a context gives to another one. */
static uint64_t most_given(const mpi_run *run) {
  uint64_t most = 0;
  for (int c = 0; c < run->mpi->contexts; c++) {
    const uint64_t items = scan_mpi_items(scan_mpi_places_sent(&run->layout, c));
    if (items > most) most = items;
  }
  return most;
}

static scan_status exchange_edges(mpi_run *runs, int is_back) {
  scan_mpi *mpi = runs->mpi;
  mpi_parcel *parcels = scan_mpi_parcels(mpi);
  for (int i = 0; i < mpi->own_contexts; i++) parcels[i] = parcel_of(&runs[i], is_back);
  return scan_mpi_exchange(mpi, parcels, is_back ? runs->spec->out_bytes : runs->spec->in_bytes, most_given(runs));
}

/* ---- segment flags ---- */

/* Two ranks may exchange messages of several contexts. Givers and takers are ordered alike, both sides begin messages
 * in that order, and MPI delivers them in it. */
static scan_status begin_flags(mpi_run *run, mpi_messages *messages) {
  scan_mpi *mpi = run->mpi;
  const mpi_edges *e = &run->edges;
  const uint64_t given = scan_mpi_items(e->given);
  const int rank = scan_mpi_rank_of(mpi, e->taker);
  for (int i = 0; i < e->part_count; i++)
    MPI_TRY(scan_mpi_receive(mpi, messages, held_flags_at(run, e->parts[i].places), scan_mpi_items(e->parts[i].places),
                             scan_mpi_rank_of(mpi, e->parts[i].context), TAG_FLAGS));
  if (given == 0) return SCAN_SUCCESS;
  if (rank != mpi->rank) mpi->handle->sent_bytes += given;
  return scan_mpi_send(mpi, messages, e->given_flags, given, rank, TAG_FLAGS);
}

static scan_status pass_flags(mpi_run *runs) {
  scan_mpi *mpi = runs->mpi;
  mpi_messages *messages = &runs->plan->messages;
  scan_status status = SCAN_SUCCESS;
  int is_abandoned = 0;
  for (int i = 0; status == SCAN_SUCCESS && i < mpi->own_contexts; i++)
    status = scan_mpi_own_words(runs[i].mpi, begin_flags(&runs[i], messages));
  return scan_mpi_messages_finish(mpi, messages, status, &is_abandoned);
}

scan_status scan_mpi_edges_send(mpi_run *runs) {
  if (!runs->has_edges) return SCAN_SUCCESS;
  MPI_TRY(exchange_edges(runs, 0));
  return scan_mpi_has_segments(runs) ? pass_flags(runs) : SCAN_SUCCESS;
}

scan_status scan_mpi_edges_return(mpi_run *runs) { return runs->has_edges ? exchange_edges(runs, 1) : SCAN_SUCCESS; }

/* ---- between messages and scans ---- */

/* Copies an element behind the block. It is read and never used; the block's own first element serves, because it is
 * valid. */
static scan_status add_element_behind(mpi_run *run) {
  const mpi_range first = { run->held.begin, run->held.begin + 1 }, behind = { run->held.end, run->held.end + 1 };
  return scan_mpi_copy(run->mpi, scan_mpi_piece_of(run, behind, 1).in, scan_mpi_piece_of(run, first, 1).in,
                       run->spec->in_bytes);
}

scan_status scan_mpi_edges_place(mpi_run *run) {
  scan_mpi *mpi = run->mpi;
  if (run->held_flags != NULL)
    MPI_TRY(scan_mpi_copy(mpi, run->plan->held_flags.mem, scan_host(run->held_flags), scan_mpi_items(run->held) + 1));
  return scan_mpi_items(run->held) > 0 ? add_element_behind(run) : SCAN_SUCCESS;
}

scan_status scan_mpi_edges_copy_out(mpi_run *run) {
  const mpi_range own = own_part(run);
  if (!run->is_shared || run->spec->asked.kind == SCAN_TOTAL) return SCAN_SUCCESS;
  return scan_mpi_copy(run->mpi, scan_mpi_piece_of(run, own, 0).out, scan_mpi_piece_of(run, own, 1).out,
                       scan_mpi_items(own) * run->spec->out_bytes);
}
