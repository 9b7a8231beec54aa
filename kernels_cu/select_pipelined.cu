// SPDX-License-Identifier: BSD-2-Clause
// Compaction in one launch: by flags, by bits and by runs of equal keys, of elements of 1 to 16 bytes, or of indices,
// each in a namespace of its own; run-length encoding, of keys of 4 and 8 bytes; and sums of runs. Kernels are named
// select_pipelined_<by>_<type>: the type that elements have or are as large as; _wide: of 16 bytes, two of them.
#include "dialect.h"
#include "tuning.h"
#define SCAN_PTX 1

#define SELECT_INDEX 0
#define SELECT_BY 1
#define SELECT_NAME flags
#include "select_pipelined_sizes.h"
#define SELECT_BY 2
#define SELECT_NAME bits
#include "select_pipelined_sizes.h"
#undef SELECT_INDEX

#define SELECT_INDEX 1
#define SELECT_BY 1
#define SELECT_NAME index_flags
#include "select_pipelined_indices.h"
#define SELECT_BY 2
#define SELECT_NAME index_bits
#include "select_pipelined_indices.h"
#undef SELECT_INDEX

#define SELECT_INDEX 0
#define SELECT_BY 3
#define SELECT_NAME runs
#include "select_pipelined_keys.h"

#define SELECT_BY 3
#define SELECT_NAME encode
#include "select_pipelined_encode.h"

#define SELECT_BY 2
#define SELECT_NAME reduce
#include "select_pipelined_reduce.h"
