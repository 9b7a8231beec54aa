/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy/select.h"

#include "base/types.h"
#include "device/arguments.h"
#include "kernels_cl/select.h"

static const scan_argument_list mark_arguments = SCAN_ARGUMENTS(SELECT_MARK_ARGUMENTS);
static const scan_argument_list predicate_arguments = SCAN_ARGUMENTS(SELECT_PREDICATE_ARGUMENTS);
static const scan_argument_list places_arguments = SCAN_ARGUMENTS(SELECT_PLACES_ARGUMENTS);
static const scan_argument_list move_arguments = SCAN_ARGUMENTS(SELECT_MOVE_ARGUMENTS);
static const scan_argument_list lengths_arguments = SCAN_ARGUMENTS(SELECT_LENGTHS_ARGUMENTS);

enum { WIDEST_PIECE = 8 };

uint64_t scan_select_limit(const scan_caps *caps) {
  const uint64_t most = caps->loop_limit != 0 ? caps->loop_limit - 1 : INT32_MAX;
  return most * SELECT_TILE_ITEMS;
}

uint32_t scan_select_most_pieces(const scan_caps *caps) {
  return caps->loop_limit != 0 && caps->tuning.group_items == 1 ? caps->loop_limit / SELECT_TILE_ITEMS - 2 : UINT32_MAX;
}

uint64_t scan_select_mark_bytes(const scan_select_form *form, uint64_t n) {
  if (form->by == SCAN_SELECT_FLAGS) return n;
  if (form->by == SCAN_SELECT_BITS) return (n / 32 + (n % 32 != 0)) * 4;
  if (form->by == SCAN_SELECT_PREDICATE) return n * form->predicate->input_bytes;
  return n * scan_type_bytes((scan_type)form->key_type);
}

uint64_t scan_select_count_bytes(uint64_t max_n) { return (SELECT_TILES(max_n) + 1) * sizeof(uint64_t); }

uint64_t scan_select_bits_bytes(const scan_select_form *form, uint64_t max_n) {
  return form->by == SCAN_SELECT_BITS ? 0 : (max_n / 32 + (max_n % 32 != 0)) * 4;
}

static uint32_t piece_bytes(const scan_select_form *form, uint32_t array) {
  return form->align[array] < WIDEST_PIECE ? form->align[array] : WIDEST_PIECE;
}

uint32_t scan_select_pieces(const scan_select_form *form, uint32_t array) {
  return form->bytes[array] / piece_bytes(form, array);
}

uint32_t scan_select_flags(const scan_select_form *form, int has_n_from) {
  return (form->by == SCAN_SELECT_LAST ? SELECT_LAST : 0u) | (has_n_from ? SELECT_N_FROM : 0u) |
         (form->rest != SCAN_REST_DROPPED ? SELECT_REST : 0u) | (form->rest == SCAN_REST_BEHIND ? SELECT_BEHIND : 0u);
}

/* Elements are moved as unsigned integers. */
static scan_type move_type(const scan_select_form *form, uint32_t array) {
  switch (piece_bytes(form, array)) {
  case 1: return SCAN_U8;
  case 2: return SCAN_U16;
  case 4: return SCAN_U32;
  default: return SCAN_U64;
  }
}

/* A file, and the CUDA image of its kernels. */
#define MARKS "select_marks.cl", "select_marks"
#define MOVES "select.cl", "select"

static scan_select_step step_of(const char *file, const char *primitive, const char *kernel, scan_type type,
                                const scan_argument_list *arguments, uint64_t groups, uint32_t items) {
  return (scan_select_step){ .launch = { .file = file,
                                         .kernel = kernel,
                                         .arguments = arguments,
                                         .groups = (uint32_t)groups,
                                         .items_per_group = items },
                             .type = type,
                             .primitive = primitive };
}

static scan_select_step runs_step(const scan_select_form *form, uint64_t groups, uint32_t items) {
  const scan_type type = scan_type_for_kernel((scan_type)form->key_type, SCAN_ADD);
  return step_of(MARKS, "select_runs", type, &mark_arguments, groups, items);
}

/* Bits of the caller's are counted by the program that moves the first array. */
static scan_select_step mark_step(const scan_select_form *form, uint64_t groups, uint32_t items) {
  if (scan_select_reduces(form))
    return step_of(MOVES, "select_ends", move_type(form, 0), &mark_arguments, groups, items);
  if (form->by == SCAN_SELECT_BITS)
    return step_of(MOVES, "select_bits", move_type(form, 0), &mark_arguments, groups, items);
  if (form->by == SCAN_SELECT_PREDICATE)
    return step_of("select_predicate.cl", NULL, "select_predicate", SCAN_TYPE_DEFAULT, &predicate_arguments, groups,
                   items);
  if (form->by == SCAN_SELECT_FLAGS) return step_of(MARKS, "select_flags", SCAN_U8, &mark_arguments, groups, items);
  return runs_step(form, groups, items);
}

static scan_select_step array_step(const scan_select_form *form, uint32_t array, uint64_t groups, uint32_t items) {
  const scan_type type = move_type(form, array);
  switch (form->what[array]) {
  case SCAN_SELECT_INDICES: return step_of(MOVES, "select_index", type, &move_arguments, groups, items);
  case SCAN_SELECT_LENGTHS: return step_of(MOVES, "select_lengths", type, &lengths_arguments, groups, items);
  default: return step_of(MOVES, "select_move", type, &move_arguments, groups, items);
  }
}

int scan_select_steps(const scan_caps *caps, const scan_select_form *form, uint64_t n,
                      scan_select_step steps[SCAN_SELECT_MOST_STEPS]) {
  const uint32_t items = caps->tuning.group_items;
  const uint64_t groups = SELECT_TILES(n);
  int count = 0;
  steps[count++] = mark_step(form, groups, items);
  steps[count++] = step_of(MOVES, "select_places", move_type(form, 0), &places_arguments, 1, items);
  for (uint32_t a = 0; a < form->arrays; a++) steps[count++] = array_step(form, a, groups, items);
  if (scan_select_reduces(form)) steps[count++] = runs_step(form, groups, items);
  return count;
}
