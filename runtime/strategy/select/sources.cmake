# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/strategy/select
  select.c
  select_lookback.c
  select_pipelined.c
  select_threads.c)
