/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one launch by SELECT_BY, or run-length encoding with SELECT_ENCODES, for elements of SELECT_BYTES. The
 * kernel is select_pipelined_<SELECT_NAME>_<SELECT_OF>. */
#define SELECT_PASTE(name, of) _##name##_##of
#define SELECT_SUFFIX(name, of) SELECT_PASTE(name, of)
#define SCAN_SUFFIX SELECT_SUFFIX(SELECT_NAME, SELECT_OF)
namespace KERNEL_NAME(select, SCAN_SUFFIX) {
#include "select/select_pipelined.cuh"
}
#include "instances/primitive_end.h"
#undef SELECT_BYTES
#undef SELECT_OF
#undef SELECT_PASTE
#undef SELECT_SUFFIX
