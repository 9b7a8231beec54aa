/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements moved between ranks so that each has as many as it asks for, in their order. */
#include "mpi/transport.h"

/* The elements of a rank, before and after. */
typedef struct mpi_holding {
  uint64_t local_n, wanted_n;
} mpi_holding;

typedef struct mpi_redistribution {
  scan_mpi *mpi;
  uint64_t element_bytes;
  mpi_holding *holdings; /* of each rank */
  uint64_t *sends, *send_places, *receives, *receive_places;
  mpi_holding own;
  scan_mpi_part before, after;
} mpi_redistribution;

/* ---- checks ---- */

static scan_status check_memory(scan_mpi *mpi, scan_mem mem, uint64_t items, uint64_t element_bytes, const char *name) {
  if (items == 0) return SCAN_SUCCESS;
  if (items > INT64_MAX / element_bytes)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s has %llu elements: more than an address can reach", name,
                         (unsigned long long)items);
  if (mem.kind == SCAN_MEM_NONE || mem.handle == NULL)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s is no memory", name);
  return scan_mpi_check_memory(mpi, mem, items * element_bytes);
}

/* Checks a call for this rank alone, and allocates numbers of all ranks. */
static scan_status open_redistribution(mpi_redistribution *r, scan_mem in, scan_mem out) {
  scan_mpi *mpi = r->mpi;
  const uint64_t ranks = (uint64_t)mpi->ranks;
  if (r->element_bytes == 0) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "element_bytes is 0");
  MPI_TRY(check_memory(mpi, in, r->own.local_n, r->element_bytes, "in"));
  MPI_TRY(check_memory(mpi, out, r->own.wanted_n, r->element_bytes, "out"));
  r->holdings = scan_mpi_allocate(mpi, ranks, sizeof *r->holdings);
  r->sends = scan_mpi_allocate(mpi, 4 * ranks, sizeof *r->sends);
  if (r->holdings == NULL || r->sends == NULL) return SCAN_OUT_OF_MEMORY;
  r->send_places = r->sends + ranks;
  r->receives = r->sends + 2 * ranks;
  r->receive_places = r->sends + 3 * ranks;
  return SCAN_SUCCESS;
}

/* ---- places ---- */

/* Exchanges the numbers of elements, and finds this rank's places among all. */
static scan_status find_places(mpi_redistribution *r) {
  scan_mpi *mpi = r->mpi;
  uint64_t n = 0, wanted = 0;
  MPI_TRY(MPI_CALL(mpi, MPI_Allgather, &r->own, (int)sizeof r->own, MPI_BYTE, r->holdings, (int)sizeof r->own, MPI_BYTE,
                   mpi->comm));
  for (int k = 0; k < mpi->ranks; k++) {
    if (k == mpi->rank) r->before.offset = n;
    if (k == mpi->rank) r->after.offset = wanted;
    n += r->holdings[k].local_n;
    wanted += r->holdings[k].wanted_n;
  }
  r->before = (scan_mpi_part){ r->own.local_n, r->before.offset, n };
  r->after = (scan_mpi_part){ r->own.wanted_n, r->after.offset, wanted };
  if (n == wanted) return SCAN_SUCCESS;
  return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                       "wanted_n of all ranks is %llu together, and they have %llu elements",
                       (unsigned long long)wanted, (unsigned long long)n);
}

/* Finds the elements that two ranges have in common. @param[out] place  of the first one in range `a` */
static uint64_t overlap(const scan_mpi_part *a, uint64_t offset, uint64_t count, uint64_t *place) {
  const uint64_t first = offset > a->offset ? offset : a->offset;
  const uint64_t a_end = a->offset + a->count, end = offset + count < a_end ? offset + count : a_end;
  *place = first < end ? first - a->offset : 0;
  return first < end ? end - first : 0;
}

static void find_pieces(mpi_redistribution *r) {
  uint64_t offset = 0, wanted_offset = 0;
  for (int k = 0; k < r->mpi->ranks; k++) {
    const mpi_holding *other = &r->holdings[k];
    r->sends[k] = overlap(&r->before, wanted_offset, other->wanted_n, &r->send_places[k]);
    r->receives[k] = overlap(&r->after, offset, other->local_n, &r->receive_places[k]);
    offset += other->local_n;
    wanted_offset += other->wanted_n;
  }
}

static scan_status redistribute(mpi_redistribution *r, scan_mem in, scan_mem out) {
  MPI_TRY(scan_mpi_same(r->mpi, r->element_bytes, "element_bytes"));
  MPI_TRY(find_places(r));
  find_pieces(r);
  const mpi_parcel parcel = { in, out, r->sends, r->send_places, r->receives, r->receive_places };
  return scan_mpi_exchange_ranks(r->mpi, &parcel, r->element_bytes, 0);
}

scan_status scan_mpi_redistribute(scan_mpi *mpi, uint32_t element_bytes, uint64_t local_n, scan_mem in,
                                  uint64_t wanted_n, scan_mem out, scan_mpi_part *part) {
  mpi_redistribution r = { .mpi = mpi, .element_bytes = element_bytes, .own = { local_n, wanted_n } };
  MPI_TRY(scan_mpi_begin(mpi));
  scan_status status = scan_mpi_agree(mpi, open_redistribution(&r, in, out));
  if (status == SCAN_SUCCESS) status = redistribute(&r, in, out);
  if (status == SCAN_SUCCESS && part != NULL) *part = r.after;
  free(r.holdings);
  free(r.sends);
  return status;
}
