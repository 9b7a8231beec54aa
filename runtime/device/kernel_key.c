/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/backend.h"

void scan_kernel_build_key(const scan_kernel_key *kernel, scan_key *key) {
  const uint64_t parts[] = { (uint64_t)(uintptr_t)kernel->source,
                             (uint64_t)kernel->input_type,
                             (uint64_t)kernel->type,
                             (uint64_t)kernel->op,
                             kernel->segments,
                             (uint64_t)kernel->key_type,
                             kernel->checks,
                             kernel->steps,
                             kernel->flags_known,
                             kernel->flags,
                             kernel->subtiles,
                             kernel->backward };
  scan_key_start(key);
  scan_key_add_text(key, kernel->file);
  scan_key_add(key, parts, sizeof parts);
}
