/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file refusal_calls.c
 * @brief The functions that refusals.txt calls, and the fields of their structs.
 */
#include "refusal.h"

#include <scanrt/scan_difference.h>

#include <stddef.h>
#include <string.h>

/** The two structs that describe a scan of an array, as one. */
typedef struct array_spec {
  scan_spec spec;
  scan_array array;
} array_spec;

/** The arguments of scan_stream, without its specification. */
typedef struct stream_args {
  const void *in;
  void *out;
  scan_stream_options options;
} stream_args;

/* ---- fields ---- */

#define KIND(field)                                                                                                    \
  _Generic((field), scan_mem: REFUSAL_MEMORY, scan_mem *: REFUSAL_MEMORY, scan_op *: REFUSAL_POINTER,                  \
           const void *: REFUSAL_POINTER, void *: REFUSAL_POINTER, default: REFUSAL_NUMBER)
#define BYTES(field)                                                                                                   \
  _Generic((field), scan_mem *                                                                                         \
           : sizeof(scan_mem), uint32_t *                                                                              \
           : sizeof(uint32_t), uint64_t *                                                                              \
           : sizeof(uint64_t), int64_t *                                                                               \
           : sizeof(int64_t), default                                                                                  \
           : sizeof(field))
#define FIELD_NAMED(name, type, field, is_argument)                                                                    \
  {                                                                                                                    \
    name, offsetof(type, field), BYTES(((type *)0)->field), sizeof(((type *)0)->field) / (BYTES(((type *)0)->field)),  \
        KIND(((type *)0)->field), is_argument, 0                                                                       \
  }
#define SIZE_OF(name, type, member, struct_type, is_argument)                                                          \
  { name, offsetof(type, member), sizeof(size_t), 1, REFUSAL_NUMBER, is_argument, sizeof(struct_type) }
#define SPEC(type, field) FIELD_NAMED(#field, type, field, 0)
#define ARGS(type, field) FIELD_NAMED(#field, type, field, 1)
#define SIZES(spec_type, args_type)                                                                                    \
  SIZE_OF("spec.struct_bytes", spec_type, struct_bytes, spec_type, 0),                                                 \
      SIZE_OF("args.struct_bytes", args_type, struct_bytes, args_type, 1)
#define END                                                                                                            \
  { .name = NULL }

#define OF_SCAN_SPEC                                                                                                   \
  SPEC(scan_spec, type), SPEC(scan_spec, input_type), SPEC(scan_spec, op), SPEC(scan_spec, kind),                      \
      SPEC(scan_spec, custom_op), SPEC(scan_spec, flags), SPEC(scan_spec, has_init), SPEC(scan_spec, init_bytes),      \
      SPEC(scan_spec, segments), SPEC(scan_spec, key_type), SPEC(scan_spec, strategy)
#define OF_SCAN_ARGS                                                                                                   \
  ARGS(scan_args, in), ARGS(scan_args, out), ARGS(scan_args, marks), ARGS(scan_args, mark_count),                      \
      ARGS(scan_args, carry_in), ARGS(scan_args, carry_out), ARGS(scan_args, n_from)

static const refusal_field of_scan[] = { SIZES(scan_spec, scan_args), OF_SCAN_SPEC, OF_SCAN_ARGS, END };

static const refusal_field of_array[] = { SIZES(scan_spec, scan_args),
                                          OF_SCAN_SPEC,
                                          OF_SCAN_ARGS,
                                          SIZE_OF("array.struct_bytes", array_spec, array.struct_bytes, scan_array, 0),
                                          FIELD_NAMED("ndim", array_spec, array.ndim, 0),
                                          FIELD_NAMED("axis", array_spec, array.axis, 0),
                                          FIELD_NAMED("shape", array_spec, array.shape, 0),
                                          FIELD_NAMED("in_strides", array_spec, array.in_strides, 0),
                                          FIELD_NAMED("out_strides", array_spec, array.out_strides, 0),
                                          END };

#define OF_STREAM(field) FIELD_NAMED(#field, stream_args, options.field, 1)
static const refusal_field of_stream[] = { SIZE_OF("spec.struct_bytes", scan_spec, struct_bytes, scan_spec, 0),
                                           SIZE_OF("args.struct_bytes", stream_args, options.struct_bytes,
                                                   scan_stream_options, 1),
                                           OF_SCAN_SPEC,
                                           ARGS(stream_args, in),
                                           ARGS(stream_args, out),
                                           OF_STREAM(device_bytes),
                                           OF_STREAM(chunk_items),
                                           OF_STREAM(marks),
                                           OF_STREAM(mark_count),
                                           OF_STREAM(carry_in),
                                           OF_STREAM(carry_out),
                                           END };

#define SELECT_SPEC(field) SPEC(scan_select_spec, field)
#define SELECT_ARGS(field) ARGS(scan_select_args, field)
static const refusal_field of_select[] = { SIZES(scan_select_spec, scan_select_args),
                                           SELECT_SPEC(by),
                                           SELECT_SPEC(key_type),
                                           SELECT_SPEC(rest),
                                           SELECT_SPEC(index_type),
                                           SELECT_SPEC(arrays),
                                           SELECT_SPEC(element_bytes),
                                           SELECT_SPEC(element_align),
                                           SELECT_SPEC(predicate),
                                           SELECT_SPEC(in_place),
                                           SELECT_SPEC(flags),
                                           SELECT_ARGS(marks),
                                           SELECT_ARGS(in),
                                           SELECT_ARGS(out),
                                           FIELD_NAMED("rest", scan_select_args, rest, 1),
                                           SELECT_ARGS(capacity),
                                           SELECT_ARGS(rest_capacity),
                                           SELECT_ARGS(count),
                                           SELECT_ARGS(n_from),
                                           SELECT_ARGS(params),
                                           END };

#define PARTITION_SPEC(field) SPEC(scan_partition3_spec, field)
#define PARTITION_ARGS(field) ARGS(scan_partition3_args, field)
static const refusal_field of_partition[] = { SIZES(scan_partition3_spec, scan_partition3_args),
                                              FIELD_NAMED("spec.first", scan_partition3_spec, first, 0),
                                              FIELD_NAMED("spec.second", scan_partition3_spec, second, 0),
                                              PARTITION_SPEC(arrays),
                                              PARTITION_SPEC(element_bytes),
                                              PARTITION_SPEC(element_align),
                                              PARTITION_SPEC(flags),
                                              PARTITION_ARGS(in),
                                              PARTITION_ARGS(first),
                                              PARTITION_ARGS(second),
                                              PARTITION_ARGS(rest),
                                              PARTITION_ARGS(counts),
                                              PARTITION_ARGS(n_from),
                                              PARTITION_ARGS(first_params),
                                              PARTITION_ARGS(second_params),
                                              END };

#define ENCODE_SPEC(field) SPEC(scan_run_length_spec, field)
#define ENCODE_ARGS(field) ARGS(scan_run_length_args, field)
static const refusal_field of_encode[] = { SIZES(scan_run_length_spec, scan_run_length_args),
                                           ENCODE_SPEC(key_type),
                                           ENCODE_SPEC(length_type),
                                           ENCODE_SPEC(start_type),
                                           ENCODE_SPEC(flags),
                                           ENCODE_ARGS(keys),
                                           ENCODE_ARGS(keys_out),
                                           ENCODE_ARGS(lengths),
                                           ENCODE_ARGS(starts),
                                           ENCODE_ARGS(capacity),
                                           ENCODE_ARGS(count),
                                           ENCODE_ARGS(n_from),
                                           END };

#define REDUCE_ARGS(field) ARGS(scan_reduce_by_key_args, field)
static const refusal_field of_reduce[] = { SIZES(scan_spec, scan_reduce_by_key_args),
                                           OF_SCAN_SPEC,
                                           REDUCE_ARGS(keys),
                                           REDUCE_ARGS(values),
                                           REDUCE_ARGS(keys_out),
                                           REDUCE_ARGS(values_out),
                                           REDUCE_ARGS(capacity),
                                           REDUCE_ARGS(count),
                                           REDUCE_ARGS(n_from),
                                           END };

#define SORT_SPEC(field) SPEC(scan_sort_spec, field)
#define SORT_ARGS(field) ARGS(scan_sort_args, field)
static const refusal_field of_sort[] = { SIZES(scan_sort_spec, scan_sort_args),
                                         SORT_SPEC(key_type),
                                         SORT_SPEC(descending),
                                         SORT_SPEC(first_bit),
                                         SORT_SPEC(end_bit),
                                         SORT_SPEC(index_type),
                                         SORT_SPEC(arrays),
                                         SORT_SPEC(element_bytes),
                                         SORT_SPEC(element_align),
                                         SORT_SPEC(drops_keys),
                                         SORT_SPEC(in_place),
                                         SORT_SPEC(key_words),
                                         SORT_SPEC(low_word_first),
                                         SORT_SPEC(offset_type),
                                         SORT_SPEC(most_segment_items),
                                         SORT_SPEC(gives_scratch),
                                         SORT_SPEC(order),
                                         SORT_SPEC(flags),
                                         SORT_ARGS(keys_in),
                                         SORT_ARGS(keys_out),
                                         SORT_ARGS(in),
                                         SORT_ARGS(out),
                                         SORT_ARGS(n_from),
                                         SORT_ARGS(offsets),
                                         SORT_ARGS(segments),
                                         SORT_ARGS(scratch),
                                         END };

#define SPLIT_SPEC(field) SPEC(scan_split_spec, field)
#define SPLIT_ARGS(field) ARGS(scan_split_args, field)
static const refusal_field of_split[] = { SIZES(scan_split_spec, scan_split_args),
                                          SPLIT_SPEC(key_type),
                                          SPLIT_SPEC(descending),
                                          SPLIT_SPEC(first_bit),
                                          SPLIT_SPEC(end_bit),
                                          SPLIT_SPEC(index_type),
                                          SPLIT_SPEC(arrays),
                                          SPLIT_SPEC(element_bytes),
                                          SPLIT_SPEC(element_align),
                                          SPLIT_SPEC(drops_keys),
                                          SPLIT_SPEC(in_place),
                                          SPLIT_SPEC(bucket),
                                          SPLIT_SPEC(buckets),
                                          SPLIT_SPEC(flags),
                                          SPLIT_ARGS(keys_in),
                                          SPLIT_ARGS(keys_out),
                                          SPLIT_ARGS(offsets),
                                          SPLIT_ARGS(in),
                                          SPLIT_ARGS(out),
                                          SPLIT_ARGS(n_from),
                                          SPLIT_ARGS(params),
                                          END };

#define HISTOGRAM_SPEC(field) SPEC(scan_histogram_spec, field)
#define HISTOGRAM_ARGS(field) ARGS(scan_histogram_args, field)
static const refusal_field of_histogram[] = { SIZES(scan_histogram_spec, scan_histogram_args),
                                              HISTOGRAM_SPEC(key_type),
                                              HISTOGRAM_SPEC(descending),
                                              HISTOGRAM_SPEC(first_bit),
                                              HISTOGRAM_SPEC(end_bit),
                                              HISTOGRAM_SPEC(bucket),
                                              HISTOGRAM_SPEC(buckets),
                                              HISTOGRAM_SPEC(flags),
                                              HISTOGRAM_ARGS(keys),
                                              HISTOGRAM_ARGS(counts),
                                              HISTOGRAM_ARGS(n_from),
                                              HISTOGRAM_ARGS(params),
                                              END };

_Static_assert(sizeof(scan_partition3_args) <= REFUSAL_MOST_BYTES, "the largest arguments");
_Static_assert(sizeof(array_spec) <= REFUSAL_MOST_BYTES, "the largest specification");

/* ---- functions ---- */

/* Defines the call of a function, the making of its plan and the plan's run, all with structs as bytes. */
#define FUNCTION(name, call, make, call_plan)                                                                          \
  static scan_status run_##name(scan_ctx *ctx, const void *spec, uint64_t n, const void *args) {                       \
    return call(ctx, spec, n, args);                                                                                   \
  }                                                                                                                    \
  static scan_status make_##name(scan_ctx *ctx, const void *spec, uint64_t n, scan_plan **plan) {                      \
    return make(ctx, spec, n, plan);                                                                                   \
  }                                                                                                                    \
  static scan_status plan_##name(scan_plan *plan, uint64_t n, const void *args) { return call_plan(plan, n, args); }

FUNCTION(scan, scan_run_args, scan_plan_create, scan_plan_run_args)
FUNCTION(select, scan_select, scan_plan_create_select, scan_plan_run_select)
FUNCTION(partition, scan_partition3, scan_plan_create_partition3, scan_plan_run_partition3)
FUNCTION(encode, scan_run_length_encode, scan_plan_create_run_length, scan_plan_run_run_length)
FUNCTION(reduce, scan_reduce_by_key, scan_plan_create_reduce_by_key, scan_plan_run_reduce_by_key)
FUNCTION(sort, scan_sort, scan_plan_create_sort, scan_plan_run_sort)
FUNCTION(split, scan_split, scan_plan_create_split, scan_plan_run_split)
FUNCTION(histogram, scan_histogram, scan_plan_create_histogram, scan_plan_run_histogram)

static scan_status run_array(scan_ctx *ctx, const void *spec, uint64_t n, const void *args) {
  const array_spec *a = spec;
  (void)n;
  return scan_run_array_args(ctx, a ? &a->spec : NULL, a ? &a->array : NULL, args);
}
static scan_status make_array(scan_ctx *ctx, const void *spec, uint64_t n, scan_plan **plan) {
  const array_spec *a = spec;
  (void)n;
  return scan_plan_create_array(ctx, a ? &a->spec : NULL, a ? &a->array : NULL, plan);
}

static scan_status run_stream(scan_ctx *ctx, const void *spec, uint64_t n, const void *args) {
  const stream_args *s = args;
  return scan_stream(ctx, spec, n, s ? s->in : NULL, s ? s->out : NULL, s ? &s->options : NULL);
}

static scan_status run_difference(scan_ctx *ctx, const void *spec, uint64_t n, const void *args) {
  const scan_args *a = args;
  return scan_adjacent_difference(ctx, spec, n, a->in, a->out);
}
static scan_status make_difference(scan_ctx *ctx, const void *spec, uint64_t n, scan_plan **plan) {
  return scan_plan_create_adjacent_difference(ctx, spec, n, plan);
}

const refusal_call refusal_calls[] = {
  { "scan_run_args", sizeof(scan_spec), sizeof(scan_args), of_scan, run_scan, make_scan, plan_scan },
  { "scan_run_array_args", sizeof(array_spec), sizeof(scan_args), of_array, run_array, make_array, plan_scan },
  { "scan_stream", sizeof(scan_spec), sizeof(stream_args), of_stream, run_stream, NULL, NULL },
  { "scan_adjacent_difference", sizeof(scan_spec), sizeof(scan_args), of_scan, run_difference, make_difference,
    plan_scan },
  { "scan_select", sizeof(scan_select_spec), sizeof(scan_select_args), of_select, run_select, make_select,
    plan_select },
  { "scan_partition3", sizeof(scan_partition3_spec), sizeof(scan_partition3_args), of_partition, run_partition,
    make_partition, plan_partition },
  { "scan_run_length_encode", sizeof(scan_run_length_spec), sizeof(scan_run_length_args), of_encode, run_encode,
    make_encode, plan_encode },
  { "scan_reduce_by_key", sizeof(scan_spec), sizeof(scan_reduce_by_key_args), of_reduce, run_reduce, make_reduce,
    plan_reduce },
  { "scan_sort", sizeof(scan_sort_spec), sizeof(scan_sort_args), of_sort, run_sort, make_sort, plan_sort },
  { "scan_split", sizeof(scan_split_spec), sizeof(scan_split_args), of_split, run_split, make_split, plan_split },
  { "scan_histogram", sizeof(scan_histogram_spec), sizeof(scan_histogram_args), of_histogram, run_histogram,
    make_histogram, plan_histogram },
  { .name = NULL },
};
