# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/strategy/scan
  textbook_cost.c
  strategy_block.c
  strategy_cost.c
  strategy_difference.c
  strategy_textbook.c
  strategy_lookback.c
  strategy_pipelined.c
  strategy_reduce_then_scan.c
  strategy_segmented_reduce.c
  strategy_sequential.c
  strategy_shared.c
  strategy_threads.c)
