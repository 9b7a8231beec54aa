/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting segments. One launch sorts the segments that fit in a tile and lists the larger ones in a table. For those
 * there are three launches a pass; or one for those that fit a larger tile, two that count digits, and one a pass,
 * whose work-groups look back (kernels_cl/sort/sort_segments.h). */
#include "kernels_cl/sort/sort_segments.h"

#include "device/arguments.h"
#include "strategy/select/select.h"
#include "strategy/sort/sort.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(SORT_SEGMENTS_ARGUMENTS);

/* Work-groups that process the table, for each compute unit. */
enum { TABLE_GROUPS_A_UNIT = 8, TABLE_ITEMS_A_UNIT = 4 };
/* Keys of a work-item, on average, and work-groups a compute unit, at most, of the launch by warps. Few keys are spread
 * over as many work-groups as there are compute units, with WARP_GROUP_LEAST keys each. */
enum { WARP_GROUP_KEYS = 16, WARP_GROUPS_A_UNIT = 64, WARP_GROUP_LEAST = 256 };
/* Keys of a work-item's segments on devices that end loops: a work-item loops over each key about 90 times at most. */
enum { ITEM_KEYS_BOUNDED = 256 };
/* Warps sort segments if these have on average this part of the keys of a run. */
enum { SMALL_PART = 2 };
/* Work-groups of sort_segments_held.cl that a multiprocessor has room for. */
enum { HELD_GROUPS_A_UNIT = 2 };
/* The most launches of all passes where work-groups look back. */
enum { MOST_PASS_LAUNCHES = 48 };
_Static_assert(SEGMENTS_TICKET(MOST_PASS_LAUNCHES) <= SEGMENTS_COUNTER_BYTES / 4, "each launch has a ticket");

typedef struct segments_shape {
  uint32_t group_items, tile, step; /* keys of a tile; a work-group takes the segments that begin in `step` keys */
  uint32_t kept;                    /* the largest segment that is sorted without the table */
  uint32_t run;                     /* the largest segment that warps sort; 0: they sort none */
  uint32_t table_tile;              /* keys of the table's tiles */
  uint32_t held_items, held;  /* where work-groups look back: work-items that sort a listed segment, its most keys, or
                                 0 if all listed segments become rows */
  uint32_t looks_back, value; /* 1: work-groups look back; bytes of a value */
  uint32_t sweeps;            /* 1: passes are CUDA's onesweep */
  uint64_t max_n;
} segments_shape;

typedef enum segments_kernel {
  DIGITS_WARPS,
  DIGITS_HELD,
  DIGITS_NOTE,
  DIGITS_SUMS,
  DIGITS_STARTS,
  DIGITS_LOOKBACK,
  DIGITS_KERNELS
} segments_kernel;

/* 1 if group_items work-items have room for a tile of keys in local memory. */
static int has_room(const scan_caps *caps, uint32_t key, uint32_t value) {
  const uint64_t there = caps->info.local_memory_bytes;
  const uint32_t items = caps->tuning.group_items, held = SORT_HELD_BYTES(items, key, value);
  const uint32_t counters = SORT_ROW_BYTES(key);
  return held <= there && counters <= there;
}

/* Work-groups that look back need 32 work-items that vote and shuffle, and a work-item a digit. A wait that takes too
 * long ends, and the missing number is counted, so that no fair progress is asked for. */
int scan_sort_segments_look_back(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const int votes = caps->info.backend == SCAN_BACKEND_CUDA || caps->tuning.exchange == SCAN_EXCHANGE_PTX;
  if (!votes || caps->tuning.group_items < SORT_DIGITS || caps->loop_limit != 0) return 0;
  return caps->info.backend == SCAN_BACKEND_CUDA ||
         has_room(caps, scan_sort_key_bytes(form), scan_sort_values_of(form, max_n).bytes);
}

static segments_shape segments_shape_of(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n) {
  const uint32_t group_items = caps->tuning.group_items, tile = scan_sort_tile_items(caps, form, n);
  const uint32_t most = form->most_segment_items, key = scan_sort_key_bytes(form);
  const uint32_t value = scan_sort_values_of(form, max_n).bytes;
  segments_shape shape = { group_items, tile, tile, tile, 0, tile, group_items, tile, 0, value, 0, max_n };
  if (group_items == 1) {
    if (caps->loop_limit != 0) shape.step = shape.kept = ITEM_KEYS_BOUNDED;
  } else {
    shape.step = most != 0 && most < tile - SEGMENTS_STEP(tile) ? tile - most : SEGMENTS_STEP(tile);
  }
  shape.looks_back = (uint32_t)scan_sort_segments_look_back(caps, form, max_n);
  if (shape.looks_back) {
    const int is_cuda = caps->info.backend == SCAN_BACKEND_CUDA;
    if (is_cuda) shape.held_items = SORT_HELD_ITEMS;
    shape.table_tile = scan_sort_onesweep_tile_items(caps, form, max_n);
    shape.sweeps = shape.table_tile != 0;
    if (!shape.sweeps) shape.table_tile = group_items * SORT_LOOK_KEYS(key, value);
    shape.held = shape.held_items * SORT_HELD_KEYS(shape.held_items, key, value);
    if (is_cuda && SORT_HELD_BYTES(shape.held_items, key, value) > caps->dynamic_local_bytes) shape.held = 0;
    if (SEGMENTS_WARPS_BYTES(group_items, key) <= caps->info.local_memory_bytes)
      shape.run = 32 * SEGMENTS_RUN_KEYS(key);
    if (shape.held == 0 && (most == 0 || most > shape.run)) shape.run = 0;
  }
  return shape;
}

/* The fewest keys of a listed segment, for any first launch. */
static uint32_t least_listed(const segments_shape *shape) {
  return shape->run != 0 && shape->run < shape->kept ? shape->run : shape->kept;
}

/* 1 if there may be segments that the first launch does not sort. */
static int has_table(const segments_shape *shape, const scan_sort_form *form) {
  const uint32_t sorted = shape->looks_back ? least_listed(shape) : shape->kept;
  return form->most_segment_items == 0 || form->most_segment_items > sorted;
}

/* 1 if there may be segments that are rows of the table. */
static int has_rows(const segments_shape *shape, const scan_sort_form *form) {
  const uint32_t sorted = shape->held > shape->kept ? shape->held : shape->kept;
  return form->most_segment_items == 0 || form->most_segment_items > sorted;
}

scan_sort_segments_kind scan_sort_segments_kind_of(const scan_caps *caps, const scan_sort_form *form, uint64_t n,
                                                   uint64_t max_n, uint64_t segments, int in_place) {
  if (!scan_sort_has_segments(form) || scan_sort_is_by_threads(caps) || segments == 0) return SCAN_SEGMENTS_BY_TILES;
  const segments_shape shape = segments_shape_of(caps, form, n, max_n);
  if (shape.run != 0 && n / segments <= shape.run / SMALL_PART) return SCAN_SEGMENTS_BY_WARPS;
  const int by_groups = caps->info.backend == SCAN_BACKEND_CUDA && shape.held > shape.kept;
  const uint64_t at_once = (uint64_t)caps->info.compute_units * HELD_GROUPS_A_UNIT;
  const int are_few = !has_rows(&shape, form) && segments <= at_once;
  if (!in_place && scan_sort_segments_are_ranked(caps, form, n, segments)) return SCAN_SEGMENTS_RANKED;
  return by_groups && (are_few || n / segments > shape.kept) ? SCAN_SEGMENTS_BY_GROUPS : SCAN_SEGMENTS_BY_TILES;
}

int scan_sort_segments_have_table(const scan_caps *caps, const scan_sort_form *form, uint64_t n,
                                  scan_sort_segments_kind kind) {
  if (!scan_sort_has_segments(form) || scan_sort_is_by_threads(caps) || kind == SCAN_SEGMENTS_RANKED) return 0;
  const segments_shape shape = segments_shape_of(caps, form, n, n);
  return kind == SCAN_SEGMENTS_BY_GROUPS ? has_rows(&shape, form) : has_table(&shape, form);
}

/* The tiles of a row, if work-groups look back. */
static uint32_t part_tiles_of(const scan_caps *caps, const segments_shape *shape, uint64_t n) {
  const uint64_t most = SORT_PART_MOST / shape->table_tile, some = n / shape->table_tile / caps->tuning.sort_parts + 1;
  return (uint32_t)(caps->tuning.sort_parts > 1 && some < most ? some : most);
}

/* Rows of the table for n keys. Where work-groups look back, a segment has a row for each part. */
static uint32_t rows_of(const scan_caps *caps, const segments_shape *shape, uint64_t n) {
  const uint32_t held = shape->looks_back && shape->held > shape->kept ? shape->held : shape->kept;
  const uint64_t rows = SEGMENTS_MOST_ROWS(n, held < shape->table_tile ? held : shape->table_tile);
  const uint64_t parts = SEGMENTS_MOST_TILES(rows) / (SORT_PART_MOST / shape->table_tile);
  const uint64_t asked = caps->tuning.sort_parts > 1 ? 4 * (uint64_t)caps->tuning.sort_parts : 0;
  return (uint32_t)(shape->looks_back ? rows + parts + asked : rows);
}

/* The largest number of rows for any n up to max_n. If the tile grows with n, the n with most tiles needs a row for
 * each. */
static uint32_t most_rows(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const segments_shape small = segments_shape_of(caps, form, 0, max_n);
  const segments_shape large = segments_shape_of(caps, form, max_n, max_n);
  if (!scan_sort_segments_have_table(caps, form, 0, SCAN_SEGMENTS_BY_TILES)) return 0;
  const uint32_t rows = rows_of(caps, &large, max_n);
  if (large.kept == small.kept) return rows;
  return scan_sort_most_tiles(caps, form, max_n) > rows ? (uint32_t)scan_sort_most_tiles(caps, form, max_n) : rows;
}

uint64_t scan_sort_segments_number_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const segments_shape shape = segments_shape_of(caps, form, max_n, max_n);
  const uint64_t number = max_n > UINT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t);
  const uint64_t rows = most_rows(caps, form, max_n), passes = SORT_PASSES(form->first_bit, form->end_bit);
  if (!shape.looks_back) return SEGMENTS_NUMBERS(rows) * number;
  if (!has_rows(&shape, form)) return 0;
  return SEGMENTS_COUNTS(rows, passes) * number + 2 * SEGMENTS_STATE_WORDS(rows) * sizeof(uint32_t);
}

uint64_t scan_sort_segments_table_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const segments_shape shape = segments_shape_of(caps, form, max_n, max_n);
  const uint64_t held = shape.looks_back ? SEGMENTS_MOST_ROWS(max_n, least_listed(&shape)) : 0;
  return SEGMENTS_WORDS((uint64_t)most_rows(caps, form, max_n), held) * sizeof(uint64_t);
}

/* A pass has a launch for each part, if work-groups look back. */
uint64_t scan_sort_segments_limit(const scan_caps *caps, const scan_sort_form *form) {
  const segments_shape shape = segments_shape_of(caps, form, 0, 0);
  const uint32_t slots = SORT_SLOTS(form->first_bit, form->end_bit, 1);
  if (shape.looks_back && has_rows(&shape, form))
    return (uint64_t)(SORT_PART_MOST / shape.table_tile) * shape.table_tile * (MOST_PASS_LAUNCHES / slots);
  if (caps->loop_limit == 0) return INT32_MAX / 4 * (uint64_t)shape.step;
  return caps->loop_limit / (2 * SORT_DIGITS) * (uint64_t)shape.tile;
}

static scan_launch segments_step(const scan_caps *caps, const segments_shape *shape, const scan_sort_form *form,
                                 const char *kernel, uint64_t n, uint64_t groups) {
  return (scan_launch){ .launch = { .file = "sort_segments.cl",
                                    .kernel = kernel,
                                    .arguments = &arguments,
                                    .groups = (uint32_t)groups,
                                    .items_per_group = shape->group_items },
                        .flags = form->offset_bytes == sizeof(uint64_t) ? SORT_WIDE_OFFSETS : 0u,
                        .type = scan_select_moved_type(scan_sort_key_bytes(form)),
                        .tile_items = shape->table_tile,
                        .tiles = has_table(shape, form) ? rows_of(caps, shape, n) : 0, /* whatever the promise is */
                        .part_tiles = shape->looks_back ? part_tiles_of(caps, shape, n) : UINT32_MAX,
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
  const uint64_t rows = rows_of(caps, shape, n), tiles = SEGMENTS_MOST_TILES(rows);
  const uint64_t shared = n / shape->tile / SEGMENTS_FEW_TILES * SORT_DIGITS;
  int count = 0;
  if (pass < SORT_PASSES(form->first_bit, form->end_bit)) {
    steps[count++] = segments_step(caps, shape, form, "sort_segments_count", n, sharing(caps, tiles));
    steps[count++] =
        segments_step(caps, shape, form, "sort_segments_places", n, sharing(caps, rows > shared ? rows : shared));
  }
  steps[count++] = segments_step(caps, shape, form, "sort_segments_move", n, sharing(caps, tiles));
  for (int i = 0; i < count; i++) steps[i].pass = pass;
  return count;
}

/* A launch where work-groups look back. CUDA's kernels have the bytes of a value in their names. Kernels that move no
 * values are those for keys alone; by warps, those of keys sorted by all bits. */
static scan_launch digits_step(const scan_caps *caps, const segments_shape *shape, const scan_sort_form *form,
                               segments_kernel kernel, uint64_t n, uint64_t most) {
  static const char *const names[DIGITS_KERNELS][4] = {
    { "sort_segments_warps_0", "sort_segments_warps_4", "sort_segments_warps_8", "sort_segments_warps" },
    { "sort_segments_held_0", "sort_segments_held_4", "sort_segments_held_8", "sort_segments_held" },
    { "sort_segments_note_0", NULL, NULL, "sort_segments_note" },
    { "sort_segments_sums_0", NULL, NULL, "sort_segments_sums" },
    { "sort_segments_starts_0", NULL, NULL, "sort_segments_starts" },
    { "sort_segments_lookback_0", "sort_segments_lookback_4", "sort_segments_lookback_8", "sort_segments_lookback" },
  };
  const int is_cuda = caps->info.backend == SCAN_BACKEND_CUDA;
  const uint32_t bits = scan_sort_key_bytes(form) * 8, no_values = 1;
  const int has_numbers = kernel == DIGITS_WARPS && (form->first_bit != 0 || form->end_bit != bits);
  const int moves_no_values = kernel == DIGITS_NOTE || kernel == DIGITS_SUMS || kernel == DIGITS_STARTS;
  const uint32_t value = moves_no_values ? 0 : shape->value == 0 && has_numbers ? 4 : shape->value;
  const char *name = names[kernel][!is_cuda ? 3 : value == 8 ? 2 : value == 4 ? 1 : 0];
  scan_launch step = segments_step(caps, shape, form, name, n, sharing(caps, most));
  step.launch.file = "sort_segments_digits.cl";
  if (!is_cuda) step.input_type = scan_select_moved_type(value != 0 ? value : no_values);
  if (kernel == DIGITS_WARPS) step.launch.file = "sort_segments_warps.cl";
  if (kernel != DIGITS_HELD && kernel != DIGITS_NOTE) return step;
  step.step_items = least_listed(shape);
  step.part = shape->held;
  if (kernel == DIGITS_NOTE) return step;
  step.launch.file = "sort_segments_held.cl";
  step.launch.items_per_group = shape->held_items;
  if (caps->tuning.sort_sweeps == SCAN_SORT_LANES_PERMUTED) step.flags |= SORT_TEST_LANES;
  if (is_cuda && shape->held != 0)
    step.launch.local_bytes = SORT_HELD_BYTES(shape->held_items, scan_sort_key_bytes(form), shape->value);
  return step;
}

/* The first launch where work-groups look back, by tiles of several segments or by warps. */
static scan_launch first_step(const scan_caps *caps, const segments_shape *shape, const scan_sort_form *form,
                              uint64_t n, scan_sort_segments_kind kind) {
  const uint32_t most = form->most_segment_items;
  const uint64_t units = caps->info.compute_units, spread = n / WARP_GROUP_LEAST + 1;
  const uint64_t least = spread < units ? spread : units, most_groups = units * WARP_GROUPS_A_UNIT;
  const uint64_t full = n / ((uint64_t)shape->group_items * WARP_GROUP_KEYS) + 1;
  const uint64_t groups = full < least ? least : full;
  scan_launch step = segments_step(caps, shape, form, "sort_segments_runs", n, groups_of(shape, n));
  step.launch.file = "sort_segments_runs.cl";
  step.part = least_listed(shape);
  if (kind != SCAN_SEGMENTS_BY_WARPS) return step;
  step = digits_step(caps, shape, form, DIGITS_WARPS, n, 1);
  step.part = least_listed(shape);
  step.launch.groups = (uint32_t)(groups < most_groups ? groups : most_groups);
  step.step_items = most != 0 ? shape->run / most : 0;
  return step;
}

/* A pass over the table by onesweep, in no more work-groups than there can be tiles. */
static scan_launch onesweep_step(const scan_caps *caps, const segments_shape *shape, const scan_sort_form *form,
                                 uint64_t n) {
  const uint64_t tiles = SEGMENTS_MOST_TILES((uint64_t)rows_of(caps, shape, n));
  const scan_launch table = segments_step(caps, shape, form, "", n, 1);
  scan_launch step = scan_sort_onesweep_segments_step(caps, form, shape->max_n);
  step.launch.arguments = &arguments;
  if (tiles < step.launch.groups) step.launch.groups = (uint32_t)tiles;
  step.flags |= table.flags;
  step.tiles = table.tiles;
  step.part_tiles = table.part_tiles;
  return step;
}

/* Writes the launches where work-groups look back: segments that the first tiles hold, those that are listed, all
 * digits of the others, where these begin, and passes. */
static int lookback_steps(const scan_caps *caps, const segments_shape *shape, const scan_sort_form *form, uint64_t n,
                          uint32_t slots, scan_sort_segments_kind kind, scan_launch *steps) {
  const uint64_t rows = rows_of(caps, shape, n), tiles = SEGMENTS_MOST_TILES(rows);
  const uint32_t most = form->most_segment_items;
  int count = 0;
  const uint64_t listed = SEGMENTS_MOST_ROWS(n, least_listed(shape));
  if (kind == SCAN_SEGMENTS_BY_GROUPS) {
    steps[count] = digits_step(caps, shape, form, DIGITS_HELD, n, n);
    steps[count++].flags |= SORT_HELD_FIRST;
  } else {
    steps[count++] = first_step(caps, shape, form, n, kind);
    if (most != 0 && most <= (kind == SCAN_SEGMENTS_BY_WARPS ? shape->run : shape->kept)) return count;
    if (shape->held != 0) steps[count++] = digits_step(caps, shape, form, DIGITS_HELD, n, listed);
  }
  if (!has_rows(shape, form)) return count;
  steps[count++] = digits_step(caps, shape, form, DIGITS_NOTE, n, listed);
  steps[count++] = digits_step(caps, shape, form, DIGITS_SUMS, n, tiles);
  steps[count++] = digits_step(caps, shape, form, DIGITS_STARTS, n, rows);
  const uint64_t part_keys = (uint64_t)part_tiles_of(caps, shape, n) * shape->table_tile;
  const uint32_t parts = (uint32_t)(n / part_keys + (n % part_keys != 0));
  for (uint32_t i = 0; i < slots * parts; i++) {
    steps[count] =
        shape->sweeps ? onesweep_step(caps, shape, form, n) : digits_step(caps, shape, form, DIGITS_LOOKBACK, n, tiles);
    steps[count].pass = i / parts;
    steps[count].part = i % parts;
    steps[count++].step_items = i; /* the launch's ticket */
  }
  return count;
}

/* The first launch where work-groups do not look back. Single work-items sort several segments at once, unless the
 * device ends loops. */
static scan_launch tiles_step(const scan_caps *caps, const segments_shape *shape, const scan_sort_form *form,
                              uint64_t n) {
  const uint32_t no_values = 1;
  scan_launch step = segments_step(caps, shape, form, "sort_segments", n, groups_of(shape, n));
  if (!scan_sort_is_by_items(caps) || caps->loop_limit != 0) return step;
  step.launch.file = "sort_segments_item.cl";
  step.launch.kernel = "sort_segments_item";
  step.input_type = scan_select_moved_type(shape->value != 0 ? shape->value : no_values);
  return step;
}

int scan_sort_segments_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                             int in_place, scan_sort_segments_kind kind, scan_launch *steps) {
  const segments_shape shape = segments_shape_of(caps, form, n, max_n);
  const uint32_t slots = SORT_SLOTS(form->first_bit, form->end_bit, in_place);
  int count = 0;
  if (kind == SCAN_SEGMENTS_RANKED) {
    steps[0] = scan_sort_ranked_step(form, n);
    return 1;
  }
  if (shape.looks_back) return lookback_steps(caps, &shape, form, n, slots, kind, steps);
  steps[count++] = tiles_step(caps, &shape, form, n);
  for (uint32_t pass = 0; pass < slots && has_table(&shape, form); pass++)
    count += add_pass(caps, &shape, form, n, pass, steps + count);
  return count;
}
