/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one launch an array: on CUDA (kernels_cu/select/select_pipelined.cuh), and on OpenCL as
 * select_lookback.c says. The first launch finds the kept elements, moves the first array, and writes a bit for each
 * element, which the other launches read. It moves nothing if no array is what it looks at, or if the rest goes behind
 * the kept ones, whose number must then be known first. Lengths of runs come from bits and places, as in select.c. So
 * do the bits of runs' ends, if runs are reduced and their values are no plain sums. */
#include "base/canonical.h"
#include "base/types.h"
#include "device/arguments.h"
#include "device/control.h"
#include "kernels_cl/select/select.h"
#include "strategy/select/select.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(SELECT_PIPELINED_ARGUMENTS);
static const scan_argument_list encode_arguments = SCAN_ARGUMENTS(SELECT_ENCODE_ARGUMENTS);

enum {
  FEWEST_STAGES = 3,
  FEWEST_STAGES_OF_SUMS = 2,
  TILE_MARGIN = 256,
  MARKS_MARGIN = 128,
  LIST_BYTES = 2,       /* of an element, when runs are encoded */
  ALONE_MOST_GROUPS = 2 /* of tiles whose runs are reduced in one launch: a large GPU holds half of them at once */
};

static int is_by_runs(const scan_select_form *form) {
  return form->by == SCAN_SELECT_FIRST || form->by == SCAN_SELECT_LAST;
}

static int is_cuda(const scan_caps *caps) { return caps->info.backend == SCAN_BACKEND_CUDA; }

/* Keys below 4 bytes have no encoding kernels: they would add 6 KB each to every image. */
int scan_select_is_encoded(const scan_caps *caps, const scan_select_form *form) {
  if (!is_cuda(caps) || !scan_select_is_of_runs(form) || scan_select_reduces(form)) return 0;
  return form->bytes[0] >= 4;
}

int scan_select_is_reduced(const scan_caps *caps, const scan_select_form *form) {
  return is_cuda(caps) && form->sum_type != SCAN_TYPE_DEFAULT;
}

/* 1 if the kernels handle elements of that size and alignment. */
static int is_supported(uint32_t bytes, uint32_t align) {
  return (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) && align >= (bytes < 4 ? bytes : 4);
}

/* The most elements of a tile. */
static uint32_t tile_items(const scan_caps *caps, uint32_t bytes) {
  return TUNE_SELECT_PARTS(caps->tuning.image) * SELECT_PART_ITEMS(bytes);
}

/* Bytes of a stage: a tile of `items` elements and its marks, with margins. */
static uint32_t stage_bytes(uint32_t by, uint32_t items, uint32_t bytes) {
  const uint32_t marks = by == SCAN_SELECT_FLAGS ? items : by == SCAN_SELECT_BITS ? items / 8 : 0;
  return items * bytes + TILE_MARGIN + (marks != 0 ? marks + MARKS_MARGIN : 0);
}

/* Bytes of the two lists before the stages, when runs are encoded. */
static uint32_t list_bytes(uint32_t items) { return 2 * LIST_BYTES * items; }

/* Bytes of the buffers for kept elements, which have the size of a stage without marks. */
static uint32_t buffer_bytes(const scan_caps *caps, uint32_t by, uint32_t bytes) {
  const int runs = by == SCAN_SELECT_FIRST || by == SCAN_SELECT_LAST;
  const uint32_t buffers = TUNE_SELECT_BUFFERS(caps->tuning.image, runs);
  return buffers * stage_bytes(SCAN_SELECT_PREDICATE, tile_items(caps, bytes), bytes);
}

static uint32_t ring_stages(const scan_caps *caps, uint32_t bytes_of_stage, uint32_t beside, uint32_t most) {
  const uint32_t there = caps->dynamic_local_bytes + TUNE_PIPE_OWN_BYTES(8) - TUNE_SELECT_OWN_BYTES;
  const uint32_t fit = there > beside ? (there - beside) / bytes_of_stage : 0;
  return fit < most ? fit : most;
}

/* Sums of runs have tiles of the canonical order. */
static uint32_t sums_stage_bytes(uint32_t bytes) {
  return stage_bytes(SCAN_SELECT_BITS, SELECT_SUMS_PARTS * SELECT_PART_ITEMS(bytes), bytes);
}

static int has_images(const scan_caps *caps) {
  if (!is_cuda(caps) || caps->dynamic_local_bytes == 0 || caps->has_stalled) return 0;
  const uint32_t items = tile_items(caps, 4);
  if (ring_stages(caps, stage_bytes(SCAN_SELECT_FIRST, items, 4), list_bytes(items), FEWEST_STAGES) < FEWEST_STAGES)
    return 0;
  if (ring_stages(caps, sums_stage_bytes(4), 0, FEWEST_STAGES_OF_SUMS) < FEWEST_STAGES_OF_SUMS) return 0;
  const uint32_t beside = buffer_bytes(caps, SCAN_SELECT_FLAGS, 4);
  return ring_stages(caps, stage_bytes(SCAN_SELECT_FLAGS, items, 4), beside, FEWEST_STAGES) == FEWEST_STAGES;
}

int scan_select_is_pipelined(const scan_caps *caps, const scan_select_form *form) {
  if (!has_images(caps) && scan_select_lookback_warps(caps) == 0) return 0;
  if (form->predicate != NULL && !is_supported(form->predicate->input_bytes, form->predicate->input_align)) return 0;
  for (uint32_t a = 0; a < form->arrays; a++)
    if (!is_supported(form->bytes[a], form->align[a])) return 0;
  return 1;
}

/* With few elements every compute unit may have a tile, and runs that are reduced have tiles of the canonical order: so
 * a minimum applies. */
uint32_t scan_select_tile_capacity(const scan_caps *caps, uint64_t max_n) {
  const uint32_t looks_back = scan_select_lookback_smallest_tile(caps),
                 items = looks_back ? looks_back : tile_items(caps, 16);
  const uint64_t tiles = max_n / items + (max_n % items != 0);
  const uint64_t least = caps->info.compute_units > CANON_GROUP_TILES ? caps->info.compute_units : CANON_GROUP_TILES;
  return (uint32_t)(tiles > least ? tiles : least);
}

uint64_t scan_select_lookback_state_bytes(const scan_caps *caps, const scan_select_form *form, uint64_t max_n) {
  const uint64_t words = scan_select_is_reduced(caps, form) ? SELECT_REDUCE_WORDS(form->bytes[1]) : 1;
  return SCAN_CONTROL_BYTES + SELECT_WORDS((uint64_t)scan_select_tile_capacity(caps, max_n)) * words * sizeof(uint64_t);
}

/* Parts of a tile: as few as give every compute unit a tile. */
static uint32_t parts_of(const scan_caps *caps, uint32_t bytes, uint64_t n) {
  const uint64_t parts = (n - 1) / ((uint64_t)caps->info.compute_units * SELECT_PART_ITEMS(bytes)) + 1;
  const uint32_t most = TUNE_SELECT_PARTS(caps->tuning.image);
  return parts < most ? (uint32_t)parts : most;
}

static const char *kernel_of(uint32_t by, uint32_t bytes, int is_index) {
  if (by == SCAN_SELECT_FLAGS)
    return is_index      ? "select_pipelined_index_flags"
           : bytes == 16 ? "select_pipelined_flags_wide"
                         : "select_pipelined_flags";
  return is_index      ? "select_pipelined_index_bits"
         : bytes == 16 ? "select_pipelined_bits_wide"
                       : "select_pipelined_bits";
}

/* A launch over n elements of `bytes` bytes with tiles of `parts` parts; `by` is a scan_select_by. */
static scan_launch step_by_parts(const scan_caps *caps, uint32_t by, uint32_t bytes, uint64_t n, uint32_t parts,
                                 int array) {
  const uint64_t items = (uint64_t)parts * SELECT_PART_ITEMS(bytes), tiles = n / items + (n % items != 0);
  const uint32_t image = caps->tuning.image, each = stage_bytes(by, tile_items(caps, bytes), bytes);
  const uint32_t beside = buffer_bytes(caps, by, bytes);
  return (scan_launch){
    .launch = { .file = "select_pipelined.cuh",
                .arguments = &arguments,
                .groups = tiles < caps->info.compute_units ? (uint32_t)tiles : caps->info.compute_units,
                .items_per_group = (uint32_t)TUNE_SELECT_ITEMS(image, by),
                .local_bytes = beside + ring_stages(caps, each, beside, TUNE_SELECT_MOST_STAGES) * each },
    .type = scan_select_moved_type(bytes),
    .primitive = "select_pipelined",
    .tile_parts = parts,
    .array = array
  };
}

static scan_launch pipelined_step(const scan_caps *caps, uint32_t by, uint32_t bytes, uint64_t n, int array) {
  if (caps->info.backend == SCAN_BACKEND_OPENCL) return scan_select_lookback_step(caps, by, bytes, n, array);
  return step_by_parts(caps, by, bytes, n, n == 0 ? 1 : parts_of(caps, bytes, n), array);
}

/* A launch by flags or bits that moves an array's elements or indices; without an array it moves nothing. */
static scan_launch move_step(const scan_caps *caps, const scan_select_form *form, uint32_t by, uint64_t n, int array) {
  const int is_index = array == SCAN_NO_ARRAY || form->what[array] == SCAN_SELECT_INDICES;
  const uint32_t bytes = array == SCAN_NO_ARRAY ? 4 : form->bytes[array];
  scan_launch step = pipelined_step(caps, by, bytes, n, array);
  step.flags = array == SCAN_NO_ARRAY ? 0 : scan_select_flags(form);
  if (is_cuda(caps))
    step.launch.kernel = kernel_of(by, bytes, is_index);
  else if (is_index)
    step.flags |= SELECT_INDICES;
  return step;
}

/* A launch by the keys or the predicate. It moves `array` if that holds what it looks at. */
static scan_launch look_step(const scan_caps *caps, const scan_select_form *form, uint64_t n, int array) {
  const scan_source *predicate = form->predicate;
  const uint32_t bytes =
      predicate != NULL ? predicate->input_bytes : (uint32_t)scan_type_bytes((scan_type)form->key_type);
  const uint32_t by = predicate != NULL ? (uint32_t)SCAN_SELECT_PREDICATE : form->by;
  scan_launch step = pipelined_step(caps, by, bytes, n, array);
  if (is_cuda(caps)) step.launch.kernel = predicate != NULL ? "select_pipelined" : "select_pipelined_runs";
  step.flags = array == SCAN_NO_ARRAY ? scan_select_flags(form) & SELECT_LAST : scan_select_flags(form);
  if (predicate == NULL) {
    step.type = scan_type_for_kernel((scan_type)form->key_type, SCAN_ADD);
  } else {
    step.type = SCAN_TYPE_DEFAULT;
    step.primitive = NULL;
    step.source = predicate;
  }
  return step;
}

static scan_launch encode_step(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  const uint32_t items = tile_items(caps, form->bytes[0]), beside = list_bytes(items);
  const uint32_t each = stage_bytes(form->by, items, form->bytes[0]);
  scan_launch step = pipelined_step(caps, form->by, form->bytes[0], n, SCAN_NO_ARRAY);
  step.launch.kernel = "select_pipelined_encode";
  step.launch.arguments = &encode_arguments;
  step.launch.local_bytes = beside + ring_stages(caps, each, beside, TUNE_SELECT_ENCODE_STAGES) * each;
  step.type = scan_type_for_kernel((scan_type)form->key_type, SCAN_ADD);
  step.flags = scan_select_encode_flags(form);
  step.encodes = 1;
  return step;
}

static scan_launch array_step(const scan_caps *caps, const scan_select_form *form, uint64_t n, int array) {
  if (form->what[array] == SCAN_SELECT_LENGTHS) return scan_select_lengths_step(caps, form, n, array);
  scan_launch step = move_step(caps, form, SCAN_SELECT_BITS, n, array);
  step.reads_bits = form->by != SCAN_SELECT_BITS;
  return step;
}

/* The launch that sums runs of the caller's values, in parts and tiles of the canonical order. */
static scan_launch sums_step(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  const uint32_t bytes = form->bytes[1], each = sums_stage_bytes(bytes);
  scan_launch step = step_by_parts(caps, SCAN_SELECT_BITS, bytes, n, canon_subtiles(n, bytes), 1);
  step.launch.kernel = "select_pipelined_reduce";
  step.launch.items_per_group = (uint32_t)TUNE_SELECT_ITEMS(TUNE_LARGE_IMAGE(caps->tuning.image), SCAN_SELECT_BITS);
  step.launch.local_bytes = ring_stages(caps, each, 0, TUNE_SELECT_REDUCE_STAGES) * each;
  step.type = (scan_type)form->sum_type;
  step.reads_run_starts = 1;
  return step;
}

/* Shared memory of a work-group that reduces the runs of a tile: the tile's values, the bits of run starts, and keys.
 */
static uint32_t alone_bytes(const scan_select_form *form) {
  return sums_stage_bytes(form->bytes[1]) + SELECT_SUMS_PARTS * SELECT_ALONE_KEYS(form->bytes[1], form->bytes[0]);
}

/* The most tiles whose runs one launch reduces, a work-group a tile. */
static uint64_t alone_tiles(const scan_caps *caps, const scan_select_form *form) {
  const uint64_t tiles = (uint64_t)ALONE_MOST_GROUPS * CANON_GROUP_TILES, most = caps->tuning.most_groups;
  if (!scan_select_is_reduced(caps, form) || ring_stages(caps, alone_bytes(form), 0, 1) == 0) return 0;
  return most != 0 && most < tiles ? most : tiles;
}

uint64_t scan_select_alone_items(const scan_caps *caps, const scan_select_form *form) {
  const uint64_t tiles = alone_tiles(caps, form), bytes = form->bytes[1];
  if (tiles < CANON_GROUP_TILES) return tiles == 0 ? 0 : tiles * canon_subtile_items(bytes);
  return tiles * canon_small_items(bytes);
}

/* 1 if one launch reduces the runs of n elements. */
static int is_alone(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  return canon_tile_capacity(n, form->bytes[1]) <= alone_tiles(caps, form);
}

/* The warps that a part of a tile has: 1 if there may be more tiles than compute units, and a unit holds two
 * work-groups. */
static uint32_t alone_warps(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  const int are_many = canon_tile_capacity(n, form->bytes[1]) > caps->info.compute_units;
  return are_many && ring_stages(caps, 2 * alone_bytes(form), 0, 1) != 0 ? 1 : 2;
}

/* The launch that reduces the runs of few elements, keys included. */
static scan_launch alone_step(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  scan_launch step = sums_step(caps, form, n);
  step.launch.groups = n == 0 ? 1 : (uint32_t)canon_tiles(n, form->bytes[1]);
  const uint32_t warps = alone_warps(caps, form, n);
  step.launch.kernel = warps == 1 ? "select_pipelined_alone1" : "select_pipelined_alone2";
  step.launch.items_per_group = SELECT_ALONE_ITEMS(warps);
  step.launch.local_bytes = alone_bytes(form);
  step.flags = SELECT_OF_KEYS((uint32_t)scan_type_for_kernel((scan_type)form->key_type, SCAN_ADD));
  step.array = SCAN_NO_ARRAY;
  step.reads_run_starts = 0;
  step.reduces = 1;
  return step;
}

/* Writes one launch for few elements, else two. The first finds where runs begin and, if `keys` is the array of keys,
 * moves the last key of each run. The second sums the runs or, after a scan of all values, finds where they end. */
static int reduce_steps(const scan_caps *caps, const scan_select_form *form, uint64_t n, int keys, scan_launch *steps) {
  if (is_alone(caps, form, n)) {
    steps[0] = alone_step(caps, form, n);
    return 1;
  }
  steps[0] = look_step(caps, form, n, keys);
  steps[0].flags = keys == SCAN_NO_ARRAY ? SELECT_EMITS : SELECT_LAST | SELECT_EMITS | SELECT_RUN_FIRSTS;
  steps[0].makes_run_starts = 1;
  steps[1] = scan_select_is_reduced(caps, form) ? sums_step(caps, form, n) : scan_select_ends_step(caps, form, n);
  return 2;
}

/* The launch that moves the last key of each run and leaves bits and places for the reduction of values. */
static scan_launch ends_step(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  scan_launch step = look_step(caps, form, n, 0);
  step.flags = SELECT_LAST | SELECT_EMITS | SELECT_PLACES;
  return step;
}

/* Tiles of n elements of the first array; UINT64_MAX if the device's kernels neither hold all tiles of a launch nor
 * move two arrays: those with buffers, and OpenCL's. */
static uint64_t first_tiles(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  const uint32_t bytes = form->bytes[0];
  const uint64_t items = (n == 0 ? 1 : parts_of(caps, bytes, n)) * (uint64_t)SELECT_PART_ITEMS(bytes);
  const uint64_t tiles = n / items + (n % items != 0), most = caps->tuning.most_groups;
  if (!is_cuda(caps) || buffer_bytes(caps, form->by, bytes) != 0 || (most != 0 && tiles > most)) return UINT64_MAX;
  return tiles;
}

/* 1 if a launch's work-groups hold all tiles in their stages, and so find the number of all kept elements themselves.
 */
static int finds_total(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  const uint32_t bytes = form->bytes[0], each = stage_bytes(form->by, tile_items(caps, bytes), bytes);
  const uint64_t tiles = first_tiles(caps, form, n);
  const uint32_t stages = ring_stages(caps, each, 0, TUNE_SELECT_MOST_STAGES);
  return stages > 0 && tiles != UINT64_MAX && tiles / stages < caps->info.compute_units;
}

/* 1 if the launch for the first array moves the second one, too. */
static int moves_second(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  if (form->arrays != 2 || form->rest != SCAN_REST_DROPPED || form->in_place) return 0;
  if (form->pass != 0 || scan_select_reduces(form)) return 0;
  if (form->by == SCAN_SELECT_BITS || form->what[0] != SCAN_SELECT_MOVED || form->what[1] != SCAN_SELECT_MOVED)
    return 0;
  if (form->bytes[0] < 4 || form->bytes[1] != form->bytes[0]) return 0;
  return first_tiles(caps, form, n) <= caps->info.compute_units;
}

static int pipelined_steps(const scan_caps *caps, const scan_select_form *form, int is_fused, uint64_t n,
                           scan_launch *steps) {
  const int looks = is_by_runs(form) || form->predicate != NULL;
  const int is_behind = form->rest == SCAN_REST_BEHIND, is_counted = is_behind && !finds_total(caps, form, n);
  const int has_first = !is_counted && (!looks || is_fused || scan_select_is_of_runs(form));
  int count = 0, first = has_first ? 0 : SCAN_NO_ARRAY;
  if (scan_select_is_encoded(caps, form)) {
    steps[0] = encode_step(caps, form, n);
    return 1;
  }
  if (scan_select_reduces(form)) {
    first = is_cuda(caps) ? 0 : SCAN_NO_ARRAY;
    count = reduce_steps(caps, form, n, first, steps);
    if (scan_select_is_reduced(caps, form)) return count;
  } else {
    steps[count++] = looks ? look_step(caps, form, n, first) : move_step(caps, form, form->by, n, first);
  }
  if (has_first && is_behind) steps[0].flags |= SELECT_TOTAL;
  if (has_first && moves_second(caps, form, n)) {
    steps[0].flags |= SELECT_SECOND;
    return count;
  }
  for (int a = first + 1; a < (int)form->arrays; a++) steps[count++] = array_step(caps, form, n, a);
  if (steps[0].makes_run_starts && first == SCAN_NO_ARRAY) steps[count - 1].counts = 1;
  if (count > 1 && form->by != SCAN_SELECT_BITS) steps[0].flags |= SELECT_EMITS;
  if (scan_select_has_lengths(form)) steps[0].flags |= SELECT_PLACES;
  if (form->pass != 0) {
    steps[0].flags |= SELECT_LEFT;
    steps[0].writes_left = 1;
  }
  return count;
}

static int own_steps(const scan_caps *caps, const scan_select_form *form, scan_select_variant chosen, uint64_t n,
                     scan_launch *steps) {
  if (chosen.sums != NULL) {
    steps[0] = scan_select_threads_reduce_step(caps, form, chosen.sums);
    return 1;
  }
  if (scan_select_is_by_threads(caps, form)) return scan_select_threads_steps(caps, form, steps);
  if (chosen.is_pipelined && chosen.is_by_ends) {
    steps[0] = ends_step(caps, form, n);
    return 1;
  }
  if (chosen.is_pipelined) return pipelined_steps(caps, form, chosen.is_fused, n, steps);
  return scan_select_plain_steps(caps, form, chosen.is_by_ends, n, steps);
}

int scan_select_steps(const scan_caps *caps, const scan_select_form *form, scan_select_variant chosen, uint64_t n,
                      scan_launch *steps) {
  int count = own_steps(caps, form, chosen, n, steps);
  if (form->pass != 0 && !chosen.is_pipelined) steps[count++] = scan_select_left_step(caps, form);
  return count;
}
