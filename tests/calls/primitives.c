/* SPDX-License-Identifier: BSD-2-Clause */
/** @file primitives.c @brief Fields of compaction, runs, sorts, splits and histograms. */
#include "calls/calls.h"

#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

/* ---- what several families have ---- */

static uint32_t counted(uint32_t arrays) { return arrays < SCAN_SELECT_MOST_ARRAYS ? arrays : SCAN_SELECT_MOST_ARRAYS; }

/** Appends which arrays a call moves. */
static void append_arrays(call_key *key, uint32_t arrays, const uint32_t *bytes, const uint32_t *align) {
  key_number(key, "arrays", arrays);
  key_numbers(key, "element_bytes", bytes, counted(arrays));
  key_numbers(key, "element_align", align, counted(arrays));
}

static void append_capacity(call_key *key, const char *name, uint64_t capacity, uint64_t n) {
  if (capacity == SCAN_NO_CAPACITY)
    key_word(key, name, "none");
  else
    key_compared(key, name, capacity, n);
}

/* ---- compaction ---- */

static const char *by_name(scan_select_by by) {
  static const char *const names[] = { NULL, "flags", "bits", "first", "last", "predicate" };
  return (unsigned)by < 6 ? names[by] : NULL;
}

static const char *rest_name(scan_select_rest rest) {
  static const char *const names[] = { "dropped", "behind", "apart" };
  return (unsigned)rest < 3 ? names[rest] : NULL;
}

static void describe_select(call_key *key, const void *given) {
  const scan_select_spec *spec = given;
  key_word(key, "by", by_name(spec->by));
  key_type(key, "key_type", spec->key_type);
  key_word(key, "rest", rest_name(spec->rest));
  key_type(key, "index_type", spec->index_type);
  append_arrays(key, spec->arrays, spec->element_bytes, spec->element_align);
  key_function(key, "predicate", spec->predicate);
  key_flag(key, "may_be_in_place", spec->in_place != 0);
  key_flags(key, spec->flags);
}

static void describe_select_args(call_key *key, uint64_t n, const void *given, int succeeded) {
  const scan_select_args *args = given;
  call_buffers buffers = { .count = 0 };
  buffers_add(&buffers, "marks", args->marks);
  buffers_add_arrays(&buffers, "in", args->in, SCAN_SELECT_MOST_ARRAYS);
  buffers_add_arrays(&buffers, "out", args->out, SCAN_SELECT_MOST_ARRAYS);
  buffers_add_arrays(&buffers, "rest", args->rest, SCAN_SELECT_MOST_ARRAYS);
  buffers_add(&buffers, "count", args->count);
  buffers_add(&buffers, "n_from", args->n_from);
  buffers_pair_arrays(&buffers, args->in, args->out, SCAN_SELECT_MOST_ARRAYS);
  key_buffers(key, &buffers);
  append_capacity(key, "capacity", args->capacity, n);
  append_capacity(key, "rest_capacity", args->rest_capacity, n);
  key_n_from(key, args->n_from, n, args->count, 1, succeeded);
  key_events(key, args->opencl);
}

const call_family call_selects = { .name = "select",
                                   .spec_bytes = sizeof(scan_select_spec),
                                   .args_bytes = sizeof(scan_select_args),
                                   .describe_spec = describe_select,
                                   .describe_args = describe_select_args };

static void describe_partition(call_key *key, const void *given) {
  const scan_partition3_spec *spec = given;
  key_function(key, "first", spec->first);
  key_function(key, "second", spec->second);
  key_flag(key, "same_predicate", spec->first == spec->second);
  append_arrays(key, spec->arrays, spec->element_bytes, spec->element_align);
  key_flags(key, spec->flags);
}

static void describe_partition_args(call_key *key, uint64_t n, const void *given, int succeeded) {
  const scan_partition3_args *args = given;
  call_buffers buffers = { .count = 0 };
  buffers_add_arrays(&buffers, "in", args->in, SCAN_SELECT_MOST_ARRAYS);
  buffers_add_arrays(&buffers, "first", args->first, SCAN_SELECT_MOST_ARRAYS);
  buffers_add_arrays(&buffers, "second", args->second, SCAN_SELECT_MOST_ARRAYS);
  buffers_add_arrays(&buffers, "rest", args->rest, SCAN_SELECT_MOST_ARRAYS);
  buffers_add(&buffers, "counts", args->counts);
  buffers_add(&buffers, "n_from", args->n_from);
  key_buffers(key, &buffers);
  key_n_from(key, args->n_from, n, args->counts, SCAN_PARTITION3_PARTS, succeeded);
  key_events(key, args->opencl);
}

_Static_assert(sizeof(scan_partition3_args) <= CALL_STRUCT_BYTES, "the largest args have room in a copy");

const call_family call_partitions = { .name = "partition3",
                                      .spec_bytes = sizeof(scan_partition3_spec),
                                      .args_bytes = sizeof(scan_partition3_args),
                                      .describe_spec = describe_partition,
                                      .describe_args = describe_partition_args };

/* ---- runs ---- */

static void describe_run_lengths(call_key *key, const void *given) {
  const scan_run_length_spec *spec = given;
  key_type(key, "key_type", spec->key_type);
  key_type(key, "length_type", spec->length_type);
  key_type(key, "start_type", spec->start_type);
  key_flags(key, spec->flags);
}

static void describe_run_length_args(call_key *key, uint64_t n, const void *given, int succeeded) {
  const scan_run_length_args *args = given;
  call_buffers buffers = { .count = 0 };
  buffers_add(&buffers, "keys", args->keys);
  buffers_add(&buffers, "keys_out", args->keys_out);
  buffers_add(&buffers, "lengths", args->lengths);
  buffers_add(&buffers, "starts", args->starts);
  buffers_add(&buffers, "count", args->count);
  buffers_add(&buffers, "n_from", args->n_from);
  key_buffers(key, &buffers);
  append_capacity(key, "capacity", args->capacity, n);
  key_n_from(key, args->n_from, n, args->count, 1, succeeded);
  key_events(key, args->opencl);
}

const call_family call_run_lengths = { .name = "run_length",
                                       .spec_bytes = sizeof(scan_run_length_spec),
                                       .args_bytes = sizeof(scan_run_length_args),
                                       .describe_spec = describe_run_lengths,
                                       .describe_args = describe_run_length_args };

static void describe_reduction(call_key *key, const void *spec) { call_scans.describe_spec(key, spec); }

static void describe_reduction_args(call_key *key, uint64_t n, const void *given, int succeeded) {
  const scan_reduce_by_key_args *args = given;
  call_buffers buffers = { .count = 0 };
  buffers_add(&buffers, "keys", args->keys);
  buffers_add(&buffers, "values", args->values);
  buffers_add(&buffers, "keys_out", args->keys_out);
  buffers_add(&buffers, "values_out", args->values_out);
  buffers_add(&buffers, "count", args->count);
  buffers_add(&buffers, "n_from", args->n_from);
  key_buffers(key, &buffers);
  append_capacity(key, "capacity", args->capacity, n);
  key_n_from(key, args->n_from, n, args->count, 1, succeeded);
  key_events(key, args->opencl);
}

const call_family call_reductions = { .name = "reduce_by_key",
                                      .spec_bytes = sizeof(scan_spec),
                                      .args_bytes = sizeof(scan_reduce_by_key_args),
                                      .describe_spec = describe_reduction,
                                      .describe_args = describe_reduction_args };

/* ---- sorts ---- */

/** Appends which of a key's bits count: where the first and the last one are, and how many digits of 8 bits. */
static void append_bits(call_key *key, uint32_t first_bit, uint32_t end_bit, uint32_t key_bits) {
  if (first_bit) key_word(key, "first_bit", first_bit % 8 ? "odd" : "8k");
  if (end_bit) key_word(key, "end_bit", end_bit == key_bits ? "all" : end_bit % 8 ? "odd" : "8k");
  if (end_bit > first_bit) key_number(key, "digits", (end_bit - first_bit + 7) / 8);
}

static uint32_t bits_of(scan_type type) { return 8 * (uint32_t)scan_type_bytes(type); }

static void describe_sort(call_key *key, const void *given) {
  const scan_sort_spec *spec = given;
  key_type(key, "key_type", spec->key_type);
  if (spec->key_words > 1) key_number(key, "key_words", spec->key_words);
  key_flag(key, "low_word_first", spec->low_word_first != 0);
  key_flag(key, "descending", spec->descending != 0);
  if (spec->order) key_word(key, "order", spec->order == SCAN_SORT_NUMERIC_ORDER ? "numeric" : NULL);
  append_bits(key, spec->first_bit, spec->end_bit, bits_of(spec->key_type) * (spec->key_words == 2 ? 2 : 1));
  key_type(key, "index_type", spec->index_type);
  append_arrays(key, spec->arrays, spec->element_bytes, spec->element_align);
  key_flag(key, "drops_keys", spec->drops_keys != 0);
  key_flag(key, "may_be_in_place", spec->in_place != 0);
  key_type(key, "offset_type", spec->offset_type);
  if (spec->most_segment_items) key_items(key, "most_segment_items", spec->most_segment_items);
  key_flag(key, "gives_scratch", spec->gives_scratch != 0);
  key_flags(key, spec->flags);
}

static void describe_sort_args(call_key *key, uint64_t n, const void *given, int succeeded) {
  const scan_sort_args *args = given;
  call_buffers buffers = { .count = 0 };
  buffers_add(&buffers, "keys_in", args->keys_in);
  buffers_add(&buffers, "keys_out", args->keys_out);
  buffers_add_arrays(&buffers, "in", args->in, SCAN_SORT_MOST_ARRAYS);
  buffers_add_arrays(&buffers, "out", args->out, SCAN_SORT_MOST_ARRAYS);
  buffers_add(&buffers, "n_from", args->n_from);
  buffers_add(&buffers, "offsets", args->offsets);
  buffers_add(&buffers, "scratch", args->scratch);
  buffers_pair(&buffers, args->keys_in, args->keys_out);
  buffers_pair_arrays(&buffers, args->in, args->out, SCAN_SORT_MOST_ARRAYS);
  key_buffers(key, &buffers);
  if (args->offsets.kind) key_items(key, "segments", args->segments);
  key_n_from(key, args->n_from, n, SCAN_NO_MEM, 0, succeeded);
  key_events(key, args->opencl);
}

const call_family call_sorts = { .name = "sort",
                                 .spec_bytes = sizeof(scan_sort_spec),
                                 .args_bytes = sizeof(scan_sort_args),
                                 .describe_spec = describe_sort,
                                 .describe_args = describe_sort_args };

/* ---- splits and histograms ---- */

static void describe_split(call_key *key, const void *given) {
  const scan_split_spec *spec = given;
  key_type(key, "key_type", spec->key_type);
  key_flag(key, "descending", spec->descending != 0);
  append_bits(key, spec->first_bit, spec->end_bit, bits_of(spec->key_type));
  key_type(key, "index_type", spec->index_type);
  append_arrays(key, spec->arrays, spec->element_bytes, spec->element_align);
  key_flag(key, "drops_keys", spec->drops_keys != 0);
  key_flag(key, "may_be_in_place", spec->in_place != 0);
  key_function(key, "bucket", spec->bucket);
  if (spec->bucket) key_items(key, "buckets", spec->buckets);
  key_flags(key, spec->flags);
}

static void describe_split_args(call_key *key, uint64_t n, const void *given, int succeeded) {
  const scan_split_args *args = given;
  call_buffers buffers = { .count = 0 };
  buffers_add(&buffers, "keys_in", args->keys_in);
  buffers_add(&buffers, "keys_out", args->keys_out);
  buffers_add(&buffers, "offsets", args->offsets);
  buffers_add_arrays(&buffers, "in", args->in, SCAN_SPLIT_MOST_ARRAYS);
  buffers_add_arrays(&buffers, "out", args->out, SCAN_SPLIT_MOST_ARRAYS);
  buffers_add(&buffers, "n_from", args->n_from);
  buffers_pair(&buffers, args->keys_in, args->keys_out);
  buffers_pair_arrays(&buffers, args->in, args->out, SCAN_SPLIT_MOST_ARRAYS);
  key_buffers(key, &buffers);
  key_n_from(key, args->n_from, n, SCAN_NO_MEM, 0, succeeded);
  key_events(key, args->opencl);
}

const call_family call_splits = { .name = "split",
                                  .spec_bytes = sizeof(scan_split_spec),
                                  .args_bytes = sizeof(scan_split_args),
                                  .describe_spec = describe_split,
                                  .describe_args = describe_split_args };

static void describe_histogram(call_key *key, const void *given) {
  const scan_histogram_spec *spec = given;
  key_type(key, "key_type", spec->key_type);
  key_flag(key, "descending", spec->descending != 0);
  append_bits(key, spec->first_bit, spec->end_bit, bits_of(spec->key_type));
  key_function(key, "bucket", spec->bucket);
  if (spec->bucket) key_items(key, "buckets", spec->buckets);
  key_flags(key, spec->flags);
}

static void describe_histogram_args(call_key *key, uint64_t n, const void *given, int succeeded) {
  const scan_histogram_args *args = given;
  call_buffers buffers = { .count = 0 };
  buffers_add(&buffers, "keys", args->keys);
  buffers_add(&buffers, "counts", args->counts);
  buffers_add(&buffers, "n_from", args->n_from);
  key_buffers(key, &buffers);
  key_n_from(key, args->n_from, n, SCAN_NO_MEM, 0, succeeded);
  key_events(key, args->opencl);
}

const call_family call_histograms = { .name = "histogram",
                                      .spec_bytes = sizeof(scan_histogram_spec),
                                      .args_bytes = sizeof(scan_histogram_args),
                                      .describe_spec = describe_histogram,
                                      .describe_args = describe_histogram_args };
