// SPDX-License-Identifier: BSD-2-Clause
// Compaction in one launch by flags, by bits and by runs of equal keys, for elements of 1 to 16 bytes or indices;
// run-length encoding of keys of 4 and 8 bytes; and sums of runs. Each has a namespace of its own. Kernels are named
// select_pipelined_<by>_<type>: elements have that type or its size; _wide kernels have elements of 16 bytes, two of
// it.
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_PTX 1

#define SELECT_INDEX 0
#define SELECT_BY 1
#define SELECT_NAME flags
#include "instances/select_pipelined_sizes.h"
#define SELECT_BY 2
#define SELECT_NAME bits
#include "instances/select_pipelined_sizes.h"
#undef SELECT_INDEX

#define SELECT_INDEX 1
#define SELECT_BY 1
#define SELECT_NAME index_flags
#include "instances/select_pipelined_indices.h"
#define SELECT_BY 2
#define SELECT_NAME index_bits
#include "instances/select_pipelined_indices.h"
#undef SELECT_INDEX

#define SELECT_INDEX 0
#define SELECT_BY 3
#define SELECT_NAME runs
#include "instances/select_pipelined_keys.h"

#define SELECT_BY 3
#define SELECT_NAME encode
#include "instances/select_pipelined_encode.h"

#define SELECT_BY 2
#define SELECT_NAME reduce
#include "instances/select_pipelined_reduce.h"
