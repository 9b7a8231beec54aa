# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/strategy/array
  array.c
  array_method.c
  array_staged.c)
