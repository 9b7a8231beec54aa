# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/ops/sort
  sort_check.c
  sort_run.c
  sort_scratch.c
  split_check.c)
