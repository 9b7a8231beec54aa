/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/tuning.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_cl/sort/sort.h"

enum { LOCAL = SCAN_EXCHANGE_LOCAL, PTX = SCAN_EXCHANGE_PTX, BEST = SCAN_EXCHANGE_BEST };

/* NVIDIA's GPUs. pipelined_bytes: H200, int32, look-back and pipelined: 10.5 and 12.0 us at 16 MiB, 22.4 and 22.3 at 32
 * MiB, 39.2 and 37.7 at 64 MiB, 534 and 522 at 1 GiB; f64, i16 and i8 break even in the same octave. shifted_items:
 * misaligned buffers make look-back move elements one by one: at 2^19, 2^20, 2^21 elements float32 5.6 and 6.0, 7.1 and
 * 6.5, 13.8 and 8.7 us; int16 11.4 and 7.6, 12.0 and 7.6, 16.7 and 8.2; int8 6.5 and 6.5, 18.9 and 8.1, 20.4 and 8.2;
 * at 2^18 float32 5.4 and 5.9, the others equal. */
#define CUDA_KERNELS                                                                                                   \
  .group_items = TUNE_GROUP_ITEMS, .exchange = PTX, .groups_per_unit = TUNE_GROUPS_PER_UNIT, .descriptors = 64,        \
  .background = 1, .sort_parts = 1
#define CUDA_PIPELINED CUDA_KERNELS, .stages = TUNE_PIPE_STAGES, .pipelined_bytes = 24 << 20, .shifted_items = 1 << 18

static const scan_tuning table[] = {
  /* one_thread_bytes: waking a thread takes 10 to 15 us, in which one thread scans 256 KiB of int32 (10 us) or half as
   * much float32 (15 us). parts_bytes: 512 KiB of float64 take 13 to 17 us in parts and 18 to 43 in chunks, 8 MiB 228
   * to 264 and 249 to 251 (AMD EPYC, Zen 5). register_bytes 64: int32 0.15 ns an element (16: 0.17), float32 0.23
   * (0.34), float64 0.40 (0.50). */
  [SCAN_CLASS_HOST] = { .group_items = 1,
                        .exchange = LOCAL,
                        .groups_per_unit = 1,
                        .one_thread_bytes = 256 << 10,
                        .parts_bytes = 4 << 20,
                        .register_bytes = 64,
                        .sort_parts = 1 },
  /* One work-item a group: 4 to 12 times as fast as groups of 256 (PoCL, 2 cores, int32, n = 2^26). one_group_items:
   * time of look-back divided by that of one work-group, at 2^14, 33,000, 49,000, 2^16 and 2^17 elements: int32 1.23,
   * 1.25, 1.16, 1.10, 0.97; float32 1.21, 1.00, 0.98, 0.91, 0.90; int64 1.21, 1.16, 0.97, 0.93, 0.94; int8 from 33,000
   * on 1.03, 0.92, 0.90, 0.85. */
  [SCAN_CLASS_CPU] = { .group_items = 1,
                       .exchange = BEST,
                       .sub_group = 32,
                       .groups_per_unit = 2,
                       .descriptors = 64,
                       .one_group_items = 3 << 14,
                       .build_threads = 1,
                       .select_groups = 2,
                       .sort_parts = 1 },
  /* select_warps, select_groups: H200, 2^26 of u32, percent of a copy: half kept by a predicate, first of equal keys in
   * runs of 500: 8 and 3: 89.9, 82.1; 4 and 6: 87.0, 78.8; 5 and 5: 86.8, 78.1; 4 and 7: 79.9, 77.9. */
  [SCAN_CLASS_GPU] = { .group_items = TUNE_GROUP_ITEMS,
                       .exchange = BEST,
                       .ptx = 1,
                       .device_fence = 1,
                       .sub_group = 32,
                       .groups_per_unit = TUNE_GROUPS_PER_UNIT,
                       .descriptors = 64,
                       .build_threads = 8,
                       .select_warps = 8,
                       .select_groups = 3,
                       .sort_sweeps = 1,
                       .sort_parts = 1 },
  [SCAN_CLASS_CUDA_75] = { CUDA_KERNELS },
  [SCAN_CLASS_CUDA_80] = { CUDA_PIPELINED, .image = 80, .sort_sweeps = 1 },
  [SCAN_CLASS_CUDA_90] = { CUDA_PIPELINED, .image = 90, .sort_sweeps = 1, .sort_clusters = 1 },
};

/* The numbers that $SCANRT_TUNE may override, with their bounds. only_bounds: 1 if only the two bounds are valid.
 * is_variant: 1 if the number chooses the kernels' variant, which is fixed on CUDA and on the host. */
static const struct {
  const char *name;
  size_t offset, bytes;
  uint64_t least, most;
  int only_bounds, is_variant;
} fields[] = {
#define FIELD(name, ...)                                                                                               \
  { #name, offsetof(scan_tuning, name), sizeof((scan_tuning *)NULL)->name, __VA_ARGS__ }
  FIELD(group_items, 1, TUNE_GROUP_ITEMS, 1, 1),
  FIELD(exchange, SCAN_EXCHANGE_LOCAL, SCAN_EXCHANGE_SUB_GROUP, 0, 1),
  FIELD(ptx, 0, 1, 0, 1),
  FIELD(device_fence, 0, 1, 0, 0),
  FIELD(sub_group, 32, 64, 1, 1),
  FIELD(groups_per_unit, 1, 64, 0, 0),
  FIELD(most_groups, 0, UINT32_MAX, 0, 0),
  FIELD(stages, TUNE_PIPE_FEWEST_STAGES(1), TUNE_PIPE_MOST_STAGES(0), 0, 0),
  FIELD(image, 80, 90, 1, 0),
  FIELD(shared_bytes, 0, UINT32_MAX, 0, 0),
  FIELD(descriptors, 32, 64, 1, 1),
  FIELD(pipelined_bytes, 0, UINT64_MAX, 0, 0),
  FIELD(shifted_items, 0, UINT64_MAX, 0, 0),
  FIELD(one_group_items, 0, UINT64_MAX, 0, 0),
  FIELD(one_thread_bytes, 0, UINT64_MAX, 0, 0),
  FIELD(parts_bytes, 0, UINT64_MAX, 0, 0),
  FIELD(register_bytes, 16, 64, 0, 0),
  FIELD(build_threads, 1, 64, 0, 0),
  FIELD(background, 0, 2, 0, 0),
  FIELD(select_warps, 0, 8, 0, 0),
  FIELD(select_groups, 1, 64, 0, 0),
  FIELD(sort_sweeps, 0, 3, 0, 0),
  FIELD(sort_clusters, 0, 1, 0, 0),
  FIELD(sort_parts, 1, SORT_ONESWEEP_PARTS, 0, 0),
#undef FIELD
};

/* Reads "name=number" up to a comma or the end. Returns the end of the number, or NULL if the text is invalid. If the
 * kernels' variant is fixed, skips a number that would change it. */
static const char *read_one(const char *text, scan_tuning *tuning, uint32_t fixed_variant) {
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    const size_t length = strlen(fields[i].name);
    char *end = NULL;
    if (strncmp(text, fields[i].name, length) != 0 || text[length] != '=') continue;
    if (text[length + 1] < '0' || text[length + 1] > '9') return NULL;
    errno = 0;
    const uint64_t value = strtoull(text + length + 1, &end, 10);
    if (errno != 0) return NULL;
    if ((*end != '\0' && *end != ',') || value < fields[i].least || value > fields[i].most) return NULL;
    if (fields[i].only_bounds && value != fields[i].least && value != fields[i].most) return NULL;
    if (fields[i].is_variant && fixed_variant) return end;
    const uint32_t small = (uint32_t)value;
    memcpy((char *)tuning + fields[i].offset, fields[i].bytes == 4 ? (const void *)&small : (const void *)&value,
           fields[i].bytes);
    return end;
  }
  return NULL;
}

/* Applies $SCANRT_TUNE. Returns 0 if the text is invalid. */
static int override(const char *text, scan_tuning *tuning, uint32_t fixed_variant) {
  if (text == NULL || text[0] == '\0') return 1;
  for (;;) {
    text = read_one(text, tuning, fixed_variant);
    if (text == NULL) return 0;
    if (*text++ == '\0') return 1;
  }
}

scan_tuning scan_tuning_from(scan_device_class device_class, const char *overrides) {
  const scan_tuning best = table[device_class];
  scan_tuning tuning = best;
  const uint32_t fixed_variant = device_class != SCAN_CLASS_CPU && device_class != SCAN_CLASS_GPU;
  if (!override(overrides, &tuning, fixed_variant)) return best;
  if (tuning.image > best.image) tuning.image = best.image; /* an older image, never a newer one */
  if (best.stages == 0) tuning.stages = 0;
  if (fixed_variant && best.sort_sweeps == 0) tuning.sort_sweeps = 0;
  return tuning;
}

scan_status scan_tuning_check(scan_error *error) {
  const char *text = secure_getenv("SCANRT_TUNE");
  scan_tuning tuning = table[SCAN_CLASS_CUDA_90];
  if (override(text, &tuning, 0)) return SCAN_SUCCESS;
  return scan_fail(
      error, SCAN_INVALID_ARGUMENT,
      "SCANRT_TUNE is '%.200s': give name=number, separated by commas, of group_items (1, 256), exchange (0 local "
      "memory, 1 PTX, 2 sub-groups), ptx (0, 1), device_fence (0, 1), sub_group (32, 64), groups_per_unit (1 to 64), "
      "most_groups, stages "
      "(4 to 8), image (80 or 90), shared_bytes, descriptors (32 or 64), pipelined_bytes, shifted_items, "
      "one_group_items, one_thread_bytes, parts_bytes, register_bytes (16 to 64), build_threads (1 to 64), "
      "background (0 to 2), select_warps (0 to 8), "
      "select_groups (1 to 64), sort_sweeps (0 to 3), sort_clusters (0, 1), sort_parts (1 to 5)",
      text);
}
