/* SPDX-License-Identifier: BSD-2-Clause */
/** @file wrap.c @brief The functions that the linker puts in place of the public ones. */
#include "calls/calls.h"

#include <scanrt/scan_composite.h>
#include <scanrt/scan_difference.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <scanrt/scan_tiles.h>

#include <stdio.h>

/** WRAP(result, name, parameters): declares the real function, and begins the one in its place. */
#define WRAP(result, name, parameters)                                                                                 \
  result __real_##name parameters;                                                                                     \
  result __wrap_##name parameters;                                                                                     \
  result __wrap_##name parameters

/** Makes the call and returns its status. Statements in between run where the call is recorded. */
#define MADE(call, ...)                                                                                                \
  record_enter();                                                                                                      \
  const scan_status status = call;                                                                                     \
  if (record_leave()) { __VA_ARGS__; }                                                                                 \
  return status

#define CALL(family_, spec_, array_, n_, args_)                                                                        \
  (&(public_call){ .family = &(family_), .ctx = ctx, .spec = (spec_), .array = (array_), .n = (n_), .args = (args_) })

/* ---- contexts ---- */

WRAP(scan_status, scan_ctx_create, (const scan_ctx_options *options, scan_ctx **ctx)) {
  call_object object = { .at = NULL };
  if (options) {
    key_number(&object.key, "threads", options->threads);
    if (options->strategy) key_word(&object.key, "ctx_strategy", scan_strategy_name(options->strategy));
  }
  MADE(__real_scan_ctx_create(options, ctx), if (status == SCAN_SUCCESS) object.at = *ctx, object_put(&object));
}

WRAP(void, scan_ctx_destroy, (scan_ctx * ctx)) {
  object_drop(ctx);
  record_enter();
  __real_scan_ctx_destroy(ctx);
  record_leave();
}

/* ---- operators ---- */

/** Remembers an operator by its fields. */
static void remember(call_object *object, const scan_op *op) {
  scan_op_facts facts = SCAN_OP_FACTS_INIT;
  if (scan_op_info(op, &facts) != SCAN_SUCCESS) return;
  object->at = op;
  object->input_bytes = facts.input_bytes;
  object->output_bytes = facts.output_bytes;
  if (!facts.is_predicate) {
    key_number(&object->key, "value_bytes", facts.value_bytes);
    key_number(&object->key, "value_align", facts.value_align);
    if (facts.maps) key_number(&object->key, "map", facts.input_bytes);
    if (facts.emits) key_number(&object->key, "emit", facts.output_bytes);
    key_flag(&object->key, "identity", facts.has_identity != 0);
  }
  object_put(object);
}

static void remember_operator(const scan_op_source *source, const scan_op *op) {
  call_object object = { .at = NULL };
  key_word(&object.key, "op", "source");
  key_flag(&object.key, "loops", source->loops != NULL);
  key_flag(&object.key, "map_loop", source->map_loop != NULL);
  key_flag(&object.key, "emit_loop", source->emit_loop != NULL);
  remember(&object, op);
}

static void remember_composite(scan_composite which, const scan_op *op) {
  call_object object = { .at = NULL };
  key_word(&object.key, "op", "composite");
  key_word(&object.key, "composite", scan_composite_name(which));
  remember(&object, op);
}

/** Remembers a predicate or a bucket function by one word. */
static void remember_function(size_t bytes, size_t align, size_t params_bytes, int is_pair, const scan_op *op) {
  call_object object = { .at = NULL };
  char word[CALL_WORD_BYTES];
  snprintf(word, sizeof word, "bytes%zu,align%zu,params%zu%s", bytes, align, params_bytes, is_pair ? ",pair" : "");
  key_text(&object.key, word);
  remember(&object, op);
}

WRAP(scan_status, scan_op_create, (scan_ctx * ctx, const scan_op_source *source, scan_op **op)) {
  MADE(__real_scan_op_create(ctx, source, op), if (status == SCAN_SUCCESS) remember_operator(source, *op));
}

WRAP(scan_status, scan_composite_create, (scan_ctx * ctx, scan_composite which, scan_op **op)) {
  MADE(__real_scan_composite_create(ctx, which, op), if (status == SCAN_SUCCESS) remember_composite(which, *op));
}

WRAP(scan_status, scan_predicate_create, (scan_ctx * ctx, const scan_predicate_source *source, scan_op **predicate)) {
  MADE(__real_scan_predicate_create(ctx, source, predicate),
       if (status == SCAN_SUCCESS) remember_function(source->element_bytes, source->element_align, source->params_bytes,
                                                     source->is_pair != 0, *predicate));
}

WRAP(scan_status, scan_bucket_create, (scan_ctx * ctx, const scan_bucket_source *source, scan_op **bucket)) {
  MADE(__real_scan_bucket_create(ctx, source, bucket),
       if (status == SCAN_SUCCESS)
           remember_function(source->element_bytes, source->element_align, source->params_bytes, 0, *bucket));
}

WRAP(void, scan_op_destroy, (scan_op * op)) {
  object_drop(op);
  record_enter();
  __real_scan_op_destroy(op);
  record_leave();
}

/* ---- scans ---- */

WRAP(scan_status, scan_run_args, (scan_ctx * ctx, const scan_spec *spec, uint64_t n, const scan_args *args)) {
  MADE(__real_scan_run_args(ctx, spec, n, args), record_call(CALL(call_scans, spec, NULL, n, args), status));
}

WRAP(scan_status, scan_run, (scan_ctx * ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out)) {
  const scan_args args = SCAN_ARGS_INIT(in, out);
  MADE(__real_scan_run(ctx, spec, n, in, out), record_call(CALL(call_scans, spec, NULL, n, &args), status));
}

WRAP(scan_status, scan_plan_create, (scan_ctx * ctx, const scan_spec *spec, uint64_t max_n, scan_plan **plan)) {
  MADE(__real_scan_plan_create(ctx, spec, max_n, plan),
       record_plan(CALL(call_scans, spec, NULL, max_n, NULL), status ? NULL : *plan, status));
}

WRAP(scan_status, scan_plan_run_args, (scan_plan * plan, uint64_t n, const scan_args *args)) {
  MADE(__real_scan_plan_run_args(plan, n, args), record_run(plan, n, args, status));
}

WRAP(scan_status, scan_plan_run, (scan_plan * plan, uint64_t n, scan_mem in, scan_mem out)) {
  const scan_args args = SCAN_ARGS_INIT(in, out);
  MADE(__real_scan_plan_run(plan, n, in, out), record_run(plan, n, &args, status));
}

WRAP(void, scan_plan_destroy, (scan_plan * plan)) {
  object_drop(plan);
  record_enter();
  __real_scan_plan_destroy(plan);
  record_leave();
}

WRAP(scan_status, scan_adjacent_difference,
     (scan_ctx * ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem out)) {
  const scan_args args = SCAN_ARGS_INIT(in, out);
  MADE(__real_scan_adjacent_difference(ctx, spec, n, in, out),
       record_call(CALL(call_differences, spec, NULL, n, &args), status));
}

WRAP(scan_status, scan_plan_create_adjacent_difference,
     (scan_ctx * ctx, const scan_spec *spec, uint64_t max_n, scan_plan **plan)) {
  MADE(__real_scan_plan_create_adjacent_difference(ctx, spec, max_n, plan),
       record_plan(CALL(call_differences, spec, NULL, max_n, NULL), status ? NULL : *plan, status));
}

WRAP(scan_status, scan_tile_values,
     (scan_ctx * ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem values, uint64_t *tile_items)) {
  const scan_args args = SCAN_ARGS_INIT(in, values);
  MADE(__real_scan_tile_values(ctx, spec, n, in, values, tile_items),
       record_call(CALL(call_tile_values, spec, NULL, n, &args), status));
}

WRAP(scan_status, scan_group_values,
     (scan_ctx * ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem values, uint64_t *group_items)) {
  const scan_args args = SCAN_ARGS_INIT(in, values);
  MADE(__real_scan_group_values(ctx, spec, n, in, values, group_items),
       record_call(CALL(call_group_values, spec, NULL, n, &args), status));
}

WRAP(scan_status, scan_stream,
     (scan_ctx * ctx, const scan_spec *spec, uint64_t n, const void *in, void *out,
      const scan_stream_options *options)) {
  stream_args args = { .struct_bytes = sizeof args, .in = in, .out = out };
  if (options && options->struct_bytes == sizeof *options) args.options = *options;
  MADE(__real_scan_stream(ctx, spec, n, in, out, options),
       record_call(CALL(call_streams, spec, NULL, n, &args), status));
}

/* ---- arrays ---- */

WRAP(scan_status, scan_run_array_args,
     (scan_ctx * ctx, const scan_spec *spec, const scan_array *array, const scan_args *args)) {
  MADE(__real_scan_run_array_args(ctx, spec, array, args),
       record_call(CALL(call_arrays, spec, array, array_items(array), args), status));
}

WRAP(scan_status, scan_run_array,
     (scan_ctx * ctx, const scan_spec *spec, const scan_array *array, scan_mem in, scan_mem out)) {
  const scan_args args = SCAN_ARGS_INIT(in, out);
  MADE(__real_scan_run_array(ctx, spec, array, in, out),
       record_call(CALL(call_arrays, spec, array, array_items(array), &args), status));
}

WRAP(scan_status, scan_plan_create_array,
     (scan_ctx * ctx, const scan_spec *spec, const scan_array *array, scan_plan **plan)) {
  MADE(__real_scan_plan_create_array(ctx, spec, array, plan),
       record_plan(CALL(call_arrays, spec, array, array_items(array), NULL), status ? NULL : *plan, status));
}

WRAP(scan_status, scan_plan_run_array, (scan_plan * plan, scan_mem in, scan_mem out)) {
  const scan_args args = SCAN_ARGS_INIT(in, out);
  call_object object = { .most_items = 0 };
  object_get(plan, &object);
  MADE(__real_scan_plan_run_array(plan, in, out), record_run(plan, object.most_items, &args, status));
}

/* ---- primitives ---- */

/** The three functions of a primitive: the call, the plan, and the plan's run. */
#define WRAP_PRIMITIVE(family, call, create, run, spec_type, args_type)                                                \
  WRAP(scan_status, call, (scan_ctx * ctx, const spec_type *spec, uint64_t n, const args_type *args)) {                \
    MADE(__real_##call(ctx, spec, n, args), record_call(CALL(family, spec, NULL, n, args), status));                   \
  }                                                                                                                    \
  WRAP(scan_status, create, (scan_ctx * ctx, const spec_type *spec, uint64_t max_n, scan_plan **plan)) {               \
    MADE(__real_##create(ctx, spec, max_n, plan),                                                                      \
         record_plan(CALL(family, spec, NULL, max_n, NULL), status ? NULL : *plan, status));                           \
  }                                                                                                                    \
  WRAP(scan_status, run, (scan_plan * plan, uint64_t n, const args_type *args)) {                                      \
    MADE(__real_##run(plan, n, args), record_run(plan, n, args, status));                                              \
  }

WRAP_PRIMITIVE(call_selects, scan_select, scan_plan_create_select, scan_plan_run_select, scan_select_spec,
               scan_select_args)
WRAP_PRIMITIVE(call_partitions, scan_partition3, scan_plan_create_partition3, scan_plan_run_partition3,
               scan_partition3_spec, scan_partition3_args)
WRAP_PRIMITIVE(call_run_lengths, scan_run_length_encode, scan_plan_create_run_length, scan_plan_run_run_length,
               scan_run_length_spec, scan_run_length_args)
WRAP_PRIMITIVE(call_reductions, scan_reduce_by_key, scan_plan_create_reduce_by_key, scan_plan_run_reduce_by_key,
               scan_spec, scan_reduce_by_key_args)
WRAP_PRIMITIVE(call_sorts, scan_sort, scan_plan_create_sort, scan_plan_run_sort, scan_sort_spec, scan_sort_args)
WRAP_PRIMITIVE(call_splits, scan_split, scan_plan_create_split, scan_plan_run_split, scan_split_spec, scan_split_args)
WRAP_PRIMITIVE(call_histograms, scan_histogram, scan_plan_create_histogram, scan_plan_run_histogram,
               scan_histogram_spec, scan_histogram_args)
