# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/strategy/sort
  sort.c
  sort_few.c
  sort_lookback.c
  sort_numeric.c
  sort_segments.c
  sort_onesweep.c
  sort_ranges.c
  sort_threads.c
  sort_tiles.c
  sort_values.c)
