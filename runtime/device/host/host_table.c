/* SPDX-License-Identifier: BSD-2-Clause */
/* The one-work-item tile of kernels_cl/, compiled as C11 for every type and operator with vector registers of
 * REG_BYTES: a host_table (host_simd.h). */
#include "device/host/host_kernels.h"

#include <stddef.h>

#include "device/host/host_chain.h"
#include "device/host/host_dialect.h"
#include "device/host/output_buffer.h"
#include "device/host/select/host_lanes.h"

/* Number of chunks of a scan. */
static uint64_t host_chunks(uint64_t tiles) { return tiles / HOST_CHUNK_TILES + (tiles % HOST_CHUNK_TILES != 0); }

/* Number of claims of a batch's lines. */
static uint64_t host_line_claims(const host_task *task, uint64_t lines) {
  return lines / task->share + (lines % task->share != 0);
}

/* Orders streaming stores before the thread's later actions. */
static void host_stores_done(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/* _<input type>_<type>_<operator>_<sub-tiles>, by the numbers of scan.h */
#define HOST_JOIN(i, t, o, s) _##i##_##t##_##o##_##s
#define HOST_JOIN_OF(i, t, o, s) HOST_JOIN(i, t, o, s)
#define HOST_SUFFIX HOST_JOIN_OF(SCAN_IN_TYPE, SCAN_TYPE, SCAN_OP, SCAN_SUBTILES)

#define SCAN_GROUP_ITEMS 1

#define SCAN_TYPE 1
#include "device/host/host_ops.inc"
#define SCAN_TYPE 2
#include "device/host/host_ops.inc"
#define SCAN_TYPE 3
#include "device/host/host_ops.inc"
#define SCAN_TYPE 4
#include "device/host/host_ops.inc"
#define SCAN_TYPE 5
#include "device/host/host_ops.inc"
#define SCAN_TYPE 6
#include "device/host/host_ops.inc"
#define SCAN_TYPE 7
#include "device/host/host_ops.inc"
#define SCAN_TYPE 8
#include "device/host/host_ops.inc"
#define SCAN_TYPE 9
#include "device/host/host_ops.inc"
#define SCAN_TYPE 10
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 1
#define SCAN_TYPE 6
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 1
#define SCAN_TYPE 8
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 2
#define SCAN_TYPE 6
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 2
#define SCAN_TYPE 8
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 3
#define SCAN_TYPE 6
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 3
#define SCAN_TYPE 8
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 4
#define SCAN_TYPE 6
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 4
#define SCAN_TYPE 8
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 5
#define SCAN_TYPE 8
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 6
#define SCAN_TYPE 8
#include "device/host/host_ops.inc"
#define SCAN_IN_TYPE 9
#define SCAN_TYPE 10
#include "device/host/host_ops.inc"

/* Primitives: each has its file here, FOLDER/OP.cl of kernels_cl/, and a row in host_primitives below. */
#define SCAN_FOLDER difference
#define SCAN_OP difference
#include "device/host/host_primitive_types.inc"
#undef SCAN_FOLDER
#define SCAN_FOLDER select
#define SCAN_OP select_marks
#include "device/host/host_primitive_types.inc"
#define SCAN_OP select
#include "device/host/host_primitive_units.inc"
#undef SCAN_FOLDER
#define SCAN_FOLDER sort
#define SCAN_OP sort
#include "device/host/host_primitive_units.inc"
#undef SCAN_FOLDER

#define ENTRY_OF(i, t, o, s) &kernel_##i##_##t##_##o##_##s
/* Integers are exact in any order: a single kernel serves every n. */
#define ENTRY(i, t, o) { (scan_type)i, (scan_type)t, (scan_op_id)o, { ENTRY_OF(i, t, o, 8), ENTRY_OF(i, t, o, 8) } },
#define ENTRY_FLOAT(i, t, o)                                                                                           \
  { (scan_type)i, (scan_type)t, (scan_op_id)o, { ENTRY_OF(i, t, o, 1), ENTRY_OF(i, t, o, 8) } },
#define ENTRIES_SIGNED(t) ENTRY(t, t, 3) ENTRY(t, t, 4)
#define ENTRIES_UNSIGNED(t) ENTRY(t, t, 1) ENTRY(t, t, 2) ENTRIES_SIGNED(t) ENTRY(t, t, 5) ENTRY(t, t, 6) ENTRY(t, t, 7)
#define ENTRIES_FLOAT(t) ENTRY_FLOAT(t, t, 1) ENTRY_FLOAT(t, t, 2) ENTRY_FLOAT(t, t, 3) ENTRY_FLOAT(t, t, 4)

static const host_entry entries[] = {
  /* clang-format off */
  ENTRIES_SIGNED(1) ENTRIES_UNSIGNED(2) ENTRIES_SIGNED(3) ENTRIES_UNSIGNED(4) ENTRIES_SIGNED(5)
  ENTRIES_UNSIGNED(6) ENTRIES_SIGNED(7) ENTRIES_UNSIGNED(8) ENTRIES_FLOAT(9) ENTRIES_FLOAT(10)
  ENTRY(1, 6, 1) ENTRY(1, 8, 1) ENTRY(2, 6, 1) ENTRY(2, 8, 1) ENTRY(3, 6, 1) ENTRY(3, 8, 1) ENTRY(4, 6, 1)
  ENTRY(4, 8, 1) ENTRY(5, 8, 1) ENTRY(6, 8, 1) ENTRY_FLOAT(9, 10, 1)
  /* clang-format on */
};

#define HOST_PRIMITIVE(file)                                                                                           \
  rows_2_2_##file##_1, rows_4_4_##file##_1, rows_6_6_##file##_1, rows_8_8_##file##_1, rows_9_9_##file##_1,             \
      rows_10_10_##file##_1, rows_11_11_##file##_1, rows_12_12_##file##_1,
#define HOST_PRIMITIVE_UNITS(file) rows_2_2_##file##_1, rows_4_4_##file##_1, rows_6_6_##file##_1, rows_8_8_##file##_1,
static const host_group_row *const host_primitives[] = { HOST_PRIMITIVE(difference) HOST_PRIMITIVE(select_marks)
                                                             HOST_PRIMITIVE_UNITS(select) HOST_PRIMITIVE_UNITS(sort) };

const host_table HOST_SIMD_NAME(scan_host_table) = { entries, sizeof entries / sizeof entries[0], host_primitives,
                                                     sizeof host_primitives / sizeof host_primitives[0] };
