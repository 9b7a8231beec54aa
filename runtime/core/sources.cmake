# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/core
  buffers.c
  enter.c
  events.c
  execute.c
  launch.c
  memory.c
  memory_table.c
  n_from.c
  op.c
  op_users.c
  overflow.c
  plan.c
  plan_end.c
  progress.c
  regions.c
  unused.c)
