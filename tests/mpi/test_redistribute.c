/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests scan_mpi_redistribute against the elements of all ranks, which every rank has. $SCANRT_TEST_CASES is the number
 * of cases. */
#include <stdlib.h>
#include <string.h>

#include "group.h"

enum { POISON = 0xa5, ROOM = 16, MOST_N = 20000, N = 10 };

static void test_case(group *g, struct rng *rng) {
  static const uint32_t sizes[] = { 1, 2, 3, 4, 8, 12, 24, 64 };
  uint64_t counts[GROUP_MOST_RANKS], wanted[GROUP_MOST_RANKS], first = 0, offset = 0, others = 0;
  const uint64_t bytes = sizes[rng_below(rng, 8)], n = rng_below(rng, rng_below(rng, 4) ? MOST_N : N);
  const int in_on_device = (int)rng_below(rng, 2), out_on_device = (int)rng_below(rng, 2);
  scan_mpi_part part = { 0 };
  group_split(g->ranks, rng, n, 0, counts);
  group_split(g->ranks, rng, n, 0, wanted);
  unsigned char *all = group_allocate(n * bytes + 1);
  for (uint64_t i = 0; i < n * bytes; i++) all[i] = (unsigned char)rng_next(rng);
  for (int r = 0; r < g->rank; r++) first += counts[r];
  for (int r = 0; r < g->rank; r++) offset += wanted[r];
  const uint64_t room = wanted[g->rank] * bytes + ROOM, end = first + counts[g->rank];
  for (uint64_t i = first; i < end; i++) others += i < offset || i >= offset + wanted[g->rank];
  unsigned char *got = group_allocate(room);
  memset(got, POISON, room);
  const scan_mem in = group_give(g, all + first * bytes, counts[g->rank] * bytes, in_on_device);
  const scan_mem out = group_give(g, got, room, out_on_device);
  const scan_status status =
      scan_mpi_redistribute(g->mpi, (uint32_t)bytes, counts[g->rank], in, wanted[g->rank], out, &part);
  group_read_back(g, in, all + first * bytes, counts[g->rank] * bytes);
  group_read_back(g, out, got, room);
  group_check(g, status == SCAN_SUCCESS, "%s", scan_mpi_last_error(g->mpi));
  group_check(g, part.count == wanted[g->rank] && part.offset == offset && part.total == n, "the place of the part");
  group_check(g, scan_mpi_sent_bytes(g->mpi) == others * bytes, "%llu bytes were sent, not %llu",
              (unsigned long long)scan_mpi_sent_bytes(g->mpi), (unsigned long long)(others * bytes));
  group_check(g, memcmp(got, all + offset * bytes, room - ROOM) == 0, "elements of %llu bytes differ",
              (unsigned long long)bytes);
  for (uint64_t i = 0; i < ROOM; i++) group_check(g, got[room - ROOM + i] == POISON, "a write past the end");
  free(all);
  free(got);
}

/* Checks that a call was refused on all ranks, in words of rank `who`; -1: of all ranks. */
static void check_refused(group *g, const char *what, scan_status status, int who, const char *words) {
  const char *text = scan_mpi_last_error(g->mpi);
  group_check(g, status == SCAN_INVALID_ARGUMENT, "%s: status %d", what, (int)status);
  group_check(g, strstr(text, words) != NULL, "%s: \"%s\"", what, text);
  group_check(g, who < 0 || (strncmp(text, "rank ", 5) == 0 && atoi(text + 5) == who), "%s: \"%s\"", what, text);
}

static void test_refusals(group *g, int who) {
  static uint64_t from[N], to[N + 1];
  const scan_mem in = scan_host(from), out = scan_host(to), none = SCAN_NO_MEM;
  const int is_it = g->rank == who;
  check_refused(g, "too many", scan_mpi_redistribute(g->mpi, 8, N, in, N + (is_it ? 1u : 0u), out, NULL), -1,
                "wanted_n of all ranks is");
  check_refused(g, "no input", scan_mpi_redistribute(g->mpi, 8, N, is_it ? none : in, N, out, NULL), who,
                "in is no memory");
  check_refused(g, "no output", scan_mpi_redistribute(g->mpi, 8, N, in, N, is_it ? none : out, NULL), who,
                "out is no memory");
  check_refused(g, "no bytes", scan_mpi_redistribute(g->mpi, is_it ? 0 : 8, N, in, N, out, NULL), who,
                "element_bytes is 0");
  check_refused(g, "no address", scan_mpi_redistribute(g->mpi, 8, is_it ? UINT64_MAX : N, in, N, out, NULL), who,
                "in has 18446744073709551615 elements");
  if (who > 0)
    check_refused(g, "other elements", scan_mpi_redistribute(g->mpi, is_it ? 4 : 8, N, in, N, out, NULL), who,
                  "element_bytes is another one than rank 0's");
  group_check(g, scan_mpi_redistribute(NULL, 8, N, in, N, out, NULL) == SCAN_INVALID_ARGUMENT, "no handle");
  group_check_works(g, g->mpi, "refusals");
}

int main(int argc, char **argv) {
  group g;
  const char *cases = getenv("SCANRT_TEST_CASES");
  group_open(&g, &argc, &argv);
  struct rng rng = { 7 };
  for (int i = cases != NULL ? atoi(cases) : 100; i > 0; i--) test_case(&g, &rng);
  for (int who = 0; who < g.ranks; who++) test_refusals(&g, who);
  return group_close(&g, "mpi redistribute");
}
