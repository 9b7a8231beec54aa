/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by OpenCL's work-groups that look back: one launch counts all digits, one decides what each pass does, and
 * one follows for each pass (kernels_cl/sort/sort_lookback.cl). */
#include "device/arguments.h"
#include "strategy/select/select.h"
#include "strategy/sort/sort.h"

static const scan_argument_list digit_arguments = SCAN_ARGUMENTS(SORT_HISTOGRAM_ARGUMENTS);
static const scan_argument_list pass_arguments = SCAN_ARGUMENTS(SORT_ONESWEEP_ARGUMENTS);

enum { SUM_GROUPS_A_UNIT = 6, SUM_KEYS_A_GROUP = 1 << 13, EVEN_BY_LOCAL_MEMORY = 2 };

typedef struct look_shape {
  uint32_t key, value; /* bytes */
  uint32_t items, tile;
} look_shape;

static look_shape lookback_shape_of(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const uint32_t key = scan_sort_key_bytes(form);
  const uint32_t value = scan_sort_values_of(form, max_n).bytes, items = caps->tuning.group_items;
  return (look_shape){ .key = key, .value = value, .items = items, .tile = items * SORT_LOOK_KEYS(key, value) };
}

int scan_sort_looks_back(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const look_shape shape = lookback_shape_of(caps, form, max_n);
  const uint32_t exchange = caps->tuning.exchange, sweeps = caps->tuning.sort_sweeps;
  if (shape.key > SCAN_SORT_WIDEST_INTEGER || scan_sort_has_segments(form)) return 0;
  if (caps->info.backend != SCAN_BACKEND_OPENCL || shape.items < SORT_DIGITS || max_n > SORT_ONESWEEP_MOST) return 0;
  if (sweeps == 0 || (exchange != SCAN_EXCHANGE_PTX && sweeps < EVEN_BY_LOCAL_MEMORY)) return 0;
  if (!caps->info.has_fair_progress || caps->has_stalled || caps->loop_limit != 0) return 0;
  return SORT_SUM_BYTES <= caps->info.local_memory_bytes &&
         SORT_LOOK_BYTES(shape.items, shape.key, shape.value) <= caps->info.local_memory_bytes;
}

static uint32_t tiles_of(const look_shape *shape, uint64_t n) {
  return (uint32_t)(n / shape->tile + (n % shape->tile != 0));
}

uint64_t scan_sort_lookback_state_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const look_shape shape = lookback_shape_of(caps, form, max_n);
  const uint64_t tiles = scan_sort_has_passes(form) ? tiles_of(&shape, max_n) : 1;
  return SORT_ONESWEEP_WORDS(tiles, SORT_DIGITS) * sizeof(uint32_t);
}

static scan_launch lookback_step(const look_shape *shape, const char *kernel, const scan_argument_list *arguments,
                                 uint64_t groups) {
  const uint32_t no_values = 1;
  return (scan_launch){ .launch = { .file = "sort_lookback.cl",
                                    .kernel = kernel,
                                    .arguments = arguments,
                                    .groups = (uint32_t)groups,
                                    .items_per_group = shape->items },
                        .type = scan_select_moved_type(shape->key),
                        .input_type = scan_select_moved_type(shape->value != 0 ? shape->value : no_values),
                        .tile_items = shape->tile,
                        .array = SCAN_NO_ARRAY };
}

int scan_sort_lookback_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                             int in_place, scan_launch *steps) {
  const look_shape shape = lookback_shape_of(caps, form, max_n);
  const uint32_t slots = scan_sort_has_passes(form) ? SORT_SLOTS(form->first_bit, form->end_bit, in_place) : 0;
  const uint64_t most = (uint64_t)caps->info.compute_units * SUM_GROUPS_A_UNIT, wanted = n / SUM_KEYS_A_GROUP + 1;
  int count = 0;
  steps[count++] = lookback_step(&shape, "sort_sums", &digit_arguments, wanted < most ? wanted : most);
  steps[count++] = lookback_step(&shape, "sort_routes", &digit_arguments, 1);
  steps[1].buckets = scan_sort_buckets(form);
  for (int i = 0; slots == 0 && i < count; i++)
    steps[i].tile_items = SORT_ONESWEEP_MOST; /* the look-back state of a single tile */
  scan_launch pass = lookback_step(&shape, "sort_lookback", &pass_arguments, tiles_of(&shape, n));
  pass.tiles = tiles_of(&shape, max_n);
  return count + scan_sort_parts_steps(caps, &pass, n, slots, steps + count);
}
