/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scans.c @brief Fields of scans, arrays, streams, differences and tile values. */
#include "calls/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- specs ---- */

static const char *kind_name(scan_kind kind) {
  static const char *const names[] = { "inclusive", "exclusive", "total" };
  return (unsigned)kind < 3 ? names[kind] : NULL;
}

static const char *segments_name(scan_segments segments) {
  static const char *const names[] = { "none", "flags", "bits", "keys", "offsets" };
  return (unsigned)segments < 5 ? names[segments] : NULL;
}

static void describe_scan(call_key *key, const void *given) {
  const scan_spec *spec = given;
  if (spec->custom_op) key_operator(key, spec->custom_op);
  key_type(key, "type", spec->type);
  if (spec->input_type != spec->type) key_type(key, "input_type", spec->input_type);
  if (spec->op != SCAN_OP_NONE) key_word(key, "op", scan_op_name(spec->op));
  key_word(key, "kind", kind_name(spec->kind));
  key_flags(key, spec->flags);
  key_flag(key, "has_init", spec->has_init != 0);
  key_flag(key, "init_bytes", spec->init_bytes != NULL);
  if (spec->segments) key_word(key, "segments", segments_name(spec->segments));
  key_type(key, "key_type", spec->key_type);
  if (spec->strategy) key_word(key, "strategy", scan_strategy_name(spec->strategy));
}

/* ---- args ---- */

static void append_carries(call_key *key, scan_mem in, scan_mem out) {
  if (in.kind && out.kind)
    key_word(key, "carry", buffers_are_same(in, out) ? "in+out_same" : "in+out");
  else if (in.kind || out.kind)
    key_word(key, "carry", in.kind ? "in" : "out");
}

static void describe_args(call_key *key, uint64_t n, const void *given, int succeeded) {
  const scan_args *args = given;
  call_buffers buffers = { .count = 0 };
  (void)succeeded;
  buffers_add(&buffers, "in", args->in);
  buffers_add(&buffers, "out", args->out);
  buffers_add(&buffers, "marks", args->marks);
  buffers_add(&buffers, "carry_in", args->carry_in);
  buffers_add(&buffers, "carry_out", args->carry_out);
  buffers_pair(&buffers, args->in, args->out);
  key_buffers(key, &buffers);
  key_compared(key, "mark_count", args->mark_count, n);
  append_carries(key, args->carry_in, args->carry_out);
  key_events(key, args->opencl);
}

/* ---- arrays ---- */

uint64_t array_items(const scan_array *array) {
  uint64_t items = 1;
  if (!array || array->ndim == 0 || array->ndim > SCAN_ARRAY_MAX_AXES) return 0;
  for (uint32_t k = 0; k < array->ndim; k++) items *= array->shape[k];
  return items;
}

/** Appends a name to a list of names. */
static void list_word(char list[CALL_WORD_BYTES], const char *name, int is_in) {
  const size_t used = strlen(list);
  if (is_in) snprintf(list + used, CALL_WORD_BYTES - used, "%s%s", used ? "+" : "", name);
}

/** Appends how an array lies in memory: packed in C order, or what it has besides. Axes of length 1 do not count. */
static void append_strides(call_key *key, const char *name, const scan_array *array, const int64_t *strides,
                           uint64_t item_bytes) {
  char list[CALL_WORD_BYTES] = "";
  int is_reversed = 0, is_shared = 0, is_permuted = 0;
  uint64_t last = UINT64_MAX, span = item_bytes;
  for (uint32_t k = 0; k < array->ndim; k++) {
    const uint64_t stride = (uint64_t)(strides[k] < 0 ? -strides[k] : strides[k]);
    if (array->shape[k] < 2) continue;
    is_reversed |= strides[k] < 0;
    is_shared |= stride == 0;
    if (stride == 0) continue;
    is_permuted |= stride > last;
    last = stride;
    span += (array->shape[k] - 1) * stride;
  }
  list_word(list, "gaps", !is_shared && span > array_items(array) * item_bytes);
  list_word(list, "permuted", is_permuted);
  list_word(list, "reversed", is_reversed);
  list_word(list, "shared", is_shared);
  key_word(key, name, *list ? list : "packed");
}

void key_array(call_key *key, const scan_spec *spec, const scan_array *array) {
  call_object op = { .input_bytes = 0 };
  if (!array) {
    key_word(key, "array", "null");
    return;
  }
  key_number(key, "ndim", array->ndim);
  if (array->ndim > SCAN_ARRAY_MAX_AXES || array->axis >= array->ndim) return;
  const uint64_t line = array->shape[array->axis];
  const scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  const int is_custom = spec->custom_op && object_get(spec->custom_op, &op) == 0;
  key_word(key, "axis", array->axis + 1 == array->ndim ? "last" : array->axis == 0 ? "first" : "middle");
  key_items(key, "line", line);
  key_items(key, "lines", line ? array_items(array) / line : 0);
  append_strides(key, "in_strides", array, array->in_strides, is_custom ? op.input_bytes : scan_type_bytes(input_type));
  append_strides(key, "out_strides", array, array->out_strides,
                 is_custom ? op.output_bytes : scan_type_bytes(spec->type));
}

/* ---- streams ---- */

static void describe_stream(call_key *key, uint64_t n, const void *given, int succeeded) {
  const stream_args *args = given;
  const scan_stream_options *options = &args->options;
  scan_args memory = { .struct_bytes = sizeof memory };
  if (args->in) memory.in = scan_host(args->in);
  if (args->out) memory.out = scan_host(args->out);
  memory.marks = options->marks;
  memory.mark_count = options->mark_count;
  memory.carry_in = options->carry_in;
  memory.carry_out = options->carry_out;
  describe_args(key, n, &memory, succeeded);
  key_compared(key, "chunk_items", options->chunk_items, n);
  if (options->chunk_items == 1) key_flag(key, "chunk_of_one", 1);
  key_flag(key, "device_bytes", options->device_bytes != 0);
  key_flag(key, "read", options->read != NULL);
  key_flag(key, "write", options->write != NULL);
  key_flag(key, "progress", options->progress != NULL);
}

/* ---- families ---- */

#define FAMILY(text)                                                                                                   \
  {                                                                                                                    \
    .name = (text), .spec_bytes = sizeof(scan_spec), .args_bytes = sizeof(scan_args), .describe_spec = describe_scan,  \
    .describe_args = describe_args                                                                                     \
  }

const call_family call_scans = FAMILY("scan");
const call_family call_arrays = FAMILY("array");
const call_family call_differences = FAMILY("difference");
const call_family call_tile_values = FAMILY("tile_values");
const call_family call_group_values = FAMILY("group_values");
const call_family call_streams = { .name = "stream",
                                   .spec_bytes = sizeof(scan_spec),
                                   .args_bytes = sizeof(stream_args),
                                   .describe_spec = describe_scan,
                                   .describe_args = describe_stream };
