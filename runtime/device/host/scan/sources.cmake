# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/device/host/scan
  host_block_loops.c
  host_block_rows.c
  host_plain_loops.c
  host_rows.c
  host_source.c)
