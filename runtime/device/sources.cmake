# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/device
  arguments.c
  backend.c
  batch.c
  caps.c
  device_list.c
  kernel_key.c
  parallel_for.c
  predicate.c
  program_cache.c
  program_claim.c
  source.c
  source_members.c
  source_text.c
  tuning.c)
