/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by work-groups of one work-item, by ranges of the keys' values (kernels_cl/sort/sort_ranges.cl). */
#include "kernels_cl/sort/sort_ranges.h"

#include "device/arguments.h"
#include "strategy/select/select.h"
#include "strategy/sort/sort.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(SORT_ALONE_ARGUMENTS);

int scan_sort_has_ranges(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  if (caps->info.backend != SCAN_BACKEND_OPENCL || !scan_sort_is_by_items(caps) || caps->loop_limit != 0) return 0;
  if (form->what != SCAN_SORT_ALL_BITS || scan_sort_has_segments(form)) return 0;
  return scan_sort_key_bytes(form) <= SCAN_SORT_WIDEST_INTEGER && max_n <= UINT32_MAX;
}

uint64_t scan_sort_ranges_number_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  const uint64_t counts = RANGES_COUNT_BYTES(scan_sort_most_tiles(caps, form, max_n));
  const uint64_t each = scan_sort_key_bytes(form) + scan_sort_values_of(form, max_n).bytes;
  const uint64_t own = caps->info.compute_units * RANGES_OWN_BYTES(max_n, each);
  return counts > own ? counts : own;
}

uint64_t scan_sort_ranges_digit_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  return RANGES_WORDS(scan_sort_most_tiles(caps, form, max_n)) * sizeof(uint64_t);
}

static scan_launch ranges_step(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                               const char *kernel) {
  const uint32_t value = scan_sort_values_of(form, max_n).bytes, no_values = 1;
  const uint32_t tile_items = scan_sort_tile_items(caps, form, n);
  return (scan_launch){ .launch = { .file = "sort_ranges.cl",
                                    .kernel = kernel,
                                    .arguments = &arguments,
                                    .groups = (uint32_t)(n / tile_items + (n % tile_items != 0)),
                                    .items_per_group = 1 },
                        .type = scan_select_moved_type(scan_sort_key_bytes(form)),
                        .input_type = scan_select_moved_type(value != 0 ? value : no_values),
                        .tile_items = tile_items,
                        .array = SCAN_NO_ARRAY };
}

int scan_sort_ranges_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                           scan_launch *steps) {
  static const char *const kernels[] = { "sort_look", "sort_count_ranges", "sort_divide", "sort_finish" };
  enum { KERNELS = sizeof kernels / sizeof kernels[0] };
  for (int i = 0; i < KERNELS; i++) steps[i] = ranges_step(caps, form, n, max_n, kernels[i]);
  steps[KERNELS - 1].launch.groups = caps->info.compute_units;
  return KERNELS;
}
