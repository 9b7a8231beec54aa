/* SPDX-License-Identifier: BSD-2-Clause */
/* Text between an operator's text and the kernels of one file, for its type and one tile size. The kernels are in a
 * namespace that the program closes (runtime/device/cuda/cuda_source.c), and are named <kernel>_source. */
#include "lib/dialect.h"
#include "tuning.h"
/* For segment_warp.h; in dialect.h they would be in every image. */
#define SHUFFLE_BELOW(x, distance, first, is_there) scanrt_shuffle_below_u32((x), (distance), (first), (is_there))
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WARP_OR(x) __reduce_or_sync(~0u, (x))
#endif
#ifndef FRESH /* segment_warp.h; grids have one dimension */
#define FRESH(x) ((x) ^ blockIdx.y)
#endif
#define SCAN_TYPE 0
#define SCAN_IN_TYPE 0
#define SCAN_OP 0
#define SCAN_SPLIT 0
#define SCAN_SHUFFLE 1
#define SCAN_PTX 1
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT TUNE_GROUPS_PER_UNIT
#ifndef SCAN_SUFFIX /* for a program by itself */
#define SCAN_SUFFIX _source
#endif
#define SCAN_SOURCE_T scanrt_operator::scanrt_source_t
#define SCAN_SOURCE_INPUT_T scanrt_operator::scanrt_source_input_t
#define SCAN_SOURCE_OUTPUT_T scanrt_operator::scanrt_source_output_t
#define SCAN_SOURCE_COMBINE scanrt_operator::scanrt_source_combine
#define SCAN_SOURCE_MAP scanrt_operator::scanrt_source_map
#define SCAN_SOURCE_EMIT scanrt_operator::scanrt_source_emit
#define SCAN_SOURCE_OVERFLOWS scanrt_operator::scanrt_source_overflows
#define SCAN_SOURCE_KEEP scanrt_operator::scanrt_source_keep
#define SELECT_BY 4 /* select_pipelined.cuh: by a predicate, and moves the elements that it tests */
#define SELECT_BYTES SCAN_SOURCE_INPUT_BYTES
#define SELECT_INDEX 0
namespace KERNEL_NAME(scanrt_kernels, SCAN_SUFFIX) {
