/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: everything that is refused before anything is launched, and why. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/structs.h"
#include "core/select_run.h"
#include "core/unused.h"
#include "device/caps.h"

enum { MOST_BYTES = 64, MOST_ALIGN = 16, COUNT_BYTES = 8, NAME_CHARS = 32 };

/* ---- the spec ---- */

static int is_by_runs(uint32_t by) { return by == SCAN_SELECT_FIRST || by == SCAN_SELECT_LAST; }

scan_status scan_select_key_check(scan_ctx *ctx, scan_type type) {
  if (scan_type_name(type) == NULL) REFUSE("spec->key_type is %d, which is no type", (int)type);
  const char *refusal = scan_caps_refuse_type(&ctx->caps, type);
  if (refusal != NULL)
    LACKING("%s: %s (%s) %s", scan_type_name(type), ctx->caps.info.selector, ctx->caps.info.name, refusal);
  return SCAN_SUCCESS;
}

static scan_status check_by(scan_ctx *ctx, const scan_select_spec *spec) {
  if ((unsigned)spec->by < SCAN_SELECT_FLAGS || (unsigned)spec->by > SCAN_SELECT_PREDICATE)
    REFUSE("spec->by is %d, which is no scan_select_by: say what keeps an element", (int)spec->by);
  if ((unsigned)spec->rest > SCAN_REST_APART) REFUSE("spec->rest is %d, which is no scan_select_rest", (int)spec->rest);
  if (!is_by_runs(spec->by)) {
    if (spec->key_type != SCAN_TYPE_DEFAULT)
      REFUSE("spec->key_type is %d, and spec->by names no keys: set it to 0", (int)spec->key_type);
    return SCAN_SUCCESS;
  }
  if (spec->predicate != NULL && spec->key_type != SCAN_TYPE_DEFAULT)
    REFUSE("spec->key_type is %d, and spec->predicate says which neighbours are of one run: set one or the other to 0",
           (int)spec->key_type);
  return spec->predicate != NULL ? SCAN_SUCCESS : scan_select_key_check(ctx, spec->key_type);
}

scan_status scan_select_flags_check(scan_ctx *ctx, uint64_t flags, uint32_t *clamps) {
  if (flags & ~(uint64_t)SCAN_N_FROM_CLAMP) REFUSE("spec->flags is 0x%" PRIx64 ": it is SCAN_N_FROM_CLAMP or 0", flags);
  *clamps = flags != 0;
  return SCAN_SUCCESS;
}

static scan_status check_in_place(scan_ctx *ctx, const scan_select_spec *spec) {
  if (spec->in_place > 1) REFUSE("spec->in_place is %u: 0, or 1 where outputs may be their inputs", spec->in_place);
  if (spec->in_place && spec->index_type != SCAN_TYPE_DEFAULT)
    REFUSE("spec->in_place and spec->index_type: indices are written, and no input is read that they could be written "
           "over; set one of them to 0");
  return SCAN_SUCCESS;
}

static scan_status take_predicate(scan_ctx *ctx, const scan_select_spec *spec, scan_select_form *form) {
  const int wants_pair = is_by_runs(spec->by), is_wanted = spec->by == SCAN_SELECT_PREDICATE;
  if (!wants_pair && !is_wanted && spec->predicate != NULL)
    REFUSE("spec->predicate is given, and spec->by is not SCAN_SELECT_PREDICATE: set one or the other");
  if (!is_wanted && spec->predicate == NULL) return SCAN_SUCCESS;
  form->predicate = scan_op_enter(ctx, spec->predicate, SCAN_OP_PREDICATE);
  if (form->predicate == NULL) return SCAN_INVALID_ARGUMENT;
  if (form->predicate->is_pair && !wants_pair)
    REFUSE("%s is a predicate of two elements, and spec->by is SCAN_SELECT_PREDICATE: set it to SCAN_SELECT_FIRST or "
           "SCAN_SELECT_LAST",
           form->predicate->combine);
  if (!form->predicate->is_pair && wants_pair)
    REFUSE("%s is a predicate of one element, and spec->by keeps the %s of each run: make it of "
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
    REFUSE("spec->element_bytes[%u] is %u: an element has 1 to %d bytes", a, bytes, MOST_BYTES);
  if ((*align & (*align - 1)) != 0 || bytes % *align != 0)
    REFUSE("spec->element_align[%u] is %u: it must be a power of two that divides element_bytes, which is %u", a,
           *align, bytes);
  return SCAN_SUCCESS;
}

static scan_status take_array(scan_ctx *ctx, const scan_select_spec *spec, uint32_t a, scan_select_form *form) {
  const uint32_t bytes = spec->element_bytes[a];
  uint32_t align = spec->element_align[a];
  SCAN_TRY(scan_select_element_check(ctx, a, bytes, &align));
  scan_select_add(form, SCAN_SELECT_MOVED, bytes, align);
  if (scan_select_pieces(form, a) > scan_select_most_pieces(&ctx->caps))
    LACKING("spec->element_align[%u] is %u: %s ends loops silently, and moves elements in at most %u pieces: align "
            "them to more, or move them as several arrays",
            a, align, ctx->caps.info.name, scan_select_most_pieces(&ctx->caps));
  return SCAN_SUCCESS;
}

static scan_status take_arrays(scan_ctx *ctx, const scan_select_spec *spec, scan_select_form *form) {
  if (spec->index_type == SCAN_TYPE_DEFAULT) {
    if (spec->arrays == 0 || spec->arrays > SCAN_SELECT_MOST_ARRAYS)
      REFUSE("spec->arrays is %u: 1 to %d arrays are moved at once, or indices written (spec->index_type)",
             spec->arrays, SCAN_SELECT_MOST_ARRAYS);
    for (uint32_t a = 0; a < spec->arrays; a++) SCAN_TRY(take_array(ctx, spec, a, form));
    return SCAN_SUCCESS;
  }
  if (spec->index_type != SCAN_U32 && spec->index_type != SCAN_U64)
    REFUSE("spec->index_type is %d: indices are SCAN_U32 or SCAN_U64", (int)spec->index_type);
  if (spec->arrays != 0)
    REFUSE("spec->index_type and spec->arrays (%u): indices or arrays, not both; set one of them to 0", spec->arrays);
  scan_select_add(form, SCAN_SELECT_INDICES, (uint32_t)scan_type_bytes(spec->index_type), 0);
  return SCAN_SUCCESS;
}

scan_status scan_select_spec_check(scan_ctx *ctx, const scan_select_spec *given, scan_select_form *form) {
  scan_select_spec spec = { 0 };
  const scan_device_info *info = &ctx->caps.info;
  if (info->refusal[0] != '\0') LACKING("%s (%s) %s", info->selector, info->name, info->refusal);
  if (given == NULL) REFUSE("spec is NULL");
  SCAN_TRY(scan_struct_take(SCAN_STRUCT_scan_select_spec, &spec, given, "spec", &ctx->error));
  SCAN_TRY(check_by(ctx, &spec));
  SCAN_TRY(check_in_place(ctx, &spec));
  memset(form, 0, sizeof *form); /* plans are found by its bytes */
  form->by = spec.by;
  form->rest = spec.rest;
  form->key_type = spec.key_type;
  form->in_place = spec.in_place;
  SCAN_TRY(scan_select_flags_check(ctx, spec.flags, &form->clamps));
  SCAN_TRY(take_predicate(ctx, &spec, form));
  return take_arrays(ctx, &spec, form);
}

scan_status scan_select_count_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n, const char *name) {
  if (n > SIZE_MAX / MOST_BYTES)
    REFUSE("%s is %" PRIu64 ": that many elements are more than an address can reach", name, n);
  for (uint32_t a = 0; a < form->arrays; a++) {
    const int is_narrow = form->bytes[a] == sizeof(uint32_t);
    if (form->what[a] == SCAN_SELECT_INDICES && is_narrow && n > (uint64_t)UINT32_MAX + 1)
      REFUSE("%s is %" PRIu64 ", and spec->%s SCAN_U32, which has no index past 2^32: take SCAN_U64", name, n,
             scan_select_is_of_runs(form) ? "start_type" : "index_type");
    if (form->what[a] == SCAN_SELECT_LENGTHS && is_narrow && n > UINT32_MAX)
      REFUSE("%s is %" PRIu64 ", and spec->length_type SCAN_U32: a run may be longer than that holds; take SCAN_U64",
             name, n);
  }
  if (n > scan_select_limit(&ctx->caps))
    LACKING("%s is %" PRIu64 ", and %s compacts up to %" PRIu64 " elements at once", name, n, ctx->caps.info.name,
            scan_select_limit(&ctx->caps));
  return SCAN_SUCCESS;
}

/* ---- the memory of a run ---- */

uint64_t scan_select_in_bytes(const scan_select_form *form, const scan_select_run *run, uint32_t array) {
  return scan_select_is_read(form, array) ? run->n * form->bytes[array] : 0;
}

uint64_t scan_select_value_bytes(const scan_select_run *run) {
  return run->reduced != NULL ? run->n * scan_problem_input_bytes(run->reduced) : 0;
}

uint64_t scan_select_out_bytes(const scan_select_form *form, const scan_select_run *run, uint32_t array, int is_rest) {
  return scan_select_is_wanted(form, run, array) ? scan_select_out_items(form, run, is_rest) * form->bytes[array] : 0;
}

uint64_t scan_select_out_items(const scan_select_form *form, const scan_select_run *run, int is_rest) {
  if (is_rest && form->rest != SCAN_REST_APART) return 0;
  return is_rest ? run->memory.rest_capacity : run->memory.capacity;
}

scan_status scan_select_mem_take(scan_ctx *ctx, scan_mem *mem, uint64_t bytes, uint64_t align, int stageable,
                                 const char *name) {
  SCAN_TRY(scan_mem_take(ctx, mem, bytes, stageable, name));
  if (scan_mem_aligned(*mem, align)) return SCAN_SUCCESS;
  REFUSE("%s is not aligned to %" PRIu64 " bytes, as what it holds must be%s", name, align,
         strchr(name, '[') != NULL ? " (spec->element_align)" : "");
}

/* Of a partition into three the second pass goes over what the first one has left. */
static const char *side_of_pass(uint32_t pass, const char *side) {
  if (strcmp(side, "in") == 0) return pass == 1 ? "in" : "second";
  if (strcmp(side, "out") == 0) return pass == 1 ? "first" : "second";
  return pass == 1 ? "second" : "rest";
}

/* What the caller names an array's memory of the side `in`, `out` or `rest`. */
static void name_side(const scan_select_form *form, const char *side, uint32_t a, char name[NAME_CHARS]) {
  static const char *const of_runs[] = { [SCAN_SELECT_KEYS] = "args->keys_out",
                                         [SCAN_SELECT_VALUES] = "args->values_out",
                                         [SCAN_SELECT_INDICES] = "args->starts",
                                         [SCAN_SELECT_LENGTHS] = "args->lengths" };
  if (scan_select_is_of_runs(form))
    snprintf(name, NAME_CHARS, "%s", of_runs[form->what[a]]);
  else
    snprintf(name, NAME_CHARS, "args->%s[%u]", form->pass != 0 ? side_of_pass(form->pass, side) : side, a);
}

/* One array's memory, or none where none belongs. */
static scan_status take_side(scan_ctx *ctx, const scan_select_form *form, const char *side, uint32_t a, scan_mem *mem,
                             uint64_t bytes, int stageable) {
  char name[NAME_CHARS];
  name_side(form, side, a, name);
  if (bytes > 0) return scan_select_mem_take(ctx, mem, bytes, form->align[a], stageable, name);
  return SCAN_SUCCESS;
}

static scan_status take_sides(scan_ctx *ctx, const scan_select_form *form, int stageable, scan_select_run *run) {
  scan_select_args *m = &run->memory;
  for (uint32_t a = 0; a < form->arrays; a++) {
    SCAN_TRY(take_side(ctx, form, "in", a, &m->in[a], scan_select_in_bytes(form, run, a), stageable));
    SCAN_TRY(take_side(ctx, form, "out", a, &m->out[a], scan_select_out_bytes(form, run, a, 0), stageable));
    SCAN_TRY(take_side(ctx, form, "rest", a, &m->rest[a], scan_select_out_bytes(form, run, a, 1), stageable));
  }
  return SCAN_SUCCESS;
}

/* What is reduced. */
static scan_status take_values(scan_ctx *ctx, int stageable, scan_select_run *run) {
  if (run->reduced == NULL) return SCAN_SUCCESS;
  return scan_select_mem_take(ctx, &run->values, scan_select_value_bytes(run), scan_problem_input_align(run->reduced),
                              stageable, "args->values");
}

/* Keys, and what a predicate looks at, may be what is moved. */
static scan_status take_marks(scan_ctx *ctx, const scan_select_form *form, int stageable, scan_select_run *run) {
  scan_mem *marks = &run->memory.marks;
  const int looks = is_by_runs(form->by) || form->predicate != NULL;
  const int are_moved = marks->kind == SCAN_MEM_NONE && looks && scan_select_is_read(form, 0);
  const uint64_t bytes = looks ? scan_select_mark_bytes(form, 1) : form->by == SCAN_SELECT_BITS ? 4 : 1;
  const uint64_t align = form->predicate != NULL ? form->predicate->input_align : bytes;
  if (are_moved && bytes != form->bytes[0])
    REFUSE("args->marks is no memory, so that in[0] has %s of %" PRIu64 " bytes, but its elements have %u",
           form->predicate != NULL ? "what the predicate looks at," : "the keys,", bytes, form->bytes[0]);
  if (are_moved) *marks = run->memory.in[0];
  const char *name = scan_select_is_of_runs(form) ? "args->keys" : are_moved ? "args->in[0]" : "args->marks";
  return scan_select_mem_take(ctx, marks, scan_select_mark_bytes(form, run->n), align, stageable, name);
}

static scan_status take_params(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run) {
  const uint32_t bytes = form->predicate != NULL ? form->predicate->params_bytes : 0;
  if (bytes == 0 && run->memory.params != NULL)
    REFUSE("args->params is given, and the elements are not kept by a predicate with parameters");
  if (bytes > 0 && run->memory.params == NULL)
    REFUSE("args->params is NULL, and %s takes %u bytes of parameters", form->predicate->combine, bytes);
  if (bytes > 0) memcpy(run->params, run->memory.params, bytes);
  return SCAN_SUCCESS;
}

/* ---- what may share bytes ---- */

typedef struct span {
  const scan_mem *mem;
  uint64_t bytes;
  const char *name;
  int index; /* -1: no array's */
} span;

enum { MOST_SPANS = 3 * SCAN_SELECT_MOST_ARRAYS + 4 };

static int add_span(span *spans, int count, const scan_mem *mem, uint64_t bytes, const char *name, int index) {
  if (bytes > 0 && mem->kind != SCAN_MEM_NONE) spans[count++] = (span){ mem, bytes, name, index };
  return count;
}

static void name_of(const scan_select_form *form, const span *s, char name[NAME_CHARS]) {
  if (s->index < 0)
    snprintf(name, NAME_CHARS, "args->%s", s->name);
  else
    name_side(form, s->name, (uint32_t)s->index, name);
}

/* Whether an output may be what it shares bytes with: its own input, or marks which are that, but for bits, which each
 * array's launch may read. The count may be n_from. */
static int may_be(const scan_select_form *form, const scan_select_args *m, const span *output, const span *read) {
  if (output->mem == &m->count) return read->mem == &m->n_from && scan_mem_same(m->count, m->n_from);
  if (!form->in_place || output->mem != &m->out[output->index < 0 ? 0 : output->index]) return 0;
  if (read->mem == &m->in[output->index]) return scan_mem_same(*output->mem, *read->mem);
  return read->mem == &m->marks && form->by != SCAN_SELECT_BITS && scan_mem_same(m->in[output->index], m->marks) &&
         scan_mem_same(*output->mem, m->marks);
}

/* The first `written` spans are written, the others are read. */
static scan_status check_spans(scan_ctx *ctx, const scan_select_form *form, const scan_select_args *m,
                               const span *spans, int written, int count) {
  char first[NAME_CHARS], second[NAME_CHARS];
  for (int i = 0; i < written; i++)
    for (int j = i + 1; j < count; j++) {
      if (!scan_mem_shared(ctx, *spans[i].mem, spans[i].bytes, *spans[j].mem, spans[j].bytes)) continue;
      if (j >= written && may_be(form, m, &spans[i], &spans[j])) continue;
      name_of(form, &spans[i], first), name_of(form, &spans[j], second);
      REFUSE("%s and %s overlap: a compaction writes beside what it reads%s; give it memory apart", first, second,
             scan_select_is_of_runs(form) ? "" : ", and over it only where spec->in_place is 1 and out[a] is in[a]");
    }
  return SCAN_SUCCESS;
}

static scan_status check_apart(scan_ctx *ctx, const scan_select_form *form, const scan_select_run *run) {
  const scan_select_args *m = &run->memory;
  span spans[MOST_SPANS];
  int count = add_span(spans, 0, &m->count, COUNT_BYTES, "count", -1);
  for (int a = 0; a < (int)form->arrays; a++) {
    count = add_span(spans, count, &m->out[a], scan_select_out_bytes(form, run, (uint32_t)a, 0), "out", a);
    count = add_span(spans, count, &m->rest[a], scan_select_out_bytes(form, run, (uint32_t)a, 1), "rest", a);
  }
  const int written = count;
  for (int a = 0; a < (int)form->arrays; a++)
    count = add_span(spans, count, &m->in[a], scan_select_in_bytes(form, run, (uint32_t)a), "in", a);
  count = add_span(spans, count, &m->marks, scan_select_mark_bytes(form, run->n),
                   scan_select_is_of_runs(form) ? "keys" : "marks", -1);
  count = add_span(spans, count, &run->values, scan_select_value_bytes(run), "values", -1);
  count = add_span(spans, count, &m->n_from, COUNT_BYTES, "n_from", -1);
  return check_spans(ctx, form, m, spans, written, count);
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
    REFUSE("args->rest_capacity is %" PRIu64 ", and %s: set it to 0", m->rest_capacity, no_rest);
  return SCAN_SUCCESS;
}

static uint64_t capacity_of(uint64_t given, uint64_t n) {
  if (given == SCAN_NO_CAPACITY) return 0;
  return given == 0 || given > n ? n : given;
}

scan_status scan_select_args_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n,
                                   const scan_select_args *given, int stageable, scan_select_run *run) {
  if (given == NULL) REFUSE("args is NULL");
  *run = (scan_select_run){ .n = n };
  SCAN_TRY(scan_struct_take(SCAN_STRUCT_scan_select_args, &run->memory, given, "args", &ctx->error));
  SCAN_TRY(check_unused(ctx, form, &run->memory));
  return scan_select_run_check(ctx, form, stageable, run);
}

scan_status scan_select_run_check(scan_ctx *ctx, const scan_select_form *form, int stageable, scan_select_run *run) {
  scan_select_args *m = &run->memory;
  const uint64_t n = run->n;
  SCAN_TRY(scan_select_count_check(ctx, form, n, "n"));
  m->capacity = capacity_of(m->capacity, n);
  m->rest_capacity = capacity_of(m->rest_capacity, n);
  if (m->count.kind != SCAN_MEM_NONE)
    SCAN_TRY(scan_select_mem_take(ctx, &m->count, COUNT_BYTES, COUNT_BYTES, stageable, "args->count"));
  if (m->n_from.kind != SCAN_MEM_NONE)
    SCAN_TRY(scan_select_mem_take(ctx, &m->n_from, COUNT_BYTES, COUNT_BYTES, 0, "args->n_from"));
  SCAN_TRY(take_params(ctx, form, run));
  if (n == 0) return SCAN_SUCCESS;
  SCAN_TRY(take_sides(ctx, form, stageable, run));
  SCAN_TRY(take_marks(ctx, form, stageable, run));
  SCAN_TRY(take_values(ctx, stageable, run));
  return check_apart(ctx, form, run);
}
