/* SPDX-License-Identifier: BSD-2-Clause */
/* The initialisers of the public structs as functions, for languages without macros. All defaults are zero. */
#include <scanrt/scan.h>
#include <scanrt/scan_array.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_reduce.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <string.h>

static void init(void *given, size_t struct_bytes) {
  memset(given, 0, struct_bytes);
  if (struct_bytes >= sizeof struct_bytes) memcpy(given, &struct_bytes, sizeof struct_bytes);
}

void scan_spec_init(scan_spec *spec, size_t struct_bytes) { init(spec, struct_bytes); }
void scan_args_init(scan_args *args, size_t struct_bytes) { init(args, struct_bytes); }
void scan_ctx_options_init(scan_ctx_options *options, size_t struct_bytes) { init(options, struct_bytes); }
void scan_device_info_init(scan_device_info *info, size_t struct_bytes) { init(info, struct_bytes); }
void scan_plan_facts_init(scan_plan_facts *facts, size_t struct_bytes) { init(facts, struct_bytes); }
void scan_op_source_init(scan_op_source *source, size_t struct_bytes) { init(source, struct_bytes); }
void scan_op_facts_init(scan_op_facts *facts, size_t struct_bytes) { init(facts, struct_bytes); }
void scan_array_init(scan_array *array, size_t struct_bytes) { init(array, struct_bytes); }
void scan_select_spec_init(scan_select_spec *spec, size_t struct_bytes) { init(spec, struct_bytes); }
void scan_predicate_source_init(scan_predicate_source *source, size_t struct_bytes) { init(source, struct_bytes); }
void scan_select_args_init(scan_select_args *args, size_t struct_bytes) { init(args, struct_bytes); }
void scan_partition3_spec_init(scan_partition3_spec *spec, size_t struct_bytes) { init(spec, struct_bytes); }
void scan_partition3_args_init(scan_partition3_args *args, size_t struct_bytes) { init(args, struct_bytes); }
void scan_run_length_spec_init(scan_run_length_spec *spec, size_t struct_bytes) { init(spec, struct_bytes); }
void scan_run_length_args_init(scan_run_length_args *args, size_t struct_bytes) { init(args, struct_bytes); }
void scan_reduce_by_key_args_init(scan_reduce_by_key_args *args, size_t struct_bytes) { init(args, struct_bytes); }
void scan_segmented_reduce_args_init(scan_segmented_reduce_args *args, size_t struct_bytes) {
  init(args, struct_bytes);
}
void scan_sort_spec_init(scan_sort_spec *spec, size_t struct_bytes) { init(spec, struct_bytes); }
void scan_sort_args_init(scan_sort_args *args, size_t struct_bytes) { init(args, struct_bytes); }
void scan_bucket_source_init(scan_bucket_source *source, size_t struct_bytes) { init(source, struct_bytes); }
void scan_split_spec_init(scan_split_spec *spec, size_t struct_bytes) { init(spec, struct_bytes); }
void scan_split_args_init(scan_split_args *args, size_t struct_bytes) { init(args, struct_bytes); }
void scan_histogram_spec_init(scan_histogram_spec *spec, size_t struct_bytes) { init(spec, struct_bytes); }
void scan_histogram_args_init(scan_histogram_args *args, size_t struct_bytes) { init(args, struct_bytes); }
void scan_stream_options_init(scan_stream_options *options, size_t struct_bytes) { init(options, struct_bytes); }
