/* SPDX-License-Identifier: BSD-2-Clause */
#include "sorted_parts.h"

static int are_equal(const reference_item *a, const reference_item *b) {
  return a->upper == b->upper && a->rank == b->rank;
}

/* Returns the end of the equal keys around a place that is nearer; the place itself if the keys beside it differ. */
static uint64_t nearer_end(const reference_item *sorted, uint64_t n, uint64_t place) {
  uint64_t first = place, end = place;
  if (place == 0 || place == n || !are_equal(&sorted[place - 1], &sorted[place])) return place;
  while (first > 0 && are_equal(&sorted[first - 1], &sorted[place])) first--;
  while (end < n && are_equal(&sorted[end], &sorted[place])) end++;
  return place - first > (end - first) / 2 ? end : first;
}

void sorted_starts(const reference_item *sorted, uint64_t n, scan_mpi_distribution distribution, int ranks,
                   const uint64_t *counts, uint64_t *starts) {
  const uint64_t members = (uint64_t)ranks;
  starts[0] = 0;
  for (uint64_t r = 0; r < members; r++)
    starts[r + 1] = starts[r] + (distribution == SCAN_MPI_AS_GIVEN ? counts[r] : (n + members - 1 - r) / members);
  for (uint64_t r = 1; distribution == SCAN_MPI_BY_KEY && r < members; r++)
    starts[r] = nearer_end(sorted, n, starts[r]);
}
