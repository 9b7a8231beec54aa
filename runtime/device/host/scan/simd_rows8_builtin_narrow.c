/* SPDX-License-Identifier: BSD-2-Clause */
/* Built-in operators' loops over blocks for every processor, and the choice of a processor's loops. */
#include "device/host/scan/simd_rows8.h"

#include <stddef.h>
#include <string.h>

#include "device/host/host_kernels.h"
#ifdef HOST_HAS_WIDE
#include <cpuid.h>
#endif
#include "device/source.h"

#ifndef HOST_ONLY_WIDE
#define REG_BYTES 16
#define SIMD_ROWS8_BUILTIN scan_simd_rows8_builtin_narrow
#define SIMD_TRANSPOSE scan_simd_transpose_narrow
#define HOST_HALVES scan_host_halves_narrow
#include "device/host/scan/simd_rows8_builtin.inc"
#endif

static const simd_rows8_ops *builtin_find(const simd_rows8_table *const tables[2], const char *name) {
  for (int t = 0; t < 2; t++)
    for (uint32_t i = 0; i < tables[t]->count; i++)
      if (strcmp(tables[t]->ops[i].name, name) == 0) return &tables[t]->ops[i];
  return NULL;
}

#ifdef HOST_HAS_WIDE
/* 1 if the processor has F16C; clang 14's __builtin_cpu_supports has no name for it. */
static int has_f16c(void) {
  unsigned eax, ebx, ecx = 0, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C) != 0;
}
#endif

/* Returns the conversion of halves; the last entry uses the processor's own instructions. */
static const simd_rows8_half *half_of(const simd_rows8_half *halves, scan_type type, int has_own) {
  if (type == SCAN_BF16) return &halves[1];
  return type != SCAN_F16 ? NULL : has_own ? &halves[2] : &halves[0];
}

simd_rows8_kernel scan_simd_rows8_find(const scan_source *source, uint32_t register_bytes) {
  int has_own = 0;
#ifdef HOST_ONLY_WIDE
  const simd_rows8_half *halves = NULL;
  simd_rows8_kernel found = { .ops = NULL };
  register_bytes = 32;
#else
  static const simd_rows8_table *const narrow[] = { &scan_simd_rows8_builtin_narrow, &scan_composite_simd_narrow };
  const simd_rows8_half *halves = scan_host_halves_narrow;
  simd_rows8_kernel found = { .ops = builtin_find(narrow, source->block), .transpose = scan_simd_transpose_narrow };
#endif
#ifdef HOST_HAS_WIDE
  static const simd_rows8_table *const wide[] = { &scan_simd_rows8_builtin_wide, &scan_composite_simd_wide };
  if (register_bytes >= 32 && scan_host_register_bytes() >= 32) {
    found = (simd_rows8_kernel){ .ops = builtin_find(wide, source->block), .transpose = scan_simd_transpose_wide };
    halves = scan_host_halves_wide;
    has_own = has_f16c();
  }
#endif
  (void)register_bytes;
  if (found.ops != NULL) found.transpose += found.ops->part_bytes == 8;
  found.input = half_of(halves, source->input_half, has_own);
  found.output = half_of(halves, source->output_half, has_own);
  return found;
}
