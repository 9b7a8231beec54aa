/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of compactions, all made before anything is launched. */
#include <inttypes.h>
#include <string.h>

#include "base/structs.h"
#include "ops/select/select_run.h"
#include "core/unused.h"
#include "device/caps.h"
#include "core/op.h"

enum { MOST_BYTES = 64, MOST_ALIGN = 16 };

/* ---- the spec ---- */

static int is_by_runs(uint32_t by) { return by == SCAN_SELECT_FIRST || by == SCAN_SELECT_LAST; }

scan_status scan_select_key_check(scan_ctx *ctx, scan_type type) {
  if (scan_type_name(type) == NULL) FAIL_INVALID("spec->key_type is %d, which is no type", (int)type);
  const char *refusal = scan_caps_refuse_type(&ctx->caps, type);
  if (refusal != NULL)
    FAIL_UNSUPPORTED("%s: %s (%s) %s", scan_type_name(type), ctx->caps.info.selector, ctx->caps.info.name, refusal);
  return SCAN_SUCCESS;
}

static scan_status check_by(scan_ctx *ctx, const scan_select_spec *spec) {
  if ((unsigned)spec->by < SCAN_SELECT_FLAGS || (unsigned)spec->by > SCAN_SELECT_PREDICATE)
    FAIL_INVALID("spec->by is %d, which is no scan_select_by: say what keeps an element", (int)spec->by);
  if ((unsigned)spec->rest > SCAN_REST_APART)
    FAIL_INVALID("spec->rest is %d, which is no scan_select_rest", (int)spec->rest);
  if (!is_by_runs(spec->by)) {
    if (spec->key_type != SCAN_TYPE_DEFAULT)
      FAIL_INVALID("spec->key_type is %d, and spec->by names no keys: set it to 0", (int)spec->key_type);
    return SCAN_SUCCESS;
  }
  if (spec->predicate != NULL && spec->key_type != SCAN_TYPE_DEFAULT)
    FAIL_INVALID(
        "spec->key_type is %d, and spec->predicate says which neighbours are of one run: set one or the other to 0",
        (int)spec->key_type);
  return spec->predicate != NULL ? SCAN_SUCCESS : scan_select_key_check(ctx, spec->key_type);
}

scan_status scan_select_flags_check(scan_ctx *ctx, uint64_t flags, uint32_t *clamps) {
  if (flags & ~(uint64_t)SCAN_N_FROM_CLAMP)
    FAIL_INVALID("spec->flags is 0x%" PRIx64 ": it is SCAN_N_FROM_CLAMP or 0", flags);
  *clamps = flags != 0;
  return SCAN_SUCCESS;
}

static scan_status check_in_place(scan_ctx *ctx, const scan_select_spec *spec) {
  if (spec->in_place > 1)
    FAIL_INVALID("spec->in_place is %u: 0, or 1 where outputs may be their inputs", spec->in_place);
  if (spec->in_place && spec->index_type != SCAN_TYPE_DEFAULT)
    FAIL_INVALID(
        "spec->in_place and spec->index_type: indices are written, and no input is read that they could be written "
        "over; set one of them to 0");
  return SCAN_SUCCESS;
}

static scan_status check_predicate(scan_ctx *ctx, const scan_select_spec *spec, scan_select_form *form) {
  const int wants_pair = is_by_runs(spec->by), is_wanted = spec->by == SCAN_SELECT_PREDICATE;
  if (!wants_pair && !is_wanted && spec->predicate != NULL)
    FAIL_INVALID("spec->predicate is given, and spec->by is not SCAN_SELECT_PREDICATE: set one or the other");
  if (!is_wanted && spec->predicate == NULL) return SCAN_SUCCESS;
  form->predicate = scan_op_enter(ctx, spec->predicate, SCAN_OP_PREDICATE);
  if (form->predicate == NULL) return SCAN_INVALID_ARGUMENT;
  if (form->predicate->is_pair && !wants_pair)
    FAIL_INVALID(
        "%s is a predicate of two elements, and spec->by is SCAN_SELECT_PREDICATE: set it to SCAN_SELECT_FIRST or "
        "SCAN_SELECT_LAST",
        form->predicate->combine);
  if (!form->predicate->is_pair && wants_pair)
    FAIL_INVALID("%s is a predicate of one element, and spec->by keeps the %s of each run: make it of "
                 "SCAN_PREDICATE_PAIR_INIT, or set spec->by to SCAN_SELECT_PREDICATE",
                 form->predicate->combine, spec->by == SCAN_SELECT_FIRST ? "first" : "last");
  return SCAN_SUCCESS;
}

static uint32_t natural_align(uint32_t bytes) {
  const uint32_t lowest = bytes & (0u - bytes);
  return lowest < MOST_ALIGN ? lowest : MOST_ALIGN;
}

void scan_select_add(scan_select_form *form, scan_select_what what, uint32_t bytes, uint32_t align) {
  form->what[form->arrays] = what;
  form->bytes[form->arrays] = bytes;
  form->align[form->arrays++] = align != 0 ? align : natural_align(bytes);
}

scan_status scan_select_element_check(scan_ctx *ctx, uint32_t a, uint32_t bytes, uint32_t *align) {
  if (*align == 0) *align = natural_align(bytes);
  if (bytes == 0 || bytes > MOST_BYTES)
    FAIL_INVALID("spec->element_bytes[%u] is %u: an element has 1 to %d bytes", a, bytes, MOST_BYTES);
  if ((*align & (*align - 1)) != 0 || bytes % *align != 0)
    FAIL_INVALID("spec->element_align[%u] is %u: it must be a power of two that divides element_bytes, which is %u", a,
                 *align, bytes);
  return SCAN_SUCCESS;
}

static scan_status check_array(scan_ctx *ctx, const scan_select_spec *spec, uint32_t a, scan_select_form *form) {
  const uint32_t bytes = spec->element_bytes[a];
  uint32_t align = spec->element_align[a];
  SCAN_TRY(scan_select_element_check(ctx, a, bytes, &align));
  scan_select_add(form, SCAN_SELECT_MOVED, bytes, align);
  if (scan_select_element_words(form, a) > scan_select_most_element_words(&ctx->caps))
    FAIL_UNSUPPORTED(
        "spec->element_align[%u] is %u: %s ends loops silently, and moves elements in at most %u pieces: align "
        "them to more, or move them as several arrays",
        a, align, ctx->caps.info.name, scan_select_most_element_words(&ctx->caps));
  return SCAN_SUCCESS;
}

static scan_status check_arrays(scan_ctx *ctx, const scan_select_spec *spec, scan_select_form *form) {
  if (spec->index_type == SCAN_TYPE_DEFAULT) {
    if (spec->arrays == 0 || spec->arrays > SCAN_SELECT_MOST_ARRAYS)
      FAIL_INVALID("spec->arrays is %u: 1 to %d arrays are moved at once, or indices written (spec->index_type)",
                   spec->arrays, SCAN_SELECT_MOST_ARRAYS);
    for (uint32_t a = 0; a < spec->arrays; a++) SCAN_TRY(check_array(ctx, spec, a, form));
    return SCAN_SUCCESS;
  }
  if (spec->index_type != SCAN_U32 && spec->index_type != SCAN_U64)
    FAIL_INVALID("spec->index_type is %d: indices are SCAN_U32 or SCAN_U64", (int)spec->index_type);
  if (spec->arrays != 0)
    FAIL_INVALID("spec->index_type and spec->arrays (%u): indices or arrays, not both; set one of them to 0",
                 spec->arrays);
  scan_select_add(form, SCAN_SELECT_INDICES, (uint32_t)scan_type_bytes(spec->index_type), 0);
  return SCAN_SUCCESS;
}

scan_status scan_select_spec_check(scan_ctx *ctx, const scan_select_spec *given, scan_select_form *form) {
  scan_select_spec spec = { 0 };
  const scan_device_info *info = &ctx->caps.info;
  if (info->refusal[0] != '\0') FAIL_UNSUPPORTED("%s (%s) %s", info->selector, info->name, info->refusal);
  if (given == NULL) FAIL_INVALID("spec is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_select_spec, &spec, given, "spec", &ctx->error));
  SCAN_TRY(check_by(ctx, &spec));
  SCAN_TRY(check_in_place(ctx, &spec));
  memset(form, 0, sizeof *form); /* plans are found by its bytes */
  form->by = spec.by;
  form->rest = spec.rest;
  form->key_type = spec.key_type;
  form->in_place = spec.in_place;
  SCAN_TRY(scan_select_flags_check(ctx, spec.flags, &form->clamps));
  SCAN_TRY(check_predicate(ctx, &spec, form));
  return check_arrays(ctx, &spec, form);
}

scan_status scan_select_count_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n, const char *name) {
  if (n > SIZE_MAX / MOST_BYTES)
    FAIL_INVALID("%s is %" PRIu64 ": that many elements are more than an address can reach", name, n);
  for (uint32_t a = 0; a < form->arrays; a++) {
    const int is_narrow = form->bytes[a] == sizeof(uint32_t);
    if (form->what[a] == SCAN_SELECT_INDICES && is_narrow && n > (uint64_t)UINT32_MAX + 1)
      FAIL_INVALID("%s is %" PRIu64 ", and spec->%s SCAN_U32, which has no index past 2^32: take SCAN_U64", name, n,
                   scan_select_is_of_runs(form) ? "start_type" : "index_type");
    if (form->what[a] == SCAN_SELECT_LENGTHS && is_narrow && n > UINT32_MAX)
      FAIL_INVALID("%s is %" PRIu64
                   ", and spec->length_type SCAN_U32: a run may be longer than that holds; take SCAN_U64",
                   name, n);
  }
  if (n > scan_select_limit(&ctx->caps))
    FAIL_UNSUPPORTED("%s is %" PRIu64 ", and %s compacts up to %" PRIu64 " elements at once", name, n,
                     ctx->caps.info.name, scan_select_limit(&ctx->caps));
  return SCAN_SUCCESS;
}

/* ---- the memory of a run ---- */

typedef enum array_side { SIDE_IN, SIDE_OUT, SIDE_REST } array_side;

/* Names an array's buffer as the caller does. */
static void name_buffer(const scan_select_form *form, array_side side, uint32_t a, scan_buffer *b) {
  static const char *const of_side[] = { "args->in", "args->out", "args->rest" };
  static const char *const of_runs[] = { [SCAN_SELECT_KEYS] = "args->keys_out",
                                         [SCAN_SELECT_VALUES] = "args->values_out",
                                         [SCAN_SELECT_INDICES] = "args->starts",
                                         [SCAN_SELECT_LENGTHS] = "args->lengths" };
  b->is_indexed = !scan_select_is_of_runs(form);
  b->index = a;
  b->name = b->is_indexed ? of_side[side] : of_runs[form->what[a]];
  if (scan_select_is_marked(form)) b->name = "args->out";
}

static void list_array(const scan_select_form *form, scan_select_run *run, array_side side, uint32_t a,
                       scan_buffer_list *list) {
  scan_select_args *m = &run->memory;
  const int is_used = side == SIDE_IN ? scan_select_is_read(form, a) : scan_select_is_wanted(form, run, a);
  const uint64_t rest = form->rest == SCAN_REST_APART ? m->rest_capacity : 0;
  const uint64_t items = side == SIDE_IN ? run->n : side == SIDE_OUT ? m->capacity : rest;
  scan_buffer b = { .mem = side == SIDE_IN    ? &m->in[a]
                           : side == SIDE_OUT ? &m->out[a]
                                              : &m->rest[a],
                    .bytes = is_used ? items * form->bytes[a] : 0,
                    .item_bytes = form->bytes[a],
                    .align = form->align[a],
                    .in_place_of = form->in_place && side == SIDE_OUT ? &m->in[a] : NULL,
                    .marks = form->by != SCAN_SELECT_BITS ? &m->marks : NULL, /* bits are read for each array */
                    .part = side == SIDE_REST ? SCAN_SELECT_PART_REST : SCAN_SELECT_PART_KEPT,
                    .is_output = side != SIDE_IN };
  name_buffer(form, side, a, &b);
  scan_buffers_add(list, &b);
}

static int is_looked_at(const scan_select_form *form) { return is_by_runs(form->by) || form->predicate != NULL; }

static void list_marks(const scan_select_form *form, scan_select_run *run, scan_buffer_list *list) {
  const uint64_t bytes = is_looked_at(form) ? scan_select_mark_bytes(form, 1) : form->by == SCAN_SELECT_BITS ? 4 : 1;
  scan_buffers_add(list, &(scan_buffer){ .mem = &run->memory.marks,
                                         .bytes = scan_select_mark_bytes(form, run->n),
                                         .align = form->predicate != NULL ? form->predicate->input_align : bytes,
                                         .name = scan_select_is_marked(form)    ? "args->begins"
                                                 : scan_select_is_of_runs(form) ? "args->keys"
                                                 : run->marks_are_moved         ? "args->in[0]"
                                                                                : "args->marks" });
}

/* Lists the values that a reduction by key reads. */
static void list_values(scan_select_run *run, scan_buffer_list *list) {
  if (run->reduced == NULL) return;
  scan_buffers_add(list, &(scan_buffer){ .mem = &run->values,
                                         .bytes = run->n * scan_problem_input_bytes(run->reduced),
                                         .align = scan_problem_input_align(run->reduced),
                                         .name = "args->values" });
}

void scan_select_buffers(const scan_select_form *form, scan_select_run *run, scan_buffer_list *list) {
  list->count = 0;
  list->rule = scan_select_is_of_runs(form)
                   ? "a compaction writes beside what it reads; give it memory apart"
                   : "a compaction writes beside what it reads, and over it only where spec->in_place is 1 and out[a] "
                     "is in[a]; give it memory apart";
  scan_buffers_add_counts(list, &run->memory.count, sizeof(uint64_t), "args->count", &run->memory.n_from);
  if (run->n == 0) return;
  for (uint32_t a = 0; a < form->arrays; a++)
    for (int side = SIDE_IN; side <= SIDE_REST; side++) list_array(form, run, (array_side)side, a, list);
  list_marks(form, run, list);
  list_values(run, list);
}

/* Uses the first moved array as marks if the caller gave none: it then holds the keys, or the predicate's elements. */
static scan_status check_marks(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run) {
  scan_mem *marks = &run->memory.marks;
  run->marks_are_moved = marks->kind == SCAN_MEM_NONE && is_looked_at(form) && scan_select_is_read(form, 0);
  if (!run->marks_are_moved) return SCAN_SUCCESS;
  const uint64_t bytes = scan_select_mark_bytes(form, 1);
  if (bytes != form->bytes[0])
    FAIL_INVALID("args->marks is no memory, so that in[0] has %s of %" PRIu64 " bytes, but its elements have %u",
                 form->predicate != NULL ? "what the predicate looks at," : "the keys,", bytes, form->bytes[0]);
  *marks = run->memory.in[0];
  return SCAN_SUCCESS;
}

scan_status scan_select_params_check(scan_ctx *ctx, const scan_source *function, const void *given, const char *unused,
                                     uint64_t *params) {
  const uint32_t bytes = function != NULL ? function->params_bytes : 0;
  if (bytes == 0 && given != NULL) FAIL_INVALID("args->params is given, and %s", unused);
  if (bytes > 0 && given == NULL)
    FAIL_INVALID("args->params is NULL, and %s takes %u bytes of parameters", function->combine, bytes);
  if (bytes > 0) memcpy(params, given, bytes);
  return SCAN_SUCCESS;
}

/* Refuses memory that the caller gives and the spec does not use. */
static scan_status check_unused(scan_ctx *ctx, const scan_select_form *form, const scan_select_args *m) {
  static const char no_rest[] = "spec->rest is not SCAN_REST_APART";
  const int is_index = form->what[0] == SCAN_SELECT_INDICES, is_apart = form->rest == SCAN_REST_APART;
  const char *why = is_index ? "spec->index_type asks for indices alone" : "spec->arrays names fewer arrays";
  SCAN_TRY(scan_unused_arrays_check(ctx, m->in, "in", is_index ? 0 : form->arrays, why));
  SCAN_TRY(scan_unused_arrays_check(ctx, m->out, "out", form->arrays, why));
  SCAN_TRY(scan_unused_arrays_check(ctx, m->rest, "rest", is_apart ? form->arrays : 0, is_apart ? why : no_rest));
  if (!is_apart && m->rest_capacity != 0)
    FAIL_INVALID("args->rest_capacity is %" PRIu64 ", and %s: set it to 0", m->rest_capacity, no_rest);
  return SCAN_SUCCESS;
}

static uint64_t capacity_of(uint64_t given, uint64_t n) {
  if (given == SCAN_NO_CAPACITY) return 0;
  return given == 0 || given > n ? n : given;
}

scan_status scan_select_args_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n,
                                   const scan_select_args *given, int stageable, scan_select_run *run) {
  if (given == NULL) FAIL_INVALID("args is NULL");
  *run = (scan_select_run){ .n = n };
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_select_args, &run->memory, given, "args", &ctx->error));
  SCAN_TRY(check_unused(ctx, form, &run->memory));
  return scan_select_run_check(ctx, form, stageable, run);
}

scan_status scan_select_run_complete(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run) {
  scan_select_args *m = &run->memory;
  run->form = form;
  SCAN_TRY(scan_select_count_check(ctx, form, run->n, "n"));
  m->capacity = capacity_of(m->capacity, run->n);
  m->rest_capacity = capacity_of(m->rest_capacity, run->n);
  SCAN_TRY(scan_select_params_check(ctx, form->predicate, m->params,
                                    "the elements are not kept by a predicate with parameters", run->params));
  return run->n > 0 ? check_marks(ctx, form, run) : SCAN_SUCCESS;
}

scan_status scan_select_run_check(scan_ctx *ctx, const scan_select_form *form, int stageable, scan_select_run *run) {
  scan_buffer_list list;
  SCAN_TRY(scan_select_run_complete(ctx, form, run));
  scan_select_buffers(form, run, &list);
  SCAN_TRY(scan_buffers_resolve(ctx, &list, stageable));
  return scan_buffers_check_apart(ctx, &list);
}
