# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/ops/select
  partition.c
  runs_check.c
  select_check.c
  select_execute.c
  select_launch.c
  select_lookup.c
  select_plan.c)
