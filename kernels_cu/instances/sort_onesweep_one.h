/* SPDX-License-Identifier: BSD-2-Clause */
/* sort_onesweep.cuh for keys of SCAN_TYPE, named SORT_OF, without values and with values of each size. */
#define SORT_PASTE(name, of) _##name##_##of
#define SORT_SUFFIX(name, of) SORT_PASTE(name, of)
#define SORT_VALUE_BYTES 0
#define SCAN_SUFFIX SORT_SUFFIX(0, SORT_OF)
namespace KERNEL_NAME(onesweep, SCAN_SUFFIX) {
#include "sort/sort_onesweep.cuh"
#include "sort/sort_histogram.cuh"
#ifdef CLUSTER_BARRIER
#include "sort/sort_cluster.cuh"
#endif
}
#include "instance_end.h"
#undef SORT_VALUE_BYTES
#undef SCAN_SUFFIX
#define SORT_VALUE_BYTES 4
#define SCAN_SUFFIX SORT_SUFFIX(4, SORT_OF)
namespace KERNEL_NAME(onesweep, SCAN_SUFFIX) {
#include "sort/sort_onesweep.cuh"
#ifdef CLUSTER_BARRIER
#include "sort/sort_cluster.cuh"
#endif
}
#include "instance_end.h"
#undef SORT_VALUE_BYTES
#undef SCAN_SUFFIX
#define SORT_VALUE_BYTES 8
#define SCAN_SUFFIX SORT_SUFFIX(8, SORT_OF)
namespace KERNEL_NAME(onesweep, SCAN_SUFFIX) {
#include "sort/sort_onesweep.cuh"
#ifdef CLUSTER_BARRIER
#include "sort/sort_cluster.cuh"
#endif
}
#include "instances/primitive_end.h"
#undef SORT_VALUE_BYTES
#undef SORT_OF
#undef SORT_PASTE
#undef SORT_SUFFIX
