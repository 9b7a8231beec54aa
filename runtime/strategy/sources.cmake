# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/strategy
  strategy.c)
