/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores by the copy engine (PTX ISA, "cp.async.bulk"; sm_90). tests/emulated_cuda/dialect.h has the same names. */
#ifndef SCANRT_ASYNC_STORE_H
#define SCANRT_ASYNC_STORE_H

/* Starts to copy from shared memory. */
FUNC void scanrt_async_store(void *global, const void *shared, scanrt_u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(scanrt_shared_address(shared)), "r"(bytes)
               : "memory");
}
/* Makes a group, which may be empty, of the calling work-item's stores since its last group. */
FUNC void scanrt_async_store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/* Waits until all but the last LEFT groups of the calling work-item have read their shared memory. */
template <int LEFT> FUNC void scanrt_async_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}
#endif
