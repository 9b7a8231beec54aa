/* SPDX-License-Identifier: BSD-2-Clause */
/* Few keys on CUDA in one launch: one work-group merges them (kernels_cu/sort/sort_merged.cuh), or each ranks
 * (kernels_cu/sort/sort_ranked.cuh) or splits (kernels_cu/sort/split_alone.cuh) some of them. */
#include "kernels_cl/sort/sort_segments.h"

#include "device/arguments.h"
#include "strategy/select/select.h"
#include "strategy/sort/sort.h"

static const scan_argument_list alone_arguments = SCAN_ARGUMENTS(SORT_ALONE_ARGUMENTS);
static const scan_argument_list segments_arguments = SCAN_ARGUMENTS(SORT_SEGMENTS_ARGUMENTS);
static const scan_argument_list split_alone_arguments = SCAN_ARGUMENTS(SPLIT_ALONE_ARGUMENTS);

static uint32_t groups_of(uint64_t n, uint32_t own) { return (uint32_t)(n / own + (n % own != 0)); }

/* 1 if kernels for few keys sort the form. Keys of two words with the more significant one first do not compare as
 * integers. */
static int has_few_keys(const scan_caps *caps, const scan_sort_form *form) {
  const uint32_t sweeps = caps->tuning.sort_sweeps;
  if (caps->info.backend != SCAN_BACKEND_CUDA || sweeps == 0 || sweeps == SCAN_SORT_LANES_PERMUTED) return 0;
  if (form->what != SCAN_SORT_ALL_BITS || form->words == SCAN_SORT_HIGH_FIRST) return 0;
  return scan_sort_key_bytes(form) <= SCAN_SORT_WIDEST_INTEGER;
}

/* With sort_sweeps=2 the kernels for more keys sort few keys as well: tests of these need no large n. */
static int is_ranked(const scan_caps *caps, const scan_sort_form *form) {
  return has_few_keys(caps, form) && caps->tuning.sort_sweeps == 1;
}

uint64_t scan_sort_merged_items(const scan_caps *caps, const scan_sort_form *form) {
  const int has_kernel = scan_sort_key_bytes(form) >= SCAN_SORT_LEAST_ONESWEEP_BYTES && !scan_sort_has_segments(form);
  return has_few_keys(caps, form) && has_kernel ? SORT_MERGED_MOST : 0;
}

uint64_t scan_sort_ranked_items(const scan_caps *caps, const scan_sort_form *form) {
  return is_ranked(caps, form) && !scan_sort_has_segments(form) ? SORT_RANKED_MOST : 0;
}

uint64_t scan_sort_ranked_segments_items(const scan_caps *caps, const scan_sort_form *form) {
  return is_ranked(caps, form) && scan_sort_has_segments(form) ? SORT_RANKED_MOST : 0;
}

int scan_sort_segments_are_ranked(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t segments) {
  return n <= scan_sort_ranked_segments_items(caps, form) && segments <= SORT_RANKED_SEGMENTS;
}

scan_launch scan_sort_merged_step(const scan_sort_form *form) {
  return (scan_launch){ .launch = { .file = "sort.cl",
                                    .kernel = "sort_merged",
                                    .arguments = &alone_arguments,
                                    .groups = 1,
                                    .items_per_group = SORT_MERGED_ITEMS },
                        .type = scan_select_moved_type(scan_sort_key_bytes(form)),
                        .tile_items = SORT_MERGED_MOST,
                        .array = SCAN_NO_ARRAY };
}

scan_launch scan_sort_ranked_step(const scan_sort_form *form, uint64_t n) {
  static const char *const names[2][2] = { { "sort_ranked_128", "sort_ranked_64" },
                                           { "sort_ranked_segments_128", "sort_ranked_segments_64" } };
  const int has_segments = scan_sort_has_segments(form), is_few = n <= SORT_RANKED_FEW;
  const uint32_t bytes = scan_sort_key_bytes(form), own = is_few ? 64 : 128;
  return (scan_launch){ .launch = { .file = "sort.cl",
                                    .kernel = names[has_segments][is_few],
                                    .arguments = has_segments ? &segments_arguments : &alone_arguments,
                                    .groups = groups_of(n, own),
                                    .items_per_group = has_segments ? SORT_RANKED_SEGMENTS_ITEMS : SORT_RANKED_ITEMS,
                                    .local_bytes = SORT_RANKED_BYTES(bytes, own) },
                        .flags = form->offset_bytes == sizeof(uint64_t) ? SORT_WIDE_OFFSETS : 0u,
                        .type = scan_select_moved_type(bytes),
                        .tile_items = own,
                        .array = SCAN_NO_ARRAY };
}

/* In place one work-group, which has read all keys before it writes, splits them. */
uint64_t scan_sort_split_items(const scan_caps *caps, const scan_sort_form *form, int in_place) {
  if (caps->info.backend != SCAN_BACKEND_CUDA || caps->tuning.sort_sweeps != 1) return 0;
  if (form->what != SCAN_SORT_SPLIT) return 0;
  return in_place ? SPLIT_ALONE_ITEMS : SPLIT_ALONE_MOST;
}

scan_launch scan_sort_split_alone_step(const scan_caps *caps, const scan_sort_form *form, uint64_t n, int in_place) {
  uint32_t own = in_place ? SPLIT_ALONE_ITEMS : SPLIT_ALONE_LEAST;
  while (own < SPLIT_ALONE_ITEMS && groups_of(n, own) > caps->info.compute_units) own *= 2;
  return (scan_launch){ .launch = { .file = "split_alone.cuh",
                                    .kernel = "split_alone",
                                    .arguments = &split_alone_arguments,
                                    .groups = groups_of(n, own),
                                    .items_per_group = SPLIT_ALONE_ITEMS },
                        .primitive = "split",
                        .type = scan_select_moved_type(scan_sort_key_bytes(form)),
                        .tile_items = own,
                        .buckets = scan_sort_buckets(form),
                        .array = SCAN_NO_ARRAY };
}
