/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy/sort/sort.h"

#include "base/types.h"
#include "device/arguments.h"
#include "kernels_cl/select/select.h"
#include "strategy/select/select.h"

static const scan_argument_list digits_arguments = SCAN_ARGUMENTS(SORT_DIGITS_ARGUMENTS);
static const scan_argument_list count_arguments = SCAN_ARGUMENTS(SORT_COUNT_ARGUMENTS);
static const scan_argument_list move_arguments = SCAN_ARGUMENTS(SORT_MOVE_ARGUMENTS);
static const scan_argument_list alone_arguments = SCAN_ARGUMENTS(SORT_ALONE_ARGUMENTS);
static const scan_argument_list gather_arguments = SCAN_ARGUMENTS(SORT_GATHER_ARGUMENTS);
static const scan_argument_list buckets_arguments = SCAN_ARGUMENTS(SPLIT_BUCKETS_ARGUMENTS);
static const scan_argument_list starts_arguments = SCAN_ARGUMENTS(SPLIT_STARTS_ARGUMENTS);
static const scan_argument_list sums_arguments = SCAN_ARGUMENTS(HISTOGRAM_SUMS_ARGUMENTS);

/* Elements that a work-group gathers at once. */
enum { GATHER_TILE = 4096 };
/* Work-groups that count all digits, for each compute unit. */
enum { COUNTING_GROUPS_A_UNIT = 8 };
enum { WIDEST_PIECE = 8 };

static uint32_t passes_of(const scan_sort_form *form) { return SORT_PASSES(form->first_bit, form->end_bit); }
static uint64_t tiles_of(uint64_t n, uint32_t tile_items) { return n / tile_items + (n % tile_items != 0); }
/* 1 if the host's threads sort. Splits and histograms use tiles on every backend. */
static int is_by_threads(const scan_caps *caps, const scan_sort_form *form) {
  return scan_sort_is_by_threads(caps) && form->what == SCAN_SORT_ALL_BITS;
}

uint64_t scan_sort_limit(const scan_caps *caps, const scan_sort_form *form) {
  const uint64_t tile_items = scan_sort_tile_items(caps, form, 0);
  if (scan_sort_has_segments(form)) return scan_sort_segments_limit(caps, form);
  if (caps->loop_limit == 0) return INT32_MAX * tile_items;
  return caps->loop_limit / (2 * SORT_DIGITS) * tile_items;
}

/* Work-groups that count the digits of `tiles` tiles. */
static uint32_t counting_groups(const scan_caps *caps, uint64_t tiles) {
  const uint64_t most = (uint64_t)caps->info.compute_units * COUNTING_GROUPS_A_UNIT;
  return (uint32_t)(caps->loop_limit == 0 && tiles > most ? most : tiles);
}

uint64_t scan_sort_number_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const uint64_t number = max_n > UINT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t);
  if (is_by_threads(caps, form)) return 0;
  if (scan_sort_has_segments(form)) return scan_sort_segments_number_bytes(caps, form, max_n);
  if (scan_sort_uses_onesweep(caps, form, max_n)) return scan_sort_onesweep_lookback_state_bytes(caps, form, max_n);
  if (scan_sort_looks_back(caps, form, max_n)) return scan_sort_lookback_state_bytes(caps, form, max_n);
  if (scan_sort_has_ranges(caps, form, max_n)) return scan_sort_ranges_number_bytes(caps, form, max_n);
  if (form->what == SCAN_SORT_HISTOGRAM) return 0;
  return scan_sort_most_tiles(caps, form, max_n) * SORT_DIGITS * number;
}

uint64_t scan_sort_digit_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const uint64_t groups =
      form->what == SCAN_SORT_SPLIT ? 1 : counting_groups(caps, scan_sort_most_tiles(caps, form, max_n));
  if (is_by_threads(caps, form)) return scan_sort_threads_digit_bytes(caps);
  if (scan_sort_has_segments(form)) return scan_sort_segments_table_bytes(caps, form, max_n);
  if (scan_sort_uses_onesweep(caps, form, max_n) || scan_sort_looks_back(caps, form, max_n))
    return scan_sort_onesweep_digit_bytes();
  if (scan_sort_has_ranges(caps, form, max_n)) return scan_sort_ranges_digit_bytes(caps, form, max_n);
  return SORT_DIGIT_WORDS(groups, passes_of(form)) * sizeof(uint64_t);
}

static uint32_t flags_of(const scan_sort_form *form, scan_sort_values values, uint64_t max_n) {
  const scan_type type = (scan_type)form->key_type;
  const int is_float = scan_type_is_float(type) || scan_type_is_half(type);
  return (is_float                    ? SORT_FLOAT
          : scan_type_is_signed(type) ? SORT_SIGNED
                                      : 0u) |
         (form->descending ? SORT_DESCENDING : 0u) | (values.bytes != 0 ? SORT_VALUES : 0u) |
         (values.bytes == 8 ? SORT_WIDE_VALUES : 0u) | (values.are_indices ? SORT_INDICES : 0u) |
         (form->words != SCAN_SORT_ONE_WORD ? SORT_WORDS : 0u) |
         (form->words == SCAN_SORT_HIGH_FIRST ? SORT_HIGH_FIRST : 0u) | (max_n > UINT32_MAX ? SORT_WIDE_COUNTS : 0u) |
         (form->what == SCAN_SORT_SPLIT ? SORT_SPLIT : 0u) | (form->is_numeric ? SORT_NUMERIC : 0u) |
         (form->is_numeric && type == SCAN_BF16 ? SORT_BRAIN : 0u);
}

/* A launch of `groups` work-groups. */
static scan_launch sort_step(const scan_caps *caps, const char *kernel, const scan_argument_list *arguments,
                             uint32_t bytes, uint32_t tile_items, uint64_t groups) {
  return (scan_launch){ .launch = { .file = "sort.cl",
                                    .kernel = kernel,
                                    .arguments = arguments,
                                    .groups = (uint32_t)groups,
                                    .items_per_group = caps->tuning.group_items },
                        .type = scan_select_moved_type(bytes),
                        .tile_items = tile_items,
                        .array = SCAN_NO_ARRAY };
}

/* A launch of a kernel that reads keys; the kernel for wide keys has another name. */
static scan_launch key_step(const scan_caps *caps, const scan_sort_form *form, const char *kernel, const char *wide,
                            const scan_argument_list *arguments, uint32_t tile_items, uint64_t groups) {
  const uint32_t bytes = scan_sort_key_bytes(form);
  scan_launch step =
      sort_step(caps, bytes > SCAN_SORT_WIDEST_INTEGER ? wide : kernel, arguments, bytes, tile_items, groups);
  if (bytes > SCAN_SORT_WIDEST_INTEGER) step.launch.file = "sort_wide.cl";
  return step;
}
#define KEY_KERNEL(name) "sort_" #name, "sort_wide_" #name

/* The launch that gathers an array. On devices that end loops, elements of many words have smaller tiles. */
static scan_launch gather_step(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint32_t array) {
  const uint32_t piece = form->align[array] < WIDEST_PIECE ? form->align[array] : WIDEST_PIECE;
  const uint32_t element_words = form->bytes[array] / piece, turns = GATHER_TILE * (element_words + 1);
  const uint32_t tile_items =
      caps->loop_limit != 0 && turns > caps->loop_limit / 2 ? caps->loop_limit / 2 / (element_words + 1) : GATHER_TILE;
  scan_launch step = sort_step(caps, "sort_gather", &gather_arguments, piece, tile_items, tiles_of(n, tile_items));
  step.element_words = element_words;
  step.array = (int)array;
  return step;
}

uint64_t scan_sort_alone_items(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  if (scan_sort_is_clustered(caps, form, 0, max_n)) return SORT_CLUSTER_MOST;
  if (!scan_sort_is_by_items(caps)) return scan_sort_tile_items(caps, form, 0);
  return caps->loop_limit != 0 ? caps->loop_limit / (4 * (passes_of(form) + 1)) : SORT_ALONE_ITEMS;
}

/* 1 if one launch sorts all keys. A work-group cannot if values would overwrite others that are still to be read. */
static int is_alone(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n, int in_place) {
  const scan_sort_values values = scan_sort_values_of(form, max_n);
  if (n > scan_sort_alone_items(caps, form, max_n)) return 0;
  return scan_sort_is_by_items(caps) || !in_place || values.bytes == 0 || values.are_indices;
}

/* Appends the launches of a pass. A pass that only moves keys has no digits to count. */
static int add_pass(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint32_t pass, scan_launch *steps) {
  const uint32_t bytes = scan_sort_key_bytes(form), tile_items = scan_sort_tile_items(caps, form, n);
  const uint64_t tiles = tiles_of(n, tile_items);
  int count = 0;
  if (pass < passes_of(form)) {
    steps[count++] = key_step(caps, form, KEY_KERNEL(count), &count_arguments, tile_items, tiles);
    steps[count++] = sort_step(caps, "sort_places", &count_arguments, bytes, tile_items, SORT_DIGITS);
  }
  steps[count++] = key_step(caps, form, KEY_KERNEL(move), &move_arguments, tile_items, tiles);
  for (int i = 0; i < count; i++) steps[i].pass = pass;
  return count;
}

static int passes_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, int in_place,
                        scan_launch *steps) {
  const uint32_t tile_items = scan_sort_tile_items(caps, form, n);
  const uint32_t groups = counting_groups(caps, tiles_of(n, tile_items));
  const uint32_t passes = passes_of(form), slots = SORT_SLOTS(form->first_bit, form->end_bit, in_place);
  int count = 0;
  steps[count++] = key_step(caps, form, KEY_KERNEL(digits), &digits_arguments, tile_items, groups);
  steps[count++] = key_step(caps, form, KEY_KERNEL(starts), &digits_arguments, tile_items, passes);
  steps[0].tiles = steps[1].tiles = groups;
  for (uint32_t pass = 0; pass < slots; pass++) count += add_pass(caps, form, n, pass, steps + count);
  return count;
}

static scan_launch buckets_step(const scan_caps *caps, const scan_sort_form *form, uint64_t n) {
  scan_launch step =
      sort_step(caps, "split_buckets", &buckets_arguments, 1, SELECT_TILE_ITEMS, tiles_of(n, SELECT_TILE_ITEMS));
  step.launch.file = "select_predicate.cl";
  step.type = SCAN_TYPE_DEFAULT;
  step.buckets = form->buckets;
  step.source = form->bucket;
  return step;
}

/* Writes the launches of a split. split_starts, between places and move, turns the digits' counts into where each digit
 * begins. */
static int split_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, int in_place,
                       scan_launch *steps) {
  const uint32_t tile_items = scan_sort_tile_items(caps, form, n);
  int count = add_pass(caps, form, n, 0, steps);
  steps[count] = steps[count - 1];
  steps[count - 1] = sort_step(caps, "split_starts", &starts_arguments, scan_sort_key_bytes(form), tile_items, 1);
  steps[count - 1].buckets = scan_sort_buckets(form);
  count++;
  return in_place ? count + add_pass(caps, form, n, 1, steps + count) : count;
}

static int histogram_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, scan_launch *steps) {
  const uint32_t tile_items = scan_sort_tile_items(caps, form, n);
  const uint32_t groups = counting_groups(caps, tiles_of(n, tile_items));
  steps[0] = sort_step(caps, "sort_digits", &digits_arguments, scan_sort_key_bytes(form), tile_items, groups);
  steps[1] = sort_step(caps, "histogram_sums", &sums_arguments, scan_sort_key_bytes(form), tile_items, form->bins);
  steps[0].tiles = steps[1].tiles = groups;
  return 2;
}

/* Writes the launches that sort, split or count, without bucket functions and gathering. */
static int form_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n, int in_place,
                      scan_sort_segments_kind kind, scan_launch *steps) {
  if (is_by_threads(caps, form)) {
    steps[0] = scan_sort_threads_step(caps, form);
    return 1;
  }
  if (scan_sort_has_segments(form)) return scan_sort_segments_steps(caps, form, n, max_n, in_place, kind, steps);
  if (!in_place && n <= scan_sort_ranked_items(caps, form)) {
    steps[0] = scan_sort_ranked_step(form, n);
    return 1;
  }
  if (n <= scan_sort_merged_items(caps, form)) {
    steps[0] = scan_sort_merged_step(form);
    return 1;
  }
  if (n <= scan_sort_split_items(caps, form, in_place)) {
    steps[0] = scan_sort_split_alone_step(caps, form, n, in_place);
    return 1;
  }
  if (scan_sort_is_clustered(caps, form, n, max_n)) {
    steps[0] = scan_sort_cluster_step(caps, form, max_n);
    return 1;
  }
  if (form->what == SCAN_SORT_ALL_BITS && is_alone(caps, form, n, max_n, in_place)) {
    const uint32_t tile_items = scan_sort_tile_items(caps, form, n);
    steps[0] = key_step(caps, form, KEY_KERNEL(alone), &alone_arguments, tile_items, 1);
    return 1;
  }
  if (scan_sort_uses_onesweep(caps, form, max_n))
    return scan_sort_onesweep_steps(caps, form, n, max_n, in_place, steps);
  if (scan_sort_looks_back(caps, form, max_n)) return scan_sort_lookback_steps(caps, form, n, max_n, in_place, steps);
  if (scan_sort_has_ranges(caps, form, max_n)) return scan_sort_ranges_steps(caps, form, n, max_n, steps);
  if (form->what == SCAN_SORT_SPLIT) return split_steps(caps, form, n, in_place, steps);
  if (form->what == SCAN_SORT_HISTOGRAM) return histogram_steps(caps, form, n, steps);
  return passes_steps(caps, form, n, in_place, steps);
}

int scan_sort_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n, int in_place,
                    scan_sort_segments_kind kind, scan_launch *steps) {
  const scan_sort_values values = scan_sort_values_of(form, max_n);
  int count = 0;
  if (form->bucket != NULL) steps[count++] = buckets_step(caps, form, n);
  count += form_steps(caps, form, n, max_n, in_place, kind, steps + count);
  if (values.values_are_gathered)
    for (uint32_t a = 0; a < form->arrays; a++) steps[count++] = gather_step(caps, form, n, a);
  for (int i = 0; i < count; i++) {
    steps[i].flags |= flags_of(form, values, max_n);
    scan_sort_make_numeric(form, &steps[i]);
  }
  return count;
}
