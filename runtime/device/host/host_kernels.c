/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of a processor's kernels. */
#include "device/host/host_kernels.h"

#include <string.h>
#ifdef HOST_HAS_SVE2
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

uint32_t scan_host_register_bytes(uint32_t most_bytes) {
  (void)most_bytes;
#ifdef HOST_HAS_AVX512
  if (most_bytes >= 64 && __builtin_cpu_supports("avx512vbmi2")) return 64;
#endif
#ifdef HOST_HAS_AVX2
  if (most_bytes >= 32 && __builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

int scan_host_prefers_sve2(uint32_t most_bytes) {
#ifdef HOST_HAS_SVE2
  if (most_bytes <= 16 || (getauxval(AT_HWCAP2) & HWCAP2_SVE2) == 0) return 0;
  const int length = prctl(PR_SVE_GET_VL);
  return length >= 0 && (length & PR_SVE_VL_LEN_MASK) > 16;
#else
  (void)most_bytes;
  return 0;
#endif
}

host_group *scan_host_primitive_find(const scan_kernel_key *key, uint32_t register_bytes) {
  const host_table *table = HOST_SIMD_CHOOSE(scan_host_table, register_bytes);
  for (size_t i = 0; i < table->primitive_count; i++)
    for (const host_group_row *row = table->primitives[i]; row->kernel != NULL; row++)
      if ((scan_type)row->type == key->type && strcmp(row->kernel, key->kernel) == 0) return row->run;
  return NULL;
}

const host_kernel *scan_host_kernel_find(const scan_kernel_key *key, uint32_t register_bytes) {
  const host_table *table = HOST_SIMD_CHOOSE(scan_host_table, register_bytes);
  for (size_t i = 0; i < table->count; i++) {
    const host_entry *e = &table->entries[i];
    if (e->input_type == key->input_type && e->type == key->type && e->op == key->op)
      return e->kernel[key->subtiles != 1];
  }
  return NULL;
}
