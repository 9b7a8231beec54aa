/* SPDX-License-Identifier: BSD-2-Clause */
/* The one-work-item tile of kernels_cl/, compiled as C11 for every type and operator. */
#include "host_kernels.h"

#include <sched.h>
#include <stddef.h>

#include "host_dialect.h"

/* Waits until the chunk before has handed over its prefix. Chunks are claimed in order, so its owner is running, or
 * waits only for earlier ones; the yield lets it run where there are fewer processors than threads. */
static void host_wait_turn(host_task *task, uint32_t chunk) {
  for (unsigned polls = 0; atomic_load_explicit(&task->turn, memory_order_acquire) != chunk; polls++)
    if (polls > 256) sched_yield();
}

/* Streaming stores are ordered before whatever the thread does next. */
static void host_stores_done(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/* _<input type>_<type>_<operator>_<sub-tiles>, by the numbers of scan.h */
#define HOST_JOIN(i, t, o, s) _##i##_##t##_##o##_##s
#define HOST_JOIN_OF(i, t, o, s) HOST_JOIN(i, t, o, s)
#define HOST_SUFFIX HOST_JOIN_OF(SCAN_IN_TYPE, SCAN_TYPE, SCAN_OP, SCAN_SUBTILES)

#define SCAN_IN_TYPE 1
#define SCAN_TYPE 1
#include "host_ops.inc"
#define SCAN_IN_TYPE 2
#define SCAN_TYPE 2
#include "host_ops.inc"
#define SCAN_IN_TYPE 3
#define SCAN_TYPE 3
#include "host_ops.inc"
#define SCAN_IN_TYPE 4
#define SCAN_TYPE 4
#include "host_ops.inc"
#define SCAN_IN_TYPE 5
#define SCAN_TYPE 5
#include "host_ops.inc"
#define SCAN_IN_TYPE 6
#define SCAN_TYPE 6
#include "host_ops.inc"
#define SCAN_IN_TYPE 7
#define SCAN_TYPE 7
#include "host_ops.inc"
#define SCAN_IN_TYPE 8
#define SCAN_TYPE 8
#include "host_ops.inc"
#define SCAN_IN_TYPE 9
#define SCAN_TYPE 9
#include "host_ops.inc"
#define SCAN_IN_TYPE 10
#define SCAN_TYPE 10
#include "host_ops.inc"
#define SCAN_IN_TYPE 1
#define SCAN_TYPE 6
#include "host_ops.inc"
#define SCAN_IN_TYPE 1
#define SCAN_TYPE 8
#include "host_ops.inc"
#define SCAN_IN_TYPE 2
#define SCAN_TYPE 6
#include "host_ops.inc"
#define SCAN_IN_TYPE 2
#define SCAN_TYPE 8
#include "host_ops.inc"
#define SCAN_IN_TYPE 5
#define SCAN_TYPE 8
#include "host_ops.inc"
#define SCAN_IN_TYPE 6
#define SCAN_TYPE 8
#include "host_ops.inc"
#define SCAN_IN_TYPE 9
#define SCAN_TYPE 10
#include "host_ops.inc"

typedef struct host_entry {
  scan_type input_type, type;
  scan_op_id op;
  uint32_t subtiles;
  const host_kernel *kernel;
} host_entry;

#define ENTRY_OF(i, t, o, s) { (scan_type)i, (scan_type)t, (scan_op_id)o, s, &kernel_##i##_##t##_##o##_##s },
#define ENTRY(i, t, o) ENTRY_OF(i, t, o, 1) ENTRY_OF(i, t, o, 8)
#define ENTRIES_SIGNED(t) ENTRY(t, t, 3) ENTRY(t, t, 4)
#define ENTRIES_FLOAT(t) ENTRY(t, t, 1) ENTRY(t, t, 2) ENTRY(t, t, 3) ENTRY(t, t, 4)
#define ENTRIES_UNSIGNED(t) ENTRIES_FLOAT(t) ENTRY(t, t, 5) ENTRY(t, t, 6) ENTRY(t, t, 7)

static const host_entry entries[] = {
  /* clang-format off */
  ENTRIES_SIGNED(1) ENTRIES_UNSIGNED(2) ENTRIES_SIGNED(3) ENTRIES_UNSIGNED(4) ENTRIES_SIGNED(5)
  ENTRIES_UNSIGNED(6) ENTRIES_SIGNED(7) ENTRIES_UNSIGNED(8) ENTRIES_FLOAT(9) ENTRIES_FLOAT(10)
  ENTRY(1, 6, 1) ENTRY(1, 8, 1) ENTRY(2, 6, 1) ENTRY(2, 8, 1) ENTRY(5, 8, 1) ENTRY(6, 8, 1) ENTRY(9, 10, 1)
  /* clang-format on */
};

const host_kernel *host_kernel_find(const scan_kernel_key *key) {
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    const host_entry *e = &entries[i];
    if (e->input_type == key->input_type && e->type == key->type && e->op == key->op && e->subtiles == key->subtiles)
      return e->kernel;
  }
  return NULL;
}
