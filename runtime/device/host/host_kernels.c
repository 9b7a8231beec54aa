/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's kernels for every processor, and the choice of a processor's kernels. */
#include "device/host/host_kernels.h"

#include <string.h>

#ifndef HOST_ONLY_WIDE
#define REG_BYTES 16
#define HOST_TABLE scan_host_table_narrow
#include "device/host/host_table.inc"
#endif

uint32_t scan_host_register_bytes(void) {
#ifdef HOST_ONLY_WIDE
  return 32;
#elif defined(HOST_HAS_WIDE)
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

static const host_table *table_for(uint32_t register_bytes) {
  (void)register_bytes;
#ifdef HOST_ONLY_WIDE
  return &scan_host_table_wide;
#else
#ifdef HOST_HAS_WIDE
  if (register_bytes >= 32 && scan_host_register_bytes() >= 32) return &scan_host_table_wide;
#endif
  return &scan_host_table_narrow;
#endif
}

host_group *scan_host_primitive_find(const scan_kernel_key *key, uint32_t register_bytes) {
  const host_table *table = table_for(register_bytes);
  for (size_t i = 0; i < table->primitive_count; i++)
    for (const host_group_row *row = table->primitives[i]; row->kernel != NULL; row++)
      if ((scan_type)row->type == key->type && strcmp(row->kernel, key->kernel) == 0) return row->run;
  return NULL;
}

const host_kernel *scan_host_kernel_find(const scan_kernel_key *key, uint32_t register_bytes) {
  const host_table *table = table_for(register_bytes);
  for (size_t i = 0; i < table->count; i++) {
    const host_entry *e = &table->entries[i];
    if (e->input_type == key->input_type && e->type == key->type && e->op == key->op)
      return e->kernel[key->subtiles != 1];
  }
  return NULL;
}
