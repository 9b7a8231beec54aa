# SPDX-License-Identifier: BSD-2-Clause
scanrt_runtime_sources(runtime/device/cuda
  backend_cuda.c
  cuda_api.c
  cuda_background.c
  cuda_catalogue.c
  cuda_compile_parallel.c
  cuda_describe.c
  cuda_kernels.c
  cuda_program.c
  cuda_source.c
  cuda_transfer.c
  nvrtc_api.c)
