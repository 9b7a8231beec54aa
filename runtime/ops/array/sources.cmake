# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/ops/array
  array_check.c
  array_run.c)
