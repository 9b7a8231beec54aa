/* SPDX-License-Identifier: BSD-2-Clause */
/* Public structs that may grow. Each begins with a size_t, the size that the caller was compiled with. A size is
 * accepted if it ends with a field, as an older version's does. Refused are sizes up to sizeof(size_t), sizes within a
 * field, and sizes above this version's. */
#ifndef SCANRT_STRUCTS_H
#define SCANRT_STRUCTS_H

#include "base/error.h"

/* The structs, each with the remedy for a refused size. Their fields are in structs.c. */
#define SCAN_STRUCTS(X)                                                                                                \
  X(scan_ctx_options, "initialise it with SCAN_CTX_OPTIONS_INIT")                                                      \
  X(scan_device_info, "initialise it with SCAN_DEVICE_INFO_INIT")                                                      \
  X(scan_plan_facts, "initialise it with SCAN_PLAN_FACTS_INIT")                                                        \
  X(scan_spec, "initialise it with SCAN_SPEC_INIT")                                                                    \
  X(scan_args, "initialise it with SCAN_ARGS_INIT")                                                                    \
  X(scan_op_source, "initialise it with SCAN_OP_SOURCE_INIT")                                                          \
  X(scan_op_loops, "define it with SCAN_OP_HOST")                                                                      \
  X(scan_op_facts, "initialise it with SCAN_OP_FACTS_INIT")                                                            \
  X(scan_array, "initialise it with SCAN_ARRAY_INIT")                                                                  \
  X(scan_stream_options, "initialise it with SCAN_STREAM_OPTIONS_INIT")                                                \
  X(scan_opencl_events, "initialise it with SCAN_OPENCL_EVENTS_INIT")                                                  \
  X(scan_predicate_source, "initialise it with SCAN_PREDICATE_INIT")                                                   \
  X(scan_select_spec, "initialise it with SCAN_SELECT_SPEC_INIT")                                                      \
  X(scan_select_args, "initialise it with SCAN_SELECT_ARGS_INIT")                                                      \
  X(scan_partition3_spec, "initialise it with SCAN_PARTITION3_SPEC_INIT")                                              \
  X(scan_partition3_args, "initialise it with SCAN_PARTITION3_ARGS_INIT")                                              \
  X(scan_run_length_spec, "initialise it with SCAN_RUN_LENGTH_SPEC_INIT")                                              \
  X(scan_run_length_args, "initialise it with SCAN_RUN_LENGTH_ARGS_INIT")                                              \
  X(scan_reduce_by_key_args, "initialise it with SCAN_REDUCE_BY_KEY_ARGS_INIT")                                        \
  X(scan_segmented_reduce_args, "initialise it with SCAN_SEGMENTED_REDUCE_ARGS_INIT")                                  \
  X(scan_sort_spec, "initialise it with SCAN_SORT_SPEC_INIT")                                                          \
  X(scan_sort_args, "initialise it with SCAN_SORT_ARGS_INIT")                                                          \
  X(scan_bucket_source, "initialise it with SCAN_BUCKET_INIT")                                                         \
  X(scan_split_spec, "initialise it with SCAN_SPLIT_SPEC_INIT")                                                        \
  X(scan_split_args, "initialise it with SCAN_SPLIT_ARGS_INIT")                                                        \
  X(scan_histogram_spec, "initialise it with SCAN_HISTOGRAM_SPEC_INIT")                                                \
  X(scan_histogram_args, "initialise it with SCAN_HISTOGRAM_ARGS_INIT")

#define SCAN_STRUCT_ID(type, init) SCAN_STRUCT_##type,
typedef enum scan_struct_id { SCAN_STRUCTS(SCAN_STRUCT_ID) SCAN_STRUCT_COUNT } scan_struct_id;
#undef SCAN_STRUCT_ID

/* The bytes of a field: from offset `first` to offset `end`. */
typedef struct scan_field {
  const char *name;
  size_t first, end, align;
} scan_field;

typedef struct scan_struct {
  const char *type, *init;
  size_t bytes;
  const scan_field *fields;
  size_t field_count;
} scan_struct;

/* Returns the struct of that number. */
const scan_struct *scan_struct_get(scan_struct_id id);

/* Copies the caller's struct over *own, which holds this version's defaults, as far as the caller's reaches. `name` is
 * the parameter's name. */
scan_status scan_struct_copy_in(scan_struct_id id, void *own, const void *given, const char *name, scan_error *error);

/* Copies *own, a filled-in struct of this version, to the caller's struct, as far as that reaches. */
scan_status scan_struct_give(scan_struct_id id, const void *own, void *given, const char *name, scan_error *error);

#endif
