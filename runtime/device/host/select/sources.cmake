# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/device/host/select
  host_encode.c
  host_lanes.c
  host_predicate.c
  host_reduce.c
  host_select.c)
