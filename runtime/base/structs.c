/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/structs.h"

#include <scanrt/scan_array.h>
#include <scanrt/scan_opencl.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_reduce.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <string.h>

/* ---- the fields of each struct, in their order ---- */

#define F(field)                                                                                                       \
  { #field, offsetof(T, field), offsetof(T, field) + sizeof(((T *)NULL)->field), __alignof__(((T *)NULL)->field) }

#define T scan_ctx_options
static const scan_field fields_of_scan_ctx_options[] = { F(struct_bytes), F(device),  F(strategy), F(threads),
                                                         F(allocate),     F(release), F(user) };
#undef T
#define T scan_device_info
static const scan_field fields_of_scan_device_info[] = { F(struct_bytes),
                                                         F(backend),
                                                         F(selector),
                                                         F(name),
                                                         F(vendor),
                                                         F(driver),
                                                         F(memory_bytes),
                                                         F(max_alloc_bytes),
                                                         F(local_memory_bytes),
                                                         F(compute_units),
                                                         F(max_group_items),
                                                         F(is_cpu),
                                                         F(has_fp64),
                                                         F(has_int64_atomics),
                                                         F(has_shuffles),
                                                         F(has_fair_progress),
                                                         F(flushes_denormals),
                                                         F(auto_strategy),
                                                         F(facts),
                                                         F(loop_limit),
                                                         F(group_items),
                                                         F(sub_group_items),
                                                         F(exchange),
                                                         F(descriptors),
                                                         F(variant_reason),
                                                         F(refusal) };
#undef T
#define T scan_plan_facts
static const scan_field fields_of_scan_plan_facts[] = {
  F(struct_bytes), F(strategy), F(reason),          F(max_n), F(tile_items), F(tiles),        F(workspace_bytes),
  F(launches),     F(groups),   F(items_per_group), F(work),  F(span),       F(scratch_bytes)
};
#undef T
#define T scan_spec
static const scan_field fields_of_scan_spec[] = { F(struct_bytes), F(type),     F(input_type), F(op),   F(kind),
                                                  F(custom_op),    F(flags),    F(has_init),   F(init), F(init_bytes),
                                                  F(segments),     F(key_type), F(strategy) };
#undef T
#define T scan_args
static const scan_field fields_of_scan_args[] = { F(struct_bytes), F(in),       F(out),       F(marks),
                                                  F(mark_count),   F(carry_in), F(carry_out), F(opencl),
                                                  F(n_from),       F(more_in),  F(more_out) };
#undef T
#define T scan_op_source
static const scan_field fields_of_scan_op_source[] = { F(struct_bytes),
                                                       F(text),
                                                       F(type),
                                                       F(combine),
                                                       F(value_bytes),
                                                       F(value_align),
                                                       F(identity),
                                                       F(host),
                                                       F(map),
                                                       F(input_type),
                                                       F(input_bytes),
                                                       F(input_align),
                                                       F(map_host),
                                                       F(emit),
                                                       F(output_type),
                                                       F(output_bytes),
                                                       F(output_align),
                                                       F(emit_host),
                                                       F(user),
                                                       F(loops),
                                                       F(map_loop),
                                                       F(emit_loop),
                                                       F(input_members),
                                                       F(output_members),
                                                       F(input_member_count),
                                                       F(output_member_count) };
#undef T
#define T scan_op_loops
static const scan_field fields_of_scan_op_loops[] = { F(struct_bytes), F(fold),  F(tree),        F(doubling),
                                                      F(prepend),      F(chain), F(block_lanes), F(block_chain) };
#undef T
#define T scan_op_facts
static const scan_field fields_of_scan_op_facts[] = { F(struct_bytes), F(value_bytes),   F(value_align),
                                                      F(input_bytes),  F(output_bytes),  F(maps),
                                                      F(emits),        F(has_identity),  F(is_predicate),
                                                      F(identity),     F(input_members), F(output_members) };
#undef T
#define T scan_array
static const scan_field fields_of_scan_array[] = { F(struct_bytes), F(ndim),       F(axis),
                                                   F(shape),        F(in_strides), F(out_strides) };
#undef T
#define T scan_stream_options
static const scan_field fields_of_scan_stream_options[] = { F(struct_bytes), F(device_bytes), F(chunk_items), F(read),
                                                            F(write),        F(progress),     F(user),        F(marks),
                                                            F(mark_count),   F(carry_in),     F(carry_out) };
#undef T
#define T scan_opencl_events
static const scan_field fields_of_scan_opencl_events[] = { F(struct_bytes), F(wait_count), F(wait_list), F(event) };
#undef T
#define T scan_predicate_source
static const scan_field fields_of_scan_predicate_source[] = { F(struct_bytes), F(text),          F(type),
                                                              F(keep),         F(element_bytes), F(element_align),
                                                              F(params_type),  F(params_bytes),  F(params_align),
                                                              F(host),         F(user),          F(is_pair) };
#undef T
#define T scan_select_spec
static const scan_field fields_of_scan_select_spec[] = {
  F(struct_bytes),  F(by),        F(key_type), F(rest), F(index_type), F(arrays), F(element_bytes),
  F(element_align), F(predicate), F(in_place), F(flags)
};
#undef T
#define T scan_select_args
static const scan_field fields_of_scan_select_args[] = { F(struct_bytes),  F(marks), F(in),
                                                         F(out),           F(rest),  F(capacity),
                                                         F(rest_capacity), F(count), F(n_from),
                                                         F(params),        F(opencl) };
#undef T
#define T scan_partition3_spec
static const scan_field fields_of_scan_partition3_spec[] = { F(struct_bytes),  F(first),         F(second), F(arrays),
                                                             F(element_bytes), F(element_align), F(flags) };
#undef T
#define T scan_partition3_args
static const scan_field fields_of_scan_partition3_args[] = { F(struct_bytes),  F(in),     F(first),  F(second),
                                                             F(rest),          F(counts), F(n_from), F(first_params),
                                                             F(second_params), F(opencl) };
#undef T
#define T scan_run_length_spec
static const scan_field fields_of_scan_run_length_spec[] = { F(struct_bytes), F(key_type), F(length_type),
                                                             F(start_type), F(flags) };
#undef T
#define T scan_run_length_args
static const scan_field fields_of_scan_run_length_args[] = { F(struct_bytes), F(keys),   F(keys_out),
                                                             F(lengths),      F(starts), F(capacity),
                                                             F(count),        F(n_from), F(opencl) };
#undef T
#define T scan_reduce_by_key_args
static const scan_field fields_of_scan_reduce_by_key_args[] = { F(struct_bytes), F(keys),       F(values),
                                                                F(keys_out),     F(values_out), F(capacity),
                                                                F(count),        F(n_from),     F(opencl) };
#undef T
#define T scan_segmented_reduce_args
static const scan_field fields_of_scan_segmented_reduce_args[] = { F(struct_bytes), F(values), F(begins), F(ends),
                                                                   F(segments),     F(out),    F(opencl), F(count) };
#undef T
#define T scan_sort_spec
static const scan_field fields_of_scan_sort_spec[] = {
  F(struct_bytes),   F(key_type),      F(descending),         F(first_bit),     F(end_bit),  F(index_type),
  F(arrays),         F(element_bytes), F(element_align),      F(drops_keys),    F(in_place), F(key_words),
  F(low_word_first), F(offset_type),   F(most_segment_items), F(gives_scratch), F(flags),    F(order)
};
#undef T
#define T scan_sort_args
static const scan_field fields_of_scan_sort_args[] = {
  F(struct_bytes), F(keys_in), F(keys_out), F(in), F(out), F(n_from), F(offsets), F(segments), F(scratch), F(opencl)
};
#undef T
#define T scan_bucket_source
static const scan_field fields_of_scan_bucket_source[] = { F(struct_bytes), F(text),          F(type),
                                                           F(bucket),       F(element_bytes), F(element_align),
                                                           F(params_type),  F(params_bytes),  F(params_align),
                                                           F(host),         F(user) };
#undef T
#define T scan_split_spec
static const scan_field fields_of_scan_split_spec[] = {
  F(struct_bytes),  F(key_type),      F(descending), F(first_bit), F(end_bit), F(index_type), F(arrays),
  F(element_bytes), F(element_align), F(drops_keys), F(in_place),  F(bucket),  F(buckets),    F(flags)
};
#undef T
#define T scan_split_args
static const scan_field fields_of_scan_split_args[] = { F(struct_bytes), F(keys_in), F(keys_out), F(offsets), F(in),
                                                        F(out),          F(n_from),  F(params),   F(opencl) };
#undef T
#define T scan_histogram_spec
static const scan_field fields_of_scan_histogram_spec[] = { F(struct_bytes), F(key_type), F(descending), F(first_bit),
                                                            F(end_bit),      F(bucket),   F(buckets),    F(flags) };
#undef T
#define T scan_histogram_args
static const scan_field fields_of_scan_histogram_args[] = { F(struct_bytes), F(keys),   F(counts),
                                                            F(n_from),       F(params), F(opencl) };
#undef T

#define ENTRY(type, init) { #type, init, sizeof(type), fields_of_##type, sizeof fields_of_##type / sizeof(scan_field) },
static const scan_struct structs[SCAN_STRUCT_COUNT] = { SCAN_STRUCTS(ENTRY) };

const scan_struct *scan_struct_get(scan_struct_id id) { return &structs[id]; }

/* ---- sizes ---- */

/* Returns the name of the field that the size ends within; NULL: none. */
static const char *cut_field(const scan_struct *s, size_t bytes) {
  for (size_t i = 0; i < s->field_count; i++)
    if (s->fields[i].first < bytes && bytes < s->fields[i].end) return s->fields[i].name;
  return NULL;
}

static scan_status check_bytes(const scan_struct *s, size_t bytes, const char *name, scan_error *error) {
  if (bytes == s->bytes) return SCAN_SUCCESS;
  if (bytes > s->bytes || bytes <= sizeof bytes)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "%s->struct_bytes is %zu, and this library knows up to %zu: %s",
                     name, bytes, s->bytes,
                     bytes > s->bytes ? "it is older than the headers that the program was compiled with" : s->init);
  const char *cut = cut_field(s, bytes);
  if (cut == NULL) return SCAN_SUCCESS;
  return scan_fail(error, SCAN_INVALID_ARGUMENT,
                   "%s->struct_bytes is %zu, which ends within the field %s, as no version's %s does: %s", name, bytes,
                   cut, s->type, s->init);
}

scan_status scan_struct_copy_in(scan_struct_id id, void *own, const void *given, const char *name, scan_error *error) {
  const scan_struct *s = &structs[id];
  size_t bytes;
  memcpy(&bytes, given, sizeof bytes);
  SCAN_TRY(check_bytes(s, bytes, name, error));
  memcpy(own, given, bytes);
  memcpy(own, &s->bytes, sizeof s->bytes);
  return SCAN_SUCCESS;
}

scan_status scan_struct_give(scan_struct_id id, const void *own, void *given, const char *name, scan_error *error) {
  size_t bytes;
  memcpy(&bytes, given, sizeof bytes);
  SCAN_TRY(check_bytes(&structs[id], bytes, name, error));
  memcpy((char *)given + sizeof bytes, (const char *)own + sizeof bytes, bytes - sizeof bytes);
  return SCAN_SUCCESS;
}
