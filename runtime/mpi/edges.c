/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages between contexts, of one rank or of several: the elements of a block that begins in another context, and
 * their results. A context gives elements to at most one other context, and receives some from those after it in the
 * order of the scan. */
#include "mpi/run.h"

enum { TAG_ELEMENTS = 1, TAG_FLAGS = 2, TAG_RESULTS = 3 };

/* Another context's part of the block that this context holds. */
typedef struct part {
  int context;
  mpi_range places;
} part;

struct mpi_edges {
  mpi_range given; /* this context's places that another context scans */
  int taker;       /* the context that scans `given` */
  part *parts;     /* parts of others that this context scans */
  int part_count;
  char *given_bytes; /* host copy of given elements, later of their results, if MPI cannot take the caller's memory;
                        else NULL */
  char *held_bytes;  /* host copy of the block, for the same reason */
  MPI_Request *requests;
  char *is_send; /* of each request: 1: a send */
  MPI_Status *statuses;
  int request_count;
};

/* ---- addresses ---- */

/* Returns the address of places of the held block: in the host copy, or in the memory itself. */
static char *held_at(const mpi_run *run, const mpi_edges *e, mpi_range places, int is_out) {
  const uint64_t item = is_out ? run->spec->out_bytes : run->spec->in_bytes;
  const mpi_piece piece = scan_mpi_piece_of(run, places, 1);
  if (e->held_bytes == NULL) return scan_mpi_pointer(run->mpi, is_out ? piece.out : piece.in);
  return e->held_bytes +
         (scan_mpi_memory_of(&run->layout, places) - scan_mpi_memory_of(&run->layout, run->held)) * item;
}

static char *given_at(const mpi_run *run, const mpi_edges *e, int is_out) {
  const mpi_piece piece = scan_mpi_piece_of(run, e->given, 0);
  return e->given_bytes != NULL ? e->given_bytes : scan_mpi_pointer(run->mpi, is_out ? piece.out : piece.in);
}

/* Returns the segment flags of places of the held block. */
static unsigned char *held_flags_at(const mpi_run *run, mpi_range places) {
  return run->held_flags + (scan_mpi_memory_of(&run->layout, places) - scan_mpi_memory_of(&run->layout, run->held)) +
         (run->layout.backward ? 1 : 0);
}

static unsigned char *flags_at(const mpi_run *run, mpi_range places) {
  return run->segment_flags.bytes + (scan_mpi_memory_of(&run->layout, places) - run->layout.starts[run->mpi->context]);
}

/* ---- opening ---- */

/* Returns this context's own part of the block that it holds. */
static mpi_range own_part(const mpi_run *run) {
  return (mpi_range){ run->held.begin, run->held.end < run->places.end ? run->held.end : run->places.end };
}

static scan_status list_parts(mpi_run *run, mpi_edges *e) {
  const uint64_t messages = 2 * ((uint64_t)run->mpi->contexts + 1);
  e->parts = scan_mpi_allocate(run->mpi, (uint64_t)run->mpi->contexts, sizeof *e->parts);
  e->requests = scan_mpi_allocate(run->mpi, messages, sizeof(MPI_Request));
  e->statuses = scan_mpi_allocate(run->mpi, messages, sizeof(MPI_Status));
  e->is_send = scan_mpi_allocate(run->mpi, messages, 1);
  if (e->parts == NULL || e->requests == NULL || e->statuses == NULL || e->is_send == NULL) return SCAN_OUT_OF_MEMORY;
  for (int c = 0; run->is_shared && c < run->mpi->contexts; c++) {
    mpi_range places = scan_mpi_places_of(&run->layout, c);
    if (c == run->mpi->context || scan_mpi_items(places) == 0) continue;
    if (places.begin < run->places.end) continue; /* before this context in the order of the scan */
    if (places.end > run->held.end) places.end = run->held.end;
    if (scan_mpi_items(places) > 0) e->parts[e->part_count++] = (part){ c, places };
  }
  return SCAN_SUCCESS;
}

static uint64_t wider_item(const mpi_run *run) {
  return run->spec->in_bytes > run->spec->out_bytes ? run->spec->in_bytes : run->spec->out_bytes;
}

static scan_status open_given(mpi_run *run, mpi_edges *e) {
  e->given = scan_mpi_places_sent(&run->layout, run->mpi->context);
  const uint64_t items = scan_mpi_items(e->given);
  if (items == 0) return SCAN_SUCCESS;
  const mpi_piece piece = scan_mpi_piece_of(run, e->given, 0);
  e->taker = scan_mpi_owner_of(&run->layout, run->blocks.begin - 1);
  if (scan_mpi_pointer(run->mpi, piece.in) != NULL && scan_mpi_pointer(run->mpi, piece.out) != NULL)
    return scan_mpi_adopt_error(run->mpi,
                                scan_sync(run->mpi->ctx)); /* waits for work that the application has enqueued before */
  e->given_bytes = scan_mpi_allocate(run->mpi, items, wider_item(run));
  if (e->given_bytes == NULL) return SCAN_OUT_OF_MEMORY;
  return scan_mpi_copy(run->mpi, scan_host(e->given_bytes), piece.in, items * run->spec->in_bytes);
}

static scan_status open_held(mpi_run *run, mpi_edges *e) {
  scan_mpi *mpi = run->mpi;
  scan_mpi_plan *plan = run->plan;
  const uint64_t items = scan_mpi_items(run->held);
  const mpi_range own = own_part(run);
  if (items == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_reserve(mpi, &plan->held_in, (items + 1) * run->spec->in_bytes));
  MPI_TRY(scan_mpi_reserve(mpi, &plan->held_out, (items + 1) * run->spec->out_bytes));
  MPI_TRY(scan_mpi_copy(mpi, scan_mpi_piece_of(run, own, 1).in, scan_mpi_piece_of(run, own, 0).in,
                        scan_mpi_items(own) * run->spec->in_bytes));
  if (run->segment_flags.bytes != NULL) {
    MPI_TRY(scan_mpi_reserve(mpi, &plan->held_flags, items + 1));
    run->held_flags = scan_mpi_allocate(mpi, items + 1, 1);
    if (run->held_flags == NULL) return SCAN_OUT_OF_MEMORY;
    memcpy(held_flags_at(run, own), flags_at(run, own), scan_mpi_items(own));
  }
  if (!run->is_shared || scan_mpi_pointer(mpi, plan->held_in.mem) != NULL) return SCAN_SUCCESS;
  e->held_bytes = scan_mpi_allocate(mpi, items, wider_item(run));
  return e->held_bytes != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

scan_status scan_mpi_edges_open(mpi_run *run) {
  mpi_edges *e = scan_mpi_allocate(run->mpi, 1, sizeof *e);
  if (e == NULL) return SCAN_OUT_OF_MEMORY;
  run->edges = e;
  MPI_TRY(list_parts(run, e));
  MPI_TRY(open_given(run, e));
  return open_held(run, e);
}

void scan_mpi_edges_close(mpi_run *run) {
  mpi_edges *edges = run->edges;
  if (edges == NULL) return;
  if (!run->mpi->handle->has_strays) { /* else MPI may still read them */
    free(edges->given_bytes);
    free(edges->held_bytes);
  }
  free(edges->parts);
  free(edges->requests);
  free(edges->statuses);
  free(edges->is_send);
  free(edges);
}

/* ---- messages ---- */

/* Two ranks may exchange messages of several contexts. Givers and takers are ordered alike, both sides begin messages
 * in that order, and MPI delivers them in it. */

static scan_status send_to(mpi_run *run, const void *from, uint64_t bytes, int context, int tag) {
  scan_mpi *mpi = run->mpi;
  mpi_edges *e = run->edges;
  const int rank = scan_mpi_rank_of(mpi, context);
  if (rank != mpi->rank) mpi->handle->sent_bytes += bytes;
  MPI_TRY(MPI_CALL(mpi, MPI_Isend, from, (int)bytes, MPI_BYTE, rank, tag, mpi->comm, &e->requests[e->request_count]));
  e->is_send[e->request_count++] = 1;
  return SCAN_SUCCESS;
}

static scan_status receive_from(mpi_run *run, void *to, uint64_t bytes, int context, int tag) {
  scan_mpi *mpi = run->mpi;
  mpi_edges *e = run->edges;
  MPI_TRY(MPI_CALL(mpi, MPI_Irecv, to, (int)bytes, MPI_BYTE, scan_mpi_rank_of(mpi, context), tag, mpi->comm,
                   &e->requests[e->request_count]));
  e->is_send[e->request_count++] = 0;
  return SCAN_SUCCESS;
}

/* Undoes messages that were begun. A send that no rank receives any more can neither be waited for nor, in every MPI,
 * be cancelled: it is freed. */
static void drop_messages(mpi_edges *e, int count) {
  for (int i = 0; i < count; i++) {
    if (e->is_send[i]) {
      (void)MPI_Request_free(&e->requests[i]);
      continue;
    }
    (void)MPI_Cancel(&e->requests[i]);
    (void)MPI_Wait(&e->requests[i], &e->statuses[i]);
  }
}

/* Begins the messages of all of this rank's contexts. Waits for them if all ranks could begin all of theirs, else
 * undoes them. */
static scan_status pass(mpi_run *runs, mpi_step *begin) {
  scan_mpi *mpi = runs->mpi;
  scan_status status = SCAN_SUCCESS;
  for (int i = 0; status == SCAN_SUCCESS && i < mpi->own_contexts; i++)
    status = scan_mpi_own_words(runs[i].mpi, begin(&runs[i]));
  status = scan_mpi_agree(mpi, status);
  const scan_status all = status;
  for (int i = 0; i < mpi->own_contexts; i++) {
    mpi_edges *e = runs[i].edges;
    const int count = e->request_count;
    e->request_count = 0;
    if (all != SCAN_SUCCESS)
      drop_messages(e, count);
    else if (status == SCAN_SUCCESS)
      status = MPI_CALL(mpi, MPI_Waitall, count, e->requests, e->statuses);
  }
  if (all != SCAN_SUCCESS) mpi->has_strays = 1;
  return status;
}

static scan_status begin_sending(mpi_run *run) {
  const mpi_edges *e = run->edges;
  const uint64_t item = run->spec->in_bytes, given = scan_mpi_items(e->given);
  for (int i = 0; i < e->part_count; i++) {
    const int giver = e->parts[i].context;
    const mpi_range places = e->parts[i].places;
    const uint64_t items = scan_mpi_items(places);
    MPI_TRY(receive_from(run, held_at(run, e, places, 0), items * item, giver, TAG_ELEMENTS));
    if (run->held_flags != NULL) MPI_TRY(receive_from(run, held_flags_at(run, places), items, giver, TAG_FLAGS));
  }
  if (given > 0) MPI_TRY(send_to(run, given_at(run, e, 0), given * item, e->taker, TAG_ELEMENTS));
  if (given > 0 && run->segment_flags.bytes != NULL)
    MPI_TRY(send_to(run, flags_at(run, e->given), given, e->taker, TAG_FLAGS));
  return SCAN_SUCCESS;
}

static scan_status begin_returning(mpi_run *run) {
  const mpi_edges *e = run->edges;
  const uint64_t item = run->spec->out_bytes, given = scan_mpi_items(e->given);
  if (given > 0) MPI_TRY(receive_from(run, given_at(run, e, 1), given * item, e->taker, TAG_RESULTS));
  for (int i = 0; i < e->part_count; i++) {
    const part *p = &e->parts[i];
    MPI_TRY(send_to(run, held_at(run, e, p->places, 1), scan_mpi_items(p->places) * item, p->context, TAG_RESULTS));
  }
  return SCAN_SUCCESS;
}

scan_status scan_mpi_edges_send(mpi_run *runs) { return runs->has_edges ? pass(runs, begin_sending) : SCAN_SUCCESS; }

scan_status scan_mpi_edges_return(mpi_run *runs) {
  return runs->has_edges ? pass(runs, begin_returning) : SCAN_SUCCESS;
}

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
  const mpi_edges *e = run->edges;
  for (int i = 0; e->held_bytes != NULL && i < e->part_count; i++) {
    const mpi_range places = e->parts[i].places;
    MPI_TRY(scan_mpi_copy(mpi, scan_mpi_piece_of(run, places, 1).in, scan_host(held_at(run, e, places, 0)),
                          scan_mpi_items(places) * run->spec->in_bytes));
  }
  if (run->held_flags != NULL)
    MPI_TRY(scan_mpi_copy(mpi, run->plan->held_flags.mem, scan_host(run->held_flags), scan_mpi_items(run->held) + 1));
  return scan_mpi_items(run->held) > 0 ? add_element_behind(run) : SCAN_SUCCESS;
}

scan_status scan_mpi_edges_copy_out(mpi_run *run) {
  scan_mpi *mpi = run->mpi;
  const mpi_edges *e = run->edges;
  const mpi_range own = own_part(run);
  if (!run->is_shared || run->spec->asked.kind == SCAN_TOTAL) return SCAN_SUCCESS;
  for (int i = 0; e->held_bytes != NULL && i < e->part_count; i++) {
    const mpi_range places = e->parts[i].places;
    MPI_TRY(scan_mpi_copy(mpi, scan_host(held_at(run, e, places, 1)), scan_mpi_piece_of(run, places, 1).out,
                          scan_mpi_items(places) * run->spec->out_bytes));
  }
  return scan_mpi_copy(mpi, scan_mpi_piece_of(run, own, 0).out, scan_mpi_piece_of(run, own, 1).out,
                       scan_mpi_items(own) * run->spec->out_bytes);
}

scan_status scan_mpi_edges_deliver(mpi_run *run) {
  const mpi_edges *e = run->edges;
  if (e->given_bytes == NULL) return SCAN_SUCCESS;
  return scan_mpi_copy(run->mpi, scan_mpi_piece_of(run, e->given, 0).out, scan_host(e->given_bytes),
                       scan_mpi_items(e->given) * run->spec->out_bytes);
}
