/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of a processor's loops over blocks. */
#include "device/host/scan/simd_rows8.h"

#include <string.h>

#ifdef HOST_HAS_AVX2
#include <cpuid.h>
#endif
#include "device/source.h"

static const simd_rows8_ops *builtin_find(const simd_rows8_table *const tables[2], const char *name) {
  for (int t = 0; t < 2; t++)
    for (uint32_t i = 0; i < tables[t]->count; i++)
      if (strcmp(tables[t]->ops[i].name, name) == 0) return &tables[t]->ops[i];
  return NULL;
}

/* 1 if the processor has F16C; clang 14's __builtin_cpu_supports has no name for it. */
static int has_f16c(void) {
#ifdef HOST_HAS_AVX2
  unsigned eax, ebx, ecx = 0, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C) != 0;
#else
  return 0;
#endif
}

/* Returns the conversion of halves; the last entry of AVX2's loops uses F16C. */
static const simd_rows8_half *half_of(const simd_rows8_half *halves, scan_type type) {
  if (type == SCAN_BF16) return &halves[1];
  return type != SCAN_F16 ? NULL : has_f16c() ? &halves[2] : &halves[0];
}

#if defined(HOST_HAS_AVX512)
#define HOST_FOLDS_CHOOSE(bytes) HOST_SIMD_CHOOSE_WIDEST(scan_segment_folds, bytes)
#else
#define HOST_FOLDS_CHOOSE(bytes) HOST_SIMD_CHOOSE(scan_segment_folds, bytes)
#endif

static const segment_fold_row *segments_find(const scan_source *source, uint32_t register_bytes) {
  const segment_fold_table *table = HOST_FOLDS_CHOOSE(register_bytes);
  if (scan_source_order_bytes(source) != source->bytes) return NULL;
  for (const segment_fold_row *row = table->rows; row->name != NULL; row++)
    if (strcmp(row->name, source->block) == 0) return row;
  return NULL;
}

simd_rows8_kernel scan_simd_rows8_find(const scan_source *source, uint32_t register_bytes) {
  const simd_rows8_table *const tables[2] = { HOST_SIMD_CHOOSE(scan_simd_rows8_builtin, register_bytes),
                                              HOST_SIMD_CHOOSE(scan_composite_simd, register_bytes) };
  const simd_rows8_half *halves = *HOST_SIMD_CHOOSE(scan_host_halves, register_bytes);
  simd_rows8_kernel found = { .ops = builtin_find(tables, source->block),
                              .transpose = *HOST_SIMD_CHOOSE(scan_simd_transpose, register_bytes),
                              .input = half_of(halves, source->input_half),
                              .output = half_of(halves, source->output_half),
                              .segments = segments_find(source, register_bytes) };
  if (found.ops != NULL) found.transpose += found.ops->part_bytes == 8;
  return found;
}
