# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/ops/scan
  builtin_source.c
  builtin_source_host.c
  carry.c
  operands.c
  quick_plan.c
  scan_plan.c
  segmented_reduce.c
  segments.c
  validate.c)
