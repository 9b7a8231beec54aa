/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy/select/select.h"

#include "base/types.h"
#include "device/arguments.h"
#include "kernels_cl/select/select.h"

static const scan_argument_list mark_arguments = SCAN_ARGUMENTS(SELECT_MARK_ARGUMENTS);
static const scan_argument_list left_arguments = SCAN_ARGUMENTS(SELECT_LEFT_ARGUMENTS);
static const scan_argument_list predicate_arguments = SCAN_ARGUMENTS(SELECT_PREDICATE_ARGUMENTS);
static const scan_argument_list places_arguments = SCAN_ARGUMENTS(SELECT_PLACES_ARGUMENTS);
static const scan_argument_list move_arguments = SCAN_ARGUMENTS(SELECT_MOVE_ARGUMENTS);
static const scan_argument_list lengths_arguments = SCAN_ARGUMENTS(SELECT_LENGTHS_ARGUMENTS);

enum { WIDEST_PIECE = 8 };

uint64_t scan_select_limit(const scan_caps *caps) {
  const uint64_t most = caps->loop_limit != 0 ? caps->loop_limit - 1 : INT32_MAX;
  return most * SELECT_TILE_ITEMS;
}

uint32_t scan_select_most_element_words(const scan_caps *caps) {
  return caps->loop_limit != 0 && caps->tuning.group_items == 1 ? caps->loop_limit / SELECT_TILE_ITEMS - 2 : UINT32_MAX;
}

uint64_t scan_select_mark_bytes(const scan_select_form *form, uint64_t n) {
  if (form->by == SCAN_SELECT_FLAGS) return n;
  if (form->by == SCAN_SELECT_BITS) return (n / 32 + (n % 32 != 0)) * 4;
  if (form->predicate != NULL) return n * form->predicate->input_bytes;
  return n * scan_type_bytes((scan_type)form->key_type);
}

uint64_t scan_select_count_bytes(uint64_t max_n) { return (SELECT_TILES(max_n) + 1) * sizeof(uint64_t); }

uint64_t scan_select_bits_bytes(const scan_select_form *form, uint64_t max_n) {
  return form->by == SCAN_SELECT_BITS && !scan_select_is_marked(form) ? 0 : (max_n / 32 + (max_n % 32 != 0)) * 4;
}

static uint32_t piece_bytes(const scan_select_form *form, uint32_t array) {
  return form->align[array] < WIDEST_PIECE ? form->align[array] : WIDEST_PIECE;
}

uint32_t scan_select_element_words(const scan_select_form *form, uint32_t array) {
  return form->bytes[array] / piece_bytes(form, array);
}

uint32_t scan_select_flags(const scan_select_form *form) {
  return (form->by == SCAN_SELECT_LAST ? SELECT_LAST : 0u) | (form->rest != SCAN_REST_DROPPED ? SELECT_REST : 0u) |
         (form->rest == SCAN_REST_BEHIND ? SELECT_BEHIND : 0u);
}

uint32_t scan_select_encode_flags(const scan_select_form *form) {
  uint32_t flags = 0;
  for (uint32_t a = 1; a < form->arrays; a++) {
    const uint32_t is_wide = form->bytes[a] == 8;
    if (form->what[a] == SCAN_SELECT_LENGTHS) flags |= SELECT_RUN_LENGTHS | (is_wide ? SELECT_WIDE_LENGTHS : 0u);
    if (form->what[a] == SCAN_SELECT_INDICES) flags |= SELECT_RUN_STARTS | (is_wide ? SELECT_WIDE_STARTS : 0u);
  }
  return flags;
}

scan_type scan_select_sum_type(const scan_problem *scan) {
  const scan_source *source = scan->source;
  if (source == NULL || source->map != NULL || source->emit != NULL) return SCAN_TYPE_DEFAULT;
  return scan->has_init || scan->checks ? SCAN_TYPE_DEFAULT : source->sum;
}

scan_type scan_select_moved_type(uint32_t bytes) {
  switch (bytes) {
  case 1: return SCAN_U8;
  case 2: return SCAN_U16;
  case 4: return SCAN_U32;
  default: return SCAN_U64;
  }
}

static scan_type move_type(const scan_select_form *form, uint32_t array) {
  return scan_select_moved_type(piece_bytes(form, array));
}

/* A file, and the CUDA image of its kernels, as arguments of step_of. */
#define MARKS "select_marks.cl", "select_marks"
#define MOVES "select.cl", "select"

static scan_launch select_step(const char *file, const char *primitive, const char *kernel, scan_type type,
                               const scan_argument_list *arguments, const scan_caps *caps, uint64_t groups) {
  return (scan_launch){ .launch = { .file = file,
                                    .kernel = kernel,
                                    .arguments = arguments,
                                    .groups = (uint32_t)groups,
                                    .items_per_group = caps->tuning.group_items },
                        .type = type,
                        .primitive = primitive,
                        .array = SCAN_NO_ARRAY,
                        .has_places = 1 };
}

static scan_launch runs_step(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  const scan_type type = scan_type_for_kernel((scan_type)form->key_type, SCAN_ADD);
  return select_step(MARKS, "select_runs", type, &mark_arguments, caps, SELECT_TILES(n));
}

scan_launch scan_select_ends_step(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  scan_launch step = select_step(MOVES, "select_ends", move_type(form, 0), &mark_arguments, caps, SELECT_TILES(n));
  step.reads_run_starts = 1;
  return step;
}

scan_launch scan_select_lengths_step(const scan_caps *caps, const scan_select_form *form, uint64_t n, int array) {
  scan_launch step =
      select_step(MOVES, "select_lengths", move_type(form, (uint32_t)array), &lengths_arguments, caps, SELECT_TILES(n));
  step.array = array;
  return step;
}

static scan_launch flags_step(const scan_caps *caps, uint64_t n) {
  return select_step(MARKS, "select_flags", SCAN_U8, &mark_arguments, caps, SELECT_TILES(n));
}

static scan_launch predicate_step(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  scan_launch step = select_step("select_predicate.cl", NULL, "select_predicate", SCAN_TYPE_DEFAULT,
                                 &predicate_arguments, caps, SELECT_TILES(n));
  step.source = form->predicate;
  return step;
}

/* Its kernel is in the predicate's program, which the pass builds anyway. */
scan_launch scan_select_left_step(const scan_caps *caps, const scan_select_form *form) {
  scan_launch step =
      select_step("select_predicate.cl", NULL, "select_left", SCAN_TYPE_DEFAULT, &left_arguments, caps, 1);
  step.source = form->predicate;
  step.writes_left = 1;
  step.has_places = 0;
  return step;
}

/* The launch that counts marks. The caller's bits are counted by a kernel of the program that moves the first array. */
static scan_launch mark_step(const scan_caps *caps, const scan_select_form *form, uint64_t n) {
  if (scan_select_reduces(form)) return scan_select_ends_step(caps, form, n);
  if (form->predicate != NULL) return predicate_step(caps, form, n);
  switch (form->by) {
  case SCAN_SELECT_BITS:
    return select_step(MOVES, "select_bits", move_type(form, 0), &mark_arguments, caps, SELECT_TILES(n));
  case SCAN_SELECT_FLAGS: return flags_step(caps, n);
  default: return runs_step(caps, form, n);
  }
}

static scan_launch array_step(const scan_caps *caps, const scan_select_form *form, uint64_t n, int array) {
  const char *kernel = form->what[array] == SCAN_SELECT_INDICES ? "select_index" : "select_move";
  if (form->what[array] == SCAN_SELECT_LENGTHS) return scan_select_lengths_step(caps, form, n, array);
  scan_launch step =
      select_step(MOVES, kernel, move_type(form, (uint32_t)array), &move_arguments, caps, SELECT_TILES(n));
  step.element_words = scan_select_element_words(form, (uint32_t)array);
  step.array = array;
  return step;
}

int scan_select_is_by_ends(const scan_caps *caps, const scan_problem *scan, scan_strategy strategy) {
  const int has_own_emit = scan->source->emit != NULL && !scan->source->is_builtin; /* it reads the element, too */
  if (caps->info.backend != SCAN_BACKEND_OPENCL || strategy != SCAN_STRATEGY_AUTO || has_own_emit) return 0;
  const scan_segments_method method = scan_segments_method_of(caps, scan);
  return method == SCAN_SEGMENTS_BY_ITEMS || method == SCAN_SEGMENTS_STAGED;
}

int scan_select_plain_steps(const scan_caps *caps, const scan_select_form *form, int is_by_ends, uint64_t n,
                            scan_launch *steps) {
  const int finds_ends = is_by_ends && form->by == SCAN_SELECT_LAST; /* in place of first elements */
  int count = 0;
  if (scan_select_reduces(form) && form->by != SCAN_SELECT_BITS && !finds_ends) {
    steps[count] = form->by == SCAN_SELECT_FLAGS ? flags_step(caps, n) : runs_step(caps, form, n);
    steps[count++].makes_run_starts = 1;
  }
  const int first = count;
  steps[count++] = finds_ends ? runs_step(caps, form, n) : mark_step(caps, form, n);
  steps[count++] = select_step(MOVES, "select_places", move_type(form, 0), &places_arguments, caps, 1);
  for (uint32_t a = 0; a < form->arrays; a++)
    if (!is_by_ends || form->what[a] != SCAN_SELECT_VALUES) steps[count++] = array_step(caps, form, n, (int)a);
  for (int i = first; i < count; i++) steps[i].flags = scan_select_flags(form);
  return count;
}
