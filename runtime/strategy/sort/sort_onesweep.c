/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting on CUDA by onesweep: one launch counts all digits, and one follows for each pass
 * (kernels_cu/sort/sort_onesweep.cuh). */
#include "device/arguments.h"
#include "strategy/select/select.h"
#include "strategy/sort/sort.h"

static const scan_argument_list histogram_arguments = SCAN_ARGUMENTS(SORT_HISTOGRAM_ARGUMENTS);
static const scan_argument_list onesweep_arguments = SCAN_ARGUMENTS(SORT_ONESWEEP_ARGUMENTS);
static const scan_argument_list cluster_arguments = SCAN_ARGUMENTS(SORT_ALONE_ARGUMENTS);
static const scan_argument_list lanes_arguments = SCAN_ARGUMENTS(SORT_LANES_ARGUMENTS);

enum { COUNTER_BYTES = 4, BYTE_BITS = 8 };

/* The properties of a form that its kernels of a kind depend on. */
typedef struct onesweep_shape {
  uint32_t kind;       /* 0, or a kind of tuning.h */
  uint32_t key, value; /* bytes */
  uint32_t flags;      /* SORT_BYTES or SORT_HALVES for keys of 1 or 2 bytes in the input */
  uint32_t items, tile, lookers, groups, digits, by_places;
} onesweep_shape;

/* 1 if values of so many bytes wait in shared memory until their keys' places find them (ARE_STAGED). */
static int are_staged(uint32_t key, uint32_t value) { return key == 8 && value != 0; }

/* 1 if a tile's order is checked by the keys' places. Keys alone suffice if all bits are sorted by, or if the values
 * are indices; not with bits below the lowest digit, nor in the numeric order, in which different keys are equal. */
static uint32_t is_by_places(const scan_sort_form *form, scan_sort_values values) {
  const uint32_t bits = scan_sort_key_bytes(form) * BYTE_BITS;
  if (are_staged(scan_sort_key_bytes(form), values.bytes)) return 1;
  if (form->first_bit != 0 || form->is_numeric) return 1;
  return values.bytes != 0 ? !values.are_indices : form->end_bit != bits;
}

/* Onesweep's n fits an index of 4 bytes: only the last pass writes wider indices. Those of segments are wide in all
 * passes, since a segment's last pass may be another one's first. */
static uint32_t moved_bytes(const scan_sort_form *form, scan_sort_values values) {
  return values.are_indices && !scan_sort_has_segments(form) ? 4 : values.bytes;
}

static onesweep_shape shape_of_kind(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n, uint32_t kind) {
  const scan_sort_values values = scan_sort_values_of(form, max_n);
  const uint32_t own = scan_sort_key_bytes(form), value = moved_bytes(form, values);
  const uint32_t key = own < SCAN_SORT_LEAST_ONESWEEP_BYTES ? SCAN_SORT_LEAST_ONESWEEP_BYTES : own;
  const uint32_t image = caps->tuning.image, items = (uint32_t)TUNE_ONESWEEP_ITEMS(kind, image, key, value);
  return (onesweep_shape){ .kind = kind,
                           .key = key,
                           .flags = own == 1   ? SORT_BYTES
                                    : own == 2 ? SORT_HALVES
                                               : 0,
                           .value = value,
                           .items = items,
                           .tile = items * (uint32_t)TUNE_ONESWEEP_KEYS(kind, image, key, value),
                           .lookers = (uint32_t)TUNE_ONESWEEP_LOOKERS(kind, image, key, value) * 32,
                           .groups = (uint32_t)TUNE_ONESWEEP_GROUPS(kind, key, value),
                           .digits = kind == TUNE_ONESWEEP_WIDE ? SORT_WIDE_DIGITS : SORT_DIGITS,
                           .by_places = kind != TUNE_ONESWEEP_NARROW && is_by_places(form, values) };
}

static onesweep_shape onesweep_shape_of(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  return shape_of_kind(caps, form, max_n, 0);
}

/* The most keys that kernels of a kind sort. */
static uint64_t most_of(const onesweep_shape *shape) {
  const int is_limited =
      shape->kind == TUNE_ONESWEEP_FEW || shape->kind == TUNE_ONESWEEP_MIDDLE || shape->kind == TUNE_ONESWEEP_STAGED;
  return is_limited ? TUNE_ONESWEEP_MOST(shape->kind, shape->key, shape->value) : UINT64_MAX;
}

static uint32_t local_bytes(const onesweep_shape *shape, uint32_t by_places) {
  const uint32_t bytes = SORT_ONESWEEP_BYTES(shape->items, shape->digits, shape->tile, shape->key, shape->value);
  return bytes + (by_places ? shape->tile * SORT_PLACE_BYTES : 0);
}

static uint32_t there(const scan_caps *caps) {
  return caps->dynamic_local_bytes == 0 ? 0 : caps->dynamic_local_bytes + TUNE_PIPE_OWN_BYTES(8);
}

/* 1 if the form has kernels of the shape's kind. Tests of few keys in several parts use the kernels of many keys. */
static int has_kind(const scan_caps *caps, const scan_sort_form *form, const onesweep_shape *shape) {
  const int is_narrow = shape->key == 4 && shape->value <= 4, is_wide = shape->key == 8;
  if (shape->kind == 0) return 1;
  if (form->what == SCAN_SORT_HISTOGRAM || form->is_numeric) return 0;
  if (!is_narrow && !(is_wide && shape->kind == TUNE_ONESWEEP_FEW)) return 0;
  if (shape->kind == TUNE_ONESWEEP_NARROW)
    return form->what == SCAN_SORT_SPLIT && shape->value == 0 &&
           form->end_bit - form->first_bit <= TUNE_ONESWEEP_NARROW_BITS;
  /* Spare memory holds pairs side by side, which STAGED kernels do not read. */
  if (shape->kind == TUNE_ONESWEEP_STAGED && (form->what != SCAN_SORT_SPLIT || form->in_place || shape->value != 4 ||
                                              !shape->by_places || local_bytes(shape, 1) > there(caps)))
    return 0;
  if (shape->kind == TUNE_ONESWEEP_WIDE)
    return form->what == SCAN_SORT_ALL_BITS && (shape->value != 0 || !shape->by_places);
  return caps->tuning.sort_parts == 1;
}

/* Local memory of the counting launch: as many counters for each of `digits` digits, a power of two, as there is room
 * for. */
static uint32_t histogram_bytes(const scan_caps *caps, uint32_t digits) {
  uint32_t copies = TUNE_HISTOGRAM_COPIES;
  while (copies > 1 && copies * digits * COUNTER_BYTES + SORT_HISTOGRAM_MORE_BYTES > there(caps)) copies /= 2;
  return copies * digits * COUNTER_BYTES + SORT_HISTOGRAM_MORE_BYTES;
}

/* 1 if a sort of n keys may choose wide digits (SORT_CHOOSES). Fewer keys take longer by launches that have nothing to
 * do. */
static int chooses(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n) {
  const onesweep_shape wide = shape_of_kind(caps, form, max_n, TUNE_ONESWEEP_WIDE);
  return has_kind(caps, form, &wide) && form->end_bit - form->first_bit > 2 * SORT_DIGIT_BITS &&
         (n >= TUNE_ONESWEEP_WIDE_LEAST || caps->tuning.sort_sweeps != 1) && local_bytes(&wide, 1) <= there(caps);
}

/* The kernels of n keys for digits of 8 bits. */
static onesweep_shape shape_for(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n) {
  static const uint32_t kinds[] = { TUNE_ONESWEEP_FEW, TUNE_ONESWEEP_MIDDLE, TUNE_ONESWEEP_NARROW,
                                    TUNE_ONESWEEP_STAGED };
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const onesweep_shape shape = shape_of_kind(caps, form, max_n, kinds[i]);
    if (has_kind(caps, form, &shape) && n <= most_of(&shape)) return shape;
  }
  return onesweep_shape_of(caps, form, max_n);
}

uint64_t scan_sort_kind_items(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n, int is_middle) {
  const onesweep_shape shape = shape_of_kind(caps, form, max_n, is_middle ? TUNE_ONESWEEP_MIDDLE : TUNE_ONESWEEP_FEW);
  return scan_sort_uses_onesweep(caps, form, max_n) && has_kind(caps, form, &shape) ? most_of(&shape) : 0;
}

uint32_t scan_sort_onesweep_tile_items(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  if (scan_sort_key_bytes(form) > SCAN_SORT_WIDEST_INTEGER) return 0;
  if (caps->info.backend != SCAN_BACKEND_CUDA || caps->tuning.sort_sweeps == 0) return 0;
  if (caps->has_stalled || caps->onesweep == SCAN_ONESWEEP_FAILS || max_n > SORT_ONESWEEP_MOST) return 0;
  const onesweep_shape shape = onesweep_shape_of(caps, form, max_n);
  return local_bytes(&shape, 1) <= there(caps) ? shape.tile : 0;
}

int scan_sort_uses_onesweep(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  return !scan_sort_has_segments(form) && scan_sort_onesweep_tile_items(caps, form, max_n) != 0;
}

uint64_t scan_sort_onesweep_spare_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n,
                                        uint32_t *apart) {
  const onesweep_shape shape = onesweep_shape_of(caps, form, max_n);
  const int is_whole = shape.key == shape.value && !are_staged(shape.key, shape.value);
  *apart = is_whole ? 0 : shape.value;
  return max_n * (shape.key + (is_whole ? shape.value : 0));
}

static uint64_t fewer(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The most tiles of a plan for max_n. */
static uint32_t tiles_of(const onesweep_shape *shape, uint64_t max_n) {
  const uint64_t n = fewer(max_n, most_of(shape));
  return (uint32_t)(n / shape->tile + (n % shape->tile != 0));
}

uint64_t scan_sort_onesweep_lookback_state_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  if (!scan_sort_has_passes(form)) return SORT_ONESWEEP_WORDS(1, SORT_DIGITS) * sizeof(uint32_t);
  uint64_t most = 0;
  for (uint32_t kind = 0; kind <= TUNE_ONESWEEP_STAGED; kind++) {
    const onesweep_shape shape = shape_of_kind(caps, form, max_n, kind);
    const uint64_t words = SORT_ONESWEEP_WORDS((uint64_t)tiles_of(&shape, max_n), shape.digits);
    if (!has_kind(caps, form, &shape)) continue;
    if (kind == TUNE_ONESWEEP_WIDE && !chooses(caps, form, max_n, max_n)) continue;
    if (words > most) most = words;
  }
  return most * sizeof(uint32_t);
}

_Static_assert(SORT_TICKET(SORT_SLOTS(0, SCAN_SORT_WIDEST_INTEGER *BYTE_BITS, 1), 0) <= SORT_TICKETS,
               "each launch has a ticket");
_Static_assert(SORT_TICKET(SORT_WIDE_PASS + SORT_WIDE_SLOTS, 0) <= SORT_TICKETS,
               "each launch of wide digits has a ticket");
uint64_t scan_sort_onesweep_digit_bytes(void) { return SORT_ONESWEEP_DIGIT_WORDS * sizeof(uint64_t); }

static scan_launch onesweep_step(const onesweep_shape *shape, const char *kernel, const scan_argument_list *arguments) {
  return (scan_launch){ .launch = { .file = "sort_onesweep.cuh", .kernel = kernel, .arguments = arguments },
                        .primitive = "sort_onesweep",
                        .type = scan_select_moved_type(shape->key),
                        .tile_items = shape->tile,
                        .flags = shape->flags,
                        .array = SCAN_NO_ARRAY };
}

/* A plan has one size of local memory for all n. */
static scan_launch histogram_step(const scan_caps *caps, const scan_sort_form *form, const onesweep_shape *shape,
                                  uint64_t n, uint64_t max_n) {
  const uint32_t digits = shape->key * SORT_DIGITS, wide = SORT_WIDE_PASSES * SORT_WIDE_DIGITS;
  scan_launch step = onesweep_step(shape, "sort_histogram_0", &histogram_arguments);
  step.buckets = scan_sort_buckets(form);
  step.launch.groups = (uint32_t)fewer(caps->info.compute_units, n / TUNE_HISTOGRAM_KEYS + 1);
  step.launch.items_per_group = TUNE_HISTOGRAM_ITEMS;
  step.launch.local_bytes = histogram_bytes(caps, chooses(caps, form, max_n, max_n) ? wide : digits);
  return step;
}

/* The kernel of a pass. Only keys of 4 bytes alone have kernels of their own for the proof by places. */
static const char *pass_kernel(const scan_sort_form *form, const onesweep_shape *shape) {
  static const char *const names[][3] = { { "sort_onesweep_0", "sort_onesweep_4", "sort_onesweep_8" },
                                          { "sort_onesweep_few_0", "sort_onesweep_few_4", "sort_onesweep_few_8" },
                                          { NULL, "sort_onesweep_middle_4" },
                                          { "sort_onesweep_wide_0", "sort_onesweep_wide_4" },
                                          { "sort_onesweep_narrow_0" },
                                          { NULL, "sort_onesweep_staged_4" } };
  if (shape->value == 0 && shape->by_places && shape->key == 4 && !form->is_numeric)
    return shape->kind == TUNE_ONESWEEP_FEW ? "sort_onesweep_places_few" : "sort_onesweep_places";
  return names[shape->kind][shape->value / 4];
}

/* A pass by a kernel. */
static scan_launch pass_step(const scan_caps *caps, const onesweep_shape *shape, uint64_t max_n, const char *kernel) {
  scan_launch pass = onesweep_step(shape, kernel, &onesweep_arguments);
  pass.launch.groups = caps->info.compute_units * shape->groups;
  pass.launch.items_per_group = shape->items + shape->lookers;
  pass.launch.local_bytes = local_bytes(shape, shape->by_places);
  pass.flags |= (shape->by_places ? SORT_BY_PLACES : 0u) |
                (caps->tuning.sort_sweeps == SCAN_SORT_LANES_PERMUTED ? SORT_TEST_LANES : 0u);
  pass.tiles = tiles_of(shape, max_n);
  return pass;
}

scan_launch scan_sort_onesweep_segments_step(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const onesweep_shape shape = onesweep_shape_of(caps, form, max_n);
  scan_launch pass = pass_step(caps, &shape, max_n,
                               shape.value == 8   ? "sort_segments_onesweep_8"
                               : shape.value == 4 ? "sort_segments_onesweep_4"
                                                  : "sort_segments_onesweep_0");
  pass.tiles = 0;
  return pass;
}

/* Makes the counting launch, steps[0], choose digits, and appends a second one, which counts anew if the choice fails,
 * and the passes of wide digits. Returns the number of launches. */
static int choosing_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n, int in_place,
                          scan_launch *steps) {
  const onesweep_shape wide = shape_of_kind(caps, form, max_n, TUNE_ONESWEEP_WIDE);
  const scan_launch pass = pass_step(caps, &wide, max_n, pass_kernel(form, &wide));
  steps[0].flags |= SORT_CHOOSES;
  if (steps[0].tile_items > wide.tile) steps[0].tile_items = wide.tile; /* clears the state of as many tiles */
  steps[1] = steps[0];
  steps[1].flags |= SORT_RECOUNTS;
  const int count = scan_sort_parts_steps(caps, &pass, n, in_place ? SORT_WIDE_SLOTS : SORT_WIDE_PASSES, steps + 2);
  for (int i = 0; i < count; i++) steps[2 + i].pass += SORT_WIDE_PASS;
  return 2 + count;
}

int scan_sort_onesweep_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                             int in_place, scan_launch *steps) {
  const onesweep_shape shape = shape_for(caps, form, n, max_n);
  const uint32_t slots = scan_sort_has_passes(form) ? SORT_SLOTS(form->first_bit, form->end_bit, in_place) : 0;
  const scan_launch pass = pass_step(caps, &shape, max_n, pass_kernel(form, &shape));
  int count = 1;
  steps[0] = histogram_step(caps, form, &shape, n, max_n);
  if (slots == 0) {
    steps[0].tile_items = SORT_ONESWEEP_MOST; /* the look-back state of a single tile */
    steps[0].flags |= SORT_COUNTS_ONLY;
  }
  if (chooses(caps, form, n, max_n)) count = choosing_steps(caps, form, n, max_n, in_place, steps);
  return count + scan_sort_parts_steps(caps, &pass, n, slots, steps + count);
}

_Static_assert(SORT_CLUSTER_MOST == SORT_CLUSTER_GROUPS * SORT_CLUSTER_ALONE, "a cluster has room for so many keys");

int scan_sort_is_clustered(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n) {
  if (!caps->clusters || !caps->tuning.sort_clusters || caps->tuning.sort_sweeps == SCAN_SORT_LANES_PERMUTED) return 0;
  if (form->what != SCAN_SORT_ALL_BITS || n > SORT_CLUSTER_MOST || !scan_sort_uses_onesweep(caps, form, max_n))
    return 0;
  const onesweep_shape shape = onesweep_shape_of(caps, form, max_n);
  return SORT_CLUSTER_BYTES(shape.key, shape.value) <= there(caps);
}

scan_launch scan_sort_cluster_step(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const onesweep_shape shape = onesweep_shape_of(caps, form, max_n);
  scan_launch step = onesweep_step(&shape,
                                   shape.value == 8   ? "sort_cluster_8"
                                   : shape.value == 4 ? "sort_cluster_4"
                                                      : "sort_cluster_0",
                                   &cluster_arguments);
  step.launch.groups = SORT_CLUSTER_GROUPS;
  step.launch.items_per_group = SORT_CLUSTER_ITEMS;
  step.launch.local_bytes = SORT_CLUSTER_BYTES(shape.key, shape.value);
  step.tile_items = SORT_CLUSTER_MOST;
  step.is_cluster = 1;
  return step;
}

scan_launch scan_sort_lanes_step(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const onesweep_shape shape = onesweep_shape_of(caps, form, max_n);
  scan_launch step = onesweep_step(&shape, "sort_lanes_0", &lanes_arguments);
  step.launch.groups = 1;
  step.launch.items_per_group = TUNE_HISTOGRAM_ITEMS;
  step.launch.local_bytes = SORT_ONESWEEP_AT_SLOTS(TUNE_HISTOGRAM_ITEMS, SORT_DIGITS, 4, 0);
  return step;
}
