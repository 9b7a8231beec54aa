/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/layout.h"

uint64_t scan_mpi_blocks(uint64_t n, uint64_t filled_contexts, mpi_cut cut) {
  if (cut.group_items == 0) return filled_contexts;
  const uint64_t whole = n / cut.group_items, rest = n % cut.group_items;
  return whole == 0 ? rest > 0 : whole + (rest > cut.tail_items);
}

static uint64_t count_filled(const mpi_layout *layout) {
  uint64_t filled_contexts = 0;
  for (int c = 0; c < layout->contexts; c++) filled_contexts += layout->starts[c] < layout->starts[c + 1];
  return filled_contexts;
}

/* Makes a block of each context's part, in the order of the scan. */
static void cut_by_contexts(mpi_layout *layout) {
  uint64_t k = 0;
  for (int i = 0; i < layout->contexts; i++) {
    const mpi_range places = scan_mpi_places_of(layout, layout->backward ? layout->contexts - 1 - i : i);
    if (scan_mpi_items(places) > 0) layout->block_starts[k++] = places.begin;
  }
}

void scan_mpi_layout_cut(mpi_layout *layout, mpi_cut cut) {
  layout->blocks = scan_mpi_blocks(layout->n, count_filled(layout), cut);
  for (uint64_t k = 0; k < layout->blocks; k++) layout->block_starts[k] = k * cut.group_items;
  if (cut.group_items == 0) cut_by_contexts(layout);
  layout->block_starts[layout->blocks] = layout->n;
}

mpi_range scan_mpi_places_of(const mpi_layout *layout, int context) {
  const uint64_t first = layout->starts[context], end = layout->starts[context + 1];
  if (layout->backward) return (mpi_range){ layout->n - end, layout->n - first };
  return (mpi_range){ first, end };
}

/* Returns the first block that begins at `place` or after it. */
static uint64_t block_from(const mpi_layout *layout, uint64_t place) {
  uint64_t low = 0, high = layout->blocks;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (layout->block_starts[middle] < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

mpi_range scan_mpi_blocks_of(const mpi_layout *layout, int context) {
  const mpi_range places = scan_mpi_places_of(layout, context);
  return (mpi_range){ block_from(layout, places.begin), block_from(layout, places.end) };
}

int scan_mpi_owner_of(const mpi_layout *layout, uint64_t block) {
  int low = 0, high = layout->contexts - 1;
  const uint64_t place = layout->block_starts[block];
  const uint64_t at = layout->backward ? layout->n - 1 - place : place; /* index in memory's order */
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (layout->starts[middle] <= at)
      low = middle;
    else
      high = middle - 1;
  }
  return low; /* the last context that begins there or before; empty contexts are skipped */
}

mpi_range scan_mpi_places_sent(const mpi_layout *layout, int context) {
  const mpi_range places = scan_mpi_places_of(layout, context);
  const uint64_t first = layout->block_starts[scan_mpi_blocks_of(layout, context).begin];
  return (mpi_range){ places.begin, first < places.end ? first : places.end };
}
