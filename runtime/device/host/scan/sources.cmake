# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/device/host/scan
  simd_rows8_find.c
  simd_rows8_loops.c
  simd_rows8_scan.c
  host_members.c
  host_plain_loops.c
  host_rows.c
  host_segments.c
  host_source.c
  scan_parts.c
  segment_parts.c
  segment_tiles.c
  source_tiles.c)
