# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/base
  embedded.c
  error.c
  half.c
  key.c
  library.c
  log.c
  names.c
  process.c
  structs.c
  types.c)
