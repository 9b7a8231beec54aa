/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of sorts, all made before anything is launched. */
#include <inttypes.h>
#include <string.h>

#include "base/structs.h"
#include "base/types.h"
#include "ops/select/select_run.h"
#include "ops/sort/sort_run.h"
#include "core/unused.h"

enum { MOST_BYTES = 64, COUNT_BYTES = 8, BYTE_BITS = 8, WORDS_ALIGN = 8 };

/* ---- the spec ---- */

static scan_status check_flag(scan_ctx *ctx, const char *name, uint32_t flag) {
  if (flag > 1) FAIL_INVALID("spec->%s is %u: 0 or 1", name, flag);
  return SCAN_SUCCESS;
}

static scan_status check_words(scan_ctx *ctx, const scan_sort_spec *spec, scan_sort_form *form) {
  const scan_type type = spec->key_type;
  const uint32_t words = spec->key_words;
  if (words > 2) FAIL_INVALID("spec->key_words is %u: keys are of 1 or 2", words);
  SCAN_TRY(check_flag(ctx, "low_word_first", spec->low_word_first));
  if (words < 2 && spec->low_word_first)
    FAIL_INVALID("spec->low_word_first is 1, and spec->key_words %u: set the one to 0, or the other to 2", words);
  if (words < 2) return SCAN_SUCCESS;
  if (type != SCAN_I32 && type != SCAN_U32 && type != SCAN_I64 && type != SCAN_U64)
    FAIL_INVALID("spec->key_type is SCAN_%s, and spec->key_words 2: words are SCAN_I32, SCAN_U32, SCAN_I64 or SCAN_U64",
                 scan_type_name(type));
  form->words = spec->low_word_first ? SCAN_SORT_LOW_FIRST : SCAN_SORT_HIGH_FIRST;
  return SCAN_SUCCESS;
}

/* Checks the range of bits. For keys of two words it must consist of whole bytes, so that no digit has bits of both. */
static scan_status check_bits(scan_ctx *ctx, const scan_sort_spec *spec, scan_sort_form *form) {
  const uint32_t bits = scan_sort_key_bytes(form) * BYTE_BITS;
  form->first_bit = spec->first_bit;
  form->end_bit = spec->end_bit != 0 ? spec->end_bit : bits;
  if (form->end_bit > bits) FAIL_INVALID("spec->end_bit is %u, and keys have %u bits", form->end_bit, bits);
  if (form->first_bit >= form->end_bit)
    FAIL_INVALID("spec->first_bit is %u, and spec->end_bit %u%s: there is no bit to sort by", form->first_bit,
                 form->end_bit, spec->end_bit == 0 ? " (all of the key's)" : "");
  if (form->words != SCAN_SORT_ONE_WORD && (form->first_bit % BYTE_BITS != 0 || form->end_bit % BYTE_BITS != 0))
    FAIL_INVALID(
        "spec->first_bit is %u, and spec->end_bit %u: of keys of two words both are multiples of 8, so that no digit "
        "has bits of either",
        form->first_bit, form->end_bit);
  return SCAN_SUCCESS;
}

/* Checks the order of floating-point keys. Integers have one order, so their form leaves is_numeric 0. */
static scan_status check_order(scan_ctx *ctx, const scan_sort_spec *spec, scan_sort_form *form) {
  const uint32_t bits = scan_sort_key_bytes(form) * BYTE_BITS;
  if (spec->order > SCAN_SORT_NUMERIC_ORDER)
    FAIL_INVALID("spec->order is %" PRIu64 ": SCAN_SORT_TOTAL_ORDER (0) or SCAN_SORT_NUMERIC_ORDER (1)", spec->order);
  if (!scan_type_is_float(spec->key_type) && !scan_type_is_half(spec->key_type)) return SCAN_SUCCESS;
  form->is_numeric = spec->order == SCAN_SORT_NUMERIC_ORDER;
  if (form->is_numeric && (form->first_bit != 0 || form->end_bit != bits))
    FAIL_INVALID(
        "spec->first_bit is %u, and spec->end_bit %u: SCAN_SORT_NUMERIC_ORDER sorts SCAN_%s by all its %u bits; set "
        "both to 0, or spec->order to SCAN_SORT_TOTAL_ORDER",
        form->first_bit, form->end_bit, scan_type_name(spec->key_type), bits);
  return SCAN_SUCCESS;
}

static scan_status check_arrays(scan_ctx *ctx, const scan_sort_spec *spec, scan_sort_form *form) {
  if (spec->index_type != SCAN_TYPE_DEFAULT) {
    if (spec->index_type != SCAN_U32 && spec->index_type != SCAN_U64)
      FAIL_INVALID("spec->index_type is %d: indices are SCAN_U32 or SCAN_U64", (int)spec->index_type);
    if (spec->arrays != 0)
      FAIL_INVALID("spec->index_type and spec->arrays (%u): indices or arrays, not both; set one of them to 0",
                   spec->arrays);
    form->index_bytes = (uint32_t)scan_type_bytes(spec->index_type);
    return SCAN_SUCCESS;
  }
  if (spec->arrays > SCAN_SORT_MOST_ARRAYS)
    FAIL_INVALID("spec->arrays is %u: up to %d arrays go with the keys", spec->arrays, SCAN_SORT_MOST_ARRAYS);
  for (uint32_t a = 0; a < spec->arrays; a++) {
    form->bytes[a] = spec->element_bytes[a];
    form->align[a] = spec->element_align[a];
    SCAN_TRY(scan_select_element_check(ctx, a, form->bytes[a], &form->align[a]));
  }
  form->arrays = spec->arrays;
  return SCAN_SUCCESS;
}

static scan_status check_offsets(scan_ctx *ctx, const scan_sort_spec *spec, scan_sort_form *form) {
  if (spec->offset_type == SCAN_TYPE_DEFAULT) {
    if (spec->most_segment_items != 0)
      FAIL_INVALID(
          "spec->most_segment_items is %u, and spec->offset_type 0: there are no segments; set it to SCAN_U32 or "
          "SCAN_U64",
          spec->most_segment_items);
    return SCAN_SUCCESS;
  }
  if (spec->offset_type != SCAN_U32 && spec->offset_type != SCAN_U64)
    FAIL_INVALID("spec->offset_type is %d: offsets of segments are SCAN_U32 or SCAN_U64", (int)spec->offset_type);
  if (spec->key_words > 1)
    FAIL_UNSUPPORTED(
        "spec->offset_type and spec->key_words are set: keys of segments are one element each; sort by the second "
        "word first, and then by the first");
  form->offset_bytes = (uint32_t)scan_type_bytes(spec->offset_type);
  form->most_segment_items = spec->most_segment_items;
  return SCAN_SUCCESS;
}

scan_status scan_sort_spec_check(scan_ctx *ctx, const scan_sort_spec *given, scan_sort_form *form) {
  scan_sort_spec spec = { 0 };
  const scan_device_info *info = &ctx->caps.info;
  if (info->refusal[0] != '\0') FAIL_UNSUPPORTED("%s (%s) %s", info->selector, info->name, info->refusal);
  if (given == NULL) FAIL_INVALID("spec is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_sort_spec, &spec, given, "spec", &ctx->error));
  memset(form, 0, sizeof *form); /* plans are found by its bytes */
  SCAN_TRY(scan_select_key_check(ctx, spec.key_type));
  SCAN_TRY(check_flag(ctx, "descending", spec.descending));
  SCAN_TRY(check_flag(ctx, "drops_keys", spec.drops_keys));
  SCAN_TRY(check_flag(ctx, "in_place", spec.in_place));
  SCAN_TRY(check_flag(ctx, "gives_scratch", spec.gives_scratch));
  form->key_type = spec.key_type;
  form->descending = spec.descending;
  form->drops_keys = spec.drops_keys;
  form->in_place = spec.in_place;
  form->gives_scratch = spec.gives_scratch;
  SCAN_TRY(scan_select_flags_check(ctx, spec.flags, &form->clamps));
  SCAN_TRY(check_words(ctx, &spec, form));
  SCAN_TRY(check_bits(ctx, &spec, form));
  SCAN_TRY(check_order(ctx, &spec, form));
  SCAN_TRY(check_arrays(ctx, &spec, form));
  SCAN_TRY(check_offsets(ctx, &spec, form));
  if (form->drops_keys && form->arrays == 0 && form->index_bytes == 0)
    FAIL_INVALID("spec->drops_keys is 1, and there are neither arrays nor indices: nothing would be written");
  return SCAN_SUCCESS;
}

scan_status scan_sort_count_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, const char *name) {
  const uint64_t most = scan_sort_limit(&ctx->caps, form);
  if (n > SIZE_MAX / MOST_BYTES)
    FAIL_INVALID("%s is %" PRIu64 ": that many elements are more than an address can reach", name, n);
  if (form->index_bytes == sizeof(uint32_t) && n > (uint64_t)UINT32_MAX + 1)
    FAIL_INVALID("%s is %" PRIu64 ", and spec->index_type SCAN_U32, which has no index past 2^32: take SCAN_U64", name,
                 n);
  if (n > most)
    FAIL_UNSUPPORTED("%s is %" PRIu64 ", and %s sorts up to %" PRIu64 " keys at once", name, n, ctx->caps.info.name,
                     most);
  return SCAN_SUCCESS;
}

/* ---- the memory of a run ---- */

/* Makes the buffer of an array. A bucket function's elements are array 0, which the caller passes as keys. */
static scan_buffer array_buffer(const scan_sort_form *form, int is_output, uint32_t a, scan_mem *mem, uint64_t n) {
  scan_buffer b = { .mem = mem,
                    .bytes = n * form->bytes[a],
                    .item_bytes = form->bytes[a],
                    .align = form->align[a],
                    .name = is_output ? "args->out" : "args->in",
                    .index = form->moves_elements ? a - 1 : a,
                    .is_indexed = 1,
                    .is_output = is_output != 0 };
  if (form->moves_elements && a == 0) b.name = is_output ? "args->keys_out" : "args->keys_in", b.is_indexed = 0;
  return b;
}

static void list_keys(const scan_sort_form *form, scan_sort_run *run, scan_buffer_list *list) {
  const scan_source *bucket = form->bucket;
  const uint64_t bytes = bucket != NULL ? bucket->input_bytes : scan_sort_key_bytes(form);
  const uint64_t align = bucket != NULL ? bucket->input_align : form->words != SCAN_SORT_ONE_WORD ? WORDS_ALIGN : bytes;
  if (form->moves_elements) return;
  scan_buffers_add(list, &(scan_buffer){ .mem = &run->memory.keys_in,
                                         .bytes = run->n * bytes,
                                         .align = align,
                                         .name = form->what == SCAN_SORT_HISTOGRAM ? "args->keys" : "args->keys_in" });
}

static void list_inputs(const scan_sort_form *form, scan_sort_run *run, scan_buffer_list *list) {
  scan_sort_args *m = &run->memory;
  list_keys(form, run, list);
  for (uint32_t a = 0; a < form->arrays; a++) {
    const scan_buffer b = array_buffer(form, 0, a, &m->in[a], run->n);
    scan_buffers_add(list, &b);
  }
  scan_buffers_add_n_from(list, &m->n_from);
  if (form->offset_bytes != 0)
    scan_buffers_add(list, &(scan_buffer){ .mem = &m->offsets,
                                           .bytes = scan_sort_offset_bytes(form, m),
                                           .align = form->offset_bytes,
                                           .name = "args->offsets" });
}

static void list_outputs(const scan_sort_form *form, scan_sort_run *run, scan_buffer_list *list) {
  scan_sort_args *m = &run->memory;
  const uint64_t n = run->n, key_bytes = scan_sort_key_bytes(form);
  if (!form->drops_keys)
    scan_buffers_add(list, &(scan_buffer){ .mem = &m->keys_out,
                                           .bytes = n * key_bytes,
                                           .item_bytes = key_bytes,
                                           .align = form->words != SCAN_SORT_ONE_WORD ? WORDS_ALIGN : key_bytes,
                                           .name = "args->keys_out",
                                           .in_place_of = form->in_place ? &m->keys_in : NULL,
                                           .is_output = 1 });
  for (uint32_t a = 0; a < form->arrays; a++) {
    scan_buffer b = array_buffer(form, 1, a, &m->out[a], n);
    if (form->in_place) b.in_place_of = &m->in[a];
    scan_buffers_add(list, &b);
  }
  if (form->index_bytes != 0)
    scan_buffers_add(list, &(scan_buffer){ .mem = &m->out[0],
                                           .bytes = n * form->index_bytes,
                                           .item_bytes = form->index_bytes,
                                           .align = form->index_bytes,
                                           .name = "args->out",
                                           .is_indexed = 1,
                                           .is_output = 1 });
  if (form->gives_scratch)
    scan_buffers_add(list, &(scan_buffer){ .mem = &m->scratch,
                                           .bytes = run->scratch_bytes,
                                           .align = SCAN_SORT_SCRATCH_ALIGN,
                                           .name = "args->scratch",
                                           .is_output = 1,
                                           .is_device_only = 1 });
}

void scan_sort_buffers(const scan_sort_form *form, scan_sort_run *run, scan_buffer_list *list) {
  list->count = 0;
  list->rule = "what is written lies beside what is read, and over it only where spec->in_place is 1 and an output is "
               "its own input; give it memory apart";
  if (run->n > 0) list_inputs(form, run, list);
  scan_buffers_add(list, &(scan_buffer){ .mem = &run->bins,
                                         .bytes = run->bins_bytes,
                                         .item_bytes = run->bins_bytes,
                                         .align = COUNT_BYTES,
                                         .name = form->what == SCAN_SORT_HISTOGRAM ? "args->counts" : "args->offsets",
                                         .is_output = 1,
                                         .is_count = 1 });
  if (run->n > 0) list_outputs(form, run, list);
}

static scan_status check_segments(scan_ctx *ctx, const scan_sort_form *form, const scan_sort_args *args) {
  if (form->offset_bytes == 0 && args->offsets.kind != SCAN_MEM_NONE)
    FAIL_INVALID(
        "args->offsets is given, and spec->offset_type is 0: set that to SCAN_U32 or SCAN_U64 to sort by segments");
  if (form->offset_bytes == 0 && args->segments != 0)
    FAIL_INVALID("args->segments is %" PRIu64 ", and spec->offset_type 0: there are no segments", args->segments);
  if (args->segments > SIZE_MAX / MOST_BYTES)
    FAIL_INVALID("args->segments is %" PRIu64 ": that many offsets are more than an address can reach", args->segments);
  return SCAN_SUCCESS;
}

scan_status scan_sort_run_check(scan_ctx *ctx, const scan_sort_form *form, int stageable, scan_sort_run *run) {
  scan_buffer_list list;
  run->form = form;
  SCAN_TRY(scan_sort_count_check(ctx, form, run->n, "n"));
  if (form->drops_keys && run->memory.keys_out.kind != SCAN_MEM_NONE)
    FAIL_INVALID("args->keys_out is given, and spec->drops_keys is 1: set one or the other to 0");
  SCAN_TRY(scan_sort_scratch_check(ctx, form, run));
  SCAN_TRY(check_segments(ctx, form, &run->memory));
  scan_sort_buffers(form, run, &list);
  SCAN_TRY(scan_buffers_resolve(ctx, &list, stageable));
  return scan_buffers_check_apart(ctx, &list);
}

scan_status scan_sort_unused_check(scan_ctx *ctx, const scan_sort_form *form, const scan_mem *in, const scan_mem *out) {
  const uint32_t arrays = form->arrays - (form->moves_elements ? 1 : 0);
  const int is_index = form->index_bytes != 0;
  const char *why = is_index ? "spec->index_type asks for indices alone" : "spec->arrays names fewer arrays";
  SCAN_TRY(scan_unused_arrays_check(ctx, in, "in", is_index ? 0 : arrays, why));
  return scan_unused_arrays_check(ctx, out, "out", is_index ? 1 : arrays, why);
}

scan_status scan_sort_args_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                                 const scan_sort_args *given, int stageable, scan_sort_run *run) {
  scan_sort_args *m = &run->memory;
  if (given == NULL) FAIL_INVALID("args is NULL");
  *run = (scan_sort_run){ .n = n, .scratch_bytes = scan_sort_scratch_of(form, n, max_n) };
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_sort_args, m, given, "args", &ctx->error));
  SCAN_TRY(scan_sort_unused_check(ctx, form, m->in, m->out));
  return scan_sort_run_check(ctx, form, stageable, run);
}

/* ---- plans ---- */

const char *scan_sort_call(const scan_sort_form *form) {
  return form->what == SCAN_SORT_SPLIT ? "split" : form->what == SCAN_SORT_HISTOGRAM ? "histogram" : "sort";
}

scan_status scan_sort_plan_check(const scan_plan *plan, const char *call, uint64_t n) {
  scan_ctx *ctx = plan->ctx;
  const scan_sort_plan *sort = scan_sort_plan_of(plan);
  if (sort == NULL || strcmp(scan_sort_call(&sort->form), call) != 0)
    FAIL_INVALID("scan_plan_run_%s: the plan was not made by scan_plan_create_%s; run it as it was made", call, call);
  if (n > plan->max_n) FAIL_INVALID("n is %" PRIu64 ", but the plan was created for at most %" PRIu64, n, plan->max_n);
  return SCAN_SUCCESS;
}
