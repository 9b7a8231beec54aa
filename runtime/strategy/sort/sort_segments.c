/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting segments. One launch sorts the segments that fit in a tile and lists the larger ones in a table. For those
 * there are three launches a pass; or one that sorts their tiles, and one for each round of merging
 * (kernels_cl/sort/sort_segments.h). */
#include "kernels_cl/sort/sort_segments.h"

#include "device/arguments.h"
#include "strategy/select/select.h"
#include "strategy/sort/sort.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(SORT_SEGMENTS_ARGUMENTS);

/* Work-groups that process the table, for each compute unit. */
enum { TABLE_GROUPS_A_UNIT = 8, TABLE_ITEMS_A_UNIT = 4 };
/* Keys of a work-item's segments on devices that end loops: a work-item loops over each key about 90 times at most. */
enum { ITEM_KEYS_BOUNDED = 256 };

typedef struct segments_shape {
  uint32_t group_items, tile, step; /* keys of a tile; a work-group takes the segments that begin in `step` keys */
  uint32_t kept;                    /* the largest segment that is sorted without the table */
} segments_shape;

/* Merging needs 32 work-items that vote and shuffle. */
int scan_sort_segments_are_merged(const scan_caps *caps) {
  return caps->info.backend == SCAN_BACKEND_CUDA ||
         (caps->tuning.exchange == SCAN_EXCHANGE_PTX && caps->tuning.group_items > 1);
}

/* Rounds of merging that the largest segment of n keys needs. */
static uint32_t merges_of(const scan_sort_form *form, uint32_t tile, uint64_t n) {
  const uint64_t items = form->most_segment_items != 0 && form->most_segment_items < n ? form->most_segment_items : n;
  uint32_t merges = 0;
  while ((uint64_t)tile << merges < items) merges++;
  return merges;
}

static segments_shape segments_shape_of(const scan_caps *caps, const scan_sort_form *form, uint64_t n) {
  const uint32_t group_items = caps->tuning.group_items, tile = scan_sort_tile_items(caps, form, n);
  const uint32_t most = form->most_segment_items;
  segments_shape shape = { group_items, tile, tile, tile };
  if (group_items == 1) {
    if (caps->loop_limit != 0) shape.step = shape.kept = ITEM_KEYS_BOUNDED;
  } else {
    shape.step = most != 0 && most < tile - SEGMENTS_STEP(tile) ? tile - most : SEGMENTS_STEP(tile);
  }
  return shape;
}

/* 1 if there may be segments that the first launch does not sort. */
static int has_table(const segments_shape *shape, const scan_sort_form *form) {
  return form->most_segment_items == 0 || form->most_segment_items > shape->kept;
}

int scan_sort_segments_have_table(const scan_caps *caps, const scan_sort_form *form, uint64_t n) {
  const segments_shape shape = segments_shape_of(caps, form, n);
  return scan_sort_has_segments(form) && !scan_sort_is_by_threads(caps) && has_table(&shape, form);
}

/* Rows of the table for n keys. */
static uint32_t rows_of(const segments_shape *shape, uint64_t n) {
  return (uint32_t)SEGMENTS_MOST_ROWS(n, shape->kept);
}

/* The largest number of rows for any n up to max_n. If the tile grows with n, the n with most tiles needs a row for
 * each. */
static uint32_t most_rows(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const segments_shape small = segments_shape_of(caps, form, 0), large = segments_shape_of(caps, form, max_n);
  if (!scan_sort_segments_have_table(caps, form, 0)) return 0;
  const uint32_t rows = rows_of(&large, max_n);
  if (large.kept == small.kept) return rows;
  return scan_sort_most_tiles(caps, form, max_n) > rows ? (uint32_t)scan_sort_most_tiles(caps, form, max_n) : rows;
}

uint64_t scan_sort_segments_number_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const uint64_t number = max_n > UINT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t);
  if (scan_sort_segments_are_merged(caps)) return 0;
  return SEGMENTS_NUMBERS((uint64_t)most_rows(caps, form, max_n)) * number;
}

uint64_t scan_sort_segments_table_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  return SEGMENTS_WORDS((uint64_t)most_rows(caps, form, max_n)) * sizeof(uint64_t);
}

uint64_t scan_sort_segments_limit(const scan_caps *caps, const scan_sort_form *form) {
  const segments_shape shape = segments_shape_of(caps, form, 0);
  if (caps->loop_limit == 0) return INT32_MAX / 4 * (uint64_t)shape.step;
  return caps->loop_limit / (2 * SORT_DIGITS) * (uint64_t)shape.tile;
}

static scan_launch segments_step(const segments_shape *shape, const scan_sort_form *form, const char *kernel,
                                 uint64_t n, uint64_t groups) {
  return (scan_launch){ .launch = { .file = "sort_segments.cl",
                                    .kernel = kernel,
                                    .arguments = &arguments,
                                    .groups = (uint32_t)groups,
                                    .items_per_group = shape->group_items },
                        .flags = form->offset_bytes == sizeof(uint64_t) ? SORT_WIDE_OFFSETS : 0u,
                        .type = scan_select_moved_type(scan_sort_key_bytes(form)),
                        .tile_items = shape->tile,
                        .tiles = has_table(shape, form) ? rows_of(shape, n) : 0, /* whatever most_segment_items is */
                        .step_items = shape->step,
                        .array = SCAN_NO_ARRAY };
}

/* Work-groups, each of which takes the segments that begin in its `step` keys. */
static uint64_t groups_of(const segments_shape *shape, uint64_t n) { return n / shape->step + (n % shape->step != 0); }

/* Work-groups that share at most `most` units of work. */
static uint64_t sharing(const scan_caps *caps, uint64_t most) {
  const uint32_t a_unit = scan_sort_is_by_items(caps) ? TABLE_ITEMS_A_UNIT : TABLE_GROUPS_A_UNIT;
  const uint64_t groups = (uint64_t)caps->info.compute_units * a_unit;
  return caps->loop_limit != 0 || most < groups ? most : groups;
}

static int add_pass(const scan_caps *caps, const segments_shape *shape, const scan_sort_form *form, uint64_t n,
                    uint32_t pass, scan_launch *steps) {
  const uint64_t rows = rows_of(shape, n), tiles = SEGMENTS_MOST_TILES(rows);
  const uint64_t shared = n / shape->tile / SEGMENTS_FEW_TILES * SORT_DIGITS;
  int count = 0;
  if (pass < SORT_PASSES(form->first_bit, form->end_bit)) {
    steps[count++] = segments_step(shape, form, "sort_segments_count", n, sharing(caps, tiles));
    steps[count++] =
        segments_step(shape, form, "sort_segments_places", n, sharing(caps, rows > shared ? rows : shared));
  }
  steps[count++] = segments_step(shape, form, "sort_segments_move", n, sharing(caps, tiles));
  for (int i = 0; i < count; i++) steps[i].pass = pass;
  return count;
}

/* Writes the launches of merging: sort segments within tiles, sort the table's tiles, then merge pairs of parts, round
 * by round. */
static int merge_steps(const scan_caps *caps, const segments_shape *shape, const scan_sort_form *form, uint64_t n,
                       scan_launch *steps) {
  const uint64_t groups = sharing(caps, SEGMENTS_MOST_TILES((uint64_t)rows_of(shape, n)));
  const uint32_t merges = has_table(shape, form) ? merges_of(form, shape->tile, n) + 1 : 0;
  for (uint32_t pass = 0; pass <= merges; pass++) {
    steps[pass] = segments_step(shape, form, pass > 1    ? "sort_segments_merge"
                                              : pass == 1 ? "sort_segments_tiles"
                                                          : "sort_segments_runs", n,
                                pass == 0 ? groups_of(shape, n) : groups);
    steps[pass].launch.file = "sort_segments_runs.cl";
    steps[pass].pass = pass > 1 ? pass - 1 : pass;
  }
  return (int)merges + 1;
}

int scan_sort_segments_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, int in_place,
                             scan_launch *steps) {
  const segments_shape shape = segments_shape_of(caps, form, n);
  const uint32_t slots = SORT_SLOTS(form->first_bit, form->end_bit, in_place);
  int count = 0;
  if (scan_sort_segments_are_merged(caps)) return merge_steps(caps, &shape, form, n, steps);
  steps[count++] = segments_step(&shape, form, "sort_segments", n, groups_of(&shape, n));
  for (uint32_t pass = 0; pass < slots && has_table(&shape, form); pass++)
    count += add_pass(caps, &shape, form, n, pass, steps + count);
  return count;
}
