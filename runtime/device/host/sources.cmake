# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/device/host
  backend_host.c
  host_chain.c
  host_copy.c
  host_kernels.c
  host_pace.c
  host_pool.c
  host_processors.c
  host_wait.c)
