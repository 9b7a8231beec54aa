# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/device/host/sort
  host_sort.c
  host_sort_composites.c
  host_sort_loops.c
  host_sort_ordered.c
  host_sort_part.c
  host_sort_segments.c
  host_sort_task.c
  host_split.c)
