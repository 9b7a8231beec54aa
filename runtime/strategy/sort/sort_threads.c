/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting on the host, all passes in one launch (device/host/sort/host_sort.h). */
#include "base/types.h"
#include "device/arguments.h"
#include "kernels_cl/sort/sort_segments.h"
#include "strategy/select/select.h"
#include "strategy/sort/sort.h"

/* The tile size that plan_info reports; threads have no tiles. */
enum { SORT_THREADS_TILE = 4096 };

static const scan_argument_list arguments = SCAN_ARGUMENTS(SORT_ALONE_ARGUMENTS);
static const scan_argument_list segments_arguments = SCAN_ARGUMENTS(SORT_SEGMENTS_ARGUMENTS);

int scan_sort_is_by_threads(const scan_caps *caps) { return caps->info.backend == SCAN_BACKEND_HOST; }

/* The host's launch. Keys of 16 bytes have a kernel of another name, built for the type of their words. */
scan_launch scan_sort_threads_step(const scan_caps *caps, const scan_sort_form *form) {
  const uint32_t bytes = scan_sort_key_bytes(form);
  const int has_segments = scan_sort_has_segments(form), is_wide = bytes > sizeof(uint64_t);
  return (scan_launch){ .launch = { .file = "sort.h",
                                    .kernel = has_segments ? "sort_segments_threads"
                                              : is_wide    ? "sort_threads_wide"
                                                           : "sort_threads",
                                    .arguments = has_segments ? &segments_arguments : &arguments,
                                    .groups = caps->info.compute_units,
                                    .items_per_group = 1 },
                        .flags = form->offset_bytes == sizeof(uint64_t) ? SORT_WIDE_OFFSETS : 0u,
                        .type = scan_select_moved_type(bytes),
                        .tile_items = SORT_THREADS_TILE,
                        .array = SCAN_NO_ARRAY };
}

uint64_t scan_sort_threads_digit_bytes(const scan_caps *caps) {
  const uint64_t counts = SORT_CHUNKS_A_THREAD * sizeof(uint64_t) * SORT_DIGITS;
  const uint64_t parts = SORT_PARTS_A_THREAD * (uint64_t)SORT_PART_BYTES;
  return (uint64_t)caps->info.compute_units * (counts + parts) + SORT_PART_BYTES;
}
